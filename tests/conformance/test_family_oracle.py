"""gdeval, ndeval and statAP_MQ_eval themselves, where they are named in the environment, on random files.

GDEVAL, NDEVAL and STATAP (version 4) are command lines, FAMILY_CASES how many calls are made of each. What irevalx does
otherwise does not occur in the files, or is passed over below; ``docs/differences.md`` lists it.
"""

from __future__ import annotations

import csv
import os
import re
import shlex
import subprocess
from itertools import count
from pathlib import Path
from random import Random

import pytest
from references.recorded_family import agrees
from running import run

pytestmark = pytest.mark.slow

CASES = int(os.environ.get("FAMILY_CASES", "100"))


def oracle(name: str) -> list[str]:
    """The command line of a program."""
    command = os.environ.get(name)
    if not command:
        pytest.skip(f"{name} is not named in the environment")
    return shlex.split(command)


def answer(command: list[str], folder: Path) -> str:
    """What a program prints."""
    return subprocess.run(command, cwd=folder, capture_output=True, check=True, text=True).stdout


def hold(folder: Path, argv: list[str], expected: dict[tuple[str, str], str]) -> None:
    """Hold irevalx to what was printed: these values at these digits, and no others."""
    result = run(*argv, "--format", "csv", "-q", "judgments", "run", cwd=folder)
    assert result.status == 0, result.stderr
    _, *rows = csv.reader(result.stdout.decode().splitlines())
    values = {(topic, measure): float(value) for _, topic, measure, value in rows}
    for key, printed in expected.items():
        assert agrees(values[key], printed), (key, values[key], printed)
    assert {topic for topic, _ in values} == {topic for topic, _ in expected}


def write(folder: Path, chance: Random, judgments: list[str], *, ties: bool, length: tuple[int, int]) -> list[str]:
    """Write judgments and a run of some of their topics and others; return the topics of the run."""
    chance.shuffle(judgments)
    topics = [topic for topic in ("1", "2", "3", "7", "10") if chance.random() < 0.8] or ["1"]
    lines: list[str] = []
    for topic in topics:  # statAP_MQ_eval wants the lines of a topic together
        docnos = chance.sample([f"d{number}" for number in range(150)], chance.randint(*length))
        scores = [chance.choice([0.5, 1, 2, 7]) if ties else 1000 - place for place in range(len(docnos))]
        chance.shuffle(scores)
        lines += [
            f"{topic} Q0 {docno} {place} {score} tag\n"
            for place, (docno, score) in enumerate(zip(docnos, scores, strict=True))
        ]
    (folder / "judgments").write_text("".join(judgments))
    (folder / "run").write_text("".join(lines))
    return topics


@pytest.mark.parametrize("part", range(10))
def test_gdeval(part: int, tmp_path: Path) -> None:
    """ERR and ndcg_burges."""
    command = oracle("GDEVAL")
    made, seeds = 0, count(part, 10)
    while made < CASES / 10:
        chance = Random(f"gdeval {next(seeds)}")
        lines, highest = [], {}
        for topic in ("1", "2", "3", "8"):
            grades = chance.choice([[-2, 0], [-2, 0, 0, 1, 2, 3, 4], [0, 0, 1]])
            drawn = [(f"d{n}", chance.choice(grades)) for n in range(chance.randint(1, 60))]
            highest[topic] = max(grade for _, grade in drawn)
            lines += [f"{topic} 0 {docno} {grade}\n" for docno, grade in drawn]
        topics = write(tmp_path, chance, lines, ties=chance.random() < 0.5, length=(1, 60))
        if not any(highest.get(topic, 0) > 0 for topic in topics):
            continue
        made += 1
        complete, k = chance.choice([[], ["-c"]]), chance.choice([1, 3, 5, 20, 100])
        printed = answer([*command, *complete, "-k", str(k), "judgments", "run"], tmp_path)
        expected: dict[tuple[str, str], str] = {}
        for line in printed.splitlines()[1:]:
            _, topic, ndcg, err = line.split(",")
            topic = "all" if topic == "amean" else topic
            expected |= {(topic, f"ndcg_burges_{k}"): ndcg, (topic, f"ERR_{k}"): err}
        options = [*complete, "-m", f"ERR.{k}", "-m", f"ndcg_burges.{k}"]
        for topic in highest.keys() - set(topics):  # gdeval prints no row for a topic without results under -c
            if complete and highest[topic] > 0:
                expected |= {(topic, f"ndcg_burges_{k}"): "0.00000", (topic, f"ERR_{k}"): "0.00000"}
        hold(tmp_path, options, expected)


