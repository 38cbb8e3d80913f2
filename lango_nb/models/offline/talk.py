"""What is said without a tool: small talk, questions about the agents and the lab, whom a request is for; extracts.

All that is known of the agents is the routing table of the prompt. The sentences are rows of
``data/reading/answers.tsv`` whose keys begin with ``talk.`` and ``about.``. An extract is what was asked and answered, and
understands nothing. The next one is made of it and of what was said since: counts are added, the latest are kept.

::

    An extract by the offline model of 7 exchanges.
    Asked: hash milk with sha256 · list the files · and 5 before
    Answered last: notes.md has 2 lines. · The hash is 2cf2.
"""

from __future__ import annotations

import math
import re
import zlib
from collections.abc import Mapping, Sequence
from functools import cache

from lango_nb.core.errors import shorten
from lango_nb.core.messages import USER, FinishReason, Message
from lango_nb.core.text import folded, printable
from lango_nb.models.offline.answered import CHANGES
from lango_nb.models.offline.answers import (
    NOT_UNDERSTOOD,
    UNDONE,
    ends_with,
    is_question,
    languages,
    said,
    say,
    sentences,
)
from lango_nb.models.offline.conversation import REJECT
from lango_nb.models.offline.hints import Exchange
from lango_nb.models.offline.itself import asked_of_itself
from lango_nb.models.offline.lexicon import Concepts, Lexicon, Word, concepts_of, lexicon_of, words
from lango_nb.models.offline.names import is_small, pick
from lango_nb.models.offline.parts import tool_of, who_has
from lango_nb.models.offline.plan import Step, acts, read_rows
from lango_nb.models.offline.primitives import PRIMITIVE_FOR
from lango_nb.models.offline.reader import reader
from lango_nb.models.summaries import lines_of
from lango_nb.routing.capabilities import parts_of_action, router_family, tool_capability
from lango_nb.routing.route import Route
from lango_nb.routing.router import Router, router_for
from lango_nb.routing.table import RoutingRow, RoutingTable

WORDED = frozenset(("talk", "about.you", "about.agents", "about.owner", "about.why", "about.switch"))
"""Acts that are answered from what is known of the system."""
_LONGEST_NAME = 60
_LONGEST_TEXT = 80
_LONGEST_LINE = 160
"""Characters of what an agent is for, and of why it failed."""
_NEAREST = 2
"""Agents that are named where it is not clear which of them is meant."""
_FEW, _GREETING = 3, 5
"""Words of a text so short that its language is a guess, and of a greeting with a question."""
_BEGINNING = 4
"""Words among which a word that asks makes a question."""
_CLEARLY = 3
"""Places by which a word has to be commoner in another language than the one it was taken for."""
_ASKS = frozenset(("what", "who", "why", "how", "when", "where", "explain"))
_OF_SOMEBODY = frozenset(("who", "when", "where"))
_OF_THE_WORLD = _OF_SOMEBODY | {"knowledge", "explain", "mean", "between"}
_POLITE = (("thanks", "talk.thanks"), ("greeting", "talk.hello"), ("farewell", "talk.goodbye"))
"""Concepts that are answered in kind, in the order in which the answers come."""
_TELLING = frozenset(("joke", *(kind for kind, _ in _POLITE)))
_MARKS = ("?", "\uff1f", "か", "か。", "吗", "呢")
"""How a question ends."""
_UNSPACED = frozenset(("ja", "zh"))
"""Languages without blanks between sentences."""
_ONLINE = frozenset(map(tool_capability, ("browser_navigate", "web_search", "web_fetch", "a2a_send")))
"""Capabilities of agents that use the network."""
_UNOWNED = "it is about "
"""How the reason of a route begins that is about what nobody here has tools for."""
_OUT_OF_SCOPE = re.compile(r"\s*This is about [^\n]{1,100}?, which is not mine\b")


