"""The rows of text files with named columns, which are JSON Lines and tables with a header.

The columns of tables are separated by commas, semicolons, tabs or blanks. Lines are converted to ``DataLines`` with the
columns of the format, like the lines of TREC files.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NoReturn

import numpy as np

from irevalx.arrays.byte_strings import PADDING
from irevalx.arrays.segments import ByteArray, IntArray
from irevalx.errors import MalformedLineError, quote, shown_name
from irevalx.frozen import cached_property, replace
from irevalx.reading.column_names import RANK, SCORE, ColumnSpec, named
from irevalx.reading.layout import DECIMAL, CommentStyle, Layout, Rules, array_hint, json_hint, no_hint
from irevalx.reading.sources.blocks import Block, blocks_of, whole_file
from irevalx.reading.sources.columns import ColumnTable, no_column, remedy_of_runs
from irevalx.reading.sources.files import Source
from irevalx.reading.sources.first_lines import SEPARATORS, Beginning, Header, fields_of, first_record, header_of
from irevalx.reading.sources.lines import DataLines, after_colon, cut_lines, line_text, padded, refuse_nul, sample_of
from irevalx.reading.sources.rows import Columns
from irevalx.reading.sources.text_rows import TextRows

_NEWLINE, _SPACE, _TAB, _RETURN = map(ord, "\n \t\r")

_BLANKS = " \t\r"
"""The characters that are removed from both ends of a field."""


class NamedRows(TextRows):
    """The rows of a text file with named columns. Malformed numbers are errors."""

    is_table = True
    names: Sequence[str]  # the names of the columns in the file

    @property
    def size(self) -> int:
        """The value 0, because a single process reads the file."""
        return 0

    def columns(self, block: Block, rules: Rules) -> Columns:
        """Return the columns of a block."""
        return super().columns(block, rules if rules.strict else replace(rules, strict=True))

    def about_duplicates(self) -> str:
        """Return a hint about duplicate documents if the table is a run, or "" if the table contains judgments."""
        is_run = SCORE in self.specs or RANK in self.specs
        return remedy_of_runs(self.names) if is_run else ""

    @cached_property
    def keys(self) -> tuple[Any, ...]:
        """The names of the requested columns in the file. Raise ArgumentError if a column is missing or ambiguous."""
        table = ColumnTable(self.path, self.names)
        return tuple(table.find(spec) for spec in self.specs)

    @property
    def table(self) -> TextTable:
        """The file as a table."""
        return TextTable(self.path, self.names, self)

    def of_run(self) -> NamedRows:
        """Return the rows of a run, with the columns of scores and ranks that the file contains."""
        others = tuple(spec for spec in self.specs if spec is not SCORE)
        numbers = tuple(spec for spec in (SCORE, RANK) if named(spec, self.names)) or (SCORE,)
        return replace(self, specs=(*others, *numbers))


class HeadedRows(NamedRows):
    """The rows of a table with a header, or of a table without a header whose columns are in the standard order."""

    header: Header

    @cached_property
    def _places(self) -> list[int]:
        """The indices of the requested columns in the file."""
        if not self.header.is_there:
            return list(range(len(self.specs)))
        return [list(self.names).index(name) for name in self.keys]

    def blocks(self) -> Iterator[Block]:
        """Yield blocks of whole topics. A block never ends directly after the header or inside quotes."""
        separator, place = self.header.separator.encode() or None, self._places[0]
        pieces: list[bytes] = []
        line, is_open = 1, False
        for block in blocks_of(self.source, lambda text: text.split(separator, place + 1)[place : place + 1]):
            line = line if pieces else block.line
            pieces.append(block.text)
            is_open ^= separator is not None and block.text.count(b'"') % 2 == 1
            is_header = self.header.is_there and line == 1 and block.text.count(b"\n") == len(pieces) == 1
            if not is_open and not is_header:
                yield Block(b"".join(pieces), line)
                pieces = []
        if pieces:
            yield Block(b"".join(pieces), line)

    def cut(self, block: Block, expected: int | None = None) -> DataLines:
        """Split the lines of a block, and return the requested columns of the data lines."""
        refuse_nul(self.path, block)
        if self.header.is_there and block.line == 1:
            block = Block(block.text.partition(b"\n")[2], 2)
        if not self.header.separator:
            of_places = dict(zip(self._places, (spec.column for spec in self.specs), strict=True))
            names = [of_places.get(place, "IGNORED") for place in range(len(self.names))]
            layout = replace(self.layout, columns=(" ".join(names),), comments=CommentStyle.NONE, more=False)
            return cut_lines(self.path, block, layout, self.compat, hint=self.hint)
        lines = self._split_quoted(block) if b'"' in block.text else self._split_at_separators(block)
        assert lines.start is not None  # both methods compute it
        required = np.array([spec.kind not in {"words", "labels"} for spec in self.specs])
        for row, column in np.argwhere((lines.end == lines.start) & required)[:1].tolist():
            if (lines.end[row] == lines.start[row]).all():
                raise MalformedLineError(f"{lines.where(row)}: all fields of the line are empty; remove it")
            name = self.names[self._places[column]]
            raise MalformedLineError(f"{lines.where(row)}: column {quote(name)} is empty")
        return lines

    def _split_at_separators(self, block: Block) -> DataLines:
        """Split lines without quotes at the separators."""
        buffer, n_columns = padded(block.text), len(self.names)
        at = np.flatnonzero((buffer == ord(self.header.separator)) | (buffer == _NEWLINE))
        lengths = np.diff(np.flatnonzero(buffer[at] == _NEWLINE), prepend=-1)
        for line in np.flatnonzero(lengths != n_columns)[:1].tolist():
            self._refuse(block.first_line + line, block.text.split(b"\n")[line])
        ends = at.reshape(-1, n_columns)
        starts = np.append(PADDING, at[:-1] + 1)[: at.size].reshape(-1, n_columns)
        start, end = _stripped(buffer, starts[:, self._places], ends[:, self._places])
        columns = tuple(spec.column for spec in self.specs)
        return DataLines(self.path, columns, block, buffer, start, end, np.arange(len(ends)))

    def _split_quoted(self, block: Block) -> DataLines:
        """Split lines like the csv module. A quoted field can contain separators and line breaks."""
        text = block.text.decode("utf-8", "surrogateescape")
        every = re.findall(r"[^\n]*\n", text)
        reader = csv.reader(every, delimiter=self.header.separator, strict=True)
        texts: list[bytes] = []
        numbers: list[int] = []
        line = 0
        try:
            for fields in reader:
                if len(fields) != len(self.names):
                    self._refuse(block.first_line + line, every[line].encode("utf-8", "surrogateescape"))
                texts += [fields[place].strip(_BLANKS).encode("utf-8", "surrogateescape") for place in self._places]
                numbers.append(line)
                line = reader.line_num
        except csv.Error as error:
            where = f"{shown_name(self.path)}:{block.first_line + line}"
            problem = str(error).replace("unexpected end of data", "a quoted field has no end")
            raise MalformedLineError(f"{where}: {problem}, in {quote(every[line].rstrip())}") from None
        return _lines_of_texts(self, block, texts, numbers)

    def _refuse(self, line: int, text: bytes) -> NoReturn:
        rule = f"expected {self.layout.line} with {len(self.names)} columns ({', '.join(self.names)})"
        text = text.rstrip(b"\r\n")
        n_columns = len(text.split(self.header.separator.encode() or None))
        raise MalformedLineError(f"{shown_name(self.path)}:{line}: {rule}, {line_text(text, n_columns)}")


def _stripped(buffer: ByteArray, start: IntArray, end: IntArray) -> tuple[IntArray, IntArray]:
    """Return the start and end of fields after blanks around the fields are removed."""
    is_blank = np.isin(np.arange(256), (_SPACE, _TAB, _RETURN))
    while (inside := (start < end) & is_blank[buffer[start]]).any():
        start = start + inside
    while (inside := (start < end) & is_blank[buffer[end - 1]]).any():
        end = end - inside
    return start, end


def _lines_of_texts(rows: NamedRows, block: Block, texts: Sequence[bytes], numbers: Sequence[int]) -> DataLines:
    """Return data lines, given the strings in the requested columns and the 0-based line numbers in the block."""
    lengths = np.array(list(map(len, texts)), np.int64)
    ends = PADDING + np.cumsum(lengths)
    columns = tuple(spec.column for spec in rows.specs)
    start, end = ((ends - lengths).reshape(-1, len(columns)), ends.reshape(-1, len(columns)))
    return DataLines(rows.path, columns, block, padded(b"".join(texts)), start, end, np.array(numbers, np.int64))


class _Number(str):
    """A JSON number, stored as a string."""

    __slots__ = ()


class RepeatedKeyError(LookupError):
    """The error about a key that occurs twice in a JSON object."""


def record_of(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the members of a JSON object as a dictionary. Raise RepeatedKeyError if a key is repeated."""
    record = dict(pairs)
    if len(record) < len(pairs):
        names = [name for name, _ in pairs]
        raise RepeatedKeyError(next(name for place, name in enumerate(names) if name in names[:place]))
    return record


