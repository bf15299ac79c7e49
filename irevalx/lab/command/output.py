"""Base classes of results, and functions that write the output files and folders of commands."""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from html import escape
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, TypeVar, runtime_checkable

from irevalx import __version__
from irevalx.checks import named_choice
from irevalx.errors import OutputError, quote, shown_name, warn
from irevalx.frozen import Frozen, replace
from irevalx.lab import PROGRAM
from irevalx.process.platform import as_bytes, new_file_mode, opened_file
from irevalx.process.startup import raising_interrupts
from irevalx.process.terminal import output_width, write, write_error
from irevalx.reading.collection_files import files_of
from irevalx.reading.sources.files import Source
from irevalx.reports import DIGITS, OUTPUT_FORMATS
from irevalx.reports.frames import arrow_table, pandas_frame, polars_frame
from irevalx.reports.table import Table, aligned_lines
from irevalx.wording import spelled

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa
    from matplotlib.figure import Figure

    from irevalx.lab.plotting.page import Page

FORMATS = {form.name: form for form in OUTPUT_FORMATS.values() if form.in_lab}
"""The output formats of irevalx-lab, by the values of ``--format``."""

DEFAULT_FORMAT = "table"
"""The default value of ``--format``."""

FIGURE_ENDINGS = (".png", ".svg", ".pdf")
"""The suffixes of figure files, which select the file format."""

FEW_PAIRS = 10
"""The maximum number of pairs of runs that are displayed by default."""


class Result(Frozen, kw_only=True):
    """The base class of results, which consist of tables.

    The rows of tables are stored in fields or computed from fields. In an interpreter and in a notebook, a result is
    displayed in the same way as its command prints it on a terminal.
    """

    notes: tuple[str, ...] = ()  # sentences below the last table, for example about the topics that were used
    displayed_titles: ClassVar[Mapping[str, str]] = {}  # displayed titles that differ from the titles in JSON
    titled: ClassVar[bool] = False  # whether the title is displayed even if there is a single table

    def tables(self) -> Sequence[Table]:
        """Return the tables of the result. Output formats for programs contain only the first table."""
        raise NotImplementedError

    def tables_for_people(self) -> Sequence[Table]:
        """Return the tables that are displayed to users."""
        return self.tables()

    def about(self) -> dict[str, Any]:
        """Return the seed, the methods and the notes that describe how values were computed, for JSON output."""
        return {"seed": getattr(self, "seed", None), "notes": list(self.notes)}

    def noted_tables(self) -> Sequence[Table]:
        """Return the displayed tables, with the notes of the result below the last table."""
        *tables, last = self.tables_for_people()
        return [*tables, replace(last, notes=(*last.notes, *self.notes))]

    def to_frame(self, table: str | None = None) -> pd.DataFrame:
        """Return a table as a pandas data frame, with unrounded values.

        Parameters
        ----------
        table : title of the table, as displayed or as in JSON, such as "determined pairs" (in JSON "decided pairs").
            [default: the first table, which the format csv contains]

        Raises
        ------
        ArgumentError : there is no such table.
        ImportError : pandas is not installed.
        """
        chosen = self.table(table)
        return pandas_frame(chosen.rows, chosen.columns)

    def to_polars(self, table: str | None = None) -> pl.DataFrame:
        """Return a table as a Polars data frame. Missing values become null. See ``to_frame``."""
        chosen = self.table(table)
        return polars_frame(chosen.rows, chosen.columns)

    def to_arrow(self, table: str | None = None) -> pa.Table:
        """Return a table as a PyArrow table. Missing values become null. See ``to_frame``."""
        chosen = self.table(table)
        return arrow_table(chosen.rows, chosen.columns)

    def table(self, title: str | None = None) -> Table:
        """Return the table with a title, by default the first table. Raise ArgumentError if there is no such table."""
        tables = {table.title: table for table in self.tables()}
        title = self.displayed_titles.get(title, title) if isinstance(title, str) else title
        return next(iter(tables.values())) if title is None else tables[named_choice("table", title, tuple(tables))]

    def __repr__(self) -> str:
        lines = OUTPUT_FORMATS["table"].table_lines(self.noted_tables(), DIGITS, titled=self.titled)
        return b"".join(lines).decode(errors="replace").rstrip("\n")

    def _repr_html_(self) -> str:
        """Return the tables as HTML, for display in a notebook."""
        tables = self.noted_tables()
        return "\n".join(part for table in tables for part in _html_of(table, titled=self.titled or len(tables) > 1))