def reply(
    step: Step, language: str, table: RoutingTable, router: Router | None = None, before: Sequence[Exchange] = ()
) -> str:
    """Answer a step that needs no tool.

    Parameters
    ----------
    step : Step
        Of an act of the kind ``talk``: ``talk`` itself, or one of those about the system.
    language : str
    table : RoutingTable
        The agents there are; a specialist knows of none.
    router : Router, optional
        Over that table; the one of the package when absent.
    before : sequence of Exchange, optional
        What was said before, oldest first.

    Returns
    -------
    str

    Examples
    --------
    >>> reply(Step("talk", {}, text="merci beaucoup pour tout"), "fr", RoutingTable())
    'De rien.'
    >>> table = RoutingTable((RoutingRow("vault", "Keeps secrets.", capabilities=("cryptography",)),))
    >>> reply(Step("about.owner", {"tool": ("crypto_hash",)}), "en", table)
    'Tools like crypto_hash (cryptography) belong to vault.'
    """
    if known := _of_itself(step, language, table, router):
        return known
    match step.act:
        case "about.you" | "about.agents" if _is_about_me(step, language):
            return _about_me(table, language)
        case "about.agents":
            return _agents(table, step.word("agent"), language)
        case "about.owner" if step.word("tool") and words(step.word("tool"))[0].kind != "file":
            return _owner(table, step.word("tool"), language)
        case "about.owner":
            return _would_get(table, router, f"{step.word('text')} {step.word('tool')}".strip(), language)
        case "about.why":
            return _why(step.text, table, router, before, language)
        case "about.switch":
            return say("about.switch", language)
        case _:
            found = _of_the_agents(step.text, language, table, router)
            return found or _small_talk(step.text, language, table, is_begun=bool(before))


def _beyond(text: str, language: str) -> str:
    """Return what a question whether something can be done names that no tool here does; empty where it names nothing.

    Examples
    --------
    >>> _beyond("can you also send mail?", "en"), _beyond("can you count?", "en")
    ('mail', '')
    """
    found = words(text)
    told = lexicon_of(language).concepts(found)
    marks = _beyond_tools(language).concepts(found)
    asks = any("can" in one for one in told)
    return next((word.text for word, one in zip(found, marks, strict=True) if asks and "beyond" in one), "")


@cache
def _beyond_tools(language: str) -> Lexicon:
    """Return the words for what no tool here does: sending and calling."""
    return Lexicon([row for row in read_rows("speech.tsv") if row[0] == "beyond" and row[1] == language])


# -- small talk --------------------------------------------------------------------------------------------------------


def _small_talk(text: str, language: str, table: RoutingTable, *, is_begun: bool) -> str:
    language, found = _spoken(text, language)
    length = sum(word.kind != "sign" for word in words(text))
    greeted = _behind_greeting(text, language)
    is_greeting = "greeting" in found and length <= _GREETING and not found & _OF_THE_WORLD
    asks = _is_asking(text, language)
    is_how = any("greeting" in one for one in greeted)  # "how are you?" greets as well
    if greeted and not found & _OF_THE_WORLD and (is_how or len(greeted) <= _GREETING):
        return say("talk.hello", language)
    if "joke" in found and not (asks and found & {*_OF_SOMEBODY, "many", "how", "which"}):
        return _joke(text, language)
    if "how" in found and ("greeting" in found or length <= _FEW):
        return say("talk.feelings", language)
    if not asks or length <= _FEW or is_greeting:
        kinds = {kind for kind, _ in _POLITE} & found
        if {"greeting", "farewell"} <= kinds:  # "ciao" and its like
            kinds.remove("greeting" if is_begun and not asks else "farewell")
        if kinds:
            return _joined(language, *(say(key, language) for kind, key in _POLITE if kind in kinds))
    if not asks:
        return say("talk.chat", language)
    if {"who", "you"} <= found and length <= _FEW:
        return _about_me(table, language)
    return say("talk.feelings" if "you" in found and not found & _OF_THE_WORLD else "talk.world", language)


