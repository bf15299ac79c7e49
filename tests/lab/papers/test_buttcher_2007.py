"""Büttcher et al., SIGIR 2007, on the Cranfield collection: tables by loops, scipy and scikit-learn.

Their collection has manual and automatic runs; here the runs of two groups stand for manual ones.
"""

from __future__ import annotations

import gzip
import json
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from decimal import ROUND_HALF_UP, Decimal
from functools import cached_property
from itertools import combinations
from pathlib import Path
from shlex import split
from statistics import fmean
from typing import Any

import numpy as np
import pytest
from examples.paper_collections import Collection, Values, part, printed, values
from references import degrade as degraded
from references import statistics as reference
from references.text_classifiers import agreement, terms_of
from running import lab_rows, succeeded
from scipy.stats import kendalltau, ttest_rel
from sklearn.svm import SVC

pytestmark = pytest.mark.slow

MEASURES = ("recip_rank", "P.10", "P.20", "ndcg_cut.20", "map", "bpref", "P.20:skip", "RankEff")
"""Those of the paper's tables."""

DEPTH = 10
MANUAL = ("lsi", "vsm")
TOPICS = 24


@pytest.fixture(scope="module")
def collection(cranfield: Path, tmp_path_factory: pytest.TempPathFactory) -> Collection:
    """Twelve runs of four groups, with judgments of their first ten documents."""
    into = tmp_path_factory.mktemp("cranfield")
    result = part(cranfield, into, "^(okapi|vsm|lsi|noisy)", TOPICS)
    pool = degraded.pooled(list(result.runs.values()), DEPTH)
    qrels = {topic: {d: g for d, g in of.items() if d in pool[topic]} for topic, of in result.qrels.items()}
    lines = [f"{topic} 0 {docno} {grade}\n" for topic, of in qrels.items() for docno, grade in of.items()]
    (into / "qrels").write_text("".join(lines))
    (into / "groups").write_text("".join(f"{run} {kind_of(run)}\n" for run in result.runs))
    return Collection(into / "qrels", result.run_paths, qrels, result.runs)


def group_of(run: str) -> str:
    """Return the group of a run."""
    return run.rstrip("0123456789")


def kind_of(run: str) -> str:
    """Return whether a run represents manual or automatic runs."""
    return "manual" if group_of(run) in MANUAL else "auto"


def call_of(collection: Collection, *, by_kind: bool) -> list[str | Path]:
    """Return the command with groups or kinds of runs."""
    groups = ("--groups", collection.qrels_path.parent / "groups") if by_kind else ("--group-by", "^[a-z]+")
    return ["leave-out", *collection.files, *groups, "--depth", str(DEPTH), "--quiet"]


def without(collection: Collection, group: str, *, by_kind: bool) -> degraded.Qrels:
    """Return the judgments without the documents unique to a group."""
    groups = {run: (kind_of if by_kind else group_of)(run) for run in collection.runs}
    return degraded.without_group(collection.qrels, collection.runs, groups, group, DEPTH)[1]


@pytest.fixture(scope="module")
def full(collection: Collection) -> Values:
    """Values under full judgments."""
    return values(collection.runs, collection.qrels, MEASURES)


def scores(result: Values, measure: str) -> list[float]:
    """Return the score of each run, rounded."""
    return [round(fmean(of_topics), 12) for of_topics in result[measure].values()]


def has_changed(before: Sequence[float], after: Sequence[float]) -> bool:
    """Return whether a paired t-test is significant."""
    d = np.round(np.array(after) - np.array(before), 12)
    return bool(d.any()) and float(ttest_rel(before, after).pvalue) < 0.05


def statistics(full: Values, after: Mapping[str, Values], measure: str, chosen: Sequence[str]) -> dict[str, float]:
    """What the tables say of runs that were left out: by run, the values of all runs when its group was.

    Parameters
    ----------
    chosen : the runs that were left out.
    """
    runs, x = list(full[measure]), scores(full, measure)
    before = dict(zip(runs, reference.ranks(x), strict=True))
    gains, old, new, changes = [], [], [], []
    for run in chosen:
        y = scores(after[run], measure)
        gains.append(before[run] - reference.ranks(y)[runs.index(run)])
        old.append(x[runs.index(run)])
        new.append(y[runs.index(run)])
        changes.append(has_changed(full[measure][run], after[run][measure][run]))
    return {
        "rank_change": fmean(map(abs, gains)),
        "rise": max(0, *gains),
        "fall": max(0, *(-gain for gain in gains)),
        "bias": reference.bias(old, new),
        "rms": reference.rms(old, new),
        "tau": reference.tau(old, new),
        "tau_b": float(kendalltau(old, new).statistic),
        "significant": fmean(changes),
    }


# Tables 1 and 4: judgments, of all runs and of one kind of them


