"""How good probabilities of relevance are, given which documents are relevant."""

from __future__ import annotations

import numpy as np

from irevalx.arrays.segments import BoolArray, FloatArray

N_BINS = 10
"""Bins of equal width from 0 to 1."""


def squared_errors(probability: FloatArray, relevant: BoolArray) -> FloatArray:
    """Return the squared distance of each probability from 1 or 0; their mean is the Brier score."""
    errors: FloatArray = (probability - relevant) ** 2
    return errors


def calibration_error(probability: FloatArray, relevant: BoolArray) -> float:
    """Return the expected calibration error: how far, in bins of probabilities, their mean is from what is relevant.

    The mean of the absolute distances, each bin weighing as it has documents; nan without any. With few documents it
    is above 0 for good probabilities too.

    Notes
    -----
    Source: Naeini, Cooper and Hauskrecht, Obtaining Well Calibrated Probabilities Using Bayesian Binning, AAAI 2015.
    """
    if not probability.size:
        return float("nan")
    bins = np.minimum((probability * N_BINS).astype(np.int64), N_BINS - 1)
    off = np.abs(np.bincount(bins, weights=probability - relevant, minlength=N_BINS))
    return float(off.sum() / probability.size)
