"""The names and spellings of measures in other programs, such as ``MAP``, ``ndcg@10``, ``P_10`` and ``AP(rel=2)``.

The programs are ir_measures, ranx, MTEB, BEIR, pytrec_eval, ndeval and older versions of trec_eval. A name is accepted
only if it denotes the same measure in irevalx. If irevalx does not implement the measure, the error names the most
similar measure and describes the difference.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from irevalx.errors import UnknownMeasureError, UsageError, quote
from irevalx.frozen import Frozen, replace
from irevalx.measures import BY_NAME, MEASURES, NICKNAMES, every_measure, named
from irevalx.measures.declaration import ADDED
from irevalx.measures.parameter_kinds import Cutoffs, CutoffsAndReals, Gains, NoParameters, RealCutoffs
from irevalx.measures.requests import ParsedRequest, exists, read_own_request
from irevalx.settings import read_level
from irevalx.trec_eval import Compat
from irevalx.wording import join_words, spelled


class ForeignName(Frozen):
    """A name that other programs use for a measure of irevalx."""

    name: str
    """The name in the spelling of the other program. Case is ignored."""
    alone: str = ""
    """The measure to which the name refers without a cutoff, or "" if a cutoff is required."""
    at: str = ""
    """The measure to which the name refers with a cutoff, as in ``NAME@K``, or "" if cutoffs are not supported."""


_NAMES = {
    ("map", "map_cut"): "AP MAP",
    ("gm_map", ""): "gMAP",
    ("recip_rank", "recip_rank_cut"): "RR MRR recip_rank",
    ("ndcg", "ndcg_cut"): "nDCG",
    ("P", "P"): "Precision",
    ("", "recall"): "R",
    ("", "relative_P"): "R_cap recall_cap",
    ("", "success"): "hit_rate HitRate",
    ("Rprec", ""): "R-prec R-precision",
    ("", "iprec_at_recall"): "IPrec",
    ("iprec_at_recall", "iprec_at_recall"): "ircl_prn",
    ("set_F", ""): "F1 SetF",
    ("set_P", ""): "SetP",
    ("set_relative_P", ""): "SetRelP",
    ("set_recall", ""): "SetR",
    ("set_map", ""): "SetAP",
    ("num_q", ""): "NumQ",
    ("num_ret", ""): "NumRet",
    ("num_rel", ""): "NumRel",
    ("num_rel_ret", ""): "NumRelRet",
    ("bpref_10", ""): "bpref-10",
    ("", "ERR_IA"): "ERR-IA",
    ("", "nERR_IA"): "nERR-IA",
    ("", "alpha_DCG"): "alpha-DCG",
    ("", "alpha_nDCG"): "alpha-nDCG",
    ("MAP_IA", ""): "MAP-IA AP_IA",
    ("", "P_IA"): "P-IA",
    ("", "strec"): "StRecall",
}
"""The names that other programs use for a measure without a cutoff and its counterpart with a cutoff, in display
order."""

OTHER_NAMES = tuple(ForeignName(name, *measures) for measures, names in _NAMES.items() for name in names.split())


class NearestMeasure(Frozen):
    """A measure that only another program implements, with the most similar measure of irevalx."""

    name: str
    """The name in the spelling of the other program. Case is ignored."""
    measure: str
    """The value of ``-m`` that requests the most similar measure. ``{k}`` is replaced by the requested cutoff."""
    difference: str
    """The description of the difference between the two measures. ``{k}`` is replaced by the requested cutoff."""


_SAME_AT_ALL_RANKS = "a user who goes on with the same probability at every rank, whatever was found"

NEAREST = (
    NearestMeasure("Hit", "success.{k}", "1 where a relevant document is among the first {k}, otherwise 0"),
    NearestMeasure(
        "hits", "P.{k}", "the relevant documents among the first {k}, divided by {k}; num_rel_ret counts all retrieved"
    ),
    NearestMeasure(
        "Accuracy",
        "success.{k}",
        "1 where a relevant document is among the first {k}, as in BEIR; the Accuracy of ir_measures is nearer to "
        "RankEff, which leaves unjudged documents out and counts relevant ones that were not retrieved as 0",
    ),
    NearestMeasure(
        "F1", "set_F", "F1 of all retrieved documents; with -M {k} of the first {k}, where {k} or more were retrieved"
    ),
    NearestMeasure("Hole", "unj.{k}", "the share of documents without a judgment for this topic, not for any topic"),
    NearestMeasure(
        "dcg_burges", "dcg.1=1,2=3,3=7,4=15", "its gains for grades up to 4, over the whole list; -M {k} cuts it"
    ),
    NearestMeasure(
        "RBP", "rbp.p=0.8", "p is 0.9 unless given; gains are the grades, brought to 0..1, and there is no cutoff"
    ),
    NearestMeasure(
        "SDCG", "ndcg_cut.{k}", "normalised by the best ranking of what was judged, not by {k} perfect documents"
    ),
    NearestMeasure("Compat", "compatibility", "of 1000 ranks, as in its authors' program, not of the longer list"),
    NearestMeasure("INSQ", "rbp.p=0.8", _SAME_AT_ALL_RANKS),
    NearestMeasure("BPM", "rbp.p=0.8", _SAME_AT_ALL_RANKS),
    *(NearestMeasure(f"NERR{number}", "rbp.p=0.8", _SAME_AT_ALL_RANKS) for number in (8, 9, 10, 11)),
)
"""The measures of other programs for which the error about an unknown measure names a similar measure."""


ALONE = {name.lower(): name for name in (*NICKNAMES, *BY_NAME)}
ALONE |= {other.name.lower(): other.alone for other in OTHER_NAMES if other.alone}
"""A dictionary that maps lower-case names, in irevalx or other programs, to measures without a cutoff and to sets."""

AT_CUTOFFS = {
    measure.name.lower(): measure.name for measure in MEASURES if isinstance(measure.kind, Cutoffs | RealCutoffs)
}
AT_CUTOFFS |= {other.name.lower(): other.at for other in OTHER_NAMES if other.at}
"""A dictionary that maps NAME of ``NAME@K``, in lower case, to a measure. NAME is used by irevalx or another
program."""

_AT = re.compile(r"([^@]+?)(?:@|_at_)((?:[0-9]*\.)?[0-9]+(?:,(?:[0-9]*\.)?[0-9]+)*)")
"""The pattern of the spellings ``NAME@10``, ``NAME_at_10`` and ``NAME@0.1,0.2``."""

_WITH_NUMBER = re.compile(r"(.+?)(?:[_.]?([1-9][0-9]*)|[_.]([01]?\.[0-9]+))")
"""The pattern of the spellings ``P10``, ``mrr_10`` and ``ndcg.10``, and of ``ircl_prn.0.10`` with a recall level."""


def read_foreign_request(text: str, compat: Compat) -> ParsedRequest | None:
    """Parse a request, without a treatment, in the spelling of any program, or return None for an unknown measure."""
    stem, arguments = _split_arguments(text)
    spec = _without_arguments(stem, compat)
    if spec is None:
        return None
    for name, value in arguments.items():
        taken = [argument for argument in ARGUMENTS if takes(spec.name, argument)] + _named_parameters(spec.name)
        argument = next((other for other in taken if other.name == name), None)
        changed = argument.change(spec, value) if argument else None
        if not changed:
            usages = ", ".join(other.usage for other in taken)
            typed = stem.partition("@")[0]
            problem = f"invalid {quote(f'{name}={value}')}" if argument else f"{typed} has no parameter {quote(name)}"
            others = "" if argument else next((other.others for other in ARGUMENTS if other.name == name), "")
            hint = _nearest(stem) or (argument.requirement if argument else others)
            raise UsageError(
                f"invalid measure {quote(text)}: {problem}; parameters of {typed}: {usages or 'none'}{hint}"
            )
        spec = changed
    return spec


_WITH_BRACKETS = re.compile(r"([^()@]+(?:@[^()@]*)?)\((.*)\)(?:@([^()@]+))?")
_WITH_LEVEL = re.compile(r"([^().]+)-l([0-9]+)")
_ARGUMENT = r"\w+=(?:\{[^{}]*\}|[^,{}]+)"
_CUTOFFS = ("cutoff", "recall")
"""The arguments that have the same meaning as ``@``."""


def _split_arguments(text: str) -> tuple[str, dict[str, str]]:
    """Split a request such as ``P(rel=2)@10``, or ``P@10-l2`` in ranx, into ``P@10`` and named arguments."""
    if with_level := _WITH_LEVEL.fullmatch(text):
        return with_level[1], {"rel": with_level[2]}
    match = _WITH_BRACKETS.fullmatch(text)
    if not match:
        return text, {}
    measure, listed, at = match.groups()
    items = re.findall(_ARGUMENT, listed)
    arguments = dict(item.split("=", 1) for item in items)
    cutoffs = [arguments[name] for name in _CUTOFFS if name in arguments] + [at] * (at is not None)
    if ",".join(items) != listed or len(arguments) < len(items) or len(cutoffs) > 1:
        raise UsageError(
            f"invalid measure {quote(text)}: arguments have the form NAME(name=value,...) or NAME(name=value,...)@K, "
            "each at most once"
        )
    others = {name: value.strip("'\"") for name, value in arguments.items() if name not in _CUTOFFS}
    return "@".join([measure, *cutoffs]), others


_NUMBER = r"(?:[0-9]*\.?[0-9]+|[0-9]+\.)"


def _with_level(spec: ParsedRequest, value: str) -> ParsedRequest | None:
    """Add a relevance level to a request, or return None if the level is invalid. num_ret becomes num_rel_ret."""
    if not re.fullmatch(rf"-?[0-9]{{1,18}}|-?{_NUMBER}", value):
        return None
    return replace(spec, name="num_rel_ret" if spec.name == "num_ret" else spec.name, level=read_level(value))


def _if_true(field: str, true: str, false: str) -> Callable[[ParsedRequest, str], ParsedRequest | None]:
    """Return a function that sets ``field`` of a request to ``true`` or ``false``, depending on the argument."""

    def changed(spec: ParsedRequest, value: str) -> ParsedRequest | None:
        values = {"True": true, "False": false}
        return replace(spec, **{field: values[value]}) if value in values else None

    return changed


def _with_number_alone(form: str, default: float | None = None) -> Callable[[ParsedRequest, str], ParsedRequest | None]:
    """Return a function that sets the only parameter of a measure, unless the value is the default."""

    def changed(spec: ParsedRequest, value: str) -> ParsedRequest | None:
        if spec.parameters is not None or not re.fullmatch(_NUMBER, value):
            return None
        return spec if float(value) == default else replace(spec, parameters=form.format(value))

    return changed


def _with_named(name: str) -> Callable[[ParsedRequest, str], ParsedRequest | None]:
    """Return a function that adds a named parameter, such as ``alpha=0.5``, to the parameters of a request."""

    def changed(spec: ParsedRequest, value: str) -> ParsedRequest | None:
        if not re.fullmatch(rf"-?{_NUMBER}(?:[eE][-+]?[0-9]+)?", value):
            return None
        return replace(spec, parameters=",".join(filter(None, (spec.parameters, f"{name}={value}"))))

    return changed


def _with_gains(spec: ParsedRequest, value: str) -> ParsedRequest | None:
    """Add the gains of grades, such as ``{1:3,2:9}``, to a request, or return None if the gains are invalid."""
    is_taken = spec.parameters is not None and spec.name != "ndcg_cut"
    if is_taken or not re.fullmatch(rf"\{{[0-9]+:{_NUMBER}(?:,[0-9]+:{_NUMBER})*\}}", value):
        return None
    gains = value.strip("{}").replace(":", "=")
    return replace(spec, gains=gains) if spec.name == "ndcg_cut" else replace(spec, parameters=gains)


def _with_discount(spec: ParsedRequest, value: str) -> ParsedRequest | None:
    """Return the request with the discount ``value``, or None if it is invalid. exp-log2 stands for ndcg_burges."""
    if value == "exp-log2":
        return replace(spec, name="ndcg_burges") if spec.cutoffs else None
    return spec if value == "log2" else None


class MeasureArgument(Frozen):
    """An argument that requests can contain in parentheses, as in ir_measures."""

    name: str
    usage: str
    """The notation of the argument in help texts."""
    change: Callable[[ParsedRequest, str], ParsedRequest | None]
    """A function that returns a request changed by the value of the argument, or None if the value is invalid."""
    measures: tuple[str, ...] | None = None
    """The measures that accept the argument, or None if the function ``takes`` determines the measures."""
    others: str = ""
    """The hint at the end of an error about a measure that does not accept the argument."""
    requirement: str = ""
    """The hint at the end of an error about an invalid value."""


_LEVELS = "; measures with a relevance level, such as P, R and AP, have the parameter rel"
LEVEL = MeasureArgument("rel", "rel=N", _with_level, others=_LEVELS)
JUDGED_ONLY = MeasureArgument("judged_only", "judged_only=True", _if_true("treatment", "skip", "nonrel"))
ARGUMENTS = (
    LEVEL,
    JUDGED_ONLY,
    MeasureArgument(
        "relative", "relative=True", _if_true("name", "set_relative_P", "set_P"), ("set_P", "set_relative_P")
    ),
    MeasureArgument("beta", "beta=X", _with_number_alone("{}", default=1), ("set_F",)),
    MeasureArgument("p", "p=X", _with_number_alone("p={}"), ("rbp", "rbp_resid")),
    MeasureArgument(
        *("gains", "gains={N:X,...}", _with_gains, ("ndcg", "ndcg_cut")),
        others="; gains by grade are for ndcg, with or without a cutoff",
    ),
    MeasureArgument(
        *("dcg", "dcg='log2'", _with_discount, ("ndcg", "ndcg_cut")),
        requirement="; dcg='exp-log2' requires a cutoff, as in nDCG(dcg='exp-log2')@20",
    ),
)
"""All arguments except cutoffs, in the order in which errors list them."""


def _named_parameters(name: str) -> list[MeasureArgument]:
    """Return the arguments for the named parameters of a measure, such as max in ``ERR.20,max=5``."""
    parameters = () if name in NICKNAMES else getattr(named(name).kind, "parameters", ())
    return [
        MeasureArgument(parameter.name, f"{parameter.name}=X", _with_named(parameter.name)) for parameter in parameters
    ]


def all_usages() -> list[str]:
    """Return the notations of all arguments that measures of irevalx accept, without duplicates."""
    of_some = (argument for measure in MEASURES for argument in _named_parameters(measure.name))
    return list(dict.fromkeys(argument.usage for argument in (*ARGUMENTS, *of_some)))


def takes(name: str, argument: MeasureArgument) -> bool:
    """Return whether a measure, or a set of measures, accepts an argument."""
    if argument.measures is not None:
        return name in argument.measures
    if name in NICKNAMES:
        return argument is JUDGED_ONLY
    measure = named(name)
    if argument is JUDGED_ONLY:
        return measure.kernel is not None and "skip" in measure.treatments
    return name == "num_ret" or (measure.kernel is not None and measure.uses_level)


def _without_arguments(text: str, compat: Compat) -> ParsedRequest | None:
    spec = read_own_request(text, compat) or _with_cutoffs(text, compat) or _as_printed(text, compat)
    return spec or _by_another_name(text, compat) or _with_number(text, compat)


def _with_cutoffs(text: str, compat: Compat) -> ParsedRequest | None:
    """Parse a measure with cutoffs, such as ``ndcg@10``, ignoring case, or return None for another text."""
    at = _AT.fullmatch(text)
    name = AT_CUTOFFS.get(at[1].lower()) or _added(at[1]) if at else ""
    if not at or not exists(name, compat):
        return None
    cutoffs = tuple(at[2].split(","))
    are_ranks = all(cutoff.isdecimal() for cutoff in cutoffs)
    kind = named(name).kind
    takes_cutoffs = isinstance(kind, RealCutoffs) or (are_ranks and isinstance(kind, Cutoffs))
    return ParsedRequest(name, cutoffs=cutoffs) if takes_cutoffs else None


def _with_number(text: str, compat: Compat) -> ParsedRequest | None:
    """Parse a measure with one cutoff, such as ``P10``, ignoring case, or return None for another text."""
    match = _WITH_NUMBER.fullmatch(text)
    return _with_cutoffs(f"{match[1]}@{match[2] or match[3]}", compat) if match else None


def _as_printed(text: str, compat: Compat) -> ParsedRequest | None:
    """Parse a printed name, such as ``P_10``, or return None for another text."""
    kinds = {measure.name: measure.kind for measure in every_measure()}
    for name in sorted(kinds, key=len, reverse=True):
        after = text.removeprefix(f"{name}_")
        kind = kinds[name]
        printed = after != text and re.match(r"[-+.]?[0-9]|[a-z]*=", after) and not isinstance(kind, NoParameters)
        if printed and exists(name, compat) and not (isinstance(kind, Gains) and "=" not in after):
            is_cutoff = isinstance(kind, Cutoffs) and after.isdecimal()
            if isinstance(kind, CutoffsAndReals):
                after = after.replace("_", ",")
            return ParsedRequest(name, cutoffs=(after,)) if is_cutoff else ParsedRequest(name, after)
    return None


def _by_another_name(text: str, compat: Compat) -> ParsedRequest | None:
    name = ALONE.get(text.lower()) or _added(text)
    return ParsedRequest(name) if name in NICKNAMES or exists(name, compat) else None


def _added(text: str) -> str:
    """Return the name of a custom measure, ignoring case, or "" if no custom measure has the name."""
    return next((name for name in ADDED if name.lower() == text.lower()), "")


def cutoff_hint(name: str, parameters: str | None) -> str:
    """Return a hint that the measure with cutoffs was meant, as for ``recip_rank.10``, or "" if there is no hint."""
    meant = AT_CUTOFFS.get(name.lower(), name)
    is_list = re.fullmatch("[1-9][0-9]*(?:,[1-9][0-9]*)*", parameters or "")
    return f"; {meant}.{parameters} may be meant" if meant != name and is_list else ""


def gains_hint(name: str, parameters: str | None) -> str:
    """Return a hint about the notation of gains, as for ``ndcg_cut.20,2=1``, or "" if there is no hint."""
    items = (parameters or "").split(",")
    gains = [item.replace("=", ":") for item in items if re.fullmatch(rf"[0-9]+={_NUMBER}", item)]
    cutoffs = [item for item in items if item.isdecimal()]
    if name != "ndcg_cut" or not gains:
        return ""
    return f"; 'nDCG(gains={{{','.join(gains)}}})@{','.join(cutoffs) or '10'}' accepts gains"


def unknown_measure(text: str, compat: Compat) -> UnknownMeasureError:
    """Return the error about an unknown measure. The search for similar names takes several milliseconds."""
    text, _ = _split_arguments(text)
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
        hint = f"; a cutoff is required, as in {name}@{example}"
    elif not hint and at and alone:
        cut = spelled("max_retrieved", at[2])
        hint = f"; {alone} has no cutoff, but {cut} evaluates the first {at[2]} documents of each topic"
    return UnknownMeasureError(f"unknown measure {quote(text)}{hint or _similar_names(name, compat)}")


def _similar_names(name: str, compat: Compat) -> str:
    import difflib

    names = [known for known in (*NICKNAMES, *BY_NAME, *ADDED) if known not in compat.absent_measures]
    alike = difflib.get_close_matches(name, names, n=3, cutoff=0.6)
    return f"; did you mean {join_words(alike, 'or')}?" if alike else "; list all with irevalx --list-measures"


def _nearest(text: str) -> str:
    """Return a hint that names the measure most similar to an unknown measure, or "" if there is none."""
    at = _AT.fullmatch(text)
    name, k = (at[1], at[2]) if at else (text, "10")
    nearest = next((each for each in NEAREST if each.name.lower() == name.lower()), None)
    return f"; the nearest is {nearest.measure.format(k=k)}: {nearest.difference.format(k=k)}" if nearest else ""
