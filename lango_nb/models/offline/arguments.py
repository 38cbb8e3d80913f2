"""What a tool is called with that only its schema tells of: the words of a request, put where it has a place for them.

    named    guest: Ann · week=23
    typed    a date, a number, a code, one of a few options, something that is on or off, a name
    beside   "4 seats", "ticket T-2209", "5,8 metros": the words before and behind say what a value is
    the rest what stands behind the words that name the tool, where one text is wanted

Words of a request in another language than the schema are looked up in English (:mod:`lango_nb.routing.content`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any, Literal, NamedTuple

from lango_nb.core.messages import ToolSchema
from lango_nb.models.offline.lexicon import Word, concepts_of, is_small_in, lexicon_of, words
from lango_nb.models.offline.names import is_small, pick, plain, rank
from lango_nb.models.offline.operations import number, truth
from lango_nb.models.offline.plan import Step
from lango_nb.models.offline.reader import reader
from lango_nb.routing import abroad, nearness
from lango_nb.routing.capabilities import action
from lango_nb.routing.content import content
from lango_nb.routing.function_words import FUNCTION_WORDS
from lango_nb.routing.words import root

_SPLIT = re.compile(r"(?<=[a-z])(?=[A-Z])|[_\W]+")
_DAY = r"(?<![\w.-])(?:\d{4}-\d\d(?:-\d\d)?|\d{1,2}[./]\d{1,2}[./]\d{2,4}|\d{1,2}[./]\d{1,2}(?![\w.,])|\d{1,2}:\d\d)(?![\w-])"
_DATE = re.compile(_DAY)
_AMOUNT = re.compile(r"([-\u2212]?\d+(?:[.,]\d+)?)\s?(?:[a-zA-Zµ°€$%£]{1,2})\Z")
AND = re.compile(r"\s*[,;\u3001\uff0c]\s*(?:(?:and|und|et|y|e|en|i)\s+)?|\s+(?:and|und|et|y|e|en|i)\s+|と|和")
_JOINS = frozenset((",", "and", "und", "et", "y", "e", "en", "i", "&"))
_PARTICLES = frozenset(("de", "van", "von", "der", "den", "di", "da", "del", "la", "le", "du", "zu"))
_NUMERIC = frozenset(("integer", "number"))
ANY = "any"
"""Type of a parameter of which only the name is known."""
_OFF = frozenset(("no", "not", "none", "except"))
_CARDINAL = frozenset("one_number two three four five six seven eight nine ten eleven twelve dozen".split())
_SWITCHED_OFF = frozenset("off aus uit wylaczony apagado spento eteint disabled disable".split())
_SWITCHED_ON = frozenset("enabled enable einschalten".split())
_ARTICLE = "one_number"
_IS_DATE = re.compile(r"date|day|when|from|until|since|deadline|datum|tag\b|fecha|jour")
_IS_TIME = re.compile(r"time|hour|clock|zeit")
_IS_CODE = re.compile(r"(?:^|[_ ])(?:id|code|ref|reference|number|nr|no|key|nummer|numero)\b|\bcode\b|\bnumber of\b")
_IS_TEXT = re.compile(r"text|message|note|title|body|content|subject|comment|reason|says|notiz")
_IS_SENTENCE = re.compile(r"message|note|body|content|comment|reason|says|notiz")
_OF_KIND = {"mail": re.compile(r"mail|recipient"), "url": re.compile(r"ur[li]\b|link|site|web"),
            "file": re.compile(r"path|file|folder|directory")}  # fmt: skip
_EXAMPLE = re.compile(r"[\w.-]*\d[\w.-]*")
_FEW = 4
"""Words that an argument may have that nobody asked for."""
_UNIT = 3
"""Letters of a unit behind a number: kg, mM."""
_LONG = 5
"""Letters of an option that words may begin with: "car" begins many."""
_LEAST = 0.1
"""Score from which a value is taken for a parameter."""
_TIMES = re.compile(r"schedule|when|time|cron|interval|every")
_WHEN = frozenset(("day", "date", "schedule", "time", "each"))
"""Concepts of words that say when something is to happen."""


# -- schemas -----------------------------------------------------------------------------------------------------------


def shapes_of(tool: ToolSchema) -> Mapping[str, Mapping[str, Any]]:
    """Return the schemas of a tool's parameters; of one that may be null, what else it may be."""
    properties = tool.parameters.get("properties")
    known = properties if isinstance(properties, dict) else {}
    return {str(name): _not_null(shape) if isinstance(shape, dict) else {} for name, shape in known.items()}


