"""Options for completing judgments that the commands ``complete`` and ``leave-out`` have in common."""

import os
from collections.abc import Iterable
from typing import Annotated

from irevalx.api.inputs import GivenQrels
from irevalx.declarations import choice, file, flag, path
from irevalx.lab.command.evaluation_options import GRADED
from irevalx.wording import join_words

Documents = Annotated[
    str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    path(
        names=("--docs",),
        several=True,
        help=(
            "files with the text of all documents of the collection: JSON Lines (with fields such as id and contents) "
            "or TREC SGML."
        ),
        shell_help=(
            "Files with the text of all documents of the collection: JSON Lines (with fields such as id and contents) "
            "or TREC SGML. Can be repeated."
        ),
    ),
]

Labels = Annotated[
    "GivenQrels | None",
    file(help="relevance judgments from another source, for example a machine, for unjudged documents."),
]

LabelsReplace = Annotated[
    bool, flag(requires="labels", help="replace all judgments by `labels`, not only missing judgments.")
]

LabelsFormat = Annotated[
    str | None,
    choice(
        *GRADED,
        metavar="FORMAT",
        help=f"format of `labels`: {join_words(GRADED, 'or')}. [default: the format of the judgments]",
    ),
]

CLASSIFIERS = ("svm", "kld")
"""The names of the classifiers, support vector machines (svm) and language models (kld)."""

EXPECTED = {f"{name}-expected": name for name in CLASSIFIERS}
"""The treatments that compute expected values of measures, and their classifiers. The expectations are under the
relevance probabilities that the classifier predicts."""

THRESHOLDS = ("next", "middle", "last")
"""The positions of the threshold of language models, between the last document predicted relevant and the next
document."""

KldThreshold = Annotated[
    str,
    choice(
        *THRESHOLDS,
        help=(
            "threshold of kld, chosen so that as many judged documents are predicted relevant as were judged relevant: "
            "the divergence of the last document predicted relevant (last), of the next document (next), or the "
            "midpoint (middle). Büttcher et al. (2007) do not specify the threshold."
        ),
    ),
]
