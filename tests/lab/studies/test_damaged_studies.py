"""irevalx-lab study and draw: damaged files, judgments without judged documents, interrupts, and unusual names."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from examples.experiment import QRELS, RUNS
from running import ROOT, lab, refusal, succeeded

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small study without figures."""
    folder = tmp_path_factory.mktemp("study") / "made"
    options = ("--levels", "20% 100%", "--samples", "2", "--seed", "1", "-m", "map bpref", "--figure", "none")
    assert lab("study", QRELS, *RUNS, *options, "-o", folder).status == 0
    return folder


def line_with(number: int, *changed: tuple[int, str]) -> object:
    """Return a function that changes fields of a line of CSV."""

    def change(text: str) -> str:
        lines = text.splitlines(keepends=True)
        fields = lines[number].rstrip("\n").split(",")
        for place, value in changed:
            fields[place] = value
        lines[number] = ",".join(fields) + "\n"
        return "".join(lines)

    return change


def shorter(text: str) -> str:
    """Return a table whose last row lacks a field."""
    return text.rstrip("\n").rpartition(",")[0] + "\n"


def longer(text: str) -> str:
    """Return a table whose last row has an additional field."""
    return text.rstrip("\n") + ",1\n"


def with_text(old: str, new: str) -> object:
    """Return a function that replaces a text."""
    return lambda text: text.replace(old, new)


DAMAGED_SUMMARIES: list[tuple[object, str]] = [
    (lambda text: "", "the file is empty"),
    (lambda text: "a,b\n1,2\n", "expected a summary of this version of irevalx-lab study, but "),
    (shorter, "fields, but the row has"),
    (longer, "fields, but the row has"),
    (line_with(1, (-1, "x" * 140000)), "invalid CSV"),
    *(
        (line_with(1, (5, value)), "invalid number")
        for value in ("true", "1_0", "inf", "nan", "9" * 400, "1e99999999", "\u0661")
    ),
    *((line_with(1, (1, value)), "") for value in ("1e99999999%", "9" * 5000 + "%", "-5%", "20", "true", "")),
    (with_text("20%", "ten"), "invalid number 'ten': must be at most 1e+30"),
    (with_text("20%", "200%"), "levels: invalid level '200%': must be a share above 0 and at most 1"),
    (line_with(1, (0, "depth")), "invalid scheme 'uniform': must be that of the other rows"),
    (
        with_text("uniform", "odd"),
        ":2: invalid scheme 'odd': must be one of uniform, stratified, depth, mixed, strata, imperfect, borda, rrf, mtf, hedge, "
        "maxmean, maxmean-ns, thompson, thompson-ns, mtc, cal, bounds, random, sampled",
    ),
    (
        lambda text: text.replace("pearson_mean", "pearson").replace("rms_sd", "rms"),
        " of this version of irevalx-lab study, but pearson_mean, rms_sd are missing",
    ),
    (line_with(1, (2, "1.1")), ":2: invalid share judged '1.1': must be between 0 and 1"),
    (line_with(1, (2, "")), ":2: invalid share judged '': must be between 0 and 1"),
    (line_with(1, (2, "nan")), ":2: invalid number 'nan': must be at most 1e+30"),
]

DAMAGED_STUDIES = [
    lambda text: "[" * 100000,
    with_text('"topics": 12', '"topics": "1_2"'),
    with_text('"resamples": 0', '"resamples": true'),
    with_text('"seeds": [', '"seeds": [[],'),
]


@pytest.mark.parametrize("layout", ["axis", "grid", "scores", "runs"])
@pytest.mark.parametrize(
    ("file", "change", "message"),
    [
        *(("summary.csv", *damage) for damage in DAMAGED_SUMMARIES),
        *(("study.json", change, "the file was not written by irevalx-lab study") for change in DAMAGED_STUDIES),
    ],
)
def test_damaged_summaries(file: str, change: object, message: str, layout: str, written: Path, tmp_path: Path) -> None:
    """A damaged file is an error with status 2, found quickly, and nothing is drawn."""
    for path in written.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    changed = change((tmp_path / file).read_text())  # type: ignore[operator]
    assert changed != (tmp_path / file).read_text()
    (tmp_path / file).write_text(changed)
    begin = time.process_time()
    stderr = refusal("draw", tmp_path, "--layout", layout, "--figure", tmp_path / "f.svg", status=2)
    assert time.process_time() - begin < 5
    assert message in stderr
    assert stderr.count("\n") == 1
    assert not (tmp_path / "f.svg").exists()


@pytest.mark.parametrize("layout", ["scores", "runs"])
@pytest.mark.parametrize(
    ("change", "message"),
    [
        (None, "No such file"),
        (lambda text: "", "the file is empty"),
        (lambda text: "a,b\n1,2\n", "expected the scores of irevalx-lab study, but"),
        (lambda text: text.partition("\n")[0] + "\n,,,,r,map,x\n", "invalid number"),
        (shorter, "expected 7 fields, but the row has 6"),
        (longer, "expected 7 fields, but the row has 8"),
        (lambda text: text.rstrip("\n").rpartition("\n")[0] + "\n", "a row for each level, sample, run and measure"),
        (line_with(-1, (1, "30%")), "a row for each level, sample, run and measure"),
        (line_with(-1, (4, "other")), "a row for each level, sample, run and measure"),
        *((line_with(-1, (6, value)), "invalid number") for value in ("inf", "true", "1_0", "1e400", "x")),
    ],
)
def test_damaged_scores(change: object, message: str, layout: str, written: Path, tmp_path: Path) -> None:
    """A damaged file is an error with status 2."""
    for path in written.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    if change is None:
        (tmp_path / "scores.csv").unlink()
    else:
        (tmp_path / "scores.csv").write_text(change((written / "scores.csv").read_text()))  # type: ignore[operator]
    done = lab("draw", tmp_path, "--layout", layout, "--figure", tmp_path / "f.svg")
    assert (done.status, done.stdout) == (2, b""), done.stderr
    assert message in done.stderr


