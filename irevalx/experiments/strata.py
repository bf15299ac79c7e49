"""Stratified samples of judged documents, and measure values under such samples.

Documents are in the random order that the module ``samples`` defines. The first documents of each stratum are drawn, so
that a sample at a higher rate contains the samples at lower rates.

A sample can be read as graded judgments (in which documents that were not drawn are pooled but unjudged), as judgments
with strata (-R sampled), and as judgments with inclusion probabilities (-R prels).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Literal, TypeAlias

import numpy as np

from irevalx.arrays.byte_strings import Names
from irevalx.arrays.codes import ABSENT, UNJUDGED_IN_FILES
from irevalx.arrays.segments import BoolArray, FloatArray, IntArray, ratio
from irevalx.errors import InputError, MalformedLineError, UsageError, Warn, quote, shown_name
from irevalx.experiments.inputs import GradedQrelsText
from irevalx.experiments.pools import pool_of_documents, renumbered
from irevalx.experiments.ranked_runs import GradedRuns, RankedRuns, each_once, rank_all, requests_of
from irevalx.experiments.samples import RandomOrder, first_share, remove_judgments
from irevalx.experiments.seeds_and_shares import read_share
from irevalx.frozen import Frozen, cached_property, replace
from irevalx.judgments.graded import SAMPLED_DEPTH, InclusionJudgments, Judgments
from irevalx.judgments.pool import with_pool
from irevalx.measures.declaration import Measure
from irevalx.measures.selection import RequestedMeasure, select_measures
from irevalx.process.platform import as_bytes, as_text
from irevalx.ranking.ranking import Ranking
from irevalx.ranking.rules import RankingRules
from irevalx.reading.judgment_formats import PRELS, QRELS, SAMPLED
from irevalx.reading.kinds.runs import RunStream
from irevalx.reading.sources.files import Source
from irevalx.settings import Settings
from irevalx.wording import spelled

By: TypeAlias = Literal["depth", "runs", "names"]
"""The criterion for strata: the best rank in any run, the number of runs that retrieve a document, or a file."""

SCHEME = "strata"
"""The part of the hashed text that distinguishes this random order from the orders of other sampling schemes."""

NO_LIMIT = 2**62

REST = "rest"
"""The name of the stratum that contains all documents outside the other strata."""

_RANGE = re.compile(r"([0-9]{1,18})(?:-([0-9]{1,18})|(\+))?")

EXAMPLE = "'depth 1-10:100% 11-50:30% rest:10%'"


class Stratum(Frozen):
    """A stratum and its sampling rate."""

    name: str
    """The name of the stratum in the judgments."""
    rate: Fraction
    """The sampling rate, above 0 and at most 1."""
    first: int = 0
    """The lower end of the range of best ranks or numbers of runs up to ``last``, or 0 if there is no range."""
    last: int = 0
    is_rest: bool = False
    """Whether the stratum contains all documents outside the other strata."""


class Design(Frozen):
    """A stratified sampling design for judged documents."""

    by: By
    strata: tuple[Stratum, ...]
    """The disjoint strata, in the order in which they were specified."""

    def scaled(self, share: Fraction) -> Design:
        """Return the design with all rates multiplied by a share above 0 and at most 1."""
        return replace(self, strata=tuple(replace(stratum, rate=stratum.rate * share) for stratum in self.strata))

    def divide(self, judgments: Judgments, numbers: IntArray) -> IntArray:
        """Return the index of the stratum of each document, or ABSENT if a document is unjudged or in no stratum.

        The shape is (n_judgments,). For strata by depth, the array ``numbers`` contains best ranks, or 0 if no run
        retrieves the document. For strata by runs, the array contains numbers of runs. For named strata, the array is
        the result of ``read_strata_file``.
        """
        places = np.full(numbers.size, ABSENT)
        judged = judgments.grades >= 0
        if self.by == "names":
            places[judged] = numbers[judged]
        for place, stratum in enumerate(self.strata):
            if stratum.first:
                places[judged & (numbers >= stratum.first) & (numbers <= stratum.last)] = place
        for place, stratum in enumerate(self.strata):
            if stratum.is_rest:
                places[judged & (places == ABSENT)] = place
        return places


class StrataSample(Frozen):
    """A sample that was drawn from the strata of every topic."""

    judgments: Judgments
    stratum: IntArray
    """The index of each document's stratum, or ``ABSENT`` for a document in no stratum. The shape is (n_judgments,)."""
    in_sample: BoolArray
    """Whether each document is in the sample. The shape is (n_judgments,)."""
    names: tuple[str, ...] = ("1",)

    @classmethod
    def of_everything(cls, judgments: Judgments) -> StrataSample:
        """Return a sample that contains all judged documents, in a single stratum."""
        judged = judgments.grades >= 0
        return cls(judgments, np.where(judged, 0, ABSENT), judged)

    @classmethod
    def drawn(cls, design: Design, judgments: Judgments, stratum: IntArray, order: RandomOrder) -> StrataSample:
        """Draw a sample. From the D documents of a stratum and topic, draw the first max(1, floor(rate D + 1/2))."""
        sampled = np.zeros(stratum.size, np.bool_)
        for topic in range(judgments.rows.n):
            places = order.of(topic)
            of_place = stratum[places]
            for number, sampled_stratum in enumerate(design.strata):
                sampled[first_share(places[of_place == number], sampled_stratum.rate)] = True
        return cls(judgments, stratum, sampled, tuple(sampled_stratum.name for sampled_stratum in design.strata))

    @property
    def in_stratum(self) -> BoolArray:
        """Whether each document belongs to a stratum. The shape is (n_judgments,)."""
        has_stratum: BoolArray = self.stratum != ABSENT
        return has_stratum

    @property
    def grades(self) -> IntArray:
        """The grades in the sample. A document that was not drawn has the grade of an unjudged document."""
        return np.where(self.in_sample, self.judgments.grades, UNJUDGED_IN_FILES)

    @cached_property
    def probability(self) -> FloatArray:
        """The inclusion probability of each document, or 0 if the document is in no stratum.

        The shape is (n_judgments,). If S of the D documents of a stratum were drawn, the probability is S/D.
        """
        n_strata = len(self.names)
        part = self.judgments.rows.ids * n_strata + self.stratum
        size, drawn = (
            np.bincount(part[chosen], minlength=self.judgments.rows.n * n_strata)
            for chosen in (self.in_stratum, self.in_stratum & self.in_sample)
        )
        of_document = ratio(drawn, size)[np.where(self.in_stratum, part, 0)] if part.size else np.empty(0)
        return np.where(self.in_stratum, of_document, 0.0)


