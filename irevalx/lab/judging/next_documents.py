"""What to judge next, given what has been judged so far."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from irevalx import parameters
from irevalx.api.inputs import GivenQrels, Runs
from irevalx.api.user_warnings import warn
from irevalx.errors import UsageError, shown_name
from irevalx.experiments.seeds import chosen_seed
from irevalx.experiments.user_data import graded_judgments_of
from irevalx.frozen import Frozen
from irevalx.lab.command.document_numbers import number_of_documents
from irevalx.lab.command.result import Result
from irevalx.lab.completion.documents import paths_of, read_documents
from irevalx.lab.judging.orderings import ordering_of
from irevalx.orders.replays import USUAL, Ordering
from irevalx.orders.selection import SelectedDocument, select, select_in_replay
from irevalx.process.system import as_bytes, as_text
from irevalx.reading.source import Source
from irevalx.reports.table import Table

PER_TOPIC = 10
"""How many documents of each topic are selected by default."""

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
    per_topic: int | None = None,
    in_all: int | None = None,
    replay: bool = False,
    total: int | None = None,
    depth: int = USUAL.depth,
    documents: Any = (),
    seed: int | None = None,
    level: int = 1,
    rel_format: str = "qrels",
    n: int | None = None,
    across: bool = False,
) -> NextDocuments:
    """Choose the documents to judge next, given what has been judged so far.

    Selects exactly ``per_topic`` unjudged documents of each topic, or ``in_all`` over all topics; a warning reports
    topics with fewer left. Judged documents do not count, and all judgments inform the strategy: "mtf" and the bandits
    learn from a judged document when they read a run as far as it; "hedge", "mtc", "bounds" and "cal" use all judgments
    from the beginning; "depth", "borda", "rrf" and "random" skip judged documents.

    Parameters
    ----------
    runs : what was retrieved: ``{name: {topic: {docno: score}}}``, or whatever else ``irevalx.evaluate`` takes.
    judged : the judgments so far, ``{topic: {docno: grade}}``, or whatever else ``irevalx.Qrels.read`` takes; grades
        below 0 are ignored. None for no judgments.
    order : the judging strategy, as ``irevalx.lab.degrade`` takes it.
    per_topic : number of unjudged documents to select of each topic; at least 1. The default is 10.
    in_all : number of unjudged documents to select over all topics, each from the topic whose next document the
        strategy prefers most.
    replay : replay the strategy from the beginning in batches, as ``irevalx.lab.degrade`` does with ``batch``, so that
        it learns only from documents that it selects itself. The unjudged documents of the first batch that is not
        fully judged are returned, which can be fewer. Always on with the order "sampled", whose probabilities depend on
        the replay.
    total : only with the order "sampled", which requires it: the expected size of the whole sample of each topic.
    depth : how many documents of each run and topic are candidates; at least 1.
    documents : files with the text of documents, which the order "cal" learns from, and which is shown.
    seed : random seed; None for a new one, which the result contains. All calls with ``replay`` need the same seed.
    level : the least grade that is relevant.
    rel_format : the format of judgments that are files: "qrels", "beir" or "json".
    n : old name of ``per_topic`` or, with ``across``, of ``in_all``.
    across : select ``n`` documents over all topics, not of each topic.

    Raises
    ------
    UsageError : keywords contradict each other.
    IrevalxError : as ``irevalx.evaluate``.

    Examples
    --------
    >>> import irevalx
    >>> runs = {"bm25": {"1": {"A": 2.0, "B": 1.0}}, "dense": {"1": {"B": 2.0, "C": 1.0}}}
    >>> selected = irevalx.lab.next(runs, {"1": {"A": 0, "B": 1}}, per_topic=1, seed=1)
    >>> [(row.topic, row.docno, row.best_rank) for row in selected.rows]
    [('1', 'C', 2)]
    """
    name, number = number_of_documents(per_topic=per_topic, in_all=in_all, n=n) or ("n", PER_TOPIC)
    if parameters.flag("across", across) and name == "per_topic":
        raise UsageError(
            "--per-topic and --across contradict each other: use --in-all to select documents across topics"
        )
    across = across or name == "in_all"
    judgments = graded_judgments_of({}) if judged is None else graded_judgments_of(judged, rel_format)
    ordering = ordering_of(
        order, runs, depth=depth, level=level, across=across, documents=documents, judgments=judgments
    )
    if ordering.order.has_probabilities != (total is not None):
        raise UsageError("total requires the order sampled, and the order sampled requires total")
    total = None if total is None else parameters.whole_number("total", total, least=1)
    chosen = chosen_seed(seed) if ordering.order.is_random else None
    replay = parameters.flag("replay", replay) or ordering.order.has_probabilities
    if replay:
        selected = select_in_replay(ordering, judgments, number, chosen or 0, total)
    else:
        selected = select(ordering, judgments, number, chosen or 0)
    for line in shortage_warnings(ordering, selected, number, replay=replay):
        warn(line)
    texts = _first_words({one.docno for one in selected}, paths_of(documents))
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
        for number, one in enumerate(selected, start=1)
    ]
    return NextDocuments(rows, chosen)


def shortage_warnings(
    ordering: Ordering, selected: Sequence[SelectedDocument], n: int, *, replay: bool
) -> Iterator[str]:
    """Yield a line if fewer than n documents were selected, of some topic or in all."""
    depth, counts = ordering.rules.depth, Counter(one.candidates.topic for one in selected)
    short = [one.topic for one in ordering.candidates if counts[one.topic] < n]
    if ordering.rules.across and len(selected) < n:
        what = f"only {len(selected)} of {n} documents selected"
    elif not ordering.rules.across and short:
        topics = f"{len(short)} of {len(ordering.candidates)} topics"
        example = f"{counts[short[0]]} for topic {shown_name(as_text(short[0]))}"
        what = f"fewer than {n} documents selected for {topics} (for example {example})"
    else:
        return
    if replay:
        why = "the other documents of the replayed batch are already judged, or the strategy has none left to select"
    elif any(int(one.ranks.max(initial=0)) == depth for one in ordering.candidates):
        why = f"all other documents among the first {depth} of each run are judged; increase --depth to add candidates"
    else:
        why = "all other documents of the runs are judged"
    yield f"{what}: {why}"


def _first_words(wanted: set[bytes], paths: Sequence[str]) -> dict[bytes, str]:
    """Return the first words of the text of some documents."""
    found = {}
    for path in paths:
        for document in read_documents(Source(path)):
            if document.docno in wanted:
                words = " ".join(document.text.split())
                found[document.docno] = words if len(words) <= SHOWN_TEXT else words[: SHOWN_TEXT - 1] + "…"
    return found
