"""How people say what they want with files and commands: the patterns that ``intents.py`` reads with, and its questions."""

from __future__ import annotations

import re

from lango_nb.routing.shapes import SHAPES

FOLDER = r"(?:folder|directory|dir|subfolder|subdirectory)"
COUNT = re.compile(
    r"\bhow many lines\b|\bcount (?:the |all )?lines\b|\bnumber of lines\b|\bline count\b", re.IGNORECASE
)
FIND = re.compile(
    r"\b(?:find|locate|search for|where(?:'s| is| are)|which|look for|is there (?:a|any))\b[^.\n]{0,40}?\bfiles?\b[^.\n]{0,20}?"
    r"\b(?:called|named|like|with|has|have|having|contain(?:s|ing)?|starting with|beginning with|whose)\b\s+"
    r"(?:(?:has|have|contains|with|whose|called|named)\s+){0,2}"
    r"(?:the )?(?:(?:name|word|part|text|string|file name|filename)\s+)*(?:(?:has|contains|with|in it|is)\s+)*"
    r"[\"'`“]?([\w.-]+)",
    re.IGNORECASE,
)
FIND_DIRECT = re.compile(
    r"\b(?:find|locate|look for|where(?:'s| is))\s+(?:me\s+)?(?:the\s+|a\s+|my\s+|any\s+)?[\"'`“]?([\w.-]+)[\"'`”]?\s+files?\b",
    re.IGNORECASE,
)
FIND_COLON = re.compile(r"\b(?:find|locate|look for)\b[^:]*\bfiles?\b[^:]*:\s*[\"'`“]?([\w.-]+)", re.IGNORECASE)
WHERE_FILE = re.compile(
    r"\b(?:find|locate|look for|where(?:'s| is))\s+(?:me\s+)?(?:the\s+|my\s+|a\s+)?(?:file\s+)?[\"'`“]?([\w-]+\.[\w.-]+)",
    re.IGNORECASE,
)
LIST = re.compile(
    rf"\b(?:list|show|display|what|which|see)\b.*\b(?:files?|{FOLDER}s?|entries|documents)\b|\bls\b|\bwhat(?:'s| is) (?:in|inside|here)\b",
    re.IGNORECASE,
)
MKDIR = re.compile(rf"\b(?:make|create|add|new|set up)\b[^.]*?\b{FOLDER}\b|\bmkdir\b", re.IGNORECASE)
STAT = re.compile(
    r"\bhow (?:big|large|old)\b|\bsize of\b|\bwhen was\b.*\b(?:changed|modified|written|edited)\b|\bdoes\b.*\bexist\b|\bis there a file\b|\bmetadata\b",
    re.IGNORECASE,
)
READ = re.compile(r"\b(?:read|show|open|print|display|cat|view|see|give me|look at)\b|\bcontents? of\b", re.IGNORECASE)
ASK = re.compile(
    r"^(?:what|which|who|when|where|why|how|is|are|does|do|according|tell me|in )\b|\?\s*$|\band (?:tell|say|answer|explain)\b|"
    r"\bwhat\b.*\bsays?\b|\bsummar",
    re.IGNORECASE,
)
WHOLE = re.compile(
    r"^\W*(?:what(?:'s| is) (?:in|inside)|what does\b.*\bsay\W*$|(?:please |can you |could you )*(?:read|show|open|print|display|cat|view)\b)",
    re.IGNORECASE,
)
AND_ANSWER = re.compile(
    r"\band (?:then )?(?:tell me|say|answer|explain|find out|give me|report)\b\s*:?\s*(.+)$|^(?:read|open|look at|check)\b.+?[.:,]\s+(\S.+\?)\s*$",
    re.IGNORECASE | re.DOTALL,
)
STATUS = re.compile(r"\b(?:status|done|finished|running|progress|output)\b", re.IGNORECASE)
FILE = re.compile(rf"\b(?:files?|{FOLDER}|line)\b", re.IGNORECASE)
NO_COMMAND = re.compile(r"\b(?:skill|workflow|pipeline|job)\b", re.IGNORECASE)
NO_FILE = re.compile(
    r"\b(?:skill|workflow|pipeline|job|task|reminder|fact|entity|entities|key|secret)\b", re.IGNORECASE
)
"""What is made, saved or started that is no file."""
NO_NAMES = frozenset("this the current my your here there working contents please is and it".split())
LONGEST_WISH = 400
"""Characters of a request, long quoted strings aside, that can be one wish."""
LONGEST_QUOTE = 60
CHANGING = frozenset({"write", "append", "edit", "replace", "mkdir", "delete", "cut", "run", "stop"})
"""Wishes that change something."""
UNSURE_WHETHER = (
    "I am not sure that you want this done, so I did nothing. If you do, say it as an instruction: delete notes.md."
)
UNSURE_DELETE = (
    "I delete one file or folder as a whole, or one line by its number (delete line 2 of notes.md). This asks for "
    "something else, so I deleted nothing."
)
UNSURE_WRITE = (
    "I write text that you give me, in quotes, behind a colon or after the words 'the text', and nothing that I would have "
    "to make up. So I wrote nothing; say it like this: write 'buy milk' to todo.txt."
)
UNSURE_EDIT = (
    "I replace one line by its number (change line 2 of notes.md to 'bread'), one text by another (replace 'a' with 'b' in "
    "notes.md), or all a file holds (replace notes.md with 'bread'). This asks for something else, so I changed nothing."
)
UNSURE_RUN = "I run a command when that is all that is asked, so I ran nothing; say it like this: run `ls -l`."
UNSURE_CONTENT = "I find files by a part of their name. To search in their content, try: run `grep -rn word .`"
UNSURE_FOLDER = (
    "I make one folder at a time and nothing else with it, so I made none; say it like this: make a folder called drafts. "
    "A name of several words stands in quotes."
)
DELETES = r"(?:delete|remove|erase|get rid of|throw away|trash|rm(?: -\w+)?)"
NEGATED = re.compile(
    r"\b(?:don.?t|do not|never|without|must not|should not|shouldn'?t|not to|stop me)\b", re.IGNORECASE
)
CHANGE = re.compile(
    rf"\b{DELETES}\b|\b(?:write|append|edit|change|replace|overwrite|rename|run|execute|stop|kill)\b|`", re.IGNORECASE
)
SCHEDULED = next(shape.pattern for shape in SHAPES if shape.name == "schedule")
FIND_CONTENT = re.compile(
    r"\bfiles?\b[^.\n]{0,40}\b(?:mention(?:s|ing)?|contain(?:s|ing)?\s+(?:the\s+)?(?:word|text|line|phrase|string)|say(?:s|ing)?)\b",
    re.IGNORECASE,
)
STARTS = frozenset(
    (
        "list read count show open display print find locate search look write append add edit change replace update make "
        "create delete remove run execute start stop install build test compile encrypt decrypt sign hash store save keep "
        "get fetch send pay transfer check browse visit go navigate click take schedule remind pause resume cancel plan "
        "decompose break remember recall forget reflect record describe define assert retract ingest import merge resolve "
        "query traverse retrieve what which who where how do does is are tell give calculate verify generate view dismiss"
    ).split()
)
"""First words of wishes."""
_POLITE = (
    r"\W*(?:(?:please|kindly|now|then|first|and|so|ok|okay|hey|hi|hello|just|(?:can|could|would|will) you|i want you to|"
    r"i need you to|i(?: woul|')d like you to|bitte|(?:kannst|könntest) du|(?:peux|pourrais)-tu|(?:puedes|podrías)|por favor)\b\W*)*"
)
_DIRECT = re.compile(
    rf"{_POLITE}(?:{'|'.join(sorted(STARTS))}|use|using|only|with|in|from|on|compute|download|look|summari[sz]e|translate|"
    r"lies|liste|zähle|zeig|zeige|suche?|finde?|hole?|lade|öffne|berechne|rechne|verschlüssele|signiere|fasse|lis|lire|compte|"
    r"cherche|trouve|montre|ouvre|calcule|chiffre|résume|lee|lista|cuenta|busca|muestra|abre|calcula|cifra|resume|trae|firma|"
    r"hashe|récupère|descarga|télécharge)\b",
    re.IGNORECASE,
)
_ABOUT_DOING = re.compile(
    rf"{_POLITE}(?:how (?:do|does|can|could|would|should|to)|should|do you|does|did|is it|are you|tell me (?:how|whether|if|why))\b",
    re.IGNORECASE,
)


def asks_directly(text: str) -> bool:
    """Tell whether a request asks for something itself, and does not report or ask how it would be done.

    Examples
    --------
    >>> asks_directly("please read a.md and save it to b.md"), asks_directly("Ada told me to read a.md and save it to b.md")
    (True, False)
    >>> asks_directly("how do I read a.md and save it to b.md?")
    False
    """
    return _DIRECT.match(text) is not None and _ABOUT_DOING.match(text) is None


QUOTES = "\"'`“”"
