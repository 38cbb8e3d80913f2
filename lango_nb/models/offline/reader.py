"""The reader: a request becomes a reading, which is data.

::

    text ── where steps begin ── each step: act, destination ── roles of its words ── likeliest readings

The weights are data (``data/reading/weights.bin``), fitted by :mod:`lango_nb.evaluation.fitting_reader`. A line for a
shell that only looks is read by hand (:func:`as_act`): it needs no shell, and so no leave to run one.
"""

from __future__ import annotations

import math
import re
import shlex
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from itertools import groupby, pairwise, product
from operator import mul
from typing import NamedTuple

from lango_nb.models.offline.features import (
    PROGRAMS,
    VERSION,
    Seen,
    may_begin,
    norm,
    of_act,
    of_beginning,
    of_cut,
    of_doubt,
    of_roles,
    of_words,
    see,
)
from lango_nb.models.offline.lexicon import (
    Word,
    concepts_of,
    is_small_anywhere,
    language_of,
    lexicon,
    quotations,
    words,
)
from lango_nb.models.offline.plan import READING, Reading, Step, acts, read_rows
from lango_nb.models.offline.weights import Heads, Linear, Tagger, unpack

WEIGHTS = "weights.bin"
FOLLOWS = frozenset(("same", "fix"))
"""Acts that say what is different from the step before."""
_TRIED = 4
"""Acts whose roles are looked for at most."""
_TRIED_LEAST = 0.05
"""Probability an act needs for that, as a part of that of the likeliest."""
_MISSING = 1.0
"""What a needed argument that is not there costs, in log odds."""
CUT_LEAST, _CUT_MOST = 0.03, 0.98
"""Probability from which it is weighed whether another step begins, and the most one counts for."""
_MOST_CUTS = 3
_PART_LEAST, _WHOLE_LEAST = 0.5, 0.55
"""Confidence below which a later step may be none, and from which it is part of the one before."""
_CONTENTS = frozenset("text content data new observation prompt value yaml_content result_json".split())
"""Roles of what is to be kept or sent as it is."""
_COLONS = frozenset((":", "："))  # noqa: RUF001 - signs that people type
_EVERY_ROLE = tuple(
    "file to text old new find n line from until column value by key name ending except command agent tool".split()
)


class Told(NamedTuple):
    """What the linear models say of a step."""

    acts: tuple[tuple[str, float], ...]
    """The likeliest acts with their probabilities."""
    destination: str
    destination_likely: float
    languages: Mapping[str, float]


def roles_of(act: str, destination: str) -> tuple[str, ...]:
    """Return the roles that words of a step can have."""
    row = acts().get(act)
    if act in FOLLOWS:
        roles = _EVERY_ROLE
    elif row is not None:
        roles = row.roles
    else:
        roles = parameters().get(act, ())
    return roles if destination not in {"write", "append"} or "to" in roles else (*roles, "to")


@cache
def parameters() -> dict[str, tuple[str, ...]]:
    """Return the parameters of tools that are read by name."""
    return {row[0]: tuple(row[1].split()) for row in read_rows("tools.tsv")}


def is_misnamed(step: Step) -> bool:
    """Tell whether a folder is to be made that is called like a file: something else was meant."""
    return step.act == "folder.make" and [word.kind for word in words(step.word("to"))][-1:] == ["file"]


def begins_at(found: Sequence[Word], at: int) -> int:
    """Return the number of the word that begins at a place of the text; -1 when none does."""
    return next((place for place, word in enumerate(found) if word.start >= at), -1)


def chance_of_beginning(begins: Linear, seen: Seen, place: int) -> float:
    """Return how likely another step begins at a word, by the words around it."""
    names = [f"x:{name}" for name in of_beginning(seen, place)]
    return likely_of(begins.scores(names, norm(Counter(names))))[begins.classes.index("True")]


def cut_features(
    seen: Seen, place: int, chance: float, before: str | None, act_of: Callable[[str, str | None], tuple[str, float]]
) -> list[float]:
    """List what it is told from whether another step begins at a word, by the acts of what that makes of the request.

    Parameters
    ----------
    seen : Seen
    place : int
    chance : float
        As :func:`chance_of_beginning` gives it.
    before : str or None
        Act that was carried out last.
    act_of : callable
        Gives the likeliest act of a text, behind another act, with its probability.
    """
    at = seen.words[place].start
    first, second = seen.text[:at].strip(), seen.text[at:].strip()
    act, likely = act_of(first, before)
    acts_of = (act, likely), act_of(second, before if act in FOLLOWS else act), act_of(seen.text, before)
    return of_cut(chance, (see(first), see(second)), acts_of, FOLLOWS)


