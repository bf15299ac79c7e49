"""Every kind of input has the same content from every source: the rows of TREC files, with unusual IDs."""

from __future__ import annotations

import csv
import io
import json
from collections import namedtuple
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import pytest
from examples.format_examples import Row, content
from running import repeats

import irevalx
from irevalx.reading.formats import REL_FORMATS, RESULTS_FORMATS
from irevalx.reading.run_formats import POOL
from irevalx.reading.sources.files import Source
from irevalx.trec_eval import TREC_EVAL_10

Rows = list[tuple[Any, ...]]

PLAIN = [f"D{number:02}" for number in range(14)]
ODD = sorted(
    ["a,b", 'x"y', '"quoted"', "ü;é", "two words", "#7", '{"a": 1}', "1.5", "007", "-", "a\\b", "'", "文書", "NA"]
)
"""IDs for the plain ones, in the same byte order; lines of TREC files cannot have all of them."""

TOPICS = ["301", "10", "q-2", "7"]


@dataclass(frozen=True)
class Kind:
    """A kind of input.

    Parameters
    ----------
    columns : the names of its columns: what tables call them, in one spelling.
    line : a line of the TREC file, from these names.
    n_keys : how many columns are the keys of nested dictionaries; 0 if dictionaries cannot have the kind.
    make : rows with the columns, without repeated documents.
    """

    columns: tuple[str, ...]
    line: str
    n_keys: int
    make: Callable[[Random], Rows]


def documents(random: Random) -> Iterator[tuple[str, str]]:
    """Yield topics and some of their documents."""
    for topic in TOPICS:
        yield from ((topic, docno) for docno in random.sample(PLAIN, 9))


def in_groups(random: Random, *more: str) -> Iterator[tuple[str, ...]]:
    """Yield topics, groups and some of their documents, with further names between."""
    for topic in TOPICS:
        for group in random.sample(["u1", "u 2", "u3"][:3:2], 2):
            yield from ((topic, group, *more, docno) for docno in random.sample(PLAIN, 4))


def preferences(random: Random) -> Rows:
    """Return levels that do not contradict each other."""
    levels = {docno: place / 2 for place, docno in enumerate(PLAIN)}
    return [
        (topic, "u1", subgroup, docno, levels[docno])
        for topic in TOPICS
        for subgroup in ("a", "b")
        for docno in random.sample(PLAIN, 4)
    ]


KINDS = {
    "qrels": Kind(
        ("topic", "docno", "grade"), "{topic} 0 {docno} {grade}", 2,
        lambda random: [(*ids, random.randint(-1, 3)) for ids in documents(random)],
    ),
    "sampled": Kind(
        ("topic", "docno", "stratum", "grade"), "{topic} 0 {docno} {stratum} {grade}", 2,
        lambda random: [(*ids, random.choice("012"), random.randint(-1, 2)) for ids in documents(random)],
    ),
    "weighted": Kind(
        ("topic", "docno", "grade", "weight"), "{topic} 0 {docno} {grade} {weight}", 2,
        lambda random: [(*ids, random.randint(-1, 2), random.randint(1, 9) / 8) for ids in documents(random)],
    ),
    "qrels_jg": Kind(
        ("topic", "group", "docno", "grade"), "{topic} {group} {docno} {grade}", 3,
        lambda random: [(*ids, random.randint(0, 2)) for ids in in_groups(random)],
    ),
    "prefs": Kind(
        ("topic", "group", "subgroup", "docno", "level"), "{topic} {group} {subgroup} {docno} {level}", 4, preferences
    ),
    "qrels_prefs": Kind(
        ("topic", "group", "docno", "level"), "{topic} {group} {docno} {level}", 3,
        lambda random: [(*ids, random.randint(0, 4) / 4) for ids in in_groups(random)],
    ),
    "pairs": Kind(
        ("topic", "winner", "loser"), "{topic} {winner} {loser}", 1,
        lambda random: [(topic, *sorted(random.sample(PLAIN, 2))) for topic in TOPICS for _ in range(4)],
    ),
    "subtopics": Kind(
        ("topic", "subtopic", "docno", "grade"), "{topic} {subtopic} {docno} {grade}", 3,
        lambda random: [(*ids, random.randint(-2, 2)) for ids in in_groups(random)],
    ),
    "prels": Kind(
        ("topic", "docno", "grade", "method", "probability"), "{topic} {docno} {grade} {method} {probability!r}", 2,
        lambda random: [(*ids, random.randint(0, 2), random.choice([0, 1, 4]), 1 - random.random()) for ids in documents(random)],
    ),
    "run": Kind(
        ("topic", "docno", "score"), "{topic} Q0 {docno} 1 {score!r} mine", 2,
        lambda random: [(*ids, random.choice([round(random.random(), 12), random.randrange(9) / 4, -1e-7])) for ids in documents(random)],
    ),
    "ranked run": Kind(
        ("topic", "docno", "rank"), "{topic} {docno} {rank}", 0,
        lambda random: [(*ids, place % 9) for place, ids in enumerate(documents(random))],
    ),
    "pool": Kind(("topic", "docno"), "{topic} {docno}", 0, lambda random: list(documents(random))),
}  # fmt: skip

