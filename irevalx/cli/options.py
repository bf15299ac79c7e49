"""Options: the command line, read but not acted upon."""

from __future__ import annotations

import os
from typing import Any

from irevalx.errors import UsageError
from irevalx.frozen import Frozen, fields
from irevalx.settings import Reading, Settings
from irevalx.trec_eval.numbers import c_long
from irevalx.trec_eval.versions import COMPAT, TREC_EVAL_10, Compat

TABLES = ("table", "markdown", "latex")
"""What ``--format`` makes for people."""

OUTPUT_FORMATS = ("trec", *TABLES, "csv", "tsv", "json", "jsonl")
"""The values of ``--format``."""


class Debug(Frozen):
    """``-D LEVEL.TOPIC``: the level of tracing and, behind the first dot, the only topic to evaluate."""

    level: int = 0
    topic: bytes | None = None

    @classmethod
    def parse(cls, text: bytes) -> Debug:
        """Read ``LEVEL``, ``LEVEL.TOPIC`` or ``.TOPIC``; a level that is no number is 0, as in C."""
        level, dot, topic = text.partition(b".")
        return cls(c_long(level)[0], topic if dot else None)


class Options(Frozen, kw_only=True):
    """The command line as it was typed. Field names are those of the command's parameters."""

    files: tuple[str, ...]
    """Judgments, then one or more runs; ``-`` is standard input."""

    measures: tuple[str, ...] = ()
    """What ``-m`` was given, in order; none stands for the set that is usual for the format of the judgments."""

    per_topic: bool = False
    """``-q``: print the values of each topic."""

    no_summary: bool = False
    """``-n``: leave out the ``all`` lines."""

    complete: bool = False
    """``-c``: average over every judged topic."""

    level: int = 1
    """``-l``: the least judgment that counts as relevant."""

    judged_only: bool = False
    """``-J``: remove unjudged documents from the rankings."""

    max_retrieved: int | None = None
    """``-M``: evaluate this many documents of a topic; at least 0. None stands for all, or for as many as the format of
    the judgments is made for."""

    collection_size: int = 0
    """``-N``: documents in the collection, for utility."""

    debug: Debug = Debug()
    """``-D``."""

    rel_format: str = "qrels"
    """``-R``: the format of the judgments."""

    results_format: str = "trec_results"
    """``-T``: the format of the runs."""

    zscores: str | None = None
    """``-Z``: the z-score file."""

    old_results_format: bool = False
    """``-o``: accepted and without effect."""

    old_results_format_value: str | None = None
    """``--Output_old_results_format``: accepts a value and has no effect."""

    pool: str | None = None
    """``--pool``: the file of the documents chosen for judging."""

    unjudged: tuple[Reading, ...] = ()
    """``--unjudged``: the readings of the unjudged that every measure is printed in; none stands for its own."""

    infap_c: float | None = None
    """``--infap-c``: the constant c of infAP; at least 1. None stands for the measure's own."""

    infap_epsilon: float | None = None
    """``--infap-epsilon``: the smoothing constant of infAP; above 0. None stands for the measure's own."""

    sample_rate: float | None = None
    """``--sample-rate``: the p of subAP; above 0 and at most 1. None: topic by topic from the judgments."""

    compat: Compat = TREC_EVAL_10
    """``--compat``."""

    strict: bool = False
    """``--strict``: numbers that are not plain are errors."""

    names: str = "trec_eval"
    """``--names``: one of ``NAMINGS``."""

    format: str = "trec"
    """``--format``: one of ``OUTPUT_FORMATS``."""

    digits: int | None = None
    """``--digits``: decimals of real numbers in tables; None stands for 4."""

    threads: int = 1
    """``--threads``: how many processes share the work; at least 1."""

    quiet: bool = False
    """``--quiet``: no warnings."""

    def as_typed(self) -> dict[str, Any]:
        """Return every option as a report shows it: in the words of the command line, defaults included."""
        shown = {name: getattr(self, name) for name in fields(self)}
        shown["compat"] = next(name for name, compat in COMPAT.items() if compat is self.compat)
        topic = None if self.debug.topic is None else os.fsdecode(self.debug.topic)
        return shown | {"debug": {"level": self.debug.level, "topic": topic}}

    @property
    def settings(self) -> Settings:
        """What of it the values of an evaluation depend on."""
        shared = {name: getattr(self, name) for name in fields(Settings) if name != "topic"}
        return Settings(**shared, topic=self.debug.topic)

    def check(self) -> None:
        """Find what makes no sense.

        Raises
        ------
        UsageError : a number out of bounds, or options that exclude each other.
        """
        self.settings.check()
        if self.digits is not None and self.digits < 0:
            raise UsageError(f"--digits must be at least 0, but got {self.digits}")
        if self.digits is not None and self.format not in TABLES:
            raise UsageError(f"--digits must be given together with --format {', '.join(TABLES)}, or not at all")
        if self.threads < 1:
            raise UsageError(f"--threads must be at least 1, but got {self.threads}")
        self.settings.refuse_contradictions(self.measures, self.rel_format, with_pool=self.pool is not None)
