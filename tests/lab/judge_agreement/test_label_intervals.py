"""How often intervals of labels cover what all topics there are have, and whether combinations of machines help.

``JUDGE_DRAWS=200`` draws so many samples of topics from the collections, and prints what docs/llm-judges.md
has; without it a small part runs, of made documents. Machines are simulated: they miss relevant documents and take others
for relevant, at random or more often in some topics than in others.
"""

from __future__ import annotations

import copy
import gzip
import os
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from examples.label_files import machine_labels

import irevalx.lab
from irevalx.api.inputs import Qrels
from irevalx.arrays.segments import IntArray
from irevalx.experiments.inputs import graded_judgments_of
from irevalx.experiments.labels import PairedLabels
from irevalx.experiments.prepared_runs import prepare_graded_runs
from irevalx.experiments.ranked_runs import EvaluationRules
from irevalx.frozen import replace
from irevalx.lab.judge_agreement.document_agreement import DocumentAgreement, LabelBootstrap
from irevalx.lab.judge_agreement.judges import COMBINATIONS, Judge, combine_labels
from irevalx.lab.judge_agreement.parts import AgreementPart, AgreementStatistic
from irevalx.lab.judge_agreement.real_labels import means_over_documents
from irevalx.lab.judge_agreement.run_agreement import SHUFFLES, RunAgreement, run_agreements, with_reranked
from irevalx.lab.judge_agreement.several_judges import kappa_over, self_consistency
from irevalx.statistics.label_agreement import kappa, squared_errors

DRAWS = int(os.environ.get("JUDGE_DRAWS", "0"))


class Population:
    """Judgments and three machines' labels of a collection, of which topics are sampled."""

    def __init__(self, folder: Path, into: Path) -> None:
        qrels = folder / "qrels.gz"
        people = graded_judgments_of(qrels)
        rates = ((0.3, 0.02), (0.2, 0.1), (0.5, 0.05))
        paths = [
            machine_labels(qrels, into / f"m{seed}", missed=missed, wrong=wrong, seed=seed)
            for seed, (missed, wrong) in enumerate(rates)
        ]
        machines = [graded_judgments_of(path) for path in paths]
        judges = [Judge(name=str(n), labels=labels) for n, labels in enumerate(machines)]
        vote = combine_labels(judges, 1).judges[0].labels
        both = [PairedLabels.of(people, labels, people.topics) for labels in (*machines, vote)]
        self.agreements = [
            DocumentAgreement(labelling, people, labels)
            for labelling, labels in zip(both, (*machines, vote), strict=True)
        ]
        answers = PairedLabels.of(machines[0], machines[1], people.topics)
        self.answers = DocumentAgreement(answers, machines[0], machines[1])
        self.human, self.machine, self.topic = both[0].human, both[0].machine, both[0].judgments.rows.ids
        rng = np.random.default_rng(1)
        self.relevant = self.human > 0
        self.probability = rng.beta(1 + 2 * self.relevant, 3 - 2 * self.relevant)
        self.n_topics = len(people.topics)
        runs = sorted((folder / "runs").iterdir()) if (folder / "runs").is_dir() else []
        self.evaluated: list[RunAgreement] = []
        if runs:
            rules = EvaluationRules.of(complete=True)
            experiment = prepare_graded_runs(Qrels(both[0].judgments), runs, "map P.10", rules).ranked()
            self.evaluated = list(run_agreements(with_reranked(experiment, both[0].machine), both[0], LabelBootstrap()))

    def findings(self, topics: IntArray, resampling: LabelBootstrap) -> Iterator[AgreementStatistic]:
        """Yield what a sample of topics says."""
        first, *_, vote = (_of(agreement, topics) for agreement in self.agreements)
        yield from (
            row
            for part in first.statistics(resampling.for_few_topics(topics.size))
            for row in part.rows()
            if row.level in {None, 1}
        )
        judges = kappa_over(vote, first, resampling) | self_consistency([_of(self.answers, topics)], resampling)
        places = [np.flatnonzero(self.topic == topic) for topic in topics.tolist()]
        of_topic = np.repeat(np.arange(len(places)), [len(documents) for documents in places])
        where = np.concatenate(places)
        means = {
            "grade_bias": (self.machine - self.human)[where].astype(np.float64),
            "brier": squared_errors(self.probability, self.relevant)[where],
            "probability_bias": (self.probability - self.relevant)[where],
        }
        yield from AgreementPart("grades", judges | means_over_documents(means, of_topic, resampling)).rows()
        for agreement in self.evaluated:
            x, y = (values[:, topics] for values in agreement.paired.values)
            of_runs = replace(
                agreement, paired=replace(agreement.paired, values=(x, y)), bootstrap=resampling
            ).gain_statistics()
            displayed = {None, self.evaluated[0].paired.runs[0]}
            rows = (row for part in of_runs if part.run in displayed for row in part.rows())
            yield from (row for row in rows if row.statistic in GAINS)


