"""Sampling designs, which select the documents that human assessors should label, by strata."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from fractions import Fraction
from functools import partial
from typing import NamedTuple

import numpy as np

from irevalx.api.custom_measures import Measures
from irevalx.api.inputs import GivenQrels, Pool, Qrels, Runs
from irevalx.arrays.codes import ABSENT, UNJUDGED_IN_FILES
from irevalx.arrays.segments import BoolArray, FloatArray, IntArray
from irevalx.errors import InputError, UsageError, warn
from irevalx.experiments.labels import LabelReading, PairedLabels
from irevalx.experiments.pools import pool_of_documents
from irevalx.experiments.prepared_runs import prepare_graded_runs
from irevalx.experiments.ranked_runs import EvaluationRules
from irevalx.experiments.samples import RandomOrder
from irevalx.experiments.seeds_and_shares import chosen_seed
from irevalx.experiments.strata import SCHEME, Design, StrataSample, Stratum, best_ranks
from irevalx.experiments.weighted_measures import WeightedMeasure, counted_documents
from irevalx.frozen import Frozen, replace
from irevalx.judgments.graded import Judgments
from irevalx.lab.command.output import Result
from irevalx.lab.estimation.document_samples import SAMPLES, LabelledSample, measures_by_document
from irevalx.reports.table import Table
from irevalx.wording import invalid_value, spelled

BANDS = ((5, 10, 20, 50, 100), (10, 100), ())
"""The last rank of each range of ranks; all further ranks form another range. Later tuples are for few documents."""

NEGLIGIBLE = 1e-4
"""The share of the largest weight below which documents belong to no stratum and keep their machine labels."""

_PARTS = 1_000_000
"""The denominator of rates. Rates are percentages with four decimals."""


class StratumRow(NamedTuple):
    """A stratum with its sampling rate: the documents with the same machine grade and best ranks in the same range."""

    stratum: str
    grade: int  # the machine grade
    first_rank: int  # the first best rank in any run
    last_rank: int | None  # the last best rank; None for all further ranks
    documents: int  # the number of documents in all topics
    rate: float  # the share of each topic's documents that is drawn, but at least one document
    drawn: int  # the number of drawn documents in all topics


class LabellingDesign(Result):
    """The result of ``estimate`` with ``design``. ``rows`` contains the strata, and ``pool`` a sample to judge."""

    rows: Sequence[StratumRow]
    strata: str  # the names and the rates, as in ``degrade(strata=...)``
    text: bytes  # the file of the strata, with lines ``TOPIC DOCNO STRATUM``
    pool: Pool  # the documents that are drawn with the seed
    seed: int  # the random seed, with which ``degrade`` draws the same documents

    @property
    def rates(self) -> bytes:
        """The content of the file for ``degrade(rates=...)``, with a line STRATUM RATE for each stratum."""
        return "".join(f"{part.replace(':', ' ')}\n" for part in self.strata.split()).encode()

    def tables(self) -> list[Table]:
        """Return the table of ``rows``."""
        return [Table.of("strata to label", StratumRow, self.rows)]


def design_of(
    human: GivenQrels | None,
    machine: GivenQrels,
    runs: Runs,
    measures: Measures,
    n: int,
    *,
    rules: EvaluationRules,
    seed: int | None,
    reading: LabelReading,
) -> LabellingDesign:
    """Return a sampling design of at most ``n`` documents. See ``estimate`` for the keywords."""
    form = rules.rel_format
    theirs = reading.machine(machine).grades
    if human is None:
        ours = replace(theirs, grades=np.full_like(theirs.grades, UNJUDGED_IN_FILES))
    else:
        form = human.rel_format if isinstance(human, Qrels) else form
        of_form = replace(reading, rel_format=form)
        ours = LabelledSample.of(human, form).labels if form in SAMPLES else of_form.human(human).grades
    weighted = measures_by_document(measures, rules.settings, ours, theirs)
    if len(weighted) > 1:
        raise UsageError(f"a design requires a single measure, not {len(weighted)} ({spelled('measures')})")
    labels = PairedLabels.of(ours, theirs, theirs.topics)
    known = labels.human
    experiment = prepare_graded_runs(labels.judgments, runs, "P.10", rules).ranked()
    row, _, weight = counted_documents(experiment.ranking, weighted[0])
    squares = np.bincount(row, weight**2, known.size).astype(np.float64)
    counted = np.flatnonzero((squares > NEGLIGIBLE**2 * squares.max(initial=0)) & (labels.machine >= 0))
    is_open = known[counted] < 0
    if not is_open.any():
        raise InputError("no document at a rank that counts has a machine label but no human label")
    frame = counted[is_open]
    best = best_ranks(experiment.ranking, known.size)[counted]
    errors = np.where(is_open, 0.0, _errors(weighted[0], known[counted], labels.machine[counted]))
    documents = _Documents(
        labels.machine[counted], best, labels.judgments.rows.ids[counted], squares[counted], errors, is_open
    )
    for edges in BANDS:
        strata = _Strata(documents, edges, weighted[0].depth)
        if n >= np.count_nonzero(strata.sizes):
            break
    else:
        least = np.count_nonzero(strata.sizes)
        raise UsageError(invalid_value("design", f"at least {least}, one document of each topic and grade", n))
    if n > frame.size:
        warn(f"a design of {n} documents contains all {frame.size} documents that count and have no human label")
    return _designed(labels.judgments, frame, strata, strata.rates(n), chosen_seed(seed))


def _errors(measure: WeightedMeasure, human: IntArray, machine: IntArray) -> FloatArray:
    """Return the squared errors of the machine's gains, divided by the largest possible squared error."""
    gains = (measure.gains(np.maximum(grades, 0)) for grades in (human, machine))
    errors: FloatArray = np.subtract(*gains) ** 2 / (measure.greatest_gain or 1.0) ** 2
    return errors


