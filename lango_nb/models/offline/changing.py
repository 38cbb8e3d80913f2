"""Acts that change something: each says what is lost, never writes over what it was not told to, and looks afterwards."""

from __future__ import annotations

import csv
import json
import posixpath
import re
import shlex
from collections.abc import Callable, Sequence
from itertools import pairwise, product
from typing import Any

from lango_nb.core.masking import MASK, mask
from lango_nb.models.offline.answers import LONGEST_LINE, quoted
from lango_nb.models.offline.columns import holds_truths, is_numeric, names_column
from lango_nb.models.offline.folder import Absent, Ask, CannotWork, Desk, Failed, Outcome, TooLarge, Work, holds_secret
from lango_nb.models.offline.followups import CLAUSES
from lango_nb.models.offline.keyed import KEYED, TABULAR, in_json, keyed
from lango_nb.models.offline.lexicon import NEGATING, Word, concepts_of, is_small_in, lexicon_of
from lango_nb.models.offline.lexicon import words as words_of
from lango_nb.models.offline.lists import words_of_wishes
from lango_nb.models.offline.looking import excepted, key_abroad, memories, named, task_meant, tasks
from lango_nb.models.offline.names import (
    begins_with_pointer,
    forms_of,
    in_english,
    is_part,
    is_pointer,
    is_small,
    likeliest_lines,
    line_numbers,
    nearest_texts,
    parts_of_lines,
    pick,
    plain,
    points_at_answer,
    rank,
    says_name,
    stem,
    table_of,
    telling_words,
    trimmed,
    unexplained,
    unquoted,
    whole_new_name,
)
from lango_nb.models.offline.operations import (
    BOX,
    Cell,
    Entry,
    NoSuch,
    Table,
    Unsure,
    cells_meant,
    day,
    files_of,
    holds,
    is_form_of,
    json_path,
    json_set,
    lines,
    number,
    read_table,
    truth,
    write_row,
    written,
)
from lango_nb.models.offline.plan import Step, show
from lango_nb.models.offline.question import words_of_tables
from lango_nb.models.offline.rows_told import names_values, row_told
from lango_nb.models.offline.series import is_series, members
from lango_nb.models.offline.table_query import answer
from lango_nb.models.offline.table_query import parse as parse_query

_MARK = re.compile(r"(\s*)(?:((?:- )?\[)[ xX](\] )|([-*+•] )|(\d+)([.)] ))")
_EVERYWHERE = frozenset(("all", "each"))
_NEW = re.compile(r"[^\s\"][^\"\n]*\.\w{1,8}\Z")
_PAIR = re.compile(r"\s*([^:=]+?)\s*[:=]\s*(.+?)\s*\Z")
_FEW_ROWS = 4
"""Rows that a question names to choose from."""
_EXIT = re.compile(r"exit code (-?\d+)[^\n]*\n?")
_RUNNERS = {
    ".py": "python3",
    ".sh": "sh",
    ".js": "node",
    ".r": "Rscript",
    ".rb": "ruby",
    ".pl": "perl",
    ".bash": "bash",
}
_THERE = "is there already"
"""What the tool says of a folder that it did not make."""
_ADDING, _REPLACING = frozenset(("put", "append")), frozenset(("replace", "write", "save", "all", "export"))
"""Concepts of a wish to add to what is there, and of one to write it anew."""
_RUN = re.compile(r"\d+(?:\s*[^\d\s]{1,5}\s*\d+)+")
"""Several numbers, with a word or a sign between each two."""
_MOST_CELLS = 4
"""Values among which it is asked which is meant."""
_MOST_TABLES = 12
"""Tables that are looked into for the one that is meant."""
_LONGEST_KEY = 40
_MOST_HELD = 20
"""Lines of a deleted file that are told."""
_SWITCHES = frozenset(("true", "false"))
"""How JSON writes yes and no."""
_MOST_ADDED = 20_000
"""Characters of a result that are written into a file."""


# -- texts -------------------------------------------------------------------------------------------------------------


def given_text(desk: Desk, step: Step, role: str = "text") -> str:
    """Return the text a step is to write; a pronoun stands for the last result."""
    words = step.arguments.get(role, ())
    if len(words) == 1 and role == "text":
        words = _one_by_one(words[0], step.text, desk.language) or parts_of_lines(words[0], step.text)
    if not words and desk.has_result:
        return desk.context.answer
    if not words:
        raise desk.missing(step, role)
    if len(words) == 1 and desk.context.answer and points_at_answer(words[0], step.text):
        return desk.context.answer
    return "\n".join(words)


_APIECE = frozenset(("apiece", "separate"))
"""What says that each thing is to have a line of its own (``data/reading/listed.tsv``)."""


def _one_by_one(text: str, request: str, language: str) -> tuple[str, ...]:
    """Return the things that are to stand on a line each, where a request says so at its end; none where it does not.

    Examples
    --------
    >>> _one_by_one("soap and rice, one per line", "write soap and rice, one per line", "en")
    ('soap', 'rice')
    >>> _one_by_one("Öl, Reis", "leg a.txt an mit Öl, Reis, jedes in einer eigenen Zeile", "de")
    ('Öl', 'Reis')
    >>> _one_by_one("soap and rice in one line", "write soap and rice in one line", "en")
    ()
    """
    found = words_of(request.partition("\n")[0])
    kept = _without_apiece(found, language)
    if not kept or len(kept) == len(found):
        return ()
    at, end = request.find(text), kept[-1].end
    bare = text[: end - at].rstrip(" ,;") if 0 <= at < end else text
    return parts_of_lines(bare, f"lines: {bare}")


def _without_apiece(found: Sequence[Word], language: str) -> Sequence[Word]:
    """Return words without those at the end which say that each thing is to have a line."""
    told, marks = lexicon_of(language).concepts(found), words_of_wishes(language).concepts(found)
    begin = len(found)
    while begin and not found[begin - 1].is_quoted:
        word, own = found[begin - 1], told[begin - 1]
        is_tail = word.kind == "sign" or bool(own & {"each", "line", "one_number"} or marks[begin - 1] & _APIECE)
        if not (is_tail or is_small(word.text) or is_small_in(word.folded, language)):
            break
        begin -= 1
    said = frozenset[str]().union(*told[begin:])
    return found[:begin] if any("apiece" in one for one in marks[begin:]) or {"each", "line"} <= said else found


def edit(desk: Desk, path: str, old: str, new: Sequence[str]) -> Work:
    """Change the lines of a file that differ, and see that it is so then; return the new text."""
    before = lines(old)
    head = next(
        (at for at, (one, two) in enumerate(zip(before, new, strict=False)) if one != two), min(len(before), len(new))
    )
    most = min(len(before), len(new)) - head
    tail = next((at for at in range(most) if before[-1 - at] != new[-1 - at]), most)
    first, last = head, len(before) - tail
    if first >= last and before:  # nothing goes: a neighbour is written again
        first, last = (first - 1, first) if first else (0, 1)
    content = new[first : len(new) - (len(before) - last)]
    if holds_secret("\n".join([*before[first:last], *content])):
        raise CannotWork(desk.say("secret", file=path))
    desk.has_changed = True
    if before:
        yield from desk.folder.call(
            "fs_edit", path=path, startLine=first + 1, endLine=last, content="".join(f"{line}\n" for line in content)
        )
    else:
        yield from desk.folder.call("fs_write", path=path, content="".join(f"{line}\n" for line in new))
    return (yield from _seen(desk, path, new))


def write(desk: Desk, path: str, text: str, says: str = "") -> Work:
    """Write a whole file, and read it back."""
    if holds_secret(text):
        raise CannotWork(desk.say("secret", file=path))
    body = text if not text or text.endswith("\n") else text + "\n"
    desk.has_changed = True
    yield from desk.folder.call("fs_write", says, path=path, content=body)
    return (yield from _seen(desk, path, lines(body)))


def _seen(desk: Desk, path: str, wanted: Sequence[str]) -> Work:
    """Read a file that was changed back."""
    desk.folder.forget(path)
    if not desk.folder.has("fs_read"):
        return "\n".join(wanted)
    try:
        text: str = yield from desk.folder.read(path)
    except TooLarge:
        return "\n".join(wanted)
    if lines(text) != list(wanted):
        raise CannotWork(desk.say("not_as_wanted", file=path))
    return text


def _there(desk: Desk, step: Step) -> Work:
    """Settle the file of a change, and read it."""
    (path, *_) = yield from desk.files(step)
    try:
        return path, (yield from desk.folder.editable(path))
    except Failed as failed:
        if "is a folder" in failed.said:
            raise (yield from desk.which_in(path)) from failed
        raise


def _new_or_there(desk: Desk, step: Step, word: str) -> Work:
    """Settle a file that may not be there yet: its path, and its text or ``None``."""
    name, entry = yield from desk.new_file(step, word)
    if entry is None and "/" not in name:
        every: list[Entry] = yield from desk.folder.everything()
        below = [one.name for one in files_of(every) if posixpath.basename(one.name).casefold() == name.casefold()]
        if len(below) == 1:
            return below[0], (yield from desk.folder.editable(below[0]))
    if entry.is_folder if entry is not None else not _NEW.fullmatch(name):
        name = yield from desk.file(word)
        if desk.is_guessed and not desk.is_certain and not nearest_texts(word, [name], desk.language)[1]:
            raise Ask(desk.say("ask.mean", word=word, name=name))  # it only holds the words that it was told by
    elif entry is None and not name.startswith(("/", "~")):
        return name, None
    if entry is not None and entry.is_folder and name == entry.name:
        raise (yield from desk.which_in(name))
    return name, (yield from desk.folder.editable(name))


def _done(step: Step, said: str, path: str) -> Outcome:
    """Word a change of a text."""
    return Outcome(said, "", step.with_arguments(file=(path,)), path)


def _write(desk: Desk, step: Step) -> Work:
    word = step.word("file") or step.word("to")
    if not word:
        raise desk.missing(step, "file")
    text = given_text(desk, step)
    return (yield from write_to(desk, step, word, text))


def write_to(desk: Desk, step: Step, word: str, text: str) -> Work:
    """Write a text to a file that may be there: what it holds is told before."""
    if is_pointer(word, "it") and desk.context.file:
        name, entry = desk.context.file, (yield from desk.folder.find(desk.context.file))
    else:
        name, entry = yield from desk.new_file(step, word)
    if entry is not None and entry.is_folder:
        raise (yield from desk.which_in(name))
    if entry is None and not _NEW.fullmatch(name) and not says_name(step.text) and word == unquoted(word):
        raise desk.missing(step, "to" if step.destination else "file")
    if entry is None:
        now: str = yield from write(desk, name, text)
        return _done(step, desk.say("written", file=name, n=len(lines(now))), name)
    old: str = yield from desk.folder.read(name)
    count = len(lines(old))
    if lines(old) == lines(text):
        raise CannotWork(desk.say("same_already", file=name))
    told = concepts_of(step.text)
    is_kept = {*lines(old)} == {*lines(text)}  # in another order, or without what was there twice: nothing is lost
    if old.strip() and told & _ADDING and not (told & _REPLACING or is_kept):
        return (yield from append_to(desk, step, name, text))
    if old.strip() and not (desk.is_certain or is_kept) and "replace" not in told:
        raise Ask(desk.say("ask.replace", file=name, n=count, new=quoted(lines(text), desk.language)))
    yield from write(desk, name, text, desk.say("loses", file=name, n=count))
    key = "replaced_all.held" if _can_be_told(old) else "replaced_all"
    return _done(step, desk.say(key, file=name, n=count, lines=quoted(lines(old), desk.language)), name)


def merge(desk: Desk, step: Step) -> Work:
    """Write what several files hold into one, a heading that they share only once: those that are named, or those of a folder."""
    to, files = desk.need(step, "to"), step.arguments.get("file", ())
    if len(files) > 1:
        files = yield from desk.files(step)
    else:
        where: str = yield from desk.named_folder(step._replace(act="list", arguments={}))
        entries: list[Entry] = (yield from desk.folder.list(where)) if where else []
        files = tuple(one.name for one in files_of(entries) if one.name.endswith(posixpath.splitext(to)[1]))
    counts = {rank(word.text) for word in words_of(step.text) if word.kind == "word"} - {None, 1}
    if len(files) < 2 or (counts and len(files) not in counts):  # noqa: PLR2004 - nothing to merge, or not what was meant
        raise desk.missing(step, "file")
    texts: dict[str, str] = yield from desk.folder.read_all(files)
    every = [lines(texts[name]) for name in files]
    heads = {rows[0] for rows in every if rows}
    is_table = to.casefold().endswith((".csv", ".tsv"))
    if is_table and len(heads) > 1:
        raise CannotWork(desk.say("differ", file=files[0], other=files[1], lines=quoted(sorted(heads), desk.language)))
    merged = [row for at, rows in enumerate(every) for row in (rows[1:] if at and is_table else rows)]
    done: Outcome = yield from write_to(desk, Step("write", {"file": (to,)}), to, "\n".join(merged))
    return done