def _not_null(shape: dict[str, Any]) -> dict[str, Any]:
    options = shape.get("anyOf")
    kept = [one for one in options if isinstance(one, dict) and one.get("type") != "null"] if options else []
    return {**shape, **kept[0]} if len(kept) == 1 else shape


def required_of(tool: ToolSchema) -> list[str]:
    """Return the parameters that a tool cannot do without."""
    needed = tool.parameters.get("required")
    return [str(name) for name in needed] if isinstance(needed, list) else []


class _Parameter(NamedTuple):
    """What is known of a parameter."""

    name: str
    shape: Mapping[str, Any]
    is_required: bool
    named: frozenset[str]
    """Stems of its name, also English ones."""
    told: frozenset[str]
    """Stems of its description."""
    spoken: str
    """Name and description in small letters."""
    examples: frozenset[str]
    """How the examples in its description look."""

    @property
    def kind(self) -> str:
        """Its type; ``enum`` where only some values are taken."""
        return "enum" if isinstance(self.shape.get("enum"), list) else str(self.shape.get("type", "string"))

    @property
    def is_date(self) -> bool:
        return _IS_DATE.search(self.spoken) is not None

    @property
    def is_code(self) -> bool:
        return bool(self.examples) or _IS_CODE.search(self.spoken) is not None

    @property
    def is_text(self) -> bool:
        return _IS_TEXT.search(self.spoken) is not None


def _parameters(tool: ToolSchema) -> list[_Parameter]:
    return list(_parameters_of(tool.name, json.dumps(tool.parameters)))


@lru_cache(maxsize=256)
def _parameters_of(name: str, parameters: str) -> tuple[_Parameter, ...]:
    tool = ToolSchema(name=name, parameters=json.loads(parameters))
    required = required_of(tool)
    found = []
    for one, shape in shapes_of(tool).items():
        told = str(shape.get("description") or "")
        spoken = spelled(one)
        examples = frozenset(_look(match) for match in _EXAMPLE.findall(told) if not match.isdigit())
        keys = _keys(spoken.replace("_", " "))
        found.append(
            _Parameter(one, shape, one in required, keys, _keys(told), f"{spoken} {told}".casefold(), examples)
        )
    return tuple(found)


def _keys(text: str) -> frozenset[str]:
    return frozenset(key for one in content(text) for key in one.keys)


def _look(value: str) -> str:
    """Return how a code looks: T-1001 and B-18 look alike."""
    return re.sub(r"[^\W\d_]+", "a", re.sub(r"\d+", "9", value.strip(".")))


# -- the values in a text ----------------------------------------------------------------------------------------------


class _Value(NamedTuple):
    """Something in a request that may be an argument."""

    start: int
    end: int
    text: str
    kind: str
    """``date``, ``number``, ``article``, ``code``, ``mail``, ``url``, ``file``, ``quote`` or ``name``."""


def _values(
    text: str, found: Sequence[Word], heard: Mapping[str, frozenset[str]], cues: frozenset[str]
) -> list[_Value]:
    """Return the values in a request, in order."""
    values = [_Value(*match.span(), match[0], "date") for match in _DATE.finditer(text)]
    quoted = [word for word in found if word.is_quoted]
    if quoted:
        values.append(_Value(quoted[0].start, quoted[-1].end, text[quoted[0].start : quoted[-1].end], "quote"))
    for word in found:
        if not any(one.start <= word.start < one.end for one in values) and (value := _value(word)) is not None:
            values.append(value)
    taken = [(one.start, one.end) for one in values]
    values += _names(text, [word for word in found if not any(a <= word.start < b for a, b in taken)], heard, cues)
    return sorted(values)


