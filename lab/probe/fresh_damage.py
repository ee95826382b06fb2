"""Damage that the offline judge's table of weights is measured on and never fitted on: written before any result on it was seen.

Filters and parameters of MeshLab, trimesh, numpy and PIL as others would reach for them; none is in the other files.
"""

import io

import damage_assets as damage
import numpy as np
import trimesh
from other_damage import G, P, T, each_welded, picture
from PIL import Image, ImageDraw, ImageEnhance, ImageFilter, ImageOps


def by_meshlab(name, **values):
    return each_welded(lambda places, faces, size, rng: damage.meshlab(places, faces, [(name, values)])[0])


def permuted(places, faces, size, rng):
    """trimesh's own noise: each vertex anywhere within a length."""
    return trimesh.permutate.noise(trimesh.Trimesh(places, faces, process=False), magnitude=0.01 * size).vertices


def fractal(geometries, rng):
    out = []
    for geometry in geometries:
        places, faces, inverse = damage.welded(damage.refined(geometry, 0.03 * damage.diagonal(geometries)))
        geometry = damage.refined(geometry, 0.03 * damage.diagonal(geometries))
        own = np.linalg.norm(np.diff(geometry.bounds, axis=0)) or 1.0
        height = min(100 * 0.03 * damage.diagonal(geometries) / own, 20.0)
        moved, _ = damage.meshlab(places, faces, [("apply_coord_fractal_displacement", {"maxheight": (height,), "octaves": 8.0, "seed": int(rng.integers(99))})])
        if len(moved) != len(places):
            return None
        out.append(damage.with_shape(geometry, moved[inverse]))
    return out


def facet_noise(geometries, rng):
    """Every facet is shifted along its normal by itself: the surface falls into tiles."""
    out, size = [], damage.diagonal(geometries)
    for geometry in geometries:
        shift = geometry.face_normals * rng.normal(0, 0.006 * size, (len(geometry.faces), 1))
        tiles = damage.apart(geometry)
        tiles.vertices += np.repeat(shift, 3, axis=0)
        out.append(tiles)
    return out


def smoothed(filter_name, **values):
    def change(places, faces, size, rng):
        mesh = trimesh.Trimesh(places, faces, process=False)
        getattr(trimesh.smoothing, filter_name)(mesh, **values)
        return mesh.vertices

    return each_welded(change)


def decimated(count_of, **values):
    def kind(geometries, rng):
        out = []
        for geometry in geometries:
            places, faces, _ = damage.welded(geometry)
            step = {"targetfacenum": count_of(len(faces)), **values}
            vertices, faces = damage.meshlab(places, faces, [("meshing_decimation_quadric_edge_collapse", step)])
            if len(faces):
                out.append(damage.colored_like(geometry, vertices, faces))
        return out or None

    return kind


def reconstructed(geometries, rng):
    """Screened Poisson at a low depth."""
    meshes = [damage.welded(g)[:2] for g in geometries]
    firsts = np.cumsum([0, *(len(places) for places, _ in meshes)])
    places, faces = np.vstack([p for p, _ in meshes]), np.vstack([f + first for (_, f), first in zip(meshes, firsts)])
    vertices, faces = damage.meshlab(places, faces, [
        ("generate_sampling_montecarlo", {"samplenum": 20_000}), ("compute_normal_for_point_clouds", {}),
        ("generate_surface_reconstruction_screened_poisson", {"depth": 6}),
    ])
    return [trimesh.Trimesh(vertices, faces, process=False)] if len(faces) else None


def windows(geometries, rng):
    """Boxes cut out of the surface, at six places."""
    size = damage.diagonal(geometries)
    geometries = [damage.refined(g, 0.03 * size) for g in geometries]
    points, kept = np.vstack([g.triangles_center for g in geometries]), geometries
    for _ in range(6):
        center, half = points[rng.integers(len(points))], rng.uniform(0.03, 0.07, 3) * size
        kept = [damage.keep(g, (np.abs(g.triangles_center - center) > half).any(1)) for g in kept if len(g.faces)]
    return [g for g in kept if len(g.faces)]


