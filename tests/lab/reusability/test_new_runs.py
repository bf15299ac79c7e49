"""leave-out --new-run: how often its intervals cover what a run loses, and every number by a literal definition.

``NEW_RUN_DRAWS=200`` leaves out each group of the collections in turn as the new run, for pools of all
other groups and of four, of depth 5, 10 and 20 (some minutes), and writes what docs/reusability.md has.
"""

from __future__ import annotations

import json
import math
import os
import re
import shlex
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest
from examples.experiment import RUNS, rank_graded_runs
from references.ranked_files import ranked
from running import FIXTURES, lab, lab_json, opened, run, succeeded
from scipy import stats
from sklearn.linear_model import LogisticRegression

from irevalx.experiments.inputs import graded_judgments_of
from irevalx.experiments.pools import with_first_documents
from irevalx.experiments.prepared_runs import prepare_graded_runs
from irevalx.experiments.ranked_runs import GradedRuns
from irevalx.experiments.run_groups import removals
from irevalx.frozen import Frozen, replace
from irevalx.lab.reusability.new_run_results import verdict_on
from irevalx.lab.reusability.new_runs import BiasDraws, PooledAndNew, with_first_of
from irevalx.lab.score_bounds.relevance_models import FittedRelevance, GroupFactor

pytestmark = pytest.mark.slow

N_DRAWS = int(os.environ.get("NEW_RUN_DRAWS", "0"))
MEASURES = ("P.10", "map", "ndcg", "bpref")
DEPTHS = (5, 10, 20)
DEEPEST = max(DEPTHS)

QRELS = FIXTURES / "labels" / "qrels"
"""What count1, count2, vector1 and vector2 have among their first 20 documents."""

POOLED = [path for path in RUNS if not path.name.startswith("guess")]
GUESS = FIXTURES / "experiment" / "runs" / "guess1"
CALL: tuple[str | Path, ...] = ("leave-out", QRELS, *POOLED, "--depth", "20", "--new-run", GUESS, "--seed", "1")

# How often the intervals cover what a run loses


class Case(Frozen):
    """The true loss of a left-out run under a measure, and the reported interval."""

    collection: str
    depth: int
    n_groups: int
    measure: str
    loss: float
    low: float
    high: float
    bias: float
    is_extrapolated: bool


def read(folder: Path) -> tuple[GradedRuns, list[str]]:
    """Return a collection whose unjudged documents are nonrelevant, and the groups of its runs."""
    [qrels] = folder.glob("qrels*")
    paths = [str(path) for path in sorted((folder / "runs").iterdir())]
    judgments = with_first_documents(graded_judgments_of(qrels), opened(paths, pytest.fail), DEEPEST)
    judgments = replace(judgments, grades=np.clip(judgments.grades, 0, None))
    read = rank_graded_runs(judgments, opened(paths, pytest.fail), MEASURES)
    groups = [re.findall("^[a-z]+", run)[0] if folder.name == "cranfield" else run for run in read.runs]
    return read, groups


def left_out(full: GradedRuns, groups: Sequence[str], new: str, pool: Sequence[str], depth: int) -> PooledAndNew:
    """Return groups of runs as pooled to a depth, and another group as new."""
    places = [place for name in (*pool, new) for place, group in enumerate(groups) if group == name]
    of_run = [groups[place] for place in places]
    every, n_pooled = full.of_runs(np.array(places)), sum(group != new for group in of_run)
    given = np.asarray(every.retrieved_within(depth)[:n_pooled].any(axis=0))
    part = replace(every, judgments=replace(every.judgments, grades=np.where(given, every.grades, -1)))
    return PooledAndNew(experiment=part, n_pooled=n_pooled, groups=of_run, given=given, depth=depth)


