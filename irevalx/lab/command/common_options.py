"""Other parameters that several functions and commands of irevalx-lab share, declared once."""

import os
from collections.abc import Iterable, Mapping
from typing import Annotated, Any

from irevalx.api.inputs import GivenQrels
from irevalx.api.inputs import Runs as GivenRuns
from irevalx.api.scores import Scores
from irevalx.checks import ValueType
from irevalx.declarations import Parameter, file, number, text, whole
from irevalx.experiments.seeds_and_shares import MOST_DRAWS
from irevalx.process.platform import path_text

WITHOUT_POOLED_RUNS = (
    "Without them, irevalx -m judged@10 prints the share of judged documents, bounds computes the lowest and highest "
    "value of P, rbp and dcg, and compare warns about conclusions that depend on unjudged documents"
)
"""What to use in place of ``leave-out --new-run`` if only the judgments and the new run are available."""

Qrels = Annotated[
    GivenQrels,
    file(
        names=("QRELS",),
        help="relevance judgments: ``{topic: {docno: grade}}``, or anything else that ``irevalx.Qrels.read`` accepts.",
    ),
]

QrelsOrScores = Annotated[
    "GivenQrels | Scores",
    file(
        names=("QRELS",),
        help=(
            "relevance judgments: ``{topic: {docno: grade}}``, or anything else that ``irevalx.Qrels.read`` accepts; "
            "or ``Scores``, without runs."
        ),
    ),
]

Runs = Annotated[
    GivenRuns,
    file(
        names=("RUN",),
        several=True,
        help="the runs: ``{name: {topic: {docno: score}}}``, or anything else that ``irevalx.evaluate`` accepts.",
    ),
]

OptionalRuns = Annotated[
    "GivenRuns | None",
    file(names=("RUN",), several=True, help=Runs.__metadata__[0].help),
]


def measures(default: str = "map", shell_help: str = "Measures, as for irevalx -m.") -> Parameter:
    """Declare the parameter for measures; blanks separate measures, and commas are part of measure parameters."""
    return Parameter(
        names=("-m", "--measure"),
        several=True,
        separators=" ",
        metavar="NAME...",
        completion="measure",
        also="--measures",
        shell_default=tuple(default.split()),
        help='measures, such as "map", "P.5,10" or "nDCG@10"; one or several.',
        shell_help=f"{shell_help} Can be repeated.  [default: {default}]",
    )


Measures = Annotated[str | Iterable[str], measures()]

FullyJudged = Annotated[
    int | None,
    whole(
        1,
        metavar="K",
        help=(
            "exclude runs with an unjudged document among their first K documents of any judged topic; Büttcher et al. "
            "(2007) use 50. [default: keep all]"
        ),
    ),
]

Seed = Annotated[
    int | None,
    whole(metavar="S", help="random seed.", shell_help="Random seed.  [default: random; printed to standard error]"),
]

Alpha = Annotated[
    float,
    number(
        above=0,
        below=1,
        metavar="P",
        help="significance level of the corrected p-values; intervals have confidence level 1 - alpha.",
    ),
]

Baseline = Annotated[
    str | None,
    text(
        metavar="RUN",
        help="compare each run with this one, given by its run tag or file name. [default: compare all pairs]",
    ),
]

Resamples = Annotated[int, whole(0, MOST_DRAWS, metavar="B", help="number of bootstrap resamples.")]

Depth = Annotated[int, whole(1, metavar="K", help="pool depth: the first K documents of each run and topic.")]


def _groups(value: Any) -> Any:
    if not isinstance(value, Mapping):
        return path_text(value)
    if not all(isinstance(name, str) for run_and_group in value.items() for name in run_and_group):
        raise TypeError(value)
    return value


Groups = Annotated[
    str | os.PathLike[str] | Mapping[str, str] | None,
    file(
        kind=ValueType("the path of a file, or a dictionary of strings", _groups),
        requires="runs",
        excludes="group_by",
        help="the group of each run: ``{run: group}``, or a file with one line ``RUN GROUP`` per run.",
        shell_help="The group of each run: a file with one line RUN GROUP per run.",
    ),
]

GroupBy = Annotated[
    str | None,
    text(
        metavar="REGEX",
        requires="runs",
        help=(
            "the group of a run is the part of its name that this regular expression matches (its first group in "
            "parentheses, if it has one); runs that it does not match form the group others. [default: each run is a "
            "group]"
        ),
    ),
]

Rbo = Annotated[float | None, number(above=0, most=1, metavar="P")]

ALL_OF_SCORES = "Without -m, all measures of the files are used."

DEFAULT_OF_SCORES = "Without -m, the default measures are used if the files contain them, otherwise all measures."
"""Sentences on the default measures of score files."""
