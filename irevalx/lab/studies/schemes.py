"""The schemes by which a study makes judgments incomplete, the levels of schemes, and the samples at each level.

Source: Yilmaz and Aslam, Estimating Average Precision When Judgments Are Incomplete, KAIS 2008; Bompada et al., On the
Robustness of Relevance Measures with Incomplete Judgments, SIGIR 2007.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from numbers import Real
from typing import Any, TypeAlias

import numpy as np

from irevalx.arrays.codes import ABSENT
from irevalx.arrays.segments import BoolArray, FloatArray, IntArray
from irevalx.errors import ArgumentError, quote
from irevalx.experiments import samples
from irevalx.experiments.ranked_runs import GradedRuns
from irevalx.experiments.seeds_and_shares import read_share, share_of
from irevalx.experiments.strata import Design, StrataSample, Stratum, values_of_sample
from irevalx.frozen import Frozen, replace
from irevalx.lab.judging.strategies import budget_of, number_of_documents
from irevalx.strategies.registry import STRATEGIES, JudgingStrategy
from irevalx.strategies.simulation import BudgetLevel

LevelText: TypeAlias = "str | float | Fraction | BudgetLevel"
"""A level as specified by users, or a budget that was already parsed."""

SHARES = tuple(f"{percent}%" for percent in (1, 2, 3, 4, 5, 10, 15, 20, 25, 30, 40, 50, 60, 70, 80, 90, 100))
_DEPTHS = tuple(str(depth) for depth in (1, 2, 3, 4, 5, 10, 20, 30, 40, 50, 100))
_PLOTTED_DEPTHS = (30.0, 8.0, 4.0)


IMPERFECT = "imperfect"
"""The scheme that removes documents from the collection and the runs, but keeps their judgments."""


class Scheme(Frozen, kw_only=True):
    """A scheme that makes judgments incomplete or imperfect."""

    name: str
    meaning: str  # meaning of the levels, in words
    title: str  # title of the panel for a level, which replaces ``{}``
    default_levels: tuple[str, ...] = SHARES
    plotted_levels: tuple[float, ...] = (0.3, 0.1, 0.05)  # levels plotted in papers, in descending order
    of_depth: bool = False  # whether levels are pool depths
    by_share_judged: bool = False  # whether figures plot the share of judgments instead of the level
    order: JudgingStrategy | None = None  # the judging strategy, if levels are its budgets
    is_random: bool = True  # whether there are several samples

    def levels(self, given: Sequence[LevelText] | None, what: str = "levels") -> list[BudgetLevel]:
        """Parse levels, or return the default levels if ``given`` is None. Error messages call the levels ``what``."""
        by_number: dict[Fraction, BudgetLevel] = {}
        for text in self.default_levels if given is None else given:
            level = self._level(text, what)
            if level.number in by_number:
                raise ArgumentError(f"level {quote(level.text)} is given twice")
            by_number[level.number] = level
        if len({level.is_share for level in by_number.values()}) > 1:
            raise ArgumentError(f"{what} must all be numbers of documents or all be shares")
        return list(by_number.values())

    def _level(self, given: LevelText, what: str) -> BudgetLevel:
        if isinstance(given, BudgetLevel):
            return given
        text = str(given)
        if self.order is not None:
            return budget_of(f"each of {what}", given)
        if self.of_depth:
            if not (depth := number_of_documents(text)):
                raise ArgumentError(f"invalid level {quote(text)} of {self.name}: must be a depth of at least 1")
            return BudgetLevel(text, Fraction(depth), is_share=False)
        if not isinstance(given, str):
            return BudgetLevel(text, share_of(what, given))
        share = read_share(given)
        if share is None:
            rule = "a share above 0 and at most 1, such as 0.1 or 10%"
            raise ArgumentError(f"{what}: invalid level {quote(given)}: must be {rule}")
        return BudgetLevel(text, share)


SCHEMES = {
    scheme.name: scheme
    for scheme in (
        Scheme(
            name="uniform",
            meaning="share of the judgments of each topic kept",
            title="{} of the judgments",
        ),
        Scheme(
            name="stratified",
            meaning="share of the relevant and nonrelevant documents of each topic kept",
            title="{} of the judgments",
        ),
        Scheme(
            name="depth",
            meaning="pool depth",
            title="depth {}",
            default_levels=_DEPTHS,
            plotted_levels=_PLOTTED_DEPTHS,
            of_depth=True,
            is_random=False,
        ),
        Scheme(
            name="mixed",
            meaning="share of the judgments kept: a pool, and the same number of random documents",
            title="depth {}",
            default_levels=_DEPTHS,
            plotted_levels=_PLOTTED_DEPTHS,
            of_depth=True,
            by_share_judged=True,
        ),
        Scheme(
            name="strata",
            meaning="share of the judgments kept: stratified samples",
            title="{} of the rates",
            default_levels=tuple(f"{percent}%" for percent in range(10, 101, 10)),
            by_share_judged=True,
        ),
        Scheme(
            name=IMPERFECT,
            meaning="share of the judged documents of each topic in the collection",
            title="{} of the judged documents",
        ),
    )
}
"""The schemes that are not judging strategies, by name."""

STRATEGY_SCHEMES = {
    name: Scheme(
        name=name,
        meaning=f"share of the judgments kept, selected by {name}",
        title="{} judged",
        by_share_judged=True,
        order=order,
        is_random=order.is_random,
    )
    for name, order in STRATEGIES.items()
}
"""The schemes that are judging strategies, by name. The scheme ``depth`` is a judging strategy if its levels are
shares."""

NAMES = tuple(dict.fromkeys((*SCHEMES, *STRATEGY_SCHEMES)))


def level_words(given: Any) -> tuple[LevelText, ...]:
    """Split levels that users specified in one or several strings. Raise ValueError or TypeError if there are none."""
    words = tuple(given.replace(",", " ").split() if isinstance(given, str) else given)
    if (
        not words
        or isinstance(given, bytes | Mapping)
        or not all(isinstance(word, str | Real | BudgetLevel) and not isinstance(word, bool) for word in words)
    ):
        raise ValueError(given)
    return words


def scheme_of(name: str, levels: Iterable[LevelText] | None, *, in_order: bool = False) -> Scheme:
    """Return the named scheme. If levels are budgets or ``in_order`` is true, ``depth`` is a judging strategy."""
    words = tuple(levels or ())
    are_budgets = all(
        isinstance(word, BudgetLevel | Fraction) or "%" in str(word) or "." in str(word) for word in words
    )
    if name in SCHEMES and not (name in STRATEGY_SCHEMES and (in_order or (words and are_budgets))):
        return SCHEMES[name]
    return STRATEGY_SCHEMES[name]


class TopicStrata(Frozen):
    """The assignment of each topic's judgments to strata."""

    design: Design  # the strata and their sampling rates
    stratum: IntArray  # index of the stratum of each judgment, as returned by ``design.divide``


