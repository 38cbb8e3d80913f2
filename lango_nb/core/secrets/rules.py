r"""The table of secrets: what a secret of each kind begins with, or is announced by, and what belongs to it.

Every rule is triggered by a word, found without a pattern; what stands there is looked at once, as far as the rule
reaches. So the time it takes grows with the text and no faster. A secret may also begin right after an escape, ``\n``
in JSON or ``%20`` in an address.
"""

from __future__ import annotations

import binascii
import re
from base64 import b64decode
from collections.abc import Callable
from functools import cache
from typing import NamedTuple

from lango_nb.core.escapes import begins, is_after_escape
from lango_nb.core.lazy import compiled
from lango_nb.core.personal import forms_of
from lango_nb.core.secrets.formats import find_token
from lango_nb.core.secrets.names import HINTS, OTHER_HINTS
from lango_nb.core.secrets.sight import LONGEST_OWN, MASK, OwnPattern, SecretSpan, Sight
from lango_nb.core.secrets.values import find_value

Find = Callable[[Sight], SecretSpan | None]
"""Returns the secret at a place, if there is one; raises Unfinished where only more text can tell."""
_LONGEST_WORD = 16
"""Letters of a word; what is longer and stands after ``Bearer`` is a token, even without a digit."""
_PEM = r"-{4,5} ?(?:BEGIN|END) (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)? ?-{4,5}"
_MOST_DASHES = 3
"""Before the two of :data:`RULES`."""
_PEM_REST = r"-{4,5}[A-Z0-9 ]{0,120}-{0,5}"
_KEY_LINES = (
    r"[A-Za-z0-9+/=]{0,80}(?:(?:n\\(?:r\\)?|\n\r?)[A-Za-z0-9+/=]{1,80})?"
    r"(?:(?:n\\(?:r\\)?|\n\r?)[A-Za-z0-9+/=]{16,80})+"
)
"""The last lines of a private key, read backwards: the very last may be short, and more may follow it."""
_LONGEST_KEY = 16_384
_END_OF_CUT = r"[\"'`<>{}|]"
_LOCAL_PART = r"[0-9A-Za-z_\u00c0-\u1fff.%+'-]{1,64}"
_DOMAIN = (
    r"((?:[0-9A-Za-z\u00c0-\u1fff][0-9A-Za-z_\u00c0-\u1fff-]{0,62}\.){1,8})"
    r"([A-Za-z\u00c0-\u1fff]{2,24}|xn--[a-z0-9-]{2,40})(?![0-9A-Za-z_\u00c0-\u1fff])"
)
_CUT_DOMAIN = r"[0-9A-Za-z\u00c0-\u1fff.-]{0,80}?(?:…|\.\.\.)"
_SHORTEST_CUT = 5
"""Characters that tell what a cut mail address was."""
_DRIVER = r"(?:tcp|udp|unix)\("
_USER = r"([^\s@\"'<>]{1,64}):[\w.-]{1,64}(?![\w:/@.-])"
"""``user:password`` read backwards."""
_NO_BLANK = r"[^\s\u2e80-\U0010ffff]*"
_FILES = frozenset(
    "png jpg jpeg gif svg webp bmp ico tif tiff avif heic psd css scss less js mjs cjs jsx ts tsx json jsonl xml html "
    "htm yaml yml toml ini cfg conf txt csv tsv log lock pdf doc docx xls xlsx ppt pptx gz tgz tar rar exe dll bin dat "
    "db sql ipynb pyc java cpp hpp woff ttf otf bak tmp".split()
)
"""Ends of file names that are not domains: ``icon@2x.png``."""
_DOMAINS = frozenset("com org net edu gov mil int info biz io dev app example test invalid".split())
"""Ends of domains that stay one when ``.txt`` follows."""


class Rule(NamedTuple):
    """One kind of secret."""

    kind: str
    words: tuple[str, ...]
    """What begins or announces one, in lower case."""
    find: Find
    needs: tuple[str, ...] = ()
    """Words of which one must be somewhere in the text, where the others are everywhere."""
    reach: int = 1_500
    """Characters it looks at from there; a secret that goes on there hides the rest of the text."""


def _form(
    pattern: str, reaches: str = r"[^\s\"'<>\u2e80-\U0010ffff]*", accept: Callable[[re.Match[str]], bool] | None = None
) -> Find:
    """Return what finds a pattern's group ``secret``; all it looks at is in what the second pattern reaches."""
    pattern = f"(?i){pattern}"

    def find(sight: Sight) -> SecretSpan | None:
        sight.check_whole(reaches, sight.at)
        found = compiled(pattern).match(sight.text, sight.at, sight.end)
        return SecretSpan(*found.span("secret")) if found is not None and (accept is None or accept(found)) else None

    return find


def _is_no_word(found: re.Match[str]) -> bool:
    secret = found["secret"]
    return not (secret.rstrip(".").isalpha() and len(secret) < _LONGEST_WORD)


def _is_login(found: re.Match[str]) -> bool:
    """Tell whether it reads ``name:password`` once it is decoded."""
    coded = found["secret"].rstrip("=")
    try:
        decoded = b64decode(coded + "=" * (-len(coded) % 4), altchars=b"-_" if {"-", "_"} & set(coded) else None)
    except (ValueError, binascii.Error):
        return False
    return b":" in decoded


