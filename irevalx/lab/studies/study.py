"""The function ``study``, which evaluates measures under reduced judgments, and its command."""

import os
from collections.abc import Iterable, Mapping
from fractions import Fraction
from functools import partial
from typing import Annotated, Any

from irevalx import __version__
from irevalx.checks import ValueType
from irevalx.declarations import Parameter, choice, declaration_of, declared, flag, refined, whole
from irevalx.errors import InputError, UsageError, shown_name, warn
from irevalx.experiments.inputs import run_streams
from irevalx.experiments.pools import judged_in_pool, pool_of
from irevalx.experiments.prepared_runs import prepare_graded_runs
from irevalx.experiments.ranked_runs import MEASURES, EvaluationRules, GradedRuns
from irevalx.experiments.samples import ROUNDINGS, warnings_without_relevant
from irevalx.experiments.seeds_and_shares import MOST_DRAWS, chosen_seed
from irevalx.experiments.strata import read_design, read_topic_rates, requests_of_samples, stratify
from irevalx.frozen import replace
from irevalx.lab.command.common_options import (
    FullyJudged,
    GroupBy,
    Groups,
    Measures,
    Qrels,
    Resamples,
    Runs,
    Seed,
    measures,
)
from irevalx.lab.command.evaluation_options import (
    GRADED,
    EvaluationOptions,
    Unpack,
    evaluation_options,
    ties_excluding,
    whole_or_real,
)
from irevalx.lab.command.output import Output, refuse_folder, write_folder
from irevalx.lab.judging.strategies import (
    Across,
    Batch,
    CandidateDepth,
    DocumentTexts,
    Strata,
    StrataFile,
    TopicRates,
    Unjudged,
)
from irevalx.lab.studies.draw import Axis, SeveralStudies
from irevalx.lab.studies.results import SUFFIXES, FigureFiles, StrategyResult, StudyResult
from irevalx.lab.studies.schemes import IMPERFECT, NAMES, SCHEMES, STRATEGY_SCHEMES, TopicStrata, level_words, scheme_of
from irevalx.lab.studies.simulation import run_study
from irevalx.lab.studies.warnings import study_warnings
from irevalx.process.terminal import progress_bar
from irevalx.ranking.rules import RankingRules
from irevalx.reading.sources.files import Source
from irevalx.reading.sources.tables import source_of
from irevalx.strategies.registry import STRATEGIES
from irevalx.strategies.simulation import DEFAULT_SIMULATION, BudgetLevel
from irevalx.wording import spelled

POOL_DEPTH = 100

_SCHEMES = (
    f"scheme that reduces the judgments of each topic: {', '.join(SCHEMES)}, or a judging strategy "
    f"({', '.join(name for name in STRATEGY_SCHEMES if name not in SCHEMES)}). The scheme uniform keeps a share of all "
    "judgments. stratified keeps a share of the relevant and of the nonrelevant documents. depth keeps the documents "
    "within a pool depth, and mixed adds an equal number of other documents. strata draws samples at a share of the "
    "sampling rates of `strata`. A judging strategy keeps the judgments of the documents that it selects first, "
    "as in irevalx-lab degrade. imperfect removes judged documents from the collection and the runs, but keeps all "
    "judgments. The scheme depth is a judging strategy if `levels` are shares"
)
_WITH_TEXTS = tuple(name for name, order in STRATEGIES.items() if order.needs_texts)
_SCHEME = choice(
    *NAMES,
    requires={
        "strata": "strata",
        **dict.fromkeys(_WITH_TEXTS, "documents"),
    },
    help=f"{_SCHEMES}.",
    shell_help=(
        f"{_SCHEMES} or other strategies are given. Several strategies can be given; then integers in --levels are "
        "numbers of documents for depth, too."
    ),
)
_WITH_PROBABILITIES = tuple(f"scheme={name}" for name, order in STRATEGIES.items() if order.has_probabilities)
_IMPERFECT = f"scheme={IMPERFECT}"
_STRATEGY = tuple(f"scheme={name}" for name in STRATEGY_SCHEMES)


