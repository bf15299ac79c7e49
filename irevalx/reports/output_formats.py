"""The formats in which results are printed. OUTPUT_FORMATS contains one record for each format.

The modules that create the lines are imported on demand, because every call of the command imports this module.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

from irevalx.frozen import Frozen, replace
from irevalx.process.platform import displayed

if TYPE_CHECKING:
    from irevalx.reports.report import EvaluationReport
    from irevalx.reports.table import Table

About: TypeAlias = "Mapping[str, Any] | None"
"""A description of how values were computed, or None if no description is printed."""

DIGITS = 4
"""The default number of decimals of real numbers in displayed tables (``--digits``)."""

MOST_DIGITS = 100
"""The maximum value of ``--digits``, which exceeds the number of digits of any value."""


class OutputFormat(Frozen):
    """An output format. Each subclass creates the lines of a format."""

    name: str  # value of ``--format``
    purpose: str  # a few words for help texts and manual pages
    for_people: ClassVar[bool] = False
    """Whether the format displays a table, whose real numbers have ``--digits`` decimals."""
    in_lab: ClassVar[bool] = True
    """Whether irevalx-lab also supports the format, which must then be able to print any table."""
    run_by_run: ClassVar[bool] = False
    """Whether irevalx prints a report for each run instead of one report on all runs."""
    shows_inputs: ClassVar[bool] = False
    """Whether reports describe how values were computed, including digests of all input files."""

    def report_lines(self, report: EvaluationReport) -> Iterator[bytes]:
        """Yield the lines that irevalx prints in this format."""
        raise NotImplementedError

    def table_lines(
        self,
        tables: Sequence[Table],
        digits: int = DIGITS,
        *,
        titled: bool = False,
        about: About = None,
        width: int | None = None,
    ) -> Iterator[bytes]:
        """Yield the lines that irevalx-lab prints in this format.

        A format that can contain only one table prints only the first table. If ``titled`` is true, the title is
        printed even if there is only one table. ``about`` describes how values were computed, for formats that show
        inputs. ``width`` is the width of the terminal, or None if the output is not a terminal.
        """
        return self._lines_of(tables, digits, titled, about, width)

    def _lines_of(
        self, tables: Sequence[Table], digits: int, titled: bool, about: About, width: int | None
    ) -> Iterator[bytes]:
        """Yield the lines that ``table_lines`` returns."""
        raise NotImplementedError


class TrecEvalLines(OutputFormat):
    """The three-column format of trec_eval."""

    in_lab = False
    run_by_run = True

    def report_lines(self, report: EvaluationReport) -> Iterator[bytes]:
        """Yield the lines of all runs, one run after the other."""
        from irevalx.reports.report import trec_lines

        for evaluation in report.evaluations:
            rows = report.summaries_of(evaluation)
            yield from trec_lines(evaluation, rows, per_topic=report.per_topic, headed=report.headed)


class DisplayedTable(OutputFormat):
    """A table with rounded numbers."""

    for_people = True

    def report_lines(self, report: EvaluationReport) -> Iterator[bytes]:
        """Yield a table that compares the runs. If there are several collections, yield a table for each measure."""
        from irevalx.reports.collections import tables_of_collections
        from irevalx.reports.report import overview

        tables_of = tables_of_collections if report.has_collections and not report.per_topic else overview
        return self.table_lines(tables_of(report), report.digits, width=report.width)


class TableForPeople(DisplayedTable):
    """A table as plain text."""

    layout: str  # table format of the package tabulate
    best: str  # format of a cell with the best value, in which ``{}`` is the value
    other: str = "{}"  # format of the other cells in such a column
    escape: Callable[[str], str] = str  # escapes special characters in a cell
    mark: str = "*"  # mark of the best value in notes; daggers and letters mark significance

    def _lines_of(
        self, tables: Sequence[Table], digits: int, titled: bool, about: About, width: int | None
    ) -> Iterator[bytes]:
        """Yield the lines of the tables, in order. If there are several tables, each table has a title."""
        for number, table in enumerate(tables):
            for paragraph in table.summary(digits):
                yield displayed("\n".join(self._wrapped(self._text(paragraph), width)) + "\n\n")
            if titled or len(tables) > 1:
                title = "\n".join(self._wrapped(self._text(table.title), width))
                yield displayed(f"{chr(10) if number else ''}{title}\n\n")
            lines, notes = self._fitted(table, digits, width)
            yield from lines
            for place, sentence in enumerate((*table.caption, *notes, *table.notes)):
                note = "\n".join(self._wrapped(self._note(sentence), width))
                yield displayed(("\n" if place == 0 else "") + note + "\n")

    def _fitted(self, table: Table, digits: int, width: int | None) -> tuple[Iterable[bytes], Sequence[str]]:
        """Return the lines of a table, and notes about columns that were omitted to fit the width."""
        from irevalx.reports.table import aligned_lines

        lines = aligned_lines(table, digits, layout=self.layout, best=self.best, other=self.other, escape=self.escape)
        return lines, ()

    def _wrapped(self, text: str, width: int | None) -> list[str]:
        """Wrap a paragraph or a note into lines."""
        return [text]

    def _text(self, sentence: str) -> str:
        from irevalx.errors import visible

        return self.escape(visible(sentence))

    def _note(self, sentence: str) -> str:
        from irevalx.errors import visible

        return self.escape(visible(sentence.replace("{best}", self.mark)))


class TerminalTable(TableForPeople):
    """A table that is fitted to the width of the terminal."""

    def _lines_of(
        self, tables: Sequence[Table], digits: int, titled: bool, about: About, width: int | None
    ) -> Iterator[bytes]:
        """Yield tables with short names of runs. A paragraph above the first table explains the names."""
        from irevalx.reports.fitting import with_short_names

        tables, explanation = with_short_names(tables, digits, width)
        if explanation:
            summary = tables[0].summary
            tables[0] = replace(tables[0], summary=lambda digits: [*summary(digits), explanation])
        return super()._lines_of(tables, digits, titled, about, width)

    def _fitted(self, table: Table, digits: int, width: int | None) -> tuple[Iterable[bytes], Sequence[str]]:
        from irevalx.reports.fitting import WIDTH, fitted_lines

        width = width or (WIDTH if table.fits else None)
        if width is None:
            return super()._fitted(table, digits, width)
        return fitted_lines(table, digits, width, best=self.best, other=self.other)

    def _wrapped(self, text: str, width: int | None) -> list[str]:
        """Wrap a paragraph or a note into lines. ``width`` is None if the output is not a terminal."""
        from irevalx.reports.fitting import WIDTH, wrapped

        return wrapped(text, width or WIDTH)


class LatexTable(DisplayedTable):
    """A LaTeX table with a caption."""

    def _lines_of(
        self, tables: Sequence[Table], digits: int, titled: bool, about: About, width: int | None
    ) -> Iterator[bytes]:
        from irevalx.reports.latex import latex_lines

        return latex_lines(tables, digits, titled=titled or len(tables) > 1)


class SeparatedValues(OutputFormat):
    """A header line, and one line for each row. Values are not rounded."""

    delimiter: str  # a field that contains the delimiter is quoted

    def report_lines(self, report: EvaluationReport) -> Iterator[bytes]:
        """Yield a header line, and one line for each value."""
        from irevalx.reports.records import fields_of, records_of, separated_lines

        return separated_lines(fields_of(report), records_of(report), self.delimiter)

    def _lines_of(
        self, tables: Sequence[Table], digits: int, titled: bool, about: About, width: int | None
    ) -> Iterator[bytes]:
        """Yield the lines of the first table. Undefined values are empty fields."""
        from irevalx.reports.records import separated_lines, without_nan

        return separated_lines(tables[0].columns, map(without_nan, tables[0].rows), self.delimiter)


class JsonLines(OutputFormat):
    """One JSON object for each row. Values are not rounded."""

    def report_lines(self, report: EvaluationReport) -> Iterator[bytes]:
        """Yield one JSON object for each value."""
        from irevalx.reports.records import fields_of, json_lines, records_of

        return json_lines(fields_of(report), records_of(report))

    def _lines_of(
        self, tables: Sequence[Table], digits: int, titled: bool, about: About, width: int | None
    ) -> Iterator[bytes]:
        """Yield one JSON object for each row of the first table."""
        from irevalx.reports.records import json_lines

        return json_lines(tables[0].columns, tables[0].rows)


class JsonObject(OutputFormat):
    """A single JSON object that contains all values."""

    shows_inputs = True

    def report_lines(self, report: EvaluationReport) -> Iterator[bytes]:
        """Yield the description of how values were computed, and the values as {run: {topic: {measure: value}}}."""
        from irevalx.reports.records import json_of_report

        return json_of_report(report)

    def _lines_of(
        self, tables: Sequence[Table], digits: int, titled: bool, about: About, width: int | None
    ) -> Iterator[bytes]:
        """Yield an object that maps each title to the rows of the table, and describes how values were computed."""
        from irevalx.reports.records import json_of_tables

        return json_of_tables(tables, about)


_MARKDOWN = r"[\\`*~|\[]|(?<!\w)_|_(?!\w)|<(?=[A-Za-z/!?])|&(?=#?\w+;)"
"""Characters with a special meaning in a Markdown cell. Underscores within words, ``<`` before numbers and most ``&``
have none."""


def _escape_markdown(text: str) -> str:
    return re.sub(_MARKDOWN, lambda match: "\\" + match[0], text)


OUTPUT_FORMATS: dict[str, OutputFormat] = {
    form.name: form
    for form in (
        TrecEvalLines("trec", "trec_eval's three columns"),
        TerminalTable("table", "a table for the terminal", "simple", best="{}*", other="{} "),
        TableForPeople(
            "markdown", "a table in Markdown", "pipe", best="**{}**", escape=_escape_markdown, mark="Bold type"
        ),
        LatexTable("latex", "a table in LaTeX"),
        SeparatedValues("csv", "comma-separated values", ","),
        SeparatedValues("tsv", "tab-separated values", "\t"),
        JsonObject("json", "one JSON object"),
        JsonLines("jsonl", "one JSON object per line"),
    )
}
"""The formats by their names, which are the values of ``--format``, in the order of the help text."""


def format_help(formats: Iterable[OutputFormat]) -> str:
    """Return the names and purposes of formats for a help text, such as "csv (comma-separated values)"."""
    return ", ".join(f"{form.name} ({form.purpose})" for form in formats)
