"""--ties, --ignore-identical-ids and --duplicates with all that a command line or a Python program may have beside them."""

from __future__ import annotations

import gzip
import warnings
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from running import refusal, refused, run

import irevalx

QRELS = "1 0 A 1\n1 0 B 0\n1 0 C 2\n1 0 D 0\n2 0 A 1\n2 0 B 0\n"
RUN = """\
1 Q0 B 2 1.0 r
1 Q0 A 1 1.0 r
1 Q0 X 4 1.0 r
1 Q0 C 3 1.0 r
1 Q0 D 5 0.5 r
2 Q0 B 1 0.5 r
2 Q0 A 2 0.5 r
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with judgments and a run."""
    (tmp_path / "qrels").write_text(QRELS)
    (tmp_path / "run").write_text(RUN)
    return tmp_path


@pytest.mark.parametrize(
    ("ties", "first", "second"),
    [
        ("name", "-20", "01"),
        ("rank", "102", "01"),
        ("first", "01-", "01"),
        ("best", "210", "10"),
        ("worst", "-01", "01"),
    ],
)
def test_orders(folder: Path, ties: str, first: str, second: str) -> None:
    """Documents with equal scores by name (the last first), by rank, as in the file, by grade."""
    result = run("-n", "-q", "-m", "relstring.3", "--ties", ties, "qrels", "run", cwd=folder)
    assert result.stdout.decode().split("\n")[:2] == [
        f"{'relstring_3':<22}\t1\t'{first}'",
        f"{'relstring_3':<22}\t2\t'{second}'",
    ]


WAYS = ("file", "gzip", "standard input", "threads", "many runs", "scattered", "parquet", "dictionary", "records")


@pytest.mark.parametrize("ties", ["name", "rank", "first", "expected", "best", "worst"])
@pytest.mark.parametrize("way", WAYS)
def test_all_ways_to_give_a_run_are_alike(ties: str, way: str, tmp_path: Path) -> None:
    """Values do not depend on how a run is given; where there are no ranks, their order is refused in words."""
    random = Random(5)
    lines = []
    for topic in range(1, 9):
        ranks = random.sample(range(100), 30)
        lines += [
            (f"{topic}", f"D{document:02}", ranks[document], random.choice([3.0, 2.0, 1.5]))
            for document in random.sample(range(30), 30)
        ]
    qrels = {str(t): {f"D{d:02}": random.choice([0, 0, 1, 2]) for d in range(0, 30, 2)} for t in range(1, 9)}
    (tmp_path / "qrels").write_text("".join(f"{t} 0 {d} {g}\n" for t, docs in qrels.items() for d, g in docs.items()))
    text = "".join(f"{topic} Q0 {docno} {rank} {score} r\n" for topic, docno, rank, score in lines)
    (tmp_path / "run").write_text(text)
    options = ("-q", "-m", "map", "-m", "ndcg", "-m", "P.5", "--ties", ties, "qrels")
    expected = run(*options, "run", cwd=tmp_path)
    assert expected.status == 0
    if way == "gzip":
        (tmp_path / "run.gz").write_bytes(gzip.compress(text.encode()))
        assert run(*options, "run.gz", cwd=tmp_path).stdout == expected.stdout
    elif way == "standard input":
        assert run(*options, "-", cwd=tmp_path, stdin=tmp_path / "run").stdout == expected.stdout
    elif way == "threads":
        assert run("--threads", "2", *options, "run", cwd=tmp_path).stdout == expected.stdout
    elif way == "many runs":
        (tmp_path / "other").write_text(text.replace(" r\n", " other\n"))
        both = run(*options, "run", "other", cwd=tmp_path).stdout
        assert both.count(b"\n") == 2 * (expected.stdout.count(b"\n") + 1)
        assert expected.stdout in both
    elif way == "scattered":
        scattered = sorted(range(len(lines)), key=lambda place: (place % 30, place))
        (tmp_path / "scattered").write_text("".join(text.splitlines(keepends=True)[place] for place in scattered))
        assert run(*options, "scattered", cwd=tmp_path).stdout == expected.stdout
    elif way == "parquet":
        pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
        columns = dict(zip(("topic", "docno", "rank", "score"), map(list, zip(*lines, strict=True)), strict=True))
        pq.write_table(pa.table(columns), tmp_path / "run.parquet")
        result = run(*options, "run.parquet", cwd=tmp_path)
        assert (result.stdout, result.status) == ((b"", 1) if ties == "rank" else (expected.stdout, 0))
    elif way == "dictionary":
        given: dict[str, dict[str, float]] = {}
        for name, docno, _, score in lines:
            given.setdefault(name, {})[docno] = score
        check_in_python(qrels, given, ties, expected.stdout)
    elif way == "records":
        check_in_python(
            qrels,
            {
                "topic": [line[0] for line in lines],
                "docno": [line[1] for line in lines],
                "score": [line[3] for line in lines],
            },
            ties,
            expected.stdout,
        )


