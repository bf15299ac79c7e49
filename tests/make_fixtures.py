"""Make the data in fixtures that has a function here, and record what trec_eval prints for it.

    TREC_EVAL_9=... TREC_EVAL_10=... python tests/make_fixtures.py

The programs are trec_eval 9.0.8 and 10.0. Nothing here asks irevalx for an expected value.
"""

from __future__ import annotations

import gzip
import json
import math
import os
import random
import subprocess
from pathlib import Path

FIXTURES = Path(__file__).resolve().parents[1] / "fixtures"
PROGRAMS = {"9": os.environ.get("TREC_EVAL_9", ""), "10": os.environ.get("TREC_EVAL_10", "")}


def example() -> None:
    """Four topics and two systems: their first ten documents were judged, and a few documents below were pooled."""
    folder = FIXTURES / "example"
    rng = random.Random(2003)
    qrels: list[str] = []
    runs: dict[str, list[str]] = {"bm25": [], "dense": []}
    for topic in (301, 302, 303, 304):
        docnos = [f"NEWS-{rng.randint(1000, 9999)}" for _ in range(60)]
        docnos = list(dict.fromkeys(docnos))
        worth = {docno: rng.choice([0, 0, 0, 0, 0, 1, 1, 2]) for docno in docnos}
        pool = set()
        for name, lines in runs.items():
            noise = 3.0 if name == "bm25" else 2.2
            scores = {docno: worth[docno] + rng.gauss(0, noise) for docno in docnos}
            ranked = sorted(docnos, key=lambda docno: -scores[docno])[:25]
            pool.update(ranked[:10])
            lines += [f"{topic} Q0 {docno} {rank} {scores[docno]:.4f} {name}" for rank, docno in enumerate(ranked, 1)]
        for docno in sorted(docnos):
            if docno in pool:
                qrels.append(f"{topic} 0 {docno} {worth[docno]}")
            elif rng.random() < 0.15:
                qrels.append(f"{topic} 0 {docno} -1")
    qrels.append("305 0 NEWS-1234 1")
    (folder / "qrels").write_text("\n".join(qrels) + "\n")
    for name, lines in runs.items():
        (folder / f"{name}.run").write_text("\n".join(lines) + "\n")
    # 10.0 stops at topic 305, of which there are no results; irevalx does not (departure 1).
    judged = folder / "qrels-301-304"
    judged.write_text("\n".join(qrels[:-1]) + "\n")
    for name in runs:
        record(folder / f"{name}.official", [], judged, folder / f"{name}.run")
        record(folder / f"{name}.q_all_trec", ["-q", "-m", "all_trec"], judged, folder / f"{name}.run")
        record(
            folder / f"{name}.q_c_all_trec", ["-q", "-c", "-m", "all_trec"], folder / "qrels", folder / f"{name}.run"
        )
    judged.unlink()


def incomplete() -> None:
    """A pool file for the example, and the same judgments as a sample of two strata."""
    folder = FIXTURES / "example"
    rng = random.Random(2008)
    judged = [line.split() for line in (folder / "qrels").read_text().splitlines()]
    grades = {(topic, docno): int(grade) for topic, _, docno, grade in judged}
    ranks: dict[tuple[str, str], int] = {}
    for name in ("bm25", "dense"):
        for line in (folder / f"{name}.run").read_text().splitlines():
            topic, _, docno, rank, _, _ = line.split()
            ranks[topic, docno] = min(int(rank), ranks.get((topic, docno), 99))
    pool = sorted(document for document, rank in ranks.items() if rank <= 15 or document in grades)
    pool.append(("305", "NEWS-1234"))
    (folder / "pool").write_text("".join(f"{topic} {docno}\n" for topic, docno in pool))
    lines = []
    for topic, docno in pool:
        stratum = 1 if ranks.get((topic, docno), 1) <= 5 else 2
        sampled = stratum == 1 or topic == "305" or rng.random() < 0.4
        grade = grades.get((topic, docno), 0) if sampled else -1
        lines.append(f"{topic} 0 {docno} {stratum} {grade}\n")
    (folder / "sampled.qrels").write_text("".join(lines))


def summation() -> None:
    """A thousand topics whose means depend on the order of addition after rounding."""
    folder = FIXTURES / "summation"
    rng = random.Random(70)
    qrels, run = [], []
    for topic in range(1000):
        docnos = [f"d{number}" for number in range(6)]
        rng.shuffle(docnos)
        for rank, docno in enumerate(docnos[: rng.randint(1, 6)], 1):
            run.append(f"{topic} Q0 {docno} {rank} {10 - rank} r")
        qrels += [f"{topic} 0 {docno} {rng.randint(0, 2)}" for docno in sorted(docnos) if rng.random() < 0.5]
        qrels.append(f"{topic} 0 x 0")
    for name, lines in (("qrels", qrels), ("run", run)):
        (folder / name).write_text("\n".join(lines) + "\n")
    flags = ["-m", "P.20", "-m", "map", "-m", "recall.5"]
    record(folder / "expected", flags, folder / "qrels", folder / "run")
    for name in ("qrels", "run"):
        with (folder / f"{name}.gz").open("wb") as raw, gzip.GzipFile("", "wb", 9, raw, mtime=0) as stream:
            stream.write((folder / name).read_bytes())
        (folder / name).unlink()


