"""Topics and documents that judgments and run spell otherwise: what messages show of both sides."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable

from irevalx.declarations import spelled
from irevalx.errors import quote
from irevalx.reading.hints import looks_like_json
from irevalx.reading.source import MARK

HARDLY_ANY = 0.9
"""The share of topics without a retrieved document that was judged, from which on there is a warning."""

PARTLY = 0.1
"""The share from which on documents of a topic are looked at for other spellings."""

_ONLY = "which differ only by"

_SUFFIXES = frozenset(
    b"txt text html htm xhtml xml json jsonl pdf md sgml sgm gz doc docx wav mp3 mp4 jpg jpeg png".split()
)
"""Endings of the names of files."""

_SPACES = b" \t\r\n\v\f"
_NO_BREAK_SPACE = b"\xc2\xa0"


def no_topic_in_common(judged: Collection[bytes], retrieved: Collection[bytes]) -> str:
    """Return what a message says after "none is in both": a topic of each side, and how they differ.

    A line of JSON may have the columns of judgments or of a run by chance.
    """
    if any(map(looks_like_json, judged)):
        return f"; if the judgments are JSON, use {spelled('rel_format', 'json')}"
    if any(map(looks_like_json, retrieved)):
        return f"; if the run is JSON, use {spelled('results_format', 'json')}"
    pair = pair_of_names(judged, retrieved)
    return pair and f": {pair}"


def hardly_any_judged(n_without: int, n_topics: int, example: Callable[[], tuple[bytes, str]]) -> str | None:
    """Return the warning where in nine of ten topics, or more, no judged document was retrieved; otherwise None.

    Where it is one of ten topics, or more, there is a warning if documents differ only in their spelling.

    Parameters
    ----------
    n_without : topics of which documents were retrieved, but none that was judged.
    n_topics : topics with results.
    example : returns the first of the former, and ``pair_of_names`` of its documents.
    """
    if not n_without or n_without < PARTLY * n_topics:
        return None
    topic, pair = example()
    if n_without < HARDLY_ANY * n_topics and _ONLY not in pair:
        return None
    return f"in {n_without} of {n_topics} topics no judged document was retrieved: in topic {quote(topic)} {pair}"


def partly_in_common(judged: Collection[bytes], retrieved: Collection[bytes]) -> str:
    """Return what a message says after the number of topics of one side alone: two that differ only in spelling."""
    pair = differing_pair(judged, retrieved)
    return pair and f"; {pair}"


def pair_of_names(judged: Iterable[bytes], retrieved: Iterable[bytes]) -> str:
    """Return one name of each side, two that differ in their spelling only if there are such.

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
    """Return two names, one of each side, that differ only in their spelling; "" where there are none.

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
    """Return a name in Unicode's normal form C; as it is where it is not UTF-8."""
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
"""What is easily lost or added, in the order in which it is taken away."""

_ON_ONE_SIDE = {"a path", "a file suffix"}
"""Changes that make names alike only if one of the two has nothing to change: a/1 and b/1 are two documents."""


def _plain(name: bytes) -> bytes:
    """Return a name without what is easily lost."""
    for _, change in _CHANGES:
        name = change(name)
    return name


def _differences(one: bytes, two: bytes) -> list[str]:
    """Return in what respects two names differ that are the same when plain; none where they are different ids."""
    found = []
    for words, change in _CHANGES:
        changed = change(one), change(two)
        if words in _ON_ONE_SIDE and changed[0] != one and changed[1] != two and one != two:
            return []
        if (changed[0] == one) != (changed[1] == two) or (changed[0] == changed[1]) != (one == two):
            found.append(words)
        one, two = changed
    return found
