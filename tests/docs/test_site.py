"""The site: it has every page, links lead to pages of it, formulas are typeset as they are meant, figures are drawn."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import check
import contents
import measures_page
import pictures
import pytest
import sources
import typeset
from doc_pages import PAGES, blocks
from running import ROOT, described

from irevalx.lab import COMMANDS
from irevalx.measures import MEASURES

pytestmark = pytest.mark.slow

LATEX = {
    "map": [r"\frac{1}{R} \underset{\text{relevant retrieved}}{\sum} \frac{r + 1}{k}"],
    "bpref": [
        r"\frac{1}{R} \underset{\text{relevant retrieved}}{\sum} \left( 1 - \frac{\min(n, R)}{\min(N, R)} \right)"
    ],
    "rbp": [r"(1 - p) \underset{\text{retrieved}}{\sum} \mathrm{gain} \, p^{k - 1}"],
    "infAP": [
        r"\frac{1}{R} \underset{\text{relevant retrieved}}{\sum} \left( \frac{1}{k} + \frac{d}{k} \, "
        r"\frac{r + e}{r + n + c \, e} \right)",
        "d = r + n + u",
    ],
    "ndcg_cut": [
        r"\frac{\underset{\text{retrieved with } k \le K}{\sum} \frac{\mathrm{gain}}{\log_2(k + 1)}}"
        r"{\underset{k \le K}{\sum} \frac{\mathrm{ideal}(k)}{\log_2(k + 1)}}"
    ],
    "prefs_simp_ret": [r"\frac{\mathrm{ful}_{\mathrm{ret}}}{\mathrm{poss}_{\mathrm{ret}}}"],
    "set_map": [r"\frac{\mathrm{rel}(\mathrm{ret})^{2}}{\mathrm{ret} \, R}"],
    "NRBP": [
        r"\frac{1 - (1 - \alpha) \, \beta}{S} \underset{\text{retrieved}}{\sum} \mathrm{new} \, \beta^{k - 1}",
    ],
    "success": [r"1 \text{ if } \mathrm{rel}(K) > 0, \text{ otherwise } 0"],
}
"""Written by hand from the papers."""


@pytest.mark.parametrize("name", LATEX)
def test_formulas(name: str) -> None:
    """A formula is typeset as a paper has it."""
    [measure] = [measure for measure in MEASURES if measure.name == name]
    assert typeset.lines(measure.formula) == LATEX[name]


def test_all_formulas() -> None:
    """Each formula can be typeset: its brackets match, and a fraction is left nowhere as a line of text."""
    for measure in MEASURES:
        for line in typeset.lines(measure.formula):
            assert line.count("{") == line.count("}"), measure.name
            assert "/" not in line, measure.name
    for wrong in ("(1/R", "1/R)", "(1 + [x)]", "1 +(", "1/"):
        with pytest.raises(ValueError, match="formula"):
            typeset.latex(wrong)


def test_contents() -> None:
    """The list of pages has each page of docs/ and each manual page once; those of the lab's commands follow irevalx-lab."""
    listed = [file for section in contents.contents() for file in section.files]
    assert len(listed) == len(set(listed))
    assert set(contents.page_files()) - {contents.LANDING} <= set(listed)
    commands = {f"man/man1/irevalx-lab-{name}.1" for name in COMMANDS}
    assert {str(path.relative_to(ROOT)) for path in (ROOT / "man").glob("*/*")} - commands <= set(listed)
    assert [section.title for section in contents.contents()] == [
        "",
        "Tutorials",
        "How-to guides",
        "Reference",
        "Background",
    ]


def test_links() -> None:
    """A link leads to the page of the site that stands for a file, wherever the page stands that has it."""
    text = "[a](../../README.md#install) [b](../python.md) [c](../../man/man1/irevalx.1) [d](#here) [e](https://example.org)"
    expected = (
        "[a](../index.md#install) [b](../python.md) [c](../man/irevalx.1.rst) [d](#here) [e](https://example.org)"
    )
    assert contents.with_site_links(text, "docs/first/beir.md") == expected


def test_pages_of_measures() -> None:
    """Each measure is on the page of one family; the list has a link to each measure and to each page."""
    pages = measures_page.texts_of_families()
    defined = [name for page in pages.values() for name in re.findall(r"^\(measure-(\w+)\)=$", page, re.MULTILINE)]
    assert sorted(defined) == sorted(measure.name for measure in MEASURES)
    listed = measures_page.text()
    assert sorted(re.findall(r"\(#measure-(\w+)\)", listed)) == sorted(defined)
    assert re.findall(r"^\| \[.+?\]\((\S+)\)", listed, re.MULTILINE) == [*pages]
    assert max(page.count("\n## ") for page in pages.values()) < len(MEASURES) / 3