class DocumentsResult(Result):
    """The base class of results whose rows are documents.

    If ``--format`` is not given, the documents are written as a pool file.
    """

    rows: Sequence[Any]

    @property
    def text(self) -> bytes:
        """The text of a pool file, with a line ``TOPIC DOCNO`` for each document, in the order of the rows."""
        return as_bytes("".join(f"{row.topic} {row.docno}\n" for row in self.rows))


def shortage_of(counts: Counter[str], n: int, topics: Sequence[str] | None) -> str:
    """Return a sentence that fewer than ``n`` documents were selected, or an empty string if ``n`` were selected.

    If ``topics`` is given, ``n`` is the number of documents for each topic.
    """
    if topics is None:
        return f"only {counts.total()} of {n} documents selected" if counts.total() < n else ""
    short = [topic for topic in topics if counts[topic] < n]
    if not short:
        return ""
    return (
        f"fewer than {n} documents selected for {len(short)} of {len(topics)} topics (for example {counts[short[0]]} "
        f"for topic {shown_name(short[0])})"
    )


class DrawnResult(Result):
    """The base class of results that can be plotted."""

    # The names of functions that plot the result on a page, by the values of ``draw`` (the default first). The
    # functions are in the module ``figures`` of the same package. The module is imported by name, so that it can import
    # the result class.
    drawings: ClassVar[Mapping[str, str]]

    def figure(self, *, draw: str | None = None, width: float = 7.0, titled: bool = True) -> Figure:
        """Draw the result.

        Parameters
        ----------
        draw : contents of the figure, as for the option of the command. [default: the default of the command]
        width : width of the figure in inches.
        titled : whether the figure has a title.

        Raises
        ------
        ArgumentError : there is no such figure, or it has no room for all values.
        ImportError : matplotlib is not installed.
        """
        from irevalx.lab.plotting.page import Page, style

        page = Page(width, titled)
        function = self.drawings[self.drawing(draw, page)]
        figures = import_module(f"{type(self).__module__.rpartition('.')[0]}.figures")
        with style():
            figure: Figure = getattr(figures, function)(self, page)
        return figure

    def drawing(self, draw: str | None, page: Page) -> str:
        """Return the key of ``drawings`` for a value of the parameter ``draw``."""
        return next(iter(self.drawings)) if draw is None else named_choice("draw", draw, tuple(self.drawings))


def _html_of(table: Table, *, titled: bool) -> Iterator[str]:
    yield from (f"<p>{escape(paragraph)}</p>" for paragraph in table.summary(DIGITS))
    if titled:
        yield f"<p><b>{escape(table.title)}</b></p>"
    lines = aligned_lines(table, DIGITS, layout="unsafehtml", best="<b>{}</b>", other="{}", escape=escape)
    yield b"".join(lines).decode(errors="replace")
    for note in (*table.caption, *table.notes):
        yield f"<p>{escape(note.replace('{best}', 'Bold type'))}</p>"


LONGEST_STEM = 32
"""The number of characters of a file name that the name of a temporary file contains. Names have at most 255 bytes."""

_NOT_RECORDED = frozenset({"threads", "quiet", "path", "format", "figure", "figure_width", "no_title", "svg_text"})
"""The parameters that do not affect any value, and are therefore not recorded."""


