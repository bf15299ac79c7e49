"""irevalx-lab gate: verdicts, exit statuses, and files for continuous integration."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Sequence
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from examples.made_runs import runs_with_hits
from running import lab, lab_json, refusal
from scipy import optimize, stats

import irevalx
import irevalx.lab
from irevalx.arrays.segments import FloatArray
from irevalx.lab.comparison.verdicts import Gate

HITS = {
    "base": (5, 6, 4, 7, 5, 6, 3, 5),
    "same": (5, 6, 4, 7, 5, 6, 3, 5),
    "better": (7, 8, 5, 9, 7, 8, 4, 7),
    "worse": (3, 5, 2, 5, 4, 4, 1, 3),
    "noisy": (9, 2, 8, 3, 1, 9, 6, 3),
}
"""P.10 is a tenth of these."""


@pytest.fixture
def paths(tmp_path: Path) -> dict[str, Path]:
    """Paths of the judgments and the runs by name."""
    qrels, *runs = runs_with_hits(tmp_path, HITS, depth=10)
    return {"qrels": qrels, **dict(zip(HITS, runs, strict=True))}


def gate(paths: dict[str, Path], runs: Sequence[str], *options: str) -> tuple[int, list[dict[str, str]], str]:
    """Return the status, the rows and the standard error of a gate with the baseline base under P.10."""
    files = (paths["qrels"], *(paths[run] for run in ("base", *runs)))
    done = lab("gate", *files, "-m", "P.10", "--baseline", "base", "--format", "csv", *options)
    return done.status, done.rows, done.stderr


@pytest.mark.parametrize(
    ("runs", "options", "status"),
    [
        (["same"], ["--margin", "0"], 0),
        (["better"], ["--margin", "0"], 0),
        (["better", "same"], ["--margin", "0.01"], 0),
        (["worse"], ["--margin", "0.01"], 3),
        (["worse"], ["--margin", "0.5"], 0),
        (["noisy"], ["--margin", "0.01"], 5),
        (["noisy", "worse", "better"], ["--margin", "0.01"], 3),
        (["noisy"], ["--margin", "0.01", "--allow-unsure"], 0),
        (["noisy", "worse"], ["--margin", "0.01", "--allow-unsure"], 3),
        (["better"], ["--margin", "0.01", "--require", "better"], 0),
        (["same"], ["--margin", "0.01", "--require", "better"], 5),
        (["better", "noisy"], ["--margin", "0.5", "--require", "better"], 5),
        (["worse"], ["--margin", "0.01", "--require", "better"], 3),
        (["better"], ["--margin", "P.10=0.01"], 0),
        (["worse"], ["--margin", "P_10=0.5", "--margin", "0"], 0),
    ],
)
def test_statuses(paths: dict[str, Path], runs: list[str], options: list[str], status: int) -> None:
    """The exit status is 0 if all runs pass, 3 if a run is worse, and otherwise 5."""
    assert gate(paths, runs, *options)[0] == status


@pytest.mark.parametrize("options", [["--margin", "10%"], ["--margin", "P.10=10%"], ["--margin", "10.0 %"]])
def test_relative_margins(paths: dict[str, Path], options: list[str]) -> None:
    """A percentage is tested by scipy's t tests of run - 0.9 baseline, and the interval of the ratio is Fieller's."""
    runs = ["noisy", "worse", "better"]
    _, rows, _ = gate(paths, runs, *options)
    base = np.array(HITS["base"]) / 10
    for row in rows:
        of_run = np.array(HITS[row["run"]]) / 10
        assert float(row["margin"]) == pytest.approx(41 / 80 * 0.1, abs=1e-15)
        assert float(row["relative_margin"]) == pytest.approx(0.1)
        not_worse = stats.ttest_1samp(of_run - 0.9 * base, 0, alternative="greater").pvalue < 0.05 / 3 / 2
        assert (row["verdict"] == "not worse") == not_worse
        ends = [
            optimize.brentq(
                lambda r, of=of_run, sign=sign: t_of_ratio(of, base, r) + sign * stats.t.isf(0.05 / 6, 7), *within
            )
            for sign, within in ((-1, (-1, of_run.mean() / base.mean())), (1, (of_run.mean() / base.mean(), 4)))
        ]
        assert [float(row["ratio_low"]), float(row["ratio_high"])] == pytest.approx(ends, rel=1e-9)
    status, [row], _ = gate(paths, ["better"], *options)
    assert [status, row["verdict"]] == [0, "not worse"]
    done = lab("gate", paths["qrels"], paths["base"], paths["noisy"], "-m", "P.10", "--baseline", "base", *options)
    assert "ratio low" in done.words
    assert "ratio low > 1 - D replaces low > -margin" in done.words


def t_of_ratio(of_run: FloatArray, base: FloatArray, ratio: float) -> float:
    """Return the t statistic of run - ratio * baseline."""
    return float(stats.ttest_1samp(of_run - ratio * base, 0).statistic)


@pytest.mark.parametrize(
    ("run", "margin", "status"),
    [("same", "0", 0), ("better", "0.5", 0), ("better", "0.01", 5), ("worse", "0.01", 3), ("noisy", "60%", 5)],
)
def test_equivalence(paths: dict[str, Path], run: str, margin: str, status: int) -> None:
    """Equivalent runs lose and gain less than the margin, in two one-sided tests of scipy at alpha/2."""
    ended, [row], _ = gate(paths, [run], "--margin", margin, "--require", "equivalent")
    of_run, base = (np.array(HITS[name]) / 10 for name in (run, "base"))
    share = float(margin.removesuffix("%")) / 100 if "%" in margin else 0
    by_topic = share * base if share else float(margin)
    p = [stats.ttest_1samp(sign * (of_run - base) + by_topic, 0, alternative="greater").pvalue for sign in (1, -1)]
    assert ended == status
    assert row["equivalent"] == str(run == "same" or max(p) < 0.025)
    assert (status == 0) == (row["equivalent"] == "True")


@pytest.mark.parametrize(
    ("margin", "remedy"),
    [("1", "1%"), ("0.52", "0.52%"), ("200%", "2%"), ("100%", "1%"), ("P.10=1", "1%"), ("150", "1%")],
)
def test_margins_that_reach_the_mean(paths: dict[str, Path], margin: str, remedy: str) -> None:
    """A margin with which every run would pass is refused, with the percentage that was meant, which is accepted."""
    status, _, stderr = gate(paths, ["worse"], "--margin", margin)
    reaches = "reaches the baseline's mean of P_10 (0.5125), so that every run would pass"
    message = f"irevalx-lab: --margin {margin} {reaches}; for {remedy} of the mean, write {remedy}\n"
    assert [status, stderr] == [1, message]
    assert gate(paths, ["worse"], "--margin", remedy)[0] == 3


@pytest.mark.parametrize("wrong", ["-1%", "x%", "%", "1.2.3%", "map=1%%"])
def test_wrong_percentages(paths: dict[str, Path], wrong: str) -> None:
    """The message names the rule."""
    status, _, stderr = gate(paths, ["same"], f"--margin={wrong}")
    assert status == 1
    rule = "must be a number of at least 0, or a percentage of the baseline's mean such as 1%"
    assert stderr.startswith(f"irevalx-lab: --margin {wrong}: {rule}")


def test_intervals(paths: dict[str, Path]) -> None:
    """Intervals are scipy's at 1 - alpha/4 for two measures and runs; two differing topics have no interval."""
    runs = ["better", "noisy"]
    _, rows, _ = gate(paths, runs, "--margin", "0.02", "-m", "P.5", "--alpha", "0.1")
    assert [(row["measure"], row["run"], row["topics"]) for row in rows] == [
        (measure, run, "8") for measure in ("P_10", "P_5") for run in runs
    ]
    for row in rows:
        depth = int(row["measure"][2:])
        shares = {run: np.minimum(HITS[run], depth) / depth for run in HITS}
        d = shares[row["run"]] - shares["base"]
        assert int(row["differing"]) == np.count_nonzero(d)
        if np.count_nonzero(d) < 5:
            assert [row["low"], row["high"], row["least_margin"], row["verdict"]] == ["", "", "", "cannot tell"]
            assert [row["run"], float(row["p"]), float(row["change"])] == ["better", 0.5, pytest.approx(0.2)]
            continue
        expected = stats.ttest_1samp(d, 0).confidence_interval(1 - 0.1 / 4)
        assert [float(row["low"]), float(row["high"])] == pytest.approx(list(expected))
        assert float(row["difference"]) == pytest.approx(d.mean())
        assert float(row["mean_against"]) == pytest.approx(shares["base"].mean())
        least = float(row["least_margin"]) / d.std(ddof=1)
        critical = stats.t.isf(0.1 / 4 / 2, 7)
        assert stats.nct.sf(critical, 7, least * 8**0.5) == pytest.approx(0.8, abs=1e-6)


