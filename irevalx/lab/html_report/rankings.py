"""The top documents of runs and the texts of documents in the HTML report."""

from __future__ import annotations

import hashlib
import os
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from irevalx.arrays.codes import OUTSIDE, UNJUDGED
from irevalx.arrays.segments import BoolArray, FloatArray, IntArray
from irevalx.checks import identifier
from irevalx.checks import text as text_of
from irevalx.errors import FormatError, InputError, quote, shown_name, warn
from irevalx.experiments.ranked_runs import rank_all
from irevalx.frozen import Frozen, replace
from irevalx.judgments.graded import Judgments
from irevalx.judgments.pool import PooledDocuments, with_pool
from irevalx.lab.completion.documents import paths_of, read_documents, unescaped
from irevalx.lab.description.describe import RunDescription
from irevalx.lab.html_report.scores import document_contributions, is_additive
from irevalx.measures.selection import RequestedMeasure
from irevalx.process.platform import as_bytes, as_text
from irevalx.ranking.rank import RankedRun, ranking_order, without_documents
from irevalx.ranking.ranking import Ranking
from irevalx.ranking.rules import RankingRules
from irevalx.reading.kinds.runs import ResultRows, RunStream
from irevalx.reading.sources.files import Source
from irevalx.settings import ORDERS_OF_TIES, Ties
from irevalx.wording import argument_error, more_such

MOST_MISSED = 20
"""The maximum number of missed relevant documents that a topic lists."""

UNRANKED = 1 << 40
"""The value used as the rank of a document that a run does not retrieve."""