def experiment() -> None:
    """Twelve topics, documents with words of their topics, six runs of three groups, judgments to depth 20."""
    folder = FIXTURES / "experiment"
    (folder / "runs").mkdir(parents=True, exist_ok=True)
    rng = random.Random(2007)
    syllables = [c + v for c in "bdfgklmnprstvz" for v in "aeiou"]
    words = ["".join(rng.choices(syllables, k=rng.randint(2, 4))) for _ in range(900)]
    topics = {str(number): rng.sample(words, 12) for number in range(1, 13)}
    texts, about = {}, {}
    for number in range(480):
        docno, topic = f"D{number:03}", str(rng.randint(1, 12))
        share = rng.choice([0.0, 0.0, 0.15, 0.3])
        text = [rng.choice(topics[topic]) if rng.random() < share else rng.choice(words) for _ in range(40)]
        texts[docno], about[docno] = " ".join(text), (topic, share)
    documents = "".join(json.dumps({"id": docno, "contents": text}) + "\n" for docno, text in texts.items())
    with (folder / "docs.jsonl.gz").open("wb") as raw, gzip.GzipFile("", "wb", 9, raw, mtime=0) as stream:
        stream.write(documents.encode())
    pool: dict[str, set[str]] = {topic: set() for topic in topics}
    for place, name in enumerate(("count1", "count2", "vector1", "vector2", "guess1", "guess2")):
        noise, lines = (2.4, 3.0, 2.2, 2.8, 4.5, 6.0)[place], []
        liking = {word: rng.gauss(1, 0.5 if name.startswith("count") else 0.2) for word in words}
        for topic, own in topics.items():
            scores = {
                docno: sum(liking[word] for word in text.split() if word in own) + rng.gauss(0, noise)
                for docno, text in texts.items()
            }
            ranked = sorted(texts, key=lambda docno: -scores[docno])[:60]
            pool[topic].update(ranked[:20])
            lines += [f"{topic} Q0 {docno} {rank} {scores[docno]:.4f} {name}" for rank, docno in enumerate(ranked, 1)]
        (folder / "runs" / name).write_text("\n".join(lines) + "\n")
    qrels = [
        f"{topic} 0 {docno} {int(about[docno][0] == topic and rng.random() < 2.5 * about[docno][1])}"
        for topic, docnos in pool.items()
        for docno in sorted(docnos)
    ]
    (folder / "qrels").write_text("\n".join(qrels) + "\n")


def labels() -> None:
    """Judgments without the pool of a run, and machine labels with a fifth false negatives and a tenth false positives."""
    rng = random.Random(2026)
    folder = FIXTURES / "labels"
    folder.mkdir(exist_ok=True)
    judged = [line.split() for line in (FIXTURES / "experiment" / "qrels").read_text().splitlines()]
    pool = set()
    for name in ("count1", "count2", "vector1", "vector2"):
        for line in (FIXTURES / "experiment" / "runs" / name).read_text().splitlines():
            topic, _, docno, rank, *_ = line.split()
            if int(rank) <= 20:
                pool.add((topic, docno))
    human = [f"{topic} 0 {docno} {grade}" for topic, _, docno, grade in judged if (topic, docno) in pool]
    (folder / "qrels").write_text("\n".join(human) + "\n")
    machine = [
        f"{topic} 0 {docno} {int(rng.random() < (0.8 if grade == '1' else 0.1))}" for topic, _, docno, grade in judged
    ]
    (folder / "machine").write_text("\n".join(machine) + "\n")


def conversations() -> None:
    """Scores of two systems on the turns of ten conversations; one of them is better in some whole conversations."""
    rng = random.Random(2012)
    folder = FIXTURES / "conversations"
    folder.mkdir(exist_ok=True)
    lines: dict[str, list[str]] = {"plain": [], "rewrite": []}
    for conversation in range(1, 11):
        gain = rng.choice([0.0, 0.0, 0.25])
        for turn in range(1, rng.randint(3, 8) + 1):
            quality = rng.uniform(0.3, 0.6)
            for name, better in (("plain", 0.0), ("rewrite", gain)):
                score = min(1.0, max(0.0, quality + better + rng.gauss(0, 0.1)))
                lines[name].append(f"{name},conv{conversation}_{turn},{score:.2f}")
    header = "run,topic,answer_score"
    (folder / "scores.csv").write_text("\n".join([header, *lines["plain"], *lines["rewrite"]]) + "\n")


