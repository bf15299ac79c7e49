"""Columns of pyarrow in which a row holds many things, as bytes laid end to end; and what changes in a column.

Rows cost an engine far more than bytes. Packed columns share the memory of what they are made of.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any, TypeAlias

import numpy as np

from irevalx.arrays.segments import AnyArray, ByteArray, IntArray

Column: TypeAlias = Any
"""An array of pyarrow."""


def packed(flat: AnyArray, bounds: IntArray) -> Column:
    """Return a column of bytes.

    Parameters
    ----------
    flat : one dimension, and one piece of memory.
    bounds : shape (n + 1,); row i is ``flat[bounds[i]:bounds[i + 1]]``.
    """
    pa = import_module("pyarrow")
    offsets = (bounds * flat.itemsize).astype(np.int32)
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(flat.view(np.uint8))]
    return pa.Array.from_buffers(pa.binary(), offsets.size - 1, buffers)


def unpacked(column: Column) -> tuple[ByteArray, IntArray]:
    """Return the bytes of a column of strings or bytes without nulls: all of them, and where each row begins and ends.

    Returns
    -------
    flat : without a copy.
    bounds : shape (n + 1,); from 0 up.
    """
    pa = import_module("pyarrow")
    column = column.cast(pa.binary())
    _, offsets, data = column.buffers()
    bounds = np.frombuffer(offsets, np.int32)[column.offset :][: len(column) + 1].astype(np.int64)
    first, last = bounds[[0, -1]].tolist()
    flat = np.frombuffer(data, np.uint8)[first:last] if last > first else np.empty(0, np.uint8)
    return flat, bounds - first


def encoded(column: Column) -> tuple[list[Any], IntArray]:
    """Return the different strings of a column, null among them, and for each row the place of its string in them."""
    coded = column.dictionary_encode("encode")
    return coded.dictionary.to_pylist(), coded.indices.to_numpy().astype(np.int64)


def starts(codes: IntArray) -> IntArray:
    """Return the places that hold another number than the place before, and the first."""
    return np.flatnonzero(np.append(True, codes[1:] != codes[:-1])) if codes.size else np.empty(0, np.int64)
