"""Grades that are probabilities: every measure is the mean over all judgments, or refused."""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import product
from typing import Any

import pytest
from references import incomplete_judgments as reference_incomplete  # noqa: F401 - the loop for judged
from references.measures import OUTSIDE, UNJUDGED, Topic, graded

import irevalx
from irevalx.errors import ArgumentError, UsageError
from irevalx.measures import MEASURES
from irevalx.settings import PROBABILITY

pytestmark = pytest.mark.slow

N_CASES = 1000
Loop = Callable[[Topic], float]


def loop_of(name: str, *arguments: Any) -> Loop:
    """Return the loop of a measure with these parameters."""
    return lambda topic: graded.by_name[name](topic, *arguments)


PLAIN = "num_ret num_rel num_rel_ret num_nonrel_judged_ret map Rprec recip_rank set_P set_recall set_relative_P set_map"
AT_CUTOFFS = "map_cut relative_map_cut recip_rank_cut P recall relative_P success unj judged ndcg_cut"

LOOPS: dict[str, dict[str, Loop]] = {
    **{name: {name: loop_of(name)} for name in PLAIN.split()},
    **{name: {f"{name}_{k}": loop_of(name, k) for k in (1, 3)} for name in AT_CUTOFFS.split()},
    **{name: {name: loop_of(name, [])} for name in ("dcg", "ideal_dcg", "ndcg")},
    **{name: {f"{name}_p=0.8": loop_of(name, [], 0.8)} for name in ("rbp", "rbp_resid")},
    "set_F": {"set_F_0.5": loop_of("set_F", 0.5)},
    "utility": {"utility_1,-1,2,0.5": loop_of("utility", 1, -1, 2, 0.5)},
}
"""The literal loops of each measure, by the name that its value is printed under."""

ASKED = tuple(
    name.replace("_1,-1", ".1,-1").replace("_p=", ".p=").replace("F_", "F.")
    for loop_name in LOOPS.values()
    for name in loop_name
)

Judgments = dict[str, float]


def case(source: random.Random) -> tuple[Judgments, list[str]]:
    """Return the judgments of a topic, some of them certain or missing, and a ranking."""
    documents = [f"d{number}" for number in range(source.randint(1, 7))]
    certain = [-1.0, 0.0, 1.0]
    uncertain = [source.choice((0.5, source.random())) for _ in range(5)]
    judgments = {docno: source.choice([*certain, *uncertain]) for docno in documents}
    return judgments, source.sample([*documents, "x", "y"], source.randint(1, len(documents) + 2))


def brute_force(judgments: Judgments, ranking: list[str], settings: dict[str, int]) -> dict[str, float]:
    """Return the mean of each measure over all judgments, weighted by their probabilities."""
    totals = dict.fromkeys((name for loops in LOOPS.values() for name in loops), 0.0)
    judged = [docno for docno, grade in judgments.items() if grade >= 0]
    if settings.get("judged_only"):
        ranking = [docno for docno in ranking if docno in judged]
    ranking = ranking[: settings.get("max_retrieved", len(ranking))]
    sure = {docno: int(judgments[docno]) for docno in judged if judgments[docno] in {0.0, 1.0}}
    open_ones = [docno for docno in judged if docno not in sure]
    for grades in product((0, 1), repeat=len(open_ones)):
        world = {**sure, **dict(zip(open_ones, grades, strict=True))}
        chance = 1.0
        for docno, grade in zip(open_ones, grades, strict=True):
            chance *= judgments[docno] if grade else 1 - judgments[docno]
        codes = [world.get(docno, UNJUDGED if docno in judgments else OUTSIDE) for docno in ranking]
        pool = [world.get(docno, -1) for docno in judgments]
        topic = Topic(codes, pool, collection_size=10)
        for loops in LOOPS.values():
            for name, loop in loops.items():
                totals[name] += chance * loop(topic)
    return totals


@pytest.mark.filterwarnings("ignore::irevalx.IrevalxWarning")
@pytest.mark.parametrize("settings", [{}, {"judged_only": 1}, {"max_retrieved": 2}], ids=str)
def test_means_over_all_judgments(settings: dict[str, int]) -> None:
    """Every value is the sum over all judgments of its probability times what the literal loop gives."""
    source = random.Random(5)
    cases = {f"{number:04}": case(source) for number in range(N_CASES if not settings else 200)}
    scores = irevalx.evaluate(
        {topic: judgments for topic, (judgments, _) in cases.items()},
        {topic: {docno: -rank for rank, docno in enumerate(ranking)} for topic, (_, ranking) in cases.items()},
        ASKED,
        grades="probability",
        collection_size=10,
        complete=True,
        **settings,  # type: ignore[arg-type]
    )
    values = {name: scores.per_topic(name).tolist() for name in scores.measures}
    assert scores.topics() == list(cases)
    for place, (judgments, ranking) in enumerate(cases.values()):
        for name, expected in brute_force(judgments, ranking, settings).items():
            assert values[name][place] == pytest.approx(expected, rel=1e-12, abs=1e-12), (name, judgments, ranking)


def test_every_measure_of_grades_is_tested_or_refused() -> None:
    """No measure is a ratio of expectations by mistake."""
    for measure in MEASURES:
        if "qrels" in measure.formats and measure.kernel:
            assert (measure.name in LOOPS) != (PROBABILITY in measure.refuses), measure.name
            assert not (PROBABILITY in measure.formulas and PROBABILITY in measure.refuses)


def test_certain_judgments() -> None:
    """Judgments that are all certain give what whole grades give."""
    source = random.Random(6)
    qrels = {str(topic): {f"d{n}": source.randint(0, 1) for n in range(40)} for topic in range(20)}
    run = {topic: {f"d{n}": source.random() for n in range(10, 60)} for topic in qrels}
    whole = irevalx.evaluate(qrels, run, ASKED, collection_size=100)
    certain = irevalx.evaluate(qrels, run, ASKED, collection_size=100, grades="probability")
    for name in whole.measures:
        assert certain.per_topic(name) == pytest.approx(whole.per_topic(name), abs=1e-12), name


def test_refused() -> None:
    """Measures without a formula, gains and levels are refused; sets leave the measures out."""
    qrels, run = {"1": {"A": 0.5}}, {"1": {"A": 1.0}}
    for request, message in (
        ("bpref", 'bpref cannot be combined with grades="probability": its expectation'),
        ("ERR", 'ERR cannot be combined with grades="probability": topics without relevant documents have no value'),
        ("AP(rel=2)", r"""a level cannot be combined with grades="probability": 'AP\(rel=2\)'"""),
        ("dcg.1=2", 'gains cannot be combined with grades="probability": dcg..1=2.'),
    ):
        with pytest.raises(UsageError, match=message):
            irevalx.evaluate(qrels, run, request, grades="probability")
    for keyword, value in (("level", 2), ("ties", "expected"), ("ties", "best"), ("rel_format", "subtopics")):
        with pytest.raises((ArgumentError, UsageError), match='grades="probability"'):
            irevalx.evaluate(qrels, run, "map", grades="probability", **{keyword: value})  # type: ignore[arg-type]
    with pytest.warns(irevalx.IrevalxWarning, match="are left out: gm_map, bpref, iprec_at_recall"):
        assert "map" in irevalx.evaluate(qrels, run, grades="probability").measures
