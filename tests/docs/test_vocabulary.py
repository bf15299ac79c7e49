"""The vocabulary: the pages and the help use the terms of docs/glossary.md, not paraphrases of them.

    PYTHONPATH=tests python tests/docs/test_vocabulary.py

lists the paraphrases in all pages, manual pages and messages.
"""

from __future__ import annotations

import ast
import re
import sys

import pytest
from doc_pages import PAGES, prose
from running import ROOT

CHECKED = sorted(
    {
        "README.md",
        "docs/README.md",
        "docs/agreement.md",
        "docs/answer-judges.md",
        "docs/bounds.md",
        "docs/command.md",
        "docs/compare-runs.md",
        "docs/completing-judgments.md",
        "docs/differences.md",
        "docs/estimates.md",
        "docs/figures.md",
        "docs/glossary.md",
        "docs/in-ci.md",
        "docs/incomplete-judgments.md",
        "docs/judged-pooled-outside.md",
        "docs/lab-columns-judgments.md",
        "docs/lab-columns.md",
        "docs/lab.md",
        "docs/labels.md",
        "docs/llm-judges.md",
        "docs/measures.md",
        "docs/migrating.md",
        "docs/number-of-topics.md",
        "docs/paper-tables.md",
        "docs/papers.md",
        "docs/predicted-judgments.md",
        "docs/preferences.md",
        "docs/python.md",
        "docs/report.md",
        "docs/reusability.md",
        "docs/robustness.md",
        "docs/samples.md",
        "docs/spark.md",
        "docs/speed.md",
        "docs/ties-and-real-relevance.md",
        "docs/unequally-judged-runs.md",
        "docs/what-to-judge.md",
        "docs/your-own-measure.md",
        *(page for page in PAGES if page.startswith(("docs/first/", "docs/notebooks/"))),
    }
)
"""The pages whose words are checked; their blocks of code, code spans and link targets are not."""

FROM_HELP = (
    "options",
    "exit statuses",
    "output formats",
    "measures",
    "sets",
    "orders",
    "undefined measures",
)
"""The generated blocks that repeat the help, which is not checked here."""

MANUAL_PAGES = {str(path.relative_to(ROOT)): path for path in sorted((ROOT / "man").glob("*/*"))}
"""The manual pages, which contain the help of every option and measure."""

PARAPHRASES = {
    r"labels? from elsewhere|machine's labels|what a machine says": "machine judgments",
    r"people('s)? (judge|judged|labels|judgments)|what people": "human assessors, human judgments",
    r"holes?": "unjudged documents",
    r"nobody (has )?judged|judged by nobody": "unjudged documents",
    r"fill(s|ed|ing)? (the |its |these )?(holes|judgments|them in)": "complete the judgments",
    r"readings? of (the )?unjudged": "treatments of unjudged documents",
    r"(found|has found|have found) alone|only (it|this group) has found": "unique documents",
    r"wronged|treated unfairly": "underestimated",
    r"orders? of judging|what an order asks": "judging strategy",
    r"tells? (runs |them |the two )?apart|told apart": "discriminates",
    r"may be judged": "candidate documents",
    r"how sure|can be trusted": "confidence interval, uncertainty",
    r"hold (for all|together)|alone holds": "simultaneous",
    r"runs differ|said to differ": "the difference is statistically significant",
    r"(un)?decided pairs?": "determined",
    r"the better run|beats": "the run with the higher mean",
    r"draws? again|drawn again|drawn with replacement": "resample",
    r"probabilities of drawing|with chances": "inclusion probabilities",
    r"samples? by design": "stratified sample",
    r"real relevance|whole grades|whole numbers": "real-valued grades, integers",
    r"all orders": "expected value over random tie-breaking",
    r"groups? of topics": "topic subset",
    r"the usual|usual ones": "default",
    r"asked for|wanted": "requested",
    r"for people|people see": "human-readable",
    r"stands? (in|beside|behind|below|above|there|for)|stand (side|together)": "is in, is next to, is after",
    r"a page to look at": "HTML report",
    r"the lab": "irevalx-lab",
    r"judged, pooled, outside": "judged, pooled but unjudged, unpooled",
    r"unless (told|given|you say) otherwise|unless told": "defaults to",
}
"""Each paraphrase, as a regular expression of whole words, and the term to use in its place."""


