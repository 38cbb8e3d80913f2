"""Files and listings that are too large for one answer: read on, or worked on by the line.

A part of a result would give a wrong count, and written back it would destroy the rest.
"""

from __future__ import annotations

import re

from lango_nb.core.messages import Reply
from lango_nb.models.offline.conversation import Conversation, Done
from lango_nb.models.offline.intents import understand
from lango_nb.models.offline.local import answer_from
from lango_nb.models.offline.offer import OUTPUT
from lango_nb.models.offline.orders import Intent
from lango_nb.models.offline.stored import Worked

MOST_PAGES = 12
"""Pages of one result that are read; what is larger is said to be."""
_LINES = re.compile(r"\[lines (\d+)-\d+ of (\d+)\]\s*$")
_HIT = re.compile(r"^(\d+): ", re.MULTILINE)


def work_on_large(conversation: Conversation, worked: Worked, offered: frozenset[str]) -> Reply | None:
    """Take the next step of a request whose result came back shortened.

    Parameters
    ----------
    conversation : Conversation
    worked : Worked
    offered : frozenset of str
        Names of all tools.

    Returns
    -------
    Reply or None
        ``None`` when what came back is enough.
    """
    intent = understand(conversation.text)
    last = worked.done[-1]
    if intent is None or last.call.name == "fs_edit":
        return None
    match intent.verb:
        case "count" | "append":
            return _by_line(conversation, intent, worked)
        case "replace" if OUTPUT in offered:
            return _replace(conversation, intent, worked)
        case "ask" | "find" | "list" | "replace" if worked.is_cut:
            return _read_on(conversation, intent, worked, offered)
        case _:
            return None


def _read_on(conversation: Conversation, intent: Intent, worked: Worked, offered: frozenset[str]) -> Reply:
    if worked.ref and OUTPUT in offered and worked.pages < MOST_PAGES:
        return conversation.call(OUTPUT, ref=worked.ref, mode="range", offset=worked.next_line)
    if intent.verb == "ask":
        said = answer_from(intent, worked.done[-1].result.content)
        return Reply(text=f"{said} (I saw only a part of the file.)")
    return _too_large(worked.done[-1])


def _too_large(done: Done) -> Reply:
    what = done.call.arguments.get("path") or done.call.name
    return Reply(
        text=f"{what} is too large for me: I saw a part of it only, and from that I would do or say something wrong."
    )


def _by_line(conversation: Conversation, intent: Intent, worked: Worked) -> Reply:
    """Count lines, or add some: a single line that is read says how many there are."""
    last = worked.done[-1]
    if "limit" not in last.call.arguments:
        return conversation.call("fs_read", path=intent.path, offset=1, limit=1)
    found = _LINES.search(last.result.content)
    if found is None or worked.is_cut:
        return _too_large(last)
    number, lines = int(found[1]), int(found[2])
    if intent.verb == "count":
        return Reply(text=f"{intent.path} has {lines} lines.")
    if intent.old != "top" and number < lines:
        return conversation.call("fs_read", path=intent.path, offset=lines, limit=1)
    line = last.result.content[: found.start()].rstrip("\r\n")
    content = f"{intent.text}\n{line}" if intent.old == "top" else f"{line}\n{intent.text}"
    return conversation.call("fs_edit", path=intent.path, startLine=number, endLine=number, content=content)


def _replace(conversation: Conversation, intent: Intent, worked: Worked) -> Reply:
    """Find the line that holds a text, look at it, then change it."""
    last = worked.done[-1]
    if worked.is_cut and worked.ref and last.call.name == "fs_read" and "limit" not in last.call.arguments:
        return conversation.call(OUTPUT, ref=worked.ref, mode="grep", pattern=intent.old, limit=1)
    if last.call.name == OUTPUT:
        hit = _HIT.search(last.result.content)
        if hit is None:
            return Reply(text=f"{intent.path} does not contain {intent.old!r}; nothing was changed.")
        return conversation.call("fs_read", path=intent.path, offset=int(hit[1]), limit=1)
    found = _LINES.search(last.result.content)
    line = last.result.content[: found.start()].rstrip("\r\n") if found else ""
    if found is None or worked.is_cut or intent.old not in line:
        return _too_large(last)
    number = int(found[1])
    new = line.replace(intent.old, intent.text)
    return conversation.call("fs_edit", path=intent.path, startLine=number, endLine=number, content=new)
