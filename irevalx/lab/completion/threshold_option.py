"""``--kld-threshold`` of the commands that complete judgments."""

from __future__ import annotations

import click

from irevalx.cli.option_rules import option
from irevalx.lab.command.kinds_of_values import Parameter
from irevalx.lab.completion.classifiers import THRESHOLDS


def kld_threshold_option(requires: str) -> Parameter:
    """Return the option ``--kld-threshold``, which needs language models."""
    return option(
        "--kld-threshold",
        requires=requires,
        type=click.Choice(THRESHOLDS),
        default=THRESHOLDS[0],
        help=(
            "With kld, as many judged documents pass the threshold as are relevant: let it be the divergence of the "
            "next one, of the last one that passes, or the middle. Büttcher et al. (2007) do not say.  [default: next]"
        ),
    )