def open_side(geometries, rng):
    """Cut by a plane through trimesh, the cut left open."""
    low, high = damage.bounds(geometries)
    axis = int(rng.integers(3))
    normal, origin = np.zeros(3), (low + high) / 2
    normal[axis], origin[axis] = -1, high[axis] - 0.12 * (high - low)[axis]
    out = []
    for geometry in geometries:
        visual = getattr(geometry.visual, "uv", None)
        piece = geometry.slice_plane(origin, normal) if visual is None else damage.keep(geometry, geometry.triangles_center[:, axis] < origin[axis])
        if piece is not None and len(piece.faces):
            out.append(piece)
    return out


def rods(geometries, rng):
    """Thin rods float about, as of a printer's support."""
    low, high = damage.bounds(geometries)
    size, out = damage.diagonal(geometries), list(geometries)
    for _ in range(7):
        rod = trimesh.creation.cylinder(0.008 * size, rng.uniform(0.06, 0.2) * size, sections=10)
        rod.apply_transform(trimesh.transformations.random_rotation_matrix(rng.random(3)))
        way = rng.normal(size=3)
        rod.apply_translation((low + high) / 2 + way / np.linalg.norm(way) * 0.62 * size)
        out.append(damage.plain(rod, rng))
    return out


def rings(geometries, rng):
    low, high = damage.bounds(geometries)
    size, out = damage.diagonal(geometries), list(geometries)
    for height in [0.3, 0.8]:
        ring = trimesh.creation.torus(0.66 * size, 0.015 * size)
        ring.apply_transform(trimesh.transformations.rotation_matrix(np.pi / 2, [1, 0, 0]))
        ring.apply_translation([(low[0] + high[0]) / 2, low[1] + height * (high - low)[1], (low[2] + high[2]) / 2])
        out.append(damage.plain(ring, rng))
    return out


def terrain(geometries, rng):
    """A patch of uneven ground under it, wider than itself."""
    low, high = damage.bounds(geometries)
    size = damage.diagonal(geometries)
    x, z = np.meshgrid(np.linspace(-0.65, 0.65, 24), np.linspace(-0.65, 0.65, 24))
    y = rng.uniform(-0.012, 0.0, x.shape) * size
    places = np.stack([x * (high - low)[0] * 1.2, y, z * (high - low)[2] * 1.2], -1).reshape(-1, 3)
    corner = (np.arange(23)[:, None] * 24 + np.arange(23)).reshape(-1)
    faces = np.concatenate([np.stack([corner, corner + 24, corner + 1], 1), np.stack([corner + 1, corner + 24, corner + 25], 1)])
    ground = trimesh.Trimesh(places + [(low[0] + high[0]) / 2, low[1], (low[2] + high[2]) / 2], faces, process=False)
    return [*geometries, damage.plain(ground, rng)]


def relief(geometries, rng):
    """A tenth as deep."""
    return [damage.with_shape(g, g.vertices * [1, 1, 0.1]) for g in geometries]


def turned_parts(geometries, rng):
    """One connected piece in three is inside out, or a third of the triangles where there is one alone."""
    out = []
    for geometry in geometries:
        _, welded_faces, _ = damage.welded(geometry)
        labels = trimesh.graph.connected_component_labels(trimesh.graph.face_adjacency(welded_faces), node_count=len(geometry.faces))
        chosen = rng.random(labels.max() + 1) < 0.34
        turned = chosen[labels]
        if not turned.any() or turned.all():
            turned = geometry.triangles_center[:, 1] > np.quantile(geometry.triangles_center[:, 1], 0.67)
        out.append(damage.turned(geometry, turned))
    return out


def half_precision(geometries, rng):
    """Places as 16-bit floats of a large offset: about 7 bits are left."""
    size, out = damage.diagonal(geometries), []
    for geometry in geometries:
        scaled = (geometry.vertices / size + 8.0).astype(np.float16).astype(float)
        out.append(damage.with_shape(geometry, (scaled - 8.0) * size))
    return out


