"""Parsing of requests of measures (``-m``), in any spelling."""

from __future__ import annotations

from functools import lru_cache

from irevalx.errors import UnknownMeasureError, UsageError, quote
from irevalx.frozen import replace
from irevalx.measures import is_measure, named
from irevalx.measures.added import load_offered
from irevalx.measures.declare import Measure
from irevalx.measures.measure_spec import ParsedRequest, read_own_spelling, split_reading, without_blanks
from irevalx.settings import UnjudgedTreatment
from irevalx.trec_eval.versions import Compat


@lru_cache(maxsize=1 << 10)
def parse_request(text: str, compat: Compat) -> ParsedRequest:
    """Parse ``map``, ``P.5,10``, ``ndcg:skip``, ``all``, or other programs' spellings such as ``nDCG@10``."""
    compact = without_blanks(text)
    stem, reading = split_reading(compact if "(" in text else text)
    spec = read_own_spelling(stem, compat)
    if spec is None:
        spec = _read_other(stem, compat)
    if spec.reading and reading not in {None, spec.reading}:
        raise UsageError(f"a measure must have one reading of the unjudged, but got {quote(text)}")
    spec = replace(spec, reading=reading or spec.reading, text=compact)
    if spec.reading and is_measure(spec.name) and spec.reading not in named(spec.name).readings:
        refuse_reading(named(spec.name), spec.reading)
    return spec


def _read_other(stem: str, compat: Compat) -> ParsedRequest:
    """Parse a text that trec_eval does not understand; measures that packages offer are loaded."""
    from irevalx.measures.other_spellings import read_other_spelling  # imported late: most calls do without

    try:
        return read_other_spelling(stem, compat)
    except UnknownMeasureError:
        problems = load_offered()
    try:
        return read_own_spelling(stem, compat) or read_other_spelling(stem, compat)
    except UnknownMeasureError as error:
        raise UnknownMeasureError("; ".join((error.message, *problems))) from None


def refuse_reading(measure: Measure, reading: UnjudgedTreatment) -> None:
    """Raise UsageError: a measure lacks this treatment of unjudged documents."""
    raise UsageError(f"a reading of {measure.name} must be {' or '.join(measure.readings)}, but got {quote(reading)}")
