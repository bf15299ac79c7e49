"""What holds for measures of incomplete judgments: identities, the papers' examples and findings, and the readings."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from examples.random_topics import NOT_RETRIEVED, ORDERS, RANKINGS, ROUNDINGS, Shared, ranking_of, topics_of
from hypothesis import given
from hypothesis import strategies as st
from references import incomplete_judgments as reference_incomplete
from references.measures import OUTSIDE, UNJUDGED, Topic
from running import repeats

from irevalx.arrays.byte_strings import Names
from irevalx.arrays.codes import STAND_IN
from irevalx.arrays.segments import FloatArray, IntArray, Segments
from irevalx.frozen import replace
from irevalx.judgments.graded import Judgments
from irevalx.measures import BY_NAME
from irevalx.measures.declaration import Measure, UpperBound
from irevalx.measures.incomplete_judgments import _expected_precision
from irevalx.measures.summaries import as_list
from irevalx.ranking.rank import in_topic_order, rank_run
from irevalx.ranking.ranking import Ranking
from irevalx.ranking.rules import RankingRules
from irevalx.ranking.topics import Topics
from irevalx.reading.formats import read_qrels, read_trec_results
from irevalx.reading.sources.files import Source
from irevalx.settings import Settings, UnjudgedTreatment
from irevalx.trec_eval import TREC_EVAL_10


def values(t: Topics, item: str) -> FloatArray:
    """One value a topic of ``NAME`` or ``NAME.PARAMETERS``."""
    name, _, text = item.partition(".")
    measure = BY_NAME[name]
    [column] = measure(t, measure.kind.parse(name, text or None, Settings(), print))
    return np.asarray(column, np.float64)


def columns(t: Topics, measure: Measure) -> list[list[Any]]:
    """The values of all topics, for each name that the measure prints by default."""
    return [as_list(column) for column in measure(t, measure.kind.parse(measure.name, None, Settings(), print))]


def value(topic: Topic, item: str) -> float:
    """The value of one topic."""
    return float(values(topics_of([topic], all_rows=False), item)[0])


# Where all of the pool was judged, or nothing but judged documents is looked at


@given(st.lists(st.sampled_from([OUTSIDE, 0, 0, 1, 2]), max_size=30), st.lists(st.integers(0, 2), max_size=9))
def test_complete_judgments(ranking: list[int], others: list[int]) -> None:
    """Where all of the pool was judged, indAP and subAP are map, and infAP is but for its smoothing."""
    topic = Shared().topic(ranking, others, Random(1))
    expected = value(topic, "map")
    assert value(topic, "indAP") == expected
    assert value(topic, "subAP") == expected
    assert value(topic, "subAP.p=1") == expected
    assert value(topic, "infAP") == pytest.approx(expected, abs=1e-4)
    assert value(topic, "infAP.epsilon=1e-12") == pytest.approx(expected, abs=1e-10)


@given(RANKINGS, NOT_RETRIEVED, st.integers(0, 3), ORDERS)
def test_condensed_list(ranking: list[int], others: list[int], level: int, random: Random) -> None:
    """Under -J indAP is map: the first of the two forms in section 4.3 of Yilmaz and Aslam 2008."""
    topic = reference_incomplete.skip(Shared(level).topic(ranking, others, random))
    assert value(topic, "indAP") == value(topic, "map")


@given(RANKINGS, NOT_RETRIEVED, st.integers(-1, 3), ORDERS)
def test_unjudged_documents_are_no_hits(ranking: list[int], others: list[int], level: int, random: Random) -> None:
    """Whatever the level: below 0 trec_eval's own measures take unjudged documents for hits, these do not."""
    topic = Shared(level).topic(ranking, others, random)
    without = Shared(max(level, 0)).topic(ranking, others, random)
    for name in ("infAP", "indAP", "subAP", "RankEff", "bpref_10", "judged.5"):
        assert value(topic, name) == value(without, name)


# subAP


