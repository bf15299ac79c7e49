"""The statistics of irevalx-lab, implemented as plain loops that share no code with irevalx.

Scores are lists with a number for each run, and the reference is first. Values are lists of topic values, one for each
run. Fractions are exact if the numbers are exact.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from hashlib import shake_256
from itertools import combinations, permutations, product

# Agreement of two scorings


def tau(x: Sequence[float], y: Sequence[float]) -> float:
    """Return Kendall's tau with ties counted as concordant."""
    concordant = discordant = 0
    for i, j in combinations(range(len(x)), 2):
        if (x[i] > x[j] and y[i] < y[j]) or (x[i] < x[j] and y[i] > y[j]):
            discordant += 1
        else:
            concordant += 1
    if concordant + discordant == 0:
        return math.nan
    return (concordant - discordant) / (concordant + discordant)


def tau_ap(x: Sequence[float], y: Sequence[float]) -> float:
    """Return tau_AP of the order by y with the reference x. Each run is compared with all runs above it in y."""
    shares = []
    for run in range(len(y)):
        above = [other for other in range(len(y)) if y[other] > y[run]]
        if above:
            shares.append(Fraction(sum(1 for other in above if x[other] > x[run]), len(above)))
    if not shares or len(set(x)) == 1:
        return math.nan
    return float(2 * sum(shares, Fraction(0)) / len(shares) - 1)


def tau_ap_b(x: Sequence[float], y: Sequence[float]) -> float:
    """Return the mean of tau_AP in both directions."""
    return (tau_ap(x, y) + tau_ap(y, x)) / 2


def rms(x: Sequence[float], y: Sequence[float]) -> float:
    """Return the root mean square of the differences between y and x."""
    return math.sqrt(math.fsum((b - a) ** 2 for a, b in zip(x, y, strict=True)) / len(x))


def bias(x: Sequence[float], y: Sequence[float]) -> float:
    """Return the mean of the differences between y and x."""
    return math.fsum(b - a for a, b in zip(x, y, strict=True)) / len(x)


def ranks(scores: Sequence[float]) -> list[int]:
    """Return the rank of each run, which is 1 plus the number of strictly better runs."""
    return [1 + sum(1 for other in scores if other > score) for score in scores]


def best(scores: Sequence[float], k: int) -> set[int]:
    """Return the k best runs, including all runs that are tied with the last one."""
    return {run for run, rank in enumerate(ranks(scores)) if rank <= k}


def overlap(x: Sequence[float], y: Sequence[float], k: int) -> Fraction:
    """Return the number of common best runs divided by the size of the larger set of best runs."""
    return Fraction(len(best(x, k) & best(y, k)), max(len(best(x, k)), len(best(y, k))))


def loss(x: Sequence[float], y: Sequence[float]) -> float:
    """Return the maximum loss in x that results from choosing a best run by y."""
    return max(max(x) - x[run] for run in range(len(x)) if y[run] == max(y))


def rank_changes(
    x: Sequence[float], y: Sequence[float], names: Sequence[str]
) -> tuple[float, tuple[int, str | None], tuple[int, str | None]]:
    """Return the mean absolute change of ranks, and the largest rise and fall, each with the run."""
    gains = [before - after for before, after in zip(ranks(x), ranks(y), strict=True)]
    rise: tuple[int, str | None] = (0, None)
    fall: tuple[int, str | None] = (0, None)
    for name, gain in sorted(zip(names, gains, strict=True)):
        if gain > rise[0]:
            rise = (gain, name)
        if -gain > fall[0]:
            fall = (-gain, name)
    return sum(abs(gain) for gain in gains) / len(gains), rise, fall


def knee(values: Sequence[float], threshold: float) -> tuple[int | None, int | None]:
    """Return the first index from which on all values exceed the threshold, and the first index of any such value."""
    above = [place for place in range(len(values)) if values[place] > threshold]
    from_here_on = [place for place in above if all(value > threshold for value in values[place:])]
    return (from_here_on[0] if from_here_on else None), (above[0] if above else None)


