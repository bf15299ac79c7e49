"""What to judge next, given what has been judged so far."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from irevalx.api import checks
from irevalx.api.inputs import GivenQrels, Runs
from irevalx.api.user_warnings import warn
from irevalx.errors import UsageError
from irevalx.experiments.seeds import chosen_seed
from irevalx.experiments.user_data import graded_judgments_of
from irevalx.frozen import Frozen
from irevalx.lab.command.result import Result
from irevalx.lab.completion.documents import paths_of, read_documents
from irevalx.lab.judging.orderings import ordering_of
from irevalx.orders.replays import USUAL
from irevalx.process.system import as_bytes, as_text
from irevalx.reading.source import Source
from irevalx.reports.table import Table

SHOWN_TEXT = 60
"""How many characters of a text are shown."""


class DocumentToAskFor(Frozen, kw_only=True):
    """A document to judge.

    Parameters
    ----------
    number : from 1, in the order in which they are to be judged.
    topic, docno : its topic and its name.
    score : by which the order prefers it: a fused score, a priority of its run, a probability; the greatest first.
    best_rank : in any run.
    runs : how many runs have it among their first documents.
    run : the place of the run it was read from, from 1, where the order reads one run at a time.
    text : the first words of its text; None where no texts were given.
    """

    number: int
    topic: str
    docno: str
    score: float
    best_rank: int
    runs: int
    run: int | None
    text: str | None = None


class NextDocuments(Result):
    """Documents to judge next.

    Parameters
    ----------
    rows : topic by topic or, across topics, in the order in which they were asked for.
    seed : of random choices; None where nothing was random.
    """

    rows: Sequence[DocumentToAskFor]
    seed: int | None = None

    def tables(self) -> list[Table]:
        """Return the table of ``rows``."""
        without = tuple(
            name for name in ("run", "text") if self.rows and all(getattr(row, name) is None for row in self.rows)
        )
        return [Table.of("next documents", DocumentToAskFor, self.rows, n_labels=3, without=without)]

    @property
    def text(self) -> bytes:
        """A pool file of these documents, in this order: lines ``TOPIC DOCNO``."""
        return as_bytes("".join(f"{row.topic} {row.docno}\n" for row in self.rows))


def next(  # noqa: A001 - it is the name of its command
    runs: Runs,
    judged: GivenQrels | None = None,
    *,
    order: str = "mtf",
    n: int = 10,
    total: int | None = None,
    across: bool = False,
    depth: int = USUAL.depth,
    documents: Any = (),
    seed: int | None = None,
    level: int = 1,
    rel_format: str = "qrels",
) -> NextDocuments:
    """Choose the documents to judge next, given what has been judged so far.

    The order is replayed from the beginning: each time it asks for n documents of a topic, and hears their judgments.
    The first n of which some are not judged are returned, without those that are. So the same call with more judgments
    goes on where this one has ended, and asks for what ``irevalx.lab.degrade`` and ``irevalx.lab.study`` ask for with
    a batch of n. Judgments of documents that it has not asked for teach it nothing.

    Parameters
    ----------
    runs : what was retrieved: ``{name: {topic: {docno: score}}}``, or whatever else ``irevalx.evaluate`` takes.
    judged : what was judged, ``{topic: {docno: grade}}``, or whatever else ``irevalx.Qrels.read`` takes; grades below 0
        are no judgments. None for nothing so far.
    order : as ``irevalx.lab.degrade`` takes it.
    n : how many documents of each topic; at least 1.
    total : with the order "sampled", and only then: how many documents of each topic the sample has in the end.
    across : ask for n documents of all topics together, each of the topic whose next document its order prefers most.
    depth : how many documents of each run and topic may be judged; at least 1.
    documents : files with the text of documents, which the order "cal" learns from, and which is shown.
    seed : of random choices; None for a new one, which the result has. Each call must have the same.
    level : the least grade that is relevant.
    rel_format : the format of judgments that are files: "qrels", "beir" or "json".

    Raises
    ------
    UsageError : keywords contradict each other.
    IrevalxError : as ``irevalx.evaluate``.

    Examples
    --------
    >>> import irevalx
    >>> runs = {"bm25": {"1": {"A": 2.0, "B": 1.0}}, "dense": {"1": {"B": 2.0, "C": 1.0}}}
    >>> asked = irevalx.lab.next(runs, {"1": {"A": 0, "B": 1}}, n=3, seed=1)
    >>> [(row.topic, row.docno, row.best_rank) for row in asked.rows]
    [('1', 'C', 2)]
    """
    n = checks.whole_number("n", n, least=1)
    ordering = ordering_of(order, runs, depth=depth, level=level, across=across, documents=documents)
    if ordering.order.has_probabilities != (total is not None):
        raise UsageError("total must be given together with the order sampled, and only then")
    total = None if total is None else checks.whole_number("total", total, least=1)
    judgments = graded_judgments_of({}) if judged is None else graded_judgments_of(judged, rel_format)
    chosen = chosen_seed(seed) if ordering.order.is_random else None
    wanted = ordering.next(judgments, n, chosen or 0, total)
    texts = _first_words({one.docno for one in wanted}, paths_of(documents))
    rows = [
        DocumentToAskFor(
            number=number,
            topic=as_text(one.candidates.topic),
            docno=as_text(one.docno),
            score=one.question.score,
            best_rank=int(one.candidates.best_rank[one.question.document]),
            runs=int(one.candidates.has[:, one.question.document].sum()),
            run=None if one.question.run is None else one.question.run + 1,
            text=texts.get(one.docno),
        )
        for number, one in enumerate(wanted, start=1)
    ]
    if not rows:
        warn("all documents that the order would ask for are judged")
    return NextDocuments(rows, chosen)


def _first_words(wanted: set[bytes], paths: Sequence[str]) -> dict[bytes, str]:
    """Return the first words of the text of some documents."""
    found = {}
    for path in paths:
        for document in read_documents(Source(path)):
            if document.docno in wanted:
                words = " ".join(document.text.split())
                found[document.docno] = words if len(words) <= SHOWN_TEXT else words[: SHOWN_TEXT - 1] + "…"
    return found
