"""Tools of one's own, of which the reader knows nothing: which is meant is told by what their authors wrote of them.

show hive H3 ── a wish ── hive_show: hive_id H3
and H4 ──────── the same with another word
show hive ───── it asks for the hive id ── H5 ── the answer
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from functools import lru_cache
from itertools import pairwise
from typing import Any, NamedTuple

from lango_nb.core.json_value import JsonValue
from lango_nb.core.messages import ToolSchema
from lango_nb.models.offline.arguments import (
    AND,
    ANY,
    is_filling,
    is_known,
    is_number,
    named_in,
    option_in,
    read_value,
    required_of,
    says_name,
    shapes_of,
    spelled,
    step_for,
    without_filling,
)
from lango_nb.models.offline.followups import HALF, WISHING, last_of
from lango_nb.models.offline.lexicon import ASK_SIGNS, lexicon, words
from lango_nb.models.offline.names import is_asking, is_pointer, plain
from lango_nb.models.offline.operations import truth
from lango_nb.models.offline.plan import Context, Reading, Step, acts, is_change
from lango_nb.models.offline.reader import FOLLOWS, reader
from lango_nb.routing.capabilities import action, parts_of_action, router_family
from lango_nb.routing.router import Router, router_for
from lango_nb.routing.table import RoutingRow, RoutingTable
from lango_nb.tools.builtin import builtin_tools

LEAST, _LIKELY, _CLEARLY, _SURELY = 4.0, 4.5, 5.5, 8.0
"""Scores from which a tool is meant at all, rather than a look that was read or surely read, rather than a change or a file."""
_OF_FILES = re.compile(r"path|file|folder|directory")
_OF_FILE_WORDS = frozenset("file folder line word row column task character".split())
_MANNERS = frozenset("thanks greeting farewell joke weather".split())
_ASKING = frozenset("what who where when why which many how".split())
_WRITING = frozenset(("write", "append"))
_CHATTY = 0.9
"""Confidence from which a request is small talk, whatever words it has."""
_SURE = 0.8
"""Confidence from which a change was surely read."""
_OPTION = 2.0
"""What it adds to a tool's score that a request names one of the values it takes."""
_FEW_FIRST = 3
"""Words among which a question says that it is about who can do something."""
_LONG = 5
"""Letters of words that are told from those that look alike."""
_ALIKE = 0.8
_SHORT = 9
"""Words that an answer may have, and a request that goes on from the one before."""

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
        self._options = {tool.name: _options_of(tool) for tool in tools}
        self._vocabulary = sorted(frozenset[str]().union(*map(_vocabulary_of, tools)))
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

    def has_option(self, name: str, text: str) -> bool:
        """Tell whether a text names one of the values that a tool takes."""
        return bool(option_in(text, self._options.get(name, ())))

    def respelled(self, text: str) -> str:
        """Return a text with words that no dictionary has written like those of the tools they look like."""
        for word in words(text):
            if word.kind == "word" and len(word.text) >= _LONG - 1 and not is_known(word):
                near = get_close_matches(word.folded, self._vocabulary, 1, _ALIKE)
                text = text.replace(word.text, near[0]) if near and near[0] != word.folded else text
        return text

    @property
    def router(self) -> Router:
        """The router that chooses among them, as if each were an agent."""
        return router_for(self._table)


def _vocabulary_of(tool: ToolSchema) -> set[str]:
    """Return the longer words of a tool's name, its parameters' and their options."""
    said = " ".join([tool.name, *shapes_of(tool), *_options_of(tool)]).replace("_", " ")
    return {word.folded for word in words(said) if len(word.text) >= _LONG - 1}


def _options_of(tool: ToolSchema) -> tuple[str, ...]:
    options = [shape["enum"] for shape in shapes_of(tool).values() if isinstance(shape.get("enum"), list)]
    return tuple(str(one) for some in options for one in some if len(str(one)) >= _LONG - 1)


NO_TOOLS = OwnTools()


def own_among(tools: Sequence[ToolSchema]) -> OwnTools:
    """Return those of some tools that the reader knows nothing of; for the same tools the same object."""
    found = tuple(tool for tool in tools if not router_family(tool.name) and not _is_of_package(tool))
    others = tuple(tool for tool in tools if tool not in found)
    written = tuple((tool.name, tool.description, json.dumps(tool.parameters)) for tool in found)
    return _own_tools(written, frozenset(tool.name for tool in others)) if found else NO_TOOLS


def _is_of_package(tool: ToolSchema) -> bool:
    """Tell whether a tool is the package's, which the reader knows: one of one's own may be called the same."""
    return _described().get(tool.name) == tool.description


