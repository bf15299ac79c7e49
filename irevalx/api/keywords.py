"""Keywords that stand for options of the command, wherever runs are evaluated from Python."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from irevalx.api import checks
from irevalx.settings import Settings


def _or_none(check: Callable[[str, Any], Any]) -> Callable[[str, Any], Any]:
    return lambda name, value: None if value is None else check(name, value)


_CHECKS: dict[str, Callable[[str, Any], Any]] = {
    "level": checks.whole_number,
    "complete": checks.flag,
    "judged_only": checks.flag,
    "max_retrieved": _or_none(checks.whole_number),
    "collection_size": checks.whole_number,
    "topic": _or_none(checks.identifier),
    "unjudged": checks.texts,
    "infap_c": checks.real_number,
    "infap_epsilon": checks.real_number,
    "sample_rate": checks.real_number,
    "compat": checks.identifier,
}


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
    return Settings.of(**{name: _CHECKS[name](name, value) for name, value in keywords.items()})
