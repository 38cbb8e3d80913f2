"""Orders that change something, read whole or not at all: what is left over means that something else was wanted.

An order begins with its verb, politeness aside, and its form leaves no word unread. Its content stands in quotes, behind
a colon, or after words such as "the text" and "saying". A question, a report of what somebody did or will do, and a
description of what a file should hold have none of these forms. The words are in ``orders.tsv``, the forms here.

    please   write   'hello'   to    the file a.txt   now
    POLITE   write   CONTENT   into  FILE             END
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Literal, NamedTuple

from lango_nb.models.offline import fill

_TABLE = "orders.tsv"
Verb = Literal[
    "list",
    "read",
    "count",
    "find",
    "stat",
    "ask",
    "status",
    "unsure",
    "write",
    "append",
    "edit",
    "replace",
    "cut",
    "delete",
    "mkdir",
    "run",
    "stop",
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
    may_replace: bool = False
    """Whether a file that is there already may be replaced."""


_PATH, _QUOTE = "[\ue000-\ue0ff]", "[\ue100-\ue1ff]"
_MARK = re.compile("[\ue000-\ue1ff]")
_MOST_MARKS = 256
_MOST_DIGITS = 9
_MACROS = {
    "POLITE": r"\W*(?:(?:{polite}|(?P<ask>{ask}))[\s,:;.!]+)*",
    "END": r"(?: {particle})?(?:[\s,]+{tail})*\s*(?(ask)[.!?]*|[.!]*)\s*",
    "FILE": rf"(?:{{article}} )*(?:{{file}} )?(?:{{called}} )?(?P<path>{_PATH}|{_QUOTE})(?: {{file}})?",
    "NAME": rf"(?P<name>{_QUOTE}|{_PATH}|[\w.~\\/-]+)",
    "CONTENT": rf"(?:{{text}}\s*:?\s*)?(?P<quoted>{_QUOTE})",
    "BARE": r"{say} (?!{nottext}\b)(?P<bare>[^\s:,;][^:]*?)",
    "COLON": r"\s*:\s+(?P<rest>\S.*)",
    "END_OF_RUN": r"(?: {particle})?(?:[\s,]+(?P<background>{background}))?(?:{END}|{report})",
    "QUOTE": _QUOTE,
}
"""What forms share; a macro may stand once in a form."""
_FORMS = r"""
write    {write} (?:{CONTENT}|{BARE}) {into} {FILE}(?P<over>{over})?{END}
write    {make} {FILE}[\s,]+(?:{with} )?(?:{CONTENT}(?P<over>{over})?{END}|{BARE})
write    {write} (?:{this} )?{into} {FILE}(?: {this})?(?P<over>{over})?{COLON}
write    {make} {FILE}(?: {with}(?: (?:{this}|{text}))?)?(?P<over>{over})?{COLON}
write    (?P<replaces>{replace}) (?:{contentof} )?{FILE} {by} (?:{CONTENT}{END}|{BARE})
write    (?P<replaces>{replace}) (?:{contentof} )?{FILE}(?: {by}(?: (?:{this}|{text}))?)?{COLON}
write    {CONTENT} {into} {FILE} {writelast}{END}
append   {append} (?:{CONTENT}|{BARE}) (?:(?P<top>{top})|{end}|{into}) {FILE}{END}
append   {write} (?:{CONTENT}|{BARE}) (?:(?P<top>{top})|{endonly}) {FILE}{END}
append   {append} (?:{this} |{text} )?(?:(?P<top>{top})|{end}|{into}) {FILE}{COLON}
append   {append} {text} (?:(?P<top>{top})|{end}|{into}) {FILE}[\s,]+(?:{with} )?(?:{CONTENT}{END}|{BARE})
edit     (?:{into} {FILE}[\s,:]+)?{change} {line}(?P<line>\d+) {sets} {CONTENT}{END}
edit     {change} {line}(?P<line>\d+)(?: {of} {FILE})?[\s,]+(?:{sets} {CONTENT}{END}|{sets}?{COLON}|{BARE})
edit     {change} {line}(?P<line>\d+) {sets} {CONTENT} {of} {FILE}{END}
edit     {change} {FILE}(?:\s*[:,])? (?:{change} |so that )?{line}(?P<line>\d+) (?:{sets} {CONTENT}{END}|{BARE})
replace  {swap} (?:{text} )?(?P<old>{QUOTE}|[\w-]+) {by} (?:{text} )?(?P<new>{QUOTE}|[\w-]+) {of} {FILE}{END}
replace  {of} {FILE}[\s,:]+{swap} (?:{text} )?(?P<old>{QUOTE}) {by} (?:{text} )?(?P<new>{QUOTE}){END}
cut      {delete} {line}(?P<line>\d+) {of} {FILE}{END}
delete   {delete} (?:{article} )*(?:{folder} )?{FILE}(?: {folder})?{END}
delete   {delete} (?:{article} )*{folder} (?:{called} )?{NAME}{END}
delete   (?:{article} )*(?:{folder} )?{FILE} {deletelast}{END}
mkdir    {make} (?:(?:{article}|me) )*{folder} (?:{called} )?{NAME}{END}
mkdir    {make} (?:(?:{article}|me) )*{folder} {called} (?P<names>[^\s,:;?][^,:;?]*?){END}
mkdir    {make} (?:(?:{article}|me) )+{NAME} {folder}{END}
mkdir    mkdir (?:-p )?{NAME}{END}
run      {run} (?:{command}\s*:?\s+|:\s*)?(?P<quoted>{QUOTE}){END_OF_RUN}
run      {run}(?: {command})?\s*:\s*(?P<bare>\S.*?){END_OF_RUN}
run      {barerun} (?:{command} )?(?!(?:{notcommand}|{command})\b)(?P<bare>[\w./~][^?]*?){END_OF_RUN}
run      (?:{command}\s*:?\s+)?(?P<quoted>{QUOTE}) {runlast}{END_OF_RUN}
stop     {stop} (?:{article} )*(?:background )?(?:(?:process|job|command) )?(?P<bare>p\d+){END}
stop     (?P<bare>p\d+) [^,;.?]{1,30}, {stop} it{END}
"""
"""What an order does, and how it is said; a blank stands for any white space, POLITE before each is understood."""
_VERBS = tuple("write make append replace swap change delete run stop writelast deletelast runlast".split())
_REFERENCE = re.compile(r"\{([A-Z_]+|[a-z]+)\}")
_SECOND = re.compile(
    r"\b(?:and|then)\s+(?:then\s+)?(?:list|read|show|delete|remove|write|add|append|run|count|find|make|create|move|copy|"
    r"put|tell|change|replace)\b",
    re.IGNORECASE,
)
"""A further thing to do, where a name or a text was expected."""


class _Form(NamedTuple):
    verb: Verb
    pattern: re.Pattern[str]


@lru_cache(maxsize=256)
def read_order(text: str) -> Intent | None:
    """Read an order to change something.

    Parameters
    ----------
    text : str
        Some hundred characters at most.

    Returns
    -------
    Intent or None
        ``None`` when it is none, or says more than a form has room for.

    Examples
    --------
    >>> read_order("could you please write 'hello' to a.txt?")
    Intent(verb='write', path='a.txt', text='hello', old='', line=0, in_background=False, may_replace=False)
    >>> read_order("lösche bitte alt.txt").verb, read_order("overwrite a.txt with 'x'").may_replace
    ('delete', True)
    >>> read_order("Ada wrote 'hello' to a.txt"), read_order("write a poem to a.txt"), read_order("explain `ls`")
    (None, None, None)
    """
    marked, marks = _mark(text)
    if not marked:
        return None
    for language in _table():
        for form in _forms(language) if _says(language, _VERBS).search(marked) else ():
            if (match := form.pattern.fullmatch(marked)) and (order := _order(form.verb, match, marks)):
                return order
    return None


def begins_with(text: str, *parts: str) -> bool:
    """Tell whether a request begins with a verb of some parts of the table, politeness aside.

    Examples
    --------
    >>> begins_with("Please write a poem", "write"), begins_with("I write a poem", "write")
    (True, False)
    """
    return any(_says(language, parts, "{POLITE}").match(text) for language in _table())


def says(text: str, *parts: str) -> bool:
    """Tell whether a request has a word of some parts of the table anywhere.

    Examples
    --------
    >>> says("save it to a.txt and overwrite what is there", "replace"), says("save it to a.txt", "replace")
    (True, False)
    """
    return any(_says(language, parts).search(text) for language in _table())


# -- what stands in the text -------------------------------------------------------------------------------------------


def _mark(text: str) -> tuple[str, tuple[str, ...]]:
    """Put one character in place of each quoted string and each path; nothing for what cannot be marked."""
    if _MARK.search(text):
        return "", ()
    marks: list[str] = []

    def mark(base: int, written: str) -> str:
        marks.append(written)
        return chr(base + (len(marks) - 1) % _MOST_MARKS)

    marked = fill.QUOTED.sub(lambda match: mark(0xE100, match[0]), text)
    for name in sorted(set(fill.paths(text)), key=len, reverse=True):
        marked = re.sub(
            rf"(?<![\w./~\\-]){re.escape(name)}(?![\w/~\\-]|\.\w)", lambda match: mark(0xE000, match[0]), marked
        )
    return (marked, tuple(marks)) if len(marks) <= _MOST_MARKS else ("", ())


def _plain(text: str | None, marks: tuple[str, ...]) -> str:
    """Return a part of a marked text as it was written; a quoted string alone loses its quotes."""
    written = _MARK.sub(lambda match: marks[ord(match[0]) % _MOST_MARKS], text or "")
    if not text or not re.fullmatch(_QUOTE, text):
        return written
    return written[1:-1].strip() if written.startswith("«") else written[1:-1]


def _says_more(verb: Verb, found: Mapping[str, str], marks: tuple[str, ...]) -> bool:
    """Tell whether what a form took for a name, a text or a command holds more than that."""
    name, bare = found.get("name", ""), _plain(found.get("bare"), marks)
    if verb == "run":
        return "`" in bare
    if " " in _plain(name, marks) and not re.fullmatch(_QUOTE, name):
        return True
    return _SECOND.search(found.get("names", "") or bare) is not None or len(found.get("line", "")) > _MOST_DIGITS


def _order(verb: Verb, match: re.Match[str], marks: tuple[str, ...]) -> Intent | None:
    found = {name: part for name, part in match.groupdict().items() if part is not None}
    if _says_more(verb, found, marks):
        return None
    bare = found.get("bare")
    if bare and "ask" in found:
        bare = bare.rstrip("?")
    return Intent(
        verb,
        _plain(found.get("path") or found.get("name") or found.get("names"), marks).strip(),
        _plain(found.get("quoted") or found.get("rest", "").strip() or found.get("new") or bare, marks),
        "top" if "top" in found else _plain(found.get("old"), marks),
        int(found.get("line", 0)),
        "background" in found,
        "over" in found or "replaces" in found,
    )


# -- the forms ---------------------------------------------------------------------------------------------------------


@lru_cache(maxsize=1)
def _table() -> Mapping[str, Mapping[str, str]]:
    """Return the words of each part, by language."""
    found: dict[str, dict[str, str]] = {}
    for row in files("lango_nb.models.offline").joinpath(_TABLE).read_text(encoding="utf-8").splitlines():
        if row and not row.startswith("#"):
            language, part, words = row.split("\t")
            found.setdefault(language, {})[part] = words
    return found


@lru_cache(maxsize=16)
def _forms(language: str) -> tuple[_Form, ...]:
    rows = (line.split(None, 1) for line in _FORMS.strip().splitlines())
    return tuple(_form(verb, written, language) for verb, written in rows)


@lru_cache(maxsize=256)
def _says(language: str, parts: tuple[str, ...], before: str = r"(?<!\w)") -> re.Pattern[str]:
    """Return what finds a word of some parts; only languages that are spoken get their forms compiled."""
    return _compiled(f"{before}(?:{'|'.join(f'{{{part}}}' for part in parts)})(?!\\w)", language)


def _form(verb: str, written: str, language: str) -> _Form:
    return _Form(verb, _compiled("{POLITE}" + written.strip(), language))  # type: ignore[arg-type]  # a row of FORMS


def _compiled(written: str, language: str) -> re.Pattern[str]:
    """Put the words of a language in place of the names of parts; a part that it lacks matches nothing."""
    words = _table()[language]

    def resolve(match: re.Match[str]) -> str:
        name = match[1]
        if name in _MACROS:
            return expand(_MACROS[name])
        said = f"(?:{words.get(name, '(?!)')})"
        return f"{said}(?: (?:{words['polite']})(?!\\w))*" if name in _VERBS else said

    def expand(pattern: str) -> str:
        return _REFERENCE.sub(resolve, pattern)

    return re.compile(expand(written).replace(" ", r"\s+"), re.IGNORECASE)
