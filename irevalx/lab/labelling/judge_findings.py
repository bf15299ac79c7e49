"""The result of ``labels`` for several judges."""

from __future__ import annotations

from typing import ClassVar

from irevalx.errors import UsageError
from irevalx.frozen import fields
from irevalx.lab.labelling.document_agreement import NUMBERS_OF_TOPICS, OF_PAIRS
from irevalx.lab.labelling.findings import RUN_STATISTICS, AgreementStatistic
from irevalx.lab.labelling.judges import WRITTEN, CombinedLabels
from irevalx.lab.labelling.label_findings import (
    LabelsResult,
    decisions_table,
    probabilities_table,
    tables_of_runs,
    with_intervals,
)
from irevalx.reports.table import Table
from irevalx.statistics.best_runs import TOP_STATISTICS

_PEOPLE = ("rms_estimated", "rms_human_alone", "error_gone")

_OF_COMBINATIONS = (
    "kappa over: by how much the kappa of a combination with people is above that of a machine, on the same topics.",
)
_OF_PEOPLE = (
    "rms estimated: the error of scores if people judged so many topics, drawn at random, and the machine's scores "
    "were corrected as by estimate; rms human alone: without a machine. Error gone: the share of the machine's error "
    "that the estimate is rid of.",
)


class JudgesResult(LabelsResult):
    """The result of ``labels`` for several judges: ``rows``, one per statistic, and combined labels."""

    combined: CombinedLabels = CombinedLabels()
    """The combined labels of the machines."""

    drawn: ClassVar[str] = "judges"

    def text_of(self, name: str) -> bytes:
        """Return combined labels as a file: ``vote``, ``mean`` or ``dawid_skene`` (integers), or ``probability``."""
        if name not in WRITTEN:
            raise UsageError(f"a combination must be one of {', '.join(WRITTEN)}, but got {name}")
        if name not in self.combined.texts:
            raise UsageError("a combination requires at least two machines, but there is one")
        return self.combined.texts[name]

    def tables(self) -> list[Table]:
        """Return the table of ``rows``."""
        return [Table.of("labels", AgreementStatistic, self.rows, n_labels=fields(AgreementStatistic).index("value"))]

    def tables_for_people(self) -> list[Table]:
        """Return the statistics as several tables, without empty ones, numbers of grades and single topics."""
        of_judges = [row for row in self.rows if row.against is None and row.topic is None]
        of_labels = [row for row in of_judges if row.measure is None]
        of_pairs = [row for row in self.rows if row.against is not None]
        of_runs = [row for row in of_judges if row.measure is not None]
        of_all_runs = [row for row in of_runs if row.run is None and row.group is None]
        without_level = [row for row in of_labels if row.level is None]
        judge, by_measure, pair = ("judge",), ("judge", "measure"), ("judge", "against")
        tables = [
            with_intervals("judges and people", judge, ("pairs", "coverage", *NUMBERS_OF_TOPICS), without_level),
            with_intervals("agreement of judges with people", judge, OF_PAIRS[:2], without_level),
            with_intervals("more of their agreement", judge, (*OF_PAIRS[2:], "grade_bias"), without_level),
            with_intervals(
                "labels cut at each level",
                ("judge", "level"),
                ("precision", "recall", "f1", "kappa"),
                [row for row in of_labels if row.level is not None],
            ),
            with_intervals(
                "repeated answers of one judge", judge, [f"self_{name}" for name in OF_PAIRS], without_level
            ),
            probabilities_table(judge, without_level),
            with_intervals("judges by judges", pair, ("pairs", *OF_PAIRS), of_pairs),
            with_intervals("combinations beside machines", pair, ("kappa_over",), of_pairs, _OF_COMBINATIONS),
            with_intervals("agreement of the scores of runs", by_measure, RUN_STATISTICS, of_all_runs),
            with_intervals("the best runs", by_measure, TOP_STATISTICS, of_all_runs),
            with_intervals(
                "if people judged some topics", (*by_measure, "human_topics"), _PEOPLE, of_all_runs, _OF_PEOPLE
            ),
            decisions_table(judge, of_all_runs, "the judge's"),
            *tables_of_runs(by_measure, of_runs),
        ]
        return [table for table in tables if table.rows]
