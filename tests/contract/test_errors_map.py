"""The drawing of the errors at the top of ``core/errors.py`` is the tree of classes, exit codes included."""

from __future__ import annotations

import importlib
import pkgutil
import re

import lango_nb
from lango_nb.core import errors
from lango_nb.core.errors import LangoError

_LINE = re.compile(r"^(?P<branches>[ │├└─]*)(?P<name>[A-Z]\w+Error)(?:\s+(?P<says>\S.*?) \(exit (?P<exit>\d+)\))?$")


def _drawn() -> dict[str, tuple[str | None, str | None]]:
    """Read the drawing: name of the class to name of its parent and its exit code."""
    found: dict[str, tuple[str | None, str | None]] = {}
    above: list[tuple[int, str]] = []
    for line in (errors.__doc__ or "").splitlines():
        match = _LINE.match(line)
        if match is None:
            continue
        depth = len(match["branches"])
        while above and above[-1][0] >= depth:
            above.pop()
        assert match["name"] not in found, f"{match['name']} is drawn twice"
        found[match["name"]] = (above[-1][1] if above else None, match["exit"])
        above.append((depth, match["name"]))
    return found


def _classes() -> list[type[LangoError]]:
    """All our errors, wherever they are defined."""
    for module in pkgutil.walk_packages(lango_nb.__path__, "lango_nb."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    found: list[type[LangoError]] = [LangoError]
    for kind in found:
        found += kind.__subclasses__()
    return [kind for kind in found if kind.__module__.startswith("lango_nb.")]


def _drawable() -> list[type[LangoError]]:
    """All but those that are another library's error as well: core knows no other library."""
    return [
        kind
        for kind in _classes()
        if all(base.__module__ == "builtins" or base.__module__.startswith("lango_nb.") for base in kind.__mro__)
    ]


def test_drawing_is_the_class_tree() -> None:
    parents = {kind.__name__: kind.__bases__[0].__name__ for kind in _drawable()}
    parents["LangoError"] = ""
    assert {name: parent or "" for name, (parent, _) in _drawn().items()} == parents


def test_drawing_has_the_exit_codes() -> None:
    codes = {kind.__name__: str(kind.exit_code) for kind in _drawable() if kind is not LangoError}
    assert {name: code for name, (_, code) in _drawn().items() if name != "LangoError"} == codes


def test_every_error_lives_in_the_drawn_file_and_has_a_code_of_its_own() -> None:
    kinds = _drawable()
    assert {kind.__module__ for kind in kinds} == {errors.__name__}
    codes = [kind.code for kind in kinds if "code" in vars(kind)]  # a tool's error gets its code when it is raised
    assert len(set(codes)) == len(codes) > 5, f"two errors share a code: {sorted(codes)}"


def test_an_error_that_is_also_another_librarys_keeps_the_meaning_of_ours() -> None:
    for kind in set(_classes()) - set(_drawable()):
        ours = kind.__mro__[1]
        assert issubclass(ours, LangoError), f"{kind.__name__} should be ours first"
        assert (kind.code, kind.exit_code) == (ours.code, ours.exit_code)
