"""Topics and documents that judgments and run spell otherwise: what messages show of both sides."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from irevalx.errors import quote, shown_name
from irevalx.judgments.judged_documents import Documents
from irevalx.reading.hints import looks_like_json
from irevalx.reading.runs import Run

HARDLY_ANY = 0.9
"""The share of topics without a retrieved document that was judged, from which on names are in doubt."""

_MARK = b"\xef\xbb\xbf"
"""A byte-order mark in UTF-8."""

_SPACES = b" \t\r\n\v\f"
_NO_BREAK_SPACE = b"\xc2\xa0"


def no_topic_in_common(judged: Collection[bytes], retrieved: Collection[bytes]) -> str:
    """Return what a message says behind "none is in both": a topic of each side, and how they differ.

    A line of JSON may have the columns of judgments or of a run by chance.
    """
    if any(map(looks_like_json, judged)):
        return ": are the judgments JSON? give -R json"
    if any(map(looks_like_json, retrieved)):
        return ": is the run JSON? give -T json"
    pair = _pair(judged, retrieved)
    return pair and f": {pair}"


def hardly_any_judged(documents: Documents, run: Run, without: Sequence[bytes], n_topics: int) -> list[str]:
    """Return a warning where in nine of ten topics, or more, no judged document was retrieved.

    Parameters
    ----------
    without : the topics of which documents were retrieved, but none that was judged.
    n_topics : how many topics with results there are.
    """
    if not without or len(without) < HARDLY_ANY * n_topics:
        return []
    topic = without[0]
    place = documents.topic_index[topic]
    judged = documents.docnos.take(documents.rows.slice(place)).texts()
    pair = _pair(judged, _docnos_of(run, topic))
    return [
        f"{shown_name(run.path)}: in {len(without)} of {n_topics} topics no judged document was retrieved: in topic "
        f"{quote(topic)} {pair}"
    ]


def _docnos_of(run: Run, topic: bytes) -> list[bytes]:
    """Read again what a run has for a topic."""
    for block in run.again() if run.to_its_end and not run.size else run.blocks():
        results = run.parse(block)
        if topic in results.topics:
            return results.docnos.take(results.rows.slice(results.topics.index(topic))).texts()
    return []


def _pair(judged: Iterable[bytes], retrieved: Iterable[bytes]) -> str:
    """Return one name of each side, two that differ in their spelling only if there are such.

    >>> _pair([b"301", b"302"], [b"0302"])
    "the judgments have '302' and the run '0302', which differ only by leading zeros"
    """
    ours, theirs = list(judged), list(retrieved)
    by_name = {_plain(name): name for name in reversed(ours)}
    for other in theirs:
        if (name := by_name.get(_plain(other))) not in {None, other}:
            how = " and ".join(_differences(name or b"", other))
            return f"the judgments have {quote(name or b'')} and the run {quote(other)}, which differ only by {how}"
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
