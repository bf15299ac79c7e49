"""Relevance judgments in groups, for example of several users about the same topic."""

from __future__ import annotations

import numpy as np

from irevalx.arrays.codes import ABSENT
from irevalx.arrays.segments import IntArray, Segments
from irevalx.frozen import Frozen
from irevalx.judgments.graded import Judgments
from irevalx.judgments.judged_documents import Documents, JudgmentKind


class GroupedJudgments(Frozen, JudgmentKind):
    """The judgments of every group of every topic."""

    documents: Documents
    """Those judged in any group; each once in a topic, ascending in byte order."""
    groups: Segments
    """Per topic, its judgment groups, ascending in byte order."""
    names: tuple[bytes, ...]
    """Flat over ``groups``."""
    judgments: Judgments
    """With a topic for each group; documents in the order of ``documents``."""
    document: IntArray
    """Flat over ``judgments``; the flat index in ``documents``."""

    @property
    def greatest_grade(self) -> float | None:
        """The greatest grade; None if there is none."""
        return self.judgments.greatest_grade

    def find(self, group: IntArray, document: IntArray) -> IntArray:
        """Return the flat index in ``judgments`` of a group's judgment of a document, or ``ABSENT``: shape (m,).

        ``document`` is the flat index in ``documents``, or negative.
        """
        n = self.documents.rows.size
        keys, requested = self.judgments.rows.ids * n + self.document, group * n + document
        place = np.minimum(np.searchsorted(keys, requested), max(keys.size - 1, 0))
        places: IntArray = np.where((document >= 0) & (keys[place] == requested), place, ABSENT)
        return places
