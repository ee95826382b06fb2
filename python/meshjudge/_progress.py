"""The bar of ``progress=True``: tqdm's if it is installed, which notebooks draw, else a line on standard error."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from importlib import import_module
from typing import Any


class Bar:
    """Shows how far work is. Called with the dict that every progress callback gets."""

    def __init__(self, unit: str = "question") -> None:
        self._unit = unit
        self._step: str | None = None
        self._bar = _tqdm(unit)

    def __call__(self, now: Mapping[str, Any]) -> None:
        if computing := now.get("computing"):
            now = computing
            # A bar for each feature, and for each pass over the assets that measures them.
            if now["name"] != self._step:
                self._step, self._unit = now["name"], "asset"
                self._bar = _tqdm(self._unit)
        done, total = now["done"], now["total"]
        words = [now["name"]] if "name" in now else []
        if "in_flight" in now:
            words.append(f"{now['in_flight']} in flight")
        if now.get("failed"):
            words.append(f"{now['failed']} failed")
        if now.get("to_make"):
            words.append(f"{now['made']} of {now['to_make']} assets made")
        if now.get("spent_usd"):
            words.append(f"${now['spent_usd']:.2f}")
        if done == total:
            self._step = None
        if self._bar is not None:
            self._bar.total = total
            self._bar.n = done
            self._bar.set_postfix_str(", ".join(words))
            if done == total:
                self._bar.close()
            return
        end = "\n" if done == total else ""
        text = ", ".join([f"{done} of {total or '?'} {self._unit}s", *words])
        print(f"\r{text} ", end=end, file=sys.stderr, flush=True)


def _tqdm(unit: str) -> Any:
    try:
        return import_module("tqdm.auto").tqdm(unit=unit)
    except ImportError:
        return None
