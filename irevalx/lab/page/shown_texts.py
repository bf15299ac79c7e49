"""Texts of topics and documents for the HTML report."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping

from irevalx.errors import FormatError, InputError, quote, shown_name
from irevalx.lab.completion.documents import paths_of, read_documents, unescaped
from irevalx.parameters import argument_error, identifier
from irevalx.parameters import text as text_of
from irevalx.process.system import as_bytes, as_text
from irevalx.reading.source import CHUNK_SIZE, Source

LONGEST_TEXT = 10_000
"""Maximum number of characters of a text."""

DocumentTexts = str | os.PathLike[str] | Iterable[str | os.PathLike[str]] | Mapping[str, str] | None
"""Files, or the text of each document."""

TopicTexts = str | os.PathLike[str] | Mapping[str, str] | None
"""A file, or the text of each topic."""

_TOP = re.compile(r"<top>(.*?)(?=<top>|</top>|\Z)", re.IGNORECASE | re.DOTALL)
_FIELD = re.compile(r"<(num|title|desc|narr)>([^<]*)", re.IGNORECASE)
_LABEL = re.compile(r"^\s*(number|topic|description|narrative)\s*:", re.IGNORECASE)


def texts_of_documents(documents: DocumentTexts, docnos: set[bytes]) -> dict[bytes, str]:
    """Return the texts of these documents, cut after ``LONGEST_TEXT``; documents without a text are missing."""
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
    """Return the texts of topics from a file of TREC topics, JSON lines, or lines TOPIC<tab>TEXT."""
    if source is None:
        return {}
    if isinstance(source, Mapping):
        return {
            identifier("topic_texts: a topic", topic): cut(text_of(f"topic_texts[{topic!r}]", text))
            for topic, text in source.items()
        }
    file = Source(os.fspath(source)).in_memory()
    text = b"".join(file.chunks(CHUNK_SIZE)).removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace")
    where, start = shown_name(file.path), text.lstrip()[:1]
    if start == "{":
        return {as_text(document.docno): cut(document.text) for document in read_documents(file)}
    return dict(_of_trec(where, text) if start == "<" else _of_lines(where, text))


def cut(text: str) -> str:
    """Return a text, cut with an ellipsis if it is too long."""
    return text if len(text) <= LONGEST_TEXT else f"{text[:LONGEST_TEXT]} …"


def _of_trec(where: str, text: str) -> Iterator[tuple[str, str]]:
    topics = _TOP.findall(text)
    if not topics:
        raise FormatError(f"{where}: texts of topics must be TREC's, in <top>, JSON lines, or lines TOPIC<tab>TEXT")
    for top in topics:
        fields = {
            name.lower(): " ".join(_LABEL.sub("", unescaped(content)).split()) for name, content in _FIELD.findall(top)
        }
        if not fields.get("num"):
            raise InputError(f"{where}: a topic must have a number, <num>, but got {quote(top.strip()[:80])}")
        number = fields.pop("num").split()[-1]
        yield number, cut("\n".join(filter(None, fields.values())))


def _of_lines(where: str, text: str) -> Iterator[tuple[str, str]]:
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            topic, tab, words = line.partition("\t")
            if not tab:
                rule = "a line must have a topic and its text, with a tab between them"
                raise InputError(f"{where}:{number}: {rule}, but got {quote(line)}")
            yield topic.strip(), cut(words.strip())
