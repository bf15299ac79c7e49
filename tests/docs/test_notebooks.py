"""The notebooks: their cells run one after the other, and print every number that the text between them quotes.

Here they run without Jupyter; .ci/site runs them with it.
"""

from __future__ import annotations

import ast
import contextlib
import io
import re
import warnings

import pytest
from doc_pages import PAGES, blocks, prose
from running import ROOT

import irevalx

pytestmark = pytest.mark.slow

NOTEBOOKS = sorted(page for page in PAGES if page.startswith("docs/notebooks/"))


def printed(cells: list[str]) -> str:
    """Run cells, and return what they print, and the values of those that end with an expression."""
    names: dict[str, object] = {}
    with contextlib.redirect_stdout(io.StringIO()) as output:
        for cell in cells:
            body = ast.parse("".join(line for line in cell.splitlines(keepends=True) if not line.startswith("%"))).body
            last = body.pop() if isinstance(body[-1], ast.Expr) else None
            exec(compile(ast.Module(body, []), "cell", "exec"), names)  # noqa: S102 - it is ours
            if isinstance(last, ast.Expr):
                value = eval(compile(ast.Expression(last.value), "cell", "eval"), names)  # noqa: S307
                output.write("" if value is None else f"{value!r}\n")
    return output.getvalue()


@pytest.mark.parametrize("page", NOTEBOOKS)
def test_notebooks(page: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A notebook runs, and the numbers with decimals in its text are among those that it prints, maybe rounded."""
    pytest.importorskip("matplotlib")
    pytest.importorskip("pandas")
    monkeypatch.chdir(ROOT / "docs" / "notebooks")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", irevalx.IrevalxWarning)
        output = printed([cell for _, cell in blocks("python", PAGES[page])])
    numbers = [abs(float(number)) for number in re.findall(r"-?\d+\.\d+", output)]
    for quoted in re.findall(r"\d+\.\d+", prose(PAGES[page])):
        decimals = len(quoted.partition(".")[2])
        assert any(f"{number:.{decimals}f}" == quoted for number in numbers), f"{page} quotes {quoted}\n{output}"
