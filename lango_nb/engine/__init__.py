"""The engine: the only place that puts the stages together, and the only object that holds everything.

engine.py      builds the tree from settings, and runs turns
answering.py   which model answers, from a cassette where one plays; the router
shared.py      what all turns share: runs, breakers, services, hooks
"""

from lango_nb.engine.engine import MAIN_SESSION, SINGLE, Engine

__all__ = ["MAIN_SESSION", "SINGLE", "Engine"]
