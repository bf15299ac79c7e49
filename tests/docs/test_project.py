"""The project holds together: documentation that is current, one version."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from importlib.metadata import metadata, version
from pathlib import Path

import click
import manual
import pytest
from departures import DEPARTURES
from roff import roff
from running import FIXTURES, ROOT, run

import irevalx
from irevalx.cli.arguments import Option
from irevalx.cli.command import command
from irevalx.errors import IrevalxError
from irevalx.lab import program as lab
from irevalx.measures import MEASURES
from irevalx.measures.explanation import UpperBound
from irevalx.reading.formats import REL_FORMATS, RESULTS_FORMATS

README = (ROOT / "README.md").read_text()
CHANGELOG = (ROOT / "CHANGELOG.md").read_text()


def test_manual_page_and_tables_are_current() -> None:
    """What python docs/generate would write is what is there."""
    assert manual.main(["--check"]) == 0


def test_stale_documentation_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The check above can fail."""
    monkeypatch.setattr(manual, "DESCRIPTION", ("Something else.",))
    assert manual.main(["--check"]) == 1


PAGES = sorted(path.name for path in (ROOT / "man").iterdir())


def options_of_the_lab(name: str) -> list[str]:
    """All options of a command of irevalx-lab."""
    described = lab.command.get_command(click.Context(lab.command), name)
    assert described
    return [option for param in described.params if isinstance(param, click.Option) for option in param.opts]


def test_manual_pages_are_installed() -> None:
    """The wheel has every page."""
    assert all(
        f'"man/{page}" = "share/man/man{page[-1]}/{page}"' in (ROOT / "pyproject.toml").read_text() for page in PAGES
    )


@pytest.mark.skipif(not shutil.which("groff"), reason="needs groff")
@pytest.mark.parametrize("page", PAGES)
def test_manual_pages_render_without_warnings(page: str) -> None:
    """The pages give groff nothing to complain about, and show every option, measure and format."""
    command_line = ["groff", "-man", "-ww", "-Tutf8", "-P-cbou", str(ROOT / "man" / page)]
    done = subprocess.run(command_line, capture_output=True, check=True)
    assert done.stderr == b""
    text = done.stdout.decode().replace("\u2212", "-").replace("\u2010\n", "")
    options = [name for param in command.params if isinstance(param, Option) for name in param.opts]
    shown = {
        "irevalx.1": options,
        "irevalx-measures.7": [measure.name for measure in MEASURES],
        "irevalx-formats.5": [*REL_FORMATS, *RESULTS_FORMATS, "--pool"],
        "irevalx-lab.1": list(lab.COMMANDS),
        **{f"irevalx-lab-{name}.1": options_of_the_lab(name) for name in lab.COMMANDS},
    }
    lacking = [name for name in shown[page] if name not in text]
    assert not lacking, f"man/{page} does not show {lacking}: run python docs/generate"
    assert shown.keys() == set(PAGES)


@pytest.mark.skipif(not shutil.which("mandoc"), reason="needs mandoc")
@pytest.mark.parametrize("page", PAGES)
def test_manual_pages_please_mandoc(page: str) -> None:
    """Nor has mandoc anything to complain about."""
    done = subprocess.run(
        ["mandoc", "-W", "warning", "-T", "utf8", str(ROOT / "man" / page)], capture_output=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, b"")


def test_roff_escapes() -> None:
    """A line that begins with a dot or a quote is not a request, and backslashes and umlauts survive."""
    assert roff(".5 is") == r"\&.5 is"
    assert roff("'tis") == r"\&'tis"
    assert roff("a\\b-ä") == r"a\eb\-\[u00E4]"


def test_departures_name_tests_that_exist() -> None:
    """Every departure is shown by a test."""
    for departure in DEPARTURES:
        file, _, name = departure.test.partition("::")
        assert f"def {name}(" in next((ROOT / "tests").rglob(file)).read_text()
    assert {departure.number for departure in DEPARTURES} == set(range(1, 9))


def test_statuses_in_the_drawing_of_errors_are_those_of_the_classes() -> None:
    """The tree in the docstring of errors.py says what the classes say."""
    drawn = dict(re.findall(r"[├└]── (\w+) +(\d+)", __import__("irevalx.errors").errors.__doc__ or ""))
    classes: list[type[IrevalxError]] = []
    left = IrevalxError.__subclasses__()
    while left:
        classes.append(left.pop())
        left += classes[-1].__subclasses__()
    assert drawn == {cls.__name__: str(cls.exit_status) for cls in classes}


def test_one_version() -> None:
    """The package, its metadata and the changelog agree."""
    assert irevalx.__version__ == version("irevalx")
    assert f"## [{irevalx.__version__}]" in CHANGELOG
    assert metadata("irevalx")["Requires-Python"] == ">=3.10"


def test_readme_shows_what_irevalx_prints() -> None:
    """The output beside the README's first command is what that command prints."""
    [line] = re.findall(r"<!-- main command -->\n```sh\n(.+)\n```", README)
    arguments = line.partition(".venv/bin/irevalx ")[2].replace(
        "fixtures/example/*.run", " ".join(str(path) for path in sorted((FIXTURES / "example").glob("*.run")))
    )
    shown = re.search(r"```\n(runid.+?)```", README, re.DOTALL)
    assert shown
    assert run(*arguments.split(), cwd=ROOT).stdout.decode() == shown[1]


