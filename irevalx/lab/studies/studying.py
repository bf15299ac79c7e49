"""Studies of runs under measures: judgments reduced again and again, and what comes of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from os import PathLike, fspath
from typing import Any

import numpy as np

from irevalx import __version__, parameters
from irevalx.api.forms import source_of
from irevalx.api.inputs import GivenQrels, Qrels, Runs
from irevalx.api.own_measures import Measures
from irevalx.api.user_warnings import warn
from irevalx.errors import InputError, UsageError, shown_name
from irevalx.experiments.experiment import Experiment
from irevalx.experiments.pools import judged_in_pool, pool_of
from irevalx.experiments.ranked_runs import MEASURES
from irevalx.experiments.sample_values import requests_of_samples
from irevalx.experiments.samples import ROUNDINGS, warnings_without_relevant
from irevalx.experiments.seeds import MOST_DRAWS, chosen_seed
from irevalx.experiments.strata import divided, read_design
from irevalx.experiments.user_data import experiment_of, graded_judgments_of, measures_of, opened_runs
from irevalx.frozen import replace
from irevalx.lab.studies.inferred_precision import with_error_sources
from irevalx.lab.studies.judged_in_order import JudgedInOrder, refuse_what_orders_have
from irevalx.lab.studies.run_study import Study, of_pair, random_pairs, run_study
from irevalx.lab.studies.schemes import Division, GivenLevels, scheme_of
from irevalx.lab.studies.study_bootstrap import Resampling
from irevalx.lab.studies.study_result import StudyResult
from irevalx.orders.replays import USUAL, Level
from irevalx.process.terminal import progress_bar
from irevalx.process.workers import in_order
from irevalx.reading.source import Source
from irevalx.statistics import correlations as agreement
from irevalx.statistics.bootstrap import bootstrap_warnings
from irevalx.statistics.decisions import Confusion, reversal_warnings

POOL_DEPTH = 100
"""Of the runs' own pool, unless another one is asked for."""

SHORT = 0.5
"""A run with less than this share of the documents that the middle one of all runs has is short."""

MOVED = 0.05
"""A correlation that differs by more than this without a run is moved by this run alone."""


