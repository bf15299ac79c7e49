"""Packages by others that judge numbers of irevalx: those of the dependency group ``judges``, in tests marked so."""

from __future__ import annotations

import os
from importlib import import_module
from typing import Any

import pytest


def judge(name: str) -> Any:
    """Import a package of the group; where it is missing skip the test, or fail if ``JUDGES`` is ``required``."""
    if os.environ.get("JUDGES") == "required":
        return import_module(name)
    return pytest.importorskip(name, reason="the dependency group judges", exc_type=ImportError)
