"""--topic-rates of degrade and study: samples equal those of a literal reference, topic by topic."""

from __future__ import annotations

from pathlib import Path

import pytest
from examples.experiment import QRELS, RUNS
from references import degrade as reference
from running import lab

import irevalx
from irevalx.errors import ArgumentError, InputError, MalformedLineError

FULL = reference.read_qrels(Path(QRELS).read_text())
RATES = {topic: f"{(number % 4 + 1) / 5:g}" for number, topic in enumerate(FULL)}


def sample(factor: float, seed: int) -> dict[str, dict[str, int]]:
    """Return the sample of each topic at its own rate, times a factor."""
    return {
        topic: reference.uniform({topic: FULL[topic]}, f"{float(RATES[topic]) * factor:.3f}", seed)[topic]
        for topic in FULL
    }


def rates_in(folder: Path) -> Path:
    """Write the rates, in another order than the judgments."""
    lines = [f"{topic} {rate}\n" for topic, rate in reversed(RATES.items())]
    (folder / "rates").write_text("".join(lines))
    return folder / "rates"


@pytest.mark.parametrize("seed", [0, 7])
def test_degrade(seed: int, tmp_path: Path) -> None:
    """Each topic keeps its share of the judgments."""
    done = lab("degrade", QRELS, "--topic-rates", rates_in(tmp_path), "--seed", str(seed))
    expected = [f"{topic} 0 {docno} {grade}\n" for topic, of in sample(1, seed).items() for docno, grade in of.items()]
    assert done.stdout.decode() == "".join(expected)


@pytest.mark.filterwarnings("ignore::irevalx.IrevalxWarning")
def test_study(tmp_path: Path) -> None:
    """Levels are multiplied by the rates; values are those of the evaluator for the literal samples."""
    result = irevalx.lab.study(
        QRELS, [*RUNS], "infAP bpref", topic_rates=rates_in(tmp_path), levels=["50%", "100%"], samples=2, seed=4
    )
    for place, factor in enumerate((0.5, 1)):
        for number in (0, 1):
            scores = irevalx.evaluate(sample(factor, 4 + number), [*RUNS], "infAP bpref", complete=True)
            for m, measure in enumerate(("infAP", "bpref")):
                values = result.study.scores[place, number, m]
                assert values == pytest.approx([scores[measure, run] for run in scores.runs], abs=1e-12)


def test_refusals(tmp_path: Path) -> None:
    """A topic without a rate, a malformed rate, and contradicting options are refused."""
    path = tmp_path / "rates"
    path.write_text("".join(f"{topic} 10%\n" for topic in [*FULL][1:]))
    with pytest.raises(InputError, match=f"missing rate of topic '{next(iter(FULL))}'; add a line TOPIC RATE"):
        irevalx.lab.degrade(QRELS, topic_rates=path)
    path.write_text("1 0\n")
    with pytest.raises(MalformedLineError, match="1: expected 2 columns, a topic and a rate above 0"):
        irevalx.lab.degrade(QRELS, topic_rates=path)
    with pytest.raises(ArgumentError, match="topic_rates"):
        irevalx.lab.study(QRELS, [*RUNS], "map", scheme="stratified", topic_rates=path)
