"""Bias of estimates over many stratified samples; docs/samples.md lists the biased estimates.

``DESIGN_SAMPLES=2000 pytest tests/experiments/test_unbiased.py`` draws as many samples as docs/samples.md reports.
"""

from __future__ import annotations

import math
import os
from functools import cache
from typing import NamedTuple

import numpy as np
import pytest
from examples.experiment import QRELS, RUNS

from irevalx.arrays.segments import FloatArray
from irevalx.experiments.prepared_runs import prepare_graded_runs
from irevalx.experiments.ranked_runs import GradedRuns
from irevalx.experiments.samples import RandomOrder
from irevalx.experiments.strata import (
    SCHEME,
    StrataSample,
    numbers_for,
    read_design,
    requests_of_samples,
    values_of_sample,
)
from irevalx.frozen import replace
from irevalx.measures.selection import select_measures
from irevalx.settings import Settings

pytestmark = pytest.mark.slow

N_SAMPLES = int(os.environ.get("DESIGN_SAMPLES", "100"))

BY_DEPTH, AT_RANDOM, BY_RUNS = (
    "depth 1-10:100% 11-50:30% rest:10%",
    "depth rest:30%",
    "runs 3+:100% 1-2:50% rest:20%",
)

MEASURES = ("inum_rel", "inum_rel_ret", "iP.20,50", "statR", "statP.10,20,50", "xinfAP")
STANDARD_ERROR = "inum_rel_se"
SMOOTHING = 1e-4
"""What the constants of inum_rel_ret and iP may move them, of their value."""


class Drawn(NamedTuple):
    """Return means by name under full judgments, (n_runs,), and under each sample, (n_samples, n_runs)."""

    full: dict[str, FloatArray]
    samples: dict[str, FloatArray]
    errors: FloatArray


@cache
def experiment() -> GradedRuns:
    """Return runs and judgments, with all measures."""
    read = prepare_graded_runs(QRELS, RUNS, "map").ranked()
    errors = select_measures((STANDARD_ERROR,), Settings(), "sampled").measures
    return replace(read, requests=(*requests_of_samples(MEASURES, Settings()), *errors))


@cache
def drawn(text: str) -> Drawn:
    """Draw samples with the seeds 0, 1, ..., and evaluate all runs under each."""
    read = experiment()
    judgments = read.judgments
    design = read_design(text, named=False)
    stratum = design.divide(judgments, numbers_for(design.by, read.ranking, judgments.rows.size))

    def evaluated(sample: StrataSample) -> FloatArray:
        return np.nan_to_num(values_of_sample(read, sample))

    full = evaluated(StrataSample.of_everything(judgments)).mean(axis=2)
    estimates, errors = [], []
    for seed in range(N_SAMPLES):
        values = evaluated(StrataSample.drawn(design, judgments, stratum, RandomOrder(judgments, seed, SCHEME)))
        estimates.append(values.mean(axis=2))
        errors.append(math.sqrt(math.fsum(values[-1, 0] ** 2)) / len(read.topics))
    by_sample = np.array(estimates)
    names = read.measures[:-1]
    return Drawn(
        {name: full[m] for m, name in enumerate(names)},
        {name: by_sample[:, m] for m, name in enumerate(names)},
        np.array(errors),
    )


def bias(text: str, name: str) -> tuple[FloatArray, FloatArray]:
    """Return the bias over samples and its standard error, shape (n_runs,) each."""
    of_samples = drawn(text).samples[name]
    error = of_samples.std(axis=0, ddof=1) / math.sqrt(N_SAMPLES)
    return of_samples.mean(axis=0) - drawn(text).full[name], error


@pytest.mark.parametrize("text", [BY_DEPTH, AT_RANDOM, BY_RUNS])
@pytest.mark.parametrize("name", ["inum_rel", "statR", "statP_10", "statP_20", "statP_50"])
def test_unbiased_whatever_the_design(name: str, text: str) -> None:
    """Totals weighted by inverse inclusion probabilities are unbiased; a topic without a value counts as 0."""
    value, error = bias(text, name)
    assert (np.abs(value) <= 3 * error + 1e-9).all(), (value, error)


@pytest.mark.parametrize("name", ["inum_rel_ret", "iP_20", "iP_50"])
def test_unbiased_where_each_stratum_has_judged_documents(name: str) -> None:
    """Estimates are unbiased if each stratum always has a judged document among the counted documents."""
    value, error = bias(AT_RANDOM, name)
    assert (np.abs(value) <= 3 * error + SMOOTHING * drawn(AT_RANDOM).full[name]).all(), (value, error)


@pytest.mark.parametrize("name", ["iP_20", "xinfAP"])
def test_biased(name: str) -> None:
    """Estimates are biased if a stratum can lack judged documents: a third of it is then assumed to be relevant."""
    value, error = bias(BY_DEPTH, name)
    assert (value > 3 * error).any()


def test_intervals_of_the_number_of_relevant_documents() -> None:
    """95% intervals cover the number of relevant documents, within two percentage points and random error."""
    made = drawn(AT_RANDOM)
    off = np.abs(made.samples["inum_rel"][:, 0] - made.full["inum_rel"][0])
    covered = float((off <= 1.96 * made.errors).mean())
    assert abs(covered - 0.95) <= 0.02 + 3 * math.sqrt(0.95 * 0.05 / N_SAMPLES)


@pytest.mark.parametrize("text", [BY_DEPTH, AT_RANDOM])
def test_standard_errors_of_the_number_of_relevant_documents(text: str) -> None:
    """The mean squared standard error equals the variance of the estimates; in small strata, standard errors vary."""
    made = drawn(text)
    deviation = float(made.samples["inum_rel"][:, 0].std(ddof=1))
    error = math.sqrt(float((made.errors**2).mean()))
    assert error == pytest.approx(deviation, rel=0.05 + 3 / math.sqrt(2 * N_SAMPLES))
