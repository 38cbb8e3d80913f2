"""What people say when they want a tool family: words, phrases and shapes, each with a weight.

The router predicts families; the routing table says who owns them. A row owns a family when one of its capabilities is
the family's, or, for families without tools, when its role speaks of the family's marks. That is how one list serves
every topology. The list is small and made by hand: it is what a demo router knows before it has seen labelled data.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from lango_nb.routing.capabilities import CAPABILITIES


@dataclass(frozen=True, slots=True)
class Family:
    """One tool family."""

    name: str
    prefixes: tuple[str, ...]
    """Tool-name prefixes of the family, keys of :data:`~lango_nb.routing.capabilities.CAPABILITIES`."""
    cues: dict[str, float]
    """Phrases people use, with the weight of each."""
    shapes: dict[str, float]
    """Shapes found in the text (see :data:`SHAPES`), with the weight of each."""
    refusals: tuple[str, ...] = ()
    """How an agent's ``cannot_do`` names the family."""
    marks: tuple[str, ...] = ()
    """Words of a role that tie the family to an agent without tools."""

    @property
    def capabilities(self) -> frozenset[str]:
        """Capability texts that stand for the family in a routing table."""
        return frozenset(CAPABILITIES[prefix] for prefix in self.prefixes)


class Shape(NamedTuple):
    """Something a text can hold that is no word."""

    name: str
    label: str
    """How it is shown."""
    hints: tuple[str, ...]
    """Pieces of lower-case text one of which must be there: quicker to test than the pattern."""
    pattern: re.Pattern[str]

    def occurs(self, text: str, folded: str) -> bool:
        """Tell whether a text, given as it is and in lower case, holds the shape."""
        return any(hint in folded for hint in self.hints) and self.pattern.search(text) is not None


_EXTENSIONS = (
    "md|txt|py|json|ya?ml|toml|csv|tsv|log|html?|js|ts|css|ini|cfg|sh|ipynb|rst|xml|sql|pdf|png|jpe?g|lock|env|bak"
)
_DAYS = "monday|tuesday|wednesday|thursday|friday|saturday|sunday|weekday|weekend"
SHAPES: tuple[Shape, ...] = (
    Shape(
        "url",
        "a web address",
        ("://", "www.", "."),
        re.compile(r"\bhttps?://\S+|\bwww\.\S+|\b[\w-]+\.(?:com|org|net|io|dev)\b", re.IGNORECASE),
    ),
    Shape(
        "path",
        "a file or folder name",
        ("/", "."),
        re.compile(
            rf"(?<![\w/:])(?:\.{{0,2}}/)?(?:[\w.-]+/)+[\w.-]*|(?<![\w.-])[\w-]+(?:\.[\w-]+)*\.(?:{_EXTENSIONS}|orig|bak\d*|old|tmp|gz|zip|tar)(?![\w-]|\.\w)",
            re.IGNORECASE,
        ),
    ),
    Shape(
        "command",
        "a shell command",
        ("",),
        re.compile(
            r"`[^`]+`|(?:^|\$\s*)(?:ls|cat|git|pytest|npm|pip|python3?|docker|grep|echo|uname|df|du|ps|whoami|pwd|curl|wget|"
            r"cargo|bash|sh|mkdir|rm|cp|mv)(?=\s|$)|\b(?:run|execute)\s+(?:make|find|go|node|true|false|date|env|sleep|ls|cat|git|"
            r"pytest|npm|pip|python3?|docker|grep|echo|uname|df|du|ps|whoami|pwd|curl|wget|cargo|bash|sh)(?=\s|$)",
            re.IGNORECASE | re.MULTILINE,
        ),
    ),
    Shape("process", "a process id", ("p",), re.compile(r"(?<![\w/.])p\d{1,4}\b", re.IGNORECASE)),
    Shape("address", "a wallet address", ("0x",), re.compile(r"\b0x[0-9a-fA-F]{6,}\b")),
    Shape(
        "amount",
        "an amount of money",
        ("$", "€", "usd", "dollar", "eur"),
        re.compile(r"\b\d+(?:\.\d+)?\s?(?:usdc|dollars?|usd|eur|euros?)\b|[$€]\d", re.IGNORECASE),
    ),
    Shape(
        "schedule",
        "a repeating time",
        ("every", "ly", "*"),
        re.compile(
            rf"\bevery\s+(?:\d+\s+)?(?:second|minute|hour|day|night|morning|evening|week|month|year|other|{_DAYS})s?\b"
            rf"|\b(?:daily|hourly|weekly|nightly|monthly)\b|(?:[\d*/,-]+\s+){{4}}[\d*/,-]+",
            re.IGNORECASE,
        ),
    ),
    Shape(
        "time",
        "a point in time",
        ("at ", "by ", "tomorrow", "in ", "next "),
        re.compile(
            rf"\b(?:at|by)\s+\d{{1,2}}(?::\d\d)?\s?(?:am|pm|o'clock)?\b|\btomorrow\b|\bin\s+\d+\s+(?:minutes|hours|days)\b|\bnext\s+(?:week|month|{_DAYS})\b",
            re.IGNORECASE,
        ),
    ),
)

