"""The best of several values, with ties and rounded sums, in every table, sentence and page."""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import nan
from pathlib import Path

import pytest
from running import lab, run, succeeded

import irevalx.lab
from irevalx.reports.best import best_first, best_of, marked_as_best

FIRST_RANKS = {"a": (1, 2, 3, 4, 5), "b": (1, 2, 4, 3, 5), "c": (5, 5, 5, 5, 5), "d": (1, 2, 3, 4, 5)}
"""The rank of the only relevant document in each topic. The sums of reciprocal ranks of a and b, added from left to right,
differ in the last bit: the mean of b is greater."""


@pytest.mark.parametrize(
    ("values", "direction", "order", "best", "marked"),
    [
        ([0.3, 0.1 + 0.2, 0.1], 1, [0, 1, 2], [0, 1], [0, 1]),
        ([0.1 + 0.2, 0.3, 0.4], -1, [0, 1, 2], [0, 1], [0, 1]),
        ([0.3, 0.1 + 0.2], 1, [0, 1], [0, 1], []),
        ([1, 3, 2], 0, [1, 2, 0], [1], []),
        ([None, 2.0, nan, 5.0], 1, [3, 1, 0, 2], [3], [3]),
        ([None, 2.0], 1, [1, 0], [1], []),
        ([0.5, 0.5 + 1e-9], 1, [1, 0], [1], [1]),
        ([], 1, [], [], []),
    ],
)
def test_rule(
    values: Sequence[float | None], direction: int, order: list[int], best: list[int], marked: list[int]
) -> None:
    """Sums that differ by rounding are tied, missing values are last, and nothing is marked if all are tied."""
    assert best_first(values, direction) == order
    assert best_of(values, direction) == best
    assert marked_as_best(values, direction) == marked


@pytest.mark.parametrize(
    ("names", "expected"), [("abc", "ab"), ("bac", "ba"), ("adc", "ad"), ("ac", "a"), ("ab", ""), ("ad", "")]
)
def test_all_agree(names: str, expected: str, tmp_path: Path) -> None:
    """The tables of irevalx and of compare, LaTeX, the sentences, the report and its page mark the same runs."""
    topics = range(5)
    qrels, paths = tmp_path / "qrels", [tmp_path / name for name in names]
    judged = ["relevant 1", *(f"d{rank} 0" for rank in range(1, 6))]
    qrels.write_text("".join(f"{topic} 0 {judgment}\n" for topic in topics for judgment in judged))
    for name, path in zip(names, paths, strict=True):
        lines = [
            f"{topic} Q0 {'relevant' if rank == FIRST_RANKS[name][topic] else f'd{rank}'} {rank} {-rank} {name}\n"
            for topic in topics
            for rank in range(1, 6)
        ]
        path.write_text("".join(lines))
    words: tuple[str | Path, ...] = ("-m", "recip_rank", qrels, *paths)
    scores = irevalx.evaluate(qrels, paths, "recip_rank")
    assert len({scores.summary("recip_rank", name) for name in names if name in "ab"}) == len({*names} & {*"ab"})
    compared = irevalx.lab.compare(qrels, paths, "recip_rank", names="asked")
    data = irevalx.lab.report(qrels, paths, "recip_rank").data
    page = irevalx.lab.report(qrels, paths, "recip_rank").page
    with_letters = lab("compare", *words, "--by", "run", "--quiet").stdout.decode()
    marked: dict[str, list[str]] = {
        "table": re.findall(r"(?m)^(\w) +\d\.\d+\*", run("--format", "table", *words).stdout.decode()),
        "markdown": re.findall(r"(?m)^\| (\w) +\| +\*\*", run("--format", "markdown", *words).stdout.decode()),
        "latex of irevalx": re.findall(r"(?m)^ (\w) +& .*\\textbf", run("--format", "latex", *words).stdout.decode()),
        "compare": re.findall(r"(?m)^(\w) +\d\.\d+\*", with_letters),
        "latex": re.findall(
            r"(?m)^ (\w) +& .*\\textbf", lab("compare", *words, "--by", "run", "--format", "latex").stdout.decode()
        ),
        "rows": [row.run for row in compared.runs if row.best],
        "report": [names[place] for place in data["ranked"][0]["best"]],
        "page": re.findall(r'<th scope="row"><bdi>(\w)</bdi></th><td>[^/]*(?:</span> )?<b>', page),
    }
    assert {where: "".join(runs) for where, runs in marked.items() if set(runs) != set(expected)} == {}
    summary, finding = with_letters.partition("\n\n")[0].replace("\n", " "), data["findings"][0]
    if len(expected) == 2:
        tied = f"{expected[0]} and {expected[1]} are tied with the highest recip_rank"
        assert summary.startswith(tied)
        assert finding.startswith(tied)
        assert data["ranked"][0]["runs"][:2] == [0, 1]
        in_order = succeeded("compare", *words, "--by", "run", "--sort", "--format", "csv", "--quiet").rows
        assert [row["run"] for row in in_order][:2] == list(expected)
    elif not expected:
        assert "have the same recip_rank" in summary
