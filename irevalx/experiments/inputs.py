"""Functions that convert user input to judgments, runs and measures."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from irevalx.api.custom_measures import with_custom_measures
from irevalx.api.inputs import Qrels, read_runs
from irevalx.arrays.segments import AnyArray, BoolArray
from irevalx.errors import ArgumentError, InputError, RunWarnings, UsageError, shown_name, warn
from irevalx.experiments.ranked_runs import (
    raise_first,
)
from irevalx.frozen import replace
from irevalx.judgments import AnyJudgments
from irevalx.judgments.graded import Judgments
from irevalx.measures.requests import measures_in
from irevalx.reading.formats import read_qrels, rel_format
from irevalx.reading.judgment_formats import QRELS
from irevalx.reading.kinds.runs import RunStream
from irevalx.reading.run_formats import TREC_RESULTS
from irevalx.reading.sources.blocks import whole_file
from irevalx.reading.sources.files import Source
from irevalx.reading.sources.first_lines import Beginning, recognised
from irevalx.reading.sources.tables import is_file, source_of
from irevalx.trec_eval import TREC_EVAL_10, Compat

if TYPE_CHECKING:
    from typing_extensions import Self


def judgments_of(
    qrels: Any, rel_format: str = QRELS.name, grades: str = "whole", compat: Any = TREC_EVAL_10
) -> AnyJudgments:
    """Read judgments. Raise UsageError if ``qrels`` was already read with a type of grades other than ``grades``."""
    read = Qrels.read(qrels, rel_format=rel_format, grades=grades, compat=compat)
    if read.grades != grades:
        raise UsageError(f"grades must be {grades} here, not {read.grades}")
    return read.judgments


def graded_judgments_of(
    qrels: Any, rel_format: str = QRELS.name, grades: str = "whole", compat: Any = TREC_EVAL_10
) -> Judgments:
    """Read graded judgments in which no document occurs twice in a topic."""
    judgments = judgments_of(qrels, rel_format, grades, compat)
    if not isinstance(judgments, Judgments):
        raise ArgumentError(f"rel_format must be a format with a grade for each document, not {rel_format!r}")
    raise_first(judgments.duplicates)
    return judgments


def are_given(runs: Any) -> bool:
    """Return whether any runs are given. If ``runs`` is None or an empty list, no runs are given."""
    return not (runs is None or (isinstance(runs, list | tuple) and not runs))


def run_streams(runs: Any, compat: Compat = TREC_EVAL_10) -> list[RunStream]:
    """Convert user input to runs, whose lines are read later. Return a list of ``RunStream`` objects unchanged."""
    if isinstance(runs, list) and runs and isinstance(runs[0], RunStream):
        return runs
    each = read_runs(runs, TREC_RESULTS.name, strict=False)
    streams = []
    with RunWarnings(warn) as about_runs:
        for run in each:
            stream = run.for_one_evaluation(compat)
            about_runs.add(stream.warnings)
            streams.append(replace(stream, name=run.name, warnings=()))
    return streams


def measures_of(measures: Any) -> tuple[str, ...]:
    """Return the requested measures. One string can contain several measures, separated by spaces or commas."""
    return tuple(measure for text in with_custom_measures(measures) for measure in measures_in(text))


class QrelsText(Qrels):
    """Judgments together with the text of their file. ``judgments.lines`` contains the line number of each judgment."""

    def __init__(self, judgments: AnyJudgments, text: bytes, rel_format: str = QRELS.name) -> None:
        super().__init__(judgments, rel_format)
        self.text = text
        """The text of the judgment file, from which lines are copied to a new file."""

    @classmethod
    def parsed(cls, path: str, lines: Iterable[bytes], form: str = QRELS.name) -> Self:
        """Read judgments from lines that were derived from the file at ``path``.

        Warnings about the original file are not repeated.
        """
        text = b"".join(lines)
        if not text:
            raise InputError(f"{shown_name(path)}: no judgments remain")
        return cls(rel_format(form).read(Source(path, text), TREC_EVAL_10, False, lambda line: None), text, form)


class GradedQrelsText(QrelsText):
    """Graded judgments with the text of their file. A topic has at most one judgment of each document."""

    judgments: Judgments

    @classmethod
    def of(cls, qrels: Any, form: str = QRELS.name) -> GradedQrelsText:
        """Read judgments. For input other than a qrels file, the text consists of lines ``TOPIC 0 DOCNO GRADE``."""
        if isinstance(qrels, QrelsText) and isinstance(qrels.judgments, Judgments) and qrels.rel_format == QRELS.name:
            return cls(qrels.judgments, qrels.text)
        if is_file(qrels) and not isinstance(qrels, Qrels):  # a Qrels object also has a method ``read``
            source = source_of(qrels, "qrels")
            if form == QRELS.name and not source.is_parquet:
                source = source.in_memory()
                if QRELS.layout and recognised(Beginning.of(source), QRELS.layout) == "lines":
                    judgments = read_qrels(source, TREC_EVAL_10, strict=False, warn=warn)
                    raise_first(judgments.duplicates)
                    return cls(judgments, whole_file(source).text)
            graded = rel_format(form).read(source, TREC_EVAL_10, False, warn)
        else:
            graded = judgments_of(qrels, form)
        if not isinstance(graded, Judgments) or graded.strata is not None:
            raise ArgumentError(f"rel_format must be a format with a grade for each document, not {form!r}")
        raise_first(graded.duplicates)
        numbered = replace(graded, lines=np.arange(1, graded.rows.size + 1), weights=None)
        return cls(numbered, b"".join(plain_lines(numbered, np.arange(graded.rows.size))))

    def rewritten(self, judgments: Judgments, written: BoolArray | None = None) -> GradedQrelsText:
        """Return the judgments with new grades, together with the text of the new file. See ``lines_with``."""
        return GradedQrelsText.parsed(judgments.path, self.lines_with(judgments, written))

    def first_columns(self, written: BoolArray) -> Iterator[tuple[int, list[bytes]]]:
        """Yield the index and the first three columns of each judgment that the mask ``written`` selects."""
        text, number = self.text.split(b"\n"), self.judgments.lines
        chosen = np.flatnonzero(written)
        for place in chosen[np.argsort(number[chosen])].tolist():
            yield place, text[number[place] - 1].split()[:3]

    def lines_with(self, judgments: Judgments, written: BoolArray | None = None) -> Iterator[bytes]:
        """Yield the lines of the judgment file, with the grades in ``judgments``.

        Lines with an equal grade are unchanged.

        If a mask is given as ``written``, only the judgments that it selects are yielded. Documents without a line in
        the file, for example documents added from a pool, come last, as ``TOPIC 0 DOCNO GRADE``.
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
        yield from plain_lines(judgments, chosen[~has_line])


def plain_lines(judgments: Judgments, places: AnyArray, values: Iterable[bytes] | None = None) -> Iterator[bytes]:
    """Yield a line ``TOPIC 0 DOCNO GRADE`` for each judgment. If ``values`` is given, write its items as grades."""
    topics = [judgments.topics[topic] for topic in judgments.rows.ids[places].tolist()]
    if values is None:
        values = [b"%d" % grade for grade in judgments.grades[places].tolist()]
    for line in zip(topics, judgments.docnos.take(places).texts(), values, strict=True):
        yield b"%s 0 %s %s\n" % line
