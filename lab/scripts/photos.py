"""What the offline judge and `fronts = "photo"` make of photos, on assets that nothing was fitted on.

    python photos.py MESHJUDGE OUT SEED ASSET…

Needs numpy and Pillow. Each asset is photographed from a hidden side: our renderer under a made panorama with a coloured sun, then gain, colour
cast, gamma, noise, another background, JPEG, and a mask that is up to 2 px too fat or thin. Then each asset is scored against its own photo and
two others'; compared, with its photo, with another asset and with damaged copies of itself; and put into groups of one to four approximations
with hidden rotations. Prints three tables and writes every answer to OUT/answers.jsonl.
"""

import collections
import concurrent.futures
import json
import math
import pathlib
import random
import subprocess
import sys

import numpy as np
from PIL import Image, ImageFilter

PROGRAM, OUT, SEED = sys.argv[1], pathlib.Path(sys.argv[2]), int(sys.argv[3])
ASSETS = [pathlib.Path(path) for path in sys.argv[4:]]
# `meshjudge damage`, by the rows of the reference table.
KINDS = {
    "bent": "warp", "stretched": "stretch", "a piece missing": "missing-part", "back = front": "janus", "few facets": "decimate",
    "noise": "noise-coarse", "colour shift": "color-shift", "blur": "blur",
}
GROUP_KINDS = ["warp", "stretch", "missing-part", "decimate", "noise-coarse", "noise-fine", "smooth", "holes", "blur", "color-shift", "seams"]


def run(*args, check=True):
    done = subprocess.run([PROGRAM, *map(str, args)], capture_output=True, text=True)
    if check and done.returncode:
        raise RuntimeError(f"{args}: {done.stderr[-600:]}")
    return done


def name_of(asset):
    return asset.parent.name + "-" + asset.stem


def panorama(path, rng):
    """Radiance HDR, 128 × 64: sky, ground, a few soft lamps and a coloured sun."""
    height, width = 64, 128
    up = np.cos(np.linspace(0, math.pi, height))[:, None, None]
    color = lambda low, high: np.array([rng.uniform(low, high) for _ in range(3)])
    light = np.where(up > 0, color(0.4, 0.9), color(0.15, 0.5)) * np.ones((height, width, 1))
    rows, columns = np.mgrid[0:height, 0:width]
    for strength, wide in [(rng.uniform(8, 20), 3.0)] + [(rng.uniform(0.5, 2), rng.uniform(8, 20)) for _ in range(3)]:
        row, column = rng.uniform(5, 30), rng.uniform(0, width)
        across = np.minimum(abs(columns - column), width - abs(columns - column))
        light = light + strength * color(0.7, 1.0) * np.exp(-((rows - row) ** 2 + across**2) / (2 * wide**2))[..., None]
    mantissa, exponent = np.frexp(light.max(axis=2))
    scaled = light * (mantissa * 256 / light.max(axis=2))[..., None]
    pixels = np.concatenate([scaled, exponent[..., None] + 128], axis=2).clip(0, 255).astype(np.uint8)
    path.write_bytes(b"#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 64 +X 128\n" + pixels.tobytes())


