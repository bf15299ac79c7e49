"""The help for measures and formats, which is created from docstrings and declarations."""

from __future__ import annotations

import re
import sys
import textwrap
from collections.abc import Iterator, Sequence
from typing import Any

from irevalx.measures import MEASURES, NICKNAMES
from irevalx.measures.declaration import ADDED, Measure, UnjudgedEffect, load_offered
from irevalx.measures.foreign_requests import OTHER_NAMES, all_usages
from irevalx.reading.file_format import FileFormat
from irevalx.wording import spelled_rule

WIDTH = 79


def measure_lines(measures: Sequence[Measure]) -> Iterator[str]:
    """Yield the lines of the help for each measure: usage, definition, formula, range, source, effects of options."""
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
    "T": "number of topics averaged over",
    "ret": "number of documents retrieved",
    "R": "number of documents judged relevant, retrieved or not",
    "N": "number of documents judged nonrelevant, retrieved or not",
    "R_ret": "number of documents judged relevant that were retrieved",
    "N_ret": "number of documents judged nonrelevant that were retrieved",
    "rel": "rel(x): number of relevant documents among the first x",
    "judged": "judged(x): number of judged documents among the first x",
    "K": "the cutoff",
    "X": "the parameter",
    "A": "A, B, C, D: the parameters",
    "docs": "number of documents in the collection (-N)",
    "k": "the rank of a document, starting at 1",
    "r": "number of documents above it that were judged relevant",
    "n": "number of documents above it that were judged nonrelevant",
    "u": "number of documents above it that were pooled but not judged",
    "o": "number of documents above it from outside the pool",
    "c": "the constant of infAP (--infap-c)",
    "e": "the smoothing constant",
    "p": "the probability that the description names",
    "E": "E[...]: the expected value",
    "gain": "the gain of the document, 0 if it was not judged",
    "ideal": "ideal(k): the k-th highest gain of the judged documents, if it is above 0",
    "dcg": "the measure dcg; dcg(k): its value for the first k documents",
    "ideal_dcg": "the measure ideal_dcg; ideal_dcg(k): its value for the first k documents",
    "I": "number of judged documents with a gain above 0",
    "overlap": "overlap(x): number of documents among the first x of both the ranking and the ideal ranking",
    "goal": "the parameter T; goal(x): T less the sum of the gains of the first x documents",
    "W": "W(k): the probability that the user examines rank k",
    "steps": "ranks k with ideal(k) > ideal(k + 1), and ret if it exceeds the last of these ranks by 2 or more",
    "D_s": "number of pooled documents of a stratum; D_s(x): among the first x documents",
    "S_s": "number of judged documents of a stratum; S_s(x): among the first x documents",
    "R_s": "number of relevant documents of a stratum; R_s(x): among the first x documents",
    "S": "number of subtopics with a relevant document, retrieved or not",
    "R_t": "number of documents relevant to a subtopic, retrieved or not",
    "rel_t": "rel_t(x): number of documents relevant to a subtopic among the first x",
    "seen": "seen(x): number of subtopics to which any of the first x documents is relevant",
    "new": "the novelty gain: the sum of (1 - alpha)^i over the subtopics to which the document is relevant; i is "
    "the number of documents above it that are relevant to the same subtopic",
    "best": "best(k): the novelty gain of the k-th document of the ideal list",
    "top": "top(k): S (1 - alpha)^(k - 1)",
    "alpha": "the share of its gain that a document loses for each document above it on the same subtopic",
    "beta": "the factor by which the gain decreases per rank",
    "statR": "the measure statR",
    "poss": "number of preferences",
    "ful": "number of preferences fulfilled",
    "poss_ret": "number of preferences between retrieved documents",
    "ful_ret": "number of preferences between retrieved documents that are fulfilled",
    "poss_imp": "number of preferences with a retrieved document",
}
"""The meanings of symbols in formulas. Formulas can define other symbols themselves, as in ``, j = ...``."""


def symbols_of(measure: Measure) -> dict[str, str]:
    """Return the meanings of the symbols that the formula of a measure contains and does not define."""
    names = formula_words(measure.formula) - {*re.findall(r"(\w+) = ", measure.formula)}
    return {name: meaning for name, meaning in SYMBOLS.items() if name in names}


def formula_words(formula: str) -> set[str]:
    """Return the words that occur in a formula, including names of functions."""
    return set(re.findall(r"[0-9]*[A-Za-z][A-Za-z_0-9]*", formula))


def effects(measure: Measure) -> list[str]:
    """Return sentences about the effects of -l, -c, -J and the pool on a measure, and about its restrictions."""
    lines = [
        f"-l: {_effect_of_level(measure)}.",
        f"-c: {_effect_of_complete(measure)}.",
        f"-J: {_effect_of_judged_only(measure)}.",
        f"Pool: {_effect_of_pool(measure)}.",
    ]
    name, rel = measure.name, measure.upper_bound.value
    if treatments := " and ".join(f"{name}:{each}" for each in ("skip", "rel") if each in measure.treatments):
        bound = f" The value of {name}:rel is {rel}." if "rel" in measure.treatments else ""
        lines.append(f"Treatments of unjudged documents: {treatments}.{bound}")
    if measure.kernel and "qrels" not in measure.formats:
        lines.append(f"Judgments: -R {' or '.join(sorted(measure.formats))}.")
    lines += [
        f"{name} cannot be combined with {spelled_rule(feature)}: {reason}."
        for feature, reason in measure.refuses.items()
    ]
    return lines


