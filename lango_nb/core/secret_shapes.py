r"""Secrets that are recognised by their shape alone, wherever they stand in a text.

    private keys, also cut ones · passwords in addresses · ``Bearer …`` and ``Basic …``
    mail addresses (but ``git@github.com`` and ``icon@2x.png``)

Keys of known services have a file of their own, :mod:`lango_nb.core.secret_tokens`.

Every pattern is bounded or possessive, so that the time it takes grows with the text and no faster. A secret may also
begin right after an escape, ``\n`` in JSON or ``%20`` in an address.
"""

from __future__ import annotations

import binascii
import re
from base64 import b64decode
from functools import cache

from lango_nb.core.escapes import begins

MASK = "[masked]"
"""What stands in a secret's place."""
_PEM_LINE = r"-{4,5} ?(?:BEGIN|END) (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)? ?-{4,5}"
_IN_ADDRESS = (
    r"(://[^/\s:@\"'<>]{0,256}+:)(?!@|\d{1,5}(?:[/?#\s\"'<>]|\Z))[^/\s@\"'<>]{0,400}+(?:/[^/\s@\"'<>]{1,400}+){0,9}+"
    r"(?:@[^\s/@\"'<>]{0,400}+(?=@))*+(?=@)"
)
_IN_PARAMETER = r"([?&#;](?:[\w.-]{1,40}[_.-])?(?:key|sig|signature|code|auth|jwt|sid|assertion)=)[^\s&#\"'<>\\]{12,}"
_OF_CURL = r"(\s(?:-[uU]|--(?:proxy-)?user)[ \t=]{0,4}[\"']?[^\s:\"']{1,100}:)[^\s\"']{1,400}"
_IN_GO_ADDRESS = r"((?<![\w:/@])[\w.-]{1,64}+:)[^\s@\"'<>]{1,256}+(?=@(?:tcp|udp|unix)\()"
_BEARER = r"(\bbearer\s{1,8})([\w.~+/=-]{8,})"
_BASIC = r"(\bbasic\s{1,8})([A-Za-z0-9+/_-]{6,}={0,2})"
_LONGEST_WORD = 16
"""Letters of a word; what is longer and stands after ``Bearer`` is a token, even without a digit."""
_MAIL = (
    begins(r"(?<![\w.%+\\-])") + r"[\w.+-][\w.%+'-]{0,63}(?:@|%40)"
    r"((?:[^\W_](?:[\w-]{0,62})\.){1,8})([^\W\d_]{2,24}|xn--[a-z0-9-]{2,40})(?!\w)"
)
_FILES = frozenset(
    "png jpg jpeg gif svg webp bmp ico tif tiff avif heic psd css scss less js mjs cjs jsx ts tsx json jsonl xml html "
    "htm yaml yml toml ini cfg conf txt csv tsv log lock pdf doc docx xls xlsx ppt pptx gz tgz tar rar exe dll bin dat "
    "db sql ipynb pyc java cpp hpp woff ttf otf bak tmp".split()
)
"""Ends of file names that are no domain: ``icon@2x.png``."""
_DOMAINS = frozenset("com org net edu gov mil int info biz io dev app example test invalid".split())
"""Ends of domains that stay one when ``.txt`` follows."""


def without_private_keys(text: str) -> str:
    """Take private keys out of a text, whole ones and what is left of cut ones.

    Parameters
    ----------
    text : str

    Returns
    -------
    str
        A key without its last line is taken out up to the next quote, or to the end.
    """
    marks = list(_compiled(_PEM_LINE).finditer(text))
    if not marks:
        return text
    parts: list[str] = []
    kept = 0
    for number, mark in enumerate(marks):
        if mark.start() < kept:
            continue
        if "BEGIN" not in mark[0]:
            start, end = _lines_before(text, kept, mark.start()), mark.end()
        else:
            following = marks[number + 1] if number + 1 < len(marks) else None
            if following is not None and "BEGIN" not in following[0]:
                start, end = mark.start(), following.end()
            else:
                start, end = mark.start(), _end_of_cut(text, mark.end(), following)
        parts += (text[kept:start], MASK)
        kept = end
    return "".join((*parts, text[kept:]))


