"""A reading is carried out: calls, what they gave, and an answer, replayed from the messages at every step of a turn.

    settle the words → is it sure enough? → look or change (looking.py, changing.py, any_tool.py) → destination → answer
                          no: the plan is shown and asked

Whoever drives it (:func:`next_reply`) gives it the results there are; the first call without one is the reply.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence

from lango_nb.core.masking import mask
from lango_nb.core.messages import Reply, ToolSchema
from lango_nb.models.offline.acts import acts, is_change
from lango_nb.models.offline.any_tool import not_offered, use_tool
from lango_nb.models.offline.changing import add_tasks, append_to, change, remember, write_to
from lango_nb.models.offline.conversation import Conversation, Done
from lango_nb.models.offline.desk import Ask, CannotWork, Desk, Outcome
from lango_nb.models.offline.folder import Absent, Failed, TooLarge, Work
from lango_nb.models.offline.lexicon import lexicon
from lango_nb.models.offline.looking import find_out, look
from lango_nb.models.offline.names import is_pointer, unquoted, whole_new_name
from lango_nb.models.offline.plan import Answer, Call, Context, Got, Reading, Step, show
from lango_nb.models.offline.wording import shown_arguments
from lango_nb.models.offline.words import words

CHANGE_LEAST = 0.45
"""How sure a reading must be that changes something."""
DELETE_LEAST = 0.8
"""How sure one must be that deletes."""
LOOK_LEAST = 0.1
"""How sure one must be that only looks."""
_NEVER = 2.0
_GOES_ON = ("|", ";", "&")
"""Signs behind which a shell line goes on."""
_FIRST_WORDS = 2
"""Words by which a request shows that it asks."""
_ASKING = frozenset(("what", "who", "where", "when", "why", "many"))
_EXPLAINED_IN = 5
"""Words in which a request says that it wants to know how something is done."""
_PARTS = frozenset(("text", "line", "word"))
"""Concepts of what is in a file."""
_NO_APPROVAL = ("was not run:", "approval", "denied", "not approved")
_BY_NAME_ONLY = "known by name only"
Carrying = Generator[tuple[Call, ...], tuple[Got, ...], Answer]


def carry_out(reading: Reading, context: Context, tools: Mapping[str, ToolSchema]) -> Carrying:
    """Carry a reading out.

    Parameters
    ----------
    reading : Reading
    context : Context
        What was said before.
    tools : mapping of str to ToolSchema
        What may be called, by name.

    Yields
    ------
    tuple of Call
        Calls that may run side by side; it wants what they gave, in their order.

    Returns
    -------
    Answer
    """
    tried = [reading, *(other for other in reading.others if _may_replace(other, reading))]
    question: Answer | None = None
    for one in tried:
        answer = yield from _carried(one, context, tools, has_others=len(tried) > 1)
        if not answer.is_dead_end:
            return answer
        question = question or answer
    return question or Answer("")


def next_reply(
    conversation: Conversation, reading: Reading, context: Context, tools: Sequence[ToolSchema]
) -> tuple[Reply, Answer | None]:
    """Return the next reply of a turn, and the answer once there is one.

    Parameters
    ----------
    conversation : Conversation
        Holds the calls that were made already, and their results.
    reading, context
        What is to be done, and what was said before the turn.
    tools : sequence of ToolSchema

    Returns
    -------
    tuple of Reply and Answer or None
    """
    work = carry_out(reading, context, {tool.name: tool for tool in tools})
    outcome = replay(work, conversation.worked())
    if isinstance(outcome, Answer):
        return Reply(text=outcome.text, finish_reason="asked_back" if outcome.is_question else "stop"), outcome
    says = " ".join(dict.fromkeys(call.says for call in outcome if call.says))
    return conversation.calls(*((call.tool, call.arguments) for call in outcome), text=says), None


def replay(work: Carrying, done: Sequence[Done]) -> Answer | tuple[Call, ...]:
    """Feed what calls gave; return the first calls that have no result yet, or the answer."""
    at = 0
    try:
        calls = next(work)
        while True:
            results: list[Got] = []
            for call in calls:
                found = next((place for place in range(at, len(done)) if _is_call(done[place], call)), None)
                if found is None:
                    break
                results.append(Got(done[found].result.content, done[found].result.is_error))
                at = found + 1
            if len(results) < len(calls):
                return calls[len(results) :]
            calls = work.send(tuple(results))
    except StopIteration as end:
        answer: Answer = end.value
        return answer


def _is_call(done: Done, call: Call) -> bool:
    given = {name: value for name, value in call.arguments.items() if value is not None}
    return done.call.name == call.tool and dict(done.call.arguments) == given


def _may_replace(other: Reading, reading: Reading) -> bool:
    """Tell whether another reading may be tried: never a change for a look."""
    if not other.steps or other.confidence < LOOK_LEAST / 3 or any(_is_talk(step) for step in other.steps):
        return False
    return not _changes(other) or _changes(reading)


def least_of(reading: Reading) -> float:
    """Return how sure a reading must be to be carried out: a question that was read as a change never is."""
    if not _changes(reading):
        return LOOK_LEAST
    if any(is_change(step.act) and _is_question(step.text) for step in reading.steps):
        return _NEVER
    if any(step.act == "delete" and _is_about_a_part(step) for step in reading.steps):
        return _NEVER
    return DELETE_LEAST if any(step.act.startswith("delete") for step in reading.steps) else CHANGE_LEAST


def _is_question(text: str) -> bool:
    """Tell whether a request begins with a word that asks: what, who, why, how many; or wants to know how to do it.

    Examples
    --------
    >>> _is_question("what happened?"), _is_question("explain how to run `ls`"), _is_question("run `ls`")
    (True, True, False)
    """
    first = lexicon().concepts(words(text.partition("\n")[0])[:_EXPLAINED_IN])
    asks_how = bool(first) and "explain" in first[0] and any("how" in told for told in first[1:])
    return asks_how or any(told & _ASKING for told in first[:_FIRST_WORDS])


def _is_about_a_part(step: Step) -> bool:
    """Tell whether a request speaks of what is in a file: "erase the contents of notes.md" is no wish to lose the file."""
    rest = step.text.partition("\n")[0]
    for said in step.arguments.values():
        for word in said:
            rest = rest.replace(word, " ")
    return any(told & _PARTS for told in lexicon().concepts(words(rest)))


def _changes(reading: Reading) -> bool:
    return any(is_change(step.act) or step.destination for step in reading.steps)


def _carried(
    reading: Reading, context: Context, tools: Mapping[str, ToolSchema], *, has_others: bool = False
) -> Carrying:
    """Carry one reading out; what stands in its way becomes a sentence or a question."""
    desk = Desk(tools, context, reading.language, is_certain=reading.is_certain)
    said: list[str] = []
    settled: list[Step] = []
    talk = [step for step in reading.steps if _is_talk(step)]
    if not reading.is_certain and len(talk) < len(reading.steps) and reading.confidence < least_of(reading):
        return _shown_plan(desk, reading)
    for said_step in reading.steps:
        step = said_step._replace(
            arguments={role: tuple(map(unquoted, given)) for role, given in said_step.arguments.items()}
        )
        is_dead_end = has_others and not desk.has_changed
        try:
            outcome: Outcome = yield from _step(desk, step)
        except Ask as ask:
            return Answer(_joined(desk, [*said, ask.text]), True, tuple(settled), is_dead_end and ask.can_try_others)
        except CannotWork as no:
            return Answer(_joined(desk, [*said, no.text]), False, tuple(settled), is_dead_end)
        except Absent as absent:
            text = _joined(desk, [*said, desk.say("no_file", name=absent.path)])
            return Answer(text, True, tuple(settled), is_dead_end)
        except TooLarge as large:
            return Answer(_joined(desk, [*said, desk.say("too_large", file=large.path)]), False, tuple(settled))
        except Failed as failed:
            return Answer(_joined(desk, [*said, _failure(desk, failed)]), False, tuple(settled))
        said.append(outcome.text)
        if outcome.step is not None:
            settled.append(outcome.step)
        desk.context = _after(desk.context, outcome)
        desk.has_result = bool(outcome.value)
    return Answer(_joined(desk, said), False, tuple(settled))


def _step(desk: Desk, step: Step) -> Work:
    """Carry out one step, and bring its result where it belongs."""
    act = acts().get(step.act)
    step = repaired(step)
    desk.begin(step)
    if act is None:
        outcome: Outcome = yield from use_tool(desk, step)
    elif act.kind == "talk":
        outcome = yield from _talk(desk, step)
    else:
        if act.tool and not desk.folder.has(act.tool) and not _has_other_way(desk, act.tool):
            raise CannotWork(not_offered(desk, Step(act.tool, step.arguments)))
        outcome = yield from (change(desk, step) if act.kind == "change" else look(desk, step))
    if not step.destination:
        return outcome
    return (yield from _delivered(desk, step, outcome))


def repaired(step: Step) -> Step:
    """Take the one file that a request names where something else was taken for the file.

    Examples
    --------
    >>> repaired(Step("write", {"file": ("一个",), "text": ("x",)}, text="新建一个文件叫 a.txt,写 x")).word("file")
    'a.txt'
    >>> repaired(Step("run", {"command": ("wc -c",)}, text="run: echo a | wc -c")).word("command")
    'echo a | wc -c'
    """
    if step.act in {"run", "run.background"} and step.word("command"):
        return step.with_arguments(command=(whole_line(step.word("command"), step.text),))
    row = acts().get(step.act)
    if row is None or "file" not in row.roles or any(_looks_like_file(word) for word in step.arguments.get("file", ())):
        return step
    used = [word for role, said in step.arguments.items() for word in said if role != "file" or is_pointer(word, "it")]
    said = step.text.partition("\n")[0]
    named = [whole_new_name(word.text, said) for word in words(said) if word.kind in {"file", "ending"}]
    named = [name for name in named if not name.startswith(".")]
    free = [name for name in dict.fromkeys(named) if not any(name in word for word in used)]
    return step.with_arguments(file=(free[0],)) if len(free) == 1 else step


def whole_line(command: str, text: str) -> str:
    """Return a shell line whole where only its end was taken; empty when it is not clear where it begins."""
    before, found, _ = text.partition(command)
    if not found or before.rstrip()[-1:] not in _GOES_ON:
        return command
    line = before.partition(":")[2].strip()
    return f"{line} {command}" if line else ""


def _looks_like_file(word: str) -> bool:
    return any(one.kind in {"file", "folder"} for one in words(word))


def _has_other_way(desk: Desk, tool: str) -> bool:
    """Tell whether something can be done without its usual tool."""
    others = {"exec": "fs_write", "fs_list": "fs_read", "fs_edit": "fs_write"}
    return tool in others and desk.folder.has(others[tool])


def _delivered(desk: Desk, step: Step, outcome: Outcome) -> Work:
    """Bring a result to its destination."""
    found = outcome.value
    if isinstance(found, list) and step.destination == "task" and step.act.startswith("rows"):
        found = found[1:]  # the heading is no task
    value = "\n".join(found) if isinstance(found, list) else str(found)
    if not value and (row := acts().get(step.act)) is not None and row.kind == "change" and "text" in row.roles:
        value = "\n".join(step.arguments.get("text", ()))  # what was written is what there is to bring
    if step.destination in {"write", "append"}:
        word = step.word("to")
        if not word:
            raise desk.missing(step, "to")
        bring = write_to if step.destination == "write" else append_to
        goal = Step(step.destination, {"file": (word,)}, text=step.text)
        brought: Outcome = yield from bring(desk, goal, word, value)
    elif step.destination == "remember":
        brought = yield from remember(desk, Step("remember", {"text": (value,)}), value)
    else:
        titles = [line.strip(" -*•\t") for line in value.splitlines() if line.strip()]
        brought = yield from add_tasks(desk, Step("task.add", {"text": tuple(titles)}), titles)
    return brought._replace(value=value, shown=outcome.shown)


def _talk(desk: Desk, step: Step) -> Work:
    """Answer what needs no tool and is about carrying out; the rest of talk is worded elsewhere."""
    match step.act:
        case "refrain":
            yield from ()
            return Outcome(desk.say("refrain"), "", None)
        case "no":
            return Outcome(desk.say("no" if desk.context.asked else "no.idle"), "", None)
        case "yes":
            return Outcome(desk.say("yes"), "", None)
        case "ask.change":
            return (yield from _what_if(desk, step))
        case "unclear" | "same" | "fix":
            found: Outcome | None = yield from find_out(desk, step.text)
            if found is None:
                raise Ask(desk.say("unclear"))
            return found
        case _:
            return Outcome("", "", None)


def _what_if(desk: Desk, step: Step) -> Work:
    """Say what a change would cost; nothing is changed."""
    if not step.word("file") and not desk.context.file:
        raise Ask(desk.say("what_if.nothing"))
    (path, *_) = yield from desk.files(step)
    entry = yield from desk.folder.find(path)
    if entry is not None and entry.is_folder:
        below = yield from desk.folder.everything(path)
        raise Ask(desk.say("what_if.folder", file=path, n=len(below)))
    try:
        text: str = yield from desk.folder.read(path)
    except Failed:
        text = ""
    raise Ask(desk.say("what_if", file=path, n=len(text.splitlines())))


def _is_talk(step: Step) -> bool:
    act = acts().get(step.act)
    return act is not None and act.kind == "talk"


def _shown_plan(desk: Desk, reading: Reading) -> Answer:
    """Show a plan that is not sure enough, and ask."""
    line = "; ".join(show(step) for step in reading.steps)
    return Answer(desk.say("shall", plan=mask(line)), True)


def _after(context: Context, outcome: Outcome) -> Context:
    """Return what the next step, or the next turn, can refer to."""
    if outcome.step is None:
        return context._replace(asked=None, missing="")
    value = "\n".join(outcome.value) if isinstance(outcome.value, list) else str(outcome.value)
    is_listing = bool(outcome.shown)
    return Context(
        outcome.step,
        outcome.file or ("" if is_listing else context.file),
        True,
        outcome.shown or context.shown,
        value or context.answer,
        outcome.step if is_change(outcome.step.act) else context.changed,
    )


def _joined(desk: Desk, said: Sequence[str]) -> str:
    notes, desk.notes = desk.notes, []
    return "\n".join(dict.fromkeys(text for text in [*notes, *said] if text))


def _failure(desk: Desk, failed: Failed) -> str:
    """Say in a sentence what a tool said no to."""
    if failed.is_missing:
        return not_offered(desk, Step(failed.tool, {name: (str(value),) for name, value in failed.arguments.items()}))
    if _BY_NAME_ONLY in failed.said:
        shown = shown_arguments(failed.tool, failed.arguments)
        return desk.say("by_name_only", tool=failed.tool, what=f" ({shown})" if shown else "")
    first = mask(failed.said.strip()).splitlines()[0] if failed.said.strip() else failed.tool
    if any(sign in failed.said for sign in _NO_APPROVAL):
        return desk.say("refused", what=first)
    return desk.say("tool_failed", what=first)
