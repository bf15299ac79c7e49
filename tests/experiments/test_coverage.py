"""Coverage of the judgments in comparisons, and the caution that a conclusion depends on unjudged documents."""

from __future__ import annotations

import gzip
import warnings
from collections import Counter
from itertools import combinations
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
import pytest
from examples.paper_collections import whole
from running import FIXTURES, lab, run
from scipy import stats
from unequal_judging import counts, experiment, rates

import irevalx
import irevalx.lab

Qrels = dict[str, dict[str, int]]
Runs = dict[str, dict[str, list[str]]]

pytestmark = [
    pytest.mark.filterwarnings(f"ignore::{irevalx.IrevalxWarning.__module__}.IrevalxWarning"),
    pytest.mark.slow,
]


def drawn(seed: int) -> tuple[Qrels, Runs]:
    """Return random judgments and three runs, with short lists, topics without results, and unjudged documents."""
    rng = np.random.default_rng(seed)
    qrels: Qrels = {}
    runs: Runs = {name: {} for name in "abc"}
    quality = dict(zip("abc", rng.choice([0.2, 0.5, 0.8, 1.1], 3), strict=True))
    unjudged = dict(zip("abc", rng.choice([0.0, 0.1, 0.3, 0.5], 3), strict=True))
    for topic in map(str, range(12)):
        judged = {f"d{n:02}": int(rng.random() < 0.4) for n in range(30)}
        qrels[topic] = judged
        for name, topics in runs.items():
            if rng.random() < 0.06:
                continue
            key = {doc: quality[name] * grade + rng.random() for doc, grade in judged.items()}
            ranked = sorted(key, key=key.__getitem__, reverse=True)
            ranked = [f"u{rng.integers(12):02}" if rng.random() < unjudged[name] else doc for doc in ranked]
            topics[topic] = list(dict.fromkeys(ranked))[: rng.integers(4, 30)]
    return qrels, runs


def precision(judged: dict[str, int], ranked: list[str], k: int) -> float:
    """Return the relevant documents among the first k, divided by k."""
    return sum(judged.get(doc, 0) for doc in ranked[:k]) / k


def average_precision(judged: dict[str, int], ranked: list[str]) -> float:
    """Return the sum of precisions at relevant documents, divided by their number."""
    hits = [place for place, doc in enumerate(ranked, start=1) if judged.get(doc, 0)]
    n_relevant = sum(judged.values())
    return sum(number / place for number, place in enumerate(hits, start=1)) / n_relevant if n_relevant else 0.0


def corrected_by(correction: str, p: list[float]) -> list[float]:
    """Return p-values corrected by Holm (1979), step by step, or by Bonferroni."""
    if correction == "none":
        return p
    if correction == "bonferroni":
        return [min(1.0, value * len(p)) for value in p]
    adjusted, greatest = list(p), 0.0
    for step, place in enumerate(sorted(range(len(p)), key=p.__getitem__)):
        greatest = max(greatest, min(1.0, p[place] * (len(p) - step)))
        adjusted[place] = greatest
    return adjusted


def shift(qrels: Qrels, first: dict[str, list[str]], second: dict[str, list[str]], means: tuple[float, float]) -> float:
    """Return the change of the difference by its definition, for the first 10 documents; nan without judged documents."""
    value = 0.0
    for sign, mean, own, other in ((-1, means[0], first, second), (1, means[1], second, first)):
        share_judged, share_alone = 0.0, 0.0
        for topic, judged in qrels.items():
            retrieved = own.get(topic, [])[:10]
            others = other.get(topic, [])[:10]
            for doc in retrieved:
                if doc in judged:
                    share_judged += 1 / len(retrieved) / len(qrels)
                elif doc not in others:
                    share_alone += 1 / len(retrieved) / len(qrels)
        if share_alone:
            value += sign * mean * share_alone / share_judged / 2 if share_judged else float("nan")
    return value


