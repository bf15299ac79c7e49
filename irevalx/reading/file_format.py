"""What a row of FILE_FORMATS is: how files of a format are read, and what the help says of them."""

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
from irevalx.trec_eval.versions import Compat

if TYPE_CHECKING:
    from irevalx.reading.source import Source
    from irevalx.reading.tables.tables import Table

Data_co = TypeVar("Data_co", covariant=True)


class FileKind(Enum):
    """What the files of a format hold, and the option of the command that is about them."""

    JUDGMENTS = "-R"
    RUNS = "-T"
    POOL = "--pool"

    @property
    def parameter(self) -> str:
        """The parameter that names the format, or the pool."""
        return {"-R": "rel_format", "-T": "results_format", "--pool": "pool"}[self.value]


class FileFormat(Frozen, Generic[Data_co], kw_only=True):
    """A file format: how to read it and how to explain it.

    Parameters
    ----------
    kind : what its files hold.
    name : what the option calls it.
    layout : how a line is made; None for a file that is not made of lines.
    form : what the help shows in place of columns, where there are no lines.
    example : one line, without its newline.
    prose : what the columns mean, one paragraph each; ``paragraphs`` adds what follows from the other fields.
    reader : module and function, below ``irevalx.reading``, that read a file: with the arguments of ``read``, the
        layout being the second, and ``strict`` where the format is not lenient.
    table_reader : module and function, below ``irevalx.reading.tables``, that read a table, given what ``read_table``
        is given; "" where tables cannot be in this format.
    usual_measures : of judgments: the set of measures that is printed without ``-m``.
    excludes : of judgments: the options that they exclude: "pool", "judged_only", "unjudged", "grades=real".
    why_whole : of judgments that exclude all other grades than those of the format: the reason; "" for others.
    measures_of : of judgments: the format whose measures they have; "" for measures of their own.
    lenient : whether a number that is none is read as C reads it, unless told to be strict, as in trec_eval's formats.
    recognises : other formats that are read without being named, each with the function of ``beginnings`` that knows
        their files by their beginning and by the number of columns of this format.
    """

    kind: FileKind
    name: str
    layout: Layout | None = None
    form: str = ""
    example: str
    prose: tuple[str, ...]
    reader: str
    table_reader: str = ""
    usual_measures: str = "official"
    excludes: tuple[str, ...] = ()
    why_whole: str = ""
    measures_of: str = ""
    lenient: bool = True
    recognises: tuple[tuple[str, FileFormat[Any]], ...] = ()

    def read(self, source: Source, compat: Compat, strict: bool, warn: Warn, grades: Grades = "whole") -> Data_co:
        """Read a file; a run is opened only, and read block by block when it is evaluated.

        Parameters
        ----------
        source : the file.
        compat : the version of trec_eval that is followed: the precision of scores, and what lines are comments.
        strict : refuse numbers that are not plain, rather than reading them as C does, and what was probably meant
            otherwise.
        warn : called with a line about such numbers.
        grades : what the grades of judgments are; of other than whole numbers, any that is none is refused.

        Raises
        ------
        UnreadableFileError
        MalformedLineError : a line does not have its columns.
        UsageError : grades cannot be that in this format.
        MalformedNumberError : under ``strict``, and in a format that is not lenient.
        """
        if source.is_parquet:
            return self.read_table(table_of(source, self), compat, strict, warn, grades)
        from irevalx.reading import beginnings

        beginning = beginnings.Beginning.of(source)
        n_columns = len(self.layout.columns[0].split()) if self.layout else 0
        for is_of, other in self.recognises:
            if getattr(beginnings, is_of)(beginning, n_columns):
                return cast("Data_co", other.read(source, compat, strict, warn, grades))
        reader = self._reader(self.reader, grades)
        if self.lenient and self.layout and not self.layout.tabs:
            _tell_doubt(beginnings.doubt_about(beginning, self.layout), strict, warn)
        elif beginning.has_mark:
            warn(beginnings.skipped_mark(source.path))
            source.without_mark()
        return cast("Data_co", reader(source, self.layout, compat, strict, warn))

    def read_table(self, table: Table, compat: Compat, strict: bool, warn: Warn, grades: Grades = "whole") -> Data_co:
        """Read a table, as ``read`` does a file.

        Raises
        ------
        ArgumentError : a column is missing, or something in it; or there are several runs.
        UsageError : grades cannot be that in this format.
        """
        reader = self._reader(f"tables.{self.table_reader}", grades)
        return cast("Data_co", reader(table, compat, strict, warn))

    def _reader(self, path: str, grades: Grades) -> Callable[..., Any]:
        """Return a function below ``irevalx.reading`` that reads such grades; readers of other formats know of none."""
        self.refuse_grades(grades)
        module, _, function = path.rpartition(".")
        reader: Callable[..., Any] = getattr(import_module(f"irevalx.reading.{module}"), function)
        return reader if grades == "whole" else partial(reader, grades=grades)

    def refuse_grades(self, grades: Grades) -> None:
        """Refuse grades that judgments in this format cannot have; raises UsageError."""
        if f"grades={grades}" in self.excludes:
            reason = f": {self.why_whole}" if self.why_whole else ""
            both = f"{spelled('grades', grades)} cannot be combined with {spelled('rel_format', self.name)}"
            raise UsageError(f"{both}{reason}")

    @property
    def usage(self) -> str:
        """How the format is chosen: ``-R qrels``."""
        return f"{self.kind.value} {'FILE' if self.kind is FileKind.POOL else self.name}"

    @property
    def requested(self) -> str:
        """How the caller chooses the format."""
        return spelled(self.kind.parameter, self.name)

    @property
    def columns(self) -> str:
        """The columns of a line, for the help."""
        return ", or ".join(self.layout.columns) if self.layout else self.form

    @property
    def paragraphs(self) -> tuple[str, ...]:
        """All that the help says of the format."""
        rest = [self.layout.explanation] if self.layout else []
        if not self.lenient:
            rest.append("Anything but a number in its place is an error, with or without --strict.")
        if self.usual_measures != "official":
            rest.append(f"Without -m, the measures are those of the set {self.usual_measures}.")
        if self.excludes:
            rest.append(f"It cannot be combined with {listed([*map(spelled_rule, self.excludes)], 'or')}.")
        return (*self.prose, " ".join(rest))


def _tell_doubt(doubt: str | None, strict: bool, warn: Warn) -> None:
    """Warn of what was probably meant otherwise; raises MalformedLineError under ``strict``."""
    if doubt and strict:
        raise MalformedLineError(doubt)
    if doubt:
        warn(doubt)


def table_of(source: Source, fmt: FileFormat[Any]) -> Table:
    """Open a Parquet file as a table; FormatError where tables cannot be in a format.

    Raises
    ------
    UnreadableFileError : pyarrow is missing, or the file is damaged.
    """
    if not fmt.table_reader:
        raise FormatError(f"{shown_name(source.path)}: a file for {fmt.requested} must be text, but got a Parquet file")
    from importlib.util import find_spec

    if find_spec("pyarrow") is None:
        raise UnreadableFileError(
            f"cannot read {quote(source.path)}: a Parquet file needs {not_installed('pyarrow', 'arrow')}"
        )
    from irevalx.reading.tables.parquet import table_of_parquet

    return table_of_parquet(source)


def listed(names: Sequence[str], word: str) -> str:
    """Return one or more names as a sentence has them: a, b and c."""
    *others, last = names
    return f"{', '.join(others)} {word} {last}" if others else last
