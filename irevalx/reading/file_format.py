"""FileFormat: a record of FILE_FORMATS, with its reader and its help."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import Enum
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

from irevalx.declarations import spelled, spelled_rule
from irevalx.errors import (
    FormatError,
    MalformedLineError,
    UnreadableFileError,
    UsageError,
    Warn,
    not_installed,
    quote,
    shown_name,
)
from irevalx.frozen import Frozen
from irevalx.reading.layout import Layout
from irevalx.settings import Grades
from irevalx.trec_eval import Compat

if TYPE_CHECKING:
    from irevalx.reading.sources.columns import ColumnTable
    from irevalx.reading.sources.files import Source

Data_co = TypeVar("Data_co", covariant=True)


class FileKind(Enum):
    """The content of the files of a format; the value is the option that names the format."""

    JUDGMENTS = "-R"
    RUNS = "-T"
    POOL = "--pool"

    @property
    def parameter(self) -> str:
        """The parameter that names the format, or the pool."""
        return {"-R": "rel_format", "-T": "results_format", "--pool": "pool"}[self.value]


class FileFormat(Frozen, Generic[Data_co], kw_only=True):
    """A file format: its reader and its help."""

    kind: FileKind
    name: str  # the value of the option
    layout: Layout | None = None  # None for files that do not consist of lines
    form: str = ""  # the help's text in place of columns, for files that do not consist of lines
    example: str  # one line, without newline
    prose: tuple[str, ...]
    """The meaning of the columns, one paragraph each; ``paragraphs`` adds what follows from the other fields."""

    reader: str  # module and function below ``irevalx.reading``, with the arguments of ``read`` after the layout
    table_reader: str = ""
    """The same for tables, below ``irevalx.reading``, with the arguments of ``read_table``; "" if tables cannot
    have this format."""

    default_measures: str = "official"  # of judgments: the measures printed without ``-m``
    excludes: tuple[str, ...] = ()
    """Of judgments: excluded options, such as "pool", "judged_only", "unjudged" or "grades=real"."""

    why_whole: str = ""  # of judgments: why other grades than those of the format are excluded
    measures_of: str = ""  # of judgments: the format that has the same measures; "" for its own
    lenient: bool = True  # whether malformed numbers are read like in C unless ``strict``, as in trec_eval's formats
    recognises: tuple[tuple[str, FileFormat[Any]], ...] = ()
    """Formats that are detected without being named, each with the name of the function in ``first_lines`` that detects
    them."""

    def read(self, source: Source, compat: Compat, strict: bool, warn: Warn, grades: Grades = "whole") -> Data_co:
        """Read a file; a run is only opened, and read block by block when it is evaluated.

        ``compat`` decides on the precision of scores and on comments. ``strict`` refuses numbers that are not plain,
        and likely mistakes, about which ``warn`` is called otherwise. Malformed grades are always refused unless they
        are whole numbers.
        """
        if source.is_parquet:
            return self.read_table(table_of(source, self), compat, strict, warn, grades)
        from irevalx.reading.sources import first_lines

        beginning = first_lines.Beginning.of(source)
        n_columns = len(self.layout.columns[0].split()) if self.layout else 0
        for is_of, other in self.recognises:
            if getattr(first_lines, is_of)(beginning, n_columns):
                return cast("Data_co", other.read(source, compat, strict, warn, grades))
        reader = self._reader(self.reader, grades)
        if self.lenient and self.layout and not self.layout.tabs:
            _tell_doubt(first_lines.doubt_about(beginning, self.layout), strict, warn)
        elif beginning.has_mark:
            warn(f"{shown_name(source.path)}:1: the file begins with a byte-order mark (BOM), which is ignored")
            source.without_mark()
        return cast("Data_co", reader(source, self.layout, compat, strict, warn))

    def read_table(
        self, table: ColumnTable, compat: Compat, strict: bool, warn: Warn, grades: Grades = "whole"
    ) -> Data_co:
        """Read a table like a file; ArgumentError for a missing column, a wrong value, or several runs."""
        reader = self._reader(self.table_reader, grades)
        return cast("Data_co", reader(table, compat, strict, warn))

    def _reader(self, path: str, grades: Grades) -> Callable[..., Any]:
        """Return a function below ``irevalx.reading``, with ``grades`` bound unless they are whole numbers."""
        self.refuse_grades(grades)
        module, _, function = path.rpartition(".")
        reader: Callable[..., Any] = getattr(import_module(f"irevalx.reading.{module}"), function)
        return reader if grades == "whole" else partial(reader, grades=grades)

    def refuse_grades(self, grades: Grades) -> None:
        """Raise UsageError if judgments in this format cannot have such grades."""
        if f"grades={grades}" in self.excludes:
            reason = f": {self.why_whole}" if self.why_whole else ""
            both = f"{spelled('grades', grades)} cannot be combined with {spelled('rel_format', self.name)}"
            raise UsageError(f"{both}{reason}")

    @property
    def usage(self) -> str:
        """The option that selects the format: ``-R qrels``."""
        return f"{self.kind.value} {'FILE' if self.kind is FileKind.POOL else self.name}"

    @property
    def requested(self) -> str:
        """The parameter that selects the format, as the caller types it."""
        return spelled(self.kind.parameter, self.name)

    @property
    def columns(self) -> str:
        """The columns of a line, for the help."""
        return ", or ".join(self.layout.columns) if self.layout else self.form

    @property
    def paragraphs(self) -> tuple[str, ...]:
        """The paragraphs of the help."""
        rest = [self.layout.explanation] if self.layout else []
        if not self.lenient:
            rest.append("Anything but a number in its place is an error, with or without --strict.")
        if self.default_measures != "official":
            rest.append(f"Without -m, the measures are those of the set {self.default_measures}.")
        if self.excludes:
            rest.append(f"It cannot be combined with {join_words([*map(spelled_rule, self.excludes)], 'or')}.")
        return (*self.prose, " ".join(rest))


def _tell_doubt(doubt: str | None, strict: bool, warn: Warn) -> None:
    """Warn about a likely mistake; raise MalformedLineError under ``strict``."""
    if doubt and strict:
        raise MalformedLineError(doubt)
    if doubt:
        warn(doubt)


def table_of(source: Source, fmt: FileFormat[Any]) -> ColumnTable:
    """Open a Parquet file as a table.

    Raises FormatError if the format has no tables, and UnreadableFileError if pyarrow is missing or the file is
    damaged.
    """
    if not fmt.table_reader:
        raise FormatError(f"{shown_name(source.path)}: a file for {fmt.requested} must be text, but got a Parquet file")
    from importlib.util import find_spec

    if find_spec("pyarrow") is None:
        raise UnreadableFileError(
            f"cannot read {quote(source.path)}: a Parquet file needs {not_installed('pyarrow', 'arrow')}"
        )
    from irevalx.reading.sources.arrow import table_of_parquet

    return table_of_parquet(source)


def join_words(names: Sequence[str], word: str) -> str:
    """Return names as a phrase: "a, b and c", where ``word`` is "and"."""
    *others, last = names
    return f"{', '.join(others)} {word} {last}" if others else last
