"""The primitives of a genome under the names that this model knows tools by: it reads and calls ``fs_read`` for both.

read_file ── fs_read      the same
glob ─────── fs_list      of everything in a folder
write_file ─ fs_write     the same
fetch ────── web_fetch    the address alone
"""

from __future__ import annotations

from collections.abc import Sequence

from lango_nb.core.messages import Message, Reply, ToolCall, ToolSchema

PRIMITIVE_FOR = {
    "fs_read": "read_file",
    "fs_list": "glob",
    "fs_stat": "read_file",
    "fs_write": "write_file",
    "fs_edit": "write_file",
    "fs_mkdir": "write_file",
    "fs_delete": "write_file",
    "web_fetch": "fetch",
}
"""The primitive that shows that an agent can do what a tool does."""
_KNOWN_AS = {"read_file": "fs_read", "glob": "fs_list", "write_file": "fs_write", "fetch": "web_fetch"}
_UNUSED = frozenset(("grep", "edit_file", "apply_patch"))
"""Primitives that this model does without."""
_EVERYTHING = "*"


def has_primitives(tools: Sequence[ToolSchema]) -> bool:
    """Tell whether some tools are primitives."""
    return any(tool.name in _KNOWN_AS or tool.name in _UNUSED for tool in tools)


def with_known_names(
    messages: Sequence[Message], tools: Sequence[ToolSchema]
) -> tuple[list[Message], list[ToolSchema]]:
    """Return a conversation and its tools as if they were of the families that are known.

    Parameters
    ----------
    messages : sequence of Message
    tools : sequence of ToolSchema

    Returns
    -------
    messages : list of Message
    tools : list of ToolSchema
        A tool that is there under both names counts once.
    """
    folders: dict[str, str] = {}
    read: list[Message] = []
    for message in messages:
        for call in message.tool_calls:
            if call.name == "glob" and call.arguments.get("pattern") == _EVERYTHING:
                folders[call.id] = str(call.arguments.get("path") or ".")
        folder = folders.get(message.tool_call_id or "")
        changed: dict[str, object] = {}
        if message.tool_calls:
            changed["tool_calls"] = tuple(map(_known, message.tool_calls))
        elif folder is not None:
            changed["content"] = _below(message.content, folder)
        read.append(message.model_copy(update=changed) if changed else message)
    names = {tool.name for tool in tools}
    named = [
        tool.model_copy(update={"name": _KNOWN_AS.get(tool.name, tool.name)})
        for tool in tools
        if tool.name not in _UNUSED and _KNOWN_AS.get(tool.name) not in names
    ]
    return read, named


def reply_with(reply: Reply, tools: Sequence[ToolSchema]) -> Reply:
    """Return a reply with its calls under the names of the tools that are offered."""
    offered = {tool.name for tool in tools}
    calls = tuple(_offered(call, offered) for call in reply.tool_calls)
    return reply.model_copy(update={"tool_calls": calls}) if calls else reply


def _known(call: ToolCall) -> ToolCall:
    if call.name == "glob":
        return call.model_copy(update={"name": "fs_list", "arguments": {"path": call.arguments.get("path") or "."}})
    return call.model_copy(update={"name": _KNOWN_AS[call.name]}) if call.name in _KNOWN_AS else call


def _offered(call: ToolCall, offered: set[str]) -> ToolCall:
    name = next((name for name, known in _KNOWN_AS.items() if known == call.name), "")
    if call.name in offered or name not in offered:
        return call
    arguments = call.arguments
    if name == "glob":
        arguments = {"pattern": _EVERYTHING, "path": arguments.get("path") or "."}
    if name == "fetch":
        arguments = {"url": arguments.get("url")}
    return call.model_copy(update={"name": name, "arguments": arguments})


def _below(text: str, folder: str) -> str:
    """Write the paths of a listing as names in the folder that was listed."""
    start = "" if folder in {"", "."} else f"{folder.strip('/')}/"
    return "\n".join(line.removeprefix(start) for line in text.split("\n")) if start else text
