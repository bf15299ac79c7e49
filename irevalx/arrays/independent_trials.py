"""Independent trials, each with a probability of success of its own: what their number of successes says of them.

The number of successes is distributed as a Poisson binomial. Trials are taken one after the other, and what is known of
those so far is kept for each number of successes: all terms are at least 0, so that nothing cancels.
"""

from __future__ import annotations

import numpy as np

from irevalx.arrays.segments import FloatArray


def successes(p: FloatArray) -> FloatArray:
    """Return the probabilities of 0, 1, ... successes: shape (n + 1,).

    Parameters
    ----------
    p : shape (n,); of success, from 0 to 1.
    """
    return _taken(p, np.zeros(p.size), 0.0)[0]


def weighted_successes(p: FloatArray, weight: FloatArray) -> FloatArray:
    """Return the expected sum of the weights of the successful trials where 0, 1, ... are: shape (n + 1,).

    Each is multiplied by the probability that so many are, so that all add up to the expected sum.

    Parameters
    ----------
    p, weight : shape (n,).
    """
    return _taken(p, weight, 0.0)[1]


def running_successes(p: FloatArray, weight: FloatArray) -> FloatArray:
    """Return what ``weighted_successes`` does, each weight times the number of successes up to and including its trial.

    Parameters
    ----------
    p, weight : shape (n,).
    """
    return _taken(p, weight, 1.0)[1]


def _taken(p: FloatArray, weight: FloatArray, of_before: float) -> tuple[FloatArray, FloatArray]:
    """Take all trials.

    Parameters
    ----------
    of_before : what each success before a trial adds to the factor of its weight, which is 1 without any.

    Returns
    -------
    chance : by the number of successes, its probability; shape (n + 1,).
    total : the expected sum of weights times factors where so many are.
    """
    known = np.zeros((3, p.size + 1))  # chance, the expected number of successes so far, total
    known[0, 0] = 1.0
    for number, (success, worth) in enumerate(zip(p.tolist(), weight.tolist(), strict=True)):
        before = known[:, : number + 1].copy()
        known[:, : number + 1] *= 1.0 - success
        before[2] += worth * (before[0] + of_before * before[1])
        before[1] += before[0]
        known[:, 1 : number + 2] += success * before
    return known[0], known[2]
