"""irevalx-lab compare."""

from __future__ import annotations

from itertools import combinations

import click

from irevalx.cli.values import complete_measure
from irevalx.errors import UsageError, quote
from irevalx.lab.experiment import Experiment, defined_values
from irevalx.lab.input_files import Inputs
from irevalx.lab.output import Output
from irevalx.lab.parameters import (
    TABLES_OUTPUT,
    chosen_seed,
    lab_command,
    least_retrieved_option,
    level_option,
    qrels_argument,
    runs_argument,
    seed_option,
)
from irevalx.lab.statistics.comparison import Method, compare, comparison_warnings
from irevalx.lab.statistics.corrections import CORRECTIONS
from irevalx.lab.statistics.significance import TESTS
from irevalx.reports.table import Table

COLUMNS = (
    *("measure", "run", "against", "mean", "mean_against", "difference", "low", "high", "effect_size"),
    *("wins", "ties", "losses", "p", "corrected_p", "differ"),
)
PROBABILITIES = frozenset({"p", "corrected_p"})


@lab_command(
    "compare",
    qrels_argument,
    runs_argument,
    click.option(
        "-m",
        "--measure",
        "measures",
        metavar="NAME",
        default="map",
        callback=lambda ctx, param, value: (value,),
        shell_complete=complete_measure,
        help="A measure as irevalx -m takes it.  [default: map]",
    ),
    click.option("--baseline", metavar="RUN", help="Compare each run with this one.  [default: compare all pairs]"),
    click.option(
        "--test",
        type=click.Choice(list(TESTS)),
        default="t",
        help=(
            "A paired test over topics: Student's t, Wilcoxon's signed ranks, or random flips of signs.  [default: t]"
        ),
    ),
    click.option(
        "--correction",
        type=click.Choice(list(CORRECTIONS)),
        default="holm",
        help="How p-values are corrected for the number of comparisons.  [default: holm]",
    ),
    click.option(
        "--alpha",
        type=click.FloatRange(0, 1, min_open=True, max_open=True),
        metavar="P",
        default=0.05,
        help=(
            "Runs differ when the corrected p-value is below P; the interval covers the difference with probability "
            "1 - P.  [default: 0.05]"
        ),
    ),
    seed_option,
    level_option,
    least_retrieved_option,
    *TABLES_OUTPUT,
    example="irevalx-lab compare qrels runs/* --measure infAP --baseline bm25 --test wilcoxon --seed 1",
)
def command(
    inputs: Inputs,
    output: Output,
    *,
    baseline: str | None,
    test: str,
    correction: str,
    alpha: float,
    seed: int | None,
) -> None:
    """Test whether runs differ.

    A row for each pair: the means of both runs over topics, their difference with a bootstrap interval (bias-corrected
    and accelerated, not corrected for the number of comparisons), the effect size (mean difference over its standard
    deviation), the topics that the run wins, ties and loses against the other, and p before and after correction.
    """
    experiment = inputs.experiment()
    if len(experiment.measures) > 1:
        raise UsageError(
            f"--measure must be a single measure, but {quote(inputs.measures[0])} is {len(experiment.measures)}: "
            + " ".join(experiment.measures)
        )
    pairs = _pairs(experiment, baseline)
    method, scale = Method(test, correction, alpha=alpha, seed=chosen_seed(seed)), experiment.scales[0]
    values = defined_values(experiment, inputs.messages.warn)[0]
    sizes = {"n_runs": len(experiment.runs), "n_topics": values.shape[1], "n_pairs": len(pairs)}
    for line in comparison_warnings(method, scale, experiment.measures[0], **sizes):
        inputs.messages.warn(line)
    comparisons = compare(values, pairs, method, scale)
    rows = tuple(
        (
            experiment.measures[0],
            experiment.runs[one.second],
            experiment.runs[one.first],
            one.mean_second,
            one.mean_first,
            one.difference,
            one.low,
            one.high,
            one.effect_size,
            one.wins,
            one.ties,
            one.losses,
            one.p,
            one.corrected,
            one.corrected < alpha,
        )
        for one in comparisons.pairs
    )
    output.write_tables([Table("comparison", COLUMNS, rows, n_labels=3, probabilities=PROBABILITIES)])


def _pairs(experiment: Experiment, baseline: str | None) -> list[tuple[int, int]]:
    """Return pairs of numbers of runs; the second is compared with the first."""
    numbers = range(len(experiment.runs))
    if baseline is None:
        return [(other, run) for run, other in combinations(numbers, 2)]
    if baseline not in experiment.runs:
        raise UsageError(f"--baseline must be one of the runs ({' '.join(experiment.runs)}), but got {quote(baseline)}")
    base = experiment.runs.index(baseline)
    return [(base, run) for run in numbers if run != base]
