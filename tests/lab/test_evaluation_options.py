"""The options of an evaluation: every command that evaluates runs has them, with the effect that they have in irevalx."""

from __future__ import annotations

import inspect
import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from refusals import declared_parameters, function_of, has_choice
from running import repeats

import irevalx
from irevalx.declarations import declaration_of
from irevalx.lab.command.declaration import parameters_of
from irevalx.process import workers
from irevalx.settings import PARAMETERS

lab = irevalx.lab
pytestmark = pytest.mark.filterwarnings("ignore::irevalx.IrevalxWarning")

Cells = list[Any]

NOT_OF_EVALUATIONS = {
    "qrels",
    "runs",
    "measures",
    "pool",
    "topic",
    "unjudged",
    "results_format",
    "strict",
    "names",
    "progress",
}
"""Parameters of ``irevalx.evaluate`` that are none of these options: a treatment of unjudged documents follows the name of
a measure, and experiments are about several topics."""

OPTIONS = sorted({*inspect.signature(irevalx.evaluate).parameters, "min_retrieved"} - NOT_OF_EVALUATIONS)

LACKING: dict[str, set[str]] = {
    "labels": {"grades"},  # labels of any kind are converted to integer grades
    "estimate": {"grades"},
    "gate": {"complete"},  # it evaluates all judged topics
    "bounds": {"grades", "judged_only"},  # bounds are over the integer grades of unjudged documents
}
"""The options that a command lacks."""

TOPICS = [str(topic) for topic in range(1, 25)]
DOCUMENTS = [*TOPICS, *"abcdefgh"]


def qrels(seed: int, *, real: bool = False) -> dict[str, dict[str, float]]:
    """Return random judgments of most documents."""
    random = Random(seed)
    grades = [0.0, 0.25, 0.5, 1.0] if real else [0, 0, 1, 2, -1]
    judged = {topic: {docno: random.choice(grades) for docno in DOCUMENTS if random.random() < 0.6} for topic in TOPICS}
    for topic in TOPICS:
        judged[topic] |= {"a": 0, "b": 1, topic: 1}
    return judged


def runs_in(folder: Path, *, duplicates: bool = False) -> list[Path]:
    """Write runs with tied scores, scores that are equal in single precision, missing topics, and IDs of topics."""
    random, paths = Random(4), [folder / name for name in ("x1", "y1", "z1")]
    for place, path in enumerate(paths):
        lines = []
        for topic in TOPICS[place:]:
            retrieved = random.sample([docno for docno in DOCUMENTS if docno != topic], 9 - 4 * (place == 2))
            retrieved.insert(random.randrange(4), topic)
            scored = [(docno, random.choice(["3", "2.00000001", "2", "1.00000001", "1"])) for docno in retrieved]
            if duplicates:
                scored.append((retrieved[3], "2.5"))
            lines += [f"{topic} Q0 {docno} {n % 4} {score} {path.name}\n" for n, (docno, score) in enumerate(scored)]
        path.write_text("".join(lines))
    return paths


VALUES: dict[str, tuple[str, Any]] = {
    "level": ("P.3 map", 2),
    "grades": ("ndcg rbp", "probability"),
    "complete": ("P.3 map", True),
    "judged_only": ("P.3 map", True),
    "max_retrieved": ("P.3 map", 2),
    "collection_size": ("utility.1,-0.5,-0.25,0.01", 5000),
    "ties": ("P.3 map", "rank"),
    "ignore_identical_ids": ("P.3 map", True),
    "duplicates": ("P.3 map", "best"),
    "infap_c": ("infAP", 1.25),
    "infap_epsilon": ("infAP", 0.2),
    "sample_rate": ("subAP", 0.2),
    "compat": ("P.3 map", 9),
    "rel_format": ("P.3 map", "json"),
    "min_retrieved": ("P.3 map", 0.9),
    "threads": ("P.3 map", 2),
}
"""The measures and the value with which each option is tried; the option ``grades`` is also tried with real grades."""

Call = Callable[..., Any]


def cells(result: Any) -> Cells:
    """Return the cells of the tables of a result, with rounded numbers."""
    rows = [row for table in result.tables() for row in table.rows]
    return [tuple(f"{cell:.9f}" if isinstance(cell, float) else cell for cell in row) for row in rows]


def of_scores(call: Call) -> tuple[Call, Call]:
    """Return two functions with the results of a command: for judgments and runs, and for their ``Scores``."""
    return (
        lambda judged, runs, measures, **options: cells(call(judged, runs, measures, **options)),
        lambda judged, runs, measures, **options: cells(
            call(irevalx.evaluate(judged, runs, measures.split(), **options), None, measures)
        ),
    )


