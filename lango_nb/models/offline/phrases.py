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
WRITE = re.compile(r"\b(?:write|save|put|store|create|make|add)\b", re.IGNORECASE)
WRITE_CONTENT = re.compile(
    r"\b(?:with (?:the )?(?:text|content|contents|words?|line)|containing|that says|saying|which says|with|content:|contents:|text:)"
    r"\s*:?\s*(.+)$",
    re.IGNORECASE | re.DOTALL,
)
WRITE_BEFORE = re.compile(
    r"\b(?:write|save|put|store|append|add)\s+(?:the (?:text|words?|line|sentence)\s+)?(.+?)\s+(?:to|into|in|as)\s+(?:the end of )?(?:the |a |a new |new )?(?:file\s+)?"
    r"(?:called |named )?[\w./~\\`\"'-]+\s*[.!]?$",
    re.IGNORECASE | re.DOTALL,
)
APPEND = re.compile(
    r"\bappend\b|\badd\b.+\b(?:to the end of|at the (?:end|top|beginning|start) of|to)\b", re.IGNORECASE | re.DOTALL
)
EDIT = re.compile(r"\b(?:edit|change|replace|set|update|modify|rewrite|fix|make)\b", re.IGNORECASE)
EDIT_CONTENT = re.compile(
    r"(?:\bto (?:say|read|be)|\bsays?|\breads?|\bwith|\binto|\bto|\bby|\bas|=|:)\s*:?\s*(.+?)\s*$",
    re.IGNORECASE | re.DOTALL,
)
REPLACE = re.compile(
    r"\b(?:replace|change|rename|swap)\s+(?:the (?:word|text|value|string)\s+)?[\"'`“](.+?)[\"'`”]\s+(?:with|by|to|into|for)\s+[\"'`“](.*?)[\"'`”]",
    re.IGNORECASE | re.DOTALL,
)
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
RUN = re.compile(r"\b(?:run|execute|launch|start)\b|\bcommand\b|`[^`]+`", re.IGNORECASE)
STATUS = re.compile(r"\b(?:status|done|finished|running|progress|output)\b", re.IGNORECASE)
STOP = re.compile(r"\b(?:stop|kill|terminate|end|cancel)\b", re.IGNORECASE)
BACKGROUND = re.compile(r"\bbackground\b", re.IGNORECASE)
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
UNSURE_WRITE = "I write text that you give me, in quotes for instance; what comes from elsewhere I cannot write yet."
UNSURE_CONTENT = "I find files by a part of their name. To search in their content, try: run `grep -rn word .`"
UNSURE_FOLDER = (
    "I make one folder at a time and nothing else with it, so I made none. Ask for the rest afterwards; a name that holds "
    "such words stands in quotes."
)
SECOND_WISH = re.compile(
    r"\b(?:and|then)\s+(?:then\s+)?(?:list|read|show|delete|remove|write|add|append|run|count|find|make|create|move|copy|"
    r"put|tell|change|replace)\b",
    re.IGNORECASE,
)
"""A further thing to do, where a name was expected."""
POLITE = r"\W*(?:(?:please|kindly|now|then|and|ok|okay|hey|hi|hello|(?:can|could|would|will) you)\W+)*"
DELETES = r"(?:delete|remove|erase|get rid of|throw away|trash|rm(?: -\w+)?)"
LEADING_DELETE = re.compile(rf"^{POLITE}{DELETES}\b", re.IGNORECASE)
DELETE_WHOLE = re.compile(
    rf"{POLITE}{DELETES}\s+(?:the\s+|my\s+|this\s+|that\s+)?(?:old\s+|whole\s+|entire\s+|empty\s+)?"
    r"(?:(?:file|folder|directory|subfolder|dir)\s+)?(?:called\s+|named\s+)?§(?:\s+(?:file|folder|directory))?"
    r"(?:\s+(?:please|now|for me|thanks|thank you|from (?:this|the) (?:folder|workspace|directory)))*\W*",
    re.IGNORECASE,
)
DELETE_LINE = re.compile(
    rf"{POLITE}{DELETES}\s+(?:the\s+)?line\s+(?:number\s+|no\.?\s*)?\d+\s+(?:of|in|from)\s+(?:the\s+)?(?:file\s+)?§\W*",
    re.IGNORECASE,
)
NEGATED = re.compile(
    r"\b(?:don.?t|do not|never|without|must not|should not|shouldn'?t|not to|stop me)\b", re.IGNORECASE
)
CHANGE = re.compile(
    rf"\b{DELETES}\b|\b(?:write|append|edit|change|replace|overwrite|rename|run|execute|stop|kill)\b|`", re.IGNORECASE
)
ABOUT_DOING = re.compile(
    r"^\W*(?:how|why|when|what|which|who|can i|may i|should (?:i|we)|could i|is it|are you|did|does|explain|tell me (?:how|what|why))\b",
    re.IGNORECASE,
)
SCHEDULED = next(shape.pattern for shape in SHAPES if shape.name == "schedule")
TOP = re.compile(r"\b(?:at|to) the (?:top|beginning|start)\b", re.IGNORECASE)
FIND_CONTENT = re.compile(
    r"\bfiles?\b[^.\n]{0,40}\b(?:mention(?:s|ing)?|contain(?:s|ing)?\s+(?:the\s+)?(?:word|text|line|phrase|string)|say(?:s|ing)?)\b",
    re.IGNORECASE,
)
REPLACE_BARE = re.compile(
    r"^\W*(?:please\s+)?(?:replace|change)\s+([\w-]+)\s+(?:with|by|to|into)\s+([\w-]+)\s+in\s", re.IGNORECASE
)
ELSEWHERE = re.compile(
    r"^(?:the |this |that |my |our |its )?(?:output|result|answer|summary|conversation|list|it|this|that|these|those|them)\b",
    re.IGNORECASE,
)
QUOTES = "\"'`“”"
