from __future__ import annotations

import asyncio
import os
import signal
import threading
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from lango_nb.tools.builtin import builtin_tools
from lango_nb.tools.builtin.processes import Environment, ProcessTable
from lango_nb.tools.context import ToolContext
from lango_nb.tools.tool import ToolResult

TOOLS = {tool.name: tool for tool in builtin_tools()}
NAP = f"7300.{os.getpid()}"
"""Seconds of a sleep that outlasts any test and can be told from everybody else's."""


@pytest.fixture
def context(tmp_path: Path) -> Iterator[ToolContext]:
    table = ProcessTable(most=3)
    limits = {"exec_timeout_s": 60.0, "exec_output_bytes": 1000.0}
    yield ToolContext(tmp_path, limits=limits, services={ProcessTable: table})
    table.close()


def call(context: ToolContext, tool: str, **arguments: Any) -> ToolResult:
    return asyncio.run(TOOLS[tool].call(arguments, context))


def limited(context: ToolContext, **limits: float) -> ToolContext:
    return ToolContext(context.workspace, limits={**context.limits, **limits}, services=context.services)


def is_running(marker: str) -> bool:
    """Tell whether a process that has the marker in its command line is alive."""
    for folder in Path("/proc").iterdir():
        try:
            if folder.name.isdigit() and marker in (folder / "cmdline").read_text(errors="replace"):
                state = (folder / "stat").read_text().rpartition(")")[2].split()[0]
                if state != "Z":
                    return True
        except OSError:
            continue
    return False


def wait_until(is_so: Callable[[], bool], seconds: float = 60) -> bool:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if is_so():
            return True
        time.sleep(0.02)
    return is_so()


def test_the_family_has_the_names_safeties_and_required_parameters_of_the_reference() -> None:
    assert {name: (tool.safety, tool.required) for name, tool in TOOLS.items() if tool.family == "exec"} == {
        "exec": ("dangerous", ("command",)),
        "exec_bg": ("dangerous", ("command",)),
        "exec_status": ("safe", ("id",)),
        "exec_stop": ("dangerous", ("id",)),
    }


@pytest.mark.parametrize(
    ("command", "content", "exit_code"),
    [
        ("echo hello", "exit code 0\nhello\n", 0),
        ("echo out; echo err >&2; exit 3", "exit code 3\nout\nerr\n", 3),
        ("true", "exit code 0\n[no output]", 0),
        ("no_such_command_here 2>/dev/null", "exit code 127\n[no output]", 127),
        ("kill -9 $$", "exit code -9 (SIGKILL)\n[no output]", -9),
        ("cat", "exit code 0\n[no output]", 0),  # input is closed: it does not wait for any
        ("printf 'caf\\303\\251 \\377'", "exit code 0\ncafé \ufffd", 0),
    ],
)
def test_output_and_exit_code_are_always_reported(
    context: ToolContext, command: str, content: str, exit_code: int
) -> None:
    result = call(context, "exec", command=command)
    assert (result.content, result.is_error) == (content, False)
    assert result.data["exit_code"] == exit_code  # type: ignore[call-overload,index]


def test_commands_run_in_the_workspace(context: ToolContext) -> None:
    call(context, "exec", command="echo x > made.txt")
    assert (context.workspace / "made.txt").read_text() == "x\n"


