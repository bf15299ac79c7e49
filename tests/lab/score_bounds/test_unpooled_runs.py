"""bounds --fit-probabilities with unpooled runs: refused unless declared, and drawn with a shared factor."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from examples.experiment import rank_graded_runs
from running import FIXTURES, lab, opened, refusal

import irevalx
from irevalx.experiments.inputs import graded_judgments_of
from irevalx.experiments.pools import with_first_documents
from irevalx.experiments.ranked_runs import GradedRuns
from irevalx.lab.score_bounds.bounds import BoundedScores
from irevalx.lab.score_bounds.relevance_models import unpooled_relevance

pytestmark = pytest.mark.slow

QRELS = FIXTURES / "labels" / "qrels"
FOLDER = FIXTURES / "experiment" / "runs"
POOLED = [FOLDER / name for name in ("count1", "count2", "vector1", "vector2")]
GUESS = FOLDER / "guess1"
CALL: tuple[str | Path, ...] = ("bounds", QRELS, *POOLED, "--new-run", GUESS, "--fit-probabilities")


def ranked_together() -> GradedRuns:
    """Return runs and judgments, including the documents of the new run."""
    paths = [str(path) for path in (*POOLED, GUESS)]
    return rank_graded_runs(
        with_first_documents(graded_judgments_of(QRELS), opened(paths, pytest.fail), 100),
        opened(paths, pytest.fail),
        ("P.10",),
    )


def test_undeclared_runs() -> None:
    """An unpooled run is refused with a remedy, and too few groups too."""
    message = refusal("bounds", QRELS, *POOLED[:2], GUESS, "--fit-probabilities", status=2)
    assert (
        "guess1: 30.0% of its first 10 documents are unjudged, although other runs are judged to this depth" in message
    )
    assert "Give guess1 with --new-run, and as RUN all pooled runs, from at least 4 groups (--group-by)" in message
    few = refusal(*CALL, "--group-by", "^[a-z]+", status=2)
    assert "at least 4 groups of pooled runs with unique judged documents, and there are only 2" in few
    assert lab("bounds", QRELS, *POOLED, "--fit-probabilities").status == 0


def test_budgets(tmp_path: Path) -> None:
    """Runs are accepted if no run is judged to depth 10."""
    remaining = [line for line in QRELS.read_text().splitlines(keepends=True) if sum(map(ord, line)) % 3]
    (tmp_path / "qrels").write_text("".join(remaining))
    assert lab("bounds", tmp_path / "qrels", *POOLED, GUESS, "--fit-probabilities").status == 0


def test_draws_of_new_runs() -> None:
    """Means, deviations and probabilities of signs equal those of draws in a loop."""
    rows = {
        (row["run"], row["against"]): row
        for row in lab(*CALL, "--draws", "4000", "--seed", "1", "--format", "csv").rows
        if row["topic"] == "all"
    }
    experiment = ranked_together()
    relevance = unpooled_relevance(experiment, list(experiment.runs), len(POOLED), 1)
    first, unjudged = experiment.retrieved_within(10), experiment.grades < 0
    own = first[4] & unjudged
    assert (relevance.group[own] == 0).all()  # no pooled run has them among its first 20
    rng, values = np.random.default_rng(5), []
    known = [(of_run & (experiment.grades >= 1)).sum() for of_run in first]
    for _ in range(4000):
        moved = relevance.moved(relevance.root @ rng.standard_normal(len(relevance.root)))
        p = np.minimum(1, moved * np.where(relevance.group == 0, relevance.factor.drawn(rng, 1)[0], 1.0))
        drawn = unjudged & (rng.random(p.size) < p)
        values.append([(number + (of_run & drawn).sum()) / 120 for number, of_run in zip(known, first, strict=True)])
    scores = np.array(values)
    row = rows["guess1", ""]
    assert float(row["mean"]) == pytest.approx(scores[:, 4].mean(), abs=0.0015)
    # Factors have long tails, so that a deviation varies from one set of draws to the next: three standard errors.
    deviation, fourth = scores[:, 4].std(), ((scores[:, 4] - scores[:, 4].mean()) ** 4).mean()
    error = np.sqrt((fourth - deviation**4) / len(scores)) / (2 * deviation)
    assert float(row["deviation"]) == pytest.approx(deviation, abs=3 * np.sqrt(2) * error)
    for r, path in enumerate(POOLED):
        pair = rows[path.name, "guess1"]
        now = np.sign(round(float(pair["difference"]), 9))
        keeps = float(np.mean(np.sign((scores[:, r] - scores[:, 4]).round(9)) == now))
        assert float(pair["keeps_sign"]) == pytest.approx(keeps, abs=0.03)
        assert [pair["by"], pair["limits"], pair["changing_docno"]] == ["draws", "proven", ""]
    assert rows["count1", "vector1"]["by"] != "draws"


def test_draws_of_map() -> None:
    """Draws of map use the factor and are reproducible."""
    options = ("-m", "P.10 map", "--draws", "30", "--seed", "4", "--format", "json")
    done = lab(*CALL, *options)
    assert lab(*CALL, *options).stdout == done.stdout
    tables = json.loads(done.stdout)
    assert tables["about"]["seed"] == 4
    assert {row["by"] for row in tables["bounds"] if row["against"] == "guess1" and row["topic"] == "all"} == {"draws"}


def test_in_python() -> None:
    """Keywords are those of the options."""
    result = irevalx.lab.bounds(QRELS, POOLED, new_runs=[GUESS], fit_probabilities=True, draws=20, seed=1)
    assert isinstance(result, BoundedScores)
    assert result.seed == 1