def cases(collection: Path, draws: int, depths: Sequence[int], *, few: Sequence[bool]) -> Iterator[Case]:
    """Leave out each group in turn, from pools of all other groups and of four random ones."""
    full, groups = read(collection)
    names, rng = sorted(set(groups)), np.random.default_rng(31)
    for depth in depths:
        for of_four in few:
            for name in names:
                others = [other for other in names if other != name]
                pool = [str(group) for group in rng.choice(others, 4, replace=False)] if of_four else others
                both = left_out(full, groups, name, pool, depth)
                result = both.assessed(BiasDraws(0.01, draws, len(names)))
                most = max(row.unjudged_k for row in result.coverage if not row.is_new)
                far = {row.run for row in result.coverage if row.is_new and row.unjudged_k > most}
                new = full.of_runs(np.array([place for place, group in enumerate(groups) if group == name]))
                pooled_too = both.given | new.retrieved_within(depth).any(axis=0)
                loss = new.scores(new.values(None, both.given)) - new.scores(new.values(None, pooled_too))
                for row in result.rows:
                    true = float(loss[new.measures.index(row.measure), new.runs.index(row.run)])
                    if row.bias_low is not None and row.bias_high is not None and row.bias is not None:
                        ends = row.bias_low, row.bias_high, row.bias, row.run in far
                        yield Case(collection.name, depth, len(pool), row.measure, true, *ends)


def covered(result: Sequence[Case]) -> float:
    """Return the share of cases whose loss is in the interval."""
    return float(np.mean([case.low - 1e-9 <= case.loss <= case.high + 1e-9 for case in result]))


def false_verdicts(result: Sequence[Case], tolerance: float) -> tuple[int, int]:
    """Return the number of verdicts and of false ones."""
    given = [(case, verdict_on((case.low, case.high), tolerance)) for case in result]
    truth = {"fair": lambda x: abs(x) <= tolerance, "underestimated": lambda x: x < -tolerance}
    truth["overestimated"] = lambda x: x > tolerance
    verdicts = [(case, verdict) for case, verdict in given if verdict in truth]
    return len(verdicts), sum(not truth[verdict](case.loss) for case, verdict in verdicts)


@pytest.mark.filterwarnings("ignore::irevalx.IrevalxWarning")
def test_coverage_on_the_small_collection() -> None:
    """Intervals cover 90 % of losses, and at most 5 % of verdicts are false."""
    results = [*cases(FIXTURES / "experiment", 40, (5, 10), few=[False])]
    assert len(results) == 2 * len(RUNS) * len(MEASURES)
    assert covered(results) >= 0.9
    n_told, n_false = false_verdicts(results, 0.03)
    assert n_told > 10
    assert n_false <= n_told / 20


@pytest.mark.skipif(not N_DRAWS, reason="NEW_RUN_DRAWS says how many draws")
@pytest.mark.filterwarnings("ignore::irevalx.IrevalxWarning")
def test_coverage(capsys: pytest.CaptureFixture[str], collection: Path) -> None:
    """The intervals of each measure cover the loss in at least 90 % of cases."""
    results = [*cases(collection, N_DRAWS, DEPTHS, few=[False, True])]
    lines = []
    for measure in dict.fromkeys(case.measure for case in results):
        of_measure = [case for case in results if case.measure == measure]
        far = [case for case in of_measure if case.is_extrapolated]
        error = math.sqrt(np.mean([(case.bias - case.loss) ** 2 for case in of_measure]))
        width = np.mean([case.high - case.low for case in of_measure])
        by_depth = " ".join(f"{k}: {covered([case for case in of_measure if case.depth == k]):.3f}" for k in DEPTHS)
        lines.append(
            f"{collection.name} {measure}: {covered(of_measure):.3f} of {len(of_measure)} ({by_depth}); RMS error {error:.4f}, "
            f"width {width:.3f}; extrapolated {covered(far) if far else math.nan:.3f} of {len(far)}"
        )
    for tolerance in (0.005, 0.01, 0.02, 0.03):
        n_verdicts, false = false_verdicts(results, tolerance)
        lines.append(
            f"{collection.name} tolerance {tolerance}: {false} false of {n_verdicts} verdicts, {len(results)} cases"
        )
    with capsys.disabled():
        sys.stdout.write("\n" + "\n".join(lines) + "\n")
    for measure in dict.fromkeys(case.measure for case in results):
        assert covered([case for case in results if case.measure == measure]) >= 0.9


# Every number by a literal definition

Ranked = dict[str, list[str]]
Pair = tuple[str, str]


def judged(path: Path) -> dict[Pair, int]:
    """Return the grades."""
    return {(topic, docno): int(grade) for topic, _, docno, grade in map(str.split, path.read_text().splitlines())}