def test_less_is_better(tmp_path: Path) -> None:
    """Under a measure with lower values for better runs, the difference of a run with higher values is negative."""
    for name in ("base", "worse"):
        rows = "".join(f"{name},{topic},{topic + (name == 'worse') * (topic % 3)}\n" for topic in range(1, 9))
        (tmp_path / name).write_text("run,topic,seconds\n" + rows)
    files = ("--scores", tmp_path / "base", tmp_path / "worse", "--lower-is-better", "seconds")
    done = lab("gate", *files, "--baseline", "base", "--margin", "0", "--format", "csv")
    [row] = done.rows
    assert float(row["difference"]) == pytest.approx(float(row["mean_against"]) - float(row["mean"]))
    assert float(row["difference"]) < 0


@pytest.mark.parametrize(("options", "status"), [([], 5), (["--lower-is-better", "value"], 0)])
def test_zeros_are_no_evidence(options: list[str], status: int, tmp_path: Path) -> None:
    """Two runs whose values are all 0 cannot be compared, unless lower values are better, so that 0 is the best value."""
    for name in ("base", "new"):
        (tmp_path / name).write_text("run,topic,value\n" + "".join(f"{name},{topic},0\n" for topic in range(1, 9)))
    files: tuple[str | Path, ...] = ("--scores", tmp_path / "base", tmp_path / "new", *options)
    done = lab("gate", *files, "--baseline", "base", "--margin", "0.01")
    assert done.status == status
    sentence = "new in value: all values of both runs are 0, so the runs cannot be compared."
    assert (sentence in " ".join(done.stdout.decode().split())) == (status == 5)


