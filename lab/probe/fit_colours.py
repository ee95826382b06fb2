"""Fits the part about colours of the offline judge's table of weights from what was measured on the pairs of colour_pairs.py.

    cargo run --release -p meshjudge-probe --example signs < PAIRS > signs.jsonl
    python lab/probe/fit_colours.py signs.jsonl... --write crates/probe/src/weights.toml

numpy alone; the same figures on every run. One multinomial logistic model over what may have been done to either side, with one class more for
nothing, as in fit_probe.py. Cross-validation is in five folds by maker. Pairs whose damage is of no class, and harmless ones, count as nothing.
"""

import argparse
import collections
import json
import math
import random

import numpy as np
import real_assets
import weights_table
from colour_pairs import KINDS

CLASSES = ["grain", "blurred", "stains", "covered", "blocks", "seams"]
# Families of signs that are measured on colours.
FAMILIES = {
    "contrasts", "added contrast", "peaks", "traces", "colours beneath", "where it is plain", "softness", "levels", "cover", "extent",
    "frequent colours", "seams", "lost and added",
}
# Of `meshjudge damage`.
OWN = {"own-blur": "blurred", "own-low-resolution": "blocks", "own-texture-noise": "grain"}
OWN |= {f"own-{kind}": "other" for kind in ["seams", "misaligned", "wrong-side", "color-shift", "text"]}
FAMILY = {kind: family for kind, (family, *_) in KINDS.items()} | OWN
# Signs that may only speak for a class when large, and when small.
UP = {
    "stains": "own laid over, soft, level, layered", "covered": "covers", "blurred": "other richer, own trace, other makes most, softened",
    "grain": "own white, own makes most, grained", "seams": "own seams, seams lead", "blocks": "flat lead",
}
DOWN = {
    "stains": "own richer, other laid over, other white, other softened, other layered", "covered": "own richer, other covers, other softened",
    "blurred": "own richer, contrast fine, contrast middle, contrast coarse, spread, own white, own makes most, other softened, grained",
    "grain": "own trace, other makes most, other trace, softened, other grained", "seams": "own richer", "blocks": "own richer, other softened, other grained",
}
# Signs that have nothing to do with a class.
NONE = {
    "stains": "changed where own plain, own makes fine, own makes middle, own makes coarse, own makes most, own follows fine, own follows coarse, own trace",
}
# How much more families weigh: those of no class, and blur, since a sharp version must not lose to it.
WEIGHTS = {"other": 3, "harmless": 3, "blurred": 2}
SPEAKS = 0.5
STEPS = 600


def read(files):
    rows, families = [], {}
    for file in files:
        for line in open(file):
            row = json.loads(line)
            families |= row.pop("families", {})
            if row["placed"] and "contrast fine" in row["clean"]:
                row["asset"], row["kind"], _ = row["pair"].split("__")
                rows.append(row)
    names = [name for name, family in families.items() if family in FAMILIES]
    x = np.array([[[row[side].get(name, 0.0) for name in names] for side in ("clean", "damaged")] for row in rows])
    columns = [[i for i, name in enumerate(names) if families[name] == family] for family in sorted(FAMILIES)]
    return rows, names, x, columns


def weighed(rows):
    """Every kind weighs alike in its family, and every family alike but for WEIGHTS."""
    count = collections.Counter(row["kind"] for row in rows)
    kinds = collections.Counter(FAMILY[kind] for kind in count)
    weight = [WEIGHTS.get(FAMILY[row["kind"]], 1) / count[row["kind"]] / kinds[FAMILY[row["kind"]]] for row in rows]
    return np.array(weight) * len(rows) / sum(weight)


def probabilities(x, weights, bias):
    z = (x.reshape(-1, x.shape[2]) @ weights.T + bias).reshape(len(x), 2, -1).transpose(0, 2, 1)
    z = np.concatenate([z.reshape(len(x), -1), np.zeros((len(x), 1))], 1)
    z = np.exp(z - z.max(1, keepdims=True))
    return z / z.sum(1, keepdims=True)


