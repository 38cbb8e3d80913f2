"""Swap folders for links that lead out while file tools read, list, write, edit, make and delete, and look outside.

    python -m tests.endurance.race --rounds 5000

In each round a tool works on a path of the workspace while another process puts a link to a folder outside in the place
of one of the folders on the way, and the folder back, as fast as it can. Afterwards nothing outside may have changed,
and nothing that lies only there may have been told.

Only systems with links and ``fork``.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from lango_nb.tools.builtin import builtin_tools
from lango_nb.tools.context import ToolContext
from lango_nb.tools.tool import ToolResult

SECRET = "told-only-outside"
SWAPPED = ("docs", "docs/deep")
"""Folders of the workspace that are swapped for links."""
CALLS: dict[str, dict[str, Any]] = {
    "fs_read": {"path": "docs/deep/a.txt"},
    "fs_stat": {"path": "docs/deep/secret.txt"},
    "fs_list": {"path": "docs/deep"},
    "fs_write": {"path": "docs/deep/a.txt", "content": "written"},
    "fs_edit": {"path": "docs/deep/a.txt", "startLine": 1, "endLine": 1, "content": "edited"},
    "fs_mkdir": {"path": "docs/deep/new/newer"},
    "fs_delete": {"path": "docs/deep/b.txt"},
    "fs_delete/": {"path": "docs/deep/folder"},
}
_TOOLS = {tool.name: tool for tool in builtin_tools()}


class Ground:
    """A workspace, and beside it what must stay as it is."""

    def __init__(self, top: Path) -> None:
        self.workspace, self.outside = top / "work", top / "outside"
        for folder in (self.outside, self.outside / "deep"):
            (folder / "folder").mkdir(parents=True)
            for name in ("a.txt", "b.txt", "secret.txt", "folder/c.txt", SECRET):
                (folder / name).write_text(f"{SECRET}\n")
        self.refill()
        self.before = self.outside_now()

    def refill(self) -> None:
        """Put the workspace back as it was."""
        shutil.rmtree(self.workspace, ignore_errors=True)
        (self.workspace / "docs/deep/folder").mkdir(parents=True)
        for name in ("a.txt", "b.txt", "folder/c.txt"):
            (self.workspace / "docs/deep" / name).write_text("inside\n")

    def outside_now(self) -> dict[str, str]:
        """Return every file and folder outside, with what files hold."""
        found = sorted(self.outside.rglob("*"))
        return {
            path.relative_to(self.outside).as_posix(): path.read_text() if path.is_file() else "/" for path in found
        }

    def restore_outside(self) -> None:
        """Put outside back as it was, after a round that changed it."""
        shutil.rmtree(self.outside)
        for name, content in self.before.items():
            path = self.outside / name
            if content == "/":
                path.mkdir(parents=True, exist_ok=True)
            else:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(content)


def swap(ground: Ground, number: int, pause_s: float) -> None:
    """Swap one folder for a link and back until killed."""
    folder = ground.workspace / SWAPPED[number % len(SWAPPED)]
    target = ground.outside if folder.name == "docs" else ground.outside / "deep"
    aside, link = folder.with_name(f"{folder.name}.aside"), folder.with_name(f"{folder.name}.link")
    while True:
        with suppress(OSError):
            link.symlink_to(target)
        with suppress(OSError):
            folder.rename(aside)
        with suppress(OSError):
            link.rename(folder)
        time.sleep(pause_s)
        with suppress(OSError):
            folder.unlink()
        with suppress(OSError):
            aside.rename(folder)
        time.sleep(pause_s)


@contextmanager
def swapping(ground: Ground, number: int, pause_s: float) -> Iterator[None]:
    """Keep another process swapping."""
    child = os.fork()
    if child == 0:
        swap(ground, number, pause_s)
    try:
        yield
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def call(ground: Ground, name: str) -> ToolResult:
    """Call one tool."""
    tool = _TOOLS[name.rstrip("/")]
    return asyncio.run(tool.call(CALLS[name], ToolContext(ground.workspace)))


def race(rounds: int, seed: int) -> dict[str, Any]:
    """Run rounds; count those that had an effect outside, by tool.

    Parameters
    ----------
    rounds : int
    seed : int
        Of the lengths of pauses.

    Returns
    -------
    dict
        ``rounds``; ``outside``, how many reached out; ``by tool``; ``worked`` and ``refused``, so that a race that
        never gets anywhere is seen.
    """
    choose = random.Random(seed)
    outside: Counter[str] = Counter()
    ends: Counter[str] = Counter()
    done = 0
    with tempfile.TemporaryDirectory() as top:
        ground = Ground(Path(top).resolve())
        names = sorted(CALLS)
        while done < rounds:
            ground.refill()
            with swapping(ground, choose.randrange(len(SWAPPED)), choose.choice((0.0, 0.00002, 0.0002))):
                for _ in range(min(40, rounds - done)):
                    name = choose.choice(names)
                    result = call(ground, name)
                    done += 1
                    ends["refused" if result.is_error else "worked"] += 1
                    now = ground.outside_now()
                    if now != ground.before:
                        outside[name] += 1
                        ground.restore_outside()
                    elif SECRET in result.content or (name == "fs_stat" and not result.is_error):
                        outside[name] += 1
    return {"rounds": done, "outside": outside.total(), "by tool": dict(outside), **ends}


def main(words: list[str] | None = None) -> int:
    """Run the command; return 1 when anything reached out."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args(words)
    found = race(given.rounds, given.seed)
    sys.stdout.write(json.dumps(found) + "\n")
    return 1 if found["outside"] else 0


if __name__ == "__main__":
    sys.exit(main())