def test_tables_1_and_4_judgments(collection: Collection, tmp_path: Path) -> None:
    """Topics, groups, runs, and judged and relevant documents, of all runs and of one kind."""
    succeeded(*call_of(collection, by_kind=True), "-m", "map", "--write", tmp_path)
    files = {"": collection.qrels_path, "manual": tmp_path / "auto.qrels", "auto": tmp_path / "manual.qrels"}
    for kind, path in files.items():
        qrels = (
            collection.qrels if not kind else without(collection, {"manual": "auto"}.get(kind, "manual"), by_kind=True)
        )
        *_, total, mean = lab_rows("describe", path, "--show", "judgments")
        judged = sum(map(len, qrels.values()))
        relevant = sum(grade > 0 for of in qrels.values() for grade in of.values())
        assert (int(total["judged"]), int(total["relevant"])) == (judged, relevant)
        assert float(total["percent_relevant"]) == pytest.approx(100 * relevant / judged)
        results = [float(mean[name]) for name in ("judged", "relevant", "nonrelevant")]
        assert results == pytest.approx([number / TOPICS for number in (judged, relevant, judged - relevant)])
    groups = lab_rows("describe", *collection.files, "--group-by", "^[a-z]+", "--depth", str(DEPTH), "--show", "groups")
    assert [(row["group"], row["runs"]) for row in groups] == [(name, "3") for name in ("lsi", "noisy", "okapi", "vsm")]
    for row in groups:
        reduced = without(collection, row["group"], by_kind=False)
        gone = [(t, d) for t, of in collection.qrels.items() for d in of if d not in reduced[t]]
        assert int(row["alone"]) == len(gone)
        assert int(row["relevant_alone"]) == sum(collection.qrels[t][d] > 0 for t, d in gone)


# Table 2: each group left out


@pytest.fixture(scope="module")
def left_out(collection: Collection) -> dict[str, Values]:
    """Values of all runs under the judgments without the group of each run."""
    names = dict.fromkeys(map(group_of, collection.runs))
    results = {name: values(collection.runs, without(collection, name, by_kind=False), MEASURES) for name in names}
    return {run: results[group_of(run)] for run in collection.runs}


def test_table_2_groups_left_out(collection: Collection, full: Values, left_out: dict[str, Values]) -> None:
    """Changes of rank, RMS errors, and shares of significantly changed runs."""
    rows = lab_rows(*call_of(collection, by_kind=False), "-m", " ".join(MEASURES), "--summary", "--format", "csv")
    assert [row["measure"] for row in rows] == [printed(measure) for measure in MEASURES]
    for row in rows:
        expected = statistics(full, left_out, row["measure"], list(collection.runs))
        assert {name: float(row[name]) for name in expected} == pytest.approx(expected, abs=1e-9)
    by_measure = {row["measure"]: row for row in rows}
    assert float(by_measure["P_20"]["bias"]) < 0 < float(by_measure["bpref"]["bias"])


def test_section_5_2_documents_removed(collection: Collection) -> None:
    """Documents unique to a group, averaged over groups and topics."""
    *rows, last = lab_rows(*call_of(collection, by_kind=False), "--removed")
    total = 0
    for row in rows:
        if row["topic"] not in {"all", "mean"}:
            reduced = without(collection, row["group"], by_kind=False)[row["topic"]]
            gone = [docno for docno in collection.qrels[row["topic"]] if docno not in reduced]
            assert int(row["removed"]) == len(gone)
            total += len(gone)
    assert (last["group"], last["topic"]) == ("mean", "mean")
    assert float(last["removed"]) == pytest.approx(total / 4 / TOPICS)
    assert total


# Tables 3 and 5: one kind of runs left out


@pytest.fixture(scope="module")
def only_automatic(collection: Collection) -> Values:
    """Values under the judgments without documents unique to manual runs."""
    return values(collection.runs, without(collection, "manual", by_kind=True), MEASURES)


def test_table_3_one_kind_left_out(collection: Collection, full: Values, only_automatic: Values) -> None:
    """Statistics of the runs of one kind, and Kendall's tau over all runs."""
    call = call_of(collection, by_kind=True)
    chosen = [run for run in collection.runs if kind_of(run) == "manual"]
    for row in lab_rows(*call, "--only", "manual", "-m", " ".join(MEASURES), "--summary"):
        expected = statistics(full, dict.fromkeys(chosen, only_automatic), row["measure"], chosen)
        x, y = scores(full, row["measure"]), scores(only_automatic, row["measure"])
        expected["tau_all_runs"] = reference.tau(x, y)
        expected["tau_b_all_runs"] = float(kendalltau(x, y).statistic)
        pairs = list(combinations(zip(x, y, strict=True), 2))
        expected["inversions"] = sum((a[0] - b[0]) * (a[1] - b[1]) < 0 for a, b in pairs)
        expected["inverted"] = expected["inversions"] / len(pairs)
        assert {name: float(row[name]) for name in expected} == pytest.approx(expected, abs=1e-9)