def _create(desk: Desk, step: Step) -> Work:
    name, entry = yield from desk.new_file(step, step.word("file") or desk.context.file or desk.need(step, "file"))
    if entry is not None:
        raise CannotWork(desk.say("there_already", file=name))
    yield from write(desk, name, "")
    return _done(step, desk.say("created", file=name), name)


def _append(desk: Desk, step: Step) -> Work:
    return (yield from append_to(desk, step, step.word("file") or step.word("to"), given_text(desk, step)))


def append_to(desk: Desk, step: Step, word: str, text: str, *, is_first: bool = False) -> Work:
    """Add lines to a file the way it has its lines; a new file is made, and said to be new."""
    try:
        path, old = yield from _appended_to(desk, step, word)
    except TooLarge as large:
        return (yield from _append_unseen(desk, step, large.path, text, is_first=is_first))
    if len(text) > _MOST_ADDED:
        raise CannotWork(desk.say("too_long", n=len(text)))
    if old is None:
        yield from write(desk, path, text)
        return _done(step, desk.say("appended_new", file=path), path)
    if path.casefold().endswith(KEYED):
        raise CannotWork(desk.say("json_append", file=path))
    if path.casefold().endswith((".csv", ".tsv")) and "," in text:
        text = _without_small(text, desk.language)  # "a row for Jan Smit,555-0199"
    before = lines(old)
    is_unnamed = not desk.context.is_named and (not word or is_pointer(word, "it"))
    if is_unnamed and path.casefold().endswith(".log") and not _is_entry(text, before):
        raise desk.missing(step.with_arguments(file=()), "file")
    added = _fitted(desk, path, old, _items(text, before, step.text) or lines(text) or [""], is_first=is_first)
    if is_first:
        at = 1 if before and path.casefold().endswith((".csv", ".tsv")) else 0
        new = [*before[:at], *added, *before[at:]]
    else:
        while before and not before[-1].strip() and before != [""]:
            before.pop()
        new = [*before, *added]
    yield from edit(desk, path, old, new)
    said = desk.say("prepended" if is_first else "appended", file=path, lines=quoted(added, desk.language))
    return _done(step, said, path)


def _is_entry(text: str, before: Sequence[str]) -> bool:
    """Tell whether a text begins as the lines of a log do, with a date or a time where they do.

    Examples
    --------
    >>> _is_entry("17:30 pub", ["2024-05-06 13:40 INFO start"]), _is_entry("2024-05-07 10:00 stop", ["2024-05-06 13:40 INFO start"])
    (False, True)
    """
    first, *_ = re.sub(r"\d", "9", text).split() or [""]
    return not before or any(re.sub(r"\d", "9", line).startswith(first) for line in before if line.strip())


def _items(text: str, before: Sequence[str], request: str) -> list[str]:
    """Return the things that a text joins, where a list has each of its things on a line; none where it is one thing.

    Examples
    --------
    >>> _items("tape and glue", ["safety pins", "thread", "hangers"], "put tape and glue on the list")
    ['tape', 'glue']
    >>> _items("tape and glue", ["We met on Monday and talked.", "a", "b"], "add tape and glue"), _items("a, b", [], "a, b")
    ([], [])
    """
    listed = [line for line in before if line.strip() and not line.startswith("#")]
    parts = parts_of_lines(text, f"lines: {text}")
    is_list = len(listed) >= _FEW_ITEMS and all(len(line.split()) <= _LONGEST_ITEM for line in listed)
    joined = sum(len(parts_of_lines(line, f"lines: {line}")) > 1 for line in listed)
    is_said = not any(word.is_quoted for word in words_of(request)) and ":" not in request.partition(text)[0]
    is_short = all(len(part.split()) < _LONGEST_ITEM for part in parts)
    return [*parts] if is_list and is_said and is_short and len(parts) > 1 and joined * 2 < len(listed) else []


_FEW_ITEMS, _LONGEST_ITEM = 3, 4
"""Lines of a list at least, and words of each of its things at most."""


def _without_small(text: str, language: str) -> str:
    """Leave out small words before a row: they belong to the request.

    Examples
    --------
    >>> _without_small("toe voor Jan Smit,555-0199", "nl"), _without_small("De Vries,1", "nl")
    ('Jan Smit,555-0199', 'De Vries,1')
    """
    first, _, rest = text.partition(" ")
    is_along = "along" in words_of_wishes(language).concepts(words_of(first))[0] if first else False
    is_small = first.islower() and (is_small_in(first, language) or is_along) and "," in rest
    return _without_small(rest, language) if is_small else text


def _appended_to(desk: Desk, step: Step, word: str) -> Work:
    """Settle the file that something is added to, and its text; ``None`` for one that is not there yet."""
    if word and not is_pointer(word, "it"):
        return (yield from _new_or_there(desk, step, word))
    if desk.context.file and (yield from desk.folder.find(desk.context.file)) is None:
        return (yield from _new_or_there(desk, step, desk.context.file))  # that may be how it was called: "the list"
    return (yield from _there(desk, step))


def _append_unseen(desk: Desk, step: Step, path: str, text: str, *, is_first: bool) -> Work:
    """Add to a file that is too large to be read: its first or last line is written again with the new ones."""
    count: int = yield from desk.folder.count_lines(path)
    at = 1 if is_first else count
    line: str = yield from desk.folder.line(path, at)
    if holds_secret(line):
        raise CannotWork(desk.say("secret", file=path))
    is_table = path.casefold().endswith((".csv", ".tsv"))
    added = lines(text) if is_table else _fitted(desk, path, line, lines(text), is_first=is_first)
    is_above = is_first and not is_table
    desk.has_changed = True
    content = "".join(f"{one}\n" for one in ([*added, line] if is_above else [line, *added]))
    yield from desk.folder.call("fs_edit", path=path, startLine=at, endLine=at, content=content)
    desk.folder.forget(path)
    if (yield from desk.folder.count_lines(path)) != count + len(added):
        raise CannotWork(desk.say("not_as_wanted", file=path))
    said = desk.say("prepended" if is_first else "appended", file=path, lines=quoted(added, desk.language))
    return Outcome(said, "", step.with_arguments(file=(path,), text=(text,)), path)


def _prepend(desk: Desk, step: Step) -> Work:
    return (
        yield from append_to(desk, step, step.word("file") or step.word("to"), given_text(desk, step), is_first=True)
    )


def _fitted(desk: Desk, path: str, old: str, added: list[str], *, is_first: bool) -> list[str]:
    """Write new lines the way a file has its lines: as rows of its table, or as points of its list."""
    if path.casefold().endswith((".csv", ".tsv")) and old.strip():
        table = read_table(old)
        said = desk.said if len(added) == 1 else ""
        return [_row(desk, path, old, line, said) for line in added if lines(old)[0] != line or len(table.columns) < 2]  # noqa: PLR2004
    filled = [line for line in lines(old) if line.strip()]
    beside = filled[0 if is_first else -1] if filled else ""
    mark = _MARK.match(beside)
    if mark is None or any(_MARK.match(line) for line in added):
        return added
    if mark[5]:
        start = int(mark[5]) + (0 if is_first else 1)
        return [f"{mark[1]}{start + at}{mark[6]}{line}" for at, line in enumerate(added)]
    lead = mark[1] + (f"{mark[2]} {mark[3]}" if mark[2] else mark[4])
    return [lead + line for line in added]


def _row(desk: Desk, path: str, old: str, line: str, said: str) -> str:
    """Write a line as a row of a table: one value for each column, in order, by name, or as the request tells it in prose."""
    table = read_table(old)
    width = len(table.columns)
    if width < 2:  # noqa: PLR2004 - a list
        return line
    if names_values(table, line) and (told := row_told(table, said) or row_told(table, line)) is not None:
        return write_row(table, told)
    for sign in (table.delimiter, ";", ",", "\t", "|", " "):
        cells = [cell.strip() for cell in (line.split(sign) if sign != table.delimiter else _cells(line, sign))]
        is_row = len(cells) == width and not any(_column(cell, table.columns) for cell in cells)
        if is_row and (sign != " " or sign == table.delimiter or _is_alike(table, cells)):
            return write_row(table, cells)
    pairs = [_PAIR.match(part) for part in re.split(r"[,;]\s*", line)]
    row = [""] * width
    for pair in pairs:
        if pair is None or (name := _column(pair[0], table.columns)) is None:
            break
        row[table.columns.index(name)] = pair[2]
    else:
        return write_row(table, row)
    if (told := row_told(table, line) or row_told(table, said)) is not None:
        return write_row(table, told)
    columns = ", ".join(table.columns)
    raise Ask(desk.say("ask.row", file=path, names=columns, n=width))


def _is_alike(table: Table, cells: Sequence[str]) -> bool:
    """Tell whether cells have numbers where the other rows have them, so that blanks part them and no words of a sentence."""
    places = [place for place, name in enumerate(table.columns) if is_numeric(table.values(name))]
    return bool(places) and all(number(cells[place]) is not None for place in places)


def _cells(line: str, sign: str) -> list[str]:
    return next(csv.reader([line], delimiter=sign, skipinitialspace=True), [])


def _column(pair: str, columns: Sequence[str]) -> str | None:
    match = _PAIR.match(pair)
    return (pick(match[1], columns).name or None) if match else None


def _replace(desk: Desk, step: Step) -> Work:
    if step.word("old") and "new" not in step.arguments and desk.context.file:
        step = yield from _by_shape(desk, step)
    sought, new = desk.need(step, "old"), step.word("new")
    if "new" not in step.arguments:
        raise desk.missing(step, "new")
    if _is_turned_round(step, desk.language):
        step = step.with_arguments(old=(new,), new=(sought,))
        sought, new = new, sought
    path, old = yield from _with(desk, step, sought)
    if (cell := _cell_beside(step, path, old)) is not None:
        is_said = cell.old in step.text.split() or names_column(step.text, cell.column, desk.language)
        cell = cell._replace(is_clear=cell.is_clear or is_said)
        return (yield from _put_into_cell(desk, step, path, old, cell))
    if (labelled := _labelled(old, sought, new)) is not None:
        return (yield from _put_behind_label(desk, step, path, old, labelled))
    if _is_key(path, old, sought) and not concepts_of(step.text) & {"key", "name", "rename"}:
        return (
            yield from _json_set(
                desk, Step("json.set", {"file": (path,), "key": (sought,), "new": (new,)}, text=step.text)
            )
        )
    pattern = _pattern_of(old, sought)
    if pattern is None:
        raise Ask(desk.say("no_text", file=path, word=sought), can_try_others=True)
    if _is_other_sort(path, old, sought, new):
        raise (yield from _which_rows(desk, step, path, old))
    count = len(pattern.findall(old))
    is_number = _shape(sought) == "9"
    is_odd = (_shape(new) == "9") != is_number or (is_number and count > 1 and not concepts_of(step.text) & _EVERYWHERE)
    if desk.asks_first or (is_odd and not desk.is_certain):  # a number is rarely meant wherever it stands
        raise Ask(desk.say("shall", plan=show(step.with_arguments(file=(path,)))))
    changed = pattern.sub(lambda _: new, old)
    yield from edit(desk, path, old, lines(changed))
    found = pattern.search(old)
    said = desk.say("replaced", file=path, old=found[0] if found else sought, new=new, n=count)
    return _done(step, said, path)


def _is_key(path: str, text: str, word: str) -> bool:
    """Tell whether a word is a key of a file of keys and values: what it holds is meant, and the key stays what it is.

    Examples
    --------
    >>> _is_key("a.json", '{"open": false}', "open"), _is_key("a.json", '{"open": false}', "false")
    (True, False)
    """
    if not path.casefold().endswith(KEYED):
        return False
    try:
        return any(name.rpartition(".")[2] == word for name in keyed(text).spans)
    except ValueError:
        return False


