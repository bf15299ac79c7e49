"""Judgments and runs as users give them, in all forms that ``irevalx.evaluate`` takes: read, ranked once, looked up."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypedDict

from irevalx import parameters
from irevalx.api.inputs import Qrels, read_runs
from irevalx.api.own_measures import with_custom_measures
from irevalx.api.user_warnings import warn
from irevalx.errors import ArgumentError, UsageError
from irevalx.experiments.experiment import Experiment, prepare
from irevalx.experiments.labels import Labels
from irevalx.experiments.ranked_runs import RankedRuns, RunRules, requests_of
from irevalx.experiments.ranking_runs import raise_first
from irevalx.frozen import Frozen
from irevalx.judgments import AnyJudgments
from irevalx.judgments.graded import Judgments
from irevalx.measures.contradictions import refuse_contradictions
from irevalx.measures.lists import measures_in
from irevalx.measures.select import RequestedMeasure
from irevalx.reading.formats import QRELS, REL_FORMATS, TREC_RESULTS
from irevalx.reading.runs import RunStream
from irevalx.settings import Settings
from irevalx.trec_eval.versions import TREC_EVAL_10

if TYPE_CHECKING:
    from typing_extensions import Unpack


class Evaluating(TypedDict, total=False):
    """The keywords with which public functions of the lab read judgments and runs.

    level : the least grade that is relevant.
    grades : what grades are, as ``irevalx.evaluate`` has it; functions without this keyword need whole ones.
    ties, ignore_identical_ids, duplicates : likewise, of functions that have these keywords.
    complete : evaluate all judged topics, those that a run lacks as 0; otherwise the topics that every run has.
    min_retrieved : leave out runs with less than this share of the documents that they might have; 0 keeps all.
    rel_format : of the judgments.
    threads : how many processes share the work; at least 1.
    least_runs : 1, or 2 where runs are compared. No function has it as a keyword of its own.
    """

    level: float
    grades: str
    ties: str
    ignore_identical_ids: bool
    duplicates: str
    complete: bool
    min_retrieved: float
    rel_format: str
    threads: int
    least_runs: int


def judgments_of(qrels: Any, rel_format: str = QRELS.name, grades: str = "whole") -> AnyJudgments:
    """Read judgments with such grades; raises as ``Qrels.read`` does, and UsageError where they were read otherwise."""
    read = Qrels.read(qrels, rel_format=rel_format, grades=grades)
    if read.grades != grades:
        raise UsageError(f"grades must be {grades} for this, but got {read.grades}")
    return read.judgments


def graded_judgments_of(qrels: Any, rel_format: str = QRELS.name, grades: str = "whole") -> Judgments:
    """Read judgments with one grade for each document.

    Raises
    ------
    ArgumentError : they have something else than grades.
    DuplicateDocumentError : a document occurs twice in a topic.
    IrevalxError : as ``Qrels.read``.
    """
    judgments = _with_grades(qrels, rel_format, grades)
    raise_first(judgments.duplicates)
    return judgments


def _with_grades(qrels: Any, rel_format: str, grades: str = "whole") -> Judgments:
    judgments = judgments_of(qrels, rel_format, grades)
    if not isinstance(judgments, Judgments):
        raise ArgumentError(f"rel_format must be of judgments with a grade for each document, but got {rel_format!r}")
    return judgments


def labels_of(labels: Any, labels_format: str | None, rel_format: str = QRELS.name) -> Judgments:
    """Read labels from elsewhere as whole grades; raises as ``Labels.read`` and ``Labels.grades`` do.

    Parameters
    ----------
    labels_format : their format; None for that of the judgments.
    rel_format : of the judgments.
    """
    return Labels.read(labels, labels_format or rel_format, parameter="labels_format").grades


def are_given(runs: Any) -> bool:
    """Return whether there are runs, where there may be none: None or an empty list."""
    return not (runs is None or (isinstance(runs, list | tuple) and not runs))


class OpenedRuns(Frozen):
    """Runs whose lines are still to be read, and their names; they may stand wherever users give runs.

    Parameters
    ----------
    runs : read each time that they are evaluated.
    names : None for the tag in the file.
    """

    runs: list[RunStream]
    names: list[str | None]


def opened_runs(runs: Any) -> OpenedRuns:
    """Return runs whose lines are still to be read, and their names.

    Raises
    ------
    ArgumentError : as ``irevalx.evaluate`` does.
    """
    if isinstance(runs, OpenedRuns):
        return runs
    each = read_runs(runs, TREC_RESULTS.name, strict=False)
    return OpenedRuns([run.for_one_evaluation(TREC_EVAL_10) for run in each], [run.name for run in each])


def measures_of(measures: Any) -> tuple[str, ...]:
    """Return measures one by one; a string may have several, with blanks or commas between them."""
    return tuple(one for text in with_custom_measures(measures) for one in measures_in(text))


def experiment_of(qrels: Any, runs: Any, measures: Any, **options: Unpack[Evaluating]) -> Experiment:
    """Read graded judgments and runs, rank and look up.

    Parameters
    ----------
    qrels : as ``Qrels.read`` takes them, with a grade for each document.
    runs : as ``irevalx.evaluate`` takes them.
    measures : as ``measures_of`` takes them; or requests, as ``requests_of_samples`` returns them.

    Raises
    ------
    IrevalxError : as ``graded_judgments_of`` and ``prepare``.
    """
    rules = _rules(options)
    judgments = graded_judgments_of(qrels, options.get("rel_format", QRELS.name), rules.settings.grades)
    opened = opened_runs(runs)
    is_read = isinstance(measures, tuple) and all(isinstance(one, RequestedMeasure) for one in measures)
    asked = measures if is_read else measures_of(measures)
    return prepare(judgments, opened.runs, asked, rules, names=opened.names, warn=warn)


def ranked_runs_of(
    qrels: Any, runs: Any, measures: Any, *, as_asked: bool = False, **options: Unpack[Evaluating]
) -> RankedRuns:
    """Read judgments of any format and runs, rank and look up; the judgments cannot be replaced by others then.

    Parameters
    ----------
    qrels, runs, measures : as ``irevalx.evaluate`` takes them.
    as_asked : name measures as they were asked for, rather than as they are printed.

    Raises
    ------
    IrevalxError : as ``judgments_of``, ``requests_of`` and ``RankedRuns.of``.
    """
    if isinstance(qrels, Qrels) and options.get("grades", "whole") == "whole":
        options["grades"] = qrels.grades
    rules = _rules(options)
    settings = rules.settings
    rel_format = qrels.rel_format if isinstance(qrels, Qrels) else options.get("rel_format", QRELS.name)
    refuse_contradictions((), settings, rel_format, with_pool=False)
    requests = requests_of(measures_of(measures), settings, rel_format, as_asked=as_asked)
    judgments = judgments_of(qrels, rel_format, settings.grades)
    kind: type[RankedRuns] = RankedRuns
    if isinstance(judgments, Judgments) and QRELS.name in {rel_format, REL_FORMATS[rel_format].measures_of}:
        raise_first(judgments.duplicates)
        kind = Experiment
    opened = opened_runs(runs)
    return kind.of(judgments, opened.runs, requests, rules, names=opened.names, warn=warn)


def _rules(options: Evaluating) -> RunRules:
    """Return the options as they are used.

    Raises
    ------
    ArgumentError : a value is none that its keyword takes.
    """
    settings = Settings.of(
        level=options.get("level", 1),
        grades=options.get("grades", "whole"),
        ties=options.get("ties", "name"),
        ignore_identical_ids=options.get("ignore_identical_ids", False),
        duplicates=options.get("duplicates", "error"),
        complete=options.get("complete", False),
    )
    return RunRules(
        settings=settings,
        least_retrieved=_share("min_retrieved", options.get("min_retrieved", 0.0)),
        least_runs=options.get("least_runs", 2),
        processes=parameters.whole_number("threads", options.get("threads", 1), least=1),
    )


def probability(what: str, value: Any, least: float = 0.0) -> float:
    """Return a number below 1 and above 0, or above another least one; raises ArgumentError."""
    number = parameters.real_number(what, value)
    if number is None or not least < number < 1:
        raise parameters.argument_error(what, f"a number above {least:g} and below 1", value)
    return number


def _share(what: str, value: Any) -> float:
    """Return a number from 0 to 1."""
    share = parameters.real_number(what, float(value) if hasattr(value, "denominator") else value)
    if share is None or not 0 <= share <= 1:
        raise parameters.argument_error(what, "a number from 0 to 1", value)
    return share
