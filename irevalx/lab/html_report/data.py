"""The data that the HTML report displays."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePath
from typing import Any

import numpy as np

from irevalx import __version__
from irevalx.frozen import Frozen, cached_property
from irevalx.judgments.graded import Judgments
from irevalx.lab.comparison.pairs import ComparedPair
from irevalx.lab.comparison.verdicts import Gate
from irevalx.lab.description.describe import JudgmentsDescription, contributions
from irevalx.lab.html_report.rankings import FirstDocuments
from irevalx.lab.html_report.scores import ReportedScores
from irevalx.lab.score_bounds.extremes import WeightedScores
from irevalx.process.platform import as_bytes
from irevalx.reading.sources.files import Source
from irevalx.reading.topic_groups import TopicGroups
from irevalx.reports.names import shorten, split_names
from irevalx.reports.report import JUDGED, judged_among_retrieved
from irevalx.settings import Settings
from irevalx.statistics.paired_comparisons import Method

SHORT_NAME = 32
"""The maximum number of characters in the short name of a run."""


class ScoresData(Frozen, kw_only=True):
    """The values of runs, read from score files, and the comparisons of the runs."""

    title: str | None
    """The title of the page, or None if the title lists the names of runs."""
    qrels_path: str | None = None
    """The path of the judgment file, or None if the judgments do not come from a file."""
    run_paths: Sequence[str]
    """The paths of the run files, or of the score files."""
    full_paths: bool
    """Whether the report displays absolute paths with their folders."""
    options: Sequence[str]
    """The options that differ from their defaults, in shell syntax."""
    scores: ReportedScores
    baseline: str | None
    """The name of the baseline, or None if all pairs of runs are compared."""
    method: Method
    """The method by which runs are compared."""
    warned: Sequence[str]
    """The warnings that the comparison issued."""
    groups: Sequence[str]
    """The group of each run."""
    topic_groups: TopicGroups
    """The topics in each topic group."""
    topic_texts: Mapping[str, str]
    """The text of each topic."""
    verdicts: Gate | None = None
    """The verdicts on the runs, or None if no margin is specified."""
    notes: Sequence[str] = ()
    """Sentences that follow the findings. If there are no findings, the sentences are among the cautions."""

    def parts(self) -> dict[str, Any]:
        """Return all entries of the data except ``about`` and the sentences."""
        scores, names = self.scores, [self.without_folders(run) for run in self.scores.runs]
        short, parts = shorten(names, SHORT_NAME), split_names(names)
        return {
            "measures": [{**measure.about(None), "adds": False} for measure in scores.measures],
            "runs": [
                {"name": run, "short": short.in_text[run], "group": self.without_folders(group)}
                for run, group in zip(names, self.groups, strict=True)
            ],
            "names": {"form": short.form, "factors": parts.factors},
            "groups": self._groups_of_topics(),
            "topics": self._topics(),
            "means": scores.means(),
            "ranked": scores.ranked(),
            "readings": scores.readings(),
            "letters": scores.letters(),
            "rank_sets": scores.rank_sets(),
            "verdicts": scores.verdicts(),
            "pairs": scores.pairs(),
            JUDGED: [],
            "found_alone": [],
            "bounds": [],
        }

    def about(self) -> dict[str, Any]:
        """Return the entry that describes the evaluation."""
        scores, unknown = self.scores, dict.fromkeys(("n_judged_topics", "n_pooled", "n_judged", "n_relevant", "level"))
        names, compared = scores.runs, scores.compared
        return {
            "title": self._title,
            "program": f"irevalx {__version__}",
            "qrels": self._file(self.qrels_path),
            "run_files": [self._file(path) for path in self.run_paths],
            "options": [self.without_folders(option) for option in self.options],
            "n_topics": len(scores.topics),
            **unknown,
            "complete": False,
            "baseline": None if self.baseline is None else names.index(self.baseline),
            "confidence": scores.confidence,
            "main_pair": self._main_pair,
            "alpha": self.method.alpha,
            "test": self.method.test,
            "correction": self.method.correction,
            "how_tested": None if compared is None else compared.how_tested,
            "depth": 0,
            "coverage": None,
        }

    @cached_property
    def _names_of_files(self) -> dict[str, str]:
        """The displayed name of each input file, by absolute path.

        Folders are omitted unless they distinguish files.
        """
        paths = [
            path for path in (*self.run_paths, self.qrels_path) if path is not None and PurePath(path).is_absolute()
        ]
        if self.full_paths:
            return {}
        names = {path: PurePath(path).name for path in paths}
        alike = {path for path in paths if list(names.values()).count(names[path]) > 1}
        return names | {path: os.path.relpath(path, os.path.commonpath(alike)) for path in alike}

    def without_folders(self, text: str) -> str:
        """Replace absolute paths in a text by the displayed names of files, unless absolute paths were requested."""
        for path, name in sorted(self._names_of_files.items(), reverse=True):
            text = text.replace(path, name)
        return text

    def _file(self, path: str | None) -> dict[str, str | None]:
        """Return the path and the digest of a file. For standard input and Python objects, the digest is None."""
        if path is None or path == "-":
            return {"path": path, "sha256": None}
        return {"path": self._names_of_files.get(path, path), "sha256": Source(path).sha256()}

    @property
    def _main_pair(self) -> list[int] | None:
        """The indices of the two runs that the main result compares, or None if there is no main result."""
        for conclusion in self.scores.conclusions.values():
            if conclusion.of_measure.measured.direction and conclusion.of_measure.comparisons.pairs:
                pair = conclusion.pair_of(conclusion.main_run)
                return [self.scores.runs.index(run) for run in (pair.run, pair.against)]
        return None

    @property
    def _title(self) -> str:
        if self.title is not None:
            return self.title
        names = [self.without_folders(run) for run in self.scores.runs]
        return ", ".join(names) if len(names) <= 3 else f"{len(names)} runs"

    @cached_property
    def identical_runs(self) -> list[list[str]]:
        """Groups of two or more runs that have identical rankings and identical values."""
        values = self.scores.values
        alike: dict[bytes, list[str]] = {}
        for number, (run, ranking) in enumerate(zip(self.scores.runs, self._digests, strict=True)):
            alike.setdefault(ranking + values[:, number].tobytes(), []).append(run)
        return [runs for runs in alike.values() if len(runs) > 1]

    @property
    def _digests(self) -> Iterable[bytes]:
        """The digest of each ranking, which is empty for score files."""
        return [b""] * len(self.scores.runs)

    def is_determined(self, pair: ComparedPair) -> bool | None:
        """Return whether all completions of the judgments give a difference the same sign, or None if unknown."""
        return None

    def _groups_of_topics(self) -> list[dict[str, Any]]:
        topics = [as_bytes(topic) for topic in self.scores.topics]
        return [
            {"name": group, "topics": [number for number, topic in enumerate(topics) if topic in members]}
            for group, members in self.topic_groups.items()
        ]

    def _topics(self) -> list[dict[str, Any]]:
        return [
            {"id": topic, "text": self.topic_texts.get(topic), "n_judged": None, "n_relevant": None}
            for topic in self.scores.topics
        ]


class ReportData(ScoresData, kw_only=True):
    """The values of runs, evaluated from judgments and run files, and the comparisons of the runs."""

    judgments: Judgments
    settings: Settings
    """The settings of the evaluation."""
    first: FirstDocuments
    """The top documents of the runs."""
    bounded: Sequence[WeightedScores]
    """The bounds of measure values over all completions of the judgments, for measures that are weighted sums."""

    @cached_property
    def places(self) -> list[int]:
        """The index of each displayed topic among the judged topics."""
        return [self.judgments.topic_index[as_bytes(topic)] for topic in self.scores.topics]

    def parts(self) -> dict[str, Any]:
        """Return all entries of the data except ``about`` and the sentences."""
        return {
            **super().parts(),
            "measures": [measure.about(self.settings) for measure in self.scores.measures],
            JUDGED: self._judged(),
            "found_alone": self._found_alone(),
            "bounds": self._bounds(),
        }

    def about(self) -> dict[str, Any]:
        """Return the entry that describes the evaluation."""
        counted = self._counted
        return {
            **super().about(),
            "n_judged_topics": len(self.judgments.topics),
            "n_pooled": int(counted.pooled.sum()),
            "n_judged": int(counted.judged.sum()),
            "n_relevant": int(counted.relevant.sum()),
            "level": self.settings.level,
            "grades": [grade for grade in np.unique(self.judgments.grades).tolist() if grade >= 0],
            "complete": self.settings.complete,
            "depth": self.first.depth,
            "coverage": judged_among_retrieved(self.first.depth),
        }

    @cached_property
    def _counted(self) -> JudgmentsDescription:
        return JudgmentsDescription.of(self.judgments, self.settings.level)

    @property
    def _digests(self) -> Iterable[bytes]:
        """The digest of each ranking."""
        return self.first.digests

    def is_determined(self, pair: ComparedPair) -> bool | None:
        """Return whether all completions of the judgments give a difference the same sign, or None if unknown."""
        for of_measure in self.bounded:
            if of_measure.measure.name == pair.measure:
                run, against = map(of_measure.runs.index, (pair.run, pair.against))
                return of_measure.bounds((run, against)).is_determined
        return None

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
        """Return the share of judged documents at each rank, and at or above each rank, for each run."""
        depth = self.first.depth
        return [
            {
                "at": [
                    1 - unjudged / retrieved if retrieved else None
                    for retrieved, unjudged in np.stack((description.retrieved_in, description.unjudged_in), axis=1)[
                        :depth
                    ].tolist()
                ],
                "within": list(description.judged_among_retrieved),
            }
            for description in self.first.described
        ]

    def _found_alone(self) -> list[dict[str, Any]]:
        """Return the numbers of retrieved documents and of unique documents for each group of runs.

        If there is only one group, the list is empty.
        """
        if len(set(self.groups)) < 2:
            return []
        first = self.first
        return [
            {
                "group": self.without_folders(of_group.group),
                "runs": of_group.runs,
                "documents": of_group.pooled,
                "alone": of_group.alone,
                "judged_alone": of_group.judged_alone,
                "relevant_alone": of_group.relevant_alone,
            }
            for of_group in contributions(first.ranked, self.groups, first.judgments, first.depth, self.settings.level)
        ]

    def _bounds(self) -> list[dict[str, Any]]:
        """Return the lowest and highest possible mean of each run, over all completions of the judgments."""
        numbers = {measure.name: number for number, measure in enumerate(self.scores.measures)}
        bounds = []
        for of_measure in self.bounded:
            for run in range(len(of_measure.runs)):
                mean, low, high = of_measure.bounds((run, None)).means
                of_run = {"measure": numbers[of_measure.measure.name], "run": run, "mean": mean, "low": low}
                bounds.append({**of_run, "high": high, "topics": len(of_measure.topics)})
        return bounds
