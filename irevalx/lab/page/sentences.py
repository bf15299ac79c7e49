"""What a report says in sentences: what was evaluated, what was found, and what to be careful about."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence

from irevalx.lab.comparison.compared_pairs import ComparedMeasure, ComparedPair
from irevalx.lab.description.describing import RunDescription
from irevalx.lab.page.report_data import ReportData, better_first, main_pair, others_in
from irevalx.lab.page.reported_scores import ReportedMeasure
from irevalx.statistics.corrections import correction_named

FEW_JUDGED = 0.8
"""Where less of the first documents of a run is judged, a report says so."""

UNEVEN = 0.1
"""Where the shares of judged documents of two runs are farther apart, a report says so."""

MANY_TIED = 0.1
"""Where more of the first documents of a run have the score of another one, a report says so."""

LEAST_SHARE = 0.005
"""Smaller shares are not spoken of: they are 0 %."""

LEAST_P = 0.001
"""Of smaller p-values it is said that they are smaller."""

MOST_NAMED = 3
"""Runs that a sentence names."""


def findings(data: ReportData) -> list[str]:
    """Return what was found, the main result first, then the other measures; nothing where no runs were compared."""
    compared = data.scores.compared
    if compared is None:
        return []
    titles = {measure.name: measure for measure in data.scores.measures}
    counted = _all_pairs if compared.baseline is None else _against_baseline
    found: list[str] = []
    for of_measure in compared.measures:
        measure = titles[of_measure.name]
        if measure.direction and of_measure.found.pairs:
            sentences = [_main(data, of_measure, measure)]
            if of_measure.found.pairs[1:]:
                sentences.append(counted(of_measure, measure))
            found += [" ".join(sentences)] if found else sentences
    if any(_is_corrected(one) and not _holds_for_all(one) for one in compared.measures if one.found.pairs):
        found.append(
            f"Intervals are of one difference alone ({_percent(data.scores.confidence)}); which runs differ is said by "
            f"p-values corrected for the {len(compared.measures[0].found.pairs)} pairs of runs under each measure."
        )
    return found


def _is_corrected(of_measure: ComparedMeasure) -> bool:
    """Return whether p-values are corrected for several comparisons."""
    return len(of_measure.found.pairs) > 1 and correction_named(of_measure.found.method.correction) != "none"


def _holds_for_all(of_measure: ComparedMeasure) -> bool:
    """Return whether there are intervals that hold for all pairs at once."""
    return not all(math.isnan(pair.simultaneous_low) for pair in of_measure.pairs)


def _main(data: ReportData, of_measure: ComparedMeasure, measure: ReportedMeasure) -> str:
    pair = main_pair(of_measure, data.baseline)
    better, worse = better_first(pair, measure.direction)
    said = f"{better} beats {worse} by" if pair.differ else f"No difference is found between {better} and {worse}:"
    by, within = _difference(of_measure, measure, pair)
    n_topics = of_measure.found.values.shape[1]
    over = f"over {n_topics} topic{'s' * (n_topics != 1)}"
    return f"{said} {by} {over}{within}{_unjudged(data, measure, better, pair)}."


def _difference(of_measure: ComparedMeasure, measure: ReportedMeasure, pair: ComparedPair) -> tuple[str, str]:
    """Return how great a difference is, with its interval, and how it was corrected where the interval was not."""
    simultaneous = _is_corrected(of_measure) and _holds_for_all(of_measure)
    ends = (pair.simultaneous_low, pair.simultaneous_high) if simultaneous else (pair.low, pair.high)
    sign = 1 if pair.difference >= 0 else -1
    low, high = sorted(sign * end for end in ends)
    by = f"{abs(pair.difference):.3f} {measure.title}"
    if not math.isnan(low):
        by += f" [{low:.3f}, {high:.3f}]"
    if not _is_corrected(of_measure) or math.isnan(pair.corrected_p):
        return by, ""
    return by, " (for all pairs at once)" if simultaneous else f" ({_corrected(pair)})"


def _corrected(pair: ComparedPair) -> str:
    return "corrected p < 0.001" if pair.corrected_p < LEAST_P else f"corrected p {pair.corrected_p:.3f}"


def _unjudged(data: ReportData, measure: ReportedMeasure, run: str, pair: ComparedPair) -> str:
    """Return what unjudged documents of the better run could do to a result."""
    within = min(measure.cutoff or data.first.depth, data.first.depth)
    share = _share_unjudged(data.described[data.scores.runs.index(run)], within)
    if share < LEAST_SHARE:
        return ""
    said = f"; {_percent(share)} of the first {within} documents of {run} are unjudged"
    decided = data.is_decided(measure.name, pair)
    if decided is None:
        return said
    return f"{said}, which {'cannot' if decided else 'could'} change {'which is better' if pair.differ else 'that'}"


def _share_unjudged(described: RunDescription, within: int) -> float:
    retrieved = int(described.retrieved_in[:within].sum())
    return int(described.unjudged_in[:within].sum()) / retrieved if retrieved else 0.0


def _against_baseline(of_measure: ComparedMeasure, measure: ReportedMeasure) -> str:
    pairs, sign = of_measure.pairs, measure.direction
    against = pairs[0].against
    better = [pair for pair in pairs if pair.differ and sign * pair.difference > 0]
    n_worse = sum(pair.differ and sign * pair.difference < 0 for pair in pairs)
    rest = [pair for pair in pairs if not pair.differ]
    if len(better) == len(pairs):
        return f"In {measure.title}, all {len(pairs)} runs are better than {against}."
    said = (
        f"In {measure.title}, {len(better)} of {len(pairs)} runs {_are(len(better))} better than {against}, {n_worse} "
        f"{_are(n_worse)} worse, and of {len(rest)} no difference is found"
    )
    if better and rest:
        highest = max(rest, key=lambda pair: sign * pair.difference)
        if sign * highest.difference > max(sign * pair.difference for pair in better):
            by, how = _difference(of_measure, measure, highest)
            return f"{said}, {highest.run} among them: {by}{how}."
    return f"{said}."


def _all_pairs(of_measure: ComparedMeasure, measure: ReportedMeasure) -> str:
    pairs, runs = of_measure.pairs, of_measure.runs
    best = runs[of_measure.best_first[0]]
    like = [run for pair in pairs if not pair.differ for run in others_in(pair, best)]
    n_different, n_others = sum(pair.differ for pair in pairs), len(runs) - 1
    said = f"In {measure.title}, {n_different or 'none'} of {len(pairs)} pairs of runs differ"
    if len(like) == n_others:
        return f"{said}." if not n_different else f"{said}, but none with {best}, which has the best mean."
    said += f"; {best}, which has the best mean, beats "
    if not like:
        return f"{said}all others."
    return f"{said}{n_others - len(like)} of the {n_others} others, all but {_listed(like)}."


def _are(number: int) -> str:
    return "is" if number == 1 else "are"


def cautions(data: ReportData) -> list[str]:
    """Return the sentences on what to be careful about."""
    return [*_about_topics(data), *_about_judgments(data), *_about_ties(data), *_warned(data)]


def _warned(data: ReportData) -> Iterator[str]:
    """Yield what the comparison warned of, once where it is the same of several measures."""
    names = "|".join(re.escape(one.name) for one in sorted(data.scores.measures, key=lambda one: -len(one.name)))
    name = re.compile(rf"(?<![\w.])(?:{names})(?![\w.])")
    alike: dict[str, list[str]] = {}
    for line in data.warned:
        alike.setdefault(name.sub("", line, count=1), []).append(line)
    for first, *others in alike.values():
        found = name.match(first)
        said = first if found else first[:1].upper() + first[1:]
        more = [one[0] for line in others if (one := name.search(line))]
        yield f"{said}; so it is of {_all_of(more)}." if more else f"{said}."


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
    judged = {one.name: 1 - _share_unjudged(one, within) for one in data.described if one.retrieved}
    if not judged:
        return
    few = [name for name, share in judged.items() if share < FEW_JUDGED]
    if few:
        least = min(few, key=judged.__getitem__)
        share, first = _percent(judged[least]), f"of the first {within} documents"
        said = f"{share} {first} of {least} are judged"
        if few[1:]:
            said = f"Of {_listed(few)} less than {_percent(FEW_JUDGED)} {first} are judged, of {least} {share}"
        yield f"{said}: what is unjudged counts as nonrelevant in most measures."
    least, most = min(judged, key=judged.__getitem__), max(judged, key=judged.__getitem__)
    if judged[most] - judged[least] > UNEVEN:
        yield (
            f"The holes differ between runs: {_percent(judged[most])} of the first {within} documents of {most} are "
            f"judged, and {_percent(judged[least])} of those of {least}."
        )


def _about_ties(data: ReportData) -> Iterator[str]:
    within = data.first.depth
    n_first = [int(one.retrieved_in[:within].sum()) for one in data.described]
    shares = {
        run: tied / first
        for run, tied, first in zip(data.scores.runs, data.first.n_tied, n_first, strict=True)
        if first and tied / first > MANY_TIED
    }
    if shares:
        most = max(shares, key=shares.__getitem__)
        share, first = _percent(shares[most]), f"of the first {within} documents"
        said = f"{share} {first} of {most} have the score of another one"
        if len(shares) > 1:
            said = (
                f"Of {_listed(list(shares))} more than {_percent(MANY_TIED)} {first} have the score of another one "
                f"({share} of those of {most})"
            )
        yield f"{said}: their order is not that of the system."


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def _listed(names: Sequence[str]) -> str:
    if len(names) > MOST_NAMED:
        return f"{len(names)} runs ({', '.join(names[:MOST_NAMED])}, ...)"
    return _all_of(names)


def _all_of(names: Sequence[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]] if names[1:] else names)