EVERY_DOCUMENT = Design("names", (Stratum("1", Fraction(1)),))
"""The design with a single stratum, which contains all documents."""


def sample_of(
    experiment: GradedRuns,
    scheme: str,
    level: Fraction,
    order: samples.RandomOrder,
    *,
    topic_strata: TopicStrata | None = None,
    rounding: Callable[[Fraction], int] = math.ceil,
    topic_rates: Sequence[Fraction] = (),
) -> tuple[StrataSample, BoolArray | None]:
    """Return the sample of judgments at a level, and the pool for measures of grades.

    If the pool contains all judgments, the pool is None.
    """
    judgments, judged = experiment.judgments, experiment.grades >= 0
    if scheme == IMPERFECT:  # the sample consists of the documents that remain in the collection
        return StrataSample.drawn(EVERY_DOCUMENT.scaled(level), judgments, np.where(judged, 0, ABSENT), order), None
    if scheme == "strata":
        assert topic_strata is not None
        sample = StrataSample.drawn(topic_strata.design.scaled(level), judgments, topic_strata.stratum, order)
        return sample, sample.in_stratum | ~judged  # judged documents that belong to no stratum are unpooled
    if scheme == "uniform":
        sampled = samples.uniform(judgments, level, order, experiment.level, topic_rates)
        return StrataSample(judgments, np.where(judged, 0, ABSENT), sampled), None
    if scheme == "stratified":
        sampled = samples.stratified(judgments, level, order, experiment.level, rounding)
        return StrataSample(judgments, np.where(judged, 0, ABSENT), sampled), None
    retrieved = experiment.retrieved_within(int(level))
    pool = samples.shallow(judgments, retrieved)
    if scheme == "depth":
        return StrataSample(judgments, np.where(pool, 0, ABSENT), pool), None
    stratum = np.where(pool, 0, np.where(judged, 1, ABSENT))  # all judgments in the pool are kept
    return StrataSample(judgments, stratum, samples.mixed(judgments, retrieved, order), ("1", "2")), None


def values_of(experiment: GradedRuns, scheme: str, sample: StrataSample, pooled: BoolArray | None) -> FloatArray:
    """Evaluate all runs with a sample and a pool that ``sample_of`` returned.

    The shape is (n_measures, n_runs, n_topics).
    """
    if scheme != IMPERFECT:
        return values_of_sample(experiment, sample, pooled)
    # Yilmaz and Aslam, KAIS 2008, section 3.1
    ranking = experiment.ranking.without((experiment.grades >= 0) & ~sample.in_sample)
    return values_of_sample(replace(experiment, ranking=ranking), StrataSample.of_everything(experiment.judgments))
