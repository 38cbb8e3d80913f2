"""Files and commands: from a wish to calls, from results to an answer, one step at a time."""

from __future__ import annotations

import io
import posixpath
import re
from collections.abc import Collection
from dataclasses import dataclass

from lango_nb.core.errors import shorten
from lango_nb.core.messages import Reply
from lango_nb.models.offline.conversation import Conversation, Done
from lango_nb.models.offline.intents import understand
from lango_nb.models.offline.orders import Intent
from lango_nb.routing.words import stems

MOST_FOLDERS = 40
"""Folders that are looked into when a file is searched by a part of its name."""
_EMPTY = " is empty"
_ABSENT = " does not exist"
_LOOKS = ("fs_stat", "fs_read")
"""Tools that tell whether a file is there, the quickest first."""
_SHOWN_LINES = 40
_SHOWN_CHARS = 4000
_ANSWER_LINES = 3
_STOP = frozenset(
    stems(
        "what which who when where why how is are was the a an of in on to from for does do it this that my our say file"
    )
)

_NEEDS = {
    "list": "fs_list",
    "read": "fs_read",
    "count": "fs_read",
    "ask": "fs_read",
    "find": "fs_list",
    "write": "fs_write",
    "append": "fs_write",
    "edit": "fs_edit",
    "replace": "fs_edit",
    "mkdir": "fs_mkdir",
    "delete": "fs_delete",
    "cut": "fs_edit",
    "stat": "fs_stat",
    "run": "exec",
    "status": "exec_status",
    "stop": "exec_stop",
}
"""The tool without which a wish cannot be met."""
_MISSING = {
    "read": "which file",
    "count": "which file",
    "write": "which file, and the text to write",
    "edit": "which file, which line, and the new text",
    "mkdir": "what the folder should be called",
    "delete": "which file or folder",
    "run": "which command",
}


@dataclass(frozen=True, slots=True)
class Local:
    """What is known while a request about files or commands is worked on."""

    conversation: Conversation
    tools: frozenset[str]
    done: tuple[Done, ...]


def work_locally(local: Local) -> Reply | None:
    """Take the next step of a request about files or commands.

    Parameters
    ----------
    local : Local

    Returns
    -------
    Reply or None
        ``None`` when the request is about something else, or the tool for it is not there.
    """
    intent = understand(local.conversation.text)
    if intent is None or _NEEDS.get(intent.verb, "fs_read") not in local.tools:
        return None
    if intent.verb == "unsure":
        return Reply(text=intent.text)
    lacking = _lacking(intent)
    if lacking:
        return Reply(text=f"Please say {lacking}.")
    if not local.done:
        if intent.verb == "write" and not intent.may_replace:
            return look_first(local.conversation, local.tools, intent.path)
        return _first_call(local.conversation, intent)
    return _go_on(local, intent)


def look_first(conversation: Conversation, tools: Collection[str], path: str) -> Reply:
    """Look whether a file is there before it is written: without the word for it none is replaced."""
    tool = next((name for name in _LOOKS if name in tools), "")
    if tool:
        return conversation.call(tool, path=path)
    return Reply(text=f"I cannot see whether {path} is there already, so I wrote nothing. {_say_replace(path)}")


def is_absent(done: Done) -> bool:
    """Tell whether a look found that there is no such file."""
    return done.call.name in _LOOKS and done.result.is_error and _ABSENT in done.result.content


def keep(done: Done) -> Reply | None:
    """Say that a file is there and stays as it is; ``None`` when there is none."""
    path = done.call.arguments.get("path")
    return (
        None if is_absent(done) else Reply(text=f"{path} is there already, so I left it as it is. {_say_replace(path)}")
    )


def _say_replace(path: object) -> str:
    return f"To have it replaced, say: replace {path} with 'text'. To keep what it holds, say: append 'text' to {path}."


def needs(text: str) -> str:
    """Return the tool without which a request about files or commands cannot be met; empty for any other.

    Examples
    --------
    >>> needs("delete old.txt"), needs("what a day")
    ('fs_delete', '')
    """
    intent = understand(text)
    return _NEEDS.get(intent.verb, "") if intent is not None else ""


def _lacking(intent: Intent) -> str:
    """Name what the request does not say."""
    has_all = {
        "read": intent.path,
        "count": intent.path,
        "write": intent.path and intent.text,
        "edit": intent.path and intent.text,
        "mkdir": intent.path,
        "delete": intent.path,
        "run": intent.text,
    }
    return "" if has_all.get(intent.verb, "yes") else _MISSING[intent.verb]


def _first_call(conversation: Conversation, intent: Intent) -> Reply:  # noqa: PLR0911 - one line per wish
    match intent.verb:
        case "list":
            return conversation.call("fs_list", path=intent.path)
        case "find":
            return conversation.call("fs_list", path=".")
        case "write":
            return conversation.call("fs_write", path=intent.path, content=_as_file(intent.text))
        case "edit":
            return conversation.call(
                "fs_edit", path=intent.path, startLine=intent.line, endLine=intent.line, content=intent.text
            )
        case "cut":
            return conversation.call(
                "fs_edit", path=intent.path, startLine=intent.line, endLine=intent.line, content=""
            )
        case "mkdir" | "delete" | "stat":
            return conversation.call(_NEEDS[intent.verb], path=intent.path)
        case "run":
            return conversation.call("exec_bg" if intent.in_background else "exec", command=intent.text)
        case "status" | "stop":
            return conversation.call(_NEEDS[intent.verb], id=intent.text)
        case _:
            return conversation.call("fs_read", path=intent.path)


