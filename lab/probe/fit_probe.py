"""Fits the part about shapes of the offline judge's table of weights (crates/probe/src/weights.toml) from what it measured on damaged pairs.

    cargo run --release -p meshjudge-probe --example signs < pairs.txt > signs.jsonl      (see its head)
    python lab/probe/fit_probe.py signs.jsonl... --write crates/probe/src/weights.toml

numpy alone; the same figures on every run. For each criterion there is a multinomial logistic model over what may have been done to
either side, with one class more for nothing: the class "kind k at side s" has the odds exp(bias_k + weights_k · signs(s)), where
signs(s) are measured as if s were the damaged side, so that swapping the sides swaps the answer. Physics says which signs a kind may
use and in which direction; the fit keeps to it. Cross-validation is in five folds by maker (real_assets.family), and by maker and kind of damage at once.
"""

import argparse
import collections
import json
import math
import pathlib
import random

import damage_assets as damage
import later_damage
import numpy as np
import other_damage
import real_assets
import unseen_damage
import wide_damage
import weights_table

KINDS = {}
G, P = "geometry_details", "plausibility"


def kind(lowers, name, damages, up="", down="", either=None):
    """The sentence about a kind is in weights_table.py, by its name. `up` are signs that may only speak for this kind when large, `down` when small; the others, or those of `either`, in both ways."""
    signs = {} if either is None else {"only": 1}
    for direction, names in [(1, up), (-1, down), (0, either or "")]:
        signs.update({s.strip(): direction for s in names.split(",") if s.strip()})
    KINDS[name] = (damages.split(), signs, lowers)


ROUGH = dict(
    up="bent more fine, bent more middle, bent more coarse, bent inwards, inwards times, own peaks fine, own peaks middle, own peaks coarse, changed, own torn,"
       "values least, values middle, values most",
    down="apart, on axis, all on axis, other torn, other alone, own alone, heights drawn middle")
kind([G], "rough",
     "noise noise-meshlab noise-refined own-noise-fine own-noise-coarse noise-sideways spikes ripples-refined noise-uniform noise-moved noise-other-uv", **ROUGH)
kind([G], "rough in part", "noise-in-part noise-weak noise-half noise-upper", **ROUGH)
kind([G], "lumps", "lumps-refined hammered-refined hammered swell-refined",
     up="bent more middle, bent more coarse, changed, own torn, values least, values middle, values most", down="on axis, all on axis, other torn, other alone, own alone")
kind([G], "snapped",
     "snapped layered-refined lattice-64 lattice-refined snapped-60 snapped-150 layers-x layers-y layers-z",
     up="other values, other least values, changed, on axis",
     down="values least, values middle, values most, own values, own least values, own alone, other alone, other on axis")
SMOOTHED = dict(
    up="own peaks fine, own peaks middle, own peaks coarse, changed, own torn, values least, values middle, values most",
    down="outside, other peaks fine, other peaks middle, other peaks coarse, other torn, other alone, own alone")
kind([G], "smoothed",
     "smooth taubin smooth-refined own-smooth hc-laplacian laplacian-8 humphrey-refined laplacian-trimesh diffusion-refined smooth-moved taubin-strong", **SMOOTHED)
kind([G], "smoothed in part",
     "two-step surface-preserving smooth-half smooth-half-refined depth-smoothed two-step-refined", **SMOOTHED)
COARSE = dict(up="other corners off, changed", down="triangles, outside, own corners off, same triangles, other torn")
kind([G], "coarse",
     "decimate own-decimate decimate-15 decimate-4 smooth-and-decimate decimate-moved decimate-60 decimate-even", **COARSE)
kind([G], "clustered", "clusters clusters-5 remeshed remeshed-coarse", **COARSE)
TORN = dict(up="own torn, other same, openings, other alone", down="other torn, own same, own alone, own loose, changed")
kind([P, G], "torn",
     "holes own-holes drilled slits holes-small holes-large holes-moved holes-other-uv noise-and-holes", **TORN)
kind([P, G], "lost", "lost-faces lost-triangles shards lost-triangles-decimate", **TORN)
kind([P, G], "cut", "cut-off own-missing-part sliced bitten cut-10 cut-35", **TORN)
kind([G], "inside out", "flipped turned-faces turned-half",
     up="opposed, disagreeing, inside, to the middle", down="other disagreeing, changed, all opposed, own same, other same")