class _Documents(Frozen):
    """The documents that affect measures and have a machine label. The shape of arrays is (n_documents,)."""

    grade: IntArray  # the machine grade
    best: IntArray  # the best rank in any run
    topic: IntArray
    squares: FloatArray  # the sums of squared weights over runs
    errors: FloatArray  # the squared machine errors; 0 for documents without a human label
    is_open: BoolArray  # whether the document has no human label


class _Strata:
    """Strata of the documents without human labels, by grade and range of ranks, down to the rank ``depth``."""

    def __init__(self, documents: _Documents, edges: tuple[int, ...], depth: int | None) -> None:
        n_bands = len(edges) + 1
        key = documents.grade * n_bands + np.searchsorted(edges, documents.best)
        kinds, self.stratum = np.unique(key[documents.is_open], return_inverse=True)
        topic, n_topics = documents.topic[documents.is_open], int(documents.topic.max()) + 1
        self.sizes = np.bincount(topic * kinds.size + self.stratum, minlength=n_topics * kinds.size).reshape(
            n_topics, -1
        )
        """The number of documents of each stratum and topic. The shape is (n_topics, n_strata)."""

        errors, labelled = (
            np.bincount(key, weights, int(key.max()) + 1)[kinds] for weights in (documents.errors, ~documents.is_open)
        )
        # Neyman, Journal of the Royal Statistical Society 1934: rates are proportional to the standard deviation of
        # what machine errors add to the values. The error of a stratum is estimated from its documents with human
        # labels, plus one document with the largest error. Without such documents, all strata have the same error.
        squares = np.bincount(self.stratum, documents.squares[documents.is_open]) / self.sizes.sum(axis=0)
        self.spread = np.sqrt(squares * (errors + 1) / (labelled + 1))
        """The standard deviation of the errors in each stratum. The shape is (n_strata,)."""

        ends = [*edges, depth]
        self.bands = [
            (grade, edges[band - 1] + 1 if band else 1, min(filter(None, (ends[band], depth)), default=None))
            for grade, band in (divmod(kind, n_bands) for kind in kinds.tolist())
        ]
        """The grade, the first rank and the last rank of each stratum."""

    def drawn(self, rates: Sequence[int]) -> list[int]:
        """Return the number of documents that ``StrataSample.drawn`` draws from each stratum at these rates."""
        rounded = (2 * np.array(rates) * self.sizes + _PARTS) // (2 * _PARTS)  # rounded half up
        numbers: list[int] = np.where(self.sizes, np.maximum(rounded, 1), 0).sum(axis=0).tolist()
        return numbers

    def rates(self, n: int) -> list[int]:
        """Return the sampling rates of the largest sample of at most ``n`` documents, in units of 1/``_PARTS``."""
        low, high = 0.0, _PARTS / self.spread.min()
        for _ in range(64):
            middle = (low + high) / 2
            low, high = (middle, high) if sum(self.drawn(self._proportional(middle))) <= n else (low, middle)
        rates = self._proportional(low)
        for place in np.argsort(
            -self.spread, kind="stable"
        ).tolist():  # rounding can leave documents of the budget unused
            fits = partial(self._fits, n, rates, place)
            rates[place] = max(rates[place], bisect_left(range(1, _PARTS + 1), True, key=lambda rate: not fits(rate)))
        return rates

    def _proportional(self, factor: float) -> list[int]:
        """Return rates that are proportional to ``spread``."""
        rates: list[int] = np.clip(factor * self.spread, 1, _PARTS).astype(np.int64).tolist()
        return rates

    def _fits(self, n: int, rates: Sequence[int], place: int, rate: int) -> bool:
        """Return whether at most ``n`` documents are drawn if the stratum at ``place`` is drawn with ``rate``."""
        return sum(self.drawn([*rates[:place], rate, *rates[place + 1 :]])) <= n


