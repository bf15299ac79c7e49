"""The pages: every example prints what stands below it, every link leads somewhere, what they name exists."""

from __future__ import annotations

import gzip
import json
import os
import re
import shutil
import subprocess
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path

import click
import pytest
from blocked_packages import EXTRAS, blocking
from doc_pages import (
    FIGURE_MARKER,
    FIRST_PAGES,
    PAGES,
    PYTHON_MARKER,
    README,
    SHELL_MARKER,
    Example,
    anchors,
    blocks,
    code_spans,
    examples,
    links,
)
from running import FIXTURES, ROOT, described

import irevalx
from irevalx.cli.arguments import TREC_GROUP, Option
from irevalx.cli.command import command
from irevalx.lab import COMMANDS, PROGRAM

pytestmark = pytest.mark.slow

SHELL_EXAMPLES = examples(SHELL_MARKER, "sh")
PYTHON_EXAMPLES = examples(PYTHON_MARKER, "python")
OTHER_EXAMPLES = [
    [example for example in each if example.page not in FIRST_PAGES] for each in (SHELL_EXAMPLES, PYTHON_EXAMPLES)
]
"""Examples whose order on the page does not matter; test_first_steps.py runs the others."""
INSTALLS = ("<!-- main command -->", "<!-- report command -->", "<!-- test command -->")
"""The markers of command lines that make an environment: test_readme.py and .ci/run see to them."""

CALLS = sorted(
    {
        block
        for text in PAGES.values()
        for above, block in blocks("sh", text)
        if above not in {SHELL_MARKER, *INSTALLS} and not above.startswith(FIGURE_MARKER)
    }
)
"""Shell lines without output, about files that are called qrels, run and so on."""


def shell(line: str, cwd: Path, without: Path | None = None) -> subprocess.CompletedProcess[bytes]:
    """Run a line in bash, where irevalx is this one.

    Parameters
    ----------
    without : a folder whose module sitecustomize keeps packages from being imported.
    """
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    environment = os.environ | {"PATH": path} | ({} if without is None else {"PYTHONPATH": str(without)})
    return subprocess.run(["bash", "-c", line], cwd=cwd, env=environment, capture_output=True, check=False)


_EXTRAS_NAMED = re.compile(r"#install\)\s`(\w+)`|irevalx\[(\w+)\]")
"""How pages name the extras that their examples need."""


@pytest.mark.parametrize("example", OTHER_EXAMPLES[0], ids=str)
def test_shell_examples(example: Example, tmp_path: Path) -> None:
    """What stands below an example is what it prints in a shell, byte for byte, with the extras that its page names."""
    named = {name for matches in _EXTRAS_NAMED.findall(PAGES[example.page]) for name in matches if name}
    (tmp_path / "sitecustomize.py").write_text(blocking({*EXTRAS} - named))
    done = shell(example.typed, ROOT, without=tmp_path)
    assert done.returncode == 0, done.stderr.decode()
    assert done.stdout.decode() == example.printed


