"""The notebooks: Markdown whose blocks in Python are cells; here they are run."""

from __future__ import annotations

from contents import ROOT

FOLDER = ROOT / "docs" / "notebooks"


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
        notebook, timeout=120, kernel_name="python3", resources={"metadata": {"path": str(FOLDER)}}
    )
    return str(nbformat.writes(client.execute()))
