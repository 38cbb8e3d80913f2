"""What a type checker knows of the package: mypy checks a user's script as it checks all files."""

from __future__ import annotations

import ast
import re
import tomllib
from pathlib import Path

import lango_nb

ROOT = Path(__file__).parents[2]
SCRIPT = "tests/data/typing/script.py"


def test_a_users_script_is_among_the_files_that_mypy_checks_strictly() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["mypy"]
    assert (ROOT / SCRIPT).is_file()
    assert settings["strict"] is True
    assert "tests" in settings["files"]
    assert not [pattern for pattern in settings["exclude"] if re.search(pattern, SCRIPT)]


def test_a_type_checker_knows_every_public_name_from_where_it_loads() -> None:
    tree = ast.parse(Path(lango_nb.__file__).read_text(encoding="utf-8"))
    told = {
        alias.asname: node.module
        for branch in tree.body
        if isinstance(branch, ast.If) and ast.unparse(branch.test) == "TYPE_CHECKING"
        for node in branch.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if alias.asname is not None
    }
    assert told == lango_nb._HOME
