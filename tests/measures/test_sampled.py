"""Measures for stratified samples say what the reference says, and the format is read as it is published."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import combinations, product
from pathlib import Path

import numpy as np
import pytest
from examples.random_topics import ORDERS, lists_of
from hypothesis import given
from hypothesis import strategies as st
from references.incomplete_judgments import SampledTopic, inf_ndcg, sampled
from references.measures import ordered_sum
from running import FIXTURES, Result, examples, refused, run

from irevalx.arrays.codes import OUTSIDE, UNJUDGED
from irevalx.arrays.segments import Segments
from irevalx.frozen import replace as changed
from irevalx.measures import BY_NAME
from irevalx.measures.summaries import as_list
from irevalx.ranking.topics import SampledTopics
from irevalx.reading.judgment_formats import SAMPLED
from irevalx.reading.sources.files import Source
from irevalx.settings import Settings
from irevalx.trec_eval import TREC_EVAL_10

EXAMPLE = FIXTURES / "example"
QRELS, RUN = EXAMPLE / "sampled.qrels", EXAMPLE / "bm25.run"

# Kernels and the reference


def topics_of(drawn: Sequence[SampledTopic], *, all_rows: bool) -> SampledTopics:
    """Put topics that share level and depth into the form that kernels see."""
    rows = [
        [(rank, document) for rank, document in enumerate(topic.ranking, 1) if all_rows or document] for topic in drawn
    ]
    flat = [(rank, document) for row in rows for rank, document in row]
    shared = drawn[0] if drawn else SampledTopic([], [])
    return SampledTopics(
        rows=Segments.of_lengths([len(row) for row in rows]),
        rank=np.array([rank for rank, _ in flat], np.int64),
        grade=np.array([OUTSIDE if d is None else d[1] if d[1] >= 0 else UNJUDGED for _, d in flat], np.int64),
        n_ret=np.array([len(topic.ranking) for topic in drawn], np.int64),
        pool=Segments.of_lengths([len(topic.judgments) for topic in drawn]),
        pool_grade=np.array([grade for topic in drawn for _, grade in topic.judgments], np.int64),
        level=shared.level,
        stratum=np.array([OUTSIDE if d is None else d[0] for _, d in flat], np.int64),
        pool_stratum=np.array([stratum for topic in drawn for stratum, _ in topic.judgments], np.int64),
        depth=shared.depth,
    )


@st.composite
def topics(draw: st.DrawFn) -> list[SampledTopic]:
    """No to five topics with up to three strata, some without any judged document."""
    level, depth = draw(st.integers(-1, 3)), draw(st.sampled_from([3, 10, 1000]))
    documents = list(product([0, 1, 1, 7], [-1, -1, 0, 0, 1, 1, 2, 3]))
    random = draw(ORDERS)
    drawn = []
    for _ in range(draw(st.integers(0, 5))):
        pool = draw(lists_of(documents, most=25))
        retrieved = random.sample(pool, random.randint(0, len(pool)))
        ranking = [*retrieved, *[None] * draw(st.integers(0, 8))]
        random.shuffle(ranking)
        drawn.append(SampledTopic(ranking[:depth], pool, level, depth))
    return drawn


@pytest.mark.parametrize("name", sampled.by_name)
@examples(150)
@given(topics())
def test_kernel_is_the_reference(name: str, drawn: list[SampledTopic]) -> None:
    """A kernel gives every topic what the loops give, but for the order of operations, which nothing prescribes."""
    measure, literal = BY_NAME[name], sampled.by_name[name]
    parameters = measure.kind.parse(name, None, Settings(), print)
    for all_rows in (True, False):
        columns = measure(topics_of(drawn, all_rows=all_rows), parameters)
        for k, column in zip(sampled.defaults[name] or (None,), columns, strict=True):
            expected = [literal(topic) if k is None else literal(topic, k) for topic in drawn]
            assert as_list(column) == pytest.approx(expected, rel=1e-12, abs=1e-15)


@examples(100)
@given(topics(), st.dictionaries(st.integers(0, 3), st.sampled_from([0, 0.5, 1, 3, 10]), min_size=1))
def test_given_gains(drawn: list[SampledTopic], gains: dict[int, float]) -> None:
    """Gains are those given; grades with the same gain are counted together before they are rounded."""
    measure = BY_NAME["infNDCG"]
    text = ",".join(f"{grade}={gain}" for grade, gain in gains.items())
    parameters = measure.kind.parse("infNDCG", text, Settings(), print)
    assert parameters.names == (f"infNDCG_{text}",)
    [column] = measure(topics_of(drawn, all_rows=False), parameters)
    assert as_list(column) == pytest.approx([inf_ndcg(topic, gains) for topic in drawn], rel=1e-12, abs=1e-15)


@given(topics())
def test_everything_judged(drawn: list[SampledTopic]) -> None:
    """With a single stratum that was judged as a whole, estimates are what is estimated, but for the smoothing."""
    full = [
        replace(
            topic,
            ranking=[None if document is None else (0, abs(document[1])) for document in topic.ranking],
            judgments=[(0, abs(grade)) for _, grade in topic.judgments],
            level=max(topic.level, 1),
        )
        for topic in drawn
    ]
    t = changed(topics_of(full, all_rows=False), round_recall=lambda x: np.ceil(x - 1e-9).astype(np.int64))
    for name, known in (("iiprec_at_recall", "iprec_at_recall"), ("inum_rel", "num_rel"), ("xinfAP", "map")):
        inferred, of_grades = BY_NAME[name], BY_NAME[known]
        columns = inferred(t, inferred.kind.parse(name, None, Settings(), print))
        expected = of_grades(t, of_grades.kind.parse(known, None, Settings(), print))
        for column, values in zip(columns, expected, strict=True):
            has_hits = (t.n_rel > 0) & (t.n_ret > 0)
            assert np.asarray(column)[has_hits] == pytest.approx(np.asarray(values)[has_hits], abs=1e-3)
    error = BY_NAME["inum_rel_se"]
    assert not np.any(error(t, error.kind.parse("inum_rel_se", None, Settings(), print))[0])


def test_standard_error_by_hand() -> None:
    """Over all six samples of 2 of 4 documents, the estimated variance averages to that of the estimates, 4/3."""
    by_measure: dict[str, list[float]] = {"inum_rel": [], "inum_rel_se": []}
    for drawn in combinations(range(4), 2):
        topic = SampledTopic([], [(1, int(number < 2) if number in drawn else -1) for number in range(4)])
        t = topics_of([topic], all_rows=False)
        for name, values in by_measure.items():
            [column] = BY_NAME[name](t, BY_NAME[name].kind.parse(name, None, Settings(), print))
            values.extend(as_list(column))
    assert sum(by_measure["inum_rel"]) / 6 == 2
    assert sum((estimate - 2) ** 2 for estimate in by_measure["inum_rel"]) / 6 == pytest.approx(4 / 3)
    assert sum(error**2 for error in by_measure["inum_rel_se"]) / 6 == pytest.approx(4 / 3)


def test_worked_example(tmp_path: Path) -> None:
    """Six documents in two strata, of which the second was sampled."""
    judged = {"d1": (1, 1), "d2": (1, 0), "d3": (2, 1), "d4": (2, -1), "d5": (2, 0), "d6": (2, -1)}
    lines = [f"1 0 {docno} {stratum} {grade}\n" for docno, (stratum, grade) in judged.items()]
    (tmp_path / "qrels").write_text("".join(lines))
    ranking = ["d1", "d4", "d3", "d2", "d5", "x", "d6"]
    (tmp_path / "run").write_text("".join(f"1 Q0 {docno} 1 {-rank} r\n" for rank, docno in enumerate(ranking)))
    names = ("inum_rel", "inum_rel_se", "xinfAP", "infNDCG")
    done = run(
        "-R", "sampled", *(word for name in names for word in ("-m", name)), tmp_path / "qrels", tmp_path / "run"
    )
    assert [line.split()[2] for line in done.stdout.splitlines()] == [b"3.0000", b"1.4142", b"0.8518", b"0.9386"]


RECORDED = {
    "xinfAP": "0.6017",
    "infNDCG": "0.6685",
    "infNDCG_1=1,2=3": "0.6285",
    "iP_10": "0.6750",
    "iP_50": "0.2000",
    "iP_1000": "0.0100",
    "inum_rel_ret": "39.9999",
    "inum_rel": "49.7778",
    "num_ret": "100",
}
"""What sample_eval.pl of 10 October 2011 prints for the example as infAP, infNDCG (also with -G 1=1 2=3), iP10, ..."""

RECORDED_AT_RECALL = (0.9167, 0.8809, 0.7976, 0.7976, 0.7976, 0.6382, 0.5830, 0.5434, 0.3617, 0.1190, 0.0)
"""What it prints as iprec@rec0.00 to 1.00; its levels depend on each other, see the measure."""


def test_recorded_answers() -> None:
    """The program's digits; interpolated precisions are near, and the same where its levels are far apart."""
    flags = ("-m", "all", "-m", "infNDCG.1=1,2=3")
    printed = [line.split() for line in run("-R", "sampled", *flags, QRELS, RUN).stdout.decode().splitlines()]
    values = {name: value for name, _, value in printed}
    assert {name: values[name] for name in RECORDED} == RECORDED
    precisions = [float(value) for name, value in values.items() if name.startswith("iiprec")]
    assert precisions == pytest.approx(RECORDED_AT_RECALL, abs=0.003)
    assert precisions[:5] == list(RECORDED_AT_RECALL[:5])


