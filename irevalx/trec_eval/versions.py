"""Differences between trec_eval 9.0.8 and 10.0.

Each difference is a named behaviour; no other module compares versions. Differences between irevalx and both versions
are listed in docs/differences.md.
"""

from __future__ import annotations

import re

from irevalx.frozen import Frozen
from irevalx.process.system import as_bytes
from irevalx.trec_eval.numbers import c_long


class Compat(Frozen, kw_only=True):
    """The behaviour of one version of trec_eval where the versions differ."""

    version: str
    """The version of trec_eval that is followed."""

    single_precision_scores: bool
    """Scores are 32-bit floats, so that scores with smaller differences are tied."""

    comments: bool
    """Lines that start with ``#`` are skipped (in runs also if indented)."""

    complete_evaluates_missing: bool
    """Under ``-c`` a topic without results is evaluated as if one unjudged document had been retrieved for it, and
    printed; otherwise it only counts 0 in the averages."""

    recall_rounded_up: bool
    """For iprec_at_recall and 11pt_avg, recall x of R relevant documents becomes x R + 0.9 documents, truncated;
    otherwise the nearest whole number, halves away from zero."""

    integer_gain_levels_only: bool
    """Gains for levels that are not integers are ignored, rather than given to the level that C's ``atol`` reads."""

    absent_measures: frozenset[str]
    """Measures that this version lacks."""

    def gain_level(self, key: str) -> int | None:
        """Return the relevance level of ``key=gain``; None if this version ignores the pair."""
        text = as_bytes(key)
        if self.integer_gain_levels_only and not re.fullmatch(rb"[+-]?[0-9]+", text):
            return None
        return c_long(text)[0]

    def blank_without_results(self, name: str) -> bool:
        """Return whether a topic without results gets 0 (or no text) under this printed name.

        The printed name decides, like in 10.0: ``utility`` gets 0, and ``utility_1,-1,0,0`` its value.
        """
        return name in {"num_ret", "utility", "rbp_resid", "relstring"} or name.startswith("unj")


TREC_EVAL_9 = Compat(
    version="9.0.8",
    single_precision_scores=True,
    comments=False,
    complete_evaluates_missing=False,
    recall_rounded_up=True,
    integer_gain_levels_only=False,
    absent_measures=frozenset({"dcg", "ideal_dcg", "rbp", "rbp_resid", "unj"}),
)

TREC_EVAL_10 = Compat(
    version="10.0",
    single_precision_scores=False,
    comments=True,
    complete_evaluates_missing=True,
    recall_rounded_up=False,
    integer_gain_levels_only=True,
    absent_measures=frozenset(),
)

COMPAT = {"9": TREC_EVAL_9, "10": TREC_EVAL_10}
"""The values of ``--compat``."""
