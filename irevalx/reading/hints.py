"""What a malformed line looks like: hints at the option that was forgotten, and at files in the wrong order."""

from __future__ import annotations

import re

_WHOLE = re.compile(rb"[+-]?[0-9]+")
_NUMBER = re.compile(rb"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_FIELDS = {"qrels": 4, "five": 5, "run": 6}


def judgments_hint(line: bytes) -> str:
    """Return what a line looks like that is not one of the judgments expected; "" where it looks like nothing known."""
    fields = line.split(None, 6)
    if looks_like_json(line):
        return "is this JSON? give -R json"
    if fields == [b"query-id", b"corpus-id", b"score"]:
        return "is this a file of BEIR? give -R beir"
    if len(fields) == _FIELDS["qrels"] and _WHOLE.fullmatch(fields[-1]):
        return "is this a file of trec_eval? give -R qrels"
    if len(fields) == _FIELDS["five"] and _NUMBER.fullmatch(fields[-1]):
        if all(map(_WHOLE.fullmatch, fields[-2:])):
            return "is this a judgment of a sample? give -R sampled"
        return "is this a preference? give -R prefs"
    return "is this a run? QRELS comes first" if len(fields) == _FIELDS["run"] else ""


def run_hint(line: bytes) -> str:
    """Return what a line looks like that is not one of the run expected; "" where it looks like nothing known."""
    fields = line.split(None, 6)
    if looks_like_json(line):
        return "is this JSON? give -T json"
    if 3 <= len(fields) <= 4 and all(map(_NUMBER.fullmatch, fields[2:])) and _WHOLE.fullmatch(fields[2]):
        return "is this a run of MS MARCO? give -T msmarco"
    if len(fields) >= _FIELDS["run"] and _NUMBER.fullmatch(fields[4]):
        return "is this a run of trec_eval? give -T trec_results"
    return ""


def looks_like_json(text: bytes) -> bool:
    """Return whether a line or a topic begins as a JSON object does."""
    return text.lstrip().startswith(b"{")
