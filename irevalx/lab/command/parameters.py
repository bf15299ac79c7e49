"""Parameters that several functions and commands of irevalx-lab share, declared once."""

import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypedDict

from irevalx.api.inputs import GivenQrels
from irevalx.api.inputs import Runs as GivenRuns
from irevalx.api.scores import Scores
from irevalx.declarations import (
    NO_DEFAULT,
    Others,
    Parameter,
    choice,
    collect,
    file,
    flag,
    number,
    path,
    refined,
    text,
    whole,
)
from irevalx.experiments.parameters import MOST_DRAWS, read_share
from irevalx.frozen import replace
from irevalx.lab.command.output import DEFAULT_FORMAT, FIGURE_ENDINGS, FORMATS
from irevalx.parameters import ValueType, join_words, real_number
from irevalx.process.platform import MOST_PROCESSES, default_processes, path_text
from irevalx.reading.formats import QRELS, REL_FORMATS, RESULTS_FORMATS, TREC_RESULTS, WEIGHTED
from irevalx.reports import DIGITS, MOST_DIGITS, format_help
from irevalx.settings import ORDERS_OF_FILES, ORDERS_OF_TIES, PARAMETERS, TIES
from irevalx.trec_eval import COMPAT

if TYPE_CHECKING:
    from typing_extensions import Unpack as Unpack  # noqa: PLC0414 - for annotations of other modules
else:

    class Unpack:
        """``typing.Unpack``, which Python 3.10 lacks; only type checkers need more than the options."""

        def __class_getitem__(cls, options: Any) -> Any:
            return options


GRADED = tuple(
    name for name, form in REL_FORMATS.items() if QRELS.name in {name, form.measures_of} and name != WEIGHTED.name
)
"""The judgment formats that contain only a grade for each document."""

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
_WHOLE_LEVEL = whole(
    names=("-l", "--level"), metavar="N", help="relevance threshold: grades of this value or higher count as relevant."
)
Level = Annotated[int, _WHOLE_LEVEL]


def _setting(name: str, **changes: Any) -> Parameter:
    """Return the declaration of a field of Settings, with some attributes changed."""
    return replace(PARAMETERS[name], default=NO_DEFAULT, **changes)


RealLevel = Annotated[float, _setting("level", names=("-l", "--level"), metavar="N")]
_WHOLE_OR_REAL = choice("whole", "real", help="type of the grades: integers (whole) or real numbers (real).")
WholeOrRealGrades = Annotated[str, _WHOLE_OR_REAL]
ORDER_OF_FILES = refined(
    kind=choice(*ORDERS_OF_FILES).kind,
    help=(
        f"order of documents with equal scores: {join_words(ORDERS_OF_FILES, 'or')}. Tied documents are sorted by "
        "document ID, as in trec_eval (name), by the RANK column (rank), or in file order (first)."
    ),
)
MaxRetrieved = Annotated[int | None, _setting("max_retrieved", metavar="N")]
Complete = Annotated[
    bool,
    flag(
        names=("-c", "--all-topics"),
        also="--complete",
        help=(
            "average over all judged topics; a topic missing from a run scores 0. By default, the average is over the "
            "topics for which every run has results."
        ),
    ),
]


def _share_or_0(value: Any) -> float:
    real = real_number("", value)
    if real is None or not 0 <= real <= 1:
        raise ValueError(value)
    return real


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
Documents = Annotated[
    str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    path(
        names=("--docs",),
        several=True,
        help=(
            "files with the text of all documents of the collection: JSON Lines (with fields such as id and contents) "
            "or TREC SGML."
        ),
        shell_help=(
            "Files with the text of all documents of the collection: JSON Lines (with fields such as id and contents) "
            "or TREC SGML. Can be repeated."
        ),
    ),
]
Labels = Annotated[
    "GivenQrels | None",
    file(help="relevance judgments from another source, for example a machine, for unjudged documents."),
]
LabelsReplace = Annotated[
    bool, flag(requires="labels", help="replace all judgments by `labels`, not only missing judgments.")
]
LabelsFormat = Annotated[
    str | None,
    choice(
        *GRADED,
        metavar="FORMAT",
        help=f"format of `labels`: {join_words(GRADED, 'or')}. [default: the format of the judgments]",
    ),
]


