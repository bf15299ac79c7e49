"""What judged, pooled and outside the pool mean, and to which measure: the table of the docs and the manual page."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import TypeAlias

from irevalx.cli.explanations import families
from irevalx.measures.declaration import Measure, UnjudgedEffect
from irevalx.measures.measure_parameters import Gains

Rule: TypeAlias = tuple[str, tuple[str, str, str, str]]
"""A row of the table: what it is about, and the words for each kind of documents."""

KINDS = ("judged relevant", "judged nonrelevant", "pooled, unjudged", "outside the pool")
"""The kinds of documents, the columns of the table."""

DEFINITIONS: tuple[Rule, ...] = (
    (
        "A document is so if it has",
        (
            "a judgment of at least -l, whether --pool has it or not",
            "a judgment from 0 up, below -l, whether --pool has it or not",
            "a negative judgment (-1, -2, ...), or a line in --pool and no judgment",
            "neither",
        ),
    ),
    ("relstring shows", ("its grade", "its grade", ".", "-")),
    ("A gain is given to it as", ("GRADE=GAIN", "GRADE=GAIN", "-2=GAIN", "-1=GAIN")),
)

BELOW_0: Rule = (
    "The same with -l below 0, but for R, utility and the set measures, which count judged documents only",
    ("relevant", "relevant", "relevant if -l is -2 or less", "relevant"),
)
"""After the measures that take unjudged documents for nonrelevant."""

READINGS: tuple[Rule, ...] = (
    ("-J, or the reading skip, lets it", ("stay", "stay", "vanish from the ranking", "vanish from the ranking")),
    (
        "The reading rel takes it for",
        (
            "relevant",
            "nonrelevant",
            "relevant if it was retrieved, and R grows",
            "relevant if it was retrieved, and R grows",
        ),
    ),
)

JUDGED_COUNTS_AS = {
    UnjudgedEffect.UNJUDGED: ("judged", "judged"),
    UnjudgedEffect.RETRIEVED: ("retrieved", "retrieved"),
    UnjudgedEffect.LIKE_STRATUM: ("a sample of its stratum", "a sample of its stratum"),
    UnjudgedEffect.NO_GAIN: ("its gain", "its gain"),
}
"""What judged documents count as, by what pooled ones do; others are relevant or not, or have a gain."""


def rows_of_measures() -> Iterator[Rule]:
    """Yield what documents count as, a row for all measures that declare the same, by family.

    Without preferences, which are not about single documents, and without what is no number.
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
        verb = "takes" if len(names) == 1 else "take"
        yield f"{listed}{needs} {verb} it for", (relevant, nonrelevant, pooled, outside)
        if (needs, pooled, outside) == ("", plain, plain):
            yield BELOW_0


def _counts_as(measure: Measure) -> tuple[str, str, str, str]:
    pooled, outside = measure.pooled, measure.outside
    default = ("its gain", "its gain") if isinstance(measure.kind, Gains) else ("relevant", "nonrelevant")
    return *JUDGED_COUNTS_AS.get(pooled, default), pooled.value, outside.value


RULES: tuple[Rule, ...] = (*DEFINITIONS, *rows_of_measures(), *READINGS)
"""What is said of each kind of documents, a row each."""
