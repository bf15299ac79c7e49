"""Score files as evaluations: formats, damaged files, pairs of evaluations."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from examples.experiment import QRELS, RUNS
from running import lab, run, succeeded

from irevalx.errors import InputError
from irevalx.lab.agreement.evaluations import EvaluatedRuns, pair_values
from irevalx.lab.agreement.paired_evaluations import Intervals, PairedEvaluations
from irevalx.reading.sources.files import Source
from irevalx.statistics.bootstrap import TopicDraws

MEASURES = {
    "qrels": ("map", "infAP", "indAP"),
    "sampled": ("xinfAP", "infNDCG", "iP.10", "inum_rel"),
    "prels": ("statAP", "statP.10"),
}


def rows_of(*args: str | Path) -> dict[str, dict[str, Any]]:
    """Return the rows of agree by measure."""
    done = succeeded("agree", *args, "--format", "jsonl")
    return {row["measure"]: row for row in map(json.loads, done.stdout.splitlines())}


def scored(path: Path, rel_format: str, qrels: Path) -> Path:
    """Write the values that irevalx prints for all runs, and return their path."""
    requested = [word for measure in MEASURES[rel_format] for word in ("-m", measure)]
    path.write_bytes(run("-c", "-q", "--format", "csv", "-R", rel_format, *requested, qrels, *RUNS).stdout)
    return path


@pytest.fixture
def files(tmp_path: Path) -> dict[str, dict[str, Path]]:
    """Full judgments and a sample of them, in each format."""
    args: list[str | Path] = [QRELS, *RUNS, "--strata", "depth 1-5:100% 6-20:50% rest:20%", "--seed", "1", "--as"]
    lines = [line.split() for line in QRELS.read_text().splitlines()]
    names = {side: {form: tmp_path / f"{side}.{form}" for form in MEASURES} for side in ("full", "drawn")}
    names["full"]["qrels"].write_bytes(QRELS.read_bytes())
    names["full"]["sampled"].write_text("".join(f"{t} {i} {d} 1 {g}\n" for t, i, d, g in lines))
    names["full"]["prels"].write_text("".join(f"{t} {d} {g} 1 1\n" for t, _, d, g in lines))
    for form in ("sampled", "prels"):
        names["drawn"][form].write_bytes(lab("degrade", *args, form).stdout)
    drawn = [line.split() for line in names["drawn"]["sampled"].read_text().splitlines()]
    names["drawn"]["qrels"].write_text("".join(f"{t} {i} {d} {g}\n" for t, i, d, _, g in drawn))
    return names


def test_measures_of_every_kind(files: dict[str, dict[str, Path]], tmp_path: Path) -> None:
    """Each measure is compared as in an evaluation of its own format."""
    every = " ".join(measure for of_format in MEASURES.values() for measure in of_format)
    result = rows_of("-R", "sampled", files["full"]["qrels"], files["drawn"]["sampled"], *RUNS, "-m", every)
    expected: dict[str, dict[str, Any]] = {}
    for form in MEASURES:
        sides = [scored(tmp_path / f"{side}.csv", form, files[side][form]) for side in ("full", "drawn")]
        expected |= rows_of(*sides)
    assert {name: result[name] for name in expected} == expected
    assert len(result) == len(expected)


def test_qrels_are_a_sample_of_one_stratum(files: dict[str, dict[str, Path]], tmp_path: Path) -> None:
    """Judgments in the format qrels, also incomplete ones, are a sample with a single stratum."""
    (tmp_path / "tenth").write_bytes(lab("degrade", QRELS, "--uniform", "30%", "--seed", "1").stdout)
    lines = [line.split() for line in (tmp_path / "tenth").read_text().splitlines()]
    (tmp_path / "sampled").write_text("".join(f"{t} {i} {d} only {g}\n" for t, i, d, g in lines))
    args: list[str | Path] = [*RUNS, "-m", "xinfAP statAP infAP"]
    assert rows_of("-R", "sampled", QRELS, tmp_path / "tenth", *args) == rows_of(
        "-R", "sampled", files["full"]["sampled"], tmp_path / "sampled", *args
    )


def test_estimates_against_average_precision(files: dict[str, dict[str, Path]]) -> None:
    """--against compares estimates with AP under full judgments."""
    args: list[str | Path] = [files["full"]["qrels"], files["drawn"]["sampled"], *RUNS]
    result = rows_of("-R", "sampled", *args, "-m", "map infAP xinfAP statAP", "--against", "map")
    assert list(result) == ["map", "infAP", "xinfAP", "statAP"]
    assert min(result, key=lambda name: result[name]["rms"]) in {"xinfAP", "statAP"}


SCORED_RUNS = ("a", "b", "c")


def scoring(
    values: dict[str, dict[str, list[float]]], *, summary: float | None = None, first: int = 1
) -> EvaluatedRuns:
    """Return scores by run and measure with numbered topics and, if given, one summary for all."""
    lines = ["run,topic,measure,value"]
    for name, measures in values.items():
        for measure, of_topics in measures.items():
            lines += [f"{name},{topic},{measure},{value}" for topic, value in enumerate(of_topics, start=first)]
            lines += [] if summary is None else [f"{name},all,{measure},{summary}"]
    return EvaluatedRuns.read(Source("file", "\n".join(lines).encode()))


def intervals(paired: PairedEvaluations) -> Intervals:
    """Return intervals from 99 resamples of the topics."""
    return paired.intervals(TopicDraws.of(paired.n_topics, 99))


def random_values(seed: int, measure: str, n_topics: int) -> dict[str, dict[str, list[float]]]:
    """Return random values of three runs."""
    random = np.random.default_rng(seed)
    return {run: {measure: np.round(random.random(n_topics), 3).tolist()} for run in SCORED_RUNS}


def test_summaries_of_equal_topics() -> None:
    """Summaries of files with equal topics are used with the digits in the file."""
    x, y = random_values(1, "map", 6), random_values(2, "map", 6)
    [result] = pair_values(scoring(x, summary=0.5), scoring(y, summary=0.25), warn=pytest.fail)
    assert np.array(result.scores).tolist() == [[0.5] * 3, [0.25] * 3]


def test_common_topics() -> None:
    """Scores, tests and intervals use the common topics only."""
    x, y = random_values(1, "map", 30), random_values(2, "map", 30)
    messages: list[str] = []
    [result] = pair_values(scoring(x, summary=0.5), scoring(y, summary=0.25, first=6), warn=messages.append)
    assert messages == ["10 of 35 topics are left out: some run has no value for them in one of the evaluations"]
    cut_x = {run: {"map": of["map"][5:]} for run, of in x.items()}
    cut_y = {run: {"map": of["map"][:25]} for run, of in y.items()}
    [expected] = pair_values(scoring(cut_x), scoring(cut_y), warn=pytest.fail)
    assert np.array(result.scores).tolist() == np.array(expected.scores).tolist()
    assert (result.changed, intervals(result)) == (expected.changed, intervals(expected))
    assert result.scores[0].tolist() == pytest.approx([np.mean(of["map"]) for of in cut_x.values()])


def test_summaries_without_topics() -> None:
    """gm_map without values by topic is left out if the evaluations have different topics."""
    x, y = random_values(1, "map", 6), random_values(2, "map", 6)
    for side in (x, y):
        for of in side.values():
            of["gm_map"] = []
    messages: list[str] = []
    same = pair_values(scoring(x, summary=0.5), scoring(y, summary=0.5), warn=pytest.fail)
    assert [pair.measure for pair in same] == ["map", "gm_map"]
    [result] = pair_values(scoring(x, summary=0.5), scoring(y, summary=0.5, first=2), warn=messages.append)
    assert result.measure == "map"
    assert messages[0] == "gm_map is left out: it has no values by topic, and the evaluations differ in their topics"
    unknown = {run: {"gm_map": of["gm_map"]} for run, of in y.items()}
    assert len(pair_values(scoring(x, summary=0.5), scoring(unknown, summary=0.5), warn=messages.append)) == 1


def test_missing_values() -> None:
    """A topic without a value for one run is left out for all runs."""
    x, y = random_values(1, "map", 5), random_values(2, "map", 5)
    x["b"]["map"][1] = math.nan
    y["c"]["map"].pop()
    messages: list[str] = []
    [result] = pair_values(scoring(x), scoring(y), warn=messages.append)
    assert messages == ["2 of 5 topics are left out: some run has no value for them in one of the evaluations"]
    assert result.values[0].tolist() == [[of["map"][topic] for topic in (0, 2, 3)] for of in x.values()]


def test_no_common_topic() -> None:
    """Evaluations without a common topic are refused."""
    messages: list[str] = []
    with pytest.raises(InputError, match="the two evaluations have no measure in common"):
        pair_values(
            scoring(random_values(1, "map", 3)), scoring(random_values(2, "map", 3), first=9), warn=messages.append
        )
    assert messages == ["map is left out: the evaluations have no topic in common"]


def test_different_measures() -> None:
    """Two different measures have correlations but neither changed runs nor decisions."""
    x, y = random_values(1, "map", 30), random_values(2, "infAP", 30)
    y["a"]["map"] = x["a"]["map"]
    y["b"]["map"] = [value + 0.1 for value in x["b"]["map"]]
    y["c"]["map"] = x["c"]["map"]
    across, other = pair_values(scoring(x), scoring(y), "map")
    assert (across.measure, across.against, across.are_tested, across.changed, across.reversed_pairs) == (
        "infAP",
        "map",
        False,
        None,
        [],
    )
    assert intervals(across)
    assert (other.measure, other.changed) == ("map", 1 / 3)
    assert other.are_tested


def test_geometric_means_and_sums() -> None:
    """Missing summaries of counts are sums; those of geometric means are computed from logarithms."""
    values = {"a": [0.5, 0.0], "b": [0.25, 0.1], "c": [0.3, 0.3]}
    for measure, expected in (("gm_map", [0.002236, 0.158114, 0.3]), ("num_rel_ret", [0.5, 0.35, 0.6])):
        evaluation = scoring({run: {measure: of} for run, of in values.items()})
        [result] = pair_values(evaluation, evaluation)
        assert result.scores[0].tolist() == pytest.approx(expected, abs=1e-6)
        [low, high] = intervals(result)["rms"]
        assert low == high == 0


HEAD = "run,topic,measure,value\n"


def as_csv(value: str) -> str:
    """Return scores of three runs for two topics as CSV; one score is this text."""
    rows = [f"{run},{topic},map,{value if run + topic == 'a1' else '0.5'}" for run in "abc" for topic in ("1", "all")]
    return HEAD + "\n".join(rows) + "\n"


def as_lines(value: str) -> str:
    """Return the same scores as JSON lines."""
    rows = (f'{{"run": "{run}", "topic": "all", "measure": "map", "value": {value}}}' for run in "abc")
    return "\n".join(rows) + "\n"


def as_trec_eval(value: str) -> str:
    """Return the same scores in trec_eval's format."""
    return "".join(f"runid all {run}\nmap 1 {value}\nmap all 0.5\n" for run in "abc")


