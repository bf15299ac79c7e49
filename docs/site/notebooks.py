"""The notebooks: Markdown whose blocks in Python are cells; here they are run."""

from __future__ import annotations

import re

from contents import ROOT

FOLDER = ROOT / "docs" / "notebooks"

_WARNING = re.compile(r"^\S+:\d+: (\w+Warning: .*\n)  .*\n", re.MULTILINE)
"""A warning with the place in a temporary file that it was raised at, and the line there."""


def executed(text: str) -> str:
    """Return a notebook in Jupyter's format, with what its cells print and draw.

    Parameters
    ----------
    text : the notebook in Markdown, as jupytext reads it.

    Raises
    ------
    CellExecutionError : a cell has failed.
    """
    import jupytext
    import nbclient
    import nbformat

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
    return str(nbformat.writes(notebook))