def test_summaries_of_older_versions(tmp_path: Path) -> None:
    """A summary requires only the columns of the figures, and no other file."""
    columns = [f"{name}_{of}" for name in ("tau_b", "pearson", "rms") for of in ("mean", "sd")]
    rows = (f"uniform,10%,0.1,map,{against}{',0.5' * len(columns)}\n" for against in ("AP", "itself"))
    header = ",".join(("scheme", "level", "judged", "measure", "against", *columns)) + "\n"
    (tmp_path / "summary.csv").write_text("".join((header, *rows)))
    for layout in ("axis", "grid"):
        succeeded("draw", tmp_path, "--layout", layout, "--figure", tmp_path / "f.svg", stderr="")


def small(folder: Path, grade: str) -> list[Path]:
    """Write judgments with this grade, and three runs whose first document is unjudged."""
    lines = (f"{topic} 0 d{number} {grade if number else '-1'}\n" for topic in "12" for number in range(4))
    (folder / "qrels").write_text("".join(lines))
    for run in "abc":
        ranked = [f"none{run}", "d1", f"d{2 + 'abc'.index(run) % 2}"]
        lines = (f"{topic} Q0 {doc} 1 {9 - rank} {run}\n" for topic in "12" for rank, doc in enumerate(ranked))
        (folder / run).write_text("".join(lines))
    return [folder / name for name in ("qrels", "a", "b", "c")]


@pytest.mark.parametrize("scheme", ["uniform", "depth", "mixed"])
def test_judgments_without_a_judged_document(scheme: str, tmp_path: Path) -> None:
    """Judgments without a judged document are refused."""
    assert "the file contains no judged documents" in refusal(
        "study", *small(tmp_path, "-1"), "--scheme", scheme, "-o", tmp_path / "out", "--seed", "1", status=2
    )
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("scheme", ["depth", "mixed"])
def test_pools_without_a_judged_document(scheme: str, tmp_path: Path) -> None:
    """Levels without a judged document are left out of figures."""
    options = ("--scheme", scheme, "--levels", "1 2 3", "--seed", "1", "--samples", "2", "-m", "map bpref", "--quiet")
    succeeded("study", *small(tmp_path, "1"), *options, "-o", tmp_path / "out", stderr="")
    for layout in ("axis", "grid"):
        succeeded("draw", tmp_path / "out", "--layout", layout, "--figure", tmp_path / f"{layout}.png", stderr="")


@pytest.mark.parametrize(
    "words", [["draw", "--layout", "runs"], ["compare"], ["compare", "--draw", "matrix"], ["describe"]]
)
def test_invalid_utf8(words: list[str], tmp_path: Path) -> None:
    """Names of runs and folders that are not UTF-8 are drawn."""
    runs = [*RUNS[:2], tmp_path / "odd"]
    runs[-1].write_bytes(
        b"".join(b" ".join([*line.split()[:5], b"\xff"]) + b"\n" for line in RUNS[2].read_bytes().splitlines())
    )
    given: list[str | Path] = [QRELS, *runs]
    if words[0] == "draw":
        options = ("--levels", "50%", "--samples", "1", "--seed", "1", "-m", "map", "--figure", "none", "--quiet")
        for folder in (os.fsdecode(b"\xff"), "other"):
            assert lab("study", QRELS, *runs, *options, "-o", tmp_path / folder).status == 0
        given = [tmp_path / os.fsdecode(b"\xff"), tmp_path / "other"]
    seed = ["--seed", "1"] if words[0] == "compare" else []
    succeeded(words[0], *given, *words[1:], *seed, "--quiet", "--figure", tmp_path / "f.png")
    assert (tmp_path / "f.png").stat().st_size > 1000


@pytest.mark.usefixtures("interruptible")
@pytest.mark.parametrize("threads", ["1", "2"])
def test_interrupt(threads: str, tmp_path: Path) -> None:
    """An interrupt leaves no partial folder."""
    out = tmp_path / "out"
    options = ("--levels", "50% 100%", "--samples", "2", "--seed", "1", "--threads", threads, "-o", str(out))
    code = "import sys; from irevalx.lab.command.program import main; sys.exit(main(sys.argv[1:]))"
    words = [sys.executable, "-c", code, "study", str(QRELS), *map(str, RUNS), *options]
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(words, env=env, start_new_session=True, stderr=subprocess.PIPE) as process:
        while process.poll() is None and not list(tmp_path.glob(".out.*/*")):
            time.sleep(0.002)
        os.killpg(process.pid, signal.SIGINT)
        message = process.communicate()[1]
    assert process.returncode in {130, -signal.SIGINT}, message
    assert b"Traceback" not in message
    assert not list(tmp_path.iterdir())
