"""Tools of one's own, of which the reader knows nothing: which is meant, and what it is called with.

Both are told by what the author of a tool wrote: its name, its description, the names, types and descriptions of its
parameters. A tool that is called like one of the package may take other arguments: they are mapped to its own schema.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from lango_nb.core.messages import ToolSchema
from lango_nb.models.offline.conversation import required_of, shapes_of
from lango_nb.models.offline.lexicon import Word, concepts_of, is_small_in, lexicon, lexicon_of, words
from lango_nb.models.offline.names import is_small, plain
from lango_nb.models.offline.plan import Step
from lango_nb.models.offline.reader import reader
from lango_nb.routing.words import stems

LEAST = 1.0
"""Score from which a tool is meant at all."""
_NAME = 2.0
"""Weight of a word of a tool's name, beside one of its description."""
_CONCEPT = 0.7
"""Weight of a concept that a request and a tool share, beside a word."""
_FEW = 4
"""Words that an argument may have that nobody asked for."""
_STOP = frozenset(
    stems(
        "a an the of to in on for from with by and or it its is are be this that what which all any one as at me my our "
        "your i we you please can could would give get do does did has have tool name value"
    )
)
_SPLIT = re.compile(r"(?<=[a-z])(?=[A-Z])|[_\W]+")
_CODE = re.compile(r"(?:^|[_ ])(?:id|code|ref|reference|number|nr|no|key)$")
_SHAPED: tuple[tuple[re.Pattern[str], frozenset[str]], ...] = (
    (re.compile(r"ur[li]|link|site|web"), frozenset(("url",))),
    (re.compile(r"mail|recipient"), frozenset(("mail",))),
    (re.compile(r"path|file|folder|directory"), frozenset(("file", "folder"))),
    (_CODE, frozenset(("id", "number"))),
    (re.compile(r"date|day|when|from|until|since"), frozenset(("number",))),
)
_DAY = re.compile(r"(?<![\w.-])(?:\d{4}-\d\d(?:-\d\d)?|\d{1,2}[./]\d{1,2}[./]\d{2,4}|\d{1,2}:\d\d)(?![\w-])")
_DATE = re.compile(rf"{_DAY.pattern}|(?<![\w.-])\d{{1,2}}[./]\d{{1,2}}(?![\w-])")
_NUMERIC = frozenset(("integer", "number"))
_TIMES = re.compile(r"schedule|when|time|cron|interval|every")
_WHEN = frozenset(("day", "date", "schedule", "time", "each"))
"""Concepts of words that say when something is to happen."""


class Choice(NamedTuple):
    """Which tool a request means."""

    tool: ToolSchema
    score: float


def choose(tools: Sequence[ToolSchema], text: str) -> Choice | None:
    """Choose the tool whose name and description a request speaks of.

    Parameters
    ----------
    tools : sequence of ToolSchema
    text : str

    Returns
    -------
    Choice or None
        ``None`` when the request speaks of none.

    Examples
    --------
    >>> tools = [ToolSchema(name="table_book", description="Book a table."), ToolSchema(name="menu_show", description="The menu.")]
    >>> choose(tools, "please book us something").tool.name, choose(tools, "what time is it")
    ('table_book', None)
    """
    if not tools:
        return None
    asked, meant = _heard(text)
    told = [_told(tool.name, tool.description, tuple(shapes_of(tool))) for tool in tools]
    rated = [(_score(asked, meant, one, told), place) for place, one in enumerate(told)]
    best, place = max(rated, key=lambda pair: (pair[0], -pair[1]))
    if best < LEAST:
        return None
    return Choice(tools[place], best)


class _Told(NamedTuple):
    name: frozenset[str]
    words: frozenset[str]
    concepts: frozenset[str]


def _score(asked: frozenset[str], meant: frozenset[str], one: _Told, every: Sequence[_Told]) -> float:
    """Add up the words that a request shares with a tool; those that every tool has say nothing."""
    total = 0.0
    for word in asked & one.words:
        total += _rarity(sum(word in other.words for other in every), len(every)) * (_NAME if word in one.name else 1.0)
    for concept in meant & one.concepts:
        total += _CONCEPT * _rarity(sum(concept in other.concepts for other in every), len(every))
    return total


def _rarity(having: int, count: int) -> float:
    return 1.0 if count == 1 else math.log(1 + count / having) / math.log(1 + count)


def _heard(text: str) -> tuple[frozenset[str], frozenset[str]]:
    return frozenset(stems(text)) - _STOP, concepts_of(text)


@lru_cache(maxsize=1024)
def _told(name: str, description: str, parameters: tuple[str, ...]) -> _Told:
    spoken = " ".join(part for part in _SPLIT.split(name) if part)
    text = f"{spoken} {description} {' '.join(parameters)}".replace("_", " ")
    named, (every, concepts) = frozenset(stems(spoken)) - _STOP, _heard(text)
    return _Told(named, every | named, concepts)


