"""The interface of classifiers: they learn from judged documents of a topic and classify others."""

from __future__ import annotations

from typing import Protocol

from irevalx.arrays.segments import BoolArray, FloatArray, IntArray
from irevalx.frozen import Frozen

CLASSIFIERS = ("svm", "kld")
"""The names of the classifiers: support vector machines and language models."""

EXPECTED = {f"{name}-expected": name for name in CLASSIFIERS}
"""The names of what measures are expected to be under the probabilities of relevance of a classifier, and its name."""

THRESHOLDS = ("next", "middle", "last")
"""Where the threshold of language models lies between the last judged document that passes and the next one."""


class Classification(Frozen):
    """A classifier's answer for n documents.

    Parameters
    ----------
    relevant : shape (n,); whether a document is predicted relevant.
    value : shape (n,); decision values, the higher the surer that the document is relevant; at least 0 for relevant
        documents, at most 0 for the others.
    """

    relevant: BoolArray
    value: FloatArray


class Classifier(Protocol):
    """A classifier that learns anew for each topic. Documents are given as places in ``Collection.docnos``."""

    def classify(self, judged: IntArray, relevant: BoolArray, unknown: IntArray) -> Classification:
        """Learn from some documents of a topic and classify others.

        Parameters
        ----------
        judged : shape (n_judged,); documents to learn from, each once.
        relevant : shape (n_judged,); whether each of them is; at least one is, and at least one is not.
        unknown : shape (n,); the documents to classify, none of them among the judged ones.
        """
