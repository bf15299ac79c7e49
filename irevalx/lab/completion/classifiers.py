"""Term counts of documents, and classifiers that are trained on the judged documents of a topic.

With a language model, a document is predicted relevant if its Kullback-Leibler divergence from the relevant documents
is small. With a linear support vector machine, a document is predicted relevant if it is on the relevant side of the
separating plane.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from functools import partial
from typing import Protocol

import numpy as np
from scipy import sparse

from irevalx.arrays.byte_strings import Names
from irevalx.arrays.codes import ABSENT
from irevalx.arrays.segments import BoolArray, FloatArray, IntArray
from irevalx.errors import InputError, MalformedLineError, quote, shown_name
from irevalx.frozen import Frozen, cached_property
from irevalx.judgments.graded import Judgments
from irevalx.lab.completion.completion_options import THRESHOLDS
from irevalx.lab.completion.documents import Document, documents_in

MOST_FREQUENT = 1_000_000
"""The number of terms, by frequency, that are features of the support vector machine (Büttcher et al. 2007, 3.2)."""

_TERM = re.compile("[a-z0-9]+")


def terms_of(text: str) -> list[str]:
    """Return the terms of a text, in order.

    A term is a sequence of the characters a-z and 0-9 in lower case. There is no stemming, and stop words are kept.
    """
    return _TERM.findall(text.lower())


class Collection(Frozen):
    """The term counts of n documents, and the frequencies of their m terms in the whole collection."""

    docnos: tuple[bytes, ...]  # documents that contain terms, in ascending byte order
    terms: tuple[str, ...]
    counts: sparse.csr_array  # shape (n, m)
    document_frequency: IntArray  # shape (m,); the number of documents that contain each term
    collection_frequency: IntArray  # shape (m,); the number of occurrences of each term in the collection
    frequent: BoolArray  # shape (m,); whether a term is among the ``MOST_FREQUENT``; ties are broken alphabetically
    n_documents: int  # the number of documents in the collection
    n_tokens: int

    @classmethod
    def of(
        cls, documents: Iterable[Document], requested: AbstractSet[bytes], n_frequent: int = MOST_FREQUENT
    ) -> Collection:
        """Count the terms in the whole collection and in each requested document.

        Each requested document must occur exactly once in the collection.
        """
        n_documents = 0
        in_documents: Counter[str] = Counter()
        in_collection: Counter[str] = Counter()
        number: dict[str, int] = {}
        counts_of: dict[bytes, tuple[IntArray, IntArray]] = {}
        for document in documents:
            n_documents += 1
            terms = terms_of(document.text)
            in_collection.update(terms)
            in_documents.update(set(terms))
            if document.docno in requested:
                if document.docno in counts_of:
                    raise MalformedLineError(f"{document.where}: duplicate document {quote(document.docno)}")
                counted = Counter(terms)
                numbers = [number.setdefault(term, len(number)) for term in counted]
                counts_of[document.docno] = np.array(numbers, np.int64), np.array([*counted.values()], np.int64)
        docnos = tuple(sorted(docno for docno, (numbers, _) in counts_of.items() if numbers.size))
        nothing = np.empty(0, np.int64)
        counts = sparse.csr_array(
            (
                np.concatenate((nothing, *(counts_of[docno][1] for docno in docnos))).astype(np.float64),
                np.concatenate((nothing, *(counts_of[docno][0] for docno in docnos))),
                np.cumsum([0, *(counts_of[docno][0].size for docno in docnos)]),
            ),
            shape=(len(docnos), len(number)),
        )
        frequent: AbstractSet[str] = in_collection.keys()
        if len(frequent) > n_frequent:
            frequent = set(sorted(frequent, key=lambda term: (-in_collection[term], term))[:n_frequent])
        return cls(
            docnos=docnos,
            terms=tuple(number),
            counts=counts,
            document_frequency=np.array([in_documents[term] for term in number], np.int64),
            collection_frequency=np.array([in_collection[term] for term in number], np.int64),
            frequent=np.array([term in frequent for term in number], np.bool_),
            n_documents=n_documents,
            n_tokens=in_collection.total(),
        )

    @cached_property
    def lengths(self) -> FloatArray:
        """The number of tokens in each document, or 1 if the document contains none. The shape is (n,)."""
        return np.asarray(self.counts.sum(axis=1), np.float64)

    @cached_property
    def place(self) -> dict[bytes, int]:
        """The index in ``docnos`` of each document."""
        return {docno: place for place, docno in enumerate(self.docnos)}

    def find(self, docnos: Names) -> IntArray:
        """Return the index in ``docnos`` of each document, or ``ABSENT`` for a document that contains no term."""
        return np.array([self.place.get(docno, ABSENT) for docno in docnos.texts()], np.int64)


def collection_for(judgments: Judgments, paths: Sequence[str]) -> Collection:
    """Read a collection, and count the terms of the judged documents.

    Raise InputError if no judged document contains a term.
    """
    collection = Collection.of(documents_in(paths), set(judgments.docnos.texts()))
    if not collection.docnos:
        files = ", ".join(map(shown_name, paths))
        raise InputError(f"{files}: none of the {collection.n_documents} documents was judged or pooled and has words")
    return collection


BACKGROUND = 0.2
"""The weight of the collection model in the model of a document, which Büttcher et al. call lambda."""


class Classification(Frozen):
    """The predictions of a classifier for n documents. The shape of each array is (n,)."""

    relevant: BoolArray
    # Decision values are at least 0 for documents that are predicted relevant, and at most 0 for others. Higher values
    # indicate more certain relevance.
    value: FloatArray


class Classifier(Protocol):
    """A classifier that is trained separately for each topic. Documents are indices in ``Collection.docnos``."""

    def classify(self, judged: IntArray, relevant: BoolArray, unknown: IntArray) -> Classification:
        """Train on judged documents, some relevant and some nonrelevant, and classify the unknown documents."""


class LanguageModels:
    """The language-model classifier of Büttcher et al. (2007, 3.1).

    A document is predicted relevant if the divergence of its language model from the model of the concatenated relevant
    documents is below a threshold. The threshold is chosen so that as many judged documents are predicted relevant as
    were judged relevant. Documents with equal divergence are ordered by docno. All thresholds of an interval have this
    property, and Büttcher et al. do not specify the choice. Here, the threshold is the divergence of the last judged
    document that is predicted relevant, the divergence of the next judged document, or the midpoint. The decision value
    is the threshold minus the divergence.
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
        """Train on judged documents, and classify the unknown documents. See ``Classifier``."""
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
        tied = (of_unknown == threshold) & (unknown < judged[first_to_fail])  # indices are in the order of docnos
        return Classification((of_unknown < threshold) | tied, threshold - of_unknown)

    def divergence(self, documents: IntArray, relevant: IntArray) -> FloatArray:
        """Return the divergence of each document's model from the model of the relevant documents, in nats.

        The divergence is the sum of P(x|D) ln(P(x|D) / P(x|R)) over the terms x of the collection. P(x|D) is 0.8 times
        the share of x among the tokens of D, plus 0.2 times the share of x in the collection. P(x|R) is defined in the
        same way.

        Let b be 0.2 times the share of x in the collection. A term that neither D nor R contains has P = b in both, and
        adds 0. The sum is therefore P(x|D) ln(P(x|D) / b), summed over the terms of D, minus P(x|D) ln(P(x|R) / b),
        summed over the terms of R.
        """
        together: FloatArray = np.asarray(self._counts[relevant].sum(axis=0))
        gain = np.log1p((1 - BACKGROUND) * (together / together.sum()) / self._background)
        of_relevant = (1 - BACKGROUND) * (self._shares[documents] @ gain) + self._background @ gain
        divergence: FloatArray = self._from_background[documents] - of_relevant
        return divergence


