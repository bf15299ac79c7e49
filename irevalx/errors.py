"""Everything that can go wrong, as a tree; each leaf carries the status that trec_eval exits with.

    IrevalxError
    ├── UsageError              1   wrong options or arguments
    │   └── UnknownMeasureError 1
    ├── InputError              2   a file that cannot be read or makes no sense
    │   ├── UnreadableFileError 2
    │   ├── MalformedLineError  2   path:line: what must hold, but got 'text'
    │   ├── MalformedNumberError      2   under --strict, a number that is not plain
    │   ├── FormatError         2   an unknown file format
    │   └── ArgumentError       2   what a Python program passed is not what it must be
    ├── ParameterError          2   a measure's parameters, or (under --strict) an option's number
    ├── EvaluationError         4   a measure that cannot be computed
    │   └── DuplicateDocumentError 4
    ├── NoTopicsError           7   no topic has both judgments and results
    ├── LostProcessError       71   a process that did part of the work was killed (EX_OSERR)
    ├── OutputError            74   standard output cannot be written (EX_IOERR; trec_eval does not notice)
    └── ZscoreFileError       255   an unreadable z-score file

Messages are one line without prefix: "THING must RULE, but got 'TEXT'"; ``message`` names the options of the command,
``str`` the keywords of Python. Only ``cli`` and
``process/exit_status`` turn exceptions into statuses.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any, ClassVar, TypeAlias

from irevalx.keywords import in_keywords

STANDARD_INPUT = "-"
"""The file name that stands for standard input."""

Warn: TypeAlias = Callable[[str], None]
"""Takes one line for the user's eyes, without prefix or newline."""

LONGEST_QUOTE = 80
"""The most characters of a text that are shown between the quotes."""

_MOST_BYTES = 4
"""Of a character, in UTF-8."""


class IrevalxError(Exception):
    """What is wrong with arguments, files or values: the root of the tree; never raised itself.

    >>> import irevalx
    >>> try:
    ...     irevalx.evaluate("qrels.txt", "run.txt", "map")
    ... except irevalx.IrevalxError as error:
    ...     print(error)
    cannot read 'qrels.txt': No such file or directory
    """

    exit_status: ClassVar[int]

    warnings: tuple[str, ...] = ()
    """What was to be said before it was raised."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message
        """What went wrong, as the command says it."""
        self._in_keywords = in_keywords(message)

    def __str__(self) -> str:
        """Return what went wrong, with keywords in place of options."""
        return self._in_keywords


class UsageError(IrevalxError):
    """The command line makes no sense."""

    exit_status = 1


class UnknownMeasureError(UsageError):
    """A name that is neither a measure nor a nickname."""


class InputError(IrevalxError):
    """An input file cannot be used."""

    exit_status = 2


class UnreadableFileError(InputError):
    """A file is missing, a directory, empty, or damaged."""


class MalformedLineError(InputError):
    """A line breaks its format: ``path:line: THING must RULE, but got 'TEXT'``, every line of the file counted."""


class MalformedNumberError(InputError):
    """A score or a grade is not a plain number, and ``--strict`` was given."""


class FormatError(InputError):
    """A format name that irevalx does not know."""


class ArgumentError(InputError, TypeError):
    """What a Python program passed is not what it must be: ``ARGUMENT must RULE, but got VALUE``."""


class ParameterError(IrevalxError):
    """The parameters of a measure, or a number among the options, are unusable."""

    exit_status = 2


class EvaluationError(IrevalxError):
    """A requested measure cannot be computed from this input."""

    exit_status = 4


class DuplicateDocumentError(EvaluationError):
    """A document occurs twice in one topic of the run or of the judgments."""


class NoTopicsError(IrevalxError):
    """No topic could be evaluated."""

    exit_status = 7


class LostProcessError(IrevalxError):
    """A process that did part of the work has ended before it was done."""

    exit_status = 71


class OutputError(IrevalxError):
    """What was computed cannot be written."""

    exit_status = 74


class ZscoreFileError(IrevalxError):
    """The z-score file cannot be read."""

    exit_status = 255


def quote(text: bytes | str) -> str:
    """Return text from a file or the command line as a message shows it: printable, in quotes, cut when long."""
    # Cut first: a text may be a line of many megabytes, and each byte shows as a character or more.
    shown = printable(text[: _MOST_BYTES * (LONGEST_QUOTE + 1)])
    if len(shown) > LONGEST_QUOTE:
        shown = shown[: LONGEST_QUOTE - 3] + "..."
    return f"'{shown}'"


def shown_name(path: str) -> str:
    """Return what messages call a file: one line, whatever its name is."""
    return "standard input" if path == STANDARD_INPUT else printable(path)


def not_installed(package: str, extra: str) -> str:
    """Return what messages say of a package that is missing, after "needs": its name, and what installs it.

    Parameters
    ----------
    extra : the extra of irevalx that brings it.
    """
    return f"{package}, which is not installed: pip install 'irevalx[{extra}]', or '.[{extra}]' in a checkout"


def imported(package: str, extra: str, what: str) -> Any:
    """Return a package.

    Parameters
    ----------
    extra, what : the extra of irevalx that brings it, and what needs it, for the error.

    Raises
    ------
    ImportError : it is not installed.
    """
    try:
        return import_module(package)
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != package:
            raise
        raise ImportError(f"{what} needs {not_installed(package, extra)}", name=package) from None


def printable(text: bytes | str) -> str:
    """Return text with escapes for what a terminal cannot show."""
    if isinstance(text, bytes):
        text = text.decode("utf-8", "backslashreplace")
    return "".join(c if c.isprintable() else c.encode("unicode_escape", "backslashreplace").decode() for c in text)
