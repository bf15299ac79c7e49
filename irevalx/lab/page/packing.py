"""Data as a page carries it: numbers and topics compressed, to be unpacked when they are looked at."""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from irevalx.arrays.segments import AnyArray

CHUNK = 1 << 18
"""Characters of JSON that are compressed together, or a little more: what a browser unpacks in some milliseconds."""

_LEVEL = 6


def as_json(data: Any) -> str:
    """Return data as JSON of ASCII characters alone, without blanks."""
    return json.dumps(data, allow_nan=False, separators=(",", ":"))


def packed_numbers(numbers: AnyArray, kind: str) -> dict[str, Any]:
    """Return numbers compressed.

    Parameters
    ----------
    numbers : of any shape; nan stands for None.
    kind : how numpy calls numbers of this size, without their byte order: ``f8``, ``u2``. They are little-endian.
    """
    names = {"f8": "float64", "u2": "uint16"}
    text = _packed(np.ascontiguousarray(numbers, np.dtype(f"<{kind}")).tobytes())
    return {"packed": names[kind], "shape": list(numbers.shape), "data": text}


def packed_list(items: Iterable[Any]) -> dict[str, Any]:
    """Return a list of JSON values, compressed some at a time."""
    return {"packed": "json", "chunks": list(_chunks(items))}


def _chunks(items: Iterable[Any]) -> Iterator[dict[str, Any]]:
    first = number = size = 0
    texts: list[str] = []
    for number, item in enumerate(items, start=1):
        texts.append(as_json(item))
        size += len(texts[-1])
        if size >= CHUNK:
            yield _chunk(first, texts)
            first, size, texts = number, 0, []
    if texts:
        yield _chunk(first, texts)


def _chunk(first: int, texts: list[str]) -> dict[str, Any]:
    return {"first": first, "n": len(texts), "data": _packed(f"[{','.join(texts)}]".encode())}


def _packed(content: bytes) -> str:
    """Return bytes as raw deflate has them, in base64."""
    packer = zlib.compressobj(_LEVEL, zlib.DEFLATED, -zlib.MAX_WBITS)
    return base64.b64encode(packer.compress(content) + packer.flush()).decode("ascii")