class FirstDocuments(Frozen):
    """The top documents of all runs for each topic, and the ranked runs."""

    judgments: Judgments
    """The judgments, to which the top documents of all runs were added as unjudged documents."""
    pooled: BoolArray
    """Whether the judgment file contains each document."""
    ranked: Sequence[RankedRun]
    """All runs, reduced to their top documents, because complete rankings of many runs would need gigabytes."""
    described: Sequence[RunDescription]
    """The statistics of each run by rank, over the topics of the run or, if ``complete`` is true, over all topics."""
    digests: Sequence[bytes]
    """The digest of each run, computed from its top documents and its ranks of judged documents."""
    n_tied: Sequence[int]
    """The number of top documents with tied scores, for each run."""
    depth: int
    """The maximum number of top documents of a run and topic."""
    run: npt.NDArray[np.int32]
    row: npt.NDArray[np.int32]
    """The index of the run and of the judgment of each top document. The arrays are sorted by topic."""
    ends: IntArray
    """The position of the first top document of each judged topic, followed by the total number."""
    relevant: npt.NDArray[np.int32]
    """The topic, the run, the rank and the judgment of each retrieved relevant document, in ascending order. The shape
    is (4, n)."""
    level: float
    """The minimum grade of relevant documents, which is at least 0 because judged documents have such grades."""
    names: Sequence[str]
    """The printed names of the additive measures, which are sums over documents."""
    added: FloatArray
    """The contribution of each top document to each additive measure. The shape is (n_names, n)."""

    @classmethod
    def of(
        cls,
        judgments: Judgments,
        runs: Sequence[RunStream],
        rules: RankingRules,
        depth: int,
        requests: Sequence[RequestedMeasure],
        *,
        level: float,
        complete: bool,
        processes: int,
        names: Sequence[str],
        topics: Sequence[bytes],
    ) -> FirstDocuments:
        """Rank the runs. Collect their top documents, and the contributions of documents to additive measures.

        The argument ``names`` contains the names of the runs. The statistics of runs are computed over ``topics``.
        """
        runs = [run.allowing(rules.duplicates) for run in runs]
        pools: list[PooledDocuments] = []
        n_tied = []
        for run in runs:
            n_first = min(depth, rules.max_retrieved)
            blocks = [_first_of(without_documents(part, rules)[0], rules.ties, n_first) for part in run.results()]
            pools += [pool for pool, _ in blocks]
            n_tied.append(sum(tied for _, tied in blocks))
        both = with_pool(judgments, PooledDocuments.joined("", pools))
        del pools  # frees memory before runs are ranked
        pooled = both.rows.position < both.rows.spread(judgments.rows.lengths)
        additive = [request for request in requests if is_additive(request, rules.ties)]
        places, terms, relevant = [], [], []
        ranked, described, digests = [], [], []
        # The evaluation has already issued the warnings about runs.
        each = rank_all(both, runs, rules, processes=processes, warn=lambda line: None)
        for number, ranked_run in enumerate(each):
            of_run = ranked_run.ranking
            first = (of_run.rank <= depth) & (of_run.row >= 0)
            ranked.append(replace(ranked_run, ranking=of_run.keep(first)))
            compared = [topic for topic in topics if complete or topic in ranked_run.topics]
            ranks = (*range(1, depth + 1), depth + 1)
            described.append(
                RunDescription.of(
                    names[number], ranked_run, both, compared, level=level, cutoffs=ranks[:-1], ranks=ranks
                )
            )
            digests.append(_digest_of(of_run))
            ranking = _in_one_order(of_run, both, level)
            within = (ranking.rank <= depth) & (ranking.row >= 0)
            places.append(_places(ranking, number, within))
            is_relevant = (ranking.row >= 0) & (both.grades[ranking.row] >= max(level, 0))
            relevant.append(_places(ranking, number, is_relevant))
            gains: list[FloatArray] = []
            for request in additive:
                least = level if request.level is None else request.level
                assessed = ranking.assess(both, both.grades, level=least, pooled=pooled)
                gains += [term[within] for term in document_contributions(assessed, request)]
            terms.append(np.reshape(gains, (len(gains), places[-1].shape[1])))
        of_topics, numbers, rank, row = np.concatenate(places, axis=1)
        order = np.lexsort((rank, numbers, of_topics))
        retrieved = np.concatenate(relevant, axis=1)
        return cls(
            both,
            pooled,
            ranked,
            described,
            digests,
            n_tied,
            depth,
            run=numbers[order],
            row=row[order],
            ends=np.searchsorted(of_topics[order], np.arange(len(both.topics) + 1)),
            relevant=retrieved[:, np.argsort(retrieved[0], kind="stable")],
            level=max(level, 0),
            names=[name for request in additive for name in request.names],
            added=np.concatenate(terms, axis=1)[:, order],
        )

    def _of(self, place: int) -> slice:
        """Return the slice of the arrays that contains the top documents of a topic."""
        return slice(self.ends[place], self.ends[place + 1])

    def topic_of(self, place: int, measures: Sequence[str], texts: Mapping[bytes, int]) -> dict[str, Any]:
        """Return the data of a topic. ``texts`` maps each document that has a text to the number of the text."""
        within = self._of(place)
        missed = self._missed(place)
        rows, run = self._documents_of(place, missed), self.run[within]
        start = int(self.judgments.rows.offsets[place])
        grades = self.judgments.grades[start : start + int(self.judgments.rows.lengths[place])]
        number = {row: number for number, row in enumerate(rows)}
        lists = [number[row] for row in self.row[within].tolist()]
        cuts = np.searchsorted(run, np.arange(len(self.ranked) + 1)).tolist()
        return {
            "documents": list(self._documents(np.array(rows, np.int64), texts)),
            "runs": _by_run(lists, cuts),
            "added": [
                _table(self.added[self.names.index(name), within], cuts) if name in self.names else None
                for name in measures
            ],
            "grades": [[grade, n] for grade, n in sorted(Counter(grades[grades >= 0].tolist()).items())],
            "missed": {**missed, "documents": [number[row] for row in missed["documents"]]},
        }

    def _documents_of(self, place: int, missed: Mapping[str, Any]) -> list[int]:
        """Return the judgments of a topic's top documents and of missed relevant documents, in this order."""
        return list(dict.fromkeys([*self.row[self._of(place)].tolist(), *missed["documents"]]))

    def _missed(self, place: int) -> dict[str, Any]:
        """Return a topic's relevant documents that are missing from the top documents of some run, with their ranks.

        At most ``MOST_MISSED`` documents are listed, beginning with top documents of other runs and with high grades.
        The number of missed documents that are not listed, and the number of relevant documents that no run retrieved,
        are also returned.
        """
        judgments, rows = self.judgments, self.judgments.rows
        start = int(rows.offsets[place])
        relevant = np.flatnonzero(judgments.grades[start : start + int(rows.lengths[place])] >= self.level) + start
        ends = np.array([place, place + 1], np.int32)  # another type would convert the whole array
        low, high = np.searchsorted(self.relevant[0], ends)
        _, number, rank, row = self.relevant[:, low:high]
        ranks = np.full((relevant.size, len(self.ranked)), UNRANKED)
        ranks[np.searchsorted(relevant, row), number] = rank
        best = ranks.min(axis=1, initial=UNRANKED)
        missed = np.flatnonzero((ranks > self.depth).any(axis=1) & (best < UNRANKED))
        order = missed[np.lexsort((best[missed], -judgments.grades[relevant[missed]], best[missed] > self.depth))]
        return {
            "documents": relevant[order[:MOST_MISSED]].tolist(),
            "ranks": [
                [rank if rank < UNRANKED else None for rank in each] for each in ranks[order[:MOST_MISSED]].tolist()
            ],
            "n_more": len(order[MOST_MISSED:]),
            "n_unretrieved": int(np.count_nonzero(best == UNRANKED)),
        }

    def _documents(self, rows: IntArray, texts: Mapping[bytes, int]) -> Iterator[dict[str, Any]]:
        names = self.judgments.docnos.take(rows).texts()
        columns = (names, self.judgments.grades[rows].tolist(), self.pooled[rows].tolist())
        for docno, grade, pooled in zip(*columns, strict=True):
            text = {"text": texts[docno]} if docno in texts else {}
            yield {"id": as_text(docno), "grade": grade if grade >= 0 else None, "pooled": pooled, **text}

    def docnos(self, places: Sequence[int]) -> list[bytes]:
        """Return the distinct IDs of the displayed documents, in the order of the topics."""
        rows = [row for place in places for row in self._documents_of(place, self._missed(place))]
        return list(dict.fromkeys(self.judgments.docnos.take(np.array(rows, np.int64)).texts()))

    def counts(self, places: Sequence[int]) -> tuple[IntArray, IntArray]:
        """Return the number of top documents of each run and topic, and of each pair of runs in common."""
        n_runs = len(self.ranked)
        pairs = np.triu_indices(n_runs, 1)
        n_first = np.zeros((n_runs, len(places)), np.int64)
        in_common = np.zeros((pairs[0].size, len(places)), np.int64)
        for number, place in enumerate(places):
            documents, column = np.unique(self.row[self._of(place)], return_inverse=True)
            has = np.zeros((n_runs, documents.size), np.float32)
            has[self.run[self._of(place)], column] = 1
            shared = has @ has.T
            n_first[:, number], in_common[:, number] = shared.diagonal(), shared[pairs]
        return n_first, in_common


