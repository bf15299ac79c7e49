"""What the classifiers have in common: they learn from judged documents of a topic and decide about others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from irevalx.arrays.segments import BoolArray, FloatArray, IntArray

CLASSIFIERS = ("svm", "kld")
"""What they are called: ``support_vectors`` and ``language_models``."""


@dataclass(frozen=True, eq=False)
class Decisions:
    """What a classifier says about n documents.

    Parameters
    ----------
    relevant : shape (n,).
    value : shape (n,); the higher the surer that the document is relevant. Relevant from 0 up, not relevant up to 0.
    """

    relevant: BoolArray
    value: FloatArray


class Classifier(Protocol):
    """Learns anew for each topic. Documents are places in ``Collection.docnos``."""

    def decide(self, trained: IntArray, relevant: BoolArray, asked: IntArray) -> Decisions:
        """Train on some documents of a topic and decide about others.

        Parameters
        ----------
        trained : judged documents, each once.
        relevant : whether each of them is; at least one is, and at least one is not.
        asked : the documents to decide about, none of them among the others.
        """
