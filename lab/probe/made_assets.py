"""Makes parts of machines, worn bodies and painted vessels at random, on which the offline judge is fitted beside real assets.

    python lab/probe/made_assets.py OUT        (needs manifold3d, scipy)

The fit half of the real assets has few parts with flat faces and sharp edges, no scans, and few textures that look like photos; these
stand in for them. A part is put together from solids; a body is a sphere pushed in and out by waves of ever finer grain, some with a fine
pattern over all, as weathered stone, cloth or bark has it; neither has a texture. A vessel has one: noise of every slope, bricks, grain
of wood, cells, print, overlapping leaves, cloth, each as it is or as a camera may have left it: soft, sharpened, grainy, compressed.
"""

import io
import pathlib
import sys

import numpy as np
import scipy.spatial
import trimesh
from manifold3d import CrossSection, Manifold
from PIL import Image, ImageDraw, ImageFilter, ImageFont

PARTS, BODIES, VESSELS = 28, 20, 40


def cylinder(height, radius, segments, top=None):
    return Manifold.cylinder(height, radius, top if top is not None else radius, segments)


def plate(rng):
    wide, deep, thick = rng.uniform(2, 5), rng.uniform(1, 3), rng.uniform(0.1, 0.5)
    solid = Manifold.cube([wide, deep, thick])
    for _ in range(rng.integers(2, 9)):
        hole = cylinder(2 * thick, rng.uniform(0.08, 0.3), int(rng.integers(12, 48)))
        solid -= hole.translate([rng.uniform(0.2, wide - 0.2), rng.uniform(0.2, deep - 0.2), -0.5 * thick])
    return solid


def bracket(rng):
    base = plate(rng)
    low, high = np.array(base.bounding_box()).reshape(2, 3)
    wall = Manifold.cube([high[0], high[2], rng.uniform(0.8, 2.5)])
    solid = base + wall
    for x in np.linspace(0.3, high[0] - 0.4, int(rng.integers(1, 4))):
        rib = CrossSection([[[0, 0], [0.9 * high[1], 0], [0, 0.7]]]).extrude(0.12)
        solid += rib.rotate([90, 0, 90]).translate([x, high[2] * 0.9, high[2] * 0.9])
    return solid


def flange(rng):
    n, bolts = int(rng.integers(24, 96)), int(rng.integers(4, 10))
    solid = cylinder(0.25, 1.5, n) + cylinder(rng.uniform(0.5, 1.6), 0.8, n, rng.uniform(0.55, 0.8)) - cylinder(5, 0.45, n).translate([0, 0, -1])
    for k in range(bolts):
        turn = 2 * np.pi * k / bolts
        solid -= cylinder(1, 0.12, 20).translate([1.2 * np.cos(turn), 1.2 * np.sin(turn), -0.5])
    return solid


def gear(rng):
    teeth = int(rng.integers(10, 34))
    turns = np.arange(4 * teeth) * np.pi / (2 * teeth)
    radii = np.tile([1.0, 1.18, 1.18, 1.0], teeth)
    outline = np.stack([radii * np.cos(turns), radii * np.sin(turns)], 1)
    solid = CrossSection([outline]).extrude(rng.uniform(0.15, 0.8)) - cylinder(3, 0.2, 32).translate([0, 0, -1])
    for k in range(int(rng.integers(0, 7))):
        turn = 2 * np.pi * k / 6
        solid -= cylinder(3, 0.16, 24).translate([0.6 * np.cos(turn), 0.6 * np.sin(turn), -1])
    return solid


def housing(rng):
    wide, deep, high, wall = *rng.uniform(1, 3, 3), rng.uniform(0.06, 0.2)
    solid = Manifold.cube([wide, deep, high]) - Manifold.cube([wide - 2 * wall, deep - 2 * wall, high]).translate([wall, wall, wall])
    for _ in range(rng.integers(1, 6)):
        solid -= Manifold.cube(list(rng.uniform(0.1, 0.5, 3)) + np.array([0, wide, 0])).translate([rng.uniform(0.2, wide - 0.6), -1, rng.uniform(0.1, high - 0.3)])
    for x in [wall, wide - wall - 0.25]:
        solid += cylinder(high * 0.8, 0.14, 24).translate([x + 0.1, wall + 0.1, 0])
    return solid


def shaft(rng):
    solid, at = Manifold(), 0.0
    for _ in range(rng.integers(3, 8)):
        length, radius = rng.uniform(0.2, 1.2), rng.uniform(0.2, 0.7)
        solid += cylinder(length + 1e-3, radius, int(rng.integers(16, 64)), radius * rng.choice([1, 1, 0.8])).translate([0, 0, at])
        at += length
    return solid - Manifold.cube([0.2, 2, 0.6]).translate([-0.1, 0.15, 0.2])


