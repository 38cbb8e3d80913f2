"""The whole command as a process: exit codes, pipes, Ctrl-C, start-up, and what it does not load."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import lango_nb
from lango_nb.commands.terminal.main import main
from lango_nb.commands.terminal.parser import EXIT_CODES

ROOT = Path(lango_nb.__file__).parent.parent


def process(*words: str, folder: Path, text: bytes = b"", **env: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "lango_nb", *words],
        cwd=folder,
        env=environment(folder) | env,
        input=text,
        capture_output=True,
        timeout=60,
        check=False,
    )


def environment(folder: Path) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("LANGO_")}
    return kept | {"PYTHONPATH": str(ROOT), "LANGO_HOME": str(folder / "home")}


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["route", "read notes.md"], 0),
        (["ask", "read notes.md"], 0),
        (["ask", "read data.bin"], 1),
        (["rout", "hello"], 2),
        (["settings", "--settings", "agent.maxTurn=1"], 3),
        (["ask", "delete notes.md"], 4),
        (["ask", "--approve", "hold", "delete notes.md"], 6),
    ],
)
def test_every_family_of_exit_codes(tmp_path: Path, words: list[str], code: int) -> None:
    (tmp_path / "notes.md").write_text("one\n", encoding="utf-8")
    (tmp_path / "data.bin").write_bytes(b"\xff\xfe\0")
    done = process(*words, folder=tmp_path)
    assert done.returncode == code, done.stderr
    assert f" {code} " in EXIT_CODES, "the list of commands says what it means"
    assert b"Traceback" not in done.stderr
    assert bool(done.stderr.startswith(b"lango: ")) is (words[0] != "route")


def test_ctrl_c_ends_with_130_and_a_closed_trace(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "lango_nb", "ask", "run `sleep 30`", "--approve", "allow", "--output", "json"]
    running = subprocess.Popen(
        command, cwd=tmp_path, env=environment(tmp_path), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    deadline = time.monotonic() + 60
    tasks = Path(f"/proc/{running.pid}/task")
    while time.monotonic() < deadline and not any(path.read_text() for path in tasks.glob("*/children")):
        time.sleep(0.05)  # until the command has started
    time.sleep(0.2)
    running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=20)
    assert running.returncode == 130, err
    assert b'"outcome": "cancelled"' in out
    assert b"Traceback" not in err


def test_a_reader_that_leaves_early_is_no_error(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "lango_nb", "partition", "--output", "json"]
    running = subprocess.Popen(
        command, cwd=tmp_path, env=environment(tmp_path), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert running.stdout is not None
    running.stdout.close()
    assert running.stderr is not None
    assert running.stderr.read() == b""
    assert running.wait(20) == 0


def test_standard_input_and_narrow_encodings(tmp_path: Path) -> None:
    text = "délete 🦜".encode()
    done = process("route", "-", "--output", "json", folder=tmp_path, text=text, PYTHONIOENCODING="utf-8")
    assert text in done.stdout
    done = process("route", "-", "--output", "json", folder=tmp_path, text=text, PYTHONIOENCODING="ascii")
    assert done.returncode == 0, done.stderr
    assert b"d\\xe9lete" in done.stdout


@pytest.mark.parametrize(
    "words", [["route", "hello"], ["partition"], ["settings"], ["ask", "hello"], ["agent", "status"]]
)
def test_nothing_heavy_is_loaded(tmp_path: Path, words: list[str]) -> None:
    code = (
        f"import sys; from lango_nb.commands.terminal.main import main; main({words!r})\n"
        "print([n for n in ('pandas', 'numpy', 'IPython', 'ipywidgets', 'jupyterlab') if n in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env=environment(tmp_path),
        capture_output=True,
        timeout=60,
        check=True,
    )
    assert done.stdout.rstrip().endswith(b"[]"), done.stdout[-200:]


def test_errors_of_several_lines_become_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ro\nut"]) == 2
    err = capsys.readouterr().err
    assert err.startswith("lango: command 'ro")
    assert err.count("\n") == 1
