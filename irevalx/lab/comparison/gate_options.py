"""The options of a gate: ``--margin`` and what goes with it."""

from __future__ import annotations

import click

from irevalx.cli.option_rules import option
from irevalx.errors import UsageError, quote
from irevalx.lab.comparison.gate import FOUND_WORSE, OTHERS, REQUIREMENTS, UNDECIDED


def _margins(ctx: click.Context, param: click.Parameter, values: tuple[str, ...]) -> dict[str, float] | None:
    """Read margins: 0.01 for all measures, ndcg@10=0.01 for one."""
    margins: dict[str, float] = {}
    for value in values:
        name, _, text = value.rpartition("=")
        try:
            margin = float(text)
        except ValueError:
            margin = -1.0
        if not 0 <= margin < float("inf"):
            raise UsageError(
                f"--margin must be a number from 0 on, or MEASURE=NUMBER, such as ndcg=0.01, but got {quote(value)}"
            )
        if (key := name or OTHERS) in margins:
            raise UsageError(f"--margin must be given once for a measure, but got {quote(value)} as well")
        margins[key] = margin
    return margins or None


GATE = (
    option(
        "--margin",
        "margin",
        multiple=True,
        metavar="[MEASURE=]D",
        callback=_margins,
        requires="--baseline",
        excludes=(
            "--test",
            "--correction",
            "--interval",
            "--resamples",
            "--discriminative-power",
            "--by run",
            "--by topic",
            "--columns",
            "--figure",
        ),
        help=(
            "Be a gate: find whether each run is not worse than the --baseline by more than D, in units of the "
            f"measure, over all judged topics, as with -c. The exit status is 0 if so, {FOUND_WORSE} where a run is "
            f"worse, else {UNDECIDED}. May be repeated for measures with margins of their own: --margin 0.01 --margin "
            "map=0.02."
        ),
    ),
    option(
        "--require",
        type=click.Choice(REQUIREMENTS),
        default=REQUIREMENTS[0],
        requires={"better": "--margin"},
        help=(
            "With --margin: runs must be not worse than the baseline, or better for certain.  "
            f"[default: {REQUIREMENTS[0]}]"
        ),
    ),
    option(
        "--allow-unsure",
        is_flag=True,
        requires="--margin",
        excludes="--require better",
        help=f"With --margin: let runs pass of which it cannot be told, with status 0 in place of {UNDECIDED}.",
    ),
    option(
        "--junit",
        metavar="FILE",
        requires="--margin",
        help="With --margin: write the verdicts to FILE too, as JUnit's XML: a test case for each run and measure.",
    ),
    option(
        "--page",
        metavar="FILE",
        requires="--margin",
        help="With --margin: write a page to look at to FILE too, as report does, which begins with the verdicts.",
    ),
)
"""The options of a gate."""
