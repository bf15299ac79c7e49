"""Options of all commands of irevalx-lab and of irevalx."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from contextvars import copy_context
from pathlib import Path

import click
import pytest
from examples.experiment import QRELS, RUNS
from running import FIXTURES, described, lab, repeats, run

import irevalx
from irevalx.cli.command import command as evaluator
from irevalx.command_line.completion import NamedOption
from irevalx.command_line.suggestions import GUESSES as OPTION_GUESSES
from irevalx.lab import COMMANDS
from irevalx.lab.command.program import GUESSES
from irevalx.lab.command.program import command as program
from irevalx.lab.studies.schemes import SCHEMES, level_words

REPEATED = {"FILE", "NAME=FILE", "NAME=FILE[,FILE]", "[MEASURE=]D", "WORD=GRADE", "NAME"}
"""What is given once for each value: names of files have blanks, and measures commas."""

OF_PARAMETERS = {"--measure"}
"""Lists of measures: their commas belong to parameters."""


def options_of(command: click.Command) -> list[click.Option]:
    """Return the options of a command."""
    return [parameter for parameter in command.params if isinstance(parameter, click.Option)]


def long_name(option: click.Option) -> str:
    """Return the long name in the help, of which there is at most one."""
    [*long] = [name for name in option.opts if name.startswith("--")]
    assert len(long) <= 1
    return "".join(long)


def parameters_of_call(name: str, *words: str) -> dict[str, object]:
    """Return the parameters of a command for options beside the arguments and options that it must have."""
    needed = {
        "agree": ["x", "y"],
        "study": ["q", "r", "-o", "folder"],
        "pool": ["r"],
        "draw": ["s"],
        "estimate": ["--human", "h", "--machine", "m", "r"],
        "gate": ["q", "r", "--baseline", "b", "--margin", "0.1"],
    }
    within = click.Context(program, help_option_names=program.context_settings["help_option_names"])
    make_context = described(name).make_context
    return copy_context().run(make_context, name, [*needed.get(name, ["q", "r"]), *words], parent=within).params


def test_names_of_options() -> None:
    """A letter has one long name, and a long name one letter, in all commands."""
    letters, names = defaultdict(set), defaultdict(set)
    for name in COMMANDS:
        for option in options_of(described(name)):
            short = "".join(name for name in option.opts if not name.startswith("--"))
            names[long_name(option)].add(short)
            letters[short].add(long_name(option))
    assert {name: result for name, result in names.items() if len(result) > 1} == {}
    assert {short: result for short, result in letters.items() if short and len(result) > 1} == {}


def test_names_in_both_programs() -> None:
    """Letters of both programs have the same long names; irevalx ignores -o."""
    ours = {
        option.opts[0]: long_name(option)
        for name in COMMANDS
        for option in options_of(described(name))
        if len(option.opts) > 1
    }
    for option in options_of(evaluator):
        assert isinstance(option, NamedOption)
        if (long := ours.get(option.opts[0])) and option.opts[0] != "-o":
            assert long in option.every_name
    example = FIXTURES / "example"
    result = run("-c", "-l", "2", "-R", "qrels", "-m", "map", example / "qrels", example / "bm25.run")
    names = ("--all-topics", "--level", "2", "--rel-format=qrels", "--measure", "map")
    in_full = run(*names, example / "qrels", example / "bm25.run")
    assert (in_full.status, in_full.stdout) == (0, result.stdout)
    assert in_full.stderr.replace("(--level)", "(-l)") == result.stderr  # options as typed


@pytest.mark.parametrize("name", COMMANDS)
def test_old_names(name: str) -> None:
    """Old names are accepted, and not in the help."""
    old_names = {"--measure=P.5": "--measures=P.5", "--all-topics": "--complete", "--figure=none": "--figures=none"}
    if name == "leave-out":  # where --complete is what the command of that name does
        del old_names["--all-topics"]
    if name != "study":
        del old_names["--figure=none"]
    there = {long_name(option) for option in options_of(described(name))}
    for new, old in old_names.items():
        if new.partition("=")[0] in there:
            assert parameters_of_call(name, old) == parameters_of_call(name, new) != parameters_of_call(name)
            assert f"{old.partition('=')[0]} " not in lab(name, "-h").stdout.decode()


@pytest.mark.parametrize("name", COMMANDS)
def test_lists(name: str) -> None:
    """Values are separated by commas, blanks, or both."""
    values = {
        "NAME...": "map P_5",
        "MEASURE...": "map P_5",
        "LEVEL...": "10% 20%",
        "SCHEME...": "depth mtf",
        "[svm": "svm kld",
    }
    numbers = dict.fromkeys(("N...", "K..."), "4 5") | dict.fromkeys(("SHARE...", "D...", "W..."), "0.1 0.2")
    for option in options_of(described(name)):
        if not (option.metavar or "").endswith("..."):
            assert not option.multiple or option.metavar in REPEATED
            continue
        is_columns = long_name(option) == "--columns"
        text = "p wins" if is_columns else (values | numbers)[(option.metavar or "").partition("|")[0]]
        of_blanks, of_commas, of_both = (
            parameters_of_call(name, long_name(option), text.replace(" ", between))[option.name or ""]
            for between in (" ", ",", ", ")
        )
        if option.multiple:
            assert isinstance(of_blanks, tuple)
            assert len(of_blanks) == 2
            assert (of_blanks == of_commas == of_both) == (long_name(option) not in OF_PARAMETERS)


def test_lists_that_functions_read() -> None:
    """Levels of study and columns of compare are separated in the same way."""
    levels = [
        [level.text for level in SCHEMES["uniform"].levels(level_words(text))]
        for text in ("5% 10%", "5%,10%", "5%, 10%")
    ]
    assert levels == [["5%", "10%"]] * 3
    outputs = [lab("compare", QRELS, *RUNS, "--columns", text).stdout for text in ("p,wins", "p wins", "p, wins")]
    assert outputs[0] == outputs[1] == outputs[2] != lab("compare", QRELS, *RUNS).stdout


OF_JUDGMENTS = {"qrels", "judge", "judged", "x", "human"}
"""The parameters whose value is relevance judgments."""


@pytest.mark.parametrize("name", COMMANDS)
def test_formats_of_files(name: str) -> None:
    """Commands with runs have -T, and commands with judgments -R."""
    parameters = {parameter.name: parameter for parameter in described(name).params}
    assert ("runs" in parameters) == ("results_format" in parameters)
    assert ("rel_format" in parameters) == (not parameters.keys().isdisjoint(OF_JUDGMENTS))


@pytest.mark.parametrize("name", repeats(["", *COMMANDS], 6))
def test_unknown_options(name: str) -> None:
    """A mistyped option gets a suggestion."""
    command = described(name) if name else program
    for option in options_of(command):
        long = long_name(option)
        if not len(long) > 6:
            continue
        for wrong in (f"{long[:4]}{long[5:]}", f"{long[:4]}{long[5]}{long[4]}{long[6:]}"):
            if long[4] != long[5]:
                result = lab(*name.split(), wrong)
                message = f"irevalx-lab: unknown option '{wrong}'; did you mean {long}?\n"
                assert (result.status, result.stderr) == (1, message)


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (["bounds", "--topics"], "; to use some topics only, remove the other topics from the judgments"),
        (["compare", "--topic"], "; --topic-groups FILE defines topic subsets. To use some topics only, remove the "),
        (["next", "-n", "5"], "; did you mean --per-topic or --in-all?"),
    ],
)
def test_guessed_options(words: list[str], hint: str) -> None:
    """Options that people guess get a hint at what exists."""
    result = lab(*words)
    assert result.status == 1
    assert f"unknown option '{words[1]}'{hint}" in result.stderr


def test_guessed_options_do_not_exist() -> None:
    """A guess is needed: it fits a command that lacks the option. The hints name options that exist."""
    commands = {"irevalx": evaluator, **{f"irevalx-lab {name}": described(name) for name in COMMANDS}}
    options = {
        name: {word for option in options_of(command) for word in option.opts} for name, command in commands.items()
    }
    for guess in OPTION_GUESSES:
        programs = [
            known for name, known in options.items() if guess.program in {None, name} and guess.requires <= known
        ]
        assert all(any(name not in known for known in programs) for name in guess.names)
        assert programs
        assert set(re.findall(r"--[a-z-]+", guess.hint)) <= set().union(*options.values())


def test_guessed_commands() -> None:
    """The suggestions for guessed commands exist, and the guesses do not."""
    for guess, suggested in GUESSES.items():
        assert guess not in COMMANDS
        assert set(suggested.split(" or ")) <= set(COMMANDS)


def test_unknown_commands() -> None:
    """A mistyped command gets a suggestion, if one is similar."""
    for word, hint in (
        ("compar", "; did you mean compare?"),
        ("nothing", ""),
        ("reusability", "; did you mean leave-out?"),
    ):
        result = lab(word, "qrels")
        message = f"irevalx-lab: unknown command '{word}'{hint}\n"
        assert (result.status, result.stderr) == (1, message)


@pytest.mark.filterwarnings("ignore:.*no relevant document at level 2")
def test_names_of_measures() -> None:
    """--names selects trec_eval's or the requested names, in Python too."""
    measures = ("AP", "P@5,10", "nDCG@10", "map:skip", "AP(rel=2)")
    names = [word for measure in measures for word in ("-m", measure)]
    for naming in ("trec_eval", "asked"):
        printed = run(*names, "--names", naming, "--format", "json", QRELS, RUNS[0]).stdout
        [scores] = json.loads(printed)["runs"]
        actual = lab("compare", QRELS, *RUNS[:2], *names, "--names", naming, "--format", "json").stdout
        [rows] = [rows for title, rows in json.loads(actual).items() if title != "about"]
        assert {row["measure"]: row["mean"] for row in rows} == pytest.approx(scores["all"])
        result = irevalx.lab.compare(str(QRELS), [str(path) for path in RUNS[:2]], measures, names=naming)
        assert {row.measure for row in result.rows} == scores["all"].keys()
    scores = irevalx.evaluate(str(QRELS), [str(path) for path in RUNS[:2]], measures)
    result = irevalx.lab.compare(scores, measures=["nDCG@10"], names="asked")
    assert [row.measure for row in result.rows] == ["nDCG@10"]


