"""Progress bars on standard error, for work whose amount is known."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click

from irevalx.process.terminal import is_terminal


@contextmanager
def progress_bar(what: str, total: int, *, shown: bool) -> Iterator[Callable[[int], None]]:
    """Give a function that is called with how much has been done since; a bar with the time left shows it.

    Parameters
    ----------
    what : is done.
    total : how much there is to do.
    shown : whether progress is asked for; there is no bar where standard error is no terminal either.
    """
    if not (shown and total and is_terminal()):
        yield lambda done: None
        return
    with click.progressbar(range(total), label=what, file=sys.stderr) as bar:
        yield bar.update
