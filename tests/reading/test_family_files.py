"""Judgments for subtopics, and samples with inclusion probabilities, are read like the reference."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from references.family import SubtopicLine, line_with_probability, read_judgments, subtopic_line, subtopic_order
from running import examples

from irevalx.errors import DuplicateDocumentError, IrevalxError, MalformedLineError
from irevalx.judgments.graded import InclusionJudgments
from irevalx.judgments.subtopics import SubtopicJudgments
from irevalx.reading.file_format import FileFormat
from irevalx.reading.formats import REL_FORMATS
from irevalx.reading.judgment_formats import PRELS
from irevalx.reading.judgment_formats import SUBTOPICS as SUBTOPIC_FILE
from irevalx.reading.sources.files import Source
from irevalx.trec_eval import TREC_EVAL_10

TOPICS = ["1", "2", "10", "wt09-1"]
DOCUMENTS = ["d1", "d10", "d2", "D", "a-long-name-of-more-than-eight-bytes", "é"]
SUBTOPICS = ["0", "2", "10", "02", "2x", "b", "-1", "123456789012345678901234567890"]


def read(fmt: FileFormat[Any], text: str, warn: Callable[[str], None] = pytest.fail) -> Any:
    """Write a file and read it."""
    with tempfile.NamedTemporaryFile("w") as file:
        file.write(text)
        file.flush()
        return fmt.read(Source(file.name), TREC_EVAL_10, False, warn)


def lines_of(judgments: SubtopicJudgments) -> dict[str, list[SubtopicLine]]:
    """Return the judgments by ascending topic, in the order of documents and subtopics."""
    lines_by_topic: dict[str, list[SubtopicLine]] = {}
    documents = judgments.documents
    for place, document in enumerate(judgments.rows.ids.tolist()):
        topic = int(documents.rows.ids[document])
        subtopic = judgments.names.text(judgments.subtopics.slice(topic).start + int(judgments.subtopic[place]))
        line = SubtopicLine(subtopic.decode(), documents.docnos.text(document).decode(), int(judgments.grades[place]))
        lines_by_topic.setdefault(documents.topics[topic].decode(), []).append(line)
    return lines_by_topic


@examples(200)
@given(st.integers(0, 2**64), st.sampled_from([1, 50, 1 << 20]), st.booleans())
def test_subtopics(seed: int, chunk: int, together: bool) -> None:
    """All lines are read, in any order and with any division into blocks."""
    random = Random(seed)
    keys = [(topic, subtopic, docno) for topic in TOPICS for subtopic in SUBTOPICS for docno in DOCUMENTS]
    rows = [(*key, random.randint(-2, 3)) for key in random.sample(keys, random.randint(0, 40))]
    order = random.sample(TOPICS, len(TOPICS))
    rows.sort(key=lambda row: order.index(row[0]) if together else 0)
    text = "".join(f"{topic} {subtopic} {docno} {grade}\n" for topic, subtopic, docno, grade in rows)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("irevalx.reading.sources.blocks.CHUNK_SIZE", chunk)
        judgments = read(SUBTOPIC_FILE, text or "# nothing\n")
    expected = read_judgments(text, subtopic_line)
    in_file: dict[str, list[str]] = {
        topic: list(dict.fromkeys(line.document for line in lines)) for topic, lines in expected.items()
    }
    assert judgments.documents.topics == tuple(sorted(topic.encode() for topic in expected))
    assert lines_of(judgments) == {
        topic: sorted(lines, key=lambda line: (in_file[topic].index(line.document), subtopic_order(line.subtopic)))
        for topic, lines in expected.items()
    }
    assert not judgments.failures(judgments.documents.topics)


def test_a_document_twice_for_a_subtopic() -> None:
    """The error of a topic names the first repeated line."""
    judgments = read(SUBTOPIC_FILE, "2 1 a 1\n1 1 b 0\n1 1 a 1\n1 2 a 1\n1 1 a 1\n1 1 b 1\n")
    error = judgments.failures((b"1", b"2"))[b"1"]
    assert isinstance(error, DuplicateDocumentError)
    assert str(error).endswith(":5: duplicate document 'a' for subtopic '1' of topic '1' (first on line 3)")
    assert list(judgments.failures((b"1", b"2"))) == [b"1"]


@pytest.mark.parametrize("form", ["subtopics", "qrels"])
def test_repeated_documents_cost_one_message_per_topic(form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the first repeated document of a topic is reported."""
    messages: list[str] = []
    init = DuplicateDocumentError.__init__

    def count(self: DuplicateDocumentError, message: str) -> None:
        messages.append(message)
        init(self, message)

    monkeypatch.setattr(DuplicateDocumentError, "__init__", count)
    text = b"".join(b"%d 1 D%d 1\n" % (topic, number % 50) for topic in (1, 2) for number in range(100))
    judgments = REL_FORMATS[form].read(Source("file", text), TREC_EVAL_10, False, lambda line: None)
    assert len(judgments.failures(judgments.documents.topics)) == len(messages) == 2