def without_passwords_in_addresses(text: str) -> str:
    """Take passwords and signatures out of addresses, ``postgres://ada:…@db``, and of ``curl -u ada:…``.

    Parameters
    ----------
    text : str

    Returns
    -------
    str
    """
    for pattern in (_IN_ADDRESS, _IN_PARAMETER, _OF_CURL):
        text = _compiled(pattern).sub(_keep_first, text)
    return text


def without_authorization(text: str) -> str:
    """Take out what follows ``Bearer`` and ``Basic``, where it is no ordinary word.

    Parameters
    ----------
    text : str

    Returns
    -------
    str

    Examples
    --------
    >>> without_authorization("Bearer abcdefgh12345, a bearer certificate, basic training, basic YWRhOmx1Y2U=")
    'Bearer [masked], a bearer certificate, basic training, basic [masked]'
    """
    text = _compiled(_BEARER, re.IGNORECASE).sub(_bearer, text)
    return _compiled(_BASIC, re.IGNORECASE).sub(_basic, text)


def without_mail(text: str) -> str:
    """Take mail addresses out of a text.

    Parameters
    ----------
    text : str

    Returns
    -------
    str

    Examples
    --------
    >>> without_mail("ada@example.org, git@github.com:ada/notes.git, icon@2x.png, ssh://ada@example.org/x")
    '[masked], git@github.com:ada/notes.git, icon@2x.png, ssh://ada@example.org/x'
    """
    text = _compiled(_IN_GO_ADDRESS).sub(_keep_first, text)
    return _compiled(_MAIL).sub(_mail, text)


@cache
def _compiled(pattern: str, flags: int = 0) -> re.Pattern[str]:
    return re.compile(pattern, flags)


def _keep_first(found: re.Match[str]) -> str:
    return found[1] + MASK


def _bearer(found: re.Match[str]) -> str:
    is_word = found[2].rstrip(".").isalpha() and len(found[2]) < _LONGEST_WORD
    return found[0] if is_word else found[1] + MASK


def _basic(found: re.Match[str]) -> str:
    """Take out what reads ``name:password`` once it is decoded."""
    coded = found[2].rstrip("=")
    try:
        decoded = b64decode(coded + "=" * (-len(coded) % 4), altchars=b"-_" if {"-", "_"} & set(coded) else None)
    except (ValueError, binascii.Error):
        return found[0]
    return found[1] + MASK if b":" in decoded else found[0]


def _mail(found: re.Match[str]) -> str:
    text, string, start = found[0], found.string, found.start()
    is_server = string.endswith("://", max(start - 3, 0), start) and not string.endswith("mailto://", 0, start)
    if is_server or text.lower().startswith(("git@", "git%40")):
        return text
    if found[2].lower() not in _FILES:
        return MASK
    before = found[1].rstrip(".").rpartition(".")  # a file named after an address
    return f"{MASK}.{found[2]}" if before[1] and before[2].lower() in _DOMAINS else text


def _end_of_cut(text: str, start: int, following: re.Match[str] | None) -> int:
    """Return where a private key without a last line ends: at a quote, where the next one begins, or with the text."""
    last = len(text) if following is None else following.start()
    found = _compiled("[\"'`<>{}|]").search(text, start, last)
    if found is None:
        return last
    return found.start() - (len(text[start : found.start()]) - len(text[start : found.start()].rstrip("\\")))


def _lines_before(text: str, first: int, last: int) -> int:
    """Return where the lines of base64 begin that stand before the last line of a private key."""
    length = taken = 0
    for piece in reversed(_compiled(r"(\\n|\r?\n)").split(text[first:last])):
        found = _compiled(r"[A-Za-z0-9+/=]+\Z").search(piece)
        if found is not None:
            taken = length + len(found[0])
        length += len(piece)
        if piece.strip("\\nr\r\n") and (found is None or found.start()):
            break
    return last - taken
