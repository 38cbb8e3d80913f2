"""Questions about the model itself: how far it sees, what it sends, whether it asks first, what a no does."""

from __future__ import annotations

import re
from functools import cache

from lango_nb.models.offline.lexicon import ASK_SIGNS, UNSPACED, Lexicon, concepts_of, lexicon, words
from lango_nb.models.offline.names import is_asking
from lango_nb.models.offline.plan import read_rows

_LOOKING = frozenset(("you", "can", "read", "show", "open", "search"))
_CHANGING = frozenset(("delete", "change", "replace", "move", "rename"))
_SENTENCE = re.compile(r"(?<=[.!?])\s+|(?<=[\u3002\uff01])")
_MOST = 18
"""Words of such a question."""
_FEW = 8
"""Words, at most, with which it is asked who is spoken to: "hi, who are you then?"."""


def asked_of_itself(text: str) -> str:
    """Return the key of the sentence that answers a question about the model itself; empty where a text is none.

    Parameters
    ----------
    text : str
        A request in any of the ten languages.

    Returns
    -------
    str
        A row of ``data/reading/answers.tsv``.

    Examples
    --------
    >>> asked_of_itself("can you see my whole computer?"), asked_of_itself("fragst du, bevor du etwas löschst?")
    ('about.reach', 'about.asks')
    >>> asked_of_itself("est-ce que tu envoies mes fichiers quelque part ?"), asked_of_itself("what happens if I say no?")
    ('about.sends', 'about.refused')
    >>> asked_of_itself("hi, who are you?"), asked_of_itself("你是谁"), asked_of_itself("who are the people you will meet in May?")
    ('about.me', 'about.me', '')
    >>> asked_of_itself("delete it without asking"), asked_of_itself("who sent a.txt?"), asked_of_itself("which laptop is new?")
    ('', '', '')
    """
    *_, said = _SENTENCE.split(text.strip())
    found = words(said)
    is_question = said[-1:] in ASK_SIGNS or is_asking(said)
    about = frozenset[str]().union(*_topics().concepts(found))
    if "itself" in about and len(found) <= _FEW * (2 if any(word.kind in UNSPACED for word in found) else 1):
        return "about.me"
    if not is_question or len(found) > _MOST or any(word.kind in {"file", "folder"} for word in found):
        return ""
    told = frozenset[str]().union(*lexicon().concepts(found)) | concepts_of(said)
    is_of_you = bool(told & {"you", "can"}) or any(word.kind in UNSPACED for word in found)
    if "if_no" in about:
        return "about.refused"
    if "first" in about and told & _CHANGING and (is_of_you or "ask" in told):
        return "about.asks"
    if {"sends", "away"} <= about:
        return "about.sends"
    return "about.reach" if "machine" in about and told & _LOOKING else ""


@cache
def _topics() -> Lexicon:
    """Return the words of ``data/reading/about.tsv``."""
    return Lexicon(read_rows("about.tsv"))