class ProbabilitySample(StrataSample):
    """A sample for which the inclusion probability of each document was specified."""

    inclusion: FloatArray = np.empty(0)
    """The inclusion probability of each document, or 0 if it could not be sampled. The shape is (n_judgments,)."""

    @cached_property
    def probability(self) -> FloatArray:
        """The inclusion probability of each document. The shape is (n_judgments,)."""
        return self.inclusion


def best_ranks(ranking: Ranking, n_judgments: int) -> IntArray:
    """Return the best rank of each judged document in any run, or 0 if no run retrieves the document."""
    is_judged = ranking.row >= 0
    best = np.full(n_judgments, NO_LIMIT)
    np.minimum.at(best, ranking.row[is_judged], ranking.rank[is_judged])
    return np.where(best == NO_LIMIT, 0, best)


def numbers_for(by: By, ranking: Ranking, n_judgments: int) -> IntArray:
    """Return the best rank of each document, or the number of runs that retrieve it, or 0 if no run retrieves it."""
    if by == "depth":
        return best_ranks(ranking, n_judgments)
    return np.bincount(ranking.row[ranking.row >= 0], minlength=n_judgments)


def read_strata_file(source: Source, judgments: Judgments, strata: Sequence[Stratum], warn: Warn) -> IntArray:
    """Read the index of each document's stratum from lines TOPIC DOCNO STRATUM.

    The index is ABSENT if a document has no line or an unknown stratum. Warn about strata without a rate and about
    documents that have no judgment.
    """
    where, lines = shown_name(source.path), _strata_lines(source)
    places = {as_bytes(named.name): place for place, named in enumerate(strata) if not named.is_rest}
    if not any(named.is_rest for named in strata):
        of_names = Counter(name for _, (_, _, name) in lines if name not in places)
        for name, n_documents in of_names.items():
            warn(f"{where}: stratum {quote(name)} has no rate; its {n_documents} documents are left out")
    stratum, n_seen = _strata_of(judgments, lines, places, where)
    if lacking := len(lines) - n_seen:
        warn(f"{where}: {lacking} of {len(lines)} documents are left out: they have no line in the judgments")
    return stratum