@pytest.mark.parametrize(
    ("requested", "message"),
    [
        ("infNDCG.-1=2", "invalid gain of infNDCG for grade '-1': the grade must be a number of at least 0"),
        ("infNDCG.p=2", "invalid gain of infNDCG for grade 'p': the grade must be a number of at least 0"),
        ("infNDCG.1=-2", "invalid gain -2 of infNDCG for grade '1': must be at least 0"),
        ("infNDCG.1", "invalid parameters '1' of infNDCG: must be pairs LEVEL=GAIN,LEVEL=GAIN,..."),
    ],
)
def test_gains_that_make_no_sense(requested: str, message: str) -> None:
    """What is wrong with gains is said, and nothing printed."""
    result = run("-R", "sampled", "-m", requested, QRELS, RUN)
    assert (result.stdout, result.status in {1, 2}) == (b"", True)
    assert message in result.stderr


def test_several_gains_side_by_side() -> None:
    """Plain infNDCG, and two lists of gains of which one is the grades themselves."""
    flags = ("-R", "sampled", "-m", "infNDCG", "-m", "infNDCG.1=1,2=2", "-m", "infNDCG.1=1,2=3")
    values = dict(line.split()[::2] for line in run(*flags, QRELS, RUN).stdout.splitlines())
    assert list(values) == [b"infNDCG", b"infNDCG_1=1,2=2", b"infNDCG_1=1,2=3"]
    assert values[b"infNDCG"] == values[b"infNDCG_1=1,2=2"] != values[b"infNDCG_1=1,2=3"]


