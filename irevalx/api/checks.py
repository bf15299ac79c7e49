"""Settings from keywords of ``irevalx.evaluate``."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from irevalx.parameters import What, flag, identifier, real_number, text, texts, whole_number, wrong
from irevalx.settings import Settings


def _or_none(check: Callable[[str, Any], Any]) -> Callable[[str, Any], Any]:
    return lambda name, value: None if value is None else check(name, value)


def _finite(what: What, value: Any) -> float:
    """Return a finite number; a whole one as such. Raises ArgumentError."""
    number = None if isinstance(value, bool | str) else real_number(what, value)
    if number is None or not math.isfinite(number):
        raise wrong(what, "a finite number", value)
    return int(number) if number.is_integer() else number


_CHECKS: dict[str, Callable[[str, Any], Any]] = {
    "level": whole_number,
    "grades": text,
    "complete": flag,
    "judged_only": flag,
    "max_retrieved": _or_none(whole_number),
    "collection_size": whole_number,
    "topic": _or_none(identifier),
    "unjudged": texts,
    "ties": text,
    "ignore_identical_ids": flag,
    "duplicates": text,
    "infap_c": real_number,
    "infap_epsilon": real_number,
    "sample_rate": real_number,
    "compat": identifier,
}


_USUAL = Settings()


def settings_of(**keywords: Any) -> Settings:
    """Build settings from keywords of ``irevalx.evaluate``; those that are not given have its defaults.

    Raises
    ------
    TypeError : there is no such keyword.
    ArgumentError : an argument is not of the type that it must be.
    UsageError : a value out of bounds.
    """
    if unknown := [name for name in keywords if name not in _CHECKS]:
        raise TypeError(f"a keyword must be one of {', '.join(_CHECKS)}, but got {unknown[0]!r}")
    if not keywords:
        return _USUAL
    checks = {**_CHECKS, "level": _finite} if keywords.get("grades") == "real" else _CHECKS
    return Settings.of(**{name: checks[name](name, value) for name, value in keywords.items()})
