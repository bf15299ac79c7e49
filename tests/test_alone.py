"""A clone is enough to run the tests: no file outside the checkout is named."""

from __future__ import annotations

import re
from pathlib import Path

from running import ROOT

OUTSIDE = re.compile(r"""/ ["']shared["']|\.\./shared|\bROOT\.parent\b""")
"""How code names the folder next to the checkout."""


def test_only_a_fixture_names_the_folder_of_collections() -> None:
    """Tests read collections through fixtures of conftest.py, which skip them if the folder is absent."""
    folders = ("tests", "irevalx", "docs", ".ci", ".github")
    files = [path for folder in folders for path in (ROOT / folder).rglob("*") if "__pycache__" not in path.parts]
    named = {path for path in files if path.is_file() and OUTSIDE.search(path.read_text(errors="replace"))}
    assert named - {Path(__file__)} == {ROOT / "tests" / "conftest.py"}
