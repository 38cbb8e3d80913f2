"""Readings of a request that patterns cannot do alone: addresses, paths, commands, amounts, times, triples, queries.

Each takes the text and returns a value as it stands there, or ``None``: nothing is made up. Only labels, where a tool
wants a name for what it keeps, are made, from the words that are kept.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from lango_nb.models.offline.fill import command, paths, quoted
from lango_nb.models.offline.schedule import read_schedule
from lango_nb.routing.features import fold

Reading = Callable[[str], Any]
_URL = re.compile(
    r"https?://[^\s\"'`<>]+|\bwww\.[^\s\"'`<>]+|\b[\w-]+(?:\.[\w-]+)*\.(?:com|org|net|io|dev|de|fr|es|eu|ai)\b(?:/[^\s\"'`<>]*)?",
    re.IGNORECASE,
)
_ADDRESS = re.compile(r"\b0x[0-9a-fA-F]{6,}\b|\b[\w-]+\.eth\b")
_FIGURES = r"\d(?:[\d.,]*\d)?"
_AMOUNT = re.compile(rf"[$€£]\s?({_FIGURES})|\b({_FIGURES})\s?(?:usdc|dollars?|usd|eur|euros?|bucks)\b", re.IGNORECASE)
_THOUSANDS = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_POINTS = re.compile(r"\d{1,3}(?:\.\d{3})+,\d+")
_PLAIN_FIGURE = re.compile(r"\d+(?:[.,]\d{1,2})?|\d+\.\d{4,18}|0\.\d+")
_ID = re.compile(r"\b[A-Za-z]{1,12}[-_](?:[\w]+[-_])*\w*\d\w*\b|\b[A-Za-z]{1,4}\d+\b|#\d+\b|\b\w+(?:-\w+)*-\d+\b")
_DATE = re.compile(r"\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?(?:Z|[+-]\d\d:?\d\d)?)?")
_POLITE = re.compile(
    r"^\W*(?:(?:please|kindly|hey|hi|hello|ok(?:ay)?|now|then|and|also|so|well|bitte|por favor|s'il (?:te|vous) pla[iî]t"
    r"|(?:can|could|would|will) you(?: please)?|would you mind|i(?:'d| would) like you to|i(?:'d| would) like to"
    r"|i want you to|i want to|i need you to|let(?:'s| us)|kannst du|könntest du|peux-tu|pouvez-vous|puedes|podrías)\b[\s,:]*)+",
    re.IGNORECASE,
)
_TAIL = re.compile(
    r"[\s,]*(?:\bplease\b|\bthanks?(?: you)?\b|\bfor me\b|\bbitte\b|\bpor favor\b|\bs'il te plaît\b)[\s.!?]*$|[\s.!?]+$",
    re.IGNORECASE,
)
_WHERE = (
    r"(?:(?:on|in|over|through|from|using|with|im|auf dem|sur|dans|en)\s+)?(?:the\s+|our\s+|my\s+|your\s+|le\s+|la\s+|el\s+|unserem\s+|notre\s+)?"
    r"(?:web|internet|net|browser|knowledge(?:\s+base)?|memory|learnings?|indexed documents|documents|handbook|past fixes|online|wissen|wissensbasis"
    r"|connaissances)\b(?:\s+online)?"
)
_SEARCH = (
    r"(?:do a\s+)?(?:browser\s+|web\s+)?(?:search|look(?:\s+up)?|find|google|browse|query|retrieve|recall|suche?|cherche[rz]?|busca|pull|get|use)"
    r"(?:\s+(?:me|us|out|up|through|anything|something|news|everything))*"
)
_LINK = r"(?:for|about|on|regarding|after|to|nach|über|sur|sobre|:)"
_QUERY = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"^what\s+(?:do|does)\s+(?:we|you|i)\s+(?:know|remember|have)\s+(?:stored\s+)?(?:about|of|on)\s+(?P<v>.+)$",
        r"^(?:rag|web search|browser search)\s*:\s*(?P<v>.+)$",
        rf"^(?:in\s+the\s+browser|online|on\s+the\s+web)\s*,?\s*{_SEARCH}\s+(?:{_LINK}\s+)?(?P<v>.+)$",
        rf"^use\s+the\s+browser\s+to\s+{_SEARCH}\s+(?:{_LINK}\s+)?(?P<v>.+)$",
        rf"^{_SEARCH}\s+{_WHERE}\s+(?:{_LINK}\s+)?(?P<v>.+)$",
        rf"^{_SEARCH}\s+(?:{_LINK}\s+)?(?P<v>.+?)\s+{_WHERE}$",
        rf"^{_SEARCH}\s+(?:the\s+|our\s+)?(?:\d+\s+)?(?:most relevant\s+|nearest\s+)?(?:passages?|learnings?|chunks|lessons|sections?|entries|documents?)\s+.*?\b(?:about|on|for|of)\s+(?P<v>.+)$",
        r"^(?:was wissen wir|que savons-nous|qué sabemos|was weißt du)\s+(?:über|sur|sobre|von)\s+(?P<v>.+)$",
        r"^(?:do|did|have|has)\s+(?:we|you|i)\b.*?\b(?:about|on|with|before:)\s+(?P<v>.+)$",
        r"^what\s+did\s+(?:i|we)\s+(?:tell|say)\b.*?\babout\s+(?P<v>.+)$",
        r"^(?:do you (?:still )?(?:remember|recall|know)|recall|remember)\s+(?P<v>.+)$",
        rf"^{_SEARCH}\s+{_LINK}\s+(?P<v>.+)$",
        rf"^{_SEARCH}\s+(?P<v>.+)$",
    )
)
_DATA = re.compile(
    r"\b(?:encrypt|decrypt|sign|hash|encode|chiffre|cifra|signe|firma|signiere|verschlüssele)\w*\s+(?:the\s+|this\s+|le\s+|el\s+)?"
    r"(?:(?:word|text|message|string|phrase|data|texte|texto|wort)\s*:?\s+)?(\S.*)$",
    re.IGNORECASE,
)
_COLON = re.compile(r":\s+(\S.*)$", re.DOTALL)
_LEANS = re.compile(r"^(?:it|this|that|them|these|the (?:result|output|file|text|summary))\b", re.IGNORECASE)
_ARROW = re.compile(
    r"\(\s*([^,()]+?)\s*,\s*([^,()]+?)\s*,\s*([^,()]+?)\s*\)|([\w.-]+)\s*->\s*([\w.-]+)\s*->\s*([\w.-]+)"
)
_WORDS3 = re.compile(r"([\w.-]+)\s+([a-z]+(?:_[a-z]+)+)\s+(?:the\s+)?([\w.-]*\w)")
_REASON = re.compile(r"\s*[,;]?\s*\b(?:because|since|as it|reason|weil)\b.*$", re.IGNORECASE | re.DOTALL)
_SLUG_WORDS = 5
_SLUG_LEADS = re.compile(
    r"^\W*(?:remember|save|store|keep|note|record|add|write|schedule|remind|memori[sz]e|merke?|souviens-toi|recuerda)\b"
    r"(?:\s+(?:me|dir|this|down|in mind|that|to|as|a|an|the|knowledge|rule|fact|job|reminder|dass|que|mich)\b)*\W*",
    re.IGNORECASE,
)
_NAMED = re.compile(
    r"\b(?:called|named|namens|appelée?|llamad[oa]|about|for|of)\s+(?:the\s+|my\s+)?(?P<v>[\w.-]*\w)", re.IGNORECASE
)
_TASK_LEAD = re.compile(
    r"^\W*(?:schedule|remind(?:\s+me)?|wake(?:\s+me)?|set up|create|add|erinner\w*(?:\s+mich)?|rappelle-moi|recuérdame)\b"
    r"(?:\s+(?:a|an|the)\s+(?:job|reminder|cron job|task))?(?:\s+(?:to|that|which|for|about|de|with cron|with|d'))?\s*",
    re.IGNORECASE,
)


def wish(text: str) -> str:
    """Take what is said for politeness off a request.

    Examples
    --------
    >>> wish("Could you please search our knowledge for billing, thanks!")
    'search our knowledge for billing'
    """
    return _TAIL.sub("", _TAIL.sub("", _POLITE.sub("", text.strip()))).strip()


def url(text: str) -> str | None:
    """Return the first web address."""
    match = _URL.search(text)
    return match[0].rstrip(".,;:!?)") if match else None


def path(text: str) -> str | None:
    """Return the first file or folder name."""
    return next(iter(paths(text)), None)


def address(text: str) -> str | None:
    """Return the first wallet address."""
    match = _ADDRESS.search(text)
    return match[0] if match else None


def amount(text: str) -> str | None:
    """Return an amount of money without its currency; one that can be read in two ways is none.

    Examples
    --------
    >>> amount("pay $12.50 now"), amount("send 5 usdc"), amount("send 5")
    ('12.50', '5', None)
    >>> amount("pay 1,250.50 USDC"), amount("zahle 12,50 EUR"), amount("pay 1.000 USDC")
    ('1250.50', '12.50', None)
    """
    match = _AMOUNT.search(_ADDRESS.sub(" ", text))
    said = (match[1] or match[2]) if match else ""
    if _THOUSANDS.fullmatch(said):
        return said.replace(",", "")
    if _POINTS.fullmatch(said):
        return said.replace(".", "").replace(",", ".")
    return said.replace(",", ".") if _PLAIN_FIGURE.fullmatch(said) else None


def any_id(text: str) -> str | None:
    """Return the first id, or a quoted string that stands for one."""
    match = _ID.search(text)
    return match[0] if match else next(iter(quoted(text)), None)


def date(text: str) -> str | None:
    """Return the first date, with its time of day where there is one."""
    match = _DATE.search(text)
    return match[0] if match else None


def query(text: str) -> str | None:
    """Return what is looked for: the request without the words that only say that something is looked for.

    Examples
    --------
    >>> query("could you please search our knowledge for billing")
    'billing'
    >>> query("look up on the internet who won the cup"), query("what is the VAT in Norway?")
    ('who won the cup', 'what is the VAT in Norway')
    """
    strings = quoted(text)
    if len(strings) == 1:
        return strings[0].strip() or None
    body = wish(text)
    for pattern in _QUERY:
        if (match := pattern.search(body)) and (found := match["v"].strip(" ,:;.?!")):
            return found
    return body or None


def payload(text: str) -> str | None:
    """Return the data that something is to be done with; a pronoun stands for nothing here.

    Examples
    --------
    >>> payload("encrypt the word hello"), payload("sign it"), payload("hash 'a b'")
    ('hello', None, 'a b')
    """
    if strings := quoted(text):
        return strings[0]
    body = wish(text)
    match = _COLON.search(body) or _DATA.search(body)
    found = re.sub(r"\s+(?:with|using)\s+(?:the\s+)?(?:\w+\s+)?key\b.*$", "", match[1]).strip() if match else ""
    return found if found and not _LEANS.match(found) else None


def block(text: str) -> str | None:
    """Return the first JSON object or list.

    Examples
    --------
    >>> block('ingest {"a": [1]} now'), block("none [here")
    ('{"a": [1]}', None)
    """
    decoder = json.JSONDecoder()
    for match in re.finditer(r"[\[{]", text):
        try:
            _, end = decoder.raw_decode(text, match.start())
        except (ValueError, RecursionError):
            continue
        return text[match.start() : end]
    return None


def triple(text: str) -> tuple[str, str, str] | None:
    """Return subject, predicate and object.

    Examples
    --------
    >>> triple("assert that Ada works_for Acme because I know"), triple('"Bob" "knows" "Ann"'), triple("(a, b, c)")
    (('Ada', 'works_for', 'Acme'), ('Bob', 'knows', 'Ann'), ('a', 'b', 'c'))
    """
    body = _REASON.sub("", text)
    if match := _ARROW.search(body):
        return (match[1], match[2], match[3]) if match[1] else (match[4], match[5], match[6])
    strings = quoted(body)
    if len(strings) == 3:  # noqa: PLR2004 - a triple
        return strings[0], strings[1], strings[2]
    match = _WORDS3.search(body)
    return (match[1], match[2], match[3]) if match else None


def slug(text: str) -> str | None:
    """Make a label of the words that are kept.

    Examples
    --------
    >>> slug("remember that I like green tea a lot")
    'i-like-green-tea-a'
    """
    strings = quoted(text)
    body = strings[0] if len(strings) == 1 else _SLUG_LEADS.sub("", wish(text)) or wish(text)
    return "-".join(re.findall(r"[a-z0-9]+", fold(body))[:_SLUG_WORDS]) or None


def name(text: str) -> str | None:
    """Return a name: quoted, or behind a word like "called"."""
    strings = quoted(text)
    match = _NAMED.search(text)
    return strings[0] if strings else match["v"] if match else None


def task(text: str) -> str | None:
    """Return what is to be done at a time: the request without the time.

    Examples
    --------
    >>> task("remind me every weekday at 9 to check mail"), task("every 2 hours run the backup")
    ('check mail', 'run the backup')
    """
    strings = [part for part in quoted(text) if read_schedule(part) is None]
    if len(strings) == 1:
        return strings[0]
    schedule = read_schedule(text)
    body = text
    for begin, end in sorted(schedule.spans if schedule else (), reverse=True):
        body = f"{body[:begin]} {body[end:]}"
    whole = wish(re.sub(r"\s+", " ", body).strip(" ,"))
    body = _TASK_LEAD.sub("", whole)
    if not body and whole.casefold().startswith("wake"):
        return whole
    return (
        re.sub(
            r"^(?:to|that|de|zu|remind me to|erinnern|rappelle-moi de)\s+|\s+(?:erinnern|with cron)$", "", body
        ).strip(" ,:")
        or None
    )


def task_slug(text: str) -> str | None:
    """Make a label of what is to be done at a time.

    Examples
    --------
    >>> task_slug("remind me every weekday at 9 to check mail")
    'check-mail'
    """
    said = task(text)
    return slug(said) if said else None


def _part(place: int) -> Reading:
    def read(text: str) -> str | None:
        found = triple(text)
        return found[place] if found else None

    return read


def _schedule(text: str) -> str | None:
    found = read_schedule(text)
    return found.value if found else None


def _schedule_type(text: str) -> str | None:
    found = read_schedule(text)
    return found.kind if found else None


def _wish(text: str) -> str | None:
    return wish(text) or None


READINGS: Mapping[str, Reading] = {
    "@url": url,
    "@path": path,
    "@command": command,
    "@address": address,
    "@amount": amount,
    "@id": any_id,
    "@date": date,
    "@query": query,
    "@payload": payload,
    "@json": block,
    "@subject": _part(0),
    "@predicate": _part(1),
    "@object": _part(2),
    "@slug": slug,
    "@name": name,
    "@task": task,
    "@task_slug": task_slug,
    "@schedule": _schedule,
    "@schedule_type": _schedule_type,
    "@wish": _wish,
}
"""By the name that the table of arguments uses."""