def test_short_lists() -> None:
    """For short rankings, the share of judged documents and the rule divide by the number of retrieved documents."""
    qrels = {str(t): {"a": 1, "b": int(t % 3 > 0), **{f"n{n}": 0 for n in range(10)}} for t in range(12)}
    full = {t: of_depth(["a", "b", *(f"n{n}" for n in range(8))]) for t in qrels}
    short = {t: of_depth(["a", f"u{t}-1", f"u{t}-2", f"u{t}-3"]) for t in qrels}
    result = irevalx.lab.compare(qrels, {"full": full, "short": short}, "P.10")
    [row], [compared] = result.rows, result.measures
    assert (row.judged_among_retrieved, row.judged_among_retrieved_against) == (1.0, 0.25)
    coverage = compared.measured.top_coverage
    assert coverage is not None
    # P_10 of short is 0.1; its judged document is always relevant, so that half of its three unjudged ones are 1.5
    assert coverage.shift(1, 0, 0.1, 0.0) == pytest.approx(0.15)
    described = irevalx.lab.describe(qrels, {"full": full, "short": short}, cutoffs=[10])
    assert [run.judged_among_retrieved for run in described.runs] == [(1.0,), (0.25,)]


def test_topics_without_results() -> None:
    """Topics without results count as 0 in a measure, and are excluded from the shares of judged documents."""
    qrels = {str(t): {f"n{n}": int(n < 2) for n in range(10)} for t in range(12)}
    full = {t: of_depth([f"n{n}" for n in range(10)]) for t in qrels}
    part = {t: of_depth([f"n{n}" for n in range(5)] + [f"u{t}"] * (t == "0")) for t in list(qrels)[:6]}
    share = (5 + 5 / 6) / 6
    [row] = irevalx.lab.compare(qrels, {"full": full, "part": part}, "P.10", complete=True).rows
    assert (row.mean_against, row.judged_among_retrieved, row.judged_among_retrieved_against) == pytest.approx(
        (0.1, 1.0, share)
    )
    described = irevalx.lab.describe(qrels, {"full": full, "part": part}, cutoffs=[10], complete=True)
    assert [run.judged_among_retrieved for run in described.runs] == [(1.0,), (pytest.approx(share),)]


@pytest.mark.parametrize("correction", ["none", "holm", "bonferroni"])
def test_the_rule_by_its_definition(correction: str) -> None:
    """Coverage and cautions of random runs equal those of loops and scipy."""
    n_warned = n_silent = 0
    for seed in range(12):
        qrels, runs = drawn(seed)
        given = {
            name: {topic: {doc: -float(n) for n, doc in enumerate(docs)} for topic, docs in topics.items()}
            for name, topics in runs.items()
        }
        result = irevalx.lab.compare(qrels, given, "P.10 P.20 map", complete=True, correction=correction).rows
        for measure, rows in (("P_10", result[:3]), ("P_20", result[3:6]), ("map", result[6:])):
            k = 20 if measure == "P_20" else 10
            values = {
                name: np.array(
                    [
                        average_precision(judged, topics.get(topic, []))
                        if measure == "map"
                        else precision(judged, topics.get(topic, []), k)
                        for topic, judged in qrels.items()
                    ]
                )
                for name, topics in runs.items()
            }
            covered = {
                name: fmean(
                    sum(doc in judged for doc in topics[topic][:k]) / min(k, len(topics[topic]))
                    for topic, judged in qrels.items()
                    if topic in topics
                )
                for name, topics in runs.items()
            }
            p: list[list[float]] = [[], []]
            ends: list[tuple[float, float]] = []
            for first, other in combinations("abc", 2):  # the row is the first less the second
                d = values[first] - values[other]
                by = shift(qrels, runs[other], runs[first], (float(values[other].mean()), float(values[first].mean())))
                error = d.std(ddof=1) / len(d) ** 0.5
                ends.append((float(d.mean()), float(d.mean() + by)))
                for number, mean in enumerate(ends[-1]):
                    p[number].append(float(2 * stats.t.sf(abs(mean) / error, len(d) - 1)))
            signs = []
            for number, of_all in enumerate(p):
                corrected = corrected_by(correction, of_all)
                signs.append(
                    [np.sign(end[number]) * (value < 0.05) for end, value in zip(ends, corrected, strict=True)]
                )
            expected = [
                bool(before != after and end[0] != end[1]) for before, after, end in zip(*signs, ends, strict=True)
            ]
            assert [(row.run, row.against) for row in rows] == list(combinations("abc", 2))
            assert [row.depends_on_unjudged for row in rows] == expected
            for row, after in zip(rows, signs[1], strict=True):
                if row.depends_on_unjudged:
                    assert row.if_relevant == pytest.approx(after, abs=0, nan_ok=True)
            for row in rows:
                assert [row.judged_among_retrieved, row.judged_among_retrieved_against] == pytest.approx(
                    [covered[row.run], covered[row.against]]
                )
            n_warned += sum(expected)
            n_silent += len(expected) - sum(expected)
    assert n_warned > 2
    assert n_silent > 50


