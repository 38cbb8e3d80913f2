"""Damage copies of a home in many ways, and look whether anything is shown that was never written.

    python -m tests.endurance.damage --copies 500 --seed 1

A home of some sixty turns, with runs, tasks, memories and approvals, is made twice: once closed, once left by a process
that was killed, so that most of it lies in the write-ahead log. Of each copy a file is changed: bits, bytes and pages,
its end, the whole file. What can be rescued of it is, then a lab is opened on it as anybody would, and everything is
looked at. A copy is sound when

- no error is anything but one line of ours;
- whatever is shown is what was written, and whatever is not is told as a problem, or the store refuses altogether;
- what can be read before one more turn can be read after it.

Only POSIX systems: each copy is looked at in a forked process.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import signal
import sqlite3
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd  # noqa: F401 - loaded before processes are forked, and not again in each of them

from lango_nb import doctor, frames  # noqa: F401 - the same
from lango_nb.core.errors import LangoError
from lango_nb.core.ids import RandomIds
from lango_nb.engine import Engine
from lango_nb.lab import Lab
from lango_nb.models.scripted import ScriptedModel
from lango_nb.records.tasks import Task
from lango_nb.runtime.approvals import ApprovalAnswer, ApprovalRequest
from lango_nb.stores.opening import open_store
from lango_nb.stores.rescue import rescue
from lango_nb.stores.schema import DOCUMENTS
from lango_nb.stores.store import Store
from tests.endurance.kill import Pair
from tests.kept import kept_engine

TURNS = 60
SESSIONS = ("main", "other", "third")
RECORDS = "records.db"
NOUNS = ("turns", "events", "messages", "decisions", "runs", "sessions", "approvals", "delegations", "visibility")
PAGE = 4096
SLOW_S = 60
"""How long looking at a copy may take."""


# -- what is damaged ---------------------------------------------------------------------------------------------------


class _Person:
    name = "person"

    async def answer(self, request: ApprovalRequest) -> ApprovalAnswer:
        return ApprovalAnswer(allowed=True, by="person", scope="session" if request.agent else "once")


def fill(home: Path) -> Engine:
    """Run turns, and leave the engine open."""
    engine = kept_engine(home, effects=home.parent / "effects.txt", model=Pair(), approver=_Person())
    for number in range(TURNS):
        engine.run_sync(f"do {number}: {'long ' * (number % 7) ** 3}", session=SESSIONS[number % 3])
        now = engine.clock.now()
        engine.tasks.add(Task(id=engine.ids.new("task"), title=f"task {number}", created_at=now, updated_at=now))
        engine.memories.save("operator", f"key {number}", f"what {number} was about " * (number % 5 + 1))
    return engine


def make_homes(place: Path) -> dict[str, Path]:
    """Make a home that was closed and one whose process was killed."""
    closed, killed = place / "closed", place / "killed"
    fill(closed).close()

    def leave() -> None:
        fill(killed)
        os.kill(os.getpid(), signal.SIGKILL)

    in_fork(leave, place / "left.json")
    return {"closed": closed, "killed": killed}


def snapshot(store: Store) -> dict[str, dict[str, Any]]:
    """Return every record, by kind and id."""
    found: dict[str, dict[str, Any]] = {"turn": {}}
    for turn in store.log.scan():
        found["turn"][str(turn.row["id"])] = {"row": turn.row, "events": turn.events, "body": turn.body}
    for kind in DOCUMENTS:
        found[kind] = {str(row["id"]): row for row in store.documents(kind).find()}
    return json.loads(json.dumps(found))  # type: ignore[no-any-return]


# -- damages -----------------------------------------------------------------------------------------------------------


def _file(home: Path, random_: random.Random) -> Path:
    files = [path for path in home.glob(f"{RECORDS}*") if path.is_file() and path.stat().st_size]
    files += [path for path in files if not path.name.endswith("-shm")] * 4
    return random_.choice(sorted(files))


def _changing(change: Callable[[bytearray, random.Random], bytearray]) -> Callable[[Path, random.Random], str | None]:
    def damage(home: Path, random_: random.Random) -> str:
        path = _file(home, random_)
        path.write_bytes(change(bytearray(path.read_bytes()), random_))
        return path.name

    return damage


def _flip_bits(data: bytearray, random_: random.Random) -> bytearray:
    for _ in range(random_.choice((1, 1, 3, 30, 300))):
        data[random_.randrange(len(data))] ^= 1 << random_.randrange(8)
    return data


def _change_texts(data: bytearray, random_: random.Random) -> bytearray:
    """Change letters and digits into others: nothing of the structure is hurt."""
    places = [place for place, byte in enumerate(data) if 48 <= byte < 123]
    for place in random_.sample(places, min(len(places), random_.choice((1, 5, 50)))):
        data[place] = random_.choice(b"aZ07\xff\xc3")
    return data


def _fill_bytes(data: bytearray, random_: random.Random) -> bytearray:
    start = random_.randrange(len(data))
    size = min(random_.choice((1, 16, 512, PAGE, 5 * PAGE)), len(data) - start)
    data[start : start + size] = random_.choice((b"\0" * size, random_.randbytes(size), b"\xff" * size))
    return data


def _cut(data: bytearray, random_: random.Random) -> bytearray:
    return data[: random_.choice((0, random_.randrange(len(data)), len(data) - random_.randrange(1, 200)))]


def _pages(data: bytearray) -> list[bytes]:
    return [bytes(data[start : start + PAGE]) for start in range(0, len(data), PAGE)]


def _swap_pages(data: bytearray, random_: random.Random) -> bytearray:
    pages = _pages(data)
    one, other = random_.randrange(len(pages)), random_.randrange(len(pages))
    pages[one], pages[other] = pages[other], pages[one]
    return bytearray(b"".join(pages))


def _drop_page(data: bytearray, random_: random.Random) -> bytearray:
    pages = _pages(data)
    del pages[random_.randrange(len(pages))]
    return bytearray(b"".join(pages))


def _older_page(data: bytearray, random_: random.Random) -> bytearray:
    pages = _pages(data)
    pages[random_.randrange(len(pages))] = random_.choice(pages)
    return bytearray(b"".join(pages))


def _something_else(data: bytearray, random_: random.Random) -> bytearray:
    return bytearray(
        random_.choice((b"Dear diary, " * 1000, b"\0" * len(data), b"PK\x03\x04", random_.randbytes(9000)))
    )


def _append(data: bytearray, random_: random.Random) -> bytearray:
    return data + random_.randbytes(random_.choice((1, 100, PAGE)))


def _remove(home: Path, random_: random.Random) -> str:
    path = _file(home, random_)
    path.unlink()
    return path.name


def _remove_database(home: Path, _random: random.Random) -> None:
    (home / RECORDS).unlink()


def _newer(home: Path, _random: random.Random) -> None:
    with closing(sqlite3.connect(home / RECORDS)) as connection, connection:
        connection.execute("UPDATE meta SET value = value + 1 WHERE name = 'schema'")


def _delete_rows(home: Path, random_: random.Random) -> None:
    with closing(sqlite3.connect(home / RECORDS)) as connection, connection:
        table = random_.choice(("turns", "events", "transcripts", "details"))
        key = "number" if table == "turns" else "turn"
        connection.execute(f"DELETE FROM {table} WHERE {key} % 7 = ?", (random_.randrange(7),))


DAMAGES: dict[str, Callable[[Path, random.Random], str | None]] = {
    "bits flipped": _changing(_flip_bits),
    "letters changed": _changing(_change_texts),
    "bytes overwritten": _changing(_fill_bytes),
    "end cut off": _changing(_cut),
    "pages swapped": _changing(_swap_pages),
    "page missing": _changing(_drop_page),
    "page of another place": _changing(_older_page),
    "another file": _changing(_something_else),
    "something added": _changing(_append),
    "file missing": _remove,
    "database missing": _remove_database,
    "newer schema": _newer,
    "rows deleted": _delete_rows,
    "held by another program": lambda _home, _random: None,
}
_OFTEN = (
    "bits flipped",
    "letters changed",
    "bytes overwritten",
    "end cut off",
    "pages swapped",
    "page of another place",
)
_OLDER = {
    ("file missing", "records.db-wal"),
    ("end cut off", "records.db-wal"),
    ("file missing", "records.db"),
    ("database missing", ""),
}
"""What is left is whole, and an older state: a log that ends early looks like one that was never longer."""


# -- looking -----------------------------------------------------------------------------------------------------------


class Looking:
    """Looks at a copy, and notes what is not as it should be."""

    def __init__(self, home: Path, truth: dict[str, dict[str, Any]]) -> None:
        self.home, self.truth = home, truth
        self.wrong: list[str] = []
        self.refused = 0

    def attempt(self, name: str, work: Callable[[], Any]) -> Any:
        """Do something; an error that is not one line of ours is wrong."""
        try:
            return work()
        except LangoError as error:
            self.refused += 1
            if len(str(error).splitlines()) != 1:
                self.wrong.append(f"{name}: more than a line: {error}")
        except Exception:  # noqa: BLE001 - whatever it is, it is wrong
            self.wrong.append(f"{name}: {traceback.format_exc(limit=-6)}")
        return None

    def open(self) -> Lab | None:
        """Open a lab."""
        model = ScriptedModel(["Once more."])
        options = {"settings": {"store.lockTimeout": "200ms"}, "workspace": self.home.parent, "model": model}
        lab: Lab | None = self.attempt("open", lambda: Lab("solo", home=self.home, ids=RandomIds(), **options))  # type: ignore[arg-type]
        return lab

    def look(self) -> dict[str, Any]:
        """Look at what can be rescued, then at everything, twice, with one more turn in between."""
        self.attempt("rescue", self._rescue)
        kept = None
        if (lab := self.open()) is not None:
            kept = self._read(lab)
            self.attempt("ask", partial(lab.ask, "one more"))
            self.attempt("close", lab.close)
        if kept is not None and (lab := self.open()) is not None:
            after = self.attempt("read again", lambda: snapshot(lab.engine.store)) or {}
            for kind, rows in kept.items():
                gone = [
                    key
                    for key, row in rows.items()
                    if key not in after.get(kind, {}) and row == self.truth[kind].get(key)
                ]
                if gone and after:
                    self.wrong.append(f"{len(gone)} of {kind} could be read before one more turn and cannot after it")
            self.attempt("close again", lab.close)
        return {"wrong": self.wrong, "is_open": kept is not None, "refused": self.refused}

    def _rescue(self) -> None:
        target = self.home.parent / "rescued" / RECORDS
        rescue(self.home / RECORDS, target)
        with closing(open_store(f"sqlite:///{target}")) as store:
            self._compare(snapshot(store), is_told=True)

    def _read(self, lab: Lab) -> dict[str, dict[str, Any]] | None:
        store = lab.engine.store
        self.attempt("turns", lambda: [turn.text for turn in lab.turns])
        self.attempt("turns text", lambda: lab.turns.text)
        for number in range(1, TURNS + 1):
            self.attempt(f"trace {number}", lambda number=number: lab.trace(number).text)  # type: ignore[misc]
        for noun in NOUNS:
            frame = self.attempt(f"frame {noun}", partial(lab.history.frame, noun))
            if noun == "events" and frame is not None and frame.duplicated(["turn_id", "seq"]).any():
                self.wrong.append("the frame of events has some of them twice")
        self.attempt("doctor", lambda: lab.doctor().text)
        found: dict[str, dict[str, Any]] | None = self.attempt("read", lambda: snapshot(store))
        checked = self.attempt("check", store.check)
        told = [*store.problems, *(checked or [])]
        is_told = bool(told) or checked is None or bool(lab.engine.records.found)
        if found is not None:
            self._compare(found, is_told=is_told)
        return found

    def _compare(self, found: dict[str, dict[str, Any]], *, is_told: bool) -> None:
        for kind, rows in self.truth.items():
            missing = [key for key in rows if found[kind].get(key) != rows[key]]
            if missing and not is_told:
                self.wrong.append(
                    f"{len(missing)} of {kind} are lost or changed, and nothing is said of it: {missing[:3]}"
                )
            for key, row in found[kind].items():
                if row == rows.get(key) or (kind == "turn" and self._is_part(row, rows.get(key))):
                    continue
                if kind != "turn" and key in rows and is_told:
                    continue  # an older state of a row that changes
                self.wrong.append(f"{kind} {key} is not what was written: {json.dumps(row)[:300]}")

    def _is_part(self, row: dict[str, Any], truth: dict[str, Any] | None) -> bool:
        """Tell whether everything of a turn is as it was written, though not all may be there."""
        if truth is None:
            return False
        if (
            row["row"].get("error_code") != "interrupted"
            and row["row"] != truth["row"]
            and row["row"]["outcome"] != "running"
        ):
            return False
        events = [event for event in row["events"] if event in truth["events"]]
        added = [event for event in row["events"] if event not in truth["events"]]
        if added and row["row"].get("error_code") != "interrupted":
            return False
        if added:
            return True
        parts = truth["body"]
        return len(events) == len(row["events"]) and all(
            all(item in parts.get(name, []) for item in items) if isinstance(items, list) else items == parts.get(name)
            for name, items in row["body"].items()
        )


def in_fork(work: Callable[[], Any], out: Path) -> Any:
    """Do something in a child, and return what it came to; ``None`` when it died."""
    child = os.fork()
    if not child:
        try:
            signal.alarm(SLOW_S)
            devnull = os.open(os.devnull, os.O_WRONLY)
            os.dup2(devnull, 2)
            out.write_text(json.dumps(work()), encoding="utf-8")
        except BaseException:  # noqa: BLE001 - whatever it is, the child says it and ends
            out.write_text(json.dumps({"wrong": [traceback.format_exc()]}), encoding="utf-8")
        os._exit(0)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    found = json.loads(out.read_text(encoding="utf-8")) if code == 0 else {"wrong": [f"the process ended with {code}"]}
    out.unlink(missing_ok=True)
    return found


def run(copies: int, seed: int, place: Path, only: str = "") -> dict[str, Any]:
    """Damage and look, as often as wanted.

    Parameters
    ----------
    copies : int
    seed : int
    place : Path
        An empty folder.
    only : str
        One kind of damage; all when empty.

    Returns
    -------
    dict
        ``wrong`` is a list of everything that is not as it should be.
    """
    homes = make_homes(place)
    truths = {}
    for name, home in homes.items():
        shutil.copytree(home, place / "whole")

        def whole() -> Any:
            with closing(Lab("solo", home=place / "whole", workspace=place)) as lab:
                assert lab.engine.store.check() == []
                return snapshot(lab.engine.store)

        truths[name] = in_fork(whole, place / "truth.json")
        shutil.rmtree(place / "whole")
        if len(truths[name].get("turn", ())) != TURNS:
            raise AssertionError(truths[name])
    kinds = (
        [only] * copies
        if only
        else [[*DAMAGES, *_OFTEN * 3][n % (len(DAMAGES) + 3 * len(_OFTEN))] for n in range(copies)]
    )
    total: dict[str, Any] = {"copies": copies, "opened": 0, "with a refusal": 0, "kinds": Counter(kinds), "wrong": []}
    for number, kind in enumerate(kinds):
        random_ = random.Random(f"{seed} {number}")
        name = random_.choice(sorted(homes))
        copy = place / "copy" / "home"
        shutil.copytree(homes[name], copy)
        changed = DAMAGES[kind](copy, random_) or ""
        holder = None
        if kind.startswith("held"):
            holder = sqlite3.connect(copy / RECORDS, isolation_level=None)
            holder.execute(random_.choice(("BEGIN IMMEDIATE", "BEGIN EXCLUSIVE")))
        found = in_fork(Looking(copy, truths[name]).look, place / "found.json")
        if holder is not None:
            with suppress(sqlite3.Error):
                holder.close()
        total["opened"] += bool(found.get("is_open"))
        total["with a refusal"] += bool(found.get("refused"))
        wrong = found["wrong"]
        if (kind, changed) in _OLDER:  # a home that was closed and has no database is a new one
            wrong = [item for item in wrong if "nothing is said of it" not in item]
        total["wrong"] += [f"copy {number} of the {name} home, {kind} {changed}: {item}" for item in wrong]
        shutil.rmtree(place / "copy")
    return total


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program; the exit code is 1 when anything was wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--copies", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", choices=(*DAMAGES, ""), default="", help="one kind of damage")
    given = parser.parse_args(arguments)
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as place:
        found = run(given.copies, given.seed, Path(place), given.only)
    sys.stdout.write(json.dumps({**found, "seconds": round(time.monotonic() - began)}, indent=2) + "\n")
    return bool(found["wrong"])


if __name__ == "__main__":
    sys.exit(main())
