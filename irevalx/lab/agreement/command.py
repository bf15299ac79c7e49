"""irevalx-lab agree."""

from __future__ import annotations

from collections.abc import Sequence

import click

from irevalx.cli.options import refuse_standard_input_twice
from irevalx.cli.values import complete_file
from irevalx.errors import UsageError, quote
from irevalx.lab.agreement.agree_tables import Asked, agreement_table, tables_for_people
from irevalx.lab.agreement.paired_scorings import PairedScores, paired_scores
from irevalx.lab.agreement.run_overlap import looks_like_run, overlap_of_runs
from irevalx.lab.agreement.sampled_scorings import scorings_of_samples
from irevalx.lab.agreement.scorings import Scoring
from irevalx.lab.command.input_files import Inputs
from irevalx.lab.command.making import lab_command, refuse_options
from irevalx.lab.command.output import FORMATS, Output
from irevalx.lab.command.parameters import (
    TABLES_OUTPUT,
    chosen_seed,
    least_retrieved_option,
    level_option,
    measures_option,
    seed_option,
    topic_resamples_option,
)
from irevalx.reading.formats import REL_FORMATS, SAMPLED, read_trec_results
from irevalx.reading.source import CHUNK_SIZE, Source
from irevalx.statistics.bootstrap import bootstrap_warnings
from irevalx.trec_eval.versions import TREC_EVAL_10

_OF_EVALUATIONS = ("rel_format", "measures", "level", "min_retrieved")
"""The parameters that concern the evaluation of runs."""


@lab_command(
    "agree",
    click.argument("x", metavar="X", type=str, shell_complete=complete_file),
    click.argument("y", metavar="Y", type=str, shell_complete=complete_file),
    click.argument("runs", metavar="[RUN]...", nargs=-1, type=str, shell_complete=complete_file),
    click.option(
        "--against",
        metavar="MEASURE",
        help="Compare every measure of Y with this one of X, named as irevalx prints it.  [default: with itself]",
    ),
    click.option(
        "--rbo",
        type=click.FloatRange(0, 1, min_open=True, max_open=True),
        metavar="P",
        help=(
            "Add rank-biased overlap, P being the chance of looking at the next rank. X and Y may be two runs too. Of "
            "ties: rbo_w, a tie means equal rank; rbo_a, the mean over all ways of breaking ties; rbo_b, that "
            "corrected so that a ranking agrees with itself."
        ),
    ),
    topic_resamples_option,
    seed_option,
    measures_option,
    level_option,
    least_retrieved_option,
    *TABLES_OUTPUT,
    example="irevalx-lab agree qrels tenth runs/* -m 'map bpref infAP' --against map",
    formats=tuple(REL_FORMATS),
)
def command(
    inputs: Inputs,
    output: Output,
    *,
    x: str,
    y: str,
    against: str | None,
    rbo: float | None,
    resamples: int,
    seed: int | None,
) -> None:
    """Measure how far two scorings of the same runs agree.

    X and Y are files that irevalx or trec_eval printed, in trec_eval's format (with runid) or as csv, tsv, json or
    jsonl. With RUN they are two files of judgments instead, and the runs are evaluated with each.

    A row for each measure: Kendall's tau (a tie counts as concordant), tau-b and tau_AP, Pearson's correlation, root
    mean square error and bias of Y, the mean absolute change of a run's rank, the largest rise and fall and the runs
    that rise and fall that far, the share of runs whose scores differ significantly (paired t test over topics,
    p < 0.05), the number of runs, and how the decisions which runs differ go together (Wilcoxon's test, p < 0.05): the
    pairs that are the same in both (c11), differ in Y only (c12), in X only (c21), in both (c22), the rates of false
    positives and negatives, accuracy and g-mean; and pairs that differ in both, one and none (active, mixed, passive),
    with the same or opposite directions: aa ad ma md pa pd. These need values for each topic (irevalx -q), and the same
    measure. With --rbo, extrapolated, least and greatest overlaps of the rankings of runs; for two runs, a row for each
    topic that both have, of their rankings of documents.

    With -R sampled each of X and Y is a sample of strata, five columns, or qrels: one stratum, of which the judged
    documents are a sample. Measures of grades, of strata and of probabilities then stand side by side, the strata
    giving the probabilities with which documents were drawn.
    """
    refuse_standard_input_twice(x, y, *inputs.runs)
    warn = inputs.messages.warn
    first, second = Source(x), Source(y)
    if rbo is not None and not inputs.runs:
        first, second = (Source(source.path, b"".join(source.chunks(CHUNK_SIZE))) for source in (first, second))
        if _are_runs(first, second):
            refuse_options(
                "for scorings only, but X and Y are runs",
                "against",
                "resamples",
                *_OF_EVALUATIONS,
            )
            one, other = (read_trec_results(source, TREC_EVAL_10, False, warn) for source in (first, second))
            output.write_tables([overlap_of_runs(one, other, rbo, warn)])
            return
    found = paired_scores(*_scorings(inputs, first, second), against, warn)
    for line in _warnings(found, resamples):
        warn(line)
    asked = Asked(resamples=resamples, seed=chosen_seed(seed) if resamples else 0, rbo=rbo)
    if FORMATS[output.format].for_people:
        output.write_tables(tables_for_people(found, asked))
    else:
        output.write_tables([agreement_table(found, asked)])


def _warnings(found: Sequence[PairedScores], resamples: int) -> list[str]:
    """Return a line for each measure under which runs differ in both directions, and one if topics are few."""
    lines = []
    for paired in found:
        if pairs := paired.reversed_pairs:
            first, second = pairs[0]
            more = f" and {len(pairs) - 1} more pairs" if pairs[1:] else ""
            lines.append(
                f"{paired.measure}: {first} and {second}{more} differ significantly in both scorings, but in opposite "
                "directions"
            )
    if resamples:
        numbers = [paired.values_x.shape[1] for paired in found if paired.values_x is not None]
        lines += bootstrap_warnings(min(numbers)) if numbers else []
    return lines


def _scorings(inputs: Inputs, x: Source, y: Source) -> tuple[Scoring, Scoring]:
    """Read two scorings, or evaluate the runs with two files of judgments."""
    if inputs.runs and inputs.rel_format == SAMPLED.name:
        of_x, of_y = scorings_of_samples(inputs, x, y)
        return of_x, of_y
    if inputs.runs:
        one, other = (inputs.ranked_with(source) for source in (x, y))
        return Scoring.of(x.path, one), Scoring.of(y.path, other)
    refuse_options("together with RUN, or not at all", *_OF_EVALUATIONS)
    return Scoring.read(x), Scoring.read(y)


def _are_runs(x: Source, y: Source) -> bool:
    """Return whether both files are runs; raises UsageError if one of them is."""
    found = [looks_like_run(b"".join(source.chunks(CHUNK_SIZE))) for source in (x, y)]
    if found[0] != found[1]:
        run, other = (x, y) if found[0] else (y, x)
        raise UsageError(
            f"X and Y must both be runs, or both be scorings, but {quote(run.path)} is a run and {quote(other.path)} "
            "is none"
        )
    return found[0]
