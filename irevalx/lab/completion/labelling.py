"""Missing judgments taken from a second file of judgments (labels)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from irevalx.arrays.codes import UNJUDGED_IN_FILES
from irevalx.arrays.segments import BoolArray, IntArray
from irevalx.declarations import spelled
from irevalx.errors import InputError, shown_name
from irevalx.experiments.label_files import grades_for
from irevalx.experiments.run_groups import Removal
from irevalx.judgments.graded import Judgments
from irevalx.lab.completion.predict import PredictedGrades


class LabelCompletion:
    """A ``Treatment`` that takes the judgments of unique documents, or all judgments (``replace``), from labels.

    Documents without a label are pooled, but unjudged.
    """

    def __init__(
        self, judgments: Judgments, labels: Judgments, level: int, left_out: Sequence[Removal], *, replace: bool = False
    ) -> None:
        self._judgments = judgments
        self._labels = labels
        self._left_out = left_out
        self._replace = replace
        self._grades, _ = grades_for(judgments, labels)
        labelled = {removal.group: removal.removed & (self._grades >= 0) for removal in left_out}
        self.predictions = {
            group: PredictedGrades(mask, mask & (self._grades >= level)) for group, mask in labelled.items()
        }
        """By group."""

    def __call__(self, removal: Removal, grades: IntArray) -> tuple[IntArray, BoolArray]:
        """Return the grades and the pool with which the group is evaluated."""
        return complete_from_labels(grades, self._grades, removal.removed, replace=self._replace), removal.in_pool

    def warnings(self) -> Iterator[str]:
        """Yield warnings about the labels; raises InputError if no unique document has a label."""
        removed: BoolArray = np.any([removal.removed for removal in self._left_out], axis=0)
        without = int((removed & (self._grades < 0)).sum())
        name = shown_name(self._labels.path)
        if removed.any() and without == removed.sum():
            raise InputError(f"{name} has no label for any of the {without} documents that are unique to a group")
        if without:
            yield (
                f"{without} of {int(removed.sum())} documents that are unique to a group stay unjudged: {name} does "
                "not label them"
            )
        yield from label_warnings(self._judgments, self._labels, self._left_out[0].in_pool, replace=self._replace)


def complete_from_labels(grades: IntArray, labels: IntArray, holes: BoolArray, *, replace: bool) -> IntArray:
    """Return grades with labels in place of missing grades (``holes``), or of all; negative labels are missing."""
    label = np.where(labels >= 0, labels, UNJUDGED_IN_FILES)
    return label if replace else np.where(holes, label, grades)


def label_warnings(judgments: Judgments, labels: Judgments, chosen: BoolArray, *, replace: bool) -> Iterator[str]:
    """Yield warnings about labels that contradict chosen judgments, are for other documents, or on another scale."""
    ours, theirs = shown_name(judgments.path), shown_name(labels.path)
    grades, there = grades_for(judgments, labels)
    both = chosen & (judgments.grades >= 0) & (grades >= 0)
    if other := int((both & (grades != judgments.grades)).sum()):
        counts = theirs if replace else ours
        n_both = int(both.sum())
        yield f"{theirs} contradicts {ours} in {other} of the {n_both} documents that both judge; {counts} counts"
    if replace and (lacking := int((chosen & (judgments.grades >= 0) & (grades < 0)).sum())):
        option = spelled("labels_replace", True)
        yield f"{theirs} does not label {lacking} documents that {ours} judges; with {option} they are unjudged"
    if others := int((labels.grades >= 0).sum()) - int((chosen & there & (grades >= 0)).sum()):
        yield f"{others} labels of {theirs} are for documents outside the pool and are left out"
    scales = [int(part.grades.max(initial=0)) for part in (judgments, labels)]
    if scales[0] != scales[1] and not replace:
        yield (
            f"grades reach {scales[0]} in {ours} and {scales[1]} in {theirs}: measures with gains by grade mix two "
            "scales"
        )