@given(topics())
def test_one_stratum(drawn: list[SampledTopic]) -> None:
    """With a single stratum xinfAP is infAP with c = 3."""

    def of_one(documents: Sequence[tuple[int, int] | None]) -> list[tuple[int, int] | None]:
        return [None if document is None else (0, document[1]) for document in documents]

    single = [
        replace(topic, ranking=of_one(topic.ranking), judgments=[(0, grade) for _, grade in topic.judgments])
        for topic in drawn
    ]
    t = topics_of(single, all_rows=False)
    inferred, extended = BY_NAME["infAP"], BY_NAME["xinfAP"]
    [expected] = inferred(t, inferred.kind.parse("infAP", "c=3", Settings(), print))
    [result] = extended(t, extended.kind.parse("xinfAP", None, Settings(), print))
    assert as_list(result) == pytest.approx(as_list(expected), rel=1e-9, abs=1e-12)


# The command


def read_topics(qrels: Path, run_path: Path, *, level: int = 1, depth: int = 1000) -> dict[str, SampledTopic]:
    """Read the files line by line, and rank by score and docno."""
    judged: dict[str, dict[str, tuple[int, int]]] = {}
    for line in qrels.read_text().splitlines():
        topic, _, docno, stratum, grade = line.split()
        judged.setdefault(topic, {})[docno] = (int(stratum), int(grade))
    scores: dict[str, list[tuple[float, str]]] = {}
    for line in run_path.read_text().splitlines():
        topic, _, docno, _, score, _ = line.split()
        scores.setdefault(topic, []).append((float(score), docno))
    return {
        topic: SampledTopic(
            [judged[topic].get(docno) for _, docno in sorted(scores.get(topic, []), reverse=True)][:depth],
            list(judged[topic].values()),
            level,
            depth,
        )
        for topic in sorted(judged)
    }


