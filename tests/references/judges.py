"""Import of other packages (the dependency group ``judges``) whose results are compared with those of irevalx."""

from __future__ import annotations

import os
from importlib import import_module
from typing import Any

import pytest


def judge(name: str) -> Any:
    """Import a package of the group. If the package is missing, skip the test, or fail if JUDGES=required is set."""
    if os.environ.get("JUDGES") == "required":
        return import_module(name)
    return pytest.importorskip(name, reason="the dependency group judges", exc_type=ImportError)
