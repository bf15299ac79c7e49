"""Files of BEIR, MS MARCO and ranx, and hints at forgotten options."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from time import process_time
from typing import Any

import pytest
from examples.format_examples import content
from running import ROOT, run

from irevalx.errors import DuplicateDocumentError, MalformedLineError
from irevalx.reading.file_format import FileFormat
from irevalx.reading.formats import REL_FORMATS, RESULTS_FORMATS
from irevalx.reading.sources.files import Source
from irevalx.trec_eval import COMPAT

QRELS = "301 0 A 1\n301 0 B 0\n302 0 A 2\n302 0 C 1\n"
RUN = "301 Q0 B 1 3 r\n301 Q0 A 2 2.5 r\n302 Q0 A 1 9 r\n302 Q0 C 2 8 r\n"
BEIR = "query-id\tcorpus-id\tscore\n301\tA\t1\n301\tB\t0\n302\tA\t2\n302\tC\t1\n"
JSON_QRELS = {"301": {"A": 1, "B": 0}, "302": {"A": 2, "C": 1}}
JSON_RUN = {"301": {"B": 3, "A": 2.5}, "302": {"A": 9, "C": 8}}
MSMARCO = "301\tB\t1\n301\tA\t2\n302\tA\t1\n302\tC\t2\n"
MSMARCO_SCORED = "301\tB\t2\t3\n301\tA\t1\t2.5\n302\tA\t1\t9\n302\tC\t2\t8\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The same judgments and the same run in every format."""
    files = {
        "qrels": QRELS,
        "run": RUN,
        "beir": BEIR,
        "qrels.json": json.dumps(JSON_QRELS),
        "run.json": json.dumps(JSON_RUN, indent=1),
        "system.tsv": MSMARCO,
        "scored.tsv": MSMARCO_SCORED,
        "sampled": "301 0 A 0 1\n302 0 A 0 1\n",
        "array.json": '[\n{"qid": "301", "docno": "A"}\n]\n',
        "qrels.indented": json.dumps(JSON_QRELS, indent=1),
        "mac": QRELS.replace("\n", "\r"),
        "prefs": "301 one a A 1.5\n",
    }
    for encoding in ("utf-16", "utf-16-le", "utf-16-be"):
        (tmp_path / encoding).write_text(QRELS, encoding)
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    return tmp_path


@pytest.mark.parametrize("flags", [("-R", "beir", "beir"), ("-R", "json", "qrels.json")])
def test_judgments_have_the_measures_of_qrels(flags: tuple[str, ...], folder: Path) -> None:
    """The same judgments have the same values in every format, with and without a pool."""
    *choice, file = flags
    for options in (("-m", "all", "-q"), ("-c", "-J"), ("-m", "incomplete", "--unjudged", "rel"), ()):
        expected = run(*options, "qrels", "run", cwd=folder)
        assert (expected.status, expected.stdout != b"") == (0, True)
        assert run(*options, *choice, file, "run", cwd=folder).stdout == expected.stdout
    (folder / "pool").write_text("301 X\n")
    pooled = run("--pool", "pool", *choice, file, "run", cwd=folder)
    assert pooled.stdout == run("--pool", "pool", "qrels", "run", cwd=folder).stdout


@pytest.mark.parametrize(("name", "file"), [("msmarco", "system.tsv"), ("msmarco", "scored.tsv"), ("json", "run.json")])
def test_runs_without_a_tag_are_called_by_their_file(name: str, file: str, folder: Path) -> None:
    """The values equal those in trec_eval's format, and runid is the file name without extension."""
    expected = run("-q", "qrels", "run", cwd=folder).stdout
    expected = expected.replace(b"\tr\n", f"\t{file.partition('.')[0]}\n".encode())
    result = run("-q", "-T", name, "qrels", folder / file, cwd=folder)
    assert (result.status, result.stdout) == (0, expected)


def test_ranks_order_documents_of_msmarco(tmp_path: Path) -> None:
    """Documents are ranked by ascending RANK, in any order of lines."""
    (tmp_path / "qrels").write_text("1 0 B 1\n")
    (tmp_path / "run").write_text("1\tA\t10\n1\tC\t3\n1\tB\t2\n")
    assert run("-T", "msmarco", "-m", "P.1", "qrels", "run", cwd=tmp_path).stdout.endswith(b"\tall\t1.0000\n")
    (tmp_path / "run").write_text("1\tA\t10\n1\tC\t3\t1\n")
    assert "run:2: expected a line of a run with 3 columns" in run("-T", "msmarco", "qrels", "run", cwd=tmp_path).stderr


