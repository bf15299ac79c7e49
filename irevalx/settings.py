"""The settings of an evaluation: the options that determine the measure values."""

import math
from contextlib import suppress
from typing import Annotated, Any, Literal, TypeAlias, get_args

from irevalx.checks import ValueType, identifier, is_long, is_whole, read_real, read_whole, real_number
from irevalx.declarations import Parameter, choice, collect, flag, number, whole
from irevalx.errors import ArgumentError
from irevalx.frozen import Frozen, cached_property, values
from irevalx.process.platform import as_bytes
from irevalx.trec_eval import COMPAT, TREC_EVAL_10, Compat
from irevalx.wording import invalid_value, is_parameter, spelled, spelled_rule

UnjudgedTreatment: TypeAlias = Literal["nonrel", "skip", "rel"]
"""The treatments of unjudged documents: as the measure defines (mostly nonrelevant), removed, or relevant if
retrieved."""

UNJUDGED_TREATMENTS: tuple[UnjudgedTreatment, ...] = get_args(UnjudgedTreatment)


Grades: TypeAlias = Literal["whole", "real", "probability", "label"]
"""The types of grades: integers, which are read as in trec_eval, real numbers, or independent probabilities of
relevance, with which measure values are expected values. A label is a number, or NaN if it is missing. Labels are
compared with each other; runs are not evaluated with labels."""

GRADES: tuple[Grades, ...] = ("whole", "real", "probability")
"""The types of grades that ``--grades`` accepts."""

Ties: TypeAlias = Literal["name", "rank", "first", "expected", "best", "worst"]
"""The orders of documents with equal scores: by document ID, as in trec_eval; by the RANK column; in file order; the
expected value over random tie-breaking; by grade or gain, highest first; or highest last."""

TIES: tuple[Ties, ...] = get_args(Ties)

ORDERS_OF_TIES: tuple[Ties, ...] = ("expected", "best", "worst")
"""The tie orders that depend on grades. Measures in these orders require the groups of tied documents."""

ORDERS_OF_FILES: tuple[Ties, ...] = tuple(ties for ties in TIES if ties not in ORDERS_OF_TIES)
"""The tie orders that do not depend on grades."""

BEST_AND_WORST: tuple[Ties, ...] = ("best", "worst")
"""The tie orders that depend on grades and are a single ranking, in contrast to "expected"."""

Duplicates: TypeAlias = Literal["error", "first", "best"]
"""The treatments of a document that a run retrieves twice for a topic: "error" rejects the run, as in trec_eval;
"first" uses the first line of the document; and "best" uses the line with the highest score."""

DUPLICATES: tuple[Duplicates, ...] = get_args(Duplicates)


def remedy_for_duplicates() -> str:
    """Return the end of a message about a document that a run retrieves twice for a topic."""
    return f"; keep one of them with {spelled('duplicates', 'first')} or {spelled('duplicates', 'best')}"


REAL = "grades=real"
PROBABILITY = "grades=probability"
EXPECTED = "ties=expected"
EXPECTED_OF_FIRST = "ties=expected and max_retrieved"
"""Settings in the notation of declarations. Measures use the strings as keys of ``Measure.refuses`` and
``Measure.formulas``."""


NAME_STYLES = ("trec_eval", "asked")
"""The styles of value names (``--names``) in the command and in Python: the names that trec_eval prints, or the names
that the user requested."""


INTERVAL_METHODS = ("t", "bootstrap")
"""The methods of confidence intervals for means (``--ci-method``): Student's t distribution, or the BCa bootstrap."""


def _level(value: Any) -> float:
    """Return the relevance threshold as a finite number, which is an int if the value is an integer."""
    level = value if is_whole(value) else real_number("", value)
    if level is None or not math.isfinite(level) or (level == int(level) and not is_long(int(level))):
        raise ValueError(value)
    return int(level) if level == int(level) else level


def read_level(text: str) -> float:
    """Convert a string to a number. An integer is converted exactly, even if a float cannot represent it."""
    with suppress(ValueError):
        return read_whole(text)
    return read_real(text)


