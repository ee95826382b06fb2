"""More damage by programs that are not ours, written after unseen_damage.py had been measured; fitted on since."""

import damage_assets as damage
import numpy as np
import trimesh
from other_damage import G, P, T, each_welded, jpeg, on_refined, picture, resized
from PIL import Image, ImageFilter


def layered(places, faces, size, rng):
    """Heights rounded to a hundred layers, as of a cheap print."""
    moved = places.copy()
    layer = np.ptp(places[:, 1]) / 100 or 1.0
    moved[:, 1] = np.round(places[:, 1] / layer) * layer
    return moved


def hammered(places, faces, size, rng):
    """Hundreds of small dents beside each other."""
    centers = places[rng.integers(len(places), size=400)]
    nearest = np.full(len(places), np.inf)
    for center in centers:
        nearest = np.minimum(nearest, np.linalg.norm(places - center, axis=1))
    normals = trimesh.Trimesh(places, faces, process=False).vertex_normals
    return places - normals * (0.012 * size * np.exp(-((nearest / (0.02 * size)) ** 2)))[:, None]


def by_meshlab(name, **values):
    def change(places, faces, size, rng):
        return damage.meshlab(places, faces, [(name, values)])[0]

    return change


def shards(geometries, rng):
    """Twelve pieces of surface stand a little off their place."""
    out = []
    size = damage.diagonal(geometries)
    for geometry in geometries:
        geometry = damage.refined(geometry, 0.03 * size)
        middles, kept = geometry.triangles_center, np.ones(len(geometry.faces), bool)
        for _ in range(12):
            inside = np.linalg.norm(middles - middles[rng.integers(len(middles))], axis=1) < 0.06 * size
            if (inside & kept).any():
                piece = damage.keep(geometry, inside & kept)
                piece.apply_translation(rng.normal(0, 0.02 * size, 3))
                out.append(piece)
                kept &= ~inside
        if kept.any():
            out.append(damage.keep(geometry, kept))
    return out


def slits(geometries, rng):
    """Rings of surface are gone, five around the height."""
    low, high = damage.bounds(geometries)
    geometries = [damage.refined(g, 0.02 * damage.diagonal(geometries)) for g in geometries]
    kept = []
    for geometry in geometries:
        height = (geometry.triangles_center[:, 1] - low[1]) / max(high[1] - low[1], 1e-9)
        kept.append(damage.keep(geometry, (height * 5 % 1) > 0.12))
    return [g for g in kept if len(g.faces)]


def planks(geometries, rng):
    """Three long boards float beside it."""
    low, high = damage.bounds(geometries)
    size = damage.diagonal(geometries)
    out = list(geometries)
    for _ in range(3):
        board = trimesh.creation.box([0.5 * size, 0.02 * size, 0.06 * size])
        board.apply_transform(trimesh.transformations.random_rotation_matrix(rng.random(3)))
        place = rng.uniform(low, high)
        place[0] = high[0] + 0.35 * size * rng.uniform(0.9, 1.1)
        board.apply_translation(place)
        out.append(damage.plain(board, rng))
    return out


def halftone(image, rng):
    """Dots whose size follows the brightness, one grid for all channels."""
    values = np.asarray(image, float)
    step = max(4, max(image.size) // 128)
    y, x = np.mgrid[: values.shape[0], : values.shape[1]]
    wave = 127.5 + 60 * (np.cos(2 * np.pi * x / step) + np.cos(2 * np.pi * y / step))
    return Image.fromarray(np.where(values > wave[..., None], 240, 20).astype(np.uint8))


def upscaled(image, rng):
    """Made a ninth as large and back with Lanczos, then sharpened: what it lost does not come back."""
    return resized(1 / 9, Image.Resampling.LANCZOS)(image, rng).filter(ImageFilter.UnsharpMask(4, 120, 0))


def noise_here_and_there(image, rng):
    """Noise in a third of the picture."""
    values = np.asarray(image, float)
    mask = Image.fromarray((rng.random((6, 6)) < 0.35).astype(np.uint8) * 255).resize(image.size, Image.Resampling.NEAREST)
    noisy = values + rng.normal(0, 40, values.shape)
    return Image.fromarray(np.clip(np.where(np.asarray(mask)[..., None] > 0, noisy, values), 0, 255).astype(np.uint8))


def poor_chroma(image, rng):
    """Colour differences in blocks of 24 texels, brightness as it was."""
    luma, *chroma = image.convert("YCbCr").split()
    small = [max(1, edge // 24) for edge in image.size]
    chroma = [c.resize(small, Image.Resampling.BOX).resize(image.size, Image.Resampling.NEAREST) for c in chroma]
    return Image.merge("YCbCr", [luma, *chroma]).convert("RGB")


def unwelded(geometries, rng):
    """Every triangle has corners of its own."""
    out = []
    for geometry in geometries:
        flat = geometry.faces.reshape(-1)
        uv = getattr(geometry.visual, "uv", None)
        visual = None if uv is None else trimesh.visual.TextureVisuals(uv=uv[flat], material=geometry.visual.material)
        out.append(trimesh.Trimesh(geometry.vertices[flat], np.arange(len(flat)).reshape(-1, 3), visual=visual, process=False))
    return out


def blurred_twice(image, rng):
    radius = max(image.size) * 0.006
    return image.filter(ImageFilter.BoxBlur(radius)).filter(ImageFilter.BoxBlur(radius))


KINDS = {
    "layered-refined": ("geometry", G, on_refined(each_welded(layered))),
    "hammered-refined": ("geometry", G, on_refined(each_welded(hammered))),
    "two-step": ("geometry", G, each_welded(by_meshlab("apply_coord_two_steps_smoothing", stepsmoothnum=6, normalthr=60))),
    "surface-preserving": ("geometry", G, on_refined(each_welded(by_meshlab("apply_coord_laplacian_smoothing_surface_preserving", iterations=12, angledeg=15)))),
    "shards": ("geometry", [*P, *G], shards),
    "slits": ("geometry", [*P, *G], slits),
    "planks": ("geometry", P, planks),
    "halftone": ("texture", T, picture(halftone)),
    "upscaled": ("texture", T, picture(upscaled)),
    "noise-in-places": ("texture", T, picture(noise_here_and_there)),
    "blurred-twice": ("texture", T, picture(blurred_twice)),
    "jpeg-12": ("texture", T, picture(jpeg(12))),
    "poor-chroma": ("texture-unclaimed", T, picture(poor_chroma)),
    "jpeg-97": ("harmless", [], picture(jpeg(97))),
    "unwelded": ("harmless", [], unwelded),
}