class SupportVectors:
    """The support vector machine of Büttcher et al. (2007, 3.2), with a linear kernel, which is trained for each topic.

    As in SVMlight, which the paper used, the cost C of an error is 1 / mean(x.x) over the training vectors x. Unlike in
    the paper, ``balanced`` gives the same total weight to errors on relevant and on nonrelevant documents, as in
    scikit-learn. Without balanced weights, almost no document would be predicted relevant if few training documents are
    relevant.

    The decision value is the signed distance from the plane, in units of the margin. The solver of libsvm is used
    because the solver of liblinear is random.
    """

    def __init__(self, collection: Collection, *, balanced: bool = True) -> None:
        from sklearn.svm import SVC

        self._features = features(collection)
        self._machine = partial(SVC, kernel="precomputed", class_weight="balanced" if balanced else None)

    def classify(self, judged: IntArray, relevant: BoolArray, unknown: IntArray) -> Classification:
        """Train on judged documents, and classify the unknown documents. See ``Classifier``."""
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
    """Return the weights tf ln(|D| / df) of the most frequent terms, divided by their sum in a document unless it is 0.

    The shape is (n, m), for n documents and m terms.
    """
    idf = np.log(collection.n_documents / collection.document_frequency) * collection.frequent
    weights = sparse.csr_array(collection.counts * idf)
    total = np.asarray(weights.sum(axis=1))
    return sparse.csr_array(weights / np.where(total == 0, 1.0, total)[:, np.newaxis])


def unit_vectors(collection: Collection, docnos: Sequence[bytes]) -> sparse.csr_array:
    """Return a vector of weights (1 + ln tf) ln(|D| / df) for each document, scaled to length 1.

    The vector of a document without text is 0. The shape is (n, m), for n documents and m terms.
    """
    from sklearn.preprocessing import normalize

    weights = collection.counts.astype(np.float64)
    weights.data = (1.0 + np.log(weights.data)) * np.log(
        collection.n_documents / collection.document_frequency[weights.indices]
    )
    # The vector is also 0 if all terms of a document occur in every document.
    nothing = sparse.csr_array((1, weights.shape[1]))
    places = [collection.place.get(docno, len(collection.docnos)) for docno in docnos]
    return sparse.csr_array(normalize(sparse.vstack((weights, nothing), format="csr")[places]))


def classifier_for(
    name: str, collection: Collection, *, balanced: bool = True, threshold: str = THRESHOLDS[0]
) -> Classifier:
    """Return the named classifier. Support vector machines use ``balanced``, and language models use ``threshold``."""
    if name == "kld":
        return LanguageModels(collection, threshold)
    return SupportVectors(collection, balanced=balanced)
