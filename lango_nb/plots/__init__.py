"""Plots of DataFrames: one function per question, each gives a :class:`~lango_nb.viz.plot.Plot` that shows itself.

    confusion    what is taken for what              calibration  whether confidences are what they say
    abstention   what saying nothing costs           learning     what lessons bring
    latency      how long calls of a model take      tokens       how many tokens they read and write
    cost         what they cost, by agent            handoffs     who hands work to whom

``lab.plot(NAME)`` and ``%lango plot NAME`` draw what a lab knows, ``lab.evaluate(…).plot(NAME)`` and
``lab.search(…).plot(NAME)`` what was found there. The functions take the frames of :mod:`lango_nb.frames` and change
nothing. They need matplotlib, which ``pip install 'lango-nb[plots]'`` brings; it loads with the first plot.
"""

from __future__ import annotations

from lango_nb.plots.calls import cost, latency, tokens
from lango_nb.plots.confusion import confusion
from lango_nb.plots.curves import abstention, calibration, learning
from lango_nb.plots.handoffs import handoffs

__all__ = ["abstention", "calibration", "confusion", "cost", "handoffs", "latency", "learning", "tokens"]
