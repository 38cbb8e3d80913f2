"""What the filter says of a command: allow, observe or block, each with a code that says why."""

from __future__ import annotations

from typing import Literal, NamedTuple

Decision = Literal["allow", "observe", "block"]

BLOCKED = {
    "removes_system": "removal of the system, the home folder or what others own",
    "removes_everything": "removal of everything in the folder",
    "removes_history": "removal of a repository's history",
    "writes_disk": "writing to a disk past its files",
    "fills_disk": "filling the disk",
    "overwrites_system": "overwriting files of the system",
    "opens_permissions": "permissions or owners that open the system",
    "gains_root": "rights of the administrator",
    "changes_system": "changes of accounts, network or kernel",
    "stops_system": "stopping the machine, its services or all processes",
    "removes_schedule": "removal of all scheduled jobs",
    "opens_port": "listening on the network",
    "floods_processes": "fork bomb",
    "hides_in_background": "silent command in the background",
    "runs_fetched": "running what was fetched from the network",
    "runs_decoded": "running what was decoded",
    "own_pattern": "a pattern of hooks.blockedCommands",
}
"""Codes of commands that do not run."""
OBSERVED = {
    "removes_files": "removes files",
    "overwrites_files": "replaces files that exist",
    "discards_changes": "discards changes of a repository",
    "removes_data": "removes data of a service",
    "changes_permissions": "changes permissions or owners of whole folders",
    "ends_processes": "ends processes",
    "runs_inline_code": "runs code given on its line",
    "runs_elsewhere": "runs on another machine",
    "hides_command": "runs what only the shell can tell",
}
"""Codes of commands that run, and are worth a note."""
ORDINARY = "ordinary"
"""Code of commands that nothing is said about."""


class Verdict(NamedTuple):
    """What becomes of a command, and why.

    Examples
    --------
    >>> Verdict.of("removes_files").sentence, Verdict.of("gains_root").decision
    ('command removes files', 'block')
    """

    decision: Decision
    code: str
    """One of :data:`BLOCKED`, :data:`OBSERVED`, or :data:`ORDINARY`."""
    sentence: str

    @classmethod
    def of(cls, code: str, pattern: str = "") -> Verdict:
        """Return the verdict with a code.

        Parameters
        ----------
        code : str
        pattern : str
            What matched, where a user's own pattern did.
        """
        if code in BLOCKED:
            return cls("block", code, f"command matches blocked pattern: {pattern or BLOCKED[code]}")
        if code in OBSERVED:
            return cls("observe", code, f"command {OBSERVED[code]}")
        return cls("allow", ORDINARY, "nothing in the command stands out")


ALLOWED = Verdict.of(ORDINARY)
