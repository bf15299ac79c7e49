"""The class FileFormat, whose instances describe the file formats.

An instance describes how a file format is recognised and read, and contains the text of its help.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Literal, TypeVar

from irevalx.errors import (
    FormatError,
    InputError,
    MalformedLineError,
    RunWarning,
    UnreadableFileError,
    UsageError,
    Warn,
    not_installed,
    quote,
    shown_name,
)
from irevalx.frozen import Frozen, replace
from irevalx.reading.column_names import DOCNO, GRADE, RANK, SCORE, TOPIC, ColumnSpec, named, specs_of, with_judges
from irevalx.reading.layout import Layout, Rules, no_hint
from irevalx.settings import Grades
from irevalx.trec_eval import Compat
from irevalx.wording import join_words, spelled, spelled_rule

if TYPE_CHECKING:
    from irevalx.reading.kinds.runs import RunStream
    from irevalx.reading.sources.columns import ColumnTable
    from irevalx.reading.sources.files import Source
    from irevalx.reading.sources.first_lines import Beginning
    from irevalx.reading.sources.rows import Rows
    from irevalx.reading.sources.text_rows import TextRows

Data_co = TypeVar("Data_co", covariant=True)

NAMES_IN_TABLES = (
    "Columns are identified by name, regardless of case and order; other columns are ignored. The topic column can be "
    f"named {join_words(TOPIC.names, 'or')}; the document column can be named {join_words(DOCNO.names, 'or')}; "
)
FIELDS_OF_TABLES = (
    "Fields can be quoted as in CSV, spaces around a field are removed, and all lines must have the same number of "
    "fields. {without} Files with a header are recognised without {option}."
)
JSON_RECORDS = (
    "Each line is a JSON object; numbers must not be quoted, and blank lines are skipped. Files that begin with such "
    "an object are recognised without {option}."
)
"""The sentences that occur in the help of several formats."""


class FileKind(Enum):
    """The kind of data in a file: judgments, runs or pools. The value is the option that selects the format."""

    JUDGMENTS = "-R"
    RUNS = "-T"
    POOL = "--pool"

    @property
    def parameter(self) -> str:
        """The name of the parameter that selects the format or passes the pool."""
        return {"-R": "rel_format", "-T": "results_format", "--pool": "pool"}[self.value]


_COLUMNS = {
    FileKind.JUDGMENTS: Layout(line="a judgment", columns=("TOPIC DOCNO GRADE",), tabs=True),
    FileKind.RUNS: Layout(line="a line of a run", columns=("TOPIC DOCNO SCORE",), tabs=True),
}
"""The columns of formats whose files do not consist of lines."""


class FileFormat(Frozen, Generic[Data_co], kw_only=True):
    """A file format, with its columns, its reader and its help."""

    kind: FileKind = FileKind.JUDGMENTS
    name: str  # the value of the option
    layout: Layout | None = None  # the columns of a line, or None if files do not consist of lines
    form: str = ""  # the description that replaces the columns in the help if files do not consist of lines
    example: str  # an example line, without newline
    prose: tuple[str, ...]
    """The paragraphs of the help that explain the columns. The property ``paragraphs`` adds sentences that follow from
    other fields."""
    reader: str  # "MODULE.FUNCTION" below ``irevalx.reading.kinds``, which builds the content from rows and rules
    source: Literal["lines", "table", "json", "records"] = "lines"
    """The form of a text file: lines of the layout, a table, a JSON object, or JSON Lines."""
    separators: tuple[str, ...] = ()  # the possible separators of a table
    header: str = ""  # the header that a table should have
    tables: bool = False  # whether data frames, Parquet files and text files with named columns are supported
    nested: str = ""  # the form of dictionaries (``NestedRows.shape``), or "" if dictionaries are not supported
    default_measures: str = "official"  # for judgments, the measures that are printed without ``-m``
    excludes: tuple[str, ...] = ()
    """The options that cannot be combined with the judgment format, such as "pool", "judged_only" or "grades=real"."""
    why_whole: str = ""  # for judgments, the explanation why ``--grades`` is refused
    measures_of: str = ""  # the format whose measures can be computed, or "" if the format has its own measures
    hint: ClassVar[Callable[[FileFormat[Any], bytes, bytes, Layout], str]]
    """A method that returns a hint about a malformed line, or "" if there is none. The module ``formats`` assigns the
    method."""
    lenient: bool = True  # whether malformed numbers are read as in C unless ``strict``, as in TREC formats

    def read(
        self,
        given: Source | ColumnTable | Mapping[Any, Any],
        compat: Compat,
        strict: bool,
        warn: Warn,
        grades: Grades = "whole",
    ) -> Data_co:
        """Read a file, a table or a dictionary.

        A run is only opened, and its lines are read during evaluation. The result contains warnings about the first
        lines.
        """
        self.refuse_grades(grades)
        if self.kind is not FileKind.RUNS:
            return self.built(given, Rules(compat, strict, warn, grades))
        lines: list[str] = []
        run: Any = self.built(given, Rules(compat, strict, lines.append))
        kinds = [re.sub(r"'.*?'|\d+", "", line.removeprefix(shown_name(run.path))) for line in lines]
        return replace(run, warnings=tuple(map(RunWarning, kinds, lines))) if lines else run  # type: ignore[no-any-return]

    def built(self, given: Source | ColumnTable | Mapping[Any, Any], rules: Rules) -> Data_co:
        """Build judgments, a run or a pool from an input."""
        return self.of_rows(self.rows(given, rules), rules)

    def of_rows(self, rows: Rows, rules: Rules) -> Data_co:
        """Build judgments, a run or a pool from rows."""
        module, _, function = self.reader.rpartition(".")
        reader: Callable[[Rows, Rules], Data_co] = getattr(import_module(f"irevalx.reading.kinds.{module}"), function)
        return reader(rows, rules)

    def rows(self, given: Source | ColumnTable | Mapping[Any, Any], rules: Rules) -> Rows:
        """Return the rows of an input, with the columns of the format."""
        from irevalx.reading.sources.files import Source

        specs = specs_of(self._columns.columns[0], rules.grades)
        if isinstance(given, Source) and not given.is_parquet:
            return self._rows_of_text(given, specs, rules)
        if isinstance(given, Mapping):
            from irevalx.reading.sources.nested import NestedRows

            return NestedRows("pool" if self.kind is FileKind.POOL else "qrels", specs, given, self.nested)
        from irevalx.reading.sources.columns import TableRows

        table = self._table_of_parquet(given) if isinstance(given, Source) else given
        return TableRows(table.path, with_judges(specs, table.names) if rules.grades == "label" else specs, table)

    def table_of_runs(self, source: Source, rules: Rules) -> ColumnTable | None:
        """Return a table if a file is in Parquet format or contains a column "run".

        Return None if the file is not a table of runs.
        """
        if source.is_parquet:
            return self._table_of_parquet(source)
        from irevalx.reading.sources.first_lines import Beginning, names_runs

        if not names_runs(Beginning.of(source)):
            return None
        from irevalx.reading.sources.text_tables import NamedRows

        warnings: list[str] = []
        rows = self.rows(source, replace(rules, warn=warnings.append))
        if not isinstance(rows, NamedRows):
            return None  # the caller reads the file as lines and issues the warnings
        for warning in warnings:
            rules.warn(warning)
        return rows.table

    def _run_given(self, names: Sequence[Any]) -> str:
        """Return a message if a judgments file contains the columns of a run, or "" if it does not."""
        grades = named(GRADE, names)
        if self.kind is not FileKind.JUDGMENTS or not named(RANK, names) or grades != named(SCORE, names) or not grades:
            return ""
        return (
            f"the columns {quote(named(RANK, names)[0])} and {quote(grades[0])} are the columns of a run; if these are "
            f"judgments, {quote(grades[0])} is the grade, otherwise give a file of judgments"
        )

    @property
    def _columns(self) -> Layout:
        """The layout of lines. For files that do not consist of lines, the layout contains only the columns."""
        return self.layout or _COLUMNS[self.kind]

    def _rows_of_text(self, source: Source, specs: tuple[ColumnSpec, ...], rules: Rules) -> Rows:
        """Return the rows of a text file. Files in TREC formats can also have named columns."""
        from irevalx.reading.sources.first_lines import Beginning, doubt_about, has_record, recognised, unread_form
        from irevalx.reading.sources.text_rows import TextRows

        beginning = Beginning.of(source)
        rows = TextRows(source.path, specs, source, self._columns, rules.compat, self.hint if rules.hints else no_hint)
        form: str = self.source
        if self.tables and form == "lines":
            form = recognised(beginning, rows.layout)
        elif form == "json":
            form = "records" if has_record(beginning) else "object"
        if self.kind is not FileKind.POOL and (
            unread := unread_form(beginning, form, rows.layout, self.kind.parameter)
        ):
            raise MalformedLineError(f"{shown_name(source.path)}:1: {unread}")
        if form == "lines" and self.lenient and not rows.layout.tabs:
            if doubt := doubt_about(beginning, rows.layout):
                if rules.strict:
                    raise MalformedLineError(doubt)
                rules.warn(doubt)
        elif beginning.has_mark:
            rules.warn(f"{shown_name(source.path)}:1: the file begins with a byte-order mark (BOM), which is ignored")
            source.without_mark()
        if form == "lines":
            return rows
        return self._rows_with_names(form, rows, beginning, rules)

    def _rows_with_names(self, form: str, rows: TextRows, beginning: Beginning, rules: Rules) -> Rows:
        """Return the rows of a file with named columns: a table, a JSON object or JSON Lines."""
        from irevalx.reading.sources.first_lines import SEPARATORS, blank_around_id, is_json_object, json_rule

        if form in {"object", "records"} and (blank := blank_around_id(beginning)):
            rules.warn(blank)
        if form == "object":
            from irevalx.reading.sources.json_objects import json_objects

            return json_objects(rows.source, rows.specs, rules.grades)
        from irevalx.reading.sources.text_tables import NamedRows, headed_rows, json_rows

        named_rows: NamedRows
        if form == "records":
            if is_json_object(beginning):
                raise MalformedLineError(f"{shown_name(rows.path)}:1: {json_rule(beginning, self.kind.parameter)}")
            named_rows = json_rows(rows, beginning)
        else:
            table = headed_rows(rows, beginning, self.separators or SEPARATORS, self.header)
            named_rows = table
            if table.header.separator and (blank := blank_around_id(beginning, table.header.separator)):
                rules.warn(blank)
            if self.header and not table.header.is_there and beginning.text:
                problem = f"the header {self.header} is missing; the first line is read as a judgment"
                rules.warn(f"{shown_name(rows.path)}:1: {problem}")
        if doubt := self._run_given(named_rows.names):
            rules.warn(f"{shown_name(rows.path)}:1: {doubt}")
        if rules.grades == "label":
            named_rows = replace(named_rows, specs=with_judges(named_rows.specs, named_rows.names))
        return named_rows.of_run() if self.kind is FileKind.RUNS else named_rows

    def _table_of_parquet(self, source: Source) -> ColumnTable:
        """Return a Parquet file as a table. Raise FormatError if the format does not support tables."""
        if not self.tables:
            raise FormatError(
                f"{shown_name(source.path)}: {self.requested} reads text files, but this is a Parquet file"
            )
        from importlib.util import find_spec

        if find_spec("pyarrow") is None:
            raise UnreadableFileError(
                f"cannot read {quote(source.path)}: a Parquet file needs {not_installed('pyarrow', 'arrow')}"
            )
        from irevalx.reading.sources.arrow import table_of_parquet

        return table_of_parquet(source)

    def refuse_grades(self, grades: Grades) -> None:
        """Raise UsageError if the format does not support grades of the type ``grades``."""
        if f"grades={grades}" in self.excludes:
            reason = f": {self.why_whole}" if self.why_whole else ""
            both = f"{spelled('grades', grades)} cannot be combined with {spelled('rel_format', self.name)}"
            raise UsageError(f"{both}{reason}")

    @property
    def usage(self) -> str:
        """The option that selects the format, such as ``-R qrels``."""
        return f"{self.kind.value} {'FILE' if self.kind is FileKind.POOL else self.name}"

    @property
    def requested(self) -> str:
        """The parameter that selects the format, written in the notation of the caller."""
        return spelled(self.kind.parameter, self.name)

    @property
    def columns(self) -> str:
        """The columns of a line, or the description that replaces them, as displayed in the help."""
        return ", or ".join(self.layout.columns) if self.layout else self.form

    @property
    def paragraphs(self) -> tuple[str, ...]:
        """The paragraphs of the format's help."""
        rest = [self.layout.explanation] if self.layout else []
        if not self.lenient:
            rest.append("Malformed numbers are errors, with or without --strict.")
        if self.default_measures != "official":
            rest.append(f"Without -m, the measures are those of the set {self.default_measures}.")
        if self.excludes:
            rest.append(f"It cannot be combined with {join_words([*map(spelled_rule, self.excludes)], 'or')}.")
        return (*self.prose, " ".join(rest))


def runs_in(fmt: FileFormat[RunStream], source: Source, compat: Compat, strict: bool, warn: Warn) -> list[RunStream]:
    """Return the runs in a file: one for each value of the column "run", or a single run if this column is missing.

    If the file cannot be read, the result is a single run that raises the error when it is evaluated.
    """
    try:
        rules = Rules(compat, strict, warn)
        table = fmt.table_of_runs(source, rules)
        if table is None:
            return [fmt.read(source, compat, strict, warn)]
        from irevalx.reading.kinds.run_tables import runs_of_table
        from irevalx.reading.sources.files import name_of_file

        return [run.opened(compat, strict=strict) for run in runs_of_table(table, name_of_file(table.path), rules)]
    except InputError as error:
        from irevalx.reading.kinds.run_tables import failing_run

        return [failing_run(source.path, error)]
