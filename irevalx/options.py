"""What the user asked for: one field a flag."""

from __future__ import annotations

from dataclasses import dataclass, field

from irevalx.compat import TREC_EVAL_10, Compat
from irevalx.numerals import c_long


@dataclass(frozen=True)
class Debug:
    """``-D LEVEL.TOPIC``: the level of tracing and, behind the first dot, the only topic to evaluate."""

    level: int = 0
    topic: bytes | None = None

    @classmethod
    def parse(cls, text: bytes) -> Debug:
        """Read ``LEVEL``, ``LEVEL.TOPIC`` or ``.TOPIC``; a level that is no number is 0, as in C."""
        level, dot, topic = text.partition(b".")
        return cls(c_long(level)[0], topic if dot else None)


@dataclass(frozen=True, kw_only=True)
class Options:
    """The command line, read but not acted upon. Field names are those of the command's parameters."""

    files: tuple[str, ...]
    """Judgments, then one or more runs; ``-`` is standard input."""

    measures: tuple[str, ...] = ()
    """What ``-m`` was given, in order; none stands for ``official``."""

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

    max_retrieved: int = 2**31 - 1
    """``-M``: evaluate this many documents of a topic; at least 0."""

    collection_size: int = 0
    """``-N``: documents in the collection, for utility."""

    debug: Debug = field(default_factory=Debug)
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

    compat: Compat = TREC_EVAL_10
    """``--compat``."""

    strict: bool = False
    """``--strict``: numbers that are not plain are errors."""

    threads: int = 1
    """``--threads``: how many processes share the work; at least 1."""

    quiet: bool = False
    """``--quiet``: no warnings."""
