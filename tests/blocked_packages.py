"""Environments without the packages of extras."""

from __future__ import annotations

from collections.abc import Iterable

EXTRAS = {
    "lab": ("jinja2", "matplotlib", "scipy", "sklearn"),
    "arrow": ("pyarrow",),
    "fast": ("isal",),
    "pandas": ("pandas",),
    "polars": ("polars",),
}
"""The import names of the packages of each extra."""

OTHERS = ("duckdb", "pyspark")
"""Packages that no extra but spark installs."""


def blocking(extras: Iterable[str], others: Iterable[str] = OTHERS) -> str:
    """Return a module ``sitecustomize`` that makes the packages of these extras, and other packages, unavailable."""
    packages = [package for extra in extras for package in EXTRAS[extra]]
    return _BLOCKS.replace("PACKAGES", repr([*sorted(packages), *others]))


_BLOCKS = """import importlib.util
import sys

found = importlib.util.find_spec


class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in PACKAGES:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


sys.meta_path.insert(0, Blocked())
importlib.util.find_spec = lambda name, package=None: None if name in PACKAGES else found(name, package)
"""
