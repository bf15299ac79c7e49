"""Files of labels, whoever made them: a label is a number or missing, and is never read as another number.

Whole labels are grades. If some label of a file is not whole, all of them are probabilities of relevance if none
exceeds 1, and count as relevant from ``RELEVANT`` on; otherwise each counts as the nearest whole grade. A negative
label is missing.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from irevalx.api.inputs import Qrels, judgments_given
from irevalx.arrays.codes import UNJUDGED_IN_FILES
from irevalx.arrays.segments import BoolArray, FloatArray, IntArray
from irevalx.declarations import spelled
from irevalx.errors import ArgumentError, MalformedLineError, MalformedNumberError, quote, shown_name
from irevalx.experiments.label_files import refuse_duplicates
from irevalx.frozen import Frozen, replace
from irevalx.judgments.graded import Judgments
from irevalx.reading import formats
from irevalx.statistics.combined_labels import nearest_grade
from irevalx.trec_eval.versions import TREC_EVAL_10

RELEVANT = 0.5
"""A document with at least this probability of relevance counts as relevant."""

_MOST = 2.0**53
"""Greater labels are read as this one: they are no grades, and refused where they are counted as such."""


class Labels(Frozen):
    """The labels of a file.

    Parameters
    ----------
    judgments : with whole grades; those of missing labels are negative.
    probability : flat; the probabilities of relevance that the labels are, nan for missing ones. None: they are grades.
    n_rounded : how many labels are not whole, and count as the nearest whole grade.
    first_not_whole : what messages say of the first label that is not whole; "" if all are.
    """

    judgments: Judgments
    probability: FloatArray | None = None
    n_rounded: int = 0
    first_not_whole: str = ""

    @classmethod
    def read(cls, given: Any, rel_format: str, *, parameter: str = "rel_format") -> Labels:
        """Read labels like ``Qrels.read``; ``parameter`` names their format in messages; None and nan are missing."""
        fmt = formats.rel_format(rel_format)
        if not {fmt.name, fmt.measures_of} & {formats.QRELS.name, formats.SAMPLED.name}:
            raise ArgumentError(
                f"rel_format {rel_format!r} has no grade for each document; choose one with grades, such as 'qrels'"
            )
        try:
            read = given.judgments if isinstance(given, Qrels) else judgments_given(given, fmt, "label", TREC_EVAL_10)
        except MalformedLineError as error:  # it can name the parameter for the format of the human judgments
            names_format = "-R" in error.message or spelled("rel_format") in error.message
            if parameter == "rel_format" or not names_format:
                raise
            raise MalformedLineError(f"{error.message} (for machine labels: {spelled(parameter)})") from None
        if not isinstance(read, Judgments):
            raise ArgumentError("labels must have exactly one grade for each document")
        found = cls._of(read)
        refuse_duplicates(found.judgments)
        return found

    @classmethod
    def _of(cls, judgments: Judgments) -> Labels:
        missing = ~(judgments.grades >= 0)  # or nan
        values = np.where(missing, 0.0, np.minimum(judgments.grades, _MOST))
        not_whole = np.flatnonzero(values != np.floor(values))
        if not not_whole.size:
            return cls(_with(judgments, values.astype(np.int64), missing))
        first = _described(judgments, int(not_whole[0]))
        if values.max() > 1:
            return cls(_with(judgments, nearest_grade(values), missing), None, int(not_whole.size), first)
        relevant = (values >= RELEVANT).astype(np.int64)
        return cls(_with(judgments, relevant, missing), np.where(missing, np.nan, values), 0, first)

    def as_probabilities(self) -> Labels:
        """Return labels that are all 0 or 1 as probabilities, and others as they are."""
        grades = self.judgments.grades
        if self.probability is not None or grades.max(initial=0) > 1:
            return self
        return replace(self, probability=np.where(grades < 0, np.nan, grades.astype(np.float64)))

    @property
    def grades(self) -> Judgments:
        """The labels as whole grades; raises MalformedNumberError if some are not whole."""
        if self.first_not_whole:
            raise MalformedNumberError(
                f"{self.first_not_whole} is not an integer; this command requires integer grades: round mean grades, "
                f"and replace probabilities by 1 if they are at least {RELEVANT}, otherwise by 0"
            )
        return self.judgments


def _with(judgments: Judgments, grades: IntArray, missing: BoolArray) -> Judgments:
    return replace(judgments, grades=np.where(missing, UNJUDGED_IN_FILES, grades))


def _described(judgments: Judgments, place: int) -> str:
    """Return what messages call a label: where it is, and its number."""
    topic, docno = judgments.topics[int(judgments.rows.ids[place])], judgments.docnos.text(place)
    line = int(judgments.lines[place])
    where = f"{shown_name(judgments.path)}{f':{line}' if line else ''}"
    return f"{where}: topic {quote(topic)}: document {quote(docno)}: label {judgments.grades[place]:.9g}"
