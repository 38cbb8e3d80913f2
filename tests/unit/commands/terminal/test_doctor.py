"""``lango doctor``: finds what is wrong, also where no engine can be built, and says so with its exit code."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lango_nb.commands.terminal.session import Terminal
from lango_nb.core.errors import StoreError
from lango_nb.engine import Engine
from lango_nb.stores.sql import memory_store
from tests.stores import change_sqlite
from tests.unit.doctor.cases import keep

Lango = Callable[..., Any]


def findings(lango: Lango, *words: str, code: int = 0) -> list[dict[str, Any]]:
    done = lango("doctor", "--output", "json", *words)
    assert (done.code, done.err) == (code, "")
    data = json.loads(done.out)
    assert data["is_healthy"] is all(found["status"] != "fail" for found in data["findings"])
    return list(data["findings"])


@pytest.fixture
def engine(here: Path, monkeypatch: pytest.MonkeyPatch) -> Engine:
    """An engine that the command examines in place of one of the settings."""
    engine = Engine(topology="octet", store=memory_store())

    class FakeLab:
        def __init__(self) -> None:
            self.engine = engine

    monkeypatch.setattr(Terminal, "lab", lambda *_, **__: FakeLab())
    return engine


def test_a_new_installation_is_healthy(lango: Lango) -> None:
    found = findings(lango)
    assert {item["check"] for item in found} >= {"multi-agent", "tree", "registry", "hooks", "store", "isolation"}
    assert [item for item in found if item["status"] in {"warn", "fail"}] == []
    done = lango("doctor")
    assert done.code == 0
    assert re.search(r"\n\n\d+ fine, \d skipped\.\n$", done.out)
    assert lango("doctor", "--strict").code == 0


def test_a_warning_counts_only_when_strict(lango: Lango, engine: Engine) -> None:
    keep(engine.store.log, "timeout", hours_ago=-24 * 365 * 50)  # never too old
    assert lango("doctor").code == 0
    assert lango("doctor", "--strict").code == 1


def test_a_finding_is_text_evidence_and_the_terminals_next_step(lango: Lango, engine: Engine) -> None:
    said = {"kind": "limit.reached", "author": "vault", "limit": "idle", "detail": "silence"}
    keep(engine.store.log, "timeout", hours_ago=-24 * 365 * 50, text="Hash it", events=(said,))
    shown = lango("doctor").out
    told = " ".join(shown.partition("warn  failed turns")[2].split())
    assert told.startswith(
        "turn 1 ended with timeout: vault reached a limit: idle: silence request: Hash it → lango trace show 1: "
    )
    assert "%lango trace" not in shown
    assert max(map(len, shown.splitlines())) <= 80
    (found,) = [item for item in findings(lango) if item["check"] == "failed turns"]
    assert (found["turn"], found["turn_number"], found["session"]) == ("turn-1", 1, "main")
    assert found["next_step"].startswith("lango trace show 1: ")


def test_a_leak_ends_with_1(lango: Lango, engine: Engine) -> None:
    raw = {"role": "assistant", "author": "vault", "content": "raw"}
    keep(engine.store.log, hours_ago=-24 * 365 * 50, messages=(raw,))
    assert lango("doctor").code == 1
    assert "FAIL  isolation" in lango("doctor").out


def test_wrong_definitions_are_all_named_and_the_rest_is_examined(lango: Lango, here: Path) -> None:
    for name, text in (("a", "---\nname: [\n---\n"), ("b", "no front matter"), ("c", "---\nname: tailor\n---\nSew.\n")):
        (here / "agents" / name).mkdir(parents=True)
        (here / "agents" / name / "AGENT.md").write_text(text, encoding="utf-8")
    found = findings(lango, "--settings", "agent.agentsDir=agents", code=1)
    wrong = [item["evidence"][0] for item in found if item["status"] == "fail"]
    assert [Path(file).parent.name for file in wrong] == ["a", "b"]
    assert "store" in {item["check"] for item in found}


def test_records_that_cannot_be_read_are_a_finding_and_the_rest_is_examined(
    lango: Lango, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = Terminal.lab

    def broken(terminal: Terminal, left_out: Any, **options: Any) -> Any:
        if left_out.get("store.url") != "memory":
            raise StoreError(
                "records/documents.jsonl was written by a newer lango_nb; upgrade lango_nb", "newer_schema"
            )
        return whole(terminal, left_out=left_out, **options)

    monkeypatch.setattr(Terminal, "lab", broken)
    found = findings(lango, "--settings", "store.url=somewhere", code=1)
    assert (found[0]["check"], found[0]["status"]) == ("store", "fail")
    assert "written by a newer lango_nb" in found[0]["text"]
    checks = {item["check"] for item in found}
    assert {"tree", "hooks"} <= checks
    assert checks.isdisjoint({"isolation", "failed turns"})  # nothing can be said about what was not read


def test_the_records_of_the_settings_are_examined(lango: Lango, here: Path) -> None:
    for place in ("records", "sqlite:///records.db"):
        kept = ("--settings", f"store.url={place}")
        assert lango("ask", "hello", *kept).code == 0
        (found,) = [item for item in findings(lango, *kept) if item["check"] == "store"]
        assert (found["status"], found["text"]) == ("ok", "sqlite store with 1 turn, all sound")
        assert json.loads(lango("trace", "list", "--output", "json", *kept).out)[0]["request"] == "hello"
    change_sqlite(here / "records", "UPDATE events SET text = 'hallo' WHERE text = 'hello'")
    bad = [item for item in findings(lango, "--settings", "store.url=records", code=1) if item["check"] == "store"]
    assert bad[0]["status"] == "fail"


def test_without_an_address_it_is_the_home_folder(lango: Lango) -> None:
    assert lango("ask", "hello").code == 0
    (found,) = [item for item in findings(lango) if item["check"] == "store"]
    assert found["text"] == "sqlite store with 1 turn, all sound"


def test_settings_that_cannot_be_read_are_a_finding(lango: Lango, here: Path) -> None:
    (here / "lango.json").write_text('{"agent": {"maxTurn": 3}}', encoding="utf-8")
    (found,) = findings(lango, code=1)
    assert (found["check"], found["status"]) == ("settings", "fail")
    assert "did you mean 'maxTurns'?" in found["text"]


def test_a_model_that_is_not_there_is_a_finding(lango: Lango) -> None:
    (found,) = findings(lango, "--model", "nobody:nothing", code=1)
    assert (found["check"], found["status"]) == ("engine", "fail")


def test_a_command_that_is_wrong_still_ends_with_2(lango: Lango) -> None:
    done = lango("doctor", "--settings", "agent.maxTurns")
    assert (done.code, done.out) == (2, "")
    assert lango("doctor", "--topology", "otcet").code in {1, 2}


def test_damaged_records_are_copied_into_a_new_file(lango: Lango, here: Path) -> None:
    kept = ("--settings", "store.url=records")
    for text in ("hello", "thanks"):
        assert lango("ask", text, *kept).code == 0
    change_sqlite(here / "records", "UPDATE tasks SET title = 'x'")
    change_sqlite(here / "records", "UPDATE turns SET answer = 'never said' WHERE number = 1")
    first, *_ = findings(lango, "--rescue", "copy.db", *kept, code=1)
    assert (first["check"], first["status"]) == ("rescue", "ok")
    assert ": 1 turns, " in first["text"]
    listed = json.loads(lango("trace", "list", "--output", "json", "--settings", "store.url=sqlite:///copy.db").out)
    assert [turn["request"] for turn in listed] == ["thanks"]
    first, *_ = findings(lango, "--rescue", "copy.db", *kept, code=1)
    assert "is there already" in first["text"]
