"""The text of CITATION.cff: the handwritten part, followed by references to the papers that measures cite."""

from __future__ import annotations

import json

from roff import ROOT

from irevalx.measures.bibliography import Paper, papers

FILE = ROOT / "CITATION.cff"
BEGIN = "references:  # written by python docs/generate\n"
_TYPES = {"article": "article", "inproceedings": "conference-paper", "techreport": "report"}


def citation() -> str:
    """Return the text of the file."""
    by_hand = FILE.read_text().partition(BEGIN)[0]
    return by_hand + BEGIN + "".join(_reference(paper) for paper in papers().values())


def _reference(paper: Paper) -> str:
    lines = [f"type: {_TYPES.get(paper.kind, 'book')}", f"title: {_quoted(paper.title)}", "authors:"]
    for family, _, given in (name.partition(", ") for name in paper.authors):
        lines += [f"  - family-names: {_quoted(family)}", f"    given-names: {_quoted(given)}"]
    lines.append(f"year: {paper.year}")
    if paper.kind == "article":
        lines.append(f"journal: {_quoted(paper.venue)}")
    elif paper.kind in {"inproceedings", "incollection"}:
        lines.append(f"collection-title: {_quoted(paper.venue)}")
    else:
        lines += [f"{'institution' if paper.kind == 'techreport' else 'publisher'}:", f"  name: {_quoted(paper.venue)}"]
    return "".join(f"{'  - ' if place == 0 else '    '}{line}\n" for place, line in enumerate(lines))


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