@pytest.mark.parametrize("form", ["beir", "json"])
def test_other_formats_are_written_as_qrels(form: str, tmp_path: Path) -> None:
    """degrade, pool --judge and complete give the same output for qrels, BEIR and JSON."""
    path, plain = tmp_path / "judgments", tmp_path / "qrels"
    grades = {"1": {"A": 1, "B": 0, "C": 1, "D": 0}, "2": {"A": 0, "B": 1, "C": 0}}
    every = [(topic, docno, grade) for topic, of_topic in grades.items() for docno, grade in of_topic.items()]
    lines = "".join(f"{topic}\t{docno}\t{grade}\n" for topic, docno, grade in every)
    path.write_text(json.dumps(grades) if form == "json" else f"query-id\tcorpus-id\tscore\n{lines}")
    plain.write_text("".join(f"{topic} 0 {docno} {grade}\n" for topic, docno, grade in every))
    run_path, labels = tmp_path / "run", tmp_path / "labels"
    run_path.write_text("1 Q0 B 1 3 r\n1 Q0 E 2 2 r\n2 Q0 A 1 1 r\n")
    labels.write_text("1 0 E 1\n")
    for words in (
        ("degrade", "QRELS", "--uniform", "50%", "--seed", "3"),
        ("degrade", "QRELS", run_path, "--strata", "depth 1-1:100% rest:50%", "--seed", "3"),
        ("pool", run_path, "--judge", "QRELS"),
        ("pool", run_path, "--judge", "QRELS", "--sizes", "1 2"),
        ("complete", "QRELS", run_path, "--labels", labels, "--labels-format", "qrels"),
    ):
        expected, result = (
            lab(*(file if word == "QRELS" else word for word in words), "-R", chosen)
            for file, chosen in ((plain, "qrels"), (path, form))
        )
        assert result == expected
        assert expected.status == 0
        assert expected.stdout
