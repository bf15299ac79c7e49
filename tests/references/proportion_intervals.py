"""Literal computation of confidence intervals for proportions and for chance-corrected coefficients over topics."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from scipy import stats

Table = Sequence[Sequence[float]]
"""The numbers of documents by human and machine label."""


def effective_number(successes: Sequence[float], units: Sequence[float], raw: float | None = None) -> float:
    """Return the effective number of units, which accounts for the dependence of units in a topic."""
    pairs = [(x, n) for x, n in zip(successes, units, strict=True) if n > 0]
    k, total = len(pairs), sum(n for _, n in pairs)
    share = sum(x for x, _ in pairs) / total
    if share in {0, 1}:
        raw = 0
    elif raw is None:
        raw = k / (k - 1) * sum((x - share * n) ** 2 for x, n in pairs) / (total * share * (1 - share))
    c = min(sum(x < n for x, n in pairs), sum(x > 0 for x, _ in pairs))
    g = 1 / (1 + c)
    m2 = sum(n * n for _, n in pairs) / total
    return total / max(1, (1 - g) * raw + g * (1 + (m2 - 1) / 2))


def proportion(
    successes: Sequence[float], units: Sequence[float], confidence: float = 0.95, raw: float | None = None
) -> tuple[float, float]:
    """Return Wilson's interval for the effective number of units."""
    share = sum(successes) / sum(units)
    n = effective_number(successes, units, raw)
    q = stats.t.ppf((1 + confidence) / 2, sum(each > 0 for each in units) - 1)
    centre = (share + q * q / (2 * n)) / (1 + q * q / n)
    half = q / (1 + q * q / n) * math.sqrt(share * (1 - share) / n + q * q / (4 * n * n))
    return centre - half, centre + half


def added(tables: Sequence[Table]) -> list[list[float]]:
    """Return the sum of several tables."""
    size = range(len(tables[0]))
    return [[sum(table[a][b] for table in tables) for b in size] for a in size]


def shares_of(table: Table) -> tuple[float, list[float], list[float]]:
    """Return the fraction of agreements, and the row and column margins as fractions."""
    total, size = sum(map(sum, table)), range(len(table))
    rows = [sum(row) / total for row in table]
    columns = [sum(row[b] for row in table) / total for b in size]
    return sum(table[a][a] for a in size) / total, rows, columns


def expected_kappa(table: Table) -> float:
    """Return the expected share of disagreements of Cohen's kappa."""
    _, rows, columns = shares_of(table)
    return 1 - sum(a * b for a, b in zip(rows, columns, strict=True))


def expected_alpha(table: Table) -> float:
    """Return the expected share of disagreements of Krippendorff's nominal alpha."""
    n = 2 * sum(map(sum, table))
    _, rows, columns = shares_of(table)
    labels = [n / 2 * (a + b) for a, b in zip(rows, columns, strict=True)]
    return 1 - sum(each * (each - 1) for each in labels) / (n * (n - 1))


def expected_ac1(table: Table) -> float:
    """Return the expected share of disagreements of Gwet's AC1."""
    _, rows, columns = shares_of(table)
    middle = [(a + b) / 2 for a, b in zip(rows, columns, strict=True)]
    return 1 - sum(each * (1 - each) for each in middle) / (len(table) - 1)


EXPECTED: dict[str, Callable[[Table], float]] = {
    "kappa": expected_kappa,
    "alpha_nominal": expected_alpha,
    "ac1": expected_ac1,
}


def jackknife_error(values: Sequence[float]) -> float:
    """Return the jackknife standard error, given the values computed without each topic."""
    mean, k = sum(values) / len(values), len(values)
    return math.sqrt((k - 1) / k * sum((value - mean) ** 2 for value in values))


def coefficient(tables: Sequence[Table], name: str, confidence: float = 0.95) -> tuple[float, float]:
    """Return the confidence interval of a coefficient, given the table of each topic."""
    expected, k = EXPECTED[name], len(tables)

    def value(table: Table) -> float:
        return 1 - (1 - shares_of(table)[0]) / expected(table)

    total = added(tables)
    without = [value(added([*tables[:i], *tables[i + 1 :]])) for i in range(k)]
    units = [sum(map(sum, table)) for table in tables]
    agreed = [sum(table[a][a] for a in range(len(table))) for table in tables]
    if sum(x < n for x, n in zip(agreed, units, strict=True)) >= 5:
        half = stats.t.ppf((1 + confidence) / 2, k - 1) * jackknife_error([math.atanh(each) for each in without])
        middle = math.atanh(value(total))
        return math.tanh(middle - half), math.tanh(middle + half)
    share = shares_of(total)[0]
    raw = 0.0
    if 0 < share < 1:
        raw = (jackknife_error(without) * expected(total)) ** 2 * sum(units) / (share * (1 - share))
    low, high = proportion(agreed, units, confidence, raw)
    return tuple(1 - (1 - end) / expected(total) for end in (low, high))  # type: ignore[return-value]
