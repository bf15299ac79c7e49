"""Suggestions for unknown options and commands."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from irevalx.errors import UsageError, quote
from irevalx.frozen import Frozen


class Guess(Frozen):
    """Names of options that do not exist but that users can try, with a hint about the corresponding option."""

    names: frozenset[str]
    hint: str
    program: str | None = None  # the program to which the hint is limited, or None
    requires: frozenset[str] = frozenset()  # the options without which the hint does not apply

    def fits(self, name: str, known: Collection[str], program: str) -> bool:
        """Return whether the hint applies to the unknown option ``name`` of a program with the options ``known``."""
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
"""The hints about unknown options. The first applicable hint is printed."""

_SHORTEST = len("--n")
"""The maximum length of option names that are never suggested."""


def unknown_option(name: str, known: Collection[str], program: str = "irevalx") -> UsageError:
    """Return the error about an unknown option, which includes a hint or suggests a similar option if there is one."""
    names = set(known)
    long = [option_name for option_name in known if option_name.startswith("--") and len(option_name) > _SHORTEST]
    hint = next((guess.hint for guess in GUESSES if guess.fits(name, names, program)), None)
    if hint is None:
        hint = nearest(name, long)
    return UsageError(f"unknown option {quote(name)}{hint}")


def nearest(word: str, known: Iterable[str]) -> str:
    """Return a phrase that suggests the most similar known word, or "" if no word is similar."""
    import difflib

    by_name = {name.lstrip("-"): name for name in known}
    alike = difflib.get_close_matches(word.lstrip("-"), by_name, n=1, cutoff=_LEAST_SIMILARITY)
    return f"; did you mean {by_name[alike[0]]}?" if alike else ""


_LEAST_SIMILARITY = 0.75
"""The minimum similarity of suggested names, which is low enough for typos and missing endings."""
