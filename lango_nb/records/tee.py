"""Every closed turn once more as text: JSON lines at the end of one file, for those who want to read and grep them.

    {"schema": 2, "kind": "lango export", "grows": true}
    {"turn": {…}} {"event": {…}} … {"body": {…}}         one turn, as ``%lango export`` writes it
    …                                                    the next

A turn comes again with what its runs did after its end, when one of them has ended; the last one counts. One that was
interrupted comes with the next opening of its store, which closes it.

The setting ``store.tee`` names the file. It is a copy: what cannot be written is said once, and no turn fails for it.
Each turn is one write at the end of the file, so several processes may share it.
"""

from __future__ import annotations

import logging
import os
from pathlib import Path
from typing import TYPE_CHECKING

from lango_nb.core.errors import LangoError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lango_nb.core.messages import Message
    from lango_nb.records.turns import Trace
    from lango_nb.stores.store import StoredTurn

logger = logging.getLogger("lango_nb")

_FLAGS = os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_CLOEXEC", 0)


class Tee:
    """Appends turns to a file of JSON lines; made with its folder when the first one is closed.

    Parameters
    ----------
    path : str or Path
        ``%lango open FILE`` reads it, also while it grows.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path).expanduser()
        self._has_failed = False

    def append(self, turn: Trace | StoredTurn, history: Sequence[Message] | None = None) -> None:
        """Append a closed turn; never raises.

        Parameters
        ----------
        turn : Trace or StoredTurn
        history : sequence of Message, optional
            What later turns see of a trace, when that is not its own conversation.
        """
        try:
            self._append(turn, history)
        except (OSError, ValueError, LangoError) as error:
            if not self._has_failed:
                why = error.strerror if isinstance(error, OSError) and error.strerror else error
                logger.warning("store.tee: turns are not copied to %s: %s", self.path.name, why)
            self._has_failed = True
        else:
            self._has_failed = False

    def _append(self, turn: Trace | StoredTurn, history: Sequence[Message] | None) -> None:
        from lango_nb.records.exporting import check_growing, growing_header, lines_of
        from lango_nb.records.masked import masked

        text = b"".join(lines_of(turn, None if history is None else [masked(message) for message in history]))
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        number = os.open(self.path, _FLAGS, 0o600)
        with os.fdopen(number, "r+b", buffering=0) as file:
            size = os.fstat(number).st_size
            if not size:
                text = growing_header() + text
            else:
                first = file.readline(4096)
                check_growing(first, str(self.path.name))
                file.seek(size - 1)
                if file.read(1) != b"\n":  # the last write did not end
                    text = b"\n" + text
            if file.write(text) != len(text):
                raise OSError(None, "it could not be written whole")
