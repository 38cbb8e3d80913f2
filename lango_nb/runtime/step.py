"""One step: one model call, and what its reply means."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from lango_nb.core.errors import LangoError, ModelError, shorten
from lango_nb.core.messages import Message, Reply, ToolSchema
from lango_nb.models.model import Model


async def call_model(model: Model, messages: Sequence[Message], tools: Sequence[ToolSchema]) -> Reply:
    """Ask a model; translate whatever it raises.

    Parameters
    ----------
    model : Model
    messages : sequence of Message
        System prompt first.
    tools : sequence of ToolSchema

    Returns
    -------
    Reply

    Raises
    ------
    ModelError
        The model failed, for whatever reason.
    """
    try:
        return await model.complete(messages, tools)
    except (LangoError, asyncio.CancelledError):
        raise
    except Exception as error:
        raise ModelError(f"model {model.name!r} failed: {type(error).__name__}: {shorten(str(error), 300)}") from error
