"""irevalx: evaluate ranked retrieval runs as trec_eval does, and with incomplete relevance judgments.

The house, in the order data flows; a module imports only from those above it:

    frozen.py            the base of all records that never change
    errors.py            the exceptions, drawn as a tree, each with its exit status
    numerals.py          numbers as C reads and prints them
    mergesort.py         the C library's merge sort, for comparisons that are no order
    compat.py            the frozen record of what differs between trec_eval 9.0.8 and 10.0
    segments.py          the vocabulary for ragged rows
    names.py             many byte strings at once: sameness, order, 64-bit keys
    lookup.py            documents found by their bytes, many at once
    parallel.py          several things at once, in processes, results in order
    options.py           frozen Options, one field a flag
    reading/source.py    a path, '-', gz, bz2, xz -> chunks of bytes
    reading/blocks.py    chunks -> blocks of whole topics
    reading/tokens.py    block -> token spans, decimal numbers        (the hot loop)
    reading/lines.py     lines -> columns -> numbers, and the complaints about them
    judgments.py         Documents: topics, docnos; Judgments: and grades
    pool.py              the documents chosen for judging, and what they add to Judgments
    groups.py            GroupedJudgments: the judgments of each group of a topic
    preferences.py       Preferences in the light of a ranking: all that a preference measure may see
    preference_judgments.py  PreferenceJudgments: who prefers what, without contradictions
    reading/grouped.py   files of judgments in groups -> GroupedJudgments, PreferenceJudgments
    runs.py              Run and its blocks of Results: topics, docnos, scores, tag
    reading/formats.py   one row a file format -> Judgments (grouped, preferences), Run
    topics.py            Topics: all that a measure may see
    ranking.py           order, cut, look up -> Ranking; Ranking.assess(grades, ...) -> Topics
    by_group.py          Ranking, once for each judgment group -> GroupedTopics
    summary.py           per-topic values -> the `all` row
    zscores.py           values -> z-scores, with the means and standard deviations in a file
    measures/            MEASURES in print order; a kernel is Topics -> one value a topic
    trace.py             what the measures see of a topic, as text
    columns.py           a ranked run assessed and computed, a column for each printed name
    evaluation.py        Judgments, Run, requests -> Evaluation
    archive.py           many runs, shared among processes, each with a name of its own
    report.py            Evaluation -> trec_eval's lines
    records.py           Evaluation -> one value a row, or one object, for other programs
    tables.py            Evaluation -> tables for people
    inputs.py            dictionaries and data frames -> Judgments, Pool, Run
    api.py               evaluate, for Python programs
    pytrec.py            RelevanceEvaluator, in the manner of pytrec_eval
    explain.py           measures and formats explained: what they say of themselves, and what options do to them
    memory.py            keep freed memory for the next array
    progress.py          how far a long call has come
    argv.py              the arguments as trec_eval reads them
    terminal.py          standard output and standard error: the only module that prints
    program.py           a command -> the status that the process ends with
    flags.py             the options of the command: how they are called, read, explained and completed
    cli.py               argv -> Options -> evaluation -> report
    roff.py              text as manual pages have it
    lab/experiment.py    many runs ranked once, to be assessed under any judgments of the same documents
    lab/degrade.py       schemes of incomplete judgments: which documents are kept
    lab/pools.py         the documents that runs have among their first ones
    lab/significance.py  paired tests over topics, and decisions about all pairs of runs
    lab/comparison.py    two runs side by side: tests corrected for their number, intervals, effect sizes
    lab/agreement.py     two scorings of the same runs: correlations, errors, changes of rank
    lab/swaps.py         how often two sets of topics disagree about two runs
    lab/leave_out.py     groups of runs judged without what only they have found
    lab/documents.py     the text of documents, one after the other
    lab/collection.py    documents -> terms, of each and of the whole collection
    lab/classifiers.py   learn from judged documents, decide about others
    lab/language_models.py  by the divergence of language models
    lab/support_vectors.py  by a support vector machine
    lab/trained.py       the names of files and classifiers -> a classifier
    lab/complete.py      Judgments and their text -> predictions for the unjudged
    lab/holdout.py       how good the predictions are
    lab/rows.py          tables of anything, for people or for programs
    lab/study.py         all measures under many reduced judgments
    lab/study_tables.py  a study as tables
    lab/plots.py         a study as figures
    lab/qrels_lines.py   a file of judgments written again with other grades
    lab/scorings.py      files that say how runs score, and what two of them have in common
    lab/files.py         files that are there complete or not at all
    lab/progress_bar.py  how far a long call has come
    lab/flags.py         options that several commands share
    lab/commands/        the commands of irevalx-lab, a module each
    lab/cli.py           argv -> one of the commands
    lab/manual.py        the manual pages of the commands
    lab/__main__.py      python -m irevalx.lab
    rules.py             what judged, pooled and outside the pool mean to each measure, as a table
    departures.py        what irevalx does otherwise than trec_eval, as a table
    man.py               options, measures and formats -> the pages in man/
    __main__.py          python -m irevalx

The lab imports the evaluator, never the other way round.

Nothing flows back: Judgments and Run -> Ranking -> Topics -> values -> lines. Each block of a run becomes a few rows of
a Ranking and is forgotten; only a run whose topics do not stand together is read as a whole.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from irevalx.errors import IrevalxError

if TYPE_CHECKING:
    from irevalx.api import IrevalxWarning, Qrels, Run, Scores, evaluate
    from irevalx.pytrec import (
        RelevanceEvaluator,
        compute_aggregated_measure,
        parse_qrel,
        parse_run,
        supported_measures,
        supported_nicknames,
    )

__version__ = "0.1.0"

__all__ = [
    "IrevalxError",
    "IrevalxWarning",
    "Qrels",
    "RelevanceEvaluator",
    "Run",
    "Scores",
    "__version__",
    "compute_aggregated_measure",
    "evaluate",
    "parse_qrel",
    "parse_run",
    "supported_measures",
    "supported_nicknames",
]


_LIKE_PYTREC_EVAL = (
    *("RelevanceEvaluator", "compute_aggregated_measure", "parse_qrel", "parse_run"),
    *("supported_measures", "supported_nicknames"),
)


def __getattr__(name: str) -> Any:
    """Import the interface for programs when it is asked for: the command starts without it."""
    if name in __all__:
        from irevalx import api, pytrec

        return getattr(pytrec if name in _LIKE_PYTREC_EVAL else api, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
