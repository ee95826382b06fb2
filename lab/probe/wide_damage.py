"""Damage for fitting that widens what the other files have: parts of an object alone, two kinds at once, damage after a re-export or on other
texture coordinates, places rounded to lattices; and changes that are a matter of taste, of which nothing is to be learned but silence.
"""

import damage_assets as damage
import numpy as np
import trimesh
from later_damage import hammered
from other_damage import G, P, T, as_file, each_welded, jpeg, on_refined, picture, resized
from PIL import Image, ImageChops, ImageEnhance, ImageFilter, ImageOps


def then(*kinds):
    """One after the other."""

    def kind(geometries, rng):
        for change in kinds:
            geometries = change(geometries, rng)
            if not geometries:
                return None
        return geometries

    return kind


def of_strength(change, strength):
    return lambda geometries, rng: change(geometries, strength, rng)


# Places.


def lattice(cells):
    """Each axis in steps of its own, as quantised attributes have it."""

    def change(places, faces, size, rng):
        step = np.maximum(np.ptp(places, axis=0), 1e-9) / cells
        return np.round((places - places.min(0)) / step) * step + places.min(0)

    return change


def snapped_to(cells):
    """One step for all axes."""
    return lambda places, faces, size, rng: np.round(places * cells / size) * size / cells


def layers(axis, count):
    def change(places, faces, size, rng):
        moved = places.copy()
        step = np.ptp(places[:, axis]) / count or 1.0
        moved[:, axis] = np.floor(places[:, axis] / step) * step
        return moved

    return change


def noise(size_of, axis=None):
    def change(places, faces, size, rng):
        normals = trimesh.Trimesh(places, faces, process=False).vertex_normals
        there = np.ones((len(places), 1))
        if axis is not None:
            there = (places[:, axis] > np.median(places[:, axis]))[:, None]
        return places + there * normals * rng.normal(0, size_of * size, (len(places), 1))

    return change


def uniform_noise(places, faces, size, rng):
    return places + rng.uniform(-0.012, 0.012, places.shape) * size


def swell(places, faces, size, rng):
    """Dents and bumps of one width all over, as of a coarse field."""
    normals = trimesh.Trimesh(places, faces, process=False).vertex_normals
    total = np.zeros(len(places))
    for _ in range(24):
        way = rng.normal(size=3)
        total += np.sin(places @ way * 2 * np.pi / (0.09 * size * np.linalg.norm(way)) + rng.uniform(0, 7))
    return places + normals * (0.0035 * size * total)[:, None]


def by_meshlab(name, **values):
    return lambda places, faces, size, rng: damage.meshlab(places, faces, [(name, values)])[0]


def smoothed_half(steps):
    def change(places, faces, size, rng):
        moved = damage.meshlab(places, faces, [("apply_coord_laplacian_smoothing", {"stepsmoothnum": steps})])[0]
        if len(moved) != len(places):
            return None
        way = rng.normal(size=3)
        there = (places @ way > np.median(places @ way))[:, None]
        return np.where(there, moved, places)

    return change


def strong_taubin(places, faces, size, rng):
    mesh = trimesh.Trimesh(places, faces, process=False)
    trimesh.smoothing.filter_taubin(mesh, lamb=0.6, nu=0.53, iterations=50)
    return mesh.vertices


# Surfaces made anew.


def remade(steps_of):
    """By filters of MeshLab that give new triangles."""

    def kind(geometries, rng):
        size, out = damage.diagonal(geometries), []
        for geometry in geometries:
            places, faces, _ = damage.welded(geometry)
            own = np.linalg.norm(np.diff(geometry.bounds, axis=0)) or 1.0
            vertices, faces = damage.meshlab(places, faces, steps_of(100 * size / own, len(faces)))
            if len(faces):
                out.append(damage.colored_like(geometry, vertices, faces))
        return out or None

    return kind


def many_holes(count, radius):
    def kind(geometries, rng):
        size = damage.diagonal(geometries)
        geometries = [damage.refined(g, 0.02 * size) for g in geometries]
        inside = damage.balls(geometries, rng, count, radius * size)
        kept = [damage.keep(g, ~inside(g.triangles_center)) for g in geometries]
        return [g for g in kept if len(g.faces)]

    return kind


def lost_triangles(geometries, rng):
    kept = [damage.keep(g, rng.random(len(g.faces)) > 0.05) for g in geometries]
    return [g for g in kept if len(g.faces)]


