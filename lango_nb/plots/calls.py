"""Calls of models: how long they take, how many tokens, what they cost; each agent in its colour."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from lango_nb.plots.canvas import draw, painted, plain_axes, shown
from lango_nb.viz.plot import Plot
from lango_nb.viz.table import Table

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_WIDTH, _HEIGHT = 620.0, 320.0
_ROW, _AROUND = 30.0, 60.0
_BINS = 24
_MOST = 20
_ASK = "ask something first, lab.ask(…) or %lango ask"
_TOKENS = {"input_tokens": "tokens read", "output_tokens": "tokens written"}


def latency(frame: pd.DataFrame, colours: Mapping[str, str] | None = None) -> Plot:
    """Draw how long calls of the model took.

    Parameters
    ----------
    frame : DataFrame
        ``steps_df``: agent, latency_ms.
    colours : mapping of str to str, optional
        Of agents; by their names when absent.

    Returns
    -------
    Plot
    """
    kept = frame[frame["latency_ms"].notna()]
    numbers = _summary(kept, "latency_ms", " (ms)")
    if kept.empty:
        return Plot("latency of model calls", "", numbers, empty=f"no call of a model has a duration; {_ASK}")

    def into(figure: Figure) -> None:
        axes = figure.subplots()
        _histogram(axes, kept, "latency_ms", colours, is_log=True)
        axes.set_xlabel("duration of a call (ms)")
        figure.legend(loc="outside right upper")

    return Plot(
        "latency of model calls",
        draw(into, _WIDTH, _HEIGHT),
        numbers,
        (f"{len(kept):,} calls", f"half within {kept['latency_ms'].median():.3g} ms"),
        "Durations are on a logarithmic axis.",
        _WIDTH,
    )


def tokens(frame: pd.DataFrame, colours: Mapping[str, str] | None = None) -> Plot:
    """Draw how many tokens calls of the model read and wrote.

    Parameters
    ----------
    frame : DataFrame
        ``steps_df``: agent, input_tokens, output_tokens.
    colours : mapping of str to str, optional
        Of agents; by their names when absent.

    Returns
    -------
    Plot
    """
    kept = frame[frame["input_tokens"].notna() | frame["output_tokens"].notna()]
    numbers = _summary(kept, "input_tokens", " read (tokens)")
    if kept.empty:
        empty = f"no call of a model says how many tokens it took: models of a provider do, offline has none; {_ASK}"
        return Plot("tokens of model calls", "", numbers, empty=empty)

    def into(figure: Figure) -> None:
        for place, (axes, column) in enumerate(zip(figure.subplots(1, 2, sharey=True), _TOKENS, strict=True)):
            _histogram(axes, kept[kept[column].notna()], column, colours, is_named=place == 0)
            axes.set_xlabel(f"{_TOKENS[column]} by a call")
            axes.set_ylabel("calls" if place == 0 else "")
        figure.legend(loc="outside right upper")

    total = " and ".join(f"{int(kept[column].sum()):,} {said}" for column, said in _TOKENS.items())
    return Plot("tokens of model calls", draw(into, _WIDTH, _HEIGHT), numbers, (f"{len(kept):,} calls", total),
                width=_WIDTH)  # fmt: skip


def cost(frame: pd.DataFrame, colours: Mapping[str, str] | None = None) -> Plot:
    """Draw what the calls of each agent cost.

    Parameters
    ----------
    frame : DataFrame
        ``steps_df``: agent, cost_usd.
    colours : mapping of str to str, optional
        Of agents; by their names when absent.

    Returns
    -------
    Plot
    """
    kept = frame[frame["cost_usd"].notna()]
    parts = [(str(name), part.astype(float)) for name, part in kept.groupby("agent", sort=True)["cost_usd"]]
    rows = tuple(sorted(((name, float(part.sum()), len(part)) for name, part in parts), key=lambda row: -row[1]))
    numbers = Table("cost", ("agent", "cost (USD)", "calls"), rows)
    if not rows:
        empty = f"no call of a model has a price: models of a provider do, offline costs nothing; {_ASK}"
        return Plot("cost per agent", "", numbers, empty=empty)
    drawn = rows[:_MOST]
    known = painted([name for name, _, _ in drawn], colours)

    def into(figure: Figure) -> None:
        axes = plain_axes(figure.subplots(), grid="x")
        places = range(len(drawn))
        axes.barh(places, [usd for _, usd, _ in drawn], color=[known[name] for name, _, _ in drawn], height=0.7)
        axes.set_yticks(places, [shown(name) for name, _, _ in drawn])
        axes.invert_yaxis()
        axes.set_xlabel("cost of its model calls (USD)")

    total, calls = sum(usd for _, usd, _ in rows), sum(number for _, _, number in rows)
    facts = (f"{total:.4g} USD", f"{calls:,} calls")
    hidden = f"{len(rows) - _MOST:,} more agents are in the numbers." if len(rows) > _MOST else ""
    return Plot("cost per agent", draw(into, _WIDTH, _ROW * len(drawn) + _AROUND), numbers, facts, hidden, width=_WIDTH)


def _histogram(  # noqa: PLR0913 - what is counted, of whom, and how it looks
    axes: Axes,
    frame: pd.DataFrame,
    column: str,
    colours: Mapping[str, str] | None,
    *,
    is_log: bool = False,
    is_named: bool = True,
) -> None:
    """Count the values of a column, those of each agent on top of another's; agents with most calls come first."""
    from matplotlib.ticker import MaxNLocator

    agents = [str(name) for name in frame["agent"].value_counts(sort=True).index]
    known = painted(sorted(agents), colours)
    kept = agents[:_MOST]
    values = [frame.loc[frame["agent"] == name, column].astype(float).to_numpy() for name in kept]
    names = [shown(name) if is_named else f"_{place}" for place, name in enumerate(kept)]
    axes.hist(values, bins=_edges(frame[column].astype(float), is_log=is_log), stacked=True,
              color=[known[name] for name in kept], label=names)  # fmt: skip
    if is_log:
        axes.set_xscale("log")
        axes.xaxis.set_major_formatter(lambda value, _place: f"{value:g}")
    axes.yaxis.set_major_locator(MaxNLocator(integer=True))
    axes.grid(axis="x", visible=False)
    axes.set_ylabel("calls")


def _edges(values: pd.Series[float], *, is_log: bool) -> Sequence[float]:
    """Return the edges of the bins; equal steps, or equal factors."""
    low, high = float(values.min()), float(values.max())
    if not is_log:
        return [low + (max(high, low + 1) - low) * place / _BINS for place in range(_BINS + 1)]
    low = max(low, high / 1e6, 1e-6)
    factor = max(high / low, 1.01)
    return [low * factor ** (place / _BINS) for place in range(_BINS + 1)]


def _summary(frame: pd.DataFrame, column: str, unit: str) -> Table:
    """Say of every agent how many calls it made, and what half and what most of them came to at most."""
    rows = []
    for name, part in frame.groupby("agent", sort=True)[column]:
        numbers = part.dropna().astype(float)
        rows.append((str(name), len(part), *(float(numbers.quantile(share)) for share in (0.5, 0.95)))
                    if len(numbers) else (str(name), len(part), None, None))  # fmt: skip
    return Table("calls", ("agent", "calls", f"half{unit}", f"95 of 100{unit}"), tuple(rows))
