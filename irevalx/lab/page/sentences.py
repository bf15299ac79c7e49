"""Findings and cautions of the HTML report as sentences."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence

from irevalx.lab.comparison.compared_pairs import ComparedMeasure, ComparedPair
from irevalx.lab.comparison.compared_runs import ComparedPairs
from irevalx.lab.description.describing import RunDescription
from irevalx.lab.page.report_data import ReportData, better_first, others_in
from irevalx.lab.page.reported_scores import ReportedMeasure
from irevalx.statistics.corrections import correction_named

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
        pair.difference != 0 and data.is_decided(measure.name, pair) and min(pair.judged, pair.judged_against) < 1
    )
    return "; judging the unjudged documents cannot change its sign" if is_determined else ""


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
    return f"{by} ({'for all pairs at once' if simultaneous else f'corrected p {p}'})"


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
            what = "count as 0" if data.settings.complete else "are left out of its means"
            yield f"{run} has no results for {number} of {len(topics)} judged topics, which {what}."
    if scores.compared is None and runs[1:]:
        yield "No runs are compared: no measure has a value of every run for some topic."


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
            sentence = f"Of {_listed(few)} less than {_percent(FEW_JUDGED)} {first} are judged, of {least} {share}"
        yield f"{sentence}: what is unjudged counts as nonrelevant in most measures."


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
        sentence = f"{share} {first} of {most} have the score of another one"
        if len(shares) > 1:
            sentence = (
                f"Of {_listed(list(shares))} more than {_percent(MANY_TIED)} {first} have the score of another one "
                f"({share} of those of {most})"
            )
        yield f"{sentence}: their order is not that of the system."


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
