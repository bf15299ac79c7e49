"""What irevalx does without the packages that an extra brings: it works, or a sentence names the extra."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from blocked_packages import blocking
from running import FIXTURES, ROOT


def without(*extras: str, folder: Path) -> dict[str, str]:
    """Return an environment in which the packages of these extras cannot be imported."""
    (folder / "sitecustomize.py").write_text(blocking(extras))
    return os.environ | {"PYTHONPATH": str(folder)}


QRELS, RUNS = FIXTURES / "experiment" / "qrels", sorted((FIXTURES / "experiment" / "runs").iterdir())[:2]
EVALUATED = f"import irevalx, irevalx.lab; s = irevalx.evaluate({str(QRELS)!r}, {str(RUNS[0])!r}, 'map'); "


@pytest.mark.parametrize(
    ("extras", "program", "complaint"),
    [
        ("lab arrow fast pandas polars", "print(s['map'], s.interval('map'))", None),
        ("pandas", "s.to_frame()", "to_frame needs pandas, which is not installed: pip install 'irevalx[pandas]'"),
        (
            "pandas",
            f"irevalx.lab.compare({str(QRELS)!r}, {list(map(str, RUNS))!r}, 'map').to_frame()",
            "to_frame needs pandas, which is not installed: pip install 'irevalx[pandas]'",
        ),
        ("polars", "s.to_polars()", "to_polars needs polars, which is not installed: pip install 'irevalx[polars]'"),
        ("arrow", "s.to_arrow()", "to_arrow needs pyarrow, which is not installed: pip install 'irevalx[arrow]'"),
        ("pandas arrow", "s.to_polars()", None),
        (
            "arrow",
            "import irevalx.spark",
            "irevalx.spark needs pyarrow, which is not installed: pip install 'irevalx[spark]'",
        ),
    ],
)
def test_python_without_extras(extras: str, program: str, complaint: str | None, tmp_path: Path) -> None:
    """What needs a package names it, and the extra that brings it."""
    environment = without(*extras.split(), folder=tmp_path)
    call = [sys.executable, "-W", "ignore", "-c", EVALUATED + program]
    done = subprocess.run(call, env=environment, cwd=ROOT, capture_output=True, text=True, check=False, timeout=120)
    assert (done.returncode == 0) == (complaint is None), done.stderr
    assert (complaint or "") in done.stderr


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ("leave-out --help", None),
        ("compare {qrels} {runs} -m map", "compare needs scipy, which is not installed: pip install 'irevalx[lab]'"),
        ("-h", None),
    ],
)
def test_lab_without_its_extra(words: str, complaint: str | None, tmp_path: Path) -> None:
    """The command that was typed is named."""
    typed = words.format(qrels=QRELS, runs=" ".join(map(str, RUNS))).split()
    call = [sys.executable, "-m", "irevalx.lab", *typed]
    environment = without("lab", "pandas", "arrow", folder=tmp_path)
    done = subprocess.run(call, env=environment, cwd=ROOT, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == (0 if complaint is None else 1), done.stderr
    assert (complaint or "") in done.stderr