def _find_mask(sight: Sight) -> SecretSpan:
    """Return what was taken out before: nothing is looked for in it."""
    return SecretSpan(sight.at, sight.at + len(MASK))


def _find_private_key(sight: Sight) -> SecretSpan | None:
    """Return a private key; one that was cut ends at the next quote, or where the next one begins, or with the text."""
    text, start = sight.text, sight.at
    while start > sight.first and text[start - 1] == "-" and sight.at - start < _MOST_DASHES:
        start -= 1
    sight.check_whole(_PEM_REST, start)
    mark = compiled(_PEM).match(text, start, sight.end)
    if mark is None:
        return None
    if _is_end(mark):
        return SecretSpan(start_of_key(text, sight.first, start), mark.end())
    following = compiled(_PEM).search(text, mark.end(), sight.end)
    if following is None:
        sight.check(sight.end)
    elif _is_end(following):
        sight.check(following.end())
        return SecretSpan(start, following.end())
    last = sight.end if following is None else following.start()
    quote = compiled(_END_OF_CUT).search(text, mark.end(), last)
    if quote is None:
        return SecretSpan(start, last)
    return SecretSpan(start, mark.end() + len(text[mark.end() : quote.start()].rstrip("\\")))


def _is_end(mark: re.Match[str]) -> bool:
    return "END" in mark[0].partition("PRIVATE")[0]


def start_of_key(text: str, first: int, end: int) -> int:
    """Return where lines of a private key begin whose first ones were cut off.

    Parameters
    ----------
    text : str
    first : int
        They are looked for from here on.
    end : int
        Where they end.

    Returns
    -------
    int
        The end, where there are none.
    """
    lines = compiled(_KEY_LINES)
    found = lines.match(text[max(end - 240, first) : end][::-1])
    if found is None:
        return end
    found = lines.match(text[max(end - _LONGEST_KEY, first) : end][::-1])
    return end - found.end() if found is not None else end


def _find_mail(sight: Sight) -> SecretSpan | None:
    """Return a mail address, or the password of ``ada:…@tcp(db)``."""
    text, at = sight.text, sight.at
    after = at + len(sight.word)
    sight.check_whole(_NO_BLANK, at)
    if compiled(_DRIVER).match(text, after) and (
        user := compiled(_USER).match(text[max(at - 140, sight.first) : at][::-1])
    ):
        return SecretSpan(at - user.end(1), at)
    local = compiled(_LOCAL_PART).match(text[max(at - 65, sight.first) : at][::-1])
    if local is None:
        return None
    start = at - local.end()
    if start > sight.first and compiled(_LOCAL_PART).match(text, start - 1, start):
        return None  # longer than any
    start = _start_of_local_part(text, start, at)
    if start == at:
        return None
    domain = compiled(_DOMAIN).match(text, after, sight.end)
    if domain is None:
        cut = compiled(_CUT_DOMAIN).match(text, after, sight.end)
        return SecretSpan(start, cut.end()) if cut is not None and cut.end() - start > _SHORTEST_CUT else None
    is_server = text.endswith("://", 0, start) and not text.endswith("mailto://", 0, start)
    if is_server or text[start:at].lower() == "git":
        return None
    if domain[2].lower() not in _FILES:
        return SecretSpan(start, domain.end())
    before = domain[1].rstrip(".").rpartition(".")  # a file named after an address
    return SecretSpan(start, domain.end(1) - 1) if before[1] and before[2].lower() in _DOMAINS else None


def _start_of_local_part(text: str, start: int, end: int) -> int:
    """Return where a local part begins: after an escape, and not with a quote."""
    if text[start - 1 : start] == "\\":
        return min(start + 1 + 4 * (text[start] == "u"), end)
    percent = text.rfind("%", start, end)
    if percent >= 0 and is_after_escape(text, percent + 3):
        start = percent + 3
    while start < end and text[start] in "'%":
        start += 1
    return min(start, end)


