"""A folder, and a bench to carry plans out in it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from lango_nb.tools.by_name import spec_families
from lango_nb.tools.tool import Tool
from tests.unit.models.offline_plan.bench import FILES, Bench


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, content in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(content)
    return tmp_path


@pytest.fixture
def bench(folder: Path) -> Bench:
    return Bench(folder)


@pytest.fixture
def make(folder: Path) -> Callable[..., Bench]:
    return lambda **options: Bench(folder, **options)


@pytest.fixture
def known_by_name() -> tuple[Tool, ...]:
    return spec_families()
