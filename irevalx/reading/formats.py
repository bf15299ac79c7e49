"""FILE_FORMATS, which contains one record for each file format.

Options, help, manual pages, completion, errors and tests are generated from the records. To add a format, add a record
to ``judgment_formats`` or ``run_formats``, and an example, which ``tests/reading/test_formats.py`` requires. If no
existing reader is suitable, also add a module with a reader. A reader is imported when a file is read, so that the help
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
    """Return a hint about a malformed line after trying all formats, or "" if there is no hint."""
    from irevalx.reading.format_hints import hint_at  # most files contain no malformed lines

    return hint_at(FILE_FORMATS, fmt, line, lines, layout)


FileFormat.hint = hint  # a method with the same name can be pickled

REL_FORMATS: dict[str, FileFormat[AnyJudgments]] = {
    fmt.name: fmt for fmt in FILE_FORMATS if fmt.kind is FileKind.JUDGMENTS
}
"""The judgment format that each value of ``-R`` selects."""

RESULTS_FORMATS: dict[str, FileFormat[RunStream]] = {fmt.name: fmt for fmt in FILE_FORMATS if fmt.kind is FileKind.RUNS}
"""The run format that each value of ``-T`` selects."""

read_qrels, read_trec_results, read_pool = QRELS.read, TREC_RESULTS.read, POOL.read
"""The readers of the default formats."""


def rel_format(name: str) -> FileFormat[AnyJudgments]:
    """Return the judgment format called ``name``. Raise FormatError if there is no such format."""
    return _named(REL_FORMATS, "judgments", FileKind.JUDGMENTS, name)


def results_format(name: str) -> FileFormat[RunStream]:
    """Return the run format called ``name``. Raise FormatError if there is no such format."""
    return _named(RESULTS_FORMATS, "runs", FileKind.RUNS, name)


def names_of(kind: FileKind) -> str:
    """Return a phrase that lists the names of all formats of a kind.

    >>> names_of(FileKind.POOL)
    'pool'
    """
    return join_words([fmt.name for fmt in FILE_FORMATS if fmt.kind is kind], "or")


def _named(formats: Mapping[str, FileFormat[Data]], what: str, kind: FileKind, name: str) -> FileFormat[Data]:
    """Return the format called ``name``. ``what`` is the description of the formats in the error message."""
    if name in formats:
        return formats[name]
    raise FormatError(f"unknown format of {what} {quote(name)}; {spelled(kind.parameter)} accepts {names_of(kind)}")
