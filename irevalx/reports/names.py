"""Short names of runs, judges, groups and studies, for use in figures and tables."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from difflib import SequenceMatcher
from functools import reduce
from itertools import chain
from typing import TypeAlias

from irevalx.errors import printable
from irevalx.frozen import Frozen

ELLIPSIS = "…"
"""The character that replaces omitted parts of a name."""

_STRONG = re.compile(rf"([_/\s{ELLIPSIS}]+)")
"""Separators that always divide a name into parts."""

_WEAK = re.compile(r"((?<!=)(?<!\de)-+|(?<!\d)\.|\.(?!\d))")
"""Separators that can also occur within a value. Signs, exponents and decimal points do not divide a name."""

_DASHED_KEY = re.compile(r"-[A-Za-z][A-Za-z0-9]*=")
_NUMBER = re.compile(r"[-+]?\d+(\.\d+)?(e-?\d+)?")

_Parts: TypeAlias = "list[tuple[str, str]]"
"""The parts of a name, each with the preceding separator (empty for the first part). A part can be ``key=value``."""


class NameParts(Frozen):
    """Names that are divided into common and differing parts."""

    common: str  # common parts, with … for the differing ones, or empty
    differing: Mapping[str, str]  # from complete name to distinct differing parts, joined by …
    factors: Mapping[str, Sequence[str | None]]
    """The value of each name for each factor, or None if a name has no value. A factor is the key of parts such as
    k1=0.8 or k1-0.8, or "part N" for the N-th part without a key, if several names share one of its values."""


class ShortNames(Frozen):
    """The names that a figure or a table displays instead of complete names."""

    of: Mapping[str, str]  # from a complete name to the short name
    key: str = ""  # sentences on omitted parts, and on numbers that replace names
    in_text: Mapping[str, str] = {}  # from a complete name to its form in sentences, never a number
    form: str = ""  # the omitted common parts, with … for the displayed parts

    def pair(self, name: str, against: str) -> str:
        """Return the displayed name of the difference between two runs, such as A - B."""
        return f"{self.of[name]} − {self.of[against]}"  # noqa: RUF001 - a minus sign

    def renamed(self, sentence: str) -> str:
        """Replace complete names in a sentence by short names, except in a command at the end of the sentence."""
        names = sorted((name for name, short in self.in_text.items() if name != short), key=len, reverse=True)
        text, command, arguments = sentence.partition("irevalx-lab ")
        if names:
            pattern = rf"(?<![\w/])({'|'.join(map(re.escape, names))})(?!\w)"
            text = re.sub(pattern, lambda match: self.in_text[match[0]], text)
        return text + command + arguments


def drawable(text: str) -> str:
    """Escape characters that no font contains: control characters and bytes that are not UTF-8."""
    return "".join(c if c.isprintable() or c in "\n\u00a0" else printable(c) for c in text)


def shorten(names: Iterable[str], longest: float, length: Callable[[str], float] = len) -> ShortNames:
    """Shorten names to at most ``longest``, so that they remain distinct and fill one line each.

    If all names fit, they are not changed. If a name is too long, the parts common to all names are omitted. If a name
    is still too long, whole parts in its middle are omitted. If two names are then equal or a name is too long, numbers
    replace all names.
    """
    complete = list(dict.fromkeys(names))
    drawn = [drawable(name).replace("\n", printable("\n")) for name in complete]
    whole = dict(zip(complete, drawn, strict=True))
    if max(map(length, drawn), default=0.0) <= longest and len(set(drawn)) == len(drawn):
        return ShortNames(whole, in_text=whole)
    parts = split_names(drawn)
    of = {name: parts.differing[text] for name, text in whole.items()}
    notes = []
    if parts.common:
        notes.append(f"Names have the form {parts.common}; only the parts in place of {ELLIPSIS} are displayed.")
    cut = [_without_middle(name, longest, length) for name in of.values()]
    if len(set(cut)) == len(cut) and max(map(length, cut)) <= longest:
        if cut != [*of.values()]:
            notes.append(f"{ELLIPSIS} in a name replaces omitted parts.")
        of = dict(zip(complete, cut, strict=True))
        return ShortNames(of, " ".join(notes), of, parts.common)
    numbers = {name: str(number) for number, name in enumerate(complete, 1)}
    numbered = "; ".join(f"{number}\u00a0=\u00a0{of[name]}" for name, number in numbers.items())
    notes.append(f"Names: {numbered}.")
    return ShortNames(numbers, " ".join(notes), of, parts.common)


def split_names(names: Iterable[str]) -> NameParts:
    """Divide names at spaces and at the characters ``_ - . /`` into common and differing parts.

    A pair ``key=value`` is one part. All names list their pairs in the same order. A number that differs stays with the
    part before it, such as top-100.
    """
    complete = list(dict.fromkeys(names))
    divided = _in_one_order(complete)
    tokens = [[token for _, token in parts] for parts in divided]
    common = reduce(_common, tokens) if tokens[1:] else []
    gaps = [_gaps(parts, common) for parts in divided]
    while (place := _needed(common, gaps)) is not None:
        del common[place]
        gaps = [_gaps(parts, common) for parts in divided]
    differing = [ELLIPSIS.join(filter(None, map(_joined, of_name))) for of_name in gaps]
    if not common or len({*differing}) < len(complete):
        return NameParts("", dict(zip(complete, complete, strict=True)), _factors([[parts] for parts in divided]))
    return NameParts(_form(divided[0], common, gaps), dict(zip(complete, differing, strict=True)), _factors(gaps))


def _in_one_order(names: Sequence[str]) -> list[_Parts]:
    """Divide names into parts, and sort parts with keys so that all names list the keys in the same order."""
    is_dashed = any(map(_DASHED_KEY.search, names))
    divided = []
    for name in names:
        pieces = [""]
        for piece in _STRONG.split(name):  # parts and separators alternate
            pieces += [piece] if "=" in piece and not is_dashed else _WEAK.split(piece)
        divided.append([*zip(pieces[::2], pieces[1::2], strict=True)])
    keys = list(dict.fromkeys(_key(token) for parts in divided for _, token in parts if _key(token)))
    for parts in divided:
        places = [place for place, (_, token) in enumerate(parts) if _key(token)]
        ordered = sorted((parts[place][1] for place in places), key=lambda token: keys.index(_key(token)))
        for place, token in zip(places, ordered, strict=True):
            parts[place] = (parts[place][0], token)
    return divided


def _key(token: str) -> str:
    """Return the key of a part ``key=value``, or an empty string if the part has no key."""
    return token.partition("=")[0] if "=" in token else ""


def _common(tokens: Sequence[str], others: Sequence[str]) -> list[str]:
    """Return the parts that both sequences contain in the same order."""
    blocks = SequenceMatcher(None, tokens, others, autojunk=False).get_matching_blocks()
    return [token for block in blocks for token in tokens[block.a : block.a + block.size]]


def _gaps(parts: _Parts, common: Sequence[str]) -> list[_Parts]:
    """Return the sequences of parts before, between and after the common parts."""
    gaps: list[_Parts] = [[]]
    for separator, token in parts:
        if len(gaps) <= len(common) and token == common[len(gaps) - 1]:
            gaps.append([])
        else:
            gaps[-1].append((separator, token))
    return gaps


def _joined(parts: _Parts) -> str:
    return "".join(chain.from_iterable(parts))[len(parts[0][0]) :] if parts else ""


def _needed(common: Sequence[str], gaps: Sequence[Sequence[_Parts]]) -> int | None:
    """Return the index of a common part that is needed as the key of numbers, or to keep names from becoming empty."""
    for place, token in enumerate(common, 1):
        first = [of_name[place][0][1] if of_name[place] else "" for of_name in gaps]
        if all(map(_NUMBER.fullmatch, first)) and not _NUMBER.fullmatch(token) and "=" not in token:
            return place - 1
    if common and not all(map(any, gaps)):
        return max(0, next((place for place in range(len(common) + 1) if any(g[place] for g in gaps)), 0) - 1)
    return None


def _form(first: _Parts, common: Sequence[str], gaps: Sequence[Sequence[_Parts]]) -> str:
    """Return the common parts, with the first name's separators, and with … for the parts in which names differ."""
    form = ""
    for place, token in enumerate([*common, ""]):
        different = [of_name[place] for of_name in gaps if of_name[place]]
        if different:
            form += (different[0][0][0] if form else "") + ELLIPSIS
        if place < len(common):
            separators = [separator for separator, text in first if text == token and separator]
            form += (separators[0] if form and separators else "") + token
    return form


