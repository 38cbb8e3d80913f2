"""``records.summaries``: what a model is not given any more of a long conversation is summed up, once per stretch."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from lango_nb import viz
from lango_nb.config.settings import Settings
from lango_nb.core.clock import SteppedClock
from lango_nb.core.errors import ModelError
from lango_nb.core.ids import CountedIds
from lango_nb.core.messages import SUMMARY, Message, Reply, ToolSchema, Usage
from lango_nb.engine import Engine
from lango_nb.frames import events_df, steps_df
from lango_nb.models.offline.model import OfflineModel
from lango_nb.models.summaries import asks_for_summary, lines_of
from lango_nb.records.history import History
from lango_nb.records.sessions import tokens_of
from lango_nb.records.spans import spans_of
from lango_nb.records.turns import Trace
from tests.cast import ROOT, Line, merged, transfer
from tests.kept import KINDS, address
from tests.unit.records.watching import octet

BUDGET = 800
"""Tokens of earlier turns: some ten of the exchanges below."""
LONG = "word " * 50


class Talker:
    """A model that answers everything, and sums up as it is told."""

    name = "talker"

    def __init__(self, summary: Callable[[], Reply] = lambda: Reply(text="They counted.")) -> None:
        self.summary = summary
        self.asked: list[tuple[Message, ...]] = []
        self.summed: list[list[dict[str, Any]]] = []
        self.offered: list[Sequence[ToolSchema]] = []

    async def complete(self, messages: Sequence[Message], tools: Sequence[ToolSchema]) -> Reply:
        if asks_for_summary(messages):
            self.summed.append([*lines_of(messages)])
            self.offered.append(tools)
            return self.summary()
        self.asked.append(tuple(messages))
        return Reply(text=f"Answer {len(self.asked)}. {LONG}", usage=Usage(input_tokens=10, output_tokens=5))


def talk(model: Any, turns: int = 30, asks: str = "Count to", **options: Any) -> tuple[Engine, list[Trace]]:
    settings = {"records": {"summaries": True}, "agent": {"historyTokens": BUDGET}}
    given = merged(settings, options.pop("settings", {}))
    defaults: dict[str, Any] = {"topology": "solo", "clock": SteppedClock(), "ids": CountedIds()}
    engine = Engine(Settings.model_validate(given), model=model, **{**defaults, **options})
    return engine, [engine.run_sync(f"{asks} {number}") for number in range(turns)]


def happened(traces: Sequence[Trace], kind: str) -> list[Any]:
    return [event for trace in traces for event in trace.events if event.kind == kind]


def test_without_the_setting_nobody_is_asked_for_a_summary() -> None:
    model = Talker()
    _, traces = talk(model, settings={"records": {"summaries": False}})
    assert not model.summed
    assert not happened(traces, "history.summarized")
    trimmed = happened(traces, "history.trimmed")
    assert trimmed
    assert {(event.summarized, event.detail) for event in trimmed} == {(0, "")}


def test_a_summary_stands_in_place_of_what_is_left_out_and_the_budget_holds() -> None:
    model = Talker()
    _, traces = talk(model)
    made, trimmed = happened(traces, "history.summarized"), happened(traces, "history.trimmed")
    assert 2 < len(made) <= 30 / 4, "half of the budget is dropped at once: not one call per turn"
    assert all(event.summarized == event.dropped for event in trimmed), "a summary stands for all of it"
    for messages, trace in zip(model.asked, traces, strict=True):
        _, *earlier, _ = messages
        assert sum(map(tokens_of, earlier)) <= BUDGET
        if happened([trace], "history.trimmed"):
            assert earlier[0].conversation == SUMMARY
            assert earlier[0].content.endswith("not a request.)\nThey counted.")
            assert earlier[1].role == "user", "whole exchanges"


def test_every_message_is_read_once_for_a_summary_which_is_made_of_the_one_before() -> None:
    model = Talker()
    _, traces = talk(model)
    made = happened(traces, "history.summarized")
    asked = [line["text"] for lines in model.summed for line in lines if line.get("by") == "user"]
    assert asked == [f"Count to {number}" for number in range(len(asked))]
    assert [next((line for line in lines if "summary" in line), None) for lines in model.summed] == [
        None,
        *({"summary": "They counted.", "messages": event.dropped} for event in made[:-1]),
    ]
    assert [event.dropped for event in made][-1] == 2 * len(asked)
    assert not any(model.offered), "no tool is offered"


def test_it_is_a_step_of_its_own_with_what_it_cost() -> None:
    reply = Reply(text="They counted.", usage=Usage(input_tokens=700, output_tokens=20, cost_usd=0.25))
    engine, traces = talk(Talker(lambda: reply), turns=14)
    trace = next(trace for trace in traces if happened([trace], "history.summarized"))
    event = happened([trace], "history.summarized")[0]
    assert (event.author, event.step, event.usage.input_tokens, event.usage.cost_usd) == ("lango-agent", 1, 700, 0.25)
    assert (trace.turn.steps, trace.turn.input_tokens, trace.turn.output_tokens) == (2, 710, 25)
    assert [(step.step, step.usage.input_tokens, step.given) for step in trace.steps] == [
        (1, 700, ()),
        (2, 10, (("", 1, 1),)),
    ]
    answered = trace.steps[1]
    assert answered.messages == answered.earlier + 2, "a summary is none of the messages that earlier turns left"
    assert [message.role for message in trace.messages] == ["user", "assistant"]
    assert "sums up" in viz.to_text(trace)
    assert "a summary stands for them" in viz.to_text(trace)
    frame = events_df(trace).set_index("kind")
    assert frame.loc["history.summarized", "text"] == "They counted."
    assert frame.loc["history.summarized", "cost_usd"] == 0.25
    assert [frame.loc["history.trimmed", name] for name in ("summarized", "dropped")] == [event.dropped] * 2
    stored = events_df(History(engine.store.log))
    assert list(stored["summarized"].dropna()) == [e.summarized for e in happened(traces, "history.trimmed")]
    assert steps_df(trace)["cost_usd"].iloc[0] == 0.25
    otel = spans_of(trace)
    assert [s.attributes.get("gen_ai.usage.input_tokens") for s in otel if s.name.startswith("chat")] == [700, 10]
    assert "They counted." not in str(otel)


@pytest.mark.parametrize(
    ("problem", "said"),
    [
        (ModelError("the provider is away"), "the provider is away"),
        (ValueError("what is sk-ant-api03-abcdefghijklmnop"), "model 'talker' failed: ValueError"),
        (None, "talker said nothing"),
    ],
)
def test_a_summary_that_fails_is_said_and_the_turn_goes_on(problem: Exception | None, said: str) -> None:
    def fail() -> Reply:
        if problem is not None:
            raise problem
        return Reply(text=" ")

    model = Talker(fail)
    _, traces = talk(model)
    assert {trace.turn.outcome for trace in traces} == {"success"}
    assert not happened(traces, "history.summarized")
    trimmed = happened(traces, "history.trimmed")
    assert all(event.summarized == 0 for event in trimmed)
    details = [event.detail for event in trimmed if event.detail]
    assert details
    assert all(said in detail and "abcdefghijklmnop" not in detail for detail in details)
    assert len(details) == len(model.summed) <= 30 / 4, "asked once per stretch, not in every turn"
    assert f"no summary: {said}" in viz.to_text(next(t for t in traces if happened([t], "history.trimmed")))


def test_after_a_summary_that_failed_the_next_one_stands_for_all_that_is_at_hand() -> None:
    replies = iter([Reply(), *[Reply(text="They counted.")] * 9])
    _, traces = talk(Talker(lambda: next(replies)), turns=20)
    (first, *_) = happened(traces, "history.summarized")
    assert [event.summarized == event.dropped for event in happened(traces, "history.trimmed")][-1]
    assert first.dropped > BUDGET / 2 / tokens_of(Message(role="assistant", content=LONG))


def test_secrets_are_masked_in_what_is_kept_and_given() -> None:
    model = Talker(lambda: Reply(text="The key is sk-ant-api03-abcdefghijklmnop."))
    engine, traces = talk(model, turns=14)
    assert happened(traces, "history.summarized")
    kept = json.dumps([stored.events for stored in engine.store.log.scan()])
    assert "abcdefghijklmnop" not in kept + str(model.asked)


def test_a_secret_at_the_end_of_a_long_summary_is_masked_before_it_is_cut() -> None:
    model = Talker(lambda: Reply(text=f"{'word ' * 158} ghp_{'a1B2c3D4' * 5}"))
    _, traces = talk(model, turns=14)
    assert "ghp_" not in happened(traces, "history.summarized")[0].text


def test_a_summary_counts_against_the_limits_of_its_turn() -> None:
    costly = Reply(text="They counted.", usage=Usage(input_tokens=1, output_tokens=1, cost_usd=9.0))
    limits = {"agent": {"orchestration": {"budget": {"maxCostUsd": 1}}}}
    model = Talker(lambda: costly)
    _, traces = talk(model, turns=14, settings=limits)
    ended = [trace for trace in traces if not trace.turn.is_ok]
    assert [trace.turn.error_code for trace in ended] == ["cost_limit_exceeded"], "paid for, and not made again"
    assert happened(ended, "history.summarized")
    few = {"agent": {"orchestration": {"budget": {"maxTokens": 100}}}}
    model = Talker()
    _, traces = talk(model, turns=14, settings=few)
    assert not model.summed
    assert {trace.turn.outcome for trace in traces} == {"success"}
    detail = "it would take more tokens than this turn may still use"
    assert detail in [event.detail for event in happened(traces, "history.trimmed")]


@pytest.mark.parametrize("kind", KINDS)
def test_a_reopened_home_does_not_make_it_again(tmp_path: Path, kind: str) -> None:
    store, first = address(kind, tmp_path), Talker()
    engine, traces = talk(first, turns=14, store=store, ids=CountedIds(lambda: "a-"))
    (*_, last) = happened(traces, "history.summarized")
    engine.close()
    second = Talker()
    engine, traces = talk(second, turns=1, store=store, ids=CountedIds(lambda: "b-"))
    assert not second.summed
    (trimmed,) = happened(traces, "history.trimmed")
    assert (trimmed.dropped, trimmed.summarized) == (last.dropped, last.dropped)
    assert [m.content for m in second.asked[0][1:-2]] == [m.content for m in first.asked[-1][1:]]
    while not second.summed:
        engine.run_sync("And?")
    assert {"summary": last.text, "messages": last.dropped} in second.summed[0]
    engine.close()


def test_a_budget_without_place_for_a_summary_has_none() -> None:
    model = Talker()
    _, traces = talk(model, turns=5, settings={"agent": {"historyTokens": 150}})
    assert not model.summed
    assert {event.detail for event in happened(traces, "history.trimmed")} == {
        "150 tokens of history leave no place for one"
    }


def test_another_kernel_takes_it_over(tmp_path: Path) -> None:
    store, one, two = address("sqlite", tmp_path), Talker(), Talker()
    first, _ = talk(one, turns=1, store=store, ids=CountedIds(lambda: "a-"))
    with closing(first), closing(talk(two, turns=0, store=store, ids=CountedIds(lambda: "b-"))[0]) as second:
        second.run_sync("Hello")
        traces = []
        while not one.summed:
            traces.append(first.run_sync("Count"))
        trace = second.run_sync("And?")
        assert not two.summed
        assert [event.summarized for event in happened([trace], "history.trimmed")] == [
            event.dropped for event in happened(traces, "history.summarized")
        ]


def test_one_turn_that_is_larger_than_the_budget_is_summed_up_too() -> None:
    model = Talker()
    engine, _ = talk(model, turns=2)
    engine.run_sync("x" * 4 * BUDGET)
    engine.run_sync("And?")
    (lines,) = model.summed
    assert [line["text"][:10] for line in lines if line.get("by") == "user"] == ["Count to 0", "Count to 1", "x" * 10]
    assert [message.conversation for message in model.asked[-1][1:]] == [SUMMARY, ""]


def test_an_agent_that_takes_over_is_given_the_same_summary() -> None:
    settings = {"records": {"summaries": True}, "agent": {"historyTokens": 400}}
    root: list[Line] = [*["x" * 900] * 2, "They talked.", transfer("guide"), "Bye."]
    lines: dict[str, list[Line]] = {"root": root, "guide": ["Here is the way."]}
    engine, cast = octet(lines, settings)
    for text in ("a", "b", "c"):
        trace = engine.run_sync(text)
    assert not cast.unexpected
    assert happened([trace], "history.summarized")[0].author == ROOT
    (asked,) = cast.of("guide")
    assert asked.messages[1].content.endswith("They talked.")
    assert len(happened([trace], "history.trimmed")) == 1


def test_the_offline_model_makes_an_extract_that_says_what_it_is() -> None:
    _, traces = talk(
        OfflineModel(), turns=40, asks="What do you think of day", settings={"agent": {"historyTokens": 1200}}
    )
    (*_, last) = happened(traces, "history.summarized")
    count = last.dropped // 2
    assert last.text.startswith(
        f"An extract by the offline model of {count} exchanges.\nAsked: What do you think of day {count - 8} "
    )
    assert f" · What do you think of day {count - 1} · and {count - 8} before\nAnswered last: " in last.text
    again = talk(
        OfflineModel(), turns=40, asks="What do you think of day", settings={"agent": {"historyTokens": 1200}}
    )[1]
    assert [event.text for event in happened(again, "history.summarized")] == [
        event.text for event in happened(traces, "history.summarized")
    ]