kind([G], "reversed", "inverted", up="all opposed, inside, to the middle", down="changed, own same, other same")
kind([G], "turned", "own-normals", up="turned, opposed", down="other turned, changed, all opposed")
kind([P], "copied", "extra-part own-extra-part",
     up="own alone, copied, own loose, pieces, own same", down="other torn, other same, other alone, changed")
kind([P], "floaters", "floaters own-floaters boxes crumbs planks ghosts blobs-beside floaters-moved floaters-and-noise",
     up="floaters, floating area, own alone, pieces, own same", down="other alone, other same, own loose, changed")
kind([P], "sheets", "backdrop sheets wall-beside wall-behind",
     up="own alone, own same, pieces, wider", down="other alone, other same, changed")
kind([P], "slab", "slab own-slab disc slab-moved", up="is slab, slab, wider, own alone, own same", down="other alone, other same, changed")
kind([P], "flat", "flattened own-billboard pressed-15 pressed-40", up="less deep, as wide, thinner")
# A kind of no class, as a lost part, counts as nothing done. Surfaces made anew are judged by rules (crates/probe/src/anew.rs).
# Families of signs that are measured on colours: colour_pairs.py and fit_colours.py are about those.
from fit_colours import FAMILIES as COLORS  # noqa: E402

# How much more pairs without damage that lowers anything weigh than those of a class.
NOTHING = 4
# And of those, pairs that most look as if something were done: unlike assets of one class that lie on each other by chance, and what is painted on
# a surface or lies inside of it.
HARDEST = 6
# Penalties on squared and on absolute weights, in standard deviations, by cross-validation; and how long the descent goes on.
PENALTIES = (3e-5, 1e-4)
STEPS = 800
# Smaller weights are left out.
WEIGHT_MIN = 0.3


class Pairs:
    """What was measured, for one model."""

    def __init__(self, rows):
        self.kinds = KINDS
        label = {damaged: k for k, (damages, *_) in enumerate(self.kinds.values()) for damaged in damages}
        self.signs = sorted(s for s, family in SIGNS.items() if family not in COLORS)
        self.rows = [r for r in rows if r["placed"]]
        self.x = np.array([[[r[side].get(s, 0.0) for s in self.signs] for side in ["clean", "damaged"]] for r in self.rows])
        # Class 2k + side; the last is nothing.
        nothing = 2 * len(self.kinds)
        self.y = np.array([2 * label[r["kind"]] + 1 if r["kind"] in label else nothing for r in self.rows])
        # Every kind of damage weighs alike in its class, and every class alike, nothing three times.
        count = collections.Counter((y, r["kind"]) for y, r in zip(self.y, self.rows))
        kinds_of = collections.Counter(y for y, _ in count)
        self.weight = np.array([1 / kinds_of[y] / count[y, r["kind"]] for y, r in zip(self.y, self.rows)])
        self.weight[self.y == nothing] *= NOTHING
        self.weight[[r["kind"] in ("unrelated", "own-text", "own-internal-faces") for r in self.rows]] *= HARDEST
        self.weight *= len(self.rows) / self.weight.sum()
        self.direction = np.array([[allowed.get(s, math.nan if "only" in allowed else 0) for s in self.signs] for _, allowed, _ in self.kinds.values()])
        self.families = [SIGNS[s] for s in self.signs]
        self.damage = np.array([r["kind"] for r in self.rows])
        self.family = np.array([real_assets.family(r["asset"]) for r in self.rows])


def probabilities(x, weights, bias):
    z = (x.reshape(-1, x.shape[2]) @ weights.T + bias).reshape(len(x), 2, -1).transpose(0, 2, 1)
    z = np.concatenate([z.reshape(len(x), -1), np.zeros((len(x), 1))], 1)
    z = np.exp(z - z.max(1, keepdims=True))
    return z / z.sum(1, keepdims=True)


