"""``%lango ask who owns this?`` reaches ``%lango``: IPython would take the question mark as a call for help.

IPython turns any line that ends in ``?`` into its object help before it looks for magics. These two transformers come
first, and only for lines of ``%lango`` with something on them: ``%lango?`` still shows the help.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from IPython.core.inputtransformer2 import EscapedCommand, HelpEnd, MagicAssign, TokenTransformBase

if TYPE_CHECKING:
    from tokenize import TokenInfo

_MAGIC = ["%", "lango"]
_FIRST = HelpEnd.priority - 1


class LangoLine(EscapedCommand):
    """``%lango …`` at the beginning of a line."""

    priority = _FIRST

    @classmethod
    def find(cls, tokens_by_line: list[list[TokenInfo]]) -> EscapedCommand | None:
        """Find the first such line."""
        ours = [line for line in tokens_by_line if _has_more(_words(line))]
        found: EscapedCommand | None = super().find(ours)  # type: ignore[no-untyped-call]  # IPython has no types here
        return found


class LangoAssignment(TokenTransformBase):
    """``x = %lango …``: begins where the line begins, as the help it has to come before does."""

    priority = _FIRST

    def __init__(self, start: tuple[int, int], assignment: MagicAssign) -> None:
        super().__init__(start)  # type: ignore[no-untyped-call]  # the same
        self._assignment = assignment

    @classmethod
    def find(cls, tokens_by_line: list[list[TokenInfo]]) -> LangoAssignment | None:
        """Find the first such line."""
        for line in tokens_by_line:
            words = _words(line)
            places = [at for at, word in enumerate(words) if word == "=" and _has_more(words[at + 1 :])]
            assignment = MagicAssign.find([line]) if places else None  # type: ignore[no-untyped-call]  # the same
            if assignment is not None:
                first = next(token for token in line if token.string.strip())
                return cls(first.start, assignment)
        return None

    def transform(self, lines: list[str]) -> list[str]:
        """Write the line as IPython writes an assignment from a magic."""
        return list(self._assignment.transform(lines))


TRANSFORMERS = (LangoLine, LangoAssignment)


def _words(line: list[TokenInfo]) -> list[str]:
    return [token.string for token in line if token.string.strip()]


def _has_more(words: list[str]) -> bool:
    return words[:2] == _MAGIC and words[2:3] not in ([], ["?"])
