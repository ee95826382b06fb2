"""Chamfer, F-score and Hausdorff of large meshes: `meshjudge measure` against trimesh + scipy, in seconds of processor time.

    python scripts/metrics_speed.py MESHJUDGE [--triangles 1000000] [--samples 100000] [--rounds 3]

Needs numpy, scipy, trimesh with rtree. Both sides read the same two PLY files, draw as many points and take point-to-surface distances; the
peer's point-to-surface step is run on `--peer-points` points and extrapolated, because it takes minutes.
"""

import argparse
import json
import pathlib
import resource
import subprocess
import tempfile
import time

import numpy as np
import scipy.spatial
import trimesh


def bumpy(triangles, seed):
    """A sphere with waves, about so many triangles."""
    rows = int((triangles / 4) ** 0.5)
    theta, phi = np.meshgrid(np.linspace(0.01, np.pi - 0.01, rows), np.linspace(0, 2 * np.pi, 2 * rows), indexing="ij")
    r = 1 + 0.05 * np.sin(7 * theta + seed) * np.cos(5 * phi) + 0.002 * np.sin(60 * phi + seed)
    points = np.stack([r * np.sin(theta) * np.cos(phi), r * np.cos(theta), r * np.sin(theta) * np.sin(phi)], -1)
    at = np.arange(rows * 2 * rows).reshape(rows, 2 * rows)
    a, b, c, d = at[:-1, :-1].ravel(), at[1:, :-1].ravel(), at[1:, 1:].ravel(), at[:-1, 1:].ravel()
    faces = np.concatenate([np.stack([a, d, c], 1), np.stack([a, c, b], 1)])
    return trimesh.Trimesh(points.reshape(-1, 3), faces, process=False)


def peer(paths, samples, peer_points):
    start = time.process_time()
    a, b = (trimesh.load(path, process=False) for path in paths)
    p, _ = trimesh.sample.sample_surface(a, samples, seed=0)
    q, _ = trimesh.sample.sample_surface(b, samples, seed=0)
    ab = scipy.spatial.cKDTree(q).query(p)[0]
    ba = scipy.spatial.cKDTree(p).query(q)[0]
    points = time.process_time() - start
    start = time.process_time()
    trimesh.proximity.ProximityQuery(b).on_surface(p[:1])
    trimesh.proximity.ProximityQuery(a).on_surface(q[:1])
    trees = time.process_time() - start
    start = time.process_time()
    trimesh.proximity.ProximityQuery(b).on_surface(p[:peer_points])
    surface = trees + (time.process_time() - start) * 2 * samples / peer_points
    return points, points + surface, (ab.mean() + ba.mean()) / 2


def ours(program, paths, samples, metrics):
    command = [program, "measure", paths[0], "--reference", paths[1], "--samples", str(samples), "--json", "--quiet"]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.time()
    done = subprocess.run([*command, "--metrics", metrics], capture_output=True, text=True, check=True)
    seconds = time.time() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    row = [json.loads(line) for line in done.stdout.splitlines()][-1]
    return seconds, cpu, after.ru_maxrss / 1024, {v["metric"]: v["value"] for v in row["comparison"]["values"]}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("meshjudge")
    parser.add_argument("--triangles", type=int, default=1_000_000)
    parser.add_argument("--samples", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--peer-points", type=int, default=2_000)
    parser.add_argument("--without-peer", action="store_true")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        paths = [str(pathlib.Path(folder) / name) for name in ("a.ply", "b.ply")]
        for path, seed in zip(paths, (0, 1)):
            bumpy(args.triangles, seed).export(path)
        surface = "cd_l1_half,cd_l2_sum,f@0.01,hausdorff,nc"
        for name, metrics in [("surface", surface), ("points", "cd_l1_half_pp"), ("surface + iou", surface + ",iou")]:
            for _ in range(args.rounds):
                seconds, cpu, mib, values = ours(args.meshjudge, paths, args.samples, metrics)
                print(f"ours, {name}: {seconds:.2f} s, {cpu:.2f} s of processor, {mib:.0f} MiB  {values}", flush=True)
        for _ in range(0 if args.without_peer else min(args.rounds, 2)):
            points, surface, value = peer(paths, args.samples, args.peer_points)
            print(f"trimesh + scipy: points {points:.2f} s, with point-to-surface {surface:.0f} s of processor  cd_l1_half {value}", flush=True)


if __name__ == "__main__":
    main()
