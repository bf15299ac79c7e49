"""Score files of other programs: summary rows, the order of columns, tables by system, and what a table has besides."""

from __future__ import annotations

import io
import json
import os
import subprocess
import warnings
from collections.abc import Iterable, Mapping, Sequence
from itertools import permutations
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from running import FIXTURES, lab, refusal, succeeded
from running import run as irevalx_command

import irevalx
import irevalx.lab
from irevalx.errors import InputError

A, B = (0.5, 0.4, 0.6, 0.3, 0.8), (0.42, 0.38, 0.45, 0.31, 0.62)
"""Values of two runs for five topics; their means are 0.52 and 0.436."""

P_VALUE = 0.0823
"""The p-value of Student's paired t test of A and B."""


def read(*texts: str, **options: Any) -> tuple[irevalx.Scores, list[str]]:
    """Read score files, and return the warnings too."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        scores = irevalx.Scores.read([io.StringIO(text) for text in texts], **options)
    return scores, [str(line.message) for line in caught]


def values_of(scores: irevalx.Scores, measure: str) -> dict[str, list[float]]:
    """Return the values of topics by run."""
    return {run: scores.per_topic(measure, run).tolist() for run in scores.runs}


def table(rows: Iterable[Sequence[object]], separator: str = ",") -> str:
    """Return rows as lines."""
    return "".join(separator.join(map(str, row)) + "\n" for row in rows)


def compared(tmp_path: Path, files: Mapping[str, str], *words: str) -> tuple[list[dict[str, str]], str]:
    """Return the rows of compare --scores and the messages."""
    paths = [tmp_path / name for name in files]
    for path, text in zip(paths, files.values(), strict=True):
        path.write_text(text)
    done = lab("compare", "--scores", *paths, *words, "--format", "csv")
    return done.rows, done.stderr


# -- Summary rows


@pytest.mark.parametrize("name", ["all", "ALL", "amean", "Amean", "average", "AVG", "mean", "Mean"])
def test_names_of_summaries(name: str, tmp_path: Path) -> None:
    """Rows with these names are no topics, in tables and in lines."""
    files = {
        f"{run}.csv": table([("runid", "topic", "ndcg@20"), *((run, t, v) for t, v in enumerate(values)), (run, name, sum(values) / 5)])
        for run, values in {"a": A, "b": B}.items()
    }  # fmt: skip
    [row], messages = compared(tmp_path, files)
    assert (round(float(row["p"]), 4), round(float(row["difference"]), 4), messages) == (P_VALUE, 0.084, "")
    lines = "".join(f"map {topic} {value}\n" for topic, value in [*enumerate(A), (name, 0.52)])
    assert values_of(read(lines)[0], "map") == {"<StringIO>": [*A]} or len(read(lines)[0].topics()) == 5


@pytest.mark.parametrize(("name", "digits"), [("overall", 4), ("overall", 17), ("999", 4), ("Total", 2)])
def test_rows_of_means(name: str, digits: int) -> None:
    """A row of means with any name is left out with one line, and becomes the summary."""
    a, b = ([round(value / (1 if name == "Total" else 1.7), 4) for value in values] for values in (A, B))
    runs = {"a": (*a, round(sum(a) / 5, digits)), "b": (*b, round(sum(b) / 5, digits))}
    topics = [*range(5), name]
    rows = [(run, topic, value) for run, values in runs.items() for topic, value in zip(topics, values, strict=True)]
    line = f"the topic '{name}' is left out: for all runs and measures, its values are the means of the other topics"
    scores, messages = read(table([("run", "topic", "wer"), *rows]))
    assert (values_of(scores, "wer"), messages) == ({"a": a, "b": b}, [line])
    halves = [table([("run", "topic", "wer"), *(row for row in rows if row[0] == run)]) for run in "ab"]
    assert read(*halves)[1] == [line]
    frame = pd.DataFrame(rows, columns=["run", "topic", "wer"]).astype({"topic": str})
    with pytest.warns(irevalx.IrevalxWarning, match="left out"):
        assert values_of(irevalx.Scores.from_frame(frame), "wer") == {"a": a, "b": b}


TOPICS = {
    "equal values": {"a": (0.5,) * 6, "b": (0.25,) * 6},
    "labels from 1 to 5": {"a": (1, 5, 3, 2, 4, 3), "b": (2, 4, 3, 5, 1, 3)},
    "few topics": {"a": (0.2501, 0.7503, 0.5002), "b": (0.1, 0.2, 0.15)},
    "not of every run": {"a": (*A, 0.52), "b": (*B, 0.437)},
    "the mean of a single run, which can be chance": {"a": (0.1234, 0.9571, 0.3322, 0.4709)},
}


@pytest.mark.parametrize("runs", TOPICS.values(), ids=TOPICS)
def test_topics_like_means(runs: Mapping[str, Sequence[float]]) -> None:
    """Topics remain if the values of some run are not the means, or if they can be equal by chance."""
    rows = [(run, topic, value) for run, values in runs.items() for topic, value in enumerate(values)]
    scores, messages = read(table([("run", "topic", "wer"), *rows]))
    assert (values_of(scores, "wer"), messages) == ({run: [*values] for run, values in runs.items()}, [])


# -- Lines without a header

ROWS = [(run, t, m, v / (1 + i)) for run, of in (("a", A), ("b", B)) for t, v in enumerate(of, 1) for i, m in enumerate(("AP", "wer"))]  # fmt: skip
"""Run, topic, measure and value."""

ORDERS = {
    "run, topic, measure, tabs": table(ROWS, "\t"),
    "run, topic, measure, commas": table(ROWS),
    "run, topic, measure, blanks": table(ROWS, " "),
    "run, measure, topic": table([(r, m, t, v) for r, t, m, v in ROWS], " "),
    "run, judgments, measure, topic": table([(r, "qrels", m, t, v) for r, t, m, v in ROWS], " "),
    "run, judgments, topic, measure": table([(r, "qrels", t, m, v) for r, t, m, v in ROWS], "\t"),
    "integer values": table([(r, t, m, v) for r, t, m, v in ROWS if m == "AP"] + [("a", 9, "num_ret", 1)], " "),
}


@pytest.mark.parametrize("text", ORDERS.values(), ids=ORDERS)
def test_order_of_columns(text: str) -> None:
    """The content shows which columns contain runs, topics and measures."""
    scores, messages = read(text)
    assert messages == []
    assert {run: values[:5] for run, values in values_of(scores, "map").items()} == {"a": [*A], "b": [*B]}


def test_topic_before_measure(tmp_path: Path) -> None:
    """The output of ir_measures -q, TOPIC MEASURE VALUE; and unknown measures with the summary or with numbers."""
    files = {
        run: "".join(f"{t}\tAP\t{v}\n{t}\tnDCG@10\t{0.9 * v}\n" for t, v in enumerate(values, 1)) + f"all\tAP\t{sum(values) / 5}\n"
        for run, values in {"a": A, "b": B}.items()
    }  # fmt: skip
    [row], messages = compared(tmp_path, files)
    assert (row["measure"], round(float(row["p"]), 4), messages) == ("AP", P_VALUE, "")
    for lines in (
        ["1 foo 0.5", "2 foo 0.25"],
        ["q foo 0.5", "r foo 0.25", "all foo 0.375"],
        ["q foo 0.5", "r foo 0.25"],
    ):
        in_reverse = [" ".join([line.split()[1], line.split()[0], line.split()[2]]) for line in lines]
        for text in (lines, in_reverse):
            assert read("\n".join(text))[0].measures == ["foo"]


UNCLEAR = {
    "q1 foo 0.5\nq1 bar 0.5\nq2 foo 0.25\nq2 bar 0.25\nq3 foo 1\nq3 bar 1\n": ("q1", "foo", "{} {} value"),
    "x q1 foo 0.5\nx q1 bar 0.5\nx q2 foo 0.25\nx q2 bar 0.25\n": ("q1", "foo", "run {} {} value"),
    "x,q1,foo,0.5\nx,q1,bar,0.5\nx,q2,foo,0.25\nx,q2,bar,0.25\n": ("q1", "foo", "run,{},{},value"),
    "1 d1 1\n1 d2 0\n2 d3 1\n": ("1", "d1", "{} {} value"),
}


@pytest.mark.parametrize(("text", "expected"), UNCLEAR.items())
def test_unclear_order(text: str, expected: tuple[str, str, str], tmp_path: Path) -> None:
    """Both readings are named; a first line that names the columns is the remedy."""
    x, y, header = expected
    path = tmp_path / "x"
    path.write_text(text)
    with pytest.raises(InputError) as error:
        irevalx.Scores.read(path)
    headers = [header.format(*names) for names in (("measure", "topic"), ("topic", "measure"))]
    assert str(error.value) == (
        f"{path}:1: the order of the columns is unclear: '{x}' can be the measure and '{y}' the topic, or '{y}' "
        f"the measure and '{x}' the topic; add a first line that names the columns, such as '{headers[0]}' or '{headers[1]}'"
    )
    path.write_text(f"{headers[1]}\n{text}")
    assert irevalx.Scores.read(path).topics()[0] == x
    path.write_text(f"{headers[0]}\n{text}")
    assert irevalx.Scores.read(path).topics() != irevalx.Scores.read(io.StringIO(f"{headers[1]}\n{text}")).topics()


# -- Tables by system

BY_SYSTEM = table([("topic", "sysA", "sysB"), *((t, a, b) for t, (a, b) in enumerate(zip(A, B, strict=True)))])


def test_tables_by_system(tmp_path: Path) -> None:
    """Unknown columns can be measures or runs, and an option says which; the file names the measure of runs."""
    path = tmp_path / "faith.csv"
    path.write_text(BY_SYSTEM)
    unclear = f"{path}:2: the columns 'sysA' and 'sysB' can be measures or runs; say which: "
    options = "--score-columns measures or --score-columns runs"
    for command in (("compare",), ("report", "-o", tmp_path / "x.html"), ("power",), ("swap-rate", "--sizes", "2")):
        assert refusal(*command, "--scores", path, status=2) == f"irevalx-lab: {unclear}{options}\n"
    assert refusal("agree", "--scores", path, path, status=2) == f"irevalx-lab: {unclear}{options}\n"
    [row] = succeeded("compare", "--scores", path, "--score-columns", "runs", "--format", "csv").rows
    assert [row[name] for name in ("measure", "run", "against")] == ["faith", "sysA", "sysB"]
    assert round(float(row["p"]), 4) == P_VALUE
    [row] = succeeded("agree", "--scores", path, path, "--score-columns", "runs", "--format", "csv").rows
    assert (row["measure"], float(row["tau"])) == ("faith", 1)
    other = tmp_path / "other.csv"
    other.write_text(BY_SYSTEM)
    [row] = lab("compare", "--scores", path, other, "--score-columns", "measures", "-m", "sysB", "--format", "csv").rows
    assert [row[name] for name in ("measure", "run", "against")] == ["sysB", "faith", "other"]
    assert lab("compare", "--scores", path, other, "-m", "sysA", "--format", "csv").rows[0]["measure"] == "sysA"
    with pytest.raises(InputError) as error:
        irevalx.Scores.read(path)
    assert str(error.value) == unclear + 'score_columns="measures" or score_columns="runs"'
    assert irevalx.Scores.read(path, score_columns="measures").measures == ["sysA", "sysB"]
    assert values_of(irevalx.Scores.read(path, score_columns="runs"), "faith") == {"sysA": [*A], "sysB": [*B]}
    frame = pd.read_csv(path)
    with pytest.raises(InputError, match="frame: row 1: the columns 'sysA' and 'sysB' can be measures or runs"):
        irevalx.Scores.from_frame(frame)
    assert values_of(irevalx.Scores.from_frame(frame, score_columns="runs"), "value") == {"sysA": [*A], "sysB": [*B]}
    with pytest.raises(irevalx.IrevalxError, match="score_columns must be 'measures' or 'runs', not 'x'"):
        irevalx.Scores.read(path, score_columns="x")
    files = {name: tmp_path / f"{name}.csv" for name in ("map", "P_5")}
    for file in files.values():
        file.write_text(BY_SYSTEM)
    assert irevalx.Scores.read([*files.values()], score_columns="runs").measures == ["map", "P_5"]


def test_any_order_of_named_columns() -> None:
    """Named columns can be in any order, and a column of measures requires a column of values."""
    for names in permutations(("run", "topic", "measure", "value")):
        row = {"run": "a", "topic": "1", "measure": "map", "value": "0.5"}
        assert read(table([names, [row[name] for name in names]]))[0].to_dict()["a"]["1"] == {"map": 0.5}
    for header in ("measure,topic,foo", "topic,foo,measure"):
        with pytest.raises(
            InputError, match="expected a table of measure values with a column topic, and either measure"
        ):
            read(f"{header}\nmap,1,1\n")


def test_columns_of_measures() -> None:
    """A known measure, a single column, a column of runs or a declared direction show that columns are measures."""
    for names in ("topic,map,foo", "topic,foo", "run,topic,foo,bar"):
        text = names + "\n" + ",".join(["1"] * len(names.split(","))) + "\n"
        assert read(text)[0].measures == [name for name in names.split(",") if name not in {"run", "topic"}]
    assert read("topic,foo,bar\n1,1,1\n", lower_is_better="bar")[0].measures == ["foo", "bar"]


# -- Columns of tables


@pytest.mark.parametrize("name", ["name", "model", "Model", "system", "run_name", "tag"])
def test_columns_of_runs(name: str) -> None:
    """The runs can be in columns with these names, in long and in wide tables."""
    rows = [(run, t, v) for run, values in (("a", A), ("b", B)) for t, v in enumerate(values)]
    for text in (
        table([(name, "qid", "measure", "value"), *((run, t, "map", v) for run, t, v in rows)]),
        table([(name, "qid", "map"), *rows]),
        table([("run", "qid", name, "map"), *((run, t, "judge", v) for run, t, v in rows)]),
    ):
        assert values_of(read(text)[0], "map") == {"a": [*A], "b": [*B]}


def test_names_of_topics() -> None:
    """A column with one name per topic describes the topics and does not name runs."""
    rows = [(t, f"title {t}", v) for t, v in enumerate(A)]
    [values] = values_of(read(table([("qid", "name", "map"), *rows]))[0], "map").values()
    assert values == [*A]


def test_duplicates(tmp_path: Path) -> None:
    """The message names a column that distinguishes the duplicates; renamed to run, it is the remedy."""
    path = tmp_path / "x.csv"
    variants: dict[str, list[tuple[object, ...]]] = {
        "variant,topic,measure,value": [("x", 1, "map", 0.5), ("y", 1, "map", 0.25)],
        "variant,topic,map": [("x", 1, 0.5), ("y", 1, 0.25)],
        "variant,topic,seed_of_run": [("x", 1, 0.5), ("y", 1, 0.25)],
    }
    for names, rows in variants.items():
        path.write_text(table([names.split(","), *rows]))
        with pytest.raises(InputError) as error:
            irevalx.Scores.read(path)
        assert str(error.value).startswith(f"{path}:3: duplicate value of ")
        assert str(error.value).endswith(
            " for run 'x' and topic '1' (the other is in line 2): if the column 'variant' contains the names of several "
            "runs, rename it to run; otherwise, remove one of them"
        )
        path.write_text(path.read_text().replace("variant", "run"))
        assert irevalx.Scores.read(path).runs == ["x", "y"]
    seeds = ((seed, 1, value) for seed, value in ((1, 0.5), (2, 0.25)))
    with pytest.raises(InputError, match="if the column 'seed' contains the names of several runs, rename it to run"):
        read(table([("seed", "topic", "map"), *seeds]))
    path.write_text("map 1 0.5\nmap 1 0.5\n")
    with pytest.raises(InputError) as error:
        irevalx.Scores.read(path)
    assert str(error.value) == (
        f"{path}:2: duplicate value of map for run 'x' and topic '1' (the other is in line 1); if they belong to different "
        "runs or judgments, add a column run or use a file for each; otherwise, remove one of them"
    )


def test_repeated_headers(tmp_path: Path) -> None:
    """Headers of concatenated files are skipped with a line."""
    parts = {run: table([("runid", "topic", "map"), *((run, t, v) for t, v in enumerate(of))]) for run, of in zip("ab", (A, B), strict=True)}  # fmt: skip
    [row], messages = compared(tmp_path, {"x.csv": parts["a"] + parts["b"]})
    assert round(float(row["p"]), 4) == P_VALUE
    assert messages == f"irevalx-lab: {tmp_path / 'x.csv'}:7: the line repeats the header and is skipped\n"
    more = parts["a"] + parts["b"] + parts["a"].replace("\na,", "\nc,")
    [line] = read(more)[1]
    assert line.endswith(":7: the line repeats the header and is skipped (1 more such line)")


RAGAS = "user_input,contexts,response,reference,faithfulness,answer_relevancy\n" + "".join(
    f"what is {topic},\"['x']\",42 or so,{reference},{value},0.{topic}\n"
    for topic, value, reference in zip(range(1, 7), ("0.5", "", "1.0", "nan", "NaN", "0.25"), "abcdef", strict=True)
)


def test_columns_of_texts(tmp_path: Path) -> None:
    """Columns of texts are ignored, and named once; with -m, also columns that contain numbers and texts."""
    files = [tmp_path / name for name in ("a.csv", "b.csv")]
    for path, response in zip(files, ("or so", "and more"), strict=True):
        path.write_text(RAGAS.replace("or so", response))
    options: tuple[str | Path, ...] = ("--scores", *files, "--format", "csv")
    ignored = f"{files[0]}:2: columns without numbers are ignored: 'contexts', 'response' and 'reference'"
    done = lab("compare", *options, "--score-columns", "measures")
    assert [row["measure"] for row in done.rows] == ["faithfulness", "answer_relevancy"]
    assert [line for line in done.stderr.splitlines() if "ignored" in line] == [f"irevalx-lab: {ignored}"]
    done = lab("compare", *options, "-m", "answer_relevancy")
    assert ([row["measure"] for row in done.rows], done.stderr) == (["answer_relevancy"], "")
    scores, _ = read(RAGAS, score_columns="measures")
    assert [scores.summary("faithfulness"), len(scores.per_topic("answer_relevancy"))] == [1.75 / 3, 6]
    for path in files:
        path.write_text(path.read_text().replace(",a,", ",7,"))
    message = refusal("compare", *options, "--score-columns", "measures", status=2)
    assert f"{files[0]}:3: invalid value 'b' of reference for topic 'what is 2': must be a 64-bit number" in message
    assert lab("compare", *options, "-m", "answer_relevancy").stderr == ""
    with pytest.raises(InputError, match=r":2: invalid value 'abc' of map for topic '1'"):
        read("run,topic,map\na,1,abc\n")
    with pytest.raises(InputError, match=r":2: invalid value 'abc' of wer for topic '1'"):
        read("run,topic,wer\na,1,abc\na,2,0.5\n")
    frame = pd.DataFrame({"question": ["x", "y"], "contexts": [["a"], ["b"]], "map": [0.5, float("nan")]})
    with pytest.warns(irevalx.IrevalxWarning, match="frame: row 1: columns without numbers are ignored: 'contexts'"):
        assert irevalx.Scores.from_frame(frame).to_dict()["run"] == {"x": {"map": 0.5}, "all": {"map": 0.5}}


def test_missing_values() -> None:
    """Values nan, NA and null are missing in every format, like an empty field."""
    for word in ("nan", "NaN", "-nan", "", "NA", "N/A", "null"):
        for text in (
            f"run,topic,map,wer\na,1,{word},1\na,2,0.5,1\n",
            f"run,topic,measure,value\na,1,map,{word}\na,2,map,0.5\na,1,wer,1\na,2,wer,1\n",
        ):
            assert read(text)[0].to_dict()["a"] == {
                "1": {"wer": 1.0},
                "2": {"map": 0.5, "wer": 1.0},
                "all": {"map": 0.5, "wer": 1.0},
            }
    assert read("map 1 nan\nmap 2 0.5\n")[0].topics() == ["2"]
    assert read('{"topic": 1, "map": NaN}\n{"topic": 2, "map": 0.5}\n')[0].topics() == ["2"]


def test_json_objects(tmp_path: Path) -> None:
    """The dictionaries of pytrec_eval and ranx, of one run or of several; results of MTEB have no topics."""
    of_topics = {"1": {"map": 0.5, "P_5": 0.25}, "2": {"map": 1.0, "P_5": 0.0}}
    of_measures = {name: {topic: of_topics[topic][name] for topic in "12"} for name in ("map", "P_5")}
    for values in (of_topics, of_measures):
        for text in (json.dumps(values), json.dumps(values, indent=1)):
            [run] = read(text)[0].to_dict().values()
            assert run == {**of_topics, "all": {"map": 0.75, "P_5": 0.125}}
    assert set(read(json.dumps({"a": of_topics, "b": of_topics}))[0].runs) == {"a", "b"}
    path = tmp_path / "x.json"
    for content, message in {
        '{"task_name": "NQ", "scores": {"test": [{"ndcg_at_10": 0.5}]}}': "results of MTEB contain no values of single topics; "
        "let MTEB save its predictions, and evaluate them with the judgments",
        '{"foo": 1}': "expected one JSON object per line with the topic, the measure and the value, the output of irevalx "
        "--format json, or {run: {topic: {measure: value}}}; the keys are 'foo'",
    }.items():
        path.write_text(content)
        with pytest.raises(InputError) as error:
            irevalx.Scores.read(path)
        assert str(error.value) == f"{path}: {message}"
    with pytest.raises(InputError, match=":1: duplicate value of map for run 'a' and topic '1'"):
        read(json.dumps({"runs": [{"run": "a", "topics": of_topics}] * 2}))


def test_objects_as_measures() -> None:
    """The measures of ir_measures are objects, whose text is the name."""

    class Metric:
        def __str__(self) -> str:
            return "nDCG@10"

    frame = pd.DataFrame({"query_id": ["1", "2"], "measure": [Metric(), Metric()], "value": [0.5, 1.0]})
    assert irevalx.Scores.from_frame(frame).to_dict()["run"]["1"] == {"nDCG@10": 0.5}
    with pytest.raises(InputError, match="row 1: measure must be a string or an integer, not None"):
        irevalx.Scores.from_frame({"topic": ["1"], "measure": [None], "value": [0.5]})


DAMAGED = {
    "run,topic,map\na,1\0,0.5\n": r":2: the line contains a NUL byte: 'a,1\x00,0.5'",
    "map 1 0.5\nmap 2 0\0\n": r":2: the line contains a NUL byte: 'map 2 0\x00'",
    "run,topic,map\na,1,0x1F\n": ":2: invalid value '0x1F' of map for topic '1': must be a 64-bit number that is not "
    "infinite; write it as a decimal number",
    "run;topic;map\na;1;0,5\n": ":2: invalid value '0,5' of map for topic '1': must be a 64-bit number that is not "
    "infinite; replace the decimal comma by a point",
    "user,map\na,1\n": ":1: no column for the topic: expected one of topic, topic_id, qid, query_id, query-id, q_id, query, "
    "user_input, question; the table has the columns user, map; score files contain values by topic, such as the output of irevalx -q",
    "topic,foo\n1,good\n2,bad\n": ":2: expected a table of measure values with a column topic, and either measure and value or a "
    "column per measure; a column run is optional; the columns are 'topic', 'foo'; columns without numbers are ignored: 'foo'",
    "a map 1 0.5\na map 2 0.5 1\n": ":2: expected 4 columns (run, measure, topic, value), but the line has 5: 'a map 2 0.5 1'",
}


@pytest.mark.parametrize(("text", "message"), DAMAGED.items())
def test_damaged_tables(text: str, message: str, tmp_path: Path) -> None:
    """Messages name the file, the line, the column and the remedy."""
    path = tmp_path / "x"
    path.write_text(text)
    with pytest.raises(InputError) as error:
        irevalx.Scores.read(path)
    assert str(error.value) == f"{path}{message}"


def test_output_of_compare(tmp_path: Path) -> None:
    """The output of compare has no topics, which the message names; the output of irevalx -q is the remedy."""
    rows, _ = compared(tmp_path, {"x.csv": BY_SYSTEM}, "--score-columns", "runs")
    path = tmp_path / "y.csv"
    path.write_text(table([list(rows[0]), *([*row.values()] for row in rows)]))
    message = refusal("compare", "--scores", path, status=2)
    assert message.startswith(f"irevalx-lab: {path}:1: no column for the topic: expected one of topic, topic_id, ")
    assert message.endswith("; score files contain values by topic, such as the output of irevalx -q\n")
    path.write_bytes(irevalx_command("-q", "-m", "map", "--format", "csv", QRELS, *RUNS[:2]).stdout)
    assert len(succeeded("compare", "--scores", path, "--format", "csv").rows) == 1


def test_single_run(tmp_path: Path) -> None:
    """The message names the only run; the scores of another run are the remedy."""
    paths = [tmp_path / name for name in ("x.csv", "y.csv")]
    for path in paths:
        path.write_text(table([("topic", "foo"), *enumerate(A)]))
    message = "irevalx-lab: scores must contain at least two runs, but contain only the run 'x'; add the scores of another run\n"
    assert refusal("compare", "--scores", paths[0]) == message
    [row] = lab("compare", "--scores", *paths, "--format", "csv").rows
    assert (row["run"], row["against"]) == ("x", "y")


# -- Repeated evaluations


def test_repeated_evaluations(tmp_path: Path) -> None:
    """Several files of the same runs: the message names --system-by, which compares the means of the files."""
    values = {
        (n, run): [(t * t + 3 * n + 5 * (run == "B")) % 11 / 11 for t in range(12)] for n in range(3) for run in "AB"
    }
    files = {
        f"judge{n}.csv": table([("run", "topic", "faith"), *((run, t, v) for run in "AB" for t, v in enumerate(values[n, run]))])
        for n in range(3)
    }  # fmt: skip
    rows, messages = compared(tmp_path, files)
    remedy = "; if the files are repeated evaluations of the same runs, compare their means with --system-by '[^:]+$'\n"
    assert len(rows) == 15
    assert messages.startswith("irevalx-lab: 3 runs have the tag 'A'; they are named judge0:A, judge1:A and judge2:A")
    assert messages.splitlines(keepends=True)[0].endswith(remedy)
    [row], _ = compared(tmp_path, files, "--system-by", "[^:]+$")
    means = {run: sum(sum(values[n, run]) for n in range(3)) / 36 for run in "AB"}
    assert (row["run"], row["against"]) == ("A", "B")
    assert float(row["difference"]) == pytest.approx(means["A"] - means["B"])
    paths = [tmp_path / name for name in files]
    power = lab("power", "--scores", *paths, "--format", "csv")
    assert ("they are named" in power.stderr, "--system-by" in power.stderr) == (True, False)


def test_repeated_topics_in_texts(tmp_path: Path) -> None:
    """--topic-texts with a topic twice says so, in every format."""
    scores, topics = tmp_path / "x.csv", tmp_path / "topics"
    scores.write_text(table([("run", "topic", "map"), *((run, t, t / 9) for run in "ab" for t in range(6))]))
    for text in (
        "1\tfirst\n2\tsecond\n1\tthird\n",
        "".join(
            f"<top><num> Number: {n}<title> {word}</top>\n" for n, word in ((1, "first"), (2, "second"), (1, "third"))
        ),
        "".join(
            json.dumps({"_id": n, "text": word}) + "\n" for n, word in (("1", "first"), ("2", "second"), ("1", "third"))
        ),
    ):
        topics.write_text(text)
        done = lab("report", "--scores", scores, "--topic-texts", topics, "-o", tmp_path / "x.json")
        assert done.status == 0, done.stderr
        assert f"irevalx-lab: {topics}: the topic '1' occurs several times; its last text is displayed\n" in done.stderr


# -- Files that need no warning

QRELS, RUNS = FIXTURES / "experiment" / "qrels", sorted((FIXTURES / "experiment" / "runs").iterdir())
_MEASURES = [word for name in ("map", "P.5", "recip_rank", "num_rel_ret", "Rprec", "runid") for word in ("-m", name)]


def without_warnings(*texts: bytes, n_topics: int) -> irevalx.Scores:
    """Read files, which must give no warning and have this number of topics."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        scores = irevalx.Scores.read([io.BytesIO(text) for text in texts])
    assert {len(scores.topics(run)) for run in scores.runs} == {n_topics}
    return scores


