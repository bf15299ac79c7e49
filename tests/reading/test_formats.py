"""Every format of FILE_FORMATS reads its files in all spellings, and rejects malformed ones.

A new row is taken up by all tests below as soon as it has an example in ``tests/examples/format_examples.py``.
"""

from __future__ import annotations

import bz2
import gzip
import inspect
import lzma
import os
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from examples.format_examples import EXAMPLES, Example, JsonExample, Row, content
from running import ROOT, Result, run

import irevalx
from irevalx.cli.command import OPTIONS, command
from irevalx.command_line.options import typed_in_shell
from irevalx.errors import MalformedLineError, MalformedNumberError, UnreadableFileError, UsageError
from irevalx.measures import NICKNAMES
from irevalx.reading.file_format import FileFormat, FileKind
from irevalx.reading.formats import FILE_FORMATS, REL_FORMATS, RESULTS_FORMATS
from irevalx.reading.layout import CommentStyle, Layout
from irevalx.reading.sources.files import Source
from irevalx.settings import ORDERS_OF_TIES
from irevalx.trec_eval import COMPAT

AnyFormat = FileFormat[Any]

TOPICS = ("302", "301", "303")
EXCLUDABLE = {
    "pool": ("--pool", "pool"),
    "judged_only": ("-J",),
    "unjudged": ("--unjudged", "nonrel"),
    **{f"grades={grades}": ("--grades", grades) for grades in ("real", "probability")},
    **{f"ties={ties}": ("--ties", ties) for ties in ORDERS_OF_TIES},
}

every_format = pytest.mark.parametrize("fmt", FILE_FORMATS, ids=lambda fmt: fmt.name)


def example_of(fmt: AnyFormat) -> Example | None:
    """Return the example of a format, if there is one."""
    return EXAMPLES.get(fmt.usage) or EXAMPLES.get(fmt.name)


FORMATS_WITH_EXAMPLES = [(fmt, example) for fmt in FILE_FORMATS if (example := example_of(fmt))]
every_example = pytest.mark.parametrize(
    ("fmt", "example"), [pytest.param(*both, id=both[0].usage) for both in FORMATS_WITH_EXAMPLES]
)
every_example_of_lines = pytest.mark.parametrize(
    ("fmt", "layout", "example"),
    [pytest.param(fmt, fmt.layout, example, id=fmt.usage) for fmt, example in FORMATS_WITH_EXAMPLES if fmt.layout],
)


@every_format
def test_every_format_has_an_example(fmt: AnyFormat) -> None:
    """The tests of all formats require an example of each."""
    example = example_of(fmt)
    assert example, (
        f"add an Example of the format {fmt.name} ({fmt.columns}) to EXAMPLES in tests/examples/format_examples.py: the lines "
        "of a topic, what they say, one more with a document that is there already, and one more with a malformed number"
    )
    numbers = {"GRADE", "SCORE", "LEVEL", "RANK"} & set(re.findall("[A-Z]+", fmt.columns))
    assert bool(example.malformed) == bool(numbers and not example.refuses_malformed), (
        f"the Example of {fmt.name} must have a line with a malformed number if, and only if, its lines have numbers"
    )


def test_every_example_is_of_a_format() -> None:
    """Every example belongs to a format."""
    assert EXAMPLES.keys() <= {name for fmt in FILE_FORMATS for name in (fmt.name, fmt.usage)}


@every_format
def test_rows_are_complete(fmt: AnyFormat) -> None:
    """The reader exists, the example has the columns of the layout, and the option is unique."""
    module, _, function = fmt.reader.rpartition(".")
    reader = getattr(import_module(f"irevalx.reading.kinds.{module}"), function)
    assert list(inspect.signature(reader).parameters) == ["rows", "rules"]
    assert bool(fmt.layout) != bool(fmt.form)
    if fmt.layout:
        assert len(fmt.example.split()) in {len(columns.split()) for columns in fmt.layout.columns}
    assert [each_format.usage for each_format in FILE_FORMATS].count(fmt.usage) == 1
    assert fmt.prose
    assert fmt.default_measures in NICKNAMES
    assert fmt.measures_of in {"", *REL_FORMATS}
    assert set(fmt.excludes) <= EXCLUDABLE.keys()
    assert fmt.kind is FileKind.JUDGMENTS or (fmt.default_measures, fmt.excludes, fmt.measures_of) == (
        "official",
        (),
        "",
    )


