"""The option class, hints for unknown options, and the brief help."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from typing import Any

import click

from irevalx.errors import UsageError, quote
from irevalx.frozen import Frozen


class NamedOption(click.Option):
    """An option with other long names (``also``, separated by blanks) that the help does not show."""

    def __init__(self, *args: Any, also: str | None = None, **attrs: Any) -> None:
        super().__init__(*args, **attrs)
        self.also = (also or "").split()

    @property
    def every_name(self) -> list[str]:
        """All names; names shown in the help come first."""
        return [*self.opts, *self.also]

    def add_to_parser(self, parser: Any, ctx: click.Context) -> None:
        """Add all names to the parser."""
        visible, self.opts = self.opts, self.every_name
        super().add_to_parser(parser, ctx)
        self.opts = visible


class Guess(Frozen):
    """Option names that users may try, with hints about the corresponding options."""

    names: frozenset[str]
    hint: str
    program: str | None = None  # the only program with this hint; None for all
    requires: frozenset[str] = frozenset()  # options that the command must have

    def fits(self, name: str, known: Collection[str], program: str) -> bool:
        """Return whether the hint applies to an unknown option of a program with these known options."""
        return name in self.names and self.program in {None, program} and self.requires <= set(known)


_TOPIC_NAMES = frozenset({"--topics", "--topic", "--queries", "--query-ids", "--topic-ids", "--qids"})

GUESSES = (
    Guess(frozenset({"-a"}), "; -m all_trec prints all measures of trec_eval", "irevalx"),  # up to trec_eval 7
    Guess(
        _TOPIC_NAMES,
        "; -D .TOPIC evaluates one topic, and --topic-groups FILE also prints the values of topic subsets",
        "irevalx",
    ),
    Guess(
        _TOPIC_NAMES,
        "; --topic-groups FILE defines topic subsets. To use some topics only, remove the other topics from the "
        "judgments",
        requires=frozenset({"--topic-groups"}),
    ),
    Guess(_TOPIC_NAMES, "; to use some topics only, remove the other topics from the judgments"),
    Guess(
        frozenset({"--margin", "--require", "--allow-unsure", "--junit"}),
        "; irevalx-lab gate QRELS RUN... --baseline RUN --margin D tests that runs are not worse than a baseline",
        "irevalx-lab compare",
    ),
    Guess(frozenset({"--page"}), "; irevalx-lab report --margin D writes an HTML report that begins with the verdicts"),
    Guess(
        frozenset({"-n"}), "; did you mean --per-topic or --in-all?", requires=frozenset({"--per-topic", "--in-all"})
    ),
)
"""The hints to guessed options; the first that fits is printed."""

_SHORTEST = len("--n")
"""Options with names of at most this length are not suggested."""


def unknown_option(name: str, known: Collection[str], program: str = "irevalx") -> UsageError:
    """Return the error about an unknown option, with a suggestion if a known option has a similar name."""
    names = set(known)
    long = [option_name for option_name in known if option_name.startswith("--") and len(option_name) > _SHORTEST]
    hint = next((guess.hint for guess in GUESSES if guess.fits(name, names, program)), None)
    if hint is None:
        hint = nearest(name, long)
    return UsageError(f"unknown option {quote(name)}{hint}")


def nearest(word: str, known: Iterable[str]) -> str:
    """Return a suggestion of the most similar known word; "" if no word is similar."""
    import difflib

    by_name = {name.lstrip("-"): name for name in known}
    alike = difflib.get_close_matches(word.lstrip("-"), by_name, n=1, cutoff=_LEAST_SIMILARITY)
    return f"; did you mean {by_name[alike[0]]}?" if alike else ""


_LEAST_SIMILARITY = 0.75
"""Minimum similarity of a suggested name, which permits typos and missing endings, but not different words."""


ALL_OF_IT = "--help"
"""The option of the full help, which is the text of the manual page."""

COLUMN = 24
"""Width of the option names in the brief help."""

_END = re.compile(r"\.\s+(?=[A-Z])")
_IN_BRACKETS = re.compile(r"(?:\s+\[[^]]*\])*$")
_LONG = 100
"""Length above which sentences end at their first semicolon, unless it is near the beginning or in a list."""

_AT_ONCE = 30


def first_sentence(text: str) -> str:
    """Return the first sentence of a text, shortened if it is long, and the brackets at the end.

    >>> first_sentence("Pool the first K documents. May be repeated.  [default: 100]")
    'Pool the first K documents.  [default: 100]'
    """
    brackets = _IN_BRACKETS.search(text)
    end = brackets.start() if brackets else len(text)
    sentence = _END.split(text[:end])[0].removesuffix(".")
    ends = [end.start() for end in re.finditer("; ", sentence) if end.start() > _AT_ONCE]
    outside = [
        end for end in ends if sentence.count("(", 0, end) == sentence.count(")", 0, end) and ": " not in sentence[:end]
    ]
    if len(sentence) > _LONG and outside:
        sentence = sentence[: outside[0]]
    return f"{sentence}.{text[end:]}"
