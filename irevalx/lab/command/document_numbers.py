"""How many documents to select for judging: of each topic, or in all."""

from __future__ import annotations

from irevalx import parameters
from irevalx.errors import UsageError
from irevalx.reading.file_format import join_words


def number_of_documents(**given: int | None) -> tuple[str, int] | None:
    """Return the one keyword that is given, and its number; None if there is none.

    Parameters
    ----------
    given : numbers of at least 1 by keyword, of which one at most is not None.

    Raises
    ------
    ArgumentError : it is no such number.
    UsageError : two are given.
    """
    numbers = {name: parameters.whole_number(name, n, least=1) for name, n in given.items() if n is not None}
    if len(numbers) > 1:
        options = [f"--{name.replace('_', '-')}" for name in numbers]
        raise UsageError(f"{join_words(options, 'and')} contradict each other: give only one number of documents")
    return next(iter(numbers.items()), None)
