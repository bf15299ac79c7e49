"""Seeds of random choices."""

from __future__ import annotations

import secrets
from numbers import Integral
from typing import Any

from irevalx import parameters

MOST_SEEDS = 2**32

MOST_DRAWS = 10**7
"""How often something may be drawn: more would take longer than anybody waits for digits that nobody reads."""


def chosen_seed(seed: Any) -> int:
    """Return the seed, or a new one for None."""
    if seed is None:
        return secrets.randbelow(MOST_SEEDS)
    if isinstance(seed, bool) or not isinstance(seed, Integral):
        raise parameters.argument_error("seed", "a whole number or None", seed)
    return int(seed)