@lru_cache(maxsize=1)
def _described() -> Mapping[str, str]:
    return {tool.name: tool.description for tool in builtin_tools()}


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
        takes: dict[str, JsonValue] = {}
        for part in re.split(r",\s*(?![^(]*\))", taken):
            one, _, about = part.partition(" (")
            options = re.findall(r"[^\s|(]+(?= \| )|(?<= \| )[^\s|)]+", about)
            if one:
                takes[one.replace(" ", "_")] = {"enum": [*options]} if options else {"type": ANY}
        tool = ToolSchema(name=name.replace(" ", "_"), description=said, parameters={"properties": takes})
        if not router_family(tool.name):
            found.setdefault(tool.name, (tool, told))
    return OwnTools(tuple(tool for tool, _ in found.values()), tuple(told for _, told in found.values()))


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
    is_same = wished is not None and [one.act for one in wished.steps] == [tool.name]
    if context.asked is not None and context.missing == "*":
        if (wished is None or is_same) and _may_answer(reading, tool, request):
            step = _answered(tool, last, request)
        elif wished is not None and is_same:
            step = wished.steps[0].with_arguments(**{**last.arguments, **wished.steps[0].arguments})
    elif _may_go_on(reading, tool, request) and (wished is None or _is_weak(own, reading, wished, tool)):
        is_unread = reading.confidence < HALF or reading.steps[0].act in {"unclear", *FOLLOWS}
        step = _changed(tool, last, request, is_unread=is_unread)
    return wished if step is None else Reading((step,), 1.0, reading.language)


def _is_weak(own: OwnTools, reading: Reading, wished: Reading, last: ToolSchema) -> bool:
    """Tell whether a short request rather goes on from the one before: little says what is meant, or that it does so."""
    step, choice = wished.steps[0], choose(own, wished.steps[0].text)
    is_following = step.act == last.name and reading.steps[0].act in FOLLOWS and not says_name(last, step.text)
    return choice is None or choice.score < _CLEARLY or is_following


