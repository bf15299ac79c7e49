"""irevalx-lab study: knees.csv, intervals and warnings."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from shlex import split

import pytest
from examples.experiment import QRELS, RUNS
from running import lab, refusal, rows_in, succeeded

pytestmark = pytest.mark.slow

CURVES = ("tau_b_itself", "tau_b_ap", "accuracy", "g_mean")


def study(folder: Path, *args: str | Path) -> str:
    """Run a study without figures, and return its standard error."""
    done = succeeded("study", QRELS, *args, "--seed", "1", "--figures", "none", "-o", folder)
    return done.stderr


def test_knees(tmp_path: Path) -> None:
    """A knee is the least level from which all means over samples exceed 0.9."""
    study(tmp_path, *RUNS, "-m", "map bpref", "--samples", "3", "--levels", "5% 20% 40% 60% 80% 100%")
    samples, knees = rows_in(tmp_path / "samples.csv"), rows_in(tmp_path / "knees.csv")
    assert list(knees[0]) == ["measure", "statistic", "knee", "first", "monotone", "low", "high", "reliable"]
    assert [(row["measure"], row["statistic"]) for row in knees] == [(m, c) for m in ("map", "bpref") for c in CURVES]
    levels = list(dict.fromkeys(row["level"] for row in samples))
    for knee in knees:
        column = "tau_b" if knee["statistic"].startswith("tau") else knee["statistic"]
        against = "AP" if knee["statistic"] == "tau_b_ap" else "itself"
        means = []
        for level in levels:
            requested = (level, knee["measure"], against)
            rows = [row for row in samples if (row["level"], row["measure"], row["against"]) == requested]
            means.append(sum(float(row[column]) for row in rows) / 3)
        first = next((level for level, mean in zip(levels, means, strict=True) if mean > 0.9), "")
        from_there = [level for i, level in enumerate(levels) if all(mean > 0.9 for mean in means[i:])]
        assert (knee["knee"], knee["first"]) == (from_there[0] if from_there else "", first)
        assert (knee["monotone"], knee["low"], knee["high"]) == (str(knee["knee"] == first), "", "")


def test_intervals(tmp_path: Path) -> None:
    """--resamples adds intervals to summary and to knees of tau-b."""
    options = ("-m", "map", "--samples", "1", "--levels", "20% 100%", "--resamples", "40")
    message = study(tmp_path / "plain", *RUNS, *options)
    assert "with only 12 topics, bootstrap intervals are too narrow (low coverage)" in message
    rows = rows_in(tmp_path / "plain" / "summary.csv")
    names = [f"{name}_{end}" for name in ("tau", "tau_b", "tau_ap", "rms", "bias") for end in ("low", "high")]
    last = [f"{name}_{of}" for name in ("inversions", "tau_ap_b") for of in ("mean", "sd")]
    assert list(rows[0])[-16:] == [*names, *last, "tau_ap_b_low", "tau_ap_b_high"]
    assert all(float(row["tau_low"]) <= float(row["tau_high"]) for row in rows)
    knees = {row["statistic"]: row for row in rows_in(tmp_path / "plain" / "knees.csv")}
    assert knees["tau_b_itself"]["low"] in {"20%", "100%"}
    assert (knees["accuracy"]["low"], knees["accuracy"]["high"]) == ("", "")
    words = " ".join((tmp_path / "plain" / "summary.txt").read_text().split())
    assert "interval of the knee of tau-b, from resampled topics (beyond: beyond all levels); not computed" in words


def test_intervals_beyond_all_levels(tmp_path: Path) -> None:
    """Limits beyond all levels are reported as beyond; missing intervals are blank."""
    options = ("-m", "map", "--samples", "1", "--levels", "2%", "--resamples", "40")
    study(tmp_path / "s", *RUNS, *options)
    [low] = [row for row in rows_in(tmp_path / "s" / "summary.csv") if row["against"] == "itself"]
    assert float(low["tau_b_high"]) < 0.9  # in hardly any draw of topics does tau-b exceed it
    knees = {row["statistic"]: row for row in rows_in(tmp_path / "s" / "knees.csv")}
    assert [knees["tau_b_itself"][end] for end in ("knee", "low", "high")] == ["", "beyond", "beyond"]
    assert [knees["g_mean"][end] for end in ("knee", "low", "high")] == ["", "", ""]


def test_output(tmp_path: Path) -> None:
    """The output has mean tau-b by level and the names of all files."""
    words = ("-m", "map bpref", "--samples", "3", "--levels", "5% 40%", "--seed", "1", "--figure", "none")
    done = lab("study", QRELS, *RUNS, *words, "--quiet", "-o", tmp_path / "s")
    samples = rows_in(tmp_path / "s" / "samples.csv")
    printed = done.stdout.decode()
    for against, title in (("AP", "AP under full judgments"), ("itself", "the measure itself under full judgments")):
        table = printed.split(f"tau b, against {title}\n\n")[1].split("\n\n")[0].splitlines()
        assert table[0].split() == ["measure", "5%", "40%"]
        for line in table[2:]:
            measure, *means = line.split()
            for level, mean in zip(("5%", "40%"), means, strict=True):
                requested = (measure, level, against)
                values = [
                    float(row["tau_b"])
                    for row in samples
                    if (row["measure"], row["level"], row["against"]) == requested
                ]
                assert mean == f"{sum(values) / 3:.4f}"
    assert "Means over 3 samples of judgments." in printed
    files = " ".join(printed.split()).partition(f"Files in {tmp_path / 's'}: ")[2].partition(". ")[0]
    named = files.rstrip(".").split(", ")
    assert sorted(named) == sorted(path.name for path in (tmp_path / "s").iterdir())


def test_folders_that_cannot_be_made(tmp_path: Path) -> None:
    """Folders in a file, and folders with names that are too long, are refused before the computation."""
    file, long = tmp_path / "file", "x" * 300
    file.touch()
    for folder in (file / "in", tmp_path / long, tmp_path / "a" / long, tmp_path / long / "b"):
        assert refusal("study", QRELS, *RUNS, "-m", "map", "-o", folder, status=74).startswith(
            "irevalx-lab: cannot make the folder "
        )
    assert list(tmp_path.iterdir()) == [file]


LIMITED = """
import resource, sys
resource.setrlimit(resource.RLIMIT_FSIZE, (4000, 4000))
from irevalx.lab.__main__ import run
sys.argv[0] = "irevalx-lab"
run()
"""


def test_full_disk(tmp_path: Path) -> None:
    """On a full disk the folder is absent or unchanged."""
    options = split("-m map --levels '10% 50%' --seed 1 --quiet --figure none --scheme 'depth mtf' --threads 1")
    words: tuple[str | Path, ...] = ("study", QRELS, *RUNS, *options)
    full = tmp_path / "full"
    full.mkdir()
    before = {}
    for folder in (full / "new", full / "there"):
        if folder.name == "there":
            assert lab(*words, "-o", folder).status == 0
            before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
        more = ("-m", "P bpref", "-o", str(folder))
        done = subprocess.run(
            [sys.executable, "-c", LIMITED, *map(str, words), *more], capture_output=True, check=False, timeout=60
        )
        assert (done.returncode, done.stdout) == (74, b""), done.stderr
        assert done.stderr.startswith(b"irevalx-lab: cannot write the folder ")
        assert done.stderr.endswith(b": File too large\n")
        assert {path: path.read_bytes() for path in full.rglob("*") if path.is_file()} == before
    assert [path.name for path in full.iterdir()] == ["there"]


@pytest.mark.parametrize(("depth", "warned"), [("2", True), ("1000", False)])
def test_warnings_about_shallow_pools(depth: str, warned: bool, tmp_path: Path) -> None:
    """A warning reports judgments outside the deepest pool."""
    own = tmp_path / "own"
    lab("pool", *RUNS, "--depth", "1000", "--judge", QRELS, "--drop", "-o", own)
    options = ("--scheme", "depth", "-m", "map", "--levels", f"1 {depth}", "--figures", "none", "--seed", "1")
    done = lab("study", own, *RUNS, *options, "-o", tmp_path / "out")
    assert ("include documents outside the pool of these runs; --own-pool excludes them" in done.stderr) == warned
    assert (f"the deepest pool ({depth}) contains " in done.stderr) == warned


@pytest.mark.parametrize("scheme", ["depth", "mixed", "uniform"])
def test_own_pool(scheme: str, tmp_path: Path) -> None:
    """--own-pool is the study of the judgments in the pool of the runs."""
    own, half = tmp_path / "own", tmp_path / "some"
    half.write_text("".join(QRELS.read_text().splitlines(keepends=True)[::2]))
    lab("pool", *RUNS, "--depth", "5", "--judge", half, "-o", own)
    pooled = {tuple(line.split()) for line in lab("pool", *RUNS, "--depth", "5").stdout.decode().splitlines()}
    inside = [line for line in own.read_text().splitlines(keepends=True) if tuple(line.split()[0:3:2]) in pooled]
    assert any(line.split()[3] == "-1" for line in inside)
    own.write_text("".join(inside))
    levels = "30% 100%" if scheme == "uniform" else "1 5 2"
    options = ("--scheme", scheme, "-m", "map infAP P.5:skip map:rel", "--levels", levels, "--samples", "2")
    more = ("--seed", "1", "--figure", "none")
    expected = succeeded("study", own, *RUNS, *options, *more, "-o", tmp_path / "expected", "--quiet")
    result = lab("study", half, *RUNS, *options, *more, "--own-pool", "--pool-depth", "5", "-o", tmp_path / "obtained")
    assert result.stdout.replace(b"/obtained", b"/expected") == expected.stdout  # names of one length wrap alike
    assert "the deepest pool" not in result.stderr
    for name in ("scores.csv", "samples.csv", "summary.csv", "knees.csv"):
        assert (tmp_path / "obtained" / name).read_bytes() == (tmp_path / "expected" / name).read_bytes()


def test_own_pool_and_schemes(tmp_path: Path) -> None:
    """Full judgments of the own pool are equal for all schemes and levels."""
    for name, *options in (
        ("shallow", "--scheme", "depth", "--levels", "1 2"),
        ("deep", "--scheme", "depth", "--levels", "5 20"),
        ("mixed", "--scheme", "mixed", "--levels", "1 2"),
        ("uniform", "--levels", "20%"),
    ):
        study(tmp_path / name, *RUNS, "-m", "map", "--samples", "1", "--own-pool", "--pool-depth", "20", *options)
    full = {
        name: [row for row in rows_in(tmp_path / name / "scores.csv") if row["scheme"] == "full"]
        for name in ("shallow", "deep", "mixed", "uniform")
    }
    assert full["shallow"] == full["deep"] == full["mixed"] == full["uniform"]
    succeeded("draw", *(tmp_path / name for name in full), "--figure", tmp_path / "f.svg", stderr="")


def test_topics_without_relevant_documents(tmp_path: Path) -> None:
    """Topics whose sample contains none of their relevant documents are counted; uniform samples always contain one."""
    relevant: dict[str, set[str]] = {}
    for topic, _, docno, grade in map(str.split, QRELS.read_text().splitlines()):
        if int(grade) >= 1:
            relevant.setdefault(topic, set()).add(docno)
    first: dict[str, set[str]] = {}
    guess = next(path for path in RUNS if Path(path).name == "guess1")
    for topic, _, docno, rank, *_ in map(str.split, Path(guess).read_text().splitlines()):
        if int(rank) == 1:
            first.setdefault(topic, set()).add(docno)
    lost = sum(not first[topic] & documents for topic, documents in relevant.items())
    assert lost > 0
    copy = tmp_path / "copy"
    copy.write_text(Path(guess).read_text().replace("guess1", "copy"))
    study = ("study", QRELS, guess, copy, "-m", "map", "--figure-format", "none")
    words = "topics (mean over samples) have no relevant document in the sample; most measures are 0"
    done = succeeded(*study, "--scheme", "depth", "--levels", "1 30", "-o", tmp_path / "depth")
    assert f"at level 1, {lost} of 12 {words} for such topics, so their means are too low\n" in done.stderr
    done = succeeded(*study, "--levels", "1% 10%", "--samples", "2", "--seed", "1", "-o", tmp_path / "uniform")
    assert words not in done.stderr


def test_short_runs(tmp_path: Path) -> None:
    """A warning names a short run that alone changes the correlation."""
    first = {line.split()[0]: line for line in QRELS.read_text().splitlines() if line.split()[3] == "0"}
    short = tmp_path / "short"
    short.write_text("".join(f"{topic} Q0 {line.split()[2]} 1 1 short\n" for topic, line in first.items()))
    options: tuple[str | Path, ...] = (*RUNS[-2:], RUNS[0], short, "-m", "map", "--samples", "2", "--levels")
    message = study(tmp_path / "out", *options, "5% 10%")
    assert "short retrieves 12 documents, less than half of the median over runs, and alone changes" in message
    assert "--min-retrieved leaves out such runs" in message
    assert "short retrieves" not in study(tmp_path / "full", *options, "100%")


def test_warnings_of_draw(tmp_path: Path) -> None:
    """Draw warns of few topics only for bands over topics."""
    options = ("-m", "map", "--samples", "1", "--levels", "20% 100%")
    message = {}
    for name, more in (("samples", ()), ("topics", ("--resamples", "20"))):
        study(tmp_path / name, *RUNS, *options, *more)
        done = lab("draw", tmp_path / name, "--figure", tmp_path / "f.svg")
        message[name] = done.status, done.stderr
    warning = "irevalx-lab: topics: with only 12 topics, bootstrap intervals are too narrow (low coverage)\n"
    assert message == {"samples": (0, ""), "topics": (0, warning)}
    (tmp_path / "topics" / "study.json").write_text("{}")
    assert "study.json: the file was not written by irevalx-lab study" in refusal(
        "draw", tmp_path / "topics", "--figure", tmp_path / "f.svg", status=2
    )
    (tmp_path / "topics" / "study.json").unlink()
    assert "No such file or directory" in refusal("draw", tmp_path / "topics", "--figure", tmp_path / "f.svg", status=2)


def test_round_up_is_the_default(tmp_path: Path) -> None:
    """--round up is allowed with every scheme, as it changes nothing."""
    study(tmp_path / "out", *RUNS[:2], "--round", "up", "-m", "map", "--levels", "50%", "--samples", "1")


def test_folder_of_another_study(tmp_path: Path) -> None:
    """If a folder contains results, a warning reports how many files are kept, unless all files are replaced."""
    words: list[str | Path] = [*RUNS[:3], "-m", "map", "--levels", "20%", "--samples", "2"]
    assert "kept" not in study(tmp_path, *words)
    assert "kept" not in study(tmp_path, *words)
    (tmp_path / "depth").mkdir()
    (tmp_path / "depth" / "knees.csv").touch()
    (tmp_path / "map-against-AP.png").touch()
    stderr = " ".join(study(tmp_path, *words).split())
    assert "6 existing files are replaced, but 2 other files are kept (for example 'depth/knees.csv')" in stderr
    (tmp_path / "depth" / "knees.csv").unlink()
    assert "but 1 other file is kept (for example 'map-against-AP.png')" in " ".join(study(tmp_path, *words).split())
    (tmp_path / "new").mkdir()
    (tmp_path / "new" / "notes").touch()
    assert "kept" not in study(tmp_path / "new", *words)