class Model:
    """The relevance model in loops: features, fits, and losses of left-out runs."""

    def __init__(self, grades: Mapping[Pair, int], pooled: Mapping[str, Ranked], new: Ranked, depth: int) -> None:
        runs = [*pooled.values(), new]
        ranks: dict[Pair, list[int]] = {}
        for number, retrieved in enumerate(runs):
            for topic, docnos in retrieved.items():
                for rank, docno in enumerate(docnos, start=1):
                    ranks.setdefault((topic, docno), [0] * len(runs))[number] = rank
        self.features = {
            pair: [
                *(1 / math.log2(rank + 1) if rank else 0.0 for rank in of_runs),
                math.log(min(filter(None, of_runs))),
                sum(map(bool, of_runs)) / len(runs),
            ]
            for pair, of_runs in ranks.items()
        }
        self.grades = {pair: grade for pair, grade in grades.items() if grade >= 0 and pair in ranks}
        first = {name: {(t, d) for t, result in run.items() for d in result[:depth]} for name, run in pooled.items()}
        self.lost = {
            name: [
                pair
                for pair in result
                if pair in self.grades and not any(pair in of for other, of in first.items() if other != name)
            ]
            for name, result in first.items()
        }
        self.unjudged = sorted({(t, d) for t, result in new.items() for d in result[:depth]} - {*self.grades})

    def probabilities(self, requested: Sequence[Pair], without: Sequence[Pair] = ()) -> list[float]:
        """Return the probabilities of some documents, fitted without the judgments of others."""
        known = [pair for pair in self.grades if pair not in {*without}]
        x = np.array([self.features[pair] for pair in known])
        centre, spread = x.mean(axis=0), x.std(axis=0)
        fit = LogisticRegression(solver="newton-cg", tol=1e-9, max_iter=10_000).fit(
            (x - centre) / spread, [self.grades[pair] >= 1 for pair in known]
        )
        features = np.array([self.features[pair] for pair in requested])
        return [float(p) for p in fit.predict_proba((features - centre) / spread)[:, 1]]

    def factor(self) -> tuple[float, float, int]:
        """Return b, tau and the number of groups that lose something."""
        rows = []
        for lost in self.lost.values():
            if lost:
                p = self.probabilities(lost, lost)
                result = sum(self.grades[pair] >= 1 for pair in lost)
                rows.append((result, math.fsum(p), math.fsum(value * (1 - value) for value in p)))
        b = (sum(n_relevant for n_relevant, _, _ in rows) + 0.5) / (
            math.fsum(expected for _, expected, _ in rows) + 0.5
        )
        above = sum((n_relevant - b * expected) ** 2 for n_relevant, expected, _ in rows) - b * sum(
            variance for *_, variance in rows
        )
        below = sum((b * expected) ** 2 for _, expected, _ in rows)
        return b, max(0.25, math.sqrt(max(0.0, above / below))), len(rows)


@pytest.fixture(scope="module")
def model() -> Model:
    """The model of the small collection."""
    return Model(judged(QRELS), {path.name: ranked(path) for path in POOLED}, ranked(GUESS), 20)


def rows_of(*options: str | Path) -> list[dict[str, str]]:
    """Return the rows of a call."""
    return lab(*CALL, *options, "--quiet", "--format", "csv").rows


def test_estimates(model: Model) -> None:
    """Estimates and limits for P_10 equal those of the model in loops with other random numbers."""
    [row] = rows_of("-m", "P.10", "--draws", "4000")
    b, tau, n_groups = model.factor()
    p, rng = np.array(model.probabilities(model.unjudged)), np.random.default_rng(3)
    result = ranked(GUESS)
    weight = np.array([(docno in result[topic][:10]) / 10 / len(result) for topic, docno in model.unjudged])
    draws = []
    for t in rng.standard_t(n_groups - 1, 20_000):
        f = b * math.exp(min(5, math.sqrt(math.log(1 + tau**2)) * math.sqrt(1 + 1 / n_groups) * t))
        draws.append(-float(weight @ (rng.random(p.size) < f * p)))
    expected = np.percentile(draws, [50, 2.5, 97.5])
    step = 1 / 10 / len(result)
    assert [float(row[name]) for name in ("bias", "bias_low", "bias_high")] == pytest.approx(expected, abs=step + 1e-9)
    assert int(row["to_judge"]) == len(model.unjudged)


