"""Where everything is written, safe for a terminal: results to standard output, remarks to standard error."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Sequence
from typing import Any, TextIO

from lango_nb.core.visible import visible, visible_json


def say(text: str) -> None:
    """Write a result."""
    _write(sys.stdout, visible(text.replace("\r\n", "\n")))


def complain(text: str) -> None:
    """Write one line about what went wrong, or what happens meanwhile."""
    _write(sys.stderr, visible("lango: " + " ".join(text.splitlines())))


def ask(question: str) -> str:
    """Ask on standard error, after everything that was shown, and return the line that was typed."""
    sys.stdout.flush()
    sys.stderr.write(visible(question))
    sys.stderr.flush()
    return input()


def say_json(data: Any) -> None:
    """Write data as JSON, two blanks per level, keys in the order given."""
    _write(sys.stdout, visible_json(json.dumps(data, indent=2, ensure_ascii=False, default=str)))


def say_table(title: str, columns: Sequence[str], rows: Iterable[Sequence[object]], note: str = "") -> None:
    """Write rows in aligned columns."""
    from lango_nb.viz.table import Table

    say_record(Table(title, tuple(columns), tuple(tuple(row) for row in rows), note))


def say_record(record: object) -> None:
    """Write a record as text, the way a notebook without a browser shows it."""
    from lango_nb.viz import to_text

    say(to_text(record))


def _write(stream: TextIO, text: str) -> None:
    """Write a line; what the stream's encoding does not have is spelled out."""
    try:
        stream.write(f"{text}\n")
    except UnicodeEncodeError:
        encoding = stream.encoding or "ascii"
        stream.write(text.encode(encoding, "backslashreplace").decode(encoding) + "\n")
