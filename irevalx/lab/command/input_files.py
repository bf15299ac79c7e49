"""Inputs: the judgments and runs that a command of irevalx-lab reads, and how it evaluates them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import cast

from irevalx.cli.options import refuse_standard_input_twice
from irevalx.errors import MalformedLineError
from irevalx.experiments.experiment import Experiment, prepare
from irevalx.experiments.label_files import read_labels
from irevalx.experiments.qrels_text import GradedText
from irevalx.experiments.ranked_runs import RankedRuns, RunRules, requests_of
from irevalx.experiments.ranking_runs import raise_first
from irevalx.frozen import cached_property
from irevalx.judgments.graded import Judgments
from irevalx.measures.select import SelectedMeasure
from irevalx.process.messages import Messages
from irevalx.reading.formats import QRELS, REL_FORMATS, TREC_RESULTS, runs_in
from irevalx.reading.runs import Run
from irevalx.reading.source import Source
from irevalx.trec_eval.versions import TREC_EVAL_10

GRADED = tuple(name for name, form in REL_FORMATS.items() if QRELS.name in {name, form.measures_of})
"""The formats of judgments that have a grade for each document, and nothing else."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Inputs:
    """The files and options that say what to read; nothing is read before a method or property asks for it.

    Fields bear the names of the parameters that fill them; a command without such a parameter leaves the default.

    Parameters
    ----------
    messages : shows warnings and progress.
    qrels : the path of the judgments.
    labels_format : the format of labels from elsewhere; None for that of the judgments.
    runs : the paths of the runs.
    measures : as ``requests_of`` takes them.
    level : the least grade that is relevant.
    complete : evaluate all judged topics, those that a run lacks as 0; otherwise the topics that every run has.
    min_retrieved : leave out runs with less than this share of the documents that they might have; 0 keeps all.
    rel_format : of the judgments.
    threads : how many processes share the work; at least 1.
    """

    messages: Messages
    qrels: str = ""
    labels_format: str | None = None
    runs: tuple[str, ...] = ()
    measures: tuple[str, ...] = ()
    level: int = 1
    complete: bool = False
    min_retrieved: float = 0.0
    rel_format: str = QRELS.name
    threads: int = 1

    @cached_property
    def qrels_source(self) -> Source:
        """The file of the judgments."""
        return Source(self.qrels)

    @cached_property
    def run_sources(self) -> list[Source]:
        """The files of the runs."""
        return [Source(path) for path in self.runs]

    @cached_property
    def qrels_lines(self) -> GradedText:
        """The judgments, with the lines that they were read from; raises as ``GradedText.of`` does."""
        return GradedText.of(self.qrels)

    @property
    def graded_judgments(self) -> Judgments:
        """The judgments, in one of ``GRADED`` formats or of a sample of strata; raises as reading them does."""
        return self.qrels_lines.judgments if self.rel_format == QRELS.name else self._graded(self.qrels_source)

    def _graded(self, source: Source) -> Judgments:
        if self.rel_format == QRELS.name:
            return GradedText.of(source.path).judgments
        read = REL_FORMATS[self.rel_format].read(source, TREC_EVAL_10, False, self.messages.warn)
        judgments = cast("Judgments", read)
        raise_first(judgments.duplicates)
        return judgments

    @cached_property
    def opened_runs(self) -> list[Run]:
        """The runs, whose lines are still to be read; a Parquet file may have several."""
        runs = (runs_in(TREC_RESULTS, source, TREC_EVAL_10, False, self.messages.warn) for source in self.run_sources)
        return list(chain.from_iterable(runs))

    def labels(self, path: str) -> Judgments:
        """Read labels from elsewhere; raises as ``read_labels`` does."""
        try:
            return read_labels(Source(path), self.labels_format or self.rel_format, self.messages.warn)
        except MalformedLineError as error:  # the reader's hint is about the option of other judgments
            raise MalformedLineError(str(error).replace("give -R ", "give --labels-format ")) from None

    def judgments_of(self, path: str) -> Judgments:
        """Read judgments in their format; raises as ``read_labels`` does."""
        return read_labels(Source(path), self.rel_format, self.messages.warn)

    def experiment(self, requests: Sequence[SelectedMeasure] | None = None) -> Experiment:
        """Read judgments and runs, rank and look up; raises UsageError and as ``prepare`` does."""
        refuse_standard_input_twice(self.qrels, *self.runs)
        return self.experiment_with(self.graded_judgments, requests)

    def experiment_with(
        self, judgments: Judgments, requests: Sequence[SelectedMeasure] | None = None, *, least_runs: int = 2
    ) -> Experiment:
        """Do the same with other judgments and measures, and maybe with a single run."""
        return prepare(
            judgments,
            self.opened_runs,
            self.measures if requests is None else requests,
            self._rules(least_runs),
            warn=self.messages.warn,
        )

    def _rules(self, least_runs: int = 2) -> RunRules:
        return RunRules(
            level=self.level,
            complete=self.complete,
            least_retrieved=self.min_retrieved,
            least_runs=least_runs,
            processes=self.threads,
        )

    def ranked_runs(self) -> RankedRuns:
        """Do the same as ``experiment`` with judgments of any format, which cannot be replaced by others then."""
        refuse_standard_input_twice(self.qrels, *self.runs)
        return self.ranked_with(self.qrels_source)

    def ranked_with(self, source: Source) -> RankedRuns:
        """Do the same with the judgments in another file."""
        if self.rel_format in GRADED:
            return self.experiment_with(self._graded(source))
        requests = requests_of(self.measures, self.level, self.rel_format)
        judgments = REL_FORMATS[self.rel_format].read(source, TREC_EVAL_10, False, self.messages.warn)
        return RankedRuns.of(
            judgments,
            self.opened_runs,
            requests,
            self._rules(),
            warn=self.messages.warn,
        )
