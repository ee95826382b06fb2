"""Meshes of other packages → the bytes of a GLB file, and back; pictures of Pillow. Imports none of them until one of its meshes is there."""

from __future__ import annotations

import io
import json
import struct
import sys
import warnings
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal

from ._errors import ArgumentError

from ._native import PictureError, sample_points

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from ._native import Asset
    from .types import AssetLike

__all__ = ["Samples", "sample", "source", "to_trimesh"]

# Far from the origin, 32-bit floats lose what a mesh shows: its distance goes to the node, in 64 bits.
FAR = 100.0


def source(value: Any) -> tuple[bytes, str | None, bool] | None:
    """The bytes of a file, its name if it has one, and whether colours of vertices are sRGB as in these packages; None for no asset."""
    if hasattr(value, "read"):
        name, data = getattr(value, "name", None), value.read()
        return data.encode() if isinstance(data, str) else data, name if isinstance(name, str) else None, False
    package = type(value).__module__.partition(".")[0]
    if package == "trimesh":
        try:
            return value.export(file_type="glb"), None, True
        except (KeyError, ValueError) as error:
            raise ArgumentError(f"trimesh cannot write this {type(value).__name__} as GLB: {error}") from error
    if package == "open3d":
        return glb(**open3d_arrays(value)), None, True
    if isinstance(value, tuple) and 2 <= len(value) <= 5:
        return glb(*value), None, True
    return None


def glb(vertices: Any, faces: Any, colors: Any = None, uv: Any = None, texture: Any = None) -> bytes:
    """Vertices (n, 3), faces (m, 3) or (m, 4), colours (n, 3) or (n, 4), texture coordinates (n, 2) from the bottom left, a picture."""
    import numpy as np

    vertices, faces = array(vertices, "vertices", (3,)).astype(np.float64), array(faces, "faces", (3, 4))
    if not np.array_equal(faces, faces.astype(np.float64).round()):
        raise ArgumentError("faces must be whole numbers: the indices of vertices")
    if faces.size and (faces.min() < 0 or faces.max() >= len(vertices)):
        raise ArgumentError(f"faces name vertices from {faces.min()} to {faces.max()}, but there are {len(vertices)}")
    if faces.shape[1] == 4:
        faces = np.concatenate([faces[:, :3], faces[:, [0, 2, 3]]])
    middle = np.zeros(3)
    if len(vertices) and np.isfinite(vertices).all():
        low, high = vertices.min(0), vertices.max(0)
        if np.abs(low + high).max() > FAR * (high - low).max():
            middle = (low + high) / 2
    blob, views, accessors = bytearray(), [], []

    def accessor(values: Any, kind: str, code: int, **more: Any) -> int:
        values = np.ascontiguousarray(values)
        blob.extend(b"\0" * (-len(blob) % 4))
        views.append({"buffer": 0, "byteOffset": len(blob), "byteLength": values.nbytes})
        accessors.append({"bufferView": len(views) - 1, "componentType": code, "count": len(values), "type": kind, **more})
        blob.extend(values.tobytes())
        return len(accessors) - 1

    near = (vertices - middle).astype("<f4")
    ends = {"min": near.min(0).tolist(), "max": near.max(0).tolist()} if len(near) else {}
    attributes = {"POSITION": accessor(near, "VEC3", 5126, **ends)}
    if colors is not None:
        colors = array(colors, "colors", (3, 4), len(vertices))
        top = 1 if colors.dtype.kind == "f" else 255
        # Half a step of 8 bits is an error of rounding.
        if colors.size and (colors.min() < -top / 510 or colors.max() > top + top / 510):
            raise ArgumentError("colors must be whole numbers from 0 to 255, or shares from 0.0 to 1.0")
        shares = colors.clip(0, top).astype("<f4") / np.float32(top)
        attributes["COLOR_0"] = accessor(shares, f"VEC{shares.shape[1]}", 5126)
    if uv is not None:
        flipped = array(uv, "uv", (2,), len(vertices)).astype(np.float64) * [1, -1] + [0, 1]
        attributes["TEXCOORD_0"] = accessor(flipped.astype("<f4"), "VEC2", 5126)
    indices = accessor(faces.astype("<u4").ravel(), "SCALAR", 5125)
    root: dict[str, Any] = {
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0, "translation": middle.tolist()} if middle.any() else {"mesh": 0}],
        "meshes": [{"primitives": [{"attributes": attributes, "indices": indices, "material": 0}]}],
        "materials": [{"doubleSided": True, "pbrMetallicRoughness": {"metallicFactor": 0.0}}],
    }
    if texture is not None:
        if uv is None:
            raise ArgumentError("a texture needs texture coordinates: give uv, of shape (vertices, 2)")
        from ._native import Picture

        picture = texture if isinstance(texture, Picture) else Picture(texture)
        blob.extend(b"\0" * (-len(blob) % 4))
        views.append({"buffer": 0, "byteOffset": len(blob), "byteLength": len(picture.data)})
        blob.extend(picture.data)
        root["images"] = [{"bufferView": len(views) - 1, "mimeType": picture.media_type}]
        root["textures"] = [{"source": 0}]
        root["materials"][0]["pbrMetallicRoughness"]["baseColorTexture"] = {"index": 0}
    blob.extend(b"\0" * (-len(blob) % 4))
    root |= {"buffers": [{"byteLength": len(blob)}], "bufferViews": views, "accessors": accessors}
    text = json.dumps(root).encode()
    text += b" " * (-len(text) % 4)
    chunks = struct.pack("<I4s", len(text), b"JSON") + text + struct.pack("<I4s", len(blob), b"BIN\0") + blob
    return struct.pack("<4sII", b"glTF", 2, 12 + len(chunks)) + chunks


