"""The papers behind the measures: help, --cite and CITATION.cff have them from one place."""

from __future__ import annotations

import re

import pytest
from running import ROOT, lab, run

from irevalx.lab.command.program import PAPERS_BEHIND
from irevalx.measures import BY_NAME, MEASURES
from irevalx.measures.bibliography import papers


def entries(text: str) -> dict[str, dict[str, str]]:
    """Read BibTeX literally: the fields of each entry, by key."""
    result = {}
    for kind, key, body in re.findall(r"^@(\w+)\{([^,]+),\n(.*?)\n\}$", text, re.MULTILINE | re.DOTALL):
        assert all(line.count("{") == line.count("}") for line in body.splitlines())
        result[key] = {"": kind, **dict(re.findall(r"^ +(\w+) += \{(.*)\},?$", body, re.MULTILINE))}
        assert len(result[key]) == len(body.splitlines()) + 1
    return result


def test_records() -> None:
    """Keys ascend and end with the year, each is cited, and no measure cites what is not there."""
    assert list(papers()) == sorted(papers())
    assert all(key.endswith(f"-{paper.year}") for key, paper in papers().items())
    cited = {key for measure in MEASURES for key in measure.papers}
    assert cited | {*PAPERS_BEHIND} == papers().keys()
    for measure in MEASURES:
        in_brackets = re.findall(r"\[([^\]]*-\d{4})\]", measure.prose)
        assert list(dict.fromkeys(in_brackets)) == measure.papers


def test_help_has_the_reference() -> None:
    """Authors, title, venue and year."""
    text = " ".join(run("-h", "-m", "infAP").stdout.decode().split())
    title = "Inferred AP: Estimating Average Precision with Incomplete Judgments"
    assert f"Source: Yilmaz and Aslam, {title}, SIGIR 2006; the constant c: Yilmaz and Aslam, " in text
    for paper in papers().values():
        assert paper.title in paper.reference
        assert re.search(rf" {paper.year}$", paper.reference)


def test_bibtex() -> None:
    """--cite prints irevalx and each paper once, without files; fields are those of the type of the entry."""
    result = run("--cite", "-m", "infAP", "-m", "ndcg", "-m", "ndcg_cut.5", "-m", "G")
    assert (result.status, result.stderr) == (0, "")
    printed = entries(result.stdout.decode())
    assert list(printed) == ["irevalx", "yilmaz-aslam-2006", "yilmaz-aslam-2008", "jarvelin-kekalainen-2002"]
    assert printed["yilmaz-aslam-2008"] == {
        "": "article",
        "author": "Yilmaz, Emine and Aslam, Javed A.",
        "title": "{Estimating Average Precision When Judgments Are Incomplete}",
        "journal": "Knowledge and Information Systems",
        "year": "2008",
        "volume": "16",
        "number": "2",
        "pages": "173--211",
    }
    required = {"article": "journal", "inproceedings": "booktitle", "incollection": "booktitle", "book": "publisher"}
    every = entries(run("--cite", *(word for name in BY_NAME for word in ("-m", name))).stdout.decode())
    every |= entries(lab("--cite").stdout.decode())
    assert every.keys() == {"irevalx", *papers()}
    for key, fields in every.items():
        if key != "irevalx":
            assert {"author", "title", "year", required.get(fields[""], "institution")} <= fields.keys()


def test_papers_behind_the_lab() -> None:
    """irevalx-lab --cite prints them, and docs/papers.md lists them: title, venue and year."""
    assert list(entries(lab("--cite").stdout.decode())) == ["irevalx", *PAPERS_BEHIND]
    listed = " ".join((ROOT / "docs" / "papers.md").read_text().partition("\n## The five papers\n")[2].split())
    for key in PAPERS_BEHIND:
        assert f"*{papers()[key].title}*, {papers()[key].short} {papers()[key].year}" in listed


@pytest.mark.parametrize("words", [(), ("no such file", "nor this"), ("-R", "subtopics"), ("--compat", "9")])
def test_usual_measures(words: tuple[str, ...]) -> None:
    """Without -m, those of the measures that are usual; files are not read."""
    result = run("--cite", *words)
    assert (result.status, result.stderr) == (0, "")
    expected = "clarke-2008" if "subtopics" in words else "buckley-voorhees-2004"
    assert {"irevalx", expected} <= entries(result.stdout.decode()).keys()


def test_citation_file() -> None:
    """It names each paper, with each author."""
    text = (ROOT / "CITATION.cff").read_text()
    for paper in papers().values():
        assert f'title: "{paper.title}"' in text
        assert all(f'family-names: "{name.partition(",")[0]}"' in text for name in paper.authors)
