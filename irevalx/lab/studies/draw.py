"""Figures of several studies together: ``draw`` and its command; study folders are read here."""

import csv
import io
import json
import math
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from numbers import Real
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import numpy as np

from irevalx.declarations import Parameter, choice, declared, file, flag, missing, number, refined, spelled, text
from irevalx.errors import ArgumentError, InputError, UsageError, quote, shown_name, warn
from irevalx.frozen import Frozen, replace
from irevalx.lab.command.output import Output, Result, make_folder, write_folder, write_lines
from irevalx.lab.studies.results import AXES, StudyResult
from irevalx.lab.studies.schemes import NAMES, Scheme, scheme_of
from irevalx.lab.studies.simulation import REFERENCES
from irevalx.lab.studies.summaries import StudyScores, StudySummary, is_in_order, measures_in_common, refuse_different
from irevalx.parameters import ValueType, argument_error
from irevalx.process.platform import SEPARATORS, as_text
from irevalx.reading.sources.files import CHUNK_SIZE, Source
from irevalx.reports.table import Table
from irevalx.strategies.simulation import BudgetLevel

if TYPE_CHECKING:
    from matplotlib.figure import Figure


Axis = Annotated[
    str,
    choice(*AXES, help="scale of the axis of levels: logarithmic (log), or linear, with insets for levels up to 20%."),
]


def _level(value: Any) -> str:
    if isinstance(value, str) or (isinstance(value, Real) and not isinstance(value, bool)):
        return str(value)
    raise TypeError(value)


def _run(output: Output, **options: Any) -> None:
    """Write the figure of studies."""
    if output.figure is None:
        raise missing("figure")
    output.write_figure(output.figure, lambda page: draw(**options, width=page.width, titled=page.titled))


@declared(
    example="irevalx-lab draw uniform depth mixed -m infAP --figure schemes.pdf",
    more="A STUDY is a folder that irevalx-lab study has written, or NAME=FOLDER to give the study another name.",
    run=_run,
    figure=True,
    tables=False,
    without=("path",),
)
def draw(
    studies: Annotated[Any, file(names=("STUDY",), several=True)],
    *,
    layout: Annotated[str, choice("axis", "grid", "scores", "runs")] = "axis",
    at: Annotated[
        str | float | None,
        Parameter(kind=ValueType("a level of the studies", _level), metavar="LEVEL", requires="layout=scores"),
    ] = None,
    measures: Annotated[
        str | Iterable[str],
        text(names=("-m", "--measure"), several=True, separators=" ", metavar="NAME...", also="--measures"),
    ] = (),
    against: Annotated[str, choice(*REFERENCES)] = "AP",
    itself: Annotated[
        str | Iterable[str],
        text(several=True, separators=" ", metavar="NAME...", excludes=("layout=scores", "layout=runs")),
    ] = (),
    axis: Annotated[Axis, refined(excludes={"linear": ("layout=scores", "layout=runs")})] = "log",
    width: Annotated[float, number(least=1, in_shell=False)] = 7.0,
    titled: Annotated[bool, flag(in_shell=False)] = True,
) -> "Figure":
    """Plot several studies together.

    To be plotted on the same axes, studies must have the same runs and full judgments. Studies of different runs or
    judgments can be plotted with `layout="grid"`. Both layouts contain Kendall's tau-b, Pearson's correlation and the
    RMS error of each measure and study. If the studies contain intervals over topics, bands show these intervals.
    Otherwise, they show one standard deviation over samples on either side of the mean, clipped to the range of the
    statistic.

    Figure 22 of Yilmaz and Aslam (2008) shows studies of different schemes on the same axes. Figures 23 and 24 are
    grids with one panel per collection; they compare bpref with AP and with its own values under the full judgments
    (`itself="bpref"`). With `layout="scores"`, a study that separates the errors of infAP reproduces their Figure 19
    (measures map, infAP.c=1, infAP.c=1.5, infAP.c=2.5). With `layout="runs"`, the figures are like Figures 2 to 4 of
    Ahlgren and Grönqvist (2008) (measures map, bpref_10, RankEff).

    Parameters
    ----------
    studies : the studies to plot, in a list or, by name, in a dictionary. A study is a result of ``irevalx.lab.study``,
        or a folder written by irevalx-lab study or by such a result; ``NAME=FOLDER`` assigns another name to a folder.
    layout : layout of the figure: all studies on the same axes, by the share of the judgments kept (axis); one column
        per study, for example per collection (grid); the values of all runs at one level, one panel per measure
        (scores); or the values of runs under full judgments, sorted by the first measure (runs).
    at : the level of `layout="scores"`. [default: the level nearest to 5%, or to depth 4]
    measures : names of measures as printed by the studies. [default: all measures that the studies have in common]
    against : compare measures with average precision under full judgments (AP), or with their own values under full
        judgments (itself).
    itself : also compare these measures with their own values under full judgments.
    width : width of the figure in inches.
    titled : whether the figure has a title.

    Raises
    ------
    UsageError : studies to be plotted on the same axes differ in their runs or full judgments, two studies have the
        same name, or a study does not contain a measure.
    InputError : a folder does not contain a study.

    Examples
    --------
    >>> import irevalx
    >>> qrels = {str(topic): {"A": 1, "B": 0, "C": topic % 2} for topic in range(10)}
    >>> runs = {"bm25": {t: {"A": 2.0, "B": 1.0} for t in qrels}, "dense": {t: {"A": 2.0, "C": 1.0} for t in qrels}}
    >>> study = irevalx.lab.study(qrels, runs, "bpref", levels=["50%"], samples=2, seed=1)
    >>> len(irevalx.lab.draw({"mine": study}, width=5).axes)
    2
    """
    from irevalx.lab.plotting.page import Page, style
    from irevalx.lab.studies.figures import agreement, grid, measures_at_a_level, runs_in_order

    page, summaries = Page(width, titled, axis == "linear"), _summaries(studies)
    if layout == "grid" and len(summaries) > 1 and page.is_narrow:
        raise UsageError(f"{spelled('layout', 'grid')} with several studies requires {spelled('width', 7)}")
    chosen = measures_in_common(summaries, _words(measures))
    with style():
        if layout == "runs":
            return runs_in_order(summaries, chosen, page)
        if layout == "scores":
            return measures_at_a_level(summaries, chosen, against, None if at is None else str(at), page)
        if layout == "axis":
            refuse_different(summaries)
        for line in dict.fromkeys(line for summary in summaries for line in summary.interval_warnings()):
            warn(line)
        lines = [(measure, against) for measure in chosen]
        if (others := _words(itself)) and against != "itself":
            lines += [(measure, "itself") for measure in measures_in_common(summaries, others)]
        return (grid if layout == "grid" else agreement)(summaries, lines, page)


