"""Reports of several collections: a page about the results over all collections, and a report of each collection."""

import math
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote as quoted

import numpy as np

from irevalx import __version__
from irevalx.arrays.segments import FloatArray, IntArray
from irevalx.errors import UsageError
from irevalx.experiments.coverage import COVERAGE_MEASURES
from irevalx.experiments.inputs import measures_of
from irevalx.experiments.ranked_runs import requests_of
from irevalx.lab.command.evaluation_options import EvaluationOptions
from irevalx.lab.command.output import Result, write_lines
from irevalx.lab.comparison.compare import compare
from irevalx.lab.comparison.several_collections import ONLY_SINGLE, evaluated_each, refuse_several, runs_of
from irevalx.lab.html_report.page import Report, page_without_script
from irevalx.lab.html_report.static import table_in_cells
from irevalx.measures.selection import RequestedMeasure
from irevalx.measures.summaries import mean
from irevalx.reading.collection_files import CollectionInputs, file_of
from irevalx.reports import DIGITS
from irevalx.reports.best import marked_as_best
from irevalx.reports.table import Table
from irevalx.wording import first_names, spelled


class CollectionReports(Report, kw_only=True):
    """The reports of several collections. They are computed one after the other when they are needed.

    ``page`` is the page about all collections. There is no ``data``.
    """

    values: FloatArray = np.empty((0, 0, 0))
    n_first: IntArray = np.empty((0, 0), np.int64)
    in_common: IntArray = np.empty((0, 0), np.int64)
    texts: Sequence[str] = ()
    ranking: Callable[[int], dict[str, Any]] | None = None
    collections: Sequence[CollectionInputs]
    compared: Result | None
    """The comparison of the runs over the collections, or None if there is a single run."""
    report_of: Callable[[CollectionInputs], Report]
    """A function that returns the report of a collection."""

    @property
    def page(self) -> str:
        """The page about all collections as HTML, without links to the reports of the collections."""
        return self._page({}, lambda name, report: None)

    def write(self, path: str | os.PathLike[str] | None, form: str | None = None) -> None:
        """Write the page about all collections to a file, and the report of each collection to a file next to it.

        If the path is ``report.html``, the report of the collection fiqa is ``report-fiqa.html``. Raise UsageError if
        there is no path, or if ``form`` is "json".
        """
        if path is None or form == "json" or Path(path).suffix.lower() == ".json":
            raise UsageError(
                "a report of several collections consists of HTML pages; name the file of the first page, such as "
                f"{spelled('path', 'report.html')}"
            )
        file = Path(path)
        names = [collection.name for collection in self.collections]
        pages = {name: f"{file.stem}-{name.replace('/', '_')}{file.suffix}" for name in names}
        page = self._page(pages, lambda name, report: report.write(file.with_name(pages[name]), "html"))
        write_lines([page.encode("utf-8", "replace")], file)

    def _means(self, use: Callable[[str, Report], None]) -> list[Table]:
        """Return a table of means for each measure, and call ``use`` with each collection and its report."""

        def means_of(collection: CollectionInputs) -> list[_Mean]:
            report = self.report_of(collection)
            use(collection.name, report)
            return [*_means_in(report)]

        names = [collection.name for collection in self.collections]
        tables: dict[str, dict[str, list[_Mean | None]]] = {}  # by measure and run, on each collection
        for number, means in enumerate(evaluated_each(self.collections, means_of)):
            for mean_of_run in means:
                of_measure = tables.setdefault(mean_of_run.measure, {})
                of_measure.setdefault(mean_of_run.run, [None] * len(names))[number] = mean_of_run
        return [_table_of(measure, names, of_runs) for measure, of_runs in tables.items()]

    def _page(self, pages: dict[str, str], use: Callable[[str, Report], None]) -> str:
        """Return the page about all collections. It links to ``pages``, and ``use`` receives each report."""
        means, compared = self._means(use), [] if self.compared is None else self.compared.noted_tables()
        return page_without_script(
            "collections.html",
            **self.about,
            means=[table_in_cells(table) for table in means],
            compared=[table_in_cells(table) for table in compared],
            addresses={name: quoted(page) for name, page in pages.items()},
        )


