"""Rows of runs that can be read only once, kept in a temporary file."""

from __future__ import annotations

import weakref
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from tempfile import SpooledTemporaryFile

import numpy as np

from irevalx.arrays.byte_strings import PADDING, Names
from irevalx.arrays.ids import Numerals
from irevalx.arrays.segments import AnyArray
from irevalx.arrays.stretches import Stretches
from irevalx.errors import UnreadableFileError, shown_name
from irevalx.frozen import Frozen
from irevalx.reading.tables.run_rows import RunRows

_MOST_IN_MEMORY = 1 << 24
"""Bytes; what is more goes to the disk."""


class _Part(Frozen):
    """Where some rows lie in a file.

    Parameters
    ----------
    begin : of their first byte.
    arrays : the types and sizes of the arrays that they are made of.
    """

    begin: int
    arrays: Sequence[tuple[np.dtype[np.generic], int]]


class KeptRows:
    """Rows that are read when they are first asked for, and kept from then on.

    Parameters
    ----------
    unread : the rows, some at a time.
    path : what messages call the table.
    """

    def __init__(self, unread: Iterator[RunRows], path: str) -> None:
        self._unread = unread
        self._path = path
        self._parts: list[_Part] = []
        self._ends: list[int] = []
        self._file = SpooledTemporaryFile(_MOST_IN_MEMORY)  # noqa: SIM115 - lives as long as the rows
        weakref.finalize(self, self._file.close)

    def rows(self, first: int = 0, last: int | None = None) -> Iterator[RunRows]:
        """Yield rows, some at a time, from a row on and before another one, or to the end; any number of times.

        Parameters
        ----------
        first, last : counted from 0.

        Raises
        ------
        UnreadableFileError : there is no room for the temporary file.
        And what reading the table raises.
        """
        number = bisect_right(self._ends, first)
        before = self._ends[number - 1] if number else 0
        while (last is None or before < last) and (part := self._part(number, before)):
            size = part.scores.size
            low, high = max(first - before, 0), size if last is None else min(size, last - before)
            if low < high:
                yield part.take(slice(low, high))
            before += size
            number += 1

    def _part(self, number: int, before: int) -> RunRows | None:
        """Return the rows of a part; None where there are no more.

        Parameters
        ----------
        number : of the part, from 0 up; there are at least so many.
        before : how many rows come before it.
        """
        if number < len(self._parts):
            return self._kept(self._parts[number], before)
        part = next(self._unread, None)
        if part is not None:
            self._keep(part)
            self._ends.append(before + part.scores.size)
        return part

    def _keep(self, part: RunRows) -> None:
        docnos = part.docnos
        ids = [docnos.numbers] if isinstance(docnos, Numerals) else _arrays_of(docnos)
        arrays = [part.scores, part.topics.starts, *_arrays_of(part.topics.names), *ids]
        try:
            begin = self._file.seek(0, 2)
            for array in arrays:
                self._file.write(np.ascontiguousarray(array).data)
        except OSError as error:
            reason = error.strerror or str(error)
            message = f"cannot keep {shown_name(self._path)} in a temporary file: {reason}"
            raise UnreadableFileError(message) from None
        self._parts.append(_Part(begin, [(array.dtype, array.size) for array in arrays]))

    def _kept(self, part: _Part, before: int) -> RunRows:
        self._file.seek(part.begin)
        read = [np.frombuffer(self._file.read(size * kind.itemsize), kind) for kind, size in part.arrays]
        scores, starts, bytes_of_topics, lengths_of_topics, *ids = read
        topics = Stretches(_names_of(bytes_of_topics, lengths_of_topics), starts, scores.size)
        docnos = Numerals(ids[0]) if len(ids) == 1 else _names_of(*ids)
        return RunRows(topics, docnos, scores, np.arange(before + 1, before + scores.size + 1))


def _arrays_of(names: Names) -> list[AnyArray]:
    """Return names as their bytes, one name behind the other, and their lengths."""
    packed = names.packed()
    return [packed.buffer[PADDING:-PADDING], packed.length.astype(np.min_scalar_type(packed.length.max(initial=0)))]


def _names_of(data: AnyArray, length: AnyArray) -> Names:
    """Do the reverse of ``_arrays_of``."""
    padding = np.zeros(PADDING, np.uint8)
    length = length.astype(np.int64)
    return Names(np.concatenate((padding, data, padding)), PADDING + np.cumsum(length) - length, length)
