"""Objects an hour: assets of a folder drawn by the command line, PNG files written, one process for an asset as a shell loop would start it.

    python lab/scripts/objects_an_hour.py MESHJUDGE FOLDER [--assets 20] [--views 24,120,150] [--size 512] [--seed 0] [--limit-secs 240]

Draws a random sample of the folder's assets (`--seed` decides which; 0 for --assets takes all) on the CPU, colour only, from the ring of
cameras, at each number of views in turn. Prints one JSON object a line: the machine, each asset (wall and processor seconds, bytes
written), then a summary for each number of views. An asset that the program refuses is printed with its reason and not counted.
Stops before an asset when the time is up, and says so. The pictures go to a temporary folder and are removed.
"""

import argparse
import json
import os
import platform
import random
import resource
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

FORMATS = {".glb", ".gltf", ".obj", ".ply", ".stl"}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--assets", type=int, default=20)
    parser.add_argument("--views", default="24,120,150")
    parser.add_argument("--size", type=int, default=512)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--limit-secs", type=float, default=240)
    args = parser.parse_args()
    found = sorted(path for path in args.folder.rglob("*") if path.suffix.lower() in FORMATS)
    count = min(args.assets, len(found)) or len(found)
    assets = sorted(random.Random(args.seed).sample(found, count))
    version = subprocess.run([args.program, "--version"], check=True, capture_output=True, text=True).stdout.strip()
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else None
    show({"program": version, "machine": platform.machine(), "cores": os.cpu_count(), "load_before": load, "size_px": args.size, "assets": count, "of": len(found)})
    ends = time.monotonic() + args.limit_secs
    drawn: dict[int, list[dict]] = {int(views): [] for views in args.views.split(",")}
    # All numbers of views of one asset, then the next: what else the machine does falls on all of them alike.
    for asset in assets:
        if time.monotonic() > ends:
            show({"stopped": f"{args.limit_secs} s are over"})
            break
        for views, rows in drawn.items():
            row = draw(args, asset, views)
            show(row)
            if row["code"] == 0:
                rows.append(row)
    for views, rows in drawn.items():
        if rows:
            show(summary(views, rows))


def draw(args: argparse.Namespace, asset: Path, views: int) -> dict:
    with tempfile.TemporaryDirectory() as out:
        command = [args.program, "render", asset, "--out", out, "--rig", "ring", "--views", str(views), "--size", str(args.size)]
        command += ["--channels", "rgb", "--renderer", "cpu", "--quiet"]
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        started = time.monotonic()
        ended = subprocess.run(command, capture_output=True, text=True, check=False)
        wall = time.monotonic() - started
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        pictures = list(Path(out).rglob("*.png"))
        if ended.returncode == 0 and len(pictures) != views:
            raise SystemExit(f"{len(pictures)} pictures instead of {views}: {asset}")
        processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        row = {"asset": asset.name, "views": views, "code": ended.returncode, "wall_secs": round(wall, 3), "processor_secs": round(processor, 3)}
        row["bytes"] = sum(path.stat().st_size for path in pictures)
        return row if ended.returncode == 0 else row | {"reason": ended.stderr.strip()}


def summary(views: int, rows: list[dict]) -> dict:
    wall = [row["wall_secs"] for row in rows]
    return {
        "views": views,
        "objects": len(rows),
        "objects_an_hour": round(3600 * len(rows) / sum(wall)),
        "processor_secs_an_object": round(sum(row["processor_secs"] for row in rows) / len(rows), 3),
        "median_secs": round(statistics.median(wall), 3),
        "slowest_secs": max(wall),
        "slowest": max(rows, key=lambda row: row["wall_secs"])["asset"],
    }


def show(row: dict) -> None:
    print(json.dumps(row), flush=True)


if __name__ == "__main__":
    main()
