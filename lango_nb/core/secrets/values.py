r"""Values in a text that a telling name stands before: where each begins, and where it ends.

    password = hunter2 · "api_key": "…" · {\"token\": …} · --password hunter2 · <secret>…</secret> · ?access_token=…
    Authorization: Bearer … · Cookie: a=b · name: DB_PASSWORD, value: … · login ada password hunter2 · password is h4x

The rule is that too much is taken out rather than too little: a value in quotes ends with its quote, at whatever depth
of JSON in JSON; one in brackets with its bracket; one in an address with its parameter; any other with the next blank.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from lango_nb.core.lazy import compiled
from lango_nb.core.secrets.names import PHRASES, is_measure, is_measuring, is_phrase, is_secret_name
from lango_nb.core.secrets.sight import MASK, SecretSpan, Sight

_LONGEST_NAME = 80
_LONGEST_BRACKETS = 2000
"""Characters of a value in brackets that is no JSON."""
_OPEN, _CLOSED = frozenset("([{"), frozenset(")]}")
_BEGIN_VALUE = frozenset("[{\"'`")
_LINE_ENDS = frozenset("\r\n")
_COLONS = frozenset({":", "\uff1a"})
_SHORT_SIGNS = frozenset({">", "is", "是"})
_ESCAPE = r"u[0-9a-fA-F]{4}|[nrtbf]"
_LETTERS = r"0-9A-Za-z_\u00c0-\u1fff"
"""What names are made of; a language without blanks between its words goes on right after one."""
_BEFORE = rf"[{_LETTERS}.-]{{0,{_LONGEST_NAME}}}"
_AFTER = rf"[{_LETTERS}-]{{0,{_LONGEST_NAME}}}+"
_NEXT_WORD = rf" [{_LETTERS}]{{1,12}}"
_LONGEST_WORD = 13
_SIGN = (
    r"(?P<close>\\{0,15}[\"'`]|\*{1,3}|)"
    r"(?:(?P<value>\s{0,20},?\s{0,20}\\{0,15}[\"']?value\\{0,15}[\"']?\s{0,20}[:=])"
    r"|\s{0,20}(?P<sign>=>|:=|[!=]==?|=|:(?!:|//)|\uff1a)"
    r"|(?P<tag>>)"
    r"|(?P<list>,\s{0,20}(?=\\{0,15}[\"']))"
    r"|[ \t]{0,8}(?P<spoken>是|为|為|は)[ \t]{0,8}"
    r"|(?P<gap>(?=[ \t\r\n])))"
)
"""What stands between a name and its value."""
_SPOKEN = r"(?i)[ \t]{1,8}(?:is|was|are|will be|to|ist|lautet|est|es|è|é|jest|brzmi)[ \t:]{1,8}"
_BLANKS = r"\s{0,100}"
_BLANKS_OF_LINE = r"[ \t]{0,100}"
_BOLD = r"(?:\*{1,3}(?=[ \t]))?[ \t]{0,100}"
_LOGIN = r"(?i)\blogin[ \t\r\n]{1,8}\S{1,80}[ \t\r\n]{1,8}\Z"
_BETWEEN_TAGS = r"[^<]{1,1000}(?<=\S)(?=\s{0,100}</)"
_TAGGED = r"[^<]{0,1100}<?"
_HEADER = r"[^\s\"'`<\\]+"
_SOMETHING = r"\w"
_ONLY_NUMBERS = r"[\[{](?:\s|[\]},:]|[-+]?\d[\d_.]*|\\{0,15}\"\w*\\{0,15}\"\s*(?=:))*"
_QUOTED = r"[bBrRfFuU]{0,2}(?P<quote>\\{0,15}(?:\"\"\"|'''|[\"'`]))"
_PLAIN = r"""(?x)(?:
          [^\s"'`,;)}\]<([{\\&\uff0c\u3002\uff1b\uff01\uff1f\u3001\uff09\u300d\u300f\u3011\u300b]   # most characters
        | [,;)}\]](?=[^\s"'`,;)}\]\\<])             # a comma that goes on is part of it, one that ends it is not
        | (?<=\w)["'`](?=\w)                        # so is an apostrophe
        | <(?![A-Za-z/!\[])                         # but no tag
        | \\(?![nrt"'`\\])                          # and no escape
        | &
    )+"""
_PARAMETERS = dict.fromkeys("?&#", r"[^\s&#\"'`<>\\;]+") | {";": r"[^\s\"'`<>;]+"}
"""Values in addresses and in lists of settings, by what stands before the name."""
_BRACKETS = r"(?s)\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|[()\[\]{}]"
_PLAIN_BRACKETS = r"[()\[\]{}]"
_SCHEMA = (
    r"\{\s*\\{0,15}\"type\\{0,15}\"\s*:\s*(?:\[|\\{0,15}\"(?:string|integer|number|boolean|array|object)\\{0,15}\")"
)
_EXAMPLES = r"\"(?:default|const|enum|examples?|value)\\{0,15}\"\s*:"
_KEY = r"(?=\S*\d)(?=\S*[^\W\d])[\w+/=-]{8,}"
"""What is neither a number nor the name of a variable."""
_YES_NO = r"(?i)(?:true|false|yes|no)[,;.)}\]]*"
_NOTHING = r"(?i)(?:null|none|nil|undefined|str|string|bytes)[?,;.)}\]]*"
_CODE = r"[A-Za-z_][\w.]*(?:\([\w.,= ]*\)|\[[\w.]*\])+[.\w()]*"
"""A call without any text in it, and what is below: where a secret comes from, and not what it is."""
_ENVIRONMENT = r"(?:os\.|process\.)?(?:environ(?:\.get)?|getenv|env)[\[(][\"'][A-Z][A-Z0-9_]*[\"'][^\n]*"
_ATTRIBUTE = r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*\.(?P<name>[A-Za-z_]\w*)"
_FOLDER = r"(?:[/~.]|[A-Za-z]:[\\/])\S*"
_SCHEME = (
    r"(?i)(?:(?:bearer|basic|token|negotiate|ntlm|api-?key|key|bot|(?P<parts>digest|hawk|oauth|aws4-[\w-]+))[ \t]+)?"
)
_LINE = r"[^\r\n]+"
_REST_IN_QUOTES = r"[^\r\n\"'`<\\]+"
_WORDS = r"[^\s,;\"'`<\\]+(?:[ \t]+[\w-]{1,20}(?![\w:=-])){0,23}"
_BLOCK = r"[|>][+-]?\d?[ \t]*(?:\r?\n[ \t]+[^\r\n]*|\r?\n(?=\r?\n[ \t]))+"
_ALONE = r"[ \t]*\r?\n[ \t]*(?P<value>[^\s\"'`{\[<#*-](?:(?!\[masked\])\S)*+)[ \t]*(?=\r?\n|\Z)"
_WORD = r"[^\s\uff0c\u3002\uff1b\uff01\uff1f\u3001\uff09\u300d\u300f\u3011\u300b]*"
_NEXT = r"\s{0,40}[^\s\uff0c\u3002\uff1b\uff01\uff1f\u3001\uff09\u300d\u300f\u3011\u300b]*[ \t]*\r?"
_NO_VALUES = (_NOTHING, _CODE, _ENVIRONMENT)
_NEXT_NAME = r"[\w.-]{1,79}[=:]+"
_MADE_UP = r"(?=\S*\d)(?=\S*[^\W\d_])\S{6,}|(?=\S*[^\W\d_])(?=\S*[!@#$%^&*+=?])\S{6,}|\d{4,}(?!\S*[a-z])"
"""What no word of a sentence can be."""
_ASCII = r"[!-~]{4,}"


class _Place(NamedTuple):
    """A telling name in a text, and what is known about its value."""

    sight: Sight
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
        on_line = _BOLD if self.sign in _COLONS and not self.close else _BLANKS_OF_LINE
        found = compiled(_BLANKS if self.is_in_quotes else on_line).match(self.sight.text, self.value)
        return self.value if found is None else found.end()

    def first(self) -> str:
        """Return the first character of the value; empty at the end of the text."""
        start = self.after_blanks()
        return self.sight.text[start : start + 1]


def find_value(sight: Sight) -> SecretSpan | None:
    """Return the value of the name in which a telling word was seen; ``None`` where it is not a name, or has no value.

    Parameters
    ----------
    sight : Sight

    Returns
    -------
    SecretSpan or None

    Raises
    ------
    lango_nb.core.secrets.sight.Unfinished
        What follows may still change it.
    """
    named = _name(sight)
    if named is None:
        return None
    start, end = named
    found = compiled(_SIGN).match(sight.text, end, sight.end)
    place = _place(sight, start, end, found) if found is not None else None
    return _value(place) if place is not None else None


# -- names -------------------------------------------------------------------------------------------------------------


def _name(sight: Sight) -> tuple[int, int] | None:
    """Return where the name begins and ends, of one word or of several."""
    text, keys = sight.text, sight.keys
    if not sight.word.isascii():
        return (sight.at, sight.at + len(sight.word))
    before = compiled(_BEFORE).match(text[max(sight.at - _LONGEST_NAME, sight.first) : sight.at][::-1])
    after = compiled(_AFTER).match(text, sight.at, sight.end)
    start = sight.at - (before.end() if before is not None else 0)
    end = after.end() if after is not None else sight.at
    if text[start - 1 : start] == "\\" and (escape := compiled(_ESCAPE).match(text, start, sight.at)):
        start = escape.end()
    if is_secret_name(text[start:end].lstrip("-"), keys):
        return start, end
    if sight.word not in PHRASES and not keys:
        return None
    if text[start - 1 : start] != " " and text[end : end + 1] != " ":
        return None
    starts, ends = [start], [end]
    for _ in range(2):
        if earlier := compiled(_NEXT_WORD).match(text[max(starts[-1] - _LONGEST_WORD, sight.first) : starts[-1]][::-1]):
            starts.append(starts[-1] - earlier.end())
        if later := compiled(_NEXT_WORD).match(text, ends[-1], sight.end):
            ends.append(later.end())
    return next(((one, other) for other in ends for one in starts if is_phrase(text[one:other], keys)), None)


def _place(sight: Sight, start: int, end: int, found: re.Match[str]) -> _Place | None:
    """Return what is known about a name and its sign, if the two may have a value."""
    text, name, kind = sight.text, sight.text[start:end], found.lastgroup or ""
    sign = {"value": "=", "list": "=", "spoken": "是"}.get(kind) or found[kind]
    place = _Place(sight, name, start, found.end(), sign, found["close"])
    match kind:
        case "tag":
            return place if text[start - 1 : start] == "<" else None
        case "list":
            return place if name.startswith("--") else None
        case "gap":
            return _after_gap(place)
    if sign in {"==", "!=", "===", "!=="}:
        is_quoted = compiled(_QUOTED).match(text, place.after_blanks(), sight.end) is not None
        return place._replace(sign="=") if is_quoted else None
    is_many = sign == ":" and name.lower().endswith("s") and not (place.is_in_quotes or name.lower().endswith("pass"))
    return place if not is_many or place.first() in _BEGIN_VALUE else None


def _after_gap(place: _Place) -> _Place | None:
    """Return a name without a sign after it where it has a value: ``--password x``, ``password is h4x``."""
    text = place.sight.text
    if place.name.startswith("--"):
        is_option = not place.name.startswith("--no-") and place.first() not in {"", "-"}
        return place._replace(sign=" ") if is_option else None
    if spoken := compiled(_SPOKEN).match(text, place.value, place.sight.end):
        return place._replace(sign="is", value=spoken.end())
    if compiled(_LOGIN).search(text, max(place.start - 120, 0), place.start):
        blanks = compiled(_BLANKS).match(text, place.value)
        return place._replace(sign=" ", value=blanks.end() if blanks is not None else place.value)
    return None


# -- values ------------------------------------------------------------------------------------------------------------


def _value(place: _Place) -> SecretSpan | None:
    """Return the value of a name; ``None`` where it has none, or one that is not a secret."""
    sight, text, start = place.sight, place.sight.text, place.after_blanks()
    if text.startswith(MASK, place.value) or text.startswith(MASK, start):
        return None
    if place.sign in _SHORT_SIGNS:
        return _short_value(place)
    if place.sign == "=" and (parameter := _PARAMETERS.get(text[place.start - 1 : place.start])):
        return _matched(sight.match(parameter, place.value))
    if quoted := compiled(_QUOTED).match(text, start, sight.end):
        return _in_quotes(place, quoted) if not _is_last_quote(place, quoted) else None
    if text[start : start + 1] in {"{", "["}:
        return _in_brackets(place, start)
    sight.check_whole(_NEXT, start)  # what comes next is whole
    return (None if place.is_in_quotes else _lines(place, start)) or _special(place, start) or _plain(place, start)


def _is_last_quote(place: _Place, quoted: re.Match[str]) -> bool:
    """Tell whether the quote right after a sign ends what began right before the name: code, ```DB_PASS=```."""
    text = place.sight.text
    return not place.close and quoted.start() == place.value and text[place.start - 1 : place.start] == quoted["quote"]


def _lines(place: _Place, start: int) -> SecretSpan | None:
    """Return the value on the lines below: alone on the next one, or a block of YAML."""
    sight = place.sight
    if sight.text[start : start + 1] in _LINE_ENDS:
        return _matched(sight.match(_ALONE, place.value), "value")
    block = sight.match(_BLOCK, start)
    if block is None:
        return None
    sight.check_whole(r"[\r\n]*", block.end())
    return SecretSpan(start, block.end())


def _matched(found: re.Match[str] | None, group: str | int = 0) -> SecretSpan | None:
    return SecretSpan(found.start(group), found.end(group)) if found is not None else None


def _short_value(place: _Place) -> SecretSpan | None:
    """Return what is between tags, or what somebody said and no word of a sentence can be."""
    sight = place.sight
    if place.sign == ">":
        sight.check_whole(_TAGGED, place.value)
        return _matched(sight.match(_BETWEEN_TAGS, place.value))
    if place.sign == "是":
        return _matched(sight.match(_ASCII, place.value))
    word = sight.match(_WORD, place.value)
    found = compiled(_MADE_UP).match(sight.text, place.value, sight.end)
    if word is None or found is None:
        return None
    return SecretSpan(found.start(), found.start() + len(found[0].rstrip(".,;:!?)")))


def _in_quotes(place: _Place, quoted: re.Match[str]) -> SecretSpan | None:
    """Return what is in quotes; without a last quote, what is left of the line, in JSON of the text."""
    sight, text, start, quote = place.sight, place.sight.text, quoted.end(), quoted["quote"]
    mark = quote.lstrip("\\")
    depth = len(quote) - len(mark)
    sight.check(start)
    end = text.find(mark, start, sight.end)
    while end >= 0:
        slashes = _slashes_before(text, start, end)
        if slashes < depth or not (slashes - depth) % (2 * (depth + 1)):
            break
        end = text.find(mark, end + 1, sight.end)
    if end >= 0:
        sight.check(end + len(mark))
        end -= min(depth, slashes)
    else:
        sight.check(sight.end)
        found = compiled(_LINE).match(text, start, sight.end)
        end = sight.end if place.is_in_quotes or depth or found is None else found.end()
    return SecretSpan(start, end) if end > start else None


def _slashes_before(text: str, start: int, end: int) -> int:
    first = end
    while first > start and text[first - 1] == "\\":
        first -= 1
    return end - first


def _in_brackets(place: _Place, start: int) -> SecretSpan | None:
    """Return an object or a list; one that is cut goes to the end in JSON, to the end of the line elsewhere."""
    sight, text = place.sight, place.sight.text
    end = _bracket_end(place, start)
    if end is None:
        found = sight.match(_LINE, start)
        end = sight.end if place.is_in_quotes or found is None else found.end()
    if is_measuring(place.name) and compiled(_ONLY_NUMBERS).fullmatch(text, start, end):
        return None
    if compiled(_SCHEMA).match(text, start, end) and not compiled(_EXAMPLES).search(text, start, end):
        return None
    if not compiled(_SOMETHING).search(text, start, end):
        return None
    return SecretSpan(start, end, _as_value(place))


def _bracket_end(place: _Place, start: int) -> int | None:
    """Return where the bracket at a place is closed; ``None`` when it is not."""
    sight = place.sight
    last = sight.end if place.is_in_quotes else min(start + _LONGEST_BRACKETS, sight.end)
    depth = 0
    for found in compiled(_PLAIN_BRACKETS if "\\" in place.close else _BRACKETS).finditer(sight.text, start, last):
        depth += (found[0] in _OPEN) - (found[0] in _CLOSED)
        if not depth:
            sight.check(found.end())
            return found.end()
    sight.check(last)
    return None


def _as_value(place: _Place) -> str:
    """Return the mark as what it replaces was written: JSON stays JSON."""
    return f"{place.close}{MASK}{place.close}" if place.is_in_quotes else MASK


def _special(place: _Place, start: int) -> SecretSpan | None:
    """Return the value of a header, or of a phrase of several words."""
    sight, name = place.sight, place.name.lower()
    if name.endswith("authorization"):
        scheme = sight.match(_SCHEME, start)
        if scheme is not None and scheme["parts"]:
            return _matched(sight.match(_LINE, scheme.end()))
        return _matched(sight.match(_HEADER, scheme.end() if scheme is not None else start))
    if name.endswith("cookie") and place.sign == ":":
        found = sight.match(_REST_IN_QUOTES, start)
        return _matched(found) if found is not None and "=" in found[0] else SecretSpan(start, start, "")
    if "mnemonic" in name or "phrase" in name:
        words = sight.match(_WORDS, start)
        sight.check_whole(_NEXT, words.end() if words is not None else start)
        return _matched(words)
    return None


def _plain(place: _Place, start: int) -> SecretSpan | None:
    """Return a value without quotes."""
    sight, text, keys = place.sight, place.sight.text, place.sight.keys
    end = _plain_end(place, start)
    while text[end - 1 : end] == ":" and text[end : end + 1] in {" ", "\t"} and end > start:
        if compiled(_NEXT_NAME).fullmatch(text, start, end) and is_secret_name(text[start : end - 1], keys):
            return None  # the next name: its value is looked at next
        end = _plain_end(place, end + 1)
    value = text[start:end]
    sight.check(end + 1)
    if compiled(_NEXT_NAME).fullmatch(value) and is_secret_name(value.rstrip("=:"), keys):
        return None
    return SecretSpan(start, end, _as_value(place)) if _is_secret(place.name, value, keys) else None


def _is_secret(name: str, value: str, keys: tuple[str, ...]) -> bool:
    """Tell whether a value is more than nothing, a number, yes or no, a folder, or where the secret comes from."""
    if not compiled(_SOMETHING).search(value) or any(compiled(one).fullmatch(value) for one in _NO_VALUES):
        return False
    if (attribute := compiled(_ATTRIBUTE).fullmatch(value)) and is_secret_name(attribute["name"], keys):
        return False
    if name.lower().endswith("pwd") and compiled(_FOLDER).fullmatch(value):
        return False
    if is_measuring(name) and not compiled(_KEY).match(value):
        return False
    return not (compiled(_YES_NO).fullmatch(value) and is_measure(name, value=True))


def _plain_end(place: _Place, start: int) -> int:
    """Return where a value without quotes ends: at a blank or a sign, but not within a call, ``Secret('a b')``."""
    sight, end = place.sight, start
    while True:
        found = sight.match(_PLAIN, end)
        end = found.end() if found is not None else end
        if sight.text[end : end + 1] not in _OPEN or end >= sight.end or sight.text.startswith(MASK, end):
            return end
        end = _bracket_end(place, end) or end + 1
