"""Estimates of the prevalence of relevant documents from the labels of a judge with errors.

The shape of counts is (..., 6). The first four columns count documents with a human label: relevant to neither judge,
only to the machine, only to the human judge, and to both. The last two columns count documents without a human label:
not relevant to the machine, and relevant to the machine.

Sources: Rogan and Gladen, Estimating Prevalence from the Results of a Screening Test, American Journal of Epidemiology
107, 1978; Angelopoulos, Duchi and Zrnic, PPI++: Efficient Prediction-Powered Inference, arXiv 2311.01453, 2023.
"""

from __future__ import annotations

import numpy as np

from irevalx.arrays.segments import FloatArray
from irevalx.statistics.correlations import divided

N_COUNTS = 6


def corrected_prevalence(apparent: FloatArray, sensitivity: FloatArray, specificity: FloatArray) -> FloatArray:
    """Return Rogan and Gladen's estimate of the prevalence in [0, 1], or nan if the labels contain no information."""
    informed = sensitivity + specificity - 1
    estimate = divided(apparent + specificity - 1, np.where(informed > 0, informed, 0.0))
    return np.clip(estimate, 0.0, 1.0)


def powered_prevalence(counts: FloatArray) -> FloatArray:
    """Return the prediction-powered estimate of the prevalence in [0, 1], with the weight of least variance."""
    neither, only_machine, only_human, both, other_0, other_1 = np.moveaxis(counts, -1, 0)
    n, n_others = neither + only_machine + only_human + both, other_0 + other_1
    human, machine = divided(only_human + both, n), divided(only_machine + both, n)
    covariance = divided(both, n) - human * machine
    n_all, n_relevant = n + n_others, only_machine + both + other_1
    variance = divided(n_relevant * (n_all - n_relevant), n_all * (n_all - 1))  # with n - 1 degrees of freedom
    weight = np.clip(np.nan_to_num(divided(covariance, (1 + divided(n, n_others)) * variance)), 0.0, 1.0)
    others = np.where(n_others > 0, divided(other_1, n_others), machine)
    return np.clip(human + weight * (others - machine), 0.0, 1.0)


def prevalences(counts: FloatArray) -> dict[str, FloatArray]:
    """Return the error rates and the estimates of the prevalence.

    The shape of the values is (...).
    """
    neither, only_machine, only_human, both, _, other_1 = np.moveaxis(counts, -1, 0)
    sensitivity, specificity = divided(both, only_human + both), divided(neither, neither + only_machine)
    apparent = divided(only_machine + both + other_1, counts.sum(axis=-1))
    return {
        "sensitivity": sensitivity,
        "specificity": specificity,
        "prevalence_machine": apparent,
        "prevalence_human": divided(only_human + both, neither + only_machine + only_human + both),
        "prevalence_corrected": corrected_prevalence(apparent, sensitivity, specificity),
        "prevalence_powered": powered_prevalence(counts),
    }
