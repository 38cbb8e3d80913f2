"""What is wrong, where, and what to do about it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lango_nb.commands.command import Command, Option, Output, number
from lango_nb.core.errors import DefinitionError, LangoError, StoreError, UsageError

if TYPE_CHECKING:
    from lango_nb.commands.terminal.session import Terminal
    from lango_nb.config.settings import Settings
    from lango_nb.doctor import Finding, Report
    from lango_nb.engine import Engine
    from lango_nb.lab import Lab
    from lango_nb.viz.view import View

AGENTS_DIR, STORE_URL = "agent.agentsDir", "store.url"
NARROWEST = 80
_CHECK_WIDTH = 18
_SIGNS = {"ok": "ok", "skip": "-", "warn": "warn", "fail": "FAIL"}


@Command(
    "doctor",
    "check settings, definitions, the store, failed turns and leaks, and say what to do next",
    options=(
        Option(
            "--hours",
            "how many hours of turns to look at (24)",
            metavar="NUMBER",
            type=number,
            parameter="since_hours",
        ),
        Option("--rescue", "first copy what can be read of the records to a new file", "FILE", kind="file"),
        Option("--strict", "end with 1 after a warning, too", where="terminal"),
    ),
    note="Ends with 0 when nothing fails, 1 when something does; warnings do not count unless --strict.",
    group="keep and check",
)
def doctor(lab: Lab, since_hours: float = 24.0, rescue: str | None = None) -> View[Report]:
    """Look for what is wrong."""
    return lab.doctor(since_hours, rescue=rescue)


@doctor.in_terminal
def _doctor_in_terminal(
    terminal: Terminal, *, since_hours: float = 24.0, rescue: str | None = None, strict: bool = False
) -> Output:
    report = look(terminal, since_hours, rescue)
    is_bad = not report.is_healthy or (strict and report.status == "warn")

    def text() -> str:
        import shutil

        return report_text(report, max(NARROWEST, min(shutil.get_terminal_size().columns, 140)))

    return Output(text, lambda: report_data(report), exit_code=1 if is_bad else 0)


def look(terminal: Terminal, since_hours: float = 24.0, rescue: str | None = None) -> Report:
    """Examine what the options mean, also where no engine can be built of it.

    Parameters
    ----------
    terminal : Terminal
    since_hours : float
        How far back turns are looked at.
    rescue : str, optional
        File to which what can be read of the records is copied first.

    Returns
    -------
    Report
        With wrong definitions, or records that cannot be read, the rest is examined without them.
    """
    from pathlib import Path

    from lango_nb.config.loading import home_folder
    from lango_nb.core.paths import HOME
    from lango_nb.doctor import Finding, Report, examine, rescued
    from lango_nb.stores.opening import file_of

    try:
        loaded = terminal.settings(is_quiet=True)
        settings = loaded.settings
    except UsageError:
        raise
    except LangoError as error:
        return Report((Finding("settings", "fail", str(error), next_step="mend it, then run the doctor again"),))
    found: list[Finding] = []
    if rescue:
        try:
            found.append(rescued(file_of(settings.store.url or HOME, home_folder()), Path(rescue).absolute()))
        except StoreError as error:
            found.append(Finding("rescue", "fail", str(error)))
    engine, problems, left_out = _open(terminal, settings)
    found += problems
    if engine is None:
        return Report(tuple(found))
    try:
        report = examine(
            engine,
            settings=_as_set(engine, settings),
            since_hours=since_hours,
            has_records=STORE_URL not in left_out,
            trust=loaded.trust,
        )
    finally:
        engine.close()
    return Report((*found, *report.findings))


def _open(terminal: Terminal, settings: Settings) -> tuple[Engine | None, list[Finding], dict[str, str]]:
    """Build an engine, if need be without definitions or records; return it, what is wrong, and what was left out."""
    from lango_nb.doctor import Finding

    found: list[Finding] = []
    left_out: dict[str, str] = {}
    while True:
        try:
            return terminal.lab(is_kept=True, is_quiet=True, left_out=left_out).engine, found, left_out
        except DefinitionError as error:
            if not settings.agent.agents_dir or AGENTS_DIR in left_out:
                return None, [*found, _broken("definitions", error)], left_out
            left_out[AGENTS_DIR] = ""
        except StoreError as error:
            if STORE_URL in left_out:
                return None, [*found, _broken("store", error)], left_out
            step = "make the records readable; lango_nb changes nothing in them before that"
            found.append(Finding("store", "fail", str(error), next_step=step))
            left_out[STORE_URL] = "memory"
        except LangoError as error:
            return None, [*found, _broken("engine", error)], left_out


def _broken(check: str, error: LangoError) -> Finding:
    from lango_nb.doctor import Finding

    return Finding(check, "fail", str(error), next_step="mend what is named")


def report_data(report: Report) -> dict[str, Any]:
    """Return a report as plain data."""
    import dataclasses

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


def _as_set(engine: Engine, settings: Settings) -> Settings:
    """Return the engine's settings with the folder of definitions that was left out."""
    agent = engine.settings.agent.model_copy(update={"agents_dir": settings.agent.agents_dir})
    return engine.settings.model_copy(update={"agent": agent})
