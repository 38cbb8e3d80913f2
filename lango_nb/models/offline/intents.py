"""What people want with files and commands, read from one sentence."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from lango_nb.models.offline import fill
from lango_nb.models.offline import phrases as say

Verb = Literal[
    "list",
    "read",
    "count",
    "find",
    "write",
    "append",
    "edit",
    "replace",
    "mkdir",
    "delete",
    "cut",
    "stat",
    "ask",
    "run",
    "status",
    "stop",
    "unsure",
]


@dataclass(frozen=True, slots=True)
class Intent:
    """One wish, with what it needs; an empty text stands for what the sentence does not say."""

    verb: Verb
    path: str = ""
    text: str = ""
    """Content to write, new line, fragment of a name, question, command or process id; what to answer when unsure."""
    old: str = ""
    """Text to replace; ``top`` for an addition that goes to the beginning."""
    line: int = 0
    """Line to edit, from 1."""
    in_background: bool = False


def understand(text: str) -> Intent | None:
    """Read a wish about files or commands from a request.

    What changes something is read narrowly: a question, a negation or a wish that says more than can be done is asked
    back, because doing the wrong thing costs more than a question.

    Parameters
    ----------
    text : str

    Returns
    -------
    Intent or None
        ``None`` when the text is about something else, or too long to be one wish.

    Examples
    --------
    >>> understand("how many lines does notes.md have?")
    Intent(verb='count', path='notes.md', text='', old='', line=0, in_background=False)
    >>> understand("delete old.txt").verb, understand("run `ls` and tell me the exit code").text
    ('delete', 'ls')
    >>> understand("don't delete old.txt").verb, understand("delete the word a from old.txt").verb
    ('unsure', 'unsure')
    """
    short, kept = _fold(text)
    if len(short) > say.LONGEST_WISH:
        return None
    if say.NEGATED.search(short) and say.CHANGE.search(short):
        return Intent("unsure", text=say.UNSURE_WHETHER)
    intent = _understand(short)
    if intent is None:
        return None
    if intent.verb in say.CHANGING and say.ABOUT_DOING.search(short):
        return Intent("unsure", text=say.UNSURE_WHETHER)
    return Intent(
        intent.verb,
        _unfold(intent.path, kept),
        _unfold(intent.text, kept),
        _unfold(intent.old, kept),
        intent.line,
        intent.in_background,
    )


def _fold(text: str) -> tuple[str, list[str]]:
    """Put a mark in place of each long quoted string: it is content, and the patterns need not read it."""
    kept: list[str] = []

    def mark(match: re.Match[str]) -> str:
        part = match[0]
        if len(part) <= say.LONGEST_QUOTE:
            return part
        kept.append(part[1:-1])
        return f"{part[0]}\x01{len(kept) - 1}\x01{part[-1]}"

    return fill.QUOTED.sub(mark, text), kept


def _unfold(text: str, kept: list[str]) -> str:
    return re.sub(r"\x01(\d+)\x01", lambda match: kept[int(match[1])], text) if kept else text


def _understand(text: str) -> Intent | None:  # noqa: PLR0911 - one line per wish, the most specific first
    named = fill.paths(text)
    path = named[0] if named else ""
    process = fill.process_id(text)
    if process and say.STOP.search(text):
        return Intent("stop", text=process)
    if process and say.STATUS.search(text):
        return Intent("status", text=process)
    if say.SCHEDULED.search(text):
        return None
    if say.LEADING_DELETE.search(text):
        return _delete(text, named)
    if _is_command(text):
        return Intent("run", text=fill.command(text) or "", in_background=bool(say.BACKGROUND.search(text)))
    if say.COUNT.search(text):
        return _one_file(named) or Intent("count", path)
    if say.FIND_CONTENT.search(text):
        return Intent("unsure", text=say.UNSURE_CONTENT)
    if (found := _fragment(text)) is not None:
        return Intent("find", text=found)
    if say.MKDIR.search(text) and not re.search(r"\bfile\b", text, re.IGNORECASE):
        name = _folder(text, named)
        if say.SECOND_WISH.search(name) and not re.search(rf"[{say.QUOTES}]{re.escape(name)}[{say.QUOTES}]", text):
            return Intent("unsure", text=say.UNSURE_FOLDER)
        return Intent("mkdir", name)
    if path and (replaced := say.REPLACE.search(text) or say.REPLACE_BARE.search(text)):
        return Intent("replace", _path_apart(named, replaced.group(0)), text=replaced[2], old=replaced[1])
    if path and say.APPEND.search(text) and (added := _written(text, named)):
        return Intent("append", path, added, old="top" if say.TOP.search(text) else "")
    line = fill.number_after(text, "line")
    if line is not None and say.EDIT.search(text):
        return Intent("edit", path, _content(text, path, say.EDIT_CONTENT), line=line)
    if path and say.STAT.search(text):
        return _one_file(named) or Intent("stat", path)
    if say.WRITE.search(text) and path and not _reads_first(text):
        return _write(text, named)
    return _look(text, named, path)


def _look(text: str, named: list[str], path: str) -> Intent | None:
    """Read a wish that changes nothing."""
    is_folder = bool(path) and not re.search(r"\.\w{1,5}$", path)
    if is_folder and re.search(r"\blist\b|\bcontents? of\b", text, re.IGNORECASE):
        return Intent("list", path.rstrip("/"))
    if say.LIST.search(text) and (is_folder or not path):
        return Intent("list", _listed(text, named))
    if path and (question := _question(text)):
        return _one_file(named) or Intent("ask", path, question)
    if path and (say.READ.search(text) or say.ASK.search(text)):
        return _one_file(named) or Intent("read", path)
    return None


def _one_file(named: list[str]) -> Intent | None:
    """Ask back where several files are named: an answer about the first would look like one about all."""
    files = [name for name in dict.fromkeys(named) if re.search(r"\.\w{1,5}$", name)]
    return (
        Intent("unsure", text=f"I look at one file at a time. Which one: {' or '.join(files)}?") if files[1:] else None
    )


def _delete(text: str, named: list[str]) -> Intent:
    """Read a wish to delete: one thing as a whole, or one line by its number; anything else is asked back."""
    if len(named) > 1:
        return Intent("unsure", text=say.UNSURE_DELETE)
    path = named[0] if named else ""
    marked = _mark(text, path)
    if say.DELETE_LINE.fullmatch(marked):
        return Intent("cut", path, line=fill.number_after(marked, "line") or 0)
    if path and not say.DELETE_WHOLE.fullmatch(marked):
        return Intent("unsure", text=say.UNSURE_DELETE)
    return Intent("delete", path)


def _mark(text: str, path: str) -> str:
    """Put a mark in place of a path and the quotes around it."""
    if not path:
        return text
    return re.sub(rf"[{say.QUOTES}]?{re.escape(path)}[{say.QUOTES}]?", "§", text, count=1)


def _write(text: str, named: list[str]) -> Intent:
    content = _written(text, named)
    if say.ELSEWHERE.match(content):
        return Intent("unsure", text=say.UNSURE_WRITE)
    return Intent("write", named[-1] if say.WRITE_BEFORE.search(text) else named[0], content)


def _is_command(text: str) -> bool:
    if not say.RUN.search(text) or fill.command(text) is None:
        return False
    if re.search(r"\b(?:run|execute|launch)\b|\bcommand\b", text, re.IGNORECASE):
        return not re.search(r"\b(?:skill|workflow|pipeline|job)\b", text, re.IGNORECASE)
    return False


def _fragment(text: str) -> str | None:
    """Return the part of a name that is looked for."""
    for pattern in (say.FIND_COLON, say.FIND, say.FIND_DIRECT, say.WHERE_FILE):
        match = pattern.search(text)
        if match and match[1].casefold() not in {"the", "a", "my", "in", "this", "all", "any", "is", "are"}:
            return match[1].strip(say.QUOTES + ".")
    return None


def _folder(text: str, named: list[str]) -> str:
    match = re.search(
        rf"\b{say.FOLDER}\s+(?:called|named)?\s*[{say.QUOTES}]?([\w./~\\-][^{say.QUOTES},;]*?)[{say.QUOTES}]?"
        r"(?:\s+(?:in|for|please|here|inside|under)\b.*)?[.!?]*$",
        text,
        re.IGNORECASE,
    )
    if match:
        return match[1].strip()
    match = re.search(
        rf"\b(?:a|the|new)\s+[{say.QUOTES}]?([\w./-]+)[{say.QUOTES}]?\s+{say.FOLDER}\b", text, re.IGNORECASE
    )
    if match and match[1].casefold() not in {"new", "a", "the"}:
        return match[1]
    after = re.search(r"\bmkdir\s+(?:-p\s+)?(\S+)", text)
    return after[1] if after else (named[0] if named else "")


def _listed(text: str, named: list[str]) -> str:
    if named:
        return named[0].rstrip("/") or "."
    match = re.search(
        rf"\b(?:in|inside|of|under)\s+(?:the\s+)?[{say.QUOTES}]?([\w./-]+)[{say.QUOTES}]?\s+{say.FOLDER}\b"
        rf"|\b{say.FOLDER}\s+[{say.QUOTES}]?([\w./-]+)|\b(?:in|inside|under)\s+([\w./-]+)\W*$",
        text,
        re.IGNORECASE,
    )
    name = next((part for part in match.groups() if part), "") if match else ""
    if name.casefold() in say.NO_NAMES:
        return "."
    return name.strip(".,;:!?") or "."


def _path_apart(named: list[str], replaced: str) -> str:
    """Return the first path that is not part of the replaced text."""
    return next((name for name in named if name not in replaced), named[0])


def _content(text: str, path: str, pattern: re.Pattern[str]) -> str:
    strings = [part for part in fill.quoted(text) if part != path]
    if strings:
        return strings[-1]
    line = re.search(r"\blines?\s+(?:number\s+|no\.?\s*)?\d+", text, re.IGNORECASE)
    behind = text[max(text.find(path) + len(path) if path else 0, line.end() if line else 0) :]
    match = pattern.search(behind)
    if match is None:
        match = pattern.search(text)
    return match[1].strip() if match else ""


def _written(text: str, named: list[str]) -> str:
    strings = [part for part in fill.quoted(text) if part not in named]
    if strings:
        return strings[-1]
    before = say.WRITE_BEFORE.search(text)
    if before and not re.fullmatch(r"(?:a|an|the)?\s*(?:new )?file", before[1], re.IGNORECASE):
        return before[1].strip().rstrip(":")
    match = say.WRITE_CONTENT.search(text)
    if match is None:
        colon = re.search(r":\s*(.+)$", text, re.DOTALL)
        return colon[1].strip() if colon else ""
    return match[1].strip()


def _reads_first(text: str) -> bool:
    return bool(
        re.match(
            r"\W*(?:please\s+|can you\s+|could you\s+)*(?:read|open|show|list|count|find|what|how|which)\b",
            text,
            re.IGNORECASE,
        )
    )


def _question(text: str) -> str:
    """Return what is asked about a file's content, or nothing when the whole file is wanted."""
    match = say.AND_ANSWER.search(text)
    if match:
        return (match[1] or match[2]).strip()
    if say.WHOLE.search(text):
        about = re.search(r"\b(?:say|says|tell us|state) (?:about|on) (.+)$", text, re.IGNORECASE)
        return about[1].strip() if about else ""
    return text.strip() if say.ASK.search(text) else ""