class JsonRows(NamedRows):
    """The rows of a JSON Lines file, in which the keys of the first record are the names of the columns."""

    @cached_property
    def _decode(self) -> Callable[[str], Any]:
        from json import JSONDecoder

        decoder = JSONDecoder(
            object_pairs_hook=record_of, parse_int=_Number, parse_float=_Number, parse_constant=_Number
        )
        return decoder.decode

    def blocks(self) -> Iterator[Block]:
        """Yield blocks of records. If the records of each topic are contiguous, no topic is split across blocks."""
        key = self.keys[0]

        def topic_of(line: bytes) -> list[Any]:
            try:
                return [self._decode(line.decode())[key]]
            except (ValueError, LookupError, TypeError, RecursionError):
                return []

        return blocks_of(self.source, topic_of)

    def cut(self, block: Block, expected: int | None = None) -> DataLines:
        """Parse the records of a block, and return the requested columns. Blank lines are skipped."""
        refuse_nul(self.path, block)
        texts: list[bytes] = []
        numbers: list[int] = []
        for number, line in enumerate(block.text.split(b"\n")):
            if line.strip():
                texts += self._texts(block.first_line + number, line)
                numbers.append(number)
        return _lines_of_texts(self, block, texts, numbers)

    def _texts(self, number: int, line: bytes) -> list[bytes]:
        """Return the requested values of a record as byte strings."""
        where = f"{shown_name(self.path)}:{number}"
        try:
            record = self._decode(line.decode())
            values = [
                record.get(name) if spec.kind == "words" else record[name]
                for spec, name in zip(self.specs, self.keys, strict=True)
            ]
        except (ValueError, LookupError, TypeError, RecursionError) as error:
            others = [name for spec, name in zip(self.specs, self.keys, strict=True) if spec.kind != "words"][:-1]
            rule = f"expected a JSON object with {', '.join(others)} and {self.specs[-1].column.lower()}"
            problem = "is missing" if isinstance(error, KeyError) else "occurs twice"
            what = f", but {quote(error.args[0])} {problem}" if isinstance(error, LookupError) else ""
            parameter = "results_format" if SCORE in self.specs or RANK in self.specs else "rel_format"
            hint = after_colon(json_hint(line, parameter) if array_hint(line) else "")
            raise MalformedLineError(f"{where}: {rule}{what}: {quote(line)}{hint}") from None
        return [self._text(where, record, place, value) for place, value in enumerate(values)]

    def _text(self, where: str, record: dict[str, Any], place: int, value: Any) -> bytes:
        """Convert a value to a byte string. Raise MalformedLineError if the value has the wrong type."""
        spec = self.specs[place]
        if spec.kind == "words":
            return b"" if value is None else str(value).encode("utf-8", "surrogatepass")
        if isinstance(value, bool) and spec.kind in {"grades", "reals", "labels"}:
            return b"%d" % value
        if isinstance(value, _Number):
            if spec.kind != "names" or re.fullmatch(r"-?[0-9]+", value):
                return value.encode()
        elif isinstance(value, str) and (spec.kind == "labels" or (value and spec.kind == "names")):
            return value.encode("utf-8", "surrogatepass")
        elif value is None and spec.kind in {"labels", "probabilities"}:
            return b"" if spec.kind == "labels" else b"NA"
        return self._refuse_value(where, record, place, value)

    def _refuse_value(self, where: str, record: dict[str, Any], place: int, value: Any) -> NoReturn:
        """Raise an error about a value that has the wrong type."""
        from json import dumps

        spec, of_columns = self.specs[place], dict(zip((s.column for s in self.specs), self.keys, strict=True))
        subjects = [("topic", "TOPIC"), ("document", "DOCNO")] if spec.kind != "names" else []
        subject = "".join(
            f"{word} {quote(str(record[of_columns[name]]))}: " for word, name in subjects if name in of_columns
        )
        rule = "a string or an integer" if spec.kind == "names" else "a number"
        got = value if isinstance(value, _Number) else dumps(value)
        is_text = spec.kind != "names" and isinstance(value, str) and not isinstance(value, _Number)
        hint = "; remove the quotes" if is_text and re.fullmatch(DECIMAL, value.strip()) else ""
        name = quote(self.keys[place])
        raise MalformedLineError(f"{where}: {subject}invalid {name} {quote(got)}: must be {rule}{hint}")


