"""Confidence intervals of means, and summaries of topic groups, in every output format."""

from __future__ import annotations

import csv
import io
import json
import math
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

import pytest
from references import proportion_intervals
from running import FIXTURES, lab, refused, run

import irevalx
from irevalx.errors import ArgumentError

stats = pytest.importorskip("scipy.stats")

EXAMPLE = FIXTURES / "example"
QRELS, BM25, DENSE = EXAMPLE / "qrels", EXAMPLE / "bm25.run", EXAMPLE / "dense.run"
GROUPS = {"easy": ["301", "302", "305"], "hard": ["302", "303", "304"]}
MEASURES = ("-m", "num_rel", "-m", "map", "-m", "gm_map", "-m", "P.5")

pytestmark = pytest.mark.filterwarnings("ignore::irevalx.IrevalxWarning")


@pytest.fixture
def groups(tmp_path: Path) -> Path:
    """Return a file of the groups."""
    path = tmp_path / "groups"
    path.write_text("".join(f"{topic} {group}\n" for group, topics in GROUPS.items() for topic in topics))
    return path


def lines_of(*words: str | Path) -> dict[tuple[str, str], str]:
    """Return the values in trec_eval's columns by topic and measure."""
    done = run(*words)
    assert done.status == 0, done.stderr
    return {(words[1], words[0]): words[2] for words in map(str.split, done.stdout.decode().splitlines())}


def literal_ends(values: list[float], confidence: float) -> list[str]:
    """Return the printed bounds of the t interval of a mean."""
    half = stats.t.ppf((1 + confidence) / 2, len(values) - 1) * stdev(values) / math.sqrt(len(values))
    return [f"{fmean(values) + sign * half:.4f}" for sign in (-1, 1)]


def of_topics(measure: str, topics: list[str], *, complete: bool = False) -> list[float]:
    """Return unrounded values of topics, with -c including topics without results."""
    scores = irevalx.evaluate(QRELS, BM25, measure, complete=complete)
    [name] = scores.measures
    known = dict(zip(scores.topics(), scores.per_topic(name).tolist(), strict=True))
    return [known[topic] for topic in topics if topic in known]


ALL = ["301", "302", "303", "304", "305"]


@pytest.mark.parametrize("complete", [False, True])
def test_intervals(complete: bool) -> None:
    """Two lines follow each mean, and none a sum; intervals of geometric means are computed from logarithms."""
    options = ["-c"] if complete else []
    result = lines_of(*options, "--ci", "95%", *MEASURES, QRELS, BM25)
    assert [key for key in result if key[0] != "all"] == [
        (f"all:{end}", measure) for measure in ("map", "gm_map", "P_5") for end in ("low", "high")
    ]
    for measure, name in (("map", "map"), ("P.5", "P_5")):
        ends = literal_ends(of_topics(measure, ALL, complete=complete), 0.95)
        assert [result[f"all:{end}", name] for end in ("low", "high")] == ends
    logarithms = [math.log(max(value, 0.00001)) for value in of_topics("map", ALL, complete=complete)]
    half = stats.t.ppf(0.975, len(logarithms) - 1) * stdev(logarithms) / math.sqrt(len(logarithms))
    ends = [f"{math.exp(fmean(logarithms) + sign * half):.4f}" for sign in (-1, 1)]
    assert [result[f"all:{end}", "gm_map"] for end in ("low", "high")] == ends


def test_complete_as_trec_eval_9() -> None:
    """Topics without results are included in the interval, even if they have no lines."""
    result = lines_of("-c", "--compat", "9", "--ci", "0.9", "-m", "map", QRELS, BM25)
    ends = literal_ends([*of_topics("map", ALL), 0.0], 0.9)
    assert [result[f"all:{end}", "map"] for end in ("low", "high")] == ends


def test_values_do_not_change() -> None:
    """The options change no other lines."""
    for options in ((), ("-q",), ("-c",), ("--unjudged", "nonrel,skip"), ("--names", "asked", "-m", "AP@5:skip")):
        plain = run(*options, *MEASURES, QRELS, BM25, DENSE).stdout.splitlines()
        lines = run(*options, *MEASURES, "--ci", "90%", QRELS, BM25, DENSE).stdout.splitlines()
        assert [line for line in lines if b"\tall:" not in line] == plain


