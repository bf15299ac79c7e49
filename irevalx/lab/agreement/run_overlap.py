"""Rank-biased overlap of two runs, topic by topic, and of two scorings, measure by measure."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from irevalx.arrays.segments import ordered_sum
from irevalx.errors import DuplicateDocumentError, NoTopicsError, Warn, quote, shown_name
from irevalx.frozen import Frozen
from irevalx.lab.agreement.paired_scorings import PairedScores
from irevalx.lab.command.result import Result
from irevalx.process.system import as_text
from irevalx.reading.formats import TREC_RESULTS
from irevalx.reading.runs import RunStream
from irevalx.reports.table import Table
from irevalx.statistics.rank_biased_overlap import Ranking, rank_biased_overlap, ranking_of
from irevalx.statistics.significance import without_noise
from irevalx.trec_eval.numbers import c_double

_COLUMNS = TREC_RESULTS.columns.split()


def looks_like_run(content: bytes) -> bool:
    """Return whether the first line that is not blank has the columns of a run, with a number as score."""
    fields = content.lstrip().partition(b"\n")[0].split()
    if len(fields) != len(_COLUMNS):
        return False
    return c_double(fields[_COLUMNS.index("SCORE")])[1]


def tied_rankings(run: RunStream) -> dict[bytes, Ranking[bytes]]:
    """Read a run: for each topic its documents by descending score, equal scores being ties.

    Raises
    ------
    DuplicateDocumentError : a document occurs twice in a topic.
    And what reading runs raises.
    """
    found: dict[bytes, Ranking[bytes]] = {}
    for part in run.results():
        scores = part.scores.copy()
        places = np.flatnonzero(part.close)
        scores[places] = part.exact(places)
        docnos = part.docnos.texts()
        for number, topic in enumerate(part.topics):
            row = part.rows.slice(number)
            by_docno = dict(zip(docnos[row], scores[row].tolist(), strict=True))
            if len(by_docno) < part.rows.lengths[number]:
                raise DuplicateDocumentError(
                    f"{shown_name(run.path)}: a document must be there once, but topic {quote(topic)} has one twice"
                )
            found[topic] = ranking_of(by_docno)
    return found


class OverlapOfTopic(Frozen):
    """The rank-biased overlap of two rankings of documents; of ``all``, the means over topics.

    Parameters
    ----------
    x, y, common : the number of documents in the first, in the second, and in both rankings.
    rbo_w_ext, rbo_w_min, rbo_w_max : extrapolated, least and greatest overlap, tied documents being equally ranked.
    rbo_a_ext, rbo_a_min, rbo_a_max : the means over all ways of breaking ties.
    rbo_b_ext, rbo_b_min, rbo_b_max : these corrected so that a ranking agrees with itself.
    """

    topic: str
    x: float
    y: float
    common: float
    rbo_w_ext: float
    rbo_w_min: float
    rbo_w_max: float
    rbo_a_ext: float
    rbo_a_min: float
    rbo_a_max: float
    rbo_b_ext: float
    rbo_b_min: float
    rbo_b_max: float


class RunOverlap(Result):
    """The rank-biased overlap of two runs: a row for each topic that both have, and ``all``, their means."""

    rows: Sequence[OverlapOfTopic]

    def tables(self) -> list[Table]:
        """Return the table of ``rows``."""
        return [Table.of("rank-biased overlap", OverlapOfTopic, self.rows)]


def overlap_of_runs(x: RunStream, y: RunStream, p: float, warn: Warn = lambda line: None) -> RunOverlap:
    """Return how far two runs agree on each topic that both have.

    Parameters
    ----------
    p : the chance of looking at the next depth, in (0, 1).
    warn : is called with a line on the topics that only one run has.

    Raises
    ------
    NoTopicsError : the runs have no topic in common.
    And what reading runs raises.
    """
    of_x, of_y = tied_rankings(x), tied_rankings(y)
    topics = sorted(of_x.keys() & of_y.keys())
    if not topics:
        raise NoTopicsError(
            f"two runs must have a topic in common, but {shown_name(x.path)} and {shown_name(y.path)} have none"
        )
    if left_out := len(of_x.keys() ^ of_y.keys()):
        warn(f"{left_out} of {left_out + len(topics)} topics are left out: only one of the runs has results for them")
    found = []
    for topic in topics:
        documents = [{docno for group in ranking for docno in group} for ranking in (of_x[topic], of_y[topic])]
        numbers = (len(documents[0]), len(documents[1]), len(documents[0] & documents[1]))
        found.append((*numbers, *rank_biased_overlap(of_x[topic], of_y[topic], p).values()))
    means = [ordered_sum(column) / len(topics) for column in np.array(found, np.float64).T]
    rows = [OverlapOfTopic(as_text(topic), *numbers) for topic, numbers in zip(topics, found, strict=True)]
    return RunOverlap([*rows, OverlapOfTopic("all", *means)])


def overlap_of_scorings(paired: PairedScores, p: float) -> dict[str, float]:
    """Return the overlaps of the rankings of runs in two scorings, by the names of ``OVERLAP_COLUMNS``."""
    x, y = (ranking_of(dict(zip(paired.runs, without_noise(scores).tolist(), strict=True))) for scores in paired.scores)
    return rank_biased_overlap(x, y, p)
