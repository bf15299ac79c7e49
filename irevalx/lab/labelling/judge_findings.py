"""What several judges say of each other and of runs: tables, figures, and the labels that they give together."""

from __future__ import annotations

from typing import ClassVar

from irevalx.errors import UsageError
from irevalx.frozen import fields
from irevalx.lab.labelling.document_agreement import NUMBERS_OF_TOPICS, OF_PAIRS
from irevalx.lab.labelling.findings import RUN_STATISTICS, Finding
from irevalx.lab.labelling.judges import WRITTEN, CombinedLabels
from irevalx.lab.labelling.label_findings import (
    LabelFindings,
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


class JudgeFindings(LabelFindings):
    """How far several judges agree with people and with each other.

    Parameters
    ----------
    combined : the labels that machines give together.
    """

    combined: CombinedLabels = CombinedLabels()

    drawn: ClassVar[str] = "judges"

    def text_of(self, name: str) -> bytes:
        """Return the labels that machines give together as a file: ``vote``, ``mean``, ``dawid_skene``, whole grades.

        ``probability`` has probabilities of relevance, those of Dawid and Skene's model.

        Raises
        ------
        UsageError : there is no such combination, or a single machine.
        """
        if name not in WRITTEN:
            raise UsageError(f"a combination must be one of {', '.join(WRITTEN)}, but got {name}")
        if name not in self.combined.texts:
            raise UsageError("there must be two machines at least to combine, but there is one")
        return self.combined.texts[name]

    def tables(self) -> list[Table]:
        """Return the table of ``rows``."""
        return [Table.of("labels", Finding, self.rows, n_labels=fields(Finding).index("value"))]

    def tables_for_people(self) -> list[Table]:
        """Return the same as several tables, without those that have nothing, numbers of grades and single topics."""
        of_judges = [one for one in self.rows if one.against is None and one.topic is None]
        of_labels = [one for one in of_judges if one.measure is None]
        of_pairs = [one for one in self.rows if one.against is not None]
        of_runs = [one for one in of_judges if one.measure is not None]
        of_all_runs = [one for one in of_runs if one.run is None and one.group is None]
        without_level = [one for one in of_labels if one.level is None]
        judge, by_measure, pair = ("judge",), ("judge", "measure"), ("judge", "against")
        tables = [
            with_intervals("judges and people", judge, ("pairs", "coverage", *NUMBERS_OF_TOPICS), without_level),
            with_intervals("agreement of judges with people", judge, OF_PAIRS[:2], without_level),
            with_intervals("more of their agreement", judge, (*OF_PAIRS[2:], "grade_bias"), without_level),
            with_intervals(
                "labels cut at each level",
                ("judge", "level"),
                ("precision", "recall", "f1", "kappa"),
                [one for one in of_labels if one.level is not None],
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
