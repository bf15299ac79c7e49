"""The parts of a result of ``labels``. Each part contains the statistics of one subject, and has a long form."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Literal, NamedTuple, TypeAlias

from irevalx.frozen import Frozen

Kind: TypeAlias = Literal[
    "documents",  # numbers of labelled documents and topics, and of documents by pair of grades
    "coefficients",  # coefficients of agreement over all grades
    "level",  # agreement of labels thresholded at a level
    "grades",  # the bias of a judge's grades, and the agreement among repeated answers
    "probabilities",  # quality of probabilities of relevance
    "real",  # labels before they are thresholded or rounded
    "errors",  # sensitivity and specificity at a level
    "prevalence",  # estimates of the share of relevant documents at a level
    "pair",  # agreement of two judges on documents with human labels
    "panel",  # agreement of all judges, and correlation of the machines' errors
    "without_judge",  # change of the agreement of all judges if a judge is left out
    "covariate",  # dependence of labels and errors on a covariate
    "answers",  # dependence of labels and errors on a group of documents or answers
    "combination",  # a combination compared with a single machine
    "values",  # measure values of all runs, and of the best runs
    "decisions",  # significance decisions on pairs of runs
    "run",  # bias and ranks of a run
    "group",  # bias of a group of runs
    "gains",  # gains of reranking a run or, without run, of all runs
    "remaining",  # remaining error if assessors judged some topics
    "preferences",  # pairwise preferences
]
"""The subject of the statistics in a part."""


class Estimate(NamedTuple):
    """A statistic, and its confidence interval over topics."""

    value: float | int | None  # None if the statistic is undefined
    low: float | None = None  # None if there is no interval
    high: float | None = None

    @property
    def or_nan(self) -> float:
        """The value, or nan if the statistic is undefined."""
        return math.nan if self.value is None else float(self.value)


Estimates: TypeAlias = "dict[str, Estimate]"
"""A dictionary that maps the name of a statistic to its estimate."""


class AgreementStatistic(NamedTuple):
    """A statistic, its subject, and its confidence interval over topics. The fields are the columns of the table."""

    judge: str | None = None  # the name of the judge; None for a single judge
    against: str | None = None  # the other judge of a comparison
    statistic: str = ""
    topic: str | None = None  # None for all topics
    level: int | None = None  # relevance threshold, for statistics that depend on it
    human: int | None = None  # the human grade of the counted documents
    machine: int | None = None
    measure: str | None = None
    run: str | None = None
    group: str | None = None
    human_topics: int | None = None  # number of topics that assessors would judge
    value: float | int | None = None  # None if the statistic is undefined
    low: float | None = None  # None if there is no interval
    high: float | None = None


class AgreementPart(Frozen):
    """Statistics of one kind about the same labels or runs. All other fields identify these labels or runs."""

    kind: Kind
    statistics: Estimates
    judge: str | None = None
    against: str | None = None
    topic: str | None = None
    level: int | None = None
    measure: str | None = None
    run: str | None = None
    group: str | None = None
    human_topics: int | None = None
    counts: Mapping[tuple[int, int], int] = {}  # numbers of documents by human and machine grade

    @property
    def grades(self) -> list[int]:
        """The grades in ``counts``, in ascending order."""
        return sorted({grade for pair, number in self.counts.items() if number for grade in pair})

    def rows(self) -> Iterator[AgreementStatistic]:
        """Yield the rows of the long form: one for each statistic, and one for each pair of grades."""
        names = [name for name in AgreementStatistic._fields if name in self._names]
        about = AgreementStatistic(**{name: getattr(self, name) for name in names})
        for name, (value, low, high) in self.statistics.items():
            yield about._replace(statistic=name, value=value, low=low, high=high)
        for (human, machine), number in self.counts.items():
            yield about._replace(statistic="confusion", human=human, machine=machine, value=number)
