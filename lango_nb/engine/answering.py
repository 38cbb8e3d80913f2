"""Who answers: the model, from a cassette where one plays, and the router beside it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from lango_nb.models.model import Model
from lango_nb.models.named import CASSETTE, Models, tape_of
from lango_nb.routing.tree import AgentTree
from lango_nb.specs.registry import AgentRegistry
from lango_nb.specs.topology import Topology
from lango_nb.tools.catalog import ToolCatalog
from lango_nb.tools.tool import Tool

if TYPE_CHECKING:  # what only turns and routes need loads with the first of them: an engine is ready much sooner
    from lango_nb.models.cassette import Cassette
    from lango_nb.routing.router import Router
    from lango_nb.runtime.breakers import Breakers
    from lango_nb.runtime.context import TurnContext


class Answering:
    """The part of an engine that chooses who answers."""

    models: Models
    topology: Topology
    registry: AgentRegistry
    tree: AgentTree
    catalog: ToolCatalog
    cassette: Cassette | None
    """The recording that is played or made; ``None`` where models and tools answer themselves."""
    _model: Model
    _bare_model: Model
    _is_recording: bool
    _tools: tuple[Tool, ...]
    _like: Router | None
    _router: Router | None
    _ready: TurnContext | None

    def _build(self, topology: Topology, registry: AgentRegistry) -> None:
        raise NotImplementedError

    @property
    def model(self) -> Model:
        """The model that answers for every agent that has none of its own; set it to a model or a name."""
        return self._model

    @model.setter
    def model(self, model: str | Model) -> None:
        if isinstance(model, str) and model.startswith(CASSETTE):
            self.play(tape_of(model))
            return
        before = self._model.name
        self._model = self._bare_model = self._taught(self.models.find(model))
        made: Breakers | None = self.__dict__.get("breakers")
        if made is not None and self._model.name != before:  # whoever takes another model wants it asked
            from lango_nb.runtime.breakers import provider_circuit

            made.record_success(provider_circuit(self._model.name))
        if self.cassette is not None:
            self._use_cassette(None)

    def record(self, path: str | Path) -> Cassette:
        """Keep every call of the present model, and of the tools, on a cassette from now on.

        Parameters
        ----------
        path : str or Path
            A JSON file; one that is there goes on, and its known calls are answered from it.

        Returns
        -------
        Cassette

        Raises
        ------
        StoreError
            The file is something else.
        """
        from lango_nb.models.cassette import Cassette

        cassette = Cassette(path)
        self._model = cassette.record(self._bare_model)
        self._use_cassette(cassette, is_recording=True)
        return cassette

    def play(self, path: str | Path) -> Cassette:
        """Answer from a cassette from now on: no model is asked, and no tool runs that touches anything outside.

        Parameters
        ----------
        path : str or Path
            A file, or the name of a recording that comes with the package: ``octet-garden``.

        Returns
        -------
        Cassette

        Raises
        ------
        StoreError
            The file is not there, or no cassette.
        """
        from lango_nb.models.cassette import Cassette
        from lango_nb.models.shipped import cassette_path

        cassette = Cassette(cassette_path(path))
        self._model = cassette.replay()
        self._use_cassette(cassette)
        return cassette

    def _use_cassette(self, cassette: Cassette | None, *, is_recording: bool = False) -> None:
        """Serve tools from a cassette, or let them run beside it; without one they run as they are."""
        self.cassette, self._is_recording = cassette, is_recording
        self._set_tools(self._tools)
        self._build(self.topology, self.registry)

    def _set_tools(self, tools: tuple[Tool, ...]) -> None:
        """Put tools into the catalog, from tape where there is one."""
        catalog = ToolCatalog(tools)
        self._tools = tools
        if self.cassette is not None:
            catalog = ToolCatalog(self.cassette.tools(tools, live=self._is_recording))
        self.catalog = catalog

    @property
    def router(self) -> Router:
        """The router over the present tree's routing table; compiled with the first route."""
        if self._router is None:
            from lango_nb.routing.router import router_for

            like = self._like
            self._router = router_for(self.tree.table) if like is None else like.over(self.tree.table)
        return self._router

    @router.setter
    def router(self, router: Router) -> None:
        """Use what a router has learned, and its threshold, in every topology, and in the offline model."""
        self._like, self._router, self._ready = router, None, None
        self._model = self._taught(self._model)
        self._bare_model = self._taught(self._bare_model)

    def _taught(self, model: Model) -> Model:
        """Return the offline model with the lessons of the router in use; any other as it is."""
        if self._like is None or model.name != "offline":
            return model
        from lango_nb.models.offline import OfflineModel

        return OfflineModel(taught=self._like.taught) if isinstance(model, OfflineModel) else model
