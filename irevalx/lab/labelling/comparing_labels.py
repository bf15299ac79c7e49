"""How far labels from elsewhere, such as machines', agree with judgments: of documents, and of the scores of runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any

from irevalx.api import checks
from irevalx.api.inputs import GivenQrels, Runs
from irevalx.api.own_measures import Measures
from irevalx.errors import UsageError
from irevalx.experiments.seeds import MOST_DRAWS, chosen_seed
from irevalx.experiments.user_data import are_given, graded_judgments_of, labels_of, opened_runs, probability
from irevalx.lab.labelling.judge_findings import JudgeFindings
from irevalx.lab.labelling.judges import machines_of, people_of
from irevalx.lab.labelling.label_findings import LabelFindings
from irevalx.lab.labelling.one_judge import Asked, compared
from irevalx.lab.labelling.people_needed import HUMAN_TOPICS
from irevalx.lab.labelling.resampling import Resampling
from irevalx.lab.labelling.several_judges import compared_judges
from irevalx.statistics.significance import ALPHA

RESAMPLES = 1000
"""Draws of topics for intervals, unless told otherwise."""


def labels(
    human: GivenQrels,
    machine: GivenQrels | None = None,
    runs: Runs | None = None,
    measures: Measures = "map",
    *,
    machines: Mapping[str, Any] | None = None,
    second_human: GivenQrels | None = None,
    by_topic: bool = False,
    groups: str | PathLike[str] | Mapping[str, str] | None = None,
    group_by: str | None = None,
    top: int | None = None,
    rerank: bool = False,
    human_topics: Sequence[int] | None = None,
    resamples: int = RESAMPLES,
    alpha: float = ALPHA,
    seed: int | None = None,
    level: int = 1,
    complete: bool = False,
    min_retrieved: float = 0.0,
    rel_format: str = "qrels",
    labels_format: str | None = None,
    progress: bool = False,
) -> LabelFindings:
    """Measure how far labels from elsewhere, such as a machine's, agree with judgments.

    Parameters
    ----------
    human, machine : judgments of the same documents, ``{topic: {docno: grade}}``, or whatever else
        ``irevalx.Qrels.read`` takes; ``human`` counts as the truth where there is one.
    runs : what was retrieved: ``{name: {topic: {docno: score}}}``, or whatever else ``irevalx.evaluate`` takes, to
        compare their scores under both; None for the documents alone.
    measures : of the runs' scores, such as "map", "P.5,10" or "nDCG@10"; one or several.
    machines : in place of ``machine``, several by name: judgments, or a list of judgments, repeated answers of which
        the first counts. Grades that are not whole are probabilities of relevance, from 0 to 1; all labels are cut at
        ``level`` then. What several machines say together is a judge too.
    second_human : with ``machines``, judgments of other people, which machines may be held against.
    by_topic : add the agreement of labels for each topic, without intervals.
    groups : the group of each run: a dictionary, or a file with a line ``RUN GROUP`` each; None for no groups.
    group_by : a regular expression that finds the group in the name of a run.
    top : with runs, add how so many of the best runs by ``human`` agree, as ``agree`` does; None for nothing.
    rerank : with runs, add what reranking them by the machine's labels gains, by people and by the machine.
    human_topics : with ``machines`` and runs, how much error is left if so many topics are judged by people; None for
        10, 25 and 50.
    resamples : draws of the topics, for intervals; 0 for none.
    alpha : intervals reach from the alpha/2 to the 1 - alpha/2 quantile over the draws.
    seed : of the draws; None for a new one, which the result has.
    level : the least grade that is relevant for the measures.
    complete : evaluate all judged topics, those that a run lacks as 0; otherwise the topics that every run has.
    min_retrieved : leave out runs with less than this share of the documents that they might have; 0 keeps all.
    rel_format, labels_format : the formats of ``human`` and of machines, if they are files: "qrels", "beir" or "json";
        None for the same.
    progress : show on standard error how many draws have been made, on a terminal.

    Returns
    -------
    Of several machines, ``JudgeFindings``, which have the labels that machines give together as well.

    Raises
    ------
    InputError : no topic or document has a label in both, there are too many grades, or a measure has no value.
    UsageError : there is neither a machine nor machines, or both; there are groups without runs, or fewer than two
        groups; a machine has the name of another judge.
    IrevalxError : as ``irevalx.evaluate``.

    Examples
    --------
    >>> import irevalx
    >>> human = {"1": {"A": 1, "B": 0, "C": 1}, "2": {"D": 1, "E": 0}}
    >>> machine = {"1": {"A": 1, "B": 1, "C": 1}, "2": {"D": 1, "E": 0}}
    >>> found = {row.statistic: row.value for row in irevalx.lab.labels(human, machine, resamples=0).rows}
    >>> found["pairs"], found["agreement"], round(found["recall"], 2)
    (5, 0.8, 1.0)
    """
    if (machine is None) == (machines is None):
        raise UsageError("either machine or machines must be given")
    if second_human is not None and machines is None:
        raise UsageError("second_human must be given together with machines")
    if human_topics is not None and (machines is None or not are_given(runs)):
        raise UsageError("human_topics must be given together with machines and runs")
    _refuse_without_runs(runs, {"groups and group_by": groups is not None or group_by is not None})
    _refuse_without_runs(runs, {"top": top is not None, "rerank": checks.flag("rerank", rerank)})
    resampling = Resampling(
        resamples=checks.whole_number("resamples", resamples, least=0, most=MOST_DRAWS),
        seed=chosen_seed(seed),
        alpha=probability("alpha", alpha),
    )
    asked = Asked(
        runs=opened_runs(runs) if machines is not None and are_given(runs) else runs,
        measures=measures,
        by_topic=checks.flag("by_topic", by_topic),
        groups=groups,
        group_by=group_by,
        top=None if top is None else checks.whole_number("top", top, least=2),
        rerank=rerank,
        resampling=resampling,
        level=level,
        complete=complete,
        min_retrieved=min_retrieved,
        human_topics=_numbers_of_topics(human_topics) if machines is not None else (),
        progress=checks.flag("progress", progress),
    )
    drawn = resampling.seed if resampling.resamples else None
    people = graded_judgments_of(human, rel_format)
    if machines is None:
        found, notes = compared(people, labels_of(machine, labels_format, rel_format), asked)
        return LabelFindings(found, drawn, notes=notes)
    others = None if second_human is None else people_of(second_human, rel_format)
    several = compared_judges(people, others, machines_of(machines, labels_format, rel_format), asked)
    return JudgeFindings(several.findings, drawn, several.combined, several.level, notes=several.notes)


def _refuse_without_runs(runs: Any, given: Mapping[str, bool]) -> None:
    """Raise UsageError for something that is about runs, where there are none."""
    for what, is_given in given.items():
        if is_given and not are_given(runs):
            raise UsageError(f"{what} must be given together with runs")


def _numbers_of_topics(human_topics: Sequence[int] | None) -> tuple[int, ...]:
    if human_topics is None:
        return HUMAN_TOPICS
    return tuple(checks.whole_number("human_topics", number, least=2) for number in human_topics)
