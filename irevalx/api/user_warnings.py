"""Warnings of the Python functions."""

from __future__ import annotations

import inspect
import warnings

from irevalx.keywords import in_keywords


class IrevalxWarning(UserWarning):
    """A warning about judgments, runs or values, which the command prints on standard error.

    >>> import irevalx, warnings
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always", irevalx.IrevalxWarning)
    ...     scores = irevalx.evaluate({"1": {"A": 1}, "2": {"B": 1}}, {"1": {"A": 2.0}}, "map")
    >>> print(caught[0].message)
    run: 1 of 2 judged topics without results are left out of the averages (complete=True counts them as 0)
    """

    def __init__(self, line: str) -> None:
        super().__init__(line)
        self.line = line
        """The message with options of the command."""
        self._in_keywords = in_keywords(line)

    def __str__(self) -> str:
        """Return the message with keywords in place of options."""
        return self._in_keywords


def warn(line: str) -> None:
    """Emit a warning with the location of the outermost call into irevalx."""
    package, frame, depth, level = __name__.partition(".")[0], inspect.currentframe(), 0, 0
    while frame is not None:
        depth += 1
        if frame.f_globals.get("__name__", "").partition(".")[0] == package:
            level = depth
        frame = frame.f_back
    warnings.warn(IrevalxWarning(line), stacklevel=level + 1)
