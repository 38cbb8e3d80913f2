"""The file of a cassette: JSON that people can read and compare, one entry per call.

    lango_cassette   1, the schema's version
    prompts, tools   what many calls share, by name and a few digits of its content
    calls            in the order in which they began: ``"kind": "model"`` and ``"kind": "tool"``

It is replaced as a whole after every call: whoever is killed meanwhile leaves the one before.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from pydantic import ValidationError

from lango_nb.core.errors import StoreError, shorten
from lango_nb.core.frozen import Frozen
from lango_nb.core.json_value import JsonValue
from lango_nb.core.locks import PathLock
from lango_nb.core.messages import Message, Reply, ToolSchema
from lango_nb.core.private import write_private
from lango_nb.models.cassette_form import Form

SCHEMA = 1
"""Version of the file that is written."""
_MARK = "lango_cassette"
_LONGEST_WAIT_S = 30.0


class ModelCall(Frozen):
    """One call of a model as the file has it."""

    kind: Literal["model"] = "model"
    agent: str = ""
    """Who asked."""
    model: str = ""
    """Who answered; no part of what calls are found by."""
    prompt: str = ""
    """Name of the system prompt; empty when there was none."""
    tools: tuple[str, ...] = ()
    """Names of the schemas that were offered."""
    messages: tuple[Message, ...] = ()
    reply: Reply | None
    """``null`` when the turn was stopped before there was one."""


class ToolTaped(Frozen):
    """One call of a tool, and what it gave."""

    kind: Literal["tool"] = "tool"
    agent: str = ""
    tool: str
    arguments: dict[str, JsonValue] = field(default_factory=dict)
    content: str = ""
    is_error: bool = False
    code: str = ""
    data: JsonValue = None


class _File(Frozen):
    lango_cassette: int
    prompts: dict[str, tuple[str, ...]] = field(default_factory=dict)
    tools: dict[str, ToolSchema] = field(default_factory=dict)
    calls: tuple[ModelCall | ToolTaped, ...] = ()


@dataclass(frozen=True, eq=False)
class ModelTaped:
    """One call of a model, complete."""

    form: Form
    model: str
    reply: Reply | None
    """``None`` when the turn was stopped before there was one."""


Taped = ModelTaped | ToolTaped
"""One call on a cassette."""


def read_cassette(path: Path) -> list[Taped]:
    """Read the calls of a cassette.

    Parameters
    ----------
    path : Path

    Returns
    -------
    list of ModelTaped or ToolTaped
        Empty when there is no such file.

    Raises
    ------
    StoreError
        The file is not a cassette, is damaged or cannot be read; code ``newer_schema`` when a newer version wrote it.
    """
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return []
    except OSError as error:
        raise StoreError(f"cassette {path.name} cannot be read: {error.strerror}; mend that and try again") from error
    try:
        given = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise _damaged(path, " ".join(str(error).split())) from error
    version = given.get(_MARK) if isinstance(given, dict) else None
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        raise StoreError(
            f"{path.name} is not a cassette: it has no {_MARK!r} with a version; name another file", "damaged"
        )
    if version > SCHEMA:
        raise StoreError(
            f"cassette {path.name} has schema {version}, and this version of lango_nb reads up to {SCHEMA}; "
            "install a newer one",
            "newer_schema",
        )
    try:
        return [_complete(call, file) for file in [_File.model_validate(given)] for call in file.calls]
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(map(str, first["loc"]))
        raise _damaged(path, f"{where}: {first['msg']}") from error
    except KeyError as error:
        raise _damaged(path, f"a call names {error.args[0]!r}, which is not in the file") from error


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Keep other threads and processes from writing the same file; nothing is left of the lock.

    Parameters
    ----------
    path : Path
        Of the cassette.

    Raises
    ------
    StoreError
        The folder cannot be written to, or somebody else has been writing for too long.
    """
    beside = path.with_name(f".{path.name}.lock")
    with PathLock(beside, _LONGEST_WAIT_S, f"cassette {path.name}"):
        try:
            yield
        finally:
            with suppress(OSError):  # a system may keep it while it is open
                beside.unlink()


def write_cassette(path: Path, calls: Iterable[Taped]) -> None:
    """Replace the file of a cassette.

    Parameters
    ----------
    path : Path
        Its folder is made when it is not there.
    calls : iterable of ModelTaped or ToolTaped
        Free of secrets already.

    Raises
    ------
    StoreError
        It cannot be written; the file is as it was.
    """
    prompts: dict[str, list[str]] = {}
    tools: dict[str, Any] = {}
    written = [_written(call, prompts, tools) for call in calls]
    file = {_MARK: SCHEMA, "prompts": _by_name(prompts), "tools": _by_name(tools), "calls": written}
    text = json.dumps(file, ensure_ascii=False, indent=1, default=str)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_private(path, text.encode("utf-8", "backslashreplace").decode() + "\n")  # half a character: its escape
    except OSError as error:
        why = error.strerror or str(error) or type(error).__name__
        raise StoreError(f"cassette {path.name} cannot be written: {why}; mend that, the file is as it was") from error


def _written(call: Taped, prompts: dict[str, list[str]], tools: dict[str, Any]) -> dict[str, Any]:
    if isinstance(call, ToolTaped):
        return {"kind": call.kind, **call.model_dump(exclude_defaults=True)}
    form = call.form
    prompt = ""
    if form.prompt:
        prompt = _shared(form.agent or "prompt", form.prompt)
        prompts[prompt] = form.prompt.split("\n")
    names = []
    for schema in form.tools:
        dumped = schema.model_dump(exclude_defaults=True)
        name = _shared(schema.name, json.dumps(dumped, sort_keys=True, default=str))
        tools[name] = dumped
        names.append(name)
    entry = ModelCall.model_construct(
        agent=form.agent, model=call.model, prompt=prompt, tools=tuple(names), messages=form.messages, reply=call.reply
    )
    reply = None if call.reply is None else call.reply.model_dump(exclude_defaults=True)
    return {"kind": "model", **entry.model_dump(exclude_defaults=True), "reply": reply}


def _complete(call: ModelCall | ToolTaped, file: _File) -> Taped:
    if isinstance(call, ToolTaped):
        return call
    prompt = "\n".join(file.prompts[call.prompt]) if call.prompt else ""
    form = Form(call.agent, prompt, tuple(file.tools[name] for name in call.tools), call.messages)
    return ModelTaped(form, call.model, call.reply)


def _shared(name: str, content: str) -> str:
    return f"{name} {hashlib.blake2b(content.encode('utf-8', 'surrogatepass'), digest_size=4).hexdigest()}"


def _by_name(shared: Mapping[str, Any]) -> dict[str, Any]:
    return dict(sorted(shared.items()))


def _damaged(path: Path, why: str) -> StoreError:
    return StoreError(
        f"cassette {path.name} is damaged: {shorten(why, 160)}; take it from its backup or record it again", "damaged"
    )
