"""What people type after ``-m`` and trec_eval does not understand: ``MAP``, ``ndcg@10``, ``P_10``, ``AP(rel=2)``."""

from __future__ import annotations

import re
from collections.abc import Callable

from irevalx.declarations import spelled
from irevalx.errors import UnknownMeasureError, UsageError, quote
from irevalx.frozen import Frozen, replace
from irevalx.measures import BY_NAME, MEASURES, NICKNAMES, every_measure, named
from irevalx.measures.added import ADDED
from irevalx.measures.measure_spec import MeasureSpec, exists, read_own_spelling
from irevalx.measures.other_names import NEAREST, OTHER_NAMES
from irevalx.measures.parameter_kinds import Cutoffs, CutoffsAndReals, Gains, NoParameters, RealCutoffs
from irevalx.settings import UnjudgedTreatment
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

_WITH_NUMBER = re.compile(r"(.+?)(?:[_.]?([1-9][0-9]*)|[_.]([01]?\.[0-9]+))")
"""``P10``, ``mrr_10``, ``ndcg.10`` and, where it is a level of recall, ``ircl_prn.0.10``."""


def read_other_spelling(text: str, compat: Compat) -> MeasureSpec:
    """Return what a text after ``-m`` asks for.

    Parameters
    ----------
    text : without a reading: ``NAME``, ``NAME.PARAMETERS``, or what people bring: ``MAP``, ``ndcg@10``, ``P_10``,
        ``AP(rel=2)``.
    compat : a measure that the version lacks is unknown.

    Raises
    ------
    UnknownMeasureError : neither a measure nor a set; the message has what comes nearest.
    UsageError : ``NAME.`` without anything after the dot, or arguments that the measure does not take.
    """
    stem, arguments = _split_arguments(text)
    spec = _without_arguments(stem, compat)
    for name, value in arguments.items():
        taken = arguments_of(spec.name)
        argument = next((one for one in taken if one.name == name), None)
        changed = argument.change(spec, value) if argument else None
        if not changed:
            usages = ", ".join(one.usage for one in taken)
            otherwise = next((one.otherwise for one in ARGUMENTS if one.name == name), "")
            raise UsageError(
                f"what {spec.name} has in brackets must be {usages or 'nothing'}, but got {quote(f'{name}={value}')}"
                f"{_nearest(stem) or otherwise}"
            )
        spec = changed
    return spec


_WITH_BRACKETS = re.compile(r"([^()@]+(?:@[^()@]*)?)\((.*)\)(?:@([^()@]+))?")
_WITH_LEVEL = re.compile(r"([^().]+)-l([0-9]+)")
_ARGUMENT = r"\w+=(?:\{[^{}]*\}|[^,{}]+)"
_CUTOFFS = ("cutoff", "recall")
"""Arguments that say what otherwise stands after ``@``."""


def _split_arguments(text: str) -> tuple[str, dict[str, str]]:
    """Return a measure without its arguments (``P(rel=2)@10``, or as ranx has it ``P@10-l2``), and these by name.

    Parameters
    ----------
    text : without white space and without a reading after a colon.

    Returns
    -------
    measure : with cutoffs after it: ``P@10``.
    arguments : each without quotation marks; without those that are cutoffs.

    Raises
    ------
    UsageError : what stands in brackets is no list ``name=value,...``, or there are two cutoffs.
    """
    if with_level := _WITH_LEVEL.fullmatch(text):
        return with_level[1], {"rel": with_level[2]}
    found = _WITH_BRACKETS.fullmatch(text)
    if not found:
        return text, {}
    measure, listed, at = found.groups()
    items = re.findall(_ARGUMENT, listed)
    arguments = dict(item.split("=", 1) for item in items)
    cutoffs = [arguments[name] for name in _CUTOFFS if name in arguments] + [at] * (at is not None)
    if ",".join(items) != listed or len(arguments) < len(items) or len(cutoffs) > 1:
        raise UsageError(
            "a measure with arguments must be NAME(name=value,...) or NAME(name=value,...)@K, each at most once, but "
            f"got {quote(text)}"
        )
    others = {name: value.strip("'\"") for name, value in arguments.items() if name not in _CUTOFFS}
    return "@".join([measure, *cutoffs]), others


