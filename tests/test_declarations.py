"""Declared parameters: checks, rules and messages of Python and of the shell."""

from pathlib import Path
from typing import Annotated, Any

import click
import pytest
from running import FIXTURES, described, lab, run

import irevalx
import irevalx.lab
from irevalx.cli.command import OPTIONS
from irevalx.cli.command import command as evaluator
from irevalx.command_line.options import ShellNotation, in_shell_words, typed_in_shell
from irevalx.declarations import (
    NO_DEFAULT,
    Parameter,
    choice,
    declaration_of,
    declared,
    flag,
    number,
    path,
    refined,
    text,
    whole,
)
from irevalx.errors import ArgumentError
from irevalx.lab import COMMANDS
from irevalx.lab.command.declaration import parameters_of
from irevalx.settings import PARAMETERS
from irevalx.wording import is_parameter, spelled

EXAMPLE = FIXTURES / "example"
QRELS, BM25, DENSE = (EXAMPLE / name for name in ("qrels", "bm25.run", "dense.run"))

Shared = Annotated[int, whole(1, help="the shared number.")]


@declared(example="program")
def function(
    data: Annotated[Any, Parameter(names=("DATA",))],
    *,
    count: Annotated[int, refined(names=("-n", "--count"))(whole(1))] = 2,
    sizes: Annotated[Any, number(above=0, most=1, several=True)] = (0.5,),
    by: Annotated[str, choice("run", "pair", excludes={"run": "quick"})] = "pair",
    quick: Annotated[bool, flag()] = False,
    name: Annotated[str | None, text(requires=("by=run", "quick"))] = None,
    output: Annotated[str | None, path()] = None,
    shared: Shared = 1,
) -> dict[str, Any]:
    """Return the arguments.

    Longer text about `quick` and `by="run"`.

    Parameters
    ----------
    count : the number of things,
        at least 1.
    sizes : shares.

    Returns
    -------
    The arguments.
    """
    return {"count": count, "sizes": sizes, "by": by, "quick": quick, "name": name, "output": output, "shared": shared}


def test_declared_functions() -> None:
    """Signatures are unchanged, and docstrings include the explanations of shared parameters."""
    parameters = declaration_of(function).parameters
    assert list(parameters) == ["data", "count", "sizes", "by", "quick", "name", "output", "shared"]
    assert function.__annotations__["count"] is int
    assert parameters["count"].help == "the number of things, at least 1."
    assert (parameters["data"].default, parameters["count"].default) == (NO_DEFAULT, 2)
    assert "    count : the number of things, at least 1.\n    sizes : shares.\n" in (function.__doc__ or "")
    assert "    shared : the shared number.\n\n    Returns\n" in (function.__doc__ or "")
    printed = in_shell_words(declaration_of(function).description, ShellNotation.of(parameters))
    assert printed == "Return the arguments.\n\nLonger text about --quick and --by run."


@pytest.mark.parametrize(
    ("keywords", "message"),
    [
        ({"count": 0}, "count must be an integer of at least 1, not 0"),
        ({"count": True}, "count must be an integer of at least 1, not True"),
        ({"count": 10**400}, "count must be an integer of at least 1"),
        ({"count": [1]}, "count must be an integer of at least 1, not an object of type list"),
        ({"sizes": [0.5, 2]}, "sizes must be a number above 0 and at most 1, not 2"),
        ({"sizes": float("nan")}, "sizes must be a number above 0 and at most 1, not nan"),
        ({"by": "topic"}, "by must be run or pair, not 'topic'"),
        ({"by": None}, "by must be run or pair, not None"),
        ({"quick": 2}, "quick must be True or False, not 2"),
        ({"name": 5}, "name must be a string, not 5"),
        ({"output": 5}, "output must be the path of a file, not 5"),
        ({"by": "run", "quick": True}, 'by="run" cannot be combined with quick'),
        ({"name": "x"}, 'name requires by="run" or quick'),
    ],
    ids=str,
)
def test_refusals(keywords: dict[str, Any], message: str) -> None:
    """Wrong types, values and combinations raise ArgumentError, which names the parameter."""
    with pytest.raises(ArgumentError) as caught:
        function({}, **keywords)
    assert str(caught.value).startswith(message)


