from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from lango_nb.core.errors import ToolError
from lango_nb.tools.builtin import processes
from lango_nb.tools.builtin.processes import Environment, Output, Process, ProcessTable


@pytest.mark.parametrize("step", [1, 3, 7, 1000])
@pytest.mark.parametrize(("size", "cut"), [(0, 0), (9, 0), (10, 0), (11, 1), (500, 490)])
def test_output_keeps_head_and_tail_however_it_arrives(step: int, size: int, cut: int) -> None:
    written = bytes(65 + n % 26 for n in range(size))
    output = Output(10)
    for start in range(0, size, step):
        output.add(written[start : start + step])
    assert (output.size, output.cut) == (size, cut)
    expected = (
        written.decode() if not cut else f"{written[:5].decode()}\n[{cut} bytes left out]\n{written[-5:].decode()}"
    )
    assert output.text() == expected
    assert output.last(3) == written[-3:].decode()


def test_commands_get_the_variables_that_are_allowed_and_those_that_are_named() -> None:
    allowed = {"PATH": "/bin", "HOME": "/root", "LANG": "C", "LC_ALL": "C", "TZ": "UTC", "TERM": "xterm"}
    other = dict.fromkeys(("OPENAI_API_KEY", "PGPASSWORD", "DATABASE_URL", "MY_LANG", "path"), "x")
    named = {"JAVA_HOME": "/jdk", "CARGO_HOME": "/cargo", "CARGO_NET": "1"}
    assert Environment().variables({**allowed, **other, **named}) == allowed
    assert Environment(("JAVA_HOME", "CARGO_*")).variables({**allowed, **other, **named}) == {**allowed, **named}


def test_a_cancelled_wait_leaves_the_process_waitable(tmp_path: Path) -> None:
    process = Process("sleep 0.3", tmp_path, 100)

    async def main() -> tuple[bool, bool]:
        return await process.wait(0.05), await process.wait(60)

    assert asyncio.run(main()) == (False, True)
    assert process.exit_code == 0


