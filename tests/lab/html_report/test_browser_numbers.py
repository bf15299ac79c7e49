"""Numbers in a report equal those that the commands print."""

from __future__ import annotations

import json
from itertools import permutations
from pathlib import Path

import pytest
from browsers import Reader
from examples.report_files import MEASURES, ReportFiles
from running import run, succeeded

pytestmark = pytest.mark.slow

NAMES = {"map": "map", "ndcg@10": "ndcg_cut_10", "P.5": "P_5"}


def formatted(number: float, *, signed: bool = False) -> str:
    """Return a number with four decimals, as in the page."""
    text = f"{abs(number):.4f}"
    if float(text) == 0:
        return text
    return ("\u2212" if number < 0 else "+" if signed else "") + text


def test_means_and_intervals(browser: Reader, files: ReportFiles, page: Path) -> None:
    """Means and intervals are those of ``irevalx --format json --ci 95%``."""
    requested = [option for measure in MEASURES for option in ("-m", measure)]
    printed = run(*requested, "--format", "json", "--ci", "95%", files.qrels, *files.runs)
    assert printed.status == 0, printed.stderr
    runs = json.loads(printed.stdout)["runs"]
    browser.open(page, "show=interval&sort=run+up")
    table = browser.run(
        "return [...document.querySelectorAll('.runs tbody tr')].map((row) => [row.querySelector('bdi').innerText, "
        "...[...row.querySelectorAll('td')].slice(0, 3).map((cell) => "
        "[...cell.querySelectorAll('data')].map((one) => [Number(one.value), one.innerText]))])"
    )
    results = {(row[0], measure): cell for row in table for measure, cell in zip(MEASURES, row[1:], strict=True)}
    expected = {
        (run["run"], measure): [run[part][NAMES[measure]] for part in ("all", "low", "high")]
        for run in runs
        for measure in MEASURES
    }
    assert results.keys() == expected.keys()
    for place, numbers in expected.items():
        assert None not in numbers
        assert [value for value, _ in results[place]] == pytest.approx(numbers, abs=0, rel=1e-15), place
        assert [text for _, text in results[place]] == [formatted(number) for number in numbers], place


def test_differences(browser: Reader, files: ReportFiles, page: Path) -> None:
    """Differences, intervals, p-values, wins, ties and losses are those of ``irevalx-lab compare --format csv``."""
    printed = succeeded(
        "compare", "-m", " ".join(MEASURES), "--baseline", "plain", "--format", "csv", files.qrels, *files.runs
    )
    for run_name in ("better", "middle", "worse"):
        browser.open(page, f"run={run_name}&run=plain")
        rows = browser.run(
            "return [...document.querySelectorAll('.pair tbody tr')].map((row) => [row.querySelector('th').innerText, "
            "[...row.querySelectorAll('data')].map((one) => Number(one.value)), "
            "[...row.querySelectorAll('td')].slice(-3).map((cell) => Number(cell.innerText))])"
        )
        expected = {row["measure"]: row for row in printed.rows if row["run"] == run_name}
        assert len(rows) == len(expected) == len(MEASURES)
        for title, numbers, counts in rows:
            row = expected[NAMES[title]]
            columns = ("difference", "low", "high", "p", "corrected_p")
            assert numbers == pytest.approx([float(row[column]) for column in columns], abs=0, rel=1e-15)
            assert counts == [int(row[column]) for column in ("wins", "ties", "losses")]
        headline = browser.texts("#difference")[0]
        first = expected["map"]
        numbers = [formatted(float(first[column]), signed=True) for column in ("difference", "low", "high")]
        assert headline == "{} [{}, {}]".format(*numbers)
        browser.click("#swap")
        turned = [formatted(-float(first[column]), signed=True) for column in ("difference", "high", "low")]
        assert browser.texts("#difference") == ["{} [{}, {}]".format(*turned)]
        assert browser.texts(".counts p .gain")[0] == f"{first['losses']} better"


def test_values_of_topics(browser: Reader, files: ReportFiles, page: Path) -> None:
    """Values of topics equal those of ``irevalx -q``, and differences follow from them."""
    browser.open(page, "measure=ndcg_cut_10&order=topic+up")
    printed = run("-q", "-m", "ndcg@10", "--format", "jsonl", files.qrels, *files.runs[:2])
    assert printed.status == 0, printed.stderr
    of_run: dict[str, dict[str, float]] = {"plain": {}, "better": {}}
    for line in printed.stdout.splitlines():
        row = json.loads(line)
        of_run[row["run"]][row["topic"]] = row["value"]
    rows = browser.run(
        "return [...document.querySelectorAll('#topics tbody tr')].map((row) => [row.querySelector('bdi').innerText, "
        "...[...row.querySelectorAll('data')].slice(0, 3).map((one) => Number(one.value))])"
    )
    assert len(rows) == 12
    for topic, better, plain, difference in rows:
        assert (better, plain) == (of_run["better"][topic], of_run["plain"][topic])
        assert difference == better - plain


def test_rank_biased_overlap(browser: Reader, files: ReportFiles) -> None:
    """Rank-biased overlaps of two runs, in both orders, and of the topics of a group are those of ``agree --rbo``."""
    page = files.page("rbo.html", rbo=0.9)
    for first, second in permutations(files.runs[:2]):
        rows = succeeded("agree", "--rbo", "0.9", first, second, "--format", "csv").rows
        expected = {row["topic"]: float(row["rbo_w_ext"]) for row in rows}
        mean = expected.pop("all")
        browser.open(page, f"run={first.name}&run={second.name}&order=rbo+up")
        values = dict(
            browser.run(
                "return [...document.querySelectorAll('#topics tbody tr')].map((row) => "
                "[row.querySelector('bdi').innerText, Number([...row.querySelectorAll('data')].at(-1).value)])"
            )
        )
        assert values == expected
        assert list(values.values()) == sorted(expected.values())
        assert browser.numbers("#overlap data") == [mean, min(expected.values()), max(expected.values())]
    browser.open(page, "group=early")
    of_pair = browser.numbers("#topics tbody td:nth-last-child(3) data")
    assert browser.numbers("#overlap data")[-1] == pytest.approx(sum(of_pair) / 5)


def test_rank_biased_overlap_with_baseline(browser: Reader, files: ReportFiles) -> None:
    """With a baseline, overlaps are computed for pairs with it, in both orders; without the option, for none."""
    page = files.page("rbo-baseline.html", rbo=0.9, baseline="middle")
    runs = {path.name: path for path in files.runs}
    for name in ("plain", "better", "worse"):
        rows = succeeded("agree", "--rbo", "0.9", runs[name], runs["middle"], "--format", "csv").rows
        for address in (f"run={name}&run=middle", f"run=middle&run={name}"):
            browser.open(page, address)
            assert browser.numbers("#overlap data")[0] == float(rows[-1]["rbo_w_ext"])
    browser.open(page, "run=plain&run=worse")
    browser.one("#difference")
    assert not browser.all("#overlap")
    browser.open(files.page("without-rbo.html"))
    browser.one("#difference")
    assert not browser.all("#overlap, #order option[value^=rbo]")