def test_commands_see_only_variables_that_are_allowed_or_named(
    context: ToolContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("OPENAI_API_KEY", "GITHUB_TOKEN", "DATABASE_URL"):
        monkeypatch.setenv(name, "hush-hush")
    monkeypatch.setenv("HARMLESS", "seen")
    assert "hush-hush" not in call(context, "exec", command="env").content
    named = replace(context, services={**context.services, Environment: Environment(("HARM*",))})
    result = call(named, "exec", command="env")
    assert "hush-hush" not in result.content
    assert "HARMLESS=seen" in result.content
    call(named, "exec_bg", command="env")
    assert wait_until(lambda: "HARMLESS=seen" in call(named, "exec_status", id="p1").content)


def test_too_much_output_keeps_head_and_tail_and_says_how_much_is_gone(context: ToolContext) -> None:
    result = call(context, "exec", command="echo first; head -c 1000000 /dev/zero | tr '\\0' x; echo; echo last")
    assert result.content.startswith("exit code 0\nfirst\nxxx")
    assert result.content.endswith("x\nlast\n")
    assert "\n[999,012 bytes left out]\n" in result.content
    assert len(result.content) < 1100


def test_the_time_limit_ends_the_whole_group_and_keeps_what_was_said(context: ToolContext) -> None:
    result = call(
        limited(context, exec_timeout_s=1.0), "exec", command=f"echo early; (sleep {NAP}; echo x) & sleep {NAP}"
    )
    assert (result.is_error, result.code) == (True, "timeout")
    assert result.content == "stopped after 1 s, the time limit; exit code -9 (SIGKILL)\nearly\n"
    assert wait_until(lambda: not is_running(NAP))


def test_a_command_that_ignores_the_polite_signal_is_ended_too(context: ToolContext) -> None:
    command = f"trap '' TERM INT HUP; sleep {NAP}; sleep {NAP}"
    assert call(limited(context, exec_timeout_s=0.3), "exec", command=command).code == "timeout"
    assert wait_until(lambda: not is_running(NAP))


@pytest.mark.parametrize(
    "command", ["sleep {nap} & echo done", "yes {nap} & echo done", "(sleep {nap} >&- 2>&-) & echo done"]
)
def test_children_do_not_outlive_the_command_nor_hold_it_up(context: ToolContext, command: str) -> None:
    result = call(context, "exec", command=command.format(nap=NAP))
    assert result.content.startswith("exit code 0\n")
    assert "done" in result.content
    assert wait_until(lambda: not is_running(NAP))


def test_a_child_that_left_the_group_does_not_hold_it_up(context: ToolContext) -> None:
    child = f"setsid sh -c 'echo $$ > pid; exec sleep {NAP}'"
    result = call(context, "exec", command=f"{child} & until [ -s pid ]; do sleep 0.01; done; echo done")
    with suppress(ProcessLookupError):  # the machine may have been quicker
        os.kill(int((context.workspace / "pid").read_text()), signal.SIGKILL)
    assert result.content == "exit code 0\ndone\n"


def test_cancelling_ends_the_command(context: ToolContext) -> None:
    async def main() -> None:
        running = asyncio.create_task(TOOLS["exec"].call({"command": f"sleep {NAP}"}, context))
        assert await asyncio.to_thread(wait_until, lambda: is_running(NAP))
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running

    asyncio.run(main())
    assert wait_until(lambda: not is_running(NAP))


def test_it_works_on_a_loop_in_another_thread(context: ToolContext) -> None:
    answers: list[str] = []
    thread = threading.Thread(target=lambda: answers.append(call(context, "exec", command="echo there").content))
    thread.start()
    thread.join(60)
    assert answers == ["exit code 0\nthere\n"]


def test_many_commands_run_at_the_same_time(context: ToolContext) -> None:
    meet = "touch {n}.is_there; until [ $(ls *.is_there | wc -l) = 20 ]; do sleep 0.05; done; echo {n}"

    async def main() -> list[ToolResult]:
        calls: list[Awaitable[ToolResult]] = [
            TOOLS["exec"].call({"command": meet.format(n=n)}, context) for n in range(20)
        ]
        return list(await asyncio.gather(*calls))

    results = asyncio.run(main())
    assert [result.content for result in results] == [f"exit code 0\n{n}\n" for n in range(20)]


def test_no_zombie_stays_behind(context: ToolContext) -> None:
    for _ in range(5):
        call(context, "exec", command="true")
    call(limited(context, exec_timeout_s=0.1), "exec", command=f"sleep {NAP}")

    def zombies() -> list[str]:
        own = []
        for folder in Path("/proc").iterdir():
            try:
                if folder.name.isdigit():
                    state, parent = (folder / "stat").read_text().rpartition(")")[2].split()[:2]
                    if state == "Z" and int(parent) == os.getpid():
                        own.append(folder.name)
            except OSError:
                continue
        return own

    assert wait_until(lambda: not zombies())


@pytest.mark.parametrize(
    ("command", "code", "message"),
    [
        ("", "bad_argument", "command is empty; give a command line"),
        (" \n", "bad_argument", "command is empty; give a command line"),
        ("echo a\0b", "os_error", "the command cannot be started: embedded null byte"),
        ("echo " + "x" * 5_000_000, "os_error", "the command cannot be started: Argument list too long"),
    ],
)
def test_a_command_that_cannot_start_gives_one_line(
    context: ToolContext, command: str, code: str, message: str
) -> None:
    for tool in ("exec", "exec_bg"):
        result = call(context, tool, command=command)
        assert (result.is_error, result.code, result.content) == (True, code, message)


def test_a_background_command_is_started_asked_for_and_stopped(context: ToolContext) -> None:
    assert call(context, "exec_bg", command=f"echo up; sleep {NAP}; echo never").content == (
        "started p1; ask for it with exec_status"
    )
    assert wait_until(lambda: call(context, "exec_status", id="p1").content == "p1 running\nup\n")
    assert call(context, "exec_stop", id="p1").content == "stopped p1, exit code -15 (SIGTERM)"
    assert call(context, "exec_status", id="p1").content == "p1 exited, exit code -15 (SIGTERM)\nup\n"
    assert call(context, "exec_stop", id="p1").content == "p1 has ended already, exit code -15 (SIGTERM)"
    assert not is_running(NAP)


def test_a_background_command_outlives_the_loop_that_started_it_and_its_exit_code_is_kept(
    context: ToolContext,
) -> None:
    call(context, "exec_bg", command="sleep 0.2; echo end; exit 4")
    assert "p1 running" in call(context, "exec_status", id="p1").content
    assert wait_until(lambda: call(context, "exec_status", id="p1").content == "p1 exited, exit code 4\nend\n")
    assert call(context, "exec_status", id="p1").data["exit_code"] == 4  # type: ignore[call-overload,index]


def test_stopping_kills_what_does_not_end_by_itself(context: ToolContext) -> None:
    call(context, "exec_bg", command=f"trap '' TERM; echo up; sleep {NAP}; sleep {NAP}")
    assert wait_until(lambda: "up" in call(context, "exec_status", id="p1").content)
    assert call(context, "exec_stop", id="p1").content == "stopped p1, exit code -9 (SIGKILL)"
    assert wait_until(lambda: not is_running(NAP))


def test_ids_are_counted_unknown_ones_named_and_the_number_of_commands_is_limited(context: ToolContext) -> None:
    for number in (1, 2, 3):
        assert call(context, "exec_bg", command=f"sleep {NAP}").data == {"id": f"p{number}"}
    full = call(context, "exec_bg", command=f"sleep {NAP}")
    assert (full.is_error, full.content) == (True, "3 commands run already; stop one with exec_stop")
    call(context, "exec_stop", id="p2")
    assert call(context, "exec_bg", command=f"sleep {NAP}").data == {"id": "p4"}
    for tool in ("exec_status", "exec_stop"):
        unknown = call(context, tool, id="nonsense")
        assert (unknown.code, unknown.content) == (
            "not_found",
            "process 'nonsense' not found; there is: p1, p2, p3, p4",
        )


def test_without_the_service_the_background_tools_say_so_and_exec_still_works(tmp_path: Path) -> None:
    bare = ToolContext(tmp_path)
    assert "not available here" in call(bare, "exec_bg", command="true").content
    assert call(bare, "exec", command="true").content == "exit code 0\n[no output]"


def test_a_workspace_that_is_gone_is_one_clear_line(tmp_path: Path) -> None:
    result = call(ToolContext(tmp_path / "gone"), "exec", command="true")
    assert (result.code, result.content) == ("os_error", "the command cannot be started: No such file or directory")
