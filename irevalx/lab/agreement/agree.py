"""The function ``agree``, which measures the agreement between two evaluations of the same runs, and its command."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, NamedTuple

import numpy as np

from irevalx import checks
from irevalx.api.custom_measures import Measures
from irevalx.api.inputs import Qrels, Run
from irevalx.api.scores import Scores, paths_of
from irevalx.declarations import choice, declared, file, refined, text, whole
from irevalx.errors import ArgumentError, UsageError, shown_name, warn
from irevalx.experiments.inputs import are_given, measures_of, run_streams
from irevalx.experiments.prepared_runs import prepare_graded_runs, prepare_runs
from irevalx.experiments.ranked_runs import MEASURES, EvaluationRules
from irevalx.experiments.seeds_and_shares import MOST_DRAWS, chosen_seed
from irevalx.experiments.strata import requests_of_samples, values_of_sample
from irevalx.frozen import replace
from irevalx.lab.agreement.evaluations import EvaluatedRuns, pair_values, read_sample
from irevalx.lab.agreement.paired_evaluations import PairedEvaluations
from irevalx.lab.agreement.run_overlap import RunOverlap, looks_like_run, overlap_of_runs, overlap_of_values
from irevalx.lab.command.common_options import ALL_OF_SCORES, OptionalRuns, Rbo, Seed
from irevalx.lab.command.common_options import measures as measures_parameter
from irevalx.lab.command.evaluation_options import EvaluationOptions, Unpack, evaluation_options
from irevalx.lab.command.notes import DECISION_HEADS, DECISION_NOTE, bootstrap_warnings, significance_note
from irevalx.lab.command.output import Result
from irevalx.reading.formats import read_trec_results
from irevalx.reading.judgment_formats import SAMPLED
from irevalx.reading.kinds.runs import RunStream as OpenedRun
from irevalx.reading.sources.files import Source
from irevalx.reading.sources.tables import source_of
from irevalx.reports.table import Table
from irevalx.statistics.bootstrap import STATISTICS, TOP_STATISTICS, TopicDraws
from irevalx.statistics.correlations import OVERLAP_COLUMNS
from irevalx.statistics.correlations import agree as agreement_of
from irevalx.statistics.decisions import DECISION_COLUMNS, OF_PAPERS, Confusion, DecisionRule
from irevalx.statistics.significance import TESTS
from irevalx.trec_eval import TREC_EVAL_10
from irevalx.wording import first_names, spelled


class AgreementRow(NamedTuple):
    """The agreement of two evaluations for one measure. Differences are values of y minus values of x."""

    measure: str
    tau: float
    """Kendall's tau, where tied pairs count as concordant."""

    tau_b: float
    """Kendall's tau-b. The value, like the next three values, is nan if all runs of an evaluation are tied."""

    tau_ap: float
    """The correlation tau_AP of y with the reference x."""

    tau_ap_b: float
    """The mean of tau_AP with the reference x and tau_AP with the reference y."""

    pearson: float
    rms: float
    """The root mean square of the differences y - x."""

    bias: float
    """The mean of the differences y - x."""

    rank_change: float
    """The mean absolute change in the ranks of the runs."""

    rise: int
    """The largest number of ranks that a run gains in y, or 0 if no run gains any."""

    risen: str | None
    """The name of the run with the largest rise, or None if no run rises."""

    fall: int
    """The largest number of ranks that a run loses in y, or 0 if no run loses any."""

    fallen: str | None
    """The name of the run with the largest fall, or None if no run falls."""

    significant: float | None
    """The share of runs whose values differ significantly between x and y (paired t test over topics, p < 0.05). The
    share is None if x and y have different measures, or if there are no values of single topics."""

    runs: int
    inversions: int
    """The number of pairs of runs that are in opposite order in x and y. Pairs with ties are not counted."""

    decisions: Confusion | None
    """The agreement of significance decisions on pairs of runs, or None if the field ``significant`` is None."""

    intervals: Mapping[str, tuple[float, float]] | None
    """The confidence interval of each statistic, including the statistics in ``top``, or None if topics are not
    resampled or have no values."""

    overlap: Mapping[str, float] | None
    """The rank-biased overlap of the rankings of runs, by the names in ``OVERLAP_COLUMNS``, or None if it was not
    requested."""

    top: Mapping[str, float | None] | None
    """The agreement over the best runs of x, by the names in ``TOP_STATISTICS``, or None if it was not requested."""


