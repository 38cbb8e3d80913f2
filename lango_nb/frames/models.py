"""Which models can be used here, one row per provider."""

from __future__ import annotations

from collections.abc import Sequence

from lango_nb.frames.column import Column, Sources
from lango_nb.frames.frame import frame
from lango_nb.models.usable import ModelRow

COLUMNS = (
    Column("provider", "model.provider", "string", "", "Who answers."),
    Column("example", "model.example", "string", "", "A name that could be given."),
    Column(
        "state",
        "model.state",
        "string",
        "",
        "usable, or the kind of thing that is missing: key, package, server, network.",
    ),
    Column("key", "model.key", "string", "", "Where its key was found; empty where none was, or none is needed."),
    Column("missing", "model.missing", "string", "", "What is missing and what to do; empty when nothing is."),
)


@frame("models", COLUMNS, ModelRow)
def models_df(models: Sequence[ModelRow]) -> Sources:
    """List which models can be used here.

    Parameters
    ----------
    models : ModelRow or iterable of ModelRow
    strict : bool
        Whether a value that cannot be read raises; otherwise ``(frame, errors)`` is returned.
    columns : sequence of str, optional
        Only these, in this order; nothing else is read.

    Returns
    -------
    DataFrame
        One row per provider.

    Raises
    ------
    DefinitionError
        A value cannot be read: names the row and the column.
    UnknownNameError
        There is no such column.
    """
    return {"model": list(models)}
