"""How a measure is declared: the record, what its fields may say, and the decorator that makes one of a kernel."""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from typing import Any, Literal, TypeAlias

import numpy as np

from irevalx.arrays.segments import BoolArray
from irevalx.frozen import Frozen, replace
from irevalx.measures.bibliography import papers_cited, with_references
from irevalx.measures.parameter_kinds import Kernel, Kind, NoParameters, Parameters
from irevalx.measures.summary import Summary, Values
from irevalx.reading.formats import REL_FORMATS
from irevalx.settings import PROBABILITY, UNJUDGED_TREATMENTS, UnjudgedTreatment

Number: TypeAlias = Literal["real", "integer", "text"]
"""How values are printed."""

HasValue: TypeAlias = Callable[[Any], BoolArray]
"""From n topics, as a kernel sees them, to which of them have a value: shape (n_topics,)."""

WhyUnsupported: TypeAlias = "Callable[[Any, Parameters], str | None]"
"""From all judged topics, as a kernel sees them, and the parameters to what is wrong with the judgments; None where
nothing is."""

NO_PARAMETERS = NoParameters()

GRADES = frozenset({"qrels"})
"""The format of judgments that most measures need."""

NONREL: tuple[UnjudgedTreatment, ...] = ("nonrel",)
"""The readings of a measure that is about the unjudged, or needs another format of judgments."""

NONREL_AND_SKIP: tuple[UnjudgedTreatment, ...] = ("nonrel", "skip")
"""The readings of a measure that does not take the unjudged for nonrelevant."""

NO_FORMULA = "over all orders of documents with equal scores has no simple formula"
"""The end of the reason why a measure has no expected value with ``--ties expected``."""

NO_EXPECTATION = {PROBABILITY: "its expectation over independent judgments has no simple formula"}
"""The reason why a measure has no expected value where grades are probabilities."""

UNDEFINED = math.copysign(math.nan, -1.0)
"""What 0/0 is on the machines that trec_eval runs on: printed ``-nan``."""


class Range(Frozen):
    """Which values a measure can have, with its usual parameters and no level below 0.

    Its help says so, axes of figures end there, and the tests hold it to that.

    Parameters
    ----------
    low, high : the least and the greatest value; infinite where there is none.
    usually_at_most : what few values exceed, if any, though they can. None where ``high`` says all.
    said : how the help says it, where it is not "0 to 1", "from 0 up" or "any number".
    """

    low: float = -math.inf
    high: float = math.inf
    usually_at_most: float | None = None
    said: str | None = None

    @property
    def words(self) -> str:
        """The range as the help says it."""
        if self.said is not None:
            return self.said
        if math.isinf(self.low):
            return "any number" if math.isinf(self.high) else f"up to {_number(self.high)}"
        return (
            f"from {_number(self.low)} up" if math.isinf(self.high) else f"{_number(self.low)} to {_number(self.high)}"
        )

    @property
    def is_share(self) -> bool:
        """Whether values are from 0 to 1, a few perhaps above: such measures can share an axis."""
        return self.low >= 0 and (self.high if self.usually_at_most is None else self.usually_at_most) <= 1


def _number(x: float) -> str:
    """Return a number without exponent: ``0.00001``."""
    return f"{x:.5f}".rstrip("0").rstrip(".")


ZERO_TO_ONE = Range(0, 1)
MOSTLY_ZERO_TO_ONE = Range(0, usually_at_most=1, said="0 to 1, rarely above")
ABOUT_ONE_AT_MOST = Range(0, usually_at_most=1, said="from 0 up; about 1 at most")
FROM_ZERO = Range(0)
COUNT = Range(0, said="whole numbers from 0 up")
TEXT = Range(said="text")


