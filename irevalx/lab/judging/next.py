"""The function ``next``, which selects the next documents to judge, and its command."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Annotated, Any, NamedTuple

from irevalx.api.inputs import GivenQrels
from irevalx.declarations import declared, file, flag, refined, whole
from irevalx.errors import EmptyFileError, quote, shown_name, warn
from irevalx.evaluation.topic_selection import differing_pair
from irevalx.experiments.inputs import graded_judgments_of
from irevalx.experiments.seeds_and_shares import chosen_seed
from irevalx.judgments.graded import Judgments
from irevalx.lab.command.common_options import Runs, Seed
from irevalx.lab.command.evaluation_options import GradedRelFormat, Level
from irevalx.lab.command.output import DocumentsResult, shortage_of
from irevalx.lab.completion.documents import documents_in, paths_of
from irevalx.lab.judging.strategies import STRATEGY, Across, CandidateDepth, DocumentTexts, simulated_strategy
from irevalx.process.platform import as_text
from irevalx.reading.sources.files import CHUNK_SIZE, MARK
from irevalx.reading.sources.tables import is_file, source_of
from irevalx.reports.table import Table
from irevalx.strategies.registry import LEARNING, STRATEGIES
from irevalx.strategies.simulation import (
    DEFAULT_SIMULATION,
    SelectedDocument,
    StrategySimulation,
    select,
    select_in_replay,
)
from irevalx.wording import join_words, spelled

PER_TOPIC = 10
"""The default number of documents to select for each topic."""

LONGEST_TEXT = 60
"""The maximum number of characters of a document's text that the table displays."""

LEARNING_BY_STRATEGY = "; ".join(
    f"with {join_words([name for name, strategy in STRATEGIES.items() if strategy.learns == learns], 'and')}, {words}"
    for learns, words in LEARNING.items()
)


class NextDocumentRow(NamedTuple):
    """A document that was selected for judging."""

    number: int  # from 1, in order of selection
    topic: str
    docno: str
    score: float  # preference of the strategy: a fused score, a priority or a probability
    best_rank: int  # the best rank of the document in any run
    runs: int  # number of runs for which the document is a candidate
    run: int | None  # number of the run, from 1, from which the document was selected; None if no run was used
    text: str | None  # first words of the document; None if no texts were given


class NextDocuments(DocumentsResult):
    """The result of ``next``: the documents to judge next."""

    rows: Sequence[NextDocumentRow]  # topic by topic or, if selected across topics, in order of selection
    seed: int | None = None  # random seed; None if no random numbers were used

    def tables(self) -> list[Table]:
        """Return a single table that contains ``rows``."""
        return [Table.of("next documents", NextDocumentRow, self.rows, n_labels=3).without_empty("run", "text")]


@declared(
    example="irevalx-lab next runs/* --judged qrels --order mtf --per-topic 5 > judge_these",
    more=(
        "The command writes a pool file: lines TOPIC DOCNO, in the order in which to judge the documents. With "
        "--format, it writes a table of the result."
    ),
    default_output="a pool file",
)
def next(  # noqa: A001 - it is the name of its command
    runs: Runs,
    judged: Annotated[
        "GivenQrels | None",
        file(
            metavar="QRELS",
            means="qrels",
            help=(
                "relevance judgments so far, from any source; the file can be empty, and grades below 0 are ignored. "
                f"The strategy (`order`) determines when a judgment influences it: {LEARNING_BY_STRATEGY}. [default: "
                "no judgments]"
            ),
        ),
    ] = None,
    *,
    order: Annotated[str, STRATEGY, refined(requires={"sampled": "total"})] = "hedge",
    per_topic: Annotated[int | None, whole(1, metavar="N", excludes=("in_all", "n", "across"))] = None,
    in_all: Annotated[int | None, whole(1, metavar="N", excludes=("n", "order=sampled"))] = None,
    replay: Annotated[bool, flag()] = False,
    total: Annotated[int | None, whole(1, metavar="N", requires="order=sampled")] = None,
    depth: CandidateDepth = DEFAULT_SIMULATION.depth,
    documents: DocumentTexts = (),
    seed: Seed = None,
    level: Level = 1,
    rel_format: GradedRelFormat = "qrels",
    n: Annotated[int | None, whole(1, metavar="N", hidden=True)] = None,
    across: Annotated[Across, refined(hidden=True)] = False,
) -> NextDocuments:
    """Select the next documents to judge.

    A judging strategy selects the documents, based on the judgments so far. For each document, the result contains the
    score that the strategy assigns to it, its best rank, the number of runs that retrieve it and, with `documents`, the
    first words of its text.

    Exactly N unjudged documents are selected. If fewer than N unjudged documents are left, a warning is issued. Judged
    documents do not count toward N. The strategy learns from all existing judgments, regardless of how the judged
    documents were selected. To extend an existing collection, pass its judgments as `judged`. The strategy learns
    nothing from the N documents until they are judged. Therefore, select only a few documents at a time to follow the
    strategy closely.

    With `order="sampled"`, the score is the inclusion probability of a document, and every call requires the same runs,
    `depth`, `seed`, `total` and N. After all documents are judged, ``irevalx-lab degrade --order sampled --unjudged
    nonrel`` writes the sample with its inclusion probabilities, in the format that ``irevalx -R prels`` reads. Call
    this command with the same runs, depth and seed, with the budget `total` and the batch size `per_topic`.

    Parameters
    ----------
    per_topic : number N of documents to select per topic. [default: 10]
    in_all : number N of documents to select over all topics. Each document is taken from the topic whose next document
        has the highest priority under the strategy.
    replay : simulate the strategy from the beginning in batches of N documents, like irevalx-lab degrade with a batch
        of N, so that the strategy learns only from documents that it has selected itself. The result contains the
        unjudged documents, at most N, of the first batch that is not fully judged. The strategy is always simulated
        with `order="sampled"`, because the inclusion probabilities depend on the simulation. [default: off]
    total : expected size of the whole sample of each topic, with `order="sampled"`.
    n : former name of `per_topic` or, with `across`, of `in_all`.
    across : select `n` documents over all topics, not per topic.

    Raises
    ------
    ArgumentError : an argument is invalid, or cannot be combined with another argument.
    UsageError : the strategy requires document texts, and none are given.
    IrevalxError : the inputs cannot be read or evaluated, as in ``irevalx.evaluate``.

    Examples
    --------
    >>> import irevalx
    >>> runs = {"bm25": {"1": {"A": 2.0, "B": 1.0}}, "dense": {"1": {"B": 2.0, "C": 1.0}}}
    >>> selected = irevalx.lab.next(runs, {"1": {"A": 0, "B": 1}}, per_topic=1, seed=1)
    >>> [(row.topic, row.docno, row.best_rank) for row in selected.rows]
    [('1', 'C', 2)]
    """
    number = per_topic or in_all or n or PER_TOPIC
    try:
        content = _content_of(judged)
        judgments = graded_judgments_of({}) if content is None else graded_judgments_of(content, rel_format)
    except EmptyFileError:  # raised before the first documents are judged
        judgments = graded_judgments_of({})
    ordering = simulated_strategy(
        order,
        runs,
        depth=depth,
        level=level,
        across=across or in_all is not None,
        documents=documents,
        judgments=judgments,
    )
    for line in judgment_warnings(ordering, judgments):
        warn(line)
    used_seed = chosen_seed(seed) if ordering.order.is_random else None
    replay = replay or ordering.order.has_probabilities
    if replay:
        selected = select_in_replay(ordering, judgments, number, used_seed or 0, total)
    else:
        selected = select(ordering, judgments, number, used_seed or 0)
    for line in shortage_warnings(ordering, selected, number, replay=replay):
        warn(line)
    texts = _first_words({document.docno for document in selected}, paths_of(documents))
    rows = [
        NextDocumentRow(
            number=place,
            topic=as_text(document.candidates.topic),
            docno=as_text(document.docno),
            score=document.request.score,
            best_rank=int(document.candidates.best_rank[document.request.document]),
            runs=int(document.candidates.has[:, document.request.document].sum()),
            run=None if document.request.run is None else document.request.run + 1,
            text=texts.get(document.docno),
        )
        for place, document in enumerate(selected, start=1)
    ]
    return NextDocuments(rows, used_seed)


