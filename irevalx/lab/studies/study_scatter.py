"""Values of runs under reduced judgments against values under full judgments: one panel per level, or per measure.

Yilmaz and Aslam 2008 draw the former for each measure (Figures 1 to 6), the latter to separate the errors of infAP
(Figure 19).
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.text import Text
from matplotlib.ticker import MaxNLocator

from irevalx.arrays.segments import FloatArray
from irevalx.declarations import spelled
from irevalx.errors import ArgumentError, UsageError, quote
from irevalx.frozen import Frozen
from irevalx.lab.plot.page import COLOURS, GREY, Page, drawable
from irevalx.lab.plot.ranges import ranges_printed_as
from irevalx.lab.studies.run_study import REFERENCES, is_comparable
from irevalx.lab.studies.summaries import StudySummary

_STATISTICS = {"tau_b": ("tau-b", 2), "pearson": ("Pearson", 2), "rms": ("RMS", 3)}
"""The statistics in a panel: words and decimals."""

# in inches:
_EDGE = 0.05  # around everything
_LEFT, _RIGHT, _BELOW = 0.62, 0.15, 0.27  # next to and below all panels, for tick labels and a label at the left
_BETWEEN, _ROW_TITLE = 0.2, 0.28  # between panels of a row, and above each row
_LINE = 0.145  # height of a line of words


class ScatterPanel(Frozen):
    """Values of runs under reduced judgments against values under full judgments."""

    title: str
    x: FloatArray  # shape (n_runs,): under full judgments
    y: FloatArray  # shape (n_samples, n_runs): under reduced judgments
    words: str  # statistics, one per line
    colour: str  # of the points


def scatter_parts(study: StudySummary) -> dict[str, list[int]]:
    """Return the levels of each figure, descending, by the ending of its name: three like the papers, an appendix."""
    numbers = np.log([float(level.number) for level in study.levels])
    chosen: list[int] = []
    for target in study.scheme.drawn_levels:
        order = np.argsort(np.abs(numbers - math.log(target)), kind="stable").tolist()
        chosen += [number for number in order if number not in chosen][:1]
    parts = {"": sorted(chosen, reverse=True)}
    if others := sorted(set(range(len(numbers))) - set(chosen), reverse=True):
        parts["-appendix"] = others
    return parts


def scatter(study: StudySummary, measure: str, reference: str, levels: Sequence[int], page: Page) -> Figure:
    """Draw a measure under reduced judgments against a reference: one panel per level, with room for all levels."""
    colour = COLOURS[study.measures.index(measure) % len(COLOURS)]
    panels = [
        _panel_of(study, measure, reference, place, study.scheme.title.format(level.text), colour)
        for place, level in enumerate(study.levels)
    ]
    return _draw(
        [panels[place] for place in levels],
        page,
        title=f"{measure} under reduced judgments against {REFERENCES[reference]}",
        labels=(f"{'AP' if reference == 'AP' else measure} under full judgments", f"{measure} under reduced judgments"),
        extent=panels,
        on_one_scale=reference == "itself" or ranges_printed_as([measure])[0].is_share,
    )


def measures_at_a_level(
    studies: Sequence[StudySummary], measures: Sequence[str], reference: str, level: str | None, page: Page
) -> Figure:
    """Draw values at a level against a reference: one panel per study and measure.

    None is the level nearest to the last level of the papers, 5 % of the judgments or a pool of depth 4.
    """
    for measure, its_range in zip(measures, ranges_printed_as(measures), strict=True):
        if not its_range.is_share:
            raise UsageError(f"a measure must be between 0 and 1 to be drawn against AP, but got {quote(measure)}")
    panels, levels = [], dict[str, None]()
    for study in studies:
        place = _place_of(study, level)
        levels[study.scheme.title.format(study.levels[place].text)] = None
        if reference == "AP" and study.scores.average_precision is None:
            raise UsageError(f"the study {quote(study.name)} must have map among its measures, for scores against AP")
        for number, measure in enumerate(measures):
            title = f"{study.name}: {measure}" if len(studies) > 1 else measure
            panels.append(_panel_of(study, measure, reference, place, title, COLOURS[number % len(COLOURS)]))
    what, at = "AP" if reference == "AP" else "the measure itself", " and ".join(levels)
    title = f"Scores from {at} against {what} under full judgments"
    labels = f"{what} under full judgments", f"score from {at}"
    return _draw(panels, page, title=title, labels=labels, extent=panels)


def _place_of(study: StudySummary, level: str | None) -> int:
    """Return the place of a level, or of the level nearest to the last level of the papers for None."""
    numbers = [known.number for known in study.levels]
    if level is None:
        distances = [abs(math.log(number / study.scheme.drawn_levels[-1])) for number in numbers]
        return distances.index(min(distances))
    try:
        return numbers.index(study.scheme.levels([level])[0].number)
    except (ArgumentError, ValueError):
        levels = " ".join(known.text for known in study.levels)
        rule = f"a level of {quote(study.name)} ({levels})"
        raise UsageError(f"{spelled('at')} must be {rule}, but got {quote(level)}") from None


def _panel_of(study: StudySummary, measure: str, reference: str, place: int, title: str, colour: str) -> ScatterPanel:
    columns, scores = study.columns[measure, reference], study.scores
    lines = [
        f"{words} {columns[f'{name}_mean'][place]:.{digits}f}"
        for name, (words, digits) in _STATISTICS.items()
        if is_comparable(measure, reference, name)
    ]
    x = scores.average_precision if reference == "AP" else scores.full[measure]
    assert x is not None
    return ScatterPanel(title, x, scores.reduced[study.levels[place].text, measure], "\n".join(lines), colour)


def _draw(
    panels: Sequence[ScatterPanel],
    page: Page,
    *,
    title: str,
    labels: tuple[str, str],
    extent: Sequence[ScatterPanel],
    on_one_scale: bool = True,
) -> Figure:
    """Draw panels whose axes have room for ``extent``: a point for each run and sample, statistics, the line y = x."""
    n_columns = min(len(panels), 2 if page.is_narrow else 3 if len(panels) in {3, 5, 6} else 4)
    x, y = (np.concatenate([np.ravel(getattr(panel, side)) for panel in extent]) for side in ("x", "y"))
    ends = _with_margin(np.concatenate((x, y)) if on_one_scale else y)
    x_ends = ends if on_one_scale else _with_margin(x)
    n_samples = max(len(panel.y) for panel in panels)
    points = f"A point is a run{f' under one of {n_samples} samples' if n_samples > 1 else ''}"
    points += "; the line is y\u00a0=\u00a0x." if on_one_scale else "."
    figure, axes = _square_panels(
        page, len(panels), n_columns, title=title, label=labels[0], note=points, beside=labels[1]
    )
    for axis, panel in zip(axes, panels, strict=True):
        if on_one_scale:
            axis.plot(ends, ends, color=GREY, linewidth=0.7, zorder=1)
        places = np.broadcast_to(panel.x, panel.y.shape), panel.y
        axis.scatter(*places, s=7, facecolors="none", edgecolors=panel.colour, linewidths=0.5, zorder=2)
        axis.set(xlim=x_ends, ylim=ends)
        axis.set_title(drawable(panel.title))
        axis.xaxis.set_major_locator(MaxNLocator(3 if page.is_narrow else 5))
        axis.yaxis.set_major_locator(MaxNLocator(3 if page.is_narrow else 5))
        _write(axis, panel)
    return figure


def _write(axis: Axes, panel: ScatterPanel) -> None:
    """Write the statistics into the corner with the fewest points."""
    (left, right), (low, high) = axis.get_xlim(), axis.get_ylim()
    x, y = (panel.x - left) / (right - left), (panel.y - low) / (high - low)
    corners = ((0.04, 0.97), (0.96, 0.03), (0.04, 0.03), (0.96, 0.97))
    covered = [np.count_nonzero((np.abs(x - side) < 0.45) & (np.abs(y - height) < 0.33)) for side, height in corners]
    side, height = corners[int(np.argmin(covered))]
    axis.text(
        *(side, height, panel.words),
        transform=axis.transAxes,
        fontsize=6.5,
        ha="left" if side < 0.5 else "right",
        va="bottom" if height < 0.5 else "top",
    )


def _with_margin(values: FloatArray) -> tuple[float, float]:
    """Return the limits of an axis."""
    known = values[np.isfinite(values)]
    low, high = (float(known.min()), float(known.max())) if known.size else (0.0, 1.0)
    margin = 0.05 * ((high - low) or 1.0)
    return low - margin, high + margin


def _square_panels(
    page: Page, n_panels: int, n_columns: int, *, title: str, label: str, note: str, beside: str
) -> tuple[Figure, Sequence[Axes]]:
    """Return a figure, and its square panels row by row, which share their axes.

    The title is above all panels, label and note are below, another label is at the left. Sizes are fixed: the layout
    of matplotlib would take twice the time that the panels take.
    """
    n_rows = math.ceil(n_panels / n_columns)
    side = (page.width - _LEFT - _RIGHT + _BETWEEN) / n_columns - _BETWEEN
    figure = Figure(figsize=(page.width, page.width))
    heading, explanation = page.name(figure, title), page.explain(figure, label, note)
    of_heights = page.label_heights(figure, beside, n_rows * (side + _ROW_TITLE))
    first = _EDGE + _height_of(heading)
    tops = [first + row * side + (row + 1) * _ROW_TITLE for row in range(n_rows)]
    if n_rows > 1 and n_panels % n_columns:
        tops[-1] += _BELOW  # tick labels of the last panels of the row above
    height = tops[-1] + side + _BELOW + _height_of(explanation) + _EDGE
    figure.set_figheight(height)
    for text, y in ((heading, 1 - _EDGE / height), (explanation, _EDGE / height)):
        if text is not None:
            text.set(y=y)
    of_heights.set(x=_EDGE / page.width, y=1 - (tops[0] + tops[-1] + side) / 2 / height)
    panels: list[Axes] = []
    for number in range(n_panels):
        row, column = divmod(number, n_columns)
        x, y = _LEFT + column * (side + _BETWEEN), height - tops[row] - side
        place = (x / page.width, y / height, side / page.width, side / height)
        first_one = panels[0] if panels else None
        panels.append(figure.add_axes(place, sharex=first_one, sharey=first_one))
        panels[-1].tick_params(labelleft=column == 0, labelbottom=number + n_columns >= n_panels)
    return figure, panels


def _height_of(text: Text | None) -> float:
    """Return the height of a text of the figure, in inches."""
    return 0.0 if text is None else _LINE * (1 + text.get_text().count("\n"))
