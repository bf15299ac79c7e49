"""Settings: all that the values of an evaluation depend on, and no more."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Literal, TypeAlias, TypeVar, get_args

from irevalx.errors import UsageError, quote
from irevalx.frozen import Frozen, cached_property, values
from irevalx.process.system import as_bytes
from irevalx.trec_eval.numbers import c_double
from irevalx.trec_eval.versions import TREC_EVAL_10, Compat, read_version

Name = TypeVar("Name", bound=str)

Reading: TypeAlias = Literal["nonrel", "skip", "rel"]
"""What unjudged documents are taken for: nonrelevant ones (or what the measure makes of them), as good as not
retrieved, or relevant ones as far as they were retrieved."""

READINGS: tuple[Reading, ...] = get_args(Reading)


Grades: TypeAlias = Literal["whole", "real", "probability", "label"]
"""What the grades of judgments are: whole numbers, as trec_eval reads them; real numbers; or probabilities that a
document is relevant, independently of the others, so that values are expectations. A label is a number or missing
(nan); labels are compared with each other, and no run is evaluated with them as they are."""

GRADES: tuple[Grades, ...] = ("whole", "real", "probability")
"""The values of ``--grades``."""

Ties: TypeAlias = Literal["name", "rank", "first", "expected", "best", "worst"]
"""How documents with equal scores are ordered: by name, as trec_eval does; by the column of ranks; as they stand in the
file; in all orders, of which values are the mean; the greatest grade or gain first; or last."""

TIES: tuple[Ties, ...] = get_args(Ties)

ORDERS_OF_TIES: tuple[Ties, ...] = ("expected", "best", "worst")
"""Those that depend on grades, so that documents with equal scores must be known when they are assessed."""

BEST_AND_WORST: tuple[Ties, ...] = ("best", "worst")
"""Those of these that are one order."""

Duplicates: TypeAlias = Literal["error", "first", "best"]
"""What becomes of a document that a run retrieves twice for a topic: an error, as in trec_eval; its first line counts;
its greatest score does."""

DUPLICATES: tuple[Duplicates, ...] = get_args(Duplicates)

REAL = "--grades real"
PROBABILITY = "--grades probability"
EXPECTED = "--ties expected"
EXPECTED_OF_FIRST = "--ties expected and -M"
"""What a measure may not be defined with, or by another formula: keys of ``Measure.refuses`` and ``formulas``."""


NAMINGS = ("trec_eval", "asked")
"""How values may be called (``--names``): as trec_eval prints them, or as they were asked for. The values themselves do
not depend on it; it is here because the command and Python programs have it in common."""


IntervalMethod: TypeAlias = Literal["t", "bootstrap"]
"""How intervals of means are made (``--ci-method``): from Student's t distribution, or by a bootstrap (BCa). They stand
beside the values, which do not depend on them."""

INTERVAL_METHODS: tuple[IntervalMethod, ...] = get_args(IntervalMethod)


def read_reading(text: str) -> Reading:
    """Return the reading with this name.

    Raises
    ------
    UsageError : there is none.
    """
    return _one_of("a reading of the unjudged", READINGS, text)


def read_grades(text: str) -> Grades:
    """Return what grades are called so; UsageError where none are."""
    return _one_of("--grades", GRADES, text)


def _one_of(what: str, names: tuple[Name, ...], text: str) -> Name:
    """Return the name that a text is; UsageError where it is none of them."""
    for name in names:
        if name == text:
            return name
    raise UsageError(f"{what} must be one of {', '.join(names)}, but got {quote(text)}")


class Bound(Frozen):
    """What a real number must be.

    Parameters
    ----------
    rule : in words: the number must be "...".
    holds : whether a finite number is.
    """

    rule: str
    holds: Callable[[float], bool]

    def read(self, text: str) -> float | None:
        """Read a number; None where it is not plain or out of bounds."""
        number, plain = c_double(as_bytes(text))
        return number if plain and self.holds(number) else None


INFAP_C = Bound("a number of at least 1", lambda x: x >= 1)
INFAP_EPSILON = Bound("a number above 0", lambda x: x > 0)
SAMPLE_RATE = Bound("a number above 0 and at most 1", lambda x: 0 < x <= 1)


_READ: dict[str, Callable[[Any], Any]] = {
    "grades": read_grades,
    "topic": lambda topic: None if topic is None else as_bytes(topic),
    "unjudged": lambda readings: tuple(map(read_reading, readings)),
    "ties": lambda ties: _one_of("--ties", TIES, ties),
    "duplicates": lambda which: _one_of("--duplicates", DUPLICATES, which),
    "compat": read_version,
}
"""Of keywords that are not what a field holds, what makes it of them; raises UsageError."""


class Settings(Frozen, kw_only=True):
    """What an evaluation is to do with judgments and runs; ``of`` builds it from a program's keywords."""

    level: float = 1
    """The least judgment that counts as relevant (``-l``); a whole number unless grades are real."""

    grades: Grades = "whole"
    """What the grades of the judgments are (``--grades``)."""

    complete: bool = False
    """Average over every judged topic (``-c``)."""

    judged_only: bool = False
    """Remove unjudged documents from the rankings first (``-J``)."""

    max_retrieved: int | None = None
    """Evaluate this number of a topic's first documents, at least 0 (``-M``). None stands for all, or for as many as
    the judgments are made for."""

    collection_size: int = 0
    """Documents in the collection, for utility; 0 where it is unknown (``-N``)."""

    topic: bytes | None = None
    """The only topic to evaluate (``-D LEVEL.TOPIC``); None for all."""

    unjudged: tuple[Reading, ...] = ()
    """The readings of unjudged documents that every measure is computed in (``--unjudged``); none: its own."""

    ties: Ties = "name"
    """How documents with equal scores are ordered (``--ties``)."""

    ignore_identical_ids: bool = False
    """Drop retrieved documents whose id is that of the topic (``--ignore-identical-ids``)."""

    duplicates: Duplicates = "error"
    """What becomes of a document that a run has twice for a topic (``--duplicates``)."""

    infap_c: float | None = None
    """The constant c of infAP, at least 1; None stands for the measure's own (``--infap-c``)."""

    infap_epsilon: float | None = None
    """The smoothing constant of infAP, above 0; None stands for the measure's own (``--infap-epsilon``)."""

    sample_rate: float | None = None
    """The p of subAP, above 0 and at most 1; None stands for that of the judgments, topic by topic
    (``--sample-rate``)."""

    compat: Compat = TREC_EVAL_10
    """The version of trec_eval that is followed (``--compat``)."""

    @cached_property
    def values(self) -> tuple[Any, ...]:
        """The values of the fields, in order."""
        return values(self)

    @property
    def features(self) -> tuple[str, ...]:
        """The options given that not every measure is defined with, as they are typed: keys of ``Measure.refuses``."""
        grades = () if self.grades == "whole" else (f"--grades {self.grades}",)
        expected = self.ties == "expected"
        return grades + (EXPECTED,) * expected + (EXPECTED_OF_FIRST,) * (expected and self.max_retrieved is not None)

    @classmethod
    def of(cls, **keywords: Any) -> Settings:
        """Build settings from keywords of ``irevalx.evaluate``, whose names are those of the fields.

        Raises
        ------
        UsageError : a value out of bounds.
        """
        settings = cls(**{name: _READ[name](value) if name in _READ else value for name, value in keywords.items()})
        settings.check()
        return settings

    def check(self) -> None:
        """Refuse numbers that are out of bounds.

        Raises
        ------
        UsageError : names the option of the command, and what it must be.
        """
        for number, bound, name in (
            (self.infap_c, INFAP_C, "--infap-c"),
            (self.infap_epsilon, INFAP_EPSILON, "--infap-epsilon"),
            (self.sample_rate, SAMPLE_RATE, "--sample-rate"),
        ):
            if number is not None and not (math.isfinite(number) and bound.holds(number)):
                raise UsageError(f"{name} must be {bound.rule}, but got {number}")
        if self.grades != "real" and self.level != int(self.level):
            raise UsageError(f"-l must be a whole number, but got {self.level:g}; --grades real takes it")
        if self.grades == "probability" and self.level != 1:
            raise UsageError(f"-l and {PROBABILITY} must not be given together")
        if self.grades == "probability" and self.ties in ORDERS_OF_TIES:
            raise UsageError(f"--ties {self.ties} and {PROBABILITY} must not be given together")
        if self.max_retrieved is not None and self.max_retrieved < 0:
            raise UsageError(f"-M must be at least 0, but got {self.max_retrieved}")