_NO_SIGN = r"[^/\s@\"'<>\u2e80-\U0010ffff]"
RULES = (
    Rule("masked", (MASK,), _find_mask),
    Rule("private key", ("--begin", "--end", "- begin", "- end"), _find_private_key, reach=16_384),
    Rule(
        "address",
        ("://",),
        _form(
            r"://[^/\s:@\"'<>]{0,256}+:(?!@|[0-9]{1,5}(?:[/?#\s\"'<>…]|\.\.\.|\Z))"
            rf"(?P<secret>{_NO_SIGN}{{0,400}}+(?:/{_NO_SIGN}{{1,400}}+){{0,9}}+(?:@{_NO_SIGN}{{0,400}}+(?=@))*+(?=@)"
            rf"|{_NO_SIGN}{{1,400}}?(?:…|\.\.\.))"
        ),
        reach=5000,
    ),
    Rule(
        "parameter",
        ("?", "&", "#", ";"),
        _form(
            r"[?&#;](?:[\w.-]{1,40}[_.-])?(?:key|sig|signature|code|auth|jwt|sid|assertion)="
            r"(?P<secret>[^\s&#\"'<>\\\u2e80-\U0010ffff]{12,})"
        ),
        reach=16_384,
        needs=("key=", "sig=", "signature=", "code=", "auth=", "jwt=", "sid=", "assertion="),
    ),
    Rule(
        "login",
        ("-u", "--user", "--proxy-user"),
        _form(
            r"(?<=\s)(?:-u|--(?:proxy-)?user)[ \t=]{0,4}[\"']?[^\s:\"']{1,100}:(?P<secret>[^\s\"']{1,400})",
            r"[\w-]*[ \t=]{0,4}[\"']?[^\s\"']*",
        ),
        needs=("-u", "--user", "--proxy-user"),
    ),
    Rule(
        "bearer",
        ("bearer",),
        _form(r"(?<!\w)bearer\s{1,8}(?P<secret>[\w.~+/=-]{8,})", r"(?i)bearer\s{0,8}[!-~]*", _is_no_word),
        reach=16_384,
    ),
    Rule(
        "basic",
        ("basic",),
        _form(r"(?<!\w)basic\s{1,8}(?P<secret>[A-Za-z0-9+/_-]{6,}={0,2})", r"(?i)basic\s{0,8}[!-~]*", _is_login),
        reach=16_384,
    ),
    Rule("mail", ("@", "%40"), _find_mail),
    Rule("named", HINTS, find_value, reach=16_384),
    Rule("named", OTHER_HINTS, find_value, reach=16_384),
)
"""Everything that a word announces; what only its form tells is below."""
TOKEN = Rule("token", (), find_token, reach=16_384)
"""Its words are the beginnings of :mod:`~lango_nb.core.secrets.formats`."""


# -- what only its form tells ------------------------------------------------------------------------------------------


class Form(NamedTuple):
    """A kind of secret that begins with nothing in particular."""

    seek: re.Pattern[str]
    """Finds where one may begin."""
    rule: Rule


def _form_of(
    kind: str, pattern: str, reaches: str, accept: Callable[[re.Match[str]], int] | None = None, *, needs: str = ""
) -> Form:
    """Return a form; ``accept`` says how many characters of what the pattern found are secret."""

    def find(sight: Sight) -> SecretSpan | None:
        sight.check_whole(reaches, sight.at)
        found = compiled(pattern).match(sight.text, sight.at, sight.end)
        if found is None:
            return None
        length = accept(found) if accept is not None else len(found[0])
        return SecretSpan(sight.at, sight.at + length) if length else None

    return Form(compiled(pattern), Rule(kind, (), find, (needs,)))


def _first_of_word(found: re.Match[str]) -> int:
    place = found.start()
    before = found.string[place - 1 : place]
    is_first = not (before.isalnum() or before in {"_", "-"}) or is_after_escape(found.string, place)
    return len(found[0]) if is_first else 0


@cache
def key_forms() -> tuple[Form, ...]:
    """Return the forms of keys without a telling beginning.

    Returns
    -------
    tuple of Form

    Notes
    -----
    Source: detect-secrets 1.5.0 (Apache License 2.0).
    """
    return (
        _form_of("Telegram", begins(r"(?<!\w)") + r"[0-9]{8,10}:AA[\w-]{32,}", r"[\w:-]*", needs=":AA"),
        _form_of("Mailchimp", begins(r"(?<!\w)") + r"[0-9a-f]{32}-us[0-9]{1,2}(?!\w)", r"[\w-]*", needs="-us"),
        _form_of("Discord", r"[MNO][\w-]{23,27}\.[\w-]{6}\.[\w-]{27,}", r"[\w.-]*", _first_of_word, needs="."),
    )


@cache
def number_forms(kind: str) -> tuple[Form, ...]:
    """Return the forms of numbers of one kind.

    Parameters
    ----------
    kind : str
        ``card``, also ``cut card``, ``iban`` or ``phone``.

    Returns
    -------
    tuple of Form
    """
    # what stands between groups, and what may tell a number from a card: it is in a uuid
    reaches = r"[\w ]{0,45}" if kind == "iban" else r"[0-9a-fA-F \-\u00a0\u2009\u202f\u2010-\u2013()+./]{0,60}"
    if kind == "cut card":
        return (_form_of(kind, r"(?<![\w.])[0-9]{4}[ -]?[0-9]{4}(?:[ -]?[0-9]){1,10}(?:…|\.\.\.)", reaches),)
    return tuple(_form_of(kind, form.pattern.pattern, reaches, form.accept) for form in forms_of(kind))


@cache
def own_form(own: OwnPattern) -> Form:
    """Return the form of a pattern of your own.

    Parameters
    ----------
    own : OwnPattern

    Returns
    -------
    Form
    """

    def find(sight: Sight) -> SecretSpan | None:
        found = own.pattern.match(sight.text, sight.at, sight.end)
        if found is not None:
            sight.check(found.end())
        return SecretSpan(found.start(), found.end()) if found is not None else None

    return Form(own.pattern, Rule("own", (), find, reach=LONGEST_OWN + 1))
