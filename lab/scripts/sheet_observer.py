"""What a sheet lets a judge of pictures see: a linear observer on the very pixels that are sent.

usage: sheet_observer.py FIT HELD   (numpy, scipy, scikit-learn, pillow)

Both folders are runs of

  meshjudge audit --split fit  --objects 8 --sheets 4x512,9x341,16x256 --levels 0.5 --kinds geometry,texture --run FIT
  meshjudge audit --split held --objects 8 --sheets 4x512,9x341,16x256 --levels 0.5 --kinds geometry,texture --run HELD

with `meshjudge export RUN --format jsonl > RUN/rows.jsonl` after each. Each pair's sheet is read, scaled down to what a provider lets through (its longer side), cut into tiles, and 25 plain statistics of each
tile (16 of colours alone) are averaged over the views. The difference between left and right is one sample; its sign is the answer. A logistic regression
without an intercept (so that swapping sides swaps the answer) is fitted on the fit objects, for each sheet by itself, and asked about the
held objects. It knows neither the kind of damage nor the mesh. What it finds is there to be found; a better judge may find more.
"""

import collections
import json
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np
from PIL import Image
from scipy import ndimage
from sklearn.linear_model import LogisticRegression

SIDES = [2048, 1024, 768]  # longer side of the whole sheet, after the provider's scaling
GEOMETRY = set(
    "noise-fine noise-coarse warp smooth decimate holes floaters slab billboard stretch janus missing-part extra-part normals voxels".split()
)
HIDDEN = {"internal-faces"}


def halved(image):
    rows, columns = image.shape[0] // 2 * 2, image.shape[1] // 2 * 2
    image = image[:rows, :columns]
    return 0.25 * (image[::2, ::2] + image[1::2, ::2] + image[::2, 1::2] + image[1::2, 1::2])


def statistics(tile, inside):
    """Of one tile, values 0 to 1: how much a pixel differs from its four neighbours at three scales, and colours."""
    out, image, inner = [], tile, inside.astype(np.float32)
    for _ in range(3):
        middle = image[1:-1, 1:-1]
        around = 0.25 * (image[:-2, 1:-1] + image[2:, 1:-1] + image[1:-1, :-2] + image[1:-1, 2:])
        # Neighbours and all: outlines are told by `outline`.
        whole = np.minimum.reduce([inner[:-2, 1:-1], inner[2:, 1:-1], inner[1:-1, :-2], inner[1:-1, 2:]]) >= 1.0
        if whole.sum() < 8:
            out += [-9.0, -9.0]
        else:
            energy = np.abs(middle - around).sum(axis=2)[whole]
            out += [np.log(energy.mean() + 1e-4), np.log(np.percentile(energy, 95) + 1e-4)]
        image, inner = halved(image), halved(inner)
    pixels = tile[inside] if inside.any() else np.zeros((1, 3))
    return np.array(out + [np.log(pixels.std(axis=0).mean() + 1e-3), pixels.mean(), pixels.std()])


def outline(inside):
    """Of a silhouette: area, length, pieces, pieces that are not the largest, holes, box."""
    area = max(inside.sum(), 1)
    edge = (inside ^ ndimage.binary_erosion(inside)).sum()
    labels, count = ndimage.label(inside, np.ones((3, 3)))
    sizes = np.sort(np.bincount(labels.ravel())[1:])[::-1] if count else np.array([1])
    holes = ndimage.binary_fill_holes(inside).sum() - inside.sum()
    rows, columns = np.where(inside.any(1))[0], np.where(inside.any(0))[0]
    size = (len(rows) or 1, len(columns) or 1)
    n = inside.size
    return np.array(
        [
            np.log(area / n),
            np.log(edge / np.sqrt(area)),
            np.log(count + 1),
            np.log(1e-3 + (sizes[1:].sum() / area)),
            np.log(1e-3 + holes / area),
            np.log(size[0] / size[1]),
            np.log(area / (size[0] * size[1])),
        ]
    )


