"""The names of classifiers and of their thresholds, for options: classifiers themselves take a while to import."""

from __future__ import annotations

import click

from irevalx.cli.option_rules import option
from irevalx.lab.command.kinds_of_values import Parameter

CLASSIFIERS = ("svm", "kld")
"""The names of the classifiers: support vector machines and language models."""

EXPECTED = {f"{name}-expected": name for name in CLASSIFIERS}
"""The names of what measures are expected to be under the probabilities of relevance of a classifier, and its name."""

THRESHOLDS = ("next", "middle", "last")
"""Where the threshold of language models lies between the last judged document that passes and the next one."""


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
