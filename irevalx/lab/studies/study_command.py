"""irevalx-lab study."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

import click

from irevalx import __version__
from irevalx.cli.options import refuse_standard_input_twice
from irevalx.errors import UsageError, quote
from irevalx.experiments.sample_values import requests_of_samples
from irevalx.experiments.samples import warnings_without_relevant
from irevalx.experiments.strata_design import divided, read_design
from irevalx.lab.command.input_files import GRADED, Inputs
from irevalx.lab.command.making import lab_command
from irevalx.lab.command.output import FORMATS, Output, make_folder, write_lines
from irevalx.lab.command.parameters import (
    EXPERIMENT,
    FIGURE_STYLE,
    SHARE,
    chosen_seed,
    complete_option,
    digits_option,
    quiet_option,
    seed_option,
    threads_option,
    topic_resamples_option,
)
from irevalx.lab.command.strata_options import strata_file_option, strata_option
from irevalx.lab.studies.inferred_precision import with_error_sources
from irevalx.lab.studies.run_study import DEPTHS, RATES, SCHEMES, SHARES, Level, Study, run_study
from irevalx.lab.studies.study_bootstrap import Resampling
from irevalx.lab.studies.study_samples import Division
from irevalx.lab.studies.study_warnings import study_warnings
from irevalx.process.workers import in_order
from irevalx.reading.source import Source

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from irevalx.lab.plot.page import Page


@lab_command(
    "study",
    *EXPERIMENT,
    complete_option,
    click.option(
        "--scheme",
        type=click.Choice(SCHEMES),
        default="uniform",
        help=(
            "Keep a share of each topic's judgments (uniform), of its relevant and nonrelevant documents (stratified), "
            "those that a run has among its first ones (depth), these and as many others (mixed), or a share of the "
            "rates of --strata (strata).  [default: uniform]"
        ),
    ),
    click.option(
        "--levels",
        metavar="LEVEL,...",
        help=(
            "Shares such as 5% or 0.05, or depths.  [default: 1% 2% 3% 4% 5% 10% 15% 20% 25% 30% 40% 50% ... 100%; "
            "depths 1 2 3 4 5 10 20 30 40 50 100; of the rates of strata 10% 20% ... 100%]"
        ),
    ),
    strata_option,
    strata_file_option,
    click.option(
        "--own-pool",
        is_flag=True,
        help=(
            "With depth and mixed: take the deepest pool of these runs for the full judgments, and leave out the other "
            "judgments."
        ),
    ),
    click.option(
        "--samples",
        type=click.IntRange(1),
        metavar="N",
        default=10,
        help="Draw N samples at each level, with the seeds S, S+1, ...; depth has one.  [default: 10]",
    ),
    click.option(
        "--infap-errors",
        is_flag=True,
        help=(
            "Add two measures, so that the errors of infAP can be told apart: infAP_no_pool, which does not know what "
            "was pooled, and infAP_true_precisions, with the precisions of the full judgments at the sampled relevant "
            "documents: what is wrong with it is due to the sample, the rest of infAP's error to estimated precisions."
        ),
    ),
    topic_resamples_option,
    click.option(
        "--resample-decisions",
        is_flag=True,
        help=(
            "With --resamples: decide anew which runs differ for each draw of topics, for intervals of the knees of "
            "accuracy and g-mean. It takes far longer than all else."
        ),
    ),
    seed_option,
    click.option(
        "--figures",
        type=click.Choice(["png", "svg", "pdf", "none"]),
        default="png",
        help=(
            "Draw the figures in this format. Bands are one standard deviation over samples to either side, cut where "
            "the statistic cannot be; with --resamples, intervals over topics.  [default: png]"
        ),
    ),
    threads_option,
    *FIGURE_STYLE,
    digits_option,
    click.option("-o", "--output", "folder", metavar="DIR", required=True, help="Write to this folder."),
    quiet_option,
    example="irevalx-lab study qrels runs/* --measures 'map infAP bpref RankEff' --seed 1 -o study",
    formats=GRADED,
)
def command(
    inputs: Inputs,
    output: Output,
    *,
    scheme: str,
    levels: str | None,
    strata: str | None,
    strata_file: str | None,
    own_pool: bool,
    samples: int,
    resamples: int,
    resample_decisions: bool,
    infap_errors: bool,
    seed: int | None,
    figures: str,
    folder: str,
) -> None:
    """Run a whole experiment: degrade, evaluate, compare, draw.

    The judgments are reduced to each level, as often as there are samples. All runs are evaluated under each reduced
    set of judgments, and each measure is compared with AP and with itself under full judgments. The folder then holds
    scores.csv (a row for each level, sample, run and measure), samples.csv, summary.csv and summary.txt (statistics of
    each sample; their means and spreads), knees.csv (the levels from which each measure can be trusted), the figures,
    and study.json (the options and inputs). Standard output has the knees too: the least level from which on the mean
    over samples exceeds 0.9. With --resamples, summary.csv and knees.csv have intervals.

    Measures of strata (-R sampled) and of probabilities (-R prels) may stand beside those of grades: they know how each
    sample was drawn. With mixed the pool is a stratum that is judged as a whole, and the other judgments are another.

    The figures show by level how scores agree with AP and with those of the measure itself (agreement-with-AP and
    agreement-with-itself, as Yilmaz and Aslam 2008, Figures 8 and 10), accuracy and g-mean of the decisions which runs
    differ (decisions, as Bompada et al. 2007, Figure 2), and mean scores beside Kendall's tau (mean-scores, as Büttcher
    et al. 2007, Figure 1); and for each measure the scores of all runs at three levels against those in full
    (MEASURE-against-AP and MEASURE-against-itself, as Yilmaz and Aslam 2008, Figures 1 to 6), with the other levels in
    a file that ends in -appendix. A panel has six lines at most; more measures take more panels.
    """
    _refuse_contradictions(scheme, own_pool=own_pool, has_strata=strata is not None)
    if resample_decisions and not resamples:
        raise UsageError("--resample-decisions must be given together with --resamples")
    if figures != "none":
        import matplotlib as mpl  # noqa: F401 - it is better missed now than after the work
    import scipy  # noqa: F401

    from irevalx.lab.studies.study_tables import knees_table

    refuse_standard_input_twice(inputs.qrels, strata_file, *inputs.runs)
    chosen_levels = _levels(levels, scheme)
    of_strata = None if strata_file is None else Source(strata_file)
    sources = [inputs.qrels_source, *inputs.run_sources, *([of_strata] if of_strata else [])]
    files = [{"path": source.path, "sha256": source.sha256()} for source in sources]
    experiment = inputs.experiment(requests_of_samples(inputs.measures, inputs.level))
    if own_pool:
        experiment = experiment.within_pool(int(max(level.number for level in chosen_levels)))
    if infap_errors:
        experiment = with_error_sources(experiment)
    design = None if strata is None else read_design(strata, named=strata_file is not None)
    division = None
    if design is not None:
        judgments, warn = experiment.judgments, inputs.messages.warn
        division = Division(design, divided(design, of_strata, judgments, lambda: experiment.ranking, warn))
    if scheme in {"uniform", "stratified"}:
        for line in warnings_without_relevant(experiment.judgments, inputs.level):
            inputs.messages.warn(line)
    is_random = scheme != "depth"
    first_seed = chosen_seed(seed) if is_random or resamples else seed or 0
    resampling = Resampling(resamples, seed=first_seed, decisions=resample_decisions) if resamples else None
    seeds = range(first_seed, first_seed + (samples if is_random else 1))
    path = make_folder(folder)
    with inputs.messages.progress("samples evaluated", total=len(chosen_levels) * len(seeds)) as progress:
        study = run_study(
            experiment,
            scheme,
            chosen_levels,
            list(seeds),
            done=progress.advance,
            resampling=resampling,
            division=division,
            processes=inputs.threads,
        )
    for line in study_warnings(study):
        inputs.messages.warn(line)
    about = {
        "irevalx": __version__,
        "scheme": scheme,
        **({} if strata is None else {"strata": strata}),
        "own_pool": own_pool,
        "levels": [one.text for one in study.levels],
        "seeds": list(study.seeds) if is_random else [],
        "resamples": resamples,
        "measures": list(experiment.measures),
        "level": inputs.level,
        "runs": list(experiment.runs),
        "topics": len(experiment.topics),
        "inputs": files,
    }
    write_tables(study, path, about, output.digits)
    if figures != "none":
        draw_figures(study, path, figures, output, inputs)
    write_lines(FORMATS["table"].table_lines([knees_table(study)], titled=True), None)


def _refuse_contradictions(scheme: str, *, own_pool: bool, has_strata: bool) -> None:
    """Raise UsageError for options that another scheme has."""
    if own_pool and scheme not in {"depth", "mixed"}:
        raise UsageError(f"--own-pool must be given together with --scheme depth or mixed, but got {scheme}")
    if (scheme == "strata") != has_strata:
        raise UsageError("--scheme strata and --strata must be given together")


def write_tables(study: Study, folder: Path, about: dict[str, object], digits: int) -> None:
    """Write the tables of a study and how it was made; each file is there complete or not at all."""
    from irevalx.lab.studies import study_tables

    Output(format="csv", path=folder / "scores.csv").write_tables([study_tables.scores_table(study)])
    Output(format="csv", path=folder / "samples.csv").write_tables([study_tables.samples_table(study)])
    Output(format="csv", path=folder / "summary.csv").write_tables([study_tables.summary_table(study)])
    Output(format="csv", path=folder / "knees.csv").write_tables([study_tables.all_knees_table(study)])
    for_people = list(study_tables.tables_for_people(study))
    Output(format="table", digits=digits, path=folder / "summary.txt").write_tables(for_people)
    write_lines([json.dumps(about, indent=1).encode() + b"\n"], folder / "study.json")


def draw_figures(study: Study, folder: Path, ending: str, output: Output, inputs: Inputs) -> None:
    """Draw the figures of a study; each file is there complete or not at all.

    Parameters
    ----------
    ending : of the names of the files, which is their format.
    """
    from irevalx.lab.studies.study_figures import figures

    drawings = list(figures(study))

    def write(drawing: tuple[str, Callable[[Page], Figure]]) -> None:
        name, draw = drawing
        output.write_figure(draw, folder / f"{name}.{ending}")

    with inputs.messages.progress("figures drawn", total=len(drawings)) as progress:
        for _ in in_order(write, lambda: drawings, inputs.threads):
            progress.advance()


def _levels(text: str | None, scheme: str) -> Sequence[Level]:
    """Read ``--levels``; None stands for the usual levels of the scheme.

    Raises
    ------
    UsageError : a level is not one of the scheme, there twice, or none is there.
    """
    of_depth = scheme in {"depth", "mixed"}
    usual = DEPTHS if of_depth else RATES if scheme == "strata" else SHARES
    texts = list(usual) if text is None else text.replace(",", " ").split()
    found: dict[Fraction, Level] = {}
    for one in texts:
        if of_depth:
            if not one.isascii() or not one.isdecimal() or int(one) < 1:
                raise UsageError(f"a level of {scheme} must be a depth of at least 1, but got {quote(one)}")
            number = Fraction(int(one))
        else:
            number = SHARE.convert(one, None, None)
        if number in found:
            raise UsageError(f"each level must be given once, but got {quote(one)} twice")
        found[number] = Level(one, number)
    if not found:
        raise UsageError("--levels must have one level at least")
    return list(found.values())
