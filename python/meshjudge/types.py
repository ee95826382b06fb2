"""Types of arguments, for annotations of your own."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from os import PathLike as _PathLike
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias

if TYPE_CHECKING:
    from enum import Enum
    from typing import BinaryIO, ClassVar

    from ._native import Asset, Photo, Picture, Question, Splats

__all__ = [  # fmt: skip
    "Answer", "AssetLike", "Channel", "Channels", "ColorLike", "JudgeLike", "PathLike", "PhotoLike", "PictureLike", "PromptLike",
]


class _HasVertices(Protocol):
    """A mesh of trimesh or Open3D."""

    @property
    def vertices(self) -> Any: ...


class _HasGeometry(Protocol):
    """A scene of trimesh."""

    @property
    def geometry(self) -> Any: ...


class _HasArray(Protocol):
    """An array of numpy, or a picture of Pillow."""

    @property
    def __array_interface__(self) -> Any: ...


class _HasFields(Protocol):
    """A dataclass."""

    __dataclass_fields__: ClassVar[dict[str, Any]]


class _HasDump(Protocol):
    """An object of pydantic."""

    def model_dump(self, *, mode: str = "python") -> dict[str, Any]: ...


PathLike: TypeAlias = "str | _PathLike[str]"
# A tuple has arrays or tensors: vertices, faces, and perhaps colours, texture coordinates and a texture.
AssetLike: TypeAlias = "Asset | Splats | PathLike | bytes | bytearray | memoryview | BinaryIO | _HasVertices | _HasGeometry | tuple[Any, ...]"
PictureLike: TypeAlias = "Picture | PathLike | bytes | _HasArray"
# Several photos of one object, by the sides that they show.
PhotoLike: TypeAlias = "Photo | PictureLike | Mapping[str, PictureLike]"
# A text, a photo, or the keys of a prompt in a benchmark file.
PromptLike: TypeAlias = "str | _PathLike[str] | Picture | _HasArray | Mapping[str, Any]"
ColorLike: TypeAlias = "str | tuple[float, float, float]"
Answer: TypeAlias = "str | float | Enum | Mapping[str, Any] | _HasFields | _HasDump | None"
JudgeLike: TypeAlias = "str | Callable[[Question], Answer | Awaitable[Answer]]"
Channel: TypeAlias = Literal[  # fmt: skip
    "rgb", "normal", "matte", "depth", "mask", "ndc-depth", "base-color", "metallic-roughness", "emissive", "opacity", "camera-normal",
    "shading-normal", "camera-shading-normal", "position", "z", "uv", "part", "expected-z", "wire", "facing", "parts", "parts-material",
    "parts-mesh", "parts-chart",
]
Channels: TypeAlias = "Channel | Sequence[Channel]"
