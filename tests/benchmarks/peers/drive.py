"""Run every framework, scenario and idiom, each in a fresh process, and print the table of :mod:`compare`.

    drive.py --install                                       make the environments of ``peers.toml``
    drive.py --reps 3 --out results.jsonl
    drive.py --only lango_nb floor --scenarios S1 S2 --quick

Frameworks take turns within a scenario. Every run is one line of JSON, written at once; an interrupted measurement can
still be compared.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
SCENARIOS = ("S1", "S2", "S3", "S6", "S5", "S2t", "COLD", "MEM", "S4")
TIMEOUT_S = 110


def read_config() -> dict[str, Any]:
    """Read ``peers.toml``."""
    return tomllib.loads((HERE / "peers.toml").read_text(encoding="utf-8"))


def interpreter(config: Mapping[str, Any], framework: str) -> str:
    """Return the Python that has a framework."""
    given = os.environ.get(f"BENCH_PYTHON_{framework.upper()}")
    if given:
        return given
    if framework in config["ours"]:
        return sys.executable
    return str(_environment(config, framework) / "bin" / "python")


def _environment(config: Mapping[str, Any], framework: str) -> Path:
    root = os.environ.get("BENCH_ENVIRONMENTS") or config["environments"]
    return Path(root).expanduser() / framework


def install(config: Mapping[str, Any], only: Sequence[str]) -> None:
    """Make the environments that are not there yet, one after the other."""
    for framework, packages in config["packages"].items():
        folder = _environment(config, framework)
        ready = folder / ".ready"
        if ready.exists() or (only and framework not in only):
            continue
        _say(f"{framework}: {', '.join(packages)}")
        subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
        pip = [str(folder / "bin" / "python"), "-m", "pip", "install", "-q", "--disable-pip-version-check"]
        subprocess.run([*pip, *packages], check=True)
        ready.touch()


def run(python: str, framework: str, scenario: str, mode: str, options: Sequence[str] = ()) -> dict[str, Any]:
    """Run one scenario in a fresh process; what goes wrong is the value of ``error``."""
    found: dict[str, Any] = {"framework": framework, "scenario": scenario, "mode": mode}
    command = [python, str(HERE / "run_one.py"), framework, scenario, mode, *options]
    # Everybody's modules are compiled before the first run is timed, as those of an installed package are.
    env = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    began = time.perf_counter()
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=TIMEOUT_S, env=env, cwd=HERE, check=False
        )
    except subprocess.TimeoutExpired:
        return {**found, "error": f"no answer within {TIMEOUT_S} s"}
    except OSError as error:
        return {**found, "error": f"{error}; make the environments with --install"}
    lines = [line for line in done.stdout.splitlines() if line.startswith("@@")]
    found |= json.loads(lines[-1][2:]) if lines else {"error": (done.stderr or done.stdout)[-800:].strip()}
    return {**found, "wall_s": round(time.perf_counter() - began, 2), "load": round(os.getloadavg()[0], 2)}


def rounds(plans: Mapping[str, Sequence[Sequence[str]]], scenarios: Sequence[str]) -> Iterator[tuple[str, str, str]]:
    """Yield (framework, scenario, idiom), so that neighbours in time are different frameworks.

    Examples
    --------
    >>> list(rounds({"a": [("S1", "x"), ("S1", "y")], "b": [("S1", "z")]}, ["S1"]))
    [('a', 'S1', 'x'), ('b', 'S1', 'z'), ('a', 'S1', 'y')]
    """
    for scenario in scenarios:
        modes = {name: [mode for found, mode in plan if found == scenario] for name, plan in plans.items()}
        for position in range(max(map(len, modes.values()), default=0)):
            for framework, own in modes.items():
                if position < len(own):
                    yield framework, scenario, own[position]


def measure(config: Mapping[str, Any], args: argparse.Namespace) -> None:
    """Run everything and write a line for each run."""
    names = [*config["ours"], *config["packages"]]
    names = [name for name in names if (HERE / f"bench_{name}.py").exists() and (not args.only or name in args.only)]
    options = ["--quick"] if args.quick else []
    with args.out.open("a", encoding="utf-8") as out:

        def keep(line: Mapping[str, Any]) -> None:
            out.write(json.dumps(line) + "\n")
            out.flush()

        plans: dict[str, list[list[str]]] = {}
        for name in names:
            found = run(interpreter(config, name), name, "PLAN", "-")
            keep(found)
            if "error" in found:
                _say(f"{name} cannot run: {found['error'].splitlines()[-1]}")
            else:
                plans[name] = found["plan"]
        for repetition in range(args.reps):
            for framework, scenario, mode in rounds(plans, args.scenarios or SCENARIOS):
                found = run(interpreter(config, framework), framework, scenario, mode, options)
                keep({**found, "rep": repetition})
                shown = found.get("result") or found["error"].splitlines()[-1]
                _say(f"{time.strftime('%H:%M:%S')} {repetition} {scenario:4} {framework:14} {mode:10} {shown}")


def _say(text: str) -> None:
    sys.stderr.write(f"{text[:220]}\n")


def main() -> int:
    """Install, or measure and compare."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--install", action="store_true", help="make the environments and end")
    parser.add_argument("--only", nargs="+", default=[], metavar="NAME", help="frameworks; all when absent")
    parser.add_argument("--scenarios", nargs="+", default=[], choices=SCENARIOS, metavar="S", help="all when absent")
    parser.add_argument("--reps", type=int, default=3, help="repetitions (%(default)s)")
    parser.add_argument("--quick", action="store_true", help="fewer samples")
    parser.add_argument("--out", type=Path, default=Path("peers.jsonl"), help="lines are added to it (%(default)s)")
    args = parser.parse_args()
    config = read_config()
    if args.install:
        install(config, args.only)
        return 0
    measure(config, args)
    return subprocess.run([sys.executable, str(HERE / "compare.py"), str(args.out)], check=False).returncode


if __name__ == "__main__":
    raise SystemExit(main())
