"""Studies of several orders of judging: their tables as one, a folder for each, and figures of all."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any, ClassVar

from irevalx.frozen import replace
from irevalx.lab.command.output import make_folder, write_lines
from irevalx.lab.command.result import Result
from irevalx.lab.studies.study_result import StudyResult
from irevalx.reports.table import Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from irevalx.lab.plot.page import Page


class SeveralStudies(Result):
    """Studies of the same runs and judgments under several orders of judging.

    Parameters
    ----------
    studies : one for each order, all with the same seeds.
    seed : of the first sample; None where nothing was left to chance.
    """

    studies: tuple[StudyResult, ...]
    seed: int | None

    def _joined(self, title: str) -> Table:
        """Return the tables of all studies as one, the name of the scheme before what does not have it."""
        tables = [study.table(title) for study in self.studies]
        if "scheme" in tables[0].columns:
            return replace(tables[0], rows=[row for table in tables for row in table.rows])
        schemes = [study.study.scheme for study in self.studies]
        return Table(
            title,
            ("scheme", *tables[0].columns),
            [(scheme, *row) for scheme, table in zip(schemes, tables, strict=True) for row in table.rows],
            n_labels=tables[0].n_labels + 1,
        )

    def tables(self) -> list[Table]:
        """Return the tables of all studies, one after another in one table of each kind."""
        return [self._joined(title) for title in self.studies[0].table_titles]

    def tables_for_people(self) -> list[Table]:
        """Return the knees of each study."""
        tables = []
        for study in self.studies:
            knees, *others = study.tables_for_people()
            name = study.study.scheme
            tables += [replace(knees, title=f"{name}: {knees.title}"), *others]
        return tables

    titled: ClassVar[bool] = True

    def write(self, folder: str | PathLike[str], *, figures: str | None = "png", **how: Any) -> None:
        """Write each study to a folder of its own in a folder, and in this figures of all of them on one axis.

        Parameters
        ----------
        figures, how : as ``StudyResult.write`` takes them.
        """
        path = make_folder(fspath(folder))
        for study in self.studies:
            study.write(path / study.study.scheme, figures=figures, **how)
        if figures is None:
            return
        from irevalx.lab.plot.page import Page, picture
        from irevalx.lab.studies.drawing import draw

        page = Page(how.get("width", 7.0), how.get("titled", True), how.get("axis", "log") == "linear")
        named = {study.study.scheme: study for study in self.studies}
        for against in ("AP", "itself"):
            name = f"agreement-with-{against}.{figures}"
            write_lines([picture(partial(_drawn, draw, named, against, how), page, name)], path / name)


def _drawn(draw: Callable[..., Figure], named: Mapping[str, StudyResult], against: str, how: Any, page: Page) -> Figure:
    return draw(dict(named), against=against, axis=how.get("axis", "log"), width=page.width, titled=page.titled)