def as_object(value: str) -> str:
    """Return the same scores as irevalx --format json prints them."""
    runs = (f'{{"run": "{run}", "topics": {{"1": {{"map": {value}}}}}, "all": {{"map": 0.5}}}}' for run in "abc")
    return f'{{"runs": [{",".join(runs)}]}}'


NO_NUMBERS = ("true", "1_0", "1" * 400, "1e99999999%", "1e400", "inf", "Infinity", "-inf", "\u0660.\u0665", "0.5x")


def damaged() -> Iterator[tuple[str, str]]:
    """Yield damaged texts and the messages about them."""
    number = "invalid value '"
    for value in NO_NUMBERS:
        yield as_csv(value), f":2: {number}{value[:20]}"
        yield as_trec_eval(value), f":2: {number}{value[:20]}"
        yield as_lines(json.dumps(value)), f":1: {number}"
        yield as_object(json.dumps(value)), f":1: {number}"
    for value in ("true", "[1]", "{}", "Infinity", "-Infinity", "1e400", "1" * 400):
        yield as_lines(value), f":1: {number}"
        yield as_object(value), f":1: {number}"
    columns = "run, topic, measure, value"
    another = ": expected one JSON object per line with the topic, the measure and the value, the output of irevalx --format json, "
    yield HEAD + "a,1,map," + "1" * 200_000 + "\n", ":2: invalid CSV: field larger"
    yield HEAD + "a" * 200_000 + ",1,map,1\n", ":2: invalid CSV: field larger"
    yield HEAD + "a,1,map\n", f":2: expected 4 columns ({columns}), but the line has 3: 'a,1,map'"
    yield HEAD + "a,1,map,1,2\n", f":2: expected 4 columns ({columns}), but the line has 5: 'a,1,map,1,2'"
    yield (
        '{"run": 5, "topic": "1", "measure": ["map"], "value": 1}',
        ":1: measure must be a string or an integer, not",
    )
    yield as_lines("1") + "[" * 100_000, f":4: expected a JSON object with {columns}: '[[["
    yield '{"runs": ' + "[" * 100_000, another
    yield '{"a":' * 100_000, another
    yield as_lines("1" * 5000), another
    yield '{"runs": {"a": 1}}', another
    yield '{"runs": [{"run": ["a"], "all": {"map": 1}}]}', ":1: run must be a string or an integer, not"
    yield "[" * 100_000, ":1: expected a line of trec_eval output with 3 columns (measure, topic, value): '[[["
    yield "runid all a\nmap all\n", ":2: expected a line of trec_eval output with 3 columns"
    yield "runid all a\nmap all 1 2\n", ":2: expected a line of trec_eval output with 3 columns"


