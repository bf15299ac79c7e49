"""irevalx-lab complete."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

import click
import numpy as np

from irevalx.arrays.codes import ABSENT
from irevalx.arrays.segments import BoolArray, FloatArray
from irevalx.cli.options import refuse_standard_input_twice
from irevalx.cli.values import complete_file
from irevalx.errors import UsageError, Warn, quote, shown_name
from irevalx.experiments.pools import pool_of
from irevalx.frozen import replace as replace_fields
from irevalx.judgments.graded import Judgments
from irevalx.judgments.pool import Pool, with_pool
from irevalx.lab.command.input_files import Inputs
from irevalx.lab.command.making import lab_command, refuse_options
from irevalx.lab.command.output import Output, write_lines
from irevalx.lab.command.parameters import (
    LINES_OUTPUT,
    SHARE,
    chosen_seed,
    depth_option,
    documents_option,
    labels_format_option,
    labels_option,
    labels_replace_option,
    level_option,
    qrels_argument,
    seed_option,
)
from irevalx.lab.completion.classifiers import CLASSIFIERS
from irevalx.lab.completion.complete_labels import complete_from_labels
from irevalx.reading.source import Source
from irevalx.reports.table import Table
from irevalx.statistics.scales import MEAN
from irevalx.trec_eval.versions import TREC_EVAL_10

if TYPE_CHECKING:
    from irevalx.lab.completion.holdout import Quality
    from irevalx.lab.completion.predict import Completion, Predictions

CUTOFFS = (5, 10, 20)
"""The numbers of documents of which precision is expected."""

OF_CLASSIFIERS = ("documents", "classifier", "class_weight", "probabilities", "calibrated", "holdout", "seed")
"""The parameters that labels do not need."""

MOST_NAMED = 20
"""How many documents a warning names at most."""


@lab_command(
    "complete",
    qrels_argument,
    click.argument("runs", metavar="[RUN...]", nargs=-1, type=str, shell_complete=complete_file),
    documents_option,
    depth_option,
    labels_option,
    labels_replace_option,
    labels_format_option,
    click.option(
        "--pool",
        metavar="FILE",
        help="A pool file, as for irevalx --pool, of more documents to predict; no run need be given then.",
    ),
    click.option(
        "--classifier",
        type=click.Choice(CLASSIFIERS),
        default="svm",
        help=(
            "A linear support vector machine for each topic, or the Kullback-Leibler divergence of a document from "
            "those judged relevant.  [default: svm]"
        ),
    ),
    click.option(
        "--class-weight",
        type=click.Choice(["balanced", "none"]),
        help=(
            "With svm: let the errors on relevant and on nonrelevant documents weigh the same in sum, or each error "
            "the same, as published.  [default: balanced]"
        ),
    ),
    click.option("--mark", metavar="FILE", help="Write the predictions, and nothing else, to FILE too."),
    click.option(
        "--probabilities",
        is_flag=True,
        help=(
            "With --mark: add the classifier's decision value as a fifth column. The higher it is, the surer is "
            "relevance; it is no calibrated probability."
        ),
    ),
    click.option(
        "--calibrated",
        is_flag=True,
        help=(
            "With --mark: add the probability of relevance as a fifth column, fitted to judged documents that are "
            "predicted from the others of their topic. With --report and two runs or more: add what map, P_5, P_10, "
            "P_20 and recip_rank are expected to be under these probabilities."
        ),
    ),
    click.option(
        "--report",
        metavar="FILE",
        help=(
            "Write to FILE how many judgments were learned from and predicted for each topic: a table, or json if its "
            "name ends in .json."
        ),
    ),
    click.option(
        "--holdout",
        type=SHARE,
        multiple=True,
        metavar="SHARE",
        help=(
            "With --report: how good predictions are when this share of each topic's judgments, drawn at random, is "
            "learned from and the others are predicted. May be repeated."
        ),
    ),
    seed_option,
    level_option,
    *LINES_OUTPUT,
    example=(
        "irevalx-lab complete qrels runs/* --docs docs.jsonl.gz --depth 50 > completed && irevalx completed runs/*"
    ),
)
def command(
    inputs: Inputs,
    output: Output,
    *,
    documents: tuple[str, ...],
    depth: int,
    labels: str | None,
    labels_replace: bool,
    pool: str | None,
    classifier: str,
    class_weight: str | None,
    mark: str | None,
    probabilities: bool,
    calibrated: bool,
    report: str | None,
    holdout: tuple[Fraction, ...],
    seed: int | None,
) -> None:
    """Predict missing judgments from the text of the documents, or take them from a file of labels.

    For each topic a classifier learns from the judged documents. QRELS is written with a prediction for every document
    that nobody judged and that has the grade -1, is among the first K of some RUN, or is in a pool file: N (see
    --level) where it is relevant, 0 where it is not. The lines of judged documents stay as they are. What cannot be
    predicted, for want of text or of relevant and nonrelevant documents to learn from, gets -1.

    With --labels nothing is learned, and no text is needed: these documents get the grades that they have in that file,
    and -1 where it has none.
    """
    level, warn = inputs.level, inputs.messages.warn
    if labels is not None:
        refuse_options("without --labels, or not at all", *OF_CLASSIFIERS)
        refuse_standard_input_twice(inputs.qrels, *inputs.runs, labels, pool)
        judgments = _with_pools(inputs, depth, pool)
        complete_from_labels(inputs, output, judgments, labels, replace=labels_replace, mark=mark, report=report)
        return
    _refuse_options_alone(
        {
            "--labels-replace must be given together with --labels": labels_replace,
            "--class-weight must be given together with --classifier svm": class_weight and classifier != "svm",
            "--calibrated must be given together with --mark or --report, and without --probabilities": (
                calibrated and (probabilities or not (mark or report))
            ),
        }
    )
    _refuse_contradictions(documents, level, holdout, report, probabilities=probabilities, mark=mark)
    refuse_standard_input_twice(inputs.qrels, *inputs.runs, *documents, pool)

    from irevalx.experiments.samples import RandomOrder
    from irevalx.lab.completion.collection import collection_for
    from irevalx.lab.completion.holdout import SCHEME
    from irevalx.lab.completion.holdout import holdout as hold_out
    from irevalx.lab.completion.predict import Completion, classifier_for

    judgments = _with_pools(inputs, depth, pool)
    collection = collection_for(judgments, documents)
    judged = judgments.grades >= 0
    learner = classifier_for(classifier, collection, balanced=class_weight != "none")
    completion = Completion(judgments, collection, learner, level)
    seed = chosen_seed(seed) if holdout or calibrated else 0
    with inputs.messages.progress("topics predicted", total=judgments.rows.n) as progress:
        predictions = completion.predict(judged, ~judged, progress.advance)
    qualities = []
    if holdout:
        order = RandomOrder(judgments, seed, SCHEME)
        with inputs.messages.progress("topics predicted", total=judgments.rows.n * len(holdout)) as progress:
            qualities = hold_out(completion, holdout, order, progress.advance)
    probability = None
    if calibrated:
        probability = _calibrated_probabilities(inputs, completion, predictions, seed)
    _warn_of_unpredicted(judgments, predictions, judged & (collection.find(judgments.docnos) == ABSENT), warn)

    grades = predictions.completed(judgments.grades, level)

    shown = predictions.value if probability is None else probability

    def added(which: BoolArray, values: bool) -> Iterator[bytes]:
        """Yield a line for each of these documents, with the decision value or probability if ``values``."""
        for place in np.flatnonzero(which).tolist():
            topic, docno = judgments.topics[judgments.rows.ids[place]], judgments.docnos.text(place)
            value = b" %.6f" % shown[place] if values else b""
            yield b"%s 0 %s %d%s\n" % (topic, docno, grades[place], value)

    if mark is not None:
        write_lines(added(predictions.predicted, probabilities or calibrated), mark)
    if report is not None:
        tables = report_tables(judgments, predictions, qualities, classifier)
        if probability is not None and len(inputs.opened_runs) > 1:
            tables.append(expected_table(inputs, judgments, probability))
        Output(format="json" if report.endswith(".json") else "table", path=report).write_tables(tables)
    output.write_lines(inputs.qrels_lines.lines_with(replace_fields(judgments, grades=grades)))


def _calibrated_probabilities(
    inputs: Inputs, completion: Completion, predictions: Predictions, seed: int
) -> FloatArray:
    """Return the probability of relevance of each document, flat over the judgments."""
    from irevalx.experiments.samples import RandomOrder
    from irevalx.lab.completion import calibration

    judgments = completion.judgments
    order = RandomOrder(judgments, seed, calibration.SCHEME)
    with inputs.messages.progress("topics predicted", total=judgments.rows.n * calibration.FOLDS) as progress:
        sigmoid = calibration.calibrate(completion, judgments.grades >= 0, order, progress.advance)
    return calibration.probabilities_of_relevance(completion, predictions, sigmoid, judgments.grades)


def expected_table(inputs: Inputs, judgments: Judgments, probability: FloatArray) -> Table:
    """Return a row for each run: what measures are expected to be, averaged over topics.

    Parameters
    ----------
    probability : flat over the judgments; of relevance.
    """
    from irevalx.lab.completion.calibration import expected_measures

    experiment = replace(inputs, measures=("map",)).experiment_with(judgments)
    expected = expected_measures(experiment, probability, CUTOFFS)
    means = [MEAN.summarise(values) for values in expected.values()]
    rows = [(run, *(float(of_measure[r]) for of_measure in means)) for r, run in enumerate(experiment.runs)]
    return Table("expected measures", ("run", *expected), rows)


def _refuse_options_alone(rules: Mapping[str, object]) -> None:
    """Raise UsageError for the first rule that is broken."""
    for rule, broken in rules.items():
        if broken:
            raise UsageError(rule)


def _refuse_contradictions(
    documents: Sequence[str],
    level: int,
    holdout: Sequence[Fraction],
    report: str | None,
    *,
    probabilities: bool,
    mark: str | None,
) -> None:
    """Raise UsageError where options contradict each other."""
    if not documents:
        raise UsageError("--docs or --labels must be given")
    if level < 1:
        raise UsageError(f"--level must be at least 1, but got {level}")
    if probabilities and mark is None:
        raise UsageError("--probabilities must be given together with --mark")
    if holdout and report is None:
        raise UsageError("--holdout must be given together with --report")
    if max(holdout, default=0) == 1:
        raise UsageError("--holdout must leave something to predict, but got 1")


def _with_pools(inputs: Inputs, depth: int, path: str | None) -> Judgments:
    """Return the judgments, with the documents of the runs' pool and of the pool file as pooled but unjudged.

    Parameters
    ----------
    depth : of the pool of the runs.
    path : of the pool file; None for none.
    """
    from irevalx.reading.formats import read_pool

    judgments, warn = inputs.qrels_lines.judgments, inputs.messages.warn
    pools = []
    if inputs.runs:
        pools.append(pool_of(inputs.opened_runs, depth, warn))
    if path is not None:
        pools.append(read_pool(Source(path), TREC_EVAL_10, strict=False, warn=warn))
    for pool in pools:
        if unknown := sum(topic not in judgments.topic_index for topic in pool.topics):
            warn(
                f"{shown_name(pool.path)}: {unknown} of {len(pool.topics)} pooled topics have no judgments to learn "
                "from and are left out"
            )
    return with_pool(judgments, Pool.joined("", pools))


def _warn_of_unpredicted(judgments: Judgments, predictions: Predictions, unread: BoolArray, warn: Warn) -> None:
    """Warn of topics and documents that could not be predicted or learned from.

    Parameters
    ----------
    unread : flat over ``judgments``; the judged documents without text.
    """
    if predictions.untrained.any():
        names = [quote(judgments.topics[topic]) for topic in np.flatnonzero(predictions.untrained).tolist()]
        warn(
            f"{len(names)} of {len(judgments.topics)} topics keep their judgments, for want of relevant or of "
            f"nonrelevant documents to learn from: {', '.join(names)}"
        )
    for mask, what in (
        (predictions.without_text, "pooled documents stay unjudged"),
        (unread, "judged documents are not learned from"),
    ):
        if mask.any():
            docnos = sorted(set(judgments.docnos.take(mask).texts()))
            others = f" and {len(docnos) - MOST_NAMED} more" if len(docnos) > MOST_NAMED else ""
            warn(
                f"{np.count_nonzero(mask)} {what}: there is no text, or no word in it, of "
                f"{', '.join(map(quote, docnos[:MOST_NAMED]))}{others}"
            )


def report_tables(
    judgments: Judgments, predictions: Predictions, qualities: Sequence[Quality], classifier: str
) -> list[Table]:
    """Return tables of what was learned from and predicted: in sum, how good it is, and by topic."""
    rows = judgments.rows
    columns = ("topic", "relevant", "nonrelevant", "predicted", "predicted_relevant", "without_text", "trained")
    counts = np.stack(
        [
            predictions.learned_relevant,
            predictions.learned_nonrelevant,
            rows.count(predictions.predicted),
            rows.count(predictions.relevant),
            rows.count(predictions.without_text),
        ]
    )
    trained = [bool(n) for n in (predictions.learned_relevant > 0) & (predictions.learned_nonrelevant > 0)]
    topics = [
        (os.fsdecode(topic), *numbers, able)
        for topic, numbers, able in zip(judgments.topics, counts.T.tolist(), trained, strict=True)
    ]
    total = (classifier, len(topics), sum(trained), *counts.sum(axis=1).tolist())
    tables = [
        Table("predictions", ("classifier", "topics", "trained", *columns[1:-1]), (total,)),
        Table("topics", columns, tuple(topics)),
    ]
    if qualities:
        names = ("share", "precision", "recall", "f1", "topics", "untrained", "nothing_to_find")
        found = tuple(
            (f"{float(q.share):.4g}", q.precision, q.recall, q.f1, q.n_topics, q.n_untrained, q.n_nothing_to_find)
            for q in qualities
        )
        tables.insert(1, Table("holdout", names, found))
    return tables
