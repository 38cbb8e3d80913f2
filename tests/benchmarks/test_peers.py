"""The comparison with other frameworks: ours runs in it, and its own arithmetic is right. Not in the default run:

python -m pytest -o addopts= tests/benchmarks/test_peers.py --import-mode=importlib
"""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.benchmarks.peers import compare, drive

PEERS = Path(drive.__file__).parent


@pytest.mark.parametrize("mode", ["handoff", "astool", "spawn"])
@pytest.mark.parametrize("scenario", ["S2", "S3"])
def test_ours_runs_under_every_control(scenario: str, mode: str) -> None:
    found = drive.run(sys.executable, "lango_nb", scenario, mode, ["--quick"])
    assert "error" not in found, found
    assert found["result"]["model_calls"] == {"handoff": 3, "astool": 4, "spawn": 5}[mode]


@pytest.mark.parametrize("mode", ["astool", "spawn"])
def test_ours_asks_eight_at_once(mode: str) -> None:
    found = drive.run(sys.executable, "lango_nb", "S5", mode, ["--quick"])
    assert "error" not in found, found
    assert found["result"]["wall_ms"] < 8 * 2 * 20  # one after the other it would take longer than that


@pytest.mark.parametrize("scenario", ["S1", "S2t", "S6", "COLD", "MEM"])
def test_ours_runs_the_other_scenarios(scenario: str) -> None:
    found = drive.run(sys.executable, "lango_nb", scenario, "handoff", ["--quick"])
    assert "error" not in found, found


def test_a_turn_that_goes_wrong_is_no_number() -> None:
    probe = _common().Probe()
    probe.start("delegate")
    with pytest.raises(AssertionError, match="the answer was 'made up'"):
        probe.check("made up", 3)
    probe.tool_runs, probe.model_calls = 1, 3
    probe.check(f"ANS:{probe.expect('files')}", 3)
    with pytest.raises(AssertionError):
        probe.check(f"ANS:{probe.expect('files')}", 4)


def test_the_table_divides_ours_by_the_best_peer(tmp_path: Path) -> None:
    def run(framework: str, median_us: float) -> dict[str, Any]:
        return {"framework": framework, "scenario": "S1", "mode": "astool", "result": {"median_us": median_us}}

    runs = [run("floor", 1), run("slow", 900), run("quick", 300), run("quick", 500), run("lango_nb", 100)]
    lines = compare.table(runs, ["lango_nb"], ["floor"])
    cells = "quick (astool) 400 / 300 | floor (astool) 1 / 1 | lango_nb (astool) 100 / 100"
    assert lines[2] == f"| S1 greeting, µs | {cells} | 0.25 | 0.33 |"
    results = tmp_path / "results.jsonl"
    results.write_text("".join(json.dumps(one) + "\n" for one in runs), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, str(PEERS / "compare.py"), str(results)], capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines() == lines


def _common() -> Any:
    spec = importlib.util.spec_from_file_location("peers_common", PEERS / "common.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
