"""Many runs against the same judgments: shared among processes, each with a name of its own."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import chain, count

import numpy as np

from irevalx.errors import EvaluationError, InputError, IrevalxError, NoTopicsError, quote, shown_name
from irevalx.evaluation.columns import Column
from irevalx.evaluation.evaluate import Evaluation, evaluate
from irevalx.frozen import replace
from irevalx.judgments.graded import Judgments
from irevalx.measures.counts import runid
from irevalx.measures.select import Selection
from irevalx.process.workers import in_order, worth_sharing
from irevalx.reading.formats import AnyJudgments
from irevalx.reading.runs import Run
from irevalx.settings import Options


def evaluate_all(
    judgments: AnyJudgments,
    runs: Sequence[Run],
    selection: Selection | IrevalxError,
    options: Options,
    warn: Callable[[str], None] = lambda line: None,
    progress: Callable[[int], None] = lambda lines: None,
) -> Iterator[Evaluation | IrevalxError]:
    """Evaluate runs, in several processes if there is much to read.

    Parameters
    ----------
    selection : what to compute, or why that cannot be said; which is raised, unless the run is at fault as well.
    options, warn, progress : as for ``evaluate``; ``threads`` is the number of processes.

    Yields
    ------
    For each run, in order, its evaluation or what keeps it from being evaluated.

    Raises
    ------
    LostProcessError, and the error in ``selection``.
    """
    processes = min(options.threads, len(runs)) if worth_sharing(sum(run.size for run in runs)) else 1
    if processes > 1:
        options = replace(options, threads=1)

    def work(run: Run) -> tuple[Evaluation | IrevalxError, list[str], int]:
        said: list[str] = []
        lines = [0]
        count = progress if processes == 1 else lines.append
        try:
            if isinstance(selection, Selection):
                return evaluate(judgments, run, selection, options, said.append, count), said, sum(lines)
            for block in run.blocks():
                run.parse(block)
        except (InputError, EvaluationError, NoTopicsError) as error:
            return error, said, sum(lines)
        raise selection

    asked = selection.requests if isinstance(selection, Selection) else ()
    if isinstance(judgments, Judgments) and any(request.measure.needs_nonrelevant for request in asked):
        _tell_without_nonrelevant(judgments, options, warn)
    for outcome, said, lines in in_order(work, lambda: runs, processes):
        progress(lines)
        for line in said:
            warn(line)
        yield outcome


def named_apart(evaluations: Sequence[Evaluation], warn: Callable[[str], None]) -> list[Evaluation]:
    """Give every run a name of its own, as ``names_apart`` does."""
    named = [(evaluation.run, evaluation.path) for evaluation in evaluations]
    return [renamed(*pair) for pair in zip(evaluations, names_apart(named, warn), strict=True)]


def names_apart(runs: Sequence[tuple[bytes, str]], warn: Callable[[str], None]) -> list[bytes]:
    """Return a name for every run: its tag or, where several runs have the same, the stem of its file.

    Where that is taken as well it is the path, and where that is taken the path with a number.

    Parameters
    ----------
    runs : the tag and the path of each.
    warn : told which tags were not unique.
    """
    tags = Counter(tag for tag, _ in runs)
    stems = Counter(_stem(path) for tag, path in runs if tags[tag] > 1)
    taken = {tag for tag, number in tags.items() if number == 1}
    names = []
    for tag, path in runs:
        name = tag
        if tags[tag] > 1:
            stem = _stem(path)
            candidates = chain([stem] if stems[stem] == 1 else [], [path], (f"{path}#{number}" for number in count(2)))
            name = next(found for found in map(_as_column, candidates) if found not in taken)
            taken.add(name)
        names.append(name)
    for tag, number in tags.items():
        if number > 1:
            warn(f"{number} runs have the tag {quote(tag)}; they are called by the names of their files")
    return names


def _tell_without_nonrelevant(judgments: Judgments, options: Options, warn: Callable[[str], None]) -> None:
    if options.level <= 0:
        return  # whatever was judged is relevant then
    nonrelevant = judgments.rows.count((judgments.grades >= 0) & (judgments.grades < options.level))
    asked = np.array([options.debug.topic in {None, topic} for topic in judgments.topics], np.bool_)
    without = int(np.count_nonzero((nonrelevant == 0) & asked))
    if without:
        warn(
            f"{shown_name(judgments.path)}: {without} of {np.count_nonzero(asked)} topics have no document judged "
            "nonrelevant; measures that compare relevant with nonrelevant documents (bpref, RankEff) say little there"
        )


def _stem(path: str) -> str:
    name = path.rpartition("/")[2]
    stem = name
    for suffix in (".gz", ".bz2", ".xz"):
        stem = stem.removesuffix(suffix)
    return stem.rpartition(".")[0] or stem or name


def _as_column(name: str) -> bytes:
    return b"_".join(os.fsencode(name).split()) or b"_"


def renamed(evaluation: Evaluation, name: bytes) -> Evaluation:
    """Return what a run scores under another name."""

    def with_name(column: Column) -> Column:
        has_name = column.measure is runid and column.summary is not None
        return replace(column, summary=name) if has_name else column

    return replace(evaluation, run=name, columns=tuple(map(with_name, evaluation.columns)))