def is_number(word: Word) -> bool:
    """Tell whether a word is a number, in figures or not."""
    value = _value(word)
    return value is not None and value.kind in {"number", "article"}


def _value(word: Word) -> _Value | None:
    told = concepts_of(word.text)
    amount = _AMOUNT.match(word.text)
    kind, said = "", word.text
    match word.kind:
        case "mail" | "url" | "file":
            kind = word.kind
        case "folder":
            kind = "file"
        case "number":
            kind = "number"
        case "measure" if amount is not None:
            kind, said = "number", amount[1]
        case "id" | "measure" | "dotted":
            kind = "code"
        case "word" | "name" if any(map(str.isdigit, word.text)):
            kind = "code"
        case "word" if told & _CARDINAL and not told & {"first", "second", "third"}:
            kind, said = ("article", "1") if _ARTICLE in told else ("number", said)
    return _Value(word.start, word.end, said.replace("\u2212", "-"), kind) if kind else None


def _names(text: str, found: Sequence[Word], heard: Mapping[str, frozenset[str]], cues: frozenset[str]) -> list[_Value]:
    """Return what looks like a name: words with a capital that no dictionary knows, or several behind each other."""
    runs: list[list[Word]] = []
    for at, word in enumerate(found):
        is_next = (
            bool(runs) and at > 0 and found[at - 1] is runs[-1][-1] and text[found[at - 1].end : word.start] == " "
        )
        if word.kind == "word" and is_next and word.folded in _PARTICLES and word.text.islower():
            runs[-1].append(word)
        elif word.kind == "word" and word.text[:1].isupper() and not cues & heard.get(word.text, frozenset()):
            if is_next:
                runs[-1].append(word)
            else:
                runs.append([word])
    is_english = all(len(keys) == 1 for keys in heard.values())
    is_shouted = text.isupper()
    names = []
    for run in runs:
        while run and run[-1].text.islower():
            run.pop()
        is_clause = text[run[-1].end :].lstrip()[:1] in {"", ",", ";", "."} if run else False
        while len(run) > 1 and run[0].start == 0 and is_known(run[0], heard) and not is_clause:
            run.pop(0)  # "Please", "Boek"
        is_short_form = run and len(run[0].text) > 1 and run[0].text.isupper() and not is_shouted  # "PBS"
        is_sure = run and not is_short_form and is_known(run[0], heard)
        is_one = len(run) == 1 and is_sure and (run[0].start == 0 or not is_english or _is_common(run[0]))
        if run and not is_one:
            names.append(_Value(run[0].start, run[-1].end, text[run[0].start : run[-1].end], "name"))
    return names


def is_known(word: Word, heard: Mapping[str, frozenset[str]] | None = None) -> bool:
    """Tell whether a dictionary has a word, as it has no names of people and places.

    Parameters
    ----------
    word : Word
    heard : mapping of str to frozenset of str, optional
        What the words of the text mean in its own language; without, words of any language are known.
    """
    is_foreign = bool(abroad.load().meanings(word.folded)) if heard is None else len(heard.get(word.text, ())) > 1
    return is_foreign or _is_common(word) or bool(concepts_of(word.text)) or is_small(word.text)


def _is_common(word: Word) -> bool:
    """Tell whether a word is an English one that is not rare."""
    vector = nearness.load().word(root(word.folded))
    return vector is not None and vector.telling < 1


def is_filling(word: Word) -> bool:
    """Tell whether a word only holds a sentence together."""
    return is_small(word.text) or word.text.casefold() in FUNCTION_WORDS


# -- values and parameters ---------------------------------------------------------------------------------------------


