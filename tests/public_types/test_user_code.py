"""The program that mypy checks also runs."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest


def test_user_code_runs(tmp_path: Path) -> None:
    """Each function of it does what it says."""
    pytest.importorskip("typing_extensions")
    spec = importlib.util.spec_from_file_location("user_code", Path(__file__).with_name("user_code.py"))
    assert spec
    assert spec.loader
    user_code = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(user_code)
    (tmp_path / "qrels").write_text("301 0 A 1\n301 0 B 0\n")
    (tmp_path / "run").write_text("301 Q0 A 1 2.0 tag\n301 Q0 B 2 1.0 tag\n")
    user_code.evaluate_dictionaries()
    user_code.evaluate_as_pytrec_eval()
    assert user_code.declare_a_measure() == 1.0
    assert user_code.evaluate_files(tmp_path) == 1.0
    assert user_code.evaluate_many(tmp_path) == ["tag"]
    assert "must be" in user_code.catch_errors()
