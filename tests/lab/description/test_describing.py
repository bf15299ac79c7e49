"""Descriptions of judgments and runs: by hand, as loops over the files count, and on robust03."""

from __future__ import annotations

import gzip
from collections import defaultdict
from io import BytesIO
from pathlib import Path
from shlex import split

import pytest
import reference_degrade as reference
from running import FIXTURES, SHARED, opened, run

from irevalx.experiments.qrels_text import GradedText
from irevalx.frozen import values
from irevalx.judgments.graded import Judgments
from irevalx.lab.description.describing import (
    JudgmentsDescription,
    RunDescription,
    contributions,
    ranks_table,
    runs_table,
)
from irevalx.ranking.rank import RankedRun, RankingRules, rank_run
from irevalx.reading.source import Source

EXPERIMENT = FIXTURES / "experiment"
QRELS, RUNS = EXPERIMENT / "qrels", sorted((EXPERIMENT / "runs").iterdir())

JUDGED = "1 0 a 1\n1 0 b 0\n1 0 c -1\n1 0 d 2\n2 0 a 0\n2 0 e 0\n3 0 a 1\n"
RANKED = "1 Q0 a 1 9 r\n1 Q0 x 2 8 r\n1 Q0 b 3 7 r\n1 Q0 c 4 6 r\n2 Q0 y 1 3 r\n2 Q0 e 2 2 r\n9 Q0 a 1 1 r\n"


def read(qrels: str, *runs: str) -> tuple[Judgments, list[RankedRun]]:
    """Judgments and runs from the text of files."""
    judgments = GradedText.of(BytesIO(qrels.encode())).judgments
    paths = [Source(f"run{number}", text.encode()) for number, text in enumerate(runs)]
    return judgments, [rank_run(one, judgments, RankingRules()) for one in opened(paths, print)]


def test_judgments_by_hand() -> None:
    """Topics, sums and means; a negative grade was pooled and not judged."""
    judgments, _ = read(JUDGED)
    table = JudgmentsDescription.of(judgments).table()
    assert table.columns == (
        *("topic", "pooled", "judged", "relevant", "nonrelevant", "unjudged", "percent_relevant"),
        *("grade_0", "grade_1", "grade_2"),
    )
    assert table.rows == (
        ("1", 4, 3, 2, 1, 1, pytest.approx(200 / 3), 1, 1, 1),
        ("2", 2, 2, 0, 2, 0, 0, 2, 0, 0),
        ("3", 1, 1, 1, 0, 0, 100, 0, 1, 0),
        ("all", 7, 6, 3, 3, 1, 50, 3, 2, 1),
        ("mean", 7 / 3, 2, 1, 1, 1 / 3, 50, 1, 2 / 3, 1 / 3),
    )
    assert JudgmentsDescription.of(judgments, 2).relevant.tolist() == [1, 0, 0]


def test_a_run_by_hand() -> None:
    """Judged at 2: 1 of 2 for topic 1, 1 of 2 for topic 2, nothing for topic 3. Topic 9 was not judged."""
    judgments, [ranked] = read(JUDGED, RANKED)
    found = RunDescription.of("r", ranked, judgments, judgments.topics, cutoffs=(2, 5), ranks=(1, 2, 4))
    assert (found.topics, found.missing) == (2, ("3",))
    assert (found.retrieved, found.judged, found.relevant) == (6, 3, 1)
    assert list(found.judged_at) == pytest.approx([1 / 3, (2 / 5 + 1 / 5) / 3])
    assert found.retrieved_in.tolist() == [2, 3, 1]  # ranks 1; 2 and 3; 4 and more
    assert found.unjudged_in.tolist() == [1, 1, 1]
    assert found.share_unjudged.tolist() == [0.5, pytest.approx(1 / 3), 1]
    assert runs_table([found]).rows[0] == ("r", 2, 1, 6, 3, 1, 3, 50, pytest.approx(1 / 3), pytest.approx(0.2))
    assert runs_table([found]).rows[1][:2] == ("mean", 2)
    assert ranks_table([found]).rows[:3] == (
        ("r", 1, 1, 2, 1, 50),
        ("r", 2, 3, 3, 1, pytest.approx(100 / 3)),
        ("r", 4, None, 1, 1, 100),
    )
    assert [row[1:] for row in ranks_table([found, found]).rows[-1:]] == [(4, None, 2, 2, 100)]


