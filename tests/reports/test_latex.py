"""Tables in LaTeX compile with pdfLaTeX, fit the page, and display the names."""

from __future__ import annotations

import gzip
import re
import shutil
import subprocess
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import pytest
from running import FIXTURES, lab, run

from irevalx.reports import OUTPUT_FORMATS
from irevalx.reports.table import Table

COMPILER = shutil.which("pdflatex") or ""

compiled_only = pytest.mark.skipif(not COMPILER, reason="pdflatex is not installed")

NAMES = (
    *("a_b%c&d", "#x$y{z}", r"~t^u\v", "--d---e", "*star", "[br]ack", "<b>|c", "naïve_Über", "Łódź-ř", "a''b,,c"),
    *("?`!`", "x" * 80, "BM25-" + "W" * 75, "-3"),
)
"""Run names with all special characters of LaTeX."""

OVERFULL = 15.0
"""Points by which capital letters and bold type may exceed the text width of 345 points."""


def latex(table: Table, digits: int = 4) -> str:
    """Return the lines of a table."""
    return b"".join(OUTPUT_FORMATS["latex"].table_lines([table], digits, titled=True)).decode(errors="surrogateescape")


def compiled(folder: Path, *texts: str, overfull: float = OVERFULL) -> str:
    """Compile texts in one document with the packages that their comments name, and return the words of the PDF."""
    required = {line for text in texts for line in text.splitlines() if line.startswith("% Requires")}
    packages = {package for line in required for package in re.findall(r"\\usepackage(?:\[\w+\])?\{[\w,]+\}", line)}
    document = "\n".join(
        [r"\documentclass{article}", *sorted(packages), r"\begin{document}", *texts, r"\end{document}"]
    )
    (folder / "tables.tex").write_text(document, errors="surrogateescape")
    command = [COMPILER, "-interaction=nonstopmode", "-halt-on-error", "tables.tex"]
    done = subprocess.run(command, cwd=folder, capture_output=True, check=False, timeout=120)
    log = (folder / "tables.log").read_text(errors="replace")
    assert done.returncode == 0, log[-2000:]
    assert "Missing character" not in log
    assert "Float too large" not in log
    excess = [float(points) for points in re.findall(r"Overfull \\hbox \(([\d.]+)pt", log)]
    assert max(excess, default=0.0) <= overfull
    return words_of(folder / "tables.pdf")


def words_of(pdf: Path) -> str:
    """Return the text of a PDF file; empty if pdftotext is not installed."""
    reader = shutil.which("pdftotext")
    return "" if reader is None else subprocess.run([reader, pdf, "-"], capture_output=True, check=True).stdout.decode()


@compiled_only
def test_tables_compile_and_fit(tmp_path: Path) -> None:
    """Special characters, long names, wide, long and empty tables compile, and fit the page."""
    rows = [(name, number / 7 - 1) for number, name in enumerate(NAMES)]
    tables = [
        Table("special: 100% of A_B & {C}", ("run", "map"), rows, best={"map": {3}}, caption=("{best}: #1.",)),
        Table("wide", ("run", *(f"measure_{n}" for n in range(40))), [(name, *[0.5] * 40) for name in NAMES]),
        Table("long", ("run", "map"), rows * 20),
        Table("long and wide", ("run", *(f"P_{n}" for n in range(20))), [(name, *[0.5] * 20) for name in NAMES * 9]),
        Table("empty", ("number", "topic"), ()),
        Table("not UTF-8", ("run",), (("caf\udce9",),)),
    ]
    text = compiled(tmp_path, *map(latex, tables))
    if text:
        assert {name for name in NAMES[:7] if name not in text.replace("−", "-")} == set()  # noqa: RUF001 - a minus
        assert r"caf\xe9" in text
        assert "−0.5714" in text  # noqa: RUF001 - a minus sign, not a hyphen


def test_packages_are_named() -> None:
    """The first line names the packages, the font encoding of accented letters, and the compiler of other scripts."""
    long = latex(Table("long", ("run",), [("a",)] * 60))
    assert [latex(Table("t", ("run",), [(name,)])).splitlines()[0] for name in ("plain", "Łódź")] == [
        r"% Requires \usepackage{booktabs}",
        r"% Requires \usepackage{booktabs} and \usepackage[T1]{fontenc}",
    ]
    assert long.startswith("% Requires \\usepackage{booktabs,longtable}\n")
    assert latex(Table("t", ("run",), [("поиск",)])).splitlines()[0] == (
        r"% Requires \usepackage{booktabs}; pdfLaTeX lacks letters of this table: use LuaLaTeX or XeLaTeX, and a font "
        r"that has them (\setmainfont of the package fontspec)"
    )


def test_shortened_names_leave_room() -> None:
    """A table that fits because its run names are shortened keeps the font size of the text."""
    names = [f"{'institute_' * 8}{number:02}_bm25" for number in range(12)]
    text = latex(Table("long", ("run", "map"), [(name, 0.5) for name in names], names=("run",)))
    assert r" institute\_11 &" in text
    form = r"\_\allowbreak{}".join(["institute"] * 7 + ["…", "bm25"])
    assert (
        rf"\caption{{Long. Names have the form {form}; only the parts in place of … are displayed.}}\label{{tab:long}}"
        in text
    )
    assert not re.search(r"\\(small|footnotesize|scriptsize)", text)


