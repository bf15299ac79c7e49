"""Output for single topics."""

from __future__ import annotations

import numpy as np

from irevalx.arrays.codes import UNJUDGED
from irevalx.arrays.segments import Segments
from irevalx.measures.declaration import NONREL_AND_SKIP, TEXT, UnjudgedEffect, measure
from irevalx.measures.parameter_kinds import Reals
from irevalx.ranking.topics import Topics, truncate
from irevalx.settings import EXPECTED, PROBABILITY, REAL


@measure(
    "relstring",
    TEXT,
    summary=None,
    number="text",
    higher_is_better=False,
    kind=Reals((10.0,), usage="K"),
    treatments=NONREL_AND_SKIP,
    uses_level=False,
    pooled=UnjudgedEffect.DOT,
    outside=UnjudgedEffect.DASH,
    refuses={
        **dict.fromkeys((REAL, PROBABILITY), "each grade is one character of the string"),
        EXPECTED: "a string has no mean",
    },
)
def relevance_string(t: Topics, length: float, *ignored: float) -> list[bytes]:
    """Grades of the first documents, as a string.

    One character per document: the grade (> for 10 or more), - for a document outside the pool, and . for a pooled but
    unjudged document. The parameter sets the number of documents (default 10). There is no `all` row.

    Formula: one character for each of the first K documents.
    Source: trec_eval.
    """
    limit = max(int(truncate(np.array([length]))[0]), 0)
    rows = Segments.of_lengths(np.minimum(t.n_ret, limit))
    characters = np.full(rows.size, ord("-"), np.uint8)
    inside = t.rank <= limit
    place = rows.at(t.rows.ids[inside], t.rank[inside] - 1)
    grade = t.grade[inside]
    known = np.where(grade > 9, ord(">"), ord("0") + grade)
    characters[place] = np.where(grade >= 0, known, np.where(grade == UNJUDGED, ord("."), ord("-")))
    text = characters.tobytes()
    return [text[rows.slice(row)] for row in range(rows.n)]