def _asked_about(own: OwnTools, request: str) -> ToolSchema | None:
    """Return the tool that a question is about, and not for: "what does hive_show do?", "who can show hives?"."""
    told_first = lexicon().concepts(words(request)[:_FEW_FIRST])
    if any("who" in one for one in told_first) and any("can" in one for one in told_first):
        choice = choose(own, request)
        return choice.tool if choice is not None and choice.score >= _CLEARLY else None
    tool = next((tool for word in words(request) if (tool := own.get(word.text)) is not None), None)
    told = frozenset[str]().union(*lexicon().concepts(words(request)))
    if tool is None or "run" in told or not (is_asking(request) or request.rstrip()[-1:] in ASK_SIGNS):
        return None
    rest = request.replace(tool.name, "")
    return None if any(map(str.isdigit, rest)) or own.has_option(tool.name, rest) else tool


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
        goal = then.arguments.get("file") or then.arguments.get("to", ())
        is_result = not then.word("text") or is_pointer(then.word("text"), "answer")
        is_written = then.act in _WRITING and then.destination in {"", *_WRITING} and is_result and bool(goal)
        if own.get(step.act) and is_written and not step.destination:  # "… and write that to a.txt"
            steps[at] = step.with_arguments(to=goal)._replace(destination=then.act)
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
    >>> _parted("list 2 hives, then print 2 labels that say salt and pepper and delete hive H3")
    ['list 2 hives', 'print 2 labels that say salt and pepper', 'delete hive H3']
    """
    found = words(request)
    told = lexicon().concepts(found)
    cuts = [next((at for at, means in enumerate(told) if not means & {"and", "then"}), 0)]
    for at, (means, after) in enumerate(pairwise(told)):
        is_long = at + 3 < len(found) or "then" in means
        if (
            means & {"and", "then"}
            and is_long
            and after & (WISHING | _ASKING)
            and not found[at].is_quoted
            and at > cuts[-1]
        ):
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
    text = own.respelled(text)
    choice = choose(own, text)
    if choice is None:
        return None
    takes_files = any(_OF_FILES.search(spelled(name)) for name in shapes_of(choice.tool))
    is_sure = first.act in acts() and first.act not in {"unclear", *FOLLOWS}
    is_sure = is_sure and confidence >= (_CHATTY if first.act == "talk" else HALF)
    is_sure = is_sure and not own.lack(first.act)
    names_file = not takes_files and any(word.kind in {"file", "folder"} for word in words(text))
    is_change_or_file = names_file or (is_change(first.act) and confidence >= _SURE)
    least = _SURELY if is_change_or_file else _CLEARLY if confidence >= _SURE else _LIKELY
    if is_sure and (choice.score < least or first.act.startswith("about.")):
        return None
    step = step_for(choice.tool, text)
    return step.with_arguments(to=first.arguments.get("to", ()))._replace(destination=first.destination)


def _is_wish(request: str) -> bool:
    """Tell whether a request says what is to be done, or asks: then it neither answers nor goes on."""
    found = [word for word in words(request) if not is_filling(word)]
    return len(found) > _SHORT or any(told & WISHING for told in lexicon().concepts(found)[:2])


def _may_answer(reading: Reading, tool: ToolSchema, request: str) -> bool:
    """Tell whether a short request may be what a tool was lacking, and is no other wish."""
    act = reading.steps[0].act if len(reading.steps) == 1 else ""
    is_other = act in {"yes", "no", "undo"} or any(word.kind == "file" for word in words(request))
    is_other = is_other and act != "unclear" and reading.confidence >= HALF
    is_wish = _is_wish(request) and not (
        step_for(tool, request, trust="type").arguments and len(words(request)) <= _SHORT
    )
    return bool(act) and not (is_other or is_wish or is_asking(request))


def _may_go_on(reading: Reading, tool: ToolSchema, request: str) -> bool:
    """Tell whether a short request may be one that goes on from the one before, and is about no file."""
    act = reading.steps[0].act if len(reading.steps) == 1 else ""
    told = frozenset[str]().union(*lexicon().concepts(words(request)))
    is_about_files = bool(told & _OF_FILE_WORDS) or any(word.kind in {"file", "folder"} for word in words(request))
    is_fitting = bool(step_for(tool, request, trust="fit").arguments) and len(words(request)) <= _SHORT
    is_no = act in {"yes", "undo", "refrain"} and not is_fitting
    is_wish = _is_wish(request) and not is_fitting
    return bool(act) and not (is_about_files or is_no or is_wish or (act == "talk" and told & _MANNERS))


def _answered(tool: ToolSchema, asked: Step, request: str) -> Step:
    """Give an answer to the parameters that it fits: those that were said wrongly, else those that are lacking.

    Examples
    --------
    >>> shape = {"properties": {"text": {"type": "string"}, "copies": {"type": "integer"}}, "required": ["text", "copies"]}
    >>> tool = ToolSchema(name="print", description="", parameters=shape)
    >>> dict(_answered(tool, Step("print", {}), "12").arguments), dict(_answered(tool, Step("print", {}), "Forest 2023").arguments)
    ({'copies': ('12',)}, {'text': ('Forest 2023',)})
    """
    shapes, said = shapes_of(tool), request.strip(" .!")
    given = {name: given for name, given in asked.arguments.items() if name in shapes}
    wrong = [name for name, given in given.items() if read_value(given, shapes[name]) is None]
    lacking = [name for name in required_of(tool) if name in shapes and name not in given]
    wanted = wrong or lacking or [name for name in shapes if name not in given] or list(shapes)
    if any(name not in wanted for name in named_in(tool, request)):
        return step_for(tool, request)  # it is said anew, whole
    parts = [part.strip() for part in AND.split(said) if part.strip()]
    found: dict[str, tuple[str, ...]] = {}
    for part in parts:
        name = next((name for name in wanted if name not in found and _is_value(part, shapes[name])), "")
        found |= {name: (part,)}
    if "" in found or len(found) < len(parts):
        fitting = step_for(tool, request, wanted, "fit").arguments
        every = step_for(tool, request, wanted, "type").arguments
        used = {word for given in every.values() for value in given for word in value.split()}
        names = {part for name in shapes for part in spelled(name).split("_")}
        left = [word for word in words(said) if word.kind != "sign" and not is_filling(word) and word.text not in used]
        is_rest = any(word.folded not in names for word in left)
        texts = [name for name in wanted if shapes[name].get("type", "string") in {"string", "array", ANY}]
        texts = [name for name in texts if "enum" not in shapes[name]]
        found = dict(every if not is_rest else fitting) or {next(iter([*texts, *wanted])): (said,)}
    return asked.with_arguments(**found)


def _is_value(said: str, shape: Mapping[str, Any]) -> bool:
    """Tell whether words are what a parameter that takes no text wants, and nothing else."""
    if isinstance(options := shape.get("enum"), list):
        return any(plain(said) == plain(str(one)) for one in options)
    match shape.get("type"):
        case "integer" | "number":
            return all(map(is_number, words(said))) and read_value((said,), shape) is not None
        case "boolean":
            return truth(said) is not None
        case _:
            return False


def _changed(tool: ToolSchema, last: Step, request: str, *, is_unread: bool) -> Step | None:
    """Return the step before with what a later request says in its place; ``None`` where it says nothing for it."""
    found = dict(step_for(tool, request, trust="type").arguments)
    shapes = shapes_of(tool)
    texts = [one for one in last.arguments if one in shapes and shapes[one].get("type", "string") == "string"]
    if not found and is_unread and len(texts) == 1 and (said := without_filling(request)):
        found = {texts[0]: (said,)}
    return last.with_arguments(**found)._replace(text=request, destination="") if found else None


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
    rated = [(one.score + _OPTION * own.has_option(one.agent, text), -at) for at, one in enumerate(route.candidates)]
    score, place = max(rated, default=(0.0, 0))
    best = route.candidates[-place].agent if rated else ""
    tool = own.get(best)
    is_told = best == route.chosen or (tool is not None and own.has_option(best, text))
    return Choice(tool, score) if tool is not None and is_told and score >= LEAST else None
