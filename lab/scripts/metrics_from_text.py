"""Computes metrics from the paragraph on methods that `report --out board.tex` writes, and compares them with `meshjudge measure`.

    python lab/scripts/metrics_from_text.py MESHJUDGE [RESULT.ply REFERENCE.ply]

Needs numpy, scipy and trimesh (to read and make the files). Without files an ellipsoid and a torus are measured, as they are and with their
boxes brought together, and two boxes that share triangles, as they are and by their axes. For surfaces of a few thousand triangles: distances
and solid angles are taken to every triangle. The search over similarities is not followed: its answer stands beside the numbers.
"""

import itertools
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import scipy.optimize
import scipy.spatial
import trimesh

MATCHED, CELLS, SEED = 256, 24, 5
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


def shared(own, others):
    """Of each triangle whether the others have it too: 1, -1 where it runs the other way around there, else 0."""
    turns = lambda t: (t, t[[1, 2, 0]], t[[2, 0, 1]])
    known = {turn.tobytes() for t in others for turn in turns(t)}
    has = lambda t: any(turn.tobytes() in known for turn in turns(t))
    return np.array([1 if has(t) else -1 if has(t[::-1]) else 0 for t in own + 0.0])


def on_edges(points, normal, near):
    """Which samples have another one close by whose normal points elsewhere."""
    out = np.zeros(len(points), bool)
    for i, j in scipy.spatial.cKDTree(points).query_pairs(near):
        out[[i, j]] |= abs(normal[i] @ normal[j]) < 0.2
    return out


def moments(corners):
    """Centre of area, root mean square distance from it, and axes of inertia, the longest first."""
    areas = 0.5 * np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)
    center = (corners.mean(1) * areas[:, None]).sum(0) / areas.sum()
    v = corners - center
    total = v.sum(1)
    squares = (np.einsum("tki,tkj->tij", v, v) + np.einsum("ti,tj->tij", total, total)) / 12
    covariance = (squares * areas[:, None, None]).sum(0) / areas.sum()
    axes = np.linalg.eigh(covariance)[1][:, ::-1]
    axes[:, 2] = np.cross(axes[:, 0], axes[:, 1])
    return center, np.sqrt(np.trace(covariance)), axes


def by_axes(x, y):
    (from_center, from_size, from_axes), (to_center, to_size, to_axes) = moments(x), moments(y)
    p, q = sample(x, 3000, 1)[0], sample(y, 3000, 1)[0]
    best = None
    for order in itertools.permutations(range(3)):
        for signs in itertools.product((1, -1), repeat=3):
            turn = np.zeros((3, 3))
            turn[range(3), order] = signs
            if np.linalg.det(turn) < 0:
                continue
            rotation = to_axes @ turn @ from_axes.T
            at = lambda points: (points - from_center) @ rotation.T * (to_size / from_size) + to_center
            misfit = 0.5 * sum((to_surface(a, b, 0.0)[0] ** 2).mean() for a, b in ((at(p), y), (q, at(x))))
            if best is None or misfit < best[0]:
                best = misfit, at(x)
    return best[1]


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
    if align == "axes":
        return by_axes(x, y)
    box = lambda c: (c.reshape(-1, 3).min(0), c.reshape(-1, 3).max(0))
    (low, high), (to_low, to_high) = box(x), box(y)
    scale = (to_high - to_low).max() / (high - low).max()
    return (x - (low + high) / 2) * scale + (to_low + to_high) / 2


