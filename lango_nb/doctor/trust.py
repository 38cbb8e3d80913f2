"""Settings of a folder that nobody has trusted."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from lango_nb.doctor.finding import Finding

if TYPE_CHECKING:
    from lango_nb.config.trust import FolderTrust


def examine_trust(trust: FolderTrust | None) -> Iterator[Finding]:
    """Say what is held back.

    Parameters
    ----------
    trust : FolderTrust, optional
        What the settings of the folder at hand need; ``None`` when they need nothing.

    Yields
    ------
    Finding
        At most one.
    """
    if trust is not None and trust.held:
        text = f"settings of {trust.shown} are held back, because nobody has trusted the folder: {trust.keys}"
        evidence = tuple(f"{setting.file}: {setting.key} = {setting.value}" for setting in trust.held)
        yield Finding("trust", "warn", text, next_step=f"%{trust.command} shows and trusts them", evidence=evidence)