def _digest_of(ranking: Ranking) -> bytes:
    """Return the digest of a run's top documents and of its ranks of judged documents."""
    topic = ranking.judged_topic[ranking.rows.ids]
    order, topics = np.lexsort((ranking.rank, topic)), np.argsort(ranking.judged_topic)
    digest = hashlib.sha256()
    parts = (topic[order], ranking.rank[order], ranking.row[order])
    for part in (*parts, ranking.judged_topic[topics], ranking.n_ret[topics]):
        digest.update(np.ascontiguousarray(part, np.int64).tobytes())
    return digest.digest()


def _places(ranking: Ranking, run: int, chosen: BoolArray) -> npt.NDArray[np.int32]:
    """Return the judged topic, the run, the rank and the judgment of the documents in the mask ``chosen``."""
    topic = ranking.judged_topic[ranking.rows.ids[chosen]]
    # 32-bit integers use half the memory
    return np.stack((topic, np.full(topic.size, run), ranking.rank[chosen], ranking.row[chosen])).astype(np.int32)


def _first_of(results: ResultRows, ties: Ties, depth: int) -> tuple[PooledDocuments, int]:
    """Return the top documents of each topic, and how many of them have tied scores."""
    order, equal = ranking_order(results, ties)
    within: BoolArray = results.rows.position < depth
    tied = np.append(equal, False) | np.append(False, equal)[: within.size]
    considered = np.ones_like(within) if ties in ORDERS_OF_TIES else within
    places = np.flatnonzero(considered) if order is None else order[considered]
    pool = PooledDocuments("", results.topics, results.rows.keep(considered).ids, results.docnos.take(places).copied())
    return pool, int(np.count_nonzero(tied[: within.size] & within))


def _in_one_order(ranking: Ranking, judgments: Judgments, level: float) -> Ranking:
    """Order tied documents by grade if the settings require this order. Return other rankings unchanged."""
    if not ranking.tied or ranking.tied.ties == "expected":
        return ranking
    grade = np.where(ranking.row >= 0, np.maximum(judgments.grades[ranking.row], UNJUDGED), OUTSIDE)
    return ranking.with_ties_ordered(grade, level)