def words_of(result: object) -> str:
    """Return what a result displays, without line breaks."""
    return " ".join(str(result).split())


def of_depth(docs: list[str]) -> dict[str, float]:
    """Return scores of documents in this order."""
    return {doc: -float(place) for place, doc in enumerate(docs)}


HALF_JUDGED = {str(t): {f"d{n}": int(n < 2 + t % 3) for n in range(10)} for t in range(12)}
GOOD = {t: of_depth([*(f"u{n}" for n in range(5)), *(f"d{n}" for n in range(5))]) for t in HALF_JUDGED}
"""A run whose first five documents are unjudged."""
NONE = {t: of_depth([f"{t}-{n}" for n in range(10)]) for t in HALF_JUDGED}
"""A run without judged documents."""


def test_shared_unjudged_documents() -> None:
    """Shared unjudged documents have no effect; a run without judged documents always has a caution."""
    bad = {t: of_depth([*(f"u{n}" for n in range(5)), *(f"d{n}" for n in range(9, 4, -1))]) for t in HALF_JUDGED}
    [row] = irevalx.lab.compare(HALF_JUDGED, {"good": GOOD, "bad": bad}, "P.10").rows
    assert (row.differ, row.depends_on_unjudged, row.judged_among_retrieved, row.judged_among_retrieved_against) == (
        True,
        False,
        0.5,
        0.5,
    )
    rows = irevalx.lab.compare(HALF_JUDGED, {"good": GOOD, "none": NONE}, "P.10 map bpref P.10:skip unj.10").rows
    assert [row.depends_on_unjudged for row in rows] == [True, True, None, None, None]
    assert [row.judged_among_retrieved_against for row in rows] == [0.0] * 5
    for options in ({"test": "wilcoxon"}, {"test": "permutation", "seed": 1}, {"correction": "tukey", "seed": 1}):
        [row] = irevalx.lab.compare(HALF_JUDGED, {"good": GOOD, "none": NONE}, "P.10", **options).rows
        assert (row.depends_on_unjudged, row.judged_among_retrieved, row.judged_among_retrieved_against) == (
            None,
            0.5,
            0.0,
        )
    few = {topic: HALF_JUDGED[topic] for topic in "0123"}
    [row] = irevalx.lab.compare(few, {"good": GOOD, "none": NONE}, "P.10").rows
    assert row.depends_on_unjudged is None  # no difference of so few topics is significant
    by_run = irevalx.lab.compare(HALF_JUDGED, {"good": GOOD, "none": NONE}, "P.5", by="run").tables()[0]
    assert by_run.columns[-1] == "judged_among_retrieved_5"
    assert [line[-1] for line in by_run.rows] == [0.0, 0.0]