def of_means(call: Call, judged_by: Call = lambda judged, runs: judged) -> tuple[Call, Call]:
    """Return two functions with the means of runs over the topics of all runs: by ``call``, and by ``evaluate``."""
    return (
        lambda judged, runs, measures, **options: rounded(call(judged, runs, measures, **options)),
        lambda judged, runs, measures, **options: rounded(
            means(irevalx.evaluate(judged_by(judged, runs), runs, measures.split(), **options))
        ),
    )


def rounded(values: dict[tuple[str, str], float]) -> dict[tuple[str, str], float]:
    """Return values with eleven decimals: sums in another order differ in the last bits."""
    return {key: round(value, 11) for key, value in values.items()}


def means(scores: irevalx.Scores) -> dict[tuple[str, str], float]:
    """Return means over the topics for which all runs have values, by measure and run."""
    topics = set.intersection(*(set(scores.topics(run)) for run in scores.runs))
    values: dict[tuple[str, str], float] = {}
    for measure in scores.measures:
        for run in scores.runs:
            by_topic = zip(scores.topics(run), scores.per_topic(measure, run).tolist(), strict=True)
            values[measure, run] = sum(value for topic, value in by_topic if topic in topics) / len(topics)
    return values


def other(judged: Any) -> Any:
    """Return judgments by another judge, in the form of the first ones."""
    if not isinstance(judged, Path):
        return qrels(2, real=0.25 in {grade for grades in judged.values() for grade in grades.values()})
    path = judged.with_name("other.json")
    path.write_text(json.dumps(qrels(2)))
    return path


def rows_of(call: Call, names: str, *also: str) -> tuple[Call, Call]:
    """Return two functions with fields of the rows of a command; ``also`` are options that its values always have."""
    always: dict[str, Any] = dict.fromkeys(also, True)

    def selected(result: Any) -> Cells:
        rows = [tuple(getattr(row, name) for name in names.split()) for row in result.rows]
        return [tuple(f"{cell:.9f}" if isinstance(cell, float) else cell for cell in row) for row in rows]

    def of_scores(judged: Any, runs: Any, measures: str, **options: Any) -> Cells:
        scores = irevalx.evaluate(judged, runs, measures.split(), **always, **options)
        return selected(call(scores, None, measures))

    return lambda judged, runs, measures, **options: selected(call(judged, runs, measures, **options)), of_scores


def agree(judged: Any, runs: Any, measures: str, **options: Any) -> Cells:
    """Return the agreement of two judges."""
    return cells(lab.agree(judged, other(judged), runs, measures, **options))


def agree_of_scores(judged: Any, runs: Any, measures: str, **options: Any) -> Cells:
    """Return the agreement of the evaluations by two judges."""
    x, y = (irevalx.evaluate(given, runs, measures.split(), **options) for given in (judged, other(judged)))
    return cells(lab.agree(x, y, None, measures))


def biases(judged: Any, runs: Any, measures: str, **options: Any) -> Any:
    """Return the bias of each run under the labels of another judge."""
    rows: Any = lab.labels(judged, other(judged), runs, measures, resamples=0, **options).rows
    values = {(row.measure, row.run): row.value for row in rows if row.statistic == "bias" and row.run}
    return rounded(values)


def differences_of_means(judged: Any, runs: Any, measures: str, **options: Any) -> dict[tuple[str, str], float]:
    """Return the means under the labels of another judge minus those under the judgments."""
    x, y = (means(irevalx.evaluate(given, runs, measures.split(), **options)) for given in (judged, other(judged)))
    return rounded({key: y[key] - value for key, value in x.items()})


def half(judged: Any) -> Any:
    """Return the judgments of every other topic, in the same form."""
    if not isinstance(judged, Path):
        return {topic: judged[topic] for topic in TOPICS[::2]}
    path = judged.with_name("half.json")
    path.write_text(json.dumps(half(json.loads(judged.read_text()))))
    return path


def estimated(judged: Any, runs: Any, measures: str, **options: Any) -> dict[tuple[str, str], float]:
    """Return the means over the topics with human judgments."""
    rows = lab.estimate(half(judged), other(judged), runs, measures, human_labels="complete", **options).rows
    return {(row.measure, row.run): row.classical for row in rows if row.against is None}


def bounded(judged: Any, runs: Any, measures: str, **options: Any) -> dict[tuple[str, str], float]:
    """Return the values of P_3 under the judgments."""
    rows: Any = lab.bounds(judged, runs, "P.3", **options).rows
    return {(row.measure, row.run): row.difference for row in rows if row.against is None and row.topic == "all"}


