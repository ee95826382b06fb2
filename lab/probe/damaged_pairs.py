"""Writes assets and what other programs made of them, as pairs that the offline judge is asked about.

    pip install numpy scipy scikit-image trimesh pillow pymeshlab networkx
    python lab/probe/damaged_pairs.py ASSETS OUT --half fit --sets damage,other,unseen,later,wide --sample
    python lab/probe/damaged_pairs.py ASSETS OUT --half fit --own target/release/meshjudge --sample
    python lab/probe/damaged_pairs.py ASSETS OUT --half all --unrelated 90

OUT/damaged holds ASSET__KIND__STRENGTH.glb, OUT/pairs.txt the lines `NAME CLEAN DAMAGED` that crates/probe/examples/signs.rs reads, those of one
asset beside each other. What is there already is not made again. A kind that has strengths is taken at 1; with `--sample`, at 0.5 or at 1
by a hash of asset and kind, and not of every asset all kinds: two thirds of those in other files than damage_assets.py, half of made assets.
"""

import argparse
import hashlib
import itertools
import pathlib
import random
import subprocess
import sys
import warnings
import zlib

import damage_assets
import later_damage
import numpy as np
import other_damage
import real_assets
import unseen_damage
import wide_damage
from PIL import Image

warnings.filterwarnings("ignore")
SETS = {"damage": damage_assets, "other": other_damage, "unseen": unseen_damage, "later": later_damage, "wide": wide_damage}
TRIANGLES_MAX = 300_000
# Of `meshjudge damage`; geometry, then texture.
OWN = [
    "noise-fine noise-coarse smooth decimate holes floaters slab billboard missing-part normals extra-part reordered subdivided internal-faces text".split(),
    "blur low-resolution texture-noise dithered".split(),
]


def share(name, kind):
    """0 to 1 by a hash of asset and kind."""
    return hashlib.sha256(f"{name} {kind}".encode()).digest()[0] / 255


def fast_png():
    """Pictures are written once and read once: time is dearer than room."""
    save = Image.Image.save

    def quick(self, file, format=None, **options):
        if (format or "").upper() == "PNG":
            options.setdefault("compress_level", 1)
        save(self, file, format, **options)

    Image.Image.save = quick


def wanted(args, name):
    """Kinds with strengths."""
    made = name.startswith(real_assets.MADE)
    kinds = {kind: (set_name, family) for set_name in args.sets for kind, (family, _, _) in SETS[set_name].KINDS.items()}
    for kind, (set_name, family) in kinds.items():
        of_texture = family.startswith("texture")
        if args.sample and made and of_texture != name.startswith("vessel-") and family != "harmless":
            continue
        if args.sample and share(name, kind + "?") > (0.5 if made else 1.0 if set_name == "damage" else 0.66):
            continue
        weak = args.sample and set_name == "damage" and family not in ("harmless", "text") and share(name, kind) < 0.5
        yield set_name, kind, 0.5 if weak else 1.0


def foreign(args, name, path, clean):
    base = damage_assets.load(path)
    for geometry in base:
        material = getattr(geometry.visual, "material", None)
        for other in ["normalTexture", "metallicRoughnessTexture", "occlusionTexture", "emissiveTexture"]:
            if getattr(material, other, None) is not None:
                setattr(material, other, None)
    if path.suffix != ".glb" and not clean.exists():
        damage_assets.write([g.copy() for g in base], clean)
    if sum(len(g.faces) for g in base) > TRIANGLES_MAX or not sum(g.area for g in base) > 0:
        print(f"{name}: left out, too many triangles or not read", file=sys.stderr)
        return
    for set_name, kind, strength in wanted(args, name):
        pair = f"{name}__{kind}__{strength:g}"
        target, missing = args.out / "damaged" / f"{pair}.glb", args.out / "damaged" / f"{pair}.none"
        if not target.exists() and not missing.exists():
            change = SETS[set_name].KINDS[kind][2]
            copies = [g.copy() for g in base]
            rng = np.random.default_rng([args.seed, *kind.encode(), *name.encode()])
            try:
                done = change(copies, strength, rng) if set_name == "damage" else change(copies, rng)
                if done:
                    damage_assets.write(done, target)
            except Exception as problem:  # a program of others that cannot do it says nothing about the judge
                print(f"{pair}: {type(problem).__name__}: {problem}"[:160], file=sys.stderr)
                target.unlink(missing_ok=True)
        if target.exists():
            yield pair, clean if path.suffix != ".glb" else path, target
        else:
            missing.touch()


