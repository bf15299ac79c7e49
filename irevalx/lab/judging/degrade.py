"""The function ``degrade``, which makes judgments incomplete, and its command.

Judgments are sampled, or a judging strategy is simulated.
"""

import os
from collections.abc import Iterator
from fractions import Fraction
from typing import IO, Annotated, Any

import numpy as np

from irevalx.api.inputs import Pool
from irevalx.arrays.segments import BoolArray
from irevalx.checks import ValueType
from irevalx.declarations import Parameter, choice, declared, file, flag, refined
from irevalx.errors import UsageError, shown_name, warn
from irevalx.experiments import samples
from irevalx.experiments.inputs import GradedQrelsText, QrelsText, are_given, run_streams
from irevalx.experiments.samples import RandomOrder
from irevalx.experiments.seeds_and_shares import chosen_seed, share
from irevalx.experiments.strata import (
    SCHEME,
    Design,
    StrataSample,
    ranking_of,
    read_design,
    read_rates,
    read_topic_rates,
    sample_in_strata,
    stratify,
)
from irevalx.frozen import replace
from irevalx.judgments.graded import Judgments
from irevalx.judgments.pool import PooledDocuments
from irevalx.lab.command.common_options import Qrels, Runs, Seed
from irevalx.lab.command.evaluation_options import GradedRelFormat, Level
from irevalx.lab.command.output import Output, write_lines
from irevalx.lab.judging.strategies import (
    BUDGET_RULE,
    Across,
    Batch,
    CandidateDepth,
    DocumentTexts,
    Strata,
    StrataFile,
    Strategy,
    TopicRates,
    Unjudged,
    budget_of,
    simulated_strategy,
    without_judgment_warning,
)
from irevalx.process.platform import as_bytes
from irevalx.reading.judgment_formats import PRELS, QRELS, SAMPLED
from irevalx.reading.kinds.graded import AT_RANDOM, NOT_DRAWN
from irevalx.reading.sources.tables import source_of
from irevalx.strategies.simulation import DEFAULT_SIMULATION, BudgetLevel
from irevalx.wording import missing, spelled


def sampled_lines(qrels: GradedQrelsText, sample: StrataSample, written: BoolArray) -> Iterator[bytes]:
    """Yield a line ``TOPIC IGNORED DOCNO STRATUM GRADE`` for each judgment in the mask ``written``, in file order.

    If a document is not in the sample, its grade is -1.
    """
    names, grades = [as_bytes(name) for name in sample.names], sample.grades
    for place, (topic, ignored, docno) in qrels.first_columns(written):
        yield b"%s %s %s %s %d\n" % (topic, ignored, docno, names[sample.stratum[place]], grades[place])


def prels_lines(qrels: GradedQrelsText, sample: StrataSample, written: BoolArray) -> Iterator[bytes]:
    """Yield a line ``TOPIC DOCNO GRADE METHOD PROBABILITY`` for each judgment in the mask ``written``, in file order.

    If a document is not in the sample, its grade is -999.
    """
    for place, (topic, _, docno) in qrels.first_columns(written):
        grade = sample.judgments.grades[place] if sample.in_sample[place] else NOT_DRAWN
        probability = repr(float(sample.probability[place])).encode()
        yield b"%s %s %d %d %s\n" % (topic, docno, grade, AT_RANDOM[0], probability)


STRATA_FORMATS = {SAMPLED.name: sampled_lines, PRELS.name: prels_lines}


class Degraded(QrelsText):
    """The result of ``degrade``: reduced judgments, with a pool of all original documents."""

    def __init__(self, reduced: QrelsText, full: Judgments, seed: int | None) -> None:
        super().__init__(reduced.judgments, reduced.text, reduced.rel_format)
        self.pool = Pool(PooledDocuments(full.path, full.topics, full.rows.ids, full.docnos))
        """The pool of all documents in the full judgments, including documents that ``drop`` removed."""
        self.seed = seed
        """The random seed, or None if no random numbers were used."""


