"""The formats that results are printed in: OUTPUT_FORMATS has one row per format.

What makes the lines is imported when it is needed: every call of the command reads this module for its options.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

from irevalx.frozen import Frozen
from irevalx.process.system import as_bytes

if TYPE_CHECKING:
    from irevalx.reports.report import EvaluationReport
    from irevalx.reports.table import Table

About: TypeAlias = "Mapping[str, Any] | None"
"""How values were made; None where that is not to be shown."""

DIGITS = 4
"""Decimals of real numbers in tables for people, unless ``--digits`` says otherwise."""

MOST_DIGITS = 100
"""The most that ``--digits`` takes; a number has fewer."""


class OutputFormat(Frozen):
    """A format that results are printed in; each way of making one is a subclass.

    Parameters
    ----------
    name : what ``--format`` calls it.
    purpose : what it is, in a few words for help and manual.
    """

    name: str
    purpose: str

    for_people: ClassVar[bool] = False
    """Whether it is a table for people, whose real numbers have ``--digits`` decimals."""

    in_lab: ClassVar[bool] = True
    """Whether ``irevalx-lab`` has it: it can then print any table."""

    run_by_run: ClassVar[bool] = False
    """Whether the command prints a report for each run, rather than one about all of them."""

    shows_inputs: ClassVar[bool] = False
    """Whether a report says how its values were made, which takes the digests of all files."""

    def report_lines(self, report: EvaluationReport) -> Iterator[bytes]:
        """Yield what the command prints."""
        raise NotImplementedError

    def table_lines(
        self,
        tables: Sequence[Table],
        digits: int = DIGITS,
        *,
        titled: bool = False,
        about: About = None,
    ) -> Iterator[bytes]:
        """Yield what ``irevalx-lab`` prints.

        Parameters
        ----------
        tables : the first one is what was asked for; formats that have room for one table leave out the others.
        digits : decimals of real numbers, for people.
        titled : give a single table its title too, as several have it, for people.
        about : how the values were made, for formats that show inputs.
        """
        return self._lines_of(tables, digits, titled, about)

    def _lines_of(self, tables: Sequence[Table], digits: int, titled: bool, about: About) -> Iterator[bytes]:
        """Yield what ``table_lines`` does."""
        raise NotImplementedError


class TrecEvalLines(OutputFormat):
    """trec_eval's three columns."""

    in_lab = False
    run_by_run = True

    def report_lines(self, report: EvaluationReport) -> Iterator[bytes]:
        """Yield the lines of one run after the other."""
        from irevalx.reports.trec import trec_lines

        for evaluation in report.evaluations:
            rows = report.summaries_of(evaluation)
            yield from trec_lines(evaluation, rows, per_topic=report.per_topic, headed=report.headed)


class TableForPeople(OutputFormat):
    """A table with rounded numbers.

    Parameters
    ----------
    layout : what tabulate calls it.
    best : what a cell with the best value looks like; ``{}`` stands for the value.
    other : the same for the other cells of such a column.
    escape : makes any text fit to stand in a cell.
    mark : what notes call the mark of the best value; daggers and letters are marks of significance.
    note : what a line with a note below the table looks like; ``{}`` stands for the note.
    """

    layout: str
    best: str
    other: str = "{}"
    escape: Callable[[str], str] = str
    mark: str = "*"
    note: str = "{}"

    for_people = True

    def report_lines(self, report: EvaluationReport) -> Iterator[bytes]:
        """Yield a table in which runs stand side by side."""
        from irevalx.reports.overview import overview

        return self.table_lines(overview(report), report.digits)

    def _lines_of(self, tables: Sequence[Table], digits: int, titled: bool, about: About) -> Iterator[bytes]:
        """Yield one table after the other, with their titles if there are several."""
        from irevalx.reports.table import aligned_lines, visible

        for number, table in enumerate(tables):
            if titled or len(tables) > 1:
                yield as_bytes(f"{chr(10) if number else ''}{self.escape(visible(table.title))}\n\n")
            yield from aligned_lines(
                table, digits, layout=self.layout, best=self.best, other=self.other, escape=self.escape
            )
            for place, sentence in enumerate(table.notes):
                note = visible(sentence.replace("{best}", self.mark))
                yield as_bytes(("\n" if place == 0 and self.note == "{}" else "") + self.note.format(note) + "\n")


