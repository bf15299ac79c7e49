"""How the arguments that a measure has in brackets, ``P(rel=2)@10``, change what it means."""

from __future__ import annotations

import re
from collections.abc import Callable

from irevalx.frozen import Frozen, replace
from irevalx.measures.measure_names import Meaning
from irevalx.settings import Reading

_NUMBER = r"(?:[0-9]*\.?[0-9]+|[0-9]+\.)"


def _with_level(meaning: Meaning, value: str) -> Meaning | None:
    """Return the meaning at this level; where all retrieved documents were to be counted, it counts relevant ones."""
    if not re.fullmatch("-?[0-9]{1,18}", value):
        return None
    return replace(meaning, name="num_rel_ret" if meaning.name == "num_ret" else meaning.name, level=int(value))


def _with_reading(meaning: Meaning, value: str) -> Meaning | None:
    readings: dict[str, Reading] = {"True": "skip", "False": "nonrel"}
    return replace(meaning, reading=readings[value]) if value in readings else None


def _relative(meaning: Meaning, value: str) -> Meaning | None:
    names = {"True": "set_relative_P", "False": "set_P"}
    return replace(meaning, name=names[value]) if value in names else None


def _with_weight(meaning: Meaning, value: str) -> Meaning | None:
    """Return the meaning with this weight of recall; 1 is the usual one."""
    if meaning.parameters is not None or not re.fullmatch(_NUMBER, value):
        return None
    return meaning if float(value) == 1 else replace(meaning, parameters=value)


def _with_gains(meaning: Meaning, value: str) -> Meaning | None:
    """Return the meaning with gains by grade: ``{1:3,2:9}``."""
    if meaning.parameters is not None or not re.fullmatch(rf"\{{[0-9]+:{_NUMBER}(?:,[0-9]+:{_NUMBER})*\}}", value):
        return None
    return replace(meaning, parameters=value.strip("{}").replace(":", "="))


def _with_discount(meaning: Meaning, value: str) -> Meaning | None:
    """Take the gains 2^grade - 1 where the discount is called exp-log2, for which there is a measure with cutoffs."""
    if value == "exp-log2":
        return replace(meaning, name="ndcg_burges") if meaning.cutoffs else None
    return meaning if value == "log2" else None


class Argument(Frozen):
    """An argument that a measure may have in brackets, as ir_measures writes it.

    Parameters
    ----------
    name : before the ``=``.
    usage : how it is written.
    change : returns what a measure means with this value, or None where the value makes no sense.
    measures : those that take it; None where that follows from how measures are declared.
    otherwise : what the error about other measures and values says in the end.
    """

    name: str
    usage: str
    change: Callable[[Meaning, str], Meaning | None]
    measures: tuple[str, ...] | None = None
    otherwise: str = ""


LEVEL = Argument("rel", "rel=N", _with_level, otherwise="; a level is for measures of what is relevant or not")
JUDGED_ONLY = Argument("judged_only", "judged_only=True", _with_reading)
ARGUMENTS = (
    LEVEL,
    JUDGED_ONLY,
    Argument("relative", "relative=True", _relative, ("set_P", "set_relative_P")),
    Argument("beta", "beta=X", _with_weight, ("set_F",)),
    Argument(
        *("gains", "gains={N:X,...}", _with_gains, ("ndcg",)),
        otherwise="; the nearest is ndcg.1=3,2=9, without a cutoff: -M cuts the ranking, but not the best possible one",
    ),
    Argument(
        *("dcg", "dcg='log2'", _with_discount, ("ndcg", "ndcg_cut")),
        otherwise="; dcg='exp-log2' must have a cutoff, as in nDCG(dcg='exp-log2')@20",
    ),
)
"""In the order in which they are listed; cutoffs are no arguments here, see ``notation``."""
