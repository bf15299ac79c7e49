"""A bar on a terminal that says how far a long call has come."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click


@contextmanager
def progress_bar(length: int, label: str, *, quiet: bool = False) -> Iterator[Callable[[int], None]]:
    """Show a bar on standard error, if that is a terminal, while something is done.

    Parameters
    ----------
    length : how many things there are to do.
    label : what they are.

    Yields
    ------
    What is to be told how many more of them are done.
    """
    if quiet or not sys.stderr.isatty():
        yield lambda more: None
        return
    with click.progressbar(length=length, label=label, file=sys.stderr) as bar:
        yield bar.update
