"""How a measure is explained: its docstring taken apart, and what its declaration says for help and manual alone."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from enum import Enum
from typing import Any

from irevalx.frozen import Frozen
from irevalx.measures.bibliography import papers_cited, with_references


class CountsAs(Enum):
    """What a measure takes a retrieved document for that has no judgment; the values are the words of the help."""

    NONRELEVANT = "nonrelevant"
    NOTHING = "nothing"
    NOT_THERE = "not there"
    UNJUDGED = "unjudged"
    RETRIEVED = "retrieved"
    NO_GAIN = "a gain of 0"
    GAIN_FOR_POOLED = "the gain given for -2, or 0"
    GAIN_FOR_OUTSIDE = "the gain given for -1, or 0"
    LIKE_JUDGED_ABOVE = "relevant as often as those judged above the same document"
    LIKE_STRATUM = "what is estimated from the sample of its stratum"
    RANDOMLY_THERE = "nonrelevant, and there with probability p"
    DOT = '"."'
    DASH = '"-"'

    @property
    def is_left_out(self) -> bool:
        """Whether removing such documents from the ranking (``-J``) makes no difference."""
        return self in {CountsAs.NOTHING, CountsAs.NOT_THERE}


class UpperBound(Enum):
    """When the reading ``rel`` is an upper bound; the values are the words of the help.

    It is one for a measure that cannot fall if unjudged documents turn out to be relevant.
    """

    NEVER = "no upper bound on the value with all documents judged"
    ALWAYS = "an upper bound on the value with all documents judged"
    BINARY_GAINS = f"{ALWAYS} if all grades are 0 or 1, -l is 1 and no gains are given"


class Explanation(Frozen, kw_only=True):
    """How a measure is explained.

    Parameters
    ----------
    function : what was declared. Its docstring is the prose: the first line is the title; then definition,
        ``Formula:``, ``Source:``.
    uses_level : whether ``-l`` makes a difference.
    pooled : what a retrieved document counts as that was pooled and not judged.
    outside : what a retrieved document counts as that is outside the pool.
    upper_bound : when the reading ``rel`` is an upper bound.
    without_results : what a topic without results counts as under ``-c``.
    """

    function: Callable[..., Any]
    uses_level: bool
    pooled: CountsAs
    outside: CountsAs
    upper_bound: UpperBound
    without_results: str

    @property
    def prose(self) -> str:
        """The docstring without indentation."""
        return inspect.cleandoc(self.function.__doc__ or "")

    @property
    def family(self) -> str:
        """The module that the measure is declared in."""
        return self.function.__module__

    @property
    def title(self) -> str:
        """What the measure is, in a few words."""
        return self.prose.partition("\n")[0].rstrip(".")

    @property
    def paragraphs(self) -> list[list[str]]:
        """The prose after the title, in paragraphs with papers in full; ``Formula:`` and ``Source:`` begin a line."""
        parts = [re.split(r"\n(?=Formula:|Source:)", paragraph) for paragraph in self.prose.split("\n\n")[1:]]
        return [[with_references(" ".join(part.split())) for part in paragraph] for paragraph in parts]

    @property
    def papers(self) -> list[str]:
        """The keys of the papers that it cites, in its order."""
        return papers_cited(self.prose)

    @property
    def formula(self) -> str:
        """The formula of the prose; empty where there is none."""
        lines = [line for paragraph in self.paragraphs for line in paragraph]
        found = (re.fullmatch(r"Formula: (.+?)\.", line) for line in lines)
        return next((match[1] for match in found if match), "")