class CountsAs(Enum):
    """What a measure takes a retrieved document for that has no judgment; the values are the words of the help."""

    NONRELEVANT = "nonrelevant"
    NOTHING = "nothing"
    NOT_THERE = "not there"
    UNJUDGED = "unjudged"
    RETRIEVED = "retrieved"
    NO_GAIN = "a gain of 0"
    GAIN_FOR_POOLED = "the gain given for -2, or 0"
    GAIN_FOR_OUTSIDE = "the gain given for -1, or 0"
    LIKE_JUDGED_ABOVE = "relevant as often as those judged above the same document"
    LIKE_STRATUM = "what is estimated from the sample of its stratum"
    RANDOMLY_THERE = "nonrelevant, and there with probability p"
    AS_ITS_FUNCTION_SAYS = "its function says"
    DOT = '"."'
    DASH = '"-"'

    @property
    def is_left_out(self) -> bool:
        """Whether removing such documents from the ranking (``-J``) makes no difference."""
        return self in {CountsAs.NOTHING, CountsAs.NOT_THERE}


class UpperBound(Enum):
    """When the reading ``rel`` is an upper bound; the values are the words of the help.

    It is one for a measure that cannot fall if unjudged documents turn out to be relevant.
    """

    NEVER = "no upper bound on the value with all documents judged"
    ALWAYS = "an upper bound on the value with all documents judged"
    BINARY_GAINS = f"{ALWAYS} if all grades are 0 or 1, -l is 1 and no gains are given"


class Measure(Frozen, kw_only=True):
    """A measure: what it is called, how it is computed, summarised, printed and explained.

    Parameters
    ----------
    name : trec_eval's spelling.
    value_range : which values it can have.
    function : what was declared. Its docstring is the prose: the first line is the title; then definition,
        ``Formula:``, ``Source:``.
    kernel : the same; None for a measure that only the `all` row has, and that needs no ranking.
    summary : None for a measure that the `all` row does not have.
    kind : its parameters.
    number : how its values are printed.
    per_topic : whether ``-q`` prints it.
    formats : the formats of judgments (``-R``) that the kernel can compute it from.
    readings : the readings of the unjudged that it has.
    needs_nonrelevant : whether it says little about a topic without any judged nonrelevant document.
    higher_is_better : whether a run with a greater value is the better one, and not only another one.
    lower_is_better : whether a run with a smaller value is; most measures of which neither is true count something.
    has_value : which topics have a value, whatever the run holds, seen in the reading ``nonrel``: the others have none
        in any report, and no part in the summary. None where all have one.
    why_unsupported : why the judgments do not allow it, though their format does; None where they always do.
    refuses : the options that it is not defined with, as ``Settings.features`` has them, each with the reason.
    formulas : what computes it in place of the kernel, by the option, as ``Settings.features`` has it.
    uses_level : whether ``-l`` makes a difference.
    pooled : what a retrieved document counts as that was pooled and not judged.
    outside : what a retrieved document counts as that is outside the pool.
    upper_bound : when the reading ``rel`` is an upper bound.
    without_results : what a topic without results counts as under ``-c``.
    """

    name: str
    value_range: Range
    function: Kernel
    kernel: Kernel | None
    summary: Summary | None
    kind: Kind = NO_PARAMETERS
    number: Number = "real"
    per_topic: bool = True
    formats: frozenset[str] = GRADES
    readings: tuple[UnjudgedTreatment, ...] = UNJUDGED_TREATMENTS
    needs_nonrelevant: bool = False
    higher_is_better: bool = True
    lower_is_better: bool = False
    has_value: HasValue | None = None
    why_unsupported: WhyUnsupported | None = None
    refuses: Mapping[str, str] = {}
    formulas: Mapping[str, Kernel] = {}
    uses_level: bool = True
    pooled: CountsAs
    outside: CountsAs
    upper_bound: UpperBound = UpperBound.NEVER
    without_results: str = "0"

    def __matmul__(self, cutoff: int) -> str:
        """Return how the measure is asked for at a cutoff: ``my_measure @ 10``."""
        return f"{self.name}@{cutoff}"

    @property
    def prose(self) -> str:
        """The docstring without indentation."""
        return inspect.cleandoc(self.function.__doc__ or "")

    @property
    def family(self) -> str:
        """The module that the measure is declared in."""
        return self.function.__module__

    @property
    def title(self) -> str:
        """What the measure is, in a few words."""
        return self.prose.partition("\n")[0].rstrip(".")

    @property
    def paragraphs(self) -> list[list[str]]:
        """The prose after the title, in paragraphs with papers in full, and after the formula which values it can have.

        In each ``Formula:``, ``Range:`` and ``Source:`` begin a line.
        """
        parts = [re.split(r"\n(?=Formula:|Source:)", paragraph) for paragraph in self.prose.split("\n\n")[1:]]
        paragraphs = [[with_references(" ".join(part.split())) for part in paragraph] for paragraph in parts]
        last = paragraphs[-1] if paragraphs else []
        place = sum(line.startswith("Formula: ") for line in last)
        return [*paragraphs[:-1], [*last[:place], f"Range: {self.value_range.words}.", *last[place:]]]

    @property
    def papers(self) -> list[str]:
        """The keys of the papers that it cites, in its order."""
        return papers_cited(self.prose)

    @property
    def formula(self) -> str:
        """The formula of the prose; empty where there is none."""
        lines = [line for paragraph in self.paragraphs for line in paragraph]
        found = (re.fullmatch(r"Formula: (.+?)\.", line) for line in lines)
        return next((match[1] for match in found if match), "")

    def can_use(self, rel_format: str) -> bool:
        """Return whether it can be computed from judgments in this format; without a kernel it always can."""
        return self.kernel is None or not self.formats.isdisjoint({rel_format, REL_FORMATS[rel_format].measures_of})

    def __call__(self, t: Any, parameters: Parameters) -> Sequence[Values]:
        """Return, for each printed name, one value per topic.

        Parameters
        ----------
        t : the topics, as the kernel wants them.

        Raises
        ------
        TypeError : the measure has no kernel.
        EvaluationError : the kernel refuses the parameters.
        """
        if self.kernel is None:
            raise TypeError(f"{self.name} has no value for a topic")
        with np.errstate(all="ignore"):
            return self.unguarded(t, parameters)

    def unguarded(self, t: Any, parameters: Parameters) -> Sequence[Values]:
        """Return the same where numpy's warnings about nan and infinity are off already."""
        assert self.kernel is not None
        return self.kind.apply(self.formulas.get(getattr(t, "feature", ""), self.kernel), t, parameters)


