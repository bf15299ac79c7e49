"""Each rule between parameters of compare and of report holds in the shell and in Python, in the caller's words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from running import FIXTURES, lab

import irevalx
from irevalx.declarations import declaration_of, spelled_rule, typed_in_shell

FILES = [FIXTURES / "experiment" / "qrels", *sorted((FIXTURES / "experiment" / "runs").iterdir())[:2]]

VALUES: dict[str, Any] = {
    "baseline": "x",
    "columns": "p",
    "correction": "none",
    "figure": "x.png",
    "group_by": "x",
    "groups": "x",
    "interval": "bca",
    "level": 2,
    "margin": 0.1,
    "resamples": 9,
    "system_by": "x",
    "systems": "x",
    "test": "permutation",
    "topic_groups": "x",
}
"""Values of parameters that rules name without a value; all others are flags."""

REQUIRED: dict[str, dict[str, Any]] = {"margin": {"baseline": "x"}, "allow_unsure": {"margin": 0.1, "baseline": "x"}}
"""What a parameter requires, so that the rule in question is the only one that is broken."""


def rules(name: str) -> Iterator[tuple[str, str, str, str]]:
    """Yield the name of a function, a parameter with its value, ``requires`` or ``excludes``, and another parameter."""
    for parameter in declaration_of(getattr(irevalx.lab, name)).parameters.values():
        for kind in ("requires", "excludes"):
            rule = getattr(parameter, kind)
            for value, others in (rule if isinstance(rule, dict) else {"": rule}).items():
                for other in (others,) if isinstance(others, str) else others:
                    if other != "runs":
                        yield name, f"{parameter.name}={value}" if value else parameter.name, kind, other


@pytest.mark.parametrize(("name", "this", "kind", "other"), [*rules("compare"), *rules("report")])
def test_rules(name: str, this: str, kind: str, other: str) -> None:
    """The message of a broken rule names both parameters."""
    parameters = declaration_of(getattr(irevalx.lab, name)).parameters
    keywords: dict[str, Any] = {}
    for given in (this, *([other] if kind == "excludes" else [])):
        called, _, value = given.partition("=")
        keywords = {
            **(REQUIRED.get(called, {}) if kind == "excludes" else {}),
            **keywords,
            called: value or VALUES.get(called, True),
        }
    verb = "requires" if kind == "requires" else "cannot be combined with"
    if other != "figure":
        with pytest.raises(irevalx.IrevalxError) as refused:
            getattr(irevalx.lab, name)(FILES[0], FILES[1:], **keywords)
        assert str(refused.value) == f"{spelled_rule(this)} {verb} {spelled_rule(other)}"
    if parameters.keys() >= keywords.keys() - {"figure"} and all(
        key == "figure" or parameters[key].in_shell for key in keywords
    ):
        with typed_in_shell(parameters):
            words = [
                word
                for key, value in keywords.items()
                for word in spelled_rule(key if value is True else f"{key}={value}").split(" ", 1)
            ]
            expected = f"irevalx-lab: {spelled_rule(this)} {verb} {spelled_rule(other)}\n"
        done = lab(name, *FILES, *words)
        assert (done.status, done.stderr) == (1, expected)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--junit", "x"], "--junit requires --margin"),
        (["--page", "x"], "--page requires --margin"),
        (
            ["--page", "x", "--margin", "1", "--baseline", "x", "--grades", "probability"],
            "--page cannot be combined with --grades probability",
        ),
        (["--draw", "topics"], "--draw requires --figure"),
        (
            ["--draw", "topics", "--figure", "x.png", "--discriminative-power"],
            "--draw cannot be combined with --discriminative-power",
        ),
    ],
    ids=str,
)
def test_rules_of_the_command(words: list[str], message: str) -> None:
    """Options of the shell alone have rules as well."""
    done = lab("compare", *FILES, *words)
    assert (done.status, done.stderr) == (1, f"irevalx-lab: {message}\n")


@pytest.mark.parametrize(
    "value", [None, 0, 10**400, object(), b"x", [1], {1: 2}, float("nan")], ids=lambda value: type(value).__name__
)
@pytest.mark.parametrize("function", ["compare", "report"])
def test_wrong_types(function: str, value: object) -> None:
    """What a parameter does not take is an ArgumentError that names it."""
    for name, parameter in declaration_of(getattr(irevalx.lab, function)).parameters.items():
        if parameter.kind is None or (value is None and parameter.default is None):
            continue
        try:
            parameter.kind.check(value)
        except (ValueError, TypeError, OverflowError):
            with pytest.raises(irevalx.IrevalxError, match=rf"^{name} must be "):
                getattr(irevalx.lab, function)(FILES[0], FILES[1:], **{name: value})