def rel_format(formats: Iterable[str] = (QRELS.name,)) -> Parameter:
    """Declare the parameter for the judgment format, with the formats that the function supports."""
    formats = tuple(formats)
    supported = "every format" if set(formats) == set(REL_FORMATS) else join_words(formats, "and")
    return choice(
        *formats,
        names=("-R", "--rel-format"),
        metavar="FORMAT",
        help=f"format of judgment files: {join_words(formats, 'or')}.",
        shell_help=f"Format of judgments, as for irevalx -R. This command supports {supported}.",
    )


GradedRelFormat = Annotated[str, rel_format(GRADED)]


def _version(value: Any) -> str:
    """Return the name of a version of trec_eval, which can be an integer."""
    if str(value) not in COMPAT or isinstance(value, bool):
        raise ValueError(value)
    return str(value)


class OptionsWithoutComplete(TypedDict, total=False):
    """The options of an evaluation of runs, except ``complete``."""

    level: RealLevel
    grades: Annotated[str, _setting("grades")]
    judged_only: Annotated[bool, _setting("judged_only")]
    max_retrieved: MaxRetrieved
    collection_size: Annotated[int, _setting("collection_size", metavar="N")]
    ties: Annotated[str, choice(*TIES, metavar="ORDER", help=PARAMETERS["ties"].help.partition(" Several of")[0])]
    ignore_identical_ids: Annotated[bool, _setting("ignore_identical_ids")]
    duplicates: Annotated[str, _setting("duplicates")]
    min_retrieved: Annotated[
        float,
        Parameter(
            kind=ValueType("a share above 0 and at most 1, such as 0.1 or 10%", _share_or_0, read_share),
            metavar="SHARE",
            help=(
                "exclude runs that retrieve less than this share of the documents they can retrieve, or no documents "
                "for a topic; published experiments use 0.95. [default: keep all]"
            ),
        ),
    ]
    infap_c: Annotated[float | None, _setting("infap_c")]
    infap_epsilon: Annotated[float | None, _setting("infap_epsilon")]
    sample_rate: Annotated[float | None, _setting("sample_rate")]
    compat: Annotated[
        str | int,
        _setting("compat", kind=ValueType(join_words(COMPAT, "or"), _version, choices=tuple(reversed(COMPAT)))),
    ]
    rel_format: Annotated[str, rel_format(REL_FORMATS)]
    threads: Annotated[
        int,
        whole(
            1,
            metavar="N",
            shell_default=default_processes,
            help="number of worker processes; the results do not depend on it.",
            shell_help=(
                "Number of worker processes; the results do not depend on it.  "
                f"[default: the number of processors, at most {MOST_PROCESSES}]"
            ),
        ),
    ]


class EvaluationOptions(OptionsWithoutComplete, total=False):
    """The options of an evaluation of runs: a function passes them on to ``EvaluationRules.of`` as ``**evaluation``."""

    complete: Complete


_DEFAULTS = {name: parameter.default for name, parameter in PARAMETERS.items()} | {
    "min_retrieved": 0.0,
    "compat": next(reversed(COMPAT)),
    "rel_format": QRELS.name,
    "threads": 1,
}
_DECLARED = collect(EvaluationOptions).parameters
_EVALUATION = {
    name: replace(_DECLARED[name], default=_DEFAULTS[name]) for name in ("level", "grades", "complete", *_DECLARED)
}
"""The options by name, in the order of the help."""


def evaluation_options(
    formats: Iterable[str] = REL_FORMATS, requires: Others = (), **changes: Callable[[Parameter], Parameter] | None
) -> dict[str, Parameter]:
    """Return the options of an evaluation for ``declared(evaluation=...)``, for judgments in some formats.

    ``changes`` contains the result of ``refined`` for an option that the command restricts, and None for an option that
    it lacks. All options except ``threads`` require the parameter ``requires``. Without ``grades``, the level is an
    integer.
    """
    options = {**_EVALUATION, "rel_format": replace(rel_format(formats), name="rel_format", default=QRELS.name)}
    if changes.get("grades", refined) is None:
        options["level"] = replace(_WHOLE_LEVEL, name="level", default=1)
    return {
        name: change(option if name == "threads" else replace(option, requires=requires))
        for name, option in options.items()
        if (change := changes.get(name, refined())) is not None
    }


def whole_or_real(*excluding: str) -> Callable[[Parameter], Parameter]:
    """Declare that grades are not probabilities, and that these parameters require integer grades."""
    return refined(kind=_WHOLE_OR_REAL.kind, help=_WHOLE_OR_REAL.help, excludes={"real": excluding})


