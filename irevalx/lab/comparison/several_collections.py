"""Comparisons of runs over several collections: the mean difference, and the difference in each collection."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any, ClassVar, TypeVar

import numpy as np

from irevalx.arrays.segments import FloatArray
from irevalx.declarations import Parameter, refuse_several
from irevalx.errors import (
    ArgumentError,
    EvaluationError,
    InputError,
    IrevalxWarning,
    NoTopicsError,
    UsageError,
    warn,
    warn_each,
)
from irevalx.evaluation.collections import mean_over
from irevalx.experiments.run_pairs import reversed_pair
from irevalx.experiments.topic_clusters import ClustersInput, cluster_of_topics
from irevalx.frozen import replace
from irevalx.lab.command.output import FEW_PAIRS
from irevalx.lab.comparison.comparison_options import baselines_named, number_of_baseline
from irevalx.lab.comparison.conclusions import are
from irevalx.lab.comparison.pairs import COLLECTION_COLUMNS, PROBABILITIES, ComparedMeasure, ComparedPair
from irevalx.lab.comparison.results import ComparedPairs
from irevalx.lab.comparison.run_tables import ComparedRun
from irevalx.lab.comparison.tested_runs import TestedRuns
from irevalx.lab.comparison.topic_groups import corrected_where_defined
from irevalx.reading.collection_files import CollectionInputs, collections_of, files_in, one_of_each_kind
from irevalx.reports.best import best_of, marked_as_best
from irevalx.reports.report import percent
from irevalx.reports.table import Table
from irevalx.statistics import collection_means
from irevalx.statistics.clusters import ClusterDesign
from irevalx.statistics.corrections import correction_named
from irevalx.statistics.paired_comparisons import Method
from irevalx.statistics.significance import FEW_TOPICS, MEAN, without_noise
from irevalx.wording import first_names, spelled

Value = TypeVar("Value")

THESE, LIKE_THESE, SINGLE = "these collections", "collections like these", "collection"
"""The values of ``ComparedPair.scope``."""


def split_collections(
    values: Mapping[str, Any], parameters: Mapping[str, Parameter]
) -> tuple[list[CollectionInputs], Any, Any]:
    """Return the collections, the judgments and the runs. For a single collection, the list of collections is empty.

    Raise ArgumentError if a value of a parameter cannot be combined with several collections.
    """
    qrels, runs = values["qrels"], values["runs"]
    collections = collections_of(qrels, runs) or []
    if len(collections) == 1:
        return [], collections[0].qrels, collections[0].runs
    if collections:
        refuse_several(parameters, values)
    return collections, qrels, runs


def evaluated_each(
    collections: Sequence[CollectionInputs], evaluate: Callable[[CollectionInputs], Value]
) -> list[Value]:
    """Evaluate the collections one after the other. Warnings and errors begin with the names of the collections."""
    lines: list[tuple[str, str]] = []
    results = []
    for collection in collections:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", IrevalxWarning)
            try:
                results.append(evaluate(collection))
            except (InputError, EvaluationError, NoTopicsError) as error:
                raise type(error)(f"{collection.name}: {error.message}") from error
        for each in caught:
            if issubclass(each.category, IrevalxWarning):
                lines.append((collection.name, str(each.message)))
            else:
                warnings.warn_explicit(each.message, each.category, each.filename, each.lineno)
    warn_each(one_of_each_kind(lines, len(collections)))
    return results


def runs_of(collection: CollectionInputs) -> list[str]:
    """Return the names of the runs of a collection."""
    return collection.qrels.runs if collection.runs is None else list(collection.runs)


def tested_in(collection: CollectionInputs, measures: Any, baseline: Any, single: str, **options: Any) -> TestedRuns:
    """Return the comparisons of runs in a collection. Raise UsageError for a measure without a mean over topics."""
    options["clusters"] = files_in(options.get("clusters"), collection.name)
    tested = TestedRuns.of(collection.qrels, collection.runs, measures, baseline, single, **options)
    for each in (*tested.untested, *(each for each in tested.measures if each.measured.scale is not MEAN)):
        raise UsageError(f"several collections require measures with a mean over topics, not {each.name}")
    return tested


class ComparedCollections(ComparedPairs, kw_only=True):
    """The comparison of runs over several collections.

    ``measures`` contains the comparisons in the first collection.
    """

    all_pairs: Sequence[ComparedPair]
    all_runs: Sequence[ComparedRun]
    names: Sequence[str]
    """The names of the collections."""
    families: Mapping[str, Hashable]
    """The family of each collection. The mapping is empty if no families are given."""
    n_common: int
    """The number of collections with results of all runs."""
    has_runs: bool = False
    """Whether the table of runs is displayed even if there are only two runs."""
    all_columns: ClassVar[tuple[str, ...]] = COLLECTION_COLUMNS

    @property
    def rows(self) -> Sequence[ComparedPair]:
        """A row for each measure, pair and scope, and a row for each measure, pair and collection."""
        return self.all_pairs

    @property
    def runs(self) -> list[ComparedRun]:
        """The mean of each measure and run over the collections with all runs, and the values in each collection."""
        return list(self.all_runs)

    def drawing(self, draw: str | None, page: Any) -> str:
        """Raise ArgumentError, because there is no figure of several collections."""
        raise ArgumentError("several collections cannot be drawn in one figure; draw each collection separately")

    @property
    def pairs(self) -> int:
        """The number of pairs of runs."""
        return len({(row.run, row.against) for row in self.all_pairs})

    def about(self) -> dict[str, Any]:
        """Return a dictionary for JSON that describes how values were computed."""
        how = {"test": "t", "correction": correction_named(self.method.correction), "alpha": self.method.alpha}
        of = {"collections": list(self.names), "families": dict(self.families), "pairs": self.pairs}
        baseline = {"baseline": self.baseline or list(self.baselines) or None, "how_tested": self.how_tested}
        return {"seed": None, "notes": list(self.notes), **how, **of, **baseline}

    def tables(self) -> list[Table]:
        """Return the tables of ``rows`` and ``runs``, or only the table of ``runs`` if ``by`` is "run"."""
        columns = ("measure", "run", "collection", "score", "best")
        runs = Table.of("runs", ComparedRun, self.all_runs, n_labels=3).showing(*columns)
        pairs = Table.of("comparison", ComparedPair, self.rows, n_labels=5, probabilities=PROBABILITIES)
        return [runs] if self.by == "run" else [pairs.showing(*COLLECTION_COLUMNS), runs]

    def tables_for_people(self) -> list[Table]:
        """Return the tables of pairs for two runs, or else the table of runs and tables of few or requested pairs."""
        many = self.has_runs or len({row.run for row in self.all_runs}) > 2
        has_runs = self.by == "run" or (self.by is None and many)
        has_pairs = self.by == "pair" or not has_runs or (not self.by and (self.baselines or self.pairs <= FEW_PAIRS))
        tables = [
            *([table_of_runs(self.all_runs)] if has_runs else []),
            *(self._tables_of_pairs() if has_pairs else []),
        ]
        if not (self.by or has_pairs):
            tables[0] = replace(tables[0], notes=(f"{spelled('by', 'pair')} displays all {self.pairs} pairs.",))
        return [replace(tables[0], summary=self._summary), *tables[1:]]

    @property
    def _labels(self) -> tuple[str, ...]:
        return ("measure", "run") if self.measures[1:] else ("run",)

    def _tables_of_pairs(self) -> list[Table]:
        table, labels, ends = self.tables()[0], (*self._labels, "against"), ("difference", "low", "high")
        scope, how = table.columns.index("scope"), {"n_labels": len(labels) + 1, "fits": True}
        means = replace(
            table, rows=[row for row in table.rows if row[scope] != SINGLE], title="mean over collections", **how
        )
        p = ("p", "corrected_p") if self.pairs > 1 and self.method.correction != "none" else ("p",)
        means = means.showing(*labels, "scope", "collections", *ends, "df", *p, "differ", optional=("p",))
        each = replace(table, rows=[row for row in table.rows if row[scope] == SINGLE], **how)
        columns = (*labels, "collection", "topics", "mean", "mean_against", *ends, "p", "corrected_p", "differ")
        each = each.showing(*columns, title="each collection", optional=("p", "mean mean_against"))
        of_level = f"low to high: unadjusted {percent(1 - self.method.alpha)} t intervals of differences."
        of_number = f"K: number of the {len(self.names)} collections with results of both runs."
        notes = (self.how_tested, f"{of_level} {of_number}")
        return [means.in_words({"collections": "K", "scope": "on"}), replace(each, notes=notes)]

    @property
    def how_tested(self) -> str:
        """Sentences on the tests and the correction."""
        n_tests = sum(row.scope == SINGLE for row in self.rows) // max(1, len(self.measures))
        families = f" (clusters: {len({*self.families.values()})} families)" * bool(self.families)
        correction = correction_named(self.method.correction)
        by = f"{'not corrected' if correction == 'none' else f'corrected by {correction.title()}'} for"
        of_pairs = f", p-values {by} {self.pairs} pairs" * (self.pairs > 1)
        return (
            f"{THESE}: t test with Satterthwaite's degrees of freedom; {LIKE_THESE} (a population from which the "
            f"collections are a sample): t test over collections{families}{of_pairs}, alpha {self.method.alpha:g}. "
            f"Each collection: t test over topics, p-values {by} {n_tests} comparisons."
        )

    def _summary(self, digits: int) -> list[str]:
        """Return a paragraph on each measure."""
        sentences = self._on_pair if self.pairs == 1 else self._on_pairs
        return [" ".join(sentences(of_measure, digits)) for of_measure in self.measures if self.pairs]

    def _on_pairs(self, of_measure: ComparedMeasure, digits: int) -> Iterator[str]:
        measure, direction = of_measure.name, of_measure.measured.direction
        runs = [row for row in self.all_runs if row.measure == measure and not row.collection]
        if best := [runs[place] for place in best_of([row.score for row in runs], direction)]:
            have = f"{first_names([row.run for row in best], 'run')} {'have' if best[1:] else 'has'}"
            over = f"over the collections with results of all runs ({self.n_common} of {len(self.names)})"
            mean = f"the {'lowest' if direction < 0 else 'highest'} mean {measure} of {len(runs)} runs"
            yield f"{have} {mean} {over}: {_number(best[0].score, digits)}."
        for scope in (THESE, LIKE_THESE):
            differ = [row.differ for row in self.rows if row.scope == scope and row.measure == measure]
            of = f" of {len(differ)} differences {'from a baseline' if self.baselines else 'between runs'}"
            yield f"On {scope}, {are(differ.count(True), of)} statistically significant."

    def _on_pair(self, of_measure: ComparedMeasure, digits: int) -> Iterator[str]:
        these, like, *_ = (row for row in self.rows if row.measure == of_measure.name)
        up, down = ("better", "worse") if of_measure.measured.direction else ("higher", "lower")
        mean, against, difference, least, greatest = (
            _number(value or 0.0, digits)
            for value in (these.mean, these.mean_against, these.difference, these.least, these.greatest)
        )
        n_collections = these.collections or 0
        yield (
            f"On these {n_collections} collections, {these.run} has a mean {of_measure.name} of {mean}, and "
            f"{these.against} of {against}. The difference of {difference} is {self._conclusion(these, digits)}."
        )
        yield f"On collections like these, the mean difference is {self._conclusion(like, digits)}."
        if n_collections > 1:
            yield f"If one collection is left out, the mean difference is between {least} and {greatest}."
        n_alike = n_collections - (these.better or 0) - (these.worse or 0)
        yield (
            f"{these.run} is significantly {up} on {these.better} and significantly {down} on {these.worse} of the "
            f"collections; no significant difference was found on {n_alike}. If significance is ignored, {these.run} "
            f"is {up} on {these.wins}, {down} on {these.losses} and equal on {these.ties} of the collections."
        )

    def _conclusion(self, row: ComparedPair, digits: int) -> str:
        """Return the result of the test of a mean difference with an interval, or the reason for the lack of a test."""
        fewest = collection_means.FEWEST_COLLECTIONS
        if row.differ is None and row.scope == THESE:
            return (
                "not tested, because a collection contains too few topics or clusters of topics, or the differences "
                "do not vary"
            )
        n_units = min(row.collections or 0, len({*self.families.values()}) or fewest)
        if row.differ is None and n_units >= fewest:
            return "not tested, because the mean differences are the same on all collections"
        if row.differ is None:
            return (
                f"not tested, because there are fewer than {fewest} collections{' or families' * bool(self.families)}"
            )
        if math.isnan(row.low):
            return "not statistically significant (all differences are 0)"
        low, high, p = (_number(value, digits) for value in (row.low, row.high, row.p))
        ends = f"{percent(1 - self.method.alpha)} t interval: {low} to {high}, p = {p}, {row.df:.4g} degrees of freedom"
        return f"{'' if row.differ else 'not '}statistically significant ({ends})"


def _number(value: float, digits: int) -> str:
    text = f"{value:.{digits}f}"
    return text.removeprefix("-") if float(text) == 0 else text


def compared_collections(
    collections: Sequence[CollectionInputs],
    measures: Any,
    baseline: str | Iterable[str] | None,
    *,
    by: str | None,
    families: ClustersInput | None,
    **options: Any,
) -> ComparedCollections:
    """Compare runs in each collection, and by means over the collections with results of both runs of a pair.

    ``options`` are clusters of topics and the options of ``TestedRuns.of``.
    """
    runs = list(dict.fromkeys(run for each in collections for run in runs_of(each)))
    baselines = baselines_named(baseline, runs, None, runs)
    bases = [runs[number_of_baseline(each, runs)] for each in baselines]
    pairs = [(run, base) for base in bases for run in runs if run not in bases] if bases else [*combinations(runs, 2)]
    method = Method(**{name: options.pop(name) for name in ("correction", "alpha") if name in options})
    options |= {"correction": "none", "alpha": method.alpha}

    def evaluate(collection: CollectionInputs) -> tuple[list[ComparedMeasure], tuple[str, ...]]:
        own = [base for base in bases if base in runs_of(collection)]
        tested = tested_in(collection, measures, own or None, "", **options)
        tested.warn_of_tests()
        without_documents = [
            replace(each, measured=replace(each.measured, coverage=None, top_coverage=None)) for each in tested.measures
        ]
        return without_documents, (*tested.notes, *tested.notes_on_dependence)

    usable = [each for each in collections if any({*pair} <= {*runs_of(each)} for pair in pairs)]
    if len(usable) < len(collections):
        left_out = first_names([each.name for each in collections if each not in usable], "collection")
        warn(f"collections with fewer than two runs to compare are left out: {left_out}")
    results, names = evaluated_each(usable, evaluate), [each.name for each in usable]
    if len(names) < collection_means.FEW_COLLECTIONS:
        warn(
            f"with fewer than {collection_means.FEW_COLLECTIONS} collections, the test on collections like these has "
            "little power, and the p-value is too small if a few collections have large differences"
        )
    of_families = {}
    if families is not None:
        of_families = cluster_of_topics(names, families, None, words=("families", "collection", "family"))
    by_measure: dict[str, dict[str, ComparedMeasure]] = {}
    for name, (compared, _) in zip(names, results, strict=True):
        for each in compared:
            by_measure.setdefault(each.name, {})[name] = each
    every = {measure: of for measure, of in by_measure.items() if len(of) == len(names)}
    if not every:
        problem = "have no measure in common" if names else "contain fewer than two runs to compare"
        raise ArgumentError(f"the collections {problem}")
    if lacking := [measure for measure in by_measure if measure not in every]:
        warn(f"measures that some collections lack are left out: {first_names(lacking, 'measure')}")
    rows = [_rows(pairs, of, of_families, method) for of in every.values()]
    notes = [(name, note) for name, (_, of) in zip(names, results, strict=True) for note in of]
    return ComparedCollections(
        measures=[of[names[0]] for of in every.values()],
        baselines=baselines,
        method=method,
        by=by,
        all_pairs=[row for part in zip(*rows, strict=True) for of_measure in part for row in of_measure],
        all_runs=[row for of in every.values() for row in _rows_on_runs(runs, of)],
        names=names,
        families=of_families,
        n_common=sum(len(each.runs) == len(runs) for each in next(iter(every.values())).values()),
        notes=merged_notes(names, notes),
    )


def merged_notes(names: Sequence[str], notes: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    """Merge notes of the same kind, given pairs of a collection and a note. Notes on numbers of topics are omitted."""
    others = ((name, note) for name, note in notes if not note.startswith("Topics: "))
    return tuple(one_of_each_kind(others, len(names), "note"))


def _rows(
    pairs: Sequence[tuple[str, str]],
    compared: Mapping[str, ComparedMeasure],
    families: Mapping[str, Hashable],
    method: Method,
) -> tuple[list[ComparedPair], list[ComparedPair]]:
    """Return the rows on means over collections, and the rows on each collection."""
    single, differences, clusters = list[ComparedPair](), dict[tuple[str, ...], FloatArray](), {}
    for name, of_measure in compared.items():
        clusters[name] = of_measure.comparisons.clusters
        for row, d in zip(of_measure.pairs, of_measure.comparisons.by_topic, strict=True):
            is_reversed = (row.run, row.against) not in pairs
            df = ClusterDesign(clusters[name]).freedom(d.size) if row.test == "t" else math.nan
            of_single = {"scope": SINGLE, "collection": name, "collections": 1, "topics": d.size, "df": df}
            single.append((reversed_pair(row) if is_reversed else row)._replace(**of_single))
            differences[single[-1].run, single[-1].against, name] = (-d if is_reversed else d)[np.newaxis]
    single = _corrected(sorted(single, key=lambda row: pairs.index((row.run, row.against))), method)
    direction = next(iter(compared.values())).measured.direction or 1
    means: dict[str, list[ComparedPair]] = {THESE: [], LIKE_THESE: []}
    for pair in pairs:
        rows = [row for row in single if (row.run, row.against) == pair]
        if not rows:
            warn(f"{pair[0]} and {pair[1]} are not compared, because no collection contains results of both runs")
            continue
        names, d = [row.collection for row in rows], [differences[(*pair, row.collection)] for row in rows]
        of_each = np.concatenate([each.mean(axis=1) for each in d])[np.newaxis]
        of_families = collection_means.families_of(families[name] for name in names) if families else None
        estimates = (
            collection_means.on_these_collections(d, [clusters[name] for name in names]),
            collection_means.on_collections_like_these(of_each, of_families),
        )
        [least], [greatest] = collection_means.without_one(of_each)
        gains, significant = (
            direction * without_noise(of_each),
            [direction * row.difference for row in rows if row.differ],
        )
        of_both = rows[0]._replace(
            collection="",
            collections=len(rows),
            topics=sum(each.size for each in d),
            mean=mean_over([row.mean for row in rows]),
            mean_against=mean_over([row.mean_against for row in rows]),
            effect_size=math.nan,
            wins=int((gains > 0).sum()),
            ties=int((gains == 0).sum()),
            losses=int((gains < 0).sum()),
            better=sum(gain > 0 for gain in significant),
            worse=sum(gain < 0 for gain in significant),
            test="t",
            least=float(least),
            greatest=float(greatest),
        )
        for (scope, of_scope), estimate in zip(means.items(), estimates, strict=True):
            numbers = (estimate.difference, *estimate.interval(method.alpha), estimate.freedom, estimate.p)
            named: dict[str, Any] = dict(zip(("difference", "low", "high", "df", "p"), numbers, strict=True))
            named = {name: float(of_pair[0]) for name, of_pair in named.items()}
            of_scope.append(of_both._replace(scope=scope, **named))
    both = zip(*(_corrected(rows, method) for rows in means.values()), strict=True)
    return [row for each in both for row in each], single


def _corrected(rows: Sequence[ComparedPair], method: Method) -> list[ComparedPair]:
    """Correct the p-values of all rows together. Undefined p-values are not changed."""
    corrected = corrected_where_defined(np.array([row.p for row in rows]), method).tolist()
    few = [(row.topics or 0) < FEW_TOPICS for row in rows]
    return [
        row._replace(corrected_p=p, differ=None if math.isnan(p) else p < method.alpha and not is_few)
        for row, p, is_few in zip(rows, corrected, few, strict=True)
    ]


def _rows_on_runs(runs: Sequence[str], compared: Mapping[str, ComparedMeasure]) -> Iterator[ComparedRun]:
    scores = {name: dict(zip(each.runs, each.scores, strict=True)) for name, each in compared.items()}
    first = next(iter(compared.values()))
    return rows_on_runs(runs, first.name, first.measured.direction, scores)


def rows_on_runs(
    runs: Sequence[str], measure: str, direction: int, scores: Mapping[str, Mapping[str, float]]
) -> Iterator[ComparedRun]:
    """Yield the mean of each run over the collections with all runs, and the value of the run in each collection.

    ``scores`` contains the values as ``{collection: {run: value}}``.
    """
    common = [of for of in scores.values() if len(of) == len(runs)]
    for name, of in {"": {run: mean_over([of[run] for of in common]) for run in runs if common}, **scores}.items():
        best = marked_as_best([of.get(run) for run in runs], direction)
        for place, run in enumerate(runs):
            if run in of:
                yield ComparedRun(run, measure, of[run], place in best, "", collection=name)


def table_of_runs(rows: Sequence[ComparedRun]) -> Table:
    """Return the displayed table of runs. The last column contains the means over collections."""
    labels = ("measure", "run") if len({row.measure for row in rows}) > 1 else ("run",)
    best = {"score": [number for number, row in enumerate(rows) if row.best]}
    wide = Table.of("runs", ComparedRun, rows, best=best).pivot(labels, "collection", "score", fits=True)
    names = [name for name in wide.columns[len(labels) :] if name]
    caption = ("mean: over the collections with results of all runs. {best}: the best value.",)
    last = ("",) * ("" in wide.columns)
    return wide.showing(*labels, *names, *last, caption=caption, optional=tuple(reversed(names))).in_words({"": "mean"})