SPELLINGS = {
    "topic": ("qid", "query_id", "Query-ID", "topic_id"),
    "docno": ("doc_id", "docid", "corpus-id", "PID"),
    "grade": ("relevance", "rel", "label", "judgment", "score"),
    "score": ("sim", "Score"),
    "level": ("level", "grade"),
    "subtopic": ("subtopic_id", "iteration"),
}
"""Other names of columns."""


def spelled(random: Random, columns: Sequence[str]) -> tuple[str, ...]:
    """Return names of columns in a random spelling."""
    return tuple(random.choice((name, *SPELLINGS.get(name, ()))) for name in columns)


def trec(kind: Kind, rows: Rows) -> bytes:
    """Return the TREC file of rows with plain IDs."""
    return "".join(kind.line.format(**dict(zip(kind.columns, row, strict=True))) + "\n" for row in rows).encode()


def with_odd_ids(rows: list[Row] | Rows) -> Rows:
    """Return the rows with unusual IDs."""
    of_plain = dict(zip(PLAIN, ODD, strict=True))
    return [tuple(of_plain.get(cell, cell) if isinstance(cell, str) else cell for cell in row) for row in rows]


Given = Callable[[Kind, tuple[str, ...], Rows, Random], Any]
"""Makes an input of a kind, given the names of its columns and its rows; None if the source cannot have the kind."""


def separated(separator: str, quoting: Any = csv.QUOTE_MINIMAL, end: str = "\n") -> Given:
    """Return a function that writes a table with a header, further columns, and fields with line breaks."""

    def make(kind: Kind, names: tuple[str, ...], rows: Rows, random: Random) -> bytes:
        text = io.StringIO(newline="")
        writer = csv.writer(text, delimiter=separator, quoting=quoting, lineterminator=end)
        order = random.sample(range(len(names)), len(names))
        writer.writerow(["note", *(names[place] for place in order), "text"])
        for row in rows:
            note = random.choice(["", "a note", f'two\nlines, {separator} and "quotes"'])
            writer.writerow(
                [note, *(repr(row[place]) if isinstance(row[place], float) else row[place] for place in order), ""]
            )
        return text.getvalue().encode()

    return make


def records(kind: Kind, names: tuple[str, ...], rows: Rows, random: Random) -> bytes:
    """Return JSON Lines with further keys, in any order."""
    lines = []
    for row in rows:
        members = [*zip(names, row, strict=True), ("text", {"title": ["a", 1.5, None]})]
        lines.append(json.dumps(dict(random.sample(members, len(members))), ensure_ascii=random.random() < 0.5))
    return "".join(f"{line}\n" for line in lines).encode()


def nested(kind: Kind, names: tuple[str, ...], rows: Rows, random: Random) -> Any:
    """Return dictionaries by the first columns."""
    given: dict[Any, Any] = {}
    for row in rows:
        *outer, last = row[: kind.n_keys] or [None]
        inner = given
        for key in outer:
            inner = inner.setdefault(key, {})
        rest = row[kind.n_keys :]
        if kind.columns[-1] == "loser":
            inner.setdefault(last, []).append(rest)
        else:
            inner[last] = rest if len(rest) > 1 else rest[0]
    return given if kind.n_keys else None


