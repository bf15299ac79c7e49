"""Contradictory requests: treatments of unjudged documents, and options that a judgment format excludes."""

from __future__ import annotations

from collections.abc import Sequence

from irevalx.declarations import spelled, spelled_rule
from irevalx.errors import UsageError
from irevalx.measures.parse import parse_request
from irevalx.reading.formats import REL_FORMATS
from irevalx.settings import ORDERS_OF_TIES, Settings


def refuse_contradictions(texts: Sequence[str], settings: Settings, rel_format: str, *, with_pool: bool) -> None:
    """Raise UsageError for treatments of unjudged documents with ``-J``, and for options that the format excludes."""
    with_readings = bool(settings.unjudged) or any(parse_request(text, settings.compat).reading for text in texts)
    if with_readings and settings.judged_only:
        raise UsageError(
            f"{spelled('judged_only', True)} cannot be combined with {spelled('unjudged')} or a treatment such as "
            "map:rel; it is skip for all measures"
        )
    for is_given, rule in (
        (settings.ties in ORDERS_OF_TIES, f"ties={settings.ties}"),
        (with_pool, "pool"),
        (settings.judged_only, "judged_only"),
        (with_readings, "unjudged"),
    ):
        if is_given and rule in REL_FORMATS[rel_format].excludes:
            raise UsageError(f"{spelled_rule(rule)} cannot be combined with {spelled('rel_format', rel_format)}")
