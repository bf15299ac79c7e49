"""The rules for ranking a run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from irevalx.frozen import Frozen, cached_property, defaults
from irevalx.settings import Duplicates, Settings, Ties

if TYPE_CHECKING:
    from typing_extensions import Self

MOST_RETRIEVED = 2**31 - 1
"""The maximum number of evaluated documents per topic, as in trec_eval."""


class RankingRules(Frozen):
    """The rules for ranking a run."""

    only: bytes | None = None  # the one topic to rank, or None for all judged topics
    max_retrieved: int = MOST_RETRIEVED  # maximum number of evaluated documents per topic; at least 0
    keep_all: bool = False  # whether the ranking also contains unpooled documents
    look_up: bool = True  # whether documents are ranked and looked up; if false, only topics are determined
    processes: int = 1
    first_name_first: bool = False  # whether ties are broken by ascending byte order of IDs, not descending
    ties: Ties = "name"  # order of tied documents
    ignore_identical_ids: bool = False  # whether documents whose ID equals the topic's are excluded
    duplicates: Duplicates = "error"  # treatment of a document that occurs twice in a topic

    @classmethod
    def of(cls, settings: Settings, **others: Any) -> Self:
        """Return the ranking rules that follow from settings. ``others`` contains the values of further rules."""
        rules: dict[str, Any] = {
            "max_retrieved": MOST_RETRIEVED if settings.max_retrieved is None else settings.max_retrieved,
            "ties": settings.tie_orders[0],
            "ignore_identical_ids": settings.ignore_identical_ids,
            "duplicates": settings.duplicates,
        }
        return cls(**rules | others)

    def changes(self) -> dict[str, Any]:
        """Return a dictionary with the values of the rules that differ from their defaults."""
        both = ((name, getattr(self, name), default) for name, default in defaults(RankingRules).items())
        return {name: value for name, value, default in both if value != default}

    @cached_property
    def are_plain(self) -> bool:
        """Whether the rules that are not supported for short lists have their default values."""
        return all(getattr(self, name) == default for name, default in _PLAIN.items())


_OF_SHORT_LISTS = frozenset({"max_retrieved", "keep_all", "processes", "duplicates"})
"""The rules that the ranking of short lists supports, or that do not affect the ranking."""

_PLAIN = {name: default for name, default in defaults(RankingRules).items() if name not in _OF_SHORT_LISTS}
"""The rules that the ranking of short lists does not support, with their default values."""
