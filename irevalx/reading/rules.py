"""Rules: how the values of an input are read."""

from __future__ import annotations

from irevalx.errors import Warn
from irevalx.frozen import Frozen
from irevalx.settings import Grades
from irevalx.trec_eval import Compat


class Rules(Frozen):
    """How the values of an input are read."""

    compat: Compat  # decides on the precision of scores and on comments
    strict: bool  # refuses numbers that are not plain, and likely mistakes
    warn: Warn
    grades: Grades = "whole"
