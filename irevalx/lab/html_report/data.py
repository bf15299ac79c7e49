"""Data of the HTML report, and its findings and cautions as sentences."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from irevalx import __version__
from irevalx.frozen import Frozen, cached_property
from irevalx.judgments.graded import Judgments
from irevalx.lab.comparison.pairs import ComparedMeasure, ComparedPair
from irevalx.lab.comparison.results import ComparedPairs
from irevalx.lab.description.describe import JudgmentsDescription, RunDescription, contributions
from irevalx.lab.html_report.rankings import FirstDocuments
from irevalx.lab.html_report.scores import ReportedMeasure, ReportedScores
from irevalx.lab.score_bounds.extremes import WeightedScores
from irevalx.process.platform import as_bytes
from irevalx.reading.sources.files import Source
from irevalx.reading.topic_groups import TopicGroups
from irevalx.settings import Settings
from irevalx.statistics.paired_comparisons import Method
from irevalx.statistics.significance import correction_named


class ReportData(Frozen, kw_only=True):
    """Evaluated, compared and counted values."""

    title: str | None
    """Title of the page; None for the names of runs."""
    qrels_path: str | None
    """File of the judgments; None if they were in no file."""
    run_paths: Sequence[str]
    """Files of the runs."""
    options: Sequence[str]
    """Options that differ from the defaults, as typed in the shell."""
    judgments: Judgments
    settings: Settings
    """Settings of the evaluation."""
    scores: ReportedScores
    baseline: str | None
    """None if all pairs are compared."""
    method: Method
    """Method of comparison."""
    warned: Sequence[str]
    """Warnings of the comparison."""
    first: FirstDocuments
    """First documents of the runs."""
    bounded: Sequence[WeightedScores]
    """Bounds of measure values over all completions of the judgments, for measures that are sums over ranks."""
    groups: Sequence[str]
    """Group of each run."""
    topic_groups: TopicGroups
    """Topics of each group."""
    topic_texts: Mapping[str, str]
    """Texts by topic."""

    @cached_property
    def places(self) -> list[int]:
        """Places of the topics of the report among the judged topics."""
        return [self.judgments.topic_index[as_bytes(topic)] for topic in self.scores.topics]

    def parts(self) -> dict[str, Any]:
        """Return the parts of the data, without ``about`` and the sentences."""
        scores = self.scores
        return {
            "measures": [measure.about(self.settings.tie_orders[0]) for measure in scores.measures],
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
        """Return the description of the evaluation."""
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
        """Numbers of the runs of the main result; None if there is no main result."""
        compared, names = self.scores.compared, self.scores.runs
        for of_measure in compared.measures if compared else []:
            if of_measure.measured.direction and of_measure.pairs:
                pair = main_pair(of_measure, self.baseline)
                as_compared = (pair.run, pair.against)
                of_both = better_first(pair, of_measure.measured.direction) if self.baseline is None else as_compared
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
        """Statistics of the runs by rank, each over its topics, or with ``complete`` over all topics."""
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

    def is_determined(self, measure: str, pair: ComparedPair) -> bool | None:
        """Return whether no completion of the judgments can change the sign of a difference; None without bounds."""
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
        """Return the share of judged documents of each run, at each rank and within each rank."""
        depth = self.first.depth
        return [
            {
                "at": [
                    1 - unjudged / retrieved if retrieved else None
                    for retrieved, unjudged in np.stack((description.retrieved_in, description.unjudged_in), axis=1)[
                        :depth
                    ].tolist()
                ],
                "within": list(description.judged_at),
            }
            for description in self.described
        ]

    def _found_alone(self) -> list[dict[str, Any]]:
        """Return the retrieved and the unique documents of each group of runs; empty for a single group."""
        if len(set(self.groups)) < 2:
            return []
        first = self.first
        return [
            {
                "group": of_group.group,
                "runs": of_group.runs,
                "documents": of_group.pooled,
                "alone": of_group.alone,
                "judged_alone": of_group.judged_alone,
                "relevant_alone": of_group.relevant_alone,
            }
            for of_group in contributions(first.ranked, self.groups, first.judgments, first.depth, self.settings.level)
        ]

    def _bounds(self) -> list[dict[str, Any]]:
        """Return the bounds of the mean of each run."""
        numbers = {measure.name: number for number, measure in enumerate(self.scores.measures)}
        bounds = []
        for of_measure in self.bounded:
            for run in range(len(of_measure.runs)):
                mean, low, high = of_measure.bounds((run, None)).means
                of_run = {"measure": numbers[of_measure.measure.name], "run": run, "mean": mean, "low": low}
                bounds.append({**of_run, "high": high, "topics": len(of_measure.topics)})
        return bounds


def main_pair(of_measure: ComparedMeasure, baseline: str | None) -> ComparedPair:
    """Return the pair of the main result."""
    # With a baseline: the best of the significantly better runs, or else of all runs. Without: the best run, and the
    # best of the runs that are significantly different from it, or else the second best.
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
    """Return the other run of a pair in a list; empty if the run is not in the pair."""
    return [other for first, other in ((pair.run, pair.against), (pair.against, pair.run)) if first == run]


def _file(path: str | None) -> dict[str, str | None]:
    """Return a file and its digest; None for standard input and for data that is in no file."""
    return {"path": path, "sha256": None if path in {None, "-"} else Source(path).sha256()}


FEW_JUDGED = 0.8
"""A caution is added if a smaller share of a run's first documents is judged."""

