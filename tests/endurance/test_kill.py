"""The short form of :mod:`tests.endurance.kill`; the long one is a command of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
KILLS = 8


@pytest.mark.skipif(not hasattr(os, "fork"), reason="writers are forked and killed; needs a POSIX system")
@pytest.mark.parametrize("durability", ["turn", "event"])
def test_nothing_acknowledged_is_lost_and_no_call_happens_twice(durability: str) -> None:
    command = [sys.executable, "-m", "tests.endurance.kill", "--kills", str(KILLS), "--durability", durability]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=170)
    assert done.returncode == 0, done.stdout + done.stderr
    found = json.loads(done.stdout)
    assert found["wrong"] == []
    assert found["kills"] == KILLS
    assert found["acknowledged turns"] > 0
    assert found["effects"] >= found["acknowledged turns"]
