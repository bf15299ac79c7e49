"""irevalx-lab bounds."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import click
import numpy as np
from click.core import ParameterSource

from irevalx.cli.options import refuse_standard_input_twice
from irevalx.errors import UsageError
from irevalx.experiments.pools import first_documents
from irevalx.experiments.ranked_runs import requests_of
from irevalx.experiments.weighted_measures import WeightedMeasure, weighted_measures
from irevalx.judgments.graded import Judgments
from irevalx.judgments.pool import Pool, with_pool
from irevalx.lab.bounding.score_bounds import Bounds, WeightedScores, is_decided
from irevalx.lab.command.input_files import GRADED, Inputs
from irevalx.lab.command.making import lab_command
from irevalx.lab.command.output import FORMATS, Output
from irevalx.lab.command.parameters import (
    FIGURE,
    TABLES_OUTPUT,
    complete_option,
    least_retrieved_option,
    level_option,
    measures_option_with,
    qrels_argument,
    runs_argument,
)
from irevalx.reports.table import Table

COLUMNS = (
    *("measure", "run", "against", "topic", "difference", "low", "high", "unjudged", "decided"),
    *("next_topic", "next_docno", "narrows"),
)

Pair = tuple[int, int | None]


@lab_command(
    "bounds",
    qrels_argument,
    runs_argument,
    measures_option_with(
        "P.10",
        which=(
            "Measures that are sums over ranks of weight times gain: P.K, rbp and dcg, with gains and parameters as "
            "for irevalx -m: 'P.10 rbp.p=0.8,1=0.5,2=1'"
        ),
    ),
    click.option(
        "--max-grade",
        type=click.IntRange(0),
        metavar="N",
        help="Unjudged documents may get grades from 0 to N.  [default: the greatest grade in QRELS]",
    ),
    click.option(
        "--by-topic", is_flag=True, help="Show each topic in tables for people too; other formats have them anyway."
    ),
    click.option(
        "--next",
        "n_next",
        type=click.IntRange(1),
        metavar="N",
        help=(
            "Write the N documents instead whose judgments would narrow the bounds of undecided pairs most, the best "
            "first: a pool file, or with --format a table."
        ),
    ),
    level_option,
    complete_option,
    least_retrieved_option,
    *FIGURE,
    *TABLES_OUTPUT,
    example="irevalx-lab bounds qrels runs/* -m P.10 --next 50 > judge_these",
    formats=GRADED,
)
def command(
    inputs: Inputs,
    output: Output,
    *,
    max_grade: int | None,
    by_topic: bool,
    n_next: int | None,
) -> None:
    """Find out whether unjudged documents could reverse a comparison, and which to judge next.

    For each run, and for each pair of runs, the score or difference with the judgments there are, and its least and
    greatest value over all ways to judge the unjudged documents: each topic, then all. A pair is decided if the
    difference has the same sign, or is 0, in all of them. The bounds are exact: they are reached, as a document that
    both runs have gets one grade in both. Unjudged documents that no run has retrieved do not count.

    The figure takes the judgments of QRELS away, gives them back in the order in which --next would ask for them, and
    beside it in the order of the best rank, and shows how many pairs are decided.

    The columns after decided are the unjudged document that narrows the bounds of the mean most, and by how much.
    """
    refuse_standard_input_twice(inputs.qrels, *inputs.runs)
    warn = inputs.messages.warn
    judgments = inputs.judgments_of(inputs.qrels)
    known = judgments.grades[judgments.grades >= 0]
    greatest = int(known.max(initial=0)) if max_grade is None else max_grade
    requests = requests_of(inputs.measures, inputs.level)
    measures = weighted_measures(requests, inputs.level, set(known.tolist()), greatest)
    _refuse_contradictions(n_next, measures, inputs, output)
    for measure in measures:
        if not measure.greatest_gain:
            warn(f"{measure.name}: no grade up to {greatest} has a gain, so nothing is uncertain: give --max-grade")
    experiment = inputs.experiment_with(_with_retrieved(inputs, judgments, measures), least_runs=1)
    scores = [WeightedScores(experiment, measure) for measure in measures]
    if n_next is not None:
        _write_next(scores[0], n_next, inputs, output)
        return
    found = [{pair: one.bounds(pair) for pair in _rows(one)} for one in scores]
    undecided = [
        sum(not of_measure[pair].is_decided for pair in one.pairs)
        for one, of_measure in zip(scores, found, strict=True)
    ]
    for one, number in zip(scores, undecided, strict=True):
        if one.pairs and number == len(one.pairs):
            warn(f"{one.measure.name}: no pair is decided")
    for_people = FORMATS[output.format].for_people
    rows = [
        row
        for one, of_measure in zip(scores, found, strict=True)
        for pair, bounds in of_measure.items()
        for row in _table_rows(one, pair, bounds, with_topics=by_topic or not for_people)
    ]
    tables = [Table("bounds", COLUMNS, rows, n_labels=4)]
    if len(experiment.runs) > 1:
        counts = [
            (one.measure.name, len(one.pairs), len(one.pairs) - number, number)
            for one, number in zip(scores, undecided, strict=True)
        ]
        tables.append(Table("decided pairs", ("measure", "pairs", "decided", "undecided"), counts))
    _write_figure(output, scores)
    output.write_tables(tables)


def _refuse_contradictions(
    n_next: int | None, measures: Sequence[WeightedMeasure], inputs: Inputs, output: Output
) -> None:
    """Raise UsageError where options contradict each other, or the measures or runs."""
    if n_next is not None and len(measures) > 1:
        raise UsageError(f"--next must be given with one measure, but got {len(measures)}")
    if n_next is not None and output.figure is not None:
        raise UsageError("--next and --figure must not be given together")
    if (n_next is not None or output.figure is not None) and len(inputs.opened_runs) < 2:
        raise UsageError("--next and --figure must have two runs to tell apart, but got one")


def _write_figure(output: Output, scores: Sequence[WeightedScores]) -> None:
    """Draw how many pairs are decided while documents are judged, if a figure is asked for."""
    if output.figure is not None:
        from irevalx.lab.bounding.figures import decided_pairs

        orders = [(one.measure.name, one.deciding(best_first=True), one.deciding(best_first=False)) for one in scores]
        output.write_figure(partial(decided_pairs, orders))


def _with_retrieved(inputs: Inputs, judgments: Judgments, measures: Sequence[WeightedMeasure]) -> Judgments:
    """Return the judgments, with what runs have at ranks that count among the unjudged documents."""
    depths = [measure.depth for measure in measures]
    depth = max(depth or np.iinfo(np.int64).max for depth in depths)
    pools = [first_documents(part, depth) for run in inputs.opened_runs for part in run.results()]
    return with_pool(judgments, Pool.joined("", pools))


def _rows(scores: WeightedScores) -> list[Pair]:
    """Return what the table has rows of: each run, and each pair."""
    return [*((run, None) for run in range(len(scores.runs))), *scores.pairs]


def _table_rows(scores: WeightedScores, pair: Pair, bounds: Bounds, *, with_topics: bool) -> list[tuple[Any, ...]]:
    run, against = pair
    about = (scores.measure.name, scores.runs[run], None if against is None else scores.runs[against])
    rows: list[tuple[Any, ...]] = []
    if with_topics:
        decided = is_decided(bounds.low, bounds.high).tolist() if against is not None else [None] * len(scores.topics)
        columns = (bounds.difference.tolist(), bounds.low.tolist(), bounds.high.tolist(), bounds.unjudged.tolist())
        rows += [
            (*about, topic.topic, *numbers, None, None, None)
            for topic, *numbers in zip(scores.topics, *columns, decided, strict=True)
        ]
    best = bounds.next_document
    following = (None, None, None) if best is None else (best.topic, best.docno, best.narrows)
    is_one = None if against is None else bounds.is_decided
    rows.append((*about, "all", *bounds.means, int(bounds.unjudged.sum()), is_one, *following))
    return rows


def _write_next(scores: WeightedScores, n_next: int, inputs: Inputs, output: Output) -> None:
    """Write the documents to judge next: a pool file, or a table if a format was typed."""
    undecided = [pair for pair in scores.pairs if not scores.bounds(pair).is_decided]
    if not undecided:
        inputs.messages.warn(f"{scores.measure.name}: all pairs are decided, so no document needs to be judged")
    found = scores.worth_judging(undecided)[:n_next]
    typed = click.get_current_context().get_parameter_source("format")
    if typed is ParameterSource.COMMANDLINE:
        rows = [(rank, one.topic, one.docno, one.narrows, one.pairs) for rank, one in enumerate(found, start=1)]
        output.write_tables([Table("next documents", ("rank", "topic", "docno", "narrows", "pairs"), rows, n_labels=3)])
    else:
        output.write_lines(f"{one.topic} {one.docno}\n".encode(errors="surrogateescape") for one in found)
