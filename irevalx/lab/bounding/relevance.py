"""Probabilities of relevance of unjudged documents, and the grades of documents drawn from them."""

from __future__ import annotations

import numpy as np

from irevalx.api.user_warnings import warn
from irevalx.arrays.codes import ABSENT
from irevalx.arrays.segments import BoolArray, FloatArray, IntArray
from irevalx.experiments.experiment import Experiment
from irevalx.experiments.label_files import places_of
from irevalx.frozen import Frozen, cached_property, replace
from irevalx.judgments.graded import Judgments


class Relevance(Frozen, kw_only=True):
    """Probabilities of relevance, and what is not certain about them.

    Parameters
    ----------
    probability : shape (n_documents,), from 0 to 1.
    features : shape (n_documents, n_features); from which it was fitted. Without any, documents are independent.
    covariance : shape (n_features, n_features); of the errors of the coefficients of the logit.
    """

    probability: FloatArray
    features: FloatArray
    covariance: FloatArray

    def take(self, places: IntArray) -> Relevance:
        """Return those of some documents."""
        return replace(self, probability=self.probability[places], features=self.features[places])

    @property
    def slopes(self) -> FloatArray:
        """By how much each probability grows with each coefficient: shape (n_documents, n_features)."""
        return (self.probability * (1 - self.probability))[:, None] * self.features

    def moved(self, coefficients: FloatArray) -> FloatArray:
        """Return the probabilities with coefficients that are greater by so much, shape (n_features,)."""
        if not coefficients.size:
            return self.probability
        from scipy.special import expit, logit

        found: FloatArray = expit(logit(self.probability) + self.features @ coefficients)
        return found

    @cached_property
    def root(self) -> FloatArray:
        """What makes coefficients of standard normal numbers: a square root of the covariance."""
        values, vectors = np.linalg.eigh(self.covariance)
        found: FloatArray = vectors * np.sqrt(np.clip(values, 0.0, None))
        return found

    def drawn(self, generator: np.random.Generator) -> FloatArray:
        """Return the probabilities with other coefficients, as they might be."""
        return self.moved(self.root @ generator.standard_normal(len(self.root)))


class GradeShares(Frozen):
    """Which grades documents have: shape (n_grades,) each, from grade 0 up; each adds up to 1.

    Parameters
    ----------
    relevant, others : of relevant documents, and of those that are not.
    """

    relevant: FloatArray
    others: FloatArray

    @classmethod
    def of(cls, grades: IntArray, level: int, greatest: int) -> GradeShares:
        """Take the shares from what was judged; the least possible grade where nothing says more.

        Parameters
        ----------
        grades : of documents; negative ones of those that nobody judged.
        level : the least grade that is relevant; at least 1.
        greatest : the greatest grade that an unjudged document may get; less than the level where none is relevant.
        """
        possible = np.arange(greatest + 1)
        counts = np.bincount(grades[(grades >= 0) & (grades <= greatest)], minlength=greatest + 1).astype(np.float64)
        relevant, others = (
            np.where(some, counts, 0.0) if (counts * some).any() else (possible == least).astype(np.float64)
            for some, least in ((possible >= level, min(level, greatest)), (possible < level, 0))
        )
        return cls(relevant / relevant.sum(), others / others.sum())

    def chances(self, probability: FloatArray, gains: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the gains that documents may have, shape (n_gains,), and their chances, (n_documents, n_gains).

        Parameters
        ----------
        probability : of relevance, shape (n_documents,).
        gains : of each grade.
        """
        distinct, place = np.unique(gains, return_inverse=True)
        relevant, others = (np.bincount(place.ravel(), shares) for shares in (self.relevant, self.others))
        return distinct, probability[:, None] * relevant + (1 - probability)[:, None] * others

    def drawn(self, relevant: BoolArray, generator: np.random.Generator) -> IntArray:
        """Draw the grades of documents that are relevant or not."""
        number = generator.random(relevant.size)
        of_either = (
            np.searchsorted(np.cumsum(shares[:-1]), number, "right") for shares in (self.relevant, self.others)
        )
        found: IntArray = np.where(relevant, *of_either)
        return found


def given_relevance(experiment: Experiment, probabilities: Judgments, depth: int) -> Relevance:
    """Look probabilities up; a document that has none is not relevant, which a line tells.

    Parameters
    ----------
    probabilities : their grades are probabilities, or negative where there is none.
    depth : how many documents of a run count.

    Returns
    -------
    Flat over the judgments of the experiment.
    """
    place = places_of(experiment.judgments, probabilities)
    found = np.where(place == ABSENT, -1.0, np.concatenate((probabilities.grades, [0.0]))[place])
    matter = experiment.retrieved_within(depth).any(axis=0) & (experiment.grades < 0)
    if lacking := int(np.count_nonzero(matter & (found < 0))):
        n_unjudged = np.count_nonzero(matter)
        warn(f"{lacking} of {n_unjudged} unjudged documents have no probability: they count as not relevant")
    return Relevance(
        probability=np.clip(found, 0.0, None), features=np.zeros((found.size, 0)), covariance=np.zeros((0, 0))
    )
