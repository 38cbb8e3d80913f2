"""``lango``: the same for a terminal.

    lango lab                        JupyterLab on copies of the notebooks
    lango ask TEXT                   run one request
    lango route TEXT                 who would get it, and why
    lango partition                  who owns which tool
    lango settings                   every setting and where its value comes from
    lango trust FOLDER               let a folder's settings hold
    lango agent status|list|tools    mode and registry, definitions, tool categories
    lango trace list|show|export     the turns that are stored
    lango graph SESSION              who handed work to whom
    lango metrics                    how agents and tools did
    lango doctor                     what is wrong, and what to do about it
    lango shelf [KIND]               what is kept of your own
    lango note TURN TEXT             put a note on a turn

Exit codes: 0 done, 1 the turn failed or the doctor found something broken, 2 usage, 3 settings or definitions, 4
refused, 5 records cannot be read or written, 130 stopped. Results go to standard output; errors, questions and remarks
go to standard error, one line each where one line is enough.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from lango_nb.core.errors import LangoError

STOPPED = 130
"""Exit code after Ctrl-C."""


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
    from lango_nb.cli.output import complain
    from lango_nb.cli.parser import parse

    try:
        args = parse(sys.argv[1:] if argv is None else argv)
        code: int = args.run(args)
        sys.stdout.flush()
    except LangoError as error:
        complain(str(error))
        return error.exit_code
    except KeyboardInterrupt:
        complain("stopped")
        return STOPPED
    except BrokenPipeError:  # whoever reads has seen enough; nothing may be written when the interpreter ends
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except SystemExit as done:  # argparse, after --help and --version
        return done.code if isinstance(done.code, int) else 0
    return code
