"""Several collections in gate: margins, verdicts on means and in collections, exit statuses and JUnit."""

from __future__ import annotations

import math
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from running import lab, refusal, repeats
from scipy import stats

import irevalx
import irevalx.lab
from irevalx.errors import IrevalxWarning
from irevalx.lab.comparison.margins import margins_in
from irevalx.lab.comparison.non_inferiority import Improvements
from irevalx.lab.comparison.verdicts import Gate

FOLDER = Path(__file__).parents[3] / "fixtures" / "collections"
QRELS, RUNS = str(FOLDER / "qrels" / "{collection}.tsv"), str(FOLDER / "runs" / "{collection}" / "{run}.trec")
SIZES = {"bio": 30, "news": 80, "law": 50}


def drawn(gains: tuple[float, ...] = (0.0, 0.01, 0.02), *, seed: int = 1) -> dict[str, dict[str, np.ndarray]]:
    """Return the values of two runs in each collection, of which new gains these amounts on average."""
    rng = np.random.default_rng(seed)
    result = {}
    for (name, n), gain in zip(SIZES.items(), gains, strict=True):
        old = rng.uniform(0.2, 0.8, n)
        result[name] = {"old": old, "new": old + rng.normal(gain, 0.05, n)}
    return result


def gated(values: dict[str, dict[str, np.ndarray]], margin: object, **options: object) -> Gate:
    """Return the verdicts on new against old."""
    scores = {
        name: irevalx.Scores.from_frame(
            {
                "run": [run for run, of_run in of.items() for _ in of_run],
                "topic": [str(topic) for of_run in of.values() for topic in range(len(of_run))],
                "quality": np.concatenate([*of.values()]).tolist(),
            }
        )
        for name, of in values.items()
    }
    return irevalx.lab.gate(scores, baseline="old", margin=margin, **options)  # type: ignore[arg-type]


def test_rows_are_loops() -> None:
    """The mean has Satterthwaite's interval at 95 %, and each collection the t interval at 1 - 0.05/3."""
    values = drawn()
    mean, *each = gated(values, 0.03).rows
    assert [row.collection for row in (mean, *each)] == ["", "bio", "news", "law"]
    d = [of["new"] - of["old"] for of in values.values()]
    for row, of_topics in zip(each, d, strict=True):
        interval = stats.ttest_1samp(of_topics, 0.0).confidence_interval(1 - 0.05 / 3)
        assert (row.low, row.high) == pytest.approx(tuple(interval))
    v = [float(of_topics.var(ddof=1)) / of_topics.size for of_topics in d]
    freedom = sum(v) ** 2 / sum(of**2 / (of_topics.size - 1) for of, of_topics in zip(v, d, strict=True))
    half, delta = stats.t.isf(0.025, freedom) * math.sqrt(sum(v)) / 3, sum(float(x.mean()) for x in d) / 3
    assert (mean.difference, mean.low, mean.high) == pytest.approx((delta, delta - half, delta + half))
    assert (mean.topics, mean.verdict) == (160, "not worse")
    result = gated(values, {"*": 0.03, "law": 0.05, "collections": 0.04})
    assert [*result.about()["margins"].values()] == [0.03, 0.04, 0.04, 0.05]
    assert mean.mean == pytest.approx(sum(float(of["new"].mean()) for of in values.values()) / 3)


@pytest.mark.parametrize(
    ("gains", "margin", "verdicts", "status"),
    [
        ((0.02, 0.02, 0.02), 0.02, ["not worse"] * 4, 0),
        ((0.05, 0.05, -0.06), 0.02, ["not worse", "not worse", "not worse", "worse"], 3),
        ((0.05, 0.05, -0.06), {"*": 0.02, "law": 0.1}, ["not worse"] * 4, 0),
        ((-0.05, -0.05, -0.05), 0.02, ["worse"] * 4, 3),
        ((-0.05, -0.05, -0.05), {"*": 0.02, "collections": 0.1}, ["worse", *["not worse"] * 3], 3),
        ((0.0, 0.0, 0.0), {"*": 0.02, "collections:quality": 0.004}, ["not worse", *["cannot tell"] * 3], 5),
        ((0.02, 0.02, 0.02), "5%", ["not worse"] * 4, 0),
        ((-0.05, -0.05, -0.05), "5%", ["worse"] * 4, 3),
    ],
)
def test_verdicts(gains: tuple[float, ...], margin: object, verdicts: list[str], status: int) -> None:
    """Losses on the mean and in one collection, with margins of their own; a share refers to the mean of the baseline."""
    result = gated(drawn(gains), margin)
    assert [row.verdict for row in result.rows] == verdicts
    assert result.status == status
    assert gated(drawn(gains), margin, allow_unsure=True).status == (0 if status == 5 else status)