def without(path: Path, topics: Sequence[int]) -> None:
    """Remove topics from a run or from a score file."""
    names = tuple(f"{topic:03}" for topic in topics)
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join(line for line in lines if not line.startswith(names)))


@pytest.mark.parametrize("are_scores", [False, True])
@pytest.mark.parametrize(
    ("of_base", "of_run", "option", "topics", "text"),
    [
        ([], [1, 2], [], [1, 2, 3, 4, 5, 6, 7, 8], "all 8 judged topics; topics without results count as 0 (same 2)"),
        ([1, 2], [], [], [3, 4, 5, 6, 7, 8], "6 of 8 judged topics, because the baseline base lacks the others"),
        ([1, 2], [2], [], [3, 4, 5, 6, 7, 8], "6 of 8 judged topics, because the baseline base lacks the others"),
        (
            *([1], [2], [], [2, 3, 4, 5, 6, 7, 8]),
            "7 of 8 judged topics, because the baseline base lacks the others; topics without results count as 0 (same 1)",
        ),
        (
            *([1], [2], ["--common-topics"], [3, 4, 5, 6, 7, 8]),
            "6 of 8 judged topics (topics for which every run has results); topics without results, by run: "
            "base 1, same 1",
        ),
    ],
)
def test_missing_topics(
    paths: dict[str, Path],
    of_base: list[int],
    of_run: list[int],
    option: list[str],
    topics: list[int],
    text: str,
    are_scores: bool,
) -> None:
    """Topics that the run lacks count as 0, and those that the baseline lacks are excluded, with a warning."""
    files: tuple[str | Path, ...] = (paths["qrels"], paths["base"], paths["same"])
    if are_scores:
        every = "".join(f"{topic:03},{hits / 10}\n" for topic, hits in enumerate(HITS["base"], 1))
        for run in ("base", "same"):
            paths[run].write_text(f"topic,P_10\n{every}")
        others = paths["qrels"].with_name("others")  # the topics of score files are those of any run
        others.write_text(f"topic,P_10\n{every}")
        files = ("--scores", paths["base"], paths["same"], others)
        text = text.replace("judged topics", "topics")
    for run, lacking in (("base", of_base), ("same", of_run)):
        without(paths[run], lacking)
    done = lab("gate", *files, "-m", "P.10", "--baseline", "base", "--margin", "0.01", "--format", "csv", *option)
    [row] = [row for row in done.rows if row["run"] == "same"]
    d = [0 if topic not in of_run else -HITS["base"][topic - 1] / 10 for topic in topics]
    missing = np.count_nonzero(d)
    assert [row["topics"], row["missing"], float(row["difference"])] == [
        *(str(len(topics)), str(missing)),
        pytest.approx(np.mean(d), abs=1e-12),
    ]
    assert [row["verdict"], row["verdict_on_common_topics"]] == (
        ["cannot tell", "not worse"] if missing else ["not worse", ""]
    )
    assert f"irevalx-lab: {text}\n" in done.stderr
    if option:
        compared = lab("compare", *files, "-m", "P.10", "--baseline", "base", "--format", "csv", "--quiet")
        assert float(compared.rows[0]["difference"]) == float(row["difference"])


