"""Documents with equal scores: values are the mean over all orders, and those of the best and the worst order."""

from __future__ import annotations

import math
import os
import warnings
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import permutations, product
from random import Random
from typing import Any

import numpy as np
import pytest
from references import family as reference_family  # noqa: F401 - loops for gains that grow exponentially
from references import incomplete_judgments as reference_incomplete
from references.measures import OUTSIDE, UNJUDGED, Topic, graded
from running import repeats

import irevalx
from irevalx.measures import MEASURES
from irevalx.measures.parameter_kinds import (
    Cutoffs,
    CutoffsAndReals,
    Gains,
    NamedReals,
    NoParameters,
    RealCutoffs,
    Reals,
)
from irevalx.settings import EXPECTED, EXPECTED_OF_FIRST

CASES = int(os.environ.get("TIES_CASES", "1000"))

CUTOFFS = (1, 2, 3, 5, 20)
PAIRS = ((1, 3.0), (2, -1.0), (UNJUDGED, 1.0))
"""Gains by grade; documents that were pooled and not judged have one too."""

DEFINED = [m for m in MEASURES if m.kernel and "qrels" in m.formats and EXPECTED not in m.refuses]


class Case:
    """A topic with tied scores: codes and scores of the retrieved documents, grades of the others."""

    def __init__(self, random: Random) -> None:
        self.codes = [random.choice([OUTSIDE, UNJUDGED, 0, 0, 1, 1, 2, 3]) for _ in range(random.randint(1, 6))]
        self.scores = [random.choice([1.0, 1.0, 2.0, 3.0]) for _ in self.codes]
        self.others = [random.choice([-1, 0, 1, 2]) for _ in range(random.randint(0, 2))]

    @property
    def groups(self) -> list[list[int]]:
        """The codes of documents with one score, the highest score first."""
        result = sorted(set(self.scores), reverse=True)
        return [[c for c, s in zip(self.codes, self.scores, strict=True) if s == score] for score in result]

    def topics(self, level: int, depth: int | None) -> Iterator[tuple[Topic, int]]:
        """Yield the rankings with documents in all orders, equal ones once, with how many orders are so."""
        every: dict[tuple[int, ...], int] = {}
        for orders in product(*map(permutations, self.groups)):
            ranking = tuple(code for group in orders for code in group)
            every[ranking] = every.get(ranking, 0) + 1
        for ranking, times in every.items():
            yield self.topic(ranking, level, depth), times

    def topic(self, ranking: Sequence[int], level: int, depth: int | None) -> Topic:
        """Return the topic with this ranking."""
        return Topic(ranking[:depth], [*(code for code in ranking if code != OUTSIDE), *self.others], level)


@cache
def made(seed: int, n: int) -> tuple[list[Case], dict[str, dict[str, int]], dict[str, dict[str, float]]]:
    """Cases, and the judgments and the run that have a topic for each."""
    random = Random(seed)
    cases = [Case(random) for _ in range(n)]
    qrels: dict[str, dict[str, int]] = {}
    run: dict[str, dict[str, float]] = {}
    for number, case in enumerate(cases):
        topic = f"{number:04}"
        judged = {f"d{place}": code for place, code in enumerate(case.codes) if code != OUTSIDE}
        qrels[topic] = judged | {f"n{place}": code for place, code in enumerate(case.others)}
        run[topic] = {f"d{place}": score for place, score in enumerate(case.scores)}
        qrels[topic]["elsewhere"] = 0  # so that each topic is judged
        case.others.append(0)
    return cases, qrels, run


def names_and_loops(measure: Any) -> dict[str, tuple[Any, ...]]:
    """What to ask for, and the arguments of the loop, for each printed name."""
    kind, name = measure.kind, measure.name
    if isinstance(kind, CutoffsAndReals | Cutoffs):
        return {f"{name}.{k}": (k,) for k in CUTOFFS}
    if isinstance(kind, NoParameters | NamedReals):
        return {name: ()}
    if isinstance(kind, Gains):
        more = (0.9,) if name.startswith("rbp") else ()
        given = {} if name == "rbp_resid" else {f"{name}.1=3,2=-1,-2=1": (PAIRS, *more)}
        return {name: ((), *more), **given}
    if isinstance(kind, RealCutoffs):
        return {f"{name}.{x}": ([x],) for x in (0.4, 1.0, 1.5)}
    assert isinstance(kind, Reals)
    numbers = (1.0, -1.0, 0.5, 0.25) if name == "utility" else (2.0,)
    return {f"{name}.{','.join(map(str, numbers))}": numbers}


