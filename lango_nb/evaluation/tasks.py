"""Tasks: what somebody says in a folder, and what has to be true afterwards.

::

    suite/
      tasks.yaml     tasks: a list, each with id, kind, language, turns
      files/         the folder they are about; every task gets a copy of its own

A turn says what the person types (``say``) and what is checked: patterns in the answer (``answer``, ``lacks``), files
(``files``: the text, ``null`` for gone, or what they contain; a file that is not named must be as before), commands
that ran (``runs``), notes of what is to do (``tasks``, ``done``). ``allow: false`` is a person who says no when asked,
``asks: true`` a turn whose only good answer is a question, and ``about`` the patterns a good question has to meet.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator

from lango_nb.core.errors import DefinitionError, UsageError
from lango_nb.core.paths import path_of
from lango_nb.core.text import counted
from lango_nb.specs.document import read_text
from lango_nb.specs.yaml_text import read_document

TASKS = "tasks.yaml"
OWN = "tasks"
"""Name of the tasks that come with the package."""
_OWN_FOLDER = Path(__file__).parent.parent / "data" / "tasks"
FILES = "files"


def _pattern(value: object) -> object:
    if isinstance(value, str):
        try:
            re.compile(value)
        except re.error as error:
            raise ValueError(f"{value!r} is not a regular expression: {error}") from None
    return value


Pattern = Annotated[str, BeforeValidator(_pattern)]
"""A regular expression; case does not count."""


class _Checks(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class FileCheck(_Checks):
    """What a file holds after a turn."""

    text: str | None = None
    """All of it; the line break at the end does not count."""
    contains: tuple[str, ...] = ()
    lacks: tuple[str, ...] = ()
    starts: str = ""
    ends: str = ""
    lines: int | None = None
    same_as: str = ""
    """A file that held the same before the turn."""

    def loses(self, text: str, before: str) -> bool:
        r"""Tell whether a line is gone that a file held before and that nobody wanted to be gone.

        Parameters
        ----------
        text, before : str
            What the file holds, and what it held.

        Examples
        --------
        >>> check = FileCheck(contains=("bread",), lacks=("milk",))
        >>> check.loses("tea, brd", "milk"), check.loses("brd", "milk\ntea")
        (False, True)
        """
        kept = None if self.text is None else set(self.text.splitlines())
        gone = set(filter(str.strip, before.splitlines())) - set(text.splitlines())
        return any(
            not any(part in line for part in self.lacks) if kept is None else line in kept or not text.strip()
            for line in gone
        )

    def problem(self, text: str, before: Mapping[str, bytes | None]) -> str:
        """Say what is not as it should be; empty when all is.

        Parameters
        ----------
        text : str
            What the file holds.
        before : mapping of str to bytes
            All files before the turn.

        Examples
        --------
        >>> FileCheck(contains=("milk", "bread")).problem("milk", {})
        "does not contain 'bread'"
        """
        body = text.rstrip("\n")
        missing = next((part for part in self.contains if part not in text), None)
        kept = next((part for part in self.lacks if part in text), None)
        source = before.get(self.same_as) if self.same_as else None
        found = {
            "is not what was asked for": self.text is not None and body != self.text.rstrip("\n"),
            f"does not contain {missing!r}": missing is not None,
            f"still contains {kept!r}": kept is not None,
            f"does not start with {self.starts!r}": not body.startswith(self.starts.rstrip("\n")),
            f"does not end with {self.ends!r}": not body.endswith(self.ends.rstrip("\n")),
            f"has {counted(len(body.splitlines()), 'line')}, not {self.lines}": self.lines is not None
            and len(body.splitlines()) != self.lines,
            f"is not what {self.same_as} was": bool(self.same_as)
            and (source is None or body != source.decode(errors="replace").rstrip("\n")),
        }
        return next((what for what, is_so in found.items() if is_so), "")


def _file_check(value: object) -> object:
    return {"text": value} if isinstance(value, str) else value


class TaskTurn(_Checks):
    """What a person says, and what is checked after it."""

    say: str
    answer: tuple[Pattern, ...] = ()
    lacks: tuple[Pattern, ...] = ()
    files: dict[str, Annotated[FileCheck | None, BeforeValidator(_file_check)]] = Field(default_factory=dict)
    """Path to what the file holds; ``None`` when it has to be gone. A path that ends in ``/`` is a folder."""
    allow: bool = True
    asks: bool = False
    about: tuple[Pattern, ...] = ()
    runs: tuple[Pattern, ...] = ()
    tasks: tuple[Pattern, ...] = ()
    done: tuple[Pattern, ...] = ()
    agents: tuple[str, ...] = ()
    """Agents that have to have worked in it."""
    tools: tuple[str, ...] = ()
    """Tools that have to have been called in it."""
    approvals: int | None = None
    """How many questions for an approval it may take at most; any number when absent."""

    @model_validator(mode="after")
    def _checks_something(self) -> Self:
        if not self.model_fields_set - {"say", "about"}:
            raise ValueError("nothing is checked; give answer, files, runs, tasks, done, asks or allow")
        return self


class Task(_Checks):
    """A request or a conversation about a folder."""

    id: str
    turns: tuple[TaskTurn, ...] = Field(min_length=1)
    kind: str = ""
    """Word for tables: ``count``, ``context`` and so on."""
    language: str = ""
    suite: str = ""
    """Name of the suite it comes from."""
    folder: str = ""
    """Where its files are; an empty folder when there is none."""


def read_tasks(data: object) -> tuple[Task, ...]:
    """Read tasks.

    Parameters
    ----------
    data : str, Path, DataFrame or iterable
        A folder with ``tasks.yaml`` and ``files/``, or one with such folders; ``tasks`` for those that come with the
        package; or rows with ``say`` and the fields of a turn, where rows with the same ``id`` are one conversation.

    Returns
    -------
    tuple of Task

    Raises
    ------
    UsageError
        There are none there.
    DefinitionError
        A task cannot be read; the message names the file, the line and the field.
    """
    if isinstance(data, Task):
        return (data,)
    if isinstance(data, str | Path):
        return _of_folder(_OWN_FOLDER if data == OWN else path_of(data))
    to_dict = getattr(data, "to_dict", None)
    rows = to_dict("records") if callable(to_dict) else list(data) if isinstance(data, Iterable) else None
    if rows == []:
        raise UsageError("there are no tasks in it")
    if rows is None:
        raise UsageError(f"tasks are a folder, a DataFrame or a list of tasks, not {type(data).__name__}")
    if all(isinstance(row, Task) for row in rows):
        return tuple(rows)
    return tuple(_of_rows(rows))


def is_suite(data: object) -> bool:
    """Tell whether data names task suites: those of the package, or a folder with ``tasks.yaml`` in it or below.

    Examples
    --------
    >>> is_suite("tasks"), is_suite("held-out")
    (True, False)
    """
    if not isinstance(data, str | Path):
        return False
    if data == OWN:
        return True
    folder = path_of(data)
    return (folder / TASKS).is_file() or (folder.is_dir() and any(folder.glob(f"*/{TASKS}")))


def _of_folder(folder: Path) -> tuple[Task, ...]:
    suites = [folder] if (folder / TASKS).is_file() else sorted(path.parent for path in folder.glob(f"*/{TASKS}"))
    if not suites:
        raise UsageError(f"there are no tasks in {folder}: a suite is a folder with {TASKS} and {FILES}/")
    return tuple(task for suite in suites for task in _of_suite(suite))


def _of_suite(suite: Path) -> list[Task]:
    shown_as = f"{suite.name}/{TASKS}"
    document = read_document(read_text(suite / TASKS, shown_as), shown_as, noun="suite")
    rows = document.values.get("tasks")
    if not isinstance(rows, list) or not rows:
        raise document.error(("tasks",), "has to be a list of tasks")
    place = {"suite": suite.name, "folder": str(suite / FILES)}
    found = []
    for number, row in enumerate(rows):
        try:
            found.append(Task.model_validate(row).model_copy(update=place))
        except ValidationError as error:
            first = error.errors()[0]
            raise document.error(("tasks", number, *first["loc"]), first["msg"].removeprefix("Value error, ")) from None
    return found


def _of_rows(rows: Iterable[Any]) -> list[Task]:
    found: dict[str, dict[str, Any]] = {}
    for number, row in enumerate(rows, 1):
        fields = {str(key): value for key, value in dict(row).items() if value is not None and value == value}  # noqa: PLR0124 - a missing value of pandas is not itself
        about: dict[str, Any] = {
            name: fields.pop(name) for name in ("id", "kind", "language", "folder", "suite") if name in fields
        }
        name = str(about.get("id", number))
        task = found.setdefault(name, {**about, "id": name, "turns": []})
        task["turns"].append(fields)
    tasks = []
    for task in found.values():
        try:
            tasks.append(Task.model_validate(task))
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(map(str, first["loc"]))
            raise DefinitionError(f"task {task['id']}: {where}: {first['msg'].removeprefix('Value error, ')}") from None
    return tasks
