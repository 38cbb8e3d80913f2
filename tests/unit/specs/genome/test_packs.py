"""Many commits are packed: little is on the disk, git reads all of it, and a kill in between costs nothing."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lango_nb.specs.genome import packs
from lango_nb.specs.genome.genome import Genome

Git = Callable[..., str]


def commit(genome: Genome, times: int, since: int = 0) -> list[str]:
    """Make commits of one agent, and return their ids."""
    agent = genome.all_agents()[0]
    ids = []
    for number in range(since, since + times):
        genome.update_agent(agent.with_changes(instruction=f"You are number {number}."), force=True)
        ids.append(genome.last_commit)
    return ids


def loose(folder: Path) -> int:
    return sum(1 for _ in (folder / ".git" / "objects").glob("[0-9a-f][0-9a-f]/*"))


def packed(folder: Path) -> list[Path]:
    return sorted((folder / ".git" / "objects" / "pack").glob("*.pack"))


@pytest.fixture(autouse=True)
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let few objects be many."""
    monkeypatch.setattr(packs, "_LOOSE", 40)
    monkeypatch.setattr(packs, "_PACKS", 4)


def test_many_commits_are_packed_and_every_one_can_be_read(genome: Genome, folder: Path, git: Git) -> None:
    ids = commit(genome, 100)
    assert loose(folder) < 40 + 4
    assert 1 <= len(packed(folder)) <= 5, "small packs become a larger one"
    for reader in (genome, Genome.open(folder)):
        assert [one.id for one in reader.history(0)][: len(ids)] == ids[::-1]
        assert "number 3." in reader.show(ids[3]).text
    assert git("fsck", "--strict") == ""
    assert git("log", "--format=%H").split()[: len(ids)] == ids[::-1]
    assert git("status", "--porcelain") == ""


def test_what_was_packed_can_be_rolled_back(genome: Genome) -> None:
    memory = genome.add_memory("Ada has the key")
    made = genome.last_commit
    commit(genome, 30)
    genome.rollback(made)
    assert memory.id not in {one.id for one in genome.memories}


def test_a_thousand_agents_take_little_for_each_commit(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, clock: Any
) -> None:
    monkeypatch.setattr(os, "fsync", lambda _descriptor: None)
    shipped = tmp_path / "many"
    shipped.mkdir()
    for name in ("root", *(f"agent-{number}" for number in range(999))):
        text = f"name: {name}\ndescription: Does what {name} does\nmodel: fast\nsystem_prompt: You are {name}.\n"
        (shipped / f"{name}.yaml").write_text(text)
    genome = Genome.open_or_init(tmp_path / "large", shipped, clock)
    before = size(tmp_path / "large")
    commit(genome, 60)
    assert size(tmp_path / "large") - before < 60 * 36_000 / 4


def size(folder: Path) -> int:
    return sum(one.stat().st_size for one in (folder / ".git" / "objects").rglob("*") if one.is_file())


@pytest.mark.parametrize("step", ["sync_folder", "unlink"])
def test_a_process_that_ends_while_it_packs_loses_nothing(
    genome: Genome, folder: Path, git: Git, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    ids = commit(genome, 5)
    with monkeypatch.context() as patched:
        if step == "sync_folder":
            patched.setattr(packs, "sync_folder", end)
        else:
            patched.setattr(Path, "unlink", only_some(Path.unlink))
        with pytest.raises(EndedError):
            commit(genome, 30, 5)
    again = Genome.open(folder)
    commit(again, 30, 50)
    assert {*ids} <= {one.id for one in again.history(0)}
    assert "number 2." in again.show(ids[2]).text
    assert git("fsck", "--strict") == ""


def test_what_a_killed_process_left_of_a_pack_goes_at_the_next_opening_and_what_git_writes_stays(
    genome: Genome, folder: Path
) -> None:
    place = folder / ".git" / "objects" / "pack"
    place.mkdir(exist_ok=True)
    for name in ("tmpabc.pack", "pack-1.idx.lock", "tmp_pack_xyz"):
        (place / name).write_bytes(b"half")
    genome.close()
    Genome.open(folder)
    assert [one.name for one in place.iterdir() if one.suffix != ".idx" and one.name[:5] != "pack-"] == ["tmp_pack_xyz"]


def test_a_disk_that_is_full_while_it_packs_costs_no_commit(genome: Genome, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_given: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(packs, "sync_folder", full)
    ids = commit(genome, 30)
    assert [one.id for one in genome.history(30)] == ids[::-1]


def test_packs_that_somebody_keeps_stay(genome: Genome, folder: Path) -> None:
    commit(genome, 15)
    kept = packed(folder)[0]
    kept.with_suffix(".keep").write_text("mine")
    commit(genome, 100, 20)
    assert kept in packed(folder)


class EndedError(BaseException):
    """The process is gone."""


def end(*_given: object) -> None:
    raise EndedError


def only_some(unlink: Callable[..., None]) -> Callable[..., None]:
    """Remove three objects, then end."""
    removed: list[Path] = []

    def remove(path: Path, **options: bool) -> None:
        if path.parent.parent.name == "objects":
            if len(removed) == 3:
                raise EndedError
            removed.append(path)
        unlink(path, **options)

    return remove
