"""Exceptions and their exit statuses, and the warnings of the Python functions.

    IrevalxError
    ├── UsageError              1   invalid options or arguments
    │   └── UnknownMeasureError 1
    ├── InputError              2   a file that cannot be used
    │   ├── UnreadableFileError 2
    │   │   └── EmptyFileError  2
    │   ├── MalformedLineError  2   path:line: the mistake, with the text of the line
    │   ├── MalformedNumberError      2   under --strict, a malformed number
    │   ├── FormatError         2   an unknown file format
    │   └── ArgumentError       2   an invalid argument from Python
    ├── ParameterError          2   a measure's parameters, or (under --strict) an option's number
    ├── EvaluationError         4   a measure that cannot be computed; a document that occurs twice in a topic
    │   └── DuplicateDocumentError 4
    ├── NoTopicsError           7   no topic has both judgments and results
    ├── LostProcessError       71   a worker process was killed (EX_OSERR)
    ├── OutputError            74   standard output cannot be written (EX_IOERR; trec_eval does not notice)
    └── ZscoreFileError       255   an unreadable z-score file

A message is one line without prefix. ``message`` names the options of the command, and ``str`` the keywords of Python.
Only ``process/terminal`` and the entry points convert exceptions to exit statuses.
"""

from __future__ import annotations

import inspect
import re
import warnings
from collections.abc import Callable, Iterable
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from typing_extensions import Self


class IrevalxWarning(UserWarning):
    """A warning about judgments, runs or values. The commands print warnings to standard error.

    >>> import irevalx, warnings
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always", irevalx.IrevalxWarning)
    ...     scores = irevalx.evaluate({"1": {"A": 1}, "2": {"B": 1}}, {"1": {"A": 2.0}}, "map")
    >>> print(caught[0].message)
    run: 1 of 2 judged topics without results are left out of the averages (complete=True counts them as 0)
    """


def warn(line: str) -> None:
    """Emit a warning. The location of the warning is the outermost call into irevalx."""
    package, frame, depth, level = __name__.partition(".")[0], inspect.currentframe(), 0, 0
    while frame is not None:
        depth += 1
        if frame.f_globals.get("__name__", "").partition(".")[0] == package:
            level = depth
        frame = frame.f_back
    warnings.warn(IrevalxWarning(line), stacklevel=level + 1)


def warn_each(lines: Iterable[str]) -> None:
    """Emit each distinct line as a warning."""
    for line in dict.fromkeys(lines):
        warn(line)


STANDARD_INPUT = "-"
"""The file name of standard input."""

Warn: TypeAlias = Callable[[str], None]
"""A function that receives a warning, which is a single line without prefix."""


class RunWarning(NamedTuple):
    """A warning about a run. If the text begins with the field ``kind``, the warning concerns more than one run."""

    kind: str
    text: str | Callable[[], str]  # the text, or a function that composes the text only if it is issued
    badness: float = 0.0
    is_error: bool = False  # whether the run is refused
    run: str = ""  # the name of the run, if the text does not begin with it

    @property
    def line(self) -> str:
        """The text of the warning."""
        return self.text if isinstance(self.text, str) else self.text()

    def __reduce__(self) -> tuple[Any, ...]:
        return RunWarning, (self.kind, self.line, *self[2:])  # the function that composes a text cannot be pickled


class RunWarnings:
    """A context that collects warnings about runs.

    When the context ends, the most severe warning of each kind is issued. The warning contains the number of runs with
    a warning of the same kind.
    """

    def __init__(self, warn: Warn) -> None:
        self._warn = warn
        self._kinds: dict[str, tuple[int, bool, list[RunWarning]]] = {}  # runs, differing badness, worst warnings

    def add(self, of_run: Iterable[RunWarning]) -> None:
        """Add the warnings about one run."""
        by_kind: dict[str, list[RunWarning]] = {}
        for warning in of_run:
            by_kind.setdefault(warning.kind, []).append(warning)
        for kind, own in by_kind.items():
            n_runs, differ, worst = self._kinds.get(kind, (0, False, own))
            differ = differ or own[0].badness != worst[0].badness
            self._kinds[kind] = n_runs + 1, differ, own if own[0].badness > worst[0].badness else worst

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        for kind, (n_runs, differ, worst) in self._kinds.items():
            lines = [warning.line for warning in worst]
            if n_runs > 1 and lines[0] and not lines[0].startswith(kind):
                which = f"the {'worst' if differ else 'first'}{worst[0].run and f', {worst[0].run}'}"
                lines = [f"{lines[0]} ({n_runs} runs have such a warning; this is {which})"]
            for line in filter(None, lines):
                self._warn(line)


