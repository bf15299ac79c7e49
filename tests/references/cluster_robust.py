"""The cluster-robust variance CR2 of a mean with its degrees of freedom, computed from the definition."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np


def cluster_robust(names: Sequence[Hashable], d: Sequence[float]) -> tuple[float, float]:
    """Return the CR2 variance of a mean and its degrees of freedom, from the matrices of the regression on a constant.

    The hat matrix is X (X'X)^-1 X'. The residuals of a cluster are multiplied by the matrix (I - H_gg)^-1/2. The
    estimate is the sum of the quadratic forms g' e e' g of all clusters. The degrees of freedom are those of the
    chi-square distribution with the same mean and variance: (sum of eigenvalues)^2 / sum of their squares.
    """
    n_topics, clusters = len(d), dict.fromkeys(names)
    x = np.ones((n_topics, 1))
    bread = np.linalg.inv(x.T @ x)
    hat = x @ bread @ x.T
    maker = np.eye(n_topics) - hat
    residuals = maker @ np.array(d)
    forms, variance = [], 0.0
    for cluster in clusters:
        rows = [place for place, name in enumerate(names) if name == cluster]
        values, vectors = np.linalg.eigh(np.eye(len(rows)) - hat[np.ix_(rows, rows)])
        adjustment = vectors @ np.diag([value**-0.5 for value in values]) @ vectors.T
        weights = bread @ x[rows].T @ adjustment
        variance += float(((weights @ residuals[rows]) ** 2)[0])
        forms.append((weights @ maker[rows])[0])
    inner = np.array([[float(form @ other) for other in forms] for form in forms])
    eigenvalues = np.linalg.eigvalsh(inner)
    return variance, float(eigenvalues.sum() ** 2 / (eigenvalues**2).sum())
