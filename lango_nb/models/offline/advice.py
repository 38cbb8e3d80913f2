"""What a genome remembers that a request speaks of, read from the end of a prompt, and followed where it is plain.

    <memories>                                       <routing_hints>
    - ada.txt is in letters/2024      a place        - when ledger: choose bookkeeper (0.6)      a rule
    - use glob first to find new.csv  look first     </routing_hints>
    - requests about rent go to filer a rule
    </memories>

It chooses among what may be done anyway: an agent that may be called, a file that is there, a look before a file is read.
Nothing is changed because of it, and what is said in another way is passed over.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache
from html import unescape
from typing import NamedTuple

from lango_nb.core.stems import words_of

_BLOCKS = re.compile(
    r"(?:\n\n<memories>\n(?P<memories>(?:- .*\n)+)</memories>)?"
    r"(?:\n\n<routing_hints>\n(?P<rules>(?:- .*\n)+)</routing_hints>)?\Z"
)
_RULE = re.compile(r"when (?P<condition>.+?): (?P<preference>.+) \([\d.e+-]+\)")
_SAID_RULE = re.compile(
    r"(?:requests?|questions?|goals?|tasks?|everything|anything|all|when|if|for)\b (?P<condition>.+?)[,:]? "
    r"(?P<preference>(?:go(?:es)?|belongs?|(?:is|are) for|choose|use|ask|delegate|send|give)\b.+)",
    re.IGNORECASE,
)
_CHOOSING = frozenset(
    "agent always ask belong belongs call choose delegate first for give go goes hand is are it let please prefer rather "
    "send take that the them this to try use an das den der die es fang frag frage gib nimm wähle zuerst al elige la "
    "pregunta siempre usa aan altijd de eerst gebruik kies vraag".split()
)
"""Words beside the name of an agent that say no more than that it is chosen."""
_FILLER = words_of(
    "request requests question questions goal goals task tasks about anything everything something on all"
)
_ENDING = re.compile(r"(?<=\w)\.\w{1,5}\b")
_NAME = re.compile(r"[\w][\w.-]*")
_SENTENCE = re.compile(r"(?<=[.;])\s+")
_PLACE = re.compile(
    r"(?:(?:the|a|an|die|der|das|los|las|el|la|de|het) )?(?P<what>[^:]{1,200}?)(?: now| jetzt| ahora| nu)? "
    r"(?:is|are|was|were|lives?|moved|ist|sind|heißt|liegt|liegen|está|están|se llama|staat|staan|zijn|heet)"
    r"(?P<between>(?: (?:now|called|kept|stored|found|moved|renamed|named|in|to|as|the|folder|file|jetzt|im|dem|Ordner|"
    r"ahora|en|la|carpeta|nu|de|map))*) "
    r"(?P<quote>[\"“„'`])?(?P<where>(?(quote)[^\"”“'`]+|[^\s\"”“'`,:]+))[\"”“'`]?(?: now| jetzt| ahora| nu)?",
    re.IGNORECASE,
)
_PATH = re.compile(r".*(?:/|\.[A-Za-z]\w{0,7}\Z)")
_AND = re.compile(r", (?:and )?| (?:and|und|y|en) ")
_LOOK_FIRST = re.compile(
    r"\b(?:glob|fs_list)\b.*\b(?:first|before|zuerst|vor|primero|antes|eerst|voor)\b", re.IGNORECASE
)
_NO = re.compile(r"\b(?:not|never|no|don't|without|nicht|kein\w*|nie|nunca|niet|geen|nooit)\b", re.IGNORECASE)
_OUTSIDE = ("/", "~", "..")
_QUOTES = " \"“”„'`"


class Rule(NamedTuple):
    """An agent that is preferred for what some goals speak of."""

    condition: str
    preference: str
    said: str
    """As it stands in the prompt."""

    def chosen(self, text: str, agents: Collection[str]) -> str:
        """Return the agent that it names for a goal; empty where it is about another one, or names no agent plainly.

        Examples
        --------
        >>> rule = Rule("ledger.csv", "choose filer", "")
        >>> rule.chosen("sum the ledger", ("filer",)), rule.chosen("sum a.csv", ("filer",))
        ('filer', '')
        >>> Rule("ledger", "never choose filer", "").chosen("sum the ledger", ("filer",))
        ''
        """
        wanted = words_of(_ENDING.sub("", self.condition)) - _FILLER
        if not wanted or 2 * len(wanted & words_of(text)) < len(wanted):
            return ""
        said = [word.rstrip(".") for word in _NAME.findall(self.preference)]
        named = {word for word in said if word in agents}
        is_plain = all(word in named or word.casefold() in _CHOOSING for word in said)
        return named.pop() if is_plain and len(named) == 1 else ""


class Place(NamedTuple):
    """Where something is, or what it is called by now."""

    what: str
    where: str

    def path_for(self, word: str) -> str:
        """Return where what is called so should be; empty for anything else.

        Examples
        --------
        >>> Place("ada.txt", "letters").path_for("ada.txt"), Place("a.txt", "b.txt").path_for("a.txt")
        ('letters/ada.txt', 'b.txt')
        >>> Place("letters", "post/2024").path_for("the letters"), Place("ada.txt", "letters").path_for("bob.txt")
        ('post/2024', '')
        """
        name, what = word.strip(_QUOTES).removeprefix("./"), self.what
        if _PATH.fullmatch(what):
            path = (
                self.where
                if _PATH.fullmatch(self.where.rpartition("/")[2])
                else f"{self.where}/{posixpath.basename(what)}"
            )
            return path if name.casefold() == what.casefold() else ""
        return self.where if words_of(what) and words_of(name) == words_of(what) else ""


class Advice(NamedTuple):
    """What is plainly said."""

    rules: tuple[Rule, ...] = ()
    places: tuple[Place, ...] = ()
    looks_first: bool = False
    """Whether a file is looked for before it is read."""

    def paths_for(self, word: str) -> tuple[str, ...]:
        """Return where something that is named may be."""
        return tuple(path for place in self.places if (path := place.path_for(word)))

    def is_doubtful(self, path: str) -> bool:
        """Tell whether a path of the folder is looked for before it is used."""
        return not path.startswith(_OUTSIDE) and (self.looks_first or bool(self.places))


NO_ADVICE = Advice()


def without_advice(prompt: str) -> tuple[str, Advice]:
    r"""Take what is remembered from the end of a prompt.

    Examples
    --------
    >>> prompt, advice = without_advice("You read.\n\n<memories>\n- Use glob first.\n- a.txt is in x\n</memories>")
    >>> prompt, advice.looks_first, advice.paths_for("a.txt")
    ('You read.', True, ('x/a.txt',))
    >>> without_advice("You read.")
    ('You read.', Advice(rules=(), places=(), looks_first=False))
    """
    if not prompt.endswith(("</memories>", "</routing_hints>")):
        return prompt, NO_ADVICE
    blocks = _BLOCKS.search(prompt)
    if blocks is None or not blocks[0]:
        return prompt, NO_ADVICE
    return prompt[: blocks.start()], _read(blocks["memories"] or "", blocks["rules"] or "")


@lru_cache(maxsize=64)
def _read(memories: str, rules: str) -> Advice:
    found = tuple(
        Rule(match["condition"], match["preference"], line[: line.rindex(" (")])
        for line in _lines(rules)
        if (match := _RULE.fullmatch(line)) is not None
    )
    sentences = [part.rstrip(" .;") for line in _lines(memories) for part in _SENTENCE.split(line)]
    said = tuple(
        Rule(match["condition"], match["preference"], sentence)
        for sentence in sentences
        if (match := _SAID_RULE.fullmatch(sentence)) is not None
    )
    looks_first = any(_LOOK_FIRST.search(one) is not None and _NO.search(one) is None for one in sentences)
    return Advice((*found, *said), tuple(_places(sentences)), looks_first)


def _lines(block: str) -> list[str]:
    return [unescape(line.removeprefix("- ")) for line in block.split("\n") if line]


def _places(sentences: Sequence[str]) -> Iterator[Place]:
    for sentence in sentences:
        match = _PLACE.fullmatch(sentence)
        if match is None or _NO.search(sentence):
            continue
        where = match["where"].strip().rstrip("/")
        if not where or where.startswith(_OUTSIDE):
            continue
        if _PATH.fullmatch(where) or {"in", "im", "en"} & set(match["between"].casefold().split()):
            yield from (Place(what.strip(_QUOTES), where) for what in _AND.split(match["what"]))
