"""The order of ranked documents, and rankings of judgment groups."""

from __future__ import annotations

import math
import tempfile
from pathlib import Path
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from references import measures as reference
from references.measures import OUTSIDE, UNJUDGED, Topic
from running import examples, refused, run

from irevalx.evaluation.evaluate import evaluate
from irevalx.measures.selection import select_measures
from irevalx.measures.summaries import as_list
from irevalx.ranking.rank import ranking_order
from irevalx.reading.formats import read_trec_results, rel_format
from irevalx.reading.sources.files import Source
from irevalx.settings import Settings
from irevalx.trec_eval import COMPAT, TREC_EVAL_10


@examples(150)
@given(data=st.data())
def test_ranking_is_a_sort_by_score_and_docno(data: st.DataObject) -> None:
    """Documents are ranked by exact score, tied documents by docno, for any number of digits."""
    base = data.draw(st.sampled_from(["1.2345678901234567", "0.30000000000000004", "123456789.12345678", "5"]))
    close = [
        base,
        base[:-1] + "8",
        base + "1",
        base + "0",
        repr(float(base) * (1 + 2**-52)),
        repr(float(base)),
        "-" + base,
        "inf",
        "-inf",
    ]
    scores = data.draw(st.lists(st.sampled_from(close), min_size=1, max_size=12))
    docnos = data.draw(st.permutations([b"%d" % n for n in range(len(scores))]))
    block = b"".join(b"1 Q0 %b 0 %b r\n" % (docno, score.encode()) for docno, score in zip(docnos, scores, strict=True))
    for compat, precision in (("10", np.float64), ("9", np.float32)):
        ranked = sorted(zip([float(precision(score)) for score in scores], docnos, strict=True), reverse=True)
        assert order_of(block, compat) == [docno for _, docno in ranked]


def order_of(block: bytes, compat: str) -> list[bytes]:
    """Return the ranked documents of a block with one topic."""
    [results] = read_trec_results(Source("run", block), COMPAT[compat], strict=False, warn=pytest.fail).results()
    order, _ = ranking_order(results)
    docnos = results.docnos.texts()
    return docnos if order is None else [docnos[place] for place in order.tolist()]


DOCUMENTS = [f"d{number}" for number in range(8)]
MULTIPLES = (0.5, 1.0, 3.0)
REQUESTS = ("map_avgjg", "P_avgjg.1,3", "Rprec_mult_avgjg.0.5,1,3")


def expected_values(groups: dict[str, dict[str, int]], ranking: list[str], settings: Settings) -> list[float]:
    """Return the mean over groups of the values of the reference."""
    of_groups = []
    for name in sorted(groups):
        grades = groups[name]
        codes = [UNJUDGED if grades.get(docno, 0) < 0 else grades.get(docno, OUTSIDE) for docno in ranking]
        if settings.judged_only:
            codes = [code for code in codes if code >= 0]
        topic = Topic(codes, list(grades.values()), int(settings.level))
        of_groups.append(
            [
                reference.average_precision(topic),
                *(reference.precision_at(topic, k) for k in (1, 3)),
                *reference.multiple_r_precision(topic, MULTIPLES),
            ]
        )
    return [reference.ordered_sum(values) / len(values) for values in zip(*of_groups, strict=True)]


@examples(200)
@given(st.integers(0, 2**64), st.integers(-2, 3), st.booleans())
def test_groups_are_averaged(seed: int, level: int, judged_only: bool) -> None:
    """Group measures are the mean over groups of the values of the reference."""
    random = Random(seed)
    judged: dict[str, dict[str, dict[str, int]]] = {
        topic: {
            group: {docno: random.randint(-2, 3) for docno in random.sample(DOCUMENTS, random.randint(1, 8))}
            for group in random.sample(["9", "10", "a", "B"], random.randint(1, 4))
        }
        for topic in random.sample(["1", "2", "10"], random.randint(1, 3))
    }
    rankings = {topic: random.sample([*DOCUMENTS, "x", "y"], random.randint(1, 10)) for topic in judged}
    requested = Settings(level=level, judged_only=judged_only)
    with tempfile.TemporaryDirectory() as folder:
        qrels, results = Path(folder) / "qrels", Path(folder) / "run"
        judgment_lines = [
            f"{topic} {group} {docno} {grade}\n"
            for topic, groups in judged.items()
            for group, grades in groups.items()
            for docno, grade in grades.items()
        ]
        result_lines = [
            f"{topic} Q0 {docno} 0 {-rank} tag\n"
            for topic, docnos in rankings.items()
            for rank, docno in enumerate(docnos)
        ]
        random.shuffle(judgment_lines)
        qrels.write_text("".join(judgment_lines))
        results.write_text("".join(result_lines))
        judgments = rel_format("qrels_jg").read(Source(str(qrels)), TREC_EVAL_10, True, print)
        results_read = read_trec_results(Source(str(results)), TREC_EVAL_10, strict=True, warn=print)
        evaluation = evaluate(judgments, results_read, select_measures(REQUESTS, requested, "qrels_jg"), requested)
    values = [as_list(column.values) for column in evaluation.columns if column.values is not None]
    for topic, of_topic in zip(evaluation.topics, zip(*values, strict=True), strict=True):
        expected = expected_values(judged[topic.decode()], rankings[topic.decode()], requested)
        same = [x == y or (math.isnan(x) and math.isnan(y)) for x, y in zip(of_topic, expected, strict=True)]
        assert all(same), (topic, of_topic, expected)


def test_a_document_in_two_groups(tmp_path: Path) -> None:
    """Two groups can judge the same document."""
    (tmp_path / "run").write_text("1 Q0 A 1 1 r\n")
    arguments = ("-R", "qrels_jg", "-m", "map_avgjg", tmp_path / "qrels", tmp_path / "run")
    (tmp_path / "qrels").write_text("1 g A 1\n1 h A 0\n1 g B 0\n")
    assert run(*arguments).stdout.split() == [b"map_avgjg", b"all", b"0.5000"]


def test_only_comments(tmp_path: Path) -> None:
    """A file without data lines has no judged topics."""
    (tmp_path / "run").write_text("1 Q0 A 1 1 r\n")
    (tmp_path / "qrels").write_text("# nothing\n")
    assert run("-R", "qrels_jg", "-m", "map_avgjg", tmp_path / "qrels", tmp_path / "run").status == 7
    assert run("-c", "-R", "qrels_jg", "-m", "map_avgjg", tmp_path / "qrels", tmp_path / "run").status == 7


def test_measures_that_the_format_does_not_give(tmp_path: Path) -> None:
    """Group measures require groups, and groups support only group measures and counts."""
    (tmp_path / "run").write_text("1 Q0 A 1 1 r\n")
    (tmp_path / "qrels").write_text("1 g A 1\n")
    files = (tmp_path / "qrels", tmp_path / "run")
    for rel_format_name, measure, needed in (("qrels_jg", "map", "qrels"), ("qrels", "P_avgjg", "qrels_jg")):
        assert f"measure '{measure}' requires judgments in the format {needed} (-R), not {rel_format_name}" in refused(
            "-c", "-q", "-R", rel_format_name, "-m", measure, *files, status=4
        )
    assert run("-R", "qrels_jg", "-m", "num_q", *files).stdout.split() == [b"num_q", b"all", b"1"]