def ties_excluding(*others: str) -> Callable[[Parameter], Parameter]:
    """Declare that the order of tied documents must not depend on grades with these parameters."""
    return refined(excludes=dict.fromkeys(ORDERS_OF_TIES, others))


RESULTS_FORMAT = choice(
    *RESULTS_FORMATS,
    names=("-T", "--results-format"),
    metavar="FORMAT",
    requires="runs",
    name="results_format",
    default=TREC_RESULTS.name,
    help=f"Format of runs, as for irevalx -T: {', '.join(RESULTS_FORMATS)}.",
)


def _named(**parameters: Parameter) -> Mapping[str, Parameter]:
    return {name: replace(parameter, name=name) for name, parameter in parameters.items()}


SCORES_INPUT = _named(
    scores=flag(
        excludes=(
            *(name for name in _EVALUATION if name not in {"complete", "threads"}),
            *("results_format", "depth", "documents"),
        ),
        default=False,
        help=(
            "Read score files in place of judgments and runs. Score files contain the measure values by topic of one "
            "or several runs, computed by any program."
        ),
    ),
    lower_is_better=text(
        several=True,
        metavar="MEASURE...",
        requires="scores",
        default=(),
        help="Measures for which lower values are better, if irevalx does not define them. Can be repeated.",
    ),
)
"""The options of commands that can read score files instead of judgments and runs."""

ALL_OF_SCORES = "Without -m, all measures of the files are used."
DEFAULT_OF_SCORES = "Without -m, the default measures are used if the files contain them, otherwise all measures."
"""Sentences on the default measures of score files."""


FIGURE_WIDTHS = ("3.3", "7")
"""The widths of figures in inches: of one column of a paper, and of two."""


def _figure_file(path: Any) -> str:
    if Path(path).suffix.lower() not in FIGURE_ENDINGS:
        raise ValueError(path)
    return str(os.fspath(path))


def _figure_width(text: str) -> float:
    if text not in FIGURE_WIDTHS:
        raise ValueError(text)
    return float(text)


FIGURE_OUTPUT = _named(
    figure=Parameter(
        metavar="FILE",
        kind=ValueType(
            f"a file name that ends in {join_words(FIGURE_ENDINGS, 'or')}", _figure_file, choices=FIGURE_ENDINGS
        ),
        completion="suffix",
        default=None,
        help=f"Draw a figure; the suffix of FILE selects its format: {join_words(FIGURE_ENDINGS, 'or')}.",
    ),
    figure_width=Parameter(
        kind=ValueType(join_words(FIGURE_WIDTHS, "or"), float, _figure_width, FIGURE_WIDTHS),
        means="width",
        default=float(FIGURE_WIDTHS[-1]),
        help=(
            "Width of figures in inches, for one or two columns of a paper. Figures have 300 dots per inch and fonts "
            f"of 6 to 8 points.  [default: {FIGURE_WIDTHS[-1]}]"
        ),
    ),
    no_title=flag(default=False, help="Draw figures without titles."),
)
"""The options of commands that draw."""

LINES_OUTPUT = _named(
    path=Parameter(
        names=("-o", "--output"), metavar="FILE", default=None, help="Write to FILE instead of standard output."
    ),
    quiet=flag(default=False, help="Print neither warnings nor progress."),
)
"""The options of commands that write lines."""

TABLES_OUTPUT = {
    **_named(
        format=choice(
            *FORMATS,
            metavar="FORMAT",
            default=DEFAULT_FORMAT,
            help=f"Output format: {format_help(FORMATS.values())}. Formats for programs have full precision.",
        ),
        digits=whole(0, MOST_DIGITS, metavar="N", default=DIGITS, help="Decimals of real numbers in tables."),
    ),
    **LINES_OUTPUT,
}
"""The options of commands that write tables."""


CLASSIFIERS = ("svm", "kld")
"""The names of the classifiers: support vector machines and language models."""

EXPECTED = {f"{name}-expected": name for name in CLASSIFIERS}
"""Expected values of measures under the relevance probabilities of a classifier -> the classifier."""

THRESHOLDS = ("next", "middle", "last")
"""The position of the threshold of language models between the last document predicted relevant and the next one."""


KldThreshold = Annotated[
    str,
    choice(
        *THRESHOLDS,
        help=(
            "threshold of kld, chosen so that as many judged documents are predicted relevant as were judged relevant: "
            "the divergence of the last document predicted relevant (last), of the next document (next), or the "
            "midpoint (middle). Büttcher et al. (2007) do not specify the threshold."
        ),
    ),
]