def _words(texts: Iterable[str]) -> tuple[str, ...]:
    """Return the distinct words of texts."""
    return tuple(dict.fromkeys(word for text in texts for word in text.split()))


def _summaries(studies: Any) -> list[StudySummary]:
    """Return the summaries of studies, given as for ``draw``."""
    several = studies if isinstance(studies, list | tuple) else [studies]
    summaries = []
    for name, study in studies.items() if isinstance(studies, Mapping) else ((None, study) for study in several):
        if isinstance(study, StudyResult):
            summaries.append(study.summary if name is None else replace(study.summary, name=name))
        elif isinstance(study, str | os.PathLike):
            summaries.append(read_summary(StudyFolder.of(os.fspath(study), name)))
        else:
            raise argument_error("a study", "a folder or a result of irevalx.lab.study", study)
    if not summaries:
        raise ArgumentError(f"{spelled('studies')} must contain at least one study")
    if len({summary.name for summary in summaries}) < len(summaries):
        raise UsageError("two studies have the same name; give different names with NAME=FOLDER")
    return summaries


class SeveralStudies(Result):
    """Studies of the same runs and judgments under several judging strategies, with the same seeds."""

    studies: tuple[StudyResult, ...]
    seed: int | None  # of the first sample; None if no strategy is random

    titled: ClassVar[bool] = True

    def tables_for_people(self) -> list[Table]:
        """Return the tables of each study."""
        return [
            replace(table, title=f"{study.study.scheme}: {table.title}")
            for study in self.studies
            for table in study.tables_for_people()
        ]

    def write(
        self, folder: str, *, figures: str | None, axis: str, width: float, titled: bool, **how: Any
    ) -> list[str]:
        """Write each study to a separate folder, like ``StudyResult.write``, and write figures of all studies."""

        def write_into(path: Path) -> list[str]:
            style: dict[str, Any] = {"axis": axis, "width": width, "titled": titled}
            names = []
            for study in self.studies:
                into = make_folder(os.fspath(path / study.study.scheme))
                names += [f"{into.name}/{name}" for name in study.write_into(into, figures=figures, **style, **how)]
            if figures is not None:
                names += self._draw_into(path, figures, **style)
            return names

        return write_folder(folder, write_into)

    def _draw_into(self, path: Path, suffix: str, *, axis: str, width: float, titled: bool) -> list[str]:
        """Write the figures of all studies on common axes, and return the names of the files."""
        from irevalx.lab.plotting.page import Page, figure_bytes

        studies = {study.study.scheme: study for study in self.studies}

        def drawing(page: "Page", against: str) -> "Figure":
            return draw(studies, against=against, axis=axis, width=page.width, titled=page.titled)

        names = []
        for against in REFERENCES:
            names.append(f"agreement-with-{against}.{suffix}")
            content = figure_bytes(partial(drawing, against=against), Page(width, titled), names[-1])
            write_lines([content], path / names[-1])
        return names