def own(args, name, path, _):
    """Both sides by the same writer; the clean one at level 0."""
    written = args.out / "damaged"
    clean = written / f".{name}.own.glb"
    if not clean.exists():
        damage_by_ours(args, path, "noise-fine", 0, clean)
    kinds = [*([] if name.startswith("vessel-") else OWN[0]), *([] if name.startswith(("part-", "body-")) else OWN[1])]
    for kind in kinds:
        if args.sample and share(name, kind + "?") > 0.6:
            continue
        level = 0.5 if args.sample and share(name, kind) < 0.5 else 1.0
        target = written / f"{name}__own-{kind}__{level:g}.glb"
        if not target.exists():
            damage_by_ours(args, path, kind, level, target)
        if target.exists():
            yield target.stem, clean, target


def unrelated(args, files):
    """Pairs of assets of different makers, drawn at random."""
    is_asked = lambda one, other: real_assets.family(one) != real_assets.family(other) and (not args.one_class or one.split("-")[0] == other.split("-")[0])
    pairs = [pair for pair in itertools.combinations(sorted(files), 2) if is_asked(*pair)]
    drawn = random.Random(args.seed).sample(pairs, min(args.unrelated, len(pairs)))
    for one, other in sorted(drawn):
        yield f"{one}+{other}__unrelated__1", as_glb(args, one, files[one]), as_glb(args, other, files[other])


def as_glb(args, name, path):
    if path.suffix == ".glb":
        return path
    written = args.out / "clean" / f"{name}.glb"
    if not written.exists():
        damage_assets.write(damage_assets.load(path), written)
    return written


def damage_by_ours(args, source, kind, level, target):
    done = subprocess.run([args.own, "damage", source, "--kind", kind, "--level", str(level), "--out", target, "--quiet"], capture_output=True, text=True)
    if done.returncode:
        print(f"{target.stem}: {done.stderr.strip()}"[:200], file=sys.stderr)


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("assets", type=pathlib.Path)
    arguments.add_argument("out", type=pathlib.Path)
    arguments.add_argument("--half", choices=["fit", "test", "all"], default="fit")
    arguments.add_argument("--sets", type=lambda text: text.split(","), default=[], help=", ".join(SETS))
    arguments.add_argument("--own", type=pathlib.Path, help="the program, for `meshjudge damage`; instead of --sets")
    arguments.add_argument("--unrelated", type=int, default=0, help="so many pairs of clean assets that have nothing in common; instead of --sets")
    arguments.add_argument("--one-class", action="store_true", help="unrelated pairs whose names begin alike alone")
    arguments.add_argument("--sample", action="store_true")
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--part", default="0/1", help="of the assets, for several processes")
    args = arguments.parse_args()
    args.out = args.out.resolve()
    for folder in ["clean", "damaged"]:
        (args.out / folder).mkdir(parents=True, exist_ok=True)
    fast_png()
    files = {name: path.resolve() for name, path in real_assets.assets(args.assets).items() if args.half in ("all", real_assets.half(name))}
    if args.unrelated:
        lines = [" ".join(map(str, pair)) for pair in unrelated(args, files)]
        (args.out / "pairs-unrelated.txt").write_text("\n".join(lines) + "\n")
        return
    part, parts = map(int, args.part.split("/"))
    with open(args.out / f"pairs-{'own' if args.own else '-'.join(args.sets)}-{part}.txt", "w") as pairs:
        for name, path in files.items():
            if zlib.crc32(name.encode()) % parts != part:
                continue
            try:
                for pair, clean, damaged in (own if args.own else foreign)(args, name, path, args.out / "clean" / f"{name}.glb"):
                    print(pair, clean, damaged, file=pairs, flush=True)
            except Exception as problem:
                print(f"{name}: {type(problem).__name__}: {problem}"[:160], file=sys.stderr)


if __name__ == "__main__":
    main()