def test_verdict_on_common_topics(paths: dict[str, Path]) -> None:
    """If the topics of all runs have another verdict, both are reported, with the option for these topics."""
    without(paths["same"], [2, 4])
    without(paths["noisy"], [1])
    files = (paths["qrels"], *(paths[run] for run in ("base", "same", "noisy", "better")))
    options = ("-m", "P.10", "--baseline", "base", "--margin", "0.01")
    line = (
        "same lacks 2 of 8 topics (002 and 004), which count as 0: cannot tell in P_10. On the 5 topics of all runs "
        "(--common-topics): not worse."
    )
    done = lab("gate", *files, *options)
    assert line in done.words
    assert "noisy lacks" not in done.words  # the same verdict on both
    assert line in json.loads(lab("gate", *files, *options, "--format", "json").stdout)["about"]["notes"]
    [row, *_] = lab("gate", *files, *options, "--common-topics", "--format", "csv", "--quiet").rows
    assert [row["run"], row["topics"], row["verdict"]] == ["same", "5", "not worse"]
    without(paths["base"], [7])
    page = paths["qrels"].with_name("page.html")
    reported = lab("report", *files, *options, "-o", page)
    assert "Verdicts exclude topics that the baseline base lacks: 007." in reported.stderr
    line = (
        "same lacks 2 of 7 topics (002 and 004), which count as 0: cannot tell in P_10. On the 4 topics of all runs: "
    )
    assert line in " ".join(page.read_text().split())


def test_missing_topics_if_less_is_better(tmp_path: Path) -> None:
    """A missing topic cannot count as 0, the best value, and the message names an option, which works."""
    for name, n_topics in (("base", 8), ("new", 7)):
        rows = "".join(f"{name},{topic},{topic % 3 + 1}\n" for topic in range(n_topics))
        (tmp_path / name).write_text("run,topic,seconds\n" + rows)
    words = ("gate", "--scores", tmp_path / "base", tmp_path / "new", "--lower-is-better", "seconds")
    done = lab(*words, "--baseline", "base", "--margin", "0")
    assert done.status == 2
    assert "which cannot count as 0: that is the best value; use --common-topics, or add the values" in done.stderr
    assert lab(*words, "--baseline", "base", "--margin", "0", "--common-topics").status == 0


def test_topics_that_the_baseline_lacks(tmp_path: Path) -> None:
    """If the baseline lacks its four easiest topics, few runs that lose the margin pass; as zeros, most passed."""
    n_draws, margin = int(os.environ.get("GATE_DRAWS", "8")), 0.01
    random, passes, passed = np.random.default_rng(1), 0, 0.0
    for _ in range(n_draws):
        base = np.round(random.beta(1, 2, 80), 4)
        new = np.round(np.clip(base - margin + random.normal(0, 0.03, 80), 0, 1), 4)
        new -= (new - base).mean() + margin - random.normal(0, 0.03) / 80**0.5  # the loss is the margin
        has = np.argsort(base)[:-4]
        (tmp_path / "base").write_text("topic,map\n" + "".join(f"q{topic},{base[topic]}\n" for topic in has))
        (tmp_path / "new").write_text("topic,map\n" + "".join(f"q{topic},{of}\n" for topic, of in enumerate(new)))
        scores = irevalx.Scores.read([tmp_path / "base", tmp_path / "new"])
        with pytest.warns(
            irevalx.IrevalxWarning, match=r"^76 of 80 topics, because the baseline base lacks the others$"
        ):
            passes += irevalx.lab.gate(scores, baseline="base", margin=margin).rows[0].verdict == "not worse"
        zeros = new - np.where(np.isin(np.arange(80), has), base, 0)
        passed += float(stats.ttest_1samp(zeros, -margin, alternative="greater").pvalue < 0.025)
    assert passes <= stats.binom.ppf(0.999, n_draws, 0.04)
    assert passed >= 0.35 * n_draws


