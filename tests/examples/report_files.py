"""Files of a small evaluation for reports."""

from __future__ import annotations

import json
import random
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from irevalx.errors import IrevalxWarning
from irevalx.lab import report

MEASURES = ("map", "ndcg@10", "P.5")
N_TOPICS = 12
RUNS = {"plain": 0.1, "better": 0.3, "middle": 0.2, "worse": 0.0}
"""By run, how much it knows of the grades."""


@dataclass(frozen=True)
class ReportFiles:
    """The input files of a report."""

    qrels: Path
    runs: list[Path]
    documents: Path
    topic_texts: Path
    topic_groups: Path

    def page(self, name: str, **options: Any) -> Path:
        """Write a page beside the files and return its path."""
        path = self.qrels.parent / name
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", IrevalxWarning)  # of conclusions that depend on unjudged documents
            made = report(
                self.qrels,
                self.runs,
                MEASURES,
                documents=self.documents,
                topic_texts=self.topic_texts,
                topic_groups=self.topic_groups,
                **options,
            )
        made.write(path)
        return path


def report_files(folder: Path) -> ReportFiles:
    """Write judgments with grades 0 to 2 and unjudged documents, runs, texts, and topic groups."""
    rng = random.Random(7)
    topics = [str(topic) for topic in range(1, N_TOPICS + 1)]
    grades = {(topic, f"D{number:02}"): rng.choice((0, 0, 0, 1, 1, 2, -1)) for topic in topics for number in range(30)}
    qrels = folder / "qrels"
    qrels.write_text("".join(f"{topic} 0 {docno} {grade}\n" for (topic, docno), grade in grades.items()))
    paths = []
    for run, knows in RUNS.items():
        lines = []
        for topic in topics:
            score = {
                f"D{number:02}": rng.random() + knows * grades.get((topic, f"D{number:02}"), 0) for number in range(36)
            }
            best = sorted(score, key=lambda docno: -score[docno])[:20]
            lines += [
                f"{topic} Q0 {docno} {rank} {score[docno]:.6f} {run}\n" for rank, docno in enumerate(best, start=1)
            ]
        paths.append(folder / run)
        paths[-1].write_text("".join(lines))
    documents = folder / "docs.jsonl"
    records = ({"id": f"D{number:02}", "contents": f"Text of document {number}."} for number in range(36))
    documents.write_text("".join(json.dumps(record) + "\n" for record in records))
    texts, groups = folder / "topics.tsv", folder / "groups"
    texts.write_text("".join(f"{topic}\twhat is said of subject {topic}\n" for topic in topics))
    groups.write_text("".join(f"{topic}\t{'early' if int(topic) <= 5 else 'late'}\n" for topic in topics))
    return ReportFiles(qrels, paths, documents, texts, groups)


def dependent_runs() -> tuple[dict[str, dict[str, int]], dict[str, dict[str, dict[str, float]]]]:
    """Return judgments, and three runs of which two have a difference that depends on unjudged documents."""
    qrels = {str(t): {f"d{n}": int((n + t * t) % 10 < 5 + t % 2) for n in range(10)} for t in range(12)}
    runs = {
        name: {t: {(f"d{n}" if n + int(t) % 2 < n_judged else f"{name}{n}"): 9.0 - n for n in range(10)} for t in qrels}
        for name, n_judged in {"good": 11, "most": 9, "fewer": 4}.items()
    }
    return qrels, runs
