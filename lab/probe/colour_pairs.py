"""Writes assets and copies with damaged colours, as pairs that the offline judge is asked about.

    pip install numpy scipy trimesh pillow
    python lab/probe/colour_pairs.py ASSETS OUT --half fit

OUT/damaged holds ASSET__KIND__N.glb, OUT/pairs-colours.txt the lines `NAME CLEAN DAMAGED` that crates/probe/examples/signs.rs reads. An asset
with textures is taken as it is, with larger textures (ASSET-hd, for what is done to whole pictures), and as a copy (ASSET-vc) whose colours are
at the vertices of a finer mesh. Damage works on elements: texels or vertices with their places on the surface. Both files of a pair pass through the same loader and the same writer.
"""

import argparse
import hashlib
import io
import json
import pathlib
import struct
import sys
import warnings
from types import SimpleNamespace

import numpy as np
import real_assets
import trimesh
from PIL import Image
from scipy import ndimage
from scipy.spatial import cKDTree

warnings.filterwarnings("ignore")
TEXTURE_MAX, TEXTURE_MAX_HD = 512, 1024
VERTICES = 24_000
TRIANGLES_MAX = 120_000


def load(path, texture_max=TEXTURE_MAX):
    """Parts of one mesh: vertices, normals, coordinates of the texture, triangles, colours of vertices or a picture."""
    scene = trimesh.load(path, process=False, force="scene")
    parts, pictures = [], {}
    for node in scene.graph.nodes_geometry:
        transform, name = scene.graph[node]
        mesh = scene.geometry[name]
        if not hasattr(mesh, "faces") or len(mesh.faces) == 0:
            continue
        visual = mesh.visual
        material = getattr(visual, "material", None)
        uv, image, factor, colors = getattr(visual, "uv", None), None, np.ones(3), None
        if material is not None:
            image = getattr(material, "baseColorTexture", None) or getattr(material, "image", None)
            given = getattr(material, "baseColorFactor", None)
            if given is None:
                given = getattr(material, "diffuse", None) if image is None else None
            if given is not None:
                given = np.asarray(given)
                factor = given[:3] / (255.0 if given.dtype == np.uint8 or given.max() > 1 else 1.0)
        if visual.kind == "vertex":
            colors = np.asarray(visual.vertex_colors)[:, :3] / 255.0
        if image is not None and uv is not None:
            if id(image) not in pictures:
                small = image.convert("RGB")
                small.thumbnail((texture_max, texture_max), Image.LANCZOS)
                pictures[id(image)] = np.asarray(small) / 255.0
            image = pictures[id(image)]
        else:
            image = None
        vertices = trimesh.transform_points(mesh.vertices, transform)
        flat = encoded(factor)
        parts.append(SimpleNamespace(v=vertices, f=np.asarray(mesh.faces), uv=None if uv is None else np.asarray(uv, float), image=image, c=colors, flat=flat))
    allv = np.vstack([p.v[p.f].reshape(-1, 3) for p in parts])
    low, size = allv.min(0), np.linalg.norm(np.ptp(allv, axis=0))
    for p in parts:
        p.v = (p.v - low) / size
    return parts


def encoded(linear):
    return np.where(linear <= 0.0031308, 12.92 * linear, 1.055 * np.maximum(linear, 0) ** (1 / 2.4) - 0.055)


def decoded(srgb):
    return np.where(srgb <= 0.04045, srgb / 12.92, ((srgb + 0.055) / 1.055) ** 2.4)


def looked_up(image, uv):
    height, width = image.shape[:2]
    x, y = uv[:, 0] % 1 * width - 0.5, (1 - uv[:, 1]) % 1 * height - 0.5
    return np.stack([ndimage.map_coordinates(image[..., k], [y, x], order=1, mode="nearest") for k in range(3)], 1)


