"""The short form of :mod:`tests.endurance.race`; the long one is a command of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ROUNDS = 400


@pytest.mark.skipif(not hasattr(os, "fork"), reason="folders are swapped by a forked process; needs a POSIX system")
def test_no_file_tool_leaves_the_workspace_while_folders_are_swapped_for_links() -> None:
    command = [sys.executable, "-m", "tests.endurance.race", "--rounds", str(ROUNDS)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=170)
    found = json.loads(done.stdout)
    assert (found["outside"], found["by tool"], done.returncode) == (0, {}, 0)
    assert found["rounds"] == ROUNDS
    assert found["worked"] > 0
    assert found["refused"] > 0
