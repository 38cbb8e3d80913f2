"""The folder of a request, and words settled into what is there.

:class:`Folder` shows the workspace as tools give it: every look is a call, and what was seen is not asked for twice. A
long result ends in a line of JSON, ``{"_meta": {…, "compressed": true, "storedRef": "…"}}``: the whole of it is kept for a
while under that reference, and is fetched by lines. :class:`Desk` is what is before an agent that carries a plan out: the
folder, what was said before, and the files that are meant.
"""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Generator, Mapping, Sequence
from contextlib import suppress
from pathlib import PurePosixPath
from typing import Any, NamedTuple

from lango_nb.core.messages import ToolSchema
from lango_nb.core.secrets.sight import MASK
from lango_nb.models.offline.advice import NO_ADVICE, Advice
from lango_nb.models.offline.answers import say
from lango_nb.models.offline.keyed import KEYED
from lango_nb.models.offline.lexicon import concepts_of, is_small_in, lexicon
from lango_nb.models.offline.lexicon import words as words_of
from lango_nb.models.offline.names import (
    EAST,
    Pick,
    age_in,
    begins_with_pointer,
    compared_in,
    days_in,
    endings,
    how_many,
    is_here,
    is_noun_of_file,
    is_pointer,
    is_singular,
    is_small,
    kind_of_file,
    likeliest_lines,
    nearest_name,
    nearest_texts,
    not_meant,
    pick,
    pick_list,
    plain,
    pointer_in,
    points_back,
    rank,
    says_name,
    says_something,
    share_met,
    stem,
    table_of,
    telling_words,
    trimmed,
    unexplained,
    whole_new_name,
    without_asking,
    without_count,
)
from lango_nb.models.offline.operations import (
    BOX,
    Entry,
    NoSuch,
    Unsure,
    Value,
    code_show,
    files_of,
    json_path,
    lines,
    read_table,
    settle,
)
from lango_nb.models.offline.plan import Call, Context, Got, Step, acts, is_change, show
from lango_nb.models.offline.series import is_series, members, whole_series

_BEGIN = '{"_meta"'


def split_meta(text: str) -> tuple[str, Mapping[str, Any]]:
    r"""Split a result into what it holds and what is said about its size.

    Examples
    --------
    >>> split_meta('a\nb\n{"_meta": {"compressed": true, "storedRef": "out-1"}}')
    ('a\nb', {'compressed': True, 'storedRef': 'out-1'})
    >>> split_meta("a\nb\n")
    ('a\nb\n', {})
    """
    if _BEGIN not in text:
        return text, {}
    body, _, last = text.rstrip().rpartition("\n")
    if not last.startswith(_BEGIN):
        return text, {}
    try:
        meta = json.loads(last)["_meta"]
    except (ValueError, KeyError):
        return text, {}
    return (body, meta) if isinstance(meta, dict) else (text, {})


# -- the folder --------------------------------------------------------------------------------------------------------

Work = Generator[tuple[Call, ...], tuple[Got, ...], Any]
"""Yields calls, takes what they gave."""
OUTPUT = "tool_output_get"
"""The tool that gives the whole of a long result, by lines."""
MOST_FOLDERS = 40
"""Folders that are looked into when everything is listed."""
MOST_PAGES = 12
"""Pages of one result that are read; what is larger is said to be."""
MOST_STATS = 60
"""Files whose times are asked for."""
_LONG_LINE = 1000
"""Characters from which a line of a stored result comes in pieces."""
_LOOKS = frozenset(("fs_read", "fs_list", "fs_stat"))
"""Tools before which a path that may not be there is looked for, where that is advised."""
_ENTRY = re.compile(r"(.+?)  (?:([\d,]+) bytes?|(\S[^\d].*))")
_PAGE = re.compile(r"lines ([\d,]+)-([\d,]+) of ([\d,]+):\n")
_NUMBER = re.compile(r"^\d+: ", re.MULTILINE)
_CHANGED = re.compile(r"changed (\S+)")
_ABSENT = re.compile(r" does not exist|no such file", re.IGNORECASE)


class Failed(Exception):  # noqa: N818 - it is what happened
    """A tool said no: its words, or which tool is missing."""

    def __init__(self, tool: str, said: str, arguments: Mapping[str, Any] | None = None) -> None:
        super().__init__(said)
        self.tool = tool
        self.said = said
        self.arguments = dict(arguments or {})
        self.is_missing = not said


class Absent(Exception):  # noqa: N818 - the same
    """There is no such file or folder."""

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self.path = path


class TooLarge(Exception):  # noqa: N818 - the same
    """Only a part of something was shown."""

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self.path = path


