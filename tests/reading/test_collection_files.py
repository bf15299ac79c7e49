"""Patterns of paths and dictionaries of several collections."""

from pathlib import Path

import pytest
from running import refusal

from irevalx.errors import InputError, UsageError
from irevalx.reading.collection_files import collections_of, one_of_each_kind


def create(folder: Path, *paths: str) -> None:
    """Create empty files."""
    for path in paths:
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).touch()


def found(qrels: object, runs: object) -> dict[str, tuple[object, object]] | None:
    """Return the judgments and the runs of each collection."""
    collections = collections_of(qrels, runs)
    return None if collections is None else {each.name: (each.qrels, each.runs) for each in collections}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_folder_of_each_collection(folder: Path) -> None:
    """BEIR: a folder for each dataset; a collection without runs is left out."""
    create(folder, "beir/fiqa/qrels/test.tsv", "beir/nq/qrels/test.tsv", "beir/scifact/qrels/test.tsv")
    create(folder, "runs/fiqa/bm25.trec", "runs/fiqa/dense.trec", "runs/scifact/bm25.trec", "runs/fiqa/.hidden.trec")
    assert found("beir/{collection}/qrels/test.tsv", ["runs/{collection}/{run}.trec"]) == {
        "fiqa": (
            "beir/fiqa/qrels/test.tsv",
            {"bm25": "runs/fiqa/bm25.trec", "dense": "runs/fiqa/dense.trec"},
        ),
        "scifact": ("beir/scifact/qrels/test.tsv", {"bm25": "runs/scifact/bm25.trec"}),
    }


def test_names_with_common_ends(folder: Path) -> None:
    """Anserini: one folder of files; android is the end of cqadupstack-android."""
    names = ("android", "cqadupstack-android")
    create(folder, *(f"qrels.beir-v1.0.0-{name}.test.txt" for name in names))
    create(folder, *(f"run.beir.bm25-{name}.txt" for name in names), "run.beir.splade-android.txt")
    assert found("qrels.beir-v1.0.0-{collection}.test.txt", ["run.beir.{run}-{collection}.txt"]) == {
        "android": (
            "qrels.beir-v1.0.0-android.test.txt",
            {"bm25": "run.beir.bm25-android.txt", "splade": "run.beir.splade-android.txt"},
        ),
        "cqadupstack-android": (
            "qrels.beir-v1.0.0-cqadupstack-android.test.txt",
            {"bm25": "run.beir.bm25-cqadupstack-android.txt"},
        ),
    }


@pytest.mark.parametrize(
    ("pattern", "path", "name"),
    [
        ("runs/bm25/{collection}.trec", "runs/bm25/nq.trec", "bm25"),
        ("runs/bm25.{collection}.trec.gz", "runs/bm25.nq.trec.gz", "bm25"),
        ("{collection}/{collection}-dense.run", "nq/nq-dense.run", "dense"),
        ("{collection}.run", "nq.run", "run"),
        ("runs/{collection}/{run}.trec*", "runs/nq/bm25.v2.trec.gz", "bm25.v2"),
        ("*/{run}/{collection}/test.tsv", "2024/dense/nq/test.tsv", "dense"),
    ],
)
def test_name_of_a_run(folder: Path, pattern: str, path: str, name: str) -> None:
    """The name is the value of ``{run}`` or, without it, what distinguishes the pattern."""
    create(folder, "qrels/nq", path)
    assert found(Path("qrels/{collection}"), Path(pattern)) == {"nq": ("qrels/nq", {name: path})}


def test_one_collection(folder: Path) -> None:
    """Paths without placeholders, and files whose names contain them, belong to one collection."""
    create(folder, "qrels", "run", "{collection}.qrels", "{run}.run")
    for qrels, runs in (("qrels", "run"), ("{collection}.qrels", ["{run}.run", "run"]), ("a{b", "{}"), ("qrels", [])):
        assert found(qrels, runs) is None
    assert found({"1": {"A": 1}}, {"1": {"A": 2.0}}) is None
    assert found({"1": {"A": 1}}, {"bm25": {"1": {"A": 2.0}}}) is None
    assert found({"1": {"A"}}, ["run"]) is None
    assert found({"1": {"A": 1}}, {"1": {"1": {"A": 2.0}}}) is None  # a run with the name of a topic
    assert found({"1": {"A"}}, {"1": {"1": {"A": 2.0}}}) is None
    assert found({}, None) is None


