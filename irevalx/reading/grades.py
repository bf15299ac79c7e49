"""Grades as ``--grades`` says: whole numbers as trec_eval reads them, real numbers, or probabilities."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from irevalx.arrays.byte_strings import Names
from irevalx.arrays.segments import AnyArray, IntArray
from irevalx.errors import MalformedNumberError, quote
from irevalx.reading.lines import Describe, real_numbers, whole_numbers
from irevalx.settings import Grades
from irevalx.trec_eval.numbers import MalformedNumbers

RULES: dict[Grades, str] = {
    "whole": "a whole number of 64 bits",
    "real": "a finite number",
    "probability": "a probability of at most 1 (below 0: not judged)",
}
"""What a grade must be, for messages."""

HINT = "; --grades real takes it"
"""What messages say of a grade that is a number, but not a whole one."""


def malformed_grades(grades: Grades, *, strict: bool) -> MalformedNumbers:
    """Return what notes the grades of a file that are no such numbers; other than whole ones it always refuses."""
    is_whole = grades == "whole"
    return MalformedNumbers("grade", RULES[grades], strict=strict or not is_whole, if_real=HINT if is_whole else "")


def read_grades(texts: Names, grades: Grades, malformed: MalformedNumbers, describe: Describe) -> AnyArray:
    """Read a column of grades: whole numbers as int64, others as float64.

    Parameters
    ----------
    texts : shape (n,).
    malformed : made by ``malformed_grades``.
    describe : returns where a line stands, for the message.

    Raises
    ------
    MalformedNumberError : a grade is no such number, and ``malformed`` is strict.
    """
    if grades == "whole":
        return whole_numbers(texts, malformed, describe)
    values = real_numbers(texts, malformed, describe)
    for place in wrong_grades(values, grades)[:1].tolist():
        problem = f"grade must be {RULES[grades]}, but got {quote(texts.text(place))}"
        raise MalformedNumberError(f"{describe(place)}: {problem}")
    return values


def wrong_grades(values: AnyArray, grades: Grades) -> IntArray:
    """Return the places of numbers that are no such grades, ascending."""
    most = 1.0 if grades == "probability" else np.inf
    return np.flatnonzero(~(np.isfinite(values) & (values <= most)))


def refuse_wrong(values: AnyArray, grades: Grades, error: Callable[[int, str], Exception]) -> None:
    """Raise what ``error`` makes of the place of the first number that is no such grade, and of what it must be."""
    for place in wrong_grades(values, grades)[:1].tolist():
        raise error(place, RULES[grades])
