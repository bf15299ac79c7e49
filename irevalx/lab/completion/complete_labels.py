"""irevalx-lab complete --labels: holes filled from a second file of judgments instead of by a classifier."""

from __future__ import annotations

import os
from collections.abc import Iterator

import numpy as np

from irevalx.arrays.segments import BoolArray, IntArray
from irevalx.errors import InputError, shown_name
from irevalx.experiments.label_files import grades_for
from irevalx.frozen import replace as replace_fields
from irevalx.judgments.graded import Judgments
from irevalx.lab.command.input_files import Inputs
from irevalx.lab.command.output import Output, write_lines
from irevalx.lab.completion.labelling import filled, label_warnings
from irevalx.reports.table import Table


def complete_from_labels(
    inputs: Inputs,
    output: Output,
    judgments: Judgments,
    path: str,
    *,
    replace: bool,
    mark: str | None,
    report: str | None,
) -> None:
    """Write judgments with labels in the place of those that are missing, or of all.

    Parameters
    ----------
    judgments : with the pooled documents that nobody judged.
    path : of the labels.
    replace : whether labels take the place of all judgments.
    mark, report : the files of the labels that were taken, and of their numbers; None for none.

    Raises
    ------
    InputError : there are holes, and the labels fill none of them.
    """
    labels = inputs.labels(path)
    label, _ = grades_for(judgments, labels)
    holes: BoolArray = judgments.grades < 0
    grades = filled(judgments.grades, label, holes, replace=replace)
    taken = (holes | replace) & (label >= 0)
    n_holes, n_filled = int(holes.sum()), int((holes & taken).sum())
    if n_holes and not n_filled:
        raise InputError(f"{shown_name(path)} must label a document that is to be judged, but labels none of {n_holes}")
    warn = inputs.messages.warn
    if not n_holes:
        warn(f"{shown_name(inputs.qrels)} has no holes: no document of the pool is without a judgment")
    if n_filled < n_holes:
        warn(f"{n_holes - n_filled} of {n_holes} documents stay unjudged: {shown_name(path)} does not label them")
    everything = np.ones(judgments.rows.size, np.bool_)
    for line in label_warnings(judgments, labels, everything, replace=replace):
        warn(line)

    def added(which: BoolArray) -> Iterator[bytes]:
        for place in np.flatnonzero(which).tolist():
            topic, docno = judgments.topics[judgments.rows.ids[place]], judgments.docnos.text(place)
            yield b"%s 0 %s %d\n" % (topic, docno, grades[place])

    if mark is not None:
        write_lines(added(taken), mark)
    if report is not None:
        tables = _report(judgments, grades, holes, taken, inputs.level)
        Output(format="json" if report.endswith(".json") else "table", path=report).write_tables(tables)
    output.write_lines(inputs.qrels_lines.lines_with(replace_fields(judgments, grades=grades)))


def _report(judgments: Judgments, grades: IntArray, holes: BoolArray, taken: BoolArray, level: int) -> list[Table]:
    """Return how many holes there were, and how they were filled: in sum, and by topic."""
    rows = judgments.rows
    columns = ("holes", "labelled", "labelled_relevant", "unlabelled")
    masks = (holes, taken, taken & (grades >= level), holes & ~taken)
    counts = np.stack([rows.count(mask) for mask in masks])
    topics = [
        (os.fsdecode(topic), *numbers) for topic, numbers in zip(judgments.topics, counts.T.tolist(), strict=True)
    ]
    total = (len(topics), *counts.sum(axis=1).tolist())
    return [Table("labels", ("topics", *columns), [total], n_labels=0), Table("topics", ("topic", *columns), topics)]
