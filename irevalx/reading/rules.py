"""Rules for reading the values of an input."""

from __future__ import annotations

from irevalx.errors import Warn
from irevalx.frozen import Frozen
from irevalx.settings import Grades
from irevalx.trec_eval import Compat


class Rules(Frozen):
    """Rules for reading the values of an input."""

    compat: Compat  # determines the precision of scores and the style of comments
    strict: bool  # rejects malformed numbers and likely mistakes
    warn: Warn
    grades: Grades = "whole"
    hints: bool = True  # whether errors contain hints
