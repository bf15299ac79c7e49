"""How often any of several measures has a significant difference by chance."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from running import FIXTURES, lab
from scipy import stats

import irevalx
from irevalx.lab.comparison.pairs import ANY_OF_FIVE

_DRAWS = int(os.environ.get("MEASURE_DRAWS", "200"))


def test_any_of_five_measures(robust03: Path) -> None:
    """Equal runs: differences of random pairs and 50 random topics, without their mean (``MEASURE_DRAWS=4000``)."""
    scores = irevalx.evaluate(
        robust03 / "qrels.gz", sorted((robust03 / "runs").iterdir()), "map ndcg@10 P.10 recip_rank bpref"
    )
    values = np.array([[scores.per_topic(measure, run) for run in scores.runs] for measure in scores.measures])
    rng, n_any = np.random.default_rng(1), 0
    for _ in range(_DRAWS):
        first, second = rng.choice(len(scores.runs), 2, replace=False)
        d = values[:, first] - values[:, second]
        drawn = (d - d.mean(axis=1, keepdims=True))[:, rng.choice(d.shape[1], 50)]
        n_any += bool(np.any(np.less(stats.ttest_1samp(drawn, 0, axis=1).pvalue, 0.05)))
    share = n_any / _DRAWS
    assert share == pytest.approx(ANY_OF_FIVE, abs=3 * (0.15 * 0.85 / _DRAWS) ** 0.5)
    assert share > 0.05


@pytest.mark.parametrize("options", [(), ("--by", "run"), ("--by", "pair"), ("--baseline", "count1")])
def test_line_on_several_measures(options: tuple[str, ...]) -> None:
    """One line below the tables of several measures states that p-values are not corrected for their number."""
    experiment = FIXTURES / "experiment"
    files = (experiment / "qrels", *sorted((experiment / "runs").iterdir()))
    line = "p-values are not corrected for the number of measures (2): if two runs do not differ, the probability "
    assert lab("compare", *files, "-m", "map P.10", *options).words.count(line) == 1
    assert "corrected for the number of measures" not in lab("compare", *files, "-m", "map", *options).words
