"""Tools of one's own, of which the reader knows nothing: which is meant, and what it is called with.

Both are told by what the author of a tool wrote: its name, its description, the names, types and descriptions of its
parameters. A tool that is called like one of the package may take other arguments: they are mapped to its own schema.

    show hive H3 ── a wish ── hive_show: hive_id H3
    and H4 ──────── the same with another word
    show hive ───── it asks for the hive id ── H5 ── the answer
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any, NamedTuple

from lango_nb.core.json_value import JsonValue
from lango_nb.core.messages import ToolSchema
from lango_nb.models.offline.followups import HALF, WISHING, last_of
from lango_nb.models.offline.lexicon import Word, concepts_of, is_small_in, lexicon, lexicon_of, words
from lango_nb.models.offline.names import is_asking, is_pointer, is_small, pick, plain, rank
from lango_nb.models.offline.operations import number, truth
from lango_nb.models.offline.plan import Context, Reading, Step, acts, is_change, is_talk
from lango_nb.models.offline.reader import FOLLOWS, reader
from lango_nb.routing.capabilities import action, parts_of_action, router_family
from lango_nb.routing.function_words import FUNCTION_WORDS
from lango_nb.routing.router import Router, router_for
from lango_nb.routing.table import RoutingRow, RoutingTable
from lango_nb.routing.words import stems

LEAST, _CLEARLY, _SURELY = 4.0, 5.5, 8.0
"""Scores from which a tool is meant at all, rather than a look that was surely read, and rather than a change or a file."""
_FEW = 4
"""Words that an argument may have that nobody asked for."""
_SURE = 0.8
"""Confidence from which a change was surely read."""
_SHORT = 9
"""Words that an answer may have, and a request that goes on from the one before."""
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
_AND = re.compile(r"\s*[,;\u3001\uff0c]\s*(?:(?:and|und|et|y|e|en|i)\s+)?|\s+(?:and|und|et|y|e|en|i)\s+|と|和")
_NUMERIC = frozenset(("integer", "number"))
_OFF = frozenset(("no", "not", "none"))
_TIMES = re.compile(r"schedule|when|time|cron|interval|every")
_WHEN = frozenset(("day", "date", "schedule", "time", "each"))
"""Concepts of words that say when something is to happen."""


# -- which there are ---------------------------------------------------------------------------------------------------


class OwnTools:
    """Tools that the reader knows nothing of.

    Parameters
    ----------
    tools : tuple of ToolSchema
    actions : tuple of str
        What a routing table says of each.
    others : frozenset of str, optional
        Tools that may be called beside them, where that is known.
    """

    def __init__(
        self, tools: tuple[ToolSchema, ...] = (), actions: tuple[str, ...] = (), others: frozenset[str] | None = None
    ) -> None:
        self._others = others
        self._by_name = {tool.name: tool for tool in tools}
        rows = (RoutingRow(tool.name, actions=(told,)) for tool, told in zip(tools, actions, strict=True))
        self._table = RoutingTable(tuple(rows))

    def __bool__(self) -> bool:
        """Whether there are any."""
        return bool(self._by_name)

    def get(self, name: str) -> ToolSchema | None:
        """Return the tool of a name; ``None`` where there is none."""
        return self._by_name.get(name)

    def lack(self, act: str) -> bool:
        """Tell whether nothing that may be called does something else that can be wanted."""
        row = acts().get(act)
        return row is not None and bool(row.tool) and self._others is not None and row.tool not in self._others

    @property
    def router(self) -> Router:
        """The router that chooses among them, as if each were an agent."""
        return router_for(self._table)


NO_TOOLS = OwnTools()


def own_among(tools: Sequence[ToolSchema]) -> OwnTools:
    """Return those of some tools that the reader knows nothing of; for the same tools the same object."""
    others = tuple(tool for tool in tools if router_family(tool.name))
    found = tuple(tool for tool in tools if not router_family(tool.name))
    written = tuple((tool.name, tool.description, json.dumps(tool.parameters)) for tool in found)
    return _own_tools(written, frozenset(tool.name for tool in others)) if found else NO_TOOLS


@lru_cache(maxsize=64)
def _own_tools(written: tuple[tuple[str, str, str], ...], others: frozenset[str]) -> OwnTools:
    tools = [ToolSchema(name=name, description=said, parameters=json.loads(takes)) for name, said, takes in written]
    return OwnTools(tuple(tools), tuple(map(action, tools)), others)


def own_in(table: RoutingTable) -> OwnTools:
    """Return what a routing table tells of such tools: their names and words, and the names of what they take."""
    return _told_tools(tuple(action for row in table for action in row.actions))


@lru_cache(maxsize=64)
def _told_tools(actions: tuple[str, ...]) -> OwnTools:
    found: dict[str, tuple[ToolSchema, str]] = {}
    for told in actions:
        name, said, taken = parts_of_action(told)
        names = [re.sub(r"\s*\(.*", "", part).replace(" ", "_") for part in re.split(r",\s*(?![^(]*\))", taken) if part]
        takes: JsonValue = {one: {} for one in names}
        tool = ToolSchema(name=name.replace(" ", "_"), description=said, parameters={"properties": takes})
        if not router_family(tool.name):
            found.setdefault(tool.name, (tool, told))
    return OwnTools(tuple(tool for tool, _ in found.values()), tuple(told for _, told in found.values()))


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


# -- which a request means ---------------------------------------------------------------------------------------------


def of_own_tools(own: OwnTools, reading: Reading, request: str, context: Context) -> Reading | None:
    """Read a request as one to a tool of one's own: a wish, the answer to what such a tool lacked, or more of the same.

    Parameters
    ----------
    own : OwnTools
    reading : Reading
        What the reader makes of the request.
    request : str
    context : Context
        What was said before.

    Returns
    -------
    Reading or None
        ``None`` when it is about something else.
    """
    if (named := _asked_about(own, request)) is not None:
        return Reading((Step("about.owner", {"tool": (named.name,)}, text=request),), 1.0, reading.language)
    wished = _wished(own, reading, request)
    last = last_of(context)
    tool = own.get(last.act) if last is not None else None
    if last is None or tool is None:
        return wished
    step = None
    if context.asked is not None and context.missing == "*":
        if wished is not None and [one.act for one in wished.steps] == [tool.name]:
            step = wished.steps[0].with_arguments(**{**last.arguments, **wished.steps[0].arguments})
        elif wished is None and _may_answer(reading, request):
            step = _answered(tool, last, request)
    elif wished is None and _may_go_on(reading, request) and not any(own.get(word.text) for word in words(request)):
        step = _changed(tool, last, request)
    return wished if step is None else Reading((step,), 1.0, reading.language)


def _asked_about(own: OwnTools, request: str) -> ToolSchema | None:
    """Return the tool that a question is about, and not for: "what does hive_show do?"."""
    telling = [word.text for word in words(request) if word.kind != "sign" and not _is_filling(word)]
    return own.get(telling[0]) if len(telling) == 1 and is_asking(request) else None


def _wished(own: OwnTools, reading: Reading, request: str) -> Reading | None:
    """Return a reading with the tools that a request speaks of, step by step; ``None`` where it speaks of none."""
    steps: list[Step] = []
    sure: list[float] = []
    for one, text, confidence in _pieces(reading, request):
        step = _meant(own, one, text, confidence)
        steps.append(step or one)
        sure.append(1.0 if step is not None else confidence)
    if not any(own.get(step.act) for step in steps) or any(one.act == "unclear" for one in steps):
        return None
    for at, (step, then) in enumerate(pairwise(steps)):
        is_result = not then.word("text") or is_pointer(then.word("text"), "answer")
        is_written = then.act in {"write", "append"} and is_result and bool(then.word("file"))
        if own.get(step.act) and is_written and not then.destination:  # "… and write that to a.txt"
            steps[at] = step.with_arguments(to=then.arguments["file"])._replace(destination=then.act)
            del steps[at + 1], sure[at + 1]
            break
    return Reading(tuple(steps), min(sure), reading.language, each=tuple(sure) if len(sure) > 1 else ())


def _pieces(reading: Reading, request: str) -> Iterator[tuple[Step, str, float]]:
    """Iterate over the steps of a request, each with its words and how sure it is, parted where the reader did not."""
    steps = reading.steps or (Step("unclear", {}, text=request),)
    for step, sure in zip(steps, reading.each or (reading.confidence,) * len(steps), strict=True):
        text = step.text if len(steps) > 1 else request
        texts = [text] if step.destination and len(steps) == 1 else _parted(text)
        if len(texts) == 1:
            yield step, texts[0], sure
            continue
        for part in texts:
            read = reader().read(part)
            for one in read.steps:
                yield one, one.text if len(read.steps) > 1 else part, read.confidence


def _parted(request: str) -> list[str]:
    """Part a request where another wish begins: behind a word for "then", or one for "and" that a verb follows.

    Examples
    --------
    >>> _parted("list 2 hives, then print 2 labels that say salt and pepper and delete them")
    ['list 2 hives', 'print 2 labels that say salt and pepper', 'delete them']
    """
    found = words(request)
    told = lexicon().concepts(found)
    cuts = [next((at for at, means in enumerate(told) if not means & {"and", "then"}), 0)]
    for at, (means, after) in enumerate(pairwise(told)):
        is_then = "then" in means and bool(after & WISHING)
        if (is_then or ("and" in means and after & WISHING)) and not found[at].is_quoted and at > cuts[-1]:
            cuts.append(at + 1)
    texts = []
    for begin, end in pairwise((*cuts, len(found) + 1)):
        piece = found[begin : end - 1]
        while piece and (piece[-1].kind == "sign" or told[begin + len(piece) - 1] & {"and", "then"}):
            piece = piece[:-1]
        if piece:
            texts.append(request[piece[0].start : piece[-1].end if end <= len(found) else None])
    return texts


def _meant(own: OwnTools, first: Step, text: str, confidence: float) -> Step | None:
    """Return the step with the tool that is meant; ``None`` where what was read is the likelier."""
    choice = choose(own, text)
    if choice is None:
        return None
    takes_files = any(_SHAPED[2][0].search(spelled(name)) for name in shapes_of(choice.tool))
    is_sure = first.act in acts() and first.act not in {"unclear", *FOLLOWS} and confidence >= HALF
    is_sure = is_sure and not own.lack(first.act)
    names_file = not takes_files and any(word.kind in {"file", "folder"} for word in words(text))
    least = _SURELY if names_file or (is_change(first.act) and confidence >= _SURE) else _CLEARLY
    if is_sure and (choice.score < least or first.act.startswith("about.")):
        return None
    step = step_for(choice.tool, text)
    return step.with_arguments(to=first.arguments.get("to", ()))._replace(destination=first.destination)


def _is_wish(request: str) -> bool:
    """Tell whether a request says what is to be done, or asks: then it neither answers nor goes on."""
    found = words(request)
    return len(found) > _SHORT or any(told & WISHING for told in lexicon().concepts(found)[:2])


def _may_answer(reading: Reading, request: str) -> bool:
    act = reading.steps[0].act if len(reading.steps) == 1 else ""
    is_other = act in {"yes", "no", "undo"} or any(word.kind == "file" for word in words(request))
    is_other = is_other and act != "unclear" and reading.confidence >= HALF
    return bool(act) and not (is_other or _is_wish(request) or is_asking(request))


def _may_go_on(reading: Reading, request: str) -> bool:
    act = reading.steps[0].act if len(reading.steps) == 1 else ""
    is_other = act not in {"unclear", *FOLLOWS} and (is_talk(act) or reading.confidence >= HALF)
    return bool(act) and not (is_other or _is_wish(request))


def _answered(tool: ToolSchema, asked: Step, request: str) -> Step:
    """Give an answer to the parameters that it fits: those that were said wrongly, else those that are lacking.

    Examples
    --------
    >>> shape = {"properties": {"text": {"type": "string"}, "copies": {"type": "integer"}}, "required": ["text", "copies"]}
    >>> tool = ToolSchema(name="print", description="", parameters=shape)
    >>> dict(_answered(tool, Step("print", {}), "12").arguments), dict(_answered(tool, Step("print", {}), "May 2023").arguments)
    ({'copies': ('12',)}, {'text': ('May 2023',)})
    """
    shapes, said = shapes_of(tool), request.strip(" .!")
    given = {name: given for name, given in asked.arguments.items() if name in shapes}
    wrong = [name for name, given in given.items() if read_value(given, shapes[name]) is None]
    lacking = [name for name in required_of(tool) if name in shapes and name not in given]
    wanted = wrong or lacking or [name for name in shapes if name not in given] or list(shapes)
    parts = [part.strip() for part in _AND.split(said) if part.strip()]
    found: dict[str, tuple[str, ...]] = {}
    for part in parts if len(parts) > 1 else ():
        name = next((name for name in wanted if name not in found and _is_value(part, shapes[name])), "")
        found |= {name: (part,)}
    if "" in found or len(found) < len(parts):
        fitting = [name for name in wanted if _is_value(said, shapes[name])]
        texts = [name for name in wanted if shapes[name].get("type", "string") in {"string", "array"}]
        open_texts = [name for name in texts if "enum" not in shapes[name]]
        found = {next(iter([*fitting, *open_texts, *wanted])): (said,)}
    return asked.with_arguments(**found)


def _is_value(said: str, shape: Mapping[str, Any]) -> bool:
    """Tell whether words are what a parameter that takes no text wants, and nothing else."""
    if isinstance(options := shape.get("enum"), list):
        return any(plain(said) == plain(str(one)) for one in options)
    match shape.get("type"):
        case "integer" | "number":
            is_only = all(word.kind != "word" or rank(word.text) is not None for word in words(said))
            return is_only and read_value((said,), shape) is not None
        case "boolean":
            return truth(said) is not None
        case _:
            return False


def _changed(tool: ToolSchema, last: Step, request: str) -> Step | None:
    """Return the step before with what a later request says in its place; ``None`` where it says nothing for it."""
    found = dict(step_for(tool, request).arguments)
    shapes = shapes_of(tool)
    texts = [one for one in last.arguments if one in shapes and shapes[one].get("type", "string") == "string"]
    if not found and len(texts) == 1 and (kept := _without_filling(words(request))):
        found = {texts[0]: (request[kept[0].start : kept[-1].end],)}
    return last.with_arguments(**found)._replace(text=request, destination="") if found else None


def _without_filling(found: Sequence[Word]) -> Sequence[Word]:
    """Return words without those at both ends that only hold a sentence together."""
    telling = [at for at, word in enumerate(found) if word.kind != "sign" and not _is_filling(word)]
    return found[telling[0] : telling[-1] + 1] if telling else ()


class Choice(NamedTuple):
    """Which tool a request means."""

    tool: ToolSchema
    score: float
    """What the router says of it, in log-odds."""


def choose(own: OwnTools, text: str) -> Choice | None:
    """Choose the tool whose name and description a request speaks of, as the router chooses among agents.

    Parameters
    ----------
    own : OwnTools
    text : str

    Returns
    -------
    Choice or None
        ``None`` when the request speaks of none.

    Examples
    --------
    >>> own = own_among([ToolSchema(name="table_book", description="Book a table."), ToolSchema(name="menu_show", description="The menu.")])
    >>> choose(own, "please book us a table").tool.name, choose(own, "what time is it")
    ('table_book', None)
    """
    named = [tool for word in words(text) if (tool := own.get(word.text)) is not None]
    if named:
        return Choice(named[0], _SURELY)
    route = own.router.route(text)
    tool = own.get(route.chosen or "")
    score = route.candidates[0].score if route.candidates else 0.0
    return Choice(tool, score) if tool is not None and score >= LEAST else None


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
    found |= _switched(shapes, text, found)
    lacking = [name for name in required if name in shapes and name not in found and "enum" not in shapes[name]]
    wanted = lacking if lacking or found else [name for name in shapes if "enum" not in shapes[name]]
    texts = [name for name in wanted if shapes[name].get("type", "string") == "string"]
    only = texts[0] if len(texts) == 1 and not _CODE.search(spelled(texts[0])) else ""
    said = _behind_name(tool, free, text) if only else ""
    if said and (only in required or len(said.split()) <= _FEW):
        found[only] = said
    found |= _as_labelled([name for name in lacking if name not in found], text, taken=found.values())
    if (
        only
        and only not in found
        and (rest := _unheard(tool, free, text))
        and (only in required or len(rest.split()) <= _FEW)
    ):
        found[only] = rest
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
            parts = [part for word in words for part in _AND.split(word) if part.strip()]
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


def _named_in(shapes: Mapping[str, Mapping[str, Any]], text: str) -> dict[str, str]:
    """Return what stands behind the names of parameters: ``colour: red``, ``max rows = 5``."""
    found: dict[str, str] = {}
    for name in shapes:
        bare = r"(.+?)(?=[,;]\s*\w[\w ]*[:=]|[;\n]|\Z)" if shapes[name].get("type") == "array" else r"([^,;\n]+)"
        match = re.search(
            rf"(?<!\w){_words_of(name)}\s*[:=]\s*(?:\"([^\"]+)\"|“([^”]+)”|'([^']+)'|{bare})", text, re.IGNORECASE
        )
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


def _switched(shapes: Mapping[str, Mapping[str, Any]], text: str, found: Mapping[str, str]) -> dict[str, str]:
    """Return what is said of parameters that are on or off: "glossy", "glossy no", "not glossy".

    Examples
    --------
    >>> _switched({"glossy": {"type": "boolean"}}, "5 glossy labels", {}), _switched({"glossy": {"type": "boolean"}}, "not glossy", {})
    ({'glossy': 'yes'}, {'glossy': 'no'})
    """
    said = {}
    for name in (name for name, shape in shapes.items() if shape.get("type") == "boolean" and name not in found):
        match = re.search(rf"(\S+\s+)?(?<!\w){_words_of(name)}(?!\w)\s*(\w+)?", text, re.IGNORECASE)
        if match is not None:
            is_off = bool(concepts_of(match[1] or "") & _OFF) or truth(match[2] or "") is False
            said[name] = "no" if is_off else "yes"
    return said


def _words_of(name: str) -> str:
    """Return the pattern of a parameter's name as somebody may write it."""
    return r"[\s_-]*".join(re.escape(part) for part in _SPLIT.split(name) if part)


