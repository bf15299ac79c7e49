"""Corrections of p-values: as the loop has them, as statsmodels and scipy have them, and by hand."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from references import statistics as reference
from references.judges import judge

from irevalx.statistics.significance import CORRECTIONS, correction_named


@settings(deadline=None, max_examples=100)
@given(st.lists(st.fractions(0, 1, max_denominator=50), min_size=1, max_size=8))
def test_corrections(p: list[Fraction]) -> None:
    """Holm's is the loop's, Bonferroni's the product, Benjamini and Hochberg's scipy's; all stay within [p, 1]."""
    given_p = np.array([float(value) for value in p])
    assert CORRECTIONS["holm"](given_p).tolist() == pytest.approx([float(value) for value in reference.holm(p)])
    assert CORRECTIONS["bonferroni"](given_p).tolist() == pytest.approx(
        [float(min(Fraction(1), value * len(p))) for value in p]
    )
    assert CORRECTIONS["none"](given_p).tolist() == given_p.tolist()
    for correct in CORRECTIONS.values():
        assert (correct(given_p) >= given_p - 1e-15).all()
        assert (correct(given_p) <= 1).all()
    assert (CORRECTIONS["benjamini-hochberg"](given_p) <= CORRECTIONS["holm"](given_p) + 1e-15).all()


def test_corrections_of_four() -> None:
    """What statsmodels 0.15.0 has for 0.001, 0.02, 0.03, 0.2."""
    p = np.array([0.001, 0.02, 0.03, 0.2])
    assert CORRECTIONS["holm"](p).tolist() == pytest.approx([0.004, 0.06, 0.06, 0.2])
    assert CORRECTIONS["bonferroni"](p).tolist() == pytest.approx([0.004, 0.08, 0.12, 0.8])
    assert CORRECTIONS[correction_named("bh")](p).tolist() == pytest.approx([0.004, 0.04, 0.04, 0.2])


@pytest.mark.judges
@settings(deadline=None, max_examples=100)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=8))
def test_corrections_are_those_of_statsmodels(p: list[float]) -> None:
    """Where statsmodels is installed."""
    multitest = judge("statsmodels.stats.multitest")
    for name, theirs in (("holm", "holm"), ("bonferroni", "bonferroni"), ("benjamini-hochberg", "fdr_bh")):
        expected = multitest.multipletests(p, method=theirs)[1]
        assert CORRECTIONS[name](np.array(p)).tolist() == pytest.approx(expected.tolist())