def photograph(asset, rng, folder):
    """The photo as JPEG and its mask; returns the hidden azimuth."""
    folder.mkdir(parents=True)
    azimuth, elevation, lens = rng.randrange(360), round(rng.uniform(0, 28), 1), round(rng.uniform(32, 50), 1)
    panorama(folder / "light.hdr", rng)
    (folder / "rig.toml").write_text(
        f'name = "photo"\ndescription = "photo"\n[camera]\nprojection = "perspective"\nfov_y_degrees = {lens}\nfit = 1.05\n'
        f"[[view]]\nazimuth_degrees = {float(azimuth)}\nelevation_degrees = {elevation}\n"
    )
    run("render", asset, "--rig", folder / "rig.toml", "--size", 512, "--channels", "rgb,mask", "--environment", folder / "light.hdr", "--out", folder / "p")
    (drawn,) = (folder / "p").iterdir()
    rgb = np.asarray(Image.open(drawn / "rgb_0.png").convert("RGB"), dtype=float) / 255
    mask = Image.open(drawn / "mask_0.png").convert("L")
    inside = np.asarray(mask, dtype=float)[..., None] / 255
    noise = np.random.default_rng(rng.randrange(2**32))
    ground = np.array([rng.uniform(0.1, 0.95) for _ in range(3)]) + np.linspace(-0.1, 0.1, 512)[:, None, None]
    picture = (rgb * inside + ground * (1 - inside)).clip(0, 1)
    cast = np.array([rng.uniform(0.93, 1.07) for _ in range(3)])
    picture = ((picture * rng.uniform(0.8, 1.2) * cast).clip(0, 1)) ** rng.uniform(0.8, 1.25)
    picture = (picture + noise.normal(0, rng.uniform(0, 0.03), picture.shape)).clip(0, 1)
    Image.fromarray((picture * 255).round().astype(np.uint8)).save(folder / "photo.jpg", quality=rng.choice([60, 75, 85, 95]))
    wrong_px = rng.choice([-2, -1, 0, 1, 2])
    if wrong_px:
        mask = mask.filter((ImageFilter.MaxFilter if wrong_px > 0 else ImageFilter.MinFilter)(2 * abs(wrong_px) + 1))
    mask.save(folder / "mask.png")
    return azimuth


def photo_of(asset):
    folder = OUT / "photos" / name_of(asset)
    return ["--image", folder / "photo.jpg", "--mask", folder / "mask.png"]


def records(*args):
    return [json.loads(line) for line in run(*args, "--judge", "probe", "--threads", 1, "--json").stdout.splitlines()]


def score(asset, photographed):
    run_folder = OUT / "runs" / f"score-{name_of(asset)}-{name_of(photographed)}"
    (record, *_) = records("score", asset, "--rubric", "reconstruction", *photo_of(photographed), "--run", run_folder)
    return (record.get("verdict") or {}).get("score")


def pair(asset, other, label):
    run_folder = OUT / "runs" / f"pair-{name_of(asset)}-{label}"
    listed = next(it for it in records("compare", asset, other, *photo_of(asset), "--run", run_folder) if it["order"] == "ab")
    verdict = listed.get("verdict") or {}
    undecided = verdict.get("undecided", [])
    answer = lambda key: "undecided" if key in undecided else verdict.get(key)
    return {key: answer(key) for key in ("geometry_fidelity", "texture_fidelity")}


def damaged(asset, kind, level, seed, target):
    return run("damage", asset, "--kind", kind, "--level", level, "--seed", seed, "--out", target, check=False).returncode == 0


def ask(asset):
    """All answers about one asset."""
    rng = random.Random(f"{SEED} ask {name_of(asset)}")
    others = rng.sample([other for other in ASSETS if other != asset], 3)
    found = [{"asset": name_of(asset), "photo": name_of(of), "score": score(asset, of)} for of in [asset, *others[:2]]]
    pairs = [("another object", others[2])]
    for label, kind in KINDS.items():
        target = OUT / "damaged" / f"{name_of(asset)}-{kind}.glb"
        if damaged(asset, kind, 1.0, 7, target):
            pairs.append((label, target))
    return found + [{"asset": name_of(asset), "against": label} | pair(asset, other, label.replace(" ", "-")) for label, other in pairs]