@pytest.mark.parametrize(
    ("flags", "level", "depth"), [((), 1, 1000), (("-l", "2"), 2, 1000), (("-M", "12"), 1, 12), (("-l0",), 0, 1000)]
)
def test_example(flags: tuple[str, ...], level: int, depth: int) -> None:
    """The stratified example of the fixtures is scored as the reference scores it, with every flag that counts."""
    read = read_topics(QRELS, RUN, level=level, depth=depth)
    with_results = {topic: seen for topic, seen in read.items() if seen.ranking}
    assert 0 < len(with_results) < len(read)
    expected: dict[tuple[str, str], str] = {}
    for name, literal in sampled.by_name.items():
        for k in sampled.defaults[name] or (None,):
            printed = name if k is None else f"{name}_{k:{'.2f' if 'recall' in name else ''}}"
            form = "%d" if name.startswith("num_") else "%6.4f"
            values = {topic: literal(seen) if k is None else literal(seen, k) for topic, seen in with_results.items()}
            expected |= {(printed, topic): form % value for topic, value in values.items()}
            if name.startswith(("num_", "inum_")):
                of_all = name in {"inum_rel", "inum_rel_se"}
                every = [literal(seen) for seen in read.values()] if of_all else list(values.values())
                power = 2 if name == "inum_rel_se" else 1
                expected[printed, "all"] = form % ordered_sum([value**power for value in every]) ** (1 / power)
            else:
                expected[printed, "all"] = form % (ordered_sum(list(values.values())) / len(values))
    result = run("-q", "-R", "sampled", *flags, QRELS, RUN)
    rows = [line.split() for line in result.stdout.decode().splitlines()]
    printed_rows = {(name, topic): value for name, topic, value in rows if name not in {"runid", "num_q"}}
    assert printed_rows == expected
    assert result.status == 0


def test_all_judged_topics_are_looked_at_for_inum_rel(tmp_path: Path) -> None:
    """A document judged twice in a topic that the run lacks is an error; -D looks at its topic only."""
    lines = QRELS.read_text().splitlines()
    assert lines[-1].startswith("305 ")
    (tmp_path / "twice").write_text("\n".join([*lines, lines[-1]]) + "\n")
    assert "duplicate document 'NEWS-1234' in the judgments of topic '305'" in refused(
        "-R", "sampled", "-m", "inum_rel", tmp_path / "twice", RUN, status=4
    )
    result = run("-q", "-R", "sampled", "-D", "0.301", "-m", "inum_rel", QRELS, RUN)
    values = [line.split()[2] for line in result.stdout.splitlines()]
    assert len(values) == 2
    assert values[0] == values[1]


def test_thousand_documents_count(tmp_path: Path) -> None:
    """Without -M the first 1000 documents of a topic are looked at, also in the best possible ranking."""
    (tmp_path / "qrels").write_text("".join(f"1 0 D{n} {n % 2} 1\n" for n in range(1500)))
    (tmp_path / "run").write_text("".join(f"1 Q0 D{n} 1 {-n} r\n" for n in range(1500)))
    flags = ("-R", "sampled", "-m", "num_ret", "-m", "infNDCG", "-m", "num_rel")
    for more, n_ret in (((), b"1000"), (("-M", "1200"), b"1200"), (("-M", "9999"), b"1500")):
        rows = [
            line.split()[2] for line in run(*flags, *more, tmp_path / "qrels", tmp_path / "run").stdout.splitlines()
        ]
        assert rows == [n_ret, b"1500", b"1.0000"]


def test_the_whole_family_is_in_the_reference() -> None:
    """Every measure that the format allows, but those of the summary alone, is held to the reference."""
    allowed = {measure.name for measure in BY_NAME.values() if "sampled" in measure.formats and measure.kernel}
    assert allowed == set(sampled.by_name)


