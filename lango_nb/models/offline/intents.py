"""What people want with files and commands, read from one sentence."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from lango_nb.models.offline import fill
from lango_nb.routing.shapes import SHAPES

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


_FOLDER = r"(?:folder|directory|dir|subfolder|subdirectory)"
_COUNT = re.compile(
    r"\bhow many lines\b|\bcount (?:the |all )?lines\b|\bnumber of lines\b|\bline count\b", re.IGNORECASE
)
_FIND = re.compile(
    r"\b(?:find|locate|search for|where(?:'s| is| are)|which|look for|is there (?:a|any))\b[^.\n]{0,40}?\bfiles?\b[^.\n]{0,20}?"
    r"\b(?:called|named|like|with|has|have|having|contain(?:s|ing)?|starting with|beginning with|whose)\b\s+"
    r"(?:(?:has|have|contains|with|whose|called|named)\s+){0,2}"
    r"(?:the )?(?:(?:name|word|part|text|string|file name|filename)\s+)*(?:(?:has|contains|with|in it|is)\s+)*"
    r"[\"'`“]?([\w.-]+)",
    re.IGNORECASE,
)
_FIND_DIRECT = re.compile(
    r"\b(?:find|locate|look for|where(?:'s| is))\s+(?:me\s+)?(?:the\s+|a\s+|my\s+|any\s+)?[\"'`“]?([\w.-]+)[\"'`”]?\s+files?\b",
    re.IGNORECASE,
)
_FIND_COLON = re.compile(r"\b(?:find|locate|look for)\b[^:]*\bfiles?\b[^:]*:\s*[\"'`“]?([\w.-]+)", re.IGNORECASE)
_WHERE_FILE = re.compile(
    r"\b(?:find|locate|look for|where(?:'s| is))\s+(?:me\s+)?(?:the\s+|my\s+|a\s+)?(?:file\s+)?[\"'`“]?([\w-]+\.[\w.-]+)",
    re.IGNORECASE,
)
_LIST = re.compile(
    rf"\b(?:list|show|display|what|which|see)\b.*\b(?:files?|{_FOLDER}s?|entries|documents)\b|\bls\b|\bwhat(?:'s| is) (?:in|inside|here)\b",
    re.IGNORECASE,
)
_MKDIR = re.compile(rf"\b(?:make|create|add|new|set up)\b[^.]*?\b{_FOLDER}\b|\bmkdir\b", re.IGNORECASE)
_WRITE = re.compile(r"\b(?:write|save|put|store|create|make|add)\b", re.IGNORECASE)
_WRITE_CONTENT = re.compile(
    r"\b(?:with (?:the )?(?:text|content|contents|words?|line)|containing|that says|saying|which says|with|content:|contents:|text:)"
    r"\s*:?\s*(.+)$",
    re.IGNORECASE | re.DOTALL,
)
_WRITE_BEFORE = re.compile(
    r"\b(?:write|save|put|store|append|add)\s+(?:the (?:text|words?|line|sentence)\s+)?(.+?)\s+(?:to|into|in|as)\s+(?:the end of )?(?:the |a |a new |new )?(?:file\s+)?"
    r"(?:called |named )?[\w./~\\`\"'-]+\s*[.!]?$",
    re.IGNORECASE | re.DOTALL,
)
_APPEND = re.compile(
    r"\bappend\b|\badd\b.+\b(?:to the end of|at the (?:end|top|beginning|start) of|to)\b", re.IGNORECASE | re.DOTALL
)
_EDIT = re.compile(r"\b(?:edit|change|replace|set|update|modify|rewrite|fix|make)\b", re.IGNORECASE)
_EDIT_CONTENT = re.compile(
    r"(?:\bto (?:say|read|be)|\bsays?|\breads?|\bwith|\binto|\bto|\bby|\bas|=|:)\s*:?\s*(.+?)\s*$",
    re.IGNORECASE | re.DOTALL,
)
_REPLACE = re.compile(
    r"\b(?:replace|change|rename|swap)\s+(?:the (?:word|text|value|string)\s+)?[\"'`“](.+?)[\"'`”]\s+(?:with|by|to|into|for)\s+[\"'`“](.*?)[\"'`”]",
    re.IGNORECASE | re.DOTALL,
)
_STAT = re.compile(
    r"\bhow (?:big|large|old)\b|\bsize of\b|\bwhen was\b.*\b(?:changed|modified|written|edited)\b|\bdoes\b.*\bexist\b|\bis there a file\b|\bmetadata\b",
    re.IGNORECASE,
)
_READ = re.compile(r"\b(?:read|show|open|print|display|cat|view|see|give me|look at)\b|\bcontents? of\b", re.IGNORECASE)
_ASK = re.compile(
    r"^(?:what|which|who|when|where|why|how|is|are|does|do|according|tell me|in )\b|\?\s*$|\band (?:tell|say|answer|explain)\b|"
    r"\bwhat\b.*\bsays?\b|\bsummar",
    re.IGNORECASE,
)
_WHOLE = re.compile(
    r"^\W*(?:what(?:'s| is) (?:in|inside)|what does\b.*\bsay\W*$|(?:please |can you |could you )*(?:read|show|open|print|display|cat|view)\b)",
    re.IGNORECASE,
)
_AND_ANSWER = re.compile(
    r"\band (?:then )?(?:tell me|say|answer|explain|find out|give me|report)\b\s*:?\s*(.+)$|^(?:read|open|look at|check)\b.+?[.:,]\s+(\S.+\?)\s*$",
    re.IGNORECASE | re.DOTALL,
)
_RUN = re.compile(r"\b(?:run|execute|launch|start)\b|\bcommand\b|`[^`]+`", re.IGNORECASE)
_STATUS = re.compile(r"\b(?:status|done|finished|running|progress|output)\b", re.IGNORECASE)
_STOP = re.compile(r"\b(?:stop|kill|terminate|end|cancel)\b", re.IGNORECASE)
_BACKGROUND = re.compile(r"\bbackground\b", re.IGNORECASE)
_NO_NAMES = frozenset("this the current my your here there working contents please is and it".split())
LONGEST_WISH = 400
"""Characters of a request, long quoted strings aside, that can be one wish."""
LONGEST_QUOTE = 60
CHANGING = frozenset({"write", "append", "edit", "replace", "mkdir", "delete", "cut", "run", "stop"})
"""Wishes that change something."""
UNSURE_WHETHER = (
    "I am not sure that you want this done, so I did nothing. If you do, say it as an instruction: delete notes.md."
)
UNSURE_DELETE = (
    "I delete one file or folder as a whole, or one line by its number (delete line 2 of notes.md). This asks for "
    "something else, so I deleted nothing."
)
UNSURE_WRITE = "I write text that you give me, in quotes for instance; what comes from elsewhere I cannot write yet."
UNSURE_CONTENT = "I find files by a part of their name. To search in their content, try: run `grep -rn word .`"
UNSURE_FOLDER = (
    "I make one folder at a time and nothing else with it, so I made none. Ask for the rest afterwards; a name that holds "
    "such words stands in quotes."
)
_SECOND_WISH = re.compile(
    r"\b(?:and|then)\s+(?:then\s+)?(?:list|read|show|delete|remove|write|add|append|run|count|find|make|create|move|copy|"
    r"put|tell|change|replace)\b",
    re.IGNORECASE,
)
"""A further thing to do, where a name was expected."""
_POLITE = r"\W*(?:(?:please|kindly|now|then|and|ok|okay|hey|hi|hello|(?:can|could|would|will) you)\W+)*"
_DELETES = r"(?:delete|remove|erase|get rid of|throw away|trash|rm(?: -\w+)?)"
_LEADING_DELETE = re.compile(rf"^{_POLITE}{_DELETES}\b", re.IGNORECASE)
_DELETE_WHOLE = re.compile(
    rf"{_POLITE}{_DELETES}\s+(?:the\s+|my\s+|this\s+|that\s+)?(?:old\s+|whole\s+|entire\s+|empty\s+)?"
    r"(?:(?:file|folder|directory|subfolder|dir)\s+)?(?:called\s+|named\s+)?§(?:\s+(?:file|folder|directory))?"
    r"(?:\s+(?:please|now|for me|thanks|thank you|from (?:this|the) (?:folder|workspace|directory)))*\W*",
    re.IGNORECASE,
)
_DELETE_LINE = re.compile(
    rf"{_POLITE}{_DELETES}\s+(?:the\s+)?line\s+(?:number\s+|no\.?\s*)?\d+\s+(?:of|in|from)\s+(?:the\s+)?(?:file\s+)?§\W*",
    re.IGNORECASE,
)
_NEGATED = re.compile(
    r"\b(?:don.?t|do not|never|without|must not|should not|shouldn'?t|not to|stop me)\b", re.IGNORECASE
)
_CHANGE = re.compile(
    rf"\b{_DELETES}\b|\b(?:write|append|edit|change|replace|overwrite|rename|run|execute|stop|kill)\b|`", re.IGNORECASE
)
_ABOUT_DOING = re.compile(
    r"^\W*(?:how|why|when|what|which|who|can i|may i|should (?:i|we)|could i|is it|are you|did|does|explain|tell me (?:how|what|why))\b",
    re.IGNORECASE,
)
_SCHEDULED = next(shape.pattern for shape in SHAPES if shape.name == "schedule")
_TOP = re.compile(r"\b(?:at|to) the (?:top|beginning|start)\b", re.IGNORECASE)
_FIND_CONTENT = re.compile(
    r"\bfiles?\b[^.\n]{0,40}\b(?:mention(?:s|ing)?|contain(?:s|ing)?\s+(?:the\s+)?(?:word|text|line|phrase|string)|say(?:s|ing)?)\b",
    re.IGNORECASE,
)
_REPLACE_BARE = re.compile(
    r"^\W*(?:please\s+)?(?:replace|change)\s+([\w-]+)\s+(?:with|by|to|into)\s+([\w-]+)\s+in\s", re.IGNORECASE
)
_ELSEWHERE = re.compile(
    r"^(?:the |this |that |my |our |its )?(?:output|result|answer|summary|conversation|list|it|this|that|these|those|them)\b",
    re.IGNORECASE,
)
_QUOTES = "\"'`“”"


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
    if len(short) > LONGEST_WISH:
        return None
    if _NEGATED.search(short) and _CHANGE.search(short):
        return Intent("unsure", text=UNSURE_WHETHER)
    intent = _understand(short)
    if intent is None:
        return None
    if intent.verb in CHANGING and _ABOUT_DOING.search(short):
        return Intent("unsure", text=UNSURE_WHETHER)
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
        if len(part) <= LONGEST_QUOTE:
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
    if process and _STOP.search(text):
        return Intent("stop", text=process)
    if process and _STATUS.search(text):
        return Intent("status", text=process)
    if _SCHEDULED.search(text):
        return None
    if _LEADING_DELETE.search(text):
        return _delete(text, named)
    if _is_command(text):
        return Intent("run", text=fill.command(text) or "", in_background=bool(_BACKGROUND.search(text)))
    if _COUNT.search(text):
        return _one_file(named) or Intent("count", path)
    if _FIND_CONTENT.search(text):
        return Intent("unsure", text=UNSURE_CONTENT)
    if (found := _fragment(text)) is not None:
        return Intent("find", text=found)
    if _MKDIR.search(text) and not re.search(r"\bfile\b", text, re.IGNORECASE):
        name = _folder(text, named)
        if _SECOND_WISH.search(name) and not re.search(rf"[{_QUOTES}]{re.escape(name)}[{_QUOTES}]", text):
            return Intent("unsure", text=UNSURE_FOLDER)
        return Intent("mkdir", name)
    if path and (replaced := _REPLACE.search(text) or _REPLACE_BARE.search(text)):
        return Intent("replace", _path_apart(named, replaced.group(0)), text=replaced[2], old=replaced[1])
    if path and _APPEND.search(text) and (added := _written(text, named)):
        return Intent("append", path, added, old="top" if _TOP.search(text) else "")
    line = fill.number_after(text, "line")
    if line is not None and _EDIT.search(text):
        return Intent("edit", path, _content(text, path, _EDIT_CONTENT), line=line)
    if path and _STAT.search(text):
        return _one_file(named) or Intent("stat", path)
    if _WRITE.search(text) and path and not _reads_first(text):
        return _write(text, named)
    return _look(text, named, path)


def _look(text: str, named: list[str], path: str) -> Intent | None:
    """Read a wish that changes nothing."""
    is_folder = bool(path) and not re.search(r"\.\w{1,5}$", path)
    if is_folder and re.search(r"\blist\b|\bcontents? of\b", text, re.IGNORECASE):
        return Intent("list", path.rstrip("/"))
    if _LIST.search(text) and (is_folder or not path):
        return Intent("list", _listed(text, named))
    if path and (question := _question(text)):
        return _one_file(named) or Intent("ask", path, question)
    if path and (_READ.search(text) or _ASK.search(text)):
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
        return Intent("unsure", text=UNSURE_DELETE)
    path = named[0] if named else ""
    marked = _mark(text, path)
    if _DELETE_LINE.fullmatch(marked):
        return Intent("cut", path, line=fill.number_after(marked, "line") or 0)
    if path and not _DELETE_WHOLE.fullmatch(marked):
        return Intent("unsure", text=UNSURE_DELETE)
    return Intent("delete", path)


def _mark(text: str, path: str) -> str:
    """Put a mark in place of a path and the quotes around it."""
    if not path:
        return text
    return re.sub(rf"[{_QUOTES}]?{re.escape(path)}[{_QUOTES}]?", "§", text, count=1)


def _write(text: str, named: list[str]) -> Intent:
    content = _written(text, named)
    if _ELSEWHERE.match(content):
        return Intent("unsure", text=UNSURE_WRITE)
    return Intent("write", named[-1] if _WRITE_BEFORE.search(text) else named[0], content)


def _is_command(text: str) -> bool:
    if not _RUN.search(text) or fill.command(text) is None:
        return False
    if re.search(r"\b(?:run|execute|launch)\b|\bcommand\b", text, re.IGNORECASE):
        return not re.search(r"\b(?:skill|workflow|pipeline|job)\b", text, re.IGNORECASE)
    return False


def _fragment(text: str) -> str | None:
    """Return the part of a name that is looked for."""
    for pattern in (_FIND_COLON, _FIND, _FIND_DIRECT, _WHERE_FILE):
        match = pattern.search(text)
        if match and match[1].casefold() not in {"the", "a", "my", "in", "this", "all", "any", "is", "are"}:
            return match[1].strip(_QUOTES + ".")
    return None


def _folder(text: str, named: list[str]) -> str:
    match = re.search(
        rf"\b{_FOLDER}\s+(?:called|named)?\s*[{_QUOTES}]?([\w./~\\-][^{_QUOTES},;]*?)[{_QUOTES}]?"
        r"(?:\s+(?:in|for|please|here|inside|under)\b.*)?[.!?]*$",
        text,
        re.IGNORECASE,
    )
    if match:
        return match[1].strip()
    match = re.search(rf"\b(?:a|the|new)\s+[{_QUOTES}]?([\w./-]+)[{_QUOTES}]?\s+{_FOLDER}\b", text, re.IGNORECASE)
    if match and match[1].casefold() not in {"new", "a", "the"}:
        return match[1]
    after = re.search(r"\bmkdir\s+(?:-p\s+)?(\S+)", text)
    return after[1] if after else (named[0] if named else "")


def _listed(text: str, named: list[str]) -> str:
    if named:
        return named[0].rstrip("/") or "."
    match = re.search(
        rf"\b(?:in|inside|of|under)\s+(?:the\s+)?[{_QUOTES}]?([\w./-]+)[{_QUOTES}]?\s+{_FOLDER}\b"
        rf"|\b{_FOLDER}\s+[{_QUOTES}]?([\w./-]+)|\b(?:in|inside|under)\s+([\w./-]+)\W*$",
        text,
        re.IGNORECASE,
    )
    name = next((part for part in match.groups() if part), "") if match else ""
    if name.casefold() in _NO_NAMES:
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
    before = _WRITE_BEFORE.search(text)
    if before and not re.fullmatch(r"(?:a|an|the)?\s*(?:new )?file", before[1], re.IGNORECASE):
        return before[1].strip().rstrip(":")
    match = _WRITE_CONTENT.search(text)
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
    match = _AND_ANSWER.search(text)
    if match:
        return (match[1] or match[2]).strip()
    if _WHOLE.search(text):
        about = re.search(r"\b(?:say|says|tell us|state) (?:about|on) (.+)$", text, re.IGNORECASE)
        return about[1].strip() if about else ""
    return text.strip() if _ASK.search(text) else ""
