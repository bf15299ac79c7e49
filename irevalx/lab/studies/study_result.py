"""What comes of a study: scores, statistics of each sample, their means and deviations, knees; a folder with all."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any

from irevalx import parameters
from irevalx.errors import imported
from irevalx.frozen import cached_property, replace
from irevalx.lab.command.folders import write_folder
from irevalx.lab.command.output import write_lines
from irevalx.lab.command.result import FORMATS, Result
from irevalx.lab.studies.judged_in_order import FoundRow, OutsideRow, found_for_people, outside_for_people
from irevalx.lab.studies.run_study import Study
from irevalx.lab.studies.summaries import (
    KneeRow,
    StudySummary,
    knee_rows,
    knees_for_people,
    samples_table,
    scores_table,
    summary_of,
    summary_table,
    tables_for_people,
    tau_tables,
)
from irevalx.process.terminal import progress_bar
from irevalx.process.workers import in_order
from irevalx.reports.output_formats import DIGITS
from irevalx.reports.table import Table

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

    from irevalx.lab.plot.page import Page

ENDINGS = ("png", "svg", "pdf")
"""The formats of figures."""

AXES = ("log", "linear")
"""How the axis of levels is divided in figures."""


class StudyResult(Result):
    """What comes of a study: the levels from which measures can be trusted, and all that they are drawn from.

    Parameters
    ----------
    study : the numbers.
    how_made : options, inputs and seeds, as study.json has them.
    seed : of the first sample; None where nothing was left to chance.
    found : what an order of judging has found; empty for other schemes.
    outside : how far groups of runs are wronged that take no part in the pooling; empty unless groups were given.
    """

    study: Study
    how_made: Mapping[str, Any]
    seed: int | None
    found: Sequence[FoundRow] = ()
    outside: Sequence[OutsideRow] = ()

    @property
    def rows(self) -> list[KneeRow]:
        """One row per measure and statistic: from which level on it can be trusted."""
        return knee_rows(self.study)

    @cached_property
    def summary(self) -> StudySummary:
        """What figures and tables for people show."""
        return summary_of(self.study, self.how_made)

    def tables(self) -> list[Table]:
        """Return the knees, the summary, the statistics of each sample, and all scores; of orders what they found."""
        return [make() for make in self._tables().values()]

    def _tables(self) -> dict[str, Callable[[], Table]]:
        """Return what makes each table, by its title."""
        of_order = {"found": (FoundRow, self.found), "groups": (OutsideRow, self.outside)}
        return {
            "knees": lambda: Table.of("knees", KneeRow, self.rows, n_labels=2),
            "summary": lambda: summary_table(self.summary),
            "samples": lambda: samples_table(self.study),
            "scores": lambda: scores_table(self.study),
            **{title: partial(Table.of, title, *of, n_labels=4) for title, of in of_order.items() if of[1]},
        }

    def tables_for_people(self) -> list[Table]:
        """Return tau-b by level, and for an order what it has found, and what happens to groups outside the pooling."""
        tables = tau_tables(self.summary)
        tables += [found_for_people(self.found)] if self.found else []
        return [*tables, outside_for_people(self.outside)] if self.outside else tables

    def to_frame(self, table: str = "knees") -> pd.DataFrame:
        """Return a table as a pandas data frame: every digit, and a column for each column.

        Parameters
        ----------
        table : knees, summary, samples or scores; of an order of judging also found, and with groups groups.

        Raises
        ------
        ArgumentError : it is none of these.
        ImportError : pandas is not installed.
        """
        found = self._tables()
        pandas = imported("pandas", "pandas", "to_frame")
        made = found[parameters.named_choice("table", table, [*found])]()
        frame: pd.DataFrame = pandas.DataFrame(list(made.rows), columns=list(made.columns))
        return frame

    def files(self, digits: int = DIGITS) -> dict[str, bytes]:
        """Return the texts of the files that tell all of it, by their names.

        Parameters
        ----------
        digits : decimals of real numbers in summary.txt.
        """
        return {name: b"".join(lines) for name, lines in self._files(digits)}

    def _files(self, digits: int) -> Iterator[tuple[str, Iterable[bytes]]]:
        """Yield the name and the lines of each of them, one after the other: tables of scores are large."""
        for title, make in self._tables().items():
            yield f"{title}.csv", FORMATS["csv"].table_lines([make()])
        knees = knees_for_people(self.study)
        for_people = [replace(knees, notes=(*knees.notes, *self.notes)), *tables_for_people(self.study, self.summary)]
        yield "summary.txt", FORMATS["table"].table_lines(for_people, digits)
        yield "study.json", [json.dumps(self.how_made, indent=1).encode() + b"\n"]

    @property
    def figure_names(self) -> tuple[str, ...]:
        """The names of all figures."""
        from irevalx.lab.studies.study_figures import figures

        return tuple(name for name, _ in figures(self.summary))

    def figure(
        self, name: str = "agreement-with-AP", *, axis: str = "log", width: float = 7.0, titled: bool = True
    ) -> Figure:
        """Draw one of the figures.

        Parameters
        ----------
        name : one of ``figure_names``.
        axis : ``log`` or ``linear``: how that of levels is divided.

        Raises
        ------
        ArgumentError : one is none of these.
        """
        parameters.named_choice("axis", axis, AXES)
        from irevalx.lab.plot.page import Page, style
        from irevalx.lab.studies.study_figures import figures

        made = dict(figures(self.summary))
        with style():
            return made[parameters.named_choice("name", name, [*made])](Page(width, titled, axis == "linear"))

    def write(
        self,
        folder: str | PathLike[str],
        *,
        figures: str | None = "png",
        axis: str = "log",
        width: float = 7.0,
        titled: bool = True,
        digits: int = DIGITS,
        threads: int = 1,
        progress: bool = False,
    ) -> list[str]:
        """Write all tables and figures to a folder, and return the names of the files; if one fails, none is written.

        Parameters
        ----------
        figures : their format: png, svg or pdf; None for no figures.
        axis : ``log`` or ``linear``: how that of levels is divided.
        threads : how many processes share the drawing; at least 1.
        progress : show on standard error how many figures have been drawn, on a terminal.

        Raises
        ------
        OutputError : it cannot be written.
        """
        parameters.named_choice("axis", axis, AXES)
        if figures is not None:
            parameters.named_choice("figures", figures, ENDINGS)
        how: dict[str, Any] = {"figures": figures, "axis": axis, "width": width, "titled": titled, "digits": digits}
        return write_folder(fspath(folder), partial(self.write_into, **how, threads=threads, progress=progress))

    def write_into(
        self,
        path: Path,
        *,
        figures: str | None,
        axis: str,
        width: float,
        titled: bool,
        digits: int = DIGITS,
        threads: int = 1,
        progress: bool = False,
    ) -> list[str]:
        """Write all tables and figures to an empty folder, as ``write`` does."""
        names = []
        for name, lines in self._files(digits):
            write_lines(lines, path / name)
            names.append(name)
        if figures is None:
            return names
        from irevalx.lab.plot.page import Page, picture
        from irevalx.lab.studies.study_figures import figures as all_figures

        drawings = [(f"{name}.{figures}", draw) for name, draw in all_figures(self.summary)]
        page = Page(width, titled, axis == "linear")

        def draw(drawing: tuple[str, Callable[[Page], Figure]]) -> bytes:
            return picture(drawing[1], page, drawing[0])

        with progress_bar("figures drawn", len(drawings), shown=progress) as advance:
            drawn = in_order(draw, lambda: drawings, threads)  # no process but this one has files that may be left
            for (name, _), content in zip(drawings, drawn, strict=True):
                write_lines([content], path / name)
                advance(1)
        return [*names, *(name for name, _ in drawings)]
