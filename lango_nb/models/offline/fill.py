"""Arguments out of a text: quoted strings, paths, addresses, commands, amounts, numbers; the rest is a query."""

from __future__ import annotations

import re

from lango_nb.routing.shapes import SHAPES

QUOTED = re.compile(r"`([^`]+)`|\"([^\"]+)\"|“([^”]+)”|„([^“”]+)[“”]|«\s*([^»]+?)\s*»|(?<![\w])'([^']+)'(?!\w)")
_URL = re.compile(
    r"https?://[^\s\"'`<>]+|www\.[^\s\"'`<>]+|\b[\w-]+\.(?:com|org|net|io|dev)(?:/[^\s\"'`<>]*)?", re.IGNORECASE
)
_PATH_SHAPE = next(shape.pattern for shape in SHAPES if shape.name == "path")
_NAME_END = r"(?=[\s,;:!?]*$|\s+(?:and|with|to|in|into|for|containing|that|which|please|then|here|somewhere|inside|under)\b|[,;:!?]|\.\s|\.$)"
_NAMED = re.compile(
    rf"\bfile\s+(?:called|named)\s+([\w./\\~-]+){_NAME_END}"
    rf"|\b(?:folder|directory|dir|subfolder)\s+(?:called\s+|named\s+)?([\w./\\~-][\w./\\ ~-]*?){_NAME_END}",
    re.IGNORECASE,
)
_BARE_PATH = re.compile(r"(?<!\S)(~?(?:\.{0,2}[/\\])[^\s,;\"'`]*|[A-Za-z]:\\[^\s,;\"'`]*|~[^\s,;\"'`]*)")
_AFTER_RUN = re.compile(
    r"\b(?:run|execute|call|start|launch)\s*:?\s+(?:the\s+|this\s+|a\s+)?(?:shell\s+)?(?:command\s*:?\s*)?(.+)",
    re.IGNORECASE | re.DOTALL,
)
_NO_COMMAND = re.compile(
    r"(?:run|execute|call|start|launch)\s+(?:the|this|a|my|our|all|some)\s+(?!(?:shell\s+)?command\b)", re.IGNORECASE
)
_AFTER_COMMAND = re.compile(r"\bcommand\s*:\s*(.+)", re.IGNORECASE | re.DOTALL)
_TRAILING = re.compile(
    r"(?:[,;.]|\s)+(?:and|then)\s+(?:then\s+)?(?:please\s+)?(?:tell|report|say|show|give|let|print me|explain|return)\b.*$"
    r"|\s+(?:in|as a|in the)\s+(?:the\s+)?background\b.*$|\s+please[.!?]*$",
    re.IGNORECASE | re.DOTALL,
)
_PROCESS = re.compile(r"\b(p\d+)\b", re.IGNORECASE)
_FILLER_NAMES = frozenset(
    ("the a an is are this that here called named with in to of please and it new content contents").split()
)


def quoted(text: str) -> list[str]:
    """Return quoted strings in order.

    Examples
    --------
    >>> quoted("write 'hello you' to `a.txt`")
    ['hello you', 'a.txt']
    """
    return [next(part for part in match.groups() if part is not None) for match in QUOTED.finditer(text)]


_CONTROL_TOKEN = re.compile(r"\S*[\x00\x02-\x08\x0e-\x1f\x7f]\S*")


def paths(text: str) -> list[str]:
    """Return what looks like a file or folder name, in order.

    Examples
    --------
    >>> paths("copy src/app.py to the folder old stuff, not ../x")
    ['src/app.py', '../x', 'old stuff']
    >>> paths("delete `my notes.txt`")
    ['my notes.txt']
    """
    found: dict[str, int] = {}
    plain = _URL.sub(
        lambda match: " " * len(match[0]) if "//" in match[0] or match[0].startswith("www") else match[0], text
    )
    covered = text
    for match in QUOTED.finditer(text):
        part = next(part for part in match.groups() if part is not None)
        if (
            (match[0].startswith("`") and " " not in part)
            or _PATH_SHAPE.fullmatch(part)
            or re.search(r"\.\w{1,5}$", part)
        ):
            found.setdefault(part, match.start())
        covered = covered[: match.start()] + " " * len(match[0]) + covered[match.end() :]
        plain = plain[: match.start()] + " " * len(match[0]) + plain[match.end() :]
    for pattern in (_CONTROL_TOKEN, _BARE_PATH, _PATH_SHAPE):
        for match in pattern.finditer(plain):
            name = match[0].rstrip(".,;:!?")
            if name and not any(name in other for other in found):
                found.setdefault(name, match.start())
    ordered = sorted(found, key=lambda name: found[name])
    for match in _NAMED.finditer(plain):
        name = (match[1] or match[2]).strip().rstrip(".")
        if (
            name
            and name.split()[0].casefold() not in _FILLER_NAMES
            and not any(name in p or p in name for p in ordered)
        ):
            ordered.append(name)
    return ordered


def command(text: str) -> str | None:
    """Return the command a text asks to run.

    Examples
    --------
    >>> command("please run the command: ls -la src and tell me the exit code")
    'ls -la src'
    >>> command("execute `echo 'hi'`")
    "echo 'hi'"
    """
    ticks = re.search(r"`([^`]+)`", text)
    if ticks:
        return ticks[1].strip()
    match = _AFTER_COMMAND.search(text) or _AFTER_RUN.search(text)
    if match is None:
        return None
    whole = match[1].strip()
    if _NO_COMMAND.match(text[match.start() :]):
        return None
    quotes = re.fullmatch(r"\"([^\"]+)\"|'([^']+)'", _TRAILING.sub("", whole).strip())
    if quotes:
        return (quotes[1] or quotes[2]).strip()
    found = _TRAILING.sub("", whole).strip().rstrip(".!?").strip()
    return found or None


def process_id(text: str) -> str | None:
    """Return the id of a background process.

    Examples
    --------
    >>> process_id("is p2 done?")
    'p2'
    """
    match = _PROCESS.search(text)
    return match[1].lower() if match else None


def number_after(text: str, word: str) -> int | None:
    """Return the number behind a word.

    Examples
    --------
    >>> number_after("change line 3 of a.txt", "line")
    3
    """
    match = re.search(rf"\b{word}s?\s+(?:number\s+|no\.?\s*)?(\d+)\b", text, re.IGNORECASE)
    return int(match[1]) if match else None
