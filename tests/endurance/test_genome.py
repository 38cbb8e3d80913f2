"""The short form of :mod:`tests.endurance.genome`, and the long one among the slow tests."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="writers are forked and killed; needs a POSIX system")
@pytest.mark.parametrize("kills", [10, pytest.param(100, marks=pytest.mark.slow)])
def test_a_genome_opens_after_a_kill_and_no_acknowledged_change_is_lost(kills: int) -> None:
    command = [sys.executable, "-m", "tests.endurance.genome", "--kills", str(kills), "--seed", str(kills)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=170)
    assert done.returncode == 0, done.stdout + done.stderr
    found = json.loads(done.stdout)
    assert found["wrong"] == []
    assert found["kills"] == kills
    assert found["acknowledged commits"] > 0
