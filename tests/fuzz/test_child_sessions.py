"""Whatever a conversation looks like: what a child inherits can be sent to a model, and nothing raw comes back."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from lango_nb.core.messages import Message, Role, ToolCall
from lango_nb.records.child_sessions import ChildSessions, close_dangling, inherited_messages, summarize

IDS = ("1", "2", "3")
ROOT = "root"
texts = st.sampled_from(("", " ", "CANARY one", "CANARY two"))


@st.composite
def messages(draw: st.DrawFn) -> Message:
    role: Role = draw(st.sampled_from(("system", "user", "assistant", "assistant", "tool", "tool")))
    content = draw(texts)
    if role == "tool":
        return Message(role="tool", content=content, tool_call_id=draw(st.sampled_from((*IDS, None))))
    calls = draw(st.lists(st.sampled_from(IDS), max_size=3)) if role == "assistant" else []
    return Message(
        role=role,
        content=content,
        author=draw(st.sampled_from((None, "vault", "operator"))),
        tool_calls=tuple(ToolCall(id=call, name="fs_read") for call in calls),
    )


conversations = st.lists(messages(), max_size=12)


def check_pairs(conversation: tuple[Message, ...]) -> None:
    """Every call is answered right behind its message, once, and every answer has its call there."""
    waiting: set[str] = set()
    for message in conversation:
        if message.role == "tool":
            assert message.tool_call_id in waiting
            waiting.discard(str(message.tool_call_id))
        else:
            assert not waiting
            waiting = {call.id for call in message.tool_calls}
            assert len(waiting) == len(message.tool_calls)
    assert not waiting


@given(conversations, st.integers(-1, 14))
def test_what_is_inherited_is_paired_short_and_in_order(history: list[Message], most: int) -> None:
    inherited = inherited_messages(history, most)
    check_pairs(inherited)
    assert len(inherited) <= max(most, 0)
    assert all(message.role != "system" for message in inherited)
    spoken = [message.content for message in history if message.role not in {"system", "tool"}]
    kept = [message.content for message in inherited if message.role != "tool"]
    rest = iter(spoken)
    assert all(text in rest for text in kept), "in the order in which it was said"
    assert inherited_messages(inherited, most) == inherited


@given(conversations)
def test_nothing_that_was_said_in_the_window_is_lost(history: list[Message]) -> None:
    plain = [
        message.content for message in history if message.role in {"user", "assistant"} and message.content.strip()
    ]
    inherited = inherited_messages(history, len(history))
    assert [m.content for m in inherited if m.role in {"user", "assistant"} and m.content.strip()] == plain


@given(conversations)
def test_every_call_has_its_answer_once_dangling_ones_are_closed(conversation: list[Message]) -> None:
    closed = close_dangling(conversation, ROOT)
    assert close_dangling([*conversation, *closed], ROOT) == []
    assert all(message.is_error and message.author for message in closed)


@given(conversations, texts, st.booleans())
def test_nothing_raw_comes_back_to_the_parent(own: list[Message], reason: str, is_merged: bool) -> None:
    children = ChildSessions()
    child = children.fork("main", "vault", own, inherit=5, key="k")
    child.messages.extend(own)
    if is_merged:
        back = children.merge(child, ROOT)
        last = summarize(own)
        assert back.content == f"vault reports: {last}" if last else "CANARY" not in back.content
    else:
        back = children.discard(child, ROOT, reason.replace("CANARY", "failed"))
        assert "CANARY" not in back.content
    assert (back.role, back.author, back.tool_calls, children.active()) == ("assistant", ROOT, (), ())
