"""Collections for the papers' tables and figures, and values of literal loops."""

from __future__ import annotations

import gzip
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import TypeAlias

import numpy as np
from references.degrade import Qrels, Ranked, read_qrels, read_run
from references.incomplete_judgments import READINGS, above_relevant, sampling_rate
from references.measures import OUTSIDE, UNJUDGED, Topic, graded
from scipy.stats import binom

Call: TypeAlias = tuple[str | Path, ...]
"""The words of a command."""


@dataclass(frozen=True)
class Collection:
    """Judgments and runs with their files."""

    qrels_path: Path
    run_paths: tuple[Path, ...]
    qrels: Qrels
    runs: dict[str, Ranked]

    @property
    def files(self) -> tuple[Path, ...]:
        """The files as commands take them."""
        return (self.qrels_path, *self.run_paths)


@cache
def whole(folder: Path) -> Collection:
    """Return a collection."""
    paths = tuple(sorted((folder / "runs").iterdir()))
    texts = {path: _text(path) for path in paths}
    runs = {text.split("\n", 1)[0].split()[5]: read_run(text) for text in texts.values()}
    return Collection(folder / "qrels.gz", paths, read_qrels(_text(folder / "qrels.gz")), runs)


def part(folder: Path, into: Path, pattern: str, n_topics: int) -> Collection:
    """Write the runs that match a pattern and the first topics of a collection to files."""
    every = whole(folder)
    topics = list(every.qrels)[:n_topics]
    (into / "qrels").write_text("".join(_lines_of(_text(every.qrels_path), topics)))
    paths = []
    for path in every.run_paths:
        if re.search(pattern, path.name):
            paths.append(into / path.name.removesuffix(".gz"))
            paths[-1].write_text("".join(_lines_of(_text(path), topics)))
    texts = [path.read_text() for path in paths]
    runs = {text.split("\n", 1)[0].split()[5]: read_run(text) for text in texts}
    return Collection(into / "qrels", tuple(paths), read_qrels((into / "qrels").read_text()), runs)


def _text(path: Path) -> str:
    return gzip.decompress(path.read_bytes()).decode()


def _lines_of(text: str, topics: Sequence[str]) -> list[str]:
    return [line for line in text.splitlines(keepends=True) if line.split(None, 1)[0] in topics]


class CountedTopic(Topic):
    """A topic that counts its judgments once."""

    @cached_property
    def n_rel(self) -> int:
        """Documents judged relevant, retrieved or not."""
        return super().n_rel

    @cached_property
    def n_nonrel(self) -> int:
        """Documents judged nonrelevant, retrieved or not."""
        return super().n_nonrel


def topic_of(docnos: Sequence[str], grades: Mapping[str, int]) -> Topic:
    """Return a topic of a run; grade -1 is pooled and unjudged, and missing documents are unpooled."""
    codes = [OUTSIDE if docno not in grades else grades[docno] if grades[docno] >= 0 else UNJUDGED for docno in docnos]
    return CountedTopic(codes, list(grades.values()))


def subcollection_ap(topic: Topic) -> float:
    """Return subAP with scipy's binomial distribution, as fractions are slow for long runs."""
    rate, total = float(sampling_rate(topic)), 0.0
    for above in above_relevant(topic):
        there = range(above.outside + 1)
        chances = np.asarray(binom.pmf(there, above.outside, rate)).tolist()
        for x, chance in zip(there, chances, strict=True):
            total += chance * (above.relevant + 1) / (above.relevant + 1 + above.nonrelevant + x)
    return total / topic.n_rel if topic.n_rel else 0.0


def value(measure: str, topic: Topic) -> float:
    """Return the value of a measure as -m takes it: ``map``, ``P.20:skip``, ``infAP.c=1``, ``ndcg.2=1``."""
    name, _, treatment = measure.partition(":")
    name, _, parameter = name.partition(".")
    loop: Callable[..., float] = graded.by_name[name]
    topic = READINGS[treatment](topic) if treatment else topic
    if name == "subAP":
        return subcollection_ap(topic)
    if parameter.startswith("c="):
        return loop(topic, float(parameter[2:]))
    if name == "ndcg":
        gains = [tuple(map(float, pair.split("="))) for pair in parameter.split(",") if pair]
        return loop(topic, [(int(grade), gain) for grade, gain in gains])
    return loop(topic, *(int(number) for number in parameter.split(",") if number))


def printed(measure: str) -> str:
    """Return the name of a measure in tables."""
    return measure.replace(".", "_", 1)


Values: TypeAlias = dict[str, dict[str, list[float]]]
"""By measure and run, a value for each topic."""


def values(runs: Mapping[str, Ranked], qrels: Qrels, measures: Sequence[str]) -> Values:
    """Return values by measure, run and topic, computed by loops."""
    results: Values = {printed(measure): {} for measure in measures}
    for run, ranked in runs.items():
        topics = [topic_of(ranked.get(topic, []), grades) for topic, grades in qrels.items()]
        for measure in measures:
            results[printed(measure)][run] = [value(measure, topic) for topic in topics]
    return results
