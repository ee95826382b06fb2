"""Five rebuilt versions of assets, on which no rule about rebuilt surfaces was chosen; pairs as those of common_damage.py.

    python lab/probe/rebuilt_surfaces.py ASSETS PAIRS
    python lab/probe/common_shares.py MESHJUDGE PAIRS OUT.jsonl

Each shows what the pipelines of generators do to a shape. The original must never lose: a rebuilt surface has no openings and no loose
pieces, because the program that made it cannot make them.
"""
import os
import sys

import numpy as np
import pymeshlab
import trimesh
from common_damage import cloud, from_field, load, save, solid
from scipy import ndimage
from scipy.spatial.transform import Rotation

ASSETS = [
    "cad-bowl.glb", "cad-iiwa-link3.glb", "cad-jaco-hand.glb", "game-mushroom.glb", "game-coin.glb", "handmade-desk-fan.glb", "handmade-game-boy.glb",
    "handmade-hand-humanoid.glb", "handmade-retro-ufo.glb", "handmade-spider.obj", "kaykit-burger.glb", "kaykit-couch.glb", "kenney-speeder.glb",
    "lowpoly-sunflower.glb", "pbr-sofa.glb", "pbr-tea-set.glb", "scan-hammer.obj", "scan-ycb-soup-can.glb",
]


def joined(parts):
    return trimesh.util.concatenate([trimesh.Trimesh(m.vertices, m.faces, process=False) for m in parts])


def by_meshlab(mesh, *filters):
    meshes = pymeshlab.MeshSet()
    meshes.add_mesh(pymeshlab.Mesh(mesh.vertices, mesh.faces))
    for name, settings in filters:
        getattr(meshes, name)(**settings)
    made = meshes.current_mesh()
    return [trimesh.Trimesh(made.vertex_matrix(), made.face_matrix(), process=False)]


def poisson(parts, resolution=7):
    sampled = ("generate_sampling_poisson_disk", {"samplenum": 20000})
    normals = ("compute_normal_for_point_clouds", {"k": 12}) if len(joined(parts).faces) < 2000 else ("meshing_remove_unreferenced_vertices", {})
    return by_meshlab(joined(parts), sampled, normals, ("generate_surface_reconstruction_screened_poisson", {"depth": resolution, "preclean": True}))


def wrapped(parts):
    return by_meshlab(joined(parts), ("generate_alpha_wrap", {"alpha": pymeshlab.PercentageValue(2.0), "offset": pymeshlab.PercentageValue(0.4)}))


def turned(parts, turn):
    out = [m.copy() for m in parts]
    for m in out:
        m.vertices = turn.apply(m.vertices)
    return out


def smooth_voxels(parts, resolution=70):
    grid, low, pitch = solid(parts, resolution)
    cubes = from_field(ndimage.binary_fill_holes(grid).astype(float), 0.5, low, pitch, parts)[0]
    return by_meshlab(cubes, ("apply_coord_taubin_smoothing", {"stepsmoothnum": 12}))


def on_another_grid(parts, resolution=128):
    turn = Rotation.from_euler("xyz", [23, 41, 11], degrees=True)
    inside = turned(parts, turn)
    grid, low, pitch = solid(inside, resolution)
    made = from_field(ndimage.gaussian_filter(ndimage.binary_fill_holes(grid).astype(float), 0.8), 0.5, low, pitch, inside)
    return turned(made, turn.inv())


def shells(parts, resolution=100):
    """From a distance to the surface, and nothing about the inside: a skin on both sides of it."""
    grid, low, pitch = solid(parts, resolution)
    return from_field(-ndimage.distance_transform_edt(~grid), -0.7, low, pitch, parts)


KINDS = [poisson, wrapped, smooth_voxels, on_another_grid, shells]

if __name__ == "__main__":
    source, target = sys.argv[1:3]
    for name in ASSETS:
        parts = load(os.path.join(source, name))
        for kind in KINDS:
            folder = os.path.join(target, kind.__name__, os.path.splitext(name)[0])
            try:
                rebuilt = kind([m.copy() for m in parts])
            except Exception as problem:  # a program of others that cannot do it says nothing about the judge
                print("none", kind.__name__, name, repr(problem)[:120])
                continue
            os.makedirs(folder, exist_ok=True)
            save(parts, folder + "/ref.glb")
            save(rebuilt, folder + "/bad.glb")