class Reader:
    """Reads requests.

    Parameters
    ----------
    data : bytes
        As :func:`lango_nb.evaluation.fitting_reader.fit` makes them.
    """

    def __init__(self, data: bytes) -> None:
        self.card, parts = unpack(data, VERSION)
        models = {
            name: Linear.unpack(self.card["parts"][name], parts[name])
            for name in ("act", "destination", "language", "begins")
        }
        self._act, self._destination, self._language = models["act"], models["destination"], models["language"]
        self._heads = Heads((self._act, self._destination, self._language))
        self._begins = models["begins"]
        self._roles = Tagger.unpack(self.card["parts"]["roles"], parts["roles"])
        self._read = lru_cache(maxsize=256)(self._reading)
        self._steps = lru_cache(maxsize=256)(self._of_piece)
        self._told = lru_cache(maxsize=256)(lambda text, before: self.heads(see(text), before))

    def read(self, text: str, before: str | None = None) -> Reading:
        """Read a request.

        Parameters
        ----------
        text : str
        before : str, optional
            Act that was carried out last; at the beginning of a conversation there is none.

        Returns
        -------
        Reading
        """
        return self._read(text, before)

    @property
    def roles(self) -> frozenset[str]:
        """Roles of words that it has learned."""
        return frozenset(label[2:] for label in self._roles.labels if label != "O")

    def arguments(self, text: str, act: str, roles: Sequence[str]) -> dict[str, tuple[str, ...]]:
        """Read the words of roles for an act, or a tool, that it was never shown.

        Parameters
        ----------
        text : str
        act : str
        roles : sequence of str
            Some of :attr:`roles`.
        """
        seen = see(text)
        said = [self._roles.add_up(row) for row in of_words(seen)]
        return arguments_of(seen, self._spans(seen, said, act, "", roles))

    def _reading(self, text: str, before: str | None) -> Reading:
        cuts = self._cuts(text, before)
        divided = []
        for chosen in product((False, True), repeat=len(cuts)):
            begins = [begin for (begin, _), is_chosen in zip(cuts, chosen, strict=True) if is_chosen]
            likely = math.prod(
                chance if is_cut else 1 - chance for (_, chance), is_cut in zip(cuts, chosen, strict=True)
            )
            divided.append((likely, [text[begin:end].strip() for begin, end in pairwise((0, *begins, len(text)))]))
        divided.sort(key=lambda one: -one[0])
        readings = (
            reading._replace(confidence=likely * reading.confidence)
            for likely, pieces in divided
            for reading in (self._of_pieces(pieces, before),)
        )
        likeliest = next(readings)
        if len(likeliest.steps) > 1 and min(likeliest.each[1:]) < _PART_LEAST:
            whole = self._of_pieces([text], before)
            if whole.confidence >= _WHOLE_LEAST and whole.steps[0].act == likeliest.steps[0].act:
                return whole  # "run `ls` and report what it says": what follows is not a step that anybody knows
        if not any(map(is_misnamed, likeliest.steps)):
            return likeliest
        return next((one for one in readings if not any(map(is_misnamed, one.steps))), likeliest)

    def _cuts(self, text: str, before: str | None) -> list[tuple[int, float]]:
        """Return the likeliest places where another step may begin, each with how likely it does."""
        seen = see(text)
        likely = sorted(
            ((chance, place) for place, chance in self._beginnings(seen) if chance >= CUT_LEAST), reverse=True
        )
        bias, *weights = self.card["cut"]
        found = []
        for chance, place in likely[:_MOST_CUTS]:
            told = cut_features(seen, place, chance, before, self._act_of)
            sure = 1 / (1 + math.exp(-bias - sum(map(mul, weights, told))))
            found.append((seen.words[place].start, min(sure, _CUT_MOST)))
        return sorted(found)

    def _beginnings(self, seen: Seen) -> Iterator[tuple[int, float]]:
        """Score each word at which another step may begin by the words around it."""
        for place in range(1, len(seen.words)):
            if may_begin(seen, place):
                yield place, chance_of_beginning(self._begins, seen, place)

    def _act_of(self, text: str, before: str | None) -> tuple[str, float]:
        return self._told(text, before).acts[0]

    def _of_pieces(self, pieces: Sequence[str], before: str | None) -> Reading:
        steps, each, language = [], [], ""
        for piece in pieces:
            found, likely, heads = self._steps(piece, before)
            steps.append(found[0])
            each.append(likely[0])
            language = language or language_of(" ".join(pieces), heads.languages)
            before = found[0].act if found[0].act not in FOLLOWS else before
        reading = Reading(tuple(steps), min(each), language)
        if len(pieces) > 1:
            return reading._replace(each=tuple(each))
        more = tuple(Reading((step,), chance, language) for step, chance in zip(found[1:], likely[1:], strict=True))
        return reading._replace(others=more)

    def heads(self, seen: Seen, before: str | None) -> Told:
        """Score a step."""
        names = of_act(seen, before)
        acts_scored, destinations, languages = self._heads.scores(names, norm(Counter(names)))
        ranked = sorted(zip(likely_of(acts_scored), self._act.classes, strict=True), reverse=True)
        possible = [(act, chance) for chance, act in ranked if before is not None or act not in FOLLOWS][:_TRIED]
        kept = [(act, chance) for act, chance in possible if chance >= _TRIED_LEAST * possible[0][1]]
        chance, destination = likeliest(destinations, self._destination.classes)
        spoken = dict(zip(self._language.classes, likely_of(languages), strict=True))
        return Told(tuple(kept), destination, chance, spoken)

    def _of_piece(self, piece: str, before: str | None) -> tuple[list[Step], list[float], Told]:
        """Return the likeliest steps of a piece with their confidence."""
        seen = see(piece)
        heads = self._told(piece, before)
        said = [self._roles.add_up(row) for row in of_words(seen)]
        found: list[tuple[float, float, Step]] = []
        for act, chance in heads.acts:
            destination = heads.destination
            spans = self._spans(seen, said, act, destination, roles_of(act, destination))
            arguments = arguments_of(seen, spans)
            row = acts().get(act)
            needed = row.needed if row is not None else ()
            missing = sum(role not in arguments for role in needed if role != "file" and before is None)
            step = Step(act, arguments, destination, piece)
            sure = self._sure(seen, spans, (chance, heads.destination_likely))
            found.append((math.log(chance + 1e-9) - _MISSING * missing, sure, step))
        found.sort(key=lambda one: -one[0])
        return [step for _, _, step in found], [sure for _, sure, _ in found], heads

    def _spans(
        self, seen: Seen, said: Sequence[memoryview], act: str, destination: str, roles: Sequence[str]
    ) -> list[tuple[str, int, int]]:
        if not roles:
            return []
        quoted = [word.is_quoted for word in seen.words]
        labels = self._roles.tag(said, of_roles(seen, act, destination), roles, quoted)
        return spans_of(seen, labels)

    def _sure(self, seen: Seen, spans: Sequence[tuple[str, int, int]], chances: tuple[float, float]) -> float:
        """Return how likely an act and a destination are right, by what authors left out were like."""
        told = of_doubt(seen, [(start, end) for _, start, end in spans], chances, self._act.knows)
        bias, *weights = self.card["doubt"]
        return 1 / (1 + math.exp(-bias - sum(map(mul, weights, told))))


