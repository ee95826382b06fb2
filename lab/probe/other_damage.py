"""More damage by programs that are not ours: other filters than in damage_assets.py, or the same ones with other parameters.

A kind takes a list of trimesh geometries in world space and a random generator; damaged_pairs.py writes what it gives.
"""

import damage_assets as damage
import numpy as np
import trimesh
from PIL import Image, ImageEnhance, ImageFilter


def each_welded(change):
    """A new place for every distinct place of every geometry."""

    def kind(geometries, rng):
        out = []
        for geometry in geometries:
            places, faces, inverse = damage.welded(geometry)
            moved = change(places, faces, damage.diagonal(geometries), rng)
            if moved is None or len(moved) != len(places):
                return None
            out.append(damage.with_shape(geometry, moved[inverse]))
        return out

    return kind


def meshlab_places(name, **values):
    return each_welded(lambda places, faces, size, rng: damage.meshlab(places, faces, [(name, values)])[0])


def humphrey(places, faces, size, rng):
    mesh = trimesh.Trimesh(places, faces, process=False)
    trimesh.smoothing.filter_humphrey(mesh, alpha=0.05, beta=0.4, iterations=25)
    return mesh.vertices


def sideways_noise(places, faces, size, rng):
    """Any direction, even instead of normal."""
    return places + rng.uniform(-0.009, 0.009, places.shape) * size


def few_spikes(places, faces, size, rng):
    normals = trimesh.Trimesh(places, faces, process=False).vertex_normals
    chosen = rng.random((len(places), 1)) < 0.12
    return places + normals * chosen * rng.normal(0, 0.02 * size, (len(places), 1))


def waves(places, faces, size, rng):
    """Ripples across the surface along the normals: noise that is not white."""
    normals = trimesh.Trimesh(places, faces, process=False).vertex_normals
    total = np.zeros((len(places), 1))
    for _ in range(8):
        direction = rng.normal(size=3)
        direction *= 2 * np.pi / (0.035 * size * np.linalg.norm(direction))
        total += np.sin(places @ direction + rng.uniform(0, 7))[:, None]
    return places + normals * total * 0.0022 * size


def on_refined(kind):
    return lambda geometries, rng: kind([damage.refined(g, 0.025 * damage.diagonal(geometries)) for g in geometries], rng)


def decimated(share):
    def kind(geometries, rng):
        out = []
        for geometry in geometries:
            places, faces, _ = damage.welded(geometry)
            wanted = max(4, int(len(faces) * share))
            vertices, faces = damage.meshlab(places, faces, [("meshing_decimation_quadric_edge_collapse", {"targetfacenum": wanted, "preservenormal": True})])
            if len(faces):
                out.append(damage.colored_like(geometry, vertices, faces))
        return out

    return kind


def drilled(geometries, rng):
    """Two cylinders of surface are gone."""
    geometries = [damage.refined(g, 0.03 * damage.diagonal(geometries)) for g in geometries]
    size = damage.diagonal(geometries)
    points = np.vstack([g.triangles_center for g in geometries])
    kept = geometries
    for _ in range(2):
        axis = rng.normal(size=3)
        axis /= np.linalg.norm(axis)
        through = points[rng.integers(len(points))]

        def is_out(g):
            away = g.triangles_center - through
            return np.linalg.norm(away - (away @ axis)[:, None] * axis, axis=1) > 0.05 * size

        kept = [damage.keep(g, is_out(g)) for g in kept if len(g.faces)]
    return [g for g in kept if len(g.faces)]


def sliced(geometries, rng):
    """A band of surface is gone."""
    points = np.vstack([g.triangles_center for g in geometries])
    direction = rng.normal(size=3)
    along = points @ direction
    low, high = np.quantile(along, [0.45, 0.55])
    kept = [damage.keep(g, (g.triangles_center @ direction < low) | (g.triangles_center @ direction > high)) for g in geometries]
    return [g for g in kept if len(g.faces)]


def boxes_around(geometries, rng):
    """Cubes of several sizes that float."""
    low, high = damage.bounds(geometries)
    size = damage.diagonal(geometries)
    points = np.vstack([g.vertices for g in geometries])
    out = list(geometries)
    for _ in range(6):
        for _ in range(200):
            center = rng.uniform(low - 0.08 * size, high + 0.08 * size)
            if np.linalg.norm(points - center, axis=1).min() > 0.1 * size:
                break
        box = trimesh.creation.box(rng.uniform(0.02, 0.06, 3) * size)
        box.apply_transform(trimesh.transformations.random_rotation_matrix(rng.random(3)))
        box.apply_translation(center)
        out.append(damage.plain(box, rng))
    return out


def picture(change):
    return lambda geometries, rng: damage.painted(lambda image, _, rng: change(image, rng))(geometries, 1.0, rng)


