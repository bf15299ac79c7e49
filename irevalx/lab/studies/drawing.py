"""Figures of several studies, in folders or in memory; and studies of several judging strategies."""

import os
from collections.abc import Iterable, Mapping
from functools import partial
from numbers import Real
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from irevalx.api.user_warnings import warn
from irevalx.declarations import Parameter, ValueType, choice, declared, file, flag, number, refined, spelled, text
from irevalx.errors import ArgumentError, UsageError
from irevalx.frozen import replace
from irevalx.lab.command.folders import make_folder, write_folder
from irevalx.lab.command.output import write_lines
from irevalx.lab.command.result import Result
from irevalx.lab.studies.run_study import REFERENCES
from irevalx.lab.studies.study_result import AXES, StudyResult
from irevalx.parameters import argument_error
from irevalx.reports.table import Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from irevalx.lab.command.output import Output
    from irevalx.lab.studies.summaries import StudySummary

Axis = Annotated[
    str,
    choice(*AXES, help="scale of the axis of levels: logarithmic (log), or linear, for levels from 50% to 100%."),
]


def _level(value: Any) -> str:
    if isinstance(value, str) or (isinstance(value, Real) and not isinstance(value, bool)):
        return str(value)
    raise TypeError(value)


def _run(output: "Output", **options: Any) -> None:
    """Write the figure of studies."""
    if output.figure is None:
        raise UsageError(f"{spelled('figure')} must be given")
    output.write_figure(lambda page: draw(**options, width=page.width, titled=page.titled))


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
    """Draw several studies together.

    Studies on one axis must have the same runs and full judgments; `layout="grid"` draws studies of different runs or
    judgments. On one axis and in a grid, the figure contains Kendall's tau-b, Pearson's correlation and RMS error for
    each measure and study. Bands are the bands of the studies: one standard deviation over samples on either side,
    clipped to the range of the statistic, or intervals over topics.

    Yilmaz and Aslam 2008 draw studies of different schemes on one axis in Figure 22, and a grid of collections in
    Figures 23 and 24, where bpref is compared with AP and with itself (`itself="bpref"`). With `layout="scores"`, a
    study that separates the errors of infAP gives their Figure 19 (measures map, infAP.c=1, infAP.c=1.5, infAP.c=2.5).
    With `layout="runs"`, the figures are like Figures 2 to 4 of Ahlgren and Grönqvist 2008 (measures map, bpref_10,
    RankEff).

    Parameters
    ----------
    studies : what ``irevalx.lab.study`` returns, or folders that it or its command has written, ``NAME=FOLDER`` for
        another name. Several in a list, or by their names in a dictionary.
    layout : draw all studies on one axis, the share of the judgments that is left (axis), one column per study, for
        example a collection (grid), the values of all runs at one level, one panel per measure (scores), or the values
        of runs under full judgments, sorted by the first measure (runs).
    at : the level of `layout="scores"`. [default: the level nearest to 5%, or to depth 4]
    measures : measures as the studies print them. [default: all measures that the studies have in common]
    against : compare measures with average precision under full judgments (AP), or with themselves (itself).
    itself : also compare these measures with themselves.
    width : width of the figure in inches.
    titled : whether the figure has a title.

    Raises
    ------
    UsageError : studies on one axis differ in runs or full judgments, or studies have the same name or lack a measure.
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
    from irevalx.lab.plot.page import Page, style
    from irevalx.lab.studies.study_figures import agreement, grid, runs_in_order
    from irevalx.lab.studies.study_scatter import measures_at_a_level
    from irevalx.lab.studies.summaries import measures_in_common, refuse_different

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
    """Return the words of texts, each once."""
    return tuple(dict.fromkeys(word for text in texts for word in text.split()))


def _summaries(studies: Any) -> "list[StudySummary]":
    """Return the summaries of studies, as ``draw`` takes them."""
    from irevalx.lab.studies.study_files import StudyFolder, read_summary

    if not isinstance(studies, Mapping):
        studies = [(None, study) for study in (studies if isinstance(studies, list | tuple) else [studies])]
    summaries = []
    for name, study in studies.items() if isinstance(studies, Mapping) else studies:
        if isinstance(study, StudyResult):
            summaries.append(study.summary if name is None else replace(study.summary, name=name))
        elif isinstance(study, str | os.PathLike):
            summaries.append(read_summary(StudyFolder.of(os.fspath(study), name)))
        else:
            raise argument_error("a study", "a folder or what irevalx.lab.study returns", study)
    if not summaries:
        raise ArgumentError(f"{spelled('studies')} must contain at least one study")
    if len({summary.name for summary in summaries}) < len(summaries):
        raise UsageError("the studies must have different names: NAME=FOLDER gives a name")
    return summaries


class SeveralStudies(Result):
    """Studies of the same runs and judgments under several judging strategies, all with the same seeds."""

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
        self,
        folder: str | os.PathLike[str],
        *,
        figures: str | None = "png",
        axis: str = "log",
        width: float = 7.0,
        titled: bool = True,
        **how: Any,
    ) -> list[str]:
        """Write each study to a folder of its own, like ``StudyResult.write``, and figures of all studies."""

        def write_into(path: Path) -> list[str]:
            style: dict[str, Any] = {"axis": axis, "width": width, "titled": titled}
            names = []
            for study in self.studies:
                into = make_folder(os.fspath(path / study.study.scheme))
                names += [f"{into.name}/{name}" for name in study.write_into(into, figures=figures, **style, **how)]
            if figures is not None:
                names += self._draw_into(path, figures, **style)
            return names

        return write_folder(os.fspath(folder), write_into)

    def _draw_into(self, path: Path, suffix: str, *, axis: str, width: float, titled: bool) -> list[str]:
        """Write the figures of all studies on one axis, and return their names."""
        from irevalx.lab.plot.page import Page, picture

        studies = {study.study.scheme: study for study in self.studies}

        def drawing(page: "Page", against: str) -> "Figure":
            return draw(studies, against=against, axis=axis, width=page.width, titled=page.titled)

        names = [f"agreement-with-{against}.{suffix}" for against in REFERENCES]
        for name, against in zip(names, REFERENCES, strict=True):
            content = picture(partial(drawing, against=against), Page(width, titled), name)
            write_lines([content], path / name)
        return names