def spans_of(seen: Seen, labels: Sequence[str]) -> list[tuple[str, int, int]]:
    """Return role, beginning and end of arguments; words beside a quotation's own take all of it."""
    spans: list[tuple[str, int, int]] = []
    for word, label in zip(seen.words, labels, strict=False):
        if label == "O":
            continue
        if label[0] == "I" and spans and spans[-1][0] == label[2:]:
            spans[-1] = (*spans[-1][:2], word.end)
        else:
            spans.append((label[2:], word.start, word.end))
    quoted = quotations(seen.text)
    spans = [_with_quotation(span, quoted) for span in spans]
    if spans and not any(word.is_quoted and word.start >= spans[-1][1] for word in seen.words):
        spans[-1] = _to_the_end(seen.text, spans[-1])
    return spans


def _to_the_end(text: str, span: tuple[str, int, int]) -> tuple[str, int, int]:
    """Let a text behind a colon run to the end of its step.

    Examples
    --------
    >>> _to_the_end("add to todo.txt: call Ann, then Bob.", ("text", 17, 25))
    ('text', 17, 35)
    """
    role, start, end = span
    is_behind = role in _CONTENTS and text[:start].rstrip()[-1:] in _COLONS
    return role, start, max(end, len(text.rstrip(" ."))) if is_behind else end


