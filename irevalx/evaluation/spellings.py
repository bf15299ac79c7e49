"""Topics and documents that judgments and run spell otherwise: what messages show of both sides."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable

from irevalx.errors import quote
from irevalx.reading.hints import looks_like_json

HARDLY_ANY = 0.9
"""The share of topics without a retrieved document that was judged, from which on there is a warning."""

_MARK = b"\xef\xbb\xbf"
"""A byte-order mark in UTF-8."""

_SPACES = b" \t\r\n\v\f"
_NO_BREAK_SPACE = b"\xc2\xa0"


def no_topic_in_common(judged: Collection[bytes], retrieved: Collection[bytes]) -> str:
    """Return what a message says after "none is in both": a topic of each side, and how they differ.

    A line of JSON may have the columns of judgments or of a run by chance.
    """
    if any(map(looks_like_json, judged)):
        return ": are the judgments JSON? give -R json"
    if any(map(looks_like_json, retrieved)):
        return ": is the run JSON? give -T json"
    pair = pair_of_names(judged, retrieved)
    return pair and f": {pair}"


def hardly_any_judged(n_without: int, n_topics: int, example: Callable[[], tuple[bytes, str]]) -> str | None:
    """Return the warning where in nine of ten topics, or more, no judged document was retrieved; otherwise None.

    Parameters
    ----------
    n_without : topics of which documents were retrieved, but none that was judged.
    n_topics : topics with results.
    example : returns the first of the former, and ``pair_of_names`` of its documents.
    """
    if not n_without or n_without < HARDLY_ANY * n_topics:
        return None
    topic, pair = example()
    return f"in {n_without} of {n_topics} topics no judged document was retrieved: in topic {quote(topic)} {pair}"


def pair_of_names(judged: Iterable[bytes], retrieved: Iterable[bytes]) -> str:
    """Return one name of each side, two that differ in their spelling only if there are such.

    >>> pair_of_names([b"301", b"302"], [b"0302"])
    "the judgments have '302' and the run '0302', which differ only by leading zeros"
    """
    ours, theirs = list(judged), list(retrieved)
    by_name = {_plain(name): name for name in reversed(ours)}
    for other in theirs:
        if (name := by_name.get(_plain(other))) not in {None, other}:
            how = " and ".join(_differences(name or b"", other))
            return f"the judgments have {quote(name or b'')} and the run {quote(other)}, which differ only by {how}"
    if common := set(ours).intersection(theirs):
        return f"document {quote(min(common))} is in both, but its grade is below 0, so that it is not judged"
    return f"the judgments have {quote(min(ours))} and the run {quote(min(theirs))}" if ours and theirs else ""


def _plain(name: bytes) -> bytes:
    """Return a name without what is easily lost."""
    return _stripped(_unmarked(name)).lower().lstrip(b"0")


def _unmarked(name: bytes) -> bytes:
    return name.removeprefix(_MARK)


def _stripped(name: bytes) -> bytes:
    return name.strip(_SPACES).removeprefix(_NO_BREAK_SPACE).removesuffix(_NO_BREAK_SPACE)


def _differences(one: bytes, two: bytes) -> list[str]:
    """Return in what respects two names differ that are the same when plain."""
    found = []
    for words, change in (
        ("a byte-order mark", _unmarked),
        ("surrounding space", _stripped),
        ("case", bytes.lower),
        ("leading zeros", lambda name: name.lstrip(b"0")),
    ):
        changed = change(one), change(two)
        if (changed[0] == one) != (changed[1] == two) or (changed[0] == changed[1]) != (one == two):
            found.append(words)
        one, two = changed
    return found