class TextTable(ColumnTable):
    """A table that reads a text file with named columns."""

    rows: NamedRows

    def first_rows(self, *specs: ColumnSpec) -> tuple[Any, ...]:
        """Return the columns of the first block of rows, which are used for checks."""
        rows = replace(self.rows, specs=specs)
        blocks = rows.blocks()
        first = next(blocks)
        if not self.rows.source.size:
            for _ in blocks:  # a pipe can only be read again after its end
                pass
        columns = rows.columns(first, Rules(self.rows.compat, strict=True, warn=lambda line: None))
        return tuple(columns[spec.column] for spec in specs)

    def columns(self, specs: Sequence[ColumnSpec], rules: Rules) -> Columns:
        """Return whole columns. Errors about values name the line. Raise ArgumentError if a column is missing."""
        return replace(self.rows, specs=tuple(specs)).columns(whole_file(self.rows.source), rules)


def headed_rows(rows: TextRows, beginning: Beginning, separators: Sequence[str], expected: str = "") -> HeadedRows:
    """Return the rows of a table. Raise MalformedLineError unless the first line is a header or fits the format."""
    first = beginning.lines[0] if beginning.lines else b""
    header = header_of(beginning, separators) or _without_header(rows, first, separators)
    if header is None:
        refuse_nul(rows.path, Block(beginning.text, 1))
        problem = f"expected the header {expected}: {quote(first)}" if expected else _problem(rows, first, separators)
        hint = rows.hint(first, sample_of(beginning.text, 0), rows.layout)
        raise MalformedLineError(f"{shown_name(rows.path)}:1: {problem}{after_colon(hint)}")
    return HeadedRows(
        rows.path, rows.specs, rows.source, rows.layout, rows.compat, rows.hint, names=header.words, header=header
    )