_DECISIONS = "significance decisions"

_LAST = ("inversions", "tau_ap_b", "tau_ap_b_low", "tau_ap_b_high")
"""The columns that come last in output for programs, so that the positions of earlier columns do not change."""

_NESTED = ("decisions", "intervals", "overlap", "top")
"""The fields of a row that have several columns in a table."""


class AgreementResult(Result):
    """The result of ``agree`` for two evaluations. The field ``rows`` contains one row for each measure."""

    rows: Sequence[AgreementRow]
    seed: int | None = None
    """The random seed with which topics are resampled, or None if topics are not resampled."""

    top: int | None = None
    """The number of best runs that are compared separately, or None for no separate comparison."""

    test: str = OF_PAPERS.test
    """The test by which pairs of runs are decided to differ significantly."""

    @property
    def _parts(self) -> dict[str, tuple[str, ...]]:
        """The columns of each displayed table, by title. The first column, the measure, is omitted."""
        parts = {
            "agreement": tuple(name for name in AgreementRow._fields[1:] if name not in _NESTED),
            _DECISIONS: DECISION_COLUMNS,
        }
        if self.seed is not None:
            parts["confidence intervals"] = tuple(f"{name}_{end}" for name in STATISTICS for end in ("low", "high"))
        if any(row.overlap for row in self.rows):
            parts["rank-biased overlap"] = OVERLAP_COLUMNS
        if self.top is not None:
            ends = ("",) if self.seed is None else ("", "_low", "_high")
            parts[f"the {self.top} best runs by X"] = tuple(f"{name}{end}" for name in TOP_STATISTICS for end in ends)
        return parts

    def tables(self) -> list[Table]:
        """Return a single table with a row for each measure."""
        names = [column for columns in self._parts.values() for column in columns]
        columns = (
            "measure",
            *(name for name in names if name not in _LAST),
            *(name for name in _LAST if name in names),
        )
        return [Table("agreement", columns, [tuple(map(_cells(row).get, columns)) for row in self.rows])]

    def tables_for_people(self) -> list[Table]:
        """Return several narrow tables of the columns. Tables without values are omitted."""
        [table] = self.tables()
        note = f"{significance_note(DecisionRule(self.test))} {DECISION_NOTE.format(full='X', reduced='Y')}"
        parts = []
        for title, columns in self._parts.items():
            part = replace(table, title=title).showing("measure", *columns)
            if any(value is not None for row in part.rows for value in row[1:]):
                parts.append(part.in_words(DECISION_HEADS, note) if title == _DECISIONS else part)
        return parts


def _cells(row: AgreementRow) -> dict[str, Any]:
    """Return a dictionary that maps the name of each column to the cell of this column in a row."""
    cells = row._asdict()
    if row.decisions is not None:
        cells |= {name: number.item() for name, number in row.decisions.columns.items()}
    for name, (low, high) in (row.intervals or {}).items():
        cells |= {f"{name}_low": low, f"{name}_high": high}
    return {**cells, **(row.overlap or {}), **(row.top or {})}


