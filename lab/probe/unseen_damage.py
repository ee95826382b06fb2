"""More damage by programs that are not ours, written as a test of an earlier table of weights; fitted on since."""

import damage_assets as damage
import numpy as np
import trimesh
from other_damage import G, P, T, each_welded, jpeg, on_refined, picture, resized
from PIL import Image, ImageDraw, ImageFilter


def snapped(places, faces, size, rng):
    """Places rounded to a coarse grid, as by too few bits of quantisation."""
    cell = size / 90
    return np.round(places / cell) * cell


def lumps(places, faces, size, rng):
    """Thirty bumps and dents."""
    moved = places.copy()
    normals = trimesh.Trimesh(places, faces, process=False).vertex_normals
    for _ in range(30):
        away = np.linalg.norm(places - places[rng.integers(len(places))], axis=1)
        moved += normals * (rng.choice([-1, 1]) * 0.02 * size * np.exp(-((away / (0.035 * size)) ** 2)))[:, None]
    return moved


def noise_in_part(places, faces, size, rng):
    """Noise on the third of the surface that is farthest to one side."""
    direction = rng.normal(size=3)
    along = places @ direction
    there = (along > np.quantile(along, 0.66))[:, None]
    return places + there * rng.normal(0, 0.006 * size, places.shape)


def smoothed_in_steps(places, faces, size, rng):
    mesh = trimesh.Trimesh(places, faces, process=False)
    trimesh.smoothing.filter_laplacian(mesh, lamb=0.5, iterations=15, volume_constraint=False)
    return mesh.vertices


def mutable_diffusion(places, faces, size, rng):
    mesh = trimesh.Trimesh(places, faces, process=False)
    trimesh.smoothing.filter_mut_dif_laplacian(mesh, iterations=20)
    return mesh.vertices


def remeshed(geometries, rng):
    """Isotropic triangles, larger than the detail."""
    out = []
    size = damage.diagonal(geometries)
    for geometry in geometries:
        places, faces, _ = damage.welded(geometry)
        own = np.linalg.norm(np.diff(geometry.bounds, axis=0)) or 1.0
        length = (min(100 * 0.05 * size / own, 40.0),)
        vertices, faces = damage.meshlab(places, faces, [("meshing_isotropic_explicit_remeshing", {"targetlen": length, "iterations": 5})])
        if len(faces):
            out.append(damage.colored_like(geometry, vertices, faces))
    return out or None


def turned_here_and_there(geometries, rng):
    """Single triangles inside out, a fifth of them."""
    out = []
    for geometry in geometries:
        faces = geometry.faces.copy()
        turned = rng.random(len(faces)) < 0.2
        faces[turned] = faces[turned][:, ::-1]
        visual, flat = geometry.visual, faces.reshape(-1)
        uv = getattr(visual, "uv", None)
        visual = None if uv is None else trimesh.visual.TextureVisuals(uv=uv[flat], material=visual.material)
        out.append(trimesh.Trimesh(geometry.vertices[flat], np.arange(len(flat)).reshape(-1, 3), visual=visual, process=False))
    return out


def bitten(geometries, rng):
    """One large ball of surface is gone."""
    geometries = [damage.refined(g, 0.03 * damage.diagonal(geometries)) for g in geometries]
    inside = damage.balls(geometries, rng, 1, 0.16 * damage.diagonal(geometries))
    kept = [damage.keep(g, ~inside(g.triangles_center)) for g in geometries]
    return [g for g in kept if len(g.faces)]


def sheets(geometries, rng):
    """Large triangles through the object, between places of it, as a broken mesher leaves."""
    points = np.vstack([g.vertices for g in geometries])
    corners = points[rng.integers(len(points), size=(25, 3))].reshape(-1, 3)
    return [*geometries, damage.plain(trimesh.Trimesh(corners, np.arange(75).reshape(-1, 3), process=False), rng)]


def crumbs(geometries, rng):
    """Two hundred tiny tetrahedra around the object."""
    low, high = damage.bounds(geometries)
    size = damage.diagonal(geometries)
    shape = np.array([[1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]]) * 0.006 * size
    centers = rng.uniform(low - 0.1 * size, high + 0.1 * size, (200, 3))
    corners = (centers[:, None] + shape).reshape(-1, 3)
    faces = (np.arange(200)[:, None, None] * 4 + np.array([[0, 1, 2], [0, 3, 1], [0, 2, 3], [1, 3, 2]])).reshape(-1, 3)
    return [*geometries, damage.plain(trimesh.Trimesh(corners, faces, process=False), rng)]