def retrieved(judged: Any, runs: Any) -> Any:
    """Return the judgments of the documents that any run retrieves."""
    if isinstance(judged, Path):
        return judged
    lines = [line.split() for run in runs for line in run.read_text().splitlines()]
    pairs = {(topic, docno) for topic, _, docno, *_ in lines}
    return {
        topic: {docno: grade for docno, grade in grades.items() if (topic, docno) in pairs}
        for topic, grades in judged.items()
    }


def left_out(judged: Any, runs: Any, measures: str, **options: Any) -> dict[tuple[str, str], float]:
    """Return the values under the documents that any run retrieves."""
    if "complete" in options:
        options["all_topics"] = options.pop("complete")
    rows = lab.leave_out(judged, runs, measures, depth=100, **options).rows
    return {(row.measure, row.run): row.score for row in rows}


def studied(judged: Any, runs: Any, measures: str, **options: Any) -> dict[tuple[str, str], float]:
    """Return the values under the full judgments."""
    study = lab.study(judged, runs, measures, levels=["50%"], samples=1, seed=1, **options).study
    values = study.full.tolist()
    return {
        (measure, run): values[m][r]
        for m, measure in enumerate(study.experiment.measures)
        for r, run in enumerate(study.experiment.runs)
    }


def reported(judged: Any, runs: Any, measures: str, **options: Any) -> dict[tuple[str, str], list[float | None]]:
    """Return the values of topics, by measure and run; None if a run has no results."""
    data = lab.report(judged, runs, measures, **options).data
    return {
        (measure["name"], run["name"]): data["values"][m][r]
        for m, measure in enumerate(data["measures"])
        for r, run in enumerate(data["runs"])
    }


def reported_of_scores(
    judged: Any, runs: Any, measures: str, **options: Any
) -> dict[tuple[str, str], list[float | None]]:
    """Return the same values."""
    scores = irevalx.evaluate(judged, runs, measures.split(), **options)
    topics = sorted({topic for run in scores.runs for topic in scores.topics(run)}, key=str.encode)
    values: dict[tuple[str, str], list[float | None]] = {}
    for measure in scores.measures:
        for run in scores.runs:
            of_run = dict(zip(scores.topics(run), scores.per_topic(measure, run).tolist(), strict=True))
            values[measure, run] = [of_run.get(topic) for topic in topics]
    return values


CALLS: dict[str, tuple[Call, Call]] = {
    "power": of_scores(lambda *given, **options: lab.power(*given, differences=[0.1], **options)),
    "swap-rate": of_scores(lambda *given, **options: lab.swap_rate(*given, sizes=[2], draws=40, seed=1, **options)),
    "agree": (agree, agree_of_scores),
    "labels": (biases, differences_of_means),
    "estimate": of_means(estimated, lambda judged, runs: half(judged)),
    "bounds": of_means(bounded),
    "leave-out": of_means(left_out, retrieved),
    "study": of_means(studied),
    "report": (reported, reported_of_scores),
    "compare": rows_of(lab.compare, "measure run against mean mean_against difference p wins"),
    "gate": rows_of(
        lambda *given, **options: lab.gate(*given, baseline="x1", margin=0.05, **options),
        "measure run mean difference low topics verdict",
        "complete",
    ),
}
"""Two functions by command: its values, and the same values from ``irevalx.evaluate`` with the same option."""

WITHOUT_EFFECT: dict[str, set[str]] = {
    "power": {"collection_size"},
    "swap-rate": {"collection_size"},
    "agree": {"collection_size"},
    "labels": {"collection_size", "infap_c", "infap_epsilon"},
    "bounds": {"collection_size", "infap_c", "infap_epsilon", "sample_rate"},
    "estimate": {"infap_c", "infap_epsilon"},
}
"""The options that do not change the values of a command: the differences between runs do not depend on them, or the
command does not support the measures that they change. The format of judgments (``rel_format``) changes no values."""


def inputs(option: str, folder: Path, *, seed: int = 1) -> dict[str, Any]:
    """Return judgments and runs for which an option changes values."""
    judged: Any = qrels(seed, real=option == "grades")
    if option == "grades":
        judged = {topic: {docno: max(0, grade) for docno, grade in grades.items()} for topic, grades in judged.items()}
    if option == "rel_format":
        path = folder / f"{seed}.json"
        path.write_text(json.dumps(judged))
        judged = path
    return {"judged": judged, "runs": runs_in(folder, duplicates=option == "duplicates")}


