"""The offline model: the same request gives the same effect on real files, in every topology that runs turns."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from lango_nb.engine import Engine
from lango_nb.models.offline.plan import show
from lango_nb.models.offline.reader import reader
from lango_nb.records.turns import Turn
from lango_nb.tools.builtin import builtin_tools
from lango_nb.tools.by_name import spec_families
from lango_nb.tools.decorator import tool

FILES: Mapping[str, str] = {
    "notes.md": "# Notes\nWritten by Ada.\nThe deadline is Friday.\n",
    "config.toml": "host = 'localhost'\nport = 8080\n",
    "old.txt": "old\n",
    "data/budget_2026.csv": "a,b\n",
}
TOPOLOGIES = ("solo", "quartet", "sextet")
Ask = Callable[..., Turn]


@pytest.fixture(params=TOPOLOGIES)
def ask(request: pytest.FixtureRequest, folder: Path) -> Ask:
    def run(text: str, approver: str = "allow") -> Turn:
        engine = Engine(
            topology=request.param,
            tools=(*builtin_tools(), *spec_families()),
            workspace=folder,
            approver=approver,
        )
        return engine.run_sync(text).turn

    return run


class TestTenRequests:
    def test_list(self, ask: Ask) -> None:
        turn = ask("list the files in this folder")
        assert turn.answer.splitlines() == [
            "4 entries:",
            "config.toml",
            "data/",
            "notes.md",
            "old.txt",
        ]

    def test_read(self, ask: Ask) -> None:
        assert ask("please read notes.md").answer == "notes.md:\n# Notes\nWritten by Ada.\nThe deadline is Friday."

    def test_count_lines(self, ask: Ask) -> None:
        assert ask("how many lines does notes.md have?").answer == "notes.md has 3 lines."

    def test_find_a_file_by_part_of_its_name(self, ask: Ask) -> None:
        assert ask("find the file with 'budget' in its name").answer == "data/budget_2026.csv"

    def test_write(self, ask: Ask, folder: Path) -> None:
        assert ask("write 'hello world' to hello.txt").is_ok
        assert (folder / "hello.txt").read_text() == "hello world\n"

    def test_edit_one_line(self, ask: Ask, folder: Path) -> None:
        assert ask("change line 2 of notes.md to 'Written by Bob.'").is_ok
        assert (folder / "notes.md").read_text() == "# Notes\nWritten by Bob.\nThe deadline is Friday.\n"

    def test_make_a_folder(self, ask: Ask, folder: Path) -> None:
        assert ask("make a folder called drafts").is_ok
        assert (folder / "drafts").is_dir()

    def test_delete_asks_and_a_yes_deletes(self, ask: Ask, folder: Path) -> None:
        assert ask("delete old.txt").is_ok
        assert not (folder / "old.txt").exists()

    def test_delete_asks_and_a_no_keeps(self, ask: Ask, folder: Path) -> None:
        turn = ask("delete old.txt", approver="deny")
        assert (turn.outcome, turn.error_code) == ("tool_error", "approval_denied")
        assert (folder / "old.txt").read_text() == "old\n"
        assert "was not run" in turn.answer

    def test_a_command_that_fails_is_told_with_its_exit_code(self, ask: Ask) -> None:
        turn = ask("run the command `exit 3`")
        assert turn.is_ok
        assert "exit code 3" in turn.answer

    def test_read_a_file_and_answer_from_it(self, ask: Ask) -> None:
        turn = ask("read config.toml and tell me which port it uses")
        assert turn.answer.splitlines()[-1] == "port in config.toml: 8080"


@pytest.mark.parametrize(
    ("text", "effect"),
    [
        ("append 'bye' to notes.md", "# Notes\nWritten by Ada.\nThe deadline is Friday.\nbye\n"),
        ("replace 'Friday' with 'Monday' in notes.md", "# Notes\nWritten by Ada.\nThe deadline is Monday.\n"),
        ("in notes.md, set line 1 to '# Title'", "# Title\nWritten by Ada.\nThe deadline is Friday.\n"),
    ],
)
def test_two_steps_chain(ask: Ask, folder: Path, text: str, effect: str) -> None:
    assert ask(text).is_ok
    assert (folder / "notes.md").read_text() == effect


@pytest.mark.parametrize("text", ["read ../secret", "delete /etc/passwd", "read ~/.ssh/id_rsa"])
def test_a_path_outside_the_workspace_is_refused_and_said(ask: Ask, text: str) -> None:
    turn = ask(text)
    assert (turn.outcome, turn.error_code) == ("tool_error", "outside_workspace")
    assert "I could not do that" in turn.answer


def test_a_name_that_is_nearly_right_is_read_and_told(ask: Ask) -> None:
    assert ask("read ntoes.md").answer.startswith("I took “ntoes.md” for notes.md.\nnotes.md:\n# Notes")


def test_a_missing_file_is_said_with_the_names_that_are_there(ask: Ask) -> None:
    turn = ask("read zebra.csv")
    assert turn.answer.startswith("There is no zebra.csv here. Which file do you mean: ")
    assert "notes.md" in turn.answer


@pytest.mark.parametrize(
    "text", ["hello", "thanks!", "how are you?", "tell me a joke", "what is the capital of France?"]
)
def test_conversation_is_answered_without_a_tool(ask: Ask, text: str) -> None:
    turn = ask(text)
    assert (turn.steps, turn.tool_calls, turn.rounds) == (1, 0, 0)
    assert turn.outcome in {"success", "input_required"}, "one agent with all tools may ask what is meant"


def test_a_tool_known_by_name_only_is_asked_for_and_said(folder: Path) -> None:
    engine = Engine(topology="sextet", tools=(*builtin_tools(), *spec_families()), workspace=folder)
    turn = engine.run_sync("encrypt the message 'hi'").turn
    assert turn.path == ("lango-orchestrator", "vault")
    assert turn.answer.startswith("crypto_encrypt would have done that (data = 'hi')")
    assert turn.error_code == "by_name_only"


def test_what_nobody_here_has_tools_for_is_said_and_given_to_nobody(folder: Path) -> None:
    engine = Engine(topology="sextet", tools=(*builtin_tools(), *spec_families()), workspace=folder)
    turn = engine.run_sync("search the web for the latest python version").turn
    assert turn.path == ("lango-orchestrator",)
    assert turn.answer.startswith("Nobody here can do this: it is about web, and no agent has tools for that.")


def test_a_wish_without_its_object_is_asked_back(ask: Ask) -> None:
    assert ask("delete the file").answer == "Which one do you mean: config.toml, notes.md or old.txt?"


@pytest.mark.parametrize(
    ("text", "plan"),
    [
        ("what files are in src?", "list src"),
        ("list the contents of src/app", "list src/app"),
        ("open `my notes.txt`", 'read "my notes.txt"'),
        ("count the lines in src/app.py", "read src/app.py → count lines"),
        ("find the file whose name contains report", "list names with report"),
        ("which file has budget in its name?", "list names with budget"),
        ("is there a file named todo somewhere?", "is there todo"),
        ('write "line one" into the file a/b.txt', 'write "line one" to a/b.txt'),
        ("create a file called todo.txt with the text buy milk", 'write "buy milk" to todo.txt'),
        ("please edit notes.md so that line 4 says 'done'", "in notes.md replace line 4 by done"),
        ("create a directory named a/b/c", "make folder a/b/c"),
        ("create the folder 'my stuff'", 'make folder "my stuff"'),
        ("remove the file tmp/cache.json", "delete tmp/cache.json"),
        ('execute "python --version"', 'run "python --version"'),
        ("run the command ls -la and tell me the exit code", 'run "ls -la"'),
        ("how big is notes.md?", "size of notes.md"),
        ("what does notes.md say?", "read notes.md"),
        (r"read C:\Users\me\notes.txt", r'read "C:\\Users\\me\\notes.txt"'),
        ("copy 'ü b.txt' to x/y.md, please", 'copy "ü b.txt" to x/y.md'),
        ("send 5 USDC to 0xabcdef12", "payment_send: amount 5, to 0xabcdef12"),
        ("delete app.py.orig", "delete app.py.orig"),
        ("delete notes.md.bak2", "delete notes.md.bak2"),
        ("delete a\0b.txt", r'delete "a\u0000b.txt"'),
    ],
)
def test_ways_to_say_it(text: str, plan: str) -> None:
    assert [show(step) for step in reader().read(text).steps] == [plan]


@pytest.mark.parametrize("text", ["write a poem", "tell me about file systems", "open https://example.com", "hello"])
def test_what_is_about_something_else_is_no_file_wish(text: str) -> None:
    assert all("file" not in step.arguments for step in reader().read(text).steps)


def test_a_command_is_taken_whole_and_as_written(ask: Ask) -> None:
    assert ask("run: echo 'a  b' | wc -c").answer == "5"


def test_arguments_are_filled_or_asked_for(folder: Path) -> None:
    paid: list[tuple[str, str]] = []

    @tool(safety="safe")
    def payment_send(to: str, amount: str, receipt_id: str) -> str:
        """Send money."""
        paid.append((to, amount))
        return f"sent with {receipt_id}"

    engine = Engine(topology="solo", tools=[payment_send], workspace=folder, approver="allow")
    turn = engine.run_sync("send 5 USDC to 0xabcdef12").turn
    assert (turn.outcome, paid) == ("input_required", [])
    assert "receipt id" in turn.answer
