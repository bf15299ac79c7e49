"""Figures of several studies together: ``draw`` and its command."""

import os
from collections.abc import Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from irevalx.declarations import choice, declared, file, flag, missing, number, spelled, text
from irevalx.errors import ArgumentError, UsageError, warn
from irevalx.frozen import replace
from irevalx.lab.command.output import Output, Result, make_folder, write_folder, write_lines
from irevalx.lab.studies.results import AXES, StudyResult
from irevalx.lab.studies.simulation import REFERENCES
from irevalx.lab.studies.summaries import StudySummary, measures_in_common, read_summary, refuse_different
from irevalx.parameters import argument_error
from irevalx.process.platform import SEPARATORS
from irevalx.reports.table import Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure


Axis = Annotated[
    str,
    choice(*AXES, help="scale of the axis of levels: logarithmic (log), or linear, with insets for levels up to 20%."),
]


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
    layout: Annotated[str, choice("axis", "grid")] = "axis",
    measures: Annotated[
        str | Iterable[str],
        text(names=("-m", "--measure"), several=True, separators=" ", metavar="NAME...", also="--measures"),
    ] = (),
    against: Annotated[str, choice(*REFERENCES)] = "AP",
    itself: Annotated[str | Iterable[str], text(several=True, separators=" ", metavar="NAME...")] = (),
    axis: Axis = "log",
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
    (`itself="bpref"`).

    Parameters
    ----------
    studies : the studies to plot, in a list or, by name, in a dictionary. A study is a result of ``irevalx.lab.study``,
        or a folder written by irevalx-lab study or by such a result; ``NAME=FOLDER`` assigns another name to a folder.
    layout : layout of the figure: all studies on the same axes, by the share of the judgments kept (axis); or one
        column per study, for example per collection (grid).
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
    InputError : a folder does not contain a study, or a study of another version of irevalx.

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
    from irevalx.lab.studies.figures import agreement, grid

    page, summaries = Page(width, titled, axis == "linear"), _summaries(studies)
    if layout == "grid" and len(summaries) > 1 and page.is_narrow:
        raise UsageError(f"{spelled('layout', 'grid')} with several studies requires {spelled('width', 7)}")
    chosen = measures_in_common(summaries, _words(measures))
    with style():
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
            summaries.append(_read(os.fspath(study), name))
        else:
            raise argument_error("a study", "a folder or a result of irevalx.lab.study", study)
    if not summaries:
        raise ArgumentError(f"{spelled('studies')} must contain at least one study")
    if len({summary.name for summary in summaries}) < len(summaries):
        raise UsageError("two studies have the same name; give different names with NAME=FOLDER")
    return summaries


def _read(text: str, name: str | None) -> StudySummary:
    """Read a study from a folder, given as NAME=FOLDER or as a path."""
    typed, equals, folder = text.partition("=")
    if name is not None or not equals:
        return read_summary(text, name or os.path.basename(text.rstrip(SEPARATORS)) or text)  # noqa: PTH119 - as typed
    return read_summary(folder, typed)


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
