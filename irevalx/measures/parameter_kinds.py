"""The kinds of parameters that ``-m NAME.PARAMETERS`` takes: how they are written, read, and handed to a kernel."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any, TypeAlias

from irevalx.arrays.codes import OUTSIDE
from irevalx.declarations import spelled_rule
from irevalx.errors import ParameterError, UsageError, quote
from irevalx.frozen import Frozen
from irevalx.measures.summary import Values
from irevalx.process.system import as_bytes
from irevalx.settings import PROBABILITY, NumberRange, Settings
from irevalx.trec_eval.merge_sort import merge_sort
from irevalx.trec_eval.numbers import c_double, c_format, c_long

Kernel: TypeAlias = Callable[..., Any]
"""From n topics, and what the parameters say, to one value per topic: shape (n_topics,).

The topics are Topics, GroupedTopics or Preferences, depending on the measure's formats of judgments. The kind of its
parameters knows how to call it.
"""

Note: TypeAlias = Callable[[str, float], None]
"""Called with each number among the parameters that is not plain, as typed, and with what C reads instead."""


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
    level: float | None


class Parameters(Frozen):
    """Parameters of a measure, read.

    Parameters
    ----------
    names : the names that the values are printed under.
    values : what the kernel gets, depending on the kind.
    look_outside : whether they make the measure look at documents outside the pool one by one.
    warnings : a line each.
    gains : those of grades, given as pairs or beside cutoffs.
    """

    names: tuple[str, ...]
    values: tuple[Any, ...] = ()
    look_outside: bool = False
    warnings: tuple[str, ...] = ()
    gains: tuple[Gain, ...] = ()

    @property
    def levels(self) -> tuple[tuple[float, float], ...]:
        """Grades and the gains given for them."""
        return tuple((gain.level, gain.value) for gain in self.gains if gain.level is not None)


class Kind:
    """A kind of parameters: as it is for a measure that takes none, but for what a kind says otherwise."""

    scales_gains: bool = False
    """Whether the measure brings the gains of a topic to 0..1."""

    @property
    def usage(self) -> str:
        """How they are written, for the help; empty where there are none."""
        return ""

    def parse(self, name: str, text: str | None, settings: Settings, note: Note) -> Parameters:
        """Read parameters.

        Parameters
        ----------
        name : of the measure.
        text : what is typed after ``NAME.``; None for the default.
        note : called with numbers that are not plain.

        Raises
        ------
        ParameterError, UsageError : the text breaks the rules of the kind.
        """
        return Parameters((name,))

    def apply(self, kernel: Kernel, t: Any, parameters: Parameters) -> Sequence[Values]:
        """Call the kernel for the topics ``t``, with the values; return one result for each printed name."""
        return [kernel(t, *parameters.values)]


class NoParameters(Frozen, Kind):
    """The measure takes none; what is given is ignored. Kernel: ``(t)``."""


class Cutoffs(Frozen, Kind):
    """Ranks, whole numbers from 1 up. Kernel: ``(t, k)``, called once a rank."""

    default: tuple[int, ...]
    usage: str = "K,K,..."

    def parse(self, name: str, text: str | None, settings: Settings, note: Note) -> Parameters:
        ranks = self.default if text is None else tuple(sorted(_numbers(text, c_long, note)))
        if ranks[0] <= 0:
            raise ParameterError(f"the cutoffs of {name} must be whole numbers from 1 up, but got {quote(text or '')}")
        _refuse_equal(name, text, ranks)
        return Parameters(tuple(f"{name}_{k}" for k in ranks), ranks)

    def apply(self, kernel: Kernel, t: Any, parameters: Parameters) -> Sequence[Values]:
        return [kernel(t, k) for k in parameters.values]


class CutoffsAndGains(Cutoffs):
    """Ranks, of a measure whose gains may be given in brackets. Kernel: ``(t, k, pairs)``, called once a rank."""

    def apply(self, kernel: Kernel, t: Any, parameters: Parameters) -> Sequence[Values]:
        return [kernel(t, k, parameters.gains) for k in parameters.values]


class CutoffsAndReals(Cutoffs):
    """Ranks and ``name=value`` pairs in any order. Kernel: ``(t, k, *values)``, called once a rank.

    What is wrong with a pair is an error of usage.

    Parameters
    ----------
    parameters : those with names.
    """

    parameters: tuple[Parameter, ...] = ()

    def parse(self, name: str, text: str | None, settings: Settings, note: Note) -> Parameters:
        items = [] if text is None else text.split(",")
        pairs = [item for item in items if "=" in item]
        ranks = [item for item in items if "=" not in item]
        cutoffs = super().parse(name, ",".join(ranks) if ranks else None, settings, note)
        named = NamedReals(self.parameters).parse(name, ",".join(pairs) or None, settings, note)
        after = named.names[0].removeprefix(name)
        return Parameters(tuple(f"{printed}{after}" for printed in cutoffs.names), (cutoffs.values, named.values))

    def apply(self, kernel: Kernel, t: Any, parameters: Parameters) -> Sequence[Values]:
        ranks, named = parameters.values
        return [kernel(t, k, *named) for k in ranks]


class RealCutoffs(Frozen, Kind):
    """Real numbers in ascending order, such as levels of recall. Kernel: ``(t, numbers)`` to one result per number."""

    default: tuple[float, ...]
    usage: str = "X,X,..."

    def parse(self, name: str, text: str | None, settings: Settings, note: Note) -> Parameters:
        cutoffs: Sequence[float] = self.default
        if text is not None:
            cutoffs = merge_sort(_numbers(text, c_double, note), lambda x, y: (x > y) - (x < y))
        _refuse_equal(name, text, cutoffs)
        # trec_eval has no room for more characters.
        names = tuple(f"{name}_{c_format('%3.2f', cutoff)}"[: len(name) + 9] for cutoff in cutoffs)
        return Parameters(names, tuple(cutoffs))

    def apply(self, kernel: Kernel, t: Any, parameters: Parameters) -> Sequence[Values]:
        results: Sequence[Values] = kernel(t, parameters.values)
        return results


class Reals(Frozen, Kind):
    """A list of real numbers whose order matters. Kernel: ``(t, *numbers)``."""

    default: tuple[float, ...]
    usage: str = "X,X,..."

    def parse(self, name: str, text: str | None, settings: Settings, note: Note) -> Parameters:
        if text is None:
            return Parameters((name,), self.default)
        return Parameters((f"{name}_{text}",), tuple(_numbers(text, c_double, note)))


class Parameter(Frozen):
    """A real number with a name.

    Parameters
    ----------
    name : as typed before the ``=``.
    default : what it is without the setting; None where the kernel finds it out.
    bound : what the number must be.
    setting : returns the setting that stands for the parameter where it is not typed; None where that is not given.
    """

    name: str
    default: float | None
    bound: NumberRange
    setting: Callable[[Settings], float | None] = lambda settings: None


class NamedReals(Frozen, Kind):
    """``name=value`` pairs, of irevalx's own measures. Kernel: ``(t, *values)``, in the order of the declaration.

    Unlike those of trec_eval, several lists of such parameters may be asked for side by side, and what is wrong with
    them is an error of usage.
    """

    parameters: tuple[Parameter, ...]

    @property
    def usage(self) -> str:
        return ",".join(f"{parameter.name}={parameter.name.upper()}" for parameter in self.parameters)

    def parse(self, name: str, text: str | None, settings: Settings, note: Note) -> Parameters:
        values: dict[str, float | None] = {}
        for parameter in self.parameters:
            setting = parameter.setting(settings)
            values[parameter.name] = parameter.default if setting is None else setting
        if text is None:
            return Parameters((name,), tuple(values.values()))
        bounds = {parameter.name: parameter.bound for parameter in self.parameters}
        for item in text.split(","):
            key, equals, number = item.partition("=")
            bound = bounds.pop(key, None)
            if not equals or not bound:
                raise UsageError(
                    f"the parameters of {name} must be {self.usage}, each at most once, but got {quote(text)}"
                )
            value = bound.read(number)
            if value is None:
                raise UsageError(f"the parameter {key} of {name} must be {bound.rule}, but got {quote(number)}")
            values[key] = value
        return Parameters((f"{name}_{text}",), tuple(values.values()))


class Gains(Frozen, Kind):
    """``key=value`` pairs, the gains of grades. Kernel: ``(t, pairs)``, a tuple of Gain.

    Parameters
    ----------
    sorted_like_c : whether the measure sorts grades by gain, as trec_eval does: by differences cut to whole numbers.
    scales_gains : whether it brings the gains of a topic to 0..1.
    """

    usage: str = "LEVEL=GAIN,LEVEL=GAIN,..."
    sorted_like_c: bool = True
    scales_gains: bool = False

    def parse(self, name: str, text: str | None, settings: Settings, note: Note) -> Parameters:
        if text is None:
            return Parameters((name,), ((),))
        marks = [c for c in "," + text if c in ",="]
        if marks[-1] != "=" or any(mark == after for mark, after in pairwise(marks)):
            raise ParameterError(f"the parameters of {name} must be pairs {self.usage}, but got {quote(text)}")
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
        gains = [pair.value for pair in pairs if pair.level is not None]
        if not self.sorted_like_c or all(gain == int(gain) for gain in gains if abs(gain) < 2.0**53):
            return []
        return [
            f"{name}: gains that differ by less than 1 can end up in the wrong order, as in trec_eval, and the results "
            "be meaningless; multiply all gains until they are whole numbers"
        ]


class GradeGains(Frozen, Kind):
    """``LEVEL=GAIN`` pairs of a measure of irevalx's own: judged grades with gains from 0 up. Kernel: ``(t, pairs)``.

    Several lists may be asked for side by side, and what is wrong with a pair is an error of usage.
    """

    usage: str = "LEVEL=GAIN,LEVEL=GAIN,..."

    def parse(self, name: str, text: str | None, settings: Settings, note: Note) -> Parameters:
        parameters = Gains(sorted_like_c=False).parse(name, text, settings, note)
        for pair in parameters.values[0]:
            if pair.level is None or pair.level < 0:
                raise UsageError(f"a grade with a gain of {name} must be a number from 0 up, but got {quote(pair.key)}")
            if not pair.value >= 0:
                raise UsageError(f"a gain of {name} must be at least 0, but got {pair.value:g} for {quote(pair.key)}")
        return parameters


def _level_of(key: str, settings: Settings) -> float | None:
    """Return the grade that a pair is about; None where it is about none."""
    if settings.grades == "whole":
        return settings.compat.gain_level(key)
    number, plain = c_double(as_bytes(key))
    return number if plain else None


def _numbers(text: str, read_as_c: Callable[[bytes], tuple[Any, bool]], note: Note) -> list[Any]:
    """Return the numbers in a list with commas; ``read_as_c`` gives each and whether it is plain."""
    numbers = []
    for item in text.split(","):
        number, plain = read_as_c(as_bytes(item))
        if not plain:
            note(item, number)
        numbers.append(number)
    return numbers


def _refuse_equal(name: str, text: str | None, ascending: Sequence[float]) -> None:
    """Refuse cutoffs of which two are equal.

    Raises
    ------
    ParameterError : two are.
    """
    if any(x == y for x, y in pairwise(ascending)):
        raise ParameterError(f"the cutoffs of {name} must differ from each other, but got {quote(text or '')}")