def with_vertex_colors(parts):
    """A finer mesh whose corners have the colours that the texture has there."""
    area = sum(np.linalg.norm(np.cross(p.v[p.f[:, 1]] - p.v[p.f[:, 0]], p.v[p.f[:, 2]] - p.v[p.f[:, 0]]), axis=1).sum() for p in parts) / 2
    edge = np.sqrt(area / VERTICES * 2)
    out = []
    for p in parts:
        corners = np.hstack([p.v, p.uv if p.uv is not None and p.image is not None else np.zeros((len(p.v), 2)), p.c if p.c is not None else np.tile(p.flat, (len(p.v), 1))])[p.f]
        done = []
        for _ in range(9):
            lengths = np.linalg.norm(corners[:, :, :3] - np.roll(corners[:, :, :3], 1, 1), axis=2).max(1)
            done.append(corners[lengths <= edge])
            a, b, c = corners[lengths > edge].transpose(1, 0, 2)
            x, y, z = (a + b) / 2, (b + c) / 2, (c + a) / 2
            corners = np.concatenate([np.stack(t, 1) for t in ((a, x, z), (x, b, y), (z, y, c), (x, y, z))])
            if not len(corners):
                break
        flat = np.concatenate([*done, corners]).reshape(-1, 8)
        unique, inverse = np.unique(np.round(flat, 6), axis=0, return_inverse=True)
        color = looked_up(p.image, unique[:, 3:5]) if p.image is not None else unique[:, 5:]
        out.append(SimpleNamespace(v=unique[:, :3], f=inverse.reshape(-1, 3), uv=None, image=None, c=color, flat=np.ones(3)))
    return out


def write(parts, path):
    blob, views, accessors, meshes, materials, images, known = bytearray(), [], [], [], [], [], {}

    def view(data, target=None):
        blob.extend(b"\0" * (-len(blob) % 4))
        views.append({"buffer": 0, "byteOffset": len(blob), "byteLength": len(data), **({"target": target} if target else {})})
        blob.extend(data)
        return len(views) - 1

    def accessor(array, kind, component, **more):
        accessors.append({"bufferView": view(array.tobytes()), "componentType": component, "count": len(array) if kind != "SCALAR" else array.size, "type": kind, **more})
        return len(accessors) - 1

    for p in parts:
        attributes = {"POSITION": accessor(p.v.astype("<f4"), "VEC3", 5126, min=p.v.min(0).tolist(), max=p.v.max(0).tolist())}
        surface = {"metallicFactor": 0.0, "roughnessFactor": 0.8}
        if p.image is not None:
            attributes["TEXCOORD_0"] = accessor(np.stack([p.uv[:, 0], 1 - p.uv[:, 1]], 1).astype("<f4"), "VEC2", 5126)
            if id(p.image) not in known:
                file = io.BytesIO()
                Image.fromarray(np.round(p.image.clip(0, 1) * 255).astype(np.uint8)).save(file, "PNG", compress_level=1)
                images.append({"bufferView": view(file.getvalue()), "mimeType": "image/png"})
                known[id(p.image)] = len(images) - 1
            surface["baseColorTexture"] = {"index": known[id(p.image)]}
        elif p.c is not None:
            attributes["COLOR_0"] = accessor(np.hstack([decoded(p.c.clip(0, 1)), np.ones((len(p.c), 1))]).astype("<f4"), "VEC4", 5126)
        else:
            surface["baseColorFactor"] = [*decoded(p.flat).clip(0, 1).tolist(), 1.0]
        materials.append({"pbrMetallicRoughness": surface, "doubleSided": True})
        meshes.append({"primitives": [{"attributes": attributes, "indices": accessor(p.f.astype("<u4"), "SCALAR", 5125), "material": len(materials) - 1}]})
    top = {
        "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": list(range(len(meshes)))}], "nodes": [{"mesh": k} for k in range(len(meshes))], "meshes": meshes,
        "materials": materials, "accessors": accessors, "bufferViews": views, "buffers": [{"byteLength": len(blob)}],
        **({"images": images, "textures": [{"source": k} for k in range(len(images))]} if images else {}),
    }
    text = json.dumps(top).encode()
    text += b" " * (-len(text) % 4)
    blob.extend(b"\0" * (-len(blob) % 4))
    path.write_bytes(struct.pack("<4sII", b"glTF", 2, 28 + len(text) + len(blob)) + struct.pack("<I4s", len(text), b"JSON") + text + struct.pack("<I4s", len(blob), b"BIN\0") + blob)