def test_last_results_of_the_search() -> None:
    """The search shows the changelog and the page for contributors after all other pages."""
    [last] = re.findall(r"\[(.+)\]\.includes", (ROOT / "docs" / "site" / "search.js").read_text())
    files = ("CHANGELOG.md", "CONTRIBUTING.md")
    assert re.findall(r'"(.+?)"', last) == [contents.site_name(file).removesuffix(".md") for file in files]


def test_faults(tmp_path: Path) -> None:
    """Links and places that are not there are found, and what is loaded from elsewhere."""
    (tmp_path / "a.html").write_text(
        '<h1 id="x">A</h1><a href="b.html#y">b</a><a href="#x">x</a><a href="mailto:a@b">m</a>'
    )
    (tmp_path / "b.html").write_text('<h1 id="y">B</h1><a href="https://example.org/">elsewhere</a>')
    assert list(check.faults(tmp_path)) == []
    (tmp_path / "b.html").write_text(
        '<a href="c.html"></a><a href="a.html#z"></a><script src="https://example.org/x.js">'
    )
    assert list(check.faults(tmp_path)) == [
        "a.html links to b.html#y, but b.html has no such place",
        "b.html loads https://example.org/x.js, but must load nothing from elsewhere",
        "b.html links to c.html, which is not there",
        "b.html links to a.html#z, but a.html has no such place",
    ]


def test_figures() -> None:
    """Each command that draws has a figure on docs/figures.md, below a line that names the file."""
    page = PAGES["docs/figures.md"]
    draws = {
        name
        for name in COMMANDS
        if any({"--figure", "--figure-format"} & {*param.opts} for param in described(name).params)
    }
    marked = [(match[1].split(), match[2]) for match in pictures.MARKED.finditer(page)]
    assert len(marked) == len(blocks("sh", page))
    assert draws == {name for _, call in marked for name in re.findall(r"irevalx-lab ([a-z-]+)", call)}
    assert all(file in call for files, call in marked for file in files if "/" not in file)


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
def test_pictures(tmp_path: Path) -> None:
    """A call below the mark is run, and its picture stands below it."""
    [match] = [match[0] for match in pictures.MARKED.finditer(PAGES["docs/figures.md"]) if "bounds.svg" in match[1]]
    text = pictures.with_pictures(f"Above.\n\n{match}\n\nBelow.\n", "docs/first/x.md", tmp_path)
    words = (
        "Figure of irevalx-lab bounds: Determined pairs of runs by number of judged documents. judged documents Grey line: "
        "all 3 pairs. Documents are judged in about 25 steps: those whose judgments narrow the bounds most first or, as in "
        "a pool, those ranked highest by any run first."
    )
    picture = f"![{words}](../pictures/bounds.svg)"
    assert text == f"Above.\n\n{match}\n\n{picture}\n\nBelow.\n"
    assert b"<svg" in (tmp_path / "pictures" / "bounds.svg").read_bytes()


def test_alternative_texts_differ(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Alternative texts contain what distinguishes figures of a command; two equal texts are an error."""
    svg = "<title>infAP &amp; AP</title><dc:description>{} &lt; 0.05 [p]</dc:description>"

    def draw(call: str, files: list[str], folder: Path) -> list[str]:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / files[0]).write_text(svg.format(call.rsplit(maxsplit=1)[-1]))
        return files

    monkeypatch.setattr(pictures, "draw", draw)
    page = "<!-- figure a.svg -->\n```sh\nirevalx-lab draw a\n```\n\n<!-- figure b.svg -->\n```sh\nirevalx-lab draw {}\n```\n"
    text = pictures.with_pictures(page.format("b"), "docs/figures.md", tmp_path)
    assert re.findall(r"!\[(.*?)\]", text) == [f"Figure of irevalx-lab draw: infAP & AP. {x} < 0.05 p" for x in "ab"]
    with pytest.raises(ValueError, match="same alternative text"):
        pictures.with_pictures(page.format("a"), "docs/figures.md", tmp_path)


def test_pictures_that_pages_link_to_are_copied(tmp_path: Path) -> None:
    """A file that a page links to can hold bytes that are not text."""
    sources.copy(ROOT / "docs" / "report.png", tmp_path / "docs" / "report.png")
    assert (tmp_path / "docs" / "report.png").read_bytes() == (ROOT / "docs" / "report.png").read_bytes()
