"""The result of a study: statistics of each sample, their means and standard deviations, knees, files and figures."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any

from irevalx.errors import imported
from irevalx.frozen import cached_property, replace
from irevalx.lab.command.folders import write_folder
from irevalx.lab.command.output import write_lines
from irevalx.lab.command.result import FORMATS, Result
from irevalx.lab.studies.judged_in_order import RecallRow, UnpooledRunRow, recall_table, unpooled_table
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
from irevalx.parameters import named_choice
from irevalx.process.terminal import progress_bar
from irevalx.process.workers import in_order
from irevalx.reports.output_formats import DIGITS
from irevalx.reports.table import Table

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

    from irevalx.lab.plot.page import Page

SUFFIXES = ("png", "svg", "pdf")
"""The formats of figures."""

AXES = ("log", "linear")
"""Scales of the axis of levels in figures."""


class StudyResult(Result):
    """The levels from which measures are reliable, and the values that they are derived from."""

    study: Study
    how_made: Mapping[str, Any]  # options, inputs and seeds, as study.json has them
    seed: int | None  # of the first sample; None if nothing is random
    recall: Sequence[RecallRow] = ()  # of a judging strategy
    unpooled: Sequence[UnpooledRunRow] = ()  # of a judging strategy, if groups were given

    @property
    def rows(self) -> list[KneeRow]:
        """One row per measure and statistic: the level from which on the measure is reliable."""
        return knee_rows(self.study)

    @cached_property
    def summary(self) -> StudySummary:
        """The summary that figures and displayed tables are made of."""
        return summary_of(self.study, self.how_made)

    def tables(self) -> list[Table]:
        """Return the tables of ``to_frame``."""
        return [table() for table in self._tables().values()]

    def _tables(self) -> dict[str, Callable[[], Table]]:
        """Return functions that make the tables, by title."""
        tables: dict[str, Callable[[], Table]] = {
            "knees": lambda: Table("knees", KneeRow._fields, self.rows, n_labels=2),
            "summary": lambda: summary_table(self.summary),
            "samples": lambda: samples_table(self.study),
            "scores": lambda: scores_table(self.study),
        }
        if self.recall:
            tables["found"] = lambda: Table("found", RecallRow._fields, self.recall, n_labels=4)
        if self.unpooled:
            tables["groups"] = lambda: Table("groups", UnpooledRunRow._fields, self.unpooled, n_labels=4)
        return tables

    def tables_for_people(self) -> list[Table]:
        """Return tau-b by level; for a judging strategy, recall and the bias against unpooled groups, too."""
        tables = tau_tables(self.summary)
        if self.recall:
            tables.append(recall_table(self.recall))
        if self.unpooled:
            tables.append(unpooled_table(self.unpooled))
        return tables

    def to_frame(self, table: str = "knees") -> pd.DataFrame:
        """Return a table as a pandas data frame with full precision.

        Tables are knees, summary, samples and scores; for a judging strategy also found, and with groups, groups.
        """
        tables = self._tables()
        pandas = imported("pandas", "pandas", "to_frame")
        rows = tables[named_choice("table", table, [*tables])]()
        frame: pd.DataFrame = pandas.DataFrame(list(rows.rows), columns=list(rows.columns))
        return frame

    def files(self, digits: int = DIGITS) -> dict[str, bytes]:
        """Return the contents of all files but figures by name; ``digits`` are decimals in summary.txt."""
        return {name: b"".join(lines) for name, lines in self._files(digits)}

    def _files(self, digits: int) -> Iterator[tuple[str, Iterable[bytes]]]:
        """Yield name and lines of each file, one after the other: tables of scores are large."""
        for title, table in self._tables().items():
            yield f"{title}.csv", FORMATS["csv"].table_lines([table()])
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
        """Draw one of ``figure_names``, with a logarithmic (log) or linear axis of levels."""
        named_choice("axis", axis, AXES)
        from irevalx.lab.plot.page import Page, style
        from irevalx.lab.studies.study_figures import figures

        drawings = dict(figures(self.summary))
        with style():
            return drawings[named_choice("name", name, [*drawings])](Page(width, titled, axis == "linear"))

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

        Figures are png, svg or pdf (None for no figures), with a logarithmic (log) or linear axis of levels, and drawn
        by ``threads`` processes; ``progress`` reports on standard error, on a terminal, how many are drawn.
        """
        named_choice("axis", axis, AXES)
        if figures is not None:
            named_choice("figures", figures, SUFFIXES)
        style: dict[str, Any] = {"figures": figures, "axis": axis, "width": width, "titled": titled, "digits": digits}
        return write_folder(fspath(folder), partial(self.write_into, **style, threads=threads, progress=progress))

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
            contents = in_order(draw, lambda: drawings, threads)  # only this process has files that may be left
            for (name, _), content in zip(drawings, contents, strict=True):
                write_lines([content], path / name)
                advance(1)
        return [*names, *(name for name, _ in drawings)]