class Elements:
    """Texels of all pictures and vertices of all parts with colours: colour, place, normal; and which picture's row and column, or part."""

    def __init__(self, parts, by_image=False):
        self.parts = parts
        self.images = list({id(p.image): p.image for p in parts if p.image is not None}.values())
        places, normals, colors, self.of = [], [], [], []
        if by_image:
            self.c, self.is_shared = np.concatenate([image.reshape(-1, 3) for image in self.images]), True
            return
        shared = total = 0
        for index, image in enumerate(self.images):
            height, width = image.shape[:2]
            place, normal, hit = np.zeros((height, width, 3)), np.zeros((height, width, 3)), np.zeros((height, width), int)
            for p in parts:
                if p.image is image:
                    rasterized(p, place, normal, hit)
            shared += np.maximum(hit - 1, 0).sum()
            total += (hit > 0).sum()
            rows, columns = np.nonzero(hit)
            places.append(place[rows, columns])
            normals.append(normal[rows, columns])
            colors.append(image[rows, columns])
            self.of.append(("image", index, rows, columns))
        # Texels that several places share cannot be painted by place.
        self.is_shared = bool(self.images) and shared > 0.5 * total
        for index, p in enumerate(parts):
            if p.image is None and p.c is not None:
                places.append(p.v)
                normal = np.zeros(p.v.shape)
                n = np.cross(p.v[p.f[:, 1]] - p.v[p.f[:, 0]], p.v[p.f[:, 2]] - p.v[p.f[:, 0]])
                for k in range(3):
                    np.add.at(normal, p.f[:, k], n)
                normals.append(normal / np.maximum(np.linalg.norm(normal, axis=1, keepdims=True), 1e-30))
                colors.append(p.c)
                self.of.append(("vertices", index, None, None))
        self.place, self.normal, self.c = (np.concatenate(x) if x else np.zeros((0, 3)) for x in (places, normals, colors))

    def painted(self, color):
        """The parts with other colours of the elements; around the patches of a picture the nearest texel's."""
        out, at = [SimpleNamespace(**vars(p)) for p in self.parts], 0
        for what, index, rows, columns in self.of:
            count = len(rows) if what == "image" else len(self.parts[index].v)
            piece, at = color[at : at + count], at + count
            if what == "vertices":
                out[index].c = piece
                continue
            image = self.images[index].copy()
            image[rows, columns] = piece
            empty = np.ones(image.shape[:2], bool)
            empty[rows, columns] = False
            near = ndimage.distance_transform_edt(empty, return_distances=False, return_indices=True)
            image = image[near[0], near[1]]
            for p, new in zip(self.parts, out):
                if p.image is self.images[index]:
                    new.image = image
        return out

    def by_image(self, change):
        """The parts with each picture changed as a whole."""
        out, made = [SimpleNamespace(**vars(p)) for p in self.parts], {id(image): change(image) for image in self.images}
        for p, new in zip(self.parts, out):
            if p.image is not None:
                new.image = made[id(p.image)]
        return out


