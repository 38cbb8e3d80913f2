"""A real kernel over its wire: Stop, the question before a dangerous call, completion, progress, one-line errors."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from jupyter_client.manager import KernelManager

PROJECT = Path(__file__).parents[4]
SLOW = """
import asyncio
from lango_nb import Lab
class Slow:
    name = "slow"
    async def complete(self, messages, tools):
        print("WORKING", flush=True)
        await asyncio.sleep(60)
slow = Lab("sextet", model=Slow())
%lango use slow;
"""


class Kernel:
    """One kernel and its client."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        environment = {
            **os.environ,
            "PYTHONPATH": str(PROJECT),
            "LANGO_HOME": str(folder / "home"),
            "IPYTHONDIR": str(folder / "ipython"),
            "JUPYTER_RUNTIME_DIR": str(folder / "runtime"),
        }
        self.manager: Any = KernelManager(kernel_name="python3")
        self.manager.start_kernel(cwd=str(folder), env=environment)
        self.client: Any = self.manager.client()
        self.client.start_channels()
        self.client.wait_for_ready(timeout=60)

    def run(
        self,
        code: str,
        *,
        answer: str | None = None,
        on_output: Callable[[dict[str, Any]], None] = lambda _message: None,
        is_asked: bool = True,
    ) -> tuple[dict[str, Any], list[dict[str, Any]]]:
        """Run a cell; return the reply's content, and the messages that were shown."""
        shown: list[dict[str, Any]] = []

        def show(message: dict[str, Any]) -> None:
            if message["msg_type"] not in {"status", "execute_input"}:
                shown.append(message)
            on_output(message)

        def ask(message: dict[str, Any]) -> None:
            shown.append(message)
            self.client.input(answer)

        reply = self.client.execute_interactive(
            code,
            allow_stdin=is_asked and answer is not None,
            output_hook=show,
            stdin_hook=ask,
            timeout=60,
        )
        return reply["content"], shown

    def text(self, code: str, **options: Any) -> str:
        """Run a cell that goes well; return everything it showed as text."""
        content, shown = self.run(code, **options)
        assert content["status"] == "ok", content
        return "\n".join(_text_of(message) for message in shown)

    def stop(self) -> None:
        """End it."""
        self.client.stop_channels()
        self.manager.shutdown_kernel(now=True)


def _text_of(message: dict[str, Any]) -> str:
    content = message["content"]
    return str(content.get("text") or content.get("data", {}).get("text/plain") or content.get("prompt") or "")


@pytest.fixture(scope="module")
def kernel(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kernel]:
    opened = Kernel(tmp_path_factory.mktemp("kernel"))
    opened.run("%load_ext lango_nb")
    yield opened
    opened.stop()


@pytest.fixture(autouse=True)
def anew(kernel: Kernel) -> None:
    kernel.run("%unload_ext lango_nb")
    kernel.run("import lango_nb.commands.notebook.extension as extension; extension._KEPT.clear()")
    kernel.run("%load_ext lango_nb")


def test_a_command_shows_text_and_html_and_no_widget(kernel: Kernel) -> None:
    content, shown = kernel.run("%lango route who lists the files here?")
    assert content["status"] == "ok"
    assert [message["msg_type"] for message in shown] == ["execute_result"]
    data = shown[0]["content"]["data"]
    assert set(data) == {"text/plain", "text/html"}
    assert all("operator" in text for text in data.values())


def test_a_quick_turn_shows_nothing_but_its_result(kernel: Kernel) -> None:
    for _ in range(3):
        _, shown = kernel.run("%lango ask list the files")
        assert [message["msg_type"] for message in shown] == ["execute_result"]


def test_after_quiet_a_turn_shows_nothing_and_still_asks(kernel: Kernel) -> None:
    (kernel.folder / "quiet.txt").write_text("old")
    kernel.text("%lango quiet")
    try:
        assert kernel.run("%lango ask hello")[1] == []
        assert "turn" in kernel.text("x = %lango ask hello\nx")
        assert "quiet.txt" in kernel.text("%lango ask delete quiet.txt", answer="y"), "the question is seen"
        assert not (kernel.folder / "quiet.txt").exists()
    finally:
        kernel.text("%lango quiet off")
    assert "success" in kernel.text("%lango ask hello")


def test_an_error_is_one_line_and_still_an_error_output(kernel: Kernel) -> None:
    content, shown = kernel.run("%lango use octt")
    assert (content["status"], content["ename"]) == ("error", "UnknownNameError")
    assert [message["msg_type"] for message in shown] == ["error"]
    assert shown[0]["content"]["traceback"] == ["UnknownNameError: topology 'octt' not found; did you mean 'octet'?"]