def by_decimals(m: int, o: int, p: Fraction) -> Decimal:
    """E[1 / (m + X)], X binomial, with 60 digits: each weight is the one before times a ratio."""
    with localcontext() as context:
        context.prec = 60
        rate = Decimal(p.numerator) / Decimal(p.denominator)
        weight = (1 - rate) ** o
        total = Decimal(0)
        for x in range(o + 1):
            total += weight / (m + x)
            weight = weight * (o - x) / (x + 1) * rate / (1 - rate)
        return total


def kernel(m: int, o: int, p: float) -> float:
    """The same, as subAP finds it."""
    return float(_expected_precision(np.array([0]), np.array([m - 1]), np.array([o]), np.array([p]))[0])


@pytest.mark.parametrize("p", ["0.001", "0.01", "0.1", "0.5", "0.9", "0.999"])
@pytest.mark.parametrize("o", [1, 10, 300, 5000])
@pytest.mark.parametrize("m", [1, 2, 30, 900])
def test_expected_inverse(m: int, o: int, p: str) -> None:
    """The integral stays within 1e-12 of the sum that defines it, for thousands of documents and the least of rates."""
    expected = float(by_decimals(m, o, Fraction(p)))
    assert kernel(m, o, float(p)) == pytest.approx(expected, rel=1e-12, abs=0)
    if o <= 300:
        exact = reference_incomplete.expected_precision(0, m - 1, o, Fraction(p))
        assert float(exact) == pytest.approx(expected, rel=1e-15, abs=0)


@pytest.mark.parametrize(
    ("m", "o", "p"), [(1, 0, 0.3), (7, 0, 1.0), (1, 5000, 1.0), (1, 1, 1e-300), (10**6, 10**6, 0.5)]
)
def test_expected_inverse_at_the_ends(m: int, o: int, p: float) -> None:
    """Nothing from outside, a rate of 1 or next to 0, and lists beyond all bounds give what they must."""
    assert kernel(m, o, p) == pytest.approx(1 / (m + p * o), rel=1e-6)


# RankEff and bpref_10


def ranked(n: int, relevant: Sequence[int], nonrelevant: Sequence[int]) -> Topic:
    """Grades of n ranks, the other documents being unjudged."""
    ranking = [1 if rank in relevant else 0 if rank in nonrelevant else OUTSIDE for rank in range(1, n + 1)]
    return Topic(ranking, [grade for grade in ranking if grade >= 0])


def test_both_methods_are_perfect() -> None:
    """Ahlgren and Grönqvist 2008, section 4.2: RankEff is 1 if no nonrelevant document is above a relevant one."""
    for relevant, nonrelevant in (((1, 2), (3, 4, 5)), ((6, 9), (10, 11, 12))):
        assert value(ranked(12, relevant, nonrelevant), "RankEff") == 1.0


@given(RANKINGS, NOT_RETRIEVED, ORDERS)
def test_as_many_nonrelevant_as_relevant_documents(ranking: list[int], others: list[int], random: Random) -> None:
    """Ahlgren and Grönqvist 2008, section 5: where N = R, RankEff is bpref."""
    topic = Shared().topic(ranking, others, random)
    lacking = topic.n_rel - topic.n_nonrel
    topic = Shared().topic(ranking, [*others, *[0] * lacking, *[1] * -lacking], random)
    assert topic.n_rel == topic.n_nonrel
    assert value(topic, "RankEff") == pytest.approx(value(topic, "bpref"), abs=1e-12)


def swapped(topic: Topic) -> Topic | None:
    """The topic with its last relevant document changed for the nearest nonrelevant one above it, if there is one."""
    ranking = list(topic.ranking)
    for below in reversed(range(len(ranking))):
        if ranking[below] >= topic.level:
            for above in reversed(range(below)):
                if 0 <= ranking[above] < topic.level:
                    ranking[above], ranking[below] = ranking[below], ranking[above]
                    return Topic(ranking, topic.judgments, topic.level)
    return None


