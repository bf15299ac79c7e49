"""Rules between parameters of study and draw, and wrong values, from both sides."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from running import FIXTURES, lab

import irevalx.lab
from irevalx.declarations import declaration_of
from irevalx.errors import ArgumentError, IrevalxError

QRELS = FIXTURES / "experiment" / "qrels"
RUNS = sorted((FIXTURES / "experiment" / "runs").iterdir())[:2]

STUDY: list[tuple[dict[str, Any], str, str]] = [
    ({"rounding": "half-up"}, "--round half-up", '{rounding="half-up"} requires {scheme="stratified"}'),
    ({"strata": "depth 1-5:50%"}, "--strata 'x'", '{strata} requires {scheme="strata"}'),
    ({"scheme": "strata"}, "--scheme strata", '{scheme="strata"} requires {strata}'),
    ({"scheme": "cal"}, "--scheme cal", '{scheme="cal"} requires {documents}'),
    ({"strata_file": "f"}, "--strata-file f", "{strata_file} requires {strata}"),
    ({"pairs": 3, "scheme": "depth"}, "--pairs 3 --scheme depth", '{pairs} requires {scheme="uniform"} or'),
    (
        {"pairs": 3, "resamples": 2, "resample_decisions": True},
        "--pairs 3 --resamples 2 --resample-decisions",
        "{pairs} cannot be combined with {resample_decisions}",
    ),
    ({"resample_decisions": True}, "--resample-decisions", "{resample_decisions} requires {resamples}"),
    (
        {"resample_decisions": True, "resamples": 0},
        "--resample-decisions --resamples 0",
        "{resample_decisions} requires {resamples}",
    ),
    ({"pool_depth": 3}, "--pool-depth 3", "{pool_depth} requires {own_pool}"),
    ({"depth": 3}, "--depth 3", '{depth} requires {scheme="depth"}'),
    ({"across": True}, "--across", '{across} requires {scheme="depth"}'),
    (
        {"across": True, "scheme": "sampled"},
        "--across --scheme sampled",
        '{across} cannot be combined with {scheme="sampled"}',
    ),
    ({"batch": 3}, "--batch 3", '{batch} requires {scheme="depth"}'),
    ({"unjudged": "nonrel"}, "--unjudged nonrel", '{unjudged} requires {scheme="depth"}'),
    ({"documents": ["f"], "scheme": "mtf"}, "--docs f --scheme mtf", '{documents} requires {scheme="cal"}'),
    ({"group_by": "x"}, "--group-by x", '{group_by} requires {scheme="depth"}'),
    ({"groups": "f"}, "--groups f", '{groups} requires {scheme="depth"}'),
    (
        {"groups": "f", "group_by": "x", "scheme": "mtf"},
        "--groups f --group-by x --scheme mtf",
        "{groups} cannot be combined with {group_by}",
    ),
    (
        {"groups": "f", "min_retrieved": 0.5, "scheme": "mtf"},
        "--groups f --min-retrieved 0.5 --scheme mtf",
        "{groups} cannot be combined with {min_retrieved}",
    ),
    (
        {"scheme": "depth", "levels": [5], "batch": 2},
        "--scheme depth --levels 5 --batch 2",
        '{batch} requires a judging strategy: {scheme="depth"} is one only if {levels} are shares',
    ),
    (
        {"scheme": "depth", "levels": [5], "own_pool": True, "pool_depth": 4},
        "--scheme depth --levels 5 --own-pool --pool-depth 4",
        "{levels} must not be deeper than the pool ({pool_depth=4}), but got 5",
    ),
]
DRAW: list[tuple[dict[str, Any], str, str]] = [
    ({"at": "5%"}, "--at 5%", '{at} requires {layout="scores"}'),
    (
        {"itself": "map", "layout": "runs"},
        "--itself map --layout runs",
        '{itself} cannot be combined with {layout="runs"}',
    ),
    (
        {"axis": "linear", "layout": "scores"},
        "--axis linear --layout scores",
        '{axis="linear"} cannot be combined with {layout="scores"}',
    ),
]
READ = {"qrels", "runs", "measures", "strata_file"}
"""Parameters whose values are read and refused elsewhere."""

OPTIONS = {"rounding": "--round", "documents": "--docs"}


def in_python(message: str) -> str:
    """Return a message of the tables in Python's words."""
    return message.replace("{", "").replace("}", "")


