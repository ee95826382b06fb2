"""Boards as plots of matplotlib."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from ._errors import ArgumentError
from ._native import Table


def plot(table: Table, ax: Any = None) -> Any:
    """Each method's rating or mean as a dot on its interval, the best on top."""
    value = next((name for name in ("rating", "mean", "right") if name in table.columns), None)
    label = next((name for name in ("method", "kind", "judge") if name in table.columns), None)
    if value is None or label is None:
        raise ArgumentError("only a board can be plotted: a table with a column `method` and `rating` or `mean`")
    if ax is None:
        ax = import_module("matplotlib.pyplot").subplots(figsize=(6, 1 + 0.3 * len(table)))[1]
    # Labels have the columns in which the boards differ.
    more = [name for name in ("criterion", "judge") if name in table.columns and len(set(table[name])) > 1 and name != label]
    for place, row in enumerate(reversed(list(table))):
        low, high = row.get("low"), row.get("high")
        if low is not None and high is not None:
            ax.plot([low, high], [place, place], color="#88aaaa", linewidth=2)
        is_open = low is None or high is None
        ax.plot(row[value], place, "o", color="#224477", markerfacecolor="white" if is_open else "#224477")
    names = [", ".join(str(row[name]) for name in (label, *more)) for row in reversed(list(table))]
    ax.set_yticks(range(len(names)), names)
    ax.set_xlabel(f"{value} (95 % interval)")
    return ax
