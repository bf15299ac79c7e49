"""Excess bias against numpy's lines and literal matrices, and how often a machine that favours nobody is called biased.

``EXCESS_DRAWS=30`` measures that on the collections with so many machines, and prints it.
"""

from __future__ import annotations

import gzip
import os
import sys
from pathlib import Path

import numpy as np
import pytest
from examples.label_files import machine_labels
from scipy import stats

import irevalx.lab
from irevalx.api.inputs import Qrels
from irevalx.experiments.inputs import graded_judgments_of
from irevalx.experiments.labels import PairedLabels
from irevalx.experiments.prepared_runs import prepare_graded_runs
from irevalx.lab.judge_agreement.document_agreement import LabelBootstrap
from irevalx.lab.judge_agreement.excess_bias import ExcessBias, excess_bias, excess_bias_of
from irevalx.lab.judge_agreement.run_agreement import SHUFFLES, run_agreements

pytestmark = pytest.mark.slow

DRAWS = int(os.environ.get("EXCESS_DRAWS", "0"))

RATES = ((0.3, 0.02), (0.2, 0.1), (0.1, 0.05), (0.5, 0.05))
"""The shares of relevant documents that a machine misses, and of others that it calls relevant."""


def test_as_numpy_fits_lines() -> None:
    """The mean residual from the line of least squares, of many draws at once."""
    rng = np.random.default_rng(1)
    human, machine = rng.random((2, 20, 9))
    member = np.array([True, False, False, True, False, False, False, False, False])
    for row, result in enumerate(excess_bias(human, machine, member)):
        bias = machine[row] - human[row]
        line = np.polyfit(human[row, ~member], bias[~member], 1)
        assert result == pytest.approx((bias - np.polyval(line, human[row]))[member].mean())


@pytest.mark.parametrize("n_others", [1, 2])
def test_few_other_runs(n_others: int) -> None:
    """With two other runs or one the line goes through the origin."""
    human, machine = np.array([0.5, 0.4, 0.2][: n_others + 1]), np.array([0.6, 0.3, 0.1][: n_others + 1])
    slope = sum(x * (y - x) for x, y in zip(human[1:], machine[1:], strict=True)) / sum(x * x for x in human[1:])
    member = np.arange(n_others + 1) == 0
    assert excess_bias(human, machine, member) == pytest.approx(0.1 - slope * 0.5)
    result = excess_bias_of(human, machine, member, np.array([0.1, 0.2]), 30)
    assert result.freedom == (29 if n_others == 1 else 1)


def test_bias_that_goes_with_quality_is_no_excess() -> None:
    """A machine that takes a third of each score favours nobody, whatever the group scores."""
    human = np.array([0.1, 0.2, 0.3, 0.4, 0.9])
    for run in range(5):
        assert excess_bias(human, human * 2 / 3, np.arange(5) == run) == pytest.approx(0)


def test_error_is_that_of_a_prediction() -> None:
    """The variance of a prediction, (1 + x' (X'X)^-1 x) s^2, is added to that of the draws and to the shuffled bias."""
    rng = np.random.default_rng(2)
    human, machine = rng.random((2, 12))
    member, drawn = np.arange(12) == 3, rng.normal(0, 0.01, 50)
    x = np.column_stack((np.ones(11), human[~member]))
    fitted, residuals, *_ = np.linalg.lstsq(x, (machine - human)[~member], rcond=None)
    new = np.array([1, human[3]])
    variance = residuals[0] / 9 * (1 + new @ np.linalg.inv(x.T @ x) @ new)
    result = excess_bias_of(human, machine, member, drawn, 100)
    assert result.value == pytest.approx(machine[3] - human[3] - new @ fitted)
    assert result.error == pytest.approx(np.sqrt(variance + drawn.var(ddof=1)))
    assert result.p == pytest.approx(2 * stats.t.sf(abs(result.value) / result.error, 9))
    wrong_line = excess_bias_of(human, machine, member, drawn, 100, 0.3)
    assert (wrong_line.value, wrong_line.shuffled) == (result.value, 0.3)
    assert wrong_line.error == pytest.approx(np.hypot(result.error, 0.3))
    for alpha in (0.01, 0.2, 0.7):
        low, high = result.interval(alpha)
        assert (low > 0 or high < 0) == (result.p < alpha)
    assert ExcessBias(0.1, 0.0, 9).p == 1