def _with_quotation(span: tuple[str, int, int], quoted: Sequence[tuple[int, int]]) -> tuple[str, int, int]:
    role, start, end = span
    met = [(begin, close) for begin, close in quoted if start < close and end > begin]
    if role == "command":  # what stands in quotation marks in a command keeps them
        met = [(begin, close + (start < begin)) for begin, close in met]
    return role, min([start, *(begin for begin, _ in met)]), max([end, *(close for _, close in met)])


def arguments_of(seen: Seen, spans: Sequence[tuple[str, int, int]]) -> dict[str, tuple[str, ...]]:
    """Return the words of each role."""
    found: dict[str, tuple[str, ...]] = {}
    for role, start, end in spans:
        said = seen.text[start:end].strip()
        if said and said not in found.get(role, ()):
            found[role] = (*found.get(role, ()), said)
    return found


def likely_of(scores: Sequence[float]) -> list[float]:
    """Return the probabilities of scores."""
    most = max(scores)
    parts = [math.exp(score - most) for score in scores]
    total = sum(parts)
    return [part / total for part in parts]


def likeliest(scores: Sequence[float], classes: Sequence[str]) -> tuple[float, str]:
    """Return the likeliest class with its probability."""
    return max(zip(likely_of(scores), classes, strict=True))


@cache
def reader() -> Reader:
    """Return the reader that comes with the package; read once."""
    return Reader((READING / WEIGHTS).read_bytes())


# -- lines for a shell -------------------------------------------------------------------------------------------------

_PLAIN = frozenset("lahtrR1Fp")
"""Options of ``ls`` that change how it is shown, or the order."""
_WORDS = frozenset(("cat", "less", "more", "head", "tail", "sort", "stat", "diff", "tree", "dir"))
"""Programs that are words as well: what they are given has to look like a file."""
_COUNTS = {"l": "count.lines", "w": "count.words", "c": "count.chars", "m": "count.chars"}
_SIGNS = frozenset("|&;<>$`(){}*?[]!~\n")
"""Signs that a shell would do something with."""


_MAKERS = frozenset("cat cp echo ls mkdir mv pwd touch".split())
"""Programs that lines of several commands are made of; what deletes is not among them."""
_FILTERS = frozenset("awk cat cut du egrep find grep head jq ls nl rev sed sort tac tail tr uniq wc".split())
"""Programs that lines with pipes are made of."""
_UNTOLD = frozenset(("ls", "rm", "sed"))
"""Programs whose lines are read by what was learned, also with options and patterns."""
_NO_WORDS = PROGRAMS - frozenset(
    "cat cp cut date diff du export file find go head kill less make man mkdir more mv node python rm sort stat tail touch tree which".split()
)
"""Programs that are no words: what begins with one of them is a line for a shell."""
_RUNNING = frozenset(("run", "command", "please", "you", "can"))
"""Concepts of the words with which it is said that a line is to be run."""
_BEGINNING, _MOST_BEFORE = frozenset(("create", "show", "test")), 4
"""Concepts of verbs that stand before a shell line with options as well, and how many words do, at most."""
_OF_FILES = frozenset(("file", "folder", "script", "please", "and"))
"""Concepts of words that no such line has."""


def as_act(command: str) -> Step | None:
    """Read a shell line as an act.

    Parameters
    ----------
    command : str

    Returns
    -------
    Step or None
        ``None`` when it does anything but look, or more than an act can say.

    Examples
    --------
    >>> as_act("wc -l notes.md"), as_act("head -3 a.log").arguments
    (Step(act='count.lines', arguments={'file': ('notes.md',)}, destination='', text='wc -l notes.md'), {'file': ('a.log',), 'n': ('3',)})
    >>> as_act("ls -la").act, as_act("grep -i error server.log").arguments
    ('list', {'file': ('server.log',), 'find': ('error',)})
    >>> as_act("rm notes.md"), as_act("ls | wc -l"), as_act("tail -f a.log"), as_act("cat 'a")
    (None, None, None, None)
    >>> as_act("more sugar please"), as_act("less notes.md").act
    (None, 'read')
    """
    line = command.strip()
    try:
        program, *words = shlex.split(line)
    except ValueError:
        return None
    if _SIGNS & set(line):
        return None
    options = [word[1:] for word in words if word.startswith("-") and len(word) > 1]
    names = [word for word in words if not word.startswith("-")]
    if program in _WORDS and not all(_is_path(name) for name in names[-1:]):
        return None
    found = _act(program, options, names)
    if found is None:
        return None
    act, roles = found
    return Step(act, {role: tuple(given) for role, given in roles.items() if given}, "", line)