def step_for(
    tool: ToolSchema, text: str, only: Iterable[str] | None = None, trust: Literal["fit", "type", "all"] = "all"
) -> Step:
    """Read what a tool is to be called with.

    Parameters
    ----------
    tool : ToolSchema
    text : str
        The request.
    only : iterable of str, optional
        Parameters that are looked for; all when absent.
    trust : {"fit", "type", "all"}
        How far: only what fits by its kind or by the words beside it; also what is of the type that is wanted; also
        what is left of the request.

    Returns
    -------
    Step
        Only what the request says is in its arguments.

    Examples
    --------
    >>> shape = {"properties": {"table": {"type": "integer"}, "guest": {"type": "string"}}, "required": ["table"]}
    >>> dict(step_for(ToolSchema(name="book", description="", parameters=shape), "book table 5, guest: Ann").arguments)
    {'guest': ('Ann',), 'table': ('5',)}
    >>> shape = {"properties": {"date": {"type": "string"}, "seats": {"type": "integer"}}, "required": ["date", "seats"]}
    >>> dict(step_for(ToolSchema(name="book", description="", parameters=shape), "book 2024-05-04 for 3").arguments)
    {'date': ('2024-05-04',), 'seats': ('3',)}
    """
    parameters = [one for one in _parameters(tool) if only is None or one.name in only]
    found = {name: (value,) for name, value in _named_in(parameters, text).items()}
    return Step(tool.name, found | _Filling(tool, parameters, text, found).fill(trust), text=text)


