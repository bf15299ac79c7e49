"""What is to be computed: the measures asked for, with parameters that have been read, in print order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from irevalx.errors import EvaluationError, ParameterError, Warn, quote
from irevalx.frozen import Frozen, cached_property
from irevalx.measures.declare import NONREL, Measure
from irevalx.measures.measure_requests import MeasureRequest, Mention, read_requests
from irevalx.measures.parameter_kinds import NoParameters, Parameters
from irevalx.reading.formats import REL_FORMATS
from irevalx.settings import Reading, Settings

if TYPE_CHECKING:
    from irevalx.measures.zscores import Zscores


class SelectedMeasure(Frozen):
    """A measure in a reading of the unjudged, with its parameters.

    Parameters
    ----------
    names : the names that the values are printed under.
    level : the least grade that is relevant; None for that of all measures.
    optional : whether it may be left out where the judgments do not allow it, as only a set asks for it.
    """

    measure: Measure
    parameters: Parameters
    reading: Reading
    names: tuple[str, ...]
    level: int | None = None
    optional: bool = False

    @property
    def needs_all(self) -> bool:
        """Whether it looks at documents outside the pool one by one."""
        below_0 = self.level is not None and self.level < 0
        return below_0 or self.reading == "rel" or self.parameters.look_outside


class Selection(Frozen):
    """What is to be computed.

    Parameters
    ----------
    measures : in print order.
    rel_format : of the judgments.
    zscores : what to convert values with; None for the values themselves.
    as_asked : whether names and order are to be printed as they were asked for.
    mentions : what was asked for, and the measures that were selected for it.
    """

    measures: tuple[SelectedMeasure, ...]
    rel_format: str = "qrels"
    zscores: Zscores | None = None
    as_asked: bool = False
    mentions: tuple[tuple[Mention, tuple[SelectedMeasure, ...]], ...] = ()

    @cached_property
    def asked(self) -> dict[str, str]:
        """What values are called as they were asked for, in that order, and the name that each is printed under."""
        found: dict[str, str] = {}
        for mention, several in self.mentions:
            for selected in several:
                for spelling, name in _spellings(mention, selected):
                    found.setdefault(spelling, name)
        return found

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
    as_asked: bool = False,
    warn: Warn = lambda line: None,
) -> Selection:
    """Return the measures asked for.

    Parameters
    ----------
    texts : what ``-m`` was given, in order; none stands for the set that is usual for the format of the judgments.
    rel_format : of the judgments, as ``-R`` takes it.
    strict : refuse parameters that are not plain numbers.
    as_asked : print names and order as they were asked for (``--names asked``).
    warn : called with a line for parameters that have no effect or are read otherwise than they look, and for members
        of sets that lack a reading.

    Raises
    ------
    UnknownMeasureError, UsageError : as ``read_requests``.
    ParameterError : parameters that make no sense.
    """
    usual = REL_FORMATS[rel_format].usual_measures
    texts = [usual if text == "official" else text for text in texts] or [usual]
    unjudged = settings.unjudged or NONREL
    requests = read_requests(texts, settings.compat, settings.level, unjudged, judged_only=settings.judged_only)
    for line in requests.warnings():
        warn(line)
    selected = {
        request: _selected(request, settings, strict, warn)
        for request in requests.in_print_order()
        if not request.optional or request.measure.can_use(rel_format)
    }
    mentions = [
        (mention, tuple(selected[request] for request in mention.requests if request in selected))
        for mention in requests.mentions
    ]
    return Selection(tuple(selected.values()), rel_format, as_asked=as_asked, mentions=tuple(mentions))


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

    try:
        parameters = measure.kind.parse(measure.name, request.text, settings, note)
    except ParameterError as error:
        from irevalx.measures.other_spellings import cutoff_hint

        raise ParameterError(f"{error}{cutoff_hint(measure.name, request.text)}") from None
    for line in parameters.warnings:
        warn(line)
    names = tuple(name + request.suffix for name in parameters.names)
    return SelectedMeasure(measure, parameters, request.reading, names, request.level, optional=request.optional)


def _spellings(mention: Mention, selected: SelectedMeasure) -> Iterator[tuple[str, str]]:
    """Yield what values are called as they were asked for, each with the name that it is printed under.

    These are the same where a text stands for several values without a list of cutoffs, and where what it says is
    ignored.
    """
    printed = dict(zip(selected.parameters.names, selected.names, strict=True))
    kind = selected.measure.kind

    def names_with(parameters: str | None) -> tuple[str, ...]:
        # What is odd has been said already, and names do not depend on settings.
        return kind.parse(selected.measure.name, parameters, Settings(), lambda item, value: None).names

    if mention.cutoffs:
        for cutoff in mention.cutoffs:
            [name] = names_with(cutoff)
            yield mention.spelling_at(cutoff), printed[name]
        return
    names = names_with(mention.parameters)
    is_ignored = isinstance(kind, NoParameters) and mention.parameters is not None
    spelling = mention.spelling if len(names) == 1 and not is_ignored else ""
    for name in names:
        if name in printed:
            yield spelling or printed[name], printed[name]