def upright(image: Any) -> Any:
    """A picture of Pillow turned as its camera noted, in a mode whose array is its colours; anything else as it is."""
    pillow = sys.modules.get("PIL.Image")
    if pillow is None or not isinstance(image, pillow.Image):
        return image
    if image.mode.startswith(("I", "F")):
        raise PictureError(f"a picture of Pillow must have 8 bits, not the mode {image.mode}; convert it, as with image.convert('L')")
    image = import_module("PIL.ImageOps").exif_transpose(image)
    if image.mode == "La":
        image = image.convert("LA")
    if image.mode in ("LA", "PA", "RGBa") or "transparency" in image.info:
        return image.convert("RGBA")
    return image if image.mode in ("1", "L", "RGB", "RGBA") else image.convert("RGB")


def array(values: Any, name: str, widths: tuple[int, ...], length: int | None = None) -> Any:
    """Numbers in two dimensions; also a tensor on a graphics card, of a type that numpy lacks."""
    import numpy as np

    if hasattr(values, "detach"):
        values = values.detach().cpu()
        values = values.double() if values.is_floating_point() else values
    if np.ma.is_masked(values):
        raise ArgumentError(f"{name} are partly masked; fill them in, or leave their rows out")
    found = np.asarray(values)
    if found.dtype.kind not in "iuf":
        raise ArgumentError(f"{name} must be numbers, not {found.dtype}")
    if found.ndim != 2 or found.shape[1] not in widths or length not in (None, len(found)):
        wanted = " or ".join(f"({length or 'any number'}, {width})" for width in widths)
        raise ArgumentError(f"{name} must have the shape {wanted}, not {found.shape}")
    return found


def open3d_arrays(mesh: Any) -> dict[str, Any]:
    """Texture coordinates belong to corners of triangles, so that each triangle gets vertices of its own."""
    import numpy as np

    textures = []
    if hasattr(mesh, "to_legacy"):
        # That loses the textures.
        maps = mesh.material.texture_maps
        textures = [maps["albedo"].as_tensor().cpu().numpy()] if "albedo" in maps else []
        mesh = mesh.to_legacy()
    if not hasattr(mesh, "triangles"):
        raise ArgumentError(f"an object of Open3D must be a TriangleMesh, not a {type(mesh).__name__}")
    vertices, faces = np.asarray(mesh.vertices), np.asarray(mesh.triangles)
    colors = np.asarray(mesh.vertex_colors) if mesh.has_vertex_colors() else None
    if not mesh.has_triangle_uvs():
        return {"vertices": vertices, "faces": faces, "colors": colors}
    corners = faces.ravel()
    # Here, rows are from the bottom to the top.
    textures += [np.asarray(texture)[::-1].copy() for texture in mesh.textures if not texture.is_empty()]
    if len(textures) > 1:
        raise ArgumentError(f"this mesh of Open3D has {len(textures)} textures; give its file instead, or a mesh with one texture")
    return {
        "vertices": vertices[corners],
        "faces": np.arange(len(corners)).reshape(-1, 3),
        "colors": None if colors is None else colors[corners],
        "uv": np.asarray(mesh.triangle_uvs),
        "texture": textures[0] if textures else None,
    }


class Samples:
    """Points on a surface, made by :func:`sample`: ``points, normals, colors = samples``.

    ``definition`` is the hash of everything that decides the points and their order, and ``num_without_color`` the number of points on
    surfaces that have no colour.
    """

    def __init__(
        self, points: NDArray[Any], normals: NDArray[Any], colors: NDArray[Any], num_without_color: int, definition: str
    ) -> None:
        self.points, self.normals, self.colors = points, normals, colors
        self.num_without_color, self.definition = num_without_color, definition

    def __iter__(self) -> Iterator[NDArray[Any]]:
        return iter((self.points, self.normals, self.colors))

    def __repr__(self) -> str:
        return f"<Samples {len(self.points)} points>"