def as_pipe(command: str) -> Step | None:
    """Read a shell line of several programs, or of one with options that no act has, as one that is run.

    Examples
    --------
    >>> as_pipe("grep ERROR a.log | wc -l").word("command"), as_pipe("name | age"), as_pipe("cat a.txt")
    ('grep ERROR a.log | wc -l', None, None)
    >>> as_pipe("grep -c ERROR a.log").word("command"), as_pipe("wc -l *.md").word("command"), as_pipe("sort the list -- by date")
    ('grep -c ERROR a.log', 'wc -l *.md', None)
    """
    line = command.strip()
    try:
        parts = [list(part) for is_pipe, part in groupby(_pieces(line), "|".__eq__) if not is_pipe]
    except ValueError:
        return None
    programs = [words[0] for words in parts if words]
    chained = [part.split() for part in line.split("&&")]
    if len(chained) > 1 and all(part and part[0] in _MAKERS for part in chained) and not set("|;<`$(\n") & set(line):
        return Step("run", {"command": (line,)}, text=line)
    words = parts[0] if len(parts) == 1 else []
    if len(programs) == 1 and _is_line(words) and as_act(line) is None:
        return Step("run", {"command": (line,)}, text=line)
    has_options = any(re.fullmatch(r"-[A-Za-z]\w*", word) and "i" not in word for word in words[1:])
    is_one = has_options and _is_path(words[-1]) and words[0] in _FILTERS and not _SIGNS & set(line)
    is_shell = (len(programs) > 1 or (is_one and as_act(line) is None)) and all(one in _FILTERS for one in programs)
    return Step("run", {"command": (line,)}, text=line) if is_shell else None


def _is_line(words: Sequence[str]) -> bool:
    """Tell whether words are a line for a shell by the program and what it is given, and no sentence."""
    if len(words) < 2 or words[0] not in PROGRAMS - _UNTOLD or "-name" in words:  # noqa: PLR2004 - a program, and what it is given
        return False
    is_told = words[0] == "find" and not words[1].startswith((".", "/", "-"))  # "find all files with *.txt"
    return not is_told and any(map(_is_for_a_shell, words[1:]))


def _is_for_a_shell(word: str) -> bool:
    """Tell whether a word is an option, a pattern for names, or the folder itself, as only lines for a shell have them."""
    return word in {".", ".."} or "*" in word or re.fullmatch(r"--?[A-Za-z]\S*", word) is not None


_LEADS_TO_PATH = re.compile(r"( -\w+) [a-z]{1,3} (?=[\w./-]+\.\w+$)")
"""A small word between the options of a command and the file that it is about."""
_CALLED_COMMAND = re.compile(r"([a-z][\w.-]*(?: [\w./ -]+)?)\s*(?:\u30b3\u30de\u30f3\u30c9|\u547d\u4ee4)")