@runtime_checkable
class LinesResult(Protocol):
    """A result whose text is written to a file unchanged, such as judgments or a pool."""

    @property
    def text(self) -> bytes:
        """The content of the output file."""


class Output(Frozen, kw_only=True):
    """The output options of a command. The fields are named after the parameters."""

    format: str = DEFAULT_FORMAT  # one of ``FORMATS``
    digits: int = DIGITS  # decimals of real numbers in displayed tables
    path: str | os.PathLike[str] | None = None  # None for standard output
    figure: str | None = None  # a file with a suffix in ``FIGURE_ENDINGS``
    figure_width: float = 7.0  # in inches
    no_title: bool = False  # whether figures lack titles
    svg_text: bool = False  # whether SVG figures contain text instead of outlines
    quiet: bool = False  # whether progress is hidden

    def write(self, result: Result, **drawn: Any) -> None:
        """Write the tables of a result, and the figure if it was requested.

        The keyword arguments ``drawn`` are passed to the method ``figure``.
        """
        _print_seed(result)
        if self.figure is not None:  # first, because nothing may be printed if the figure raises an error
            draw = getattr(result, "figure")  # noqa: B009 - a command has the option only where its result has it
            self.write_figure(self.figure, lambda page: draw(width=page.width, titled=page.titled, **drawn))
        form = FORMATS[self.format]
        warn_of_suffix(self.path, form.name, FORMATS)
        tables = [*(result.noted_tables() if form.for_people else result.tables())]
        if _has_random_seed(result):
            tables[-1] = replace(
                tables[-1], notes=(*tables[-1].notes, f"Random choices: --seed {result.about()['seed']}.")
            )
        about = {**_call_record(), **result.about()} if form.shows_inputs else None
        width = output_width() if self.path is None else None
        lines = form.table_lines(tables, self.digits, titled=result.titled, about=about, width=width)
        write_lines(lines, self.path)

    def write_result(self, result: Result | LinesResult) -> None:
        """Write the tables or the text of a result. If the result has both, the default is the text."""
        import click
        from click.core import ParameterSource

        is_typed = click.get_current_context().get_parameter_source("format") is ParameterSource.COMMANDLINE
        if isinstance(result, Result) and (is_typed or not isinstance(result, LinesResult)):
            self.write(result)
        else:
            self.write_text(result)

    def write_table(self, table: Table, path: str | os.PathLike[str]) -> None:
        """Write a table with unrounded values to a file. The suffix of the file selects csv, tsv, json or jsonl.

        Any other suffix selects csv.
        """
        form = FORMATS.get(Path(path).suffix.lower().removeprefix("."), FORMATS["csv"])
        write_lines(form.table_lines([table], self.digits, about={}), path)

    def write_text(self, result: LinesResult) -> None:
        """Write judgments or a pool to the output file. If the seed was chosen at random, print the seed."""
        _print_seed(result)
        write_lines([result.text], self.path)

    def write_figure(self, path: str, draw: Callable[[Page], Figure]) -> None:
        """Plot a figure on a page, and write the page to a file."""
        from irevalx.lab.plotting.page import Page, figure_bytes

        page = Page(self.figure_width, not self.no_title, svg_text=self.svg_text)
        write_lines([figure_bytes(draw, page, os.path.basename(path))], path)  # noqa: PTH119


def _has_random_seed(result: object) -> bool:
    """Return whether the seed was chosen at random because the user specified none."""
    import click

    seed = getattr(result, "seed", None)
    return seed is not None and click.get_current_context().params.get("seed", seed) is None


def _print_seed(result: object) -> None:
    """If the seed was chosen at random, print the seed, so that the call can be repeated."""
    if _has_random_seed(result):
        seed = getattr(result, "seed")  # noqa: B009 - most results have none
        write_error(f"{PROGRAM}: random seed {seed}; repeat with --seed {seed}")