def test_accepted_arguments() -> None:
    """Defaults do not count as given; single values, sets and paths are converted for the function."""
    assert function({}, by="run", quick=False)["by"] == "run"
    assert function({}, sizes=1)["sizes"] == (1,)
    assert function({}, sizes={1.0, 0.25})["sizes"] == (0.25, 1.0)
    assert function({}, output=str(Path("x")))["output"] == "x"
    assert function({}, quick=True, name="x")["name"] == "x"
    for arguments, keywords in (((), {}), (({}, 1), {}), (({},), {"unknown": 1}), (({},), {"data": {}})):
        with pytest.raises(TypeError, match=r"function\(\)"):
            function(*arguments, **keywords)


def test_words_of_the_caller() -> None:
    """Messages name options in the shell and keywords in Python; a function can rename a shared parameter."""

    @declared()
    def inner(*, all_topics: Annotated[bool, flag(means="complete")] = False) -> list[object]:
        return [spelled("complete", True), is_parameter("ties"), is_parameter("complete"), all_topics]

    assert inner() == ["all_topics=True", False, True, False]
    assert [spelled("complete", True), is_parameter("ties")] == ["complete=True", True]
    with typed_in_shell(PARAMETERS):
        assert [spelled("complete", True), spelled("grades", "real")] == ["-c", "--grades real"]
        assert (is_parameter("ties"), is_parameter("labels_format")) == (True, False)


@pytest.mark.parametrize(
    ("keywords", "typed", "complaint", "by_command"),
    [
        ({"level": 0.5}, ("-l", "0.5"), None, None),
        (
            {"max_retrieved": -1},
            ("-M", "-1"),
            "max_retrieved must be an integer of at least 0, not -1",
            "-M -1: must be at least 0",
        ),
        (
            {"judged_only": True, "unjudged": "skip"},
            ("-J", "--unjudged", "skip"),
            "judged_only=True cannot be combined with unjudged or with a treatment such as map:rel, because judged_only=True applies ",
            "-J cannot be combined with --unjudged or with a treatment such as map:rel, because -J applies ",
        ),
        (
            {"grades": "probability", "ties": "best"},
            ("--grades", "probability", "--ties", "best"),
            'ties="best" cannot be combined with grades="probability"',
            "--ties best cannot be combined with --grades probability",
        ),
        (
            {"measures": "AP(rel=0.5)"},
            ("-m", "AP(rel=0.5)"),
            "invalid level in 'AP(rel=0.5)': must be an integer; fractional levels require grades=\"real\"",
            "invalid level in 'AP(rel=0.5)': must be an integer; fractional levels require --grades real",
        ),
        (
            {"rel_format": "prefs"},
            ("-R", "prefs"),
            "rel_format",
            "-R",
        ),
        ({"qrels": str(BM25)}, None, "is this a run? The judgments (qrels) come first", None),
    ],
    ids=lambda value: ",".join(value) if isinstance(value, dict) else "",
)
def test_errors(
    keywords: dict[str, Any], typed: tuple[str, ...] | None, complaint: str | None, by_command: str | None
) -> None:
    """Errors of Python name keywords, and errors of the command name options."""
    with pytest.raises(irevalx.IrevalxError) as caught:
        irevalx.evaluate(**{"qrels": str(QRELS), "runs": str(BM25), "measures": "map", **keywords})
    if complaint is not None:
        assert complaint in str(caught.value)
    assert not {word for word in str(caught.value).split() if word.startswith(("-l", "-M", "-J", "-R", "--"))}
    if typed is not None and by_command is not None:
        assert by_command in run(*typed, QRELS, BM25).stderr


