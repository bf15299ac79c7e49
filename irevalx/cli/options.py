"""Options: the parsed and checked command line."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from contextlib import suppress
from typing import Any

from irevalx.declarations import spelled_rule
from irevalx.errors import STANDARD_INPUT, UsageError, quote
from irevalx.frozen import Frozen, fields
from irevalx.process.system import as_text
from irevalx.reading import formats
from irevalx.reports import MOST_DIGITS, OUTPUT_FORMATS, OutputFormat
from irevalx.settings import PROBABILITY, Duplicates, Grades, IntervalMethod, Settings, Ties, UnjudgedTreatment
from irevalx.trec_eval.numbers import c_long
from irevalx.trec_eval.versions import COMPAT, TREC_EVAL_10, Compat

DEFAULT_FORMAT = "trec"
"""The default of ``--format``."""

TABLES_FOR_PEOPLE = tuple(form.name for form in OUTPUT_FORMATS.values() if form.for_people)
"""The values of ``--format`` that permit ``--digits``."""


def refuse_standard_input_twice(*paths: str | None) -> None:
    """Raise UsageError if several files are standard input or the same pipe; None stands for a missing file."""
    if paths.count(STANDARD_INPUT) > 1:
        raise UsageError("standard input (-) must be given for one file at most")
    seen: dict[tuple[int, int], str] = {}
    for path in filter(None, paths):
        with suppress(OSError, ValueError):
            status = os.stat(0 if path == STANDARD_INPUT else path)  # noqa: PTH116 - pathlib takes a while to import
            file = status.st_dev, status.st_ino
            if stat.S_ISFIFO(status.st_mode) and file in seen:
                both = f"{quote(seen[file])} and {quote(path)}"
                raise UsageError(f"a pipe must be given for one file at most, but got {both}")
            seen[file] = path


class TraceOptions(Frozen):
    """``-D LEVEL.TOPIC``: the level of tracing and, after the first dot, the only topic to evaluate."""

    level: int = 0
    topic: bytes | None = None

    @classmethod
    def parse(cls, texts: Iterable[bytes]) -> TraceOptions:
        """Parse all values of ``-D``: ``LEVEL``, ``LEVEL.TOPIC`` or ``.TOPIC``.

        The last level and the last topic apply; a level that is not a number is 0, like in C.
        """
        number, only = 0, None
        for text in texts:
            level, dot, topic = text.partition(b".")
            number, only = c_long(level)[0], topic if dot else only
        return cls(number, only)


class Options(Frozen, kw_only=True):
    """The parsed command line; fields are named like the parameters, which the help explains."""

    files: tuple[str, ...]  # judgments, then one or more runs; ``-`` is standard input
    measures: tuple[str, ...] = ()  # in order; empty for the default of the judgment format
    per_topic: bool = False
    no_summary: bool = False
    complete: bool = False
    level: float = 1  # an integer unless grades are real
    grades: Grades = "whole"
    judged_only: bool = False
    max_retrieved: int | None = None  # None for all, or for the limit of the judgment format
    collection_size: int = 0
    debug: TraceOptions = TraceOptions()
    rel_format: str = "qrels"
    results_format: str = "trec_results"
    zscores: str | None = None
    old_results_format: bool = False
    old_results_format_value: str | None = None
    pool: str | None = None
    unjudged: tuple[UnjudgedTreatment, ...] = ()  # treatments in which every measure is computed; empty for its own
    ties: Ties = "name"
    ignore_identical_ids: bool = False
    duplicates: Duplicates = "error"
    infap_c: float | None = None  # None for the measure's default, like ``infap_epsilon``
    infap_epsilon: float | None = None
    sample_rate: float | None = None  # None to estimate it from the judgments of each topic
    compat: Compat = TREC_EVAL_10
    strict: bool = False
    names: str = "trec_eval"
    format: str = DEFAULT_FORMAT
    digits: int | None = None  # None for ``DIGITS``
    threads: int = 1
    ci: float | None = None  # confidence level; None without intervals
    ci_method: IntervalMethod = "t"
    seed: int = 0
    topic_groups: str | None = None
    quiet: bool = False

    def as_typed(self) -> dict[str, Any]:
        """Return every option as reports show it: like on the command line, including defaults."""
        values = {name: getattr(self, name) for name in fields(self)}
        values["compat"] = next(name for name, compat in COMPAT.items() if compat is self.compat)
        topic = None if self.debug.topic is None else as_text(self.debug.topic)
        return values | {"debug": {"level": self.debug.level, "topic": topic}}

    @property
    def settings(self) -> Settings:
        """The options that determine measure values."""
        shared = {name: getattr(self, name) for name in fields(Settings) if name != "topic"}
        return Settings(**shared, topic=self.debug.topic)

    @property
    def output_format(self) -> OutputFormat:
        """The requested output format."""
        return OUTPUT_FORMATS[self.format]

    def check(self) -> None:
        """Raise UsageError for missing files and numbers out of range, FormatError for an unknown judgment format."""
        if len(self.files) < 2:
            raise UsageError("missing arguments: QRELS and at least one RUN (see irevalx -h)")
        refuse_standard_input_twice(*self.files, self.pool, self.zscores, self.topic_groups)
        self.settings.check()
        if self.debug.level > 0 and self.grades == "probability":
            raise UsageError(f"-D with a level above 0 cannot be combined with {spelled_rule(PROBABILITY)}")
        if self.debug.level > 0 and self.ties == "expected":
            raise UsageError("-D with a level above 0 cannot be combined with --ties expected: a trace shows one order")
        if self.digits is not None and not 0 <= self.digits <= MOST_DIGITS:
            raise UsageError(f"--digits must be at least 0 and at most {MOST_DIGITS}, but got {self.digits}")
        if self.threads < 1:
            raise UsageError(f"--threads must be at least 1, but got {self.threads}")
        formats.rel_format(self.rel_format)
