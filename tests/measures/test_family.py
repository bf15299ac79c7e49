"""The measures of gdeval, ndeval and statAP_MQ_eval say what the reference says."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from examples.random_topics import NOT_RETRIEVED, ORDERS, RANKINGS, Shared, ranking_of, topics_of
from hypothesis import given
from hypothesis import strategies as st
from references import family as reference_family
from references.family import InclusionTopic, LineWithProbability, SubtopicLine, TopicWithSubtopics
from references.measures import Topic
from running import examples

import irevalx
from irevalx.arrays.byte_strings import Names
from irevalx.arrays.segments import FloatArray
from irevalx.measures import BY_NAME, NICKNAMES, exponential_gain, inclusion_probabilities
from irevalx.ranking.topic_kinds import (
    InclusionTopics,
    TopicsWithSubtopics,
    assess_inclusion,
    assess_subtopics,
)
from irevalx.reading.kinds.graded import inclusion_judgments
from irevalx.reading.kinds.grouped import subtopic_judgments

CUTOFFS = st.one_of(st.integers(1, 12), st.sampled_from([20, 1000]))


def nearly(values: Sequence[float]) -> list[Any]:
    """Compare but for the order of operations, which nothing prescribes to the last bit."""
    return [pytest.approx(value, rel=1e-12, abs=1e-15) for value in values]


def exactly(values: FloatArray) -> list[str]:
    """Show every bit."""
    return [repr(value) for value in values.tolist()]


def kernel_of(name: str) -> Callable[..., FloatArray]:
    """The kernel of a measure, which gives float values."""
    kernel = BY_NAME[name].kernel
    assert kernel
    return kernel


# Grades


@st.composite
def graded(draw: st.DrawFn) -> list[Topic]:
    """No to six topics, some with high grades."""
    shared = Shared(draw(st.integers(-2, 4)))
    random = draw(ORDERS)
    drawn = draw(st.lists(st.tuples(RANKINGS, NOT_RETRIEVED), max_size=6))
    high = draw(st.sampled_from([4, 4, 4, 70, 1000]))
    grade = {code: high if code == 4 else code for code in range(-7, 5)}
    return [
        shared.topic([grade[code] for code in ranking], [grade[code] for code in others], random)
        for ranking, others in drawn
    ]


@examples(300)
@given(graded(), CUTOFFS, st.sampled_from([1, 2, 4, 5, 1000]))
def test_graded_kernels_are_the_reference(drawn: list[Topic], k: int, highest: int) -> None:
    """A kernel gives every topic what the loops give, to the last bit."""
    below_zero = any(topic.level < 0 for topic in drawn)  # where documents outside the pool are looked at
    for all_rows in (True,) if below_zero else (True, False):
        t = topics_of(drawn, all_rows=all_rows)
        assert exponential_gain.has_gain(t).tolist() == [reference_family.has_positive_grade(topic) for topic in drawn]
        result = kernel_of("ndcg_burges")(t, k)
        assert exactly(result) == [repr(reference_family.ndcg_of_burges(topic, k)) for topic in drawn]
        if all(grade <= highest for topic in drawn for grade in topic.judgments):
            result = kernel_of("ERR")(t, k, highest)
            expected = [reference_family.expected_reciprocal_rank(topic, k, highest) for topic in drawn]
            assert exactly(result) == [repr(value) for value in expected]


def test_grades_may_be_too_high_for_a_power_of_two() -> None:
    """A grade whose gain is no floating-point number counts as one that is."""
    very_high = [Topic([5000, 4999, 1], [5000, 4999, 1, 4998])]
    high = [Topic([500, 499, 1], [500, 499, 1, 498])]
    for k in (1, 2, 3, 10):
        result, expected = (
            kernel_of("ndcg_burges")(topics_of(grades, all_rows=False), k) for grades in (very_high, high)
        )
        assert exactly(result) == exactly(expected)


# Subtopics

DOCUMENTS = ["d1", "d10", "d2", "D2", "d", "e", "é", "a-long-name-of-more-than-eight-bytes", "d3", "d4", "d5", "d6"]
SUBTOPICS = ["0", "2", "10", "02", "b", "B", "1", "3"]


def random_topic_with_subtopics(random: Random, level: int) -> TopicWithSubtopics:
    """A topic with up to eight subtopics, of which few documents are relevant for many."""
    documents = random.sample(DOCUMENTS, random.randint(1, len(DOCUMENTS)))
    subtopics = random.sample(SUBTOPICS, random.randint(1, len(SUBTOPICS)))
    share = random.choice([0.1, 0.3, 0.6, 1.0])
    lines = [
        SubtopicLine(subtopic, document, random.choice([-2, 0, 0, 1, 1, 2]))
        for document in documents
        for subtopic in subtopics
        if random.random() < share
    ] or [SubtopicLine("1", "d1", 0)]
    random.shuffle(lines)
    ranking = random.sample([*DOCUMENTS, "x", "y"], random.randint(0, len(DOCUMENTS)))
    return TopicWithSubtopics(ranking, lines, level)


def names(texts: Sequence[str]) -> Names:
    """Put texts into a buffer."""
    return Names.of([text.encode() for text in texts])


def topics_with_subtopics(drawn: Sequence[TopicWithSubtopics], *, all_rows: bool) -> TopicsWithSubtopics:
    """Put topics that share a level into the form that kernels see."""
    lines = [(f"{number:03}", line) for number, topic in enumerate(drawn) for line in topic.lines]
    judgments = subtopic_judgments(
        "file",
        names([topic for topic, _ in lines]),
        names([line.subtopic for _, line in lines]),
        names([line.document for _, line in lines]),
        np.array([line.grade for _, line in lines], np.int64),
        np.arange(len(lines)),
    )
    assert not judgments.duplicates
    ranking = ranking_of(judgments.documents, [topic.ranking for topic in drawn], all_rows=all_rows)
    return assess_subtopics(ranking, judgments, level=drawn[0].level if drawn else 1)


NOVELTY = {name: kernel_of(name) for name in NICKNAMES["subtopics"] if name not in {"runid", "num_q"}}


@examples(300)
@given(
    st.integers(0, 2**64),
    st.integers(0, 5),
    st.integers(-1, 2),
    CUTOFFS,
    st.sampled_from([0.0, 0.1, 0.3, 0.5, 0.9, 1.0]),
    st.sampled_from([0.0, 0.5, 0.8, 1.0]),
)
def test_novelty_kernels_are_the_reference(
    seed: int, n_topics: int, level: int, k: int, alpha: float, beta: float
) -> None:
    """A kernel gives every topic what the loops give; what decides ties of the ideal list is the same to the last bit."""
    random = Random(seed)
    drawn = [random_topic_with_subtopics(random, level) for _ in range(n_topics)]
    for all_rows in (True, False):
        t = topics_with_subtopics(drawn, all_rows=all_rows)
        lists, gains = t.ideal(alpha)
        for place, topic in enumerate(drawn):
            expected = reference_family.novelty_gains(topic, reference_family.ideal_list(topic, alpha), alpha)
            of_relevant = expected[: int(lists.lengths[place])]
            assert exactly(gains[lists.slice(place)]) == [repr(gain) for gain in of_relevant]
            assert not any(expected[len(of_relevant) :])
        for name, kernel in NOVELTY.items():
            literal = reference_family.MEASURES[name]
            named = {key: {"alpha": alpha, "beta": beta}[key] for key in literal.named}
            cutoffs = [k] if literal.cutoffs else []
            result = kernel(t, *cutoffs, **named)
            assert result.tolist() == nearly([literal.compute(topic, *cutoffs, **named) for topic in drawn]), name


# Samples with probabilities


def random_inclusion_topic(random: Random, level: int) -> InclusionTopic:
    """A topic of which a sample was drawn."""
    share = random.choice([0.2, 0.6, 1.0])
    lines = []
    for document in DOCUMENTS:
        if random.random() < share:
            method = random.choice([0, 1, 1, 1, 2, 3, 4])
            probability = 1.0 if method in {0, 2} else random.choice([1.0, 0.5, 0.01, random.uniform(0.001, 1)])
            lines.append(LineWithProbability(document, random.choice([-2, 0, 0, 1, 1, 2, 3]), method, probability))
    random.shuffle(lines)
    ranking = random.sample([*DOCUMENTS, "x", "y"], random.randint(0, len(DOCUMENTS)))
    ranking += [f"far{number}" for number in range(random.choice([0, 0, 100]))]
    return InclusionTopic(ranking, lines, level)


def inclusion_topics(drawn: Sequence[InclusionTopic], *, all_rows: bool) -> InclusionTopics:
    """Put topics that share a level into the form that kernels see."""
    lines = [(f"{number:03}", line) for number, topic in enumerate(drawn) for line in topic.lines]
    judgments = inclusion_judgments(
        "file",
        names([topic for topic, _ in lines]),
        names([line.document for _, line in lines]),
        np.array([line.grade for _, line in lines], np.int64),
        np.array([line.method for _, line in lines], np.int64),
        np.array([line.probability for _, line in lines]),
        np.arange(len(lines)),
        lambda line: None if "is negative" in line else pytest.fail(line),
    )
    assert not judgments.duplicates
    ranking = ranking_of(judgments, [topic.ranking for topic in drawn], all_rows=all_rows)
    return assess_inclusion(ranking, judgments, level=drawn[0].level if drawn else 1)


INCLUSION = {name: kernel_of(name) for name in NICKNAMES["prels"] if name not in {"runid", "num_q"}}


@examples(300)
@given(st.integers(0, 2**64), st.integers(0, 5), st.integers(-1, 2), CUTOFFS)
def test_inclusion_kernels_are_the_reference(seed: int, n_topics: int, level: int, k: int) -> None:
    """A kernel gives every topic that has a value what the loops give."""
    random = Random(seed)
    drawn = [topic for topic in (random_inclusion_topic(random, level) for _ in range(n_topics)) if topic.lines]
    for all_rows in (True, False):
        t = inclusion_topics(drawn, all_rows=all_rows)
        has_value = [reference_family.has_sample(topic) for topic in drawn]
        assert inclusion_probabilities.can_estimate(t).tolist() == has_value
        for name, kernel in INCLUSION.items():
            literal = reference_family.MEASURES[name]
            cutoffs = [k] if literal.cutoffs else []
            result = kernel(t, *cutoffs)[np.array(has_value, np.bool_)]
            expected = [literal.compute(topic, *cutoffs) for topic, has in zip(drawn, has_value, strict=True) if has]
            # Pairs are counted one by one in the reference, where the terms of a sum nearly cancel each other.
            rel, least = (1e-9, 1e-12) if name == "statAP_var" else (1e-12, 1e-15)
            assert result.tolist() == pytest.approx(expected, rel=rel, abs=least), name


def test_last_digit_of_nrbp(tmp_path: Path) -> None:
    """Ndeval multiplies the sum, here 3/32, by 0.75/5, which is a little less than 0.15: it prints 0.014062."""
    (tmp_path / "qrels").write_text("".join(f"1 {number} d{number} 1\n" for number in range(1, 6)))
    ranking = ["n1", "n2", "n3", "n4", "d1", "d2"]
    (tmp_path / "run").write_text("".join(f"1 Q0 {docno} 1 {-place} r\n" for place, docno in enumerate(ranking)))
    scores = irevalx.evaluate(tmp_path / "qrels", tmp_path / "run", ["NRBP", "nNRBP"], rel_format="subtopics")
    assert [f"{scores.summary(measure):.6f}" for measure in ("NRBP", "nNRBP")] == ["0.014062", "0.048387"]
