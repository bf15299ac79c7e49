"""How each measure treats judged, pooled and unpooled documents: the table of the docs and the manual page."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import TypeAlias

from irevalx.cli.explanations import families
from irevalx.measures.declaration import Measure, UnjudgedEffect
from irevalx.measures.measure_parameters import Gains

Rule: TypeAlias = tuple[str, tuple[str, str, str, str]]
"""A row of the table: its subject, and a cell for each kind of documents."""

KINDS = ("judged relevant", "judged nonrelevant", "pooled but unjudged", "unpooled")
"""The kinds of documents, the columns of the table."""

DEFINITIONS: tuple[Rule, ...] = (
    (
        "Definition: the document has",
        (
            "a grade of at least -l, in the pool file or not",
            "a grade of at least 0 but below -l, in the pool file or not",
            "a negative grade (-1, -2, ...), or a line in the pool file (--pool) and no judgment",
            "neither a judgment nor a line in the pool file",
        ),
    ),
    ("Character in relstring", ("its grade", "its grade", ".", "-")),
    ("Syntax that assigns it a gain", ("GRADE=GAIN", "GRADE=GAIN", "-2=GAIN", "-1=GAIN")),
)

BELOW_0: Rule = (
    "The same measures with -l below 0; R, utility and the set measures still count judged documents only",
    ("relevant", "relevant", "relevant if -l is -2 or less", "relevant"),
)
"""Follows the measures that treat unjudged documents as nonrelevant."""

READINGS: tuple[Rule, ...] = (
    ("-J, or the treatment skip", ("kept", "kept", "removed from the ranking", "removed from the ranking")),
    (
        "The treatment rel",
        (
            "relevant",
            "nonrelevant",
            "relevant if retrieved, and counted in R",
            "relevant if retrieved, and counted in R",
        ),
    ),
)

JUDGED_COUNTS_AS = {
    UnjudgedEffect.UNJUDGED: ("judged", "judged"),
    UnjudgedEffect.RETRIEVED: ("retrieved", "retrieved"),
    UnjudgedEffect.LIKE_STRATUM: ("a sample of its stratum", "a sample of its stratum"),
    UnjudgedEffect.NO_GAIN: ("its gain", "its gain"),
}
"""The treatment of judged documents, by the treatment of pooled ones; others are relevant or not, or have a gain."""


def rows_of_measures() -> Iterator[Rule]:
    """Yield the treatment of documents by measures, a row for all measures that declare the same, by family.

    Measures of preferences, which concern pairs of documents, and measures that are not numbers are left out.
    """
    rows: dict[tuple[str, ...], list[str]] = {}
    for measure in chain.from_iterable(families().values()):
        if measure.kernel and measure.number != "text" and "prefs" not in measure.formats:
            needs = "" if "qrels" in measure.formats else f" (-R {' or '.join(sorted(measure.formats))})"
            rows.setdefault((needs, *_counts_as(measure)), []).append(measure.name)
    plain = UnjudgedEffect.NONRELEVANT.value
    for (needs, *cells), names in rows.items():
        relevant, nonrelevant, pooled, outside = cells
        listed = " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
        yield f"{listed}{needs}", (relevant, nonrelevant, pooled, outside)
        if (needs, pooled, outside) == ("", plain, plain):
            yield BELOW_0


def _counts_as(measure: Measure) -> tuple[str, str, str, str]:
    pooled, outside = measure.pooled, measure.outside
    default = ("its gain", "its gain") if isinstance(measure.kind, Gains) else ("relevant", "nonrelevant")
    return *JUDGED_COUNTS_AS.get(pooled, default), pooled.value, outside.value


RULES: tuple[Rule, ...] = (*DEFINITIONS, *rows_of_measures(), *READINGS)
"""The rows of the table."""
