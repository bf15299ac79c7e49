"""The part of a report that describes machine judgments: the tables of ``labels`` and ``estimate``."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import Any

from irevalx.api.inputs import GivenQrels, Qrels, Run
from irevalx.errors import InputError, IrevalxWarning, UsageError
from irevalx.experiments.ranked_runs import requests_of
from irevalx.lab.html_report.collection_reports import is_compared
from irevalx.lab.html_report.data import ReportData
from irevalx.lab.html_report.inputs import path_of
from irevalx.reports.records import finite


def judges_of(
    data: ReportData,
    machine: GivenQrels | None,
    runs: Sequence[Run],
    measures: Sequence[str],
    of_labels: Mapping[str, Any],
    **evaluation: Any,
) -> dict[str, Any]:
    """Return the tables of label agreement and, if ``estimate`` supports the judgments, of corrected means.

    The argument ``of_labels`` contains parameters of ``labels`` only. Warnings are added to the notes of the tables. If
    there are no machine judgments, the result is empty.
    """
    if machine is None:
        return {}
    from irevalx.lab.estimation.estimate import estimate
    from irevalx.lab.judge_agreement.labels import labels

    shared = {name: value for name, value in evaluation.items() if name != "grades"} | {"alpha": data.method.alpha}
    human = Qrels(data.judgments, evaluation.get("rel_format", "qrels"), data.settings.grades)
    measures = [name for name in measures if all(map(is_compared, requests_of((name,))))] or ["map"]
    lacking: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", IrevalxWarning)
        tables = [*labels(human, machine, runs, measures, **of_labels, **shared).noted_tables()]
        try:
            tables += estimate(human, machine, runs, measures, baseline=data.baseline, **shared).noted_tables()
        except (InputError, UsageError) as error:
            lacking = [f"Corrected means are not available, because irevalx-lab estimate reports an error: {error}."]
    notes = [*dict.fromkeys(str(each.message) for each in caught if isinstance(each.message, IrevalxWarning)), *lacking]
    path = path_of(machine)
    name = path if path is None or data.full_paths else PurePath(path).name

    def shown(value: Any) -> Any:
        """Convert a value for JSON. A path is displayed in the same way as all paths of the report."""
        return (
            data.without_folders(value.replace(path, name) if path and name else value)
            if isinstance(value, str)
            else finite(value)
        )

    in_data = [
        {
            "title": table.title,
            "columns": table.columns,
            "heads": table.heads or [column.replace("_", " ") for column in table.columns],
            "rows": [[*map(shown, row)] for row in table.rows],
            "n_labels": table.n_labels,
            "notes": [*map(shown, (*table.caption, *table.notes))],
        }
        for table in tables
    ]
    return {"judges": {"machine": name, "tables": in_data, "notes": [*map(shown, notes)]}}