@pytest.mark.parametrize("share", [0.02, 0.05, 0.2])
@pytest.mark.parametrize("seed", repeats([1, 2, 3]))
def test_interval_of_the_ratio_decides(share: float, seed: int) -> None:
    """A ratio at an end of the interval is just significant in a t test with Satterthwaite's degrees of freedom."""
    values = drawn((-0.03, -0.02, 0.0), seed=seed)
    row = gated(values, f"{100 * share:g}%").rows[0]

    def ends(r: float) -> tuple[float, float]:
        d = [of["new"] - r * of["old"] for of in values.values()]
        v = [float(each.var(ddof=1)) / each.size for each in d]
        freedom = sum(v) ** 2 / sum(of**2 / (each.size - 1) for of, each in zip(v, d, strict=True))
        half = float(stats.t.isf(0.025, freedom)) * math.sqrt(sum(v)) / 3
        mean = sum(float(each.mean()) for each in d) / 3
        return mean - half, mean + half

    assert ends(row.ratio_low)[0] == pytest.approx(0, abs=1e-9)
    assert ends(row.ratio_high)[1] == pytest.approx(0, abs=1e-9)
    assert (row.verdict == "not worse") == (ends(1 - share)[0] > 0) == (row.ratio_low > 1 - share)
    assert math.isnan(gated(values, 0.1).rows[0].ratio_low)


def test_equal_runs() -> None:
    """Runs with the same values are not worse with a margin of 0; without any values above 0, nothing is known."""
    same = {name: {"old": of["old"], "new": of["old"]} for name, of in drawn().items()}
    assert [row.verdict for row in gated(same, 0).rows] == ["not worse"] * 4
    zero = {name: {"old": 0 * of["old"], "new": 0 * of["old"]} for name, of in drawn().items()}
    assert [row.verdict for row in gated(zero, 0).rows] == ["cannot tell"] * 4


def test_false_verdicts() -> None:
    """A run that loses the margin on the mean is "not worse" in about 2.5 % of samples."""
    rng, wrong, sizes = np.random.default_rng(3), 0, [*SIZES.values()]
    for _ in range(400):
        each = [rng.normal(loss, 0.1, n) * 160 / 3 / n for loss, n in zip((-0.01, -0.02, -0.03), sizes, strict=True)]
        improved = Improvements(np.concatenate(each)[np.newaxis], 0.05, parts=[(n, None) for n in sizes])
        wrong += bool(improved.loses_less(0.02)[0])
    assert 2 <= wrong <= 20


def test_margins_in_a_collection() -> None:
    """COLLECTION:MEASURE replaces collections:MEASURE and MEASURE; COLLECTION replaces all margins."""
    margins = {"*": 0.01, "map": 0.02, "collections": 0.03, "collections:map": 0.04, "bio:map": 0.05, "law": 0.06}
    names = ["bio", "law", "news"]
    assert margins_in(margins, None, names) == {"*": 0.01, "map": 0.02}
    assert margins_in(margins, "news", names) == {"*": 0.03, "map": 0.04}
    assert margins_in(margins, "bio", names) == {"*": 0.03, "map": 0.05}
    assert margins_in(margins, "law", names) == {"*": 0.06}
    assert margins_in({"map:skip": 0.1, "bio": 0.2}, "law", names) == {"map:skip": 0.1}
    assert margins_in("1%", "law", names) == {"*": "1%"}


