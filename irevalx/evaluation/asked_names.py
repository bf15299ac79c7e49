"""Columns under the names that their measures were asked for by (``--names asked``)."""

from __future__ import annotations

from collections.abc import Sequence

from irevalx.evaluation.columns import Column
from irevalx.frozen import replace
from irevalx.measures.select import Selection


def as_asked(columns: Sequence[Column], selection: Selection) -> tuple[Column, ...]:
    """Return the columns named and ordered as they were asked for; one that was asked for by two names, twice.

    Parameters
    ----------
    columns : one for each name that the selection prints, as far as it has a value.
    """
    by_name = {column.name: column for column in columns}
    return tuple(
        replace(by_name[printed], name=spelling) for spelling, printed in selection.asked.items() if printed in by_name
    )