def spread(image, rng):
    return image.effect_spread(max(2, max(image.size) // 100))


def film_grain(image, rng):
    noise = Image.effect_noise(image.size, 80).convert("L")
    return Image.blend(image, Image.merge("RGB", [noise] * 3), 0.4)


def laplace_noise(image, rng):
    values = np.asarray(image, float)
    return Image.fromarray(np.clip(values + rng.laplace(0, 26, values.shape), 0, 255).astype(np.uint8))


def dead_texels(image, rng):
    values = np.array(image)
    values[rng.random(values.shape[:2]) < 0.05] = 0
    return Image.fromarray(values)


def low_pass(image, rng):
    """By Fourier transform, with nothing left above a 24th of the sampling rate."""
    values = np.asarray(image, float)
    y, x = np.meshgrid(np.fft.fftfreq(values.shape[0]), np.fft.fftfreq(values.shape[1]), indexing="ij")
    kept = (np.hypot(x, y) < 1 / 24)[..., None]
    found = np.fft.ifft2(np.fft.fft2(values, axes=(0, 1)) * kept, axes=(0, 1)).real
    return Image.fromarray(np.clip(found, 0, 255).astype(np.uint8))


def sized(edge, filter_down, back=None):
    def change(image, rng):
        small = image.resize([max(2, min(edge, side)) for side in image.size], filter_down)
        return small if back is None else small.resize(image.size, back)

    return change


def compressed(**values):
    return lambda image, rng: damage.encoded(image, **values)


def stained(image, rng):
    done = image.copy()
    pen = ImageDraw.Draw(done)
    for _ in range(12):
        x, y, r = rng.integers(image.size[0]), rng.integers(image.size[1]), max(image.size) * rng.uniform(0.02, 0.08)
        pen.ellipse([x - r, y - r, x + r, y + r], fill=(70, 50, 30))
    return done


def moved_uv(change):
    def kind(geometries, rng):
        if all(damage.texture_of(g) is None for g in geometries):
            return None
        out = [g.copy() for g in geometries]
        for geometry in out:
            if damage.texture_of(geometry) is not None:
                geometry.visual.uv = change(np.array(geometry.visual.uv))
        return out

    return kind


def renamed(geometries, rng):
    """Through a PLY of doubles without textures where there are none, else as it is; in feet, z up."""
    turn = lambda v: np.stack([v[:, 0], -v[:, 2], v[:, 1]], 1) * 3.2808
    out = []
    for geometry in geometries:
        if damage.texture_of(geometry) is None:
            held = trimesh.exchange.ply.export_ply(trimesh.Trimesh(geometry.vertices, geometry.faces, process=False))
            plain = trimesh.load(io.BytesIO(held), file_type="ply", process=False)
            geometry = damage.with_shape(geometry, vertices=plain.vertices, faces=plain.faces)
        out.append(damage.with_shape(geometry, turn(geometry.vertices)))
    return out


NONE, OF_TASTE, TASTE = "harmless", "texture-unclaimed", "geometry-unclaimed"
BOX, BILINEAR, BICUBIC, NEAREST = Image.Resampling.BOX, Image.Resampling.BILINEAR, Image.Resampling.BICUBIC, Image.Resampling.NEAREST
KINDS = {
    "trimesh-noise": ("geometry", G, each_welded(permuted)),
    "fractal": ("geometry", G, fractal),
    "tiles": ("geometry", G, facet_noise),
    "scale-smoothed": ("geometry", G, by_meshlab("apply_coord_laplacian_smoothing_scale_dependent", stepsmoothnum=60)),
    "taubin-meshlab": ("geometry", G, by_meshlab("apply_coord_taubin_smoothing", stepsmoothnum=80)),
    "laplacian-implicit": ("geometry", G, smoothed("filter_laplacian", lamb=0.7, iterations=25)),
    "humphrey-strong": ("geometry", G, smoothed("filter_humphrey", alpha=0.02, beta=0.3, iterations=40)),
    "decimate-10": ("geometry", G, decimated(lambda n: max(4, n // 10), preservetopology=True)),
    "decimate-200": ("geometry", G, decimated(lambda n: max(4, min(200, n // 4)), qualitythr=1.0)),
    "decimate-boundary": ("geometry", G, decimated(lambda n: max(4, n // 7), preserveboundary=True, preservenormal=True, optimalplacement=False)),
    "poisson-6": (TASTE, G, reconstructed),
    "half-precision": ("geometry", G, half_precision),
    "windows": ("geometry", [*P, *G], windows),
    "open-side": ("geometry", P, open_side),
    "rods": ("geometry", P, rods),
    "rings": ("geometry", P, rings),
    "terrain": ("geometry", P, terrain),
    "relief": ("geometry", P, relief),
    "turned-parts": ("geometry", G, turned_parts),
    "gaussian-3": ("texture", T, picture(lambda i, rng: i.filter(ImageFilter.GaussianBlur(3 + max(i.size) * 0.004)))),
    "box-twice": ("texture", T, picture(lambda i, rng: i.filter(ImageFilter.BoxBlur(max(2, max(i.size) // 120))).filter(ImageFilter.BoxBlur(2)))),
    "low-pass": ("texture", T, picture(low_pass)),
    "rank": ("texture", T, picture(lambda i, rng: i.filter(ImageFilter.RankFilter(9, 12)))),
    "spread": ("texture", T, picture(spread)),
    "film-grain": ("texture", T, picture(film_grain)),
    "laplace-noise": ("texture", T, picture(laplace_noise)),
    "dead-texels": ("texture", T, picture(dead_texels)),
    "sized-64": ("texture", T, picture(sized(64, BICUBIC))),
    "sized-48-back": ("texture", T, picture(sized(48, BOX, BICUBIC))),
    "sized-56-blocks": ("texture", T, picture(sized(56, BILINEAR, NEAREST))),
    "reduced-9": ("texture", T, picture(lambda i, rng: i.reduce(9) if min(i.size) >= 36 else i.reduce(4))),
    "jpeg-5": ("texture", T, picture(compressed(format="JPEG", quality=5, subsampling=2))),
    "six-colors": (OF_TASTE, T, picture(lambda i, rng: i.quantize(6, dither=Image.Dither.NONE).convert("RGB"))),
    "solarized": (OF_TASTE, T, picture(lambda i, rng: ImageOps.solarize(i, 128))),
    "autocontrast": (OF_TASTE, T, picture(lambda i, rng: ImageOps.autocontrast(i, cutoff=8))),
    "unsharp-5": (OF_TASTE, T, picture(lambda i, rng: i.filter(ImageFilter.UnsharpMask(5, 220, 2)))),
    "edge-enhanced": (OF_TASTE, T, picture(lambda i, rng: i.filter(ImageFilter.EDGE_ENHANCE).filter(ImageFilter.DETAIL))),
    "sharpness-4": (OF_TASTE, T, picture(lambda i, rng: ImageEnhance.Sharpness(i).enhance(4.0))),
    "stained": (OF_TASTE, T, picture(stained)),
    "uv-scaled": (OF_TASTE, T, moved_uv(lambda uv: uv * 1.3)),
    "uv-shift": (OF_TASTE, T, moved_uv(lambda uv: uv + [0.31, 0.07])),
    "u-flip": (OF_TASTE, T, moved_uv(lambda uv: np.stack([1 - uv[:, 0], uv[:, 1]], 1))),
    "hue-half": (OF_TASTE, T, picture(lambda i, rng: Image.merge("HSV", [c.point(lambda v: (v + 128) % 256) if k == 0 else c for k, c in enumerate(i.convert("HSV").split())]).convert("RGB"))),
    "renamed": (NONE, [], renamed),
    "png-again": (NONE, [], picture(compressed(format="PNG"))),
    "jpeg-93": (NONE, [], picture(compressed(format="JPEG", quality=93))),
    "split": (NONE, [], lambda geometries, rng: [damage.keep(g, np.arange(len(g.faces)) % 2 == k) for g in geometries if len(g.faces) > 1 for k in [0, 1]]),
}