def rows_with_labels(source: Source, column: str, rules: Rules) -> NamedRows:
    """Return the rows of a text file with labels. The header or the first JSON record must name ``column``."""
    beginning = Beginning.of(source)
    if beginning.has_mark:
        source.without_mark()
    layout = Layout(line="a label", columns=("TOPIC DOCNO GRADE",))
    rows = TextRows(source.path, (), source, layout, rules.compat, no_hint)
    if first_record(beginning) is not None:
        return json_rows(rows, beginning)
    if hint := array_hint(beginning.text):
        raise MalformedLineError(f"{shown_name(source.path)}:1: {hint}")
    first = beginning.lines[0] if beginning.lines else b""
    headers = [Header(tuple(fields_of(first, separator)), separator) for separator in SEPARATORS]
    header = max(headers, key=lambda header: (column.lower() in map(str.lower, header.words), len(header.words)))
    return HeadedRows(rows.path, (), source, layout, rows.compat, rows.hint, names=header.words, header=header)


def _problem(rows: TextRows, first: bytes, separators: Sequence[str]) -> str:
    """Return the description of an invalid first line: a column is missing, or the line is not a header."""
    words = max((fields_of(first, separator) for separator in separators), key=len)
    missing = [spec for spec in rows.specs if not named(spec, words)]
    if len(missing) < len(rows.specs) and first.lstrip()[:1] not in {b"{", b"["}:
        return no_column(missing[0], words)
    names = ", ".join(spec.names[0] for spec in rows.specs)
    return f"expected a header that names the columns {names}, or a line with their values: {quote(first)}"


def _without_header(rows: TextRows, first: bytes, separators: Sequence[str]) -> Header | None:
    """Return a header with the columns of the format if the first line contains values or is blank, or None."""
    words = tuple(spec.names[0] for spec in rows.specs)
    if not first.strip():
        return Header(words, separators[0], is_there=False)
    for separator in separators:
        fields = fields_of(first, separator)
        if len(fields) == len(words) and re.fullmatch(DECIMAL, fields[-1]):
            return Header(words, separator, is_there=False)
    return None


def json_rows(rows: TextRows, beginning: Beginning) -> JsonRows:
    """Return the rows of a JSON Lines file. Reading raises MalformedLineError if the first line is not an object."""
    record = first_record(beginning)
    names = [spec.names[0] for spec in rows.specs] if record is None else list(record)
    return JsonRows(rows.path, rows.specs, rows.source, rows.layout, rows.compat, rows.hint, names=names)
