"""What a type checker knows of the package: ``mypy --strict`` over a user's script."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import lango_nb

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "tests" / "data" / "typing" / "script.py"


def test_a_users_script_has_real_types(tmp_path: Path) -> None:
    settings = tmp_path / "mypy.ini"
    settings.write_text("[mypy]\nstrict = true\nplugins = pydantic.mypy\n", encoding="utf-8")
    command = [sys.executable, "-m", "mypy", "--config-file", str(settings), "--cache-dir", str(tmp_path), str(SCRIPT)]
    environment = {**os.environ, "MYPYPATH": "", "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.strip()) == (0, "Success: no issues found in 1 source file"), done.stdout


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