def test_table_5_runs_and_judgments(collection: Collection, full: Values, only_automatic: Values) -> None:
    """Scores of each run under full and reduced judgments."""
    call = call_of(collection, by_kind=True)
    rows = lab_rows(*call, "--only", "manual", "--pivot", "-m", " ".join(MEASURES))
    assert [(row["run"], row["group"]) for row in rows] == [(run, kind_of(run)) for run in collection.runs]
    for row in rows:
        expected = {
            f"{kind}_{measure}": fmean(result[measure][row["run"]])
            for kind, result in (("full", full), ("biased", only_automatic))
            for measure in full
        }
        assert {name: float(cell) for name, cell in row.items() if name in expected} == pytest.approx(expected)
        assert len(row) == len(expected) + 2


# Tables 6 to 8: what classifiers predict


class Texts:
    """The documents, and the two classifiers of section 3 over all terms of the collection."""

    def __init__(self, path: Path) -> None:
        self.path = path
        lines = gzip.decompress(path.read_bytes()).decode().splitlines()
        every = {row["id"]: Counter(terms_of(f"{row['title']} {row['contents']}")) for row in map(json.loads, lines)}
        self.counts = {docno: counts for docno, counts in every.items() if counts}
        self.n_documents = len(every)
        self.place = {term: place for place, term in enumerate(sorted(set().union(*self.counts.values())))}

    def vector(self, counts: Mapping[str, int]) -> Any:
        """How often each term is there."""
        result = np.zeros(len(self.place))
        for term, number in counts.items():
            result[self.place[term]] = number
        return result

    @cached_property
    def background(self) -> Any:
        """The share of each term in the collection."""
        total: Counter[str] = Counter()
        for counts in self.counts.values():
            total.update(counts)
        return self.vector(total) / sum(total.values())

    @cached_property
    def rarity(self) -> Any:
        """The logarithm of the documents over those with a term."""
        within = Counter(term for counts in self.counts.values() for term in counts)
        return np.log(self.n_documents / self.vector(within))

    def model(self, counts: Mapping[str, int]) -> Any:
        """A language model: 0.8 of the text and 0.2 of the collection."""
        return 0.8 * self.vector(counts) / sum(counts.values()) + 0.2 * self.background

    def kld(self, relevant: Sequence[str], nonrelevant: Sequence[str], requested: Sequence[str]) -> set[str]:
        """Those that diverge less from the relevant documents than the threshold that |R| judged ones pass."""
        together: Counter[str] = Counter()
        for docno in relevant:
            together.update(self.counts[docno])
        q = self.model(together)

        def divergence(docno: str) -> tuple[float, str]:
            p = self.model(self.counts[docno])
            return round(math.fsum(p * np.log(p / q)), 10), docno

        threshold = sorted(map(divergence, [*relevant, *nonrelevant]))[len(relevant)]
        return {docno for docno in requested if divergence(docno) < threshold}

    def svm(self, relevant: Sequence[str], nonrelevant: Sequence[str], requested: Sequence[str]) -> set[str]:
        """Those on the side of the relevant documents: scikit-learn, with the cost that the definitions give."""

        def features(docno: str) -> Any:
            weights = self.vector(self.counts[docno]) * self.rarity
            return weights / weights.sum()

        vectors = np.array([features(docno) for docno in (*relevant, *nonrelevant)])
        cost = 1 / fmean(float(x @ x) for x in vectors)
        machine = SVC(kernel="linear", C=cost, class_weight="balanced")
        machine.fit(vectors, [True] * len(relevant) + [False] * len(nonrelevant))
        answers = machine.predict(np.array([features(docno) for docno in requested]))
        return {docno for docno, answer in zip(requested, answers, strict=True) if answer}

    def predicted(
        self, classifier: str, known: Mapping[str, int], unknown: Sequence[str]
    ) -> tuple[list[str], set[str]] | None:
        """The documents that can be predicted, and those predicted relevant; None if nothing can be learned."""
        relevant = [docno for docno in known if known[docno] > 0 and docno in self.counts]
        nonrelevant = [docno for docno in known if known[docno] == 0 and docno in self.counts]
        requested = [docno for docno in unknown if docno in self.counts]
        if not (relevant and nonrelevant and requested):
            return None
        return requested, (self.kld if classifier == "kld" else self.svm)(relevant, nonrelevant, requested)


@pytest.fixture(scope="module")
def texts(cranfield: Path) -> Texts:
    """The texts of the collection."""
    return Texts(cranfield / "docs.jsonl.gz")


