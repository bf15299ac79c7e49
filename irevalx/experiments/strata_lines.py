"""Files of judgments of a sample of strata, and what a user must know of it."""

from __future__ import annotations

import os
from collections.abc import Iterator

import numpy as np

from irevalx.arrays.segments import BoolArray
from irevalx.errors import quote, shown_name
from irevalx.experiments.qrels_text import GradedText
from irevalx.experiments.samples import is_relevant
from irevalx.experiments.strata import StrataSample
from irevalx.reading.prels_files import AT_RANDOM, NOT_DRAWN


def sampled_lines(read: GradedText, sample: StrataSample, written: BoolArray) -> Iterator[bytes]:
    """Yield ``TOPIC IGNORED DOCNO STRATUM GRADE`` in the order of the file, -1 for what was not drawn.

    Parameters
    ----------
    read : the judgments that the sample was drawn from.
    written : flat over the judgments; whose lines to write, each in some stratum.
    """
    names = [os.fsencode(name) for name in sample.names]
    grades = sample.grades
    for place, (topic, ignored, docno) in _in_order(read, written):
        yield b"%s %s %s %s %d\n" % (topic, ignored, docno, names[sample.stratum[place]], grades[place])


def prels_lines(read: GradedText, sample: StrataSample, written: BoolArray) -> Iterator[bytes]:
    """Yield ``TOPIC DOCNO GRADE METHOD PROBABILITY``, the grade being -999 for what was not drawn.

    The probability is that with which the document was drawn, with all digits that its number has; all documents are
    said to be drawn at random. Parameters are those of ``sampled_lines``.
    """
    for place, (topic, _, docno) in _in_order(read, written):
        grade = sample.judgments.grades[place] if sample.kept[place] else NOT_DRAWN
        chance = repr(float(sample.probability[place])).encode()
        yield b"%s %s %d %d %s\n" % (topic, docno, grade, AT_RANDOM[0], chance)


def _in_order(read: GradedText, written: BoolArray) -> Iterator[tuple[int, list[bytes]]]:
    """Yield places of judgments in the order of the file, with the first three columns."""
    text, number = read.text.split(b"\n"), read.judgments.lines
    chosen = np.flatnonzero(written)
    for place in chosen[np.argsort(number[chosen])].tolist():
        yield place, text[number[place] - 1].split()[:3]


def warnings_of_sample(sample: StrataSample, level: int) -> list[str]:
    """Return a line on topics without relevant documents in the sample, and one on documents of no stratum."""
    judgments, lines = sample.judgments, []
    where = shown_name(judgments.path)
    drawn = judgments.rows.count(is_relevant(judgments, level) & sample.kept)
    if without := np.flatnonzero(drawn == 0).tolist():
        lines.append(
            f"{where}: {len(without)} of {len(judgments.topics)} topics have no relevant document in the sample, the "
            f"first being {quote(judgments.topics[without[0]])}"
        )
    if left_out := int(np.count_nonzero((judgments.grades >= 0) & ~sample.in_stratum)):
        n_judged = int(np.count_nonzero(judgments.grades >= 0))
        lines.append(f"{where}: {left_out} of {n_judged} judged documents are left out: they are in no stratum")
    return lines
