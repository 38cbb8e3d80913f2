"""Read the lines of :mod:`drive` and print, per measure: the best peer, the floor, ours, and ours over the best peer.

    compare.py peers.jsonl [--all]        --all: every framework and idiom, not only the best

A cell is the median over its repetitions, and after the slash the quietest one: on a busy machine the two differ, and
the quietest is the steadier. Differences below a third are not resolved.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent


@dataclass(frozen=True)
class Row:
    """One line of the table."""

    title: str
    scenario: str
    key: str
    mode: str = ""
    """The idiom that is compared; any when empty, and each framework's best counts."""


ROWS = (
    Row("S1 greeting, µs", "S1", "median_us"),
    Row("S1, processor, µs", "S1", "cpu_us"),
    Row("S2 delegate, any idiom, µs", "S2", "median_us"),
    Row("S2 hand-off, µs", "S2", "median_us", "handoff"),
    Row("S2 agent as tool, µs", "S2", "median_us", "astool"),
    Row("S2, any idiom, processor, µs", "S2", "cpu_us"),
    Row("S2t delegate, traced, µs", "S2t", "median_us"),
    Row("S3 turn 10, µs", "S3", "t10_us"),
    Row("S3 turn 100, µs", "S3", "t100_us"),
    Row("S3 turn 200, µs", "S3", "t200_us"),
    Row("S4 turn 200, µs", "S4", "t200_us"),
    Row("S5 eight at once, over the ideal, ms", "S5", "overhead_ms"),
    Row("S6 tree, µs", "S6", "median_us"),
    Row("fresh process to first delegated answer, ms", "COLD", "cold_ms"),
    Row("import, ms", "COLD", "import_ms"),
    Row("peak memory, first turn, MB", "MEM", "first_turn_mb"),
    Row("peak memory, 200 turns, MB", "MEM", "after_200_mb"),
)


@dataclass(frozen=True)
class Cell:
    """One number of one framework."""

    framework: str
    mode: str
    median: float
    quietest: float

    def __str__(self) -> str:
        return f"{self.framework} ({self.mode}) {_number(self.median)} / {_number(self.quietest)}"


def cells(runs: Iterable[Mapping[str, Any]], row: Row) -> list[Cell]:
    """Return what was measured for a row, the best first.

    Parameters
    ----------
    runs : iterable of mapping
        Lines of the results.
    row : Row

    Returns
    -------
    list of Cell
        One for every framework and idiom.

    Examples
    --------
    >>> run = {"framework": "a", "scenario": "S1", "mode": "x", "result": {"median_us": 3.0}}
    >>> cells([run, {**run, "result": {"median_us": 5.0}}], Row("", "S1", "median_us"))
    [Cell(framework='a', mode='x', median=4.0, quietest=3.0)]
    """
    found: dict[tuple[str, str], list[float]] = {}
    for run in runs:
        value = run.get("result", {}).get(row.key)
        if run["scenario"] == row.scenario and value is not None and row.mode in {"", run["mode"]}:
            found.setdefault((run["framework"], run["mode"]), []).append(value)
    made = [Cell(*key, statistics.median(values), min(values)) for key, values in found.items()]
    return sorted(made, key=lambda cell: cell.median)


def table(runs: Sequence[Mapping[str, Any]], ours: Sequence[str], baseline: Sequence[str]) -> list[str]:
    """Write the table, one line per row that anybody has."""
    lines = [
        "| measure | best peer | floor | ours | ours / best peer | quietest |",
        "|---|---|---|---|--:|--:|",
    ]
    for row in ROWS:
        found = cells(runs, row)
        own = next((cell for cell in found if cell.framework in ours), None)
        floor = next((cell for cell in found if cell.framework in baseline), None)
        peer = next((cell for cell in found if cell.framework not in {*ours, *baseline}), None)
        if not found:
            continue
        ratio, quietest = ("", "")
        if own and peer and peer.median > 0 and peer.quietest > 0:
            ratio, quietest = f"{own.median / peer.median:.2f}", f"{own.quietest / peer.quietest:.2f}"
        shown = (str(cell) if cell else "" for cell in (peer, floor, own))
        lines.append(f"| {row.title} | {' | '.join(shown)} | {ratio} | {quietest} |")
    return lines


def everything(runs: Sequence[Mapping[str, Any]]) -> list[str]:
    """Write every cell of every row."""
    return [f"{row.title}: {'; '.join(map(str, cells(runs, row)))}" for row in ROWS if cells(runs, row)]


def _number(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def main() -> int:
    """Print the table; the exit code is 1 when a run failed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", type=Path)
    parser.add_argument("--all", action="store_true", help="every framework and idiom")
    args = parser.parse_args()
    config = tomllib.loads((HERE / "peers.toml").read_text(encoding="utf-8"))
    runs = [json.loads(line) for line in args.results.read_text(encoding="utf-8").splitlines()]
    runs = [run for run in runs if "scenario" in run]  # lines of another kind tell about the machine
    lines = table(runs, config["ours"], config["baseline"])
    if args.all:
        lines += ["", *everything(runs)]
    failed = [f"failed: {run['framework']} {run['scenario']} {run['mode']}" for run in runs if "error" in run]
    sys.stdout.write("\n".join([*lines, *failed]) + "\n")
    return int(bool(failed))


if __name__ == "__main__":
    raise SystemExit(main())
