"""The renderer, and how it goes over many assets."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from typing import TYPE_CHECKING, Any

from . import _native
from ._native import MeshjudgeError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .types import AssetLike, PathLike

__all__ = ["Renderer"]

# Each holds an asset in memory, and what was drawn of it until it is fetched.
ASSETS_AT_ONCE = 3


class Renderer(_native.Renderer):
    __doc__ = _native.Renderer.__doc__

    def map(
        self, assets: Iterable[AssetLike]
    ) -> Iterator[dict[str, NDArray[Any]] | MeshjudgeError]:
        """Draw many assets, a few at a time; results come in their order.

        Parameters
        ----------
        assets : iterable of Asset, str, os.PathLike or bytes

        Yields
        ------
        dict of str to numpy.ndarray, or MeshjudgeError
            As of :meth:`render`, in the order of ``assets``; if an asset cannot be read or drawn, the error is yielded, not raised.

        Examples
        --------
        >>> import meshjudge as mj
        >>> renderer = mj.Renderer(views=1, size=32, channels=["rgb"])
        >>> drawn = renderer.map([mj.objects.load("mug"), "not-there.glb"])
        >>> [type(one).__name__ for one in drawn]
        ['dict', 'LoadError']
        """
        return self._in_order(self.render, ((asset,) for asset in assets))

    def save_all(
        self, assets: Iterable[AssetLike], folders: Iterable[PathLike]
    ) -> Iterator[dict[str, Any] | MeshjudgeError]:
        """Draw many assets into folders, as ``meshjudge render`` does, a few at a time; results come in their order.

        Parameters
        ----------
        assets : iterable of Asset, str, os.PathLike or bytes
        folders : iterable of str or os.PathLike
            One for each asset.

        Yields
        ------
        dict, or MeshjudgeError
            As of :meth:`save`, in the order of ``assets``; if an asset cannot be read or drawn, the error is yielded, not raised.
        """
        return self._in_order(self.save, zip(assets, folders))

    def _in_order(
        self, work: Callable[..., Any], arguments: Iterable[tuple[Any, ...]]
    ) -> Iterator[Any]:
        """What ``work`` gives or raises, with a few calls under way: while one asset is read, others keep the cores busy."""

        def outcome(*given: Any) -> Any:
            try:
                return work(*given)
            except MeshjudgeError as error:
                return error

        with ThreadPoolExecutor(max_workers=ASSETS_AT_ONCE) as workers:
            coming = iter(arguments)
            waiting = deque(workers.submit(outcome, *given) for given in islice(coming, ASSETS_AT_ONCE))
            while waiting:
                done = waiting.popleft().result()
                waiting.extend(workers.submit(outcome, *given) for given in islice(coming, 1))
                yield done
