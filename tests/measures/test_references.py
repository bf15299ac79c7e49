"""The literal references themselves, against hand-computed values and recorded answers of other programs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from math import log2

import pytest
from references import incomplete_judgments as incomplete
from references import measures as reference
from references.incomplete_judgments import SampledTopic
from references.measures import OUTSIDE, UNJUDGED, Topic

EPSILON = Fraction(1, 100_000)


def near(value: float | Fraction) -> object:
    """Equal but for the rounding of a handful of operations."""
    return pytest.approx(float(value), rel=1e-13, abs=1e-15)


# Uniform judgments

TOPIC = Topic(ranking=[0, UNJUDGED, 1, OUTSIDE, 1], judgments=[0, -1, 1, 1, 1, 0, -1])
"""R = 3 (two retrieved), N = 2 (one retrieved), judged 5 of 7 in the pool. Above the relevant documents:

rank 3: r = 0, n = 1, u = 1, o = 0
rank 5: r = 1, n = 1, u = 1, o = 1
"""

NOTHING_RELEVANT = Topic(ranking=[0, UNJUDGED, OUTSIDE], judgments=[0, -1, 0])
"""R = 0."""

LOW_LEVEL = Topic(ranking=[UNJUDGED, OUTSIDE, 1], judgments=[-1, 1, 0], level=-5)
"""Both judged documents are relevant, R = 2 and N = 0; the unjudged ones are no hits though -2 and -1 are above -5."""


BY_HAND: list[tuple[Callable[..., float | Fraction], Topic, tuple[float, ...], object]] = [
    # indAP: documents pooled but not judged do not count among the ranks: 1/(3-1) and 2/(5-1), (1/2 + 1/2)/3
    (incomplete.ind_ap, TOPIC, (), 1 / 3),
    # r + 1 = 1 at rank 3 with u = 1: (1/2)/2
    (incomplete.ind_ap, LOW_LEVEL, (), 1 / 4),
    # The level counts: only the grade 2 at rank 3 is relevant, with u = 1 above it; R = 2: (1/2)/2
    (incomplete.ind_ap, Topic([1, UNJUDGED, 2], [1, -1, 2, 2], level=2), (), 1 / 4),
    (incomplete.sampling_rate, TOPIC, (), Fraction(5, 7)),
    # subAP: p = 5/7. Rank 3: 1/2. Rank 5: (2/7)(2/3) + (5/7)(2/4) = 8/42 + 15/42. (21/42 + 23/42)/3 = 22/63
    (incomplete.sub_ap, TOPIC, (), 22 / 63),
    # p = 1/2. Rank 5: (1/2)(2/3) + (1/2)(2/4) = 7/12. (6/12 + 7/12)/3
    (incomplete.sub_ap, TOPIC, (0.5,), 13 / 36),
    # p = 1 keeps everything outside the pool, as indAP does
    (incomplete.sub_ap, TOPIC, (1.0,), 1 / 3),
    # p = 1/2. r = 0, n = 0, o = 1 at rank 3: (1/2)(1/1) + (1/2)(1/2) = 3/4; R = 2
    (incomplete.sub_ap, LOW_LEVEL, (0.5,), 3 / 8),
    # RankEff: the share of the nonrelevant documents ranked lower, retrieved or not: (2-1)/2 twice, over R = 3
    (incomplete.rank_eff, TOPIC, (), 1 / 3),
    # N = 4; n = 1, 3: (3/4 + 1/4)/2
    (incomplete.rank_eff, Topic([0, 1, 0, 0, 1], [0, 1, 0, 0, 1, 0]), (), 1 / 2),
    # The example of Ahlgren & Grönqvist, 4.2: six judged, two of them relevant and at ranks 1 and 2. One method
    # retrieves all six, the other two of the four nonrelevant ones: 1 for both
    (incomplete.rank_eff, Topic([1, 1, 0, 0, 0, 0], [1, 1, 0, 0, 0, 0]), (), 1),
    (incomplete.rank_eff, Topic([1, 1, 0, 0], [1, 1, 0, 0, 0, 0]), (), 1),
    # Where N = 0, what is left is the share of the relevant documents that was retrieved: two of four, one of two
    (incomplete.rank_eff, Topic([1, OUTSIDE, 1], [1, 1, 1, 1]), (), 2 / 4),
    (incomplete.bpref_10, Topic([1, OUTSIDE, 1], [1, 1, 1, 1]), (), 2 / 4),
    (incomplete.rank_eff, LOW_LEVEL, (), 1 / 2),
    # bpref_10: the first R + 10 nonrelevant documents count. N = 2 is below R + 10 = 13: 1 - 1/2 twice, over 3
    (incomplete.bpref_10, TOPIC, (), 1 / 3),
    # R = 1, N = 14: ten of the first eleven nonrelevant documents stand above
    (incomplete.bpref_10, Topic([0] * 10 + [1] + [0] * 4, [0] * 14 + [1]), (), near(Fraction(1, 11))),
    (incomplete.rank_eff, Topic([0] * 10 + [1] + [0] * 4, [0] * 14 + [1]), (), 4 / 14),
    # Ahlgren & Grönqvist, section 5: 30 documents, two of them relevant; the two measures order two methods differently.
    # Relevant at 13 and 14, 12 nonrelevant above each: RankEff 16/28 = 4/7; bpref-10 1 - 12/12 = 0
    (incomplete.rank_eff, Topic([0] * 12 + [1, 1] + [0] * 16, [1] * 2 + [0] * 28), (), near(Fraction(4, 7))),
    (incomplete.bpref_10, Topic([0] * 12 + [1, 1] + [0] * 16, [1] * 2 + [0] * 28), (), 0),
    # Relevant at 1 and 30, 0 and 28 above: RankEff (1 + 0)/2; bpref-10 the same
    (incomplete.rank_eff, Topic([1] + [0] * 28 + [1], [1] * 2 + [0] * 28), (), 1 / 2),
    (incomplete.bpref_10, Topic([1] + [0] * 28 + [1], [1] * 2 + [0] * 28), (), 1 / 2),
    # judged: at ranks 1, 3 and 5; a grade is a judgment whatever the level
    (incomplete.judged, TOPIC, (2,), 1 / 2),
    (incomplete.judged, TOPIC, (5,), 3 / 5),
    (incomplete.judged, TOPIC, (10,), 3 / 10),
    (incomplete.judged, LOW_LEVEL, (5,), 1 / 5),
    # infAP with c = 2, epsilon = 1/2. Rank 3: 1/3 + (2/3)(2/2)(1/2)/(1+1) = 1/2. Rank 5: 1/5 + (4/5)(3/4)(3/2)/(2+1)
    (incomplete.inf_ap, TOPIC, (2.0, 0.5), near(Fraction(1, 3))),
    # c = 1: 1/3 + (2/3)(1/3) = 5/9 and 1/5 + (3/5)(3/5) = 14/25; (125/225 + 126/225)/3
    (incomplete.inf_ap, TOPIC, (1.0, 0.5), near(Fraction(251, 675))),
    # Rank 1 gives 1; at rank 3 nothing but it is in the pool: 1/3 + (2/3)(1/2)(1+e)/(1+2e); R = 2
    (
        incomplete.inf_ap,
        Topic([1, OUTSIDE, 1], [1, 1]),
        (),
        near((1 + Fraction(1, 3) + Fraction(1, 3) * (1 + EPSILON) / (1 + 2 * EPSILON)) / 2),
    ),
    # With nothing judged above, the precision above is 1/c; at rank 2: 1/2 + (1/2)(1/1)(1/c)
    *(
        (incomplete.inf_ap, Topic([UNJUDGED, 1], [-1, 1]), (c,), near(1 / 2 + 1 / (2 * c)))
        for c in (1.0, 1.5, 2.0, 2.5)
    ),
]


@pytest.mark.parametrize(("loop", "topic", "arguments", "expected"), BY_HAND)
def test_values_by_hand(
    loop: Callable[..., float | Fraction], topic: Topic, arguments: tuple[float, ...], expected: object
) -> None:
    """Each loop gives what the comment next to it computes."""
    assert loop(topic, *arguments) == expected


def test_expected_precision() -> None:
    """Small binomial sums, written out."""
    # p = 1/4, o = 2, r = n = 0: (9/16)(1/1) + (6/16)(1/2) + (1/16)(1/3) = (27 + 9 + 1)/48
    assert incomplete.expected_precision(0, 0, 2, Fraction(1, 4)) == Fraction(37, 48)
    # p = 1/3, o = 1, r = 2, n = 1: (2/3)(3/4) + (1/3)(3/5) = 1/2 + 1/5
    assert incomplete.expected_precision(2, 1, 1, Fraction(1, 3)) == Fraction(7, 10)
    # Nothing to draw: (r+1)/(r+1+n) = 2/5
    assert incomplete.expected_precision(1, 3, 0, Fraction(1, 3)) == Fraction(2, 5)


@pytest.mark.parametrize("outside", [1, 7, 40])
def test_expected_precision_with_nothing_judged_above(outside: int) -> None:
    """E[1/(1+X)] has a closed form, after the binomial theorem."""
    # (1 - (1-p)^(o+1)) / ((o+1) p)
    p = Fraction(3, 7)
    expected = (1 - (1 - p) ** (outside + 1)) / ((outside + 1) * p)
    assert incomplete.expected_precision(0, 0, outside, p) == expected


@pytest.mark.parametrize("name", ["infAP", "indAP", "subAP", "RankEff", "bpref_10"])
def test_nothing_relevant(name: str) -> None:
    """R = 0 gives 0."""
    assert reference.graded.by_name[name](NOTHING_RELEVANT) == 0
    assert reference.graded.by_name[name](Topic([], [])) == 0
    # A document without a judgment is no hit at any level: R = 0 here too
    assert reference.graded.by_name[name](Topic([UNJUDGED, OUTSIDE], [-1], level=-5)) == 0


# Stratified judgments

SAMPLED = SampledTopic(
    ranking=[None, (0, 0), (1, -1), (1, 1), (2, -1), (0, 2)],
    judgments=[(0, 2), (0, 0), (1, 1), (1, 1), (1, 0), (1, -1), (1, -1), (1, -1), (2, -1)],
)
"""Stratum 0: D = 2, S = 2, R = 1. Stratum 1: D = 6, S = 3, R = 2, one not retrieved. Stratum 2: D = 1, S = 0.

