"""--grades: values, errors and warnings."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from running import run

import irevalx
from irevalx.errors import ArgumentError, UsageError

RUN = "1 Q0 A 1 3 r\n1 Q0 B 2 2 r\n1 Q0 C 3 1 r\n"
QRELS = "1 0 A 0.25\n1 0 B 0.75\n1 0 C -0.5\n1 0 D 0.5\n"


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    """Judgments with real grades, and a run."""
    (tmp_path / "qrels").write_text(QRELS)
    (tmp_path / "run").write_text(RUN)
    return tmp_path / "qrels", tmp_path / "run"


@pytest.mark.parametrize(
    ("options", "printed"),
    [
        (("-l", "0.5", "-m", "map"), "map all 0.2500"),
        (("-l", ".75", "-m", "map"), "map all 0.5000"),
        (("-m", "AP(rel=0.75)"), "map(rel=0.75) all 0.5000"),
        (("-l", "0.5", "-M", "1", "-m", "P.1"), "P_1 all 0.0000"),
        (("-l", "0.5", "-J", "-m", "num_ret"), "num_ret all 2"),
        (("-l", "0.5", "-m", "num_rel_ret:rel"), "num_rel_ret:rel all 2"),
        (("-l", "0.5", "--compat", "9", "-m", "recip_rank"), "recip_rank all 0.5000"),
        (("-l", "1e-1", "-c", "-m", "num_rel_ret"), "num_rel_ret all 2"),
    ],
)
def test_levels(options: tuple[str, ...], printed: str, files: tuple[Path, Path]) -> None:
    """The level can be a real number, with every other option."""
    result = run("--grades", "real", *options, *files)
    assert (result.status, " ".join(result.stdout.decode().split())) == (0, printed)


def test_zscores(files: tuple[Path, Path], tmp_path: Path) -> None:
    """Z-scores are computed from the values."""
    (tmp_path / "z").write_text("1 map 0.15 0.1\n")
    result = run("--grades", "real", "-l", "0.5", "-Z", tmp_path / "z", "-m", "map", *files)
    assert result.stdout.decode().split() == ["Zmap", "all", "1.0000"]


def test_pool(files: tuple[Path, Path], tmp_path: Path) -> None:
    """Pooled documents are unjudged."""
    (tmp_path / "pool").write_text("1 A\n1 B\n1 C\n1 D\n1 E\n")
    result = run("--grades", "real", "-l", "0.5", "--pool", tmp_path / "pool", "-m", "indAP", *files)
    assert result.stdout.decode().split() == ["indAP", "all", "0.2500"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("-l", "0.5"), "-l '0.5' is not an integer (fractional levels require --grades real), read as 0"),
        (("--grades", "real", "-l", "abc"), "-l abc: must be a 64-bit integer, or a finite number if grades are real"),
        (("--grades", "real", "-l", "9223372036854775808"), "must be a 64-bit integer, or a finite number"),
        (
            ("-m", "AP(rel=0.5)"),
            "invalid level in 'AP(rel=0.5)': must be an integer; fractional levels require --grades real",
        ),
        (("--grades", "real", "-m", "G"), "G cannot be combined with --grades real: its lag"),
        (("--strict",), "invalid grade '0.25': must be a 64-bit integer; real-valued grades require --grades real"),
        (
            ("-m", "map"),
            "invalid grade '0.25' (not a 64-bit integer), read as 0, like trec_eval; real-valued grades require --grades real (3 more such",
        ),
        (("--grades", "real", "-R", "prefs"), "-R prefs: a LEVEL is a real number anyway"),
        (("--grades", "real", "-R", "qrels_prefs"), "-R qrels_prefs: a LEVEL is a real number anyway"),
        (("--grades", "real", "-R", "prels"), "-R prels: grades of this format are integers, -999 or less"),
        (
            ("--grades", "real", "-m", "map"),
            "no document is relevant: no grade reaches the level 1 (-l); the highest grade is",
        ),
    ],
)
def test_said(options: tuple[str, ...], message: str, files: tuple[Path, Path]) -> None:
    """Errors and warnings name the option that helps."""
    assert message in run(*options, *files).stderr


def test_no_warning_where_the_level_plays_no_part(files: tuple[Path, Path]) -> None:
    """Measures of gains do not use the relevance level, so no warning about the level is printed."""
    assert run("--grades", "real", "-m", "dcg", *files).stderr == ""


def test_a_grade_that_is_no_number(files: tuple[Path, Path]) -> None:
    """A grade of nan is an error with --grades real; only integer grades are read as in C."""
    files[0].write_text("1 0 A 0.5\n1 0 B nan\n")
    result = run("--grades", "real", *files)
    assert result.status == 2
    assert "qrels:2: topic '1': document 'B': invalid grade 'nan': must be a finite number" in result.stderr


@pytest.mark.parametrize(
    ("form", "text"),
    [
        ("beir", "query-id\tcorpus-id\tscore\n1\tA\t0.25\n1\tB\t0.75\n1\tD\t0.5\n"),
        ("json", '{"1": {"A": 0.25, "B": 0.75, "D": 5e-1}}'),
        ("sampled", "1 0 A 1 0.25\n1 0 B 1 0.75\n1 0 D 1 0.5\n"),
        ("qrels_jg", "1 0 A 0.25\n1 0 B 0.75\n1 0 D 0.5\n"),
        ("subtopics", "1 0 A 0.25\n1 0 B 0.75\n1 0 D 0.5\n"),
    ],
)
def test_formats(form: str, text: str, files: tuple[Path, Path]) -> None:
    """All formats with grades support real grades; grades of 0 and 1 have the same values as integers."""
    measures = {"sampled": "xinfAP", "qrels_jg": "map_avgjg", "subtopics": "MAP_IA"}
    call = ("-R", form, "-m", measures.get(form, "map"))
    files[0].write_text(text)
    result = run("--grades", "real", "-l", "0.5", *call, *files)
    files[0].write_text(text.replace("0.25", "0").replace("0.75", "1").replace("5e-1", "1").replace("0.5", "1"))
    assert result.stderr == ""
    assert (result.status, result.stdout) == (0, run(*call, *files).stdout)


@pytest.mark.parametrize("kind", ["dictionary", "columns", "pandas", "polars", "file"])
def test_python(kind: str, files: tuple[Path, Path]) -> None:
    """Dictionaries, columns, data frames and files have the same values."""
    grades = {"A": 0.25, "B": 0.75, "C": -0.5, "D": 0.5}
    columns = {"topic": ["1"] * 4, "docno": list(grades), "grade": list(grades.values())}
    given: Any = {"dictionary": {"1": grades}, "columns": columns, "file": files[0]}.get(kind)
    if given is None:
        given = pytest.importorskip(kind).DataFrame(columns)
    scores = irevalx.evaluate(given, files[1], ["map", "dcg"], grades="real", level=0.5)
    assert scores["map"] == 0.25
    assert scores["dcg"] == pytest.approx(0.25 + 0.75 / 1.584962500721156)


@pytest.mark.parametrize("grade", [0.5, float("nan"), "1", None])
def test_python_refuses(grade: object) -> None:
    """Fractional grades are errors that name the keyword; for text, the message suggests a conversion."""
    hints: dict[object, str] = {
        0.5: '; real-valued grades require grades="real"',
        "1": "; the number is text: convert it with int or float",
    }
    hint = hints.get(grade, "")
    for given in ({"1": {"A": grade}}, {"topic": ["1"], "docno": ["A"], "grade": [grade]}):
        with pytest.raises(ArgumentError, match=f"must be a 64-bit integer, not [^;]*{hint}$"):
            irevalx.evaluate(given, {"1": {"A": 1.0}}, "map")
    with pytest.raises(ArgumentError, match="grade"):
        irevalx.evaluate({"1": {"A": float("inf")}}, {"1": {"A": 1.0}}, "map", grades="real")


def test_qrels_that_have_been_read() -> None:
    """Judgments that were read keep their type of grades, and other types are errors."""
    qrels = irevalx.Qrels.read({"1": {"A": 0.5}}, grades="real")
    assert irevalx.evaluate(qrels, {"1": {"A": 1.0}}, "P.1", level=0.5)["P_1"] == 1
    whole = irevalx.Qrels.read({"1": {"A": 1}})
    with pytest.raises(
        UsageError, match="grades='real' cannot be combined with judgments that were read with grades='whole'"
    ):
        irevalx.evaluate(whole, {"1": {"A": 1.0}}, "P.1", grades="real")
    with pytest.raises(ArgumentError, match="grades must be whole, real or probability, not"):
        irevalx.Qrels.read({"1": {"A": 1}}, grades="maybe")


PROBABILITIES = "1 0 A 0.25\n1 0 B 1\n1 0 C -1\n1 0 D 0.5\n"


@pytest.mark.parametrize(
    ("options", "printed"),
    [
        (("-m", "num_rel"), "num_rel all 1.7500"),
        (("-m", "num_rel_ret"), "num_rel_ret all 1.2500"),
        (("-m", "num_ret"), "num_ret all 3"),
        (("-m", "recip_rank"), "recip_rank all 0.6250"),
        # 0.375 (A and D are not relevant) times 0.5, 0.375 times 0.25, 0.125 times 1, 0.125 (both are) times 2/3
        (("-m", "map"), "map all 0.4896"),
        (("-m", "P.2:skip"), "P_2:skip all 0.6250"),
        (("-J", "-m", "num_ret"), "num_ret all 2"),
        (("-m", "num_rel_ret:rel"), "num_rel_ret:rel all 2.2500"),
        (("-M", "1", "-m", "P.1"), "P_1 all 0.2500"),
        (("-c", "-m", "num_rel"), "num_rel all 3.7500"),
        (("-c", "--unjudged", "rel", "-m", "num_rel"), "num_rel:rel all 4.7500"),
        (("--compat", "9", "-c", "-m", "map"), "map all 0.2448"),
        (("-D", "0.1", "-m", "P.1"), "P_1 all 0.2500"),
    ],
)
def test_probabilities(options: tuple[str, ...], printed: str, files: tuple[Path, Path]) -> None:
    """Values are expected values and counts real numbers, with every other option."""
    files[0].write_text(PROBABILITIES + ("2 0 A 1\n2 0 B 1\n" if "-c" in options else ""))
    result = run("--grades", "probability", *options, *files)
    assert (result.status, " ".join(result.stdout.decode().split())) == (0, printed)


def test_probabilities_with_pool_and_zscores(files: tuple[Path, Path], tmp_path: Path) -> None:
    """Pooled documents count 0, and z-scores are computed from expected values."""
    files[0].write_text(PROBABILITIES)
    (tmp_path / "pool").write_text("1 A\n1 B\n1 C\n1 D\n1 E\n")
    (tmp_path / "z").write_text("1 num_rel 1.5 0.5\n")
    call = ("--grades", "probability", "--pool", tmp_path / "pool", "-Z", tmp_path / "z", "-m", "num_rel")
    assert run(*call, *files).stdout.decode().split() == ["Znum_rel", "all", "0.5000"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("-l", "1"), "--grades probability cannot be combined with -l"),
        (("-D", "1.1"), "-D with a level above 0 cannot be combined with --grades probability"),
        (("--ties", "expected"), "--ties expected cannot be combined with --grades probability"),
        (("-m", "infAP"), "infAP cannot be combined with --grades probability: its expectation"),
        (("-R", "prels"), "--grades probability cannot be combined with -R prels"),
    ],
)
def test_refused_with_probabilities(options: tuple[str, ...], message: str, files: tuple[Path, Path]) -> None:
    """Options that probabilities do not support are errors."""
    files[0].write_text(PROBABILITIES)
    result = run("--grades", "probability", *options, *files)
    assert (result.status, message in result.stderr) == (1, True)


def test_a_probability_above_1(files: tuple[Path, Path]) -> None:
    """A probability above 1 is an error that names file and line."""
    files[0].write_text("1 0 A 0.5\n1 0 B 1.5\n")
    result = run("--grades", "probability", *files)
    assert result.status == 2
    assert "qrels:2: topic '1': document 'B': invalid grade '1.5': must be a probability of at most 1" in result.stderr
    with pytest.raises(ArgumentError, match=r"row 2 .* must be a probability of at most 1"):
        irevalx.Qrels.read({"topic": ["1", "1"], "docno": ["A", "B"], "grade": [0.5, 2.0]}, grades="probability")


def test_on_spark() -> None:
    """Spark supports only integer grades, and the error says so."""
    with pytest.raises(UsageError, match="grades='real' is not available on Spark"):
        irevalx.spark.evaluate(None, None, "map", grades="real")


@pytest.mark.parametrize("level", ["0.5", None, float("nan"), True])
def test_levels_that_are_no_numbers(level: object) -> None:
    """With real grades, a level is any finite number, otherwise an integer."""
    for grades in ("real", "whole"):
        with pytest.raises(ArgumentError, match="level must be a 64-bit integer, or a finite number"):
            irevalx.evaluate({"1": {"A": 1}}, {"1": {"A": 1.0}}, "map", grades=grades, level=level)  # type: ignore[arg-type]
