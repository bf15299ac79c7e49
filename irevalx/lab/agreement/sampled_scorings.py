"""Scorings of runs under samples of strata, for measures of grades, of strata and of probabilities side by side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from irevalx.api import checks
from irevalx.api.inputs import Qrels
from irevalx.api.user_warnings import warn
from irevalx.experiments.ranking_runs import raise_first
from irevalx.experiments.sample_values import requests_of_samples, values_of_sample
from irevalx.experiments.strata import StrataSample
from irevalx.experiments.user_data import OpenedRuns, experiment_of
from irevalx.frozen import replace
from irevalx.judgments.graded import Judgments
from irevalx.lab.agreement.scorings import Scoring
from irevalx.reading.formats import QRELS, SAMPLED
from irevalx.reading.source import CHUNK_SIZE, Source
from irevalx.trec_eval.versions import TREC_EVAL_10


def scorings_of_samples(
    sources: Sequence[Source], runs: OpenedRuns, measures: Sequence[str], **options: Any
) -> list[Scoring]:
    """Evaluate the runs with each of several files of judgments, which are samples of strata or qrels.

    The documents of a sample that were not drawn are pooled and not judged for measures of grades. For measures of
    strata and of probabilities, qrels have one stratum, of which the judged documents are a sample.

    Parameters
    ----------
    options : ``level`` and ``min_retrieved``, as ``experiment_of`` takes them.

    Raises
    ------
    UsageError : a measure can be computed from none of that.
    Others as reading and evaluating do.
    """
    requests = requests_of_samples(measures, checks.whole_number("level", options["level"]))
    found = []
    for source in sources:
        sample = read_sample(source)
        experiment = experiment_of(Qrels(sample.judgments), runs, requests, **options)
        found.append(Scoring.of(source.path, experiment, values_of_sample(experiment, sample)))
    return found


def read_sample(source: Source) -> StrataSample:
    """Read a file of judgments, with strata if its lines have five columns; raises as the evaluator does."""
    kept = source.in_memory()
    lines = (line.split() for line in b"".join(kept.chunks(CHUNK_SIZE)).split(b"\n"))
    n_columns = next((len(fields) for fields in lines if fields and not fields[0].startswith(b"#")), 0)
    form = QRELS if n_columns == 4 else SAMPLED
    judgments: Judgments = form.read(kept, TREC_EVAL_10, False, warn)
    raise_first(judgments.duplicates)
    stratum = np.zeros(judgments.rows.size, np.int64) if judgments.strata is None else judgments.strata
    names = tuple(str(number) for number in range(1, 2 + int(stratum.max(initial=0))))
    return StrataSample(replace(judgments, strata=None), stratum, judgments.grades >= 0, names)