_NUMBER = r"(?:[0-9]*\.?[0-9]+|[0-9]+\.)"


def _with_level(spec: MeasureSpec, value: str) -> MeasureSpec | None:
    """Return the measure at this level; where all retrieved documents were to be counted, it counts relevant ones."""
    if not re.fullmatch(rf"-?[0-9]{{1,18}}|-?{_NUMBER}", value):
        return None
    level = int(value) if value.removeprefix("-").isdecimal() else float(value)
    return replace(spec, name="num_rel_ret" if spec.name == "num_ret" else spec.name, level=level)


def _with_reading(spec: MeasureSpec, value: str) -> MeasureSpec | None:
    readings: dict[str, UnjudgedTreatment] = {"True": "skip", "False": "nonrel"}
    return replace(spec, reading=readings[value]) if value in readings else None


def _relative(spec: MeasureSpec, value: str) -> MeasureSpec | None:
    names = {"True": "set_relative_P", "False": "set_P"}
    return replace(spec, name=names[value]) if value in names else None


def _with_weight(spec: MeasureSpec, value: str) -> MeasureSpec | None:
    """Return the measure with this weight of recall; 1 is the usual one."""
    if spec.parameters is not None or not re.fullmatch(_NUMBER, value):
        return None
    return spec if float(value) == 1 else replace(spec, parameters=value)


def _with_named(name: str) -> Callable[[MeasureSpec, str], MeasureSpec | None]:
    """Return what changes the parameter of this name, which stands beside cutoffs: ``alpha=0.5``."""

    def changed(spec: MeasureSpec, value: str) -> MeasureSpec | None:
        if not re.fullmatch(rf"-?{_NUMBER}(?:[eE][-+]?[0-9]+)?", value):
            return None
        return replace(spec, parameters=",".join(filter(None, (spec.parameters, f"{name}={value}"))))

    return changed


def _with_gains(spec: MeasureSpec, value: str) -> MeasureSpec | None:
    """Return the measure with gains by grade: ``{1:3,2:9}``."""
    is_taken = spec.parameters is not None and spec.name != "ndcg_cut"
    if is_taken or not re.fullmatch(rf"\{{[0-9]+:{_NUMBER}(?:,[0-9]+:{_NUMBER})*\}}", value):
        return None
    gains = value.strip("{}").replace(":", "=")
    return replace(spec, gains=gains) if spec.name == "ndcg_cut" else replace(spec, parameters=gains)


def _with_discount(spec: MeasureSpec, value: str) -> MeasureSpec | None:
    """Take the gains 2^grade - 1 where the discount is called exp-log2, for which there is a measure with cutoffs."""
    if value == "exp-log2":
        return replace(spec, name="ndcg_burges") if spec.cutoffs else None
    return spec if value == "log2" else None


def _with_persistence(spec: MeasureSpec, value: str) -> MeasureSpec | None:
    """Return the measure with this probability of going on to the next document."""
    is_taken = spec.parameters is not None or not re.fullmatch(_NUMBER, value)
    return None if is_taken else replace(spec, parameters=f"p={value}")


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
    change: Callable[[MeasureSpec, str], MeasureSpec | None]
    measures: tuple[str, ...] | None = None
    otherwise: str = ""