def measure(
    name: str,
    value_range: Range,
    *,
    unjudged: CountsAs = CountsAs.NONRELEVANT,
    pooled: CountsAs | None = None,
    outside: CountsAs | None = None,
    **declared: Any,
) -> Callable[[Kernel], Measure]:
    """Return a decorator that makes a measure of the kernel below it, whose docstring explains it. Registers nothing.

    Parameters
    ----------
    unjudged : what a retrieved document without judgment counts as; ``pooled`` and ``outside`` say otherwise of one
        that was pooled, and of one from outside the pool.
    declared : other fields of ``Measure``; among them must be ``summary``.
    """
    return lambda kernel: Measure(
        name=name,
        value_range=value_range,
        function=kernel,
        kernel=kernel,
        pooled=pooled or unjudged,
        outside=outside or unjudged,
        **declared,
    )


def summary_only(name: str, value_range: Range, *, summary: Summary, number: Number) -> Callable[[Kernel], Measure]:
    """Return a decorator that makes a measure that only the `all` row has.

    The function below it is never called; its docstring explains the measure.
    """
    declare = measure(
        name,
        value_range,
        summary=summary,
        number=number,
        per_topic=False,
        readings=NONREL,
        higher_is_better=False,
        uses_level=False,
    )
    return lambda function: replace(declare(function), kernel=None)
