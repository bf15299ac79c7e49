"""Which values a measure can have: its help says so, axes of figures end there, and the tests hold it to that."""

from __future__ import annotations

import math

from irevalx.frozen import Frozen


class Range(Frozen):
    """The bounds of what a measure prints, with its usual parameters and no level below 0.

    Parameters
    ----------
    low, high : the least and the greatest value; infinite where there is none.
    usually_at_most : what few values exceed, if any, though they can. None where ``high`` says all.
    said : how the help says it, where it is not "0 to 1", "from 0 up" or "any number".
    """

    low: float = -math.inf
    high: float = math.inf
    usually_at_most: float | None = None
    said: str | None = None

    @property
    def words(self) -> str:
        """The range as the help says it."""
        if self.said is not None:
            return self.said
        if math.isinf(self.low):
            return "any number" if math.isinf(self.high) else f"up to {_number(self.high)}"
        return (
            f"from {_number(self.low)} up" if math.isinf(self.high) else f"{_number(self.low)} to {_number(self.high)}"
        )

    @property
    def is_share(self) -> bool:
        """Whether values are from 0 to 1, a few perhaps above: such measures can share an axis."""
        return self.low >= 0 and (self.high if self.usually_at_most is None else self.usually_at_most) <= 1


ZERO_TO_ONE = Range(0, 1)
MOSTLY_ZERO_TO_ONE = Range(0, usually_at_most=1, said="0 to 1, rarely above")
ABOUT_ONE_AT_MOST = Range(0, usually_at_most=1, said="from 0 up; about 1 at most")
FROM_ZERO = Range(0)
COUNT = Range(0, said="whole numbers from 0 up")
TEXT = Range(said="text")


def _number(x: float) -> str:
    """Return a number without exponent: ``0.00001``."""
    return f"{x:.5f}".rstrip("0").rstrip(".")
