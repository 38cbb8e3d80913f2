"""Spawning has an end: too deep, oneself, a ring; checked in this order."""

from __future__ import annotations

import pytest

from lango_nb.runtime.handoff import recursion


@pytest.mark.parametrize(
    ("depth", "spawner", "target", "chain", "code"),
    [
        (1, "", "vault", (), None),
        (1, "root", "vault", (), None),
        (3, "vault", "planner", ("operator", "vault"), None),
        (4, "vault", "planner", ("operator", "vault"), "depth"),
        (4, "vault", "vault", ("vault",), "depth"),  # depth comes first
        (2, "vault", "vault", ("vault",), "self"),  # before the ring
        (2, "vault", "vault", (), "self"),
        (1, "", "", (), None),  # nobody in particular is not itself
        (3, "vault", "planner", ("planner", "vault"), "cycle"),
        (3, "vault", "planner", ("planner",), "cycle"),
        (2, "", "vault", ("vault",), "cycle"),
    ],
)
def test_the_first_rule_that_applies_refuses(
    depth: int, spawner: str, target: str, chain: tuple[str, ...], code: str | None
) -> None:
    found = recursion(depth, spawner, target, chain)
    assert (None if found is None else found[0]) == code


def test_refusals_say_what_is_wrong_and_what_to_do() -> None:
    deep = recursion(2, "vault", "planner", ("vault",), most=1)
    assert deep is not None
    assert deep[1].startswith("a run of planner would be at depth 2, and 1 is the deepest; ")
    assert recursion(1, "vault", "vault") == ("self", "vault cannot spawn itself; do the work in this run")
    ring = recursion(3, "b", "a", ("x", "a", "b"))
    assert ring is not None
    assert "(a > b > a)" in ring[1]
