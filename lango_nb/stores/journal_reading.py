"""From the bytes of a journal to operations, and what is wrong with the rest of them."""

from __future__ import annotations

from dataclasses import dataclass, field

from lango_nb.stores import lines
from lango_nb.stores.journal_rows import Operation, operations_of
from lango_nb.stores.store import Problem, Row


@dataclass(slots=True)
class Findings:
    """What is wrong with bytes that were read."""

    torn: int = 0
    """Bytes at the end that are no whole record."""
    damaged: list[tuple[int, bytes]] = field(default_factory=list)
    """Other bytes that are none, each with their offset."""
    has_no_header: bool = False
    kept: int = 0
    """How many records are whole."""

    def __bool__(self) -> bool:
        return bool(self.torn or self.damaged or self.has_no_header)

    def problems(self, name: str, *, is_mended: bool) -> list[Problem]:
        """Say what was found, and what became of it.

        Parameters
        ----------
        name : str
            Of the file.
        is_mended : bool
            Whether the file is in order again.

        Returns
        -------
        list of Problem
        """
        found = []
        if self.damaged or self.has_no_header:
            size = sum(len(data) for _, data in self.damaged)
            pieces = f"{len(self.damaged)} damaged piece{'' if len(self.damaged) == 1 else 's'} ({size} bytes)"
            became, next_step = "", "open it for writing to mend it"
            if is_mended:
                became = "set aside in .quarantine, " if self.damaged else "written anew, "
                next_step = "look at .quarantine, and check the disk" if self.damaged else "check the disk"
            what = pieces if self.damaged else "no header"
            found.append(Problem("damaged", name, f"{what} found: {became}{self.kept} whole records kept", next_step))
        if self.torn:
            became = "dropped" if is_mended else "ignored"
            found.append(Problem("torn", name, f"the last {self.torn} bytes are no whole record and were {became}"))
        return found


@dataclass(slots=True)
class Passage:
    """What a part of a journal says."""

    header: Row = field(default_factory=dict)
    """Empty unless the part begins the file."""
    changes: list[list[Operation]] = field(default_factory=list)
    """The operations of each line."""
    end: int = 0
    """Where the next line belongs, once what is torn is dropped."""
    lacks_newline: bool = False
    snapshot_end: int = 0
    """How far the file goes that the last compaction wrote; 0 unless the part begins the file."""
    findings: Findings = field(default_factory=Findings)


def interpret(data: bytes, start: int, kind: str, where: str) -> Passage:
    """Read a part of a journal.

    Parameters
    ----------
    data : bytes
        From the beginning of a line to the end of the file.
    start : int
        Its offset.
    kind : str
        What the header ought to say.
    where : str
        The file, as errors name it.

    Returns
    -------
    Passage

    Raises
    ------
    StoreError
        It was written by a newer version, or holds something else.
    """
    reading = lines.read(data, start)
    passage = Passage(end=reading.torn_at, lacks_newline=reading.lacks_newline)
    findings = passage.findings
    findings.torn = len(reading.torn)
    rows, damaged = reading.rows, list(reading.damaged)
    if start == 0 and data:
        if rows and rows[0][0] == 0 and "ops" not in rows[0][1]:
            lines.check_header(rows[0][1], kind, where)
            passage.header = rows.pop(0)[1]
        else:
            lines.check_damaged_header(data.partition(b"\n")[0], where)
            findings.has_no_header = True
    for offset, row in rows:
        operations = operations_of(row)
        if operations is None:
            end = data.find(b"\n", offset - start)
            damaged.append((offset, data[offset - start : end if end >= 0 else len(data)]))
        else:
            passage.changes.append(operations)
    if findings.has_no_header and findings.torn:  # perhaps it never was a file of ours: nothing of it may be lost
        damaged.append((reading.torn_at, reading.torn))
        findings.torn = 0
    findings.damaged = _joined(damaged)
    findings.kept = len(passage.changes)
    counted = passage.header.get("snapshot")
    if isinstance(counted, int):
        passage.snapshot_end = rows[counted][0] if counted < len(rows) else passage.end
    return passage


def _joined(damaged: list[tuple[int, bytes]]) -> list[tuple[int, bytes]]:
    """Make one piece of those that follow each other."""
    joined: list[tuple[int, bytes]] = []
    for offset, data in sorted(damaged):
        if joined and joined[-1][0] + len(joined[-1][1]) + 1 == offset:
            before, first = joined.pop()
            joined.append((before, first + b"\n" + data))
        else:
            joined.append((offset, data))
    return joined