def sample_in_strata(source: Source, text: GradedQrelsText, warn: Warn) -> tuple[GradedQrelsText, StrataSample]:
    """Treat judgments as a sample of the documents in a strata file, or in a pool file, which is a single stratum.

    Return the judgments, to which the unjudged documents of the file were added, and the sample. Warn about topics that
    have no judgments, and about topics with a stratum that contains no judged document.
    """
    where, lines = shown_name(source.path), _strata_lines(source, fewest=2)
    topics = {topic: topic in text.judgments.topic_index for _, (topic, *_) in lines}
    if lacking := sum(not is_judged for is_judged in topics.values()):
        warn(f"{where}: {lacking} of {len(topics)} topics have no judgments and are left out")
    lines = [(number, [*fields, b"1"][:3]) for number, fields in lines if topics[fields[0]]]
    pooled: dict[bytes, set[bytes]] = {}
    for _, (topic, docno, _) in lines:
        pooled.setdefault(topic, set()).add(docno)
    text = text.rewritten(with_pool(text.judgments, pool_of_documents(pooled)))
    names = tuple(dict.fromkeys(name for _, (_, _, name) in lines))
    stratum, _ = _strata_of(text.judgments, lines, {name: place for place, name in enumerate(names)}, where)
    sample = StrataSample(
        text.judgments, stratum, (text.judgments.grades >= 0) & (stratum != ABSENT), tuple(map(as_text, names))
    )
    part = text.judgments.rows.ids * len(names) + stratum
    without = np.setdiff1d(part[sample.in_stratum], part[sample.in_sample])
    if without.size:
        first, place = divmod(int(without[0]), len(names))
        warn(
            f"{where}: {without.size} strata of topics contain no judged document, the first being stratum "
            f"{quote(names[place])} of topic {quote(text.judgments.topics[first])}; the sample cannot represent them"
        )
    return text, sample


def _strata_lines(source: Source, fewest: int = 3) -> list[tuple[int, list[bytes]]]:
    """Return the line number, topic, document and stratum of each line of a strata file."""
    numbered = enumerate(source.content().split(b"\n"), start=1)
    lines = [(number, line.split()) for number, line in numbered if line.strip()]
    for number, fields in lines:
        if not fewest <= len(fields) <= 3:
            columns = "3 columns (topic, document, stratum)"
            if fewest < 3:
                columns = f"2 columns (topic, document) or {columns}"
            raise MalformedLineError(
                f"{shown_name(source.path)}:{number}: expected {columns}, but the line has {len(fields)}: "
                f"{quote(b' '.join(fields))}"
            )
    return lines


def _strata_of(
    judgments: Judgments, lines: Sequence[tuple[int, list[bytes]]], places: Mapping[bytes, int], where: str
) -> tuple[IntArray, int]:
    """Return the index of each judgment's stratum, and the number of lines whose document is in the judgments."""
    topics, docnos = [topic for _, (topic, _, _) in lines], Names.of([docno for _, (_, docno, _) in lines])
    row = judgments.places_of(topics, np.arange(len(lines)), docnos)
    stratum = np.full(judgments.rows.size, ABSENT)
    seen: dict[int, int] = {}
    for place, (number, (topic, docno, name)) in zip(row.tolist(), lines, strict=True):
        if place in seen:
            raise MalformedLineError(
                f"{where}:{number}: duplicate document {quote(docno)} in topic {quote(topic)} (first on line "
                f"{seen[place]})"
            )
        if place != ABSENT:
            seen[place] = number
            stratum[place] = places.get(name, ABSENT)
    return stratum, len(seen)


def read_rates(source: Source) -> str:
    """Read lines STRATUM RATE as a text for ``read_design``. Raise MalformedLineError if a line is invalid."""
    return " ".join(f"{name}:{rate}" for name, rate in _rates_in(source, "stratum").items())


def read_topic_rates(source: Source, judgments: Judgments) -> tuple[Fraction, ...]:
    """Read each judged topic's sampling rate from lines ``TOPIC RATE``. Raise InputError if a topic has no rate."""
    rates = {as_bytes(topic): read_share(rate) for topic, rate in _rates_in(source, "topic").items()}
    for topic in judgments.topics:
        if topic not in rates:
            raise InputError(f"{shown_name(source.path)}: missing rate of topic {quote(topic)}; add a line TOPIC RATE")
    return tuple(rate for topic in judgments.topics if (rate := rates[topic]) is not None)


