"""Reports of several collections: the page about all collections, and its links to the report of each one."""

from __future__ import annotations

import re
import shutil
from html.parser import HTMLParser
from pathlib import Path

import pytest
from collection_values import FOLDER, MEANS, NAMES, PATTERNS, VALUES
from running import lab

import irevalx


class Tables(HTMLParser):
    """The cells of the tables of a page, with their links, and the cells in bold type."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.links: dict[str, str] = {}
        self.bold: list[str] = []
        self.inside = self.href = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Begin a row or a cell."""
        if tag == "tr":
            self.rows.append([])
        elif tag in {"th", "td"}:
            self.rows[-1].append("")
        self.inside = tag if tag in {"th", "td", "bdi", "b", "a"} else ""
        self.href = dict(attrs).get("href") or "" if tag == "a" else self.href

    def handle_data(self, data: str) -> None:
        """Add the text of a cell."""
        if self.inside and self.rows and data.strip():
            self.rows[-1][-1] += data.strip()
            self.bold += [data.strip()] if self.inside == "b" else []
            self.links |= {data.strip(): self.href} if self.href else {}
            self.href = ""


def written(folder: Path, *options: str) -> str:
    """Write the report to a folder, and return the page about all collections."""
    result = lab("report", *PATTERNS, "-m", "recip_rank", *options, "-o", folder / "all.html", cwd=FOLDER)
    assert result.status == 0, result.stderr
    return (folder / "all.html").read_text()


def test_pages(tmp_path: Path) -> None:
    """The first page has the means of the collections, the best in bold, and links to pages as without collections."""
    page = written(tmp_path)
    tables = Tables(page)
    means = {name: [*MEANS[name], sum(MEANS[name]) / 3] for name in MEANS}
    assert tables.rows[0] == ["run", *NAMES, "mean"]
    assert tables.rows[1:3] == [[name, *(f"{mean:.4f}" for mean in means[name])] for name in ("bm25", "dense")]
    best = [max(pair) for pair in zip(*means.values(), strict=True)]
    assert sorted(tables.bold) == sorted(f"{mean:.4f}" for mean in best)
    assert tables.links == {name: f"all-{name}.html" for name in NAMES}
    for name in NAMES:
        alone = tmp_path / f"{name}.html"
        paths = [path.format(collection=name, run=run) for path in PATTERNS for run in ("bm25", "dense")]
        runs = dict.fromkeys(paths[1:])
        title = ("--title", f"{name}: bm25 and dense")
        assert lab("report", *runs, "-m", "recip_rank", *title, "-o", alone, cwd=FOLDER).status == 0
        assert (tmp_path / f"all-{name}.html").read_text().partition("<main>")[0] == alone.read_text().partition(
            "<main>"
        )[0]
    assert "<script" not in page
    assert "default-src &#39;none&#39;" in page
    assert '<h1 class="lead">bm25 and dense on 3 collections</h1>' in page
    assert "On these 3 collections, bm25 has a mean recip_rank of" in page


def test_title_and_baseline(tmp_path: Path) -> None:
    """The title is the title of the first page, and each collection adds its name."""
    page = written(tmp_path, "--title", "Nightly & more", "--baseline", "dense")
    assert "<title>Nightly &amp; more</title>" in page
    assert "<title>claims: Nightly &amp; more</title>" in (tmp_path / "all-claims.html").read_text()
    assert re.search(r"bm25 has a mean recip_rank of .*, and dense of", page)


def test_missing_runs(tmp_path: Path) -> None:
    """Missing runs and topics: the page has the means of ``compare``, and counts have no mean over collections."""
    shutil.copytree(FOLDER, tmp_path / "copy")
    runs = tmp_path / "copy" / "runs"
    (runs / "finance" / "dense.trec").unlink()
    lines = (runs / "claims" / "dense.trec").read_text().splitlines(keepends=True)
    (runs / "claims" / "dense.trec").write_text("".join(line for line in lines if not line.startswith("q1 ")))
    values = {run: {topic: value for topic, value in VALUES[run]["claims"].items() if topic != "q1"} for run in MEANS}
    options = ("-m", "recip_rank num_rel_ret unj@10", "-o", tmp_path / "all.html")
    assert lab("report", *PATTERNS, *options, cwd=tmp_path / "copy").status == 0
    page = Tables((tmp_path / "all.html").read_text())
    rows = {tuple(row[:2]): row[2:] for row in page.rows if len(row) == 6}
    assert page.rows[0] == ["measure", "run", *NAMES, "mean"]
    for run in MEANS:
        claims, nutrition = sum(values[run].values()) / len(values[run]), MEANS[run][2]
        cells = rows["recip_rank", run]
        finance = "" if run == "dense" else f"{MEANS[run][1]:.4f}"
        assert cells[:3] == [f"{claims:.4f}", finance, f"{nutrition:.4f}"]
        assert cells[3] == f"{(claims + nutrition) / 2:.4f}"
        assert rows["num_rel_ret", run][3] == ""
        assert rows["unj_10", run][3] != ""
    words = lab("compare", *PATTERNS, "-m", "recip_rank", "--by", "run", cwd=tmp_path / "copy").words.replace("*", "")
    for run in MEANS:
        of_claims, _, of_nutrition, mean = rows["recip_rank", run]
        assert f"{run} {of_claims} {of_nutrition} {mean}" in words


def test_python(tmp_path: Path) -> None:
    """Dictionaries of collections, a single run, and the page in a notebook."""
    qrels = {name: FOLDER / "qrels" / f"{name}.tsv" for name in NAMES}
    runs = {name: {"bm25": FOLDER / "runs" / name / "bm25.trec"} for name in NAMES}
    report = irevalx.lab.report(qrels, runs, "recip_rank")
    with pytest.warns(irevalx.IrevalxWarning, match="only relevant documents are judged"):
        page = report.page
    assert Tables(page).rows == [
        ["run", *NAMES, "mean"],
        ["bm25", *(f"{mean:.4f}" for mean in MEANS["bm25"]), f"{sum(MEANS['bm25']) / 3:.4f}"],
    ]
    assert "Satterthwaite" not in page
    assert "<a " not in page
    assert repr(report) == "bm25 on 3 collections"
    with pytest.raises(irevalx.IrevalxError, match="several collections consists of HTML pages; name the file"):
        report.write(tmp_path / "all.json")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--margin", "0.1", "--baseline", "bm25"), "--margin cannot be combined with several collections"),
        (("--test", "wilcoxon"), "--test wilcoxon cannot be combined with several collections"),
        (
            ("--format", "json"),
            "a report of several collections consists of HTML pages; name the file of the first page",
        ),
    ],
)
def test_refused(tmp_path: Path, options: tuple[str, ...], message: str) -> None:
    """Options that apply to a single collection."""
    result = lab("report", *PATTERNS, *options, "-o", tmp_path / "all.html", cwd=FOLDER)
    assert result.status != 0
    assert message in result.stderr
