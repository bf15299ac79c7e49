"""Real grades: every measure is that of whole grades in the same order, a literal loop, or refused."""

from __future__ import annotations

import math
import random
from bisect import bisect_left
from collections.abc import Iterable, Mapping
from itertools import pairwise, permutations
from typing import Any

import numpy as np
import pytest
from references import family as reference_family  # noqa: F401 - loops for gains that grow exponentially
from references.judges import judge
from references.measures import OUTSIDE, Topic, graded

import irevalx
from irevalx.errors import UsageError
from irevalx.measures import MEASURES

FEATURE = "grades=real"
N_CASES = 300
OF_LEVELS = tuple(
    measure.name
    for measure in MEASURES
    if "qrels" in measure.formats and measure.uses_level and measure.name != "Rndcg" and measure.per_topic
)

Topics = dict[str, dict[str, float]]


def cases(seed: int, grades: list[float]) -> tuple[Topics, Topics]:
    """Return judgments with such grades, some below 0, and a run that retrieves other documents too."""
    source = random.Random(seed)
    qrels: Topics = {}
    run: Topics = {}
    for topic in map(str, range(N_CASES)):
        documents = [f"d{number}" for number in range(source.randint(1, 9))]
        qrels[topic] = {docno: source.choice(grades) for docno in documents}
        retrieved = source.sample([*documents, "x", "y", "z"], source.randint(1, len(documents) + 3))
        run[topic] = {docno: -float(rank) for rank, docno in enumerate(retrieved)}
    return qrels, run


def values(qrels: Topics, run: Topics, measures: str | tuple[str, ...], **keywords: object) -> dict[str, list[float]]:
    """Return the values of all topics under each name."""
    scores = irevalx.evaluate(qrels, run, measures, **keywords)  # type: ignore[arg-type]
    assert scores.topics() == sorted(qrels)
    return {name: scores.per_topic(name).tolist() for name in scores.measures}


@pytest.mark.filterwarnings("ignore::irevalx.IrevalxWarning")
@pytest.mark.parametrize("keywords", [{}, {"judged_only": True}, {"max_retrieved": 3}, {"unjudged": ("nonrel", "rel")}])
def test_levels(keywords: dict[str, object]) -> None:
    """Measures of what is relevant see 1 from the level on and 0 below it, as they do of whole grades."""
    qrels, run = cases(1, [-1.5, -0.1, 0.0, 0.2, 0.49, 0.5, 0.7, 3.25])
    as_whole: Topics = {
        topic: {docno: -1 if grade < 0 else int(grade >= 0.5) for docno, grade in documents.items()}
        for topic, documents in qrels.items()
    }
    expected = values(as_whole, run, OF_LEVELS, **keywords)
    result = values(qrels, run, OF_LEVELS, grades="real", level=0.5, **keywords)
    for name, numbers in expected.items():
        assert result[name] == pytest.approx(numbers, abs=1e-12, nan_ok=True), name


Coded = tuple[Topic, list[tuple[int, float]]]
"""A topic with whole grades, and what these gain."""


def coded(documents: Mapping[str, float], ranking: Iterable[str], given: Mapping[float, float] = {}) -> Coded:
    """Return a topic in which each grade is its place among the grades, from the least gain up; the level is 0.5."""
    every = sorted({*given, *(grade for grade in documents.values() if grade >= 0)})
    codes = {grade: code for code, grade in enumerate(every)}
    retrieved = [codes.get(documents.get(docno, -1.0), OUTSIDE) for docno in ranking]
    topic = Topic(retrieved, [codes.get(grade, -1) for grade in documents.values()], bisect_left(every, 0.5))
    return topic, sorted(((code, given.get(grade, grade)) for grade, code in codes.items()), key=lambda pair: pair[1])


def ndcg_at(k: int, topic: Topic, pairs: list[tuple[int, float]]) -> float:
    """Return ndcg of the first k documents, with the k best of the ideal ranking; higher codes gain more."""
    cut = Topic(topic.ranking[:k], sorted(topic.judgments, reverse=True)[:k])
    return float(graded.by_name["ndcg"](cut, pairs))


