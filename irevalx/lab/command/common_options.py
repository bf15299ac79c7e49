"""Declarations of parameters that several functions and commands of irevalx-lab have in common."""

import os
from collections.abc import Iterable, Mapping
from typing import Annotated, Any

from irevalx.api.inputs import GivenQrels
from irevalx.api.inputs import Runs as GivenRuns
from irevalx.api.scores import Scores
from irevalx.checks import ValueType, read_real
from irevalx.declarations import Parameter, file, number, text, whole
from irevalx.experiments.seeds_and_shares import MOST_DRAWS
from irevalx.process.platform import as_bytes, path_text
from irevalx.trec_eval import c_double

WITHOUT_POOLED_RUNS = (
    "Without them, irevalx -m judged@10 prints the share of judged documents, bounds computes the lowest and highest "
    "value of P, rbp and dcg, and compare warns about conclusions that depend on unjudged documents"
)
"""An alternative to ``leave-out --new-run`` for error messages, which requires only judgments and the new run."""

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
    """Declare the parameter for measures. Measures are separated by spaces, because a measure can contain commas."""
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


def _label_values(value: Any) -> dict[str, float]:
    if not isinstance(value, Mapping) or not all(isinstance(word, str) and word for word in value):
        raise TypeError(value)
    if any(c_double(as_bytes(word))[1] for word in value):
        raise ValueError(value)
    return {word: float(grade) for word, grade in value.items()}


def _read_label_value(text: str) -> dict[str, float]:
    word, _, grade = text.rpartition("=")
    return {word: read_real(grade)}


_KNOWN_WORDS = (
    "By default, pass/fail, yes/no, true/false, relevant/irrelevant and correct/incorrect are read as 1/0 if a file "
    "contains the words of only one of these pairs. If a file contains only other words, an error is reported."
)

LabelValues = Annotated[
    Mapping[str, float] | None,
    Parameter(
        kind=ValueType("WORD=GRADE, a word and its grade (pass=1)", _label_values, _read_label_value),
        names=("--label-value",),
        entries=True,
        metavar="WORD=GRADE",
        help=(
            'grades of labels that are words, such as ``{"pass": 1, "fail": 0}``. The case of the words is ignored. A '
            f"word with a negative grade is a missing label. {_KNOWN_WORDS}"
        ),
        shell_help=(
            "Grade of a label that is a word, such as pass=1. The case of the word is ignored. A word with a negative "
            f"grade is a missing label. Can be repeated. {_KNOWN_WORDS}"
        ),
    ),
]

ClusterBy = Annotated[
    str | None,
    text(
        metavar="REGEX",
        excludes="clusters",
        help=(
            "clusters of dependent topics, such as the turns of a conversation. The cluster of a topic is the part of "
            "the topic ID that this regular expression matches (its first group in parentheses, if it has one). If it "
            "does not match, the topic is a cluster of its own. Tests and intervals are cluster-robust."
        ),
    ),
]

TopicClusters = Annotated[
    str | os.PathLike[str] | Mapping[str, str] | None,
    file(
        kind=ValueType("the path of a file, or a dictionary of strings", _groups),
        help=(
            "the cluster of each topic, as with `cluster_by`: ``{topic: cluster}``, or a file with one line ``TOPIC "
            "CLUSTER`` per topic."
        ),
        shell_help="The cluster of each topic, as with `cluster_by`: a file with one line TOPIC CLUSTER per topic.",
    ),
]

Rbo = Annotated[float | None, number(above=0, most=1, metavar="P")]

ALL_OF_SCORES = "Without -m, all measures of the files are used."

DEFAULT_OF_SCORES = "Without -m, the default measures are used if the files contain them, otherwise all measures."
"""Sentences that say which measures are used by default if score files are given."""
