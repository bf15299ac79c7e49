"""Measures and formats explained in plain text: their docstrings, and what follows from how they are declared."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Sequence
from typing import Any

from irevalx.measures import MEASURES, NICKNAMES
from irevalx.measures.declare import ABSENT, NOTHING, Measure
from irevalx.measures.select import AT_CUTOFFS, SYNONYMS, SYNONYMS_AT
from irevalx.measures.summary import (
    LEAST,
    Summary,
    geometric_mean,
    mean,
    real_total,
    relevant_total,
    run_tag,
    topic_count,
    total,
)
from irevalx.reading.formats import FileFormat

WIDTH = 79


def measure_lines(measures: Sequence[Measure]) -> Iterator[str]:
    """Yield what each measure is: how to ask for it, definition, formula, range, source, and what options do to it."""
    for measure in measures:
        yield f"{measure.name}: {measure.title}"
        if measure.kind.usage:
            yield f"    -m {measure.name}.{measure.kind.usage}"
        for paragraph in measure.paragraphs:
            for line in paragraph:
                yield from _wrapped(line, "    ")
                if line.startswith("Formula:"):
                    for name, meaning in symbols_of(measure).items():
                        has_name = meaning.startswith((f"{name}(", f"{name}[", f"{name},"))
                        yield from _wrapped(meaning if has_name else f"{name}: {meaning}", "        ")
        for effect in effects(measure):
            yield from _wrapped(effect, "    ", "        ")
        yield ""


SYMBOLS = {
    "T": "topics averaged over",
    "ret": "documents retrieved",
    "R": "documents judged relevant, retrieved or not",
    "N": "documents judged nonrelevant, retrieved or not",
    "R_ret": "as R, but retrieved",
    "N_ret": "as N, but retrieved",
    "rel": "rel(x): relevant documents among the first x",
    "judged": "judged(x): judged documents among the first x",
    "K": "the cutoff",
    "X": "the parameter",
    "A": "A, B, C, D: the parameters",
    "docs": "documents in the collection (-N)",
    "k": "the rank of a document, from 1 up",
    "r": "documents above it that were judged relevant",
    "n": "documents above it that were judged nonrelevant",
    "u": "documents above it that were pooled and not judged",
    "o": "documents above it from outside the pool",
    "c": "a parameter, see above",
    "e": "a small number, see above",
    "p": "a probability, see above",
    "E": "E[...]: the expected value",
    "gain": "the grade of the document or the gain given for it, 0 if it was not judged",
    "ideal": "ideal(k): the k-th highest gain of the judged documents, as far as it is above 0",
    "dcg": "the measure of that name; dcg(k): of the first k documents",
    "ideal_dcg": "the measure of that name; ideal_dcg(k): of the first k documents",
    "I": "judged documents with a gain above 0",
    "steps": "ranks k with ideal(k) > ideal(k + 1), and ret if that is beyond the last of them by 2 or more",
    "D_s": "pooled documents of a stratum; D_s(x): those among the first x",
    "S_s": "judged documents of a stratum; S_s(x): those among the first x",
    "R_s": "relevant documents of a stratum; R_s(x): those among the first x",
    "poss": "preferences",
    "ful": "preferences fulfilled",
    "poss_ret": "preferences between retrieved documents",
    "ful_ret": "preferences between retrieved documents that are fulfilled",
    "poss_imp": "preferences with a retrieved document",
}
"""What stands in the formulas of measures, apart from what they say themselves."""


def symbols_of(measure: Measure) -> dict[str, str]:
    """Return what the symbols in the formula of a measure mean."""
    return {name: meaning for name, meaning in SYMBOLS.items() if name in formula_words(measure.formula)}


def formula_words(formula: str) -> set[str]:
    """Return the words of a formula, names of functions included."""
    return set(re.findall(r"[0-9]*[A-Za-z][A-Za-z_0-9]*", formula))


def effects(measure: Measure) -> list[str]:
    """Return what -l, -c, -J and the pool do to a measure, and what else its declaration says of judgments."""
    found = [
        f"-l: {_effect_of_level(measure)}.",
        f"-c: {_effect_of_complete(measure)}.",
        f"-J: {_effect_of_judged_only(measure)}.",
        f"Pool: {_effect_of_pool(measure)}.",
    ]
    if "rel" in measure.readings:
        when = {"": "no bound on what more judgments would make of it", "always": "an upper bound"}
        bound = when.get(measure.bound, f"an upper bound {measure.bound}")
        found.append(f"Readings of the unjudged: {measure.name}:skip, {measure.name}:rel ({bound}).")
    elif "skip" in measure.readings:
        found.append(f"Readings of the unjudged: {measure.name}:skip.")
    if measure.kernel and "qrels" not in measure.formats:
        found.append(f"Judgments: -R {' or '.join(sorted(measure.formats))}.")
    return found


def _effect_of_level(measure: Measure) -> str:
    if not measure.uses_level:
        return "no effect"
    return "documents judged at this level or above are relevant, other judged ones nonrelevant; 1 unless given"


def _effect_of_complete(measure: Measure) -> str:
    adds = f"a topic without results adds {measure.without_results}"
    over_all = "the mean is over all judged topics; one without results counts"
    effect: dict[Summary | None, str] = {
        None: "no effect, as there is no all row",
        run_tag: "no effect",
        topic_count: "counts all judged topics",
        relevant_total: "the all row counts every judgment above 0 in the file, whatever -l says",
        total: adds,
        real_total: adds if measure.over == "evaluated" else "no effect: the all row is over all judged topics",
        mean: f"{over_all} {measure.without_results}",
        geometric_mean: f"{over_all} {LEAST:.5f}",
    }
    return effect[measure.summary]


def _effect_of_judged_only(measure: Measure) -> str:
    if measure.formats == {"sampled"}:
        return "refused with -R sampled"
    if measure.kernel is None or {measure.pooled, measure.outside} <= {NOTHING, ABSENT}:
        return "no effect"
    return "documents without judgment are removed from the ranking first, and the others move up"


def _effect_of_pool(measure: Measure) -> str:
    if measure.kernel is None:
        return "no effect"
    if measure.pooled == measure.outside:
        return f"no effect: a document without judgment counts as {measure.pooled}, pooled or not"
    return (
        f"a pooled document without judgment counts as {measure.pooled}; one from outside the pool as {measure.outside}"
    )


FAMILIES = {
    "counts": "Counts",
    "average": "Average precision",
    "precision": "Precision and recall",
    "gain": "Gains by grade",
    "user": "Models of the user",
    "incomplete": "Incomplete judgments",
    "sampled": "Stratified samples of judgments (-R sampled)",
    "preference": "Preferences (-R prefs, -R qrels_prefs)",
    "group_averages": "Judgment groups (-R qrels_jg)",
    "text": "Shown for each topic",
}
"""What the families of measures are called, in the order in which they are listed."""


def list_lines() -> Iterator[str]:
    """Yield all measures by family, a line each, the sets, and what other names are understood."""
    for family, title in FAMILIES.items():
        yield f"{title}:"
        for measure in (measure for measure in MEASURES if measure.family == family):
            usage = f".{measure.kind.usage}" if measure.kind.usage else ""
            yield f"    {measure.name + usage:<35} {measure.title}"
        yield ""
    yield "Sets of measures:"
    yield from _wrapped(", ".join(NICKNAMES), "    ")
    yield ""
    yield "Other names that are understood, in any case:"
    names = [f"{other} ({name})" for other, name in SYNONYMS.items()]
    names += [f"{other}@K ({name})" for other, name in AT_CUTOFFS.items() if other in SYNONYMS_AT]
    yield from _wrapped(", ".join(names) + "; NAME@K and NAME_K for NAME.K", "    ")


def format_lines(fmt: FileFormat[Any]) -> Iterator[str]:
    """Yield what a file format looks like."""
    yield f"{fmt.usage}: {fmt.columns}"
    yield f"    {fmt.example}"
    for paragraph in fmt.paragraphs:
        yield from _wrapped(paragraph, "    ")
    yield ""


def _wrapped(text: str, indent: str, further: str | None = None) -> list[str]:
    further = indent if further is None else further
    return textwrap.wrap(" ".join(text.split()), WIDTH, initial_indent=indent, subsequent_indent=further)