MANY_TIED = 0.1
"""A caution is added if a greater share of a run's first documents has tied scores."""

LEAST_SHARE = 0.005
"""Runs whose shares of judged documents differ by less are equally judged."""

LEAST_P = 0.001
"""Smaller p-values are reported as smaller than this."""

MOST_NAMED = 3
"""Maximum number of runs named in a sentence."""


def findings(data: ReportData) -> list[str]:
    """Return the findings as sentences, the main result first. Empty if no runs were compared."""
    compared = data.scores.compared
    if compared is None:
        return []
    titles = {measure.name: measure for measure in data.scores.measures}
    sentences: list[str] = []
    for of_measure in compared.measures:
        measure = titles[of_measure.name]
        if measure.direction and of_measure.comparisons.pairs:
            sentence_of = _of_pair if not of_measure.comparisons.pairs[1:] else _of_best
            sentences.append(sentence_of(data, of_measure, measure))
            if len(sentences) == 1:
                sentences += _judged(compared)
    if sentences:
        sentences.append(f"Significance: {compared.how_tested}")
    if data.baseline is not None and any(
        _is_corrected(of_measure) and not _holds_for_all(of_measure)
        for of_measure in compared.measures
        if of_measure.comparisons.pairs
    ):
        sentences.append(
            f"The {_percent(data.scores.confidence)} intervals are for single differences (unadjusted); significance "
            f"is determined from p-values corrected for the {len(compared.measures[0].comparisons.pairs)} pairs of "
            "runs under each measure."
        )
    return sentences


def _judged(compared: ComparedPairs) -> list[str]:
    """Return whether the runs are equally judged, among the first ten or the cutoff of each measure."""
    sentences = []
    for note, judged in zip(compared.coverage_of_runs, compared.judged_at.values(), strict=True):
        equally = "equally" if max(judged) - min(judged) < LEAST_SHARE else "not equally"
        sentences.append(f"The runs are {equally} judged; {note}")
    return sentences


def _is_corrected(of_measure: ComparedMeasure) -> bool:
    """Return whether p-values are corrected for several comparisons."""
    return (
        len(of_measure.comparisons.pairs) > 1 and correction_named(of_measure.comparisons.method.correction) != "none"
    )


def _holds_for_all(of_measure: ComparedMeasure) -> bool:
    """Return whether there are simultaneous intervals."""
    return not all(math.isnan(pair.simultaneous_low) for pair in of_measure.pairs)


