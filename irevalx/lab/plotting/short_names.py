"""Short names of runs for figures and tables."""

import re
from collections.abc import Callable, Sequence

_PART = re.compile(r"[^-_./+:, ]*[-_./+:, ]|[^-_./+:, ]+$")
"""A part of a name: the text up to a separator, or the text after the last one."""

ELLIPSIS = "…"


def short_names(names: Sequence[str], width: int) -> list[str]:
    """Return distinct names of at most ``width`` characters for distinct names; short names remain as they are.

    Parts that all names share are removed from the start and the end, as far as needed; then the middle of a name, or
    all but the characters in which it differs from similar names. A number is added to names that are still equal.
    """
    if max(map(len, names), default=0) <= width:
        return list(names)
    distinct = list(dict.fromkeys(names))
    shortened = _without_ends(distinct, width)
    for cut in (_without_middle, _without_start, _around_difference):
        shortened = _where_long_or_equal(shortened, distinct, width, cut)
    by_name = dict(zip(distinct, _numbered(shortened, width), strict=True))
    return [by_name[name] for name in names]


def _without_ends(names: Sequence[str], width: int) -> list[str]:
    """Return names without as many shared parts at the start, then at the end, as their length requires."""
    start = _shared_length(names, width)
    names = [ELLIPSIS * (start > 0) + name[start:] for name in names]
    end = _shared_length([name[::-1] for name in names], width)
    return [name[: len(name) - end] + ELLIPSIS for name in names] if end else names


def _shared_length(names: Sequence[str], width: int) -> int:
    """Return the number of characters in the shared first parts that have to be removed."""
    longest, shared = max(map(len, names)), _shared_characters(names)
    ends = [match.end() for match in _PART.finditer(names[0]) if match.end() <= shared]
    ends = [end for end in ends if end > 1 and all(len(name) > end for name in names)]
    if longest <= width or not ends:
        return 0
    return next((end for end in ends if longest - end < width), ends[-1])


def _where_long_or_equal(
    shortened: Sequence[str], names: Sequence[str], width: int, cut: Callable[[Sequence[str], int], Sequence[str]]
) -> list[str]:
    """Return the names, and the cut names for those that are too long or equal to others after an earlier cut."""
    change = [len(short) > width or shortened.count(short) > 1 for short in shortened]
    rest = [
        name if len(short) <= width else short
        for name, short, must in zip(names, shortened, change, strict=True)
        if must
    ]
    new = iter(cut(rest, width) if rest else ())
    return [next(new) if must else short for short, must in zip(shortened, change, strict=True)]


def _without_middle(names: Sequence[str], width: int) -> list[str]:
    head = width // 2
    return [
        name if len(name) <= width else name[:head] + ELLIPSIS + name[len(name) - (width - head - 1) :]
        for name in names
    ]


def _without_start(names: Sequence[str], width: int) -> list[str]:
    return [name if len(name) <= width else ELLIPSIS + name[len(name) - width + 1 :] for name in names]


def _shared_characters(names: Sequence[str]) -> int:
    """Return the number of characters that all names share at the start."""
    least, greatest = min(names), max(names)  # every other name is between them and starts like them
    return next(
        (place for place, letters in enumerate(zip(least, greatest, strict=False)) if len(set(letters)) > 1), len(least)
    )


def _around_difference(names: Sequence[str], width: int) -> list[str]:
    """Return ``width`` characters of each name from shortly before the first character that not all names share."""
    start = max(0, _shared_characters(names) - 2)
    parts = [name[start : start + width - 2] for name in names]
    return [
        name if len(name) <= width else ELLIPSIS * (start > 0) + part + ELLIPSIS * (start + width - 2 < len(name))
        for name, part in zip(names, parts, strict=True)
    ]


def _numbered(names: Sequence[str], width: int) -> list[str]:
    """Return the names, with a number in place of the last characters of names that are equal."""
    numbers = {place: number for number, place in enumerate((p for p, n in enumerate(names) if names.count(n) > 1), 1)}
    ends = {place: f"{ELLIPSIS}{number}" for place, number in numbers.items()}
    return [
        name[: width - len(ends[place])] + ends[place] if place in ends else name for place, name in enumerate(names)
    ]