def link(rng):
    n, long = int(rng.integers(24, 64)), rng.uniform(1.5, 4)
    bar = CrossSection([[[0, -0.3], [long, -0.2], [long, 0.2], [0, 0.3]]]).extrude(0.25)
    solid = bar + cylinder(0.5, 0.55, n).translate([0, 0, -0.12]) + cylinder(0.4, 0.4, n).translate([long, 0, -0.08])
    solid -= cylinder(2, 0.28, n).translate([0, 0, -1]) + cylinder(2, 0.18, n).translate([long, 0, -1])
    return solid + Manifold.sphere(0.25, 32).translate([0.5 * long, 0, 0.25])


def part(rng, index):
    makers = [plate, bracket, flange, gear, housing, shaft, link]
    solid = makers[index % len(makers)](rng)
    if rng.random() < 0.3:  # remeshed as a tool for printing would do it
        solid = solid.refine_to_length(rng.uniform(0.08, 0.3))
    mesh = solid.rotate(list(rng.choice([0, 90, 30, 17], 3).astype(float))).to_mesh()
    return trimesh.Trimesh(np.asarray(mesh.vert_properties)[:, :3], np.asarray(mesh.tri_verts), process=False)


def body(rng, index):
    """Waves of each octave point in random directions; their size falls with a power of their number."""
    mesh = trimesh.creation.icosphere(subdivisions=int(rng.integers(4, 7)))
    at = mesh.vertices * rng.uniform(0.5, 1.3, 3)
    fall, height = rng.uniform(0.9, 1.6), np.zeros(len(at))
    for octave in range(1, 7):
        for _ in range(6):
            way = rng.normal(size=3)
            wave = np.sin(2**octave * at @ (way / np.linalg.norm(way)) * rng.uniform(0.7, 1.4) + rng.uniform(0, 2 * np.pi))
            if index % 3 == 1:
                wave = 1 - 2 * np.abs(wave)  # ridges
            height += 0.12 * wave * 2 ** (-fall * octave)
    if index % 2:
        pattern = np.prod(np.sin(rng.uniform(25, 70) * at), 1)
        height += rng.uniform(0.002, 0.008) * pattern
    if index % 4 == 3:
        height = np.where(height > 0, height, 0.3 * height)  # with a floor, as where something was cut or worn flat
    return trimesh.Trimesh(at + mesh.vertices * height[:, None], mesh.faces, process=False)


def waves(rng, size, slope):
    """Noise whose amplitude falls with frequency to the power of `slope`; mean 0, deviation 1."""
    frequency = np.hypot(*np.meshgrid(np.fft.fftfreq(size), np.fft.rfftfreq(size), indexing="ij"))
    frequency[0, 0] = 1
    spectrum = np.fft.rfft2(rng.normal(size=(size, size))) / frequency**slope
    spectrum[0, 0] = 0
    found = np.fft.irfft2(spectrum, (size, size))
    return found / found.std()


def colors(rng, count):
    return rng.uniform(20, 235, (count, 3))


def blend(share, low, high):
    return low + np.clip(share, 0, 1)[..., None] * (high - low)


def stone(rng, size):
    low, high = colors(rng, 2)
    return blend(0.5 + 0.22 * waves(rng, size, rng.uniform(0.7, 1.9)), low, high) + 6 * waves(rng, size, 1.2)[..., None] * rng.normal(size=3)


def bricks(rng, size):
    rows, wall, mortar = int(rng.integers(6, 22)), *colors(rng, 2)
    y, x = np.mgrid[:size, :size] / size * rows
    x = 0.5 * x + 0.5 * (y.astype(int) % 2)
    gap = rng.uniform(0.05, 0.12)
    is_mortar = (y % 1 < gap) | (x % 1 < 0.5 * gap)
    tint = rng.normal(0, 14, (rows + 1, rows + 2))[y.astype(int), x.astype(int)]
    out = wall + tint[..., None] + 10 * waves(rng, size, rng.uniform(0.6, 1.4))[..., None]
    return np.where(is_mortar[..., None], mortar + 6 * waves(rng, size, 0.7)[..., None], out)


def wood(rng, size):
    y, _ = np.mgrid[:size, :size] / size
    rings = np.sin(2 * np.pi * (rng.uniform(8, 40) * y + rng.uniform(0.3, 1.2) * waves(rng, size, 2.0)))
    fine = waves(rng, size, 0.8)
    return blend(0.5 + 0.3 * rings + 0.08 * fine, *colors(rng, 2))


def cells(rng, size):
    count = int(rng.integers(60, 900))
    points = rng.uniform(0, size, (count, 2))
    grid = np.stack(np.mgrid[:size, :size], -1).reshape(-1, 2)
    distance, which = scipy.spatial.cKDTree(points).query(grid, k=2)
    out = colors(rng, count)[which[:, 0]] * 0.5 + colors(rng, 1) * 0.5
    out = np.where((distance[:, 1] - distance[:, 0] < 0.004 * size)[:, None], 30, out)
    return out.reshape(size, size, 3) + 5 * waves(rng, size, rng.uniform(0.5, 1.2))[..., None]


