"""Values in a text that a telling name stands before: where each begins, and where it ends.

The rule is that too much is taken out rather than too little: a value in quotes ends with its quote, at whatever depth
of JSON in JSON; one in brackets with its bracket; one in an address with its parameter; any other with the next blank.
"""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from lango_nb.core.secret_names import is_measure, is_measuring, is_secret_name, words
from lango_nb.core.secret_shapes import MASK

_LONGEST_NAME = 80
_OPEN, _CLOSED = frozenset("([{"), frozenset(")]}")
_BEGIN_VALUE = frozenset("[{\"'`")
_LINE_ENDS = frozenset("\r\n")
_SHORT_SIGNS = frozenset({">", "is"})
_ESCAPE = re.compile(r"u[0-9a-fA-F]{4}|[nrtbf]")
_BLANKS = re.compile(r"\s{0,1000}")
_BLANKS_OF_LINE = re.compile(r"[ \t]{0,1000}")
_BOLD = re.compile(r"(?:\*{1,3}(?=[ \t]))?[ \t]{0,1000}")
_LOGIN = re.compile(r"\blogin[ \t\r\n]{1,8}\S{1,80}[ \t\r\n]{1,8}\Z")
_BETWEEN_TAGS = re.compile(r"[^<]*[^<\s]")
_HEADER = re.compile(r"[^\s\"'`<\\]+")
_SOMETHING = re.compile(r"\w")
_ONLY_NUMBERS = re.compile(r"[\[{](?:\s|[\]},:]|[-+]?\d[\d_.]*|\\{0,15}\"\w*\\{0,15}\"\s*(?=:))*")
_QUOTED = re.compile(r"[bBrRfFuU]{0,2}(?P<quote>\\{0,15}(?:\"\"\"|'''|[\"'`]))")
_PLAIN = re.compile(
    r"""(?:
        \[masked\]
        | [^\s"'`,;)}\]<([{\\&]              # most characters
        | [,;)}\]](?=[^\s"'`,;)}\]\\<])      # a comma that goes on is part of it, one that ends it is not
        | (?<=\w)["'`](?=\w)                 # so is an apostrophe
        | <(?![A-Za-z/!])                    # but no tag
        | \\(?![nrt"'`\\])                   # and no escape
        | &
    )+""",
    re.VERBOSE,
)
_PARAMETERS = dict.fromkeys("?&#", re.compile(r"[^\s&#\"'`<>\\;]+")) | {";": re.compile(r"[^\s\"'`<>;]+")}
"""Values in addresses and in lists of settings, by what stands before the name."""
_BRACKETS = re.compile(r"\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|[()\[\]{}]", re.DOTALL)
_PLAIN_BRACKETS = re.compile(r"[()\[\]{}]")
_SCHEMA = re.compile(
    r"\{\s*\\{0,15}\"type\\{0,15}\"\s*:\s*(?:\[|\\{0,15}\"(?:string|integer|number|boolean|array|object)\\{0,15}\")"
)
_EXAMPLES = re.compile(r"\"(?:default|const|enum|examples?|value)\\{0,15}\"\s*:")
_KEY = re.compile(r"(?=\S*\d)(?=\S*[^\W\d])[\w+/=-]{8,}")
"""What is no number and no name of a variable."""
_YES_NO = re.compile(r"(?:true|false|yes|no)[,;.)}\]]*", re.IGNORECASE)
_NOTHING = re.compile(r"(?:null|none|nil|undefined|str|string|bytes)[?,;.)}\]]*", re.IGNORECASE)
_SCHEME = re.compile(
    r"(?:(?:bearer|basic|token|negotiate|ntlm|api-?key|key|bot|(?P<parts>digest|hawk|oauth|aws4-[\w-]+))[ \t]+)?",
    re.IGNORECASE,
)
_REST_OF_LINE = re.compile(r"[^\r\n]+")
_REST_IN_QUOTES = re.compile(r"[^\r\n\"'`<\\]+")
_WORDS = re.compile(r"[^\s,;\"'`<\\]+(?:[ \t]+[\w-]{1,20}(?![\w:=-])){0,23}")
_BLOCK = re.compile(r"[|>][+-]?\d?[ \t]*(?P<lines>(?:\r?\n[ \t]+[^\r\n]*|\r?\n(?=\r?\n[ \t]))+)")
_ALONE = re.compile(r"[ \t]*\r?\n[ \t]*(?P<value>[^\s\"'`{\[<#*-]\S*)[ \t]*(?=\r?\n|\Z)")
_MADE_UP = re.compile(r"(?=\S*\d)(?=\S*[^\W\d_])\S{6,}|(?=\S*[^\W\d_])(?=\S*[!@#$%^&*+=?])\S{6,}|\d{4,}(?!\S*[a-z])")
_SPOKEN = re.compile(r"[ \t]{1,8}(?:is|was|are|will be|to)[ \t:]{1,8}", re.IGNORECASE)


