"""Parameters that the function ``report`` and the functions that compare runs have in common."""

import os
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Annotated, Any, TypeAlias

from irevalx.api.custom_measures import Measures as GivenMeasures
from irevalx.checks import ValueType, texts
from irevalx.declarations import Parameter, choice, collect, file, refined, text, whole
from irevalx.errors import ArgumentError
from irevalx.experiments.seeds_and_shares import MOST_DRAWS
from irevalx.frozen import defaults, replace
from irevalx.lab.command.common_options import Alpha, Groups, Seed, measures
from irevalx.lab.command.evaluation_options import EvaluationOptions, evaluation_options
from irevalx.lab.comparison.pairs import LABELS, PAIR_COLUMNS
from irevalx.process.platform import path_text
from irevalx.reports.names import split_names
from irevalx.settings import NAME_STYLES
from irevalx.statistics.confidence_intervals import INTERVALS
from irevalx.statistics.corrections import CORRECTIONS, SHORT_NAMES, TUKEY
from irevalx.statistics.paired_comparisons import Method
from irevalx.statistics.significance import TESTS
from irevalx.wording import invalid_value, no_such

TestedMeasures = Annotated[
    GivenMeasures,
    measures(
        shell_help=(
            "Measures, as for irevalx -m: 'map infAP'. P-values are corrected for the comparisons of a measure."
        )
    ),
    refined(
        help=(
            'measures, such as "map", "P.5,10" or "nDCG@10"; one or several. [default: map; with ``Scores`` that do '
            "not contain map, or that ``irevalx.evaluate`` returned, all measures that have a value for each topic]"
        )
    ),
]
Names = Annotated[
    str,
    choice(
        *NAME_STYLES,
        help="names of the measures in the output: trec_eval's names, or the names requested with `measures` (asked).",
    ),
]
Test = Annotated[
    str,
    choice(
        *TESTS,
        single=tuple(name for name in TESTS if name != "t"),
        help=(f"paired test over topics: {', '.join(f'{name} ({test.words})' for name, test in TESTS.items())}."),
    ),
]
Correction = Annotated[
    str,
    choice(
        *CORRECTIONS,
        *SHORT_NAMES,
        TUKEY,
        single=(TUKEY,),
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
        single=tuple(name for name in INTERVALS if name != "t"),
        help=(
            "confidence intervals of differences: Student's t distribution (t), or the bias-corrected and accelerated "
            "bootstrap (bca). With fewer than about 20 topics, bca intervals are too narrow."
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
_NOT_WITH_SYSTEMS = (
    *(f"test={name}" for name, test in TESTS.items() if not test.with_systems),
    *("correction=tukey", "interval=bca"),
)

Systems = Annotated[
    Groups,
    refined(
        requires=(),
        excludes=_NOT_WITH_SYSTEMS,
        single=True,
        help=(
            "compare systems with several runs each (replicates), for example of several folds or seeds. The system of "
            "each run is given as ``{run: system}``, or in a file with one line ``RUN SYSTEM`` per run. The value of a "
            "topic is the mean over the runs of a system; tests and intervals account for the variation over both "
            "topics and runs."
        ),
        shell_help=(
            "Compare systems with several runs each (replicates), such as folds or seeds. FILE contains one line RUN "
            "SYSTEM per run. The value of a topic is the mean over the runs of a system; tests and intervals are over "
            "topics and runs."
        ),
    ),
]
SystemBy = Annotated[
    str | None,
    text(
        metavar="REGEX",
        excludes=("systems", *_NOT_WITH_SYSTEMS),
        single=True,
        help=(
            "compare systems: the name of a system is the part of the run name that this regular expression matches "
            "(its first group in parentheses, if it has one). A run without a match is a separate system."
        ),
    ),
]


WITHOUT_CLUSTERS = ("test=wilcoxon", "interval=bca", "correction=tukey")
"""The methods of comparison that are not available for clusters of topics, because their behaviour was not studied."""


class TestOptions(EvaluationOptions, total=False):
    """The options of a comparison, which determine how runs are evaluated and tested.

    All options are passed to ``TestedRuns.of``.
    """

    names: Names
    test: Test
    correction: Correction
    interval: Interval
    alpha: Alpha
    resamples: TestResamples
    seed: Seed
    systems: Systems
    system_by: SystemBy


_DEFAULTS = defaults(Method) | {"names": NAME_STYLES[0], "seed": None, "systems": None, "system_by": None}


def test_options() -> dict[str, Parameter]:
    """Return the options of a comparison for use in ``declared(evaluation=...)``."""
    own = {name: replace(each, default=_DEFAULTS[name]) for name, each in _collected.items()}
    return own | evaluation_options()


_collected = collect(TestOptions).parameters

TopicGroupsInput: TypeAlias = str | os.PathLike[str] | Mapping[str, str | Iterable[str]]
"""The input that defines topic groups: a file, or a dictionary that maps each topic to its group or groups."""


def path_or_mapping(value: Any) -> Any:
    """Convert a path to a string, and return a mapping unchanged."""
    return value if isinstance(value, Mapping) else path_text(value)


TOPIC_GROUPS = file(kind=ValueType("the path of a file, or a dictionary from topics to groups", path_or_mapping))
"""The declaration of topic groups. The docstring of each function explains the groups."""

_ALL_COLUMNS, _ALL_FACTORS = "all", "factors"
_COLUMN_RULE = f"all, factors, a factor in run names, or some of {' '.join(PAIR_COLUMNS)}"

COLUMNS = Parameter(
    kind=ValueType(_COLUMN_RULE, partial(texts, "columns"), choices=(_ALL_COLUMNS, _ALL_FACTORS, *PAIR_COLUMNS)),
    metavar="NAME...",
)


def columns_of(columns: str | Iterable[str], runs: Sequence[str]) -> tuple[tuple[str, ...], dict[str, dict[str, Any]]]:
    """Return the columns of the table of pairs that were requested, or an empty tuple for the default columns."""
    words = [word for given in texts("columns", columns) for word in given.replace(",", " ").split()]
    factors = {
        f"{key}=" if key in PAIR_COLUMNS else key.replace(" ", "_"): dict(zip(runs, values, strict=True))
        for key, values in split_names(runs).factors.items()
    }
    for word in words:
        if word not in {_ALL_COLUMNS, _ALL_FACTORS, *PAIR_COLUMNS, *factors}:
            raise ArgumentError(invalid_value("columns", _COLUMN_RULE, word))
    if _ALL_COLUMNS in words:
        words += PAIR_COLUMNS
    of_pairs = [word for word in dict.fromkeys(words) if word in PAIR_COLUMNS and word not in LABELS]
    displayed = factors if _ALL_FACTORS in words else {word: factors[word] for word in words if word in factors}
    return (*LABELS, *of_pairs) if of_pairs else (), displayed


def baseline_named(baseline: str, runs: Sequence[str], sources: Any) -> str:
    """Return the name of the run whose run tag or path is ``baseline``. If no run matches, return ``baseline``."""
    if baseline in runs or not isinstance(sources, list | tuple) or len(sources) != len(runs):
        return baseline
    paths = [os.fspath(run) if isinstance(run, str | os.PathLike) else None for run in sources]
    return runs[paths.index(baseline)] if paths.count(baseline) == 1 else baseline


def baselines_named(
    baselines: str | Iterable[str] | None, runs: Sequence[str], sources: Any, systems: Sequence[str], single: str = ""
) -> tuple[str, ...]:
    """Return the names of the baselines, which are runs or systems. Commas separate several names in a string.

    ``single`` is the name of a parameter that requires a single baseline, or "" if there is no such parameter.
    """
    if baselines is None:
        return ()
    if isinstance(baselines, str):
        is_single = baseline_named(baselines, runs, sources) in {*runs, *systems}
        baselines = [baselines] if is_single else baselines.split(",")
    names = tuple(dict.fromkeys(baseline_named(each, runs, sources) for each in baselines))
    if names[1:] and single:
        raise ArgumentError(f"{single} requires a single baseline, not {len(names)}")
    return names


def number_of_baseline(baseline: str, runs: Sequence[str]) -> int:
    """Return the index of the baseline among the names of runs. Raise ArgumentError if the baseline is not a run."""
    if baseline not in runs:
        raise ArgumentError(no_such("baseline", "run", baseline, runs))
    return runs.index(baseline)
