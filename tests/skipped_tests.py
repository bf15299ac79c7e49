"""Why tests are skipped, and the command that runs them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator

GROUPS = (
    (
        "packages of other evaluation tools",
        r"the dependency group judges|irrCAC|'(mteb|beir)\b",
        "python -m pip install '.[lab]' --group test --group judges && pytest -m judges, in an environment of its own",
    ),
    (
        "trec_eval and other programs",
        r"TREC_EVAL|trec_eval 10|is not named in the environment|COMPATIBILITY|_SUITE |gdeval",
        "TREC_EVAL_9=PROGRAM TREC_EVAL_10=PROGRAM pytest; see CONTRIBUTING.md",
    ),
    ("collections", r"needs the collections", "pytest -m collections, with the collections next to the checkout"),
    ("simulations", r"_(DRAWS|REPLAYS)\b", "for example GATE_DRAWS=200 pytest; CONTRIBUTING.md lists the variables"),
    ("Spark", r"pyspark|Spark", "python -m pip install --group spark && pytest -m spark, with Java"),
    ("a browser", r"chromium|AXE_CORE", "pytest tests/lab/html_report, with chromium and chromedriver on the PATH"),
    (
        "programs of the system",
        r"needs (mandoc|groff|zsh|fish|bash|make|\{|hatchling|perl)|pdflatex|^needs \w+$|sources of the locale",
        "pytest, after the programs have been installed",
    ),
    ("packages of extras", r"could not import|needs polars", "python -m pip install '.[all]' --group test && pytest"),
    (
        "other systems and versions of Python",
        r"needs (/|fork|a shell|a disk|the program script)|memory is counted|the system does not|Python writes",
        "pytest on Linux",
    ),
    (
        "cases that do not apply",
        r"not of this source|no such reading|it is refused|lacks the option|may occur again|collection has this run|links are absolute|the README compares",
        "nothing: the test does not apply to the parameter",
    ),
)
"""For each group a pattern of the reasons, and what runs the tests."""


def group_of(reason: str) -> str | None:
    """Return the name of the group of a reason; None if it belongs to no group."""
    return next((name for name, pattern, _ in GROUPS if re.search(pattern, reason)), None)


def summary(reasons: Iterable[str]) -> Iterator[str]:
    """Yield a line for each group of skipped tests, the largest group first, and the other reasons as they are."""
    remedies = {name: remedy for name, _, remedy in GROUPS}
    counts = Counter(group_of(reason) or reason for reason in reasons)
    for name, number in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
        yield f"{number:5} {name}{f': {remedies[name]}' if name in remedies else ''}"
