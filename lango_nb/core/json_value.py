"""What JSON can say, as a type: pydantic's, which is loaded when something has to be checked against it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler
    from pydantic import JsonValue as JsonValue  # noqa: PLC0414 - type checkers know it
    from pydantic_core import CoreSchema
else:

    class JsonValue:
        """Text, number, truth value, nothing, or a list or mapping of these."""

        @classmethod
        def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
            """Let pydantic check it as its own."""
            from pydantic import JsonValue as Checked

            return handler.generate_schema(Checked)