def _rates_in(source: Source, what: str) -> dict[str, str]:
    parts: dict[str, str] = {}
    for number, line in enumerate(as_text(source.content()).splitlines(), start=1):
        fields = line.split()
        where = f"{shown_name(source.path)}:{number}"
        if fields and (len(fields) != 2 or read_share(fields[1]) is None):
            raise MalformedLineError(
                f"{where}: expected 2 columns, a {what} and a rate above 0 and at most 1 such as 0.1 or 10%: "
                f"{quote(line)}"
            )
        if fields and fields[0] in parts:
            raise MalformedLineError(f"{where}: duplicate {what} {quote(fields[0])}")
        if fields:
            parts[fields[0]] = fields[1]
    if not parts:
        raise InputError(f"{shown_name(source.path)}: a file of rates must contain a {what}, but it contains none")
    return parts


def read_design(text: str, *, named: bool) -> Design:
    """Parse a stratified design. ``named`` is true if a separate file assigns documents to strata."""
    first, *rest = text.replace(",", " ").split() or [""]
    by: By = "depth" if first == "depth" else "runs" if first == "runs" else "names"
    if by != "names" and named:
        raise UsageError(f"{spelled('strata')} by {by} cannot be combined with {spelled('strata_file')}")
    if by == "names" and not named:
        raise UsageError(
            f"invalid strata {quote(text)}: strata by depth or by runs are ranges, such as {EXAMPLE}, and strata by "
            f"names require {spelled('strata_file')}"
        )
    parts = [_stratum(part, number, by) for number, part in enumerate([first, *rest] if named else rest, start=1)]
    if not parts:
        raise UsageError(f"{spelled('strata')} {quote(text)} contains no stratum")
    rests = [number for number, stratum in enumerate(parts) if stratum.is_rest]
    if rests and rests != [len(parts) - 1]:
        raise UsageError(f"invalid strata {quote(text)}: {REST} must be the last stratum")
    _check_ranges(parts[: len(parts) - len(rests)], by, text)
    return Design(by, tuple(parts))


def _stratum(part: str, number: int, by: By) -> Stratum:
    """Parse a stratum written as RANGE:RATE or NAME:RATE. The name of a range is its number in the design."""
    what, colon, share = part.rpartition(":")
    rate = read_share(share)
    if not colon or not what or rate is None:
        rule = "a share above 0 and at most 1, such as 11-50:30%"
        raise UsageError(f"invalid stratum {quote(part)}: must have {rule}")
    if what == REST:
        return Stratum(REST if by == "names" else str(number), rate, is_rest=True)
    if by == "names":
        return Stratum(what, rate)
    match = _RANGE.fullmatch(what)
    first = int(match[1]) if match else 0
    last = NO_LIMIT if match and match[3] else int(match[2]) if match and match[2] else first
    if not 1 <= first <= last:
        raise UsageError(
            f"invalid stratum {quote(part)}: must be a number of at least 1, a range such as 11-50 or 51+, or {REST}"
        )
    return Stratum(str(number), rate, first, last)


def _check_ranges(strata: Sequence[Stratum], by: By, text: str) -> None:
    """Raise UsageError if strata overlap or occur twice, or if ranges of depth leave a gap."""
    names = [stratum.name for stratum in strata]
    if by == "names":
        if len(set(names)) < len(names):
            raise UsageError(f"invalid strata {quote(text)}: a stratum occurs twice")
        return
    ascending = sorted(strata, key=lambda stratum: stratum.first)
    if any(stratum.last >= other.first for stratum, other in pairwise(ascending)):
        raise UsageError(f"invalid strata {quote(text)}: ranges must not overlap")
    if (
        by == "depth"
        and [stratum.first for stratum in strata] != [1, *(stratum.last + 1 for stratum in strata)][: len(strata)]
    ):
        raise UsageError(f"invalid strata {quote(text)}: depths must ascend from 1 without gaps")


def stratify(
    design: Design, source: Source | None, judgments: Judgments, ranking: Callable[[], Ranking], warn: Warn
) -> IntArray:
    """Return the index of each document's stratum, which depends on a strata file or on the ranking of the runs."""
    if source is not None:
        numbers = read_strata_file(source, judgments, design.strata, warn)
    else:
        numbers = numbers_for(design.by, ranking(), judgments.rows.size)
    return design.divide(judgments, numbers)


