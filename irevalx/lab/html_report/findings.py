"""The findings and the cautions of the HTML report, as sentences."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from irevalx.errors import RunWarning, RunWarnings
from irevalx.evaluation.topic_selection import level_warnings, only_relevant
from irevalx.frozen import replace
from irevalx.lab.comparison.conclusions import FIRST_NAMES, Conclusion, Finding, listed
from irevalx.lab.comparison.pairs import ComparedMeasure, ComparedPair
from irevalx.lab.comparison.results import ComparedPairs
from irevalx.lab.html_report.data import ReportData, ScoresData
from irevalx.reports.report import judged_in_words, percent
from irevalx.wording import join_words

FEW_JUDGED = 0.8
"""The share of judged documents in a run's top documents below which a sentence on unjudged documents is added."""

_AS_NONRELEVANT = "Most measures treat unjudged documents as nonrelevant."

MANY_TIED = 0.1
"""The share of tied scores in a run's top documents above which a caution is added."""

LEAST_SHARE = 0.005
"""The difference between shares of judged documents below which runs are called equally judged."""


def findings(data: ScoresData) -> list[Finding]:
    """Return the findings as sentences: the verdicts, the main result, and the other results.

    If no runs were compared, the list is empty.
    """
    verdicts = [] if data.verdicts is None else data.verdicts.summary
    return [*verdicts, *_findings(data)]


def _findings(data: ScoresData) -> list[Finding]:
    compared = data.scores.compared
    if compared is None:
        return []
    tested = [
        conclusion
        for conclusion in data.scores.conclusions.values()
        if conclusion.of_measure.measured.direction and conclusion.of_measure.comparisons.pairs
    ]
    if not tested:
        return []
    main, *others = tested
    if len(data.identical_runs) == 1 and len(data.identical_runs[0]) == len(data.scores.runs):
        return [Finding(f"{_identical(data, listed(data.scores.runs))} {_coverage(main.of_measure)}".rstrip())]
    on_main_pair: list[str] = []
    if main.of_measure.pairs[1:]:  # if there is one pair, the first finding describes it
        on_main_pair += main.on_main_pair(_determined(data, main.pair_of(main.main_run)))
    first, *other_depths = _by_depth(compared) or [main.of_measure]
    return [
        Finding(f"{_headline(data, main, is_main=True)} {_coverage(first)}".rstrip(), main.of_measure.name),
        *map(Finding, (*on_main_pair, *main.on_ranks())),
        *(Finding(_headline(data, other), other.of_measure.name) for other in others),
        *map(Finding, _further(data, compared, other_depths)),
    ]


def _further(data: ScoresData, compared: ComparedPairs, other_depths: Sequence[ComparedMeasure]) -> list[str]:
    """Return the last findings, which describe the judgments and the tests."""
    return [
        *(_coverage(of_measure) for of_measure in other_depths if not _is_all_judged(of_measure)),
        f"Significance: {compared.how_tested}",
        *compared.on_dependence,
        *compared.note_on_measures,
        *_on_intervals(data, compared),
    ]


def _headline(data: ScoresData, conclusion: Conclusion, *, is_main: bool = False) -> str:
    """Return the finding about the only pair, or about the best run and the other runs.

    The difference from the baseline in the main measure is described by a separate finding.
    """
    baseline, best = data.baseline, conclusion.best
    if len(conclusion.of_measure.comparisons.pairs) == 1:
        [pair] = replace(conclusion, baseline=None).oriented_pairs
        over = conclusion.of_measure.comparisons.topics_in_words
        return f"{conclusion.on_pair(pair)} over {over}{_determined(data, pair)}.{conclusion.caution(pair)}"
    if baseline is None:
        return conclusion.verdict()
    sentence = conclusion.leader()
    if best != baseline and not is_main:
        sentence += f"; its difference from {baseline} is {conclusion.difference(conclusion.pair_of(best))}"
    return f"{sentence}. {conclusion.verdict()}"


def _determined(data: ScoresData, pair: ComparedPair) -> str:
    """Return a clause if no completion of the judgments can change the sign of a difference, or an empty string."""
    is_determined = (
        pair.difference != 0
        and data.is_determined(pair)
        and min(pair.judged_among_retrieved, pair.judged_among_retrieved_against) < 1
    )
    return "; no judgment of the unjudged documents can change its sign" if is_determined else ""


def _on_intervals(data: ScoresData, compared: ComparedPairs) -> list[str]:
    """Return a note if comparisons with a baseline have corrected p-values but unadjusted intervals."""
    if data.baseline is None or not any(
        conclusion.of_measure.is_corrected and not conclusion.is_simultaneous
        for conclusion in data.scores.conclusions.values()
    ):
        return []
    return [
        f"The {percent(data.scores.confidence)} intervals are for single differences (unadjusted); significance "
        f"is determined from p-values corrected for the {len(compared.measures[0].comparisons.pairs)} pairs of runs "
        "under each measure."
    ]


def _by_depth(compared: ComparedPairs) -> list[ComparedMeasure]:
    """Return the first measure for each evaluation depth.

    If the coverage is unknown, or if all judged documents are relevant, the list is empty.
    """
    first: dict[int, ComparedMeasure] = {}
    for of_measure in compared.measures:
        coverage = of_measure.measured.coverage
        if coverage is not None and not coverage.of_relevant_only:
            first.setdefault(coverage.depth, of_measure)
    return list(first.values())


