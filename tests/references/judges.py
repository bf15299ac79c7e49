"""Import of packages by others whose numbers are compared with irevalx: the dependency group ``judges``."""

from __future__ import annotations

import os
from importlib import import_module
from typing import Any

import pytest


def judge(name: str) -> Any:
    """Import a package of the group. If it is missing, skip the test, or fail if ``JUDGES`` is ``required``."""
    if os.environ.get("JUDGES") == "required":
        return import_module(name)
    return pytest.importorskip(name, reason="the dependency group judges", exc_type=ImportError)