class Folder:
    """What is known of the workspace in this turn.

    Parameters
    ----------
    tools : mapping of str to ToolSchema
        What may be called.
    advice : Advice
        What is remembered of where things are.
    """

    def __init__(self, tools: Mapping[str, ToolSchema], advice: Advice = NO_ADVICE) -> None:
        self.tools = tools
        self.advice = advice
        self._listed: dict[str, list[Entry] | None] = {}
        """By folder; ``None`` where it was looked at beside others and could not be listed."""
        self._absent: set[str] = set()
        self._texts: dict[str, str] = {}
        self._pieces: set[str] = set()

    def has(self, tool: str) -> bool:
        """Tell whether a tool may be called."""
        return tool in self.tools

    def call(self, tool: str, says: str = "", **arguments: Any) -> Work:
        """Call a tool and return its text.

        Raises
        ------
        folder.Absent
            The tool says that there is no such path.
        folder.Failed
            It says anything else, or is not offered.
        """
        if tool not in self.tools:
            raise Failed(tool, "", arguments)
        if tool in _LOOKS and "fs_list" in self.tools:
            path = str(arguments.get("path") or ".")
            if self.advice.is_doubtful(path) and (yield from self.find(path)) is None:
                raise Absent(path)
        (got,) = yield (Call(tool, arguments, says),)
        return self._checked(tool, arguments, got)

    def _checked(self, tool: str, arguments: Mapping[str, Any], got: Got) -> str:
        if not got.is_error:
            return got.text
        if "path" in arguments and _ABSENT.search(got.text):
            raise Absent(str(arguments["path"]))
        raise Failed(tool, got.text, arguments)

    def whole(self, tool: str, **arguments: Any) -> Work:
        """Call a tool and return all it gave, also where that came back shortened."""
        text = yield from self.call(tool, **arguments)
        return (yield from self._all_of(text, str(arguments.get("path", tool))))

    def each(self, tool: str, wanted: Sequence[Mapping[str, Any]]) -> Work:
        """Call a tool several times side by side, and return all that each call gave."""
        if tool not in self.tools:
            raise Failed(tool, "", wanted[0] if wanted else {})
        texts: list[str] = []
        for arguments, got in zip(
            wanted, (yield tuple(Call(tool, one) for one in wanted)) if wanted else (), strict=True
        ):
            texts.append((yield from self._all_of(self._checked(tool, arguments, got), tool)))
        return texts

    def _all_of(self, text: str, path: str) -> Work:
        """Return all of what came back, the rest from where it is kept."""
        shown, meta = split_meta(text)
        if not meta.get("compressed"):
            return shown
        ref = str(meta.get("storedRef") or "")
        if not ref or OUTPUT not in self.tools:
            raise TooLarge(path)
        pages: list[str] = []
        at = 1
        while len(pages) < MOST_PAGES:
            page = yield from self.call(OUTPUT, ref=ref, mode="range", offset=at)
            head = _PAGE.match(page)
            if head is None:
                raise TooLarge(path)
            pages.append(_NUMBER.sub("", page[head.end() :]))
            last, of = (int(head[group].replace(",", "")) for group in (2, 3))
            if last >= of:
                self._pieces.add(path)
                return "\n".join(pages)
            at = last + 1
        raise TooLarge(path)

    # -- listings ------------------------------------------------------------------------------------------------------

    def list(self, path: str = ".") -> Work:
        """Return what a folder holds, by paths from the workspace."""
        if self._listed.get(path) is None:
            text = yield from self.whole("fs_list", path=path)
            self._listed[path] = _entries(text, path)
        return list(self._listed[path] or ())

    def everything(self, path: str = ".") -> Work:
        """Return what a folder and the folders in it hold, the upper ones first."""
        found: list[Entry] = yield from self.list(path)
        level = [one.name for one in found if one.is_folder and not _is_hidden(one.name)]
        seen = 0
        while level and seen < MOST_FOLDERS:
            level = level[: MOST_FOLDERS - seen]
            seen += len(level)
            missing = [name for name in level if name not in self._listed]
            if missing:
                calls = tuple(Call("fs_list", {"path": name}) for name in missing)
                for call, got in zip(calls, (yield calls), strict=True):
                    path = call.arguments["path"]
                    self._listed[path] = None  # whoever wants this one has to be told why it cannot be listed
                    if not got.is_error:
                        with suppress(TooLarge):
                            self._listed[path] = _entries((yield from self._all_of(got.text, path)), path)
            below = [one for name in level for one in self._listed[name] or ()]
            found += below
            level = [one.name for one in below if one.is_folder and not _is_hidden(one.name)]
        return found

    def with_times(self, entries: Sequence[Entry]) -> Work:
        """Return files with the times of their last changes."""
        files = files_of(entries)
        if len(files) > MOST_STATS:
            raise TooLarge(".")
        if "fs_stat" not in self.tools:
            raise Failed("fs_stat", "", {"path": files[0].name if files else "."})
        if not files:
            return []
        calls = tuple(Call("fs_stat", {"path": one.name}) for one in files)
        timed = []
        for one, got in zip(files, (yield calls), strict=True):
            changed = _CHANGED.search(got.text)
            timed.append(one._replace(changed=changed[1] if changed and not got.is_error else ""))
        return timed

    def find(self, path: str) -> Work:
        """Return the entry of an exact path, ``None`` where nothing is; its folder is listed."""
        name = posixpath.normpath(path)
        if name == ".":
            return Entry(".", is_folder=True)
        parent = posixpath.dirname(name) or "."
        if parent in self._absent:
            return None
        try:
            entries: list[Entry] = yield from self.list(parent)
        except (Absent, Failed) as error:
            if isinstance(error, Failed) and error.is_missing:
                raise
            self._absent.add(parent)
            return None
        return next((one for one in entries if one.name == name), None)

    # -- texts ---------------------------------------------------------------------------------------------------------

    def read(self, path: str) -> Work:
        """Return the whole text of a file, or of several tables that are one."""
        if is_series(path) and path not in self._texts:
            every: list[Entry] = yield from self.everything(posixpath.dirname(path) or ".")
            texts: dict[str, str] = yield from self.read_all(members(path, (one.name for one in every)))
            return whole_series(texts).get(path, "")
        if path not in self._texts:
            text = yield from self.whole("fs_read", path=path)
            self._texts[path] = "" if text == f"{path} is empty" else text
        return self._texts[path]

    def read_all(self, paths: Sequence[str]) -> Work:
        """Return the texts of files that can be read, by path."""
        missing = [path for path in dict.fromkeys(paths) if path not in self._texts]
        if missing and "fs_read" not in self.tools:
            raise Failed("fs_read", "", {"path": missing[0]})
        if missing:
            calls = tuple(Call("fs_read", {"path": path}) for path in missing)
            for path, got in zip(missing, (yield calls), strict=True):
                text, meta = split_meta(got.text)
                if not got.is_error and not meta.get("compressed"):
                    self._texts[path] = "" if text == f"{path} is empty" else text
        return {path: self._texts[path] for path in paths if path in self._texts}

    def count_lines(self, path: str) -> Work:
        """Return how many lines a file has that is too large to be read: one of them tells."""
        text = yield from self.call("fs_read", path=path, offset=1, limit=1)
        found = re.search(r"\[lines \d+-\d+ of (\d+)\]\s*$", text)
        return int(found[1]) if found else 1

    def line(self, path: str, number: int) -> Work:
        """Return one line of a file that is too large to be read.

        Raises
        ------
        folder.TooLarge
            Not even the line came whole.
        """
        text = yield from self.call("fs_read", path=path, offset=number, limit=1)
        body, meta = split_meta(text)
        if meta.get("compressed"):
            raise TooLarge(path)
        return re.sub(r"\r?\n?(?:\[lines \d+-\d+ of \d+\]\s*)?\Z", "", body)

    def editable(self, path: str) -> Work:
        """Return the text of a file that lines are going to be changed in.

        Raises
        ------
        folder.TooLarge
            Its lines came in pieces, so their numbers are not known.
        """
        text: str = yield from self.read(path)
        if path in self._pieces and any(len(line) >= _LONG_LINE for line in text.split("\n")):
            raise TooLarge(path)
        return text

    def forget(self, *paths: str) -> None:
        """Look again at what was changed."""
        self._absent.clear()
        for path in paths:
            name = posixpath.normpath(path)
            self._texts = {at: text for at, text in self._texts.items() if at != name and not at.startswith(f"{name}/")}
            for listed in [at for at in self._listed if at == name or at.startswith(f"{name}/")]:
                del self._listed[listed]
            self._listed.pop(posixpath.dirname(name) or ".", None)


def holds_secret(text: str) -> bool:
    """Tell whether something in a text was masked: it must not be written back."""
    return MASK in text


def _is_hidden(path: str) -> bool:
    name = path.rpartition("/")[2]
    return name.startswith(".") or name in {"node_modules", "__pycache__"}


def _entries(text: str, path: str) -> list[Entry]:
    """Read a listing."""
    head = "" if posixpath.normpath(path) == "." else f"{posixpath.normpath(path)}/"
    found = []
    for line in text.splitlines():
        if line.endswith("/"):
            found.append(Entry(head + line[:-1], is_folder=True))
        elif (match := _ENTRY.fullmatch(line)) is not None:
            found.append(Entry(head + match[1], bytes=int((match[2] or "0").replace(",", ""))))
    return found


# -- the desk ----------------------------------------------------------------------------------------------------------

_AWAY = frozenset(("delete", "move", "rename"))
"""Acts after which a file is not where it was."""
_POINTING = 4
"""Most words that only say how many are meant."""
_PATH = re.compile(r"[^\s\"]*(?:[^\s\".]\.[A-Za-z]\w{0,7}|/[^\s\"]*)\Z")
_FILLER = re.compile(
    r"\b(?:ones?|of|them|those|these|number|nr|no|file|datei|von|davon|d'entre|eux|de|ellos|file|listed|above)\b|[.°ºª#]"
)
_OF_FILES = frozenset(
    ("append", "prepend", "replace", "line.replace", "line.delete", "write", "json.set", "json.get", "columns", "cell")
)
"""Acts that a folder is never meant for."""
_NEW_OR_THERE = frozenset(("write", "create", "append", "prepend"))
"""Acts on a file that may not be there yet."""
_ENDINGS = {"table": (".csv", ".tsv"), "json": KEYED, "code": (".py", ".sh", ".js", ".ts", ".r", ".rb", ".pl")}
_INTO = frozenset(("folder", "in", "into"))
_PUTTING = frozenset(("move", "rename", "copy", "folder.make"))
_ALL = frozenset(("", "folder", "everything", "all"))
_CALLED = frozenset(("list", "letter"))
"""Concepts of words for what a file is."""
_LONG_WORD = 4
"""Letters from which a word says more than "the" and "one"."""
_MOST_READ = 12
"""Files that are read to find the one that is meant."""
_NO_LETTERS = (*_ENDINGS["table"], *KEYED, ".log")
"""Endings of files whose contents describe many things, and not the file."""
_MOST_DESCRIBED = 30
"""Files that are read to find the one that is described by what is in it."""
_ENOUGH = 2
"""Words of such a description that it must have."""
_MOST_NAMED = 8
"""Names that are given to choose from."""


class Ask(Exception):  # noqa: N818 - a question is no error
    """Something is missing or unclear: the question."""

    def __init__(self, text: str, *, can_try_others: bool = False, rivals: tuple[str, ...] = ()) -> None:
        super().__init__(text)
        self.text = text
        self.can_try_others = can_try_others
        """Whether another reading may be the right one: this one cannot work in this folder."""
        self.rivals = rivals
        """Files that fit equally well."""


