"""What ``lango_nb`` offers by name, held letter by letter: a name that comes or goes is a decision, not an accident."""

from __future__ import annotations

import inspect
import re
from importlib.metadata import entry_points, metadata, version
from pathlib import Path

import pytest

import lango_nb

NAMES = [
    "AgentSpec",
    "CountedIds",
    "Engine",
    "Lab",
    "LangoError",
    "ScriptedModel",
    "SteppedClock",
    "Tool",
    "ToolContext",
    "ToolResult",
    "Topology",
    "__version__",
    "load_ipython_extension",
    "tool",
    "unload_ipython_extension",
]


def test_all_is_what_was_decided() -> None:
    assert sorted(lango_nb.__all__) == NAMES
    assert dir(lango_nb) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_every_name_loads_and_is_described(name: str) -> None:
    value = getattr(lango_nb, name)
    if name == "__version__":
        assert isinstance(value, str)
        return
    assert inspect.isclass(value) or inspect.isfunction(value)
    assert value.__module__.startswith("lango_nb")
    assert inspect.getdoc(value)


def test_star_import_gives_the_same_names() -> None:
    space: dict[str, object] = {}
    exec("from lango_nb import *", space)
    assert sorted(set(space) - {"__builtins__"}) == NAMES


def test_a_name_that_is_not_there_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'Labb'"):
        _ = lango_nb.Labb


def test_version_is_the_installed_one_and_follows_semver() -> None:
    assert lango_nb.__version__ == version("lango-nb")
    assert re.fullmatch(r"\d+\.\d+\.\d+((a|b|rc)\d+)?", lango_nb.__version__)


def test_the_command_is_installed() -> None:
    commands = {point.name: point.value for point in entry_points(group="console_scripts") if point.name == "lango"}
    assert commands == {"lango": "lango_nb.commands.terminal.main:main"}


def test_typed_package_says_so() -> None:
    assert "Typing :: Typed" in (metadata("lango-nb").get_all("Classifier") or [])
    assert (Path(lango_nb.__file__).parent / "py.typed").is_file()
