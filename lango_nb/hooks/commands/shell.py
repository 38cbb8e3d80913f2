r"""A command line as a shell reads it: quotes, escapes, variables and substitutions resolved as far as they are known.

    read("X=rm; cd /tmp && $X -r$'\x66' \"a b\" | tee log")
    ─→ cd /tmp          rm -rf 'a b'          tee log, fed by rm

It is read as bash would, whose tricks are a superset of those of ``sh``, and more is read as a command than would run:
both arms of a choice, the bodies of loops and functions, what a substitution holds. What is not known, the output of a
program for instance, becomes one of the marks below.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from lango_nb.core.lazy import compiled

INPUT, FETCHED, DECODED, UNKNOWN = "\ue000\ue001\ue002\ue003"
"""Marks inside words: a line of standard input, something from the network, something decoded, anything else."""
KNOWN = {"HOME": "~", "PWD": ".", "OLDPWD": UNKNOWN, "PATH": "/usr/bin", "SHELL": "/bin/sh", "USER": "user", "IFS": " "}
"""Variables a command has, with a value that stands for the real one; those not named are empty."""
FETCHERS = frozenset({"curl", "wget", "fetch", "aria2c", "http", "https", "ftp", "lynx"})
"""Programs whose output comes from the network."""
_KEYWORDS = frozenset("if then elif else do while until ! { } fi done time in coproc function".split())
_DECODES = frozenset({"-d", "-D", "-di", "-dc", "-cd", "--decode", "--decompress", "--decrypt"})
_DEEPEST = 6
_MOST_DOCUMENTS = 20
_LONGEST_PIPE = 12
_LONGEST_BRACES = 200
_MOST_INSERTED = 100_000
"""Letters that variables come to in one command line; doubled often enough, one would fill the memory."""
_ASSIGNMENT = r"[A-Za-z_]\w*\+?="
_PLAIN = r"""[^\s'"\\$`;&|<>(){}#]+"""
_QUOTED = r'[^"\\$`]+'
_DOLLAR = r"""[({'"]|[A-Za-z_]\w*|[@*#?$!0-9-]"""
_ANSI = r"(?s)(?:[^'\\]|\\.)*"
_REDIRECTION = r"<<<|<<-|<<|<>|<&|<\(|<|>>|>\||>&|>\(|>"
_BRACKETS = r"""(?s)\\.|'[^']*'|"(?:[^"\\]|\\.)*"|[(){}]"""
_PARAMETER = r"(?s)[!#]?(\w+|[@*])(:[-=+?]|//|,,|\^\^|[-=+?:/,^#%])?(.*)"
_BRACES = r"(?s)(.*)\{([^{}]*,[^{}]*)\}(.*)"
_ESCAPE = r"(?s)\\(?:x([0-9a-fA-F]{1,2})|[uU]([0-9a-fA-F]{1,8})|0?([0-7]{1,3})|(.))"
_FORMAT = r"%%|%[-+ 0#]*\d*(?:\.\d+)?[a-zA-Z]"


class Command(NamedTuple):
    """One simple command."""

    words: tuple[str, ...]
    writes: tuple[str, ...] = ()
    """Files that redirections replace."""
    text: str = ""
    """Here-document or here-string that it reads."""
    source: Command | None = None
    """What is piped into it."""
    in_background: bool = False

    @property
    def name(self) -> str:
        """The program without its folder, in small letters."""
        return base(self.words[0]) if self.words else ""


class Variables(dict[str, str]):
    """Variables that are set; what they come to is unknown once it is too much."""

    _left = _MOST_INSERTED

    def insert(self, value: str, size: int | None = None) -> str:
        """Count letters of a value that is inserted somewhere, or of what it becomes there."""
        self._left -= len(value) if size is None else size
        return value if self._left >= 0 else UNKNOWN


def base(word: str) -> str:
    """Return a program without its folder, in small letters.

    Examples
    --------
    >>> base("/usr/bin/Python3")
    'python3'
    """
    return word.rpartition("/")[2].lower()


def stages(command: Command | None) -> list[Command]:
    """Return a command and what is piped into it, the nearest first."""
    found: list[Command] = []
    while command is not None and len(found) < _LONGEST_PIPE:
        found.append(command)
        command = command.source
    return found


def read(text: str, variables: Variables | None = None, depth: int = 0) -> list[Command]:
    r"""Read a command line.

    Parameters
    ----------
    text : str
    variables : Variables, optional
        Those that are set; assignments in the text are added.
    depth : int
        How deep it was found in another one; too deep is not read at all.

    Returns
    -------
    list of Command
        In the order of the text, those of substitutions before the command that holds them.

    Examples
    --------
    >>> [command.words for command in read("X=rm; $X -r$'\\x66' 'a b' && echo `which sh`")]
    [('rm', '-rf', 'a b'), ('which', 'sh'), ('echo', 'sh')]
    """
    return [] if depth > _DEEPEST else _Reader(text, Variables() if variables is None else variables, depth).read()


def value_of(commands: list[Command]) -> str:
    """Return what a substitution comes to: a text where that is known, else a mark."""
    if len(commands) == 1 and commands[0].source is None:
        name, words = commands[0].name, list(commands[0].words[1:])
        match name:
            case "echo":
                while words and words[0] in {"-n", "-e", "-ne", "-en"}:
                    words.pop(0)
                return unescape(" ".join(words))
            case "printf" if words:
                return _printf(*words)
            case "which" | "command" | "type" | "basename" if words:
                return words[-1]
            case "pwd":
                return "."
            case "git" if "--show-toplevel" in words:
                return "."
    names = [command.name for command in commands]
    if not FETCHERS.isdisjoint(names):
        return FETCHED
    return DECODED if any(map(is_decoder, commands)) else UNKNOWN


def is_decoder(command: Command) -> bool:
    """Tell whether a program makes readable text of what does not look like it."""
    words = command.words[1:]
    match command.name:
        case "base64" | "base32" | "basenc" | "openssl" | "gzip" | "bzip2" | "xz" | "zstd" | "gpg":
            return not _DECODES.isdisjoint(words)
        case "xxd":
            return any(word.startswith("-") and "r" in word for word in words)
        case "rev" | "tr" | "uudecode" | "zcat" | "gunzip" | "bunzip2" | "unxz":
            return True
    return False


class _Reader:
    """Reads one text from left to right."""

    def __init__(self, text: str, variables: Variables, depth: int) -> None:
        self._text = text
        self._variables = variables
        self._depth = depth
        self._place = 0
        self._found: list[Command] = []
        self._source: Command | None = None
        self._fed: Command | None = None
        """What the last ``read`` reads from."""
        self._document: tuple[int, int] | None = None
        """Where the line with a here-document ends, and where the document does."""
        self._documents = 0
        self._begin_command()

    def _begin_command(self) -> None:
        self._words: list[str] = []
        self._writes: list[str] = []
        self._input: list[str] = []
        self._begin_word()
        self._awaited = ""

    def _begin_word(self) -> None:
        self._parts: list[str] = []
        self._is_word = self._is_quoted = self._has_braces = False

    def read(self) -> list[Command]:
        """Read all of it."""
        text, plain = self._text, compiled(_PLAIN)
        while self._place < len(text):
            run = plain.match(text, self._place)
            if run is None:
                self._place += 1
                self._take(text[self._place - 1])
            else:
                self._place = run.end()
                self._add(run[0])
        self._end_command()
        return self._found

    def _take(self, char: str) -> None:  # noqa: C901 - one case per character that means something
        """Take one character that means something; the place is behind it."""
        match char:
            case " " | "\t" | "\r":
                self._end_word()
            case "\\":
                following = self._text[self._place : self._place + 1]
                self._place += 1
                if following != "\n":
                    self._add(following)
            case "'":
                self._is_quoted = True
                self._add(self._until("'"))
            case '"':
                self._take_quoted()
            case "$":
                self._take_dollar()
            case "`":
                self._insert(self._run(self._until("`").replace("\\`", "`")))
            case "#" if not self._is_word:
                end = self._text.find("\n", self._place)
                self._place = len(self._text) if end < 0 else end
            case "{" | "}":
                self._has_braces = True
                self._add(char)
            case "<" | ">":
                self._take_redirection()
            case "&" if self._text.startswith(">", self._place):
                self._end_word()
            case ";" | "&" | "|" | "(" | ")" | "\n":
                self._take_operator(char)
            case _:
                self._add(char)

    def _take_operator(self, char: str) -> None:
        is_double = char in "&|;" and self._text.startswith(char, self._place)
        is_pipe = char == "|" and not is_double
        self._place += is_double or (is_pipe and self._text.startswith("&", self._place))
        self._end_command(is_pipe=is_pipe, in_background=char == "&" and not is_double)
        if char == "\n" and self._document is not None and self._document[0] < self._place:
            self._place, self._document = self._document[1], None

    def _take_quoted(self, end: str = '"') -> None:
        """Take a text in double quotes; the rest of all when it does not end."""
        self._is_quoted = True
        self._add("")
        text, plain = self._text, compiled(_QUOTED)
        while self._place < len(text):
            run = plain.match(text, self._place)
            if run is not None:
                self._place = run.end()
                self._add(run[0])
                continue
            char = text[self._place]
            self._place += 1
            if char == end:
                return
            if char == "\\":
                following = text[self._place : self._place + 1]
                self._place += 1
                self._add("" if following == "\n" else following if following in '$`"\\' else f"\\{following}")
            elif char == "$":
                self._take_dollar(is_quoted=True)
            elif char == "`":
                self._add(self._run(self._until("`").replace("\\`", "`")))
            else:
                self._add(char)

    def _take_dollar(self, *, is_quoted: bool = False) -> None:
        """Take what stands behind a dollar sign: a variable, a substitution, another kind of quotes."""
        found = compiled(_DOLLAR).match(self._text, self._place)
        if found is None:
            self._add("$")
            return None
        self._place = found.end()
        match found[0]:
            case "(":
                value = self._run(self._balanced("(", ")"))
            case "{":
                value = self._expand(self._balanced("{", "}"))
            case "'" | '"' if is_quoted:
                self._place -= 1
                value = "$"
            case "'":
                quoted = compiled(_ANSI).match(self._text, self._place)
                self._place = quoted.end() + 1 if quoted else len(self._text)
                self._is_quoted = True
                return self._add(unescape(quoted[0] if quoted else ""))
            case '"':
                return self._take_quoted()
            case name:
                value = self._value(name)
        self._insert(value, is_quoted=is_quoted)
        return None

    def _take_redirection(self) -> None:
        found = compiled(_REDIRECTION).match(self._text, self._place - 1)
        operator = found[0] if found else ""
        self._place = max(self._place, self._place - 1 + len(operator))
        if "".join(self._parts[:2]).isdigit():
            self._begin_word()  # the number of a stream
        if operator.endswith("("):
            commands = read(self._balanced("(", ")"), self._variables, self._depth + 1)
            self._found += commands
            value = value_of(commands)
            if value not in {FETCHED, DECODED, UNKNOWN}:
                self._input.append(value)
                value = UNKNOWN
            return self._add(value)
        self._end_word()
        self._awaited = operator
        return None

    def _until(self, end: str) -> str:
        """Take a text up to a quote; a backslash hides only the back quote."""
        text, place = self._text, self._text.find(end, self._place)
        while end == "`" and place > 0 and text[place - 1] == "\\":
            place = text.find(end, place + 1)
        stop = len(text) if place < 0 else place
        found = text[self._place : stop]
        self._place = stop + 1
        return found

    def _balanced(self, opening: str, closing: str) -> str:
        """Take a text up to the bracket that closes it."""
        start, level = self._place, 1
        for found in compiled(_BRACKETS).finditer(self._text, start):
            level += (found[0] == opening) - (found[0] == closing)
            if not level:
                self._place = found.end()
                return self._text[start : found.start()]
        self._place = len(self._text)
        return self._text[start:]

    def _run(self, text: str) -> str:
        """Read what a substitution holds, and return what it comes to."""
        commands = read(text, self._variables, self._depth + 1)
        self._found += commands
        return value_of(commands)

    def _value(self, name: str) -> str:
        return self._variables.insert(self._variables.get(name, KNOWN.get(name, "")))

    def _expand(self, parameter: str) -> str:
        """Return what ``${…}`` comes to."""
        found = compiled(_PARAMETER).match(parameter)
        if found is None:
            return ""
        value, how, word = self._value(found[1]), found[2], found[3]
        if how in {":-", "-", ":=", "="}:
            return value or self._resolve(word)
        if how in {":+", "+"}:
            return self._resolve(word) if value else ""
        if how == ":":
            offset, _, length = word.partition(":")
            with_length = int(length) if length.strip().isdigit() else None
            start = int(offset) if offset.strip().isdigit() else 0
            return value[start:][:with_length]
        if how in {"/", "//"}:
            before, _, after = word.partition("/")
            old, new = self._resolve(before), self._resolve(after)
            if not old or self._variables.insert(value, value.count(old) * len(new)) == UNKNOWN:
                return value if not old else UNKNOWN
            return value.replace(old, new)
        return {",,": value.lower(), "^^": value.upper()}.get(how, value)

    def _resolve(self, text: str) -> str:
        """Resolve a text as if it stood in double quotes."""
        if self._depth >= _DEEPEST:
            return UNKNOWN
        inner = _Reader(text, self._variables, self._depth + 1)
        inner._take_quoted(end="")
        self._found += inner._found
        return "".join(inner._parts)

    def _add(self, part: str) -> None:
        self._is_word = True
        self._parts.append(part)

    def _insert(self, value: str, *, is_quoted: bool = False) -> None:
        """Add what was substituted; outside of quotes it falls apart at spaces."""
        if is_quoted or (not self._words and compiled(_ASSIGNMENT).match("".join(self._parts[:1]))):
            return self._add(value)
        for place, piece in enumerate(re.split(r"\s+", value)):
            if place:
                self._end_word()
            if piece:
                self._add(piece)
        return None

    def _end_word(self) -> None:
        if not self._is_word:
            return
        word, awaited, is_quoted = "".join(self._parts), self._awaited, self._is_quoted
        can_expand = self._has_braces and not is_quoted and len(word) < _LONGEST_BRACES
        braces = compiled(_BRACES).fullmatch(word) if can_expand else None
        self._begin_word()
        self._awaited = ""
        match awaited:
            case "":
                pieces = [f"{braces[1]}{piece}{braces[3]}" for piece in braces[2].split(",")] if braces else [word]
                self._words += pieces
            case ">" | ">|" | ">&":
                if not (word.isdigit() or word == "-"):
                    self._writes.append(word)
            case "<<<":
                self._input.append(word)
            case "<<" | "<<-":
                self._take_document(word, is_quoted=is_quoted)

    def _take_document(self, end: str, *, is_quoted: bool) -> None:
        """Take a here-document out of the lines that follow."""
        text = self._text
        line = text.find("\n", self._place - 1)  # the word ends before the character that was just taken
        self._documents += 1
        if line < 0 or self._documents > _MOST_DOCUMENTS:
            return
        start = self._document[1] if self._document else line + 1
        found = re.compile(rf"^\t*{re.escape(end)}$", re.MULTILINE).search(text, start)
        stop, after = (found.start(), found.end()) if found else (len(text), len(text))
        self._document = (line, after)
        body = text[start:stop]
        self._input.append(body if is_quoted else self._resolve(body))

    def _end_command(self, *, is_pipe: bool = False, in_background: bool = False) -> None:
        self._end_word()
        words = self._words
        while words and (words[0] in _KEYWORDS or compiled(_ASSIGNMENT).match(words[0])):
            word = words.pop(0)
            self._assign(word)
            if word == "function":  # its name follows
                del words[:1]
        if words and (words[0] or self._writes):
            self._note_names(words)
        if words or self._writes:
            is_fed = any(INPUT in word for word in words)
            source = self._source or (self._fed if is_fed else None)
            text = "\n".join(self._input)
            self._found.append(Command(tuple(words), tuple(self._writes), text, source, in_background))
            self._source = self._found[-1] if is_pipe else None
        elif is_pipe and self._found:
            self._source = self._found[-1]
        self._begin_command()

    def _note_names(self, words: list[str]) -> None:
        """Take note of variables that a command sets."""
        match words:
            case ["for" | "select", name, "in", *values]:
                self._variables[name] = " ".join(values)
            case ["export" | "local" | "declare" | "readonly" | "typeset", *assignments]:
                for assignment in assignments:
                    self._assign(assignment)
            case ["read" | "mapfile" | "readarray", *names]:
                self._fed = self._source
                self._variables.update(dict.fromkeys((name for name in names if name.isidentifier()), INPUT))

    def _assign(self, word: str) -> None:
        name, sign, value = word.partition("=")
        if sign:
            before = self._value(name[:-1]) if name.endswith("+") else ""
            self._variables[name.removesuffix("+")] = before + value


def unescape(text: str) -> str:
    r"""Resolve escapes such as ``\n``, ``\x72`` and ``\162``.

    Examples
    --------
    >>> unescape(r"\x72\155")
    'rm'
    """
    return compiled(_ESCAPE).sub(_unescaped, text) if "\\" in text else text


def _unescaped(found: re.Match[str]) -> str:
    if found[1] or found[2]:
        return chr(int(found[1] or found[2], 16) % 0x110000)
    if found[3]:
        return chr(int(found[3], 8))
    return {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "e": "\x1b"}.get(found[4], found[4])


def _printf(pattern: str, *values: str) -> str:
    given = iter(values)
    return compiled(_FORMAT).sub(lambda found: "%" if found[0] == "%%" else next(given, ""), unescape(pattern))