def found_in(text: str) -> dict[str, str]:
    """Return the paraphrases in a page, each with the term to use in its place.

    >>> found_in("Fill holes in `holes.md`.")
    {'Fill holes': 'complete the judgments', 'holes': 'unjudged documents'}
    """
    without_help = re.sub(rf"<!-- ({'|'.join(FROM_HELP)}): .*?<!-- end of \1 -->", "", text, flags=re.DOTALL)
    words = re.sub(r"`[^`]*`|\]\([^)]*\)|<!--.*?-->", "`", prose(without_help))
    words = " ".join(words.split())
    matches = [
        (match.start(), match[0], term)
        for paraphrase, term in PARAPHRASES.items()
        for match in re.finditer(rf"\b(?:{paraphrase})\b", words, re.IGNORECASE)
    ]
    return {phrase: term for _, phrase, term in sorted(matches)}


def help_in(name: str) -> str:
    """Return the text of a manual page without fonts, and without the names of options and the words after them.

    The word after an option is often its value.
    """
    text = re.sub(r"\\f[BIRP]", "", MANUAL_PAGES[name].read_text()).replace(r"\-", "-")
    return re.sub(r"--[a-z-]+ ?\S*", "", text)


def messages_in(module: str) -> str:
    """Return the strings of a module that contain several words, without docstrings.

    >>> messages_in("'a docstring'; x = 'a message'; y = 'name'")
    'a message'
    """
    nodes = list(ast.walk(ast.parse(module)))
    docstrings = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    strings = (node.value for node in nodes if isinstance(node, ast.Constant) and id(node) not in docstrings)
    return "\n\n".join(string for string in strings if isinstance(string, str) and " " in string)


@pytest.mark.parametrize("page", CHECKED)
def test_pages_use_the_terms_of_the_glossary(page: str) -> None:
    """No page paraphrases a term."""
    assert not found_in(PAGES[page])


@pytest.mark.parametrize("name", sorted(MANUAL_PAGES))
def test_help_uses_the_terms_of_the_glossary(name: str) -> None:
    """No manual page paraphrases a term."""
    assert not found_in(help_in(name))


def test_paraphrases_are_found() -> None:
    """Paraphrases in prose are found; code and links are not searched."""
    assert found_in("What a hole is: `holes`, [unjudged](holes.md).\n\n```sh\nholes\n```\n") == {
        "hole": "unjudged documents"
    }


def test_every_term_has_a_definition_a_source_and_a_link() -> None:
    """Each entry of the glossary has one paragraph, and a line with its source and the pages that use it."""
    _, *entries = re.split(r"^## ", PAGES["docs/glossary.md"], flags=re.MULTILINE)
    terms = [entry.partition("\n")[0] for entry in entries]
    assert terms == sorted(terms, key=str.lower)
    for entry in entries:
        assert re.fullmatch(r".+\n\n(?:.+\n)+\n\*Source:\* .+ \*Used in:\* \[.+\]\(.+\)\.\n*", entry), entry


def main() -> None:
    """Print the paraphrases in each page, manual page and module."""
    texts = PAGES | {name: help_in(name) for name in MANUAL_PAGES}
    texts |= {
        str(path.relative_to(ROOT)): messages_in(path.read_text()) for path in sorted((ROOT / "irevalx").rglob("*.py"))
    }
    for name, text in texts.items():
        for phrase, term in found_in(text).items():
            sys.stdout.write(f"{name}: {phrase} (write: {term})\n")


if __name__ == "__main__":
    main()
