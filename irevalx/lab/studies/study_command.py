"""irevalx-lab study."""

from __future__ import annotations

from typing import Any

import click

from irevalx.cli.option_rules import option
from irevalx.experiments.samples import ROUNDINGS
from irevalx.experiments.seeds import MOST_DRAWS
from irevalx.lab.command.making import command_of
from irevalx.lab.command.output import Output, refuse_folder
from irevalx.lab.command.parameters import (
    EXPERIMENT,
    FIGURE_STYLE,
    GRADED,
    complete_option,
    digits_option,
    quiet_option,
    seed_option,
    threads_option,
    topic_resamples_option,
)
from irevalx.lab.command.strata_options import strata_file_option, strata_option
from irevalx.lab.studies.schemes import SCHEMES
from irevalx.lab.studies.study_result import AXES, ENDINGS
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


@command_of(
    "study",
    *EXPERIMENT,
    complete_option,
    option(
        "--scheme",
        type=click.Choice(list(SCHEMES)),
        default="uniform",
        help=(
            "Keep a share of each topic's judgments (uniform), of its relevant and nonrelevant documents (stratified), "
            "those that a run has among its first ones (depth), these and as many others (mixed), or a share of the "
            "rates of --strata (strata).  [default: uniform]"
        ),
    ),
    option(
        "--levels",
        metavar="LEVEL...",
        help=(
            "Shares such as 5% or 0.05, or depths.  [default: 1% 2% 3% 4% 5% 10% 15% 20% 25% 30% 40% 50% ... 100%; "
            "depths 1 2 3 4 5 10 20 30 40 50 100; of the rates of strata 10% 20% ... 100%]"
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
            "Take the judgments of these runs' own pool for the full judgments, the same for all schemes and levels. "
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
            "Take pairwise decisions of N random pairs of runs, each with a pool of its own: its full judgments are "
            "those of the documents that one of the two has found, as Bompada et al. 2007 have it with 300.  [default: "
            "all pairs, under the same judgments]"
        ),
    ),
    option(
        "--pool-depth",
        requires="--own-pool",
        type=click.IntRange(1),
        metavar="K",
        help=f"With --own-pool: the depth of the pool, and of the deepest level.  [default: {POOL_DEPTH}]",
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
    topic_resamples_option,
    option(
        "--resample-decisions",
        requires="--resamples",
        is_flag=True,
        help=(
            "With --resamples: decide anew which runs differ for each draw of topics, for intervals of the knees of "
            "accuracy and g-mean. It takes far longer than all else."
        ),
    ),
    seed_option,
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
    threads_option,
    *FIGURE_STYLE,
    digits_option,
    option("-o", "--output", "folder", metavar="DIR", required=True, help="Write to this folder."),
    quiet_option,
    example="irevalx-lab study qrels runs/* -m 'map infAP bpref RankEff' --seed 1 -o study",
    formats=GRADED,
)
def command(output: Output, *, folder: str, figures: str, axis: str, threads: int, **options: Any) -> None:
    """Run a whole experiment: degrade, evaluate, compare, draw.

    The judgments are reduced to each level, as often as there are samples. All runs are evaluated under each reduced
    set of judgments, and each measure is compared with AP and with itself under full judgments. The folder then holds
    scores.csv (a row for each level, sample, run and measure), samples.csv, summary.csv and summary.txt (statistics of
    each sample; their means and spreads), knees.csv (the levels from which each measure can be trusted), the figures,
    and study.json (the options and inputs). Standard output has the knees too: the least level from which on the mean
    over samples exceeds 0.9, and that from which on 95 % of the samples do: whoever has judgments has one sample, and
    single samples may fall short where their mean does not. With --resamples, both have intervals. Errors against AP
    are those of measures that estimate AP.

    Measures of strata (-R sampled) and of probabilities (-R prels) may stand beside those of grades: they know how each
    sample was drawn. With mixed the pool is a stratum that is judged as a whole, and the other judgments are another.

    Pairwise decisions have two errors: fpr is the share of the pairs that do not differ under full judgments
    and do under reduced ones, fnr the share of those that differ under full judgments and do not under reduced ones,
    which Bompada et al. 2007 call false positives.

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
    found = study(**options, threads=threads, progress=not output.quiet)
    found.write(
        folder,
        figures=None if figures == "none" else figures,
        axis=axis,
        width=output.figure_width,
        titled=not output.no_title,
        digits=output.digits,
        threads=threads,
        progress=not output.quiet,
    )
    output.write(found)