def real_level_hint() -> str:
    """Return the hint that is added to a message about a level that is not an integer."""
    return f"; fractional levels require {spelled('grades', 'real')}" if is_parameter("grades") else ""


def _compat(value: Any) -> Compat:
    if isinstance(value, Compat):
        return value
    if (name := identifier("", value)) not in COMPAT:
        raise ValueError(value)
    return COMPAT[name]


def _orders(value: Any) -> Ties | tuple[Ties, ...]:
    """Return the requested order of tied documents, or a tuple if several of ``ORDERS_OF_TIES`` are requested."""
    words = value.replace(" ", "").split(",") if isinstance(value, str) else [*value]
    if len(words) == 1 and words[0] in TIES:
        return TIES[TIES.index(words[0])]
    if len(words) < 2 or len(set(words)) < len(words) or not set(words) <= set(ORDERS_OF_TIES):
        raise ValueError(value)
    return tuple(order for order in words if order in TIES)


_TIES = ValueType(f"one of {', '.join(TIES)}, or a list of the last three, such as best,worst", _orders, choices=TIES)

_TOPIC = ValueType("", lambda value: as_bytes(identifier("", value)))
_LEVEL = ValueType("a 64-bit integer, or a finite number if grades are real", _level, read_level)
_COMPAT = Parameter(
    kind=ValueType(" or ".join(reversed(COMPAT)), _compat, choices=tuple(reversed(COMPAT))),
    shell_default=next(name for name, compat in COMPAT.items() if compat is TREC_EVAL_10),
)