def fit(pairs, chosen, strength, sparse):
    """Accelerated projected gradient; convex, so that where it begins does not matter."""
    x, y, w = pairs.x[chosen], pairs.y[chosen], pairs.weight[chosen]
    scale = np.sqrt((x**2).mean((0, 1))) + 1e-3
    x = (x / scale).astype(np.float32)
    up, down = pairs.direction == 1, pairs.direction == -1
    target = np.zeros((len(x), 2 * len(pairs.kinds) + 1))
    target[np.arange(len(x)), y] = 1
    total = w.sum()
    size = 0.5 * ((x**2).sum(2).max(1) * w).sum() / total + strength
    weights, bias = np.zeros(pairs.direction.shape), np.full(len(pairs.kinds), -3.0)
    ahead, ahead_bias, momentum = weights, bias, 1.0
    for _ in range(STEPS):
        error = (probabilities(x, ahead, ahead_bias) - target)[:, :-1].reshape(len(x), -1, 2) * (w / total)[:, None, None]
        gradient = error.transpose(1, 0, 2).reshape(len(bias), -1) @ x.reshape(-1, x.shape[2]) + strength * ahead
        new = np.where(np.isnan(pairs.direction), 0.0, ahead - gradient / size)
        new = np.sign(new) * np.maximum(np.abs(new) - sparse / size, 0)
        new = np.where(up, np.maximum(new, 0), np.where(down, np.minimum(new, 0), new))
        new_bias = ahead_bias - error.sum((0, 2)) / size
        after = (1 + math.sqrt(1 + 4 * momentum**2)) / 2
        ahead = new + (momentum - 1) / after * (new - weights)
        ahead_bias = new_bias + (momentum - 1) / after * (new_bias - bias)
        weights, bias, momentum = new, new_bias, after
    return weights / scale, bias


def log_odds(p):
    return np.log((p + 1e-12) / (1 - p + 1e-12))


def sides(pairs, x, weights, bias):
    """Log-odds by side that it is the damaged one against all else, over all kinds; then by side and kind, that the kind was done to it
    and not nothing; and how many families of signs speak for the likeliest kind at that side and against it at the other."""
    p = probabilities(x, weights, bias)
    damaged = np.stack([log_odds(p[:, side:-1:2].sum(1)) for side in [0, 1]], 1)
    z = np.einsum("nsd,kd->nsk", x, weights) + bias
    speak = np.zeros((len(x), 2), int)
    for side in [0, 1]:
        best = weights[z[:, side].argmax(1)]
        by_sign = best * (x[:, side] - x[:, 1 - side])
        for family in sorted(set(pairs.families)):
            columns = [i for i, of in enumerate(pairs.families) if of == family]
            speak[:, side] += by_sign[:, columns].sum(1) > SPEAKS
    return damaged, z, speak


# A family speaks when it makes the odds of one side to the other this much larger; logarithm.
SPEAKS = 0.5


def answers(pairs, x, weights, bias, level, criterion, families=2):
    """+1 where the clean side is found better, −1 where the damaged one is, 0 undecided. The side is decided over all kinds, and then
    whether those that lower the criterion are likelier than nothing."""
    damaged, z, speak = sides(pairs, x, weights, bias)
    lowers = [criterion in lowers for *_, lowers in pairs.kinds.values()]
    here = np.log(np.exp(np.minimum(z[:, :, lowers], 50)).sum(2) + 1e-12)
    passed = (damaged > level) & (here > level) & (speak >= families)
    return passed[:, 1].astype(int) - passed[:, 0]


def crossed(pairs, strength, sparse, without_kind=False, folds=5):
    """Weights for every row, fitted without its maker, and without its kind of damage if so asked."""
    makers = held_out(pairs.family, folds)
    damages = held_out(pairs.damage, 3) if without_kind else [np.ones(len(pairs.x), bool)]
    both = [(maker, damaged) for maker in makers for damaged in damages if (maker & damaged).any()]
    return [(maker & damaged, *fit(pairs, ~maker & ~damaged if without_kind else ~maker, strength, sparse)) for maker, damaged in both]


def held_out(values, folds):
    names = sorted(set(values))
    random.Random(7).shuffle(names)
    return [np.isin(values, names[fold::folds]) for fold in range(folds)]


# Family of each sign, in the order in which they are measured; from the pairs that were read.
SIGNS = {}


def read(files):
    rows = []
    for file in files:
        for line in open(file):
            r = json.loads(line)
            r["asset"], r["kind"], r["strength"] = r["pair"].split("__")
            SIGNS.update(r.pop("families", {}))
            rows.append(r)
    return rows


