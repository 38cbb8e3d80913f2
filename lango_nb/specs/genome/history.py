"""The history of a genome: its commits as records, and what differs between two of them."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Literal

from lango_nb.core.dataclass import dataclass
from lango_nb.core.errors import UnknownNameError, UsageError
from lango_nb.core.json_value import JsonValue
from lango_nb.core.masking import mask, mask_value
from lango_nb.specs.genome.items import Noun, items_of
from lango_nb.specs.genome.repository import Repository, StoredCommit

PREFIX = "genome: "
"""How the subject of every commit of ours begins."""
SHORT = 7
_LEAST = 4
"""So many digits of an id have to be given."""
Operation = Literal["begin", "start", "sync", "add", "update", "remove", "prune", "edit", "rollback", "other"]
_SUBJECTS: tuple[tuple[Operation, str], ...] = (
    ("rollback", r"roll back (?P<name>[0-9a-f]+): .*"),
    ("edit", r"keep hand edit of (?:(?P<noun>agent) (?P<name>\S+)|(?P<file>\S+))"),
    ("update", r"update (?P<noun>agent) (?P<name>\S+) to version \d+"),
    ("add", r"add (?P<noun>agent|memory|rule) (?P<name>\S+)"),
    ("remove", r"remove (?P<noun>agent|memory|rule) (?P<name>\S+)"),
    ("prune", r"prune .*"),
    ("sync", r"sync: .*"),
    ("start", r"start with .*"),
    ("begin", "begin"),
)


@dataclass(frozen=True, slots=True)
class Commit:
    """One change of a genome."""

    id: str
    at: datetime
    subject: str
    """Without the ``genome:`` that it begins with."""
    operation: Operation
    """What was done; ``other`` for commits that were made with git."""
    noun: str
    """To what: ``agent``, ``memory``, ``rule``, or empty."""
    name: str
    """To which; of a rollback, the short id of the commit that it took back."""
    files: tuple[str, ...]
    parent: str
    """Id of the commit before it; empty for the first."""

    @property
    def short_id(self) -> str:
        """The beginning of the id, which is enough to name it."""
        return self.id[:SHORT]


@dataclass(frozen=True, slots=True)
class FieldChange:
    """One field that differs; secrets are masked."""

    field: str
    before: JsonValue
    after: JsonValue


@dataclass(frozen=True, slots=True)
class ItemChange:
    """One agent, memory, rule or other file that differs."""

    noun: Noun
    name: str
    action: Literal["added", "removed", "changed"]
    fields: tuple[FieldChange, ...]
    """Those that differ; of what was added or removed, all."""


@dataclass(frozen=True, slots=True)
class Diff:
    """What differs between two commits."""

    before: str
    """Id of the commit; empty: nothing at all."""
    after: str
    items: tuple[ItemChange, ...]
    text: str
    """The same line by line, as ``git diff`` shows it; secrets are masked."""


def record(repository: Repository, stored: StoredCommit) -> Commit:
    """Make the record of a stored commit."""
    subject = mask(stored.message.strip().split("\n", 1)[0])
    own = subject.removeprefix(PREFIX)
    operation: Operation = "other"
    noun = name = ""
    for kind, pattern in _SUBJECTS if own != subject else ():
        found = re.fullmatch(pattern, own)
        if found is not None:
            parts = found.groupdict()
            operation, noun, name = kind, parts.get("noun") or "", parts.get("name") or parts.get("file") or ""
            break
    files = tuple(repository.changed(stored.parent, stored.id))
    at = datetime.fromtimestamp(stored.seconds, UTC)
    return Commit(stored.id, at, own, operation, noun, name, files, stored.parent)


def history(repository: Repository, limit: int, path: str) -> Iterator[Commit]:
    """Return commits from the newest on.

    Parameters
    ----------
    repository : Repository
    limit : int
        At most so many; 0: all.
    path : str
        Only those that changed this file; empty: all.
    """
    number = 0
    for stored in repository.commits():
        if path and not _touches(repository, stored, path):
            continue
        yield record(repository, stored)
        number += 1
        if number == limit:
            return


def find_commit(repository: Repository, name: str) -> StoredCommit:
    """Return the commit that is meant by an id, its beginning, ``HEAD`` or ``HEAD~2``.

    Raises
    ------
    UnknownNameError
        The history holds none of that name.
    UsageError
        It means several, or is too short.
    """
    back = re.fullmatch(r"HEAD(?:~(\d{1,9}))?", name)
    if back is None and not re.fullmatch(f"[0-9a-f]{{{_LEAST},40}}", name):
        raise UsageError(f"{mask(name)[:40]!r} names no commit; give {_LEAST} or more digits of its id, or HEAD~1")
    found: list[StoredCommit] = []
    for place, stored in enumerate(repository.commits()):
        if back is not None and place == int(back[1] or 0):
            return stored
        if back is None and stored.id.startswith(name):
            if name == stored.id[: max(SHORT, len(name))]:
                return stored
            found.append(stored)
    if not found:
        recent = (one.id[:SHORT] for _, one in zip(range(5), repository.commits(), strict=False))
        raise UnknownNameError("commit", name, recent, "the history")
    if len(found) > 1:
        raise UsageError(f"{name!r} may mean {found[0].id[:SHORT]} or {found[1].id[:SHORT]}; give more digits")
    return found[0]


def compare(repository: Repository, before: str, after: str) -> Diff:
    """Tell what differs between two commits, given by their whole ids."""
    changed = repository.changed(before, after).items()
    pairs = {path: [repository.content(one) if one else None for one in ids] for path, ids in changed}
    return difference({path: (old, new) for path, (old, new) in pairs.items()}, before, after)


def difference(texts: Mapping[str, tuple[bytes | None, bytes | None]], before: str = "", after: str = "") -> Diff:
    """Tell what differs between the texts of files, by path: before and after."""
    items: list[ItemChange] = []
    lines: list[str] = []
    for path, (old, new) in texts.items():
        items += _item_changes(path, old, new)
        lines += _lines(path, old, new)
    return Diff(before, after, tuple(items), mask("".join(lines)))


def _touches(repository: Repository, stored: StoredCommit, path: str) -> bool:
    return repository.find(stored.id, path) != repository.find(stored.parent, path)


def _item_changes(path: str, old: bytes | None, new: bytes | None) -> Iterable[ItemChange]:
    before, after = items_of(path, old), items_of(path, new)
    for key in dict.fromkeys((*before, *after)):
        was, now = before.get(key, {}), after.get(key, {})
        fields = tuple(
            FieldChange(field, mask_value(was.get(field)), mask_value(now.get(field)))
            for field in dict.fromkeys((*was, *now))
            if was.get(field) != now.get(field)
        )
        if key not in before:
            yield ItemChange(*key, "added", fields)
        elif key not in after:
            yield ItemChange(*key, "removed", fields)
        elif fields or key[0] == "file":
            yield ItemChange(*key, "changed", fields)


def _lines(path: str, old: bytes | None, new: bytes | None) -> Iterable[str]:
    names = ("/dev/null" if old is None else f"a/{path}", "/dev/null" if new is None else f"b/{path}")
    before, after = ((one or b"").decode("utf-8", "replace").splitlines(keepends=True) for one in (old, new))
    for line in difflib.unified_diff(before, after, *names):
        yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