@declared(
    example="irevalx-lab agree qrels tenth runs/* -m 'map bpref infAP' --against map",
    scores=ALL_OF_SCORES,
    score_files=("x", "y"),
    evaluation=evaluation_options(requires="runs"),
)
def agree(
    x: Annotated[Any, file(names=("X",))],
    y: Annotated[Any, file(names=("Y",), shell_help="the evaluation that is compared with X")],
    runs: OptionalRuns = None,
    measures: Annotated[
        Measures,
        measures_parameter(
            f"with RUN, {' '.join(MEASURES)}; otherwise, all measures of X and Y",
            shell_help=(
                "With RUN, the measures to evaluate, as for irevalx -m, with their parameters and treatments of "
                "unjudged documents: 'map infAP.c=1 P.20:skip'. Without RUN, the measures of X and Y to compare."
            ),
        ),
        refined(shell_default=()),
    ] = (),
    *,
    against: Annotated[str | None, text(metavar="MEASURE")] = None,
    rbo: Rbo = None,
    top: Annotated[int | None, whole(2, metavar="K")] = None,
    test: Annotated[str, choice(*TESTS)] = OF_PAPERS.test,
    resamples: Annotated[int, whole(0, MOST_DRAWS, metavar="B")] = 0,
    seed: Seed = None,
    **evaluation: Unpack[EvaluationOptions],
) -> AgreementResult | RunOverlap:
    """Measure the agreement between two evaluations of the same runs.

    `x` and `y` are two evaluations of the runs: output files of irevalx or trec_eval, in the format of trec_eval (with
    runid) or as csv, tsv, json or jsonl. If `runs` is given, `x` and `y` are two sets of relevance judgments instead,
    and the runs are evaluated with each set. If `rbo` is given, `x` and `y` can also be two runs.

    The result has one row per measure. Correlations are Kendall's tau, in which ties count as concordant; tau-b; tau_AP
    of y with x as the reference (tau_ap), which does not compare runs that are tied in y; tau_AP,b (tau_ap_b), the mean
    of two values with x and with y as the reference (Urbano and Marrero 2017); and Pearson's correlation. The errors
    reported for y are its root mean square error and its bias. Changes of rank are described by the mean absolute
    change, by the largest rise and fall with the runs that rise and fall most, and by the number of inversions. An
    inversion is a pair of runs that y ranks in the opposite order (Büttcher et al., 2007, report inversions with tau).
    The column significant contains the share of runs whose values in x and y differ significantly (paired t test over
    topics, p < 0.05).

    Significance decisions on pairs of runs (p < 0.05 in the requested test, without correction) are compared as well.
    The result contains four numbers of pairs: pairs that differ significantly in neither evaluation (c11 in csv and
    json), in y only (new, c12), in x only (lost, c21), and in both (c22). The rate of false differences (fpr) is the
    share of pairs that differ significantly in y, among the pairs that do not in x. The rate of missed differences
    (fnr) is the share of pairs that do not differ significantly in y, among the pairs that do in x. Bompada et al.
    (2007) call these errors false negatives and false positives, respectively. Further columns are accuracy and g-mean.
    The last columns count the pairs that are significant in both evaluations (active), one (mixed) or neither
    (passive), by whether the same run is ahead in x and y (aa, ma, pa) or not (ad, md, pd). Significance decisions
    require values by topic (``irevalx -q``) and the same measure in x and y.

    With `rel_format="sampled"`, x and y are stratified samples (five columns) or qrels. Qrels are treated as a single
    stratum, in which the judged documents are the sample. Measures of grades, of strata and of inclusion probabilities
    can be combined. The inclusion probabilities are derived from the strata.

    Parameters
    ----------
    x, y : evaluations: ``Scores``, dictionaries like those of ``Scores.to_dict``, or output files of irevalx or
        trec_eval; with `runs`, relevance judgments as for ``irevalx.evaluate``; with `rbo`, evaluations or runs.
    measures : measures, such as "map", "P.5,10" or "nDCG@10"; one or several. If `runs` is not given, the measures of
        `x` and `y` to compare, by their names in the evaluations or by other names that irevalx knows. [default: with
        `runs`, map, infAP, indAP, subAP, bpref, bpref_10, RankEff and ndcg; otherwise, all measures of `x` and `y`]
    against : compare every measure of y with this measure of x, given by its printed name. [default: the same measure]
    rbo : add rank-biased overlap with this persistence, the probability of continuing to the next rank: the
        extrapolated (rbo_w_ext) and minimum overlap (rbo_w_min) of the rankings of runs or, for two runs, of the
        rankings of documents by topic, and the residual (rbo_w_res), the maximum minus the minimum. Tied items have
        equal rank. With persistence 1, it is average overlap: the mean of the agreements at ranks 1 to k, the length of
        the shorter ranking (Fagin et al. 2003; Webber et al. 2010); both overlaps are then equal, and the residual 0.
    top : add the agreement on the K best runs by x: tau-b over these runs (top_tau_b; runs tied with the K-th are
        included), the share of these runs that are among the K best by y (top_overlap), and the difference in x between
        its best run and the best run by y (loss). Higher values are assumed to be better.
    test : paired test over topics for significance decisions on pairs of runs: wilcoxon (Wilcoxon's signed rank test),
        as in the papers on incomplete judgments; t (Student's t test); or permutation (sign flips).
    resamples : number of bootstrap resamples of the topics, for 95% confidence intervals over the population of
        topics. Intervals of correlations and of `top` are computed by inverting a test; they account for the noise that
        resampling adds, and are therefore wider than the quantiles of the resamples. [default: 0, no intervals]

    Raises
    ------
    InputError : the evaluations have no run or no measure in common.
    IrevalxError : the inputs cannot be read or evaluated, as in ``irevalx.evaluate``.

    Examples
    --------
    >>> import irevalx
    >>> before = {"bm25": {"1": {"map": 0.5}, "2": {"map": 0.7}}, "dense": {"1": {"map": 0.3}, "2": {"map": 0.4}}}
    >>> after = {"bm25": {"1": {"map": 0.4}, "2": {"map": 0.5}}, "dense": {"1": {"map": 0.5}, "2": {"map": 0.6}}}
    >>> [row] = irevalx.lab.agree(before, after).rows
    >>> row.measure, row.tau, row.inversions
    ('map', -1.0, 1)
    """
    if are_given(runs):
        evaluated = _evaluated((x, y), runs, measures_of(measures) or MEASURES, EvaluationRules.of(**evaluation))
    else:
        if rbo is not None:
            x, y = _reusable(x, "x"), _reusable(y, "y")
            if _are_runs(x, y):
                for name, value, default in (
                    ("measures", measures_of(measures), ()),
                    ("against", against, None),
                    ("resamples", resamples, 0),
                    ("top", top, None),
                    ("test", test, OF_PAPERS.test),
                ):
                    if value != default:
                        raise ArgumentError(
                            f"{spelled(name)} compares measure values, but {spelled('x')} and {spelled('y')} are runs"
                        )
                return overlap_of_runs(_run_of(x), _run_of(y), rbo, warn)
        evaluated = [_evaluation_of(x, "x"), _evaluation_of(y, "y")]
    requested = () if are_given(runs) else measures_of(measures)
    pairs = pair_values(evaluated[0], evaluated[1], against, warn, measures=requested)
    for line in _warnings(pairs, resamples):
        warn(line)
    is_random = TESTS[test].exact is not None and any(paired.are_tested for paired in pairs)
    some_seed = chosen_seed(seed) if resamples or is_random else None
    drawn_seed, rule = (some_seed if resamples else None), DecisionRule(test, seed=some_seed or 0)
    rows = []
    for paired in pairs:
        intervals = None
        if drawn_seed is not None and paired.n_topics:
            intervals = paired.intervals(TopicDraws.of(paired.n_topics, resamples, drawn_seed), top=top)
        rows.append(
            AgreementRow(
                measure=paired.measure,
                **agreement_of(*paired.scores, paired.runs),
                significant=paired.changed,
                runs=len(paired.runs),
                decisions=replace(paired, rule=rule).decisions() if paired.are_tested else None,
                intervals=intervals,
                overlap=None if rbo is None else overlap_of_values(paired, rbo),
                top=None if top is None else paired.at_the_top(top),
            )
        )
    return AgreementResult(rows, drawn_seed, top, test, notes=_topic_notes(evaluated, pairs))


