"""``--strata`` and ``--strata-file``."""

from __future__ import annotations

from irevalx.cli.option_rules import option
from irevalx.cli.values import complete_file
from irevalx.experiments.strata import EXAMPLE

strata_option = option(
    "--strata",
    metavar="STRATA",
    help=(
        "Divide each topic's judged documents into strata and keep a share of each: by the best rank in any RUN "
        f"({EXAMPLE}), by how many of the runs have them ('runs 3+:100% 1-2:20% rest:5%'), or by the names in "
        "--strata-file ('1:100% 2:30%')."
    ),
)
strata_file_option = option(
    "--strata-file",
    requires="--strata",
    metavar="FILE",
    shell_complete=complete_file,
    help="The stratum of each document, a line TOPIC DOCNO STRATUM each.",
)
