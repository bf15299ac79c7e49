"""irevalx-lab study."""

from __future__ import annotations

import json
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

import click

from irevalx import __version__
from irevalx.errors import UsageError, quote
from irevalx.lab import PROGRAM
from irevalx.lab.experiment import prepare
from irevalx.lab.judging.qrels_lines import QrelsLines
from irevalx.lab.judging.samples import warnings_without_relevant
from irevalx.lab.output import make_folder, separated_lines, table_lines, write_file
from irevalx.lab.parameters import (
    SHARE,
    digits_option,
    fresh_seed,
    least_retrieved_option,
    level_option,
    measures_option,
    opened,
    options,
    qrels_argument,
    quiet_option,
    refuse_two_standard_inputs,
    runs_argument,
    seed_option,
    teller,
)
from irevalx.lab.study.study import DEPTHS, SCHEMES, SHARES, Level, Study, run_study
from irevalx.process.terminal import progress_bar, write
from irevalx.reading.source import Source


@click.command(
    "study",
    epilog=f"Example: {PROGRAM} study qrels runs/* --measures 'map infAP bpref RankEff' --seed 1 -o study",
)
@options(
    qrels_argument,
    runs_argument,
    click.option(
        "--scheme",
        type=click.Choice(SCHEMES),
        default="uniform",
        help=(
            "Keep a share of each topic's judgments (uniform), of its relevant and nonrelevant documents (stratified), "
            "those that a run has among its first ones (depth), or these and as many others (mixed).  "
            "[default: uniform]"
        ),
    ),
    click.option(
        "--levels",
        metavar="LEVEL,...",
        help=(
            "Shares such as 5% or 0.05, or depths.  [default: 1% 2% 3% 4% 5% 10% 15% 20% 25% 30% 40% 50% ... 100%; "
            "depths 1 2 3 4 5 10 20 30 40 50 100]"
        ),
    ),
    click.option(
        "--samples",
        type=click.IntRange(1),
        metavar="N",
        default=10,
        help="Draw N samples at each level, with the seeds S, S+1, ...; depth has one.  [default: 10]",
    ),
    seed_option,
    measures_option,
    level_option,
    least_retrieved_option,
    click.option(
        "--figures",
        type=click.Choice(["png", "svg", "pdf", "none"]),
        default="png",
        help="Draw the figures in this format.  [default: png]",
    ),
    digits_option,
    click.option("-o", "--output", "folder", metavar="DIR", required=True, help="Write to this folder."),
    quiet_option,
)
def command(
    *,
    qrels: str,
    runs: tuple[str, ...],
    scheme: str,
    levels: str | None,
    samples: int,
    seed: int | None,
    measures: tuple[str, ...],
    level: int,
    least_retrieved: float,
    figures: str,
    digits: int,
    folder: str,
    quiet: bool,
) -> None:
    """Reduce judgments again and again, and find out what becomes of each measure.

    All runs are evaluated under each reduced set of judgments, and each measure is compared with AP and with itself
    under full judgments. The folder then holds scores.csv (a row for each level, sample, run and measure),
    samples.csv, summary.csv and summary.txt (statistics of each sample; their means and spreads), the figures, and
    study.json (the options and inputs). Standard output has the levels from which each measure can be trusted.
    """
    if figures != "none":
        import matplotlib as mpl  # noqa: F401 - it is better missed now than after the work
    import scipy  # noqa: F401

    from irevalx.lab.study.study_tables import knees_table

    refuse_two_standard_inputs(qrels, *runs)
    chosen = _levels(levels, scheme)
    warn = teller(quiet)
    sources = [Source(path) for path in (qrels, *runs)]
    inputs = [{"path": source.path, "sha256": source.sha256()} for source in sources]
    read = QrelsLines.read(sources[0], warn)
    experiment = prepare(
        read.judgments,
        opened(sources[1:], warn),
        measures,
        level=level,
        least_retrieved=least_retrieved,
        warn=warn,
    )
    if scheme in {"uniform", "stratified"}:
        for line in warnings_without_relevant(read.judgments, level):
            warn(line)
    needs_seed = scheme != "depth"
    if seed is None:
        seed = fresh_seed() if needs_seed else 0
    seeds = range(seed, seed + (samples if needs_seed else 1))
    into = make_folder(folder)
    with progress_bar(len(chosen) * len(seeds), "evaluating", quiet=quiet) as progress:
        study = run_study(experiment, scheme, chosen, list(seeds), lambda: progress(1))
    about = {
        "irevalx": __version__,
        "scheme": scheme,
        "levels": [one.text for one in study.levels],
        "seeds": list(study.seeds) if needs_seed else [],
        "measures": list(experiment.measures),
        "level": level,
        "runs": list(experiment.runs),
        "topics": len(experiment.topics),
        "inputs": inputs,
    }
    write_tables(study, into, about, digits)
    if figures != "none":
        draw_figures(study, into, figures, quiet=quiet)
    write(table_lines([knees_table(study)], "table", titled=True))


def write_tables(study: Study, into: Path, about: dict[str, object], digits: int) -> None:
    """Write the tables of a study and how it was made; each file is there complete or not at all."""
    from irevalx.lab.study import study_tables as made

    tables = {"scores": made.scores_table, "samples": made.samples_table, "summary": made.summary_table}
    texts = {f"{name}.csv": b"".join(separated_lines(make(study))) for name, make in tables.items()}
    texts["summary.txt"] = b"".join(table_lines(list(made.tables_for_people(study)), "table", digits))
    texts["study.json"] = json.dumps(about, indent=1).encode() + b"\n"
    for name, text in texts.items():
        write_file(into / name, lambda part, text=text: part.write_bytes(text))  # type: ignore[misc]


def draw_figures(study: Study, into: Path, fmt: str, *, quiet: bool) -> None:
    """Draw the figures of a study; each file is there complete or not at all."""
    from irevalx.lab.study import figures as plots

    figures = list(plots.figures(study))
    with progress_bar(len(figures), "drawing", quiet=quiet) as progress:
        for stem, draw in figures:
            write_file(into / f"{stem}.{fmt}", lambda part, draw=draw: plots.save(draw, part))  # type: ignore[misc]
            progress(1)


def _levels(text: str | None, scheme: str) -> Sequence[Level]:
    of_depth = scheme in {"depth", "mixed"}
    texts = list(DEPTHS if of_depth else SHARES) if text is None else text.replace(",", " ").split()
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