def check_in_python(qrels: Any, given: Any, ties: str, expected: bytes) -> None:
    """Python has the same values; without ranks their order is refused."""
    if ties == "rank":
        with pytest.raises(irevalx.IrevalxError, match='run: ties="rank" requires ranks'):
            irevalx.evaluate(qrels, given, "map", ties=ties)
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        scores = irevalx.evaluate(qrels, given, ["map", "ndcg", "P.5"], ties=ties)
    for name in ("map", "ndcg", "P_5"):
        assert f"{name:<22}\tall\t{scores.summary(name):6.4f}".encode() in expected


def test_ranks_are_read_where_scores_are_equal(folder: Path) -> None:
    """A rank that is no whole number is an error with its line; equal ranks are ordered by name."""
    (folder / "run").write_text(RUN.replace("Q0 A 1 1.0", "Q0 A x 1.0").replace("Q0 D 5", "Q0 D y"))
    message = refused("--ties", "rank", "-m", "map", "qrels", "run", cwd=folder, status=2)
    assert message.endswith("run:2: topic '1': document 'A': invalid rank 'x': must be a 64-bit integer\n")
    (folder / "run").write_text("1 Q0 A 7 1 r\n1 Q0 B 7 1 r\n1 Q0 C 1 1 r\n")
    result = run("-n", "-q", "-m", "relstring", "--ties", "rank", "qrels", "run", cwd=folder)
    assert result.stdout == f"{'relstring':<22}\t1\t'201'\n".encode()


@pytest.mark.parametrize("ties", ["first", "rank"])
def test_scores_that_are_no_numbers(folder: Path, ties: str) -> None:
    """With nan for every score, the order is that of equal scores."""
    (folder / "run").write_text("1 Q0 A 3 nan r\n1 Q0 B 2 nan r\n1 Q0 C 1 nan r\n")
    result = run("-n", "-q", "-m", "relstring", "--ties", ties, "qrels", "run", cwd=folder)
    assert result.stdout == f"{'relstring':<22}\t1\t'{'102' if ties == 'first' else '201'}'\n".encode()


def test_scores_that_are_equal_in_single_precision(folder: Path) -> None:
    """trec_eval 9 keeps 32-bit scores: what is equal there has an expected value with --compat 9."""
    (folder / "run").write_text("1 Q0 A 1 1.00000001 r\n1 Q0 B 2 1.0 r\n")
    values = {
        compat: run("--compat", compat, "-m", "P.1", "--ties", "expected", "qrels", "run", cwd=folder).stdout
        for compat in ("9", "10")
    }
    assert values["10"].endswith(b"\t1.0000\n")
    assert values["9"].endswith(b"\t0.5000\n")


def test_z_scores_of_expected_values(folder: Path) -> None:
    """What is converted is the expected value: (0.5 - 0.25)/0.5 for both topics."""
    (folder / "z").write_text("1 P_1 0.25 0.5\n2 P_1 0.25 0.5\n")
    result = run("-n", "-q", "-Z", "z", "-m", "P.1", "--ties", "expected", "qrels", "run", cwd=folder)
    assert [line.split()[-1] for line in result.stdout.decode().splitlines()] == ["0.5000", "0.5000"]


