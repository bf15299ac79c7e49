"""Scores and differences of runs from labels that people gave to a random sample of the documents of each topic."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from irevalx.api.inputs import GivenQrels, Runs
from irevalx.api.own_measures import Measures
from irevalx.api.user_warnings import warn
from irevalx.experiments.user_data import labels_of
from irevalx.lab.estimation.document_labels import LabelledSample, RankedLabels, SumOfRuns, measures_by_document
from irevalx.lab.estimation.estimated_rows import SampledScore
from irevalx.lab.estimation.estimated_tables import EstimatedFromDocuments, pairs_to_compare
from irevalx.reading.formats import QRELS
from irevalx.statistics.corrections import CORRECTIONS
from irevalx.statistics.two_stage import FEW_TOPICS

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from irevalx.experiments.user_data import Evaluating


def estimates_from_documents(
    human: GivenQrels,
    machine: GivenQrels,
    runs: Runs,
    measures: Measures,
    *,
    baseline: str | None,
    correction: str,
    weight: float | None,
    alpha: float,
    labels_format: str | None,
    **options: Unpack[Evaluating],
) -> EstimatedFromDocuments:
    """Correct the machine's scores document by document; keywords are those of ``estimate``, with their full names.

    Raises
    ------
    UsageError : a measure is no sum over ranks of weight times gain, or the baseline is none of the runs.
    InputError : fewer than two topics have labels of both.
    IrevalxError : as ``irevalx.evaluate``.
    """
    sample = LabelledSample.of(human, options.pop("rel_format"))
    theirs = labels_of(machine, labels_format or QRELS.name)
    weighted = measures_by_document(measures, options["level"], sample.labels, theirs)
    ranked = RankedLabels.of(sample, theirs, runs, **options)
    pairs = pairs_to_compare(ranked.experiment.runs, baseline)
    rows: list[SampledScore] = []
    for measure in weighted:
        sums = ranked.sum_of(measure)
        if sums.uncovered:
            warn(
                f"{sums.name}: {sums.uncovered} documents that count could not be drawn: the machine's labels stand "
                "for them, and the sample alone takes them for nonrelevant"
            )
        rows += _rows(sums, ranked.experiment.runs, pairs, weight=weight, alpha=alpha, correction=correction)
    for line in _warnings(rows):
        warn(line)
    return EstimatedFromDocuments(rows, alpha, correction, notes=ranked.experiment.notes())


def _rows(
    sums: SumOfRuns,
    runs: Sequence[str],
    pairs: Sequence[tuple[int, int]],
    *,
    weight: float | None,
    alpha: float,
    correction: str,
) -> Iterator[SampledScore]:
    """Yield a row for each run, then for each pair."""
    about: list[tuple[int, int | None]] = [*((run, None) for run in range(len(runs))), *pairs]
    found = [sums.estimated(run, against, weight) for run, against in about]
    corrected = np.concatenate(
        (np.full(len(runs), np.nan), CORRECTIONS[correction](np.array([one.p for one in found[len(runs) :]])))
    )
    for (run, against), one, corrected_p in zip(about, found, corrected.tolist(), strict=True):
        is_pair, holds_together = against is not None, against is not None and correction == "bonferroni"
        low_of_all, high_of_all = one.interval(alpha / max(1, len(pairs)))
        low, high = one.interval(alpha)
        classical_low, classical_high = one.classical_interval(alpha)
        yield SampledScore(
            measure=sums.name,
            run=runs[run],
            against=None if against is None else runs[against],
            estimate=one.estimate,
            low=low,
            high=high,
            standard_error=one.standard_error,
            document_error=one.document_error,
            lambda_=one.weight,
            classical=one.classical,
            classical_low=classical_low,
            classical_high=classical_high,
            machine=one.machine,
            topics=one.n_topics,
            documents=sums.drawn.topic.size,
            effective_documents=sums.drawn.topic.size * one.document_gain,
            p=one.p if is_pair else None,
            corrected_p=corrected_p if is_pair else None,
            differ=corrected_p < alpha if is_pair else None,
            simultaneous_low=low_of_all if holds_together else None,
            simultaneous_high=high_of_all if holds_together else None,
        )


def _warnings(rows: Sequence[SampledScore]) -> Iterator[str]:
    """Yield what people should know before they believe the numbers."""
    if rows[0].topics < FEW_TOPICS:
        yield (f"an interval of so few topics ({rows[0].topics}, below {FEW_TOPICS}) may be too short, and p too small")
    if constant := sum(row.standard_error == 0 and row.estimate != 0 for row in rows):
        yield f"all topics have the same estimate in {constant} of {len(rows)} rows, which have no interval therefore"
