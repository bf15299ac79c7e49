"""Schemes: how judgments are made incomplete, at which levels, and what is kept at one: a sample of strata always."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from typing import TypeAlias

import numpy as np

from irevalx import parameters
from irevalx.arrays.codes import ABSENT
from irevalx.arrays.segments import BoolArray, IntArray
from irevalx.errors import ArgumentError, quote
from irevalx.experiments import samples
from irevalx.experiments.experiment import Experiment
from irevalx.experiments.shares import read_share, share_of
from irevalx.experiments.strata import Design, StrataSample
from irevalx.frozen import Frozen
from irevalx.lab.judging.orderings import budget_of
from irevalx.orders.known_orders import ORDERS, JudgingOrder
from irevalx.orders.replays import Level

SHARES = tuple(f"{percent}%" for percent in (1, 2, 3, 4, 5, 10, 15, 20, 25, 30, 40, 50, 60, 70, 80, 90, 100))
"""The usual levels that are shares of the judgments."""


GivenLevels: TypeAlias = "str | Iterable[str | float | Fraction | Level] | None"
"""Levels as users give them, or budgets that were read before; None for the default ones."""


class Scheme(Frozen, kw_only=True):
    """A way of making judgments incomplete.

    Parameters
    ----------
    name : as options have it.
    meaning : what its levels are.
    title : what a level, which stands for ``{}``, is called above a panel.
    usual : its usual levels.
    shown : the levels that the papers show beside each other, from the greatest to the least.
    of_depth : whether its levels are depths of pools.
    by_share_judged : whether figures have the share of the judgments that is left on the axis in place of levels.
    order : the order in which documents are judged, where the scheme is one; its levels are budgets.
    is_random : whether there are several samples.
    """

    name: str
    meaning: str
    title: str
    usual: tuple[str, ...] = SHARES
    shown: tuple[float, ...] = (0.3, 0.1, 0.05)
    of_depth: bool = False
    by_share_judged: bool = False
    order: JudgingOrder | None = None
    is_random: bool = True

    def levels(self, given: GivenLevels) -> Sequence[Level]:
        """Return the levels of a study; None stands for the usual ones.

        Raises
        ------
        ArgumentError : a level is not one of the scheme, or there twice, or there are none.
        """
        given = self.usual if given is None else given
        words = given.replace(",", " ").split() if isinstance(given, str) else list(given)
        if not words:
            raise ArgumentError("levels must have one level at least")
        found: dict[Fraction, Level] = {}
        for one in words:
            level = self._level(one)
            if level.number in found:
                raise ArgumentError(f"each level must be given once, but got {quote(level.text)} twice")
            found[level.number] = level
        if len({level.is_share for level in found.values()}) > 1:
            raise ArgumentError("levels must be numbers of documents or shares, but got both")
        return list(found.values())

    def _level(self, given: str | float | Fraction | Level) -> Level:
        """Return a level as it was typed; raises ArgumentError."""
        if isinstance(given, Level):
            return given
        text = str(given)
        if self.order is not None:
            return budget_of("each of levels", given)
        if self.of_depth:
            if not text.isascii() or not text.isdecimal() or not 1 <= len(text) <= _MOST_DIGITS or int(text) < 1:
                raise ArgumentError(f"a level of {self.name} must be a depth of at least 1, but got {quote(text)}")
            return Level(text, Fraction(int(text)), is_share=False)
        if not isinstance(given, str):
            return Level(text, share_of("levels", given))
        share = read_share(given)
        if share is None:
            rule = "a share above 0 and at most 1, such as 0.1 or 10%"
            raise ArgumentError(f"each of levels must be {rule}, but got {quote(given)}")
        return Level(text, share)


_MOST_DIGITS = 18
"""Of a depth: no run has as many documents."""

_DEPTHS = tuple(str(depth) for depth in (1, 2, 3, 4, 5, 10, 20, 30, 40, 50, 100))
_SHOWN_DEPTHS = (30.0, 8.0, 4.0)

SCHEMES = {
    scheme.name: scheme
    for scheme in (
        Scheme(
            name="uniform",
            meaning="share of each topic's judgments that is kept",
            title="{} of the judgments",
        ),
        Scheme(
            name="stratified",
            meaning="share of each topic's relevant and nonrelevant documents that is kept",
            title="{} of the judgments",
        ),
        Scheme(
            name="depth",
            meaning="depth of the pool",
            title="depth {}",
            usual=_DEPTHS,
            shown=_SHOWN_DEPTHS,
            of_depth=True,
            is_random=False,
        ),
        Scheme(
            name="mixed",
            meaning="share of the judgments that is kept: a pool, and as many random ones",
            title="depth {}",
            usual=_DEPTHS,
            shown=_SHOWN_DEPTHS,
            of_depth=True,
            by_share_judged=True,
        ),
        Scheme(
            name="strata",
            meaning="share of the judgments that is kept: samples of strata",
            title="{} of the rates",
            usual=tuple(f"{percent}%" for percent in range(10, 101, 10)),
            by_share_judged=True,
        ),
    )
}
"""By their names, but for orders of judging."""

IN_ORDER = {
    name: Scheme(
        name=name,
        meaning=f"share of the judgments that is made in the order {name}",
        title="{} judged",
        by_share_judged=True,
        order=order,
        is_random=order.is_random,
    )
    for name, order in ORDERS.items()
}
"""The schemes that are orders of judging, by their names: ``depth`` is one of these if its levels are shares."""

NAMES = tuple(dict.fromkeys((*SCHEMES, *IN_ORDER)))
"""The names of all schemes."""


def scheme_of(name: str, levels: GivenLevels, *, in_order: bool = False) -> Scheme:
    """Return the scheme of a name: ``depth`` is an order if its levels are shares or budgets, otherwise a pool.

    Parameters
    ----------
    in_order : whether whole numbers are numbers of documents, whatever the scheme.

    Raises
    ------
    ArgumentError : there is none.
    """
    parameters.named_choice("scheme", name, NAMES)
    if name in SCHEMES and not (name in IN_ORDER and (in_order or _are_budgets(levels))):
        return SCHEMES[name]
    return IN_ORDER[name]


def _are_budgets(levels: GivenLevels) -> bool:
    """Return whether levels are shares, or were read as budgets."""
    words = levels.replace(",", " ").split() if isinstance(levels, str) else list(levels or ())
    return bool(words) and all(isinstance(one, Level | Fraction) or "%" in str(one) or "." in str(one) for one in words)


def budgets_of(given: str) -> list[Level]:
    """Return the levels of orders as they were typed: numbers of documents or shares.

    Raises
    ------
    ArgumentError : one is neither.
    """
    return [budget_of("each of levels", word) for word in given.replace(",", " ").split()]


class Division(Frozen):
    """A division of the judgments into strata, and how much of each is drawn.

    Parameters
    ----------
    design : the strata and their rates.
    stratum : flat over the judgments; as ``design.divide`` returns it.
    """

    design: Design
    stratum: IntArray


def draw(
    experiment: Experiment,
    scheme: str,
    level: Fraction,
    order: samples.RandomOrder,
    division: Division | None = None,
    rounding: Callable[[Fraction], int] = math.ceil,
) -> tuple[StrataSample, BoolArray | None]:
    """Return what a scheme keeps of the judgments, and what is in the pool of measures of grades; None for everything.

    The pool of ``mixed`` is the stratum 1, which is kept, and the other judgments are the stratum 2. Otherwise, but for
    ``strata``, there is one stratum: for ``depth`` what is in the pool, for ``uniform`` and ``stratified`` everything.
    Judged documents that are in none of ``strata`` are outside the pool, as if they had no line.

    Parameters
    ----------
    level : a share above 0 and at most 1 (of the judgments or, for ``strata``, of the rates), or a depth.
    division : for ``strata``.
    rounding : for ``stratified``, one of ``ROUNDINGS``.
    """
    judgments, judged = experiment.judgments, experiment.grades >= 0
    if scheme == "strata":
        assert division is not None
        sample = StrataSample.drawn(division.design.scaled(level), judgments, division.stratum, order)
        return sample, sample.in_stratum | ~judged
    if scheme == "uniform":
        kept = samples.uniform(judgments, level, order, experiment.level)
        return StrataSample(judgments, np.where(judged, 0, ABSENT), kept), None
    if scheme == "stratified":
        kept = samples.stratified(judgments, level, order, experiment.level, rounding)
        return StrataSample(judgments, np.where(judged, 0, ABSENT), kept), None
    retrieved = experiment.retrieved_within(int(level))
    pool = samples.shallow(judgments, retrieved)
    if scheme == "depth":
        return StrataSample(judgments, np.where(pool, 0, ABSENT), pool), None
    stratum = np.where(pool, 0, np.where(judged, 1, ABSENT))
    return StrataSample(judgments, stratum, samples.mixed(judgments, retrieved, order), ("1", "2")), None
