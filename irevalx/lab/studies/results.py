"""The results of a study: values, statistics of each sample, summaries and knees, and results of judging strategies."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import groupby
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from irevalx.arrays.segments import BoolArray, FloatArray
from irevalx.checks import named_choice
from irevalx.errors import warn
from irevalx.experiments.ranked_runs import GradedRuns
from irevalx.experiments.run_groups import groups_of
from irevalx.experiments.samples import is_relevant
from irevalx.experiments.strata import values_of_sample
from irevalx.frozen import Frozen, cached_property, replace
from irevalx.lab.command.output import FORMATS, Result, write_folder, write_lines
from irevalx.lab.judging.strategies import simulated_strategy, without_judgment_warning
from irevalx.lab.studies.schemes import Scheme
from irevalx.lab.studies.simulation import Study
from irevalx.lab.studies.summaries import (
    KneeRow,
    StudySummary,
    knee_rows,
    knees_for_people,
    samples_table,
    scores_table,
    study_json,
    summary_of,
    summary_table,
    tables_for_people,
    tau_tables,
)
from irevalx.process.terminal import progress_bar
from irevalx.process.workers import in_order
from irevalx.reports.output_formats import DIGITS
from irevalx.reports.table import Table
from irevalx.strategies.simulation import BudgetLevel, SimulatedJudging, StrategySimulation

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from irevalx.lab.plotting.page import Page


class RecallRow(NamedTuple):
    """The number of relevant documents, over all topics, that a strategy selects within a budget."""

    scheme: str
    level: str
    sample: int
    seed: int
    judged: int  # number of judged documents
    relevant: int  # number of relevant documents among them
    share: float  # share of all documents judged relevant; 0 if there are none


class UnpooledRunRow(NamedTuple):
    """The bias against a group of runs whose documents a judging strategy does not select."""

    scheme: str
    level: str
    measure: str
    group: str
    runs: int  # number of runs in the group
    change: float  # change in the group's mean value if the strategy ignores the group
    others: float  # change for all other runs
    places_lost: float  # mean number of ranks that a run of the group loses


class StrategyResult(Frozen):
    """The documents that a judging strategy selected. The object is empty if the scheme is not a strategy."""

    ordering: StrategySimulation | None = None  # strategy with the candidates of all runs
    replayed: Sequence[SimulatedJudging] = ()  # for each seed, at each level in ascending order

    @classmethod
    def of(
        cls,
        scheme: Scheme,
        runs: Any,
        experiment: GradedRuns,
        levels: Sequence[BudgetLevel],
        seeds: Sequence[int],
        options: Mapping[str, Any],
        *,
        processes: int,
    ) -> StrategyResult:
        """Simulate a strategy on the judgments of an experiment. ``options`` are keywords of ``simulated_strategy``."""
        if scheme.order is None:
            return cls()
        level, ranking, judgments = int(experiment.level), experiment.ranking_rules, experiment.judgments
        ordering = simulated_strategy(scheme.name, runs, level=level, ranking=ranking, **options)

        def replay(seed: int) -> tuple[Any, ...]:
            result = ordering.replay(judgments, levels, seed)
            return result.in_sample, result.inclusion, result.n_without  # without the judgments, which are large

        replayed = [SimulatedJudging(judgments, *parts) for parts in in_order(replay, lambda: seeds, processes)]
        for line in without_judgment_warning(replayed[0], ordering.rules):
            warn(line)
        return cls(ordering, replayed)

    def recall(self, study: Study) -> list[RecallRow]:
        """Count the relevant documents that the strategy selects, for each level and each sample."""
        relevant = is_relevant(study.experiment.judgments, study.experiment.level)
        total = max(1, int(np.count_nonzero(relevant)))
        rows = []
        for i, level in enumerate(study.levels):
            for sample, (seed, replayed) in enumerate(zip(study.seeds, self.replayed, strict=False)):
                judged = replayed.in_sample[i]
                n_relevant = int(np.count_nonzero(judged & relevant))
                counts = (int(np.count_nonzero(judged)), n_relevant, n_relevant / total)
                rows.append(RecallRow(study.scheme, level.text, sample, seed, *counts))
        return rows

    def unpooled(self, study: Study, groups: Any, group_by: str | None, *, processes: int) -> list[UnpooledRunRow]:
        """Compare the values with the values for a strategy that ignores a group of runs.

        Return a row for each level, measure and group.
        """
        ordering, experiment = self.ordering, study.experiment
        if ordering is None or (groups is None and group_by is None):
            return []
        group_of_run = groups_of(experiment.runs, groups, group_by)
        members = {name: np.array([group == name for group in group_of_run]) for name in dict.fromkeys(group_of_run)}

        def without(group: BoolArray) -> FloatArray:
            """Return the values without a group, with the shape (n_levels, n_samples, n_measures, n_runs)."""
            others, scores = ordering.of_runs(~group), np.empty(study.scores.shape)
            for s, seed in enumerate(study.seeds):
                replayed = others.replay(experiment.judgments, study.levels, seed)
                for i in range(len(study.levels)):
                    scores[i, s] = experiment.scores(values_of_sample(experiment, replayed.sample(i)))
            return scores

        rows = []
        scores_without = in_order(without, members.values, processes)
        for (name, group), scores in zip(members.items(), scores_without, strict=True):
            change = (scores - study.scores).mean(axis=1)
            lost = (_ranks(scores) - _ranks(study.scores)).mean(axis=1)
            for i, level in enumerate(study.levels):
                for m, measure in enumerate(experiment.measures):
                    means = (change[i, m][group], change[i, m][~group], lost[i, m][group])
                    labels = (study.scheme, level.text, measure, name, int(group.sum()))
                    rows.append(UnpooledRunRow(*labels, *(float(values.mean()) for values in means)))
        return rows


def _ranks(scores: FloatArray) -> FloatArray:
    """Return the rank of each run. The highest score has rank 1, and tied runs share the mean of their ranks."""
    higher = (scores[..., np.newaxis, :] > scores[..., np.newaxis]).sum(axis=-1)
    equal = (scores[..., np.newaxis, :] == scores[..., np.newaxis]).sum(axis=-1)
    ranks: FloatArray = higher + (equal + 1) / 2
    return ranks


def recall_table(rows: Sequence[RecallRow]) -> Table:
    """Return a table with a row for each level, in which values are means over samples."""
    cells = []
    for level, of_level in groupby(rows, key=lambda row: row.level):
        judged, relevant, share = np.array([(row.judged, row.relevant, row.share) for row in of_level]).mean(axis=0)
        cells.append((level, round(judged), round(relevant), float(share)))
    return Table(
        "relevant documents found by number of judged documents",
        ("level", "judged", "relevant", "share"),
        cells,
        heads=("level", "judged", "relevant", "share of all relevant"),
    )


def unpooled_table(rows: Sequence[UnpooledRunRow]) -> Table:
    """Return a table with a row for each group and level, for the first measure."""
    first = rows[0].measure
    cells = [
        (row.group, row.runs, row.level, row.change, row.others, row.places_lost)
        for row in rows
        if row.measure == first
    ]
    return Table(
        "bias against groups of runs that do not contribute to the pool",
        ("group", "runs", "level", "change", "others", "places_lost"),
        cells,
        n_labels=3,
        heads=("group", "runs", "level", "change", "change of others", "ranks lost"),
        notes=(
            f"change: change of the mean {first} over the runs of a group if their documents are not selected; "
            "change of others: the same for the other runs; ranks lost: mean number of ranks that a run of the group "
            "falls. Other measures: groups.csv.",
        ),
    )


SUFFIXES = ("png", "svg", "pdf")
"""The possible file formats of figures."""

AXES = ("log", "linear")
"""The possible scales of the axis of levels in figures."""


class FigureFiles(NamedTuple):
    """The format and the style of the figures that are written to a folder."""

    suffix: str | None  # one of ``SUFFIXES``, or None if no figures are written
    axis: str  # one of ``AXES``
    width: float  # in inches
    titled: bool
    svg_text: bool = False  # whether SVG files contain text instead of outlines

    @property
    def page(self) -> Page:
        """The page on which the figures are drawn."""
        from irevalx.lab.plotting.page import Page

        return Page(self.width, self.titled, self.axis == "linear", self.svg_text)


class StudyResult(Result):
    """The knees of measures, and the values from which the knees are derived.

    A knee is the lowest level from which a measure is reliable.
    """

    study: Study
    how_made: Mapping[str, Any]  # options, inputs and seeds, as in study.json
    seed: int | None  # seed of the first sample; None if nothing is random
    recall: Sequence[RecallRow] = ()  # for a judging strategy
    unpooled: Sequence[UnpooledRunRow] = ()  # for a judging strategy, if groups were specified

    @property
    def rows(self) -> list[KneeRow]:
        """The knee of each measure and statistic.

        A knee is the lowest level from which the measure is reliable according to the statistic.
        """
        return knee_rows(self.study)

    @cached_property
    def summary(self) -> StudySummary:
        """The summary from which figures and displayed tables are created."""
        return summary_of(self.study, self.how_made)

    def tables(self) -> list[Table]:
        """Return all tables of the study."""
        return [table() for table in self._tables().values()]

    def _tables(self) -> dict[str, Callable[[], Table]]:
        """The function that creates each table, by the title of the table."""
        tables: dict[str, Callable[[], Table]] = {
            "knees": lambda: Table.of("knees", KneeRow, self.rows, n_labels=2),
            "summary": lambda: summary_table(self.summary),
            "samples": lambda: samples_table(self.study),
            "scores": lambda: scores_table(self.study),
        }
        if self.recall:
            tables["found"] = lambda: Table.of("found", RecallRow, self.recall, n_labels=4)
        if self.unpooled:
            tables["groups"] = lambda: Table.of("groups", UnpooledRunRow, self.unpooled, n_labels=4)
        return tables

    def tables_for_people(self) -> list[Table]:
        """Return the tables of tau-b by level and, for a judging strategy, of recall and of the bias against groups."""
        tables = tau_tables(self.summary)
        if self.recall:
            tables.append(recall_table(self.recall))
        if self.unpooled:
            tables.append(unpooled_table(self.unpooled))
        return tables

    def table(self, title: str | None = None) -> Table:
        """Return the table with a title: knees (the default), summary, samples, scores, found or groups."""
        tables = self._tables()
        return tables["knees" if title is None else named_choice("table", title, [*tables])]()

    def files(self, digits: int = DIGITS) -> dict[str, bytes]:
        """Return the content of each file except the figures, by file name.

        ``digits`` is the number of decimals in summary.txt.
        """
        return {name: b"".join(lines) for name, lines in self._files(digits)}

    def _files(self, digits: int) -> Iterator[tuple[str, Iterable[bytes]]]:
        """Yield the name and the lines of one file at a time, because tables of scores are large."""
        for title, table in self._tables().items():
            yield f"{title}.csv", FORMATS["csv"].table_lines([table()])
        knees = knees_for_people(self.study)
        for_people = [replace(knees, notes=(*knees.notes, *self.notes)), *tables_for_people(self.study, self.summary)]
        yield "summary.txt", FORMATS["table"].table_lines(for_people, digits)
        yield "study.json", [study_json(self.summary).encode()]

    @property
    def figure_names(self) -> tuple[str, ...]:
        """The names of all figures that the study provides."""
        from irevalx.lab.studies.figures import figures

        return tuple(name for name, _ in figures(self.summary))

    def figure(
        self, name: str = "agreement-with-AP", *, axis: str = "log", width: float = 7.0, titled: bool = True
    ) -> Figure:
        """Plot the figure with one of ``figure_names``. The axis of levels is logarithmic (log) or linear."""
        named_choice("axis", axis, AXES)
        from irevalx.lab.plotting.page import style
        from irevalx.lab.studies.figures import figures

        drawings = dict(figures(self.summary))
        with style():
            return drawings[named_choice("name", name, [*drawings])](FigureFiles(None, axis, width, titled).page)

    def write(
        self,
        folder: str | PathLike[str],
        *,
        figures: str | None = "png",
        axis: str = "log",
        width: float = 7.0,
        titled: bool = True,
        digits: int = DIGITS,
        threads: int = 1,
        progress: bool = False,
    ) -> list[str]:
        """Write all tables and figures to a folder, and return the names of the files. If an error occurs, write none.

        Figures are png, svg or pdf files, or are not written if ``figures`` is None. The axis of levels in figures is
        logarithmic (log) or linear. The figures are drawn by ``threads`` processes. With ``progress``, the number of
        figures drawn so far is shown on standard error, if this is a terminal.
        """
        named_choice("axis", axis, AXES)
        if figures is not None:
            named_choice("figures", figures, SUFFIXES)
        files = FigureFiles(figures, axis, width, titled)
        into = partial(self.write_into, figures=files, digits=digits, threads=threads, progress=progress)
        return write_folder(fspath(folder), into)

    def write_into(self, path: Path, *, figures: FigureFiles, digits: int, threads: int, progress: bool) -> list[str]:
        """Write all tables and figures to an empty folder. See ``write``."""
        names = []
        for name, lines in self._files(digits):
            write_lines(lines, path / name)
            names.append(name)
        if figures.suffix is None:
            return names
        from irevalx.lab.plotting.page import figure_bytes
        from irevalx.lab.studies.figures import figures as all_figures

        drawings = [(f"{name}.{figures.suffix}", draw) for name, draw in all_figures(self.summary)]
        page = figures.page

        def draw(drawing: tuple[str, Callable[[Page], Figure]]) -> bytes:
            return figure_bytes(drawing[1], page, drawing[0])

        with progress_bar("figures drawn", len(drawings), enabled=progress) as advance:
            contents = in_order(draw, lambda: drawings, threads)  # only this process removes incomplete files
            for (name, _), content in zip(drawings, contents, strict=True):
                write_lines([content], path / name)
                advance(1)
        return [*names, *(name for name, _ in drawings)]
