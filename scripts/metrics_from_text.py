"""Computes metrics from the text of docs/METRICS.md and of the methods paragraph alone, and compares them with `meshjudge measure`.

    python scripts/metrics_from_text.py MESHJUDGE RESULT.ply REFERENCE.ply

Needs numpy, scipy and trimesh (to read the files). Surfaces of a few thousand triangles:
distances to a surface are taken to every triangle.
"""

import json
import subprocess
import sys

import numpy as np
import scipy.spatial
import trimesh

SAMPLES = 3000
MASK = (1 << 64) - 1


def splitmix64(seed, count):
    """Outputs 0, 1, … of SplitMix64 as doubles in [0, 1)."""
    state, out = seed, []
    for _ in range(count):
        state = (state + 0x9E3779B97F4A7C15) & MASK
        z = state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        z ^= z >> 31
        out.append((z >> 11) * 2.0**-53)
    return np.array(out)


def sample(corners, count, seed):
    u = splitmix64(seed, 3 * count).reshape(-1, 3)
    cross = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    sums = np.cumsum(0.5 * np.linalg.norm(cross, axis=1))
    face = np.searchsorted(sums, u[:, 0] * sums[-1], side="left")
    a, b = u[:, 1].copy(), u[:, 2].copy()
    fold = a + b > 1
    a[fold], b[fold] = 1 - a[fold], 1 - b[fold]
    p0, p1, p2 = corners[face].transpose(1, 0, 2)
    return p0 + a[:, None] * (p1 - p0) + b[:, None] * (p2 - p0)


def to_surface(points, corners):
    out = []
    for point in points:
        near = trimesh.triangles.closest_point(corners, np.broadcast_to(point, (len(corners), 3)))
        out.append(np.sqrt(((near - point) ** 2).sum(1).min()))
    return np.array(out)


def main():
    program, result, reference = sys.argv[1:4]
    read = lambda path: trimesh.load(path, process=False, force="mesh").triangles.astype(np.float32).astype(np.float64)
    x, y = read(result), read(reference)
    unit = np.ptp(y.reshape(-1, 3), axis=0).max()
    p, q = sample(x, SAMPLES, 5), sample(y, SAMPLES, 5)
    found = {}
    for suffix, a, b in [
        ("_pp", scipy.spatial.cKDTree(q).query(p)[0] / unit, scipy.spatial.cKDTree(p).query(q)[0] / unit),
        ("", to_surface(p, y) / unit, to_surface(q, x) / unit),
    ]:
        precision, recall = (a < 0.02).mean(), (b < 0.02).mean()
        found["cd_l1_half" + suffix] = (a.mean() + b.mean()) / 2
        found["cd_l2_sum" + suffix] = (a**2).mean() + (b**2).mean()
        found[f"f{suffix}@0.02"] = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
        found["hausdorff_q95" + suffix] = max(np.quantile(a, 0.95), np.quantile(b, 0.95))
    command = [program, "measure", result, "--reference", reference, "--samples", str(SAMPLES), "--seed", "5", "--json", "--quiet"]
    done = subprocess.run([*command, "--metrics", ",".join(found)], capture_output=True, text=True, check=True)
    values = json.loads(done.stdout.splitlines()[-1])["comparison"]["values"]
    worst = 0.0
    for value in values:
        mine, theirs = found[value["metric"]], value["value"]
        off = abs(mine - theirs) / max(abs(mine), 1e-300)
        worst = max(worst, off)
        print(f"{value['metric']:18} {mine:.15g} {theirs:.15g} {off:.1e}")
    print("largest relative difference", worst)
    sys.exit(worst > 1e-9)


if __name__ == "__main__":
    main()
