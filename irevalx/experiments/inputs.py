"""Judgments, runs and labels from user input, and judgments with the text of their file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, TypedDict

import numpy as np

from irevalx import parameters
from irevalx.api.custom_measures import with_custom_measures
from irevalx.api.inputs import Qrels, read_runs
from irevalx.arrays.segments import AnyArray, BoolArray
from irevalx.errors import ArgumentError, InputError, UsageError, shown_name, warn
from irevalx.experiments.labels import Labels
from irevalx.experiments.ranked_runs import Experiment, RankedRuns, RunRules, prepare, raise_first, requests_of
from irevalx.frozen import Frozen, replace
from irevalx.judgments import AnyJudgments
from irevalx.judgments.graded import Judgments
from irevalx.measures.selection import RequestedMeasure, measures_in, refuse_contradictions
from irevalx.reading.formats import QRELS, REL_FORMATS, TREC_RESULTS, read_qrels, rel_format
from irevalx.reading.kinds.runs import RunStream
from irevalx.reading.sources.blocks import whole_file
from irevalx.reading.sources.files import Source
from irevalx.reading.sources.tables import is_file, source_of
from irevalx.settings import Settings
from irevalx.trec_eval import TREC_EVAL_10

if TYPE_CHECKING:
    from typing_extensions import Self, Unpack


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


class QrelsText(Qrels):
    """Judgments with the text of their file; ``judgments.lines`` are the line numbers."""

    def __init__(self, judgments: AnyJudgments, text: bytes, rel_format: str = QRELS.name) -> None:
        super().__init__(judgments, rel_format)
        self.text = text
        """The file of these judgments, to be written."""

    @classmethod
    def parsed(cls, path: str, lines: Iterable[bytes], form: str = QRELS.name) -> Self:
        """Read judgments from lines made of other judgments (at ``path``), without repeating their warnings."""
        text = b"".join(lines)
        if not text:
            raise InputError(f"{shown_name(path)}: a judgment must be left, but none is")
        return cls(rel_format(form).read(Source(path, text), TREC_EVAL_10, False, lambda line: None), text, form)


class GradedText(QrelsText):
    """Judgments with a grade for each document, no document twice in a topic, and the text that they stand in."""

    judgments: Judgments

    @classmethod
    def of(cls, qrels: Any, form: str = QRELS.name) -> GradedText:
        """Read judgments; unless they are a file in the format qrels, their text has lines ``TOPIC 0 DOCNO GRADE``."""
        if isinstance(qrels, QrelsText) and isinstance(qrels.judgments, Judgments) and qrels.rel_format == QRELS.name:
            return cls(qrels.judgments, qrels.text)
        if is_file(qrels) and not isinstance(qrels, Qrels):  # which has a function read
            source = source_of(qrels, "qrels")
            if form == QRELS.name and not source.is_parquet:
                content = source.in_memory()
                judgments = read_qrels(content, TREC_EVAL_10, strict=False, warn=warn)
                raise_first(judgments.duplicates)
                return cls(judgments, whole_file(content).text)
            graded = rel_format(form).read(source, TREC_EVAL_10, False, warn)
        else:
            graded = judgments_of(qrels, form)
        if not isinstance(graded, Judgments) or graded.strata is not None:
            raise ArgumentError(f"rel_format must be of judgments with a grade for each document, but got {form!r}")
        raise_first(graded.duplicates)
        numbered = replace(graded, lines=np.arange(1, graded.rows.size + 1))
        return cls(numbered, b"".join(_plain_lines(numbered, np.arange(graded.rows.size))))

    def rewritten(self, judgments: Judgments, written: BoolArray | None = None) -> GradedText:
        """Return the same documents with other grades, as ``lines_with`` writes them."""
        return GradedText.parsed(judgments.path, self.lines_with(judgments, written))

    def first_columns(self, written: BoolArray) -> Iterator[tuple[int, list[bytes]]]:
        """Yield places of judgments in the order of the file, with the first three columns; ``written`` says which."""
        text, number = self.text.split(b"\n"), self.judgments.lines
        chosen = np.flatnonzero(written)
        for place in chosen[np.argsort(number[chosen])].tolist():
            yield place, text[number[place] - 1].split()[:3]

    def lines_with(self, judgments: Judgments, written: BoolArray | None = None) -> Iterator[bytes]:
        """Yield lines in the order of the file, changed only in grades that differ; flat ``written`` selects judgments.

        Documents that have no line (0), such as those added by a pool, come last, as ``TOPIC 0 DOCNO GRADE``.
        """
        text = self.text.split(b"\n")
        grade_there = np.zeros(len(text) + 1, np.int64)
        grade_there[self.judgments.lines] = self.judgments.grades
        changed = judgments.grades != grade_there[judgments.lines]
        chosen = np.arange(judgments.rows.size) if written is None else np.flatnonzero(written)
        has_line = judgments.lines[chosen] > 0
        there = chosen[has_line]
        for place in there[np.argsort(judgments.lines[there])].tolist():
            line = text[judgments.lines[place] - 1].rstrip(b"\r")
            if changed[place]:
                bare = line.rstrip()
                line = b"%s%d" % (bare[: -len(bare.split()[-1])], judgments.grades[place])
            yield line + b"\n"
        yield from _plain_lines(judgments, chosen[~has_line])


def _plain_lines(judgments: Judgments, places: AnyArray) -> Iterator[bytes]:
    """Yield a line ``TOPIC 0 DOCNO GRADE`` for each of these places."""
    topics = [judgments.topics[topic] for topic in judgments.rows.ids[places].tolist()]
    for line in zip(topics, judgments.docnos.take(places).texts(), judgments.grades[places].tolist(), strict=True):
        yield b"%s 0 %s %d\n" % line
