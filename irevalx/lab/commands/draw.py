"""irevalx-lab draw."""

from __future__ import annotations

from functools import partial

import click

from irevalx.cli.values import complete_file
from irevalx.errors import UsageError
from irevalx.lab.input_files import Inputs
from irevalx.lab.output import Output
from irevalx.lab.parameters import FIGURE_STYLE, figure_option, lab_command, quiet_option


def _words(ctx: click.Context, param: click.Parameter, values: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(word for value in values for word in value.split()))


@lab_command(
    "draw",
    click.argument("studies", metavar="STUDY...", nargs=-1, required=True, type=str, shell_complete=complete_file),
    click.option(
        "--layout",
        type=click.Choice(["axis", "grid"]),
        default="axis",
        help=(
            "All studies on one axis, the share of the judgments that is left, or a grid with a column for each, such "
            "as a collection.  [default: axis]"
        ),
    ),
    click.option(
        *("-m", "--measures"),
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
    names: tuple[str, ...],
    against: str,
    itself: tuple[str, ...],
) -> None:
    """Draw several studies together.

    A STUDY is a folder that irevalx-lab study has written, or a name for it, = and the folder. The figure has
    Kendall's tau-b, Pearson's correlation and RMS error for each measure and study. Bands are those of the studies:
    one standard deviation over samples to either side, cut where the statistic cannot be, or intervals over topics.

    Studies of different schemes on one axis are what Yilmaz and Aslam 2008 draw in Figure 22, a grid of collections
    what they draw in Figures 23 and 24, there with bpref compared with AP and with itself (--itself bpref).
    """
    if output.figure is None:
        raise UsageError("--figure must be given")
    from irevalx.lab.figures.several_studies import grid, on_one_axis
    from irevalx.lab.study.summary_files import measures_in_common, read_summary

    found = [read_summary(study) for study in studies]
    known = {study.name for study in found}
    if len(known) < len(found):
        raise UsageError("the studies must have different names: NAME=DIR gives a name")
    if layout == "grid" and len(found) > 1 and output.page.is_narrow:
        raise UsageError("--layout grid must be given together with --figure-width 7 for several studies")
    lines = [(measure, against) for measure in measures_in_common(found, names)]
    lines += [(measure, "itself") for measure in measures_in_common(found, itself) if itself and against != "itself"]
    output.write_figure(partial(grid if layout == "grid" else on_one_axis, found, lines))
