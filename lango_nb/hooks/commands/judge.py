"""From a command line to its verdict: read as a shell reads it, taken apart into what runs, held against the rules.

Programs that run others are opened: ``env``, ``xargs``, ``sh -c``, ``find -exec``, ``eval``, a pipe into a shell, code
on the line of an interpreter.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from itertools import pairwise
from pathlib import Path

from lango_nb.core.lazy import compiled
from lango_nb.hooks.commands.files import Folder
from lango_nb.hooks.commands.programs import RULES, options
from lango_nb.hooks.commands.shell import (
    DECODED,
    FETCHED,
    FETCHERS,
    INPUT,
    UNKNOWN,
    Command,
    Variables,
    base,
    is_decoder,
    read,
    stages,
    value_of,
)
from lango_nb.hooks.commands.verdict import ALLOWED, BLOCKED, OBSERVED, Verdict

_RANK = {code: rank for rank, code in enumerate([*BLOCKED, *OBSERVED, ""])}
_SHELLS = frozenset({"sh", "bash", "zsh", "dash", "ksh", "ash", "fish", "csh", "tcsh"})
_SHELL_RUNNERS = frozenset({"su", "script", "runuser", "flock"})
"""Programs whose ``-c`` is a command of a shell."""
_INLINE = {
    "python": "c", "pypy": "c", "perl": "eE", "ruby": "e", "node": "ep", "nodejs": "ep", "php": "r", "lua": "e",
    "bun": "e", "rscript": "e", "osascript": "e", "julia": "e",
}  # fmt: skip
"""Letters of the options that take code, by interpreter."""
_PREFIXES = {
    "env": "uCS", "nohup": "", "setsid": "", "command": "", "builtin": "", "exec": "a", "time": "fo", "nice": "n",
    "ionice": "cnp", "chrt": "", "stdbuf": "ioe", "timeout": "ks", "busybox": "", "toybox": "", "sudo": "ugpCDhrt",
    "doas": "uC", "pkexec": "", "xargs": "IEnPsLda", "strace": "eops", "unshare": "", "chroot": "", "caffeinate": "t",
    "flock": "wE", "firejail": "", "proxychains": "", "runuser": "u",
}  # fmt: skip
"""Programs that run the rest of their words, with the letters of their options that take a value."""
_OPERANDS = {"timeout": 1, "chroot": 1, "flock": 1, "chrt": 1}
"""How many words of their own such programs take first."""
_DEEPEST = 6
_MOST_PREFIXES = 20
_READ_AGAIN = 4
"""How often, on the average, every letter of a command may be read again as part of something it runs."""
_REMOVAL = (
    r"\b(?:rmtree|rm_rf|rm_r|rmSync|rmdirSync|rimraf|remove_tree|removedirs|unlink|unlinkSync|remove)\b"
    r"[\s(]{0,9}(?:glob\b[\s(]{0,9})?"
)
"""In code, what removes files, up to what it is given."""
_LITERAL = r"[\"']([^\"']*)[\"']"
_HOME = r"[^;\n]{0,60}?(?:expanduser|home\(|homedir|HOME)"
_CALL = r"\b(?:system|popen|subprocess|exec\w*|spawn\w*|check_call|check_output|qx|run)\b|`|!"
"""In code, what starts a command."""
_LITERALS = r"(?s)\\.|\"((?:[^\"\\]|\\.)*)\"|'((?:[^'\\]|\\.)*)'|`([^`]*)`"


def judge(text: str, workspace: Path | None = None) -> Verdict:
    """Judge a command line by the worst of what it runs.

    Parameters
    ----------
    text : str
    workspace : Path, optional
        Where it would run; files that exist there are known to be overwritten.

    Examples
    --------
    >>> judge("cd build && ls").decision, judge("true; r''m -rf /").code, judge("env rm old.log").code
    ('allow', 'removes_system', 'removes_files')
    """
    judged = _Judge(Folder("", workspace), _READ_AGAIN * len(text) + 10_000)
    codes = set(judged.codes(text, Variables(), 0))
    if _is_fork_bomb(text):
        codes.add("floods_processes")
    worst = min(codes, key=_RANK.__getitem__, default="")
    return Verdict.of(worst) if worst else ALLOWED


class _Judge:
    """Goes through one command line; ``cd`` in it counts from there on."""

    def __init__(self, folder: Folder, letters: int) -> None:
        self._folder = folder
        self._left = letters
        """How many more letters are read."""

    def codes(self, text: str, variables: Variables, depth: int) -> Iterator[str]:
        """Return the codes of everything a text runs; empty ones among them."""
        self._left -= len(text)
        if depth > _DEEPEST or self._left < 0:
            yield "hides_command"
            return
        for command in read(text, variables, depth):
            if command.writes:
                yield self._folder.replacement(command.writes)
            if command.in_background and "/dev/null" in command.writes:
                yield "hides_in_background"
            yield from self._of_words(command, list(command.words), variables, depth)

    def _of_words(self, command: Command, words: list[str], variables: Variables, depth: int) -> Iterator[str]:
        """Judge what is left of a command when programs that only run it are taken away."""
        prefixes = 0
        while words:
            prefixes += 1
            if depth > _DEEPEST or prefixes > _MOST_PREFIXES:
                yield "hides_command"
                return
            yield from _of_marks(words[0])
            name = _program(words[0])
            command = command._replace(words=(name, *words[1:]))
            if name in {"cd", "pushd"}:
                self._folder = self._folder.enter(next((word for word in words[1:] if not word.startswith("-")), "~"))
            rule = RULES.get(name)
            if rule is not None and not {"--help", "--version"} & set(words[1:3]):
                yield rule(command, words[1:], self._folder)
            for text in self._inner(command, words[1:]):
                yield from self.codes(text, variables, depth + 1)
            yield from self._of_code(command, words[1:], depth)
            if name == "find":
                for inner in _executed(words):
                    yield from self._of_words(command._replace(source=command), inner, variables, depth + 1)
            words = _rest(name, words) if name in _PREFIXES else []

    def _inner(self, command: Command, words: list[str]) -> Iterator[str]:
        """Return the texts that a command runs as shell commands."""
        name = command.name
        if name in _SHELLS or (name in _SHELL_RUNNERS and "-c" in words):
            place = next((n for n, word in enumerate(words) if re.fullmatch(r"-[a-z]*c|--command", word)), None)
            if place is not None:
                yield from words[place + 1 : place + 2]
            elif not options(words)[2] or not {"-s", "-"}.isdisjoint(words):
                yield command.text
                value = value_of([command.source]) if command.source is not None else UNKNOWN
                if value not in {UNKNOWN, FETCHED, DECODED}:
                    yield value
        elif name == "eval":
            yield " ".join(words)
        elif name == "trap":
            yield from words[:1]
        elif name in {"ssh", "watch", "parallel"}:
            yield " ".join(options(words)[2][name == "ssh" :])
        elif name == "env" and "-S" in words:
            yield " ".join(words[words.index("-S") + 1 :])
        elif name == "alias":
            yield from (word.partition("=")[2] for word in words)
        elif name in {"awk", "gawk", "mawk", "vim", "vi", "ex"}:
            for word in words:
                yield from _called(word)

    def _of_code(self, command: Command, words: list[str], depth: int) -> Iterator[str]:
        """Judge code that an interpreter is given: on its line, through a pipe, from the network."""
        interpreter = command.name.rstrip("0123456789.")
        is_shell = command.name in _SHELLS or command.name in {"eval", "source", "."}
        if interpreter not in _INLINE and not is_shell:
            return
        for word in words:
            yield from _of_marks(word)
        if not options(words)[2] or (is_shell and "-s" in words) or "-" in words:
            yield from _of_marks(command.text)
            sources = stages(command.source)
            if any(stage.name in FETCHERS or FETCHED in "".join(stage.words) for stage in sources):
                yield "runs_fetched"
            if any(is_decoder(stage) or DECODED in "".join(stage.words) for stage in sources):
                yield "runs_decoded"
        if is_shell:
            return
        if command.text:
            yield "runs_inline_code"
            yield from self._of_inline(command.text, depth)
        letters = _INLINE[interpreter]
        for option, code in pairwise(words):
            if re.fullmatch(rf"-[A-Za-z]*[{letters}{letters.upper()}]|--eval|--print", option):
                yield "runs_inline_code"
                yield from self._of_inline(code, depth)

    def _of_inline(self, code: str, depth: int) -> Iterator[str]:
        """Judge code by what it removes and by the commands it runs."""
        for found in compiled(_REMOVAL).finditer(code):
            rest = code[found.end() : found.end() + 200]
            literal = compiled(_LITERAL).match(rest)
            if literal is not None:
                yield self._folder.removal([literal[1]])
            elif compiled(_HOME).match(rest):
                yield "removes_system"
        for text in _called(code):
            yield from self.codes(text, Variables(), depth + 1)


def _program(word: str) -> str:
    """Return the program a word names; a pattern of letters names the first of the rules it fits."""
    name = base(word)
    if any(char in name for char in "*?["):
        name = next((known for known in RULES if fnmatchcase(known, name)), name)
    return "mkfs" if name.startswith("mkfs.") else name


def _of_marks(word: str) -> Iterator[str]:
    if FETCHED in word:
        yield "runs_fetched"
    if DECODED in word:
        yield "runs_decoded"
    if word == UNKNOWN:
        yield "hides_command"


def _rest(name: str, words: Sequence[str]) -> list[str]:
    """Return what a program that runs others runs."""
    with_value, own = _PREFIXES[name], _OPERANDS.get(name, 0)
    place = 1
    while place < len(words):
        word = words[place]
        if word == "--":
            place += 1
            break
        if word.startswith("-") and (len(word) > 1 or name == "env"):
            place += 2 if word[1:] and word[1:] in with_value else 1
        elif name in {"env", "sudo"} and "=" in word:
            place += 1
        elif own:
            own -= 1
            place += 1
        else:
            break
    rest = list(words[place:])
    return [*rest, INPUT] if rest and name in {"xargs", "parallel"} else rest


def _executed(words: Sequence[str]) -> Iterator[list[str]]:
    """Return the commands that ``find`` runs for what it finds."""
    place = 0
    while place < len(words):
        place += 1
        if words[place - 1] in {"-exec", "-execdir", "-ok", "-okdir"}:
            end = next((n for n in range(place, len(words)) if words[n] in {";", "+"}), len(words))
            yield [word.replace("{}", INPUT) for word in words[place:end]]
            place = end


def _called(code: str) -> Iterator[str]:
    """Return the commands that code hands to a shell or starts."""
    if compiled(_CALL).search(code) is None:
        return
    literals = [found[1] or found[2] or found[3] or "" for found in compiled(_LITERALS).finditer(code)]
    yield from (text for text in literals if " " in text)
    yield " ".join(literals)


def _is_fork_bomb(text: str) -> bool:
    """Find a function that pipes itself into itself: ``:(){ :|:& };:`` under any name."""
    if "|" not in text or "&" not in text or "{" not in text:
        return False
    compact = "".join(text.lower().replace("function ", "").split())
    for found in re.finditer(r"(?<![\w:.])([\w:.]{1,40})(?:\(\))?\{", compact):
        if f"{found[1]}|{found[1]}&" in compact[found.end() : found.end() + 200]:
            return True
    return False