def test_readings_zscores_and_no_summary(tmp_path: Path) -> None:
    """Treatments of unjudged documents and z-scores have intervals; with -n, no interval is printed."""
    result = lines_of("--ci", "90%", "-m", "P.5:skip", "-m", "P.5", QRELS, BM25)
    assert {key for key in result if key[0] == "all:low"} == {("all:low", "P_5"), ("all:low", "P_5:skip")}
    (tmp_path / "z").write_text("".join(f"{topic} map 0.5 0.25\n" for topic in ALL))
    result = lines_of("-Z", tmp_path / "z", "--ci", "90%", "-m", "map", QRELS, BM25)
    ends = literal_ends([(value - 0.5) / 0.25 for value in of_topics("map", ALL)], 0.9)
    assert [result[f"all:{end}", "Zmap"] for end in ("low", "high")] == ends
    assert run("-n", "--ci", "90%", "-m", "map", QRELS, BM25).stdout == b""
    assert b"all" not in run("-n", "-q", "--ci", "90%", "-m", "map", QRELS, BM25).stdout


def test_bootstrap() -> None:
    """The seed determines the intervals, and defaults to 0."""
    call = ("--ci", "90%", "--ci-method", "bootstrap", "-m", "map", QRELS, BM25)
    first, again, other = (run(*seed, *call).stdout for seed in ((), ("--seed", "0"), ("--seed", "5")))
    assert first == again
    ends = irevalx.evaluate(QRELS, BM25, "map").interval("map", None, 0.9, method="bootstrap", seed=5)
    values = [line.split()[2] for line in other.decode().splitlines()[1:]]
    assert values == [f"{end:.4f}" for end in ends]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--ci", "95"), "--ci 95: must be between 0 and 1, or 0% and 100%, exclusive"),
        (("--ci", "100%"), "--ci 100%: must be between"),
        (("--ci", "x%"), "--ci x%: must be between"),
        (("--ci-method", "bootstrap"), "--ci-method bootstrap requires --ci"),
        (("--ci", "90%", "--seed", "1"), "--seed requires --ci-method bootstrap"),
        (("--topic-groups", "x", "-D", "0.301"), "--topic-groups cannot be combined with -D"),
    ],
)
def test_refused(words: tuple[str, ...], message: str) -> None:
    """Invalid values and combinations are usage errors."""
    assert message in refused(*words, "-m", "map", QRELS, BM25)


