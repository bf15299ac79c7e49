"""How each measure treats judged, pooled and unpooled documents: the table of the documentation and the manual page."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import TypeAlias

from irevalx.cli.explanations import families
from irevalx.measures.declaration import Measure, UnjudgedEffect
from irevalx.measures.parameter_kinds import Gains

Rule: TypeAlias = tuple[str, tuple[str, str, str, str]]
"""A row of the table: its label, and a cell for each kind of documents."""

KINDS = ("judged relevant", "judged nonrelevant", "pooled but unjudged", "unpooled")
"""The kinds of documents, the columns of the table."""

DEFINITIONS: tuple[Rule, ...] = (
    (
        "Definition",
        (
            "a judgment of -l or higher, in --pool or not",
            "a judgment of 0 or higher and below -l, in --pool or not",
            "a negative judgment (-1, -2, ...), or no judgment but a line in --pool",
            "neither",
        ),
    ),
    ("Character that relstring prints", ("its grade", "its grade", ".", "-")),
    ("Parameter that sets the gain of the document", ("GRADE=GAIN", "GRADE=GAIN", "-2=GAIN", "-1=GAIN")),
)

BELOW_0: Rule = (
    "The same measures with -l below 0 (except R, utility and the set measures, which count only judged documents)",
    ("relevant", "relevant", "relevant if -l is -2 or less", "relevant"),
)
"""Follows the measures that treat unjudged documents as nonrelevant."""

READINGS: tuple[Rule, ...] = (
    ("With -J or the treatment skip", ("kept", "kept", "removed from the ranking", "removed from the ranking")),
    (
        "With the treatment rel",
        (
            "relevant",
            "nonrelevant",
            "relevant if retrieved, and R increases",
            "relevant if retrieved, and R increases",
        ),
    ),
)

JUDGED_COUNTS_AS = {
    UnjudgedEffect.UNJUDGED: ("counted as judged", "counted as judged"),
    UnjudgedEffect.RETRIEVED: ("counted as retrieved", "counted as retrieved"),
    UnjudgedEffect.LIKE_STRATUM: ("in the sample of its stratum", "in the sample of its stratum"),
    UnjudgedEffect.NO_GAIN: ("given its gain", "given its gain"),
}
"""Treatment of judged documents, by that of pooled ones, if it is not relevant or nonrelevant."""


def rows_of_measures() -> Iterator[Rule]:
    """Yield one row per treatment, with the measures that share it, by family; preferences and strings are excluded."""
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
    default = ("given its gain", "given its gain") if isinstance(measure.kind, Gains) else ("relevant", "nonrelevant")
    return *JUDGED_COUNTS_AS.get(pooled, default), pooled.value, outside.value


RULES: tuple[Rule, ...] = (*DEFINITIONS, *rows_of_measures(), *READINGS)
"""The rows of the table."""
