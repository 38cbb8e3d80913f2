"""The genome of a topology: its agents and what they have learned, in a git repository, each change one commit.

    agents/<name>.yaml           one agent each
    memories/memories.jsonl      what was learned
    routing/rules.yaml           who is preferred for what
    bootstrap-manifest.json      what was shipped, and when
    metrics/  .state/            actions and stumbles, uses of memories: not part of the history

The commit comes first, then the files, then what is in memory: what a call has returned from is on the disk.

Notes
-----
Source: Quick Start: Agent Delegation Architecture (spec 004), "Genome Persistence".
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from datetime import datetime
from os import PathLike
from pathlib import Path
from typing import Any, Literal, Self

from lango_nb.core.clock import Clock, SystemClock
from lango_nb.core.errors import DefinitionError, RefusedError, StoreError, UnknownNameError, UsageError, shorten
from lango_nb.core.masking import mask
from lango_nb.core.paths import path_of
from lango_nb.core.text import counted, folded
from lango_nb.specs.agent import AgentSpec
from lango_nb.specs.agent_yaml import load_bootstrap_agents
from lango_nb.specs.genome import memories as remembered
from lango_nb.specs.genome import rules as routing
from lango_nb.specs.genome.history import PREFIX, Commit, Diff, compare, find_commit, history, record
from lango_nb.specs.genome.items import agent_bytes, memory_bytes, parse_file, rule_bytes
from lango_nb.specs.genome.manifest import render_manifest, sum_of, sum_of_agent
from lango_nb.specs.genome.memories import Memory, Use
from lango_nb.specs.genome.metrics import Metric, Metrics
from lango_nb.specs.genome.repository import Files, Repository
from lango_nb.specs.genome.rollback import inverse, subject_of
from lango_nb.specs.genome.rules import Rule
from lango_nb.specs.genome.sync import ROOT, Sync, plan_sync
from lango_nb.specs.genome.uses import Uses
from lango_nb.specs.genome.working_tree import (
    AGENTS,
    IGNORED,
    MANIFEST,
    MEMORIES,
    METRICS,
    RULES,
    STATE,
    Finding,
    WorkingTree,
    agent_of,
    agent_path,
)

PRIMITIVES = ("read_file", "write_file", "edit_file", "apply_patch", "exec", "grep", "glob", "fetch")
"""Tools that no agent may be called like."""
RESERVED = ("learn", "kernel", "perceive", "recall", "plan", "act", "verify", "delegate")
"""Names of what an agent does, which no agent may be called like."""
_FOLDERS = (".git", "agents", "memories", "routing", METRICS, STATE)
Origin = Literal["shipped", "changed", "own"]
_IGNORE = ".gitignore"
_SHOWN = 3
"""So many names stand in an error."""


class Genome:
    """Agents, memories and routing rules that change, with all their history.

    Made by :meth:`init`, :meth:`open` and :meth:`open_or_init`. Several threads and processes may use one genome at the
    same time: changes wait for each other, and :meth:`refresh` takes in those of others.

    Parameters
    ----------
    folder : Path
    clock : Clock
    is_new : bool
        Whether to make it where there is none.

    Attributes
    ----------
    folder : Path
    metrics : Metrics
        Actions and stumbles.
    generation : int
        Another number after every change of what is in use, whoever made it.
    last_commit : str
        Id of the newest commit that was made through this object; empty before the first.
    synced : Sync
        What :meth:`open_or_init` brought.
    """

    def __init__(self, folder: Path, clock: Clock, *, is_new: bool = False) -> None:
        self.folder, self._clock = folder, clock
        self._repository = Repository(folder, clock)
        self._tree = WorkingTree(self._repository, parse_file)
        self._uses = Uses(folder / STATE / "uses.json")
        self.metrics = Metrics(folder / METRICS / "metrics.jsonl")
        self.generation = 0
        self.synced = Sync()
        self.last_commit = ""
        self._agents: dict[str, AgentSpec] = {}
        if is_new:
            self._begin()
        self._open()

    # -- making and opening --------------------------------------------------------------------------------------------

    @classmethod
    def init(cls, path: str | PathLike[str], clock: Clock | None = None) -> Self:
        """Make a genome in a folder, or open the one that is there.

        Parameters
        ----------
        path : str or path
            Made when it is not there. Inside another repository it gets one of its own.
        clock : Clock, optional
            Gives commits and memories their times.

        Raises
        ------
        StoreError
            The folder holds a repository that is no genome, or cannot be written to.
        """
        return cls(path_of(path).absolute(), clock or SystemClock(), is_new=True)

    @classmethod
    def open(cls, path: str | PathLike[str], clock: Clock | None = None) -> Self:
        """Open a genome; what a killed process left half done is put right.

        Raises
        ------
        StoreError
            There is none, or it is damaged.
        """
        return cls(path_of(path).absolute(), clock or SystemClock())

    @classmethod
    def open_or_init(
        cls, path: str | PathLike[str], bootstrap: str | PathLike[str], clock: Clock | None = None, *, root: str = ""
    ) -> Self:
        """Open a genome, or make one of the agents that are shipped; :attr:`synced` says what came of it.

        Parameters
        ----------
        path : str or path
        bootstrap : str or path
            Folder of shipped agents: what is new there is brought into a genome that was there already.
        clock : Clock, optional
        root : str
            Agent that a new genome has to have; none when empty.

        Raises
        ------
        DefinitionError
            A file of theirs cannot be read, or the root is missing; nothing is made then.
        """
        shipped = _shipped(bootstrap)
        if root and not path_of(path).exists() and root not in {spec.name for spec, _ in shipped}:
            raise DefinitionError(
                f"{path_of(bootstrap).name}: there is no agent {root!r}, which everything begins with"
            )
        genome = cls.init(path, clock)
        genome.synced = genome._sync(shipped)  # noqa: SLF001 - its own
        return genome

    def close(self) -> None:
        """Let go of the files that are open; the next call opens them again."""
        self._repository.close()

    def _begin(self) -> None:
        """Make the folder, its repository and the first commit, as far as they are not there."""
        name = self.folder.name
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StoreError(f"genome {name!r} cannot be made ({error.strerror}); choose another folder") from error
        self._check_folders()
        if self._repository.is_there and self._repository.refs.head():
            return
        if (self.folder / ".git").is_file():
            raise StoreError(f"{name!r} is a work tree of another repository; choose another folder")
        with self._repository.lock:
            self._repository.make()
            if self._repository.refs.head():
                return
            ignore = self.folder / _IGNORE
            ignored = ignore.read_bytes().rstrip() + b"\n" if ignore.is_file() else b""
            files: Files = {_IGNORE: ignored + IGNORED.encode(), RULES: routing.EMPTY.encode(), MEMORIES: b""}
            self._repository.commit(files, f"{PREFIX}begin")
            self._tree.look(is_opening=True)
            self._tree.wrote({_IGNORE: files[_IGNORE]})

    def _open(self) -> None:
        name = self.folder.name
        if not self._repository.is_there or not (head := self._repository.refs.head()):
            raise StoreError(f"there is no genome in {name!r}; Genome.init makes one", "missing")
        self._check_folders()
        if RULES not in self._repository.tree(head):
            raise StoreError(f"{name!r} holds a git repository that is no genome; choose another folder", "missing")
        self._tree.look(is_opening=True)
        self._renew()

    def _check_folders(self) -> None:
        linked = next((name for name in _FOLDERS if (self.folder / name).is_symlink()), None)
        if linked is not None:
            what = f"genome {self.folder.name!r}: {linked} is a symbolic link, which may lead anywhere"
            raise StoreError(f"{what}; put the folder itself there")

    # -- looking -------------------------------------------------------------------------------------------------------

    def refresh(self) -> bool:
        """Take in what other processes have committed and people have edited; cheap when there is nothing.

        Returns
        -------
        bool
            Whether anything that is in use has changed.
        """
        is_changed = self._tree.look()
        if is_changed:
            self._renew()
        return is_changed

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Files that are not as the newest commit has them, cannot be read, or were put right."""
        return self._tree.findings

    @property
    def edits(self) -> tuple[str, ...]:
        """Files that were edited by hand, are in use, and in no commit yet."""
        return tuple(sorted(self._tree.edited))

    def all_agents(self) -> tuple[AgentSpec, ...]:
        """Return all agents, sorted by name."""
        return tuple(self._agents.values())

    def get_agent(self, name: str) -> AgentSpec | None:
        """Return one agent; ``None`` where there is none of that name."""
        return self._agents.get(name)

    def origin(self, name: str) -> Origin:
        """Tell where an agent comes from.

        Returns
        -------
        str
            ``shipped``: it is as it was shipped, but for its list; ``changed``: it was shipped, and has changed here
            since; ``own``: it was made here.

        Raises
        ------
        UnknownNameError
            There is none of that name.
        """
        spec = self._known(name)
        entry = (self._tree.values.get(MANIFEST) or {}).get(name)
        if entry is None:
            return "own"
        return "shipped" if entry.written == sum_of_agent(spec) else "changed"

    @property
    def memories(self) -> tuple[Memory, ...]:
        """All memories, the oldest first."""
        return tuple((self._tree.values.get(MEMORIES) or {}).values())

    @property
    def rules(self) -> tuple[Rule, ...]:
        """All routing rules, the oldest first."""
        return tuple((self._tree.values.get(RULES) or {}).values())

    @property
    def has_learned(self) -> bool:
        """Whether there is any memory or routing rule."""
        return bool(self._tree.values.get(MEMORIES) or self._tree.values.get(RULES))

    @property
    def uses(self) -> Mapping[str, Use]:
        """When memories were found last, and how often, by id."""
        return self._uses.all()

    # -- agents that are shipped ---------------------------------------------------------------------------------------

    def init_from_bootstrap(self, folder: str | PathLike[str]) -> Sync:
        """Fill a genome that has no agents with those that are shipped.

        Raises
        ------
        UsageError
            It has some.
        DefinitionError
            A file of theirs cannot be read.
        """
        with self._changing():
            if self._agents:
                has = counted(len(self._agents), "agent")
                raise UsageError(f"genome {self.folder.name!r} has {has} already; sync brings what is new")
            return self.sync_bootstrap(folder)

    def sync_bootstrap(self, folder: str | PathLike[str]) -> Sync:
        """Bring in what is new among the agents that are shipped; what has been changed here stays.

        Parameters
        ----------
        folder : str or path
            One YAML file for each agent.

        Raises
        ------
        DefinitionError
            A file of theirs cannot be read.
        """
        return self._sync(_shipped(folder))

    def _sync(self, shipped: Sequence[tuple[AgentSpec, str]]) -> Sync:
        with self._changing():
            manifest = self._tree.value(MANIFEST) or {}
            for spec, _ in shipped:
                self._tree.value(agent_path(spec.name))
            is_first, at = not self._agents and not manifest, self._clock.now()
            sync = plan_sync(shipped, manifest, self._agents).sync

            def make() -> Files:
                plan = plan_sync(shipped, manifest, self._agents)
                new = {} if plan.manifest == manifest else {MANIFEST: render_manifest(plan.manifest, at).encode()}
                return {**plan.files, **new}

            self._commit(f"start with {counted(len(sync.added), 'agent')}" if is_first else f"sync: {sync}", make)
            return sync

    # -- agents --------------------------------------------------------------------------------------------------------

    def add_agent(self, spec: AgentSpec, parent: str = "") -> AgentSpec:
        """Add an agent.

        Parameters
        ----------
        spec : AgentSpec
        parent : str
            An agent that may hand work to it from now on: the name joins its list in the same commit. Its version
            stays, for what it is has not changed.

        Returns
        -------
        AgentSpec
            As it is in use now.

        Raises
        ------
        DefinitionError
            The name is taken, or reserved; or a value cannot be written.
        UnknownNameError
            There is no such parent.
        """
        with self._changing():
            self._check_new(spec.name)
            if parent:
                self._known(parent)

            def make() -> Files:
                changes = {agent_path(spec.name): agent_bytes(_masked(spec))}
                if parent and spec.name not in (above := self._agents[parent]).delegates:
                    changes[agent_path(parent)] = agent_bytes(_listing(above, (*above.tools, spec.name)))
                return changes

            self._commit(f"add agent {spec.name}", make)
            return self._agents[spec.name]

    def update_agent(self, spec: AgentSpec, *, force: bool = False) -> AgentSpec:
        """Change an agent; its version is one more than before, whatever the new one says.

        Parameters
        ----------
        spec : AgentSpec
        force : bool
            Needed for the root, which everything begins with.

        Raises
        ------
        UnknownNameError
            There is none of that name.
        RefusedError
            It is the root.
        """
        with self._changing():
            self._known(spec.name)
            if spec.name == ROOT and not force:
                raise RefusedError("agent 'root' is not rewritten by a proposal; edit agents/root.yaml, or force it")
            path = agent_path(spec.name)
            if path in self._tree.edited:
                self._parsed(path, agent_bytes(spec))
                self._keep([path])
            new = _masked(spec).model_copy(update={"version": self._agents[spec.name].version + 1})
            self._commit(f"update agent {spec.name} to version {new.version}", lambda: {path: agent_bytes(new)})
            return self._agents[spec.name]

    def remove_agent(self, name: str, *, force: bool = False) -> None:
        """Remove an agent; its history stays, and a rollback brings it back.

        Parameters
        ----------
        name : str
        force : bool
            Also when other agents list it: their lists lose the name in the same commit.

        Raises
        ------
        UnknownNameError
            There is none of that name.
        RefusedError
            It is the root, or others list it.
        """
        with self._changing():
            self._known(name)
            if name == ROOT:
                raise RefusedError("agent 'root' cannot be removed: everything begins with it")
            users = self._users(name)
            if users and not force:
                listed = ", ".join(users[:_SHOWN]) + (f" and {len(users) - _SHOWN} more" if len(users) > _SHOWN else "")
                raise RefusedError(f"agent {name!r} is used by {listed}; take it out of their lists, or force it")

            def make() -> Files:
                changes: dict[str, bytes | None] = {agent_path(name): None}
                for user in users:
                    spec = self._agents[user]
                    left = tuple(one for one in spec.tools if one != name)
                    changes[agent_path(user)] = agent_bytes(_listing(spec, left))
                return changes

            self._commit(f"remove agent {name}", make)

    def keep_edits(self) -> tuple[str, ...]:
        """Commit what was edited by hand, each file for itself.

        Returns
        -------
        tuple of str
            The files.
        """
        with self._changing():
            edited = self.edits
            self._keep(edited)
            return edited

    # -- memories and rules --------------------------------------------------------------------------------------------

    def add_memory(
        self, content: str, tags: Collection[str] = (), source: str = "user", confidence: float = 0.8
    ) -> Memory:
        """Note something to remember; secrets in it are masked.

        Raises
        ------
        DefinitionError
            It is empty, there already, or its confidence is not from 0 to 1.
        """
        if not content.strip():
            raise DefinitionError("a memory needs a text")
        if not 0 <= confidence <= 1:
            raise DefinitionError(f"a memory's confidence is from 0 to 1, not {confidence}")
        with self._changing():
            known: Mapping[str, Memory] = self._tree.value(MEMORIES) or {}
            text, at = mask(content.strip()), self._clock.now()
            same = next((one for one in known.values() if folded(one.content) == folded(text)), None)
            if same is not None:
                raise DefinitionError(f"memory {same.id} says that already; remove it first to note it anew")
            name = _new_id("m", text, at, known)
            memory = Memory(name, text, at, tuple(map(mask, tags)), source, confidence)
            self._commit(f"add memory {name}", lambda: {MEMORIES: memory_bytes({**known, name: memory})})
            return memory

    def remove_memory(self, name: str) -> None:
        """Forget a memory.

        Raises
        ------
        UnknownNameError
            There is none of that id.
        """
        with self._changing():
            self._forget({name}, f"remove memory {name}")

    def search_memories(self, query: str, limit: int = 5, minimum: float = 0.3) -> tuple[Memory, ...]:
        """Return the memories that share most words with a text.

        Parameters
        ----------
        query : str
        limit : int
        minimum : float
            What is worth less by now is left out: a memory loses half of its confidence in 30 days without use.
        """
        memories = self.memories
        if not memories:
            return ()
        found = remembered.find(memories, self.uses, query, self._clock.now(), minimum)
        return found[: max(0, limit)]

    def mark_used(self, *names: str) -> None:
        """Note that memories were of use, so that they fade no further; unknown ids do not count."""
        known = {memory.id for memory in self.memories}
        used = [name for name in names if name in known]
        if used:
            with self._repository.lock:
                self._uses.add(used, self._clock.now(), known)

    def prune_memories(self, minimum: float = 0.2) -> tuple[str, ...]:
        """Forget the memories that are worth less than that by now; return their ids."""
        with self._changing():
            now, uses = self._clock.now(), self.uses
            faded = [one.id for one in self.memories if remembered.confidence_at(one, uses.get(one.id), now) < minimum]
            if faded:
                self._forget(set(faded), f"prune {counted(len(faded), 'memory')}")
            return tuple(faded)

    def add_rule(self, condition: str, preference: str, strength: float = 0.5, source: str = "user") -> Rule:
        """Add a routing rule.

        Parameters
        ----------
        condition : str
            What requests are about, in words.
        preference : str
            What to do then.
        strength : float
            From 0 to 1.
        source : str

        Raises
        ------
        DefinitionError
            A text is empty, or the strength is not from 0 to 1; or there is such a rule.
        """
        routing.check_strength(strength)
        if not condition.strip() or not preference.strip():
            raise DefinitionError("a routing rule needs a condition and a preference")
        with self._changing():
            known: Mapping[str, Rule] = self._tree.value(RULES) or {}
            texts = mask(folded(condition)), mask(folded(preference))
            same = next((one.id for one in known.values() if (one.condition, one.preference) == texts), None)
            if same is not None:
                raise DefinitionError(f"rule {same} says that already; remove it first to make it anew")
            name = _new_id("r", "\n".join(texts), self._clock.now(), known)
            rule = Rule(name, *texts, float(strength), source)
            self._commit(f"add rule {name}", lambda: {RULES: rule_bytes({**known, name: rule})})
            return rule

    def remove_rule(self, name: str) -> None:
        """Take a routing rule away.

        Raises
        ------
        UnknownNameError
            There is none of that id.
        """
        with self._changing():
            self._drop({name}, f"remove rule {name}")

    def match_rules(self, query: str) -> tuple[Rule, ...]:
        """Return the rules whose condition shares a word with a text, the strongest first."""
        return routing.match(self.rules, query)

    def prune_rules(self, used: Collection[str]) -> tuple[str, ...]:
        """Take all rules away but these; return the ids of those that went."""
        with self._changing():
            unused = [rule.id for rule in self.rules if rule.id not in used]
            if unused:
                self._drop(set(unused), f"prune {counted(len(unused), 'rule')}")
            return tuple(unused)

    # -- metrics -------------------------------------------------------------------------------------------------------

    def record(self, *metrics: Metric) -> None:
        """Write down actions and stumbles; they are not part of the history."""
        with self._repository.lock if sys.platform == "win32" else nullcontext():  # there an end of a file is nobody's
            self.metrics.add(*metrics, now=self._clock.now)

    def stumble_rate(self, agent: str, since: datetime | None = None, until: datetime | None = None) -> float:
        """Return stumbles for each action of an agent, both ends of the time included; 0 without actions."""
        return self.metrics.stumble_rate(agent, since, until)

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Keep everybody else from changing anything meanwhile: for several acts that belong together."""
        with self._changing():
            yield

    # -- history -------------------------------------------------------------------------------------------------------

    def history(self, limit: int = 20, path: str = "") -> tuple[Commit, ...]:
        """Return commits, the newest first.

        Parameters
        ----------
        limit : int
            0: all.
        path : str
            Only those that changed this file, or the file of this agent.
        """
        file = agent_path(path) if path and "/" not in path and path != MANIFEST else path
        return tuple(history(self._repository, limit, file))

    def commit(self, name: str = "HEAD") -> Commit:
        """Return one commit, by its id, the beginning of it, ``HEAD`` or ``HEAD~2``."""
        return record(self._repository, find_commit(self._repository, name))

    def diff(self, before: str, after: str = "HEAD") -> Diff:
        """Tell what differs between two commits."""
        first, second = (find_commit(self._repository, name).id for name in (before, after))
        return compare(self._repository, first, second)

    def show(self, name: str = "HEAD") -> Diff:
        """Tell what a commit changed."""
        stored = find_commit(self._repository, name)
        return compare(self._repository, stored.parent, stored.id)

    def rollback(self, name: str) -> Commit:
        """Take one commit back by a commit that is its inverse; what has come since stays.

        Parameters
        ----------
        name : str
            As for :meth:`commit`; a rollback can be rolled back.

        Returns
        -------
        Commit
            The inverse.

        Raises
        ------
        RefusedError
            What it changed has changed since, or somebody uses what would go; nothing has changed then.
        UsageError
            There is nothing to take back.
        """
        with self._changing():
            stored = find_commit(self._repository, name)
            short = record(self._repository, stored).short_id
            if not stored.parent:
                raise RefusedError(f"commit {short} is the first one; there is nothing before it")
            changes = inverse(self._repository, stored, self._text)
            if not changes:
                raise UsageError(f"commit {short} leaves nothing to roll back: all is as it was before it")
            self._check_rollback(short, changes)
            subject, body = subject_of(stored).removeprefix(PREFIX), f"Rolls back {stored.id}."
            self._commit(subject, lambda: inverse(self._repository, stored, self._text), body)
            return self.commit()

    def _text(self, path: str) -> bytes | None:
        """Return the text of any file as it is now."""
        if agent_of(path) or path in {MEMORIES, RULES, MANIFEST}:
            return self._tree.text(path)
        blob = self._repository.find(self._repository.refs.head(), path)
        return self._repository.content(blob) if blob else None

    def _check_rollback(self, short: str, changes: Files) -> None:
        """Refuse to take away what is in use."""
        for path in changes:
            self._check_other(short, path)
        after = dict(self._agents)
        gone = {agent_of(path) for path, data in changes.items() if data is None and agent_of(path)}
        for path, data in changes.items():
            if agent_of(path) and data is not None:
                after[agent_of(path)] = self._parsed(path, data)
        if ROOT in gone:
            raise RefusedError(
                f"commit {short} brought agent 'root', which cannot be removed: everything begins with it"
            )
        for name in sorted(gone):
            after.pop(name, None)
        for name in sorted(gone):
            users = [user for user, spec in after.items() if name in spec.delegates]
            if users:
                listed = ", ".join(users)
                what = f"commit {short} cannot be rolled back: agent {name!r} has come into use by {listed} since"
                raise RefusedError(f"{what}; take it out of that list first")

    def _check_other(self, short: str, path: str) -> None:
        """Refuse to touch a file that is none of ours, when it was edited or leads out of the folder."""
        place = self.folder / path
        if agent_of(path) or path in {MEMORIES, RULES}:
            return
        is_strange = {"", ".", "..", ".git"} & {part.casefold() for part in path.split("/")} or "\\" in path
        if is_strange or not place.parent.resolve().is_relative_to(self.folder.resolve()):
            raise RefusedError(
                f"commit {short} cannot be rolled back: {path} is no place in this genome; use git there"
            )
        if place.is_symlink() or (place.exists() and (not place.is_file() or place.read_bytes() != self._text(path))):
            what = f"commit {short} cannot be rolled back: {path} was edited by hand"
            raise RefusedError(f"{what}; commit that with git, or undo it first")

    # -- inside --------------------------------------------------------------------------------------------------------

    @contextmanager
    def _changing(self) -> Iterator[None]:
        """Keep everybody else from changing anything, and know what they have changed so far."""
        with self._repository.lock:
            self.refresh()
            yield

    def _commit(self, subject: str, make: Callable[[], Files], body: str = "") -> None:
        """Make one commit of what differs, then write the files, then use them.

        Hand edits of the same files go before it, in commits of their own; ``make`` is called again then.
        """
        different = self._different(make())
        edited = [path for path in different if path in self._tree.edited]
        if edited:
            self._keep(edited)
            different = self._different(make())
        if different:
            message = f"{PREFIX}{subject}" + (f"\n\n{body}" if body else "")
            self.last_commit = self._repository.commit(different, message)
            self._tree.wrote(different)
            self._renew()

    def _different(self, changes: Files) -> Files:
        """Return the files that are not so already; all of them can be read again."""
        different = {path: data for path, data in changes.items() if data != self._text(path)}
        for path, data in different.items():
            if data is not None:
                self._parsed(path, data)
        return different

    def _keep(self, paths: Collection[str]) -> None:
        """Commit hand edits, each for itself; an agent whose version was left as it was gets the next one."""
        for path in paths:
            text = self._tree.edited[path]
            name = agent_of(path)
            if name and self._tree.is_committed(path):
                before = self._parsed(
                    path, self._repository.content(self._repository.find(self._repository.refs.head(), path))
                )
                spec = self._tree.values[path]
                if spec.version <= before.version:
                    text = _with_version(text, path, spec, before.version + 1)
            files = {path: text}
            self._repository.commit(files, f"{PREFIX}keep hand edit of {f'agent {name}' if name else path}")
            self._tree.wrote(files)
        if paths:
            self._renew()

    def _parsed(self, path: str, data: bytes) -> Any:
        return parse_file(path, data.decode())

    def _renew(self) -> None:
        values = self._tree.values
        paths = sorted(path for path in values if path.startswith(AGENTS))
        self._agents = {agent_of(path): values[path] for path in paths}
        self.generation += 1

    def _known(self, name: str) -> AgentSpec:
        self._tree.value(agent_path(name))
        found = self._agents.get(name)
        if found is None:
            raise UnknownNameError("agent", name, self._agents, "the genome")
        return found

    def _users(self, name: str) -> list[str]:
        return [spec.name for spec in self._agents.values() if name in spec.delegates and spec.name != name]

    def _check_new(self, name: str) -> None:
        """Refuse a name that is taken, or would be mistaken for something else."""
        if name in PRIMITIVES:
            raise DefinitionError(f"agent {name!r} cannot be added: a primitive tool has that name; choose another")
        if name in RESERVED:
            raise DefinitionError(f"agent {name!r} cannot be added: the name is reserved; choose another")
        taken = next((one for one in self._agents if one.casefold() == name.casefold()), None)
        if taken is not None:
            raise DefinitionError(f"agent {shorten(taken)!r} is there already; update it, or choose another name")
        self._tree.value(agent_path(name))

    def _forget(self, names: Collection[str], subject: str) -> None:
        known: Mapping[str, Memory] = self._tree.value(MEMORIES) or {}
        self._refuse_unknown("memory", names, known)
        left = {name: one for name, one in known.items() if name not in names}
        self._commit(subject, lambda: {MEMORIES: memory_bytes(left)})

    def _drop(self, names: Collection[str], subject: str) -> None:
        known: Mapping[str, Rule] = self._tree.value(RULES) or {}
        self._refuse_unknown("rule", names, known)
        left = {name: one for name, one in known.items() if name not in names}
        self._commit(subject, lambda: {RULES: rule_bytes(left)})

    def _refuse_unknown(self, noun: str, names: Collection[str], known: Collection[str]) -> None:
        unknown = next((name for name in names if name not in known), None)
        if unknown is not None:
            raise UnknownNameError(noun, unknown, known, "the genome")


def _shipped(folder: str | PathLike[str]) -> list[tuple[AgentSpec, str]]:
    """Read the agents of a folder, with the sums of their files."""
    place = path_of(folder)
    shown = place.name or str(place)
    found = load_bootstrap_agents(place, shown_as=shown)
    if not found:
        others = sorted(one.name for one in place.iterdir() if one.suffix == ".md")
        said = f" ({others[0]} is Markdown)" if others else ""
        raise DefinitionError(f"{shown}: holds no agent{said}; an agent is a file NAME.yaml or NAME.yml")
    for spec in found:
        if spec.name in {*PRIMITIVES, *RESERVED}:
            raise DefinitionError(f"{spec.path}: name: {spec.name!r} means something else here; choose another name")
    return [(spec, sum_of((place / Path(spec.path).name).read_bytes())) for spec in found]


def _masked(spec: AgentSpec) -> AgentSpec:
    return spec.model_copy(update={"description": mask(spec.description), "instruction": mask(spec.instruction)})


def _listing(spec: AgentSpec, names: tuple[str, ...]) -> AgentSpec:
    return spec.model_copy(update={"tools": names, "delegates": names})


def _new_id(kind: str, text: str, at: datetime, known: Collection[str]) -> str:
    """Name something new: the same thing at the same time gets the same name."""
    number = 0
    while True:
        name = f"{kind}-{hashlib.sha256(f'{at.isoformat()} {number} {text}'.encode()).hexdigest()[:8]}"
        if name not in known:
            return name
        number += 1


def _with_version(text: bytes, path: str, spec: AgentSpec, version: int) -> bytes:
    """Count a hand-written file's version up, leaving the rest of it as it is."""
    import re

    line = f"version: {version}"
    new, found = re.subn(rb"(?m)^version:[^\r\n]*", line.encode(), text)
    if not found:
        new = text.rstrip() + f"\n{line}\n".encode()
    wanted = spec.model_copy(update={"version": version})
    try:
        return new if parse_file(path, new.decode("utf-8-sig")) == wanted else agent_bytes(wanted)
    except DefinitionError:
        return agent_bytes(wanted)