def _as_labelled(names: Sequence[str], text: str, taken: Iterable[str]) -> dict[str, str]:
    """Return what the learned reader takes for parameters whose names it knows from other tools."""
    known = [name for name in names if name in reader().roles]
    if not known:
        return {}
    found = reader().arguments(text, "", known)
    used = {*taken, text}
    return {name: values[0] for name, values in found.items() if values and values[0] not in used}


def spelled(name: str) -> str:
    """Write the name of a parameter in one way.

    Examples
    --------
    >>> spelled("orderId"), spelled("order-id")
    ('order_id', 'order_id')
    """
    return "_".join(_SPLIT.split(name)).casefold()


def _behind_name(tool: ToolSchema, free: Sequence[Word], text: str) -> str:
    """Return a quotation, else what a request says behind the words that name the tool."""
    quoted = [word for word in free if word.is_quoted]
    if quoted:
        return text[quoted[0].start : quoted[-1].end]
    left = [word for word in free if word.kind != "sign"]
    said = _naming(tool, left)
    rest = _without_filling(left[said[-1] + 1 :]) if said else ()
    return text[rest[0].start : rest[-1].end].strip(" ?.!") if rest else ""


def _naming(tool: ToolSchema, left: Sequence[Word]) -> list[int]:
    """Return the places of the words that a tool is told with."""
    told = frozenset(stems(action(tool)))
    return [place for place, word in enumerate(left) if not _is_filling(word) and told.intersection(stems(word.text))]


def _is_filling(word: Word) -> bool:
    """Tell whether a word only holds a sentence together."""
    return is_small(word.text) or word.text.casefold() in FUNCTION_WORDS


def _unheard(tool: ToolSchema, free: Sequence[Word], text: str) -> str:
    """Return the first words behind each other that mean nothing the lexicon knows: what a tool is asked about."""
    left = [word for word in free if word.kind != "sign"]
    naming = _naming(tool, left)
    left = [word for place, word in enumerate(left) if place not in naming]
    run: list[Word] = []
    for word, known in zip(left, lexicon().concepts(left), strict=True):
        if not known and not is_small(word.text):
            run.append(word)
        elif run:
            break
    return text[run[0].start : run[-1].end].strip(" ?.!") if run else ""
