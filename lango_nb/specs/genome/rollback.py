"""The inverse of one commit, made for the files as they are now.

Agents are undone field by field, memories and rules by their ids, lists of capabilities name by name, so that what has
come since stays. Where the same field has changed since, nothing is undone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NoReturn, TypeVar

from lango_nb.core.errors import RefusedError
from lango_nb.core.json_value import JsonValue
from lango_nb.specs.genome.history import PREFIX, SHORT
from lango_nb.specs.genome.items import agent_bytes, agent_fields, agent_of_fields, memory_bytes, rule_bytes
from lango_nb.specs.genome.memories import parse_memories
from lango_nb.specs.genome.repository import Repository, StoredCommit
from lango_nb.specs.genome.rules import parse_rules
from lango_nb.specs.genome.undo import undone
from lango_nb.specs.genome.working_tree import MANIFEST, MEMORIES, RULES, agent_of

Item = TypeVar("Item")
_LIST, _VERSION = "capabilities", "version"


def inverse(
    repository: Repository, commit: StoredCommit, now: Callable[[str], bytes | None]
) -> dict[str, bytes | None]:
    """Return the files that take a commit back.

    Parameters
    ----------
    repository : Repository
    commit : StoredCommit
    now : callable
        Returns the text of a path as it is now.

    Returns
    -------
    dict of str to bytes or None
        Without what is as before already. The manifest stays: what was shipped was shipped.

    Raises
    ------
    RefusedError
        Something that it changed has changed since.
    """
    undo = _Undo(repository, commit)
    changes: dict[str, bytes | None] = {}
    for path, (old_id, new_id) in repository.changed(commit.parent, commit.id).items():
        if path == MANIFEST:
            continue
        old, new = (repository.content(one) if one else None for one in (old_id, new_id))
        here = now(path)
        found = old if here == new else here if here == old else undo.merged(path, old, new, here)
        if found != here:
            changes[path] = found
    return changes


def subject_of(commit: StoredCommit) -> str:
    """Word what a rollback of this commit is called."""
    subject = commit.message.strip().split("\n", 1)[0].removeprefix(PREFIX)
    return f"{PREFIX}roll back {commit.id[:SHORT]}: {subject}"


class _Undo:
    """The undoing of one commit."""

    def __init__(self, repository: Repository, commit: StoredCommit) -> None:
        self._repository, self._commit = repository, commit

    def merged(self, path: str, old: bytes | None, new: bytes | None, now: bytes | None) -> bytes | None:
        """Undo a change of a file that has changed since as well."""
        before, after, here = ((one or b"").decode() for one in (old, new, now))
        if path == MEMORIES:
            memories = undone(parse_memories(before, path), parse_memories(after, path), parse_memories(here, path))
            return memory_bytes(self._whole(path, "memory", *memories))
        if path == RULES:
            rules = undone(parse_rules(before, path), parse_rules(after, path), parse_rules(here, path))
            return rule_bytes(self._whole(path, "rule", *rules))
        if not agent_of(path) or old is None or new is None or now is None:
            if old is None and now is None:
                return None
            self._refuse(path, "")
        fields = [agent_fields(one, path) for one in (before, after, here)]
        return self._agent(path, *fields)

    def _agent(
        self,
        path: str,
        before: Mapping[str, JsonValue],
        after: Mapping[str, JsonValue],
        now: Mapping[str, JsonValue],
    ) -> bytes:
        lists = [dict.fromkeys(map(str, one.get(_LIST) or ())) for one in (before, after, now)]  # type: ignore[arg-type]  # a list: it was checked
        rest = [{key: one[key] for key in one if key not in {_LIST, _VERSION}} for one in (before, after, now)]
        fields, conflicts = undone(*rest)
        if conflicts:
            self._refuse(path, ", ".join(conflicts))
        names, _ = undone(*lists)
        version = now[_VERSION]
        if fields != rest[2] and isinstance(version, int):
            version += 1
        return agent_bytes(agent_of_fields({**fields, _LIST: list(names), _VERSION: version}, path))

    def _whole(self, path: str, noun: str, found: dict[str, Item], conflicts: list[str]) -> dict[str, Item]:
        if conflicts:
            self._refuse(path, f"{noun} {conflicts[0]}")
        return found

    def _refuse(self, path: str, what: str) -> NoReturn:
        name = agent_of(path)
        thing = f"agent {name!r}" if name else path
        later = self._last_change(path)
        advice = f"roll back {later} first" if later else "keep or undo the hand edit first"
        detail = f" ({what})" if what else ""
        short = self._commit.id[:SHORT]
        raise RefusedError(f"commit {short} cannot be rolled back: {thing} has changed since{detail}; {advice}")

    def _last_change(self, path: str) -> str:
        """Return the newest commit that changed a file, if that was after this one."""
        for one in self._repository.commits():
            if one.id == self._commit.id:
                break
            if self._repository.find(one.parent, path) != self._repository.find(one.id, path):
                return one.id[:SHORT]
        return ""
