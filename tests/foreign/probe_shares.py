"""What share of damaged pairs the offline judge's table of weights gets right, from the signs of pairs that it was not fitted on.

    python tests/foreign/probe_shares.py assets/probe.toml signs.jsonl...

The signs are those that fit_probe.py reads; kinds of ours that the judge is not to answer are passed over. The answers are worked out here from the table, not by the program.
"""

import argparse
import collections
import pathlib
import tomllib

import damage_assets as damage
import fit_probe
import later_damage
import numpy as np
import other_damage
import unseen_damage
from probe_on_real_assets import line

CRITERIA = ["plausibility", "geometry_details", "texture_details"]


def of_ours(lowers):
    """The family of a kind of `meshjudge damage` as the tables of others name it."""
    return "harmless" if not lowers else "texture" if "texture_details" in lowers else "geometry"


OURS = {name: (of_ours(lowers), lowers, None) for name, lowers in fit_probe.LOWERS.items() if name.startswith("own-")}
KINDS = damage.KINDS | other_damage.KINDS | unseen_damage.KINDS | later_damage.KINDS | OURS


def faults(model, row):
    """+1 by criterion, `overall` among them, where the damaged side is named, −1 where the clean one is."""
    signs = [row["clean"], row["damaged"]]
    names = sorted({name for kind in model["kind"] for name in [*kind["weights"], *kind.get("plain_weights", [])]})
    busyness = 1.0
    if "regime" in model:
        if model["regime"]["signs"][0] not in signs[0]:
            return {}
        busyness = fit_probe.busyness(model["regime"], signs[0])
    of = [[[kind.get(table, {}).get(name, 0.0) for name in names] for kind in model["kind"]] for table in ["weights", "plain_weights"]]
    weights = busyness * np.array(of[0]) + (1 - busyness) * np.array(of[1])
    x = np.array([[side.get(name, 0.0) for name in names] for side in signs])
    z = x @ weights.T + [kind["bias"] + busyness * kind.get("busy_bias", 0.0) for kind in model["kind"]]
    all_of = np.logaddexp.reduce(z, 1)
    side = int(all_of[1] > all_of[0])
    if all_of[side] - np.logaddexp(0.0, all_of[1 - side]) <= model["level"]:
        return {}
    speaks = collections.Counter()
    for name, lead in zip(names, weights[z[side].argmax()] * (x[side] - x[1 - side])):
        speaks[fit_probe.SIGNS[name]] += lead
    if sum(lead > model["speaks"] for lead in speaks.values()) < 2:
        return {}
    found = {"overall"}
    for key in CRITERIA:
        lowers = [key in kind["lowers"] for kind in model["kind"]]
        if any(lowers) and np.logaddexp.reduce(z[side][lowers]) > model["level"]:
            found.add(key)
    return dict.fromkeys(found, 2 * side - 1)


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("table", type=pathlib.Path)
    arguments.add_argument("signs", type=pathlib.Path, nargs="+")
    args = arguments.parse_args()
    models = tomllib.loads(args.table.read_text())["model"]
    families, kinds, moved = [collections.defaultdict(lambda: collections.defaultdict(list)) for _ in range(3)]
    for row in fit_probe.read(args.signs):
        if row["kind"] not in KINDS:
            continue
        family, lowers, _ = KINDS[row["kind"]]
        if family.startswith("texture") and row.get("difference", 0) <= fit_probe.VISIBLE:
            continue
        sides = collections.defaultdict(set)
        for model in models if row["placed"] else []:
            for key, side in faults(model, row).items():
                sides[key].add(side)
        said = {key: {(1,): "right", (-1,): "wrong"}.get(tuple(sides[key]), "undecided") for key in [*CRITERIA, "overall"]}
        if family in ("harmless", "text"):
            for key, answer in said.items():
                families[family][row["asset"]].append(answer)
                if answer != "undecided":
                    moved[f"{row['kind']} {key}"][row["asset"]].append(answer)
            continue
        for key in [*lowers, "overall"]:
            families[f"{family}, with overall"][row["asset"]].append(said[key])
        for key in lowers:
            families[family][row["asset"]].append(said[key])
            kinds[f"{family} {row['kind']} {key}"][row["asset"]].append(said[key])
    for title, groups in [("families", families), ("kinds", kinds), ("should be left alone, where it was not", moved)]:
        print(title)
        for label, by_asset in sorted(groups.items()):
            line(label, by_asset)
    counts = collections.Counter(said for label, by in families.items() if label.endswith("overall") for s in by.values() for said in s)
    print(f"right of what was decided: {100 * counts['right'] / max(1, counts['right'] + counts['wrong']):.1f} %")


if __name__ == "__main__":
    main()
