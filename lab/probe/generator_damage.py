"""Writes pairs "undamaged asset / the same asset as a 3D generator would have spoilt it".

    python generator_damage.py ASSETS_FOLDER OUT_FOLDER [KIND ...]

Writes OUT/KIND/ASSET/ref.glb and bad.glb. Both go through the same loader and exporter, so that only the damage
differs; a pair is left out, with a line that says why, when the damage can hardly be seen on that asset.
Written without knowledge of the judge. Needs numpy, scipy, scikit-image, trimesh, Pillow. Seeded: the same every run.

Geometry, each after a fault of image-to-3D and text-to-3D programs (where damage needs finer triangles, ref has them
too; closed_gaps and lost_thin_parts are new surfaces out of marching cubes, as in a generator):
  melted_base        the lower third sags and spreads: views from below are never supervised
  double_wall        a flaky second skin around the first: meshes out of unsigned distances or double-sided volumes
  closed_gaps        gaps between legs, handles, wires are filled: coarse distance field, shrink-wrap
  lost_thin_parts    parts thinner than the grid are gone, and their stumps capped
  needle_faces       long needle triangles across the object: bad decimation, broken indices
  detached_part      a part sits beside its place, turned: part-wise generation
  over_smoothed      all relief and edges are smoothed away and thin parts shrink: regularised surfaces
  half_voxels        one side is a staircase: missing interpolation in one block of the grid
  big_dent           two large bowls are pressed in: highlights mistaken for hollows
Texture, on textures and on vertex colours alike:
  ghost_features     every feature is seen twice: views that do not agree are averaged
  island_tint        patches with hard seams, each of another tint and brightness: views baked with different exposure
  front_on_back      the front's picture is on the back too
  washed_out         pale and without contrast: averaged guidance
  blurry_back        the back half has hardly any resolution: unseen side
  blotchy_fill       mottled blotches of a wrong colour: inpainting
  baked_light        hard light, shadow and shine are painted into the colours
  swapped_islands    patches of the surface carry each other's picture: UV mix-up
  white_fringe       the pictures' white background bleeds in where two views meet
Harmless (a person says "the same"):
  reordered          vertices and faces in another order
  moved_scaled       the whole asset moved and scaled
  midpoint_split     each triangle split into four, same shape
"""
import pathlib
import sys
import zlib

import numpy as np
import trimesh
from PIL import Image
from scipy import ndimage, sparse
from scipy.spatial import cKDTree
from skimage.measure import marching_cubes

GEOMETRY = ["melted_base", "double_wall", "closed_gaps", "lost_thin_parts", "needle_faces", "detached_part",
            "over_smoothed", "half_voxels", "big_dent"]
TEXTURE = ["ghost_features", "island_tint", "front_on_back", "washed_out", "blurry_back", "blotchy_fill",
           "baked_light", "swapped_islands", "white_fringe"]
HARMLESS = ["reordered", "moved_scaled", "midpoint_split"]
UNSEEN = ["ghost_features/handmade-armchair", "front_on_back/handmade-armchair", "closed_gaps/handmade-red-car",
          "island_tint/handmade-red-car"]  # pass the measured threshold, but a person who looked saw hardly anything
OUTLINES = ["material_1"]  # the bunny's inverted hulls, which only draw its contours
ASSETS = {"handmade-shiba": "handmade-shiba.glb", "handmade-choco-bunny": "handmade-choco-bunny.glb",
          "handmade-armchair": "handmade-armchair/armchair.obj", "pbr-damask-chair": "pbr-damask-chair.glb",
          "gen-one2345-backpack": "gen-one2345-backpack.obj", "handmade-red-car": "handmade-red-car.glb",
          "gen-detailgen-4": "gen-detailgen-4.glb", "cad-dish-rack": "cad-dish-rack.stl"}


def to_linear(c):
    return np.where(c <= 0.04045, c / 12.92, ((np.maximum(c, 0) + 0.055) / 1.055) ** 2.4)


def to_srgb(c):
    return np.where(c <= 0.0031308, c * 12.92, 1.055 * np.maximum(c, 0) ** (1 / 2.4) - 0.055)


def unit(n):
    return n / np.maximum(np.linalg.norm(n, axis=1, keepdims=True), 1e-20)