class _Filling:
    """Puts the values of a request where they fit."""

    def __init__(
        self, tool: ToolSchema, parameters: Sequence[_Parameter], text: str, found: Mapping[str, tuple[str, ...]]
    ) -> None:
        self._tool, self._text = tool, text
        self._open = [one for one in parameters if one.name not in found]
        said = {word for values in found.values() for value in values for word in value.split()}
        names = {one.name.casefold() for one in parameters}
        self._words = [
            word for word in words(text) if word.text not in said and word.text.casefold() not in names - said
        ]
        self._all = words(text)
        self._heard = {one.shown: frozenset(one.keys) for one in content(text)}
        self._named = _keys(spelled(tool.name).replace("_", " "))
        self._cues = _keys(action(tool)) | self._named
        values = _values(text, self._all, self._heard, self._cues)
        self._values = [one for one in values if not said.intersection(one.text.split())]
        self._found: dict[str, tuple[str, ...]] = {}
        self._has_named = bool(found)

    def fill(self, trust: Literal["fit", "type", "all"]) -> dict[str, tuple[str, ...]]:
        """Return the arguments."""
        for one in list(self._open):
            if one.kind == "enum":
                self._put_if(one, self._option(one))
            elif one.kind == "boolean":
                self._put_if(one, self._switch(one))
        for one in [one for one in self._open if one.kind == "array"]:
            self._put_list(one)
        self._put_best()
        if trust != "fit":
            self._put_last_number()
            self._put_names()
        if trust == "all":
            self._put_rest()
        return self._found

    def _put(self, one: _Parameter, *said: str) -> None:
        self._found[one.name] = said
        self._open.remove(one)

    def _put_if(self, one: _Parameter, said: str) -> None:
        if said:
            self._put(one, said)

    def _option(self, one: _Parameter) -> str:
        """Return the option that a request names; as a word of it, that is no name any more."""
        option = option_in(self._text, map(str, one.shape["enum"]))
        self._values = [value for value in self._values if plain(option) != plain(value.text)]
        return option

    def _switch(self, one: _Parameter) -> str:
        """Return that something is on or off: "glossy", "glossy no", "no refund", "dringend"."""
        shared = frozenset(key for other in self._open if other is not one for key in other.named)
        own = (one.named or frozenset((root(spelled(one.name)),))) - shared
        spoken = _words_of(one.name)
        match = re.search(rf"(\S+\s+)?(?<!\w){spoken}(?!\w)\s*(\w+)?", self._text, re.IGNORECASE)
        if match is not None:
            is_off = bool(concepts_of(match[1] or "") & _OFF) or truth(match[2] or "") is False
            return "no" if is_off else "yes"
        if sum(other.kind == "boolean" for other in self._open) == 1:
            said = [word.folded for word in self._words if word.kind != "sign" and not word.is_quoted]
            if any(word in _SWITCHED_OFF for word in said):
                return "no"
            if said[-1:] == ["on"] or any(word in _SWITCHED_ON for word in said):
                return "yes"
        for at, word in enumerate(self._all):
            if own & self._heard.get(word.text, frozenset()):
                before = [concepts_of(other.text) for other in self._all[max(0, at - 2) : at]]
                return "no" if any(told & _OFF for told in before) else "yes"
        return ""

    def _put_list(self, one: _Parameter) -> None:
        """Take names behind each other for a list: "Ola and Siri"."""
        names = [value for value in self._values if value.kind in {"name", "quote", "code"}]
        run = names[:1]
        for value in names[1:]:
            between = self._text[run[-1].end : value.start].strip().casefold()
            if between not in _JOINS and between.replace(",", "").strip() not in _JOINS:
                break
            run.append(value)
        is_wanted = len(run) > 1 or (one.is_required and not any(other.kind == "string" for other in self._open))
        if run and is_wanted:
            self._put(one, *(value.text for value in run))
            self._values = [value for value in self._values if value not in run]

    def _put_best(self) -> None:
        """Put each value where it fits best, the surest first."""
        while self._open and self._values:
            rated = [
                (self._score(one, value), -place, -at)
                for place, one in enumerate(self._open)
                for at, value in enumerate(self._values)
            ]
            score, place, at = max(rated)
            if score < _LEAST:
                return
            value = self._values.pop(-at)
            self._put(self._open[-place], value.text)

    def _score(self, one: _Parameter, value: _Value) -> float:
        """Tell how well a value fits a parameter; 0 when only its type does, less when that does not."""
        base = _fit(one, value)
        is_strange = one.is_text and value.kind == "code"  # a reason is no code
        return base if base < 0 else base + self._beside(one, value) - (2.0 if is_strange else 0.0)

    def _beside(self, one: _Parameter, value: _Value) -> float:
        """Tell how much the words beside a value speak for a parameter."""
        before = [
            word for word in self._all if word.end <= value.start and word.kind != "sign" and not is_filling(word)
        ]
        after = [word for word in self._all if word.start >= value.end]
        heard = [self._heard.get(word.text, frozenset((root(word.folded),))) for word in before[-1:]]
        next_ = [
            self._heard.get(word.text, frozenset((root(word.folded),))) for word in after[:1] if word.kind == "word"
        ]
        if any(keys & one.named for keys in heard):
            return 4.0
        if any(keys & one.named for keys in next_):
            return 3.5
        if any(keys & one.told for keys in heard):
            return 2.0
        return 1.8 if any(keys & one.told for keys in next_) else 0.0

    def _put_last_number(self) -> None:
        """Put the numbers that are left where as many are wanted, in order."""
        numeric = [one for one in self._open if one.kind in _NUMERIC] or self._anything()
        needed = [one for one in numeric if one.is_required] or numeric
        numbers = [value for value in self._values if value.kind == "number"]
        left = [value for value in numbers if needed and _fit(needed[0], value) >= 0]
        if len(needed) == len(left):
            for one, value in zip(list(needed), left, strict=True):
                self._put(one, value.text)
                self._values.remove(value)

    def _anything(self) -> list[_Parameter]:
        """Return the first parameter of no known type that may be a number."""
        return [one for one in self._open if one.kind == ANY and not (one.is_date or one.is_text)][:1]

    def _put_names(self) -> None:
        """Put names, then quotations, where texts are wanted, in their order."""
        for kinds in (("quote",), ("name",), ("code",)):
            for value in [value for value in self._values if value.kind in kinds]:
                texts = [one for one in self._open if one.kind in {"string", ANY} and not one.is_date]
                texts = [one for one in texts if (one.is_code or not one.is_text) == (value.kind != "quote")] or texts
                wanted = [one for one in texts if one.is_required] or (texts if len(texts) == 1 else [])
                if value.kind != "quote" and len(wanted) > 1:
                    wanted = [one for one in wanted if not one.is_text]
                if value.kind == "name":
                    wanted = [one for one in wanted if not one.is_code and not _IS_SENTENCE.search(one.spoken)]
                if wanted:
                    self._put(wanted[0], value.text)
                    self._values.remove(value)

    def _put_rest(self) -> None:
        """Put what is left of a request where one text is wanted, unless the words only name the tool."""
        lacking = [one for one in self._open if one.is_required and one.kind in {"string", "array"}]
        wanted = lacking if lacking or self._found or self._has_named else self._open
        texts = [one for one in wanted if one.kind in {"string", "array"} and not (one.is_date or one.is_code)]
        if len(texts) != 1:
            return
        (one,) = texts
        used = {part for values in self._found.values() for value in values for part in value.split()}
        units = {
            after.text
            for word, after in pairwise(self._all)
            if word.text in used and is_number(word) and len(after.text) <= _UNIT
        }
        left = [word for word in self._words if word.kind != "sign" and word.text not in used | units]
        naming = [at for at, word in enumerate(left) if self._names_tool(word, self._named)]
        naming = naming or [at for at, word in enumerate(left) if self._names_tool(word, self._cues)]
        rest = self._first_run(left[naming[-1] + 1 :]) if naming else ()
        is_new = not one.is_text or not all(self._names_tool(word, self._cues) for word in rest if not is_filling(word))
        said = self._text[rest[0].start : rest[-1].end].strip(" ?.!") if rest and is_new else ""
        said = said or _labelled(one.name, self._text) or self._unheard(left, naming)
        if said and said != self._text and (one.is_required or len(said.split()) <= _FEW):
            self._put(one, said)

    def _first_run(self, left: Sequence[Word]) -> Sequence[Word]:
        """Return the first words behind each other that nothing else was taken for, without what holds sentences together."""
        run: list[Word] = []
        for word in left:
            gap = self._text[run[-1].end : word.start] if run else ""
            if run and any(map(str.isalnum, gap)) and (kept := _without_filling(run)):
                return kept
            run = [*run, word] if not any(map(str.isalnum, gap)) else [word]
        return _without_filling(run)

    def _names_tool(self, word: Word, cues: frozenset[str]) -> bool:
        keys = self._heard.get(word.text, frozenset((root(word.folded),)))
        return not is_filling(word) and bool(keys & cues)

    def _unheard(self, left: Sequence[Word], naming: Sequence[int]) -> str:
        """Return the first words behind each other that no dictionary knows: what a tool is asked about."""
        run: list[Word] = []
        for at, word in enumerate(left):
            if at not in naming and not is_known(word):
                run.append(word)
            elif run:
                break
        return self._text[run[0].start : run[-1].end].strip(" ?.!") if run else ""


