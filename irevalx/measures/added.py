"""Custom measures: declared in this program, or offered by installed packages; printed after irevalx's own."""

from __future__ import annotations

from functools import cache

from irevalx.errors import UsageError, printable, quote
from irevalx.measures.declare import Measure

GROUP = "irevalx.measures"
"""The group of entry points under which packages offer measures: ``NAME = "module:object"``."""

ADDED: dict[str, Measure] = {}
"""By name, in the order of declaration and printing."""


def add(measure: Measure) -> None:
    """Register a measure; a later declaration in the same module replaces an earlier one."""
    family, there = measure.family, ADDED.get(measure.name, measure).family
    if family != there:
        raise UsageError(f"the name of a measure must be its own, but {quote(measure.name)} is a measure of {there}")
    ADDED[measure.name] = measure


@cache
def load_offered() -> tuple[str, ...]:
    """Import and register the measures of installed packages, once.

    Return an error line for each that cannot be loaded.
    """
    from importlib.metadata import entry_points  # imported late: it takes a while, and few calls need it

    problems = []
    for entry in entry_points(group=GROUP):
        try:
            offered = entry.load()
        except Exception as error:  # noqa: BLE001 - what a package raises while it is imported may be anything
            problem = f"it raised {type(error).__name__}: {error}"
        else:
            if isinstance(offered, Measure):
                continue
            problem = f"{entry.value} must be what irevalx.measure makes, but it is of type {type(offered).__name__}"
        package = entry.dist.name if entry.dist else entry.module
        problems.append(printable(f"the measure {quote(entry.name)} of {package} cannot be loaded: {problem}"))
    return tuple(problems)
