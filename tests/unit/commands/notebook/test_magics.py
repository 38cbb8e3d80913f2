"""%lango in a real shell: every command, what it shows, what it refuses, and what it leaves alone."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd
import pytest
from IPython.core.completer import provisionalcompleter

from lango_nb.commands.reference import TOPICS
from lango_nb.commands.table import MAGICS
from lango_nb.core.errors import LangoError, RefusedError, UnknownNameError, UsageError
from lango_nb.lab import Lab
from lango_nb.records.tasks import Task
from lango_nb.specs.topologies import topology_names
from lango_nb.viz.view import View

if TYPE_CHECKING:
    from tests.unit.commands.notebook.conftest import Session

LOOKING = [
    "status",
    "tree",
    "agents",
    "tools",
    "tools fs_read",
    "partition",
    "diff quartet",
    "prompt",
    "prompt operator",
    "route list the files",
    "use",
    "use quartet",
    "model",
    "model offline",
    "config",
    "config agent",
    "new",
    "turns",
    "why",
    "trace",
    "events",
    "why 1",
    "trace -1",
    "events turn-1",
    "runs",
    "tasks",
    "memory",
    "memory vault",
    "sessions",
    "turns --outcome success",
    "turns --session main --limit 1",
    "search hello",
    "search --agent lango-orchestrator hello",
    "runs --agent operator",
    "doctor",
    "doctor --hours 1",
    "graph",
    "graph main",
    "hooks",
    "approvals",
]
VARIES = re.compile(r"object at 0x|/tmp/|\d\d:\d\d:\d\d")


def test_without_an_argument_it_shows_what_there_is_and_what_can_be_done(session: Session) -> None:
    shown = session.shown(session.run("%lango"))
    for kind in ("text/plain", "text/html"):
        assert "octet" in shown[kind]
        for command in MAGICS:
            assert re.search(rf"\b{command}\b", shown[kind])
    assert len(shown["text/plain"].splitlines()) <= 40, "one screen"
    assert set(session.run("%lango").df["help"]) == {command.help for command in MAGICS.values()}


@pytest.mark.parametrize("line", LOOKING)
def test_every_command_returns_something_that_shows_itself_as_text_and_html(session: Session, line: str) -> None:
    session.run("%lango ask --approve deny hello")
    value = session.run(f"x = %lango {line}\nx")
    assert session.names["x"] is value
    assert isinstance(value, View)
    shown = session.shown(value)
    assert shown["text/plain"].strip()
    assert shown["text/html"].strip().startswith("<")
    if line not in {"use quartet", "new"}:  # these change what they show
        assert session.shown(session.run(f"%lango {line}")) == shown
    assert not VARIES.search(shown["text/plain"]), "default reprs hold no address, folder or time"


OTHERS = {
    "ask": "hello", "export": "turn-{n}.html", "open": "kept.jsonl", "note": "1 twice", "tag": "1 slow", "save": "mine",
    "label": "vault lock it", "forget": "notes/{n}", "help": "ask", "allow": "", "deny": "", "trust": "",
    "edit": "--tool exec_bg vault",
}  # fmt: skip
"""Lines of commands that do something; ``{n}`` counts."""


def test_a_question_mark_tells_all_commands_on_one_screen(session: Session) -> None:
    said = session.shell.object_inspect("%lango")["docstring"]
    for command in MAGICS:
        assert re.search(rf"\b{command}\b", said)
    assert len(said.splitlines()) <= 40


@pytest.mark.parametrize("name", MAGICS)
def test_help_is_the_same_asked_for_before_and_after_the_name(session: Session, name: str) -> None:
    told = session.run(f"%lango {name} --help")
    assert told == session.run(f"%lango help {name}" if name not in TOPICS else f"%lango {name} --help")
    for option in MAGICS[name].all_options:
        assert option.name in told
        assert option.help in told


@pytest.mark.parametrize("topic", TOPICS)
def test_a_topic_explains_everything_that_there_is(session: Session, topic: str) -> None:
    from lango_nb.commands.table import COMMANDS
    from lango_nb.config.keys import setting_infos
    from lango_nb.core.events import event_kinds
    from lango_nb.frames import COLUMNS
    from lango_nb.frames.evaluation import COLUMNS as OF_EVALUATIONS

    there = {
        "commands": set(COMMANDS),
        "settings": {one.key for one in setting_infos()},
        "events": set(event_kinds()),
        "columns": {f"{noun}_df" for noun in COLUMNS} | {f"evaluation_df {what}" for what in OF_EVALUATIONS},
    }[topic] - {"evaluation_df summary"}
    frame = session.run(f"%lango help --df {topic}")
    assert there <= set(frame.iloc[:, 0])
    assert (frame.iloc[:, -1].str.len() + frame.iloc[:, -2].str.len() > 0).all(), "each with a sentence"


def test_the_tree_is_edited_by_hand_undone_and_saved(session: Session) -> None:
    session.run("%lango use octet")
    session.run('%lango edit --description "Keeps secrets safe." --keywords encrypt,sign --name safe vault')
    agents = session.run("%lango agents --df").set_index("agent")
    assert (agents.loc["safe", "description"], agents.loc["safe", "keywords"]) == (
        "Keeps secrets safe.",
        "encrypt; sign",
    )
    session.run("%lango edit automator --tool exec_bg")
    assert session.run("%lango partition --df").set_index("tool").loc["exec_bg", "agent"] == "automator"
    session.run("%lango edit --undo")
    assert session.run("%lango partition --df").set_index("tool").loc["exec_bg", "agent"] == "operator"
    session.run("%lango edit --save mine")
    assert "Keeps secrets safe." in Path("mine", "agents", "safe", "AGENT.md").read_text(encoding="utf-8")


def test_a_turn_is_shown_as_it_stood_at_a_step_and_a_run_is_waited_for(session: Session) -> None:
    session.run("%lango use octet")
    session.run("%lango ask how many lines does notes.md have?")
    assert "Nobody is at work yet" in session.run("%lango trace --step 0").text
    assert "at work  operator arun-1" in session.run("%lango trace --step 3").text
    assert session.run("%lango run arun-1 --wait").record.status == "completed"


def test_tab_offers_plots_and_switches(session: Session) -> None:
    for line, expected in (("%lango plot c", {"confusion", "calibration", "cost"}), ("%lango quiet ", {"on", "off"})):
        found = session.shell.Completer.completions(line, len(line))
        with provisionalcompleter():
            assert {one.text for one in found} == expected


LIVE = {"dashboard", "panel"}
"""What can be clicked is no table."""


def test_every_command_but_the_panels_has_every_form() -> None:
    for name, command in MAGICS.items():
        assert ({"brief", "df", "json", "text"} <= set(command.formats)) is (name not in LIVE), name


@pytest.mark.parametrize(
    "name", [name for name, command in MAGICS.items() if name not in LIVE and command.cell != "only"]
)
def test_every_command_comes_as_one_line_and_as_a_frame(session: Session, name: str) -> None:
    session.run("%lango ask read notes.md\n%lango export kept.jsonl;\n%lango note 1 a;\n%lango note 1 b;")
    Path("mine.csv").write_text("text,agent\nhello,root\n", encoding="utf-8")
    looking = {"diff": "quartet", "route": "list the files", "run": "arun-1", "search": "notes", "eval": "mine.csv"}
    looking |= {"plot": "latency", "sql": "SELECT number FROM turns", "use": "quartet", "prompt": "vault", **OTHERS}
    looking["check"] = "1 + 1 == 2"
    if name == "genome":
        session.run("%lango genome init genes;")
    for number, form in enumerate(("--brief", "--df"), 1):
        if name in {"allow", "deny"}:
            Path(f"old{number}.txt").write_text("old", encoding="utf-8")
            session.run(f"%lango ask --approve hold delete old{number}.txt")
        argument = looking.get(name, "").replace("{n}", str(number))
        value = session.run(f"%lango {name} {form} {argument}")
        if form == "--df":
            assert isinstance(value, pd.DataFrame)
            assert len(value.columns) > 0
        else:
            assert isinstance(value, str)
            assert value.strip()
            assert "\n" not in value
            assert len(value) < 300


@pytest.mark.parametrize(
    "name",
    [
        name
        for name, command in MAGICS.items()
        if "df" in command.formats and command.cell != "only" and not command.acts and name not in {"help", "quiet"}
    ],
)
def test_what_is_tabular_comes_as_frame_json_and_text(session: Session, name: str) -> None:
    Path("notes.md").write_text("one\n", encoding="utf-8")
    session.run("%lango ask read notes.md")
    Path("mine.csv").write_text("text,agent\nhello,root\n", encoding="utf-8")
    arguments = {"diff": "quartet", "route": "list the files", "run": "arun-1", "search": "notes", "eval": "mine.csv"}
    arguments["plot"] = "latency"
    arguments["sql"] = "SELECT number, text FROM turns"
    arguments["check"] = "1 + 1 == 3"
    argument = arguments.get(name, "")
    if name == "genome":
        session.run("%lango genome init genes;")
    view = session.run(f"%lango {name} {argument}")
    frame = session.run(f"%lango {name} --df {argument}")
    assert isinstance(frame, pd.DataFrame)
    pd.testing.assert_frame_equal(frame, view.df)
    rows = json.loads(session.run(f"%lango {name} --json {argument}"))
    assert len(rows) == len(frame)
    assert session.run(f"%lango {name} --text {argument}") == view.text


@pytest.mark.parametrize("name", [name for name, command in MAGICS.items() if "mermaid" in command.formats])
def test_mermaid_is_text_that_shows_itself_without_quotes(session: Session, name: str) -> None:
    Path("mine.csv").write_text("text,agent\nhello,root\n", encoding="utf-8")
    session.run("%lango ask hello")
    argument = {"route": "list the files", "eval": "mine.csv"}.get(name, "")
    text = session.run(f"%lango {name} --mermaid {argument}")
    assert isinstance(text, str)
    assert session.shown(text)["text/plain"] == str(text)
    assert "\n" in text


class TestKeeping:
    def test_out_puts_the_result_into_a_variable_and_shows_nothing(self, session: Session) -> None:
        assert session.run("%lango partition --out p") is None
        assert session.names["p"].owner("fs_read") == "operator"
        assert session.run("%%lango ask --out answer\nhello") is None
        assert session.names["answer"].outcome == "success"

    def test_a_semicolon_shows_nothing(self, session: Session) -> None:
        assert session.run("%lango tree;") is None
        assert session.run("%lango partition --text ;") is None

    def test_a_loop_can_name_things(self, session: Session) -> None:
        session.run(
            "kept = []\n"
            "for name in ('solo', 'quartet'):\n"
            "    %lango use {name}\n"
            "    t = %lango tree\n"
            "    kept.append(t)"
        )
        assert [tree.topology.name for tree in session.names["kept"]] == ["solo", "quartet"]


class TestText:
    TEXTS = (
        "say \"hi\" and 'bye'",
        '{"path": "notes.md", "n": {n}}',
        "explain --flags and --out here",
        r"list C:\Users\me\new",
        "an emoji 🎉, 漢字?",
        "who owns this?",
        "really??",
        "it's 5 o'clock?",
        "unbalanced ( [ {",
        "SELECT 1;",
        "$HOME !ls %magic # comment?",
        "x = 3",
    )

    @pytest.mark.parametrize("text", TEXTS)
    def test_reaches_the_agents_byte_for_byte(self, session: Session, text: str) -> None:
        session.names["n"] = "filled"
        session.run(f"%lango ask --approve deny {text}")
        session.run(f"answer = %lango ask --approve deny {text}")
        session.run(f"%%lango ask --approve deny\n{text}")
        assert [turn.text for turn in session.lab.turns] == [text] * 3
        assert session.run(f"%lango route {text}").record.text == text

    def test_of_a_cell_keeps_its_lines_and_blanks(self, session: Session) -> None:
        body = "  first\n\n\tsecond \\\n  --third  "
        session.run(f"%%lango ask --approve deny\n{body}")
        assert session.lab.turns[0].text == body

    def test_is_filled_from_the_notebook_and_from_the_calling_function(self, session: Session) -> None:
        session.run("name = 'notes.md'\nbox = {'k': [1, 2]}")
        assert (
            session.run("%lango route read {name} {box['k']} {unknown}").record.text == "read notes.md [1, 2] {unknown}"
        )
        session.run("def f(name):\n    return get_ipython().run_line_magic('lango', 'route read {name}')")
        assert session.run("f('local.md')").record.text == "read local.md"
        assert session.run("%%lango route\nread {name}\nand {name}").record.text == "read notes.md\nand notes.md"

    def test_names_ipython_put_there_are_not_filled(self, session: Session) -> None:
        assert session.run("%lango route {open} {exit} {In} {print}").record.text == "{open} {exit} {In} {print}"

    def test_help_with_a_question_mark_still_works(self, session: Session, capsys: pytest.CaptureFixture[str]) -> None:
        session.run("%lango?")
        assert "Look at agents, tools and routes" in capsys.readouterr().out

    def test_a_megabyte_is_refused_in_one_line_and_nothing_runs(self, session: Session) -> None:
        error = session.error("%lango ask " + "x" * 1_000_000)
        assert isinstance(error, LangoError)
        assert len(str(error)) < 300
        assert len(session.lab.turns) == 0


class TestHelp:
    @pytest.mark.parametrize("name", MAGICS)
    def test_every_command_has_usage_options_and_an_example(self, session: Session, name: str) -> None:
        text = session.run(f"%lango {name} --help")
        explained = session.run(f"%lango help {name}")
        if name in TOPICS:  # what it is about is explained instead
            assert f"%lango {name} --help" in explained.text
        else:
            assert text == explained
        assert MAGICS[name].usage in text
        assert MAGICS[name].example in text
        assert all(option.name in text and option.help in text for option in MAGICS[name].all_options)
        shown = session.shown(text)
        assert shown["text/plain"] == str(text)
        assert shown["text/html"].startswith("<pre")

    def test_help_alone_lists_the_commands_even_when_no_lab_can_be_made(self, session: Session) -> None:
        Path("lango.json").write_text("{broken", encoding="utf-8")
        assert all(name in session.run("%lango help").text for name in MAGICS)
        assert isinstance(session.error("%lango status"), LangoError)
        Path("lango.json").unlink()
        assert session.run("%lango status")["topology"].startswith("octet")

    @pytest.mark.parametrize(
        ("topic", "heads", "row"),
        [
            ("columns turns_df session", ["frame", "column", "dtype", "unit", "what it says"], "session_id"),
            ("events approval.asked", ["kind", "fields", "when it happens"], "approval.asked"),
            ("settings SECURITY.masking.keys", ["key", "default", "what it does", "variable"], "security.masking.keys"),
            ("commands route", ["command", "where", "what it does", "for example"], "route"),
        ],
    )
    def test_a_topic_is_explained_and_narrowed_by_words(
        self, session: Session, topic: str, heads: list[str], row: str
    ) -> None:
        found = session.run(f"%lango help {topic}")
        assert [*found.df.columns] == heads
        assert row in found.df.iloc[0].tolist()
        assert len(found.df) < len(session.run(f"%lango help {topic.partition(' ')[0]}").df)

    def test_a_topic_that_is_none_and_words_that_are_nowhere_are_said_in_one_line(self, session: Session) -> None:
        assert str(session.error("%lango help colums")) == (
            "command 'colums' not found in %lango; did you mean 'columns'?"
        )
        assert "column 'zzz' not found; there is: agents_df, tools_df" in str(session.error("%lango help columns zzz"))
        assert str(session.error("%lango help ask me")) == (
            "help explains one command, 'ask'; narrow a topic by words: columns, commands, events, settings"
        )

    def test_examples_can_be_typed(self, session: Session) -> None:
        Path("notes.md").write_text("one\n", encoding="utf-8")
        session.run("folder = 'src'\n%lango ask read notes.md\n%lango genome init genes;")
        for command in MAGICS.values():
            session.run("%lango use octet;")
            if command.name == "open":  # before the first turn, and not in the home folder of whoever runs this
                assert command.example == "%lango open ~/.lango/records"
            elif command.name == "model":  # nobody pays for a test
                assert command.example == "%lango model openai:gpt-5"
            elif command.word is None or command.word.kind != "approval":  # these need an open question
                session.run(command.example)


@pytest.mark.parametrize(
    ("cell", "message"),
    [
        ("%lango tre", "UnknownNameError: command 'tre' not found in %lango; did you mean 'tree'?"),
        (
            "%lango tree --mermaidd",
            "UsageError: option '--mermaidd' not found in %lango tree; did you mean '--mermaid'?",
        ),
        ("%lango use octt", "UnknownNameError: topology 'octt' not found; did you mean 'octet'?"),
        ("%lango diff octt", "UnknownNameError: topology 'octt' not found; did you mean 'octet'?"),
        ("%lango prompt libarian", "UnknownNameError: agent 'libarian' not found in octet; did you mean 'librarian'?"),
        ("%lango trace", "UsageError: there is no turn yet"),
        ("%lango help aks", "UnknownNameError: command 'aks' not found in %lango; did you mean 'ask'?"),
        ("%lango config agnt.model", "UnknownNameError: setting 'agnt.model' not found; did you mean 'agent.model'?"),
        ("%lango model gpt", "SettingsError: model 'gpt' is not known"),
        ("%lango ask", "UsageError: nothing to ask"),
        ("%%lango ask\n \n", "UsageError: the cell is empty"),
        ("%%lango tree\nx", "UsageError: tree reads no cell"),
        ("%lango tool", "UsageError: tool reads a cell"),
        ("%lango tree --text --text", "UsageError: --text is given twice"),
    ],
)
def test_a_mistake_shows_one_line_and_changes_nothing(
    session: Session, capsys: pytest.CaptureFixture[str], cell: str, message: str
) -> None:
    before = session.run("%lango status --out s\ns").text
    capsys.readouterr()
    error = session.error(cell)
    assert isinstance(error, LangoError)
    out, err = capsys.readouterr()
    lines = (out + err).strip().splitlines()
    assert len(lines) == 1
    assert lines[0].startswith(message)
    assert session.run("%lango status").text == before


@pytest.mark.parametrize("word", ["9" * 400, "-" + "9" * 400, "./" + "x" * 400, "\ud83d", "1e999"])
def test_no_word_of_any_command_ends_in_a_traceback(session: Session, word: str) -> None:
    """A number of 400 digits is no name of a file, and half a character is none either."""
    session.run("%lango ask hello")
    told: list[str] = []
    for command in MAGICS.values():
        text = f" {word}" if command.has_text else ""
        valued = [option for option in command.all_options if option.metavar and not option.choices]
        lines = [f"{command.name} {option.name} {word}{text}" for option in valued]
        lines += [f"{command.name} {word}{text}"] if command.word or command.has_text else []
        for line in lines:
            try:
                session.shell.run_line_magic("lango", line)
            except LangoError as error:
                told.append("\n".join(error._render_traceback_()))
    assert told, "no command refused it"
    assert [text for text in told if "Traceback" in text] == []
    assert all(text.encode() for text in told), "what is told can be written"


@pytest.mark.parametrize("command", [command.name for command in MAGICS.values() if command.cell != "no"])
def test_half_a_character_in_a_cell_ends_in_no_traceback(session: Session, command: str) -> None:
    try:
        told = session.shell.run_cell_magic("lango", command, "x = 1\ny = '\ud83d'\n").text
    except LangoError as error:
        told = "\n".join(error._render_traceback_())
    assert told.encode()
    assert "Traceback" not in told


def test_half_a_character_in_a_tool_is_told_with_its_line(session: Session) -> None:
    with pytest.raises(LangoError, match="line 2 of the cell holds half a character"):
        session.shell.run_cell_magic("lango", "tool", "x = 1\ny = '\ud83d'\n")


def test_a_variable_that_holds_no_requests_is_told(session: Session) -> None:
    session.run("%lango route --out guess list the files")
    assert "labelled requests are a DataFrame" in str(session.error("%lango eval guess"))


def test_an_unknown_turn_names_those_there_are(session: Session) -> None:
    session.run("%lango ask hello")
    for line in ("trace 7", "why 7", "events turn-9", "trace 0"):
        assert isinstance(session.error(f"%lango {line}"), UnknownNameError)
    assert "there is: 1" in str(session.error("%lango trace 7"))


class TestTeammates:
    @pytest.fixture(autouse=True)
    def turn(self, session: Session) -> None:
        Path("notes.md").write_text("one\ntwo\n", encoding="utf-8")
        session.run("%lango ask how many lines does notes.md have?")

    def test_runs_lists_them_and_run_shows_one(self, session: Session) -> None:
        runs = session.run("%lango runs")
        assert [run.id for run in runs] == ["arun-1"]
        assert "notes.md has 2 lines." in session.shown(runs)["text/plain"]
        run = session.run("%lango run arun-1")
        assert (run.requested_agent, run.status) == ("operator", "completed")
        for kind, said in session.shown(run).items():
            assert "fs_read" in said, kind
        assert session.run("%lango run arun-1 --df")["kind"].iloc[0] == "run.started"

    def test_a_run_that_is_not_there_and_a_missing_id_are_one_line(self, session: Session) -> None:
        error = session.error("%lango run arun-7")
        assert isinstance(error, UnknownNameError)
        assert str(error) == "run 'arun-7' not found; did you mean 'arun-1'?"
        assert str(session.error("%lango run")) == "run needs ID, as in '%lango run arun-1'"

    def test_tab_offers_the_ids_there_are_the_latest_first(self, session: Session) -> None:
        session.run("%lango ask how many lines does notes.md have?")
        assert session.shell.complete(None, "%lango run ", 11)[1] == ["arun-2", "arun-1"]
        assert session.shell.complete(None, "%lango memory va", 16)[1] == ["vault"]

    def test_tasks_and_memories_are_what_the_engine_keeps(self, session: Session) -> None:
        engine = session.lab.engine
        now = engine.clock.now()
        engine.tasks.add(Task(id="task-1", title="Tidy up", created_at=now, updated_at=now))
        engine.memories.save("vault", "tone", "The user likes short answers.")
        engine.memories.save("planner", "goal", "A tidy folder.")
        assert session.run("%lango tasks --df")["title"].tolist() == ["Tidy up"]
        assert session.run("%lango memory --df")["key"].tolist() == ["tone", "goal"]
        assert session.run("%lango memory vault --df")["key"].tolist() == ["tone"]
        assert isinstance(session.error("%lango memory valt"), UnknownNameError)

    def test_the_result_says_how_many_runs_there_were(self, session: Session) -> None:
        text = session.shown(session.run("%lango ask how many lines does notes.md have?"))["text/plain"]
        assert "lango-orchestrator → operator → lango-orchestrator" in text
        assert " · 1 run · " in text


class TestUse:
    def test_without_a_name_lists_the_topologies_and_says_which_is_in_use(self, session: Session) -> None:
        frame = session.run("%lango use").df
        assert set(frame["topology"]) == set(topology_names())
        assert list(frame[frame["in use"] == "yes"]["topology"]) == ["octet"]

    def test_a_name_changes_the_topology_and_keeps_the_turns(self, session: Session) -> None:
        session.run("%lango ask hello")
        diff = session.run("%lango use quartet")
        assert (diff.first, diff.second) == ("octet", "quartet")
        assert session.lab.topology == "quartet"
        assert len(session.lab.turns) == 1

    def test_a_variable_with_a_lab_becomes_the_lab(self, session: Session) -> None:
        session.names["mine"] = mine = Lab("solo", tools=["fs_read"])
        assert session.run("%lango use mine")["topology"].startswith("solo")
        assert session.lab is mine
        assert session.run("%lango tools").record[0].name == "fs_read"

    def test_diff_takes_a_topology_a_lab_a_tree_and_a_kept_result(self, session: Session) -> None:
        session.names["mine"] = Lab("quartet")
        session.names["bare"] = session.names["mine"].engine.tree
        session.run("%lango use quartet\nkept = %lango tree\n%lango use sextet")
        text = session.run("%lango diff quartet").text
        assert {session.run(f"%lango diff {name}").text for name in ("mine", "bare", "kept")} == {text}


class TestAgentCell:
    CELL = "---\nname: pharmacist\nprefixes: [pill_]\n---\nYou know medicine.\n"

    def test_adds_the_agent_and_shows_what_changes(self, session: Session) -> None:
        session.run("%%lango tool\ndef pill_count(text: str) -> int:\n    'Count pills.'\n    return len(text)")
        diff = session.run(f"%%lango agent pharmacist\n{self.CELL}")
        assert diff.appeared == ("pharmacist",)
        assert [(change.tool, change.after) for change in diff.tools] == [("pill_count", "pharmacist")]
        assert "pharmacist" in session.lab.tree.names

    def test_again_replaces_it(self, session: Session) -> None:
        session.run(f"%%lango agent\n{self.CELL}")
        session.run(f"%%lango agent\n{self.CELL.replace('medicine', 'medicine and teas')}")
        assert "medicine and teas" in session.lab.engine.registry.get("pharmacist").instruction

    def test_the_line_may_give_the_name_the_front_matter_leaves_out(self, session: Session) -> None:
        session.run("%%lango agent tailor\n---\nprefixes: [sew_]\n---\nYou sew: {name} stays.")
        assert session.lab.engine.registry.get("tailor").instruction == "You sew: {name} stays."

    @pytest.mark.parametrize(
        ("cell", "message"),
        [
            (
                "%%lango agent tailor\n---\nname: pharmacist\n---\nx",
                "the line says 'tailor', the cell says 'pharmacist'",
            ),
            ("%%lango agent\nYou sew.", "<cell>"),
            ("%%lango agent\n---\nname: [x\n---\nx", "<cell>"),
            ("%%lango agent\n---\nname: tailor\nprefixes: 3\n---\nx", "<cell>:4"),
            ("%%lango agent\n---\nname: vault\n---\nx", "vault"),
            ("%%lango agent 9x\n---\nprefixes: [a_]\n---\nx", "name"),
        ],
    )
    def test_a_wrong_definition_is_one_line_and_changes_nothing(
        self, session: Session, cell: str, message: str
    ) -> None:
        before = session.lab.tree.names
        error = session.error(cell)
        assert isinstance(error, LangoError)
        assert message in str(error)
        assert "\n" not in str(error)
        assert session.lab.tree.names == before


class TestToolCell:
    def test_typed_functions_become_tools_and_land_somewhere(self, session: Session) -> None:
        view = session.run(
            "%%lango tool\n"
            "PREFIX = 'n'\n"
            "def fs_words(text: str) -> int:\n    '''Count words.'''\n    return _split(text)\n"
            "def _split(text):\n    return len(text.split())\n"
            "@tool(safety='safe')\n"
            "async def browser_title(url: str) -> str:\n    '''Read a title.'''\n    return PREFIX + url\n"
        )
        assert [(item.tool, item.agent) for item in view] == [("fs_words", "operator"), ("browser_title", "navigator")]
        assert list(view.df["tool"]) == ["fs_words", "browser_title"]
        assert {"fs_words", "operator"} <= set(session.shown(view)["text/plain"].split())
        catalog = session.lab.engine.catalog
        assert (catalog.get("fs_words").safety, catalog.get("browser_title").safety) == ("dangerous", "safe")
        assert session.run("fs_words('a b c'), PREFIX") == (3, "n")
        assert "tool" not in session.names

    def test_a_helpers_later_change_is_seen(self, session: Session) -> None:
        session.run("%%lango tool\ndef fs_x(n: int) -> int:\n    return factor * n")
        session.run("factor = 5")
        assert session.run("fs_x(2)") == 10

    def test_again_replaces_it(self, session: Session) -> None:
        for sentence in ("First.", "Second."):
            session.run(f"%%lango tool\ndef fs_x(n: int) -> int:\n    '{sentence}'\n    return n")
        assert session.lab.engine.catalog.get("fs_x").description == "Second."

    def test_a_tool_imported_or_made_by_a_call_counts_too(self, session: Session) -> None:
        session.run(
            "%%lango tool\n"
            "from lango_nb import tool\n"
            "def _f(n: int) -> int:\n    return n\n"
            "made = tool(_f, name='fs_made')"
        )
        assert "fs_made" in session.lab.engine.catalog.names
        assert callable(session.names["tool"])

    def test_a_variable_called_tool_is_left_alone(self, session: Session) -> None:
        session.run("tool = 'hammer'")
        session.run("%%lango tool\n@tool\ndef fs_x(n: int) -> int:\n    return n")
        assert session.names["tool"] == "hammer"

    @pytest.mark.parametrize(
        ("body", "message"),
        [
            ("x = 1", "the cell defines no public function"),
            ("def _hidden(n: int): ...", "the cell defines no public function"),
            ("import os\n\ndef f(:\n    pass", "<cell>:4: "),
            ("def fs_x(n):\n    return n", "fs_x"),
            ("def fs_read(path: str) -> str:\n    return path", "fs_read"),
            ("a = 'null\0'", "null"),
        ],
    )
    def test_what_cannot_be_a_tool_is_one_line_and_changes_nothing(
        self, session: Session, body: str, message: str
    ) -> None:
        before = tuple(session.lab.engine.catalog.names)
        error = session.error(f"%%lango tool\n{body}")
        assert isinstance(error, LangoError)
        assert message in str(error)
        assert "\n" not in str(error)
        assert tuple(session.lab.engine.catalog.names) == before

    def test_what_the_code_itself_raises_is_shown_as_python_shows_it(
        self, session: Session, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert isinstance(session.error("%%lango tool\n\n1 / 0"), ZeroDivisionError)
        assert re.search(r"----> 3 1 ?/ ?0", capsys.readouterr().out)

    def test_postponed_annotations_are_the_cells_own_business(self, session: Session) -> None:
        session.run("%%lango tool\ndef fs_x(n: int) -> int:\n    return n")
        assert session.run("fs_x.__annotations__['n']") is int


class TestApproval:
    @pytest.fixture
    def target(self) -> Path:
        path = Path("old.txt")
        path.write_text("x", encoding="utf-8")
        return path

    def test_deny_and_allow_answer_for_one_turn(self, session: Session, target: Path) -> None:
        session.run("%lango ask --approve deny delete old.txt")
        assert target.exists()
        session.run("%lango ask --approve allow delete old.txt")
        assert not target.exists()

    def test_nobody_there_means_no(self, session: Session, target: Path) -> None:
        session.run("%lango ask delete old.txt")
        assert target.exists()
        assert "nobody is there" in session.run("%lango events").text + session.run("%lango trace").text

    def test_somebody_there_is_asked_with_the_exact_arguments(
        self, session: Session, target: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        asked: list[str] = []

        def person(prompt: str = "") -> str:
            asked.append(prompt)
            return "y"

        monkeypatch.setattr("builtins.input", person)
        session.run("%lango ask delete old.txt")
        assert len(asked) == 1
        assert "fs_delete" in asked[0]
        assert '"old.txt"' in asked[0]
        assert not target.exists()
        assert not issubclass(RefusedError, UsageError)


class TestConfig:
    def test_shows_what_the_lab_uses(self, session: Session, capsys: pytest.CaptureFixture[str]) -> None:
        session.run("%lango use quartet;")
        session.run("%config LangoMagics")
        shown = capsys.readouterr().out
        assert "Current: 'quartet'" in shown
        assert "Current: 'offline'" in shown
        assert session.run("%config LangoMagics.topology") == "quartet"

    def test_changes_the_live_lab_and_says_so(
        self, session: Session, capsys: pytest.CaptureFixture[str], tmp_path: Path
    ) -> None:
        lab = session.lab
        (tmp_path / "other").mkdir()
        session.run("%config LangoMagics.topology = 'quartet'")
        session.run("%config LangoMagics.approve = 'allow'")
        session.run("%config LangoMagics.workspace = 'other'")
        session.run("%config LangoMagics.model = 'offline'")
        assert capsys.readouterr().out == "topology: quartet\napprove: allow\nworkspace: other\n"
        assert session.lab is lab
        assert lab.topology == "quartet"
        assert lab.engine.workspace == (tmp_path / "other").resolve()
        (tmp_path / "other" / "old.txt").write_text("x", encoding="utf-8")
        session.run("%lango ask delete old.txt")
        assert not (tmp_path / "other" / "old.txt").exists()

    def test_before_the_lab_exists_it_decides_how_it_starts(self, session: Session) -> None:
        session.run("%config LangoMagics.topology = 'sextet'")
        assert session.lab.topology == "sextet"

    @pytest.mark.parametrize(
        ("line", "message"),
        [
            ("topology = 'octt'", "did you mean 'octet'?"),
            ("approve = 'maybe'", "approve"),
            ("workspace = 'nowhere'", "'nowhere' is not a folder"),
            ("topology = 5", "topology"),
        ],
    )
    @pytest.mark.parametrize("is_live", [True, False])
    def test_a_wrong_value_is_refused_and_forgotten(
        self, session: Session, caplog: pytest.LogCaptureFixture, line: str, message: str, is_live: bool
    ) -> None:
        if is_live:
            assert session.lab.topology == "octet"
        session.run(f"%config LangoMagics.{line}")
        assert message in caplog.text
        caplog.clear()
        session.run("%config LangoMagics.stream = False")  # traitlets would bring a bad value up again
        assert caplog.text == ""
        assert session.run("%lango status")["topology"].startswith("octet")

    def test_a_model_that_is_not_there_is_refused_by_the_live_lab(
        self, session: Session, caplog: pytest.LogCaptureFixture
    ) -> None:
        model = session.lab.model
        session.run("%config LangoMagics.model = 'gpt'")
        assert "model 'gpt' is not known" in caplog.text
        assert session.lab.model is model

    def test_a_model_that_is_not_there_is_told_when_the_lab_is_made_and_can_be_mended(self, session: Session) -> None:
        session.run("%config LangoMagics.model = 'gpt'")
        assert "model 'gpt' is not known" in str(session.error("%lango status"))
        session.run("%config LangoMagics.model = 'offline'")
        assert session.run("%lango status")["model"] == "offline"

    def test_an_empty_value_goes_back_to_the_settings(self, session: Session) -> None:
        session.run("%lango use quartet;\n%config LangoMagics.topology = ''")
        assert session.lab.topology == "octet"


def test_completion_of_the_shell_offers_ours_and_only_ours(session: Session) -> None:
    def offered(line: str) -> Any:
        return session.shell.complete(None, line, len(line))

    assert offered("%lango par") == ("par", ["partition"])
    assert offered("x = %lango tr")[1] == ["tree", "trace", "trust"]
    assert offered("%%lango to")[1] == ["tool"]
    assert offered("%lango use ")[1] == list(topology_names())
    assert offered("%lango prompt li")[1] == ["librarian"]
    assert "fs_read" in offered("%lango tools fs_")[1]
    assert offered("%lango trace --ti")[1] == ["--timing"]
    session.run("%lango ask hello\n%lango ask hello again")
    assert offered("%lango why ")[1] == ["2", "1"]
    assert offered("%lango config agent.mod")[1] == ["agent.model"]
    session.run("%%lango agent pharmacist\n---\nalways_include: true\n---\nx")
    assert offered("%lango prompt ph")[1] == ["pharmacist"]
    assert offered("%lsma")[1] == ["%lsmagic"]


def test_completion_stays_silent_when_no_lab_can_be_made(session: Session, capsys: pytest.CaptureFixture[str]) -> None:
    Path("lango.json").write_text("{broken", encoding="utf-8")
    assert session.shell.complete(None, "%lango prompt li", 16)[1] == []
    assert capsys.readouterr() == ("", "")