@every_format
def test_help_and_manual_explain_it(fmt: AnyFormat) -> None:
    """-h with the option and the manual page describe the format; -h and completion list its name."""
    with typed_in_shell(OPTIONS):
        parts = (f"{fmt.usage}: {fmt.columns}", fmt.example, *fmt.paragraphs)
    printed = " ".join(run("-h", fmt.kind.value, fmt.name).stdout.decode().split())
    assert all(part in printed for part in parts)
    page = (ROOT / "man" / "man5" / "irevalx-formats.5").read_text().replace("\\", "")
    assert all(part in page for part in parts), "run python docs/generate"
    if fmt.kind is not FileKind.POOL:
        [option] = [param for param in command.params if fmt.kind.value in param.opts]
        assert fmt.name in run("-h").stdout.decode()
        with command.make_context("irevalx", [], resilient_parsing=True) as context:
            assert fmt.name in {item.value for item in option.shell_complete(context, fmt.name[:2])}


def test_names_lead_to_rows() -> None:
    """The dictionaries contain all formats of their kind, and the error about an unknown name lists them."""
    by_name = [*REL_FORMATS.values(), *RESULTS_FORMATS.values()]
    assert by_name == [fmt for fmt in FILE_FORMATS if fmt.kind is not FileKind.POOL]
    for flag, formats in (("-R", REL_FORMATS), ("-T", RESULTS_FORMATS)):
        result = run(flag, "nosuch", ROOT / "fixtures/example/qrels", ROOT / "fixtures/example/bm25.run")
        assert (result.status, result.stdout) == (2, b"")
        assert all(text in result.stderr for text in (f"{flag} accepts", "'nosuch'", *formats))


def read(fmt: AnyFormat, path: Path, *, compat: str = "10") -> list[Row]:
    """Return the content of a file, without warnings."""
    return content(fmt.read(Source(str(path)), COMPAT[compat], True, pytest.fail))


def spellings(text: bytes) -> Iterator[tuple[str, bytes]]:
    """Yield equivalent spellings of a file."""
    first, *lines = text.splitlines(keepends=True)
    headed = [first] if first.startswith(b"query-id") else []
    lines = lines if headed else [first, *lines]
    yield "as it is", text
    yield "no final newline", text.rstrip(b"\n")
    yield "CR LF", text.replace(b"\n", b"\r\n")
    yield "tabs", text.replace(b" ", b"\t")
    yield "several spaces", text.replace(b" ", b"   ")
    yield "vertical tabs and form feeds", text.replace(b" ", b"\v\f")
    yield "spaces at the start of lines", b"".join(b" \t" + line for line in [*headed, *lines])
    yield "spaces at the end of lines", text.replace(b"\n", b" \t\n")
    yield "upside down", b"".join([*headed, *reversed(lines)])
    yield "a topic that returns", b"".join([*headed, *lines[1:], lines[0]])
    yield "gzip", gzip.compress(text)
    yield "gzip in two parts", gzip.compress(text[:20]) + gzip.compress(text[20:])
    yield "bzip2", bz2.compress(text)
    yield "xz", lzma.compress(text)


