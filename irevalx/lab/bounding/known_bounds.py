"""Bounds of the scores of evaluated runs, for measures with proven bounds."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from contextlib import suppress

from irevalx.api.user_warnings import IrevalxWarning
from irevalx.errors import NoTopicsError, UsageError
from irevalx.experiments.user_data import OpenedRuns
from irevalx.experiments.weighted_measures import WeightedMeasure, weighted_measures
from irevalx.judgments.graded import Judgments
from irevalx.lab.bounding.bounded_scores import weighted_scores
from irevalx.lab.bounding.score_bounds import WeightedScores
from irevalx.measures.select import RequestedMeasure
from irevalx.settings import Settings


def known_bounds(
    judgments: Judgments, opened: OpenedRuns, requests: Sequence[RequestedMeasure], settings: Settings, threads: int
) -> list[WeightedScores]:
    """Return the scores of runs under the requested measures that are sums over ranks."""
    default = settings.ties == "name" and settings.duplicates == "error" and not settings.ignore_identical_ids
    if not default or settings.grades != "whole":
        return []
    level, known = int(settings.level), set(judgments.grades[judgments.grades >= 0].tolist())
    weighted: list[WeightedMeasure] = []
    for request in requests:
        with suppress(UsageError):  # it is not a sum over ranks
            weighted += weighted_measures([request], level, known, max(known, default=0))
    if not weighted:
        return []
    with warnings.catch_warnings(), suppress(NoTopicsError):  # that every run has
        warnings.simplefilter("ignore", IrevalxWarning)  # the evaluation has warned already
        return weighted_scores(
            judgments, opened, weighted, level=level, complete=settings.complete, threads=threads, least_runs=1
        )[0]
    return []