GAINS = {"gain_human", "gain_machine", "promise", "gain_ratio"}


def _of(agreement: DocumentAgreement, topics: IntArray) -> DocumentAgreement:
    """Return how labels agree on topics, which may come several times."""
    sample = copy.copy(agreement)
    sample.confusions = agreement.confusions[topics]
    return sample


def coverage(population: Population, n_topics: int, n_draws: int) -> dict[tuple[str, ...], float]:
    """Return the share of samples whose interval covers the value of all topics, by statistic."""
    rng = np.random.default_rng(n_topics)
    truth = {
        _key(finding): finding.value
        for finding in population.findings(np.arange(population.n_topics), LabelBootstrap())
    }
    covered: dict[tuple[str, ...], int] = {}
    for draw in range(n_draws):
        topics = rng.integers(0, population.n_topics, n_topics)
        for finding in population.findings(topics, LabelBootstrap(resamples=300, seed=draw)):
            value = truth[_key(finding)]
            if finding.low is not None and finding.high is not None and value is not None:
                covered[_key(finding)] = covered.get(_key(finding), 0) + (
                    finding.low - 1e-9 <= value <= finding.high + 1e-9
                )
    return {key: number / n_draws for key, number in covered.items()}


def _key(finding: AgreementStatistic) -> tuple[str, ...]:
    return tuple(
        str(part) for part in (finding.statistic, finding.level, finding.measure, finding.run) if part is not None
    )