def _write_study(
    output: Output,
    *,
    runs: Any,
    scheme: Annotated[Iterable[str], _SCHEME, refined(several=True, metavar="SCHEME...")] = ("uniform",),
    levels: Any,
    documents: Any,
    seed: int | None,
    threads: int,
    figures: Annotated[
        str,
        choice(
            *SUFFIXES,
            "none",
            names=("--figure-format",),
            also="--figure --figures",
            help=(
                "Format of the figures in the folder. Bands are one standard deviation over samples on either side, "
                "clipped to the range of the statistic; with --resamples, intervals over topics."
            ),
        ),
    ] = "png",
    axis: Axis = "log",
    folder: Annotated[
        str,
        Parameter(
            names=("-o", "--output"),
            metavar="DIR",
            help="Write csv tables, figures and study.json to this folder (see --help).",
        ),
    ],
    **options: Any,
) -> None:
    """Study a scheme, or several judging strategies with the same seeds. Write the results to a folder."""
    if figures != "none":
        import matplotlib as mpl  # noqa: F401 - a missing package is reported before the work
    refuse_folder(folder)
    progress = not output.quiet
    options |= {"threads": threads, "progress": progress}
    names = tuple(dict.fromkeys(scheme))
    result: StudyResult | SeveralStudies
    if len(names) == 1:
        result = study(runs=runs, scheme=names[0], levels=levels, documents=documents, seed=seed, **options)
    elif others := [name for name in names if name not in STRATEGY_SCHEMES]:
        raise UsageError(f"several values of {spelled('scheme')} must be judging strategies; {others[0]} is not")
    else:
        strategies = [STRATEGY_SCHEMES[name] for name in names]
        options |= {"runs": run_streams(runs), "levels": strategies[0].levels(levels, spelled("levels"))}
        first_seed = chosen_seed(seed)
        studies = []
        for strategy in strategies:
            texts = documents if strategy.name in _WITH_TEXTS else ()
            studies.append(study(scheme=strategy.name, documents=texts, seed=first_seed, **options))
        is_random = any(strategy.is_random for strategy in strategies)
        result = SeveralStudies(tuple(studies), first_seed if is_random else None)
    suffix = None if figures == "none" else figures
    style = FigureFiles(suffix, axis, output.figure_width, not output.no_title, output.svg_text)
    into = partial(result.write_into, figures=style, digits=output.digits, threads=threads, progress=progress)
    files = write_folder(folder, into)
    output.write(replace(result, notes=(*result.notes, f"Files in {shown_name(folder)}: {', '.join(files)}.")))


