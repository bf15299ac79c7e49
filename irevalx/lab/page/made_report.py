"""A report that has been made: its data, and how it is shown, written and carried by a page."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from html import escape
from math import isnan
from pathlib import Path
from typing import Any, ClassVar

from irevalx.api import checks
from irevalx.arrays.segments import FloatArray, IntArray
from irevalx.frozen import Frozen, cached_property, replace
from irevalx.lab.command.output import write_lines
from irevalx.lab.page.packing import as_json, packed_list, packed_numbers
from irevalx.lab.page.rendering import rendered

FORMS = ("html", "json")
"""What a report is written as."""

HEIGHT = 800
"""Of a report in a notebook, in pixels."""


class Report(Frozen, kw_only=True):
    """A report of an evaluation; in a notebook it shows itself.

    Parameters
    ----------
    about : what stands in the data but the fields below.
    values : of topics, shape (n_measures, n_runs, n_topics); nan where there is none.
    n_first : how many first documents runs have, shape (n_runs, n_topics).
    in_common : how many of the first documents pairs of runs have in common, shape (n_pairs, n_topics).
    texts : of the documents that are shown.
    ranking : given the number of a topic, returns what is shown of its rankings.
    """

    about: Mapping[str, Any]
    values: FloatArray
    n_first: IntArray
    in_common: IntArray
    texts: Sequence[str]
    ranking: Callable[[int], dict[str, Any]]

    FORMAT: ClassVar[str] = "irevalx-report"
    VERSION: ClassVar[int] = 1

    @cached_property
    def data(self) -> dict[str, Any]:
        """All of it as dictionaries, lists, numbers and strings, as ``--format json`` writes it."""
        values = [[[None if isnan(x) else x for x in row] for row in rows] for rows in self.values.tolist()]
        rankings = [self.ranking(topic) for topic in range(self.values.shape[2])]
        return self._with(values, self.n_first.tolist(), self.in_common.tolist(), list(self.texts), rankings)

    def to_json(self) -> str:
        """Return the data as JSON, of ASCII characters alone."""
        return as_json(self.data) + "\n"

    @property
    def page(self) -> str:
        """The page: HTML that needs nothing else, with numbers and rankings compressed."""
        rankings = packed_list(self.ranking(topic) for topic in range(self.values.shape[2]))
        n_first, in_common = packed_numbers(self.n_first, "u2"), packed_numbers(self.in_common, "u2")
        return rendered(
            self._with(packed_numbers(self.values, "f8"), n_first, in_common, packed_list(self.texts), rankings)
        )

    def _with(self, values: Any, n_first: Any, in_common: Any, texts: Any, rankings: Any) -> dict[str, Any]:
        parts = {
            "values": values,
            "n_first": n_first,
            "in_common": in_common,
            "texts": texts,
            "rankings": rankings,
        }
        return {"format": self.FORMAT, "version": self.VERSION, **self.about, **parts}

    def saying(self, *sentences: str) -> Report:
        """Return the report with other sentences before those on what was found."""
        return replace(self, about={**self.about, "findings": [*sentences, *self.about["findings"]]})

    def write(self, path: str | os.PathLike[str] | None, form: str | None = None) -> None:
        """Write the page to a file, or the data.

        Parameters
        ----------
        path : the file; None for standard output.
        form : ``html`` or ``json``; None for what the name of the file says, html unless it ends in .json.

        Raises
        ------
        ArgumentError : there is no such form.
        OutputError : it cannot be written. A file that was there before is then as it was.
        """
        if form not in (None, *FORMS):
            raise checks.wrong("form", " or ".join(FORMS), form)
        if form is None:
            form = "json" if path is not None and Path(path).suffix.lower() == ".json" else "html"
        text = self.to_json() if form == "json" else self.page
        write_lines([text.encode("utf-8", "replace")], path)  # what is no UTF-8 in names is JSON's \udcXX in the data

    def _repr_html_(self) -> str:
        """Return the page in a frame of its own, which can do nothing to the notebook."""
        title = escape(self.about["about"]["title"])
        return (
            f'<iframe sandbox="allow-scripts" srcdoc="{escape(self.page)}" title="{title}" '
            f'style="width: 100%; height: {HEIGHT}px; border: 1px solid #888"></iframe>'
        )

    def __repr__(self) -> str:
        return "\n".join([self.about["about"]["title"], *self.about["findings"], *self.about["warnings"]])
