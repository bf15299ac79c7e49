"""Several studies: their figures, whether they are in folders or in memory, and what people read of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from irevalx import parameters
from irevalx.api.user_warnings import warn
from irevalx.errors import ArgumentError, UsageError
from irevalx.frozen import replace
from irevalx.lab.command.folders import make_folder, write_folder
from irevalx.lab.command.output import write_lines
from irevalx.lab.command.result import Result
from irevalx.lab.studies.run_study import REFERENCES
from irevalx.lab.studies.study_result import AXES, StudyResult
from irevalx.reports.table import Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from irevalx.lab.plot.page import Page
    from irevalx.lab.studies.summaries import StudySummary

LAYOUTS = ("axis", "grid", "scores", "runs")
"""How studies are drawn: on one axis, a column for each, the scores of runs at a level, or under full judgments."""

AGAINST = tuple(REFERENCES)
"""What measures are compared with."""


def draw(
    studies: Any,
    *,
    layout: str = "axis",
    at: str | float | None = None,
    measures: str | Iterable[str] = (),
    against: str = "AP",
    itself: str | Iterable[str] = (),
    axis: str = "log",
    width: float = 7.0,
    titled: bool = True,
) -> Figure:
    """Draw several studies together.

    Parameters
    ----------
    studies : what ``irevalx.lab.study`` returns, or folders that it or its command has written, ``NAME=DIR`` for
        another name. Several in a list, or by their names in a dictionary.
    layout : ``axis``, all on one axis, the share of the judgments that is left; ``grid``, a column for each;
        ``scores``, the scores of all runs at one level, a panel for each measure; ``runs``, those under full judgments.
    at : the level of ``scores``; None for that nearest to 5 %, or to depth 4.
    measures : as the studies print them; none for all that they have in common.
    against : ``AP`` or ``itself``: what measures are compared with.
    itself : measures to compare with themselves as well.
    axis : ``log`` or ``linear``: how the axis of ``axis`` and ``grid`` is divided.
    width : of the figure, in inches.
    titled : whether it has a title.

    Raises
    ------
    UsageError : studies on one axis differ in runs or full judgments, have one name, or lack a measure; or keywords
        contradict each other.
    InputError : a folder does not have what a study writes.

    Examples
    --------
    >>> import irevalx
    >>> qrels = {str(topic): {"A": 1, "B": 0, "C": topic % 2} for topic in range(10)}
    >>> runs = {"bm25": {t: {"A": 2.0, "B": 1.0} for t in qrels}, "dense": {t: {"A": 2.0, "C": 1.0} for t in qrels}}
    >>> study = irevalx.lab.study(qrels, runs, "bpref", levels=["50%"], samples=2, seed=1)
    >>> len(irevalx.lab.draw({"mine": study}, width=5).axes)
    2
    """
    for what, value, known in (("layout", layout, LAYOUTS), ("against", against, AGAINST), ("axis", axis, AXES)):
        parameters.named_choice(what, value, known)
    if layout in {"scores", "runs"} and axis != "log":
        raise UsageError(f"axis must not be given together with the layout {layout}")
    if layout != "scores" and at is not None:
        raise UsageError("at must be given together with the layout scores")
    asked, with_itself = _names("measures", measures), _names("itself", itself)
    if layout in {"scores", "runs"} and with_itself:
        raise UsageError(f"itself must not be given together with the layout {layout}")
    from irevalx.lab.plot.page import Page, style
    from irevalx.lab.studies.study_figures import agreement, grid, runs_in_order
    from irevalx.lab.studies.study_scatter import measures_at_a_level
    from irevalx.lab.studies.summaries import measures_in_common, refuse_different

    page, found = Page(width, titled, axis == "linear"), _summaries(studies)
    if layout == "grid" and len(found) > 1 and page.is_narrow:
        raise UsageError("the layout grid must be given together with a figure width of 7 for several studies")
    chosen = measures_in_common(found, asked)
    with style():
        if layout == "runs":
            return runs_in_order(found, chosen, page)
        if layout == "scores":
            return measures_at_a_level(found, chosen, against, None if at is None else str(at), page)
        of_itself = measures_in_common(found, with_itself) if with_itself and against != "itself" else ()
        if layout == "axis":
            refuse_different(found)
        for line in dict.fromkeys(line for study in found for line in study.interval_warnings()):
            warn(line)
        lines = [*((measure, against) for measure in chosen), *((measure, "itself") for measure in of_itself)]
        return (grid if layout == "grid" else agreement)(found, lines, page)


def _summaries(studies: Any) -> list[StudySummary]:
    """Return the summaries of studies, as ``draw`` takes them; raises as it does."""
    from irevalx.lab.studies.study_files import StudyFolder, read_summary

    listed = studies if isinstance(studies, list | tuple) else [studies]
    found = []
    for name, one in studies.items() if isinstance(studies, Mapping) else ((None, one) for one in listed):
        if isinstance(one, StudyResult):
            found.append(one.summary if name is None else replace(one.summary, name=name))
        elif isinstance(one, str | PathLike):
            found.append(read_summary(StudyFolder.of(fspath(one), name)))
        else:
            raise parameters.argument_error("a study", "a folder or what irevalx.lab.study returns", one)
    if not found:
        raise ArgumentError("studies must be one at least, but got none")
    if len({one.name for one in found}) < len(found):
        raise UsageError("the studies must have different names: NAME=DIR gives a name")
    return found


def _names(what: str, given: str | Iterable[str]) -> tuple[str, ...]:
    """Return measures, each once; a string may have several, with blanks between them."""
    return tuple(dict.fromkeys(word for text in parameters.texts(what, given) for word in text.split()))


class SeveralStudies(Result):
    """Studies of the same runs and judgments under several orders of judging.

    Parameters
    ----------
    studies : one for each order, all with the same seeds.
    seed : of the first sample; None where nothing was left to chance.
    """

    studies: tuple[StudyResult, ...]
    seed: int | None

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
        folder: str | PathLike[str],
        *,
        figures: str | None = "png",
        axis: str = "log",
        width: float = 7.0,
        titled: bool = True,
        **how: Any,
    ) -> list[str]:
        """Write each study to a folder of its own in a folder, and in this figures of all of them on one axis.

        Parameters and what is returned are those of ``StudyResult.write``.
        """
        style: dict[str, Any] = {"figures": figures, "axis": axis, "width": width, "titled": titled}
        return write_folder(fspath(folder), partial(self._write_into, **style, **how))

    def _write_into(
        self, path: Path, *, figures: str | None, axis: str, width: float, titled: bool, **how: Any
    ) -> list[str]:
        names = []
        for study in self.studies:
            into = make_folder(fspath(path / study.study.scheme))
            of_study = study.write_into(into, figures=figures, axis=axis, width=width, titled=titled, **how)
            names += [f"{into.name}/{name}" for name in of_study]
        if figures is None:
            return names
        from irevalx.lab.plot.page import Page, picture

        named = {study.study.scheme: study for study in self.studies}

        def drawn(page: Page, against: str) -> Figure:
            return draw(named, against=against, axis=axis, width=page.width, titled=page.titled)

        for against in AGAINST:
            name = f"agreement-with-{against}.{figures}"
            content = picture(partial(drawn, against=against), Page(width, titled), name)
            write_lines([content], path / name)
            names.append(name)
        return names
