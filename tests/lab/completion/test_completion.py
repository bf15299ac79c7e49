"""Classifiers that complete judgments, compared with literal loops."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from references import text_classifiers as reference
from running import judgments_of

from irevalx.arrays.segments import BoolArray, IntArray
from irevalx.experiments.run_groups import UniqueDocuments
from irevalx.experiments.samples import RandomOrder
from irevalx.lab.completion.classifiers import (
    MOST_FREQUENT,
    Classification,
    Collection,
    LanguageModels,
    SupportVectors,
    classifier_for,
    features,
)
from irevalx.lab.completion.documents import Document, read_documents
from irevalx.lab.completion.predictions import Completion, Predictions
from irevalx.lab.completion.quality import completion_quality, holdout
from irevalx.reading.formats import read_qrels
from irevalx.reading.sources.files import Source
from irevalx.trec_eval import TREC_EVAL_10


def collection_of(
    texts: dict[str, str], requested: Sequence[str] | None = None, n_frequent: int = MOST_FREQUENT
) -> Collection:
    """Return a collection of these documents."""
    documents = [Document(docno.encode(), text, "docs:1") for docno, text in texts.items()]
    return Collection.of(
        documents, {docno.encode() for docno in (texts if requested is None else requested)}, n_frequent
    )


documents = st.lists(st.text("abc ", min_size=1, max_size=6).filter(str.strip), min_size=3, max_size=7)


@given(documents, st.data())
def test_divergence(contents: list[str], data: st.DataObject) -> None:
    """The divergence equals the sum over the whole vocabulary."""
    texts = {f"d{number}": text for number, text in enumerate(contents)}
    requested = data.draw(st.lists(st.sampled_from(list(texts)), min_size=2, unique=True).map(sorted))
    relevant = data.draw(st.lists(st.sampled_from(range(len(requested))), min_size=1, unique=True))
    collection = collection_of(texts, requested)
    terms = [reference.terms_of(text) for text in contents]
    models = [reference.terms_of(texts[requested[place]]) for place in relevant]
    result = LanguageModels(collection).divergence(np.arange(len(requested)), np.array(relevant))
    expected = [reference.divergence(reference.terms_of(texts[docno]), models, terms) for docno in requested]
    assert result.tolist() == pytest.approx(expected, abs=1e-12)


@given(documents, st.data())
def test_thresholds(contents: list[str], data: st.DataObject) -> None:
    """The threshold passes exactly |R| judged documents and classifies the others like the loop."""
    texts = {f"d{number}": text for number, text in enumerate(contents)}
    judged = data.draw(st.lists(st.sampled_from(list(texts)), min_size=2, unique=True))
    n_relevant = data.draw(st.integers(1, len(judged) - 1))
    collection = collection_of(texts)
    place = collection.place
    trained = np.array([place[docno.encode()] for docno in judged])
    relevant = np.arange(len(judged)) < n_relevant
    everything = np.arange(len(texts))
    models = LanguageModels(collection)
    decisions = models.classify(trained, relevant, everything)
    divergence = models.divergence(everything, trained[relevant])  # whose ties are ties of these very numbers
    passed, below = reference.kld_passes(
        dict(zip(texts, divergence.tolist(), strict=True)),
        dict(zip(judged, relevant.tolist(), strict=True)),
        list(texts),
    )
    assert len(passed) == n_relevant
    assert {docno for docno, yes in zip(texts, decisions.relevant.tolist(), strict=True) if yes} == below
    assert (decisions.value[decisions.relevant] >= 0).all()
    assert (decisions.value[~decisions.relevant] <= 0).all()


def test_ties_are_broken_by_docno() -> None:
    """Of documents with equal words, the first docnos pass."""
    words = [word for number in range(12) for word in [f"w{number}"] * (number % 5 + 1)]
    texts = {docno: " ".join(words[7 * turn :] + words[: 7 * turn]) for turn, docno in enumerate("fedcba")}
    others = {f"other{number}": f"w{number} w{number * 7 % 12}" for number in range(12)}
    collection = collection_of(texts | others, list(texts))
    decisions = LanguageModels(collection).classify(
        np.array([4, 1, 3]), np.array([True, False, True]), np.array([0, 2, 5])
    )
    assert decisions.value.tolist() == [0, 0, 0]
    assert decisions.relevant.tolist() == [True, True, False]  # of b, d and e, b and d pass; so do a and c, before e


@given(documents, st.integers(0, 4))
def test_features(contents: list[str], n_frequent: int) -> None:
    """Terms have weights tf ln(|D| / df), vectors sum to 1, and infrequent terms are left out."""
    texts = {f"d{number}": text for number, text in enumerate(contents)}
    every = [reference.terms_of(text) for text in contents]
    collection = collection_of(texts, n_frequent=n_frequent)
    result, terms = features(collection).toarray(), collection.terms
    vectors = [reference.features(terms, every, n_frequent) for terms in every]
    assert result.tolist() == [pytest.approx([vector.get(term, 0.0) for term in terms]) for vector in vectors]


def test_support_vectors_by_hand() -> None:
    """For two orthogonal vectors x and y, x relevant, the plane is (x - y).z / x.x = 0."""
    texts = {"x": "a b", "y": "c d", "more_like_x": "a a a b b b c d", "like_both": "a b c d", "like_neither": "e f"}
    collection = collection_of(texts)
    requested = np.array([collection.docnos.index(docno.encode()) for docno in texts])
    decisions = SupportVectors(collection).classify(requested[:2], np.array([True, False]), requested)
    assert decisions.value.tolist() == pytest.approx([1, -1, 0.5, 0, 0], abs=1e-3)
    assert decisions.relevant[:3].tolist() == [True, False, True]


def test_class_weights() -> None:
    """Balanced weights find one relevant document among many similar nonrelevant ones."""
    texts = {"r1": "wing flow a b c d", "r2": "wing flow a b e f"} | {
        f"n{number}": f"a b c d e n{number}" for number in range(9)
    }
    collection = collection_of(texts)
    place = {docno.decode(): number for docno, number in collection.place.items()}
    trained = np.array([place["r1"], *(place[f"n{number}"] for number in range(8))])
    relevant = np.arange(9) == 0
    decisions = SupportVectors(collection).classify(trained, relevant, np.array([place["r2"], place["n8"]]))
    assert decisions.relevant.tolist() == [True, False]
    published = classifier_for("svm", collection, balanced=False)
    answer = published.classify(trained, relevant, np.array([place["r2"], place["n8"]]))
    assert answer.relevant.tolist() == [False, False]
    assert answer.value[0] > answer.value[1]


def test_documents_without_features() -> None:
    """Classifiers return finite values if all vectors are zero."""
    collection = collection_of(dict.fromkeys("abc", "x"))
    for classifier in (SupportVectors(collection), LanguageModels(collection)):
        decisions = classifier.classify(np.array([0, 1]), np.array([True, False]), np.array([2]))
        assert np.isfinite(decisions.value).all()


class Recorder:
    """A classifier that finds every second document relevant and records its calls."""

    def __init__(self) -> None:
        self.calls: list[tuple[list[int], list[bool], list[int]]] = []

    def classify(self, judged: IntArray, relevant: BoolArray, unknown: IntArray) -> Classification:
        """Note the question."""
        self.calls.append((judged.tolist(), relevant.tolist(), unknown.tolist()))
        return Classification(np.arange(unknown.size) % 2 == 0, np.linspace(1, -1, unknown.size))


QRELS = """1 0 a 1
1 0 b 0
1 0 c -1
1 0 d -1
1 0 silent -1
1 0 gone -1
2 0 a 2
2 0 b 1
2 0 c -1
3 0 a 0
3 0 b -1
4 0 a 1
4 0 b 0
"""


def test_training_and_predictions() -> None:
    """Judged documents are the training set of pooled ones; skipped topics and documents are reported."""
    judgments = judgments_of(QRELS)
    collection = collection_of(dict.fromkeys("abcd", "text") | {"silent": "..."})
    recorder = Recorder()
    done: list[int] = []
    completion = Completion(judgments, collection, recorder)
    result = completion.predict(judgments.grades >= 0, judgments.grades < 0, done.append)
    assert recorder.calls == [([0, 1], [True, False], [2, 3])]
    assert result.completed(judgments.grades, 1).tolist() == [1, 0, 1, 0, -1, -1, 2, 1, -1, 0, -1, 1, 0]
    assert np.flatnonzero(result.predicted).tolist() == [2, 3]
    assert result.value[[2, 3]].tolist() == [1, -1]
    assert np.isnan(np.delete(result.value, [2, 3])).all()
    assert np.flatnonzero(result.without_text).tolist() == [4, 5]
    assert result.untrained.tolist() == [False, True, True, False]
    assert result.learned_relevant.tolist() == [1, 2, 0, 1]
    assert result.learned_nonrelevant.tolist() == [1, 0, 1, 1]
    assert sum(done) == 4


def test_holdout() -> None:
    """Quality is averaged over trained topics and ignores unjudged documents."""
    lines = [f"1 0 d{number} {int(number < 5)}" for number in range(10)]
    lines += [f"2 0 d{number} 0" for number in range(10)]
    lines += [f"3 0 d{number} {int(number < 5)}" for number in range(10)]
    lines += [f"{topic} 0 e{number} -1" for topic in (1, 2, 3) for number in range(3)]
    judgments = judgments_of("\n".join(lines) + "\n")
    collection = collection_of({f"{kind}{number}": f"w{number} x" for kind in "de" for number in range(10)})
    order, recorder = RandomOrder(judgments, 3, "holdout"), Recorder()
    [result] = holdout(Completion(judgments, collection, recorder), [Fraction(1, 2)], order)
    expected = []
    for topic in (0, 2):
        first, rest = np.split(judgments.grades[order.of(topic)], [5])
        assert 0 < first.sum() < 5
        places = np.sort(order.of(topic)[5:])
        assert len(places) == 5
        finds = {str(place) for place in places.tolist()[::2]}
        there = {str(place) for place in places.tolist() if judgments.grades[place]}
        assert len(there) == rest.sum()
        expected.append(reference.agreement(finds, there))
    assert [result.precision, result.recall, result.f1] == pytest.approx(np.mean(expected, axis=0).tolist())
    assert (result.topics, result.untrained, result.nothing_to_find) == (2, 1, 0)
    assert [(len(trained), len(requested)) for trained, _, requested in recorder.calls] == [(5, 5), (5, 5)]


def test_kld_threshold() -> None:
    """Documents between the last passing judged document and the next follow the chosen rule."""
    words = {
        "r": "a a a a a a b",
        "n": "c c c c c c c",
        "near": "a a a a a b c",
        "half": "a a a b b c c",
        "far": "b c c c",
    }
    collection = collection_of(words)
    place = {docno.decode(): number for docno, number in collection.place.items()}
    judged, others = np.array([place["r"], place["n"]]), [place[name] for name in ("near", "half", "far")]
    terms = [reference.terms_of(text) for text in words.values()]
    divergence = {
        name: reference.divergence(reference.terms_of(text), [reference.terms_of(words["r"])], terms)
        for name, text in words.items()
    }
    assert divergence["r"] < divergence["near"] < divergence["half"] < divergence["far"] < divergence["n"]
    limits = {"next": divergence["n"], "middle": (divergence["r"] + divergence["n"]) / 2, "last": divergence["r"]}
    answers = {}
    for threshold, limit in limits.items():
        models = LanguageModels(collection, threshold)
        result = models.classify(judged, np.array([True, False]), np.array(others))
        expected = [limit - divergence[name] for name in ("near", "half", "far")]
        assert result.value.tolist() == pytest.approx(expected)
        assert result.relevant.tolist() == [value > 0 for value in expected]
        answers[threshold] = result.relevant.tolist()
    assert answers["next"] == [True] * 3
    assert answers["last"] == [False] * 3
    assert answers["middle"] not in (answers["next"], answers["last"])


def test_shares_are_independent() -> None:
    """The quality at a share does not depend on the other shares."""
    lines = [f"{topic} 0 d{number} {int(number < n)}" for topic, n in ((1, 5), (2, 1), (3, 5)) for number in range(10)]
    judgments = judgments_of("\n".join(lines) + "\n")
    collection = collection_of({f"d{number}": f"w{number} x" for number in range(10)})
    order = RandomOrder(judgments, 3, "holdout")
    shares = [Fraction(1, 5), Fraction(4, 5)]
    together = holdout(Completion(judgments, collection, Recorder()), shares, order)
    alone = [holdout(Completion(judgments, collection, Recorder()), [share], order)[0] for share in shares]
    assert together == alone
    for result, n_known in zip(together, (2, 8), strict=True):
        grades = [judgments.grades[order.of(topic)] for topic in range(3)]
        assert result.topics == sum(0 < of_topic[:n_known].sum() < n_known for of_topic in grades)
    assert together[0].topics < together[1].topics


def test_quality_over_groups_and_topics() -> None:
    """Precision and recall are averaged over groups and topics, also without relevant documents."""
    judgments = judgments_of("1 0 a 1\n1 0 b 0\n1 0 c 1\n2 0 a 0\n2 0 b 1\n")
    nothing = np.zeros(5, np.bool_)

    def predictions(predicted: str, relevant: str) -> Predictions:
        requested, result = (np.array([mark == "x" for mark in marks]) for marks in (predicted, relevant))
        counts = np.zeros(2, np.int64)
        return Predictions(requested, result, np.zeros(5), nothing, counts, counts, nothing[:2])

    removed = [UniqueDocuments(name, nothing, nothing, nothing, nothing) for name in ("g", "h")]
    by_group = {"g": predictions("xxx..", "xx..."), "h": predictions(".x..x", ".x..x")}
    actual = completion_quality("svm", judgments, removed, by_group, 1)
    # g for topic 1: 1 of 2 right, of 2 there; h for topic 1: 0 of 1, nothing there; h for topic 2: 1 of 1, of 1.
    assert [actual.precision, actual.recall, actual.f1] == pytest.approx(
        [(1 / 2 + 0 + 1) / 3, (1 / 2 + 0 + 1) / 3, 0.5]
    )
    assert (actual.averaged, actual.nothing_to_find) == (3, 1)


def test_untrained_holdout() -> None:
    """Without a trained topic the averages are undefined rather than 0."""
    judgments = judgments_of("1 0 a 0\n1 0 b 0\n")
    completion = Completion(judgments, collection_of({"a": "a", "b": "b"}), Recorder())
    [result] = holdout(completion, [Fraction(1, 2)], RandomOrder(judgments, 1, "holdout"))
    assert all(math.isnan(mean) for mean in (result.precision, result.recall, result.f1))
    assert (result.topics, result.untrained) == (0, 1)


@pytest.mark.slow
def test_quality_on_cranfield(cranfield: Path) -> None:
    """From 80 % of the judgments both classifiers are several times better than chance."""
    judgments = read_qrels(Source(str(cranfield / "qrels.gz")), TREC_EVAL_10, strict=True, warn=pytest.fail)
    texts = read_documents(Source(str(cranfield / "docs.jsonl.gz")))
    collection = Collection.of(texts, set(judgments.docnos.texts()))
    assert (collection.n_documents, len(collection.docnos)) == (1400, 1398)  # two have no words
    chance = judgments.n_relevant / judgments.rows.size
    for classifier in (LanguageModels(collection), SupportVectors(collection)):
        order = RandomOrder(judgments, 1, "holdout")
        [result] = holdout(Completion(judgments, collection, classifier), [Fraction(4, 5)], order)
        assert result.topics + result.untrained == len(judgments.topics)
        assert result.precision > 3 * chance
        assert result.f1 > 3 * chance
