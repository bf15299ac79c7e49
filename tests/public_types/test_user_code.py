"""The program that mypy checks also runs."""

from __future__ import annotations

import ast
import importlib.util
import inspect
from pathlib import Path

import pytest

import irevalx.lab


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


def test_overloads_of_compare_have_all_its_parameters() -> None:
    """The parameters that its overloads name, and those of ``Keywords``, are the parameters of the function."""
    tree = ast.parse(Path(inspect.getfile(inspect.unwrap(irevalx.lab.compare))).read_text())
    [options] = [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef) and node.name == "Keywords"]
    named = {
        node.target.id for node in options.body if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)
    }
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == "compare"]
    overloads = [node for node in functions if any(ast.unparse(each) == "overload" for each in node.decorator_list)]
    named |= {arg.arg for node in overloads for arg in (*node.args.args, *node.args.kwonlyargs)}
    assert named == set(inspect.signature(irevalx.lab.compare).parameters)