def test_warnings() -> None:
    """Warnings name keywords in Python and options in the shell."""
    with pytest.warns(irevalx.IrevalxWarning) as caught:
        irevalx.evaluate(str(QRELS), str(BM25), "map")
    assert str(caught[0].message).endswith("are left out of the averages (complete=True counts them as 0)")
    assert run("-m", "map", QRELS, BM25).stderr.endswith("are left out of the averages (-c counts them as 0)\n")


@pytest.mark.filterwarnings("default::irevalx.IrevalxWarning")
def test_the_lab() -> None:
    """Results are displayed with keywords in Python and with options in the shell."""
    with pytest.warns(irevalx.IrevalxWarning) as caught:
        comparison = irevalx.lab.compare(str(QRELS), [str(BM25), str(DENSE)])
    assert any("(complete=True counts them as 0)" in str(warning.message) for warning in caught)
    assert "(complete=True counts them as 0)" in repr(comparison)
    assert "(complete=True counts them as 0)" in comparison._repr_html_()
    assert b"(-c counts them as 0)" in lab("compare", QRELS, BM25, DENSE).stdout
    with (
        pytest.warns(irevalx.IrevalxWarning, match=r"\(all_topics=True counts them as 0\)"),
        pytest.raises(irevalx.IrevalxError, match="group_by: invalid regular expression"),
    ):
        irevalx.lab.leave_out(str(QRELS), [str(BM25), str(DENSE)], group_by="(")


@pytest.mark.filterwarnings("default::irevalx.IrevalxWarning")
def test_keywords_of_one_function() -> None:
    """``complete`` is called all_topics in the notes and errors of leave_out."""
    with pytest.warns(irevalx.IrevalxWarning):
        left_out = irevalx.lab.leave_out(str(QRELS), [str(BM25), str(DENSE)], "map")
    assert "(all_topics=True counts them as 0)" in repr(left_out)
    assert b"(-c counts them as 0)" in lab("leave-out", QRELS, BM25, DENSE, "-m", "map").stdout
    qrels, first, second = {"1": {"A": 1}, "2": {"B": 1}}, {"1": {"A": 1.0}}, {"2": {"B": 1.0}}
    with pytest.raises(irevalx.IrevalxError, match="all_topics=True scores topics without results as 0"):
        irevalx.lab.leave_out(qrels, {"first": first, "second": second}, "map")
    with pytest.raises(irevalx.IrevalxError, match="complete=True scores topics without results as 0"):
        irevalx.lab.compare(qrels, {"first": first, "second": second}, "map")


def test_what_is_quoted_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Texts of users and file names are quoted unchanged, even if they look like options."""
    with pytest.raises(irevalx.IrevalxError, match="'-R x --pool y'"):
        irevalx.evaluate(str(QRELS), str(BM25), "-R x --pool y")
    for name in ("-c -l", "a --ties b.qrels", "QRELS"):
        monkeypatch.chdir(tmp_path)
        with pytest.raises(irevalx.IrevalxError, match=f"cannot read '{name}'"):
            irevalx.evaluate(name, str(BM25), "map")


@pytest.mark.parametrize("command", [evaluator, *map(described, COMMANDS)], ids=lambda command: str(command.name))
def test_rules_name_parameters_and_their_values(command: click.Command) -> None:
    """Rules refer to parameters of their command, and to possible values."""
    if command is evaluator:
        parameters = OPTIONS
    else:
        function = getattr(irevalx.lab, (command.name or "").replace("-", "_"))
        parameters = declaration_of(function).parameters | parameters_of(function)
    for parameter in parameters.values():
        for rules in (parameter.requires, parameter.excludes):
            by_value = rules if isinstance(rules, dict) else {"": rules}
            for value, others in by_value.items():
                own = [f"{parameter.name}={value}"] if value else []
                for rule in [*own, *([others] if isinstance(others, str) else others)]:
                    name, has_value, text = rule.partition("=")
                    assert name in parameters
                    kind = parameters[name].kind
                    if has_value and kind is not None and kind.choices:
                        assert text in kind.choices
