"""Functions that read the texts of documents from JSON Lines or TREC SGML files."""

from __future__ import annotations

import html
import json
import os
import re
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import Any

from irevalx.errors import FormatError, MalformedLineError, quote, shown_name
from irevalx.frozen import Frozen
from irevalx.reading.sources.files import CHUNK_SIZE, Source

ID_FIELDS = ("id", "docno", "_id", "doc_id")
"""The names of JSON fields that can contain the ID of a document. The first name that is present is used."""

TEXT_FIELDS = ("title", "contents", "text", "body")
"""The names of JSON fields that can contain text. All fields that are present are used, even if they repeat text."""


LONGEST_LINE = 256 << 20
"""The maximum number of bytes in a line of a document file."""


class Document(Frozen):
    """A document and its text."""

    docno: bytes
    text: str
    where: str  # ``path:line`` at which the document begins, for messages


def paths_of(documents: Any) -> list[str]:
    """Return the paths of document files, given one path or several paths."""
    return [os.fspath(path) for path in ([documents] if isinstance(documents, str | os.PathLike) else documents)]


def documents_in(paths: Iterable[str]) -> Iterator[Document]:
    """Yield the documents in several files, one file after the other."""
    return chain.from_iterable(read_documents(Source(path)) for path in paths)


def read_documents(source: Source) -> Iterator[Document]:
    """Yield the documents in a file. The first character of the file shows whether it is JSON Lines or TREC SGML.

    A JSON line is an object with an ID (``ID_FIELDS``, a string or an integer) and text (``TEXT_FIELDS``). Blank lines
    and other fields are ignored.

    In SGML, a document extends from ``<DOC>`` to ``</DOC>`` and contains a ``<DOCNO>``. The text of the document is all
    other content except DOCHDR elements, comments and tags. The names of tags can be in upper or lower case. Bytes that
    are not UTF-8 separate words.
    """
    lines = _lines(source)
    for number, line in lines:
        if start := line.lstrip(b"\xef\xbb\xbf \t\r\v\f"):
            read = _READERS.get(start[:1])
            if read is None:
                raise FormatError(
                    f"{shown_name(source.path)}:{number}: expected documents in JSON lines ('{{'...) or TREC "
                    f"SGML ('<'...): {quote(start)}"
                )
            yield from read(shown_name(source.path), chain([(number, start)], lines))
            return


def _lines(source: Source) -> Iterator[tuple[int, bytes]]:
    """Yield each line without its newline, preceded by the line number."""
    number, begun, size = 1, list[bytes](), 0
    for chunk in source.chunks(CHUNK_SIZE):
        first, *others = chunk.split(b"\n")
        begun.append(first)
        size += len(first)
        if size > LONGEST_LINE:
            raise MalformedLineError(
                f"{shown_name(source.path)}:{number}: the line is longer than {LONGEST_LINE >> 20} MiB; put line "
                "breaks between documents"
            )
        for line in others:
            yield number, b"".join(begun)
            number, begun, size = number + 1, [line], len(line)
    if size:
        yield number, b"".join(begun)


def _read_json(path: str, lines: Iterator[tuple[int, bytes]]) -> Iterator[Document]:
    for number, line in lines:
        if line.strip():
            where = f"{path}:{number}"
            yield Document(*_json_document(where, line), where)


def _json_document(where: str, line: bytes) -> tuple[bytes, str]:
    try:
        fields = json.loads(line)
    except (ValueError, RecursionError):  # lists that are nested too deeply raise RecursionError
        fields = None
    if not isinstance(fields, dict):
        raise MalformedLineError(f"{where}: expected a JSON object: {quote(line)}")
    name = next((fields[field] for field in ID_FIELDS if field in fields), None)
    if isinstance(name, int) and not isinstance(name, bool):
        name = str(name)
    if not isinstance(name, str):
        raise MalformedLineError(
            f"{where}: no document ID; expected a string or an integer in one of the fields "
            f"{', '.join(ID_FIELDS)}: {quote(line)}"
        )
    parts = [fields[field] for field in TEXT_FIELDS if fields.get(field) is not None]
    if not parts or not all(isinstance(part, str) for part in parts):
        raise MalformedLineError(
            f"{where}: no text; expected a string in at least one of the fields {', '.join(TEXT_FIELDS)}: {quote(line)}"
        )
    return _docno(where, name), "\n".join(parts)


