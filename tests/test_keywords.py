"""Messages name options in the commands and keywords in Python; each is written once."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

import click
import pytest
from running import FIXTURES, described, lab, run

import irevalx
import irevalx.lab
from irevalx.cli.command import command as evaluator
from irevalx.keywords import FLAGS, VALUES, in_keywords
from irevalx.lab import COMMANDS
from irevalx.reading.formats import REL_FORMATS, RESULTS_FORMATS
from irevalx.settings import DUPLICATES, GRADES, TIES

EXAMPLE = FIXTURES / "example"
QRELS, BM25, DENSE = (EXAMPLE / name for name in ("qrels", "bm25.run", "dense.run"))
KEYWORDS = inspect.signature(irevalx.evaluate).parameters


def options(command: click.Command) -> dict[str, str]:
    """Return the keyword of each name of an option."""
    return {
        name: param.name or "" for param in command.params if isinstance(param, click.Option) for name in param.opts
    }


def test_options_are_the_keywords() -> None:
    """What stands in messages is the keyword of the function that the option fills."""
    for name, keyword in options(evaluator).items():
        if keyword in KEYWORDS and not ("_" in name and name.startswith("--")):  # trec_eval's long names stand nowhere
            assert in_keywords(name).removesuffix("=True") == keyword
    assert {*REL_FORMATS, *RESULTS_FORMATS, *GRADES, *TIES, *DUPLICATES} == VALUES


@pytest.mark.parametrize("name", COMMANDS)
def test_options_of_the_lab_are_the_keywords(name: str) -> None:
    """So it is in each of its commands."""
    function = getattr(irevalx.lab, name.replace("-", "_"))
    keywords = inspect.signature(function).parameters
    for option, keyword in options(described(name)).items():
        # In leave_out complete is a classifier; estimate has one machine, labels several.
        if keyword in keywords and option not in {"-c", "--all-topics", "--machine"}:
            assert in_keywords(option).removesuffix("=True") == keyword


def test_flags() -> None:
    """What is said to be True is a flag of some command."""
    assert {
        param.name
        for each in (evaluator, *map(described, COMMANDS))
        for param in each.params
        if getattr(param, "is_flag", False)
    } >= FLAGS


@pytest.mark.parametrize(
    ("keywords", "typed", "said", "by_command"),
    [
        ({"level": 0.5}, ("-l", "0.5"), None, None),
        (
            {"max_retrieved": -1},
            ("-M", "-1"),
            "max_retrieved must be at least 0, but got -1",
            "-M must be at least 0, but got -1",
        ),
        (
            {"judged_only": True, "unjudged": "skip"},
            ("-J", "--unjudged", "skip"),
            "judged_only=True must not be given together with unjudged or a reading such as map:rel; it is skip for all",
            "-J must not be given together with --unjudged or a reading such as map:rel; it is skip for all",
        ),
        (
            {"grades": "probability", "ties": "best"},
            ("--grades", "probability", "--ties", "best"),
            'ties="best" and grades="probability" must not be given together',
            "--ties best and --grades probability must not be given together",
        ),
        (
            {"measures": "AP(rel=0.5)"},
            ("-m", "AP(rel=0.5)"),
            "a level must be a whole number, but got 'AP(rel=0.5)'; grades=\"real\" takes it",
            "a level must be a whole number, but got 'AP(rel=0.5)'; --grades real takes it",
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
    keywords: dict[str, Any], typed: tuple[str, ...] | None, said: str | None, by_command: str | None
) -> None:
    """Python's name keywords and never an option; the command's its options, as before."""
    with pytest.raises(irevalx.IrevalxError) as caught:
        irevalx.evaluate(**{"qrels": str(QRELS), "runs": str(BM25), "measures": "map", **keywords})
    if said is not None:
        assert said in str(caught.value)
    assert not {word for word in str(caught.value).split() if word.startswith(("-l", "-M", "-J", "-R", "--"))}
    if typed is not None and by_command is not None:
        assert by_command in run(*typed, QRELS, BM25).stderr


def test_warnings() -> None:
    """So do warnings."""
    with pytest.warns(irevalx.IrevalxWarning) as caught:
        irevalx.evaluate(str(QRELS), str(BM25), "map")
    assert str(caught[0].message).endswith("are left out of the averages (complete=True counts them as 0)")
    assert run("-m", "map", QRELS, BM25).stderr.endswith("are left out of the averages (-c counts them as 0)\n")


@pytest.mark.filterwarnings("default::irevalx.IrevalxWarning")
def test_the_lab() -> None:
    """Its results show themselves in Python's words, and print themselves in the command's."""
    with pytest.warns(irevalx.IrevalxWarning) as caught:
        found = irevalx.lab.compare(str(QRELS), [str(BM25), str(DENSE)])
    assert any("(complete=True counts them as 0)" in str(one.message) for one in caught)
    assert "(complete=True counts them as 0)" in repr(found)
    assert "(complete=True counts them as 0)" in found._repr_html_()
    assert b"(-c counts them as 0)" in lab("compare", QRELS, BM25, DENSE).stdout
    with (
        pytest.warns(irevalx.IrevalxWarning, match=r"\(all_topics=True counts them as 0\)"),
        pytest.raises(irevalx.IrevalxError, match="group_by must be a regular expression"),
    ):
        irevalx.lab.leave_out(str(QRELS), [str(BM25), str(DENSE)], group_by="(")


@pytest.mark.filterwarnings("default::irevalx.IrevalxWarning")
def test_keywords_of_one_function() -> None:
    """What complete is elsewhere is all_topics in leave_out: in notes and in errors too."""
    with pytest.warns(irevalx.IrevalxWarning):
        left_out = irevalx.lab.leave_out(str(QRELS), [str(BM25), str(DENSE)], "map")
    assert "(all_topics=True counts them as 0)" in repr(left_out)
    assert b"(-c counts them as 0)" in lab("leave-out", QRELS, BM25, DENSE, "-m", "map").stdout
    qrels, first, second = {"1": {"A": 1}, "2": {"B": 1}}, {"1": {"A": 1.0}}, {"2": {"B": 1.0}}
    with pytest.raises(irevalx.IrevalxError, match="all_topics=True counts topics without results as 0"):
        irevalx.lab.leave_out(qrels, {"first": first, "second": second}, "map")
    with pytest.raises(irevalx.IrevalxError, match="complete=True counts topics without results as 0"):
        irevalx.lab.compare(qrels, {"first": first, "second": second}, "map")


def test_what_is_quoted_stays(tmp_path: Path) -> None:
    """Text of users, names of files and command lines are no options."""
    with pytest.raises(irevalx.IrevalxError, match="'-R x --pool y'"):
        irevalx.evaluate(str(QRELS), str(BM25), "-R x --pool y")
    with pytest.raises(irevalx.IrevalxError, match=r"/-c -l'"):
        irevalx.evaluate(str(tmp_path / "-c -l"), str(BM25), "map")
    for text in (
        "is this UTF-16? iconv -f UTF-16 -t UTF-8",
        "irevalx -h -m all_trec explains",
        "x-c",
        "low > -margin",
        "-nan",
    ):
        assert in_keywords(text) == text
