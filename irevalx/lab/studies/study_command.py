"""irevalx-lab study."""

from __future__ import annotations

from typing import Any

import click

from irevalx.cli.option_rules import option
from irevalx.cli.values import complete_file
from irevalx.errors import UsageError, shown_name
from irevalx.experiments.samples import ROUNDINGS
from irevalx.experiments.seeds import MOST_DRAWS, chosen_seed
from irevalx.experiments.user_data import opened_runs
from irevalx.frozen import replace
from irevalx.lab.command import parameters
from irevalx.lab.command.folders import refuse_folder
from irevalx.lab.command.kinds_of_values import list_option
from irevalx.lab.command.making import command_of
from irevalx.lab.command.order_options import order_options, replay_options, strata_file_option, strata_option
from irevalx.lab.command.output import Output
from irevalx.lab.studies.drawing import SeveralStudies
from irevalx.lab.studies.schemes import IN_ORDER, NAMES, budgets_of
from irevalx.lab.studies.study_result import AXES, ENDINGS, StudyResult
from irevalx.lab.studies.studying import POOL_DEPTH, study

axis_option = option(
    "--axis",
    type=click.Choice(AXES),
    default="log",
    help=(
        "Divide the axis of levels by ratios (log) or by differences (linear), as levels from 50% to 100% need it.  "
        "[default: log]"
    ),
)
"""That of draw, too."""


WITH_ORDER = tuple(f"--scheme {name}" for name in IN_ORDER)
"""What options of orders must be given together with, one of these."""


