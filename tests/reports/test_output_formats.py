"""Every output format: its output can be read back, and help, manual page and options contain it.

A new format needs a reader in ``READERS``; all tests then include it.
"""

from __future__ import annotations

import csv
import io
import json
import math
import re
import textwrap
from collections.abc import Callable, Sequence
from pathlib import Path

import click
import pytest
from running import FIXTURES, ROOT, described, lab, run

from irevalx.cli.command import command
from irevalx.reports import OUTPUT_FORMATS, OutputFormat
from irevalx.reports.table import Table

EXAMPLE = FIXTURES / "example"
QRELS, BM25, DENSE = (EXAMPLE / name for name in ("qrels", "bm25.run", "dense.run"))

Cells = list[list[str]]


def read_aligned(text: str) -> Cells:
    """Read a displayed table, whose lines of dashes determine the columns."""
    head, dashes, *rows = text.splitlines()
    places = [match.span() for match in re.finditer("-+", dashes)]
    return [[line[begin:end].strip() for begin, end in places] for line in (head, *rows)]


def read_markdown(text: str) -> Cells:
    """Read cells between bars."""
    rows = [re.findall(r"((?:\\.|[^|\\])+)\|", line) for line in text.splitlines()]
    return [[re.sub(r"\\([!-/:-@[-`{-~])", r"\1", cell.strip()) for cell in row] for row in (rows[0], *rows[2:])]


def read_latex(text: str) -> Cells:
    """Read cells between ampersands, without the commands of LaTeX; blocks with further columns are appended."""
    plain = {r"\textbackslash{}": "\\", r"\textasciitilde{}": "~", r"\textasciicircum{}": "^", "$-$": "-"}
    plain |= {r"\textless{}": "<", r"\textgreater{}": ">", r"\textbar{}": "|"}
    command = re.compile(r"\\text\w+\{\}|\$-\$|\\([&%$#_{}])")

    def cells(lines: str) -> Cells:
        rows = [re.split(r"(?<!\\)&", line.removesuffix(r"\\")) for line in lines.splitlines() if line.endswith(r"\\")]
        return [[command.sub(lambda match: match[1] or plain[match[0]], cell.strip()) for cell in row] for row in rows]

    table: Cells = []
    for block in re.split(r"\\begin\{(?:tabular|longtable)\}", text)[1:]:
        parts = re.split(r"\\toprule|\\midrule", block)
        head = [" ".join(lines).strip() for lines in zip(*cells(parts[1]), strict=True)]
        rows = [head, *cells(parts[-1])]
        n_labels = parts[0].split("}")[0].count("l") if table else 0
        table = [[*first, *row[n_labels:]] for first, row in zip(table or [[]] * len(rows), rows, strict=True)]
    return table


def read_separated(delimiter: str) -> Callable[[str], Cells]:
    """Return a reader of fields between delimiters."""
    return lambda text: list(csv.reader(io.StringIO(text), delimiter=delimiter))


def read_objects(objects: Sequence[dict[str, object]]) -> Cells:
    """Read objects as rows."""
    rows = [["" if value is None else str(value) for value in row.values()] for row in objects]
    return [list(objects[0]), *rows]


READERS: dict[str, Callable[[str], Cells]] = {
    "trec": lambda text: [line.split("\t") for line in text.splitlines()],
    "table": read_aligned,
    "markdown": read_markdown,
    "latex": read_latex,
    "csv": read_separated(","),
    "tsv": read_separated("\t"),
    "json": lambda text: read_objects(next(iter(json.loads(text).values()))),
    "jsonl": lambda text: read_objects([json.loads(line) for line in text.splitlines()]),
}
"""For each format, the function that reads a printed table as cells, the head first."""

every_format = pytest.mark.parametrize("form", OUTPUT_FORMATS.values(), ids=lambda form: form.name)
every_format_of_the_lab = pytest.mark.parametrize(
    "form", [form for form in OUTPUT_FORMATS.values() if form.in_lab], ids=lambda form: form.name
)


def read(form: OutputFormat, text: bytes) -> Cells:
    """Read a table that was printed in a format."""
    assert form.name in READERS, f"READERS in {Path(__file__).name} must have a function that reads {form.name} back"
    return READERS[form.name](text.decode("utf-8", "surrogateescape"))


# Output

ODD = "a,b|c\t\\ ~^ 100% $1 #2 x_y {z} <i> \"q\" 'r' & \udce9"
"""Characters that at least one format escapes."""

TABLE = Table(
    "found",
    ("run_name", "p", "bias", "rise", "sure", "by"),
    ((ODD, 1e-9, -1e-9, 3, True, None), ("plain", 0.123456, math.nan, 0, False, "all")),
    probabilities=frozenset({"p"}),
)