def as_file(format, quality):
    return lambda image, rng: damage.encoded(image, format, quality=quality)


def jpeg(quality):
    return as_file("JPEG", quality)


def speckle(image, rng):
    """Noise that grows with the brightness."""
    values = np.asarray(image, float)
    return Image.fromarray(np.clip(values * (1 + rng.uniform(-0.35, 0.35, values.shape)), 0, 255).astype(np.uint8))


def dots(image, rng):
    """White and black squares of 3 × 3 texels."""
    values = np.array(image)
    for _ in range(values.shape[0] * values.shape[1] // 250):
        y, x = rng.integers(values.shape[0]), rng.integers(values.shape[1])
        values[y : y + 3, x : x + 3] = rng.integers(2) * 255
    return Image.fromarray(values)


def resized(share, back, filter_down=Image.Resampling.BICUBIC):
    def change(image, rng):
        small = image.resize([max(2, int(side * share)) for side in image.size], filter_down)
        return small if back is None else small.resize(image.size, back)

    return change


def blurred_along(image, rng):
    """Along one axis alone, as when a scanner moves."""
    width = max(3, int(image.size[0] * 0.025))
    values = np.asarray(image, np.float32)
    shifts = range(-(width // 2), width // 2 + 1)
    total = np.zeros_like(values)
    for shift in shifts:
        total += np.roll(values, shift, 1)
    return Image.fromarray((total / len(shifts)).astype(np.uint8))


def turned_hue(image, rng):
    h, s, v = image.convert("HSV").split()
    return Image.merge("HSV", [h.point(lambda x: (x + 45) % 256), s, v]).convert("RGB")


G, P, T = [damage.GEOMETRY], [damage.PLAUSIBLE], [damage.TEXTURE]
KINDS = {
    "hc-laplacian": ("geometry", G, meshlab_places("apply_coord_hc_laplacian_smoothing")),
    "laplacian-8": ("geometry", G, meshlab_places("apply_coord_laplacian_smoothing", stepsmoothnum=8)),
    "humphrey-refined": ("geometry", G, on_refined(each_welded(humphrey))),
    "noise-sideways": ("geometry", G, each_welded(sideways_noise)),
    "spikes": ("geometry", G, each_welded(few_spikes)),
    "ripples-refined": ("geometry", G, on_refined(each_welded(waves))),
    "decimate-15": ("geometry", G, decimated(0.15)),
    "decimate-4": ("geometry", G, decimated(0.04)),
    "drilled": ("geometry", [*P, *G], drilled),
    "sliced": ("geometry", P, sliced),
    "boxes": ("geometry", P, boxes_around),
    "median": ("texture", T, picture(lambda i, rng: i.filter(ImageFilter.MedianFilter(9)))),
    "blur-weak": ("texture", T, picture(lambda i, rng: i.filter(ImageFilter.GaussianBlur(max(i.size) * 0.006)))),
    "blur-along": ("texture", T, picture(blurred_along)),
    "jpeg-6": ("texture", T, picture(jpeg(6))),
    "speckle": ("texture", T, picture(speckle)),
    "dots": ("texture", T, picture(dots)),
    "half-of-half": ("texture", T, picture(resized(1 / 12, None))),
    "blocks-10": ("texture", T, picture(resized(1 / 10, Image.Resampling.NEAREST))),
    "lanczos-14": ("texture", T, picture(resized(1 / 14, Image.Resampling.LANCZOS))),
    "unsharp": ("texture-unclaimed", T, picture(lambda i, rng: i.filter(ImageFilter.UnsharpMask(4, 300, 0)))),
    "eight-colors": ("texture-unclaimed", T, picture(lambda i, rng: i.quantize(8).convert("RGB"))),
    "hue-45": ("texture-unclaimed", T, picture(turned_hue)),
    "brighter": ("harmless", [], picture(lambda i, rng: ImageEnhance.Brightness(i).enhance(1.02))),
    "webp": ("harmless", [], picture(as_file("WEBP", 97))),
    "tilted": ("harmless", [], lambda geometries, rng: tilted(geometries)),
    "float-noise": ("harmless", [], each_welded(lambda places, faces, size, rng: places + rng.normal(0, 2e-6, places.shape) * size)),
    "merged": ("harmless", [], lambda geometries, rng: merged(geometries)),
}


def tilted(geometries):
    """A quarter turn about the vertical axis, in inches."""
    turned = lambda v: np.stack([v[:, 2], v[:, 1], -v[:, 0]], 1) * 39.37
    return [damage.with_shape(g, turned(g.vertices)) for g in geometries]


def merged(geometries):
    """Vertices at equal places with equal texture coordinates are one."""
    out = [g.copy() for g in geometries]
    for geometry in out:
        geometry.merge_vertices()
    return out
