"""Vectors of learned features: what a function returns, and what a run has stored."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ._native import RunError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["rows_of_vectors", "vectors"]


def rows_of_vectors(returned: Any) -> NDArray[np.float32]:
    """A list of numbers or vectors, an array or a tensor → [n, dimension]; a number is a vector of one."""
    import numpy as np

    if hasattr(returned, "detach"):
        returned = returned.detach().cpu()
    array = np.asarray(returned, dtype=np.float32)
    if array.ndim not in (1, 2):
        raise ValueError(f"the model must return one number or one vector for each input, not an array of shape {array.shape}")
    return np.ascontiguousarray(array.reshape(len(array), -1))


def chunks(folders: list[Path], feature: str) -> Iterator[Path]:
    """The files with the rows of its vectors, in order."""
    for folder in folders:
        for number in count():
            chunk = folder / "features" / f"{feature}-{number:04}.json"
            if not chunk.is_file():
                break
            yield chunk


def vectors(folders: list[Path], feature: str) -> tuple[dict[str, list[Any]], NDArray[np.float32]]:
    """See :meth:`Run.vectors`."""
    import numpy as np

    rows: list[dict[str, Any]] = []
    arrays: list[NDArray[np.float32]] = []
    for chunk in chunks(folders, feature):
        held = json.loads(chunk.read_text(encoding="utf-8"))
        present = chunk.with_name(f"{feature}.json")
        # Vectors of earlier settings of the feature are another thing.
        if present.is_file() and held["definition"] != json.loads(present.read_text(encoding="utf-8")):
            continue
        found = held["rows"]
        array = np.load(chunk.with_suffix(".npy"))
        # The specimen by which a model is checked belongs to no prompt.
        kept = [bool(row["prompt_id"]) for row in found]
        rows += [row for row in found if row["prompt_id"]]
        arrays.append(array[kept])
    if not arrays:
        raise RunError(f"there are no vectors of a feature {feature!r} in {', '.join(map(str, folders))}; a benchmark with [[features]] makes them")
    names = ("method", "prompt_id", "seed", "view", "asset_hash", "key")
    # Earlier versions stored no hash.
    return {name: [row.get(name, "") for row in rows] for name in names}, np.concatenate(arrays)
