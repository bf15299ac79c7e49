"""The options that say how runs are compared."""

from __future__ import annotations

import click

from irevalx.experiments.seeds import MOST_DRAWS
from irevalx.lab.command.parameters import alpha_option
from irevalx.statistics.corrections import CORRECTIONS, SHORT_NAMES, TUKEY
from irevalx.statistics.intervals import INTERVALS
from irevalx.statistics.significance import FEW_TOPICS, RESAMPLES, TESTS

COMPARISON = (
    click.option(
        "--baseline",
        metavar="RUN",
        help="Compare each run with this one, by its tag or the name of its file.  [default: compare all pairs]",
    ),
    click.option(
        "--test",
        type=click.Choice(list(TESTS)),
        default="t",
        help=(
            f"A paired test over topics: {', '.join(f'{name} ({test.words})' for name, test in TESTS.items())}. Where "
            f"fewer than {FEW_TOPICS} topics differ, or all by the same, signs are flipped in place of t.  [default: t]"
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
        default="t",
        help=(
            "Intervals from Student's t distribution, which leave out 0 exactly where the t test rejects, or by a "
            "bootstrap (bias-corrected and accelerated), too short below some 20 topics.  [default: t]"
        ),
    ),
    alpha_option,
    click.option(
        "--resamples",
        type=click.IntRange(1, MOST_DRAWS),
        metavar="B",
        default=RESAMPLES,
        help=f"Resamples of random flips, permuted labels, tukey, and bootstrap intervals.  [default: {RESAMPLES}]",
    ),
)
"""With which runs are compared, by which test and correction."""
