"""Judgments with the text of their file, which is written again with other grades, each line as it was otherwise."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from irevalx.api.forms import is_file, source_of
from irevalx.api.inputs import Qrels
from irevalx.api.user_warnings import warn
from irevalx.arrays.segments import AnyArray, BoolArray
from irevalx.errors import ArgumentError, InputError, shown_name
from irevalx.experiments.ranking_runs import raise_first
from irevalx.experiments.user_data import judgments_of
from irevalx.frozen import replace
from irevalx.judgments import AnyJudgments
from irevalx.judgments.graded import Judgments
from irevalx.reading.blocks import whole_file
from irevalx.reading.formats import QRELS, read_qrels, rel_format
from irevalx.reading.source import Source
from irevalx.trec_eval.versions import TREC_EVAL_10

if TYPE_CHECKING:
    from typing_extensions import Self


class QrelsText(Qrels):
    """Judgments with the text of their file; ``judgments.lines`` are the line numbers."""

    def __init__(self, judgments: AnyJudgments, text: bytes, rel_format: str = QRELS.name) -> None:
        super().__init__(judgments, rel_format)
        self.text = text
        """The file of these judgments, to be written."""

    @classmethod
    def parsed(cls, path: str, lines: Iterable[bytes], form: str = QRELS.name) -> Self:
        """Read judgments from lines made of other judgments (at ``path``), without repeating their warnings."""
        text = b"".join(lines)
        if not text:
            raise InputError(f"{shown_name(path)}: a judgment must be left, but none is")
        return cls(rel_format(form).read(Source(path, text), TREC_EVAL_10, False, lambda line: None), text, form)


class GradedText(QrelsText):
    """Judgments with a grade for each document, no document twice in a topic, and the text that they stand in."""

    judgments: Judgments

    @classmethod
    def of(cls, qrels: Any, form: str = QRELS.name) -> GradedText:
        """Read judgments; unless they are a file in the format qrels, their text has lines ``TOPIC 0 DOCNO GRADE``."""
        if isinstance(qrels, QrelsText) and isinstance(qrels.judgments, Judgments) and qrels.rel_format == QRELS.name:
            return cls(qrels.judgments, qrels.text)
        if is_file(qrels) and not isinstance(qrels, Qrels):  # which has a function read
            source = source_of(qrels, "qrels")
            if form == QRELS.name and not source.is_parquet:
                content = source.in_memory()
                judgments = read_qrels(content, TREC_EVAL_10, strict=False, warn=warn)
                raise_first(judgments.duplicates)
                return cls(judgments, whole_file(content).text)
            graded = rel_format(form).read(source, TREC_EVAL_10, False, warn)
        else:
            graded = judgments_of(qrels, form)
        if not isinstance(graded, Judgments) or graded.strata is not None:
            raise ArgumentError(f"rel_format must be of judgments with a grade for each document, but got {form!r}")
        raise_first(graded.duplicates)
        numbered = replace(graded, lines=np.arange(1, graded.rows.size + 1))
        return cls(numbered, b"".join(_plain_lines(numbered, np.arange(graded.rows.size))))

    def rewritten(self, judgments: Judgments, written: BoolArray | None = None) -> GradedText:
        """Return the same documents with other grades, as ``lines_with`` writes them."""
        return GradedText.parsed(judgments.path, self.lines_with(judgments, written))

    def first_columns(self, written: BoolArray) -> Iterator[tuple[int, list[bytes]]]:
        """Yield places of judgments in the order of the file, with the first three columns; ``written`` says which."""
        text, number = self.text.split(b"\n"), self.judgments.lines
        chosen = np.flatnonzero(written)
        for place in chosen[np.argsort(number[chosen])].tolist():
            yield place, text[number[place] - 1].split()[:3]

    def lines_with(self, judgments: Judgments, written: BoolArray | None = None) -> Iterator[bytes]:
        """Yield lines in the order of the file, changed only in grades that differ; flat ``written`` selects judgments.

        Documents that have no line (0), such as those added by a pool, come last, as ``TOPIC 0 DOCNO GRADE``.
        """
        text = self.text.split(b"\n")
        grade_there = np.zeros(len(text) + 1, np.int64)
        grade_there[self.judgments.lines] = self.judgments.grades
        changed = judgments.grades != grade_there[judgments.lines]
        chosen = np.arange(judgments.rows.size) if written is None else np.flatnonzero(written)
        has_line = judgments.lines[chosen] > 0
        there = chosen[has_line]
        for place in there[np.argsort(judgments.lines[there])].tolist():
            line = text[judgments.lines[place] - 1].rstrip(b"\r")
            if changed[place]:
                bare = line.rstrip()
                line = b"%s%d" % (bare[: -len(bare.split()[-1])], judgments.grades[place])
            yield line + b"\n"
        yield from _plain_lines(judgments, chosen[~has_line])


def _plain_lines(judgments: Judgments, places: AnyArray) -> Iterator[bytes]:
    """Yield a line ``TOPIC 0 DOCNO GRADE`` for each of these places."""
    topics = [judgments.topics[topic] for topic in judgments.rows.ids[places].tolist()]
    for line in zip(topics, judgments.docnos.take(places).texts(), judgments.grades[places].tolist(), strict=True):
        yield b"%s 0 %s %d\n" % line
