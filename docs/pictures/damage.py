"""Draws the pictures of docs/damage.md: every kind at three levels on two demo objects, four views each.

    python docs/pictures/damage.py MESHJUDGE

Needs pillow. Writes docs/pictures/damage-geometry.png and damage-texture.png, and prints the table of docs/damage.md.
"""

import json, os, subprocess, sys, tempfile
from concurrent.futures import ThreadPoolExecutor

from PIL import Image, ImageDraw

meshjudge = sys.argv[1]
bases = ["assets/demo/vase_clean.glb", "assets/demo/bench/atelier/cottage.glb"]
levels = [0.25, 0.5, 1.0]
tile, label = 100, 120
folder = tempfile.mkdtemp()


def run(*args):
    return subprocess.run([meshjudge, *args], check=True, capture_output=True, text=True).stdout


def draw(job):
    base, kind, level = job
    name = os.path.join(folder, f"{os.path.basename(base)}-{kind}-{level}")
    run("damage", base, "--kind", kind, "--level", str(level), "--seed", "1", "--out", name + ".glb")
    # Larger than shown, so that a texture is filtered as a judge sees it.
    run("sheet", "grid", name + ".glb", "--out", name + ".png", "--views", "4", "--channels", "rgb", "--size", str(tile * 2))
    image = Image.open(name + ".png").convert("RGB")
    return image.resize((tile * 2, tile * 2), Image.LANCZOS)


kinds = [json.loads(line) for line in run("damage", "--list", "--json").splitlines()]
for family in ["geometry", "texture"]:
    names = [kind["name"] for kind in kinds if kind["family"] == family]
    jobs = [(base, name, level) for name in names for base in bases for level in levels]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        images = list(pool.map(draw, jobs))
    columns = len(bases) * len(levels)
    page = Image.new("RGB", (label + columns * tile * 2, len(names) * tile * 2), "white")
    text = ImageDraw.Draw(page)
    for row, name in enumerate(names):
        text.text((6, row * tile * 2 + tile), name, fill="black", font_size=15)
        for column in range(columns):
            page.paste(images[row * columns + column], (label + column * tile * 2, row * tile * 2))
    page.quantize(128, dither=0).save(f"docs/pictures/damage-{family}.png", optimize=True)

print("| kind | what one sees | must lower | must leave alone | measured |")
print("| --- | --- | --- | --- | --- |")
for kind in kinds:
    lists = [", ".join(f"`{key}`" for key in kind[which]) or "–" for which in ["lowers", "spares"]]
    print(f"| `{kind['name']}` | {kind['says']} | {lists[0]} | {lists[1]} | {kind['measure']} |")