def study(
    qrels: GivenQrels,
    runs: Runs,
    measures: Measures = MEASURES,
    *,
    scheme: str = "uniform",
    levels: GivenLevels = None,
    rounding: str = "up",
    strata: str | None = None,
    strata_file: Any = None,
    own_pool: bool = False,
    pairs: int = 0,
    pool_depth: int | None = None,
    samples: int = 10,
    depth: int = USUAL.depth,
    across: bool = False,
    batch: int = USUAL.batch,
    unjudged: str = USUAL.unjudged,
    documents: Any = (),
    groups: Any = None,
    group_by: str | None = None,
    infap_errors: bool = False,
    resamples: int = 0,
    resample_decisions: bool = False,
    seed: int | None = None,
    level: int = 1,
    complete: bool = False,
    min_retrieved: float = 0.0,
    rel_format: str = "qrels",
    threads: int = 1,
    progress: bool = False,
) -> StudyResult:
    """Reduce judgments to several levels, and compare each measure with AP and with itself under all judgments.

    Parameters
    ----------
    qrels : the judgments: ``{topic: {docno: grade}}``, or whatever else ``irevalx.Qrels.read`` takes, with a grade for
        each document.
    runs : what was retrieved: ``{name: {topic: {docno: score}}}``, or whatever else ``irevalx.evaluate`` takes; at
        least two.
    measures : such as "map", "P.5,10" or "nDCG@10"; one or several. Measures of samples of strata (such as xinfAP) and
        of probabilities may stand beside those of grades.
    scheme : how judgments are reduced: ``uniform``, ``stratified``, ``depth``, ``mixed``, ``strata`` or an order of
        judging, as ``irevalx.lab.degrade`` has them, such as ``mtf``.
    levels : shares such as "5%" or 0.05; depths; or, for judging strategies, numbers of documents of each topic. None
        for the default levels of the scheme. If levels are shares, or were read as budgets, ``depth`` is a judging
        strategy: the best ranks are judged first.
    rounding : ``up`` or ``half-up``: how the shares of ``stratified`` become numbers of documents.
    strata, strata_file : for the scheme ``strata``: the strata of each topic's judged documents and the share of each
        that is kept, such as "depth 1-10:100% 11-50:30% rest:10%"; and a file with the stratum of each document, where
        strata are of names.
    pairs : the number of random pairs of runs; the full judgments of each are those of the documents that one of the
        two has found (Bompada et al. 2007), and the decisions are about these pairs. 0 for all pairs under the same
        judgments. For ``uniform`` and ``stratified``.
    own_pool : take the judgments of the pool of these runs for full judgments, those of a pooled document that nobody
        judged for -1: the same at all levels and with all schemes.
    pool_depth : with ``own_pool``, of this pool, and the deepest level of ``depth`` and ``mixed``; None for 100.
    samples : at each level, with the seeds S, S+1, ...; at least 1, and at most 10,000,000. ``depth`` has one.
    depth, across, batch, unjudged, documents : of an order of judging, as ``irevalx.lab.degrade`` takes them.
    groups, group_by : of an order of judging: the groups of runs, as ``irevalx.lab.leave_out`` takes them. The result
        also says how far each group is wronged when it takes no part in the pooling.
    infap_errors : add two measures that tell the errors of infAP apart.
    resamples : draws of topics, for intervals; 0 for none.
    resample_decisions : decide anew which runs differ for each draw of topics.
    seed : S; None for a new one, which the result has.
    level : the least grade that is relevant.
    complete : evaluate all judged topics, those that a run lacks as 0; otherwise the topics that every run has.
    min_retrieved : leave out runs with less than this share of the documents that they might have; 0 keeps all.
    rel_format : the format of judgments that are files: "qrels", "beir" or "json".
    threads : how many processes share the work; at least 1.
    progress : show on standard error how many samples have been evaluated, on a terminal.

    Raises
    ------
    UsageError : keywords contradict each other.
    InputError : no document is judged.
    IrevalxError : as ``irevalx.evaluate``.

    Examples
    --------
    >>> import irevalx
    >>> qrels = {str(topic): {"A": 1, "B": 0, "C": topic % 2} for topic in range(10)}
    >>> runs = {"bm25": {t: {"A": 2.0, "B": 1.0} for t in qrels}, "dense": {t: {"A": 2.0, "C": 1.0} for t in qrels}}
    >>> study = irevalx.lab.study(qrels, runs, "bpref", levels=["50%"], samples=2, seed=1)
    >>> [(row.measure, row.statistic, row.knee) for row in study.rows[:2]]
    [('bpref', 'tau_b_itself', '50%'), ('bpref', 'tau_b_ap', '50%')]
    """
    import scipy  # noqa: F401 - it is better missed now than after the work

    own_pool, infap_errors = parameters.flag("own_pool", own_pool), parameters.flag("infap_errors", infap_errors)
    pairs = parameters.whole_number("pairs", pairs, least=0, most=MOST_DRAWS)
    samples = parameters.whole_number("samples", samples, least=1, most=MOST_DRAWS)
    resamples = parameters.whole_number("resamples", resamples, least=0, most=MOST_DRAWS)
    threads, level = parameters.whole_number("threads", threads, least=1), parameters.whole_number("level", level)
    if resample_decisions and (pairs or not resamples):
        raise UsageError("resample_decisions must be given together with resamples, and without pairs")
    chosen = scheme_of(scheme, levels)
    how = {"depth": depth, "across": across, "batch": batch, "unjudged": unjudged, "documents": documents}
    _refuse_contradictions(scheme, rounding, strata, strata_file, pairs=pairs)
    refuse_what_orders_have(chosen, how, groups, group_by, min_retrieved)
    chosen_levels = sorted(chosen.levels(levels), key=lambda one: one.number)
    pooled_depth = _depth_of_pool(pool_depth, chosen_levels if own_pool and chosen.of_depth else (), own_pool=own_pool)
    of_strata = None if strata_file is None else source_of(strata_file, "strata_file")
    sources = [Source(path) for path in _paths(qrels, runs, strata_file)]  # what cannot be read twice has no digest
    files = [{"path": one.path, "sha256": one.sha256() if one.size else None} for one in sources]
    opened = opened_runs(runs)
    if own_pool:
        judged = judged_in_pool(graded_judgments_of(qrels, rel_format), pool_of(opened.runs, pooled_depth, warn))
        qrels = Qrels(judged, rel_format)
    experiment = experiment_of(
        qrels,
        opened,
        requests_of_samples(measures_of(measures), level),
        level=level,
        complete=complete,
        min_retrieved=min_retrieved,
        rel_format=rel_format,
        threads=threads,
    )
    notes = experiment.notes()
    if not (experiment.grades >= 0).any():
        raise InputError(f"{shown_name(experiment.judgments.path)}: a study must have a judged document, but got none")
    if infap_errors:
        experiment = with_error_sources(experiment)
    division = None
    if strata is not None:
        design = read_design(parameters.text("strata", strata), named=of_strata is not None)
        found_in = divided(design, of_strata, experiment.judgments, lambda: experiment.ranking, warn)
        division = Division(design, found_in)
    if scheme in {"uniform", "stratified"}:
        for line in warnings_without_relevant(experiment.judgments, level):
            warn(line)
    is_random = chosen.is_random
    first_seed = chosen_seed(seed) if is_random or resamples else seed or 0
    seeds = range(first_seed, first_seed + (samples if is_random else 1))
    ordered = JudgedInOrder.of(chosen, opened, experiment, chosen_levels, seeds, how, processes=threads)
    evaluate = partial(run_study, scheme=scheme, levels=chosen_levels, seeds=seeds, rounding=ROUNDINGS[rounding])
    with progress_bar("samples evaluated", len(chosen_levels) * len(seeds), shown=progress) as advance:
        found = evaluate(
            experiment,
            done=partial(advance, 1),
            resampling=Resampling(resamples, seed=first_seed, decisions=resample_decisions) if resamples else None,
            division=division,
            replayed=ordered.replayed,
            processes=threads,
        )
    if pairs:
        found, note = _with_pairs(found, pairs, first_seed, evaluate, processes=threads, progress=progress)
        notes = (*notes, note)
    for line in study_warnings(found, of_pools=chosen.of_depth and not own_pool):
        warn(line)
    outside = ordered.outside(found, groups, group_by, processes=threads)
    about = {
        "irevalx": __version__,
        "scheme": scheme,
        **({} if chosen.order is None else {name: how[name] for name in ("depth", "across", "batch", "unjudged")}),
        **({} if strata is None else {"strata": strata}),
        **({} if rounding == "up" else {"rounding": rounding}),
        "own_pool": own_pool,
        **({"pairs": pairs} if pairs else {}),
        **({"pool_depth": pooled_depth} if own_pool else {}),
        "levels": [one.text for one in found.levels],
        "seeds": list(seeds) if is_random else [],
        "resamples": resamples,
        "measures": list(experiment.measures),
        "level": level,
        "runs": list(experiment.runs),
        "topics": len(experiment.topics),
        "judgments": experiment.judgments_digest,
        "inputs": files,
    }
    return StudyResult(
        found, about, first_seed if is_random or resamples else None, ordered.found(found), outside, notes=notes
    )


