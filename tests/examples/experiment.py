"""The collection in ``fixtures/experiment`` with the labels in ``fixtures/labels``, and what is in such files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from running import FIXTURES

from irevalx.errors import Warn
from irevalx.experiments.prepared_runs import PreparedGradedRuns
from irevalx.experiments.ranked_runs import DEFAULT_RULES, EvaluationRules, GradedRuns, requests_of
from irevalx.judgments.graded import Judgments
from irevalx.reading.kinds.runs import RunStream

EXPERIMENT, LABELS = FIXTURES / "experiment", FIXTURES / "labels"
QRELS, DOCS = EXPERIMENT / "qrels", EXPERIMENT / "docs.jsonl.gz"
RUNS = sorted((EXPERIMENT / "runs").iterdir())
"""Six runs, two of each of three systems: count1 count2 guess1 guess2 vector1 vector2."""

MACHINE = LABELS / "machine"
"""Labels of all judged documents by a machine."""


def grades_in(source: Path | bytes) -> dict[str, dict[str, int]]:
    """Return the grades of judgments by topic and document."""
    grades: dict[str, dict[str, int]] = {}
    text = source if isinstance(source, bytes) else source.read_bytes()
    for topic, _, docno, grade in map(str.split, text.decode().splitlines()):
        grades.setdefault(topic, {})[docno] = int(grade)
    return grades


def scores_in(path: Path) -> dict[str, dict[str, float]]:
    """Return the scores of a run by topic and document."""
    scores: dict[str, dict[str, float]] = {}
    for topic, _, docno, _, score, _ in map(str.split, path.read_text().splitlines()):
        scores.setdefault(topic, {})[docno] = float(score)
    return scores


def write_qrels(path: Path, grades: Mapping[str, Mapping[str, object]]) -> Path:
    """Write judgments by topic and document, and return their path."""
    lines = (f"{topic} 0 {docno} {grade}\n" for topic, of_topic in grades.items() for docno, grade in of_topic.items())
    path.write_text("".join(lines))
    return path


def rank_graded_runs(
    judgments: Judgments,
    runs: Sequence[RunStream],
    measures: Sequence[str],
    rules: EvaluationRules = DEFAULT_RULES,
    *,
    warn: Warn = lambda line: None,
) -> GradedRuns:
    """Return runs ranked against graded judgments."""
    requests = requests_of(measures, rules.settings)
    return PreparedGradedRuns(judgments=judgments, runs=runs, requests=requests, rules=rules).ranked(warn)
