"""Custom measures, which the decorator ``@irevalx.measure`` declares, and requests for custom measures."""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal, TypeAlias

import numpy as np

from irevalx.arrays.segments import FloatArray
from irevalx.checks import real_number, text, texts, whole_number
from irevalx.declarations import number
from irevalx.errors import ArgumentError, EvaluationError, IrevalxError, printable, quote
from irevalx.measures.declaration import (
    ADDED,
    NO_EXPECTATION,
    NO_FORMULA,
    NO_PARAMETERS,
    NONREL_AND_SKIP,
    Measure,
    Range,
    UnjudgedEffect,
    WhyUnsupported,
    add,
)
from irevalx.measures.declaration import measure as declared
from irevalx.measures.foreign_requests import read_foreign_request
from irevalx.measures.parameter_kinds import (
    Cutoffs,
    CutoffsAndReals,
    Kernel,
    MeasureParameter,
    NamedReals,
    ParameterKind,
    Parameters,
)
from irevalx.measures.requests import read_own_request
from irevalx.measures.summaries import Summary, geometric_mean, mean, total
from irevalx.ranking.topics import Topics
from irevalx.settings import EXPECTED, UNJUDGED_TREATMENTS
from irevalx.trec_eval import TREC_EVAL_10
from irevalx.wording import argument_error, short_repr, spelled

Measures: TypeAlias = "str | Measure | Iterable[str | Measure]"
"""The type of the argument ``measures``, which contains requests as for ``-m`` and custom measures."""

SUMMARIES: dict[str, Summary] = {"mean": mean, "geometric mean": geometric_mean, "sum": total}

BETTER = ("higher", "lower", "neither")


def measure(
    name: str,
    *,
    cutoffs: Sequence[int] = (),
    parameters: Mapping[str, float] | None = None,
    summary: Literal["mean", "geometric mean", "sum"] = "mean",
    value_range: tuple[float, float] = (-math.inf, math.inf),
    better: Literal["higher", "lower", "neither"] = "higher",
    needs: Literal["weight"] | None = None,
) -> Callable[[Callable[..., Any]], Measure]:
    """Return a decorator that turns a function into a custom measure and registers its name in this process.

    The function receives ``Topics``, the rankings of n topics, and returns an array or a list of n numbers. The value
    of a topic must not depend on other topics, since topics are computed in blocks. The docstring of the function is
    the measure's help (``irevalx -h -m NAME``), and its first line is the title.

    Parameters
    ----------
    name : name of the measure: letters, digits and underscores. The name must differ from the names of all other
        measures.
    cutoffs : default cutoffs, integers of at least 1. The function receives the cutoff as its second argument;
        ``NAME@10`` or, in Python, ``my_measure @ 10`` requests another cutoff. An empty list declares a measure without
        a cutoff.
    parameters : names and default values of the remaining arguments of the function, in order; ``NAME.p=0.8`` requests
        another value for p.
    summary : how topic values are summarised in the `all` row.
    value_range : lowest and highest possible value, for the help and the axes of figures.
    better : whether higher or lower values are better.
    needs : "weight" for a measure that uses ``weight`` and ``pool_weight`` of ``Topics``, the weights of documents in
        judgments of the format weighted. Judgments in other formats raise an error.

    Returns
    -------
    The decorator. Measures can be requested by name or, in Python, by passing the decorated function.

    Raises
    ------
    ArgumentError : an argument is invalid, the name is taken, or the decorated object is not a function.
    UsageError : another module has declared a measure with this name.

    Examples
    --------
    >>> import irevalx
    >>> @irevalx.measure("found", value_range=(0, 1))
    ... def found(t):
    ...     return t.n_rel_ret > 0
    >>> irevalx.evaluate({"1": {"A": 1}, "2": {"B": 1}}, {"1": {"A": 1.0}, "2": {"C": 1.0}}, ["map", found])["found"]
    0.5
    """
    _check_name(name)
    bounds = _range(value_range)
    kind = _kind(cutoffs, {} if parameters is None else parameters)
    if summary not in tuple(SUMMARIES):
        raise argument_error("summary", _one_of(SUMMARIES), summary)
    if better not in BETTER:
        raise argument_error("better", _one_of(BETTER), better)
    if needs not in {None, "weight"}:
        raise argument_error("needs", "'weight' or None", needs)

    def decorate(function: Any) -> Measure:
        if not callable(function) or isinstance(function, Measure):
            raise argument_error(f"the measure {quote(name)}", "a function", function)
        made = declared(
            name,
            bounds,
            kind=kind,
            unjudged=UnjudgedEffect.AS_ITS_FUNCTION_SAYS,
            summary=SUMMARIES[summary],
            higher_is_better=better == "higher",
            lower_is_better=better == "lower",
            why_unsupported=_why_unweighted(name) if needs else None,
            treatments=NONREL_AND_SKIP if needs else UNJUDGED_TREATMENTS,
            refuses=NO_EXPECTATION | {EXPECTED: f"the expected value of a custom measure {NO_FORMULA}"},
        )(_checked(name, function))
        add(made)
        return made

    return decorate


def _why_unweighted(name: str) -> WhyUnsupported:
    """Return a function that returns an error if the judgments have no weights."""

    def why_unsupported(judged: Topics, parameters: Parameters) -> str | None:
        weights = judged.pool_weight
        if weights.size == judged.pool.size and not np.isnan(weights[judged.pool_grade >= 0]).any():
            return None
        weighted = spelled("rel_format", "weighted")
        return f"the measure {quote(name)} requires a weight for each document of the judgments ({weighted})"

    return why_unsupported


