"""A request as rules look at it: its words, what they say, and what was said before."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property

from lango_nb.models.offline.columns import names_column
from lango_nb.models.offline.lexicon import ASK_SIGNS, UNSPACED, Concepts, Word, concepts_of, lexicon_of
from lango_nb.models.offline.lexicon import words as words_of
from lango_nb.models.offline.lists import words_of_wishes
from lango_nb.models.offline.names import calls_list, is_asking, is_noun_of_file, rank, unexplained
from lango_nb.models.offline.plan import Context, Reading, Step, is_change
from lango_nb.models.offline.question import said_of_tables

CLAUSE = re.compile(r"[.,;:!?\u3001\u3002\uff0c]+\s*")
SHORT = 9
"""Words of an answer that may be the missing word, and nothing else."""
ASKED_OF = frozenset(("what", "which", "who"))
_NOTHING = Step("", {})
_LINE_SAID = re.compile(r"[一二三四五六七八九十几两那这\d]行")


class Request:
    """A request as the rules look at it.

    Parameters
    ----------
    reading : Reading
    text : str
    context : Context
        What was said before.
    """

    def __init__(self, reading: Reading, text: str, context: Context) -> None:
        self.reading, self.text, self.context, self.language = reading, text, context, reading.language
        self.step = reading.steps[0] if len(reading.steps) == 1 else _NOTHING
        """The one thing that it was read as; an empty step where it was read as several."""
        self.last = context.last or _NOTHING
        """What was carried out before it; an empty step where nothing was."""
        self.words: Sequence[Word] = words_of(text)
        self.concepts: Concepts = concepts_of(text)
        self.files = [word.text for word in self.words if word.kind == "file" and not word.is_quoted]
        """Files that it names."""

    @cached_property
    def asking(self) -> frozenset[str]:
        """What it says in the words of questions about tables (``data/reading/asked.tsv``)."""
        return said_of_tables(self.text, self.language)

    @cached_property
    def wishes(self) -> Sequence[Concepts]:
        """By word: what it says in the words of wishes about lists (``data/reading/listed.tsv``)."""
        return words_of_wishes(self.language).concepts(self.words)

    @cached_property
    def unexplained(self) -> Sequence[str]:
        """Words that say nothing of what is to be done."""
        return unexplained(self.text, self.language)

    @cached_property
    def place(self) -> int:
        """The place in a row that it tells: 2 for "the second one", -1 for the last; 0 where it tells none."""
        return next((found for word in self.words if (found := rank(word.text))), 0)

    @property
    def length(self) -> float:
        """How many words it has."""
        return length(self.text)

    @property
    def is_question(self) -> bool:
        """Whether it asks something."""
        return is_asking(self.text) or self.text.rstrip()[-1:] in ASK_SIGNS

    @property
    def says_line(self) -> bool:
        """Whether it speaks of a line, or a row."""
        return bool(self.concepts & {"line", "row"}) or (
            self.language == "zh" and _LINE_SAID.search(self.text) is not None
        )

    def names(self, *kinds: str) -> bool:
        """Tell whether it has a word of some kinds: by default, the name of a file or a folder."""
        return any(word.kind in (kinds or ("file", "folder")) for word in self.words)

    def shown_at_place(self) -> str:
        """Return what was shown at the place that it tells; empty where there is nothing."""
        shown, place = self.context.shown, self.place
        return shown[place - (place > 0)] if place and abs(place) <= len(shown) else ""

    def instead(self, act: str, destination: str = "", /, **roles: tuple[str, ...]) -> Step:
        """Return the step that it means."""
        return Step(act, roles, destination, self.text)


def length(request: str) -> float:
    """Return how many words a request has; a character of those that stand without blanks counts half a word."""
    return sum(0.5 if word.kind in UNSPACED else 1 for word in words_of(request))


def is_key_said(step: Step, language: str) -> bool:
    """Tell whether the key of a value is one that was asked for, or set, and not only the one before: "and when is it back?".

    Examples
    --------
    >>> is_key_said(Step("json.get", {"key": ("pump.start",)}, text="when does the pump start?"), "en")
    True
    >>> is_key_said(Step("json.get", {"key": ("pickup",)}, text="and when does it have to be back"), "en")
    False
    """
    parts = [part for part in step.word("key").split(".") if not part.isdigit()]
    said = [word.text for word in words_of(step.text.partition("\n")[0]) if word.kind != "sign"]
    return step.act != "json.get" or any(names_column(word, part, language) for word in said for part in parts)


def is_described(words: str, language: str) -> bool:
    """Tell whether words describe a file, and name none.

    Examples
    --------
    >>> is_described("the current price list", "en"), is_described("la config", "fr"), is_described("list.txt", "en")
    (True, True, False)
    """
    found = words_of(words)
    told = lexicon_of(language).concepts(found)
    is_noun = any(is_noun_of_file(word.text) or one & {"list", "key"} for word, one in zip(found, told, strict=True))
    return (is_noun or calls_list(words)) and not any(word.kind == "file" for word in found)


def is_changing(step: Step) -> bool:
    """Tell whether a step changes something; an empty one does not."""
    return bool(step.act) and is_change(step.act)


UNCLEAR_PLACE = frozenset(
    ("json.get", "talk", "read.line", "read.last", "read.first", "unclear", "same", "read", "date")
)
"""Acts that are read where one of the rows that were shown is told by its place."""


def says_gone(clause: str, language: str) -> bool:
    """Tell whether a clause says that something goes."""
    marks = wishes_said(clause, language)
    return "delete" in concepts_of(clause) or "off" in marks or {"taking", "out"} <= marks


def wishes_said(clause: str, language: str) -> frozenset[str]:
    """Return what a clause says in the words of wishes about lists."""
    return frozenset[str]().union(*words_of_wishes(language).concepts(words_of(clause)))


def telling_in(clause: str, language: str) -> list[str]:
    """Return the words of a clause that say nothing of what is to be done with what they name."""
    return [one for one in unexplained(clause, language) if not wishes_said(one, language)]


MAYBE_OPEN = frozenset(("read", "talk", "unclear", "list", "recall", "rows.where", "cell"))
"""Acts that are read where it is asked what is still open."""