def groups(size):
    """Fronts of groups of that size: the share rotated to the photo, and of those within 15° of its side."""
    rng = random.Random(f"{SEED} groups {size}")
    folder = OUT / f"groups-{size}"
    letters = "abcd"[:size]
    text, axes, hidden = 'name = "groups"\n', collections.defaultdict(str), {}
    for letter in letters:
        (folder / letter).mkdir(parents=True)
    for asset in ASSETS:
        kinds, yaws = iter(rng.sample(GROUP_KINDS, len(GROUP_KINDS))), {}
        for letter in letters:
            target = folder / letter / f"{name_of(asset)}.glb"
            while not damaged(asset, next(kinds), 0.5, 7, target):
                pass
            yaws[letter] = rng.randrange(360)
            axes[letter] += f'[[generators.axes]]\nprompts = ["{name_of(asset)}"]\nyaw = {yaws[letter]}\n'
        hidden[name_of(asset)] = yaws
        image, mask = photo_of(asset)[1::2]
        text += f'[[prompts]]\nid = "{name_of(asset)}"\nimage = "{image.resolve()}"\nmask = "{mask.resolve()}"\n'
    if size == 1:  # A benchmark compares two; the second is an asset that nobody aligns.
        letters, axes["z"] = letters + "z", ""
        (folder / "z").mkdir()
        (folder / "sphere.obj").write_text("v 0 0 1\nv 1 0 0\nv 0 1 0\nv 0 0 0\nf 1 2 3\nf 1 4 2\nf 2 4 3\nf 1 3 4\n")
        for asset in ASSETS:
            (folder / "z" / f"{name_of(asset)}.obj").write_bytes((folder / "sphere.obj").read_bytes())
    for letter in letters:
        text += f'[[generators]]\nname = "{letter}"\npath = "{letter}/{{prompt_id}}.*"\n{axes[letter]}'
    text += '[pairs]\nschedule = "round-robin"\ncount = 1\n[pictures]\nsize_px = 64\nviews = 1\nfronts = "photo"\n'
    (folder / "bench.toml").write_text(text)
    run("bench", folder / "bench.toml", "--run", folder / "run", "--dry-run", check=False)
    run("bench", folder / "bench.toml", "--run", folder / "run", check=False)
    path = folder / "run" / "fronts.jsonl"
    rows = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
    away = lambda degrees: min(degrees % 360, 360 - degrees % 360)
    counts = collections.Counter(groups=len(hidden))
    for name, yaws in hidden.items():
        mine = {row["method"]: row for row in rows if row["prompt_id"] == name}
        if any(row.get("margin", 0) >= 0.05 for letter, row in mine.items() if letter != "a"):
            counts["common"] += 1
        if "a" not in mine:
            continue
        counts["rotated"] += 1
        shown = [row for row in mine.values() if row["method"] in yaws and row["is_rotated"]]
        errors = [away(yaws[row["method"]] + row["yaw_degrees"] - AZIMUTHS[name]) for row in shown]
        counts["right"] += all(error <= 15 for error in errors)
        counts["back for front"] += any(error > 150 for error in errors)
    return counts


for folder in ["photos", "runs", "damaged"]:
    (OUT / folder).mkdir(parents=True)
AZIMUTHS = {
    name_of(asset): photograph(asset, random.Random(f"{SEED} photo {name_of(asset)}"), OUT / "photos" / name_of(asset)) for asset in ASSETS
}
answers = []
with concurrent.futures.ThreadPoolExecutor(2) as pool, open(OUT / "answers.jsonl", "w") as log:
    for of_one in pool.map(ask, ASSETS):
        answers += of_one
        log.writelines(json.dumps(answer) + "\n" for answer in of_one)
        log.flush()

print("\n| photo of | answers | 3 | 2 | 1 | none |\n| --- | --- | --- | --- | --- | --- |")
for label, is_own in [("the asset", True), ("another asset", False)]:
    scores = [it["score"] for it in answers if "score" in it and (it["asset"] == it["photo"]) == is_own]
    print(f"| {label} | {len(scores)} | " + " | ".join(str(sum(score == wanted for score in scores)) for wanted in (3, 2, 1, None)) + " |")
print("\n| against | pairs | shape: right, undecided, wrong | colours: right, undecided, wrong |\n| --- | --- | --- | --- |")
for label in ["another object", *KINDS]:
    rows = [it for it in answers if it.get("against") == label]
    cells = []
    for key in ("geometry_fidelity", "texture_fidelity"):
        counts = collections.Counter(row[key] for row in rows)
        right, wrong = counts["a"], counts["b"]
        cells.append(f"{right}, {len(rows) - right - wrong}, {wrong}")
    print(f"| {label} | {len(rows)} | " + " | ".join(cells) + " |")
print("\n| group of | groups | with a common front | rotated to the photo | of those within 15° | back for front |\n| --- | --- | --- | --- | --- | --- |")
for size in (1, 2, 3, 4):
    counts = groups(size)
    print(f"| {size} | " + " | ".join(str(counts[key]) for key in ("groups", "common", "rotated", "right", "back for front")) + " |", flush=True)