def _fit(one: _Parameter, value: _Value) -> float:
    """Tell how well a kind of value fits a type; less than 0 when it does not."""
    if one.kind in _NUMERIC:
        is_whole = one.kind == "number" or rank(value.text) is not None
        return {"number": 0.0, "article": 0.0}.get(value.kind, -10.0) if is_whole else -10.0
    if one.kind == ANY and value.kind in {"number", "article"}:
        return -10.0 if one.is_date else 0.0
    if one.kind not in {"string", ANY}:
        return -10.0
    if value.kind in _OF_KIND:
        return 3.0 if _OF_KIND[value.kind].search(one.spoken) else -10.0
    if value.kind == "date":
        return 3.0 if one.is_date or _IS_TIME.search(one.spoken) else -10.0
    if value.kind == "code":
        looks_alike = _look(value.text) in one.examples
        return 3.0 if looks_alike else 1.5 if one.is_code and not one.examples else -10.0 if one.is_date else 0.0
    if value.kind == "number":
        return 0.0 if one.is_code and not one.is_date else -10.0
    return -10.0 if value.kind == "article" or one.is_date or (value.kind == "name" and one.is_code) else 0.0


def option_in(text: str, options: Iterable[str]) -> str:
    """Return which of some options a text names, in whatever language and form; empty where none.

    Examples
    --------
    >>> option_in("how much for 3 children?", ["adult", "child"]), option_in("zwei Senioren", ["adult", "senior"])
    ('child', 'senior')
    """
    options, said = list(options), f" {plain(text)} "
    exact = next((one for one in options if f" {plain(one)} " in said), "")
    if exact:
        return exact
    heard = frozenset(key for one in content(text) for key in one.keys)
    begins = tuple(word.folded for word in words(text))
    for one in options:
        is_begun = len(one) >= _LONG and any(word.startswith(one.casefold()) for word in begins)
        if root(one.casefold()) in heard or is_begun:
            return one
    return ""


