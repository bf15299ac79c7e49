"""Options of commands that evaluate runs with judgments."""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Annotated, Any, TypedDict

from irevalx.checks import ValueType, real_number
from irevalx.declarations import NO_DEFAULT, Others, Parameter, choice, collect, flag, refined, whole
from irevalx.experiments.seeds_and_shares import read_share
from irevalx.frozen import replace
from irevalx.process.platform import MOST_PROCESSES, default_processes
from irevalx.reading.formats import REL_FORMATS
from irevalx.reading.judgment_formats import QRELS, WEIGHTED
from irevalx.settings import ORDERS_OF_FILES, ORDERS_OF_TIES, PARAMETERS, TIES
from irevalx.trec_eval import COMPAT
from irevalx.wording import join_words

if TYPE_CHECKING:
    from typing_extensions import Unpack as Unpack  # noqa: PLC0414 - for annotations of other modules
else:

    class Unpack:
        """A substitute for ``typing.Unpack``, which Python 3.10 lacks.

        Only type checkers use the class for more than its argument.
        """

        def __class_getitem__(cls, options: Any) -> Any:
            return options


GRADED = tuple(
    name for name, form in REL_FORMATS.items() if QRELS.name in {name, form.measures_of} and name != WEIGHTED.name
)
"""The judgment formats that contain nothing but a grade for each document."""

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


def rel_format(formats: Iterable[str] = (QRELS.name,)) -> Parameter:
    """Declare the parameter for the format of judgments.

    ``formats`` contains the formats that the command supports.
    """
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
    """Convert a version of trec_eval, which can be an integer, to its name."""
    if str(value) not in COMPAT or isinstance(value, bool):
        raise ValueError(value)
    return str(value)


class OptionsWithoutComplete(TypedDict, total=False):
    """The options of an evaluation of runs, without ``complete``."""

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
    """The options of an evaluation of runs, which functions pass to ``EvaluationRules.of`` as ``**evaluation``."""

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
"""The declaration of each evaluation option, in the order of the help."""


def evaluation_options(
    formats: Iterable[str] = REL_FORMATS, requires: Others = (), **changes: Callable[[Parameter], Parameter] | None
) -> dict[str, Parameter]:
    """Return the evaluation options for ``declared(evaluation=...)``, given the supported judgment formats.

    The value of an option in ``changes`` is the result of ``refined`` if the command restricts the option, or None if
    the command does not have it. All options except ``threads`` require the parameter ``requires``. If there is no
    option ``grades``, the level is an integer.
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
    """Declare that grades cannot be probabilities, and that the parameters in ``excluding`` require integer grades."""
    return refined(kind=_WHOLE_OR_REAL.kind, help=_WHOLE_OR_REAL.help, excludes={"real": excluding})


def ties_excluding(*others: str) -> Callable[[Parameter], Parameter]:
    """Declare that the parameters in ``others`` exclude orders of tied documents that depend on grades."""
    return refined(excludes=dict.fromkeys(ORDERS_OF_TIES, others))