def ghosts(geometries, rng):
    """Small copies of the object float around it."""
    low, high = damage.bounds(geometries)
    size, out = damage.diagonal(geometries), list(geometries)
    for corner in rng.choice(8, 3, replace=False):
        at = np.where([corner & 1, corner & 2, corner & 4], high, low)
        move = trimesh.transformations.scale_matrix(0.1)
        move[:3, 3] = at + np.sign(at - (low + high) / 2) * 0.08 * size - 0.1 * (low + high) / 2
        for geometry in geometries:
            copy = damage.with_shape(geometry)
            copy.apply_transform(move)
            out.append(copy)
    return out


def blobs(geometries, rng):
    """Two lumps float far off, large ones."""
    low, high = damage.bounds(geometries)
    size, out = damage.diagonal(geometries), list(geometries)
    for side in [low, high]:
        lump = trimesh.creation.icosphere(2, 0.07 * size)
        lump.vertices += rng.normal(0, 0.012 * size, lump.vertices.shape)
        away = (side - (low + high) / 2) * [1, rng.uniform(0.2, 1), 1]
        lump.apply_translation((low + high) / 2 + away * 1.25)
        out.append(damage.plain(lump, rng))
    return out


def disc(geometries, rng):
    """It stands on a round plate that is wider than itself."""
    low, high = damage.bounds(geometries)
    size = damage.diagonal(geometries)
    plate = trimesh.creation.cylinder(0.6 * np.hypot(*(high - low)[[0, 2]]), 0.03 * size, sections=48)
    plate.apply_transform(trimesh.transformations.rotation_matrix(np.pi / 2, [1, 0, 0]))
    plate.apply_translation([(low[0] + high[0]) / 2, low[1] - 0.01 * size, (low[2] + high[2]) / 2])
    return [*geometries, damage.plain(plate, rng)]


def wall(axis):
    def kind(geometries, rng):
        """A thin wall stands beside it."""
        low, high = damage.bounds(geometries)
        size = damage.diagonal(geometries)
        extent = (high - low) * 1.2 + 0.02 * size
        extent[axis] = 0.01 * size
        plate = trimesh.creation.box(extent)
        middle = (low + high) / 2
        middle[axis] = low[axis] - 0.03 * size
        plate.apply_translation(middle)
        return [*geometries, damage.plain(plate, rng)]

    return kind


def pressed(axis, factor):
    scale = np.ones(3)
    scale[axis] = factor
    return lambda geometries, rng: [damage.with_shape(g, g.vertices * scale) for g in geometries]


def cut(share):
    def kind(geometries, rng):
        points = np.vstack([g.triangles_center for g in geometries])
        way = rng.normal(size=3)
        limit = np.quantile(points @ way, 1 - share)
        kept = [damage.keep(g, g.triangles_center @ way <= limit) for g in geometries]
        return [g for g in kept if len(g.faces)]

    return kind


def turned_side(geometries, rng):
    """All triangles of one half are inside out."""
    way, out = rng.normal(size=3), []
    middle = np.median(np.vstack([g.triangles_center for g in geometries]) @ way)
    for geometry in geometries:
        out.append(damage.turned(geometry, geometry.triangles_center @ way > middle))
    return out


# Harmless, or a matter of taste.


def moved(geometries, rng):
    """Another unit, z up, another place."""
    turn = lambda v: np.stack([v[:, 0], -v[:, 2], v[:, 1]], 1) * 0.0254 + [3, 1, -2]
    return [damage.with_shape(g, turn(g.vertices)) for g in geometries]


def other_uv(geometries, rng):
    """Texture coordinates shifted and turned: another picture on the same shape."""
    if all(damage.texture_of(g) is None for g in geometries):
        return None
    out = [g.copy() for g in geometries]
    for geometry in out:
        if damage.texture_of(geometry) is not None:
            geometry.visual.uv = np.array(geometry.visual.uv)[:, ::-1] * 0.9 + 0.07
    return out


# Pictures.


