"""irevalx-lab: experiments that measure how reliable measures are when judgments are incomplete.

The public names of this module are functions, one for each command of irevalx-lab, and accept the inputs of
``irevalx.evaluate``. A result has typed ``rows``, ``to_frame``, ``to_polars`` and ``to_arrow``, and ``figure`` if it
can be drawn. ``pool``, ``degrade`` and ``complete`` return a pool or judgments, whose file is ``text``; ``report``
returns a page, and ``draw`` a figure.

One package per topic contains its computations, its figures, and one module for each public function, with the
function's name, in which its command is declared too. A topic imports only topics below it.

    html_report/       HTML report of an evaluation: report
    studies/           measures under reduced judgments: study, draw
    comparison/        significance of differences between runs: compare
    topic_sets/        how many topics an experiment requires: power, swap-rate
    reusability/       leave-one-group-out reusability test: leave-out
    judging/           incomplete judgments, pools, and which documents to judge next: degrade, pool, next
    completion/        prediction of missing judgments: complete
    judge_agreement/   comparison of machine judgments with human judgments: labels
    estimation/        estimates from few human and many machine judgments: estimate
    agreement/         agreement between two evaluations of the same runs: agree
    score_bounds/      bounds of measure values over all completions of the judgments: bounds
    description/       statistics of judgments and runs: describe
    command/           the command group, and the declaration, parameters and output of commands
    plotting/          curves, pages, ranges, independent of any command
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from irevalx.frozen import Frozen

PROGRAM = "irevalx-lab"
"""``python -m irevalx.lab`` is the command ``irevalx-lab``."""


class Listed(Frozen):
    """A command of the list that ``irevalx-lab -h`` prints without importing any."""

    question: str  # its heading
    function: str  # the module of its function, below ``irevalx.lab``
    summary: str  # the first line of the function's docstring


JUDGMENTS = "What is judged, and what to judge next"
LABELS = "Labels from elsewhere, such as a machine's"
COMPARING = "Comparing runs"
UNDERSTANDING = "What incomplete judgments do to measures"

COMMANDS = {
    "describe": Listed(JUDGMENTS, "description.describe", "Describe judgments and runs."),
    "pool": Listed(JUDGMENTS, "judging.pool", "Pool the first documents of runs."),
    "next": Listed(JUDGMENTS, "judging.next", "Select the next documents to judge."),
    "complete": Listed(
        JUDGMENTS,
        "completion.complete",
        "Predict missing judgments from the text of the documents, or take them from a file of labels.",
    ),
    "bounds": Listed(
        JUDGMENTS,
        "score_bounds.bounds",
        "Find out whether unjudged documents could reverse a comparison, and which to judge next.",
    ),
    "labels": Listed(
        LABELS,
        "judge_agreement.labels",
        "Measure how far labels from elsewhere, such as a machine's, agree with judgments.",
    ),
    "estimate": Listed(
        LABELS,
        "estimation.estimate",
        "Estimate scores and differences from what people judged, and a machine's labels of the rest.",
    ),
    "compare": Listed(COMPARING, "comparison.compare", "Test whether runs differ."),
    "report": Listed(COMPARING, "html_report.report", "Write an HTML report of an evaluation."),
    "power": Listed(
        COMPARING,
        "topic_sets.power",
        "Find out how many topics an experiment needs, and what differences it can find.",
    ),
    "degrade": Listed(
        UNDERSTANDING,
        "judging.degrade",
        "Make judgments incomplete: keep a random sample, or the documents that a judging strategy selects first.",
    ),
    "leave-out": Listed(
        UNDERSTANDING,
        "reusability.leave_out",
        "Test reusability: re-evaluate each group of runs without its unique documents.",
    ),
    "agree": Listed(UNDERSTANDING, "agreement.agree", "Measure how far two scorings of the same runs agree."),
    "swap-rate": Listed(
        UNDERSTANDING,
        "topic_sets.swap_rate",
        "Count how often two sets of topics disagree on which of two runs is better.",
    ),
    "study": Listed(UNDERSTANDING, "studies.study", "Run a whole experiment: degrade, evaluate, compare, draw."),
    "draw": Listed(UNDERSTANDING, "studies.draw", "Draw several studies together."),
}
"""The commands by name, in the order of the help."""

QUESTIONS = tuple(dict.fromkeys(listed.question for listed in COMMANDS.values()))
"""The headings of the list of commands."""

_HOMES = {name.replace("-", "_"): listed.function for name, listed in COMMANDS.items()}
_HOMES["pool_sizes"] = "judging.pool"
"""The module that each public function lives in."""

if TYPE_CHECKING:
    from irevalx.lab.agreement.agree import agree as agree
    from irevalx.lab.comparison.compare import compare as compare
    from irevalx.lab.completion.complete import complete as complete
    from irevalx.lab.description.describe import describe as describe
    from irevalx.lab.estimation.estimate import estimate as estimate
    from irevalx.lab.html_report.report import report as report
    from irevalx.lab.judge_agreement.labels import labels as labels
    from irevalx.lab.judging.degrade import degrade as degrade
    from irevalx.lab.judging.next import next as next  # noqa: A004
    from irevalx.lab.judging.pool import pool as pool
    from irevalx.lab.judging.pool import pool_sizes as pool_sizes
    from irevalx.lab.reusability.leave_out import leave_out as leave_out
    from irevalx.lab.score_bounds.bounds import bounds as bounds
    from irevalx.lab.studies.draw import draw as draw
    from irevalx.lab.studies.study import study as study
    from irevalx.lab.topic_sets.power import power as power
    from irevalx.lab.topic_sets.swap_rate import swap_rate as swap_rate
else:
    __all__ = list(_HOMES)


def __dir__() -> list[str]:
    """Return the public names."""
    return list(_HOMES)


def __getattr__(name: str) -> Any:
    """Import a public function when it is used, with the packages that it needs."""
    from importlib import import_module

    if name in _HOMES:
        return getattr(import_module(f"irevalx.lab.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