def test_comparisons_without_the_rule() -> None:
    """If the rule does not apply to a measure, its caution is empty, and a note names the measure."""
    runs = {"good": GOOD, "none": NONE}
    result = irevalx.lab.compare(HALF_JUDGED, runs, "P.10 bpref P.10:skip")
    not_nonrelevant = "a measure that treats unjudged documents as nonrelevant"
    assert f"not determined for bpref and P_10:skip: the rule requires {not_nonrelevant}." in words_of(result)
    assert [row[-1] for row in result.tables()[0].rows] == [True, None, None]
    for measures, options, named, rule in (
        ("P.10 map", {"test": "wilcoxon"}, "P_10 and map", "t tests"),
        ("P.10 map", {"correction": "tukey", "seed": 1}, "P_10 and map", "t tests"),
        ("map gm_map", {}, "gm_map", "a mean or a sum over topics, and not a geometric mean"),
        ("map num_ret", {}, "num_ret", "a measure for which higher values are known to be better"),
    ):
        table = words_of(irevalx.lab.compare(HALF_JUDGED, runs, measures, **options))
        assert f"not determined for {named}: the rule requires {rule}." in table
    few = {topic: HALF_JUDGED[topic] for topic in "0123"}
    assert "for map: the rule requires at least 5 topics." in words_of(irevalx.lab.compare(few, runs, "map"))
    same = irevalx.lab.compare(HALF_JUDGED, {"good": GOOD, "same": GOOD}, "map")
    assert "the rule requires differences on at least 5 topics that are not all the same." in words_of(same)
    assert "not determined" not in str(irevalx.lab.compare(HALF_JUDGED, runs, "P.10 map"))
    many = {f"{name}{n}": run for n in range(6) for name, run in runs.items()}  # no table of pairs
    by_run = irevalx.lab.compare(HALF_JUDGED, many, "P.10 bpref", by="run")
    functions = (irevalx.lab.compare, irevalx.lab.compare_topics, irevalx.lab.discriminative_power)
    for table in map(str, (by_run, *(function(HALF_JUDGED, many, "P.10 bpref") for function in functions))):
        assert "Dependence on unjudged documents is not determined for bpref: the rule requires" in table
    group = {topic: "odd" if int(topic) % 2 else "even" for topic in HALF_JUDGED}
    of_systems: list[dict[str, Any]] = [{"systems": {name: name[:3] for name in many}}, {"system_by": "^n"}]
    for several in (*of_systems, {"topic_groups": group}):
        table = str(irevalx.lab.compare(HALF_JUDGED, many, "P.10 bpref", **several))
        assert "not determined for systems of several runs and topic groups." in table
    gated = irevalx.lab.gate(HALF_JUDGED, runs, "P.10 bpref", baseline="good", margin=0.01)
    assert [row.depends_on_unjudged for row in gated.rows] == [True, None]
    assert "not determined for bpref:" in str(gated)


def test_verdicts_if_relevant_by_their_definition() -> None:
    """Verdicts of the gate with unjudged documents half as relevant equal those of a t interval with a literal shift."""
    kinds: Counter[tuple[str, str | None]] = Counter()
    for seed in range(12):
        qrels, runs = drawn(seed)
        given = {
            name: {topic: {doc: -float(n) for n, doc in enumerate(docs)} for topic, docs in topics.items()}
            for name, topics in runs.items()
            if topics.keys() >= qrels.keys() or name != "a"
        }
        if given.keys() != set("abc"):
            continue
        values = {
            name: np.array([precision(judged, topics.get(topic, []), 10) for topic, judged in qrels.items()])
            for name, topics in runs.items()
        }
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            result = irevalx.lab.gate(qrels, given, "P.10", baseline="a", margin=0.03)
        for row in result.rows:
            d = values[row.run] - values["a"]
            half = stats.t.isf(0.05 / 2 / 2, len(d) - 1) * d.std(ddof=1) / len(d) ** 0.5
            assert (row.low, row.high) == pytest.approx((d.mean() - half, d.mean() + half))
            means = float(values["a"].mean()), float(values[row.run].mean())
            middle = d.mean() + shift(qrels, runs["a"], runs[row.run], means)
            passes, may_be_worse = bool(middle - half > -0.03), bool(middle + half < 0)
            after = row.if_relevant if row.depends_on_unjudged else row.verdict
            assert (after == "not worse") == passes
            assert after != "worse" or may_be_worse
            caution = f'if they were relevant half as often as judged documents, it would be "{after}"'
            lines = [line for line in result.sentences if line.startswith(f"{row.run} ")]
            assert any(caution in line for line in lines) == bool(row.depends_on_unjudged)
            assert any(caution in str(each.message) for each in warned) >= bool(row.depends_on_unjudged)
            kinds[row.verdict, row.if_relevant] += 1
    assert len([kind for kind in kinds if kind[1]]) >= 2, kinds