def _by_run(values: list[int], cuts: Sequence[int]) -> list[list[int] | None]:
    """Split an array of values into one array for each run. The item of a run without values is None."""
    return [values[start:end] if start < end else None for start, end in pairwise(cuts)]


def _table(terms: FloatArray, cuts: Sequence[int]) -> dict[str, Any]:
    """Return the distinct values, and the index of the values for each run."""
    values, places = np.unique(terms, return_inverse=True)
    return {"values": values.tolist(), "runs": _by_run(places.tolist(), cuts)}


LONGEST_TEXT = 10_000
"""The maximum number of characters of a displayed text."""

DocumentTexts = str | os.PathLike[str] | Iterable[str | os.PathLike[str]] | Mapping[str, str] | None
"""The input with the texts of documents: files, or a mapping from document to text."""

TopicTexts = str | os.PathLike[str] | Mapping[str, str] | None
"""The input with the texts of topics: a file, or a mapping from topic to text."""

_TOP = re.compile(r"<top>(.*?)(?=<top>|</top>|\Z)", re.IGNORECASE | re.DOTALL)
_FIELD = re.compile(r"<(num|title|desc|narr)>([^<]*)", re.IGNORECASE)
_LABEL = re.compile(r"^\s*(number|topic|description|narrative)\s*:", re.IGNORECASE)


def texts_of_documents(documents: DocumentTexts, docnos: Collection[bytes]) -> dict[bytes, str]:
    """Return the texts of documents, truncated to ``LONGEST_TEXT`` characters. Documents without text are omitted."""
    if documents is None:
        return {}
    if isinstance(documents, Mapping):
        pairs = (
            (as_bytes(identifier("documents: a document", name)), text_of(f"documents[{name!r}]", text))
            for name, text in documents.items()
        )
    else:
        try:
            paths = paths_of(documents)
        except TypeError:
            raise argument_error("documents", "the paths of files, or a dictionary of texts", documents) from None
        pairs = ((document.docno, document.text) for path in paths for document in read_documents(Source(path)))
    texts: dict[bytes, str] = {}
    for docno, text in pairs:
        if docno in docnos:
            texts.setdefault(docno, cut(re.sub(r"\n\s*\n\s*", "\n\n", text).strip()))
    return texts


def texts_of_topics(source: TopicTexts) -> dict[str, str]:
    """Read the texts of topics from TREC topics, JSON lines, or lines TOPIC<tab>TEXT."""
    if source is None:
        return {}
    if isinstance(source, Mapping):
        return {
            identifier("topic_texts: a topic", topic): cut(text_of(f"topic_texts[{topic!r}]", text))
            for topic, text in source.items()
        }
    file = Source(os.fspath(source)).in_memory()
    text = file.content().decode("utf-8", "replace")
    where, start = shown_name(file.path), text.lstrip()[:1]
    if start == "{":
        pairs = [(as_text(document.docno), cut(document.text)) for document in read_documents(file)]
    else:
        pairs = [*(_of_trec(where, text) if start == "<" else _of_lines(where, text))]
    repeated = [topic for topic, number in Counter(topic for topic, _ in pairs).items() if number > 1]
    if repeated:
        others = more_such(len(repeated) - 1, "topic")
        warn(f"{where}: the topic {quote(repeated[0])} occurs several times{others}; its last text is displayed")
    return dict(pairs)


def cut(text: str) -> str:
    """Truncate a long text, and append an ellipsis."""
    return text if len(text) <= LONGEST_TEXT else f"{text[:LONGEST_TEXT]} …"


def _of_trec(where: str, text: str) -> Iterator[tuple[str, str]]:
    topics = _TOP.findall(text)
    if not topics:
        raise FormatError(
            f"{where}: unknown format of topic texts; expected TREC topics (<top>), JSON lines, or lines TOPIC<tab>TEXT"
        )
    for top in topics:
        fields = {
            name.lower(): " ".join(_LABEL.sub("", unescaped(content)).split()) for name, content in _FIELD.findall(top)
        }
        if not fields.get("num"):
            raise InputError(f"{where}: the topic has no number (<num>): {quote(top.strip()[:80])}")
        number = fields.pop("num").split()[-1]
        yield number, cut("\n".join(filter(None, fields.values())))


def _of_lines(where: str, text: str) -> Iterator[tuple[str, str]]:
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            topic, tab, words = line.partition("\t")
            if not tab:
                rule = "expected a topic and its text, separated by a tab"
                raise InputError(f"{where}:{number}: {rule}: {quote(line)}")
            yield topic.strip(), cut(words.strip())
