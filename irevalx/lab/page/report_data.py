"""The data of a report but for the values and rankings of topics: what is known of files, runs and topics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from irevalx import __version__
from irevalx.frozen import Frozen, cached_property
from irevalx.judgments.graded import Judgments
from irevalx.lab.description.describing import Contribution, JudgmentsDescription, RunDescription, contributions
from irevalx.lab.page.reported_scores import ReportedScores
from irevalx.lab.page.score_ranges import ScoreRanges
from irevalx.lab.page.sentences import Told, better_first, cautions, findings, main_pair
from irevalx.lab.page.shown_rankings import FirstDocuments
from irevalx.process.system import as_bytes
from irevalx.reading.source import Source
from irevalx.reading.topic_groups import TopicGroups
from irevalx.settings import Settings
from irevalx.statistics.paired_comparisons import Method


class ReportData(Frozen, kw_only=True):
    """What a report says, from what was evaluated.

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
    ranges : what holes could do to means.
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
    ranges: ScoreRanges
    groups: Sequence[str]
    topic_groups: TopicGroups
    topic_texts: Mapping[str, str]

    @cached_property
    def places(self) -> list[int]:
        """The places of the topics of the report among the judged ones."""
        return [self.judgments.topic_index[as_bytes(topic)] for topic in self.scores.topics]

    def parts(self) -> dict[str, Any]:
        """Return the parts of the data."""
        scores, told = self.scores, self._told
        numbers = {measure.name: number for number, measure in enumerate(scores.measures)}
        return {
            "about": self._about(),
            "findings": findings(told),
            "warnings": cautions(told),
            "measures": [measure.about() for measure in scores.measures],
            "runs": [{"name": run, "group": group} for run, group in zip(scores.runs, self.groups, strict=True)],
            "groups": self._groups_of_topics(),
            "topics": self._topics(),
            "means": scores.means(),
            "readings": scores.readings(),
            "letters": scores.letters(),
            "pairs": scores.pairs(),
            "judged": self._judged(),
            "found_alone": self._found_alone(),
            "bounds": self.ranges.rows(numbers),
        }

    def _about(self) -> dict[str, Any]:
        scores, counted = self.scores, self._counted
        names = scores.runs
        compared = scores.compared
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
                of_both = (
                    better_first(pair, one.measured.direction) if self.baseline is None else (pair.run, pair.against)
                )
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
    def _described(self) -> list[RunDescription]:
        """The runs as the judgments know them, each over its topics, or with ``complete`` over all."""
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

    @cached_property
    def _told(self) -> Told:
        compared, depth = self.scores.compared, self.first.depth
        pairs = {
            one.name: main_pair(one, self.baseline) for one in (compared.measures if compared else []) if one.pairs
        }
        return Told(
            scores=self.scores,
            described=self._described,
            n_judged_topics=len(self.judgments.topics),
            lacking=[sum(topic not in run.topics for topic in self.judgments.topics) for run in self.first.ranked],
            n_tied=self.first.n_tied,
            n_first=[int(one.retrieved_in[:depth].sum()) for one in self._described],
            decided=self.ranges.decided({name: (pair.run, pair.against) for name, pair in pairs.items()}),
            warned=self.warned,
            complete=self.settings.complete,
            depth=depth,
        )

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
            for one in self._described
        ]

    def _found_alone(self) -> list[dict[str, Any]]:
        """Return what each group of runs has found, and found alone; nothing where there is one group."""
        if len(set(self.groups)) < 2:
            return []
        first = self.first
        found = contributions(first.ranked, self.groups, first.judgments, first.depth, self.settings.level)
        return [_of_group(one) for one in found]


def _of_group(one: Contribution) -> dict[str, Any]:
    return {
        "group": one.group,
        "runs": one.runs,
        "documents": one.pooled,
        "alone": one.alone,
        "judged_alone": one.judged_alone,
        "relevant_alone": one.relevant_alone,
    }


def _file(path: str | None) -> dict[str, str | None]:
    """Return a file and its digest; none of standard input, nor of what is in no file."""
    return {"path": path, "sha256": None if path in {None, "-"} else Source(path).sha256()}