def figures(pairs, crossed, level):
    """Shares of right and wrong by kind and criterion, from weights that never saw the asset's maker."""
    out = {}
    for criterion in sorted({c for *_, lowers in pairs.kinds.values() for c in lowers}):
        said = np.zeros(len(pairs.x), int)
        for held, weights, bias in crossed:
            said[held] = answers(pairs, pairs.x[held], weights, bias, level, criterion)
        for kind in sorted({r["kind"] for r in pairs.rows}):
            if criterion in LOWERS.get(kind, []):
                of = np.array([r["kind"] == kind for r in pairs.rows])
                if of.any():
                    out[kind, criterion] = int(of.sum()), (said[of] == 1).mean(), (said[of] == -1).mean()
            elif LOWERS.get(kind) == []:
                of = np.array([r["kind"] == kind for r in pairs.rows])
                out[kind, criterion] = int(of.sum()), 0.0, (said[of] != 0).mean()
    return out


def families(of_kinds):
    """Shares of right and wrong by family, and the kind that is most often wrong."""
    total = collections.defaultdict(lambda: np.zeros(3))
    for (name, _), (count, right, wrong) in of_kinds.items():
        family = "own" if name.startswith("own-") else FAMILY[name]
        total[family] += [count, count * right, count * wrong]
    worst, name = max((wrong, name) for (name, _), (_, _, wrong) in of_kinds.items() if not name.startswith("own-"))
    shares = [f"{family} {100 * right / count:.1f}/{100 * wrong / count:.2f} %" for family, (count, right, wrong) in sorted(total.items())]
    return f"{', '.join(shares)}; most often wrong: {name}, {100 * worst:.0f} %"


FITTED = {name: kind for module in [damage, other_damage, unseen_damage, later_damage, wide_damage] for name, kind in module.KINDS.items()}
FAMILY = {name: family for name, (family, *_) in FITTED.items()}
LOWERS = {name: lowers for name, (_, lowers, _) in FITTED.items()}
FAMILY["unrelated"], LOWERS["unrelated"] = "unrelated", []
LOWERS |= {f"own-{kind}": [G] for kind in ["noise-fine", "noise-coarse", "smooth", "decimate", "normals"]}
LOWERS |= {f"own-{kind}": [P] for kind in ["floaters", "slab", "billboard", "missing-part", "extra-part"]}
LOWERS |= {"own-holes": [P, G]} | {f"own-{kind}": [] for kind in ["reordered", "subdivided", "dithered", "internal-faces", "text"]}


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("signs", type=pathlib.Path, nargs="+")
    arguments.add_argument("--level", type=float, default=2.0, help="log-odds from which on the table answers, by cross-validation")
    arguments.add_argument("--write", type=pathlib.Path, help="the table, whose part about colours is kept")
    arguments.add_argument("--no-validation", action="store_true", help="only fit")
    args = arguments.parse_args()
    rows = read(args.signs)
    rows.sort(key=lambda r: r["pair"])
    pairs = Pairs(rows)
    for without_kind in [] if args.no_validation else [False, True]:
        print(f"without the maker{' and the kind of damage' if without_kind else ''}")
        weights = crossed(pairs, *PENALTIES, without_kind)
        for level in np.arange(0.5, 4.5, 0.5):
            print(f"  level {level:.1f}  {families(figures(pairs, weights, level))}")
        for (kind_of, criterion), (count, right, wrong) in sorted(figures(pairs, weights, args.level).items()):
            print(f"  {kind_of:18} {criterion:17} {count:4}  right {100 * right:5.1f} %  wrong {100 * wrong:5.1f} %")
    weights, bias = fit(pairs, np.ones(len(pairs.x), bool), *PENALTIES)
    if args.write:
        _, models = weights_table.read(args.write)
        shapes = [
            (title.replace(" ", "-"), lowers, b, {s: v for s, v in zip(pairs.signs, w) if abs(v) >= WEIGHT_MIN})
            for (title, (_, _, lowers)), w, b in zip(KINDS.items(), weights, bias)
        ]
        provenance = f"Fitted on {len(rows)} pairs of {len({r['asset'] for r in rows})} assets, drawn by damaged_pairs.py."
        weights_table.write(args.write, provenance, args.level, SPEAKS, [shapes, *[model for model in models if "texture_details" in model[0][1]]])


if __name__ == "__main__":
    main()