def _with_pairs(
    study: Study, n: int, seed: int, evaluate: Callable[[Experiment], Study], *, processes: int, progress: bool
) -> tuple[Study, str]:
    """Return a study whose decisions are those about n random pairs, and a sentence that says so."""
    pairs, found = random_pairs(len(study.experiment.runs), n, seed), []
    with progress_bar("pairs of runs evaluated", len(pairs), shown=progress) as advance:
        each = in_order(lambda pair: evaluate(of_pair(study.experiment, pair)).confusion, lambda: pairs, processes)
        for confusion in each:
            found.append(confusion)
            advance(1)
    note = (
        f"Pairwise decisions: of {len(pairs)} random pairs of runs, each with a pool of its own, the judged documents "
        "that one of the two has found."
    )
    return replace(study, confusion=Confusion.sum(found)), note


def _refuse_contradictions(scheme: str, rounding: str, strata: Any, strata_file: Any, *, pairs: int) -> None:
    """Raise an error for keywords that are none, or that another scheme has."""
    parameters.named_choice("rounding", rounding, [*ROUNDINGS])
    if pairs and scheme not in {"uniform", "stratified"}:
        raise UsageError(f"pairs must be given together with the scheme uniform or stratified, but got {scheme}")
    if (scheme == "strata") != (strata is not None):
        raise UsageError("the scheme strata and strata must be given together")
    if strata_file is not None and strata is None:
        raise UsageError("strata_file must be given together with strata")
    if rounding != "up" and scheme != "stratified":
        raise UsageError(f"rounding must be given together with the scheme stratified, but got {scheme}")