def object_of_objects(kind: Kind, names: tuple[str, ...], rows: Rows, random: Random) -> Any:
    """Return a JSON object {topic: {docno: number}}."""
    has_numbers = kind.columns[:2] == ("topic", "docno") and kind.columns[2:] in {("grade",), ("score",)}
    return json.dumps(nested(kind, names, rows, random)).encode() if has_numbers else None


def columns(kind: Kind, names: tuple[str, ...], rows: Rows, random: Random) -> dict[str, list[Any]]:
    """Return a dictionary of these columns and another one."""
    return dict(zip(("note", *names), map(list, zip(*((0, *row) for row in rows), strict=True)), strict=True))


def frame_of(library: str, method: str) -> Given:
    """Return a function that creates a data frame of a library."""
    return lambda *given: getattr(pytest.importorskip(library), method)(columns(*given))


def parquet(*given: Any) -> bytes:
    """Return a Parquet file."""
    table = pytest.importorskip("pyarrow").table(columns(*given))
    text = io.BytesIO()
    pytest.importorskip("pyarrow.parquet").write_table(table, text)
    return text.getvalue()


def named_tuples(kind: Kind, names: tuple[str, ...], rows: Rows, random: Random) -> Any:
    """Return named tuples, whose fields are identifiers."""
    Record = namedtuple("Record", [name.replace("-", "_").lower() for name in names])  # type: ignore[misc]  # noqa: PYI024
    return [Record(*row) for row in rows]


SOURCES: dict[str, Given] = {
    "commas": separated(","),
    "commas, CR LF": separated(",", end="\r\n"),
    "semicolons, all quoted": separated(";", csv.QUOTE_ALL),
    "tabs": separated("\t"),
    "JSON Lines": records,
    "JSON object": object_of_objects,
    "Parquet": parquet,
    "dictionaries": nested,
    "columns": columns,
    "named tuples": named_tuples,
    "pandas": frame_of("pandas", "DataFrame"),
    "polars": frame_of("polars", "DataFrame"),
    "pyarrow": frame_of("pyarrow", "table"),
}


def content_of(name: str, given: Any, folder: Path) -> list[Row]:
    """Return the content of an input of a kind, from a file or a Python object."""
    if isinstance(given, bytes):
        given, text = folder / "mine.txt", given
        given.write_bytes(text)
    if name == "pool":
        return content(irevalx.Pool.read(given).documents)
    if name in REL_FORMATS:
        return content(irevalx.Qrels.read(given, rel_format=name).judgments)
    return content(irevalx.Run.read(given, results_format="trec_results").kept(TREC_EVAL_10))


def expected(name: str, rows: Rows) -> list[Row]:
    """Return the content of the TREC file of the rows, with unusual IDs."""
    fmt: Any = {**REL_FORMATS, "pool": POOL, "ranked run": RESULTS_FORMATS["msmarco"]}.get(
        name, RESULTS_FORMATS["trec_results"]
    )
    plain = content(fmt.read(Source("file", trec(KINDS[name], rows)), TREC_EVAL_10, True, pytest.fail))
    return sorted(with_odd_ids(plain))


@pytest.mark.parametrize("chunk", repeats([90, 1 << 20]))
@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("name", KINDS)
def test_every_kind_from_every_source(
    name: str, source: str, chunk: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The content does not depend on names of columns, order of rows and ends of blocks."""
    monkeypatch.setattr("irevalx.reading.sources.blocks.CHUNK_SIZE", chunk)
    kind = KINDS[name]
    for seed in range(3):
        random = Random(seed)
        rows = kind.make(random)
        if seed:
            random.shuffle(rows)
        given = SOURCES[source](kind, spelled(random, kind.columns), with_odd_ids(rows), random)
        if given is None:
            pytest.skip("not of this source")
        assert content_of(name, given, tmp_path) == expected(name, rows)