def sample(
    asset: AssetLike, count: int, *, seed: int = 0, frame: Literal["file", "mean-radius"] = "file",
    network_up: Literal["y", "swapped-yz"] = "y", no_color: Literal["grey", "white", "flashvdm"] = "grey",
) -> Samples:
    """Draws points on the surface of an asset, evenly by area, as networks for point clouds take them.

    The points and their order are those of ``meshjudge sample``. The order matters: networks that choose centres by farthest-point
    sampling give another result for another order.

    Parameters
    ----------
    asset : Asset, str, os.PathLike, bytes, mesh or tuple
        See :func:`load`.
    count : int
        Number of points.
    seed : int
        The same points for the same seed, on every machine.
    frame : {"file", "mean-radius"}
        Coordinates as in the file, or with the points' mean at the origin and the farthest point at radius 1, as ULIP-2, Uni3D and
        OpenShape were trained.
    network_up : {"y", "swapped-yz"}
        Axes of the network: y up, or y and z exchanged without a sign. The exchange is a mirror, with which OpenShape's bigG models were trained.
    no_color : {"grey", "white", "flashvdm"}
        Colour of surfaces with neither texture nor vertex colours whose base colour is white: 102 of 255, or white. 'flashvdm' gives all points 100 of 255.

    Returns
    -------
    Samples
        ``points``: float64 of shape (count, 3); ``normals``: float64 of shape (count, 3), of the triangles; ``colors``: uint8 of shape
        (count, 3), the base colour in sRGB. As attributes also ``definition``, a hash, and ``num_without_color``.

    Examples
    --------
    >>> import meshjudge as mj
    >>> points, normals, colors = mj.sample(mj.objects.load("mug"), 1000)
    >>> points.shape, normals.shape, colors.dtype
    ((1000, 3), (1000, 3), dtype('uint8'))
    """
    (points, normals, colors), num_without_color, definition = sample_points(
        asset, count=count, seed=seed, frame=frame, network_up=network_up, no_color=no_color
    )
    return Samples(points, normals, colors, num_without_color, definition)


def to_trimesh(asset: Asset) -> Any:
    """One mesh with all materials, as trimesh reads and merges the asset's GLB file."""
    import numpy as np

    data, trimesh = asset.to_glb(), import_module("trimesh")
    scene = trimesh.load(io.BytesIO(data), file_type="glb", process=False)
    materials: list[Any] = [part.visual.material for part in scene.geometry.values() if hasattr(part.visual, "material")]
    for material in materials if len(materials) > 1 else ():
        texture, factor = getattr(material, "baseColorTexture", None), getattr(material, "baseColorFactor", None)
        if texture is not None and factor is not None:
            # It would multiply bytes with bytes, which inverts the colours. The factor is linear, the texture is not.
            shares = trimesh.visual.color.to_float(factor) ** ([1 / 2.2] * 3 + [1])
            pixels = np.asarray(texture.convert("RGBA")) * shares
            material.baseColorTexture = import_module("PIL.Image").fromarray(pixels.round().astype(np.uint8))
            material.baseColorFactor = None
    lost = [show_colors(part, trimesh) for part in scene.geometry.values()]
    if any(lost):
        warnings.warn("vertex colours under a texture are left out: a trimesh mesh has only one of the two", stacklevel=2)
    mesh = scene.to_mesh()
    if b'"NORMAL"' in data:
        mesh.vertex_normals = asset.normals
    return mesh


def show_colors(part: Any, trimesh: Any) -> bool:
    """Makes linear vertex colours, which trimesh keeps as a mere attribute, the colours of a mesh; whether a texture prevents it."""
    colors = part.visual.vertex_attributes.get("color") if hasattr(part.visual, "vertex_attributes") else None
    if colors is None:
        return False
    material = part.visual.material
    if getattr(material, "baseColorTexture", None) is not None:
        return True
    import numpy as np

    factor = getattr(material, "baseColorFactor", None)
    shares = np.asarray(colors, float) * (1 if factor is None else trimesh.visual.color.to_float(factor)[: colors.shape[1]])
    low = shares[:, :3] <= 0.0031308  # IEC 61966-2-1
    shares[:, :3] = np.where(low, 12.92 * shares[:, :3], 1.055 * shares[:, :3].clip(0) ** (1 / 2.4) - 0.055)
    part.visual = trimesh.visual.ColorVisuals(part, vertex_colors=(255 * shares.clip(0, 1)).round().astype(np.uint8))
    return False
