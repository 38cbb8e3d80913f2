r"""Answers of a model kept in a file, so that an evaluation that was stopped goes on where it was.

One line of JSON per answer, written as soon as it came. It is found again by its key, a hash of the model's name, all
the model was sent, and the request: change a prompt, an agent or a text, and it is asked anew. The requests themselves
are not in the file.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TextIO

from lango_nb.core.errors import UsageError, shorten
from lango_nb.core.masking import mask
from lango_nb.core.paths import path_of
from lango_nb.evaluation.answers import KINDS, Answer

SCHEMA = 1
_BEGIN = '{"schema": '
_TEXTS = ("agent", "reason")
_COUNTS = ("calls", "input_tokens", "output_tokens")
_NUMBERS = ("cost_usd", "time_ms")


class SavedAnswers:
    """The answers in a file, and a way to add to them.

    A line that was cut off in the middle is dropped; so that nothing is lost, a file that holds anything else is left
    alone.

    Parameters
    ----------
    path : str or Path
        Made when it is not there.

    Raises
    ------
    UsageError
        The file cannot be read or written, or is none of an evaluation.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = path_of(path)
        self._name = shorten(self.path.name)
        self._file: TextIO | None = None
        try:
            data = self.path.read_bytes() if self.path.exists() else b""
            whole, _, torn = data.rpartition(b"\n")
            self.answers = self._read(whole, torn)
            if torn:
                with self.path.open("r+b") as file:
                    file.truncate(len(data) - len(torn))
            self._file = self.path.open("a", encoding="utf-8", newline="\n")
        except OSError as error:
            raise UsageError(
                f"cannot keep answers in {shorten(str(path))!r}: {error.strerror}; name another file"
            ) from error

    def get(self, key: str) -> Answer | None:
        """Return the answer of a key, if there is one."""
        return self.answers.get(key)

    def add(self, key: str, answer: Answer) -> None:
        """Write an answer down; errors are not kept, so that the next run asks again."""
        if answer.kind == "error" or self._file is None:
            return
        row = {
            "schema": SCHEMA,
            "key": key,
            "kind": answer.kind,
            "agent": mask(answer.agent),
            "reason": mask(answer.reason),
            **{name: getattr(answer, name) for name in (*_COUNTS, *_NUMBERS)},
        }
        self._file.write(json.dumps(row, ensure_ascii=False) + "\n")
        self._file.flush()

    def close(self) -> None:
        """Let go of the file."""
        if self._file is not None:
            self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _read(self, whole: bytes, torn: bytes) -> dict[str, Answer]:
        found: dict[str, Answer] = {}
        for number, line in enumerate(whole.split(b"\n") if whole else (), 1):
            try:
                key, answer = _read_row(json.loads(line))
            except (ValueError, KeyError, TypeError) as error:
                raise UsageError(
                    f"{self._name!r}, line {number} is not an answer of an evaluation; {_OTHER}"
                ) from error
            found[key] = answer
        begin = _BEGIN.encode()
        if not torn.startswith(begin) and not begin.startswith(torn):
            raise UsageError(f"{self._name!r} ends in something that is not an answer of an evaluation; {_OTHER}")
        return found


_OTHER = "name another file to resume from"


def _read_row(row: Mapping[str, Any]) -> tuple[str, Answer]:
    if row["schema"] != SCHEMA or row["kind"] not in KINDS or not isinstance(row["key"], str):
        raise ValueError(row["schema"])
    values: dict[str, Any] = {"kind": row["kind"]}
    for name in _TEXTS:
        values[name] = row[name]
        if not isinstance(row[name], str):
            raise TypeError(name)
    for name in (*_COUNTS, *_NUMBERS):
        value = values[name] = row[name]
        kinds = int if name in _COUNTS else (int, float)
        is_missing = value is None and name not in {"calls", "time_ms"}
        if not is_missing and (isinstance(value, bool) or not isinstance(value, kinds) or not math.isfinite(value)):
            raise TypeError(name)
    return row["key"], Answer(**values)
