"""EXAMPLES: what the tests of file formats have to know of each, and what a file of any format says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import singledispatch
from typing import Any, TypeAlias

from irevalx.judgments.graded import GroupedJudgments, InclusionJudgments, Judgments
from irevalx.judgments.pool import PooledDocuments
from irevalx.judgments.preferences import PreferenceJudgments
from irevalx.judgments.subtopics import SubtopicJudgments
from irevalx.reading.kinds.runs import RunStream

Row: TypeAlias = tuple[str | float, ...]
"""What a line says: topic, document, and whatever else its format has."""


@dataclass(frozen=True)
class Example:
    """Lines of one topic, and what they say.

    Parameters
    ----------
    lines : with {} for the topic, separated by single spaces; no document occurs twice.
    says : what each line says, without the topic: the document first, then what else ``content`` has.
    again : one more line, with a document that is there already.
    again_error : status and words of the error about it; None where a document may occur again.
    malformed : one more line, with a number that trec_eval reads although it is none; "" where lines have no numbers.
    malformed_says : what that line says then; nothing where it is refused.
    refuses_malformed : whether numbers that are none are refused with words of their own.
    header : the first line of a file, if there must be one.
    """

    lines: tuple[str, ...]
    says: tuple[Row, ...]
    again: str
    again_error: tuple[int, str] | None
    malformed: str = ""
    malformed_says: Row = ()
    refuses_malformed: bool = False
    header: str = ""

    def text(self, topics: Sequence[str]) -> bytes:
        """A file with these topics."""
        return self.header.encode() + self.more(topics)

    def more(self, topics: Sequence[str]) -> bytes:
        """Lines with these topics, to stand after others."""
        return "".join(f"{line.format(topic)}\n" for topic in topics for line in self.lines).encode()

    def content(self, topics: Sequence[str]) -> list[Row]:
        """What it says, sorted."""
        return sorted((topic, *row) for topic in topics for row in self.says)


@dataclass(frozen=True)
class JsonExample(Example):
    """Members of the object of one topic, and what they say; ``again`` and ``malformed`` are members too."""

    def more(self, topics: Sequence[str]) -> bytes:
        """A file with these topics; nothing can stand after it."""
        objects = [f'"{topic}": {{{", ".join(self.lines)}}}' for topic in topics]
        return f"{{{', '.join(objects)}}}\n".encode()


@dataclass(frozen=True)
class NamedExample(Example):
    """Lines with named columns, which are not separated by blanks."""


TWICE = "duplicate document"

EXAMPLES = {
    "qrels": Example(
        lines=("{} 0 A 1", "{} 0 B 0", "{} 0 C -1"),
        says=(("A", 1), ("B", 0), ("C", -1)),
        again="{} 0 A 0",
        again_error=(4, f"{TWICE} 'A' in the judgments of topic '301'"),
        malformed="{} 0 D 2x",
        malformed_says=("D", 2),
    ),
    "beir": Example(
        lines=("{} A 1", "{} B 0", "{} C -1"),
        says=(("A", 1), ("B", 0), ("C", -1)),
        again="{} A 0",
        again_error=(4, f"{TWICE} 'A' in the judgments of topic '301'"),
        malformed="{} D 2x",
        header="query-id corpus-id score\n",
    ),
    "-R csv": NamedExample(
        lines=("{},A,1", "{},B,0", "{},C,-1"),
        says=(("A", 1), ("B", 0), ("C", -1)),
        again="{},A,0",
        again_error=(4, f"{TWICE} 'A' in the judgments of topic '301'"),
        malformed="{},D,2x",
        header="query_id,doc_id,relevance\n",
    ),
    "-R tsv": NamedExample(
        lines=("{}\tA\t1", "{}\tB\t0", "{}\tC\t-1"),
        says=(("A", 1), ("B", 0), ("C", -1)),
        again="{}\tA\t0",
        again_error=(4, f"{TWICE} 'A' in the judgments of topic '301'"),
        malformed="{}\tD\t2x",
        header="qid\tdocno\tlabel\n",
    ),
    "-R jsonl": NamedExample(
        lines=tuple(
            f'{{{{"qid": "{{}}", "docno": "{docno}", "rel": {rel}}}}}' for docno, rel in (("A", 1), ("B", 0), ("C", -1))
        ),
        says=(("A", 1), ("B", 0), ("C", -1)),
        again='{{"qid": "{}", "docno": "A", "rel": 0}}',
        again_error=(4, f"{TWICE} 'A' in the judgments of topic '301'"),
        malformed='{{"qid": "{}", "docno": "D", "rel": 2.5}}',
    ),
    "-R json": JsonExample(
        lines=('"A": 1', '"B": 0', '"C": -1'),
        says=(("A", 1), ("B", 0), ("C", -1)),
        again='"A": 0',
        again_error=(4, f"{TWICE} 'A' in the judgments of topic '301'"),
        malformed='"D": 2.5',
    ),
    "sampled": Example(
        lines=("{} 0 A 0 1", "{} 0 B 0 0", "{} 0 C 1 -1"),
        says=(("A", 0, 1), ("B", 0, 0), ("C", 1, -1)),
        again="{} 0 A 1 0",
        again_error=(4, f"{TWICE} 'A' in the judgments of topic '301'"),
        malformed="{} 0 D 2 2x",
        malformed_says=("D", 2, 2),
    ),
    "qrels_jg": Example(
        lines=("{} one A 1", "{} one B 0", "{} two A 2"),
        says=(("A", "one", 1), ("B", "one", 0), ("A", "two", 2)),
        again="{} one A 0",
        again_error=(2, "duplicate"),
        malformed="{} one D 2x",
        malformed_says=("D", "one", 2),
    ),
    "prefs": Example(
        lines=("{} one a A 1.5", "{} one a B 0", "{} one b A 2", "{} two a A 1"),
        says=(("A", "one", 0, 1.5), ("B", "one", 0, 0.0), ("A", "one", 1, 2.0), ("A", "two", 0, 1.0)),
        again="{} one a A 1.5",
        again_error=None,
        malformed="{} one a D inf",
        malformed_says=("D", "one", 0, float("inf")),
    ),
    "qrels_prefs": Example(
        lines=("{} one A 1.5", "{} one B 0", "{} two A 1"),
        says=(("A", "one", 0, 1.5), ("B", "one", 0, 0.0), ("A", "two", 0, 1.0)),
        again="{} one A 1.5",
        again_error=None,
        malformed="{} one D inf",
        malformed_says=("D", "one", 0, float("inf")),
    ),
    "pairs": Example(
        lines=("{} A B", "{} B C"),
        says=(("A", "0", 0, 2.0), ("B", "0", 0, 1.0), ("B", "0", 1, 2.0), ("C", "0", 1, 1.0)),
        again="{} A B",
        again_error=None,
    ),
    "subtopics": Example(
        lines=("{} 1 A 1", "{} 1 B 0", "{} x A 2", "{} 2 C -2"),
        says=(("A", "1", 1), ("B", "1", 0), ("A", "x", 2), ("C", "2", -2)),
        again="{} 1 A 0",
        again_error=(4, f"{TWICE} 'A' for subtopic"),
        malformed="{} 2 D 2x",
        malformed_says=("D", "2", 2),
    ),
    "prels": Example(
        lines=("{} A 1 1 0.25", "{} B 0 0 0.5", "{} C 2 4 1e-2"),
        says=(("A", 1, 0.25, True), ("B", 0, 1.0, False), ("C", 2, 0.01, True)),
        again="{} A 0 1 0.5",
        again_error=(4, f"{TWICE} 'A' in the judgments of topic '301'"),
        refuses_malformed=True,
    ),
    "weighted": Example(
        lines=("{} 0 A 1 0.5", "{} 0 B 0 2", "{} 0 C -1 1e-3"),
        says=(("A", 1, 0.5), ("B", 0, 2.0), ("C", -1, 0.001)),
        again="{} 0 A 0 0.5",
        again_error=(4, f"{TWICE} 'A' in the judgments of topic '301'"),
        refuses_malformed=True,
    ),
    "trec_results": Example(
        lines=("{} Q0 A 1 12.5 me", "{} Q0 B 2 -0.25 me", "{} Q0 C 3 1e-3 me"),
        says=(("A", 12.5), ("B", -0.25), ("C", 0.001)),
        again="{} Q0 A 4 0 me",
        again_error=(4, f"{TWICE} 'A' in the results of topic '301'"),
        malformed="{} Q0 D 4 2x me",
        malformed_says=("D", 2.0),
    ),
    "msmarco": Example(
        lines=("{} A 1", "{} B 2", "{} C 3"),
        says=(("A", -1.0), ("B", -2.0), ("C", -3.0)),
        again="{} A 4",
        again_error=(4, f"{TWICE} 'A' in the results of topic '301'"),
        malformed="{} D 4x",
    ),
    "scored": Example(
        lines=("{} A 12.5", "{} B -0.25", "{} C 1e-3"),
        says=(("A", 12.5), ("B", -0.25), ("C", 0.001)),
        again="{} A 0",
        again_error=(4, f"{TWICE} 'A' in the results of topic '301'"),
        malformed="{} D 4x",
    ),
    "-T csv": NamedExample(
        lines=("{},A,12.5", "{},B,-0.25", "{},C,1e-3"),
        says=(("A", 12.5), ("B", -0.25), ("C", 0.001)),
        again="{},A,0",
        again_error=(4, f"{TWICE} 'A' in the results of topic '301'"),
        malformed="{},D,4x",
        header="query_id,doc_id,score\n",
    ),
    "-T tsv": NamedExample(
        lines=("{}\tA\t12.5", "{}\tB\t-0.25", "{}\tC\t1e-3"),
        says=(("A", 12.5), ("B", -0.25), ("C", 0.001)),
        again="{}\tA\t0",
        again_error=(4, f"{TWICE} 'A' in the results of topic '301'"),
        malformed="{}\tD\t4x",
        header="query_id\tdoc_id\tsim\n",
    ),
    "-T jsonl": NamedExample(
        lines=tuple(
            f'{{{{"qid": "{{}}", "docno": "{docno}", "score": {score}}}}}'
            for docno, score in (("A", "12.5"), ("B", "-0.25"), ("C", "1e-3"))
        ),
        says=(("A", 12.5), ("B", -0.25), ("C", 0.001)),
        again='{{"qid": "{}", "docno": "A", "score": 0}}',
        again_error=(4, f"{TWICE} 'A' in the results of topic '301'"),
        malformed='{{"qid": "{}", "docno": "D", "score": NaN}}',
    ),
    "-T json": JsonExample(
        lines=('"A": 12.5', '"B": -0.25', '"C": 1e-3'),
        says=(("A", 12.5), ("B", -0.25), ("C", 0.001)),
        again='"A": 0',
        again_error=(4, f"{TWICE} 'A' in the results of topic '301'"),
        malformed='"D": "2"',
    ),
    "pool": Example(
        lines=("{} A", "{} B", "{} C"),
        says=(("A",), ("B",), ("C",)),
        again="{} A",
        again_error=None,
    ),
}
"""By the name of the format or, where one of judgments and one of runs have the same, by how it is chosen."""


@singledispatch
def content(data: Any) -> list[Row]:
    """What a file says, sorted: topic, document, then numbers and names as its format has them."""
    raise NotImplementedError(f"register a function with content in tests/examples/format_examples.py for {type(data)}")


@content.register
def _(data: Judgments) -> list[Row]:
    columns: list[list[Any]] = [
        [data.topics[topic].decode() for topic in data.rows.ids.tolist()],
        [docno.decode() for docno in data.docnos.texts()],
        *([] if data.strata is None else [data.strata.tolist()]),
        data.grades.tolist(),
        *([] if data.weights is None else [data.weights[data.lines].tolist()]),
    ]
    return sorted(zip(*columns, strict=True))


@content.register
def _(data: GroupedJudgments) -> list[Row]:
    rows = []
    for pair, docno, grade in content(data.judgments):
        topic, group = str(pair).split()
        rows.append((topic, docno, group, grade))
    return sorted(rows)


@content.register
def _(data: PreferenceJudgments) -> list[Row]:
    rows = []
    for group, topic in enumerate(data.groups.ids.tolist()):
        docnos = data.documents.docnos.take(data.documents.rows.slice(topic)).texts()
        for line in range(data.rows.size)[data.rows.slice(group)]:
            docno = docnos[int(data.document[line])].decode()
            names = data.documents.topics[topic].decode(), docno, data.names[group].decode()
            rows.append((*names, int(data.subgroup[line]), float(data.level[line])))
    return sorted(rows)


@content.register
def _(data: SubtopicJudgments) -> list[Row]:
    rows = []
    for place, document in enumerate(data.rows.ids.tolist()):
        topic = int(data.documents.rows.ids[document])
        subtopic = data.names.text(data.subtopics.slice(topic).start + int(data.subtopic[place]))
        names = data.documents.topics[topic].decode(), data.documents.docnos.text(document).decode(), subtopic.decode()
        rows.append((*names, int(data.grades[place])))
    return sorted(rows)


@content.register
def _(data: InclusionJudgments) -> list[Row]:
    columns: list[list[Any]] = [
        [data.topics[topic].decode() for topic in data.rows.ids.tolist()],
        [docno.decode() for docno in data.docnos.texts()],
        data.grades.tolist(),
        data.probabilities.tolist(),
        data.at_random.tolist(),
    ]
    return sorted(zip(*columns, strict=True))


@content.register
def _(data: RunStream) -> list[Row]:
    rows = []
    for part in data.results():
        names = zip(part.rows.ids.tolist(), part.docnos.texts(), part.scores.tolist(), strict=True)
        rows += [(part.topics[topic].decode(), docno.decode(), score) for topic, docno, score in names]
    return sorted(rows)


@content.register
def _(data: PooledDocuments) -> list[Row]:
    pairs = zip(data.topic.tolist(), data.docnos.texts(), strict=True)
    return sorted((data.topics[topic].decode(), docno.decode()) for topic, docno in pairs)