def in_shell(message: str) -> str:
    """Return a message of the tables in the shell's words."""
    text, *parts = message.split("{")
    for part in parts:
        rule, _, rest = part.partition("}")
        name, _, value = rule.partition("=")
        text += f"{OPTIONS.get(name, '--' + name.replace('_', '-'))} {value.strip(chr(34))}".rstrip() + rest
    return text


@pytest.mark.parametrize(("keywords", "words", "message"), STUDY)
def test_rules_of_study(keywords: dict[str, Any], words: str, message: str, tmp_path: Path) -> None:
    """A rule is checked for both callers, and says so in the words of each."""
    with pytest.raises(IrevalxError) as refusal:
        irevalx.lab.study(QRELS, RUNS, "map", **keywords)
    assert str(refusal.value).startswith(in_python(message))
    done = lab("study", QRELS, *RUNS, *words.split(), "-o", tmp_path / "out")
    assert (done.status, done.stdout) == (1, b"")
    assert done.stderr.startswith(f"irevalx-lab: {in_shell(message)}")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(("keywords", "words", "message"), DRAW)
def test_rules_of_draw(keywords: dict[str, Any], words: str, message: str, tmp_path: Path) -> None:
    """The rules of layouts."""
    with pytest.raises(ArgumentError) as refusal:
        irevalx.lab.draw("nothing", **keywords)
    assert str(refusal.value) == in_python(message)
    done = lab("draw", "nothing", *words.split(), "--figure", tmp_path / "f.svg")
    assert (done.status, done.stderr) == (1, f"irevalx-lab: {in_shell(message)}\n")


def test_round_up_is_the_default(tmp_path: Path) -> None:
    """--round up is allowed with every scheme, as it changes nothing."""
    words = ("--round", "up", "-m", "map", "--levels", "50%", "--samples", "1", "--figure", "none", "--quiet")
    assert lab("study", QRELS, *RUNS, *words, "--seed", "1", "-o", tmp_path / "out").status == 0


@pytest.mark.parametrize("name", [name for name in declaration_of(irevalx.lab.study).parameters if name not in READ])
@pytest.mark.parametrize("value", [object(), 1.5, b"x", [object()], {1: 2}, 10**400, float("nan")])
def test_wrong_values_of_study(name: str, value: Any) -> None:
    """They are refused by name."""
    if (name, value) in (("levels", 1.5), ("min_retrieved", 1.5)) or (name == "documents" and value == b"x"):
        return
    with pytest.raises(ArgumentError) as refusal:
        irevalx.lab.study(QRELS, RUNS, "map", **{name: value})
    assert name in str(refusal.value)


@pytest.mark.parametrize("name", ["layout", "at", "measures", "against", "itself", "axis", "width", "titled"])
@pytest.mark.parametrize("value", [object(), b"x", [object()], {1: 2}, -1, float("nan")])
def test_wrong_values_of_draw(name: str, value: Any) -> None:
    """They are refused by name."""
    with pytest.raises(ArgumentError) as refusal:
        irevalx.lab.draw("nothing", **{name: value})
    assert name in str(refusal.value)


@pytest.mark.parametrize("name", ["sizes", "draws", "own_sets", "bins", "seed", "level", "rel_format"])
@pytest.mark.parametrize("value", [object(), b"x", [object()], {"x": 2}, -0.5, 10**400])
def test_wrong_values_of_swap_rate(name: str, value: Any) -> None:
    """They are refused by name."""
    with pytest.raises(ArgumentError) as refusal:
        irevalx.lab.swap_rate(QRELS, RUNS, "map", **{name: value})
    assert name in str(refusal.value)
