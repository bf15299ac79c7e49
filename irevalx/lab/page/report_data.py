"""What a report is made of, and its data but for sentences, and the values and rankings of topics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from irevalx import __version__
from irevalx.frozen import Frozen, cached_property
from irevalx.judgments.graded import Judgments
from irevalx.lab.bounding.score_bounds import WeightedScores
from irevalx.lab.comparison.compared_pairs import ComparedMeasure, ComparedPair
from irevalx.lab.description.describing import JudgmentsDescription, RunDescription, contributions
from irevalx.lab.page.reported_scores import ReportedScores
from irevalx.lab.page.shown_rankings import FirstDocuments
from irevalx.process.system import as_bytes
from irevalx.reading.source import Source
from irevalx.reading.topic_groups import TopicGroups
from irevalx.settings import Settings
from irevalx.statistics.paired_comparisons import Method


class ReportData(Frozen, kw_only=True):
    """What was evaluated, compared and counted.

    Parameters
    ----------
    title : of the page; None for one made of the names of runs.
    qrels_path : the file of the judgments; None where they were in no file.
    run_paths : the files of runs.
    options : what differs from what is usual, as the command takes it.
    judgments : as they were read.
    settings : of the evaluation.
    scores : of the runs.
    baseline : None where all pairs are compared.
    method : how they are compared.
    warned : lines that the comparison warned of.
    first : the first documents of the runs.
    bounded : what holes could do to the scores under measures that are sums over ranks.
    groups : that of each run.
    topic_groups : the topics of each group.
    topic_texts : by topic.
    """

    title: str | None
    qrels_path: str | None
    run_paths: Sequence[str]
    options: Sequence[str]
    judgments: Judgments
    settings: Settings
    scores: ReportedScores
    baseline: str | None
    method: Method
    warned: Sequence[str]
    first: FirstDocuments
    bounded: Sequence[WeightedScores]
    groups: Sequence[str]
    topic_groups: TopicGroups
    topic_texts: Mapping[str, str]

    @cached_property
    def places(self) -> list[int]:
        """The places of the topics of the report among the judged ones."""
        return [self.judgments.topic_index[as_bytes(topic)] for topic in self.scores.topics]

    def parts(self) -> dict[str, Any]:
        """Return the parts of the data but ``about`` and the sentences."""
        scores = self.scores
        return {
            "measures": [measure.about(self.settings.ties) for measure in scores.measures],
            "runs": [{"name": run, "group": group} for run, group in zip(scores.runs, self.groups, strict=True)],
            "groups": self._groups_of_topics(),
            "topics": self._topics(),
            "means": scores.means(),
            "readings": scores.readings(),
            "letters": scores.letters(),
            "pairs": scores.pairs(),
            "judged": self._judged(),
            "found_alone": self._found_alone(),
            "bounds": self._bounds(),
        }

    def about(self) -> dict[str, Any]:
        """Return what was evaluated, and how."""
        scores, counted = self.scores, self._counted
        names, compared = scores.runs, scores.compared
        return {
            "title": self._title,
            "program": f"irevalx {__version__}",
            "qrels": _file(self.qrels_path),
            "run_files": [_file(path) for path in self.run_paths],
            "options": list(self.options),
            "n_topics": len(scores.topics),
            "n_judged_topics": len(self.judgments.topics),
            "n_pooled": int(counted.pooled.sum()),
            "n_judged": int(counted.judged.sum()),
            "n_relevant": int(counted.relevant.sum()),
            "level": self.settings.level,
            "complete": self.settings.complete,
            "baseline": None if self.baseline is None else names.index(self.baseline),
            "confidence": scores.confidence,
            "main_pair": self._main_pair,
            "alpha": self.method.alpha,
            "test": self.method.test,
            "correction": self.method.correction,
            "how_tested": None if compared is None else compared.how_tested,
            "depth": self.first.depth,
        }

    @property
    def _main_pair(self) -> list[int] | None:
        """The runs that the main result is about; None without one."""
        compared, names = self.scores.compared, self.scores.runs
        for one in compared.measures if compared else []:
            if one.measured.direction and one.pairs:
                pair = main_pair(one, self.baseline)
                as_compared = (pair.run, pair.against)
                of_both = better_first(pair, one.measured.direction) if self.baseline is None else as_compared
                return [names.index(run) for run in of_both]
        return None

    @property
    def _title(self) -> str:
        if self.title is not None:
            return self.title
        names = self.scores.runs
        return ", ".join(names) if len(names) <= 3 else f"{len(names)} runs"

    @cached_property
    def _counted(self) -> JudgmentsDescription:
        return JudgmentsDescription.of(self.judgments, self.settings.level)

    @cached_property
    def described(self) -> list[RunDescription]:
        """The runs as the judgments know them, each over its topics, or with ``complete`` over all, by rank."""
        ranks = range(1, self.first.depth + 1)
        return [
            RunDescription.of(
                name,
                run,
                self.first.judgments,
                [topic for topic in map(as_bytes, self.scores.topics) if self.settings.complete or topic in run.topics],
                level=self.settings.level,
                cutoffs=ranks,
                ranks=(*ranks, self.first.depth + 1),
            )
            for name, run in zip(self.scores.runs, self.first.ranked, strict=True)
        ]

    def is_decided(self, measure: str, pair: ComparedPair) -> bool | None:
        """Return whether a difference has one sign however documents are judged; None where bounds are not known."""
        for of_measure in self.bounded:
            if of_measure.measure.name == measure:
                run, against = map(of_measure.runs.index, (pair.run, pair.against))
                return of_measure.bounds((run, against)).is_determined
        return None

    def _groups_of_topics(self) -> list[dict[str, Any]]:
        topics = [as_bytes(topic) for topic in self.scores.topics]
        return [
            {"name": group, "topics": [number for number, topic in enumerate(topics) if topic in members]}
            for group, members in self.topic_groups.items()
        ]

    def _topics(self) -> list[dict[str, Any]]:
        return [
            {
                "id": topic,
                "text": self.topic_texts.get(topic),
                "n_judged": int(self._counted.judged[place]),
                "n_relevant": int(self._counted.relevant[place]),
            }
            for topic, place in zip(self.scores.topics, self.places, strict=True)
        ]

    def _judged(self) -> list[dict[str, Any]]:
        """Return, for each run, the share of judged documents at each of the first ranks, and among the first ones."""
        depth = self.first.depth
        return [
            {
                "at": [
                    1 - unjudged / retrieved if retrieved else None
                    for retrieved, unjudged in np.stack((one.retrieved_in, one.unjudged_in), axis=1)[:depth].tolist()
                ],
                "within": list(one.judged_at),
            }
            for one in self.described
        ]

    def _found_alone(self) -> list[dict[str, Any]]:
        """Return what each group of runs has found, and found alone; nothing where there is one group."""
        if len(set(self.groups)) < 2:
            return []
        first = self.first
        return [
            {
                "group": one.group,
                "runs": one.runs,
                "documents": one.pooled,
                "alone": one.alone,
                "judged_alone": one.judged_alone,
                "relevant_alone": one.relevant_alone,
            }
            for one in contributions(first.ranked, self.groups, first.judgments, first.depth, self.settings.level)
        ]

    def _bounds(self) -> list[dict[str, Any]]:
        """Return the ends of the mean of each run."""
        numbers = {measure.name: number for number, measure in enumerate(self.scores.measures)}
        found = []
        for of_measure in self.bounded:
            for run in range(len(of_measure.runs)):
                mean, low, high = of_measure.bounds((run, None)).means
                of_run = {"measure": numbers[of_measure.measure.name], "run": run, "mean": mean, "low": low}
                found.append({**of_run, "high": high, "topics": len(of_measure.topics)})
        return found


def main_pair(of_measure: ComparedMeasure, baseline: str | None) -> ComparedPair:
    """Return the pair that the main result is about.

    The baseline and the best of the runs that are found to be better; without a baseline the best run and the best of
    those that it is found to be better than. Where there are none, the best run and the baseline, or the two best runs.
    """
    direction, pairs = of_measure.measured.direction, of_measure.pairs
    if baseline is not None:
        better = [pair for pair in pairs if pair.differ and direction * pair.difference > 0]
        return max(better or pairs, key=lambda pair: direction * pair.difference)
    best, *others = (of_measure.runs[run] for run in of_measure.best_first)
    of_best = {run: pair for pair in pairs for run in others_in(pair, best)}
    return next((of_best[run] for run in others if of_best[run].differ), of_best[others[0]])


def better_first(pair: ComparedPair, direction: int) -> tuple[str, str]:
    """Return the runs of a pair, the better one first."""
    return (pair.run, pair.against) if direction * pair.difference >= 0 else (pair.against, pair.run)


def others_in(pair: ComparedPair, run: str) -> list[str]:
    """Return the run that a run is compared with in a pair; none where it is not in it."""
    return [other for one, other in ((pair.run, pair.against), (pair.against, pair.run)) if one == run]


def _file(path: str | None) -> dict[str, str | None]:
    """Return a file and its digest; none of standard input, nor of what is in no file."""
    return {"path": path, "sha256": None if path in {None, "-"} else Source(path).sha256()}
