"""A run needs an instruction and nothing else: whom it goes to is the router's choice, and is said."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from lango_nb.config.settings import Settings
from lango_nb.core.clock import SteppedClock
from lango_nb.core.events import HandOverRefused, RunStarted
from lango_nb.core.ids import CountedIds
from lango_nb.engine import Engine
from tests.cast import Cast, Line, answers, wait

Played = Callable[[str], tuple[Engine, Cast]]


@pytest.fixture
def played(tmp_path: Path) -> Played:
    def play(instruction: str) -> tuple[Engine, Cast]:
        everybody: dict[str, Sequence[Line]] = {
            name: ["Done."] for name in ("operator", "vault", "librarian", "planner", "chronicler", "navigator")
        }
        call = ("agent_spawn", {"instruction": instruction})
        cast = Cast({"root": [call, wait("arun-1"), "Done."], **everybody})
        engine = Engine(
            Settings.model_validate({"agent": {"multiAgent": True}, "background": {"enabled": True}}),
            topology="octet",
            model=cast,
            workspace=tmp_path,
            clock=SteppedClock(),
            ids=CountedIds(),
        )
        return engine, cast

    return play


@pytest.mark.parametrize("instruction", ["delete the file old.txt", "frobnicate the quux"])
def test_the_run_goes_to_the_first_of_the_router_and_the_answer_says_to_whom(played: Played, instruction: str) -> None:
    engine, cast = played(instruction)
    first = next(one.agent for one in engine.route(instruction).candidates if not one.vetoes)
    trace = engine.run_sync("please")
    (started,) = [event for event in trace.events if isinstance(event, RunStarted)]
    assert (started.agent, started.reason) == (first, "nobody was named: the router's choice")
    (view,) = answers(cast.of("root")[1], "agent_spawn")
    assert (view["requested_agent"], view["spawn_reason"]) == (first, started.reason)
    assert trace.turn.outcome == "success"


def test_one_of_the_instructions_is_one_that_the_router_is_not_sure_of(played: Played) -> None:
    engine, _ = played("x")
    assert engine.route("delete the file old.txt").chosen is not None
    assert engine.route("frobnicate the quux").chosen is None


def test_what_nobody_comes_near_is_refused_with_the_names(played: Played) -> None:
    engine, _ = played("look into the thing we talked about")
    trace = engine.run_sync("please")
    (refused,) = [event for event in trace.events if isinstance(event, HandOverRefused)]
    assert (refused.code, "operator" in refused.detail) == ("bad_arguments", True)
    assert not any(isinstance(event, RunStarted) for event in trace.events)
