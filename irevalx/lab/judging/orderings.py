"""Orders of judging as users ask for them, with the runs and the texts that they need."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from irevalx import parameters
from irevalx.api.user_warnings import warn
from irevalx.errors import ArgumentError, UsageError, quote
from irevalx.experiments.shares import read_share, share_of
from irevalx.experiments.user_data import opened_runs
from irevalx.judgments.graded import Judgments
from irevalx.lab.completion.documents import paths_of, read_documents
from irevalx.orders.by_text import TextVectors
from irevalx.orders.candidates import Candidates, candidates_of
from irevalx.orders.known_orders import ORDERS
from irevalx.orders.replays import UNJUDGED, USUAL, Level, Ordering, Replay, Rules
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
) -> Ordering:
    """Read runs and, where the order needs them, texts.

    Parameters
    ----------
    name : of the order.
    runs : as ``irevalx.evaluate`` takes them.
    depth, level, batch, across, unjudged : as ``Rules`` has them.
    documents : files with the text of documents, which other orders than "cal" do not read.
    judgments : of documents whose text is read as well; None for none.

    Raises
    ------
    ArgumentError : a value is none that its keyword takes.
    UsageError : the order needs texts and there are none, or ``across`` is given for one of single topics.
    IrevalxError : as reading runs and documents does.
    """
    parameters.named_choice("order", name, [*ORDERS])
    parameters.named_choice("unjudged", unjudged, UNJUDGED)
    order, across = ORDERS[name], parameters.flag("across", across)
    paths = paths_of(documents)
    if order.needs_texts and not paths:
        raise UsageError(f"the order {name} must be given together with documents")
    if across and order.has_probabilities:
        raise UsageError(
            f"--across and --in-all cannot be used with the order {name}, which samples each topic separately"
        )
    rules = Rules(
        level=parameters.whole_number("level", level),
        batch=parameters.whole_number("batch", batch, least=1),
        depth=parameters.whole_number("depth", depth, least=1),
        across=across,
        unjudged="skip" if unjudged == "skip" else "nonrel",
    )
    candidates = tuple(candidates_of(opened_runs(runs).runs, rules.depth, warn))
    vectors = _vectors(candidates, paths, judgments) if order.needs_texts else None
    return Ordering(order=order, candidates=candidates, rules=rules, vectors=vectors)


def without_judgment_warning(replayed: Replay, rules: Rules) -> Iterable[str]:
    """Yield a line on documents without a judgment, where there are some."""
    if replayed.n_without:
        became = "are passed over" if rules.unjudged == "skip" else "count as judged and not relevant"
        yield f"{replayed.n_without} documents that the order asked for have no judgment: they {became}"


def budget_of(what: str, given: Any) -> Level:
    """Read a budget: a whole number of documents, or a share such as "10%" or 0.1.

    Raises
    ------
    ArgumentError : it is neither.
    """
    rule = "a number of documents, or a share such as 0.1 or 10%"
    if isinstance(given, str):
        if given.isascii() and given.isdecimal() and len(given) <= _MOST_DIGITS and int(given) > 0:
            return Level(given, Fraction(int(given)), is_share=False)
        share = read_share(given)
        if share is None or given.isdecimal():
            raise ArgumentError(f"{what} must be {rule}, but got {quote(given)}")
        return Level(given, share)
    if isinstance(given, int | np.integer) and not isinstance(given, bool):
        return Level(str(given), Fraction(parameters.whole_number(what, given, least=1)), is_share=False)
    return Level(str(given), share_of(what, given))


def _vectors(candidates: Sequence[Candidates], paths: Sequence[str], judgments: Judgments | None) -> TextVectors:
    """Read documents, and return what makes vectors of them."""
    from irevalx.lab.completion.classifiers import unit_vectors
    from irevalx.lab.completion.collection import Collection

    wanted = {docno for one in candidates for docno in one.docnos}
    judged = set[bytes]() if judgments is None else set(judgments.docnos.texts())
    collection = Collection.of(chain.from_iterable(read_documents(Source(path)) for path in paths), wanted | judged)
    if lacking := len(wanted - collection.place.keys()):
        warn(f"{lacking} of {len(wanted)} documents that runs have are without text, and come last")

    def vectors(docnos: tuple[bytes, ...]) -> sparse.csr_array:
        return unit_vectors(collection, docnos)

    return vectors