class SeparatedValues(OutputFormat):
    """A header, then a line for each row with every digit.

    Parameters
    ----------
    delimiter : stands between fields; those that hold it are quoted.
    """

    delimiter: str

    def report_lines(self, report: EvaluationReport) -> Iterator[bytes]:
        """Yield a line for each value."""
        from irevalx.reports.records import fields_of, records_of, separated_lines

        return separated_lines(fields_of(report), records_of(report), self.delimiter)

    def _lines_of(self, tables: Sequence[Table], digits: int, titled: bool, about: About) -> Iterator[bytes]:
        """Yield the first table; what is not defined is an empty field."""
        from irevalx.reports.records import separated_lines, without_nan

        return separated_lines(tables[0].columns, map(without_nan, tables[0].rows), self.delimiter)


class JsonLines(OutputFormat):
    """An object for each row with every digit."""

    def report_lines(self, report: EvaluationReport) -> Iterator[bytes]:
        """Yield a line for each value."""
        from irevalx.reports.records import fields_of, json_lines, records_of

        return json_lines(fields_of(report), records_of(report))

    def _lines_of(self, tables: Sequence[Table], digits: int, titled: bool, about: About) -> Iterator[bytes]:
        """Yield the first table."""
        from irevalx.reports.records import json_lines

        return json_lines(tables[0].columns, tables[0].rows)


class JsonObject(OutputFormat):
    """One object with everything."""

    shows_inputs = True

    def report_lines(self, report: EvaluationReport) -> Iterator[bytes]:
        """Yield the values by run, topic and measure, after how they were made."""
        from irevalx.reports.records import json_of_report

        return json_of_report(report)

    def _lines_of(self, tables: Sequence[Table], digits: int, titled: bool, about: About) -> Iterator[bytes]:
        """Yield all tables, by title, and how they were made."""
        from irevalx.reports.records import json_of_tables

        return json_of_tables(tables, about)


_MARKDOWN = r"[\\`*~|\[]|(?<!\w)_|_(?!\w)|<(?=[A-Za-z/!?])|&(?=#?\w+;)"
"""What would mean something in a cell: underscores within words, ``<`` before numbers and most ``&`` do not."""


def _escape_markdown(text: str) -> str:
    return re.sub(_MARKDOWN, lambda found: "\\" + found[0], text)


_LATEX = {character: "\\" + character for character in "&%$#_{}"}
_LATEX |= {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
_LATEX |= {"<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}", "-": "-{}"}


def _escape_latex(text: str) -> str:
    """Escape what means something, what LaTeX's usual font lacks, and dashes that would become a longer one.

    The end of a row would take ``*`` or ``[`` at the beginning of the next one for its own.
    """
    escaped = re.sub(r"[\\&%$#_{}~^<>|]|-(?=-)", lambda found: _LATEX[found[0]], text)
    return f"{{{escaped[0]}}}{escaped[1:]}" if escaped[:1] in {"*", "["} else escaped


OUTPUT_FORMATS: dict[str, OutputFormat] = {
    form.name: form
    for form in (
        TrecEvalLines("trec", "trec_eval's three columns"),
        TableForPeople("table", "a table for the terminal", "simple", best="{}*", other="{} "),
        TableForPeople(
            "markdown", "a table in Markdown", "github", best="**{}**", escape=_escape_markdown, mark="Bold type"
        ),
        TableForPeople(
            "latex",
            "a table in LaTeX",
            "latex_raw",
            best=r"\textbf{{{}}}",
            escape=_escape_latex,
            mark="Bold type",
            note="% {}",
        ),
        SeparatedValues("csv", "comma-separated values", ","),
        SeparatedValues("tsv", "tab-separated values", "\t"),
        JsonObject("json", "one JSON object"),
        JsonLines("jsonl", "one JSON object per line"),
    )
}
"""The values of ``--format``, in the order of help and manual."""


def format_help(formats: Iterable[OutputFormat]) -> str:
    """Return names and purposes, as help shows them: ``csv (comma-separated lines), ...``."""
    return ", ".join(f"{form.name} ({form.purpose})" for form in formats)
