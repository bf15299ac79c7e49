"""Term counts of judged and pooled documents, and of the whole collection."""

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
"""The number of terms, the most frequent ones, that are features of the support vector machine (Büttcher et al. 2007,
3.2)."""

_TERM = re.compile("[a-z0-9]+")


def terms_of(text: str) -> list[str]:
    """Return the terms of a text in order: runs of a-z and 0-9 in lower case, neither stemmed nor stopped."""
    return _TERM.findall(text.lower())


class Collection(Frozen):
    """The terms of n documents, and the frequencies of these m terms in the whole collection."""

    docnos: tuple[bytes, ...]
    """The documents with terms, ascending in byte order."""
    terms: tuple[str, ...]
    counts: sparse.csr_array
    """Shape (n, m)."""
    document_frequency: IntArray
    """Shape (m,); the number of documents of the collection with each term."""
    collection_frequency: IntArray
    """Shape (m,)."""
    frequent: BoolArray
    """Shape (m,); whether a term is among the ``MOST_FREQUENT``; of equally frequent ones, the first alphabetically."""
    n_documents: int
    """The size of the collection, like ``n_tokens``."""
    n_tokens: int

    @classmethod
    def of(
        cls, documents: Iterable[Document], requested: AbstractSet[bytes], n_frequent: int = MOST_FREQUENT
    ) -> Collection:
        """Count the terms of all documents, and those of each requested document, which must occur once."""
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
                    raise MalformedLineError(
                        f"{document.where}: a document must occur once, but got {quote(document.docno)} a second time"
                    )
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
        """Shape (n,): the number of tokens of each document, at least 1."""
        return np.asarray(self.counts.sum(axis=1), np.float64)

    @cached_property
    def place(self) -> dict[bytes, int]:
        """The index of each document in ``docnos``."""
        return {docno: place for place, docno in enumerate(self.docnos)}

    def find(self, docnos: Names) -> IntArray:
        """Return the indices of documents in ``docnos``, ``ABSENT`` for documents without a term."""
        return np.array([self.place.get(docno, ABSENT) for docno in docnos.texts()], np.int64)


def collection_for(judgments: Judgments, paths: Sequence[str]) -> Collection:
    """Read a collection, with the terms of the documents in the judgments; raises InputError if none has a term."""
    documents = chain.from_iterable(read_documents(Source(path)) for path in paths)
    collection = Collection.of(documents, set(judgments.docnos.texts()))
    if not collection.docnos:
        files = ", ".join(map(shown_name, paths))
        raise InputError(f"{files}: none of the {collection.n_documents} documents was judged or pooled and has words")
    return collection
