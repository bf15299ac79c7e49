"""Findings and cautions of the HTML report as sentences."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence

from irevalx.evaluation.topic_selection import level_warnings
from irevalx.experiments.coverage import are_relevant_only
from irevalx.lab.comparison.pairs import ComparedMeasure, ComparedPair
from irevalx.lab.comparison.results import ComparedPairs
from irevalx.lab.html_report.data import ReportData, ScoresData, better_first, main_pair, others_in
from irevalx.lab.html_report.scores import ReportedMeasure
from irevalx.parameters import join_words
from irevalx.statistics.significance import correction_named

FEW_JUDGED = 0.8
"""Share of judged documents among a run's first documents below which a caution is added."""

MANY_TIED = 0.1
"""Share of tied scores among a run's first documents above which a caution is added."""

LEAST_SHARE = 0.005
"""Runs whose shares of judged documents differ by less than this value count as equally judged."""

LEAST_P = 0.001
"""The p-value below which p-values are reported as smaller than this value."""

MOST_NAMED = 3
"""Maximum number of runs named in a sentence."""


def findings(data: ScoresData) -> list[str]:
    """Return the findings as sentences, the main result first, after the verdicts. Empty if no runs were compared."""
    verdicts = [] if data.verdicts is None else [data.verdicts.conclusion, *data.verdicts.sentences]
    return [*verdicts, *_findings(data)]


def _findings(data: ScoresData) -> list[str]:
    compared = data.scores.compared
    if compared is None:
        return []
    by_name = {measure.name: measure for measure in data.scores.measures}
    tested = [
        (of_measure, by_name[of_measure.name])
        for of_measure in compared.measures
        if by_name[of_measure.name].direction and of_measure.comparisons.pairs
    ]
    if not tested:
        return []
    main, *others = tested
    if len(data.identical_runs) == 1 and len(data.identical_runs[0]) == len(data.scores.runs):
        return [f"{_identical(data, _listed(data.scores.runs))} {_coverage(main[0])}".rstrip()]
    first, *other_depths = _by_depth(compared) or [main[0]]
    return [
        f"{_headline(data, *main, is_main=True)} {_coverage(first)}".rstrip(),
        *_of_main_pair(data, *main),
        *(_headline(data, *of_measure) for of_measure in others),
        *(_coverage(of_measure) for of_measure in other_depths if not _is_all_judged(of_measure)),
        f"Significance: {compared.how_tested}",
        *_on_intervals(data, compared),
    ]


def _headline(data: ScoresData, of_measure: ComparedMeasure, measure: ReportedMeasure, *, is_main: bool = False) -> str:
    if not of_measure.comparisons.pairs[1:]:
        return _of_pair(data, of_measure, measure)
    return _of_best(data, of_measure, measure, is_main=is_main)


def _on_intervals(data: ScoresData, compared: ComparedPairs) -> list[str]:
    """Return a note on intervals that, unlike the p-values, are not corrected for comparisons with a baseline."""
    of_measures = [of_measure for of_measure in compared.measures if of_measure.comparisons.pairs]
    if data.baseline is None or not any(
        _is_corrected(of_measure) and not _holds_for_all(of_measure) for of_measure in of_measures
    ):
        return []
    return [
        f"The {percent(data.scores.confidence)} intervals are for single differences (unadjusted); significance "
        f"is determined from p-values corrected for the {len(of_measures[0].comparisons.pairs)} pairs of runs under "
        "each measure."
    ]


def _by_depth(compared: ComparedPairs) -> list[ComparedMeasure]:
    """Return the first measure of each depth; empty if coverage is unknown or all judged documents are relevant."""
    first: dict[int, ComparedMeasure] = {}
    for of_measure in compared.measures:
        coverage = of_measure.measured.coverage
        if coverage is not None and not coverage.of_relevant_only:
            first.setdefault(coverage.depth, of_measure)
    return list(first.values())


def _is_all_judged(of_measure: ComparedMeasure) -> bool:
    return of_measure.measured.coverage is not None and min(of_measure.measured.coverage.judged_among_retrieved) == 1


