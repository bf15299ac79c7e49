"""How much of the error of a machine's scores is left if people judge some of the topics."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from irevalx.frozen import replace
from irevalx.lab.labelling.finding import Finding
from irevalx.lab.labelling.run_agreement import TwoEvaluations
from irevalx.statistics.correlations import rms
from irevalx.statistics.prediction_powered import prediction_powered
from irevalx.statistics.scales import MEAN
from irevalx.statistics.significance import generator

HUMAN_TOPICS = (10, 25, 50)
"""Numbers of topics that people might judge, unless others are asked for."""

DRAWS = 200
"""How often topics for people are drawn."""

_DRAWING = 2
"""The stream of random numbers for that."""


def error_findings(evaluated: TwoEvaluations, human_topics: Sequence[int], seed: int) -> Iterator[Finding]:
    """Yield what error the scores of runs would have if people judged some topics, drawn at random, and no others.

    Scores are estimated as ``irevalx-lab estimate`` does: those of the machine, corrected by its error on the topics
    that people judged. ``rms_estimated`` is the root mean square over draws and runs of the distance to the score that
    people give all topics; ``rms_human_alone`` is that of the mean of the drawn topics, without a machine; and
    ``error_gone`` the share of the machine's own error (``rms``) that the estimate is rid of, below 0 where it adds to
    it. These have no intervals.

    Parameters
    ----------
    human_topics : numbers of topics; those of at least 2 that leave one topic to the machine count.
    seed : of the draws.

    Notes
    -----
    For measures whose summary is the mean over topics; there is nothing for others.
    """
    human, machine = evaluated.human, evaluated.machine
    n_topics = human.shape[1]
    alone = float(rms(*evaluated.scores))
    for n in human_topics if evaluated.scale is MEAN else ():
        if not 2 <= n < n_topics:
            continue
        rng, squares = generator(seed, _DRAWING), np.zeros(2)
        for _ in range(DRAWS):
            drawn = rng.permutation(n_topics)
            judged, others = drawn[:n], drawn[n:]
            found = prediction_powered(human[:, judged], machine[:, judged], machine[:, others])
            for place, estimate in enumerate((found.estimate, found.classical)):
                squares[place] += float(((estimate - human.mean(axis=1)) ** 2).mean())
        estimated, human_alone = np.sqrt(squares / DRAWS).tolist()
        about = Finding(statistic="rms_estimated", measure=evaluated.measure, human_topics=n)
        yield replace(about, value=estimated)
        yield replace(about, statistic="rms_human_alone", value=human_alone)
        yield replace(about, statistic="error_gone", value=1 - estimated / alone if alone else None)