class Asset:
    """One indexed mesh. `a` holds a vertex's UV (then `image` is its picture), or its colour, or nothing."""

    def __init__(self, v, f, a, image=None):
        self.v, self.f, self.a, self.image = np.asarray(v, float), np.asarray(f), a, image

    def with_(self, v=None, f=None, a=None, image=None):
        new = zip([v, f, a, image], [self.v, self.f, self.a, self.image])
        return Asset(*(old if it is None else it for it, old in new))

    def face_normals(self):
        t = self.v[self.f]
        return np.cross(t[:, 1] - t[:, 0], t[:, 2] - t[:, 0])  # twice the area long

    def area(self):
        return np.linalg.norm(self.face_normals(), axis=1).sum() / 2

    def weld(self):
        """For each vertex the number of its place, so that seams stay closed when places move."""
        return np.unique(np.round(self.v, 6), axis=0, return_inverse=True)[1].ravel()

    def smooth_normals(self):
        w = self.weld()
        corners, normals = w[self.f].ravel(), np.repeat(self.face_normals(), 3, axis=0)
        return unit(np.stack([np.bincount(corners, x, w.max() + 1) for x in normals.T], 1))[w]


def pack(meshes):
    """Several textured meshes as one, with their pictures side by side; tiled and tinted pictures are baked."""
    across = int(np.ceil(np.sqrt(len(meshes))))
    size, v, f, a, count = (1024 if across == 1 else 1400 // across), [], [], [], 0
    sheet = np.zeros((across * size, across * size, 3), np.uint8)
    for i, m in enumerate(meshes):
        mat, uv = m.visual.material, np.asarray(m.visual.uv, float)
        picture, factor = getattr(mat, "baseColorTexture", None) or getattr(mat, "image", None), getattr(mat, "baseColorFactor", None)
        low = np.floor(uv.min(0) + 1e-4)
        repeat = np.maximum(np.ceil(uv.max(0) - 1e-4) - low, 1).astype(int)
        pixels = np.asarray(picture.convert("RGB")) if picture else np.full((4, 4, 3), 255, np.uint8)
        if factor is not None:
            pixels = to_srgb(to_linear(pixels / 255.0) * np.asarray(factor)[:3] / 255) * 255
        pixels = np.tile(pixels.round().astype(np.uint8), (repeat[1], repeat[0], 1))
        tile = np.asarray(Image.fromarray(pixels).resize((size, size), Image.LANCZOS))
        sheet[i // across * size:][:size, i % across * size:][:, :size] = tile
        v.append(m.vertices), f.append(m.faces + count)
        a.append((np.clip((uv - low) / repeat, 0.003, 0.997) + [i % across, across - 1 - i // across]) / across)
        count += len(m.vertices)
    return Asset(np.vstack(v), np.vstack(f), np.vstack(a), sheet)


def load(path):
    """The asset, centred, its longest side 1."""
    meshes = [m for m in trimesh.load_scene(path).dump() if isinstance(m, trimesh.Trimesh)]
    meshes = [m for m in meshes if getattr(getattr(m.visual, "material", None), "name", "") not in OUTLINES]
    if any(m.visual.kind == "texture" and getattr(m.visual, "uv", None) is not None for m in meshes):
        asset = pack(meshes)
    else:
        colours = []
        for m in meshes:
            if m.visual.kind == "texture":  # one flat colour for each material
                c = to_srgb(np.asarray(m.visual.material.main_color)[:3] / 255)
            else:
                c = m.visual.vertex_colors[:, :3] / 255 if m.visual.kind == "vertex" else np.zeros(0)
            colours.append(np.tile(c, (len(m.vertices), 1)) if c.ndim == 1 else c)
        offsets = np.cumsum([0] + [len(m.vertices) for m in meshes])
        asset = Asset(np.vstack([m.vertices for m in meshes]),
                      np.vstack([m.faces + o for m, o in zip(meshes, offsets)]), np.vstack(colours))
    low, high = asset.v[asset.f].reshape(-1, 3).min(0), asset.v[asset.f].reshape(-1, 3).max(0)
    asset.v = (asset.v - (low + high) / 2) / (high - low).max()
    asset.f = asset.f[np.linalg.norm(asset.face_normals(), axis=1) > 1e-14]
    return asset


def finish(asset, crease=45):
    """The arrays to write: each corner's normal is the mean over neighbours that bend less than `crease` degrees."""
    fn, vertex, corner = asset.face_normals(), asset.f.ravel(), np.arange(asset.f.size)
    n, place, ones = unit(fn), asset.weld()[vertex], np.ones(len(corner))
    pairs = (sparse.csr_matrix((ones, (corner, place))) @ sparse.csr_matrix((ones, (place, corner // 3)))).tocoo()
    near = np.einsum("ij,ij->i", n[pairs.row // 3], n[pairs.col]) > np.cos(np.radians(crease))
    total = unit(np.stack([np.bincount(pairs.row[near], x, len(corner)) for x in fn[pairs.col[near]].T], 1))
    key = np.column_stack([vertex, np.round(total * 100).astype(int)])
    first, index = np.unique(key, axis=0, return_index=True, return_inverse=True)[1:]
    done = Asset(asset.v[vertex[first]], index.reshape(-1, 3), np.hstack([asset.a[vertex[first]], total[first]]), asset.image)
    done.source = vertex[first]
    return done


def dull(tree):
    """Gives a mesh without a picture the same dull, two-sided material (the default one is a metal)."""
    if not tree.get("materials"):
        tree["materials"] = [{"pbrMetallicRoughness": {"metallicFactor": 0, "roughnessFactor": 0.8}, "doubleSided": True}]
        tree["meshes"][0]["primitives"][0]["material"] = 0


def write(done, path):
    n, a = unit(done.a[:, -3:]), done.a[:, :-3]
    mesh = trimesh.Trimesh(done.v, done.f, vertex_normals=n, process=False)
    if done.image is not None:
        material = trimesh.visual.material.PBRMaterial(baseColorTexture=Image.fromarray(done.image), metallicFactor=0.0,
                                                       roughnessFactor=0.8, doubleSided=True)
        mesh.visual = trimesh.visual.TextureVisuals(uv=a, material=material)
    elif a.shape[1]:  # trimesh writes the bytes as they are, and glTF wants them linear
        mesh.visual.vertex_colors = np.round(to_linear(np.column_stack([a, np.ones(len(a))])) * 255).astype(np.uint8)
    path.write_bytes(trimesh.exchange.gltf.export_glb(trimesh.Scene(mesh), include_normals=True, tree_postprocessor=dull))


def split(asset):
    """Each triangle as four; same shape and colours."""
    e, index = np.unique(np.sort(asset.f[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1), axis=0, return_inverse=True)
    (a, b, c), (p, q, r) = asset.f.T, index.reshape(-1, 3).T + len(asset.v)
    f = np.vstack([np.column_stack(t) for t in [(a, p, r), (p, b, q), (r, q, c), (p, q, r)]])
    return asset.with_(np.vstack([asset.v, asset.v[e].mean(1)]), f, np.vstack([asset.a, asset.a[e].mean(1)]))


def dense(asset, most=80_000):
    while 4 * len(asset.f) <= most:
        asset = split(asset)
    return asset


def noise(p, scale, seed):
    """Smooth noise, about -1 to 1, with features of about `scale`."""
    grid = ndimage.zoom(np.random.default_rng(seed).standard_normal((16,) * 3), 4, order=3, mode="grid-wrap")
    return ndimage.map_coordinates(grid, (p / scale * 4).T, order=1, mode="grid-wrap")


def samples(asset, count, seed=0):
    """Points spread evenly over the surface, and their faces."""
    rng = np.random.default_rng(seed)
    area = np.linalg.norm(asset.face_normals(), axis=1)
    face = rng.choice(len(asset.f), count, p=area / area.sum())
    w = rng.dirichlet([1, 1, 1], count)
    return np.einsum("ij,ijk->ik", w, asset.v[asset.f[face]]), face


def solid(asset, cells):
    """The filled asset in a grid with `cells` for its longest side: cells, their origin and size."""
    size, pad = 1 / cells, 12
    origin = asset.v.min(0) - pad * size
    shape = np.ceil((asset.v.max(0) - origin) / size).astype(int) + pad
    at = ((samples(asset, 40 * cells * cells)[0] - origin) / size).astype(int)
    shell = np.zeros(shape, bool)
    shell[tuple(at.T)] = True
    return ndimage.binary_fill_holes(shell) | shell, origin, size


def skin(grid, origin, size, like):
    """Marching cubes over a solid; colours or UVs from the nearest triangle of `like`, clamped to that triangle."""
    v, f, _, _ = marching_cubes(ndimage.gaussian_filter(grid.astype(np.float32), 0.8), 0.5)
    corners = ((v + 0.5) * size + origin)[f[:, ::-1]]
    p, face = samples(like, 300_000)
    face = face[cKDTree(p).query(corners.mean(1))[1]]  # one for all three corners: no UV jump inside a face
    p = corners.reshape(-1, 3)
    return Asset(p, np.arange(len(p)).reshape(-1, 3), interpolated(like.v, like.f[np.repeat(face, 3)], p, like.a), like.image)


def interpolated(v, f, p, a):
    """Attributes at each point p of its own triangle f of the points v (in the plane or in space)."""
    u, w, d = v[f[:, 1]] - v[f[:, 0]], v[f[:, 2]] - v[f[:, 0]], p - v[f[:, 0]]
    uu, ww, uw, du, dw = (np.einsum("ij,ij->i", *it) for it in [(u, u), (w, w), (u, w), (d, u), (d, w)])
    det = np.maximum(uu * ww - uw ** 2, 1e-20)
    b, c = (ww * du - uw * dw) / det, (uu * dw - uw * du) / det
    bary = np.clip(np.column_stack([1 - b - c, b, c]), 1e-9, None)
    return np.einsum("ij,ijk->ik", bary / bary.sum(1, keepdims=True), a[f])


# Geometry: each takes an asset and gives (undamaged, damaged)

def melted_base(asset, seed):
    ref = dense(asset)
    v, n, w = ref.v.copy(), ref.smooth_normals(), ref.weld()
    low, tall = v[:, 1].min(), np.ptp(v[:, 1])
    t = np.clip((low + 0.5 * tall - v[:, 1]) / (0.5 * tall), 0, 1) ** 1.3
    t *= np.clip(1 + 0.35 * noise(v * [1, 0, 1], 0.12, seed), 0.3, 1.5)
    middle = np.median(v[v[:, 1] < low + 0.5 * tall], axis=0)
    v += (0.045 * t * (1 + 0.7 * noise(v, 0.1, seed + 1)))[:, None] * n  # swollen and lumpy
    v[:, [0, 2]] += (v[:, [0, 2]] - middle[[0, 2]]) * (0.45 * t)[:, None]  # spreads
    v[:, 1] -= 0.14 * tall * t * (0.6 + 0.6 * noise(v * [1, 0, 1], 0.15, seed + 2))  # sags in drops
    v[:, 1] = np.maximum(v[:, 1], low - 0.02 * tall)  # runs flat on the ground
    return ref, ref.with_(np.stack([np.bincount(w, x) / np.bincount(w) for x in v.T], 1)[w])


def double_wall(asset, seed):
    ref = dense(asset)
    shift = 0.02 + 0.016 * noise(ref.v, 0.09, seed)
    keep = noise(ref.v[ref.f].mean(1), 0.13, seed + 1) > -0.35
    v = np.vstack([ref.v, ref.v + shift[:, None] * ref.smooth_normals()])
    return ref, ref.with_(v, np.vstack([ref.f, ref.f[keep] + len(ref.v)]), np.vstack([ref.a, ref.a]))


def closed_gaps(asset, seed):
    grid, origin, size = solid(asset, 110)
    far = ndimage.distance_transform_edt(~np.pad(grid, 16))
    grid = ndimage.distance_transform_edt(far <= 12)[16:-16, 16:-16, 16:-16] > 12
    return asset, skin(grid, origin, size, asset)


def lost_thin_parts(asset, seed):
    grid, origin, size = solid(asset, 110)
    inside = ndimage.distance_transform_edt(grid)
    radius = np.clip(np.quantile(inside[grid], 0.75), 2.2, 6)  # thin is relative to the asset's bulk
    if not (inside > radius).any():
        return None, "no part is thick enough to stay"
    kept = grid & (ndimage.distance_transform_edt(inside <= radius) <= radius + 1.5)
    return asset, skin(kept, origin, size, asset)


def needle_faces(asset, seed):
    """Small patches of the surface collapse into one place some way off, so that their rims become long needles."""
    ref, rng = dense(asset), np.random.default_rng(seed)
    v, tree, p = ref.v.copy(), cKDTree(ref.v), samples(ref, 4000, seed)[0]
    for at in p[:45]:
        far = np.linalg.norm(p - at, axis=1)
        goals = p[(far > 0.12) & (far < 0.3)]
        near = tree.query_ball_point(at, 0.022)
        if len(goals) and near:
            goal = goals[rng.integers(len(goals))]
            v[near] = goal + 0.15 * (goal - at)
    return ref, ref.with_(v=v)


def detached_part(asset, seed):
    """Cuts a quarter off along the longest axis and puts it down beside its place."""
    ref = dense(asset)
    p = samples(ref, 20_000)[0]
    axis = int(np.argmax(np.ptp(p, axis=0) + [0, 0.15, 0]))
    away = ref.v[ref.f].mean(1)[:, axis] > np.quantile(p[:, axis], 0.72)
    part = np.unique(ref.f[away])
    centre, move = ref.v[part].mean(0), np.array([0.1, 0.1, 0.1])
    move[axis] = 0.07
    turn = trimesh.transformations.rotation_matrix(np.radians(24), np.roll([0, 0.5, 1], axis))[:3, :3]
    v = np.vstack([ref.v, (ref.v[part] - centre) @ turn.T + centre + move])
    to = np.arange(len(ref.v))
    to[part] = len(ref.v) + np.arange(len(part))
    return ref, ref.with_(v, np.vstack([ref.f[~away], to[ref.f[away]]]), np.vstack([ref.a, ref.a[part]]))


def over_smoothed(asset, seed):
    ref = dense(asset)
    w = ref.weld()
    e = np.unique(np.sort(w[ref.f[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2)], axis=1), axis=0)
    link = sparse.coo_matrix((np.ones(2 * len(e)), (np.r_[e[:, 0], e[:, 1]], np.r_[e[:, 1], e[:, 0]]))).tocsr()
    v, links = np.zeros((w.max() + 1, 3)), np.maximum(np.diff(link.indptr), 1)[:, None]
    v[w] = ref.v
    edge = np.median(np.linalg.norm(v[e[:, 0]] - v[e[:, 1]], axis=1))
    for _ in range(int(np.clip((0.06 / edge) ** 2 * 2, 20, 400))):  # as far at every density
        v += 0.7 * (link @ v / links - v)
        if ref.with_(v[w]).area() < 0.6 * ref.area():  # more would leave nothing of wires and thin boards
            break
    return ref, ref.with_(v[w])


def half_voxels(asset, seed):
    ref = dense(asset, 150_000)
    step, v = 0.045, ref.v.copy()
    side = v[:, 0] > np.median(samples(ref, 20_000)[0][:, 0])
    v[side] = np.round(v[side] / step) * step
    return ref, ref.with_(v)


def big_dent(asset, seed):
    """Presses a ball into the front and another into the back; only what lies under the ball moves."""
    ref, radius = dense(asset), 0.26
    v, p = ref.v.copy(), samples(ref, 4000)[0]
    for way in unit(np.array([[0.25, 0.2, 1], [-0.6, 0.35, -0.8]])):
        line = p - p.mean(0)
        beside = np.linalg.norm(line - np.outer(line @ way, way), axis=1)
        d = v - (p[np.argmax(line @ way - 2.5 * beside)] + 0.1 * way)
        height = d @ way
        under = -np.sqrt(np.maximum(radius ** 2 - (d ** 2).sum(1) + height ** 2, 0))
        v += np.where((height < 0.1) & (height > under), under - height, 0)[:, None] * way
    return ref, ref.with_(v)


# Texture: each takes the paint (points, normals, colours, islands of all texels or vertices), gives new colours

class Paint:
    """What is painted where: points p, normals n, colours c, patches; an entry for each used texel, or vertex."""

    def __init__(self, asset):
        self.asset, self.p, self.n, self.c = asset, asset.v, asset.smooth_normals(), asset.a
        if asset.image is not None:
            uv, h = asset.a, len(asset.image)
            flat = asset.with_(np.column_stack([uv, np.zeros(len(uv))]))  # samples spread evenly over the picture
            p, face = samples(flat, 800_000)
            y, x = np.divmod(np.arange(h * h), h)
            texel = np.column_stack([x + 0.5, h - 0.5 - y]) / h
            far, near = cKDTree(p[:, :2]).query(texel, distance_upper_bound=5 / h)
            self.texel = np.flatnonzero(np.isfinite(far))  # with a margin of five texels around each island
            both = np.hstack([asset.v, self.n])
            both = interpolated(uv, asset.f[face[near[self.texel]]], texel[self.texel], both)
            self.p, self.n, self.c = both[:, :3], unit(both[:, 3:]), asset.image.reshape(-1, 3)[self.texel] / 255
        ways = np.vstack([np.eye(3), -np.eye(3)]) + 0.15  # patches: which of six views sees it best
        self.patch = np.argmax(self.n @ ways.T + 0.15 * noise(self.p, 0.1, 3)[:, None] * [1, -1, 1, -1, 1, -1], axis=1)
        self.area = (np.arange(len(self.p)) if asset.image is None else np.flatnonzero(far[self.texel] < 1.5 / h))
        self.tree = cKDTree(self.p[self.area])

    def at(self, p):
        return self.c[self.area[self.tree.query(p)[1]]]

    def on(self, done, c):
        """A finished asset with these colours."""
        if done.image is None:
            return done.with_(a=np.hstack([c[done.source], done.a[:, -3:]]))
        image = done.image.reshape(-1, 3).copy()
        image[self.texel] = np.round(c * 255)
        return done.with_(image=image.reshape(done.image.shape))


def ghost_features(q, seed):
    tangent = lambda d: np.asarray(d) - q.n * (q.n @ d)[:, None]
    return 0.5 * q.c + 0.5 * q.at(q.p + tangent([0.075, 0.05, 0.03]))


def island_tint(q, seed):
    rng = np.random.default_rng(seed)
    tint = rng.permutation(np.linspace(0.55, 1.35, 6))[:, None] * rng.uniform(0.75, 1.25, (6, 3))
    return q.c * tint[q.patch] + rng.uniform(-0.06, 0.12, (6, 1))[q.patch]


def front_on_back(q, seed):
    """The back half takes the colour of the foremost point at the same x and y."""
    cell = np.round(q.p[:, :2] * 200).astype(int)
    order = np.argsort(-q.p[:, 2], kind="stable")
    key, first = np.unique(cell[order], axis=0, return_index=True)
    front = order[first]
    taken = q.c[front[cKDTree(q.p[front, :2]).query(q.p[:, :2])[1]]]
    back = (q.n[:, 2] < 0.1)[:, None]
    return np.where(back, taken, q.c)


def washed_out(q, seed):
    grey = q.c.mean(1, keepdims=True)
    return 0.38 + 0.55 * (grey + 0.4 * (q.c - grey))


def blurry_back(q, seed):
    cell, index = np.unique(np.round(q.p / 0.075).astype(int), axis=0, return_inverse=True)
    index, count = index.ravel(), np.bincount(index.ravel())
    mean = lambda x: np.stack([np.bincount(index, t) / count for t in x.T], 1)
    near, who = cKDTree(mean(q.p)).query(q.p, k=min(4, len(count)))
    weight = 1 / (near + 0.01) ** 2
    soft = np.einsum("ij,ijk->ik", weight / weight.sum(1, keepdims=True), mean(q.c)[who])
    share = np.clip(0.5 - q.p[:, 2:] / 0.04, 0, 1)
    return q.c * (1 - share) + soft * share


def blotchy_fill(q, seed):
    rng, c = np.random.default_rng(seed), q.c.copy()
    for k, at in enumerate(q.p[rng.choice(len(q.p), 26)]):
        r = np.linalg.norm(q.p - at, axis=1) + 0.045 * noise(q.p, 0.06, seed + k)
        share = np.clip((rng.uniform(0.07, 0.12) - r) / 0.02, 0, 1)[:, None] * 0.9
        wrong = q.c[rng.integers(len(q.c))] * rng.uniform(0.4, 1.1) + rng.uniform(-0.2, 0.3) + rng.uniform(-0.1, 0.1, 3)
        c = c * (1 - share) + (wrong + 0.12 * noise(q.p, 0.025, seed + 90 + k)[:, None]) * share
    return c


def baked_light(q, seed):
    light, half = unit(np.array([[0.7, 0.6, 0.6], [0.35, 0.35, 0.9]]))
    shade = 0.28 + 0.95 * np.clip((q.n @ light)[:, None], 0, 1)
    return q.c * shade + 0.85 * np.clip(q.n @ half, 0, 1)[:, None] ** 24


def swapped_islands(q, seed):
    """Every patch shows what another one carries at the same place within it."""
    c, order = q.c.copy(), np.random.default_rng(seed).permutation(np.unique(q.patch[q.area]))
    for to, source in zip(order, np.roll(order, 1)):
        here, there = q.patch == to, q.area[q.patch[q.area] == source]
        p, s = q.p[here], q.p[there]
        moved = (p - p.mean(0)) / max(np.ptp(p, axis=0).max(), 1e-6) * np.ptp(s, axis=0).max() + s.mean(0)
        c[here] = q.c[there[cKDTree(s).query(moved)[1]]]
    return c


def white_fringe(q, seed):
    far = np.ones(len(q.p))  # how far the next patch is
    for patch in np.unique(q.patch):
        here, others = q.patch == patch, q.area[q.patch[q.area] != patch]
        far[here] = cKDTree(q.p[others]).query(q.p[here])[0]
    share = np.clip((0.028 + 0.012 * noise(q.p, 0.07, seed) - far) / 0.008, 0, 1)[:, None]
    return q.c * (1 - share) + share * 0.96


# Harmless: each takes the arrays to write, gives others

def reordered(done, seed):
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(done.v))
    back = np.argsort(order)
    return done.with_(done.v[order], np.roll(back[done.f], 1, axis=1)[rng.permutation(len(done.f))], done.a[order])


def moved_scaled(done, seed):
    return done.with_(done.v * 2.6 + [1.5, -0.4, 3])


def midpoint_split(done, seed):
    return split(done)


def moved_share(one, two, far=0.012):
    """The larger share of either surface that lies further than `far` from the other."""
    p, q = samples(one, 60_000)[0], samples(two, 60_000)[0]
    return max((cKDTree(b).query(a)[0] > far).mean() for a, b in [(p, q), (q, p)])


def pair(make, asset, done, paint, seed):
    """(ref, bad, None) ready to write, or (None, None, reason)."""
    kind = make.__name__
    if kind in HARMLESS:
        return done, make(done, seed), None
    if kind in GEOMETRY:
        ref, bad = make(asset, seed)
        share = 0 if ref is None else moved_share(ref, bad)
        why = bad if ref is None else f"only {share:.1%} of the surface moves"
        if ref and bad.area() < 0.25 * ref.area():
            return None, None, "hardly anything is left"
        return (finish(ref), finish(bad), None) if share > 0.05 else (None, None, why)
    if paint is None:
        return None, None, "no colours"
    c = np.clip(make(paint, seed), 0, 1)
    share = (np.abs(c - paint.c).max(1) > 0.12).mean()
    return (done, paint.on(done, c), None) if share > 0.12 else (None, None, f"only {share:.1%} changes colour")


def main(assets, out, *only):
    for name, file in ASSETS.items():
        asset = load(pathlib.Path(assets) / file)
        painted = dense(asset, 150_000) if asset.image is None and asset.a.shape[1] else asset
        done, paint = finish(painted), Paint(painted) if asset.a.shape[1] else None
        for kind in [it for it in GEOMETRY + TEXTURE + HARMLESS if it in only or not only]:
            if f"{kind}/{name}" in UNSEEN:
                print(f"left out {kind}/{name}: hardly seen by a person")
                continue
            ref, bad, why = pair(globals()[kind], asset, done, paint, zlib.crc32(f"{kind} {name}".encode()) % 10_000)
            if not why:
                folder = pathlib.Path(out) / kind / name
                folder.mkdir(parents=True, exist_ok=True)
                write(ref, folder / "ref.glb"), write(bad, folder / "bad.glb")
            print(f"left out {kind}/{name}: {why}" if why else f"{kind}/{name}: {len(ref.f)} and {len(bad.f)} triangles", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