# Significance


def wilcoxon_exact(differences: Sequence[int]) -> Fraction:
    """Return the two-sided p-value of Wilcoxon's test, computed over all sign flips without zero differences."""
    remaining = [d for d in differences if d != 0]
    sizes = sorted(abs(d) for d in remaining)
    rank = {size: Fraction(2 * sizes.index(size) + 1 + sizes.count(size), 2) for size in sizes}
    observed = sum((rank[abs(d)] for d in remaining if d > 0), Fraction(0))
    null = [
        sum((rank[abs(d)] for d, taken in zip(remaining, signs, strict=True) if taken), Fraction(0))
        for signs in product([False, True], repeat=len(remaining))
    ]
    below = Fraction(sum(1 for value in null if value <= observed), len(null))
    above = Fraction(sum(1 for value in null if value >= observed), len(null))
    return min(Fraction(1), 2 * min(below, above))


def sign_flips_exact(differences: Sequence[int]) -> Fraction:
    """Return the fraction of sign flips whose sum is at least as far from zero as the observed sum."""
    null = [
        abs(sum(sign * d for sign, d in zip(signs, differences, strict=True)))
        for signs in product([1, -1], repeat=len(differences))
    ]
    return Fraction(sum(1 for value in null if value >= abs(sum(differences))), len(null))


def tukey_ranges(values: Sequence[Sequence[int]]) -> list[Fraction]:
    """Return the ranges of means over all permutations of the runs within topics, in descending order."""
    n_runs, n_topics = len(values), len(values[0])
    results = []
    for orders in product(permutations(range(n_runs)), repeat=n_topics):
        sums = [sum(values[orders[topic][run]][topic] for topic in range(n_topics)) for run in range(n_runs)]
        results.append(Fraction(max(sums) - min(sums), n_topics))
    return sorted(results, reverse=True)


def six_ways(pairs: Sequence[tuple[bool, int, bool, int]]) -> dict[str, int]:
    """Return the six counts of active, mixed and passive agreement and disagreement between decisions under x and y."""
    result = dict.fromkeys(("aa", "ad", "ma", "md", "pa", "pd"), 0)
    for different_x, sign_x, different_y, sign_y in pairs:
        kind = "a" if different_x and different_y else "m" if different_x or different_y else "p"
        opposite = (sign_x > 0 and sign_y < 0) or (sign_x < 0 and sign_y > 0)
        result[kind + ("d" if opposite else "a")] += 1
    return result


def confusion(full: Sequence[bool], reduced: Sequence[bool]) -> dict[tuple[int, int], int]:
    """Count the pairs of decisions under full and reduced judgments. 1 means not significant, 2 significant."""
    results = {(1, 1): 0, (1, 2): 0, (2, 1): 0, (2, 2): 0}
    for first, other in zip(full, reduced, strict=True):
        results[2 if first else 1, 2 if other else 1] += 1
    return results


def accuracy(full: Sequence[bool], reduced: Sequence[bool]) -> float:
    """Return the fraction of equal decisions."""
    c = confusion(full, reduced)
    return (c[1, 1] + c[2, 2]) / len(full) if full else 0.0


def g_mean(full: Sequence[bool], reduced: Sequence[bool]) -> float:
    """Return sqrt(recall * precision) with 0/0 = 0, or NaN if every pair differs significantly in both."""
    c = confusion(full, reduced)
    if full and c[2, 2] == len(full):
        return math.nan
    recall = c[1, 1] / (c[1, 1] + c[1, 2]) if c[1, 1] + c[1, 2] else 0.0
    precision = c[1, 1] / (c[1, 1] + c[2, 1]) if c[1, 1] + c[2, 1] else 0.0
    return math.sqrt(recall * precision)