@declared(
    example="irevalx-lab study qrels runs/* -m 'map infAP bpref RankEff' --seed 1 -o study",
    more=(
        "The folder contains scores.csv (a row for each level, sample, run and measure), samples.csv, summary.csv and "
        "summary.txt (statistics of each sample; their means and standard deviations), knees.csv (the levels from "
        "which each measure is reliable), the figures, and study.json (the options and inputs). Standard output "
        "contains Kendall's tau-b by level (the mean over samples), the relevant documents found if judging strategies "
        "are studied, and the names of the files.\n\n"
        "The figures show by level how values agree with AP and with the values of the measure itself "
        "(agreement-with-AP and agreement-with-itself, as in Yilmaz and Aslam 2008, Figures 8 and 10), accuracy and "
        "g-mean of pairwise decisions (decisions, as in Bompada et al. 2007, Figure 2), and mean values next to "
        "Kendall's tau (mean-scores, as in Büttcher et al. 2007, Figure 1); and for each measure the values of all "
        "runs at three levels against the values under full judgments (MEASURE-against-AP and MEASURE-against-itself, "
        "as in Yilmaz and Aslam 2008, Figures 1 to 6). A panel has at most six lines; more measures take more panels."
    ),
    run=_write_study,
    figure=True,
    without=("figure", "format", "path"),
    evaluation=evaluation_options(GRADED, grades=whole_or_real(*_STRATEGY), ties=ties_excluding(_IMPERFECT)),
)
def study(
    qrels: Qrels,
    runs: Runs,
    measures: Annotated[Measures, measures(" ".join(MEASURES))] = MEASURES,
    *,
    scheme: Annotated[str, _SCHEME] = "uniform",
    levels: Annotated[
        str | Iterable[str | float | Fraction | BudgetLevel] | None,
        Parameter(kind=ValueType("at least one share, depth or number of documents", level_words), metavar="LEVEL..."),
    ] = None,
    rounding: Annotated[
        str,
        choice(*ROUNDINGS, names=("--round",), requires={way: "scheme=stratified" for way in ROUNDINGS if way != "up"}),
    ] = "up",
    topic_rates: Annotated[TopicRates, refined(requires="scheme=uniform")] = None,
    strata: Annotated[Strata, refined(requires="scheme=strata")] = None,
    strata_file: StrataFile = None,
    own_pool: Annotated[bool, flag()] = False,
    pool_depth: Annotated[int | None, whole(1, metavar="K", requires="own_pool")] = None,
    samples: Annotated[int, whole(1, MOST_DRAWS, metavar="N")] = 10,
    depth: Annotated[CandidateDepth, refined(requires=_STRATEGY)] = DEFAULT_SIMULATION.depth,
    across: Annotated[Across, refined(requires=_STRATEGY, excludes=_WITH_PROBABILITIES)] = False,
    batch: Annotated[Batch, refined(requires=_STRATEGY)] = DEFAULT_SIMULATION.batch,
    unjudged: Annotated[Unjudged, refined(requires=_STRATEGY)] = DEFAULT_SIMULATION.unjudged,
    documents: Annotated[DocumentTexts, refined(requires=tuple(f"scheme={name}" for name in _WITH_TEXTS))] = (),
    group_by: Annotated[GroupBy, refined(requires=_STRATEGY, excludes=("min_retrieved", "fully_judged"))] = None,
    groups: Annotated[
        Groups,
        refined(
            requires=_STRATEGY,
            excludes=("group_by", "min_retrieved", "fully_judged"),
            shell_help=(
                "Report the bias against each group of runs if its documents are not selected (groups.csv). FILE has "
                "one line RUN GROUP per run."
            ),
        ),
    ] = None,
    resamples: Resamples = 0,
    seed: Seed = None,
    fully_judged: Annotated[FullyJudged, refined(excludes=("own_pool", *_STRATEGY))] = None,
    progress: Annotated[bool, flag(in_shell=False)] = False,
    **evaluation: Unpack[EvaluationOptions],
) -> StudyResult:
    """Study measures under incomplete judgments: degrade, re-evaluate, summarise and plot.

    Reduce the judgments to several levels, with several samples at each level. Evaluate all runs under each reduced set
    of judgments, and compare each measure with AP and with its own values under the full judgments.

    The knee of a statistic is the lowest level of judgments at and above which its mean over samples exceeds 0.9. A
    second kind of knee is the lowest level at and above which at least 95% of the samples exceed 0.9; it is reported
    because a real experiment has only one sample of judgments, which can be below 0.9 even if the mean is above 0.9.
    If `resamples` is given, confidence intervals are also reported for the knees of tau-b. Estimation errors are
    reported for measures that estimate AP.

    Measures that use stratified samples (such as xinfAP) or inclusion probabilities (such as statAP) can be combined
    with measures that use grades, because the sampling design of each sample is known. With `scheme="mixed"`, the pool
    is a stratum that is judged completely, and the other judgments form a second stratum.

    Significance decisions on pairs of runs have two kinds of errors: false differences (fpr) and missed differences
    (fnr). The rate fpr is computed over the pairs that do not differ significantly under the full judgments: the share
    of these pairs that differ significantly under the reduced judgments. The rate fnr is computed over the pairs that
    differ significantly under the full judgments: the share of these pairs that do not differ significantly under the
    reduced judgments. Bompada et al. (2007) call such pairs false positives.

    With `scheme="imperfect"`, the judgments are complete, but a random share of the judged documents of each topic is
    removed from the collection: these documents keep their judgments, but no run retrieves them (imperfect judgments;
    Yilmaz and Aslam 2008, section 3.1). Smaller collections are subsets of larger ones. Unjudged documents are never
    removed.

    Parameters
    ----------
    levels : levels of the reduction: shares such as 5% or 0.05; pool depths; or, for judging strategies, numbers of
        documents of each topic. The default shares are 1% 2% 3% 4% 5% 10% 15% 20% 25% 30% 40% 50% ... 100%; the default
        depths are 1 2 3 4 5 10 20 30 40 50 100; and the default for strata is 10% 20% ... 100% of the rates.
    rounding : how `scheme="stratified"` rounds shares to numbers of documents: up, or to the nearest integer with
        halves rounded up (half-up) or down (half-down), as in the definition of Ahlgren and Grönqvist (2008).
    topic_rates : sampling rate of each topic, by which `levels` are multiplied, as in the TREC Terabyte track of 2006
        (Yilmaz and Aslam 2008, section 4.5.5): a file with one line ``TOPIC RATE`` per topic.
    own_pool : restrict the full judgments to the pool of these runs, for all schemes and levels. Pooled
        documents without a judgment stay unjudged (-1), as in the judgments that irevalx-lab pool writes.
    pool_depth : depth of the pool of `own_pool`, and the greatest depth of a level. [default: 100]
    samples : number of samples at each level, with the seeds S, S+1, ...; the scheme depth has only one sample.
    group_by : report the bias against each group of runs if its documents are not selected (groups.csv). The group of a
        run is the part of its name that this regular expression matches.
    groups : report the bias against each group of runs if its documents are not selected (groups.csv). The groups are
        ``{run: group}``, or a file with one line ``RUN GROUP`` per run.
    resamples : number of bootstrap resamples of topics, for intervals from the 2.5% to the 97.5% quantile. The
        intervals describe the variation of a value over resampled topics. Because resampled rankings are noisier than
        the original ranking, intervals of tau and of knees are too low, and are not confidence intervals for the
        population of topics. [default: 0, no intervals]
    progress : show the number of samples evaluated so far on standard error, on a terminal.

    Raises
    ------
    UsageError : arguments cannot be combined.
    InputError : no document is judged.
    IrevalxError : the inputs cannot be read or evaluated, as in ``irevalx.evaluate``.

    Examples
    --------
    >>> import irevalx
    >>> qrels = {str(topic): {"A": 1, "B": 0, "C": topic % 2} for topic in range(10)}
    >>> runs = {"bm25": {t: {"A": 2.0, "B": 1.0} for t in qrels}, "dense": {t: {"A": 2.0, "C": 1.0} for t in qrels}}
    >>> study = irevalx.lab.study(qrels, runs, "bpref", levels=["50%"], samples=2, seed=1)
    >>> [(row.measure, row.statistic, row.knee) for row in study.rows[:2]]
    [('bpref', 'tau_b_itself', '50%'), ('bpref', 'tau_b_ap', '50%')]
    """
    import scipy  # noqa: F401 - a missing package is reported before the work

    rules = EvaluationRules.of(**evaluation, fully_judged=fully_judged)
    level, threads = rules.settings.level, rules.threads
    words = None if levels is None else level_words(levels)
    chosen = scheme_of(scheme, words)
    options = {"depth": depth, "across": across, "batch": batch, "unjudged": unjudged, "documents": documents}
    if chosen.order is None:
        _refuse_strategy_options(options | {"groups": groups, "group_by": group_by})
    budgets = sorted(chosen.levels(words, spelled("levels")), key=lambda budget: budget.number)
    pool_depth = POOL_DEPTH if pool_depth is None else pool_depth
    if own_pool and chosen.of_depth and budgets[-1].number > pool_depth:
        raise UsageError(
            f"{spelled('levels')}: {budgets[-1].text} is deeper than the pool ({spelled('pool_depth', pool_depth)})"
        )
    strata_source = None if strata_file is None else source_of(strata_file, spelled("strata_file"))
    files = [Source(path) for path in _paths(qrels, runs, strata_file, topic_rates)]
    inputs = [{"path": file.path, "sha256": file.sha256() if file.size else None} for file in files]
    prepared = prepare_graded_runs(qrels, runs, measures, rules, requests_of_samples)
    if own_pool:
        pool = pool_of(prepared.runs, pool_depth, warn, RankingRules.of(rules.settings))
        prepared = replace(prepared, judgments=judged_in_pool(prepared.judgments, pool))
    experiment = prepared.ranked()
    if not (experiment.grades >= 0).any():
        raise InputError(f"{shown_name(experiment.judgments.path)}: the file contains no judged documents")
    rates = None if topic_rates is None else source_of(topic_rates, spelled("topic_rates"))
    of_topics = () if rates is None else read_topic_rates(rates, experiment.judgments)
    topic_strata = None if strata is None else _topic_strata(strata, strata_source, experiment)
    if scheme in {"uniform", "stratified"}:
        for line in warnings_without_relevant(experiment.judgments, level):
            warn(line)
    is_random = chosen.is_random
    first_seed = chosen_seed(seed) if is_random or resamples else seed or 0
    seeds = range(first_seed, first_seed + (samples if is_random else 1))
    strategy = StrategyResult.of(chosen, prepared.runs, experiment, budgets, seeds, options, processes=threads)
    with progress_bar("samples evaluated", len(budgets) * len(seeds), enabled=progress) as advance:
        numbers = run_study(
            experiment,
            scheme,
            budgets,
            seeds,
            rounding=ROUNDINGS[rounding],
            topic_rates=of_topics,
            topic_strata=topic_strata,
            replayed=strategy.replayed,
            resamples=resamples,
            done=partial(advance, 1),
            processes=threads,
        )
    notes = experiment.notes(numbers.without_value.tolist())
    for line in study_warnings(numbers, of_pools=chosen.of_depth and not own_pool):
        warn(line)
    unpooled = strategy.unpooled(numbers, groups, group_by, processes=threads)
    del options["documents"]
    about = {
        "irevalx": __version__,
        "scheme": scheme,
        **(options if chosen.order else {}),
        **({} if strata is None else {"strata": strata}),
        **({} if rounding == "up" else {"rounding": rounding}),
        **({"topic_rates": [str(rate) for rate in of_topics]} if of_topics else {}),
        **_changed(evaluation),
        **({"fully_judged": fully_judged} if fully_judged else {}),
        "own_pool": own_pool,
        **({"pool_depth": pool_depth} if own_pool else {}),
        "levels": [budget.text for budget in numbers.levels],
        "seeds": list(seeds) if is_random else [],
        "resamples": resamples,
        "measures": list(experiment.measures),
        "level": level,
        "runs": list(experiment.runs),
        "topics": len(experiment.topics),
        "judgments": experiment.judgments_digest,
        "inputs": inputs,
    }
    shown_seed = first_seed if is_random or resamples else None
    return StudyResult(numbers, about, shown_seed, strategy.recall(numbers), unpooled, notes=notes)