def test_command(tmp_path: Path) -> None:
    """The status, the rows and the test cases of the command; a missing run and an unknown collection are errors."""
    options = ["-m", "ndcg@10", "--baseline", "bm25", "--margin", "0.05"]
    done = lab(
        "gate", QRELS, RUNS, *options, "--margin", "claims=30%", "--format", "csv", "--junit", tmp_path / "j.xml"
    )
    assert done.status == 5
    assert [(row["collection"], row["verdict"]) for row in done.rows] == [
        *[("", "not worse"), ("claims", "cannot tell"), ("finance", "not worse"), ("nutrition", "not worse")]
    ]
    cases = ET.parse(tmp_path / "j.xml").getroot().findall("testsuite/testcase")  # noqa: S314
    assert [case.get("name") for case in cases] == [
        f"ndcg_cut_10 ({name})" for name in ("mean over collections", "claims", "finance", "nutrition")
    ]
    assert [len(case.findall("failure")) for case in cases] == [0, 1, 0, 0]
    text = lab("gate", QRELS, RUNS, *options, "--allow-unsure", "--margin", "collections=0.2")
    assert text.status == 0
    simultaneous = (
        "over verdicts on means over collections (1) and, separately, over verdicts on single collections (3)"
    )
    assert simultaneous in text.words
    assert "unknown measure 'fiqa'" in refusal("gate", QRELS, RUNS, *options, "--margin", "fiqa=0.1")
    values = drawn()
    del values["law"]["new"]
    with pytest.raises(irevalx.IrevalxError, match="law: run 'new' is missing; gate requires all runs on each"):
        gated(values, 0.1)


def test_clusters_of_topics() -> None:
    """With clusters of topics, the mean has a longer interval here; the sign flips flip clusters."""
    values = {name: {run: np.repeat(v[::3], 3) for run, v in of.items()} for name, of in drawn().items()}
    alone = gated(values, 0.02).rows[0]
    clusters = {str(topic): str(topic // 3) for topic in range(100)}
    robust = gated(values, 0.02, clusters=clusters).rows[0]
    assert robust.high - robust.low > 1.3 * (alone.high - alone.low)
    with pytest.warns(IrevalxWarning) as caught:
        few = gated(values, 0.02, clusters={str(topic): str(topic // 10) for topic in range(100)})
    assert any(str(each.message).startswith("bio: 30 topics in 3 clusters") for each in caught)
    assert few.rows[0].verdict == "cannot tell"


def test_missing_measure() -> None:
    """A measure that a collection lacks cannot be left out of the verdicts: gate is an error, and compare warns."""

    def scores(**measures: list[float]) -> irevalx.Scores:
        topics = [str(topic) for topic in range(6)]
        return irevalx.Scores.from_frame({"run": ["old"] * 6 + ["new"] * 6, "topic": topics * 2, **measures})

    quality = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.2, 0.2, 0.4, 0.3, 0.5, 0.7]
    every = {"x": scores(q=quality, r=quality[::-1]), "y": scores(q=quality), "z": scores(q=quality, r=quality)}
    with pytest.raises(irevalx.IrevalxError, match="y: measure r is missing; gate requires all measures on each"):
        irevalx.lab.gate(every, baseline="old", margin=0.1)
    with pytest.warns(irevalx.IrevalxWarning) as warned:
        compared = irevalx.lab.compare(every)
    assert "measures that some collections lack are left out: r" in [str(each.message) for each in warned]
    assert {row.measure for row in compared.rows} == {"q"}


@pytest.mark.filterwarnings("ignore::irevalx.IrevalxWarning")
@pytest.mark.parametrize(
    ("gain", "sentence"),
    [
        (
            0.0,
            "On collections like these, the mean difference is not statistically significant (all differences are 0)",
        ),
        (0.5, "like these, the mean difference is not tested, because the mean differences are the same on all"),
    ],
)
def test_no_variation(gain: float, sentence: str) -> None:
    """A sentence gives the reason if the mean differences of three collections are equal."""
    topics = [str(topic) for topic in range(6)]
    values = [0.125, 0.25, 0.375, 0.125, 0.25, 0.375]
    frame = {"run": ["a"] * 6 + ["b"] * 6, "topic": topics * 2, "q": [*(value + gain for value in values), *values]}
    compared = irevalx.lab.compare({name: irevalx.Scores.from_frame(frame) for name in ("x", "y", "z")})
    words = " ".join(str(compared).split())
    assert sentence in words
    assert "nan" not in words