def test_judgments_of_relevant_documents_only() -> None:
    """Coverage is unknown: the caution is empty, a note explains it, and reports contain no sentence on coverage."""
    qrels = {str(t): {f"d{n}": 1 for n in range(5)} for t in range(12)}
    good = {t: of_depth([f"d{n}" for n in range(int(t) % 3, 5)]) for t in qrels}
    none = {t: of_depth([f"{t}-{n}" for n in range(10)]) for t in qrels}
    result = irevalx.lab.compare(qrels, {"good": good, "none": none}, "P.10")
    assert [row.depends_on_unjudged for row in result.rows] == [None]
    assert "All judged documents are relevant: their share among the retrieved documents is precision" in str(result)
    assert "equally judged" not in str(irevalx.lab.report(qrels, {"good": good, "none": none}, "P.10").data["findings"])
    assert "of the first 10 documents" not in str(result).casefold()
    gated = irevalx.lab.gate(qrels, {"good": good, "none": none}, "P.10 map", baseline="none", margin=0.01)
    assert [row.depends_on_unjudged for row in gated.rows] == [None, None]
    assert "caution" not in str(gated)
    described = " ".join(str(irevalx.lab.describe(qrels, {"good": good, "none": none})).split())
    assert "All judged documents are relevant, so that the shares of judged documents" in described
    assert "of the first 10 documents" not in described.casefold()
    graded = {t: {**judged, "n": 0} for t, judged in qrels.items()}
    assert "of the first 10 documents" in " ".join(
        str(irevalx.lab.describe(graded, {"good": good, "none": none})).casefold().split()
    )
    assert "All judged" not in str(irevalx.lab.compare(graded, {"good": good, "none": none}, "P.10"))


def test_scores_and_other_judgments_have_no_coverage() -> None:
    """Score files have no coverage: the columns are empty, and displayed tables omit them."""
    qrels = {str(t): {f"d{n}": int(n < 2 + t % 3) for n in range(4)} for t in range(12)}
    runs = {name: {t: of_depth(docs) for t in qrels} for name, docs in (("x", ["d0", "d3"]), ("y", ["d3", "d0"]))}
    result = irevalx.lab.compare(irevalx.evaluate(qrels, runs, "map"))
    assert all(np.isnan([row.judged_among_retrieved, row.judged_among_retrieved_against]).all() for row in result.rows)
    assert "judged" not in str(result)


def test_groups_of_topics_and_systems() -> None:
    """Coverage is over the topics of the group, and the mean over the runs of a system."""
    qrels, runs = drawn(3)
    given = {name: {t: of_depth(docs) for t, docs in topics.items()} for name, topics in runs.items()}
    group = {topic: "odd" if int(topic) % 2 else "even" for topic in qrels}
    covered = {
        (name, which): fmean(
            sum(doc in qrels[t] for doc in topics[t][:10]) / min(10, len(topics[t]))
            for t in qrels
            if which in {group[t], "all"} and t in topics
        )
        for name, topics in runs.items()
        for which in ("odd", "even", "all")
    }
    grouped = irevalx.lab.compare(qrels, given, "map", complete=True, topic_groups=group).rows
    for row in grouped:
        expected = [covered[row.run, row.group], covered[row.against, row.group]]
        assert [row.judged_among_retrieved, row.judged_among_retrieved_against] == pytest.approx(expected)
    [row] = irevalx.lab.compare(qrels, given, "map", complete=True, systems={"a": "x", "b": "x", "c": "y"}).rows
    with_results = [[name for name in "ab" if t in runs[name]] for t in qrels]
    shares = [
        fmean(sum(doc in qrels[t] for doc in runs[name][t][:10]) / min(10, len(runs[name][t])) for name in names)
        for t, names in zip(qrels, with_results, strict=True)
        if names
    ]
    assert row.judged_among_retrieved == pytest.approx(fmean(shares))
    assert row.judged_among_retrieved_against == pytest.approx(covered["c", "all"])
    assert row.depends_on_unjudged is None  # the rule is for runs, not for systems


