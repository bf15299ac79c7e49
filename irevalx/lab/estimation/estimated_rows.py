"""Rows of estimates: what tables have, and what the figure draws."""

from __future__ import annotations

from typing import TypeAlias

from irevalx.frozen import Frozen


class EstimatedScore(Frozen, kw_only=True):
    """The mean of a run, or the mean difference of two runs.

    Parameters
    ----------
    against : the other run; None for the mean of a run. ``differ`` and all p-values are of differences only.
    estimate, low, high, standard_error : with machine labels; the interval is nan where the error is 0.
    lambda_ : the weight of the machine's labels.
    classical, classical_low, classical_high : from the human topics alone.
    correlation : of human and machine values over topics; nan where one of them is constant.
    human_topics, machine_topics : numbers of topics.
    effective_topics : how many human topics alone would have this standard error; nan where it is 0.
    p, corrected_p : of the difference, before and after correction for the number of comparisons of the measure.
    differ : whether the corrected p-value is below alpha.
    simultaneous_low, simultaneous_high : an interval that holds for all differences at once; nan where there is none.
    """

    measure: str
    run: str
    against: str | None
    estimate: float
    low: float
    high: float
    standard_error: float
    lambda_: float
    classical: float
    classical_low: float
    classical_high: float
    correlation: float
    human_topics: int
    machine_topics: int
    effective_topics: float
    p: float | None
    corrected_p: float | None
    differ: bool | None
    simultaneous_low: float | None
    simultaneous_high: float | None


class SampledScore(Frozen, kw_only=True):
    """The same from labels that people gave to a random sample of the documents of each topic.

    Parameters
    ----------
    against, p, corrected_p, differ, simultaneous_low, simultaneous_high : as ``EstimatedScore`` has them.
    estimate, low, high, standard_error : with machine labels; over the draws of topics and of documents.
    document_error : the part of the standard error that is over the draws of documents: all of it, if the topics are
        all that there are.
    lambda_ : the weight of the machine's labels of documents that could be drawn.
    classical, classical_low, classical_high : from the sample alone.
    machine : from the machine's labels alone.
    topics, documents : numbers of topics, and of documents that people labelled.
    effective_documents : how many documents people would have to label for this document error, if they were alone;
        nan where it is 0.
    """

    measure: str
    run: str
    against: str | None
    estimate: float
    low: float
    high: float
    standard_error: float
    document_error: float
    lambda_: float
    classical: float
    classical_low: float
    classical_high: float
    machine: float
    topics: int
    documents: int
    effective_documents: float
    p: float | None
    corrected_p: float | None
    differ: bool | None
    simultaneous_low: float | None
    simultaneous_high: float | None


EstimatedRow: TypeAlias = EstimatedScore | SampledScore
