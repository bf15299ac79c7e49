"""How a measure is declared: the record, and the decorator that makes one of a kernel."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, TypeAlias

import numpy as np

from irevalx.arrays.segments import BoolArray
from irevalx.frozen import Frozen, replace
from irevalx.measures.explanation import CountsAs, Explanation, UpperBound
from irevalx.measures.parameter_kinds import Kernel, Kind, NoParameters, Parameters
from irevalx.measures.summary import Summary, Values
from irevalx.measures.value_range import Range
from irevalx.reading.formats import REL_FORMATS
from irevalx.settings import PROBABILITY, READINGS, Reading

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

NONREL: tuple[Reading, ...] = ("nonrel",)
"""The readings of a measure that is about the unjudged, or needs another format of judgments."""

NONREL_AND_SKIP: tuple[Reading, ...] = ("nonrel", "skip")
"""The readings of a measure that does not take the unjudged for nonrelevant."""

NOTHING_REFUSED: Mapping[str, str] = {}
"""Of a measure that is defined with every option."""

NO_FORMULA = "over all orders of documents with equal scores has no simple formula"
"""The end of the reason why a measure has no expected value with ``--ties expected``."""

NO_EXPECTATION = {PROBABILITY: "its expectation over independent judgments has no simple formula"}
"""The reason why a measure has no expected value where grades are probabilities."""

ONE_FORMULA: Mapping[str, Kernel] = {}
"""Of a measure that is computed in one way, whatever the options."""

UNDEFINED = math.copysign(math.nan, -1.0)
"""What 0/0 is on the machines that trec_eval runs on: printed ``-nan``."""


class Measure(Frozen, kw_only=True):
    """A measure: what it is called, how it is computed, summarised and printed.

    Parameters
    ----------
    name : trec_eval's spelling.
    value_range : which values it can have.
    kernel : None for a measure that only the `all` row has, and that needs no ranking.
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
    explanation : for help and manual.
    """

    name: str
    value_range: Range
    kernel: Kernel | None
    summary: Summary | None
    kind: Kind
    number: Number
    per_topic: bool
    formats: frozenset[str]
    readings: tuple[Reading, ...]
    needs_nonrelevant: bool
    higher_is_better: bool
    lower_is_better: bool
    has_value: HasValue | None
    why_unsupported: WhyUnsupported | None
    refuses: Mapping[str, str]
    formulas: Mapping[str, Kernel]
    explanation: Explanation

    def __matmul__(self, cutoff: int) -> str:
        """Return how the measure is asked for at a cutoff: ``my_measure @ 10``."""
        return f"{self.name}@{cutoff}"

    @property
    def paragraphs(self) -> list[list[str]]:
        """What its docstring says after the title, in paragraphs, and after the formula which values it can have.

        In each ``Formula:``, ``Range:`` and ``Source:`` begin a line.
        """
        paragraphs = self.explanation.paragraphs
        last = paragraphs[-1] if paragraphs else []
        place = sum(line.startswith("Formula: ") for line in last)
        return [*paragraphs[:-1], [*last[:place], f"Range: {self.value_range.words}.", *last[place:]]]

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
            return self.kind.apply(self.formulas.get(getattr(t, "feature", ""), self.kernel), t, parameters)


def measure(  # noqa: PLR0913 - a keyword for each field of the two records
    name: str,
    value_range: Range,
    *,
    summary: Summary | None,
    kind: Kind = NO_PARAMETERS,
    number: Number = "real",
    per_topic: bool = True,
    formats: frozenset[str] = GRADES,
    readings: tuple[Reading, ...] = READINGS,
    needs_nonrelevant: bool = False,
    higher_is_better: bool = True,
    lower_is_better: bool = False,
    has_value: HasValue | None = None,
    why_unsupported: WhyUnsupported | None = None,
    refuses: Mapping[str, str] = NOTHING_REFUSED,
    formulas: Mapping[str, Kernel] = ONE_FORMULA,
    uses_level: bool = True,
    unjudged: CountsAs = CountsAs.NONRELEVANT,
    pooled: CountsAs | None = None,
    outside: CountsAs | None = None,
    upper_bound: UpperBound = UpperBound.NEVER,
    without_results: str = "0",
) -> Callable[[Kernel], Measure]:
    """Return a decorator that makes a measure of the kernel below it, whose docstring explains it. Registers nothing.

    Parameters
    ----------
    unjudged : what a retrieved document without judgment counts as; ``pooled`` and ``outside`` say otherwise of one
        that was pooled, and of one from outside the pool. The other keywords are fields of ``Measure`` and
        ``Explanation``.
    """

    def declare(kernel: Kernel) -> Measure:
        return Measure(
            name=name,
            value_range=value_range,
            kernel=kernel,
            summary=summary,
            kind=kind,
            number=number,
            per_topic=per_topic,
            formats=formats,
            readings=readings,
            needs_nonrelevant=needs_nonrelevant,
            higher_is_better=higher_is_better,
            lower_is_better=lower_is_better,
            has_value=has_value,
            why_unsupported=why_unsupported,
            refuses=refuses,
            formulas=formulas,
            explanation=Explanation(
                function=kernel,
                uses_level=uses_level,
                pooled=pooled or unjudged,
                outside=outside or unjudged,
                upper_bound=upper_bound,
                without_results=without_results,
            ),
        )

    return declare


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