def _behind_greeting(text: str, language: str) -> tuple[Concepts, ...]:
    """Return the concepts of the words behind a greeting and the pause after it; none where there is no such beginning."""
    found = words(text)
    told = lexicon_of(language).concepts(found)
    pause = next((at for at, word in enumerate(found) if word.kind == "sign"), 0)
    rest = tuple(one for one, word in zip(told[pause:], found[pause:], strict=True) if word.kind != "sign")
    return rest if pause and all("greeting" in one for one in told[:pause]) else ()


def _of_the_agents(text: str, language: str, table: RoutingTable, router: Router | None) -> str | None:
    """Answer "who is here?" and "who can run commands?"; ``None`` where a question is not about agents."""
    language, found = _spoken(text, language)
    if "who" not in found or "you" in found or not table.rows or language in _UNSPACED:
        return None
    said = [word for word in words(text) if word.kind != "sign"]
    if all(word.kind == "word" and (is_small(word.text) or concepts_of(word.text) & _ASKS) for word in said):
        return _agents(table, "", language)
    route = (router or router_for(table)).route(text)
    return None if route.is_conversation else _routed(route, "about.would", language) or None


def _is_asking(text: str, language: str) -> bool:
    """Tell whether a text is a question: by its sign at the end, or by a word near its beginning."""
    if text.rstrip().endswith(_MARKS):
        return True
    plain_words = [word for word in words(text) if word.kind != "sign"]
    beginning = plain_words if language in _UNSPACED else plain_words[:_BEGINNING]
    return not _ASKS.isdisjoint(_said(lexicon_of(language), beginning))


def _spoken(text: str, language: str) -> tuple[str, frozenset[str]]:
    """Return the language of a text and its concepts; a short text is of the language that says it most commonly."""
    found = [word for word in words(text) if word.kind != "sign"]
    if len(found) <= _FEW:
        ranks = {one: min(map(int, _said(_ranks(one), found)), default=math.inf) for one in (language, *languages())}
        best = min(ranks, key=ranks.__getitem__)
        language = best if ranks[best] + _CLEARLY < ranks[language] else language
    return language, _said(lexicon_of(language), found)


def _said(known: Lexicon, found: Sequence[Word]) -> frozenset[str]:
    return frozenset[str]().union(*known.concepts(found))


@cache
def _ranks(language: str) -> Lexicon:
    """Return what is said by way of small talk in a language, with its place in the lexicon: the commonest first."""
    rows = [row for row in read_rows("lexicon.tsv") if row[0] in _TELLING and row[1] == language]
    return Lexicon([(str(place), language, word) for row in rows for place, word in enumerate(row[2].split(","))])


def _joke(text: str, language: str) -> str:
    jokes = [key for key in sentences() if key.startswith("talk.joke.")]
    return say(jokes[zlib.crc32(text.encode("utf-8", "surrogatepass")) % len(jokes)], language)


# -- about the agents --------------------------------------------------------------------------------------------------


def _is_about_me(step: Step, language: str) -> bool:
    """Tell whether a question about who is there is one about the model itself: "wer bist du?"."""
    return step.act == "about.you" or (
        {"who", "you"} <= _spoken(step.text, language)[1]
        and not step.word("agent")
        and len(words(step.text)) <= _GREETING
    )


def _of_itself(step: Step, language: str, table: RoutingTable, router: Router | None) -> str:
    """Say what the model sees, sends and asks, or that nothing here does what is asked for; empty for other questions.

    Who else goes online the routing table tells.
    """
    asked = asked_of_itself(step.text) if step.act == "about.you" else ""
    if asked == "about.me":
        return _about_me(table, language)
    if asked:
        online = [row.name for row in table if _ONLINE & {*row.capabilities}] if asked == "about.sends" else []
        who = say("about.online", language, names=", ".join(map(_name, online))) if online else ""
        return _joined(language, say(asked, language), who)
    what = _beyond(step.text, language) if step.act in {"talk", "about.you"} else ""
    if what and (router or router_for(table)).route(step.text).chosen is None:  # nor has an agent of one's own any
        return say("about.beyond", language, what=what)
    return ""