def test_group_factor(model: Model) -> None:
    """Scale, tau and number of groups equal those of the loops."""
    pooled = prepare_graded_runs(QRELS, POOLED, "map")
    experiment = with_first_of(pooled, opened([str(GUESS)], pytest.fail), 20)[0].ranked()
    removed = removals(experiment.of_runs(np.arange(4)), list(experiment.runs[:4]), 20)
    factor = FittedRelevance(experiment, 1).factor([removal.removed for removal in removed])
    assert (factor.scale, factor.tau, factor.n_groups) == pytest.approx(model.factor(), abs=1e-6)


def test_random_factors() -> None:
    """Logarithms of factors have quantiles of Student's t, and at most exponent 5."""
    factor = GroupFactor(scale=0.5, tau=0.4, n_groups=6)
    result = np.log(factor.drawn(np.random.default_rng(1), 200_000) / 0.5)
    spread = math.sqrt(math.log(1 + 0.4**2) * (1 + 1 / 6))
    for share in (0.025, 0.25, 0.5, 0.9, 0.975):
        assert float(np.quantile(result, share)) == pytest.approx(spread * stats.t.ppf(share, 5), abs=0.02)
    greatest = GroupFactor(scale=1.0, tau=9.0, n_groups=2).drawn(np.random.default_rng(1), 9999).max()
    assert greatest == pytest.approx(math.exp(5))


def test_scores_and_bounds(tmp_path: Path) -> None:
    """Scores equal irevalx, bounds equal bounds, and coverage equals unj, also for shuffled files."""
    shuffled = tmp_path / "qrels"
    shuffled.write_text("".join(sorted(QRELS.read_text().splitlines(keepends=True), key=lambda line: line[::-1])))
    names = ["P.10", "map", "bpref", "ndcg", "rbp"]
    rows = {row["measure"]: row for row in rows_of("-m", " ".join(names), "--draws", "20")}
    other = lab(*CALL[:1], shuffled, *CALL[2:], "-m", " ".join(names), "--draws", "20", "--quiet", "--format", "csv")
    assert {row["measure"]: row for row in other.rows} == rows
    requested = [word for name in names for word in ("-m", name, "-m", f"{name}:skip")]
    printed = run(*requested, "--format", "csv", QRELS, GUESS).rows
    scores = {row["measure"]: float(row["value"]) for row in printed if row["measure"] != "runid"}
    for name, row in rows.items():
        assert float(row["score"]) == pytest.approx(scores[name])
        assert float(row["condensed"]) == pytest.approx(scores[f"{name}:skip"])
    bounds = lab("bounds", QRELS, GUESS, "-m", "P.10 rbp", "--format", "csv").rows
    for row in bounds:
        if row["topic"] == "all":
            of_run = rows[row["measure"]]
            assert [float(of_run["least"]), float(of_run["greatest"])] == pytest.approx(
                [float(row["low"]), float(row["high"])]
            )
    assert [rows["map"]["least"], rows["map"]["greatest"]] == ["", ""]
    tables = lab_json(*CALL, "-m", "map", "--draws", "5", "--quiet")
    unj = {row["run"]: row for row in tables["coverage"]}
    [first] = run("-m", "unj.10", "--format", "csv", QRELS, GUESS).rows
    assert unj["guess1"]["unjudged_10"] == pytest.approx(float(first["value"]))
    assert tables["about"]["notes"][0].startswith("guess1, map: ")
    assert [row["is_new"] for row in tables["coverage"]] == [True, False, False, False, False]


def test_suggested_command(model: Model, tmp_path: Path) -> None:
    """The suggested command lists exactly the documents to judge."""
    qrels = tmp_path / "the qrels"
    qrels.write_bytes(QRELS.read_bytes())
    printed = lab(CALL[0], qrels, *CALL[2:], "-m", "map", "--tolerance", "0.0001", "--draws", "20", "--quiet")
    [line] = [line for line in printed.stdout.decode().splitlines() if line.startswith("irevalx-lab next")]
    done = lab(*shlex.split(line)[1:], "--quiet")
    assert sorted(tuple(pair.split()) for pair in done.stdout.decode().splitlines()) == model.unjudged
    assert "cannot tell: the interval of the bias, -" in printed.words
    assert "is only partly within the tolerance of -0.0001 to 0.0001; judge the" in printed.words
    assert f"judge the {len(model.unjudged)} unjudged documents among its first 20." in printed.words