def _changed(evaluation: Mapping[str, Any]) -> dict[str, Any]:
    """Return the evaluation options that differ from their defaults.

    The level is omitted, because study.json has a separate key for the level.
    """
    parameters = declaration_of(study).parameters
    others = {name: value for name, value in evaluation.items() if name not in {"level", "rel_format", "threads"}}
    return {name: value for name, value in others.items() if value != parameters[name].default}


def _refuse_strategy_options(options: Mapping[str, Any]) -> None:
    """Raise UsageError if options of judging strategies are combined with a scheme that is not a strategy."""
    for name, value in options.items():
        if value not in (None, (), getattr(DEFAULT_SIMULATION, name, None)):
            raise UsageError(
                f"{spelled(name)} requires a judging strategy: {spelled('scheme', 'depth')} is one only if "
                f"{spelled('levels')} are shares"
            )


def _topic_strata(strata: str, source: Source | None, experiment: GradedRuns) -> TopicStrata:
    design = read_design(strata, named=source is not None)
    return TopicStrata(design, stratify(design, source, experiment.judgments, lambda: experiment.ranking, warn))


def _paths(*given: Any) -> list[str]:
    """Return the paths of input files. Inputs that cannot be read twice have no path."""
    paths: list[str] = []
    for value in given:
        if isinstance(value, str | os.PathLike):
            paths.append(os.fspath(value))
        elif isinstance(value, list | tuple):
            paths += _paths(*value)
    return paths