@pytest.mark.filterwarnings("ignore:.*no relevant document at level")
@pytest.mark.parametrize("text", ["", "0.5=2,0.2=0.1"])
def test_gains(text: str) -> None:
    """Gains are the grades, unless given."""
    qrels, run = cases(2, [-1.0, 0.0, 0.2, 0.5, 0.71, 0.7100001, 2.5])
    given = {float(key): float(gain) for key, _, gain in (pair.partition("=") for pair in text.split(",") if pair)}
    with_gains = ("ndcg", "dcg", "ideal_dcg", "ndcg_rel", "Rndcg", "rbp")
    requests = tuple(f"{name}.{text}".rstrip(".") for name in with_gains) + (("ndcg_cut.1,3,20",) if not text else ())
    result = values(qrels, run, requests, grades="real", level=0.5)
    for place, (topic, documents) in enumerate(sorted(qrels.items())):
        seen = coded(documents, run[topic], given)
        expected = {name: graded.by_name[name](*seen, *((0.9,) if name == "rbp" else ())) for name in with_gains}
        expected = {f"{name}_{text}".rstrip("_"): value for name, value in expected.items()}
        expected |= {f"ndcg_cut_{k}": ndcg_at(k, *seen) for k in (1, 3, 20) if not text}
        assert expected.keys() == result.keys()
        for name, value in expected.items():
            assert result[name][place] == pytest.approx(value, abs=1e-12, nan_ok=True), (name, topic)


@pytest.mark.filterwarnings("ignore::irevalx.IrevalxWarning")
def test_exponential_gains_overlap_and_inst() -> None:
    """ERR and ndcg_burges take 2**grade - 1, compatibility the order of grades, and INST divides by the highest grade."""
    qrels, run = cases(3, [-1.0, 0.0, 0.2, 0.5, 1.7, 3.9])
    result = values(qrels, run, ("ERR.3", "ndcg_burges.3", "compatibility", "INST.T=2"), grades="real")
    for place, (topic, documents) in enumerate(sorted(qrels.items())):
        ranking = [documents.get(docno, OUTSIDE) for docno in run[topic]]
        seen = Topic(ranking, list(documents.values()))  # type: ignore[arg-type]
        assert result["INST_T=2"][place] == pytest.approx(graded.by_name["INST"](seen, T=2.0), abs=1e-12)
        for name, arguments in (("ERR", (3,)), ("ndcg_burges", (3,)), ("compatibility", ())):
            printed = "_".join(map(str, (name, *arguments)))
            nothing_gained = max(documents.values()) <= 0  # such topics have no value
            expected = math.nan if nothing_gained else graded.by_name[name](seen, *arguments)
            assert result[printed][place] == pytest.approx(expected, abs=1e-12, nan_ok=True), name


def test_err_of_too_high_grades() -> None:
    """The hint is a whole number that the grades do not exceed."""
    with pytest.raises(irevalx.IrevalxError, match=r"grade 4\.5 is above 4, the highest grade of ERR; use ERR\.max=5"):
        irevalx.evaluate({"1": {"A": 4.5}}, {"1": {"A": 1.0}}, "ERR", grades="real")


def test_each_measure_of_grades_is_tested_or_refused() -> None:
    """No measure of qrels is left over."""
    tested = {*OF_LEVELS, "ndcg", "dcg", "ideal_dcg", "ndcg_rel", "Rndcg", "rbp", "ndcg_cut", "ERR", "ndcg_burges"}
    tested |= {"compatibility", "INST"}
    without_grades = {"num_ret", "judged", "unj", "rbp_resid", "gm_map", "gm_bpref"}
    for measure in MEASURES:
        if "qrels" in measure.formats and measure.kernel:
            assert (measure.name in tested | without_grades) != (FEATURE in measure.refuses), measure.name


def test_refused() -> None:
    """A measure that is not defined says why; sets leave it out, and say so."""
    with pytest.raises(UsageError, match='relstring cannot be combined with grades="real": each grade is one'):
        irevalx.evaluate({"1": {"A": 0.5}}, {"1": {"A": 1.0}}, "relstring", grades="real")
    with pytest.warns(irevalx.IrevalxWarning) as caught:
        scores = irevalx.evaluate({"1": {"A": 0.5}}, {"1": {"A": 1.0}}, "all_trec", grades="real", level=0.5)
    assert 'measures that are not defined with grades="real" are left out: relstring, G' in str(caught[0].message)
    assert "G" not in scores.measures
    assert "binG" in scores.measures


