"""The classifiers, which learn from judged documents of a topic and classify others.

Language models take a document to be relevant if it diverges little from the relevant ones (Kullback-Leibler); a linear
support vector machine, if it lies on their side of the best dividing plane.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Protocol

import numpy as np
from scipy import sparse

from irevalx.arrays.segments import BoolArray, FloatArray, IntArray
from irevalx.frozen import Frozen
from irevalx.lab.completion.classifier_names import THRESHOLDS
from irevalx.lab.completion.collection import Collection

BACKGROUND = 0.2
"""The weight of the collection's model in every other: the paper's lambda."""


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


class LanguageModels:
    """The classifier of Büttcher et al. (2007, 3.1).

    A document is predicted relevant if its language model diverges less than a threshold from that of the judged
    relevant documents, which are taken together as one text. As many judged documents pass the threshold as were judged
    relevant; of documents with equal divergence the first docno in byte order passes first. That leaves an interval:
    Büttcher et al. do not say which of its values it takes. The decision value is the threshold less the divergence.

    Parameters
    ----------
    collection : of the documents to learn from and to classify, and of the background model.
    threshold : one of ``THRESHOLDS``: the divergence of the ``next`` judged document, which does not pass, of the
        ``last`` one that does, or the ``middle`` between them.
    """

    def __init__(self, collection: Collection, threshold: str = THRESHOLDS[0]) -> None:
        self._threshold = threshold
        self._counts = collection.counts
        shares = collection.counts / collection.lengths[:, np.newaxis]
        self._shares = sparse.csr_array(shares)
        self._background = BACKGROUND * collection.collection_frequency / collection.n_tokens
        background = self._background[self._shares.indices]
        model = (1 - BACKGROUND) * self._shares.data + background
        summands = model * np.log(model / background)
        terms = sparse.csr_array((summands, self._shares.indices, self._shares.indptr), shares.shape)
        self._from_background: FloatArray = np.asarray(terms.sum(axis=1))

    def classify(self, judged: IntArray, relevant: BoolArray, unknown: IntArray) -> Classification:
        """Learn from some documents of a topic and classify others; see ``Classifier``."""
        divergence = self.divergence(np.concatenate((judged, unknown)), judged[relevant])
        of_judged, of_unknown = divergence[: judged.size], divergence[judged.size :]
        order, n_relevant = np.lexsort((judged, of_judged)), np.count_nonzero(relevant)
        last, first_to_fail = order[n_relevant - 1], order[n_relevant]
        if self._threshold == "last":
            return Classification(of_unknown <= of_judged[last], of_judged[last] - of_unknown)
        if self._threshold == "middle":
            middle = (of_judged[last] + of_judged[first_to_fail]) / 2
            return Classification(of_unknown < middle, middle - of_unknown)
        threshold = of_judged[first_to_fail]
        tied = (of_unknown == threshold) & (unknown < judged[first_to_fail])  # places ascend as docnos do
        return Classification((of_unknown < threshold) | tied, threshold - of_unknown)

    def divergence(self, documents: IntArray, relevant: IntArray) -> FloatArray:
        """Return the divergence, in nats, of each document's model from that of others taken together.

        It is the sum over the terms x of the collection of P(x|D) ln(P(x|D) / P(x|R)), where P(x|D) is 0.8 times the
        share of x among the tokens of D plus 0.2 times its share in the collection, and P(x|R) likewise.

        Parameters
        ----------
        documents : shape (n,); places in ``Collection.docnos``.
        relevant : shape (n_relevant,); places too, at least one.

        Returns
        -------
        Shape (n,).

        Notes
        -----
        With b 0.2 times the share of x in the collection, a term of neither D nor R has P = b in both, and adds
        nothing. So the sum is that of P(x|D) ln(P(x|D) / b) over the terms of D, less that of P(x|D) g over those of R,
        with g = ln(P(x|R) / b).
        """
        together: FloatArray = np.asarray(self._counts[relevant].sum(axis=0))
        gain = np.log1p((1 - BACKGROUND) * (together / together.sum()) / self._background)
        of_relevant = (1 - BACKGROUND) * (self._shares[documents] @ gain) + self._background @ gain
        divergence: FloatArray = self._from_background[documents] - of_relevant
        return divergence


class SupportVectors:
    """The classifier of Büttcher et al. (2007, 3.2): a support vector machine with a linear kernel for each topic.

    As in SVMlight, which the paper used, the cost C of an error is 1 / mean(x.x) over the training vectors x. Unlike
    there, unless told otherwise errors on relevant and on nonrelevant documents weigh the same in sum (scikit-learn's
    "balanced"): with few relevant documents next to nothing would be predicted relevant otherwise.

    The decision value is the signed distance from the plane, in units of the margin. Nothing here is random: libsvm's
    solver (unlike liblinear's) draws no numbers.

    Parameters
    ----------
    collection : of the documents to learn from and to classify.
    balanced : whether both kinds of errors weigh the same in sum; False is the paper's machine, in which each error
        does.
    """

    def __init__(self, collection: Collection, *, balanced: bool = True) -> None:
        from sklearn.svm import SVC

        self._features = features(collection)
        self._machine = partial(SVC, kernel="precomputed", class_weight="balanced" if balanced else None)

    def classify(self, judged: IntArray, relevant: BoolArray, unknown: IntArray) -> Classification:
        """Learn from some documents of a topic and classify others; see ``Classifier``."""
        vectors = self._features[judged]
        products = (vectors @ vectors.T).toarray()
        mean = float(np.mean(products.diagonal()))
        machine = self._machine(C=1.0 / mean if mean else 1.0)
        machine.fit(products, relevant)
        value: FloatArray = np.zeros(0)
        if unknown.size:
            value = machine.decision_function((self._features[unknown] @ vectors.T).toarray())
        return Classification(value > 0, value)


def features(collection: Collection) -> sparse.csr_array:
    """Return the vectors of the documents: tf ln(|D| / df) for the most frequent terms, divided by their sum.

    Returns
    -------
    Shape (n documents, m terms), each row with sum 1; with sum 0 where all terms of a document are in every document,
    or none is frequent.
    """
    idf = np.log(collection.n_documents / collection.document_frequency) * collection.frequent
    weights = sparse.csr_array(collection.counts * idf)
    total = np.asarray(weights.sum(axis=1))
    return sparse.csr_array(weights / np.where(total == 0, 1.0, total)[:, np.newaxis])


def unit_vectors(collection: Collection, docnos: Sequence[bytes]) -> sparse.csr_array:
    """Return the vectors of some documents: (1 + ln tf) ln(|D| / df), divided by their length.

    Returns
    -------
    Shape (n documents, m terms), each row of length 1; all 0 for a document without text, or whose terms are in every
    document.
    """
    from sklearn.preprocessing import normalize

    weights = collection.counts.astype(np.float64)
    weights.data = (1.0 + np.log(weights.data)) * np.log(
        collection.n_documents / collection.document_frequency[weights.indices]
    )
    nothing = sparse.csr_array((1, weights.shape[1]))
    places = [collection.place.get(docno, len(collection.docnos)) for docno in docnos]
    return sparse.csr_array(normalize(sparse.vstack((weights, nothing), format="csr")[places]))


def classifier_for(
    name: str, collection: Collection, *, balanced: bool = True, threshold: str = THRESHOLDS[0]
) -> Classifier:
    """Return the classifier of this name, one of ``CLASSIFIERS``.

    Parameters
    ----------
    balanced : whether the errors of the support vector machine on relevant and on nonrelevant documents weigh the same
        in sum.
    threshold : of language models, one of ``THRESHOLDS``.
    """
    if name == "kld":
        return LanguageModels(collection, threshold)
    return SupportVectors(collection, balanced=balanced)
