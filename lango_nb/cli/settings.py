"""``lango settings``: every setting with its value, its default, where the value comes from and what it does."""

from __future__ import annotations

import argparse
import shutil

from lango_nb.cli.door import read_settings
from lango_nb.cli.output import say, say_json
from lango_nb.cli.parser import add_common

NARROWEST = 140
"""Columns of the table where the terminal has fewer: keys are never broken."""


def fill(parser: argparse.ArgumentParser) -> None:
    """Describe ``lango settings``."""
    add_common(parser)
    parser.epilog = (
        "Later wins: default, lango.json in the home folder, [tool.lango] in pyproject.toml, lango.json of the "
        "workspace, LANGO_… variables, --settings."
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Show every setting."""
    loaded = read_settings(args)
    if args.output == "json":
        from lango_nb.config.keys import setting_infos

        values = loaded.settings.model_dump(mode="json", by_alias=True)
        defaults = type(loaded.settings)().model_dump(mode="json", by_alias=True)
        say_json(
            [
                {
                    "key": info.key,
                    "value": _at(values, info.key),
                    "default": _at(defaults, info.key),
                    "origin": loaded.origins[info.key],
                    "env": info.env,
                    "sentence": info.sentence,
                }
                for info in setting_infos()
            ]
        )
        return 0
    from lango_nb.viz import text

    total = max(NARROWEST, shutil.get_terminal_size().columns)
    say(text.table(("key", "value", "default", "from", "what it does"), loaded.rows(), total=total))
    return 0


def _at(values: object, key: str) -> object:
    for part in key.split("."):
        values = values[part] if isinstance(values, dict) else None
    return values
