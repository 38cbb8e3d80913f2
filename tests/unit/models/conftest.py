"""A folder with the files that a test's module names, and an engine in it that remembers, which is asked in words."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from lango_nb.config.settings import Settings
from lango_nb.engine import Engine
from lango_nb.records.turns import Turn
from lango_nb.tools.builtin import builtin_tools


@pytest.fixture
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """Write what the module names in ``FILES``."""
    for name, content in request.module.FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(content)
    return tmp_path


@pytest.fixture(params=["solo", "octet"])
def ask(request: pytest.FixtureRequest, folder: Path) -> Callable[..., Turn]:
    """Say one thing after another, and return the last turn."""
    settings = Settings.model_validate({"agentMemory": {"enabled": True}, "background": {"enabled": True}})
    engine = Engine(
        topology=request.param, tools=builtin_tools(), workspace=folder, approver="allow", settings=settings
    )
    return lambda *texts: [engine.run_sync(text).turn for text in texts][-1]