def test_the_table_forgets_ended_processes_but_not_running_ones(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(processes, "_KEPT", 2)
    table = ProcessTable()
    running = table.start("sleep 60", tmp_path, 100)
    for _ in range(5):
        key = table.start("true", tmp_path, 100)
        asyncio.run(table.get(key).wait(60))
    table.start("sleep 60", tmp_path, 100)
    assert running in list(table)
    assert len(table) == 4  # the running one, two that ended, the one just started
    with pytest.raises(ToolError, match="process 'p2' not found"):
        table.get("p2")
    table.close()
    assert asyncio.run(table.get(running).wait(60))


def test_what_still_runs_is_ended_when_python_ends(tmp_path: Path) -> None:
    script = f"""
from pathlib import Path
from lango_nb.tools.builtin.processes import ProcessTable
ProcessTable().start("trap '' TERM HUP; echo $$ > pid; sleep 600; sleep 600", Path({str(tmp_path)!r}), 100)
import time
while not (Path({str(tmp_path)!r}) / "pid").exists() or not (Path({str(tmp_path)!r}) / "pid").read_text().strip():
    time.sleep(0.01)
"""
    subprocess.run([sys.executable, "-c", script], check=True, timeout=60)
    pid = int((tmp_path / "pid").read_text())
    assert not Path(f"/proc/{pid}").exists()


KERNEL = """
import os, sys, time
from pathlib import Path
from lango_nb.tools.builtin.processes import Process
process = Process(sys.argv[1], Path.cwd(), 100)
{more}
print("ready", flush=True)
time.sleep(120)
"""


def start_kernel(folder: Path, command: str, more: str = "") -> subprocess.Popen[str]:
    """Start a Python that runs a command and waits to be killed."""
    kernel = subprocess.Popen(
        [sys.executable, "-c", KERNEL.format(more=more), command], cwd=folder, stdout=subprocess.PIPE, text=True
    )
    assert kernel.stdout is not None
    assert kernel.stdout.readline() == "ready\n"
    return kernel


def kill(kernel: subprocess.Popen[str]) -> None:
    kernel.kill()
    kernel.wait()
    assert kernel.stdout is not None
    kernel.stdout.close()


def pids_in(folder: Path, count: int) -> list[int]:
    """Wait until so many commands have written their process id below a folder."""
    until = time.monotonic() + 60
    while time.monotonic() < until:
        found = [text for file in sorted(folder.glob("*.pid")) if (text := file.read_text().strip())]
        if len(found) == count:
            return [int(text) for text in found]
        time.sleep(0.01)
    raise AssertionError(f"{count} commands did not start")


def is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def have_ended(pids: list[int]) -> bool:
    until = time.monotonic() + 60
    while time.monotonic() < until:
        if not any(map(is_running, pids)):
            return True
        time.sleep(0.02)
    return False


@pytest.mark.parametrize(
    "command",
    [
        "echo $$ > a.pid; sleep 60; sleep 60",
        "trap '' TERM HUP INT; echo $$ > a.pid; sleep 60; sleep 60",
        "nohup sh -c 'echo $$ > a.pid; sleep 60' & wait",
        "setsid sh -c 'echo $$ > a.pid; sleep 60; sleep 60' & wait",
        "setsid sh -c 'setsid sh -c \"echo \\$\\$ > a.pid; sleep 60; sleep 60\" & sleep 60' & wait",
    ],
    ids=["plain", "stubborn", "nohup", "own session", "own session twice"],
)
def test_a_command_ends_with_a_kernel_that_is_killed(tmp_path: Path, command: str) -> None:
    kernel = start_kernel(tmp_path, command)
    pids = pids_in(tmp_path, 1)
    assert all(map(is_running, pids))
    kill(kernel)
    assert have_ended(pids)


def test_a_copy_of_the_kernel_that_lives_on_does_not_keep_commands_alive(tmp_path: Path) -> None:
    copy = "if not os.fork(): os.close(1); Path('copy.pid').write_text(str(os.getpid())); time.sleep(120)"
    kernel = start_kernel(tmp_path, "echo $$ > command.pid; sleep 60; sleep 60", copy)
    command, copied = pids_in(tmp_path, 2)
    kill(kernel)
    try:
        assert have_ended([command])
        assert is_running(copied)
    finally:
        os.kill(copied, signal.SIGKILL)


def test_neither_the_parent_of_a_command_nor_its_parent_knows_a_variable_that_is_not_allowed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("UNTOLD", "hush-hush")
    process = Process(
        "for pid in $PPID $(cut -d' ' -f4 /proc/$PPID/stat); do echo process; tr '\\0' ' ' < /proc/$pid/environ; done",
        tmp_path,
        100_000,
    )
    assert asyncio.run(process.wait(60))
    assert process.output.text().count("process") == 2
    assert process.output.text().count("PATH=") == 2
    assert "hush-hush" not in process.output.text()


def test_a_command_holds_nothing_open_but_its_own_streams(tmp_path: Path) -> None:
    process = Process(
        "readlink /proc/$$/fd/0; for n in 3 4 5 6 7 8 9; do readlink /proc/$$/fd/$n; done", tmp_path, 1000
    )
    assert asyncio.run(process.wait(60))
    assert process.output.text() == "/dev/null\n"


def test_a_command_that_kills_its_parent_is_seen_to_end(tmp_path: Path) -> None:
    process = Process("echo $$ > a.pid; kill -9 $PPID; sleep 60; sleep 60", tmp_path, 1000)
    assert asyncio.run(process.wait(60))
    assert process.exit_code == -signal.SIGKILL
    assert have_ended(pids_in(tmp_path, 1))


def test_commands_start_again_after_their_launcher_was_killed_and_running_ones_go_on(tmp_path: Path) -> None:
    running = Process("echo $$ > a.pid; sleep 0.5; echo end", tmp_path, 1000)
    pids_in(tmp_path, 1)
    launcher = processes._LAUNCHER._process
    assert launcher is not None
    killer = Process("kill -9 $(cut -d' ' -f4 /proc/$PPID/stat)", tmp_path, 1000)
    assert asyncio.run(killer.wait(60))
    assert launcher.wait(10) == -signal.SIGKILL  # a command that it gets while it dies dies with it
    after = Process("echo again", tmp_path, 1000)
    assert asyncio.run(after.wait(60))
    assert after.output.text() == "again\n"
    assert asyncio.run(running.wait(60))
    assert (running.output.text(), running.exit_code) == ("end\n", 0)


def test_what_moved_to_a_session_of_its_own_ends_with_its_command(tmp_path: Path) -> None:
    process = Process(
        "setsid sh -c 'echo $$ > a.pid; sleep 60; sleep 60' & until [ -s a.pid ]; do :; done", tmp_path, 9
    )
    assert asyncio.run(process.wait(60))
    assert have_ended(pids_in(tmp_path, 1))
