"""What the options of a command line mean: settings, a lab, records, a shelf."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from lango_nb.commands.terminal.output import ask, complain
from lango_nb.core.errors import SettingsError, UsageError, shorten, suggest
from lango_nb.core.paths import HOME, path_of

if TYPE_CHECKING:
    from lango_nb.commands.terminal.output import LiveLine
    from lango_nb.commands.terminal.records import Records
    from lango_nb.config.loading import LoadedSettings
    from lango_nb.lab import Lab
    from lango_nb.lab.shelf import Shelf
    from lango_nb.runtime.approvals import ApprovalAnswer, ApprovalRequest, Approver

TOPOLOGY = "lab.topology"


class Terminal:
    """A command line's options for settings, and what they lead to.

    Parameters
    ----------
    topology, model : str, optional
        In place of those of the settings.
    workspace : str
        Folder that file tools may not leave.
    approve : {"ask", "allow", "deny", "hold"}
        Who answers before a dangerous call.
    settings : sequence of str
        KEY=VALUE each.
    """

    def __init__(
        self,
        *,
        topology: str | None = None,
        model: str | None = None,
        workspace: str = ".",
        approve: str = "ask",
        settings: Sequence[str] = (),
    ) -> None:
        self.topology = topology
        self.workspace = Path(workspace)
        self._model, self._approve, self._written = model, approve, settings

    def settings(self, *, is_quiet: bool = False, left_out: Mapping[str, str] | None = None) -> LoadedSettings:
        """Load the settings of this user, the workspace, this environment and these options.

        What is held back of a workspace nobody has trusted is said first, in one line.

        Parameters
        ----------
        is_quiet : bool
            Whether the caller says what is held back.
        left_out : mapping of str to str, optional
            Values by key that hold whatever is written elsewhere.

        Raises
        ------
        UsageError
            ``--settings`` is not given as KEY=VALUE, or one key is given twice.
        SettingsError
            A place holds something that is not a setting, or names a topology that does not exist.
        """
        from lango_nb.config.loading import ARGUMENT, home_folder, load_settings
        from lango_nb.specs.topologies import topology_names

        loaded = load_settings(self.workspace, home_folder(), os.environ, {**self._overrides(), **(left_out or {})})
        name, origin = loaded.settings.lab.topology, loaded.origins[TOPOLOGY]
        if origin != ARGUMENT and name not in topology_names():
            raise SettingsError(
                f"{origin}: {TOPOLOGY}: topology {shorten(name)!r} not found; {suggest(name, topology_names())}"
            )
        if loaded.warning and not is_quiet:
            complain(loaded.warning)
        return loaded

    def _overrides(self) -> dict[str, str]:
        found: dict[str, str] = {}
        options = [("agent.model", self._model), (TOPOLOGY, self.topology)]
        for key, value in [*(split(written) for written in self._written), *options]:
            if value is None:
                continue
            if key in found:
                raise UsageError(f"{key} is given twice; keep one")
            found[key] = value
        return found

    def lab(
        self,
        approver: Approver | str = "deny",
        *,
        is_kept: bool = False,
        is_quiet: bool = False,
        left_out: Mapping[str, str] | None = None,
    ) -> Lab:
        """Build the lab a command works with: the terminal is another door to what a notebook has.

        Parameters
        ----------
        approver : Approver or str
            Who answers before a dangerous call.
        is_kept : bool
            Whether what happens is kept: in the home folder, unless the setting ``store.url`` says where.
        is_quiet : bool
            Whether the caller says what is held back of the workspace's settings.
        left_out : mapping of str to str, optional
            Values by key that hold whatever is written elsewhere.

        Raises
        ------
        LangoError
            A setting, a name or a definition is wrong.

        Notes
        -----
        A lab starts with the setting ``lab.topology``; where ``agent.multiAgent`` is written down as false, and no
        topology is asked for, it works alone.
        """
        from lango_nb.lab import Lab

        loaded = self.settings(is_quiet=is_quiet, left_out=left_out)  # names the place of a topology that is not there
        store = (loaded.settings.store.url or HOME) if is_kept else "memory"
        lab = Lab(self.topology, workspace=self.workspace, settings=loaded, approver=approver, store=store)
        for item in lab.engine.records.found:
            complain(item.sentence)
        return lab

    @contextmanager
    def records(self) -> Iterator[Records]:
        """Open the records of the settings, the home folder's where they name none, without building an engine.

        Raises
        ------
        SettingsError
            A place holds something that is not a setting.
        StoreError
            The records are there and cannot be read.
        """
        from lango_nb.commands.terminal.records import Records, open_records

        with closing(open_records(self.settings().settings.store)) as store:
            yield Records(store)

    def shelf(self, file: str | None = None) -> Shelf:
        """Open a shelf.

        Parameters
        ----------
        file : str, optional
            That beside the records when absent.

        Raises
        ------
        UsageError
            The file is not there.
        StoreError
            It is not a shelf, or damaged.
        """
        from lango_nb.config.loading import home_folder
        from lango_nb.lab.making import shelf_path
        from lango_nb.lab.shelf import open_shelf

        if file is None:
            return open_shelf(shelf_path(self.settings().settings.store.url or HOME, home_folder()))
        if not path_of(file).exists():
            raise UsageError(f"there is no file {file!r}; name a shelf that is there")
        return open_shelf(file)

    def approver(self, live: LiveLine) -> Approver:
        """Return who answers before a dangerous call.

        Parameters
        ----------
        live : LiveLine
            Makes room for the question, which is put on standard error: the answer of the turn stays alone on standard
            output.
        """
        from lango_nb.runtime.approvals import AskWith, approver_named

        if self._approve != "ask":
            return approver_named(self._approve)

        def read(question: str) -> str:
            live.clear()
            return ask(question)

        async def answer(request: ApprovalRequest) -> ApprovalAnswer | None:
            from lango_nb.runtime.ask import ask_person

            return await ask_person(request, read)

        return AskWith(answer)


def split(written: str) -> tuple[str, str]:
    """Take KEY=VALUE apart.

    Raises
    ------
    UsageError
        There is no ``=`` or no key.

    Examples
    --------
    >>> split("agent.model=a=b")
    ('agent.model', 'a=b')
    """
    key, sign, value = written.partition("=")
    if not sign or not key:
        raise UsageError(f"--settings takes KEY=VALUE, agent.maxTurns=5 for instance, not {shorten(written)!r}")
    return key.strip(), value
