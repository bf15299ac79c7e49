"""irevalx-lab compare."""

from __future__ import annotations

from functools import partial
from itertools import combinations

import click

from irevalx.cli.values import complete_measure
from irevalx.errors import UsageError, quote
from irevalx.experiments.ranked_runs import RankedRuns, defined_values
from irevalx.lab.command.input_files import Inputs
from irevalx.lab.command.making import lab_command
from irevalx.lab.command.output import Output
from irevalx.lab.command.parameters import (
    FIGURE,
    TABLES_OUTPUT,
    alpha_option,
    chosen_seed,
    least_retrieved_option,
    level_option,
    qrels_argument,
    runs_argument,
    seed_option,
    threads_option,
)
from irevalx.lab.comparison.compare_tables import Compared, pairs_table, power_tables, runs_table
from irevalx.reading.formats import REL_FORMATS
from irevalx.statistics.corrections import CORRECTIONS, SHORT_NAMES, TUKEY
from irevalx.statistics.intervals import INTERVALS
from irevalx.statistics.paired_comparisons import Method, compare, comparison_warnings
from irevalx.statistics.significance import RESAMPLES, TESTS


def _measures(ctx: click.Context, param: click.Parameter, values: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(word for value in values for word in value.split()) or ("map",)


@lab_command(
    "compare",
    qrels_argument,
    runs_argument,
    click.option(
        "-m",
        "--measure",
        "--measures",
        "measures",
        multiple=True,
        metavar="NAME...",
        callback=_measures,
        shell_complete=complete_measure,
        help=(
            "Measures as irevalx -m takes them: 'map infAP'. May be repeated. P-values are corrected for the "
            "comparisons of one measure.  [default: map]"
        ),
    ),
    click.option("--baseline", metavar="RUN", help="Compare each run with this one.  [default: compare all pairs]"),
    click.option(
        "--test",
        type=click.Choice(list(TESTS)),
        default="t",
        help=(
            "A paired test over topics: Student's t, Wilcoxon's signed ranks, or random flips of signs (all of them "
            "where B is enough for that).  [default: t]"
        ),
    ),
    click.option(
        "--correction",
        type=click.Choice([*CORRECTIONS, *SHORT_NAMES, TUKEY]),
        default="holm",
        help=(
            "How p-values are corrected for the number of comparisons; bh is benjamini-hochberg, and tukey is "
            "randomised Tukey HSD, a test of its own over all pairs of runs.  [default: holm]"
        ),
    ),
    click.option(
        "--interval",
        type=click.Choice(INTERVALS),
        default="bca",
        help=(
            "Intervals by a bootstrap (bias-corrected and accelerated), or from Student's t distribution, which is "
            "safer below some 20 topics.  [default: bca]"
        ),
    ),
    alpha_option,
    click.option(
        "--resamples",
        type=click.IntRange(1),
        metavar="B",
        default=RESAMPLES,
        help=f"Resamples of random flips, of tukey, and of bootstrap intervals.  [default: {RESAMPLES}]",
    ),
    click.option(
        "--power",
        is_flag=True,
        help=(
            "Print the discriminative power of each measure instead: the share of pairs that differ, by --test, "
            "before and after correction. Sakai (2006) has an uncorrected bootstrap test, Sakai (2012) tukey."
        ),
    ),
    click.option(
        "--by",
        type=click.Choice(["pair", "run"]),
        default="pair",
        help=(
            "Print a row for each pair, or for each run: its scores, the best marked, and letters, which runs that do "
            "not differ share; with --baseline + or - where a run is better or worse than it. Runs and measures stay "
            "in their order; in LaTeX the table needs the package booktabs.  [default: pair]"
        ),
    ),
    seed_option,
    level_option,
    least_retrieved_option,
    threads_option,
    *FIGURE,
    click.option(
        "--draw",
        "drawn",
        type=click.Choice(["intervals", "topics", "matrix"]),
        help=(
            "What --figure draws: differences with their intervals, the differences of each topic, sorted, or which "
            "runs differ, a row and a column a run; with --power all p-values, sorted.  [default: intervals, or matrix "
            "where a page has no room for all pairs]"
        ),
    ),
    *TABLES_OUTPUT,
    example="irevalx-lab compare qrels runs/* -m 'map infAP' --baseline bm25 --test wilcoxon --seed 1",
    formats=tuple(REL_FORMATS),
)
def command(
    inputs: Inputs,
    output: Output,
    *,
    baseline: str | None,
    test: str,
    correction: str,
    interval: str,
    alpha: float,
    resamples: int,
    power: bool,
    by: str,
    seed: int | None,
    drawn: str | None,
) -> None:
    """Test whether runs differ.

    A row for each measure and pair: the summaries of both runs, their difference with an interval for this pair on its
    own, the effect size (mean difference over its standard deviation), the topics that the run wins, ties and loses
    against the other, p before and after correction, whether the runs differ, and an interval that holds for all pairs
    at once (bonferroni, holm, tukey). With tukey it leaves out 0 exactly if the runs differ, and so it does with
    bonferroni, --test t and --interval t; holm may call runs different whose interval has 0. Geometric means (gm_map)
    are tested on their logarithms, and sums (num_rel_ret) are shown as sums.
    """
    _refuse_contradictions(output, by, drawn, power=power)
    experiment = inputs.ranked_runs()
    pairs = _pairs(experiment, baseline)
    what = "power"
    if output.figure is not None and not power:
        from irevalx.lab.comparison.figures import what_to_draw

        sizes = {"n_runs": len(experiment.runs), "n_pairs": len(pairs), "n_measures": len(experiment.measures)}
        what = what_to_draw(drawn, output.page, **sizes, baseline=baseline is not None)
    shows_intervals = what == "intervals" or (by == "pair" and not power)
    method = Method(test, correction, interval if shows_intervals else None, alpha, resamples, chosen_seed(seed))
    measures, tested = [], []
    warnings: dict[str, None] = {}
    values_of_measures = defined_values(experiment, inputs.messages.warn)
    kinds = zip(experiment.counts, experiment.higher_is_better, strict=True)
    every = zip(experiment.measures, experiment.scales, kinds, values_of_measures, strict=True)
    for measure, scale, (counts, higher_is_better), values in every:
        n_runs, n_topics = values.shape
        lines = comparison_warnings(method, scale, measure, n_runs=n_runs, n_topics=n_topics, n_pairs=len(pairs))
        warnings |= dict.fromkeys(lines)
        scores = scale.summarise(scale.transform(values)).tolist()
        found = compare(values, pairs, method, scale, inputs.threads)
        measures.append(Compared(measure, experiment.runs, scores, found, counts, higher_is_better))
        tested.append(scale.transform(values))
    for line in warnings:
        inputs.messages.warn(line)
    if power:
        tables = power_tables(measures, alpha)
    elif by == "run":
        base = None if baseline is None else experiment.runs.index(baseline)
        tables = [runs_table(measures, alpha, base)]
    else:
        tables = [pairs_table(measures, alpha)]
    output.write_tables(tables)
    if output.figure is not None:
        from irevalx.lab.comparison.figures import comparison

        output.write_figure(partial(comparison, what, measures, tested, alpha, baseline is not None))


def _refuse_contradictions(output: Output, by: str, drawn: str | None, *, power: bool) -> None:
    """Raise UsageError where options contradict each other."""
    if power and by == "run":
        raise UsageError("--power and --by run must not be given together")
    if drawn is not None and (power or output.figure is None):
        raise UsageError("--draw must be given together with --figure, and without --power")


def _pairs(experiment: RankedRuns, baseline: str | None) -> list[tuple[int, int]]:
    """Return pairs of numbers of runs; the second is compared with the first."""
    numbers = range(len(experiment.runs))
    if baseline is None:
        return [(other, run) for run, other in combinations(numbers, 2)]
    if baseline not in experiment.runs:
        raise UsageError(f"--baseline must be one of the runs ({' '.join(experiment.runs)}), but got {quote(baseline)}")
    base = experiment.runs.index(baseline)
    return [(base, run) for run in numbers if run != base]
