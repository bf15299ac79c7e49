"""The papers cited by measures and irevalx-lab, which are read from bibliography.bib when they are needed.

The docstring of a measure cites a paper by its key: ``Source: [clarke-2008]; ndeval.`` Help, ``--cite`` and
CITATION.cff are created from the same entries. The field shortvenue is used in one-line references, and ``--cite``
omits it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache

from irevalx import __version__
from irevalx.frozen import Frozen

_ENTRY = r"@(\w+)\{([^,]+),\n(.*?)\n\}"
_FIELD = r"^  (\w+) += \{(.*)\},?$"

_CITED = re.compile(r"\[([a-z][a-z-]*-[0-9]{4})\]")

IREVALX = f"""@misc{{irevalx,
  author    = {{{{The irevalx developers}}}},
  title     = {{{{irevalx}}}},
  note      = {{Version {__version__}}}
}}"""
"""The BibTeX entry of irevalx. Other programs read ``CITATION.cff`` instead."""


class Paper(Frozen):
    """A paper, book or report, read from a BibTeX entry."""

    kind: str  # the type of the entry, such as "article"
    key: str
    fields: Mapping[str, str]

    @property
    def authors(self) -> list[str]:
        """The names of the authors, each in the form "Family, Given"."""
        return self.fields["author"].split(" and ")

    @property
    def title(self) -> str:
        """The title without the braces that preserve capitals."""
        return self.fields["title"].strip("{}")

    @property
    def venue(self) -> str:
        """The full name of the journal, proceedings, book, publisher or institution."""
        names = ("journal", "booktitle", "publisher", "institution")
        return next(self.fields[name] for name in names if name in self.fields)

    @property
    def short(self) -> str:
        """The common name of the journal, proceedings or publisher."""
        return self.fields["shortvenue"]

    @property
    def year(self) -> int:
        """The year of publication."""
        return int(self.fields["year"])

    @property
    def reference(self) -> str:
        """The reference on one line: authors, title, short venue and year.

        >>> papers()["moffat-zobel-2008"].reference
        'Moffat and Zobel, Rank-Biased Precision for Measurement of Retrieval Effectiveness, TOIS 2008'
        """
        *first, last = [name.partition(",")[0] for name in self.authors]
        names = f"{', '.join(first)} and {last}" if first else last
        return f"{names}, {self.title}, {self.short} {self.year}"

    @property
    def bibtex(self) -> str:
        """The BibTeX entry, without a newline at the end."""
        lines = [f"  {name:<9} = {{{text}}}" for name, text in self.fields.items() if name != "shortvenue"]
        return f"@{self.kind}{{{self.key},\n" + ",\n".join(lines) + "\n}"


@cache
def papers() -> dict[str, Paper]:
    """Return a dictionary that maps citation keys to papers, in ascending order of keys."""
    from importlib.resources import files

    text = files("irevalx.measures").joinpath("bibliography.bib").read_text("utf-8")
    entries = re.findall(_ENTRY, text, re.DOTALL)
    return {key: Paper(kind, key, dict(re.findall(_FIELD, body, re.MULTILINE))) for kind, key, body in entries}


def papers_cited(text: str) -> list[str]:
    """Return the keys of the papers cited in a string, without duplicates and in order of citation.

    >>> papers_cited("Source: [moffat-zobel-2008]; see also [nobody-1999].")
    ['moffat-zobel-2008']
    """
    return [key for key in dict.fromkeys(_CITED.findall(text)) if key in papers()]


def with_references(text: str) -> str:
    """Replace each citation key in a string by the reference to the paper."""
    return _CITED.sub(lambda match: papers()[match[1]].reference if match[1] in papers() else match[0], text)


def bibtex_of_papers(keys: Iterable[str]) -> str:
    """Return the BibTeX entries of irevalx and of the papers with the given keys."""
    return "\n\n".join([IREVALX, *(papers()[key].bibtex for key in keys)]) + "\n"
