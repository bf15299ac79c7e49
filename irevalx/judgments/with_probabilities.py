"""Relevance judgments of a sample with inclusion probabilities."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from irevalx.arrays.segments import BoolArray, FloatArray, IntArray
from irevalx.errors import DuplicateDocumentError, EvaluationError
from irevalx.frozen import cached_property
from irevalx.judgments.graded import duplicate_documents
from irevalx.judgments.judged_documents import Documents, JudgmentKind


class JudgmentsWithProbabilities(Documents, JudgmentKind):
    """The sampled documents of every topic, in the order of the file; pooled but unsampled ones are missing."""

    grades: IntArray
    """Flat; negative ones are never relevant."""
    probabilities: FloatArray
    """Flat; in (0, 1]. 1 for a document that was not chosen at random."""
    at_random: BoolArray
    """Flat; whether the file calls the document drawn at random, whatever its probability."""
    lines: IntArray
    """Flat; the 1-based line of the file."""

    @cached_property
    def duplicates(self) -> dict[bytes, DuplicateDocumentError]:
        """The errors of topics in which a document was judged twice."""
        documents = (
            (self.topics[self.rows.ids[first]], self.docnos.text(first), self.lines[[first, second]].tolist())
            for first, second in self.table.duplicates.tolist()
        )
        return duplicate_documents("judgments", self.path, documents)

    def failures(self, topics: Sequence[bytes]) -> Mapping[bytes, EvaluationError]:
        """Return why some topics, these among them, cannot be evaluated."""
        return self.duplicates