class Settings(Frozen, kw_only=True):
    """The settings that determine measure values. The settings are declared once for Python, the command and Spark.

    Parameters
    ----------
    complete : average over all judged topics; a topic missing from the run scores 0. By default, such topics are
        excluded from the averages, with a warning.
    level : relevance threshold: grades of at least this value are relevant; an integer unless `grades="real"`.
    grades : type of the grades: integers (whole), real numbers (real) or probabilities of relevance (probability). Real
        numbers are used as gains. With probabilities, measure values are expected values, assuming that documents are
        independently relevant.
    judged_only : remove unjudged documents from the rankings before evaluation.
    max_retrieved : maximum number of documents to evaluate per topic. [default: all; 1000 for samples]
    collection_size : number of documents in the collection, required by the measure utility.
    topic : evaluate only this topic.
    unjudged : treatments of unjudged documents (nonrel, skip, rel) with which to compute each measure that supports
        them. With nonrel, unjudged documents are treated as in the definition of the measure, mostly as nonrelevant;
        with skip, they are removed, as with `judged_only=True`; and with rel, they are treated as relevant if
        retrieved. Treating them as relevant yields an upper bound for P, success, recip_rank, recip_rank_cut, set_P,
        num_rel_ret and, with grades 0 and 1, rbp, but not for other measures.
    ties : order of documents with equal scores: name, rank, first, best, worst or expected. Tied documents are sorted
        by document ID, as in trec_eval (name), by the RANK column (rank), in file order (first), or by grade or gain,
        highest first (best) or last (worst). With expected, each value is the expected value over random tie-breaking;
        some measures do not support it. Several of expected, best and worst can be combined, as in
        `expected,best,worst`: each measure is computed with each of them (`map:expected` and so on), and `map:width` is
        the difference between best and worst.
    ignore_identical_ids : remove retrieved documents whose ID equals the ID of the topic.
    duplicates : treatment of a document that a run retrieves twice for a topic: raise an error (error), or use only its
        first line (first) or the line with its highest score (best).
    infap_c : the constant c of infAP, at least 1. If no document ranked above a relevant document was judged, a
        fraction 1/c of the pooled documents above it is assumed to be relevant. [default: 2]
    infap_epsilon : the smoothing constant of infAP, above 0. [default: 0.00001]
    sample_rate : fraction of the pool that was judged, for subAP. [default: estimated for each topic]
    compat : version of trec_eval to emulate: 10.0 (10) or 9.0.8 (9).
    """

    complete: Annotated[bool, flag(names=("-c", "--complete_rel_info_wanted"))] = False
    level: Annotated[float, Parameter(kind=_LEVEL, names=("-l", "--level_for_rel"))] = 1
    grades: Annotated[Grades, choice(*GRADES, excludes={"probability": "level"})] = "whole"
    judged_only: Annotated[bool, flag(names=("-J", "--Judged_docs_only"))] = False
    max_retrieved: Annotated[int | None, whole(0, names=("-M", "--Max_retrieved_per_topic"))] = None
    collection_size: Annotated[int, whole(names=("-N", "--Number_docs_in_coll"))] = 0
    topic: Annotated[bytes | None, Parameter(kind=_TOPIC, names=("-D",))] = None
    unjudged: Annotated[
        tuple[UnjudgedTreatment, ...], choice(*UNJUDGED_TREATMENTS, several=True, metavar="TREATMENT,...")
    ] = ()
    ties: Annotated[Ties | tuple[Ties, ...], Parameter(kind=_TIES, metavar="ORDER")] = "name"
    ignore_identical_ids: Annotated[bool, flag()] = False
    duplicates: Annotated[Duplicates, choice(*DUPLICATES, metavar="WHICH")] = "error"
    infap_c: Annotated[float | None, number(least=1, metavar="C")] = None
    infap_epsilon: Annotated[float | None, number(above=0, metavar="E")] = None
    sample_rate: Annotated[float | None, number(above=0, most=1, metavar="P")] = None
    compat: Annotated[Compat, _COMPAT] = TREC_EVAL_10

    @cached_property
    def values(self) -> tuple[Any, ...]:
        """The values of the fields."""
        return values(self)

    @property
    def tie_orders(self) -> tuple[Ties, ...]:
        """The requested orders of documents with equal scores. There is at least one order."""
        return self.ties if isinstance(self.ties, tuple) else (self.ties,)

    @property
    def features(self) -> tuple[str, ...]:
        """The active settings that some measures do not support, written like the keys of ``Measure.refuses``."""
        grades = () if self.grades == "whole" else (f"grades={self.grades}",)
        expected = "expected" in self.tie_orders
        return grades + (EXPECTED,) * expected + (EXPECTED_OF_FIRST,) * (expected and self.max_retrieved is not None)

    @classmethod
    def of(cls, **keywords: Any) -> "Settings":
        """Return settings from keywords of ``irevalx.evaluate``. Raise TypeError for an unknown keyword."""
        if not keywords:
            return _DEFAULT
        if unknown := keywords.keys() - PARAMETERS.keys():
            raise TypeError(f"unknown keyword {min(unknown)!r}; valid keywords: {', '.join(PARAMETERS)}")
        settings = cls(**{name: PARAMETERS[name].checked(value) for name, value in keywords.items()})
        settings.check()
        return settings

    def check(self) -> None:
        """Raise ArgumentError if the values of several settings cannot be combined."""
        if self.grades != "real" and self.level != int(self.level):
            raise ArgumentError(invalid_value("level", "an integer", self.level) + real_level_hint())
        if self.grades == "probability" and self.level != 1:
            raise ArgumentError(f"{spelled('level')} cannot be combined with {spelled_rule(PROBABILITY)}")
        if self.grades == "probability" and self.tie_orders[0] in ORDERS_OF_TIES:
            given = ",".join(self.tie_orders)
            raise ArgumentError(f"{spelled('ties', given)} cannot be combined with {spelled_rule(PROBABILITY)}")
        if self.max_retrieved is not None and self.max_retrieved < 0:
            raise ArgumentError(invalid_value("max_retrieved", "at least 0", self.max_retrieved))


PARAMETERS = collect(Settings).parameters
"""The declaration of each setting, as a dictionary with the names of the settings as keys."""

_DEFAULT = Settings()