@pytest.mark.parametrize(
    ("lines", "problem"),
    [
        ("1\tA\tfirst\n", "run:1: topic '1': document 'A': invalid rank 'first': must be a 64-bit integer"),
        ("1\tA\t1.5\n", "invalid rank '1.5': must be a 64-bit integer"),
        ("1\tA\t1\t2\n1\tB\tx\t1\n", "run:2: topic '1': document 'B': invalid rank"),
        ("1\tA\t1\t2\n1\tB\t2\tx\n", "run:2: topic '1': document 'B': invalid score 'x': must be a finite number"),
        ("1\tA\t1\tinf\n", "invalid score 'inf': must be a finite number"),
        (
            "1\tA\t1\n1\tB\n",
            "run:2: expected a line of a run with 3 columns (topic, document, rank), but the line has 2: '1\\tB'",
        ),
    ],
)
def test_lines_of_msmarco_that_are_wrong(lines: str, problem: str, tmp_path: Path) -> None:
    """Malformed ranks and scores and short lines are errors, with and without --strict."""
    (tmp_path / "qrels").write_text("1 0 B 1\n")
    (tmp_path / "run").write_text(lines)
    for flags in ((), ("--strict",)):
        result = run("-T", "msmarco", *flags, "qrels", "run", cwd=tmp_path)
        assert (result.status, result.stdout) == (2, b"")
        assert problem in result.stderr


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        (
            '{"1":\n{"A": 1,\n"B": null}}',
            3,
            "topic '1': document 'B': invalid grade 'null': must be a 64-bit integer",
        ),
        ('{"1":\n{"A": 1.0}}', 2, "invalid grade '1.0': must be a 64-bit integer"),
        ('{"1": {"A": 9223372036854775808}}', 1, "invalid grade"),
        ('{"1": {"A": NaN}}', 1, "invalid grade"),
        ('{"1": {"A": {"B": 1}}}', 1, "topic '1': document 'A': invalid grade"),
        ('{"1": {"A": 1,\n"": 1}}', 2, "topic '1': document '': the document ID is empty"),
        ('{"": {"A": 1}}', 1, "topic '': the topic ID is empty"),
        ('{"id": 1}\n{"id": 2}', 2, "Extra data (the first keys are id)"),
        ('{"1": {},\n"2": 3}', 2, "topic '2': expected a JSON object"),
        (
            '{"1": {"A": 1,\n"B": 2,\n"A": 1}}',
            3,
            "duplicate document 'A' in the judgments of topic '1' (first on line 1)",
        ),
        ('{"1": {"A": 1},\n"1": {"B": 2}}', 2, "duplicate topic '1'"),
        ('{"1": {"A": 1},\n"2": {"B" 2}}', 2, "expected a JSON object"),
        ('[{"A": 1}]', 1, "expected a JSON object"),
        ("1 0 A 1", 1, "expected a JSON object"),
        ("[" * 100_000, 1, "expected a JSON object"),
        ('{"1": {"A": ' + "1" * 5000 + "}}", 1, "expected a JSON object"),
        ('{"1": {"A":\n1}}\0', 2, "expected a JSON object"),
    ],
)
def test_json_that_is_wrong(text: str, line: int, words: str, tmp_path: Path) -> None:
    """The message contains line, topic and document."""
    path = tmp_path / "file"
    path.write_text(text)
    with pytest.raises(DuplicateDocumentError if "duplicate document" in words else MalformedLineError) as error:
        read(REL_FORMATS["json"], path)
    assert str(error.value).startswith(f"{path}:{line}: ")
    assert words in str(error.value)


def test_much_after_what_is_wrong_in_json(tmp_path: Path) -> None:
    """After a repeated key, invalid JSON of any size is read in linear time."""
    path = tmp_path / "file"
    path.write_text('{"1": {"A": 1, "A": 2}, "' + '\\"' * 20_000)
    begin = process_time()
    with pytest.raises(DuplicateDocumentError):
        read(REL_FORMATS["json"], path)
    assert process_time() - begin < 2  # the square takes twenty seconds


def test_json_that_is_no_utf_8(tmp_path: Path) -> None:
    """JSON in other encodings is an error; a byte-order mark is accepted."""
    (tmp_path / "file").write_bytes(b'{"1": \n{"\xff": 1}}')
    with pytest.raises(MalformedLineError, match=r":2: .* in UTF-8"):
        read(REL_FORMATS["json"], tmp_path / "file")
    (tmp_path / "file").write_bytes(b'\xef\xbb\xbf{"1": {"A": 1}}')
    warnings: list[str] = []
    result = REL_FORMATS["json"].read(Source(str(tmp_path / "file")), COMPAT["10"], False, warnings.append)
    assert content(result) == [("1", "A", 1)]
    assert warnings == [f"{tmp_path / 'file'}:1: the file begins with a byte-order mark (BOM), which is ignored"]


