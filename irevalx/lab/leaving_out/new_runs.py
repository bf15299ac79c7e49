"""Runs that were not pooled: the bias to expect of their scores, estimated from pooled groups that are left out.

docs/incomplete-judgments.md says how often the intervals cover the true bias.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from irevalx.api.inputs import Qrels, Runs
from irevalx.api.own_measures import Measures
from irevalx.api.user_warnings import warn
from irevalx.arrays.codes import ABSENT
from irevalx.arrays.segments import BoolArray, FloatArray, IntArray
from irevalx.errors import InputError, UsageError
from irevalx.experiments.experiment import Experiment
from irevalx.experiments.label_files import places_of
from irevalx.experiments.pools import first_documents
from irevalx.experiments.ranked_runs import requests_of
from irevalx.experiments.run_groups import Removal, holes_of_runs, removals
from irevalx.experiments.user_data import Evaluating, OpenedRuns, experiment_of, measures_of, opened_runs
from irevalx.experiments.weighted_measures import WeightedMeasure, weighted_measures
from irevalx.frozen import Frozen, cached_property, replace
from irevalx.judgments.graded import Judgments
from irevalx.judgments.pool import Pool, with_pool
from irevalx.lab.bounding.fitted_relevance import (
    MOST_UNJUDGED,
    FittedRelevance,
    judged_depth,
)
from irevalx.lab.bounding.score_bounds import WeightedScores
from irevalx.lab.leaving_out.left_out_runs import LeftOutRuns
from irevalx.lab.leaving_out.new_run_verdicts import COVERAGE_DEPTH, FAIR, Coverage, NewRun, NewRuns, verdict_on
from irevalx.measures.select import RequestedMeasure
from irevalx.settings import Settings
from irevalx.statistics.significance import generator, without_noise

if TYPE_CHECKING:
    from typing_extensions import Unpack

_ALL = int(np.iinfo(np.int64).max)
"""The depth of a measure for which all documents of a run count."""

DRAWS = 1000
"""How often judgments are drawn by default."""

_QUANTILES = (50.0, 2.5, 97.5)
"""The estimate and the ends of its interval."""


def bounded(request: RequestedMeasure, level: float, grades: IntArray) -> list[WeightedMeasure]:
    """Return the measures of which ``bounds`` has proven bounds; none if the request is no sum over ranks.

    Parameters
    ----------
    grades : of the judged documents.
    """
    try:
        return weighted_measures([request], level, set(grades.tolist()), int(grades.max(initial=0)))
    except UsageError:
        return []


class BiasDraws(Frozen):
    """How the bias of new runs is estimated and judged.

    Parameters
    ----------
    tolerance : the bias that is tolerated.
    n : how many draws of judgments.
    seed : of the draws; all groups and measures have the same random numbers.
    """

    tolerance: float
    n: int
    seed: int


class AddedRuns(Frozen, kw_only=True):
    """New runs read beside the pooled ones.

    Parameters
    ----------
    given : the judgments that were given.
    judgments : the same, with the documents of the new runs that count among the unjudged ones.
    runs : the pooled ones first.
    n_new : how many are new.
    depth : of the pool.
    topics : those that new runs have results for.
    """

    given: Judgments
    judgments: Judgments
    runs: OpenedRuns
    n_new: int
    depth: int
    topics: frozenset[bytes]

    @classmethod
    def of(cls, judgments: Judgments, pooled: Runs, new: Runs, measures: Measures, level: int, depth: int) -> AddedRuns:
        """Read new runs, to the depth of the pool and of measures that are bounded; raises as ``opened_runs`` does."""
        of_pool, added = opened_runs(pooled), opened_runs(new)
        requests = requests_of(measures_of(measures), Settings(level=level))
        known = judgments.grades[judgments.grades >= 0]
        depths = [one.depth or _ALL for request in requests for one in bounded(request, level, known)]
        first = [first_documents(part, max(depth, *depths, 1)) for run in added.runs for part in run.results()]
        return cls(
            given=judgments,
            judgments=with_pool(judgments, Pool.joined("", first)),
            runs=OpenedRuns([*of_pool.runs, *added.runs], [*of_pool.names, *added.names]),
            n_new=len(added.runs),
            depth=depth,
            topics=frozenset(topic for part in first for topic in part.topics),
        )


def with_new_runs(
    added: AddedRuns,
    measures: Measures,
    groups_of: Callable[[Sequence[str]], list[str]],
    draws: BiasDraws,
    **options: Unpack[Evaluating],
) -> LeftOutRuns:
    """Return what new runs lose by not having been pooled.

    Parameters
    ----------
    groups_of : the groups of runs by name.
    """
    experiment = experiment_of(Qrels(added.judgments), added.runs, measures, **options)
    groups, n_pooled = groups_of(experiment.runs), len(experiment.runs) - added.n_new
    pooled = experiment.of_runs(np.arange(n_pooled))
    each = list(removals(pooled, groups[:n_pooled], added.depth))
    both = PooledAndNew(
        experiment=experiment,
        n_pooled=n_pooled,
        groups=groups,
        given=places_of(experiment.judgments, added.given) != ABSENT,
        removals=each,
        depth=added.depth,
        n_other_topics=len(added.topics.difference(experiment.topics)),
    )
    new, notes = both.assessed(draws), experiment.notes()
    return LeftOutRuns(pooled, groups[:n_pooled], each, "new runs", new=new, seed=draws.seed, notes=notes)


class PooledAndNew(Frozen, kw_only=True):
    """Pooled and new runs that are ranked together.

    Parameters
    ----------
    experiment : all runs, the pooled ones first. Its judgments hold the documents of new runs that count, too.
    n_pooled : how many runs were pooled.
    groups : the group of each run.
    given : flat over the judgments; false for documents that only the new runs have brought in.
    removals : what each group of pooled runs takes with it.
    depth : of the pool.
    n_other_topics : how many topics of new runs are not evaluated.
    """

    experiment: Experiment
    n_pooled: int
    groups: Sequence[str]
    given: BoolArray
    removals: Sequence[Removal]
    depth: int
    n_other_topics: int = 0

    @cached_property
    def pooled(self) -> Experiment:
        """The pooled runs."""
        return self.experiment.of_runs(np.arange(self.n_pooled))

    @cached_property
    def new(self) -> Experiment:
        """The new runs."""
        return self.experiment.of_runs(np.arange(self.n_pooled, len(self.groups)))

    @property
    def new_groups(self) -> dict[str, IntArray]:
        """The places of the new runs of each group."""
        new = self.groups[self.n_pooled :]
        return {
            name: np.array([self.n_pooled + place for place, group in enumerate(new) if group == name])
            for name in dict.fromkeys(new)
        }

    def assessed(self, draws: BiasDraws) -> NewRuns:
        """Return the new runs; warns of what makes the estimates doubtful."""
        biases = {name: GroupBias.of(self, group, draws) for name, group in self.new_groups.items()}
        coverage = self._coverage()
        self._warn(coverage, [name for name, one in biases.items() if one.estimates])
        return NewRuns(
            rows=self._rows(biases, draws.tolerance),
            coverage=coverage,
            depth=self.depth,
            tolerance=draws.tolerance,
            reasons={
                (name, measure): one.why_not(measure) for name, one in biases.items() for measure in self.new.measures
            },
            notes=self._notes(),
        )

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
        rows = []
        for m, measure in enumerate(new.measures):
            for r, run in enumerate(new.runs):
                about: dict[str, Any] = {
                    "run": run,
                    "group": groups[r],
                    "measure": measure,
                    "score": float(score[m, r]),
                }
                least, greatest = ends.get(measure, [(None, None)] * len(new.runs))[r]
                skipped = condensed[measure][r] if measure in condensed else None
                bias = biases[groups[r]].columns(measure, run, tolerance)
                rows.append(NewRun(**about, condensed=skipped, least=least, greatest=greatest, **bias))
        return rows

    def _coverage(self) -> list[Coverage]:
        """Return the shares of unjudged documents of new runs, and of pooled runs when their groups are left out."""

        def without(removal: Removal, grades: IntArray) -> tuple[IntArray, BoolArray]:
            return grades, self.given & ~removal.removed

        shares = []
        for depth in (COVERAGE_DEPTH, self.depth):
            new = self.new.with_measures((f"unj.{depth}",))
            of_new = new.scores(new.values(None, self.given))[0]
            shares.append([*of_new.tolist(), *holes_of_runs(self.pooled, self.removals, depth, without).tolist()])
        names = [*self.new.runs, *self.pooled.runs]
        groups = [*self.groups[self.n_pooled :], *self.groups[: self.n_pooled]]
        return [
            Coverage(run=run, group=group, is_new=place < len(self.new.runs), unjudged_10=first, unjudged_k=in_pool)
            for place, (run, group, first, in_pool) in enumerate(zip(names, groups, *shares, strict=True))
        ]

    def _warn(self, coverage: Sequence[Coverage], estimated: Sequence[str]) -> None:
        reached = judged_depth(self.pooled)
        if reached < min(self.depth, int(self.pooled.ranking.n_ret.max(initial=0))):
            warn(
                f"the pooled runs are judged only to depth {reached} (more than {MOST_UNJUDGED:.0%} of their first "
                f"{self.depth} documents are unjudged): use --depth {max(reached, 1)}, and give runs that were not "
                "pooled with --new-run"
            )
        most = max(one.unjudged_k for one in coverage if not one.is_new)
        for one in coverage:
            if one.is_new and one.unjudged_k > most and one.group in estimated:
                warn(
                    f"{one.run}: {one.unjudged_k:.1%} of its first {self.depth} documents are unjudged, compared with "
                    f"at most {most:.1%} for a pooled run that is left out; the interval of its bias is an "
                    "extrapolation"
                )


class GroupBias(Frozen, kw_only=True):
    """The bias of the runs of a new group.

    Parameters
    ----------
    to_judge : how many documents among the first ones of its runs are unjudged.
    estimates : by measure and run, the bias and the ends of its interval.
    problem : why there is none for any measure.
    """

    to_judge: int
    estimates: Mapping[tuple[str, str], tuple[float, float, float]] = {}
    problem: str = ""

    @classmethod
    def of(cls, runs: PooledAndNew, group: IntArray, draws: BiasDraws) -> GroupBias:
        """Draw what the group loses by not having been pooled.

        Parameters
        ----------
        group : the places of its runs.
        """
        members = runs.experiment.of_runs(group)
        unjudged: BoolArray = members.retrieved_within(runs.depth).any(axis=0) & (members.grades < 0)
        to_judge = int(unjudged.sum())
        requests = tuple(one for one in members.requests if one.level in {None, members.level})
        if not to_judge or not requests:
            return cls(to_judge=to_judge)
        fitted_to = runs.experiment.of_runs(np.append(np.arange(runs.n_pooled), group))
        found_alone = [removal.removed for removal in runs.removals]
        asked = replace(members, requests=requests)
        try:
            model = FittedRelevance(fitted_to, int(members.level))
            factor, p = model.factor(found_alone), model.fit().probability[unjudged]
        except InputError as error:
            return cls(to_judge=to_judge, problem=error.message)
        factors = factor.drawn(generator(draws.seed), draws.n)
        drawn = _drawn_biases(asked, runs.given, unjudged, p, factors, draws.seed)
        ends = without_noise(np.percentile(drawn, _QUANTILES, axis=0))
        estimates = {
            (measure, run): tuple(ends[:, m, r].tolist())
            for m, measure in enumerate(asked.measures)
            for r, run in enumerate(asked.runs)
        }
        return cls(to_judge=to_judge, estimates=estimates)

    def why_not(self, measure: str) -> str:
        """Return why there is no estimate for a measure; empty if there is one, or none is needed."""
        if not self.to_judge or any(name == measure for name, _ in self.estimates):
            return ""
        return self.problem or f"{measure} does not use the relevance level of -l"

    def columns(self, measure: str, run: str, tolerance: float) -> dict[str, Any]:
        """Return what a row of ``NewRun`` has of it."""
        bias, low, high = self.estimates.get((measure, run), (None, None, None))
        if not self.to_judge:
            return {"bias": 0.0, "bias_low": None, "bias_high": None, "verdict": FAIR, "to_judge": 0}
        verdict = verdict_on(None if low is None or high is None else (low, high), tolerance)
        return {"bias": bias, "bias_low": low, "bias_high": high, "verdict": verdict, "to_judge": self.to_judge}


def _drawn_biases(
    members: Experiment, given: BoolArray, unjudged: BoolArray, p: FloatArray, factors: FloatArray, seed: int
) -> FloatArray:
    """Return the scores of runs less their scores when unjudged documents get judgments that are drawn.

    Topics that have no value under one of the two are left out. A relevant document gets the least relevant grade.

    Parameters
    ----------
    p : the fitted probabilities of the unjudged documents.
    factors : on these, shape (n_draws,).

    Returns
    -------
    Shape (n_draws, n_measures, n_runs).
    """
    random, pooled, grades = generator(seed, 1), given | unjudged, members.grades.copy()
    now, found = members.values(None, given), []
    for factor in factors.tolist():
        relevant = random.random(p.size) < factor * p
        grades[unjudged] = np.where(relevant, int(members.level), 0)
        then = members.values(grades, pooled)
        lacking = np.isnan(now) | np.isnan(then)
        before, after = (np.where(lacking, np.nan, values) for values in (now, then))
        found.append(members.scores(before) - members.scores(after))
    return np.array(found)


def _condensed(new: Experiment, given: BoolArray) -> dict[str, list[float]]:
    """Return by measure the scores if unjudged documents are skipped, for measures that have this reading."""
    requests = tuple(one for one in new.requests if one.reading == "nonrel" and "skip" in one.measure.readings)
    if not requests:
        return {}
    skipping = replace(new, requests=tuple(replace(one, reading="skip") for one in requests))
    return dict(zip(skipping.measures, skipping.scores(skipping.values(None, given)).tolist(), strict=True))


def _bounds(new: Experiment) -> dict[str, list[tuple[float, float]]]:
    """Return by measure the least and the greatest score of each run, for measures with proven bounds."""
    known = new.grades[new.grades >= 0]
    found = {}
    for request in new.requests:
        for measure in bounded(request, new.level, known):
            scores = WeightedScores(new, measure)
            found[measure.name] = [scores.bounds((r, None)).means[1:] for r in range(len(new.runs))]
    return found
