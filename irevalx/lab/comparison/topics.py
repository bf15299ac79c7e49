"""The function ``compare_topics``, which returns the values and the differences of runs for each topic."""

from collections.abc import Mapping
from typing import Annotated, NamedTuple

import numpy as np

from irevalx.declarations import declared, flag
from irevalx.lab.command.common_options import Baseline, OptionalRuns, QrelsOrScores
from irevalx.lab.command.evaluation_options import Unpack
from irevalx.lab.comparison.comparison_options import TestedMeasures, TestOptions, test_options
from irevalx.lab.comparison.results import FigureComparison
from irevalx.lab.comparison.tested_runs import TestedRuns
from irevalx.reports.table import Table
from irevalx.wording import is_parameter, spelled


class ComparedTopic(NamedTuple):
    """The values of all runs for one topic in one measure."""

    measure: str
    topic: str
    values: Mapping[str, float]  # the value of each run
    differences: Mapping[str, float]  # difference of each run from the baseline; empty without a baseline


class ComparedTopics(FigureComparison):
    """The result of ``compare_topics``, with a row for each measure and topic.

    The row contains the values of all runs and, if there is a baseline, the differences from the baseline.
    """

    sort: bool = False
    """Whether topics are sorted in descending order of the mean difference over runs."""

    @property
    def rows(self) -> list[ComparedTopic]:
        """The values of all runs for each measure and topic."""
        rows = []
        for of_measure in (*self.measures, *self.untested):
            measured, pairs = of_measure.measured, of_measure.comparisons
            others = [measured.runs[run] for run in pairs.second] if self.baseline else []
            d = measured.values[pairs.second] - measured.values[pairs.first] if self.baseline else np.zeros((0, 1))
            order = range(len(measured.topics))
            for place in np.argsort(-d.mean(axis=0), kind="stable").tolist() if self.sort and self.baseline else order:
                values = [measured.as_printed(value) for value in measured.values[:, place].tolist()]
                differences = [measured.as_printed(value) for value in d[:, place].tolist()] if others else []
                rows.append(
                    ComparedTopic(
                        measure=of_measure.name,
                        topic=measured.topics[place],
                        values=dict(zip(measured.runs, values, strict=True)),
                        differences=dict(zip(others, differences, strict=True)),
                    )
                )
        return rows

    def tables(self) -> list[Table]:
        """Return a table with a column for each run and, if there is a baseline, for each difference from it."""
        rows = self.rows
        columns = ("measure", "topic", *rows[0].values, *(f"{run} - {self.baseline}" for run in rows[0].differences))
        cells = [(row.measure, row.topic, *row.values.values(), *row.differences.values()) for row in rows]
        notes = (*self.coverage_of_runs, *self.notes_on_cautions)
        names = (*rows[0].values,)
        return [Table("topics", columns, cells, n_labels=2, heads=columns, notes=notes, fits=True, names=names)]


@declared(evaluation=test_options())
def compare_topics(
    qrels: QrelsOrScores,
    runs: OptionalRuns = None,
    measures: TestedMeasures = (),
    *,
    baseline: Baseline = None,
    sort: Annotated[bool, flag()] = False,
    **options: Unpack[TestOptions],
) -> ComparedTopics:
    """Compare runs topic by topic.

    Compute the value of each run for each topic and, with `baseline`, the difference of each run from the baseline. The
    parameters of the test determine which warnings are issued about the comparison of the runs, and the intervals of
    figures.

    Parameters
    ----------
    sort : sort topics in descending order of the difference from the `baseline`, averaged over runs.

    Returns
    -------
    A row for each measure and topic.

    Raises
    ------
    InputError : a measure has no value for any topic.
    IrevalxError : the inputs cannot be read or evaluated, as in ``irevalx.evaluate``.

    Examples
    --------
    >>> import irevalx
    >>> qrels = {str(topic): {"A": 1, "B": 0} for topic in range(1, 9)}
    >>> bm25 = {topic: {"A": 2.0, "B": 1.0} for topic in qrels}
    >>> dense = {topic: {"A": 1.0, "B": 2.0 if int(topic) % 4 else 0.0} for topic in qrels}
    >>> result = irevalx.lab.compare_topics(qrels, {"bm25": bm25, "dense": dense}, "map", baseline="bm25")
    >>> result.rows[0]
    ComparedTopic(measure='map', topic='1', values={'bm25': 1.0, 'dense': 0.5}, differences={'dense': -0.5})
    """
    single = spelled("by", "topic") if is_parameter("by") else "compare_topics"
    tested = TestedRuns.of(qrels, runs, measures, baseline, single, **options)
    tested.warn_of_tests()
    return ComparedTopics(
        tested.measures, tested.baselines, tested.method, tested.untested, sort=sort, notes=tested.notes
    )
