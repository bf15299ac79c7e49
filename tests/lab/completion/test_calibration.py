"""Probabilities of relevance, and expected measures."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from examples.experiment import EXPERIMENT, rank_graded_runs
from hypothesis import given
from hypothesis import strategies as st
from running import examples, judgments_of, opened
from sklearn import calibration as sklearn_calibration

from irevalx.arrays.segments import BoolArray, FloatArray, IntArray
from irevalx.errors import InputError
from irevalx.experiments.inputs import GradedQrelsText
from irevalx.experiments.ranked_runs import EvaluationRules
from irevalx.experiments.samples import RandomOrder, first_share
from irevalx.lab.completion.classifiers import Classification, Collection, classifier_for
from irevalx.lab.completion.completion_options import CLASSIFIERS
from irevalx.lab.completion.documents import Document, read_documents
from irevalx.lab.completion.predictions import (
    FOLDS,
    Completion,
    Sigmoid,
    calibrate,
    expected_measures,
    fit_sigmoid,
    probabilities_of_relevance,
)
from irevalx.reading.sources.files import Source

pytestmark = pytest.mark.slow


def test_sigmoid_by_hand() -> None:
    """With slope -2 and intercept 1 the probability is 1/2 at 0.5 and 1/(1 + e) at 0."""
    result = Sigmoid(-2, 1).probabilities(np.array([0.5, 0.0, -1e6, 1e6]))
    assert result.tolist() == pytest.approx([0.5, 1 / (1 + math.e), 0, 1])


@examples(50)
@given(st.integers(0, 999), st.integers(3, 200), st.sampled_from([1e-3, 1.0, 50.0]))
def test_sigmoid_of_scikit_learn(seed: int, n: int, unit: float) -> None:
    """The fit equals scikit-learn's, whatever the unit of the decision values."""
    random = np.random.default_rng(seed)
    relevant = np.arange(n) < max(1, n // 5)
    values = unit * (random.normal(0, 1, n) + relevant)
    result = fit_sigmoid(values, relevant)
    slope, intercept = sklearn_calibration._sigmoid_calibration(values, relevant)  # noqa: SLF001
    expected = 1 / (1 + np.exp(slope * values + intercept))
    assert result.probabilities(values).tolist() == pytest.approx(expected.tolist(), abs=2e-3)


def test_calibration_of_the_sigmoid() -> None:
    """The fit recovers the slope and intercept of a known sigmoid."""
    random = np.random.default_rng(1)
    values = random.normal(0, 2, 20_000)
    relevant = random.random(20_000) < 1 / (1 + np.exp(1 - 1.5 * values))
    result = fit_sigmoid(values, relevant)
    assert [result.slope, result.intercept] == pytest.approx([-1.5, 1], abs=0.05)


class Recorder:
    """A classifier that returns each place minus 6.5 and records its calls."""

    def __init__(self) -> None:
        self.calls: list[tuple[set[int], set[int]]] = []

    def classify(self, judged: IntArray, relevant: BoolArray, unknown: IntArray) -> Classification:
        """Note the question."""
        self.calls.append((set(judged.tolist()), set(unknown.tolist())))
        return Classification(unknown > 6, unknown.astype(np.float64) - 6.5)


def test_folds() -> None:
    """Each judged document is predicted from four of five folds, which share the relevant documents."""
    lines = "".join(f"1 0 d{number:02} {int(number > 6)}\n" for number in range(17)) + "1 0 e -1\n2 0 d00 1\n"
    judgments = judgments_of(lines)
    documents = [Document(b"d%02d" % number, "word", "docs:1") for number in range(17)]
    collection = Collection.of([*documents, Document(b"e", "word", "docs:1")], set(judgments.docnos.texts()))
    recorder = Recorder()
    completion = Completion(judgments, collection, recorder)
    result = calibrate(completion, judgments.grades >= 0, RandomOrder(judgments, 1, "calibration"))
    assert len(recorder.calls) == FOLDS
    assert sorted(place for _, unknown in recorder.calls for place in unknown) == list(range(17))
    for judged, unknown in recorder.calls:
        assert judged | unknown == set(range(17))
        assert not judged & unknown
        assert sum(place > 6 for place in unknown) == 2
    assert result.probabilities(np.array([5.0]))[0] > 0.9
    assert result.probabilities(np.array([-5.0]))[0] < 0.1
    predictions = completion.predict(judgments.grades >= 0, judgments.grades < 0)
    probability = probabilities_of_relevance(completion, predictions, Sigmoid(-1, 0), judgments.grades)
    assert probability[:17].tolist() == [0] * 7 + [1] * 10
    assert probability[17:].tolist() == pytest.approx([1 / (1 + math.exp(-10.5)), 1])


def test_too_few_documents() -> None:
    """A single relevant document is too few for a calibration."""
    judgments = judgments_of("1 0 a 1\n1 0 b 0\n")
    collection = Collection.of([Document(b"a", "x", ""), Document(b"b", "y", "")], {b"a", b"b"})
    with pytest.raises(InputError, match="there are not both"):
        calibrate(Completion(judgments, collection, Recorder()), judgments.grades >= 0, RandomOrder(judgments, 1, "c"))


@examples(30)
@given(st.lists(st.sampled_from([0.0, 0.25, 0.5, 1.0]), min_size=5, max_size=5))
def test_expected_measures(probabilities: list[float]) -> None:
    """Expected measures equal the sum over all ways to judge, weighted by probability."""
    judgments = judgments_of("".join(f"1 0 {docno} 0\n" for docno in "abcde") + "2 0 a 1\n")
    run = "1 Q0 b 1 9 r\n1 Q0 x 2 8 r\n1 Q0 a 3 7 r\n1 Q0 e 4 6 r\n1 Q0 c 5 5 r\n"
    runs = opened(
        [Source("r", run.encode()), Source("s", (run + "2 Q0 a 1 1 s\n").replace(" r\n", " s\n").encode())], print
    )
    experiment = rank_graded_runs(judgments, runs, ["map", "P.2,5", "recip_rank"], EvaluationRules.of(complete=True))
    result = expected_measures(experiment, np.array([*probabilities, 1.0]), ("P_2", "P_5", "recip_rank", "map"))
    p = dict(zip("abcde", probabilities, strict=True))
    expected = {"P_2": 0.0, "P_5": 0.0, "recip_rank": 0.0, "map": 0.0}
    for case in product([False, True], repeat=5):
        relevant = dict(zip("abcde", case, strict=True), x=False)
        chance = math.prod(p[docno] if relevant[docno] else 1 - p[docno] for docno in "abcde")
        hits = [relevant[docno] for docno in "bxaec"]
        expected["P_2"] += chance * sum(hits[:2]) / 2
        expected["P_5"] += chance * sum(hits) / 5
        expected["recip_rank"] += chance * (1 / (hits.index(True) + 1) if any(hits) else 0)
        precisions = sum(sum(hits[: k + 1]) / (k + 1) for k in range(5) if hits[k])
        expected["map"] += chance * (precisions / sum(case) if any(case) else 0)
    for name, value in expected.items():
        assert result[name][0, 0] == pytest.approx(value, abs=1e-12)
    assert (result["map"][0, 1], result["map"][1, 1]) == (0, 1)


def test_certain_probabilities() -> None:
    """With probabilities 0 and 1 expected measures equal the measures."""
    judgments = GradedQrelsText.of(EXPERIMENT / "qrels").judgments
    runs = opened([str(path) for path in sorted((EXPERIMENT / "runs").iterdir())], print)
    experiment = rank_graded_runs(judgments, runs, ["map", "P.5,10", "recip_rank"])
    result = expected_measures(experiment, (judgments.grades > 0).astype(np.float64), experiment.measures)
    for name, values in zip(experiment.measures, experiment.values(), strict=True):
        np.testing.assert_allclose(result[name], values, atol=1e-12)


@pytest.mark.parametrize("classifier", CLASSIFIERS)
def test_probabilities_of_cranfield(classifier: str, cranfield: Path) -> None:
    """The sum of probabilities of held-out documents is close to the number of relevant ones."""
    judgments = GradedQrelsText.of(cranfield / "qrels.gz").judgments
    collection = Collection.of(read_documents(Source(str(cranfield / "docs.jsonl.gz"))), set(judgments.docnos.texts()))
    completion = Completion(judgments, collection, classifier_for(classifier, collection))
    order = RandomOrder(judgments, 1, "holdout")
    known = np.zeros(judgments.rows.size, np.bool_)
    for topic in range(judgments.rows.n):
        known[first_share(order.of(topic), Fraction(4, 5))] = True
    sigmoid = calibrate(completion, known, RandomOrder(judgments, 1, "calibration"))
    predictions = completion.predict(known, ~known)
    p: FloatArray = sigmoid.probabilities(predictions.value[predictions.predicted])
    relevant = judgments.grades[predictions.predicted] > 0
    assert p.sum() == pytest.approx(relevant.sum(), rel=0.25)
    brier, without = ((p - relevant) ** 2).mean(), ((relevant.mean() - relevant) ** 2).mean()
    assert brier < without
