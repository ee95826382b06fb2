"""Large meshes: `meshjudge measure` against trimesh + scipy and against eval3r, in turn; and how many pairs go through in an hour.

    python lab/scripts/metrics_speed.py MESHJUDGE [--triangles 1000000] [--rounds 3] [--out rows.jsonl]
    python lab/scripts/metrics_speed.py MESHJUDGE --batch 1000 [--triangles 50000]

Needs numpy, scipy, trimesh with rtree, and eval3r for its rows. Every program is a process of its own that reads the same two PLY files, so
what starting and reading cost is in it on both sides. Prints processor time, time by the clock and the most memory, and their medians.
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np
import scipy.spatial
import trimesh

SURFACE = "cd_l1_half,cd_l2_sum,f@0.01,hausdorff,nc"


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


def peer(kind, paths, samples):
    """Chamfer distance and F-score as one writes them with trimesh and scipy; runs in a process of its own."""
    a, b = (trimesh.load(path, process=False) for path in paths)
    p, _ = trimesh.sample.sample_surface(a, samples, seed=0)
    q, _ = trimesh.sample.sample_surface(b, samples, seed=0)
    if kind == "surface":
        ab = trimesh.proximity.ProximityQuery(b).on_surface(p)[1]
        ba = trimesh.proximity.ProximityQuery(a).on_surface(q)[1]
    else:
        ab = scipy.spatial.cKDTree(q).query(p)[0]
        ba = scipy.spatial.cKDTree(p).query(q)[0]
    unit = b.extents.max()
    precision, recall = (ab < 0.01 * unit).mean(), (ba < 0.01 * unit).mean()
    print((ab.mean() + ba.mean()) / 2 / unit, 2 * precision * recall / (precision + recall))


def measured(command):
    """What a process costs, and what it printed."""
    start = time.time()
    done = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    said = done.stdout.read()
    _, status, used = os.wait4(done.pid, 0)
    done.returncode = os.waitstatus_to_exitcode(status)
    if done.returncode:
        sys.exit(f"{command} ended with {done.returncode}")
    return {"cpu_secs": used.ru_utime + used.ru_stime, "wall_secs": time.time() - start, "mib": used.ru_maxrss / 1024}, said


def in_turn(args):
    with tempfile.TemporaryDirectory() as folder:
        paths = [str(pathlib.Path(folder) / name) for name in ("a.ply", "b.ply")]
        for path, seed in zip(paths, (0, 1)):
            bumpy(args.triangles, seed).export(path)
        n, m = args.samples, 2 * args.samples
        ours = [args.meshjudge, "measure", paths[0], "--reference", paths[1], "--json", "--quiet"]
        this = [sys.executable, __file__, args.meshjudge]
        programs = {
            f"meshjudge, to the surface, {n}": [*ours, "--metrics", SURFACE, "--samples", str(n)],
            f"trimesh, to the surface, {n}": [*this, "--peer", "surface", *paths, "--samples", str(n)],
            f"meshjudge, between points, {n}": [*ours, "--metrics", "cd_l1_half_pp,f_pp@0.01", "--samples", str(n)],
            f"trimesh + scipy, between points, {n}": [*this, "--peer", "points", *paths, "--samples", str(n)],
            f"meshjudge, between points, {m}": [*ours, "--metrics", "cd_l1_half_pp,f_pp@0.01", "--samples", str(m)],
            f"eval3r, between points, {m}": ["e3r", "metric", "geometry", paths[0], "--gt", paths[1], "--samples", str(m), "--json"],
            f"meshjudge, to the surface and IoU, {n}": [*ours, "--metrics", SURFACE + ",iou", "--samples", str(n)],
        }
        rows = []
        for round_number in range(args.rounds):
            for name, command in programs.items():
                if command[0] == "e3r":
                    command = [str(pathlib.Path(sys.executable).with_name("e3r")), *command[1:]]
                cost, said = measured(command)
                rows.append({"program": name, "triangles": args.triangles, "round": round_number, **cost, "said": said.splitlines()[-1][-400:]})
                print(json.dumps(rows[-1]), flush=True)
        for name in programs:
            mine = [row for row in rows if row["program"] == name]
            print(name, {key: round(statistics.median(row[key] for row in mine), 2) for key in ("cpu_secs", "wall_secs", "mib")})
        return rows


def batch(args):
    """So many pairs of different files in one call; 20 shapes stand for all."""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for kind, shift in (("out", 0.0), ("refs", 0.5)):
            (folder / kind).mkdir()
            for i in range(args.batch):
                path = folder / kind / f"{i:05}.ply"
                if i < 20:
                    bumpy(args.triangles, i + shift).export(path)
                else:
                    os.link(folder / kind / f"{i % 20:05}.ply", path)
        command = [args.meshjudge, "measure", str(folder / "out"), "--reference", str(folder / "refs"), "--json", "--quiet"]
        cost, said = measured([*command, "--metrics", args.metrics, "--samples", str(args.samples)])
        row = {"pairs": args.batch, "triangles": args.triangles, "metrics": args.metrics, **cost, "said": said.splitlines()[-1][-400:]}
        row["pairs_an_hour_of_two_cores"] = 3600 * 2 * args.batch / cost["cpu_secs"]
        row["pairs_an_hour_by_the_clock"] = 3600 * args.batch / cost["wall_secs"]
        print(json.dumps(row))
        return [row]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("meshjudge")
    parser.add_argument("--triangles", type=int)
    parser.add_argument("--samples", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--batch", type=int)
    parser.add_argument("--metrics", default=SURFACE)
    parser.add_argument("--peer", nargs=3, help=argparse.SUPPRESS)
    parser.add_argument("--out", type=pathlib.Path)
    args = parser.parse_args()
    if args.peer:
        return peer(args.peer[0], args.peer[1:], args.samples)
    args.triangles = args.triangles or (50_000 if args.batch else 1_000_000)
    rows = batch(args) if args.batch else in_turn(args)
    if args.out:
        args.out.write_text("".join(json.dumps(row) + "\n" for row in rows))


if __name__ == "__main__":
    main()
