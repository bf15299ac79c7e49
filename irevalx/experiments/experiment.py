"""Many runs ranked once against the same graded judgments, to be assessed under any others for the same documents."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np

from irevalx.arrays.segments import BoolArray, FloatArray, IntArray
from irevalx.errors import Warn
from irevalx.experiments.ranked_runs import USUAL_RULES, RankedRuns, RunRules, requests_of
from irevalx.experiments.ranking_runs import raise_first
from irevalx.frozen import replace
from irevalx.judgments.graded import Judgments
from irevalx.measures.select import RequestedMeasure
from irevalx.reading.runs import RunStream
from irevalx.settings import Settings


class Experiment(RankedRuns):
    """Runs that are ranked against graded judgments; no document occurs twice in a topic of these."""

    judgments: Judgments

    @property
    def grades(self) -> IntArray:
        """The judgments as they were read: flat over ``judgments``."""
        return self.judgments.grades

    @property
    def judgments_digest(self) -> str:
        """The SHA-256 of topics, documents and grades: the same for the same judgments, however they were given."""
        judgments = self.judgments
        rows = zip(judgments.rows.ids.tolist(), judgments.docnos.texts(), judgments.grades.tolist(), strict=True)
        lines = sorted(b"%s %s %d\n" % (judgments.topics[topic], docno, grade) for topic, docno, grade in rows)
        return hashlib.sha256(b"".join(lines)).hexdigest()

    def with_measures(self, measures: Sequence[str]) -> Experiment:
        """Return the same runs and judgments, to be measured otherwise."""
        return replace(self, requests=requests_of(measures, Settings(level=self.level)))

    def of_runs(self, runs: IntArray) -> Experiment:
        """Return the runs with these indices, in this order."""
        rows = (runs[:, np.newaxis] * len(self.topics) + np.arange(len(self.topics))).ravel()
        names = tuple(self.runs[run] for run in runs.tolist())
        return replace(self, runs=names, ranking=self.ranking.take(rows), missing=self.missing[runs])

    def judged_within(self, depth: int) -> FloatArray:
        """Return how many of the first documents of each run are judged: shape (n_runs, n_topics)."""
        parts = [self._assessed(*part, None, None).assessed("nonrel").judged_within(depth) for part in self._parts]
        return np.where(self.missing, 0.0, np.concatenate(parts).reshape(self.missing.shape))

    def retrieved_within(self, depth: int) -> BoolArray:
        """Return whether each run has each document among its first ``depth``: shape (n_runs, n_judgments)."""
        within_depth = (self.ranking.rank <= depth) & (self.ranking.row >= 0)
        run = self.ranking.rows.ids[within_depth] // len(self.topics)
        retrieved = np.zeros((len(self.runs), self.judgments.rows.size), np.bool_)
        retrieved[run, self.ranking.row[within_depth]] = True
        return retrieved


def prepare(
    judgments: Judgments,
    runs: Sequence[RunStream],
    measures: Sequence[str] | Sequence[RequestedMeasure],
    rules: RunRules = USUAL_RULES,
    *,
    names: Sequence[str | None] = (),
    warn: Warn = lambda line: None,
) -> Experiment:
    """Read runs, rank them and look their documents up; ``measures`` are texts, or requests that were read before."""
    raise_first(judgments.duplicates)
    requests = [measure for measure in measures if isinstance(measure, RequestedMeasure)]
    requests = requests or [*requests_of([str(measure) for measure in measures], rules.settings)]
    return Experiment.of(judgments, runs, requests, rules, names=names, warn=warn)
