"""Filling holes in judgments from a second file of judgments, whoever made it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from irevalx.arrays.codes import UNJUDGED_IN_FILES
from irevalx.arrays.segments import BoolArray, IntArray
from irevalx.errors import InputError, shown_name
from irevalx.experiments.label_files import grades_for
from irevalx.experiments.run_groups import Removal
from irevalx.judgments.graded import Judgments
from irevalx.lab.completion.predict import Decided


class Labelling:
    """A ``Treatment`` that takes the judgments of the documents that only a group has found from a file of labels.

    Documents that it does not label are pooled, but unjudged.

    Parameters
    ----------
    judgments : the full ones.
    labels : the other file.
    level : the least grade that is relevant.
    left_out : one for each group.
    replace : whether labels take the place of all judgments; otherwise of those that are missing only.

    Attributes
    ----------
    predictions : by group.
    """

    def __init__(
        self, judgments: Judgments, labels: Judgments, level: int, left_out: Sequence[Removal], *, replace: bool = False
    ) -> None:
        self._judgments = judgments
        self._labels = labels
        self._left_out = left_out
        self._replace = replace
        self._grades, _ = grades_for(judgments, labels)
        decided = {removal.group: removal.removed & (self._grades >= 0) for removal in left_out}
        self.predictions = {group: Decided(one, one & (self._grades >= level)) for group, one in decided.items()}

    def __call__(self, removal: Removal, grades: IntArray) -> tuple[IntArray, BoolArray]:
        """Return the grades and the pool that the group is judged with."""
        return filled(grades, self._grades, removal.removed, replace=self._replace), removal.in_pool

    def warnings(self) -> Iterator[str]:
        """Yield what people should know of the labels.

        Raises
        ------
        InputError : no document that a group takes with it has a label.
        """
        removed: BoolArray = np.any([removal.removed for removal in self._left_out], axis=0)
        without = int((removed & (self._grades < 0)).sum())
        theirs = shown_name(self._labels.path)
        if removed.any() and without == removed.sum():
            raise InputError(
                f"{theirs} must label a document that only one group has found, but labels none of these {without}"
            )
        if without:
            yield (
                f"{without} of {int(removed.sum())} documents that only one group has found stay unjudged: {theirs} "
                "does not label them"
            )
        yield from label_warnings(self._judgments, self._labels, self._left_out[0].in_pool, replace=self._replace)


def filled(grades: IntArray, labels: IntArray, holes: BoolArray, *, replace: bool) -> IntArray:
    """Return grades with labels in the place of those that are missing, or of all; a negative label is none.

    Parameters
    ----------
    grades, labels : flat over the same documents.
    holes : flat; the documents whose grades are missing.
    """
    label = np.where(labels >= 0, labels, UNJUDGED_IN_FILES)
    return label if replace else np.where(holes, label, grades)


def label_warnings(judgments: Judgments, labels: Judgments, chosen: BoolArray, *, replace: bool) -> Iterator[str]:
    """Yield lines on labels that contradict judgments, that are of other documents, and that are on another scale.

    Parameters
    ----------
    chosen : flat over the judgments; those that count.
    """
    ours, theirs = shown_name(judgments.path), shown_name(labels.path)
    grades, there = grades_for(judgments, labels)
    both = chosen & (judgments.grades >= 0) & (grades >= 0)
    if other := int((both & (grades != judgments.grades)).sum()):
        counts = theirs if replace else ours
        n_both = int(both.sum())
        yield f"{theirs} contradicts {ours} in {other} of the {n_both} documents that both judge; {counts} counts"
    if replace and (lacking := int((chosen & (judgments.grades >= 0) & (grades < 0)).sum())):
        yield f"{theirs} does not label {lacking} documents that {ours} judges; with --labels-replace they are unjudged"
    if others := int((labels.grades >= 0).sum()) - int((chosen & there & (grades >= 0)).sum()):
        yield f"{others} labels of {theirs} are of documents outside the pool and are left out"
    scales = [int(one.grades.max(initial=0)) for one in (judgments, labels)]
    if scales[0] != scales[1] and not replace:
        yield (
            f"grades reach {scales[0]} in {ours} and {scales[1]} in {theirs}: measures that have gains by grade mix "
            "two scales"
        )