class CannotWork(Exception):  # noqa: N818 - the same
    """There is nothing to do it with: a sentence, and no question."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.text = text


class Outcome(NamedTuple):
    """What a step came to."""

    text: str
    """The answer."""
    value: Value = ""
    """The result itself, to be written somewhere."""
    step: Step | None = None
    """The step with its settled arguments."""
    file: str = ""
    shown: tuple[str, ...] = ()


_KINDS_OF_TEXT = frozenset(("list", "file", "folder", "table", "text"))
"""Concepts of words that say what kind of file is meant, and stand in no name."""


class Desk:
    """What is known while a plan is carried out."""

    def __init__(self, folder: Folder, context: Context, language: str, *, is_certain: bool = False) -> None:
        self.folder = folder
        self.context = context
        self.language = language
        self.is_certain = is_certain
        """Whether the person has said yes to this plan."""
        self.asks_first = False
        """Whether a change is only looked up, to be shown and asked about: the plan is not sure enough."""
        self.notes: list[str] = []
        """What was guessed, to be said before the answer."""
        self.has_changed = False
        self.has_result = False
        """Whether a step of this request gave something that the next one may use."""
        self._guess = ""
        self._kind = ""
        self._text = ""
        self._needs_file = self._changes = self._reads = False

    def begin(self, step: Step) -> None:
        """Take up a step: what files it is about, and what was said."""
        self._kind = acts()[step.act].reads if step.act in acts() else ""
        self._guess, self._text, self._needs_file = "", step.text, step.act in _OF_FILES
        self._changes, self._reads = is_change(step.act), step.act in {"read", "summary"}

    @property
    def said(self) -> str:
        """The request that the step is of."""
        return self._text.partition("\n")[0]

    @property
    def is_guessed(self) -> bool:
        """Whether the last file settled is called otherwise than was said."""
        return bool(self._guess)

    def say(self, key: str, **values: object) -> str:
        """Word an answer in the language of the request."""
        return say(key, self.language, **values)

    def need(self, step: Step, role: str) -> str:
        """Return a word of a step, or ask for it."""
        if word := step.word(role):
            return word
        raise self.missing(step, role)

    def missing(self, step: Step, role: str) -> Ask:
        """Make the question for a word that is missing."""
        told = (word for words in step.arguments.values() for word in words)
        known = ", ".join((self.context.file or word) if is_pointer(word, "it") else word for word in told)
        role = "called" if (step.act, role) == ("rename", "to") else role
        text = (
            self.say("ask.missing_of", what=self.say(f"role.{role}"), known=known) if known else self.lacks(role).text
        )
        return Ask(text, can_try_others=not is_change(step.act))

    def lacks(self, role: str) -> Ask:
        """Make the question for a word of a role."""
        return Ask(self.say("ask.missing", what=self.say(f"role.{role}")))

    def number(self, step: Step, role: str, default: int | None = None) -> int:
        """Return a number of a step."""
        word = step.word(role)
        if not word and default is not None:
            return default
        found = rank(self.need(step, role))
        if found is None:
            raise self.lacks(role)
        return found

    # -- files ---------------------------------------------------------------------------------------------------------

    def files(self, step: Step) -> Work:
        """Settle the files of a step: exact paths, all of which are there."""
        words = step.arguments.get("file", ())
        is_asked = not (self.is_certain or self.asks_first)
        if len(words) == 1 and words[0].isalpha() and "one_number" in concepts_of(words[0]):
            listed: Sequence[str] = yield from self._listed()
            if len(listed) > 1:
                raise Ask(self.say("ask.which", names=self.either(listed)))  # "delete one of them"
        if not words:
            name: str = yield from self.usual(step)
            yield from self._hold_folder(step, name)
            is_edited = step.act == "delete" and self._is_edited(step, name)  # "delete it" may be what was added
            if is_asked and step.act in _AWAY and (is_edited or self._is_only_found(name) or self._is_described(step)):
                raise self._shall(step, name)
            return (name,)
        found: list[str] = []
        for word in words:
            if both := (yield from self._of_spoken(word)):
                found += both
            elif is_pointer(word, "those") and len(self.context.shown) > 1 and not is_pointer(word, "it"):
                entries: list[Entry] = yield from self.folder.everything()
                found += [name for name in self.context.shown if name in {one.name for one in entries}]
            else:
                self._guess, of_all = "", how_many(step.text.partition("\n")[0])
                try:
                    found.append((yield from self.file(word)))
                except Ask as ask:
                    if 1 < len(ask.rivals) == (of_all or 2 * (step.act == "compare")):
                        found += ask.rivals  # "both": these are all that fit
                        continue
                    among: str = yield from self._by_comparison(ask.rivals, words)
                    if among:
                        found.append(among)  # "the letter to Ann, the newer one"
                        break
                    if ask.rivals or (bare := without_count(word)) == word:
                        raise
                    found.append((yield from self.file(bare)))  # "the two recipes"
                place: Entry | None = (yield from self.folder.find(found[-1])) if of_all else None
                if place is not None and place.is_folder:
                    within: list[Entry] = yield from self.folder.everything(place.name)
                    if len(files_of(within)) == of_all:  # "both recipes"
                        found[-1:] = [one.name for one in files_of(within)]
                        continue
                if is_asked and self._is_doubtful(step, word, found[-1]):
                    self.notes.clear()
                    if self._guess:
                        raise Ask(self.say("ask.mean", word=word, name=found[-1]))
                    raise self._shall(step, *found, *words[len(found) :])
        if len(found) == 1 and (is_pointer(words[0], "it") or trimmed(words[0]) != words[0]):
            yield from self._hold_folder(step, found[0])
        inner = [one for one in found if any(other.startswith(f"{one}/") for other in found)]
        return tuple(one for one in dict.fromkeys(found) if one not in inner)  # "a.txt of the folder x"

    def _hold_folder(self, step: Step, name: str) -> Work:
        """Ask which file is meant before the folder that was spoken of goes, or gets a file's name: "delete the file"."""
        told = concepts_of(step.text.partition("\n")[0])
        is_file = ("file" in told and "folder" not in told) or (step.act == "rename" and "." in step.word("to"))
        place: Entry | None = (yield from self.folder.find(name)) if is_file and step.act in _AWAY else None
        if place is not None and place.is_folder:
            raise (yield from self.which_in(name))

    def looked_up(self, step: Step) -> Work:
        """Return a step with the paths that its words mean, to be shown before anything is changed."""
        self.begin(step)
        row, word = acts().get(step.act), step.word("file")
        if row is None:
            return step
        if step.act in {"move", "copy"}:
            step = yield from self.with_sources(step)
        if step.act in _NEW_OR_THERE and (not word or _PATH.fullmatch(word) or step.act in {"write", "create"}):
            if word:
                name, _ = yield from self.new_file(step, word)
                step = step.with_arguments(file=(name,))
        elif word or "file" in row.needed:
            paths: tuple[str, ...] = yield from self.files(step)
            step = step.with_arguments(file=paths)
        if step.act in {"move", "move.ending"} or (step.act != "rename" and step.word("to") and word):
            name, _ = yield from self.target(self.goal(step))
            step = step.with_arguments(to=(name,))
        return step

    def is_exact(self, said: Step, found: Step) -> bool:
        """Tell whether the files of a change are called what a request calls them, or were settled by what came before."""
        if not is_change(said.act):
            return True
        names = {base for path in found.arguments.get("file", ()) for base in _names_of(path)}
        return all(
            not self.is_part_of_name(said, word) and (is_pointer(word, "it") or trimmed(word).casefold() in names)
            for word in said.arguments.get("file", ())
        )

    def _listed(self) -> Work:
        """Return the files that were listed last, or counted."""
        last = self.context.last
        shown = [name for name in self.context.shown if _PATH.fullmatch(name)]
        if shown or last is None or last.act not in {"list", "count.files"}:
            return shown
        where: str = yield from self.inside(last)
        entries: list[Entry] = yield from self.folder.list(where)
        return [one.name for one in files_of(entries)]

    def _is_doubtful(self, step: Step, word: str, name: str) -> bool:
        """Tell whether a file has to be asked about before it is changed: it was described, and not named."""
        if not is_change(step.act) or step.act.startswith("run") or step.act in {"copy", "copy.ending"}:
            return False
        base = name.rpartition("/")[2].casefold()
        if self._is_answer(step, word, name) or (" " in base and base in self._text.casefold()):
            return False  # all of it was said, whatever part was taken for it
        if step.act in _AWAY and self.is_part_of_name(step, word):
            return True
        if step.act in {"move", "rename"} and is_pointer(word, "it") and self._is_only_found(name):
            return True
        if not step.act.startswith("delete"):
            said = {stem(part) for part in plain(word).split()}
            is_foreign = step.act in _AWAY and said.isdisjoint(stem(part) for part in plain(name).split())
            is_it = begins_with_pointer(word) or self._pointed(word) is not None
            is_unclear = (bool(self._guess) or (is_foreign and not is_it)) and not _PATH.fullmatch(word.strip())
            return is_unclear and not self._is_meant(word, name)
        if self._just_made(word) == name:
            return False
        if is_pointer(word, "it") or is_pointer(word, "those"):
            is_sought = not (self.context.file or self.context.shown)  # "delete the letter": nothing was spoken of
            is_open = self.context.asked is not None  # what "it" is has become unclear: a question was not answered
            is_unclear = is_open or not self.context.is_named or self._is_edited(step, name)
            return is_sought or (name == self.context.file and is_unclear)
        bare = trimmed(word).strip("\"'`").removeprefix("./").rstrip("/").casefold()
        names = {name.casefold(), name.rpartition("/")[2].casefold()}
        found = words_of(word)  # "the mail offer.txt": all the rest of it is known, and no other name
        is_named = found[-1].text.casefold() in names and _PATH.fullmatch(found[-1].text) is not None
        return bare not in names and not (is_named and all(lexicon().concepts(found)[:-1]))

    def _is_meant(self, word: str, name: str) -> bool:
        """Tell whether a name has all that a description says, in whatever language: "lista dei costumi" of costumes.csv."""
        bare, base = trimmed(word), posixpath.splitext(name.rpartition("/")[2])[0]
        if self.language in EAST:
            return nearest_texts(bare, [base], self.language)[1] > 0
        return bool(unexplained(bare, self.language)) and share_met(bare, self.language, base) == 1

    def _is_answer(self, step: Step, word: str, name: str) -> bool:
        """Tell whether it was asked which file is meant, and a word says it: by more than its text, where it is to be deleted."""
        if self.context.asked is None or name not in self.context.shown:
            is_settled = self.context.asked is not None and self.context.missing == "file" and not self._guess
            return is_settled and not is_pointer(
                word, "it"
            )  # "the one of January": which file was asked, and this is it
        is_called = rank(word) is not None or bool(pick(word, self.context.shown, is_file=True).name)
        is_called = is_called or bool(age_in(word, self.language))
        return not step.act.startswith("delete") or is_called or len(telling_words(word)) >= _ENOUGH

    def _shall(self, step: Step, *files: str) -> Ask:
        """Make the question whether a change of these files is meant."""
        meant = step.with_arguments(file=files)
        if step.act == "move":
            meant = meant.with_arguments(to=(self.goal(step),))
        return Ask(self.say("shall", plan=show(meant)))

    def _is_edited(self, step: Step, name: str) -> bool:
        """Tell whether something in a file was just added or changed: "it" may be either, where it is not said which."""
        changed, last = self.context.changed, self.context.last
        is_just = last is not None and is_change(last.act) and "file" not in concepts_of(step.text)
        is_part = is_just and changed is not None and bool({"added", "old", "lines"} & set(changed.arguments))
        return changed is not None and is_part and name in changed.arguments.get("file", ())

    def _is_only_found(self, name: str) -> bool:
        """Tell whether nobody has named a file: an answer was found in it, wherever it was."""
        last, shown = self.context.last, self.context.shown
        is_unnamed = name == self.context.file and not self.context.is_named
        if is_unnamed and last is not None and (last.act == "query" or (last.act == "count.lines" and name in shown)):
            return True  # a question was answered from it; or it is the longer of two
        return is_unnamed and last is not None and not (last.word("file") or last.act.startswith("list"))

    def _is_described(self, step: Step) -> bool:
        """Tell whether a request that names no file says what sort of file it means: "lösch die leere Datei"."""
        found = words_of(step.text.partition("\n")[0])
        told = lexicon().concepts(found)
        return any("empty" in one for one in told) or any(
            "file" in told[at]
            and not (told[at - 1] or is_small_in(found[at - 1].folded, self.language) or is_small(found[at - 1].text))
            for at in range(1, len(found))
            if found[at - 1].kind == "word"
        )

    @staticmethod
    def is_part_of_name(step: Step, word: str) -> bool:
        """Tell whether a name may be only the end of what a request calls a file: "delete report 2024.txt"."""
        found = words_of(step.text.partition("\n")[0])
        at = next((place for place, one in enumerate(found) if one.text == word and not one.is_quoted), 0)
        if at < 2 or found[at - 1].kind not in {"word", "name", "id", "number"}:  # noqa: PLR2004 - a verb, and a word behind it
            return False
        before, is_close = found[at - 1], found[at - 1].end + 1 == found[at].start
        is_other = any(before.text in said for words in step.arguments.values() for said in words)
        is_known = is_small(before.text) or is_pointer(before.text, "it") or bool(lexicon().concepts(found)[at - 1])
        return is_close and not is_other and not is_known

    def file(self, word: str) -> Work:
        """Settle words into the path of something that is there."""
        pointed: str | None = (yield from self._named_behind(word)) or (yield from self._spoken_of(word))
        if pointed is None:
            pointed = (yield from self._chosen(word)) or None
        if pointed is not None:
            return pointed
        name = word.strip().strip("\"'`").rstrip("/").removeprefix("./") or "."
        entry: Entry | None = (yield from self.folder.find(name)) or (yield from self._remembered(word, name))
        if entry is not None:
            return entry.name
        if name.startswith(("/", "~", "..")):
            yield from self.folder.call("fs_stat", path=word.strip())  # says why it is out of reach
            return name
        upper: list[Entry] = yield from self.folder.list()
        if whole := self._whole_name(name, upper):
            return whole
        if (among := self._among_shown(name)) and (yield from self.folder.find(among)) is not None:
            return among
        found = self._picked(name, upper)
        said = plain(trimmed(name))
        is_inside = any(one.is_folder and one.name == found.name for one in upper) and said != plain(found.name)
        is_less = bool(found.name) and not self._is_all_said(name, found.name)
        if (not found.name and not found.rivals) or found.is_guess or is_inside or is_less:
            every: list[Entry] = yield from self.folder.everything()
            if whole := self._whole_name(name, every):
                return whole
            deeper = self._picked(name, every)
            if is_inside:
                described = self._text.partition("\n")[0] if self._reads else name
                near: Pick = yield from self._by_content(described, f"{found.name}/")
                is_clear = deeper.name.startswith(f"{found.name}/") and not deeper.is_guess  # all of it is said
                found = deeper if is_clear else near if near.name else self._inside(said, found, deeper, every)
            else:
                found = (
                    deeper
                    if deeper.name and (not found.name or not deeper.is_guess)
                    else found
                    if found.name
                    else deeper
                )
        found = found if found.name or found.rivals else (yield from self._abroad(name))
        is_described = found.is_guess and not self._is_all_said(name, found.name)
        if (is_described or not (found.name or found.rivals)) and not _PATH.fullmatch(name):
            near = yield from self._by_content(name)
            found = near if near.name else found
        if found.rivals and len(fitting := [name for name in found.rivals if self._is_of_kind(name)]) == 1:
            found = Pick(fitting[0], is_guess=True)
        found = _told_behind(self._text, word, found)
        if found.rivals:
            raise Ask(self.say("ask.which", names=self.either(found.rivals)), rivals=found.rivals)
        if not found.name and (like := self._like_shown(name)):
            found = Pick(like, is_guess=True)
        if not found.name:
            held: str = yield from self._shown_with(name)
            found = Pick(held, is_guess=True) if held else found
        if not found.name and self.context.file and (begins_with_pointer(name) or self._is_what_was_read(name)):
            self._guess = self.context.file  # "that card": it was spoken of, and called something else
            return self.context.file
        if not found.name:
            raise Ask(self._which(word, name, upper), can_try_others=True)
        if found.is_guess:
            self._guess = found.name
            self.notes.append(self.say("note.took", word=word, name=found.name))
        return found.name

    def _is_what_was_read(self, words: str) -> bool:
        """Tell whether words only say what sort of text is to be looked at once more: "show me the list again"."""
        is_look = not self._changes and trimmed(words) != words
        kinds = [concepts_of(one) & _KINDS_OF_TEXT for one in telling_words(words)] if is_look else []
        return bool(kinds) and all(kinds)

    def _named_behind(self, words: str) -> Work:
        """Return the file whose very name stands behind words for what it is: "the mail offer.txt"; else empty."""
        *before, last = words_of(words) or (None,)
        told = zip(before, lexicon().concepts(before), strict=True)
        is_kind = bool(before) and all(is_small(word.text) or one for word, one in told)
        if not is_kind or last is None or last.kind != "file":
            return ""
        every: list[Entry] = yield from self.folder.everything()
        if self._whole_name(last.text, every):
            return ""
        found = [one.name for one in every if last.text in {one.name, one.name.rpartition("/")[2]}]
        return found[0] if len(found) == 1 else ""

    @staticmethod
    def _is_all_said(words: str, name: str) -> bool:
        """Tell whether a name has all telling words that it was guessed from: "the letter from the council" is no newsletter."""
        telling = telling_words(words)
        said = [
            stem(word) for word in telling if not concepts_of(word) & _KINDS_OF_TEXT
        ]  # "the reading list": reading.txt
        return len(telling) < _ENOUGH or all(any(one in part for part in plain(name).split()) for one in said)

    def _abroad(self, words: str) -> Work:
        """Return the one file whose name has what most words mean in English: "die Sonntagsmischung" of sunday_mix.csv."""
        if _PATH.fullmatch(words) or self.language == "en":
            return Pick()
        every: list[Entry] = yield from self.folder.everything()
        stems = {posixpath.splitext(one.name)[0].rpartition("/")[2]: one.name for one in files_of(every)}
        near, shared = nearest_texts(words, list(stems), self.language)
        is_one = len(near) == 1 and shared * 2 >= len(telling_words(words))
        is_whole = is_one and shared >= len(plain(near[0]).split()) > 1  # all of its name is said
        return Pick(stems[near[0]], is_guess=not is_whole) if is_one else Pick()

    def _remembered(self, word: str, name: str) -> Work:
        """Return what is remembered to be meant and is there, else ``None``; before a change that is asked about.

        Raises
        ------
        Ask
            Something is to be changed that is called otherwise.
        """
        for path in self.folder.advice.paths_for(name):
            entry: Entry | None = yield from self.folder.find(path)
            is_other = entry is not None and posixpath.basename(entry.name) != posixpath.basename(name)
            if entry is None or (self._changes and not is_other):
                continue
            if self._changes:
                raise Ask(self.say("ask.mean", word=word, name=entry.name))
            self.notes += [self.say("note.took", word=word, name=entry.name)] * is_other
            return entry
        return None

    def _spoken_of(self, word: str) -> Work:
        """Return the file that was spoken of and that words choose: the longer, the other one, it, the second."""
        kind, _ = compared_in(word, self.language)
        if kind and not self.is_path(word):
            return (yield from self._compared(word, kind))
        shown = self.context.shown
        is_second = rank(word) == len(shown) == 2 and self.context.file not in shown  # noqa: PLR2004 - "ten drugi"
        is_other = is_pointer(word, "other") and not is_second
        if (ends := self._other_kind(word)) and self.context.file:
            every: list[Entry] = yield from self.folder.everything(".")
            names = [one.name for one in files_of(every, ends) if one.name != self.context.file]
            return names[0] if len(names) == 1 else ""  # "the other csv"
        return (yield from self._other()) if is_other else self._pointed(word)

    @staticmethod
    def _other_kind(word: str) -> tuple[str, ...]:
        """Return the endings of the kind of file of which another one is meant."""
        parts = word.split()
        found = ((kind_of_file(part), " ".join(parts[:at] + parts[at + 1 :])) for at, part in enumerate(parts))
        return next((ends for ends, rest in found if ends and is_pointer(rest, "other")), ())

    def _which(self, word: str, name: str, upper: Sequence[Entry]) -> str:
        """Ask which file is meant by words that fit none: a place in a list that is not shown, or the name of nothing."""
        if self._place(_FILLER.sub(" ", name.casefold())) is not None:
            if self.context.shown:
                return self.say("ask.which", names=self.either(self.context.shown))
            return self.say("ask.missing", what=self.say("role.file"))
        names = [one.name for one in files_of(upper)][:_MOST_NAMED]
        return self.say("ask.no_file", name=word, names=", ".join(names)) if names else self.say("no_file", name=word)

    def _inside(self, said: str, found: Pick, deeper: Pick, every: Sequence[Entry]) -> Pick:
        """Return the file that is meant in a folder with a name like it, "the letter" of letters.

        For a change those that are in there are to be chosen from.
        """
        head = f"{found.name}/"
        within = [name for name in (deeper.name, *deeper.rivals) if name.startswith(head)]
        if within:
            return Pick(within[0]) if len(within) == 1 else Pick(rivals=tuple(within))
        is_one = len(said) < len(found.name) and said[:_LONG_WORD] == plain(found.name)[:_LONG_WORD]
        is_one = is_one or is_singular(said)
        is_file = self._needs_file or ((self._changes or self._reads) and is_one and "folder" not in concepts_of(said))
        files = [one.name for one in files_of(every) if one.name.startswith(head)] if is_file else []
        return Pick(files[0], is_guess=True) if len(files) == 1 else Pick(rivals=tuple(files)) if files else found

    def which_in(self, folder: str) -> Work:
        """Make the question which file of a folder is meant."""
        every: list[Entry] = yield from self.folder.everything(folder)
        names = [one.name for one in files_of(every)]
        text = self.say("ask.which", names=self.either(names)) if len(names) > 1 else self.say("is_folder", file=folder)
        return Ask(text, can_try_others=True)

    def _by_content(self, words: str, head: str = "") -> Work:
        """Return the one file with most of the words that describe it: "the offer we wrote for Anneke"."""
        if not self.folder.has("fs_read") or len(telling_words(words)) < _ENOUGH:
            return Pick()
        every: list[Entry] = yield from self.folder.everything()
        names = [name for one in files_of(every) if not (name := one.name).casefold().endswith(_NO_LETTERS)]
        names = [name for name in names if name.startswith(head)][:_MOST_DESCRIBED]
        read: dict[str, str] = yield from self.folder.read_all(names)
        texts = {f"{name}\n{text}": name for name, text in read.items()}
        near, shared = nearest_texts(words, list(texts), self.language)
        if len(near) == 1 and shared >= _ENOUGH:
            return Pick(texts[near[0]], is_guess=True)
        by_lines = {name for name, _ in likeliest_lines(words, read, language=self.language)}
        return Pick(by_lines.pop(), is_guess=True) if len(by_lines) == 1 else Pick()

    def _chosen(self, words: str) -> Work:
        """Return which of the files that were asked about is described: by its name, its age, else by what is in it; else empty."""
        shown = self.context.shown
        if self.context.asked is None or len(shown) < 2 or self.is_path(words):  # noqa: PLR2004 - nothing to choose from
            return ""
        chosen = pick(words, shown, is_file=True)
        if chosen.name and not chosen.is_guess:
            return chosen.name
        every: list[Entry] = yield from self.folder.everything()
        other = pick(words, [one.name for one in files_of(every)], is_file=True) if chosen.is_guess else Pick()
        if other.name and not other.is_guess:
            return ""  # something that was not asked about is called so
        if chosen.name:
            return chosen.name
        names = [one.name for one in files_of(every) if one.name in shown]
        if age := age_in(words, self.language):
            by_age: list[str] = yield from self._by_age(names)
            return by_age[0 if age == "old" else -1] if by_age else ""
        if [word.kind for word in words_of(words)][-1:] == ["file"]:
            return ""  # whatever is in a file, it is not called so
        texts: dict[str, str] = yield from self.folder.read_all(names)
        near, _ = nearest_texts(words, list(texts.values()), self.language)
        return next(name for name, text in texts.items() if text == near[0]) if len(near) == 1 else ""

    def _by_age(self, names: Sequence[str]) -> Work:
        """Return files from the oldest to the newest: by the numbers in their names where only these differ, else by their times."""
        if len({_unnumbered(name) for name in names}) == 1:
            return sorted(names, key=lambda name: [int(number) for number in re.findall(r"\d+", name)])
        timed: list[Entry] = yield from self.folder.with_times([Entry(name) for name in names])
        by_time = sorted(timed, key=lambda one: one.changed)
        return [one.name for one in by_time] if by_time and by_time[0].changed != by_time[-1].changed else []

    def _among_shown(self, words: str) -> str:
        """Return which of the names shown is meant: it was asked, or "that csv" is one of them; empty where none is."""
        shown = self.context.shown
        if len(shown) > 1 and (ends := kind_of_file(words) or kind_of_file(words.split(" ", 1)[-1])):
            fitting = [one for one in shown if one.casefold().endswith(ends)]
            return fitting[0] if len(fitting) == 1 else ""
        return pick(words, shown, is_file=True).name if self.context.asked is not None and len(shown) > 1 else ""

    def _like_shown(self, words: str) -> str:
        """Return which of the files shown is described behind a word that only points, or in a like word: "the one from Ann"."""
        shown = [name for name in self.context.shown if "." in name]
        if len(shown) < 2:  # noqa: PLR2004 - nothing to choose from
            return ""
        behind = self._text.partition("\n")[0].rpartition(words)[2].strip(" .?!")
        said = f"{words} {behind}" if not any(map(says_something, words.split())) else words
        return pick(said, shown, is_file=True).name or nearest_name(said, shown)

    def _shown_with(self, words: str) -> Work:
        """Return the one of the files shown that holds words, whatever it is called: "the one with the lentils"; else empty."""
        names = [name for name in self.context.shown if _PATH.fullmatch(name)]
        if len(names) < 2 or not self.folder.has("fs_read") or not any(map(says_something, words.split())):  # noqa: PLR2004 - nothing to choose from
            return ""
        there: list[Entry] = yield from self.folder.everything()
        texts: dict[str, str] = yield from self.folder.read_all(
            [one.name for one in files_of(there) if one.name in names]
        )
        near, shared = nearest_texts(words, list(texts.values()), self.language)
        return next(name for name, text in texts.items() if text == near[0]) if shared and len(near) == 1 else ""

    def list_file(self, words: str) -> Work:
        """Return the file of a list that is named by what it is; empty where there is none, or several."""
        try:
            every: list[Entry] = yield from self.folder.everything()
        except (Absent, Failed, TooLarge):  # nothing to look with
            return ""
        found = pick_list(words, [one.name for one in files_of(every)])
        self.notes += [self.say("note.took", word=words, name=found.name)] * found.is_guess
        return found.name

    def _of_spoken(self, word: str) -> Work:
        """Return the files that were shown or spoken of last where words only say how many are meant: "both", "both of them"."""
        said, count = word.strip().casefold(), how_many(word)
        bare = without_count(said)
        if (
            not count
            or not (bare == said or is_pointer(bare.rpartition(" ")[2], "those"))
            or len(said.split()) > _POINTING
        ):
            return ()
        entries: list[Entry] = yield from self.folder.everything()
        there = {one.name for one in files_of(entries)}
        for last in (self.context.shown, tuple(name for name in self.context.spoken if name in there)):
            if len(last) >= count and (last is not self.context.shown or len(last) == count) and {*last} <= there:
                return last[-count:]
        return ()

    def _may_be_deeper(self, name: str, entries: Sequence[Entry]) -> bool:
        """Tell whether the request may name a file of a folder, of whose name with blanks a word is the end."""
        folders = [one.name.rstrip("/").casefold() for one in entries if one.is_folder]
        has_capital = any(word[0].isupper() for word in self._text.partition(name)[0].split()[1:])
        return bool(folders) and (has_capital or any(folder in self._text.casefold() for folder in folders))

    def _whole_name(self, word: str, entries: Sequence[Entry]) -> str:
        """Return the name with blanks of something that is there, of which a word is the end, as the request has it."""
        said, end = self._text.casefold(), word.casefold()
        fits = [
            one.name
            for one in entries
            if (base := one.name.rpartition("/")[2].casefold()) != end and base.endswith(end) and base in said
        ]
        return fits[0] if len(fits) == 1 else ""

    def _is_of_kind(self, name: str) -> bool:
        return bool(self._kind) and name.casefold().endswith(_ENDINGS[self._kind])

    def _just_made(self, word: str) -> str:
        """Return the copy or the folder that was just made, where a word means it; empty where it means none."""
        made = self.context.changed
        if made is None or len(made.arguments.get("file", ())) > 1:
            return ""
        said = {"copy": ("copy", "targets"), "write": ("copy", "file"), "folder.make": ("folder", "to")}
        kind, role = said.get(made.act, ("", ""))
        is_meant = kind and is_pointer(trimmed(word), kind) and (made.act != "write" or made.word("made"))
        return made.word(role) if is_meant else ""

    def _pointed(self, word: str) -> str | None:
        """Return what a pronoun or an ordinal points at."""
        context = self.context
        if made := self._just_made(word):
            return made
        if context.changed is not None and context.changed.act == "copy" and is_pointer(trimmed(word), "original"):
            sources = context.changed.arguments.get("file", ())
            if len(sources) == 1:
                return sources[0]
        bare = _FILLER.sub(" ", word.casefold()).strip()
        among = context.shown or context.spoken[-2:]
        place = self._place(bare) if len(among) > (not context.shown) and not _PATH.fullmatch(word.strip()) else None
        if place and -len(among) <= place <= len(among):
            return among[place - 1 if place > 0 else place].rstrip("/")
        if is_pointer(word, "it") or is_pointer(word, "those"):
            if context.file:
                return context.file
            if len(context.shown) == 1:
                return context.shown[0].rstrip("/")
            if trimmed(word) != word.strip():
                return None  # "the letter": it may be called so
            raise self.lacks("file")
        return None

    def _other(self) -> Work:
        """Return the other file: of those shown, of those spoken of, or one called like the last but for a number."""
        last = self.context.file
        shown = [name for name in self.context.shown if name != last]
        spoken = [name for name in self.context.spoken if name != last]
        if len(shown) == 1 or spoken:
            return shown[0] if len(shown) == 1 else spoken[-1]
        every: list[Entry] = yield from self.folder.everything()
        alike = [one.name for one in files_of(every) if one.name != last and _unnumbered(one.name) == _unnumbered(last)]
        where = posixpath.dirname(last)
        beside = [one.name for one in files_of(every) if one.name != last and posixpath.dirname(one.name) == where]
        for names in (alike, beside if where else ()):
            if len(names) == 1:
                return names[0]
        raise self.lacks("file")

    def _by_comparison(self, rivals: Sequence[str], words: Sequence[str]) -> Work:
        """Return which of two files that fit equally well is the newer, the older one that another word asks for; else empty."""
        kinds = [kind for word in words if (kind := compared_in(word, self.language)[0])]
        if len(rivals) != 2 or len(kinds) != 1:  # noqa: PLR2004 - one of two
            return ""
        if kinds[0] in {"newer", "older"}:
            dated: dict[str, str] = yield from self.folder.read_all(rivals)
            days = [next(iter(days_in(text)), None) for text in dated.values()]
            if None not in days and len(set(days)) == len(rivals):
                return sorted(zip(days, dated, strict=True))[-1 if kinds[0] == "newer" else 0][1]
        sizes: list[Any] = []
        for name in rivals:
            entry: Entry | None = yield from self.folder.find(name)
            sizes.append((yield from self._measure(entry or Entry(name), kinds[0])))
        best = max(sizes) if kinds[0] in {"longer", "larger", "newer"} else min(sizes)
        return rivals[sizes.index(best)] if sizes[0] != sizes[1] else ""

    def _compared(self, word: str, kind: str) -> Work:
        """Return the longer, older … of two files: those that were shown, else the last that were spoken of."""
        for names in (self.context.shown, self.context.spoken[-2:]):
            found: list[Entry] = []
            for name in names if len(names) == 2 else ():  # noqa: PLR2004 - one of two
                entry: Entry | None = yield from self.folder.find(name)
                found += [] if entry is None else [entry]
            if len(found) != 2:  # noqa: PLR2004 - the same
                continue
            first: Any = yield from self._measure(found[0], kind)
            second: Any = yield from self._measure(found[1], kind)
            if first == second:
                raise Ask(self.say("ask.which", names=self.either(names)))
            is_first = (first > second) is (kind in {"longer", "larger", "newer"})
            chosen = found[0 if is_first else 1].name
            self.notes.append(self.say("note.took", word=word, name=chosen))
            return chosen
        upper: list[Entry] = yield from self.folder.list()
        raise Ask(self.say("ask.which", names=self.either([one.name for one in files_of(upper)])))

    def _measure(self, entry: Entry, kind: str) -> Work:
        """Return the lines, the bytes or the time of a file, to be compared."""
        if kind in {"older", "newer"}:
            timed: list[Entry] = yield from self.folder.with_times([entry._replace(is_folder=False)])
            return timed[0].changed
        if entry.is_folder:
            below: list[Entry] = yield from self.folder.everything(entry.name)
            return len(below)
        return entry.bytes if kind in {"larger", "smaller"} else len(lines((yield from self.folder.read(entry.name))))

    @staticmethod
    def _place(bare: str) -> int | None:
        words = [
            word for word in plain(bare).split() if len(word) >= _LONG_WORD or word.isdigit() or rank(word) is not None
        ]
        return rank(bare) if bare and len(words) <= 1 and (not words or rank(words[-1]) is not None) else None

    def _picked(self, name: str, entries: Sequence[Entry]) -> Pick:
        if self._needs_file:
            found = self._picked_of(name, files_of(entries))
            if found.name or found.rivals:
                return found
        return self._picked_of(name, entries)

    def _picked_of(self, name: str, entries: Sequence[Entry]) -> Pick:
        names = [one.name for one in entries]
        found = pick(name, names, is_file=True)
        if found.name and not found.is_guess and plain(found.name.rpartition("/")[2]).startswith(plain(name)):
            return found
        if ends := kind_of_file(name):
            kind = [one.name for one in files_of(entries, ends)]
            if self.context.file in kind:
                return Pick(self.context.file)
            if kind:
                return Pick(kind[0]) if len(kind) == 1 else Pick(rivals=tuple(kind))
        return found

    def either(self, names: Sequence[str]) -> str:
        """Join names to choose from."""
        shown = list(names[:_MOST_NAMED])
        if len(shown) < 2:  # noqa: PLR2004 - nothing to join
            return "".join(shown)
        return f"{', '.join(shown[:-1])} {self.say('or')} {shown[-1]}"

    def usual(self, step: Step) -> Work:
        """Return the file a step is about that names none: the last one, or the only one that fits."""
        kind = acts()[step.act].reads if step.act in acts() else ""
        is_any = not kind or step.act == "count.rows"
        if step.act == "line.tick" and len(boxed := (yield from self._with_boxes())) == 1:
            return boxed[0]
        if self.context.file and (is_any or self.context.file.casefold().endswith(_ENDINGS[kind])):
            if kind != "table" or not step.word("column"):
                return self.context.file
            text: str = yield from self.folder.read(self.context.file)
            if pick(step.word("column"), read_table(text).columns).name:
                return self.context.file
            every: list[Entry] = yield from self.folder.everything()
            tables = [one.name for one in every if one.name.casefold().endswith(_ENDINGS[kind])]
            fitting: list[str] = yield from self._fitting(step, kind, tables)
            return fitting[0] if len(fitting) == 1 else self.context.file
        upper: list[Entry] = yield from self.folder.list()
        for entries in (upper, None):
            every = entries if entries is not None else (yield from self.folder.everything())
            files = [one.name for one in files_of(every)]
            if kind:
                files = yield from self._of_kind(step, kind, files)
            if len(files) == 1:
                return files[0]
            if files and kind:
                raise Ask(self.say("ask.which", names=self.either(files)))
        if self.context.file and kind:
            return self.context.file
        near: tuple[str, ...] = yield from self.files_near(step.text.partition("\n")[0])
        if len(near) == 1 and step.act.startswith(("count.", "size", "summary")):
            self.notes.append(self.say("note.took", word=PurePosixPath(near[0]).stem, name=near[0]))
            return near[0]
        raise self.missing(step, "file")

    def _with_boxes(self) -> Work:
        """Return the file with boxes to tick that is spoken of, or all of the folder."""
        upper: list[Entry] = yield from self.folder.list()
        texts: dict[str, str] = yield from self.folder.read_all([one.name for one in files_of(upper)][:_MOST_READ])
        boxed = [name for name, text in texts.items() if BOX.search(text)]
        return [self.context.file] if self.context.file in boxed else boxed

    def files_near(self, text: str) -> Work:
        """Return the files whose names share most words with a request; none where no name does."""
        if not self.folder.has("fs_list"):
            return ()
        try:
            every: list[Entry] = yield from self.folder.everything()
        except (TooLarge, Failed, Absent):
            return ()
        named = {PurePosixPath(one.name).stem: one.name for one in files_of(every)}
        near, _ = nearest_texts(without_asking(text), list(named))
        if not near and self.language != "en":
            near, _ = nearest_texts(without_asking(text), list(named), self.language)
        return tuple(named[one] for one in near)

    def _of_kind(self, step: Step, kind: str, files: Sequence[str]) -> Work:
        """Keep the files of a kind that have what a step is about; a list of objects in JSON is a table as well."""
        mine = [name for name in files if name.casefold().endswith(_ENDINGS[kind])]
        if kind == "table":
            texts: dict[str, str] = yield from self.folder.read_all(
                [name for name in files if name.casefold().endswith(KEYED)][:_MOST_READ]
            )
            mine += [name for name, text in texts.items() if read_table(text).rows]
        return (yield from self._fitting(step, kind, mine))

    def _fitting(self, step: Step, kind: str, files: Sequence[str]) -> Work:
        """Keep the files that have the column, value, key or function of a step."""
        if len(files) < 2 or not any(step.word(role) for role in ("column", "value", "key", "name", "by")):  # noqa: PLR2004
            return list(files)
        texts: dict[str, str] = yield from self.folder.read_all(files[:_MOST_READ])
        fits = [name for name, text in texts.items() if _fits(step, kind, text)]
        return fits or list(files)

    @staticmethod
    def is_path(word: str) -> bool:
        """Tell whether a word looks like the name of a file as it stands."""
        return _PATH.fullmatch(word.strip()) is not None and not word.startswith(("/", "~", ".."))

    def read(self, step: Step) -> Work:
        """Settle the first file of a step and read it: by the name itself where that looks like one."""
        word = step.word("file")
        word = word if _PATH.fullmatch(word) else trimmed(word)
        if word and _PATH.fullmatch(word) and self._pointed(word) is None:
            name = word.removeprefix("./").rstrip("/")
            try:
                return name, (yield from self._text_of(name))
            except Absent:
                pass
        (path, *_) = yield from self.files(step)
        return path, (yield from self._text_of(path))

    def _text_of(self, path: str) -> Work:
        """Return the text of a file; ``None`` for a folder."""
        try:
            return (yield from self.folder.read(path))
        except Failed as failed:
            if "is a folder" not in failed.said:
                raise
            return None

    def target(self, word: str) -> Work:
        """Settle where something is to go: a name as it is said, or something that is there; whether that is a folder."""
        name = word.strip().strip("\"'`").removeprefix("./")
        ways = (name, trimmed(name), whole_new_name(name, self._text))  # "noem m b.csv"
        name = next((one for one in ways if _PATH.fullmatch(one)), name)
        if is_here(name):
            return ".", (yield from self.folder.find("."))
        if is_pointer(name, "it"):
            last = self.context.changed
            if last is not None and last.act == "folder.make" and self.context.file != last.word("to"):
                name = last.word("to")
            elif self.context.file:
                name = self.context.file
            else:
                raise self.lacks("to")
        entry: Entry | None = yield from self.folder.find(name.rstrip("/") or ".")
        if entry is not None:
            return entry.name, entry
        if _PATH.fullmatch(name.rstrip("/")):
            upper: list[Entry] = yield from self.folder.list()
            within = self._needs_file and self._may_be_deeper(name, upper)
            every: list[Entry] = (yield from self.folder.everything()) if within else upper
            whole = self._whole_name(name, upper) or self._whole_name(name, every)
            if whole and not name.endswith("/"):
                return whole, next(one for one in every if one.name == whole)
            folded = [one for one in upper if one.name.casefold() == name.casefold()]
            if len(folded) == 1:
                self.notes.append(self.say("note.took", word=word, name=folded[0].name))
                return folded[0].name, folded[0]
            return whole_new_name(name.rstrip("/"), self._text), None
        upper = yield from self.folder.list()
        if name in " ".join(table_of("kind").values()).split():  # the end of a name that was not heard whole
            raise self.lacks("to")
        found = pick(name, [one.name for one in upper if one.is_folder], is_file=True)
        before, _, bare = name.rpartition(" ")
        if (found.is_guess or not found.name) and before and concepts_of(before) & _CALLED:
            entry = yield from self.folder.find(bare)
            if entry is not None:
                return bare, entry  # "listy zakupy.txt"
        if found.name and not (found.is_guess and "." in name):
            self.notes += [self.say("note.took", word=word, name=found.name)] * found.is_guess
            return found.name, next(one for one in upper if one.name == found.name)
        return name.rstrip("/"), None

    def goal(self, step: Step) -> str:
        """Return where files are to go: as it is said, or the folder that was just made."""
        last = self.context.changed
        is_made, to = last is not None and last.act == "folder.make", step.word("to")
        if last is None or not is_made or (to and ("/" in to or not _PATH.fullmatch(to.rpartition(" ")[2]))):
            return self.need(step, "to")
        is_inside = bool(to) and says_name(step.text) and points_back(step.text.replace(to, " "))
        inside = f"{last.word('to')}/{to}" if is_inside else ""  # "move it in there under the name b.txt"
        return inside or to or last.word("to")

    def inside(self, step: Step) -> Work:
        """Return the folder a step is about, ``.`` when it names none."""
        word = step.word("file")
        if place := self._place_spoken_of(step):
            entry: Entry | None = yield from self.folder.find(place)
            if entry is not None and entry.is_folder:
                return place
        bare = " ".join(one for one in plain(word).split() if not is_small(one))  # "the folder"
        if word and plain(word) not in _ALL and bare not in _ALL - {""} and not is_here(word):
            return (yield from self.file(word))
        return "." if word or not self.folder.has("fs_list") else (yield from self.named_folder(step)) or "."

    def _place_spoken_of(self, step: Step) -> str:
        """Return the folder that something was just put into, where a step is about what is in there; else empty."""
        word, told = step.word("file"), concepts_of(step.text)
        is_there = is_pointer(word, "it") and not is_here(word) if word else points_back(step.text)
        is_there = is_there or (not word and self.language in {"ja", "zh"} and bool(pointer_in(step.text)))
        if is_there and "folder" in told and posixpath.splitext(self.context.file)[1]:
            return posixpath.dirname(self.context.file)
        is_bare = not word and (self.has_changed or "in" in told) and not told & {"file", "folder", "all"}
        last, changed = self.context.last, self.context.changed
        if last is None or changed is None or not (is_there or is_bare) or last.act not in _PUTTING:
            return ""
        return posixpath.dirname(changed.word("targets")) if changed.word("targets") else changed.word("to")

    def named_folder(self, step: Step) -> Work:
        """Return the folder that a request names, whatever was made of the word; empty where there is none."""
        taken = {one.text for words in step.arguments.values() for word in words for one in words_of(word)}
        said = {one.folded for one in words_of(step.text.partition("\n")[0]) if one.text not in taken}
        upper: list[Entry] = yield from self.folder.list()
        folders = {one.name for one in upper if one.is_folder and one.name.casefold() in said}
        if not folders and step.act == "list":  # "welche Briefe gibt es?"
            every = [one.name for one in upper if one.is_folder]
            found = [pick(word, every, is_file=True) for word in said if is_noun_of_file(word)]
            folders = {one.name for one in found if one.name and not one.is_guess}
        folders -= not_meant(step.text, self.language, folders)
        return folders.pop() if len(folders) == 1 else ""

    def new_file(self, step: Step, word: str) -> Work:
        """Settle a file that may be there or not: a new one goes into the folder that is named, or was just made for it."""
        name, entry = yield from self.target(word)
        if entry is not None or "/" in name or not _PATH.fullmatch(name):
            return name, entry
        last = self.context.last
        is_inside = self.has_changed and last is not None and last.act == "folder.make" and points_back(step.text)
        where = last.word("to") if is_inside and last is not None else ""
        if not where and concepts_of(step.text) & _INTO:
            where = yield from self.named_folder(step)
        if not where:
            return name, entry
        path = f"{where}/{name}"
        return path, (yield from self.folder.find(path))

    def with_sources(self, step: Step) -> Work:
        """Return a move or a copy into the folder that was just made: another file that is named goes there as well."""
        last, word = self.context.changed, step.word("to")
        if last is None or last.act != "folder.make" or not word or not step.word("file"):
            return step
        entry: Entry | None = yield from self.folder.find(word)
        if entry is None or entry.is_folder:
            return step
        return step.with_arguments(file=(*step.arguments["file"], *step.arguments["to"]), to=())

    def endings_of(self, word: str) -> tuple[str, ...]:
        """Return the endings that are meant."""
        if ends := endings(word):
            return ends
        raise self.lacks("ending")

    def explain(self, error: NoSuch | Unsure, path: str) -> Exception:
        """Word what is not there, or not clear."""
        if isinstance(error, Unsure):
            return Ask(self.say("ask.which", names=self.either(error.options)))
        options = ", ".join(error.options[:20])
        match error.kind:
            case "column" | "key" | "function":
                text = self.say(f"no_{error.kind}", file=path, word=error.wanted, names=options or "-")
                return Ask(text, can_try_others=True)
            case "line":
                lines = int(options or 0)
                return Ask(self.say("no_line", file=path, word=error.wanted, n=lines))
            case "number":
                return Ask(self.say("no_number", file=path, word=error.wanted), can_try_others=True)
            case "json":
                return Ask(self.say("no_json", file=path), can_try_others=True)
            case _:
                return CannotWork(self.say("no_match", file=path, word=error.wanted))


