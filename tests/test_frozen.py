"""Frozen classes behave like frozen dataclasses."""

from __future__ import annotations

import pickle
from typing import Any, ClassVar

import pytest

from irevalx.frozen import Frozen, cached_property, fields, replace, values


class Base(Frozen):
    """A field with a default, and one without."""

    name: str
    sizes: tuple[int, ...] = ()

    unit: ClassVar[str] = "m"

    @cached_property
    def total(self) -> int:
        """A cached sum."""
        return sum(self.sizes)


class Derived(Base, kw_only=True):
    """Fields after those of the base, without defaults although the base has one."""

    depth: int
    made: Any = len  # a function as a default is a value, not a method


def test_fields() -> None:
    """Fields of the base come first; class variables and cached properties are not fields."""
    assert fields(Base) == ("name", "sizes")
    assert fields(Derived("a", depth=1)) == ("name", "sizes", "depth", "made")
    assert repr(Derived("a", (1,), depth=2, made=None)) == "Derived(name='a', sizes=(1,), depth=2, made=None)"


def test_field_annotated_again() -> None:
    """A field that a subclass annotates again keeps its place, and can get a default."""

    class Wide(Frozen):
        first: object
        two: int = 2

    class Narrower(Wide):
        first: int = 3

    assert fields(Narrower) == ("first", "two")
    assert values(Narrower(1, 4)) == (1, 4)
    assert values(Narrower()) == (3, 2)


def test_values() -> None:
    """Values are given by position, by name, or by default."""
    instance = Derived("a", (1, 2), depth=3)
    assert (instance.name, instance.sizes, instance.depth, instance.unit, instance.total) == ("a", (1, 2), 3, "m", 3)
    assert instance.made((1, 2)) == 2
    match instance:
        case Derived(name, sizes):
            assert (name, sizes) == ("a", (1, 2))


@pytest.mark.parametrize(
    ("args", "named"),
    [
        ((), {"depth": 1}),
        (("a",), {}),
        (("a", ()), {"depth": 1, "name": "b"}),
        (("a", (), 1), {}),
        (("a", (), 1), {"depth": 1}),
        (("a",), {"depth": 1, "size": 2}),
        (("a",), {"size": 2}),
    ],
)
def test_each_field_must_be_given_once(args: tuple[Any, ...], named: dict[str, Any]) -> None:
    """Missing, unknown and repeated fields, and keyword-only fields by position, are errors."""
    with pytest.raises(TypeError, match="Derived requires each of its fields once: name, sizes, depth, made"):
        Derived(*args, **named)


def test_nothing_changes() -> None:
    """Neither fields nor other attributes can be set or deleted."""
    instance = Base("a")
    with pytest.raises(AttributeError, match="cannot set name: Base is frozen"):
        instance.name = "b"  # type: ignore[misc]
    with pytest.raises(AttributeError, match="cannot set other: Base is frozen"):
        instance.other = "b"
    with pytest.raises(AttributeError, match="cannot delete name: Base is frozen"):
        del instance.name
    assert instance.name == "a"


def test_equal_to_itself_alone() -> None:
    """Records are equal only to themselves, since arrays have no truth value."""
    first, other = Base("a"), Base("a")
    assert first == first  # noqa: PLR0124
    assert first != other
    assert len({first, other}) == 2


def test_cached_property() -> None:
    """A cached property is computed on first access and stored; on the class, it is displayed with its docstring."""
    instance = Base("a", (1, 2))
    assert "total" not in vars(instance)
    assert (instance.total, vars(instance)["total"], instance.total) == (3, 3, 3)
    assert vars(Base)["total"].__doc__ == "A cached sum."


def test_replace() -> None:
    """Other fields and the original are unchanged, and cached values are not copied."""
    instance = Derived("a", (1, 2), depth=3)
    assert instance.total == 3
    other = replace(instance, sizes=(4,))
    assert (other.name, other.sizes, other.depth, other.total) == ("a", (4,), 3, 4)
    assert instance.sizes == (1, 2)
    with pytest.raises(TypeError, match="each of its fields once"):
        replace(instance, size=1)


def test_pickle() -> None:
    """Records can be sent between processes."""
    instance = pickle.loads(pickle.dumps(Derived("a", (1, 2), depth=3)))  # noqa: S301
    assert repr(instance) == repr(Derived("a", (1, 2), depth=3))


def test_many_instances() -> None:
    """A class with many instances gets its own equivalent ``__init__``, which subclasses do not inherit."""

    class Many(Frozen, kw_only=True):
        first: int
        two: list[int] = []  # noqa: RUF012 - a default is shared

    class Placed(Frozen):
        first: int
        two: int = 2

    class After(Placed):
        three: int = 3

    class Late(Placed):
        four: int  # type: ignore[misc] # without a default after a field that has one

    for number in range(500):
        assert values(Many(first=number)) == (number, [])
        assert values(Placed(number)) == (number, 2)
        assert values(After(number, three=4)) == (number, 2, 4)
        assert values(Late(number, four=5)) == (number, 2, 5)
    assert Many.__init__ is not Frozen.__init__
    assert Many(first=1).two is Many(first=2).two
    wrongs: list[dict[str, Any]] = [{}, {"two": []}, {"first": 1, "other": 2}]
    for wrong in wrongs:
        with pytest.raises(TypeError):
            Many(**wrong)
    with pytest.raises(TypeError):
        Placed(1, 2, 3)  # type: ignore[call-arg]
    with pytest.raises(AttributeError, match="Placed is frozen"):
        Placed(1).first = 2  # type: ignore[misc]
    assert pickle.loads(pickle.dumps(Column(1))).first == 1  # noqa: S301


class Column(Frozen):
    """A class that can be pickled, because it is at module level."""

    first: int
