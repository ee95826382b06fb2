"""Tables of other packages → columns by name, and rows. Imports one of them only for a table that has nothing but the Arrow interface."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

__all__ = ["columns_of", "rows_of"]


def columns_of(table: Any) -> Any:
    """Something whose columns are ``table[name]``, or None for no table. A key that a row lacks is None."""
    if hasattr(table, "collect"):
        return columns_of(table.collect())
    if isinstance(table, list) and all(isinstance(row, Mapping) for row in table):
        return {name: [row.get(name) for row in table] for name in dict.fromkeys(name for row in table for name in row)}
    # Of pyarrow, and of DuckDB.
    if hasattr(table, "to_pydict"):
        return table.to_pydict()
    if hasattr(table, "fetchall"):
        return dict(zip(table.columns, zip(*table.fetchall())))
    if isinstance(table, Mapping) or hasattr(table, "columns") and hasattr(table, "__getitem__"):
        return table
    for package, call in (("polars", "DataFrame"), ("pyarrow", "table")) if hasattr(table, "__arrow_c_stream__") else ():
        try:
            return columns_of(getattr(import_module(package), call)(table))
        except ImportError:
            continue
    return None


def rows_of(table: Any) -> list[Any]:
    """Dicts, or what the rows of something else are."""
    columns = columns_of(table)
    if columns is None:
        return list(table)
    names = list(columns if isinstance(columns, Mapping) else columns.columns)
    return [dict(zip(names, row)) for row in zip(*(columns[name] for name in names), strict=True)]
