"""What texts behind ``-m`` mean: names as trec_eval spells and prints them, and names that people bring."""

from __future__ import annotations

import re

from irevalx.errors import UnknownMeasureError, UsageError, quote
from irevalx.frozen import Frozen
from irevalx.measures import BY_NAME, MEASURES, NICKNAMES
from irevalx.measures.parameter_kinds import Cutoffs, CutoffsAndReals, NoParameters
from irevalx.settings import Reading, read_reading
from irevalx.trec_eval.versions import Compat

SYNONYMS = {
    "ap": "map",
    "mrr": "recip_rank",
    "rr": "recip_rank",
    "gmap": "gm_map",
    "precision": "P",
    "r-precision": "Rprec",
    "r-prec": "Rprec",
    "bpref-10": "bpref_10",
}
"""What else measures are called, in lower case."""

SYNONYMS_AT = {
    "ap": "map_cut",
    "map": "map_cut",
    "ndcg": "ndcg_cut",
    "p": "P",
    "precision": "P",
    "r": "recall",
    "recall": "recall",
    "success": "success",
    "unj": "unj",
    "judged": "judged",
    "ip": "iP",
}
"""What else is said for ``NAME@k``, in lower case."""

AT_CUTOFFS = {measure.name.lower(): measure.name for measure in MEASURES if isinstance(measure.kind, Cutoffs)}
AT_CUTOFFS |= SYNONYMS_AT
"""What ``NAME@k`` means, in lower case: a measure's own name will do too."""


class Meaning(Frozen):
    """What a text behind ``-m`` means, apart from the reading.

    Parameters
    ----------
    name : of a measure or a set of measures.
    parameters : as typed; None for the default.
    cutoffs : single cutoffs, which add to each other and to the parameters.
    """

    name: str
    parameters: str | None = None
    cutoffs: tuple[str, ...] = ()


def exists(name: str, compat: Compat) -> bool:
    """Return whether a version has a measure with this name."""
    return name in BY_NAME and name not in compat.absent_measures


def split_reading(text: str) -> tuple[str, Reading | None]:
    """Return both parts of ``NAME:READING``, the second None where there is none.

    Raises
    ------
    UsageError : there is no such reading.
    """
    stem, colon, last = text.rpartition(":")
    return (stem, read_reading(last)) if colon else (text, None)


def meaning_of(text: str, compat: Compat) -> Meaning:
    """Return what a text behind ``-m`` means.

    Parameters
    ----------
    text : without a reading: ``NAME``, ``NAME.PARAMETERS``, or what people bring: ``MAP``, ``ndcg@10``, ``P_10``.
    compat : a measure that the version lacks is unknown.

    Raises
    ------
    UnknownMeasureError : neither a measure nor a set; the message has the nearest names.
    UsageError : ``NAME.`` without anything behind the dot.
    """
    name, dot, parameters = text.partition(".")
    if exists(name, compat) or name in NICKNAMES:
        if dot and not parameters:
            raise UsageError(f"a measure's parameters must not be empty, but got {quote(text)}; leave out the dot")
        return Meaning(name, parameters if dot else None)
    found = _with_cutoffs(text, compat) or _as_printed(text, compat) or _by_synonym(text, compat)
    if not found:
        raise _unknown(name, compat)
    return found


def _with_cutoffs(text: str, compat: Compat) -> Meaning | None:
    """Return the meaning of ``ndcg@10``, in any case; None for other texts."""
    text = re.sub(r"(?i)^ndcg\(dcg=(['\"])exp-log2\1\)@", "ndcg_burges@", text)
    at = re.fullmatch(r"([a-z_]+)@([0-9]+(?:,[0-9]+)*)", text.lower())
    name = AT_CUTOFFS.get(at[1], "") if at else ""
    return Meaning(name, cutoffs=tuple(at[2].split(","))) if at and exists(name, compat) else None


def _as_printed(text: str, compat: Compat) -> Meaning | None:
    """Return the meaning of ``P_10``, as it is printed; None for other texts."""
    for name in sorted(BY_NAME, key=len, reverse=True):
        behind = text.removeprefix(f"{name}_")
        kind = BY_NAME[name].kind
        printed = behind != text and re.match(r"[-+.]?[0-9]|[a-z]*=", behind) and not isinstance(kind, NoParameters)
        if printed and exists(name, compat):
            is_cutoff = isinstance(kind, Cutoffs) and behind.isdecimal()
            if isinstance(kind, CutoffsAndReals):
                behind = behind.replace("_", ",")
            return Meaning(name, cutoffs=(behind,)) if is_cutoff else Meaning(name, behind)
    return None


def _by_synonym(text: str, compat: Compat) -> Meaning | None:
    """Return the meaning of another name, in any case; None where there is none."""
    lower = text.lower()
    folded = {name.lower(): name for name in (*NICKNAMES, *BY_NAME) if name in NICKNAMES or exists(name, compat)}
    name = SYNONYMS.get(lower) or folded.get(lower, "")
    return Meaning(name) if name in NICKNAMES or exists(name, compat) else None


def _unknown(name: str, compat: Compat) -> UnknownMeasureError:
    """Build the error for a name that means nothing."""
    if name in compat.absent_measures:
        return UnknownMeasureError(f"the measure {quote(name)} does not exist in trec_eval {compat.version} (--compat)")
    import difflib

    names = [known for known in (*NICKNAMES, *BY_NAME) if known not in compat.absent_measures]
    nearest = difflib.get_close_matches(name, names, n=3, cutoff=0.5)
    hint = f"; the nearest are {', '.join(nearest)}" if nearest else "; -h -m all_trec explains the usual ones"
    return UnknownMeasureError(f"a measure must be one that irevalx knows, but got {quote(name)}{hint}")
