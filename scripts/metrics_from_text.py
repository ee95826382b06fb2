"""Computes metrics from the paragraph on methods that `report --out board.tex` writes, and compares them with `meshjudge measure`.

    python scripts/metrics_from_text.py MESHJUDGE [RESULT.ply REFERENCE.ply]

Needs numpy, scipy and trimesh (to read and make the files). Without files an ellipsoid and a torus are measured, as they are and with their
boxes brought together. For surfaces of a few thousand triangles: distances and solid angles are taken to every triangle.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import scipy.optimize
import scipy.spatial
import trimesh

SAMPLES, MATCHED, CELLS, SEED = 3000, 256, 24, 5
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
    """Points, and the triangle of each."""
    u = splitmix64(seed, 3 * count).reshape(-1, 3)
    cross = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    sums = np.cumsum(0.5 * np.linalg.norm(cross, axis=1))
    face = np.searchsorted(sums, u[:, 0] * sums[-1], side="left")
    a, b = u[:, 1].copy(), u[:, 2].copy()
    fold = a + b > 1
    a[fold], b[fold] = 1 - a[fold], 1 - b[fold]
    p0, p1, p2 = corners[face].transpose(1, 0, 2)
    return p0 + a[:, None] * (p1 - p0) + b[:, None] * (p2 - p0), face


def normals(corners):
    cross = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    return cross / np.linalg.norm(cross, axis=1, keepdims=True)


def to_surface(points, corners, diagonal):
    """Distance of each point, and the first of the triangles that are as near."""
    far, face = [], []
    for point in points:
        near = trimesh.triangles.closest_point(corners, np.broadcast_to(point, (len(corners), 3)))
        squares = ((near - point) ** 2).sum(1)
        far.append(np.sqrt(squares.min()))
        face.append(int((np.sqrt(squares) <= far[-1] * (1 + 1e-9) + 1e-12 * diagonal).argmax()))
    return np.array(far), np.array(face)


def winding(points, corners):
    """The sum of the solid angles of all triangles over 4π."""
    out = []
    for point in points:
        a, b, c = (corners - point).transpose(1, 0, 2)
        la, lb, lc = (np.linalg.norm(v, axis=1) for v in (a, b, c))
        det = np.einsum("ij,ij->i", a, np.cross(b, c))
        dot = lambda x, y: np.einsum("ij,ij->i", x, y)
        below = la * lb * lc + dot(a, b) * lc + dot(b, c) * la + dot(c, a) * lb
        out.append(2 * np.arctan2(det, below).sum() / (4 * np.pi))
    return np.array(out)


def iou(x, y):
    both = np.concatenate([x.reshape(-1, 3), y.reshape(-1, 3)])
    low, high = both.min(0), both.max(0)
    side = (high - low).max() / CELLS
    count = np.maximum(np.ceil((high - low) / side - 1e-9), 1).astype(int)
    first = (low + high) / 2 - count * side / 2
    axes = [first[k] + (np.arange(count[k]) + 0.5) * side for k in range(3)]
    middles = np.stack(np.meshgrid(*axes, indexing="ij"), -1).reshape(-1, 3)
    a, b = winding(middles, x) > 0.5, winding(middles, y) > 0.5
    return (a & b).sum() / (a | b).sum()


def placed(x, y, align):
    if align == "none":
        return x
    box = lambda c: (c.reshape(-1, 3).min(0), c.reshape(-1, 3).max(0))
    (low, high), (to_low, to_high) = box(x), box(y)
    scale = (to_high - to_low).max() / (high - low).max()
    return (x - (low + high) / 2) * scale + (to_low + to_high) / 2


def from_text(x, y, align):
    x = placed(x, y, align)
    unit = np.ptp(y.reshape(-1, 3), axis=0).max()
    (p, p_face), (q, q_face) = sample(x, SAMPLES, SEED), sample(y, SAMPLES, SEED)
    found = {}
    diagonal = np.linalg.norm(np.ptp(y.reshape(-1, 3), axis=0))
    a_surface, a_face = to_surface(p, y, diagonal)
    b_surface, b_face = to_surface(q, x, diagonal)
    for suffix, a, b in [
        ("_pp", scipy.spatial.cKDTree(q).query(p)[0] / unit, scipy.spatial.cKDTree(p).query(q)[0] / unit),
        ("", a_surface / unit, b_surface / unit),
    ]:
        precision, recall = (a < 0.02).mean(), (b < 0.02).mean()
        found["cd_l1_half" + suffix] = (a.mean() + b.mean()) / 2
        found["cd_l2_sum" + suffix] = (a**2).mean() + (b**2).mean()
        found[f"f{suffix}@0.02"] = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
        found["hausdorff_q95" + suffix] = max(np.quantile(a, 0.95), np.quantile(b, 0.95))
    nx, ny = normals(x), normals(y)
    cos = lambda mine, theirs: np.abs((mine * theirs).sum(1)).mean()
    found["nc"] = (cos(nx[p_face], ny[a_face]) + cos(ny[q_face], nx[b_face])) / 2
    m, _ = sample(x, MATCHED, SEED)
    n, _ = sample(y, MATCHED, SEED)
    cost = scipy.spatial.distance.cdist(m, n)
    found["emd"] = cost[scipy.optimize.linear_sum_assignment(cost)].mean() / unit
    found["iou"] = iou(x, y)
    return found


def compared(program, result, reference, align):
    read = lambda path: trimesh.load(path, process=False, force="mesh").triangles.astype(np.float32).astype(np.float64)
    found = from_text(read(result), read(reference), align)
    command = [program, "measure", result, "--reference", reference, "--align", align, "--samples", str(SAMPLES), "--seed", str(SEED)]
    command += ["--matched", str(MATCHED), "--cells", str(CELLS), "--metrics", ",".join(found), "--json", "--quiet"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    worst = 0.0
    for value in json.loads(done.stdout.splitlines()[-1])["comparison"]["values"]:
        mine, theirs = found[value["metric"]], value["value"]
        off = abs(mine - theirs) / max(abs(mine), 1e-300)
        worst = max(worst, off)
        print(f"{align:5} {value['metric']:18} {mine:.15g} {theirs:.15g} {off:.1e}")
    return worst


def main():
    program, *files = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        if not files:
            files = [str(pathlib.Path(folder) / name) for name in ("ellipsoid.ply", "torus.ply")]
            trimesh.creation.icosphere(subdivisions=2).apply_scale([1.0, 0.8, 0.4]).export(files[0])
            trimesh.creation.torus(0.7, 0.3, 48, 24).export(files[1])
        worst = max(compared(program, *files, align) for align in ("none", "box"))
    print("largest relative difference", worst)
    sys.exit(worst > 1e-9)


if __name__ == "__main__":
    main()
