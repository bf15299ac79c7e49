"""The program that mypy checks also runs."""

from __future__ import annotations

import importlib.util
import inspect
from pathlib import Path

import pytest

import irevalx.lab
from irevalx.declarations import declaration_of
from irevalx.lab.comparison.discriminative_power import DiscriminativePower
from irevalx.lab.comparison.results import ComparedPairs
from irevalx.lab.comparison.topics import ComparedTopics
from irevalx.lab.comparison.verdicts import Gate


@pytest.mark.filterwarnings("ignore::irevalx.IrevalxWarning")
def test_user_code_runs(tmp_path: Path) -> None:
    """Each function of it does what it says."""
    for package in ("typing_extensions", "scipy", "pandas", "polars"):
        pytest.importorskip(package)
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
    assert user_code.results_of_the_lab() == ["pairs", "study"]
    assert user_code.evaluate_files(tmp_path) == 1.0
    assert user_code.evaluate_many(tmp_path) == ["tag"]
    assert "unknown measure" in user_code.catch_errors()


def test_functions_of_comparisons_share_their_parameters() -> None:
    """Parameters of one name have one default and one explanation, and each function returns one type."""
    lab = irevalx.lab
    functions = (lab.compare, lab.compare_topics, lab.discriminative_power, lab.gate)
    own = {"baseline", "by", "sort"}  # of which some functions allow other values
    shared: dict[str, set[tuple[object, str]]] = {}
    for function in functions:
        for name, parameter in inspect.signature(function).parameters.items():
            if name not in own:
                text = declaration_of(function).parameters[name].help
                shared.setdefault(name, set()).add((parameter.default, text))
    assert {name for name, declared in shared.items() if len(declared) > 1} == set()
    assert len(shared) > 20
    results = [inspect.unwrap(function).__annotations__["return"] for function in functions]
    assert results == [ComparedPairs, ComparedTopics, DiscriminativePower, Gate]
