"""Accuracy of the caution about unequal judging: a simulation on collections with nearly complete judgments.

    OPENBLAS_NUM_THREADS=1 python tests/unequal_judging.py FOLDER [SEED] [--gate]

The folder contains a collection: qrels.gz and runs. One group of runs is new, that is, it was not pooled. The pool contains the first k documents of all other groups, or of
four of these groups. A claim is the conclusion of a paired t test (alpha 0.05) that a new run and a pooled run differ
significantly under the judgments of this pool. The claim is wrong if the conclusion changes when the first k documents
of the new group are judged too.

For each measure, the script prints the number of wrong and right claims, the share of wrong claims with a caution
(sensitivity), the share of right claims with a caution (false alarms), and the number of wrong claims without a caution.
The same numbers follow for conclusions that a difference is not significant, and then for both kinds of conclusions with
Holm's correction over all pairs of the new run and four pooled runs. With ``--gate``, the conclusions are verdicts of a
gate on the new run, with a pooled run as the baseline and a margin of 0.02.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from irevalx.api.inputs import Qrels
from irevalx.experiments.coverage import DEPTH, Coverage, conclusions_if_relevant, conclusions_of
from irevalx.experiments.inputs import graded_judgments_of, run_streams
from irevalx.experiments.pools import with_first_documents
from irevalx.experiments.prepared_runs import prepare_graded_runs
from irevalx.experiments.ranked_runs import EvaluationRules, GradedRuns
from irevalx.lab.comparison.non_inferiority import CANNOT_TELL, NOT_WORSE, WORSE, Improvements
from irevalx.lab.comparison.verdicts import verdicts_if_relevant
from irevalx.statistics.paired_comparisons import Comparisons, Method
from irevalx.statistics.significance import ALPHA

MEASURES = ("P.10", "map", "ndcg", "recip_rank", "ndcg_cut.10", "recall.100")
DEPTHS = (5, 10, 20)
N_GROUPS = 4
MARGIN = 0.02


def experiment(folder: Path, measures: Sequence[str] = MEASURES) -> GradedRuns:
    """Return all runs of a collection, whose first 20 documents are judged or pooled."""
    paths = sorted(map(str, (folder / "runs").iterdir()))
    opened = run_streams(paths)
    judgments = with_first_documents(graded_judgments_of(folder / "qrels.gz"), opened, max(DEPTHS))
    return prepare_graded_runs(Qrels(judgments), opened, list(measures), EvaluationRules.of(complete=True)).ranked()


def coverage_at(collection: GradedRuns, judged: NDArray[np.bool_], depth: int) -> Coverage:
    """Return the coverage of all runs if some documents are judged."""
    n_topics = len(collection.topics)
    topic_of = collection.judgments.rows.ids
    place = np.full(len(collection.judgments.topics), -1)
    place[[collection.judgments.topic_index[topic] for topic in collection.topics]] = np.arange(n_topics)
    first = collection.retrieved_within(depth)

    def count(documents: NDArray[np.bool_]) -> NDArray[np.float64]:
        return np.bincount(place[topic_of[documents]], minlength=n_topics) / depth

    retrieved = np.stack([count(of_run) for of_run in first])
    n_judged = np.stack([count(of_run & judged) for of_run in first])
    return Coverage(
        depth=depth,
        judged=np.divide(n_judged, retrieved, out=np.zeros_like(retrieved), where=retrieved > 0),
        retrieved=retrieved,
        unjudged=np.stack([count(of_run & ~judged) for of_run in first]),
        shared=lambda first_run, other: count(first[first_run] & first[other] & ~judged),
    )


def values_with(collection: GradedRuns, judged: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return the values of all runs if some documents are judged; others are treated as nonrelevant."""
    return collection.values(np.where(judged, np.maximum(collection.grades, 0), -1), judged)


def pools(
    collection: GradedRuns, seed: int
) -> Iterator[tuple[list[int], list[int], NDArray[np.bool_], NDArray[np.bool_]]]:
    """Yield the runs of a new group, the pooled runs, and the judged documents without and with the new group."""
    rng = np.random.default_rng(seed)
    group = [re.sub(r"\d+$", "", run) if len(set(collection.runs)) == 30 else run for run in collection.runs]
    names = sorted(set(group))
    for depth in DEPTHS:
        first = collection.retrieved_within(depth)
        for new in names:
            others = [name for name in names if name != new]
            for chosen in (others, list(rng.choice(others, N_GROUPS, replace=False))):
                runs = [number for number, name in enumerate(group) if name in chosen]
                of_new = [number for number, name in enumerate(group) if name == new]
                judged = np.asarray(first[runs].any(axis=0))
                yield of_new, runs, judged, np.asarray(first[runs + of_new].any(axis=0))


