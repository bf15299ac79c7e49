"""A row of estimates: what the table has, and what the figure draws."""

from __future__ import annotations

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