def test_a_run_over_some_topics() -> None:
    """Over topic 1 alone: of its four documents a and b were judged; topics and missing are those of the run."""
    judgments, [ranked] = read(JUDGED, RANKED)
    found = RunDescription.of("r", ranked, judgments, [b"1"], cutoffs=(2, 5), ranks=(1, 2))
    assert (found.topics, found.missing) == (2, ("3",))
    assert (found.retrieved, found.judged, found.relevant) == (4, 2, 1)
    assert list(found.judged_at) == pytest.approx([1 / 2, 2 / 5])
    assert (found.retrieved_in.tolist(), found.unjudged_in.tolist()) == ([1, 3], [0, 2])


def test_nothing_to_describe() -> None:
    """No runs, and a run without judged topics."""
    judgments, [ranked] = read(JUDGED, "9 Q0 a 1 1 r\n")
    found = RunDescription.of("r", ranked, judgments, judgments.topics)
    assert (found.topics, found.retrieved, found.judged_at[0], len(found.missing)) == (0, 0, 0, 3)
    assert found.share_unjudged.tolist() == [0] * 9
    assert runs_table([]).rows == ranks_table([]).rows == ()


def test_groups_by_hand() -> None:
    """Of a pool of a, b and d one group alone has b, the other d; a both have. Document x is in no judgments."""
    judgments, ranked = read(
        JUDGED, "1 Q0 a 1 9 r\n1 Q0 b 1 8 r\n", "1 Q0 x 1 9 s\n1 Q0 a 1 8 s\n", "1 Q0 d 1 9 t\n1 Q0 a 1 8 t\n"
    )
    found = contributions(ranked, ["one", "one", "two"], judgments, 2)
    assert [values(one) for one in found] == [
        ("one", 2, 2, 1, 1, 0, pytest.approx(100 / 3)),
        ("two", 1, 2, 1, 1, 1, pytest.approx(100 / 3)),
    ]
    assert [one.alone for one in contributions(ranked, ["one", "one", "two"], judgments, 1)] == [1, 1]


def test_groups_are_those_of_the_loop() -> None:
    """What only one group has among its first documents."""
    judgments, ranked = read(QRELS.read_text(), *(path.read_text() for path in RUNS))
    full = reference.read_qrels(QRELS.read_text())
    runs = {path.name: reference.read_run(path.read_text()) for path in RUNS}
    groups = [path.name.rstrip("12") for path in RUNS]
    for depth in (1, 5, 30):
        by_group: dict[str, set[tuple[str, str]]] = defaultdict(set)
        for name, group in zip(runs, groups, strict=True):
            pool = reference.pooled([runs[name]], depth)
            by_group[group] |= {(topic, one) for topic in pool for one in pool[topic] if one in full.get(topic, {})}
        whole = set().union(*by_group.values())
        for one in contributions(ranked, groups, judgments, depth):
            alone = by_group[one.group] - set().union(*(by_group[other] for other in by_group if other != one.group))
            assert (one.pooled, one.alone) == (len(by_group[one.group]), len(alone))
            assert one.relevant_alone == sum(full[topic][docno] > 0 for topic, docno in alone)
            assert one.percent_alone == pytest.approx(100 * len(alone) / len(whole))


@pytest.mark.skipif(not (SHARED / "robust03").is_dir(), reason="needs ../shared")
def test_robust03() -> None:
    """Counts of the files, and the share of judged documents that the evaluator prints."""
    folder = SHARED / "robust03"
    lines = gzip.decompress((folder / "qrels.gz").read_bytes()).decode()
    judgments, _ = read(lines)
    grades = [int(line.split()[3]) for line in lines.splitlines()]
    table = JudgmentsDescription.of(judgments).table()
    total = dict(zip(table.columns, table.rows[-2], strict=True))
    assert (total["pooled"], total["judged"], total["relevant"]) == (
        len(grades),
        sum(grade >= 0 for grade in grades),
        sum(grade > 0 for grade in grades),
    )
    paths = sorted((folder / "runs").iterdir())
    for path in paths[:3]:
        [one] = opened([str(path)], print)
        found = RunDescription.of("r", rank_run(one, judgments, RankingRules()), judgments, judgments.topics)
        asked: list[str | Path] = [
            *split("-c -m judged.5,10,20,100 -m num_ret -m num_rel_ret"),
            folder / "qrels.gz",
            path,
        ]
        printed = {line.split()[0]: line.split()[2] for line in run(*asked).stdout.decode().splitlines()}
        assert [f"{share:.4f}" for share in found.judged_at] == [printed[f"judged_{k}"] for k in found.cutoffs]
        assert (found.retrieved, found.relevant) == (int(printed["num_ret"]), int(printed["num_rel_ret"]))
        assert found.retrieved_in.sum() == found.retrieved
        assert found.unjudged_in.sum() == found.retrieved - found.judged
