"""Noninferiority verdicts on several collections: on the mean over collections, and on each collection."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from irevalx.errors import InputError, quote
from irevalx.experiments.measured_runs import MeasureValues
from irevalx.frozen import replace
from irevalx.lab.comparison.margins import Margins, margins_in, margins_of
from irevalx.lab.comparison.non_inferiority import OverCollections
from irevalx.lab.comparison.pairs import ComparedMeasure
from irevalx.lab.comparison.several_collections import evaluated_each, merged_notes, runs_of, tested_in
from irevalx.lab.comparison.verdicts import Gate, verdicts_of, verdicts_on
from irevalx.reading.collection_files import CollectionInputs
from irevalx.statistics.clusters import Clusters


def gated_collections(
    collections: Sequence[CollectionInputs],
    measures: Any,
    baseline: str,
    margin: Margins,
    alpha: float,
    how_judged: Mapping[str, Any],
    **how: Any,
) -> Gate:
    """Return verdicts on the mean over collections and on each collection, for each run and measure.

    The intervals are simultaneous over the verdicts on means and, separately, over the verdicts on single collections.
    Raise InputError if a run has no results on a collection. ``how_judged`` contains the parameters require and
    allow_unsure.
    """
    names = [collection.name for collection in collections]
    _check_all(names, [[f"run {quote(run)}" for run in runs_of(collection)] for collection in collections], "runs")

    def evaluate(collection: CollectionInputs) -> Gate:
        tested = tested_in(collection, measures, baseline, "gate", topics_of_baseline=True, alpha=alpha, **how)
        own = margins_in(margin, collection.name, names)
        rules = {**how_judged, "notes": (*tested.notes, *tested.notes_on_dependence)}
        result = verdicts_on(tested.measures, tested.baselines, own, alpha / len(names), tested.missing, **rules)
        tested.warn_of_unjudged(result.on_unjudged)
        return result

    results = evaluated_each(collections, evaluate)
    compared = [{each.name: each for each in result.measures} for result in results]
    _check_all(names, [[f"measure {measure}" for measure in of] for of in compared], "measures")
    every = [compared_means(names, [of[measure] for of in compared]) for measure in compared[0]]
    margins = margins_of(every, margins_in(margin, None, names))
    n_means = sum(len(each.comparisons.pairs) for each in every)
    rows = [
        row._replace(change=math.nan, largest_change=math.nan)
        for each in every
        for row in verdicts_of(each, *margins[each.name], alpha / n_means)
    ]
    of_each = [*zip(names, results, strict=True)]
    rows += [row._replace(collection=name) for name, of in of_each for row in of.rows]
    merged = {
        field: merged_notes(names, ((name, line) for name, of in of_each for line in getattr(of, field)))
        for field in ("notes", "on_missing")
    }
    method = replace(results[0].method, alpha=alpha)
    return replace(results[0], measures=every, method=method, rows=rows, collections=names, **merged)


def _check_all(names: Sequence[str], each: Sequence[Sequence[str]], words: str) -> None:
    """Raise InputError if a collection lacks something that another collection has."""
    for name, of_collection in zip(names, each, strict=True):
        for what in (what for other in each for what in other if what not in of_collection):
            raise InputError(f"{name}: {what} is missing; gate requires all {words} on each collection")


def compared_means(names: Sequence[str], compared: Sequence[ComparedMeasure]) -> ComparedMeasure:
    """Compare runs on their means over collections, given the comparisons in each collection."""
    first, sizes = compared[0], [len(each.measured.topics) for each in compared]
    weights = [sum(sizes) / len(sizes) / n_topics for n_topics in sizes]
    values = [
        each.measured.values[[each.runs.index(run) for run in first.runs]] * weight
        for each, weight in zip(compared, weights, strict=True)
    ]
    clusters = [each.comparisons.clusters for each in compared]
    codes = [range(n) if of is None else of.codes.tolist() for n, of in zip(sizes, clusters, strict=True)]
    of_all = Clusters.of((name, code) for name, each in zip(names, codes, strict=True) for code in each)
    topics = (f"{name} {topic}" for name, each in zip(names, compared, strict=True) for topic in each.measured.topics)
    measured = MeasureValues(
        measure=first.name,
        runs=first.runs,
        topics=tuple(topics),
        values=np.concatenate(values, axis=1),
        direction=first.measured.direction,
        clusters=of_all,
    )
    parts, first_pairs = [*zip(sizes, clusters, strict=True)], first.comparisons.pairs
    method = first.comparisons.method
    pairs = OverCollections(measured.values, first_pairs, method, clusters=of_all, parts=parts)
    return ComparedMeasure(measured, pairs)
