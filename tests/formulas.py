"""Literal evaluation of the formulas of the help: arithmetic, and sums over documents."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from typing import Any

PARAMETERS = {"K": 5, "X": 1, "A": 1, "B": -1, "C": 0, "D": 0, "docs": 0, "c": 2, "e": 0.00001, "p": 0.9}
"""The default parameters of measures, and a cutoff."""

FUNCTIONS: dict[str, Callable[..., float]] = {"log": math.log, "log2": math.log2, "min": min, "max": max}

TESTS: tuple[Callable[[int], bool], ...] = (lambda grade: grade > 0, lambda grade: grade == 0, lambda grade: grade < 0)
"""Judged relevant, judged nonrelevant, and pooled but unjudged."""


def python(formula: str) -> str:
    """Convert arithmetic to Python: adjacent terms are multiplied."""
    return re.sub(r"(?<=[\w)]) (?=[\w(])", " * ", formula).replace("^", "**")


class Ranked:
    """The symbols of formulas for one topic, given grades (negative: pooled but unjudged) and scores without ties."""

    def __init__(self, grades: Mapping[str, int], scores: Mapping[str, float]) -> None:
        ranked = [grades.get(docno) for docno in sorted(scores, key=lambda docno: -scores[docno])]
        judged = [grade for grade in grades.values() if grade >= 0]
        ideal = sorted((grade for grade in judged if grade > 0), reverse=True)
        self.documents: list[dict[str, Any]] = []
        for k, grade in enumerate(ranked, 1):
            above = ranked[: k - 1]
            r, n, u = (sum(x is not None and test(x) for x in above) for test in TESTS)
            kind = {"k": k, "r": r, "n": n, "u": u, "o": k - 1 - r - n - u, "gain": max(grade or 0, 0)}
            self.documents.append(kind | {"relevant": (grade or 0) > 0, "unjudged": grade is None or grade < 0})
        self.best: list[dict[str, Any]] = [{"k": k} for k in range(1, len(ideal) + 1)]
        self.values: dict[str, Any] = {
            "R": sum(grade > 0 for grade in judged),
            "N": judged.count(0),
            "ret": len(ranked),
            "rel": lambda x: sum((grade or 0) > 0 for grade in ranked[: int(x)]),
            "judged": lambda x: sum(grade is not None and grade >= 0 for grade in ranked[: int(x)]),
            "ideal": lambda k: ideal[k - 1],
            **PARAMETERS,
            **FUNCTIONS,
        }

    def value(self, formula: str) -> float:
        """Compute a formula, beginning with the sums that it contains."""
        formula, *definitions = re.split(r", (?=\w = )", formula)
        values = dict(self.values)
        for definition in definitions:
            name, _, text = definition.partition(" = ")
            # A sum has one value; other definitions have a value for each document.
            values[name] = self.value(text) if "sum over" in text else text
        every = re.compile(
            r"\b(sum|max) over ((?:relevant |unjudged )?retrieved|all k|(?=k <= K))(?: ?(?:with )?(k <= K))? of "
        )
        while match := every.search(formula):
            end = self.end_of_term(formula, match.end())
            total = self.over(match[1], match[2], match[3] or "True", formula[match.end() : end], values)
            formula = f"{formula[: match.start()]}({total!r}){formula[end:]}"
        return float(eval(python(formula), {}, values))  # noqa: S307 - the project's own text

    @staticmethod
    def end_of_term(formula: str, start: int) -> int:
        """Return the end of the brackets around a sum."""
        depth = 0
        for place in range(start, len(formula)):
            depth += {"(": 1, ")": -1}.get(formula[place], 0)
            if depth < 0:
                return place
        return len(formula)

    def over(self, how: str, which: str, condition: str, term: str, values: dict[str, Any]) -> float:
        """Return the sum or maximum of a term over some documents; 0/0, which occurs only in n/N, counts as 1."""
        parts = []
        for document in self.best if "retrieved" not in which else self.documents:
            own = values | document
            own |= {name: eval(python(text), {}, own) for name, text in values.items() if isinstance(text, str)}  # noqa: S307
            if all(own.get(word, True) for word in which.split()) and eval(condition, {}, own):  # noqa: S307
                try:
                    parts.append(float(eval(python(term), {}, own)))  # noqa: S307
                except ZeroDivisionError:
                    parts.append(1.0)
        return math.fsum(parts) if how == "sum" else max(parts, default=0.0)
