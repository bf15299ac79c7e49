"""Short names of runs, judges, groups and studies for figures and tables."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from os.path import commonprefix

from irevalx.errors import printable
from irevalx.frozen import Frozen

ELLIPSIS = "…"
"""The character that replaces the omitted parts of names."""

_LEAST_OMITTED = 3
"""A common part of names is omitted only if it has at least this number of characters."""

_SEPARATORS = re.compile(r"([-_.,+/:=\s]+)")


class ShortNames(Frozen):
    """Names in the form in which a figure contains them."""

    of: Mapping[str, str]  # by complete name
    key: str = ""  # the complete names, if a figure contains their numbers

    def pair(self, name: str, against: str) -> str:
        """Return the name of the difference between two runs."""
        return f"{self.of[name]} − {self.of[against]}"  # noqa: RUF001 - a minus sign


def drawable(text: str) -> str:
    """Escape control characters and bytes that are not UTF-8, because no font contains them."""
    return "".join(c if c.isprintable() or c in "\n\u00a0" else printable(c) for c in text)


def shorten(names: Iterable[str], longest: float, length: Callable[[str], float] = len) -> ShortNames:
    """Return distinct names on one line that are not longer than ``longest``.

    Names that fit are not changed. If a name is too long, the parts that all names have in common are omitted: first at
    the beginning, then at the end, then in between. If a name is still too long, its middle is omitted. If two names
    are then equal, all names are replaced by numbers, and a key is returned.
    """
    complete = list(dict.fromkeys(names))
    drawn = [drawable(name).replace("\n", printable("\n")) for name in complete]
    for shorter in (list, _without_ends, _without_common_parts):
        short = shorter(drawn)
        if max(map(length, short), default=0.0) <= longest and len(set(short)) == len(short):
            return ShortNames(dict(zip(complete, short, strict=True)))
    short = [_without_middle(name, longest, length) for name in short]
    if len(set(short)) == len(short):
        return ShortNames(dict(zip(complete, short, strict=True)))
    numbers = {name: str(number) for number, name in enumerate(complete, 1)}
    key = "; ".join(f"{number}\u00a0=\u00a0{name}" for number, name in zip(numbers.values(), drawn, strict=True))
    return ShortNames(numbers, f"Names: {key}.")


def _without_ends(names: Sequence[str]) -> list[str]:
    """Remove the common beginning and end of names, in whole parts if names contain separators."""
    if len(names) < 2:
        return list(names)
    begin = _common_beginning(names)
    end = _common_beginning([name[begin:][::-1] for name in names])
    head, tail = (ELLIPSIS if omitted else "" for omitted in (begin, end))
    return [f"{head}{name[begin : len(name) - end]}{tail}" for name in names]


def _common_beginning(names: Sequence[str]) -> int:
    """Return the length of the common beginning up to its last separator, or 0 if it is too short to omit."""
    common = commonprefix(names)  # noqa: RUF071 - of characters, not of path components
    n_common, ends = len(common), [match.end() for match in _SEPARATORS.finditer(common)]
    if ends:
        n_common = ends[-1]
    elif all(_SEPARATORS.search(name) for name in names):
        n_common = 0
    n_common = min(n_common, *(len(name) - 1 for name in names))
    return n_common if n_common >= _LEAST_OMITTED else 0


def _without_common_parts(names: Sequence[str]) -> list[str]:
    """Remove the common ends of names, and parts in between that all names have in common."""
    short = _without_ends(names)
    while len(short) > 1:
        parts = _SEPARATORS.split(short[0])
        pieces = {
            "".join(parts[start:stop])
            for start in range(1, len(parts) - 1, 2)
            for stop in range(start + 3, len(parts), 2)
        }
        common = [piece for piece in pieces if len(piece) > _LEAST_OMITTED and all(piece in name for name in short)]
        if not common:
            break
        longest = max(common, key=lambda piece: (len(piece), piece))
        short = [name.replace(longest, ELLIPSIS, 1) for name in short]
    return short


def _without_middle(name: str, longest: float, length: Callable[[str], float]) -> str:
    """Omit the middle of a name. The result has at most the length ``longest``, unless it has only two letters."""
    n_letters = len(name)
    while n_letters > 2 and length(name) > longest:
        n_letters -= 1
        end = n_letters // 2
        cut = f"{name[: n_letters - end]}{ELLIPSIS}{name[len(name) - end :]}".replace(2 * ELLIPSIS, ELLIPSIS)
        if length(cut) <= longest or n_letters == 2:
            return cut
    return name