def _is_turned_round(step: Step, language: str) -> bool:
    """Tell whether the old and the new were taken for each other: "12 instead of 0", 'replace "a 1" by "a 2"'.

    Examples
    --------
    >>> _is_turned_round(Step("replace", {"old": ("12",), "new": ("0",)}, text="it has to be 12 instead of 0"), "en")
    True
    >>> _is_turned_round(Step("replace", {"old": ("tea",), "new": ("milk",)}, text="replace milk by tea"), "en")
    True
    >>> _is_turned_round(Step("replace", {"old": ("tea",), "new": ("milk",)}, text="it says milk, not tea"), "en")
    False
    """
    said, sought, new = step.text.partition("\n")[0], step.word("old"), step.word("new")
    found = words_of(said)
    told = words_of_wishes(language).concepts(found)
    at = next((word.start for word, one in zip(found, told, strict=True) if "instead" in one), -1)
    if at >= 0 or not new or said.count(sought) != 1 or said.count(new) != 1 or said.find(sought) < said.find(new):
        is_said_so = at >= 0 and sought in said[:at] and sought not in said[at:] and bool(new) and new in said[at:]
        return is_said_so and language != "ja" and _shape(sought) == _shape(new)  # 「AではなくB」: A was there
    before = concepts_of(said[: said.find(new)])
    between = [word for word in words_of(said[said.find(new) + len(new) : said.find(sought)]) if word.kind != "quote"]
    is_by = 0 < len(between) <= 2 and all(  # noqa: PLR2004 - "by", "into the"
        word.text.isalpha() and (is_small(word.text) or is_small_in(word.folded, language)) for word in between
    )
    return bool(before & {"replace", "change"}) and is_by and not any(NEGATING & concepts_of(w.text) for w in between)


def _cell_beside(step: Step, path: str, text: str) -> Cell | None:
    """Return the value beside what is to be replaced, where the new one is no value of its column: "change frames of H5 to 6"."""
    sought, new = step.word("old"), step.word("new")
    if not path.casefold().endswith((".csv", ".tsv")):
        return None
    table = read_table(text)
    place = next((at for at, name in enumerate(table.columns) if sought in table.values(name)), -1)
    if place < 0 or _shape(new) in {_shape(value) for value in table.values(table.columns[place])}:
        return None
    meant = cells_meant(text, step.text.partition("\n")[0].replace(path, " "), new)
    if len(meant) == 1 and meant[0].column != table.columns[place]:
        return meant[0]
    rows = [at for at, row in enumerate(table.rows) if row[place] == sought]
    like = {
        value: name for name in table.columns for at in rows if _shape(value := table.values(name)[at]) == _shape(new)
    }
    if len(rows) != 1 or len(like) != 1:
        return None
    ((old, column),) = like.items()
    if old == new:  # "to 18:00 instead of 19:00"
        others = {word.text for word in words_of(step.text) if _shape(word.text) == _shape(new)} - {old}
        return Cell(str(rows[0]), column, old, others.pop()) if len(others) == 1 else None
    return Cell(str(rows[0]), column, old, new, is_clear=False)


def _is_other_sort(path: str, text: str, sought: str, new: str) -> bool:
    """Tell whether words would stand where a table has numbers only: "my fee of 13 May is wrong, it has to be 85.00"."""
    if not path.casefold().endswith((".csv", ".tsv")):
        return False
    table = read_table(text)
    held = [name for name in table.columns if sought in table.values(name)]
    return bool(held) and number(new) is None and all(is_numeric(table.values(name)) for name in held)


def _which_rows(desk: Desk, step: Step, path: str, text: str) -> Work:
    """Make the question which row is meant, of those that a request speaks of; else what is meant at all."""
    table = read_table(text)
    said = [word.text for word in words_of(step.text) if word.kind == "word" and word.text[:1].isupper()]
    rows = [row for row in table.rows if sum(any(holds(value, one) for value in row) for one in said) > 1]
    yield from ()
    if 0 < len(rows) <= _FEW_ROWS:
        return Ask(desk.say("ask.which", names=desk.either([write_row(table, row) for row in rows])))
    return Ask(desk.say("no_text", file=path, word=step.word("old")), can_try_others=True)


def _labelled(text: str, label: str, new: str) -> tuple[int, str, bool] | None:
    r"""Return the line of which a label is meant whose value is to be another, and whether the new one looks alike.

    Examples
    --------
    >>> _labelled("- Friday: 9:00-18:00\n- Saturday: 10:00-14:00\n", "Saturday", "10:00-16:00")
    (1, '- Saturday: 10:00-16:00', True)
    >>> _labelled("Tom: barn\n", "Tom", "Eva")
    """
    line = re.compile(rf"(\W*{re.escape(label)}\s*[:=]\s*)(\S.*)", re.IGNORECASE)
    found = [(at, match) for at, one in enumerate(lines(text)) if (match := line.fullmatch(one))]
    if len(found) != 1 or not label or any(not any(map(str.isdigit, one)) for one in (new, found[0][1][2])):
        return None
    ((at, match),) = found
    return at, match[1] + new, _shape(match[2]) == _shape(new)


def _put_behind_label(desk: Desk, step: Step, path: str, old: str, labelled: tuple[int, str, bool]) -> Work:
    at, changed, is_alike = labelled
    before = lines(old)
    if desk.asks_first or not is_alike:
        plan = Step("line.replace", {"file": (path,), "line": (str(at + 1),), "new": (changed,)})
        raise Ask(desk.say("shall", plan=show(plan)))
    yield from edit(desk, path, old, [*before[:at], changed, *before[at + 1 :]])
    return _done(step, desk.say("line_replaced", file=path, n=at + 1, old=before[at], new=changed), path)


def _shape(value: str) -> str:
    """Return how a value looks: 0151-22 is 9-9, 12.5 is 9, anything with letters but words is a."""
    if number(value) is not None and "-" not in value.strip("-"):
        return "9"
    return re.sub(r"[^\W\d_]+", "a", re.sub(r"\d+", "9", value.strip())) if any(map(str.isdigit, value)) else "a"


def _by_shape(desk: Desk, step: Step) -> Work:
    """Find what a number replaces of which only the right form was said: what looks the same, the second of them."""
    path, right = desk.context.file, step.word("old")
    entry: Entry | None = yield from desk.folder.find(path)
    text: str = (yield from desk.folder.editable(path)) if entry is not None and not entry.is_folder else right
    if right in text or not any(sign.isdigit() for sign in right):
        return step
    shape = re.sub(r"\d", r"\\d", re.escape(right))
    found = list(dict.fromkeys(re.findall(rf"(?<![\w]){shape}(?![\w])", text)))
    said = step.text.partition("\n")[0].replace(right, " ")
    place = next((at for word in said.split() if (at := rank(word)) is not None), 1 if len(found) == 1 else 0)
    if not found and (both := _with_unit(text, right, desk.language)) is not None:
        return step.with_arguments(file=(path,), old=both[:1], new=both[1:])
    if not 0 < abs(place) <= len(found):
        return step
    old = found[place - 1 if place > 0 else place]
    return step.with_arguments(file=(path,), old=(old,), new=(right,))


def _with_unit(text: str, said: str, language: str) -> tuple[str, str] | None:
    """Return the only number of a text with a unit that is said, in whatever language, and the other number with it.

    Examples
    --------
    >>> _with_unit("Please pay the 30 euro within 14 days.", "10 Tage", "de"), _with_unit("5 days or 9 days", "3 days", "en")
    (('14 days', '10 days'), None)
    """
    number, _, unit = said.partition(" ")
    wanted = {stem(plain(unit)), *forms_of(plain(unit)), *in_english(unit, language)}
    pairs = re.findall(r"(?<![\w.,])\d[\d.,]*(?= )| [^\W\d_]+", text)
    met = {
        f"{one}{other}": f"{number}{other}"
        for one, other in pairwise(pairs)
        if one[:1].isdigit() and wanted & {stem(plain(other)), *forms_of(plain(other))} and f"{one}{other}" in text
    }
    return next(iter(met.items())) if len(met) == 1 else None


def _with(desk: Desk, step: Step, sought: str) -> Work:
    """Settle the file of a replacement: where none is named, the last one, or the only one that holds the text."""
    if step.word("file"):
        return (yield from _there(desk, step))
    if desk.context.file:
        text: str = yield from desk.folder.editable(desk.context.file)
        if _pattern_of(text, sought) is not None:
            return desk.context.file, text
    every: list[Entry] = yield from desk.folder.everything()
    texts: dict[str, str] = yield from desk.folder.read_all([one.name for one in files_of(every)][:60])
    found = [name for name, one in texts.items() if _pattern_of(one, sought) is not None]
    if len(found) == 1:
        return found[0], (yield from desk.folder.editable(found[0]))
    if found:
        raise Ask(desk.say("ask.which", names=desk.either(found)))
    return (yield from _there(desk, step))


def _pattern_of(text: str, sought: str) -> re.Pattern[str] | None:
    """Return what finds a text: as a whole word where it stands as one, else anywhere; capitals only where they fit."""
    bare = re.escape(sought)
    left = r"(?<!\w)" if sought[:1].isalnum() else ""
    right = r"(?!\w)" if sought[-1:].isalnum() else ""
    if _shape(sought) == "9":  # 12 is no part of 12.40
        left, right = rf"{left}(?<!\d\.)", rf"{right}(?!\.\d)"
    whole = [left + bare + right] * bool(sought)
    if " " in sought and (shorter := trimmed(sought)) != sought:  # "os 30", which "ovos 30" ends with
        whole.append(rf"(?<!\w){re.escape(shorter)}(?!\w)")
    ways = [(one, flag) for one in whole for flag in (re.NOFLAG, re.IGNORECASE)]
    anywhere = [(bare, re.NOFLAG), (bare, re.IGNORECASE)] if sought and _shape(sought) != "9" else []
    found = (re.compile(*way) for way in (*ways, *anywhere))
    return next((pattern for pattern in found if pattern.search(text)), None)


def _line_replace(desk: Desk, step: Step) -> Work:
    desk.need(step, "line")
    new = given_text(desk, step, "new")
    path, old = yield from _there(desk, step)
    before = lines(old)
    at = _line_at(desk, path, desk.number(step, "line"), before)
    yield from edit(desk, path, old, [*before[:at], *lines(new), *before[at + 1 :]])
    return _done(step, desk.say("line_replaced", file=path, n=at + 1, old=before[at], new=new), path)


def _line_delete(desk: Desk, step: Step) -> Work:
    found: tuple[str, str] | None = yield from _only_with(desk, step)
    path, old = found or (yield from _there(desk, step))
    before = lines(old)
    gone, is_clear = _lines_meant(desk, step, path, before)
    is_clear = is_clear and found is None and not (desk.is_guessed and step.word("find"))  # nobody spoke of that file
    boxes = [BOX.match(before[at]) for at in gone]
    if "done" in concepts_of(step.text) and step.word("find") and all(one and one[2] == " " for one in boxes):
        return (yield from _tick(desk, step._replace(act="line.tick")))
    marks = frozenset[str]().union(*words_of_wishes(desk.language).concepts(words_of(step.text.partition("\n")[0])))
    if len(boxes) == 1 and boxes[0] and "tickmark" in marks:  # "nimm den Haken bei der Waage weg"
        return (yield from _tick(desk, Step("line.untick", {"file": (path,), "find": (boxes[0][4],)}, text=step.text)))
    going = [f"{at + 1}: {before[at]}" for at in sorted(gone)]
    shown = quoted(going, desk.language)
    agreed = step.arguments.get("lines", ())  # the rows that were said yes to: only these go
    if (
        not set(shown.splitlines()) <= set(agreed)
        if agreed
        else not (desk.is_certain or (is_clear and not desk.asks_first))
    ):
        raise Ask(desk.say("ask.lines", file=path, n=len(gone), lines=shown))
    left = [line for at, line in enumerate(before) if at not in gone]
    if path.endswith(".json") and _is_json(before) and not _is_json(left):  # "take the last one out" is no bracket
        raise desk.missing(step.with_arguments(line=(), find=()), "line")
    yield from edit(desk, path, old, left)
    return _done(step, desk.say("lines_deleted", file=path, n=len(gone), lines=shown), path)


