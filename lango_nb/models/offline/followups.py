"""Follow-ups: a later request is what it changes in the plan before, slot by slot.

    count lines of a.md     "and b.md?" → another file · "and words?" → another operation · "no, the other one" · "it", "there"
       └─ slots ──────────── each of the likeliest readings becomes whole plans, one for each place its words can have

The reader's confidence and how well words fit their slots put the plans in order; what is in the folder decides between
those that are left, when they are carried out.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

from lango_nb.models.offline.lexicon import UNSPACED, Word, concepts_of, is_small_in, lexicon, lexicon_of
from lango_nb.models.offline.lexicon import words as words_of
from lango_nb.models.offline.names import (
    asks,
    begins_with_pointer,
    here_in,
    is_pointer,
    is_small,
    points_back,
    rank,
    table_of,
    trimmed,
)
from lango_nb.models.offline.operations import reckon
from lango_nb.models.offline.plan import Context, Reading, Step, acts, is_change, is_talk
from lango_nb.models.offline.question import words_of_tables
from lango_nb.models.offline.reader import FOLLOWS, reader, roles_of

HALF = 0.5
"""Confidence from which a wish is likely, and what a slot counts that words were not read for."""
WISHING = frozenset(
    "show read print open list search many count delete move rename copy replace write append prepend save create remember "
    "remind run change sort compare calculate undo yes dismiss forget stop".split()
)
"""Concepts of what is to be done."""
EXACT = re.compile(r"[^\s\"]*(?:[^\s\".]\.[A-Za-z]\w{0,7}|/)\Z")
"""A word that is the name of a file or a folder as it stands."""
ENDED = re.compile(r"[^\s.]\.[A-Za-z]\w{0,7}\Z")
"""How the name of a file ends, also one with blanks."""
CLAUSES = re.compile(r"(?:[,;.!?]+(?!\w)|[\u3001\u3002\uff0c\uff1b\uff01\uff1f]+)\s*(?=.)")
"""Between the clauses of a request."""
_INTO = frozenset(("into",))
_CONTENTS_IN_ORDER = ("old", "find", "value", "key", "column", "new", "text")
"""Roles that words stand for in the order in which they are said."""
_SEVERAL = frozenset(("read", "compare", "query"))
"""Looks that are at several files together."""
_PLACES = frozenset(("file", "folder", "all"))
"""Concepts of a listing that says by itself of what."""
_TAIL = 6
"""Letters of the last part of a compound: "ordner", "folder", "mappen"."""
_LOSING = ("delete", "line.delete", "move", "run", "write")
"""How acts begin that lose something when they were not meant."""
_CONTENT = ("find", "value", "text", "old", "name", "key", "column", "command")
"""Roles that stand for each other in "and for X?"."""
_KEPT = frozenset(("find", "column", "by", "key", "value", "name", "ending"))
"""Roles that a later request may leave out."""
_PUT_BY = {"append": "text", "prepend": "text", "task.add": "text", "line.delete": "find", "line.tick": "find"}
"""Acts on lists, and the role of what goes onto them or comes off."""
_SOUGHT = frozenset(("search", "count.matches"))
DONE_WITH = frozenset(("sort", "reverse", "upper", "lower", "again", "count"))
"""Concepts of what is done with a text, said behind a word for it."""
_TRANSFERS = frozenset(("move", "rename", "copy"))


_LOOKING = frozenset("show read open print list search count sum mean calculate compare sort".split())
"""Concepts of verbs that change nothing."""
DEEDS: Mapping[str, tuple[str, ...]] = {
    "delete": ("delete", "line.delete", "task.delete"), "move": ("move", "line.move"), "rename": ("rename",), "copy": ("copy",),
    "replace": ("replace", "line.replace", "json.set", "task.change"), "append": ("append", "prepend", "task.add"),
    "change": ("replace", "line.replace", "json.set", "task.change", "rename"), "create": (),
}  # fmt: skip
"""Verbs that change something, and what is to be done where a request begins with one."""


def deed_of(request: str, language: str) -> frozenset[str]:
    """Return what a request says by its verb that is to be done, where that changes something: what it begins with.

    Words that stand without blanks say it last.

    Examples
    --------
    >>> [sorted(deed_of(text, "en")) for text in ("please delete the last line", "the last line is to go", "show me the changes")]
    [['delete'], [], []]
    >>> sorted(deed_of("そのファイルを削除してください", "ja"))
    ['delete']
    """
    found = [word for word in words_of(request.partition("\n")[0]) if word.kind != "sign"]
    told = lexicon_of(language).concepts(found)
    if any(word.kind in UNSPACED for word in found):
        last = next((one for one in reversed(told) if one & (WISHING | {*DEEDS})), frozenset[str]())
        return last & {*DEEDS}
    at = next((at for at, one in enumerate(told) if not one & {"please", "greeting"}), len(told))
    first = told[at] if at < len(told) and not found[at].is_quoted else frozenset[str]()
    first = first or (lexicon().concepts(found)[at] if at < len(told) and found[at].kind == "word" else first)
    first = first - {"change", "replace"} if "put" in first else first  # "zet"
    return first & {*DEEDS} if not first & _LOOKING else frozenset()


def last_of(context: Context) -> Step | None:
    """Return the step that a follow-up is about: the one that was asked about, or the last one."""
    return context.asked.steps[-1] if context.asked is not None and context.asked.steps else context.last


_ASKED = frozenset(("what", "who", "when", "where", "how", "which"))
"""Concepts of words that ask."""


def is_work(step: Step) -> bool:
    """Tell whether a step is anything to be done or looked at, and no talk."""
    return not is_talk(step.act) or (step.act == "ask.change" and "file" in step.arguments)


def behind_no(reading: Reading, context: Context) -> Reading:
    """Return the look that is wished for behind a no: "no, leave it. how many lines does it have?".

    Examples
    --------
    >>> said = "no, leave it as it is. how many lines does notes.md have?"
    >>> behind_no(Reading((Step("no", {}, text=said),)), Context()).steps[0].act
    'count.lines'
    """
    step = reading.steps[0] if len(reading.steps) == 1 else Step("unclear", {})
    if step.act not in {"no", "refrain"}:
        return reading
    *before, rest = CLAUSES.split(step.text.strip())
    last = last_of(context)
    wish = reader().read(rest, None if last is None else last.act) if before and len(rest.split()) > 1 else Reading(())
    acts_wished = [acts().get(one.act) for one in wish.steps]
    is_look = bool(acts_wished) and all(row is not None and row.kind == "look" for row in acts_wished)
    if is_look and wish.confidence >= HALF and not any(one.destination for one in wish.steps):
        return wish
    is_question = bool(before) and asks(rest) and len(words_of(rest)) > 2  # noqa: PLR2004 - no "da igual"
    is_question = is_question and not any(is_change(one.act) for one in wish.steps)
    return wish._replace(steps=(Step("unclear", {}, text=rest),), others=()) if is_question else reading


def later(reading: Reading, context: Context) -> Reading:
    """Make whole plans of what a request changes in the plan before.

    Each of the likeliest readings becomes the plans that it may mean, one for each place its words can have. The first
    is taken that lacks nothing; the others are tried where that does not work in the folder.

    Examples
    --------
    >>> last = Context(Step("task.add", {"text": ("buy tickets",)}))
    >>> more = Reading((Step("task.add", {"text": ("hand in the homework",)}),), 0.4)
    >>> later(Reading((Step("task.change", {"new": ("in the homework",)}),), 0.5, others=(more,)), last).steps[0].act
    'task.add'
    """
    last = last_of(context)
    steps: list[Step] = []
    reading = reading._replace(steps=tuple(_without_fillers(step, reading.language) for step in reading.steps))
    if len(reading.steps) != 1:
        for step in reading.steps:
            steps.append(
                next((meant for _, meant in _meanings(step, last, context)), Step("unclear", {}, text=step.text))
            )
            last = steps[-1] if is_work(steps[-1]) else last
        return reading._replace(steps=tuple(steps))
    if last is None:
        return reading
    tried = (reading._replace(others=()), *reading.others)
    found = [plan for one in tried for plan in _plans(one, last, context)]
    plans = sorted(found, key=lambda plan: -plan.confidence) if reading.steps[0].act in FOLLOWS else found
    if is_change(last.act) and _ASKED & frozenset[str]().union(
        *lexicon_of(reading.language).concepts(words_of(reading.steps[0].text))
    ):
        plans = [plan for plan in plans if plan.steps[0].act != last.act]  # "and what is the first one called?"
    if not plans:
        return reading._replace(steps=(Step("unclear", {}, text=reading.steps[0].text),))
    if len(plans) == 1 and reading.steps[0].act in FOLLOWS and not is_change(plans[0].steps[0].act):
        plans = [plans[0]._replace(confidence=reading.confidence)]  # there is nothing else that it could mean
    chosen, is_lost = plans[0], reading.steps[0].act in FOLLOWS and not _plans(tried[0], last, context)
    if is_lost or _is_stuck(chosen.steps[0]):
        able = [plan for plan in plans if _is_usable(plan.steps[0]) and (is_lost or _may_stand_in(plan, last))]
        deeds = {act for deed in deed_of(reading.steps[0].text, reading.language) for act in DEEDS[deed]}
        if is_lost and asks(reading.steps[0].text):
            able = [plan for plan in able if not is_change(plan.steps[0].act)]  # a question changes nothing
        if chosen.steps[0].act in deeds:  # "replace in a.txt" is nothing else
            able = [plan for plan in able if plan.steps[0].act in deeds]
        if able:
            likely = able[0].confidence / max(1 - reading.confidence, able[0].confidence)
            is_likelier = is_lost or able[0].steps[0].act == last.act  # what is impossible leaves the rest the likelier
            chosen = able[0]._replace(confidence=likely) if is_likelier else able[0]
        elif is_lost:
            chosen = reading._replace(steps=(Step("unclear", {}, text=reading.steps[0].text),))
    if reading.steps[0].act in FOLLOWS and chosen.steps[0].act in _NOTING:  # "部屋の掃除も" is not only 部屋
        chosen = next((plan for plan in plans if _says_whole(plan.steps[0], chosen.steps[0])), chosen)
    return chosen._replace(others=tuple(plan for plan in plans if plan.steps != chosen.steps))


_NOTING = frozenset(("task.add", "remember"))
"""Acts whose text is told in whole words, and not in one of them."""


def _says_whole(step: Step, part: Step) -> bool:
    """Tell whether a step notes the same as another one, in more words."""
    text, less = step.word("text"), part.word("text")
    return step.act == part.act and less != text and bool(less) and less in text


def _plans(reading: Reading, last: Step, context: Context) -> list[Reading]:
    """Return the plans that one reading may mean, likeliest first."""
    return [
        reading._replace(steps=(step,), confidence=reading.confidence * fit)
        for fit, step in _meanings(reading.steps[0], last, context)
    ]


def of_each_file(step: Step) -> tuple[Step, ...]:
    """Return a step for each of the files named where a look is at one at a time: "count the words of a.txt and b.txt"."""
    row, files = acts().get(step.act), step.arguments.get("file", ())
    is_single = row is not None and row.kind == "look" and "file" in row.needed and step.act not in _SEVERAL
    if not is_single or step.destination or not all(map(EXACT.match, files)):
        return (step,)
    return tuple(step.with_arguments(file=(file,)) for file in files) or (step,)


def _without_fillers(step: Step, language: str) -> Step:
    """Leave out of the files of a step what is no name, and tell where they go from what goes there.

    Examples
    --------
    >>> said = Step("delete", {"file": ("ora",)}, text="ok, ora eliminalo")
    >>> _without_fillers(said, "it").arguments
    {}
    >>> said = Step("copy", {"file": ("it", "the planning folder")}, text="copy it to the planning folder")
    >>> _without_fillers(said, "en").arguments
    {'file': ('it',), 'to': ('the planning folder',)}
    """
    row, words = acts().get(step.act), step.arguments.get("file", ())
    bare = (_without_lead(word, language) for word in words)
    aside = _said_aside(step.text, language)
    bare = (word.split()[0] if _is_it_and_more(word, aside) else word for word in bare)
    kept = tuple(word for word in bare if is_pointer(word, "it") or not is_small_in(word.casefold(), language))
    kept = tuple(word for word in kept if not aside or not aside.issuperset(word.casefold().split()))  # "du coup"
    if step.act in _TRANSFERS and ENDED.search(step.word("to")) and "/" not in step.word("to") and here_in(step.text):
        return step.with_arguments(to=(f"./{step.word('to')}",))  # "copy old/a.txt here and call it b.txt"
    if step.act in _TRANSFERS and not step.word("to") and (here := here_in(step.text)):
        kept = tuple(word for word in kept if word.casefold() not in here)
        return step.with_arguments(file=kept, to=(here,))
    kept = _without_pointers(step, kept)
    named = tuple(word for word in kept if EXACT.match(word))
    if step.act.startswith("read") and len(named) == 1 < len(kept):
        kept = named  # "the first line of the second verse in a.txt"
    if row is None or "to" not in row.roles or step.word("to") or len(kept) < 2:  # noqa: PLR2004 - what, and where to
        return step.with_arguments(file=kept)
    for word in kept:
        before = words_of(step.text.partition(word)[0])[-1:]
        if before and concepts_of(before[0].text) & _INTO and before[0].text != word:
            return step.with_arguments(file=tuple(one for one in kept if one != word), to=(word,))
    return step.with_arguments(file=kept)


def _said_aside(text: str, language: str) -> frozenset[str]:
    """Return the words of a text that are only said by the way, and are no name.

    Examples
    --------
    >>> sorted(_said_aside("et combien de mots du coup ?", "fr")), sorted(_said_aside("how many words", "en"))
    (['coup', 'du'], [])
    """
    found = words_of(text.partition("\n")[0])
    told = words_of_tables(language).concepts(found)
    return frozenset(word.folded for word, one in zip(found, told, strict=True) if "aside" in one)


def _without_pointers(step: Step, words: tuple[str, ...]) -> tuple[str, ...]:
    """Leave out of the files of a look what only points, beside one that is told and no "and": "run the script, what does it say".

    Examples
    --------
    >>> said = Step("run.file", {}, text="run the overdue script, how many does it say")
    >>> _without_pointers(said, ("the overdue script", "it"))
    ('the overdue script',)
    >>> _without_pointers(Step("read", {}, text="show me a.txt and it"), ("a.txt", "it"))
    ('a.txt', 'it')
    """
    row = acts().get(step.act)
    if row is None or "to" in row.roles or step.act == "compare" or len(words) != 2:  # noqa: PLR2004 - one, and "it"
        return words
    told = tuple(word for word in words if not is_pointer(word, "it"))
    *_, before = step.text.partition(words[0])[2].partition(words[1])[0].split() or [""]
    return words if "and" in concepts_of(before) or len(told) != 1 else told


def _is_it_and_more(words: str, aside: frozenset[str] = frozenset()) -> bool:
    """Tell whether words are a pointer, and what is to be done with it, or what is said by the way: "das alphabetisch", "die eigentlich".

    Examples
    --------
    >>> _is_it_and_more("das alphabetisch"), _is_it_and_more("die eigentlich", frozenset({"eigentlich"})), _is_it_and_more("die Liste")
    (True, True, False)
    """
    first, *rest = words.split() or [""]
    is_more = all(concepts_of(word) & DONE_WITH or word.casefold() in aside for word in rest)
    return bool(rest) and is_pointer(first, "it") and is_more


def _without_lead(words: str, language: str) -> str:
    """Leave out small words before what points at another one, or at the first: "en nu de andere", "jednak pierwszy".

    Examples
    --------
    >>> _without_lead("en nu de andere", "nl"), _without_lead("jednak pierwszy", "pl"), _without_lead("de derde brief", "nl")
    ('de andere', 'pierwszy', 'de derde brief')
    """
    parts = words.split()
    is_plain = is_pointer(words, "other") or trimmed(words) != words
    for at in range(1, 1 if is_plain else len(parts)):
        rest = " ".join(parts[at:])
        if not is_small_in(parts[at - 1].casefold(), language):
            break
        if is_pointer(rest, "other") or (len(parts[at:]) == 1 and rank(rest) is not None and not rest.isdigit()):
            return rest
    return words


def _is_stuck(step: Step) -> bool:
    """Tell whether a plan cannot be carried out as it is: something is missing, or what is to be reckoned is no sum."""
    return lacks(step) or (step.act == "calculate" and reckon(step.word("text")) is None)


def _is_usable(step: Step) -> bool:
    """Tell whether a plan may take the place of a likelier one: it lacks nothing, loses nothing, and says what with."""
    is_vague = any(
        is_pointer(word, "it") for role, words in step.arguments.items() if role not in {"file", "to"} for word in words
    )
    return not (is_vague or _is_stuck(step) or step.act.startswith(_LOSING) or is_talk(step.act))


def _may_stand_in(plan: Reading, last: Step) -> bool:
    """Tell whether a plan may be taken for a likelier one that lacks something: it does what was done, or is likely."""
    act, text = plan.steps[0].act, plan.steps[0].text.partition("\n")[0]
    is_gentle = is_change(act) and not act.startswith(("replace", "line."))
    is_number = act == "query" and any(sign.isdigit() for sign in text)  # "and divided by 5?"
    return (act == last.act and not is_number) or (is_gentle and plan.confidence >= HALF)


def _meanings(step: Step, last: Step | None, context: Context) -> list[tuple[float, Step]]:
    """Return what a step may mean after the one before, each with how well it fits; none where it has no meaning there."""
    if last is None:
        return [(1.0, step)]
    step = _likewise(step, last, context.changed)
    return _with_changes(step, last) if step.act in FOLLOWS else [(1.0, _filled(step, last, context))]


def _with_changes(step: Step, last: Step) -> list[tuple[float, Step]]:
    """Return the step before with what a follow-up says in its slots, likeliest first; none where a word has no place.

    Examples
    --------
    >>> counted = Step("count.lines", {"file": ("a.md",)})
    >>> [(fit, plan.arguments) for fit, plan in _with_changes(Step("same", {"value": ("the list",)}), counted)]
    [(0.5, {'file': ('the list',)})]
    >>> _with_changes(Step("fix", {"to": ("b.md",)}), Step("delete", {"file": ("a.md",)}))
    []
    """
    if last.act == "search" and not last.word("find"):
        last = last._replace(act="read")  # a question that was answered from a file
    step, last = _operation(step, last)
    destination = step.destination or last.destination
    kept = last._replace(text=f"{step.text}\n{last.text}", destination=destination)
    said = dict(step.arguments)
    if last.act == "run" and said and not step.word("command"):
        return []  # a word by itself is no command
    if last.act == "query":  # its words are read against the table
        return [(1.0, kept.with_arguments(**{role: words for role, words in said.items() if role == "file"}))]
    if not said and last.act in _PUT_BY and not concepts_of(step.text) & {"again", "other", "undo", "yes"}:
        first, _, rest = step.text.strip(" .!").partition(" ")
        said = {_PUT_BY[last.act]: (rest,)} if rest and "and" in concepts_of(first) else said  # "and a hat"
    if not said and "other" in concepts_of(step.text):
        said["file"] = (next(iter(table_of("other"))),)
    if not said and (says_more(step.text) or (step.act == "fix" and is_change(last.act))):
        return []  # what was wrong is not done once more
    if last.act == "rename" and "to" not in said:
        kept = kept.with_arguments(to=())  # no two files have one name
    able = (*roles_of(last.act, destination), *last.arguments)
    found = [(1.0, kept)]
    strange = [role for role in said if role not in able]
    content = [slot for slot in _CONTENTS_IN_ORDER if slot in last.arguments and slot not in said]
    if len(strange) > 1 and len(strange) == len(content):  # as many as there are: each in its turn
        said = {content[strange.index(role)] if role in strange else role: words for role, words in said.items()}
    for role, words in said.items():
        found = [
            (fit * likely, plan.with_arguments(**{slot: words}))
            for slot, likely in _slots(role, words, last, able).items()
            for fit, plan in found
        ]
    return found


def command_again(request: str, last: Step | None) -> Step | None:
    """Return the command that was run with one word in the place of another: "the same with LOAD instead of UNLOAD".

    Examples
    --------
    >>> ran = Step("run", {"command": ("grep -c UNLOAD kiln.log",)})
    >>> command_again("y lo mismo pero con LOAD en vez de UNLOAD", ran).word("command")
    'grep -c LOAD kiln.log'
    >>> command_again("and the same for b.log", ran).word("command"), command_again("the same again, louder", ran)
    ('grep -c UNLOAD b.log', None)
    >>> command_again("now hw2", Step("run", {"command": ("python mean.py hw1",)})).word("command")
    'python mean.py hw2'
    """
    command = "" if last is None or last.act not in {"run", "run.background"} else last.word("command")
    if not command:
        return None
    said = [word for word in words_of(request) if word.kind != "sign"]
    there = [word for word in words_of(command) if word.kind != "sign"]
    old = [word for word in said if any(word.text == other.text for other in there) and not word.text.islower()]
    new = [word for word in said if _sort_of(word) and word not in old]
    sorts = {_sort_of(word) for word in new}
    if not old and len(new) == 1:
        old = [word for word in there if _sort_of(word) == _sort_of(new[0])]
    if len(old) != 1 or len(new) != 1 or {_sort_of(old[0])} != sorts:
        return None
    line = re.sub(rf"(?<!\w){re.escape(old[0].text)}(?!\w)", lambda _: new[0].text, command)
    return last._replace(arguments={**last.arguments, "command": (line,)}, text=request) if last is not None else None


def _sort_of(word: Word) -> str:
    """Return what a word of a command looks like: a file, a number, a name or one with a number; empty for ordinary words."""
    if word.kind in {"file", "number"}:
        return word.kind
    if re.fullmatch(r"[^\W\d_]+\d+", word.text):
        return "numbered"
    return "name" if word.is_quoted or (word.text.isupper() and len(word.text) > 1) else ""


def _operation(step: Step, last: Step) -> tuple[Step, Step]:
    """Return a follow-up, and the step before with the operation it names: "and the words?" after lines were counted.

    Examples
    --------
    >>> counted = Step("count.lines", {"file": ("a.md",)})
    >>> [one.act for one in _operation(Step("same", {"value": ("Wörter",)}, text="und Wörter?"), counted)]
    ['same', 'count.words']
    """
    family, dot, _ = last.act.partition(".")
    row = acts().get(last.act)
    if not dot or row is None or row.kind != "look":
        return step, last
    alike = [
        name
        for name, act in acts().items()
        if name.startswith(f"{family}.") and (act.needed, act.reads) == (row.needed, row.reads)
    ]
    rest = step.text
    for word in step.arguments.get("file", ()):
        rest = rest if rank(word) is not None else rest.replace(word, " ")
    meant = [act for act in alike if says_operation(rest, act)]
    if (
        not meant
        and last.act in {"read.first", "read.last"}
        and not last.word("n")
        and rank(step.word("file")) is not None
    ):
        return step._replace(arguments={"line": step.arguments["file"]}), last._replace(act="read.line")
    if len(meant) != 1:
        return step, last
    said = {role: words for role, words in step.arguments.items() if not says_operation(" ".join(words), meant[0])}
    return step._replace(arguments=said), last._replace(act=meant[0])


def says_operation(words: str, act: str, language: str = "") -> bool:
    """Tell whether words have the one that tells an act from those like it: words and ``count.words``."""
    name = act.rpartition(".")[2]
    own = frozenset[str]().union(*lexicon_of(language).concepts(words_of(words))) if language else concepts_of(words)
    return any(name.startswith(told) or told.startswith(name.removesuffix("s")) for told in own)


def _slots(role: str, words: tuple[str, ...], last: Step, able: Collection[str]) -> dict[str, float]:
    """Return the slots of the step before that words of a follow-up may be for, likeliest first, each with how well it fits."""
    own = {role: 1.0} if role in able else {}
    changes = is_change(last.act)
    put = _PUT_BY.get(last.act, "")
    if put and role == "file" and not (EXACT.match(words[0]) or is_pointer(words[0], "other")):
        return {put: 1.0, "file": HALF}  # "and oranges"
    if is_pointer(words[0], "other") and "file" in able:
        return {"file": 1.0}
    if EXACT.match(words[0]):
        free = [slot for slot in ("file", "to") if slot in able and not (role == "to" and changes)]
        return own or dict.fromkeys(free[:1], 1.0)
    content = {slot: 1.0 for slot in _CONTENT if slot in last.arguments and role in _CONTENT}
    if rank(words[0]) is not None and (placed := [slot for slot in last.arguments if _is_place(last.word(slot), slot)]):
        return {placed[0]: 1.0}
    rest = {slot: HALF for slot in last.arguments if slot not in {"file", "to"} and not changes}
    is_name = role in {"file", *_CONTENT} and not content if changes else role != "to"
    file = {"file": HALF} if "file" in able and is_name else {}
    order = (*own, *content, *rest, *file)
    return {slot: ({**file, **rest, **content, **own})[slot] for slot in order}


def _is_place(word: str, role: str) -> bool:
    """Tell whether a word of a role is a place in an order: "the second"."""
    return role in {"line", "n"} and rank(word) is not None


def _likewise(step: Step, last: Step, changed: Step | None) -> Step:
    """Return what "do the same with X" means after a move, a renaming or a copy: X goes where the other went.

    X is never where something else goes.
    """
    done = changed if changed is not None else last
    is_same = "same" in concepts_of(step.text) and step.act in {"same", done.act}
    if not is_same or done.act not in _TRANSFERS or "file" in step.arguments:
        return step
    places = [step.text.find(word) for words in step.arguments.values() for word in words]
    ends = [place + len(word) for place, word in zip(places, sum(step.arguments.values(), ()), strict=True)]
    if not places or min(places) < 0:
        return step
    goal = done.word("to")
    roles = {"file": (step.text[min(places) : max(ends)],), "to": (goal,) if goal.endswith("/") else ()}
    return Step(done.act, {role: words for role, words in roles.items() if words}, text=step.text)


def _filled(step: Step, last: Step, context: Context) -> Step:
    """Take what a step needs and does not say from the step before: "how many are there?" after a search.

    "It" is what the step before called its file, where that was not looked for yet: "move the mail", "show it".
    """
    row = acts().get(step.act)
    if row is None or row.kind == "talk":
        return step
    if step.act in _SOUGHT and not step.word("find") and _is_sought(step.word("file")) and last.word("file"):
        step = step.with_arguments(find=step.arguments["file"], file=last.arguments["file"])  # "and the warnings?"
    if step.act == "move" and last.act == "rename" and ENDED.search(step.word("to")):
        step = step._replace(act="rename")  # "and b.py to c.py"
    taken = {
        role: last.arguments[role]
        for role in row.needed
        if role in last.arguments and _is_left_out(role, step.word(role), is_same=step.act == last.act != "rename")
    }
    if _is_listing(step) and _is_listing(last) and not concepts_of(step.text) & _PLACES:
        taken |= {role: last.arguments[role] for role in row.optional if role in last.arguments and role != "n"}
    word, spoken = step.word("file"), last_of(context)
    is_it = is_pointer(word, "it") if word else "file" in row.needed and points_back(step.text)
    is_open = not context.file or context.asked is not None
    if is_it and is_open and spoken is not None and spoken.word("file") and not ENDED.search(spoken.word("file")):
        taken["file"] = spoken.arguments["file"]
    return step.with_arguments(**taken) if taken else step


def _is_sought(words: str) -> bool:
    """Tell whether words taken for a file are no name and point at nothing."""
    is_pointing = is_pointer(words, "it") or is_pointer(words, "those") or is_pointer(words, "other")
    is_place = rank(words) is not None or bool(concepts_of(words) & _PLACES)
    return bool(words) and not (EXACT.match(words) or is_pointing or begins_with_pointer(words) or is_place)


def _is_listing(step: Step) -> bool:
    """Tell whether a step tells something of a folder."""
    return step.act.startswith(("list", "count.files"))


def _is_left_out(role: str, word: str, *, is_same: bool) -> bool:
    """Tell whether a role of a step is that of the step before: not said, or a pronoun."""
    if not word:
        return role in _KEPT or (is_same and role == "to")
    return role in {*_KEPT, "line"} and (is_pointer(word, "it") or begins_with_pointer(word))


def lacks(step: Step) -> bool:
    """Tell whether a step lacks something besides a file, which may be the one that was spoken of."""
    row = acts().get(step.act)
    return row is not None and any(role != "file" and not step.word(role) for role in row.needed)


def says_more(request: str) -> bool:
    """Tell whether a request has a quotation or a word in it that is no wish, no pronoun and no small word."""
    found = [word for word in words_of(request) if word.kind not in {"sign", "file", "folder"}]
    unknown = [
        word
        for word, concepts in zip(found, lexicon().concepts(found), strict=True)
        if not concepts
        and not concepts_of(word.text[-_TAIL:]) & {"folder", "file"}  # "Hauptordner"
        and not is_small(word.text)
        and not any(is_pointer(word.text, kind) for kind in ("it", "those", "answer"))
        and not "\u3040" <= word.text <= "\u309f"
    ]
    is_one_sign = len(unknown) == 1 and unknown[0].kind == "character"  # 把, 将
    return any(word.is_quoted for word in found) or (bool(unknown) and not is_one_sign)