def pooled_without_lsi(cranfield: Path, folder: Path) -> Path:
    """Write the judgments of Cranfield for the first ten documents of all runs except lsi."""
    every = whole(cranfield)
    pool = {
        (topic, doc)
        for name, topics in every.runs.items()
        if not name.startswith("lsi")
        for topic, docs in topics.items()
        for doc in docs[:10]
    }
    lines = gzip.decompress((cranfield / "qrels.gz").read_bytes()).decode().splitlines(keepends=True)
    path = folder / "qrels"
    path.write_text("".join(line for line in lines if (line.split()[0], line.split()[2]) in pool))
    return path


def test_unpooled_run(cranfield: Path, tmp_path: Path) -> None:
    """The difference of the unpooled run lsi1 from okapi1 depends on unjudged documents until they are judged."""
    runs = [cranfield / "runs" / f"{name}.gz" for name in ("okapi1", "lsi1")]
    qrels = pooled_without_lsi(cranfield, tmp_path)
    done = lab("compare", qrels, *runs, "-m", "P.10 map ndcg", "--format", "csv")
    assert [row["depends_on_unjudged"] for row in done.rows] == ["True"] * 3
    assert [round(float(row["difference"]), 3) for row in done.rows] == [0.032, 0.057, 0.053]
    shares = [unpooled_share(cranfield, qrels, name) for name in ("okapi1", "lsi1")]
    assert [
        float(done.rows[0][name]) for name in ("judged_among_retrieved", "judged_among_retrieved_against")
    ] == pytest.approx(shares)
    first, *_, command = done.stderr.splitlines()
    n_unjudged = round((1 - shares[1]) * 10 * 225)
    even = float(done.rows[0]["difference"]) * 10 * 225 / n_unjudged
    assert f"judged among retrieved@10 is 1.00 and {shares[1]:.2f}, a difference of 24 percentage points" in first
    assert f"the difference of 0.0320 becomes 0 if {even:.0%} of" in first.replace(" %", "%")
    bounds = lab("bounds", qrels, *runs, "-m", "P.10", "--format", "csv").rows
    [low, high] = [
        float(row[end])
        for row in bounds
        if (row["topic"], row["against"]) == ("all", "lsi1")
        for end in ("low", "high")
    ]
    assert first.endswith(f"the unjudged documents, the difference is between {low:.4f} and {high:.4f}")
    listed = lab(*command.partition("irevalx-lab ")[2].split())
    listed_pairs = {tuple(line.split()) for line in listed.stdout.decode().splitlines()}
    assert len(listed_pairs) == n_unjudged
    every = gzip.decompress((cranfield / "qrels.gz").read_bytes()).decode().splitlines(keepends=True)
    with qrels.open("a") as file:
        file.writelines(line for line in every if (line.split()[0], line.split()[2]) in listed_pairs)
    after = lab("compare", qrels, *runs, "-m", "P.10 map ndcg", "--format", "csv")
    assert [row["depends_on_unjudged"] for row in after.rows] == ["False"] * 3
    assert "unjudged" not in after.stderr
    assert round(float(after.rows[0]["difference"]), 3) == 0.015


def unpooled_share(cranfield: Path, qrels: Path, name: str) -> float:
    """Return the mean share of judged documents among the first ten of a run of Cranfield."""
    judged = {tuple(line.split()[::2][:2]) for line in qrels.read_text().splitlines()}
    topics = whole(cranfield).runs[name]
    return fmean(sum((topic, doc) in judged for doc in docs[:10]) / 10 for topic, docs in topics.items())