@pytest.mark.parametrize("command", CALLS)
def test_options_of_commands(command: str) -> None:
    """Each command has the options, in Python and in the shell, and the help of Python's signature lists them."""
    expected = set(OPTIONS) - LACKING.get(command, set())
    function = function_of(command)
    names = {"all_topics" if command == "leave-out" and name == "complete" else name for name in expected}
    assert names <= declaration_of(function).parameters.keys()
    assert names <= parameters_of(function).keys()
    assert LACKING.get(command, set()).isdisjoint(declaration_of(function).parameters)
    signature = inspect.signature(function).parameters
    assert names <= signature.keys()
    assert all(f"\n    {name} : " in function.__doc__ for name in names)
    assert all(signature[name].annotation is not inspect.Parameter.empty for name in names)
    with pytest.raises(TypeError, match=rf"{function.__name__}\(\) got an unexpected keyword argument 'unknown'"):
        function(unknown=1)


@pytest.mark.parametrize("option", OPTIONS)
def test_texts_of_options(option: str) -> None:
    """An option has the same names, the same default and, in Python, the same explanation for all commands."""
    if option == "rel_format":  # names the formats of the command
        return
    commands = [command for command in CALLS if option not in LACKING.get(command, set())]
    each = [
        declared_parameters(command)[option] for command in commands if (command, option) != ("leave-out", "complete")
    ]
    assert len({(given.names, given.default, given.shell_default, given.shell_help) for given in each}) == 1
    texts = {given.help for given in each if given.kind == each[0].kind}
    assert len(texts) == 1
    if option in PARAMETERS and option not in {"complete", "ties"}:  # for several runs, and one order
        assert texts == {PARAMETERS[option].help}


def calls_with_values() -> Iterator[Any]:
    """Yield each command with each option; all but a third of the pairs, with each command and option, are slow."""
    options = [option for option in OPTIONS if option not in {"min_retrieved", "threads"}]
    for row, command in enumerate(CALLS):
        for column, option in enumerate(options):
            yield pytest.param(command, option, marks=[pytest.mark.slow] if (row + column) % 3 else [])


@pytest.mark.parametrize(("command", "option"), [*calls_with_values()])
def test_values(command: str, option: str, tmp_path: Path) -> None:
    """The values of a command are those of ``irevalx.evaluate`` with the same option, and differ without it."""
    if option in LACKING.get(command, set()):
        pytest.skip("the command lacks the option")
    measured, expected = CALLS[command]
    measures, value = VALUES[option]
    given = inputs(option, tmp_path)
    if command == "bounds" or (command, measures) == ("leave-out", "P.3 map"):  # other values depend on the pool
        measures = "P.3"
    if value == "probability" and not has_choice(declared_parameters(command)[option], value):
        value = "real"
    arguments = given["judged"], given["runs"], measures
    values = measured(*arguments, **{option: value})
    assert values == expected(*arguments, **{option: value})
    if option in {*WITHOUT_EFFECT.get(command, ()), "rel_format"}:
        return
    try:
        without = measured(*arguments)
    except irevalx.IrevalxError:
        assert option in {"duplicates", "grades"}
    else:
        assert values != without


@pytest.mark.parametrize("command", CALLS)
def test_excluded_runs(command: str) -> None:
    """With min_retrieved, the values are those without the run that retrieves few documents."""
    random, judged = Random(5), qrels(1)
    runs = {
        name: {topic: {docno: random.random() for docno in random.sample(DOCUMENTS, size)} for topic in TOPICS}
        for name, size in (("x1", 10), ("y1", 10), ("z1", 5))
    }
    several = {name: runs[name] for name in ("x1", "y1")}
    measured, _ = CALLS[command]
    assert measured(judged, runs, "P.3", min_retrieved=0.9) == measured(judged, several, "P.3")
    assert measured(judged, runs, "P.3") != measured(judged, several, "P.3")


@pytest.mark.parametrize("command", repeats(CALLS, 3))
def test_processes(command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With several processes, values are the same, and a process is started."""
    started: list[int] = []
    fork = os.fork

    def counted() -> int:
        started.append(0)
        return fork()

    monkeypatch.setattr(os, "fork", counted)
    monkeypatch.setattr(workers, "BIG", 0)
    measured, _ = CALLS[command]
    arguments = qrels(1), runs_in(tmp_path), "P.3"
    alone = measured(*arguments)
    assert not started
    assert measured(*arguments, threads=2) == alone
    assert started


def test_options_in_study_json(tmp_path: Path) -> None:
    """The options that differ from the defaults are among the options of a study."""
    options: dict[str, Any] = {"judged_only": True, "complete": True, "ties": "name", "infap_c": 1.5, "compat": "9"}
    made = lab.study(qrels(1), runs_in(tmp_path), "map", levels=["50%"], samples=1, seed=1, **options).how_made
    assert {name: made[name] for name in options if name in made} == {
        name: value for name, value in options.items() if name != "ties"
    }
