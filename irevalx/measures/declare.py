"""How a measure is declared: the decorator, and the kinds of parameters that ``-m NAME.PARAMETERS`` takes."""

from __future__ import annotations

import inspect
import math
import os
import re
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any, Literal, Protocol, TypeAlias, get_args

import numpy as np

from irevalx.errors import ParameterError, UsageError, quote
from irevalx.frozen import Frozen, replace
from irevalx.measures.summary import Summary, Values
from irevalx.settings import Bound, Reading
from irevalx.trec_eval.merge_sort import merge_sort
from irevalx.trec_eval.numbers import c_double, c_format, c_long
from irevalx.trec_eval.versions import Compat

Kernel: TypeAlias = Callable[..., Any]
"""From what it may see of n topics, and what the parameters say, to one value a topic.

What it may see is Topics, GroupedTopics or Preferences, depending on its formats of judgments. The kind of its
parameters knows how to call it.
"""

AS_IT_IS: tuple[Reading, ...] = ("nonrel",)
"""The readings of a measure that is about the unjudged."""

AS_IT_IS_OR_CONDENSED: tuple[Reading, ...] = ("nonrel", "skip")
"""The readings of a measure that does not take the unjudged for nonrelevant."""

NOTHING, ABSENT, UNJUDGED, NO_GAIN = "nothing", "not there", "unjudged", "a gain of 0"
POOLED_GAIN, OUTSIDE_GAIN = "the gain given for -2, or 0", "the gain given for -1, or 0"
"""What documents without judgment count as, beside nonrelevant."""

Note: TypeAlias = Callable[[str, float], None]
"""Told of each number among the parameters that is not plain, and of what C reads instead."""


class Gain(Frozen):
    """One ``key=value`` of a list of gains.

    Parameters
    ----------
    key : as typed.
    value : the gain.
    level : the grade that gets it; None when the key is not one (``p`` of rbp).
    """

    key: str
    value: float
    level: int | None


class Parameters(Frozen):
    """Parameters of a measure, read.

    Parameters
    ----------
    names : the names that the values are printed under.
    values : what the kernel gets, depending on the kind.
    """

    names: tuple[str, ...]
    values: tuple[Any, ...] = ()


class Kind(Protocol):
    """A kind of parameters."""

    @property
    def usage(self) -> str:
        """How they are written, for the help; empty where there are none."""

    def parse(self, name: str, text: str | None, compat: Compat, note: Note) -> Parameters:
        """Read the text behind ``NAME.``, or give the default for None; raise ParameterError."""

    def apply(self, kernel: Kernel, t: Any, parameters: Parameters) -> Sequence[Values]:
        """Call the kernel; one result for each printed name."""


class NoParameters(Frozen):
    """The measure takes none; what is given is ignored. Kernel: ``(t)``."""

    usage: str = ""

    def parse(self, name: str, text: str | None, compat: Compat, note: Note) -> Parameters:
        return Parameters((name,))

    def apply(self, kernel: Kernel, t: Any, parameters: Parameters) -> Sequence[Values]:
        return [kernel(t)]


class Cutoffs(Frozen):
    """Ranks, whole numbers from 1 up. Kernel: ``(t, k)``, called once a rank."""

    default: tuple[int, ...]
    usage: str = "K,K,..."

    def parse(self, name: str, text: str | None, compat: Compat, note: Note) -> Parameters:
        ranks = self.default if text is None else tuple(sorted(_numbers(text, c_long, note)))
        if ranks[0] <= 0:
            raise ParameterError(f"the cutoffs of {name} must be whole numbers from 1 up, but got {quote(text or '')}")
        _refuse_equal(name, text, ranks)
        return Parameters(tuple(f"{name}_{k}" for k in ranks), ranks)

    def apply(self, kernel: Kernel, t: Any, parameters: Parameters) -> Sequence[Values]:
        return [kernel(t, k) for k in parameters.values]


class Levels(Frozen):
    """Real cutoffs, such as recall levels. Kernel: ``(t, levels)`` to one result a level."""

    default: tuple[float, ...]
    usage: str = "X,X,..."

    def parse(self, name: str, text: str | None, compat: Compat, note: Note) -> Parameters:
        levels: Sequence[float] = self.default
        if text is not None:
            levels = merge_sort(_numbers(text, c_double, note), lambda x, y: (x > y) - (x < y))
        _refuse_equal(name, text, levels)
        # trec_eval has room for so many characters.
        names = tuple(f"{name}_{c_format('%3.2f', level)}"[: len(name) + 9] for level in levels)
        return Parameters(names, tuple(levels))

    def apply(self, kernel: Kernel, t: Any, parameters: Parameters) -> Sequence[Values]:
        results: Sequence[Values] = kernel(t, parameters.values)
        return results