def conclusions(comparisons: Comparisons) -> NDArray[np.float64]:
    """Return 1, -1 or 0 for each pair: the second run is better, worse, or neither."""
    return np.sign(comparisons.difference) * comparisons.differ


def counts(collection: GradedRuns, seed: int, topics: slice = slice(None)) -> Counter[tuple[str, str, str, bool, bool]]:
    """Count conclusions by measure, correction, kind (claim or none), error, and caution."""
    cells: Counter[tuple[str, str, str, bool, bool]] = Counter()
    rng = np.random.default_rng(seed + 1)
    for new, pooled, judged, deeper in list(pools(collection, seed))[topics]:
        before, after = values_with(collection, judged), values_with(collection, deeper)
        requests = [(request, name) for request in collection.requests for name in request.names]
        depths = [min(request.cutoffs.get(name, DEPTH), DEPTH) for request, name in requests]
        coverage = {depth: coverage_at(collection, judged, depth) for depth in set(depths)}
        alone = [(run, other) for other in new for run in pooled]
        families = [("none", alone)]
        for new_run in new:
            runs = sorted([new_run, *rng.choice(pooled, min(4, len(pooled)), replace=False).tolist()])
            families.append(("holm", list(combinations(runs, 2))))
        for correction, pairs in families:
            method = Method(correction=correction)
            for number, name in enumerate(collection.measures):
                now = Comparisons(before[number], pairs, method)
                then = conclusions(Comparisons(after[number], pairs, method))
                request = requests[number][0]
                warned = conclusions_if_relevant(now, coverage[depths[number]], request) != conclusions_of(now)
                for pair, claim, true, is_warned in zip(pairs, conclusions(now), then, warned, strict=True):
                    if bool(set(pair) & set(new)):
                        kind = "claim" if claim else "none"
                        cells[name, correction, kind, bool(claim != true), bool(is_warned)] += 1
    return cells


def gate_counts(
    collection: GradedRuns, seed: int, topics: slice = slice(None)
) -> Counter[tuple[str, str, str, bool, bool]]:
    """Count verdicts like ``counts`` counts conclusions."""
    cells: Counter[tuple[str, str, str, bool, bool]] = Counter()
    requests = [request for request in collection.requests for _ in request.names]
    for new, pooled, judged, deeper in list(pools(collection, seed))[topics]:
        before, after, coverage = (
            values_with(collection, judged),
            values_with(collection, deeper),
            coverage_at(collection, judged, DEPTH),
        )
        pairs = [(baseline, run) for baseline in pooled for run in new]
        for number, name in enumerate(collection.measures):
            now, then = (Comparisons(values[number], pairs) for values in (before, after))
            improved = Improvements(now.by_topic, ALPHA)
            changed = verdicts_if_relevant(now, improved, MARGIN, coverage, requests[number])
            warned = [new not in {None, old} for old, new in zip(improved.verdicts(MARGIN), changed, strict=True)]
            verdicts = [Improvements(of.by_topic, ALPHA).verdicts(MARGIN) for of in (now, then)]
            for claim, true, is_warned in zip(*verdicts, warned, strict=True):
                cells[name, "gate", claim, claim != true, bool(is_warned)] += 1
    return cells


def rates(cells: Counter[tuple[str, str, str, bool, bool]], name: str, correction: str, kind: str) -> tuple[float, ...]:
    """Return the numbers of wrong and all conclusions, sensitivity, false alarms, and wrong conclusions without a caution."""
    wrong, right = (
        {warned: cells[name, correction, kind, is_wrong, warned] for warned in (True, False)}
        for is_wrong in (True, False)
    )
    n_wrong, n_right = sum(wrong.values()), sum(right.values())
    shares = [of[True] / n if n else np.nan for of, n in ((wrong, n_wrong), (right, n_right))]
    return n_wrong, n_wrong + n_right, *shares, wrong[False], wrong[False] + right[False]


if __name__ == "__main__":
    words = [word for word in sys.argv[1:] if word != "--gate"]
    is_gate, seed = "--gate" in sys.argv, int(words[1]) if words[1:] else 41
    collection = experiment(Path(words[0]), MEASURES[:3] if is_gate else MEASURES)
    cells = (gate_counts if is_gate else counts)(collection, seed)
    sys.stdout.write("measure       correction kind         wrong/all    sensitivity  false alarms  wrong of silent\n")
    for correction in ("gate",) if is_gate else ("none", "holm"):
        for kind in (NOT_WORSE, WORSE, CANNOT_TELL) if is_gate else ("claim", "none"):
            for name in collection.measures:
                n_wrong, n, sensitivity, alarms, missed, silent = rates(cells, name, correction, kind)
                sys.stdout.write(
                    f"{name:13} {correction:10} {kind:12} {n_wrong:5}/{n:<6} {sensitivity:11.2f} {alarms:13.2f} "
                    f"{missed:7}/{silent}\n"
                )