@every_format_of_the_lab
def test_tables_can_be_read_back(form: OutputFormat) -> None:
    """Names are unchanged. Displayed tables have rounded numbers and blanks, other formats all digits."""
    head, odd, plain = read(form, b"".join(form.table_lines([TABLE])))
    if form.for_people:
        assert head == ["run name", *TABLE.columns[1:]]
        name = ODD.replace("\t", r"\t")
        name = name.replace("\udce9", r"\xe9") if form.name == "latex" else name  # LaTeX reads nothing but UTF-8
        assert odd == [name, "<0.0001", "0.0000", "3", "yes", ""]
        assert plain == ["plain", "0.1235", "", "0", "no", "all"]
    else:
        assert tuple(head) == TABLE.columns
        assert (odd[0], [float(cell) for cell in odd[1:3]], odd[3:]) == (ODD, [1e-9, -1e-9], ["3", "True", ""])
        assert (plain[0], float(plain[1]), plain[3:]) == ("plain", 0.123456, ["0", "False", "all"])
        assert plain[2] == ""


ESCAPED = {
    "P_10": ("P_10", r"P\_10"),
    "okapi_b&m": ("okapi_b&m", r"okapi\_b\&m"),
    "_under_": (r"\_under\_", r"\_under\_"),
    "*star*": (r"\*star\*", "{*}star*"),
    "[lsi](k)": (r"\[lsi](k)", "{[}lsi](k)"),
    "a|b": (r"a\|b", r"a\textbar{}b"),
    "a\\|b": (r"a\\\|b", r"a\textbackslash{}\textbar{}b"),
    "<b>": (r"\<b>", r"\textless{}b\textgreater{}"),
    "<0.0001": ("<0.0001", r"\textless{}0.0001"),
    "&amp;": (r"\&amp;", r"\&amp;"),
    "~x~": (r"\~x\~", r"\textasciitilde{}x\textasciitilde{}"),
    "100%--é": ("100%--é", r"100\%-{}-é"),
}
"""Names in Markdown, which markdown-it-py 4.3.0 displays unchanged, and in LaTeX.

LaTeX's default font has other characters in place of ``<``, ``>`` and ``|``; ``*`` and ``[`` after the end of a row are
its arguments.
"""


@pytest.mark.parametrize(("form", "place"), [("markdown", 0), ("latex", 1)])
def test_names_are_escaped(form: str, place: int) -> None:
    """Only characters that are special in Markdown or LaTeX are escaped, in cells and in titles."""
    for name, escaped in ESCAPED.items():
        table = Table(f"levels: {name}", ("run",), ((name,),))
        lines = b"".join(OUTPUT_FORMATS[form].table_lines([table], titled=True)).decode().splitlines()
        [title] = [line for line in lines if "evels: " in line]
        in_cells = escaped[place].replace("{*}", "*").replace("{[}", "[")  # only at the beginning of a row
        assert in_cells in title.replace(r"\allowbreak{}", "")
        cells = [line.removeprefix("|").removesuffix("|").removesuffix("\\\\").strip() for line in lines]
        assert escaped[place] in cells


def test_names_in_notes_of_markdown(tmp_path: Path) -> None:
    """Names of runs are escaped below the table as in it; the mark of the best value is in words."""
    (tmp_path / "qrels").write_text("1 0 A 1\n1 0 B 0\n")
    for file, tag, documents in (("x", "*best*", "AZ"), ("y", "a<b>c", "AB")):
        lines = [f"1 Q0 {docno} 1 {-place} {tag}\n" for place, docno in enumerate(documents)]
        (tmp_path / file).write_text("".join(lines))
    done = run("--format", "markdown", "-m", "map", *(tmp_path / file for file in ("qrels", "x", "y")))
    assert r"\*best\* 0.5000, a\<b>c 1.0000." in done.stdout.decode().splitlines()[-1]
    assert b" *best*" not in done.stdout


def test_titles_that_are_not_utf_8() -> None:
    """A name that is not UTF-8 is printed unchanged in a title."""
    lines = OUTPUT_FORMATS["table"].table_lines([Table("run \udce9", ("run",), ())], titled=True)
    assert next(iter(lines)) == b"run \xe9\n\n"


@every_format_of_the_lab
def test_digits_and_best_values(form: OutputFormat) -> None:
    """Displayed tables have the requested number of digits and mark the best values; other formats do neither."""
    table = Table("marked", ("run", "map"), (("a", 0.25), ("b", 0.5)), best={"map": {1}})
    [[_, worse], [_, better]] = read(form, b"".join(form.table_lines([table], 1)))[1:]
    if form.for_people:
        assert worse == "0.2"
        assert "0.5" in better
        assert better != "0.5"
    else:
        assert (worse, better) == ("0.25", "0.5")