LONGEST_QUOTE = 80
"""The maximum number of characters between quotes in a message."""

_MOST_BYTES = 4
"""The maximum number of bytes of a character in UTF-8."""


class IrevalxError(Exception):
    """The base class of all errors that irevalx raises for invalid arguments, files or values.

    >>> import irevalx
    >>> try:
    ...     irevalx.evaluate("qrels.txt", "run.txt", "map")
    ... except irevalx.IrevalxError as error:
    ...     print(error)
    cannot read 'qrels.txt': No such file or directory
    """

    exit_status: ClassVar[int]

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class UsageError(IrevalxError):
    """Invalid options or arguments."""

    exit_status = 1


class UnknownMeasureError(UsageError):
    """A name that refers neither to a measure nor to a set of measures."""


class InputError(IrevalxError):
    """An input file that cannot be used."""

    exit_status = 2


class UnreadableFileError(InputError):
    """A file that is missing, is a directory, is empty, or is damaged."""


class EmptyFileError(UnreadableFileError):
    """A file that has no content."""


class MalformedLineError(InputError):
    """A line that violates the file format. The message begins with the path and the 1-based line number."""


class MalformedNumberError(InputError):
    """A score or a grade that is not a plain number, under ``--strict``."""


class FormatError(InputError):
    """An unknown file format."""


class ArgumentError(InputError, TypeError):
    """An invalid argument of a Python function. The message has the form ``ARGUMENT must be RULE, not VALUE``."""


class ParameterError(IrevalxError):
    """Invalid parameters of a measure, or (under ``--strict``) an invalid number among the options."""

    exit_status = 2


class EvaluationError(IrevalxError):
    """A measure that cannot be computed from this input."""

    exit_status = 4


class DuplicateDocumentError(EvaluationError):
    """A document that occurs twice in a topic, in a run or in judgments."""


class NoTopicsError(IrevalxError):
    """There is no topic that can be evaluated."""

    exit_status = 7


class LostProcessError(IrevalxError):
    """A worker process that ended before its work was done."""

    exit_status = 71


class OutputError(IrevalxError):
    """Output that cannot be written."""

    exit_status = 74


class ZscoreFileError(IrevalxError):
    """A z-score file that cannot be read."""

    exit_status = 255


def quote(text: bytes | str) -> str:
    """Quote a string for a message. Long strings are truncated, and unprintable characters are escaped."""
    # Truncate first: a text can be a line of many megabytes, and each byte becomes at least one character.
    quoted = printable(text[: _MOST_BYTES * (LONGEST_QUOTE + 1)])
    if len(quoted) > LONGEST_QUOTE:
        quoted = quoted[: LONGEST_QUOTE - 3] + "..."
    return f"'{quoted}'"


_PLAIN_WORD = r"[\w.,:=@%+/-]{1,80}"
"""The pattern of option values that are not quoted in messages."""


def shell_word(text: str) -> str:
    """Return the value of an option as it appears in a message: quoted, unless the value is a single plain word."""
    return text if re.fullmatch(_PLAIN_WORD, text) else quote(text)


def shown_name(path: str) -> str:
    """Return a file name for display in messages, on a single line."""
    return "standard input" if path == STANDARD_INPUT else printable(path)


def not_installed(package: str, extra: str) -> str:
    """Return the end of a message about a missing package, which includes the command that installs the package."""
    return f"{package}, which is not installed: pip install 'irevalx[{extra}]', or '.[{extra}]' in a checkout"


def imported(package: str, extra: str, what: str) -> Any:
    """Import a package. If the package is missing, raise ImportError, which names the extra that installs it."""
    try:
        return import_module(package)
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != package:
            raise
        raise ImportError(f"{what} needs {not_installed(package, extra)}", name=package) from None


_CONTROLS = "[\x00-\x1f\x7f-\x9f\udc80-\udc9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]"
"""Characters and bytes that control a terminal, end a line or reverse the direction of text."""


def visible(text: str, keep: str = "") -> str:
    r"""Escape characters that control a terminal, end a line or reverse the direction of text, except ``keep``.

    >>> visible("\033[31mred\n"), visible("\033[31mred\n", keep="\n")
    ('\\x1b[31mred\\n', '\\x1b[31mred\n')
    """
    return re.sub(
        _CONTROLS, lambda c: c[0] if c[0] in keep else printable(c[0].encode("utf-8", "surrogateescape")), text
    )


def printable(text: bytes | str) -> str:
    """Return a string with its unprintable characters escaped."""
    if isinstance(text, bytes):
        text = text.decode("utf-8", "backslashreplace")
    return "".join(c if c.isprintable() else c.encode("unicode_escape", "backslashreplace").decode() for c in text)
