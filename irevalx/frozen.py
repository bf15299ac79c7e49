"""The base class of records, designed so that declaring a record takes little time.

A dataclass generates and compiles source text for its methods when its module is imported. Declaring 50 records of six
fields takes 1.3 ms as Frozen classes, 6.5 ms as NamedTuples, 26 ms with attrs and 49 ms as dataclasses (CPU time,
Python 3.11). An evaluation imports some 85 records. The evaluation takes 296 ms, but 365 ms with dataclasses and 364 ms
with attrs. Therefore, ``Settings`` and all records that the start of ``irevalx`` imports are Frozen classes. Frozen
classes declare fields in the same way as dataclasses, and type checkers see the same ``__init__``. The methods below
are inherited by all classes. If a class has many instances, an ``__init__`` is compiled for the class (0.2 ms), which
takes a third of the time of the shared ``__init__``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn, TypeVar

if TYPE_CHECKING:
    from typing_extensions import dataclass_transform
else:

    def dataclass_transform(**_: Any) -> Callable[[type], type]:
        """Return a decorator that does not change the class. Only type checkers see the real decorator."""
        return lambda cls: cls


Record = TypeVar("Record", bound="Frozen")

_MANY = 200
"""The number of instances after which a class gets a compiled ``__init__``."""

_set = object.__setattr__
if TYPE_CHECKING:
    from functools import cached_property as cached_property  # noqa: PLC0414 - for other modules
else:

    class cached_property:  # noqa: N801 - like that of functools
        """A property that is computed once, like ``functools.cached_property``, but without a lock.

        The lock, which Python uses up to 3.11, takes a tenth of the time of a small evaluation. Because there is no
        lock, concurrent threads can compute the value twice.
        """

        def __init__(self, function: Callable[[Any], Any]) -> None:
            self._function = function
            self.__doc__ = function.__doc__

        def __set_name__(self, owner: type, name: str) -> None:
            """Store the name of the attribute that contains the computed values."""
            self._name = name

        def __get__(self, instance: Any, owner: type | None = None) -> Any:
            """Compute the value, store it in the instance, and return it."""
            if instance is None:
                return self
            value = instance.__dict__[self._name] = self._function(instance)
            return value


@dataclass_transform(frozen_default=True, eq_default=False)
class Frozen:
    """The base class of records. Fields are set once, when an instance is created.

    The annotated names of a class body (unless ``ClassVar``) are its fields, after the fields of its base class. The
    value of a name is its default. If a field of the base is annotated again, it keeps its position and has a narrower
    type. Defaults are shared and must not be modified. The fields of ``class Name(Frozen, kw_only=True)`` are
    keyword-only. Instances are equal only to themselves.

    >>> class Point(Frozen):
    ...     x: float
    ...     y: float = 0.0
    >>> replace(Point(1.0), y=2.0)
    Point(x=1.0, y=2.0)
    """

    __match_args__: ClassVar[tuple[str, ...]] = ()
    """The names of the positional fields."""

    _fields: ClassVar[tuple[str, ...]] = ()
    _names: ClassVar[frozenset[str]] = frozenset()
    _defaults: ClassVar[dict[str, Any]] = {}
    _n_instances: ClassVar[int] = 0

    def __init_subclass__(cls, *, kw_only: bool = False) -> None:
        super().__init_subclass__()
        declared = [name for name, kind in cls.__annotations__.items() if "ClassVar" not in str(kind)]
        own = tuple(name for name in declared if name not in cls._names)
        cls._fields += own
        cls._names |= frozenset(own)
        cls._defaults = cls._defaults | {name: vars(cls)[name] for name in declared if name in vars(cls)}
        if not kw_only:
            cls.__match_args__ += own  # type: ignore[misc]
        cls.__init__, cls._n_instances = Frozen.__init__, 0  # type: ignore[method-assign]

    def __init__(self, *args: Any, **named: Any) -> None:
        """Set the fields. Raise TypeError if a field is missing, given twice, or unknown."""
        cls, values = type(self), self.__dict__
        cls._n_instances += 1
        if cls._n_instances == _MANY:
            cls.__init__ = _compiled_init(cls)  # type: ignore[method-assign]
        if args:
            values.update(zip(self.__match_args__, args, strict=False))
            if not named and len(args) == len(values) == len(self._fields):
                return
        if named:
            values.update(named)
        n_given = len(values)
        if n_given < len(self._fields):
            for name, default in self._defaults.items():
                values.setdefault(name, default)
        if n_given != len(args) + len(named) or values.keys() != self._names:
            wrong = sorted(self._names.symmetric_difference(values))
            which = f"; missing or unknown: {', '.join(wrong)}" if wrong else ""
            expected = ", ".join(self._fields)
            raise TypeError(f"{type(self).__name__} requires each of its fields once: {expected}{which}")

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"cannot set {name}: {type(self).__name__} is frozen")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"cannot delete {name}: {type(self).__name__} is frozen")

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={getattr(self, name)!r}' for name in self._fields)})"


def _compiled_init(cls: type[Frozen]) -> Callable[..., None]:
    """Return an ``__init__`` for one class, or the shared ``__init__`` if Python forbids this order of parameters."""
    by_name = [name for name in cls._fields if name not in cls.__match_args__]
    names = [*cls.__match_args__, *(["*", *by_name] if by_name else [])]
    parameters = ", ".join(f"{name}=defaults[{name!r}]" if name in cls._defaults else name for name in names)
    values = ", ".join(f"{name!r}: {name}" for name in cls._fields)
    source = f"lambda self, {parameters}: set(self, '__dict__', {{{values}}})"
    try:
        compiled: Callable[..., None] = eval(source, {"set": _set, "defaults": cls._defaults})  # noqa: S307 - generated above
    except SyntaxError:
        return cls.__init__
    return compiled


def fields(record: Frozen | type[Frozen]) -> tuple[str, ...]:
    """Return the names of the fields of a record or class."""
    return record._fields


def defaults(record: type[Frozen]) -> dict[str, Any]:
    """Return a dictionary that maps each field with a default to its default value."""
    return dict(record._defaults)  # noqa: SLF001 - of this module's class


def values(record: Frozen) -> tuple[Any, ...]:
    """Return the values of all fields of a record."""
    return tuple([getattr(record, name) for name in record._fields])


def replace(record: Record, /, **changes: Any) -> Record:
    """Return a record with some fields changed, without the cached properties. Raise TypeError for unknown fields."""
    if not record._names.issuperset(changes):  # noqa: SLF001 - in this module
        type(record)(**vars(record) | changes)
    copy = object.__new__(type(record))
    _set(copy, "__dict__", {name: getattr(record, name) for name in record._fields} | changes)
    return copy