FAMILIES: tuple[Family, ...] = (
    Family(
        "exec",
        ("exec",),
        {
            "run": 0.9, "execute": 1.2, "shell": 1.8, "terminal": 1.8, "command": 1.5, "command line": 1.0, "exit code": 1.8,
            "script": 0.9, "install": 1.0, "compile": 1.3, "build": 0.8, "process": 0.7, "kill": 0.9, "git": 1.4,
            "unit tests": 1.5, "tests": 0.9, "test suite": 1.6, "disk space": 1.4, "restart": 0.9, "bash": 1.8, "stdout": 1.6,
        },
        {"command": 2.2, "process": 1.6},
        ("shell commands", "executing commands", "code execution", "commands"),
    ),
    Family(
        "fs",
        ("fs_",),
        {
            "file": 1.6, "folder": 1.7, "directory": 1.7, "read": 0.8, "write": 0.7, "edit": 0.9, "delete": 0.9, "rename": 1.0,
            "list the files": 1.2, "line": 0.6, "lines": 0.6, "save to": 0.5, "open": 0.4, "create a file": 1.0, "mkdir": 1.8,
            "contents of": 0.9, "remove": 0.7, "workspace": 0.8, "readme": 1.6, "how many lines": 1.4, "append": 1.0,
            "what is in": 0.4, "files": 1.2, "text file": 0.6, "copy": 0.5,
        },
        {"path": 1.8},
        ("file operations",),
    ),
    Family(
        "skill",
        ("skill_",),
        {"run the skill": 2.4, "execute the skill": 2.4, "use the skill": 2.2, "skill": 1.0, "run skill": 2.0},
        {},
        ("skills",),
    ),
    Family(
        "skills",
        ("create_skill", "list_skills", "view_skill", "import_skill"),
        {
            "create a skill": 2.4, "new skill": 2.0, "list skills": 2.2, "list the skills": 2.2, "which skills": 2.2,
            "import a skill": 2.4, "import the skill": 2.4, "skill": 0.9, "available skills": 1.6, "what skills": 2.0,
        },
        {},
        ("skill management",),
    ),
    Family(
        "browser",
        ("browser_",),
        {
            "browse": 1.9, "website": 1.5, "web site": 1.5, "web page": 1.4, "webpage": 1.4, "page": 0.6, "click": 1.9,
            "screenshot": 2.3, "navigate": 1.7, "button": 1.0, "log in": 1.0, "fill in the form": 1.8, "form": 0.6,
            "browser": 2.0, "scroll": 1.4, "visit": 1.4, "open the site": 1.6, "tab": 0.6, "go to": 0.7, "link": 0.5,
        },
        {"url": 1.5},
        ("web browsing", "browsing", "interactive web browsing"),
    ),
    Family(
        "web",
        ("web_", "web_search", "web_fetch"),
        {
            "search the web": 2.5, "web search": 2.4, "google": 1.6, "look up online": 2.2, "online": 0.9, "internet": 1.4,
            "news": 1.4, "latest": 0.7, "fetch": 1.2, "download the page": 1.6, "weather": 1.6, "today": 0.3,
            "current price": 1.5, "search for": 0.7,
        },
        {"url": 0.9},
        ("web access", "web search"),
    ),
    Family(
        "crypto",
        ("crypto_",),
        {
            "encrypt": 2.4, "decrypt": 2.4, "cipher": 2.2, "sign": 1.3, "signature": 1.8, "hash": 1.8, "sha256": 2.4, "sha512": 2.4,
            "verify the signature": 1.4, "checksum": 1.8, "ciphertext": 2.2, "key pair": 1.2, "cryptographic": 2.0,
        },
        {},
        ("cryptographic operations", "cryptography"),
    ),
    Family(
        "secrets",
        ("secrets_",),
        {
            "secret": 1.9, "password": 2.1, "api key": 2.1, "token": 1.1, "credential": 2.0, "passphrase": 2.0, "keep it safe": 0.8,
        },
        {},
        ("secret management", "secrets"),
    ),
    Family(
        "payment",
        ("payment_",),
        {
            "pay": 1.9, "payment": 2.2, "send money": 2.2, "wallet": 2.2, "usdc": 2.4, "balance": 1.5, "transfer": 0.8,
            "transaction": 1.4, "spending limit": 1.6, "blockchain": 1.8, "invoice": 1.2, "transactions": 1.4,
        },
        {"amount": 1.3, "address": 1.8},
        ("payment transactions", "payments", "payment operations"),
    ),
    Family(
        "knowledge",
        ("search_", "rag_", "save_knowledge", "get_knowledge"),
        {
            "knowledge": 1.9, "knowledge base": 1.4, "look up": 1.2, "lookup": 1.4, "search": 0.9, "find out": 0.9, "find": 0.5,
            "our notes on": 1.5, "what do we know": 2.4, "do we know": 1.8, "retrieve": 1.0, "documentation": 1.1, "research": 1.4,
            "save this fact": 1.4, "keep this": 1.2, "definition": 0.9, "rag": 2.0, "indexed": 1.0, "information about": 0.9,
            "save the fact": 1.6, "what does our": 1.1, "facts about": 0.8, "policy": 0.5,
        },
        {},
        ("knowledge search", "knowledge management"),
    ),
    Family(
        "graph",
        ("graph_",),
        {
            "knowledge graph": 2.4, "graph": 1.7, "related to": 0.9, "connected to": 1.3, "neighbours": 1.2, "neighbors": 1.2,
            "traverse": 1.9, "relationship between": 0.9, "linked": 0.7, "triples": 1.8, "nodes": 1.0,
        },
        {},
        ("graph traversal",),
    ),
    Family(
        "learning",
        ("save_learning", "learning_"),
        {
            "learning": 1.6, "learnings": 1.8, "lesson learned": 2.0, "learned": 1.0, "what went wrong": 1.2, "error pattern": 1.6,
            "fix for": 0.7, "clean up the learnings": 1.6,
        },
        {},
        (),
    ),
    Family(
        "inquiry",
        ("librarian_",),
        {"inquiry": 2.3, "inquiries": 2.3, "knowledge gap": 2.0, "gap": 0.9, "open questions": 1.6, "pending questions": 1.8},
        {},
        (),
    ),
    Family(
        "cron",
        ("cron_",),
        {
            "schedule": 2.0, "cron": 2.4, "recurring": 2.0, "remind": 1.7, "reminder": 1.8, "timer": 1.7, "every": 0.5, "job": 0.7,
            "repeat": 0.7, "periodically": 1.8, "scheduled": 1.8, "pause the job": 1.6, "regularly": 1.2,
        },
        {"schedule": 2.0, "time": 1.0},
        ("scheduling",),
    ),
    Family(
        "bg",
        ("bg_",),
        {
            "background": 2.0, "in the background": 0.8, "async": 1.6, "asynchronously": 1.8, "later": 0.6, "while i": 0.5,
            "background task": 1.4, "is it done": 0.8, "still running": 1.2,
        },
        {},
        ("background tasks",),
    ),
    Family(
        "workflow",
        ("workflow_",),
        {"workflow": 2.3, "pipeline": 2.0, "automate": 1.8, "automation": 1.8, "multi-step": 0.8, "cancel the run": 0.9},
        {},
        ("workflows",),
    ),
    Family(
        "memory",
        ("memory_", "observe_", "reflect_"),
        {
            "remember": 2.2, "recall": 2.2, "forget": 1.5, "memory": 1.9, "memories": 1.9, "observation": 2.0, "reflection": 2.0,
            "reflect": 1.7, "observe": 1.3, "last time": 1.2, "earlier": 0.7, "we talked": 1.8, "did i say": 1.9, "did i tell": 1.9,
            "conversation": 0.9, "my preference": 1.4, "i prefer": 1.2, "history": 0.8, "we discussed": 1.8, "note that i": 1.5,
            "do you remember": 0.6, "yesterday": 0.4,
        },
        {},
        ("memory management", "memory management (observations/reflections)"),
    ),
    Family(
        "ontology",
        ("ontology_",),
        {
            "ontology": 2.6, "taxonomy": 2.2, "schema": 1.2, "entity": 1.9, "entities": 1.9, "entity type": 1.2, "predicate": 2.2,
            "conflicting facts": 1.8, "conflict": 1.2, "assert": 1.6, "ingest": 1.8, "merge the entities": 1.4, "fact": 0.7,
            "relationship type": 1.6, "canonical": 1.0, "define a type": 2.0, "define the type": 2.0,
        },
        {},
        ("ontology",),
    ),
    Family(
        "planning",
        (),
        {
            "plan": 1.9, "make a plan": 1.4, "break down": 1.9, "break this down": 1.6, "steps": 1.0, "step by step": 1.4, "strategy": 1.8,
            "decompose": 2.3, "roadmap": 2.0, "how should we": 1.5, "how should i": 1.3, "approach": 1.0, "milestones": 1.6,
            "in what order": 1.4, "organise": 0.7, "organize": 0.7,
        },
        {},
        ("any tool-based operations",),
        ("plan", "plans", "decomposes", "decomposition", "planning"),
    ),
)  # fmt: skip