@compiled_only
@pytest.mark.parametrize("n", [2, 12, 60])
def test_parameterised_names_fit(n: int, tmp_path: Path) -> None:
    """Long names of runs with parameters fit the text width, in tables, in captions and in the key of the names."""
    stems, rerankers = ("porter", "krovetz"), ("cross-encoder-ms-marco", "monot5-3b", "none")
    names = [
        f"msmarco-passage_bm25_k1={0.6 + k % 5 / 5:.1f}_b=0.75_stem={stems[k % 2]}_rerank={rerankers[k % 3]}_seed={k}_top1000"
        for k in range(n)
    ]
    measures = ("map", "P_5", "P_10", "ndcg")
    best = {measure: {0} for measure in measures}
    caption = (f"+: significantly better than {names[0]}; no mark: not significantly different.",)
    runs = [(name, *[0.5] * 4) for name in names]
    pairs = [(measure, name, names[0], *[0.5] * 4) for measure in measures for name in names[1:]]
    tables = [
        Table("runs", ("run", *measures), runs, best=best, caption=caption),
        Table("pairs", ("measure", "run", "against", "difference", "low", "high", "p"), pairs, 3, caption=caption),
    ]
    of_both = b"".join(OUTPUT_FORMATS["latex"].table_lines(tables, 4, titled=True)).decode()
    words = compiled(tmp_path, *map(latex, tables), of_both, overfull=1.0)
    assert f"seed={n - 1}" in (words or f"seed={n - 1}")


def test_wide_tables_continue_below() -> None:
    """Every column is in one of the blocks, with the run names; a smaller font comes first."""
    columns = [f"measure_{n}" for n in range(10)]
    text = latex(Table("wide", ("run", *columns), [("a", *[0.5] * 10)]))
    assert r"\scriptsize" in text
    assert text.count(r"\begin{tabular}") == text.count(" a ") == 2
    assert text.count(r"\begin{table}") == 1
    assert [int(head) for head in re.findall(r" (\d) (?=&|\\)", text)] == [*range(10)]
    seven = latex(Table("wide", ("run", *columns[:7]), [("a", *[0.5] * 7)]))
    assert (seven.count(r"\begin{tabular}"), r"\scriptsize" in seven) == (1, False)


CALLS: Sequence[Sequence[str]] = (
    ("irevalx", "{robust}", "{runs}"),
    ("irevalx", "-q", "{robust}", "{runs}"),
    ("irevalx", "-m", "all", "{robust}", "{run}"),
    ("irevalx", "--ci", "95%", "-m", "map P.10 ndcg@10", "{robust}", "{runs}"),
    ("compare", "{robust}", "{runs}", "-m", "map P.10", "--seed", "1"),
    ("gate", "{robust}", "{runs}", "--baseline", "a_b%c&d", "--margin", "0.02"),
    ("compare", "{robust}", "{runs}", "--by", "pair", "--columns", "all"),
    ("compare", "{robust}", "{runs}", "--by", "topic", "--quiet"),
    ("compare", "{robust}", "{runs}", "--discriminative-power", "-m", "map P.10"),
    ("describe", "{robust}", "{runs}", "--show", "all", "--group-by", "^.."),
    ("pool", "{runs}", "--sizes", "1 10 100"),
    ("next", "{runs}", "--n", "3"),
    ("bounds", "{robust}", "{runs}", "-m", "P.10"),
    ("leave-out", "{robust}", "{runs}", "-m", "map bpref P.10", "--group-by", "^.."),
    ("agree", "{robust}", "{robust}", "{runs}", "-m", "map P.10"),
    ("power", "{robust}", "{runs}", "-m", "map P.10", "--topics", "50 100", "--difference", "0.02"),
    ("swap-rate", "{robust}", "{runs}", "-m", "map P.10", "--draws", "20", "--seed", "1"),
    ("labels", "{robust}", "{robust}", "{runs}", "-m", "map", "--prevalence"),
    ("labels", "{robust}", "{robust}", "{runs}", "-m", "map"),
    ("estimate", "--human", "half", "--machine", "{robust}", "{runs}", "-m", "P.10 map"),
    ("nuggets", str(FIXTURES / "nuggets" / "agentic.jsonl"), str(FIXTURES / "nuggets" / "baseline.jsonl")),
)


@pytest.fixture(scope="module")
def folder(robust03: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write runs with these names, and judgments of half of the topics."""
    made = tmp_path_factory.mktemp("named")
    for path, name in zip(sorted((robust03 / "runs").iterdir()), NAMES[:9], strict=False):
        with gzip.open(path, "rt") as file:
            lines = "".join(f"{' '.join(line.split()[:5])} {name}\n" for line in file)
        (made / f"{path.stem}.run").write_text(lines)
    with gzip.open(robust03 / "qrels.gz", "rt") as file:
        (made / "half").write_text("".join(line for line in file if int(line.split()[0]) % 2))
    return made


@pytest.mark.slow
@compiled_only
@pytest.mark.parametrize("call", CALLS, ids=" ".join)
def test_every_command_compiles(call: Sequence[str], folder: Path, robust03: Path, tmp_path: Path) -> None:
    """The tables of all commands compile, for 100 topics and run names with special characters."""
    runs = sorted(path.name for path in folder.glob("*.run"))
    words: list[str] = []
    for word in call[1:]:
        words += runs if word == "{runs}" else [word.format(robust=robust03 / "qrels.gz", run=runs[0])]
    called = run if call[0] == "irevalx" else partial(lab, call[0])
    done = called(*words, "--format", "latex", cwd=folder)
    assert done.status in {0, 3, 5}, done.stderr
    compiled(tmp_path, done.stdout.decode())