def _is_json(text: Sequence[str]) -> bool:
    """Tell whether lines are JSON together.

    Examples
    --------
    >>> _is_json(["{", '"a": 1', "}"]), _is_json(["{", '"a": 1'])
    (True, False)
    """
    try:
        json.loads("\n".join(text))
    except ValueError:
        return False
    return True


def _line_move(desk: Desk, step: Step) -> Work:
    """Put the one line of a text that is meant first, or last: below the heading of what it stands under."""
    path, old = yield from _there(desk, step)
    before = lines(old)
    meant, _ = _lines_meant(desk, step, path, before)
    if len(meant) != 1:
        raise Ask(desk.say("ask.which", names=desk.either([before[at] for at in sorted(meant)])), can_try_others=True)
    (at,) = meant
    first, last = _block_of(before, at)
    to = first if rank(desk.need(step, "to")) == 1 else last
    if to == at:
        raise CannotWork(desk.say("same_already", file=path))
    rest = [*before[:at], *before[at + 1 :]]
    yield from edit(desk, path, old, [*rest[:to], before[at], *rest[to:]])
    return _done(step, desk.say("line_moved", file=path, n=at + 1, to=to + 1, line=before[at]), path)


def _block_of(before: Sequence[str], at: int) -> tuple[int, int]:
    """Return the first and the last place of the lines that a line stands among: no heading and no blank line is between them.

    Examples
    --------
    >>> _block_of(["# Buy", "milk", "tea", "", "# Do", "sing"], 2), _block_of(["Ann", "Bo"], 1)
    ((1, 2), (0, 1))
    """
    is_end = [not line.strip() or line.startswith("#") for line in before]
    first = next((one + 1 for one in range(at, -1, -1) if is_end[one]), 0)
    last = next((one - 1 for one in range(at, len(before)) if is_end[one]), len(before) - 1)
    return first, last


def _only_with(desk: Desk, step: Step) -> Work:
    """Return the only text that has a line with what is to go, and what it holds, where no file is spoken of; else ``None``."""
    sought = step.word("find")
    if step.word("file") or desk.context.file or not sought or not desk.folder.has("fs_list"):
        return None
    every: list[Entry] = yield from desk.folder.everything()
    names = [one.name for one in files_of(every, _OF_LINES)][:_MOST_TABLES]
    texts: dict[str, str] = yield from desk.folder.read_all(names)
    holding = [name for name, text in texts.items() if any(holds(line, sought) for line in lines(text))]
    if len(holding) != 1:
        return None
    return holding[0], (yield from desk.folder.editable(holding[0]))


_OF_LINES = (".txt", ".md")
"""How the names of files end that hold lines, and neither rows nor a program."""


def _lines_meant(desk: Desk, step: Step, path: str, before: Sequence[str]) -> tuple[set[int], bool]:
    """Return the places of the lines that are to go, and whether it is clear that these are meant."""
    said = tuple(word for word in step.arguments.get("line", ()) if not _tells_day(word))
    run = next((found[0] for found in _RUN.finditer(step.text) if said and said[0] in found[0]), "")
    places = _places(run, desk.language) if run else [place for word in said for place in line_numbers(word)]
    if any(sign.isdigit() for word in said for sign in word) or (said and len(places) == len(said)):
        if not places:
            raise desk.missing(step, "line")
        return {_line_at(desk, path, place, before) for place in places}, True
    sought = step.word("find") or " ".join(step.arguments.get("line", ()))
    first = concepts_of(sought.partition(" ")[0])
    if is_part(sought) and "one_number" in first and not first & {"it", "line", "first"}:
        raise desk.missing(step.with_arguments(line=()), "line")  # "a line"
    if not sought or is_pointer(sought, "it") or begins_with_pointer(sought) or is_part(sought):
        answered = {line.strip() for line in (desk.context.answer, *_added(desk)) for line in line.splitlines()}
        shown = {at for at, line in enumerate(before) if line.strip() and line.strip() in answered}
        if len(shown) != 1 or not sought:
            raise desk.missing(step.with_arguments(line=()), "line")
        return shown, True
    if found := {at for at, line in enumerate(before) if holds(line, sought)}:
        row = before[min(found)]
        is_cell = sought.casefold() in re.split("[,;\t]", row.casefold())
        is_guess = desk.is_guessed and path.endswith((".csv", ".tsv")) and not is_cell  # of a table that was described
        is_clear = len(found) == 1 and not (is_guess and not _is_all_said(row, sought, desk.language))
        return found, is_clear or (bool(step.word("find")) and desk.is_certain)
    title = {word.folded for word in words_of(path.rpartition("/")[2].rpartition(".")[0])}  # "# Props" is no prop
    request = [one for one in words_of(step.text.partition("\n")[0]) if one.kind != "file" and one.folded not in title]
    described = " ".join((sought, *(one.text for one in request)))
    if found := _described_line(before, described) or _described_line(before, described, desk.language):
        rows = [before[at] for at in found]
        is_word = len(telling_words(rows[0])) == 1 and bool(nearest_texts(sought, rows, desk.language)[1])  # "zucker"
        is_said = is_word or bool(nearest_texts(sought, rows)[1]) or _is_all_said(rows[0], described, desk.language)
        return found, is_said
    near = {
        line for _, line in likeliest_lines(sought, {path: "\n".join(before)}, is_part=True, language=desk.language)
    }
    if declined := {at for at, line in enumerate(before) if _is_declined(sought, line.strip(" -*•"))}:
        return declined, False
    if not near:
        raise Ask(desk.say("no_match", file=path, word=sought), can_try_others=True)
    return {at for at, line in enumerate(before) if line in near}, False


def _is_declined(said: str, line: str) -> bool:
    """Tell whether what is said is a line with an ending of its case: "Bena" of Ben."""
    return len(line) >= _SHORTEST_NAME and said != line and said.startswith(line) and len(said) - len(line) <= _CASE


_SHORTEST_NAME, _CASE = 3, 2
"""Letters of a name, at least, and of the ending of a case."""


def _added(desk: Desk) -> tuple[str, ...]:
    """Return the lines that the last change added."""
    return desk.context.changed.arguments.get("added", ()) if desk.context.changed is not None else ()


def _tick(desk: Desk, step: Step) -> Work:
    """Mark a line of a list of boxes as done, or as open again, the way the file has its marks."""
    sought = step.word("text") or desk.need(step, "find")
    path, old = yield from _there(desk, step)
    before = lines(old)
    boxes = {at: found for at, line in enumerate(before) if (found := BOX.match(line)) is not None}
    if not boxes:
        raise Ask(desk.say("ask.tick", file=path, word=sought))
    is_tick = step.act == "line.tick"
    about = {at: found[4] for at, found in boxes.items() if (found[2] == " ") == is_tick} or {
        at: found[4] for at, found in boxes.items()
    }
    sought = _box_at_place(desk, sought, path, [found[0] for found in boxes.values()], list(about.values())) or sought
    chosen = pick(sought, about.values())
    meant = (
        [chosen.name]
        if chosen.name
        else list(chosen.rivals) or nearest_texts(sought, list(about.values()), desk.language)[0]
    )
    if len(meant) != 1:
        raise Ask(desk.say("ask.task", names=", ".join(meant or about.values())), can_try_others=not meant)
    at = next(place for place, words in about.items() if words == meant[0])
    marks = [found[2] for found in boxes.values() if found[2] != " "]
    new = BOX.sub(lambda found: f"{found[1]}{(marks or ['x'])[0] if is_tick else ' '}{found[3]}{found[4]}", before[at])
    if new == before[at]:
        raise CannotWork(desk.say("same_already", file=path))
    yield from edit(desk, path, old, [*before[:at], new, *before[at + 1 :]])
    return _done(step, desk.say("line_replaced", file=path, n=at + 1, old=before[at], new=new), path)


def _box_at_place(desk: Desk, sought: str, path: str, boxes: Sequence[str], about: Sequence[str]) -> str:
    """Return what stands at a place in the boxes that were shown, and where none were in those that may be meant."""
    place = rank(sought) if all(is_small(word) or concepts_of(word) or rank(word) for word in sought.split()) else None
    shown = desk.context.shown or (boxes if path in dict(desk.context.read) else ())
    rows = [found[4] for row in shown if (found := BOX.match(row)) is not None] or about
    return rows[place - (place > 0)] if place and -len(rows) <= place <= len(rows) else ""


def _tells_day(words: str) -> bool:
    """Tell whether words tell a time, and no line: "last year".

    Examples
    --------
    >>> _tells_day("last year"), _tells_day("the last"), _tells_day("segunda linha")
    (True, False, False)
    """
    return any("day" in concepts_of(word) and rank(word) is None for word in words.split())


def _places(run: str, language: str = "") -> list[int]:
    """Read the numbers of several lines: "2 and 3", "2, 5", "2 to 4"; none where it is not clear.

    Examples
    --------
    >>> _places("2 to 4", "en"), _places("2 à 4", "fr"), _places("2 et 4", "fr")
    ([2, 3, 4], [2, 3, 4], [2, 4])
    """
    between = re.sub(r"\d+", " ", run)
    own = frozenset[str]().union(*lexicon_of(language).concepts(words_of(between)))
    is_span = "between" in concepts_of(between) or ("into" in own and "about" not in own)  # no "1 sur 2"
    if len(re.findall(r"\d+", run)) == 2 and is_span:  # noqa: PLR2004 - from one to another
        return line_numbers("-".join(re.findall(r"\d+", run)))
    return line_numbers(run)


def _is_all_said(line: str, said: str, language: str) -> bool:
    """Tell whether what is said has all words of a line, or of one cell of a row, in whatever language; one alone may be chance.

    Examples
    --------
    >>> _is_all_said("C12,Red wings,S", "le ali rosse", "it"), _is_all_said("C12,Red wings,S", "le ali", "it")
    (True, False)
    """
    cells = [cell for cell in re.split("[,;\t]", line) if len(telling_words(cell)) > 1]
    return any(nearest_texts(said, [cell], language)[1] >= len(telling_words(cell)) for cell in cells)


def _described_line(before: Sequence[str], said: str, language: str = "") -> set[int]:
    """Return the place of the one line that has more of some words than any other; none where several do."""
    nearest, _ = nearest_texts(said, before, language)
    return {at for at, line in enumerate(before) if line in nearest} if len(nearest) == 1 else set()


def _line_at(desk: Desk, path: str, place: int, before: Sequence[str]) -> int:
    at = place - 1 if place > 0 else len(before) + place
    if not 0 <= at < len(before):
        raise Ask(desk.say("no_line", file=path, word=place, n=len(before)), can_try_others=True)
    return at


def _json_set(desk: Desk, step: Step) -> Work:
    key, new = desk.need(step, "key"), step.word("new")
    path, old = ("", "") if not new and " " not in key else (yield from _there(desk, step))
    key, new = (key, new) if new else _key_and_value(old, key)
    if not new:
        raise desk.missing(step, "new")
    path, old = (path, old) if path else (yield from _there(desk, step))
    try:
        json_path(old, key)
    except (NoSuch, Unsure) as error:
        key = key_abroad(error, key, desk.language) or key
    try:
        key = _switch_below(old, json_path(old, key)) if truth(new) is not None else key
        name = json_path(old, key)
        new = _without_key(new, name, desk.language)
        ways = with_end(str(keyed(old).values[name]), new, desk.context.answer)
        if len(ways) > 1 and not desk.is_certain:
            raise Ask(desk.say("shall", plan=show(step.with_arguments(key=(name,), new=(ways[-1],)))))
        changed = json_set(old, key, ways[-1])
        first, last = keyed(old).spans[name]
    except (NoSuch, Unsure) as error:
        raise desk.explain(error, path) from error
    except ValueError as error:
        raise Ask(desk.say("no_json", file=path), can_try_others=True) from error
    if isinstance(keyed(old).values[name], dict | list) and new.lstrip()[:1] not in {"{", "["} and not desk.is_certain:
        held = old[first:last]  # all that is in it would be lost
        is_one = old.count(held) == 1 and "\n" not in held
        lost = Step("replace", {"file": (path,), "old": (held,), "new": (new,)})
        plan = lost if is_one else Step("json.set", {"file": (path,), "key": (name,), "new": (new,)})
        raise Ask(desk.say("shall", plan=show(plan)))
    now: str = yield from edit(desk, path, old, lines(changed))
    start, end = keyed(now).spans[name]
    said = desk.say("json.set", file=path, name=name, new=now[start:end], old=old[first:last])
    return _done(step, said, path)


