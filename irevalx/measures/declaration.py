"""The declaration of measures: the class Measure, the decorator, custom measures, and measures of packages."""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from functools import cache
from typing import Any, Literal, TypeAlias

import numpy as np

from irevalx.arrays.segments import BoolArray
from irevalx.errors import UsageError, printable, quote
from irevalx.frozen import Frozen, replace
from irevalx.measures.bibliography import papers_cited, with_references
from irevalx.measures.parameter_kinds import Kernel, NoParameters, ParameterKind, Parameters
from irevalx.measures.summaries import Summary, Values, mean
from irevalx.reading.formats import REL_FORMATS
from irevalx.settings import PROBABILITY, UNJUDGED_TREATMENTS, UnjudgedTreatment
from irevalx.wording import spelled

Number: TypeAlias = Literal["real", "integer", "text"]
"""The formats in which measure values are printed."""

HasValue: TypeAlias = Callable[[Any], BoolArray]
"""A function that receives the topics of a kernel and returns a mask of the topics that have a value. The shape is
(n_topics,)."""

WhyUnsupported: TypeAlias = "Callable[[Any, Parameters], str | None]"
"""A function that returns an error if a measure does not support the judgments, or None if the judgments are supported.
The arguments are all judged topics and the parameters of the measure."""

NO_PARAMETERS = NoParameters()

GRADES = frozenset({"qrels"})
"""The formats of judgments that most measures require."""

NONREL: tuple[UnjudgedTreatment, ...] = ("nonrel",)
"""The treatments that a measure supports if it counts unjudged documents or requires another judgment format."""

NONREL_AND_SKIP: tuple[UnjudgedTreatment, ...] = ("nonrel", "skip")
"""The treatments that a measure supports if it does not treat unjudged documents as nonrelevant."""

NO_FORMULA = "over random tie-breaking has no simple formula"
"""The end of the explanation why a measure does not support ``--ties expected``."""

NO_EXPECTATION = {PROBABILITY: "its expectation over independent judgments has no simple formula"}
"""The explanation why a measure does not support grades that are probabilities."""

UNDEFINED = math.copysign(math.nan, -1.0)
"""The result of 0/0 in C on x86, which is printed as ``-nan``."""


def c_log(x: float, log: Callable[[float], float] = math.log) -> float:
    """Return a logarithm like C, with the value minus infinity for 0 and ``UNDEFINED`` for negative numbers."""
    if x > 0:
        return log(x)
    return -math.inf if x == 0 else UNDEFINED


class Range(Frozen):
    """The range of a measure's values, for the help and the axes of figures. Parameters have their default values."""

    low: float = -math.inf
    """The lower bound, or -inf if there is no lower bound. ``high`` is infinite if there is no upper bound."""
    high: float = math.inf
    usually_at_most: float | None = None
    """An upper bound that few values exceed, or None if ``high`` is the upper bound."""
    only_bounds: bool = False
    """Whether the bounds are the only values, so that a mean is a proportion."""
    wording: str | None = None
    """The description of the range in the help, unless it is "0 to 1", "0 or 1", "from 0 up" or "any number"."""

    @property
    def words(self) -> str:
        """The description of the range in the help."""
        if self.wording is not None:
            return self.wording
        if math.isinf(self.low):
            return "any number" if math.isinf(self.high) else f"up to {_number(self.high)}"
        if math.isinf(self.high):
            return f"from {_number(self.low)} up"
        return f"{_number(self.low)} {'or' if self.only_bounds else 'to'} {_number(self.high)}"

    @property
    def is_share(self) -> bool:
        """Whether nearly all values are between 0 and 1, so that measures can be plotted on a common axis."""
        return self.low >= 0 and (self.high if self.usually_at_most is None else self.usually_at_most) <= 1


def _number(x: float) -> str:
    """Format a number without an exponent, as in "0.00001"."""
    return f"{x:.5f}".rstrip("0").rstrip(".")


ZERO_TO_ONE = Range(0, 1)
MOSTLY_ZERO_TO_ONE = Range(0, usually_at_most=1, wording="0 to 1, rarely above")
ABOUT_ONE_AT_MOST = Range(0, usually_at_most=1, wording="0 or more, rarely above 1")
FROM_ZERO = Range(0)
COUNT = Range(0, wording="integers of 0 or more")
TEXT = Range(wording="text")


