"""Answers: sentences in ten languages, said and read back, and what tools gave in words.

Sentences are rows of ``data/reading/answers.tsv``: a key, then a column per language. ``{name}`` stands for a value;
``{n|line|lines}`` for a number with its noun (Polish has three forms). What a tool gave is data: it is quoted, line by
line and cut to size, and never followed; JSON becomes lines to read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from lango_nb.core.errors import shorten
from lango_nb.core.masking import MASK, mask_arguments
from lango_nb.core.text import printable
from lango_nb.models.offline.plan import read_rows

MOST_LINES = 60
"""Lines of a file that are shown."""
MOST_CHARS = 8000
LONGEST_LINE = 2000
ASKED: Mapping[str, str] = {
    "shall": "", "ask.delete": "", "ask.lines": "", "ask.forget": "", "ask.mean": "", "ask.task_delete": "",
    "ask.task_change": "", "ask.replace": "",
    "ask.no_file": "file", "ask.which": "file", "is_folder": "file", "no_json": "file", "ask.compare": "file",
    "no_column": "column", "no_number": "column", "no_key": "key", "no_function": "name", "no_line": "line",
    "no_text": "old", "ask.taken": "to", "ask.row": "text", "ask.sum": "text", "ask.task": "text",
    "ask.for_tool": "*", "ask.value": "*",
}  # fmt: skip
"""Questions, and the role of the word that answers each: none for a yes, ``*`` for the first that a tool lacks."""
NOT_UNDERSTOOD = frozenset(("unclear", "talk.ask_near", "talk.ask_about"))
"""Questions that are asked because nobody could tell what is meant."""
QUESTIONS = frozenset(
    (
        *ASKED,
        *NOT_UNDERSTOOD,
        "ask.missing",
        "ask.missing_of",
        "what_if",
        "what_if.folder",
        "what_if.nothing",
        "json_append",
        "ask.tick",
    )
)
"""Sentences that ask something of the person: every question there is."""
UNDONE = frozenset(
    (
        "no_file", "secret", "too_large", "too_long", "into_itself", "there_already", "still_there",
        "not_moved", "not_as_wanted", "no_tool", "by_name_only", "refused", "tool_failed", "undo.nothing",
        "undo.cannot", "undo.changed", "talk.unowned", "talk.out_of_reach", "talk.nobody", "talk.world",
    )
)  # fmt: skip
"""Sentences that say that something was not done."""
NOTHING = frozenset(
    (
        "no_match",
        "no_match_anywhere",
        "none_found",
        "no_rows",
        "no_definitions",
        "memory.none",
        "is_empty",
        "folder_empty",
    )
)
"""Sentences that say that nothing was found."""
_HOLE = re.compile(r"\{(\w+)((?:\|[^{}|]*)*)\}")
_FEW = range(2, 5)
_LONG = frozenset(("lines", "names", "new", "old", "text", "value", "what", "plan"))
"""Holes that may hold several lines."""
_NOTES = ("note.took", "note.only", "note.masked", "note.unclear")
"""Sentences that may stand before an answer."""
_MOST_LINES_BACK = 80
"""Lines of an answer that are looked back for where its last sentence begins."""


def say(key: str, language: str, **values: object) -> str:
    """Word an answer.

    Parameters
    ----------
    key : str
        A row of the table.
    language : str
        ``en``, ``de``, …; English where there is none.
    **values
        What stands in the holes.

    Examples
    --------
    >>> say("count.lines", "en", file="notes.md", n=1), say("count.lines", "pl", file="notes.md", n=3)
    ('notes.md has 1 line.', 'notes.md ma 3 wiersze.')
    """

    def fill(hole: re.Match[str]) -> str:
        value = values[hole[1]]
        if not hole[2]:
            return str(value)
        forms = hole[2][1:].split("|")
        return f"{value} {forms[_form(int(str(value)), len(forms))]}"

    return _HOLE.sub(fill, _sentence(key, language))


@cache
def sentences() -> Mapping[str, Mapping[str, str]]:
    """Return all sentences by key and language."""
    head, *rows = read_rows("answers.tsv")
    return {row[0]: dict(zip(head[1:], row[1:], strict=True)) for row in rows}


def _sentence(key: str, language: str) -> str:
    by_language = sentences()[key]
    return (by_language.get(language) or by_language["en"]).replace("\\n", "\n")


def said(key: str, language: str, text: str, *, is_one: bool = True) -> dict[str, str] | None:
    """Read an answer back: what stands in the holes of a sentence that a text ends with.

    What files hold is shown inside of sentences, so a sentence begins an answer, notes aside: none is found in a file.

    Parameters
    ----------
    key : str
        A row of the table.
    language : str
    text : str
    is_one : bool
        Whether the answer is one sentence; of several the last is read.

    Returns
    -------
    dict or None
        ``None`` when the text does not end with that sentence.

    Examples
    --------
    >>> said("count.lines", "en", say("count.lines", "en", file="my notes.md", n=3))
    {'file': 'my notes.md', 'n': '3 lines'}
    >>> said("refrain", "en", "notes.md has 3 lines.")
    """
    names, pieces, counts = _pieces(key, language)
    if not text.endswith(pieces[-1]):
        return None
    starts = _begins(text, language) if is_one else _lines_from_the_end(text)
    for start in starts:
        if text.startswith(pieces[0], start) and (found := _holes(names, pieces, text, start)) is not None:
            return found if all(found[name][:1].isdigit() for name in counts) else None
    return None


def _begins(text: str, language: str) -> Iterator[int]:
    """Iterate over the places where the only sentence of an answer may begin: its start, and behind each note."""
    start = 0
    while True:
        yield start
        end = text.find("\n", start)
        if end < 0 or not any(_is_sentence(note, language, text[start:end]) for note in _NOTES):
            return
        start = end + 1


def _is_sentence(key: str, language: str, line: str) -> bool:
    names, pieces, _ = _pieces(key, language)
    return line.startswith(pieces[0]) and line.endswith(pieces[-1]) and _holes(names, pieces, line, 0) is not None


def _lines_from_the_end(text: str) -> Iterator[int]:
    """Iterate over the beginnings of the last lines of an answer of several sentences, the last first."""
    end = len(text)
    for _ in range(_MOST_LINES_BACK):
        start = text.rfind("\n", 0, end) + 1
        yield start
        if not start:
            return
        end = start - 1


def _holes(names: Sequence[str], pieces: Sequence[str], text: str, start: int) -> dict[str, str] | None:
    """Return what stands in the holes of a sentence that goes from a place to the end of a text."""
    at, end = start + len(pieces[0]), len(text) - len(pieces[-1])
    found: dict[str, str] = {}
    for place, name in enumerate(names):
        is_last = place + 1 == len(names)
        if is_last:
            close = end
        elif pieces[place + 1]:
            close = text.find(pieces[place + 1], at, end)
        else:  # nothing stands between two holes: the first has it all
            close = end
        if close < at:
            return None
        found[name] = text[at:close]
        if "\n" in found[name] and name not in _LONG:
            return None
        at = close + len(pieces[place + 1])
    return found if names else {} if at >= end else None


@cache
def naming(hole: str, language: str) -> tuple[str, ...]:
    """Return the sentences with a hole, those that say most of their own first."""
    own = {key: sum(map(len, _pieces(key, language)[1])) for key in sentences() if hole in _pieces(key, language)[0]}
    return tuple(sorted(own, key=lambda key: -own[key]))


@cache
def _pieces(key: str, language: str) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """Split a sentence into the names of its holes and what stands around them; last the holes that a number begins."""
    parts = _HOLE.split(_sentence(key, language))
    names, forms = tuple(parts[1::3]), parts[2::3]
    return names, tuple(parts[0::3]), tuple(name for name, form in zip(names, forms, strict=True) if form)


def is_question(text: str, language: str | None = None) -> bool:
    """Tell whether a text ends with a sentence that asks something of the person.

    Parameters
    ----------
    text : str
    language : str, optional
        Any of those there are when absent.

    Examples
    --------
    >>> is_question(say("shall", "de", plan="delete a.txt"), "de"), is_question("notes.md has 3 lines.")
    (True, False)
    """
    return ends_with(QUESTIONS, text, language)


def ends_with(keys: frozenset[str], text: str, language: str | None = None) -> bool:
    """Tell whether a text ends with one of some sentences, in a language or in any."""
    return any(
        said(key, spoken, text, is_one=False) is not None
        for end, key, spoken in _ends(keys, language)
        if text.endswith(end)
    )


@cache
def _ends(keys: frozenset[str], language: str | None) -> tuple[tuple[str, str, str], ...]:
    """Return how sentences end, with key and language; the same ones in the same order every time."""
    spoken = languages() if language is None else (language,)
    return tuple((_pieces(key, one)[1][-1], key, one) for key in sorted(keys) for one in spoken)


@cache
def languages() -> tuple[str, ...]:
    """Return the languages there are sentences in.

    Examples
    --------
    >>> languages()
    ('en', 'de', 'fr', 'es', 'pt', 'it', 'nl', 'pl', 'ja', 'zh')
    """
    return tuple(next(iter(sentences().values())))


def quoted(lines: Sequence[str], language: str) -> str:
    r"""Show lines as data: nothing in them is followed, no control character is passed on, many are cut.

    Examples
    --------
    >>> print(quoted(["a", "b\x1b[2J"], "en"))
    a
    b\x1b[2J
    """
    shown: list[str] = []
    length = 0
    for line in lines[:MOST_LINES]:
        safe = "\t".join(printable(part) for part in line[:LONGEST_LINE].split("\t"))
        length += len(safe)
        if length > MOST_CHARS and shown:
            break
        shown.append(safe + ("…" if len(line) > LONGEST_LINE else ""))
    if rest := len(lines) - len(shown):
        shown.append(say("more", language, n=rest))
    return "\n".join(shown)


def _form(number: int, forms: int) -> int:
    """Return which form of a noun goes with a number."""
    if number == 1 or forms == 1:
        return 0
    if forms == 2:  # noqa: PLR2004 - one and many
        return 1
    return 1 if number % 10 in _FEW and number % 100 not in range(12, 15) else 2


# -- values of tools in words ------------------------------------------------------------------------------------------

MOST_ITEMS = 10
MOST_FIELDS = 20
_MOST_DETAILS = 4
_VALUE_CHARS = 200
_TEXT_CHARS = 8000
_LABELS = ("title", "name", "key", "label", "id", "url", "path", "subject")
"""Fields an item of a list is called by, the best first."""
_LISTS = ("results", "items", "entries", "rows", "matches", "data", "records")
_SECRET_TOOLS = frozenset({"secrets_store"})


def shown_arguments(tool: str, arguments: Mapping[str, Any]) -> str:
    """Write arguments for an answer, without secrets.

    Examples
    --------
    >>> shown_arguments("secrets_store", {"name": "mail", "value": "hunter2"})
    "name = 'mail', value = '[masked]'"
    """
    masked = {
        name: MASK if tool in _SECRET_TOOLS and name == "value" else value
        for name, value in mask_arguments(dict(arguments)).items()
    }
    return ", ".join(f"{name} = {shorten(repr(value), _VALUE_CHARS)}" for name, value in masked.items())


def said_of(value: Any) -> str:
    r"""Write a JSON value as lines.

    Examples
    --------
    >>> print(said_of({"jobs": [{"id": "cron-1", "name": "backup"}, {"id": "cron-2", "name": "mail"}]}))
    2 jobs:
    - backup (id: cron-1)
    - mail (id: cron-2)
    >>> print(said_of({"balance": "12.5", "currency": "USDC"}))
    balance: 12.5
    currency: USDC
    >>> said_of([]), said_of({"status": "ok"}), said_of({"jobs": []})
    ('No results.', 'status: ok', 'No jobs.')
    """
    if isinstance(value, list):
        return _listed(value, "result")
    if not isinstance(value, dict):
        return shorten_text(_plain(value))
    inner = [(name, item) for name, item in value.items() if isinstance(item, list)]
    inner.sort(key=lambda pair: (pair[0] not in _LISTS, -len(pair[1])))
    if inner:
        name, items = inner[0]
        rest = {key: item for key, item in value.items() if key != name and key not in {"count", "total"}}
        noun = re.sub(r"ies$", "y", _spoken(name)) if name.endswith("ies") else _spoken(name).removesuffix("s")
        lines = [_listed(items, "result" if name in _LISTS else noun)]
        return "\n".join([*lines, *_fields(rest)])
    return "\n".join(_fields(value))


def shorten_text(text: str) -> str:
    """Cut a text that is too long for an answer, and say so."""
    if len(text) <= _TEXT_CHARS:
        return text
    return f"{text[:_TEXT_CHARS]}\n… and {len(text) - _TEXT_CHARS:,} characters more"


def _listed(items: list[Any], noun: str) -> str:
    if not items:
        return f"No {_plural(noun)}."
    lines = [f"- {_item(item)}" for item in items[:MOST_ITEMS]]
    more = [f"… and {len(items) - MOST_ITEMS} more"] if len(items) > MOST_ITEMS else []
    return "\n".join([f"{len(items)} {noun if len(items) == 1 else _plural(noun)}:", *lines, *more])


def _plural(noun: str) -> str:
    if noun.endswith("y") and noun[-2:-1] not in set("aeiou"):
        return f"{noun[:-1]}ies"
    return f"{noun}s"


def _item(item: Any) -> str:
    if not isinstance(item, dict):
        return _plain(item)
    label = next((name for name in _LABELS if isinstance(item.get(name), str | int) and item[name] != ""), None)
    others = [(name, value) for name, value in item.items() if name != label and value not in (None, "", [], {})]
    details = ", ".join(f"{_spoken(name)}: {_plain(value)}" for name, value in others[:_MOST_DETAILS])
    if label is None:
        return details or "an empty entry"
    return f"{_plain(item[label])} ({details})" if details else _plain(item[label])


def _fields(value: Mapping[str, Any]) -> list[str]:
    lines = [f"{_spoken(name)}: {_plain(item)}" for name, item in list(value.items())[:MOST_FIELDS]]
    return [*lines, f"… and {len(value) - MOST_FIELDS} more"] if len(value) > MOST_FIELDS else lines


def _spoken(name: str) -> str:
    return str(name).replace("_", " ").strip()


def _plain(value: Any) -> str:
    match value:
        case None:
            return "none"
        case bool():
            return "yes" if value else "no"
        case str():
            return shorten(value, _VALUE_CHARS) if value else "(empty)"
        case int() | float():
            return str(value)
        case _:
            return shorten(json.dumps(value, ensure_ascii=False), _VALUE_CHARS)
