"""From a model's name to the model.

offline            the deterministic demo model
scripted           follows replies that it is given
cassette:FILE      replays what was recorded
PROVIDER:NAME      a live model: openai:gpt-5, anthropic:…, ollama:… (models/providers.py)
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from lango_nb.core.errors import SettingsError, UsageError
from lango_nb.models.model import Model, is_live

if TYPE_CHECKING:
    from lango_nb.config.settings import ModelSettings
    from lango_nb.models.keys import Keys

CASSETTE = "cassette:"
KEYS_FILE = "keys.env"
OPENAI = ("openai", "openai-chat")
"""Providers for which the setting ``models.baseUrl`` counts."""


def tape_of(model: str) -> str:
    """Return the cassette that a model's name names.

    Raises
    ------
    SettingsError
        It names none.

    Examples
    --------
    >>> tape_of("cassette:talk.json")
    'talk.json'
    """
    tape = model.removeprefix(CASSETTE).strip()
    if not tape:
        raise SettingsError("cassette: needs a file or the name of a recording, as in cassette:octet-garden")
    return tape


class Models:
    """Finds models by name, with the settings and the keys that live ones need.

    Parameters
    ----------
    settings : ModelSettings
        The group ``models``.
    home : Path, optional
        The home folder, where the keys file lies unless the settings name another.
    allow_network : bool, optional
        What the settings say when absent.

    Examples
    --------
    >>> from lango_nb.config.settings import ModelSettings
    >>> Models(ModelSettings(), allow_network=False).find("offline").name
    'offline'
    """

    def __init__(self, settings: ModelSettings, home: Path | None = None, *, allow_network: bool | None = None) -> None:
        self.settings = settings
        self.allow_network = settings.allow_network if allow_network is None else allow_network
        self._home = home
        self._keys: Keys | None = None

    @property
    def reach(self) -> ModelSettings:
        """The settings as they hold here: an argument may have switched the network off."""
        return self.settings.model_copy(update={"allow_network": self.allow_network})

    @property
    def homes(self) -> tuple[Path, ...]:
        """The home folders that count here: the one that was given, and the user's, where trust is written down."""
        from lango_nb.config.loading import home_folder

        return tuple(dict.fromkeys((self._home or home_folder(), home_folder())))

    @property
    def keys(self) -> Keys:
        """Where keys come from; read when a live model needs one."""
        if self._keys is None:
            from lango_nb.models.keys import Keys

            file = Path(self.settings.keys_file) if self.settings.keys_file else self.homes[0] / KEYS_FILE
            self._keys = Keys(file=file)
        return self._keys

    def find(self, model: str | Model) -> Model:
        """Return the model of a name; a model itself is returned as it is.

        Parameters
        ----------
        model : str or Model

        Returns
        -------
        Model

        Raises
        ------
        SettingsError
            The name needs something that is not here, or a live model is asked for where none may be called.
        UsageError
            ``scripted`` needs its replies.
        """
        if not isinstance(model, str):
            self._check_live(model, model.name)
            return model
        if model == "offline":
            from lango_nb.models.offline.model import OfflineModel

            return OfflineModel()
        if model == "scripted":
            raise UsageError("a scripted model needs its replies; pass model=ScriptedModel([...])")
        if model.startswith(CASSETTE):
            from lango_nb.models.cassette import Cassette
            from lango_nb.models.shipped import cassette_path

            return Cassette(cassette_path(tape_of(model))).replay()
        provider, _, name = model.partition(":")
        if not provider or not name:
            raise SettingsError(
                f"model {model!r} is not known; take offline, cassette:FILE or PROVIDER:NAME, openai:gpt-5 for instance"
            )
        if not self.allow_network:
            self._refuse(model)
        from lango_nb.models.providers import live_model

        settings = self.settings
        found: Model = live_model(
            model,
            timeout_s=settings.timeout_s,
            max_retries=settings.max_retries,
            base_url=settings.base_url if provider in OPENAI else "",  # a key goes nowhere but to its own provider
            keys=self.keys,
        )
        return found

    def _check_live(self, model: Model, name: str) -> None:
        if is_live(model) and not self.allow_network:
            self._refuse(name)

    @staticmethod
    def _refuse(name: str) -> None:
        raise SettingsError(
            f"model {name!r} is live and allow_network is off; set models.allowNetwork to true, or take offline "
            "or a cassette"
        )
