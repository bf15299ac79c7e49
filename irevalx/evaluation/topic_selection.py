"""Selection of the topics to evaluate, and detection of IDs that judgments and runs spell differently."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

import numpy as np

from irevalx.arrays.segments import BoolArray, FloatArray, IntArray, ordered_sum
from irevalx.errors import EvaluationError, quote, shown_name
from irevalx.frozen import Frozen
from irevalx.judgments import AnyJudgments
from irevalx.judgments.graded import Documents, Judgments
from irevalx.measures import BY_NAME
from irevalx.measures.selection import RequestedMeasure, Selection
from irevalx.ranking.rank import depth, in_topic_order
from irevalx.ranking.ranking import Ranking
from irevalx.ranking.rules import RankingRules
from irevalx.reading.sources.files import MARK
from irevalx.settings import Settings
from irevalx.wording import spelled


class ChosenTopics(Frozen):
    """The selected topics of a run."""

    ranking: Ranking
    """The ranking of the selected topics, in ascending byte order of topics."""
    missing: BoolArray
    """Whether the run has no results for each topic. The shape is (n_topics,)."""
    failure: EvaluationError | None
    """The error about the first topic that cannot be evaluated, or None if all topics can be evaluated."""


def ranking_rules(judgments: AnyJudgments, selection: Selection, settings: Settings, processes: int) -> RankingRules:
    """Return the rules for ranking a run, given the requested measures and the settings."""
    return RankingRules.of(
        settings,
        only=settings.topic,
        max_retrieved=depth(judgments, settings),
        keep_all=settings.level < 0 or selection.needs_all,
        look_up=any(selected.measure.kernel for selected in selection.measures),
        processes=processes,
        first_name_first=judgments.first_name_first,
    )


def evaluated_topics(documents: Documents, settings: Settings) -> slice:
    """Return the range of judged topics that are evaluated: all topics, or only the requested topic."""
    if settings.topic is None:
        return slice(None)
    place = documents.topic_index.get(settings.topic, len(documents.topics))
    return slice(place, place + 1)


def choose_topics(judgments: AnyJudgments, ranking: Ranking, settings: Settings, rules: RankingRules) -> ChosenTopics:
    """Select the topics to evaluate. Selection ends before the first topic that cannot be evaluated."""
    documents = judgments.documents
    every = settings.complete and settings.compat.complete_evaluates_missing
    place = ranking.judged_topic
    is_ascending = place.size < 2 or not np.count_nonzero(place[1:] <= place[:-1])
    evaluated = evaluated_topics(documents, settings)
    if not every and evaluated == slice(None) and is_ascending:
        failures = {**judgments.failures(ranking.topics), **ranking.failures} if rules.look_up else {}
        if failures.keys().isdisjoint(ranking.topics):
            return ChosenTopics(ranking, np.zeros(len(ranking.topics), np.bool_), None)
    ranked = np.zeros(len(documents.topics), np.bool_)
    ranked[ranking.judged_topic] = True
    places = np.arange(ranked.size)[evaluated][(ranked | every)[evaluated]]
    topics = [documents.topics[place] for place in places.tolist()]
    failures = {**judgments.failures(topics), **ranking.failures} if rules.look_up else {}
    failed = next((place for place, topic in enumerate(topics) if topic in failures), None) if failures else None
    return ChosenTopics(
        ranking=in_topic_order(ranking, documents, topics[:failed], rules),
        missing=~ranked[places[:failed]],
        failure=None if failed is None else failures[topics[failed]],
    )


class TopicCounts(Frozen):
    """Counts of the topics that have judgments, results, or both."""

    judged: int
    """The number of topics with judgments."""
    ranked: int
    """The number of topics with judgments and results."""
    unjudged: int
    """The number of topics with results but without judgments."""

    @property
    def missing(self) -> int:
        """The number of judged topics without results."""
        return self.judged - self.ranked

    @property
    def kind(self) -> tuple[str, float]:
        """The kind and the severity of the warning. A topic without results is more severe than any unjudged topics."""
        kind = "missing topics" if self.missing else "unjudged topics"
        return kind, self.missing + self.unjudged / (self.unjudged + 1)

    def left_out(self, *, complete: bool) -> str | None:
        """Return a warning about topics without results or without judgments, or None if there are no such topics."""
        parts = []
        if self.missing:
            fate = (
                "count as 0"
                if complete
                else f"are left out of the averages ({spelled('complete', True)} counts them as 0)"
            )
            parts.append(f"{self.missing} of {plural_topics(self.judged, 'judged topic')} without results {fate}")
        if self.unjudged:
            verbs = "has no judgments and is" if self.unjudged == 1 else "have no judgments and are"
            parts.append(f"{plural_topics(self.unjudged, 'topic')} of the run {verbs} ignored")
        return "; ".join(parts) or None


def plural_topics(count: int, noun: str) -> str:
    """Return a number followed by a noun in the singular or plural, such as "1 topic" or "2 topics"."""
    return f"{count} {noun}{'' if count == 1 else 's'}"


class LevelCheck(Frozen):
    """The requirement that each topic has a document judged relevant (or nonrelevant) at a level."""

    relevant: bool
    level: float
    measure: str
    """The first measure that has the requirement."""
    given_by: str
    """The option or measure that determines the level, or "" if the measure uses gains instead of a level."""
    least_share: float = 0
    """The minimum fraction of failing topics that causes a warning."""

    def count(self, judgments: AnyJudgments, settings: Settings) -> tuple[int, int]:
        """Return the number of failing topics and the number of all topics, or 0 and 0 if the level is at most 0."""
        lacks = judgments.without(self.level, relevant=self.relevant)
        if lacks is None:
            return 0, 0
        lacks = lacks[evaluated_topics(judgments.documents, settings)]
        return int(np.count_nonzero(lacks)), lacks.size

    def warning(self, path: str, n_without: int, n_topics: int) -> str | None:
        """Return a warning about failing topics, or None if too few topics fail."""
        if not n_without or n_without < self.least_share * n_topics:
            return None
        has = "has" if n_without == 1 else "have"
        if self.relevant:
            where = f"at level {self.level:g} ({self.given_by})" if self.given_by else "(grades of at least 1)"
            return (
                f"{shown_name(path)}: {n_without} of {n_topics} topics {has} no relevant document {where}; measures "
                f"such as {self.measure} are 0 for such topics"
            )
        return (
            f"{shown_name(path)}: {n_without} of {n_topics} topics {has} no document judged nonrelevant; measures that "
            "compare relevant with nonrelevant documents (bpref, RankEff) are not informative for such topics"
        )


MANY_TOPICS = 0.5
"""The minimum fraction of topics without relevant documents that causes a warning at the default level."""


def level_checks(
    measures: Iterable[RequestedMeasure], settings: Settings, *, nonrelevant: bool = False
) -> list[LevelCheck]:
    """Return the requirements of measures: first for nonrelevant documents, then for relevant documents.

    If ``nonrelevant`` is false, a warning about missing nonrelevant documents requires that every topic lacks them.
    """
    checks: dict[tuple[bool, float], LevelCheck] = {}
    # Measures with gains instead of levels, and counts, come last.
    order = sorted(measures, key=lambda each: (not each.measure.uses_level, not each.measure.higher_is_better))
    for selected in order:
        measure, level = selected.measure, settings.level if selected.level is None else selected.level
        given_by = spelled("level") if selected.level is None else selected.names[0]
        if measure.needs_nonrelevant:
            check = LevelCheck(False, level, measure.name, given_by, least_share=0 if nonrelevant else 1)
            checks.setdefault((False, level), check)
        if not measure.uses_level:
            is_first = (
                measure.higher_is_better
                and not selected.parameters.levels
                and not any(relevant for relevant, _ in checks)
            )
            if settings.grades != "whole" or not is_first:
                continue
            level, given_by = 1, ""
        if measure.name in BY_NAME and measure.kernel and not measure.has_value and settings.grades != "probability":
            least_share = MANY_TOPICS if level <= 1 and settings.grades == "whole" else 0
            checks.setdefault((True, level), LevelCheck(True, level, measure.name, given_by, least_share))
    return sorted(checks.values(), key=lambda check: check.relevant)


def only_relevant(
    judgments: AnyJudgments, measures: Sequence[RequestedMeasure], settings: Settings
) -> tuple[str, bool] | None:
    """Return a warning that only relevant documents are judged, or None if a judged document is nonrelevant.

    The second value states whether the warning applies to all runs, and not only to runs with few judged documents. The
    value is true if measures compare relevant with nonrelevant documents, or if grades differ, so that a higher level
    is possible.
    """
    level = settings.level
    if not isinstance(judgments, Judgments) or not 0 < level <= judgments.least_grade:
        return None
    measures = [each for each in measures if each.level is None or each.level <= judgments.least_grade]
    compared = any(requested.measure.needs_nonrelevant for requested in measures)
    differ = judgments.greatest_grade != judgments.least_grade and any(requested.uses_level for requested in measures)
    what = "measures that compare relevant with nonrelevant documents (bpref, RankEff) and " if compared else ""
    line = (
        f"{shown_name(judgments.path)}: only relevant documents are judged (no grade is below {level:g}, "
        f"{spelled('level')}); {what}the share of judged documents {'are' if compared else 'is'} not informative"
    )
    return line, compared or differ


def level_warnings(
    judgments: AnyJudgments, measures: Sequence[RequestedMeasure], settings: Settings, *, nonrelevant: bool = False
) -> Iterator[str]:
    """Yield warnings about topics without relevant or nonrelevant documents, as ``level_checks`` defines them."""
    relevant_only = only_relevant(judgments, measures, settings)
    if relevant_only and relevant_only[1]:
        yield relevant_only[0]
    for check in level_checks(measures, settings, nonrelevant=nonrelevant):
        if relevant_only and not check.relevant:
            continue
        n_without, n_topics = check.count(judgments, settings)
        greatest = judgments.greatest_grade if check.relevant and settings.grades == "real" else None
        if greatest is not None and greatest < check.level:
            yield (
                f"{shown_name(judgments.documents.path)}: no document is relevant: no grade reaches the level "
                f"{check.level:g} ({check.given_by}); the highest grade is {greatest:g}"
            )
        elif line := check.warning(judgments.documents.path, n_without, n_topics):
            yield line


def count_relevant(judgments: AnyJudgments, settings: Settings) -> float | None:
    """Return the number of relevant documents in all judgments, or its expected value if grades are probabilities."""
    if settings.grades == "probability" and isinstance(judgments, Judgments):
        return ordered_sum(np.maximum(judgments.grades, 0.0))
    return judgments.n_relevant


def relevant_by_topic(judgments: AnyJudgments, settings: Settings) -> IntArray | FloatArray | None:
    """Return the result of ``count_relevant`` for each judged topic, or None if the judgments have no grades."""
    if not isinstance(judgments, Judgments):
        return None
    if settings.grades == "probability":
        return judgments.rows.sum(np.maximum(judgments.grades, 0.0))
    return judgments.rows.count(judgments.grades > 0)


HARDLY_ANY = 0.9
"""The minimum fraction of topics without a retrieved judged document that causes a warning."""

PARTLY = 0.1
"""The minimum fraction of topics without a retrieved judged document at which spellings of IDs are compared."""

_ONLY = "which differ only by"

_SUFFIXES = frozenset(
    b"txt text html htm xhtml xml json jsonl pdf md sgml sgm gz doc docx wav mp3 mp4 jpg jpeg png".split()
)

_SPACES = b" \t\r\n\v\f"
_NO_BREAK_SPACE = b"\xc2\xa0"


def no_topic_in_common(judged: Collection[bytes], retrieved: Collection[bytes]) -> str:
    """Return the end of a message about files without a common topic, which names a topic from each file."""
    pair = pair_of_names(judged, sorted(retrieved))
    return pair and f": {pair}"


def hardly_any_judged(n_without: int, n_topics: int, example: Callable[[], tuple[bytes, str]]) -> str | None:
    """Return a warning if at least 90% of topics (or 10% if spellings differ) have no retrieved judged document.

    ``example`` returns one such topic, and a phrase about two of its documents (see ``pair_of_names``).
    """
    if not n_without or n_without < PARTLY * n_topics:
        return None
    topic, pair = example()
    if n_without < HARDLY_ANY * n_topics and _ONLY not in pair:
        return None
    return f"in {n_without} of {n_topics} topics no judged document was retrieved: in topic {quote(topic)} {pair}"


def pair_of_names(judged: Iterable[bytes], retrieved: Iterable[bytes]) -> str:
    """Return a phrase that names an ID in the judgments and an ID in the run, if possible in different spellings.

    >>> pair_of_names([b"301", b"302"], [b"0302"])
    "the judgments contain '302' and the run '0302', which differ only by leading zeros"
    """
    ours, theirs = list(judged), list(retrieved)
    if pair := differing_pair(ours, theirs):
        return pair
    if common := set(ours).intersection(theirs):
        return f"document {quote(min(common))} is in both, but its grade is negative: it counts as unjudged"
    return f"the judgments contain {quote(min(ours))} and the run {quote(min(theirs))}" if ours and theirs else ""


def differing_pair(judged: Iterable[bytes], retrieved: Iterable[bytes]) -> str:
    """Return a phrase that names two IDs that differ only in spelling, or "" if there are no such IDs.

    >>> differing_pair([b"a.txt", b"b.txt"], [b"c", b"b"])
    "the judgments contain 'b.txt' and the run 'b', which differ only by a file suffix"
    """
    by_name: dict[bytes, bytes] = {}
    for name in judged:
        by_name.setdefault(_plain(name), name)
    for other in retrieved:
        name = by_name.get(_plain(other), other)
        if name != other and (how := _differences(name, other)):
            return f"the judgments contain {quote(name)} and the run {quote(other)}, {_ONLY} {' and '.join(how)}"
    return ""


def _stripped(name: bytes) -> bytes:
    return name.strip(_SPACES).removeprefix(_NO_BREAK_SPACE).removesuffix(_NO_BREAK_SPACE)


def _as_utf_8(name: bytes) -> bytes:
    """Convert an ID from Latin-1 to UTF-8. An ID that is valid UTF-8 is returned unchanged."""
    try:
        name.decode()
    except UnicodeDecodeError:
        return name.decode("latin-1").encode()
    return name


def _composed(name: bytes) -> bytes:
    """Convert an ID to Unicode normalisation form C. Bytes that are not UTF-8 do not change."""
    if name.isascii():
        return name
    from unicodedata import normalize

    return normalize("NFC", name.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")


def _without_suffix(name: bytes) -> bytes:
    stem, _, suffix = name.rpartition(b".")
    return stem if stem and suffix.lower() in _SUFFIXES else name


def _without_decimals(name: bytes) -> bytes:
    """Remove ".0" from an integer ID. Programs that store IDs as real numbers append ".0"."""
    stem = name.removesuffix(b".0")
    return stem if stem.isdigit() else name


def _lower(name: bytes) -> bytes:
    if name.isascii():
        return name.lower()
    return name.decode("utf-8", "surrogateescape").lower().encode("utf-8", "surrogateescape")


_CHANGES: tuple[tuple[str, Callable[[bytes], bytes]], ...] = (
    ("a byte-order mark", lambda name: name.removeprefix(MARK)),
    ("surrounding space", _stripped),
    ("quotes", lambda name: name[1:-1] if len(name) > 2 and name[0] == name[-1] and name[0] in b"\"'`" else name),
    ("encoding (Latin-1 and UTF-8)", _as_utf_8),
    ("Unicode normalisation", _composed),
    ("a path", lambda name: name.rpartition(b"/")[2] or name),
    ("a passage number", lambda name: name.partition(b"#")[0] or name),
    ("a file suffix", _without_suffix),
    ("the ending .0", _without_decimals),
    ("case", _lower),
    ("leading zeros", lambda name: name.lstrip(b"0") or name[-1:]),
)
"""The ways in which programs change IDs, with functions that undo the changes. The functions are applied in this
order."""

_ON_ONE_SIDE = {"a path", "a passage number", "a file suffix"}
"""The changes that are undone only if exactly one of two IDs contains them, because a/1 and b/1 are different
documents."""


def _plain(name: bytes) -> bytes:
    """Return an ID after undoing all changes that programs make."""
    for _, change in _CHANGES:
        name = change(name)
    return name


def _differences(first: bytes, second: bytes) -> list[str]:
    """Return the changes that distinguish two spellings of an ID, or an empty list if the IDs are different."""
    respects = []
    for words, change in _CHANGES:
        changed = change(first), change(second)
        if words in _ON_ONE_SIDE and changed[0] != first and changed[1] != second and first != second:
            return []
        if (changed[0] == first) != (changed[1] == second) or (changed[0] == changed[1]) != (first == second):
            respects.append(words)
        first, second = changed
    return respects
