"""The renderer, and how it goes over many assets."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import islice, zip_longest
from typing import TYPE_CHECKING, Any, Literal

from . import _native
from ._errors import ArgumentError
from ._native import MeshjudgeError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from typing import Self

    from .types import AssetLike, Channels, ColorLike, PathLike

__all__ = ["Renderer"]

# Each holds an asset in memory, and what was drawn of it until it is fetched.
ASSETS_AT_ONCE = 3


class Renderer(_native.Renderer):
    """Draws any number of assets with the same settings.

    Parameters
    ----------
    rig : str or os.PathLike, optional
        Cameras: 'ring' (the default), 'four-view', 'six', 'gpteval3d', a published protocol such as 'trellis', or a TOML file.
    channels : str or sequence of str
        Any of 'rgb', 'normal', 'matte' (grey clay), 'depth', 'mask', 'ndc-depth', 'base-color', 'metallic-roughness', 'emissive', 'opacity',
        'camera-normal', 'shading-normal', 'camera-shading-normal', 'position', 'z', 'expected-z', 'uv' and 'part'; and of the mesh itself 'wire'
        (edges over grey clay), 'facing' (front blue, back red), 'parts', 'parts-material', 'parts-mesh' and 'parts-chart' (coloured by piece, material,
        mesh node or chart), which the CPU draws. Default: rgb and normal.
    threads : int, optional
        Number of own threads. Default: the pool that all renderers share, one thread per core (or RAYON_NUM_THREADS).
    views, …, vertex_colors
        ``views`` (int), ``size`` (edge of a view in pixels), ``elevation`` (degrees, ring only), ``cameras`` (a file of cameras),
        ``camera_convention`` (such as 'w2c,opencv,z-up'), ``background`` ('white', 'black', 'grey',
        'transparent', '#RRGGBB'), ``normal_space`` ('world', 'view'), ``light`` ('studio', 'unlit'), ``environment`` (a panorama, .hdr or .exr), ``device`` ('cpu', 'auto', 'gpu',
        'gpu:NAME'); and for files that it reads itself ``normals``, ``up``, ``front`` and ``vertex_colors`` as in :func:`load`.

    Raises
    ------
    RenderError
        An unknown rig, an impossible number of views, a missing graphics card.

    Examples
    --------
    >>> import meshjudge as mj
    >>> renderer = mj.Renderer(views=4, size=64, channels=["rgb", "mask"])
    >>> pictures = renderer.render(mj.objects.load("chair"))
    >>> pictures["rgb"].shape, pictures["mask"].shape
    ((4, 64, 64, 3), (4, 64, 64, 1))
    """

    _given: dict[str, Any]

    def __new__(  # fmt: skip
        cls, rig: PathLike | None = None, *, channels: Channels | None = None, threads: int | None = None,
        views: int | None = None, size: int | None = None, elevation: float | None = None, background: ColorLike | None = None,
        cameras: PathLike | None = None, camera_convention: str | None = None, environment: PathLike | None = None,
        normal_space: Literal["world", "view"] | None = None, light: Literal["studio", "unlit"] | None = None,
        device: str | None = None, normals: Literal["file", "flat", "smooth"] | None = None, up: str | None = None,
        front: str | None = None, vertex_colors: Literal["linear", "srgb"] | None = None,
    ) -> Self:
        options = dict(locals())
        given = {name: value for name, value in options.items() if name not in ("cls", "__class__") and value is not None}
        self = super().__new__(cls, **given)
        self._given = given
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return _opened, (type(self), self._given)

    def map(self, assets: Iterable[AssetLike]) -> Iterator[dict[str, NDArray[Any]] | MeshjudgeError]:
        """Draws many assets, a few at a time; results come in their order.

        Parameters
        ----------
        assets : iterable of Asset, str, os.PathLike or bytes

        Yields
        ------
        dict of str to numpy.ndarray, or MeshjudgeError
            See :meth:`render`, in the order of ``assets``; if an asset cannot be read or drawn, the error is yielded, not raised.

        Examples
        --------
        >>> import meshjudge as mj
        >>> renderer = mj.Renderer(views=1, size=32, channels=["rgb"])
        >>> drawn = renderer.map([mj.objects.load("mug"), "not-there.glb"])
        >>> [type(one).__name__ for one in drawn]
        ['dict', 'LoadError']
        """
        return self._in_order(self.render, ((asset,) for asset in listed(assets)))

    def save_all(self, assets: Iterable[AssetLike], folders: Iterable[PathLike]) -> Iterator[dict[str, Any] | MeshjudgeError]:
        """Draws many assets into folders, as ``meshjudge render`` does, a few at a time; results come in their order.

        Parameters
        ----------
        assets : iterable of Asset, str, os.PathLike or bytes
        folders : iterable of str or os.PathLike
            One for each asset.

        Yields
        ------
        dict, or MeshjudgeError
            See :meth:`save`, in the order of ``assets``; if an asset cannot be read or drawn, the error is yielded, not raised.
        """
        return self._in_order(self.save, pairs(listed(assets), listed(folders)))

    def _in_order(self, work: Callable[..., Any], arguments: Iterable[tuple[Any, ...]]) -> Iterator[Any]:
        """What ``work`` gives or raises, with a few calls under way: while one asset is read, others keep the cores busy."""

        def outcome(*given: Any) -> Any:
            try:
                return work(*given)
            except MeshjudgeError as error:
                return error
            except TypeError as error:
                return ArgumentError(str(error))

        workers = ThreadPoolExecutor(max_workers=ASSETS_AT_ONCE)
        try:
            coming = iter(arguments)
            waiting = deque(workers.submit(outcome, *given) for given in islice(coming, ASSETS_AT_ONCE))
            while waiting:
                done = waiting.popleft().result()
                waiting.extend(workers.submit(outcome, *given) for given in islice(coming, 1))
                yield done
        except KeyboardInterrupt:
            workers.shutdown(wait=False, cancel_futures=True)
            self._stop()
            raise
        finally:
            workers.shutdown(cancel_futures=True)


def listed(items: Iterable[Any]) -> Iterable[Any]:
    if isinstance(items, str | bytes | os.PathLike):
        raise ArgumentError(f"a list is needed, even of one: [{items!r}]")
    return items


def pairs(assets: Iterable[Any], folders: Iterable[Any]) -> Iterator[tuple[Any, Any]]:
    missing = object()
    for asset, folder in zip_longest(assets, folders, fillvalue=missing):
        if asset is missing or folder is missing:
            raise ArgumentError("there must be one folder for each asset")
        yield asset, folder


def _opened(cls: type[Renderer], given: dict[str, Any]) -> Renderer:
    return cls(**given)
