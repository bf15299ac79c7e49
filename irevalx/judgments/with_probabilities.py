"""Relevance judgments of a sample in which every document had a probability of its own of being drawn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from irevalx.arrays.segments import BoolArray, FloatArray, IntArray
from irevalx.errors import DuplicateDocumentError, EvaluationError
from irevalx.frozen import cached_property
from irevalx.judgments.graded import duplicate_documents
from irevalx.judgments.judged_documents import Documents, Kind


class JudgmentsWithProbabilities(Documents, Kind):
    """The sampled documents of every topic; those that were pooled and not sampled are not here.

    Parameters
    ----------
    path : the file as the user named it.
    topics : each once, ascending in byte order.
    rows : one row per topic, its documents in the order of the file.
    docnos : flat.
    grades : flat; negative ones are not relevant, whatever the level.
    probabilities : flat; above 0 and at most 1. 1 for a document that was chosen otherwise than at random.
    at_random : flat; whether the document is said to have been drawn at random, whatever its probability.
    lines : flat; the 1-based line of the file.
    """

    grades: IntArray
    probabilities: FloatArray
    at_random: BoolArray
    lines: IntArray

    @cached_property
    def duplicates(self) -> dict[bytes, DuplicateDocumentError]:
        """Topics in which a document was judged twice, with the error to raise."""
        found = (
            (self.topics[self.rows.ids[one]], self.docnos.text(one), self.lines[[one, two]].tolist())
            for one, two in self.table.duplicates.tolist()
        )
        return duplicate_documents("judgments", self.path, found)

    def failures(self, topics: Sequence[bytes]) -> Mapping[bytes, EvaluationError]:
        """Return why some topics, these among them, cannot be evaluated."""
        return self.duplicates
