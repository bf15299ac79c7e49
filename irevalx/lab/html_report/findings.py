"""Findings and cautions of the HTML report as sentences."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence

from irevalx.errors import RunWarning, RunWarnings
from irevalx.evaluation.topic_selection import level_warnings, only_relevant
from irevalx.frozen import Frozen
from irevalx.lab.comparison.conclusions import ALIKE, BETTER, WORSE, Conclusion
from irevalx.lab.comparison.pairs import ComparedMeasure, ComparedPair
from irevalx.lab.comparison.results import ComparedPairs
from irevalx.lab.html_report.data import ReportData, ScoresData
from irevalx.lab.html_report.scores import ReportedMeasure
from irevalx.parameters import join_words

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
        _Finding(data, conclusion, by_name[name])
        for name, conclusion in data.scores.conclusions.items()
        if by_name[name].direction and conclusion.of_measure.comparisons.pairs
    ]
    if not tested:
        return []
    main, *others = tested
    of_measure = main.conclusion.of_measure
    if len(data.identical_runs) == 1 and len(data.identical_runs[0]) == len(data.scores.runs):
        return [f"{_identical(data, _listed(data.scores.runs))} {_coverage(of_measure)}".rstrip()]
    first, *other_depths = _by_depth(compared) or [of_measure]
    return [
        f"{main.headline(is_main=True)} {_coverage(first)}".rstrip(),
        *main.on_main_pair(),
        *(other.headline() for other in others),
        *(_coverage(of_measure) for of_measure in other_depths if not _is_all_judged(of_measure)),
        f"Significance: {compared.how_tested}",
        *_on_intervals(data, compared),
    ]


class _Finding(Frozen):
    """The findings under a measure."""

    data: ScoresData
    conclusion: Conclusion
    measure: ReportedMeasure

    @property
    def over_topics(self) -> str:
        """The number of topics as a phrase."""
        n_topics = self.conclusion.of_measure.comparisons.values.shape[1]
        return f"over {n_topics} topic{'s' * (n_topics != 1)}"

    def headline(self, *, is_main: bool = False) -> str:
        """Return the finding on the only pair, or on the best run and the other runs.

        The difference from the baseline under the main measure is in another finding.
        """
        conclusion, baseline = self.conclusion, self.data.baseline
        if len(conclusion.of_measure.comparisons.pairs) == 1:
            [pair] = Conclusion(conclusion.of_measure).oriented_pairs
            return f"{self.on_pair(pair)} {self.over_topics}{self.determined(pair)}."
        best, tied = conclusion.best, conclusion.of_measure.best_runs
        value = f"{self.measure.title}, {conclusion.best_score:.3f} {self.over_topics}"
        if conclusion.is_of_equals:
            sentence = f"All {len(tied)} runs have the same {value}"
            if baseline is None:
                return f"{sentence}."
        elif tied[1:]:
            sentence = f"{_listed(tied)} are tied with the {conclusion.extreme} {value}"
        else:
            sentence = f"{best} has the {conclusion.extreme} {value}"
        if baseline not in {None, best} and not is_main:
            sentence += f"; its difference from {baseline} is {self.difference(conclusion.pair_of(best))}"
        return f"{sentence}. {self.on_others()}."

    def on_others(self) -> str:
        """Return the runs that differ from the baseline, or the runs that do not differ from the best run."""
        conclusion, baseline = self.conclusion, self.data.baseline
        n_others = len(conclusion.of_measure.runs) - 1
        better, worse, alike = map(conclusion.runs_that_are, (BETTER, WORSE, ALIKE))
        if baseline is not None:
            which = f" ({_first_of(better)})" if better else ""
            are_better = f"{_number(better)}{which} {_are(len(better) or 1)} significantly better than {baseline}"
            are_worse = f"{_number(worse)} {_are(len(worse) or 1)} significantly worse"
            if not alike:
                return f"Of {n_others} runs, {are_better}, and {are_worse}"
            are_alike = f"{len(alike)} {_are(len(alike))} not significantly different"
            return f"Of {n_others} runs, {are_better}, {are_worse}, and {are_alike}"
        it = conclusion.best if conclusion.of_measure.best_runs[1:] else "it"
        if not alike:
            return f"{'Both' if n_others == 2 else f'All {n_others}'} other runs are significantly different from {it}"
        n_alike = f"{len(alike)} of the {n_others} other runs"
        return f"{n_alike} {_are(len(alike))} not significantly different from {it} ({_first_of(alike)})"

    def on_main_pair(self) -> Iterator[str]:
        """Yield the finding on the pair of the main result, unless another finding contains it."""
        conclusion, baseline = self.conclusion, self.data.baseline
        pairs, best, main = conclusion.of_measure.pairs, conclusion.best, conclusion.main_run
        if not pairs[1:]:
            return
        pair = conclusion.pair_of(main)
        by = f"{self.difference(pair)}{self.determined(pair)}."
        if baseline is None:
            if pair.differ:
                which = f"{main}, the best run that differs significantly from it"
                yield f"{best} is significantly better than {which}: {by}"
            else:
                second = "" if main in conclusion.of_measure.best_runs else ", the second best run,"
                yield f"{best} and {main}{second} are not significantly different: {by}"
            n_different = sum(bool(each.differ) for each in pairs)
            yield f"{n_different} of {len(pairs)} pairs of runs {_are(n_different)} significantly different."
        elif best == baseline:
            verdict = "significantly worse than" if pair.differ else "not significantly different from"
            yield f"The best of the other runs, {main}, is {verdict} {best}: {by}"
        elif main == best and pair.differ:
            yield f"{best} is significantly better than {baseline}: {by}"
        else:
            yield f"{best} is not significantly different from {baseline}: {self.difference(conclusion.pair_of(best))}."
            if main != best:
                yield f"{main} is the best run that is significantly better than {baseline}: {by}"

    def on_pair(self, pair: ComparedPair) -> str:
        """Return whether the runs of a pair, the better one first, are significantly different, and by how much."""
        if pair.differ:
            return f"{pair.run} is significantly better than {pair.against}: {self.difference(pair)}"
        return f"{pair.run} and {pair.against} are not significantly different: {self.difference(pair)}"

    def determined(self, pair: ComparedPair) -> str:
        """Return a clause if bounds show that no completion of the judgments can change the sign."""
        is_determined = (
            pair.difference != 0
            and self.data.is_determined(self.measure.name, pair)
            and min(pair.judged_among_retrieved, pair.judged_among_retrieved_against) < 1
        )
        return "; no judgment of the unjudged documents can change its sign" if is_determined else ""

    def difference(self, pair: ComparedPair) -> str:
        """Return a difference with its interval, and with the corrected p-value if the interval is not corrected."""
        simultaneous = self.conclusion.is_simultaneous
        ends = (pair.simultaneous_low, pair.simultaneous_high) if simultaneous else (pair.low, pair.high)
        sign = 1 if pair.difference >= 0 else -1
        low, high = sorted(sign * end for end in ends)
        by = f"{abs(pair.difference):.3f} {self.measure.title}"
        if not math.isnan(low):
            by += f" [{low:.3f}, {high:.3f}]"
        if not self.conclusion.is_corrected or math.isnan(pair.corrected_p):
            return by
        p = "< 0.001" if pair.corrected_p < LEAST_P else f"{pair.corrected_p:.3f}"
        return f"{by} ({'simultaneous interval' if simultaneous else f'corrected p {p}'})"


def _on_intervals(data: ScoresData, compared: ComparedPairs) -> list[str]:
    """Return a note on intervals that, unlike the p-values, are not corrected for comparisons with a baseline."""
    if data.baseline is None or not any(
        conclusion.is_corrected and not conclusion.is_simultaneous for conclusion in data.scores.conclusions.values()
    ):
        return []
    return [
        f"The {percent(data.scores.confidence)} intervals are for single differences (unadjusted); significance "
        f"is determined from p-values corrected for the {len(compared.measures[0].comparisons.pairs)} pairs of runs "
        "under each measure."
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


def _identical(data: ScoresData, runs: str) -> str:
    """Return the sentence on runs with identical rankings, or with identical values."""
    if not isinstance(data, ReportData):
        return f"{runs} have identical values of all measures for every topic."
    depth = f"the same first {data.first.depth} documents" if data.first.depth > 1 else "the same first document"
    return (
        f"{runs} have identical rankings: {depth}, in the same order, and the same ranks of all judged "
        "documents for every topic."
    )


def _of_first(depth: int) -> str:
    return f"of the first {depth} documents" if depth > 1 else "of the first documents"


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
    if relevant_only := only_relevant(data.judgments, requests, data.settings):  # judged@K equals P@K
        yield from () if relevant_only[1] else (f"{relevant_only[0]}.",)
        return
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