_LABELS = ("scheme", "level", "judged", "measure", "against")

_DRAWN = tuple(f"{name}_{of}" for name in ("tau_b", "pearson", "rms") for of in ("mean", "sd"))
"""The columns that figures need; summaries of older versions lack other columns."""

_SCORES = ("level", "sample", "run", "measure", "score")

_NUMBER = re.compile(r"-?([0-9]+\.?[0-9]*|\.[0-9]+)(e[-+]?[0-9]+)?", re.ASCII)

_GREATEST = 1e30  # no number of a study is greater

_ABOUT = {"runs": list, "seeds": list, "judgments": str, "topics": int, "level": int, "resamples": int}
"""The entries of study.json that figures need, and their types."""


class StudyFolder(Frozen):
    """A folder with the files of a study."""

    name: str  # of the study
    folder: str  # the path

    @classmethod
    def of(cls, text: str, name: str | None = None) -> "StudyFolder":
        """Return a folder, given as NAME=FOLDER or as a path."""
        typed, equals, folder = text.partition("=")
        if name is not None or not equals:
            return cls(name or os.path.basename(text.rstrip(SEPARATORS)) or text, text)  # noqa: PTH119 - as typed
        return cls(typed, folder)

    def path_of(self, file: str) -> str:
        """Return the path of a file."""
        return os.path.join(self.folder, file)  # noqa: PTH118

    def text_of(self, file: str) -> str:
        """Return the content of a file."""
        return as_text(b"".join(Source(self.path_of(file)).chunks(CHUNK_SIZE)))

    def about(self) -> dict[str, Any]:
        """Return study.json; empty if there is none."""
        if not os.path.exists(self.path_of("study.json")):  # noqa: PTH110
            return {}
        try:
            about = json.loads(self.text_of("study.json"))
        except (ValueError, RecursionError):
            about = None
        if not isinstance(about, dict) or not {"topics", "resamples"} <= about.keys() or not _are_typed(about):
            raise InputError(f"{shown_name(self.path_of('study.json'))}: the file was not written by irevalx-lab study")
        return about

    def rows(self, file: str, what: str, columns: Sequence[str]) -> Iterator[tuple[str, Mapping[str, str]]]:
        """Yield the location of each row of a table, for messages, and its fields in required and optional columns."""
        where = shown_name(self.path_of(file))
        reader = csv.reader(io.StringIO(self.text_of(file), newline=""))
        try:
            header = next(reader, [])
            if lacking := [name for name in columns if name not in header]:
                verb = "are" if lacking[1:] else "is"
                raise InputError(
                    f"{where}: expected {what} of irevalx-lab study, but {', '.join(lacking)} {verb} missing"
                )
            for row in reader:
                place = f"{where}:{reader.line_num}"
                if len(row) != len(header):
                    raise InputError(f"{place}: expected {len(header)} fields, but the row has {len(row)}")
                yield place, dict(zip(header, row, strict=True))
        except csv.Error as error:
            raise InputError(f"{where}:{reader.line_num}: invalid CSV: {error}") from None


def _are_typed(about: Mapping[str, Any]) -> bool:
    """Return whether the entries required by figures have valid types; lists can contain names and numbers."""
    known = {key: about[key] for key in _ABOUT if key in about}
    items = [item for value in known.values() if isinstance(value, list) for item in value]
    return all(type(value) is _ABOUT[key] for key, value in known.items()) and {*map(type, items)} <= {str, int}


