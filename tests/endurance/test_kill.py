"""The short form of :mod:`tests.endurance.kill`; the long one is a command of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.postgresql import need_postgresql

ROOT = Path(__file__).parents[2]
KILLS = 8


@pytest.mark.skipif(not hasattr(os, "fork"), reason="writers are forked and killed; needs a POSIX system")
@pytest.mark.parametrize(("store", "durability"), [("sqlite", "turn"), ("sqlite", "event"), ("postgresql", "turn")])
def test_nothing_acknowledged_is_lost_and_no_call_happens_twice(store: str, durability: str) -> None:
    if store == "postgresql":
        need_postgresql()
    options = ["--kills", str(KILLS), "--store", store, "--durability", durability]
    command = [sys.executable, "-m", "tests.endurance.kill", *options]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=170)
    assert done.returncode == 0, done.stdout + done.stderr
    found = json.loads(done.stdout)
    assert found["wrong"] == []
    assert found["kills"] == KILLS
    assert found["acknowledged turns"] > 0
    assert found["effects"] >= found["acknowledged turns"]
