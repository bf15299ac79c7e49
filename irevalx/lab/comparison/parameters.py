"""Parameters of comparisons, shared by ``compare`` and ``report``."""

import os
from collections.abc import Iterable, Mapping
from typing import Annotated, Any, TypeAlias

from irevalx.declarations import Parameter, choice, file, whole
from irevalx.experiments.parameters import MOST_DRAWS
from irevalx.lab.comparison.pairs import LABELS, PAIR_COLUMNS
from irevalx.parameters import ValueType, texts
from irevalx.process.platform import path_text
from irevalx.statistics.confidence_intervals import INTERVALS
from irevalx.statistics.significance import CORRECTIONS, FEW_TOPICS, SHORT_NAMES, TESTS, TUKEY

Test = Annotated[
    str,
    choice(
        *TESTS,
        help=(
            f"paired test over topics: {', '.join(f'{name} ({test.words})' for name, test in TESTS.items())}. If fewer "
            f"than {FEW_TOPICS} topics differ, or all topics differ by the same amount, an exact sign-flip test "
            "replaces the t test."
        ),
    ),
]
Correction = Annotated[
    str,
    choice(
        *CORRECTIONS,
        *SHORT_NAMES,
        TUKEY,
        help=(
            "correction of the p-values for the number of comparisons under a measure. The name bh is short for "
            "benjamini-hochberg. The randomised Tukey HSD test (tukey) compares all pairs of runs and is used instead "
            "of `test`."
        ),
    ),
]
Interval = Annotated[
    str,
    choice(
        *INTERVALS,
        help=(
            "confidence intervals of differences: Student's t distribution (t), or the bias-corrected and accelerated "
            "bootstrap (bca). A t interval excludes 0 if and only if the uncorrected t test is significant. With "
            "fewer than about 20 topics, bca intervals are too narrow."
        ),
    ),
]
TestResamples = Annotated[
    int,
    whole(
        1,
        MOST_DRAWS,
        metavar="B",
        help="number of random sign flips, label permutations, randomisations of tukey, and bootstrap resamples.",
    ),
]


def _check_baselines(value: Any) -> str | tuple[str, ...]:
    if isinstance(value, str):
        return value
    if not (names := tuple(texts("", value))):
        raise ValueError(value)
    return names


Baselines = Annotated[
    str | Iterable[str] | None,
    Parameter(
        kind=ValueType("the name of a run, or several names", _check_baselines),
        metavar="RUN[,RUN]",
        help=(
            "compare each run with this one, given by its run tag or file name. With several baselines, compare each "
            "other run with each baseline; p-values are corrected for these pairs only. [default: compare all pairs]"
        ),
    ),
]
TopicGroupsInput: TypeAlias = str | os.PathLike[str] | Mapping[str, str | Iterable[str]]
"""A file, or the group of each topic, or its groups."""


def path_or_mapping(value: Any) -> Any:
    """Return the name of a file, or a dictionary unchanged."""
    return value if isinstance(value, Mapping) else path_text(value)


TOPIC_GROUPS = file(kind=ValueType("the path of a file, or a dictionary from topics to groups", path_or_mapping))
"""Groups of topics, which each function explains."""

_ALL_COLUMNS = ("all",)


def _check_columns(columns: Any) -> Any:
    words = _words(columns)
    if words != _ALL_COLUMNS and not {*words} <= {*PAIR_COLUMNS}:
        raise ValueError(columns)
    return columns


def _words(columns: str | Iterable[str]) -> tuple[str, ...]:
    return tuple(word for text in texts("columns", columns) for word in text.replace(",", " ").split())


COLUMNS = Parameter(kind=ValueType(f"all, or some of {' '.join(PAIR_COLUMNS)}", _check_columns), metavar="NAME...")


def columns_of(columns: str | Iterable[str]) -> tuple[str, ...]:
    """Return the columns of pairs to display; none for the default."""
    words = _words(columns)
    if words == _ALL_COLUMNS:
        return PAIR_COLUMNS
    return (*LABELS, *(word for word in words if word not in LABELS)) if words else ()