class Reals(Frozen):
    """A list of real numbers whose order matters. Kernel: ``(t, *numbers)``."""

    default: tuple[float, ...]
    usage: str = "X,X,..."

    def parse(self, name: str, text: str | None, compat: Compat, note: Note) -> Parameters:
        if text is None:
            return Parameters((name,), self.default)
        return Parameters((f"{name}_{text}",), tuple(_numbers(text, c_double, note)))

    def apply(self, kernel: Kernel, t: Any, parameters: Parameters) -> Sequence[Values]:
        return [kernel(t, *parameters.values)]


class Parameter(Frozen):
    """A real number with a name.

    Parameters
    ----------
    name : as typed before the ``=``.
    default : None where the measure finds its own.
    bound : what the number must be.
    """

    name: str
    default: float | None
    bound: Bound


class Named(Frozen):
    """``name=value`` pairs, of irevalx's own measures. Kernel: ``(t, *values)``, in the order of the declaration.

    Unlike those of trec_eval, several lists of such parameters may be asked for side by side, and what is wrong with
    them is an error of usage.
    """

    parameters: tuple[Parameter, ...]

    @property
    def usage(self) -> str:
        return ",".join(f"{parameter.name}={parameter.name.upper()}" for parameter in self.parameters)

    def parse(self, name: str, text: str | None, compat: Compat, note: Note) -> Parameters:
        values = {parameter.name: parameter.default for parameter in self.parameters}
        if text is None:
            return Parameters((name,), tuple(values.values()))
        bounds = {parameter.name: parameter.bound for parameter in self.parameters}
        given: set[str] = set()
        for item in text.split(","):
            key, equals, number = item.partition("=")
            if not equals or key not in bounds or key in given:
                raise UsageError(
                    f"the parameters of {name} must be {self.usage}, each at most once, but got {quote(text)}"
                )
            value = bounds[key].read(number)
            if value is None:
                raise UsageError(f"the parameter {key} of {name} must be {bounds[key].rule}, but got {quote(number)}")
            values[key] = value
            given.add(key)
        return Parameters((f"{name}_{text}",), tuple(values.values()))

    def apply(self, kernel: Kernel, t: Any, parameters: Parameters) -> Sequence[Values]:
        return [kernel(t, *parameters.values)]

    def with_defaults(self, values: Mapping[str, float | None]) -> Named:
        """Return the same parameters with other defaults; None leaves one as it is."""
        changed = (
            parameter if values.get(parameter.name) is None else replace(parameter, default=values[parameter.name])
            for parameter in self.parameters
        )
        return Named(tuple(changed))


class Gains(Frozen):
    """``key=value`` pairs, the gains of relevance levels. Kernel: ``(t, pairs)``, a tuple of Gain."""

    usage: str = "LEVEL=GAIN,LEVEL=GAIN,..."

    def parse(self, name: str, text: str | None, compat: Compat, note: Note) -> Parameters:
        if text is None:
            return Parameters((name,))
        marks = [c for c in "," + text if c in ",="]
        if marks[-1] != "=" or any(mark == after for mark, after in pairwise(marks)):
            raise ParameterError(f"the parameters of {name} must be pairs {self.usage}, but got {quote(text)}")
        pairs = []
        for item in text.split(","):
            key, _, number = item.partition("=")
            [value] = _numbers(number, c_double, note)
            pairs.append(Gain(key, value, compat.gain_level(key)))
        return Parameters((f"{name}_{text}",), tuple(pairs))

    def apply(self, kernel: Kernel, t: Any, parameters: Parameters) -> Sequence[Values]:
        return [kernel(t, parameters.values)]


def _numbers(text: str, read_as_c: Callable[[bytes], tuple[Any, bool]], note: Note) -> list[Any]:
    numbers = []
    for item in text.split(","):
        number, plain = read_as_c(os.fsencode(item))
        if not plain:
            note(item, number)
        numbers.append(number)
    return numbers


def _refuse_equal(name: str, text: str | None, ascending: Sequence[float]) -> None:
    if any(x == y for x, y in pairwise(ascending)):
        raise ParameterError(f"the cutoffs of {name} must differ from each other, but got {quote(text or '')}")