def with_end(span: str, end: str, said: str = "") -> list[str]:
    """Return what a time or a date makes of a span of them of which it is one end, and every other value as it is.

    Parameters
    ----------
    span, end : str
        What is there, and what it should be.
    said : str
        What was just told of it: the end that was changed before is the one that is changed again.

    Returns
    -------
    list of str
        Two, where it may be either end.

    Examples
    --------
    >>> with_end("10:00-14:00", "16:00"), with_end("10:00-14:00", "12:00")
    (['10:00-16:00'], ['12:00-14:00', '10:00-12:00'])
    >>> with_end("10:00-15:00", "12:00", "10:00-15:00 (before: 10:00-14:00)"), with_end("08-20", "12")
    (['10:00-12:00'], ['12'])
    """
    form = rf"({re.sub('[0-9]+', '[0-9]+', re.escape(end.strip()))})"
    whole = re.compile(rf"{form}(\s*[-\u2013]\s*){form}")
    found = whole.fullmatch(span.strip())
    if found is None or end.strip().isdigit() or not any(map(str.isdigit, end)):
        return [end]
    first, dash, last = found.groups()
    ways = [one for one in ((end, last), (first, end)) if _numbers(one[0]) < _numbers(one[1])] or [(first, end)]
    before = next((one.groups() for one in whole.finditer(said) if one[0] != found[0]), (first, dash, last))
    kept = [way for way in ways if (way[0] == first == before[0]) or (way[1] == last == before[2])]
    return [f"{one}{dash}{other}" for one, other in (kept if len(kept) == 1 else ways)]


def _numbers(text: str) -> list[int]:
    return [int(one) for one in re.findall("[0-9]+", text)]


def _without_key(new: str, key: str, language: str) -> str:
    """Leave out of a value the word before it that only names its key.

    Examples
    --------
    >>> _without_key("farbe blau", "color", "de"), _without_key("dark blue", "color", "en")
    ('blau', 'dark blue')
    """
    head, _, rest = new.partition(" ")
    return rest if rest and names_column(head, key.rpartition(".")[2], language) else new


def _key_and_value(text: str, said: str) -> tuple[str, str]:
    """Part the name of a key from a word that is to stand there, where both were read as its name: "color blue"; no value where it is none.

    Examples
    --------
    >>> text = '{"color": "green", "seats": 3, "open": {"from": "8:00"}}'
    >>> _key_and_value(text, "color blue"), _key_and_value(text, "seats 4"), _key_and_value(text, "seats more")
    (('color', 'blue'), ('seats', '4'), ('seats more', ''))
    """
    key, _, new = said.rpartition(" ")
    try:
        name = json_path(text, trimmed(key)) if key and text else ""
        value = keyed(text).values[name] if name else None
    except (NoSuch, Unsure, ValueError):
        return said, ""
    is_alike = isinstance(value, str) or (isinstance(value, int | float) and new.replace(".", "", 1).isdigit())
    is_word = not (concepts_of(new) or is_small(new))
    is_named = plain(name.rpartition(".")[2]) == plain(trimmed(key))
    return (trimmed(key), new) if is_alike and is_named and (is_word or new.isdigit()) else (said, "")


def _switch_below(text: str, key: str) -> str:
    """Return the one yes or no below a key, where it has parts: "wifi.enabled" of "wifi"; else the key itself."""
    below = [
        name
        for name, (first, last) in keyed(text).spans.items()
        if name.startswith(f"{key}.") and text[first:last] in _SWITCHES
    ]
    return below[0] if len(below) == 1 else key


def _cell_set(desk: Desk, step: Step) -> Work:
    """Change one value that is told by what stands beside it: exactly one row, or it is asked which."""
    said, new, word = desk.need(step, "text"), step.word("new"), step.word("file")
    if word and not is_series(word) and (desk.is_path(word) or is_pointer(word, "it")):
        path, old = yield from _there(desk, step)
        said = said.replace(word, " ")
    else:
        path, old = yield from _only_table(desk, said, new, word)
    if path.casefold().endswith(_OF_LINES):
        return (yield from _value_in_line(desk, step, path, old))
    old = in_json(path, old)
    wishes = [one for one in CLAUSES.split(said) if one != said and _is_wish(one, desk.language)]
    ways = ((said, new), *((one, "") for one in wishes))  # the other clauses only say why
    meant = next(filter(None, (_cells_in(desk, path, old, *way) for way in ways)), [])
    is_of_name = bool(new) and path not in step.text and new in re.findall(r"\d+", path)  # "in the settings 2025"
    if not meant or is_of_name:
        raise Ask(desk.say("unclear"), can_try_others=True)
    table, is_json = read_table(old), old.lstrip()[:1] in {"{", "["}
    if len(meant) > 1:
        is_of_one = len({cell.entry for cell in meant}) == 1
        rows = [
            f"{cell.entry}.{cell.column}"
            if is_json
            else cell.column
            if is_of_one
            else write_row(table, table.rows[int(cell.entry)])
            for cell in meant
        ]
        raise Ask(desk.say("ask.which", names=desk.either(rows)))
    (cell,) = meant if meant[0].is_clear or is_json else _clearly_in_clause(old, said, new, meant, desk.language)
    cell = _added_to(cell, step.text.partition("\n")[0], desk.language)
    if is_json:
        key = f"{cell.entry}.{cell.column}".lstrip(".")
        plan = Step("json.set", {"file": (path,), "key": (key,), "new": (cell.new,)})
        if not cell.is_clear or desk.asks_first:
            raise Ask(desk.say("shall", plan=show(plan)), can_try_others=True)
        return (yield from _json_set(desk, plan))
    return (yield from _put_into_cell(desk, step, path, old, cell))


def _value_in_line(desk: Desk, step: Step, path: str, old: str) -> Work:
    """Change the one value of the same form in the one line that is told by what else it says, or that was just shown."""
    before, new, said = lines(old), step.word("new"), step.word("text")
    form = re.compile(rf"(?<![\d:.,-]){re.sub(r'[0-9]+', r'[0-9]+', re.escape(new))}(?![\d:]|[.,-]\d)")
    able = {before[at].strip(_MARKS): at for at in range(len(before)) if new and len(form.findall(before[at])) == 1}
    said = said.replace(path, " ").replace(new, " ")
    left = " ".join(unexplained(said, desk.language))
    shown = {line.strip(_MARKS) for line in (*desk.context.shown, *desk.context.answer.splitlines())}
    there = [line for line in able if line in shown]
    told = (there, 1) if there and not left else nearest_texts(left or said, list(able), desk.language)
    if len(told[0]) != 1 or not told[1]:
        raise Ask(desk.say("unclear"), can_try_others=True)
    at = able[told[0][0]]
    changed = form.sub(lambda _: new, before[at])
    if desk.asks_first:
        plan = Step("line.replace", {"file": (path,), "line": (str(at + 1),), "new": (changed,)})
        raise Ask(desk.say("shall", plan=show(plan)))
    yield from edit(desk, path, old, [*before[:at], changed, *before[at + 1 :]])
    return _done(step, desk.say("line_replaced", file=path, n=at + 1, old=before[at], new=changed), path)


_MARKS = " -*•"
"""What lines of a list begin with."""


def _clearly_in_clause(text: str, said: str, new: str, meant: list[Cell], language: str) -> list[Cell]:
    """Return the same value as clear where one clause says all of it, and the others only why: "mark Ann as paid, she came today"."""
    clauses = [clause for clause in CLAUSES.split(said) if clause.strip() and new in clause]
    told = (_cells_told(text, one, new, language) or _cells_marked(text, one, new, language) for one in clauses)
    clear = [found for found in told if found and all(cell.is_clear for cell in found)]
    is_denied = any(one & NEGATING for one in lexicon_of(language).concepts(words_of(said)))
    is_same = len(clear) == 1 and [cell._replace(is_clear=False) for cell in clear[0]] == meant
    return clear[0] if is_same and not is_denied else meant


def _is_wish(clause: str, language: str) -> bool:
    """Tell whether a clause wants a value to be another."""
    found = words_of(clause)
    marks = frozenset[str]().union(*words_of_wishes(language).concepts(found))
    return "mark" in marks or bool(frozenset[str]().union(*lexicon_of(language).concepts(found)) & _SETTING)


_SETTING = frozenset(("change", "put", "write"))
"""Concepts of verbs with which a value is set."""


def _cells_in(desk: Desk, path: str, text: str, said: str, new: str) -> list[Cell]:
    """Return the values that a request, or a clause of it, wants to be another."""
    return (
        _cells_told(text, said, new, desk.language)
        or _of_the_row_before(desk, path, text, said, new)
        or _cells_marked(text, said, new, desk.language)
    )


def _cells_told(text: str, said: str, new: str, language: str) -> list[Cell]:
    """Return the values that a request wants to be another, done where it says so."""
    told = frozenset[str]().union(*lexicon_of(language).concepts(words_of(said)))
    is_done = not told & {"no", "not"} if "done" in told and not new else None
    ways = ((is_done, ""), (None, ""), (None, language))  # "ready" is a value as well
    every = (cells_meant(text, said, new, is_done=done, language=own) for done, own in ways)
    return next(filter(None, every), [])


def _cells_marked(text: str, said: str, new: str, language: str) -> list[Cell]:
    """Return the values of yes and no that a request names: "mark Lucia as paid", also where a row was taken for the value."""
    told = frozenset[str]().union(*lexicon_of(language).concepts(words_of(said)))
    is_row = any(new in row for row in read_table(text).rows)  # "mark 302 as paid"
    return cells_meant(text, said, is_done=not told & {"no", "not"}) if not new or is_row else []


def _added_to(cell: Cell, said: str, language: str) -> Cell:
    """Return the value of a cell with what is more now, where it is said that it is more by that, and not that it is that.

    Examples
    --------
    >>> cell = Cell("0", "qty", "6", "2", is_clear=True)
    >>> _added_to(cell, "we bought 2 more cups", "en").new, _added_to(cell, "there are 2 cups now", "en").new
    ('8', '2')
    """
    found = words_of(said)
    marks = words_of_tables(language).concepts(found)
    at = [
        place
        for place, word in enumerate(found)
        if word.kind in {"number", "measure"} and number(word.text) is not None
    ]
    near = {place for one in at for place in (one - 1, one + 1, one + 2) if 0 <= place < len(found)}
    is_more = len(at) == 1 and any("increase" in marks[place] for place in near)
    old, more = number(cell.old), number(cell.new)
    is_sum = is_more and old is not None and more is not None and number(found[at[0]].text) == more
    return cell._replace(new=written(old + more)) if is_sum and old is not None and more is not None else cell


def _put_into_cell(desk: Desk, step: Step, path: str, old: str, cell: Cell) -> Work:
    """Change one value of a table; where it is not clear that it is meant, its row is shown and asked about."""
    table = read_table(old)
    before, row = lines(old), table.rows[int(cell.entry)]
    place = table.columns.index(cell.column)
    cell = cell._replace(new=_as_there(cell.new, table, desk.language))
    fitting = [at for at, line in enumerate(before) if read_table(f"{before[0]}\n{line}").rows[:1] == (row,)]
    if len(fitting) != 1:
        raise Ask(desk.say("ask.which", names=write_row(table, row)), can_try_others=True)
    (at,) = fitting
    changed = write_row(table, [*row[:place], cell.new, *row[place + 1 :]])
    if not cell.is_clear or desk.asks_first:
        plan = Step("line.replace", {"file": (path,), "line": (str(at + 1),), "new": (changed,)})
        raise Ask(desk.say("shall", plan=show(plan)), can_try_others=True)
    yield from edit(desk, path, old, [*before[:at], changed, *before[at + 1 :]])
    return _done(step, desk.say("line_replaced", file=path, n=at + 1, old=before[at], new=changed), path)


def _as_there(said: str, table: Table, language: str) -> str:
    """Return a new value as the table has it already, in whatever case, without a small word behind it: "owen there".

    Examples
    --------
    >>> rota = Table(("day", "late"), (("Friday", "Lucie"), ("Monday", "Owen")))
    >>> _as_there("owen there", rota, "en"), _as_there("dee", rota, "en"), _as_there("out of order", rota, "en")
    ('Owen', 'dee', 'out of order')
    """
    held = {plain(value): value for row in table.rows for value in row if value}
    words = said.split()
    ways = [said]
    if len(words) > 1 and (is_small(words[-1]) or is_small_in(words[-1].casefold(), language)):
        ways.append(" ".join(words[:-1]))
    return next((held[plain(way)] for way in ways if plain(way) in held), said)


