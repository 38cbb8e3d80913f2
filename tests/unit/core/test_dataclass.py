"""Dataclasses of the package say and compare what those of the standard library do."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from collections.abc import Callable
from dataclasses import FrozenInstanceError, field
from typing import Any

import pytest

from lango_nb.core.dataclass import dataclass


def _both(body: Callable[[Any], type], **options: bool) -> tuple[type, type]:
    """Make the same class by both decorators."""
    return body(dataclass(**options)), body(dataclasses.dataclass(**options))


def _point(decorate: Any) -> type:
    @decorate
    class Point:
        x: int
        y: list[int] = field(default_factory=list, hash=False)
        seen: int = field(default=0, compare=False)
        hidden: int = field(default=0, repr=False)

    return Point


@pytest.mark.parametrize("slots", [False, True])
@pytest.mark.parametrize("frozen", [False, True])
def test_what_is_said_and_what_is_equal_is_that_of_the_standard_library(frozen: bool, slots: bool) -> None:
    for cls in (both := _both(_point, frozen=frozen, slots=slots)):
        assert cls(1) == cls(1, [], 7)
        assert cls(1) != cls(2)
        assert cls(1) != cls(1, [2])
        assert cls(1) != cls(1, hidden=1)
        assert cls(1) != (1, [], 0)
    ours, theirs = both
    assert repr(ours(1, [2], 3, 4)) == repr(theirs(1, [2], 3, 4))
    assert ours(1) != theirs(1)


def test_a_frozen_one_is_hashed_by_the_fields_that_count() -> None:
    cls, theirs = _both(_point, frozen=True, slots=True)
    assert hash(cls(1, [2], 3)) == hash(cls(1, [5], 6)) == hash(theirs(1, [2], 3))
    assert hash(cls(1)) != hash(cls(2))


def test_one_that_can_change_has_no_hash() -> None:
    with pytest.raises(TypeError, match="unhashable"):
        hash(_both(_point)[0](1))


def test_a_frozen_one_stays_as_it_is() -> None:
    with pytest.raises(FrozenInstanceError):
        _both(_point, frozen=True, slots=True)[0](1).x = 2


def test_methods_of_its_own_are_kept() -> None:
    @dataclass(frozen=True)
    class Name:
        text: str

        def __repr__(self) -> str:
            return self.text

        def __eq__(self, other: object) -> bool:
            return isinstance(other, Name)

        def __hash__(self) -> int:
            return 7

    assert (repr(Name("a")), Name("a") == Name("b"), hash(Name("a"))) == ("a", True, 7)


def test_what_is_compared_by_identity_stays_so() -> None:
    @dataclass(frozen=True, eq=False)
    class Thing:
        x: int

    thing = Thing(1)
    assert thing != Thing(1)
    assert {thing: "found"}[thing] == "found"


def test_an_order_is_that_of_the_standard_library() -> None:
    @dataclass(frozen=True, order=True)
    class Version:
        number: int

    assert Version(1) < Version(2)
    assert Version(1) == Version(1)
    assert hash(Version(1)) == hash(Version(1))


def test_one_that_holds_itself_can_be_shown() -> None:
    @dataclass
    class Node:
        below: list[Node]

    node = Node([])
    node.below.append(node)
    assert repr(node).endswith("Node(below=[...])")


def test_fields_of_a_subclass_count_too() -> None:
    @dataclass(frozen=True)
    class Base:
        x: int

    @dataclass(frozen=True)
    class Further(Base):
        y: int = 0

    assert Further(1, 2) != Further(1, 3)
    assert Base(1) != Further(1)
    assert repr(Further(1)).endswith("Further(x=1, y=0)")


@dataclass(frozen=True, slots=True)
class Kept:
    """At the top of a module, where pickle finds it."""

    x: int
    y: str = ""


def test_it_can_be_copied_and_kept() -> None:
    kept = Kept(1, "a")
    assert copy.deepcopy(kept) == pickle.loads(pickle.dumps(kept)) == dataclasses.replace(Kept(2, "a"), x=1)
