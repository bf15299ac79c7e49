"""The default columns of tables of pairs, the headings of the columns, and notes on the columns."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from irevalx.statistics.corrections import FAMILYWISE, SIMULTANEOUS, TUKEY, correction_named
from irevalx.statistics.paired_comparisons import Method
from irevalx.statistics.significance import FEW_TOPICS

_ENDS, _TEST_RESULTS = ("low", "high", "simultaneous_low", "simultaneous_high"), ("p", "corrected_p", "differ")
"""The columns with bounds of intervals, and the columns with results of a test."""


def default_columns(method: Method, rows: Sequence[Any], labels: Sequence[str], n_tests: int) -> tuple[str, ...]:
    """Return the default columns of a table of pairs, if ``n_tests`` p-values of a measure are corrected together."""
    simultaneous = [math.isfinite(row.simultaneous_low) for row in rows]
    if n_tests == 1 and correction_named(method.correction) != TUKEY:
        simultaneous = [False] * len(rows)  # the simultaneous interval would equal the unadjusted interval
    lacking = any(math.isfinite(row.low) and not has for row, has in zip(rows, simultaneous, strict=True))
    ends = ("low", "high") if lacking or not any(simultaneous) else ()
    if any(simultaneous):
        ends = (*ends, "simultaneous_low", "simultaneous_high")
    test = ("test",) if any(row.test != method.test for row in rows) else ()
    return (*labels, "difference", *ends, "corrected_p", *test, "differ")


def _is_unadjusted(method: Method, n_tests: int) -> bool:
    """Return whether p-values are corrected while intervals of pairs are unadjusted."""
    return n_tests > 1 and correction_named(method.correction) != "none"


def heads_of(columns: Sequence[str], method: Method, n_tests: int) -> tuple[str, ...]:
    """Return the column headings of a table of pairs."""
    unadjusted = "unadjusted " if _is_unadjusted(method, n_tests) else ""
    heads = {"low": f"{unadjusted}low", "high": f"{unadjusted}high"}
    if n_tests == 1 and correction_named(method.correction) != TUKEY and "p" not in columns:
        heads["corrected_p"] = "p"
    return tuple(heads.get(name, name.replace("_", " ")) for name in columns)


def notes_on_pairs(
    method: Method, columns: Sequence[str], n_tests: int, pair: str, pairs: str, units: str = "topics"
) -> list[str]:
    """Return notes that explain the intervals and tests of pairs. ``pair`` and ``pairs`` are nouns for comparisons."""
    correction, share = correction_named(method.correction), f"{100 * (1 - method.alpha):g}%"
    notes = []
    if "low" in columns:
        kind = "t" if method.interval == "t" else "bootstrap (BCa)"
        of_this = f"low to high: {share} {kind} interval of the difference for this {pair} alone"
        if _is_unadjusted(method, n_tests):
            of_this = (
                f"unadjusted {of_this}, not corrected for the number of {pairs}; it can exclude 0 even if differ is no"
            )
        notes.append(f"{of_this}.")
    if "simultaneous_low" in columns:
        notes.append(f"simultaneous low to high: {share} intervals that are simultaneous over all {pairs}.")
    elif correction in FAMILYWISE - SIMULTANEOUS and n_tests > 1 and "low" in columns:
        notes.append(f"Simultaneous intervals are not available for {correction.title()}'s correction.")
    if "test" in columns:
        notes.append(
            "test: an exact sign-flip test (permutation) replaces the t test, and there is no t interval, if fewer "
            f"than {FEW_TOPICS} {units} differ, or all {units} differ by the same amount."
        )
    has_interval, has_test = ({*names} & {*columns} for names in (_ENDS, _TEST_RESULTS))
    if has_interval and has_test and correction != TUKEY and (method.test, method.interval) != ("t", "t"):
        notes.append("The test and the interval use different methods, so they can disagree.")
    return notes
