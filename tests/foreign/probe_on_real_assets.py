"""How often the offline judge is right, wrong and silent on real assets that other programs damaged.

    pip install numpy scipy trimesh pillow pymeshlab networkx
    python tests/foreign/probe_on_real_assets.py MESHJUDGE ASSETS OUT --half fit
    python tests/foreign/probe_on_real_assets.py MESHJUDGE ASSETS OUT --half fit --unrelated 90

Each asset and each damaged form of it is a pair that `meshjudge bench` asks `probe` about in both orders. A pair is right when the
undamaged one wins in both, wrong when the damaged one wins in both or the two orders contradict each other, undecided otherwise.
Texture damage is visible when the mean difference of the two objects' pictures is at least 1 of 255; the rest is left out. Intervals
(95 %) are bootstraps over assets; Wilson's where all assets agree. OUT is kept: damaged files in it are used again.
"""

import argparse
import collections
import json
import math
import pathlib
import random
import subprocess
import sys
import warnings
import zlib

import damage_assets as damage
import numpy as np
import real_assets

warnings.filterwarnings("ignore")
CRITERIA = ["plausibility", "texture_details", "geometry_details", "geometry_texture_alignment", "overall"]


def prepare(args, names, files):
    """Writes what is not there yet; gives the ids of pairs."""
    clean, bad = args.out / "clean", args.out / "damaged"
    clean.mkdir(parents=True, exist_ok=True)
    bad.mkdir(exist_ok=True)
    ids = []
    for name in names:
        source = files[name]
        for kind in args.kinds or damage.KINDS:
            family = damage.KINDS[kind][0]
            for strength in [1.0] if family in ("harmless", "text") else args.levels:
                pair = f"{name}__{kind}__{strength:g}"
                target, missing = bad / f"{pair}.glb", bad / f"{pair}.none"
                if not target.exists() and not missing.exists():
                    try:
                        geometries = damage.damaged(source, kind, strength, args.seed)
                    except Exception as problem:  # a program of others that cannot do it says nothing about the judge
                        print(f"{pair}: {type(problem).__name__}: {problem}"[:160], file=sys.stderr)
                        geometries = None
                    if geometries:
                        damage.write(geometries, target)
                    else:
                        missing.touch()
                if target.exists():
                    link = clean / f"{pair}.glb"
                    if not link.exists() and source.suffix == ".glb":
                        link.symlink_to(source)
                    elif not link.exists():
                        once = clean / f".{name}.glb"
                        if not once.exists():
                            damage.write(damage.load(source), once)
                        link.symlink_to(once.resolve())
                    ids.append(pair)
    return ids