def _coverage(of_measure: ComparedMeasure) -> str:
    """Return whether the runs are equally judged, and the shares of judged documents among their first documents."""
    coverage = of_measure.measured.coverage
    if coverage is None or coverage.of_relevant_only:
        return ""
    judged = dict(zip(of_measure.runs, coverage.judged_among_retrieved, strict=True))
    least, most = min(judged, key=judged.__getitem__), max(judged, key=judged.__getitem__)
    equally = "equally" if judged[most] - judged[least] < LEAST_SHARE else "not equally"
    shares = {run: percent(share) for run, share in judged.items()}
    is_same = len(set(shares.values())) == 1
    values = shares[least] if is_same else f"between {shares[least]} ({least}) and {shares[most]} ({most})"
    among = f"the first {coverage.depth} documents" if coverage.depth > 1 else "the documents at rank 1"
    return f"The runs are {equally} judged: of {among}{' of each run' * is_same}, {values} are judged."


def _of_main_pair(data: ScoresData, of_measure: ComparedMeasure, measure: ReportedMeasure) -> Iterator[str]:
    """Yield the finding on the pair of the main result, unless another finding contains it."""
    pairs, best = of_measure.pairs, of_measure.runs[of_measure.best_first[0]]
    if not pairs[1:]:
        return
    pair = main_pair(of_measure, data.baseline)
    by = f"{_difference(of_measure, measure, pair)}{_determined(data, measure, pair)}."
    if data.baseline is None:
        [other] = others_in(pair, best)
        n_different = sum(bool(each.differ) for each in pairs)
        counted = f"{n_different} of {len(pairs)} pairs of runs {_are(n_different)} significantly different."
        if pair.differ:
            yield f"{best} is significantly better than {other}, the best run that differs significantly from it: {by}"
        else:
            second = "" if other in of_measure.best_runs else ", the second best run,"
            yield f"{best} and {other}{second} are not significantly different: {by}"
        yield counted
    elif best == data.baseline:
        verdict = "significantly worse than" if pair.differ else "not significantly different from"
        yield f"The best of the other runs, {pair.run}, is {verdict} {best}: {by}"
    elif pair.run == best and pair.differ:
        yield f"{best} is significantly better than {data.baseline}: {by}"
    else:
        [of_best] = [each for each in pairs if each.run == best]
        difference = _difference(of_measure, measure, of_best)
        yield f"{best} is not significantly different from {data.baseline}: {difference}."
        if pair.run != best:
            yield f"{pair.run} is the best run that is significantly better than {data.baseline}: {by}"


def _identical(data: ScoresData, runs: str) -> str:
    """Return the sentence on runs with identical rankings, or with identical values."""
    if not isinstance(data, ReportData):
        return f"{runs} have identical values of all measures for every topic."
    depth = f"the same first {data.first.depth} documents" if data.first.depth > 1 else "the same first document"
    return (
        f"{runs} have identical rankings: {depth}, in the same order, and the same ranks of all judged "
        "documents for every topic."
    )


def _is_corrected(of_measure: ComparedMeasure) -> bool:
    """Return whether p-values are corrected for several comparisons."""
    return (
        len(of_measure.comparisons.pairs) > 1 and correction_named(of_measure.comparisons.method.correction) != "none"
    )


def _holds_for_all(of_measure: ComparedMeasure) -> bool:
    """Return whether the comparisons have simultaneous intervals."""
    return not all(math.isnan(pair.simultaneous_low) for pair in of_measure.pairs)


def _of_pair(data: ScoresData, of_measure: ComparedMeasure, measure: ReportedMeasure) -> str:
    """Return the finding on the only pair of runs."""
    [pair] = of_measure.pairs
    better, worse = better_first(pair, measure.direction)
    by = _difference(of_measure, measure, pair)
    if pair.differ:
        sentence = f"{better} is significantly better than {worse}: {by}"
    else:
        sentence = f"{better} and {worse} are not significantly different: {by}"
    return f"{sentence} over {_topics(of_measure)}{_determined(data, measure, pair)}."


