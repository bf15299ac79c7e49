"""irevalx-lab draw."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

import click

from irevalx.cli.values import complete_file
from irevalx.errors import UsageError
from irevalx.lab.command.input_files import Inputs
from irevalx.lab.command.making import lab_command
from irevalx.lab.command.output import Output
from irevalx.lab.command.parameters import FIGURE_STYLE, figure_option, quiet_option

if TYPE_CHECKING:
    from irevalx.lab.studies.summary_files import StudySummary


def _words(ctx: click.Context, param: click.Parameter, values: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(word for value in values for word in value.split()))


@lab_command(
    "draw",
    click.argument("studies", metavar="STUDY...", nargs=-1, required=True, type=str, shell_complete=complete_file),
    click.option(
        "--layout",
        type=click.Choice(["axis", "grid", "scores", "runs"]),
        default="axis",
        help=(
            "All studies on one axis, the share of the judgments that is left; a grid with a column for each, such as "
            "a collection; the scores of all runs at one level, a panel a measure; or those under full judgments, with "
            "the runs in the order of the first measure.  [default: axis]"
        ),
    ),
    click.option(
        "--at",
        "at",
        metavar="LEVEL",
        help="With --layout scores: the level.  [default: that nearest to 5%, or to depth 4]",
    ),
    click.option(
        "-m",
        "--measures",
        "names",
        multiple=True,
        metavar="NAME...",
        callback=_words,
        help="Measures as the studies print them. May be repeated.  [default: all that the studies have in common]",
    ),
    click.option(
        "--against",
        type=click.Choice(["AP", "itself"]),
        default="AP",
        help="Compare measures with average precision under full judgments, or with themselves.  [default: AP]",
    ),
    click.option(
        "--itself",
        multiple=True,
        metavar="NAME...",
        callback=_words,
        help="Compare these measures with themselves as well.",
    ),
    figure_option,
    *FIGURE_STYLE,
    quiet_option,
    example="irevalx-lab draw uniform depth mixed -m infAP --figure schemes.pdf",
)
def command(
    inputs: Inputs,
    output: Output,
    *,
    studies: tuple[str, ...],
    layout: str,
    at: str | None,
    names: tuple[str, ...],
    against: str,
    itself: tuple[str, ...],
) -> None:
    """Draw several studies together.

    A STUDY is a folder that irevalx-lab study has written, or a name for it, = and the folder. On one axis and in a
    grid the figure has Kendall's tau-b, Pearson's correlation and RMS error for each measure and study. Bands are those
    of the studies: one standard deviation over samples to either side, cut where the statistic cannot be, or intervals
    over topics.

    Studies of different schemes on one axis are what Yilmaz and Aslam 2008 draw in Figure 22, a grid of collections
    what they draw in Figures 23 and 24, there with bpref compared with AP and with itself (--itself bpref). --layout
    scores is their Figure 19, of a study with --infap-errors and -m 'map infAP.c=1 infAP.c=1.5 infAP.c=2.5'; --layout
    runs is Ahlgren and Grönqvist 2008, Figures 2 to 4, with -m 'map bpref_10 RankEff'.
    """
    if output.figure is None:
        raise UsageError("--figure must be given")
    from irevalx.lab.studies.several_studies import grid, on_one_axis
    from irevalx.lab.studies.summary_files import interval_warnings, measures_in_common, read_summary

    found = [read_summary(study) for study in studies]
    known = {study.name for study in found}
    if len(known) < len(found):
        raise UsageError("the studies must have different names: NAME=DIR gives a name")
    if layout == "grid" and len(found) > 1 and output.page.is_narrow:
        raise UsageError("--layout grid must be given together with --figure-width 7 for several studies")
    if layout != "scores" and at is not None:
        raise UsageError("--at must be given together with --layout scores")
    if layout in {"scores", "runs"}:
        if itself:
            raise UsageError(f"--itself must not be given together with --layout {layout}")
        _draw_scores(output, layout, found, measures_in_common(found, names), against, at)
        return
    for line in dict.fromkeys(line for study in found for line in interval_warnings(study)):
        inputs.messages.warn(line)
    lines = [(measure, against) for measure in measures_in_common(found, names)]
    lines += [(measure, "itself") for measure in measures_in_common(found, itself) if itself and against != "itself"]
    output.write_figure(partial(grid if layout == "grid" else on_one_axis, found, lines))


def _draw_scores(
    output: Output,
    layout: str,
    found: Sequence[StudySummary],
    measures: Sequence[str],
    against: str,
    at: str | None,
) -> None:
    """Draw scores of runs, a panel a measure at a level or a line a measure under full judgments."""
    from irevalx.lab.studies.score_files import read_scores
    from irevalx.lab.studies.study_scores import measures_at_a_level, refuse_other_scales, runs_in_order

    studies = {study.name: (study, read_scores(study)) for study in found}
    if layout == "runs":
        output.write_figure(partial(runs_in_order, studies, measures))
        return
    refuse_other_scales(measures)
    output.write_figure(partial(measures_at_a_level, studies, measures, against, at))
