"""A conversation in the shape providers take: whoever said what, whatever is missing, each message converted once."""

from __future__ import annotations

import gc
from collections.abc import Mapping
from typing import Any

import pytest
from pydantic import JsonValue

from lango_nb.core.messages import Message, ToolCall
from lango_nb.models.transcript import (
    BEFORE,
    GO_ON,
    NOTHING,
    UNANSWERED,
    Transcript,
    nine_letters,
    safe_id,
)

PROMPT = Message(role="system", content="You are vault.", author="vault")
ASK = Message(role="user", content="Hash it.", author="user")


class Words:
    """Makes parts that can be read."""

    def system(self, text: str) -> str:
        return f"system: {text}"

    def user(self, text: str) -> str:
        return f"user: {text}"

    def text(self, text: str) -> str:
        return f"text: {text}"

    def call(self, call_id: str, name: str, arguments: Mapping[str, JsonValue]) -> str:
        return f"call {call_id}: {name} {dict(arguments)}"

    def answer(self, call_id: str, name: str, text: str, *, is_error: bool) -> str:
        return f"{'error' if is_error else 'answer'} {call_id}: {name} {text}"


def conversation() -> Transcript[str]:
    return Transcript(Words(), safe_id)


def arranged(*messages: Message) -> list[tuple[str, list[str]]]:
    blocks = conversation().arrange((PROMPT, *messages))
    assert [block.is_reply for block in blocks] == [bool(number % 2) for number in range(len(blocks))]
    assert not blocks[-1].is_reply
    return [("reply" if block.is_reply else "request", block.parts) for block in blocks]


def calling(*ids: str, text: str = "", author: str = "vault", name: str = "crypto_hash") -> Message:
    calls = tuple(ToolCall(id=one, name=name, arguments={"n": one}) for one in ids)
    return Message(role="assistant", content=text, author=author, tool_calls=calls)


def answer(call_id: str, text: str = "2cf2", author: str = "vault", **more: Any) -> Message:
    return Message(role="tool", content=text, author=author, tool_call_id=call_id, tool_name="crypto_hash", **more)


def said(author: str, text: str) -> Message:
    return Message(role="assistant", content=text, author=author)


def test_own_words_are_replies_and_answers_follow_their_calls() -> None:
    assert arranged(ASK, calling("a", "b", text="Two at once."), answer("b", "B"), answer("a", "A")) == [
        ("request", ["system: You are vault.", "user: Hash it."]),
        (
            "reply",
            ["text: Two at once.", "call a: crypto_hash {'n': 'a'}", "call b: crypto_hash {'n': 'b'}"],
        ),
        ("request", ["answer a: crypto_hash A", "answer b: crypto_hash B"]),
    ]


def test_what_another_agent_said_and_called_is_text() -> None:
    blocks = arranged(
        ASK,
        calling("t1", text="For vault.", author="root", name="transfer_to_agent"),
        Message(
            role="tool", content="vault takes over", author="root", tool_call_id="t1", tool_name="transfer_to_agent"
        ),
        said("operator", "I cannot."),
    )
    assert blocks == [
        (
            "request",
            [
                "system: You are vault.",
                "user: Hash it.",
                'user: [root said] For vault.\n[root called transfer_to_agent] {"n": "t1"}',
                "user: [transfer_to_agent, called by root, answered] vault takes over",
                "user: [operator said] I cannot.",
            ],
        )
    ]


def test_the_same_message_is_a_reply_to_its_author_and_text_to_others() -> None:
    shared = conversation()
    message = said("vault", "Done.")
    other = Message(role="system", content="You are root.", author="root")
    assert shared.arrange((PROMPT, ASK, message))[1].parts == ["text: Done."]
    assert shared.arrange((other, ASK, message))[0].parts[-1] == "user: [vault said] Done."
    assert shared.arrange((PROMPT, ASK, message))[1].parts == ["text: Done."]


def test_an_author_that_nobody_wrote_down_is_the_asked_one() -> None:
    assert arranged(ASK, Message(role="assistant", content="Old."), ASK)[1] == ("reply", ["text: Old."])