def _about_me(table: RoutingTable, language: str) -> str:
    me = say("about.me", language)
    if not table.rows:
        return me
    return _joined(language, me, say("about.hands", language, n=len(table), names=", ".join(map(_name, table.names))))


def _agents(table: RoutingTable, wanted: str, language: str) -> str:
    """Say who is there, or what one of them does."""
    if not table.rows:
        return say("about.alone", language)
    found = pick(wanted, table.names) if wanted else None
    if found is not None and found.name:
        return _about_agent(table[found.name], language)
    lines = "\n".join(f"- {_summary(row)}" for row in table)
    who = say("about.who", language, n=len(table), lines=lines)
    return _joined(language, say("about.no_agent", language, word=_name(wanted)), who) if wanted else who


def _summary(row: RoutingRow) -> str:
    role = shorten(_safe(row.role), _LONGEST_LINE)
    return f"{_name(row.name)}: {role}" if role else _name(row.name)


def _about_agent(row: RoutingRow, language: str) -> str:
    told = [("about.can", row.capabilities), ("about.hears", row.keywords), ("about.cannot", row.cannot)]
    lines = [f"{_name(row.name)}: {_safe(row.role)}" if row.role else _name(row.name)]
    lines += [say(key, language, names=", ".join(map(_safe, names))) for key, names in told if names]
    return "\n".join(lines)


def _owner(table: RoutingTable, wanted: str, language: str) -> str:
    """Say who has a tool, as far as its name tells: a prompt names no tools, only what they are for."""
    name = "_".join(wanted.casefold().split())
    if not table.rows:
        return say("about.alone", language)
    shown, what = _name(wanted), tool_capability(name)
    told = [(row, parts_of_action(one)) for row in table for one in row.actions]
    theirs = [(_name(row.name), said) for row, (words, said, _) in told if words == name.replace("_", " ")]
    if theirs:
        return say("about.has", language, tool=shown, what=_safe(theirs[0][1].rstrip(".") or shown), names=theirs[0][0])
    if not what:
        return say("about.no_tool", language, tool=shown)
    owners = [_name(row.name) for row in table if what in row.capabilities]
    if not owners:
        return say("about.has_nobody", language, tool=shown, what=what)
    return say("about.has", language, tool=shown, what=what, names=", ".join(owners))


def _would_get(table: RoutingTable, router: Router | None, text: str, language: str) -> str:
    if not text:
        return _agents(table, "", language)
    if not table.rows:
        return say("about.would_me", language, text=_quoted(text))
    router = router or router_for(table)
    route = router.route(text)
    step = next(iter(reader().read(text).steps), Step("unclear", {}))
    tool = tool_of(step)
    owner = next(iter(who_has(router, tool, router.owners(router_family(tool)))), "") if tool else ""
    if owner and step.act in acts() and route.chosen in {None, owner}:
        primitive = PRIMITIVE_FOR.get(tool, "")
        shown = primitive if tool_capability(primitive) in table[owner].capabilities else tool
        what = tool_capability(shown)
        return say(
            "about.would", language, text=_quoted(text), name=_name(owner), why=f"{shown}, {what}" if what else shown
        )
    return _routed(route, "about.would", language) or say("about.would_nobody", language, text=_quoted(text))


def _why(asked: str, table: RoutingTable, router: Router | None, before: Sequence[Exchange], language: str) -> str:
    """Say what the words of the request before speak for; a prompt does not tell what happened to it."""
    if not before:
        return say("about.why_none", language)
    changes = (one.answer for one in reversed(before) if any(said(key, language, one.answer) for key in CHANGES))
    if "change" in concepts_of(asked) and (change := next(changes, "")):
        return change  # "what did you just change?"
    text = before[-1].request
    told = ""
    if table.rows:
        told = _routed((router or router_for(table)).route(text), "about.why", language)
        told = told or say("about.would_nobody", language, text=_quoted(text))
    told = told or say("about.why_me", language, text=_quoted(text))
    return _joined(language, told, say("about.whole", language))


