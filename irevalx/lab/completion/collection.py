"""Collections: how often each term occurs in judged and pooled documents, and in the whole collection."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from itertools import chain

import numpy as np
from scipy import sparse

from irevalx.arrays.byte_strings import Names
from irevalx.arrays.codes import ABSENT
from irevalx.arrays.segments import BoolArray, FloatArray, IntArray
from irevalx.errors import InputError, MalformedLineError, quote, shown_name
from irevalx.frozen import Frozen, cached_property
from irevalx.judgments.graded import Judgments
from irevalx.lab.completion.documents import Document, read_documents
from irevalx.reading.source import Source

MOST_FREQUENT = 1_000_000
"""So many terms of the collection, the most frequent ones, are features of the support vector machine (Büttcher et al.
2007, 3.2)."""

_TERM = re.compile("[a-z0-9]+")


def terms_of(text: str) -> list[str]:
    """Return the terms of a text in order: runs of a-z and 0-9 in lower case, neither stemmed nor stopped."""
    return _TERM.findall(text.lower())


class Collection(Frozen):
    """The terms of some documents, and the frequencies of these terms in the whole collection.

    Parameters
    ----------
    docnos : shape (n,); the documents wanted that have terms, ascending in byte order.
    terms : shape (m,); the terms that occur in these, each once.
    counts : shape (n, m); how often each term occurs in each document.
    document_frequency : shape (m,); how many documents of the collection a term occurs in, at least 1.
    collection_frequency : shape (m,); how often it occurs in the collection, at least 1.
    frequent : shape (m,); whether it is among the ``MOST_FREQUENT`` terms of the collection (of equally frequent ones
        the first in alphabetical order).
    n_documents, n_tokens : the size of the collection.
    """

    docnos: tuple[bytes, ...]
    terms: tuple[str, ...]
    counts: sparse.csr_array
    document_frequency: IntArray
    collection_frequency: IntArray
    frequent: BoolArray
    n_documents: int
    n_tokens: int

    @classmethod
    def of(
        cls, documents: Iterable[Document], wanted: AbstractSet[bytes], n_frequent: int = MOST_FREQUENT
    ) -> Collection:
        """Count the terms of all documents, and keep the counts of those wanted.

        Raises
        ------
        MalformedLineError : a wanted document occurs twice.
        And what reading the documents raises.
        """
        n_documents = 0
        in_documents: Counter[str] = Counter()
        in_collection: Counter[str] = Counter()
        number: dict[str, int] = {}
        kept: dict[bytes, tuple[IntArray, IntArray]] = {}
        for document in documents:
            n_documents += 1
            terms = terms_of(document.text)
            in_collection.update(terms)
            in_documents.update(set(terms))
            if document.docno in wanted:
                if document.docno in kept:
                    raise MalformedLineError(
                        f"{document.where}: a document must occur once, but got {quote(document.docno)} a second time"
                    )
                counted = Counter(terms)
                numbers = [number.setdefault(term, len(number)) for term in counted]
                kept[document.docno] = np.array(numbers, np.int64), np.array([*counted.values()], np.int64)
        docnos = tuple(sorted(docno for docno, (numbers, _) in kept.items() if numbers.size))
        nothing = np.empty(0, np.int64)
        counts = sparse.csr_array(
            (
                np.concatenate((nothing, *(kept[docno][1] for docno in docnos))).astype(np.float64),
                np.concatenate((nothing, *(kept[docno][0] for docno in docnos))),
                np.cumsum([0, *(kept[docno][0].size for docno in docnos)]),
            ),
            shape=(len(docnos), len(number)),
        )
        frequent = _most_frequent(in_collection, n_frequent)
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
        """Shape (n,): the number of tokens of each document, at least 1."""
        return np.asarray(self.counts.sum(axis=1), np.float64)

    @cached_property
    def place(self) -> dict[bytes, int]:
        """The place of each document in ``docnos``."""
        return {docno: place for place, docno in enumerate(self.docnos)}

    def find(self, docnos: Names) -> IntArray:
        """Return the places of documents in ``docnos``, ``ABSENT`` for those without a term."""
        return np.array([self.place.get(docno, ABSENT) for docno in docnos.texts()], np.int64)


def _most_frequent(in_collection: Counter[str], n: int) -> AbstractSet[str]:
    if len(in_collection) <= n:
        return in_collection.keys()
    return set(sorted(in_collection, key=lambda term: (-in_collection[term], term))[:n])


def collection_for(judgments: Judgments, paths: Sequence[str]) -> Collection:
    """Read a collection, and keep the terms of the documents that are in some judgments.

    Parameters
    ----------
    paths : of files of documents.

    Raises
    ------
    InputError : none of the judgments' documents is there, or none has a term.
    And what reading documents raises.
    """
    documents = chain.from_iterable(read_documents(Source(path)) for path in paths)
    collection = Collection.of(documents, set(judgments.docnos.texts()))
    if not collection.docnos:
        files = ", ".join(map(shown_name, paths))
        raise InputError(
            f"{files}: there must be documents with words that were judged or pooled, but none of the "
            f"{collection.n_documents} documents is one"
        )
    return collection
