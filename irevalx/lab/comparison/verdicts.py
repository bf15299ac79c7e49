"""Verdicts on runs from noninferiority tests against a baseline, and the exit status of a gate."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, NamedTuple

import numpy as np

from irevalx.arrays.segments import BoolArray, FloatArray
from irevalx.errors import ArgumentError, warn
from irevalx.experiments.coverage import Coverage, has_shift, shifts
from irevalx.frozen import replace
from irevalx.lab.comparison.conclusions import IF_RELEVANT, MOST_NAMES, Finding, listed
from irevalx.lab.comparison.margins import Margins, margins_of
from irevalx.lab.comparison.non_inferiority import (
    CANNOT_TELL,
    NOT_WORSE,
    WORSE,
    Improvements,
    OverCollections,
    most_margins,
)
from irevalx.lab.comparison.pairs import ComparedMeasure, Comparison
from irevalx.measures.selection import RequestedMeasure
from irevalx.reports.report import JUDGED
from irevalx.reports.table import Table
from irevalx.statistics.paired_comparisons import Comparisons, Method
from irevalx.statistics.significance import FEW_TOPICS
from irevalx.wording import first_names, is_parameter, spelled

FEW_DIFFERING = 10
"""The number of differing topics below which a note lists the number."""

_UNSEEN = 0.05
"""The probability with which a sample contains no topic with a loss, given the share of topics with a loss in a
note."""

FOUND_WORSE, UNDECIDED = 3, 5
"""The exit statuses of a gate that fails: a run is worse, or no run is worse but a verdict is "cannot tell"."""

REQUIREMENTS = ("not-worse", "better", "equivalent")
"""The possible values of the parameter ``require``."""


class GateRow(NamedTuple):
    """The verdict on a run in one measure."""

    measure: str
    run: str
    against: str
    mean: float  # summary value of the run, as the evaluator prints it
    mean_against: float
    difference: float  # run minus baseline; positive if the run is better, regardless of the measure's direction
    low: float  # interval of the difference, simultaneous over all runs and measures; nan if fewer than 5 topics
    high: float  # differ, or all topics differ by the same amount
    margin: float  # noninferiority margin, in units of the measure
    topics: int
    least_margin: float  # margin with which a run as good as the baseline passes with probability 0.8; nan if undefined
    verdict: str  # ``not worse``, ``worse`` or ``cannot tell``
    differing: int  # topics with a nonzero difference
    change: float  # mean difference over these topics
    largest_change: float  # largest absolute difference of a topic
    p: float  # p-value of the sign-flip test
    direction: int  # 1 if the run is significantly better, -1 if it is significantly worse, and otherwise 0
    # share of judged documents in the run's top K; K is the cutoff of the measure, or 10 if there is none
    judged_among_retrieved: float  # nan if unknown
    judged_among_retrieved_against: float
    depends_on_unjudged: bool | None  # whether the verdict would change if unjudged documents were relevant half as
    # often as judged ones; None if the rule is not applied
    missing: int = 0  # topics for which the run has no results, which count as 0
    verdict_on_common_topics: str = ""  # verdict on the topics that all runs have; empty if no topics are missing
    relative_margin: float = math.nan  # share of the baseline's mean, if the margin is a percentage
    ratio_low: float = math.nan  # Fieller's interval of mean / mean_against, at the same level, if the margin is a
    ratio_high: float = math.nan  # percentage; nan without an interval, or if mean_against can be 0
    equivalent: bool = False  # whether both the loss and the gain are less than the margin
    # verdict if unjudged documents were relevant half as often as judged ones; "" if a run has no judged documents,
    if_relevant: str | None = None  # None unless the verdict depends on unjudged documents
    collection: str = ""  # name of the collection, or "" for the mean over collections

    @property
    def is_better(self) -> bool:
        """Whether the run is significantly better than the baseline."""
        return self.direction > 0

    @property
    def on_unjudged(self) -> str:
        """A clause that states why the verdict depends on unjudged documents, or "" if it does not."""
        if not self.depends_on_unjudged:
            return ""
        return (
            f'{IF_RELEVANT}, it would be "{self.if_relevant}"' if self.if_relevant else "a run has no judged documents"
        )

    def rounded(self, digits: int) -> str:
        """Return the difference and its interval as text, rounded to a number of decimals."""
        interval = "(no interval)" if math.isnan(self.low) else f"[{self.low:.{digits}f}, {self.high:.{digits}f}]"
        ratio = f", ratio [{self.ratio_low:.{digits}f}, {self.ratio_high:.{digits}f}]"
        return f"{self.difference:.{digits}f} {interval}{'' if math.isnan(self.ratio_low) else ratio}"

    @property
    def few_differing(self) -> str | None:
        """A sentence about the topics that differ, or None if no sentence is needed.

        The sentence is needed if few topics differ, if the interval is undefined, or if all values are 0. Means over
        collections have no such sentence.
        """
        if math.isnan(self.change):
            return None
        if not self.differing and self.verdict == CANNOT_TELL:
            return f"{self.run} in {self.measure}: all values of both runs are 0, so the runs cannot be compared."
        if not self.differing or (self.differing >= FEW_DIFFERING and not math.isnan(self.low)):
            return None
        is_few = self.differing < FEW_TOPICS
        topics = f"all {self.topics} topics differ by the same amount"
        if is_few or not math.isnan(self.low):
            at_most = f", by at most {self.largest_change:.4g}" if is_few else ""
            topics = f"{self.differing} of {self.topics} topics differ{'s' * (self.differing == 1)}{at_most}"
        sentence = f"{self.run} in {self.measure}: {topics}; the mean change over these topics is {self.change:+.4f}."
        if is_few:
            unseen = 1 - _UNSEEN ** (1 / self.topics)
            sentence += f" Losses on fewer than {unseen:.1%} of topics can go unseen."
        if self.direction or self.verdict != CANNOT_TELL or not math.isnan(self.low):
            return sentence
        return f"{sentence} This is not enough to conclude whether the run is better or worse on other topics."


class Gate(Comparison, kw_only=True):
    """The result of ``gate``: verdicts on each run in each measure.

    If there are several collections, the result also contains verdicts on each collection.
    """

    rows: Sequence[GateRow]
    """The verdict on each run in each measure."""
    require: str = REQUIREMENTS[0]
    """The requirement that a run must meet to pass, one of ``REQUIREMENTS``."""
    allow_unsure: bool = False
    """Whether a run passes if its verdict is "cannot tell"."""
    on_missing: Sequence[str] = ()
    """Sentences about verdicts that depend on missing topics."""
    collections: Sequence[str] = ()
    """The names of the collections if there are several, or an empty sequence."""

    titled: ClassVar[bool] = True

    def passes(self, row: GateRow) -> bool:
        """Return whether a run meets the requirement in a measure."""
        if self.require == "better":
            return row.is_better
        if self.require == "equivalent":
            return row.equivalent
        return row.verdict == NOT_WORSE or (self.allow_unsure and row.verdict == CANNOT_TELL)

    def case(self, row: GateRow) -> str:
        """Return the measure of a verdict, as text.

        If there are several collections, the text includes the collection or the mean.
        """
        return f"{row.measure} ({row.collection or 'mean over collections'})" if self.collections else row.measure

    @property
    def status(self) -> int:
        """The exit status: 0 if all runs pass, ``FOUND_WORSE`` if a run is worse, and otherwise ``UNDECIDED``."""
        if any(row.verdict == WORSE for row in self.rows):
            return FOUND_WORSE
        return 0 if all(map(self.passes, self.rows)) else UNDECIDED

    @property
    def conclusion(self) -> str:
        """A sentence that counts the verdicts, and states whether the gate passed."""
        n_found = {kind: sum(row.verdict == kind for row in self.rows) for kind in (NOT_WORSE, WORSE, CANNOT_TELL)}
        parts = [f"{number} {kind}" for kind, number in n_found.items() if number]
        if self.require != REQUIREMENTS[0]:
            parts.append(f"{sum(map(self.passes, self.rows))} {self.require}")
        verdicts = f"{len(self.rows)} verdict{'s' if self.rows[1:] else ''}"
        return f"{'Failed' if self.status else 'Passed'}: {', '.join(parts)} ({verdicts} against {self.baseline})."

    @property
    def sentences(self) -> list[str]:
        """A sentence for each verdict, and remarks on verdicts that depend on few topics or on missing topics."""
        words = {NOT_WORSE: "is not worse than", WORSE: "is worse than", CANNOT_TELL: "could be worse than"}
        return [
            f"{row.run} {words[row.verdict]} {row.against} in {self.case(row)}: "
            f"{row.rounded(3)}, margin {row.margin:.4g}"
            f"{f'; this verdict depends on unjudged documents: {row.on_unjudged}' if row.on_unjudged else ''}."
            for row in self.rows
        ] + self._remarks

    @property
    def summary(self) -> list[Finding]:
        """The conclusion, and a sentence for each verdict.

        If there are many verdicts, there is a sentence for each measure instead.
        """
        if len(self.rows) <= MOST_NAMES:
            measures = [*(row.measure if row.on_unjudged else "" for row in self.rows), *("" for _ in self._remarks)]
            return [Finding(self.conclusion), *map(Finding, self.sentences, measures)]
        summary = [Finding(self.conclusion)]
        for of_measure in self.measures:
            rows = [row for row in self.rows if row.measure == of_measure.name]
            by_verdict = {
                kind: [
                    f"{row.run}{f' on {row.collection}' * bool(row.collection)}" for row in rows if row.verdict == kind
                ]
                for kind in (NOT_WORSE, WORSE, CANNOT_TELL)
            }
            each = "; ".join(f"{kind}: {listed(runs)}" for kind, runs in by_verdict.items() if runs)
            n_dependent = sum(bool(row.on_unjudged) for row in rows)
            caution = f" {n_dependent} of these verdicts depend on unjudged documents." if n_dependent else ""
            margin = f"margin {rows[0].margin:.4g}"
            sentence = f"{of_measure.name} against {self.baseline}, {margin}: {each}.{caution}"
            summary.append(Finding(sentence, of_measure.name if caution else ""))
        return [*summary, *map(Finding, self._remarks)]

    def about(self) -> dict[str, Any]:
        """Return a description of how verdicts were determined, and the conclusion, for JSON output."""
        of_gate = {
            "comparisons": len(self.rows),
            "how_tested": f"{self._confidence} Worse and better also require p < alpha in {self._sign_flips}.",
            "margins": {self.case(row): row.margin for row in self.rows},
            "require": self.require,
            "allow_unsure": self.allow_unsure,
            "status": self.status,
            "passed": self.status == 0,
            "conclusion": self.conclusion,
        }
        return {**super().about(), **of_gate, "notes": [*self._remarks, *self.notes]}

    def tables(self) -> list[Table]:
        """Return the table of verdicts."""
        return [Table.of("verdicts", GateRow, self.rows, n_labels=3, without=("collection",) * (not self.collections))]

    def tables_for_people(self) -> list[Table]:
        """Return the table of verdicts with notes. The conclusion is the title of the table."""
        cautious = any(row.depends_on_unjudged for row in self.rows)
        heads = self.coverage_heads(cautious=cautious)
        is_relative = any(not math.isnan(row.relative_margin) for row in self.rows)
        ratios = ("ratio_low", "ratio_high") if is_relative else ()
        over = " (mean over collections: with Satterthwaite's degrees of freedom)" * bool(self.collections)
        ratio = (
            f"ratio low to high: Fieller's interval of the ratio of the means, at the same level{over}. If the margin "
            "is a percentage D, ratio low > 1 - D replaces low > -margin (if lower values are better, ratio high < 1 + "
            "D)."
        )
        equivalent = "equivalent: not worse, and the gain is less than the margin by the same rule."
        of = ("collection",) * bool(self.collections)
        own = (
            "measure",
            "run",
            *of,
            "difference",
            "low",
            "high",
            *ratios,
            "margin",
            "topics",
            "least_margin",
            "verdict",
        )
        columns, n_labels = (*own, *heads), 2 + len(of)
        few = [
            f"If fewer than {FEW_TOPICS} topics differ, a run is also not worse if the largest change is at most "
            f"{most} margins and, multiplied by an upper bound of the share of topics that differ, below the margin."
            for most in sorted({most_margins(row.topics) for row in self.rows if 0 < row.differing < FEW_TOPICS})
            if self.measures[0].comparisons.clusters is None
        ]
        notes = [
            *self._remarks,
            f"difference: improvement over {self.baseline}; low to high: {self._confidence}",
            "verdict: not worse if low > -margin, or if no topic differs (unless all values are 0); otherwise worse if "
            f"high < 0 and p < alpha in {self._sign_flips}; otherwise cannot tell.",
            *[ratio] * is_relative,
            *[equivalent] * (self.require == "equivalent"),
            *few,
            "least margin: the margin with which a run as good as the baseline would pass with probability 0.8 on this "
            "number of topics.",
            *self.coverage_notes(cautious=cautious),
        ]
        [table] = self.tables()
        optional = (f"{JUDGED} {JUDGED}_against", "topics", "least_margin")
        shown_table = table.showing(
            *columns, title=self.conclusion, n_labels=n_labels, notes=tuple(notes), fits=True, optional=optional
        )
        passes = ["passes" if self.passes(row) else "fails" for row in self.rows]
        named = [[cell or "mean over collections" for cell in row[:n_labels]] for row in shown_table.rows]
        of_rows = zip(named, shown_table.rows, passes, strict=True)
        cells = [(*labels, *row[n_labels:], word) for labels, row, word in of_rows]
        return [replace(shown_table, columns=(*columns, "gate"), rows=cells).in_words(heads)]

    @property
    def dependent(self) -> list[BoolArray]:
        """Whether the verdict on each pair depends on unjudged documents, as one mask for each measure."""
        return [np.array([bool(clause) for clause in clauses], np.bool_) for clauses in self.on_unjudged]

    @property
    def on_unjudged(self) -> list[list[str]]:
        """The clauses ``GateRow.on_unjudged`` of all pairs, for each measure."""
        return [
            [row.on_unjudged for row in self.rows if row.measure == of_measure.name] for of_measure in self.measures
        ]

    @property
    def without_caution(self) -> list[str]:
        """The names of measures for which dependence on unjudged documents is not determined."""
        known = {row.measure for row in self.rows if row.depends_on_unjudged is not None}
        return [of_measure.name for of_measure in self.measures if of_measure.name not in known]

    @property
    def _confidence(self) -> str:
        share, n_rows = f"{100 * (1 - self.method.alpha):g}%", len(self.rows)
        t_interval = "t interval"
        if (clusters := self.measures[0].comparisons.clusters) is not None:
            degrees = "" if clusters.are_too_few else f", CR2, {clusters.degrees}"
            t_interval = f"cluster-robust t interval ({clusters}{degrees})"
        if n_rows == 1:
            return f"{share} {t_interval}."
        if self.collections:
            n_means = [row.collection for row in self.rows].count("")
            of_means = f"verdicts on means over collections ({n_means})"
            of_single = f"verdicts on single collections ({n_rows - n_means})"
            return (
                f"{share} {t_interval}s, simultaneous over {of_means} and, separately, over {of_single} (Bonferroni)."
            )
        each = f"{100 * (1 - self.method.alpha / n_rows):.4g}%"
        return f"{each} {t_interval}, simultaneous over all {n_rows} verdicts at {share} (Bonferroni)."

    @property
    def _sign_flips(self) -> str:
        """The name of the test that decides on the direction of a difference."""
        return "a sign-flip test" + " of clusters" * (self.measures[0].comparisons.clusters is not None)

    @property
    def _remarks(self) -> list[str]:
        slight = [
            f"{row.run} is significantly worse in {row.measure}, but by less than the margin."
            for row in self.rows
            if row.verdict == NOT_WORSE and row.direction < 0
        ]
        return [*self.on_missing, *slight, *filter(None, self._on_few_differing)]

    @property
    def _on_few_differing(self) -> list[str | None]:
        comparisons = self.measures[0].comparisons
        if comparisons.clusters is None:
            return [row.few_differing for row in self.rows]
        if not comparisons.are_tested:
            return [f"Runs are {comparisons.why_untested}."]
        return [
            f"{row.run} in {row.measure}: {row.differing} of {row.topics} topics differ, which is in fewer than "
            f"{FEW_TOPICS} clusters or by the same amount; no interval is computed."
            if row.differing and math.isnan(row.low)
            else None
            if row.differing
            else row.few_differing
            for row in self.rows
        ]


def verdicts_on(
    compared: Sequence[ComparedMeasure],
    baselines: Sequence[str],
    margin: Margins,
    alpha: float,
    missing: Mapping[str, frozenset[str]],
    **rules: Any,
) -> Gate:
    """Return verdicts on runs against a baseline, with simultaneous intervals at the confidence level 1 - alpha.

    The argument ``missing`` maps each run to its missing topics. Topics that are missing from the baseline are
    excluded. A run scores 0 on its own missing topics.
    """
    n_rows = sum(len(of_measure.comparisons.pairs) for of_measure in compared)
    if not n_rows:
        raise ArgumentError("runs must include at least one run besides the baseline")
    rows, on_missing = [], []
    if excluded := missing[baselines[0]]:
        names = first_names(sorted(excluded), "topic")
        on_missing.append(f"Verdicts exclude topics that the baseline {baselines[0]} lacks: {names}.")
        warn(on_missing[0])
        compared = [of_measure.without_topics(excluded) for of_measure in compared]
    margins = margins_of(compared, margin)
    option = f" ({spelled('common_topics', True)})" if is_parameter("common_topics") else ""
    for of_measure in compared:
        rule, topics = (*margins[of_measure.name], alpha / n_rows), frozenset(of_measure.measured.topics)
        on_common = of_all = verdicts_of(of_measure, *rule)
        common = topics.difference(*missing.values())
        if common and common != topics:
            on_common = verdicts_of(of_measure.without_topics(topics - common), *rule)
        for row, other in zip(of_all, on_common, strict=True):
            lacking = sorted(topics & missing[row.run])
            rows.append(row._replace(missing=len(lacking), verdict_on_common_topics=other.verdict if lacking else ""))
            if lacking and row.verdict != other.verdict:
                on_missing.append(
                    f"{row.run} lacks {len(lacking)} of {row.topics} topics ({first_names(lacking, 'topic')}), which "
                    f"count as 0: {row.verdict} in {row.measure}. On the {len(common)} topics of all runs{option}: "
                    f"{other.verdict}."
                )
    method = Method("t", "bonferroni", "t", alpha)
    for of_measure in compared:
        if (n_topics := of_measure.comparisons.values.shape[1]) < FEW_TOPICS:
            warn(
                f"{of_measure.name} has values for {n_topics} topic{'s' * (n_topics != 1)}; verdicts from fewer than "
                f"{FEW_TOPICS} topics are unreliable"
            )
    return Gate(measures=compared, baselines=baselines, method=method, rows=rows, on_missing=on_missing, **rules)


def verdicts_with(
    margin: Margins | None, compared: Comparison | None, missing: Mapping[str, frozenset[str]]
) -> Gate | None:
    """Return verdicts on the runs, or None if there is no margin. Raise ArgumentError if no runs are compared."""
    if margin is None:
        return None
    if compared is None:
        raise ArgumentError(f"{spelled('margin')} requires a measure and topics for which every run has a value")
    return verdicts_on(compared.measures, compared.baselines, margin, compared.method.alpha, missing)


def verdicts_of(of_measure: ComparedMeasure, number: float, is_share: bool, alpha: float) -> list[GateRow]:
    """Return the verdicts on all runs in one measure.

    ``number`` is a margin in units of the measure or, if ``is_share`` is true, a share of the baseline's mean.
    """
    comparisons, measured = of_measure.comparisons, of_measure.measured
    baseline = comparisons.values[comparisons.pairs[0][0]]
    parts = comparisons.parts if isinstance(comparisons, OverCollections) else ()
    improved = Improvements(
        measured.direction * comparisons.by_topic + 0.0, alpha, comparisons.clusters, parts
    )  # adding 0.0 changes -0.0 to 0.0
    n_topics = improved.d.shape[1]
    ends = (*improved.interval, improved.least_margins)
    lows, highs, least = (comparisons.scale.of_mean(end, n_topics).tolist() for end in ends)
    margin = number * baseline * np.sign(baseline.mean()) if is_share else number
    if_relevant = verdicts_if_relevant(comparisons, improved, margin, measured.top_coverage, measured.request)
    verdicts, equivalent = improved.verdicts(margin), improved.equivalent(margin)
    ratios = improved.ratio_interval(comparisons.values[comparisons.second], baseline) if is_share else (math.nan,) * 2
    from_ratio, to_ratio = (np.where(improved.without_spread, np.nan, end).tolist() for end in ratios)
    depends = [None if after is None else before != after for before, after in zip(verdicts, if_relevant, strict=True)]
    if measured.direction > 0:  # runs whose values are all 0 are not equivalent
        is_zero: BoolArray = np.asarray(~comparisons.values.any(axis=1))
        for row, (first, second) in enumerate(comparisons.pairs):
            if is_zero[first] and is_zero[second]:
                verdicts[row], equivalent[row] = CANNOT_TELL, False
    return [
        GateRow(
            **of_measure.scores_of(row)
            | {
                "difference": measured.as_printed(measured.direction * float(comparisons.difference[row]) + 0.0),
                "low": lows[row],
                "high": highs[row],
            },
            margin=number * abs(float(baseline.mean())) if is_share else number,
            topics=n_topics,
            least_margin=least[row],
            verdict=verdicts[row],
            differing=int(improved.differing[row]),
            change=float(improved.mean_of_differing[row]),
            largest_change=float(improved.largest[row]),
            p=float(improved.p[row]),
            direction=int(improved.direction[row]),
            depends_on_unjudged=depends[row],
            if_relevant=if_relevant[row] if depends[row] else None,
            relative_margin=number if is_share else math.nan,
            ratio_low=from_ratio[row],
            ratio_high=to_ratio[row],
            equivalent=bool(equivalent[row]),
        )
        for row in range(len(comparisons.pairs))
    ]


def verdicts_if_relevant(
    comparisons: Comparisons,
    improved: Improvements,
    margin: float | FloatArray,
    coverage: Coverage | None,
    request: RequestedMeasure | None,
) -> list[str | None]:
    """Return the verdicts if unjudged documents were relevant half as often as judged documents.

    A verdict is None if it cannot be determined, and "" if a run has no judged documents. If the interval is undefined,
    the verdict is determined only for runs that are not worse because no topic differs or because few topics differ by
    little. The verdict is "cannot tell" if the loss from unjudged documents plus the bound of the mean difference
    reaches the margin.
    """
    # ``tests/unequal_judging.py --gate`` compares verdicts before and after deeper judgments of the run (margin 0.02):
    # on robust03, "worse" changed in 164 of 679 cases. A warning was issued in 163 of these, and in 0.42 of the others.
    if coverage is None or request is None or improved.d.shape[1] < FEW_TOPICS or not has_shift(comparisons, request):
        return [None] * len(comparisons.pairs)
    shift = shifts(comparisons, coverage, request)  # the rule applies only if higher values are better
    shifted = replace(improved, d=improved.d + np.nan_to_num(shift)[:, np.newaxis])
    before, mean_margin = np.array(improved.verdicts(margin)), float(np.mean(margin))
    by_few = improved.without_spread & ((improved.differing == 0) | improved.differs_little(mean_margin))
    of_few = np.where(improved.greatest_mean - shift >= mean_margin, CANNOT_TELL, before)
    after = np.where(shift == 0, before, np.where(by_few, of_few, shifted.verdicts(margin)))
    verdicts: list[str] = np.where(np.isnan(shift), "", after).tolist()
    is_known = (~improved.without_spread | by_few).tolist()
    return [verdict if known else None for verdict, known in zip(verdicts, is_known, strict=True)]
