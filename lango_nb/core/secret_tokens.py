"""Keys and tokens of known services, told by how they begin.

First only the beginnings are looked for, all at once; what has to follow one is looked at where it was found. So a text
without any of them costs one pass, and a process that never meets a key of some service never compiles its pattern.
"""

from __future__ import annotations

import re
from functools import cache

from lango_nb.core.escapes import begins, is_after_escape
from lango_nb.core.secret_shapes import MASK

_SERVICES = (
    ("sk-", r"[\w-]{16,}"),  # OpenAI, Anthropic and many others
    ("sk_live_ sk_test_ rk_live_ rk_test_", r"\w{8,}"),  # Stripe
    ("whsec_", r"[\w+/=]{16,}"),
    ("ghp_ gho_ ghu_ ghs_ ghr_", r"[A-Za-z0-9]{16,}"),  # GitHub
    ("github_pat_ dckr_pat_", r"[\w-]{20,}"),
    ("glpat- glptt- glrt- gldt- glcbt- glft- glsoat- glimt- glagent-", r"[\w.-]{16,}"),  # GitLab
    (
        "hf_ api_org_ npm_ gsk_ xai- pplx- lin_api_",
        r"[A-Za-z0-9]{20,}",
    ),  # Hugging Face, npm, Groq, xAI, Perplexity, Linear
    ("AKIA ASIA ABIA ACCA", r"[0-9A-Z]{12,}"),  # AWS
    ("AIza", r"[\w-]{30,}"),  # Google
    ("ya29. GOCSPX-", r"[\w-]{16,}"),
    ("1//0", r"[\w-]{20,}"),
    ("xox", r"[a-z](?:\.xox[a-z])?-[A-Za-z0-9-]{10,}"),  # Slack
    ("xapp-", r"[A-Za-z0-9-]{10,}"),
    ("hooks.slack.com/", r"[\w/-]{20,}"),
    ("discord.com/api/webhooks/ discordapp.com/api/webhooks/", r"\d{5,20}/[\w-]{16,}"),
    ("SG.", r"[\w-]{16,}\.[\w-]{16,}"),  # SendGrid
    ("SK AC key-", r"[0-9a-f]{32}(?!\w)"),  # Twilio, Mailgun
    ("pypi-", r"[\w-]{16,}"),
    ("dop_v1_ doo_v1_ dor_v1_ shpat_ shpca_ shppa_ shpss_ dapi pul-", r"[0-9A-Fa-f]{32,}"),  # DigitalOcean, Shopify, …
    ("sq0atp- sq0csp- HRKU- nvapi- hvs. hvb. NRAK-", r"[\w-]{20,}"),  # Square, Heroku, NVIDIA, Vault, New Relic
    ("secret_ ntn_", r"[A-Za-z0-9]{40,}"),  # Notion
    ("r8_", r"[A-Za-z0-9]{30,}"),  # Replicate
    ("glsa_ glc_ sntrys_ sntryu_", r"[\w=+/]{30,}"),  # Grafana, Sentry
    ("PMAK-", r"[0-9a-f-]{40,}"),  # Postman
    ("dp.pt. dp.st. dp.ct. dp.sa.", r"[\w.-]{20,}"),  # Doppler
    ("AGE-SECRET-KEY-1", r"[A-Z0-9]{50,}"),
    ("eyJ", r"(?<!-eyJ)[\w-]{8,}+\.(?:[\w-]{8,}+\.[\w-]*+(?:\.[\w-]++){0,2}|eyJ[\w-]*+)"),  # JSON web tokens
)
_TAILS = {beginning: tail for beginnings, tail in _SERVICES for beginning in beginnings.split()}
_TOO_COMMON = frozenset({"SK", "AC", "key-", "secret_", "dapi", "pul-", "r8_"})
"""Beginnings of ordinary words too: what is left of a cut one cannot be told."""
_DISCORD = begins(r"(?<![\w-])") + r"[MNO][\w-]{23,27}\.[\w-]{6}\.[\w-]{27,}"
_TELEGRAM = begins(r"(?<!\w)") + r"\d{8,10}:AA[\w-]{32,}"
_CUT = (
    r"(?<![\w.%+-])[\w.+-][\w.%+'-]{0,63}@[\w.-]{0,80}",  # a mail address
    r"(?<![\w.])\d{4}[ -]?\d{4}(?:[ -]?\d){1,10}",  # a card
    r"://[^/\s:@]{0,256}:[^/\s@]{1,400}",  # an address with a password
)
_ELLIPSIS = r"…|\.\.\."
_SHORTEST_CUT, _LONGEST_CUT = 5, 300


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
    parts: list[str] = []
    kept = 0
    for found in _beginnings().finditer(text):
        start = found.start()
        if start < kept or not _is_first(text, start):
            continue
        tail = _compiled(_TAILS[found[0]]).match(text, found.end())
        if tail is not None:
            parts += (text[kept:start], MASK)
            kept = tail.end()
    text = "".join((*parts, text[kept:])) if parts else text
    text = _compiled(_TELEGRAM).sub(MASK, text) if ":AA" in text else text
    return _compiled(_DISCORD).sub(MASK, text) if "." in text else text


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
    parts: list[str] = []
    kept = after = 0
    for ellipsis in _compiled(_ELLIPSIS).finditer(text):
        end = ellipsis.start()
        first, after = max(after, end - _LONGEST_CUT), ellipsis.end()
        start = _start_of_cut(text, first, end) if end - first >= _SHORTEST_CUT else None
        if start is not None:
            parts += (text[kept:start], MASK)
            kept = after
    return "".join((*parts, text[kept:])) if parts else text


def _start_of_cut(text: str, first: int, last: int) -> int | None:
    """Return where what is left of a secret begins, if that is what ends there."""
    rest = _compiled(r"[\w./+=-]+\Z")
    for found in _beginnings().finditer(text, first, last):
        is_left = last - found.end() >= 3 and found[0] not in _TOO_COMMON and _is_first(text, found.start())  # noqa: PLR2004
        if is_left and rest.match(text, found.end(), last):
            return found.start()
    other = _compiled(f"(?:{'|'.join(_CUT)})\\Z").search(text, first, last)
    return other.start() if other is not None else None


def _is_first(text: str, place: int) -> bool:
    before = text[place - 1 : place]
    return not (before.isascii() and before.isalnum()) or is_after_escape(text, place)


@cache
def _beginnings() -> re.Pattern[str]:
    return re.compile("|".join(map(re.escape, sorted(_TAILS, key=len, reverse=True))))


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.ASCII)