def on_half(change):
    """The left half of the picture only."""

    def kind(image, rng):
        done, out = change(image, rng).resize(image.size), image.copy()
        box = (0, 0, image.size[0] // 2, image.size[1])
        out.paste(done.crop(box), box)
        return out

    return kind


def chain(*changes):
    def kind(image, rng):
        for change in changes:
            image = change(image, rng)
        return image

    return kind


def noisy(sigma, channels=3):
    def change(image, rng):
        values = np.asarray(image, float)
        return clipped(values + rng.normal(0, sigma, (*values.shape[:2], channels)))

    return change


def clipped(values):
    return Image.fromarray(np.clip(values, 0, 255).astype(np.uint8))


def cells_of_noise(divisor, sigma):
    """Noise whose cells are so many to the edge of the picture."""

    def change(image, rng):
        small = Image.fromarray(np.clip(127 + rng.normal(0, sigma, (divisor, divisor, 3)), 0, 255).astype(np.uint8))
        return clipped(np.asarray(image, float) + np.asarray(small.resize(image.size, Image.Resampling.BICUBIC), float) - 127)

    return change


def chroma_noise(image, rng):
    luma, *chroma = [np.asarray(c, float) for c in image.convert("YCbCr").split()]
    chroma = [np.clip(c + rng.normal(0, 35, c.shape), 0, 255) for c in chroma]
    planes = [Image.fromarray(plane.astype(np.uint8)) for plane in [luma, *chroma]]
    return Image.merge("YCbCr", planes).convert("RGB")


def stripes(image, rng):
    """Every other line of four darker, as of a bad sensor."""
    values = np.asarray(image, float)
    rows = rng.normal(0, 22, (values.shape[0], 1, 1))
    return clipped(values + rows)


def specks(image, rng):
    values = np.array(image)
    hit = rng.random(values.shape[:2]) < 0.03
    values[hit] = rng.integers(0, 256, (hit.sum(), 3))
    return Image.fromarray(values)


def blur(share):
    return lambda image, rng: image.filter(ImageFilter.GaussianBlur(max(image.size) * share))


def blur_texels(radius):
    return lambda image, rng: image.filter(ImageFilter.GaussianBlur(radius))


def zoomed(image, rng):
    """Blurred away from the middle."""
    total, steps = np.zeros((*image.size[::-1], 3)), 12
    for k in range(steps):
        edge = [int(side * 0.003 * k) for side in image.size]
        box = (*edge, image.size[0] - edge[0], image.size[1] - edge[1])
        total += np.asarray(image.crop(box).resize(image.size, Image.Resampling.BILINEAR), float)
    return clipped(total / steps)


def few(count, dither):
    return lambda image, rng: image.quantize(count, dither=dither).convert("RGB")


def baked_light(image, rng):
    """Lighter to one corner."""
    y, x = np.mgrid[: image.size[1], : image.size[0]]
    return clipped(np.asarray(image, float) * (0.6 + 0.5 * (x / image.size[0] + y / image.size[1]) / 2)[..., None])


def filtered(name):
    return lambda image, rng: image.filter(getattr(ImageFilter, name))


def unsharp(radius, percent):
    return lambda image, rng: image.filter(ImageFilter.UnsharpMask(radius, percent, 0))


def enhanced(name, factor):
    return lambda image, rng: getattr(ImageEnhance, name)(image).enhance(factor)


def gamma(image, rng):
    return image.point(lambda v: int(255 * (v / 255) ** 0.6 + 0.5))


def swapped_channels(image, rng):
    r, g, b = image.split()
    return Image.merge("RGB", [b, g, r])


NONE, TASTE, OF_TASTE = "harmless", "geometry-unclaimed", "texture-unclaimed"
KINDS = {
    "lattice-64": ("geometry", G, each_welded(lattice(64))),
    "lattice-refined": ("geometry", G, on_refined(each_welded(lattice(96)))),
    "snapped-60": ("geometry", G, on_refined(each_welded(snapped_to(60)))),
    "snapped-150": ("geometry", G, each_welded(snapped_to(150))),
    "layers-x": ("geometry", G, each_welded(layers(0, 60))),
    "layers-y": ("geometry", G, on_refined(each_welded(layers(1, 45)))),
    "layers-z": ("geometry", G, on_refined(each_welded(layers(2, 80)))),
    "noise-weak": ("geometry", G, on_refined(each_welded(noise(0.003)))),
    "noise-half": ("geometry", G, each_welded(noise(0.007, 0))),
    "noise-upper": ("geometry", G, on_refined(each_welded(noise(0.005, 1)))),
    "noise-uniform": ("geometry", G, each_welded(uniform_noise)),
    "noise-moved": ("geometry", G, then(each_welded(noise(0.008)), moved)),
    "noise-other-uv": ("geometry", G, then(each_welded(noise(0.006)), other_uv)),
    "noise-and-holes": ("geometry", [*P, *G], then(each_welded(noise(0.004)), many_holes(5, 0.06))),
    "swell-refined": ("geometry", G, on_refined(each_welded(swell))),
    "hammered": ("geometry", G, each_welded(hammered)),
    "smooth-half": ("geometry", G, each_welded(smoothed_half(25))),
    "smooth-half-refined": ("geometry", G, on_refined(each_welded(smoothed_half(40)))),
    "smooth-moved": ("geometry", G, then(each_welded(by_meshlab("apply_coord_laplacian_smoothing", stepsmoothnum=20)), moved)),
    "depth-smoothed": ("geometry", G, on_refined(each_welded(by_meshlab("apply_coord_laplacian_smoothing", stepsmoothnum=12, cotangentweight=False)))),
    "taubin-strong": ("geometry", G, on_refined(each_welded(strong_taubin))),
    "two-step-refined": ("geometry", G, on_refined(each_welded(by_meshlab("apply_coord_two_steps_smoothing", stepsmoothnum=10, normalthr=80)))),
    "smooth-and-decimate": ("geometry", G, then(each_welded(by_meshlab("apply_coord_laplacian_smoothing", stepsmoothnum=4)), of_strength(damage.decimate, 0.5))),
    "decimate-moved": ("geometry", G, then(of_strength(damage.decimate, 1.0), moved)),
    "decimate-60": ("geometry", G, remade(lambda size, count: [("meshing_decimation_quadric_edge_collapse", {"targetfacenum": min(60, count // 3)})])),
    "decimate-even": ("geometry", G, remade(lambda size, count: [("meshing_decimation_quadric_edge_collapse", {"targetfacenum": max(4, count // 12), "planarquadric": True})])),
    "clusters-5": ("geometry", G, remade(lambda size, count: [("meshing_decimation_clustering", {"threshold": (min(0.05 * size, 50.0),)})])),
    "remeshed-coarse": ("geometry", G, remade(lambda size, count: [("meshing_isotropic_explicit_remeshing", {"targetlen": (min(0.07 * size, 40.0),), "iterations": 4})])),
    "holes-small": ("geometry", [*P, *G], many_holes(25, 0.02)),
    "holes-large": ("geometry", [*P, *G], many_holes(2, 0.14)),
    "holes-moved": ("geometry", [*P, *G], then(many_holes(6, 0.06), moved)),
    "holes-other-uv": ("geometry", [*P, *G], then(many_holes(8, 0.05), other_uv)),
    "lost-triangles": ("geometry", [*P, *G], lost_triangles),
    "cut-10": ("geometry", P, cut(0.1)),
    "cut-35": ("geometry", P, cut(0.35)),
    "ghosts": ("geometry", P, ghosts),
    "blobs-beside": ("geometry", P, blobs),
    "floaters-moved": ("geometry", P, then(of_strength(damage.floaters, 1.0), moved)),
    "floaters-and-noise": ("geometry", [*P, *G], then(of_strength(damage.floaters, 1.0), each_welded(noise(0.005)))),
    "disc": ("geometry", P, disc),
    "slab-moved": ("geometry", P, then(of_strength(damage.slab, 0.6), moved)),
    "wall-beside": ("geometry", P, wall(0)),
    "wall-behind": ("geometry", P, wall(2)),
    "pressed-15": ("geometry", P, pressed(2, 0.15)),
    "pressed-40": ("geometry", P, pressed(2, 0.4)),
    "turned-half": ("geometry", G, turned_side),
    "lost-triangles-decimate": ("geometry", [*P, *G], then(lost_triangles, of_strength(damage.decimate, 0.5))),
    "pressed-down": (TASTE, P, pressed(1, 0.6)),
    "moved": (NONE, [], moved),
    "moved-subdivided": (NONE, [], then(moved, lambda geometries, rng: [g.subdivide() for g in geometries if len(g.faces) < 40_000])),
    "blur-2": ("texture", T, picture(blur_texels(2))),
    "blur-4": ("texture", T, picture(blur_texels(4))),
    "blur-8": ("texture", T, picture(blur_texels(8))),
    "blur-half": ("texture", T, picture(on_half(blur(0.012)))),
    "blur-zoomed": ("texture", T, picture(zoomed)),
    "blur-jpeg": ("texture", T, picture(chain(blur(0.006), jpeg(60)))),
    "blur-resized": ("texture", T, picture(chain(blur(0.008), resized(1 / 2, None)))),
    "max-filter": ("texture", T, picture(lambda i, rng: i.filter(ImageFilter.MaxFilter(7)))),
    "min-filter": ("texture", T, picture(lambda i, rng: i.filter(ImageFilter.MinFilter(7)))),
    "median-5": ("texture", T, picture(lambda i, rng: i.filter(ImageFilter.MedianFilter(5)))),
    "mode-11": ("texture", T, picture(lambda i, rng: i.filter(ImageFilter.ModeFilter(11)))),
    "noise-16": ("texture", T, picture(noisy(16))),
    "noise-gray-25": ("texture", T, picture(noisy(25, 1))),
    "noise-chroma": ("texture", T, picture(chroma_noise)),
    "grain-half": ("texture", T, picture(on_half(noisy(40)))),
    "noise-jpeg": ("texture", T, picture(chain(noisy(35), jpeg(70)))),
    "noise-blurred": ("texture", T, picture(chain(noisy(70), blur_texels(0.8)))),
    "noise-cells-96": ("texture", T, picture(cells_of_noise(96, 45))),
    "noise-cells-320": ("texture", T, picture(cells_of_noise(320, 45))),
    "noise-rows": ("texture", T, picture(stripes)),
    "specks": ("texture", T, picture(specks)),
    "blur-and-noise": ("texture", T, picture(chain(blur(0.006), noisy(25)))),
    "smaller-5": ("texture", T, picture(resized(1 / 5, None, Image.Resampling.BOX))),
    "smaller-16": ("texture", T, picture(resized(1 / 16, None, Image.Resampling.BILINEAR))),
    "smaller-40": ("texture", T, picture(resized(1 / 40, None, Image.Resampling.LANCZOS))),
    "back-6": ("texture", T, picture(resized(1 / 6, Image.Resampling.BILINEAR))),
    "back-24": ("texture", T, picture(resized(1 / 24, Image.Resampling.LANCZOS))),
    "blocks-5": ("texture", T, picture(resized(1 / 5, Image.Resampling.NEAREST, Image.Resampling.NEAREST))),
    "blocks-32": ("texture", T, picture(resized(1 / 32, Image.Resampling.NEAREST, Image.Resampling.BOX))),
    "blocks-half": ("texture", T, picture(on_half(resized(1 / 16, Image.Resampling.NEAREST)))),
    "jpeg-4": ("texture", T, picture(jpeg(4))),
    "jpeg-18": ("texture", T, picture(jpeg(18))),
    "webp-4": ("texture", T, picture(as_file("WEBP", 4))),
    "posterized-2": ("texture-unclaimed", T, picture(lambda i, rng: ImageOps.posterize(i, 2))),
    "sixteen-dithered": ("texture-unclaimed", T, picture(few(16, Image.Dither.FLOYDSTEINBERG))),
    "twelve-colors": ("texture-unclaimed", T, picture(few(12, Image.Dither.NONE))),
    "unsharp-2": (OF_TASTE, T, picture(unsharp(2, 150))),
    "unsharp-8": (OF_TASTE, T, picture(unsharp(8, 120))),
    "unsharp-1": (OF_TASTE, T, picture(unsharp(1, 350))),
    "sharpen": (OF_TASTE, T, picture(filtered("SHARPEN"))),
    "detail": (OF_TASTE, T, picture(filtered("DETAIL"))),
    "edges": (OF_TASTE, T, picture(filtered("EDGE_ENHANCE_MORE"))),
    "emboss-weak": (OF_TASTE, T, picture(lambda i, rng: Image.blend(i, i.filter(ImageFilter.EMBOSS), 0.3))),
    "contrast-up": (OF_TASTE, T, picture(enhanced("Contrast", 1.7))),
    "contrast-down": (OF_TASTE, T, picture(enhanced("Contrast", 0.45))),
    "saturated": (OF_TASTE, T, picture(enhanced("Color", 2.0))),
    "gray": (OF_TASTE, T, picture(enhanced("Color", 0.0))),
    "bright": (OF_TASTE, T, picture(enhanced("Brightness", 1.5))),
    "dark": (OF_TASTE, T, picture(enhanced("Brightness", 0.6))),
    "gamma": (OF_TASTE, T, picture(gamma)),
    "equalized": (OF_TASTE, T, picture(lambda i, rng: ImageOps.equalize(i))),
    "inverted-colors": (OF_TASTE, T, picture(lambda i, rng: ImageChops.invert(i))),
    "swapped-channels": (OF_TASTE, T, picture(swapped_channels)),
    "baked-light": (OF_TASTE, T, picture(baked_light)),
    "other-uv": (OF_TASTE, T, other_uv),
    "enlarged": (NONE, [], picture(lambda i, rng: i.resize([2 * side for side in i.size], Image.Resampling.BICUBIC) if max(i.size) <= 1024 else i)),
    "jpeg-90": (NONE, [], picture(jpeg(90))),
}
