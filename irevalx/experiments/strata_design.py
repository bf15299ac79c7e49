"""How strata are typed, and what they need to be found in judgments."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import pairwise

from irevalx.arrays.segments import IntArray
from irevalx.errors import UsageError, Warn, quote
from irevalx.experiments.ranking_runs import rank_all
from irevalx.experiments.shares import read_share
from irevalx.experiments.strata import NO_LIMIT, By, Design, Stratum, numbers_for, read_strata_file
from irevalx.judgments.graded import Judgments
from irevalx.ranking.rank import RankingRules
from irevalx.ranking.ranking import Ranking
from irevalx.reading.runs import Run
from irevalx.reading.source import Source

REST = "rest"
"""The stratum of all that is in no other one."""

_RANGE = re.compile(r"([0-9]{1,18})(?:-([0-9]{1,18})|(\+))?")

EXAMPLE = "'depth 1-10:100% 11-50:30% rest:10%'"


def read_design(text: str, *, named: bool) -> Design:
    """Read strata as they are typed.

    Parameters
    ----------
    named : whether a file says which documents are in a stratum.

    Raises
    ------
    UsageError : there is no stratum, a rate is no share, or strata are not what they must be.
    """
    first, *rest = text.replace(",", " ").split() or [""]
    by: By = "depth" if first == "depth" else "runs" if first == "runs" else "names"
    if (by == "names") != named:
        how = "STRATUM:RATE with strata_file" if named else f"depth, or runs, and ranges, such as {EXAMPLE}"
        raise UsageError(f"strata must be {how}, but got {quote(text)}")
    parts = [_stratum(part, number, by) for number, part in enumerate([first, *rest] if named else rest, start=1)]
    if not parts:
        raise UsageError(f"strata must have one stratum at least, but got {quote(text)}")
    rests = [number for number, one in enumerate(parts) if one.is_rest]
    if rests and rests != [len(parts) - 1]:
        raise UsageError(f"{REST} must be the last stratum, but got {quote(text)}")
    _check_ranges(parts[: len(parts) - len(rests)], by, text)
    return Design(by, tuple(parts))


def _stratum(part: str, number: int, by: By) -> Stratum:
    """Read ``RANGE:RATE`` or ``NAME:RATE``; strata without a name are called by their number."""
    what, colon, share = part.rpartition(":")
    rate = read_share(share)
    if not colon or not what or rate is None:
        rule = "a share above 0 and at most 1, such as 11-50:30%"
        raise UsageError(f"a stratum must have {rule}, but got {quote(part)}")
    if what == REST:
        return Stratum(REST if by == "names" else str(number), rate, is_rest=True)
    if by == "names":
        return Stratum(what, rate)
    found = _RANGE.fullmatch(what)
    first = int(found[1]) if found else 0
    last = NO_LIMIT if found and found[3] else int(found[2]) if found and found[2] else first
    if not 1 <= first <= last:
        raise UsageError(
            f"a stratum must be a number from 1 up, a range such as 11-50 or 51+, or {REST}, but got {quote(part)}"
        )
    return Stratum(str(number), rate, first, last)


def _check_ranges(strata: Sequence[Stratum], by: By, text: str) -> None:
    """Refuse strata that have documents in common and, by depth, gaps; raises UsageError."""
    names = [one.name for one in strata]
    if by == "names":
        if len(set(names)) < len(names):
            raise UsageError(f"each stratum must be given once, but got {quote(text)}")
        return
    ascending = sorted(strata, key=lambda one: one.first)
    if any(one.last >= other.first for one, other in pairwise(ascending)):
        raise UsageError(f"ranges of strata must have nothing in common, but got {quote(text)}")
    if by == "depth" and [one.first for one in strata] != [1, *(one.last + 1 for one in strata)][: len(strata)]:
        raise UsageError(f"depths of strata must ascend from 1 without gaps, but got {quote(text)}")


def divided(
    design: Design, source: Source | None, judgments: Judgments, ranking: Callable[[], Ranking], warn: Warn
) -> IntArray:
    """Return the place of the stratum of each judged document, as ``Design.divide`` does.

    Parameters
    ----------
    source : the file with the strata; None where runs say what is in a stratum.
    ranking : returns the ranking of the runs.
    """
    if source is not None:
        numbers = read_strata_file(source, judgments, design.strata, warn)
    else:
        numbers = numbers_for(design.by, ranking(), judgments.rows.size)
    return design.divide(judgments, numbers)


def ranking_of(runs: Sequence[Run], judgments: Judgments, warn: Warn) -> Ranking:
    """Rank runs against judgments; raises as the evaluator does."""
    return Ranking.joined([one.ranking for one in rank_all(judgments, runs, RankingRules(), warn=warn)])
