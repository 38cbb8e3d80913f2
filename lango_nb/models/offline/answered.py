"""What the next request can refer to, read from an answer: the file, what was shown, changed and asked.

request as it was read + what was answered ── sentences of our own, read back ── the context of the next request
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from lango_nb.core.masking import MASK
from lango_nb.models.offline.answers import (
    ASKED,
    LONGEST_LINE,
    NOTHING,
    QUESTIONS,
    UNDONE,
    naming,
    said,
    say,
    sentences,
)
from lango_nb.models.offline.followups import ENDED, EXACT, is_work
from lango_nb.models.offline.keyed import KEYED
from lango_nb.models.offline.names import compared_in, is_pointer, plain, trimmed
from lango_nb.models.offline.operations import BOX, number
from lango_nb.models.offline.plan import Context, Reading, Step, acts, is_change, is_talk, parse, speak_of
from lango_nb.models.offline.queries import TABLES
from lango_nb.models.offline.question import kind_of_more, says_state
from lango_nb.models.offline.series import series_of
from lango_nb.models.offline.table_query import parse as parse_query

_PATH = re.compile(r"[^\s\"“”'`:;,()]*[^\s\"“”'`:;,().]\.[A-Za-z]\w{0,7}(?![\w/])")
_MOST_NOTES = 3
"""Lines before the rows of an answer that tells the largest: notes, and the sentence."""
_AFTER = re.compile(r" \([^()]*\)\Z")
_NUMBERED = re.compile(r"\A(?:\d+\. |✓ |- )")
_SHOWS = frozenset(("search", "task.list", "column.distinct", "columns", "recall"))
_SHOWING = ("list", "rows", "read.", "group", "code.list", "json.keys", "column.min", "column.max")
"""Acts, and beginnings of acts, that show several things one after the other."""
_ENDS = ".?!\u3002\uff1f"
"""How a sentence ends: what ends otherwise is a name."""
_LISTED = frozenset(("columns", "json.keys", "code.list", "column.distinct"))
"""Acts that are answered with names behind each other."""
CHANGES: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "appended": ("append", {"file": "file", "lines": "added"}),
    "prepended": ("prepend", {"file": "file", "lines": "added"}),
    "lines_deleted": ("line.delete", {"file": "file", "lines": "lines"}),
    "written": ("write", {"file": "file"}),
    "created": ("write", {"file": "file"}),
    "appended_new": ("write", {"file": "file"}),
    "replaced_all.held": ("write", {"file": "file", "lines": "was"}),
    "replaced": ("replace", {"file": "file", "old": "old", "new": "new", "n": "n"}),
    "line_moved": ("line.move", {"file": "file", "n": "line", "to": "to", "line": "text"}),
    "line_replaced": ("line.replace", {"file": "file", "old": "old", "new": "new", "n": "line"}),
    "json.set": ("json.set", {"file": "file", "old": "old", "new": "new", "name": "key"}),
    "moved": ("move", {"names": "file", "to": "to"}),
    "renamed": ("move", {"names": "file", "to": "to"}),
    "copied": ("copy", {"names": "file", "to": "to"}),
    "folder_made": ("folder.make", {"file": "to"}),
    "deleted.held": ("delete", {"file": "file", "lines": "text"}),
    "deleted": ("delete", {"names": "file"}),
    "task.done": ("task.done", {"names": "text"}),
    "remembered": ("remember", {"text": "text"}),
}
"""Sentences that tell a change: the act, and the role of each hole."""
_PARTED = {("appended", "lines"): "\n", ("replaced_all.held", "lines"): "\n", ("prepended", "lines"): "\n", ("lines_deleted", "lines"): "\n",
           ("moved", "names"): ", ", ("copied", "names"): ", ", ("deleted", "names"): ", ", ("task.done", "names"): "; "}  # fmt: skip
"""What stands between several values of a hole."""
_ROLES = ("file to text old new find n line from until column value by key name ending except command").split()


class _Answer(NamedTuple):
    """What was answered, to be read back."""

    text: str
    language: str
    is_one: bool
    """Whether it is the answer to one step."""

    def said(self, key: str) -> dict[str, str] | None:
        return said(key, self.language, self.text, is_one=self.is_one) if key in sentences() else None

    def is_any(self, keys: Iterable[str]) -> bool:
        """Tell whether one of some sentences was said."""
        return any(self.said(key) is not None for key in keys)

    @property
    def is_listing(self) -> bool:
        """Whether it lists what is in a folder, whatever had been read."""
        found = said("entries", self.language, self.text.partition("\n")[0])
        return found is not None and found["n"][:1].isdigit() and not _PATH.fullmatch(found["n"])


def _as_told(step: Step, value: str, context: Context, told: _Answer) -> tuple[Step, str]:
    """Return a step as its answer tells it, where that says what was counted or looked up, and what it gave."""
    for act, role in (("count.matches", "find"), ("rows.count", "value")):
        if (counted := told.said(act)) is not None and (" " not in counted["file"] or ENDED.search(counted["file"])):
            step = Step(act, {"file": (counted["file"],), role: (counted["word"],)}, text=step.text)
            if context.last is not None and context.last.word(role) == counted["word"]:
                value = context.answer  # "them" are still what was shown
    got = told.said("json.get") or {}
    is_word = step.act == "json.get" and got.get("name") in step.arguments.get("key", ())
    if got.get("file", "").endswith(KEYED) and " " not in got["name"] and not is_word:
        step = Step("json.get", {"file": (got["file"],), "key": (got["name"],)}, text=step.text)
    return step, value


def after(context: Context, reading: Reading, answer: str) -> Context:
    """Return what the next request can refer to.

    Parameters
    ----------
    context : Context
        What this one could refer to.
    reading : Reading
        What was carried out.
    answer : str
        What was said then: our own sentences.

    Examples
    --------
    >>> read = Reading((Step("count.lines", {"file": ("my notes",)}),))
    >>> after(Context(), read, "notes.md has 3 lines.").file
    'notes.md'
    >>> after(Context(), Reading((Step("task.add", {"text": ("call Ann",)}),)), "Noted as to do: call Ann.").tasks
    ('call Ann',)
    """
    told = _Answer(answer, reading.language, len(reading.steps) < 2)  # noqa: PLR2004 - one sentence
    return _after(context, reading, told)._replace(tasks=_tasks_open(context, told))


def _tasks_open(context: Context, told: _Answer) -> tuple[str, ...]:
    """Return the tasks that are known to be open: what was listed last, what was noted since, without what is done."""
    head, *rows = told.text.splitlines() or [""]
    if told._replace(text=head).said("tasks") is not None:
        return tuple(_NUMBERED.sub("", row) for row in rows if row[:1].isdigit())
    noted = (told.said("task.added") or {}).get("names", "")
    done = (told.said("task.done") or {}).get("names", "").split("; ")
    return (*(task for task in context.tasks if task not in done), *filter(None, noted.split("; ")))


def _after(context: Context, reading: Reading, told: _Answer) -> Context:
    answer = told.text
    if (found := _queried(context, reading, told)) is not None:
        return found
    reading = _carried_out(reading, told)
    steps = [step for step in reading.steps if is_work(step)]
    if not steps and reading.steps and (got := told.said("json.get")) and got["file"].endswith(KEYED):
        steps = [Step("json.get", {}, text=reading.steps[-1].text)]  # talk that was a question of a file
    asked = _asked(reading, told)
    if not steps and asked is not None:
        return asked._replace(known=context.known, read=context.read)
    if not steps:
        return context._replace(asked=None, missing="", is_open=told.is_any(QUESTIONS))
    step = steps[-1]
    for word in (word for one in steps for word in one.arguments.get("file", ())):
        if ENDED.search(word) and re.search(rf"(?<![\w/]){re.escape(word)}", answer):  # and not the end of another path
            context = context._replace(spoken=speak_of(context, word))
    if step.act == "compare":
        for path in dict.fromkeys(_PATH.findall(answer.partition("\n")[0])):
            context = context._replace(spoken=speak_of(context, path))
    names = _shown(step, told)
    if len(steps) > 1 and {one.act for one in steps} == {"count.lines"}:  # none of them is "it"
        names, one_of = tuple(one.word("file") for one in steps), _one_of_both(steps, told)
        context = context._replace(file=one_of, is_named=False)
    is_unsettled = told.said("ask.missing_of") is not None and not ENDED.search(step.word("file"))
    is_lacking = asked is not None and (asked.missing == "file" or is_unsettled)
    is_several = len(names) == len(steps) > 1
    file = "" if is_lacking else context.file if is_several else _file(step, context, told)
    settled = step.with_arguments(file=(file,)) if file and len(step.arguments.get("file", ())) == 1 else step
    if asked is not None:
        return _once_asked(asked, context, reading, file, names)
    is_lost = told.is_any(QUESTIONS) or step.act == "count.matches"
    if step.act == "undo" and context.changed is not None:
        every = (line for words in context.changed.arguments.values() for line in words)
        settled = settled.with_arguments(lines=tuple(line for line in every if BOX.match(line)))
    settled, value = _as_told(settled, _value(step, told) or context.answer * is_lost, context, told)
    is_listing = bool(names) and not file
    is_kept = settled.arguments.get("text") == ("it",) and bool(context.answer)
    written = settled.with_arguments(text=(context.answer,)) if is_kept else settled  # to be taken back
    changed = _changed(written, told) if is_change(step.act) or step.destination else context.changed
    changed = (_changed_before(steps, told) or changed) if len(steps) > 1 and not is_change(step.act) else changed
    about = file or ("" if is_listing else context.file)
    if changed is not None and settled.act == changed.act and (goal := changed.word("to")):
        is_told = bool(settled.word("to")) and not (goal.endswith("/") and is_pointer(settled.word("to"), "it"))
        settled = settled if is_told else settled.with_arguments(to=(goal,))  # "there" is where it went
    known = (*context.known, fact["text"]) if (fact := told.said("remembered")) else context.known
    texts = dict(context.read)
    if is_change(step.act) or step.destination:
        if changed is not None and changed.act == "delete" and (text := texts.get(changed.word("file"))):
            changed = changed.with_arguments(text=(text,))
        texts = {}  # what was changed is told by its answer
    elif (whole := _whole_text_of(step, told)) is not None:
        texts[about] = whole
    return context._replace(
        last=settled,
        file=about,
        is_named=not is_several and _is_named(about, reading, context, is_told=bool(file)),
        shown=names or context.shown,
        answer=value,
        changed=changed,
        asked=None,
        missing="",
        is_open=told.is_any(QUESTIONS),
        known=known,
        spoken=speak_of(context, about),
        query=context.query if about == context.file or _is_of_query(about, context) else None,
        earlier=context.answer,
        read=tuple(texts.items()),
    )


def _is_of_query(file: str, context: Context) -> bool:
    """Tell whether a file is one of the series of tables that was asked."""
    return context.query is not None and series_of(file) == context.query.word("file") != ""


def _one_of_both(steps: Sequence[Step], told: _Answer) -> str:
    """Return the file that was asked for, where two were counted to tell which is longer or shorter; else empty."""
    text = steps[0].text.partition("\n")[0]
    kind = compared_in(text, told.language)[0] or kind_of_more(text, told.language)
    counts = [said("count.lines", told.language, line) for line in told.text.splitlines()]
    found = {one["file"]: number(one["n"].partition(" ")[0]) or 0 for one in counts if one is not None}
    ends = {"longer": max, "shorter": min, "larger": max, "smaller": min}
    is_told = kind in ends and len(found) == len(steps) and len(set(found.values())) > 1
    return ends[kind](found, key=lambda name: found[name]) if is_told else ""


def _once_asked(asked: Context, context: Context, reading: Reading, file: str, names: tuple[str, ...]) -> Context:
    """Return what can be referred to after a question back: what could be before it, and what the question is about."""
    about = file or context.file
    return asked._replace(
        last=context.last,
        file=about,
        shown=names or context.shown,
        answer=context.answer,
        changed=context.changed,
        is_named=_is_named(about, reading, context),
        is_open=True,
        known=context.known,
        spoken=speak_of(context, file),
        query=context.query,
        earlier=context.earlier,
        read=context.read,
    )


def _whole_text_of(step: Step, told: _Answer) -> str | None:
    """Return the text of a file that was read by its name, where the answer shows all of it; else ``None``."""
    found, word = told.said("lines") or {}, step.word("file")
    text, file = found.get("lines", ""), found.get("file", "")
    is_by_name = is_pointer(word, "it") or plain(trimmed(word)) in {plain(file), *map(plain, _names_of(file))}
    is_shortened = _is_cut(text) or MASK in text or any(len(line) > LONGEST_LINE for line in text.splitlines())
    is_filtered = says_state(step.text, told.language) or any(
        not (sign.isprintable() or sign in "\n\t") for sign in text
    )
    is_whole = told.is_one and step.act in {"read", "list"} and len(step.arguments.get("file", ())) == 1
    return text if file and is_whole and is_by_name and not (is_shortened or is_filtered) else None


def _names_of(file: str) -> tuple[str, str]:
    """Return the name of a file without its folder, and without its ending."""
    base = file.rpartition("/")[2]
    return base, base.rpartition(".")[0] or base


def _carried_out(reading: Reading, told: _Answer) -> Reading:
    r"""Return the reading that was carried out: a look, where the answer tells nothing of the change that was likelier.

    Examples
    --------
    >>> look = Reading((Step("read", {}),))
    >>> said = Reading((Step("line.delete", {"find": ("now",)}),), others=(look,))
    >>> _carried_out(said, _Answer("a.txt:\nmilk", "en", True)).steps[0].act
    'read'
    """
    first = reading.steps[0].act if len(reading.steps) == 1 else ""
    if first == "query" and reading.others and not reading.steps[0].arguments:
        return reading.others[0]  # no table explained it, so it was an answer
    row = acts().get(first)
    is_of_kind = row is not None and row.reads in {"table", "json"}
    is_other = first in {"date", "size"}
    if is_of_kind and (counted := told.said("count.lines")) and counted["file"].endswith((".txt", ".md")):
        step = Step("count.lines", {"file": (counted["file"],)}, text=reading.steps[0].text)
        return reading._replace(steps=(step,))
    if first and (is_of_kind or is_other or not is_work(reading.steps[0])) and (found := told.said("lines")):
        if (is_of_kind and found["file"].endswith(TABLES)) or not ENDED.search(found["file"]):
            return reading
        sought = next(
            (words for role in ("key", "value", "column") if (words := reading.steps[0].arguments.get(role))), ()
        )
        is_name = bool(sought) and all(
            plain(word) in plain(found["file"]) for word in sought
        )  # "what's on the monday tour?"
        step = Step("read" if is_name else "search", {"file": (found["file"],)}, text=reading.steps[0].text)
        step = step if is_name else step.with_arguments(find=sought)
        return reading._replace(steps=(step,))  # a question that looked like another was answered from a file
    if first not in {act for act, _ in CHANGES.values()} or told.is_any((*CHANGES, *QUESTIONS, *UNDONE)):
        return reading
    looks = (one for one in reading.others if one.steps and not any(_may_change(step) for step in one.steps))
    shown = told.said("lines")
    found_in = Step("search", {"file": (shown["file"],)}, text=reading.steps[0].text) if shown else None
    return next(looks, reading if found_in is None else reading._replace(steps=(found_in,)))


def _may_change(step: Step) -> bool:
    return is_change(step.act) or is_talk(step.act) or bool(step.destination)


def _queried(context: Context, reading: Reading, told: _Answer) -> Context | None:
    """Return what a question about a table leaves; ``None`` where the answer is none to such a question."""
    for key in ("query.both", "query.rows", "query.value"):
        found = told.said(key)
        if found is None or not found["file"].endswith(TABLES) or parse_query(found["query"]) is None:
            continue
        step = Step("query", {"file": (found["file"],), "query": (found["query"],)}, text=reading.steps[-1].text)
        heading = 0 if found["file"].endswith(".log") else 1
        rows = tuple(found.get("lines", "").splitlines()[heading:])
        shown = rows or tuple(found.get("value", "").split("; "))
        values = found.get("value", "").split("; ")
        is_counted = found["query"].startswith("count") and bool(found.get("lines"))
        told_lines = ("" if is_counted else found.get("value"), found.get("lines"))
        value = "\n".join(values if len(values) > 1 else filter(None, told_lines))
        is_named = _is_named(found["file"], reading, context)
        spoken = speak_of(context, found["file"])
        return Context(
            step, found["file"], is_named, shown, value, context.changed, known=context.known,
            spoken=spoken, query=step, earlier=context.answer, read=context.read,
        )  # fmt: skip
    return None


def _is_named(file: str, reading: Reading, context: Context, *, is_told: bool = True) -> bool:
    """Tell whether a file was named by the person, or is what was just made or changed, as the answer has told."""
    if file == context.file and context.is_named:
        return True
    base = plain(file.rpartition("/")[2].rpartition(".")[0] or file)
    given = ((step, word) for step in reading.steps for words in step.arguments.values() for word in words)
    said = " ".join(plain(word) for step, word in given if step.act != "query" or word in step.text.partition("\n")[0])
    is_changed = is_told and any(is_change(step.act) or step.destination for step in reading.steps)
    return is_changed or bool(base and base in said)


def _changed(step: Step, answer: _Answer) -> Step | None:
    """Return a change with what is needed to take it back, as far as its answer says it."""
    if step.act == "undo" or answer.is_any(UNDONE):
        return None
    for key, (act, roles) in CHANGES.items():
        if (found := answer.said(key)) is None:
            continue
        told = {role: tuple(found[hole].split(_PARTED.get((key, hole), "\0"))) for hole, role in roles.items()}
        if act == "write":
            made = {} if "was" in told else {"made": (found.get("n", "0").split()[0],)}
            told |= {**made, "text": step.arguments.get("text", ())}
        if act in {"move", "copy"}:
            (to,) = told["to"]
            into = to.endswith("/")
            told["targets"] = tuple(f"{to}{path.rpartition('/')[2]}" if into else to for path in told["file"])
        return Step(act, {role: words for role, words in told.items() if words})
    return step


def _changed_before(steps: Sequence[Step], answer: _Answer) -> Step | None:
    r"""Return the change before a look that was wished for beside it, so that it can be taken back: "add tea and count the lines".

    Examples
    --------
    >>> steps = Step("append", {"file": ("a.txt",)}), Step("count.lines", {})
    >>> _changed_before(steps, _Answer("Added to a.txt:\ntea\na.txt has 2 lines.", "en", False)).arguments
    {'file': ('a.txt',), 'added': ('tea',)}
    """
    first, *looks = steps
    if not is_change(first.act) or any(is_change(step.act) or step.destination for step in looks):
        return None
    keys = [key for key, (act, _) in CHANGES.items() if act == first.act]
    told = answer.text.splitlines()
    for end in range(len(told) - 1, 0, -1):
        before = answer._replace(text="\n".join(told[:end]), is_one=True)
        if before.is_any(keys):
            return _changed(first, before)
    return None


def _value(step: Step, answer: _Answer) -> str:
    """Return the result that an answer tells, without the words around it."""
    if answer.is_any(QUESTIONS) or (answer.said("count.matches") or {}).get("n", "").startswith("0 "):
        return ""
    if step.act == "calculate":
        return answer.text.rpartition(" = ")[2]
    if any(answer.said(key) is not None for key in NOTHING | UNDONE):
        return ""
    for key, hole in ((step.act, "value"), ("json.get", "value"), ("lines", "lines"), ("entries", "lines")):
        if (found := answer.said(key)) is not None and hole in found:
            return found[hole]
    return answer.text


def _file(step: Step, context: Context, answer: _Answer) -> str:  # noqa: PLR0911 - from the surest on
    """Return the file that a step turned out to be about; empty where it names several or none."""
    if step.destination in {"write", "append"} and step.word("to"):
        brought = (
            answer.said(key) for key in ("written", "replaced_all", "replaced_all.held", "appended", "appended_new")
        )
        return next((told["file"] for told in brought if told is not None), step.word("to"))
    if answer.said("tasks.none") is not None:
        return ""
    if step.act == "undo":
        taken_back = answer.said("undone") or {}
        names = taken_back.get("names", "").split(", ")
        return names[0] if len(names) == 1 else ""
    if (asked := answer.said("ask.delete")) is not None and answer.said("ask.lines") is None:
        names = asked["names"].splitlines()
        return names[0].rstrip("/") if len(names) == 1 else ""
    if step.act in {"move", "copy", "rename"}:
        for key in ("renamed", "moved", "copied"):
            if (found := answer.said(key)) is not None:
                if not found["to"].endswith("/"):
                    return found["to"]
                is_one = key == "moved" and ", " not in found["names"]
                return found["to"] + found["names"].rpartition("/")[2] if is_one else ""
    if step.act == "search.files":
        found = answer.said("search.files") or answer.said("search.files_counted") or {}
        names = found.get("names", ", ").split(", ")
        return names[0] if len(names) == 1 else ""
    head = step.act if step.act in {"column.min", "column.max"} else "summary"  # the rows stand behind the sentence
    for line in answer.text.splitlines()[:_MOST_NOTES]:
        if (found := said(head, answer.language, line)) is not None:
            return found["file"]
    is_list = answer.is_listing or (step.act.startswith("list") and answer.said("lines") is None)
    for key in () if is_list else naming("file", answer.language):
        told = answer.said(key) if key != "listed" or step.act in _LISTED else None
        if told is not None and (" " not in told["file"] or ENDED.search(told["file"])):
            return told["file"]
    if step.act == "task.list":  # boxes of files, below the name of each
        heads = [line[:-1] for line in answer.text.splitlines() if _is_head(line)]
        return heads[0] if len(heads) == 1 else ""
    words = step.arguments.get("file", ())
    if len(words) > 1:
        return ""
    word = words[0] if words else ""
    text = answer.text
    if text and "\n" not in text and text.rstrip()[-1:] not in _ENDS and (is_list or ENDED.search(text)):
        return _AFTER.sub("", text).rstrip("/")
    for line in text.splitlines():
        if (took := said("note.took", answer.language, line)) is None:
            break
        if took["word"] == word or line == text.rpartition("\n")[0]:
            return took["name"]
    if word and not is_pointer(word, "it") and word in text:
        return next((name for name in _PATH.findall(text) if name.endswith(f"/{word}")), word)
    found_names: list[str] = list(dict.fromkeys(_PATH.findall(text.partition("\n")[0])))
    if len(found_names) == 1 or (found_names and word):
        return found_names[0]
    if EXACT.match(word):
        return word
    return context.file if word and is_pointer(word, "it") else ""


def _is_head(line: str) -> bool:
    """Tell whether a line is the name of a file, above what is shown of it."""
    return line[-1:] in {":", "\uff1a"} and ENDED.search(line[:-1]) is not None


def _shown(step: Step, answer: _Answer) -> tuple[str, ...]:
    """Return names or lines that an answer shows one after the other."""
    listing = (
        ("search.files", "search.files_counted")
        if step.act == "search.files"
        else ("listed",)
        if step.act in _LISTED
        else ()
    )
    for key in ("ask.which", "ask.no_file", *listing):
        if (found := answer.said(key)) is not None:
            return _split(found["names"], answer.language)
    if (found := answer.said("ask.delete")) is not None and answer.said("ask.lines") is None:
        return tuple(name.rstrip("/") for name in found["names"].splitlines())
    if step.act.startswith("list") and answer.said("lines") is not None and not answer.is_listing:
        return ()  # what was listed was a file
    head, _, rest = answer.text.partition("\n")
    is_list = step.act in _SHOWS or step.act.startswith(_SHOWING) or answer.is_listing
    if rest and is_list and head.rstrip().endswith((":", "\uff1a")):
        rows = rest.splitlines()
        if step.act.startswith("rows"):
            rows = rows[1:]
        rows = [row for row in rows if row.strip() and not (step.act == "task.list" and _is_head(row))]
        return tuple(_NUMBERED.sub("", _AFTER.sub("", row)).rstrip("/") for row in rows)
    if step.act.startswith("list") and head and not rest and head.rstrip()[-1:] not in _ENDS:
        return (_AFTER.sub("", head).rstrip("/"),)
    if step.act == "search":
        heads = [
            name for line in answer.text.splitlines() if (name := line.partition(": ")[0]) and _PATH.fullmatch(name)
        ]
        return tuple(dict.fromkeys(heads))
    return ()


def _split(names: str, language: str) -> tuple[str, ...]:
    parts = names.strip().split(", ")
    *rest, last = parts
    both = last.split(f" {say('or', language)} ")
    return tuple(name.rstrip("/") for name in (*rest, *both) if name)


def _asked(reading: Reading, answer: _Answer) -> Context | None:
    """Return the plan that an answer asks about, with what a yes would do; ``None`` when it asks nothing.

    What was done before the question is no part of the plan any more.
    """
    for one in (answer._replace(is_one=True), answer)[: 1 if answer.is_one else 2]:
        left = reading.steps if one.is_one else reading.steps[1:] if len(reading.steps) == 2 else reading.steps[-1:]  # noqa: PLR2004
        plan = Reading(left, reading.confidence, reading.language)
        deletes = bool(plan.steps) and plan.steps[0].act.startswith("delete")
        for key, role in ASKED.items():
            if key == "ask.delete" and not deletes:
                continue  # "… of notes.md" is a question about lines
            if (found := one.said(key)) is not None and plan.steps:
                return Context(asked=_agreed(plan, key, found), missing=role, is_open=True)
        for key in ("ask.missing_of", "ask.missing"):
            if (found := one.said(key)) is not None:
                return Context(asked=plan, missing=_role(found["what"], reading.language), is_open=True)
    return None


def _agreed(plan: Reading, key: str, found: Mapping[str, str]) -> Reading:
    """Return the plan that a yes to a question stands for: what was shown, and nothing else."""
    first, *rest = plan.steps
    if key == "shall":
        shown = [parse(line) for line in found["plan"].split("; ")]
        read = [step for step in shown if step is not None]
        if len(read) == len(shown) == len(plan.steps):
            steps = (step._replace(text=old.text) for step, old in zip(read, plan.steps, strict=True))
            return plan._replace(steps=tuple(steps))
    if key == "ask.delete" and first.act.startswith("delete") and not _is_cut(found["names"]):
        gone = _outermost(name.rstrip("/") for name in found["names"].splitlines())
        return plan._replace(steps=(Step("delete", {"file": gone}), *rest))
    if key == "ask.lines" and first.act == "line.delete" and not _is_cut(found["lines"]):
        rows = tuple(found["lines"].splitlines())
        numbers = tuple(row.partition(": ")[0] for row in rows)
        told = {"file": (found["file"],), "line": numbers, "lines": rows}
        return plan._replace(steps=(Step("line.delete", told, text=first.text), *rest))
    if key == "ask.task_delete" and first.act in {"task.delete", "undo"}:
        return plan._replace(steps=(Step("task.done", {"text": (found["name"],)}), *rest))
    if key == "ask.mean":
        return _with(plan, "file", found["name"])
    return _with(plan, "file", found["file"]) if key in {"ask.lines", "ask.replace"} else plan


def _with(plan: Reading, role: str, word: str) -> Reading:
    place = next((at for at, step in enumerate(plan.steps) if step.arguments.get(role)), 0)
    steps = list(plan.steps)
    goal = "to" if steps[place].destination in {"write", "append"} and steps[place].word("to") else role
    steps[place] = steps[place].with_arguments(**{goal: (word,)})
    return plan._replace(steps=tuple(steps))


def _role(what: str, language: str) -> str:
    found = next((role for role in (*_ROLES, "called") if say(f"role.{role}", language) == what), "*")
    return "to" if found == "called" else found


def _is_cut(names: str) -> bool:
    return names.rpartition("\n")[2].startswith("… ")


def _outermost(names: Iterable[str]) -> tuple[str, ...]:
    """Return names without those inside a folder that is among them."""
    found: list[str] = []
    for name in names:
        if not any(name.startswith(f"{other}/") for other in found):
            found.append(name)
    return tuple(found)
