"""Z-scores, which express values as differences from a mean in standard deviations (``-Z``)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from irevalx.arrays.segments import FloatArray
from irevalx.errors import MalformedLineError, UnreadableFileError, Warn, ZscoreFileError
from irevalx.frozen import Frozen
from irevalx.measures.summaries import Summary, Values, as_list
from irevalx.process.platform import as_bytes
from irevalx.reading.layout import Layout
from irevalx.reading.sources.blocks import whole_file
from irevalx.reading.sources.files import Source
from irevalx.reading.sources.lines import cut_lines, real_numbers
from irevalx.trec_eval import Compat, MalformedNumbers

LAYOUT = Layout(line="a line of z-scores", columns=("TOPIC MEASURE MEAN DEVIATION",))

UNKNOWN = -1_000_000.0
"""The z-score of a value if the mean and deviation are unknown, or if the deviation is 0 and the value is not the
mean."""


class ZscoreMoments(Frozen):
    """The means and standard deviations of measures for one topic."""

    names: Sequence[bytes]
    """The printed names in ascending byte order. A name can occur repeatedly."""
    values: Sequence[tuple[float, float]]
    """The mean and the standard deviation for each name."""

    def find(self, name: bytes) -> tuple[float, float] | None:
        """Return the mean and standard deviation of a measure, or None if they are missing."""
        # As in trec_eval, the upper end of the range is too high by 1, which determines which of several entries for a
        # name is returned.
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
    """The contents of a z-score file, which lists means and standard deviations."""

    moments: dict[bytes, ZscoreMoments]

    def of(
        self, name: str, values: Values | None, summary: Summary | None, topics: Sequence[bytes]
    ) -> tuple[FloatArray | None, Summary | None]:
        """Return the z-scores of topic values (or None), and the summary that computes the `all` row from them."""
        zscores = None
        if values is not None:
            scaled = as_list(summary.scale(values) if summary else values)
            key = as_bytes(name)
            converted = (self._convert(key, topic, value) for topic, value in zip(topics, scaled, strict=True))
            zscores = np.array(list(converted), np.float64)
        return zscores, summary and summary.of_zscores

    def _convert(self, name: bytes, topic: bytes, value: float) -> float:
        """Return the z-score of one topic value of the measure that is printed as ``name``."""
        moments = self.moments.get(topic)
        known = moments and moments.find(name)
        if not known:
            return UNKNOWN
        mean, deviation = known
        if deviation == 0:
            return 0.0 if value == mean else UNKNOWN
        return (value - mean) / deviation


def read_zscores(source: Source, compat: Compat, strict: bool, warn: Warn) -> Zscores:
    """Read a file of means and standard deviations. If ``strict`` is true, malformed numbers are errors."""
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
        moments[topic] = ZscoreMoments([name for name, _ in entries], [pair for _, pair in entries])
    return Zscores(moments)