def _call_record() -> dict[str, Any]:
    """Return the command line, the digests of the input files and the warnings, for JSON output."""
    import click
    from click.core import ParameterSource

    context = click.get_current_context()
    options, inputs = {}, []
    for parameter in context.command.params:
        value = context.params.get(parameter.name or "")
        is_file = getattr(getattr(parameter.type, "parameter", None), "completion", "") == "file"  # as it is declared
        if is_file:
            paths = [path for given in paths_in(value) if given != "-" for path in files_of(given)]
            inputs += [{"path": path, "sha256": Source(path).sha256()} for path in paths]
        is_typed = context.get_parameter_source(parameter.name or "") is ParameterSource.COMMANDLINE
        is_option = isinstance(parameter, click.Option) or not is_file
        if is_typed and is_option and parameter.name not in _NOT_RECORDED:
            options[parameter.opts[-1]] = _json_value(value)
    warned = [] if context.obj is None else context.obj.warnings
    call = {"irevalx": __version__, "command": context.info_name, "options": options}
    return {**call, "inputs": inputs, "warnings": warned}


def paths_in(value: Any) -> list[str]:
    """Return the paths that the value of a parameter contains: one path, several paths, or a dictionary of paths."""
    if isinstance(value, dict):
        return [path for paths in value.values() for path in paths]
    if value is None:
        return []
    return list(value) if isinstance(value, tuple) else [value]


def _json_value(value: Any) -> Any:
    """Convert the value of an option to a JSON value. Values that JSON lacks, such as fractions, become strings."""
    if isinstance(value, tuple):
        return [_json_value(item) for item in value]
    if isinstance(value, dict):
        return {name: _json_value(item) for name, item in value.items()}
    return value if isinstance(value, bool | int | float | str) else str(value)


_BY_SUFFIX = {".md": "markdown", ".tex": "latex", ".htm": "html"}
_BY_SUFFIX |= {f".{name}": name for name in ("html", "pdf", "xlsx", *FORMATS)}
_FORMAT_WORDS = {"table": "a table as text", "markdown": "Markdown", "latex": "LaTeX"}


def warn_of_suffix(path: str | os.PathLike[str] | None, form: str, offered: Collection[str] = ()) -> None:
    """Warn if the suffix of an output file indicates a different format than ``form``.

    The formats in ``offered`` can be written by the command.
    """
    meant = _BY_SUFFIX.get(Path(path or "").suffix.lower(), form)
    if path is not None and meant != form:
        written, other = (_FORMAT_WORDS.get(name, name.upper()) for name in (form, meant))
        remedy = f"; use {spelled('format', meant)}" if meant in offered else ""
        warn(f"{shown_name(os.fspath(path))} contains {written}, not {other}{remedy}")


def write_lines(lines: Iterable[bytes], path: str | os.PathLike[str] | None) -> None:
    """Write lines to a file, or to standard output if ``path`` is None. Raise OutputError if writing fails."""
    if path is None:
        write(lines)
    else:
        write_file(path, lambda part: part.write_bytes(b"".join(lines)))


@raising_interrupts()
def write_file(path: str | os.PathLike[str], make: Callable[[Path], object]) -> None:
    """Call ``make`` with a temporary path, then move the completed file to ``path``.

    Raise OutputError if the file cannot be written.
    """
    final = Path(os.path.realpath(path))  # the target of a symbolic link is replaced, not the link
    part = None
    try:
        opened = opened_file(os.fspath(path))
        if opened is None and os.path.lexists(path) and not (final.is_file() or final.is_dir()):
            make(Path(path))  # a pipe or a device
            return
        mode = new_file_mode()
        if opened is None and final.is_file():
            if not os.access(final, os.W_OK) or not final.stat().st_mode & 0o222:
                raise OutputError(f"cannot write {quote(os.fspath(path))}: the file is not writable")
            mode = stat.S_IMODE(final.stat().st_mode)
        handle, name = tempfile.mkstemp(
            final.suffix, f".{final.stem[:LONGEST_STEM]}.", None if opened else final.parent
        )
        os.close(handle)
        part = Path(name)
        make(part)
        if opened:  # such as /dev/stdout or /proc/self/fd/3: existing content is kept
            with part.open("rb") as made, opened() as file:
                shutil.copyfileobj(made, file)
        else:
            part.chmod(mode)
            part.replace(final)
            part = None
    except OSError as error:
        raise OutputError(f"cannot write {quote(os.fspath(path))}: {error.strerror or error}") from None
    finally:
        if part is not None:
            part.unlink(missing_ok=True)


