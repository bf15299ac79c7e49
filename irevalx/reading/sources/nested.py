"""Conversion of nested dictionaries, such as {topic: {subtopic: {docno: grade}}}, to rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NoReturn

import numpy as np

from irevalx.reading.column_names import ColumnSpec
from irevalx.reading.layout import Rules, word_for
from irevalx.reading.sources.columns import What, grades_of, names_of, scores_of
from irevalx.reading.sources.rows import Columns, Rows
from irevalx.wording import argument_error, short_repr


class NestedRows(Rows):
    """The rows of a nested dictionary.

    The first columns contain the keys of the dictionaries. The remaining columns contain the values or, if values are
    tuples, the elements of the tuples.
    """

    given: Mapping[Any, Any]
    shape: str  # the columns of keys and values, as in "TOPIC DOCNO: GRADE"; with "..." at the end, values are lists

    def columns(self, block: Any, rules: Rules) -> Columns:
        """Return the columns. Raise ArgumentError if an ID, a number or the structure is invalid."""
        keys, values = (part.removesuffix("...").split() for part in self.shape.split(":"))
        names = [*keys, *values]
        rows = list(self._rows(self.given, (), keys, values))
        specs = {spec.column: spec for spec in self.specs}
        of_names = dict(zip(names, zip(*rows, strict=True) if rows else [()] * len(names), strict=True))

        def place_of(name: str) -> What:
            """Return a function that describes a value of a column in messages."""
            if name == "TOPIC":
                return lambda place: f"{self.path}: a topic"
            what = f"a {word_for(name)}" if specs[name].kind == "names" else word_for(name)

            def describe(place: int) -> str:
                ids = dict(zip(names, rows[place], strict=True))
                subject = "".join(
                    f": {word_for(key)} {short_repr(ids[key])}" for key in ("TOPIC", "DOCNO") if key in ids
                )
                return f"{self.path}{subject}: {what}"

            return describe

        columns = {name: _converted(specs[name], of_names[name], place_of(name), rules) for name in specs}
        return Columns(self.path, columns, np.arange(1, len(rows) + 1))

    def _rows(
        self, given: Any, outer: tuple[Any, ...], keys: Sequence[str], values: Sequence[str]
    ) -> Iterator[tuple[Any, ...]]:
        """Yield rows. Each row consists of the keys at all levels, followed by the value or values."""
        if keys:
            if not isinstance(given, Mapping):
                raise argument_error(self._owner(outer), f"a dictionary {self._form(keys, values)}", given)
            for key, inner in given.items():
                yield from self._rows(inner, (*outer, key), keys[1:], values)
        elif self.shape.endswith("..."):
            if isinstance(given, str | bytes) or not isinstance(given, Iterable):
                self._refuse_leaf(given, outer, values)
            for leaf in given:
                yield (*outer, leaf) if len(values) == 1 else (*outer, *self._several(leaf, outer, values))
        elif len(values) == 1:
            yield (*outer, given)
        else:
            yield (*outer, *self._several(given, outer, values))

    def _several(self, given: Any, outer: tuple[Any, ...], values: Sequence[str]) -> Sequence[Any]:
        """Return the values of a row. Raise ArgumentError if ``given`` is not a tuple of the expected length."""
        if isinstance(given, Sequence) and not isinstance(given, str | bytes) and len(given) == len(values):
            return given
        return self._refuse_leaf(given, outer, values)

    def _refuse_leaf(self, given: Any, outer: tuple[Any, ...], values: Sequence[str]) -> NoReturn:
        """Raise an error about the value that is found under the keys ``outer``."""
        form = f"tuple{'s' * self.shape.endswith('...')} ({', '.join(map(word_for, values))})"
        rule = f"a list of {form}" if self.shape.endswith("...") else f"a {form}"
        raise argument_error(self._owner(outer), "a list of docnos" if values == ["DOCNO"] else rule, given)

    def _owner(self, outer: tuple[Any, ...]) -> Callable[[], str]:
        """Return a function that describes the value under the keys ``outer`` for messages."""
        keys = self.shape.partition(":")[0].split()
        subject = " of ".join(
            f"{word_for(name)} {short_repr(key)}" for name, key in reversed([*zip(keys, outer, strict=False)])
        )
        return lambda: f"{self.path}: the value of {subject}"

    def _form(self, keys: Sequence[str], values: Sequence[str]) -> str:
        """Return the structure of an inner dictionary for messages, such as "{docno: grade}"."""
        value = word_for(values[0]) if len(values) == 1 else f"({word_for(values[0])}, ...)"
        name = "docno" if keys[0] == "DOCNO" else word_for(keys[0])
        return f"{{{name}: {value if len(keys) == 1 else '...'}}}"


def _converted(spec: ColumnSpec, values: Sequence[Any], what: What, rules: Rules) -> Any:
    """Convert the values of a column to names or numbers."""
    if spec.kind == "names":
        return names_of([values], what)[0]
    if spec.kind == "probabilities":
        values = [float("nan") if value is None or value == "NA" else value for value in values]
    if spec.kind in {"probabilities", "scores"}:
        return scores_of([values], what)
    if spec.kind == "levels":
        return grades_of([values], what, grades="real")
    return grades_of([values], what, grades=rules.grades)