class _Found(NamedTuple):
    """What is taken out of a text, and what comes in its place."""

    start: int
    end: int
    instead: str = MASK


class _Place(NamedTuple):
    """A telling name in a text, and what is known about its value."""

    text: str
    name: str
    start: int
    """Where the name begins."""
    value: int
    """Where the value may begin."""
    sign: str
    """What stands between the two: ``=``, ``:``, ``>`` of a tag, ``is``, or a blank."""
    close: str
    """The quote after the name, with its backslashes."""

    @property
    def is_in_quotes(self) -> bool:
        return self.close[-1:] in {'"', "'"}

    def after_blanks(self) -> int:
        """Return where the value begins: on the same line, in JSON anywhere."""
        if self.is_in_quotes:
            found = _BLANKS.match(self.text, self.value)
        else:
            is_bold = self.sign == ":" and not self.close
            found = (_BOLD if is_bold else _BLANKS_OF_LINE).match(self.text, self.value)
        return self.value if found is None else found.end()

    def first(self) -> str:
        """Return the first character of the value; empty at the end of the text."""
        start = self.after_blanks()
        return self.text[start : start + 1]


class _Brackets:
    """Finds the end of what is in brackets; looks at no more than a few times the text, however it is made."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._left = 4 * len(text) + 1000

    def end(self, start: int, *, is_escaped: bool = False) -> int | None:
        """Return where the bracket at a place is closed; ``None`` when it is not."""
        depth, seen = 0, start
        for found in (_PLAIN_BRACKETS if is_escaped else _BRACKETS).finditer(self._text, start):
            self._left -= found.end() - seen
            seen = found.end()
            if self._left < 0:
                return len(self._text)
            if found[0] in _OPEN:
                depth += 1
            elif found[0] in _CLOSED:
                depth -= 1
            if not depth:
                return found.end()
        self._left -= len(self._text) - seen
        return None if self._left > 0 else len(self._text)


def without_named(text: str, keys: tuple[str, ...] = ()) -> str:
    """Take out of a text what telling names stand before.

    Parameters
    ----------
    text : str
    keys : tuple of str
        Further names, as :func:`~lango_nb.core.secret_names.normal_key` writes them.

    Returns
    -------
    str

    Examples
    --------
    >>> without_named('{"api_key": "a b", "n": 1} and password = hunter2, user = ada')
    '{"api_key": "[masked]", "n": 1} and password = [masked], user = ada'
    """
    folded, candidates, brackets = _folded(text), _candidates(keys), _Brackets(text)
    parts: list[str] = []
    kept = place = 0
    while found := candidates.search(folded, place):
        place = found.end()
        named = _place(text, found, keys)
        value = _value(named, brackets, keys) if named is not None else None
        if value is not None:
            parts += (text[kept : value.start], value.instead)
            kept = place = value.end
    return "".join((*parts, text[kept:])) if parts else text


def _folded(text: str) -> str:
    """Return a text in lower case and as long as it was."""
    folded = text.lower()
    return folded if len(folded) == len(text) else "".join(one if len(one.lower()) > 1 else one.lower() for one in text)


@cache
def _candidates(keys: tuple[str, ...]) -> re.Pattern[str]:
    """Return the pattern of a telling word, the rest of its name, and what stands between name and value."""
    return re.compile(
        rf"(?:{words(keys)})[\w-]{{0,{_LONGEST_NAME}}}+(?P<close>\\{{0,15}}[\"'`]|\*{{1,3}}|)"
        r"(?:(?P<value>\s{0,20},?\s{0,20}\\{0,15}[\"']?value\\{0,15}[\"']?\s{0,20}[:=])"
        r"|\s{0,20}(?P<sign>=>|:=|[!=]==?|=|:(?!:|//))"
        r"|(?P<tag>>)"
        r"|(?P<list>,\s{0,20}(?=\\{0,15}[\"']))"
        r"|(?P<gap>(?=[ \t\r\n])))"
    )


# -- names -------------------------------------------------------------------------------------------------------------


def _place(text: str, found: re.Match[str], keys: tuple[str, ...]) -> _Place | None:
    """Return the name that was found, whole and as it is written, if it is one and may have a value."""
    start = _name_start(text, found.start())
    name = text[start : found.start("close")]
    if not is_secret_name(name.lstrip("-"), keys):
        return None
    kind = found.lastgroup or ""
    sign = "=" if kind == "value" else found[kind]
    place = _Place(text, name, start, found.end(), sign, found["close"])
    if kind == "tag":
        return place if text[start - 1 : start] == "<" else None
    if kind == "list":
        return place._replace(sign="=") if name.startswith("--") else None
    if kind == "gap":
        return _after_gap(place)
    if sign in {"==", "!=", "===", "!=="}:
        return place._replace(sign="=") if _QUOTED.match(text, place.after_blanks()) is not None else None
    is_many = sign == ":" and name[-1] in "sS" and not place.is_in_quotes
    return place if not is_many or place.first() in _BEGIN_VALUE else None


def _name_start(text: str, place: int) -> int:
    start = place
    while start and place - start < _LONGEST_NAME and (text[start - 1].isalnum() or text[start - 1] in "_.-"):
        start -= 1
    escape = _ESCAPE.match(text, start, place) if text[start - 1 : start] == "\\" else None
    return start if escape is None else escape.end()


def _after_gap(place: _Place) -> _Place | None:
    """Return a name without a sign after it where it has a value: ``--password x``, ``password is h4x``."""
    text = place.text
    if place.name.startswith("--"):
        is_option = not place.name.startswith("--no-") and place.first() not in {"", "-"}
        return place._replace(sign=" ") if is_option else None
    if spoken := _SPOKEN.match(text, place.value):
        return place._replace(sign="is", value=spoken.end())
    if _LOGIN.search(text, max(place.start - 120, 0), place.start):
        blanks = _BLANKS.match(text, place.value)
        return place._replace(sign=" ", value=blanks.end() if blanks is not None else place.value)
    return None


# -- values ------------------------------------------------------------------------------------------------------------


def _value(place: _Place, brackets: _Brackets, keys: tuple[str, ...]) -> _Found | None:
    """Return the value of a name; ``None`` where it has none, or one that is no secret."""
    text = place.text
    if place.sign in _SHORT_SIGNS:
        return _short_value(place)
    if place.sign == "=" and (parameter := _PARAMETERS.get(text[place.start - 1 : place.start])):
        return _matched(parameter.match(text, place.value))
    start = place.after_blanks()
    quoted = _QUOTED.match(text, start)
    if quoted is not None:
        return _in_quotes(place, quoted)
    if text[start : start + 1] in {"{", "["} and not text.startswith(MASK, start):
        return _in_brackets(place, start, brackets)
    if not place.is_in_quotes and text[start : start + 1] in _LINE_ENDS:
        return _matched(_ALONE.match(text, place.value), "value")
    if not place.is_in_quotes and (block := _BLOCK.match(text, start)):
        return _matched(block, "lines")
    return _special(place, start) or _plain(place, start, brackets, keys)


def _matched(found: re.Match[str] | None, group: str | int = 0) -> _Found | None:
    return _Found(found.start(group), found.end(group)) if found is not None else None


def _short_value(place: _Place) -> _Found | None:
    """Return what is between tags, or what somebody said and no word of a sentence can be."""
    if place.sign == ">":
        return _matched(_BETWEEN_TAGS.match(place.text, place.value))
    found = _MADE_UP.match(place.text, place.value)
    return _Found(found.start(), found.start() + len(found[0].rstrip(".,;:!?)"))) if found is not None else None


def _in_quotes(place: _Place, quoted: re.Match[str]) -> _Found | None:
    """Return what is in quotes; without a last quote, what is left of the line, in JSON of the text."""
    text, start, quote = place.text, quoted.end(), quoted["quote"]
    mark = quote.lstrip("\\")
    depth = len(quote) - len(mark)
    end = text.find(mark, start)
    while end >= 0:
        slashes = _slashes_before(text, start, end)
        if slashes < depth or not (slashes - depth) % (2 * (depth + 1)):
            break
        end = text.find(mark, end + 1)
    if end >= 0:
        end -= min(depth, slashes)
    else:
        found = _REST_OF_LINE.match(text, start)
        end = len(text) if place.is_in_quotes or depth or found is None else found.end()
    return _Found(start, end) if end > start else None


def _slashes_before(text: str, start: int, end: int) -> int:
    first = end
    while first > start and text[first - 1] == "\\":
        first -= 1
    return end - first


def _in_brackets(place: _Place, start: int, brackets: _Brackets) -> _Found | None:
    """Return an object or a list; one that is cut goes to the end in JSON, to the end of the line elsewhere."""
    text = place.text
    end = brackets.end(start, is_escaped="\\" in place.close)
    if end is None:
        found = _REST_OF_LINE.match(text, start)
        end = len(text) if place.is_in_quotes or found is None else found.end()
    if is_measuring(place.name) and _ONLY_NUMBERS.fullmatch(text, start, end):
        return None
    if _SCHEMA.match(text, start, end) and not _EXAMPLES.search(text, start, end):
        return None
    if not _SOMETHING.search(text, start, end):
        return None
    return _Found(start, end, _as_value(place))


def _as_value(place: _Place) -> str:
    """Return the mark as what it replaces was written: JSON stays JSON."""
    return f"{place.close}{MASK}{place.close}" if place.is_in_quotes else MASK


def _special(place: _Place, start: int) -> _Found | None:
    """Return the value of a header, or of a phrase of several words."""
    text, name = place.text, place.name.lower()
    if name.endswith("authorization"):
        scheme = _SCHEME.match(text, start)
        if scheme is not None and scheme["parts"]:
            return _matched(_REST_OF_LINE.match(text, scheme.end()))
        return _matched(_HEADER.match(text, scheme.end() if scheme is not None else start))
    if name.endswith("cookie") and place.sign == ":":
        found = _REST_IN_QUOTES.match(text, start)
        return _matched(found) if found is not None and "=" in found[0] else _Found(start, start, "")
    return _matched(_WORDS.match(text, start)) if "mnemonic" in name or "phrase" in name else None


def _plain(place: _Place, start: int, brackets: _Brackets, keys: tuple[str, ...]) -> _Found | None:
    """Return a value without quotes."""
    text = place.text
    end = _plain_end(text, start, brackets)
    while text[end - 1 : end] == ":" and text[end : end + 1] in {" ", "\t"} and end > start:
        if end - start < _LONGEST_NAME and is_secret_name(text[start : end - 1], keys):
            return None  # the next name: its value is looked at next
        end = _plain_end(text, end + 1, brackets)
    value = text[start:end]
    if value[-1:] == "=" and len(value) < _LONGEST_NAME and is_secret_name(value.rstrip("="), keys):
        return None
    if not _SOMETHING.search(value) or _NOTHING.fullmatch(value):
        return None
    if is_measuring(place.name) and not _KEY.match(value):
        return None
    if _YES_NO.fullmatch(value) and is_measure(place.name, value=True):
        return None
    return _Found(start, end, _as_value(place))


def _plain_end(text: str, start: int, brackets: _Brackets) -> int:
    """Return where a value without quotes ends: at a blank or a sign, but not within a call, ``Secret('a b')``."""
    end = start
    while True:
        found = _PLAIN.match(text, end)
        end = found.end() if found is not None else end
        if text[end : end + 1] not in _OPEN:
            return end
        end = brackets.end(end) or end + 1