def _topic_notes(evaluated: Sequence[EvaluatedRuns], pairs: Sequence[PairedEvaluations]) -> tuple[str, ...]:
    """Return sentences that describe the topics on which runs are evaluated.

    If all measures have the same topics, there is only one sentence.
    """
    topics = [of_side.which_topics for of_side in evaluated if of_side.which_topics]
    measures: dict[str, list[str]] = {}
    for paired in pairs:
        if not (topics and paired.n_topics == paired.n_in_either > 0):
            measures.setdefault(_which_topics(paired), []).append(paired.measure)
    if len(set(topics)) == 1:
        notes = [f"Topics: {topics[0]}."]
    else:
        notes = [f"Topics of {side}: {words}." for side, words in zip("XY", topics, strict=False)]
    for words, names in measures.items():
        of_all = len(names) == len(pairs)
        notes.append(
            f"Topics{'' if of_all else ' of ' + ', '.join(names)}{' in the comparison' if topics else ''}: {words}."
        )
    if untested := [paired for paired in pairs if paired.against is not None]:
        notes.append(
            f"Significance decisions are blank for {', '.join(paired.measure for paired in untested)}: they require "
            f"the same measure in X and Y, but {spelled('against')} compares {'it' if len(untested) == 1 else 'them'} "
            f"with {untested[0].against}."
        )
    return tuple(notes)


def _which_topics(paired: PairedEvaluations) -> str:
    """Return a phrase that describes the topics on which a measure is compared."""
    if not paired.n_topics:
        return "as in the summary values of X and Y"
    if paired.n_topics == paired.n_in_either:
        return f"all {paired.n_topics} of X and Y"
    return f"{paired.n_topics} of {paired.n_in_either} (topics for which every run has a value in X and in Y)"


