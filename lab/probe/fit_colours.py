"""Fits the part about colours of the offline judge's table of weights from what was measured on the pairs of colour_pairs.py, at texels or vertices of one layout.

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

# Of `meshjudge damage`.
OWN = {"own-blur": "blurred", "own-low-resolution": "blocks", "own-texture-noise": "grain"}
OWN |= {f"own-{kind}": "other" for kind in ["seams", "misaligned", "wrong-side", "color-shift", "text"]}
FAMILY = {kind: family for kind, (family, *_) in KINDS.items()} | OWN


# By the family of the damage.
CLASSES = {"blurred": "softened", "posterised": "posterised", "jpeg": "compressed", "grain": "grain", "blocks": "blocks"}
FAMILIES = ["filtered", "texels traced", "texels added", "texel contrast", "mapped", "steps", "blocks across", "blocks along"]
# Signs that may only speak for a class when large, and when small; it has nothing to do with the rest.
UP = {
    "softened": "own filtered, other in part filtered, own texels traced",
    "posterised": "own mapped, own texel steps, equal lead",
    "compressed": "own blocks across, own blocks along",
    "grain": "other in part filtered, neighbours apart, own added, other added, own jumps",
    "blocks": "own texel steps, equal lead, own jumps",
}
DOWN = {
    "softened": "neighbours apart, other filtered, other texels traced, own added",
    "posterised": "other mapped, other jumps, other filtered, other added",
    "compressed": "other blocks across, other blocks along, own filtered, other filtered",
    "grain": "own filtered, own in part filtered, other filtered, other texels traced, own mapped, other jumps, equal lead",
    "blocks": "other mapped, own mapped, other filtered, own filtered, neighbours apart",
}
# How much more families weigh: those of no class, and what a clean version must not lose to.
WEIGHTS = {"other": 3, "harmless": 3, "blurred": 14, "posterised": 6, "jpeg": 4, "grain": 4}
# Weights that are at most so much, so that the sign speaks: blur loses contrast.
MOST = {("softened", "neighbours apart"): -1.5}
SPARSE, LEAST = 1e-6, 0.3
SPEAKS = 0.5
STEPS = 3000


def read(files):
    rows, families = [], {}
    for file in files:
        for line in open(file):
            row = json.loads(line)
            families |= row.get("families", {})
            if row["placed"] and any(families[name] in FAMILIES for name in row["clean"]):
                row["asset"], row["kind"], _ = row["pair"].split("__")
                rows.append(row)
    names = [name for name, family in families.items() if family in FAMILIES]
    x = np.array([[[row[side].get(name, 0.0) for name in names] for side in ("clean", "damaged")] for row in rows])
    columns = [[i for i, name in enumerate(names) if families[name] == family] for family in FAMILIES]
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


def fit(x, y, weight, names, strength):
    """Accelerated projected gradient; convex, so that where it begins does not matter."""
    mask = lambda of: np.array([[name in of.get(c, "").split(", ") for name in names] for c in CLASSES.values()])
    up, down = mask(UP), mask(DOWN)
    scale = np.sqrt((x**2).mean((0, 1))) + 1e-3
    most = np.array([[MOST.get((c, name), 0.0) for name in names] for c in CLASSES.values()]) * scale
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
        new = np.sign(new) * np.maximum(np.abs(new) - SPARSE / size, 0)
        new = np.where(up, np.maximum(new, 0), np.where(down, np.minimum(new, most), 0))
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
    makers = np.array([real_assets.family(original(row["asset"])) for row in rows])
    order = sorted(set(makers))
    random.Random(7).shuffle(order)
    folds = [np.isin(makers, order[fold::5]) for fold in range(5)]
    models = [fit(x[~held], y[~held], weight[~held], names, args.strength) for held in folds]
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


def original(asset):
    return asset.removesuffix("-vc").removesuffix("-hd")


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("signs", nargs="+")
    arguments.add_argument("--level", type=float, default=2.0, help="log-odds from which on it answers, of the whole table")
    arguments.add_argument("--strength", type=float, default=1e-6, help="penalty on squared weights, in standard deviations")
    arguments.add_argument("--record", default="docs/runs/audit/2026-11-30-probe-blind.md", help="document that the table names")
    arguments.add_argument("--write")
    args = arguments.parse_args()
    rows, names, x, columns = read(args.signs)
    order = list(CLASSES)
    y = np.array([2 * order.index(FAMILY[row["kind"]]) + 1 if FAMILY[row["kind"]] in order else 2 * len(order) for row in rows])
    weight = weighed(rows)
    crossed(rows, x, y, weight, names, columns, args)
    weights, bias = fit(x, y, weight, names, args.strength)
    if args.write:
        provenance, models = weights_table.read(args.write)
        fitted = [
            (done, ["texture_details"], b, {name: value for name, value in zip(names, row) if abs(value) >= LEAST})
            for done, row, b in zip(CLASSES.values(), weights, bias)
        ]
        print("weights:", {done: len(of) for done, _, _, of in fitted})
        others = [model for model in models if "texture_details" not in model[0][1]]
        models = [*others, fitted]
        provenance = "\n".join(line for line in provenance.split("\n") if not line.startswith("Colours: "))
        assets = {original(row["asset"]) for row in rows}
        provenance += f"\nColours: {len(rows)} pairs of {len(assets)} assets, drawn by colour_pairs.py: {args.record}."
        weights_table.write(args.write, provenance, args.level, SPEAKS, models)


if __name__ == "__main__":
    main()
