"""irevalx-lab: experiments that tell how far a measure can be trusted when judgments are incomplete.

Public is what this module names: a function for each command of irevalx-lab. Each takes what ``irevalx.evaluate``
takes, and returns a result with typed ``rows``, ``to_frame`` and, where it can be drawn, ``figure``.

A folder for each topic, in which are the computation, its command and its figures; a topic imports those below it, what
commands and figures share, and nothing of another topic's command.

    program          the command group: each command is imported when it is called
    page/            an HTML report of an evaluation: report
    studies/         all measures under many reduced judgments: study, draw
    comparison/      whether runs differ: compare
    planning/        how many topics an experiment needs: power
    swaps/           how often two sets of topics disagree: swap-rate
    agreement/       how far two scorings of the same runs agree: agree
    leaving_out/     groups of runs judged without the documents that only they have found: leave-out
    judging/         judgments made incomplete, pools, and what to judge next: degrade, pool, next
    completion/      missing judgments predicted from the text of documents: complete
    labelling/       how far labels from elsewhere agree with judgments: labels
    estimation/      scores from few human and many machine judgments: estimate
    bounding/        whether unjudged documents could reverse a comparison, and how probably: bounds
    description/     what judgments and runs hold: describe
    command/         what makes a function a command: options, inputs, output
    plot/            pages, curves, panels, rows: no word of any command
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from irevalx.frozen import Frozen

PROGRAM = "irevalx-lab"
"""``python -m irevalx.lab`` is the command ``irevalx-lab``."""


class Listed(Frozen):
    """A command and the public function behind it, which has its name with underscores.

    Parameters
    ----------
    question : what people ask who need it, a heading in the list of commands.
    function : the module of the function, below ``irevalx.lab``; imported when the function is asked for.
    summary : what it does, in a sentence; its docstring begins with it too, as a list of commands imports none of them.
    """

    question: str
    function: str
    summary: str


JUDGMENTS = "What is judged, and what to judge next"
LABELS = "Labels from elsewhere, such as a machine's"
COMPARING = "Comparing runs"
UNDERSTANDING = "What incomplete judgments do to measures"

COMMANDS = {
    "describe": Listed(JUDGMENTS, "description.described", "Describe judgments and runs."),
    "pool": Listed(JUDGMENTS, "judging.pooling", "Pool the first documents of runs."),
    "next": Listed(JUDGMENTS, "judging.next_documents", "Select the next documents to judge."),
    "complete": Listed(
        JUDGMENTS,
        "completion.filling_holes",
        "Predict missing judgments from the text of the documents, or take them from a file of labels.",
    ),
    "bounds": Listed(
        JUDGMENTS,
        "bounding.bounded_scores",
        "Find out whether unjudged documents could reverse a comparison, and which to judge next.",
    ),
    "labels": Listed(
        LABELS,
        "labelling.comparing_labels",
        "Measure how far labels from elsewhere, such as a machine's, agree with judgments.",
    ),
    "estimate": Listed(
        LABELS,
        "estimation.estimated_scores",
        "Estimate scores and differences from what people judged, and a machine's labels of the rest.",
    ),
    "compare": Listed(COMPARING, "comparison.tested_runs", "Test whether runs differ."),
    "report": Listed(COMPARING, "page.reporting", "Write an HTML report of an evaluation."),
    "power": Listed(
        COMPARING,
        "planning.topics_needed",
        "Find out how many topics an experiment needs, and what differences it can find.",
    ),
    "degrade": Listed(
        UNDERSTANDING,
        "judging.degraded",
        "Make judgments incomplete: keep a random sample, or the documents that a judging strategy selects first.",
    ),
    "leave-out": Listed(
        UNDERSTANDING,
        "leaving_out.without_groups",
        "Test reusability: re-evaluate each group of runs without its unique documents.",
    ),
    "agree": Listed(UNDERSTANDING, "agreement.agreements", "Measure how far two scorings of the same runs agree."),
    "swap-rate": Listed(
        UNDERSTANDING, "swaps.rates", "Count how often two sets of topics disagree on which of two runs is better."
    ),
    "study": Listed(UNDERSTANDING, "studies.studying", "Run a whole experiment: degrade, evaluate, compare, draw."),
    "draw": Listed(UNDERSTANDING, "studies.drawing", "Draw several studies together."),
}
"""The commands by name, in the order of the help."""

QUESTIONS = tuple(dict.fromkeys(listed.question for listed in COMMANDS.values()))
"""The headings of the list of commands."""

_HOMES = {name.replace("-", "_"): listed.function for name, listed in COMMANDS.items()}
_HOMES["pool_sizes"] = "judging.pooling"
"""The module that each public function lives in."""

if TYPE_CHECKING:
    from irevalx.lab.agreement.agreements import agree as agree
    from irevalx.lab.bounding.bounded_scores import bounds as bounds
    from irevalx.lab.comparison.tested_runs import compare as compare
    from irevalx.lab.completion.filling_holes import complete as complete
    from irevalx.lab.description.described import describe as describe
    from irevalx.lab.estimation.estimated_scores import estimate as estimate
    from irevalx.lab.judging.degraded import degrade as degrade
    from irevalx.lab.judging.next_documents import next as next  # noqa: A004
    from irevalx.lab.judging.pooling import pool as pool
    from irevalx.lab.judging.pooling import pool_sizes as pool_sizes
    from irevalx.lab.labelling.comparing_labels import labels as labels
    from irevalx.lab.leaving_out.without_groups import leave_out as leave_out
    from irevalx.lab.page.reporting import report as report
    from irevalx.lab.planning.topics_needed import power as power
    from irevalx.lab.studies.drawing import draw as draw
    from irevalx.lab.studies.studying import study as study
    from irevalx.lab.swaps.rates import swap_rate as swap_rate
else:
    __all__ = list(_HOMES)


def __getattr__(name: str) -> Any:
    """Import a public function when it is asked for: each brings the packages that it needs."""
    from importlib import import_module

    if name in _HOMES:
        return getattr(import_module(f"irevalx.lab.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