def _of_pair(data: ReportData, of_measure: ComparedMeasure, measure: ReportedMeasure) -> str:
    """Return the finding on the only pair of runs."""
    [pair] = of_measure.pairs
    better, worse = better_first(pair, measure.direction)
    by = _difference(of_measure, measure, pair)
    if pair.differ:
        sentence = f"{better} is significantly better than {worse}: {by}"
    else:
        sentence = f"{better} and {worse} are not significantly different: {by}"
    return f"{sentence} over {_topics(of_measure)}{_determined(data, measure, pair)}."


def _determined(data: ReportData, measure: ReportedMeasure, pair: ComparedPair) -> str:
    """Return a clause if no completion of the judgments can change the sign, as far as bounds are known."""
    is_determined = (
        pair.difference != 0 and data.is_determined(measure.name, pair) and min(pair.judged, pair.judged_against) < 1
    )
    return "; no judgment of the unjudged documents can change its sign" if is_determined else ""


def _topics(of_measure: ComparedMeasure) -> str:
    n_topics = of_measure.comparisons.values.shape[1]
    return f"{n_topics} topic{'s' * (n_topics != 1)}"


def _difference(of_measure: ComparedMeasure, measure: ReportedMeasure, pair: ComparedPair) -> str:
    """Return a difference with its interval, and with the corrected p-value if the interval is not corrected."""
    simultaneous = _is_corrected(of_measure) and _holds_for_all(of_measure)
    ends = (pair.simultaneous_low, pair.simultaneous_high) if simultaneous else (pair.low, pair.high)
    sign = 1 if pair.difference >= 0 else -1
    low, high = sorted(sign * end for end in ends)
    by = f"{abs(pair.difference):.3f} {measure.title}"
    if not math.isnan(low):
        by += f" [{low:.3f}, {high:.3f}]"
    if not _is_corrected(of_measure) or math.isnan(pair.corrected_p):
        return by
    p = "< 0.001" if pair.corrected_p < LEAST_P else f"{pair.corrected_p:.3f}"
    return f"{by} ({'simultaneous interval' if simultaneous else f'corrected p {p}'})"


def _share_unjudged(description: RunDescription, within: int) -> float:
    retrieved = int(description.retrieved_in[:within].sum())
    return int(description.unjudged_in[:within].sum()) / retrieved if retrieved else 0.0


def _of_best(data: ReportData, of_measure: ComparedMeasure, measure: ReportedMeasure) -> str:
    """Return the finding on the best run, and on the runs that are not significantly different from it."""
    best = of_measure.runs[of_measure.best_first[0]]
    extreme = "highest" if measure.direction > 0 else "lowest"
    score = of_measure.scores[of_measure.best_first[0]]
    sentence = f"{best} has the {extreme} {measure.title}, {score:.3f} over {_topics(of_measure)}"
    if data.baseline not in {None, best}:
        [pair] = [pair for pair in of_measure.pairs if pair.run == best]
        sentence += f"; its difference from {data.baseline} is {_difference(of_measure, measure, pair)}"
    return f"{sentence}. {_others(data, of_measure, measure, best)}."


def _others(data: ReportData, of_measure: ComparedMeasure, measure: ReportedMeasure, best: str) -> str:
    pairs = of_measure.pairs
    if data.baseline is not None:
        sign = measure.direction
        better, worse = (
            [pair.run for pair in pairs if pair.differ and factor * sign * pair.difference > 0] for factor in (1, -1)
        )
        n_same = len(pairs) - len(better) - len(worse)
        which = f" ({_first_of(better)})" if better else ""
        return (
            f"Of {len(pairs)} runs, {len(better)}{which} {_are(len(better))} significantly better than "
            f"{data.baseline}, {len(worse)} {_are(len(worse))} significantly worse, and {n_same} {_are(n_same)} not "
            "significantly different"
        )
    like = [run for pair in pairs if not pair.differ for run in others_in(pair, best)]
    n_others, n_different = len(of_measure.runs) - 1, sum(pair.differ for pair in pairs)
    if not like:
        sentence = f"All {n_others} other runs are significantly different from it"
    else:
        n_like = f"{len(like)} of the {n_others} other runs"
        sentence = f"{n_like} {_are(len(like))} not significantly different from it ({_first_of(like)})"
    return f"{sentence}. {n_different} of {len(pairs)} pairs of runs {_are(n_different)} significantly different"


