"""``lango doctor``: what is wrong, where, and what to do about it."""

from __future__ import annotations

import argparse
import dataclasses
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lango_nb.cli.door import open_lab, read_settings
from lango_nb.cli.output import say, say_json
from lango_nb.cli.parser import add_common
from lango_nb.core.errors import DefinitionError, LangoError, StoreError, UsageError

if TYPE_CHECKING:
    from lango_nb.config.settings import Settings
    from lango_nb.doctor import Finding, Report
    from lango_nb.engine import Engine

AGENTS_DIR, STORE_URL = "agent.agentsDir", "store.url"
NARROWEST = 80
_CHECK_WIDTH = 18
_SIGNS = {"ok": "ok", "skip": "-", "warn": "warn", "fail": "FAIL"}


def fill(parser: argparse.ArgumentParser) -> None:
    """Describe ``lango doctor``."""
    add_common(parser)
    parser.add_argument("--rescue", metavar="FILE", help="first copy what can be read of the records into a new file")
    parser.add_argument("--strict", action="store_true", help="end with 1 after a warning, too")
    parser.epilog = "Ends with 0 when nothing fails, 1 when something does; warnings do not count unless --strict."
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Look at everything and say how it is."""
    report = look(args)
    if args.output == "json":
        say_json(report_data(report))
    else:
        say(report_text(report, max(NARROWEST, min(shutil.get_terminal_size().columns, 140))))
    return 1 if not report.is_healthy or (args.strict and report.status == "warn") else 0


def look(args: argparse.Namespace) -> Report:
    """Examine what the options mean, also where no engine can be built of it.

    Parameters
    ----------
    args : argparse.Namespace
        With the common options.

    Returns
    -------
    Report
        With wrong definitions, or records that cannot be read, the rest is examined without them.
    """
    from lango_nb.config.loading import home_folder
    from lango_nb.doctor import Finding, Report, examine, rescued
    from lango_nb.stores.opening import HOME, file_of

    try:
        loaded = read_settings(args, is_quiet=True)
        settings = loaded.settings
    except UsageError:
        raise
    except LangoError as error:
        return Report((Finding("settings", "fail", str(error), next_step="mend it, then run the doctor again"),))
    found: list[Finding] = []
    if args.rescue:
        try:
            found.append(rescued(file_of(settings.store.url or HOME, home_folder()), Path(args.rescue).absolute()))
        except StoreError as error:
            found.append(Finding("rescue", "fail", str(error)))
    left_out: dict[str, str] = {}
    while True:
        try:
            engine = _engine(args, left_out)
        except DefinitionError as error:
            if not settings.agent.agents_dir or AGENTS_DIR in left_out:
                return Report((*found, Finding("definitions", "fail", str(error), next_step="mend what is named")))
            left_out[AGENTS_DIR] = ""
        except StoreError as error:
            if STORE_URL in left_out:
                return Report((*found, Finding("store", "fail", str(error), next_step="mend what is named")))
            step = "make the records readable; lango_nb changes nothing in them before that"
            found.append(Finding("store", "fail", str(error), next_step=step))
            left_out[STORE_URL] = "memory"
        except LangoError as error:
            return Report((*found, Finding("engine", "fail", str(error), next_step="mend what is named")))
        else:
            break
    try:
        report = examine(
            engine, settings=_as_set(engine, settings), has_records=STORE_URL not in left_out, trust=loaded.trust
        )
    finally:
        engine.close()
    return Report((*found, *report.findings))


def report_data(report: Report) -> dict[str, Any]:
    """Return a report as plain data."""
    findings = [dataclasses.asdict(finding) for finding in report]
    for finding in findings:
        finding["next_step"] = for_terminal(finding["next_step"])
    return {"status": report.status, "is_healthy": report.is_healthy, "findings": findings}


def report_text(report: Report, columns: int) -> str:
    """Write one line per finding; what it was concluded from and what to do stand below it where somebody should look.

    Parameters
    ----------
    report : Report
    columns : int
        Of the terminal.
    """
    lines = [line for finding in report for line in _lines(finding, columns)]
    return "\n".join([*lines, "", f"{report.summary}."])


def for_terminal(step: str) -> str:
    """Name the terminal's commands in place of a notebook's.

    Examples
    --------
    >>> for_terminal("%lango trace 3: it shows the call")
    'lango trace show 3: it shows the call'
    """
    for magic, command in (("trace ", "trace show "), ("turns", "trace list"), ("trust ", "trust ")):
        step = step.replace(f"%lango {magic}", f"lango {command}")
    return step


def _lines(finding: Finding, columns: int) -> list[str]:
    from lango_nb.viz import text

    indent = " " * (6 + _CHECK_WIDTH)
    below = list(finding.evidence) if finding.status in {"warn", "fail"} else []
    if finding.next_step:
        below.append(f"→ {for_terminal(finding.next_step)}")
    first, *rest = text.wrap(finding.text, columns - len(indent)) or [""]
    head = f"{_SIGNS[finding.status]:<6}{finding.check:<{_CHECK_WIDTH}}{first}"
    wrapped = [line for part in below for line in text.wrap(part, columns - len(indent) - 2)]
    return [head, *(f"{indent}{line}" for line in rest), *(f"{indent}  {line}" for line in wrapped)]


def _engine(args: argparse.Namespace, left_out: dict[str, str]) -> Engine:
    """Build an engine, with some settings replaced by what surely works."""
    kept = [written for written in args.overrides if written.partition("=")[0].strip() not in left_out]
    overrides = [*kept, *(f"{key}={value}" for key, value in left_out.items())]
    return open_lab(argparse.Namespace(**{**vars(args), "overrides": overrides}), is_kept=True, is_quiet=True).engine


def _as_set(engine: Engine, settings: Settings) -> Settings:
    """Return the engine's settings with the folder of definitions that was left out."""
    agent = engine.settings.agent.model_copy(update={"agents_dir": settings.agent.agents_dir})
    return engine.settings.model_copy(update={"agent": agent})