def _of_the_row_before(desk: Desk, path: str, text: str, said: str, new: str) -> list[Cell]:
    """Return the value of the one row that was just changed or shown, or the same of another: "make that 45", "and Piet"."""
    last, asked, table, column = desk.context.changed, desk.context.query, read_table(text), ""
    rows: Sequence[Sequence[str]] = ()
    told = parse_query(asked.word("query")) if asked is not None and asked.word("file") == path else None
    if last is not None and last.act == "line.replace" and last.word("file") == path:
        rows = [row for row in table.rows if mask(write_row(table, row)) == last.word("new")]
        before = read_table(f"{lines(text)[0]}\n{last.word('old')}").rows[:1] if rows else ()
        apart = [at for row in before for at, cell in enumerate(row) if cell != mask(rows[0][at])]
        column = table.columns[apart[0]] if len(apart) == 1 else ""
        if column and (also := cells_meant(text, f"{said} {column}", new or rows[0][apart[0]])):
            return also
    elif told is not None and {one.column for one in told.where} <= set(table.columns):  # and not of a log
        rows, column = answer(told, table).rows, told.column or (told.wanted[0] if len(told.wanted) == 1 else "")
    own = [name for name in table.columns if names_column(said, name, desk.language)]
    column = own[0] if len(own) == 1 and number(new) is not None else column  # the price, and not what was asked last
    is_of_words = bool(column) and not any(map(str.isdigit, "".join(table.values(column))))
    if len(rows) != 1 or (is_of_words and number(new) is not None):
        return []  # a number does not take the place of a word
    is_own = table.values(table.columns[0]).count(rows[0][0]) == 1
    named = f"{_without_whose(said, new, desk.language)} {' '.join(rows[0][:1] if is_own else rows[0])}"
    truths = [name for name in table.columns if holds_truths(table.values(name))]
    is_truth = any(names_column(new or said, name, desk.language) for name in truths)
    if is_truth and not any(map(str.isdigit, new)):
        return _cells_marked(text, named, "", desk.language)  # "set it to paid" is a yes, and no "paid"
    found = cells_meant(text, named, new)
    told_of = [cell for cell in found if names_column(said, cell.column, desk.language)]
    beside = cells_meant(text, f"{named} {column}", new) if column else []
    if (
        found
        and is_form_of(new, table.values(found[0].column))
        and not (column and is_form_of(new, table.values(column)))
    ):
        beside = []  # a price is no number of pieces
    return told_of or beside or found or cells_meant(text, named, new, language=desk.language)


def _without_whose(said: str, new: str, language: str) -> str:
    """Leave out the small words of a text that only say whose something is, where the row is known: "set his fine to 0".

    Examples
    --------
    >>> _without_whose("set his fine to 0", "0", "en"), _without_whose("zet zijn boete op nee", "nee", "nl")
    ('set fine to 0', 'zet boete op nee')
    """
    found = words_of(said)
    whose = [
        word
        for word, told in zip(found, lexicon_of(language).concepts(found), strict=True)
        if is_small_in(word.folded, language) and told <= {"it", "you"} and word.text not in new.split()
    ]
    for word in reversed(whose):
        said = said[: word.start] + said[word.end :].lstrip()
    return said


def _only_table(desk: Desk, said: str, new: str, described: str = "") -> Work:
    """Return the only table that holds what is meant, and its text; of those that are described, or of a series, where one is."""
    every: list[Entry] = yield from desk.folder.everything()
    names = [one.name for one in files_of(every, TABULAR)]
    if is_series(described):
        names = members(described, names)
    elif described and (near := nearest_texts(described, names, desk.language))[1]:
        names = near[0]
    read: dict[str, str] = yield from desk.folder.read_all(names[:_MOST_TABLES])
    texts = {name: in_json(name, text) for name, text in read.items()}
    fitting: list[str] = []
    for most, value in product((1, _MOST_CELLS), dict.fromkeys((new, ""))):
        for language in ("", desk.language):
            fitting = fitting or [
                name
                for name, text in texts.items()
                if 0 < len(cells_meant(text, said, value, language=language)) <= most
            ]
    marked = (name for name, text in texts.items() if len(_cells_marked(text, said, new, desk.language)) == 1)
    fitting = fitting or [*marked]
    if described and len(fitting) > 1:  # and not the one that was put away in a folder
        fitting = [name for name in fitting if name.count("/") == min(one.count("/") for one in fitting)]
    if len(fitting) != 1:
        raise Ask(desk.say("unclear"), can_try_others=True)
    return fitting[0], (yield from desk.folder.editable(fitting[0]))


# -- files and folders -------------------------------------------------------------------------------------------------


def _folder_make(desk: Desk, step: Step) -> Work:
    desk.need(step, "to")
    names = tuple(name.strip().strip("\"'`").rstrip("/") for name in step.arguments["to"])
    desk.has_changed = True
    for name in names:
        said: str = yield from desk.folder.call("fs_mkdir", path=name)
        if _THERE in said:
            raise CannotWork(desk.say("there_already", file=name))
        desk.folder.forget(name)
    told = "\n".join(desk.say("folder_made", file=name) for name in names)
    return Outcome(told, "", step.with_arguments(to=names), names[0] if len(names) == 1 else "")


def _delete(desk: Desk, step: Step) -> Work:
    words_said = step.arguments.get("file", ())
    if not words_said and not desk.context.file:
        raise desk.missing(step, "file")
    is_plain = len(words_said) == 1 and desk.is_path(words_said[0]) and not desk.asks_first
    if is_plain and not desk.is_part_of_name(step, words_said[0]):
        name = words_said[0].removeprefix("./")
        try:
            text: str = yield from desk.folder.read(name)
        except (Absent, Failed, TooLarge):
            if not desk.folder.has("fs_list"):  # nothing to look with: the tool says whether there is such a file
                return (yield from _delete_read(desk, step, name, ""))
        else:
            return (yield from _delete_read(desk, step, name, text))
    paths: tuple[str, ...] = yield from desk.files(step)
    return (yield from _delete_all_of(desk, step, paths))


def _delete_read(desk: Desk, step: Step, name: str, text: str) -> Work:
    """Delete a file that was named and read: nothing else has to be looked at, and the tool says whether it is gone."""
    desk.has_changed = True
    says = desk.say("loses", file=name, n=len(lines(text))) if text else desk.say("deletes", names=name)
    yield from desk.folder.call("fs_delete", says, path=name)
    desk.folder.forget(name)
    settled = Step("delete", {"file": (name,)}, text=step.text)
    return Outcome(_told_deleted(desk, name, text), "", settled)


def _told_deleted(desk: Desk, name: str, text: str) -> str:
    """Say that a file is gone, with what it held where that is short and shown as it was: with it the file can be made again."""
    if not _can_be_told(text):
        return desk.say("deleted", names=name)
    return desk.say("deleted.held", file=name, lines=quoted(lines(text), desk.language))


def _can_be_told(text: str) -> bool:
    """Tell whether a text is short, and shown as it is, so that an answer that holds it is enough to write it again."""
    held = lines(text)
    is_whole = text == "".join(f"{line}\n" for line in held) and all(map(str.isprintable, held))
    return 0 < len(held) <= _MOST_HELD and len(text) <= LONGEST_LINE and is_whole and not holds_secret(text)


def _delete_all_of(desk: Desk, step: Step, paths: Sequence[str]) -> Work:
    """Delete files: one at once, several or a full folder after the person has seen which."""
    entries = []
    for path in paths:
        entry: Entry | None = yield from desk.folder.find(path)
        if entry is None:
            raise Absent(path)
        entries.append(entry)
    going: list[str] = []
    for entry in entries:
        below: list[Entry] = (yield from desk.folder.everything(entry.name)) if entry.is_folder else []
        going += [entry.name + "/"] * entry.is_folder + [one.name for one in below] or [entry.name]
    if (len(going) > 1 or desk.asks_first) and not desk.is_certain:
        raise Ask(desk.say("ask.delete", n=len(going), names=quoted(going, desk.language)))
    says, text = desk.say("deletes", names=", ".join(going[:20])), ""
    if len(going) == 1 and not entries[0].is_folder:
        try:
            text = yield from desk.folder.read(going[0])
        except (Failed, TooLarge):
            pass
        else:
            says = desk.say("loses", file=going[0], n=len(lines(text)))
    desk.has_changed = True
    for path in paths:
        yield from desk.folder.call("fs_delete", says, path=path)
        desk.folder.forget(path)
    for path in paths:
        if (yield from desk.folder.find(path)) is not None:
            raise CannotWork(desk.say("still_there", file=path))
    settled = Step("delete", {"file": tuple(paths)}, text=step.text)
    return Outcome(_told_deleted(desk, ", ".join(paths), text), "", settled)


def _delete_some(desk: Desk, step: Step) -> Work:
    """Delete files of a kind, with words in their names, all but some, or all."""
    where: str = yield from desk.inside(step)
    place: Entry | None = yield from desk.folder.find(where)
    if step.act == "delete.except" and place is not None and not place.is_folder:  # the file that is to stay
        step = step.with_arguments(**{"except": (*step.arguments.get("except", ()), where)})
        where = posixpath.dirname(where) or "."
    entries: list[Entry] = yield from desk.folder.list(where)
    files = files_of(entries)
    match step.act:
        case "delete.ending":
            ends = desk.endings_of(desk.need(step, "ending"))
            found = files_of(files, ends)
        case "delete.names":
            found = named(files, desk.need(step, "find"))
        case "delete.except":
            kept = excepted(desk, step, entries)
            found = [one for one in files if one not in kept]
        case _:
            found = entries
    if not found:
        raise CannotWork(desk.say("none_found", word=step.word("ending") or step.word("find") or where))
    names = tuple(one.name for one in found)
    if step.act == "delete.all" and not desk.is_certain:
        raise Ask(desk.say("ask.delete", n=len(names), names=quoted(names, desk.language)))
    return (yield from _delete_all_of(desk, step, names))


def _with_new_name(desk: Desk, step: Step) -> Work:
    """Join folder and name where a request says both: "move a.txt to old as b.txt"."""
    made, goal = desk.context.changed, step.word("to")
    if not desk.folder.has("fs_list"):
        return step
    if made is not None and made.act == "folder.make" and (not goal or is_pointer(goal, "it")):
        goal = made.word("to")
    names = [*step.arguments.get("file", ()), *([goal] if posixpath.splitext(goal)[1] else [])]
    if len(names) != 2 or "/" in names[1]:  # noqa: PLR2004 - the file and its new name
        return step
    source, name = names
    before = step.text.partition(source)[2].partition(name)[0]
    folder = goal
    if goal == name:
        entries: list[Entry] = yield from desk.folder.list()
        named = [one.name for one in entries if one.is_folder and re.search(rf"\b{re.escape(one.name)}\b", before)]
        folder = named[0] if len(named) == 1 else ""
    place: Entry | None = (yield from desk.folder.find(folder)) if folder else None
    is_made = made is not None and made.act == "folder.make" and made.word("to") == folder
    is_place = is_made or (place is not None and place.is_folder)
    is_named = bool(posixpath.splitext(name)[1] and before)
    if not (is_place and is_named) or (yield from desk.folder.find(source)) is None:
        return step
    is_there = (yield from desk.folder.find(name)) is not None
    return step if is_there else step.with_arguments(file=(source,), to=(posixpath.join(folder.rstrip("/"), name),))


def _move(desk: Desk, step: Step) -> Work:
    step = yield from _with_new_name(desk, step)
    step = yield from desk.with_sources(step)
    goal = desk.goal(step)
    paths: tuple[str, ...] = yield from desk.files(step)
    if is_pointer(goal, "itself"):
        raise CannotWork(desk.say("into_itself", file=paths[0]))
    name, entry = yield from desk.target(goal)
    into = goal.rstrip().endswith("/") or (entry is not None and entry.is_folder)
    into = into or (entry is None and (len(paths) > 1 or not posixpath.splitext(name)[1]))
    return (yield from _transfer(desk, step, paths, name, entry, into=into, verb="mv"))


