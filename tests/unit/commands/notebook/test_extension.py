"""%load_ext, %unload_ext, %reload_ext: twice is harmless, nothing is left behind, and loading is quick."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from IPython.core.interactiveshell import InteractiveShell

from lango_nb.commands.notebook.extension import load, loaded, unload

if TYPE_CHECKING:
    from tests.unit.commands.notebook.conftest import Session

PROJECT = Path(__file__).parents[4]


def traces_of(shell: Any) -> dict[str, Any]:
    """Everything an extension could leave in a shell."""
    return {
        "line": set(shell.magics_manager.magics["line"]),
        "cell": set(shell.magics_manager.magics["cell"]),
        "registry": set(shell.magics_manager.registry),
        "configurables": list(shell.configurables),
        "transformers": list(shell.input_transformer_manager.token_transformers),
        "matchers": list(shell.Completer.custom_matchers),
        "html": dict(shell.display_formatter.formatters["text/html"].type_printers),
        "plain": dict(shell.display_formatter.formatters["text/plain"].type_printers),
        "deferred": {
            kind: dict(formatter.deferred_printers) for kind, formatter in shell.display_formatter.formatters.items()
        },
        "names": set(shell.user_ns),
        "events": {name: list(found) for name, found in shell.events.callbacks.items()},
    }


def test_unloading_leaves_nothing_behind(bare_shell: Any) -> None:
    bare_shell.run_line_magic("unload_ext", "lango_nb")  # IPython loads its own magics for extensions when first used
    before = traces_of(bare_shell)
    bare_shell.run_line_magic("load_ext", "lango_nb")
    assert traces_of(bare_shell) != before
    bare_shell.run_cell("%lango status;")
    bare_shell.run_line_magic("unload_ext", "lango_nb")
    after = traces_of(bare_shell)
    after["names"] -= {name for name in after["names"] if name.startswith("_")}
    before["names"] -= {name for name in before["names"] if name.startswith("_")}
    assert after == before
    assert loaded(bare_shell) is None


def test_loading_twice_keeps_the_lab_and_adds_nothing(session: Session) -> None:
    lab, before = session.lab, traces_of(session.shell)
    load(session.shell)
    assert traces_of(session.shell) == before
    assert session.lab is lab


def test_unloading_twice_is_harmless(session: Session) -> None:
    unload(session.shell)
    unload(session.shell)
    assert not session.shell.run_cell("%lango").success


def test_reloading_goes_on_with_the_same_lab(bare_shell: Any) -> None:
    lines = (
        "%load_ext lango_nb",
        "%load_ext lango_nb",
        "%lango use quartet;",
        "%lango ask hello",
        "%reload_ext lango_nb",
    )
    for line in lines:
        bare_shell.run_cell(line).raise_error()
    result = bare_shell.run_cell("%lango status")
    assert result.result["topology"].startswith("quartet")
    assert result.result["turns"] == "1"
    assert len([item for item in bare_shell.configurables if type(item).__name__ == "LangoMagics"]) == 1


def test_two_shells_have_two_labs(session: Session) -> None:
    other: Any = InteractiveShell(config=session.shell.config)  # type: ignore[no-untyped-call]  # IPython's are few
    load(other)
    magics = loaded(other)
    assert magics is not None
    assert magics.lab is not session.lab
    session.run("%lango use quartet;")
    assert magics.lab.topology == "octet"
    unload(other)
    assert session.run("%lango status")["topology"].startswith("quartet")


def test_settings_of_ipython_decide_how_it_starts(bare_shell: Any) -> None:
    bare_shell.config.LangoMagics.topology = "quartet"
    bare_shell.config.LangoMagics.stream = False
    load(bare_shell)
    magics = loaded(bare_shell)
    assert magics is not None
    assert (magics.lab.topology, magics.stream) == ("quartet", False)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("octt", "LangoMagics: topology 'octt' not found; did you mean 'octet'?; its defaults are used instead"),
        (5, "LangoMagics: The 'topology' trait"),
    ],
)
def test_a_wrong_setting_of_ipython_is_one_line_and_the_extension_loads(
    bare_shell: Any, capsys: pytest.CaptureFixture[str], value: object, message: str
) -> None:
    bare_shell.config.LangoMagics.topology = value
    bare_shell.run_cell("%load_ext lango_nb").raise_error()
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(message)
    assert len(err.strip().splitlines()) == 1
    assert bare_shell.run_cell("%lango status").result["topology"].startswith("octet")
    assert len([item for item in bare_shell.configurables if type(item).__name__ == "LangoMagics"]) == 1


def test_a_value_that_config_refused_does_not_stop_a_reload(bare_shell: Any) -> None:
    for line in ("%load_ext lango_nb", "%config LangoMagics.topology = 'octt'", "%reload_ext lango_nb"):
        bare_shell.run_cell(line).raise_error()
    assert bare_shell.run_cell("%lango status").result["topology"].startswith("octet")


def test_plain_records_show_themselves_from_the_first_one_on(session: Session) -> None:
    session.run("from lango_nb import Engine; engine = Engine(topology='sextet')")
    for record in ("engine.tree", "engine.tree.partition", "engine.route('list the files')"):
        shown = session.shown(session.run(record))
        assert shown["text/html"].startswith("<div")
        assert "operator" in shown["text/plain"]
    assert session.shown(session.run("[engine.tree]"))["text/plain"].startswith("[<AgentTree ")
    unload(session.shell)
    assert "text/html" not in session.shown(session.run("engine.tree"))


def test_loading_brings_little_and_nothing_heavy() -> None:
    script = textwrap.dedent(
        """
        import sys
        from IPython.core.interactiveshell import InteractiveShell
        shell = InteractiveShell.instance()
        before = len(sys.modules)
        shell.run_line_magic("load_ext", "lango_nb")
        print(len(sys.modules) - before)
        heavy = ("pandas", "numpy", "ipywidgets", "pydantic", "yaml", "lango_nb.lab")
        print([name for name in heavy if name in sys.modules])
        """
    )

    ended = subprocess.run([sys.executable, "-c", script], cwd=PROJECT, capture_output=True, text=True, check=True)
    added, modules = ended.stdout.splitlines()
    assert modules == "[]"
    assert 0 < int(added) < 150