def test_dictionaries() -> None:
    """``{collection: qrels}`` and ``{collection: {run: run}}``."""
    qrels, run = {"1": {"A": 1}}, {"1": {"A": 2.0}}
    assert found({"a": qrels, "b": "b.qrels", "c": qrels}, {"a": {"x": run}, "b": {"x": "b.run"}}) == {
        "a": (qrels, {"x": run}),
        "b": ("b.qrels", {"x": "b.run"}),
    }


@pytest.mark.parametrize(
    ("qrels", "runs", "error", "message"),
    [
        ("{collection}.tsv", "fiqa.run", UsageError, "'fiqa.run' must contain {collection}, as the paths of other files do"),
        ("fiqa.tsv", "{collection}.run", UsageError, "'fiqa.tsv' must contain {collection}, as the paths of other"),
        ("{collection}.tsv", "{run}.run", UsageError, "'{run}.run' must contain {collection}, as the paths of other"),
        ("{collection}.tsv", "{dataset}.run", UsageError, "'{dataset}.run': unknown placeholder {dataset}; the placeholders are"),
        ("{collection}{run}", "{collection}", UsageError, "'{collection}{run}' cannot contain {run}: a collection has one file"),
        ("no/{collection}.tsv", "{collection}.run", InputError, "no file matches 'no/{collection}.tsv'"),
        ("{collection}.tsv", "{collection}.runs", InputError, "no file matches '{collection}.runs' for fiqa"),
        ("*{collection}.tsv", "{collection}.run", InputError, "two files for the collection a: fiqa.tsv and "),
        ("{collection}.tsv", "{collection}*un", InputError, "two files for the collection fiqa, run "),
    ],
)  # fmt: skip
def test_messages(folder: Path, qrels: str, runs: str, error: type[Exception], message: str) -> None:
    """Patterns that contradict each other, that match nothing, or that match twice."""
    create(folder, "fiqa.tsv", "fiqa.run", "fiqa.2.run")
    if qrels.startswith("*"):
        create(folder, "nfa.tsv")
    with pytest.raises(error) as caught:
        collections_of(qrels, [runs])
    assert message in str(caught.value)


def test_the_remedy_for_two_files(folder: Path) -> None:
    """A pattern without {run} that matches several runs is refused; with {run}, as the message says, it names them."""
    create(folder, "fiqa.tsv", "fiqa.run", "fiqa.2.run")
    with pytest.raises(InputError, match=r"write {run} for the part that names the run$"):
        collections_of("{collection}.tsv", ["{collection}.*un"])
    [inputs] = collections_of("{collection}.tsv", ["{collection}.{run}un"]) or []
    assert sorted(inputs.runs or {}) == ["2.r", "r"]


def test_commands_for_one_collection() -> None:
    """A pattern is the name of a missing file for other commands, whose message names those that accept it."""
    message = refusal("power", "{collection}.tsv", "{collection}.run", status=2)
    assert message == (
        "irevalx-lab: cannot read '{collection}.tsv': No such file or directory; only irevalx and irevalx-lab compare, gate "
        "and report accept paths of several collections, and not with --scores, which reads the collections from a column\n"
    )


def test_one_line_of_each_kind() -> None:
    """Lines that differ only in names, quotations and numbers are one line; a single collection keeps all its lines."""
    lines = [
        *((name, f"{name}.tsv: few topics") for name in ("a", "b", "c")),
        *(("a", "topic 'q1' has 3 documents"), ("b", "topic 'q2' has 4 documents")),
        *(("b", "b.tsv: empty"), ("c", "c.tsv: empty"), ("b", "b.tsv: empty")),
        *(("c", "line 1 is blank"), ("c", "line 2 is blank")),
    ]
    assert one_of_each_kind(lines, 3) == [
        "{collection}.tsv: few topics",
        "topic 'q1' has 3 documents (2 collections have such a warning; this is the first)",
        "b and c: {collection}.tsv: empty",
        "c: line 1 is blank",
        "c: line 2 is blank",
    ]
