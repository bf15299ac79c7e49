"""Judgments made incomplete: a random sample of them is kept, as a whole or of each stratum."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np

from irevalx import parameters
from irevalx.api.forms import source_of
from irevalx.api.inputs import GivenQrels, Pool, Runs
from irevalx.api.user_warnings import warn
from irevalx.arrays.segments import BoolArray
from irevalx.errors import UsageError, shown_name
from irevalx.experiments import samples
from irevalx.experiments.qrels_text import GradedText, QrelsText
from irevalx.experiments.samples import RandomOrder
from irevalx.experiments.seeds import chosen_seed
from irevalx.experiments.shares import share_of
from irevalx.experiments.strata import SCHEME, Design, StrataSample, divided, ranking_of, read_design
from irevalx.experiments.user_data import are_given, opened_runs
from irevalx.frozen import replace
from irevalx.judgments.graded import Judgments
from irevalx.judgments.pool import Pool as PooledDocuments
from irevalx.lab.judging.orderings import budget_of, ordering_of, without_judgment_warning
from irevalx.orders.known_orders import ORDERS
from irevalx.orders.replays import USUAL, Level
from irevalx.process.system import as_bytes
from irevalx.reading.formats import PRELS, QRELS, SAMPLED
from irevalx.reading.prels_files import AT_RANDOM, NOT_DRAWN


def sampled_lines(read: GradedText, sample: StrataSample, written: BoolArray) -> Iterator[bytes]:
    """Yield ``TOPIC IGNORED DOCNO STRATUM GRADE`` in the order of the file, -1 for what was not drawn.

    Parameters
    ----------
    read : the judgments that the sample was drawn from.
    written : flat over the judgments; whose lines to write, each in some stratum.
    """
    names, grades = [as_bytes(name) for name in sample.names], sample.grades
    for place, (topic, ignored, docno) in read.first_columns(written):
        yield b"%s %s %s %s %d\n" % (topic, ignored, docno, names[sample.stratum[place]], grades[place])


def prels_lines(read: GradedText, sample: StrataSample, written: BoolArray) -> Iterator[bytes]:
    """Yield ``TOPIC DOCNO GRADE METHOD PROBABILITY``, the grade being -999 for what was not drawn.

    The probability is that with which the document was drawn, with all digits that its number has; all documents are
    said to be drawn at random. Parameters are those of ``sampled_lines``.
    """
    for place, (topic, _, docno) in read.first_columns(written):
        grade = sample.judgments.grades[place] if sample.kept[place] else NOT_DRAWN
        chance = repr(float(sample.probability[place])).encode()
        yield b"%s %s %d %d %s\n" % (topic, docno, grade, AT_RANDOM[0], chance)


STRATA_FORMATS = {SAMPLED.name: sampled_lines, PRELS.name: prels_lines}
"""What writes a sample of strata, by format of judgments."""


class Degraded(QrelsText):
    """Judgments of which some were kept.

    Parameters
    ----------
    found : these.
    documents : of all judgments.
    seed : with which they were drawn; None where nothing was random.
    """

    def __init__(self, found: QrelsText, documents: Judgments, seed: int | None) -> None:
        super().__init__(found.judgments, found.text, found.rel_format)
        self.pool = Pool(PooledDocuments(documents.path, documents.topics, documents.rows.ids, documents.docnos))
        """All documents that were pooled, which judgments without the lines of the others do not tell."""
        self.seed = seed
        """The seed that draws the same sample again; None where nothing was random."""


def degrade(
    qrels: GivenQrels,
    runs: Runs = (),
    *,
    uniform: float | Fraction | None = None,
    stratified: float | Fraction | None = None,
    rounding: str = "up",
    strata: str | None = None,
    strata_file: Any = None,
    sample_format: str = SAMPLED.name,
    order: str | None = None,
    budget: Any = None,
    depth: int = USUAL.depth,
    across: bool = False,
    batch: int = USUAL.batch,
    unjudged: str = USUAL.unjudged,
    documents: Any = (),
    seed: int | None = None,
    level: int = 1,
    drop: bool = False,
    rel_format: str = QRELS.name,
) -> Degraded:
    """Make judgments incomplete: keep a random sample of them, or those that an order of judging has first.

    Parameters
    ----------
    qrels : the judgments: ``{topic: {docno: grade}}``, or whatever else ``irevalx.Qrels.read`` takes, with a grade for
        each document.
    runs : what was retrieved: ``{name: {topic: {docno: score}}}``, or whatever else ``irevalx.evaluate`` takes; only
        where strata are of the depths or the numbers of runs, and with ``order``.
    uniform : keep this share of each topic's judgments, drawn anew until one of them is relevant.
    stratified : keep this share of each topic's relevant and of its nonrelevant documents, at least 1 and 10.
    rounding : of numbers of documents with ``stratified``, "up" or "half-up".
    strata : divide each topic's judged documents into strata and keep a share of each, such as "depth
        1-10:100% 11-50:30% rest:10%".
    strata_file : a file with the stratum of each document, where strata are of names.
    sample_format : with strata, the format of the sample: "sampled" or "prels".
    order : keep what is judged first in this order, one of ``irevalx.orders.known_orders.ORDERS``, such as "mtf": the
        judgments are replayed, and the order learns from them.
    budget : with ``order``, how many judgments of each topic are kept: a number, or a share such as "10%" or 0.1. The
        order "sampled" keeps as many on average, and is in the format prels.
    depth : with ``order``, how many documents of each run and topic may be judged; at least 1.
    across : with ``order``, ``budget`` is for all topics together, and each judgment goes to the topic whose next
        document its order prefers most.
    batch : with ``order``, how many documents are asked for before anything is learnt; at least 1.
    unjudged : with ``order``, what becomes of documents without a judgment: "skip" passes them over, "nonrel" counts
        them as judged and not relevant.
    documents : with the order "cal", files with the text of documents.
    seed : of random choices; None for a new one, which the result has.
    level : the least grade that is relevant.
    drop : leave out what was not kept, rather than giving it the grade -1.
    rel_format : the format of judgments that are files: "qrels", "beir" or "json".

    Returns
    -------
    Judgments, with their file as ``text``, all documents as ``pool``, and the ``seed``.

    Raises
    ------
    UsageError : not one of ``uniform``, ``stratified``, ``strata`` and ``order`` is given, or strata are not what they
        must be, or keywords contradict each other.
    IrevalxError : as ``Qrels.read`` and, with strata of runs, ``irevalx.evaluate``.

    Examples
    --------
    >>> import irevalx
    >>> qrels = {"1": {"A": 1, "B": 0}, "2": {"C": 0, "D": 1}}
    >>> print(irevalx.lab.degrade(qrels, uniform=0.5, seed=1).text.decode(), end="")
    1 0 A 1
    1 0 B -1
    2 0 C -1
    2 0 D 1
    """
    if sum(way is not None for way in (uniform, stratified, strata, order)) != 1:
        raise UsageError("one of uniform, stratified, strata and order must be given")
    if (order is None) != (budget is None):
        raise UsageError("order and budget must be given together")
    level, drop = parameters.whole_number("level", level), parameters.flag("drop", drop)
    if order is not None:
        how = {"depth": depth, "across": across, "batch": batch, "unjudged": unjudged, "documents": documents}
        read, asked = GradedText.of(qrels, rel_format), budget_of("budget", budget)
        sample, seed, sample_format = _first_in_order(read.judgments, runs, order, asked, seed, level=level, **how)
        return _written(read, sample, sample_format, seed, drop=drop)
    seed = chosen_seed(seed)
    parameters.named_choice("rounding", rounding, [*samples.ROUNDINGS])
    parameters.named_choice("sample_format", sample_format, [*STRATA_FORMATS])
    design = None if strata is None else read_design(parameters.text("strata", strata), named=strata_file is not None)
    _refuse_contradictions(design, runs, strata_file)
    if design is not None and drop and sample_format == SAMPLED.name:
        raise UsageError(f"drop must not be given together with strata in the format {SAMPLED.name}: they are counted")
    read = GradedText.of(qrels, rel_format)
    judgments = read.judgments
    if design is not None:
        source = None if strata_file is None else source_of(strata_file, "strata_file")
        opened = [] if source is not None else opened_runs(runs).runs
        stratum = divided(design, source, judgments, lambda: ranking_of(opened, judgments, warn), warn)
        sample = StrataSample.drawn(design, judgments, stratum, RandomOrder(judgments, seed, SCHEME))
        for line in warnings_of_sample(sample, level):
            warn(line)
        return _written(read, sample, sample_format, seed, drop=drop)
    for line in samples.warnings_without_relevant(judgments, level):
        warn(line)
    if uniform is not None:
        drawn, share = RandomOrder(judgments, seed, "uniform"), share_of("uniform", uniform)
        kept = samples.uniform(judgments, share, drawn, level)
    else:
        drawn, share = RandomOrder(judgments, seed, "stratified"), share_of("stratified", stratified)
        kept = samples.stratified(judgments, share, drawn, level, samples.ROUNDINGS[rounding])
    return _written(read, replace(StrataSample.of_everything(judgments), kept=kept), QRELS.name, seed, drop=drop)


def _written(read: GradedText, sample: StrataSample, form: str, seed: int | None, *, drop: bool) -> Degraded:
    """Return a sample in a format; without the lines of what was not drawn if they are to be dropped."""
    judgments = read.judgments
    if form == QRELS.name:
        reduced = replace(judgments, grades=samples.unjudge(judgments, sample.kept))
        return Degraded(read.rewritten(reduced, sample.kept if drop else None), judgments, seed)
    lines = STRATA_FORMATS[form](read, sample, sample.kept if drop else sample.in_stratum)
    return Degraded(QrelsText.parsed(judgments.path, lines, form), judgments, seed)


def _first_in_order(
    judgments: Judgments, runs: Any, order: str, budget: Level, seed: int | None, *, level: int, **how: Any
) -> tuple[StrataSample, int | None, str]:
    """Return what is judged first in an order, the seed, and the format; ``how`` is as ``ordering_of`` takes it."""
    if not are_given(runs):
        raise UsageError("runs must be given together with order")
    if how["documents"] and order in ORDERS and not ORDERS[order].needs_texts:
        raise UsageError(f"documents must not be given together with the order {order}, which reads none")
    ordering = ordering_of(order, runs, level=level, **how)
    chosen = chosen_seed(seed) if ordering.order.is_random else None
    replayed = ordering.replay(judgments, [budget], chosen or 0)
    sample = replayed.sample(0)
    lines = samples.warnings_without_relevant(judgments, level, sample.kept)
    for line in (*without_judgment_warning(replayed, ordering.rules), *lines):
        warn(line)
    return sample, chosen, PRELS.name if replayed.inclusion else QRELS.name


def _refuse_contradictions(design: Design | None, runs: Any, strata_file: Any) -> None:
    """Raise UsageError where runs or a file are given that strata do not need, or not given that they need."""
    has_runs = are_given(runs)
    if design is None and (has_runs or strata_file is not None):
        raise UsageError(f"{'runs' if has_runs else 'strata_file'} must be given together with strata")
    if design is not None and has_runs != (design.by != "names"):
        raise UsageError("runs must be given together with strata by depth or by runs, and only then")


def warnings_of_sample(sample: StrataSample, level: int) -> list[str]:
    """Return a line on topics without relevant documents in the sample, and one on documents of no stratum."""
    judgments = sample.judgments
    lines, judged = samples.warnings_without_relevant(judgments, level, sample.kept), judgments.grades >= 0
    if left_out := int(np.count_nonzero(judged & ~sample.in_stratum)):
        lines.append(
            f"{shown_name(judgments.path)}: {left_out} of {np.count_nonzero(judged)} judged documents are left out: "
            "they are in no stratum"
        )
    return lines