def _told_behind(text: str, word: str, found: Pick) -> Pick:
    """Return the one of several files whose name a request tells right behind the word for them; else what was found.

    Examples
    --------
    >>> said = "add to the recipe for plum cake: salt"
    >>> _told_behind(said, "the recipe", Pick(rivals=("recipes/plum cake.md", "recipes/salt buns.md"))).name
    'recipes/plum cake.md'
    """
    behind = re.split("[:,;\uff1a\uff0c]", text.partition("\n")[0].partition(word)[2])[0]
    names = {PurePosixPath(one).stem: one for one in found.rivals}
    near, shared = nearest_texts(behind, list(names)) if len(names) > 1 else ([], 0)
    return Pick(names[near[0]]) if shared and len(near) == 1 else found


def _names_of(path: str) -> tuple[str, ...]:
    """Return what a file is called: its path, its name, and that without its ending."""
    base = path.casefold().rpartition("/")[2]
    return path.casefold(), base, posixpath.splitext(base)[0]


def _unnumbered(name: str) -> str:
    """Return a name without its numbers.

    Examples
    --------
    >>> _unnumbered("planning/week 23.md") == _unnumbered("planning/week 24.md")
    True
    """
    return re.sub(r"\d+", "", name)


def _fits(step: Step, kind: str, text: str) -> bool:
    try:
        match kind:
            case "table":
                table = read_table(text)
                for role in ("column", "by"):
                    if word := step.word(role):
                        settle("column", word, table.columns)
                value = plain(step.word("value"))
                return not value or any(f" {value} " in f" {plain(one)} " for row in table.rows for one in row)
            case "json":
                return not step.word("key") or bool(json_path(text, step.word("key")))
            case _:
                return not step.word("name") or bool(code_show(text, step.word("name")))
    except (NoSuch, Unsure):
        return False
