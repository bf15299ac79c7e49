"""Documents in JSON lines and SGML, and their terms."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from references import text_classifiers as reference
from running import succeeded

from irevalx.errors import FormatError, MalformedLineError, UnreadableFileError
from irevalx.lab.completion import documents
from irevalx.lab.completion.classifiers import Collection, terms_of
from irevalx.lab.completion.documents import Document, read_documents, unescaped
from irevalx.reading.sources.files import Source


def read(content: str | bytes) -> list[tuple[str, list[str]]]:
    """Return the docno and the terms of each document of a file."""
    data = content.encode() if isinstance(content, str) else content
    return [(document.docno.decode(), terms_of(document.text)) for document in read_documents(Source("docs", data))]


TWO = [("d1", ["a", "title", "wings"]), ("d2", ["flat", "plates"])]

JSON = '{"id": "d1", "title": "A title", "contents": "Wings"}\n{"id": "d2", "contents": "flat plates"}\n'

SGML = """<DOC>
<DOCNO> d1 </DOCNO>
<HEAD>A title</HEAD>
<TEXT>
Wings
</TEXT>
</DOC>
<DOC>
<DOCNO>d2</DOCNO>
flat <b>plates</b> <!-- not this -->
</DOC>
"""

FORMS = {
    "json": JSON,
    "json with blank lines": "\n \r\n" + JSON.replace("\n", "\r\n\n"),
    "json without final newline": JSON.rstrip(),
    "byte order mark": "\ufeff" + JSON,
    "_id and text": JSON.replace('"id"', '"_id"').replace("contents", "text"),
    "docno and body": JSON.replace('"id"', '"docno"').replace("contents", "body"),
    "doc_id": JSON.replace('"id"', '"doc_id"'),
    "other fields": JSON.replace("{", '{"url": "x", "n": [1], "body": null, '),
    "sgml": SGML,
    "lower case": SGML.lower(),
    "CR LF": SGML.replace("\n", "\r\n"),
    "one line": SGML.replace("\n", " "),
    "blank lines between": "\n\n" + SGML.replace("</DOC>", "</DOC>\n\n"),
    "a root": f"<root>\n{SGML}</root>\n",
    "web pages": SGML.replace("</DOCNO>", "</DOCNO>\n<DOCHDR>\nhttp://example.org\n</DOCHDR>"),
    "a tag over lines": SGML.replace("<HEAD>", '<HEAD id="x"\n class="y">'),
    "entities": SGML.replace("flat ", "flat&nbsp;&lt;"),
}


@pytest.mark.parametrize("content", FORMS.values(), ids=list(FORMS))
@pytest.mark.parametrize("compress", [bytes, gzip.compress, bz2.compress, lzma.compress], ids=["", "gz", "bz2", "xz"])
@pytest.mark.parametrize("size", [3, 1 << 20])
def test_document_formats(
    content: str, compress: Callable[[bytes], bytes], size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The documents are the same in every format, compression and chunk size."""
    monkeypatch.setattr(documents, "CHUNK_SIZE", size)
    assert read(compress(content.encode())) == TWO


def test_fields_names_and_terms() -> None:
    """All fields count, integers are names, and characters other than a-z and 0-9 separate terms."""
    assert read('{"id": "d", "contents": "wing flow", "title": "wing"}') == [("d", ["wing", "wing", "flow"])]
    assert read('{"id": 17, "text": "naïve Straße x2"}') == [("17", ["na", "ve", "stra", "e", "x2"])]
    assert read("<DOC><DOCNO>é</DOCNO> naïve</DOC>") == [("é", ["na", "ve"])]
    assert read(b"<DOC><DOCNO>d</DOCNO> na\xefve</DOC>") == [("d", ["na", "ve"])]
    assert read("<DOC><DOCNO>d</DOCNO> 1 < 2 and 3 > 2</DOC>") == [("d", ["1", "2", "and", "3", "2"])]


def test_no_documents() -> None:
    """An empty stream has no documents; a missing file is an error."""
    assert read("") == read("\n \n") == []
    with pytest.raises(UnreadableFileError):
        list(read_documents(Source("no such file")))