def _rename(desk: Desk, step: Step) -> Work:
    if step.word("to") and not step.word("file") and (yield from desk.folder.find(step.word("to"))) is not None:
        step = step.with_arguments(file=step.arguments["to"], to=())
    changed = desk.context.changed
    is_unsaid = not step.word("to") and (not step.word("file") or "file" in concepts_of(step.word("file")))
    if (is_pointer(step.word("file"), "it") or is_unsaid) and not desk.context.file:
        raise desk.lacks("file")
    if changed is None or changed.act != "move":
        desk.need(step, "to")
    paths: tuple[str, ...] = yield from desk.files(step)
    if changed is not None and not step.word("to") and "same" in concepts_of(step.text):
        step = step.with_arguments(to=_renamed_alike(changed.word("file"), changed.word("targets"), paths[0]))
    if len(paths) > 1:
        raise Ask(desk.say("ask.which", names=desk.either(paths)))
    (path,) = paths
    source: Entry | None = yield from desk.folder.find(path)
    word = whole_new_name(desk.need(step, "to"), step.text)
    name = _new_name(word, path, is_folder=source is not None and source.is_folder)
    entry: Entry | None = yield from desk.folder.find(name)
    return (yield from _transfer(desk, step, paths, name, entry, into=False, verb="mv"))


def _renamed_alike(old: str, new: str, path: str) -> tuple[str, ...]:
    """Return the new name of a file that is renamed as another one was; none where that had a name of its own.

    Examples
    --------
    >>> _renamed_alike("a/harper.txt", "a/harper_2024.txt", "a/brown.txt"), _renamed_alike("a.txt", "b.txt", "c.txt")
    (('brown_2024.txt',), ())
    """
    (old, _), (new, ending), (name, own) = (posixpath.splitext(posixpath.basename(one)) for one in (old, new, path))
    before, found, after = new.partition(old)
    return (f"{before}{name}{after}{own or ending}",) if found and old and before + after else ()


def _copy(desk: Desk, step: Step) -> Work:
    step = yield from _with_new_name(desk, step)
    step = yield from desk.with_sources(step)
    paths: tuple[str, ...] = yield from desk.files(step)
    last = desk.context.changed
    word = desk.goal(step) if last is not None and last.act == "folder.make" else step.word("to")
    if not word:
        if len(paths) > 1:
            raise desk.missing(step, "to")
        name = f"{paths[0]}.bak"
        entry: Entry | None = yield from desk.folder.find(name)
        return (yield from _transfer(desk, step, paths, name, entry, into=False, verb="cp"))
    if {"same", "folder"} <= concepts_of(step.text) and "/" not in word and len(paths) == 1:
        word = posixpath.join(posixpath.dirname(paths[0]), word)
    name, entry = yield from desk.target(word)
    into = word.rstrip().endswith("/") or (entry is not None and entry.is_folder)
    if not into and entry is None and not posixpath.splitext(name)[1]:
        into = len(paths) > 1 or not says_name(step.text)
    told = concepts_of(step.text)
    is_beside = says_name(step.text) and ("folder" not in told or "same" in told) and not word.startswith("./")
    if not into and entry is None and is_beside:
        name = _new_name(name, paths[0], is_folder=False)
        entry = yield from desk.folder.find(name)
    return (yield from _transfer(desk, step, paths, name, entry, into=into, verb="cp"))


def _kind_moved(desk: Desk, step: Step) -> Work:
    """Move or copy all files of a kind."""
    ends = desk.endings_of(desk.need(step, "ending"))
    goal = desk.goal(step)
    entries: list[Entry] = yield from desk.folder.list()
    paths = tuple(one.name for one in files_of(entries, ends))
    if not paths:
        raise CannotWork(desk.say("none_found", word=step.word("ending")))
    name, entry = yield from desk.target(goal)
    verb = "mv" if step.act.startswith("move") else "cp"
    return (yield from _transfer(desk, step, paths, name, entry, into=True, verb=verb))


def _new_name(word: str, path: str, *, is_folder: bool) -> str:
    """Return the new path of a file: in its folder, with its ending where the new name has none."""
    name = word.strip().strip("\"'`").rstrip("/").removeprefix("./")
    if not is_folder and not posixpath.splitext(name)[1] and not name.startswith("."):
        name += posixpath.splitext(path)[1]
    return name if "/" in name else posixpath.join(posixpath.dirname(path), name)


def _transfer(  # noqa: PLR0913 - what is moved, where, and how
    desk: Desk, step: Step, paths: Sequence[str], name: str, entry: Entry | None, *, into: bool, verb: str
) -> Work:
    """Move or copy, never over something that is there, and look whether it happened."""
    if into and entry is not None and not entry.is_folder:
        raise Ask(desk.say("ask.taken", file=name))
    targets = [posixpath.normpath(posixpath.join(name, posixpath.basename(path))) if into else name for path in paths]
    for path, target in zip(paths, targets, strict=True):
        if (yield from desk.folder.find(path)) is None:
            raise Absent(path)
        is_case = path != target and path.casefold() == target.casefold()
        taken: Entry | None = yield from desk.folder.find(target)
        if taken is not None and not is_case:
            raise Ask(desk.say("ask.taken", file=target))
        if target.startswith(f"{path}/"):
            raise CannotWork(desk.say("into_itself", file=path))
    parent = name if into else posixpath.dirname(name)
    desk.has_changed = True
    if parent and parent != "." and (entry is None if into else (yield from desk.folder.find(parent)) is None):
        yield from desk.folder.call("fs_mkdir", path=parent)
        desk.folder.forget(parent)
    if desk.folder.has("exec"):
        yield from _by_command(desk, paths, name, into=into, verb=verb)
    else:
        yield from _by_writing(desk, paths, targets, verb)
    desk.folder.forget(*paths, *targets)
    for path, target in zip(paths, targets, strict=True):
        is_there = (yield from desk.folder.find(target)) is not None
        is_gone = verb == "cp" or (yield from desk.folder.find(path)) is None
        if not is_there or not is_gone:
            raise CannotWork(desk.say("not_moved", file=path, to=target))
    settled = step.with_arguments(file=tuple(paths), to=(name,), targets=tuple(targets))
    said = desk.say(
        "copied" if verb == "cp" else "renamed" if step.act == "rename" else "moved",
        names=", ".join(paths),
        to=f"{name}/" if into and (name != "." or len(targets) > 1) else targets[0],
    )
    return Outcome(said, "", settled, targets[0] if len(targets) == 1 else "", tuple(targets))


def _by_command(desk: Desk, paths: Sequence[str], name: str, *, into: bool, verb: str) -> Work:
    words = [shlex.quote(path) for path in paths]
    option = "-n" if verb == "mv" else "-Rn"
    goal = shlex.quote(f"{name}/" if into else name)
    text: str = yield from desk.folder.call("exec", command=f"{verb} {option} -- {' '.join(words)} {goal}")
    code, output = _ran(text)
    if code:
        raise CannotWork(desk.say("command_failed", n=code) + "\n" + quoted(lines(output), desk.language))


def _by_writing(desk: Desk, paths: Sequence[str], targets: Sequence[str], verb: str) -> Work:
    """Move text files where there is no command for it."""
    for path, target in zip(paths, targets, strict=True):
        entry: Entry | None = yield from desk.folder.find(path)
        if (entry is not None and entry.is_folder) or not desk.folder.has("fs_write"):
            raise Failed("exec", "", {"command": f"{verb} {path} {target}"})
        yield from write(desk, target, (yield from desk.folder.editable(path)))
        if verb == "mv":
            yield from desk.folder.call("fs_delete", path=path)


# -- commands ----------------------------------------------------------------------------------------------------------


def _run(desk: Desk, step: Step) -> Work:
    command = desk.need(step, "command")
    desk.has_changed = True
    text: str = yield from desk.folder.whole("exec", command=command)
    code, output = _ran(text)
    desk.folder.forget(".")
    shown = quoted(lines(output), desk.language)
    if code:
        said = desk.say("command_failed", n=code) + (f"\n{shown}" if output.strip() else "")
    else:
        said = shown if output.strip() else desk.say("command_silent", word=command)
    return Outcome(said, lines(output), step, "", tuple(lines(output)))


_TAKES_WORDS = ("sys.argv", "argparse", "$1", "process.argv", "commandArgs")
"""What stands in a program that reads words it is started with."""


_TAKES_DAY = re.compile(r"YYYY-MM-DD|argv.*\d{4}-\d\d-\d\d")
"""What stands in a program that reads a day."""
_DAY_EAST = re.compile(r"(\d{4})\s*年\s*(\d{1,2})\s*月\s*(\d{1,2})\s*[日号]")


def _day_said(text: str) -> str:
    """Return the day, with its year, that a request names, the way programs read it; empty where it names none.

    Examples
    --------
    >>> _day_said("run the script for 1 April 2025"), _day_said("lance-le pour le 1er avril 2025"), _day_said("run 2")
    ('2025-04-01', '2025-04-01', '')
    """
    if east := _DAY_EAST.search(text):
        return "-".join((east[1], east[2].zfill(2), east[3].zfill(2)))
    said = text.replace(",", " ").split()
    if found := next((when for word in said if (when := day(word.strip(".,;"))) is not None), None):
        return found.isoformat()
    for at, word in enumerate(said):
        month = table_of("month").get(word.strip(".").casefold(), "")
        near = [re.sub(r"\D+\Z", "", one) for one in said[max(0, at - 3) : at + 4]]
        years, days = ([one for one in near if one.isdecimal() and len(one) in sizes] for sizes in ({4}, {1, 2}))
        if month and len(years) == len(days) == 1 and (when := day(f"{years[0]}-{month.zfill(2)}-{days[0].zfill(2)}")):
            return when.isoformat()
    return ""


def _run_file(desk: Desk, step: Step) -> Work:
    first, *more = step.arguments.get("file", ()) or ("",)
    words = more if desk.is_path(first) and not any(map(desk.is_path, more)) else []  # "run mean.py for hw2"
    (path, *given) = yield from desk.files(step.with_arguments(file=(first,)) if words else step)
    if not _runner_of(path) and _runner_of(desk.context.file):
        path, given = desk.context.file, [path, *given]  # "run it on the april list" behind a look at the program
    ran = [name for name in desk.context.spoken if _runner_of(name)]
    if path == desk.context.file and not given and ran and path.endswith((*TABULAR, *KEYED, ".txt", ".md")):
        path = ran[-1]  # "run it again" behind a change of what it reads
    when = _day_said(step.text)
    text: str = (yield from desk.folder.read(path)) if words or when else ""
    words = [trimmed(word) for word in words] if any(sign in text for sign in _TAKES_WORDS) else []
    words = words or [when] * (bool(when) and _TAKES_DAY.search(text) is not None)
    given = given or words or (yield from _given_to(desk, step, path))
    runner = _runner_of(path)
    name = shlex.quote(path if not path.startswith("-") else f"./{path}")
    command = " ".join([f"{runner} {name}" if runner else shlex.quote(f"./{path}"), *map(shlex.quote, given)])
    outcome: Outcome = yield from _run(desk, step.with_arguments(command=(command,)))
    return outcome._replace(step=step.with_arguments(file=(path,)), file=path)


def _runner_of(path: str) -> str:
    return _RUNNERS.get(posixpath.splitext(path)[1].casefold(), "")


def _given_to(desk: Desk, step: Step, path: str) -> Work:
    """Return the one file that a program is run with, by words of its name: "run the script on the march list"; else none."""
    said = step.text.partition("\n")[0]
    for word in (*step.arguments.get("file", ()), path):
        said = said.replace(word, " ")
    every: list[Entry] = (yield from desk.folder.everything()) if desk.folder.has("fs_list") else []
    stems = {posixpath.splitext(one.name)[0]: one.name for one in files_of(every) if one.name != path}
    near, shared = nearest_texts(said, list(stems), desk.language)
    left = unexplained(said, desk.language)
    return [stems[near[0]]] if len(near) == 1 and shared and left else []


def _run_background(desk: Desk, step: Step) -> Work:
    command = desk.need(step, "command")
    desk.has_changed = True
    text: str = yield from desk.folder.call("exec_bg", command=command)
    return Outcome(text, text, step)


def _ran(text: str) -> tuple[int, str]:
    """Split what a command gave into its exit code and its output."""
    head = _EXIT.match(text)
    if head is None:
        return 0, text
    output = text[head.end() :]
    return int(head[1]), "" if output.strip() == "[no output]" else output


# -- tasks and memory --------------------------------------------------------------------------------------------------


