"""The exact pictures that a rubric shows a judge.

>>> import meshjudge as mj
>>> mj.sheet.four_view(mj.objects.load("vase"), renderer=mj.Renderer(size=64))
<Picture 128×128 image/png>
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import _native
from ._native import Picture, sheet_reference as reference

if TYPE_CHECKING:
    from ._renderer import Renderer
    from .types import AssetLike

__all__ = ["four_view", "grid", "pair", "reference"]


def pair(a: AssetLike, b: AssetLike, *, fit: int | None = None, renderer: Renderer | None = None) -> Picture:
    """Two objects side by side: colour above, normals below.

    Parameters
    ----------
    a, b : Asset, str, os.PathLike or bytes
        Left (object 1) and right (object 2).
    fit : int, optional
        Maximum length of the longer side, in pixels.
    renderer : Renderer, optional
        Its channels are shown from top to bottom. Default: rgb and normal, 4 views of the ring.

    Returns
    -------
    Picture

    Examples
    --------
    >>> import meshjudge as mj
    >>> chair, mug = mj.objects.load("chair"), mj.objects.load("mug")
    >>> mj.sheet.pair(chair, mug, renderer=mj.Renderer(size=64))
    <Picture 256×256 image/png>
    """
    return _native.sheet_pair(**locals())


def grid(asset: AssetLike, *, renderer: Renderer | None = None) -> Picture:
    """One object: colour above, normals below.

    Parameters
    ----------
    asset : Asset, str, os.PathLike or bytes
    renderer : Renderer, optional
        Its channels are shown from top to bottom. Default: rgb and normal, 4 views of the ring (1, 4, 9 or 16).

    Returns
    -------
    Picture
    """
    return _native.sheet_grid(**locals())


def four_view(asset: AssetLike, *, fit: int | None = None, renderer: Renderer | None = None) -> Picture:
    """Front, side, top and isometric view of one object, orthographic, at one scale.

    Parameters
    ----------
    asset : Asset, str, os.PathLike or bytes
    fit : int, optional
        Maximum length of the longer side, in pixels.
    renderer : Renderer, optional
        Its cameras are not used.

    Returns
    -------
    Picture
    """
    return _native.sheet_four_view(**locals())
