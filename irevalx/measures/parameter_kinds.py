"""Parameters of ``-m NAME.PARAMETERS``: their syntax, their values, and the arguments of kernels."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any, TypeAlias

from irevalx.arrays.codes import OUTSIDE
from irevalx.checks import ValueType
from irevalx.declarations import Parameter
from irevalx.errors import ParameterError, UsageError, printable, quote
from irevalx.frozen import Frozen
from irevalx.measures.summaries import Values
from irevalx.process.platform import as_bytes
from irevalx.settings import PROBABILITY, Settings
from irevalx.trec_eval import c_double, c_format, c_long, merge_sort
from irevalx.wording import spelled_rule

Kernel: TypeAlias = Callable[..., Any]
"""A function of topics (Topics, Preferences, ...) and parameters that returns one value per topic. The shape is
(n_topics,)."""

Note: TypeAlias = Callable[[str, float], None]
"""A function that is called for each number that is not plain, with its text and the value that C reads."""


class Gain(Frozen):
    """A ``key=value`` pair in a list of gains, such as 2=1."""

    key: str
    """The key as typed by the user."""
    value: float
    level: float | None
    """The grade to which the gain is assigned, or None if the key is not a grade (``p`` of rbp)."""


class Parameters(Frozen):
    """The parsed parameters of a measure."""

    names: tuple[str, ...]
    """The names under which the values are printed."""
    values: tuple[Any, ...] = ()
    """The arguments of the kernel."""
    look_outside: bool = False
    """Whether the value depends on which unpooled documents were retrieved, and not only on their number."""
    warnings: tuple[str, ...] = ()
    gains: tuple[Gain, ...] = ()
    """The gains of grades, which the user gives as pairs or in addition to cutoffs."""

    @property
    def levels(self) -> tuple[tuple[float, float], ...]:
        """The grades to which gains are assigned, and the gains."""
        return tuple((gain.level, gain.value) for gain in self.gains if gain.level is not None)


class ParameterKind:
    """The base class of kinds of parameters. The base class represents measures that have no parameters."""

    scales_gains: bool = False
    """Whether the measure scales the gains of a topic to the range 0 to 1."""

    @property
    def usage(self) -> str:
        """The syntax of the parameters for the help, or "" if the measure has no parameters."""
        return ""

    def parse(self, name: str, text: str | None, settings: Settings, note: Note) -> Parameters:
        """Parse the parameters of a measure (None: the default). Call ``note`` for each number that is not plain."""
        return Parameters((name,))

    def cutoffs(self, parameters: Parameters) -> Sequence[int]:
        """Return the cutoff of each printed name, or an empty sequence for a measure without cutoffs."""
        return ()

    def apply(self, kernel: Kernel, t: Any, parameters: Parameters) -> Sequence[Values]:
        """Call the kernel for the topics ``t``. Return one result for each printed name."""
        return [kernel(t, *parameters.values)]


class NoParameters(Frozen, ParameterKind):
    """The kind of a measure without parameters, which ignores parameters. The kernel is called as ``kernel(t)``."""


class Cutoffs(Frozen, ParameterKind):
    """Ranks, each of which is an integer of at least 1. The kernel is called with ``(t, k)`` for each rank."""

    default: tuple[int, ...]
    usage: str = "K,K,..."

    def parse(self, name: str, text: str | None, settings: Settings, note: Note) -> Parameters:
        ranks = self.default if text is None else tuple(_numbers(text, c_long, note))
        if text is not None and min(ranks) <= 0:
            wrong = next(item for item, rank in zip(text.split(","), ranks, strict=True) if rank <= 0)
            problem = f"{quote(wrong)} is not an integer of at least 1"
            raise ParameterError(f"invalid cutoffs {quote(text)} of {name}: {problem}")
        ranks = tuple(sorted(ranks))
        _refuse_equal(name, text, ranks)
        return Parameters(tuple(f"{name}_{k}" for k in ranks), ranks)

    def cutoffs(self, parameters: Parameters) -> Sequence[int]:
        ranks: Sequence[int] = parameters.values
        return ranks

    def apply(self, kernel: Kernel, t: Any, parameters: Parameters) -> Sequence[Values]:
        return [kernel(t, k) for k in parameters.values]


class CutoffsAndGains(Cutoffs):
    """Ranks, optionally with gains in parentheses. The kernel is called with ``(t, k, pairs)`` for each rank."""

    def apply(self, kernel: Kernel, t: Any, parameters: Parameters) -> Sequence[Values]:
        return [kernel(t, k, parameters.gains) for k in parameters.values]


class CutoffsAndReals(Cutoffs):
    """Ranks and ``name=value`` pairs in any order. The kernel is called with ``(t, k, *values)`` for each rank."""

    parameters: tuple[MeasureParameter, ...] = ()

    def parse(self, name: str, text: str | None, settings: Settings, note: Note) -> Parameters:
        items = [] if text is None else text.split(",")
        pairs = [item for item in items if "=" in item]
        ranks = [item for item in items if "=" not in item]
        cutoffs = super().parse(name, ",".join(ranks) if ranks else None, settings, note)
        named = NamedReals(self.parameters).parse(name, ",".join(pairs) or None, settings, note)
        after = named.names[0].removeprefix(name)
        return Parameters(tuple(f"{printed}{after}" for printed in cutoffs.names), (cutoffs.values, named.values))

    def cutoffs(self, parameters: Parameters) -> Sequence[int]:
        ranks: Sequence[int] = parameters.values[0]
        return ranks

    def apply(self, kernel: Kernel, t: Any, parameters: Parameters) -> Sequence[Values]:
        ranks, named = parameters.values
        return [kernel(t, k, *named) for k in ranks]


class RealCutoffs(Frozen, ParameterKind):
    """Recall levels or other real numbers in ascending order. The kernel ``(t, numbers)`` returns a result for each."""

    default: tuple[float, ...]
    usage: str = "X,X,..."

    def parse(self, name: str, text: str | None, settings: Settings, note: Note) -> Parameters:
        cutoffs: Sequence[float] = self.default
        if text is not None:
            cutoffs = merge_sort(_numbers(text, c_double, note), lambda x, y: (x > y) - (x < y))
        _refuse_equal(name, text, cutoffs)
        # trec_eval truncates longer names.
        names = tuple(f"{name}_{c_format('%3.2f', cutoff)}"[: len(name) + 9] for cutoff in cutoffs)
        return Parameters(names, tuple(cutoffs))

    def apply(self, kernel: Kernel, t: Any, parameters: Parameters) -> Sequence[Values]:
        results: Sequence[Values] = kernel(t, parameters.values)
        return results


class Reals(Frozen, ParameterKind):
    """A list of real numbers with fixed positions. The kernel is called with ``(t, *numbers)``."""

    default: tuple[float, ...]
    usage: str = "X,X,..."

    def parse(self, name: str, text: str | None, settings: Settings, note: Note) -> Parameters:
        if text is None:
            return Parameters((name,), self.default)
        return Parameters((f"{name}_{text}",), tuple(_numbers(text, c_double, note)))


class MeasureParameter(Frozen):
    """A parameter that is a real number and has a name."""

    name: str
    default: float | None
    """The value if neither the parameter nor the setting is given, or None if the kernel determines the value."""
    declaration: Parameter
    """The declaration of the accepted values. If a setting has the same declaration and is given, its value replaces
    the default."""

    @property
    def kind(self) -> ValueType:
        """The kind of the accepted values."""
        assert self.declaration.kind is not None
        return self.declaration.kind


class NamedReals(Frozen, ParameterKind):
    """Parameters such as ``name=value``. The kernel is called with ``(t, *values)``, in order of declaration."""

    parameters: tuple[MeasureParameter, ...]

    @property
    def usage(self) -> str:
        return ",".join(f"{parameter.name}={parameter.name.upper()}" for parameter in self.parameters)

    def parse(self, name: str, text: str | None, settings: Settings, note: Note) -> Parameters:
        values: dict[str, float | None] = {}
        for parameter in self.parameters:
            setting = getattr(settings, parameter.declaration.name, None)
            values[parameter.name] = parameter.default if setting is None else setting
        if text is None:
            return Parameters((name,), tuple(values.values()))
        kinds = {parameter.name: parameter.kind for parameter in self.parameters}
        for item in text.split(","):
            key, equals, number = item.partition("=")
            kind = kinds.pop(key, None)
            if not equals or not kind:
                raise UsageError(f"invalid parameters {quote(text)} of {name}: must be {self.usage}, each at most once")
            try:
                values[key] = kind.check(kind.read(number))
            except ValueError:
                message = f"invalid parameter {key}={printable(number)} of {name}: must be {kind.rule}"
                raise UsageError(message) from None
        return Parameters((f"{name}_{text}",), tuple(values.values()))


class Gains(Frozen, ParameterKind):
    """The gains of grades as ``key=value`` pairs. The kernel is called with ``(t, pairs)``, a tuple of ``Gain``."""

    usage: str = "LEVEL=GAIN,LEVEL=GAIN,..."
    sorted_like_c: bool = True
    """Whether the measure sorts grades by gain like trec_eval, which truncates differences of gains to integers."""
    scales_gains: bool = False
    """Whether the measure scales the gains of a topic to the range 0 to 1."""

    def parse(self, name: str, text: str | None, settings: Settings, note: Note) -> Parameters:
        if text is None:
            return Parameters((name,), ((),))
        marks = [c for c in "," + text if c in ",="]
        if marks[-1] != "=" or any(mark == after for mark, after in pairwise(marks)):
            raise ParameterError(f"invalid parameters {quote(text)} of {name}: must be pairs {self.usage}")
        pairs = []
        for item in text.split(","):
            key, _, number = item.partition("=")
            [value] = _numbers(number, c_double, note)
            pairs.append(Gain(key, value, _level_of(key, settings)))
        if settings.grades == "probability" and any(pair.level is not None for pair in pairs):
            raise UsageError(f"gains cannot be combined with {spelled_rule(PROBABILITY)}: {name}.{quote(text)}")
        return Parameters(
            (f"{name}_{text}",),
            (tuple(pairs),),
            look_outside=any(pair.level == OUTSIDE for pair in pairs),
            warnings=tuple(self._warnings(name, pairs)) if settings.grades == "whole" else (),
            gains=tuple(pairs),
        )

    def _warnings(self, name: str, pairs: Sequence[Gain]) -> list[str]:
        for pair in pairs if self.usage.startswith("p=") else ():
            if pair.key == "p" and not 0 <= pair.value <= 1:
                return [
                    f"{name}: p={pair.value:g} is not between 0 and 1, so the values have no meaning, as in trec_eval"
                ]
        gains = [pair.value for pair in pairs if pair.level is not None]
        if not self.sorted_like_c or all(gain == int(gain) for gain in gains if abs(gain) < 2.0**53):
            return []
        return [
            f"{name}: gains that differ by less than 1 can be sorted incorrectly, as in trec_eval, which makes the "
            "results meaningless; multiply all gains until they are integers"
        ]


class GradeGains(Frozen, ParameterKind):
    """LEVEL=GAIN pairs in which no grade and no gain is negative. The kernel is called with ``(t, pairs)``."""

    usage: str = "LEVEL=GAIN,LEVEL=GAIN,..."

    def parse(self, name: str, text: str | None, settings: Settings, note: Note) -> Parameters:
        parameters = Gains(sorted_like_c=False).parse(name, text, settings, note)
        for pair in parameters.values[0]:
            if pair.level is None or pair.level < 0:
                raise UsageError(
                    f"invalid gain of {name} for grade {quote(pair.key)}: the grade must be a number of at least 0"
                )
            if not pair.value >= 0:
                raise UsageError(
                    f"invalid gain {pair.value:g} of {name} for grade {quote(pair.key)}: must be at least 0"
                )
        return parameters


def _level_of(key: str, settings: Settings) -> float | None:
    """Return the grade that a key denotes, or None if the key is not a grade."""
    if settings.grades == "whole":
        return settings.compat.gain_level(key)
    number, plain = c_double(as_bytes(key))
    return number if plain else None


def _numbers(text: str, read_as_c: Callable[[bytes], tuple[Any, bool]], note: Note) -> list[Any]:
    """Return the numbers in a list separated by commas. ``read_as_c`` returns a number and whether it is plain."""
    numbers = []
    for item in text.split(","):
        number, plain = read_as_c(as_bytes(item))
        if not plain:
            note(item, number)
        numbers.append(number)
    return numbers


def _refuse_equal(name: str, text: str | None, ascending: Sequence[float]) -> None:
    for x, y in pairwise(ascending):
        if x == y:
            raise ParameterError(f"invalid cutoffs {quote(text or '')} of {name}: the cutoff {x:g} occurs twice")
