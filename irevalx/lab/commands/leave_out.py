"""irevalx-lab leave-out."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

import click

from irevalx.errors import UsageError, quote
from irevalx.lab.experiment import Experiment, prepare
from irevalx.lab.files import make_folder, write_file, write_lines
from irevalx.lab.flags import (
    depth_option,
    digits_option,
    format_option,
    least_retrieved_option,
    level_option,
    measures_option,
    opened,
    options,
    output_option,
    qrels_argument,
    quiet_option,
    refuse_two_standard_inputs,
    runs_argument,
    teller,
)
from irevalx.lab.qrels_lines import QrelsLines
from irevalx.lab.rows import Table, table_lines
from irevalx.reading.source import Source

if TYPE_CHECKING:
    from irevalx.lab.leave_out import LeftOut


@click.command(
    "leave-out",
    epilog="Example: irevalx-lab leave-out qrels runs/* --group-by '^[a-z]+' --depth 10 -m 'map bpref P.20 P.20:skip'",
)
@options(
    qrels_argument,
    runs_argument,
    click.option("--groups", metavar="FILE", help="The group of each run, a line RUN GROUP each."),
    click.option(
        "--group-by",
        metavar="REGEX",
        help=(
            "The group of a run is the part of its name that REGEX matches (its first group in parentheses, if it has "
            "one).  [default: each run is a group]"
        ),
    ),
    depth_option,
    measures_option,
    level_option,
    least_retrieved_option,
    click.option(
        "--keep-in-pool",
        is_flag=True,
        help="Give what only the group has found the grade -1 (pooled, but unjudged), rather than leaving it out.",
    ),
    click.option("--write", "folder", metavar="DIR", help="Write the judgments for each group to DIR/GROUP.qrels."),
    click.option("--summary", is_flag=True, help="Print the summary only, a row a measure."),
    format_option,
    digits_option,
    output_option,
    quiet_option,
)
def command(
    *,
    qrels: str,
    runs: tuple[str, ...],
    groups: str | None,
    group_by: str | None,
    depth: int,
    measures: tuple[str, ...],
    level: int,
    least_retrieved: Fraction | None,
    keep_in_pool: bool,
    folder: str | None,
    summary: bool,
    fmt: str,
    digits: int,
    output: str | None,
    quiet: bool,
) -> None:
    """Judge each group of runs without the documents that only it has found.

    The judgments are first cut to the documents that some run has among its first K. Then, for each group, those that
    no other group has there are left out, all runs are evaluated again, and the scores and ranks of the group's runs
    are set against those with the whole pool.
    """
    from irevalx.lab.leave_out import deleted, leave_out, removals, unjudged

    if groups is not None and group_by is not None:
        raise UsageError("--groups and --group-by must not be given together")
    refuse_two_standard_inputs(qrels, *runs, groups)
    warn = teller(quiet)
    read = QrelsLines.read(Source(qrels), warn)
    experiment = prepare(
        read.judgments,
        opened(runs, warn),
        measures,
        level=level,
        least_retrieved=float(least_retrieved or 0),
        warn=warn,
    )
    names = _groups(experiment.runs, groups, group_by)
    if len(set(names)) < 2:
        raise UsageError(f"there must be two groups at least, but all runs are in {quote(names[0])}")
    left = list(removals(experiment, names, depth))
    treatment = unjudged if keep_in_pool else deleted
    found = leave_out(experiment, left, treatment)
    if folder is not None:
        for removal in left:
            grades, written = treatment(removal, experiment.grades)
            lines = b"".join(read.with_grades(grades, written))
            path = make_folder(folder) / f"{_as_file_name(removal.group)}.qrels"
            write_file(path, lambda part, lines=lines: part.write_bytes(lines))  # type: ignore[misc]
    tables = [runs_table(experiment, names, found), summary_table(experiment, found)]
    write_lines(table_lines(tables[1:] if summary else tables, fmt, digits), output)


def runs_table(experiment: Experiment, groups: Sequence[str], found: LeftOut) -> Table:
    """Return a row for each run and measure."""
    rows = tuple(
        (
            run,
            groups[r],
            measure,
            float(found.before[m, r]),
            float(found.after[m, r]),
            int(found.rank_before[m, r]),
            int(found.rank_after[m, r]),
            bool(found.changed[m, r]),
        )
        for m, measure in enumerate(experiment.measures)
        for r, run in enumerate(experiment.runs)
    )
    columns = ("run", "group", "measure", "score", "left_out", "rank", "rank_left_out", "significant")
    return Table("runs", columns, rows, n_labels=3)


def summary_table(experiment: Experiment, found: LeftOut) -> Table:
    """Return a row for each measure."""
    columns = ("measure", "rank_change", "rise", "fall", "bias", "rms", "tau", "tau_b", "significant")
    of_measures = (found.rank_change, found.rise, found.fall, found.bias, found.rms, found.tau, found.tau_b)
    share = found.changed.mean(axis=1)
    rows = tuple(
        (name, *(column[m].item() for column in of_measures), float(share[m]))
        for m, name in enumerate(experiment.measures)
    )
    return Table("summary", columns, rows)


def _groups(runs: Sequence[str], path: str | None, pattern: str | None) -> list[str]:
    from irevalx.lab.leave_out import groups_by_pattern, groups_from_file

    if path is not None:
        return groups_from_file(Source(path), runs)
    return list(runs) if pattern is None else groups_by_pattern(pattern, runs)


def _as_file_name(group: str) -> str:
    return re.sub(rf"[{re.escape(os.sep)}\0]", "_", group).lstrip(".") or "_"
