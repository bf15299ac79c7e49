"""Rank-biased overlap between two runs for each topic, and between two rankings of runs for each measure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from irevalx.arrays.segments import ordered_sum
from irevalx.errors import DuplicateDocumentError, NoTopicsError, Warn, quote, shown_name
from irevalx.lab.agreement.paired_evaluations import PairedEvaluations
from irevalx.lab.command.output import Result
from irevalx.process.platform import as_text
from irevalx.reading.kinds.runs import RunStream
from irevalx.reading.run_formats import TREC_RESULTS
from irevalx.reports.table import Table
from irevalx.statistics.correlations import Ranking, rank_biased_overlap, ranking_of
from irevalx.statistics.significance import without_noise
from irevalx.trec_eval import c_double

_COLUMNS = TREC_RESULTS.columns.split()


def looks_like_run(content: bytes) -> bool:
    """Return whether the first nonblank line of a file has the columns of a run and a numeric score."""
    fields = content.lstrip().partition(b"\n")[0].split()
    if len(fields) != len(_COLUMNS):
        return False
    return c_double(fields[_COLUMNS.index("SCORE")])[1]


def tied_rankings(run: RunStream) -> dict[bytes, Ranking[bytes]]:
    """Return the ranking of each topic in a run.

    Documents are in descending order of score, and documents with equal scores are tied.
    """
    rankings: dict[bytes, Ranking[bytes]] = {}
    for part in run.results():
        scores = part.scores.copy()
        places = np.flatnonzero(part.close)
        scores[places] = part.exact(places)
        docnos = part.docnos.texts()
        for number, topic in enumerate(part.topics):
            row = part.rows.slice(number)
            by_docno = dict(zip(docnos[row], scores[row].tolist(), strict=True))
            if len(by_docno) < part.rows.lengths[number]:
                raise DuplicateDocumentError(f"{shown_name(run.path)}: duplicate document in topic {quote(topic)}")
            rankings[topic] = ranking_of(by_docno)
    return rankings


class OverlapRow(NamedTuple):
    """The rank-biased overlap of two document rankings: the extrapolated overlap, the minimum and the residual."""

    topic: str
    """The topic ID, or ``all`` for the means over topics."""

    x: float
    """The number of documents that the first run retrieves."""

    y: float
    common: float
    rbo_w_ext: float
    rbo_w_min: float
    rbo_w_res: float


class RunOverlap(Result):
    """The result of ``agree`` for two runs.

    The field ``rows`` contains a row for each shared topic, and a row ``all`` with the means.
    """

    rows: Sequence[OverlapRow]

    def tables(self) -> list[Table]:
        """Return a single table that contains ``rows``."""
        return [Table.of("rank-biased overlap", OverlapRow, self.rows)]


def overlap_of_runs(x: RunStream, y: RunStream, p: float, warn: Warn = lambda line: None) -> RunOverlap:
    """Compare two runs on each topic that occurs in both runs. The argument ``p`` is the persistence."""
    of_x, of_y = tied_rankings(x), tied_rankings(y)
    topics = sorted(of_x.keys() & of_y.keys())
    if not topics:
        raise NoTopicsError(f"{shown_name(x.path)} and {shown_name(y.path)} have no topic in common")
    if left_out := len(of_x.keys() ^ of_y.keys()):
        warn(f"{left_out} of {left_out + len(topics)} topics are left out: only one of the runs has results for them")
    overlaps = []
    for topic in topics:
        documents = [{docno for group in ranking for docno in group} for ranking in (of_x[topic], of_y[topic])]
        numbers = (len(documents[0]), len(documents[1]), len(documents[0] & documents[1]))
        overlaps.append((*numbers, *rank_biased_overlap(of_x[topic], of_y[topic], p).values()))
    means = [ordered_sum(column) / len(topics) for column in np.array(overlaps, np.float64).T]
    rows = [OverlapRow(as_text(topic), *numbers) for topic, numbers in zip(topics, overlaps, strict=True)]
    return RunOverlap([*rows, OverlapRow("all", *means)])


def overlap_of_values(paired: PairedEvaluations, p: float) -> dict[str, float]:
    """Return the rank-biased overlap of two rankings of runs, by the names in ``OVERLAP_COLUMNS``."""
    x, y = (ranking_of(dict(zip(paired.runs, without_noise(scores).tolist(), strict=True))) for scores in paired.scores)
    return rank_biased_overlap(x, y, p)
