"""Measure everything in fresh processes and print a table that can be quoted.

    python -m tests.benchmarks.report              all, five processes each
    python -m tests.benchmarks.report --runs 15 import engine lab cold

Runs are interleaved, so that a noisy minute does not hit one measure alone. ``ratio`` is median over budget; ``cpu`` is
the processor time of the median run, which other programs on the machine disturb less. Machines differ, and the same
one from hour to hour, so the last lines say what it would take where the budgets were set.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
from collections.abc import Mapping

from tests.benchmarks.measures import FLOOR_MS, MEASURES, PYDANTIC_MS, ROOT, Measure, run_fresh


def measure_once(measure: Measure) -> tuple[float, float | None]:
    """Run a measure in a new process; return its number, and the processor time where it is known."""
    if measure.code:
        return run_fresh(measure)
    done = subprocess.run(
        [sys.executable, "-m", "tests.benchmarks.measures", measure.key],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(f"{measure.key} failed:\n{done.stderr}")
    return float(json.loads(done.stdout.splitlines()[-1])), None


def row(measure: Measure, found: list[tuple[float, float | None]]) -> str:
    """Write one line of the table."""
    walls = sorted(wall for wall, _ in found)
    median = statistics.median(walls)
    cpus = [cpu for _, cpu in found if cpu is not None]
    cpu = f"{statistics.median(cpus):9.3g}" if cpus else " " * 9
    budget = f"{measure.budget:8.4g}" if measure.budget is not None else " " * 8
    ratio = f"{median / measure.budget:6.2f}" if measure.budget is not None else " " * 6
    mark = " over" if measure.budget is not None and median > measure.budget else ""
    numbers = f"{walls[0]:9.4g} {median:9.4g} {walls[-1]:9.4g} {cpu}"
    return f"{measure.key:10} {measure.title:46} {measure.unit:3} {numbers} {budget} {ratio}{mark}"


def scaled(found: Mapping[str, list[tuple[float, float | None]]]) -> list[str]:
    """Say what was measured at the speed the budgets were set for, as pydantic and the loop by hand tell it."""
    medians = {key: statistics.median(wall for wall, _ in runs) for key, runs in found.items()}
    lines = []
    for reference, took_ms in (("pydantic", PYDANTIC_MS), ("floor", FLOOR_MS)):
        if reference not in medians:
            continue
        speed = took_ms / medians[reference]
        shown = [
            f"{key} {medians[key] * speed:.3g} of {measure.budget:.3g} ms"
            for key, measure in MEASURES.items()
            if key in medians and measure.unit == "ms" and measure.budget is not None
            if bool(measure.code) is (reference == "pydantic")
        ]
        lines.append(f"at the speed where {MEASURES[reference].title} takes {took_ms:.3g} ms: {', '.join(shown)}")
    return lines


def main() -> int:
    """Measure and print; the exit code is 1 when a budget is missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("keys", nargs="*", metavar="KEY", help=f"any of {', '.join(MEASURES)}; all when absent")
    parser.add_argument("--runs", type=int, default=5, help="fresh processes for each (%(default)s)")
    args = parser.parse_args()
    unknown = sorted(set(args.keys) - set(MEASURES))
    if unknown:
        parser.error(f"there is no measure {unknown[0]!r}")
    chosen = [MEASURES[key] for key in args.keys] or list(MEASURES.values())
    found: dict[str, list[tuple[float, float | None]]] = {measure.key: [] for measure in chosen}
    for number in range(args.runs):
        for measure in chosen:
            found[measure.key].append(measure_once(measure))
        sys.stderr.write(f"run {number + 1} of {args.runs}\n")
    lines = [
        f"Python {platform.python_version()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, {args.runs} runs",
        f"{'':10} {'':46} {'':3} {'min':>9} {'median':>9} {'max':>9} {'cpu':>9} {'budget':>8} {'ratio':>6}",
        *(row(measure, found[measure.key]) for measure in chosen),
        *scaled(found),
    ]
    sys.stdout.write("\n".join(lines) + "\n")
    return int(any(line.endswith(" over") for line in lines))


if __name__ == "__main__":
    raise SystemExit(main())
