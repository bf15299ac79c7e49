"""Score files: every format that other programs write, and the messages about damaged files."""

from __future__ import annotations

import io
import json
import os
import subprocess
import warnings
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet
import pytest
from running import FIXTURES, lab, refusal, succeeded
from running import run as irevalx_command

import irevalx
import irevalx.lab
from irevalx.errors import InputError

QRELS, RUNS = FIXTURES / "experiment" / "qrels", sorted((FIXTURES / "experiment" / "runs").iterdir())
ORACLES = {version: os.environ.get(f"TREC_EVAL_{version}") for version in ("9", "10")}

VALUES = {
    "a": {"1": {"map": 0.5, "wer": 0.25}, "2": {"map": 0.25, "wer": 1.5}},
    "b": {"1": {"map": 0.125, "wer": 0.0}, "2": {"map": 1.0, "wer": 2.0}},
}
"""Values by run, topic and measure, which the files below contain."""

LONG = [
    (run, topic, measure, value)
    for run, topics in VALUES.items()
    for topic, measures in topics.items()
    for measure, value in measures.items()
]
WIDE = [
    {"run": run, "topic": topic, **measures} for run, topics in VALUES.items() for topic, measures in topics.items()
]


def separated(separator: str, *names: str) -> str:
    """Return the long rows as a table with these names."""
    return "".join(f"{separator.join(map(str, row))}\n" for row in [names, *LONG])


FILES = {
    "long csv": separated(",", "run", "topic", "measure", "value"),
    "blanks around fields": separated(" , ", "run", "topic", "measure", "value"),
    "other names": separated(";", "System", "query_id", "Metric", "score"),
    "long tsv": separated("\t", "run_id", "qid", "measure", "value"),
    "blanks": separated(" ", "runid", "topic", "measure", "value"),
    "byte-order mark": "\ufeff" + separated(",", "run", "topic", "measure", "value"),
    "wide csv": "topic,run,map,wer\n" + "".join(f"{r['topic']},{r['run']},{r['map']},{r['wer']}\n" for r in WIDE),
    "four columns": "".join(f"{run} {measure} {topic} {value}\n" for run, topic, measure, value in LONG)
    + "a map all 9\n",
    "long JSON lines": "".join(
        json.dumps(dict(zip(("run", "topic", "measure", "value"), row, strict=True))) + "\n" for row in LONG
    ),
    "wide JSON lines": "".join(
        json.dumps({"qid": row["topic"], "query": "text", **row}) + "\n" for row in WIDE
    ).replace('"topic"', '"topic_id"'),
    "JSON of irevalx": json.dumps({"runs": [{"run": run, "topics": topics} for run, topics in VALUES.items()]}),
    "trec_eval, one run after the other": "".join(
        f"runid all {run}\n"
        + "".join(f"{measure} {topic} {value}\n" for r, topic, measure, value in LONG if r == run)
        + "wer all 9\n"
        for run in VALUES
    ),
}
"""The same values in every format of text."""


def by_topic(scores: irevalx.Scores) -> dict[str, dict[str, dict[str, float | str]]]:
    """Return the values of topics."""
    return {
        run: {topic: dict(sorted(values.items())) for topic, values in topics.items() if topic != "all"}
        for run, topics in scores.to_dict().items()
    }


@pytest.mark.parametrize("text", FILES.values(), ids=FILES)
def test_text(text: str, tmp_path: Path) -> None:
    """Every format gives the same scores; the summary is the mean over topics, whatever the file has for all."""
    path = tmp_path / "file"
    path.write_text(text)
    scores = irevalx.Scores.read(path, lower_is_better="wer")
    assert by_topic(scores) == VALUES
    assert [scores["map", "a"], scores["wer", "b"]] == [0.375, 1.0]
    assert by_topic(irevalx.Scores.read(io.StringIO(text))) == VALUES


