"""The output of gdeval, ndeval and statAP_MQ_eval, recorded in ``fixtures/family/cases.jsonl``."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from running import FIXTURES


@dataclass(frozen=True)
class Case:
    """A recorded call of a TREC program, and the expected output of irevalx for the same files."""

    id: str
    program: str
    argv: list[str]
    files: dict[str, str]
    stdout: str
    status: int
    irevalx: list[str]
    expect: dict[str, dict[str, str | None]]  # by topic (or all) and measure, as printed; None where nothing is printed
    note: str
    refuses: str | None = None  # the file that irevalx refuses instead
    departure: str | None = None
    oracle_files: dict[str, str] | None = None  # the files of the program, if they differ
    also: list[dict[str, Any]] = field(default_factory=list)

    @property
    def judgments(self) -> str:
        """The name of the file of judgments."""
        [name] = self.files.keys() - {"run"}
        return name


CASES = [Case(**json.loads(line)) for line in (FIXTURES / "family" / "cases.jsonl").read_text().splitlines()]


MOST_DECIMALS = 6
"""The number of decimals that gdeval and ndeval print, and statAP_MQ_eval for a topic. Means and variances of
statAP_MQ_eval are not rounded."""


def agrees(value: float, printed: str) -> bool:
    """Return whether a value agrees with a printed value: exactly, or up to 1e-12 if the output is not rounded."""
    exponent = Decimal(printed).as_tuple().exponent
    assert isinstance(exponent, int)
    if exponent < -MOST_DECIMALS:
        return math.isclose(value, float(printed), rel_tol=1e-12)
    return f"{value:.{-exponent}f}" == printed