def inclusion_lines(judgments: InclusionJudgments) -> dict[str, list[tuple[str, int, float, bool]]]:
    """Return the judgments by ascending topic."""
    lines_by_topic: dict[str, list[tuple[str, int, float, bool]]] = {}
    for place, topic in enumerate(judgments.rows.ids.tolist()):
        line = judgments.grades[place], judgments.probabilities[place], judgments.at_random[place]
        grade, probability, at_random = (value.item() for value in line)
        document = judgments.docnos.text(place).decode()
        lines_by_topic.setdefault(judgments.topics[topic].decode(), []).append(
            (document, grade, probability, at_random)
        )
    return lines_by_topic


@examples(200)
@given(st.integers(0, 2**64))
def test_prels(seed: int) -> None:
    """The lines of sampled documents are read, with the probabilities that apply."""
    random = Random(seed)
    probabilities = ["1", "0.5", ".25", "1e-3", "0.12345678901234567890", "NA", "-1", "-0.5", "1.5", "2"]
    rows = []
    for topic, docno in random.sample(
        [(topic, docno) for topic in TOPICS for docno in DOCUMENTS], random.randint(0, 20)
    ):
        method, grade = random.randint(0, 5), random.choice([-2000, -999, -998, -1, 0, 1, 2])
        probability = random.choice([*probabilities, "0"] if method in {0, 2} or grade <= -999 else probabilities)
        rows.append(f"{topic} {docno} {grade} {method} {probability}\n")
    text = "".join(rows)
    warnings: list[str] = []
    judgments = read(PRELS, text or "# nothing\n", warnings.append)
    expected = read_judgments(text, line_with_probability)
    assert judgments.topics == tuple(sorted(topic.encode() for topic in expected))
    assert inclusion_lines(judgments) == {
        topic: [(line.document, line.grade, line.probability, line.method in {1, 2, 4}) for line in lines]
        for topic, lines in expected.items()
    }
    cells = [row.split() for row in rows]
    outside = [row for row in cells if int(row[2]) > -999 and row[4] != "NA" and not 0 <= float(row[4]) <= 1]
    negative = [row for row in cells if -999 < int(row[2]) < 0 and row[4] != "NA" and row not in outside]
    assert len(warnings) == bool(outside) + bool(negative)
    for rows_reported, warned in zip([rows for rows in (outside, negative) if rows], warnings, strict=True):
        assert warned.endswith(f"({len(rows_reported) - 1} more such line{'s' if len(rows_reported) > 2 else ''})") == (
            len(rows_reported) > 1
        )
    if negative:
        assert (
            f"grade {negative[0][2]} is negative but above -999: measures treat the document as sampled" in warnings[-1]
        )


def test_what_is_said_of_probabilities_out_of_bounds() -> None:
    """One warning names the first line, and counts the others."""
    warnings: list[str] = []
    read(PRELS, "1 a 1 1 0.5\n1 b 0 1 1.25\n1 c 0 0 -3\n1 d 0 1 NA\n", warnings.append)
    [warning] = warnings
    assert warning.endswith(
        ":2: invalid inclusion probability 1.25 (not between 0 and 1); the document is treated as not "
        "sampled (1 more such line)"
    )


def test_a_sampled_document_twice() -> None:
    """A document can be sampled only once per topic."""
    judgments = read(PRELS, "1 a 1 1 NA\n1 a 1 1 0.5\n1 b 1 1 1\n2 c 1 1 1\n2 c 0 1 1\n")
    assert list(judgments.failures((b"1", b"2"))) == [b"2"]
    assert ":5: duplicate document" in str(judgments.failures((b"2",))[b"2"])


@pytest.mark.parametrize(
    ("fmt", "text", "problem"),
    [
        (SUBTOPIC_FILE, "1 Q0 a 1 0.5 run\n", ": is this a run? The judgments (qrels) come first"),
        (PRELS, "1 a 1.5 1 0.5\n", ":1: invalid grade '1.5': must be an integer"),
        (PRELS, "1 a 1 x 0.5\n", ":1: invalid method 'x': must be an integer"),
        (PRELS, "1 a 1 1 half\n", ":1: invalid inclusion probability 'half': must be a number or NA"),
        (PRELS, "1 a 1 1 nan\n", ":1: invalid inclusion probability 'nan': must be a number or NA"),
        (PRELS, "1 a 0 1 0\n", ":1: topic '1': document 'a': the inclusion probability of a sampled document is 0"),
        (PRELS, "1 a 0 1 -0\n", ":1: topic '1': document 'a': the inclusion probability of a sampled document is 0"),
    ],
)  # fmt: skip
def test_malformed_lines(fmt: FileFormat[Any], text: str, problem: str) -> None:
    """The error about a malformed line contains file and line."""
    with pytest.raises(IrevalxError) as caught:
        read(fmt, text)
    assert isinstance(caught.value, MalformedLineError)
    assert problem in caught.value.message