def _determined(data: ScoresData, measure: ReportedMeasure, pair: ComparedPair) -> str:
    """Return a clause if bounds show that no completion of the judgments can change the sign."""
    is_determined = (
        pair.difference != 0
        and data.is_determined(measure.name, pair)
        and min(pair.judged_among_retrieved, pair.judged_among_retrieved_against) < 1
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


def _of_first(depth: int) -> str:
    return f"of the first {depth} documents" if depth > 1 else "of the first documents"


def _of_best(data: ScoresData, of_measure: ComparedMeasure, measure: ReportedMeasure, *, is_main: bool) -> str:
    """Return the finding on the best run, and on the runs that are not significantly different from it.

    The difference from the baseline under the main measure is in another finding.
    """
    best = of_measure.runs[of_measure.best_first[0]]
    extreme = "highest" if measure.direction > 0 else "lowest"
    score = of_measure.scores[of_measure.best_first[0]]
    tied, of_topics = of_measure.best_runs, f"{measure.title}, {score:.3f} over {_topics(of_measure)}"
    if len(tied) == len(of_measure.runs):
        sentence = f"All {len(tied)} runs have the same {of_topics}"
        if data.baseline is None:
            return f"{sentence}."
    elif tied[1:]:
        sentence = f"{_listed(tied)} are tied with the {extreme} {of_topics}"
    else:
        sentence = f"{best} has the {extreme} {of_topics}"
    if data.baseline not in {None, best} and not is_main:
        [pair] = [pair for pair in of_measure.pairs if pair.run == best]
        sentence += f"; its difference from {data.baseline} is {_difference(of_measure, measure, pair)}"
    return f"{sentence}. {_others(data, of_measure, measure, best)}."


def _others(data: ScoresData, of_measure: ComparedMeasure, measure: ReportedMeasure, best: str) -> str:
    pairs = of_measure.pairs
    if data.baseline is not None:
        sign = measure.direction
        better, worse = (
            [pair.run for pair in pairs if pair.differ and factor * sign * pair.difference > 0] for factor in (1, -1)
        )
        n_same = len(pairs) - len(better) - len(worse)
        which = f" ({_first_of(better)})" if better else ""
        are_better = f"{_number(better)}{which} {_are(len(better) or 1)} significantly better than {data.baseline}"
        are_worse = f"{_number(worse)} {_are(len(worse) or 1)} significantly worse"
        if not n_same:
            return f"Of {len(pairs)} runs, {are_better}, and {are_worse}"
        return (
            f"Of {len(pairs)} runs, {are_better}, {are_worse}, and {n_same} {_are(n_same)} not significantly different"
        )
    it = best if of_measure.best_runs[1:] else "it"
    like = [run for pair in pairs if not pair.differ for run in others_in(pair, best)]
    n_others = len(of_measure.runs) - 1
    if not like:
        return f"{'Both' if n_others == 2 else f'All {n_others}'} other runs are significantly different from {it}"
    n_like = f"{len(like)} of the {n_others} other runs"
    return f"{n_like} {_are(len(like))} not significantly different from {it} ({_first_of(like)})"


def _number(runs: Sequence[str]) -> str:
    return str(len(runs) or "none")


def _are(number: int) -> str:
    return "is" if number == 1 else "are"


def cautions(data: ScoresData) -> list[str]:
    """Return the cautions as sentences."""
    sentences = [*_about_identical(data)]
    if isinstance(data, ReportData):
        sentences += [*_about_topics(data), *_about_judgments(data), *_about_ties(data)]
    if data.scores.compared is None and data.scores.runs[1:]:
        sentences.append(
            "Runs are not compared, because there is no measure and topic for which every run has a value."
        )
    return [*sentences, *_warned(data)]


def _about_identical(data: ScoresData) -> Iterator[str]:
    groups = data.identical_runs
    if len(groups) == 1 and len(groups[0]) < len(data.scores.runs):
        yield _identical(data, _listed(groups[0]))
    elif groups[1:]:
        named = "; ".join([*map(_listed, groups[:MOST_NAMED]), *(["..."] if groups[MOST_NAMED:] else [])])
        yield _identical(data, f"The runs in each of {len(groups)} groups ({named})")


def _warned(data: ScoresData) -> Iterator[str]:
    """Yield the warnings of the comparison with requested names, merging equal warnings about several measures."""
    titles = {measure.name: measure.title for measure in data.scores.measures}
    names = "|".join(map(re.escape, sorted(titles, key=len, reverse=True)))
    name = re.compile(rf"(?<![\w.])(?:{names})(?![\w.])")
    alike: dict[str, list[str]] = {}
    for line in (warned.removesuffix(": see the column depends_on_unjudged") for warned in data.warned):
        alike.setdefault(name.sub("", line, count=1), []).append(line)
    for first, *others in alike.values():
        sentence = name.sub(lambda match: titles[match[0]], first, count=1)
        sentence = sentence if name.match(first) else sentence[:1].upper() + sentence[1:]
        more = [titles[match[0]] for line in others if (match := name.search(line))]
        yield f"{sentence}; the same applies to {join_words(more, 'and')}." if more else f"{sentence}."


def _about_topics(data: ReportData) -> Iterator[str]:
    topics = data.judgments.topics
    missing = [sum(topic not in ranked.topics for topic in topics) for ranked in data.first.ranked]
    what = "count as 0" if data.settings.complete else "are excluded from its means"
    for run, number in zip(data.scores.runs, missing, strict=True):
        if number:
            yield f"{run} has no results for {number} of {len(topics)} judged topics, which {what}."
    if any(missing) and data.settings.complete:
        yield (
            "Topics without results count as 0 in means; shares of judged documents among the retrieved documents are "
            "over the topics with results."
        )
    if any(missing) and missing[1:] and not data.settings.complete:
        yield (
            "The means in the table of runs are over the topics of each run, so they are not comparable between runs "
            "with different topics; findings and tests are over the topics for which every run has results."
        )


def _about_judgments(data: ReportData) -> Iterator[str]:
    if are_relevant_only(data.judgments.grades, data.settings.level):
        return
    requests = [measure.request for measure in data.scores.measures]
    for line in level_warnings(data.judgments, requests, data.settings):
        yield f"{line}."
    within = data.first.depth
    judged = {
        run.name: 1 - int(run.unjudged_in[:within].sum()) / int(run.retrieved_in[:within].sum())
        for run in data.described
        if run.retrieved
    }
    if not judged:
        return
    few = [name for name, share in judged.items() if share < FEW_JUDGED]
    if few:
        least = min(few, key=judged.__getitem__)
        share, first = percent(judged[least]), _of_first(within)
        sentence = f"{share} {first} of {least} are judged"
        if few[1:]:
            sentence = f"Less than {percent(FEW_JUDGED)} {first} are judged for {_listed(few)} ({share} for {least})"
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
        share, first = percent(shares[most]), _of_first(within)
        sentence = f"{share} {first} of {most} have tied scores"
        if len(shares) > 1:
            sentence = (
                f"More than {percent(MANY_TIED)} {first} of {_listed(list(shares))} have tied scores "
                f"({share} for {most})"
            )
        yield f"{sentence}; their order comes from tie-breaking, not from the system."


def percent(share: float) -> str:
    """Return a share in percent; only 0 and 1 are 0% and 100%."""
    for decimals in (0, 1):
        text = f"{100 * share:.{decimals}f}"
        if share in {0, 1} or float(text) not in {0, 100}:
            return f"{text}%"
    return "< 0.1%" if share < 0.5 else "> 99.9%"


def _listed(names: Sequence[str]) -> str:
    if len(names) > MOST_NAMED:
        return f"{len(names)} runs ({', '.join(names[:MOST_NAMED])}, ...)"
    return join_words(names, "and")


def _first_of(names: Sequence[str]) -> str:
    return ", ".join([*names[:MOST_NAMED], *(["..."] if names[MOST_NAMED:] else [])])
