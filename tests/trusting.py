"""Trust as a person gives it, without the question."""

from pathlib import Path

from lango_nb.config.loading import load_settings
from lango_nb.config.trust import give_trust


def trust(folder: Path, home: Path) -> None:
    """Trust a folder's settings as they are now."""
    found = load_settings(folder, home).trust
    assert found is not None, f"nothing in {folder} needs trust"
    give_trust(home, found)
