"""A form for an agent's definition; errors are shown below the field they concern."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

import ipywidgets

from lango_nb.core.errors import DefinitionError
from lango_nb.specs.agent import AgentSpec
from lango_nb.viz import document as doc
from lango_nb.viz.as_html import as_html
from lango_nb.viz.colours import BAD
from lango_nb.widgets.as_live import Act, as_live


class _Field(NamedTuple):
    label: str
    hint: str
    rows: int = 1
    separator: str = ""
    """Separator between the items of a list; empty for a text."""


FIELDS: Mapping[str, _Field] = {
    "name": _Field("name", "a letter, then letters, digits, '_', '.' and '-'"),
    "description": _Field("description", "what it does, in a sentence or two", 2),
    "prefixes": _Field("prefixes", "beginnings of names of tools: exec_*, fs_*", separator=","),
    "keywords": _Field("keywords", "words of requests that are its own, with commas", separator=","),
    "example_requests": _Field("examples", "requests that are clearly its own, one per line", 3, "\n"),
}
"""The editable fields."""
_NAMED = re.compile(r"agent '[^']*': (\w+)(?:, item \d+)?: (.*)", re.DOTALL)


class AgentForm:
    """The fields of one agent, and the user's input.

    Parameters
    ----------
    act : callable
        Gets the name of a field and what is in it, whenever somebody types.
    """

    def __init__(self, act: Act) -> None:
        self.draft: dict[str, str] = {}
        """Input that is not applied yet, by field."""
        self._entries = {
            name: as_live((doc.Entry(name, one.label, hint=one.hint, rows=one.rows),), act)
            for name, one in FIELDS.items()
        }
        self._errors = {name: ipywidgets.HTML(layout=ipywidgets.Layout(margin="0 0 0 90px")) for name in FIELDS}
        rows = [widget for name in FIELDS for widget in (self._entries[name], self._errors[name])]
        self.widget = ipywidgets.VBox(rows)

    def type(self, name: str, text: str, spec: AgentSpec) -> None:
        """Store the input of a field; input equal to the definition is not a change."""
        if text == written(spec, name):
            self.draft.pop(name, None)
        else:
            self.draft[name] = text

    @property
    def changes(self) -> dict[str, str | tuple[str, ...]]:
        """The changed fields with their new values."""
        return {name: _read(name, text) for name, text in self.draft.items()}

    def show(self, spec: AgentSpec, error: DefinitionError | None) -> bool:
        """Show a definition, the input and the error; return ``False`` if the error concerns none of the fields."""
        named = _NAMED.fullmatch(str(error)) if error is not None else None
        wrong = {named[1]: named[2]} if named is not None and named[1] in FIELDS else {}
        for name in FIELDS:
            self._entries[name].children[0].value = self.draft.get(name, written(spec, name))
            said = doc.Paragraph((doc.Badge("wrong", BAD), f" {wrong.get(name, '')}"))
            self._errors[name].value = as_html((said,)) if name in wrong else ""
        return error is None or bool(wrong)

    def rows(self, spec: AgentSpec) -> doc.Document:
        """Return the fields as static text."""
        shown = ((one.label, self.draft.get(name, written(spec, name))) for name, one in FIELDS.items())
        return (doc.Fields(tuple(shown)),)


def written(spec: AgentSpec, name: str) -> str:
    """Format a field of a definition as the form does.

    Examples
    --------
    >>> written(AgentSpec(name="tailor", keywords=("hem", "seam")), "keywords")
    'hem, seam'
    """
    value: str | tuple[str, ...] = getattr(spec, name)
    separator = FIELDS[name].separator
    return value if isinstance(value, str) else f"{separator} ".replace("\n ", "\n").join(value)


def _read(name: str, text: str) -> str | tuple[str, ...]:
    separator = FIELDS[name].separator
    return tuple(filter(None, (part.strip() for part in text.split(separator)))) if separator else text.strip()
