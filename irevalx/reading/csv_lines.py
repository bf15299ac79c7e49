"""CSV lines converted to tab-separated lines."""

from __future__ import annotations

from irevalx.errors import MalformedLineError, quote, shown_name
from irevalx.reading.blocks import Block


def from_csv(path: str, block: Block, separator: str) -> bytes:
    """Return the text of a CSV block with tabs between columns.

    Fields with a tab, and quotes that do not end on their line, raise MalformedLineError.
    """
    import csv

    converted = []
    for number, line in enumerate(block.text.decode("utf-8", "surrogateescape").split("\n")[:-1], block.first_line):
        try:
            [fields] = csv.reader([line.rstrip("\r")], delimiter=separator, strict=True) if line.strip() else [[]]
        except csv.Error as error:
            raise MalformedLineError(f"{shown_name(path)}:{number}: {error}, in {quote(line)}") from None
        if any("\t" in field for field in fields):
            raise MalformedLineError(f"{shown_name(path)}:{number}: a field must not contain a tab: {quote(line)}")
        converted.append("\t".join(fields))
    return "".join(f"{line}\n" for line in converted).encode("utf-8", "surrogateescape")
