"""What a malformed line looks like: hints at the option that was forgotten, and at files in the wrong order."""

from __future__ import annotations

import re

# Texts, as each start of the command would compile them.
_WHOLE = rb"[+-]?[0-9]+"
_NUMBER = rb"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
_METHOD = rb"[0-4]"
_UTF_16 = rb"(?:[\t -~]\0){3}"
"""Letters of ASCII in UTF-16."""
_FIELDS = {"qrels": 4, "five": 5, "run": 6}


def judgments_hint(line: bytes) -> str:
    """Return what a line looks like that is not one of the judgments expected; "" where it looks like nothing known."""
    fields = line.split(None, 6)
    if looks_like_json(line):
        return "is this JSON? give -R json"
    if fields == [b"query-id", b"corpus-id", b"score"]:
        return "is this a file of BEIR? give -R beir"
    if len(fields) == _FIELDS["qrels"] and re.fullmatch(_WHOLE, fields[-1]):
        return "is this a file of trec_eval? give -R qrels"
    if len(fields) == _FIELDS["five"]:
        return _five_columns_hint(fields)
    return "is this a run? QRELS comes first" if len(fields) == _FIELDS["run"] else ""


def _five_columns_hint(fields: list[bytes]) -> str:
    """Return what judgments with five columns look like: those of a sample of either kind, or preferences."""
    *_, third, fourth, last = fields
    if re.fullmatch(_WHOLE, third) and re.fullmatch(_METHOD, fourth) and (last == b"NA" or re.fullmatch(_NUMBER, last)):
        other = ", or -R sampled where the last column is the grade" if re.fullmatch(_WHOLE, last) else ""
        return f"is this a judgment of a sample with inclusion probabilities? give -R prels{other}"
    if re.fullmatch(_WHOLE, last):
        other = "" if re.fullmatch(_WHOLE, fourth) else ", or -R prefs where it is a preference"
        return f"is this a judgment of a sample? give -R sampled{other}"
    return "is this a preference? give -R prefs" if re.fullmatch(_NUMBER, last) else ""


def run_hint(line: bytes, *, given: str = "") -> str:
    """Return what a line looks like that is not one of the run expected; "" where it looks like nothing known.

    Parameters
    ----------
    given : the format of the run, where a line of this format may be wrong in a file that has other columns.
    """
    fields = line.split(None, 6)
    if looks_like_json(line):
        return "is this JSON? give -T json"
    if (
        given != "msmarco"
        and 3 <= len(fields) <= 4
        and all(re.fullmatch(_NUMBER, field) for field in fields[2:])
        and re.fullmatch(_WHOLE, fields[2])
    ):
        return "is this a run of MS MARCO? give -T msmarco"
    if len(fields) >= _FIELDS["run"] and re.fullmatch(_NUMBER, fields[4]):
        return "is this a run of trec_eval? give -T trec_results"
    return ""


def encoding_hint(text: bytes) -> str:
    """Return what the beginning of a file or of a line that is not UTF-8 looks like; "" where it is nothing known."""
    marked = text.startswith((b"\xff\xfe", b"\xfe\xff"))
    if marked or any(re.match(_UTF_16, text[start : start + 6]) for start in (0, 1)):
        return "is this UTF-16? it must be UTF-8, as iconv -f UTF-16 -t UTF-8 makes it"
    return ""


def looks_like_json(text: bytes) -> bool:
    """Return whether a line or a topic begins as a JSON object does."""
    return text.lstrip().startswith(b"{")


def text_hint(value: object) -> str:
    """Return what messages say of a number that is text, for their end; nothing of anything else."""
    is_number = isinstance(value, str) and re.fullmatch(_NUMBER.decode(), value.strip())
    return "; the number is text: convert it with int or float" if is_number else ""
