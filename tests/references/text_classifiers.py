"""Classification of documents by text, implemented as literal loops that specify irevalx-lab complete.

A document is a list of terms, and a collection is a list of documents.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

Terms = Sequence[str]

LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789"


def terms_of(text: str) -> list[str]:
    """Return the sequences of letters a-z and digits in a text, in lower case."""
    terms = [""]
    for character in text.lower():
        if character in LETTERS:
            terms[-1] += character
        else:
            terms.append("")
    return [term for term in terms if term]


def smoothed(document: Terms, collection: Sequence[Terms]) -> dict[str, float]:
    """Return P(x|M) of each term x, with the weight 0.8 for the document and 0.2 for the collection."""
    everything = [term for document in collection for term in document]
    return {
        term: 0.8 * document.count(term) / len(document) + 0.2 * everything.count(term) / len(everything)
        for term in set(everything)
    }


def divergence(document: Terms, relevant: Sequence[Terms], collection: Sequence[Terms]) -> float:
    """Return KLD(M_D, M_R), the sum of P(x|M_D) ln(P(x|M_D) / P(x|M_R)) over terms."""
    p = smoothed(document, collection)
    q = smoothed([term for terms in relevant for term in terms], collection)
    return math.fsum(p[x] * math.log(p[x] / q[x]) for x in p)


def kld_passes(
    divergences: dict[str, float], relevant: dict[str, bool], requested: Sequence[str]
) -> tuple[set[str], set[str]]:
    """Return the judged and the requested documents below the threshold, below which |R| judged documents are."""
    in_order = sorted((divergences[docno], docno) for docno in relevant)
    threshold = in_order[sum(relevant.values())]
    below = {docno for docno, value in divergences.items() if (value, docno) < threshold}
    return below & set(relevant), below & set(requested)


def features(document: Terms, collection: Sequence[Terms], n_frequent: int) -> dict[str, float]:
    """Return the weights tf ln(|D| / df) of the most frequent terms, normalised to the sum 1."""
    everything = [term for terms in collection for term in terms]
    ranked = sorted(set(everything), key=lambda term: (-everything.count(term), term))
    vector = {}
    for term in ranked[:n_frequent]:
        df = sum(term in terms for terms in collection)
        vector[term] = document.count(term) * math.log(len(collection) / df)
    total = sum(vector.values())
    return {term: weight / total for term, weight in vector.items()} if total else vector


def agreement(result: set[str], there: set[str]) -> tuple[float, float, float]:
    """Return precision, recall and F1, which are 0 if they are undefined."""
    right = len(result & there)
    precision = right / len(result) if result else 0.0
    recall = right / len(there) if there else 0.0
    return precision, recall, 2 * precision * recall / (precision + recall) if right else 0.0
