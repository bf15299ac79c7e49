"""Z-scores: values in standard deviations from a mean, both read from a file (``-Z``)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from irevalx.arrays.segments import FloatArray
from irevalx.errors import MalformedLineError, UnreadableFileError, Warn, ZscoreFileError
from irevalx.frozen import Frozen
from irevalx.measures.summary import Summary, Values, as_list
from irevalx.process.system import as_bytes
from irevalx.reading.blocks import whole_file
from irevalx.reading.layout import Layout
from irevalx.reading.lines import cut_lines, real_numbers
from irevalx.reading.source import Source
from irevalx.trec_eval.numbers import MalformedNumbers
from irevalx.trec_eval.versions import Compat

LAYOUT = Layout(line="a line of z-scores", columns=("TOPIC MEASURE MEAN DEVIATION",))
"""How a line of a z-score file is made."""

UNKNOWN = -1_000_000.0
"""The z-score where mean and standard deviation are not known, or where the latter is 0 and the value not the mean."""


class Moments(Frozen):
    """Mean and standard deviation of the measures of one topic.

    Parameters
    ----------
    names : the measures as they are printed, ascending in byte order; one may be there several times.
    values : mean and standard deviation of each.
    """

    names: Sequence[bytes]
    values: Sequence[tuple[float, float]]

    def find(self, name: bytes) -> tuple[float, float] | None:
        """Return mean and standard deviation of a measure; None if it is not there.

        Which of several is found depends on the search: trec_eval begins with a stretch that is one too long.
        """
        low, high = 0, len(self.names)
        while low <= high:
            middle = (low + high) // 2
            if middle == len(self.names) or self.names[middle] > name:
                high = middle - 1
            elif self.names[middle] < name:
                low = middle + 1
            else:
                return self.values[middle]
        return None


class Zscores(Frozen):
    """What a z-score file says.

    Parameters
    ----------
    moments : by topic.
    """

    moments: dict[bytes, Moments]

    def of(
        self, name: str, values: Values | None, summary: Summary | None, topics: Sequence[bytes]
    ) -> tuple[FloatArray | None, Summary | None]:
        """Return the z-scores of a measure, and their summary.

        Parameters
        ----------
        name : as it is printed.
        values : one per topic, or None. They are converted on the scale of their summary.
        summary : of the values.
        topics : ascending.

        Returns
        -------
        zscores : shape (n_topics,), or None where there are no values.
        summary : of the z-scores.
        """
        zscores = None
        if values is not None:
            scaled = as_list(summary.scale(values) if summary else values)
            key = as_bytes(name)
            converted = (self._convert(key, topic, value) for topic, value in zip(topics, scaled, strict=True))
            zscores = np.array(list(converted), np.float64)
        return zscores, summary and summary.of_zscores

    def _convert(self, name: bytes, topic: bytes, value: float) -> float:
        """Return the z-score of one value of the measure that is printed under this name."""
        moments = self.moments.get(topic)
        found = moments and moments.find(name)
        if not found:
            return UNKNOWN
        mean, deviation = found
        if deviation == 0:
            return 0.0 if value == mean else UNKNOWN
        return (value - mean) / deviation


def read_zscores(source: Source, compat: Compat, strict: bool, warn: Warn) -> Zscores:
    """Return the means and standard deviations of a file, ``topic measure mean deviation`` a line.

    Parameters
    ----------
    source : the file.
    compat : whether lines that start with ``#`` are comments.
    strict : refuse numbers that are not finite, rather than reading them as C does.
    warn : called with a line about such numbers.

    Raises
    ------
    ZscoreFileError : the file cannot be read, or a line is malformed.
    MalformedNumberError : under ``strict``.
    """
    try:
        lines = cut_lines(source.path, whole_file(source), LAYOUT, compat)
    except (UnreadableFileError, MalformedLineError) as error:
        raise ZscoreFileError(error.message) from None
    malformed = MalformedNumbers("mean or standard deviation", "a finite number", strict=strict)
    means, deviations = (real_numbers(lines[name], malformed, lines).tolist() for name in ("MEAN", "DEVIATION"))
    pairs = zip(means, deviations, strict=True)
    if message := malformed.message():
        warn(message)
    by_topic: dict[bytes, list[tuple[bytes, tuple[float, float]]]] = {}
    for topic, name, pair in zip(lines["TOPIC"].texts(), lines["MEASURE"].texts(), pairs, strict=True):
        by_topic.setdefault(topic, []).append((name, pair))
    moments = {}
    for topic, entries in by_topic.items():
        entries.sort(key=lambda entry: entry[0])
        moments[topic] = Moments([name for name, _ in entries], [pair for _, pair in entries])
    return Zscores(moments)