def with_custom_measures(measures: Any) -> tuple[str, ...]:
    """Return the requests for measures as strings. Raise ArgumentError if a custom measure was declared again."""
    if isinstance(measures, Measure):
        return (_name_of(measures),)
    if isinstance(measures, list | tuple | set | frozenset) and set(map(type, measures)) != {str}:
        measures = type(measures)(
            [_name_of(request) if isinstance(request, Measure) else request for request in measures]
        )
    return texts("measures", measures)


def declarations() -> list[tuple[Callable[..., Any], dict[str, Any]]]:
    """Return the function and the arguments with which each custom measure was declared."""
    return [(_function_of(custom), _arguments_of(custom)) for custom in ADDED.values()]


def declare_again(declared_before: Iterable[tuple[Callable[..., Any], dict[str, Any]]]) -> None:
    """Declare the custom measures of another process that are not declared in this process."""
    for function, arguments in declared_before:
        known = ADDED.get(arguments["name"])
        if known is None or _function_of(known) is not function:
            measure(**arguments)(function)


def _function_of(custom: Measure) -> Callable[..., Any]:
    function: Callable[..., Any] = custom.function.__wrapped__  # type: ignore[attr-defined]
    return function


def _arguments_of(custom: Measure) -> dict[str, Any]:
    return {
        "name": custom.name,
        "cutoffs": getattr(custom.kind, "default", ()),
        "parameters": {parameter.name: parameter.default for parameter in getattr(custom.kind, "parameters", ())},
        "summary": next(name for name, summary in SUMMARIES.items() if summary is custom.summary),
        "value_range": (custom.value_range.low, custom.value_range.high),
        "needs": "weight" if custom.why_unsupported else None,
        "better": "higher" if custom.higher_is_better else "lower" if custom.lower_is_better else "neither",
    }


def _name_of(custom: Measure) -> str:
    if custom.name in ADDED and ADDED[custom.name] is not custom:
        raise ArgumentError(f"measures contains two different declarations of {custom.name}; pass only one of them")
    return custom.name


def _check_name(name: Any) -> None:
    """Raise ArgumentError if a name is invalid or already denotes a measure of irevalx."""
    if not re.fullmatch("[A-Za-z][A-Za-z0-9_]*", text("name", name)):
        raise argument_error("name", "made of letters, digits and underscores", name)
    meant = read_own_request(name, TREC_EVAL_10) or read_foreign_request(name, TREC_EVAL_10)
    if meant is not None and name not in ADDED:
        raise ArgumentError(f"name: {quote(name)} is already a name of the measure {meant.name}; choose another name")


def _kind(cutoffs: Any, parameters: Any) -> ParameterKind:
    if isinstance(cutoffs, str) or not isinstance(cutoffs, Iterable):
        raise argument_error("cutoffs", "a list of integers", cutoffs)
    ranks = tuple(sorted({whole_number("cutoffs", cutoff, least=1) for cutoff in cutoffs}))
    if not isinstance(parameters, Mapping):
        raise argument_error("parameters", "a dictionary", parameters)
    for key, value in parameters.items():
        if not re.fullmatch("[a-z]+", text("parameters", key)):
            raise argument_error("parameters: a name", "a word of lowercase letters", key)
        if real_number(f"parameters: {key}", value) is None or not math.isfinite(value):
            raise argument_error(f"parameters: {key}", "a finite number", value)
    named = tuple(MeasureParameter(key, float(value), number()) for key, value in parameters.items())
    if ranks:
        usage = f"K,K,...,{NamedReals(named).usage}"
        return CutoffsAndReals(ranks, usage, named) if named else Cutoffs(ranks)
    return NamedReals(named) if named else NO_PARAMETERS


def _range(given: Any) -> Range:
    rule = "two numbers, the lower one first"
    if not isinstance(given, tuple | list) or len(given) != 2:
        raise argument_error("value_range", rule, given)
    low, high = (real_number("value_range", bound) for bound in given)
    if low is None or high is None or not low < high:
        raise argument_error("value_range", rule, given)
    return Range(low, high)


def _one_of(choices: Iterable[str]) -> str:
    return f"one of {', '.join(map(repr, choices))}"


def _checked(name: str, function: Callable[..., Any]) -> Kernel:
    """Wrap the function of a custom measure. Raise EvaluationError if the function raises or returns invalid values."""

    @functools.wraps(function)
    def kernel(t: Any, *parameters: float) -> FloatArray:
        rule = f"the measure {quote(name)} must return one number for each of {t.rows.n} topics"
        try:
            values = function(t, *parameters)
        except (IrevalxError, MemoryError):
            raise
        except Exception as error:
            message = printable(f"{type(error).__name__}: {error}".partition("\n")[0])
            raise EvaluationError(f"the measure {quote(name)} raised {message}") from error
        try:
            array = np.asarray(values)
        except ValueError:  # lists of different lengths
            array = np.empty((), object)
        if array.shape != (t.rows.n,):
            got = f"shape {array.shape}" if array.ndim else short_repr(values)
            raise EvaluationError(f"{rule}, not {got}")
        if array.dtype.kind not in "biuf":
            raise EvaluationError(f"{rule}, not values of type {array.dtype}")
        numbers = array.astype(np.float64)
        if n_without := int(np.count_nonzero(np.isnan(numbers))):
            raise EvaluationError(f"{rule}; it returned nan for {n_without} of them")
        return numbers

    return kernel
