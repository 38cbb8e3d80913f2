"""What single programs do with the words they are given: one function per kind of program, one table of all."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache

from lango_nb.hooks.commands.files import Folder
from lango_nb.hooks.commands.shell import INPUT, Command

Rule = Callable[[Command, Sequence[str], Folder], str]
"""From a command, its words behind the name, and the folder to a code; empty when nothing is to be said."""


_FORCING = frozenset({"--force", "--discard-changes"})
_STOPPING = frozenset({"stop", "disable", "mask", "kill", "isolate", "poweroff", "reboot", "halt", "unload", "bootout"})


def options(words: Sequence[str]) -> tuple[str, list[str], list[str]]:
    """Split words into single letters, long options, and what is neither.

    Examples
    --------
    >>> options(["-rf", "--force", "a", "--", "-b"])
    ('rf', ['--force'], ['a', '-b'])
    """
    letters = ""
    long: list[str] = []
    operands: list[str] = []
    for place, word in enumerate(words):
        if word == "--":
            return letters, long, [*operands, *words[place + 1 :]]
        if word.startswith("--"):
            long.append(word.lower())
        elif word.startswith("-") and len(word) > 1:
            letters += word[1:]
        else:
            operands.append(word)
    return letters, long, operands


def _remove(command: Command, words: Sequence[str], folder: Folder) -> str:
    operands = options(words)[2]
    code = folder.removal(operands)
    if any(INPUT in word for word in operands):
        code = folder.selection(command.source) or code
    return code or "removes_files"


def _find(_command: Command, words: Sequence[str], folder: Folder) -> str:
    return (folder.search(words) or "removes_files") if "-delete" in words else ""


def _empty(command: Command, words: Sequence[str], folder: Folder) -> str:
    """Judge truncate."""
    operands = [word for place, word in enumerate(words) if not word.startswith("-") and words[place - 1] != "-s"]
    if any(INPUT in word for word in operands) and folder.selection(command.source):
        return "removes_everything"
    return folder.replacement(operands) or "overwrites_files"


def _shred(command: Command, words: Sequence[str], folder: Folder) -> str:
    code = folder.replacement(options(words)[2])
    return code if code == "writes_disk" else _remove(command, words, folder)


def _tee(_command: Command, words: Sequence[str], folder: Folder) -> str:
    letters, long, operands = options(words)
    code = folder.replacement(operands)
    return "" if code == "overwrites_files" and ("a" in letters or "--append" in long) else code


def _copy(_command: Command, words: Sequence[str], folder: Folder) -> str:
    letters, _, operands = options(words)
    if not operands[1:] or "n" in letters:
        return ""
    target = operands[-1].rstrip("/")
    return folder.replacement([target, *(f"{target}/{source.rpartition('/')[2]}" for source in operands[:-1])])


def _move(command: Command, words: Sequence[str], folder: Folder) -> str:
    operands = options(words)[2]
    code = folder.removal(operands[:-1])
    if code == "removes_system" or operands[-1:] == ["/dev/null"]:
        return code or "removes_files"
    return _copy(command, words, folder)


def _link(_command: Command, words: Sequence[str], folder: Folder) -> str:
    letters, long, operands = options(words)
    return folder.replacement(operands[1:]) if "f" in letters or "--force" in long else ""


def _edit_in_place(_command: Command, words: Sequence[str], folder: Folder) -> str:
    is_in_place = any(re.match(r"-[nErsz]*i|--in-place", word) for word in words)
    return folder.replacement(options(words)[2]) if is_in_place else ""


def _dd(_command: Command, words: Sequence[str], folder: Folder) -> str:
    given = dict(word.lower().split("=", 1) for word in words if "=" in word)
    if given.get("if") in {"/dev/zero", "/dev/random", "/dev/urandom"} and "count" not in given:
        return "writes_disk" if given.get("of", "").startswith("/dev/") else "fills_disk"
    return folder.replacement([word[3:] for word in words if word.startswith("of=")])


def _fill(command: Command, words: Sequence[str], _folder: Folder) -> str:
    """Judge ``cat`` and ``yes``, which may never end."""
    is_endless = command.name == "yes" or not {"/dev/zero", "/dev/urandom", "/dev/random"}.isdisjoint(words)
    return "fills_disk" if is_endless and any(not file.startswith("/dev/") for file in command.writes) else ""


def _synchronise(_command: Command, words: Sequence[str], folder: Folder) -> str:
    _, long, operands = options(words)
    if not any(word == "--del" or word.startswith("--delete") for word in long):
        return ""
    return folder.removal(operands[1:]) or "removes_files"


def _archive(_command: Command, words: Sequence[str], _folder: Folder) -> str:
    return "removes_files" if "--remove-files" in words else ""


def _permit(command: Command, words: Sequence[str], folder: Folder) -> str:
    letters, long, operands = options(words)
    first = operands[0].lower() if operands else ""
    if command.name == "chmod":
        is_opening = re.fullmatch(r"[ugoa]*\+[rwx]*s[rwx]*|0?[2467][0-7]{3}", first) is not None
    else:
        is_opening = re.match(r"root\b|0(?:\D|$)", first) is not None
    if is_opening:
        return "opens_permissions"
    if "r" not in letters.lower() and "--recursive" not in long:
        return ""
    return "opens_permissions" if folder.removal(operands[1:]) == "removes_system" else "changes_permissions"


def _kill(_command: Command, words: Sequence[str], _folder: Folder) -> str:
    if "-1" in words[1:] or list(words) == ["--", "-1"]:
        return "stops_system"
    return "" if not words or words[0] in {"-0", "-l", "-L", "-s0"} else "ends_processes"


def _git(_command: Command, words: Sequence[str], folder: Folder) -> str:
    words = list(words)
    while words and words[0].startswith("-"):
        del words[: 2 if words[0] in {"-C", "-c", "--git-dir", "--work-tree"} else 1]
    letters, long, operands = options(words[1:])
    match words[:1]:
        case ["clean"]:
            is_real = ("f" in letters or "--force" in long) and "n" not in letters and "--dry-run" not in long
            code = folder.removal(operands or ["."]) if is_real else ""
            return code or ("removes_files" if is_real else "")
        case ["rm"]:
            return "" if "--cached" in long else folder.removal(operands) or "removes_files"
    return "discards_changes" if _discards(words, letters, long, operands) else ""


def _discards(words: Sequence[str], letters: str, long: Sequence[str], operands: Sequence[str]) -> bool:
    """Tell whether a command of git throws away changes or history."""
    match words[:1]:
        case ["reset"]:
            return "--hard" in long
        case ["checkout" | "switch"]:
            return "f" in letters or "--" in words or "." in operands or not _FORCING.isdisjoint(long)
        case ["restore"]:
            return "--staged" not in long or "--worktree" in long
        case ["stash"]:
            return operands[:1] in (["drop"], ["clear"])
        case ["branch" | "tag"]:
            return "D" in letters or (words[0] == "tag" and "d" in letters)
        case ["push"]:
            is_named = any(word.startswith(("--force", "--mirror", "--delete", "--prune")) for word in long)
            return is_named or not {"f", "d"}.isdisjoint(letters) or any(word.startswith("+") for word in operands)
        case ["update-ref" | "reflog" | "gc" | "worktree"]:
            return any(word.startswith(("--expire", "--prune", "-d", "expire", "remove")) for word in words[1:])
    return words[:1] in (["filter-branch"], ["filter-repo"])


def _listen(_command: Command, words: Sequence[str], _folder: Folder) -> str:
    return "opens_port" if "l" in options(words)[0] or "--listen" in words else ""


def _crontab(_command: Command, words: Sequence[str], _folder: Folder) -> str:
    return "removes_schedule" if "r" in options([word.lower() for word in words])[0] else ""


def _partition_disk(_command: Command, words: Sequence[str], _folder: Folder) -> str:
    return "" if {"-l", "--list", "list", "print"} & set(words) or not words else "writes_disk"


def _service(_command: Command, words: Sequence[str], _folder: Folder) -> str:
    return "" if _STOPPING.isdisjoint(words) else "stops_system"


def _init(_command: Command, words: Sequence[str], _folder: Folder) -> str:
    return "stops_system" if {"0", "6"} & set(words) else ""


def _sql(_command: Command, words: Sequence[str], _folder: Folder) -> str:
    return "removes_data" if any(_statements().search(word) for word in words) else ""


def _service_data(_command: Command, words: Sequence[str], _folder: Folder) -> str:
    """Judge clients of services that remove what they are told to."""
    return "removes_data" if any(_removing().match(word.lower()) for word in words) else ""


@cache
def _statements() -> re.Pattern[str]:
    return re.compile(r"(?:^|;)\s*(?:drop|truncate|delete\s+from)\b", re.IGNORECASE)


@cache
def _removing() -> re.Pattern[str]:
    return re.compile(
        r"(?:rm|rmi|rb|prune|delete|destroy|uninstall|flushall|flushdb|purge|apps:destroy|-destroy|.*dropdatabase.*"
        r"|delete-.*|terminate-.*|del|unpublish)$"
    )


def always(code: str) -> Rule:
    """Return the rule of programs that are what they are, whatever they are given."""
    return lambda _command, _words, _folder: code


def _unless_asked(code: str) -> Rule:
    """Return the rule of programs that also tell their version and help."""
    return lambda _command, words, _folder: "" if {"-V", "--version", "--help", "-h"} & set(words) else code


def _of(rule: Rule, *names: str) -> dict[str, Rule]:
    return dict.fromkeys(names, rule)


RULES: dict[str, Rule] = {
    **_of(_remove, "rm", "rmdir", "unlink", "srm", "rimraf", "del", "wipe"),
    **_of(_find, "find"),
    **_of(_empty, "truncate"),
    **_of(_shred, "shred"),
    **_of(_tee, "tee"),
    **_of(_copy, "cp", "install"),
    **_of(_move, "mv"),
    **_of(_link, "ln"),
    **_of(_edit_in_place, "sed", "gsed"),
    **_of(_dd, "dd"),
    **_of(_fill, "cat", "yes"),
    **_of(_synchronise, "rsync"),
    **_of(_permit, "chmod", "chown", "chgrp"),
    **_of(_kill, "kill"),
    **_of(_git, "git"),
    **_of(_listen, "nc", "netcat"),
    **_of(_crontab, "crontab"),
    **_of(_partition_disk, "fdisk", "sfdisk", "gdisk", "sgdisk", "parted", "wipefs", "diskutil", "zpool", "hdparm"),
    **_of(_service, "systemctl", "service", "launchctl"),
    **_of(_init, "init", "telinit"),
    **_of(_sql, "psql", "mysql", "mariadb", "sqlite3", "duckdb", "clickhouse-client", "cockroach"),
    **_of(
        _service_data, "redis-cli", "mongo", "mongosh", "docker", "podman", "kubectl", "helm", "terraform", "tofu",
        "aws", "gsutil", "gcloud", "az", "heroku", "npm",
    ),
    **_of(_archive, "tar"),
    **_of(always("removes_data"), "dropdb", "dropuser"),
    **_of(always("ends_processes"), "pkill", "killall", "xkill"),
    **_of(always("writes_disk"), "mkfs", "mke2fs", "mkswap", "blkdiscard", "cryptsetup", "lvremove", "vgremove"),
    **_of(always("stops_system"), "shutdown", "reboot", "halt", "poweroff", "killall5"),
    **_of(always("gains_root"), "sudo", "su", "doas", "pkexec", "runuser"),
    **_of(
        always("changes_system"), "userdel", "usermod", "useradd", "groupdel", "passwd", "chpasswd", "visudo",
        "iptables", "ip6tables", "nft", "ufw", "insmod", "rmmod", "modprobe", "swapoff", "umount", "chattr",
    ),
    **_of(always("opens_port"), "ncat", "socat"),
    **_of(_unless_asked("runs_elsewhere"), "ssh"),
}  # fmt: skip
"""Rule by program. Programs that run others are taken apart before."""
