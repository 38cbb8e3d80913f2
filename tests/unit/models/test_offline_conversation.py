"""What the offline model makes of the messages that it is given."""

from __future__ import annotations

from lango_nb.core.messages import Message
from lango_nb.models.offline.conversation import Conversation


def test_what_was_asked_for_before_is_the_latest_request_not_the_first() -> None:
    said = [("user", "read a.md"), ("assistant", "It is empty."), ("user", "read b.md"), ("assistant", "It is, too.")]
    messages = [Message(role=role, content=text) for role, text in (*said, ("user", "list the files"))]
    read = Conversation.read(messages)
    assert (read.text, read.earlier) == ("list the files", "read b.md")
