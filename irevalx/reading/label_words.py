"""Labels that are words, such as pass and fail, and the grades that these words represent."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn

import numpy as np

from irevalx.arrays.codes import UNJUDGED_IN_FILES
from irevalx.arrays.segments import FloatArray
from irevalx.errors import MalformedNumberError, Warn, quote, shown_name
from irevalx.process.platform import as_bytes
from irevalx.reading.column_names import MISSING
from irevalx.trec_eval import c_double
from irevalx.wording import join_words, more_such, short_repr, spelled

PAIRS: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...] = (
    (("pass", "passed"), ("fail", "failed")),
    (("yes", "y"), ("no", "n")),
    (("true",), ("false",)),
    (("relevant",), ("not relevant", "nonrelevant", "non relevant", "irrelevant")),
    (("correct",), ("incorrect",)),
)
"""Pairs of words for the grades 1 and 0. The grades are assumed only if all labels of a file are words of one pair."""

_MISSING = MISSING | {"error", "missing", "unknown"}
"""The words that mark a missing label even if all labels of a file are words."""

_GRADES = {word: 1.0 - place for pair in PAIRS for place, words in enumerate(pair) for word in words}

EMPTY = float(UNJUDGED_IN_FILES)
"""The grade that represents a missing label: an empty field, None, NaN, or a word that was declared as missing."""

_MOST_WORDS = 6
"""The maximum number of words that a message lists."""


def folded(word: str) -> str:
    """Convert a word to lower case, and replace each sequence of hyphens, underscores and blanks by a space.

    >>> folded("Not_Relevant")
    'not relevant'
    """
    return re.sub(r"[\s_-]+", " ", word.strip(" \"'")).casefold()


class LabelWords:
    """The words that occur in the labels of a judge, with the declared grades of words."""

    def __init__(self, grades: Mapping[str, float] | None = None, column: str = "") -> None:
        self.column = column  # the column if a table has one for each judge, or ""
        self._given = {folded(word): grade if grade >= 0 else EMPTY for word, grade in (grades or {}).items()}
        self._first: dict[str, tuple[str, str, str]] = {}  # location, quoted label and hint
        self._has_numbers, self._are_binary, self._has_given = False, True, False

    def add_numbers(self, numbers: FloatArray) -> None:
        """Record that labels are numbers, and whether all numbers are 0 or 1. Negative numbers are ignored."""
        self._has_numbers |= bool((numbers >= 0).any())
        self._are_binary &= bool(np.isin(numbers[numbers >= 0], (0, 1)).all())

    def number(self, text: bytes, place: Callable[[], str], hint: Callable[[], str] = str) -> float:
        """Return the grade of a label, or NaN if the label is a word to which no grade is assigned.

        For messages about the label, ``place`` returns the location of the label, and ``hint`` returns a remark.
        """
        value, is_number = c_double(text)
        if is_number:
            self.add_numbers(np.array([value]))
            return value
        word = folded(text.decode("utf-8", "replace"))
        if word in self._given:
            self._has_given = True
            return self._given[word]
        if not text or text == b"nan":
            return EMPTY
        if word not in self._first:
            column = f": column {quote(self.column)}" if self.column else ""
            self._first[word] = f"{place()}{column}", quote(text), hint()
        return _GRADES.get(word, math.nan)

    def graded(self, given: Mapping[Any, Any]) -> Mapping[Any, Any]:
        """Replace words by their grades in a dictionary ``{topic: {docno: label}}``."""
        return {
            topic: {docno: self._grade(topic, docno, label) for docno, label in labels.items()}
            if isinstance(labels, Mapping)
            else labels
            for topic, labels in given.items()
        }

    def _grade(self, topic: Any, docno: Any, label: Any) -> Any:
        if isinstance(label, str):
            return self.number(
                as_bytes(label), lambda: f"qrels: topic {short_repr(topic)}: document {short_repr(docno)}"
            )
        if label is None or (isinstance(label, float) and math.isnan(label)):
            return EMPTY
        if isinstance(label, int | float):
            self.add_numbers(np.array([label]))
        return label

    @property
    def assumed(self) -> dict[str, str]:
        """The words whose grades were assumed, each with its first label in quotes."""
        return {word: label for word, (_, label, _) in self._first.items() if word in _GRADES}

    def check(self, n_missing: int, warn: Warn) -> None:
        """Warn if words were read as missing labels. Call this method after all labels were read.

        ``n_missing`` is the number of missing labels. Raise MalformedNumberError if the grade of a word is unclear.
        """
        known = list(self.assumed)
        others = [word for word in self._first if word[:1].isalpha() and word not in {*known, *_MISSING}]
        pairs = {pair for pair in PAIRS for word in known if word in pair[0] + pair[1]}
        if known and (len(pairs) > 1 or others or self._has_given or not self._are_binary):
            self._refuse([*known, *others])
        if others and not self._has_numbers:
            self._refuse(others)
        missing = next((word for word in self._first if word not in _GRADES), None)
        if missing is not None:
            place, label, hint = self._first[missing]
            hint = hint or (f"; {spelled('label_values')} gives words a grade" if missing in others else "")
            more = more_such(n_missing - 1, "label").replace(")", " in this file)")
            warn(f"{place}: label {label} is not a number; it counts as missing{hint}{more}")

    def _refuse(self, words: list[str]) -> NoReturn:
        place, label, hint = min((self._first[word] for word in words), key=[*self._first.values()].index)
        grades = {word: f"{_GRADES[word]:g}" if word in _GRADES else "N" for word in words[:_MOST_WORDS]}
        remedy = spelled("label_values", grades)
        raise MalformedNumberError(
            f"{place}: the grade of the label {label} is unclear; give each word a grade, -1 for a missing label: "
            f"{remedy}{', ...' * (len(words) > _MOST_WORDS)}{hint * (words[0] not in _GRADES)}"
        )


def warn_of_assumed(path: str, judges: Sequence[LabelWords], warn: Warn) -> None:
    """Issue one warning if grades were assumed for words in a file or in the columns of a table."""
    labels = {word: label for words in reversed(judges) for word, label in words.assumed.items()}
    if labels:
        columns = [quote(words.column) for words in judges if words.column and words.assumed]
        where = f": column{'s' * (len(columns) > 1)} {join_words(columns, 'and')}" if columns else ""
        grades = sorted(labels, key=_GRADES.__getitem__, reverse=True)
        parts = [f"label {labels[word]} is read as {_GRADES[word]:g}" for word in grades]
        warn(f"{shown_name(path)}{where}: {join_words(parts, 'and')}; {spelled('label_values')} sets other grades")
