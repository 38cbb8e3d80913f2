"""Whole texts that tests expect, in ``tests/data/expected``: to be read in a review, and written by one command.

    EXPECTED_TEXTS=write python -m pytest -n0 tests/unit/viz/test_shown.py
    EXPECTED_TEXTS=write python -m pytest -n2 tests/unit tests/fuzz

With the variable a text that differs is written anew and its test fails, so that what changed is read (``git diff``)
and not only written.
"""

from __future__ import annotations

import base64
import hashlib
import html.parser
import os
from collections.abc import Sequence
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent / "data" / "expected"
VARIABLE = "EXPECTED_TEXTS"
_EMPTY = frozenset({"br", "hr", "img", "input", "wbr"})
"""Elements that are not closed."""
_IMAGE = "data:image/svg+xml;base64,"


def same_as_expected(name: str, found: str) -> None:
    """Compare a text with the one that is expected.

    Parameters
    ----------
    name : str
        The file below ``tests/data/expected``.
    found : str
        What UTF-8 or a text for git cannot hold is written as its escape.
    """
    path = FOLDER / name
    escaped = found.encode("utf-8", "backslashreplace").decode().replace("\0", "\\0")
    found = f"{escaped}\n"
    expected = path.read_bytes().decode() if path.exists() else ""
    if os.environ.get(VARIABLE) == "write" and found != expected:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(found.encode())
        pytest.fail(f"{name} was written anew: read what changed with git diff")
    assert found == expected, f"{name} differs; {VARIABLE}=write writes what is found"


def sessions(name: str) -> dict[str, list[str]]:
    """Return what is typed in sessions, below ``# name``; ``⏎`` stands for the end of a line of a cell.

    Parameters
    ----------
    name : str
        The file below ``tests/data/commands``.
    """
    found: dict[str, list[str]] = {}
    for line in (FOLDER.parent / "commands" / name).read_text(encoding="utf-8").splitlines():
        if line.startswith("# "):
            found[line[2:]] = []
        else:
            found[[*found][-1]].append(line.replace("⏎", "\n"))
    return found


def outline(source: str) -> str:
    """Return HTML as one line per element, below what holds it; each style by the first letters of its digest.

    Examples
    --------
    >>> print(outline('<p style="color:red">a<b title="x">b</b> c</p>'))
    <p #f1ff> a
     <b title=x> b
      c
    """
    reader = _Outline()
    reader.feed(source)
    reader.close()
    return "\n".join(line for line in reader.lines if line.strip())


def styles(sources: Sequence[str]) -> str:
    """Return the styles of HTML texts, a line each: its digest as in :func:`outline` and what it says."""
    reader = _Outline()
    for source in sources:
        reader.feed(source)
    return "\n".join(sorted(f"#{_digest(style)} {style}" for style in reader.styles))


def _digest(style: str) -> str:
    return hashlib.sha256(style.encode()).hexdigest()[:4]


class _Outline(html.parser.HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=False)
        self.lines: list[str] = []
        self.styles: set[str] = set()
        self._depth = 0

    def handle_starttag(self, tag: str, attrs: Sequence[tuple[str, str | None]]) -> None:
        words = [tag]
        for name, value in attrs:
            if name == "style":
                self.styles.add(value or "")
                words.append(f"#{_digest(value or '')}")
            elif value is not None and value.startswith(_IMAGE):
                words.append(f"{name}={base64.b64decode(value.removeprefix(_IMAGE)).decode()}")
            else:
                words.append(name if value is None else f"{name}={value}")
        self.lines.append(f"{' ' * self._depth}<{' '.join(words)}> ")
        self._depth += tag not in _EMPTY

    def handle_endtag(self, tag: str) -> None:
        self._depth -= 1
        self.lines.append(" " * self._depth)

    def handle_data(self, data: str) -> None:
        self._say(data.replace("\n", "⏎"))

    def handle_entityref(self, name: str) -> None:
        self._say(f"&{name};")

    def handle_charref(self, name: str) -> None:
        self._say(f"&#{name};")

    def _say(self, text: str) -> None:
        if self.lines:
            self.lines[-1] += text
