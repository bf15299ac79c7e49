"""The parameters of judging strategies and of strata, which ``degrade``, ``study`` and ``next`` share."""

import os
from collections.abc import Iterable
from typing import IO, Annotated

from irevalx.declarations import choice, file, flag, path, text, whole
from irevalx.experiments.strata import EXAMPLE
from irevalx.orders.known_orders import STRATEGIES
from irevalx.orders.replays import UNJUDGED
from irevalx.reading.file_format import join_words

STRATEGY = choice(
    *STRATEGIES,
    metavar="ORDER",
    help=f"judging strategy: {join_words(list(STRATEGIES), 'or')}. The next document to judge is "
    + "; ".join(f"with {strategy.name}, {strategy.meaning}" for strategy in STRATEGIES.values())
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
DocumentTexts = Annotated[
    str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    path(
        names=("--docs",),
        several=True,
        separators="",
        help=(
            "files with the text of documents, which the strategy cal learns from: JSON lines (id and contents, among "
            "others) or TREC SGML."
        ),
        shell_help=(
            "File with the text of documents, which the strategy cal learns from: JSON lines (id and contents, among "
            "others) or TREC SGML. Can be repeated."
        ),
    ),
]
Across = Annotated[
    bool,
    flag(
        help=(
            "select documents across topics: each from the topic whose next document the strategy prefers most. "
            "Numbers of documents and shares then apply to all topics together."
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
            "treatment of documents without a judgment that the strategy selects: skip them, or count them as judged "
            "and nonrelevant (nonrel)."
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
StrataFile = Annotated[
    str | os.PathLike[str] | IO[str] | IO[bytes] | None,
    file(requires="strata", help="file with the stratum of each document, one line per document: TOPIC DOCNO STRATUM."),
]