def _task_add(desk: Desk, step: Step) -> Work:
    text = given_text(desk, step)
    titles = [line.strip(" -*•\t") for line in lines(text) if line.strip()]
    return (yield from add_tasks(desk, step, titles))


def add_tasks(desk: Desk, step: Step, titles: Sequence[str]) -> Work:
    """Note tasks, one for each line."""
    desk.has_changed = True
    for title in titles:
        yield from desk.folder.call("task_create", title=title)
    said = desk.say("task.added", names="; ".join(titles))
    return Outcome(said, list(titles), step)


def _task_done(desk: Desk, step: Step) -> Work:
    words = step.arguments.get("text", ())
    found: list[dict[str, Any]] = yield from tasks(desk)
    if not words:
        still = [str(one.get("title")) for one in found if one.get("status") != "done"]
        words = tuple(nearest_texts(step.text.partition("\n")[0], still)[0])
    if len(words) != 1 and not step.word("text"):
        raise desk.missing(step, "text")
    meant = [task_meant(desk, _pointed(desk, word), found) for word in words]
    desk.has_changed = True
    for one in meant:
        yield from desk.folder.call("task_update", task_id=one.get("task_id"), status="done")
    titles = [str(one.get("title")) for one in meant]
    ids = tuple(str(one.get("task_id")) for one in meant)
    return Outcome(
        desk.say("task.done", names="; ".join(titles)), titles, step.with_arguments(text=tuple(titles), ids=ids)
    )


def _pointed(desk: Desk, word: str) -> str:
    """Return the task that a pronoun means: the one spoken of last."""
    last = desk.context.last
    if is_pointer(word, "it") and last is not None and last.act.startswith("task") and last.word("text"):
        return last.word("text")
    return word


def _task_delete(desk: Desk, step: Step) -> Work:
    found: list[dict[str, Any]] = yield from tasks(desk)
    title = str(task_meant(desk, _pointed(desk, desk.need(step, "text")), found).get("title"))
    raise Ask(desk.say("ask.task_delete", name=title))


def _task_change(desk: Desk, step: Step) -> Work:
    new = desk.need(step, "new")
    found: list[dict[str, Any]] = yield from tasks(desk)
    title = str(task_meant(desk, desk.need(step, "old"), found).get("title"))
    steps = (Step("task.add", {"text": (new,)}), Step("task.done", {"text": (title,)}))
    if desk.is_certain:
        yield from add_tasks(desk, step, [new])
        return (yield from _task_done(desk, steps[1]))
    raise Ask(desk.say("ask.task_change", old=title, new=new))


def _remember(desk: Desk, step: Step) -> Work:
    return (yield from remember(desk, step, given_text(desk, step)))


def remember(desk: Desk, step: Step, text: str) -> Work:
    """Keep a text in mind, under a name made of its first words; what is masked in it is not kept."""
    key = _key_of(text)
    desk.has_changed = True
    yield from desk.folder.call("memory_agent_save", key=key, content=text)
    if holds_secret(mask(text)):
        desk.notes.append(desk.say("note.masked"))
    return Outcome(desk.say("remembered", text=text), text, step.with_arguments(key=(key,)))


def _key_of(text: str) -> str:
    return plain(text)[:_LONGEST_KEY].strip().replace(" ", "-") or "note"


def _forget(desk: Desk, step: Step) -> Work:
    words = desk.need(step, "find")
    found, shared = yield from memories(desk, words)
    if not found:
        raise CannotWork(desk.say("memory.none", word=words))
    is_whole = [one.get("content") for one in found] == [words]
    is_clear = is_whole or (len(found) == 1 and shared == len(telling_words(words)))
    if not is_clear and not desk.is_certain:
        said = [str(one.get("content")) for one in found]
        raise Ask(desk.say("ask.forget", n=len(found), lines=quoted(said, desk.language)))
    desk.has_changed = True
    for one in found:
        yield from desk.folder.call("memory_agent_forget", key=one.get("key"))
    return Outcome(desk.say("forgotten", text="; ".join(str(one.get("content")) for one in found)), "", step)


# -- undo --------------------------------------------------------------------------------------------------------------


def _undo(desk: Desk, step: Step) -> Work:
    """Take the last change back, as far as it is known what there was."""
    last = desk.context.changed
    if last is None:
        raise CannotWork(desk.say("undo.nothing"))
    paths, targets = last.arguments.get("file", ()), last.arguments.get("targets", ())
    match last.act:
        case "move" | "rename" | "move.ending" if targets:
            yield from _back(desk, paths, targets)
            return Outcome(
                desk.say("undone", names=", ".join(paths)), "", step, paths[0] if len(paths) == 1 else "", paths
            )
        case "copy" | "copy.ending" if targets:
            outcome: Outcome = yield from _delete_all_of(desk, step, targets)
            return outcome._replace(text=desk.say("undone", names=", ".join(targets)), step=step)
        case "delete" if last.word("text") and len(paths) == 1:
            if (yield from desk.folder.find(paths[0])) is not None:
                raise CannotWork(desk.say("there_already", file=paths[0]))
            yield from write(desk, paths[0], last.word("text"))
            return Outcome(desk.say("undone", names=paths[0]), "", step, paths[0])
        case "folder.make":
            return (yield from _unmake(desk, step, last.arguments["to"]))
        case "task.add" if last.word("text"):
            raise Ask(desk.say("ask.task_delete", name=last.word("text")))
        case "task.done":
            return (yield from _reopened(desk, step, last.arguments.get("text", ())))
        case "remember" if last.word("text"):
            yield from desk.folder.call("memory_agent_forget", key=_key_of(last.word("text")))
            return Outcome(desk.say("undone", names=last.word("text")), "", step)
        case _ if last.word("file") and set(last.arguments) & {"added", "made", "old", "line", "lines", "was"}:
            return (yield from _unwritten(desk, step, last))
        case _:
            raise CannotWork(desk.say("undo.cannot"))


def _reopened(desk: Desk, step: Step, titles: Sequence[str]) -> Work:
    """Open tasks again that were ticked off."""
    found: list[dict[str, Any]] = yield from tasks(desk)
    done = [one for one in found if one.get("status") == "done" and str(one.get("title")) in titles]
    for one in done:
        yield from desk.folder.call("task_update", task_id=one.get("task_id"), status="todo")
    return Outcome(desk.say("undone", names="; ".join(str(one.get("title")) for one in done)), "", step)


def _unwritten(desk: Desk, step: Step, last: Step) -> Work:
    """Take a change of a text back: only where the file is still as that change left it."""
    path = last.word("file")
    text: str = yield from desk.folder.editable(path)
    if "made" in last.arguments:
        written = "\n".join(last.arguments.get("text", ()))
        if not written or any(is_pointer(written, kind) for kind in ("it", "those", "answer")):
            is_as_made = len(lines(text)) == rank(last.word("made"))  # the answer told only how long it was
        else:
            is_as_made = lines(text) == lines(written)
        if not is_as_made:
            raise CannotWork(desk.say("undo.changed", file=path))
        outcome: Outcome = yield from _delete_all_of(desk, step, (path,))
        return outcome._replace(text=desk.say("undone", names=path), step=step)
    held, put = list(last.arguments.get("was", ())), lines("\n".join(last.arguments.get("text", ())))
    is_held = {*lines(text)} == {*held} or lines(text) == put  # in another order, or what was written over it
    was = _before_change(lines(text), last, path) if not held else held if is_held else None
    if was is None:
        is_hidden = any(MASK in line for line in (*last.arguments.get("lines", ()), last.word("old")))
        raise CannotWork(desk.say("undo.cannot") if is_hidden else desk.say("undo.changed", file=path))
    yield from edit(desk, path, text, was)
    return Outcome(desk.say("undone", names=path), "", step, path)


def _before_change(now: list[str], last: Step, path: str) -> list[str] | None:
    """Return the lines of a file before a change that its answer told; ``None`` where they are others by now."""
    added, old, new = list(last.arguments.get("added", ())), last.word("old"), last.word("new")
    if added and last.act == "prepend":
        at = 1 if path.casefold().endswith((".csv", ".tsv")) else 0
        return [*now[:at], *now[at + len(added) :]] if now[at : at + len(added)] == added else None
    if added:
        return now[: -len(added)] if now[-len(added) :] == added else None
    if last.act == "line.move":
        at, to, line = (rank(last.word("line")) or 0) - 1, (rank(last.word("to")) or 0) - 1, last.word("text")
        rest = [*now[:to], *now[to + 1 :]]
        return [*rest[:at], line, *rest[at:]] if 0 <= to < len(now) and now[to] == line else None
    if last.act == "line.delete":
        for row in last.arguments.get("lines", ()):
            number, _, line = row.partition(": ")
            if not number.isdecimal() or not 0 < int(number) <= len(now) + 1 or MASK in line:
                return None
            now = [*now[: int(number) - 1], line, *now[int(number) - 1 :]]
        return now
    if place := rank(last.word("line")):
        at = place - 1
        was = _as_it_was(now[at], new, old) if at < len(now) else None
        return None if was is None else [*now[:at], was, *now[at + 1 :]]
    if last.act == "json.set":
        return lines(json_set("\n".join(now), last.word("key"), old))
    text = "\n".join(now)
    return lines(text.replace(new, old)) if new and text.count(new) == rank(last.word("n")) else None


def _as_it_was(line: str, new: str, old: str) -> str | None:
    """Return a line as it was before a change that was told with secrets masked; ``None`` where it cannot be known.

    Examples
    --------
    >>> _as_it_was("Tom,45,tom@a.example", "Tom,45,[masked]", "Tom,40,[masked]"), _as_it_was("Tom,46", "Tom,45", "Tom,40")
    ('Tom,40,tom@a.example', None)
    """
    if line == new:
        return None if MASK in old else old
    begin = len(posixpath.commonprefix((new, old)))
    end = len(posixpath.commonprefix((new[begin:][::-1], old[begin:][::-1])))
    head, tail, was = new[:begin], new[len(new) - end :], old[begin : len(old) - end]
    if mask(line) != new or MASK in was:
        return None
    if MASK not in head:
        return line[:begin] + was + line[len(new) - end :] if MASK not in new[begin : len(new) - end] else None
    at = len(line) - len(tail)
    return line[: at - (len(new) - end - begin)] + was + tail if MASK not in tail else None


def _unmake(desk: Desk, step: Step, names: Sequence[str]) -> Work:
    for name in names:
        if (yield from desk.folder.list(name)):
            raise CannotWork(desk.say("undo.changed", file=name))
    desk.has_changed = True
    for name in names:
        yield from desk.folder.call("fs_delete", path=name)
    return Outcome(desk.say("undone", names=", ".join(names)), "", step)


def _back(desk: Desk, paths: Sequence[str], targets: Sequence[str]) -> Work:
    for path, target in zip(paths, targets, strict=True):
        if (yield from desk.folder.find(path)) is not None:
            raise CannotWork(desk.say("there_already", file=path))
        desk.has_changed = True
        if desk.folder.has("exec"):
            yield from _by_command(desk, [target], path, into=False, verb="mv")
        else:
            yield from _by_writing(desk, [target], [path], "mv")
        desk.folder.forget(path, target)
        if (yield from desk.folder.find(path)) is None:
            raise CannotWork(desk.say("not_moved", file=target, to=path))


CHANGES: dict[str, Callable[[Desk, Step], Work]] = {
    "write": _write,
    "create": _create,
    "append": _append,
    "prepend": _prepend,
    "replace": _replace,
    "line.replace": _line_replace,
    "line.delete": _line_delete,
    "line.move": _line_move,
    "line.tick": _tick,
    "line.untick": _tick,
    "json.set": _json_set,
    "value.set": _cell_set,
    "folder.make": _folder_make,
    "delete": _delete,
    "delete.ending": _delete_some,
    "delete.names": _delete_some,
    "delete.except": _delete_some,
    "delete.all": _delete_some,
    "move": _move,
    "move.ending": _kind_moved,
    "rename": _rename,
    "copy": _copy,
    "copy.ending": _kind_moved,
    "run": _run,
    "run.file": _run_file,
    "run.background": _run_background,
    "task.add": _task_add,
    "task.done": _task_done,
    "task.delete": _task_delete,
    "task.change": _task_change,
    "remember": _remember,
    "forget": _forget,
    "undo": _undo,
}
"""How each act that changes something is carried out, to its :class:`~lango_nb.models.offline.folder.Outcome`."""