def _effect_of_level(measure: Measure) -> str:
    if not measure.uses_level:
        return "no effect"
    return "documents judged at this level or higher are relevant, other judged documents are nonrelevant [default: 1]"


def _effect_of_complete(measure: Measure) -> str:
    if not measure.summary:
        return "no effect, because there is no all row"
    effect = measure.summary.effect_of_complete.format(missing=measure.without_results)
    return f"{effect}; topics without a value are excluded" if measure.has_value else effect


def _effect_of_judged_only(measure: Measure) -> str:
    if measure.formats == {"sampled"}:
        return "cannot be combined with -R sampled"
    if measure.kernel is None or (measure.pooled.is_left_out and measure.outside.is_left_out):
        return "no effect"
    return "unjudged documents are removed before the ranking is evaluated, so lower documents move up"


def _effect_of_pool(measure: Measure) -> str:
    if measure.kernel is None:
        return "no effect"
    pooled, outside = measure.pooled, measure.outside
    if pooled is UnjudgedEffect.AS_ITS_FUNCTION_SAYS:
        return "an unjudged document, whether pooled or not, is treated as the function of the measure defines"
    if pooled is outside:
        return f"no effect, because an unjudged document is {pooled.value}, whether pooled or not"
    return f"a pooled but unjudged document is {pooled.value}; a document outside the pool is {outside.value}"


FIRST_FAMILIES = (
    "average_precision",
    "precision",
    "gain",
    "incomplete_judgments",
    "user_models",
    "counts",
    "retrieved_set",
    "exponential_gain",
    "diversity",
    "stratified_samples",
    "inclusion_probabilities",
    "preferences",
    "judgment_groups",
    "relevance_string",
)
"""The modules whose measures are listed before the measures of other modules."""

FIRST_MEASURES = ("map", "P", "recall", "recip_rank", "success", "Rprec", "ndcg_cut", "ndcg", "dcg", "bpref", "infAP")
"""The common measures, which are listed before the other measures of their families."""


def families() -> dict[str, list[Measure]]:
    """Return the measures of each family, with common measures first. The keys are the titles of the families.

    A family is a module of measures, and its title is the first line of the module's docstring.
    """
    by_module: dict[str, list[Measure]] = {f"irevalx.measures.{name}": [] for name in FIRST_FAMILIES}
    rank = {name: place for place, name in enumerate(FIRST_MEASURES)}
    for measure in sorted(MEASURES, key=lambda measure: rank.get(measure.name, len(rank))):
        by_module.setdefault(measure.family, []).append(measure)
    titles = {module: (sys.modules[module].__doc__ or "").partition("\n")[0].rstrip(".") for module in by_module}
    return {titles[module]: measures for module, measures in by_module.items()}


def list_lines() -> Iterator[str]:
    """Yield lines that list the measures by family, the sets of measures, and the names in other programs."""
    problems = load_offered()
    offered = {"Provided by installed packages": list(ADDED.values())} if ADDED or problems else {}
    for title, measures in (families() | offered).items():
        yield f"{title}:"
        for measure in measures:
            usage = f".{measure.kind.usage}" if measure.kind.usage else ""
            yield f"    {measure.name + usage:<35} {measure.title}".rstrip()
        if title in offered:
            for problem in problems:
                yield from _wrapped(problem, "    ")
        yield ""
    yield "Sets of measures:"
    yield from _wrapped(", ".join(NICKNAMES), "    ")
    yield ""
    yield "Accepted names of other programs (case is ignored; NAME@K, NAME_at_K and NAME_K mean NAME.K):"
    for name, others in other_names().items():
        yield f"    {name:<35} {', '.join(others)}"
    yield ""
    yield "Parameters that can follow a name, before or after @K, if the measure has them:"
    yield from _wrapped(", ".join(f"({usage})" for usage in all_usages()), "    ")


def other_names() -> dict[str, list[str]]:
    """Return the names that other programs use for each measure, in the order in which they are printed."""
    by_measure: dict[str, list[str]] = {}
    for measure in MEASURES:
        for other in OTHER_NAMES:
            if measure.name == other.alone != other.name:
                by_measure.setdefault(measure.name, []).append(other.name)
            if measure.name == other.at:
                by_measure.setdefault(measure.name, []).append(f"{other.name}@K")
    return by_measure


def format_lines(fmt: FileFormat[Any]) -> Iterator[str]:
    """Yield the lines of the help for a file format."""
    yield f"{fmt.usage}: {fmt.columns}"
    yield f"    {fmt.example}"
    for paragraph in fmt.paragraphs:
        yield from _wrapped(paragraph, "    ")
    yield ""


def _wrapped(text: str, indent: str, further: str | None = None) -> list[str]:
    further = indent if further is None else further
    return textwrap.wrap(" ".join(text.split()), WIDTH, initial_indent=indent, subsequent_indent=further)
