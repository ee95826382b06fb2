"""Makes parts of machines and worn bodies at random, on which the offline judge is fitted beside real assets.

    python tests/foreign/made_assets.py OUT        (needs manifold3d)

The fit half of the real assets has few parts with flat faces and sharp edges and no scans; these stand in for both. A part is put
together from solids; a body is a sphere pushed in and out by waves of ever finer grain, some with a fine pattern over all, as weathered
stone, cloth or bark has it. None has a texture.
"""

import pathlib
import sys

import numpy as np
import trimesh
from manifold3d import CrossSection, Manifold

PARTS, BODIES = 28, 20


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


def main(out):
    out.mkdir(parents=True, exist_ok=True)
    for name, make, count in [("part", part, PARTS), ("body", body, BODIES)]:
        for index in range(count):
            made = make(np.random.default_rng([20261124, *name.encode(), index]), index)
            made.export(out / f"{name}-{index:02}.glb")
            print(f"{name}-{index:02}", len(made.faces), "closed" if made.is_watertight else "open")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