def _without_filling(found: Sequence[Word]) -> Sequence[Word]:
    """Return words without those at both ends that only hold a sentence together."""
    telling = [at for at, word in enumerate(found) if word.kind != "sign" and not is_filling(word)]
    return found[telling[0] : telling[-1] + 1] if telling else ()


def without_filling(text: str) -> str:
    """Return a text without the words at both ends that only hold a sentence together."""
    kept = _without_filling(words(text))
    return text[kept[0].start : kept[-1].end] if kept else ""


def _named_in(parameters: Sequence[_Parameter], text: str) -> dict[str, str]:
    """Return what stands behind the names of parameters: ``colour: red``, ``max rows = 5``, ``week=23``."""
    found: dict[str, str] = {}
    for one in parameters:
        quoted = r"\"([^\"]+)\"|\u201c([^\u201d]+)\u201d|'([^']+)'"
        bare = (
            r"(.+?)(?=[,;]\s*\w[\w ]*[:=]|[;\n]|\Z)"
            if one.kind == "array"
            else r"([^,;\n]+?)(?=\s+\w+\s*[:=]|[,;\n]|\Z)"
        )
        match = re.search(rf"(?<!\w){_words_of(one.name)}\s*[:=]\s*(?:{quoted}|{bare})", text, re.IGNORECASE)
        if match is not None:
            found[one.name] = next(part for part in match.groups() if part).strip()
    return found


def says_name(tool: ToolSchema, text: str) -> bool:
    """Tell whether a text has all words of a tool's name, in whatever language: "send a parcel" and ``parcel_send``."""
    heard = _keys(text)
    return all(_keys(part) & heard for part in spelled(tool.name).split("_") if _keys(part))


def named_in(tool: ToolSchema, text: str) -> dict[str, str]:
    """Return what a request says of parameters by their names: ``guest: Ann``."""
    return _named_in(_parameters(tool), text)


def _words_of(name: str) -> str:
    """Return the pattern of a parameter's name as somebody may write it."""
    return r"[\s_-]*".join(re.escape(part) for part in _SPLIT.split(name) if part)


def _labelled(name: str, text: str) -> str:
    """Return what the learned reader takes for a parameter whose name it knows from other tools; else nothing."""
    found = reader().arguments(text, "", [name]) if name in reader().roles else {}
    return next(iter(found.get(name, ())), "")


def spelled(name: str) -> str:
    """Write the name of a parameter in one way.

    Examples
    --------
    >>> spelled("orderId"), spelled("order-id")
    ('order_id', 'order_id')
    """
    return "_".join(_SPLIT.split(name)).casefold()


# -- tools that are called like those of the package ------------------------------------------------------------------


def mapped(tool: ToolSchema, step: Step, language: str) -> Step:
    """Give the words of a step to the parameters that a tool really has, where it is called with others or lacks some.

    Parameters
    ----------
    tool : ToolSchema
    step : Step
        Its arguments may go by other names: those that the reader learned for a tool that is called the same.
    language : str

    Examples
    --------
    >>> shape = {"properties": {"text": {"type": "string"}, "copies": {"type": "integer"}}, "required": ["text", "copies"]}
    >>> said = Step("crypto_encrypt", {"data": ("hello",)}, text="encrypt hello with 2 copies")
    >>> dict(mapped(ToolSchema(name="crypto_encrypt", description="", parameters=shape), said, "en").arguments)
    {'text': ('hello',), 'copies': ('2',)}
    """
    shapes = shapes_of(tool)
    given = {name: values for name, values in step.arguments.items() if name in shapes}
    left = {name: values for name, values in step.arguments.items() if name not in shapes and name != "*"}
    lacking = [name for name in required_of(tool) if name in shapes and name not in given]
    free = [name for name in shapes if name not in given and name not in lacking]
    for name in (*lacking, *(free if len(free) == 1 else ())):
        wants_time = _TIMES.search(name.casefold()) is not None
        fitting = [role for role, values in left.items() if _fits(values, shapes[name])]
        if role := next((one for one in fitting if (_TIMES.search(one) is not None) == wants_time), ""):
            given[name] = left.pop(role)
        elif name in lacking and "enum" not in shapes[name] and wants_time and (when := time_said(step.text, language)):
            given[name] = (when,)
    if (still := [name for name in lacking if name not in given]) and step.text:
        found = step_for(tool, step.text).arguments
        taken = [word for words in given.values() for word in words]
        given |= {
            name: found[name]
            for name in still
            if name in found and not any(said in word for said in found[name] for word in taken)
        }
    return step._replace(arguments={**given, "*": step.arguments.get("*", ())}).with_arguments()


