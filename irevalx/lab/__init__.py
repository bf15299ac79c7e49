"""irevalx-lab: experiments that tell how far a measure can be trusted when judgments are incomplete.

Public is what this module names: a function for each command of irevalx-lab. Each takes what ``irevalx.evaluate``
takes, and returns a result with typed ``rows``, ``to_frame`` and, where it can be drawn, ``figure``.

A folder for each topic, in which are the computation, its command and its figures; a topic imports those below it, what
commands and figures share, and nothing of another topic's command.

    program          the command group: each command is imported when it is called
    page/            a page of an evaluation to look at: report
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

TYPE_CHECKING = False  # as in typing, which takes a while to import
if TYPE_CHECKING:
    from typing import Any

    from irevalx.lab.agreement.agreements import agree
    from irevalx.lab.bounding.bounded_scores import bounds
    from irevalx.lab.comparison.tested_runs import compare
    from irevalx.lab.completion.filling_holes import complete
    from irevalx.lab.description.described import describe
    from irevalx.lab.estimation.estimated_scores import estimate
    from irevalx.lab.judging.degraded import degrade
    from irevalx.lab.judging.next_documents import next  # noqa: A004
    from irevalx.lab.judging.pooling import pool, pool_sizes
    from irevalx.lab.labelling.comparing_labels import labels
    from irevalx.lab.leaving_out.without_groups import leave_out
    from irevalx.lab.page.reporting import report
    from irevalx.lab.planning.topics_needed import power
    from irevalx.lab.studies.drawing import draw
    from irevalx.lab.studies.studying import study
    from irevalx.lab.swaps.rates import swap_rate

__all__ = [
    "agree",
    "bounds",
    "compare",
    "complete",
    "degrade",
    "describe",
    "draw",
    "estimate",
    "labels",
    "leave_out",
    "next",
    "pool",
    "pool_sizes",
    "power",
    "report",
    "study",
    "swap_rate",
]

_HOMES = {
    "agree": "agreement.agreements",
    "bounds": "bounding.bounded_scores",
    "compare": "comparison.tested_runs",
    "complete": "completion.filling_holes",
    "degrade": "judging.degraded",
    "describe": "description.described",
    "draw": "studies.drawing",
    "estimate": "estimation.estimated_scores",
    "labels": "labelling.comparing_labels",
    "leave_out": "leaving_out.without_groups",
    "next": "judging.next_documents",
    "pool": "judging.pooling",
    "pool_sizes": "judging.pooling",
    "power": "planning.topics_needed",
    "report": "page.reporting",
    "study": "studies.studying",
    "swap_rate": "swaps.rates",
}
"""The module that each public function lives in."""

PROGRAM = "irevalx-lab"
"""``python -m irevalx.lab`` is the command ``irevalx-lab``."""


def __getattr__(name: str) -> Any:
    """Import a public function when it is asked for: each brings the packages that it needs."""
    from importlib import import_module

    if name in _HOMES:
        return getattr(import_module(f"irevalx.lab.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
