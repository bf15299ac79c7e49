"""Reports of several collections, which consist of a page about all collections and a report of each collection."""

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote as quoted

import numpy as np

from irevalx import __version__
from irevalx.arrays.segments import FloatArray, IntArray
from irevalx.errors import UsageError
from irevalx.experiments.coverage import COVERAGE_MEASURES
from irevalx.experiments.inputs import measures_of
from irevalx.experiments.ranked_runs import requests_of
from irevalx.frozen import replace
from irevalx.lab.command.evaluation_options import EvaluationOptions
from irevalx.lab.command.output import write_lines
from irevalx.lab.comparison.several_collections import (
    ComparedCollections,
    compared_collections,
    evaluated_each,
    rows_on_runs,
    runs_of,
    table_of_runs,
)
from irevalx.lab.html_report.page import Report, rendered_page
from irevalx.lab.html_report.static import table_in_cells
from irevalx.measures.selection import RequestedMeasure
from irevalx.measures.summaries import geometric_mean, mean
from irevalx.reading.collection_files import CollectionInputs, files_in
from irevalx.reports import DIGITS
from irevalx.wording import first_names, spelled


class CollectionReports(Report, kw_only=True):
    """The reports of several collections, which are computed one after the other when they are needed.

    The property ``page`` is the page about all collections. The property ``data`` is not available.
    """

    values: FloatArray = np.empty((0, 0, 0))
    n_first: IntArray = np.empty((0, 0), np.int64)
    in_common: IntArray = np.empty((0, 0), np.int64)
    texts: Sequence[str] = ()
    ranking: Callable[[int], dict[str, Any]] | None = None
    collections: Sequence[CollectionInputs]
    runs: Sequence[str]
    compared: ComparedCollections | None
    """The comparison of the runs over the collections, or None if there is a single run."""
    not_averaged: frozenset[str]
    """The measures that have no mean over collections, such as counts."""
    report_of: Callable[[CollectionInputs], Report]
    """A function that computes the report of a collection."""

    @property
    def page(self) -> str:
        """The page about all collections as HTML. The page contains no links to the reports of the collections."""
        return self._page({}, lambda name, report: None)

    def write(self, path: str | os.PathLike[str] | None, form: str | None = None) -> None:
        """Write a page about all collections to a file, and the report of each collection to a file next to it.

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

    def _page(self, pages: dict[str, str], use: Callable[[str, Report], None]) -> str:
        """Return the page about all collections, with links to ``pages``. Pass each report to the function ``use``."""
        compared, other = self.compared, dict[str, dict[str, dict[str, float]]]()  # by measure, collection and run
        rows = [] if compared is None else list(compared.all_runs)
        known = {(row.measure, row.collection) for row in rows}

        def add(collection: CollectionInputs) -> None:
            report = self.report_of(collection)
            use(collection.name, report)
            for row in report.about["means"]:
                measure, run = (
                    report.about["measures"][row["measure"]]["name"],
                    report.about["runs"][row["run"]]["name"],
                )
                if row["mean"] is not None and (measure, collection.name) not in known:
                    other.setdefault(measure, {}).setdefault(collection.name, {})[run] = row["mean"]

        evaluated_each(self.collections, add)
        for measure, scores in other.items():
            # No value is marked as the best, because these means can be over different topics.
            of_measure = rows_on_runs(self.runs, measure, 0, scores)
            has_mean = (measure, "") not in known and measure not in self.not_averaged
            rows += [row for row in of_measure if row.collection or has_mean]
        order = ["", *(collection.name for collection in self.collections)]
        rows.sort(key=lambda row: order.index(row.collection))
        tables = [table_of_runs(rows)] if compared is None else replace(compared, all_runs=rows).noted_tables()
        return rendered_page(
            "collections.html",
            **self.about,
            tables=[table_in_cells(table) for table in tables],
            addresses={name: quoted(page) for name, page in pages.items()},
        )


_FILES = ("documents", "topic_texts", "topic_groups", "clusters", "machine")
"""The parameters of ``report`` that accept paths with a placeholder for the collection."""


def reports_of_collections(
    collections: Sequence[CollectionInputs],
    report: Callable[..., Any],
    default: Sequence[str],
    **arguments: Any,
) -> CollectionReports:
    """Return the reports of several collections.

    The function ``report`` creates the report of a collection, and ``default`` contains the default measures.
    """
    names = list(dict.fromkeys(name for collection in collections for name in runs_of(collection)))
    measures: Sequence[str] = measures_of(arguments["measures"])
    requests: Sequence[RequestedMeasure] = ()
    if collections[0].runs is not None:
        measures = measures or default
        requests = requests_of(measures)
        measures = [name for name in measures if all(map(is_compared, requests_of((name,))))]
    compared = None
    if names[1:] and (measures or not requests):
        own = {"correction", "alpha", "clusters", "cluster_by", *EvaluationOptions.__annotations__}
        of_tests = {name: value for name, value in arguments.items() if name in own}
        how: dict[str, Any] = {"by": None, "families": None, **of_tests}
        compared = replace(compared_collections(collections, measures, arguments["baseline"], **how), has_runs=True)

    def report_of(collection: CollectionInputs) -> Any:
        files = {name: files_in(arguments[name], collection.name) for name in _FILES}
        title = f"{collection.name}: {arguments['title'] or first_names(runs_of(collection), 'run')}"
        return report(collection.qrels, collection.runs, **{**arguments, **files, "title": title})

    title = arguments["title"] or f"{first_names(names, 'run')} on {len(collections)} collections"
    tables = [] if compared is None else compared.tables_for_people()
    about = {
        "about": {"title": title, "program": f"irevalx {__version__}"},
        "findings": [sentence for table in tables for sentence in table.summary(DIGITS)],
        "warnings": [],
    }
    counts = (request for request in requests if request.measure.summary not in {mean, geometric_mean})
    return CollectionReports(
        about=about,
        collections=collections,
        runs=names,
        compared=compared,
        not_averaged=frozenset(name for request in counts for name in request.names),
        report_of=report_of,
    )


def is_compared(request: RequestedMeasure) -> bool:
    """Return whether comparisons over several collections support a measure."""
    return request.measure.summary is mean and request.measure not in COVERAGE_MEASURES