@pytest.mark.parametrize(
    "make", [pd.DataFrame, pl.DataFrame, lambda rows: pl.DataFrame(rows).lazy(), pa.Table.from_pylist]
)
def test_frames(make: Any, tmp_path: Path) -> None:
    """Frames of pandas, polars and pyarrow, and Parquet files, long and wide; topics can be integers."""
    long = [dict(zip(("run", "topic", "measure", "value"), row, strict=True)) for row in LONG]
    for rows in (long, WIDE, [{**row, "topic": int(str(row["topic"]))} for row in WIDE]):
        assert by_topic(irevalx.Scores.from_frame(make(rows))) == VALUES
        pyarrow.parquet.write_table(pa.Table.from_pylist(rows), tmp_path / "file.parquet")
        assert by_topic(irevalx.Scores.read(tmp_path / "file.parquet")) == VALUES
    columns = {name: [row[name] for row in WIDE] for name in WIDE[0]}
    assert by_topic(irevalx.Scores.from_frame(columns)) == VALUES


@pytest.mark.parametrize("keywords", [{}, {"wide": True, "per_topic": True}])
def test_frames_of_scores(keywords: dict[str, bool]) -> None:
    """What to_frame, to_polars and to_arrow return is read back."""
    scores = irevalx.evaluate(QRELS, RUNS, ["map", "P.5", "num_rel_ret"])
    for frame in (scores.to_frame(**keywords), scores.to_polars(**keywords), scores.to_arrow(**keywords)):
        assert irevalx.Scores.from_frame(frame).to_dict() == scores.to_dict()


def test_names_of_runs(tmp_path: Path) -> None:
    """A run without a name has the name of its file; a run in two files is one run if their measures differ."""
    files = [tmp_path / name for name in ("x.ndcgeval", "y.eval.gz", "z.csv")]
    files[0].write_text("map 1 0.5\nmap 2 0.5\n")
    import gzip

    files[1].write_bytes(gzip.compress(b"runid all x\nwer 1 0.5\nwer 2 True\n"))
    files[2].write_text("topic,map\n1,0\n")
    scores = irevalx.Scores.read(files)
    assert scores.runs == ["x", "z"]
    assert [scores["map", "x"], scores["wer", "x"], scores["map", "z"]] == [0.5, 0.75, 0.0]
    files[1].write_text("runid all x\nmap 1 0.25\n")
    with pytest.warns(irevalx.IrevalxWarning, match="2 runs have the tag 'x'; they are named x and y"):
        assert irevalx.Scores.read(files[:2]).runs == ["x", "y"]


def test_names_of_runs_in_several_leaderboards(tmp_path: Path) -> None:
    """Runs in two files with the same measures keep their names, after the names of the files."""
    files = [tmp_path / name for name in ("judge1.csv", "judge2.csv")]
    for file, value in zip(files, (0.5, 0.25), strict=True):
        file.write_text(f"run,topic,map\nb,1,{value}\na,1,{2 * value}\nonly-{file.stem},1,0\n")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        scores = irevalx.Scores.read(files)
    assert str(caught[-1].message) == (
        "2 runs have the tag 'b'; they are named judge1:b and judge2:b (2 tags occur several times; this is the most "
        "frequent); if the files are repeated evaluations of the same runs, compare their means with system_by '[^:]+$'"
    )
    assert {run: scores["map", run] for run in scores.runs} == {
        "judge1:a": 1.0,
        "judge2:a": 0.5,
        "judge1:b": 0.5,
        "judge2:b": 0.25,
        "only-judge1": 0.0,
        "only-judge2": 0.0,
    }
    other = tmp_path / "x" / "judge1.csv"
    other.parent.mkdir()
    other.write_text(files[0].read_text())
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert irevalx.Scores.read([files[0], other]).runs[:2] == [f"{file}:b" for file in (files[0], other)]
        assert "is given" not in str([line.message for line in caught])
        assert irevalx.Scores.read([files[0]] * 2).runs[:2] == [f"{files[0]}:b", f"{files[0]}#2:b"]
    assert f"{files[0]} is given 2 times, and each copy counts" in str([line.message for line in caught])


