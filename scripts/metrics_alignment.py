"""Applies random similarities to meshes, lets `meshjudge measure --align search` undo them, and counts how often that works.

    python scripts/metrics_alignment.py MESHJUDGE FOLDER [--meshes 41] [--turns 24] [--out rows.jsonl]

Needs numpy and trimesh. Recovered is what leaves a residual under 1e-3 of the diagonal; symmetric objects have several right turns, so the
residual decides and not the matrix. Mirrored copies are searched too, and must be told.
"""

import argparse
import json
import pathlib
import subprocess
import tempfile
import time

import numpy as np
import trimesh

RECOVERED = 1e-3


def quaternion_matrix(q):
    w, x, y, z = q / np.linalg.norm(q)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("meshjudge")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--meshes", type=int, default=41)
    parser.add_argument("--turns", type=int, default=24)
    parser.add_argument("--triangles-max", type=int, default=60_000)
    parser.add_argument("--out", type=pathlib.Path)
    args = parser.parse_args()
    random = np.random.default_rng(7)
    rows, num_meshes = [], 0
    for path in sorted(args.folder.iterdir()):
        if path.suffix not in (".glb", ".obj", ".ply", ".stl") or num_meshes == args.meshes:
            continue
        try:
            mesh = trimesh.load(path, force="mesh", process=False)
        except Exception as error:
            print(path.name, "trimesh cannot read it:", error)
            continue
        if not isinstance(mesh, trimesh.Trimesh) or not 20 <= len(mesh.faces) <= args.triangles_max:
            continue
        num_meshes += 1
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            mesh = trimesh.Trimesh(mesh.vertices, mesh.faces, process=False)
            size = np.ptp(mesh.vertices, axis=0).max()
            mesh.export(folder / "reference.ply")
            (folder / "turned").mkdir()
            (folder / "mirrored").mkdir()
            for turn in range(args.turns):
                rotation = quaternion_matrix(random.normal(size=4))
                scale = np.exp(random.uniform(-1.5, 1.5))
                shift = random.uniform(-3, 3, size=3) * size
                trimesh.Trimesh(mesh.vertices @ rotation.T * scale + shift, mesh.faces, process=False).export(
                    folder / "turned" / f"{turn:02}.ply"
                )
            flipped = mesh.vertices * [-1, 1, 1]
            trimesh.Trimesh(flipped, mesh.faces[:, ::-1], process=False).export(folder / "mirrored" / "0.ply")
            start = time.time()
            common = [args.meshjudge, "measure", "--reference", folder / "reference.ply", "--align", "search"]
            common += ["--metrics", "cd_l1_half", "--samples", "2000", "--json", "--quiet"]
            for kind in ("turned", "mirrored"):
                done = subprocess.run([*common, folder / kind], capture_output=True, text=True)
                for line in done.stdout.splitlines():
                    row = json.loads(line)
                    if "comparison" in row:
                        found = row["comparison"]["alignment"]
                        rows.append(
                            {
                                "mesh": path.name,
                                "triangles": len(mesh.faces),
                                "kind": kind,
                                "before": found["residual_before"],
                                "after": found["residual_after"],
                                "mirrored": found["residual_if_mirrored"],
                            }
                        )
            mine = [row for row in rows if row["mesh"] == path.name and row["kind"] == "turned"]
            good = sum(row["after"] < RECOVERED for row in mine)
            worst = max(row["after"] for row in mine)
            seconds = (time.time() - start) / (len(mine) + 1)
            print(f"{path.name:40} {len(mesh.faces):7} {good:3} of {len(mine)}  worst {worst:.1e}  {seconds:.2f} s each", flush=True)
    turned = [row for row in rows if row["kind"] == "turned"]
    good = sum(row["after"] < RECOVERED for row in turned)
    print(f"{num_meshes} meshes, {len(turned)} similarities: {good} recovered ({100 * good / len(turned):.2f} %)")
    mirrored = [row for row in rows if row["kind"] == "mirrored"]
    own = [row for row in mirrored if row["after"] > 2e-3]
    told = [row for row in own if row["mirrored"] is not None and row["mirrored"] < 0.5 * row["after"]]
    print(f"{len(mirrored)} mirrored copies: {len(mirrored) - len(own)} are their own mirror image, {len(told)} of {len(own)} others told")
    if args.out:
        args.out.write_text("".join(json.dumps(row) + "\n" for row in rows))


if __name__ == "__main__":
    main()
