"""Child sessions: what a child inherits, what its parent gets of it, and that neither is more than it should be."""

from __future__ import annotations

import threading

import pytest

from lango_nb.core.errors import TurnError
from lango_nb.core.messages import Message, ToolCall
from lango_nb.records.child_sessions import (
    INTERRUPTED,
    ChildSession,
    ChildSessions,
    close_dangling,
    inherited_messages,
    summarize,
)

ROOT = "lango-orchestrator"


def user(text: str) -> Message:
    return Message(role="user", content=text, author="user")


def said(text: str, *calls: str, author: str | None = "vault") -> Message:
    return Message(
        role="assistant",
        content=text,
        author=author,
        tool_calls=tuple(ToolCall(id=call, name=f"tool_{call}") for call in calls),
    )


def answer(call: str, text: str = "ok") -> Message:
    return Message(role="tool", content=text, author="vault", tool_call_id=call, tool_name=f"tool_{call}")


SYSTEM = Message(role="system", content="rules")


def forked(children: ChildSessions, *messages: Message, key: str = "k", max_messages: int = 0) -> ChildSession:
    child = children.fork("main", "vault", [], inherit=10, key=key, max_messages=max_messages)
    child.messages.extend(messages)
    return child


# -- forking -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("history", "most", "left"),
    [
        ([user("a"), said("b"), user("c")], 2, ["b", "c"]),
        ([user("a")], 0, []),
        ([user("a")], -1, []),
        ([], 5, []),
        ([user("a"), SYSTEM, said("b"), SYSTEM], 2, ["a", "b"]),  # system messages neither come along nor count
        ([said("", "1"), answer("1"), said("b")], 2, ["b"]),  # no answer without its call at the start
        ([said("", "1"), answer("1", "x"), said("b")], 3, ["", "x", "b"]),
        ([user("a"), said("", "1")], 5, ["a"]),  # no call without its answer, at the end …
        ([user("a"), said("let me see", "1")], 5, ["a", "let me see"]),  # … but what was said with it stays
        ([said("b", "1"), user("c"), answer("1")], 5, ["b", "c"]),  # an answer elsewhere answers nothing
        ([said("", "1", "2"), answer("2", "x")], 5, ["", "x"]),
        ([said("", "1"), answer("1", "x"), answer("1", "again")], 5, ["", "x"]),
        ([said("", "1"), answer("1", "x"), said("", "1")], 5, ["", "x"]),  # an id used twice is two calls
        ([said("", "1"), answer("9", "stray"), answer("1", "x")], 5, ["", "x"]),
    ],
)
def test_a_child_inherits_the_last_messages_and_calls_only_with_their_answers(
    history: list[Message], most: int, left: list[str]
) -> None:
    assert [message.content for message in inherited_messages(history, most)] == left


def test_a_call_whose_answer_is_missing_leaves_its_message() -> None:
    [calling, _] = inherited_messages([said("", "1", "2"), answer("2")], 5)
    assert [call.id for call in calling.tool_calls] == ["2"]
    [only_text] = inherited_messages([said("let me see", "1")], 5)
    assert only_text.tool_calls == ()


def test_inherited_messages_are_the_very_same_and_keep_their_authors() -> None:
    history = [user("a"), said("b", author=ROOT)]
    child = ChildSessions().fork("main", "vault", history, inherit=10, key="k")
    history.append(user("later"))
    assert [id(message) for message in child.inherited] == [id(message) for message in history[:2]]
    assert (child.parent_id, child.agent, child.key, child.state) == ("main", "vault", "k", "active")


def test_a_child_sees_what_it_inherited_and_its_own_and_no_other_child() -> None:
    children = ChildSessions()
    one = children.fork("main", "vault", [user("shared")], inherit=1, key="one")
    two = children.fork("main", "vault", [user("shared")], inherit=1, key="two")
    one.messages.append(said("canary"))
    assert [message.content for message in one.history] == ["shared", "canary"]
    assert [message.content for message in two.history] == ["shared"]
    assert children.active() == (one, two)


def test_a_key_is_used_by_one_child_at_a_time() -> None:
    children = ChildSessions()
    first = forked(children)
    with pytest.raises(TurnError, match="child session k is at work already"):
        forked(children)
    children.discard(first, ROOT, "x")
    assert forked(children).state == "active"


@pytest.mark.parametrize(
    ("most", "seen"),
    [
        (0, ["order", "", "1", "2", "text", "", "3"]),
        (9, ["order", "", "1", "2", "text", "", "3"]),
        (2, ["order", "", "3"]),
        (3, ["order", "text", "", "3"]),
        (1, ["order", "", "3"]),  # an answer stays with its call
        (4, ["order", "", "1", "2", "text", "", "3"]),
    ],
)
def test_a_child_keeps_its_order_and_its_latest_messages_in_view(most: int, seen: list[str]) -> None:
    own = [user("order"), said("", "a", "b"), answer("a", "1"), answer("b", "2"), said("text"), said("", "c")]
    child = forked(ChildSessions(), *own, answer("c", "3"), max_messages=most)
    assert [message.content for message in child.history] == seen
    assert len(child.messages) == 7, "nothing is lost"


