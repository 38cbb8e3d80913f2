"""The shelf; see :mod:`lango_nb.lab.shelf.shelf`. TinyDB loads with it, so a lab imports it when it is first needed."""

from lango_nb.lab.shelf.shelf import Document, Query, Shelf, open_shelf, where

__all__ = ["Document", "Query", "Shelf", "open_shelf", "where"]
