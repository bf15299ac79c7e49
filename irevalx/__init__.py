"""irevalx: evaluate ranked retrieval runs like trec_eval, with complete or incomplete relevance judgments.

The packages and modules are listed from the top layer to the bottom layer. A layer imports only from the layers below
it, and no modules of a package import each other in a cycle. The docstring of each package lists its modules.

    lab/           irevalx-lab: one package per topic, listed in its docstring
    cli/           the command irevalx: argv -> options -> evaluation -> reports; only cli and the lab's commands print
    command_line/  shared by both commands: options, help, suggestions, and parameters in messages as options
    strategies/    judging strategies: selection of documents to judge, simulation on judgments; no click
    experiments/   shared by the lab's packages: ranked runs, samples, strata, pools, groups of runs; no click
    spark/         evaluation on Spark, with the same values; the only package that imports Spark
    api/           evaluate, measure, Qrels, Run, Scores; RelevanceEvaluator
    reports/       evaluations -> lines, tables, records
    evaluation/    one run: select topics, rank, assess, compute, summarize; many runs; traces
    measures/      MEASURES: one record per measure, in print order; summaries; selection; z-scores
    statistics/    tests, corrections, intervals, correlations and estimates on arrays, independent of retrieval
    ranking/       order, cut, look up -> Ranking -> Topics, GroupedTopics, Preferences: the input of every measure
    reading/       files and Python objects -> judgments, runs, pools; FILE_FORMATS: one record per format
    judgments/     judgments of each kind: graded, grouped, preferences, subtopics; the pool
    arrays/        ragged rows, byte strings, the document table, independent of retrieval
    settings.py    Settings: what determines the values of an evaluation
    declarations.py  parameters of functions and commands, declared once: checks, options, help, rules
    signatures.py  signatures and docstrings of public functions: default and explanation of each parameter
    checks.py      checks of the values of parameters
    wording.py     phrases of messages: parameters in the notation of the caller, values, lists
    trec_eval.py   emulation of the C program: differences between versions, parsing of numbers, merge sort
    process/       workers, terminal, exit status, progress, memory
    errors.py      exceptions with exit status; IrevalxWarning
    frozen.py      the base class of records

The scripts in docs/generate/, outside the package, write the manual pages and the generated tables. ``__all__`` of this
module, of `irevalx.lab` and of `irevalx.spark` contains the public names.

Data flows in one direction: judgments and run -> ranking -> topics -> values -> lines. Each block of a run is converted
to a few rows of a Ranking and then discarded. A whole run is read into memory only if the rows of a topic are not
adjacent.
"""

import os
import sys


def _is_started() -> bool:
    """Return whether this process runs one of the commands, rather than a program that imports irevalx."""
    first = getattr(sys, "argv", [""])[0]
    if first == "-m":  # while Python searches for the module
        words = sys.orig_argv
        return words[words.index("-m") + 1 :][:1] in (["irevalx"], ["irevalx.lab"]) if "-m" in words else False
    return os.path.basename(first).partition(".")[0] in {"irevalx", "irevalx-lab"}  # noqa: PTH119


# Ctrl-C must end the commands silently from their first import on, so the entry points would be too late.
if _is_started():
    try:
        _signal = sys.modules["_signal"]  # imported when Python starts, unlike ``signal``
        _handler = _signal.getsignal(_signal.SIGINT)
        if _handler is _signal.default_int_handler:  # its exception would be ignored if raised at the end of an import
            _signal.signal(_signal.SIGINT, lambda number, frame: os._exit(130))
        from irevalx.process.startup import end_on_interrupt

        if _handler is _signal.default_int_handler:
            _signal.signal(_signal.SIGINT, _handler)
        end_on_interrupt()
    except KeyboardInterrupt:
        os._exit(130)

__version__ = "0.2.0"

_HOMES = {
    "IrevalxError": "errors",
    "IrevalxWarning": "errors",
    "Pool": "api.inputs",
    "Qrels": "api.inputs",
    "RelevanceEvaluator": "api.pytrec_eval",
    "Run": "api.inputs",
    "Scores": "api.scores",
    "Topics": "ranking.topics",
    "compute_aggregated_measure": "api.pytrec_eval",
    "evaluate": "api.evaluate",
    "measure": "api.custom_measures",
    "parse_qrel": "api.pytrec_eval",
    "parse_run": "api.pytrec_eval",
    "supported_measures": "api.pytrec_eval",
    "supported_nicknames": "api.pytrec_eval",
}
"""The module that defines each public name. A module is imported when its name is used."""

TYPE_CHECKING = False  # as in ``typing``, whose import is slow
if TYPE_CHECKING:
    from typing import Any

    from irevalx.api.custom_measures import measure as measure
    from irevalx.api.evaluate import evaluate as evaluate
    from irevalx.api.inputs import Pool as Pool
    from irevalx.api.inputs import Qrels as Qrels
    from irevalx.api.inputs import Run as Run
    from irevalx.api.pytrec_eval import RelevanceEvaluator as RelevanceEvaluator
    from irevalx.api.pytrec_eval import compute_aggregated_measure as compute_aggregated_measure
    from irevalx.api.pytrec_eval import parse_qrel as parse_qrel
    from irevalx.api.pytrec_eval import parse_run as parse_run
    from irevalx.api.pytrec_eval import supported_measures as supported_measures
    from irevalx.api.pytrec_eval import supported_nicknames as supported_nicknames
    from irevalx.api.scores import Scores as Scores
    from irevalx.errors import IrevalxError as IrevalxError
    from irevalx.errors import IrevalxWarning as IrevalxWarning
    from irevalx.ranking.topics import Topics as Topics
else:
    __all__ = ["__version__", *_HOMES]  # noqa: PLE0604 - they are strings


def __dir__() -> list[str]:
    """Return the public names except ``spark``. Completion would import ``spark``, which fails without pyarrow."""
    return ["__version__", *_HOMES, "lab"]


def __getattr__(name: str) -> "Any":
    """Import a public name on first use, so that the commands start without importing the Python interface."""
    from importlib import import_module

    if name in _HOMES:
        value = globals()[name] = getattr(import_module(f"irevalx.{_HOMES[name]}"), name)
        return value
    if name in {"lab", "spark"}:
        return import_module(f"irevalx.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