def rasterized(p, place, normal, hit):
    height, width = hit.shape
    uv = np.stack([p.uv[:, 0] * width, (1 - p.uv[:, 1]) * height], 1)[p.f]
    normals = np.cross(p.v[p.f[:, 1]] - p.v[p.f[:, 0]], p.v[p.f[:, 2]] - p.v[p.f[:, 0]])
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-30)
    for corners, face, n in zip(uv, p.f, normals):
        (x0, y0), (x1, y1) = np.floor(corners.min(0)).astype(int), np.ceil(corners.max(0)).astype(int)
        if x1 - x0 > 4 * width or y1 - y0 > 4 * height:
            continue
        y, x = np.mgrid[y0 : y1 + 1, x0 : x1 + 1]
        a, b, c = corners
        det = (b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1])
        if abs(det) < 1e-12:
            continue
        v = ((x + 0.5 - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (y + 0.5 - a[1])) / det
        w = ((b[0] - a[0]) * (y + 0.5 - a[1]) - (x + 0.5 - a[0]) * (b[1] - a[1])) / det
        inside = (v >= 0) & (w >= 0) & (v + w <= 1)
        if not inside.any():
            continue
        rows, columns = y[inside] % height, x[inside] % width
        v, w = v[inside][:, None], w[inside][:, None]
        place[rows, columns] = p.v[face[0]] * (1 - v - w) + p.v[face[1]] * v + p.v[face[2]] * w
        normal[rows, columns] = n
        hit[rows, columns] += 1


def waves(place, rng, frequency, count=20):
    """A smooth random field, about 0 ± 1."""
    ways = rng.normal(size=(count, 3))
    ways *= frequency * rng.uniform(0.6, 1.4, (count, 1)) / np.linalg.norm(ways, axis=1, keepdims=True)
    return np.cos(2 * np.pi * (place @ ways.T) + rng.uniform(0, 6.3, count)).sum(1) * np.sqrt(2 / count)


def top(field, share, rng):
    """Where a field has its highest values."""
    return field > np.quantile(field[rng.choice(len(field), min(len(field), 20_000))], 1 - share)


def cells(place, size):
    """Numbers of the cells of a grid that the places are in."""
    grid = np.floor(place / size).astype(np.int64)
    return np.unique(grid @ np.array([1, 4099, 16_785_407]), return_inverse=True)[1].ravel()


def cell_means(e, size):
    cell = cells(e.place, size)
    count = np.bincount(cell)
    return np.stack([np.bincount(cell, e.c[:, k]) / count for k in range(3)], 1)[cell]


def near_mean(e, radius):
    """Blur over the surface."""
    tree = cKDTree(np.hstack([e.place, 0.05 * e.normal]))
    _, near = tree.query(np.hstack([e.place, 0.05 * e.normal]), k=24, distance_upper_bound=radius)
    is_near = near < len(e.c)
    sums = np.where(is_near[..., None], e.c[np.where(is_near, near, 0)], 0).sum(1)
    return sums / is_near.sum(1)[:, None]


def luma(color):
    return color @ [0.299, 0.587, 0.114]


# Blurred.
def gauss(e, s, rng):
    if e.images:
        return e.by_image(lambda image: ndimage.gaussian_filter(image, [s * len(image) / 512, s * len(image) / 512, 0]))
    blurred = SimpleNamespace(place=e.place, normal=e.normal, c=e.c)
    for _ in range(int(round(s / 2)) + 1):
        blurred.c = near_mean(blurred, 0.02)
    return e.painted(blurred.c)


def resized(e, s, rng, method=Image.BILINEAR):
    def change(image):
        height, width = image.shape[:2]
        picture = Image.fromarray(np.round(image * 255).astype(np.uint8))
        small = picture.resize((max(2, int(width / s)), max(2, int(height / s))), Image.BOX)
        return np.asarray(small.resize((width, height), method)) / 255.0

    return e.by_image(change) if e.images else None


def box(e, s, rng):
    return e.by_image(lambda image: ndimage.uniform_filter(image, [int(2 * s) + 1, int(2 * s) + 1, 1])) if e.images else e.painted(near_mean(e, 0.012))


def median(e, s, rng):
    return e.by_image(lambda image: ndimage.median_filter(image, [int(s), int(s), 1])) if e.images else None


def streaked(e, s, rng):
    """Moved while it was photographed."""
    if not e.images:
        return None
    line, at, middle = np.zeros((int(s), int(s))), np.arange(int(s)), int(s) // 2
    rows, columns = [(middle, at), (at, middle), (at, at), (at, at[::-1])][rng.integers(4)]
    line[rows, columns] = 1 / int(s)
    return e.by_image(lambda image: ndimage.convolve(image, line[..., None]))


def reduced(e, s, rng):
    """Fewer texels and back, by filters that sharpen."""
    return e.by_image(lambda image: scaled(scaled(image, 1 / s, Image.LANCZOS), len(image) / round(len(image) / s), Image.BICUBIC)) if e.images else None


def averaged(e, s, rng):
    """Colours of vertices are means over many neighbours."""
    return None if e.images else e.painted(e.c[cKDTree(e.place).query(e.place, k=int(s))[1]].mean(1))


# Grainy.
def scanned(e, s, rng):
    """Lines across each picture, in one direction."""

    def change(image):
        y, x = np.mgrid[: image.shape[0], : image.shape[1]]
        way, length = rng.uniform(0, np.pi) * rng.integers(2), rng.uniform(2, 12)
        wave = np.sin(2 * np.pi * (x * np.sin(way) + y * np.cos(way)) / length)
        return (image * (1 + s * (np.sign(wave) if rng.random() < 0.5 else wave))[..., None]).clip(0, 1)

    return e.by_image(change) if e.images else None


def noise(e, s, rng):
    return e.painted(e.c + s * rng.normal(size=e.c.shape))


def gray_noise(e, s, rng):
    return e.painted(e.c + s * rng.normal(size=(len(e.c), 1)))


def salt(e, s, rng):
    lone = rng.random(len(e.c)) < s
    return e.painted(np.where(lone[:, None], rng.integers(0, 2, (len(e.c), 1)), e.c))


def spots(e, s, rng):
    cell = cells(e.place, rng.uniform(0.006, 0.012))
    amount = np.where(rng.random(cell.max() + 1) < s, 1, 0)[cell][:, None]
    return e.painted(e.c + amount * (rng.random((cell.max() + 1, 3))[cell] - e.c) * 0.7)


def grit(e, s, rng):
    cell = cells(e.place, rng.uniform(0.004, 0.009))
    return e.painted(e.c + s * rng.normal(size=(cell.max() + 1, 1))[cell])


# Stained.
def clouds(e, s, rng):
    return e.painted(e.c * (1 + s * waves(e.place, rng, rng.uniform(1.5, 4))[:, None]))


def tints(e, s, rng):
    field = np.stack([waves(e.place, rng, rng.uniform(1, 3)) for _ in range(3)], 1)
    return e.painted(e.c + 0.5 * s * field)


def blobs(e, s, rng):
    amount, color = np.zeros(len(e.c)), rng.random(3)
    for _ in range(rng.integers(4, 12)):
        center = e.place[rng.integers(len(e.place))]
        amount = np.maximum(amount, np.clip(1.4 - np.linalg.norm(e.place - center, axis=1) / rng.uniform(0.03, 0.09), 0, 1))
    return e.painted(e.c + (s * 1.5 * amount).clip(0, 0.9)[:, None] * (color - e.c))


def shadow(e, s, rng):
    light = rng.normal(size=3)
    shade = np.clip(0.6 - 1.5 * e.normal @ (light / np.linalg.norm(light)), 0, 1)
    return e.painted(e.c * (1 - 1.4 * s * shade[:, None]).clip(0.1))


def lamps(e, s, rng):
    amount = np.zeros(len(e.c))
    for _ in range(rng.integers(3, 9)):
        center = e.place[rng.integers(len(e.place))]
        amount = np.maximum(amount, np.clip(1.3 - np.linalg.norm(e.place - center, axis=1) / rng.uniform(0.03, 0.07), 0, 1))
    return e.painted(e.c + (2 * s * amount).clip(0, 0.95)[:, None] * (1 - e.c))


def exposures(e, s, rng):
    seeds = e.place[rng.integers(0, len(e.place), 10)]
    gain = np.exp(rng.uniform(-1.6, 1.2, (10, 1)) * s + rng.normal(size=(10, 3)) * 0.05)
    return e.painted(e.c * gain[cKDTree(seeds).query(e.place)[1]])


# Covered.
def unpainted(e, s, rng):
    color = np.full(3, [0.05, 0.5, 0.75, 0.97][rng.integers(4)])
    return e.painted(np.where(top(waves(e.place, rng, rng.uniform(1, 3)), s, rng)[:, None], color, e.c))


def unseen(e, s, rng):
    """What faces one way was not seen."""
    way = rng.normal(size=3)
    field = e.normal @ (way / np.linalg.norm(way)) + 0.05 * waves(e.place, rng, 8)
    return e.painted(np.where(top(field, s, rng)[:, None], np.full(3, rng.choice([0.03, 0.45, 0.65, 1.0])), e.c))


def slightly(e, s, rng):
    """Mild blur, of a pixel or so."""
    if not e.images:
        return e.painted(near_mean(SimpleNamespace(place=e.place, normal=e.normal, c=e.c), 0.008 * s))
    return e.by_image(lambda image: ndimage.gaussian_filter(image, [s, s, 0]))


def smaller(e, s, rng):
    """Textures with fewer texels, of the usual filters."""
    method = [Image.BOX, Image.LANCZOS, Image.BILINEAR][rng.integers(3)]
    return e.by_image(lambda image: scaled(image, 1 / s, method)) if e.images else None


def scaled(image, times, method):
    height, width = image.shape[:2]
    size = (max(2, round(width * times)), max(2, round(height * times)))
    return np.asarray(Image.fromarray(np.round(image * 255).astype(np.uint8)).resize(size, method)) / 255.0


# In blocks.
def nearest(e, s, rng):
    return resized(e, s, rng, Image.NEAREST) if e.images else e.painted(cell_means(e, 0.004 * s))


def jpeg(e, s, rng):
    def change(image):
        file = io.BytesIO()
        Image.fromarray(np.round(image * 255).astype(np.uint8)).save(file, "JPEG", quality=int(s))
        return np.asarray(Image.open(file)) / 255.0

    return e.by_image(change) if e.images else None


# With seams.
def patches_of(e, index):
    """Numbers of the patches of a picture, and how far each texel is from the border of its own."""
    _, _, rows, columns = e.of[index]
    inside = np.zeros(e.images[index].shape[:2], bool)
    inside[rows, columns] = True
    return ndimage.label(inside)[0][rows, columns], ndimage.distance_transform_edt(np.pad(inside, 1))[1:-1, 1:-1][rows, columns]


def charts(e, s, rng):
    """Each patch has its own exposure."""
    color, at = e.c.copy(), 0
    for index, (what, _, rows, _) in enumerate(e.of):
        if what != "image":
            return None
        number, _ = patches_of(e, index)
        if number.max() < 3:
            return None
        gain = np.exp(s * rng.normal(size=(number.max() + 1, 1)) + 0.05 * rng.normal(size=(number.max() + 1, 3)))
        color[at : at + len(rows)] *= gain[number]
        at += len(rows)
    return e.painted(color)


def lines(e, s, rng):
    """Borders of patches bled."""
    color, at, bled = e.c.copy(), 0, np.full(3, rng.choice([0.05, 0.9]))
    for index, (what, _, rows, _) in enumerate(e.of):
        if what != "image":
            return None
        _, depth = patches_of(e, index)
        color[at : at + len(rows)] = np.where((depth < s)[:, None], 0.15 * color[at : at + len(rows)] + 0.85 * bled, color[at : at + len(rows)])
        at += len(rows)
    return e.painted(color)


# Neither version can be called worse, or it takes an eye.
def posterized(e, s, rng):
    return e.painted(np.round(e.c * (s - 1)) / (s - 1))


def palette(e, s, rng):
    def change(image):
        picture = Image.fromarray(np.round(image * 255).astype(np.uint8)).quantize(int(s), Image.MEDIANCUT, dither=Image.NONE)
        return np.asarray(picture.convert("RGB")) / 255.0

    return e.by_image(change) if e.images else None


def sharpened(e, s, rng):
    if not e.images:
        return e.painted(e.c + s * (e.c - near_mean(e, 0.012)))
    radius = rng.uniform(0.8, 2)
    return e.by_image(lambda image: (image + s * (image - ndimage.gaussian_filter(image, [radius, radius, 0]))).clip(0, 1))


def hues(e, s, rng):
    return e.painted(np.roll(e.c, 1, axis=1) * s + e.c * (1 - s))


def pale(e, s, rng):
    return e.painted(0.5 + (e.c - 0.5) * s)


def gamma(e, s, rng):
    return e.painted(e.c.clip(0, 1) ** s)


def saturated(e, s, rng):
    return e.painted(luma(e.c)[:, None] * (1 - s) + e.c * s)


def moved(e, s, rng):
    """The print is somewhere else."""
    by = s * np.stack([waves(e.place, rng, 3) for _ in range(3)], 1) if rng.random() < 0.5 else s * rng.normal(size=3)
    return e.painted(e.c[cKDTree(e.place).query(e.place + by)[1]])


def doubled(e, s, rng):
    return e.painted(0.5 * e.c + 0.5 * e.c[cKDTree(e.place).query(e.place + s * rng.normal(size=3))[1]])


def mirrored(e, s, rng):
    place = e.place.copy()
    place[:, 0] = place[:, 0].max() - place[:, 0]
    return e.painted(e.c[cKDTree(e.place).query(place)[1]])


def decal(e, s, rng):
    """Something was printed on it."""
    center = e.place[rng.integers(len(e.place))]
    near = np.linalg.norm(e.place - center, axis=1) < 0.12
    stripes = np.sin(e.place @ rng.normal(size=3) * 150) > 0.3
    return e.painted(np.where((near & stripes)[:, None], rng.random(3), e.c))


# Harmless.
def resaved(e, s, rng):
    return jpeg(e, s, rng) if e.images else e.painted(e.c + 0.003 * rng.normal(size=e.c.shape))


def tone(e, s, rng):
    return e.painted(e.c * (1 + 0.012 * rng.normal(size=3)) + 0.004 * rng.normal())


def dithered(e, s, rng):
    return e.painted(e.c + (rng.random(e.c.shape) - 0.5) / 64)


def bigger(e, s, rng):
    method = [Image.BICUBIC, Image.LANCZOS, Image.BILINEAR][rng.integers(3)]
    return e.by_image(lambda image: scaled(image, s, method)) if e.images and max(len(i) for i in e.images) <= 512 else None


def relit(e, s, rng):
    return e.painted(e.c * (1 + s * waves(e.place, rng, 0.7)[:, None]))


def curve(e, s, rng):
    return e.painted(e.c.clip(0, 1) ** s)


# By name: family, function, range of strengths.
KINDS = {
    "gauss": ("blurred", gauss, (1.2, 7)), "shrunk": ("blurred", resized, (3, 12)), "boxed": ("blurred", box, (1, 6)), "median": ("other", median, (4, 10)),
    "slightly": ("blurred", slightly, (0.8, 2.5)), "smaller": ("blurred", smaller, (3, 10)),
    "streaked": ("blurred", streaked, (5, 14)), "reduced": ("blurred", reduced, (1.8, 6)), "averaged": ("blurred", averaged, (10, 45)),
    "scanned": ("grain", scanned, (0.06, 0.4)),
    "noise": ("grain", noise, (0.05, 0.2)), "gray-noise": ("grain", gray_noise, (0.05, 0.2)), "salt": ("grain", salt, (0.01, 0.1)),
    "spots": ("grain", spots, (0.03, 0.2)), "grit": ("grain", grit, (0.05, 0.15)),
    "clouds": ("stains", clouds, (0.2, 0.5)), "tints": ("stains", tints, (0.15, 0.4)), "blobs": ("stains", blobs, (0.3, 0.7)),
    "shadow": ("stains", shadow, (0.25, 0.6)), "lamps": ("stains", lamps, (0.25, 0.6)), "exposures": ("stains", exposures, (0.3, 0.8)),
    "unpainted": ("covered", unpainted, (0.04, 0.4)), "unseen": ("covered", unseen, (0.05, 0.4)),
    "nearest": ("blocks", nearest, (4, 20)), "jpeg": ("jpeg", jpeg, (4, 22)),
    "charts": ("seams", charts, (0.15, 0.4)), "lines": ("seams", lines, (2, 5)),
    "posterized": ("posterised", posterized, (3, 7)), "palette": ("posterised", palette, (5, 16)), "sharpened": ("other", sharpened, (0.4, 1.5)),
    "hues": ("other", hues, (0.3, 1)), "pale": ("other", pale, (0.3, 0.7)), "gamma": ("other", gamma, (0.5, 2)),
    "saturated": ("other", saturated, (0, 1.8)), "moved": ("other", moved, (0.008, 0.05)), "doubled": ("other", doubled, (0.01, 0.04)),
    "mirrored": ("other", mirrored, (1, 1)), "decal": ("other", decal, (1, 1)),
    "resaved": ("harmless", resaved, (85, 97)), "tone": ("harmless", tone, (1, 1)), "dithered": ("harmless", dithered, (1, 1)),
    "bigger": ("harmless", bigger, (1.5, 2)), "relit": ("harmless", relit, (0.02, 0.05)), "curve": ("harmless", curve, (0.93, 1.07)),
}
BY_IMAGE = {"gauss", "slightly", "shrunk", "smaller", "streaked", "reduced", "scanned", "boxed", "median", "jpeg", "nearest", "palette", "sharpened", "resaved", "bigger"}


def seed(*words):
    return int.from_bytes(hashlib.sha256(" ".join(words).encode()).digest()[:8], "little")


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("assets", type=pathlib.Path)
    arguments.add_argument("out", type=pathlib.Path)
    arguments.add_argument("--half", choices=["fit", "test"], default="fit")
    arguments.add_argument("--names", type=lambda text: text.split(","), help="of assets, whatever their half")
    arguments.add_argument("--kinds", type=lambda text: text.split(","), default=list(KINDS))
    arguments.add_argument("--share", type=float, default=0.66, help="of the kinds that each asset has")
    arguments.add_argument("--leave-out", type=lambda text: text.split(","), default=[], help="beginnings of names")
    args = arguments.parse_args()
    out = args.out.resolve()
    (out / "damaged").mkdir(parents=True, exist_ok=True)
    with open(out / f"pairs-colours-{args.half}.txt", "a") as pairs:
        for name, path in real_assets.assets(args.assets).items():
            is_wanted = name in args.names if args.names else real_assets.half(name) == args.half
            if not is_wanted or any(name.startswith(word) for word in args.leave_out):
                continue
            try:
                parts = load(path)
            except Exception as problem:  # a format that trimesh does not read
                print(f"{name}: {type(problem).__name__}: {problem}"[:160], file=sys.stderr)
                continue
            if sum(len(p.f) for p in parts) > TRIANGLES_MAX:
                continue
            has_images = any(p.image is not None for p in parts)
            variants = [(name, parts), (f"{name}-hd", load(path, TEXTURE_MAX_HD))] if has_images else []
            variants += [(f"{name}-vc", with_vertex_colors(parts))]
            for title, variant in variants:
                e = Elements(variant, title.endswith("-hd"))
                if len(e.c) < 500 or e.c.std(0).max() < 0.03:
                    continue
                clean = out / "damaged" / f".{title}.glb"
                write(variant, clean)
                for kind, (family, change, (low, high)) in KINDS.items():
                    rng = np.random.default_rng(seed(title, kind))
                    if rng.random() > args.share or kind not in args.kinds or e.is_shared and kind not in BY_IMAGE:
                        continue
                    done = change(e, rng.uniform(low, high), rng)
                    if done is not None:
                        target = out / "damaged" / f"{title}__{kind}__1.glb"
                        write(done, target)
                        print(target.stem, clean, target, file=pairs, flush=True)


if __name__ == "__main__":
    main()
