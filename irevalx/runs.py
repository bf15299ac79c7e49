"""A run: what a system retrieved, grouped by topic."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from irevalx.segments import FloatArray, IntArray, Segments


@dataclass(frozen=True, eq=False)
class Run:
    """The retrieved documents of every topic.

    Parameters
    ----------
    path : the file as the user named it.
    tag : the run tag of the last line; empty for a run without lines.
    topics : ascending in byte order, each once.
    rows : one row a topic, its documents in the order of the file (not ranked).
    docnos, scores : flat.
    lines : flat; the 1-based line of the file.
    """

    path: str
    tag: bytes
    topics: tuple[bytes, ...]
    rows: Segments
    docnos: Sequence[bytes]
    scores: FloatArray
    lines: IntArray

    @cached_property
    def topic_index(self) -> dict[bytes, int]:
        """Where a topic stands in ``topics``."""
        return {topic: index for index, topic in enumerate(self.topics)}
