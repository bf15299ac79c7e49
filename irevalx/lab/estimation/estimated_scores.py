"""Scores and differences of runs, estimated from what people judged and a machine labelled; from whole topics, here."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import overload

import numpy as np

from irevalx import parameters
from irevalx.api.inputs import GivenQrels, Qrels, Runs
from irevalx.api.own_measures import Measures
from irevalx.api.user_warnings import warn
from irevalx.arrays.segments import FloatArray
from irevalx.errors import InputError, UsageError, quote, shown_name
from irevalx.experiments.experiment import Experiment
from irevalx.experiments.label_files import TwoLabellings
from irevalx.experiments.user_data import Evaluating, experiment_of, graded_judgments_of, labels_of, probability
from irevalx.judgments.graded import Judgments
from irevalx.lab.estimation.document_labels import SAMPLES, estimates_from_documents
from irevalx.lab.estimation.estimated_rows import EstimatedScore, pairs_to_compare, rows_of
from irevalx.lab.estimation.estimated_tables import EstimatedScores
from irevalx.lab.estimation.labelling_design import LabellingDesign, design_of
from irevalx.statistics.corrections import CORRECTIONS, SHORT_NAMES, correction_named
from irevalx.statistics.prediction_powered import FEW_TOPICS, HELPFUL, Estimates, prediction_powered
from irevalx.statistics.scales import MEAN
from irevalx.statistics.significance import ALPHA

CORRECTION_NAMES = (*CORRECTIONS, *SHORT_NAMES)
"""What the correction may be called."""


@overload
def estimate(
    human: GivenQrels,
    machine: GivenQrels,
    runs: Runs,
    measures: Measures = "map",
    *,
    baseline: str | None = None,
    correction: str = "holm",
    weight: float | None = None,
    alpha: float = ALPHA,
    level: int = 1,
    complete: bool = False,
    min_retrieved: float = 0.0,
    rel_format: str = "qrels",
    labels_format: str | None = None,
) -> EstimatedScores: ...


@overload
def estimate(
    human: GivenQrels | None,
    machine: GivenQrels,
    runs: Runs,
    measures: Measures,
    *,
    design: int,
    seed: int | None = None,
    level: int = 1,
    complete: bool = False,
    min_retrieved: float = 0.0,
    rel_format: str = "qrels",
    labels_format: str | None = None,
) -> LabellingDesign: ...


def estimate(
    human: GivenQrels | None,
    machine: GivenQrels,
    runs: Runs,
    measures: Measures = "map",
    *,
    baseline: str | None = None,
    correction: str = "holm",
    weight: float | None = None,
    alpha: float = ALPHA,
    design: int | None = None,
    seed: int | None = None,
    level: int = 1,
    complete: bool = False,
    min_retrieved: float = 0.0,
    rel_format: str = "qrels",
    labels_format: str | None = None,
) -> EstimatedScores | LabellingDesign:
    """Estimate scores and differences from what people judged, and a machine's labels of the rest.

    Parameters
    ----------
    human, machine : judgments, ``{topic: {docno: grade}}``, or whatever else ``irevalx.Qrels.read`` takes. With whole
        topics judged by people, the machine labels these topics and others, and all of them together must be one random
        sample. With labels of a random sample of each topic's documents (in the format "sampled" or "prels"), it labels
        these documents and others; topics that only one file has are left out.
    runs : what was retrieved: ``{name: {topic: {docno: score}}}``, or whatever else ``irevalx.evaluate`` takes.
    measures : such as "map", "P.5,10" or "nDCG@10"; one or several. They must be means over topics; with a sample of
        documents sums over ranks of weight times gain: P.K, rbp and dcg.
    baseline : compare each run with this one; None for all pairs.
    correction : of p-values for the number of comparisons of a measure: "holm", "bonferroni" (which has simultaneous
        intervals too), "benjamini-hochberg" ("bh") or "none".
    weight : with which machine labels count, lambda, from 0 (not at all) to 1; None for the least standard error. With
        a sample of documents it is that of labels that could be corrected, and with a given one estimates are unbiased.
    alpha : intervals cover the true value with probability 1 - alpha; runs differ where the corrected p is below it.
    design : return instead which documents people should label so that the machine's scores are corrected best, at most
        this number: strata of the machine's grades and of best ranks, and how much of each. ``human`` is None then, or
        what people labelled already, of any format.
    seed : with ``design``, of the sample.
    level : the least grade that is relevant.
    complete : evaluate all judged topics, those that a run lacks as 0; otherwise the topics that every run has.
    min_retrieved : leave out runs with less than this share of the documents that they might have; 0 keeps all.
    rel_format, labels_format : the formats of ``human`` and of ``machine``, if they are files: "qrels", "beir" or
        "json"; None for the same. With a sample of documents ``rel_format`` is "sampled" or "prels", and None "qrels".

    Raises
    ------
    InputError : fewer than two topics have both, or, with whole topics, none has machine labels alone.
    UsageError : a measure is no mean over topics, or no sum over ranks where one is needed, or the baseline is none of
        the runs, ``human`` is None without ``design``, or this is too small.
    IrevalxError : as ``irevalx.evaluate``.

    Examples
    --------
    >>> import irevalx
    >>> human = {str(topic): {"A": int(topic % 3 == 0)} for topic in range(40)}
    >>> machine = {str(topic): {"A": int(topic % 3 == 0 or topic % 7 == 0)} for topic in range(400)}
    >>> run = {topic: {"A": 1.0} for topic in machine}
    >>> [row] = irevalx.lab.estimate(human, machine, {"dense": run}, "P.1").rows
    >>> round(row.classical, 3), round(row.estimate, 3)  # from the 40 topics alone, and from all
    (0.35, 0.334)
    >>> row.high - row.low < row.classical_high - row.classical_low
    True
    """
    alpha = probability("alpha", alpha)
    weight = parameters.real_number("weight", weight)
    if weight is not None and not 0 <= weight <= 1:
        raise parameters.argument_error("weight", "a number from 0 to 1, or None", weight)
    parameters.named_choice("correction", correction, CORRECTION_NAMES)
    evaluating: Evaluating = {
        "level": level,
        "complete": complete,
        "min_retrieved": min_retrieved,
        "least_runs": 1,
    }
    if design is not None:
        n = parameters.whole_number("design", design, least=1)
        evaluating["level"] = parameters.whole_number("level", level)
        evaluating["rel_format"] = rel_format
        return design_of(human, machine, runs, measures, n, seed=seed, labels_format=labels_format, **evaluating)
    if human is None or seed is not None:
        raise UsageError("human must be given, and seed not, unless design is")
    correction = correction_named(correction)
    given_format = human.rel_format if isinstance(human, Qrels) else rel_format
    if given_format in SAMPLES:
        evaluating["level"] = parameters.whole_number("level", level)
        evaluating["rel_format"] = given_format
        return estimates_from_documents(
            human,
            machine,
            runs,
            measures,
            baseline=baseline,
            correction=correction,
            weight=weight,
            alpha=alpha,
            labels_format=labels_format,
            **evaluating,
        )
    ours, theirs = graded_judgments_of(human, rel_format), labels_of(machine, labels_format, rel_format)
    labels = TwoLabellings.of(ours, theirs, theirs.topics)
    _warn_of_files(ours, theirs, labels)
    experiment = experiment_of(Qrels(labels.judgments), runs, measures, **evaluating)
    for measure, scale in zip(experiment.measures, experiment.scales, strict=True):
        if scale is not MEAN:
            raise UsageError(f"a measure must be a mean over topics here, but got {quote(measure)}, a {scale.name}")
    pairs = pairs_to_compare(experiment.runs, baseline)
    rows: list[EstimatedScore] = []
    estimated = []
    for measure, human_values, machine_values, more in _values(experiment, labels, pairs):
        found = prediction_powered(human_values, machine_values, more, weight=weight)
        estimated.append(found)
        columns = _columns(found, alpha) | {"machine_topics": [more.shape[1]] * len(more)}
        simultaneous = [*zip(*(ends.tolist() for ends in found.interval(alpha / max(1, len(pairs)))), strict=True)]
        about, p = (measure, experiment.runs, pairs), found.p.tolist()
        rows += rows_of(EstimatedScore, about, columns, p, simultaneous, alpha=alpha, correction=correction)
    for line in _warnings(estimated, fitted=weight is None):
        warn(line)
    return EstimatedScores(rows, alpha, correction, notes=experiment.notes())


def _values(
    experiment: Experiment, labels: TwoLabellings, pairs: Sequence[tuple[int, int]]
) -> Iterator[tuple[str, FloatArray, FloatArray, FloatArray]]:
    """Yield the values of each measure, without topics for which some run has none; raises InputError.

    Yields
    ------
    The measure; then values by people and by the machine of topics that both have, and by the machine of others, shape
    (n_rows, n_topics) each. Rows are runs, then differences of pairs.
    """
    chosen = [labels.judgments.topic_index[topic] for topic in experiment.topics]
    in_both = labels.in_both[chosen]
    every = (
        experiment.values(labels.human, labels.in_human),
        experiment.values(labels.machine, labels.in_machine),
    )
    for measure, human, machine in zip(experiment.measures, *every, strict=True):
        defined = np.isfinite(machine).all(axis=0)
        both, only_machine = in_both & defined & np.isfinite(human).all(axis=0), ~in_both & defined
        for least, mask, what in ((2, both, "that people judged too"), (1, only_machine, "that nobody judged")):
            if mask.sum() < least:
                raise InputError(
                    f"{measure} must have machine labels of at least {least} topic{'s' if least > 1 else ''} {what}, "
                    f"with results, but has {mask.sum()}"
                )
        if left_out := int((~both & ~only_machine).sum()):
            warn(f"{measure}: {left_out} of {in_both.size} topics are left out: with one of the files it has no value")
        first, second = np.array(pairs, np.int64).reshape(-1, 2).T
        of_topics = (human[:, both], machine[:, both], machine[:, only_machine])
        by_people, by_machine, more = (np.stack([*of, *(of[first] - of[second])]) for of in of_topics)
        yield measure, by_people, by_machine, more


def _columns(found: Estimates, alpha: float) -> dict[str, list[float]]:
    """Return fields of ``EstimatedScore`` by name, of all rows."""
    (low, high), (classical_low, classical_high) = found.interval(alpha), found.classical_interval(alpha)
    columns = {
        "estimate": found.estimate,
        "low": low,
        "high": high,
        "standard_error": found.standard_error,
        "lambda_": found.weight,
        "classical": found.classical,
        "classical_low": classical_low,
        "classical_high": classical_high,
        "correlation": found.correlation,
        "human_topics": np.full(low.size, found.n_human),
        "effective_topics": found.effective_topics,
    }
    return {name: of_rows.tolist() for name, of_rows in columns.items()}


def _warn_of_files(human: Judgments, machine: Judgments, labels: TwoLabellings) -> None:
    """Warn of topics and documents that people judged and the machine did not label."""
    ours, theirs = shown_name(human.path), shown_name(machine.path)
    if lacking := sum(topic not in machine.topic_index for topic in human.topics):
        warn(f"{lacking} of {len(human.topics)} topics of {ours} are left out: {theirs} does not label them")
    judged = labels.human >= 0
    if lacking := int((judged & (labels.machine < 0)).sum()):
        warn(
            f"{theirs} does not label {lacking} of the {int(judged.sum())} documents that {ours} labels; they count as "
            "unjudged in the machine's scores"
        )


def _warnings(estimated: Sequence[Estimates], *, fitted: bool) -> Iterator[str]:
    """Yield what people should know before they believe the numbers, each once."""
    n_rows = sum(one.estimate.size for one in estimated)
    weak = sum(int((one.effective_topics < HELPFUL * one.n_human).sum()) for one in estimated)
    if weak:
        yield (
            f"effective_topics is less than {HELPFUL} times the human topics in {weak} of {n_rows} rows: the "
            "correlation of human and machine scores is too low there for the machine's labels to help"
        )
    if cut := sum(int(one.cut.sum()) for one in estimated):
        yield f"lambda would be above 1 in {cut} of {n_rows} rows, and is cut there"
    if (fewest := min(one.n_human for one in estimated)) < FEW_TOPICS:
        reason = ": lambda is fitted to the same topics" if fitted else ""
        yield f"an interval of so few human topics ({fewest}, below {FEW_TOPICS}) is too short, and p too small{reason}"
    if constant := sum(int(((one.standard_error == 0) & (one.estimate != 0)).sum()) for one in estimated):
        yield f"all human topics have the same value in {constant} of {n_rows} rows, which have no interval therefore"
