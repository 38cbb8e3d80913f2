"""A model that is told the reading, over a real engine, real tools and a real folder."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from lango_nb.config.settings import Settings
from lango_nb.core.messages import Message, Reply, ToolSchema
from lango_nb.engine import Engine
from lango_nb.models.offline.answered import after
from lango_nb.models.offline.carry_out import next_reply
from lango_nb.models.offline.conversation import Conversation
from lango_nb.models.offline.plan import Answer, Context, Reading, Step
from lango_nb.models.offline.understanding import settled
from lango_nb.tools.builtin import builtin_tools
from lango_nb.tools.tool import Tool

FILES = {
    "notes.md": "# Notes\n- milk\n- bread\n- call the Café\n",
    "todo.txt": "buy milk\nwalk the dog\nbuy milk\n",
    "prices.csv": "item;price;shop\nmilk;1,20 €;north\nolive oil;8,50 €;south\nbread;2,30 €;north\n",
    "config.json": '{\n  "port": 8080,\n  "debug": false,\n  "server": {"host": "local", "tags": ["a", "b"]}\n}\n',
    "main.py": 'import sys\n\n\ndef greet(name):\n    return f"hi {name}"\n\n\nclass Shop:\n    def open(self): ...\n',
    "server.log": "INFO start\nERROR disk full\nINFO retry\nERROR disk gone\n",
    "empty.txt": "",
    "no end.txt": "one\ntwo",
    "letters/letter4.txt": "Dear Ann\n",
    "letters/letter5.txt": "Dear Bob\nSee you\n",
}


class Told:
    """A model that carries out the readings it was given, one a turn."""

    name = "told"

    def __init__(self) -> None:
        self.reading = Reading(())
        self.context = Context()
        self.answer: Answer | None = None
        self.replies: list[Reply] = []

    async def complete(self, messages: Sequence[Message], tools: Sequence[ToolSchema]) -> Reply:
        reply, answer = next_reply(Conversation.read(messages), self.reading, self.context, tools)
        self.replies.append(reply)
        if answer is not None:
            self.answer = answer
        return reply


class Bench:
    """Carries out plans in a folder."""

    def __init__(
        self, folder: Path, *, approver: str = "allow", tools: Sequence[Tool] = (), builtin: bool = True
    ) -> None:
        self.folder = folder
        self.model = Told()
        settings = Settings.model_validate({"agentMemory": {"enabled": True}})
        own = builtin_tools() if builtin else ()
        self.engine = Engine(
            topology="solo",
            tools=(*own, *tools),
            workspace=folder,
            approver=approver,
            model=self.model,
            settings=settings,
        )

    def read(self, reading: Reading, text: str = "go on") -> Answer:
        """Carry a reading out in a turn of its own; what is known before it is read from the answers so far."""
        reading = settled(reading, reading.steps[0].text if reading.steps else "", self.model.context)
        self.model.reading, self.model.answer, self.model.replies = reading, None, []
        turn = self.engine.run_sync(text).turn
        answer = self.model.answer
        assert answer is not None, turn
        self.model.context = after(self.model.context, reading, answer.text)
        return answer

    def do(
        self,
        act: str,
        destination: str = "",
        confidence: float = 1.0,
        language: str = "en",
        **words: str | tuple[str, ...],
    ) -> Answer:
        """Carry one step out."""
        return self.read(Reading((step(act, destination, **words),), confidence, language))

    @property
    def calls(self) -> list[str]:
        """Tools that were called in the last turn."""
        return [call.name for reply in self.model.replies for call in reply.tool_calls]

    def held(self) -> dict[str, str]:
        """Return the texts of all files."""
        found = (path for path in self.folder.rglob("*") if path.is_file())
        return {path.relative_to(self.folder).as_posix(): path.read_text() for path in found}

    def text(self, name: str) -> str:
        """Return the text of a file."""
        return (self.folder / name).read_text()


def step(act: str, destination: str = "", /, **words: str | tuple[str, ...]) -> Step:
    """Make a step of words; ``from_`` is the role ``from``."""
    given = {role.rstrip("_"): (word,) if isinstance(word, str) else word for role, word in words.items()}
    return Step(act, given, destination)