def test_losses_within_the_margin(paths: dict[str, Path]) -> None:
    """A certain loss within the margin is not worse, and a note reports it."""
    options = ("--margin", "0.5", "--baseline", "base", "-m", "P.10")
    files = (paths["qrels"], paths["base"], paths["worse"])
    line = "worse is significantly worse in P_10, but by less than the margin."
    assert line in lab("gate", *files, *options).stdout.decode()
    assert line in lab_json("gate", *files, *options)["about"]["notes"]


def test_equal_run_tags(paths: dict[str, Path]) -> None:
    """Runs with the tag of the baseline are distinguished by file name."""
    new = paths["qrels"].parent / "new"
    new.write_text(paths["better"].read_text().replace(" better\n", " base\n"))
    for baseline in (str(paths["base"]), "base"):
        files = (paths["qrels"], paths["base"], new)
        done = lab("gate", *files, "-m", "P.10", "--baseline", baseline, "--margin", "0.01", "--format", "csv")
        [row] = done.rows
        assert (done.status, row["run"], row["against"], row["verdict"]) == (0, "new", "base", "not worse")


def test_markdown(paths: dict[str, Path]) -> None:
    """The conclusion comes first, then a table whose last column has a word for each verdict."""
    files = (paths["qrels"], paths["base"], paths["noisy"], paths["same"])
    done = lab("gate", *files, "-m", "P.10", "--baseline", "base", "--margin", "0.01", "--format", "markdown")
    lines = done.stdout.decode().splitlines()
    assert lines[0] == "Failed: 1 not worse, 1 cannot tell (2 verdicts against base)."
    assert lines[2].startswith("| measure ")
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in (lines[2], *lines[4:6])]
    assert [row[-1] for row in cells] == ["gate", "fails", "passes"]
    assert [row[cells[0].index("verdict")] for row in cells[1:]] == ["cannot tell", "not worse"]
    assert "**" not in done.stdout.decode()


def test_json(paths: dict[str, Path]) -> None:
    """JSON contains the rows, the requested margins and the exit status."""
    files = (paths["qrels"], paths["base"], paths["noisy"])
    done = lab("gate", *files, "-m", "P.10 P.5", "--baseline", "base", "--margin", "0.01", "--format", "json")
    result = json.loads(done.stdout)
    assert [row["verdict"] for row in result["verdicts"]] == ["cannot tell"] * 2
    about = result["about"]
    assert {name: about[name] for name in ("status", "passed", "comparisons", "margins", "require", "baseline")} == {
        "status": 5,
        "passed": False,
        "comparisons": 2,
        "margins": {"P_10": 0.01, "P_5": 0.01},
        "require": "not-worse",
        "baseline": "base",
    }


def test_junit(paths: dict[str, Path], tmp_path: Path) -> None:
    """Each run and measure is a test case; failures have the verdict as type, and allowed uncertainty is skipped."""
    runs = ("same", "worse", "noisy")
    gate(paths, runs, "--margin", "0.01", "--junit", str(tmp_path / "report.xml"), "--allow-unsure")
    root = ET.parse(tmp_path / "report.xml").getroot()  # noqa: S314 - it is ours
    [suite] = root
    assert {name: suite.get(name) for name in ("tests", "failures", "errors", "skipped")} == {
        "tests": "3",
        "failures": "1",
        "errors": "0",
        "skipped": "1",
    }
    assert [(case.get("classname"), case.get("name"), case[0].tag) for case in suite] == [
        ("same", "P_10", "system-out"),
        ("worse", "P_10", "failure"),
        ("noisy", "P_10", "skipped"),
    ]
    failure = suite[1][0]
    assert failure.get("type") == "worse"
    assert "margin 0.01, 8 topics" in (failure.get("message") or "")