@pytest.mark.parametrize("example", OTHER_EXAMPLES[1], ids=str)
def test_python_examples(example: Example, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """What stands below a Python example is what it prints."""
    monkeypatch.chdir(ROOT)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", irevalx.IrevalxWarning)
        exec(example.typed, {})  # noqa: S102 - it is ours
    assert capsys.readouterr().out == example.printed


@pytest.mark.parametrize("page", PAGES)
def test_no_example_escapes(page: str) -> None:
    """Each marker is followed by a block and by what it prints, and each block that prints something has a marker."""
    for marker, matches in ((SHELL_MARKER, SHELL_EXAMPLES), (PYTHON_MARKER, PYTHON_EXAMPLES)):
        markers = re.findall(rf"^{marker}$", PAGES[page], re.MULTILINE)
        below = [example for example in matches if example.page == page]
        assert len(below) == len(markers), f"below {marker} must stand a block, and one with what it prints"
    above = re.findall(r"^(.*)\n```(?:sh|python)\n(?:(?!```).*\n)+```\n\n```$", PAGES[page], re.MULTILINE)
    assert set(above) <= {SHELL_MARKER, PYTHON_MARKER, *INSTALLS}, f"{SHELL_MARKER} or {PYTHON_MARKER} must stand above"
    if not page.startswith("docs/notebooks/"):  # test_notebooks.py runs their blocks
        assert all(line == PYTHON_MARKER for line, _ in blocks("python", PAGES[page])), "Python must be an example"


def test_each_kind_of_input_and_output_has_an_example() -> None:
    """Somebody who looks for an option finds it in use."""
    typed = " ".join(example.typed for example in SHELL_EXAMPLES)
    expected_columns = (
        "-q",
        "markdown",
        "table",
        "jsonl",
        "json",
        "csv",
        "qrels -",
        "--unjudged",
        "--pool",
        "sampled",
        "prefs",
        "-h -m",
    )
    assert all(word in typed for word in expected_columns)


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with files that are called as in the pages."""
    folder = tmp_path_factory.mktemp("files")
    example = FIXTURES / "example"
    for name in ("qrels", "pool", "sampled.qrels", "groups"):
        shutil.copy(example / name, folder)
    for labels in ("human", "machine", "a1", "a2", "b", "c", "others"):
        shutil.copy(example / "qrels", folder / labels)
    shutil.copy(example / "bm25.run", folder / "run")
    (folder / "runs").mkdir()
    for name, target in (
        ("qrels", "qrels.gz"),
        ("bm25.run", "run.gz"),
        *((f"{r}.run", f"runs/{r}.gz") for r in ("bm25", "dense")),
    ):
        (folder / target).write_bytes(gzip.compress((example / name).read_bytes()))
    _write_parquet(folder)
    (folder / "topics").write_text((example / "qrels").read_text().split()[0] + "\n")
    judged = [line.split() for line in (example / "qrels").read_text().splitlines()]
    (folder / "prefs").write_text("".join(f"{topic} 0 a {docno} {grade}\n" for topic, _, docno, grade in judged))
    retrieved = [line.split()[2] for path in example.glob("*.run") for line in path.read_text().splitlines()]
    grades = dict.fromkeys(retrieved, "0") | {docno: grade for _, _, docno, grade in judged}
    texts = [{"id": docno, "contents": f"document about grade{grade}"} for docno, grade in grades.items()]
    (folder / "docs.jsonl.gz").write_bytes(gzip.compress("".join(json.dumps(text) + "\n" for text in texts).encode()))
    return folder


def _write_parquet(folder: Path) -> None:
    """Write judgments and a run as Parquet files."""
    polars = pytest.importorskip("polars")
    columns = {"qrels": {0: "topic", 2: "docno", 3: "grade"}, "run": {0: "topic", 2: "docno", 4: "score"}}
    for name, expected_columns in columns.items():
        rows = [line.split() for line in (folder / name).read_text().splitlines()]
        frame = polars.DataFrame({column: [row[place] for row in rows] for place, column in expected_columns.items()})
        numbers = [polars.col("grade").cast(int)] if name == "qrels" else [polars.col("score").cast(float)]
        frame.with_columns(numbers).write_parquet(folder / f"{name}.parquet")


@pytest.mark.parametrize("block", CALLS, ids=lambda block: block.splitlines()[0])
def test_calls_run(block: str, files: Path) -> None:
    """Shell lines without output end with status 0."""
    done = shell(f"set -eo pipefail\n{block}", files)
    assert done.returncode == 0, done.stderr.decode()


@pytest.mark.parametrize("page", PAGES)
def test_links(page: str) -> None:
    """A link leads to a file, and to one of its headings."""
    for link in links(PAGES[page]):
        if link.startswith(("https://", "http://")):
            continue
        path, _, anchor = link.partition("#")
        target = ((ROOT / page).parent / path if path else ROOT / page).resolve()
        assert target.is_file(), f"{page} links to {link}, which is not there"
        if anchor:
            headings = anchors(PAGES[str(target.relative_to(ROOT))])
            assert anchor in headings, f"{page} links to {link}, which must be one of {sorted(headings)}"


def test_every_page_is_listed() -> None:
    """The index of docs/ is the one list of pages: it links to each of them, and README to it."""
    index = ROOT / "docs" / "README.md"
    listed = {(index.parent / link.partition("#")[0]).resolve() for link in links(PAGES["docs/README.md"])}
    missing = sorted(page for page in PAGES if page.startswith("docs/") and ROOT / page not in listed | {index})
    assert not missing, f"docs/README.md must link to {', '.join(missing)}"
    in_release = "/contents.html"
    assert any(link.endswith(("docs/README.md", in_release)) for link in links(README))


@pytest.mark.parametrize("page", [page for page in PAGES if page != "CHANGELOG.md"])
def test_paths_exist(page: str) -> None:
    """A path of the project that a page names is there; of a module it may leave out the ending."""
    for span in code_spans(PAGES[page]):
        if re.fullmatch(r"(docs|fixtures|irevalx|man|tests|\.ci|\.github)/[\w./-]*", span):
            assert (ROOT / span).exists() or (ROOT / f"{span}.py").exists(), f"{page} names {span}, which is not there"


def options(commands: Sequence[click.Command], group: str | None = None) -> set[str]:
    """Return the long options of commands, or those of a group of the help."""
    params = [param for part in commands for param in part.params]
    chosen = [param for param in params if group is None or (isinstance(param, Option) and param.group == group)]
    return {name for param in chosen for name in param.opts if name.startswith("--")}


@pytest.mark.parametrize("page", [page for page in PAGES if page.startswith("docs/") or page == "README.md"])
def test_options_exist(page: str) -> None:
    """An option that a page names is one of irevalx or irevalx-lab, or an abbreviation of one of trec_eval's."""
    known = options([command, *map(described, COMMANDS)])
    of_trec_eval = options([command], TREC_GROUP)
    for span in code_spans(PAGES[page]):
        if span.startswith(("uvx ", "pipx ")):  # which have options of their own
            continue
        for word in re.findall(r"(?<!\S)--[a-z][a-z_-]*", span):
            abbreviates = any(name.startswith(word) for name in of_trec_eval)
            assert word in known or abbreviates, f"{page} names {word}, which is no option"


@pytest.mark.parametrize("page", [page for page in PAGES if page.startswith("docs/")])
def test_pages_are_short(page: str) -> None:
    """A page of docs/ has at most 420 lines."""
    assert PAGES[page].count("\n") <= 420


def test_formats_and_commands_are_described() -> None:
    """docs/output-formats.md says of every output format when to use it, docs/lab.md what each command is for."""
    [output] = [param for param in command.params if "--format" in param.opts]
    assert isinstance(output.type, click.Choice)
    for name in output.type.choices:
        assert (
            f"`{name}`" in PAGES["docs/output-formats.md"] or f"`--format {name}`" in PAGES["docs/output-formats.md"]
        ), name
    for name in COMMANDS:
        assert f"| `{PROGRAM} {name} " in PAGES["docs/lab.md"], name