def test_the_header_of_beir_is_missing(folder: Path) -> None:
    """The first line is read as a judgment, with a warning, or is an error."""
    expected = run("qrels", "run", cwd=folder).stdout
    (folder / "beir").write_text(BEIR.partition("\n")[2])
    result = run("-R", "beir", "beir", "run", cwd=folder)
    assert (result.status, result.stdout) == (0, expected)
    assert "beir:1: the header query-id corpus-id score is missing; the first line is read as a" in result.stderr
    (folder / "beir").write_text("a b c\n" + BEIR.partition("\n")[2])
    result = run("-R", "beir", "beir", "run", cwd=folder)
    assert (result.status, result.stdout) == (2, b"")
    assert "beir:1: expected the header query-id corpus-id score: 'a b c'" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (("sampled", "run"), "use -R sampled"),
        (("prefs", "run"), "use -R prefs"),
        (("-R", "beir", "qrels", "run"), "use -R qrels"),
        (("run", "qrels"), "is this a run? The judgments (QRELS) come first"),
        (("qrels", "system.tsv"), "use -T msmarco"),
        (("qrels", "scored.tsv"), "use -T msmarco"),
        (("-R", "sampled", "qrels.json", "run"), "use -R json"),
        (("-R", "jsonl", "qrels.json", "run"), "the file is one object with an object for each topic; use -R json"),
        (("-R", "jsonl", "qrels.indented", "run"), "the file is one object with an object for each topic; use -R json"),
        (("-T", "jsonl", "qrels", "run.json"), "the file is one object with an object for each topic; use -T json"),
        (("--pool", "array.json", "qrels", "run"), "JSON arrays are not read; write one object per line (JSON Lines)"),
        (("--pool", "qrels.json", "qrels", "run"), "pools in a JSON object are not read; write a line TOPIC DOCNO"),
        (("--pool", "run", "qrels", "run"), "this looks like a run; irevalx-lab pool builds a pool from runs"),
        (("mac", "run"), "lines end with carriage returns (CR) alone; convert them: tr '\\r' '\\n'"),
        (("-R", "sampled", "beir", "run"), "use -R beir"),
        (("-T", "msmarco", "qrels", "run.json"), "use -T json"),
        (("-T", "msmarco", "qrels", "run"), "use -T trec_results"),
        (("utf-16", "run"), "is this UTF-16? If so, convert it"),
        (("qrels", "utf-16"), "is this UTF-16? If so, convert it"),
        (("utf-16-le", "run"), "is this UTF-16? If so, convert it"),
        (("qrels", "utf-16-be"), "is this UTF-16? If so, convert it"),
        (("-R", "json", "utf-16", "run"), "is this UTF-16? If so, convert it"),
        (("-R", "json", "utf-16-le", "run"), "is this UTF-16? If so, convert it"),
        (("-R", "beir", "utf-16", "run"), "is this UTF-16? If so, convert it"),
    ],
)
def test_an_option_that_was_forgotten_is_named(arguments: tuple[str, ...], hint: str, folder: Path) -> None:
    """The error suggests the option of the probable format."""
    result = run(*arguments, cwd=folder)
    assert (result.status, result.stdout) == (2, b"")
    assert hint in result.stderr


@pytest.mark.parametrize(("lines", "columns"), [("1\tA\t1\t2\n1\tB\t2\n", 4), ("1\tA\t1\n1\tB\t2\t3\n", 3)])
def test_no_hint_at_the_format_that_was_given(lines: str, columns: int, tmp_path: Path) -> None:
    """If the first line selects other columns of MS MARCO, the error does not suggest -T msmarco."""
    (tmp_path / "qrels").write_text(QRELS)
    (tmp_path / "run").write_text(lines)
    result = run("-T", "msmarco", "qrels", "run", cwd=tmp_path)
    assert result.status == 2
    assert f"run:2: expected a line of a run with {columns} columns" in result.stderr
    assert "use -T" not in result.stderr


SAMPLED = "the columns are TOPIC IGNORED DOCNO STRATUM GRADE"
PREFS = "the columns are TOPIC GROUP SUBGROUP DOCNO LEVEL"
PRELS = "the columns are TOPIC DOCNO GRADE METHOD PROBABILITY"
WEIGHTED = "the columns are TOPIC IGNORED DOCNO GRADE WEIGHT"