@every_format_of_the_lab
def test_several_tables(form: OutputFormat) -> None:
    """Displayed tables have titles if there are several or if requested; other formats contain at least the first."""
    both = b"".join(form.table_lines([TABLE, TABLE], titled=True)).decode("utf-8", "replace")
    titled = b"".join(form.table_lines([TABLE], titled=True)).decode("utf-8", "replace")
    if form.for_people:
        title = "{Found.}" if form.name == "latex" else "found\n"
        assert (both.count(title), titled.count(title)) == (2, 1)
    assert both.count("plain") == titled.count("plain") * (2 if form.for_people else 1)


@every_format
@pytest.mark.parametrize("flags", [(), ("-q",), ("-q", "-n"), ("-c", "-m", "all_trec"), ("-m", "map:skip", "-q")])
@pytest.mark.parametrize("runs", [(BM25,), (BM25, DENSE)], ids=["one run", "two runs"])
def test_reports_contain_every_value(form: OutputFormat, flags: tuple[str, ...], runs: tuple[Path, ...]) -> None:
    """Runs, measures and values are those of json; displayed values are rounded."""
    result = run("--quiet", *flags, "--format", form.name, QRELS, *runs)
    assert (result.status, result.stderr) == (0, "")
    text = result.stdout.decode()
    if form.name != "json":
        assert len({len(row) for row in read(form, result.stdout)}) == 1, "all rows must have the same number of cells"
    for of_run in json.loads(run("--quiet", *flags, "--format", "json", QRELS, *runs).stdout)["runs"]:
        by_topic = of_run.get("topics", {}) | ({"all": of_run["all"]} if "all" in of_run else {})
        names = {name for values in by_topic.values() for name in values}
        assert {
            name for name in names if name.replace("_", r"\_" if form.name == "latex" else "_") not in text
        } == set()
        for value in (value for values in by_topic.values() for value in values.values()):
            is_exact = isinstance(value, int | str) or not (form.for_people or form.run_by_run)
            assert (str(value) if is_exact else f"{value:.4f}") in text.replace("$-$", "-")
        assert len(runs) == 1 or of_run["run"] in text


@every_format
def test_empty_reports(form: OutputFormat, tmp_path: Path) -> None:
    """A report without topics and summaries is empty; a run that cannot be read is an error."""
    assert run("-n", "--format", form.name, QRELS, BM25).status == 0
    result = run("--quiet", "--format", form.name, QRELS, tmp_path / "missing")
    assert result.status == 2
    assert result.stderr.startswith("irevalx: cannot read")


# Help and options


@every_format
def test_formats_are_explained(form: OutputFormat) -> None:
    """Help, manual page and documentation are derived from OUTPUT_FORMATS."""
    text = f"{form.name} ({form.purpose})"
    for shown_by, has_it in ((command, True), (described("compare"), form.in_lab)):
        option = next(param for param in shown_by.params if param.name == "format")
        assert isinstance(option, click.Option)
        assert (text in (option.help or "")) == has_it
    page = (ROOT / "man" / "man1" / "irevalx.1").read_text().replace("\\-", "-")
    assert f"--format {form.name}" in page, "run python docs/generate"
    assert f"| `{form.name}` |" in (ROOT / "docs" / "command.md").read_text(), "run python docs/generate"


@every_format
def test_digits_are_for_tables(form: OutputFormat) -> None:
    """--digits is an error with formats that ignore it, and the message names the other formats."""
    result = run("--format", form.name, "--digits", "2", QRELS, BM25)
    assert result.status == (0 if form.for_people else 1)
    if not form.for_people:
        *first, last = (other.name for other in OUTPUT_FORMATS.values() if other.for_people)
        rule = f"--digits requires --format {', '.join(first)} or {last}"
        assert result.stderr == f"irevalx: {rule}\n"


@every_format
def test_formats_of_the_lab(form: OutputFormat) -> None:
    """irevalx-lab supports the formats that can print any table."""
    result = lab("compare", QRELS, BM25, DENSE, "--seed", "1", "--format", form.name)
    if form.in_lab:
        assert result.status == 0
        assert "bm25" in result.stdout.decode()
    else:
        assert (result.status, result.stdout) == (1, b"")
        assert f"--format {form.name}: must be" in result.stderr


# Notes below tables

MARKED = "marks the best value; it is no claim of significance."
APART = (
    "The runs are evaluated over different topics (bm25 4, short 1), so no best mean is marked; use -c to evaluate all "
    "runs over all judged topics."
)


