"""Figures of several studies, in folders or in memory."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from irevalx.api import checks
from irevalx.api.user_warnings import warn
from irevalx.errors import ArgumentError, UsageError
from irevalx.lab.studies.run_study import AXES

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from irevalx.lab.plot.page import Page
    from irevalx.lab.studies.summary_files import StudySummary

LAYOUTS = ("axis", "grid", "scores", "runs")
"""How studies are drawn: on one axis, a column for each, the scores of runs at a level, or under full judgments."""

AGAINST = ("AP", "itself")
"""What measures are compared with."""


def draw(
    studies: Any,
    *,
    layout: str = "axis",
    at: str | float | None = None,
    measures: str | Iterable[str] = (),
    against: str = "AP",
    itself: str | Iterable[str] = (),
    axis: str = "log",
    width: float = 7.0,
    titled: bool = True,
) -> Figure:
    """Draw several studies together.

    Parameters
    ----------
    studies : folders that ``irevalx-lab study`` has written, ``NAME=DIR`` for another name; or what
        ``irevalx.lab.study`` returns. Several in a list, or by their names in a dictionary.
    layout : ``axis``, all on one axis, the share of the judgments that is left; ``grid``, a column for each;
        ``scores``, the scores of all runs at one level, a panel for each measure; ``runs``, those under full judgments.
    at : the level of ``scores``; None for that nearest to 5 %, or to depth 4.
    measures : as the studies print them; none for all that they have in common.
    against : ``AP`` or ``itself``: what measures are compared with.
    itself : measures to compare with themselves as well.
    axis : ``log`` or ``linear``: how the axis of ``axis`` and ``grid`` is divided.
    width : of the figure, in inches.
    titled : whether it has a title.

    Raises
    ------
    UsageError : studies on one axis differ in runs or full judgments, have one name, or lack a measure; or keywords
        contradict each other.
    InputError : a folder does not have what a study writes.
    """
    if layout not in LAYOUTS:
        raise checks.wrong("layout", " or ".join(map(repr, LAYOUTS)), layout)
    if against not in AGAINST:
        raise checks.wrong("against", " or ".join(map(repr, AGAINST)), against)
    if axis not in AXES:
        raise checks.wrong("axis", " or ".join(map(repr, AXES)), axis)
    if layout in {"scores", "runs"} and axis != "log":
        raise UsageError(f"axis must not be given together with the layout {layout}")
    if layout != "scores" and at is not None:
        raise UsageError("at must be given together with the layout scores")
    asked, with_itself = _names("measures", measures), _names("itself", itself)
    if layout in {"scores", "runs"} and with_itself:
        raise UsageError(f"itself must not be given together with the layout {layout}")
    from irevalx.lab.plot.page import Page, style

    page, found = Page(width, titled, axis == "linear"), _summaries(studies)
    if layout == "grid" and len(found) > 1 and page.is_narrow:
        raise UsageError("the layout grid must be given together with a figure width of 7 for several studies")
    with style():
        if layout in {"scores", "runs"}:
            return _drawn_scores(found, layout, asked, against, at, page)
        return _drawn_statistics(found, layout, asked, against, with_itself, page)


def _summaries(studies: Any) -> list[StudySummary]:
    """Read the summaries of studies, as ``draw`` takes them.

    Raises
    ------
    ArgumentError : there are none.
    UsageError : two have one name.
    InputError, UnreadableFileError : a file is none of a study, or missing.
    """
    from irevalx.lab.studies.summary_files import StudyFiles, read_summary

    named = studies.items() if isinstance(studies, Mapping) else None
    listed = studies if isinstance(studies, list | tuple) else [studies]
    files = [StudyFiles.of(one, name) for name, one in (named or ((None, one) for one in listed))]
    if not files:
        raise ArgumentError("studies must be one at least, but got none")
    if len({one.name for one in files}) < len(files):
        raise UsageError("the studies must have different names: NAME=DIR gives a name")
    return [read_summary(one) for one in files]


def _drawn_statistics(
    found: list[StudySummary], layout: str, asked: tuple[str, ...], against: str, itself: tuple[str, ...], page: Page
) -> Figure:
    """Draw how scores agree, by the share or the level of judgments."""
    from irevalx.lab.studies.several_studies import grid, on_one_axis
    from irevalx.lab.studies.summary_files import interval_warnings, measures_in_common, refuse_different

    if layout == "axis":
        refuse_different(found)
    for line in dict.fromkeys(line for study in found for line in interval_warnings(study)):
        warn(line)
    lines = [(measure, against) for measure in measures_in_common(found, asked)]
    if itself and against != "itself":
        lines += [(measure, "itself") for measure in measures_in_common(found, itself)]
    return (grid if layout == "grid" else on_one_axis)(found, lines, page)


def _drawn_scores(
    found: list[StudySummary], layout: str, asked: tuple[str, ...], against: str, at: str | float | None, page: Page
) -> Figure:
    """Draw the scores of runs, at a level or under full judgments."""
    from irevalx.lab.studies.score_files import read_scores
    from irevalx.lab.studies.study_scores import measures_at_a_level, refuse_other_scales, runs_in_order
    from irevalx.lab.studies.summary_files import measures_in_common

    scored = {study.name: (study, read_scores(study)) for study in found}
    measures = measures_in_common(found, asked)
    if layout == "runs":
        return runs_in_order(scored, measures, page)
    refuse_other_scales(measures)
    return measures_at_a_level(scored, measures, against, None if at is None else str(at), page)


def _names(what: str, given: str | Iterable[str]) -> tuple[str, ...]:
    """Return measures, each once; a string may have several, with blanks between them."""
    return tuple(dict.fromkeys(word for text in checks.texts(what, given) for word in text.split()))
