"""Lines of csv as lines whose columns are separated by tabs."""

from __future__ import annotations

from irevalx.errors import MalformedLineError, quote, shown_name
from irevalx.reading.blocks import Block


def from_csv(path: str, block: Block, separator: str) -> bytes:
    """Return the text of a block of csv with tabs between columns.

    Raises
    ------
    MalformedLineError : a field holds a tab, or a quote does not end on its line.
    """
    import csv

    found = []
    for number, line in enumerate(block.text.decode("utf-8", "surrogateescape").split("\n")[:-1], block.first_line):
        try:
            [fields] = csv.reader([line.rstrip("\r")], delimiter=separator, strict=True) if line.strip() else [[]]
        except csv.Error as error:
            raise MalformedLineError(f"{shown_name(path)}:{number}: {error}, in {quote(line)}") from None
        if any("\t" in field for field in fields):
            raise MalformedLineError(f"{shown_name(path)}:{number}: a field must not hold a tab, but got {quote(line)}")
        found.append("\t".join(fields))
    return "".join(f"{line}\n" for line in found).encode("utf-8", "surrogateescape")