def _depth_of_pool(asked: int | None, depths: Iterable[Level], *, own_pool: bool) -> int:
    """Return the depth of the runs' own pool; raises UsageError where it is shallower than some level."""
    if asked is not None and not own_pool:
        raise UsageError("pool_depth must be given together with own_pool")
    depth = parameters.whole_number("pool_depth", POOL_DEPTH if asked is None else asked, least=1)
    deepest = max((one.number for one in depths), default=depth)
    if deepest > depth:
        raise UsageError(f"levels must not be deeper than the pool, which is pool_depth ({depth}), but got {deepest}")
    return depth


def _paths(*given: Any) -> list[str]:
    """Return the files among what was given by their paths."""
    found: list[str] = []
    for one in given:
        if isinstance(one, str | PathLike):
            found.append(fspath(one))
        elif isinstance(one, list | tuple):
            found += _paths(*one)
    return found


def study_warnings(study: Study, *, of_pools: bool = False) -> Iterator[str]:
    """Yield a line for each thing that may mislead.

    Parameters
    ----------
    of_pools : whether levels are depths of pools, and full judgments not the runs' own pool.
    """
    experiment, kept = study.experiment, float(study.kept[-1].mean())
    if of_pools and kept < 1:
        yield (
            f"the deepest pool ({study.levels[-1].text}) leaves {kept:.1%} of the judgments: full judgments are more "
            "than the pool of these runs; --own-pool takes their own pool for them, and irevalx-lab pool --judge "
            "makes its judgments"
        )
    of_samples = [one for one in experiment.requests if not one.measure.can_use("qrels")]
    if study.scheme == "stratified" and of_samples:
        yield (
            f"{', '.join(name for one in of_samples for name in one.names)}: the scheme stratified is no random sample "
            "of the judgments, as relevant and nonrelevant documents are drawn at different rates; --strata divides "
            "them by what is known before they are judged"
        )
    n_values = study.kept.size * len(experiment.topics)
    for measure, undefined in zip(experiment.measures, study.undefined.tolist(), strict=True):
        if undefined:
            yield (
                f"{measure}: {undefined} of {n_values} times a topic has no value, as its sample has no relevant "
                "document; its mean is over the others"
            )
    yield from _short_runs(study)
    under = "under full and under reduced judgments"
    yield from reversal_warnings(experiment.measures, experiment.runs, study.reversals, under)
    if study.intervals is not None:
        yield from bootstrap_warnings(len(experiment.topics))


def _short_runs(study: Study) -> Iterator[str]:
    """Yield a line for each short run without which Pearson's correlation of a measure with itself is another one."""
    experiment = study.experiment
    of_topics = np.where(experiment.missing, 0, experiment.ranking.n_ret.reshape(experiment.missing.shape))
    retrieved = of_topics.sum(axis=1).tolist()
    middle = float(np.median(retrieved))
    for number, run in enumerate(experiment.runs):
        if retrieved[number] >= SHORT * middle or len(retrieved) < 4:
            continue
        others = np.arange(len(retrieved)) != number
        without = agreement.pearson(study.full[:, others], study.scores[..., others]).mean(axis=1)
        change = np.abs(study.statistics["itself"]["pearson"].mean(axis=1) - without)
        if not (change > MOVED).any():
            continue
        level, measure = np.unravel_index(np.nanargmax(change), change.shape)
        yield (
            f"{run} has {retrieved[number]} documents, fewer than half of what the middle one of the runs has, and "
            f"moves Pearson's correlation of {experiment.measures[measure]} at {study.levels[level].text} by "
            f"{change[level, measure]:.2f} alone: --min-retrieved leaves out such runs"
        )