def step_for(tool: ToolSchema, text: str) -> Step:
    """Read what a tool is to be called with.

    Parameters
    ----------
    tool : ToolSchema
    text : str
        The request.

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
    shapes = shapes_of(tool)
    required = required_of(tool)
    found = _named_in(shapes, text)
    free = [word for word in words(text) if not any(word.text in value for value in found.values())]
    order = sorted(shapes, key=lambda name: name not in required)
    for name in order:
        if name not in found and (value := _by_shape(name, shapes[name], free, text)):
            found[name] = value
            free = [word for word in free if word.text not in value]
    lacking = [name for name in required if name in shapes and name not in found]
    found |= _as_labelled(lacking, text, taken=found.values())
    lacking = [name for name in lacking if name not in found and shapes[name].get("type", "string") == "string"]
    if not (lacking or found):
        texts = [
            name for name, shape in shapes.items() if shape.get("type", "string") == "string" and "enum" not in shape
        ]
        lacking = texts if len(texts) == 1 else []
    if (
        len(lacking) == 1
        and not _CODE.search(spelled(lacking[0]))  # what is left of a request is not a number or a code
        and (rest := _rest(tool, free, text))
        and (lacking[0] in required or len(rest.split()) <= _FEW)
    ):
        found[lacking[0]] = rest
    return Step(tool.name, {name: (value,) for name, value in found.items()}, text=text)


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


def _named_in(shapes: Mapping[str, Mapping[str, Any]], text: str) -> dict[str, str]:
    """Return what stands behind the names of parameters: ``colour: red``, ``max rows = 5``."""
    found: dict[str, str] = {}
    for name in shapes:
        spoken = r"[\s_-]*".join(re.escape(part) for part in _SPLIT.split(name) if part)
        bare = r"(.+?)(?=[,;]\s*\w[\w ]*[:=]|[;\n]|\Z)" if shapes[name].get("type") == "array" else r"([^,;\n]+)"
        match = re.search(rf"(?<!\w){spoken}\s*[:=]\s*(?:\"([^\"]+)\"|“([^”]+)”|'([^']+)'|{bare})", text, re.IGNORECASE)
        if match is not None:
            found[name] = next(part for part in match.groups() if part).strip()
    return found


def _by_shape(name: str, shape: Mapping[str, Any], free: Sequence[Word], text: str) -> str:
    """Return a word that is what a parameter wants by its shape; empty when there is none."""
    if isinstance(options := shape.get("enum"), list):
        said = f" {plain(text)} "
        return next((str(one) for one in options if f" {plain(str(one))} " in said), "")
    kind = shape.get("type")
    if kind in _NUMERIC:
        days = [found.span() for found in _DAY.finditer(text)]
        numbers = (word for word in free if word.kind == "number")
        return next((one.text for one in numbers if not any(a <= one.start < b for a, b in days)), "")
    if kind not in {None, "string"}:
        return ""
    folded = spelled(name)
    for pattern, kinds in _SHAPED:
        if pattern.search(folded):
            if "date" not in pattern.pattern:
                return next((one.text for one in free if one.kind in kinds), "")
            return next(
                (one[0] for one in _DATE.finditer(text) if any(one.start() <= w.start < one.end() for w in free)), ""
            )
    return ""


def _as_labelled(names: Sequence[str], text: str, taken: Iterable[str]) -> dict[str, str]:
    """Return what the learned reader takes for parameters whose names it knows from other tools."""
    known = [name for name in names if name in reader().roles]
    if not known:
        return {}
    found = reader().arguments(text, "", known)
    used = set(taken)
    return {name: values[0] for name, values in found.items() if values and values[0] not in used}


def spelled(name: str) -> str:
    """Write the name of a parameter in one way.

    Examples
    --------
    >>> spelled("orderId"), spelled("order-id")
    ('order_id', 'order_id')
    """
    return "_".join(_SPLIT.split(name)).casefold()


def _rest(tool: ToolSchema, free: Sequence[Word], text: str) -> str:
    """Return a quotation, else what a request says behind the words that name the tool."""
    quoted = [word for word in free if word.is_quoted]
    if quoted:
        return text[quoted[0].start : quoted[-1].end]
    told = _told(tool.name, tool.description, tuple(shapes_of(tool)))
    left = [word for word in free if word.kind != "sign"]
    said = [place for place, word in enumerate(left) if set(stems(word.text)) & told.words]
    rest = left[said[-1] + 1 :] if said else []
    while rest and (is_small(rest[0].text) or set(stems(rest[0].text)) <= _STOP):
        rest = rest[1:]
    while rest and is_small(rest[-1].text):
        rest = rest[:-1]
    rest = rest or _unheard([word for place, word in enumerate(left) if place not in said])
    return text[rest[0].start : rest[-1].end].strip(" ?.!") if rest else ""


def _unheard(left: Sequence[Word]) -> list[Word]:
    """Return the first words behind each other that mean nothing the lexicon knows: what a tool is asked about."""
    run: list[Word] = []
    for word, known in zip(left, lexicon().concepts(left), strict=True):
        if not known and not is_small(word.text):
            run.append(word)
        elif run:
            break
    return run
