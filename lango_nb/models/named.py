"""From a model's name to the model."""

from __future__ import annotations

from lango_nb.core.errors import SettingsError, UsageError
from lango_nb.models.model import Model


def resolve_model(model: str | Model) -> Model:
    """Return the model of a name.

    Raises
    ------
    SettingsError
        The name needs something that is not here.
    UsageError
        ``scripted`` needs its replies.
    """
    if not isinstance(model, str):
        return model
    if model == "offline":
        from lango_nb.models.offline import OfflineModel

        return OfflineModel()
    if model == "scripted":
        raise UsageError("a scripted model needs its replies; pass model=ScriptedModel([...])")
    raise SettingsError(f"model {model!r} is not available: only 'offline' and a ScriptedModel work in this version")
