"""The kinds of parameters in ``-m NAME.PARAMETERS``: how parameters are written, parsed, and passed to kernels."""

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
"""A function that computes a measure for each topic. The arguments are topics (Topics, Preferences, ...) and
parameters. The shape of the result is (n_topics,)."""

Note: TypeAlias = Callable[[str, float], None]
"""A function that is called for each malformed number, with the string and the value that C reads from it."""


class Gain(Frozen):
    """A ``key=value`` pair in a list of gains, such as ``2=1``."""

    key: str
    """The key as the user typed it."""
    value: float
    level: float | None
    """The grade to which the gain is assigned, or None if the key is not a grade, such as ``p`` of rbp."""


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
    """The gains of grades that the user requested."""

    @property
    def levels(self) -> tuple[tuple[float, float], ...]:
        """The grades to which the user assigned gains, each with its gain."""
        return tuple((gain.level, gain.value) for gain in self.gains if gain.level is not None)


class ParameterKind:
    """The base class of the kinds of parameters. The methods are suitable for measures without parameters."""

    scales_gains: bool = False
    """Whether the measure scales the gains of a topic to the range 0 to 1."""

    @property
    def usage(self) -> str:
        """The syntax of the parameters for the help, or "" if the measure has no parameters."""
        return ""

    def parse(self, name: str, text: str | None, settings: Settings, note: Note) -> Parameters:
        """Return parsed parameters, or the default if ``text`` is None. Malformed numbers are passed to ``note``."""
        return Parameters((name,))

    def cutoffs(self, parameters: Parameters) -> Sequence[int]:
        """Return the cutoff of each printed name, or an empty sequence for a measure without cutoffs."""
        return ()

    def apply(self, kernel: Kernel, t: Any, parameters: Parameters) -> Sequence[Values]:
        """Call the kernel for the topics ``t``, and return the values for each printed name."""
        return [kernel(t, *parameters.values)]


class NoParameters(Frozen, ParameterKind):
    """The absence of parameters: any given parameters are ignored. The kernel is called with ``(t)``."""


class Cutoffs(Frozen, ParameterKind):
    """A list of rank cutoffs, which are positive integers. The kernel is called with ``(t, k)`` for each cutoff."""

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
    """A list of rank cutoffs, optionally with gains. The kernel is called with ``(t, k, pairs)`` for each cutoff."""

    def apply(self, kernel: Kernel, t: Any, parameters: Parameters) -> Sequence[Values]:
        return [kernel(t, k, parameters.gains) for k in parameters.values]


class CutoffsAndReals(Cutoffs):
    """Rank cutoffs and ``name=value`` pairs. The kernel is called with ``(t, k, *values)`` for each cutoff."""

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
    """A list of real cutoffs, such as recall levels. The kernel, called with ``(t, numbers)``, returns all results."""

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
    """A list of real numbers that are identified by their position. The kernel is called with ``(t, *numbers)``."""

    default: tuple[float, ...]
    usage: str = "X,X,..."

    def parse(self, name: str, text: str | None, settings: Settings, note: Note) -> Parameters:
        if text is None:
            return Parameters((name,), self.default)
        return Parameters((f"{name}_{text}",), tuple(_numbers(text, c_double, note)))


class MeasureParameter(Frozen):
    """A named parameter of a measure, whose value is a real number."""

    name: str
    default: float | None
    """The value that is used if neither the parameter nor a setting is given, or None if the kernel determines the
    value."""
    declaration: Parameter
    """The declaration of the accepted values. If a setting with the same declaration is given, the value of the setting
    replaces the default."""

    @property
    def kind(self) -> ValueType:
        """The kind of the accepted values."""
        assert self.declaration.kind is not None
        return self.declaration.kind


class NamedReals(Frozen, ParameterKind):
    """Parameters of the form ``name=value``. The kernel is called with ``(t, *values)``, in order of declaration."""

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
    """Gains of grades, in ``key=value`` pairs. The kernel is called with ``(t, pairs)``, with a Gain for each pair."""

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
    """LEVEL=GAIN pairs with nonnegative grades and gains. The kernel is called with ``(t, pairs)``."""

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
    """Return the grade that a key of a gain represents, or None if the key is not a grade."""
    if settings.grades == "whole":
        return settings.compat.gain_level(key)
    number, plain = c_double(as_bytes(key))
    return number if plain else None


def _numbers(text: str, read_as_c: Callable[[bytes], tuple[Any, bool]], note: Note) -> list[Any]:
    """Parse numbers separated by commas. ``read_as_c`` returns a number and whether it is well-formed."""
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