@command_of(
    "study",
    *parameters.EXPERIMENT,
    parameters.complete_option,
    list_option(
        "--scheme",
        of=click.Choice(list(NAMES)),
        default=("uniform",),
        metavar="SCHEME...",
        help=(
            "How to reduce the judgments of each topic: keep a share of all judgments (uniform), a share of the "
            "relevant and of the nonrelevant documents (stratified), the documents among the first ones of some run "
            "(depth), these and as many others (mixed), a share of the rates of --strata (strata), or the first "
            f"documents of a judging strategy, like degrade --order: {', '.join(IN_ORDER)}. Several strategies can be "
            "given. depth is a strategy if --levels are shares or other strategies are given.  [default: uniform]"
        ),
    ),
    option(
        "--levels",
        metavar="LEVEL...",
        help=(
            "Shares such as 5% or 0.05; depths; or, for judging strategies, numbers of documents of each topic. With "
            "several --scheme, integers are numbers of documents for depth, too.  [default: 1% 2% 3% 4% 5% 10% 15% 20% "
            "25% 30% 40% 50% ... 100%; depths 1 2 3 4 5 10 20 30 40 50 100; of the rates of strata 10% 20% ... 100%]"
        ),
    ),
    option(
        "--round",
        "rounding",
        type=click.Choice(list(ROUNDINGS)),
        default="up",
        help=(
            "With --scheme stratified: how shares become numbers of documents; Ahlgren and Grönqvist 2008 round half "
            "up.  [default: up]"
        ),
    ),
    strata_option,
    strata_file_option,
    option(
        "--own-pool",
        is_flag=True,
        help=(
            "Use the judgments of the pool of these runs as the full judgments for all schemes and levels. "
            "Pooled documents that nobody judged stay unjudged (-1), as with pool --judge."
        ),
    ),
    option(
        "--pairs",
        type=click.IntRange(0, MOST_DRAWS),
        metavar="N",
        default=0,
        requires=("--scheme uniform", "--scheme stratified"),
        excludes="--resample-decisions",
        help=(
            "Compare N random pairs of runs, each judged on the documents that one of the two retrieves; Bompada et "
            "al. (2007) compare 300.  [default: all pairs, under the same judgments]"
        ),
    ),
    option(
        "--pool-depth",
        requires="--own-pool",
        type=click.IntRange(1),
        metavar="K",
        help=f"With --own-pool: the depth of the pool, and of the deepest level.  [default: {POOL_DEPTH}]",
    ),
    *order_options(*WITH_ORDER, named_by="--scheme"),
    *replay_options(*WITH_ORDER),
    option(
        "--group-by",
        requires=WITH_ORDER,
        excludes=("--groups", "--min-retrieved"),
        metavar="REGEX",
        help=(
            "With an order of judging: how far each group of runs is wronged if its documents are not asked for "
            "(groups.csv). The group of a run is the part of its name that REGEX matches."
        ),
    ),
    option(
        "--groups",
        requires=WITH_ORDER,
        excludes="--min-retrieved",
        metavar="FILE",
        shell_complete=complete_file,
        help="The same, with the group of each run in a file, a line RUN GROUP each.",
    ),
    option(
        "--samples",
        type=click.IntRange(1, MOST_DRAWS),
        metavar="N",
        default=10,
        help="Draw N samples at each level, with the seeds S, S+1, ...; depth has one.  [default: 10]",
    ),
    option(
        "--infap-errors",
        is_flag=True,
        help=(
            "Add two measures, so that the errors of infAP can be told apart: infAP_no_pool, which does not know what "
            "was pooled, and infAP_true_precisions, with the precisions of the full judgments at the sampled relevant "
            "documents: what is wrong with it is due to the sample, the rest of infAP's error to estimated precisions."
        ),
    ),
    parameters.topic_resamples_option,
    option(
        "--resample-decisions",
        requires="--resamples",
        is_flag=True,
        help=(
            "With --resamples: decide anew which runs differ for each draw of topics, for intervals of the knees of "
            "accuracy and g-mean. It takes far longer than all else."
        ),
    ),
    parameters.seed_option,
    option(
        "--figure",
        "figures",
        also="--figures",
        type=click.Choice([*ENDINGS, "none"]),
        default="png",
        help=(
            "Draw the figures in this format. Bands are one standard deviation over samples to either side, cut where "
            "the statistic cannot be; with --resamples, intervals over topics.  [default: png]"
        ),
    ),
    axis_option,
    parameters.threads_option,
    *parameters.FIGURE_STYLE,
    parameters.digits_option,
    option("-o", "--output", "folder", metavar="DIR", required=True, help="Write to this folder."),
    parameters.quiet_option,
    example="irevalx-lab study qrels runs/* -m 'map infAP bpref RankEff' --seed 1 -o study",
    formats=parameters.GRADED,
)
def command(
    output: Output, *, folder: str, figures: str, axis: str, threads: int, scheme: tuple[str, ...], **options: Any
) -> None:
    """Run a whole experiment: degrade, evaluate, compare, draw.

    The judgments are reduced to each level, as often as there are samples. All runs are evaluated under each reduced
    set of judgments, and each measure is compared with AP and with itself under full judgments. The folder then holds
    scores.csv (a row for each level, sample, run and measure), samples.csv, summary.csv and summary.txt (statistics of
    each sample; their means and spreads), knees.csv (the levels from which each measure can be trusted), the figures,
    and study.json (the options and inputs). Standard output contains Kendall's tau-b by level (the mean over samples),
    the relevant documents found if judging strategies are studied, and the names of the files.

    A knee is the lowest level from which on the mean over samples exceeds 0.9, or 95 % of the samples do. The second
    kind is given because a real experiment has only one sample of judgments, which can fall short even if the mean does
    not. With --resamples, the knees of means have intervals. Errors against AP are given for measures that estimate AP.

    Measures of strata (-R sampled) and of probabilities (-R prels) may stand beside those of grades: they know how each
    sample was drawn. With mixed the pool is a stratum that is judged as a whole, and the other judgments are another.

    Significance decisions on pairs of runs have two kinds of errors: fpr is the share of the pairs without a
    significant difference under full judgments that have one under reduced judgments; fnr is the share of the pairs
    with a significant difference under full judgments that have none under reduced judgments (called false positives by
    Bompada et al. 2007).

    The figures show by level how scores agree with AP and with those of the measure itself (agreement-with-AP and
    agreement-with-itself, as Yilmaz and Aslam 2008, Figures 8 and 10), accuracy and g-mean of pairwise decisions
    (decisions, as Bompada et al. 2007, Figure 2), and mean scores beside Kendall's tau (mean-scores, as Büttcher
    et al. 2007, Figure 1); and for each measure the scores of all runs at three levels against those in full
    (MEASURE-against-AP and MEASURE-against-itself, as Yilmaz and Aslam 2008, Figures 1 to 6), with the other levels in
    a file that ends in -appendix. A panel has six lines at most; more measures take more panels.
    """
    if figures != "none":
        import matplotlib as mpl  # noqa: F401 - it is better missed now than after the work
    refuse_folder(folder)
    found = _studied(tuple(dict.fromkeys(scheme)), threads=threads, progress=not output.quiet, **options)
    names = found.write(
        folder,
        figures=None if figures == "none" else figures,
        axis=axis,
        width=output.figure_width,
        titled=not output.no_title,
        digits=output.digits,
        threads=threads,
        progress=not output.quiet,
    )
    output.write(replace(found, notes=(*found.notes, f"Files in {shown_name(folder)}: {', '.join(names)}.")))


def _studied(names: tuple[str, ...], **options: Any) -> StudyResult | SeveralStudies:
    """Study one scheme, or several orders of judging one after another with the same seeds."""
    if len(names) == 1:
        return study(scheme=names[0], **options)
    if others := [name for name in names if name not in IN_ORDER]:
        raise UsageError(f"several of --scheme must be orders of judging, but got {others[0]}")
    options["runs"] = opened_runs(options["runs"])
    options["levels"] = budgets_of(options["levels"] or " ".join(IN_ORDER[names[0]].usual))
    seed = chosen_seed(options.pop("seed"))
    studies = tuple(study(scheme=name, seed=seed, **options) for name in names)
    return SeveralStudies(studies, seed if any(IN_ORDER[name].is_random for name in names) else None)
