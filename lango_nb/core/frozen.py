"""The base of everything that meets a file: immutable, and strict about keys it does not know."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Frozen(BaseModel):
    """Immutable pydantic model that refuses unknown keys."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)
