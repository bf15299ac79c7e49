"""Every measure in every command and figure: a result, or a refusal that names the measure."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from running import lab, succeeded

from irevalx.experiments.ranked_runs import scale_of
from irevalx.lab import COMMANDS
from irevalx.measures import MEASURES
from irevalx.measures.declaration import Measure
from irevalx.measures.parameter_kinds import Cutoffs, RealCutoffs
from irevalx.measures.summaries import geometric_mean, mean

pytestmark = pytest.mark.slow

RUNS = ("one1.run", "one2.run", "two1.run", "two2.run")

CALLS = {
    "agree": "agree qrels other one1.run two1.run two2.run --resamples 2 --seed 1",
    "bounds": "bounds qrels RUNS",
    "compare": "compare qrels RUNS",
    "compare --by run": "compare qrels RUNS --by run",
    "gate": "gate qrels RUNS --baseline one1 --margin 1% --allow-unsure --junit gate.xml",
    "compare --topic-groups": "compare qrels RUNS --topic-groups groups",
    "compare --system-by": "compare qrels RUNS --system-by ^[a-z]+",
    "estimate": "estimate --human human --machine other RUNS",
    "labels": "labels qrels other RUNS --resamples 2 --seed 1",
    "leave-out": "leave-out qrels RUNS",
    "power": "power qrels RUNS",
    "report": "report qrels RUNS -o report.html",
    "study": "study qrels RUNS --levels 50% --samples 1 --seed 1 --figure-format none -o study",
    "swap-rate": "swap-rate qrels RUNS --sizes 2 --draws 5 --seed 1",
    "swap-rate --bins": "swap-rate qrels RUNS --sizes 2 --draws 5 --bins 0.2 --seed 1",
}
"""A call of each command that takes measures, and of each way to use it."""

WITHOUT_MEASURES = {"complete", "degrade", "describe", "draw", "next", "nuggets", "pool"}

DRAWN = ("compare", "compare --by run", "estimate", "labels", "leave-out", "power", "swap-rate", "swap-rate --bins")
"""The calls that can draw a figure."""

OF_EACH_KIND = ("ERR@20", "map", "gm_map", "num_rel", "utility")
"""Measures of figures: of each range, summary and kind of parameters."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with small files: seven topics, and four runs of two systems."""
    into, random = tmp_path_factory.mktemp("small"), Random(1)
    topics, docnos = [str(number) for number in range(1, 8)], [f"d{number}" for number in range(8)]
    for name, grades, n_topics in (
        ("qrels", [-1, 0, 0, 1, 2], 7),
        ("other", [0, 0, 1, 1, 2], 7),
        ("human", [0, 1, 2], 5),
    ):
        lines = [f"{topic} 0 {docno} {random.choice(grades)}\n" for topic in topics[:n_topics] for docno in docnos[:6]]
        (into / name).write_text("".join(lines))
    (into / "groups").write_text("".join(f"{topic} {'ab'[int(topic) % 2]}\n" for topic in topics))
    for name in RUNS:
        ranked = {topic: random.sample(docnos, 6) for topic in topics}
        lines = [
            f"{t} Q0 {d} {k} {-k} {name.partition('.')[0]}\n" for t, ds in ranked.items() for k, d in enumerate(ds, 1)
        ]
        (into / name).write_text("".join(lines))
    return into


def is_refused(call: str, measure: Measure) -> bool:
    """Return whether a command cannot use a measure."""
    if call == "report":
        return False
    if call == "bounds":
        return measure.name not in {"P", "dcg"}
    by_topic = scale_of(measure) is not None and measure.kernel is not None and measure.number != "text"
    if call in {"power", "estimate"}:
        return not by_topic or measure.summary is not mean
    if call == "compare --system-by":
        return not by_topic or measure.summary is geometric_mean
    if call == "gate":
        return not by_topic or measure.summary is not mean or not (measure.higher_is_better or measure.lower_is_better)
    return not by_topic


def named(measure: Measure) -> str:
    """Return a measure with one cutoff, if it has several."""
    if isinstance(measure.kind, Cutoffs | RealCutoffs):
        return f"{measure.name}{'.5' if isinstance(measure.kind, Cutoffs) else '.0.5'}"
    return measure.name


def test_calls() -> None:
    """Each command with measures has a call."""
    assert {call.partition(" ")[0] for call in CALLS} == {*COMMANDS} - WITHOUT_MEASURES


@pytest.mark.parametrize("call", CALLS)
def test_each_measure(call: str, folder: Path) -> None:
    """A command uses a measure or refuses it by name with status 1."""
    measures = [measure for measure in MEASURES if "qrels" in measure.formats]
    used = [measure for measure in measures if not is_refused(call, measure)]
    words = CALLS[call].replace("RUNS", " ".join(RUNS)).split()
    succeeded(*words, *(word for measure in used for word in ("-m", named(measure))), cwd=folder)
    for measure in measures:
        if measure not in used:
            done = lab(*words, "-m", measure.name, cwd=folder)
            assert done.status == 1, (measure.name, done)
            assert measure.name in done.stderr


@pytest.mark.parametrize("call", DRAWN)
def test_figures(call: str, folder: Path) -> None:
    """Figures display measures of each kind."""
    names = [name for name in OF_EACH_KIND if not any(m.name == name and is_refused(call, m) for m in MEASURES)]
    words = CALLS[call].replace("RUNS", " ".join(RUNS)).split()
    succeeded(*words, "-m", " ".join(names), "--figure", "figure.svg", cwd=folder)
    assert (folder / "figure.svg").stat().st_size > 1000
    (folder / "figure.svg").unlink()
