"""Kill writers of a journal with -9 at random moments, and look whether everything they were told is kept is there.

``python -m tests.kill_journal FOLDER KILLS [SEED]``. Two processes write to one file at a time, each a line to its pipe
before and after every change; both are killed, sometimes in the middle of a line or of a compaction. The last line of
the output is the report as JSON; the exit code is 1 when something was lost.
"""

from __future__ import annotations

import json
import os
import random
import select
import signal
import sys
import time
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path

from tinydb import where

from lango_nb.stores.journal import JournalDB
from lango_nb.stores.lines import decode
from lango_nb.stores.store import Problem

COMPACT_AT = 12_000


@dataclass
class Report:
    """What came of all kills."""

    kills: int = 0
    acknowledged: int = 0
    lost: int = 0
    unreadable: int = 0
    torn: int = 0
    leftovers: int = 0
    compactions: int = 0
    notes: list[str] = field(default_factory=list)


def write(path: Path, name: str, seed: int, pipe: int) -> None:
    """Write until killed: ``?`` before a change, ``!`` once it is kept; versions of a document only grow."""
    choose = random.Random(seed)
    database = JournalDB(path, "documents", durability=choose.choice(("none", "turn")), compact_at=COMPACT_AT)
    table, documents = database.table("task"), database.documents("row")

    def say(mark: str, key: str, version: int) -> None:
        os.write(pipe, f"{mark} {key} {version}\n".encode())

    for number in range(1_000_000):
        key = f"{name}-{seed}-{number}"
        say("?", key, 1)
        if number % 2:
            table.insert({"id": key, "version": 1, "pad": "p" * choose.randint(0, 900)})
        else:
            documents.add({"id": key, "version": 1, "pad": "p" * choose.randint(0, 900)}, is_urgent=False)
        say("!", key, 1)
        if number % 3 == 0:
            say("?", key, 2)
            if number % 2:
                table.update({"version": 2}, where("id") == key)
            else:
                documents.change(key, lambda row: {**row, "version": 2})
            say("!", key, 2)
        if number % 4 > 1:  # -1 is gone
            say("?", key, -1)
            table.remove(where("id") == key) if number % 2 else documents.remove(key)
            say("!", key, -1)


def start(path: Path, name: str, seed: int) -> tuple[int, int]:
    """Fork a writer; return its process and the pipe it writes to."""
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        try:
            os.close(reader)
            write(path, name, seed, writer)
        finally:
            os._exit(1)
    os.close(writer)
    return child, reader


def drained(pipe: int) -> bytes:
    """Read what a dead writer said."""
    data = b""
    while piece := os.read(pipe, 1 << 20):
        data += piece
    os.close(pipe)
    return data


def expected(said: Iterable[bytes]) -> dict[str, set[int]]:
    """Return the versions each document may be in: what is kept, or what was begun after it."""
    may: dict[str, set[int]] = {}
    for line in said:
        mark, key, version = line.decode().split()
        if mark == "!":
            may[key] = {int(version)}
        else:
            may.setdefault(key, {-1}).add(int(version))
    return may


def look(path: Path, may: dict[str, set[int]], report: Report) -> None:
    """Open what the dead left, and compare."""
    report.leftovers += path.with_name(f"{path.name}.tmp").exists()
    problems: list[Problem] = []
    try:
        with JournalDB(path, "documents", report=problems.append) as database:
            rows = database.table("task").all() + list(database.table("row"))
            with JournalDB(path, "documents", report=problems.append) as again:
                if again.table("task").all() + again.table("row").all() != rows:
                    report.unreadable += 1
    except Exception as error:  # noqa: BLE001 - that is what is counted
        report.unreadable += 1
        report.notes.append(repr(error))
        return
    report.torn += sum(problem.code == "torn" for problem in problems)
    if path.with_name(f"{path.name}.tmp").exists() or any(problem.code != "torn" for problem in problems):
        report.unreadable += 1
        report.notes.append(str(problems))
    found = {row["id"]: row["version"] for row in rows}
    if len(found) != len(rows):
        report.notes.append("a document is there twice")
        report.lost += 1
    wrong = [key for key, versions in may.items() if found.get(key, -1) not in versions]
    report.lost += len(wrong)
    report.notes += [f"{key}: {found.get(key, -1)}, not of {may[key]}" for key in wrong[:5]]
    report.acknowledged += len(may)


def main(folder: Path, kills: int, seed: int) -> Report:
    """Kill, look, and go on with the same file; every now and then with a new one."""
    choose, report = random.Random(seed), Report()
    path, may = folder / "0" / "documents.jsonl", dict[str, set[int]]()
    generation = 0
    while report.kills < kills:
        writers = [start(path, name, choose.getrandbits(30)) for name in "ab"]
        for _, pipe in writers:
            select.select([pipe], [], [], 60)
        time.sleep(choose.uniform(0, 0.1))
        for child, _ in writers:
            os.kill(child, signal.SIGKILL)
        for child, pipe in writers:
            os.waitpid(child, 0)
            *said, _ = drained(pipe).split(b"\n")
            may.update(expected(said))
            report.kills += 1
        look(path, may, report)
        now = decode(path.read_bytes().partition(b"\n")[0])["generation"] if path.exists() else 0
        report.compactions += max(int(str(now)) - generation, 0)
        generation = int(str(now))
        if len(may) > 4000:
            path, may, generation = folder / str(report.kills) / "documents.jsonl", {}, 0
    return report


if __name__ == "__main__":
    outcome = main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else 0)
    print(json.dumps(asdict(outcome)))  # noqa: T201
    sys.exit(bool(outcome.lost or outcome.unreadable))
