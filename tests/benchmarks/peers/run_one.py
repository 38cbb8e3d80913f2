"""Run one scenario of one framework in this process and print one line of JSON.

    <python> run_one.py lango_nb S2 handoff [--quick]
    <python> run_one.py lango_nb PLAN -            what it can run

The framework is imported before everything else, so that its import time is all of it.
"""

from __future__ import annotations

import importlib
import os
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))  # noqa: PTH100, PTH120 - pathlib would be in the time
framework, scenario, mode = sys.argv[1:4]
began = time.perf_counter()
bench = importlib.import_module(f"bench_{framework}").BENCH
import_ms = (time.perf_counter() - began) * 1000

import json  # noqa: E402
from importlib.metadata import PackageNotFoundError, version  # noqa: E402


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "?"


def _plan() -> dict[str, object]:
    return {
        "plan": bench.plan(),
        "versions": {name: _version(name) for name in bench.dists},
        "store": bench.store,
        "tracing": bench.tracing,
        "notes": bench.notes,
        "python": sys.version.split()[0],
    }


def _result() -> dict[str, object]:
    timing = importlib.import_module("timing")
    effort = timing.QUICK if "--quick" in sys.argv else timing.FULL
    return {"result": timing.run_scenario(bench, scenario, mode, effort, import_ms)}


found = _plan() if scenario == "PLAN" else _result()
line = json.dumps({"framework": framework, "scenario": scenario, "mode": mode, **found})
sys.stdout.flush()
os.write(1, f"@@{line}\n".encode())
os._exit(0)  # no exporters at exit, no threads that linger
