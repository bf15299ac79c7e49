"""What a study keeps of the judgments at a level: a sample of strata, whatever the scheme."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np

from irevalx.arrays.codes import ABSENT
from irevalx.arrays.segments import BoolArray, IntArray
from irevalx.experiments import samples
from irevalx.experiments.experiment import Experiment
from irevalx.experiments.strata import Design, StrataSample
from irevalx.frozen import Frozen


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
) -> StrataSample:
    """Return what a scheme keeps of the judgments.

    The pool of ``mixed`` is the stratum 1, which is kept, and the other judgments are the stratum 2. Otherwise, but for
    ``strata``, there is one stratum: for ``depth`` what is in the pool, for ``uniform`` and ``stratified`` everything.

    Parameters
    ----------
    level : a share above 0 and at most 1 (of the judgments or, for ``strata``, of the rates), or a depth.
    division : for ``strata``.
    rounding : for ``stratified``, one of ``ROUNDINGS``.
    """
    judgments, judged = experiment.judgments, experiment.grades >= 0
    if scheme == "strata":
        if division is None:
            raise ValueError("strata must be given for the scheme strata")
        return StrataSample.drawn(division.design.scaled(level), judgments, division.stratum, order)
    if scheme in {"uniform", "stratified"}:
        if scheme == "uniform":
            kept = samples.uniform(judgments, level, order, experiment.level)
        else:
            kept = samples.stratified(judgments, level, order, experiment.level, rounding)
        return StrataSample(judgments, np.where(judged, 0, ABSENT), kept)
    retrieved = experiment.retrieved_within(int(level))
    pool = samples.shallow(judgments, retrieved)
    if scheme == "depth":
        return StrataSample(judgments, np.where(pool, 0, ABSENT), pool)
    stratum = np.where(pool, 0, np.where(judged, 1, ABSENT))
    return StrataSample(judgments, stratum, samples.mixed(judgments, retrieved, order), ("1", "2"))


def pooled_in(scheme: str, sample: StrataSample) -> BoolArray | None:
    """Return which documents are in the pool for measures of graded judgments; None for all of them.

    Judged documents that are in none of the strata are outside the pool, as if they had no line.
    """
    if scheme != "strata":
        return None
    pooled: BoolArray = sample.in_stratum | (sample.judgments.grades < 0)
    return pooled