def test_scikit_learn() -> None:
    """Real gains give its dcg_score and ndcg_score, where every document is retrieved."""
    metrics = pytest.importorskip("sklearn.metrics")
    source = random.Random(4)
    qrels = {str(topic): {f"d{n}": source.choice([0.0, source.random() * 3]) for n in range(12)} for topic in range(50)}
    run = {topic: {docno: source.random() for docno in documents} for topic, documents in qrels.items()}
    result = values(qrels, run, ("dcg", "ndcg", "ndcg_cut.5"), grades="real")
    for place, (topic, documents) in enumerate(sorted(qrels.items())):
        given = [list(documents.values())], [[run[topic][docno] for docno in documents]]
        assert result["dcg"][place] == pytest.approx(metrics.dcg_score(*given), abs=1e-12)
        assert result["ndcg"][place] == pytest.approx(metrics.ndcg_score(*given), abs=1e-12)
        assert result["ndcg_cut_5"][place] == pytest.approx(metrics.ndcg_score(*given, k=5), abs=1e-12)


@pytest.mark.judges
def test_cwl_eval() -> None:
    """Its RBP, residuals and DCG are of real gains; its NDCG is scaled otherwise, and ours the ratio to the ideal DCG."""
    rbp, dcg = judge("cwl.ruler.measures.cwl_rbp"), judge("cwl.ruler.measures.cwl_dcg")
    ranking = judge("cwl.ruler.ranking").Ranking
    qrels, run = cases(5, [0.0, 0.0, 0.07, 0.31, 0.5, 0.98])
    result = values(qrels, run, ("rbp.p=0.8", "rbp_resid.p=0.8", "dcg", "ndcg_cut.3,20"), grades="real")

    def gained(metric: Any, gains: list[float]) -> float:
        """What a user gains at all documents, rather than for each that is looked at."""
        utility = metric.measure(ranking("", np.array(gains), np.ones(len(gains)), max_n=500))
        return float(utility * metric.expected_items)

    for place, (topic, documents) in enumerate(sorted(qrels.items())):
        gains = [documents.get(docno, math.nan) for docno in run[topic]]
        with_tail = rbp.RBPCWLMetric(0.8)
        with_tail.residuals = True
        assert result["rbp_p=0.8"][place] == pytest.approx(gained(with_tail, gains) * (1 - 0.8), abs=1e-12)
        if any(map(math.isnan, gains)):  # otherwise there is none, as in trec_eval
            residual = with_tail.residual_expected_utility
            assert result["rbp_resid_p=0.8"][place] == pytest.approx(residual, abs=1e-12)
        assert result["dcg"][place] == pytest.approx(gained(dcg.NDCGCWLMetric(500), gains), abs=1e-12)
        best = sorted(documents.values(), reverse=True)
        for k in (3, 20):
            ideal = gained(dcg.NDCGCWLMetric(k), best)
            ndcg = gained(dcg.NDCGCWLMetric(k), gains) / ideal if ideal else 0.0
            assert result[f"ndcg_cut_{k}"][place] == pytest.approx(ndcg, abs=1e-12)


@pytest.mark.filterwarnings("ignore:.*only relevant documents are judged")
def test_tied_scores() -> None:
    """With real grades, values over tied documents are the mean, the greatest and the least over all their orders."""
    source = random.Random(7)
    for _ in range(60):
        documents = {f"d{n}": source.choice([0.0, 0.25, 0.5, 0.9, 1.75]) for n in range(5)}
        scores = {docno: float(source.randint(1, 2)) for docno in (*documents, "x")}
        orders = [
            order
            for order in permutations(scores)
            if all(scores[first] >= scores[other] for first, other in pairwise(order))
        ]
        seen = [coded(documents, order) for order in orders]
        of_orders = {
            "dcg": [graded.by_name["dcg"](*topic) for topic in seen],
            "ndcg_cut_3": [ndcg_at(3, *topic) for topic in seen],
            "recip_rank": [
                next((1 / rank for rank, docno in enumerate(order, 1) if documents.get(docno, 0) >= 0.5), 0.0)
                for order in orders
            ],
        }
        for ties, of_all in (("expected", lambda x: sum(x) / len(x)), ("best", max), ("worst", min)):
            keywords = {"grades": "real", "level": 0.5, "ties": ties}
            result = values({"1": documents}, {"1": scores}, ("dcg", "ndcg_cut.3", "recip_rank"), **keywords)
            for name, numbers in of_orders.items():
                assert result[name][0] == pytest.approx(of_all(numbers), abs=1e-12), (ties, name)
