"""Options that are added to commands, for the format of runs, score files, output and figures."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from irevalx.api.score_columns import SCORE_COLUMNS
from irevalx.checks import ValueType
from irevalx.declarations import Parameter, choice, flag, text, whole
from irevalx.frozen import replace
from irevalx.lab.command.evaluation_options import _EVALUATION
from irevalx.lab.command.output import DEFAULT_FORMAT, FIGURE_ENDINGS, FORMATS
from irevalx.reading.formats import RESULTS_FORMATS
from irevalx.reading.run_formats import TREC_RESULTS
from irevalx.reports import DIGITS, MOST_DIGITS, format_help
from irevalx.wording import join_words

RESULTS_FORMAT = choice(
    *RESULTS_FORMATS,
    names=("-T", "--results-format"),
    metavar="FORMAT",
    requires="runs",
    name="results_format",
    default=TREC_RESULTS.name,
    help=f"Format of runs, as for irevalx -T: {', '.join(RESULTS_FORMATS)}.",
)


def _named(**parameters: Parameter) -> Mapping[str, Parameter]:
    return {name: replace(parameter, name=name) for name, parameter in parameters.items()}


SCORES_INPUT = _named(
    scores=flag(
        excludes=(
            *(name for name in _EVALUATION if name not in {"complete", "threads"}),
            *("results_format", "depth", "documents"),
        ),
        default=False,
        help=(
            "Read score files in place of judgments and runs. Score files contain the measure values by topic of one "
            "or several runs, computed by any program."
        ),
    ),
    lower_is_better=text(
        several=True,
        metavar="MEASURE...",
        requires="scores",
        default=(),
        help="Measures that irevalx does not define and for which lower values are better. Can be repeated.",
    ),
    score_columns=choice(
        *SCORE_COLUMNS,
        metavar="WHAT",
        requires="scores",
        default=None,
        help=(
            "Whether the columns of a table without a column for the run contain the measures of one run, or the "
            "values of several runs for one measure, which has the name of the file. [default: measures if irevalx "
            "defines one of them, if -m names one, or if there is a single column; otherwise required]"
        ),
    ),
)
"""The options of commands that can read score files in place of judgments and runs."""

FIGURE_WIDTHS = ("3.3", "7")
"""The widths of figures in inches, for one and for two columns of a paper."""


def _figure_file(path: Any) -> str:
    if Path(path).suffix.lower() not in FIGURE_ENDINGS:
        raise ValueError(path)
    return str(os.fspath(path))


def _figure_width(text: str) -> float:
    if text not in FIGURE_WIDTHS:
        raise ValueError(text)
    return float(text)


FIGURE_OUTPUT = _named(
    figure=Parameter(
        metavar="FILE",
        kind=ValueType(
            f"a file name that ends in {join_words(FIGURE_ENDINGS, 'or')}", _figure_file, choices=FIGURE_ENDINGS
        ),
        completion="suffix",
        default=None,
        single=True,
        help=f"Draw a figure; the suffix of FILE selects its format: {join_words(FIGURE_ENDINGS, 'or')}.",
    ),
    figure_width=Parameter(
        kind=ValueType(join_words(FIGURE_WIDTHS, "or"), float, _figure_width, FIGURE_WIDTHS),
        means="width",
        default=float(FIGURE_WIDTHS[-1]),
        help=(
            "Width of figures in inches, for one or two columns of a paper. Figures have 300 dots per inch and fonts "
            f"of 6 to 8 points.  [default: {FIGURE_WIDTHS[-1]}]"
        ),
    ),
    no_title=flag(default=False, help="Draw figures without titles."),
    svg_text=flag(
        default=False,
        help=(
            "Store the text of SVG figures as text, which can be searched and selected, and not as outlines, which "
            "need no font."
        ),
    ),
)
"""The options of commands that draw a figure."""

LINES_OUTPUT = _named(
    path=Parameter(
        names=("-o", "--output"), metavar="FILE", default=None, help="Write to FILE instead of standard output."
    ),
    quiet=flag(default=False, help="Print neither warnings nor progress."),
)
"""The options of commands whose output consists of lines, such as qrels."""

TABLES_OUTPUT = {
    **_named(
        format=choice(
            *FORMATS,
            metavar="FORMAT",
            default=DEFAULT_FORMAT,
            help=f"Output format: {format_help(FORMATS.values())}. Formats for programs have full precision.",
        ),
        digits=whole(0, MOST_DIGITS, metavar="N", default=DIGITS, help="Decimals of real numbers in tables."),
    ),
    **LINES_OUTPUT,
}
"""The options of commands that write tables."""