# -- merging and discarding --------------------------------------------------------------------------------------------


def test_a_merged_child_is_one_message_of_the_root() -> None:
    children = ChildSessions()
    child = forked(children, user("order"), said("thinking", "1"), answer("1", "canary"), said("It is 2cf2."))
    message = children.merge(child, ROOT)
    assert message == Message(role="assistant", content="vault reports: It is 2cf2.", author=ROOT)
    assert (child.state, children.active()) == ("merged", ())


def test_a_summary_that_is_given_is_taken() -> None:
    children = ChildSessions()
    assert children.merge(forked(children, said("raw")), ROOT, " The hash is 2cf2. ").content == (
        "vault reports: The hash is 2cf2."
    )


@pytest.mark.parametrize("summary", [None, "", "  \n"])
def test_a_child_without_visible_words_is_reported_as_such(summary: str | None) -> None:
    children = ChildSessions()
    child = forked(children, user("order canary"), said("", "1"), answer("1", "canary"), said("  "))
    message = children.merge(child, ROOT, summary)
    assert "empty_after_tool_use" in message.content
    assert "canary" not in message.content
    assert (message.author, message.role) == (ROOT, "assistant")


def test_a_discarded_child_leaves_one_short_note_of_the_root() -> None:
    children = ChildSessions()
    child = forked(children, user("canary order"), said("canary", "1"), answer("1", "canary"))
    message = children.discard(child, ROOT, "agent\n  error")
    assert message.content == "vault failed and its work is discarded: agent error"
    assert (message.author, message.role, message.tool_calls) == (ROOT, "assistant", ())
    assert (child.state, children.active()) == ("discarded", ())
    long = children.discard(forked(children), ROOT, "x" * 10_000).content
    assert len(long) < 300
    assert children.discard(forked(children), ROOT, " ").content.endswith("no reason given")


@pytest.mark.parametrize(("end", "state"), [("merge", "merged"), ("discard", "discarded")])
def test_a_child_ends_once(end: str, state: str) -> None:
    children = ChildSessions()
    child = forked(children, said("done"))
    if end == "merge":
        children.merge(child, ROOT)
    else:
        children.discard(child, ROOT, "x")
    with pytest.raises(TurnError, match=f"child session k is already {state}"):
        children.merge(child, ROOT)
    with pytest.raises(TurnError, match=f"child session k is already {state}"):
        children.discard(child, ROOT, "x")


def test_a_child_of_somebody_else_is_not_ended_here() -> None:
    children, others = ChildSessions(), ChildSessions()
    forked(children)
    other = forked(others)
    with pytest.raises(TurnError, match="was not forked here"):
        children.merge(other, ROOT)
    assert (other.state, len(children.active()), len(others.active())) == ("active", 1, 1)


def test_only_one_of_many_threads_merges_a_child() -> None:
    children = ChildSessions()
    child = forked(children, said("done"))
    ready = threading.Barrier(8)
    outcomes: list[str] = []

    def merge() -> None:
        ready.wait()
        try:
            outcomes.append(children.merge(child, ROOT).content)
        except TurnError:
            outcomes.append("refused")

    threads = [threading.Thread(target=merge) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) == ["refused"] * 7 + ["vault reports: done"]


# -- summaries and dangling calls --------------------------------------------------------------------------------------


def test_the_summary_is_the_last_that_an_assistant_visibly_said() -> None:
    assert summarize([said("first"), said(" last "), said(" \n"), user("no"), answer("1", "no")]) == "last"
    assert summarize([user("only the user"), said("", "1"), answer("1")]) == summarize([]) == ""


def test_calls_without_answers_are_closed_in_the_name_of_who_made_them() -> None:
    messages = [
        said("", "1", "2", author="vault"),
        answer("2"),
        said("", "3", author="operator"),
        said("", "4", author=None),
    ]
    closed = close_dangling(messages, ROOT)
    assert [(one.tool_call_id, one.tool_name, one.author) for one in closed] == [
        ("1", "tool_1", "vault"),
        ("3", "tool_3", "operator"),
        ("4", "tool_4", ROOT),
    ]
    assert {(one.role, one.content, one.is_error) for one in closed} == {("tool", INTERRUPTED, True)}


def test_nothing_dangles_when_all_is_answered_and_a_second_closing_finds_nothing() -> None:
    messages = [said("", "1"), answer("1"), said("done")]
    assert close_dangling(messages, ROOT) == []
    open_ones = [said("", "1", "1"), answer("1")]  # a model that used one id twice
    closed = close_dangling(open_ones, ROOT)
    assert len(closed) == 1
    assert close_dangling([*open_ones, *closed], ROOT) == []