def _go_on(local: Local, intent: Intent) -> Reply:  # noqa: PLR0911 - one line per wish
    """Word the answer from what the last tool gave, or take one more step."""
    result = local.done[-1].result.content
    match intent.verb:
        case "find":
            return _search_on(local, intent)
        case "replace":
            return _replace(local, intent)
        case "write" if local.done[-1].call.name != "fs_write":
            return keep(local.done[-1]) or _first_call(local.conversation, intent)
        case "append" if local.done[-1].call.name == "fs_read":
            return local.conversation.call(
                "fs_write", path=intent.path, content=_added(_content(intent.path, result), intent)
            )
        case "list":
            return Reply(text=_listing(intent.path, result))
        case "count":
            lines = len(_lines(_content(intent.path, result)))
            return Reply(text=f"{intent.path} has {lines} line{'' if lines == 1 else 's'}.")
        case "ask":
            return Reply(text=answer_from(intent, _content(intent.path, result)))
        case "read":
            content = _excerpt(_content(intent.path, result))
            return Reply(text=f"{intent.path}:\n{content}" if content else f"{intent.path} is empty.")
        case _:
            said = _excerpt(result)
            return Reply(text=said if intent.verb in {"run", "status", "stop", "stat"} else f"Done: {said}.")


def _content(path: str, result: str) -> str:
    """Return what a file holds; reading an empty one gives a sentence instead."""
    return "" if result == f"{posixpath.normpath(path)}{_EMPTY}" else result


def _lines(text: str) -> list[str]:
    """Split a text into lines as the file tools count them."""
    return [line.rstrip("\r\n") for line in io.StringIO(text, newline="")]


def _added(content: str, intent: Intent) -> str:
    """Return a file's content with a text added at its end, or at its beginning."""
    new = _as_file(intent.text)
    if intent.old == "top":
        return new + content
    return content + ("\n" if content and not content.endswith("\n") else "") + new


def _as_file(text: str) -> str:
    return text if text.endswith("\n") else text + "\n"


def _entries(listing: str) -> list[str]:
    """Return the names of a listing; folders end in ``/``."""
    names: list[str] = []
    if "\n" not in listing and listing.endswith(_EMPTY):
        return names
    for line in listing.splitlines():
        name = re.split(r"\s{2,}|\t", line.strip())[0]
        if name and not name.startswith("["):
            names.append(name)
    return names


def _listing(path: str, result: str) -> str:
    names = _entries(result)
    where = "This folder" if path in {".", ""} else path.rstrip("/") + "/"
    if not names:
        return f"{where} is empty."
    count = f"{len(names)} entr{'y' if len(names) == 1 else 'ies'}"
    more = [f"… and {len(names) - _SHOWN_LINES} more"] if len(names) > _SHOWN_LINES else []
    return "\n".join([f"{where} has {count}:", *(f"- {name}" for name in names[:_SHOWN_LINES]), *more])


def _search_on(local: Local, intent: Intent) -> Reply:
    """Look into one more folder, or say what was found."""
    seen: list[str] = []
    matches: list[str] = []
    folders: list[str] = []
    for done in local.done:
        folder = str(done.call.arguments.get("path") or ".")
        seen.append(folder)
        base = "" if folder == "." else folder.rstrip("/") + "/"
        for name in _entries(done.result.content):
            full = base + name
            if name.endswith("/"):
                if not name.startswith("."):
                    folders.append(full.rstrip("/"))
            elif intent.text.casefold() in name.casefold():
                matches.append(full)
    waiting = [folder for folder in folders if folder not in seen]
    if waiting and len(seen) < MOST_FOLDERS:
        return local.conversation.call("fs_list", path=waiting[0])
    if not matches:
        return Reply(text=f"No file here has {intent.text!r} in its name.")
    if len(matches) == 1:
        return Reply(text=f"Found {matches[0]}.")
    return Reply(text="\n".join([f"Found {len(matches)} files:", *(f"- {name}" for name in matches)]))


def _replace(local: Local, intent: Intent) -> Reply:
    """Replace a text in the one line that holds it: read, then edit."""
    last = local.done[-1]
    if last.call.name == "fs_edit":
        return Reply(text=f"Done: {_excerpt(last.result.content)}.")
    for number, line in enumerate(_lines(last.result.content), 1):
        if intent.old in line:
            return local.conversation.call(
                "fs_edit",
                path=intent.path,
                startLine=number,
                endLine=number,
                content=line.replace(intent.old, intent.text),
            )
    return Reply(text=f"{intent.path} does not contain {intent.old!r}; nothing was changed.")


def answer_from(intent: Intent, content: str) -> str:
    """Quote the lines of a file that share most with the question."""
    lines = [line.strip() for line in content.splitlines() if line.strip()]
    if re.search(r"\bsummar", intent.text, re.IGNORECASE):
        return f"{intent.path} has {len(content.splitlines())} lines and begins: {shorten(' '.join(lines[:3]), 300)}"
    wanted = {word for word in stems(intent.text) if word not in _STOP} - set(stems(intent.path))
    rated = [(len(wanted & set(stems(line))), -number, line) for number, line in enumerate(lines)]
    best = max(rated, default=(0, 0, ""))
    if not best[0]:
        return (
            f"{intent.path} does not say; it begins: {shorten(' '.join(lines[:2]), 200)}"
            if lines
            else f"{intent.path} is empty."
        )
    top = [line for score, _, line in sorted(rated, key=lambda item: item[1], reverse=True) if score == best[0]]
    return f"{intent.path} says: {' / '.join(top[:_ANSWER_LINES])}"


def _excerpt(text: str) -> str:
    """Cut a long result for an answer."""
    lines = text.strip().splitlines()
    cut = "\n".join(lines[:_SHOWN_LINES])[:_SHOWN_CHARS]
    left = len(lines) - _SHOWN_LINES
    return f"{cut}\n… and {left} more lines" if left > 0 else cut