def read_summary(folder: StudyFolder) -> StudySummary:
    """Read the summary of a study."""
    where = shown_name(folder.path_of("summary.csv"))
    by_line: dict[tuple[str, str], dict[str, list[float]]] = {}
    judged: dict[str, float] = {}
    schemes: set[str] = set()
    for place, row in folder.rows("summary.csv", "a summary of this version", (*_LABELS, *_DRAWN)):
        schemes.add(row["scheme"])
        if row["scheme"] not in NAMES or len(schemes) > 1:
            rule = f"one of {', '.join(NAMES)}" if len(schemes) == 1 else "that of the other rows"
            raise InputError(f"{place}: invalid scheme {quote(row['scheme'])}: must be {rule}")
        share = _number_of(place, row["judged"])
        if not 0 <= share <= 1:
            raise InputError(f"{place}: invalid share judged {quote(row['judged'])}: must be between 0 and 1")
        judged[row["level"]] = share
        columns = by_line.setdefault((row["measure"], row["against"]), {})
        for column in [column for column in row if column not in _LABELS]:
            columns.setdefault(column, []).append(_number_of(place, row[column]))
    lengths = {len(values) for columns in by_line.values() for values in columns.values()}
    measures = list(dict.fromkeys(measure for measure, _ in by_line))
    expected = {(measure, reference) for measure in measures for reference in REFERENCES}
    if lengths != {len(judged)} or by_line.keys() != expected:
        raise InputError(f"{where}: rows are missing; expected a row for each level, measure and reference")
    about = folder.about()
    scheme = scheme_of(schemes.pop(), list(judged), in_order=is_in_order(about))
    return StudySummary(
        folder.name,
        scheme,
        _levels(where, scheme, list(judged)),
        np.array(list(judged.values())),
        {key: {column: np.array(values) for column, values in columns.items()} for key, columns in by_line.items()},
        about,
        partial(_read_scores, folder, list(judged), measures),
    )


def _levels(where: str, scheme: Scheme, texts: Sequence[str]) -> tuple[BudgetLevel, ...]:
    """Return levels by their text; a share can also be written as a Python float."""
    try:
        given = [
            text if scheme.of_depth or scheme.order or text.endswith("%") else _number_of(where, text) for text in texts
        ]
        return tuple(replace(level, text=text) for text, level in zip(texts, scheme.levels(given), strict=True))
    except ArgumentError as error:
        raise InputError(f"{where}: {error.message}") from None


def _read_scores(folder: StudyFolder, levels: Sequence[str], measures: Sequence[str]) -> StudyScores:
    """Read the values of a study, for the levels and measures of its summary."""
    by_sample: dict[tuple[str, str], dict[str, dict[str, float]]] = {}  # by level and measure; full judgments: level ""
    for place, row in folder.rows("scores.csv", "the scores", _SCORES):
        samples = by_sample.setdefault((row["level"], row["measure"]), {})
        samples.setdefault(row["sample"], {})[row["run"]] = _number_of(place, row["score"])
    runs = {tuple(of_run) for samples in by_sample.values() for of_run in samples.values()}
    n_samples = {len(samples) for (level, _), samples in by_sample.items() if level}
    expected = {(level, measure) for level in ("", *levels) for measure in measures}
    if by_sample.keys() != expected or len(runs) != 1 or () in runs or len(n_samples) != 1:
        where = shown_name(folder.path_of("scores.csv"))
        raise InputError(f"{where}: rows are missing; expected a row for each level, sample, run and measure")
    arrays = {
        key: np.array([list(of_run.values()) for of_run in samples.values()]) for key, samples in by_sample.items()
    }
    full = {measure: scores[0] for (level, measure), scores in arrays.items() if not level}
    reduced = {key: scores for key, scores in arrays.items() if key[0]}
    return StudyScores(full, reduced, full.get("map"))


def _number_of(where: str, text: str) -> float:
    """Read a number (nan for a blank); raises an error for numbers too large for figures."""
    if not text:
        return math.nan
    number = float(text) if _NUMBER.fullmatch(text) else math.nan
    if not abs(number) <= _GREATEST:
        raise InputError(f"{where}: invalid number {quote(text)}: must be at most {_GREATEST:g}")
    return number