def test_groups_and_missing_values() -> None:
    """Empty fields of wide tables are missing; scores have topic groups; blanks in names of measures become _."""
    scores = irevalx.Scores.read(io.StringIO("run,topic,map,answer quality\na,1,0.5,\na,2,0.25,3\nb,1,1,1\n"))
    assert scores.to_dict()["a"] == {
        "1": {"map": 0.5},
        "2": {"map": 0.25, "answer_quality": 3.0},
        "all": {"map": 0.375, "answer_quality": 3.0},
    }
    assert scores.by_group({"1": "g"})["g"]["map", "a"] == 0.5


DAMAGED = {
    "run,topic,map\na,1,inf\n": ":2: invalid value 'inf' of map for topic '1': must be a 64-bit number that is not infinite; remove it if the topic has no value",
    "run,topic,map\na,1,0\na,1,0\n": ":3: duplicate value of map for run 'a' and topic '1'",
    "run,topic,map\na,,0\n": ":2: topic is empty",
    "run,topic\na,1\n": ":2: expected a table of measure values with a column topic, and either measure and value or a column per "
    "measure; a column run is optional; the columns are 'run', 'topic'",
    "run,topic,measure\na,1,map\n": ":2: expected a table of measure values with a column topic, and either measure and value or a "
    "column per measure; a column run is optional; the columns are 'run', 'topic', 'measure'",
    "system map\na 1\n": ":1: expected a line of trec_eval output with 3 columns (measure, topic, value): 'system map'; "
    "expected a table of measure values with a column topic, and either",
    "a map 1 0.5\nb map 1\n": ":2: expected 4 columns (run, measure, topic, value), but the line has 3: 'b map 1'",
    "1 0 FT911 1\n": ":1: expected a line of trec_eval output with 3 columns (measure, topic, value): '1 0 FT911 1': are these "
    "judgments? If so, give them and the runs in place of score files",
    '{"topic": 1, "map": [1]}\n': ":1: invalid value '[1]' of map for topic '1'",
    '{"run": "a", "topic": 1, "map": true}\n': ":1: invalid value 'true' of map for topic '1'",
    "run,topic,map\n": ": the file contains no measure values",
    "map 1 0.5\nmap all 0.5\nmap 1 0.2\n": ":1: no runid for these values; print it with irevalx -m runid",
}


@pytest.mark.parametrize(("text", "message"), DAMAGED.items())
def test_damaged_files(text: str, message: str, tmp_path: Path) -> None:
    """Messages name the file, the line, the field and the remedy."""
    path = tmp_path / "file"
    path.write_text(text)
    with pytest.raises(InputError) as error:
        irevalx.Scores.read(path)
    assert str(error.value).startswith(f"{path}{message}")
    result = lab("compare", "--scores", path, path)
    assert (result.status, result.stderr) == (2, f"irevalx-lab: {error.value}\n")


@pytest.mark.parametrize(("version", "program"), ORACLES.items())
def test_output_of_trec_eval(version: str, program: str | None, tmp_path: Path) -> None:
    """The output of trec_eval -q gives the same comparison as judgments and runs; these values have four decimals."""
    if program is None:
        pytest.skip(f"TREC_EVAL_{version} names no program")
    measures = ["P.5,10", "num_rel_ret", "success.5"]
    files = []
    for run in RUNS:
        requests = [word for name in measures for word in ("-m", name)]
        words = [program, "-q", *requests, "-m", "runid", str(QRELS), str(run)]
        files.append(tmp_path / f"{run.name}.eval")
        files[-1].write_bytes(subprocess.run(words, check=True, capture_output=True).stdout)
    options: tuple[str, ...] = ("--seed", "1", "--format", "csv", "--quiet")
    of_files = succeeded("compare", "--scores", *files, *options).rows
    of_runs = succeeded("compare", QRELS, *RUNS, "-m", " ".join(measures), *options).rows
    unknown = {"judged_among_retrieved", "judged_among_retrieved_against", "depends_on_unjudged"}
    assert [
        {name: value for name, value in row.items() if name not in unknown} for row in sorted(of_files, key=str)
    ] == [{name: value for name, value in row.items() if name not in unknown} for row in sorted(of_runs, key=str)]
    for command in (("power",), ("swap-rate", "--seed", "1", "--sizes", "2", "--draws", "50")):
        options = (*command[1:], "--format", "csv", "--quiet")
        of_scores = succeeded(command[0], "--scores", *files, "-m", "P_5 P_10", *options)
        assert of_scores.stdout == succeeded(command[0], QRELS, *RUNS, "-m", "P.5,10", *options).stdout


