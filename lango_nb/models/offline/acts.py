"""What a request can be read into: one row of ``data/reading/acts.tsv`` for each act, with the roles of its arguments."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Literal, NamedTuple

READING = Path(__file__).resolve().parents[2] / "data" / "reading"
"""Folder of the tables that requests are read and answered with."""
Kind = Literal["look", "change", "talk"]


class Act(NamedTuple):
    """One thing that can be wanted."""

    name: str
    needed: tuple[str, ...]
    """Roles without which it cannot be done."""
    optional: tuple[str, ...]
    kind: Kind
    """Whether it only looks, changes something, or is about the conversation."""
    tool: str
    """The tool without which it cannot be done; empty when it needs none."""
    reads: str
    """What sort of file it is about (``table``, ``json``, ``code``); empty for any."""
    shown: str
    """How a plan with it is written; ``[…]`` may be left out."""
    meaning: str

    @property
    def roles(self) -> tuple[str, ...]:
        """All its roles."""
        return (*self.needed, *self.optional)


@cache
def acts() -> Mapping[str, Act]:
    """Read the table of acts.

    Returns
    -------
    mapping of str to Act

    Examples
    --------
    >>> acts()["replace"].needed, acts()["replace"].kind
    (('file', 'old', 'new'), 'change')
    """
    found = {}
    for name, needed, optional, kind, tool, reads, shown, meaning in read_table("acts.tsv"):
        act = Act(name, tuple(needed.split()), tuple(optional.split()), _kind(kind), tool, reads, shown, meaning)
        found[name] = act
    return found


def is_change(name: str) -> bool:
    """Tell whether an act, or a tool that is none of ours, may change something."""
    act = acts().get(name)
    return act is None or act.kind == "change"


def read_table(name: str) -> list[list[str]]:
    """Read the rows of a table of the reading: tab-separated, ``#`` begins a comment."""
    text = (READING / name).read_text(encoding="utf-8")
    return [line.split("\t") for line in text.splitlines() if line and not line.startswith("#")]


def _kind(written: str) -> Kind:
    match written:
        case "look" | "change" | "talk":
            return written
        case _:
            raise ValueError(written)