REFUSED = {
    "--ties expected -m iprec_at_recall": (
        1,
        "cannot be combined with --ties expected: the expected highest precision",
    ),
    "--ties expected -m yaap": (1, "yaap cannot be combined with --ties expected"),
    "--ties expected -m relstring": (1, "a string has no mean"),
    "--ties expected -M 2 -m set_F": (1, "set_F cannot be combined with --ties expected and -M"),
    "--ties expected -M 2 -J -m map": (1, "--ties expected cannot be combined with -M and -J"),
    "--ties expected -M 2 -m map:skip": (1, "--ties expected cannot be combined with -M and -J"),
    "--ties expected -D 1.1 -m map": (1, "a trace shows one order"),
    "--ties expected -R prefs": (1, "--ties expected cannot be combined with -R prefs"),
    "--ties best -R qrels_jg": (1, "--ties best cannot be combined with -R qrels_jg"),
    "--ties worst -R subtopics": (1, "--ties worst cannot be combined with -R subtopics"),
    "--ties expected -R sampled": (1, "--ties expected cannot be combined with -R sampled"),
    "--ties best -R prels": (1, "--ties best cannot be combined with -R prels"),
    "--ties other": (1, "--ties other: must be one of name, rank"),
    "--duplicates other": (1, "--duplicates other: must be error, first"),
}


@pytest.mark.parametrize("options", REFUSED)
def test_refused_in_words(folder: Path, options: str) -> None:
    """What has no meaning together ends with a status and a reason."""
    status, words = REFUSED[options]
    assert words in refused(*options.split(), "qrels", "run", cwd=folder, status=status)


def test_members_of_sets_without_an_expected_value_are_left_out(folder: Path) -> None:
    """One line names them; counts of the first documents are expected values too, and printed so."""
    result = run("-m", "official", "--ties", "expected", "-M", "3", "qrels", "run", cwd=folder)
    assert result.status == 0
    assert "measures that are not defined with --ties expected are left out: iprec_at_recall\n" in result.stderr
    assert f"{'num_ret':<22}\tall\t5\n".encode() in result.stdout
    assert f"{'num_rel_ret':<22}\tall\t2.5000\n".encode() in result.stdout  # 3 of the 4 tied, 2 of them relevant, and 1


def test_other_kinds_of_judgments_with_other_orders(folder: Path) -> None:
    """Orders that do not depend on grades hold for all judgments; groups have expected values."""
    (folder / "jg").write_text("1 u A 1\n1 u B 0\n1 v B 1\n1 v A 0\n")
    (folder / "run").write_text("1 Q0 A 1 1 r\n1 Q0 B 2 1 r\n")
    expected = {"first": "0.7500", "expected": "0.7500"}  # groups have 1 and 1/2, or the mean of these each
    for ties, value in expected.items():
        result = run("-R", "qrels_jg", "-m", "map_avgjg", "--ties", ties, "jg", "run", cwd=folder)
        assert result.stdout.decode().split() == ["map_avgjg", "all", value]
    (folder / "prefs").write_text("1 u a A 2\n1 u a B 1\n")
    for ties, value in {"name": "1.0000", "first": "1.0000"}.items():
        result = run("-R", "prefs", "-m", "prefs_simp", "--ties", ties, "prefs", "run", cwd=folder)
        assert result.stdout.decode().split() == ["prefs_simp", "all", value]
    (folder / "run").write_text("1 Q0 B 1 1 r\n1 Q0 A 2 1 r\n")
    result = run("-R", "prefs", "-m", "prefs_simp", "--ties", "first", "prefs", "run", cwd=folder)
    assert result.stdout.decode().split() == ["prefs_simp", "all", "0.0000"]