_BEGIN = re.compile(rb"<doc>", re.IGNORECASE)
_END = re.compile(rb"</doc>", re.IGNORECASE)
_DOCNO = re.compile(r"<docno>", re.IGNORECASE)
_TAG = re.compile(r"<[/!?a-z][^<>]*>", re.IGNORECASE)
_MARKUP = re.compile(rf"(<docno>|<dochdr>|<!--)|{_TAG.pattern}", re.IGNORECASE)
_ENDS = {
    "<docno>": re.compile(r"</docno>", re.IGNORECASE),
    "<dochdr>": re.compile(r"</dochdr>", re.IGNORECASE),
    "<!--": re.compile(r"-->"),
}


def _read_sgml(path: str, lines: Iterator[tuple[int, bytes]]) -> Iterator[Document]:
    begun: list[bytes] = []
    first = 0
    for number, line in lines:
        place = 0
        if first and not line:
            begun.append(line)
        while place < len(line):
            if not first:
                begin = _BEGIN.search(line, place)
                if begin is None:
                    _refuse_text(f"{path}:{number}", line[place:])
                    break
                _refuse_text(f"{path}:{number}", line[place : begin.start()])
                place, first = begin.end(), number
            end = _END.search(line, place)
            begun.append(line[place:] if end is None else line[place : end.start()])
            if end is None:
                break
            place = end.end()
            yield _sgml_document(f"{path}:{first}", b"\n".join(begun))
            begun, first = [], 0
    if first:
        raise MalformedLineError(f"{path}:{first}: the document has no </DOC>")


def _refuse_text(where: str, text: bytes) -> None:
    """Raise MalformedLineError if there is text outside documents. Tags around documents are allowed."""
    if b"<" not in text and text.strip():
        raise MalformedLineError(f"{where}: expected <DOC>: {quote(text.strip())}")


def _sgml_document(where: str, markup: bytes) -> Document:
    text = markup.decode("utf-8", "replace")
    begin = _DOCNO.search(text)
    end = _ENDS["<docno>"].search(text, begin.end()) if begin else None
    if begin is None or end is None:
        raise MalformedLineError(f"{where}: the document has no <DOCNO>: {quote(markup.strip())}")
    name = text[begin.end() : end.start()].strip()
    return Document(_docno(where, name), unescaped(_without_markup(text)), where)


def _without_markup(text: str) -> str:
    """Return a text in which a space replaces each DOCNO, DOCHDR, comment and tag."""
    parts = []
    unended = set()  # elements without an end are treated as tags; each is searched once, for linear time
    done = place = 0
    while begin := _MARKUP.search(text, place):
        end: re.Match[str] | None = begin
        if begin[1]:
            element = begin[1].lower()
            end = None if element in unended else _ENDS[element].search(text, begin.end())
            if end is None:
                unended.add(element)
                end = _TAG.match(text, begin.start())
        place = end.end() if end else begin.end()
        if end:
            parts.append(text[done : begin.start()])
            done = place
    return " ".join((*parts, text[done:]))


_DECIMAL = re.compile("&#0*([0-9]+)")
_NO_CHARACTER = "1114112"  # becomes U+FFFD, because Python does not convert numbers with more than 4,300 digits


def unescaped(text: str) -> str:
    """Replace the character references in a text.

    Unlike ``html.unescape``, this function accepts references with very long numbers.
    """
    return html.unescape(_DECIMAL.sub(lambda match: f"&#{match[1] if len(match[1]) < 8 else _NO_CHARACTER}", text))


def _docno(where: str, name: str) -> bytes:
    docno = name.encode("utf-8", "surrogatepass")
    if len(docno.split()) != 1 or docno.split()[0] != docno:
        raise MalformedLineError(f"{where}: invalid document ID {quote(docno)}: must be a single word")
    return docno


_READERS: dict[bytes, Callable[[str, Iterator[tuple[int, bytes]]], Iterator[Document]]] = {
    b"{": _read_json,
    b"<": _read_sgml,
}
