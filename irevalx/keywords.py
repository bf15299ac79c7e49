"""Messages in Python's words: what names options of the commands, said with the keywords of the public functions.

A message is written once, as the command says it (``-l must be a whole number; --grades real takes it``). Programs get
it from ``str`` of an error or a warning: ``level must be a whole number; grades="real" takes it``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar

CALLED_OTHERWISE = {
    "-D": "topic",
    "-J": "judged_only",
    "-M": "max_retrieved",
    "-N": "collection_size",
    "-R": "rel_format",
    "-T": "results_format",
    "-c": "complete",
    "-l": "level",
    "-m": "measures",
    "--all-topics": "complete",
    "--as": "sample_format",
    "--difference": "differences",
    "--docs": "documents",
    "--lambda": "weight",
    "--measure": "measures",
    "--new-run": "new_runs",
    "--round": "rounding",
    "--width": "widths",
    "QRELS": "qrels",
}
"""The keywords of options that are called otherwise; any other long option is its keyword, with underscores."""

FLAGS = frozenset(
    {"all_topics", "complete", "ignore_identical_ids", "judged_only", "labels_replace", "own_pool", "strict"}
)
"""Keywords that are True or False: ``-c counts them as 0`` is ``complete=True counts them as 0``."""

VALUES = frozenset(
    {"whole", "real", "probability"}
    | {"name", "rank", "first", "expected", "best", "worst", "error"}
    | {"qrels", "beir", "json", "sampled", "qrels_jg", "prefs", "qrels_prefs", "pairs", "subtopics", "prels"}
    | {"trec_results", "msmarco", "scored"}
)
"""Words that are values where they stand after an option; other words go on with the sentence."""

_CALLED = r"(?:irevalx|trec_eval)(?:-lab)?(?: [a-z-]+)?(?: --?[A-Za-z][\w-]*(?: [\w.]+)?)+"
_QUOTED = r"(?<!\w)'.*?'(?!\w)"
_OPTION = r"(?<![\w'/.-])(--[a-z](?:[a-z-]*[a-z])?|-[A-Za-z]|QRELS)(?![\w-])(?: ([a-z_]+|[0-9]+)(?![\w.]))?"
_WORDS = re.compile(f"{_CALLED}|{_QUOTED}|{_OPTION}", re.DOTALL)


_CALLED_HERE: ContextVar[Mapping[str, str] | None] = ContextVar("called here", default=None)


@contextmanager
def called_here(names: Mapping[str, str]) -> Iterator[None]:
    """Let messages made inside use other keywords for some options: those of the function that is running."""
    token = _CALLED_HERE.set(names)
    try:
        yield
    finally:
        _CALLED_HERE.reset(token)


def in_keywords(message: str) -> str:
    """Return a message with keywords in place of options; what is quoted, or a command line, stays as it is.

    >>> in_keywords("-l must be a whole number, but got 0.5; --grades real takes it")
    'level must be a whole number, but got 0.5; grades="real" takes it'
    >>> in_keywords("1 topic without results is left out of the averages (-c counts it as 0)")
    '1 topic without results is left out of the averages (complete=True counts it as 0)'
    """
    return _WORDS.sub(_in_keywords, message)


def _in_keywords(found: re.Match[str]) -> str:
    option, after = found.groups()
    if option is None or not (option in CALLED_OTHERWISE or option.startswith("--")):
        return found[0]
    called = {**CALLED_OTHERWISE, **(_CALLED_HERE.get() or {})}
    keyword = called.get(option) or option[2:].replace("-", "_")
    if after is not None and after.isdigit():
        return f"{keyword}={after}"
    if after in VALUES:
        return f'{keyword}="{after}"'
    said = f"{keyword}=True" if keyword in FLAGS else keyword
    return said if after is None else f"{said} {after}"
