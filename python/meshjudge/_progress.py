"""The bar of ``progress=True``: tqdm's if it is installed, else a line on standard error."""

import sys
from importlib import import_module
from typing import Any


class Bar:
    """Shows how far asking is. Called with the dict that every progress callback gets."""

    def __init__(self) -> None:
        try:
            tqdm = import_module("tqdm.auto").tqdm
        except ImportError:
            self._bar = None
        else:
            self._bar = tqdm(unit="question")

    def __call__(self, now: dict[str, Any]) -> None:
        done, total = now["done"], now["total"]
        words = [f"{now['in_flight']} in flight"]
        if now["failed"]:
            words.append(f"{now['failed']} failed")
        if now.get("to_make"):
            words.append(f"{now['made']} of {now['to_make']} assets made")
        if now["spent_usd"]:
            words.append(f"${now['spent_usd']:.2f}")
        if self._bar is not None:
            self._bar.total = total
            self._bar.n = done
            self._bar.set_postfix_str(", ".join(words))
            if done == total:
                self._bar.close()
            return
        end = "\n" if done == total else ""
        print(f"\r{done} of {total or '?'} questions, {', '.join(words)} ", end=end, file=sys.stderr, flush=True)