def _content_of(judged: Any) -> Any:
    """Return the judgments, or None if the file contains only blank lines or a byte-order mark."""
    if not is_file(judged):
        return judged
    source = source_of(judged, "judged")
    if not source.size:  # a pipe can be read only once, and has no size
        source = source.in_memory()
    is_blank = not any(chunk.removeprefix(MARK).strip() for chunk in source.chunks(CHUNK_SIZE))
    return None if is_blank else source


def judgment_warnings(ordering: StrategySimulation, judgments: Judgments) -> Iterator[str]:
    """Yield warnings about judged topics without results, and about document IDs with differing spelling."""
    documents = {topic.topic: topic.docnos for topic in ordering.candidates}
    where = shown_name(judgments.path)
    if lacking := [topic for topic in judgments.topics if topic not in documents]:
        pair = differing_pair(lacking, documents) or f"the first is {quote(lacking[0])}"
        yield (
            f"{len(lacking)} of {len(judgments.topics)} topics of {where} have no results in the runs, and their "
            f"judgments are ignored: {pair}"
        )
    judged: dict[bytes, list[bytes]] = {}
    for topic, docno in zip(judgments.rows.ids.tolist(), judgments.docnos.texts(), strict=True):
        judged.setdefault(judgments.topics[topic], []).append(docno)
    common = [topic for topic in judged if topic in documents]
    if not common or any(not set(judged[topic]).isdisjoint(documents[topic]) for topic in common):
        return
    if pair := differing_pair(judged[common[0]], documents[common[0]]):
        yield f"no document in {where} is a candidate of the same topic: {pair}"


def shortage_warnings(
    ordering: StrategySimulation, selected: Sequence[SelectedDocument], n: int, *, replay: bool
) -> Iterator[str]:
    """Yield a warning if fewer than ``n`` documents were selected for a topic, or across all topics."""
    depth, topics = ordering.rules.depth, [as_text(topic.topic) for topic in ordering.candidates]
    counts = Counter(as_text(document.candidates.topic) for document in selected)
    shortage = shortage_of(counts, n, None if ordering.rules.across else topics)
    if not shortage:
        return
    if replay:
        reason = "the other documents of the replayed batch are already judged, or the strategy has none left to select"
    elif any(int(topic.ranks.max(initial=0)) == depth for topic in ordering.candidates):
        reason = (
            f"the first {depth} documents of each run contain no other unjudged document; increase {spelled('depth')} "
            "to add candidates"
        )
    else:
        reason = "the runs contain no other unjudged document"
    yield f"{shortage}: {reason}"


def _first_words(docnos: set[bytes], paths: Sequence[str]) -> dict[bytes, str]:
    """Read the first words of the text of each requested document, by document ID."""
    texts = {}
    for document in documents_in(paths):
        if document.docno in docnos:
            words = " ".join(document.text.split())
            texts[document.docno] = words if len(words) <= LONGEST_TEXT else words[: LONGEST_TEXT - 1] + "…"
    return texts