def test_stop_cancels_the_turn_and_keeps_its_trace(kernel: Kernel) -> None:
    kernel.run(SLOW)
    stopped: list[dict[str, Any]] = []

    def stop(message: dict[str, Any]) -> None:
        if "WORKING" in _text_of(message) and not stopped:
            stopped.append(message)
            kernel.manager.interrupt_kernel()

    content, shown = kernel.run("%lango ask something long", on_output=stop)
    assert (content["status"], content["ename"]) == ("error", "KeyboardInterrupt")
    assert shown[-1]["content"]["traceback"] == [
        "KeyboardInterrupt: the turn was stopped; what happened until then is in %lango trace"
    ]
    assert "cancelled" in kernel.text("%lango turns")
    assert "success" in kernel.text("%lango model offline;\n%lango ask hello")


@pytest.mark.parametrize(("typed", "is_there"), [("n", True), ("y", False)])
def test_a_dangerous_call_is_put_to_the_person_at_the_cell(kernel: Kernel, typed: str, is_there: bool) -> None:
    target = kernel.folder / "old.txt"
    target.write_text("x", encoding="utf-8")
    _, shown = kernel.run("%lango ask delete old.txt", answer=typed)
    prompts = [message["content"]["prompt"] for message in shown if message["msg_type"] == "input_request"]
    assert len(prompts) == 1
    assert "fs_delete" in prompts[0]
    assert 'path = "old.txt"' in prompts[0]
    assert target.exists() is is_there


def test_a_notebook_that_runs_without_a_person_gets_a_no(kernel: Kernel) -> None:
    target = kernel.folder / "old.txt"
    target.write_text("x", encoding="utf-8")
    content, _ = kernel.run("%lango ask delete old.txt", is_asked=False)
    assert content["status"] == "ok"
    assert target.exists()
    assert "nobody is there" in kernel.text("%lango events") + kernel.text("%lango trace")


def test_what_a_tool_prints_lands_in_the_cell_that_asked(kernel: Kernel) -> None:
    kernel.run(
        "%%lango tool\n"
        "@tool(safety='safe')\n"
        "def fs_shout(text: str) -> str:\n"
        "    'Shout a text out loud.'\n"
        "    print('HEARD', text)\n"
        "    return text\n"
    )
    code = (
        "from lango_nb.core.messages import Reply, ToolCall\n"
        "from lango_nb import Lab, ScriptedModel\n"
        "call = ToolCall(id='1', name='fs_shout', arguments={'text': 'hey'})\n"
        "replies = [Reply(tool_calls=(call,)), Reply(text='done')]\n"
        "%lango use solo;\n"
        "%config LangoMagics.stream = False\n"
        "get_ipython().magics_manager.registry['LangoMagics'].lab.model = ScriptedModel(replies)\n"
        "%lango ask shout hey\n"
    )
    assert "HEARD hey" in kernel.text(code)


def test_a_slow_turn_shows_one_display_that_changes_and_ends_empty(kernel: Kernel) -> None:
    kernel.run(
        "%config LangoMagics.stream = True\nfrom lango_nb.commands.notebook import progress; progress.QUIET_S = 0.0"
    )
    _, shown = kernel.run("%lango ask list the files")
    kernel.run("progress.QUIET_S = 0.5")
    kinds = [message["msg_type"] for message in shown]
    assert kinds[0] == "display_data"
    assert kinds[-1] == "execute_result"
    assert set(kinds[1:-1]) == {"update_display_data"}
    assert len({message["content"]["transient"]["display_id"] for message in shown[:-1]}) == 1
    assert "operator" in _text_of(shown[0]) + _text_of(shown[1])
    assert shown[-2]["content"]["data"] == {"text/plain": "", "text/html": ""}


@pytest.mark.parametrize(
    ("code", "start", "expected"),
    [
        ("%lango par", 7, ["partition"]),
        ("x = 1\ny = %lango use oct", 21, ["octet"]),
        ("%lango prompt --text li", 21, ["librarian"]),
        ("%%lango ask --ap", 12, ["--approve"]),
    ],
)
def test_completion_over_the_wire(kernel: Kernel, code: str, start: int, expected: list[str]) -> None:
    reply = kernel.client.complete(code, len(code), reply=True, timeout=30)["content"]
    assert (reply["cursor_start"], reply["cursor_end"]) == (start, len(code))
    assert reply["matches"] == expected
