"""Routing rules: which agent is preferred for what. They are hints in a prompt; nothing is routed by them alone."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from lango_nb.core.dataclass import dataclass
from lango_nb.core.errors import DefinitionError, shorten
from lango_nb.core.frozen import Checked
from lango_nb.core.stems import words_of

EMPTY = "rules: []\n"
"""The file of a genome that has none."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One preference."""

    id: str
    condition: str
    """What a request is about, in words."""
    preference: str
    """What to do then: the agent to choose."""
    strength: float = 0.5
    """From 0 to 1."""
    source: str = "user"
    """Who made it: ``user``, ``learn``."""


class _Rule(Checked):
    """A rule as the file writes it."""

    id: str
    condition: str
    preference: str
    strength: float = 0.5
    source: str = "user"


class _File(Checked):
    rules: tuple[_Rule, ...] = ()


def match(rules: Sequence[Rule], query: str) -> tuple[Rule, ...]:
    """Return the rules whose condition shares a word with a text, the strongest first."""
    if not rules:
        return ()
    wanted = words_of(query)
    found = [(rule, len(wanted & words_of(rule.condition))) for rule in rules]
    return tuple(rule for rule, shared in sorted(found, key=lambda one: (-one[0].strength, -one[1])) if shared)


def parse_rules(text: str, path: str) -> dict[str, Rule]:
    """Read a file of rules.

    Raises
    ------
    DefinitionError
        ``path:line: field: what is wrong``.
    """
    from lango_nb.specs.yaml_text import read_document

    document = read_document("" if text.strip() == "[]" else text, path)
    found: dict[str, Rule] = {}
    for place, one in enumerate(document.check(_File, document.values).rules):
        loc = ("rules", place)
        if not one.id or not one.condition.strip() or not one.preference.strip():
            raise document.error(loc, "needs an id, a condition and a preference")
        if not 0 <= one.strength <= 1:
            raise document.error((*loc, "strength"), f"has to be from 0 to 1, not {one.strength}")
        if one.id in found:
            raise document.error((*loc, "id"), f"{shorten(one.id)!r} stands here twice; take one out")
        found[one.id] = Rule(one.id, one.condition, one.preference, one.strength, one.source)
    return found


def render_rules(rules: Iterable[Rule]) -> str:
    """Write a file of rules, so that reading it gives the same ones."""
    from lango_nb.specs.yaml_text import write_mapping

    names = _Rule._defaults  # noqa: SLF001 - its fields, in the order of the file
    return write_mapping({"rules": [{name: getattr(rule, name) for name in names} for rule in rules]})


def check_strength(strength: float) -> None:
    """Refuse what is not from 0 to 1."""
    if not 0 <= strength <= 1:
        raise DefinitionError(f"a rule's strength is from 0 to 1, not {strength}")