NAME = "no document ID; expected a string or an integer in one of the fields id, docno, _id, doc_id:"
TEXT = "no text; expected a string in at least one of the fields title, contents, text, body:"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            '{"id": "d1", "text": "a"}\n{"id"\n',
            """docs:2: expected a JSON object: '{"id"'""",
        ),
        ('{"id": "a", "text": ""}\n\n["b"]', "docs:3: expected a JSON object: '[\"b\"]'"),
        ('{"text": "a"}', f"docs:1: {NAME} " + """'{"text": "a"}'"""),
        ('{"id": true, "text": "a"}', f"docs:1: {NAME} " + """'{"id": true, "text": "a"}'"""),
        ('{"id": "d1"}', f"docs:1: {TEXT} " + """'{"id": "d1"}'"""),
        ('{"id": "d1", "text": null}', f"docs:1: {TEXT} " + """'{"id": "d1", "text": null}'"""),
        ('{"id": "d1", "text": ["a"]}', f"docs:1: {TEXT} " + """'{"id": "d1", "text": ["a"]}'"""),
        ('{"id": "d 1", "text": "a"}', "docs:1: invalid document ID 'd 1': must be a single word"),
        ('{"id": "", "text": "a"}', "docs:1: invalid document ID '': must be a single word"),
        (
            b'{"id": "a", "text": "\xff"}',
            """docs:1: expected a JSON object: '{"id": "a", "text": "\\xff"}'""",
        ),
        (
            '{"id": "d1", "text": ' + "[" * 100_000 + "]" * 100_000 + "}",
            """docs:1: expected a JSON object: '{"id": "d1", "text": """ + "[" * 56 + "...'",
        ),
        ("\n<DOC>\n<DOCNO>1</DOCNO>\n</DOC>\n<DOC>\nx\n</DOC>", "docs:5: the document has no <DOCNO>: 'x'"),
        ("<DOC><DOCNO></DOCNO></DOC>", "docs:1: invalid document ID '': must be a single word"),
        ("<DOC>\n<DOCNO>1</DOCNO>\n", "docs:1: the document has no </DOC>"),
        ("<DOC><DOCNO>1</DOCNO></DOC>\nx\n", "docs:2: expected <DOC>: 'x'"),
    ],
)
def test_malformed_documents(content: str | bytes, message: str) -> None:
    """Messages point to file and line."""
    with pytest.raises(MalformedLineError) as caught:
        read(content)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    "content",
    [
        "<DOC><DOCNO>1</DOCNO>" + "<!--" * 50_000 + "</DOC>",
        "<DOC><DOCNO>1</DOCNO>" + "<docno>" * 50_000 + "</DOC>",
        "<DOC><DOCNO>1</DOCNO>x</DOC>" * 50_000,
    ],
    ids=["comments", "names", "documents"],
)
def test_linear_time(content: str) -> None:
    """Unclosed tags and many documents on a line take time in proportion to their length."""
    begin = time.process_time()
    assert read(content)
    assert time.process_time() - begin < 5


def test_unknown_format() -> None:
    """Other formats are refused at the first line."""
    with pytest.raises(FormatError) as caught:
        read("\n1 0 d1 1\n")
    assert str(caught.value) == ("docs:2: expected documents in JSON lines ('{'...) or TREC SGML ('<'...): '1 0 d1 1'")


texts = st.text("aAbB1 .-é\u017f\u212a\n", max_size=12)


@given(texts)
def test_terms(text: str) -> None:
    """Terms equal those of the literal loop."""
    assert terms_of(text) == reference.terms_of(text)