def _is_all_judged(of_measure: ComparedMeasure) -> bool:
    return of_measure.measured.coverage is not None and min(of_measure.measured.coverage.judged_among_retrieved) == 1


def _coverage(of_measure: ComparedMeasure) -> str:
    """Return a sentence that compares the shares of judged documents of the runs, or "" if they are unknown."""
    coverage = of_measure.measured.coverage
    if coverage is None or coverage.of_relevant_only:
        return ""
    judged = dict(zip(of_measure.runs, coverage.judged_among_retrieved, strict=True))
    equally = "equally" if max(judged.values()) - min(judged.values()) < LEAST_SHARE else "not equally"
    treated = f" {_AS_NONRELEVANT}" if min(judged.values()) < FEW_JUDGED else ""
    return f"The runs are {equally} judged. {judged_in_words(judged, coverage.depth)}{treated}"


def _identical(data: ScoresData, runs: str) -> str:
    """Return a sentence which states that runs have identical rankings or values."""
    if not isinstance(data, ReportData):
        return f"{runs} have identical values of all measures for every topic."
    depth = f"the same first {data.first.depth} documents" if data.first.depth > 1 else "the same first document"
    return (
        f"{runs} have identical rankings: {depth}, in the same order, and the same ranks of all judged "
        "documents for every topic."
    )


def _of_first(depth: int) -> str:
    return f"of the first {depth} documents" if depth > 1 else "of the first documents"


def cautions(data: ScoresData) -> list[str]:
    """Return the cautions as sentences."""
    sentences = [*_about_identical(data)]
    if isinstance(data, ReportData):
        sentences += [*_about_topics(data), *_about_judgments(data), *_about_ties(data)]
        sentences += [] if data.scores.compared is None else data.scores.compared.note_on_equally_unjudged
    if data.scores.compared is None and data.scores.runs[1:]:
        sentences.append(
            "Runs are not compared, because there is no measure and topic for which every run has a value."
        )
    return [*sentences, *_warned(data)]


def _about_identical(data: ScoresData) -> Iterator[str]:
    groups = data.identical_runs
    if len(groups) == 1 and len(groups[0]) < len(data.scores.runs):
        yield _identical(data, listed(groups[0]))
    elif groups[1:]:
        named = "; ".join([*map(listed, groups[:FIRST_NAMES]), *(["..."] if groups[FIRST_NAMES:] else [])])
        yield _identical(data, f"The runs in each of {len(groups)} groups ({named})")


def _warned(data: ScoresData) -> Iterator[str]:
    """Yield the warnings of the comparison with the requested names of measures. Merge equal warnings."""
    titles = {measure.name: measure.title for measure in data.scores.measures}
    names = "|".join(map(re.escape, sorted(titles, key=len, reverse=True)))
    name = re.compile(rf"(?<![\w.])(?:{names})(?![\w.])")
    alike: dict[str, list[str]] = {}
    for line in data.warned:
        alike.setdefault(name.sub("", line, count=1), []).append(line)
    for first, *others in alike.values():
        sentence = name.sub(lambda match: titles[match[0]], first, count=1)
        sentence = sentence if name.match(first) else sentence[:1].upper() + sentence[1:]
        more = [titles[match[0]] for line in others if (match := name.search(line))]
        yield f"{sentence}; the same applies to {join_words(more, 'and')}." if more else f"{sentence}."


def _about_topics(data: ReportData) -> Iterator[str]:
    topics = data.judgments.topics
    missing = [len(description.missing) for description in data.first.described]
    what = "count as 0" if data.settings.complete else "are excluded from its means"
    lines = list[str]()
    with RunWarnings(lines.append) as about_runs:
        for run, number in zip(data.scores.runs, missing, strict=True):
            if number:
                text = f"{run} has no results for {number} of {len(topics)} judged topics, which {what}"
                about_runs.add([RunWarning("missing topics", text, number)])
    yield from (f"{line}." for line in lines)
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
    requests = [measure.request for measure in data.scores.measures]
    for line in level_warnings(data.judgments, requests, data.settings):
        yield f"{line}."
    if relevant_only := only_relevant(data.judgments, requests, data.settings):  # in this case, judged@K equals P@K
        yield from () if relevant_only[1] else (f"{relevant_only[0]}.",)
        return
    within = data.first.depth
    judged = {
        run.name: 1 - int(run.unjudged_in[:within].sum()) / int(run.retrieved_in[:within].sum())
        for run in data.first.described
        if run.retrieved
    }
    if not judged:
        return
    least = min(judged, key=judged.__getitem__)
    if data.scores.compared is None and judged[least] < FEW_JUDGED:  # otherwise, the findings contain these shares
        yield f"{percent(judged[least])} {_of_first(within)} of {least} are judged. {_AS_NONRELEVANT}"


def _about_ties(data: ReportData) -> Iterator[str]:
    within = data.first.depth
    n_first = [int(description.retrieved_in[:within].sum()) for description in data.first.described]
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
                f"More than {percent(MANY_TIED)} {first} of {listed(list(shares))} have tied scores "
                f"({share} for {most})"
            )
        yield f"{sentence}; their order comes from tie-breaking, not from the system."