def test_strata_have_names(tmp_path: Path) -> None:
    """Any word is a stratum: other names in the same order change nothing."""
    names = {"1": "-1", "2": "top"}
    renamed = [line.split() for line in QRELS.read_text().splitlines()]
    assert {words[3] for words in renamed} == set(names)
    text = "".join(" ".join((*words[:3], names[words[3]], words[4])) + "\n" for words in renamed)
    (tmp_path / "qrels").write_text(text)
    flags = ("-q", "-R", "sampled")
    assert run(*flags, tmp_path / "qrels", RUN).stdout == run(*flags, QRELS, RUN).stdout


def test_order_of_strata(tmp_path: Path) -> None:
    """Numbers go by value, then other names by their bytes."""
    names = ["-1", "9", "10", "10.5", "B", "a", "\u00e9"]
    (tmp_path / "qrels").write_text("".join(f"1 0 {name} {name} 1\n" for name in reversed(names)))
    judgments = SAMPLED.read(Source(str(tmp_path / "qrels")), TREC_EVAL_10, strict=True, warn=print)
    assert judgments.strata is not None
    assert judgments.strata.tolist() == list(reversed(range(len(names))))


# What sample_eval.pl of 10 October 2011 does otherwise.


def of_files(folder: Path, judgments: str, results: str, *names: str) -> Result:
    """Evaluate these lines."""
    (folder / "qrels").write_text(judgments)
    (folder / "run").write_text(results)
    flags = [word for name in names for word in ("-m", name)]
    return run("-R", "sampled", "-q", *flags, "qrels", "run", cwd=folder)


def in_order(docnos: Iterable[str]) -> str:
    """A run of one topic."""
    return "".join(f"1 Q0 {docno} 1 {-place} r\n" for place, docno in enumerate(docnos))


def test_grades_from_10_on(tmp_path: Path) -> None:
    """The ideal has 10 before 2; sample_eval.pl says 1.3553."""
    done = of_files(tmp_path, "1 0 a 1 10\n1 0 b 1 2\n1 0 c 1 0\n", in_order("abc"), "infNDCG")
    assert done.stdout.split()[2] == b"1.0000"


def test_ideal_of_a_thousand_documents(tmp_path: Path) -> None:
    """It ends there, whatever is relevant after; sample_eval.pl says 0.9996."""
    docnos = [f"d{number:04}" for number in range(1000)]
    judgments = "".join(f"1 0 {docno} 1 2\n" for docno in docnos)
    judgments += "".join(f"1 0 e{number} 2 1\n" for number in range(500))
    assert of_files(tmp_path, judgments, in_order(docnos), "infNDCG").stdout.split()[2] == b"1.0000"


def test_leading_zeros_of_topics(tmp_path: Path) -> None:
    """They are part of a topic; sample_eval.pl evaluates topic 1."""
    done = of_files(tmp_path, "1 0 a 1 1\n", "01 Q0 a 1 2 r\n", "xinfAP")
    assert (done.status, done.stdout) == (7, b"")
    assert "which differ only by leading zeros" in done.stderr


@pytest.mark.parametrize(("judged", "retrieved"), [("aba", "ab"), ("ab", "aba")])
def test_documents_twice(judged: str, retrieved: str, tmp_path: Path) -> None:
    """Both files are refused; sample_eval.pl says 0.0000 and 0.5000."""
    judgments = "".join(f"1 0 {docno} 1 {int(place == 0)}\n" for place, docno in enumerate(judged))
    done = of_files(tmp_path, judgments, in_order(retrieved), "xinfAP")
    assert (done.status, done.stdout) == (4, b"")
    assert "(first on line 1)" in done.stderr


def test_number_of_retrieved_documents(tmp_path: Path) -> None:
    """A thousand of a topic; sample_eval.pl says 1500 for the topic and 1000 for all."""
    done = of_files(tmp_path, "1 0 d0 1 1\n", in_order(f"d{number}" for number in range(1500)), "num_ret")
    assert done.stdout.split()[2::3] == [b"1000", b"1000"]
