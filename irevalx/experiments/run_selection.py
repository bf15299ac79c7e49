"""Selection of runs that retrieve enough documents and whose top documents are fully judged.

Source: Büttcher, Clarke, Yeung and Soboroff, Reliable Information Retrieval Evaluation with Incomplete and Biased
Judgements, SIGIR 2007, section 3 (fully judged runs).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from irevalx.arrays.segments import IntArray
from irevalx.errors import InputError, RunWarning, RunWarnings, Warn
from irevalx.experiments.ranked_runs import EvaluationRules
from irevalx.judgments import AnyJudgments
from irevalx.judgments.graded import Judgments
from irevalx.ranking.rank import RankedRun
from irevalx.ranking.ranking import Ranking
from irevalx.wording import counts_by_run, spelled

LEAST_RUNS = {1: "one run", 2: "two runs"}
"""The minimum number of runs, in words."""


def selected_runs(
    ranked: Sequence[RankedRun],
    names: Sequence[str],
    topics: Sequence[bytes],
    judgments: AnyJudgments,
    rules: EvaluationRules,
    warn: Warn,
) -> tuple[list[int], tuple[str, ...]]:
    """Return the indices of the runs that retrieve enough documents and are fully judged, and notes on excluded runs.

    Raise InputError if too few runs remain.
    """
    min_retrieved, fully_judged, least = rules.min_retrieved, rules.fully_judged, rules.least_runs
    sufficient = _sufficient_runs(ranked, names, topics, min_retrieved, warn)
    if len(sufficient) < least:
        raise InputError(
            f"at least {LEAST_RUNS[least]} must retrieve {min_retrieved:.0%} of the documents they can retrieve; only "
            f"{len(sufficient)} of {len(ranked)} do"
        )
    if fully_judged is None:
        return sufficient, ()
    assert isinstance(judgments, Judgments)
    lacking = {run: _not_fully_judged(ranked[run].ranking, judgments, fully_judged) for run in sufficient}
    selected = [run for run in sufficient if not lacking[run]]
    n_runs, option = len(sufficient), spelled("fully_judged", fully_judged)
    among = "first document" if fully_judged == 1 else f"first {fully_judged} documents"
    if len(selected) < least:
        fewest = min((run for run in sufficient if lacking[run]), key=lambda run: len(lacking[run]))
        raise InputError(
            f"{option} leaves {len(selected)} of {n_runs} runs, but at least {LEAST_RUNS[least]} are required; of the "
            f"other runs, {names[fewest]} has unjudged documents among its {among} for the fewest topics "
            f"({len(lacking[fewest])} of {len(topics)}); use a smaller number"
        )
    if len(selected) == n_runs:
        return selected, (f"Runs: all {n_runs}; no unjudged documents are among their {among} ({option}).",)
    left_out = counts_by_run({names[run]: len(of_run) for run, of_run in lacking.items() if of_run})
    n_topics = len({topic for of_run in lacking.values() for topic in of_run})
    reason = f"unjudged documents among their {among} for {n_topics} of {len(topics)} topics ({option})"
    n_left_out = n_runs - len(selected)
    warn(f"{n_left_out} of {n_runs} runs are left out, with {reason}; topics by run: {left_out}")
    return selected, (f"Runs: {len(selected)} of {n_runs}; {n_left_out} are left out, with {reason}.",)


def _sufficient_runs(
    ranked: Sequence[RankedRun], names: Sequence[str], topics: Sequence[bytes], share: float, warn: Warn
) -> list[int]:
    """Return the indices of the runs that retrieve the required share of documents and have results for every topic."""
    if not share:
        return list(range(len(ranked)))
    most = len(topics) * max(int(run.ranking.n_ret.max(initial=0)) for run in ranked)
    sufficient = []
    with RunWarnings(warn) as about_runs:
        for number, run in enumerate(ranked):
            n_retrieved = int(run.ranking.n_ret.sum())
            n_topics = len(run.topics.intersection(topics))
            if n_retrieved < share * most or n_topics < len(topics):
                of_topics = f"{n_topics} of {len(topics)} topics"
                text = f"{names[number]} is left out: {n_retrieved} of {most} documents, for {of_topics}"
                about_runs.add([RunWarning("few documents", text, -n_retrieved)])
            else:
                sufficient.append(number)
    return sufficient


def _not_fully_judged(ranking: Ranking, judgments: Judgments, depth: int) -> list[int]:
    """Return the indices of the judged topics for which an unjudged document is in a run's top ``depth`` documents."""
    is_judged = (ranking.rank <= depth) & (ranking.row >= 0)
    is_judged[is_judged] = judgments.grades[ranking.row[is_judged]] >= 0
    n_judged: IntArray = ranking.rows.count(is_judged)
    topics: list[int] = ranking.judged_topic[n_judged < np.minimum(ranking.n_ret, depth)].tolist()
    return topics