def reranked(run: Path, labels: Path, to: Path) -> Path:
    """Write a run with the documents that a machine calls relevant first."""
    grades = {(topic, docno): int(g) for topic, _, docno, g in map(str.split, labels.read_text().splitlines())}
    by_topic: dict[str, list[str]] = {}
    for line in gzip.decompress(run.read_bytes()).decode().splitlines():
        by_topic.setdefault(line.split()[0], []).append(line.split()[2])
    lines = [
        f"{topic} Q0 {docno} {rank} {-rank} reranked\n"
        for topic, docnos in by_topic.items()
        for rank, docno in enumerate(sorted(docnos, key=lambda d: -grades.get((topic, d), 0)), start=1)
    ]
    to.write_text("".join(lines))
    return to


@pytest.mark.filterwarnings("ignore::irevalx.errors.IrevalxWarning")
def test_a_run_reranked_by_the_machine_is_found(cranfield: Path, tmp_path: Path) -> None:
    """The machine favours okapi1 as it has reranked it, and none of the other runs of cranfield."""
    folder = cranfield
    machine = random_machine(folder, tmp_path / "machine", 0)
    runs = [path for path in sorted((folder / "runs").iterdir()) if path.name != "okapi1.gz"]
    own = reranked(folder / "runs" / "okapi1.gz", machine, tmp_path / "reranked")
    assert called_biased(folder / "qrels.gz", machine, [*runs, own], "map") == {"map": {"reranked"}}


def called_biased(human: Path, machine: Path, runs: list[Path], measures: str) -> dict[str, set[str]]:
    """Return for each measure the runs, each its own group, whose corrected p-value is below 0.05."""
    ours, theirs = graded_judgments_of(human), graded_judgments_of(machine)
    both = PairedLabels.of(ours, theirs, theirs.topics)
    experiment = prepare_graded_runs(Qrels(both.judgments), runs, measures).ranked()
    resampling = LabelBootstrap(resamples=500, seed=1)
    return {
        agreement.paired.measure: {
            part.group or ""
            for part in agreement.group_statistics(experiment.runs)
            if part.statistics["excess_bias_p"].or_nan < 0.05
        }
        for agreement in run_agreements(experiment, both, resampling, shuffles=SHUFFLES)
    }


def random_machine(collection: Path, to: Path, seed: int) -> Path:
    """Write the labels of a machine that errs at random."""
    missed, wrong = RATES[seed % len(RATES)]
    return machine_labels(collection / "qrels.gz", to, missed=missed, wrong=wrong, seed=seed)


@pytest.mark.filterwarnings("ignore::irevalx.errors.IrevalxWarning")
def test_a_run_that_is_unlike_the_others(robust03: Path, tmp_path: Path) -> None:
    """NLPR03vb10 has ten documents per topic: its bias is as large with shuffled labels and not significant."""
    folder = robust03
    machine = random_machine(folder, tmp_path / "machine", 0)
    runs = sorted((folder / "runs").iterdir())
    result = irevalx.lab.labels(folder / "qrels.gz", machine, runs, group_by="^NLPR", seed=1, resamples=500)
    of_run = {row.statistic: row.value for row in result.rows if row.group == "NLPR"}
    assert max(of_run["excess_bias"] or 0.0, of_run["excess_bias_shuffled"] or 0.0) < -0.015
    assert called_biased(folder / "qrels.gz", machine, runs, "map") == {"map": set()}


@pytest.mark.skipif(not DRAWS, reason="EXCESS_DRAWS says how many machines")
@pytest.mark.filterwarnings("ignore::irevalx.errors.IrevalxWarning")
@pytest.mark.parametrize("own", [False, True], ids=["nobody", "okapi1"])
def test_how_often_groups_are_called_biased(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, collection: Path, own: bool
) -> None:
    """Machines that err at random favour few groups; the run that one has reranked is found each time."""
    reranked_run = collection / "runs" / "okapi1.gz"
    runs = [path for path in sorted((collection / "runs").iterdir()) if not own or path != reranked_run]
    if own and not reranked_run.exists():
        pytest.skip("only one collection has this run")
    flagged: dict[str, list[set[str]]] = {"map": [], "P_10": []}
    for seed in range(DRAWS):
        machine = random_machine(collection, tmp_path / "machine", seed)
        more = [reranked(reranked_run, machine, tmp_path / "reranked")] if own else []
        for measure, biased in called_biased(collection / "qrels.gz", machine, [*runs, *more], "map P.10").items():
            flagged[measure].append(biased)
    for measure, each in flagged.items():
        n_biased = sum(len(biased - {"reranked"}) for biased in each)
        n_found = sum("reranked" in biased for biased in each)
        with capsys.disabled():
            sys.stdout.write(
                f"\n{collection.name} {measure}: {n_biased} of {DRAWS * len(runs)} groups are called biased; "
            )
            sys.stdout.write(f"the reranked run {n_found} times of {DRAWS}")
        assert n_biased <= 0.05 * DRAWS * len(runs)
        assert n_found == (DRAWS if own else 0)
