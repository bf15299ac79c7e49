"""A linear support vector machine: on which side of the best dividing plane a document lies."""

from __future__ import annotations

import numpy as np
from scipy import sparse
from sklearn.svm import SVC

from irevalx.arrays.segments import BoolArray, FloatArray, IntArray
from irevalx.lab.completion.classifiers import Classification
from irevalx.lab.completion.collection import Collection


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
        self._features = features(collection)
        self._class_weight = "balanced" if balanced else None

    def classify(self, judged: IntArray, relevant: BoolArray, unknown: IntArray) -> Classification:
        """Learn from some documents of a topic and classify others; see ``Classifier``."""
        vectors = self._features[judged]
        products = (vectors @ vectors.T).toarray()
        mean = float(np.mean(products.diagonal()))
        machine = SVC(kernel="precomputed", C=1.0 / mean if mean else 1.0, class_weight=self._class_weight)
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
