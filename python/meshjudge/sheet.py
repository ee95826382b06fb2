"""The exact pictures that a rubric shows a judge.

>>> import meshjudge as mj
>>> mj.sheet.four_view(mj.objects.load("vase"), size=64)
<Picture 128×128 image/png>
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from . import _native
from ._native import Picture, sheet_reference as reference

if TYPE_CHECKING:
    from .types import AssetLike, Channels, ColorLike, PathLike

__all__ = ["four_view", "grid", "pair", "reference"]


def pair(  # fmt: skip
    a: AssetLike, b: AssetLike, *, channels: Channels | None = None, fit: int | None = None, rig: PathLike | None = None,
    views: int | None = None, size: int | None = None, elevation: float | None = None, background: ColorLike | None = None,
    cameras: PathLike | None = None, camera_convention: str | None = None, environment: PathLike | None = None,
    normal_space: Literal["world", "view"] | None = None, light: Literal["studio", "unlit"] | None = None, device: str | None = None,
    normals: Literal["file", "flat", "smooth"] | None = None, up: str | None = None, front: str | None = None,
    vertex_colors: Literal["linear", "srgb"] | None = None,
) -> Picture:
    """Two objects side by side: colour above, normals below.

    Parameters
    ----------
    a, b : Asset, str, os.PathLike or bytes
        Left (object 1) and right (object 2).
    channels : str or sequence of str
        From top to bottom. Default: rgb and normal.
    fit : int, optional
        Maximum length of the longer side, in pixels.
    rig, …, vertex_colors
        See :class:`Renderer`; 4 views of the ring by default.

    Returns
    -------
    Picture

    Examples
    --------
    >>> import meshjudge as mj
    >>> chair, mug = mj.objects.load("chair"), mj.objects.load("mug")
    >>> mj.sheet.pair(chair, mug, size=64)
    <Picture 256×256 image/png>
    """
    return _native.sheet_pair(**locals())


def grid(  # fmt: skip
    asset: AssetLike, *, channels: Channels | None = None, rig: PathLike | None = None, views: int | None = None,
    size: int | None = None, elevation: float | None = None, background: ColorLike | None = None, cameras: PathLike | None = None,
    camera_convention: str | None = None, environment: PathLike | None = None, normal_space: Literal["world", "view"] | None = None,
    light: Literal["studio", "unlit"] | None = None, device: str | None = None,
    normals: Literal["file", "flat", "smooth"] | None = None, up: str | None = None, front: str | None = None,
    vertex_colors: Literal["linear", "srgb"] | None = None,
) -> Picture:
    """One object: colour above, normals below.

    Parameters
    ----------
    asset : Asset, str, os.PathLike or bytes
    channels : str or sequence of str
        From top to bottom. Default: rgb and normal.
    rig, …, vertex_colors
        See :class:`Renderer`; 4 views of the ring by default (1, 4, 9 or 16).

    Returns
    -------
    Picture
    """
    return _native.sheet_grid(**locals())


def four_view(  # fmt: skip
    asset: AssetLike, *, fit: int | None = None, rig: PathLike | None = None, views: int | None = None, size: int | None = None,
    elevation: float | None = None, background: ColorLike | None = None, cameras: PathLike | None = None,
    camera_convention: str | None = None, environment: PathLike | None = None, normal_space: Literal["world", "view"] | None = None,
    light: Literal["studio", "unlit"] | None = None, device: str | None = None,
    normals: Literal["file", "flat", "smooth"] | None = None, up: str | None = None, front: str | None = None,
    vertex_colors: Literal["linear", "srgb"] | None = None,
) -> Picture:
    """Front, side, top and isometric view of one object, orthographic, at one scale.

    Parameters
    ----------
    asset : Asset, str, os.PathLike or bytes
    fit : int, optional
        Maximum length of the longer side, in pixels.
    rig, …, vertex_colors
        See :class:`Renderer`, except for the cameras, which are fixed.

    Returns
    -------
    Picture
    """
    return _native.sheet_four_view(**locals())
