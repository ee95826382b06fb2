"""How often the offline judge is right, wrong and silent about pairs that damaged_pairs.py wrote.

    python lab/probe/probe_shares.py signs.jsonl... --table crates/probe/src/weights.toml
    python lab/probe/probe_shares.py signs.jsonl... --program target/release/meshjudge --pairs OUT/pairs-*.txt --run RUN

The signs are what examples/probe_signs.rs printed of the pairs. With `--table` the answers are worked out here from the table of weights;
with `--program` the program is asked, by `meshjudge bench` in both orders: right where the undamaged one wins in both, wrong where the
damaged one wins in either. Texture damage counts where the colours differ by fit_probe.VISIBLE. Intervals (95 %) are bootstraps over
assets; Wilson's where all assets agree. Kinds of ours that the judge is not to answer are passed over.
"""

import argparse
import collections
import json
import math
import pathlib
import random
import subprocess
import tomllib

import fit_probe
import fresh_damage
import numpy as np

CRITERIA = ["plausibility", "texture_details", "geometry_details"]
COUNTED = [*CRITERIA, "overall"]


def of_ours(lowers):
    """The family of a kind of `meshjudge damage` as the tables of others name it."""
    return "harmless" if not lowers else "texture" if "texture_details" in lowers else "geometry"


OURS = {name: (of_ours(lowers), lowers, None) for name, lowers in fit_probe.LOWERS.items() if name.startswith("own-")}
KINDS = fit_probe.FITTED | fresh_damage.KINDS | OURS | {"unrelated": ("unrelated", [], None)}


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


def by_table(models, row):
    sides = collections.defaultdict(set)
    for model in models if row["placed"] else []:
        for key, side in faults(model, row).items():
            sides[key].add(side)
    return {key: {(1,): "right", (-1,): "wrong"}.get(tuple(sides[key]), "undecided") for key in COUNTED}


def by_program(program, pairs, run):
    """Pair to criterion to what was said."""
    run = run.resolve()
    for side in ["clean", "damaged"]:
        (run / side).mkdir(parents=True, exist_ok=True)
    ids = []
    for line in (line for file in pairs for line in open(file)):
        pair, *files = line.split()
        ids.append(pair)
        for side, file in zip(["clean", "damaged"], files):
            link = run / side / f"{pair}.glb"
            if not link.exists():
                link.symlink_to(file)
    text = [
        'name = "foreign"', 'rubrics = ["pairwise"]', 'judges = ["probe"]',
        "prompts = [" + ", ".join(f'{{ id = "{pair}", text = "an object" }}' for pair in ids) + "]",
        *(line for side in ["clean", "damaged"] for line in ["[[generators]]", f'name = "{side}"', f'path = "{side}/{{prompt_id}}.glb"']),
        "[pictures]", "size_px = 64", "views = 1", 'light = "unlit"',
    ]
    (run / "bench.toml").write_text("\n".join(text))
    subprocess.run([program, "bench", run / "bench.toml", "--run", run / "run", "--quiet"], check=True, stdout=subprocess.DEVNULL)
    rows = subprocess.run([program, "export", run / "run", "--format", "jsonl"], check=True, capture_output=True, text=True).stdout
    choices = collections.defaultdict(lambda: collections.defaultdict(set))
    for row in map(json.loads, rows.splitlines()):
        if row["outcome"] != "verdict":
            continue
        bad = "a" if row["a"]["method"] == "damaged" else "b"
        for key in COUNTED:
            choice = row["verdict"].get(key, "tie")
            choices[row["prompt_id"]][key].add({"tie": "undecided", bad: "wrong"}.get(choice, "right"))
    return {pair: {key: "wrong" if "wrong" in said else "right" if said == {"right"} else "undecided" for key, said in of.items()} for pair, of in choices.items()}


def interval(by_asset, hit):
    """A share with 95 % limits, over assets."""
    values = [[o == hit for o in outcomes] for outcomes in by_asset.values()]
    count, total = sum(map(sum, values)), sum(map(len, values))
    share = count / total
    means = [sum(v) / len(v) for v in values]
    if len(set(means)) < 2:
        n, z = len(values), 1.96
        middle, half = share + z * z / 2 / n, z * math.sqrt(share * (1 - share) / n + z * z / 4 / n / n)
        return share, max(0.0, (middle - half) / (1 + z * z / n)), min(1.0, (middle + half) / (1 + z * z / n))
    rng, draws = random.Random(1), []
    for _ in range(1000):
        drawn = rng.choices(values, k=len(values))
        draws.append(sum(map(sum, drawn)) / sum(map(len, drawn)))
    draws.sort()
    return share, draws[25], draws[974]


def line(label, by_asset):
    cells = []
    for hit in ["right", "wrong", "undecided"]:
        share, low, high = interval(by_asset, hit)
        cells.append(f"{hit} {100 * share:5.1f} % ({100 * low:.0f}-{100 * high:.0f})")
    print(f"  {label:44} {sum(map(len, by_asset.values())):5d} {len(by_asset):3d}   {'   '.join(cells)}")


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("signs", type=pathlib.Path, nargs="+")
    arguments.add_argument("--table", type=pathlib.Path)
    arguments.add_argument("--program", type=pathlib.Path)
    arguments.add_argument("--pairs", type=pathlib.Path, nargs="*", default=[])
    arguments.add_argument("--run", type=pathlib.Path, help="a folder that is kept: what was answered is not asked again")
    args = arguments.parse_args()
    rows = [row for row in fit_probe.read(args.signs) if row["kind"] in KINDS]
    if args.program:
        answers = by_program(args.program.resolve(), args.pairs, args.run)
        said_of = lambda row: answers.get(row["pair"], dict.fromkeys(COUNTED, "undecided"))
    else:
        models = tomllib.loads(args.table.read_text())["model"]
        said_of = lambda row: by_table(models, row)
    families, kinds, moved = [collections.defaultdict(lambda: collections.defaultdict(list)) for _ in range(3)]
    for row in rows:
        family, lowers, _ = KINDS[row["kind"]]
        if family.startswith("texture") and row.get("difference", 0) <= fit_probe.VISIBLE:
            continue
        said = said_of(row)
        if not lowers:
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
    for title, groups in [("families: answers, assets", families), ("kinds", kinds), ("should be left alone, where it was not", moved)]:
        print(title)
        for label, by_asset in sorted(groups.items()):
            line(label, by_asset)
    counts = collections.Counter(said for label, by in families.items() if label.endswith("overall") for s in by.values() for said in s)
    print(f"right of what was decided: {100 * counts['right'] / max(1, counts['right'] + counts['wrong']):.1f} %")


if __name__ == "__main__":
    main()
