"""The names of classifiers and of their thresholds, for declarations: classifiers take long to import."""

from typing import Annotated

from irevalx.declarations import choice

CLASSIFIERS = ("svm", "kld")
"""The names of the classifiers: support vector machines and language models."""

EXPECTED = {f"{name}-expected": name for name in CLASSIFIERS}
"""Expected values of measures under the relevance probabilities of a classifier -> the classifier."""

THRESHOLDS = ("next", "middle", "last")
"""Where the threshold of language models lies between the last judged document that passes and the next one."""


KldThreshold = Annotated[
    str,
    choice(
        *THRESHOLDS,
        help=(
            "threshold of kld: the divergence of the last document that passes, of the next document, or the middle. "
            "As many judged documents pass as are relevant; Büttcher et al. (2007) do not specify the threshold."
        ),
    ),
]