def test_no_warnings_of_own_output() -> None:
    """The output of irevalx in every format, with and without header, gives the same values without a warning."""
    expected = irevalx.evaluate(QRELS, RUNS, ["map", "P.5"])
    for form in ("trec", "csv", "tsv", "jsonl", "json"):
        text = irevalx_command("-q", "--format", form, *_MEASURES, QRELS, *RUNS).stdout
        texts = [text, text.partition(b"\n")[2]] if form in {"csv", "tsv"} else [text]
        for each in texts:
            scores = without_warnings(each, n_topics=12)
            assert scores.runs == expected.runs
            if form != "trec":
                assert values_of(scores, "map") == values_of(expected, "map")


def test_no_warnings_of_other_programs() -> None:
    """trec_eval's and ir_measures' output, in lines and JSON lines, and gdeval's except its row of means."""
    expected = irevalx.evaluate(QRELS, RUNS[0], ["map", "P.5"])
    run = expected.runs[0]
    rows = [(t, m, expected.per_topic(m)[n]) for n, t in enumerate(expected.topics()) for m in ("map", "P_5")]
    rows += [("all", m, expected[m]) for m in ("map", "P_5")]
    names = {"map": "AP", "P_5": "P@5"}
    texts = [
        "".join(f"{m:<22}\t{t}\t{v:.4f}\n" for t, m, v in rows),
        f"runid                 \tall\t{run}\n" + "".join(f"{m:<22}\t{t}\t{v:.4f}\n" for t, m, v in rows),
        "".join(f"{t}\t{names[m]}\t{v:.4f}\n" for t, m, v in rows),
        "".join(json.dumps({"query_id": t, "measure": names[m], "value": v}) + "\n" for t, m, v in rows),
        "runid,topic,ndcg@20,err@20\n"
        + "".join(f"{run},{t},{v:.5f},{v / 3:.5f}\n" for t, m, v in rows if m == "map" and t != "all")
        + f"{run},amean,{expected['map']:.5f},{expected['map'] / 3:.5f}\n",
    ]
    for text in texts:
        without_warnings(text.encode(), n_topics=12)


@pytest.mark.parametrize("version", ["9", "10"])
def test_no_warnings_of_trec_eval(version: str) -> None:
    """The output of the program itself."""
    program = os.environ.get(f"TREC_EVAL_{version}")
    if program is None:
        pytest.skip(f"TREC_EVAL_{version} names no program")
    texts = [
        subprocess.run([program, "-q", "-m", "all_trec", QRELS, run], check=True, capture_output=True).stdout
        for run in RUNS
    ]
    without_warnings(*texts, n_topics=12)


def test_no_warnings_of_collections(collection: Path) -> None:
    """The score tables of a collection, of each run alone and of all runs, have no row of means."""
    runs = sorted((collection / "runs").iterdir())[:4]
    scores = irevalx.evaluate(collection / "qrels.gz", runs, ["map", "P.10", "ndcg"])
    n_topics = len(scores.topics(scores.runs[0]))
    frame = scores.to_frame(wide=True, per_topic=True).round(4)
    every = [frame, *(frame[frame["run"] == run] for run in scores.runs)]
    for table_of_runs in every:
        without_warnings(table_of_runs.to_csv(index=False).encode(), n_topics=n_topics)