class Measure(Frozen, kw_only=True):
    """A measure: what it is called, how it is computed, summarised, printed and explained.

    Parameters
    ----------
    name : trec_eval's spelling.
    kernel : None for a measure that only the `all` row has, and that needs no ranking.
    summary : None for a measure that the `all` row does not have.
    docstring : the first line says what it is in a few words; then definition, ``Formula:``, ``Range:``, ``Source:``.
    number : how its values are printed.
    kind : its parameters.
    per_topic : whether ``-q`` prints it.
    needs_all : whether these parameters make it look at documents outside the pool one by one.
    formats : the formats of judgments (``-R``) that it can be computed from, if it has a kernel; others will always do.
    readings : the readings of the unjudged that it has.
    bound : when it cannot fall if unjudged documents turn out to be relevant, so that the reading ``rel`` is an upper
        bound: "always", with a condition, or empty for never.
    needs_nonrelevant : whether it says little about a topic without any judged nonrelevant document.
    scores : whether a run is the better for a greater value, and not only different.
    over : whether the `all` row is over the evaluated topics or, whatever the run holds, all judged ones.
    uses_level : whether ``-l`` makes a difference.
    pooled, outside : what a retrieved document counts as that was pooled and not judged, or that is outside the pool.
        ``NOTHING`` and ``ABSENT`` promise that removing it (``-J``) makes no difference.
    without_results : what a topic without results counts as under ``-c``.
    """

    name: str
    kernel: Kernel | None
    summary: Summary | None
    docstring: str
    number: Literal["real", "integer", "text"] = "real"
    kind: Kind = NoParameters()
    per_topic: bool = True
    needs_all: Callable[[tuple[Any, ...]], bool] = lambda values: False
    formats: frozenset[str] = frozenset({"qrels"})
    readings: tuple[Reading, ...] = get_args(Reading)
    bound: str = ""
    needs_nonrelevant: bool = False
    scores: bool = True
    over: Literal["evaluated", "judged"] = "evaluated"
    uses_level: bool = True
    pooled: str = "nonrelevant"
    outside: str = "nonrelevant"
    without_results: str = "0"

    def can_use(self, rel_format: str) -> bool:
        """Tell whether it can be computed from judgments in this format."""
        return self.kernel is None or rel_format in self.formats

    @property
    def family(self) -> str:
        """The name of the module that it was declared in."""
        return "counts" if self.kernel is None else self.kernel.__module__.rpartition(".")[2]

    @property
    def prose(self) -> str:
        """The docstring without indentation."""
        return inspect.cleandoc(self.docstring)

    @property
    def title(self) -> str:
        """What it is, in a few words."""
        return self.prose.partition("\n")[0].rstrip(".")

    @property
    def paragraphs(self) -> list[list[str]]:
        """The prose behind the title, in paragraphs; in each, ``Formula:``, ``Range:`` and ``Source:`` begin a line."""
        parts = [re.split(r"\n(?=Formula:|Range:|Source:)", paragraph) for paragraph in self.prose.split("\n\n")[1:]]
        return [[" ".join(part.split()) for part in paragraph] for paragraph in parts]

    @property
    def formula(self) -> str:
        """The formula of the prose."""
        found = re.search(
            r"^Formula: (.+?)\.$", "\n".join(line for part in self.paragraphs for line in part), re.MULTILINE
        )
        return found[1] if found else ""

    def __call__(self, t: Any, parameters: Parameters) -> Sequence[Values]:
        """Return, for each printed name, one value a topic."""
        if self.kernel is None:
            raise TypeError(f"{self.name} has no value for a topic")
        with np.errstate(all="ignore"):
            return self.kind.apply(self.kernel, t, parameters)


def measure(name: str, **fields: Any) -> Callable[[Kernel], Measure]:
    """Declare the function below as the kernel of a measure, its docstring as the prose. Registers nothing."""

    def declare(kernel: Kernel) -> Measure:
        return Measure(name=name, kernel=kernel, docstring=kernel.__doc__ or "", **fields)

    return declare


def summary_only(name: str, docstring: str, **fields: Any) -> Measure:
    """Declare a measure that only the `all` row has."""
    return Measure(name=name, kernel=None, docstring=docstring, per_topic=False, **fields)


UNDEFINED = math.copysign(math.nan, -1.0)
"""What 0/0 is on the machines that trec_eval runs on: printed ``-nan``."""
