"""Agreement between human and machine judgments of the same documents, with intervals over topics."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product
from typing import Any, TypeAlias

import numpy as np

from irevalx.arrays.segments import AnyArray, FloatArray, IntArray
from irevalx.errors import InputError, shown_name
from irevalx.experiments.labels import PairedLabels
from irevalx.frozen import Frozen, replace
from irevalx.judgments.graded import Judgments
from irevalx.lab.command.notes import bootstrap_warnings
from irevalx.lab.judge_agreement.parts import AgreementPart, Estimate, Estimates
from irevalx.process.platform import as_text
from irevalx.statistics.bootstrap import TopicDraws, quantile_interval
from irevalx.statistics.correlations import divided
from irevalx.statistics.label_agreement import at_level, binary_counts, coefficients, confusions_by_topic
from irevalx.statistics.proportions import UNDEFINED, coefficient_intervals, f1_interval, proportion_interval
from irevalx.statistics.significance import ALPHA

AT_ONCE = 1_000_000
"""The maximum number of values that a batch of resamples keeps in memory."""

NO_INTERVAL = None, None
"""The bounds of a missing interval."""

Statistics: TypeAlias = "dict[Any, AnyArray]"
"""The values of each statistic, which is identified by a name or by a relevance threshold and a name."""


class LabelBootstrap(Frozen, kw_only=True):
    """The settings of the bootstrap: the number of resamples, the random seed and the level of intervals."""

    resamples: int = 0  # the number of resamples; 0 if no intervals are computed
    seed: int = 0
    alpha: float = ALPHA  # intervals extend from the alpha/2 to the 1 - alpha/2 quantile over the resamples

    def for_few_topics(self, n_topics: int) -> LabelBootstrap:
        """Return the settings of expanded percentile intervals (Hesterberg, The American Statistician 69, 2015)."""
        from scipy import special

        if n_topics < 2:  # all resamples of a single topic are equal
            return replace(self, resamples=0)
        t = float(special.stdtrit(n_topics - 1, self.alpha / 2))
        # The variance over resamples is smaller than the unbiased estimate by the factor (n - 1) / n.
        return replace(self, alpha=2 * float(special.ndtr(t * math.sqrt(n_topics / (n_topics - 1)))))

    def warnings(self, n_topics: int) -> list[str]:
        """Return a warning if there are too few topics with labels for confidence intervals."""
        if not self.resamples or n_topics > 1:
            return []
        return ["labels have no intervals, because these require labels of both judges for at least 2 topics"]

    def warnings_of_runs(self, n_topics: int) -> list[str]:
        """Return a warning if there are too few evaluated topics for confidence intervals."""
        if self.resamples and n_topics < 2:
            return ["measure values have no intervals, because these require at least 2 topics with results"]
        return bootstrap_warnings(n_topics) if self.resamples else []

    def draws(self, n_topics: int) -> TopicDraws:
        """Return resamples of ``n_topics`` topics."""
        return TopicDraws.of(n_topics, self.resamples, self.seed)

    def interval(self, of_draws: AnyArray) -> tuple[float | None, float | None]:
        """Return the quantile interval of a statistic over resamples. The shape of ``of_draws`` is (n_draws,)."""
        if not self.resamples:
            return NO_INTERVAL
        low, high = quantile_interval(np.asarray(of_draws, np.float64), self.alpha)
        return none_if_nan(float(low)), none_if_nan(float(high))

    def proportion(self, successes: FloatArray, units: FloatArray) -> Estimate:
        """Estimate the share of successes among units, given the numbers of both in each topic."""
        share = none_if_nan(float(divided(successes.sum(), units.sum())))
        return Estimate(share, *self._ends(proportion_interval, successes, units))

    def coefficients(
        self, confusions: FloatArray, compute: Callable[[FloatArray], Mapping[str, FloatArray]]
    ) -> dict[str, Estimate]:
        """Return the agreement and the coefficients of agreement with confidence intervals.

        The function ``compute`` returns the values of these statistics, given counts of label pairs.
        """
        n_tables = confusions[0, ..., 0, 0].size if len(confusions) else 1
        agreed = np.trace(confusions, axis1=-2, axis2=-1).reshape(-1, n_tables).mean(axis=1)
        units = confusions.sum(axis=(-2, -1)).reshape(-1, n_tables).mean(axis=1)
        intervals = coefficient_intervals(confusions, compute, 1 - self.alpha) if self.resamples else {}
        return {
            name: Estimate(
                none_if_nan(np.mean(value).item()),
                *(
                    self._ends(proportion_interval, agreed, units)
                    if name == "agreement"
                    else map(none_if_nan, intervals.get(name, UNDEFINED))
                ),
            )
            for name, value in compute(confusions.sum(axis=0)).items()
        }

    def at_level(self, cut: FloatArray) -> Estimates:
        """Estimate the precision, recall, F1 and kappa of binary labels. The shape of ``cut`` is (n_topics, 2, 2)."""
        both, human, machine = cut[:, 1, 1], cut[:, 1].sum(axis=-1), cut[:, :, 1].sum(axis=-1)
        estimates = self.coefficients(cut, at_level)
        ends = {
            "precision": self._ends(proportion_interval, both, machine),
            "recall": self._ends(proportion_interval, both, human),
            "f1": self._ends(f1_interval, both, human + machine - both),
            "kappa": estimates["kappa"][1:],
        }
        return {name: Estimate(estimates[name].value, *of_name) for name, of_name in ends.items()}

    def _ends(
        self,
        interval: Callable[[FloatArray, FloatArray, float], tuple[float, float]],
        successes: FloatArray,
        units: FloatArray,
    ) -> tuple[float | None, float | None]:
        if not self.resamples:
            return NO_INTERVAL
        low, high = interval(successes, units, 1 - self.alpha)
        return none_if_nan(low), none_if_nan(high)

    def estimates(
        self,
        compute: Callable[[TopicDraws | None], Statistics],  # of resamples or, for None, of the observed topics
        n_topics: int,
        numbers_each: int,
    ) -> dict[Any, Estimate]:
        """Return each statistic with a confidence interval.

        Resamples are computed in batches, and each resample needs ``numbers_each`` values.
        """
        drawn: dict[Any, list[AnyArray]] = {}
        for batch in self.draws(n_topics).batches(max(1, AT_ONCE // max(1, numbers_each))):
            for key, of_batch in compute(batch).items():
                drawn.setdefault(key, []).append(of_batch)
        return {
            key: Estimate(
                none_if_nan(value.item()), *(self.interval(np.concatenate(drawn[key])) if drawn else NO_INTERVAL)
            )
            for key, value in compute(None).items()
        }


def none_if_nan(number: float) -> float | None:
    """Return the number, or None if the number is nan."""
    return None if math.isnan(number) else number


OF_PAIRS = ("agreement", "kappa", "alpha_ordinal", "ac1")
"""The coefficients of agreement that are reported for a pair of judges."""

_NUMBERS = ("pairs", "pairs_human", "pairs_machine", "coverage", "coverage_machine")
"""The statistics of documents: the numbers with both labels, with a human label and with a machine label, and the
coverage of human labels and of machine labels."""

NUMBERS_OF_TOPICS = ("topics", "topics_human", "topics_machine")
"""The numbers of topics that contain a document with both labels, with a human label, or with a machine label."""

MOST_CATEGORIES = 101
"""The maximum number of integers from the smallest to the largest grade. Grades from 0 to 100 are allowed."""


class DocumentAgreement:
    """The agreement of two judges on the documents that both label."""

    def __init__(self, labels: PairedLabels, human: Judgments, machine: Judgments) -> None:
        """Count the label pairs of each topic, and the labels of each file.

        Raise InputError if no document has both labels.
        """
        pairs = labels.have_both
        rows = labels.judgments.rows
        self.n_pairs = int(pairs.sum())
        self.n_human, self.n_machine = (int((judge.grades >= 0).sum()) for judge in (human, machine))
        with_labels = [int(np.count_nonzero(judge.rows.count(judge.grades >= 0))) for judge in (human, machine)]
        self.topics_of = int(np.count_nonzero(rows.count(pairs))), *with_labels
        """The numbers of topics that ``NUMBERS_OF_TOPICS`` names."""

        if not self.n_pairs:
            raise InputError(
                f"{shown_name(human.path)} and {shown_name(machine.path)} have no labelled document in common "
                f"in the {rows.n} topics of both"
            )
        ours, theirs = labels.human[pairs], labels.machine[pairs]
        self.grades: IntArray = np.unique(np.concatenate((ours, theirs)))
        """The grades that occur. The shape is (n_grades,)."""

        least, greatest = int(self.grades[0]), int(self.grades[-1])
        if greatest - least >= MOST_CATEGORIES:
            raise InputError(
                f"labels of {shown_name(human.path)} and {shown_name(machine.path)} range from {least} to {greatest}; "
                f"at most {MOST_CATEGORIES} different grades are supported"
            )
        self.categories = range(least, greatest + 1)
        """All integers from the smallest to the largest grade."""

        self.levels = range(max(1, least + 1), greatest + 1)
        self.topics = [as_text(topic) for topic in labels.judgments.topics]
        self.confusions = confusions_by_topic(ours, theirs, self.grades.tolist(), rows.ids[pairs], rows.n)
        """The number of documents of each topic and pair of grades. The shape is (n_topics, n_grades, n_grades)."""

        self._by_topic = [rows.count(mask).tolist() for mask in (pairs, labels.human >= 0, labels.machine >= 0)]

    @property
    def counts(self) -> FloatArray:
        """The number of documents of each pair of grades, over all topics. The shape is (n_grades, n_grades)."""
        return counts_of(self.confusions, None)

    @property
    def _with_pairs(self) -> FloatArray:
        """The confusion matrices of the resampled topics, which are the topics with label pairs."""
        of_topics: FloatArray = self.confusions[self.confusions.sum(axis=(1, 2)) > 0]
        return of_topics

    @property
    def n_topics(self) -> int:
        """The number of topics that have label pairs."""
        return len(self._with_pairs)

    def which_topics(self, ours: str, theirs: str) -> str:
        """Return a description of the compared topics."""
        n_both, n_human, n_machine = self.topics_of
        if n_both == n_human == n_machine:
            return f"all {n_both} of both judges"
        parts = [
            f"{'all' if n_both == number else f'{n_both} of the'} {number} of {path}"
            for number, path in ((n_human, ours), (n_machine, theirs))
        ]
        return f"{' and '.join(parts)} (topics with a document labelled by both judges)"

    def statistics(self, bootstrap: LabelBootstrap) -> Iterator[AgreementPart]:
        """Yield counts, coverage, coefficients, and the agreement at each relevance threshold, over all topics."""
        numbers = self.n_pairs, self.n_human, self.n_machine
        yield from self._parts(None, self._with_pairs, bootstrap, numbers)

    def coefficients(self, counts: FloatArray) -> dict[str, FloatArray]:
        """Return the coefficients of agreement, as a dictionary that maps the name of a coefficient to values."""
        return coefficients(counts, self.grades, len(self.categories))

    def of_pair(self, bootstrap: LabelBootstrap) -> Estimates:
        """Return the number of documents with labels of both judges, and the coefficients of agreement."""
        estimates = bootstrap.coefficients(self._with_pairs, self.coefficients)
        return {"pairs": Estimate(self.n_pairs), **{name: estimates[name] for name in OF_PAIRS}}

    def statistics_by_topic(self) -> Iterator[AgreementPart]:
        """Yield the statistics of each topic, without intervals."""
        for topic, counts, *numbers in zip(self.topics, self.confusions, *self._by_topic, strict=True):
            yield from self._parts(topic, counts[np.newaxis], LabelBootstrap(), numbers)

    def _parts(
        self, topic: str | None, confusions: FloatArray, bootstrap: LabelBootstrap, numbers: Sequence[int]
    ) -> Iterator[AgreementPart]:
        """Yield the statistics of a topic, or of all topics.

        ``numbers`` contains the numbers of documents with both labels, a human label, and a machine label.
        """
        coverage = (numbers[0] / number if number else None for number in numbers[1:])
        values = (*numbers, *coverage, *(self.topics_of if topic is None else ()))
        estimates = dict(zip((*_NUMBERS, *NUMBERS_OF_TOPICS), map(Estimate, values), strict=False))
        grades, counts = self.grades.tolist(), counts_of(confusions, None).ravel().astype(np.int64).tolist()
        used = dict(zip(product(grades, grades), counts, strict=True))
        cells = {pair: used.get(pair, 0) for pair in product(self.categories, self.categories)}
        yield AgreementPart("documents", estimates, topic=topic, counts=cells)
        yield AgreementPart("coefficients", bootstrap.coefficients(confusions, self.coefficients), topic=topic)
        for level in self.levels:
            of_level = bootstrap.at_level(binary_counts(confusions, self.grades, level))
            yield AgreementPart("level", of_level, topic=topic, level=level)


def counts_of(confusions: FloatArray, draws: TopicDraws | None) -> FloatArray:
    """Return the number of documents of each pair of grades, over the topics or over each resample of topics.

    The shape is ([n_draws,] n_grades, n_grades).
    """
    if draws is None:
        total: FloatArray = confusions.sum(axis=0)
        return total
    # Products of means and numbers have rounding errors, although counts are integers.
    return np.rint(draws.means(np.moveaxis(confusions, 0, -1)) * len(confusions))
