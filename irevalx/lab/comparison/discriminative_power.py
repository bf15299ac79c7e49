"""The function ``discriminative_power``, which computes how many pairs of runs each measure discriminates."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from irevalx.declarations import declared
from irevalx.lab.command.common_options import OptionalRuns, QrelsOrScores
from irevalx.lab.command.evaluation_options import Unpack
from irevalx.lab.command.output import DrawnResult
from irevalx.lab.comparison.comparison_options import Baselines, TestedMeasures, TestOptions, test_options
from irevalx.lab.comparison.pairs import PROBABILITIES, Comparison
from irevalx.lab.comparison.tested_runs import TestedRuns
from irevalx.reports.table import Table
from irevalx.wording import argument_error

if TYPE_CHECKING:
    from irevalx.lab.plotting.page import Page


class DiscriminativePowerRow(NamedTuple):
    """The discriminative power of one measure."""

    measure: str
    pairs: int
    different: int  # number of significantly different pairs
    power: float  # share of significantly different pairs, in [0, 1]
    power_uncorrected: float  # share of pairs that are significantly different without a correction
    needed: float  # smallest significant difference by Tukey HSD; nan for other corrections


class DiscriminativePower(Comparison, DrawnResult):
    """The result of ``discriminative_power``, with a row for each measure."""

    drawings: ClassVar[Mapping[str, str]] = {"levels": "significance_levels"}

    @property
    def rows(self) -> list[DiscriminativePowerRow]:
        """The discriminative power of each measure."""
        return [
            DiscriminativePowerRow(
                measure=of_measure.name,
                pairs=len(of_measure.comparisons.pairs),
                different=int(np.count_nonzero(of_measure.comparisons.differ)),
                power=of_measure.comparisons.power,
                power_uncorrected=of_measure.comparisons.power_uncorrected,
                needed=of_measure.comparisons.half_width,
            )
            for of_measure in self.measures
        ]

    def tables(self) -> list[Table]:
        """Return the table of ``rows``, and for each measure a table of the pairs in ascending order of p."""
        notes = (self.how_tested, *self.coverage_of_runs, *self.notes_on_cautions)
        tables = [Table.of("discriminative power", DiscriminativePowerRow, self.rows, notes=notes, fits=True)]
        columns = ("rank", "run", "against", "p", "corrected_p")
        for of_measure in self.measures:
            comparisons = of_measure.comparisons
            levels: list[tuple[Any, ...]] = []
            for row in np.argsort(comparisons.p, kind="stable").tolist():  # tied pairs keep their order
                run, against = (of_measure.runs[of_pairs[row]] for of_pairs in (comparisons.second, comparisons.first))
                levels.append(
                    (len(levels) + 1, run, against, float(comparisons.p[row]), float(comparisons.corrected_p[row]))
                )
            title = "achieved significance levels" + (f": {of_measure.name}" if self.measures[1:] else "")
            tables.append(Table(title, columns, levels, n_labels=3, probabilities=PROBABILITIES, fits=True))
        return tables

    def drawing(self, draw: str | None, page: "Page") -> str:
        """Return the name of the only figure. Raise ArgumentError if another name is requested."""
        if draw is not None:
            raise argument_error("draw", "None: the figure of discriminative power is one of all p-values", draw)
        return super().drawing(draw, page)


@declared(evaluation=test_options())
def discriminative_power(
    qrels: QrelsOrScores,
    runs: OptionalRuns = None,
    measures: TestedMeasures = (),
    *,
    baseline: Baselines = None,
    **options: Unpack[TestOptions],
) -> DiscriminativePower:
    """Compute the discriminative power of each measure: the share of pairs of runs that differ significantly.

    Significance is determined by the test `test`, before and after correction. Sakai (2006) uses an uncorrected
    bootstrap test; Sakai (2012) uses the randomised Tukey HSD test (tukey).

    Parameters
    ----------
    baseline : compute the share of the pairs of a run and this baseline, or one of several baselines. [default: all
        pairs]

    Returns
    -------
    A row for each measure; the tables contain the p-values of all pairs in ascending order.

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
    >>> irevalx.lab.discriminative_power(qrels, {"bm25": bm25, "dense": dense}, "map").rows[0].power
    1.0
    """
    tested = TestedRuns.of(qrels, runs, measures, baseline, **options)
    tested.warn_of_tests()
    return DiscriminativePower(tested.measures, tested.baselines, tested.method, notes=tested.notes)
