"""Evaluations in parts that have no topic in common: what each part comes to, and the `all` rows of all of them.

The values of a run are folded in ascending order of its topics, some topics at a time; what is counted adds up in any
order. Measures whose values are texts have no place here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

import numpy as np

from irevalx.arrays.byte_strings import Names
from irevalx.arrays.segments import BoolArray, FloatArray, IntArray, Segments
from irevalx.errors import NoTopicsError, Warn
from irevalx.evaluation.chosen_topics import TopicCounts
from irevalx.evaluation.columns import population_of_values
from irevalx.evaluation.topic_values import TopicValues, little_judged, values_of, without_value
from irevalx.frozen import Frozen, replace
from irevalx.judgments.graded import Judgments
from irevalx.measures.declare import Measure
from irevalx.measures.select import Selection
from irevalx.measures.summary import Population, Total
from irevalx.reading.runs import Results
from irevalx.settings import Settings

NamedMeasures: TypeAlias = "Sequence[tuple[str, Measure]]"
"""The names that values are printed under, in print order, each with its measure."""

N_COUNTED = 5
"""How many counts come before those that each name has one of."""


def named_measures(selection: Selection) -> NamedMeasures:
    """Return the names that a selection prints, each with its measure."""
    return [(name, selected.measure) for selected in selection.measures for name in selected.names]


def computable(
    selection: Selection, highest_grade: int, settings: Settings, warn: Warn = lambda line: None
) -> Selection:
    """Return what of a selection has numbers as values, and is allowed by the judgments.

    Parameters
    ----------
    highest_grade : of all judgments; it stands for them.
    warn : told which measures are left out; of texts only those that were asked for by name.

    Raises
    ------
    EvaluationError : as ``values_of``, of measures.
    """
    by_name = {one.measure for mention, several in selection.mentions if mention.spelling for one in several}
    texts = [one.measure for one in selection.measures if one.measure.number == "text"]
    for measure in dict.fromkeys(texts):
        if measure in by_name:
            warn(f"{measure.name} is left out: its values are texts")
    selection = replace(selection, measures=tuple(one for one in selection.measures if one.measure not in texts))
    rows, nobody = Segments.of_lengths([1]), Names.of([b""])
    judgments = Judgments("qrels", (b"",), rows, nobody, np.array([highest_grade]), np.zeros(1, np.int64))
    found = values_of(judgments, [], selection, settings)
    for misfit in found.misfits:
        warn(f"{misfit}; it is left out")
    allowed = {column.name for column in found.columns}
    return replace(selection, measures=tuple(one for one in selection.measures if allowed.issuperset(one.names)))


class Part(Frozen):
    """What runs score in some topics.

    Parameters
    ----------
    run : shape (n,); the number of the run, from 0 up.
    topics : n.
    values : shape (n, n_names).
    has_value : shape (n, n_names); where it is false, ``values`` means nothing.
    of_runs : shape (n_runs, N_COUNTED + n_names); topics retrieved, those of them without judgments, documents among
        the first ten of topics, those of them that were judged, scores that are no finite numbers; and per name the
        documents that the reading makes relevant, where ``-c`` counts them.
    of_judgments : shape (N_COUNTED + n_names,); judged topics, relevant judgments, and nothing; and per name the judged
        topics with a value, where not all have one.
    """

    run: IntArray
    topics: tuple[bytes, ...]
    values: FloatArray
    has_value: BoolArray
    of_runs: IntArray
    of_judgments: IntArray

    @classmethod
    def of(cls, judgments: Judgments, runs: Sequence[Results], selection: Selection, settings: Settings) -> Part:
        """Evaluate runs in the topics of a part, for measures that these judgments allow.

        Raises
        ------
        EvaluationError : as ``values_of``.
        """
        found = values_of(judgments, runs, selection, settings)
        shape = len(found.topics), len(found.columns)
        values, has_value = np.zeros(shape), np.zeros(shape, np.bool_)
        for place, column in enumerate(found.columns):
            if column.values is not None:
                values[:, place] = column.values
                has_value[:, place] = True if column.has_value is None else column.has_value
        with_value = [column.n_judged_with_value or 0 for column in found.columns]
        of_judgments = [len(judgments.topics), judgments.n_relevant, 0, 0, 0, *with_value]
        return cls(found.run, found.topics, values, has_value, _counts(found, runs), np.array(of_judgments, np.int64))


def _counts(found: TopicValues, runs: Sequence[Results]) -> IntArray:
    """Return what is counted of runs, as ``Part`` has it."""
    counts = np.zeros((len(runs), N_COUNTED + len(found.columns)), np.int64)
    for number, (topics, results) in enumerate(zip(found.counts, runs, strict=True)):
        counts[number, [0, 1, 4]] = topics.retrieved, topics.unjudged, results.odd.count
    if found.top_judged is not None:
        np.add.at(counts[:, 2], found.run, found.top_judged.retrieved)
        np.add.at(counts[:, 3], found.run, found.top_judged.judged)
    for place, column in enumerate(found.columns):
        if column.more_relevant is not None:
            np.add.at(counts[:, N_COUNTED + place], found.run, column.more_relevant)
    return counts


class Fold:
    """What the topics of a run come to, as far as they have been added.

    Attributes
    ----------
    n_topics : how many of them there are.
    totals : per name, of the values.
    n_with_value : shape (n_names,); how many values there are.
    counts : shape (N_COUNTED + n_names,).
    """

    def __init__(self, measures: NamedMeasures) -> None:
        self._summaries = [measure.summary for _, measure in measures]
        self.n_topics = 0
        self.totals: list[Total] = [summary.start if summary else 0 for summary in self._summaries]
        self.n_with_value = np.zeros(len(measures), np.int64)
        self.counts = np.zeros(N_COUNTED + len(measures), np.int64)

    def add(self, values: FloatArray, has_value: BoolArray) -> None:
        """Add the topics that come next, of the shapes of ``Part``."""
        self.n_topics += len(values)
        self.n_with_value += np.count_nonzero(has_value, axis=0)
        with np.errstate(all="ignore"):
            for place, summary in enumerate(self._summaries):
                if summary:
                    these = values[has_value[:, place], place]
                    self.totals[place] = summary.add(self.totals[place], these)


class WholeRun(Frozen):
    """What all topics of a run come to, as ``Fold`` has it, in Python's numbers.

    Parameters
    ----------
    name : of the run.
    """

    name: str
    n_topics: int
    totals: Sequence[Total]
    n_with_value: Sequence[int]
    counts: Sequence[int]

    def all_row(
        self, measures: NamedMeasures, of_judgments: Sequence[int], settings: Settings
    ) -> Iterator[tuple[str, float]]:
        """Yield the values of the `all` row, each with its name.

        Parameters
        ----------
        of_judgments : of all parts together, as ``Part`` has it.
        """
        n_judged, n_relevant = of_judgments[:2]
        population = Population(
            tag=self.name.encode(),
            n_topics=n_judged if settings.complete else self.n_topics,
            n_evaluated=self.n_topics,
            n_relevant=n_relevant if settings.complete else None,
        )
        more_relevant, judged_with_value = self.counts[N_COUNTED:], of_judgments[N_COUNTED:]
        for place, (name, measure) in enumerate(measures):
            of_these = population_of_values(
                population,
                complete=settings.complete,
                more_relevant=more_relevant[place],
                n_with_value=self.n_with_value[place] if measure.has_value else None,
                n_judged_with_value=judged_with_value[place],
            )
            if measure.summary:
                with np.errstate(all="ignore"):
                    yield name, float(measure.summary.finish(self.totals[place], of_these))

    def warnings(self, measures: NamedMeasures, of_judgments: Sequence[int], settings: Settings) -> Iterator[str]:
        """Yield what is said of the run, a line each."""
        retrieved, unjudged, first, judged, odd = self.counts[:N_COUNTED]
        n_judged = of_judgments[0]
        topics = TopicCounts(n_judged, n_judged - (retrieved - unjudged), retrieved, unjudged)
        n_without = [
            (measure.name, self.n_topics - n_with_value)
            for (_, measure), n_with_value in zip(measures, self.n_with_value, strict=True)
            if measure.has_value
        ]
        lines = [
            f"scores must be finite numbers, but {odd} {'is' if odd == 1 else 'are'} not" if odd else None,
            topics.left_out(complete=settings.complete) if settings.topic is None else None,
            little_judged(first, judged),
            *without_value(self.n_topics, n_without),
        ]
        return (f"{self.name}: {line}" for line in lines if line)


def all_rows(
    runs: Iterable[WholeRun], measures: NamedMeasures, of_judgments: Sequence[int], settings: Settings, warn: Warn
) -> list[tuple[str, str, float]]:
    """Return the `all` rows: run, name and value, by ascending run, names in print order.

    Parameters
    ----------
    of_judgments : of all parts together, as ``Part`` has it.
    warn : told what is to be said of the runs.

    Raises
    ------
    NoTopicsError : no topic of a run could be evaluated.
    """
    found = []
    for run in sorted(runs, key=lambda run: run.name.encode()):
        for line in run.warnings(measures, of_judgments, settings):
            warn(line)
        if not run.n_topics:
            raise NoTopicsError(f"at least one topic must have both judgments and results, but {run.name} has none")
        found += [(run.name, name, value) for name, value in run.all_row(measures, of_judgments, settings)]
    return found
