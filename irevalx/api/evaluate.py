"""The function ``evaluate``, which evaluates runs in Python programs."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import cast

from irevalx import checks
from irevalx.api.custom_measures import Measures, with_custom_measures
from irevalx.api.inputs import GivenQrels, Pool, Qrels, Run, Runs, read_runs
from irevalx.api.scores import AnyEvaluation, Scores, scores_of_evaluations
from irevalx.declarations import documented
from irevalx.errors import RunWarning, RunWarnings, warn
from irevalx.evaluation.evaluate import evaluate as evaluate_run
from irevalx.evaluation.evaluate import renamed
from irevalx.evaluation.stacked_runs import StackedRun, can_be_stacked, evaluate_stack
from irevalx.evaluation.topic_selection import level_warnings
from irevalx.judgments.graded import Judgments
from irevalx.measures.selection import Selection, refuse_contradictions, select_again, split_requests
from irevalx.process.memory import keep_some_freed_memory
from irevalx.process.platform import as_bytes
from irevalx.process.progress import Progress
from irevalx.reading.kinds.python_objects import BLOCK_SIZE, stack_of
from irevalx.reading.sources.tables import UNNAMED, Documents, File, Frame, Records
from irevalx.settings import NAME_STYLES, PARAMETERS, Settings


@documented(PARAMETERS)
def evaluate(  # noqa: PLR0913 - one for each option of the command
    qrels: GivenQrels,
    runs: Runs,
    measures: Measures = "official",
    *,
    pool: Pool | File | Documents | Frame | Records | None = None,
    level: float = 1,
    grades: str = "whole",
    complete: bool = False,
    judged_only: bool = False,
    max_retrieved: int | None = None,
    collection_size: int = 0,
    topic: str | int | None = None,
    unjudged: str | Iterable[str] = (),
    ties: str | Iterable[str] = "name",
    ignore_identical_ids: bool = False,
    duplicates: str = "error",
    infap_c: float | None = None,
    infap_epsilon: float | None = None,
    sample_rate: float | None = None,
    rel_format: str = "qrels",
    results_format: str = "trec_results",
    compat: str | int = "10",
    strict: bool = False,
    threads: int = 1,
    names: str = "trec_eval",
    progress: bool = False,
) -> Scores:
    """Evaluate runs against relevance judgments.

    The values are the same as those printed by the command, but are not rounded.

    Parameters
    ----------
    qrels : relevance judgments: a file, ``{topic: {docno: grade}}``, a data frame, named tuples, or anything else that
        ``Qrels.read`` accepts.
    runs : a run, several runs, or ``{name: run}``. A run is a file, ``{topic: {docno: score}}``, ``{topic: docnos}``
        with the best document first, a data frame, named tuples, or anything else that ``Run.read`` accepts.
    measures : one or several measures: names such as "map", "P.5,10", "nDCG@10" or "AP(rel=2)", or measures created
        with ``irevalx.measure``. The names "official" and "all_trec" select sets of measures. A treatment of unjudged
        documents can follow a name, as in "P.20:skip". A measure can be requested with several parameters. An empty
        list selects the default measures for the format of the judgments.
    pool : the documents selected for judging: ``{topic: docnos}``, a file, a data frame, named tuples or a Pool.
        Documents in the pool that have no judgment are treated as pooled but unjudged.
    rel_format : format of the judgments: "qrels", "csv", "tsv", "jsonl", "sampled", "subtopics", "prels" and others,
        as for ``irevalx -R``.
    results_format : format of run files: "trec_results", "msmarco", "scored", "csv", "tsv", "json" or "jsonl".
    strict : reject scores and grades in files, and parameters of measures, that are not plain numbers. By default, such
        values are read as in trec_eval, with a warning.
    threads : number of worker processes for a large run.
    names : names and order of the printed measures: as requested ("asked"), or as in trec_eval ("trec_eval"). In both
        cases, ``Scores`` accepts either name.
    progress : show progress on standard error, on a terminal or in a notebook.

    Returns
    -------
    The measure values of the runs by topic. Topics are in ascending byte order, and runs are in the given order.

    Raises
    ------
    ArgumentError : an argument, or a value in a dictionary or a table, is invalid. This exception is both an
        ``IrevalxError`` and a ``TypeError``.
    IrevalxError : judgments or runs cannot be read or evaluated; the message states the file and the line. The
        evaluation stops at the first run that fails.

    Warns
    -----
    IrevalxWarning : topics are excluded from the averages, few retrieved documents are judged, or scores are
        suspicious.

    Examples
    --------
    >>> import irevalx
    >>> qrels = {"301": {"A": 1, "B": 0}, "302": {"C": 2, "D": 0}}
    >>> first = {"301": {"A": 2.0, "B": 1.0}, "302": {"D": 2.0, "C": 1.0}}
    >>> second = {"301": {"A": 2.0, "B": 1.0}, "302": {"C": 2.0, "D": 1.0}}
    >>> irevalx.evaluate(qrels, {"first": first, "second": second}, ["map", "P@1"])
    run        map     P_1
    ------  ------  ------
    first   0.7500  0.5000
    second  1.0000  1.0000
    """
    if isinstance(qrels, Qrels) and PARAMETERS["grades"].checked(grades) == "whole":
        grades = qrels.grades
    values, defaults = locals(), evaluate.__kwdefaults__ or {}
    settings = Settings.of(**{name: values[name] for name in PARAMETERS if values[name] is not defaults[name]})
    requests = with_custom_measures(measures)
    processes = checks.whole_number("threads", threads, least=1)
    show: Callable[[str], None] | None = None
    is_interactive = sys.stderr is not None and (sys.stderr.isatty() or "ipykernel" in sys.modules)
    if checks.flag("progress", progress) and is_interactive:
        from irevalx.process.terminal import show_progress

        show = show_progress
    strict = checks.flag("strict", strict)
    judged = Qrels.read(qrels, pool=pool, rel_format=rel_format, grades=settings.grades, compat=compat, strict=strict)
    requests = split_requests(requests, settings.compat)
    refuse_contradictions(requests, settings, judged.rel_format, with_pool=False)
    as_requested = checks.named_choice("names", names, NAME_STYLES) == "asked"
    selection = select_again(requests, settings, judged.rel_format, strict=strict, as_requested=as_requested, warn=warn)
    for line in level_warnings(judged.judgments, selection.measures, settings):
        warn(line)
    each = read_runs(runs, results_format, strict=strict)
    keep_some_freed_memory()
    counter = Progress("irevalx", n_runs=len(each), show=show)
    evaluations: list[AnyEvaluation] = []
    together = len(each) > 1 and can_be_stacked(judged.judgments, selection, settings)
    with RunWarnings(warn) as about_runs:
        how = (judged, selection, settings, processes, counter, about_runs)
        try:
            for block in _blocks(each) if together else ([run] for run in each):
                for evaluation in _evaluated(block, how):
                    evaluations.append(evaluation)
                    counter.next_run()
        finally:
            counter.clear()
    return scores_of_evaluations(evaluations, selection)


def _blocks(runs: Iterable[Run]) -> Iterator[list[Run]]:
    """Yield lists of runs to evaluate as a stack, with a limited number of documents in each list."""
    block: list[Run] = []
    size = 0
    for run in runs:
        more = BLOCK_SIZE if run.scores is None else sum(map(len, run.scores.values()))
        if block and size + more > BLOCK_SIZE:
            yield block
            block, size = [], 0
        block.append(run)
        size += more
    if block:
        yield block


def _evaluated(
    runs: Sequence[Run], how: tuple[Qrels, Selection, Settings, int, Progress, RunWarnings]
) -> Iterator[AnyEvaluation]:
    """Yield the evaluations of runs. If runs cannot be evaluated as a stack, the two halves are tried separately."""
    judged, selection, settings, processes, progress, about_runs = how
    if len(runs) == 1:
        [run] = runs
        warnings: list[RunWarning] = []
        try:
            evaluation = evaluate_run(
                judged.judgments,
                run.for_one_evaluation(settings.compat),
                selection,
                settings,
                processes=processes,
                warn=warnings.append,
                progress=progress.advance,
            )
        finally:
            about_runs.add(warnings)
        if evaluation.failure:
            raise evaluation.failure
        yield evaluation if run.name is None else renamed(evaluation, as_bytes(run.name))
        return
    names = [run.name or UNNAMED for run in runs]
    stack = stack_of([run.scores or {} for run in runs], names, settings.compat)
    judgments = cast("Judgments", judged.judgments)
    values = None if stack is None else evaluate_stack(judgments, stack, selection, settings)
    if values is None:
        for half in (runs[: len(runs) // 2], runs[len(runs) // 2 :]):
            yield from _evaluated(half, how)
        return
    for number, size in enumerate(values.sizes):
        about_runs.add(values.warnings.get(number, ()))
        progress.advance(size)
        yield StackedRun(values, number)
