"""Calls by number: the same number is the same call."""

from __future__ import annotations

import random
import warnings
from collections.abc import Callable
from pathlib import Path

from fuzz.archives import evaluate_archive
from fuzz.evaluator import evaluate, evaluate_mutations, evaluate_own_formats, evaluate_summaries, evaluate_with_options
from fuzz.laboratory import experiment, experiment_with_mutations
from fuzz.outcome import Outcome

KINDS: dict[str, tuple[Callable[[random.Random, Path], Outcome], int]] = {
    "evaluate": (evaluate, 50),
    "archive": (evaluate_archive, 15),
    "options": (evaluate_with_options, 15),
    "own formats": (evaluate_own_formats, 10),
    "summaries": (evaluate_summaries, 15),
    "lab": (experiment, 15),
    "mutations": (evaluate_mutations, 30),
    "lab with mutations": (experiment_with_mutations, 10),
}
"""Each kind of call with how often it comes."""


def call(seed: int, folder: Path) -> Outcome:
    """Make the call with this number; its files are written to the folder."""
    rng = random.Random(seed)
    kind = rng.choices(list(KINDS), [weight for _, weight in KINDS.values()])[0]
    with warnings.catch_warnings():
        warnings.simplefilter("always")  # what is shown must not depend on the calls before
        warnings.filterwarnings("ignore", category=DeprecationWarning, module="matplotlib")  # old, with new pyparsing
        return KINDS[kind][0](rng, folder)
