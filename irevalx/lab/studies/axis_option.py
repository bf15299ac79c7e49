"""The option that study and draw share."""

from __future__ import annotations

import click

from irevalx.cli.option_rules import option
from irevalx.lab.studies.run_study import AXES

axis_option = option(
    "--axis",
    type=click.Choice(AXES),
    default="log",
    help=(
        "Divide the axis of levels by ratios (log) or by differences (linear), as levels from 50% to 100% need it.  "
        "[default: log]"
    ),
)
