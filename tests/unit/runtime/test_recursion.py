"""Spawning has an end: too deep, oneself, a ring; checked in this order."""

from __future__ import annotations

import pytest

from lango_nb.runtime.recursion import RecursionGuard


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
    found = RecursionGuard().check(depth=depth, spawner=spawner, target=target, chain=chain)
    assert (None if found is None else found.code) == code


def test_refusals_say_what_is_wrong_and_what_to_do() -> None:
    guard = RecursionGuard(max_depth=1)
    deep = guard.check(depth=2, spawner="vault", target="planner", chain=("vault",))
    assert deep is not None
    assert deep.detail.startswith("a run of planner would be at depth 2, and 1 is the deepest; ")
    own = guard.check(depth=1, spawner="vault", target="vault")
    assert own is not None
    assert own.detail == "vault cannot spawn itself; do the work in this run"
    ring = RecursionGuard().check(depth=3, spawner="b", target="a", chain=("x", "a", "b"))
    assert ring is not None
    assert "(a > b > a)" in ring.detail
