"""Studies of runs under measures: judgments reduced again and again, and what comes of it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from fractions import Fraction
from functools import partial
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any

from irevalx import __version__
from irevalx.api import checks
from irevalx.api.forms import source_of
from irevalx.api.own_measures import Measures
from irevalx.api.user_warnings import warn
from irevalx.errors import InputError, UsageError, shown_name
from irevalx.experiments.ranked_runs import MEASURES
from irevalx.experiments.sample_values import requests_of_samples
from irevalx.experiments.samples import ROUNDINGS, warnings_without_relevant
from irevalx.experiments.seeds import MOST_DRAWS, chosen_seed
from irevalx.experiments.strata_design import divided, read_design
from irevalx.experiments.user_data import experiment_of, measures_of
from irevalx.frozen import cached_property
from irevalx.lab.command.output import FORMATS, make_folder, write_lines
from irevalx.lab.command.progress_bars import progress_bar
from irevalx.lab.command.result import Frame, Result
from irevalx.lab.studies.inferred_precision import with_error_sources
from irevalx.lab.studies.random_pairs import with_random_pairs
from irevalx.lab.studies.run_study import Study, run_study
from irevalx.lab.studies.schemes import SCHEMES, Division
from irevalx.lab.studies.study_bootstrap import Resampling
from irevalx.lab.studies.study_tables import (
    KneeRow,
    knee_rows,
    knees_for_people,
    samples_table,
    scores_table,
    summary_table,
    tables_for_people,
)
from irevalx.lab.studies.study_warnings import study_warnings
from irevalx.lab.studies.summaries import StudySummary, summary_of
from irevalx.process.workers import in_order
from irevalx.reading.source import Source
from irevalx.reports.output_formats import DIGITS
from irevalx.reports.table import Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from irevalx.lab.plot.page import Page

ENDINGS = ("png", "svg", "pdf")
"""The formats of figures."""

AXES = ("log", "linear")
"""How the axis of levels is divided in figures."""


class StudyResult(Result):
    """What comes of a study: the levels from which measures can be trusted, and all that they are drawn from.

    Parameters
    ----------
    study : the numbers.
    how_made : options, inputs and seeds, as study.json has them.
    seed : of the first sample; None where nothing was left to chance.
    """

    study: Study
    how_made: Mapping[str, Any]
    seed: int | None

    @property
    def rows(self) -> list[KneeRow]:
        """A row for each measure and statistic: from which level on it can be trusted."""
        return knee_rows(self.study)

    @cached_property
    def summary(self) -> StudySummary:
        """What figures and tables for people show."""
        return summary_of(self.study, self.how_made)

    def tables(self) -> list[Table]:
        """Return the knees, the summary, the statistics of each sample, and all scores."""
        return [make() for make in self._tables().values()]

    def _tables(self) -> dict[str, Callable[[], Table]]:
        """Return what makes each table, by its title."""
        return {
            "knees": lambda: Table.of("knees", KneeRow, self.rows, n_labels=2),
            "summary": lambda: summary_table(self.summary),
            "samples": lambda: samples_table(self.study),
            "scores": lambda: scores_table(self.study),
        }

    def tables_for_people(self) -> list[Table]:
        """Return the knees."""
        return [knees_for_people(self.study)]

    def to_frame(self, table: str = "knees") -> Frame:
        """Return a table as a pandas data frame: every digit, and a column for each column.

        Parameters
        ----------
        table : knees, summary, samples or scores.

        Raises
        ------
        ArgumentError : it is none of these.
        ImportError : pandas is not installed.
        """
        found = self._tables()
        if table not in found:
            raise checks.wrong("table", " or ".join(map(repr, found)), table)
        import pandas as pd

        made = found[table]()
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
        _check_axis(axis)
        from irevalx.lab.plot.page import Page, style
        from irevalx.lab.studies.study_figures import figures

        for one, draw in figures(self.summary):
            if one == name:
                with style():
                    return draw(Page(width, titled, axis == "linear"))
        raise checks.wrong("name", " or ".join(map(repr, self.figure_names)), name)

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
        _check_axis(axis)
        if figures is not None and figures not in ENDINGS:
            raise checks.wrong("figures", " or ".join(map(repr, ENDINGS)), figures)
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


def _check_axis(axis: str) -> None:
    if axis not in AXES:
        raise checks.wrong("axis", " or ".join(map(repr, AXES)), axis)


def study(
    qrels: Any,
    runs: Any,
    measures: Measures = MEASURES,
    *,
    scheme: str = "uniform",
    levels: str | Iterable[str | float | Fraction] | None = None,
    rounding: str = "up",
    strata: str | None = None,
    strata_file: Any = None,
    own_pool: bool = False,
    pairs: int = 0,
    samples: int = 10,
    infap_errors: bool = False,
    resamples: int = 0,
    resample_decisions: bool = False,
    seed: int | None = None,
    level: int = 1,
    complete: bool = False,
    min_retrieved: float = 0.0,
    rel_format: str = "qrels",
    threads: int = 1,
    progress: bool = False,
) -> StudyResult:
    """Reduce judgments to several levels, and compare each measure with AP and with itself under all judgments.

    Parameters
    ----------
    qrels, runs, measures : as ``irevalx.evaluate`` takes them; judgments with a grade for each document, and at least
        two runs. Measures of strata (-R sampled) and of probabilities (-R prels) may stand beside those of grades.
    scheme : how judgments are reduced: ``uniform``, ``stratified``, ``depth``, ``mixed`` or ``strata``.
    levels : shares such as "5%" or 0.05, or depths; None for the usual ones of the scheme.
    rounding : ``up`` or ``half-up``: how the shares of ``stratified`` become numbers of documents.
    strata, strata_file : for the scheme ``strata``, as ``irevalx.lab.degrade`` takes them.
    own_pool : for ``depth`` and ``mixed``: take the deepest pool of these runs for all judgments.
    pairs : so many random pairs of runs, each with the judged documents that one of the two has found for its full
        judgments, as Bompada et al. 2007 have them; the decisions are about these. 0 for all pairs under the same
        judgments. For ``uniform`` and ``stratified``.
    samples : at each level, with the seeds S, S+1, ...; at least 1, and at most 10,000,000. ``depth`` has one.
    infap_errors : add two measures that tell the errors of infAP apart.
    resamples : draws of topics, for intervals; 0 for none.
    resample_decisions : decide anew which runs differ for each draw of topics.
    seed : S; None for a new one, which the result has.
    level : the least grade that is relevant.
    complete : evaluate all judged topics, those that a run lacks as 0; otherwise the topics that every run has.
    min_retrieved : leave out runs with less than this share of the documents that they might have; 0 keeps all.
    rel_format : the format of judgments, as ``irevalx.evaluate`` has it.
    threads : how many processes share the work; at least 1.
    progress : show on standard error how many samples have been evaluated, on a terminal.

    Raises
    ------
    UsageError : keywords contradict each other.
    InputError : no document is judged.
    IrevalxError : as ``irevalx.evaluate``.
    """
    import scipy  # noqa: F401 - it is better missed now than after the work

    own_pool, infap_errors = checks.flag("own_pool", own_pool), checks.flag("infap_errors", infap_errors)
    pairs = checks.whole_number("pairs", pairs, least=0, most=MOST_DRAWS)
    samples = checks.whole_number("samples", samples, least=1, most=MOST_DRAWS)
    resamples = checks.whole_number("resamples", resamples, least=0, most=MOST_DRAWS)
    threads, level = checks.whole_number("threads", threads, least=1), checks.whole_number("level", level)
    if resample_decisions and (pairs or not resamples):
        raise UsageError("resample_decisions must be given together with resamples, and without pairs")
    _refuse_contradictions(scheme, rounding, strata, strata_file, own_pool=own_pool, pairs=pairs)
    chosen_levels = SCHEMES[scheme].levels(levels)
    of_strata = None if strata_file is None else source_of(strata_file, "strata_file")
    files = [_described(path) for path in _paths(qrels, runs, strata_file)]
    experiment = experiment_of(
        qrels,
        runs,
        requests_of_samples(measures_of(measures), level),
        level=level,
        complete=complete,
        min_retrieved=min_retrieved,
        rel_format=rel_format,
        threads=threads,
    )
    notes = experiment.notes()
    if own_pool:
        experiment = experiment.within_pool(int(max(one.number for one in chosen_levels)))
    if not (experiment.grades >= 0).any():
        raise InputError(f"{shown_name(experiment.judgments.path)}: a study must have a judged document, but got none")
    if infap_errors:
        experiment = with_error_sources(experiment)
    division = None
    if strata is not None:
        design = read_design(checks.text("strata", strata), named=strata_file is not None)
        stratum = divided(design, of_strata, experiment.judgments, lambda: experiment.ranking, warn)
        division = Division(design, stratum)
    if scheme in {"uniform", "stratified"}:
        for line in warnings_without_relevant(experiment.judgments, level):
            warn(line)
    is_random = scheme != "depth"
    first_seed = chosen_seed(seed) if is_random or resamples else seed or 0
    seeds = range(first_seed, first_seed + (samples if is_random else 1))
    evaluate = partial(run_study, scheme=scheme, levels=chosen_levels, seeds=list(seeds), rounding=ROUNDINGS[rounding])
    with progress_bar("samples evaluated", len(chosen_levels) * len(seeds), shown=progress) as advance:
        found = evaluate(
            experiment,
            done=partial(advance, 1),
            resampling=Resampling(resamples, seed=first_seed, decisions=resample_decisions) if resamples else None,
            division=division,
            processes=threads,
        )
    if pairs:
        found, note = with_random_pairs(found, pairs, first_seed, evaluate, processes=threads, progress=progress)
        notes = (*notes, note)
    for line in study_warnings(found):
        warn(line)
    about = {
        "irevalx": __version__,
        "scheme": scheme,
        **({} if strata is None else {"strata": strata}),
        **({} if rounding == "up" else {"rounding": rounding}),
        "own_pool": own_pool,
        **({"pairs": pairs} if pairs else {}),
        "levels": [one.text for one in found.levels],
        "seeds": list(seeds) if is_random else [],
        "resamples": resamples,
        "measures": list(experiment.measures),
        "level": level,
        "runs": list(experiment.runs),
        "topics": len(experiment.topics),
        "judgments": experiment.judgments_digest,
        "inputs": files,
    }
    return StudyResult(found, about, first_seed if is_random or resamples else None, notes=notes)


def _refuse_contradictions(
    scheme: str, rounding: str, strata: Any, strata_file: Any, *, own_pool: bool, pairs: int
) -> None:
    """Raise an error for keywords that are none, or that another scheme has."""
    if scheme not in SCHEMES:
        raise checks.wrong("scheme", " or ".join(map(repr, SCHEMES)), scheme)
    if rounding not in ROUNDINGS:
        raise checks.wrong("rounding", " or ".join(map(repr, ROUNDINGS)), rounding)
    if own_pool and scheme not in {"depth", "mixed"}:
        raise UsageError(f"own_pool must be given together with the scheme depth or mixed, but got {scheme}")
    if pairs and scheme not in {"uniform", "stratified"}:
        raise UsageError(f"pairs must be given together with the scheme uniform or stratified, but got {scheme}")
    if (scheme == "strata") != (strata is not None):
        raise UsageError("the scheme strata and strata must be given together")
    if strata_file is not None and strata is None:
        raise UsageError("strata_file must be given together with strata")
    if rounding != "up" and scheme != "stratified":
        raise UsageError(f"rounding must be given together with the scheme stratified, but got {scheme}")


def _paths(*given: Any) -> list[str]:
    """Return the files among what was given by their paths."""
    found: list[str] = []
    for one in given:
        if isinstance(one, str | PathLike):
            found.append(fspath(one))
        elif isinstance(one, list | tuple):
            found += _paths(*one)
    return found


def _described(path: str) -> dict[str, str | None]:
    """Return the path of a file and its SHA-256, which is None for what cannot be read twice."""
    source = Source(path)
    return {"path": path, "sha256": source.sha256() if source.size else None}
