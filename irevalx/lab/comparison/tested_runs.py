"""Evaluated and compared runs, from which the functions of the package derive their results."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import compress
from typing import Any

from irevalx.api.inputs import Qrels
from irevalx.api.scores import Scores, paths_of
from irevalx.errors import warn_each
from irevalx.experiments.measured_runs import measure_runs
from irevalx.experiments.ranked_runs import EvaluationRules, RankedRuns
from irevalx.experiments.seeds_and_shares import chosen_seed
from irevalx.experiments.topic_clusters import ClustersInput, notes_on_dependence, with_clusters
from irevalx.frozen import Frozen, fields, replace
from irevalx.lab.comparison.cautions import ALL_RELEVANT, bounds_of, unjudged_cautions, without_coverage
from irevalx.lab.comparison.comparison_options import baseline_named, baselines_named
from irevalx.lab.comparison.pairs import ComparedMeasure
from irevalx.lab.comparison.replicates import compared_measures, systems_of_runs
from irevalx.lab.comparison.warnings import comparison_warnings
from irevalx.settings import NAME_STYLES
from irevalx.statistics.paired_comparisons import Comparisons, Method
from irevalx.wording import spelled


class TestedRuns(Frozen, kw_only=True):
    """The comparisons of runs, or of systems, in each measure."""

    measures: Sequence[ComparedMeasure]
    untested: Sequence[ComparedMeasure]
    """The measures that describe the judgments, which are not tested."""
    baselines: tuple[str, ...]
    method: Method
    notes: tuple[str, ...]
    ranked: RankedRuns | None
    """The ranked runs, or None if the values come from score files."""
    threads: int
    missing: Mapping[str, frozenset[str]] = {}
    """A dictionary that maps each run to the evaluated topics for which it has no results."""
    has_clusters: bool = False
    """Whether clusters of topics were specified, even if each topic is a cluster of its own."""

    @classmethod
    def of(
        cls,
        qrels: Any,
        runs: Any,
        measures: Any,
        baseline: str | Iterable[str] | None,
        single: str = "",
        *,
        topics_of_baseline: bool = False,
        clusters: ClustersInput | None = None,
        cluster_by: str | None = None,
        names: str = NAME_STYLES[0],
        systems: Any = None,
        system_by: str | None = None,
        seed: int | None = None,
        **options: Any,
    ) -> TestedRuns:
        """Evaluate and compare runs. ``TestOptions`` describes the keyword arguments.

        ``single`` is the name of a parameter that requires a single baseline, or "" if there is no such parameter. If
        both ``topics_of_baseline`` and ``complete`` are true, topics for which the baseline has no results are
        excluded.
        """
        if isinstance(qrels, Qrels) and options.get("grades", "whole") == "whole":
            options["grades"] = qrels.grades
        how = {name: options.pop(name) for name in fields(Method) if name in options}
        sources = paths_of(qrels) if isinstance(qrels, Scores) else runs
        method, rules = Method(**how, seed=chosen_seed(seed)), EvaluationRules.of(**options)
        if topics_of_baseline and isinstance(baseline, str):
            rules = replace(rules, baseline_of=partial(baseline_named, baseline, sources=sources))
        given = measure_runs(qrels, runs, measures, ("map",), rules, as_requested=names == "asked")
        measured = systems_of_runs(with_clusters(given.measures, clusters, cluster_by), systems, system_by)
        baselines = baselines_named(baseline, given.measures[0].runs, sources, measured[0].runs, single)
        every = compared_measures(measured, baselines, method, rules.threads)
        tested, untested, on_untested = without_coverage(every)
        coverage = measured[0].coverage
        all_relevant = [ALL_RELEVANT] if coverage is not None and coverage.of_relevant_only else []
        return cls(
            measures=tested,
            untested=untested,
            baselines=baselines,
            method=method,
            notes=(*given.notes, *_without_relevant(given.ranked), *on_untested, *all_relevant),
            ranked=given.ranked,
            threads=rules.threads,
            missing=given.missing,
            has_clusters=clusters is not None or cluster_by is not None,
        )

    @property
    def notes_on_dependence(self) -> tuple[str, ...]:
        """A note on the clusters that topic IDs suggest, or an empty tuple if the IDs suggest no clusters.

        If the differences depend on these clusters, a warning is issued instead.
        """
        measured = [of_measure.measured for of_measure in self.measures]
        if self.has_clusters or any(values.replicates for values in measured):
            return ()
        return notes_on_dependence(measured, self.measures[0].comparisons.pairs)

    def warn_of_tests(self, *kinds: Callable[[Comparisons, str], Iterable[str]]) -> None:
        """Warn about unreliable tests and about unjudged documents. The functions ``kinds`` return further warnings."""
        warn_each(
            line
            for of_measure in self.measures
            for lines in (comparison_warnings, *kinds)
            for line in lines(of_measure.comparisons, of_measure.name)
        )
        self.warn_of_unjudged()

    def warn_of_unjudged(self, changes: Sequence[Sequence[str]] | None = None) -> None:
        """Warn about conclusions or verdicts that depend on unjudged documents. See ``unjudged_cautions``."""
        warn_each(unjudged_cautions(self.measures, changes, bounds_of(self.ranked, self.threads), self.ranked))


def _without_relevant(ranked: RankedRuns | None) -> list[str]:
    """Return a note on the number of compared topics without a relevant document, or an empty list."""
    lacks = None if ranked is None else ranked.judgments.without(ranked.level, relevant=True)
    if ranked is None or lacks is None:
        return []
    places = frozenset(ranked.topics)
    n_without = sum(topic in places for topic in compress(ranked.judgments.documents.topics, lacks.tolist()))
    if not n_without:
        return []
    has = "has" if n_without == 1 else "have"
    return [
        f"{n_without} of the {len(places)} topics {has} no relevant document ({spelled('level', ranked.level)}); "
        "measures such as map are 0 for such topics."
    ]
