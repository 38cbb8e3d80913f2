"""What people want with files and commands, read from one sentence."""

from __future__ import annotations

import re
from dataclasses import replace

from lango_nb.models.offline import fill
from lango_nb.models.offline import phrases as say
from lango_nb.models.offline.orders import Intent, begins_with, read_order


def understand(text: str) -> Intent | None:
    """Read a wish about files or commands from a request.

    What changes something is an order (see ``orders.py``) or is not done: a question, a statement, a negation or a wish
    that says more than can be done is asked back, because doing the wrong thing costs more than a question.

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
    Intent(verb='count', path='notes.md', text='', old='', line=0, in_background=False, may_replace=False)
    >>> understand("delete old.txt").verb, understand("run `ls` and tell me the exit code").text
    ('delete', 'ls')
    >>> understand("don't delete old.txt").verb, understand("delete the word a from old.txt").verb
    ('unsure', 'unsure')
    """
    short, kept = _fold(text)
    if len(short) > say.LONGEST_WISH:
        return None
    intent = _understand(short)
    if intent is None or not kept:
        return intent
    return replace(
        intent, path=_unfold(intent.path, kept), text=_unfold(intent.text, kept), old=_unfold(intent.old, kept)
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


def _understand(text: str) -> Intent | None:
    if say.SCHEDULED.search(fill.QUOTED.sub("", text)):
        return None
    if order := read_order(text):
        return order
    if say.NEGATED.search(text) and say.CHANGE.search(text):
        return Intent("unsure", text=say.UNSURE_WHETHER)
    named = fill.paths(text)
    return _doubt(text, named) or _look(text, named)


def _doubt(text: str, named: list[str]) -> Intent | None:
    """Say what is missing where a request begins like an order and is none."""
    if begins_with(text, "delete") and (named or say.FILE.search(text)):
        return Intent("unsure", text=say.UNSURE_DELETE) if named else Intent("delete")
    if begins_with(text, "run") and "`" in text and not say.NO_COMMAND.search(text):
        return Intent("unsure", text=say.UNSURE_RUN)
    if begins_with(text, "make") and say.MKDIR.search(text) and not re.search(r"\bfile\b", text, re.IGNORECASE):
        return Intent("unsure", text=say.UNSURE_FOLDER)
    if begins_with(text, "change", "replace", "swap") and (named or fill.number_after(text, "line") is not None):
        return Intent("unsure", text=say.UNSURE_EDIT)
    if named and begins_with(text, "write", "make", "append") and not say.NO_FILE.search(text):
        return Intent("unsure", text=say.UNSURE_WRITE)
    return None


def _look(text: str, named: list[str]) -> Intent | None:  # noqa: PLR0911 - one line per wish, the most specific first
    """Read a wish that changes nothing."""
    path = named[0] if named else ""
    process = fill.process_id(text)
    if process and say.STATUS.search(text):
        return Intent("status", text=process)
    if say.COUNT.search(text):
        return _one_file(named) or Intent("count", path)
    if say.FIND_CONTENT.search(text):
        return Intent("unsure", text=say.UNSURE_CONTENT)
    if (found := _fragment(text)) is not None:
        return Intent("find", text=found)
    if path and say.STAT.search(text):
        return _one_file(named) or Intent("stat", path)
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


def _fragment(text: str) -> str | None:
    """Return the part of a name that is looked for."""
    for pattern in (say.FIND_COLON, say.FIND, say.FIND_DIRECT, say.WHERE_FILE):
        match = pattern.search(text)
        if match and match[1].casefold() not in {"the", "a", "my", "in", "this", "all", "any", "is", "are"}:
            return match[1].strip(say.QUOTES + ".")
    return None


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


def _question(text: str) -> str:
    """Return what is asked about a file's content, or nothing when the whole file is wanted."""
    match = say.AND_ANSWER.search(text)
    if match:
        return (match[1] or match[2]).strip()
    if say.WHOLE.search(text):
        about = re.search(r"\b(?:say|says|tell us|state) (?:about|on) (.+)$", text, re.IGNORECASE)
        return about[1].strip() if about else ""
    return text.strip() if say.ASK.search(text) else ""
