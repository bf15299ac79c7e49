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
    """Probabilities of relevance and their error."""

    probability: FloatArray
    """Shape (n_documents,)."""
    features: FloatArray
    """Shape (n_documents, n_features); without features, documents are independent."""
    covariance: FloatArray
    """Shape (n_features, n_features); of the errors of the coefficients of the logit."""

    def take(self, places: IntArray) -> Relevance:
        """Return the probabilities of the documents with these indices."""
        return replace(self, probability=self.probability[places], features=self.features[places])

    @property
    def slopes(self) -> FloatArray:
        """The derivatives of probabilities by coefficients: shape (n_documents, n_features)."""
        return (self.probability * (1 - self.probability))[:, None] * self.features

    def moved(self, coefficients: FloatArray) -> FloatArray:
        """Return the probabilities with these changes of coefficients, shape (n_features,)."""
        if not coefficients.size:
            return self.probability
        from scipy.special import expit, logit

        probability: FloatArray = expit(logit(self.probability) + self.features @ coefficients)
        return probability

    @cached_property
    def root(self) -> FloatArray:
        """A square root of the covariance."""
        values, vectors = np.linalg.eigh(self.covariance)
        root: FloatArray = vectors * np.sqrt(np.clip(values, 0.0, None))
        return root

    def drawn(self, generator: np.random.Generator) -> FloatArray:
        """Draw coefficients, and return the probabilities with them."""
        return self.moved(self.root @ generator.standard_normal(len(self.root)))


class GradeShares(Frozen):
    """The distribution of grades, from 0, of relevant and of other documents: shape (n_grades,); sums are 1."""

    relevant: FloatArray
    others: FloatArray

    @classmethod
    def of(cls, grades: IntArray, level: int, greatest: int) -> GradeShares:
        """Take the shares from grades (negative: unjudged), or the least possible grade if there are none.

        The level is at least 1; if the greatest grade of unjudged documents is below it, none is relevant.
        """
        possible = np.arange(greatest + 1)
        counts = np.bincount(grades[(grades >= 0) & (grades <= greatest)], minlength=greatest + 1).astype(np.float64)
        relevant, others = (
            np.where(mask, counts, 0.0) if (counts * mask).any() else (possible == least).astype(np.float64)
            for mask, least in ((possible >= level, min(level, greatest)), (possible < level, 0))
        )
        return cls(relevant / relevant.sum(), others / others.sum())

    def chances(self, probability: FloatArray, gains: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the distinct gains of grades, (n_gains,), and their probabilities, (n_documents, n_gains)."""
        distinct, place = np.unique(gains, return_inverse=True)
        relevant, others = (np.bincount(place.ravel(), shares) for shares in (self.relevant, self.others))
        return distinct, probability[:, None] * relevant + (1 - probability)[:, None] * others

    def drawn(self, relevant: BoolArray, generator: np.random.Generator) -> IntArray:
        """Draw the grades of relevant and of other documents."""
        number = generator.random(relevant.size)
        of_either = (
            np.searchsorted(np.cumsum(shares[:-1]), number, "right") for shares in (self.relevant, self.others)
        )
        grades: IntArray = np.where(relevant, *of_either)
        return grades


def given_relevance(experiment: Experiment, probabilities: Judgments, depth: int) -> Relevance:
    """Look up probabilities, the grades of judgments; documents without one are nonrelevant, with a warning.

    Only the first ``depth`` documents of runs have an effect.
    """
    place = places_of(experiment.judgments, probabilities)
    probability = np.where(place == ABSENT, -1.0, np.concatenate((probabilities.grades, [0.0]))[place])
    matter = experiment.retrieved_within(depth).any(axis=0) & (experiment.grades < 0)
    if lacking := int(np.count_nonzero(matter & (probability < 0))):
        n_unjudged = np.count_nonzero(matter)
        warn(f"{lacking} of {n_unjudged} unjudged documents have no probability: they count as nonrelevant")
    return Relevance(
        probability=np.clip(probability, 0.0, None),
        features=np.zeros((probability.size, 0)),
        covariance=np.zeros((0, 0)),
    )
