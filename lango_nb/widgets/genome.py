"""A genome: its agents and who may call whom, what it may learn, and its history with what each change changed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

import ipywidgets

from lango_nb.core.errors import LangoError
from lango_nb.specs.genome.genome import Genome
from lango_nb.specs.genome.history import Commit
from lango_nb.specs.genome.working_tree import Finding
from lango_nb.viz import document as doc
from lango_nb.viz import genome as pages
from lango_nb.viz import learning
from lango_nb.viz.as_html import as_html
from lango_nb.viz.escape import one_line
from lango_nb.widgets.as_live import as_live
from lango_nb.widgets.learning import LearningPanel, Proposals
from lango_nb.widgets.listing import ListPanel

_LATEST = 200
"""Changes that are listed."""
_BEFORE = "the change before it"
_LOOKING = "Looking …"
_HISTORY = doc.Heading("History", "history")
_LOOK = doc.Buttons("learn", (doc.Button("look", "Look for stumbles", "", "propose what may be learned of them"),))
_TAKE_BACK = (doc.Button("ask", "Roll back …", "", "take this change back, and leave the others"),)
_SURE = (
    doc.Button("roll back", "Roll it back", "bad", "make one more change that undoes this one"),
    doc.Button("leave", "Leave it", "", "change nothing"),
)


class GenomeInUse(Protocol):
    """A genome, and what can be done with it: ``lab.genome``."""

    @property
    def record(self) -> Genome:
        """The genome itself."""
        ...

    @property
    def strange(self) -> Sequence[Finding]:
        """What its agents name that is not here."""
        ...

    @property
    def proposals(self) -> Proposals:
        """What may be learned."""
        ...

    def learn(self) -> Any:
        """Look at what went wrong, and propose what may be learned of it."""
        ...

    def rollback(self, commit: str) -> Any:
        """Take one change back."""
        ...


class GenomePanel(ListPanel[Commit]):
    """The agents, cards of what may be learned, and the history in a list to filter; a click shows what changed.

    Parameters
    ----------
    genome : callable
        Returns the genome in use; raises :class:`LangoError` while there is none, which is then shown.
    """

    def __init__(self, genome: Callable[[], GenomeInUse]) -> None:
        super().__init__(
            self._commits, _line, self._changed, "changes", "There is no change yet.", self._offered_for, self._do
        )
        self._genome = genome
        self.learning = LearningPanel(lambda: self._genome().proposals)
        """The cards."""
        self.learning.after_act = self._decided
        self.since = ""
        """Short id of the change that the chosen one is compared with; empty for the one before it."""
        self.is_asking = False
        """Whether it is asked if the chosen change is to be taken back."""
        self.is_looking = False
        """Whether stumbles are looked at."""
        self._diff: tuple[tuple[str, str], doc.Document] = ("", ""), ()
        self._cards: doc.Document = ()
        self._head, self._looking, self._question = ipywidgets.HTML(), ipywidgets.HTML(), ipywidgets.HTML()
        self._title = ipywidgets.HTML(as_html((_HISTORY,)))
        self._look = as_live((_LOOK,), self.act)

    @property
    def state(self) -> dict[str, str]:
        """What was typed, chosen and compared."""
        try:
            return {**super().state, "since": self.since}
        except LangoError:  # what it says is all that is shown then
            return {}

    def _commits(self) -> tuple[Commit, ...]:
        return self._genome().record.history(_LATEST)

    # -- what is done --------------------------------------------------------------------------------------------------

    def do(self, key: str, value: str) -> None:
        """Filter, choose, compare, ask, roll back, or look for stumbles."""
        self.told = ""
        match key:
            case "since":
                self.since, self.is_asking = "" if value == _BEFORE else value.split(maxsplit=1)[0], False
            case "learn":
                self.look()
            case _:
                before = self.chosen
                super().do(key, value)
                if self.chosen != before:
                    self.since, self.is_asking = "", False

    def _do(self, commit: Commit, button: str) -> None:
        self.is_asking = button == "ask"
        if button == "roll back":
            self._genome().rollback(commit.id)
            self.chosen, self.since = self._commits()[0].short_id, ""
            self.told = f"{commit.short_id} is rolled back: this change undoes it, and can be rolled back itself."

    def look(self) -> None:
        """Look at what went wrong, beside the cells; nothing happens while it is looking."""
        with self._lock:
            if not self.is_looking:
                self.is_looking = True
                self.in_background(lambda: self._genome().learn(), self._has_looked)
                self.refresh()

    def _has_looked(self) -> None:
        self.is_looking = False

    def _decided(self) -> None:
        self.refresh()
        self.after_act()

    # -- what is shown -------------------------------------------------------------------------------------------------

    def document(self) -> doc.Document:
        """Write the agents, what may be learned, the history, and what the chosen change changed."""
        try:
            proposals = self._genome().proposals.record
            history = (_HISTORY, self._field(), self._list(), doc.GAP, *self._asked(self.selected), *self._found())
            return (*self._agents(), doc.GAP, *learning.document(proposals), doc.GAP, *history)
        except LangoError as error:
            return (doc.Note(str(error)),)

    def parts(self) -> list[ipywidgets.Widget]:
        """Keep the filter, the cards and the buttons; while no genome is in use say how to get one."""
        try:
            return self._made_parts()
        except LangoError as error:
            return [ipywidgets.HTML(as_html((doc.Note(str(error)),)))]

    def _made_parts(self) -> list[ipywidgets.Widget]:
        self._head.value = as_html(self._agents())
        cards = self.learning.document()
        if cards != self._cards:  # buttons that somebody may be about to press stay
            self._cards = cards
            self.learning.refresh()
        self._looking.value = as_html((doc.Note(_LOOKING if self.is_looking else ""),))
        query, listing, acts, page = super().parts()
        selected = self.selected
        compared = [self.filtered(self._compared(selected))] if selected is not None else []
        self._question.value = as_html(self._asked(selected))
        learned = [self.learning.widget, self._look, self._looking]
        return [self._head, *learned, self._title, query, listing, *compared, self._question, acts, page]

    def close(self) -> None:
        """Take the cards away, too."""
        self.learning.close()
        super().close()

    def _agents(self) -> doc.Document:
        view = self._genome()
        return (*pages.document(view.record, view.strange), doc.GAP, *pages.callers_document(view.record))

    def _changed(self, commit: Commit) -> doc.Document:
        """Say what a change changed, or what differs between two."""
        pair = self._pair(commit)
        if self._diff[0] != pair:
            genome = self._genome().record
            found = genome.show(commit.id) if not self.since else genome.diff(*pair)
            self._diff = pair, pages.diff_document(found)
        return self._diff[1]

    def _pair(self, commit: Commit) -> tuple[str, str]:
        """Return the earlier and the later of the two that are compared."""
        if not self.since:
            return commit.parent, commit.id
        order = [one.short_id for one in self._commits()]
        is_later = self.since in order and order.index(self.since) < order.index(commit.short_id)
        return (commit.id, self.since) if is_later else (self.since, commit.id)

    def _compared(self, commit: Commit) -> doc.Choice:
        lines = {one.short_id: _line(one) for one in self._commits() if one.id != commit.id}
        return doc.Choice("since", "against", (_BEFORE, *lines.values()), lines.get(self.since, _BEFORE))

    def _offered_for(self, _commit: Commit) -> tuple[doc.Button, ...]:
        return () if self.since else _SURE if self.is_asking else _TAKE_BACK

    def _asked(self, commit: Commit | None) -> doc.Document:
        if commit is None or not self.is_asking:
            return ()
        said = f"Roll back {commit.short_id}, {one_line(commit.subject, 80)}?"
        return (doc.Paragraph((doc.Strong(said), " One more change undoes it; those that came since stay.")),)


def _line(commit: Commit) -> str:
    return f"{commit.short_id}  {one_line(commit.subject, 120)}"