def as_line(request: str) -> str:
    """Return the shell line that a request is, or that it wants to be run; empty where it is none.

    Examples
    --------
    >>> as_line("run echo hi"), as_line("führ mal echo hi aus"), as_line("echo hi"), as_line("uptime")
    ('echo hi', 'echo hi', 'echo hi', 'uptime')
    >>> as_line('run python3 -c "print(1)"')
    'python3 -c "print(1)"'
    >>> as_line("run the file"), as_line("find the letter"), as_line("run date for me"), as_line("run python script a.py")
    ('', '', '', '')
    >>> as_line("mach mal grep -i stop a.log"), as_line("show me head - the song"), as_line("put cat -5 there")
    ('grep -i stop a.log', '', '')
    >>> as_line("roda um wc -l no server.log"), as_line("date\u30b3\u30de\u30f3\u30c9\u3092\u5b9f\u884c\u3057\u3066")
    ('wc -l server.log', 'date')
    """
    called = _CALLED_COMMAND.match(request.strip())
    if called and called[1].split()[0] in PROGRAMS and "run" in concepts_of(request):
        return called[1]
    request = _LEADS_TO_PATH.sub(r"\1 ", request.strip())
    found = list(words(request))
    at = next((place for place, word in enumerate(found) if word.text in PROGRAMS), len(found))
    if "\n" in request.strip() or at == len(found) or any(word.is_quoted for word in found[: at + 1]):
        return ""
    told = lexicon().concepts(found)
    verb = f"{found[0].text} {found[-1].text}"  # "führ … aus"
    is_parted = 0 < at < len(found) - 1 and "run" in concepts_of(verb) and not told[-1] & _OF_FILES
    is_parted = is_parted and "run" not in told[0]
    option = request[found[at].end :].lstrip()[:2]  # "mach mal grep -i stop a.log"
    is_begun = bool(told[0] & _BEGINNING) or (is_small_anywhere(found[0].folded) and "please" not in told[0])
    is_bare = is_begun and at < _MOST_BEFORE and option[:1] == "-" and option[1:].isalnum()
    if at and not (is_parted or is_bare or any("run" in one for one in told[:at])):
        return ""
    line = found[at : -1 if is_parted else None]
    is_led = all(
        one & _RUNNING or is_small_anywhere(word.text.casefold())
        for word, one in zip(found[1:at], told[1:at], strict=True)
    )
    is_line = (at or line[0].text in _NO_WORDS) and line[0].text != "file" and found[-1].text not in "?\uff1f"
    has_words = any(
        not word.is_quoted
        and (
            word.kind == "word"
            and (one & _OF_FILES or (is_small_anywhere(word.text.casefold()) and len(word.text) > 1))
        )
        for word, one in zip(line[1:], told[at + 1 :], strict=False)
    )
    _, start, end = _with_quotation(("command", line[0].start, line[-1].end), quotations(request))
    return request[start:end] if is_line and is_led and not has_words else ""


def _pieces(line: str) -> Iterator[str]:
    lexer = shlex.shlex(line, posix=True, punctuation_chars="|")
    lexer.whitespace_split = True
    return lexer


def _is_path(word: str) -> bool:
    return "." in word.strip(".") or "/" in word


def _act(  # noqa: PLR0911 - a case for each program
    program: str, options: Sequence[str], names: Sequence[str]
) -> tuple[str, dict[str, Sequence[str]]] | None:
    match program, options, names:
        case "ls" | "dir", _, _ if len(names) < 2 and set("".join(options)) <= _PLAIN:  # noqa: PLR2004 - one folder
            flags = set("".join(options))
            act = "list.by_date" if "t" in flags else "list.tree" if "R" in flags else "list"
            return act, {"file": [name.rstrip("/") for name in names]}
        case "tree", [], _ if len(names) < 2:  # noqa: PLR2004 - the same
            return "list.tree", {"file": names}
        case "cat" | "less" | "more", [] | ["n"], [_, *_]:
            return "read", {"file": names}
        case "head" | "tail", _, _:
            return _ends("read.first" if program == "head" else "read.last", options, names)
        case "wc", [option], [name] if option in _COUNTS:
            return _COUNTS[option], {"file": [name]}
        case "sort", [], [name]:
            return "read.sorted", {"file": [name]}
        case "grep", _, [wanted, name] if set("".join(options)) <= set("inF"):
            return "search", {"file": [name], "find": [wanted]}
        case "grep", _, [wanted] | [wanted, "."] if "r" in "".join(options) and set("".join(options)) <= set("rinF"):
            return "search", {"find": [wanted]}
        case "stat", [], [name]:
            return "date", {"file": [name]}
        case "diff", [] | ["u"], [_, _]:
            return "compare", {"file": names}
        case _:
            return None


def _ends(act: str, options: Sequence[str], names: Sequence[str]) -> tuple[str, dict[str, Sequence[str]]] | None:
    match options, names:
        case [], [name]:
            return act, {"file": [name], "n": ["10"]}
        case ["n"], [number, name] if number.isdecimal():
            return act, {"file": [name], "n": [number]}
        case [number], [name] if number.removeprefix("n").isdecimal():
            return act, {"file": [name], "n": [number.removeprefix("n")]}
        case _:
            return None
