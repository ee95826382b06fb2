"""Fits the parts about colours of the offline judge's table of weights from what was measured on the pairs of colour_pairs.py: `colours`, from places
where the surfaces coincide, and `texels`, from texels or vertices of one layout.

    cargo run --release -p meshjudge-probe --example signs < PAIRS > signs.jsonl
    python lab/probe/fit_colours.py texels signs.jsonl... --write crates/probe/src/weights.toml

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


class Colours:
    classes = {name: name for name in ["grain", "blurred", "stains", "covered", "blocks", "seams"]}
    families = [
        "contrasts", "added contrast", "peaks", "traces", "colours beneath", "where it is plain", "softness", "levels", "cover", "extent",
        "frequent colours", "seams", "lost and added",
    ]
    # Signs that may only speak for a class when large, and when small.
    up = {
        "stains": "own laid over, soft, level, layered", "covered": "covers", "blurred": "other richer, own trace, other makes most, softened",
        "grain": "own white, own makes most, grained", "seams": "own seams, seams lead", "blocks": "flat lead",
    }
    down = {
        "stains": "own richer, other laid over, other white, other softened, other layered", "covered": "own richer, other covers, other softened",
        "blurred": "own richer, contrast fine, contrast middle, contrast coarse, spread, own white, own makes most, other softened, grained",
        "grain": "own trace, other makes most, other trace, softened, other grained", "seams": "own richer", "blocks": "own richer, other softened, other grained",
    }
    # Signs that have nothing to do with a class.
    none = {
        "stains": "changed where own plain, own makes fine, own makes middle, own makes coarse, own makes most, own follows fine, own follows coarse, own trace",
    }
    # How much more families weigh: those of no class, and blur, since a sharp version must not lose to it.
    weights = {"other": 3, "harmless": 3, "blurred": 2}
    # Weights of `down` that are at most so much, so that the sign speaks.
    most = {}
    sparse, least = 4e-4, 0.35


class Texels:
    # By the family of the damage.
    classes = {"blurred": "softened", "posterised": "posterised", "jpeg": "compressed"}
    families = ["filtered", "texels traced", "texel contrast", "mapped", "steps", "blocks across", "blocks along"]
    up = {
        "softened": "own filtered, other in part filtered", "posterised": "own mapped, own texel steps, equal lead",
        "compressed": "own blocks across, own blocks along",
    }
    down = {
        "softened": "neighbours apart, other filtered, other texels traced", "posterised": "other mapped, other jumps, other filtered",
        "compressed": "other blocks across, other blocks along, own filtered, other filtered",
    }
    none = {
        "softened": "own mapped, other mapped, own texel steps, equal lead, other jumps, own blocks across, other blocks across, own blocks along, other blocks along",
        "posterised": "own filtered, other in part filtered, other texels traced, neighbours apart, own blocks across, other blocks across, own blocks along, other blocks along",
        "compressed": "other in part filtered, other texels traced, neighbours apart, own mapped, other mapped, own texel steps, equal lead, other jumps",
    }
    weights = {"blurred": 8, "posterised": 6, "jpeg": 4}
    # Blur loses contrast.
    most = {("softened", "neighbours apart"): -1.5}
    sparse, least = 1e-4, 0.3


PARTS = {"colours": Colours, "texels": Texels}
SPEAKS = 0.5
STEPS = 600


def read(files, part):
    rows, families = [], {}
    for file in files:
        for line in open(file):
            row = json.loads(line)
            families |= row.get("families", {})
            if row["placed"] and any(families[name] in part.families for name in row["clean"]):
                row["asset"], row["kind"], _ = row["pair"].split("__")
                rows.append(row)
    names = [name for name, family in families.items() if family in part.families]
    x = np.array([[[row[side].get(name, 0.0) for name in names] for side in ("clean", "damaged")] for row in rows])
    columns = [[i for i, name in enumerate(names) if families[name] == family] for family in part.families]
    return rows, names, x, columns


def weighed(rows, part):
    """Every kind weighs alike in its family, and every family alike but for `weights`."""
    count = collections.Counter(row["kind"] for row in rows)
    kinds = collections.Counter(FAMILY[kind] for kind in count)
    weight = [part.weights.get(FAMILY[row["kind"]], 1) / count[row["kind"]] / kinds[FAMILY[row["kind"]]] for row in rows]
    return np.array(weight) * len(rows) / sum(weight)


def probabilities(x, weights, bias):
    z = (x.reshape(-1, x.shape[2]) @ weights.T + bias).reshape(len(x), 2, -1).transpose(0, 2, 1)
    z = np.concatenate([z.reshape(len(x), -1), np.zeros((len(x), 1))], 1)
    z = np.exp(z - z.max(1, keepdims=True))
    return z / z.sum(1, keepdims=True)


def fit(x, y, weight, names, part, strength):
    """Accelerated projected gradient; convex, so that where it begins does not matter."""
    mask = lambda of: np.array([[name in of.get(c, "").split(", ") for name in names] for c in part.classes.values()])
    up, down, none = mask(part.up), mask(part.down), mask(part.none)
    scale = np.sqrt((x**2).mean((0, 1))) + 1e-3
    most = np.array([[part.most.get((c, name), 0.0) for name in names] for c in part.classes.values()]) * scale
    x = (x / scale).astype(np.float32)
    target = np.zeros((len(x), 2 * len(part.classes) + 1))
    target[np.arange(len(x)), y] = 1
    size = 0.5 * ((x**2).sum(2).max(1) * weight).sum() / weight.sum() + strength
    weights, bias = np.zeros(up.shape), np.full(len(part.classes), -3.0)
    ahead, ahead_bias, momentum = weights, bias, 1.0
    for _ in range(STEPS):
        error = (probabilities(x, ahead, ahead_bias) - target)[:, :-1].reshape(len(x), -1, 2) * (weight / weight.sum())[:, None, None]
        gradient = error.transpose(1, 0, 2).reshape(len(bias), -1) @ x.reshape(-1, x.shape[2]) + strength * ahead
        new = ahead - gradient / size
        new = np.sign(new) * np.maximum(np.abs(new) - part.sparse / size, 0)
        new = np.where(up, np.maximum(new, 0), np.where(down, np.minimum(new, most), np.where(none, 0, new)))
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


def crossed(rows, x, y, weight, names, columns, part, args):
    makers = np.array([real_assets.family(original(row["asset"])) for row in rows])
    order = sorted(set(makers))
    random.Random(7).shuffle(order)
    folds = [np.isin(makers, order[fold::5]) for fold in range(5)]
    models = [fit(x[~held], y[~held], weight[~held], names, part, args.strength) for held in folds]
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
    arguments.add_argument("part", choices=list(PARTS))
    arguments.add_argument("signs", nargs="+")
    arguments.add_argument("--level", type=float, default=2.0, help="log-odds from which on it answers, of the whole table")
    arguments.add_argument("--strength", type=float, default=1e-4, help="penalty on squared weights, in standard deviations")
    arguments.add_argument("--record", default="docs/runs/audit/2026-11-30-probe-blur.md", help="document that the table names")
    arguments.add_argument("--write")
    args = arguments.parse_args()
    part = PARTS[args.part]
    rows, names, x, columns = read(args.signs, part)
    order = list(part.classes)
    y = np.array([2 * order.index(FAMILY[row["kind"]]) + 1 if FAMILY[row["kind"]] in order else 2 * len(order) for row in rows])
    weight = weighed(rows, part)
    crossed(rows, x, y, weight, names, columns, part, args)
    weights, bias = fit(x, y, weight, names, part, args.strength)
    if args.write:
        provenance, models = weights_table.read(args.write)
        fitted = [
            (done, ["texture_details"], b, {name: value for name, value in zip(names, row) if abs(value) >= part.least})
            for done, row, b in zip(part.classes.values(), weights, bias)
        ]
        print("weights:", {done: len(of) for done, _, _, of in fitted})
        others = [model for model in models if model[0][0] not in part.classes.values()]
        models = [*others, fitted] if part is Texels else [others[0], fitted, *others[1:]]
        title = f"\n{args.part.capitalize()}: "
        provenance = "\n".join(line for line in provenance.split("\n") if not line.startswith(title.strip()))
        assets = {original(row["asset"]) for row in rows}
        provenance += f"{title}{len(rows)} pairs of {len(assets)} assets, drawn by colour_pairs.py: {args.record}."
        weights_table.write(args.write, provenance, args.level, SPEAKS, models)


if __name__ == "__main__":
    main()
