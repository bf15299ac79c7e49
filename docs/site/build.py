"""``python docs/site/build.py FOLDER``: make the site of the documentation in FOLDER."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

import long_description
import sources
from check import faults
from contents import ROOT, site_name

HERE = Path(__file__).resolve().parent


def main() -> int:
    """Write the sources, let Sphinx make pages of them, and look at the links; return the exit status.

    A warning of Sphinx, a link that leads nowhere, a call or a cell that fails: each is an error.
    """
    from sphinx.cmd.build import build_main

    parser = argparse.ArgumentParser("python docs/site/build.py", description="Make the site of the documentation.")
    parser.add_argument("folder", type=Path, help="where the site is put")
    folder = parser.parse_args().folder.resolve()
    with tempfile.TemporaryDirectory() as work:
        written = Path(work) / "sources"
        sources.write(written)
        options = [
            "--quiet",
            "--fail-on-warning",
            "--keep-going",
            "--jobs",
            "auto",
            "--doctree-dir",
            f"{work}/doctrees",
        ]
        if build_main([*options, "-c", str(HERE), str(written), str(folder)]):
            return 1
    for file in long_description.downloads():
        sources.copy(ROOT / file, folder / site_name(file))
    problems = [*faults(folder), *long_description.faults(folder)]
    sys.stderr.writelines(f"{fault}\n" for fault in problems)
    return int(bool(problems))


if __name__ == "__main__":
    sys.exit(main())
