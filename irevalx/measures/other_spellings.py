"""What any text behind ``-m`` means: names as trec_eval spells and prints them, and names that people bring."""

from __future__ import annotations

import re

from irevalx.errors import UnknownMeasureError, UsageError, quote
from irevalx.measures import BY_NAME, MEASURES, NICKNAMES
from irevalx.measures.measure_arguments import ARGUMENTS, JUDGED_ONLY, Argument
from irevalx.measures.measure_names import Meaning, exists, known_meaning
from irevalx.measures.notation import Notation, read_notation
from irevalx.measures.other_names import NEAREST, OTHER_NAMES
from irevalx.measures.parameter_kinds import Cutoffs, CutoffsAndReals, NoParameters, RealCutoffs
from irevalx.trec_eval.versions import Compat

ALONE = {name.lower(): name for name in (*NICKNAMES, *BY_NAME)}
ALONE |= {other.name.lower(): other.alone for other in OTHER_NAMES if other.alone}
"""What a name means that has no cutoff, in lower case."""

AT_CUTOFFS = {
    measure.name.lower(): measure.name for measure in MEASURES if isinstance(measure.kind, Cutoffs | RealCutoffs)
}
AT_CUTOFFS |= {other.name.lower(): other.at for other in OTHER_NAMES if other.at}
"""What ``NAME@K`` means, in lower case: a measure's own name will do too."""

_AT = re.compile(r"([^@]+?)(?:@|_at_)((?:[0-9]*\.)?[0-9]+(?:,(?:[0-9]*\.)?[0-9]+)*)")
"""``NAME@10``, ``NAME_at_10``, ``NAME@0.1,0.2``."""


def meaning_of(text: str, compat: Compat) -> Meaning:
    """Return what a text behind ``-m`` means.

    Parameters
    ----------
    text : without a reading: ``NAME``, ``NAME.PARAMETERS``, or what people bring: ``MAP``, ``ndcg@10``, ``P_10``,
        ``AP(rel=2)``.
    compat : a measure that the version lacks is unknown.

    Raises
    ------
    UnknownMeasureError : neither a measure nor a set; the message has what comes nearest.
    UsageError : ``NAME.`` without anything behind the dot, or arguments that the measure does not take.
    """
    notation = read_notation(text)
    return _with_arguments(notation, compat) if notation else _without_arguments(text, compat)


def _with_arguments(notation: Notation, compat: Compat) -> Meaning:
    meaning = _without_arguments(notation.measure, compat)
    for name, value in notation.arguments.items():
        argument = next((argument for argument in ARGUMENTS if argument.name == name), None)
        changed = argument.change(meaning, value) if argument and takes(meaning.name, argument) else None
        if not changed:
            usages = ", ".join(argument.usage for argument in ARGUMENTS if takes(meaning.name, argument))
            raise UsageError(
                f"what {meaning.name} has in brackets must be {usages or 'nothing'}, but got {quote(f'{name}={value}')}"
                f"{_nearest(notation.measure) or (argument.otherwise if argument else '')}"
            )
        meaning = changed
    return meaning


def takes(name: str, argument: Argument) -> bool:
    """Return whether a measure, or a set of measures, may have an argument."""
    if argument.measures is not None:
        return name in argument.measures
    if name in NICKNAMES:
        return argument is JUDGED_ONLY
    measure = BY_NAME[name]
    if argument is JUDGED_ONLY:
        return measure.kernel is not None and "skip" in measure.readings
    return name == "num_ret" or (measure.kernel is not None and measure.explanation.uses_level)


def _without_arguments(text: str, compat: Compat) -> Meaning:
    found = known_meaning(text, compat) or _with_cutoffs(text, compat) or _as_printed(text, compat)
    found = found or _by_another_name(text, compat)
    if not found:
        raise _unknown(text, compat)
    return found


def _with_cutoffs(text: str, compat: Compat) -> Meaning | None:
    """Return the meaning of ``ndcg@10``, in any case; None for other texts."""
    at = _AT.fullmatch(text)
    name = AT_CUTOFFS.get(at[1].lower(), "") if at else ""
    if not at or not exists(name, compat):
        return None
    cutoffs = tuple(at[2].split(","))
    are_ranks = all(cutoff.isdecimal() for cutoff in cutoffs)
    return Meaning(name, cutoffs=cutoffs) if are_ranks or isinstance(BY_NAME[name].kind, RealCutoffs) else None


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


def _by_another_name(text: str, compat: Compat) -> Meaning | None:
    """Return the meaning of another name, in any case; None where there is none."""
    name = ALONE.get(text.lower(), "")
    return Meaning(name) if name in NICKNAMES or exists(name, compat) else None


def cutoff_hint(name: str, parameters: str | None) -> str:
    """Return what may be meant by ``recip_rank.10``, for the end of a message: nothing where no measure comes near."""
    meant = AT_CUTOFFS.get(name.lower(), name)
    is_list = re.fullmatch("[1-9][0-9]*(?:,[1-9][0-9]*)*", parameters or "")
    return f"; {meant}.{parameters} may be meant" if meant != name and is_list else ""


def _unknown(text: str, compat: Compat) -> UnknownMeasureError:
    """Build the error for a name that means nothing: it has what to type instead."""
    at = _AT.fullmatch(text)
    name = at[1] if at else re.split("[.@]", text)[0]
    alone, with_cutoff = (names.get(name.lower(), "") for names in (ALONE, AT_CUTOFFS))
    if absent := {alone, with_cutoff} & compat.absent_measures:
        return UnknownMeasureError(
            f"the measure {quote(min(absent))} does not exist in trec_eval {compat.version} (--compat)"
        )
    hint = _nearest(text)
    if not hint and with_cutoff:
        example = "0.1" if isinstance(BY_NAME[with_cutoff].kind, RealCutoffs) else "10"
        hint = f"; it must have a cutoff, as in {name}@{example}"
    elif not hint and at and alone:
        hint = f"; {alone} has no cutoff, but -M {at[2]} evaluates the first {at[2]} documents of each topic"
    return UnknownMeasureError(
        f"a measure must be one that irevalx knows, but got {quote(text)}{hint or _alike(name, compat)}"
    )


def _alike(name: str, compat: Compat) -> str:
    """Return names that look alike, for the end of a message."""
    import difflib

    names = [known for known in (*NICKNAMES, *BY_NAME) if known not in compat.absent_measures]
    alike = difflib.get_close_matches(name, names, n=3, cutoff=0.5)
    verb = "are" if len(alike) > 1 else "is"
    return f"; the nearest {verb} {', '.join(alike)}" if alike else "; -h -m all_trec explains the usual ones"


def _nearest(text: str) -> str:
    """Return what comes nearest to a measure that irevalx has not, for the end of a message; empty for others."""
    at = _AT.fullmatch(text)
    name, k = (at[1], at[2]) if at else (text, "K")
    found = next((nearest for nearest in NEAREST if nearest.name.lower() == name.lower()), None)
    return f"; the nearest is {found.measure.format(k=k)}: {found.difference.format(k=k)}" if found else ""
