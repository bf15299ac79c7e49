"""What the command would say on standard error, as Python's warnings."""

from __future__ import annotations

import inspect
import warnings


class IrevalxWarning(UserWarning):
    """What the command would say on standard error."""


def warn(line: str) -> None:
    """Warn in the name of the line that called irevalx, however far up it is."""
    package, frame, depth, level = __name__.partition(".")[0], inspect.currentframe(), 0, 0
    while frame is not None:
        depth += 1
        if frame.f_globals.get("__name__", "").partition(".")[0] == package:
            level = depth
        frame = frame.f_back
    warnings.warn(line, IrevalxWarning, stacklevel=level + 1)
