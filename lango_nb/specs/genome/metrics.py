"""How agents fared: a line for everything one did and for every stumble, in a file that is not part of the history."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, Literal

from lango_nb.core.dataclass import dataclass
from lango_nb.core.errors import StoreError

StumbleKind = Literal["timeout", "failure", "error", "inefficiency", "retry"]
_ACTION: Final = "action"
_STUMBLE: Final = "stumble"
_ADDING: Final = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
_written = json.JSONEncoder(ensure_ascii=False).encode


@dataclass(frozen=True, slots=True)
class Action:
    """An agent did something."""

    agent_name: str
    at: datetime | None = None
    """Now, where it is not said."""


@dataclass(frozen=True, slots=True)
class Stumble:
    """Something an agent did went wrong, or took too long."""

    agent_name: str
    kind: StumbleKind
    at: datetime | None = None
    """Now, where it is not said."""


Metric = Action | Stumble


class Metrics:
    """The file of actions and stumbles.

    Parameters
    ----------
    path : Path
        Made with the first line.

    Notes
    -----
    Only what was added since is read again. A line that is cut off, since its process was killed, counts for nothing;
    :attr:`unreadable` says how many there are.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._read_to = self._wrote_to = 0
        self._found: list[Metric] = []
        self._numbers: dict[str, list[Metric]] = {}
        self.unreadable = 0

    def add(self, *metrics: Metric, now: Callable[[], datetime]) -> None:
        """Add a line for each, all in one write at the end of the file, wherever that is by then.

        Parameters
        ----------
        metrics : Metric
        now : callable
            Gives a time to those that have none of their own.
        """
        data = b"".join(_line(metric, metric.at or now()) for metric in metrics)
        try:
            file = self._opened()
            try:
                size = os.fstat(file).st_size
                if size != self._wrote_to:  # others wrote last, and may have been killed in the middle of a line
                    data = b"\n" + data
                if os.write(file, data) < len(data):
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
                self._wrote_to = size + len(data)
            finally:
                os.close(file)
        except OSError as error:
            what = f"{self._path.name} cannot be written ({error.strerror}); see to space and rights there"
            raise StoreError(what, "read_only") from error

    def _opened(self) -> int:
        try:
            return os.open(self._path, _ADDING, 0o666)
        except FileNotFoundError:
            self._path.parent.mkdir(exist_ok=True)
            return os.open(self._path, _ADDING, 0o666)

    def all(self) -> tuple[Metric, ...]:
        """Return everything so far, in the order in which it was written."""
        self._read()
        return tuple(self._found)

    def count(
        self,
        kind: Literal["action", "stumble"],
        agent_name: str,
        since: datetime | None = None,
        until: datetime | None = None,
        stumble: str = "",
    ) -> int:
        """Count an agent's actions or stumbles, both ends included.

        Parameters
        ----------
        kind : str
        agent_name : str
        since, until : datetime, optional
            From the beginning, to the end.
        stumble : str
            Only stumbles of this kind.
        """
        self._read()
        wanted = Action if kind == _ACTION else Stumble
        return sum(
            isinstance(one, wanted)
            and one.at is not None
            and (since is None or one.at >= since)
            and (until is None or one.at <= until)
            and (not stumble or (isinstance(one, Stumble) and one.kind == stumble))
            for one in self._numbers.get(agent_name, ())
        )

    def stumble_rate(self, agent_name: str, since: datetime | None = None, until: datetime | None = None) -> float:
        """Return stumbles for each action; 0 where there was none."""
        actions = self.count(_ACTION, agent_name, since, until)
        return self.count(_STUMBLE, agent_name, since, until) / actions if actions else 0.0

    def _read(self) -> None:
        try:
            size = self._path.stat().st_size
            if size < self._read_to:  # another file by now
                self._read_to, self._found, self._numbers, self.unreadable = 0, [], {}, 0
            if size == self._read_to:
                return
            with self._path.open("rb") as file:
                file.seek(self._read_to)
                data = file.read()
        except FileNotFoundError:
            return
        except OSError as error:
            raise StoreError(f"{self._path.name} cannot be read ({error.strerror}); see who may read it") from error
        whole = data[: data.rfind(b"\n") + 1]
        self._read_to += len(whole)
        for line in whole.splitlines():
            metric = _metric(line)
            if metric is None:
                self.unreadable += bool(line.strip())
                continue
            self._found.append(metric)
            self._numbers.setdefault(metric.agent_name, []).append(metric)


def _line(metric: Metric, at: datetime) -> bytes:
    """Write a line of JSON; the texts of it one by one, which is quicker."""
    name, kind = _ACTION, ""
    if isinstance(metric, Stumble):
        name, kind = _STUMBLE, f', "kind": {_written(metric.kind)}'
    written_at = at.astimezone(UTC).isoformat().replace("+00:00", "Z")
    start = f'{{"type": "{name}", "agent_name": {_written(metric.agent_name)}'
    return f'{start}{kind}, "timestamp": "{written_at}"}}\n'.encode()


def _metric(line: bytes) -> Metric | None:
    try:
        values = json.loads(line)
        name, at = str(values["agent_name"]), datetime.fromisoformat(values["timestamp"])
        at = at if at.tzinfo else at.replace(tzinfo=UTC)
        if values["type"] == _ACTION:
            return Action(name, at)
        return Stumble(name, values["kind"], at) if values["type"] == _STUMBLE else None
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
