"""Ahlgren and Grönqvist, IP&M 2008, on the TREC 2003 Robust track, which is their TREC-12: tables and figures by loops."""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Decimal
from itertools import combinations, pairwise
from pathlib import Path
from statistics import fmean, stdev

import pytest
from drawn_figures import Drawn, lines_of, panels_of
from examples.paper_collections import Call, Collection, values, whole
from references import statistics as reference
from running import lab_rows
from scipy.stats import kendalltau

pytestmark = pytest.mark.slow

MEASURES = ("map", "bpref_10", "RankEff")
SHORT = "NLPR03vb10"
"""The run that retrieved 1,004 documents for 100 topics; the paper leaves such runs out."""

OTHERS = ("InexpC2", "SABIR03BASE", "UIUC03Rd1", "oce03noXbmD", "pircRBa1", "uwmtCR0")
"""Runs from all over the ranking."""


@pytest.fixture(scope="module")
def robust(robust03: Path) -> Collection:
    """The whole collection."""
    return whole(robust03)


@pytest.fixture(scope="module")
def full(robust: Collection) -> dict[str, dict[str, list[float]]]:
    """Values of the three measures under full judgments."""
    return values({run: robust.runs[run] for run in OTHERS}, robust.qrels, MEASURES)


def paths_of(collection: Collection, *runs: str) -> list[Path]:
    """Return the files of these runs."""
    return [path for path in collection.run_paths if path.name.removesuffix(".gz") in runs]


# Tables 1 to 3 and Figure 1: the collection, its runs, and what of them was not judged


def test_tables_1_and_3_the_judgments(robust: Collection) -> None:
    """Pooled, judged and relevant documents by topic, with sums and means; also Bompada et al. 2007, Table 1."""
    rows = lab_rows("describe", *robust.files, "--show", "judgments")
    expected: list[tuple[str, list[float]]] = []
    for topic, grades in robust.qrels.items():
        relevant = sum(grade > 0 for grade in grades.values())
        judged = sum(grade >= 0 for grade in grades.values())
        of_grade = [sum(grade == relevance for grade in grades.values()) for relevance in (0, 1, 2)]
        counts = [len(grades), judged, relevant, judged - relevant, len(grades) - judged]
        expected.append((topic, [*counts, 100 * relevant / judged, *of_grade]))
    sums = [math.fsum(column) for column in zip(*(numbers for _, numbers in expected), strict=True)]
    share = 100 * sums[2] / sums[1]
    expected.append(("all", [*sums[:5], share, *sums[6:]]))
    expected.append(
        ("mean", [*(total / len(robust.qrels) for total in sums[:5]), share, *(total / 100 for total in sums[6:])])
    )
    assert len(robust.qrels) == 100
    for row, (topic, numbers) in zip(rows, expected, strict=True):
        result = list(row.values())
        assert result[0] == topic
        assert list(map(float, result[1:])) == pytest.approx(numbers)


def test_tables_2_and_3_the_runs(robust: Collection) -> None:
    """Retrieved, judged, relevant and unjudged documents of each run, and means over runs."""
    rows = lab_rows("describe", *robust.files, "--show", "runs")
    expected: list[list[float]] = []
    for ranked in robust.runs.values():
        retrieved = judged = relevant = topics = 0
        at = dict.fromkeys((5, 10, 20, 100), 0.0)
        for topic, grades in robust.qrels.items():
            docnos = ranked.get(topic, [])
            topics += bool(docnos)
            for rank, docno in enumerate(docnos, start=1):
                retrieved += 1
                grade = grades.get(docno, -1)
                judged += grade >= 0
                relevant += grade > 0
                for k in at:
                    at[k] += (rank <= k and grade >= 0) / min(k, len(docnos))
        unjudged = retrieved - judged
        counts = [topics, len(robust.qrels) - topics, retrieved, judged, relevant, unjudged, 100 * unjudged / retrieved]
        expected.append([*counts, *(total / len(robust.qrels) for total in at.values())])
    expected.append([fmean(column) for column in zip(*expected, strict=True)])
    assert [row["run"] for row in rows] == [*robust.runs, "mean"]
    for row, numbers in zip(rows, expected, strict=True):
        assert list(map(float, list(row.values())[1:])) == pytest.approx(numbers)


def unjudged_by_rank(collection: Collection, ends: Sequence[int], runs: Sequence[str]) -> list[tuple[int, int]]:
    """Return retrieved and unjudged documents in ranges of ranks, over these runs and all topics."""
    result = [(0, 0)] * (len(ends) - 1)
    place = {rank: n for n, (first, other) in enumerate(pairwise(ends)) for rank in range(first, other)}
    for run in runs:
        for topic, docnos in collection.runs[run].items():
            grades = collection.qrels.get(topic)
            for rank, docno in enumerate(docnos, start=1):
                if grades is not None:
                    retrieved, unjudged = result[place[rank]]
                    result[place[rank]] = (retrieved + 1, unjudged + (grades.get(docno, -1) < 0))
    return result