@every_example_of_lines
@pytest.mark.parametrize("chunk", [1 << 20, 7])
def test_every_spelling_says_the_same(
    fmt: AnyFormat, layout: Layout, example: Example, chunk: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The content does not depend on the order and spelling of lines, and on the ends of blocks."""
    monkeypatch.setattr("irevalx.reading.sources.blocks.CHUNK_SIZE", chunk)
    for name, text in spellings(example.text(TOPICS)):
        (tmp_path / "file").write_bytes(text)
        assert (name, read(fmt, tmp_path / "file")) == (name, example.content(TOPICS))


@contextmanager
def pipe(path: Path, text: bytes) -> Iterator[Path]:
    """Provide a pipe from which a file can be read once."""
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_bytes, args=(text,))
    writer.start()
    yield path
    writer.join()


@every_example
def test_pipes_are_read(fmt: AnyFormat, example: Example, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pipes are read, also compressed, even if the lines of a topic are scattered."""
    monkeypatch.setattr("irevalx.reading.sources.blocks.CHUNK_SIZE", 20)
    lines = example.more(TOPICS).splitlines(keepends=True)
    text = b"".join([example.header.encode(), *lines[1:], lines[0]])
    for number, written in enumerate((text, gzip.compress(text))):
        with pipe(tmp_path / str(number), written) as path:
            assert read(fmt, path) == example.content(TOPICS)


@every_example
def test_files_without_lines(fmt: AnyFormat, example: Example, tmp_path: Path) -> None:
    """An empty file is an error, as in trec_eval, and an empty pipe is not."""
    (tmp_path / "empty").touch()
    with pytest.raises(UnreadableFileError, match="the file is empty"):
        read(fmt, tmp_path / "empty")
    with pipe(tmp_path / "pipe", b"") as path:
        assert read(fmt, path) == []


def refused(fmt: AnyFormat, path: Path, text: bytes, line: int, *words: str, compat: str = "10") -> None:
    """Assert that a file is an error with this line and these words."""
    path.write_bytes(text)
    with pytest.raises(MalformedLineError, match=f"^{re.escape(f'{path}:{line}: ')}") as error:
        read(fmt, path, compat=compat)
    assert all(word in str(error.value) for word in words)


@every_example_of_lines
def test_many_lines_in_many_blocks(
    fmt: AnyFormat, layout: Layout, example: Example, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All lines are read in small blocks, and line numbers continue across blocks."""
    monkeypatch.setattr("irevalx.reading.sources.blocks.CHUNK_SIZE", 1 << 12)
    topics = [str(topic) for topic in range(5000)]
    text = example.text(topics)
    (tmp_path / "file").write_bytes(text)
    assert read(fmt, tmp_path / "file") == example.content(topics)
    refused(fmt, tmp_path / "file", text + b"5000\n", text.count(b"\n") + 1, f"expected {layout.line} with")


@every_example_of_lines
@pytest.mark.parametrize("chunk", [1 << 20, 30])
def test_lines_must_have_their_columns(
    fmt: AnyFormat, layout: Layout, example: Example, chunk: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Missing columns, additional columns and NUL bytes are errors, unless further columns are ignored."""
    monkeypatch.setattr("irevalx.reading.sources.blocks.CHUNK_SIZE", chunk)
    path, text, more = tmp_path / "file", example.text(TOPICS), example.more(["304"])
    wrong, number = more.splitlines()[0], text.count(b"\n") + 1
    columns = len(wrong.split())
    rule = f"expected {layout.line} with {columns} columns ("
    for few in range(1, columns):
        short = b" ".join(wrong.split()[:few])
        refused(fmt, path, text + short + b"\n" + more, number, rule, f"{len(short.split())}: '{short.decode()}'")
    refused(fmt, path, text + wrong + b"\0\n", number, "the line contains a NUL byte")
    if layout.more:
        path.write_bytes(text.replace(b"\n", b" more columns\n"))
        assert read(fmt, path) == example.content(TOPICS)
    else:
        refused(
            fmt, path, text + wrong + b" more\n", number, rule, f"{len(wrong.split()) + 1}: '{wrong.decode()} more'"
        )


@every_example_of_lines
def test_lines_without_data(fmt: AnyFormat, layout: Layout, example: Example, tmp_path: Path) -> None:
    """Blank lines and comments are skipped or malformed, as the layout defines."""
    path, text = tmp_path / "file", example.text(TOPICS)
    comments = layout.comments
    for line, version, skipped in (
        (b"\n", "10", layout.blank_lines),
        (b" \t\n", "10", layout.blank_lines),
        (b"#comment\n", "10", comments is not CommentStyle.NONE),
        (b"#comment\n", "9", comments is not CommentStyle.NONE and layout.comments_in_9),
        (b" #comment\n", "10", comments is CommentStyle.AFTER_SPACES),
    ):
        if skipped:
            path.write_bytes(line + text.replace(b"\n", b"\n" + line))
            assert read(fmt, path, compat=version) == example.content(TOPICS)
        else:
            refused(fmt, path, text + line + example.more(TOPICS), text.count(b"\n") + 1, layout.line, compat=version)


@every_example
def test_malformed_numbers(fmt: AnyFormat, example: Example, tmp_path: Path) -> None:
    """A malformed number is read as in C, with a warning that contains its place; under --strict, it is an error."""
    if not example.malformed:
        return
    if isinstance(example, JsonExample):
        example = replace(example, lines=(*example.lines, example.malformed))
        text = example.text(["301", "302"])
    else:
        text = example.text(["301"]) + f"{example.malformed.format('301')}\n".encode() + example.more(["302"])
    path = tmp_path / "file"
    path.write_bytes(text)
    if not fmt.lenient:
        line = 1 if isinstance(example, JsonExample) else text.count(b"\n") - 3
        where = f"{path}:{line}: topic '301': document 'D': "
        with pytest.raises(
            (MalformedNumberError, MalformedLineError),
            match=f"^{re.escape(where)}invalid (grade|score|rank) .*: must be",
        ):
            content(fmt.read(Source(str(path)), COMPAT["10"], False, pytest.fail))
        assert evaluated(fmt, tmp_path, text).status == 2
        return
    warnings: list[str] = []
    data = fmt.read(Source(str(path)), COMPAT["10"], False, warnings.append)
    assert content(data) == sorted([*example.content(["301", "302"]), ("301", *example.malformed_says)])
    where = f"{path}:{len(example.lines) + 1}: topic '301': document '{example.malformed_says[0]}': "
    if fmt.kind is FileKind.JUDGMENTS:  # a run has its warnings with its blocks
        assert [line.startswith(where) for line in warnings] == [True]
    with pytest.raises(MalformedNumberError, match=f"^{re.escape(where)}"):
        read(fmt, path)


def evaluated(fmt: AnyFormat, folder: Path, text: bytes, *flags: str) -> Result:
    """Return the output of the command for a file of any kind, with suitable other files."""
    documents = ("A", "B", "C", "D")
    (folder / "file").write_bytes(text)
    (folder / "qrels").write_text("".join(f"{topic} 0 {docno} 1\n" for topic in TOPICS for docno in documents))
    (folder / "run").write_text("".join(f"{topic} Q0 {docno} 0 1 r\n" for topic in TOPICS for docno in documents))
    (folder / "pool").write_text("301 A\n")
    files = {FileKind.JUDGMENTS: ("file", "run"), FileKind.RUNS: ("qrels", "file"), FileKind.POOL: ("qrels", "run")}
    choice = ("--pool", "file") if fmt.kind is FileKind.POOL else (fmt.kind.value, fmt.name)
    return run(*choice, *flags, *files[fmt.kind], cwd=folder)


@every_example
def test_documents_that_occur_again(fmt: AnyFormat, example: Example, tmp_path: Path) -> None:
    """Repeated documents are errors with both lines, unless the format permits them."""
    text = example.text(["301"])
    assert evaluated(fmt, tmp_path, text, "-m", "all").status == 0
    status, words = example.again_error or (0, "")
    if isinstance(example, JsonExample):
        text = replace(example, lines=(*example.lines, example.again)).text(["301"])
    else:
        text += example.again.format("301").encode()
    result = evaluated(fmt, tmp_path, text, "-m", "all")
    assert result.status == status
    if words:
        line = text.count(b"\n") + (not isinstance(example, JsonExample))
        assert f"file:{line}: {words}" in result.stderr
        assert f"(first on line {1 + bool(example.header)})" in result.stderr


@every_example
def test_usual_measures(fmt: AnyFormat, example: Example, tmp_path: Path) -> None:
    """Without -m, the default measures of the format are printed."""
    text = example.text(TOPICS)
    assert evaluated(fmt, tmp_path, text) == evaluated(fmt, tmp_path, text, "-m", fmt.default_measures)


@every_example
def test_excluded_options(fmt: AnyFormat, example: Example, tmp_path: Path) -> None:
    """Options that the format excludes are errors, also a pool in Python; others are accepted."""
    if fmt.kind is not FileKind.JUDGMENTS:
        return
    for option, flags in EXCLUDABLE.items():
        result = evaluated(fmt, tmp_path, example.text(TOPICS), "-m", "all", *flags)
        reason = f": {fmt.why_whole}" if fmt.why_whole and "grades" in option else ""
        refusal = f"cannot be combined with -R {fmt.name}{reason}\n"
        assert (result.status, result.stderr.endswith(refusal)) == ((1, True) if option in fmt.excludes else (0, False))
    if "pool" in fmt.excludes:
        with pytest.raises(UsageError, match=f'cannot be combined with rel_format="{fmt.name}"$'):
            irevalx.Qrels.read(tmp_path / "file", rel_format=fmt.name, pool={"301": ["A"]})


@pytest.mark.parametrize(
    ("columns", "line", "name"),
    [
        ("TOPIC DOCNO SCORE", "301 {docno} {score}", "bm25"),
        ("TOPIC DOCNO SCORE TAG", "301 {docno} {score} mine", "mine"),
        ("TOPIC DOCNO RANK SCORE", "301 {docno} {rank} {score}", "bm25"),
        ("TAG SCORE DOCNO TOPIC", "mine {score} {docno} 301", "mine"),
    ],
)
def test_a_new_format_of_runs_needs_no_reader(
    columns: str, line: str, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A record is a format with any columns; a run without a tag is named after its file."""
    own: AnyFormat = FileFormat(
        kind=FileKind.RUNS,
        name="own",
        layout=Layout(line="a line of a run", columns=(columns,)),
        example="",
        prose=(),
        reader="run_files.read_run",
    )
    monkeypatch.setitem(RESULTS_FORMATS, own.name, own)
    (tmp_path / "qrels").write_text("301 0 A 1\n301 0 B 0\n")
    documents = [{"docno": docno, "score": score, "rank": score} for docno, score in (("A", 1), ("B", 2))]
    (tmp_path / "bm25.txt").write_text("".join(f"{line.format(**document)}\n" for document in documents))
    result = run("-T", "own", "-m", "runid", "-m", "map", "qrels", "bm25.txt", cwd=tmp_path)
    assert result.status == 0
    assert [row.split("\t")[2] for row in result.stdout.decode().splitlines()] == [name, "0.5000"]
    assert ("the RANK column contradicts the scores" in result.stderr) == ("RANK" in columns)
