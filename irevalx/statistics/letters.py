"""Groups of runs by letters: runs that share a letter do not differ.

Source: Piepho, An Algorithm for a Letter-Based Representation of All-Pairwise Comparisons, Journal of Computational and
Graphical Statistics 2004.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

ALPHABET = "abcdefghijklmnopqrstuvwxyz"


def letters_of_groups(n_runs: int, different: Collection[tuple[int, int]], order: Sequence[int]) -> list[str]:
    """Return the letters of each run; two runs share a letter exactly if they are no pair of those that differ.

    Parameters
    ----------
    n_runs : how many runs there are.
    different : pairs of runs that differ, each once.
    order : all runs, the best first; the letters begin with it.
    """
    groups = [frozenset(range(n_runs))]
    for one, other in different:
        split = []
        for group in groups:
            split += [group - {one}, group - {other}] if {one, other} <= group else [group]
        groups = [group for group in dict.fromkeys(split) if not any(group < larger for larger in split)]
    places = {run: place for place, run in enumerate(order)}
    groups.sort(key=lambda group: sorted(places[run] for run in group))
    return ["".join(_letter(number) for number, group in enumerate(groups) if run in group) for run in range(n_runs)]


def _letter(number: int) -> str:
    """Return a letter; from the 27th on with a number after it."""
    turn, place = divmod(number, len(ALPHABET))
    return ALPHABET[place] + (str(turn + 1) if turn else "")
