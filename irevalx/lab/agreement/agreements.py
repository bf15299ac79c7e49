"""How far two scorings of the same runs agree: correlations, errors, changes of rank, decisions and overlap."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from irevalx import parameters
from irevalx.api.forms import source_of
from irevalx.api.inputs import Qrels, Run, Runs
from irevalx.api.own_measures import Measures
from irevalx.api.scores import Scores
from irevalx.api.user_warnings import warn
from irevalx.errors import ArgumentError, UsageError, shown_name
from irevalx.experiments.ranked_runs import MEASURES
from irevalx.experiments.seeds import MOST_DRAWS, chosen_seed
from irevalx.experiments.user_data import are_given, measures_of, opened_runs, ranked_runs_of
from irevalx.frozen import Frozen, fields
from irevalx.lab.agreement.paired_scorings import PairedScores, paired_scores
from irevalx.lab.agreement.run_overlap import RunOverlap, looks_like_run, overlap_of_runs, overlap_of_scorings
from irevalx.lab.agreement.scorings import Scoring, scorings_of_samples
from irevalx.lab.command.result import Result
from irevalx.reading.formats import SAMPLED, read_trec_results
from irevalx.reading.runs import RunStream as OpenedRun
from irevalx.reading.source import CHUNK_SIZE, Source
from irevalx.reports.table import Table
from irevalx.statistics.best_runs import TOP_STATISTICS, TOP_TITLE
from irevalx.statistics.bootstrap import STATISTICS, bootstrap_warnings
from irevalx.statistics.correlations import agree as agreement_of
from irevalx.statistics.decisions import DECISION_COLUMNS, DECISION_HEADS, DECISION_NOTE, Confusion
from irevalx.statistics.rank_biased_overlap import OVERLAP_COLUMNS
from irevalx.trec_eval.versions import TREC_EVAL_10


class AgreementOfMeasure(Frozen, kw_only=True):
    """How far two scorings agree under a measure; y is compared with x.

    Parameters
    ----------
    tau, tau_b, tau_ap, tau_ap_b, pearson : correlations of the runs' scores; tau counts ties as concordant, tau_ap
        takes x for the reference, and tau_ap_b is its mean with either scoring as the reference. All but tau are nan
        if all runs of a scoring are tied.
    rms, bias : root mean square and mean of y - x.
    rank_change : mean absolute change of a run's rank.
    rise, fall : the most ranks that a run gains or loses in y; 0 where none does.
    risen, fallen : the run that does; None where none does.
    significant : the share of runs whose scores differ significantly (paired t test over topics, p < 0.05); None for
        two measures, or without values by topic.
    runs : their number.
    inversions : pairs of runs that y puts in the opposite order; ties are not among them.
    decisions : how pairwise decisions go together; None where ``significant`` is.
    intervals : by statistic, over draws of topics; None where none were asked for, or without values by topic.
    overlap : rank-biased overlap of the rankings of runs, by the names of ``OVERLAP_COLUMNS``; None if not asked for.
    top : agreement over the best runs of x, by the names of ``TOP_STATISTICS``; None if not asked for.
    top_intervals : likewise; None where ``intervals`` is, or if not asked for.
    """

    measure: str
    tau: float
    tau_b: float
    tau_ap: float
    tau_ap_b: float
    pearson: float
    rms: float
    bias: float
    rank_change: float
    rise: int
    risen: str | None
    fall: int
    fallen: str | None
    significant: float | None
    runs: int
    inversions: int
    decisions: Confusion | None
    intervals: Mapping[str, tuple[float, float]] | None
    overlap: Mapping[str, float] | None
    top: Mapping[str, float | None] | None = None
    top_intervals: Mapping[str, tuple[float, float]] | None = None


_DECISIONS = "pairwise decisions"

_LAST = ("inversions", "tau_ap_b", "tau_ap_b_low", "tau_ap_b_high")
"""The columns that programs see after all others, so that these stay where they were."""

_NESTED = ("decisions", "intervals", "overlap", "top", "top_intervals")
"""Fields of a row that are several columns of a table."""


class ScoringAgreement(Result):
    """How far two scorings agree, measure by measure.

    Parameters
    ----------
    rows : one for each measure.
    seed : of the draws of topics; None where none were drawn.
    top : how many of the best runs there is more about; None for nothing.
    """

    rows: Sequence[AgreementOfMeasure]
    seed: int | None = None
    top: int | None = None

    def tables(self) -> list[Table]:
        """Return one table with a row for each measure."""
        first, *others = self._parts()
        names = (*first.columns, *(column for part in others for column in part.columns[1:]))
        columns = (*(name for name in names if name not in _LAST), *(name for name in _LAST if name in names))
        rows = []
        for number, row in enumerate(first.rows):
            values = (*row, *(value for part in others for value in part.rows[number][1:]))
            rows.append(tuple(map(dict(zip(names, values, strict=True)).get, columns)))
        return [Table("agreement", columns, rows)]

    def tables_for_people(self) -> list[Table]:
        """Return the same as several tables, without those that have nothing."""
        parts = [part for part in self._parts() if any(value is not None for row in part.rows for value in row[1:])]
        note = DECISION_NOTE.format(full="X", reduced="Y")
        return [part.in_words(DECISION_HEADS, note) if part.title == _DECISIONS else part for part in parts]

    def _parts(self) -> list[Table]:
        """Return the columns by what they are about, after the measures."""
        columns = tuple(name for name in fields(AgreementOfMeasure) if name not in _NESTED)
        counts = [row.decisions.columns if row.decisions else {} for row in self.rows]
        decisions = [{name: number.item() for name, number in of_row.items()} for of_row in counts]
        tables = [
            Table("agreement", columns, [tuple(getattr(row, name) for name in columns) for row in self.rows]),
            self._part(_DECISIONS, DECISION_COLUMNS, decisions),
        ]
        if self.seed is not None:
            columns = tuple(f"{name}_{end}" for name in STATISTICS for end in ("low", "high"))
            tables.append(self._part("intervals of agreement", columns, [_ends(row.intervals) for row in self.rows]))
        if any(row.overlap for row in self.rows):
            overlaps = [row.overlap or {} for row in self.rows]
            tables.append(self._part("rank-biased overlap", OVERLAP_COLUMNS, overlaps))
        if self.top is not None:
            ends = () if self.seed is None else ("_low", "_high")
            columns = tuple(f"{name}{end}" for name in TOP_STATISTICS for end in ("", *ends))
            best = [{**(row.top or {}), **_ends(row.top_intervals)} for row in self.rows]
            tables.append(self._part(f"{TOP_TITLE.format(k=self.top)} by X", columns, best))
        return tables

    def _part(self, title: str, columns: Sequence[str], values: Sequence[Mapping[str, Any]]) -> Table:
        """Return a table with the measures and, where there are some, their values by column."""
        rows = [(row.measure, *map(of_row.get, columns)) for row, of_row in zip(self.rows, values, strict=True)]
        return Table(title, ("measure", *columns), rows)


def _ends(intervals: Mapping[str, tuple[float, float]] | None) -> dict[str, float]:
    """Return the ends of intervals by column; none where there are no intervals."""
    found: dict[str, float] = {}
    for name, (low, high) in (intervals or {}).items():
        found |= {f"{name}_low": low, f"{name}_high": high}
    return found


def agree(
    x: Any,
    y: Any,
    runs: Runs | None = None,
    measures: Measures = (),
    *,
    against: str | None = None,
    rbo: float | None = None,
    top: int | None = None,
    resamples: int = 0,
    seed: int | None = None,
    level: float = 1,
    complete: bool = False,
    min_retrieved: float = 0.0,
    grades: str = "whole",
    rel_format: str = "qrels",
) -> ScoringAgreement | RunOverlap:
    """Measure how far two scorings of the same runs agree.

    Parameters
    ----------
    x, y : scorings: ``Scores``, dictionaries as ``Scores.to_dict`` has them, or files that irevalx or trec_eval
        printed. With ``runs`` two judgments instead, as ``irevalx.evaluate`` takes them, and the runs are evaluated
        with each. With ``rbo`` they may be two runs.
    runs : what was retrieved: ``{name: {topic: {docno: score}}}``, or whatever else ``irevalx.evaluate`` takes; at
        least two.
    measures : such as "map", "P.5,10" or "nDCG@10"; one or several. Without measures, eight usual ones.
    against : compare every measure of y with this one of x, named as irevalx prints it; None for the same.
    rbo : add rank-biased overlap, this being the chance of looking at the next rank, in (0, 1).
    top : K, at least 2: add tau-b over the K best runs by x (runs tied with the K-th are among them), their overlap
        with the K best by y, and the loss of choosing the best run by y. None for none of these.
    resamples : of topics, for intervals; 0 for none.
    seed : of the draws of topics; None for a new one, which the result has.
    level : the least grade that is relevant.
    complete : evaluate all judged topics, those that a run lacks as 0; otherwise the topics that every run has.
    min_retrieved : leave out runs with less than this share of the documents that they might have; 0 keeps all.
    grades : what the grades of judgments are: "whole" numbers, "real" ones, which are gains as they are, or each the
        "probability" that the document is relevant.
    rel_format : the format of judgments that are files, such as "qrels", "beir", "json" or "sampled". With "sampled"
        each of x and y is a file of a sample of strata or of qrels, and measures of grades, of strata and of
        probabilities stand side by side.

    Returns
    -------
    A row for each measure; for two runs, a row for each topic, of their rankings of documents.

    Raises
    ------
    InputError : the scorings have no runs or no measure in common.
    IrevalxError : as ``irevalx.evaluate``.

    Examples
    --------
    >>> import irevalx
    >>> before = {"bm25": {"1": {"map": 0.5}, "2": {"map": 0.7}}, "dense": {"1": {"map": 0.3}, "2": {"map": 0.4}}}
    >>> after = {"bm25": {"1": {"map": 0.4}, "2": {"map": 0.5}}, "dense": {"1": {"map": 0.5}, "2": {"map": 0.6}}}
    >>> [row] = irevalx.lab.agree(before, after).rows
    >>> row.measure, row.tau, row.inversions
    ('map', -1.0, 1)
    """
    resamples = parameters.whole_number("resamples", resamples, least=0, most=MOST_DRAWS)
    if rbo is not None:
        rbo = parameters.real_number("rbo", rbo)
        if rbo is None or not 0 < rbo < 1:
            raise parameters.argument_error("rbo", "a number above 0 and below 1", rbo)
    top = None if top is None else parameters.whole_number("top", top, least=2)
    given = are_given(runs)
    options: dict[str, Any] = {"grades": grades, "level": level, "complete": complete, "min_retrieved": min_retrieved}
    if not given:
        asked = {"measures": measures, "rel_format": rel_format, **options}
        usual = ((), "qrels", "whole", 1, False, 0.0)
        _refuse(asked, usual, "together with runs, or not at all")
    if rbo is not None and not given:
        x, y = _kept(x, "x"), _kept(y, "y")
        if _are_runs(x, y):
            asked = {"against": against, "resamples": resamples, "top": top}
            _refuse(asked, (None, 0, None), "for scorings only, but x and y are runs")
            return overlap_of_runs(_run_of(x), _run_of(y), rbo, warn)
    if given:
        scorings = _evaluated((x, y), runs, measures_of(measures) or MEASURES, rel_format, options)
    else:
        scorings = [_scoring_of(x, "x"), _scoring_of(y, "y")]
    found = paired_scores(scorings[0], scorings[1], against, warn)
    for line in _warnings(found, resamples):
        warn(line)
    drawn = chosen_seed(seed) if resamples else None
    rows = [_row(paired, resamples, drawn, rbo, top) for paired in found]
    return ScoringAgreement(rows, drawn, top, notes=_topics_of(scorings, found))


def _topics_of(scorings: Sequence[Scoring], found: Sequence[PairedScores]) -> tuple[str, ...]:
    """Return sentences that say which topics the scores are over; one if that is the same for all of them."""
    evaluated = [one.which_topics for one in scorings if one.which_topics]
    measures: dict[str, list[str]] = {}
    for paired in found:
        if not (evaluated and paired.n_shared == paired.n_topics):
            measures.setdefault(paired.which_topics, []).append(paired.measure)
    if len(set(evaluated)) == 1:
        notes = [f"Topics: {evaluated[0]}."]
    else:
        notes = [f"Topics of {side}: {words}." for side, words in zip("XY", evaluated, strict=False)]
    for words, names in measures.items():
        of_all = len(names) == len(found)
        notes.append(
            f"Topics{'' if of_all else ' of ' + ', '.join(names)}{' that count' if evaluated else ''}: {words}."
        )
    return tuple(notes)


def _row(
    paired: PairedScores, resamples: int, seed: int | None, rbo: float | None, top: int | None
) -> AgreementOfMeasure:
    intervals, top_intervals = (None, None) if seed is None else paired.intervals(resamples, top, seed=seed)
    return AgreementOfMeasure(
        measure=paired.measure,
        **agreement_of(*paired.scores, paired.runs),
        significant=paired.changed,
        runs=len(paired.runs),
        decisions=paired.decisions,
        intervals=intervals,
        overlap=None if rbo is None else overlap_of_scorings(paired, rbo),
        top=None if top is None else paired.at_the_top(top),
        top_intervals=top_intervals,
    )


def _refuse(options: Mapping[str, Any], usual: Sequence[Any], rule: str) -> None:
    """Raise ArgumentError for the first option that is not as usual: it must be given by the rule."""
    for (name, value), default in zip(options.items(), usual, strict=True):
        if value != default:
            raise ArgumentError(f"{name} must be given {rule}")


def _warnings(found: Sequence[PairedScores], resamples: int) -> list[str]:
    """Return a line for each measure under which runs differ in both directions, and one if topics are few."""
    lines = []
    for paired in found:
        if pairs := paired.reversed_pairs:
            first, second = pairs[0]
            more = f" and {len(pairs) - 1} more pairs" if pairs[1:] else ""
            lines.append(
                f"{paired.measure}: {first} and {second}{more} differ significantly in both scorings, but in opposite "
                "directions"
            )
    if resamples:
        numbers = [paired.n_shared for paired in found if paired.n_shared is not None]
        lines += bootstrap_warnings(min(numbers)) if numbers else []
    return lines


def _evaluated(
    judgments: Sequence[Any], runs: Any, measures: Sequence[str], rel_format: str, options: Mapping[str, Any]
) -> list[Scoring]:
    """Evaluate the runs with each of several judgments."""
    each = opened_runs(runs)
    if rel_format == SAMPLED.name:
        sources = [source_of(one, what) for one, what in zip(judgments, "xy", strict=True)]
        return scorings_of_samples(sources, each, measures, **options)
    found = []
    for one, what in zip(judgments, "xy", strict=True):
        ranked = ranked_runs_of(one, each, measures, rel_format=rel_format, **options)
        path = what if isinstance(one, Qrels) else shown_name(ranked.judgments.documents.path)
        found.append(Scoring.of(path, ranked))
    return found


def _kept(given: Any, what: str) -> Any:
    """Return what was given, a file with its content, so that it can be looked at and read again."""
    if isinstance(given, Scores | Run | Mapping | Scoring):
        return given
    return source_of(given, what).in_memory()


def _scoring_of(given: Any, what: str) -> Scoring:
    """Read a scoring, whatever form it has."""
    if isinstance(given, Scores):
        given = given.to_dict()
    if isinstance(given, Mapping):
        return Scoring.given(given, what)
    return Scoring.read(given if isinstance(given, Source) else source_of(given, what))


def _run_of(given: Any) -> OpenedRun:
    """Open a run, whatever form it has."""
    if isinstance(given, Source):
        return read_trec_results(given, TREC_EVAL_10, False, warn)
    [run] = opened_runs(given).runs
    return run


def _are_runs(x: Any, y: Any) -> bool:
    """Return whether both are runs; raises UsageError if one of them is."""
    found = [_is_run(one) for one in (x, y)]
    if found[0] != found[1]:
        (run, other) = ((x, "x"), (y, "y")) if found[0] else ((y, "y"), (x, "x"))
        names = [shown_name(one.path) if isinstance(one, Source) else what for one, what in (run, other)]
        raise UsageError(
            f"x and y must both be runs, or both be scorings, but {names[0]} is a run and {names[1]} is none"
        )
    return found[0]


def _is_run(given: Any) -> bool:
    """Return whether it is a run: a file that looks like one, or ``{topic: {docno: score}}``."""
    if isinstance(given, Source):
        return looks_like_run(b"".join(given.chunks(CHUNK_SIZE)))
    if isinstance(given, Mapping):
        return not any(isinstance(value, Mapping) for topic in given.values() for value in topic.values())
    return isinstance(given, Run)