def test_a_gate_and_a_report(cranfield: Path, tmp_path: Path) -> None:
    """Verdicts have a caution by the same rule, and the report contains the warnings of compare."""
    runs = [str(cranfield / "runs" / f"{name}.gz") for name in ("okapi1", "lsi1", "vsm1")]
    qrels = str(pooled_without_lsi(cranfield, tmp_path))
    gate = lab("gate", qrels, *runs, "-m", "P.10", "--baseline", "okapi1", "--margin", "0.01")
    lines = gate.stdout.decode().splitlines()
    head, lsi, vsm = (line.split() for line in (lines[3], *lines[5:7]))
    assert head[-3:] == ["verdict", "caution", "gate"]
    assert (lsi[1], lsi[-2:], vsm[1], vsm[-2]) == ("lsi1", ["yes", "fails"], "vsm1", "no")
    assert "P_10, lsi1 against okapi1: the conclusion depends on unjudged documents" in gate.stderr
    compared = irevalx.lab.compare(qrels, runs, "P.10 map")
    made = irevalx.lab.report(qrels, runs, "P.10 map").data
    warned = [line for line in made["warnings"] if "the conclusion depends on unjudged" in line]
    title = {"P_10": "P.10", "map": "map"}  # the report names measures as requested
    flagged = [
        f"{title[row.measure]}, {row.run} against {row.against}" for row in compared.rows if row.depends_on_unjudged
    ]
    assert [line.partition(":")[0] for line in warned] == flagged[:3]
    assert any(line.startswith(f"{len(flagged) - 3} more comparison") for line in made["warnings"])
    assert "<code>irevalx-lab next --order depth " in irevalx.lab.report(qrels, runs, "P.10 map").page
    assert any("The runs are not equally judged. Of the first 10 documents, " in line for line in made["findings"])
    [best] = [row for row in irevalx.lab.compare(qrels, runs, "P.10").runs if row.best]
    letters = {row.run: set(row.groups) for row in irevalx.lab.compare(qrels, runs, "P.10").runs}
    like = [name for name, of_run in letters.items() if name != best.run and of_run & letters[best.run]]
    finding = made["findings"][0]
    assert finding.startswith(f"{best.run} has the highest P.10 of 3 runs ({best.score:.3f}) and ")
    assert len(like) == 1  # which the sentence names
    assert f"is significantly different from 1 of the other runs, but not from {like[0]}. " in finding


def test_tables_of_several_runs_show_coverage() -> None:
    """With ten documents in each topic, the note contains the values of -m judged.10; for many runs, the extremes."""
    qrels, runs = FIXTURES / "labels" / "qrels", sorted((FIXTURES / "experiment" / "runs").iterdir())
    printed = {path.name: run("-m", "judged.10", qrels, path).stdout.decode().split()[-1] for path in runs}
    table = " ".join(run("--format", "table", "-m", "map", qrels, *runs[:3]).stdout.decode().split())
    each = ", ".join(f"{path.name} {printed[path.name]}" for path in runs[:3])
    assert table.endswith(f" judged among retrieved@10 (judged share of the first 10 retrieved documents): {each}.")
    assert "judged among" not in run("--format", "table", "--quiet", "-m", "map", qrels, *runs[:3]).stdout.decode()
    assert "judged among" not in run("--format", "table", "-m", "map", qrels, runs[0]).stdout.decode()


def test_accuracy_of_the_caution(robust03: Path) -> None:
    """In a fifth of the draws on robust03, nearly all refuted differences have a caution, and few others have one."""
    cells = counts(experiment(robust03, ("P.10", "map")), seed=43, topics=slice(0, None, 5))
    for correction, most in (("none", 0.45), ("holm", 0.6)):
        result = [rates(cells, name, correction, "claim") for name in ("P_10", "map")]
        n_wrong, n_claims, n_missed, n_silent = (
            sum(of_measure[place] for of_measure in result) for place in (0, 1, 4, 5)
        )
        assert n_wrong > 8
        assert n_missed <= 0.15 * n_wrong
        assert n_claims - n_wrong - (n_silent - n_missed) <= most * (n_claims - n_wrong)
