"""Relevance judgments in groups, such as those of several users about the same topic."""

from __future__ import annotations

import numpy as np

from irevalx.arrays.codes import ABSENT
from irevalx.arrays.segments import IntArray, Segments
from irevalx.frozen import Frozen
from irevalx.judgments.graded import Judgments
from irevalx.judgments.judged_documents import Documents, Kind


class GroupedJudgments(Frozen, Kind):
    """The judgments of every group of every topic.

    Parameters
    ----------
    documents : those judged in any group; each once in a topic, ascending in byte order.
    groups : per topic, its judgment groups, ascending in byte order.
    names : flat over ``groups``.
    judgments : those of each group, as though it were a topic; documents in the order of ``documents``.
    document : flat over ``judgments``; the flat index in ``documents``.
    """

    documents: Documents
    groups: Segments
    names: tuple[bytes, ...]
    judgments: Judgments
    document: IntArray

    @property
    def greatest_grade(self) -> float | None:
        """The greatest grade; None where there is none."""
        return self.judgments.greatest_grade

    def find(self, group: IntArray, document: IntArray) -> IntArray:
        """Look up judgments.

        Parameters
        ----------
        group : shape (m,).
        document : shape (m,); the flat index in ``documents``, or negative.

        Returns
        -------
        Shape (m,); the flat index in ``judgments``, or ``ABSENT`` where the group does not judge the document.
        """
        n = self.documents.rows.size
        keys, wanted = self.judgments.rows.ids * n + self.document, group * n + document
        place = np.minimum(np.searchsorted(keys, wanted), max(keys.size - 1, 0))
        found: IntArray = np.where((document >= 0) & (keys[place] == wanted), place, ABSENT)
        return found
