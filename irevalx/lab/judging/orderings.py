"""Judging strategies with the runs and texts that they need, and budgets as users write them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from irevalx import parameters
from irevalx.api.user_warnings import warn
from irevalx.declarations import spelled
from irevalx.errors import ArgumentError, UsageError
from irevalx.experiments.shares import read_share, share_of
from irevalx.experiments.user_data import opened_runs
from irevalx.judgments.graded import Judgments
from irevalx.lab.completion.documents import paths_of, read_documents
from irevalx.orders.by_text import TextVectors
from irevalx.orders.candidates import Candidates, candidates_of
from irevalx.orders.known_orders import STRATEGIES
from irevalx.orders.replays import USUAL, BudgetLevel, SimulatedJudging, SimulationRules, StrategySimulation
from irevalx.reading.source import Source

if TYPE_CHECKING:
    from scipy import sparse

_MOST_DIGITS = 18


def ordering_of(
    name: str,
    runs: Any,
    *,
    depth: int,
    level: int,
    batch: int = USUAL.batch,
    across: bool,
    unjudged: str = USUAL.unjudged,
    documents: Any,
    judgments: Judgments | None = None,
) -> StrategySimulation:
    """Prepare a strategy for the candidates of runs; reads texts of them and of ``judgments`` if it needs any."""
    order, paths = STRATEGIES[name], paths_of(documents)
    if order.needs_texts and not paths:
        raise UsageError(f"{spelled('order', name)} requires {spelled('documents')}")
    if across and order.has_probabilities:
        raise UsageError(
            f"{spelled('across')} cannot be combined with {spelled('order', name)}, which samples each topic separately"
        )
    rules = SimulationRules(
        level=level, batch=batch, depth=depth, across=across, unjudged="skip" if unjudged == "skip" else "nonrel"
    )
    candidates = tuple(candidates_of(opened_runs(runs).runs, rules.depth, warn))
    vectors = _vectors(candidates, paths, judgments) if order.needs_texts else None
    return StrategySimulation(order=order, candidates=candidates, rules=rules, vectors=vectors)


def without_judgment_warning(replayed: SimulatedJudging, rules: SimulationRules) -> Iterable[str]:
    """Yield a line on the selected documents without a judgment, if there are any."""
    if replayed.n_without:
        treatment = "were skipped" if rules.unjudged == "skip" else "count as judged and nonrelevant"
        yield f"{replayed.n_without} documents that the strategy selected have no judgment: they {treatment}"


BUDGET_RULE = "a number of documents, or a share such as 0.1 or 10%"


def budget_of(what: str, given: Any) -> BudgetLevel:
    """Read a budget: a number of documents, or a share such as "10%" or 0.1."""
    if isinstance(given, BudgetLevel):
        return given
    if isinstance(given, str):
        is_number = given.isascii() and given.isdecimal()
        if is_number and len(given) <= _MOST_DIGITS and int(given) > 0:
            return BudgetLevel(given, Fraction(int(given)), is_share=False)
        share = None if is_number else read_share(given)
        if share is not None:
            return BudgetLevel(given, share)
    try:
        if isinstance(given, int | np.integer):
            return BudgetLevel(str(given), Fraction(parameters.whole_number("", given, least=1)), is_share=False)
        return BudgetLevel(str(given), share_of("", given))
    except ArgumentError:
        raise parameters.argument_error(what, BUDGET_RULE, given) from None


def _vectors(candidates: Sequence[Candidates], paths: Sequence[str], judgments: Judgments | None) -> TextVectors:
    """Read the texts of candidates and judged documents, and return the function that makes vectors of them."""
    from irevalx.lab.completion.classifiers import unit_vectors
    from irevalx.lab.completion.collection import Collection

    names = {docno for topic in candidates for docno in topic.docnos}
    judged = set[bytes]() if judgments is None else set(judgments.docnos.texts())
    collection = Collection.of(chain.from_iterable(read_documents(Source(path)) for path in paths), names | judged)
    if without_text := len(names - collection.place.keys()):
        warn(f"{without_text} of {len(names)} candidate documents have no text and are selected last")

    def vectors(docnos: tuple[bytes, ...]) -> sparse.csr_array:
        return unit_vectors(collection, docnos)

    return vectors
