"""Command tools: ``exec``, ``exec_bg``, ``exec_status``, ``exec_stop``.

Commands run in the workspace folder through ``/bin/sh``, without input, with the variables that are allowed and no
others, within a time limit, and no longer than the kernel. The exit code is always told; a command that fails is no
error of the tool. A command runs as you: it can read what you can read, also the memory and environment of your other
processes. Approval is what keeps a person in charge.
"""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING

from lango_nb.core.errors import ToolError
from lango_nb.core.json_value import JsonValue
from lango_nb.tools.arguments import BAD_ARGUMENT
from lango_nb.tools.context import ToolContext
from lango_nb.tools.decorator import tool
from lango_nb.tools.tool import ToolResult

if TYPE_CHECKING:
    from lango_nb.tools.builtin.processes import Environment, Process

TIMEOUT_S = 30.0
"""How long a command may run when ``limits`` does not say."""
OUTPUT_BYTES = 64 * 1024
"""How much output is kept when ``limits`` does not say."""
_LAST_BYTES = 4096


@tool(name="exec", safety="dangerous", source="builtin")
async def run_command(command: str, *, context: ToolContext) -> ToolResult:
    """Run a shell command in the workspace and report its exit code and output.

    Parameters
    ----------
    command : str
        Command line for /bin/sh.
    """
    timeout_s = context.limits.get("exec_timeout_s", TIMEOUT_S)
    process = _start(command, context)
    try:
        has_ended = await process.wait(timeout_s)
    except BaseException:  # cancelled: nobody waits for the command any more
        process.send(signal.SIGKILL)
        raise
    if not has_ended:
        await process.kill()
        text = f"stopped after {timeout_s:g} s, the time limit; {_exit_text(process)}"
        return ToolResult(_with_output(text, process.output.text()), True, "timeout", _data(process))
    return ToolResult(_with_output(_exit_text(process), process.output.text()), data=_data(process))


@tool(name="exec_bg", safety="dangerous", source="builtin")
async def start_in_background(command: str, *, context: ToolContext) -> ToolResult:
    """Start a shell command that keeps running in the background; returns the id to ask for it.

    Parameters
    ----------
    command : str
        Command line for /bin/sh.
    """
    from lango_nb.tools.builtin.processes import ProcessTable

    table = context.service(ProcessTable)
    _check(command)
    try:
        key = table.start(command, context.workspace, _output_bytes(context), _environment(context))
    except (OSError, ValueError) as error:
        raise _cannot_start(error) from error
    return ToolResult(f"started {key}; ask for it with exec_status", data={"id": key})


@tool(name="exec_status", safety="safe", source="builtin")
async def show_process(id: str, *, context: ToolContext) -> ToolResult:  # noqa: A002 - the name models know
    """Show whether a background command still runs, its exit code and the end of its output.

    Parameters
    ----------
    id : str
        Id that exec_bg returned.
    """
    from lango_nb.tools.builtin.processes import ProcessTable

    process = context.service(ProcessTable).get(id)
    state = "running" if process.exit_code is None else f"exited, {_exit_text(process)}"
    return ToolResult(
        _with_output(f"{id} {state}", process.output.last(_LAST_BYTES)), data={"id": id, **_data(process)}
    )


@tool(name="exec_stop", safety="dangerous", source="builtin")
async def stop_process(id: str, *, context: ToolContext) -> ToolResult:  # noqa: A002 - the name models know
    """Stop a background command and everything it started.

    Parameters
    ----------
    id : str
        Id that exec_bg returned.
    """
    from lango_nb.tools.builtin.processes import ProcessTable

    process = context.service(ProcessTable).get(id)
    if process.exit_code is not None:
        return ToolResult(f"{id} has ended already, {_exit_text(process)}", data={"id": id, **_data(process)})
    await process.stop()
    if process.exit_code is None:
        raise ToolError(f"{id} does not end, not even when killed")
    return ToolResult(f"stopped {id}, {_exit_text(process)}", data={"id": id, **_data(process)})


def _start(command: str, context: ToolContext) -> Process:
    from lango_nb.tools.builtin.processes import Process

    _check(command)
    try:
        return Process(command, context.workspace, _output_bytes(context), _environment(context))
    except (OSError, ValueError) as error:
        raise _cannot_start(error) from error


def _check(command: str) -> None:
    if not command.strip():
        raise ToolError("command is empty; give a command line", BAD_ARGUMENT)


def _output_bytes(context: ToolContext) -> int:
    return int(context.limits.get("exec_output_bytes", OUTPUT_BYTES))


def _environment(context: ToolContext) -> Environment:
    from lango_nb.tools.builtin.processes import Environment

    bound = context.services.get(Environment)
    return bound if isinstance(bound, Environment) else Environment()


def _cannot_start(error: Exception) -> ToolError:
    reason = error.strerror if isinstance(error, OSError) and error.strerror else error
    return ToolError(f"the command cannot be started: {reason}", "os_error")


def _exit_text(process: Process) -> str:
    """Word how a process ended."""
    code = process.exit_code
    if code is None:
        return "no exit code yet"
    if code < 0:
        try:
            return f"exit code {code} ({signal.Signals(-code).name})"
        except ValueError:  # a real-time signal without a name
            return f"exit code {code}"
    return f"exit code {code}"


def _with_output(text: str, output: str) -> str:
    return f"{text}\n{output}" if output else f"{text}\n[no output]"


def _data(process: Process) -> dict[str, JsonValue]:
    return {
        "exit_code": process.exit_code,
        "output": process.output.text(),
        "output_bytes": process.output.size,
        "left_out_bytes": process.output.cut,
    }