@pytest.mark.parametrize("part", range(10))
def test_ndeval(part: int, tmp_path: Path) -> None:
    """Novelty and diversity, with alpha and beta."""
    command = oracle("NDEVAL")
    made, seeds = 0, count(part, 10)
    while made < CASES / 10:
        chance = Random(f"ndeval {next(seeds)}")
        lines, judged = [], []
        for topic in ("1", "2", "3", "8"):
            n_subtopics = chance.choice([1, 3, 12])
            share = chance.choice([0.0, 0.1, 0.5])
            judged.append(topic)
            lines += [
                f"{topic} {subtopic} d{n} {chance.choice([1, 2]) if chance.random() < share else 0}\n"
                for n in range(chance.randint(1, 40))
                for subtopic in range(n_subtopics)
                if subtopic == 0 or chance.random() < 0.7
            ]
        topics = write(tmp_path, chance, lines, ties=chance.random() < 0.5, length=(1, 60))
        if not set(topics) & set(judged):
            continue
        made += 1
        complete = chance.choice([[], ["-c"]])
        alpha, beta = chance.choice(["0.5", "0.1", "0.3", "0.9"]), chance.choice(["0.5", "0.8"])
        options = [*complete, "-traditional", "-alpha", alpha, "-beta", beta]
        head, *rows = answer([*command, *options, "judgments", "run"], tmp_path).splitlines()
        names = [name.replace("-", "_").replace("@", "_") for name in head.split(",")[2:]]
        expected: dict[tuple[str, str], str] = {}
        for row in rows:
            _, topic, *values = row.split(",")
            topic = "all" if topic == "amean" else topic
            if topic not in {*judged, "all"}:
                continue
            expected |= {(topic, name): value for name, value in zip(names, values, strict=True)}
        if complete:
            lacking = set(judged) - set(topics)
            expected |= {(topic, name): "0.000000" for topic in lacking for name in names}
        nan = {key for key, value in expected.items() if "nan" in value}
        named, both = f"alpha={alpha}", f"alpha={alpha},beta={beta}"
        parameters = dict.fromkeys(("ERR_IA", "nERR_IA", "alpha_DCG", "alpha_nDCG"), named) | dict.fromkeys(
            ("NRBP", "nNRBP"), both
        )
        requests = [f"{name}.{text}" for name, text in parameters.items()] + ["MAP_IA", "P_IA", "strec"]

        def printed_as(name: str, parameters: dict[str, str] = parameters) -> str:
            stem = re.sub(r"_[0-9]+$", "", name)
            return f"{name}_{parameters[stem]}" if stem in parameters else name

        printed = {(topic, printed_as(name)): value for (topic, name), value in expected.items()}
        printed = {key: "0.000000" if (key[0] != "all" and "nan" in value) else value for key, value in printed.items()}
        printed = {key: value for key, value in printed.items() if "nan" not in value}
        assert all(name == "nNRBP" for _, name in nan)
        hold(tmp_path, [*complete, "-R", "subtopics", *(f"-m{text}" for text in requests)], printed)


STATAP = re.compile(
    r"topic=(\S+) .*?Relevant=(\S+) .*?AP=(\S+)\s+R-prec=(\S+)\s+Prec_at_10=(\S+) Prec_at_20=(\S+) Prec_at_50=(\S+) "
    r"Prec_at_50=(\S+)\s+nDCG_10=(\S+) nDCG_20=(\S+) nDCG_50=(\S+) nDCG_100=(\S+)\s+varAP=(\S+)",
    re.DOTALL,
)


@pytest.mark.parametrize("part", range(10))
def test_stat_ap(part: int, tmp_path: Path) -> None:
    """Estimates from samples with inclusion probabilities, version 4."""
    command = oracle("STATAP")
    made, seeds = 0, count(part, 10)
    while made < CASES / 10:
        chance = Random(f"statAP {next(seeds)}")
        lines = []
        for topic in ("1", "2", "3", "8"):
            drawn = [f"{topic} d0 1 1 0.25\n", f"{topic} d1 0 1 0.5\n"]  # a topic that has values
            for n in range(2, chance.randint(3, 60)):
                grade = chance.choice([-2000, -999, 0, 0, 1, 2, 3])
                probability = chance.choice(["NA", "0.5", "1", "0.03", f"{chance.uniform(0.01, 1):.6f}"])
                drawn.append(f"{topic} d{n} {grade} {chance.choice([0, 1, 1, 1, 2, 3, 4])} {probability}\n")
            lines.append("".join(drawn))
        topics = write(tmp_path, chance, lines, ties=False, length=(1, 150))
        if not {"1", "2", "3"} & set(topics):
            continue
        made += 1
        text = (tmp_path / "run").read_text().splitlines()
        length = {topic: sum(line.startswith(f"{topic} ") for line in text) for topic in topics}
        expected: dict[tuple[str, str], str] = {}
        for topic, rel, ap, rprec, *rest, variance in STATAP.findall(
            answer([*command, "-q", "judgments", "run"], tmp_path)
        ):
            expected |= {(topic, "statR"): rel, (topic, "statAP"): ap, (topic, "statRprec"): rprec}
            for k, precision, ndcg in zip((10, 20, 50, 100), rest[:4], rest[4:], strict=True):
                expected[topic, f"statNDCG_{k}"] = ndcg
                if length[topic] >= k:  # below it version 4 has 0
                    expected[topic, f"statP_{k}"] = precision
            expected[topic, "statAP_var"] = variance
        assert expected
        hold(tmp_path, ["-n", "-R", "prels"], expected)