def test_directions(tmp_path: Path) -> None:
    """A note names the measures whose direction is assumed; a gate uses the direction that was given."""
    path = tmp_path / "scores.csv"
    rows = [f"{run},{topic},{value},{0.5 + value / 10}" for run, value in (("a", 1), ("b", 3)) for topic in range(9)]
    path.write_text("\n".join(["run,topic,wer,map", *rows]))
    words = ("gate", "--scores", path, "-m", "wer map", "--baseline", "a", "--margin", "0.1")
    gates = {
        option: irevalx.lab.gate(
            irevalx.Scores.read(path, lower_is_better=option), measures="wer map", baseline="a", margin=0.1
        )
        for option in ((), "wer")
    }
    assert [row.verdict for row in gates[()].rows] == ["not worse", "not worse"]
    assert [row.verdict for row in gates["wer"].rows] == ["worse", "not worse"]
    assert "Assumed: higher values of wer are better." in lab(*words).stdout.decode()
    lower = lab(*words, "--lower-is-better", "wer")
    assert lower.status == 3
    assert "Assumed" not in lower.stdout.decode()


def test_missing_topics(tmp_path: Path) -> None:
    """Missing topics are left out, or count as 0 with -c unless 0 is the best value; a baseline can be a file."""
    files = [tmp_path / name for name in ("a.csv", "b.csv")]
    for path, n_topics in zip(files, (6, 5), strict=True):
        path.write_text("topic,map,wer\n" + "".join(f"{topic},0.{topic},0.{topic}\n" for topic in range(n_topics)))
    result = lab("compare", "--scores", *files, "-m", "map", "--baseline", files[1], "--format", "csv")
    topics = (
        "topics (topics for which every run has results); topics without results, by run: b 1 (-c counts them as 0)"
    )
    assert result.stderr.startswith(f"irevalx-lab: 5 of 6 {topics}\n")
    [row] = result.rows
    assert (row["run"], row["against"], float(row["difference"])) == ("a", "b", 0)
    [row] = lab("compare", "--scores", *files, "-m", "map", "-c", "--format", "csv").rows
    assert float(row["difference"]) == pytest.approx(0.5 / 6)
    message = refusal("compare", "--scores", *files, "-c", "--lower-is-better", "wer", "--quiet", status=2)
    assert message == (
        "irevalx-lab: b has no value of wer for topic '5', which cannot count as 0: that is the best value; leave out -c, or "
        "add the values\n"
    )
    (tmp_path / "c.csv").write_text("topic,map\n9,1\n")
    nothing = refusal("compare", "--scores", files[0], tmp_path / "c.csv", "--quiet", status=7)
    assert nothing == (
        "irevalx-lab: no topic has values of every run; for example, 'c' has no value for topic '0' of 'a'\n"
    )


def test_measures_of_some_runs(tmp_path: Path) -> None:
    """A measure that a run lacks is left out with a warning; if it is requested, that is an error."""
    path = tmp_path / "scores.csv"
    path.write_text("run,topic,measure,value\n" + "a,1,P_5,1\na,2,P_5,1\nb,1,P_5,0\nb,2,P_5,0\na,1,wer,1\n")
    done = lab("compare", "--scores", path, "--format", "csv")
    assert [row["measure"] for row in done.rows] == ["P_5"]
    assert done.stderr.startswith("irevalx-lab: wer is left out: 'b' has no values of it\n")
    message = "irevalx-lab: 'b' has no values of the measure 'wer', which other runs have\n"
    assert refusal("compare", "--scores", path, "-m", "wer", status=1) == message
    path.write_text("run,topic,measure,value\n" + "a,1,wer,1\na,2,wer,1\nb,1,cer,0\nb,2,cer,0\n")
    assert refusal("compare", "--scores", path, status=1) == (
        "irevalx-lab: wer is left out: 'b' has no values of it\n"
        "irevalx-lab: cer is left out: 'a' has no values of it\n"
        "irevalx-lab: the runs have no measure with values by topic in common; use the same name of the measure for all "
        "runs\n"
    )


