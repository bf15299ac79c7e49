"""labels -R prefs: agreement of pairwise preferences, ties, and the order of presentation."""

from __future__ import annotations

import subprocess
import warnings
from itertools import combinations
from pathlib import Path
from random import Random
from typing import Any

import pandas as pd
import pytest
from running import POSIX, lab_rows, refusal
from sklearn.metrics import cohen_kappa_score

import irevalx
import irevalx.lab as public
from irevalx.errors import InputError, IrevalxWarning, UsageError

Presented = list[tuple[str, str, str, int]]
"""Topic, the document presented first, the other, and 1, 0 or -1 for the preference."""

pytestmark = pytest.mark.filterwarnings("ignore::irevalx.IrevalxWarning")


def judgments(seed: int, *, flips: float, ties: float) -> Presented:
    """Judge pairs of documents with known qualities, many of them in both orders."""
    random, presented = Random(seed), Presented()
    for topic in map(str, range(12)):
        for a, b in combinations([f"d{n}" for n in range(7)], 2):
            truth = -1 if random.random() < 0.3 else 1
            for first, second, sign in ((a, b, 1), (b, a, -1)):
                if random.random() < 0.8:
                    preference = 0 if random.random() < ties else truth * sign
                    presented.append((topic, first, second, 1 if random.random() < flips else preference))
    return presented


def written(path: Path, presented: Presented) -> Path:
    """Write each presentation as a subgroup of two lines."""
    lines = []
    for number, (topic, first, second, preference) in enumerate(presented):
        for docno, level in ((first, 1 + (preference > 0)), (second, 1 + (preference < 0))):
            lines.append(f"{topic} llm s{number} {docno} {level}\n")
    path.write_text("".join(lines))
    return path


def by_pair(presented: Presented) -> dict[tuple[str, str, str], list[tuple[str, int]]]:
    """Return the document presented first and the preference for the lesser name, for each pair."""
    pairs: dict[tuple[str, str, str], list[tuple[str, int]]] = {}
    for topic, first, second, preference in presented:
        a, b = sorted((first, second))
        pairs.setdefault((topic, a, b), []).append((first, preference if first == a else -preference))
    return pairs


def sign(number: int) -> int:
    """Return -1, 0 or 1."""
    return (number > 0) - (number < 0)


def expected(human: Presented, machine: Presented) -> dict[str, float]:
    """Compute all statistics pair by pair."""
    sides = {"human": by_pair(human), "machine": by_pair(machine)}
    result: dict[str, float] = {}
    for name, pairs in sides.items():
        both = [each for each in pairs.values() if len({first for first, _ in each}) == 2]
        presented = [line for line in {"human": human, "machine": machine}[name] if line[3]]
        result |= {
            f"pairs_{name}": len(pairs),
            f"ties_{name}": sum(sum(p for _, p in each) == 0 for each in pairs.values()) / len(pairs),
            f"in_both_orders_{name}": len(both),
            f"flips_{name}": sum(len({p for _, p in each}) > 1 for each in both) / len(both),
            f"first_preferred_{name}": sum(line[3] > 0 for line in presented) / len(presented),
        }
    shared = sides["human"].keys() & sides["machine"].keys()
    labels = [tuple(sign(sum(p for _, p in side[pair])) for side in sides.values()) for pair in shared]
    decided = [(a, b) for a, b in labels if a and b]
    doubled = [*labels, *((-a, -b) for a, b in labels)]
    return result | {
        "pairs": len(labels),
        "agreement": sum(a == b for a, b in labels) / len(labels),
        "agreement_without_ties": sum(a == b for a, b in decided) / len(decided),
        "kappa": float(cohen_kappa_score(*zip(*doubled, strict=True))),
    }


def test_statistics(tmp_path: Path) -> None:
    """The command and the function give the statistics of all pairs, with intervals over topics."""
    presented = judgments(1, flips=0.05, ties=0.1), judgments(2, flips=0.3, ties=0.05)
    human, machine = (written(tmp_path / name, of) for name, of in zip(("human", "machine"), presented, strict=True))
    rows = lab_rows("labels", human, machine, "-R", "prefs", "--seed", "1")
    assert {row["statistic"]: float(row["value"]) for row in rows} == pytest.approx(expected(*presented))
    for row in rows:
        if row["statistic"].startswith(("pairs", "in_both_orders")):
            assert not row["low"]
        else:
            assert float(row["low"]) <= float(row["value"]) <= float(row["high"])
    result = public.labels(human, machine, rel_format="prefs", seed=1)
    assert [str(row.value) for row in result.rows] == [row["value"] for row in rows]
    assert "Flips: share of the pairs judged in both orders" in str(result)


def test_levels_and_single_orders(tmp_path: Path) -> None:
    """Subgroups of more documents contain all their pairs; without both orders, there is no share of flips."""
    human, machine = tmp_path / "human", tmp_path / "machine"
    human.write_text("1 u a x 3\n1 u a y 1\n1 u a z 1\n")
    machine.write_text("1 m a x 0.5\n1 m a y 0.7\n1 m b x 2\n1 m b z 1\n1 m c z 1\n1 m c y 1\n2 m a x 1\n2 m a y 2\n")
    result = public.labels(human, machine, rel_format="prefs", resamples=0)
    values: dict[str, Any] = {row.statistic: row.value for row in result.rows}
    assert values["pairs"] == 3
    assert values["agreement"] == pytest.approx(2 / 3)
    assert values["agreement_without_ties"] == 0.5
    assert values["flips_machine"] is None
    assert values["ties_machine"] == pytest.approx(1 / 3)
    assert result.notes == (f"Topics: 1 of both judges; 1 topics of {machine} are left out.",)