def test_scipy_is_not_imported() -> None:
    """No interval imports scipy, whose import takes longer than an evaluation."""
    program = (
        "import sys; sys.modules['scipy'] = None\n"
        "from irevalx.cli.command import main\n"
        "for method in 't', 'bootstrap':\n"
        "    status = main(['--ci', '95%', '--ci-method', method, '-m', 'map', *sys.argv[1:]])\n"
        "    assert status == 0\n"
    )
    done = subprocess.run([sys.executable, "-c", program, QRELS, BM25], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count(b"all:low") == 2


def test_warnings(groups: Path) -> None:
    """Few topics, a single topic, and several runs each have a warning, which is issued once for all runs."""
    groups.write_text("301 one\n302 two\n303 two\n")
    message = run("--ci", "95%", "--topic-groups", groups, "-m", "map", QRELS, BM25, DENSE).stderr
    alone = run("--ci", "95%", "--topic-groups", groups, "-m", "map", QRELS, BM25).stderr
    for line in (
        f"{BM25}: no interval of all:one, which is over fewer than 2 topics",
        f"{BM25}: the interval of all, all:two is over fewer than 10 topics; interpret it with caution",
    ):
        assert f"{line}\n" in alone
        assert f"{line} (2 runs have such a warning; this is the first)\n" in message
    assert "groups: 2 of 5 judged topics are in no group: '304', '305'\n" in message
    assert (
        "confidence intervals of runs do not show whether runs differ; test differences with irevalx-lab compare"
        in message
    )
    assert "compare" not in run("--ci", "95%", "-m", "map", QRELS, BM25).stderr
    assert run("--quiet", "--ci", "95%", "-m", "map", QRELS, BM25, DENSE).stderr == ""


def test_intervals_beyond_the_range(tmp_path: Path) -> None:
    """A warning names each t interval that ends below 0 or above 1; its remedy computes an interval within them."""
    topics = [str(number) for number in range(20)]
    qrels, path = tmp_path / "qrels", tmp_path / "run"
    qrels.write_text("".join(f"{topic} 0 {name} {grade}\n" for topic in topics for name, grade in (("A", 1), ("B", 0))))
    first_documents = {topic: "A" if topic != "7" else "B" for topic in topics}
    path.write_text("".join(f"{topic} Q0 {document} 1 1 it\n" for topic, document in first_documents.items()))
    call = ("--ci", "95%", "-m", "P.1", "-m", "num_rel_ret", "-m", "map")
    high = literal_ends([float(document == "A") for document in first_documents.values()], 0.95)[1]
    assert lines_of(*call, qrels, path)["all:high", "P_1"] == high == "1.0547"
    line = "the interval of map, P_1 (all) extends beyond the range of the measure; --ci-method bootstrap computes"
    assert run(*call, qrels, path).stderr.count(f"{path}: {line} intervals within the range\n") == 1
    assert run(*call, qrels, path, path).stderr.count(line) == 1
    remedied = run(*call, "--ci-method", "bootstrap", qrels, path)
    assert remedied.stderr == ""
    ends = lines_of(*call, "--ci-method", "bootstrap", qrels, path)
    assert 0 < float(ends["all:low", "P_1"]) < 0.95 <= float(ends["all:high", "P_1"]) <= 1


@pytest.mark.parametrize("n_failures", [0, 1, 7, 30])
def test_success(tmp_path: Path, n_failures: int) -> None:
    """Success has Wilson's interval, which a line names; an explicit method, z-scores and expected values have not."""
    n_topics = 30
    qrels, path = tmp_path / "qrels", tmp_path / "run"
    qrels.write_text("".join(f"{topic} 0 A 1\n{topic} 0 B 0\n" for topic in range(n_topics)))
    documents = ["B" if topic < n_failures else "A" for topic in range(n_topics)]
    path.write_text("".join(f"{topic} Q0 {document} 1 1 it\n" for topic, document in enumerate(documents)))
    values = [float(document == "A") for document in documents]
    expected = proportion_intervals.proportion(values, [1.0] * n_topics, 0.95)
    if not n_failures:
        assert expected == pytest.approx((0.878, 1), abs=5e-4)
    call = ("--ci", "95%", "-m", "success.1", "-m", "P.1", qrels, path)
    done = run(*call)
    ends = {
        words[1]: words[2] for words in map(str.split, done.stdout.decode().splitlines()) if words[0] == "success_1"
    }
    assert [ends["all:low"], ends["all:high"]] == [f"{end:.4f}" for end in expected]
    line = "Wilson's interval of a proportion is printed for success_1, because topic values are 0 or 1"
    assert f"irevalx: {line}\n" in done.stderr
    table = run("--format", "table", *call)
    assert line in " ".join(table.stdout.decode().split())
    assert line not in table.stderr
    assert "no interval for success_1" not in done.stderr
    scores = irevalx.evaluate(qrels, path, ["success.1", "P.1"])
    assert scores.interval("success_1") == pytest.approx(expected, abs=1e-12)
    frame = scores.to_frame(wide=True, confidence=0.95).iloc[0]
    assert (frame["success_1_low"], frame["success_1_high"]) == scores.interval("success_1")
    for method in ("t", "bootstrap"):
        of_precision = scores.interval("P_1", method=method)
        assert scores.interval("success_1", method=method) == pytest.approx(of_precision, nan_ok=True)
        assert line not in run("--ci-method", method, *call).stderr
    (tmp_path / "z").write_text("".join(f"{topic} success_1 0.0 1.0\n" for topic in range(n_topics)))
    assert line not in run("-Z", tmp_path / "z", "--ci", "95%", "-m", "success.1", qrels, path).stderr
    path.write_text("".join(f"{topic} Q0 {name} 1 1 it\n" for topic in range(n_topics) for name in "AB"[topic % 2 :]))
    scores = irevalx.evaluate(qrels, path, ["success.1", "P.1"], ties="expected")
    assert scores.interval("success_1") == pytest.approx(scores.interval("P_1"))


def test_equal_values_have_no_interval_and_a_reason(groups: Path, tmp_path: Path) -> None:
    """A warning names each summary without an interval, with the reason."""
    groups.write_text("301 one\n302 one\n303 one\n")
    path = tmp_path / "run"
    path.write_text("".join(f"{topic} Q0 nothing 1 1 none\n" for topic in ALL))
    call = ("--ci", "95%", "--topic-groups", groups, "-m", "map", "-m", "P.5,10", "-m", "num_rel", "-m", "num_ret")
    message = run(*call, QRELS, path).stderr
    assert f"{path}: no interval for map, P_5, P_10 (all): all 5 topics have the same value\n" in message
    assert f"{path}: no interval for map, P_5, P_10 (all:one): all 3 topics have the same value\n" in message
    assert "no interval for map" not in run(*call, QRELS, BM25).stderr


def only(topics: list[str], path: Path, folder: Path) -> Path:
    """Return the judgments without other topics."""
    chosen = [line for line in path.read_text().splitlines(keepends=True) if line.split()[0] in topics]
    (folder / "of-group").write_text("".join(chosen))
    return folder / "of-group"


@pytest.mark.parametrize("version", ["9", "10"])
@pytest.mark.parametrize("options", [(), ("-c",), ("-c", "-l", "2"), ("-J",)], ids=" ".join)
def test_groups_as_trec_eval(groups: Path, tmp_path: Path, version: str, options: tuple[str, ...]) -> None:
    """The lines of a group are what trec_eval prints for judgments of its topics alone."""
    program = os.environ.get(f"TREC_EVAL_{version}")
    if not program:
        pytest.skip(f"TREC_EVAL_{version} names no program")
    result = lines_of(*options, "--compat", version, "--topic-groups", groups, "-m", "all_trec", QRELS, BM25)
    for group, topics in GROUPS.items():
        # Where a topic lacks results, trec_eval 10 averages nothing without -c, against its own help.
        refuses = version == "10" and "-c" not in options
        judged = only([topic for topic in topics if not (refuses and topic == "305")], QRELS, tmp_path)
        command = [program, *options, "-m", "all_trec", str(judged), str(BM25)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        theirs = {words[0]: words[2] for words in map(str.split, done.stdout.splitlines()) if words[0] != "runid"}
        ours = {measure: value for (topic, measure), value in result.items() if topic == f"all:{group}"}
        assert ours == theirs


def test_groups(groups: Path) -> None:
    """Groups have means and sums over their evaluated topics, and the number of these topics."""
    result = lines_of("--topic-groups", groups, "--ci", "80%", *MEASURES, QRELS, BM25)
    relevant = irevalx.evaluate(QRELS, BM25, "num_rel")
    for group, topics in GROUPS.items():
        values = of_topics("map", topics)
        assert result[f"all:{group}", "num_q"] == str(len(values))
        assert result[f"all:{group}", "map"] == f"{fmean(values):.4f}"
        assert [result[f"all:{group}:{end}", "map"] for end in ("low", "high")] == literal_ends(values, 0.8)
        each = dict(zip(relevant.topics(), relevant.per_topic("num_rel").tolist(), strict=True))
        assert result[f"all:{group}", "num_rel"] == str(int(sum(each.get(topic, 0) for topic in topics)))
    assert not any(topic.startswith("all:") and measure == "runid" for topic, measure in result)


def values_in(form: str, text: str) -> Iterator[tuple[str, str, str, float, Any, Any]]:
    """Yield run, topic, measure, value and interval of each row of a format for programs."""
    if form in {"csv", "tsv"}:
        for row in csv.DictReader(io.StringIO(text), delimiter="," if form == "csv" else "\t"):
            low, high = (float(row[end]) if row[end] else None for end in ("low", "high"))
            yield row["run"], row["topic"], row["measure"], float(row["value"]), low, high
    elif form == "jsonl":
        for line in text.splitlines():
            yield tuple(json.loads(line).values())
    else:
        for report in json.loads(text)["runs"]:
            for topic, group in (
                ("all", report),
                *((f"all:{name}", group) for name, group in report["groups"].items()),
            ):
                for measure, value in group["all"].items():
                    yield report["run"], topic, measure, value, group["low"].get(measure), group["high"].get(measure)


@pytest.mark.parametrize("form", ["csv", "tsv", "json", "jsonl"])
def test_formats_for_programs(groups: Path, form: str) -> None:
    """All formats contain equal values with all digits."""
    call = ("--topic-groups", groups, "--ci", "80%", *MEASURES, QRELS, BM25, DENSE)
    printed = run(*call, "--format", form).stdout.decode()
    values = {
        (name, topic, measure): (value, low, high)
        for name, topic, measure, value, low, high in values_in(form, printed)
    }
    lines = list(map(str.split, run(*call).stdout.decode().splitlines()))
    assert len(values) == len(
        [words for words in lines if words[0] != "runid" and not words[1].endswith(("low", "high"))]
    )
    scores = irevalx.evaluate(QRELS, [BM25, DENSE], ["num_rel", "map", "gm_map", "P.5"])
    by_group = scores.by_group({topic: [name for name in GROUPS if topic in GROUPS[name]] for topic in ALL})
    for topic, of_group in (("all", scores), *((f"all:{name}", of_group) for name, of_group in by_group.items())):
        for name in of_group.runs:
            for measure in ("map", "gm_map", "P_5"):
                ends = [None if math.isnan(end) else end for end in of_group.interval(measure, name, 0.8)]
                assert values[name, topic, measure] == (of_group[measure, name], *ends)
            assert values[name, topic, "num_rel"] == (of_group["num_rel", name], None, None)


def test_tables(groups: Path) -> None:
    """Each run and group has a row with the number of topics; intervals are in brackets after the mean."""
    printed = run("--topic-groups", groups, "--ci", "80%", "--format", "table", "-m", "map", QRELS, BM25, DENSE)
    rows = [line.split() for line in printed.stdout.decode().splitlines()]
    low, high = literal_ends(of_topics("map", GROUPS["easy"]), 0.8)
    assert rows[0] == ["run", "topic", "num_q", "map"]
    assert [row[:3] for row in rows[2:8]] == [
        [name, topic, number]
        for name in ("bm25", "dense")
        for topic, number in (("all", "4"), ("all:easy", "2"), ("all:hard", "3"))
    ]
    assert rows[3][3:] == [f"{fmean(of_topics('map', GROUPS['easy'])):.4f}", f"[{low},", f"{high}]*"]
    alone = run("--ci", "80%", "--format", "markdown", "-m", "map", QRELS, BM25).stdout.decode()
    low, high = literal_ends(of_topics("map", ALL), 0.8)
    assert f"| map   | {fmean(of_topics('map', ALL)):.4f} \\[{low}, {high}] |" in alone


@pytest.mark.parametrize("form", ["trec", "csv", "tsv", "json", "jsonl"])
def test_agree(groups: Path, tmp_path: Path, form: str) -> None:
    """irevalx-lab agree ignores intervals and groups."""
    call = ("-q", "-m", "runid", "-m", "map", "--format", form, QRELS, BM25, DENSE)
    for name, options in (("plain", ()), ("more", ("--ci", "80%", "--topic-groups", groups))):
        (tmp_path / name).write_bytes(run(*options, *call).stdout)
    plain, more = (lab("agree", tmp_path / "plain", tmp_path / name, "--format", "csv") for name in ("plain", "more"))
    assert (plain.status, more.status) == (0, 0), more.stderr
    assert plain.stdout == more.stdout != b""


def test_python() -> None:
    """Intervals of sums and unknown measures are errors, intervals of one topic are nan, and frames contain intervals."""
    scores = irevalx.evaluate(QRELS, BM25, ["map", "num_rel", "num_q"])
    for measure in ("num_rel", "num_q", "P_5"):
        with pytest.raises(KeyError):
            scores.interval(measure)
    assert all(map(math.isnan, scores.by_group({301: "one"})["one"].interval("map")))
    assert scores.by_group({"999": "none"}) == {}
    assert scores.by_group({"301": ["a", "b"], "302": "b"})["b"].topics() == ["301", "302"]
    nested = scores.by_group({"301": "b", "302": "b"})["b"].by_group({"302": "c", "303": "c"})["c"]
    assert nested.topics() == ["302"]
    with pytest.raises(ArgumentError, match="groups cannot be combined with the evaluation of a single topic"):
        irevalx.evaluate(QRELS, BM25, "map", topic=301).by_group({"301": "a"})
    wide = scores.to_frame(wide=True, confidence=0.8).iloc[0]
    assert (wide["map_low"], wide["map_high"]) == scores.interval("map", None, 0.8)
    assert "num_rel_low" not in wide
    long: Any = scores.to_frame(confidence=0.8).set_index(["topic", "measure"]).loc[("all", "map")]
    assert (long["low"], long["high"]) == scores.interval("map", None, 0.8)
