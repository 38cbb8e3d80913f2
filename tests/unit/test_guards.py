"""Guards that nothing else would miss: bytes are on the disk before a name is, files are private, markup is text."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lango_nb import Lab
from lango_nb.commands.text import Text
from lango_nb.core.paths import sync_folder
from lango_nb.core.private import write_private
from lango_nb.records.importing import read_document
from lango_nb.records.packing import pack_event, pack_trace

SECRET = "sk-abcdefghijklmnop1234"
ORIGINAL = Path(__file__).parents[1] / "data" / "records"


def export(path: Path) -> None:
    lab = Lab("octet", approver="deny")
    lab.ask("hello")
    lab.export(path)


def shelve(path: Path) -> None:
    lab = Lab("octet", approver="deny", shelf=path)
    lab.label("encrypt the word tulip", "vault")


def record(path: Path) -> None:
    lab = Lab("octet", approver="deny")
    lab.record(path)
    lab.ask("hello")
    lab.close()


@pytest.mark.parametrize(
    ("name", "write"),
    [
        ("turn.jsonl", export),
        ("mine.json", shelve),
        ("tape.json", record),
        ("keys.env", lambda p: write_private(p, "x")),
    ],
)
def test_the_bytes_are_on_the_disk_before_the_file_has_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, write: Callable[[Path], None]
) -> None:
    path = tmp_path / name
    forced: list[bool] = []
    fsync = os.fsync

    def watched(descriptor: int) -> None:
        fsync(descriptor)
        forced.append(not path.exists() and os.fstat(descriptor).st_size > 0)

    monkeypatch.setattr(os, "fsync", watched)
    write(path)
    assert path.stat().st_size > 0
    assert forced, "nothing was forced to the disk"
    assert forced[0], "the name came first"


@pytest.mark.skipif(os.name == "nt", reason="Windows cannot force a folder to the disk")
@pytest.mark.parametrize("write", [lambda folder: shelve(folder / "mine.json"), sync_folder], ids=["shelf", "database"])
def test_a_new_name_is_forced_to_the_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, write: Callable[[Path], None]
) -> None:
    folder = tmp_path.stat().st_ino
    forced: list[int] = []
    monkeypatch.setattr(os, "fsync", lambda descriptor: forced.append(os.fstat(descriptor).st_ino))
    write(tmp_path)
    assert folder in forced


@pytest.mark.skipif(os.name == "nt", reason="modes of files are POSIX's")
def test_private_files_are_the_owners_alone_whatever_the_mask_says(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        write_private(tmp_path / "home" / "keys.env", "x")
        record(tmp_path / "tape.json")
        lab = Lab("octet", store=tmp_path / "kept", approver="deny")
        lab.ask("hello")
        lab.close()
    finally:
        os.umask(before)
    open_to_others = [
        path.name
        for folder in (tmp_path / "home", tmp_path / "kept", tmp_path)
        for path in folder.iterdir()
        if path.is_file() and path.stat().st_mode & 0o077
    ]
    assert open_to_others == []
    assert (tmp_path / "home").stat().st_mode & 0o077 == 0


def test_plain_text_in_a_notebook_is_no_markup() -> None:
    shown = Text("<img src=x onerror=alert(1)> & more")._repr_html_()
    assert "<img" not in shown
    assert "&lt;img src=x onerror=alert(1)&gt; &amp; more" in shown


def _leaves(value: Any, place: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """List the places of all texts in a document, those inside of JSON texts too."""
    if isinstance(value, dict):
        return [leaf for key, inner in value.items() for leaf in _leaves(inner, (*place, key))]
    if isinstance(value, list):
        return [leaf for number, inner in enumerate(value) for leaf in _leaves(inner, (*place, number))]
    return [place] if isinstance(value, str) else []


_FIXED = ("id", "at", "type", "outcome", "kind", "key")
"""Ends of names of fields that hold an id, a time or a closed word: another text there is refused."""


def test_a_secret_in_any_text_of_an_imported_trace_is_masked() -> None:
    """Wherever the original's trace has a text, a key in it is neither kept nor shown."""
    tried, found = 0, []
    for name in ("original-show.json", "original-list.json"):
        document = json.loads((ORIGINAL / name).read_text(encoding="utf-8"))
        for place in _leaves(document):
            field = next(str(key) for key in reversed(place) if isinstance(key, str)).lower()
            if field.endswith(_FIXED):
                continue
            poisoned = json.loads(json.dumps(document))
            inner = poisoned
            for key in place[:-1]:
                inner = inner[key]
            said = inner[place[-1]]
            inner[place[-1]] = said[:-1] + f', "x": "{SECRET}"' + "}" if said.endswith("}") else f"{said} {SECRET}"
            for trace in read_document(poisoned):
                row, body = pack_trace(trace)
                kept = json.dumps([row, body, [pack_event(event) for event in trace.events]])
                found += [f"{name}: {place}"] if SECRET in kept else []
            tried += 1
    assert found == []
    assert tried > 10