class UnjudgedEffect(Enum):
    """The ways in which measures treat retrieved unjudged documents. The values are the phrases used in the help."""

    NONRELEVANT = "treated as nonrelevant"
    NOTHING = "ignored"
    NOT_THERE = "removed from the ranking"
    UNJUDGED = "counted as unjudged"
    RETRIEVED = "counted as retrieved"
    NO_GAIN = "given a gain of 0"
    GAIN_FOR_POOLED = "given the gain of -2 (default 0)"
    GAIN_FOR_OUTSIDE = "given the gain of -1 (default 0)"
    LIKE_JUDGED_ABOVE = (
        "assumed to be relevant with a probability that is estimated from the judged documents ranked above it"
    )
    LIKE_STRATUM = "assumed to be relevant at the rate of the sampled documents of its stratum"
    RANDOMLY_THERE = "treated as nonrelevant and kept with probability p"
    AS_ITS_FUNCTION_SAYS = "treated as the function of the measure defines"
    DOT = 'printed as "."'
    DASH = 'printed as "-"'

    @property
    def is_left_out(self) -> bool:
        """Whether removing retrieved unjudged documents (``-J``) leaves the value of the measure unchanged."""
        return self in {UnjudgedEffect.NOTHING, UnjudgedEffect.NOT_THERE}


class UpperBound(Enum):
    """The condition under which the treatment ``rel`` yields an upper bound.

    The values are the phrases used in the help.

    If a measure has an upper bound, its value cannot decrease when unjudged documents are found to be relevant.
    """

    NEVER = "not an upper bound on the value under complete judgments"
    ALWAYS = "an upper bound on the value under complete judgments"
    BINARY_GAINS = f"{ALWAYS} if all grades are 0 or 1, -l is 1 and no gains are given"


class Measure(Frozen, kw_only=True):
    """A measure with its name, kernel, summary, printed format and documentation."""

    name: str
    """The name of the measure. If trec_eval has the measure, the name is the same."""
    value_range: Range
    function: Kernel
    """The declared function. The docstring of this function is the documentation: a title, the definition, ``Formula:``
    and ``Source:``."""
    kernel: Kernel | None
    """The function that computes the value of each topic, or None if the measure has a value only in the `all` row and
    requires no ranking."""
    summary: Summary | None
    """The computation of the `all` row, or None if the measure has no value in this row."""
    kind: ParameterKind = NO_PARAMETERS
    number: Number = "real"
    """The format of printed values."""
    per_topic: bool = True
    """Whether ``-q`` prints the values of topics."""
    formats: frozenset[str] = GRADES
    """The formats of judgments (``-R``) from which the kernel can compute values."""
    treatments: tuple[UnjudgedTreatment, ...] = UNJUDGED_TREATMENTS
    needs_nonrelevant: bool = False
    """Whether the measure is not informative for a topic without judged nonrelevant documents."""
    higher_is_better: bool = True
    lower_is_better: bool = False
    """Whether lower values are better. If neither lower nor higher values are better, the measure is usually a count.
    """
    has_value: HasValue | None = None
    """A function that returns which topics have a value under the treatment ``nonrel``, regardless of the run, or None
    if all topics have one. Topics without a value are omitted from reports and summaries."""
    why_unsupported: WhyUnsupported | None = None
    """A function that returns an error if judgments in a supported format cannot be evaluated, or None if all judgments
    in a supported format can be evaluated."""
    refuses: Mapping[str, str] = {}
    """The explanation why an option is not supported, for each unsupported element of ``Settings.features``."""
    formulas: Mapping[str, Kernel] = {}
    """The function that replaces the kernel if an option is given. The keys are elements of ``Settings.features``."""
    of_topic: Callable[..., float] | None = None
    """A function that computes the value of one ``RankedTopic``, which is faster for short rankings, or None if the
    measure always uses the kernel. The values are exactly those of the kernel."""
    uses_level: bool = True
    """Whether ``-l`` affects the measure."""
    pooled: UnjudgedEffect
    """The treatment of retrieved documents that were pooled but not judged."""
    outside: UnjudgedEffect
    """The treatment of retrieved unpooled documents."""
    upper_bound: UpperBound = UpperBound.NEVER
    """The condition under which the treatment ``rel`` yields an upper bound."""
    without_results: str = "0"
    """The value of a topic without results under ``-c``."""

    def __matmul__(self, cutoff: int) -> str:
        """Return the request for the measure at a cutoff: ``my_measure @ 10``."""
        return f"{self.name}@{cutoff}"

    @property
    def direction(self) -> int:
        """1 if higher values are better, -1 if lower values are better, or 0 if neither is."""
        return int(self.higher_is_better) - int(self.lower_is_better)

    @property
    def prose(self) -> str:
        """The docstring of the declared function, without indentation."""
        return inspect.cleandoc(self.function.__doc__ or "")

    @property
    def family(self) -> str:
        """The module in which the measure is declared."""
        return self.function.__module__

    @property
    def title(self) -> str:
        """The first line of the prose."""
        return self.prose.partition("\n")[0].rstrip(".")

    @property
    def paragraphs(self) -> list[list[str]]:
        """The lines of each paragraph after the title, with citation keys expanded and the range inserted."""
        parts = [re.split(r"\n(?=Formula:|Source:)", paragraph) for paragraph in self.prose.split("\n\n")[1:]]
        paragraphs = [[with_references(" ".join(part.split())) for part in paragraph] for paragraph in parts]
        last = paragraphs[-1] if paragraphs else []
        place = sum(line.startswith("Formula: ") for line in last)
        return [*paragraphs[:-1], [*last[:place], f"Range: {self.value_range.words}.", *last[place:]]]

    @property
    def papers(self) -> list[str]:
        """The keys of the papers cited in the documentation, in order of citation."""
        return papers_cited(self.prose)

    @property
    def formula(self) -> str:
        """The formula in the documentation, or "" if there is none."""
        lines = [line for paragraph in self.paragraphs for line in paragraph]
        matches = (re.fullmatch(r"Formula: (.+?)\.", line) for line in lines)
        return next((match[1] for match in matches if match), "")

    def can_use(self, rel_format: str) -> bool:
        """Return whether the measure supports a format of judgments. Without a kernel, it supports every format."""
        return self.kernel is None or not self.formats.isdisjoint({rel_format, REL_FORMATS[rel_format].measures_of})

    def format_problem(self, rel_format: str) -> str | None:
        """Return an error if the measure does not support a format of judgments, or None if the format is supported."""
        if self.can_use(rel_format):
            return None
        return (
            f"measure {quote(self.name)} requires judgments in the format {' or '.join(sorted(self.formats))} "
            f"({spelled('rel_format')}), not {rel_format}"
        )

    def __call__(self, t: Any, parameters: Parameters) -> Sequence[Values]:
        """Return the values of the topics ``t``, for each printed name of the measure."""
        if self.kernel is None:
            raise TypeError(f"{self.name} has no value for a topic")
        with np.errstate(all="ignore"):
            return self.unguarded(t, parameters)

    def unguarded(self, t: Any, parameters: Parameters) -> Sequence[Values]:
        """Return the same values as ``__call__``, but without disabling NumPy's warnings about NaN and infinity."""
        assert self.kernel is not None
        return self.kind.apply(self.formulas.get(getattr(t, "feature", ""), self.kernel), t, parameters)