@every_format
def test_notes_below_tables(form: OutputFormat, tmp_path: Path) -> None:
    """Notes of displayed tables explain the mark and runs with different topics, except with --quiet."""
    short = tmp_path / "short.run"
    short.write_text(
        "".join(line for line in DENSE.read_text().splitlines(keepends=True) if line.startswith("301 ")).replace(
            "dense", "short"
        )
    )
    flags = ("-m", "map", "--format", form.name, QRELS, BM25, short)
    text, quiet = run(*flags).stdout.decode(), run("--quiet", *flags).stdout.decode()
    assert MARKED not in quiet
    if form.name == "json":
        return  # contains the warnings, which --quiet omits
    if not form.for_people:
        assert text == quiet
        return
    mark = "*" if form.name == "table" else "Bold type"
    start = "% " if form.name == "latex" else ""
    blank = "" if form.name == "latex" else "\n"
    coverage = "judged among retrieved@10 (judged share of the first 10 retrieved documents): 1.0000 for each run."
    apart = textwrap.fill(APART, 100) if form.name == "table" else f"{start}{APART}"
    assert text == f"{quiet}{blank}{start}{coverage}\n{apart}\n"
    complete = run("-c", *flags).stdout.decode()
    quiet = run("--quiet", "-c", *flags).stdout.decode()
    marked = f"\\caption{{{mark} {MARKED}}}\\label{{tab:" if form.name == "latex" else f"\n{mark} {MARKED}\n"
    assert marked in complete
    assert complete.startswith(quiet) or form.name == "latex"
    assert APART not in complete
    by_topic = run("-q", *flags).stdout.decode()  # all runs are compared on the same topic
    assert marked in by_topic
    alone = run(*flags[:-1]).stdout
    assert alone == run("--quiet", *flags[:-1]).stdout


ODD_NAME = "a\x1b[m\n\r\x9b\u2028\u202e\t\v\fg"
"""A name with control characters, tabs, line breaks and a mark that reverses the direction of text."""


def evaluated(folder: Path, topic: str, form: str) -> str:
    """Return the output for a topic with this name, which only JSON files can contain, and for two other topics."""
    names = [topic, "plain", "\u00e9 \U0001f600"]
    (folder / "qrels").write_text(json.dumps({name: {"d": 1} for name in names}))
    for run_name in ("one", "two\x1b[31m"):
        (folder / f"{run_name}.json").write_text(json.dumps({name: {"d": 1.5} for name in names}))
    flags = ["--quiet", "-R", "json", "-T", "json", "-q", "-m", "map", "-m", "runid", "--format", form]
    return run(*flags, "qrels", "one.json", "two\x1b[31m.json", cwd=folder).stdout.decode()


@pytest.mark.parametrize("form", [form.name for form in OUTPUT_FORMATS.values() if form.for_people or form.run_by_run])
def test_names_stay_in_their_rows(form: str, tmp_path: Path) -> None:
    """Tabs and line breaks in IDs are escaped if a row is a line, and control characters in displayed tables."""
    printed, plain = evaluated(tmp_path, ODD_NAME, form), evaluated(tmp_path, "x", form)
    assert [printed.count(separator) for separator in "\n\t"] == [plain.count(separator) for separator in "\n\t"]
    assert not any(character in printed for character in "\r\v\f")
    assert [character in printed for character in "\x1b\u202e"] == [form == "trec"] * 2
    assert all(name in printed for name in ("plain", "\u00e9 \U0001f600"))


def test_names_for_programs(tmp_path: Path) -> None:
    """Formats for programs contain names unchanged."""
    lines = evaluated(tmp_path, ODD_NAME, "jsonl").splitlines()
    assert ODD_NAME in {json.loads(line)["topic"] for line in lines}
    rows = csv.reader(io.StringIO(evaluated(tmp_path, ODD_NAME, "csv"), newline=""))
    assert ("two\x1b[31m", ODD_NAME) in {(row[0], row[1]) for row in rows}


def test_seed_of_the_bootstrap() -> None:
    """Tables report the requested or default seed of the bootstrap."""
    call = ("--ci", "90%", "--ci-method", "bootstrap", "-m", "map", "--format", "table", QRELS, BM25)
    for words, seed in (((), 0), (("--seed", "5"), 5)):
        assert f"from a bootstrap (BCa) with 9999 resamples and seed {seed}." in run(*words, *call).stdout.decode()


def test_message_about_pooled_documents(tmp_path: Path) -> None:
    """The message about a run without judged documents names a document with a negative grade."""
    (tmp_path / "qrels").write_text("1 0 D004 -2\n")
    (tmp_path / "run").write_text("1 Q0 D004 1 1 x\n")
    message = run("-m", "map", tmp_path / "qrels", tmp_path / "run").stderr
    assert "document 'D004' is in both, but its grade is negative" in message