GREETINGS = frozenset(
    (
        "hello hi hey hallo hola bonjour ciao moin servus namaste salut howdy greetings thanks thank cheers bye "
        "goodbye ok okay yes no sure cool nice great sorry welcome morning evening afternoon night"
    ).split()
)
"""Words that make a short text small talk."""

_CONVERSATION = (
    r"^(?:hello|hi|hey|hallo|hola|bonjour|ciao|good (?:morning|evening|afternoon|night))\b",
    r"\bhow are you\b|\bwho are you\b|\bwhat can you do\b|\bwhat are you\b|\bhow do you feel\b|\bare you (?:a |an )?(?:human|robot|bot|real|there)\b",
    r"\bthank(?:s| you)\b|\bsee you\b|\bgood ?bye\b",
    r"\btell me (?:a |another )?(?:joke|story|riddle)\b|\bmake me laugh\b|\bsing\b",
    r"\bwhat do you think\b|\bdo you (?:like|prefer|believe|enjoy)\b|\byour (?:opinion|favou?rite|view)\b|\bwhich is better\b",
    r"^(?:what|who|where|when|why|how)(?:'s| is| are| was| were| do| does| did| many| much| far| old| tall)\b",
    r"^(?:explain|define|describe|translate)\b",
    r"\bwrite (?:me )?(?:a |an )?(?:short |little )?(?:poem|haiku|song|story|joke|limerick)\b",
    r"^(?:what )?\s*\d+(?:\.\d+)?\s*[-+*/x]\s*\d+",
)
CREATIVE = re.compile(
    r"\b(?:write|compose|sing|tell|make up)\s+(?:me\s+|us\s+)?(?:a |an |another )?(?:\w+\s+)?(?:poem|haiku|song|story|joke|limerick|riddle)\b",
    re.IGNORECASE,
)
"""A wish for words of one's own: the root's, whatever verbs it uses."""
CONVERSATION = re.compile("|".join(f"(?:{pattern})" for pattern in _CONVERSATION), re.IGNORECASE)
"""Shapes of small talk, opinions and general knowledge: answered by the root when no family claims the text."""


@lru_cache(maxsize=1)
def by_capability() -> dict[str, Family]:
    """Return the family behind each capability text."""
    return {capability: family for family in FAMILIES for capability in family.capabilities}


@lru_cache(maxsize=1)
def by_refusal() -> dict[str, tuple[Family, ...]]:
    """Return the families behind each way of saying "cannot"."""
    every = tuple(family for family in FAMILIES if family.prefixes)
    found = {refusal: (family,) for family in FAMILIES for refusal in family.refusals}
    return {**found, "any tool-based operations": every}