def test_traces_show_the_best_and_the_worst_order(folder: Path) -> None:
    """Documents stand in the order that measures see."""
    for ties, docnos in {"best": "CABD", "worst": "BACD"}.items():
        result = run("-D", "1.1", "-m", "map", "--ties", ties, "qrels", "run", cwd=folder)
        rows = [line.split() for line in result.stderr.splitlines() if line.startswith("     ")][1:]
        assert "".join(row[-1] for row in rows) == docnos


def test_documents_with_the_id_of_their_topic(folder: Path) -> None:
    """They are dropped before ranks are counted, and one line says how many they are."""
    extra = "1 Q0 1 0 9.0 r\n2 Q0 2 0 9.0 r\n2 Q0 1 0 8.0 r\n"
    (folder / "other").write_text(RUN + extra)
    (folder / "without").write_text(RUN + "2 Q0 1 0 8.0 r\n")
    options = ("-q", "-m", "map", "-m", "num_ret", "qrels")
    result = run("--ignore-identical-ids", *options, "other", cwd=folder)
    assert result.stdout == run(*options, "without", cwd=folder).stdout
    assert "irevalx: other: 2 retrieved documents with the ID of the topic left out\n" in result.stderr
    assert run("--ignore-identical-ids", *options, "run", cwd=folder).stderr == run(*options, "run", cwd=folder).stderr
    with pytest.warns(irevalx.IrevalxWarning, match="run: 1 retrieved document with the ID of the topic left out"):
        scores = irevalx.evaluate({"7": {"a": 1}}, {"7": {"7": 2.0, "a": 1.0}}, "recip_rank", ignore_identical_ids=True)
    assert scores.summary("recip_rank") == 1.0


def test_a_topic_that_retrieves_itself_alone(folder: Path) -> None:
    """It counts as one for which nothing was retrieved."""
    (folder / "run").write_text("1 Q0 1 1 1.0 r\n2 Q0 A 1 1.0 r\n")
    result = run("--ignore-identical-ids", "-q", "-m", "num_ret", "-m", "map", "qrels", "run", cwd=folder)
    assert [line.split()[-1] for line in result.stdout.decode().splitlines()] == [
        "0",
        "0.0000",
        "1",
        "1.0000",
        "1",
        "0.5000",
    ]


TWICE = "1 Q0 A 1 1.0 r\n1 Q0 B 2 2.0 r\n1 Q0 A 3 3.0 r\n1 Q0 B 4 0.5 r\n1 Q0 A 5 nan r\n"


@pytest.mark.parametrize(("which", "order"), [("first", "01"), ("best", "10")])
def test_documents_that_a_run_has_twice(folder: Path, which: str, order: str) -> None:
    """The first line counts, or the greatest score; by default the run is refused as trec_eval does."""
    (folder / "run").write_text(TWICE)
    result = run("-n", "-q", "-m", "relstring", "-m", "num_ret", "--duplicates", which, "qrels", "run", cwd=folder)
    assert result.stdout.decode().split() == ["num_ret", "1", "2", "relstring", "1", f"'{order}'"]
    assert "duplicate document" in refused("-m", "map", "qrels", "run", cwd=folder, status=4)


@pytest.mark.parametrize(("which", "order"), [("first", "01"), ("best", "10")])
def test_documents_that_json_has_twice(folder: Path, which: str, order: str) -> None:
    """The first key counts, or the greatest score; in Python too, and when a run is used again."""
    (folder / "run.json").write_text('{"2": {"A": 1},\n "1": {"A": 1.0, "B": 2.0, "A": 3.0, "B": 0.5}}')
    options = ("-n", "-q", "-m", "relstring", "-T", "json")
    result = run(*options, "--duplicates", which, "qrels", "run.json", cwd=folder)
    assert result.stdout.decode().split()[:3] == ["relstring", "1", f"'{order}'"]
    message = refused(*options, "qrels", "run.json", cwd=folder, status=4)
    assert "run.json:2: duplicate document 'A' in the results of topic '1' (first on line 2)" in message
    assert message.endswith("; keep one of them with --duplicates first or --duplicates best\n")
    read = irevalx.Run.read(folder / "run.json", results_format="json")
    for _ in range(2):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            scores = irevalx.evaluate(folder / "qrels", [read], "recip_rank", topic="1", duplicates=which)
        assert scores.summary("recip_rank") == (0.5 if which == "first" else 1.0)
        with pytest.raises(irevalx.IrevalxError, match="duplicate document"):
            irevalx.evaluate(folder / "qrels", [read], "recip_rank")