def measure(
    name: str,
    value_range: Range,
    *,
    summary: Summary | None = mean,
    unjudged: UnjudgedEffect = UnjudgedEffect.NONRELEVANT,
    pooled: UnjudgedEffect | None = None,
    outside: UnjudgedEffect | None = None,
    **declared: Any,
) -> Callable[[Kernel], Measure]:
    """Return a decorator that turns a kernel into a Measure. ``pooled`` and ``outside`` default to ``unjudged``."""
    return lambda kernel: Measure(
        name=name,
        value_range=value_range,
        function=kernel,
        kernel=kernel,
        summary=summary,
        pooled=pooled or unjudged,
        outside=outside or unjudged,
        **declared,
    )


def summary_only(name: str, value_range: Range, *, summary: Summary, number: Number) -> Callable[[Kernel], Measure]:
    """Return a decorator that declares a measure with a value only in the `all` row.

    The body of the decorated function is empty; only its docstring is used.
    """
    declare = measure(
        name,
        value_range,
        summary=summary,
        number=number,
        per_topic=False,
        treatments=NONREL,
        higher_is_better=False,
        uses_level=False,
    )
    return lambda function: replace(declare(function), kernel=None)


GROUP = "irevalx.measures"
"""The group of entry points in which packages list their measures as ``NAME = "module:object"``."""

ADDED: dict[str, Measure] = {}
"""The custom measures that were declared, by name and in the order of declaration, which is their print order."""


def add(measure: Measure) -> None:
    """Register a custom measure, which replaces a measure of the same name only if both are from the same module."""
    family, there = measure.family, ADDED.get(measure.name, measure).family
    if family != there:
        raise UsageError(f"measure name {quote(measure.name)} is already taken by a measure of {there}")
    ADDED[measure.name] = measure


@cache
def load_offered() -> tuple[str, ...]:
    """Load the measures of installed packages, and return a message for each measure that cannot be loaded."""
    from importlib.metadata import entry_points  # imported here because it is slow and few calls need it

    problems = []
    for entry in entry_points(group=GROUP):
        try:
            offered = entry.load()
        except Exception as error:  # noqa: BLE001 - importing a package can raise any exception
            problem = f"it raised {type(error).__name__}: {error}"
        else:
            if isinstance(offered, Measure):
                continue
            problem = f"{entry.value} is not a measure declared with irevalx.measure: {type(offered).__name__}"
        package = entry.dist.name if entry.dist else entry.module
        problems.append(printable(f"the measure {quote(entry.name)} of {package} cannot be loaded: {problem}"))
    return tuple(problems)
