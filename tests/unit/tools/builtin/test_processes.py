from __future__ import annotations

import asyncio
import subprocess
import sys
import time
from pathlib import Path

import pytest

from lango_nb.core.errors import ToolError
from lango_nb.tools.builtin import processes
from lango_nb.tools.builtin.processes import Output, Process, ProcessTable, clean_environment


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


def test_environment_is_cleaned_by_name() -> None:
    kept = {"PATH": "/bin", "HOME": "/root", "LANG": "C"}
    secret = dict.fromkeys(("X_API_KEY", "APIKEY", "A_TOKEN_B", "ClientSecret", "PGPASSWORD", "SSH_PRIVATE_KEY"), "x")
    assert clean_environment({**kept, **secret}) == kept


def test_a_cancelled_wait_leaves_the_process_waitable(tmp_path: Path) -> None:
    process = Process("sleep 0.3", tmp_path, 100)

    async def main() -> tuple[bool, bool]:
        return await process.wait(0.05), await process.wait(5)

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
        asyncio.run(table.get(key).wait(5))
    table.start("true", tmp_path, 100)
    assert running in list(table)
    assert len(table) == 4  # the running one, two that ended, the one just started
    with pytest.raises(ToolError, match="process 'p2' not found"):
        table.get("p2")
    table.close()
    assert asyncio.run(table.get(running).wait(5))


def test_what_still_runs_is_ended_when_python_ends(tmp_path: Path) -> None:
    script = f"""
from pathlib import Path
from lango_nb.tools.builtin.processes import ProcessTable
ProcessTable().start("trap '' TERM HUP; echo $$ > pid; sleep 60; sleep 60", Path({str(tmp_path)!r}), 100)
import time
while not (Path({str(tmp_path)!r}) / "pid").exists() or not (Path({str(tmp_path)!r}) / "pid").read_text().strip():
    time.sleep(0.01)
"""
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", script], check=True, timeout=20)
    assert time.perf_counter() - start < 10
    pid = int((tmp_path / "pid").read_text())
    assert not Path(f"/proc/{pid}").exists()