LEVEL = Argument("rel", "rel=N", _with_level, otherwise="; a level is for measures of what is relevant or not")
JUDGED_ONLY = Argument("judged_only", "judged_only=True", _with_reading)
ARGUMENTS = (
    LEVEL,
    JUDGED_ONLY,
    Argument("relative", "relative=True", _relative, ("set_P", "set_relative_P")),
    Argument("beta", "beta=X", _with_weight, ("set_F",)),
    Argument("p", "p=X", _with_persistence, ("rbp", "rbp_resid")),
    Argument(
        *("gains", "gains={N:X,...}", _with_gains, ("ndcg", "ndcg_cut")),
        otherwise="; gains by grade are for ndcg, with or without a cutoff",
    ),
    Argument(
        *("dcg", "dcg='log2'", _with_discount, ("ndcg", "ndcg_cut")),
        otherwise="; dcg='exp-log2' must have a cutoff, as in nDCG(dcg='exp-log2')@20",
    ),
)
"""In the order in which they are listed; cutoffs are no arguments here."""


def _named_parameters(name: str) -> list[Argument]:
    """Return arguments for the parameters that a measure has by name, as in ``ERR.20,max=5``."""
    parameters = () if name in NICKNAMES else getattr(named(name).kind, "parameters", ())
    return [Argument(one.name, f"{one.name}=X", _with_named(one.name)) for one in parameters]


def arguments_of(name: str) -> list[Argument]:
    """Return the arguments that a measure, or a set of measures, may have."""
    return [argument for argument in ARGUMENTS if takes(name, argument)] + _named_parameters(name)


def all_usages() -> list[str]:
    """Return how all arguments of irevalx's measures are written, each once."""
    of_some = (argument for measure in MEASURES for argument in _named_parameters(measure.name))
    return list(dict.fromkeys(argument.usage for argument in (*ARGUMENTS, *of_some)))


def takes(name: str, argument: Argument) -> bool:
    """Return whether a measure, or a set of measures, may have an argument."""
    if argument.measures is not None:
        return name in argument.measures
    if name in NICKNAMES:
        return argument is JUDGED_ONLY
    measure = named(name)
    if argument is JUDGED_ONLY:
        return measure.kernel is not None and "skip" in measure.readings
    return name == "num_ret" or (measure.kernel is not None and measure.uses_level)


def _without_arguments(text: str, compat: Compat) -> MeasureSpec:
    found = read_own_spelling(text, compat) or _with_cutoffs(text, compat) or _as_printed(text, compat)
    found = found or _by_another_name(text, compat) or _with_number(text, compat)
    if not found:
        raise _unknown(text, compat)
    return found


def _with_cutoffs(text: str, compat: Compat) -> MeasureSpec | None:
    """Return what ``ndcg@10`` asks for, in any case; None for other texts."""
    at = _AT.fullmatch(text)
    name = AT_CUTOFFS.get(at[1].lower()) or _added(at[1]) if at else ""
    if not at or not exists(name, compat):
        return None
    cutoffs = tuple(at[2].split(","))
    are_ranks = all(cutoff.isdecimal() for cutoff in cutoffs)
    kind = named(name).kind
    takes_cutoffs = isinstance(kind, RealCutoffs) or (are_ranks and isinstance(kind, Cutoffs))
    return MeasureSpec(name, cutoffs=cutoffs) if takes_cutoffs else None


def _with_number(text: str, compat: Compat) -> MeasureSpec | None:
    """Return what ``P10`` asks for, in any case: a measure that has cutoffs, and one of them; None for other texts."""
    found = _WITH_NUMBER.fullmatch(text)
    return _with_cutoffs(f"{found[1]}@{found[2] or found[3]}", compat) if found else None


def _as_printed(text: str, compat: Compat) -> MeasureSpec | None:
    """Return what ``P_10`` asks for, as it is printed; None for other texts."""
    kinds = {measure.name: measure.kind for measure in every_measure()}
    for name in sorted(kinds, key=len, reverse=True):
        after = text.removeprefix(f"{name}_")
        kind = kinds[name]
        printed = after != text and re.match(r"[-+.]?[0-9]|[a-z]*=", after) and not isinstance(kind, NoParameters)
        if printed and exists(name, compat) and not (isinstance(kind, Gains) and "=" not in after):
            is_cutoff = isinstance(kind, Cutoffs) and after.isdecimal()
            if isinstance(kind, CutoffsAndReals):
                after = after.replace("_", ",")
            return MeasureSpec(name, cutoffs=(after,)) if is_cutoff else MeasureSpec(name, after)
    return None


