"""The folder of a request as its tools show it: every look is a call, and what was seen is not asked for twice."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Generator, Mapping, Sequence
from typing import Any

from lango_nb.core.messages import ToolSchema
from lango_nb.core.secrets.sight import MASK
from lango_nb.models.offline.offer import OUTPUT
from lango_nb.models.offline.operations import Entry
from lango_nb.models.offline.plan import Call, Got
from lango_nb.models.offline.stored import split_meta

Work = Generator[tuple[Call, ...], tuple[Got, ...], Any]
"""Yields calls, takes what they gave."""
MOST_FOLDERS = 40
"""Folders that are looked into when everything is listed."""
MOST_PAGES = 12
"""Pages of one result that are read; what is larger is said to be."""
MOST_STATS = 60
"""Files whose times are asked for."""
_LONG_LINE = 1000
"""Characters from which a line of a stored result comes in pieces."""
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
    """

    def __init__(self, tools: Mapping[str, ToolSchema]) -> None:
        self.tools = tools
        self._listed: dict[str, list[Entry] | None] = {}
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
                    try:
                        text = "" if got.is_error else (yield from self._all_of(got.text, path))
                    except TooLarge:
                        text = ""
                    self._listed[path] = _entries(text, path)
            below = [one for name in level for one in self._listed[name] or ()]
            found += below
            level = [one.name for one in below if one.is_folder and not _is_hidden(one.name)]
        return found

    def with_times(self, entries: Sequence[Entry]) -> Work:
        """Return files with the times of their last changes."""
        files = [one for one in entries if not one.is_folder]
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
        try:
            entries: list[Entry] = yield from self.list(posixpath.dirname(name) or ".")
        except (Absent, Failed) as error:
            if isinstance(error, Failed) and error.is_missing:
                raise
            return None
        return next((one for one in entries if one.name == name), None)

    # -- texts ---------------------------------------------------------------------------------------------------------

    def read(self, path: str) -> Work:
        """Return the whole text of a file."""
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
