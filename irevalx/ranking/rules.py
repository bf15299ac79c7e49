"""How a run is ranked."""

from __future__ import annotations

from irevalx.frozen import Frozen, cached_property
from irevalx.settings import Duplicates, Ties

MOST_RETRIEVED = 2**31 - 1
"""How many documents of a topic count at most, as in trec_eval."""


class RankingRules(Frozen):
    """How to rank.

    Parameters
    ----------
    only : the only topic to rank; None for all that were judged.
    max_retrieved : the number of a topic's first documents that count; at least 0.
    keep_all : keep the rows of documents outside the pool as well.
    look_up : find the documents in the judgments, and those that occur twice; otherwise topics alone are looked at.
    processes : how many share the blocks of a big run; at least 1.
    first_name_first : rank equal scores by document with the first in byte order first, rather than the last.
    ties : how documents with equal scores are ordered.
    ignore_identical_ids : leave out documents with the id of their topic.
    duplicates : what becomes of a document that occurs twice in a topic.
    """

    only: bytes | None = None
    max_retrieved: int = MOST_RETRIEVED
    keep_all: bool = False
    look_up: bool = True
    processes: int = 1
    first_name_first: bool = False
    ties: Ties = "name"
    ignore_identical_ids: bool = False
    duplicates: Duplicates = "error"

    @cached_property
    def are_plain(self) -> bool:
        """Whether all topics are ranked like in trec_eval, and looked up."""
        return (
            self.look_up
            and self.only is None
            and self.ties == "name"
            and not self.first_name_first
            and not self.ignore_identical_ids
        )
