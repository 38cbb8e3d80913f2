"""The door to matplotlib: drawings as SVG that read on a light and on a dark page, the same bytes for the same numbers.

An image cannot take the page's colours: text and lines are of a grey between the two, everything else of colours that
stand out on both (:mod:`lango_nb.viz.colours`), and there is no ground. A person's own settings of matplotlib are left
alone, and leave these drawings alone.
"""

from __future__ import annotations

import re
import threading
import warnings
from collections.abc import Callable, Iterable, Mapping
from io import StringIO
from typing import TYPE_CHECKING, Any

from lango_nb.core.errors import UsageError
from lango_nb.routing.taught import ROOT as ROOT_NAME
from lango_nb.viz.colours import ROOT, agent_colours
from lango_nb.viz.escape import one_line

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

GREY = "#7a7a7a"
"""Of text and lines: as far from white as from black."""
_FONT = "system-ui,-apple-system,'Segoe UI',Roboto,'DejaVu Sans',Helvetica,Arial,sans-serif"
_MEASURED = "DejaVu Sans"
"""The widest usual font: what fits in it, fits."""
_NAME = 26
"""Characters of a name that are drawn."""
_NO_XML = re.compile("[^\\x20-\\ud7ff\\ue000-\\ufffd\\U00010000-\\U0010ffff]")
_LOCK = threading.Lock()
_STYLE: dict[Any, Any] = {
    "svg.hashsalt": "lango_nb",
    "svg.fonttype": "none",
    "font.family": _MEASURED,
    "font.size": 12,
    "text.parse_math": False,  # names hold dollar signs
    "text.color": GREY,
    "axes.edgecolor": GREY,
    "axes.labelcolor": GREY,
    "axes.titlecolor": GREY,
    "axes.titlesize": 12,
    "axes.labelsize": 12,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.facecolor": "none",
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": GREY,
    "grid.alpha": 0.25,
    "xtick.color": GREY,
    "ytick.color": GREY,
    "legend.frameon": False,
    "legend.fontsize": 12,
    "figure.facecolor": "none",
    "figure.dpi": 72,
    "savefig.dpi": 72,
    "axes.unicode_minus": False,
}
_METADATA = {"Date": None, "Creator": None, "Format": None, "Type": None}


def missing_extra() -> UsageError:
    """Word that matplotlib is not installed."""
    return UsageError("plots need matplotlib, which is not installed; pip install 'lango-nb[plots]'")


def draw(into: Callable[[Figure], None], width: float, height: float) -> str:
    """Draw on an empty figure.

    Parameters
    ----------
    into : callable
        Gets the figure.
    width, height : float
        px.

    Returns
    -------
    str
        SVG without comment, date or address.

    Raises
    ------
    UsageError
        matplotlib is not installed.
    """
    try:
        import matplotlib as mpl
        from matplotlib.figure import Figure
    except ModuleNotFoundError as error:
        raise missing_extra() from error
    with _LOCK, mpl.rc_context(), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from")  # the reader's browser has it
        mpl.rcdefaults()
        mpl.rcParams.update(_STYLE)
        figure = Figure(figsize=(width / 72, height / 72), layout="constrained")
        into(figure)
        file = StringIO()
        figure.savefig(file, format="svg", transparent=True, metadata=_METADATA)
    drawn = file.getvalue()
    drawn = re.sub(r"\s*<metadata>.*?</metadata>", "", drawn[drawn.index("<svg") :], flags=re.DOTALL)
    return drawn.replace(f"'{_MEASURED}'", _FONT)


def painted(names: Iterable[str], colours: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return the colour of each agent: the given one, else that of its name; what is no agent is grey."""
    every = list(names)
    nobody = dict.fromkeys((name for name in every if name.startswith("(")), GREY)  # (abstained) and the like
    given = {ROOT_NAME: ROOT, **nobody, **(colours or {})}
    own = agent_colours([name for name in every if name not in given])
    return {name: given.get(name) or own[name] for name in every}


def shown(name: object) -> str:
    """Write a name as it is drawn: on one line, cut; what XML cannot hold is a sign that stands for it."""
    return _NO_XML.sub("\N{REPLACEMENT CHARACTER}", one_line(str(name), _NAME)) or "(no name)"


def plain_axes(axes: Axes, *, grid: str = "") -> Axes:
    """Take frame, ticks and grid away; ``grid`` names the axis whose lines stay."""
    for spine in axes.spines.values():
        spine.set_visible(False)
    axes.tick_params(length=0)
    axes.grid(visible=False)
    if grid == "x":
        axes.grid(axis="x")
    elif grid == "y":
        axes.grid(axis="y")
    return axes