def _write_degraded(
    output: Output,
    *,
    pool_out: Annotated[
        str | None,
        Parameter(
            metavar="FILE",
            help=(
                "Write a pool file of all documents of QRELS, for ``irevalx --pool``. The output of --drop lacks this "
                "information."
            ),
        ),
    ] = None,
    **options: Any,
) -> None:
    degraded = degrade(**options)
    if pool_out is not None:
        write_lines([degraded.pool.text], pool_out)
    output.write_text(degraded)


@declared(
    run=_write_degraded,
    tables=False,
    example="irevalx-lab degrade qrels --uniform 0.1 --seed 7 > tenth && irevalx -m infAP -m indAP tenth run",
)
def degrade(
    qrels: Qrels,
    runs: Annotated[Runs, refined(requires=("strata", "order"))] = (),
    *,
    uniform: Annotated[
        float | Fraction | None, share(metavar="RATE", excludes=("stratified", "strata", "order"))
    ] = None,
    stratified: Annotated[float | Fraction | None, share(metavar="FRACTION", excludes=("strata", "order"))] = None,
    rounding: Annotated[str, choice(*samples.ROUNDINGS, names=("--round",), requires="stratified")] = "up",
    strata: Strata = None,
    strata_file: Annotated[
        StrataFile,
        refined(
            requires=(),
            excludes=("uniform", "stratified", "topic_rates", "order"),
            help=(
                "file with the stratum of each document, one line per document: TOPIC DOCNO STRATUM. If neither "
                "`strata` nor `rates` is given, the judged documents are treated as a sample of the documents in the "
                "file. All judgments are kept, and the other documents in the file get the grade -1. In this case, "
                "the file can also be a pool file (TOPIC DOCNO), which is treated as a single stratum."
            ),
        ),
    ] = None,
    rates: Annotated[
        str | os.PathLike[str] | IO[str] | IO[bytes] | None,
        file(requires="strata_file", excludes=("strata", "order", "uniform", "stratified")),
    ] = None,
    topic_rates: Annotated[TopicRates, refined(excludes=("rates", "strata", "order", "uniform", "stratified"))] = None,
    sample_format: Annotated[
        str, choice(*STRATA_FORMATS, names=("--as",), requires=("strata", "strata_file"))
    ] = SAMPLED.name,
    order: Annotated[Strategy, refined(requires="budget", excludes="strata")] = None,
    budget: Annotated[
        int | float | str | None,
        Parameter(kind=ValueType(BUDGET_RULE, lambda value: budget_of("", value)), metavar="N", requires="order"),
    ] = None,
    depth: Annotated[CandidateDepth, refined(requires="order")] = DEFAULT_SIMULATION.depth,
    across: Annotated[Across, refined(requires="order")] = False,
    batch: Annotated[Batch, refined(requires="order")] = DEFAULT_SIMULATION.batch,
    unjudged: Annotated[Unjudged, refined(requires="order")] = DEFAULT_SIMULATION.unjudged,
    documents: Annotated[DocumentTexts, refined(requires="order=cal")] = (),
    seed: Seed = None,
    level: Level = 1,
    drop: Annotated[bool, flag()] = False,
    rel_format: GradedRelFormat = QRELS.name,
) -> Degraded:
    """Make judgments incomplete, by random sampling or with a judging strategy.

    Judgments that are not kept get the grade -1 (pooled, but unjudged). Apart from these grades, files in the format
    qrels do not change. Judgments in other formats (`rel_format`) are written as lines TOPIC 0 DOCNO GRADE. If `strata`
    or `strata_file` is given, the lines have the form TOPIC IGNORED DOCNO STRATUM GRADE and can be read with ``irevalx
    -R sampled``. Documents that belong to no stratum are omitted. With the same seed, a sample with lower rates is a
    subset of a sample with higher rates.

    If `order` is given, a judging strategy is simulated on the judgments. The strategy selects one document after
    another from the candidate documents of the runs, and learns from the existing judgments as if human assessors had
    just made them.

    Parameters
    ----------
    uniform : keep this share of the judgments of each topic. Sampling is repeated until at least one relevant document
        is kept.
    stratified : keep this share of the relevant documents of each topic, but at least 1, and of its nonrelevant
        documents, but at least 10. With the same seed, smaller samples are subsets of larger samples.
    rounding : rounding of numbers of documents with `stratified`: up, or to the nearest integer with halves rounded up
        (half-up) or down (half-down). Ahlgren and Grönqvist (2008) define the nearest integer as the greatest integer
        less than x + 0.5, which rounds halves down.
    rates : file with the sampling rate of each stratum of `strata_file`, used instead of `strata`. The file contains
        one line ``STRATUM RATE`` per stratum, as written by ``irevalx-lab estimate --design``.
    topic_rates : keep a share of the judgments of each topic that differs by topic, as in the TREC Terabyte track of
        2006: a file with one line ``TOPIC RATE`` per topic. Sampling is repeated as with `uniform`.
    sample_format : format of a stratified sample: the stratum of each document (sampled), for ``irevalx -R
        sampled``, or its inclusion probability (prels), for ``irevalx -R prels``.
    budget : number of judgments to keep for each topic, or a share of the judgments such as 10%. The strategy sampled
        keeps this number on average, and writes judgments for ``irevalx -R prels``.
    drop : omit the judgments that are not kept, instead of assigning the grade -1 to them.

    Returns
    -------
    The reduced judgments. The attribute ``text`` is the content of the judgment file, ``pool`` contains all documents,
    and ``seed`` is the random seed.

    Raises
    ------
    ArgumentError : an argument is invalid, or cannot be combined with another argument.
    UsageError : strata are invalid, or do not match the other arguments.
    IrevalxError : the judgments or, if they are used, the runs cannot be read or are invalid.

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
    if order is not None:
        assert isinstance(budget, BudgetLevel)  # the declaration has converted the argument
        simulation = {"depth": depth, "across": across, "batch": batch, "unjudged": unjudged, "documents": documents}
        return _selected_first(qrels, rel_format, runs, order, budget, seed, level=level, drop=drop, **simulation)
    if strata_file is not None and strata is None and rates is None:
        _check_format(sample_format, drop=drop)
        text, sample = sample_in_strata(
            source_of(strata_file, "strata_file"), GradedQrelsText.of(qrels, rel_format), warn
        )
        _warn_of_documents_left_out(sample)
        return _written(text, sample, sample_format, None, drop=drop)
    seed = chosen_seed(seed)
    if rates is not None:
        strata = read_rates(source_of(rates, "rates"))
    if strata is not None:
        design = _design_of(strata, runs, strata_file, sample_format, drop=drop)
        text = GradedQrelsText.of(qrels, rel_format)
        sample = _sample_of_strata(text.judgments, design, runs, strata_file, seed, level)
        return _written(text, sample, sample_format, seed, drop=drop)
    rate = uniform if stratified is None else stratified
    if topic_rates is not None:
        rate = 1
    if rate is None:
        raise missing("uniform", "stratified", "topic_rates", "strata", "order")
    text = GradedQrelsText.of(qrels, rel_format)
    judgments = text.judgments
    for line in samples.warnings_without_relevant(judgments, level):
        warn(line)
    random_order = RandomOrder(judgments, seed, "uniform" if stratified is None else "stratified")
    if stratified is None:
        of_topics = () if topic_rates is None else read_topic_rates(source_of(topic_rates, "topic_rates"), judgments)
        is_sampled = samples.uniform(judgments, Fraction(rate), random_order, level, of_topics)
    else:
        is_sampled = samples.stratified(judgments, Fraction(rate), random_order, level, samples.ROUNDINGS[rounding])
    sample = replace(StrataSample.of_everything(judgments), in_sample=is_sampled)
    return _written(text, sample, QRELS.name, seed, drop=drop)


def _design_of(strata: str, runs: Any, strata_file: Any, sample_format: str, *, drop: bool) -> Design:
    """Return the sampling design that the arguments describe. Raise UsageError if they contradict each other."""
    design = read_design(strata, named=strata_file is not None)
    if are_given(runs) != (design.by != "names"):
        rule = "by names cannot be combined with" if are_given(runs) else f"by {design.by} requires"
        raise UsageError(f"{spelled('strata')} {rule} {spelled('runs')}")
    _check_format(sample_format, drop=drop)
    return design


def _check_format(sample_format: str, *, drop: bool) -> None:
    """Raise UsageError if ``drop`` would remove documents that the sample format requires."""
    if drop and sample_format == SAMPLED.name:
        raise UsageError(
            f"{spelled('drop')} cannot be combined with {spelled('sample_format', SAMPLED.name)}: measures of this "
            "format count the documents that are not in the sample"
        )


def _sample_of_strata(
    judgments: Judgments, design: Design, runs: Any, strata_file: Any, seed: int, level: int
) -> StrataSample:
    """Sample judgments by stratum. Warn about documents that belong to no stratum."""
    source = None if strata_file is None else source_of(strata_file, "strata_file")
    inputs = [] if source is not None else run_streams(runs)
    stratum = stratify(design, source, judgments, lambda: ranking_of(inputs, judgments, warn), warn)
    sample = StrataSample.drawn(design, judgments, stratum, RandomOrder(judgments, seed, SCHEME))
    for line in samples.warnings_without_relevant(judgments, level, sample.in_sample):
        warn(line)
    _warn_of_documents_left_out(sample)
    return sample


def _warn_of_documents_left_out(sample: StrataSample) -> None:
    """Warn about judged documents that belong to no stratum and are therefore left out."""
    judgments = sample.judgments
    is_judged = judgments.grades >= 0
    if left_out := int(np.count_nonzero(is_judged & ~sample.in_stratum)):
        warn(
            f"{shown_name(judgments.path)}: {left_out} of {np.count_nonzero(is_judged)} judged documents are in no "
            "stratum and are left out"
        )


def _selected_first(
    qrels: Any,
    rel_format: str,
    runs: Any,
    order: str,
    budget: BudgetLevel,
    seed: int | None,
    *,
    level: int,
    drop: bool,
    **simulation: Any,
) -> Degraded:
    """Keep the judgments that a strategy selects first. The keywords are arguments of ``simulated_strategy``."""
    if not are_given(runs):
        raise UsageError(f"{spelled('order')} requires {spelled('runs')}")
    text = GradedQrelsText.of(qrels, rel_format)
    judgments = text.judgments
    ordering = simulated_strategy(order, runs, level=level, **simulation)
    chosen = chosen_seed(seed) if ordering.order.is_random else None
    replayed = ordering.replay(judgments, [budget], chosen or 0)
    sample = replayed.sample(0)
    for line in (
        *without_judgment_warning(replayed, ordering.rules),
        *samples.warnings_without_relevant(judgments, level, sample.in_sample),
    ):
        warn(line)
    return _written(text, sample, PRELS.name if replayed.inclusion else QRELS.name, chosen, drop=drop)


def _written(
    text: GradedQrelsText, sample: StrataSample, sample_format: str, seed: int | None, *, drop: bool
) -> Degraded:
    """Write a sample in a judgment format. If ``drop`` is true, omit documents that are not in the sample."""
    judgments = text.judgments
    if sample_format == QRELS.name:
        reduced = replace(judgments, grades=samples.remove_judgments(judgments, sample.in_sample))
        return Degraded(text.rewritten(reduced, sample.in_sample if drop else None), judgments, seed)
    lines = STRATA_FORMATS[sample_format](text, sample, sample.in_sample if drop else sample.in_stratum)
    return Degraded(QrelsText.parsed(judgments.path, lines, sample_format), judgments, seed)