def from_text(x, y, align, samples):
    x = placed(x, y, align)
    unit = np.ptp(y.reshape(-1, 3), axis=0).max()
    (p, p_face), (q, q_face) = sample(x, samples, SEED), sample(y, samples, SEED)
    found = {}
    diagonal = np.linalg.norm(np.ptp(y.reshape(-1, 3), axis=0))
    a_surface, a_face = to_surface(p, y, diagonal)
    b_surface, b_face = to_surface(q, x, diagonal)
    a_shared, b_shared = shared(x, y)[p_face], shared(y, x)[q_face]
    a_surface[a_shared != 0], b_surface[b_shared != 0] = 0, 0
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
    cos = lambda mine, theirs, known: np.where(known != 0, known, (mine * theirs).sum(1))
    cosines = cos(nx[p_face], ny[a_face], a_shared), cos(ny[q_face], nx[b_face], b_shared)
    found["nc"] = sum(np.abs(c).mean() for c in cosines) / 2
    found["nc_signed"] = sum(c.mean() for c in cosines) / 2
    manhattan = lambda points, others: scipy.spatial.cKDTree(others).query(points, p=1)[0].mean() / unit
    found["cd_manhattan"] = manhattan(p, q) + manhattan(q, p)
    found["asymmetry"] = b_surface.mean() / unit - a_surface.mean() / unit
    p_edge, q_edge = p[on_edges(p, nx[p_face], 0.004 * unit)], q[on_edges(q, ny[q_face], 0.004 * unit)]
    if len(p_edge) and len(q_edge):
        near = lambda points, others: scipy.spatial.cKDTree(others).query(points)[0].mean() / unit
        found["edge_cd_l1_sum"] = near(p_edge, q_edge) + near(q_edge, p_edge)
    m, _ = sample(x, MATCHED, SEED)
    n, _ = sample(y, MATCHED, SEED)
    cost = scipy.spatial.distance.cdist(m, n)
    found["emd"] = cost[scipy.optimize.linear_sum_assignment(cost)].mean() / unit
    found["iou"] = iou(x, y)
    return found


def compared(program, result, reference, align, samples):
    read = lambda path: trimesh.load(path, process=False, force="mesh").triangles.astype(np.float32).astype(np.float64)
    found = from_text(read(result), read(reference), align, samples)
    command = [program, "measure", result, "--reference", reference, "--align", align, "--samples", str(samples), "--seed", str(SEED)]
    command += ["--matched", str(MATCHED), "--cells", str(CELLS), "--metrics", ",".join(found), "--json", "--quiet"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    worst = 0.0
    for value in json.loads(done.stdout.splitlines()[-1])["comparison"]["values"]:
        mine, theirs = found[value["metric"]], value["value"]
        off = abs(mine - theirs) / max(abs(mine), 1e-300)
        worst = max(worst, off)
        print(f"{align:5} {value['metric']:18} {mine:.15g} {theirs:.15g} {off:.1e}")
    return worst


def lifted(height):
    """A box whose upper corners are lifted."""
    box = trimesh.creation.box((1.0, 0.7, 0.4))
    vertices = np.array(box.vertices)
    vertices[vertices[:, 2] > 0, 2] += height
    return trimesh.Trimesh(vertices, box.faces, process=False)


def main():
    program, *files = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        pairs = [(*files, "none", 3000), (*files, "box", 3000)] if files else []
        if not files:
            path = lambda name: str(pathlib.Path(folder) / name)
            trimesh.creation.icosphere(subdivisions=2).apply_scale([1.0, 0.8, 0.4]).export(path("ellipsoid.ply"))
            trimesh.creation.torus(0.7, 0.3, 48, 24).export(path("torus.ply"))
            lifted(0.0).export(path("box.ply"))
            lifted(0.1).export(path("lifted.ply"))
            turn = trimesh.transformations.rotation_matrix(1.0, [1, 2, 3], [0.3, 0.2, 0.1])
            lifted(0.1).apply_transform(turn).apply_scale(2.5).export(path("moved.ply"))
            pairs = [("ellipsoid", "torus", "none", 3000), ("moved", "torus", "box", 3000)]
            # Only among many points are some within 0.004 of each other across an edge.
            pairs += [("lifted", "box", "none", 20_000), ("moved", "box", "axes", 20_000)]
            pairs = [(path(a + ".ply"), path(b + ".ply"), *how) for a, b, *how in pairs]
        worst = max(compared(program, *pair) for pair in pairs)
    print("largest relative difference", worst)
    sys.exit(worst > 1e-9)


if __name__ == "__main__":
    main()
