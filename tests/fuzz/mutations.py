"""Ways to break a file as a whole: formats spliced into each other, nested, repeated and cut short."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
import random
from collections.abc import Callable, Sequence

from fuzz.inputs import MAKERS, TOPICS, spoiled, written

LONGEST = 1 << 16
"""Bytes that a file is made to grow to, at most: what takes as long as the square of its length is then seen."""

PARTS = (
    b'[|{|{"a":|"|\\"|\\|]|}|\0|\n|\r| |\t|#|,|-|9|0|1e|0.|nan |\xff|\xc3\xa9|\x1f\x8b|<DOC>|</|<!--|&amp;|\x1b[31m|=|%'
).split(b"|")
"""What is repeated."""


def mutated(rng: random.Random, text: bytes) -> bytes:
    """Break a file once or twice, or change little things in it."""
    for _ in range(rng.choice([1, 1, 1, 2])):
        text = rng.choice([_spliced, _nested, _repeated, _truncated, spoiled])(rng, text)[: 4 * LONGEST]
    return text


def _spliced(rng: random.Random, text: bytes) -> bytes:
    """Put a file of any format after the beginning of this one, or into it."""
    other = written(rng, MAKERS[rng.choice(list(MAKERS))](rng, TOPICS[: rng.randint(1, 4)]))
    start, end = sorted(rng.choices(_cuts(rng, text), k=2))
    begin, limit = sorted(rng.choices(_cuts(rng, other), k=2))
    return text[:start] + other[begin:limit] + (text[end:] if rng.random() < 0.7 else b"")


def _cuts(rng: random.Random, text: bytes) -> Sequence[int]:
    """Places to cut a file at: between lines, or anywhere."""
    if rng.random() < 0.5:
        return range(len(text) + 1)
    return [0, *(place + 1 for place, byte in enumerate(text) if byte == ord("\n")), len(text)]


WRAPPERS: Sequence[Callable[[bytes], bytes]] = (
    gzip.compress,
    bz2.compress,
    lzma.compress,
    lambda text: gzip.compress(gzip.compress(text)),
    lambda text: gzip.compress(text) + text,
    lambda text: json.dumps(text.decode("latin-1")).encode(),
    lambda text: b"[" + text + b"]",
    lambda text: b'{"1": ' + text + b"}",
    lambda text: b"PAR1" + text + b"PAR1",
    lambda text: b"\xef\xbb\xbf" + text,
    lambda text: text.decode("latin-1").encode("utf-16"),
    lambda text: text.decode("latin-1").encode("utf-16-le"),
    lambda text: text.decode("latin-1").encode("utf-8"),
    lambda text: text.replace(b"\n", b"\r"),
)
"""What a file may be within."""


def _nested(rng: random.Random, text: bytes) -> bytes:
    for _ in range(rng.choice([1, 1, 2, 3])):
        text = rng.choice(WRAPPERS)(text)
    return text


def _repeated(rng: random.Random, text: bytes) -> bytes:
    """Repeat a part of the file, or something short, and put that somewhere or after a cut."""
    start, end = sorted(rng.choices(_cuts(rng, text), k=2))
    part = text[start:end] if rng.random() < 0.4 else rng.choice(PARTS)
    size = rng.choice([100, 5000, LONGEST])
    middle = part * (size // max(len(part), 1))
    if rng.random() < 0.2:
        middle += rng.choice(PARTS) * (size // 8)
    return text[:start] + middle + (text[end:] if rng.random() < 0.6 else b"")


def _truncated(rng: random.Random, text: bytes) -> bytes:
    start, end = sorted(rng.choices(range(len(text) + 1), k=2))
    return text[start:end] if rng.random() < 0.3 else text[:end]
