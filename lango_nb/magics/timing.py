"""A trace with its durations: what ``%lango trace --timing`` shows."""

from __future__ import annotations

from typing import Any

from lango_nb import viz
from lango_nb.viz.view import View


class Timed(View[Any]):
    """The view of a trace that tells milliseconds; not the default one, because they differ each time."""

    @classmethod
    def of(cls, view: View[Any]) -> Timed:
        """Return the same with durations."""
        return cls(view.record, lambda: view.df)

    @property
    def text(self) -> str:
        """What a terminal shows."""
        return viz.to_text(self.record, timing=True)

    @property
    def html(self) -> str:
        """What a notebook shows."""
        return viz.to_html(self.record, timing=True)

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:  # noqa: ARG002 - ours
        return {"text/plain": self.text, "text/html": self.html}