def test_figure_1_unjudged_documents_by_rank(robust: Collection, drawn: Drawn, tmp_path: Path) -> None:
    """Shares of unjudged documents at ranks 1 to 1000, over all runs and of single runs."""
    ranks = " ".join(map(str, range(1, 1001)))
    call: Call = ("describe", *robust.files, "--show", "ranks", "--ranks", ranks)
    rows = lab_rows(*call, "--figure", tmp_path / "ranks.pdf")
    expected = {"all": unjudged_by_rank(robust, range(1, 1002), list(robust.runs))}
    for run in (SHORT, "pircRBa1"):
        expected[run] = unjudged_by_rank(robust, range(1, 1002), [run])
    [panel] = panels_of(drawn["ranks"])
    lines = lines_of(panel)
    assert set(lines) == {"all", *robust.runs}
    for name, of_ranks in expected.items():
        of_run = [row for row in rows if row["run"] == name]
        assert [(int(row["retrieved"]), int(row["unjudged"])) for row in of_run] == of_ranks
        shares = {rank: none / there for rank, (there, none) in enumerate(of_ranks, start=1) if there}
        assert {x: y for x, y in lines[name][:1000] if not math.isnan(y)} == pytest.approx(shares)
    # "Even at ranking position 1, there are documents that have not been judged", and most at 1000 have not.
    of_all = [none / there for there, none in expected["all"]]
    assert 0 < of_all[0] < 0.02
    assert of_all[999] > 0.75


# Tables 5 to 7: error rates by the size of the difference, absolute, in percent of the best run, in standard deviations


def test_tables_5_to_7_error_rates(robust: Collection, full: dict[str, dict[str, list[float]]]) -> None:
    """Error rates by difference over 60 pairs of disjoint sets of 50 topics; the paper has 1,000 pairs."""
    n_draws, width = 60, "0.01"
    files = (robust.qrels_path, *paths_of(robust, SHORT, *OTHERS))
    options = ("-m", " ".join(MEASURES), "--min-retrieved", "0.95", "--sizes", "50", "--seed", "3")
    rows = lab_rows("swap-rate", *files, *options, "--draws", str(n_draws), "--bins", width)
    sets = [reference.drawn_sets(100, 50, f"3 swap-rate {draw}") for draw in range(n_draws)]
    assert len({str(pair) for pair in sets}) == n_draws
    expected: dict[tuple[str, int], tuple[int, int]] = {}
    for measure, of_runs in full.items():
        means = {
            run: [[math.fsum(of_topics[t] for t in topics) / 50 for topics in pair] for pair in sets]
            for run, of_topics in of_runs.items()
        }
        for first, second in combinations(of_runs, 2):
            for draw in range(n_draws):
                d = [round(means[first][draw][side] - means[second][draw][side], 12) for side in (0, 1)]
                for first_difference, other in (d, d[::-1]):
                    place = int(abs(Decimal(repr(first_difference))) / Decimal(width))
                    comparisons, swaps = expected.get((measure, place), (0, 0))
                    expected[measure, place] = (comparisons + 1, swaps + (first_difference * other < 0))
    assert len(rows) == len(expected) > 40
    for row, (measure, place) in zip(
        rows, sorted(expected, key=lambda key: (MEASURES.index(key[0]), key[1])), strict=True
    ):
        comparisons, swaps = expected[measure, place]
        scores = [fmean(of_topics) for of_topics in full[measure].values()]
        least = place * float(width)
        assert (row["measure"], row["topics"], int(row["comparisons"]), int(row["swaps"])) == (
            *(measure, "50"),
            *(comparisons, swaps),
        )
        results = [float(row[name]) for name in ("from", "to", "percent", "sigmas", "rate")]
        assert results == pytest.approx(
            [least, least + float(width), 100 * least / max(scores), least / stdev(scores), swaps / comparisons]
        )


# Table 8: rankings of systems by three measures under full judgments


def test_table_8_correlations_of_measures(robust: Collection, full: dict[str, dict[str, list[float]]]) -> None:
    """Kendall's tau between the rankings by two measures, from agree."""
    runs = paths_of(robust, *OTHERS)
    scores = {measure: [fmean(of_topics) for of_topics in of_runs.values()] for measure, of_runs in full.items()}
    for against in ("map", "RankEff"):
        call: Call = ("agree", robust.qrels_path, robust.qrels_path, *runs, "-m", " ".join(MEASURES))
        for row in lab_rows(*call, "--against", against):
            x, y = scores[against], scores[row["measure"]]
            results = [float(row[name]) for name in ("tau_b", "tau", "rms")]
            assert results == pytest.approx([kendalltau(x, y).statistic, reference.tau(x, y), reference.rms(x, y)])