def backdrop(geometries, rng):
    """A wall stands behind it."""
    low, high = damage.bounds(geometries)
    extent = (high - low) * [1.3, 1.2, 0] + [0, 0, 0.01 * damage.diagonal(geometries)]
    wall = trimesh.creation.box(extent)
    wall.apply_translation([(low[0] + high[0]) / 2, (low[1] + high[1]) / 2, low[2] - 0.02 * damage.diagonal(geometries)])
    return [*geometries, damage.plain(wall, rng)]


def shot_noise(image, rng):
    """As a sensor that counts few photons."""
    values = np.asarray(image, float)
    return Image.fromarray(np.clip(rng.poisson(values / 9.0) * 9.0, 0, 255).astype(np.uint8))


def scratches(image, rng):
    done = image.copy()
    pen = ImageDraw.Draw(done)
    for _ in range(120):
        x, y = rng.integers(image.size[0]), rng.integers(image.size[1])
        dx, dy = rng.integers(-image.size[0] // 6, image.size[0] // 6 + 1), rng.integers(-image.size[1] // 6, image.size[1] // 6 + 1)
        pen.line([int(x), int(y), int(x + dx), int(y + dy)], fill=(235, 235, 230), width=1 + max(image.size) // 700)
    return done


def blurred_askew(image, rng):
    """Along a diagonal."""
    count = max(3, int(max(image.size) * 0.02))
    values = np.asarray(image, np.float32)
    total = sum(np.roll(values, (k, k), (0, 1)) for k in range(count))
    return Image.fromarray((total / count).astype(np.uint8))


def ordered_dither(image, rng):
    """Four levels a channel by a pattern of 4 × 4."""
    pattern = np.array([[0, 8, 2, 10], [12, 4, 14, 6], [3, 11, 1, 9], [15, 7, 13, 5]]) / 16 - 0.5
    values = np.asarray(image, float)
    tiled = np.tile(pattern, (values.shape[0] // 4 + 1, values.shape[1] // 4 + 1))[: values.shape[0], : values.shape[1], None]
    return Image.fromarray(np.clip(np.round(values / 85 + tiled) * 85, 0, 255).astype(np.uint8))


def webp_poor(image, rng):
    return damage.encoded(image, "WEBP", quality=1)


def palette(image, rng):
    return image.quantize(256).convert("RGB")


def shuffled(geometries, rng):
    """Vertices and triangles in another order."""
    out = []
    for geometry in geometries:
        order = rng.permutation(len(geometry.vertices))
        uv = getattr(geometry.visual, "uv", None)
        visual = geometry.visual if uv is None else trimesh.visual.TextureVisuals(uv=uv[order], material=geometry.visual.material)
        faces = np.argsort(order)[geometry.faces][rng.permutation(len(geometry.faces))]
        out.append(trimesh.Trimesh(geometry.vertices[order], faces, visual=visual, process=False))
    return out


KINDS = {
    "snapped": ("geometry", G, each_welded(snapped)),
    "lumps-refined": ("geometry", G, on_refined(each_welded(lumps))),
    "noise-in-part": ("geometry", G, each_welded(noise_in_part)),
    "laplacian-trimesh": ("geometry", G, each_welded(smoothed_in_steps)),
    "diffusion-refined": ("geometry", G, on_refined(each_welded(mutable_diffusion))),
    "remeshed": ("geometry", G, remeshed),
    "turned-faces": ("geometry", G, turned_here_and_there),
    "bitten": ("geometry", [*P, *G], bitten),
    "sheets": ("geometry", P, sheets),
    "crumbs": ("geometry", P, crumbs),
    "backdrop": ("geometry", P, backdrop),
    "shot-noise": ("texture", T, picture(shot_noise)),
    "blur-askew": ("texture", T, picture(blurred_askew)),
    "mode-filter": ("texture", T, picture(lambda i, rng: i.filter(ImageFilter.ModeFilter(7)))),
    "bilinear-10": ("texture", T, picture(resized(1 / 10, Image.Resampling.BILINEAR))),
    "few-texels": ("texture", T, picture(resized(1 / 20, None, Image.Resampling.NEAREST))),
    "jpeg-9": ("texture", T, picture(jpeg(9))),
    "webp-1": ("texture", T, picture(webp_poor)),
    "dithered": ("texture", T, picture(ordered_dither)),
    "scratches": ("texture-unclaimed", T, picture(scratches)),
    "emboss": ("texture-unclaimed", T, picture(lambda i, rng: Image.blend(i, i.filter(ImageFilter.EMBOSS), 0.5))),
    "sharper": ("texture-unclaimed", T, picture(lambda i, rng: i.filter(ImageFilter.SHARPEN).filter(ImageFilter.SHARPEN))),
    "palette": ("harmless", [], picture(palette)),
    "shuffled": ("harmless", [], shuffled),
    "subdivided": ("harmless", [], lambda geometries, rng: [g.subdivide() if len(g.faces) < 40_000 else g for g in geometries]),
}