def _routed(route: Route, key: str, language: str) -> str:
    """Say whom a request is for and why, or who is near; empty where nobody is."""
    text = _quoted(route.text)
    if route.is_conversation:
        return say(f"{key}_me", language, text=text)
    if route.chosen is not None:
        best = next(one for one in route.candidates if one.agent == route.chosen)
        why = _safe(best.leading) or f"{best.confidence:.0%}"
        return say(key, language, text=text, name=_name(route.chosen), why=why)
    near = _near(route, language)
    return say(f"{key}_ask", language, text=text, names=near) if near else ""


def _near(route: Route, language: str) -> str:
    near = [one.agent for one in route.candidates if one.score > 0 and not one.vetoes][:_NEAREST]
    return f" {say('or', language)} ".join(map(_name, near))


# -- what the root says about a request --------------------------------------------------------------------------------


def ask_back(route: Route, language: str = "en") -> str:
    """Ask what is meant, naming the nearest agents.

    Examples
    --------
    >>> ask_back(Route("", None, "no agent matches"))
    'I cannot tell who should do this. What is it about: a file, a command, a web page …?'
    """
    if route.reason.startswith(_UNOWNED):
        about = route.reason.removeprefix(_UNOWNED).partition(",")[0]
        return say("talk.unowned", language, name=_name(about))
    near = _near(route, language)
    return say("talk.ask_near", language, names=near) if near else say("talk.ask_about", language)


def out_of_reach(route: Route, language: str = "en") -> str:
    """Say that whoever would get a request cannot be given it from here.

    Examples
    --------
    >>> out_of_reach(Route("", "vault", ""))
    'This would be for vault, which cannot be given it now, and no other agent comes near. Please try again later.'
    """
    return say("talk.out_of_reach", language, name=_name(route.chosen or ""))


def nobody(names: Sequence[str], failed: Mapping[str, str] | None = None, language: str = "en") -> str:
    """Say that everybody who could have done it declined or failed.

    Examples
    --------
    >>> nobody(["operator", "vault"], {"vault": "no key"}).partition(", and")[0]
    'Nobody here can do this: operator declined, vault failed (no key)'
    """
    causes = failed or {}
    declined = ", ".join(_name(name) for name in names if name not in causes)
    told = [say("talk.declined", language, names=declined)] if declined else []
    for name in names:
        if name in causes:
            why = shorten(_safe(causes[name]), _LONGEST_LINE)
            told.append(say("talk.failed", language, name=_name(name), why=why))
    return say("talk.nobody", language, what=", ".join(told))


def out_of_scope(domain: str, handles: str) -> str:
    """Say in one visible sentence that a request is somebody else's; agents say it to each other, in English.

    Examples
    --------
    >>> out_of_scope("crypto", "file operations")
    'This is about crypto, which is not mine. I handle file operations.'
    """
    return f"This is about {domain or 'something else'}, which is not mine. I handle {handles}."


# -- what an answer is -------------------------------------------------------------------------------------------------


def is_out_of_scope(text: str) -> bool:
    """Tell whether an agent's answer is such a sentence, or the marker of an older one.

    Examples
    --------
    >>> is_out_of_scope(out_of_scope("crypto", "files")), is_out_of_scope("[REJECT] no"), is_out_of_scope("notes.md: …")
    (True, True, False)
    """
    return text.startswith(REJECT) or _OUT_OF_SCOPE.match(text) is not None


def finish_reason_of(text: str, language: str | None = None) -> FinishReason:
    """Say why the model stopped, where an answer ends with one of its own sentences that ask something of the person.

    Examples
    --------
    >>> finish_reason_of(say("ask.missing", "fr", what="le texte")), finish_reason_of(say("unclear", "en"))
    ('asked_back', 'not_understood')
    >>> finish_reason_of("notes.md: Please say hello.")
    'stop'
    """
    if ends_with(NOT_UNDERSTOOD, text, language):
        return "not_understood"
    return "asked_back" if is_question(text, language) else "stop"