@pytest.mark.parametrize(
    ("line", "hint"),
    [
        ("301 0 FBIS3-1 2 1", f": use -R sampled if {SAMPLED}, or -R weighted if {WEIGHTED}"),
        (
            "301 0 17 1 1",
            f": use -R sampled if {SAMPLED}, or -R prefs if {PREFS}, or -R prels if {PRELS}, or -R weighted if {WEIGHTED}",
        ),
        ("301 0 FBIS3-1 rare -1", f": use -R sampled if {SAMPLED}, or -R prefs if {PREFS}"),
        ("301 one a FBIS3-1 0.5", f": use -R prefs if {PREFS}"),
        ("20001 GX000-1 1 4 0.25", f": use -R prels if {PRELS}"),
        ("20001 GX000-1 -999 1 NA", f": use -R prels if {PRELS}"),
        ("52 0 d1 1 0.5", f"but the line has 5: '52 0 d1 1 0.5': use -R weighted if {WEIGHTED}"),
        ("one two three four five", "but the line has 5: 'one two three four five'"),
    ],
)
def test_five_columns(line: str, hint: str, folder: Path) -> None:
    """Of four formats with five columns, the hint names those that fit the numbers."""
    (folder / "qrels").write_text(f"{line}\n")
    result = run("qrels", "run", cwd=folder)
    assert (result.status, result.stdout) == (2, b"")
    assert result.stderr.endswith(f"{hint}\n")


def read(fmt: FileFormat[object], path: Path) -> list[tuple[str | float, ...]]:
    """Return the content of a file, without warnings."""
    return content(fmt.read(Source(str(path)), COMPAT["10"], False, pytest.fail))


@pytest.mark.parametrize("name", ["qrels", "run"])
def test_json_in_blocks(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Content and errors do not depend on the number of topics in a block."""
    formats: Any = REL_FORMATS if name == "qrels" else RESULTS_FORMATS
    path = tmp_path / "file"
    topics = {f"t{n}": {f"d{m}": m for m in range(n % 4)} for n in range(20)}
    texts = [
        json.dumps(topics),
        json.dumps(topics, indent=1) + " \n",
        *(json.dumps(topics)[:-1] + end for end in BAD_ENDS),
    ]
    result: dict[int, list[Any]] = {}
    for size in (1, 5, 1 << 16):
        monkeypatch.setattr("irevalx.reading.sources.json_objects._AT_ONCE", size)
        result[size] = []
        for text in texts:
            path.write_text(text)
            try:
                result[size].append(read(formats["json"], path))
            except (MalformedLineError, DuplicateDocumentError) as error:
                result[size].append(str(error))
    assert result[1] == result[5] == result[1 << 16]
    assert len(result[1][0]) == len(result[1][1]) == 30
    assert all(isinstance(value, str) for value in result[1][2:])


BAD_ENDS = (
    "",
    ",}",
    ', "t1": {}}',
    ', "x": {"d": "1"}}',
    ', "x": {"d": 1, "d": 2}}',
    ', "x": 1}',
    "}}",
    ', "x": {"d": {"e": 1}}}',
)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="memory is counted in other units elsewhere")
def test_memory_of_a_json_run(tmp_path: Path) -> None:
    """A run of 23 MB needs at most six times its size, including the program."""
    documents = ", ".join(f'"clueweb-{n:06}": {1000 - n}.25' for n in range(1000))
    text = "{" + ", ".join(f'"{topic}": {{{documents}}}' for topic in range(900)) + "}"
    (tmp_path / "run").write_text(text)
    (tmp_path / "qrels").write_text('{"1": {"clueweb-000001": 1}}')
    script = (
        "import resource, sys\nfrom irevalx.cli.command import main\n"
        "status = main(sys.argv[1:])\n"
        "print(status, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, file=sys.stderr)"
    )
    flags = ["--quiet", "-m", "map", "-R", "json", "-T", "json", str(tmp_path / "qrels"), str(tmp_path / "run")]
    # Started by a small process: what the parent has in memory counts for its children until they have started.
    starter = "import subprocess, sys; sys.exit(subprocess.call(sys.argv[1:]))"
    command = [sys.executable, "-c", starter, sys.executable, "-c", script, *flags]
    done = subprocess.run(command, capture_output=True, check=True, text=True, cwd=ROOT)
    status, peak = map(int, done.stderr.split())
    assert status == 0
    assert 1024 * peak < 6 * len(text)