def of_loop(measure: Any, topic: Topic, arguments: tuple[Any, ...]) -> float:
    """What the loop says, of the first of several printed names."""
    value = graded.by_name[measure.name](topic, *arguments)
    return float(value[0] if isinstance(value, list) else value)


def values_of(measure: Any, request: str, qrels: Any, run: Any, **options: Any) -> list[float]:
    """What irevalx says of each topic; nan where there is no value."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        scores = irevalx.evaluate(qrels, run, request, names="asked", **options)
    return list(scores.per_topic(scores.measures[0]))


OPTIONS: dict[str, dict[str, Any]] = {
    "usual": {},
    "-l 2": {"level": 2},
    "-l -1": {"level": -1},
    "-M 3": {"max_retrieved": 3},
    "skip": {"unjudged": "skip"},
    "rel": {"unjudged": "rel"},
}

READ = {"skip": reference_incomplete.skip, "rel": reference_incomplete.rel}


def as_it_is(topic: Topic) -> Topic:
    """The topic."""
    return topic


@cache
def orders(seed: int, n: int, options: str) -> list[list[tuple[Topic, int]]]:
    """The topics of each case as options read them, in all orders, with how many orders are so: once for all measures."""
    level, depth = OPTIONS[options].get("level", 1), OPTIONS[options].get("max_retrieved")
    read = READ.get(options, as_it_is)
    return [[(read(topic), times) for topic, times in case.topics(level, depth)] for case in made(seed, n)[0]]


@pytest.mark.parametrize("options", repeats(OPTIONS))
@pytest.mark.parametrize("measure", DEFINED, ids=lambda measure: measure.name)
def test_expected_values_are_means_over_all_orders(measure: Any, options: str) -> None:
    """The loop for one order, averaged over all orders, is the expected value."""
    given = OPTIONS[options]
    if options in READ and options not in measure.treatments:
        pytest.skip("it has no such reading")
    if options == "-M 3" and EXPECTED_OF_FIRST in measure.refuses:
        pytest.skip("it is refused")
    n_cases = CASES if options == "usual" else CASES // 10
    _, qrels, run = made(29, n_cases)
    for request, arguments in names_and_loops(measure).items():
        expected = []
        for topics in orders(29, n_cases, options):
            every = [(of_loop(measure, topic, arguments), times) for topic, times in topics]
            expected.append(sum(value * times for value, times in every) / sum(times for _, times in every))
        result = values_of(measure, request, qrels, run, ties="expected", **given)
        assert_close(result, expected, measure)


def assert_close(values: Sequence[float], expected: Sequence[float], measure: Any) -> None:
    """What has a value is what is wanted, up to rounding."""
    assert len(values) == len(expected)
    has_value = ~np.isnan(values) if measure.has_value else np.full(len(values), True)
    np.testing.assert_allclose(np.array(values)[has_value], np.array(expected)[has_value], rtol=1e-12, atol=1e-12)


GRADED = [m for m in MEASURES if m.kernel and "qrels" in m.formats and m.number != "text" and m.name in graded.by_name]


@pytest.mark.parametrize("options", repeats(OPTIONS, 2))
@pytest.mark.parametrize("ties", ["best", "worst"])
def test_relevant_documents_come_first_or_last_among_equals(ties: str, options: str) -> None:
    """The loop for the best or the worst order is the value."""
    given = OPTIONS[options]
    level, depth = given.get("level", 1), given.get("max_retrieved")
    cases, qrels, run = made(30, 200)
    least = level if options == "rel" else None
    topics = []
    for case in cases:
        ranking = [code for group in case.groups for code in ordered(group, ties, least, level)]
        topics.append(READ.get(options, as_it_is)(case.topic(ranking, level, depth)))
    for measure in GRADED:
        if (options in READ and options not in measure.treatments) or not isinstance(
            measure.kind, NoParameters | Cutoffs
        ):
            continue
        for request, arguments in names_and_loops(measure).items():
            expected = [of_loop(measure, topic, arguments) for topic in topics]
            assert_close(values_of(measure, request, qrels, run, ties=ties, **given), expected, measure)


def ordered(group: Sequence[int], ties: str, unjudged: int | None, level: float) -> list[int]:
    """Codes by descending grade, or ascending: unjudged ones as if they were nonrelevant and a little less."""

    def grade(code: int) -> float:
        if code >= 0:
            return code
        if unjudged is not None:
            return unjudged
        return -1.0 if (code == UNJUDGED) == (level > OUTSIDE) else -2.0  # level -1 makes the others relevant

    return sorted(group, key=grade, reverse=ties == "best")


NOT_EXTREME = {"unj", "rbp_resid", "G", "ndcg_rel", "infAP"}
"""Measures of which ``best`` and ``worst`` need not be the greatest and the least value over all orders."""

GAIN_PAIRS: dict[str, tuple[tuple[int, float], ...]] = {
    "1=5,2=3": ((1, 5.0), (2, 3.0)),
    "0=2,1=1,-2=4": ((0, 2.0), (1, 1.0), (UNJUDGED, 4.0)),
    "1=3,2=-1,-2=1": PAIRS,
}


@pytest.mark.parametrize("options", repeats(OPTIONS))
def test_best_and_worst_are_the_extremes_over_all_orders(options: str) -> None:
    """With gains by grade too, positive and negative; the page names the measures for which it need not hold."""
    given = OPTIONS[options]
    excepted = NOT_EXTREME | ({"num_nonrel_judged_ret"} if options == "-M 3" else set())
    _, qrels, run = made(31, 40)
    for measure in GRADED:
        if (options in READ and options not in measure.treatments) or measure.name in excepted:
            continue
        requests = names_and_loops(measure)
        if isinstance(measure.kind, Gains):
            more = (0.9,) if measure.name == "rbp" else ()
            requests |= {f"{measure.name}.{text}": (pairs, *more) for text, pairs in GAIN_PAIRS.items()}
        for name, arguments in requests.items():
            of_orders = [
                [of_loop(measure, topic, arguments) for topic, _ in every] for every in orders(31, 40, options)
            ]
            for ties, extreme in (("best", max), ("worst", min)):
                result = values_of(measure, name, qrels, run, ties=ties, **given)
                assert_close(result, [extreme(values) for values in of_orders], measure)


def test_exceptions_are_real() -> None:
    """Each measure that is said not to be maximised has a topic in which ``best`` is below the maximum."""
    cases, qrels, run = made(37, 400)
    for measure in GRADED:
        if measure.name not in NOT_EXTREME:
            continue
        requests = {"G": ("G", ((),)), "unj": ("unj.1", (1,)), "rbp_resid": ("rbp_resid", ((), 0.9))}
        name, arguments = requests.get(measure.name, list(names_and_loops(measure).items())[-1])
        result = values_of(measure, name, qrels, run, ties="best")
        greatest = [max(of_loop(measure, topic, arguments) for topic, _ in case.topics(1, None)) for case in cases]
        assert any(value < most - 1e-9 for value, most in zip(result, greatest, strict=True)), measure.name


def test_real_grades_with_a_gain_for_some() -> None:
    """The gain of 0.5 is above that of 0.9, which is its own: exact by hand, 2/log2(2) + 0.9/log2(3)."""
    qrels, run = {"1": {"a": 0.9, "b": 0.5}}, {"1": {"a": 1.0, "b": 1.0}}
    scores = irevalx.evaluate(qrels, run, "dcg.0.5=2", grades="real", ties="best")
    assert scores.per_topic(scores.measures[0])[0] == pytest.approx(2 + 0.9 / math.log2(3), abs=1e-12)