class _Mean(NamedTuple):
    """The mean of a run on a collection."""

    measure: str
    run: str
    value: float | None
    is_best: bool
    direction: int


def _means_in(report: Report) -> Iterator[_Mean]:
    """Yield the means of a report."""
    measures, runs, ranked = (report.about[name] for name in ("measures", "runs", "ranked"))
    for row in report.about["means"]:
        measure, run = row["measure"], row["run"]
        direction = {True: 1, False: -1}.get(measures[measure]["higher_is_better"], 0)
        is_best = len(runs) > 1 and run in ranked[measure]["best"]
        yield _Mean(measures[measure]["title"], runs[run]["name"], row["mean"], is_best, direction)


def _table_of(measure: str, collections: Sequence[str], of_runs: dict[str, list[_Mean | None]]) -> Table:
    """Return the means of runs under a measure. If a run has all collections, its mean over them is included."""
    rows, over = [], list[float | None]()
    for run, means in of_runs.items():
        values = [None if each is None else each.value for each in means]
        known = [value for value in values if value is not None]
        over.append(math.fsum(known) / len(known) if len(known) == len(values) else None)
        rows.append((run, *values, over[-1]))
    direction = next((each.direction for means in of_runs.values() for each in means if each is not None), 0)
    best = {
        name: [row for row, means in enumerate(of_runs.values()) if (each := means[place]) is not None and each.is_best]
        for place, name in enumerate(collections)
    }
    best[_MEAN] = marked_as_best(over, direction) if rows[1:] else []
    heads = ("run", *collections, _MEAN)
    return Table(measure, heads, rows, heads=heads, best=best)


_MEAN = "mean"
"""The head of the column that contains means over collections."""


_FILES = ("documents", "topic_texts", "topic_groups", "clusters", "machine")
"""The parameters of ``report`` that accept paths with a placeholder for the collection."""


def reports_of_collections(
    collections: Sequence[CollectionInputs],
    report: Callable[..., Any],
    default: Sequence[str],
    qrels: Any,
    runs: Any,
    **arguments: Any,
) -> CollectionReports:
    """Return the reports of several collections.

    ``arguments`` are arguments of ``report``, and ``default`` its measures.
    """
    refuse_several(margin=arguments["margin"], **{name: arguments.get(name) for name in ONLY_SINGLE})
    names = list(dict.fromkeys(name for collection in collections for name in runs_of(collection)))
    measures: Sequence[str] = measures_of(arguments["measures"]) or (() if runs is None else default)
    if runs is not None:
        measures = [name for name in measures if all(map(is_compared, requests_of((name,))))]
    compared = None
    if names[1:] and (measures or runs is None):
        own = {"baseline", "correction", "alpha", "clusters", "cluster_by", *EvaluationOptions.__annotations__}
        of_tests = {name: value for name, value in arguments.items() if name in own}
        compared = compare(qrels, runs, measures, **of_tests)

    def report_of(collection: CollectionInputs) -> Any:
        files = {name: _in_collection(arguments[name], collection.name) for name in _FILES}
        title = f"{collection.name}: {arguments['title'] or first_names(runs_of(collection), 'run')}"
        return report(collection.qrels, collection.runs, **{**arguments, **files, "title": title})

    title = arguments["title"] or f"{first_names(names, 'run')} on {len(collections)} collections"
    tables = [] if compared is None else compared.tables_for_people()
    about = {
        "about": {"title": title, "program": f"irevalx {__version__}"},
        "findings": [sentence for table in tables for sentence in table.summary(DIGITS)],
        "warnings": [],
    }
    return CollectionReports(about=about, collections=collections, compared=compared, report_of=report_of)


def is_compared(request: RequestedMeasure) -> bool:
    """Return whether the comparison over collections supports a measure."""
    return request.measure.summary is mean and request.measure not in COVERAGE_MEASURES


def _in_collection(given: Any, collection: str) -> Any:
    """Return an argument.

    If it contains paths of files, they are replaced by the paths of the files of a collection.
    """
    if isinstance(given, list | tuple):
        return type(given)(_in_collection(path, collection) for path in given)
    return file_of(given, collection) if isinstance(given, str) else given