def hommel(p: Sequence[Fraction]) -> list[Fraction]:
    """Return p-values corrected by Hommel's method, from Simes' tests of all sets of hypotheses."""
    largest = [Fraction(0)] * len(p)
    for size in range(1, len(p) + 1):
        for chosen in combinations(range(len(p)), size):
            ranked = sorted(p[place] for place in chosen)
            simes = min(size * value / number for number, value in enumerate(ranked, 1))
            for place in chosen:
                largest[place] = max(largest[place], simes)
    return largest


def holm(p: Sequence[Fraction]) -> list[Fraction]:
    """Return p-values corrected by Holm's method."""
    order = sorted(range(len(p)), key=p.__getitem__)
    corrected = [Fraction(0)] * len(p)
    worst = Fraction(0)
    for step, place in enumerate(order):
        worst = max(worst, min(Fraction(1), (len(p) - step) * p[place]))
        corrected[place] = worst
    return corrected


# Swaps


def swaps(values: Sequence[Sequence[int]], sets: Sequence[tuple[Sequence[int], Sequence[int]]]) -> tuple[int, int, int]:
    """Return the numbers of comparisons, swaps and ties over pairs of runs and pairs of topic sets."""
    comparisons = swapped = tied = 0
    for a, b in combinations(values, 2):
        for first_set, other in sets:
            first = sum(a[topic] - b[topic] for topic in first_set)
            second = sum(a[topic] - b[topic] for topic in other)
            comparisons += 1
            if first == 0 or second == 0:
                tied += 1
            elif (first > 0) != (second > 0):
                swapped += 1
    return comparisons, swapped, tied


def swap_bins(
    values: Sequence[Sequence[int]], sets: Sequence[tuple[Sequence[int], Sequence[int]]], width: int
) -> dict[int, tuple[int, int]]:
    """Count comparisons and swaps by the size of the sum on one topic set. Each set of a pair is used once."""
    results: dict[int, tuple[int, int]] = {}
    for a, b in combinations(values, 2):
        for pair in sets:
            for first_set, other in (pair, pair[::-1]):
                first = sum(a[topic] - b[topic] for topic in first_set)
                second = sum(a[topic] - b[topic] for topic in other)
                comparisons, swapped = results.get(abs(first) // width, (0, 0))
                results[abs(first) // width] = (comparisons + 1, swapped + (first * second < 0))
    return results


def all_pairs_of_sets(n_topics: int, size: int) -> set[frozenset[frozenset[int]]]:
    """Return all unordered pairs of disjoint topic sets of the given size."""
    return {
        frozenset((frozenset(topics), frozenset(other)))
        for topics in combinations(range(n_topics), size)
        for other in combinations(range(n_topics), size)
        if not set(topics) & set(other)
    }


def drawn_sets(n_topics: int, size: int, text: str) -> list[list[int]]:
    """Draw two topic sets, sorted lexicographically. Topics are sorted by 64-bit numbers derived from a text."""
    stream = shake_256(text.encode()).digest(8 * n_topics)
    numbers = [sum(byte << 8 * place for place, byte in enumerate(stream[8 * i : 8 * i + 8])) for i in range(n_topics)]
    order = sorted(range(n_topics), key=numbers.__getitem__)
    return sorted([sorted(order[:size]), sorted(order[size : 2 * size])])


def untied_overlap(x: Sequence[str], y: Sequence[str], p: float) -> tuple[float, float]:
    """Return the extrapolated and the minimum overlap of rankings without ties (Webber et al. 2010, eq. 11 and 32)."""
    short, long = sorted((x, y), key=len)
    n_short, n_long = len(short), len(long)
    common = [len(set(short[:d]) & set(long[:d])) for d in range(n_long + 1)]
    total = sum(common[d] / d * p**d for d in range(1, n_long + 1))
    total += sum(common[n_short] * (d - n_short) / (n_short * d) * p**d for d in range(n_short + 1, n_long + 1))
    ext = (1 - p) / p * total + ((common[n_long] - common[n_short]) / n_long + common[n_short] / n_short) * p**n_long
    least = (1 - p) / p * sum(common[min(d, n_long)] / d * p**d for d in range(1, 2000))
    return ext, least
