"""Slips at a Lab: an attribute that it does not have is one line, and closing with an open question prints nothing."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from pathlib import Path

import pytest

from lango_nb import Lab
from lango_nb.core.errors import LangoError, NoAttributeError


@pytest.fixture(scope="module")
def lab() -> Lab:
    made = Lab("octet", approver="deny")
    made.ask("hello")
    return made


@pytest.mark.parametrize(
    ("slip", "line"),
    [
        ("lab.settings", "attribute 'settings' not found in a Lab; did you mean 'config'?"),
        ("lab.rout", "attribute 'rout' not found in a Lab; did you mean 'route'?"),
        ("lab.trace().to_html()", "attribute 'to_html' not found in a view of Trace; did you mean 'html'?"),
        (
            "lab.partition.to_csv('x')",
            "attribute 'to_csv' not found in a view of Partition; did you mean 'df.to_csv()'?",
        ),
        ("lab.ask('hello').anser", "attribute 'anser' not found in a view of Trace; did you mean 'answer'?"),
    ],
)
def test_an_attribute_that_is_not_there_is_one_line(lab: Lab, slip: str, line: str) -> None:
    with pytest.raises(NoAttributeError) as caught:
        eval(slip, {"lab": lab})
    assert str(caught.value) == line
    assert caught.value._render_traceback_() == [f"NoAttributeError: {line}"]
    assert isinstance(caught.value, (LangoError, AttributeError))


def test_python_still_asks_as_it_does_everywhere(lab: Lab) -> None:
    assert not hasattr(lab, "settings")
    assert getattr(lab.trace(), "to_html", None) is None
    assert not hasattr(lab, "_repr_html_")
    assert copy.copy(lab.route("x")).record == lab.route("x").record
    assert pickle.loads(pickle.dumps(lab.route("x").record)) == lab.route("x").record


def test_a_property_that_fails_says_why_itself(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Lab, "topology", property(lambda self: self.engine.nothing_of_the_kind))
    with pytest.raises(AttributeError) as caught:
        _ = lab.topology
    assert not isinstance(caught.value, NoAttributeError)


CLOSING = """
import asyncio, sys
from pathlib import Path
from lango_nb import Lab
from lango_nb.core.messages import Reply, ToolCall
from lango_nb.models.scripted import ScriptedModel

Path("old.txt").write_text("x")
how = sys.argv[1]
if how == "run":
    lab = Lab("octet", approver="hold", home=sys.argv[2] or None)
    assert "waiting for an answer" in lab.ask("delete old.txt").answer
    lab.close()
elif how == "left open":
    lab = Lab("octet", approver="hold", home=sys.argv[2] or None)
    assert "waiting for an answer" in lab.ask("delete old.txt").answer
else:
    call = ToolCall(id="call-1", name="fs_delete", arguments={"path": "old.txt"})
    model = ScriptedModel([Reply(tool_calls=(call,)), "Done."])
    lab = Lab("solo", approver="hold", model=model, home=sys.argv[2] or None)

    async def begin():
        turn = asyncio.ensure_future(lab.aask("delete old.txt"))
        while not lab.approvals.record:
            await asyncio.sleep(0.001)
        lab.close()
        await asyncio.wait([turn], timeout=10)

    asyncio.run(begin())
assert Path("old.txt").exists()
"""


@pytest.mark.parametrize(
    ("how", "home"), [("run", ""), ("run", "home"), ("left open", ""), ("left open", "home"), ("turn", "")]
)
def test_closing_with_an_open_question_is_quiet(tmp_path: Path, how: str, home: str) -> None:
    command = [sys.executable, "-c", CLOSING, how, home]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=120)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