EXAMPLES = re.findall(r"<!-- example -->\n```sh\n(.+?)\n```\n\n```\n(.+?)```", README, re.DOTALL)


@pytest.mark.parametrize(("line", "shown"), EXAMPLES, ids=[line for line, _ in EXAMPLES])
def test_readme_shows_what_examples_print(line: str, shown: str) -> None:
    """What stands below an example is what it prints in a shell."""
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    done = subprocess.run(
        ["bash", "-c", line], cwd=ROOT, env=os.environ | {"PATH": path}, capture_output=True, check=True
    )
    assert done.stdout.decode() == shown


def test_readme_has_all_its_examples() -> None:
    """No example escapes the test above, and each kind of output and input has one."""
    assert len(EXAMPLES) == README.count("<!-- example -->")
    lines = " ".join(line for line, _ in EXAMPLES)
    wanted = (
        "-q",
        "markdown",
        "table",
        "jsonl",
        "json",
        "qrels -",
        "--unjudged",
        "--pool",
        "sampled",
        "prefs",
        "-h -m",
    )
    assert all(word in lines for word in wanted)


def test_readme_translates_from_ir_measures() -> None:
    """What the README gives for ir_measures' names prints the values that ir_measures printed."""
    folder = FIXTURES / "example"
    values = dict(line.split("\t") for line in (folder / "bm25.ir_measures").read_text().splitlines())
    translated = {"AP": "-m AP", "nDCG@10": "-m nDCG@10"}
    for there, here in re.findall(r"^\| (`.+?) \| (`-.+) \|$", README, re.MULTILINE):
        translated |= dict(zip(re.findall("`(.+?)`", there), re.findall("`(.+?)`", here), strict=True))
    assert translated.keys() == values.keys()
    assert "`irevalx -c -m AP -m nDCG@10 QRELS RUN`" in README
    for name, flags in translated.items():
        printed = run("-c", *flags.split(), folder / "qrels", folder / "bm25.run").stdout.decode()
        assert float(printed.split("\t")[2]) == float(values[name]), name


@pytest.mark.filterwarnings("ignore::irevalx.IrevalxWarning")
def test_readme_translates_python() -> None:
    """What the README gives for calls of pytrec_eval and ir_measures runs, and gives what they give."""
    folder = FIXTURES / "example"
    with (folder / "qrels").open() as qrels, (folder / "bm25.run").open() as results:
        names = {"irevalx": irevalx, "qrels": irevalx.parse_qrel(qrels), "run": irevalx.parse_run(results)}
    calls = re.findall(r"\| `(irevalx\..+?)` \|$", README, re.MULTILINE)
    by_topic, mean, complete, rows = (eval(call, dict(names)) for call in calls)  # noqa: S307 - the README's
    assert f"{sum(values['map'] for values in by_topic.values()) / len(by_topic):6.4f}" == f"{mean:6.4f}" == "0.5717"
    values = dict(line.split("\t") for line in (folder / "bm25.ir_measures").read_text().splitlines())
    assert f"{complete:6.4f}" == values["AP"]
    assert {row.topic: row.value for row in rows} == {t: v["map"] for t, v in by_topic.items()} | {"all": mean}


def test_readme_shows_what_python_prints(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """The Python example runs, and prints what stands beside it."""
    found = re.search(r"<!-- python example -->\n```python\n(.+?)```\n\n```\n(.+?)```", README, re.DOTALL)
    assert found
    monkeypatch.chdir(ROOT)
    with pytest.warns(irevalx.IrevalxWarning):
        exec(found[1], {})  # noqa: S102 - it is the README's
    assert capsys.readouterr().out == found[2]


def test_readme_names_the_measures_that_rise() -> None:
    """The README, the help and the declarations agree on the measures for which rel is an upper bound."""
    rising = [measure.name for measure in MEASURES if measure.explanation.upper_bound is not UpperBound.NEVER]
    unjudged = next(param for param in command.params if param.name == "unjudged")
    assert isinstance(unjudged, Option)
    for text in (README.replace("`", ""), unjudged.help or ""):
        listed = re.search(r"an upper bound for (.+?) and, with grades 0 and 1, (\w+)", " ".join(text.split()))
        assert listed
        assert sorted([*listed[1].split(", "), listed[2]]) == sorted(rising)


def test_ci_calls_the_command_of_the_readme() -> None:
    """.ci/run takes the test command from the README, where there is exactly one."""
    script = (ROOT / ".ci" / "run").read_text()
    expression = re.findall(r"sed -n '(/\^.+?)' README.md \| sed -n '(.+?)'", script)
    assert len(expression) == 1
    [line] = re.findall(r"<!-- test command -->\n```sh\n(.+)\n```", README)
    pipeline = f"sed -n '{expression[0][0]}' README.md | sed -n '{expression[0][1]}'"
    found = subprocess.run(["bash", "-c", pipeline], cwd=ROOT, capture_output=True, check=True, env=os.environ)
    assert found.stdout.decode() == line + "\n"