def is_no_result(text: str, language: str | None = None) -> bool:
    """Tell whether an answer asks back or says what went wrong: nothing that a further step could use.

    Examples
    --------
    >>> is_no_result(say("ask.which", "en", names="a or b")), is_no_result("notes.md has 3 lines.")
    (True, False)
    """
    return is_out_of_scope(text) or is_question(text, language) or ends_with(UNDONE, text, language)


# -- wording -----------------------------------------------------------------------------------------------------------


def _joined(language: str, *said: str) -> str:
    return ("" if language in _UNSPACED else " ").join(filter(None, said))


def _safe(text: str) -> str:
    return printable(folded(text))


def _name(text: str) -> str:
    return shorten(_safe(text), _LONGEST_NAME)


def _quoted(text: str) -> str:
    return shorten(_safe(text), _LONGEST_TEXT)


# -- extracts ----------------------------------------------------------------------------------------------------------

MOST_REQUESTS = 8
MOST_ANSWERS = 3
LONGEST = 160
"""Characters of one request or answer."""
_BETWEEN = " · "
_OWN = re.compile(
    r"An extract by the offline model of (?P<count>\d+) exchanges?\.\n"
    r"Asked: (?P<asked>.*)\nAnswered last: (?P<answered>.*)(?P<rest>(?s:.*))"
)
_BEFORE = re.compile(r"and \d+ before")


def extract(request: Sequence[Message]) -> str:
    """Sum up a conversation.

    Parameters
    ----------
    request : sequence of Message
        See :func:`lango_nb.models.summaries.summary_request`.

    Examples
    --------
    >>> from lango_nb.models.summaries import summary_request
    >>> said = [Message(role="user", content="hello", author="user"), Message(role="assistant", content="Hello!")]
    >>> print(extract(summary_request(said, 1000, 400)))
    An extract by the offline model of 1 exchange.
    Asked: hello
    Answered last: Hello!
    """
    count, longest, rest = 0, 0, ""
    asked, answered = list[str](), list[str]()
    for line in lines_of(request):
        if "most_characters" in line:
            longest = line["most_characters"]
        elif "summary" in line:
            count, asked, answered, rest = _read(line["summary"], longest)
        elif line["by"] == USER:
            count += 1
            asked.append(_one_line(line["text"]))
        elif line.get("text") and "calls" not in line:
            answered.append(_one_line(line["text"]))
    asked, answered = asked[-MOST_REQUESTS:], answered[-MOST_ANSWERS:]
    while len(text := _written(count, asked, answered, rest)) > longest and len(asked) + len(answered) > 2:  # noqa: PLR2004
        del (asked if len(asked) >= len(answered) else answered)[0]
    return text


def _written(count: int, asked: Sequence[str], answered: Sequence[str], rest: str) -> str:
    more = [f"and {count - len(asked)} before"] if count > len(asked) else []
    return (
        f"An extract by the offline model of {count} exchange{'' if count == 1 else 's'}.\n"
        f"Asked: {_BETWEEN.join([*asked, *more])}\n"
        f"Answered last: {_BETWEEN.join(answered) or 'nothing'}{rest}"
    )


def _read(summary: str, longest: int) -> tuple[int, list[str], list[str], str]:
    """Take an own summary apart; of another model's as much is kept as leaves room."""
    own = _OWN.fullmatch(summary)
    if own is None:
        return 0, [], [], shorten(f"\nBefore that: {summary}", longest // 2)
    asked = [text for text in own["asked"].split(_BETWEEN) if not _BEFORE.fullmatch(text)]
    answered = [text for text in own["answered"].split(_BETWEEN) if text != "nothing"]
    return int(own["count"]), asked, answered, own["rest"]


def _one_line(text: str) -> str:
    return shorten(" ".join(text.split()).replace(_BETWEEN, " "), LONGEST)
