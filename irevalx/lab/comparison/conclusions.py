"""What a comparison concludes under a measure. Tables, summaries and the report render these conclusions."""

from __future__ import annotations

import math

from irevalx.frozen import Frozen, cached_property
from irevalx.lab.comparison.pairs import ComparedMeasure, ComparedPair
from irevalx.statistics.significance import correction_named

REFERENCE, BETTER, WORSE, ALIKE = "reference", "better", "worse", "alike"
"""The verdicts on runs: the run with which the others are compared; significantly better or worse (higher or lower if
the measure has no better direction), or not significantly different."""


class Conclusion(Frozen):
    """The best run, and which runs differ significantly from the baseline or, without a baseline, from the best run."""

    of_measure: ComparedMeasure
    baseline: str | None = None

    @property
    def best(self) -> str:
        """The best run; the first of tied runs."""
        return self.of_measure.runs[self.of_measure.best_first[0]]

    @property
    def best_score(self) -> float:
        """The summary value of the best run."""
        return self.of_measure.scores[self.of_measure.best_first[0]]

    @property
    def is_of_equals(self) -> bool:
        """Whether all runs are tied."""
        return len(self.of_measure.best_runs) == len(self.of_measure.runs)

    @property
    def extreme(self) -> str:
        """The word for the value of the best run."""
        return "lowest" if self.of_measure.measured.direction < 0 else "highest"

    @cached_property
    def verdicts(self) -> list[str]:
        """The verdict on each run. It is empty for runs that are not compared with the reference."""
        comparisons, sign = self.of_measure.comparisons, self.of_measure.measured.direction or 1
        reference = self.of_measure.runs.index(self.best if self.baseline is None else self.baseline)
        verdicts = [""] * len(self.of_measure.runs)
        verdicts[reference] = REFERENCE
        for row, pair in enumerate(comparisons.pairs):
            if reference in pair:
                run, gain = (pair[1], sign) if pair[0] == reference else (pair[0], -sign)
                differs, is_gain = comparisons.differ[row], gain * comparisons.difference[row] > 0
                verdicts[run] = (BETTER if is_gain else WORSE) if differs else ALIKE
        return verdicts

    def runs_that_are(self, verdict: str) -> list[str]:
        """Return the runs with a verdict, in their order."""
        return [run for run, each in zip(self.of_measure.runs, self.verdicts, strict=True) if each == verdict]

    @property
    def signs(self) -> list[str]:
        """``+`` or ``-`` for runs that are significantly better or worse; ``>`` or ``<`` without a better direction."""
        better, worse = "+-" if self.of_measure.measured.direction else "><"
        return [{BETTER: better, WORSE: worse}.get(verdict, "") for verdict in self.verdicts]

    def pair_of(self, run: str) -> ComparedPair:
        """Return the pair of a run and the reference, with the better run first or, with a baseline, the run."""
        reference = self.best if self.baseline is None else self.baseline
        return self._oriented(
            next(pair for pair in self.of_measure.pairs if {pair.run, pair.against} == {run, reference})
        )

    @property
    def main_run(self) -> str:
        """The run whose difference from the reference is the main result.

        With a baseline: the best of the significantly better runs, or else of all other runs. Otherwise: the best of
        the runs that are significantly different from the best run, or else the second best run.
        """
        verdicts = {BETTER} if self.baseline is not None else {BETTER, WORSE}
        others = [run for run in self.of_measure.best_first if self.verdicts[run] != REFERENCE]
        return self.of_measure.runs[next((run for run in others if self.verdicts[run] in verdicts), others[0])]

    @property
    def oriented_pairs(self) -> list[ComparedPair]:
        """All pairs, with the better run first or, with a baseline, the baseline second."""
        return [*map(self._oriented, self.of_measure.pairs)]

    def _oriented(self, pair: ComparedPair) -> ComparedPair:
        direction = self.of_measure.measured.direction if self.baseline is None else 0
        return _turned(pair) if direction * pair.difference < 0 else pair

    @property
    def is_corrected(self) -> bool:
        """Whether p-values are corrected for several comparisons."""
        comparisons = self.of_measure.comparisons
        return len(comparisons.pairs) > 1 and correction_named(comparisons.method.correction) != "none"

    @property
    def is_simultaneous(self) -> bool:
        """Whether there are intervals that are simultaneous over several comparisons."""
        return self.is_corrected and any(not math.isnan(pair.simultaneous_low) for pair in self.of_measure.pairs)


def _turned(pair: ComparedPair) -> ComparedPair:
    """Return the comparison of the second run of a pair with the first."""
    return pair._replace(
        run=pair.against,
        against=pair.run,
        difference=0.0 - pair.difference,
        low=0.0 - pair.high,
        high=0.0 - pair.low,
        simultaneous_low=0.0 - pair.simultaneous_high,
        simultaneous_high=0.0 - pair.simultaneous_low,
        effect_size=0.0 - pair.effect_size,
        wins=pair.losses,
        losses=pair.wins,
    )
