"""What stands for the beginning of a long conversation: what a model is asked, and the extract of the offline model."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace

from lango_nb.core.messages import USER, Message, ToolCall
from lango_nb.models.offline.talk import extract
from lango_nb.models.summaries import lines_of, summary_request
from tests.expected import same_as_expected


def said(text: str, author: str = USER, **more: object) -> Message:
    role = "user" if author == USER else "assistant"
    return Message.model_validate({"role": role, "content": text, "author": author, **more})


def result(text: str, **more: object) -> Message:
    fields = {"role": "tool", "content": text, "author": "operator", "tool_call_id": "call-1", "tool_name": "fs_read"}
    return Message.model_validate({**fields, **more})


READ = ToolCall(id="call-1", name="fs_read", arguments={"path": "notes.md", "text": "ä" * 600})
TALK = (
    said("read notes.md"),
    said("Let me see.", "operator", tool_calls=(READ,)),
    said("", "operator", tool_calls=(READ, READ)),
    result("- milk"),
    result("no such file", is_error=True),
    said("It lists\n milk; and bread.", "operator"),
    said("  thanks;  and go on  "),
    said("You are welcome.", "root"),
    said("", "root"),
)
MANY = tuple(one for n in range(9) for one in (said(f"what is {n}?"), said(f"{n} is a number " + "x" * 400, "root")))


def told(messages: Sequence[Message], most: int = 5_000, longest: int = 2_000, before: str | None = None) -> str:
    earlier = None if before is None else SimpleNamespace(text=before, dropped=4)
    request = summary_request(messages, most, longest, earlier, "root")
    return "\n".join([*map(str, lines_of(request)), extract(request), ""])


def test_what_a_model_is_asked_and_the_extract_are_as_expected() -> None:
    one = extract(summary_request(TALK, 5_000, 2_000))
    more = extract(summary_request(MANY, 5_000, 2_000))
    cases = {
        "a conversation": told(TALK),
        "the end of one": told(TALK, most=60),
        "nothing": told(()),
        "nothing was answered": told(TALK[:1]),
        "many": told(MANY),
        "many in little room": told(MANY, longest=300),
        "hardly any room": told(MANY, longest=20),
        "after an own summary": told(TALK, before=one),
        "after a longer own summary": told(MANY[:4], before=more),
        "after a summary of another model": told(TALK, before="They spoke of ships. " * 30, longest=600),
        "after an own one of that": told(
            TALK[:1], before=extract(summary_request(TALK, 5_000, 600, SimpleNamespace(text="Ships.", dropped=2)))
        ),
    }
    same_as_expected("talk/extracts.txt", "\n".join(f"# {name}\n{text}" for name, text in cases.items()))