def test_options_of_compare() -> None:
    """Compare refuses the options of the gate, and both refuse --page, with the command to use."""
    for option in ("--margin=0.1", "--require=better", "--allow-unsure", "--junit=x"):
        message = refusal("compare", "qrels", "a", "b", option)
        assert message.startswith(
            f"irevalx-lab: unknown option '{option.partition('=')[0]}'; irevalx-lab gate QRELS RUN... "
        )
    for command in ("compare", "gate"):
        assert "; irevalx-lab report --margin D writes an HTML report" in refusal(command, "qrels", "a", "--page", "x")


def test_in_python(paths: dict[str, Path]) -> None:
    """The function returns the gate, also for evaluated scores."""
    files = [str(paths["base"]), str(paths["better"])]
    scores = irevalx.evaluate(str(paths["qrels"]), files, ["P.10"])
    for given in ((str(paths["qrels"]), files, "P.10"), (scores, None, "P_10")):
        results = irevalx.lab.gate(*given, baseline="base", margin={"P.10": 0.01, "*": 0.5})
        assert isinstance(results, Gate)
        assert [results.status, results.rows[0].verdict, results.rows[0].margin] == [0, "not worse", 0.01]
        assert results.to_frame()["verdict"].tolist() == ["not worse"]
        assert not hasattr(results, "figure")


@pytest.mark.parametrize(("n_topics", "words"), [(1, "1 topic"), (4, "4 topics")])
def test_verdicts_from_few_topics(n_topics: int, words: str) -> None:
    """A warning says that verdicts from fewer than 5 topics are unreliable."""
    qrels = {str(topic): {"A": 1} for topic in range(n_topics)}
    runs = {name: {topic: {"A": 1.0} for topic in qrels} for name in ("base", "new")}
    with pytest.warns(irevalx.IrevalxWarning, match=f"^map has values for {words}; verdicts from fewer than 5 topics"):
        irevalx.lab.gate(qrels, runs, "map", baseline="base", margin=0.1)


@pytest.mark.parametrize(
    ("changes", "options", "status", "message"),
    [
        (
            (-1, -1, -1),
            [],
            5,
            "3 of 3 topics differ, by at most 0.1; the mean change over these topics is -0.1000. Losses on fewer than 63.2% of topics can go unseen. This is not enough",
        ),
        (
            (1, 1, 1),
            ["--require", "better"],
            5,
            "3 of 3 topics differ, by at most 0.1; the mean change over these topics is +0.1000.",
        ),
        ((-1, -1, -1), ["--allow-unsure"], 0, "3 of 3 topics differ"),
        ((-1,) * 8, ["--margin", "0.45"], 3, "all 8 topics differ by the same amount; the mean change over these"),
        ((1,) * 8, ["--require", "better"], 0, "all 8 topics differ by the same amount"),
        (
            (1, 1, 1, 2, 0, 0, 0, 0),
            [],
            5,
            "4 of 8 topics differ, by at most 0.2; the mean change over these topics is +0.1250. Losses on fewer than 31.2% of topics can go unseen. This",
        ),
        (
            (-1, 0, 0, 0, 0, 0, 0, 0),
            ["--margin", "0.06"],
            0,
            "1 of 8 topics differs, by at most 0.1; the mean change over these topics is -0.1000. Losses on fewer than 31.2% of topics can go unseen.",
        ),
        ((-1, 0, 0, 0, 0, 0, 0, 0), ["--margin", "0.05"], 5, "This is not enough"),
        ((1, 1, 1, 2, 1, 2, 0, 0), [], 0, "6 of 8 topics differ; the mean change over these topics is +0.1333."),
        ((0,) * 8, [], 0, None),
    ],
    ids=str,
)
def test_few_or_equal_differences(
    tmp_path: Path, changes: tuple[int, ...], options: list[str], status: int, message: str | None
) -> None:
    """Only exact sign flips make a verdict certain; compare and the gate decide alike, and a note says why."""
    hits = {"base": [5] * len(changes), "new": [5 + change for change in changes]}
    files = runs_with_hits(tmp_path, hits, depth=10)
    compared: tuple[str | Path, ...] = ("compare", *files, "-m", "P.10", "--baseline", "base")
    gated = ("gate", *compared[1:], *options, *([] if "--margin" in options else ["--margin", "0"]))
    done = lab(*gated, "--junit", tmp_path / "junit.xml")
    assert done.status == status
    tables = json.loads(lab(*gated, "--format", "json", "--quiet").stdout)
    notes = [line for line in tables["about"]["notes"] if line.startswith("new in P_10: ")]
    assert [message is not None and message in note for note in notes] == [True] * (message is not None)
    assert done.words.count("new in P_10: ") == len(notes)
    assert all(note in done.words for note in notes)
    [row] = tables["verdicts"]
    if row["low"] is None:
        [pair] = lab(*compared, "--format", "csv", "--quiet").rows
        assert [pair["low"], pair["test"], float(pair["p"])] == ["", "permutation", row["p"]]
        assert "(no interval)" in (tmp_path / "junit.xml").read_text()