def leaves(rng, size):
    """Discs of all sizes over each other, small ones more often: edges and slopes as photos have them."""
    picture = Image.new("RGB", (size, size))
    draw = ImageDraw.Draw(picture)
    for _ in range(3000):
        radius = size * 0.006 / max(rng.random(), 0.02) ** 0.7
        x, y = rng.uniform(0, size, 2)
        draw.ellipse([x - radius, y - 0.7 * radius, x + radius, y + 0.7 * radius], fill=tuple(colors(rng, 1)[0].astype(int)))
    return np.array(picture, float) + 4 * waves(rng, size, 1.0)[..., None]


def print_of(rng, size):
    paper, ink = colors(rng, 2)
    picture = Image.new("RGB", (size, size), tuple(paper.astype(int)))
    draw = ImageDraw.Draw(picture)
    for _ in range(int(rng.integers(2, 9))):
        x, y, wide, high = rng.uniform(0, 0.8, 2).tolist() + rng.uniform(0.05, 0.4, 2).tolist()
        draw.rectangle([size * x, size * y, size * (x + wide), size * (y + high)], fill=tuple(colors(rng, 1)[0].astype(int)))
    font = ImageFont.load_default(size=max(10, int(size * rng.uniform(0.02, 0.08))))
    for _ in range(int(rng.integers(4, 16))):
        words = "".join(rng.choice(list("abcdefghinorstuxyz 0123456789"), 14))
        draw.text((size * rng.uniform(0, 0.7), size * rng.uniform(0, 0.95)), words, fill=tuple(ink.astype(int)), font=font)
    return np.array(picture, float) + rng.uniform(0, 3) * waves(rng, size, rng.uniform(0, 1))[..., None]


def cloth(rng, size):
    y, x = np.mgrid[:size, :size]
    step = rng.uniform(3, 12)
    weave = np.sin(2 * np.pi * x / step) * np.sin(2 * np.pi * y / step)
    stripes = np.sin(2 * np.pi * x / (step * rng.uniform(8, 30))) > 0.6
    return blend(0.5 + 0.18 * weave + 0.15 * stripes + 0.06 * waves(rng, size, 1.0), *colors(rng, 2))


def plain(rng, size):
    light = 14 * waves(rng, size, 2.2) + rng.uniform(0, 3) * rng.normal(size=(size, size))
    spots = 25 * (waves(rng, size, 1.6) > 2.2)
    return colors(rng, 1) + (light - spots)[..., None]


def photographed(rng, picture):
    """As it is, soft, sharpened, grainy, compressed."""
    how = rng.integers(5)
    if how == 1:
        return picture.filter(ImageFilter.GaussianBlur(rng.uniform(0.5, 1.6)))
    if how == 2:
        return picture.filter(ImageFilter.UnsharpMask(rng.uniform(0.8, 2.0), int(rng.uniform(40, 140)), 0))
    if how == 3:
        grainy = np.array(picture, float) + rng.normal(0, rng.uniform(2, 6), (*picture.size[::-1], 1))
        return Image.fromarray(np.clip(grainy, 0, 255).astype(np.uint8))
    if how == 4:
        kept = io.BytesIO()
        picture.save(kept, "JPEG", quality=int(rng.integers(80, 96)))
        return Image.open(kept).convert("RGB")
    return picture


def vessel(rng, index):
    """A lathe of random profile, with the texture once around it."""
    paints = [stone, bricks, wood, cells, leaves, print_of, cloth, plain]
    size = int(rng.choice([256, 512, 512, 1024, 1024, 2048]))
    paint = paints[index % len(paints)](rng, size)
    picture = photographed(rng, Image.fromarray(np.clip(paint, 0, 255).astype(np.uint8)))
    around, up = int(rng.integers(24, 96)), int(rng.integers(12, 48))
    u, v = (grid.reshape(-1) for grid in np.meshgrid(np.linspace(0, 1, around + 1), np.linspace(0, 1, up + 1)))
    waist = sum(rng.uniform(-0.2, 0.2) * np.sin(np.pi * k * v + rng.uniform(0, 6)) for k in range(1, 4))
    radius = 0.6 + waist
    high = rng.uniform(0.8, 2.5)
    points = np.stack([radius * np.cos(2 * np.pi * u), high * v, radius * np.sin(2 * np.pi * u)], 1)
    corner = (np.arange(up)[:, None] * (around + 1) + np.arange(around)).reshape(-1)
    a, b, c, d = corner, corner + 1, corner + around + 1, corner + around + 2
    faces = np.concatenate([np.stack([a, c, b], 1), np.stack([b, c, d], 1)])
    material = trimesh.visual.material.PBRMaterial(baseColorTexture=picture, metallicFactor=0.0)
    visual = trimesh.visual.TextureVisuals(uv=np.stack([u, v], 1), material=material)
    return trimesh.Trimesh(points, faces, visual=visual, process=False)


def main(out):
    out.mkdir(parents=True, exist_ok=True)
    for name, make, count in [("part", part, PARTS), ("body", body, BODIES), ("vessel", vessel, VESSELS)]:
        for index in range(count):
            made = make(np.random.default_rng([20261124, *name.encode(), index]), index)
            made.export(out / f"{name}-{index:02}.glb")
            print(f"{name}-{index:02}", len(made.faces), "closed" if made.is_watertight else "open")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
