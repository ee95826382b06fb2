"""Applies random similarities to meshes, lets `meshjudge measure --align search` undo them, and counts how often that works.

    python lab/scripts/metrics_alignment.py MESHJUDGE FOLDER [--half test] [--turns 24] [--out rows.jsonl]

Needs numpy and trimesh. Takes the meshes of one half (`lab/probe/real_assets.py`) that trimesh reads. Recovered is what leaves a residual
under 1e-3 of the diagonal; symmetric objects have several right turns, so the residual decides and not the matrix. What is no copy must be
told: a mirrored one (searched), one of 1.5 times the size (as the file is), and half of one, cut by a plane (as the file is, and
searched after a random similarity).
"""

import argparse
import json
import pathlib
import subprocess
import tempfile
import sys
import time

import numpy as np
import trimesh

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "probe"))
import real_assets

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


def half_of(mesh, random):
    """What lies on one side of a plane through the middle of the area, as whole triangles."""
    heights = mesh.triangles_center @ random.normal(size=3)
    order = np.argsort(heights)
    passed = np.cumsum(mesh.area_faces[order])
    kept = order[passed <= passed[-1] / 2]
    return trimesh.Trimesh(mesh.vertices, mesh.faces[kept if len(kept) else order[:1]], process=False)


def measured(program, folder, kind, align):
    """A row for each file of the kind, and what was said of it on stderr."""
    command = [program, "measure", folder / kind, "--reference", folder / "reference.ply", "--align", align]
    command += ["--metrics", "acc,comp,precision@0.01,recall@0.01", "--samples", "2000", "--json"]
    done = subprocess.run(command, capture_output=True, text=True)
    for line in done.stdout.splitlines():
        row = json.loads(line)
        if "comparison" in row:
            found = row["comparison"]
            alignment = found["alignment"]
            said = [line for line in done.stderr.splitlines() if row["path"] in line]
            yield {
                "kind": kind,
                "align": align,
                "before": alignment["residual_before"],
                "after": alignment["residual_after"],
                "mirrored": alignment["residual_if_mirrored"],
                "scale": alignment["scale"],
                "size_ratio": found["size_ratio"],
                **{value["metric"]: value["value"] for value in found["values"]},
                "said": " ".join(word for word in ("times as long", "mirror image") if any(word in line for line in said)),
            }


def similarity(random, size):
    return quaternion_matrix(random.normal(size=4)), np.exp(random.uniform(-1.5, 1.5)), random.uniform(-3, 3, size=3) * size


def rows_of(program, mesh, turns, random):
    """The mesh, moved in every way, measured against itself."""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        size = np.ptp(mesh.vertices, axis=0).max()
        mesh.export(folder / "reference.ply")

        def write(kind, name, vertices, faces):
            (folder / kind).mkdir(exist_ok=True)
            trimesh.Trimesh(vertices, faces, process=False).export(folder / kind / f"{name}.ply")

        for turn in range(turns):
            rotation, scale, shift = similarity(random, size)
            write("turned", f"{turn:02}", mesh.vertices @ rotation.T * scale + shift, mesh.faces)
        write("mirrored", "0", mesh.vertices * [-1, 1, 1], mesh.faces[:, ::-1])
        write("scaled", "0", mesh.vertices * 1.5, mesh.faces)
        part = half_of(mesh, random)
        write("part", "0", part.vertices, part.faces)
        rotation, scale, shift = similarity(random, size)
        write("part moved", "0", part.vertices @ rotation.T * scale + shift, part.faces)
        for kind, align in [("turned", "search"), ("mirrored", "search"), ("scaled", "none"), ("part", "none"), ("part moved", "search")]:
            for row in measured(program, folder, kind, align):
                yield {**row, "true_scale": 1 / scale if kind == "part moved" else None}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("meshjudge")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--half", choices=["fit", "test"], default="test")
    parser.add_argument("--turns", type=int, default=24)
    parser.add_argument("--out", type=pathlib.Path)
    args = parser.parse_args()
    random = np.random.default_rng(7)
    rows, num_meshes = [], 0
    for name, path in real_assets.assets(args.folder).items():
        if real_assets.half(name) != args.half:
            continue
        try:
            mesh = trimesh.load(path, force="mesh", process=False)
            mesh = trimesh.Trimesh(mesh.vertices, mesh.faces, process=False)
        except Exception as error:
            print(name, "trimesh cannot read it:", error)
            continue
        num_meshes += 1
        start = time.time()
        mine = [{"mesh": name, "triangles": len(mesh.faces), **row} for row in rows_of(args.meshjudge, mesh, args.turns, random)]
        rows += mine
        after = [row["after"] for row in mine if row["kind"] == "turned"]
        good = sum(residual < RECOVERED for residual in after)
        seconds = (time.time() - start) / len(mine)
        print(f"{name:40} {len(mesh.faces):7} {good:3} of {len(after)}  worst {max(after):.1e}  {seconds:.2f} s each", flush=True)
        if args.out:
            args.out.write_text("".join(json.dumps(row) + "\n" for row in rows))
    of = lambda kind: [row for row in rows if row["kind"] == kind]
    turned = of("turned")
    good = sum(row["after"] < RECOVERED for row in turned)
    print(f"{num_meshes} meshes, {len(turned)} similarities: {good} recovered ({100 * good / len(turned):.2f} %)")
    own = [row for row in of("mirrored") if row["after"] > 2e-3]
    told = sum("mirror image" in row["said"] for row in own)
    print(f"{num_meshes} mirrored copies: {num_meshes - len(own)} are their own mirror image, {told} of {len(own)} others told")
    print(f"{sum('times as long' in row['said'] for row in of('scaled'))} of {num_meshes} of 1.5 times the size told")
    lacks = sum(row["precision@0.01"] == 1 and row["recall@0.01"] < 1 and row["comp"] > row["acc"] for row in of("part"))
    print(f"{lacks} of {num_meshes} halves have precision 1, recall under 1 and comp over acc")
    parts = of("part moved")
    print(f"{sum(row['after'] > 2e-3 for row in parts)} of {num_meshes} moved halves leave a residual over 2e-3;", end=" ")
    print(f"{sum(abs(row['scale'] / row['true_scale'] - 1) < 0.05 for row in parts)} are at their true scale within 5 %")


if __name__ == "__main__":
    main()
