r"""Secrets that are recognised by their shape alone, wherever they stand in a text.

    keys and tokens of known services, JSON web tokens · private keys, also cut ones · passwords in addresses
    ``Bearer …`` and ``Basic …`` · mail addresses (but ``git@github.com`` and ``icon@2x.png``)

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
ELLIPSES = ("…", "...")
"""What stands in place of what was cut."""
_LONGEST_CUT = 300
_NO_ALNUM = "(?<![A-Za-z0-9]{})"
_NO_WORD = begins(r"(?<!\w)")
_SERVICES = (
    r"sk-[\w-]{16,}",  # OpenAI, Anthropic and many others
    r"sk_(?:live|test)_\w{8,}", r"rk_(?:live|test)_\w{8,}", r"whsec_[\w+/=]{16,}",  # Stripe
    r"gh[pousr]_[A-Za-z0-9]{16,}", r"github_pat_\w{20,}", r"gl(?:pat|ptt|rt|dt|cbt|ft|soat|imt|agent)-[\w.-]{16,}",
    r"hf_[A-Za-z0-9]{20,}", r"api_org_[A-Za-z0-9]{20,}",  # Hugging Face
    r"AKIA[0-9A-Z]{12,}", r"ASIA[0-9A-Z]{12,}", r"ABIA[0-9A-Z]{12,}", r"ACCA[0-9A-Z]{12,}",  # AWS
    r"AIza[\w-]{30,}", r"ya29\.[\w-]{16,}", r"GOCSPX-[\w-]{16,}", r"1//0[\w-]{20,}",  # Google
    r"xox[a-z](?:\.xox[a-z])?-[A-Za-z0-9-]{10,}", r"xapp-[A-Za-z0-9-]{10,}",  # Slack
    r"hooks\.slack\.com/[\w/-]{20,}", r"discord(?:app)?\.com/api/webhooks/\d{5,20}/[\w-]{16,}",
    r"SG\.[\w-]{16,}\.[\w-]{16,}", r"SK[0-9a-f]{32}(?!\w)", r"AC[0-9a-f]{32}(?!\w)",  # SendGrid, Twilio
    r"npm_[A-Za-z0-9]{20,}", r"pypi-[\w-]{16,}", r"dckr_pat_[\w-]{20,}",
    r"do[op]_v1_[0-9a-f]{32,}", r"dor_v1_[0-9a-f]{32,}", r"shp(?:at|ca|pa|ss)_[0-9A-Fa-f]{32,}",
    r"sq0(?:atp|csp)-[\w-]{20,}", r"key-[0-9a-f]{32}(?!\w)", r"HRKU-[\w-]{20,}", r"dapi[0-9a-f]{32}",
    r"lin_api_[A-Za-z0-9]{20,}", r"secret_[A-Za-z0-9]{40,}", r"ntn_[A-Za-z0-9]{40,}",  # Linear, Notion
    r"gsk_[A-Za-z0-9]{20,}", r"xai-[A-Za-z0-9]{20,}", r"r8_[A-Za-z0-9]{30,}", r"pplx-[A-Za-z0-9]{20,}",
    r"nvapi-[\w-]{20,}", r"hv[sb]\.[\w-]{20,}", r"PMAK-[0-9a-f-]{40,}", r"gl(?:sa|c)_[\w=+/]{30,}",
    r"NRAK-[A-Z0-9]{20,}", r"sntry[su]_[\w=+/]{30,}", r"dp\.(?:pt|st|ct|sa)\.[\w.-]{20,}", r"pul-[0-9a-f]{32,}",
    r"AGE-SECRET-KEY-1[A-Z0-9]{50,}",
    r"eyJ(?<!-eyJ)[\w-]{8,}+\.(?:[\w-]{8,}+\.[\w-]*+(?:\.[\w-]++){0,2}|eyJ[\w-]*+)",  # JSON web tokens
)  # fmt: skip
"""Each begins with a plain character: so nearly all places of a text are passed over at once."""
_CUT = (
    r"sk-[\w-]{3,}", r"[rs]k_(?:live|test)_\w{2,}", r"whsec_\w{2,}", r"gh[pousr]_\w{3,}", r"github_pat_\w{2,}",
    r"glpat-[\w-]{3,}", r"hf_\w{4,}", r"A[KSBC][IC]A[0-9A-Z]{4,}", r"AIza[\w-]{4,}", r"ya29\.[\w-]{3,}",
    r"GOCSPX-[\w-]{3,}", r"xox[a-z]-[\w-]{3,}", r"xapp-[\w-]{3,}", r"SG\.[\w.-]{4,}", r"SK[0-9a-f]{6,}", r"npm_\w{4,}",
    r"pypi-[\w-]{6,}", r"eyJ[\w.-]{6,}", r"AGE-SECRET-KEY-\w*",
    r"[\w.%+-][\w.%+'-]{0,63}@[\w.-]{0,80}", r"\d{4}[ -]?\d{4}(?:[ -]?\d){1,10}", r"://[^/\s:@]{0,256}:[^/\s@]{1,400}",
)  # fmt: skip
"""What is left of a secret that was cut: an ellipsis follows at once."""
_OTHER_SERVICES = (
    begins(r"(?<![\w-])") + r"[MNO][\w-]{23,27}\.[\w-]{6}\.[\w-]{27,}",  # Discord
    _NO_WORD + r"\d{8,10}:AA[\w-]{32,}",  # Telegram
)
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


def without_tokens(text: str) -> str:
    """Take keys and tokens of known services out of a text.

    Parameters
    ----------
    text : str

    Returns
    -------
    str

    Examples
    --------
    >>> without_tokens("export KEY=ghp_abcdefghij0123456789")
    'export KEY=[masked]'
    """
    for pattern in _tokens():
        text = pattern.sub(MASK, text)
    return text


def without_cut(text: str) -> str:
    """Take out what is left of secrets that were cut with an ellipsis before anybody masked them.

    Parameters
    ----------
    text : str

    Returns
    -------
    str

    Examples
    --------
    >>> without_cut("no agent 'sk-proj-abcd…', wait…")
    "no agent '[masked]', wait…"
    """
    cut = _compiled(f"{_NO_WORD}(?:{'|'.join(_CUT)})\\Z", re.ASCII)
    parts: list[str] = []
    kept = 0
    for ellipsis in _compiled(r"…|\.\.\.").finditer(text):
        found = cut.search(text, max(kept, ellipsis.start() - _LONGEST_CUT), ellipsis.start())
        if found is not None:
            parts += (text[kept : found.start()], MASK)
            kept = ellipsis.end()
    return "".join((*parts, text[kept:])) if parts else text


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
def _tokens() -> tuple[re.Pattern[str], ...]:
    known = "|".join(f"{one[0]}{begins(_NO_ALNUM, one[0])}{one[1:]}" for one in _SERVICES)
    return re.compile(known, re.ASCII), re.compile("|".join(_OTHER_SERVICES), re.ASCII)


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