def _by_another_name(text: str, compat: Compat) -> MeasureSpec | None:
    """Return what another name asks for, in any case; None where there is none."""
    name = ALONE.get(text.lower()) or _added(text)
    return MeasureSpec(name) if name in NICKNAMES or exists(name, compat) else None


def _added(text: str) -> str:
    """Return the name of the measure that is not irevalx's and has this name in any case; empty where there is none."""
    return next((name for name in ADDED if name.lower() == text.lower()), "")


def cutoff_hint(name: str, parameters: str | None) -> str:
    """Return what may be meant by ``recip_rank.10``, for the end of a message: nothing where no measure comes near."""
    meant = AT_CUTOFFS.get(name.lower(), name)
    is_list = re.fullmatch("[1-9][0-9]*(?:,[1-9][0-9]*)*", parameters or "")
    return f"; {meant}.{parameters} may be meant" if meant != name and is_list else ""


def gains_hint(name: str, parameters: str | None) -> str:
    """Return what may be meant by ``ndcg_cut.20,2=1``, for the end of a message; nothing for others."""
    items = (parameters or "").split(",")
    gains = [item.replace("=", ":") for item in items if re.fullmatch(rf"[0-9]+={_NUMBER}", item)]
    cutoffs = [item for item in items if item.isdecimal()]
    if name != "ndcg_cut" or not gains:
        return ""
    return f"; 'nDCG(gains={{{','.join(gains)}}})@{','.join(cutoffs) or 'K'}' takes gains"


def _unknown(text: str, compat: Compat) -> UnknownMeasureError:
    """Build the error for a name that means nothing: it has what to type instead."""
    at = _AT.fullmatch(text)
    name = at[1] if at else re.split("[.@]", text)[0]
    alone, with_cutoff = ALONE.get(name.lower()) or _added(name), AT_CUTOFFS.get(name.lower(), "")
    if absent := {alone, with_cutoff} & compat.absent_measures:
        return UnknownMeasureError(
            f"the measure {quote(min(absent))} does not exist in trec_eval {compat.version} ({spelled('compat')})"
        )
    hint = _nearest(text)
    if not hint and with_cutoff:
        example = "0.1" if isinstance(BY_NAME[with_cutoff].kind, RealCutoffs) else "10"
        hint = f"; it must have a cutoff, as in {name}@{example}"
    elif not hint and at and alone:
        cut = spelled("max_retrieved", at[2])
        hint = f"; {alone} has no cutoff, but {cut} evaluates the first {at[2]} documents of each topic"
    return UnknownMeasureError(
        f"a measure must be one that irevalx knows, but got {quote(text)}{hint or _alike(name, compat)}"
    )


def _alike(name: str, compat: Compat) -> str:
    """Return names that look alike, for the end of a message."""
    import difflib

    names = [known for known in (*NICKNAMES, *BY_NAME, *ADDED) if known not in compat.absent_measures]
    alike = difflib.get_close_matches(name, names, n=3, cutoff=0.5)
    verb = "are" if len(alike) > 1 else "is"
    return f"; the nearest {verb} {', '.join(alike)}" if alike else "; irevalx -h -m all_trec explains the usual ones"


def _nearest(text: str) -> str:
    """Return what comes nearest to a measure that irevalx has not, for the end of a message; empty for others."""
    at = _AT.fullmatch(text)
    name, k = (at[1], at[2]) if at else (text, "K")
    found = next((nearest for nearest in NEAREST if nearest.name.lower() == name.lower()), None)
    return f"; the nearest is {found.measure.format(k=k)}: {found.difference.format(k=k)}" if found else ""
