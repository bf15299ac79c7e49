"""The rules for valid grades of each type."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from irevalx.arrays.segments import AnyArray
from irevalx.settings import Grades
from irevalx.wording import is_parameter, spelled

RULES: dict[Grades, str] = {
    "whole": "a 64-bit integer",
    "real": "a finite number",
    "probability": "a probability of at most 1 (below 0: unjudged)",
    "label": "a finite number",
}
"""The phrases that describe valid grades in messages."""


def real_grades_hint() -> str:
    """Return the hint that is added to a message about a grade that is not an integer."""
    return f"; real-valued grades require {spelled('grades', 'real')}" if is_parameter("grades") else ""


def refuse_wrong(values: AnyArray, grades: Grades, error: Callable[[int, str], Exception]) -> None:
    """Raise ``error(position, rule)`` for the first invalid grade."""
    most = 1.0 if grades == "probability" else np.inf
    is_wrong = np.isinf(values) if grades == "label" else ~(np.isfinite(values) & (values <= most))
    for place in np.flatnonzero(is_wrong)[:1].tolist():
        raise error(place, RULES[grades])
