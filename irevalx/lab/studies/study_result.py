"""What comes of a study: scores, statistics of each sample, their means and deviations, knees; a folder with all."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from math import comb
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any

from irevalx.api import checks
from irevalx.arrays.segments import FloatArray
from irevalx.frozen import Frozen, cached_property, replace
from irevalx.lab.command.output import FORMATS, make_folder, write_lines
from irevalx.lab.command.result import Result
from irevalx.lab.studies.groups_outside import FoundRow, OutsideRow, found_for_people, outside_for_people
from irevalx.lab.studies.run_study import MOST_SAMPLES, REFERENCES, Study, is_comparable
from irevalx.lab.studies.summaries import INVERSIONS, StudySummary, mean_and_spread, statistics_of, summary_of
from irevalx.process.terminal import progress_bar
from irevalx.process.workers import in_order
from irevalx.reports.output_formats import DIGITS
from irevalx.reports.table import Table
from irevalx.statistics.knees import THRESHOLD

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

    from irevalx.lab.plot.page import Page

ENDINGS = ("png", "svg", "pdf")
"""The formats of figures."""

AXES = ("log", "linear")
"""How the axis of levels is divided in figures."""


ERRORS_OF_DECISIONS = {
    "fpr": "of the pairs of runs that do not differ under full judgments, the share that does under reduced ones",
    "fnr": "of the pairs of runs that differ under full judgments, the share that does not under reduced ones",
}
"""The two errors of decisions in words, by their columns. Bompada et al. 2007 call the second kind false positives."""

_SHOWN = ("tau_b", "pearson", "rms", "bias")


class KneeRow(Frozen):
    """From which level on a measure can be trusted, by one statistic; None where there is no such level.

    Parameters
    ----------
    measure, statistic : what is trusted, and by what.
    knee : the least level from which on the mean over samples exceeds the threshold.
    first : the least level at which it does.
    monotone : whether these are the same.
    low, high : the interval of the knee over draws of topics; None unless topics were drawn, and beyond all levels.
    reliable : the least level from which on at least 95 % of the samples exceed the threshold.
    """

    measure: str
    statistic: str
    knee: str | None
    first: str | None
    monotone: bool
    low: str | None
    high: str | None
    reliable: str | None


class StudyResult(Result):
    """What comes of a study: the levels from which measures can be trusted, and all that they are drawn from.

    Parameters
    ----------
    study : the numbers.
    how_made : options, inputs and seeds, as study.json has them.
    seed : of the first sample; None where nothing was left to chance.
    found : what an order of judging has found; empty for other schemes.
    outside : how far groups of runs are wronged that take no part in the pooling; empty unless groups were given.
    """

    study: Study
    how_made: Mapping[str, Any]
    seed: int | None
    found: Sequence[FoundRow] = ()
    outside: Sequence[OutsideRow] = ()

    @property
    def rows(self) -> list[KneeRow]:
        """One row per measure and statistic: from which level on it can be trusted."""
        return knee_rows(self.study)

    @cached_property
    def summary(self) -> StudySummary:
        """What figures and tables for people show."""
        return summary_of(self.study, self.how_made)

    def tables(self) -> list[Table]:
        """Return the knees, the summary, the statistics of each sample, and all scores."""
        return [make() for make in self._tables().values()]

    @property
    def table_titles(self) -> tuple[str, ...]:
        """The titles of all tables."""
        return tuple(self._tables())

    def table(self, title: str) -> Table:
        """Return one of the tables."""
        return self._tables()[title]()

    def _tables(self) -> dict[str, Callable[[], Table]]:
        """Return what makes each table, by its title."""
        of_order = {
            "found": (FoundRow, self.found),
            "groups": (OutsideRow, self.outside),
        }
        return {
            "knees": lambda: Table.of("knees", KneeRow, self.rows, n_labels=2),
            "summary": lambda: summary_table(self.summary),
            "samples": lambda: samples_table(self.study),
            "scores": lambda: scores_table(self.study),
            **{title: partial(Table.of, title, *of, n_labels=4) for title, of in of_order.items() if of[1]},
        }

    def tables_for_people(self) -> list[Table]:
        """Return the knees, and for an order what it has found, and what happens to groups outside the pooling."""
        tables = [knees_for_people(self.study)]
        tables += [found_for_people(self.found)] if self.found else []
        return [*tables, outside_for_people(self.outside)] if self.outside else tables

    def to_frame(self, table: str = "knees") -> pd.DataFrame:
        """Return a table as a pandas data frame: every digit, and a column for each column.

        Parameters
        ----------
        table : knees, summary, samples or scores; of an order of judging also found, and with
            groups groups.

        Raises
        ------
        ArgumentError : it is none of these.
        ImportError : pandas is not installed.
        """
        found = self._tables()
        import pandas as pd

        made = found[checks.one_of("table", table, [*found])]()
        return pd.DataFrame([list(row) for row in made.rows], columns=list(made.columns))

    def files(self, digits: int = DIGITS) -> dict[str, bytes]:
        """Return the texts of the files that tell all of it, by their names.

        Parameters
        ----------
        digits : decimals of real numbers in summary.txt.
        """
        return {name: b"".join(lines) for name, lines in self._files(digits)}

    def _files(self, digits: int) -> Iterator[tuple[str, Iterable[bytes]]]:
        """Yield the name and the lines of each of them, one after the other: tables of scores are large."""
        for title, make in self._tables().items():
            yield f"{title}.csv", FORMATS["csv"].table_lines([make()])
        for_people = list(tables_for_people(self.study, self.summary, self.notes))
        yield "summary.txt", FORMATS["table"].table_lines(for_people, digits)
        yield "study.json", [json.dumps(self.how_made, indent=1).encode() + b"\n"]

    @property
    def figure_names(self) -> tuple[str, ...]:
        """The names of all figures."""
        from irevalx.lab.studies.study_figures import figures

        return tuple(name for name, _ in figures(self.summary))

    def figure(
        self, name: str = "agreement-with-AP", *, axis: str = "log", width: float = 7.0, titled: bool = True
    ) -> Figure:
        """Draw one of the figures.

        Parameters
        ----------
        name : one of ``figure_names``.
        axis : ``log`` or ``linear``: how that of levels is divided.

        Raises
        ------
        ArgumentError : one is none of these.
        """
        checks.one_of("axis", axis, AXES)
        from irevalx.lab.plot.page import Page, style
        from irevalx.lab.studies.study_figures import figures

        checks.one_of("name", name, self.figure_names)
        with style():
            return dict(figures(self.summary))[name](Page(width, titled, axis == "linear"))

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
    ) -> None:
        """Write all tables and figures to a folder; each file is there complete or not at all.

        Parameters
        ----------
        figures : their format: png, svg or pdf; None for no figures.
        axis : ``log`` or ``linear``: how that of levels is divided.
        threads : how many processes share the drawing; at least 1.
        progress : show on standard error how many figures have been drawn, on a terminal.

        Raises
        ------
        OutputError : it cannot be written.
        """
        checks.one_of("axis", axis, AXES)
        if figures is not None:
            checks.one_of("figures", figures, ENDINGS)
        path = make_folder(fspath(folder))
        for name, lines in self._files(digits):
            write_lines(lines, path / name)
        if figures is None:
            return
        from irevalx.lab.plot.page import Page, picture
        from irevalx.lab.studies.study_figures import figures as all_figures

        drawings = [(f"{name}.{figures}", draw) for name, draw in all_figures(self.summary)]
        page = Page(width, titled, axis == "linear")

        def draw(drawing: tuple[str, Callable[[Page], Figure]]) -> bytes:
            name, make = drawing
            return picture(make, page, name)

        with progress_bar("figures drawn", len(drawings), shown=progress) as advance:
            drawn = in_order(draw, lambda: drawings, threads)  # no process but this one has files that may be left
            for (name, _), content in zip(drawings, drawn, strict=True):
                write_lines([content], path / name)
                advance(1)


def scores_table(study: Study) -> Table:
    """Return a row for each level, sample, run and measure; the first rows are those of the full judgments."""
    of_samples = [
        (study.scheme, level.text, s, seed, study.scores[i, s])
        for i, level in enumerate(study.levels)
        for s, seed in enumerate(study.seeds)
    ]
    rows = [
        (*labels, run, measure, score)
        for *labels, scores in [("full", None, None, None, study.full), *of_samples]
        for measure, of_measure in zip(study.experiment.measures, scores.tolist(), strict=True)
        for run, score in zip(study.experiment.runs, of_measure, strict=True)
    ]
    return Table("scores", ("scheme", "level", "sample", "seed", "run", "measure", "score"), rows, n_labels=6)


def samples_table(study: Study) -> Table:
    """Return a row for each level, sample, measure and reference."""
    columns = {reference: statistics_of(study, reference) for reference in REFERENCES}
    rows = [
        (study.scheme, level.text, s, seed, measure, reference, *(one[i, s, m].item() for one in of_all.values()))
        for i, level in enumerate(study.levels)
        for s, seed in enumerate(study.seeds)
        for m, measure in enumerate(study.experiment.measures)
        for reference, of_all in columns.items()
    ]
    labels = ("scheme", "level", "sample", "seed", "measure", "against")
    return Table("samples", (*labels, *columns["itself"]), rows, n_labels=len(labels))


def summary_table(summary: StudySummary) -> Table:
    """Return a row for each level, measure and reference: means over samples, and standard deviations (of a sample).

    Where topics were resampled, the ends of the intervals of the means stand after them; inversions are the last.
    """
    rows = [
        (summary.scheme.name, level.text, kept, measure, reference, *(float(values[i]) for values in of_all.values()))
        for i, (level, kept) in enumerate(zip(summary.levels, summary.judged.tolist(), strict=True))
        for (measure, reference), of_all in summary.columns.items()
    ]
    labels = ("scheme", "level", "judged", "measure", "against")
    return Table("summary", (*labels, *next(iter(summary.columns.values()))), rows, n_labels=len(labels))


def knee_rows(study: Study) -> list[KneeRow]:
    """Return a row for each measure and statistic."""
    curves = {name: (study.knees(curve), study.reliable_levels(curve)) for name, curve in _curves(study).items()}
    rows = []
    for m, measure in enumerate(study.experiment.measures):
        for name, (knees, reliable) in curves.items():
            ends: tuple[int | None, int | None] = (None, None)
            if study.intervals is not None and name in study.intervals.knees:
                ends = study.intervals.knees[name][m]
            knee, first, low, high, safe = (
                _text(study, place) for place in (knees[m].knee, knees[m].first, *ends, reliable[m])
            )
            rows.append(KneeRow(measure, name, knee, first, knees[m].monotone, low, high, safe))
    return rows


def knees_for_people(study: Study) -> Table:
    """Return one row per measure and statistic, marked where a curve is not monotone."""
    rows = knee_rows(study)
    has_intervals = study.intervals is not None
    ends = ("low", "high") if has_intervals else ()
    cells = [
        (
            row.measure,
            row.statistic,
            row.knee if row.monotone else f"{row.knee or ''}*",
            *((row.low, row.high) if has_intervals else ()),
            row.reliable,
        )
        for row in rows
    ]
    heads = ("measure", "statistic", "mean exceeds", *ends, f"{MOST_SAMPLES:.0%} of samples exceed")
    notes = [
        f"The least levels from which on the mean over samples, and {MOST_SAMPLES:.0%} of the samples, exceed "
        f"{THRESHOLD} (blank: none)."
    ]
    if has_intervals:
        notes.append("low, high: the interval of the first over draws of topics (blank: beyond all levels).")
    if not all(row.monotone for row in rows):
        notes.append(f"* The mean exceeds {THRESHOLD} at a lesser level too, and falls again: first in knees.csv.")
    columns = ("measure", "statistic", "knee", *ends, "reliable")
    title = f"least level from which on the mean over samples exceeds {THRESHOLD}"
    return Table(title, columns, cells, n_labels=2, heads=heads, notes=tuple(notes))


def _curves(study: Study) -> dict[str, FloatArray]:
    """Return the statistics that have knees, of shape (n_levels, n_samples, n_measures)."""
    return {
        "tau_b_itself": study.statistics["itself"]["tau_b"],
        "tau_b_ap": study.statistics["AP"]["tau_b"],
        "accuracy": study.accuracy,
        "g_mean": study.g_mean,
    }


def _text(study: Study, place: int | None) -> str | None:
    """Return a level as it was typed."""
    return None if place is None else study.levels[place].text


def tables_for_people(study: Study, summary: StudySummary, notes: tuple[str, ...] = ()) -> Iterator[Table]:
    """Yield what a person reads first: the knees, then each statistic, one row per measure and a column for each level.

    Parameters
    ----------
    summary : of the study.
    notes : sentences to stand below the first table.
    """
    knees = knees_for_people(study)
    yield replace(knees, notes=(*knees.notes, *notes))
    n_pairs = comb(len(study.experiment.runs), 2)
    for reference, meaning in REFERENCES.items():
        for name in _SHOWN:
            yield _by_level(summary, f"{name.replace('_', ' ')}, against {meaning}", name, reference)
            if name == "tau_b":
                title = f"inversions of {n_pairs} pairs of runs, against {meaning}"
                yield _by_level(summary, title, INVERSIONS, reference)
    of_decisions = "of significance decisions, against those under full judgments"
    yield _by_level(summary, f"accuracy {of_decisions}", "accuracy")
    yield _by_level(summary, f"g-mean {of_decisions}", "g_mean")
    for name, words in ERRORS_OF_DECISIONS.items():
        yield _by_level(summary, f"{words} ({name} in summary.csv)", name)
    means = mean_and_spread(study.scores.mean(axis=3))["mean"].T.tolist()
    rows = [(measure, *of_measure) for measure, of_measure in zip(study.experiment.measures, means, strict=True)]
    yield Table("mean score over runs", ("measure", *(level.text for level in study.levels)), rows)


def _by_level(summary: StudySummary, title: str, name: str, reference: str = "itself") -> Table:
    """Return one row per measure of which a statistic means something, with the means over samples of each level."""
    rows = [
        (measure, *summary.columns[measure, reference][f"{name}_mean"].tolist())
        for measure in summary.measures
        if is_comparable(measure, reference, name)
    ]
    return Table(title, ("measure", *(level.text for level in summary.levels)), rows)
