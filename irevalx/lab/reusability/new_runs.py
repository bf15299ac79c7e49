"""Estimates of the bias against runs that were not pooled, from leaving out groups of pooled runs.

docs/reusability.md reports how often the intervals cover the true bias.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from irevalx.arrays.codes import ABSENT
from irevalx.arrays.segments import BoolArray, FloatArray, IntArray
from irevalx.errors import InputError, UsageError, shown_name, warn
from irevalx.experiments.labels import places_of
from irevalx.experiments.pools import first_documents, in_pool
from irevalx.experiments.prepared_runs import PreparedGradedRuns
from irevalx.experiments.ranked_runs import GradedRuns
from irevalx.experiments.run_groups import UniqueDocuments, holes_of_runs, removals
from irevalx.experiments.weighted_measures import ALL_RANKS, weighted_among
from irevalx.frozen import Frozen, cached_property, replace
from irevalx.judgments.graded import Judgments
from irevalx.judgments.pool import PooledDocuments, with_pool
from irevalx.lab.command.common_options import WITHOUT_POOLED_RUNS
from irevalx.lab.reusability.new_run_results import (
    CANNOT_TELL,
    COVERAGE_DEPTH,
    FAIR,
    CoverageRow,
    NewRun,
    NewRuns,
    verdict_on,
)
from irevalx.lab.reusability.results import LeftOutRuns
from irevalx.lab.score_bounds.extremes import WeightedScores
from irevalx.lab.score_bounds.relevance_models import FittedRelevance, judged_depth
from irevalx.measures.selection import RequestedMeasure
from irevalx.ranking.rules import RankingRules
from irevalx.reading.kinds.runs import RunStream
from irevalx.statistics.significance import generator, without_noise
from irevalx.wording import spelled

DRAWS = 1000
"""The default number of times that judgments are drawn at random."""

CONFIRMED = frozenset({"P", "Rprec", "bpref", "infAP", "map", "ndcg", "ndcg_cut", "rbp"})
"""The measures for which simulations confirm that the intervals cover the bias (docs/reusability.md). There are no
estimates for other measures."""

MOST_UNJUDGED_OF_POOLED = 0.1
"""The largest share of unjudged documents in pooled runs for which the bias is estimated (docs/reusability.md)."""

_QUANTILES = (50.0, 2.5, 97.5)
"""The percentiles over random draws that give the estimate and the bounds of its interval."""


class BiasDraws(Frozen):
    """The parameters for estimating the bias of new runs. All groups and measures share the random numbers."""

    tolerance: float
    n: int
    seed: int


def with_new_runs(
    pooled: PreparedGradedRuns,
    new: Sequence[RunStream],
    depth: int,
    groups_of: Callable[[Sequence[str]], list[str]],
    draws: BiasDraws,
) -> LeftOutRuns:
    """Assess new runs. ``depth`` is the pool depth, and the function ``groups_of`` returns the group of each run."""
    if len(pooled.runs) < 2:
        given = f"only {shown_name(pooled.runs[0].path)}" if pooled.runs else "none"
        raise UsageError(
            f"{spelled('new_runs')} requires all runs that were pooled, at least two (four groups of runs to estimate "
            f"a bias), but {given} is given. {WITHOUT_POOLED_RUNS}"
        )
    prepared, topics = with_first_of(pooled, new, depth)
    experiment = prepared.ranked()
    groups, n_pooled = groups_of(experiment.runs), len(experiment.runs) - len(new)
    both = PooledAndNew(
        experiment=experiment,
        n_pooled=n_pooled,
        groups=groups,
        given=places_of(experiment.judgments, pooled.judgments) != ABSENT,
        depth=depth,
        n_other_topics=len(topics.difference(experiment.topics)),
    )
    ranking = RankingRules.of(pooled.rules.settings)
    numbers = {
        name: _n_unjudged(pooled.judgments, [prepared.runs[r] for r in group.tolist()], depth, ranking)
        for name, group in both.new_groups.items()
    }
    assessed, notes = replace(both.assessed(draws), to_list=numbers), experiment.notes()
    left_out = both.removals
    return LeftOutRuns(both.pooled, groups[:n_pooled], left_out, "new runs", new=assessed, seed=draws.seed, notes=notes)


def with_first_of(
    pooled: PreparedGradedRuns, new: Sequence[RunStream], depth: int
) -> tuple[PreparedGradedRuns, frozenset[bytes]]:
    """Add the new runs, and add their top documents to the judgments, to the depth of the pool and of the measures.

    Return all prepared runs, and the topics of the new runs.
    """
    known, settings = pooled.judgments.grades[pooled.judgments.grades >= 0], pooled.rules.settings
    depths = [measure.depth or ALL_RANKS for measure in weighted_among(pooled.requests, settings.level, known)]
    depths += cutoffs_of(pooled.requests).values()
    ranking = RankingRules.of(settings)
    first = [part for run in new for part in first_documents(run, max(depth, *depths, 1), ranking)]
    judgments = with_pool(pooled.judgments, PooledDocuments.joined("", first))
    topics = frozenset(topic for part in first for topic in part.topics)
    return replace(pooled, judgments=judgments, runs=[*pooled.runs, *new]), topics


def _n_unjudged(judgments: Judgments, runs: Sequence[RunStream], depth: int, ranking: RankingRules) -> int:
    """Count the unjudged documents in the top documents of runs, over all topics."""
    pool = PooledDocuments.joined("", [part for run in runs for part in first_documents(run, depth, ranking)])
    return len({*pool.pairs()}) - int((in_pool(judgments, pool) & (judgments.grades >= 0)).sum())


def cutoffs_of(requests: Sequence[RequestedMeasure]) -> dict[str, int]:
    """Return the rank cutoff of each measure that has a cutoff."""
    return {name: cutoff for request in requests for name, cutoff in request.cutoffs.items()}


class PooledAndNew(Frozen, kw_only=True):
    """Pooled and new runs, which are ranked together."""

    experiment: GradedRuns  # all runs, the pooled runs first; the judgments contain the top documents of new runs
    n_pooled: int
    groups: Sequence[str]
    given: BoolArray  # whether the original judgments contain each document
    depth: int  # the pool depth
    n_other_topics: int = 0  # number of topics of new runs that are not evaluated

    @cached_property
    def pooled(self) -> GradedRuns:
        """The runs that contributed to the pool."""
        return self.experiment.of_runs(np.arange(self.n_pooled))

    @cached_property
    def removals(self) -> list[UniqueDocuments]:
        """The unique documents of each group of pooled runs."""
        return list(removals(self.pooled, self.groups[: self.n_pooled], self.depth))

    @cached_property
    def judged_depth(self) -> int:
        """The depth to which the pooled runs are judged."""
        return judged_depth(self.pooled, MOST_UNJUDGED_OF_POOLED)

    @property
    def is_too_deep(self) -> bool:
        """Whether the pooled runs are judged to a smaller depth than ``depth``."""
        return self.judged_depth < min(self.depth, int(self.pooled.ranking.n_ret.max(initial=0)))

    @cached_property
    def new(self) -> GradedRuns:
        """The runs that were not pooled."""
        return self.experiment.of_runs(np.arange(self.n_pooled, len(self.groups)))

    @property
    def new_groups(self) -> dict[str, IntArray]:
        """The indices of the new runs in each group."""
        new = self.groups[self.n_pooled :]
        return {
            name: np.array([self.n_pooled + place for place, group in enumerate(new) if group == name])
            for name in dict.fromkeys(new)
        }

    def assessed(self, draws: BiasDraws) -> NewRuns:
        """Assess the new runs. Warn about estimates that are unreliable."""
        biases = {name: GroupBias.of(self, group, draws) for name, group in self.new_groups.items()}
        coverage = self._coverage()
        self._warn(coverage, [name for name, bias in biases.items() if bias.estimates])
        deeper = self._deeper_cutoffs()
        rows = [
            row._replace(verdict=CANNOT_TELL) if (row.run, row.measure) in deeper else row
            for row in self._rows(biases, draws.tolerance)
        ]
        return NewRuns(
            rows=rows,
            coverage=coverage,
            depth=self.depth,
            tolerance=draws.tolerance,
            reasons={
                (group, measure): bias.why_not(request, self.new.level)
                for group, bias in biases.items()
                for request in self.new.requests
                for measure in request.names
            },
            deeper=deeper,
            judged_depth=self.judged_depth,
            notes=self._notes(),
        )

    def _deeper_cutoffs(self) -> dict[tuple[str, str], int]:
        """Return ``{(run, measure): cutoff}`` for cutoffs that exceed the pool depth.

        A run is included only if it has unjudged documents between the pool depth and the cutoff.
        """
        unjudged = ~self.given | (self.experiment.grades < 0)
        deeper: dict[tuple[str, str], int] = {}
        for name, cutoff in cutoffs_of(self.new.requests).items():
            if cutoff <= self.depth:
                continue
            used = self.experiment.retrieved_within(cutoff)
            for group in self.new_groups.values():
                considered = self.experiment.retrieved_within(self.depth)[group].any(axis=0)
                beyond = (used[group] & unjudged & ~considered).any(axis=1)
                deeper |= {(self.experiment.runs[r], name): cutoff for r in group[beyond].tolist()}
        return deeper

    def _notes(self) -> list[str]:
        outside = self.new.retrieved_within(self.depth).any(axis=0) & ~self.given
        infap = [name for name in self.new.measures if name.partition(".")[0] == "infAP"]
        equals = "equals map for runs whose unjudged documents were not pooled, so it does not correct their bias."
        others = (
            f"Topics of the new runs that are not evaluated: {self.n_other_topics}. Their documents are also listed "
            "for judging."
        )
        return [*(f"{name} {equals}" for name in infap if outside.any()), *([others] if self.n_other_topics else [])]

    def _rows(self, biases: Mapping[str, GroupBias], tolerance: float) -> list[NewRun]:
        new, groups = self.new, self.groups[self.n_pooled :]
        score, ends = new.scores(new.values(None, self.given)), _bounds(new)
        condensed = _condensed(new, self.given)
        return [
            NewRun(
                run,
                groups[r],
                measure,
                float(score[m, r]),
                condensed[measure][r] if measure in condensed else None,
                *(ends[measure][r] if measure in ends else (None, None)),
                **biases[groups[r]].columns(measure, run, tolerance),
            )
            for m, measure in enumerate(new.measures)
            for r, run in enumerate(new.runs)
        ]

    def _coverage(self) -> list[CoverageRow]:
        """Return the shares of unjudged documents of new runs, and of pooled runs whose groups are left out."""

        def without(removal: UniqueDocuments, grades: IntArray) -> tuple[IntArray, BoolArray]:
            return grades, self.given & ~removal.removed

        shares = []
        for depth in (COVERAGE_DEPTH, self.depth):
            new = self.new.with_measures((f"unj.{depth}",))
            of_new = new.scores(new.values(None, self.given))[0]
            shares.append([*of_new.tolist(), *holes_of_runs(self.pooled, self.removals, depth, without).tolist()])
        names = [*self.new.runs, *self.pooled.runs]
        groups = [*self.groups[self.n_pooled :], *self.groups[: self.n_pooled]]
        return [
            CoverageRow(run=run, group=group, is_new=place < len(self.new.runs), unjudged_10=first, unjudged_k=in_pool)
            for place, (run, group, first, in_pool) in enumerate(zip(names, groups, *shares, strict=True))
        ]

    def _warn(self, coverage: Sequence[CoverageRow], estimated: Sequence[str]) -> None:
        if self.is_too_deep:
            least = max(self.judged_depth, 1)
            deeper = [name for name, cutoff in cutoffs_of(self.new.requests).items() if cutoff > least]
            use = f"use measures with cutoffs of at most {least} instead of {', '.join(deeper)}" if deeper else ""
            warn(
                f"no bias is estimated, because the pooled runs are judged only to depth {self.judged_depth} (more "
                f"than {MOST_UNJUDGED_OF_POOLED:.0%} of their first {self.depth} documents are unjudged): "
                f"{use or 'use ' + spelled('depth', least)}, and give runs that were not pooled with "
                f"{spelled('new_runs')}"
            )
        most = max(run.unjudged_k for run in coverage if not run.is_new)
        for run in coverage:
            if run.is_new and run.unjudged_k > most and run.group in estimated:
                warn(
                    f"{run.run}: {run.unjudged_k:.1%} of its first {self.depth} documents are unjudged, compared with "
                    f"at most {most:.1%} for a pooled run that is left out; the interval of its bias is an "
                    "extrapolation"
                )


class GroupBias(Frozen, kw_only=True):
    """The estimated bias against the new runs of one group."""

    to_judge: int  # number of unjudged documents in the top documents of the group's runs
    estimates: Mapping[tuple[str, str], tuple[float, float, float]] = {}  # bias and interval bounds, by measure and run
    problem: str = ""  # the reason why there is no estimate for any measure

    @classmethod
    def of(cls, runs: PooledAndNew, group: IntArray, draws: BiasDraws) -> GroupBias:
        """Estimate the bias against the runs with the indices ``group`` by drawing judgments at random."""
        members = runs.experiment.of_runs(group)
        unjudged: BoolArray = members.retrieved_within(runs.depth).any(axis=0) & (members.grades < 0)
        to_judge = int(unjudged.sum())
        requests = tuple(request for request in members.requests if not _why_not(request, members.level))
        if to_judge and runs.is_too_deep:
            return cls(to_judge=to_judge, problem=f"the pooled runs are judged only to depth {runs.judged_depth}")
        if not to_judge or not requests:
            return cls(to_judge=to_judge)
        fitted_to = runs.experiment.of_runs(np.append(np.arange(runs.n_pooled), group))
        members = replace(members, requests=requests)
        try:
            model = FittedRelevance(fitted_to, int(members.level))
            factor, p = model.factor([removal.removed for removal in runs.removals]), model.fit().probability[unjudged]
        except InputError as error:
            return cls(to_judge=to_judge, problem=error.message)
        factors = factor.drawn(generator(draws.seed), draws.n)
        drawn = _drawn_biases(members, runs.given, unjudged, p, factors, draws.seed)
        ends = without_noise(np.percentile(drawn, _QUANTILES, axis=0))
        estimates = {
            (measure, run): tuple(ends[:, m, r].tolist())
            for m, measure in enumerate(members.measures)
            for r, run in enumerate(members.runs)
        }
        return cls(to_judge=to_judge, estimates=estimates)

    def why_not(self, request: RequestedMeasure, level: float) -> str:
        """Return the reason why a measure has no estimate, or "" if it has an estimate or needs none."""
        return (self.problem or _why_not(request, level)) if self.to_judge else ""

    def columns(self, measure: str, run: str, tolerance: float) -> dict[str, Any]:
        """Return the fields of a row that describe the bias of a run in a measure."""
        if not self.to_judge:
            return {"bias": 0.0, "bias_low": None, "bias_high": None, "verdict": FAIR, "to_judge": 0}
        bias, low, high = self.estimates.get((measure, run), (None, None, None))
        verdict = verdict_on(None if low is None or high is None else (low, high), tolerance)
        return {"bias": bias, "bias_low": low, "bias_high": high, "verdict": verdict, "to_judge": self.to_judge}


def _why_not(request: RequestedMeasure, level: float) -> str:
    """Return the reason why the bias in a measure cannot be estimated at a level, or "" if it can be estimated."""
    if request.level not in {None, level}:
        return f"{request.names[0]} does not use {spelled('level')}"
    if request.measure.name not in CONFIRMED or request.treatment != "nonrel":
        return f"simulations have not confirmed intervals of the bias of {request.names[0]}"
    return ""


def _drawn_biases(
    members: GradedRuns, given: BoolArray, unjudged: BoolArray, p: FloatArray, factors: FloatArray, seed: int
) -> FloatArray:
    """Draw judgments of unjudged documents at random. Return the scores minus the scores under drawn judgments.

    The shape is (n_draws, n_measures, n_runs).
    """
    random, pooled, grades = generator(seed, 1), given | unjudged, members.grades.copy()
    now, biases = members.values(None, given), []
    for factor in factors.tolist():
        relevant = random.random(p.size) < factor * p
        grades[unjudged] = np.where(relevant, int(members.level), 0)  # the lowest grade that is relevant
        then = members.values(grades, pooled)
        lacking = np.isnan(now) | np.isnan(then)  # topics without a value under one of the judgments are excluded
        before, after = (np.where(lacking, np.nan, values) for values in (now, then))
        biases.append(members.scores(before) - members.scores(after))
    return np.array(biases)


def _condensed(new: GradedRuns, given: BoolArray) -> dict[str, list[float]]:
    """Return the scores with unjudged documents skipped, for each measure.

    Measures that do not support this treatment of unjudged documents are omitted.
    """
    requests = tuple(
        replace(request, treatment="skip")
        for request in new.requests
        if request.treatment == "nonrel" and "skip" in request.measure.treatments
    )
    if not requests:
        return {}
    skipping = replace(new, requests=requests)
    return dict(zip(skipping.measures, skipping.scores(skipping.values(None, given)).tolist(), strict=True))


def _bounds(new: GradedRuns) -> dict[str, list[tuple[float, float]]]:
    """Return the lowest and the highest possible score of each run, for each measure.

    Measures without proven bounds are omitted.
    """
    known = new.grades[new.grades >= 0]
    bounds = {}
    for measure in weighted_among(new.requests, new.level, known):
        scores = WeightedScores(new, measure)
        bounds[measure.name] = [scores.bounds((r, None)).means[1:] for r in range(len(new.runs))]
    return bounds