def _warnings(pairs: Sequence[PairedEvaluations], resamples: int) -> list[str]:
    """Return warnings about equal values, about significant differences in opposite directions, and few topics."""
    equal: dict[str, list[str]] = {}
    for paired in pairs:
        if sides := [side for values, side in zip(paired.scores, "XY", strict=True) if np.ptp(values) == 0]:
            equal.setdefault(" and in ".join(sides), []).append(paired.measure)
    lines = [
        f"{first_names(measures, 'measure')}: all {len(pairs[0].runs)} runs have the same value in {where}. Tau counts "
        "ties as concordant, so that a tau of 1 does not show that X and Y rank the runs in the same order"
        for where, measures in equal.items()
        if len(pairs[0].runs) > 1
    ]
    for paired in pairs:
        if reversed_pairs := paired.reversed_pairs:
            first, second = reversed_pairs[0]
            more = f" and {len(reversed_pairs) - 1} more pairs" if reversed_pairs[1:] else ""
            lines.append(
                f"{paired.measure}: {first} and {second}{more} differ significantly in both evaluations, but in "
                "opposite directions"
            )
    if resamples:
        numbers = [paired.n_topics for paired in pairs if paired.n_topics]
        lines += bootstrap_warnings(min(numbers)) if numbers else []
    return lines


def _evaluated(
    judgments: Sequence[Any], runs: Any, measures: Sequence[str], rules: EvaluationRules
) -> list[EvaluatedRuns]:
    """Evaluate the runs with each of several sets of judgments."""
    opened, evaluated = run_streams(runs, rules.settings.compat), []
    for of_side, side in zip(judgments, "xy", strict=True):
        if rules.rel_format == SAMPLED.name:
            sample = read_sample(source_of(of_side, side))
            checks.whole_number(spelled("level"), rules.settings.level)
            prepared = prepare_graded_runs(sample.judgments, opened, measures, rules, requests_of_samples)
            experiment = prepared.ranked()
            values = values_of_sample(experiment, sample)
            evaluated.append(EvaluatedRuns.of(sample.judgments.path, experiment, values))
        else:
            ranked = prepare_runs(of_side, opened, measures, rules).ranked()
            path = side if isinstance(of_side, Qrels) else shown_name(ranked.judgments.documents.path)
            evaluated.append(EvaluatedRuns.of(path, ranked))
    return evaluated


def _reusable(side: Any, name: str) -> Any:
    """Return an argument that can be read twice: the content of files is kept in memory."""
    if isinstance(side, Scores | Run | Mapping | EvaluatedRuns):
        return side
    return source_of(side, name).in_memory()


def _evaluation_of(side: Any, name: str) -> EvaluatedRuns:
    """Read the measure values of an evaluation from an argument in any supported form."""
    if isinstance(side, Scores):
        paths = dict.fromkeys(paths_of(side))
        return replace(
            EvaluatedRuns.from_mapping(side.to_dict(), name), path=next(iter(paths)) if len(paths) == 1 else name
        )
    if isinstance(side, Mapping):
        return EvaluatedRuns.from_mapping(side, name)
    return EvaluatedRuns.read(side if isinstance(side, Source) else source_of(side, name))


def _run_of(side: Any) -> OpenedRun:
    """Open a run, given in any supported form."""
    if isinstance(side, Source):
        return read_trec_results(side, TREC_EVAL_10, False, warn)
    [run] = run_streams(side)
    return run


def _are_runs(x: Any, y: Any) -> bool:
    """Return whether both arguments are runs. Raise UsageError if only one argument is a run."""
    is_run = {"x": _is_run(x), "y": _is_run(y)}
    if is_run["x"] != is_run["y"]:
        names = {
            is_run[side]: shown_name(value.path) if isinstance(value, Source) else side
            for side, value in (("x", x), ("y", y))
        }
        raise UsageError(
            f"{spelled('x')} and {spelled('y')} must both be runs or both be evaluations, but {names[True]} is a run "
            f"and {names[False]} is not"
        )
    return is_run["x"]


def _is_run(side: Any) -> bool:
    """Return whether an argument is a run: a file with the columns of a run, or ``{topic: {docno: score}}``."""
    if isinstance(side, Source):
        return looks_like_run(side.content())
    if isinstance(side, Mapping):
        return not any(
            isinstance(value, Mapping)
            for topic in side.values()
            if isinstance(topic, Mapping)
            for value in topic.values()
        )
    return isinstance(side, Run)
