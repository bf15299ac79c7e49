"""The evaluator for Python programs."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any

from irevalx.api import checks
from irevalx.api.checks import settings_of
from irevalx.api.inputs import Documents, File, Frame, Grades, Pool, Qrels, Records, Run, Samples, Subtopics, read_runs
from irevalx.api.own_measures import Measures, asked_for
from irevalx.api.scores import Scores
from irevalx.api.user_warnings import warn
from irevalx.errors import IrevalxError
from irevalx.evaluation.chosen_topics import unreached_level
from irevalx.evaluation.evaluate import Evaluation
from irevalx.evaluation.evaluate import evaluate as evaluate_run
from irevalx.evaluation.many_runs import renamed, with_unique_names
from irevalx.measures.contradictions import refuse_contradictions
from irevalx.measures.select import Selection, select
from irevalx.process.memory import keep_some_freed_memory
from irevalx.process.progress import Progress
from irevalx.process.system import as_bytes
from irevalx.settings import NAMINGS, Settings


def evaluate(  # noqa: PLR0913 - one for each option of the command
    qrels: Qrels | File | Grades | Subtopics | Samples | Frame | Records,
    runs: Any,
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
    ties: str = "name",
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
    """Evaluate runs against judgments: the numbers of the command, unrounded.

    Parameters
    ----------
    qrels : judgments, as ``Qrels.read`` takes them.
    runs : a run as ``Run.read`` takes it, an iterable of runs, or ``{name: run}``.
    measures : as ``-m`` takes them: "map", "P.5,10", "nDCG@10", "AP(rel=2)", "official", "P.20:skip", and what
        ``irevalx.measure`` makes; none for those that are usual for the format of the judgments.
    pool : the documents chosen for judging, as ``Pool.read`` takes them.
    level, grades, complete, judged_only, max_retrieved, collection_size, topic, unjudged, ties, ignore_identical_ids,
    duplicates, infap_c, infap_epsilon, sample_rate, rel_format, results_format, compat, strict, threads :
        as ``-l``, ``--grades``, ``-c``, ``-J``, ``-M``, ``-N``, ``-D 0.TOPIC``, ``--unjudged``, ``--ties``,
        ``--ignore-identical-ids``, ``--duplicates``, ``--infap-c``, ``--infap-epsilon``, ``--sample-rate``, ``-R``,
        ``-T``, ``--compat``, ``--strict`` and ``--threads``.
    names : "trec_eval" for measures in the spelling and the order of trec_eval, "asked" for those in which they were
        asked for. ``Scores`` answers to both spellings either way.
    progress : show on standard error how far a long call has come, on a terminal and in a notebook.

    Returns
    -------
    What the runs score. Topics are in ascending byte order, runs in the order given.

    Raises
    ------
    ArgumentError : an argument, or something in a dictionary or a table, is not what it must be.
    IrevalxError : whatever would end the command with a status; the first run that fails ends it.

    Warns
    -----
    IrevalxWarning : what the command would say on standard error.

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
    asked = asked_for(measures)
    settings = settings_of(
        level=level,
        grades=qrels.grades if isinstance(qrels, Qrels) and grades == "whole" else grades,
        complete=complete,
        judged_only=judged_only,
        max_retrieved=max_retrieved,
        collection_size=collection_size,
        topic=topic,
        unjudged=unjudged,
        ties=ties,
        ignore_identical_ids=ignore_identical_ids,
        duplicates=duplicates,
        infap_c=infap_c,
        infap_epsilon=infap_epsilon,
        sample_rate=sample_rate,
        compat=compat,
    )
    processes = checks.whole_number("threads", threads, least=1)
    shown = checks.flag("progress", progress) and _can_show_progress()
    strict = checks.flag("strict", strict)
    judged = Qrels.read(qrels, pool=pool, rel_format=rel_format, grades=settings.grades, compat=compat, strict=strict)
    refuse_contradictions(asked, settings, judged.rel_format, with_pool=False)
    if names not in NAMINGS:
        raise checks.wrong("names", " or ".join(map(repr, NAMINGS)), names)
    as_asked = names == "asked"
    selection = select(asked, settings, judged.rel_format, strict=strict, as_asked=as_asked, warn=warn)
    if line := unreached_level(judged.judgments, selection, settings):
        warn(line)
    each = read_runs(runs, results_format, strict=strict)
    keep_some_freed_memory()
    counter = Progress("irevalx", "lines read", n_runs=len(each), show=_show_progress if shown else None)
    evaluations = []
    try:
        for run in each:
            evaluation = _evaluate(judged, run, selection, settings, processes, counter)
            evaluations.append(evaluation if run.name is None else renamed(evaluation, as_bytes(run.name)))
            counter.next_run()
    finally:
        counter.clear()
    return Scores(with_unique_names(evaluations, warn), selection)


def _evaluate(
    judged: Qrels, run: Run, selection: Selection, settings: Settings, processes: int, progress: Progress
) -> Evaluation:
    try:
        evaluation = evaluate_run(
            judged.judgments,
            run.for_one_evaluation(settings.compat),
            selection,
            settings,
            processes=processes,
            progress=progress.advance,
        )
    except IrevalxError as error:
        _warn_of(error.warnings, progress)
        raise
    _warn_of(evaluation.warnings, progress)
    if evaluation.failure:
        raise evaluation.failure
    return evaluation


def _warn_of(lines: Iterable[str], progress: Progress) -> None:
    for line in lines:
        progress.clear()
        warn(line)


def _can_show_progress() -> bool:
    """Return whether a line on standard error can be written over: on a terminal, and below a notebook's cell."""
    return sys.stderr is not None and (sys.stderr.isatty() or "ipykernel" in sys.modules)


def _show_progress(line: str) -> None:
    from irevalx.process.terminal import show_progress

    show_progress(line)