def test_topics_without_judgments(tmp_path: Path) -> None:
    """Documents of unjudged topics do not count, and a note reports them."""
    path = tmp_path / "guess1"
    path.write_text(GUESS.read_text() + "unjudged 0 X 1 1 guess1\n")
    done = lab(*CALL[:-3], path, "-m", "map", "--draws", "40", "--tolerance", "0", "--seed", "1", "--quiet")
    assert "judge the 113 unjudged documents" in done.words
    assert (
        "Topics of the new runs that are not evaluated: 1. Their documents are also listed for judging." in done.words
    )


def test_verdicts_of_intervals() -> None:
    """Intervals within the tolerance are fair, and intervals across its limits cannot tell."""
    expected = {
        (-0.01, 0.01): "fair",
        (-0.03, -0.02): "underestimated",
        (0.011, 0.02): "overestimated",
        (-0.03, -0.005): "cannot tell",
        (-0.02, 0.02): "cannot tell",
    }
    assert {ends: verdict_on(ends, 0.01) for ends in expected} == expected
    assert verdict_on(None, 0.01) == "cannot tell"


def test_sentences(tmp_path: Path) -> None:
    """Sentences report judged runs as fair, and explain missing estimates."""
    again = lab(*CALL[:-3], FIXTURES / "experiment" / "runs" / "count1", "-m", "map", "--seed", "1", "--quiet")
    assert "map: fair: all its first 20 documents are judged." in again.words
    few = lab(*CALL, "-m", "map P.10", "--group-by", "^[a-z]+", "--format", "csv")
    assert {(row["verdict"], row["bias"]) for row in few.rows} == {("cannot tell", "")}
    printed = lab(*CALL, "-m", "map", "--group-by", "^[a-z]+").words
    assert (
        "guess1, map: cannot tell: estimating the relevance of documents that no pooled run retrieved requires"
        in printed
    )
    assert "and there are only 2; add the other pooled runs" in printed
    wide = lab(*CALL, "-m", "map", "--tolerance", "0.5", "--quiet").words
    assert "guess1, map: fair (bias within 0.5)." in wide
    assert "irevalx-lab next" not in wide
    other_level = lab(*CALL, "-m", "AP(rel=2)@10", "--draws", "5", "--quiet").stdout.decode()
    assert "does not use -l" in other_level
    infap = lab(*CALL, "-m", "infAP map", "--draws", "20", "--quiet")
    assert "infAP equals map for runs whose unjudged documents were not pooled" in infap.stdout.decode()
    [of_map, of_infap] = sorted(rows_of("-m", "infAP map", "--draws", "20"), key=lambda row: row["measure"] != "map")
    assert float(of_infap["score"]) == pytest.approx(float(of_map["score"]), abs=2e-5)


def test_warnings_about_depth_and_extrapolation() -> None:
    """Warnings report depths beyond the pool and extrapolated runs."""
    message = lab(*CALL, "-m", "P.10", "--draws", "5").stderr
    assert (
        "guess1: 47.1% of its first 20 documents are unjudged, compared with at most 36.7% for a pooled run" in message
    )
    deep = lab("leave-out", QRELS, *POOLED, "--depth", "40", "--new-run", GUESS, "-m", "P.10", "--draws", "5").stderr
    assert "the pooled runs are judged only to depth 20" in deep
    assert "use --depth 20, and give runs that were not pooled with --new-run" in deep