def answers() -> None:
    """Scores of the answers of two systems: 0 or 1 by a lenient judge for all questions, and by people for 40 of them."""
    rng = random.Random(2059)
    folder = FIXTURES / "answers"
    folder.mkdir(exist_ok=True)
    judged = set(rng.sample(range(1, 151), 40))
    rows: dict[str, list[str]] = {"human": [], "judge": []}
    for system, share in (("small", 0.62), ("large", 0.76)):
        for question in range(1, 151):
            human = int(rng.random() < share)
            judge = int(rng.random() < (0.97 if human else 0.3))
            rows["judge"].append(f"{system},q{question},{judge}")
            rows["human"] += [f"{system},q{question},{human}"] if question in judged else []
    for name, lines in rows.items():
        (folder / f"{name}.csv").write_text("\n".join(["run,topic,correct", *lines]) + "\n")


def collections() -> None:
    """Three collections in BEIR's layout; of two runs, dense is better in two collections."""
    rng = random.Random(2021)
    folder = FIXTURES / "collections"
    (folder / "qrels").mkdir(parents=True, exist_ok=True)
    for collection, n_topics, gain in (("claims", 25, -0.1), ("finance", 14, 0.9), ("nutrition", 18, 0.6)):
        qrels = ["query-id\tcorpus-id\tscore"]
        runs: dict[str, list[str]] = {"bm25": [], "dense": []}
        for topic in range(1, n_topics + 1):
            docnos = [f"{collection[0]}{number}" for number in rng.sample(range(100, 1000), 40)]
            relevant = {docno: rng.choice([1, 1, 2]) for docno in docnos[: rng.randint(1, 5)]}
            qrels += [f"q{topic}\t{docno}\t{grade}" for docno, grade in relevant.items()]
            easy = rng.gauss(1.2, 0.5)
            for name, better in (("bm25", 0.0), ("dense", gain)):
                scores = {docno: rng.gauss(0, 1) + (docno in relevant) * (easy + better) for docno in docnos}
                ranked = sorted(docnos, key=lambda docno: -scores[docno])[:10]
                runs[name] += [
                    f"q{topic} Q0 {docno} {n} {scores[docno]:.3f} {name}" for n, docno in enumerate(ranked, 1)
                ]
        (folder / "qrels" / f"{collection}.tsv").write_text("\n".join(qrels) + "\n")
        (folder / "runs" / collection).mkdir(parents=True, exist_ok=True)
        for name, lines in runs.items():
            (folder / "runs" / collection / f"{name}.trec").write_text("\n".join(lines) + "\n")


def panel_of_judges() -> None:
    """Answers of four systems to 60 questions: labels of three judges with common errors, and human labels of half.

    The first judge prefers long answers and, to a lesser degree, the systems alpha.
    """
    rng = random.Random(11)
    judged = set(rng.sample(range(60), 30))
    lines = ["question,system,words,human,judge_a,judge_b,judge_c"]
    for question in range(60):
        difficulty = rng.gauss(0, 0.5)
        for system, quality in (("alpha-large", 2.2), ("alpha-small", 1.8), ("beta-large", 2.1), ("beta-small", 1.5)):
            length, common = rng.gauss(0, 1), rng.gauss(0, 0.55)
            truth = quality + difficulty + rng.gauss(0, 0.8)
            liked = 0.35 * length + 0.3 * system.startswith("alpha")
            noisy = [truth + rng.gauss(0, 0.3)]
            noisy += [truth + common + rng.gauss(0, noise) + more for noise, more in ((0.4, liked), (0.5, 0), (0.6, 0))]
            human, *machines = (str(min(4, max(0, round(label)))) for label in noisy)
            words = str(round(math.exp(5.1 + 0.55 * length)))
            lines.append(
                ",".join([f"q{question + 1:02}", system, words, human if question in judged else "", *machines])
            )
    folder = FIXTURES / "answers"
    folder.mkdir(exist_ok=True)
    (folder / "answers.csv").write_text("\n".join(lines) + "\n")


def record(target: Path, flags: list[str], qrels: Path, run: Path) -> None:
    """Write the output of each version to TARGET.v9 and TARGET.v10."""
    for version, program in PROGRAMS.items():
        done = subprocess.run([program, *flags, qrels, run], capture_output=True, check=True)
        target.with_name(f"{target.name}.v{version}").write_bytes(done.stdout)


if __name__ == "__main__":
    example()
    incomplete()
    summation()
    experiment()
    labels()
    conversations()
    answers()
    collections()
    panel_of_judges()