@pytest.mark.parametrize("classifier", ["kld", "svm"])
def test_table_6_random_shares(classifier: str, collection: Collection, texts: Texts, tmp_path: Path) -> None:
    """Precision, recall and F1 of predictions from a random share, averaged over topics."""
    shares = ("0.4", "0.8")
    options: list[str | Path] = [
        "--docs",
        texts.path,
        "--classifier",
        classifier,
        "--seed",
        "2",
        "--report",
        tmp_path / "report.json",
    ]
    flags = [word for share in shares for word in ("--holdout", share)]
    succeeded("complete", collection.qrels_path, *options, *flags, "--quiet")
    rows = json.loads((tmp_path / "report.json").read_text())["holdout"]
    results: dict[str, dict[str, tuple[float, float, float]]] = {}
    for share in shares:
        results[share] = {}
        for topic, grades in collection.qrels.items():
            order = degraded.shuffled(list(grades), 2, "holdout", topic, 0)
            number = max(1, int((Decimal(share) * len(order)).to_integral_value(ROUND_HALF_UP)))
            known, rest = {docno: grades[docno] for docno in grades if docno in order[:number]}, order[number:]
            if made := texts.predicted(classifier, known, rest):
                requested, predicted = made
                results[share][topic] = agreement(predicted, {docno for docno in requested if grades[docno] > 0})
    for share, row in zip(shares, rows, strict=True):
        means = [fmean(column) for column in zip(*results[share].values(), strict=True)]
        assert [row["precision"], row["recall"], row["f1"]] == pytest.approx(means)
        assert row["topics"] == len(results[share]) > TOPICS / 2


@pytest.fixture(scope="module")
def completed(collection: Collection, texts: Texts) -> dict[tuple[str, str, str], Any]:
    """Predictions and completed judgments without a group, by classifier, groups or kinds, and name."""
    results: dict[tuple[str, str, str], Any] = {}
    groups = [("groups", name) for name in dict.fromkeys(map(group_of, collection.runs))]
    for classifier in ("kld", "svm"):
        for how, name in (*groups, ("kinds", "manual")):
            reduced = without(collection, name, by_kind=how == "kinds")
            predictions, qrels = {}, {topic: dict(grades) for topic, grades in reduced.items()}
            for topic, grades in collection.qrels.items():
                gone = [docno for docno in grades if docno not in reduced[topic]]
                made = texts.predicted(classifier, reduced[topic], gone)
                requested, relevant = made or ([], set())
                if made:
                    predictions[topic] = made
                qrels[topic] |= {docno: int(docno in relevant) if docno in requested else -1 for docno in gone}
            results[classifier, how, name] = (predictions, qrels)
    return results


@pytest.mark.parametrize("how", ["groups", "kinds"])
def test_tables_6_to_8_completed_judgments(
    how: str, collection: Collection, full: Values, completed: dict[tuple[str, str, str], Any], texts: Texts
) -> None:
    """What only a group has found, predicted from the rest: the last rows of Table 6, Table 7, and with a kind of runs
    Table 8.
    """  # noqa: D205
    measures = ("P.20", "map", "bpref", "RankEff")
    call = [*call_of(collection, by_kind=how == "kinds"), *(["--only", "manual"] if how == "kinds" else [])]
    options: list[str | Path] = [
        *split("--complete kld --complete svm"),
        "--docs",
        texts.path,
        "-m",
        " ".join(measures),
    ]
    done = succeeded(*call, *options, "--format", "json")
    tables = json.loads(done.stdout)
    kind: dict[str, str] = {run: "manual" if how == "kinds" else group_of(run) for run in collection.runs}
    chosen = [run for run in collection.runs if how == "groups" or kind_of(run) == "manual"]
    for classifier in ("kld", "svm"):
        made = {name: qrels for (by, form, name), qrels in completed.items() if (by, form) == (classifier, how)}
        qualities = [
            agreement(relevant, {docno for docno in requested if collection.qrels[topic][docno] > 0})
            for predictions, _ in made.values()
            for topic, (requested, relevant) in predictions.items()
        ]
        [row] = [row for row in tables["quality of predictions"] if row["judgments"] == classifier]
        assert [row["precision"], row["recall"], row["f1"]] == pytest.approx(
            [fmean(column) for column in zip(*qualities, strict=True)]
        )
        of_group = {name: values(collection.runs, qrels, measures) for name, (_, qrels) in made.items()}
        for measure in map(printed, measures):
            [row] = [row for row in tables["summary"] if (row["measure"], row["judgments"]) == (measure, classifier)]
            expected = statistics(full, {run: of_group[kind[run]] for run in chosen}, measure, chosen)
            if how == "kinds":
                x, y = scores(full, measure), scores(of_group["manual"], measure)
                expected["tau_all_runs"] = reference.tau(x, y)
            assert {name: row[name] for name in expected} == pytest.approx(expected, abs=1e-9)
