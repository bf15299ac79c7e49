"""Judging strategies together with the runs and texts that they require, and the options of strategies."""

import os
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import IO, TYPE_CHECKING, Annotated, Any

import numpy as np

from irevalx import checks
from irevalx.declarations import choice, file, flag, path, text, whole
from irevalx.errors import ArgumentError, UsageError, warn
from irevalx.experiments.inputs import run_streams
from irevalx.experiments.pools import PLAIN
from irevalx.experiments.seeds_and_shares import read_share, share_of
from irevalx.experiments.strata import EXAMPLE
from irevalx.judgments.graded import Judgments
from irevalx.lab.completion.documents import documents_in, paths_of
from irevalx.ranking.rules import RankingRules
from irevalx.strategies.active_learning import TextVectors
from irevalx.strategies.registry import STRATEGIES
from irevalx.strategies.simulation import (
    DEFAULT_SIMULATION,
    UNJUDGED,
    BudgetLevel,
    SimulatedJudging,
    SimulationRules,
    StrategySimulation,
)
from irevalx.strategies.strategy import Candidates, candidates_of
from irevalx.wording import argument_error, join_words, spelled

if TYPE_CHECKING:
    from scipy import sparse

STRATEGY = choice(
    *STRATEGIES,
    metavar="ORDER",
    help=f"judging strategy: {join_words(list(STRATEGIES), 'or')}. The next document to judge is, "
    + "; ".join(f"for {strategy.name}, {strategy.meaning}" for strategy in STRATEGIES.values())
    + ".",
)
Strategy = Annotated[str | None, STRATEGY]
CandidateDepth = Annotated[
    int,
    whole(
        1,
        metavar="K",
        help="number of candidate documents: the strategy selects from the first K of each run and topic.",
    ),
]
_TEXTS = (
    "texts of documents, from which the strategy cal learns: JSON Lines (with fields such as id and contents) or TREC "
    "SGML."
)
DocumentTexts = Annotated[
    str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    path(
        names=("--docs",),
        several=True,
        separators="",
        help=f"files with the {_TEXTS}",
        shell_help=f"File with the {_TEXTS} Can be repeated.",
    ),
]
Across = Annotated[
    bool,
    flag(
        help=(
            "select documents across topics. Each document is taken from the topic whose next document has the highest "
            "priority under the strategy. The numbers and shares of selected documents refer to all topics together."
        )
    ),
]
Batch = Annotated[
    int, whole(1, metavar="B", help="number of documents to select before the strategy learns from their judgments.")
]
Unjudged = Annotated[
    str,
    choice(
        *UNJUDGED,
        help=(
            "treatment of documents without a judgment that the strategy selects: skip them, or treat them as judged "
            "nonrelevant (nonrel)."
        ),
    ),
]
Strata = Annotated[
    str | None,
    text(
        metavar="STRATA",
        help=(
            "divide each topic's judged documents into strata and keep a share of each: by the best rank in any run "
            f"({EXAMPLE}), by the number of runs that retrieve the document ('runs 3+:100% 1-2:20% rest:5%'), or by "
            "the names in `strata_file` ('1:100% 2:30%')."
        ),
    ),
]
TopicRates = Annotated[
    str | os.PathLike[str] | IO[str] | IO[bytes] | None,
    file(
        help=(
            "file with the sampling rate of each topic, one line per topic: TOPIC RATE. Rates can be higher for topics "
            "that probably have more relevant documents."
        ),
    ),
]
StrataFile = Annotated[
    str | os.PathLike[str] | IO[str] | IO[bytes] | None,
    file(
        requires="strata",
        help="file with the stratum of each document, one line per document: TOPIC DOCNO STRATUM.",
    ),
]


def simulated_strategy(
    name: str,
    runs: Any,
    *,
    depth: int,
    level: int,
    batch: int = DEFAULT_SIMULATION.batch,
    across: bool,
    unjudged: str = DEFAULT_SIMULATION.unjudged,
    documents: Any,
    judgments: Judgments | None = None,
    ranking: RankingRules = PLAIN,
) -> StrategySimulation:
    """Start a judging strategy on the candidate documents of runs. If the strategy requires texts, read them."""
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
    candidates = tuple(candidates_of(run_streams(runs), rules.depth, warn, ranking))
    vectors = _vectors(candidates, paths, judgments) if order.needs_texts else None
    return StrategySimulation(order=order, candidates=candidates, rules=rules, vectors=vectors)


def without_judgment_warning(replayed: SimulatedJudging, rules: SimulationRules) -> Iterable[str]:
    """Yield a warning if the strategy selected documents that have no judgment."""
    if replayed.n_without:
        treatment = "were skipped" if rules.unjudged == "skip" else "count as judged and nonrelevant"
        yield f"{replayed.n_without} documents that the strategy selected have no judgment: they {treatment}"


BUDGET_RULE = "a number of documents, or a share such as 0.1 or 10%"


def number_of_documents(text: str) -> int:
    """Parse a number of at most 18 digits. Return 0 for any other text.

    A number with more digits exceeds the number of documents in any run.
    """
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= 18 else 0


def budget_of(what: str, given: Any) -> BudgetLevel:
    """Parse a budget: a number of documents, or a share such as "10%" or 0.1."""
    if isinstance(given, BudgetLevel):
        return given
    if isinstance(given, str):
        if number := number_of_documents(given):
            return BudgetLevel(given, Fraction(number), is_share=False)
        share = None if given.isdecimal() else read_share(given)
        if share is not None:
            return BudgetLevel(given, share)
    try:
        if isinstance(given, int | np.integer):
            return BudgetLevel(str(given), Fraction(checks.whole_number("", given, least=1)), is_share=False)
        return BudgetLevel(str(given), share_of("", given))
    except ArgumentError:
        raise argument_error(what, BUDGET_RULE, given) from None


def _vectors(candidates: Sequence[Candidates], paths: Sequence[str], judgments: Judgments | None) -> TextVectors:
    """Read the texts of candidate and judged documents. Return the function that converts documents to vectors."""
    from irevalx.lab.completion.classifiers import Collection, unit_vectors

    names = {docno for topic in candidates for docno in topic.docnos}
    judged = set[bytes]() if judgments is None else set(judgments.docnos.texts())
    collection = Collection.of(documents_in(paths), names | judged)
    if without_text := len(names - collection.place.keys()):
        warn(f"{without_text} of {len(names)} candidate documents have no text and are selected last")

    def vectors(docnos: tuple[bytes, ...]) -> "sparse.csr_array":
        return unit_vectors(collection, docnos)

    return vectors
