"""The function ``draw``, which plots several studies together, and its command."""

import os
from collections.abc import Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from irevalx.declarations import choice, declared, file, flag, number, text
from irevalx.errors import ArgumentError, UsageError, warn
from irevalx.frozen import replace
from irevalx.lab.command.output import Output, Result, make_folder, write_lines
from irevalx.lab.studies.results import AXES, FigureFiles, StudyResult
from irevalx.lab.studies.simulation import REFERENCES
from irevalx.lab.studies.summaries import StudySummary, measures_in_common, read_summary, refuse_different
from irevalx.process.platform import SEPARATORS
from irevalx.reports.table import Table
from irevalx.wording import argument_error, missing, spelled

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from irevalx.lab.plotting.page import Page


Axis = Annotated[
    str,
    choice(*AXES, help="scale of the axis of levels: logarithmic (log) or linear."),
]


def _write_figure(output: Output, **options: Any) -> None:
    """Plot the studies, and write the figure to a file."""
    if output.figure is None:
        raise missing("figure")
    output.write_figure(output.figure, lambda page: draw(**options, width=page.width, titled=page.titled))


@declared(
    example="irevalx-lab draw uniform depth mixed -m infAP --figure schemes.pdf",
    more="A STUDY is a folder that irevalx-lab study has written, or NAME=FOLDER to give the study another name.",
    run=_write_figure,
    figure=True,
    tables=False,
    without=("path",),
)
def draw(
    studies: Annotated[Any, file(names=("STUDY",), several=True)],
    *,
    measures: Annotated[
        str | Iterable[str],
        text(names=("-m", "--measure"), several=True, separators=" ", metavar="NAME...", also="--measures"),
    ] = (),
    against: Annotated[str, choice(*REFERENCES)] = "AP",
    axis: Axis = "log",
    width: Annotated[float, number(least=1, in_shell=False)] = 7.0,
    titled: Annotated[bool, flag(in_shell=False)] = True,
) -> "Figure":
    """Plot several studies on the same axes, by the share of the judgments kept.

    The studies must have the same runs and full judgments. The panels show Kendall's tau-b, Pearson's correlation and
    the RMS error of each measure and study, like Figure 22 of Yilmaz and Aslam (2008). If the studies contain intervals
    over topics, bands show these intervals. If not, bands extend one standard deviation over samples to either side of
    the mean, and are clipped to the range of the statistic.

    Parameters
    ----------
    studies : the studies to plot, in a list or, by name, in a dictionary. A study is a result of ``irevalx.lab.study``,
        or a folder written by irevalx-lab study or by such a result; ``NAME=FOLDER`` assigns another name to a folder.
    measures : names of measures as printed by the studies. [default: all measures that the studies have in common]
    against : compare measures with average precision under full judgments (AP), or with their own values under full
        judgments (itself).
    width : width of the figure in inches.
    titled : whether the figure has a title.

    Raises
    ------
    UsageError : studies differ in their runs or full judgments, two studies have the same name, or a study does not
        contain a measure.
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
    from irevalx.lab.studies.figures import agreement

    summaries = _summaries(studies)
    chosen = measures_in_common(summaries, [word for text in measures for word in text.split()])
    refuse_different(summaries)
    for line in dict.fromkeys(line for summary in summaries for line in summary.interval_warnings()):
        warn(line)
    with style():
        return agreement(summaries, chosen, against, Page(width, titled, axis == "linear"))


def _summaries(studies: Any) -> list[StudySummary]:
    """Return the summary of each study. See ``draw`` for accepted inputs."""
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
    """Read the summary of a study from its folder, which is given as a path or as NAME=FOLDER."""
    typed, equals, folder = text.partition("=")
    if name is not None or not equals:
        return read_summary(text, name or os.path.basename(text.rstrip(SEPARATORS)) or text)  # noqa: PTH119 - as typed
    return read_summary(folder, typed)


class SeveralStudies(Result):
    """Studies of the same runs and judgments with several judging strategies, which share the seeds."""

    studies: tuple[StudyResult, ...]
    seed: int | None  # seed of the first sample; None if no strategy is random

    titled: ClassVar[bool] = True

    def tables_for_people(self) -> list[Table]:
        """Return the displayed tables of each study."""
        return [
            replace(table, title=f"{study.study.scheme}: {table.title}")
            for study in self.studies
            for table in study.tables_for_people()
        ]

    def write_into(self, path: Path, *, figures: FigureFiles, **how: Any) -> list[str]:
        """Write each study to its own folder in the empty folder ``path``, and plot all studies together."""
        names, studies = [], {study.study.scheme: study for study in self.studies}
        for scheme, study in studies.items():
            into = make_folder(os.fspath(path / scheme))
            names += [f"{into.name}/{name}" for name in study.write_into(into, figures=figures, **how)]
        if figures.suffix is None:
            return names
        from irevalx.lab.plotting.page import figure_bytes

        def drawing(page: "Page", against: str) -> "Figure":
            return draw(studies, against=against, axis=figures.axis, width=page.width, titled=page.titled)

        for against in REFERENCES:
            names.append(f"agreement-with-{against}.{figures.suffix}")
            content = figure_bytes(partial(drawing, against=against), figures.page, names[-1])
            write_lines([content], path / names[-1])
        return names