def _factors(gaps: Sequence[Sequence[_Parts]]) -> dict[str, list[str | None]]:
    """Return the value of each name for each factor."""
    factors: dict[str, list[str | None]] = {}
    n_unnamed = 0
    for of_gap in zip(*gaps, strict=True):
        for number, parts in enumerate(of_gap):
            for _, token in parts:
                if key := _key(token):
                    factors.setdefault(key, [None] * len(gaps))[number] = token.partition("=")[2]
        plain = [[part for part in parts if "=" not in part[1]] for parts in of_gap]
        if len({*map(len, plain)}) == 1:
            columns = [[token for _, token in parts] for parts in zip(*plain, strict=True)]
        else:
            columns = [[*map(_joined, plain)]]
        for before, values in zip([[""], *columns], columns, strict=False):
            if len({*before}) == 1 and before[0] and all(map(_NUMBER.fullmatch, values)):
                factors[before[0]] = [*values]
            elif 1 < len({*values}) < len(values):
                n_unnamed += 1
                factors[f"part {n_unnamed}"] = [value or None for value in values]
    return {key: values for key, values in factors.items() if len({*values}) > 1}


def _without_middle(name: str, longest: float, length: Callable[[str], float]) -> str:
    """Shorten a name by omitting whole parts, or letters if there are no parts, from its middle."""
    if length(name) <= longest:
        return name
    [parts] = _in_one_order([name])
    pieces = parts if parts[1:] else [("", letter) for letter in name]
    for n_kept in range(len(pieces) - 1, 0 if parts[1:] else 1, -1):
        begin, end = pieces[: n_kept - n_kept // 2], pieces[len(pieces) - n_kept // 2 :]
        cut = f"{_joined(begin).rstrip(ELLIPSIS)}{ELLIPSIS}{_joined(end).lstrip(ELLIPSIS)}"
        if length(cut) <= longest:
            return cut
    return name