def prepare_unrelated(args, names, files):
    chosen = random.Random(args.seed)
    pairs = set()
    while len(pairs) < min(args.unrelated, len(names) * (len(names) - 1) // 2):
        pairs.add(tuple(sorted(chosen.sample(names, 2))))
    for side in ["clean", "damaged"]:
        (args.out / side).mkdir(parents=True, exist_ok=True)
    ids = []
    for pair in sorted(pairs):
        ids.append("__".join([*pair, "unrelated"]))
        for side, name in zip(["clean", "damaged"], pair):
            link = args.out / side / f"{ids[-1]}.glb"
            if not link.exists():
                source = files[name]
                if source.suffix != ".glb":
                    source = args.out / f".{name}.glb"
                    if not source.exists():
                        damage.write(damage.load(files[name]), source)
                link.symlink_to(source.resolve())
    return ids


def bench(args, ids):
    """Both orders of every pair; rows of the run."""
    text = [
        'name = "foreign"',
        'rubrics = ["pairwise"]',
        'judges = ["probe"]',
        "prompts = [" + ", ".join(json.dumps({"id": i, "text": "an object"}).replace('"id":', "id =").replace('"text":', "text =") for i in ids) + "]",
        *(line for side in ["clean", "damaged"] for line in ["[[generators]]", f'name = "{side}"', f'path = "{side}/{{prompt_id}}.glb"']),
        "[pictures]",
        "size_px = 64",
        "views = 1",
        'light = "unlit"',
    ]
    file = args.out / f"{args.run}.toml"
    file.write_text("\n".join(text))
    run = args.out / args.run
    subprocess.run([args.program, "bench", file, "--run", run, "--quiet"], check=True, stdout=subprocess.DEVNULL)
    rows = subprocess.run([args.program, "export", run, "--format", "jsonl"], check=True, capture_output=True, text=True).stdout
    return [json.loads(line) for line in rows.splitlines()]


def is_visible(args, pair):
    """Whether the unlit pictures of four sides differ by 1 of 255 on the object in the mean."""
    kept = args.out / "visible.json"
    known = json.loads(kept.read_text()) if kept.exists() else {}
    if pair not in known:
        from PIL import Image

        means = []
        folder = args.out / "pictures"
        for side in ["clean", "damaged"]:
            subprocess.run(
                [args.program, "render", args.out / side / f"{pair}.glb", "--out", folder / side, "--rig", "four-view", "--size", "256",
                 "--light", "unlit", "--background", "#808080", "--quiet"],
                check=True, stdout=subprocess.DEVNULL,
            )
        for one in sorted((folder / "clean").rglob(f"{pair}*.png")):
            other = folder / "damaged" / one.relative_to(folder / "clean")
            a, b = (np.asarray(Image.open(p).convert("RGB"), float) for p in (one, other))
            covered = (np.abs(a - 128).max(2) > 1) | (np.abs(b - 128).max(2) > 1)
            means.append(np.abs(a - b).mean(2)[covered].mean() if covered.any() else 0.0)
        known[pair] = float(np.mean(means)) if means else 0.0
        kept.write_text(json.dumps(known))
    return known[pair] >= 1.0


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
    print(f"  {label:44} {sum(map(len, by_asset.values())):5d}   {'   '.join(cells)}")


def choices(rows):
    """Pair to criterion to the choice in both orders, `a` for the undamaged one."""
    found = collections.defaultdict(lambda: collections.defaultdict(list))
    for row in rows:
        if row["outcome"] == "verdict":
            for key in CRITERIA:
                if key in row["verdict"]:
                    choice = row["verdict"][key]
                    if row["a"]["method"] == "damaged":
                        choice = {"a": "b", "b": "a"}.get(choice, choice)
                    found[row["prompt_id"]][key].append(choice)
    return found


def outcome(choice):
    if set(choice) == {"a"}:
        return "right"
    return "wrong" if "b" in choice else "undecided"


def report(args, rows):
    answers = choices(rows)
    kinds = collections.defaultdict(lambda: collections.defaultdict(lambda: collections.defaultdict(list)))
    families = collections.defaultdict(lambda: collections.defaultdict(list))
    moved = collections.defaultdict(lambda: collections.defaultdict(list))
    for pair, by_key in sorted(answers.items()):
        name, kind, strength = pair.split("__")
        family, lowers, _ = damage.KINDS[kind]
        if family.startswith("texture") and not is_visible(args, pair):
            continue
        textured = "" if family.startswith("texture") else (" textured" if args.textured[name] else " untextured")
        if family in ("harmless", "text"):
            for key in CRITERIA:
                said = outcome(by_key[key])
                moved[f"{family} {kind} {key}"][name].append("undecided" if said == "undecided" else "wrong" if said == "wrong" else "right")
                if family == "harmless":
                    families["harmless, any criterion"][name].append(said)
            if family == "text":
                families["commanding text, overall"][name].append(outcome(by_key["overall"]))
            continue
        for key in [*lowers, "overall"]:
            said = outcome(by_key[key])
            kinds[kind][key][name].append(said)
            families[f"{family}{textured}, all levels"][name].append(said)
            if strength == "1":
                families[f"{family}{textured}, strength 1"][name].append(said)
        for key in ({"texture_details"} if family.startswith("geometry") else {"plausibility", "geometry_details"}) - set(lowers):
            moved[f"spared {key} on {kind}"][name].append(outcome(by_key[key]))
    print("families")
    for label, by_asset in sorted(families.items()):
        line(label, by_asset)
    print("kinds")
    for kind, by_key in kinds.items():
        for key, by_asset in by_key.items():
            line(f"{kind} {key}", by_asset)
    print("should be left alone, where it was not")
    for label, by_asset in moved.items():
        if any(o != "undecided" for outcomes in by_asset.values() for o in outcomes):
            line(label, by_asset)


def report_unrelated(rows):
    answers = choices(rows)
    print(f"unrelated pairs: {len(answers)}")
    for key in CRITERIA:
        line(key, {pair: ["undecided" if set(by_key[key]) == {"tie"} else "right"] for pair, by_key in answers.items()})
    for pair, by_key in answers.items():
        if set(by_key["overall"]) != {"tie"}:
            print(" ", pair, dict(by_key))


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("program", type=pathlib.Path)
    arguments.add_argument("assets", type=pathlib.Path)
    arguments.add_argument("out", type=pathlib.Path)
    arguments.add_argument("--half", choices=["fit", "test"], default="fit")
    arguments.add_argument("--kinds", type=lambda text: text.split(","))
    arguments.add_argument("--only", type=lambda text: text.split(","), help="names of assets")
    arguments.add_argument("--levels", type=lambda text: [float(x) for x in text.split(",")], default=[0.5, 1.0])
    arguments.add_argument("--seed", type=int, default=0)
    arguments.add_argument("--unrelated", type=int, default=0, help="so many pairs of assets that have nothing in common, instead")
    arguments.add_argument("--run", default="run")
    arguments.add_argument("--prepare", action="store_true", help="write the damaged files only")
    arguments.add_argument("--part", default="0/1", help="of the assets, for preparing in several processes")
    args = arguments.parse_args()
    args.out, args.program = args.out.resolve(), args.program.resolve()
    files = {name: path.resolve() for name, path in real_assets.assets(args.assets).items()}
    names = [name for name in files if real_assets.half(name) == args.half and (not args.only or name in args.only)]
    part, parts = map(int, args.part.split("/"))
    names = [name for name in names if zlib.crc32(name.encode()) % parts == part]
    ids = prepare_unrelated(args, names, files) if args.unrelated else prepare(args, names, files)
    if args.prepare:
        return
    args.textured = {}
    for name in names:
        said = subprocess.run([args.program, "inspect", files[name], "--json"], capture_output=True, text=True, check=True).stdout
        found = json.loads(said)
        facts = found[0] if isinstance(found, list) else found
        args.textured[name] = '"textured_area_share": 0.0,' not in json.dumps(facts)
    rows = bench(args, ids)
    print(f"{args.half} half, {len(names)} assets, {len(ids)} pairs, seed {args.seed}")
    report_unrelated(rows) if args.unrelated else report(args, rows)


if __name__ == "__main__":
    main()
