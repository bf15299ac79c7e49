"""irevalx-lab draw."""

from __future__ import annotations

from typing import Any

import click

from irevalx.cli.option_rules import option
from irevalx.cli.values import complete_file
from irevalx.errors import UsageError
from irevalx.lab.command.making import command_of
from irevalx.lab.command.output import Output
from irevalx.lab.command.parameters import FIGURE_STYLE, figure_option, quiet_option
from irevalx.lab.studies.drawing import AGAINST, LAYOUTS, draw
from irevalx.lab.studies.study_command import axis_option


def _words(ctx: click.Context, param: click.Parameter, values: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(word for value in values for word in value.split()))


@command_of(
    "draw",
    click.argument("studies", metavar="STUDY...", nargs=-1, required=True, type=str, shell_complete=complete_file),
    click.option(
        "--layout",
        type=click.Choice(LAYOUTS),
        default="axis",
        help=(
            "All studies on one axis, the share of the judgments that is left; a grid with a column for each, such as "
            "a collection; the scores of all runs at one level, one panel per measure; or those under full judgments, "
            "with the runs in the order of the first measure.  [default: axis]"
        ),
    ),
    click.option(
        "--at",
        "at",
        metavar="LEVEL",
        help="With --layout scores: the level.  [default: that nearest to 5%, or to depth 4]",
    ),
    option(
        "-m",
        "--measure",
        "measures",
        also="--measures",
        multiple=True,
        metavar="NAME...",
        callback=_words,
        help="Measures as the studies print them. May be repeated.  [default: all that the studies have in common]",
    ),
    click.option(
        "--against",
        type=click.Choice(AGAINST),
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
    axis_option,
    figure_option,
    *FIGURE_STYLE,
    quiet_option,
    example="irevalx-lab draw uniform depth mixed -m infAP --figure schemes.pdf",
)
def command(output: Output, *, studies: tuple[str, ...], rel_format: str, **options: Any) -> None:
    """Draw several studies together.

    A STUDY is a folder that irevalx-lab study has written, or a name for it, = and the folder. Studies on one axis are
    of the same runs and full judgments; --layout grid is for those of different ones. On one axis and in a
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
    output.write_figure(lambda page: draw(studies, **options, width=page.width, titled=page.titled))
