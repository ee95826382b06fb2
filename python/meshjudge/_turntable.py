"""An asset seen from all sides, as an animation."""

from __future__ import annotations

import base64
import io
import os
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from ._errors import ArgumentError
from ._native import PictureError, write_file
from ._renderer import Renderer

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .types import AssetLike, ColorLike, PathLike

__all__ = ["Turntable", "turntable"]

FORMATS = {".gif": "GIF", ".webp": "WEBP", ".png": "PNG"}


class Turntable:
    """Pictures around an asset. A notebook shows them as an animation. Made by :func:`turntable`; needs Pillow.

    Attributes
    ----------
    frames : numpy.ndarray
        uint8 of shape (views, height, width, 3), sRGB; 4 channels with straight alpha if the background is transparent.
    seconds : float
        Duration of one turn.
    """

    def __init__(self, frames: NDArray[Any], seconds: float) -> None:
        self.frames, self.seconds = frames, seconds

    def save(self, path: PathLike) -> None:
        """Writes the animation to a file whose name ends in .gif, .webp or .png (APNG); its folder must exist."""
        kind = FORMATS.get(Path(path).suffix.lower())
        if kind is None:
            raise ArgumentError(f"turntables are saved as .gif, .webp or .png; give a name with that extension: {os.fspath(path)!r}")
        data = io.BytesIO()
        self._write(data, kind)
        try:
            write_file(path, data.getvalue())
        except OSError as error:
            raise PictureError(f"cannot write ({error}); check the path, the space and the permissions: {os.fspath(path)!r}") from error

    def _write(self, to: Any, kind: str) -> None:
        image = import_module("PIL.Image")
        first, *others = [image.fromarray(frame) for frame in self.frames]
        milliseconds = round(1000 * self.seconds / len(self.frames))
        first.save(to, format=kind, save_all=True, append_images=others, duration=milliseconds, loop=0)

    def _repr_html_(self) -> str:
        data = io.BytesIO()
        self._write(data, "WEBP")
        return f'<img width="{self.frames.shape[2]}" src="data:image/webp;base64,{base64.b64encode(data.getvalue()).decode()}">'


def turntable(  # fmt: skip
    asset: AssetLike, *, views: int = 36, size: int = 384, seconds: float = 4.0, elevation: float | None = None,
    channel: Literal["rgb", "normal", "matte"] = "rgb", background: ColorLike | None = None, light: Literal["studio", "unlit"] | None = None,
) -> Turntable:
    """Draws an asset from all sides, for an animation.

    Parameters
    ----------
    asset : Asset, str, os.PathLike, bytes, mesh or tuple
        See :func:`load`.
    views, size : int
        Number of pictures, and their edge in pixels.
    seconds : float
        Duration of one turn.
    elevation : float, optional
        Elevation of the camera, in degrees.
    channel : {'rgb', 'normal', 'matte'}
    background, light
        See :class:`Renderer`.

    Returns
    -------
    Turntable

    Examples
    --------
    >>> import meshjudge as mj
    >>> mj.turntable(mj.objects.load("mug"), views=8, size=32).frames.shape
    (8, 32, 32, 3)
    """
    renderer = Renderer("ring", channels=[channel], views=views, size=size, elevation=elevation, background=background, light=light)
    return Turntable(renderer.render(asset)[channel], seconds)
