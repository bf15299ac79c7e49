"""What grades must be."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from irevalx.arrays.segments import AnyArray, IntArray
from irevalx.declarations import is_parameter, spelled
from irevalx.settings import Grades

RULES: dict[Grades, str] = {
    "whole": "a whole number of 64 bits",
    "real": "a finite number",
    "probability": "a probability of at most 1 (below 0: not judged)",
    "label": "a finite number",
}
"""What a grade must be, for messages."""


def real_grades_hint() -> str:
    """Return what messages say of a grade that is a number, but not a whole one."""
    return f"; {spelled('grades', 'real')} takes it" if is_parameter("grades") else ""


def wrong_grades(values: AnyArray, grades: Grades) -> IntArray:
    """Return the places of numbers that are no such grades, ascending."""
    if grades == "label":
        return np.flatnonzero(np.isinf(values))
    most = 1.0 if grades == "probability" else np.inf
    return np.flatnonzero(~(np.isfinite(values) & (values <= most)))


def refuse_wrong(values: AnyArray, grades: Grades, error: Callable[[int, str], Exception]) -> None:
    """Raise what ``error`` makes of the place of the first number that is no such grade, and of what it must be."""
    for place in wrong_grades(values, grades)[:1].tolist():
        raise error(place, RULES[grades])