def measures_and_note(*words: str | Path) -> tuple[list[str], str]:
    """Return the measures of the rows of a command, and the notes on them."""
    tables = json.loads(lab(*words, "--quiet", "--format", "json").stdout)
    notes = [note for note in tables.pop("about")["notes"] if "measures" in note]
    return list(dict.fromkeys(row["measure"] for row in next(iter(tables.values())))), " ".join(notes)


def test_default_measures(tmp_path: Path) -> None:
    """The default measures of the command are used if the file contains them, otherwise all; a note lists the others."""
    scores = {name: str(tmp_path / f"{name}.csv") for name in ("default", "other", "single", "lower")}
    columns = {"default": "P_5,map,wer,bpref", "other": "P_5,wer", "single": "wer", "lower": "seconds,P_5,map"}
    for name, path in scores.items():
        n_columns = columns[name].count(",") + 1
        rows = [",".join([run, str(t), *[str((t * (n + 2) + (run == "a")) % 7 / 7) for n in range(n_columns)]])
                for run in "ab" for t in range(12)]  # fmt: skip
        Path(path).write_text("\n".join([f"run,topic,{columns[name]}", *rows]))
    swaps = ("swap-rate", "--seed", "1", "--sizes", "2", "--scores")
    for command in (("compare", "--scores"), ("power", "--scores")):
        assert measures_and_note(*command, scores["default"]) == (
            ["map"],
            "By default, only map is used; -m selects other measures of the scores: P_5, wer and bpref.",
        )
        assert measures_and_note(*command, scores["default"], "-m", "wer P_5")[0] == ["wer", "P_5"]
        assert measures_and_note(*command, scores["other"]) == (
            ["P_5", "wer"],
            "The scores do not contain the default measure map; all their measures are used (-m selects some of them).",
        )
        assert measures_and_note(*command, scores["single"]) == (["wer"], "")
        lower = measures_and_note(*command, scores["lower"], "--lower-is-better", "seconds")
        assert lower == (
            ["map", "seconds"],
            "By default, only map and seconds are used; -m selects other measures of the scores: P_5.",
        )
    assert measures_and_note(*swaps, scores["default"]) == (
        ["map", "bpref"],
        "By default, only map and bpref are used; -m selects other measures of the scores: P_5 and wer.",
    )
    assert measures_and_note(*swaps, scores["other"])[1].startswith(
        "The scores contain none of the default measures (map,"
    )
    page = tmp_path / "page.json"
    succeeded("report", "--scores", scores["default"], "-o", page)
    report = json.loads(page.read_text())
    note = "By default, only map is used; -m selects other measures of the scores: P_5, wer and bpref."
    assert ([of["name"] for of in report["measures"]], report["findings"][-1]) == (["map"], note)
    succeeded("report", "--scores", scores["other"], "-o", page)
    report = json.loads(page.read_text())
    assert [of["name"] for of in report["measures"]] == ["P_5", "wer"]
    assert report["findings"][-1].startswith(
        "The scores contain none of the default measures (map, ndcg@10, judged@10)"
    )
    shares = tmp_path / "shares.csv"
    shares.write_text("run,topic,judged_10,wer\n" + "".join(f"{run},{t},0.5,{t}\n" for run in "xy" for t in range(3)))
    succeeded("report", "--scores", shares, "-o", page)
    report = json.loads(page.read_text())
    assert [of["name"] for of in report["measures"]] == ["judged_10", "wer"]
    assert report["findings"][-1].startswith("The scores contain none of the default measures (map, ndcg@10);")
    every = measures_and_note("agree", "--scores", scores["default"], scores["default"])
    assert every == (["P_5", "map", "wer", "bpref"], "")
    for words in (("agree", "--scores"), ("agree",)):
        selected = measures_and_note(*words, scores["default"], scores["default"], "-m", "wer P@5")
        assert selected == (["wer", "P_5"], "")
    assert refusal("agree", scores["default"], scores["default"], "-m", "cer") == (
        "irevalx-lab: the evaluations do not contain the measure 'cer'; they contain P_5 map wer bpref\n"
    )
    read = irevalx.Scores.read(scores["default"])
    assert irevalx.lab.agree(read, read, measures="wer").to_frame()["measure"].to_list() == ["wer"]
    assert [row.measure for row in irevalx.lab.compare(read).rows] == ["map"]
    evaluated = irevalx.evaluate(QRELS, RUNS[:2], ["P.5", "map"])
    assert {row.measure for row in irevalx.lab.compare(evaluated).rows} == {"map", "P_5"}