@pytest.mark.parametrize(
    ("of_base", "of_new", "n_lost", "depends"),
    [(5, 0, 0, True), (1, 0, 0, False), (1, 0, 1, True), (0, 1, 1, False), (0, 0, 0, False)],
)
def test_unjudged_documents_if_few_topics_differ(of_base: int, of_new: int, n_lost: int, depends: bool) -> None:
    """A run passes because few topics differ by little; this depends on documents that only the baseline retrieves."""
    n_topics, margin = 20, 0.05
    half = [f"relevant{number}" for number in range(5)], [f"other{number}" for number in range(5)]
    qrels = {str(topic): dict.fromkeys(half[0], 1) | dict.fromkeys([*half[1], "last"], 0) for topic in range(n_topics)}

    def ranked(topic: int, n_unjudged: int, n_lost: int) -> dict[str, float]:
        documents = [*half[0], *half[1][n_unjudged:], *(f"unjudged{number}" for number in range(n_unjudged))]
        documents[0] = "last" if topic < n_lost else documents[0]
        return {document: 10.0 - rank for rank, document in enumerate(documents)}

    runs = {
        name: {str(topic): ranked(topic, number, lost) for topic in range(n_topics)}
        for name, number, lost in (("base", of_base, 0), ("new", of_new, n_lost))
    }
    loss = (0.5 * 0.5 * of_base / (10 - of_base)) - (0.5 * (0.5 - n_lost * 0.1 / n_topics) * of_new / (10 - of_new))
    most = stats.beta.ppf(0.975, n_lost + 1, n_topics - n_lost) * 0.1 * (n_lost > 0)
    assert most < margin
    assert depends == (most + loss >= margin)
    with warnings.catch_warnings(record=True) as issued:
        warnings.simplefilter("always")
        result = irevalx.lab.gate(qrels, runs, "P.10", baseline="base", margin=margin)
    caution = "P_10, new against base: the conclusion depends on unjudged documents: if they were relevant half"
    assert any(str(each.message).startswith(caution) for each in issued) == depends
    assert [(row.verdict, row.depends_on_unjudged) for row in result.rows] == [("not worse", depends)]
    assert result.rows[0].if_relevant == ("cannot tell" if depends else None)
    verdict, *remarks = result.sentences
    change = 'if they were relevant half as often as judged documents, it would be "cannot tell"'
    of_verdict = f", margin 0.05; this verdict depends on unjudged documents: {change}."
    assert verdict.endswith(of_verdict if depends else "margin 0.05.")
    assert [remark.startswith(f"new in P_10: {n_lost} of 20 topics") for remark in remarks] == [True] * bool(n_lost)


@pytest.mark.parametrize("key", [None, 1, b"map"])
def test_a_margin_of_no_measure(key: object) -> None:
    """Keys of ``margin`` that are not names are refused; before, they ended in an AttributeError."""
    runs = {name: {"1": {"A": 1.0}, "2": {"A": 1.0}} for name in "xy"}
    with pytest.raises(irevalx.IrevalxError, match=r"^margin must be a number of at least 0"):
        irevalx.lab.gate({"1": {"A": 1}, "2": {"A": 1}}, runs, "map", margin={key: 1}, baseline="x")  # type: ignore[dict-item]