@pytest.mark.parametrize("behind", [(), (ASK,), (said("root", "Wait."), ASK)])
def test_a_call_that_nobody_answered_is_answered(behind: tuple[Message, ...]) -> None:
    blocks = arranged(ASK, calling("a", "b"), answer("a"), *behind)
    assert blocks[2][1][:2] == ["answer a: crypto_hash 2cf2", f"error b: crypto_hash {UNANSWERED}"]


def test_an_answer_that_came_late_stands_behind_its_call() -> None:
    blocks = arranged(ASK, calling("a"), Message(role="user", content="Hurry.", author="vault"), answer("a"))
    assert blocks[2] == ("request", ["answer a: crypto_hash 2cf2", "user: Hurry."])


def test_an_answer_to_nothing_is_text_and_a_second_one_too() -> None:
    blocks = arranged(ASK, calling("a"), answer("a", "first"), answer("a", "second"), answer("z", "stray", "root"))
    assert blocks[2][1] == [
        "answer a: crypto_hash first",
        "user: [crypto_hash, called by vault, answered] second",
        "user: [crypto_hash, called by root, answered] stray",
    ]


def test_an_id_given_twice_is_sent_once() -> None:
    shared = conversation()
    history = [PROMPT, ASK, calling("call_1"), answer("call_1", "one"), calling("call_1"), answer("call_1", "two")]
    for _ in range(2):
        blocks = shared.arrange(history)
        assert [part for block in blocks[1:] for part in block.parts] == [
            "call call_1: crypto_hash {'n': 'call_1'}",
            "answer call_1: crypto_hash one",
            "call call_1-2: crypto_hash {'n': 'call_1'}",
            "answer call_1-2: crypto_hash two",
        ]


def test_the_first_and_the_last_word_are_no_replies() -> None:
    assert arranged(said("vault", "Hello.")) == [
        ("request", ["system: You are vault.", f"user: {BEFORE}"]),
        ("reply", ["text: Hello."]),
        ("request", [f"user: {GO_ON}"]),
    ]
    assert arranged() == [("request", ["system: You are vault.", f"user: {GO_ON}"])]


def test_nothing_empty_is_sent() -> None:
    blank = Message(role="user", content="  \n", author="user")
    blocks = arranged(ASK, blank, said("vault", " "), calling("a"), answer("a", " "), said("root", ""))
    assert [part for _, parts in blocks for part in parts] == [
        "system: You are vault.",
        "user: Hash it.",
        "call a: crypto_hash {'n': 'a'}",
        f"answer a: crypto_hash {NOTHING}",
    ]
    assert arranged(ASK, calling("a"), answer("a", "no such file", is_error=True))[2][1] == [
        "error a: crypto_hash no such file"
    ]


def test_what_a_model_made_up_is_sent_in_a_form_that_is_taken() -> None:
    odd = calling("an id/with all sorts of things" * 3, name="not a tool!")
    (call,) = arranged(ASK, odd)[1][1]
    assert call.startswith("call call_")
    assert ": not_a_tool_ {" in call
    assert arranged(Message(role="user", content="half \ud83d", author="user"))[0][1][1] == "user: half ?"


@pytest.mark.parametrize("given", ["call_abc", "toolu_01A", "pyd_ai_" + "0" * 32, "a b", "", "x" * 90])
def test_ids_of_calls_fit_and_stay_apart(given: str) -> None:
    assert len(safe_id(given)) <= 40
    assert safe_id(given) == safe_id(safe_id(given))
    assert len(nine_letters(given)) == 9
    assert nine_letters(given).isalnum()
    assert nine_letters(given) != nine_letters(given + "x")


def test_each_message_is_converted_once_and_forgotten_with_it() -> None:
    shared = conversation()
    history = [PROMPT, ASK, calling("a", "b"), answer("a"), answer("b"), said("root", "Well.")]
    shared.arrange(history)
    assert shared.conversions == len(history)
    for more in (ASK, said("vault", "Done.")):
        history.append(more.model_copy())
        before = shared.conversions
        shared.arrange(history)
        shared.arrange(history)
        assert shared.conversions == before + 1
    del history
    gc.collect()
    assert len(shared._made) <= 2  # PROMPT and ASK live on
