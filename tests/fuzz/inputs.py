"""Files of every format, small and ordinary, and ways to spoil them."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterable, Iterator, Sequence

Lines = list[bytes]

TOPICS = [b"1", b"2", b"10", b"-1", b"B", b"\xe9t\xe9", b"301", b"x" * 70]
DOCNOS = [b"d%d" % number for number in range(12)] + [b"DOC-%03d" % number for number in range(8)] + [b"\xff9"]
GRADES = [b"0", b"0", b"1", b"1", b"2", b"4", b"-1"]
SCORES = [b"0", b"1", b"2", b"0.5", b"-3.25", b"3.000000001", b"1e3", b"12.3456789012345678"]
ODD_WORDS = [
    *(b"", b"#", b"nan", b"-nan", b"inf", b"-inf", b"1e999", b"1e-400", b"0x1p3", b"abc", b"1_0", b"+7.", b".", b"-"),
    *(b"99999999999999999999", b"-9223372036854775808", b"2147483648", b"00", b"1.5", b"1e5", b"\xc2\xa0", b"\x01"),
    *(b"Q0", b"<DOC>", b"{", b'"', b"d1", b"1", b"0", b"-1", b"x" * 9000),
]


def some(rng: random.Random, names: Sequence[bytes], least: int = 1) -> list[bytes]:
    """Some of these, in any order."""
    return rng.sample(list(names), rng.randint(least, len(names)))


def joined(*columns: bytes) -> bytes:
    """A line without its end."""
    return b" ".join(columns)


def qrels(rng: random.Random, topics: Sequence[bytes]) -> Lines:
    """Judgments; each topic has one that is not negative."""
    return [
        joined(topic, b"0", docno, rng.choice(GRADES) if number else b"1")
        for topic in topics
        for number, docno in enumerate(some(rng, DOCNOS))
    ]


def of_documents(*columns: bytes | list[bytes] | None) -> Callable[[random.Random, Sequence[bytes]], Lines]:
    """Return a maker of lines with a topic and these columns: None is the docno, a list is a choice for each line."""

    def make(rng: random.Random, topics: Sequence[bytes]) -> Lines:
        return [
            joined(topic, *(docno if c is None else rng.choice(c) if isinstance(c, list) else c for c in columns))
            for topic in topics
            for docno in some(rng, DOCNOS)
        ]

    return make


def grouped(rng: random.Random, topics: Sequence[bytes]) -> Lines:
    """Judgments of several groups; preferences from them, too."""
    grades = [b"0", b"0", b"1", b"2"]
    return [line for group in some(rng, [b"9", b"10", b"u"]) for line in of_documents(group, None, grades)(rng, topics)]


def labels(rng: random.Random, topics: Sequence[bytes]) -> Lines:
    """Labels of a machine: whole grades, probabilities or mean grades, some of them missing or failures."""
    kinds = ([b"0", b"1", b"2"], [b"0.9", b"0.5", b"0.25", b"1", b"0"], [b"1.7", b"2.5", b"0.3", b"3"])
    numbers, missing = rng.choice(kinds), rng.choice([[], [b"ERROR", b"-1", b"n/a", b"nan", b"1e999", b"2x"]])
    return of_documents(b"0", None, [*numbers * 3, *missing])(rng, topics)


def beir(rng: random.Random, topics: Sequence[bytes]) -> Lines:
    """Judgments as BEIR has them; the header does not stay where the lines are shuffled."""
    return [
        b"query-id\tcorpus-id\tscore",
        *(b"%b\t%b\t%b" % (q, d, grade) for q, _, d, grade in _words(qrels(rng, topics))),
    ]


def preferences(rng: random.Random, topics: Sequence[bytes]) -> Lines:
    """Preferences of several groups and subgroups, which agree."""
    level = {docno: rng.choice([b"0", b"0", b"1", b"2.5"]) for docno in DOCNOS}
    return [
        joined(topic, group, subgroup, docno, level[docno])
        for topic in topics
        for group in some(rng, [b"9", b"10"])
        for subgroup in some(rng, [b"a", b"b"])
        for docno in some(rng, DOCNOS)
    ]


def results(rng: random.Random, topics: Sequence[bytes]) -> Lines:
    """A run."""
    tag = rng.choice([b"tag", b"other", b"\xe9"])
    return [
        joined(topic, b"Q0", docno, b"1", rng.choice(SCORES), tag) for topic in topics for docno in some(rng, DOCNOS)
    ]


def msmarco(rng: random.Random, topics: Sequence[bytes]) -> Lines:
    """A run as MS MARCO has it, with or without scores."""
    scored = rng.random() < 0.5
    return [
        joined(topic, docno, b"%d" % rank, *([rng.choice(SCORES)] if scored else []))
        for topic in topics
        for rank, docno in enumerate(some(rng, DOCNOS), 1)
    ]


def pairs(rng: random.Random, topics: Sequence[bytes]) -> Lines:
    """Preferences between two documents, in one of two ways, which agree."""
    both = [(topic, *sorted(rng.sample(DOCNOS, 2))) for topic in topics for _ in range(rng.randint(1, 9))]
    if rng.random() < 0.5:
        return [joined(*pair) for pair in both]
    return [joined(topic, *rng.sample([first, second], 2), first) for topic, first, second in both]


def json_judgments(rng: random.Random, topics: Sequence[bytes]) -> Lines:
    """Judgments as one JSON object."""
    return _as_json((topic, docno, int(grade)) for topic, _, docno, grade in _words(qrels(rng, topics)))


def json_run(rng: random.Random, topics: Sequence[bytes]) -> Lines:
    """A run as one JSON object."""
    return _as_json((topic, docno, float(score)) for topic, _, docno, _, score, _ in _words(results(rng, topics)))


def _words(lines: Lines) -> Iterator[list[bytes]]:
    return map(bytes.split, lines)


def _as_json(rows: Iterable[tuple[bytes, bytes, float]]) -> Lines:
    """One line, with names in Latin 1."""
    scores: dict[str, dict[str, float]] = {}
    for topic, docno, number in rows:
        scores.setdefault(topic.decode("latin-1"), {})[docno.decode("latin-1")] = number
    return [json.dumps(scores).encode()]


def pool(rng: random.Random, topics: Sequence[bytes]) -> Lines:
    """A pool file, of two, three or four columns."""
    row = rng.choice([(b"%b %b",), (b"%b 0 %b",), (b"%b 0 %b 1",)])[0]
    return [row % (topic, docno) for topic in topics for docno in some(rng, DOCNOS)]


def zscores(rng: random.Random, topics: Sequence[bytes]) -> Lines:
    """Means and deviations."""
    names = [b"map", b"num_ret", b"P_5", b"bpref"]
    return [joined(topic, name, b"0.5", rng.choice([b"0.25", b"1"])) for topic in topics for name in some(rng, names)]


def scoring(rng: random.Random, topics: Sequence[bytes]) -> Lines:
    """What irevalx prints of several runs, in one of several formats."""
    values = [
        (run, "all", measure, f"{rng.random():.4f}")
        for run in ("a", "b", "c", "d")[: rng.randint(1, 4)]
        for measure in ("map", "P_5")
    ]
    kind = rng.choice(["trec", "csv", "tsv", "jsonl"])
    if kind == "trec":
        lines = []
        for run in dict.fromkeys(value[0] for value in values):
            lines.append(f"runid\tall\t{run}")
            lines += [f"{measure}\t{topic}\t{number}" for name, topic, measure, number in values if name == run]
    elif kind == "jsonl":
        fields = ("run", "topic", "measure", "value")
        lines = [json.dumps(dict(zip(fields, value, strict=True)) | {"value": float(value[3])}) for value in values]
    else:
        lines = [("," if kind == "csv" else "\t").join(row) for row in (("run", "topic", "measure", "value"), *values)]
    return [line.encode() for line in lines]


def documents(rng: random.Random, topics: Sequence[bytes]) -> Lines:
    """The text of the documents, as JSON lines or SGML."""
    words = ["wing", "lift", "flow", "heat", "plate", "slab", "&amp;", "<!--", "-->", "<b>", "\u00e9", "\U0001f600"]
    texts = {docno: " ".join(rng.choices(words[: rng.choice([6, 12])], k=rng.randint(0, 9))) for docno in DOCNOS[:-1]}
    if rng.random() < 0.5:
        return [json.dumps({"id": docno.decode(), "text": text}).encode() for docno, text in texts.items()]
    return [
        part
        for docno, text in texts.items()
        for part in (b"<DOC>", b"<DOCNO> %b </DOCNO>" % docno, b"<TEXT>", text.encode(), b"</TEXT>", b"</DOC>")
    ]


def groups(rng: random.Random, topics: Sequence[bytes]) -> Lines:
    """Which group made which run."""
    return [joined(b"named%d" % number, rng.choice([b"x", b"y"])) for number in range(3)]


def topic_groups(rng: random.Random, topics: Sequence[bytes]) -> Lines:
    """Which topic is in which groups, in one of three formats; csv has its header where no lines are shuffled."""
    pairs = [(topic, group) for topic in topics for group in some(rng, [b"short", b"long", b"\xc3\xa9t\xc3\xa9"])]
    kind = rng.choice(["lines", "lines", "csv", "json"])
    if kind == "lines":
        separator = rng.choice([b"\t", b" ", b"  "])
        return [topic + separator + group for topic, group in pairs]
    if kind == "csv":
        return [b"topic,group", *map(b",".join, pairs)]
    groups: dict[str, list[str]] = {}
    for topic, group in pairs:
        groups.setdefault(topic.decode("latin-1"), []).append(group.decode())
    return [json.dumps(groups).encode()]


MAKERS: dict[str, Callable[[random.Random, Sequence[bytes]], Lines]] = {
    "qrels": qrels,
    "real qrels": of_documents(b"0", None, [b"0", b"1", b"0.5", b"0.25", b"1e-3"]),
    "labels": labels,
    "sampled": of_documents(b"0", None, [b"1", b"2", b"3"], GRADES),
    "beir": beir,
    "json": json_judgments,
    "prels": of_documents(None, GRADES, [b"0", b"1", b"4"], [b"1", b"0.25", b"NA"]),
    "subtopics": grouped,
    "qrels_jg": grouped,
    "prefs": preferences,
    "qrels_prefs": grouped,
    "run": results,
    "msmarco run": msmarco,
    "scored run": of_documents(None, SCORES),
    "pairs": pairs,
    "json run": json_run,
    "pool": pool,
    "zscores": zscores,
    "scoring": scoring,
    "documents": documents,
    "groups": groups,
    "topic groups": topic_groups,
}


def written(rng: random.Random, lines: Lines) -> bytes:
    """The lines as a file."""
    if rng.random() < 0.5:
        rng.shuffle(lines)
    end = rng.choice([b"\n", b"\n", b"\n", b"\r\n"])
    return end.join(lines) + rng.choice([end, end, end, b""])


def spoiled(rng: random.Random, text: bytes) -> bytes:
    """Change a line, a word or a byte here and there."""
    for _ in range(rng.choice([1, 1, 1, 2, 5])):
        text = rng.choice([_line, _word, _word, _byte, _mistake])(rng, text)
    return text


HEADERS = [
    b"qid iter docno rel",
    b"query-id\tcorpus-id\tscore",
    b"qid Q0 docno rank score tag",
    b"query_id,doc_id,score",
]
MARK = b"\xef\xbb\xbf"


def _mistake(rng: random.Random, text: bytes) -> bytes:
    """Make a mistake that people make: a mark, a header, blanks between tabs, quotes, ids that differ in part."""
    lines = text.split(b"\n")
    change = rng.randrange(6)
    if change == 0:
        return MARK + text
    if change == 1:
        return rng.choice(HEADERS) + b"\n" + text
    some_lines = rng.sample(range(len(lines)), rng.randint(1, len(lines)))
    column, shift = rng.randrange(4), rng.choice([b" x", b"\tx", b" x y"])
    for place in some_lines:
        words = lines[place].split()
        if len(words) <= column:
            continue
        if change == 2:  # an id with a blank, columns separated by tabs
            words[column] += shift
            lines[place] = b"\t".join(words)
        elif change == 3:
            words[column] = b'"' + words[column] + b'"'
            lines[place] = b" ".join(words)
        elif change == 4:
            words[column % 3] = rng.choice(
                [b"0" + words[column % 3], words[column % 3] + b".txt", words[column % 3].upper()]
            )
            lines[place] = b" ".join(words)
        else:
            words[-1] = rng.choice([words[min(2, len(words) - 1)], b"L" + words[-1], b"other"])
            lines[place] = b" ".join(words)
    return b"\n".join(lines)


def _line(rng: random.Random, text: bytes) -> bytes:
    lines = text.split(b"\n")
    place, other = rng.randrange(len(lines)), rng.randrange(len(lines))
    change = rng.randrange(8)
    if change == 0:
        del lines[place]
    elif change == 1:
        lines.insert(place, lines[other])
    elif change == 2:
        lines[place], lines[other] = lines[other], lines[place]
    elif change == 3:
        lines.insert(place, rng.choice([b"", b" ", b"\t \r", b"# comment", b" #"]))
    elif change == 4:
        lines[place] += b" " + lines[other]
    elif change == 5:
        lines[place] = lines[place].replace(b" ", rng.choice([b"\t", b"  ", b" \v\f ", b"", b","]))
    elif change == 6:
        lines[place:other] *= rng.choice([0, 2, 3])
    else:
        words = lines[place].split()
        lines[place] = b" ".join(rng.sample(words, len(words)))
    return b"\n".join(lines)


def _word(rng: random.Random, text: bytes) -> bytes:
    lines = text.split(b"\n")
    place = rng.randrange(len(lines))
    words = lines[place].split(b" ")
    words[rng.randrange(len(words))] = rng.choice(ODD_WORDS)
    lines[place] = b" ".join(words)
    return b"\n".join(lines)


def _byte(rng: random.Random, text: bytes) -> bytes:
    place = rng.randrange(len(text) + 1)
    change = rng.randrange(4)
    if change == 0:
        return text[:place] + bytes([rng.randrange(256)]) + text[place + 1 :]
    if change == 1:
        return text[:place] + bytes([rng.randrange(256)]) + text[place:]
    if change == 2:
        return text[:place] + text[place + rng.randint(1, 30) :]
    return text[:place] if rng.random() < 0.3 else text + text[:place]
