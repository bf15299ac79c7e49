"""What is to be computed: the measures asked for, with parameters that have been read, in print order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from irevalx.errors import EvaluationError, ParameterError, Warn, quote
from irevalx.frozen import Frozen
from irevalx.measures.declare import NONREL, Measure
from irevalx.measures.measure_requests import MeasureRequest, read_requests
from irevalx.measures.parameter_kinds import Parameters
from irevalx.reading.formats import REL_FORMATS
from irevalx.settings import Reading, Settings

if TYPE_CHECKING:
    from irevalx.measures.zscores import Zscores


class SelectedMeasure(Frozen):
    """A measure in a reading of the unjudged, with its parameters.

    Parameters
    ----------
    names : the names that the values are printed under.
    optional : whether it may be left out where the judgments do not allow it, as only a set asks for it.
    """

    measure: Measure
    parameters: Parameters
    reading: Reading
    names: tuple[str, ...]
    optional: bool = False

    @property
    def needs_all(self) -> bool:
        """Whether it looks at documents outside the pool one by one."""
        return self.reading == "rel" or self.parameters.look_outside


class Selection(Frozen):
    """What is to be computed.

    Parameters
    ----------
    measures : in print order.
    rel_format : of the judgments.
    zscores : what to convert values with; None for the values themselves.
    """

    measures: tuple[SelectedMeasure, ...]
    rel_format: str = "qrels"
    zscores: Zscores | None = None

    def refuse_other_formats(self) -> None:
        """Refuse measures that cannot be computed from judgments in this format.

        Raises
        ------
        EvaluationError : names the first of them, and the formats that it needs.
        """
        for measure in (selected.measure for selected in self.measures):
            if not measure.can_use(self.rel_format):
                raise EvaluationError(
                    f"judgments for the measure {quote(measure.name)} must be in the format "
                    f"{' or '.join(sorted(measure.formats))} (-R), but got {quote(self.rel_format)}"
                )


def select(
    texts: Sequence[str],
    settings: Settings,
    rel_format: str = "qrels",
    *,
    strict: bool = False,
    warn: Warn = lambda line: None,
) -> Selection:
    """Return the measures asked for.

    Parameters
    ----------
    texts : what ``-m`` was given, in order; none stands for the set that is usual for the format of the judgments.
    rel_format : of the judgments, as ``-R`` takes it.
    strict : refuse parameters that are not plain numbers.
    warn : called with a line for parameters that have no effect or are read otherwise than they look, and for members
        of sets that lack a reading.

    Raises
    ------
    UnknownMeasureError, UsageError : as ``read_requests``.
    ParameterError : parameters that make no sense.
    """
    usual = REL_FORMATS[rel_format].usual_measures
    texts = [usual if text == "official" else text for text in texts] or [usual]
    requests = read_requests(texts, settings.compat, settings.unjudged or NONREL, judged_only=settings.judged_only)
    for line in requests.warnings():
        warn(line)
    selected = [
        _selected(request, settings, strict, warn)
        for request in requests.in_print_order()
        if not request.optional or request.measure.can_use(rel_format)
    ]
    return Selection(tuple(selected), rel_format)


def _selected(request: MeasureRequest, settings: Settings, strict: bool, warn: Warn) -> SelectedMeasure:
    """Read the parameters of a measure.

    Raises
    ------
    ParameterError, UsageError : they make no sense.
    """
    measure = request.measure

    def note(item: str, value: float) -> None:
        problem = f"a parameter of {measure.name} must be a plain number, but got {quote(item)}"
        if strict:
            raise ParameterError(problem)
        warn(f"{problem}, read as {value:g} as trec_eval does")

    parameters = measure.kind.parse(measure.name, request.text, settings, note)
    for line in parameters.warnings:
        warn(line)
    bare = request.reading == "nonrel" or settings.judged_only
    names = parameters.names if bare else tuple(f"{name}:{request.reading}" for name in parameters.names)
    return SelectedMeasure(measure, parameters, request.reading, names, optional=request.optional)