def _are(number: int) -> str:
    return "is" if number == 1 else "are"


def cautions(data: ReportData) -> list[str]:
    """Return the cautions as sentences."""
    return [*_about_topics(data), *_about_judgments(data), *_about_ties(data), *_warned(data)]


def _warned(data: ReportData) -> Iterator[str]:
    """Yield the warnings of the comparison; equal warnings about several measures are one sentence."""
    names = "|".join(
        re.escape(measure.name) for measure in sorted(data.scores.measures, key=lambda measure: -len(measure.name))
    )
    name = re.compile(rf"(?<![\w.])(?:{names})(?![\w.])")
    alike: dict[str, list[str]] = {}
    for line in data.warned:
        alike.setdefault(name.sub("", line, count=1), []).append(line)
    for first, *others in alike.values():
        match = name.match(first)
        sentence = first if match else first[:1].upper() + first[1:]
        more = [match[0] for line in others if (match := name.search(line))]
        yield f"{sentence}; the same applies to {_all_of(more)}." if more else f"{sentence}."


def _about_topics(data: ReportData) -> Iterator[str]:
    scores, runs = data.scores, data.scores.runs
    topics = data.judgments.topics
    for run, ranked in zip(runs, data.first.ranked, strict=True):
        if number := sum(topic not in ranked.topics for topic in topics):
            what = "count as 0" if data.settings.complete else "are excluded from its means"
            yield f"{run} has no results for {number} of {len(topics)} judged topics, which {what}."
    if scores.compared is None and runs[1:]:
        yield "Runs are not compared, because there is no measure and topic for which every run has a value."


def _about_judgments(data: ReportData) -> Iterator[str]:
    within = data.first.depth
    judged = {
        description.name: 1 - _share_unjudged(description, within)
        for description in data.described
        if description.retrieved
    }
    if not judged:
        return
    few = [name for name, share in judged.items() if share < FEW_JUDGED]
    if few:
        least = min(few, key=judged.__getitem__)
        share, first = _percent(judged[least]), f"of the first {within} documents"
        sentence = f"{share} {first} of {least} are judged"
        if few[1:]:
            sentence = f"Less than {_percent(FEW_JUDGED)} {first} are judged for {_listed(few)} ({share} for {least})"
        yield f"{sentence}; most measures treat unjudged documents as nonrelevant."


def _about_ties(data: ReportData) -> Iterator[str]:
    within = data.first.depth
    n_first = [int(description.retrieved_in[:within].sum()) for description in data.described]
    shares = {
        run: tied / first
        for run, tied, first in zip(data.scores.runs, data.first.n_tied, n_first, strict=True)
        if first and tied / first > MANY_TIED
    }
    if shares:
        most = max(shares, key=shares.__getitem__)
        share, first = _percent(shares[most]), f"of the first {within} documents"
        sentence = f"{share} {first} of {most} have tied scores"
        if len(shares) > 1:
            sentence = (
                f"More than {_percent(MANY_TIED)} {first} of {_listed(list(shares))} have tied scores "
                f"({share} for {most})"
            )
        yield f"{sentence}; their order comes from tie-breaking, not from the system."


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def _listed(names: Sequence[str]) -> str:
    if len(names) > MOST_NAMED:
        return f"{len(names)} runs ({', '.join(names[:MOST_NAMED])}, ...)"
    return _all_of(names)


def _first_of(names: Sequence[str]) -> str:
    return ", ".join([*names[:MOST_NAMED], *(["..."] if names[MOST_NAMED:] else [])])


def _all_of(names: Sequence[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]] if names[1:] else names)