def test_the_warning_about_equal_scores_names_the_option(tmp_path: Path) -> None:
    """It is there where documents are ordered by name, and only there."""
    (tmp_path / "qrels").write_text(QRELS)
    (tmp_path / "run").write_text("".join(f"{t} Q0 {d} {r} 1 r\n" for t in (1, 2) for r, d in enumerate("ABCD", 1)))
    words = "all scores are equal in 1 of the first 1 topics; documents with equal scores are ordered by DOCNO, and RANK is ignored"
    assert f"{words} (change this with --ties)\n" in run("-m", "map", "qrels", "run", cwd=tmp_path).stderr
    assert words not in run("-m", "map", "--ties", "rank", "qrels", "run", cwd=tmp_path).stderr


@pytest.mark.parametrize("grades_are", ["whole", "real"])
@pytest.mark.parametrize("k", [None, 3, 10])
def test_scikit_learn_has_the_same_gains(k: int | None, grades_are: str) -> None:
    """Its dcg_score and ndcg_score average over documents with equal scores unless told otherwise."""
    metrics = pytest.importorskip("sklearn.metrics")
    random = np.random.default_rng(3)
    grades, scores = random.integers(0, 4, (40, 12)).astype(float), random.integers(0, 4, (40, 12)).astype(float)
    if grades_are == "real":
        grades *= 0.3
    grades[:, 0] = 1
    number = int if grades_are == "whole" else float
    qrels: Any = {str(t): {str(d): number(grades[t, d]) for d in range(12)} for t in range(40)}
    given = {str(t): {str(d): float(scores[t, d]) for d in range(12)} for t in range(40)}
    requests = ["dcg", "ndcg" if k is None else f"ndcg@{k}"]
    result = irevalx.evaluate(qrels, given, requests, ties="expected", max_retrieved=k, grades=grades_are)
    assert result.summary("dcg") == pytest.approx(metrics.dcg_score(grades, scores, k=k, ignore_ties=False), abs=1e-12)
    ndcg = metrics.ndcg_score(grades, scores, k=k, ignore_ties=False)
    assert result.summary(result.measures[-1]) == pytest.approx(ndcg, abs=1e-12)


@pytest.mark.parametrize("option", ["--ties expected", "--ignore-identical-ids", "--duplicates first"])
def test_a_command_of_the_lab_that_ranks_by_name(folder: Path, option: str) -> None:
    """``describe`` refuses the options in words; commands that evaluate runs have them."""
    assert f"unknown option '{option.split(maxsplit=1)[0]}'" in refusal(
        "describe", *option.split(), "qrels", "run", cwd=folder
    )


@pytest.mark.parametrize("level", ["-1", "-2", "0"])
def test_levels_at_which_unjudged_documents_are_hits(folder: Path, level: str) -> None:
    """Without equal scores every value is what it is by name, to the last digit, whatever the level."""
    (folder / "run").write_text("".join(f"1 Q0 {d} {r} {9 - r} r\n" for r, d in enumerate("BXACD", 1)))
    options = ("-l", level, "-m", "all_trec", "-q", "--format", "csv", "qrels", "run")
    plain = {tuple(line.split(",")) for line in run(*options, cwd=folder).stdout.decode().splitlines()}
    expected = {
        tuple(line.split(",")) for line in run("--ties", "expected", *options, cwd=folder).stdout.decode().splitlines()
    }
    assert expected < plain
    left_out = {line[2] for line in plain - expected}
    assert {name.rstrip("0123456789.").rstrip("_") for name in left_out} == {
        "11pt_avg", "G", "infAP", "iprec_at_recall", "ndcg_rel", "relstring",
    }  # fmt: skip
