"""Warnings of the Python functions."""

from __future__ import annotations

import inspect
import warnings


class IrevalxWarning(UserWarning):
    """A warning about judgments, runs or values, which the commands print to standard error.

    >>> import irevalx, warnings
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always", irevalx.IrevalxWarning)
    ...     scores = irevalx.evaluate({"1": {"A": 1}, "2": {"B": 1}}, {"1": {"A": 2.0}}, "map")
    >>> print(caught[0].message)
    run: 1 of 2 judged topics without results are left out of the averages (complete=True counts them as 0)
    """


def warn(line: str) -> None:
    """Emit a warning with the location of the outermost call into irevalx."""
    package, frame, depth, level = __name__.partition(".")[0], inspect.currentframe(), 0, 0
    while frame is not None:
        depth += 1
        if frame.f_globals.get("__name__", "").partition(".")[0] == package:
            level = depth
        frame = frame.f_back
    warnings.warn(IrevalxWarning(line), stacklevel=level + 1)