def features(sheet, views):
    """By "with normals": statistics averaged over the views, and how the outline's spread over them; left less right."""
    root = int(round(views**0.5))
    edge = sheet.shape[1] // (2 * root)
    halves = []
    for side in range(2):
        per_view = []
        for view in range(views):
            row, column = divmod(view, root)
            x = side * root * edge + column * edge
            color = sheet[row * edge : (row + 1) * edge, x : x + edge]
            y = (root + row) * edge
            normal = sheet[y : y + edge, x : x + edge]
            # Of colours alone the outline is what is not the plain background.
            seen = np.abs(color - 1.0).max(axis=2) > 0.03
            per_view.append(np.concatenate([statistics(color, seen), outline(seen), statistics(normal, normal.max(axis=2) > 0.12)]))
        per_view = np.array(per_view)
        halves.append(np.concatenate([per_view.mean(0), per_view.std(0)[9:16]]))
    difference = halves[0] - halves[1]
    return {True: difference, False: np.delete(difference, range(16, 25))}


def one(job):
    path, views, meta = job
    whole = Image.open(path).convert("RGB")
    out = {}
    for side in SIDES:
        # Tiles of whole pixels, as the program's own --fit makes them.
        root = int(round(views**0.5))
        px = min(side // (2 * root) * 2 * root, whole.width)
        small = whole if px == whole.width else whole.resize((px, px), Image.Resampling.BOX)
        for with_normals, sample in features(np.asarray(small, dtype=np.float32) / 255.0, views).items():
            out[(side, with_normals)] = sample
    return meta, out


def jobs(folder):
    folder = Path(folder)
    views = {hash: int(label.split()[0]) for hash, label in json.loads((folder / "audit_notes.json").read_text())["sheets"]}
    for line in (folder / "rows.jsonl").open():
        row = json.loads(line)
        kind = row["b"]["method"].split("@")[0]
        if row["order"] == "ab" and kind != "same" and kind not in HIDDEN:
            path = folder / "sheets" / (row["pictures"][0] + ".png")
            yield path, views[row["protocol"]], (views[row["protocol"]], row["a"]["path"], kind)


def read(folder, pool):
    found = collections.defaultdict(list)
    for (views, base, kind), out in pool.map(one, jobs(folder), chunksize=8):
        for key, sample in out.items():
            found[(views, *key)].append((base, kind, sample))
    return found


def rate(found, wanted, rng):
    """Share that is right, with a 95 % interval by a bootstrap over objects."""
    by_base = collections.defaultdict(list)
    for base, kind, is_right in found:
        if wanted(kind):
            by_base[base].append(is_right)
    sums = np.array([[np.sum(v), len(v)] for v in by_base.values()])
    drawn = rng.integers(0, len(sums), (2000, len(sums)))
    shares = sums[drawn, 0].sum(1) / sums[drawn, 1].sum(1)
    return sums[:, 0].sum() / sums[:, 1].sum(), np.percentile(shares, [2.5, 97.5])


def main():
    rng = np.random.default_rng(0)
    with ProcessPoolExecutor(2) as pool:
        fit, held = (read(folder, pool) for folder in sys.argv[1:3])
    print("| views | tile px | sheet px | channels | geometry | texture | all |\n| --- | --- | --- | --- | --- | --- | --- |")
    for key in sorted(fit, key=lambda k: (-k[1], k[0], not k[2])):
        views, side, with_normals = key
        x = np.array([sample for _, _, sample in fit[key]])
        scale = x.std(axis=0) + 1e-9
        # Each pair is on both sides.
        model = LogisticRegression(C=0.05, fit_intercept=False, max_iter=5000)
        model.fit(np.concatenate([x, -x]) / scale, np.repeat([1, 0], len(x)))
        said = [(b, k, float(model.decision_function((s / scale)[None])[0] > 0)) for b, k, s in held[key]]
        cells = []
        for wanted in (lambda k: k in GEOMETRY, lambda k: k not in GEOMETRY, lambda k: True):
            share, (low, high) = rate(said, wanted, rng)
            cells.append(f"{100 * share:.0f} % ({100 * low:.0f}–{100 * high:.0f})")
        tile = side // (2 * int(round(views**0.5)))
        channels = "colour, normals" if with_normals else "colour"
        print(f"| {views} | {tile} | {side} | {channels} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