def test_depths_below_the_cutoff(tmp_path: Path) -> None:
    """A measure with unjudged documents between depth and cutoff has no verdict, and no such depth is advised."""
    names = [ranked(path) for path in POOLED]
    first = {(topic, docno) for run in names for topic, docnos in run.items() for docno in docnos[:3]}
    shallow = tmp_path / "shallow"
    lines = [line for line in QRELS.read_text().splitlines() if tuple(line.split()[::2]) in first]
    shallow.write_text("".join(f"{line}\n" for line in lines))
    options = ("--new-run", GUESS, "-m", "P.10 P.3", "--draws", "5", "--seed", "1")
    at_3 = lab("leave-out", shallow, *POOLED, "--depth", "3", *options, "--tolerance", "1").words
    assert (
        "guess1, P_10: cannot tell: the measure uses the first 10 documents, but the bias is estimated from the "
        "unjudged documents among the first 3 only; use a cutoff of at most 3, the depth to which the pooled runs are "
        "judged."
    ) in at_3
    assert "guess1, P_3: fair (bias within 1)." in at_3
    assert "irevalx-lab next" not in at_3
    at_10 = lab("leave-out", shallow, *POOLED, "--depth", "10", *options)
    assert "no bias is estimated, because the pooled runs are judged only to depth 3" in at_10.stderr
    assert "use measures with cutoffs of at most 3 instead of P_10, and give runs that were not pooled" in at_10.stderr
    assert "use --depth" not in at_10.words
    assert "guess1, P_3: cannot tell: the pooled runs are judged only to depth 3; alternatively, judge" in at_10.words
    judged_run = lab("leave-out", QRELS, *POOLED[1:], "--depth", "3", "--new-run", POOLED[0], *options[2:], "--quiet")
    assert "P_10: fair: all its first 3 documents are judged." in judged_run.stdout.decode()


def test_measures_that_simulations_have_not_confirmed() -> None:
    """A measure whose intervals do not cover the bias in simulations has no interval and no verdict."""
    measures = "P.10 map recip_rank success.5 recall.10 recall.100 map:skip"
    rows = {row["measure"]: row for row in rows_of("-m", measures, "--draws", "5")}
    assert {name for name, row in rows.items() if row["bias_low"]} == {"P_10", "map"}
    assert {row["verdict"] for name, row in rows.items() if name not in {"P_10", "map"}} == {"cannot tell"}
    words = lab(*CALL, "-m", measures, "--draws", "5", "--quiet").words
    reason = "cannot tell: simulations have not confirmed intervals of the bias of"
    assert f"guess1, recip_rank: {reason} recip_rank; alternatively, judge the 113 unjudged documents" in words
    assert f"guess1, recall_100: {reason} recall_100. " in words


@pytest.mark.parametrize("form", ["csv", "tsv", "json", "jsonl", "markdown", "latex", "table"])
def test_formats(form: str) -> None:
    """Each format contains the verdicts and is reproducible."""
    options = ("-m", "P.10", "--draws", "5", "--quiet", "--format", form)
    done = succeeded(*CALL, *options)
    assert done.stdout == lab(*CALL, *options).stdout
    assert b"cannot tell" in done.stdout or b"fair" in done.stdout


def test_run_formats(tmp_path: Path) -> None:
    """-T applies to new runs, and the suggested command contains it."""
    paths = []
    for path in (*POOLED, GUESS):
        scores: dict[str, dict[str, float]] = {}
        for topic, _, docno, _, score, _ in map(str.split, path.read_text().splitlines()):
            scores.setdefault(topic, {})[docno] = float(score)
        (tmp_path / f"{path.name}.json").write_text(json.dumps(scores))
        paths.append(tmp_path / f"{path.name}.json")
    options = ("--depth", "20", "-m", "map", "--draws", "20", "--seed", "1", "--quiet")
    done = lab("leave-out", "-T", "json", QRELS, *paths[:-1], "--new-run", paths[-1], *options)
    assert "irevalx-lab next -T json --order depth" in done.stdout.decode()
    [line] = [line for line in done.stdout.decode().splitlines() if line.startswith("irevalx-lab next")]
    listed = lab(*shlex.split(line)[1:])
    assert len(listed.stdout.splitlines()) == 113
    assert "documents selected" not in listed.stderr


def test_groups_of_new_runs() -> None:
    """New runs of a group share their documents to judge."""
    both = lab(
        *CALL[:-3], GUESS, "--new-run", GUESS.with_name("guess2"), "-m", "P.10", "--draws", "5", "--seed", "1",
        "--quiet", "--format", "csv", "--group-by", "^guess|^.*",
    )  # fmt: skip
    assert {row["group"] for row in both.rows} == {"guess"}
    results = [ranked(GUESS), ranked(GUESS.with_name("guess2"))]
    known = judged(QRELS)
    documents = {(t, d) for run in results for t, docnos in run.items() for d in docnos[:20]} - {*known}
    assert {int(row["to_judge"]) for row in both.rows} == {len(documents)}
