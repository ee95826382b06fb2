"""Types of arguments, for annotations of your own."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from os import PathLike as _PathLike
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias

if TYPE_CHECKING:
    from typing import BinaryIO

    from ._native import Asset, Photo, Picture, Question, Splats

__all__ = [  # fmt: skip
    "Answer", "AssetLike", "Channel", "Channels", "ColorLike", "HasArray", "HasGeometry", "HasVertices", "JudgeLike", "PathLike", "PhotoLike",
    "PictureLike", "PromptLike",
]


class HasVertices(Protocol):
    """A mesh of trimesh or Open3D."""

    @property
    def vertices(self) -> Any: ...


class HasGeometry(Protocol):
    """A scene of trimesh."""

    @property
    def geometry(self) -> Any: ...


class HasArray(Protocol):
    """An array of numpy, or a picture of Pillow."""

    @property
    def __array_interface__(self) -> Any: ...


PathLike: TypeAlias = "str | _PathLike[str]"
# A tuple has arrays or tensors: vertices, faces, and perhaps colours, texture coordinates and a texture.
AssetLike: TypeAlias = "Asset | Splats | PathLike | bytes | bytearray | memoryview | BinaryIO | HasVertices | HasGeometry | tuple[Any, ...]"
PictureLike: TypeAlias = "Picture | PathLike | bytes | HasArray"
# Several photos of one object, by the sides that they show.
PhotoLike: TypeAlias = "Photo | PictureLike | Mapping[str, PictureLike]"
# A text, a photo, or the keys of a prompt in a benchmark file.
PromptLike: TypeAlias = "str | _PathLike[str] | Picture | HasArray | Mapping[str, Any]"
ColorLike: TypeAlias = "str | tuple[float, float, float]"
Answer: TypeAlias = "str | float | Mapping[str, Any] | None"
JudgeLike: TypeAlias = "str | Callable[[Question], Answer | Awaitable[Answer]]"
Channel: TypeAlias = Literal[  # fmt: skip
    "rgb", "normal", "matte", "depth", "mask", "ndc-depth", "base-color", "metallic-roughness", "emissive", "opacity", "camera-normal",
    "shading-normal", "camera-shading-normal", "position", "z", "uv", "part", "expected-z",
]
Channels: TypeAlias = "Channel | Sequence[Channel]"
