"""The module that defines FILE_FORMATS, which contains one record for each file format.

Options, help, manual pages, completion, errors and tests are generated from these records. To add a format, add a
record to ``judgment_formats`` or ``run_formats``, an example, which ``tests/reading/test_formats.py`` requires, and,
unless an existing reader fits, a module with its reader. A reader is imported when a file is read, so that the help
starts fast.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from irevalx.errors import FormatError, quote
from irevalx.reading import judgment_formats, run_formats
from irevalx.reading.file_format import FileFormat, FileKind
from irevalx.reading.judgment_formats import QRELS
from irevalx.reading.layout import Layout
from irevalx.reading.run_formats import POOL, TREC_RESULTS
from irevalx.wording import join_words, spelled

if TYPE_CHECKING:
    from irevalx.judgments import AnyJudgments
    from irevalx.reading.kinds.runs import RunStream

Data = TypeVar("Data")

FILE_FORMATS: tuple[FileFormat[Any], ...] = tuple(
    each for module in (judgment_formats, run_formats) for each in vars(module).values() if isinstance(each, FileFormat)
)
"""All formats in the order of the help."""


def hint(fmt: FileFormat[Any], line: bytes, lines: bytes, layout: Layout) -> str:
    """Return a hint about a malformed line, or "" if there is none. All formats are tried in turn."""
    from irevalx.reading.format_hints import hint_at  # imported late: most files have no malformed lines

    return hint_at(FILE_FORMATS, fmt, line, lines, layout)


FileFormat.hint = hint  # under its own name, so that the method can be pickled

REL_FORMATS: dict[str, FileFormat[AnyJudgments]] = {
    fmt.name: fmt for fmt in FILE_FORMATS if fmt.kind is FileKind.JUDGMENTS
}
"""A dictionary from each value of ``-R`` to the judgment format that it selects."""

RESULTS_FORMATS: dict[str, FileFormat[RunStream]] = {fmt.name: fmt for fmt in FILE_FORMATS if fmt.kind is FileKind.RUNS}
"""A dictionary from each value of ``-T`` to the run format that it selects."""

read_qrels, read_trec_results, read_pool = QRELS.read, TREC_RESULTS.read, POOL.read
"""The readers of the default formats."""


def rel_format(name: str) -> FileFormat[AnyJudgments]:
    """Return the judgment format with this name. Raise FormatError if no format has the name."""
    return _named(REL_FORMATS, "judgments", FileKind.JUDGMENTS, name)


def results_format(name: str) -> FileFormat[RunStream]:
    """Return the run format with this name. Raise FormatError if no format has the name."""
    return _named(RESULTS_FORMATS, "runs", FileKind.RUNS, name)


def names_of(kind: FileKind) -> str:
    """Return the names of the formats of a kind as a phrase for messages.

    >>> names_of(FileKind.POOL)
    'pool'
    """
    return join_words([fmt.name for fmt in FILE_FORMATS if fmt.kind is kind], "or")


def _named(formats: Mapping[str, FileFormat[Data]], what: str, kind: FileKind, name: str) -> FileFormat[Data]:
    """Return the format with this name. ``what`` describes the formats in the error message."""
    if name in formats:
        return formats[name]
    raise FormatError(f"unknown format of {what} {quote(name)}; {spelled(kind.parameter)} accepts {names_of(kind)}")