@given(RANKINGS, NOT_RETRIEVED, ORDERS)
def test_a_swap_that_must_raise_the_value(ranking: list[int], others: list[int], random: Random) -> None:
    """Ahlgren and Grönqvist 2008, appendix: bringing a relevant document above a nonrelevant one raises both."""
    topic = Shared().topic(ranking, others, random)
    better = swapped(topic)
    if better:
        for name in ("RankEff", "map"):
            assert value(better, name) > value(topic, name)


def test_a_swap_that_bpref_10_does_not_see() -> None:
    """The appendix's counterexample: beyond R + 10 nonrelevant documents all is one to bpref_10 (and to bpref)."""
    worse = Topic([0] * 15 + [1], [0] * 15 + [1])
    better = swapped(worse)
    assert better
    assert better.ranking == [*[0] * 14, 1, 0]
    for name in ("bpref_10", "bpref"):
        assert value(better, name) == value(worse, name) == 0.0
    assert value(better, "RankEff") > value(worse, "RankEff")


# Readings of the unjudged


def assessed(topic: Topic, reading: UnjudgedTreatment) -> Topics:
    """One topic as a ranking, read so by the code that the command uses."""
    docnos = [b"%d" % number for number in range(len(topic.judgments))]
    judgments = Judgments(
        "qrels",
        (b"1",),
        Segments.of_lengths([len(docnos)]),
        Names.of(docnos),
        np.array(topic.judgments, np.int64),
        np.zeros(len(docnos), np.int64),
    )
    left = list(enumerate(topic.judgments))
    retrieved: list[str] = []
    for grade in topic.ranking:
        if grade == OUTSIDE:
            retrieved.append("outside")
        else:
            place = next(i for i, (_, known) in enumerate(left) if known == grade or (grade == UNJUDGED and known < 0))
            retrieved.append(str(left.pop(place)[0]))
    ranking = ranking_of(judgments, [retrieved])
    seen = ranking.assess(judgments, judgments.grades, level=topic.level, treatment=reading)
    return replace(seen, round_recall=ROUNDINGS["10"])


@pytest.mark.parametrize("reading", repeats(["skip", "rel"]))
@given(RANKINGS, NOT_RETRIEVED, st.integers(-2, 3), ORDERS)
def test_readings(
    reading: UnjudgedTreatment, ranking: list[int], others: list[int], level: int, random: Random
) -> None:
    """A reading gives what the reference makes of the topic, for all measures that have it."""
    topic = Shared(level).topic(ranking, others, random)
    seen = assessed(topic, reading)
    expected = topics_of([reference_incomplete.READINGS[reading](topic)], all_rows=True)
    for measure in BY_NAME.values():
        if measure.kernel and reading in measure.treatments:
            assert repr(columns(seen, measure)) == repr(columns(expected, measure)), measure.name


@given(RANKINGS, NOT_RETRIEVED, st.integers(0, 3), ORDERS)
def test_what_rises(ranking: list[int], others: list[int], level: int, random: Random) -> None:
    """The reading rel is an upper bound for the measures that say so, whatever the unjudged documents are."""
    topic = Shared(level).topic(ranking, others, random)
    bound = assessed(topic, "rel")
    # Any outcome of judging the retrieved unjudged documents.
    really = [random.choice([code, level, level + 1, 3]) if code < 0 else code for code in topic.ranking]
    outcome = Shared(level).topic(really, others, random)
    rising = [measure for measure in BY_NAME.values() if measure.upper_bound is not UpperBound.NEVER]
    assert {"P", "success", "recip_rank", "set_P", "num_rel_ret", "rbp"} <= {measure.name for measure in rising}
    for measure in rising:
        binary = level == 1 and max([0, *topic.judgments, *outcome.judgments]) <= 1
        if measure.upper_bound is UpperBound.BINARY_GAINS and not binary:
            continue
        result = columns(topics_of([outcome], all_rows=True), measure)
        assert all(most >= value for most, value in zip(columns(bound, measure), result, strict=True)), (
            f"{measure.name} can fall where unjudged documents are relevant: declare upper_bound=UpperBound.NEVER"
        )


