"""Inputs: the judgments and runs that a command of irevalx-lab reads, and how it evaluates them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from irevalx.cli.options import refuse_standard_input_twice
from irevalx.judgments.graded import Judgments
from irevalx.lab.experiment import Experiment, prepare
from irevalx.lab.judging.qrels_lines import QrelsLines
from irevalx.lab.ranked_runs import RankedRuns, raise_first, requests_of
from irevalx.process.messages import Messages
from irevalx.reading.formats import QRELS, SAMPLED, read_trec_results, rel_format
from irevalx.reading.runs import Run
from irevalx.reading.source import Source
from irevalx.trec_eval.versions import TREC_EVAL_10


@dataclass(frozen=True, eq=False, kw_only=True)
class Inputs:
    """The files and options that say what to read; nothing is read before a method or property asks for it.

    Fields bear the names of the parameters that fill them; a command without such a parameter leaves the default.

    Parameters
    ----------
    messages : shows warnings and progress.
    qrels : the path of the judgments.
    runs : the paths of the runs.
    measures : as ``requests_of`` takes them.
    level : the least grade that is relevant.
    least_retrieved : leave out runs with less than this share of the documents that they might have; 0 keeps all.
    rel_format : of the judgments.
    threads : how many processes share the work; at least 1.
    """

    messages: Messages
    qrels: str = ""
    runs: tuple[str, ...] = ()
    measures: tuple[str, ...] = ()
    level: int = 1
    least_retrieved: float = 0.0
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
    def qrels_lines(self) -> QrelsLines:
        """The judgments, with the lines that they were read from; raises as ``QrelsLines.read`` does."""
        return QrelsLines.read(self.qrels_source, self.messages.warn)

    @property
    def graded_judgments(self) -> Judgments:
        """The judgments, where these are grades: qrels, or those of a sample of strata; raises as reading them does."""
        if self.rel_format == QRELS.name:
            return self.qrels_lines.judgments
        judgments: Judgments = SAMPLED.read(self.qrels_source, TREC_EVAL_10, False, self.messages.warn)
        raise_first(judgments.duplicates)
        return judgments

    @cached_property
    def opened_runs(self) -> list[Run]:
        """The runs, whose lines are still to be read."""
        return [read_trec_results(source, TREC_EVAL_10, False, self.messages.warn) for source in self.run_sources]

    def experiment(self) -> Experiment:
        """Read judgments and runs, rank and look up; raises UsageError and as ``prepare`` does."""
        refuse_standard_input_twice(self.qrels, *self.runs)
        return self.experiment_with(self.qrels_lines.judgments)

    def experiment_with(self, judgments: Judgments) -> Experiment:
        """Do the same with other judgments."""
        return prepare(
            judgments,
            self.opened_runs,
            self.measures,
            level=self.level,
            least_retrieved=self.least_retrieved,
            processes=self.threads,
            warn=self.messages.warn,
        )

    def ranked_runs(self) -> RankedRuns:
        """Do the same as ``experiment`` with judgments of any format, which cannot be replaced by others then."""
        refuse_standard_input_twice(self.qrels, *self.runs)
        return self.ranked_with(self.qrels_source)

    def ranked_with(self, source: Source) -> RankedRuns:
        """Do the same with the judgments in another file."""
        if self.rel_format == QRELS.name:
            return self.experiment_with(QrelsLines.read(source, self.messages.warn).judgments)
        requests = requests_of(self.measures, self.level, self.rel_format)
        judgments = rel_format(self.rel_format).read(source, TREC_EVAL_10, False, self.messages.warn)
        return RankedRuns.of(
            judgments,
            self.opened_runs,
            requests,
            level=self.level,
            least_retrieved=self.least_retrieved,
            processes=self.threads,
            warn=self.messages.warn,
        )