def ranking_of(runs: Sequence[RunStream], judgments: Judgments, warn: Warn) -> Ranking:
    """Read runs and rank them against judgments. Raise the same errors as the evaluator."""
    return Ranking.joined([ranked.ranking for ranked in rank_all(judgments, runs, RankingRules(), warn=warn)])


FORMATS = (QRELS.name, SAMPLED.name, PRELS.name)
"""The judgment formats in which a sample can be evaluated. Each measure uses the first format that it supports."""


def format_for(measure: Measure) -> str | None:
    """Return the judgment format in which a measure can evaluate a sample, or None if there is no such format."""
    return next((name for name in FORMATS if measure.can_use(name)), None)


def requests_of_samples(measures: Sequence[str], settings: Settings) -> tuple[RequestedMeasure, ...]:
    """Parse the names of measures, including measures that require strata or inclusion probabilities."""
    each = (requests_of((text,), settings, _format_of(text, settings)) for text in measures)
    return each_once([request for requests in each for request in requests])


def _format_of(text: str, settings: Settings) -> str:
    """Return the judgment format in which a requested measure can evaluate a sample, or qrels if there is none."""
    formats = (format_for(request.measure) for request in select_measures((text,), settings).measures)
    return next((name for name in formats if name is not None), None) or QRELS.name


def values_of_sample(experiment: GradedRuns, sample: StrataSample, pooled: BoolArray | None = None) -> FloatArray:
    """Evaluate all runs with a sample. A value is nan if a measure has no value for a topic.

    For measures of graded judgments, ``pooled`` is the pool, or None if the pool contains all documents. Measures of
    stratified samples use the strata instead of the pool. The shape is (n_measures, n_runs, n_topics).
    """
    formats = list(map(format_for, experiment.kinds))
    values = np.empty((len(formats), *experiment.missing.shape))
    for name in dict.fromkeys(formats):
        requests = tuple(request for request in experiment.requests if format_for(request.measure) == name)
        of_format = experiment if requests == experiment.requests else replace(experiment, requests=requests)
        if name == QRELS.name:
            of_measures = of_format.values(remove_judgments(experiment.judgments, sample.in_sample), pooled)
        elif name == SAMPLED.name:
            of_measures = _with_strata(of_format, sample)
        else:
            of_measures = _inclusion(of_format, sample)
        values[[form == name for form in formats]] = of_measures
    return values


def _with_strata(experiment: GradedRuns, sample: StrataSample) -> FloatArray:
    judgments = replace(experiment.judgments, strata=sample.stratum)
    requested = experiment.settings.max_retrieved
    ranking = _cut(experiment.ranking, SAMPLED_DEPTH if requested is None else requested)
    return replace(experiment, judgments=judgments, ranking=ranking).values(sample.grades, sample.in_stratum)


def _cut(ranking: Ranking, depth: int) -> Ranking:
    """Truncate the ranking of each topic to its first ``depth`` documents."""
    if not (ranking.n_ret > depth).any():
        return ranking
    within = ranking.rank <= depth
    rows, n_ret = ranking.rows.keep(within), np.minimum(ranking.n_ret, depth)
    return replace(ranking, rows=rows, rank=ranking.rank[within], row=ranking.row[within], n_ret=n_ret)


def _inclusion(experiment: GradedRuns, sample: StrataSample) -> FloatArray:
    judgments, sampled = sample.judgments, sample.in_sample
    drawn = InclusionJudgments(
        path=judgments.path,
        topics=judgments.topics,
        rows=judgments.rows.keep(sampled),
        docnos=judgments.docnos.take(sampled),
        grades=judgments.grades[sampled],
        probabilities=sample.probability[sampled],
        at_random=np.ones(np.count_nonzero(sampled), np.bool_),
        lines=judgments.lines[sampled],
    )
    return RankedRuns(
        judgments=drawn,
        runs=experiment.runs,
        topics=experiment.topics,
        ranking=replace(experiment.ranking, row=renumbered(experiment.ranking.row, sampled)),
        missing=experiment.missing,
        requests=experiment.requests,
        settings=replace(experiment.settings, ties="name"),  # the documents are already in rank order
    ).values()