def _designed(
    judgments: Judgments, frame: IntArray, strata: _Strata, rates: Sequence[int], seed: int
) -> LabellingDesign:
    """Name the strata, and draw the sample that ``degrade`` would draw from the machine labels."""
    names = [f"grade{grade}-rank{first}{f'-{last}' if last else '+'}" for grade, first, last in strata.bands]
    n_of_stratum = strata.sizes.sum(axis=0).tolist()
    rows = [
        StratumRow(
            stratum=name,
            grade=grade,
            first_rank=first,
            last_rank=last,
            documents=documents,
            rate=rate / _PARTS,
            drawn=drawn,
        )
        for name, (grade, first, last), documents, rate, drawn in zip(
            names, strata.bands, n_of_stratum, rates, strata.drawn(rates), strict=True
        )
    ]
    design = Design(
        "names", tuple(Stratum(name, Fraction(rate, _PARTS)) for name, rate in zip(names, rates, strict=True))
    )
    stratum = np.full(judgments.rows.size, ABSENT)
    stratum[frame] = strata.stratum
    in_sample = StrataSample.drawn(design, judgments, stratum, RandomOrder(judgments, seed, SCHEME)).in_sample
    topics = [judgments.topics[topic] for topic in judgments.rows.ids[frame].tolist()]
    docnos = judgments.docnos.take(frame).texts()
    lines = [
        b"%s %s %s\n" % (topic, docno, names[number].encode())
        for topic, docno, number in zip(topics, docnos, strata.stratum.tolist(), strict=True)
    ]
    drawn: dict[bytes, list[bytes]] = {}
    for topic, docno, is_drawn in zip(topics, docnos, in_sample[frame].tolist(), strict=True):
        if is_drawn:
            drawn.setdefault(topic, []).append(docno)
    return LabellingDesign(
        rows,
        " ".join(f"{name}:{rate * 100 / _PARTS:.4f}%" for name, rate in zip(names, rates, strict=True)),
        b"".join(lines),
        Pool(replace(pool_of_documents(drawn), path="the design")),
        seed,
        notes=(f"{sum(row.drawn for row in rows)} documents of {len(drawn)} topics are drawn.",),
    )