def test_options_of_runs_with_scores(tmp_path: Path) -> None:
    """-M requires rankings, which score files do not contain."""
    path = tmp_path / "scores.csv"
    path.write_text("run,topic,map\n" + "".join(f"{run},{t},0.{t}\n" for run in "ab" for t in range(9)))
    for command in ("compare", "power", "swap-rate", "agree"):
        message = refusal(command, "--scores", path, path, "-M", "10", status=1)
        assert message == "irevalx-lab: --scores cannot be combined with -M\n"


def test_unknown_measures_of_many(tmp_path: Path) -> None:
    """Of many measures, the message lists those with similar names."""
    path = tmp_path / "scores.csv"
    names = [f"P_{k}" for k in range(1, 40)] + ["recall_5", "recall_10"]
    rows = [",".join([run, str(topic), *["0.5"] * len(names)]) for run in "ab" for topic in range(6)]
    path.write_text("\n".join([",".join(["run", "topic", *names]), *rows]) + "\n")
    message = refusal("compare", "--scores", path, "-m", "recal_5")
    assert "scores do not contain the measure 'recal_5'; the most similar names are recall_5" in message
    assert "P_39" not in message


def test_other_names_of_measures(tmp_path: Path) -> None:
    """A column can have another name of a known measure; it is found by every name, and is the default measure."""
    path = tmp_path / "scores.csv"
    rows = [f"{run},{topic},0.{topic},{value}" for run, value in (("a", 0.5), ("b", 0.25)) for topic in range(9)]
    path.write_text("\n".join(["run,topic,P@10,AP", *rows]))
    assert measures_and_note("compare", "--scores", path)[0] == ["AP"]
    assert measures_and_note("compare", "--scores", path, "-m", "map P_10")[0] == ["AP", "P@10"]
    assert irevalx.Scores.read(path)["map", "a"] == 0.5


def test_files_of_other_kinds(tmp_path: Path) -> None:
    """A run in place of a score file is recognised, and agree names the score file that lacks a run."""
    message = refusal("compare", "--scores", RUNS[0], RUNS[1], status=2)
    assert message.endswith("is this a run? If so, give the judgments and the runs in place of score files\n")
    output = tmp_path / "a.eval"
    output.write_bytes(irevalx_command("-q", "-m", "map", QRELS, RUNS[0]).stdout)
    for command in ("compare", "power", "report"):
        assert refusal(command, output) == (
            f"irevalx-lab: missing argument RUN: {output} is the output of trec_eval or irevalx; read score files with "
            f"--scores (see irevalx-lab {command} -h)\n"
        )
        assert refusal(command, QRELS) == f"irevalx-lab: missing argument RUN (see irevalx-lab {command} -h)\n"
    output.write_text('{"run": "a", "topic": 1, "map": 0.5, "map": 0.6}\n')
    message = refusal("compare", "--scores", output, status=2)
    assert message == f"irevalx-lab: {output}:1: the field 'map' occurs twice; keep one of them\n"
    paths = [tmp_path / "x.csv", tmp_path / "y.csv"]
    for path, runs in zip(paths, ("ab", "bc"), strict=True):
        path.write_text("run,topic,map\n" + "".join(f"{run},{t},0.{t}\n" for run in runs for t in range(9)))
    assert f"; {paths[0]} does not contain 'c'" in refusal("agree", "--scores", *paths, status=2)