def _fits(values: Sequence[str], shape: Mapping[str, Any]) -> bool:
    """Tell whether words may be the value of a parameter, by its type."""
    if isinstance(options := shape.get("enum"), list):
        return any(plain(value) == plain(str(one)) for value in values for one in options)
    is_number = all(value.replace(".", "", 1).isdigit() for value in values)
    kind = shape.get("type", "string")
    return is_number if kind in _NUMERIC else kind in {"string", "array"}


def read_value(words: tuple[str, ...], shape: Mapping[str, Any]) -> Any:
    """Read words as a value of a schema; ``None`` when they are none.

    Examples
    --------
    >>> read_value(("three",), {"type": "integer"}), read_value(("2,5",), {"type": "number"})
    (3, 2.5)
    >>> read_value(("a, b and c",), {"type": "array", "items": {"type": "string"}}), read_value(("Nein",), {"type": "boolean"})
    (['a', 'b', 'c'], False)
    >>> read_value(("summaries",), {"enum": ["summary", "links"]}), read_value(("soon",), {"type": "integer"})
    ('summary', None)
    """
    text = "\n".join(words)
    if isinstance(options := shape.get("enum"), list) and options:
        by_name = {str(option): option for option in options}
        found = pick(text, by_name)
        return by_name.get(found.name)
    match shape.get("type"):
        case "integer":
            return rank(text)
        case "number":
            value = number(text)
            return float(value) if value is not None else rank(text)
        case "boolean":
            return truth(text.strip())
        case "array":
            parts = [part for word in words for part in AND.split(word) if part.strip()]
            items = shape.get("items")
            values = [read_value((part.strip(),), items if isinstance(items, dict) else {}) for part in parts]
            return None if None in values else values
        case "object":
            return _object(text)
        case _:
            return text


def _object(text: str) -> Any:
    try:
        read = json.loads(text)
    except ValueError:
        pairs = [re.split(r"\s*[:=]\s*", part, maxsplit=1) for part in re.split(r"\s*[,;\n]\s*", text) if part]
        return {pair[0]: pair[1] for pair in pairs} if pairs and all(len(pair) > 1 for pair in pairs) else None
    return read if isinstance(read, dict) else None


def time_said(text: str, language: str) -> str:
    """Return the words of a request that say when, or how often; empty where none do.

    Examples
    --------
    >>> time_said("remind me every tuesday at 9: bring the folders", "en"), time_said("remind me to call Ann", "en")
    ('every tuesday at 9', '')
    """
    found = words(text.partition("\n")[0])
    told = lexicon_of(language).concepts(found)
    begin = next((at for at, one in enumerate(told) if "each" in one or (one & _WHEN and "all" not in one)), None)
    if begin is None:
        return ""
    end = last = begin
    while end < len(found) and found[end].kind != "sign":
        if told[end] & _WHEN or found[end].kind in {"number", "measure"}:
            last = end
        elif not (is_small(found[end].text) or is_small_in(found[end].folded, language)) and end > begin + 1:
            break
        end += 1
    return text[found[begin].start : found[last].end] if last > begin or told[begin] & _WHEN else ""