def test_missing_pairs_and_few_topics(tmp_path: Path) -> None:
    """Warnings report pairs that the other file lacks, and that a single topic has no intervals."""
    human, machine = tmp_path / "human", tmp_path / "machine"
    human.write_text("1 u a x 3\n1 u a y 2\n1 u a z 1\n")
    machine.write_text("1 m a x 2\n1 m a y 1\n")
    with pytest.warns(IrevalxWarning) as caught:
        result = public.labels(human, machine, rel_format="prefs", seed=1)
    assert [str(line.message) for line in caught] == [
        f"{machine} does not contain 2 of the 3 pairs that {human} contains for topics of both judges; they are left out "
        "of the agreement",
        "labels have no intervals, because these require labels of both judges for at least 2 topics",
    ]
    assert {row.low for row in result.rows} == {None}


def test_nothing_in_common(tmp_path: Path) -> None:
    """Files without a common pair are refused."""
    for name, text in (("a", "1 u a x 2\n1 u a y 1\n"), ("b", "1 u a x 2\n1 u a z 1\n")):
        (tmp_path / name).write_text(text)
    with pytest.raises(InputError, match="have no judged pair of documents in common"):
        public.labels(tmp_path / "a", tmp_path / "b", rel_format="prefs")
    with pytest.raises(UsageError, match='rel_format="prefs" cannot be combined with machines'):
        public.labels(tmp_path / "a", machines={"b": tmp_path / "b"}, rel_format="prefs")


def warnings_of(human: Any, machine: Any) -> list[str]:
    """Return the warnings about several judges."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        public.labels(human, machine, rel_format="prefs", resamples=0)
    return [text for each in caught if "one judge" in (text := str(each.message))]


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
def test_several_judges_in_a_file(ending: str, tmp_path: Path) -> None:
    """A field with several judges causes a warning with the field, its values and the remedy, as for labels."""
    frame = pd.DataFrame(
        {
            "topic": ["1"] * 4,
            "group": ["0"] * 4,
            "subgroup": ["s1", "s1", "s2", "s2"],
            "docno": ["A", "B", "A", "B"],
            "level": [2.0, 1.0, 2.0, 1.0],
            "judge": ["gpt", "gpt", "llama", "llama"],
        }
    )
    path = tmp_path / f"machine.{ending}"
    if ending == "parquet":
        frame.to_parquet(path)
    else:
        path.write_text(frame.to_csv(index=False) if ending == "csv" else frame.to_json(orient="records", lines=True))
    human = written(tmp_path / "human", [("1", "A", "B", 1)])
    place = {"csv": "4", "jsonl": "3", "parquet": "row 3"}[ending]
    problem = (
        "the field 'judge' contains 2 values ('gpt', 'llama'), but all preferences of a file are read as preferences of "
        "one judge; write the preferences of each judge to a separate file"
    )
    assert warnings_of(human, path) == [f"{path}:{place}: {problem}"]
    if ending == "parquet":
        assert warnings_of(human, frame) == [f"qrels:row 3: {problem}"]
    assert warnings_of(human, human) == []
    run = {"1": {"A": 2.0, "B": 1.0}}
    irevalx.evaluate(path, run, "prefs_num_prefs_poss", rel_format="prefs")  # no warning: raises one if there is


def test_several_groups_in_a_topic(tmp_path: Path) -> None:
    """A topic with several judgment groups causes a warning; one group per topic, even if groups differ, causes none."""
    human = written(tmp_path / "human", [("1", "A", "B", 1), ("2", "A", "B", 1)])
    machine = tmp_path / "machine"
    machine.write_text("1 a s A 2\n1 a s B 1\n1 b s A 2\n1 b s B 1\n1 c s A 2\n1 c s B 1\n2 a s A 2\n2 a s B 1\n")
    assert warnings_of(human, machine) == [
        f"{machine}: topic '1' has 3 judgment groups ('a', 'b', ...), but all preferences of a file are read as "
        "preferences of one judge; if the groups are judges, write the preferences of each judge to a separate file"
    ]
    machine.write_text("1 a s A 2\n1 a s B 1\n2 b s A 2\n2 b s B 1\n")
    assert warnings_of(human, machine) == []


@POSIX
def test_pairs_are_refused_with_a_conversion(tmp_path: Path) -> None:
    """The command of the message writes both orders of presentation as subgroups, whose statistics are by hand."""
    pairs, prefs = tmp_path / "pairs", tmp_path / "prefs"
    pairs.write_text("1 A B A\n1 B A B\n1 A C A\n1 C A A\n")  # the first presented wins twice: a flip; C and A agree
    message = refusal("labels", "-R", "pairs", pairs, pairs)
    assert (
        "-R pairs: must be prefs; write each pair, in its order of presentation, as a subgroup of -R prefs: awk "
        in message
    )
    shell = f"{message[message.index('awk ') :].strip()} {pairs} > {prefs}"
    subprocess.run(["sh", "-c", shell], check=True)
    rows = lab_rows("labels", "-R", "prefs", prefs, prefs, "--resamples", "0")
    values = {row["statistic"]: float(row["value"]) for row in rows if row["value"]}
    assert [values[name] for name in ("pairs", "in_both_orders_machine", "flips_machine")] == [2, 2, 0.5]
    assert values["first_preferred_machine"] == 3 / 4
    pairs.write_text("1 A B\n1 C A\n")  # winner, loser
    subprocess.run(["sh", "-c", shell], check=True)
    assert prefs.read_text().split()[3::5] == ["A", "B", "C", "A"]
    assert prefs.read_text().split()[4::5] == ["2", "1", "2", "1"]
    with pytest.raises(UsageError, match='rel_format="pairs": must be prefs'):
        public.labels(pairs, pairs, rel_format="pairs")