Made = TypeVar("Made")


def refuse_folder(path: str) -> None:
    """Raise OutputError if a folder cannot be created or written, before the results are computed."""
    try:
        there = _existing_parent(Path(path))
        is_writable = there.is_dir() and os.access(there, os.W_OK | os.X_OK)
        if is_writable and not os.path.lexists(path):
            longest = os.pathconf(there, "PC_NAME_MAX") if hasattr(os, "pathconf") else 255
            if any(len(as_bytes(part)) > longest for part in Path(path).parts):
                raise OutputError(f"cannot make the folder {quote(path)}: a name in it is longer than {longest} bytes")
    except OSError as error:
        raise _cannot_make(path, error) from None
    if not is_writable:
        raise OutputError(f"cannot make the folder {quote(path)}: {quote(str(there))} is not a writable folder")


def _existing_parent(path: Path) -> Path:
    """Return the path if it exists, and otherwise its nearest existing parent folder."""
    return next(folder for folder in (path, *path.absolute().parents) if os.path.lexists(folder))


def _cannot_make(path: str, error: OSError) -> OutputError:
    return OutputError(f"cannot make the folder {quote(path)}: {error.strerror or error}")


def make_folder(path: str) -> Path:
    """Create a folder if it does not exist, and return its path."""
    try:
        Path(path).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _cannot_make(path, error) from None
    return Path(path)


def _warn_of_kept_files(folder: Path, part: Path) -> None:
    """Warn if new files replace some files in a folder while other files in the folder are kept."""
    new = {file.relative_to(part).as_posix() for file in part.rglob("*") if file.is_file()}
    replaced = {name for name in new if (folder / name).is_file()}
    if not replaced:  # avoids a search of the folder, which can be large
        return
    known = {file.relative_to(folder).as_posix() for file in folder.rglob("*") if file.is_file()}
    if others := sorted(name for name in known - new if part not in (folder / name).parents):
        n_replaced, n_kept = (
            f"{len(names)} {which} {'files are' if names[1:] else 'file is'}"
            for names, which in (([*replaced], "existing"), (others, "other"))
        )
        warn(
            f"{shown_name(str(folder))}: {n_replaced} replaced, but {n_kept} kept (for example {quote(others[0])}), "
            "which can be results of an earlier call; use a new folder"
        )


@raising_interrupts()
def write_folder(path: str, make: Callable[[Path], Made]) -> Made:
    """Call ``make``, which writes files to a temporary folder, and move the completed files to ``path``.

    Return the value that ``make`` returns.
    """
    # If ``make`` fails, the folder ``path`` is neither changed nor created.
    part = None
    try:
        part = Path(tempfile.mkdtemp(prefix=f".{Path(path).name[:LONGEST_STEM]}.", dir=_existing_parent(Path(path))))
        made = make(part)
        _warn_of_kept_files(Path(path), part)
        for folder, _, names in os.walk(part):
            into = make_folder(os.path.join(path, os.path.relpath(folder, part)))  # noqa: PTH118
            for name in names:
                Path(folder, name).replace(into / name)
    except OSError as error:
        raise _cannot_make(path, error) from None
    except OutputError as error:
        reason = error.message.rpartition(": ")[2]  # the text before the reason names the temporary folder
        raise OutputError(f"cannot write the folder {quote(path)}: {reason}") from None
    finally:
        if part is not None:
            shutil.rmtree(part, ignore_errors=True)
    return made
