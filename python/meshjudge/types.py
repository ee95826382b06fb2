"""Types of arguments, for annotations of your own."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from os import PathLike as _PathLike
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypedDict

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ._native import Asset, Picture, Question

__all__ = [
    "AskOptions",
    "AssetLike",
    "BenchOptions",
    "Channel",
    "HowToAsk",
    "JudgeLike",
    "PathLike",
    "PictureLike",
    "SheetOptions",
    "ViewOptions",
]

PathLike: TypeAlias = "str | _PathLike[str]"
AssetLike: TypeAlias = "Asset | PathLike | bytes | bytearray | memoryview"
PictureLike: TypeAlias = "Picture | PathLike | bytes | NDArray[Any]"
JudgeLike: TypeAlias = "str | Callable[[Question], str | float | Mapping[str, Any] | None]"
Channel: TypeAlias = Literal[
    "rgb",
    "normal",
    "matte",
    "depth",
    "mask",
    "ndc-depth",
    "base-color",
    "metallic-roughness",
    "emissive",
    "opacity",
    "camera-normal",
    "shading-normal",
    "camera-shading-normal",
    "position",
    "z",
    "uv",
    "part",
]


class ViewOptions(TypedDict, total=False):
    """How assets are drawn, and how files are read for it."""

    views: int | None
    size: int | None
    elevation: float | None
    background: str | None
    cameras: PathLike | None
    camera_convention: str | None
    environment: PathLike | None
    normal_space: Literal["world", "view"] | None
    light: Literal["studio", "unlit"] | None
    device: str | None
    normals: Literal["file", "flat", "smooth"] | None
    up: str | None
    front: str | None
    vertex_colors: Literal["linear", "srgb"] | None


class SheetOptions(ViewOptions, total=False):
    """The same with the rig among them."""

    rig: PathLike | None


class HowToAsk(SheetOptions, total=False):
    """How judges are asked."""

    run: PathLike | None
    samples: int | None
    seed: int | None
    concurrency: int | None
    max_requests: int | None
    max_cost_usd: float | None
    timeout_secs: float | None
    temperature: float | None
    base_url: str | None
    effort: str | None
    body: Mapping[str, Any] | None
    headers: Mapping[str, str] | None
    stream: bool | None
    max_output_tokens: int | None
    cache: bool | None
    models: PathLike | None
    reuse: Sequence[PathLike] | None
    replay: bool | None
    progress: bool | Callable[[dict[str, Any]], Any] | None


class AskOptions(HowToAsk, total=False):
    """Who is asked, and how."""

    judge: JudgeLike | Sequence[JudgeLike] | None


class BenchOptions(AskOptions, total=False):
    """The same, and where assets are made and drawn."""

    # 'ray', or a meshjudge.ray.Engine, whose module needs Ray.
    engine: Any
