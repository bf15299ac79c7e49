"""A file of judgments that is written again with other grades, each line as it was otherwise."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from irevalx.arrays.segments import BoolArray, IntArray
from irevalx.errors import Warn
from irevalx.frozen import Frozen
from irevalx.judgments.graded import Judgments
from irevalx.reading.blocks import one_block
from irevalx.reading.formats import read_qrels
from irevalx.reading.source import CHUNK_SIZE, Source
from irevalx.trec_eval.versions import TREC_EVAL_10


class QrelsLines(Frozen):
    """Judgments and the lines they were read from.

    Parameters
    ----------
    judgments : what was read; ``judgments.lines`` says which line each comes from.
    lines : all lines of the file, without line ends.
    """

    judgments: Judgments
    lines: tuple[bytes, ...]

    @classmethod
    def read(cls, source: Source, warn: Warn) -> QrelsLines:
        """Read a file of judgments; raises as ``read_qrels`` does, and when a document occurs twice in a topic."""
        content = one_block(source.chunks(CHUNK_SIZE)).text
        judgments = read_qrels(Source(source.path, content), TREC_EVAL_10, strict=False, warn=warn)
        if judgments.duplicates:
            raise judgments.duplicates[min(judgments.duplicates)]
        return cls(judgments, tuple(line.rstrip(b"\r") for line in content.split(b"\n")))

    def with_grades(self, grades: IntArray, written: BoolArray | None = None) -> Iterator[bytes]:
        """Yield lines in the order of the file; where a grade is another one, it alone is changed.

        Parameters
        ----------
        grades : flat over ``judgments``.
        written : flat over ``judgments``; whose lines to write. None: all.
        """
        judgments = self.judgments
        changed = grades != judgments.grades
        chosen = np.arange(judgments.rows.size) if written is None else np.flatnonzero(written)
        for place in chosen[np.argsort(judgments.lines[chosen])].tolist():
            line = self.lines[judgments.lines[place] - 1]
            if changed[place]:
                bare = line.rstrip()
                line = b"%s%d" % (bare[: -len(bare.split()[-1])], grades[place])
            yield line + b"\n"
