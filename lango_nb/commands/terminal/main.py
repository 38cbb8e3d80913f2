"""``lango``: find the command, carry it out, say what came of it.

Exit codes: 0 done, 1 the turn failed or the doctor found something broken, 2 usage, 3 settings or definitions, 4
refused, 5 records cannot be read or written, 6 the turn asks something of you, 130 stopped. Results go to standard
output; errors, questions and remarks go to standard error, one line each where one line is enough.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from contextlib import closing
from typing import TYPE_CHECKING

from lango_nb.core.errors import LangoError

if TYPE_CHECKING:
    from lango_nb.commands.command import Command, Output


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command.

    Parameters
    ----------
    argv : sequence of str, optional
        Command, options and text; what the process was started with when absent.

    Returns
    -------
    int
        Exit code; nothing is raised for what a person can mend.

    Examples
    --------
    >>> main(["--version"])
    lango ...
    0
    """
    from lango_nb.commands.command import STOPPED
    from lango_nb.commands.terminal.output import complain, say
    from lango_nb.commands.terminal.parser import find_command

    try:
        found = find_command(sys.argv[1:] if argv is None else argv)
        if isinstance(found, str):
            say(found)
            code = 0
        else:
            code = _carry_out(*found)
        sys.stdout.flush()
    except LangoError as error:
        complain(str(error))
        return error.exit_code
    except KeyboardInterrupt as stop:
        complain(getattr(stop, "__notes__", ["stopped"])[-1])
        return STOPPED
    except BrokenPipeError:  # whoever reads has seen enough; nothing may be written when the interpreter ends
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except SystemExit as done:  # argparse, after --help
        return done.code if isinstance(done.code, int) else 0
    return code


def _carry_out(command: Command, words: Sequence[str]) -> int:
    from lango_nb.commands.command import Output
    from lango_nb.commands.terminal.output import read_text, say
    from lango_nb.commands.terminal.parser import parse
    from lango_nb.commands.terminal.session import Terminal

    asked = parse(command, words)
    arguments = dict(asked.arguments)
    if "text" in arguments and command.has_text:
        arguments["text"] = read_text(arguments["text"])
    terminal = Terminal(**asked.settings)
    if command.terminal is not None:
        result = command.terminal(terminal, **arguments)
        if isinstance(result, Output):
            return _told(result, asked.output)
        if isinstance(result, str):
            say(result)
        return result if isinstance(result, int) else 0
    with closing(terminal.lab(is_kept=command.is_stored)) as lab:
        view = command.carry_out(lab, arguments)
        data = command.data
        return _told(Output.of(view, None if data is None else lambda: data(view.record)), asked.output)


def _told(result: Output, output: str) -> int:
    """Write a result in the form that is wanted."""
    from lango_nb.commands.terminal.output import complain, say, say_json

    if output == "json":
        say_json(result.data())
    elif output == "mermaid" and result.mermaid is not None:
        say(result.mermaid())
    else:
        if text := result.text():
            say(text)
        if result.remark:
            complain(result.remark)
    return result.exit_code
