"""Pools of runs, and the judgments that they leave."""

from __future__ import annotations

from typing import Any, overload

import numpy as np

from irevalx.api import checks
from irevalx.api.inputs import Pool
from irevalx.api.user_warnings import warn
from irevalx.errors import UsageError, shown_name
from irevalx.experiments import samples
from irevalx.experiments.pools import in_pool, pool_of
from irevalx.experiments.qrels_text import GradedText
from irevalx.experiments.seeds import chosen_seed
from irevalx.experiments.user_data import runs_of
from irevalx.frozen import replace
from irevalx.judgments.pool import with_pool


@overload
def pool(runs: Any, *, depth: int = 100, rel_format: str = "qrels") -> Pool: ...


@overload
def pool(runs: Any, *, depth: int = 100, judge: Any, mix_seed: int | None = None, drop: bool = False) -> GradedText: ...


def pool(
    runs: Any,
    *,
    depth: int = 100,
    judge: Any = None,
    mix_seed: int | None = None,
    drop: bool = False,
    rel_format: str = "qrels",
) -> Pool | GradedText:
    """Pool the first documents of runs, as irevalx ranks them.

    Parameters
    ----------
    runs : as ``irevalx.evaluate`` takes them.
    depth : pool so many documents of each topic of every run; at least 1.
    judge : judgments, as ``irevalx.evaluate`` takes them; those for the documents of the pool are returned then.
    mix_seed : with ``judge``, of each topic keep as many judgments again, drawn from the others with this seed.
    drop : with ``judge``, leave out the documents that only the judgments or only the pool has, rather than giving
        them the grade -1.
    rel_format : the format of these judgments.

    Returns
    -------
    The pool, which ``irevalx.evaluate`` takes; its file is ``text``. With ``judge``, judgments; so is theirs.

    Raises
    ------
    UsageError : ``mix_seed`` or ``drop`` is given without ``judge``.
    IrevalxError : as ``irevalx.evaluate``.
    """
    depth, drop = checks.whole_number("depth", depth, least=1), checks.flag("drop", drop)
    if judge is None and (mix_seed is not None or drop):
        raise UsageError("mix_seed and drop must be given together with judge")
    opened, _ = runs_of(runs)
    if judge is None:
        return Pool(pool_of(opened, depth, warn))
    read = GradedText.of(judge, rel_format)
    judgments, documents = read.judgments, pool_of(opened, depth, warn)
    if unknown := sum(topic not in judgments.topic_index for topic in documents.topics):
        warn(
            f"{unknown} of {len(documents.topics)} pooled topics are left out: {shown_name(judgments.path)} does not "
            "judge them"
        )
    pooled = in_pool(judgments, documents)[np.newaxis]
    if mix_seed is None:
        kept = samples.shallow(judgments, pooled)
    else:
        kept = samples.mixed(judgments, pooled, samples.RandomOrder(judgments, chosen_seed(mix_seed), "mixed"))
    reduced = replace(judgments, grades=samples.unjudge(judgments, kept))
    return read.rewritten(reduced, kept) if drop else read.rewritten(with_pool(reduced, documents))
