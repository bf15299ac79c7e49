"""Topics and documents with different spellings in judgments and run, for messages."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable

from irevalx.declarations import spelled
from irevalx.errors import quote
from irevalx.reading.hints import looks_like_json
from irevalx.reading.source import MARK

HARDLY_ANY = 0.9
"""Least share of topics without a judged document retrieved for a warning."""

PARTLY = 0.1
"""Least share of such topics for a comparison of spellings."""

_ONLY = "which differ only by"

_SUFFIXES = frozenset(
    b"txt text html htm xhtml xml json jsonl pdf md sgml sgm gz doc docx wav mp3 mp4 jpg jpeg png".split()
)

_SPACES = b" \t\r\n\v\f"
_NO_BREAK_SPACE = b"\xc2\xa0"


def no_topic_in_common(judged: Collection[bytes], retrieved: Collection[bytes]) -> str:
    """Return the end of a message after "none is in both": a topic of each side and how they differ, or a hint at JSON.

    A line of JSON can have the columns of judgments or of a run by chance.
    """
    if any(map(looks_like_json, judged)):
        return f"; if the judgments are JSON, use {spelled('rel_format', 'json')}"
    if any(map(looks_like_json, retrieved)):
        return f"; if the run is JSON, use {spelled('results_format', 'json')}"
    pair = pair_of_names(judged, retrieved)
    return pair and f": {pair}"


def hardly_any_judged(n_without: int, n_topics: int, example: Callable[[], tuple[bytes, str]]) -> str | None:
    """Return the warning if no judged document was retrieved in nine of ten topics, or one of ten with other spellings.

    ``n_without`` topics have results, but no judged one; ``example`` returns the first and ``pair_of_names`` of its
    documents.
    """
    if not n_without or n_without < PARTLY * n_topics:
        return None
    topic, pair = example()
    if n_without < HARDLY_ANY * n_topics and _ONLY not in pair:
        return None
    return f"in {n_without} of {n_topics} topics no judged document was retrieved: in topic {quote(topic)} {pair}"


def pair_of_names(judged: Iterable[bytes], retrieved: Iterable[bytes]) -> str:
    """Return one name of each side, two that differ only in their spelling if there are any.

    >>> pair_of_names([b"301", b"302"], [b"0302"])
    "the judgments contain '302' and the run '0302', which differ only by leading zeros"
    """
    ours, theirs = list(judged), list(retrieved)
    if pair := differing_pair(ours, theirs):
        return pair
    if common := set(ours).intersection(theirs):
        return f"document {quote(min(common))} is in both, but its grade is negative: it counts as unjudged"
    return f"the judgments contain {quote(min(ours))} and the run {quote(min(theirs))}" if ours and theirs else ""


def differing_pair(judged: Iterable[bytes], retrieved: Iterable[bytes]) -> str:
    """Return two names, one of each side, that differ only in their spelling; "" if there are none.

    >>> differing_pair([b"a.txt", b"b.txt"], [b"c", b"b"])
    "the judgments contain 'b.txt' and the run 'b', which differ only by a file suffix"
    """
    by_name: dict[bytes, bytes] = {}
    for name in judged:
        by_name.setdefault(_plain(name), name)
    for other in retrieved:
        name = by_name.get(_plain(other), other)
        if name != other and (how := _differences(name, other)):
            return f"the judgments contain {quote(name)} and the run {quote(other)}, {_ONLY} {' and '.join(how)}"
    return ""


def _unmarked(name: bytes) -> bytes:
    return name.removeprefix(MARK)


def _stripped(name: bytes) -> bytes:
    return name.strip(_SPACES).removeprefix(_NO_BREAK_SPACE).removesuffix(_NO_BREAK_SPACE)


def _unquoted(name: bytes) -> bytes:
    return name[1:-1] if len(name) > 2 and name[:1] == name[-1:] and name[:1] in b"\"'`" else name


def _composed(name: bytes) -> bytes:
    """Return a name in Unicode's normal form C; unchanged if it is not UTF-8."""
    if name.isascii():
        return name
    from unicodedata import normalize

    return normalize("NFC", name.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")


def _without_path(name: bytes) -> bytes:
    return name.rpartition(b"/")[2] or name


def _without_suffix(name: bytes) -> bytes:
    stem, _, suffix = name.rpartition(b".")
    return stem if stem and suffix.lower() in _SUFFIXES else name


def _lower(name: bytes) -> bytes:
    if name.isascii():
        return name.lower()
    return name.decode("utf-8", "surrogateescape").lower().encode("utf-8", "surrogateescape")


def _without_zeros(name: bytes) -> bytes:
    return name.lstrip(b"0") or name[-1:]


_CHANGES: tuple[tuple[str, Callable[[bytes], bytes]], ...] = (
    ("a byte-order mark", _unmarked),
    ("surrounding space", _stripped),
    ("quotes", _unquoted),
    ("Unicode normalisation", _composed),
    ("a path", _without_path),
    ("a file suffix", _without_suffix),
    ("case", _lower),
    ("leading zeros", _without_zeros),
)
"""Changes of a name that are easily made, in the order of their removal."""

_ON_ONE_SIDE = {"a path", "a file suffix"}
"""Changes that make names alike only if one of the two has nothing to change: a/1 and b/1 are two documents."""


def _plain(name: bytes) -> bytes:
    """Return a name after all changes."""
    for _, change in _CHANGES:
        name = change(name)
    return name


def _differences(first: bytes, second: bytes) -> list[str]:
    """Return in which respects two names differ that are plainly the same; empty if they are different IDs."""
    respects = []
    for words, change in _CHANGES:
        changed = change(first), change(second)
        if words in _ON_ONE_SIDE and changed[0] != first and changed[1] != second and first != second:
            return []
        if (changed[0] == first) != (changed[1] == second) or (changed[0] == changed[1]) != (first == second):
            respects.append(words)
        first, second = changed
    return respects
