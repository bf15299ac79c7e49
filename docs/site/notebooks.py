"""The notebooks: Markdown whose blocks in Python are cells. They are run, and become pages and files to download."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from contents import ROOT

FOLDER = ROOT / "docs" / "notebooks"
DOWNLOADS = "downloads"
"""The folder of the notebooks to download among the sources of the site, which Sphinx does not make pages of."""

_WARNING = re.compile(r"^\S+:\d+: (\w+Warning: .*\n)  .*\n", re.MULTILINE)
"""A warning with the place in a temporary file that it was raised at, and the line there."""


def executed(text: str) -> Any:
    """Return a notebook of nbformat with the output of its cells.

    Parameters
    ----------
    text : the notebook in Markdown, as jupytext reads it.

    Raises
    ------
    CellExecutionError : a cell has failed.
    """
    import jupytext
    import nbclient

    notebook = jupytext.reads(text, fmt="md")
    client = nbclient.NotebookClient(
        notebook,
        timeout=300,
        kernel_name="python3",
        extra_arguments=["--log-level=ERROR"],
        resources={"metadata": {"path": str(FOLDER)}},
    )
    client.execute()
    for output in (output for cell in notebook.cells for output in cell.get("outputs", ())):
        if output.get("name") == "stderr":
            output.text = _WARNING.sub(r"\1", output.text)
    return notebook


def written(notebook: Any, change: Callable[[str], str]) -> str:
    """Return a notebook in the format of Jupyter, after a change of its text."""
    import nbformat

    changed = nbformat.from_dict(notebook)
    for cell in changed.cells:
        if cell.cell_type == "markdown":
            cell.source = change(cell.source)
    return str(nbformat.writes(changed))


def with_download(text: str, name: str) -> str:
    r"""Return the text of a page with a link to the notebook below its title, if the text begins with a title.

    >>> print(with_download("# Holes\n\nText", "holes.ipynb"))
    # Holes
    <BLANKLINE>
    {download}`Download this notebook <../downloads/holes.ipynb>` for Jupyter.
    <BLANKLINE>
    Text
    """
    link = f"{{download}}`Download this notebook <../{DOWNLOADS}/{name}>` for Jupyter."
    return re.sub(r"\A(# .+\n)", rf"\1\n{link}\n", text)
