"""What the demo model proposes to learn: goals of several stumbles that share words become a routing rule or a memory.

The same model follows what it proposes (advice.py), so that a class sees what learning changes.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from lango_nb.core.messages import Message
from lango_nb.core.stems import words_of
from lango_nb.core.text import counted
from lango_nb.models.summaries import lines_of

_LEAST = 2
"""Stumbles whose goals have to share a word."""
_MOST_WORDS = 3
_STRENGTH = 0.6
_ABSENT = re.compile(r"\w+ failed: (?P<path>.+?) does not exist(?:.*; it is (?P<where>.+))?")
_WORD = re.compile(r"[^\W_]{2,}")


def propose(messages: Sequence[Message]) -> str:
    """Return what is proposed, as JSON.

    Parameters
    ----------
    messages : sequence of Message
        A request of :func:`~lango_nb.models.proposals.proposal_request`.
    """
    lines = list(lines_of(messages))
    stumbles = [line for line in lines if "stumble" in line]
    if not stumbles:
        return json.dumps({"type": "skip", "reason": "there is no stumble"})
    words = shared_words((str(line["goal"]) for line in stumbles), " ".join(str(line["detail"]) for line in stumbles))
    if not words:
        return json.dumps({"type": "skip", "reason": "the goals of the stumbles share no words"})
    return json.dumps(_change(words, stumbles, lines), ensure_ascii=False)


def shared_words(texts: Iterable[str], about: str = "") -> list[str]:
    """Return the words that most texts share, as they were written first.

    Parameters
    ----------
    texts : iterable of str
    about : str
        Where some of them stand here too, only these.

    Examples
    --------
    >>> shared_words(["sum the Ledger", "what do ledgers say?", "read plan.txt"])
    ['ledger']
    >>> shared_words(["how many lines has a.md?", "how many words has a.md?"], "a.md does not exist")
    ['md']
    """
    written: dict[str, str] = {}
    number: Counter[str] = Counter()
    for text in texts:
        number.update(words_of(text))
        for word in _WORD.findall(text):
            for stem in words_of(word):
                written.setdefault(stem, word.casefold())
    found = [stem for stem, times in number.most_common() if times >= _LEAST and stem in written]
    found = [stem for stem in found if stem in words_of(about)] or found
    order = list(written)
    best = sorted(found, key=lambda stem: (-number[stem], order.index(stem)))[:_MOST_WORDS]
    return [written[stem] for stem in best]


def _change(words: list[str], stumbles: Sequence[Mapping[str, Any]], lines: Sequence[Mapping[str, Any]]) -> Any:
    """Prefer another agent whose description speaks of the goals; else remember what would have helped."""
    newest = stumbles[-1]
    agent, about = str(newest["agent"]), " ".join(words)
    often = f"{agent} stumbled over {', '.join(words)} in {counted(len(stumbles), 'goal')}"
    wanted = frozenset().union(*(words_of(str(line["goal"])) for line in stumbles))
    fits = {
        str(line["agent"]): len(wanted & words_of(str(line["description"])))
        for line in lines
        if "agent" in line and "description" in line and newest["by"] in line["listed_by"]
    }
    own = fits.pop(agent, 0)
    other = max(fits, key=lambda name: fits[name], default="")
    if other and fits[other] > own:
        reason = f"{often}, and {other} says of itself more of what they are about"
        rule = {"condition": about, "preference": f"choose {other}", "strength": _STRENGTH}
        return {"type": "create_routing_rule", **rule, "reason": reason}
    lesson = _lesson(str(line["detail"]) for line in stumbles)
    if not lesson:
        return {"type": "skip", "reason": f"{often}, and nothing plain follows from it"}
    return {"type": "create_memory", "content": lesson, "tags": words, "reason": often}


def _lesson(details: Iterable[str]) -> str:
    """Say where files are that were not where they were looked for; to look first, where they were nowhere.

    Examples
    --------
    >>> _lesson(["read_file failed: a.txt does not exist; there is: x; it is x/a.txt"])
    'a.txt is in x.'
    >>> _lesson(["read_file failed: b.csv does not exist; there is: x", "fetch failed: the address is unknown"])
    'Use glob first to find b.csv.'
    """
    found: dict[str, str] = {}
    for detail in details:
        if match := _ABSENT.match(detail):
            found[match["path"]] = (match["where"] or "").rpartition("/")[0] or found.get(match["path"], "")
    folders = dict.fromkeys(folder for folder in found.values() if folder)
    places = [(_listed([path for path, folder in found.items() if folder == one]), one) for one in folders]
    said = [f"{names} {'are' if ' and ' in names else 'is'} in {_quoted(folder)}." for names, folder in places]
    absent = [path for path, folder in found.items() if not folder]
    return " ".join([*said, *([f"Use glob first to find {_listed(absent)}."] if absent else [])])


def _listed(names: Sequence[str]) -> str:
    *most, last = map(_quoted, names)
    return f"{', '.join(most)} and {last}" if most else last


def _quoted(name: str) -> str:
    return f"“{name}”" if " " in name else name