def fit(x, y, weight, names, strength, sparse):
    """Accelerated projected gradient; convex, so that where it begins does not matter."""
    mask = lambda of: np.array([[name in of.get(c, "").split(", ") for name in names] for c in CLASSES])
    up, down, none = mask(UP), mask(DOWN), mask(NONE)
    scale = np.sqrt((x**2).mean((0, 1))) + 1e-3
    x = (x / scale).astype(np.float32)
    target = np.zeros((len(x), 2 * len(CLASSES) + 1))
    target[np.arange(len(x)), y] = 1
    size = 0.5 * ((x**2).sum(2).max(1) * weight).sum() / weight.sum() + strength
    weights, bias = np.zeros(up.shape), np.full(len(CLASSES), -3.0)
    ahead, ahead_bias, momentum = weights, bias, 1.0
    for _ in range(STEPS):
        error = (probabilities(x, ahead, ahead_bias) - target)[:, :-1].reshape(len(x), -1, 2) * (weight / weight.sum())[:, None, None]
        gradient = error.transpose(1, 0, 2).reshape(len(bias), -1) @ x.reshape(-1, x.shape[2]) + strength * ahead
        new = ahead - gradient / size
        new = np.sign(new) * np.maximum(np.abs(new) - sparse / size, 0)
        new = np.where(up, np.maximum(new, 0), np.where(down, np.minimum(new, 0), np.where(none, 0, new)))
        new_bias = ahead_bias - error.sum((0, 2)) / size
        after = (1 + math.sqrt(1 + 4 * momentum**2)) / 2
        ahead, ahead_bias = new + (momentum - 1) / after * (new - weights), new_bias + (momentum - 1) / after * (new_bias - bias)
        weights, bias, momentum = new, new_bias, after
    return weights / scale, bias


def said(x, weights, bias, level, columns):
    """+1 where the damaged side is accused, −1 where the clean one is, 0 where nothing is said; and of what."""
    p = probabilities(x, weights, bias)
    z = np.einsum("nsd,kd->nsk", x, weights) + bias
    out, kinds = np.zeros(len(x), int), np.full(len(x), -1)
    for side in (0, 1):
        of_side = p[:, side:-1:2].sum(1)
        odds, kind = np.log((of_side + 1e-12) / (1 - of_side + 1e-12)), z[:, side].argmax(1)
        lead = weights[kind] * (x[:, side] - x[:, 1 - side])
        speaking = sum((lead[:, family].sum(1) > SPEAKS).astype(int) for family in columns)
        passes = (odds > level) & (speaking >= 2)
        out[passes], kinds[passes] = 2 * side - 1, kind[passes]
    return out, kinds


def crossed(rows, x, y, weight, names, columns, args):
    makers = np.array([real_assets.family(row["asset"].removesuffix("-vc")) for row in rows])
    order = sorted(set(makers))
    random.Random(7).shuffle(order)
    folds = [np.isin(makers, order[fold::5]) for fold in range(5)]
    models = [fit(x[~held], y[~held], weight[~held], names, args.strength, args.sparse) for held in folds]
    for level in np.arange(1, 4.5, 0.5):
        out = np.zeros(len(rows), int)
        for held, (weights, bias) in zip(folds, models):
            out[held] = said(x[held], weights, bias, level, columns)[0]
        by = collections.defaultdict(list)
        for row, answer in zip(rows, out):
            by[FAMILY[row["kind"]]].append(answer)
        shares = [f"{family} {100 * np.mean(np.array(a) == 1):.0f}/{100 * np.mean(np.array(a) == -1):.1f} %" for family, a in sorted(by.items())]
        print(f"level {level:.1f}, right/wrong without the maker: {', '.join(shares)}")
        if level == args.level:
            for row, answer in zip(rows, out):
                if answer == -1 or answer and FAMILY[row["kind"]] == "harmless":
                    print("  wrong:", row["pair"])


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("signs", nargs="+")
    arguments.add_argument("--level", type=float, default=2.0, help="log-odds from which on it answers, of the whole table")
    arguments.add_argument("--strength", type=float, default=1e-4, help="penalty on squared weights, in standard deviations")
    arguments.add_argument("--sparse", type=float, default=4e-4, help="penalty on absolute weights")
    arguments.add_argument("--least", type=float, default=0.35, help="smaller weights are left out")
    arguments.add_argument("--write")
    args = arguments.parse_args()
    rows, names, x, columns = read(args.signs)
    y = np.array([2 * CLASSES.index(FAMILY[row["kind"]]) + 1 if FAMILY[row["kind"]] in CLASSES else 2 * len(CLASSES) for row in rows])
    weight = weighed(rows)
    crossed(rows, x, y, weight, names, columns, args)
    weights, bias = fit(x, y, weight, names, args.strength, args.sparse)
    if args.write:
        provenance, models = weights_table.read(args.write)
        shapes = [model for model in models if model[0][1] != ["texture_details"]]
        colours = [
            (done, ["texture_details"], b, {name: value for name, value in zip(names, row) if abs(value) >= args.least})
            for done, row, b in zip(CLASSES, weights, bias)
        ]
        print("weights:", {done: len(of) for done, _, _, of in colours})
        provenance = provenance.split("\nColours: ")[0]
        assets = {row["asset"].removesuffix("-vc") for row in rows}
        provenance += f"\nColours: {len(rows)} pairs of {len(assets)} assets, drawn by colour_pairs.py: docs/runs/audit/2026-11-29-probe-colours.md."
        weights_table.write(args.write, provenance, args.level, SPEAKS, [*shapes, colours])


if __name__ == "__main__":
    main()