@pytest.mark.filterwarnings("ignore::irevalx.errors.IrevalxWarning")
@pytest.mark.skipif(not DRAWS, reason="JUDGE_DRAWS says how many draws")
def test_coverage_on_collections(collection: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Nominal 95 % intervals over 25 topics and more: prints each statistic."""
    population = Population(collection, tmp_path)
    for n_topics in (25, 50):
        result = coverage(population, n_topics, DRAWS)
        with capsys.disabled():
            for key, share in result.items():
                print(f"{collection.name} {n_topics} topics {' '.join(key)}: {share:.3f}")  # noqa: T201


N_MACHINES = 10
"""Sets of three machines, or machines that rerank."""

ERRORS = ((0.3, 0.02), (0.2, 0.1), (0.1, 0.05), (0.5, 0.05), (0.4, 0.2))
"""The shares of relevant documents that a machine misses, and of others that it takes for relevant."""


@pytest.mark.filterwarnings("ignore::irevalx.errors.IrevalxWarning")
@pytest.mark.skipif(not DRAWS, reason="JUDGE_DRAWS asks for simulations")
def test_combinations_on_collections(collection: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Combinations of three machines with independent errors are better than the worst machine."""
    people, rng = graded_judgments_of(collection / "qrels.gz"), np.random.default_rng(1)
    above_worst, below_best, n_below = dict.fromkeys(COMBINATIONS, 0), dict.fromkeys(COMBINATIONS, 0), 0
    for draw in range(N_MACHINES):
        judges = []
        for n in range(3):
            missed, wrong = ERRORS[int(rng.integers(len(ERRORS)))]
            path = machine_labels(
                collection / "qrels.gz", tmp_path / str(n), missed=missed, wrong=wrong, seed=3 * draw + n
            )
            judges.append(Judge(name=str(n), labels=graded_judgments_of(path)))

        def kappa_of(judge: Judge) -> float:
            both = PairedLabels.of(people, judge.labels, people.topics)
            agreement = DocumentAgreement(both, people, judge.labels)
            return float(kappa(agreement.counts, agreement.grades))

        alone = [kappa_of(judge) for judge in judges]
        together = {judge.name: kappa_of(judge) for judge in combine_labels(judges, 1).judges}
        for name, value in together.items():
            above_worst[name] += value > min(alone)
            below_best[name] += value < max(alone)
        with warnings.catch_warnings(record=True) as lines:
            warnings.simplefilter("always")
            paths = {str(n): tmp_path / str(n) for n in range(3)}
            result = irevalx.lab.labels(collection / "qrels.gz", machines=paths, resamples=0, seed=1)
        gains = [(part.judge, part.statistics["kappa_over"].or_nan) for part in result.of("combination")]
        n_below += len({name for name, gain in gains if gain < 0})
        assert not any("less with human labels" in str(line.message) for line in lines)  # without intervals
    with capsys.disabled():
        print(f"{collection.name}: above the worst {above_worst}, below the best {below_best}, of {n_below}")  # noqa: T201
    assert n_below == sum(below_best.values())
    assert min(above_worst.values()) == N_MACHINES


@pytest.mark.filterwarnings("ignore::irevalx.errors.IrevalxWarning")
@pytest.mark.skipif(not DRAWS, reason="JUDGE_DRAWS asks for simulations")
def test_reranked_runs_are_found(cranfield: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The excess bias of a reranked run of cranfield is significant for every judge."""
    runs, result, promised = sorted((cranfield / "runs").iterdir()), 0, 0
    people = graded_judgments_of(cranfield / "qrels.gz")
    for seed in range(N_MACHINES):
        missed, wrong = ERRORS[seed % len(ERRORS)]
        path = machine_labels(cranfield / "qrels.gz", tmp_path / "m", missed=missed, wrong=wrong, seed=seed)
        both = PairedLabels.of(people, graded_judgments_of(path), people.topics)
        prepared = prepare_graded_runs(Qrels(both.judgments), runs, "map", EvaluationRules.of(complete=True))
        experiment = with_reranked(prepared.ranked(), both.machine)
        [agreement] = run_agreements(experiment, both, LabelBootstrap(resamples=300, seed=1), shuffles=SHUFFLES)
        [of_run] = [part.statistics for part in agreement.gain_statistics() if part.run == "okapi1"]
        result += (of_run["rerank_excess_bias_p"].value or 0.0) < 0.05
        promised += (of_run["promise"].low or 0.0) > 0
    with capsys.disabled():
        print(f"cranfield okapi1 reranked by {N_MACHINES} machines: found {result}, promises more {promised}")  # noqa: T201
    assert result == N_MACHINES


def simulated_labels(rng: np.random.Generator, n_topics: int) -> tuple[dict[str, dict[str, int]], ...]:
    """Return human and machine labels; prevalence and error rates differ between topics."""
    human: dict[str, dict[str, int]] = {}
    machine: dict[str, dict[str, int]] = {}
    for topic in map(str, range(n_topics)):
        relevant = rng.random(40) < rng.beta(2, 6)
        labels = rng.random(40) < np.where(relevant, rng.beta(16, 4), rng.beta(3, 27))
        for judge, grades in ((human, relevant), (machine, labels)):
            judge[topic] = {f"d{n}": int(grade) for n, grade in enumerate(grades.tolist())}
    return human, machine


@pytest.mark.filterwarnings("ignore::irevalx.errors.IrevalxWarning")
@pytest.mark.skipif(not DRAWS, reason="JUDGE_DRAWS says how many collections")
def test_coverage_of_few_topics(capsys: pytest.CaptureFixture[str]) -> None:
    """Nominal 95% intervals of ``labels`` with one machine over 10 topics."""
    many = irevalx.lab.labels(*simulated_labels(np.random.default_rng(0), 20_000), resamples=0)
    names = {"agreement", "kappa", "alpha_ordinal", "ac1"}
    truth = {row.statistic: row.value for row in many.rows if row.statistic in names}
    covered = dict.fromkeys(truth, 0)
    for draw in range(DRAWS):
        sample = simulated_labels(np.random.default_rng(draw + 1), 10)
        for row in irevalx.lab.labels(*sample, resamples=400, seed=draw).rows:
            value = truth.get(row.statistic)
            if value is not None and row.low is not None and row.high is not None and row.level is None:
                covered[row.statistic] += row.low <= value <= row.high
    with capsys.disabled():
        print({name: number / DRAWS for name, number in covered.items()})  # noqa: T201
    assert covered["kappa"] > 0.91 * DRAWS


@pytest.mark.slow
def test_coverage_of_simulated_documents(tmp_path: Path) -> None:
    """Intervals cover values of all topics, with varying numbers of relevant documents."""
    rng = np.random.default_rng(2)
    grades = [(topic, n, int(rng.random() < 0.1 + 0.005 * topic)) for topic in range(80) for n in range(20)]
    text = "".join(f"{100 + topic} 0 d{n} {grade}\n" for topic, n, grade in grades)
    (tmp_path / "qrels.gz").write_bytes(gzip.compress(text.encode()))
    result = coverage(Population(tmp_path, tmp_path), 25, 40)
    assert len(result) == 19
    assert min(result.values()) >= 0.8
