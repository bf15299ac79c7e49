"""Many runs against the same judgments: shared among processes, with unique names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import count

from irevalx.errors import EvaluationError, InputError, IrevalxError, NoTopicsError, Warn, quote
from irevalx.evaluation.chosen_topics import level_warnings
from irevalx.evaluation.columns import Column
from irevalx.evaluation.evaluate import Evaluation, evaluate
from irevalx.frozen import replace
from irevalx.judgments import AnyJudgments
from irevalx.measures.counts import runid
from irevalx.measures.select import Selection
from irevalx.process.workers import in_order, worth_sharing
from irevalx.reading.runs import RunStream
from irevalx.reading.source import as_column, stem_of
from irevalx.settings import Settings


def evaluate_all(
    judgments: AnyJudgments,
    runs: Sequence[RunStream],
    selection: Selection | IrevalxError,
    settings: Settings,
    *,
    processes: int = 1,
    traced: bool = False,
    warn: Warn = lambda line: None,
    progress: Callable[[int], None] = lambda lines: None,
) -> Iterator[Evaluation | IrevalxError]:
    """Yield the evaluation of each run, or its error, in order; several processes share them if there is much to read.

    ``selection`` can be an error, which is raised unless the run has an error as well. ``warn`` gets the warnings run
    by run.
    """
    sharing = min(processes, len(runs)) if worth_sharing(sum(run.size for run in runs)) else 1
    in_run = 1 if sharing > 1 else processes

    def work(run: RunStream) -> tuple[Evaluation | IrevalxError, int]:
        lines = [0]
        count = progress if sharing == 1 else lines.append
        try:
            if isinstance(selection, Selection):
                outcome = evaluate(judgments, run, selection, settings, processes=in_run, traced=traced, progress=count)
                return outcome, sum(lines)
            run = run.allowing(settings.duplicates)
            for block in run.blocks():
                run.parse(block)
        except (InputError, EvaluationError, NoTopicsError) as error:
            return error, sum(lines)
        raise selection

    if isinstance(selection, Selection):
        for line in level_warnings(judgments, selection.measures, settings, nonrelevant=True):
            warn(line)
    for outcome, lines in in_order(work, lambda: runs, sharing):
        progress(lines)
        for line in outcome.warnings:
            warn(line)
        yield outcome


def with_unique_names(evaluations: Sequence[Evaluation], warn: Warn) -> list[Evaluation]:
    """Name runs by ``unique_run_names``."""
    named = [(evaluation.run, evaluation.path) for evaluation in evaluations]
    return [renamed(*pair) for pair in zip(evaluations, unique_run_names(named, warn), strict=True)]


def unique_run_names(runs: Sequence[tuple[bytes, str]], warn: Warn) -> list[bytes]:
    """Return a unique name for each run, given tags and paths: tag, stem of the file, path, or path and number."""
    if len(runs) == 1:
        return [runs[0][0]]
    tags = Counter(tag for tag, _ in runs)
    paths = Counter(path for tag, path in runs if tags[tag] > 1)
    stems: Counter[str] = Counter()
    for path, number in paths.items():
        stems[stem_of(path)] += number
    taken = {tag for tag, number in tags.items() if number == 1}
    candidates = {path: _names_for(path, is_unique=stems[stem_of(path)] == 1) for path in paths}
    names = []
    for tag, path in runs:
        name = tag
        if tags[tag] > 1:
            name = next(candidate for candidate in candidates[path] if candidate not in taken)
            taken.add(name)
        names.append(name)
    for tag, number in tags.items():
        if number > 1:
            warn(f"{number} runs have the tag {quote(tag)}; they are called by the names of their files")
    return names


def _names_for(path: str, *, is_unique: bool) -> Iterator[bytes]:
    """Yield the names that runs in a file can have; none that was taken becomes free again."""
    if is_unique:
        yield as_column(stem_of(path))
    yield as_column(path)
    yield from (as_column(f"{path}#{number}") for number in count(2))


def renamed(evaluation: Evaluation, name: bytes) -> Evaluation:
    """Return an evaluation under another name."""
    if name == evaluation.run:
        return evaluation

    def with_name(column: Column) -> Column:
        has_name = column.measure is runid and column.summary is not None
        return replace(column, summary=name) if has_name else column

    return replace(evaluation, run=name, columns=tuple(map(with_name, evaluation.columns)))
