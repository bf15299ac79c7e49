"""The help of irevalx-lab and its commands."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import click
import pytest
from examples.experiment import DOCS, QRELS, RUNS
from roff import roff
from running import FIXTURES, ROOT, described, lab

from irevalx.command_line.help import first_sentence
from irevalx.lab import COMMANDS, QUESTIONS
from irevalx.lab.command.help import SELDOM
from irevalx.reading.formats import REL_FORMATS


def test_summaries() -> None:
    """The help of a command begins with its line in the help of irevalx-lab."""
    first_lines = {name: (described(name).help or "").partition("\n")[0] for name in COMMANDS}
    assert {name: entry.summary for name, entry in COMMANDS.items()} == first_lines


def test_list_of_commands() -> None:
    """Commands are listed under four questions in the order of COMMANDS."""
    printed = lab("-h").stdout.decode()
    after = [printed.partition(f"{question}:\n")[2].partition("\n\n")[0] for question in QUESTIONS]
    results = [[line.split()[0] for line in text.splitlines() if re.match("  [a-z]", line)] for text in after]
    assert len(results) == 4
    assert [name for names in results for name in names] == list(COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_short_help(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """-h has at most 70 lines of 100 columns and names every option; --help has at most 170 and explains every option.

    --help contains three sentences of an explanation, one sentence of an explanation of a rare option, and the first
    sentence of each paragraph. The manual page contains all of them.
    """
    monkeypatch.setenv("COLUMNS", "100")
    short, full = lab(name, "-h").stdout.decode(), lab(name, "--help").stdout.decode()
    assert len(short.splitlines()) <= 70, f"shorten the first sentences of {name}"
    assert len(full.splitlines()) <= 170, f"shorten the help of {name}, or split paragraphs less"
    assert "`" not in full, "help has no markup"
    options = [param for param in described(name).params if isinstance(param, click.Option) and not param.hidden]
    page = (ROOT / "man" / "man1" / f"irevalx-lab-{name}.1").read_text()
    letters = "".join(full.split())  # lines break at hyphens too
    for option in options:
        assert option.opts[-1] in short
        assert option.opts[-1] in full
        assert roff(option.help or "") in page
        sentences = re.split(r"(?<=\.)\s+(?=[A-Z])", option.help or "")
        for sentence in sentences[: 1 if option.name in SELDOM else 3]:
            assert "".join(sentence.partition(";")[0].partition(" [")[0].rstrip(".").split()) in letters
    for paragraph in (described(name).help or "").split("\n\n"):
        assert roff(" ".join(paragraph.split())) in page
        assert "".join(paragraph.partition(".")[0].split())[:30] in letters


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One. Two.", "One."),
        ("One e.g. two, of 0.5.  [default: a. B]  [x>=1]", "One e.g. two, of 0.5.  [default: a. B]  [x>=1]"),
        (f"{'A' * 40}; {'b' * 80}. C.", f"{'A' * 40}."),
        (f"{'A' * 40} (b; c), {'d' * 80}; e.", f"{'A' * 40} (b; c), {'d' * 80}."),
    ],
)
def test_first_sentences(text: str, expected: str) -> None:
    """Brackets at the end are kept; long sentences end at a semicolon outside parentheses."""
    assert first_sentence(text) == expected


@pytest.mark.parametrize("name", COMMANDS)
def test_options_are_explained(name: str) -> None:
    """Every option has help, and every command --quiet."""
    params = described(name).params
    assert all(param.help for param in params if isinstance(param, click.Option))
    assert "quiet" in {param.name for param in params}


GRADES = tuple(
    name for name, form in REL_FORMATS.items() if {name, form.measures_of} >= {"qrels"} and form.nested == ""
)
"""The formats that contain only a grade for each document."""

USABLE: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("agree", "compare", "gate", "power", "swap-rate"), tuple(REL_FORMATS)),
    **dict.fromkeys(("degrade", "pool", "next", "leave-out", "complete", "bounds", "report", "study"), GRADES),
    "labels": (*GRADES, "prefs"),
    "describe": (*GRADES, "sampled"),
    "estimate": (*GRADES, "sampled", "prels"),
}
"""The formats of judgments that commands can use; the others name qrels alone."""


@pytest.mark.parametrize("name", COMMANDS)
def test_judgment_formats(name: str) -> None:
    """Commands list the formats of judgments that they support, and refuse the others."""
    options = [param for param in described(name).params if param.name == "rel_format"]
    if not options:
        return
    assert isinstance(options[0], click.Option)
    pattern = r"(Any can be used here|supports every format)|(?:Here it must be|supports) ([a-z_, ]+)\."
    [(any_, words)] = re.findall(pattern, options[0].help or "")
    usable = set(REL_FORMATS) if any_ else set(re.split(", | or | and ", words))
    has_runs = any(parameter.name == "runs" for parameter in described(name).params)
    needed = {
        "agree": ["x", "y"],
        "gate": ["q", "r", "--baseline", "b", "--margin", "0.1"],
        "study": ["q", "r", "-o", "folder"],
    }.get(name, ["q", "r"] if has_runs else ["q"])
    results = {form: lab(name, "-R", form, *needed) for form in REL_FORMATS}
    assert all(result.status for result in results.values())
    refusal_of = {form: f"irevalx-lab: -R {form}: must be " for form in REL_FORMATS}
    assert {form for form, result in results.items() if not result.stderr.startswith(refusal_of[form])} == usable
    assert usable == set(USABLE.get(name, ("qrels",))), f"USABLE must have the formats that {name} can use"


def test_default_format() -> None:
    """-R qrels is the default."""
    qrels, run = FIXTURES / "example" / "qrels", FIXTURES / "example" / "bm25.run"
    assert lab("describe", "-R", "qrels", qrels, run) == lab("describe", qrels, run)
    assert lab("describe", "-R", "unknown", qrels).status == 1


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a disk that is full")
@pytest.mark.parametrize("words", [[], ["-h"], ["--version"], ["pool", "-h"], ["labels", "--help"]])
def test_help_that_cannot_be_written(words: list[str]) -> None:
    """Help on a full disk is an error with status 74."""
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "irevalx.lab", *words], stdout=full, stderr=subprocess.PIPE, cwd=ROOT, check=False
        )
    assert done.returncode == 74
    assert done.stderr == b"irevalx-lab: cannot write to standard output: No space left on device\n"


@pytest.mark.parametrize(
    ("words", "package"),
    [
        ("agree QRELS QRELS RUNS", "scipy"),
        ("compare QRELS RUNS --seed 1", "scipy"),
        ("complete QRELS RUNS --docs DOCS", "sklearn"),
        ("study QRELS RUNS -o out", "scipy"),
        ("study QRELS RUNS -o out", "matplotlib"),
        ("swap-rate QRELS RUNS --seed 1 --figure f.png", "matplotlib"),
    ],
)
def test_missing_packages(words: str, package: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Without the extra a command says what to install and does nothing else; its help is available."""
    monkeypatch.delitem(sys.modules, "irevalx.lab.completion.classifiers", raising=False)
    monkeypatch.setitem(sys.modules, "sklearn.svm" if package == "sklearn" else package, None)
    files = {"QRELS": [QRELS], "RUNS": RUNS, "DOCS": [DOCS]}
    command, *others = words.split()
    done = lab(command, *(file for word in others for file in files.get(word, [word])), "--quiet", cwd=tmp_path)
    needs = (
        f"{command} needs {package}, which is not installed: pip install 'irevalx[lab]', or '.[lab]' in a checkout\n"
    )
    assert (done.status, done.stdout, done.stderr) == (1, b"", f"irevalx-lab: {needs}")
    assert not list(tmp_path.iterdir())
    assert lab(command, "-h").status == 0


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("deg", ["plain,degrade"]),
        ("study --sch", ["plain,--scheme"]),
        ("study --levels x -m bpref", ["plain,bpref", "plain,bpref_10"]),
        ("compare qr", ["file,qr"]),
        ("compare q r --figure out/f", ["plain,out/f.png", "plain,out/f.svg", "plain,out/f.pdf"]),
        ("compare q r --figure f.", ["plain,f.png", "plain,f.svg", "plain,f.pdf"]),
        ("compare q r --figure f.s", ["plain,f.svg"]),
        ("compare q r --figure out/", ["file,out/"]),
    ],
)
def test_shell_completion(words: str, expected: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Shells complete commands, options, measures, files, and the endings of figures."""
    monkeypatch.setenv("_IREVALX_LAB_COMPLETE", "bash_complete")
    monkeypatch.setenv("COMP_WORDS", f"irevalx-lab {words}")
    monkeypatch.setenv("COMP_CWORD", str(len(words.split())))
    assert lab().stdout.decode().splitlines() == expected


@pytest.mark.parametrize(
    ("words", "packages"),
    [
        (["-h"], {"numpy", "tabulate"}),
        (["study", "-h"], {"scipy", "matplotlib", "sklearn"}),
        (["degrade", str(QRELS), "--uniform", "1", "--seed", "1"], {"scipy", "matplotlib", "sklearn"}),
    ],
)
def test_imports_wait(words: list[str], packages: set[str]) -> None:
    """Help, and commands that do not need them, import no large packages."""
    code = (
        f"import sys; from irevalx.lab.command.program import main; main({words!r});"
        f"sys.exit(bool({packages!r} & {{*sys.modules}}))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.parametrize("name", COMMANDS)
def test_examples_in_help(name: str) -> None:
    """The help of a command has an example; without a command there is help."""
    example = lab(name, "-h").stdout.decode().rpartition("Example: ")[2]
    assert f"irevalx-lab {name} " in " ".join(example.split()) + " "
    assert lab().stdout == lab("-h").stdout