@given(st.lists(texts, max_size=6), st.integers(0, 4), st.data())
def test_counts(contents: list[str], n_frequent: int, data: st.DataObject) -> None:
    """Term counts of requested documents and of the collection equal those of loops."""
    every = {f"d{number}": reference.terms_of(text) for number, text in enumerate(contents)}
    requested = data.draw(st.sets(st.sampled_from([*every, "not there"]))) if every else set()
    lines = "\n".join(json.dumps({"id": f"d{number}", "text": text}) for number, text in enumerate(contents))
    result = Collection.of(
        read_documents(Source("docs", lines.encode())), {docno.encode() for docno in requested}, n_frequent
    )
    remaining = [docno for docno in every if docno in requested and every[docno]]
    terms = result.terms
    assert sorted(terms) == sorted({term for docno in remaining for term in every[docno]})
    everything = [term for terms in every.values() for term in terms]
    assert result.docnos == tuple(docno.encode() for docno in remaining)
    assert result.counts.toarray().tolist() == [[every[docno].count(term) for term in terms] for docno in remaining]
    assert result.collection_frequency.tolist() == [everything.count(term) for term in terms]
    assert result.document_frequency.tolist() == [sum(term in words for words in every.values()) for term in terms]
    ranked = sorted(set(everything), key=lambda term: (-everything.count(term), term))[:n_frequent]
    assert result.frequent.tolist() == [term in ranked for term in terms]
    assert (result.n_documents, result.n_tokens) == (len(contents), len(everything))


def test_duplicate_documents() -> None:
    """A duplicate judged document is an error; other duplicates are ignored."""
    twice = [Document(b"d1", "a", "docs:1"), Document(b"d1", "b", "docs:7")]
    with pytest.raises(MalformedLineError, match=r"^docs:7: duplicate document 'd1'$"):
        Collection.of(twice, {b"d1"})
    assert Collection.of(twice, {b"d2"}).n_documents == 2


LONG = "9" * 5000
REFERENCES = {
    "&#65;": "A",
    "&#00000000000000065;": "A",
    f"&#{'0' * 5000}65;": "A",
    f"&#{LONG};": "\N{REPLACEMENT CHARACTER}",
    f"&#{LONG}": "\N{REPLACEMENT CHARACTER}",
    f"&#x{'f' * 5000};": "\N{REPLACEMENT CHARACTER}",
    "&#0;": "\N{REPLACEMENT CHARACTER}",
    "&#x41;&amp;&nbsp;&lt": "A&\N{NO-BREAK SPACE}<",
    "&#;&#x;&#a": "&#;&#x;&#a",
    "&#12345678;": "\N{REPLACEMENT CHARACTER}",
}
"""What the HTML standard makes of character references: numbers beyond the last character are replaced."""


@pytest.mark.parametrize(("text", "expected"), REFERENCES.items(), ids=range(len(REFERENCES)))
def test_character_references(tmp_path: Path, text: str, expected: str) -> None:
    """Character references of any length are decoded, with leading zeros too."""
    assert unescaped(text) == expected
    path = tmp_path / "docs"
    path.write_text(f"<DOC><DOCNO>d</DOCNO>one {text}</DOC>")
    [document] = read_documents(Source(str(path)))
    assert document.text.split(" ", 3)[-1].endswith(expected)


def test_commands_read_long_character_references(tmp_path: Path) -> None:
    """report, complete and next decode long character references in documents and topics."""
    pytest.importorskip("sklearn")
    qrels, run_path, docs, topics = (tmp_path / name for name in ("qrels", "run", "docs", "topics"))
    qrels.write_text("".join(f"1 0 d{number} {number % 2}\n" for number in range(6)))
    run_path.write_text("".join(f"1 Q0 d{number} 1 {9 - number} r\n" for number in range(8)))
    words = ("cat", "dog", "cow")
    docs.write_text(
        "".join(f"<DOC><DOCNO>d{number}</DOCNO>{words[number % 3]} &#{LONG}; end</DOC>\n" for number in range(8))
    )
    topics.write_text(f"<top><num> Number: 1 <title> cats &#{LONG}; </top>\n")
    for line in (
        ("report", qrels, run_path, "--docs", docs, "--topic-texts", topics, "-o", tmp_path / "page.html"),
        ("complete", qrels, run_path, "--docs", docs, "--classifier", "kld"),
        ("next", run_path, "--judged", qrels, "--order", "cal", "--docs", docs, "--seed", "1", "--in-all", "2"),
    ):
        succeeded(*line, "--quiet", stderr="")
