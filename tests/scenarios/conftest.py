"""What the scenario tests share: trees made of nothing but names, and engines on a fresh folder."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from lango_nb.config.settings import Settings
from lango_nb.core.clock import SteppedClock
from lango_nb.core.ids import CountedIds
from lango_nb.engine import Engine
from lango_nb.routing.build import build_agent_tree
from lango_nb.routing.tree import AgentTree
from lango_nb.runtime.approvals import AllowAll
from lango_nb.specs.topologies import load_prompt_sections, load_topology
from lango_nb.tools.tool import Tool
from tests.cast import Cast, Line, TeamOf, merged


@pytest.fixture
def tree_of() -> Callable[..., AgentTree]:
    """Build the tree of a topology over tools of which only the names are known."""

    def build(topology: str, *tools: str, **options: Any) -> AgentTree:
        return build_agent_tree(
            [Tool(name) for name in tools], load_topology(topology), shared_sections=load_prompt_sections(), **options
        )

    return build


@pytest.fixture
def engine_on(tmp_path: Path) -> Callable[..., Engine]:
    """Make an engine that works on an empty folder, says yes to every call, and repeats to the letter."""

    def make(topology: str | None = None, **options: Any) -> Engine:
        defaults: dict[str, Any] = {"approver": AllowAll(), "clock": SteppedClock(), "ids": CountedIds()}
        return Engine(topology=topology, workspace=tmp_path, **{**defaults, **options})

    return make


@pytest.fixture
def team(engine_on: Callable[..., Engine]) -> TeamOf:
    """Make an octet with the teammate runtime on, and the cast that plays its agents."""

    def make(
        lines: Mapping[str, Iterable[Line]], settings: Mapping[str, Any] | None = None, **options: Any
    ) -> tuple[Engine, Cast]:
        cast = Cast(lines)
        switched_on = merged({"agent": {"multiAgent": True}, "background": {"enabled": True}}, settings or {})
        return engine_on(settings=Settings.model_validate(switched_on), model=cast, **options), cast

    return make


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Put three files into the folder of the engine."""
    files: Sequence[tuple[str, str]] = (
        ("notes.md", "# Notes\nfirst\nsecond\n"),
        ("plan.txt", "one\ntwo\n"),
        ("data.csv", "a,b\n1,2\n"),
    )
    for name, text in files:
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path