Above rank 4, d = 2: stratum 0 D = 1, S = 1, R = 0; stratum 1 D = 1, S = 0
Above rank 6, d = 4: stratum 0 D = 1, S = 1, R = 0; stratum 1 D = 2, S = 1, R = 1; stratum 2 D = 1, S = 0
"""


def smoothed(relevant: int, judged: int) -> Fraction:
    """(R + e) / (S + 3e)."""
    return (relevant + EPSILON) / (judged + 3 * EPSILON)


FROM_STRATUM_0 = Fraction(1, 6) + Fraction(1, 6) * smoothed(0, 1) + Fraction(1, 3) * smoothed(1, 1) + Fraction(1, 18)
"""1/6 + (4/6)((1/4)*smoothed(0 of 1) + (2/4)*smoothed(1 of 1) + (1/4)*(e/3e)) at rank 6, about 5/9."""

FROM_STRATUM_1 = Fraction(1, 4) + Fraction(1, 4) * smoothed(0, 1) + Fraction(1, 12)
"""1/4 + (2/4)((1/2)*smoothed(0 of 1) + (1/2)*(e/3e)) at rank 4, about 1/3."""

RELEVANT_RETRIEVED = 2 * smoothed(1, 2) + 2 * smoothed(1, 1) + Fraction(1, 3)
"""2*smoothed(1 of 2) + 2*smoothed(1 of 1) + 1*(e/3e), about 3 1/3."""

DCG = 2 * (2 / log2(7)) / 2 + 2 * (1 / log2(5)) / 1
"""Stratum 0: D = S = 2, the 2 at rank 6. Stratum 1: D = 2, S = 1, the 1 at rank 4. Stratum 2: nothing judged."""

IDEAL_DCG = 2 / log2(2) + 1 / log2(3) + 1 / log2(4) + 1 / log2(5) + 1 / log2(6)
"""The grade 2 once (1*2/2), the grade 1 four times (2*6/3)."""

SAMPLED_BY_HAND: list[tuple[Callable[..., float], SampledTopic, tuple[int, ...], object]] = [
    # Counts know nothing of strata; judged at ranks 2, 4 and 6
    (incomplete.sampled_num_ret, SAMPLED, (), 6),
    (incomplete.sampled_num_rel, SAMPLED, (), 3),
    (incomplete.sampled_num_rel_ret, SAMPLED, (), 2),
    (incomplete.sampled_judged, SAMPLED, (5,), 2 / 5),
    (incomplete.sampled_judged, SAMPLED, (10,), 3 / 10),
    # Relevant documents are scaled up to the size of the stratum: 1*2/2 + 2*6/3, and nothing for the unsampled one
    (incomplete.inum_rel, SAMPLED, (), 5),
    # At level 2 only the document of stratum 0 is relevant; from level 0 down all five judged: 2*2/2 + 3*6/3
    (incomplete.inum_rel, replace(SAMPLED, level=2), (), 1),
    (incomplete.inum_rel, replace(SAMPLED, level=-5), (), 8),
    # The first four hold (0, 0), (1, -1) and (1, 1): 1*smoothed(0 of 1) + 2*smoothed(1 of 1); the first nothing
    (incomplete.i_p, SAMPLED, (4,), near((smoothed(0, 1) + 2 * smoothed(1, 1)) / 4)),
    (incomplete.i_p, SAMPLED, (1,), 0),
    # The numerator of iP at the last rank; a shorter list is divided by k too
    (incomplete.inum_rel_ret, SAMPLED, (), near(RELEVANT_RETRIEVED)),
    (incomplete.i_p, SAMPLED, (10,), near(RELEVANT_RETRIEVED / 10)),
    # Stratum 0 holds 1 of the 5 relevant documents to be expected, stratum 1 holds 4, half of the judged ones retrieved
    (incomplete.x_inf_ap, SAMPLED, (), near(Fraction(1, 5) * FROM_STRATUM_0 + Fraction(4, 5) * FROM_STRATUM_1 / 2)),
    # With nothing of the pool above, d = 0: rank 1 gives 1, and rank 2 below a document outside the pool 1/2
    (incomplete.x_inf_ap, SampledTopic([(1, 1)], [(1, 1)]), (), 1),
    (incomplete.x_inf_ap, SampledTopic([None, (1, 1)], [(1, 1)]), (), 1 / 2),
    # From level 0 down the grade 0 gains nothing still; at level 2 the grade 1 gains nothing either
    (incomplete.inf_ndcg, SAMPLED, (), near(DCG / IDEAL_DCG)),
    (incomplete.inf_ndcg, replace(SAMPLED, level=-5), (), near(DCG / IDEAL_DCG)),
    (incomplete.inf_ndcg, replace(SAMPLED, level=2), (), near((2 / log2(7)) / 2)),
    # The ideal list ends where lists are cut. Four ranks: D = 2 and S = 1 of stratum 1, a 1 at rank 4; ideal 2 1 1 1
    (
        incomplete.inf_ndcg,
        replace(SAMPLED, ranking=SAMPLED.ranking[:4], depth=4),
        (),
        near(2 / log2(5) / (2 / log2(2) + 1 / log2(3) + 1 / log2(4) + 1 / log2(5))),
    ),
    # D = 5, S = 2, R = 1: the 1 is repeated 2.5 times, rounded to 3
    (
        incomplete.inf_ndcg,
        SampledTopic([(0, 1)], [(0, 1), (0, 0), (0, -1), (0, -1), (0, -1)]),
        (),
        near(1 / (1 + 1 / log2(3) + 1 / log2(4))),
    ),
    # D = 5, S = 4, R = 1 in two strata: 1.25 + 1.25 times, rounded once
    (
        incomplete.inf_ndcg,
        SampledTopic([(3, 1)], [(stratum, grade) for stratum in (3, 7) for grade in (1, 0, 0, 0, -1)]),
        (),
        near(1 / (1 + 1 / log2(3) + 1 / log2(4))),
    ),
    # D = 12, S = 5, R = 1: 2.4 times, that is twice
    (
        incomplete.inf_ndcg,
        SampledTopic([(0, 1)], [(0, 1), *[(0, 0)] * 4, *[(0, -1)] * 7]),
        (),
        near(1 / (1 + 1 / log2(3))),
    ),
]


@pytest.mark.parametrize(("loop", "topic", "arguments", "expected"), SAMPLED_BY_HAND)
def test_values_of_samples_by_hand(
    loop: Callable[..., float], topic: SampledTopic, arguments: tuple[int, ...], expected: object
) -> None:
    """Each loop gives what the comment next to it computes."""
    assert loop(topic, *arguments) == expected


def test_x_inf_ap_without_smoothing() -> None:
    """(1/5)(5/9) + (4/5)(1/3)/2 = 1/9 + 2/15, but for the smoothing."""
    assert incomplete.x_inf_ap(SAMPLED) == pytest.approx(11 / 45, abs=1e-5)


@pytest.mark.parametrize("name", ["inum_rel", "xinfAP", "infNDCG"])
def test_nothing_relevant_sampled(name: str) -> None:
    """Where nothing relevant was sampled, the value is 0."""
    measure = incomplete.sampled.by_name[name]
    assert measure(SampledTopic([(0, 0), (1, -1)], [(0, 0), (1, -1)])) == 0
    assert measure(SampledTopic([], [])) == 0
    assert measure(replace(SAMPLED, level=3)) == 0


# Readings


def test_skip() -> None:
    """The retrieved documents without a judgment go, the pool stays."""
    assert list(incomplete.skip(TOPIC).ranking) == [0, 1, 1]
    assert incomplete.skip(TOPIC).judgments == TOPIC.judgments
    # (1/2 + 2/3)/3 where it was (1/3 + 2/5)/3
    assert reference.average_precision(incomplete.skip(TOPIC)) == near(Fraction(7, 18))
    assert reference.average_precision(TOPIC) == near(Fraction(11, 45))


def test_rel() -> None:
    """The retrieved documents without a judgment become relevant, and R grows by them."""
    topic = incomplete.rel(TOPIC)
    assert list(topic.ranking) == [0, 1, 1, 1, 1]
    # Three judged relevant, the pooled document at rank 2 and the one outside at rank 4; one negative is left
    assert sorted(topic.judgments) == [-1, 0, 0, 1, 1, 1, 1, 1]
    # P_5 = 4/5; map (1/2 + 2/3 + 3/4 + 4/5)/5 = (163/60)/5
    assert reference.precision_at(topic, 5) == 4 / 5
    assert reference.average_precision(topic) == near(Fraction(163, 300))


@pytest.mark.parametrize(("level", "grade"), [(-5, 0), (0, 0), (1, 1), (3, 3)])
def test_rel_takes_the_least_relevant_grade(level: int, grade: int) -> None:
    """The grade is the level, or 0 where that is negative."""
    topic = incomplete.rel(Topic([UNJUDGED, 2, OUTSIDE], [2, -7, -1], level=level))
    assert list(topic.ranking) == [grade, 2, grade]
    assert sorted(topic.judgments) == sorted([2, -1, grade, grade])