def test_stand_ins_never_become_relevant() -> None:
    """trec_eval's stand-in for a topic without results is not a retrieved document."""
    judgments = Judgments("qrels", (b"1",), Segments.of_lengths([1]), Names.of([b"A"]), np.array([1]), np.array([1]))
    ranking = in_topic_order(Ranking.joined([]), judgments, [b"1"], RankingRules(keep_all=True))
    assert ranking.row.tolist() == [STAND_IN]
    t = ranking.assess(judgments, judgments.grades, treatment="rel")
    assert (t.n_rel.tolist(), t.n_rel_ret.tolist()) == ([1], [0])


# Findings on real runs

RATES = (Fraction(1, 10), Fraction(1, 20))
DRAWS = 10
C = ("1", "1.5", "2", "2.5")
ITEMS = ("map", "indAP", "subAP", "RankEff", *(f"infAP.c={c}" for c in C))


def reduced(judgments: Judgments, rate: Fraction, random: Random) -> IntArray:
    """Grades of a uniform sample of each topic's judgments, drawn again until one is relevant; the others -1."""
    grades = np.full(judgments.grades.size, -1)
    for topic in range(judgments.rows.n):
        where = judgments.rows.slice(topic)
        places = range(where.start, where.stop)
        number = max(1, int(rate * len(places) + Fraction(1, 2)))
        chosen = random.sample(places, number)
        while not (judgments.grades[chosen] >= 1).any():
            chosen = random.sample(places, number)
        grades[chosen] = judgments.grades[chosen]
    return grades


def errors_by_rate(robust03: Path) -> dict[Fraction, dict[str, tuple[float, float]]]:
    """Bias and RMS error against map under full judgments, of RankEff against itself, by rate and measure."""
    judgments = read_qrels(Source(str(robust03 / "qrels.gz")), TREC_EVAL_10, False, print)
    rankings = []
    for path in sorted((robust03 / "runs").iterdir()):
        run = read_trec_results(Source(str(path)), TREC_EVAL_10, False, print)
        rankings.append(
            in_topic_order(
                rank_run(run, judgments, RankingRules()).ranking, judgments, judgments.topics, RankingRules()
            )
        )

    def means(grades: IntArray) -> list[dict[str, float]]:
        seen = [ranking.assess(judgments, grades) for ranking in rankings]
        return [{item: statistics.fmean(values(t, item).tolist()) for item in ITEMS} for t in seen]

    full = means(judgments.grades)
    random = Random(2003)
    by_fraction: dict[Fraction, dict[str, tuple[float, float]]] = {}
    for rate in RATES:
        differences: dict[str, list[float]] = {item: [] for item in ITEMS}
        squares: dict[str, list[float]] = {item: [] for item in ITEMS}
        for _ in range(DRAWS):
            scored = means(reduced(judgments, rate, random))
            for item in ITEMS:
                target = "RankEff" if item == "RankEff" else "map"
                errors = [run[item] - whole[target] for run, whole in zip(scored, full, strict=True)]
                differences[item].append(statistics.fmean(errors))
                squares[item].append(statistics.fmean(error * error for error in errors) ** 0.5)
        by_fraction[rate] = {
            item: (statistics.fmean(differences[item]), statistics.fmean(squares[item])) for item in ITEMS
        }
    return by_fraction


@pytest.mark.slow
def test_findings_of_the_papers(robust03: Path) -> None:
    """What Yilmaz and Aslam 2008 and Ahlgren and Grönqvist 2008 find on uniform samples holds on twelve real runs."""
    for rate, measured in errors_by_rate(robust03).items():
        bias = {item: b for item, (b, _) in measured.items()}
        rms = {item: r for item, (_, r) in measured.items()}
        assert bias["map"] < 0
        assert 0 < bias["indAP"] < bias["subAP"]
        assert all(rms["infAP.c=2"] < rms[item] for item in ("indAP", "subAP", "map"))
        assert abs(bias["RankEff"]) < 0.02
        if rate == Fraction(1, 20):
            assert all(bias[f"infAP.c={less}"] > bias[f"infAP.c={more}"] for less, more in pairwise(C))