@pytest.mark.parametrize(("text", "message"), list(damaged()))
def test_damaged_files(text: str, message: str, tmp_path: Path) -> None:
    """Each damaged file is refused with status 2 and one line, whichever file it is."""
    good, bad = tmp_path / "good", tmp_path / "bad"
    good.write_text(as_csv("0.4"))
    bad.write_text(text)
    for files in ((good, bad), (bad, good)):
        result = lab("agree", *files)
        assert (result.status, result.stdout) == (2, b"")
        assert result.stderr.startswith(f"irevalx-lab: {bad}{message}")
        assert result.stderr.count("\n") == 1


@pytest.mark.parametrize("value", ["0.4", "4e-1", "+.4", "0.4000", "nan", "-nan"])
def test_number_formats(value: str, tmp_path: Path) -> None:
    """A score is the same in every notation; nan is a missing value."""
    for write in (as_csv, as_trec_eval, lambda value: as_object(json.dumps(value))):
        files = [tmp_path / name for name in ("as_given", "plain")]
        for path, text in zip(files, (value, "nan" if "nan" in value else "0.4"), strict=True):
            path.write_text(write(text))
        results = [lab("agree", path, path, "--format", "csv") for path in files]
        assert results[0].stdout == results[1].stdout
        assert results[0].status == results[1].status == (2 if "nan" in value else 0)


def test_control_characters_are_escaped(tmp_path: Path) -> None:
    """Names of measures and runs are escaped in messages and displayed tables."""
    measure, run = "\x1b[31mmap", "\x1b[2Jb"
    rows = [
        f"{name},{topic},{name_of_measure},0.{place + 1}"
        for place, name in enumerate(("a", run, "c"))
        for name_of_measure, topic in ((measure, "1"), (measure, "2"), ("P_5", "5"))
    ]
    x, y, z = (tmp_path / name for name in "xyz")
    x.write_text(HEAD + "\n".join(rows) + "\n")
    y.write_text(HEAD + "\n".join(row.replace(",2,", ",3,").replace(",1,", ",4,") for row in rows) + "\n")
    z.write_text(HEAD + "\n".join(rows[:6]) + "\n")
    warned, failed = lab("agree", x, y), lab("agree", x, z, "--against", measure)
    assert warned.status == 0
    assert "\\x1b[31mmap" in warned.stderr
    assert failed.status
    for result in (warned, failed):
        assert "\x1b" not in result.stderr
        assert b"\x1b" not in result.stdout
