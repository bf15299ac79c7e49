"""The values that other programs compute for the measures in the tables of docs/migrating.md.

    PYTHONPATH=tests python tests/references/other_programs.py > fixtures/example/bm25.other_programs

records the values for the example. All of the programs must be installed.
"""

from __future__ import annotations

import copy
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import TypeAlias

from running import FIXTURES, ROOT

Grades: TypeAlias = Mapping[str, Mapping[str, int]]
Results: TypeAlias = Mapping[str, Mapping[str, float]]


@dataclass(frozen=True)
class Row:
    """A row of a table: measures of another program, and the options with which irevalx computes them."""

    program: str
    names: tuple[str, ...]
    options: tuple[str, ...]  # without -m the names are the same
    remark: str


def rows(page: str) -> Iterator[Row]:
    """Yield the rows of the tables on the page that have three columns."""
    program = ""
    for line in page.splitlines():
        cells = [cell.strip() for cell in line[1:-1].split("|")] if line.startswith("| ") else []
        if len(cells) == 3 and cells[2] == "remark":
            program = cells[0]
        elif len(cells) == 3:
            names, options = (re.findall("`(.+?)`", cell) for cell in cells[:2])
            yield Row(program, tuple(names), tuple(" ".join(options).split()), cells[2])


def ir_measures(name: str, qrels: Grades, run: Results) -> float:
    """Return the summary that ir_measures computes."""
    program = import_module("ir_measures")
    measure = program.parse_measure(name)
    return float(program.calc_aggregate([measure], qrels, run)[measure])


def subtopic_of(docno: str) -> str:
    """Return the subtopic for which a document was judged, if judgments are for subtopics."""
    return str(sum(map(ord, docno)) % 3 + 1)


def ir_measures_with_subtopics(name: str, qrels: Grades, run: Results) -> float:
    """Return the summary that ir_measures computes if each document was judged for one subtopic."""
    program = import_module("ir_measures")
    judged = [
        program.Qrel(topic, docno, grade, subtopic_of(docno))
        for topic, grades in qrels.items()
        for docno, grade in grades.items()
    ]
    measure = program.parse_measure(name)
    return float(program.calc_aggregate([measure], judged, run)[measure])


def ranx(name: str, qrels: Grades, run: Results) -> float:
    """Return the mean that ranx computes, including topics without results."""
    program = import_module("ranx")
    given = program.Qrels(copy.deepcopy(qrels)), program.Run(copy.deepcopy(run))
    return float(program.evaluate(*given, name, make_comparable=True))


def beir(name: str, qrels: Grades, run: Results) -> float:
    """Return the mean that BEIR computes, rounded to 5 decimals."""
    evaluator = import_module("beir.retrieval.evaluation").EvaluateRetrieval
    kind, _, k = name.partition("@")
    given = copy.deepcopy(qrels), copy.deepcopy(run), [int(k)]
    custom = {"MRR": "mrr", "R_cap": "r_cap", "Accuracy": "accuracy"}
    result = [evaluator.evaluate_custom(*given, custom[kind])] if kind in custom else evaluator.evaluate(*given)
    return next(float(means[name]) for means in result if name in means)


def mteb(name: str, qrels: Grades, run: Results) -> float:
    """Return the mean that MTEB computes if a task removes documents with the topic's ID. Most means are rounded."""
    metrics = import_module("mteb._evaluators.retrieval_metrics")
    evaluate = import_module("mteb._evaluators.retrieval_evaluator").RetrievalEvaluator.evaluate
    result = evaluate(None, copy.deepcopy(qrels), copy.deepcopy(run), [1, 10], ignore_identical_ids=True)
    kinds = ("ndcg", "recall", "precision", "naucs", "mrr", "naucs_mrr", "hit_rate")
    scores = metrics.make_score_dict(_map=result.map, task_scores={}, **{kind: getattr(result, kind) for kind in kinds})
    return float({**scores, **result.hit_rate}[name])


PROGRAMS: dict[str, Callable[[str, Grades, Results], float]] = {
    "ir_measures": ir_measures,
    "ir_measures, with subtopics": ir_measures_with_subtopics,
    "ranx": ranx,
    "BEIR": beir,
    "MTEB": mteb,
}
"""The function for each program. The keys are the names in the column headings of the tables."""

MODULES = {
    "ir_measures, with subtopics": "pyndeval",
    "BEIR": "beir.retrieval.evaluation",
    "MTEB": "mteb._evaluators.retrieval_metrics",
}
"""The modules that programs require, if a module does not have the name of the program."""


def main() -> None:
    """Print the program, the name of the measure and the value for the example, one per line."""
    import irevalx

    with (FIXTURES / "example" / "qrels").open() as lines:
        qrels = irevalx.parse_qrel(lines)
    with (FIXTURES / "example" / "bm25.run").open() as lines:
        run = irevalx.parse_run(lines)
    for row in rows((ROOT / "docs" / "migrating.md").read_text()):
        for name in row.names:
            sys.stdout.write(f"{row.program}\t{name}\t{PROGRAMS[row.program](name, dict(qrels), dict(run))!r}\n")


if __name__ == "__main__":
    main()
