"""irevalx-lab: experiments that measure how reliable evaluation measures are when judgments are incomplete.

The public names of this module are functions, one for each command of irevalx-lab. The functions accept the same inputs
as ``irevalx.evaluate``. Most functions return a result with typed ``rows`` and the methods ``to_frame``, ``to_polars``
and ``to_arrow``. Results that can be plotted also have the method ``figure``. The functions ``pool``, ``degrade`` and
``complete`` return a pool or judgments, whose attribute ``text`` is the content of a pool or qrels file. The function
``report`` returns an HTML page, and ``draw`` returns a figure.

Each topic has its own package, which contains the computations, the figures, and one module per public function. The
module is named after the function and also declares its command. A package imports only packages further down in this
list.

    html_report/       HTML report of an evaluation: report
    studies/           measures under reduced judgments: study, draw
    comparison/        significance of differences between runs: compare, gate
    generated_answers/ scores of generated answers: nuggets
    topic_sets/        number of topics that an experiment requires: power, swap-rate
    reusability/       leave-one-group-out reusability test: leave-out
    judging/           incomplete judgments, pools, selection of documents to judge: degrade, pool, next
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
"""The name of the command in messages. ``python -m irevalx.lab`` also runs this command."""


class CommandEntry(Frozen):
    """An entry in the list of commands that irevalx-lab -h prints without importing the commands."""

    question: str  # the heading under which the command is listed
    function: str  # the module of the command's function, below ``irevalx.lab``
    summary: str  # the first line of the function's docstring


_COMMANDS = {
    "Judgments and judging": {
        "describe": ("description.describe", "Summarise judgments, pools and runs."),
        "pool": ("judging.pool", "Build a judging pool from the top documents of runs."),
        "next": ("judging.next", "Select the next documents to judge."),
        "complete": (
            "completion.complete",
            "Complete judgments with predictions from document text, or with labels from another judge.",
        ),
        "bounds": (
            "score_bounds.bounds",
            "Bound measure values and differences over all possible judgments of the unjudged documents.",
        ),
    },
    "Machine relevance judgments (LLM judges)": {
        "labels": (
            "judge_agreement.labels",
            "Compare machine relevance judgments (for example, from an LLM) with human judgments.",
        ),
        "estimate": (
            "estimation.estimate",
            "Estimate measure values and differences from a few human judgments and many machine judgments.",
        ),
    },
    "Comparing runs": {
        "compare": ("comparison.compare", "Test differences between runs for statistical significance."),
        "gate": (
            "comparison.gate",
            "Test that runs are not worse than a baseline, as a quality gate for continuous integration.",
        ),
        "report": ("html_report.report", "Write an HTML report of an evaluation."),
        "nuggets": ("generated_answers.nuggets", "Score generated answers from nugget assignments (TREC RAG)."),
        "power": (
            "topic_sets.power",
            "Compute how many topics an experiment needs, and which differences it can detect.",
        ),
    },
    "Reliability of measures and test collections": {
        "degrade": ("judging.degrade", "Make judgments incomplete, by random sampling or with a judging strategy."),
        "leave-out": (
            "reusability.leave_out",
            "Test reusability: re-evaluate run groups without their unique documents, or estimate the bias of new "
            "runs.",
        ),
        "agree": ("agreement.agree", "Measure the agreement between two evaluations of the same runs."),
        "swap-rate": (
            "topic_sets.swap_rate",
            "Estimate how often two topic sets disagree on which of two runs is better.",
        ),
        "study": (
            "studies.study",
            "Study measures under incomplete judgments: degrade, re-evaluate, summarise and plot.",
        ),
        "draw": ("studies.draw", "Plot several studies on the same axes, by the share of the judgments kept."),
    },
}
"""The commands under each heading of the help, in the order of the help. Each command has the path of its module and a
summary."""

COMMANDS = {
    name: CommandEntry(question, *entry) for question, entries in _COMMANDS.items() for name, entry in entries.items()
}
"""The list entry of each command, in the order of the help."""

QUESTIONS = tuple(_COMMANDS)
"""The headings under which the help lists commands."""

_HOMES = {name.replace("-", "_"): entry.function for name, entry in COMMANDS.items()}
_HOMES |= {
    "compare_topics": "comparison.topics",
    "discriminative_power": "comparison.discriminative_power",
    "pool_sizes": "judging.pool",
}
"""The module that defines each public function."""

if TYPE_CHECKING:
    from irevalx.lab.agreement.agree import agree as agree
    from irevalx.lab.comparison.compare import compare as compare
    from irevalx.lab.comparison.discriminative_power import discriminative_power as discriminative_power
    from irevalx.lab.comparison.gate import gate as gate
    from irevalx.lab.comparison.topics import compare_topics as compare_topics
    from irevalx.lab.completion.complete import complete as complete
    from irevalx.lab.description.describe import describe as describe
    from irevalx.lab.estimation.estimate import estimate as estimate
    from irevalx.lab.generated_answers.nuggets import nuggets as nuggets
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
    """Import a public function and the packages that it requires when the function is first used."""
    from importlib import import_module

    if name in _HOMES:
        return getattr(import_module(f"irevalx.lab.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
