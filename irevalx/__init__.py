"""irevalx: evaluate ranked retrieval runs as trec_eval does, and with incomplete relevance judgments.

The house, a room a line; a room imports only from rooms below it, and inside a room modules import each other without
circles. The docstring of each room says what lives there.

    lab/           irevalx-lab: a folder for each topic; its docstring lists them
    cli/           argv -> options -> evaluation -> reports; it and the lab's commands alone print and exit
    orders/        orders of judging: which document to judge next, replayed on judgments; no click
    experiments/   what the lab's topics share: runs ranked once, samples, strata, pools, groups of runs; no click
    spark/         the same evaluation on Spark: all that knows Spark
    api/           evaluate, measure, Qrels, Run, Scores; RelevanceEvaluator
    reports/       evaluations -> lines, tables, records
    evaluation/    one run: choose topics, rank, assess, compute, summarise; many runs; traces
    measures/      MEASURES: one record per measure, in print order; summaries; selection; z-scores
    statistics/    arrays in, numbers out: tests, corrections, intervals, correlations, estimates; no word of retrieval
    ranking/       order, cut, look up -> Ranking -> Topics, GroupedTopics, Preferences: all that a measure may see
    reading/       files -> judgments, runs, pools; FILE_FORMATS: one row per format
    judgments/     what is known of documents: graded, grouped, preferences, the pool
    arrays/        ragged rows, byte strings, the document table: no word of retrieval in here
    settings.py    all that the values of an evaluation depend on
    declarations.py parameters of functions and commands, declared once: checks, options, help, rules
    parameters.py  checks of single values, and how messages show them
    trec_eval/     what C does: the two versions, numbers as C reads and prints them, the merge sort
    process/       workers, terminal, exit status, progress, memory
    errors.py      the exceptions, drawn as a tree, each with its exit status
    frozen.py      the base of records that never change

What is outside: docs/generate/ makes the manual pages and the generated tables. Public is what this module names,
what `irevalx.lab` names, and `irevalx.spark`.

Nothing flows back: judgments and run -> ranking -> topics -> values -> lines. Each block of a run becomes a few rows of
a Ranking and is forgotten; only a run whose topics do not stand together is read as a whole.
"""

import os
import sys


def _is_started() -> bool:
    """Return whether this process is one of the commands, rather than a program that imports irevalx."""
    first = getattr(sys, "argv", [""])[0]
    if first == "-m":  # what is after it is found now, and then takes its place
        words = sys.orig_argv
        return words[words.index("-m") + 1 :][:1] in (["irevalx"], ["irevalx.lab"]) if "-m" in words else False
    return os.path.basename(first).partition(".")[0] in {"irevalx", "irevalx-lab"}  # noqa: PTH119


if _is_started():  # before all other modules load
    try:
        _signal = sys.modules["_signal"]  # loaded when Python starts; ``signal`` may not be
        _handler = _signal.getsignal(_signal.SIGINT)
        if _handler is _signal.default_int_handler:  # Python ignores the exception it raises while an import ends
            _signal.signal(_signal.SIGINT, lambda number, frame: os._exit(130))
        from irevalx.process.interrupts import end_on_interrupt

        if _handler is _signal.default_int_handler:
            _signal.signal(_signal.SIGINT, _handler)
        end_on_interrupt()
    except KeyboardInterrupt:
        os._exit(130)

__version__ = "0.2.0"

_HOMES = {
    "IrevalxError": "errors",
    "IrevalxWarning": "api.user_warnings",
    "Pool": "api.inputs",
    "Qrels": "api.inputs",
    "RelevanceEvaluator": "api.pytrec_eval",
    "Run": "api.inputs",
    "Scores": "api.scores",
    "Topics": "ranking.topics",
    "compute_aggregated_measure": "api.pytrec_eval",
    "evaluate": "api.interface",
    "measure": "api.own_measures",
    "parse_qrel": "api.pytrec_eval",
    "parse_run": "api.pytrec_eval",
    "supported_measures": "api.pytrec_eval",
    "supported_nicknames": "api.pytrec_eval",
}
"""The module that each public name lives in."""

TYPE_CHECKING = False  # as in typing, which takes a while to import
if TYPE_CHECKING:
    from typing import Any

    from irevalx.api.inputs import Pool as Pool
    from irevalx.api.inputs import Qrels as Qrels
    from irevalx.api.inputs import Run as Run
    from irevalx.api.interface import evaluate as evaluate
    from irevalx.api.own_measures import measure as measure
    from irevalx.api.pytrec_eval import RelevanceEvaluator as RelevanceEvaluator
    from irevalx.api.pytrec_eval import compute_aggregated_measure as compute_aggregated_measure
    from irevalx.api.pytrec_eval import parse_qrel as parse_qrel
    from irevalx.api.pytrec_eval import parse_run as parse_run
    from irevalx.api.pytrec_eval import supported_measures as supported_measures
    from irevalx.api.pytrec_eval import supported_nicknames as supported_nicknames
    from irevalx.api.scores import Scores as Scores
    from irevalx.api.user_warnings import IrevalxWarning as IrevalxWarning
    from irevalx.errors import IrevalxError as IrevalxError
    from irevalx.ranking.topics import Topics as Topics
else:
    __all__ = ["__version__", *_HOMES]  # noqa: PLE0604 - they are strings


def __getattr__(name: str) -> "Any":
    """Import a public name when it is asked for: the command starts without the interface for programs."""
    from importlib import import_module

    if name in _HOMES:
        found = globals()[name] = getattr(import_module(f"irevalx.{_HOMES[name]}"), name)
        return found
    if name in {"lab", "spark"}:
        return import_module(f"irevalx.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
