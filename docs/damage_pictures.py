"""Draws the pictures of docs/damage.md: every kind at three levels on two demo objects, four views each, and on two scenes, from the front.

    python docs/damage_pictures.py MESHJUDGE [SPLATS]

Needs pillow. Writes docs/pictures/damage-geometry.png, damage-texture.png, damage-scene.png and, with a file of splats, damage-splats.png, and
prints the tables of docs/damage.md.
"""

import json, os, subprocess, sys, tempfile
from concurrent.futures import ThreadPoolExecutor

from PIL import Image, ImageDraw

meshjudge = sys.argv[1]
bases = ["assets/demo/vase_clean.glb", "assets/demo/bench/atelier/cottage.glb"]
splats = sys.argv[2:3]
levels = [0.25, 0.5, 1.0]
tile, label = 100, 150
folder = tempfile.mkdtemp()


def run(*args):
    return subprocess.run([meshjudge, *args], check=True, capture_output=True, text=True).stdout


def draw(job):
    base, kind, level = job
    views = "1" if base.startswith("scene:") else "4"
    name = os.path.join(folder, f"{os.path.basename(base).replace(':', '-')}-{kind}-{level}")
    run("damage", base, "--kind", kind, "--level", str(level), "--seed", "1", "--out", name + ".glb")
    # Larger than shown, so that a texture is filtered as a judge sees it.
    run("sheet", "grid", name + ".glb", "--out", name + ".png", "--views", views, "--channels", "rgb", "--size", str(tile * 2))
    image = Image.open(name + ".png").convert("RGB")
    return image.resize((tile * 2, tile * 2), Image.LANCZOS)


listed = [json.loads(line) for line in run("damage", "list", "--json").splitlines()]
kinds = [row for row in listed if row["kind"] == "damage"]


def shown(kind):
    """What a kind is drawn on."""
    scenes = [row["name"] for row in listed if row["kind"] == "scene" and row["category"] == kind["category"]]
    return [f"scene:{name}" for name in scenes[:2]] if kind["category"] else splats if kind["splats"] else bases


for family in ["geometry", "texture", "scene"] + ["splats"] * len(splats):
    mine = [kind for kind in kinds if family == ("splats" if kind["splats"] else kind["family"])]
    # A scene is also shown as its prompt says.
    at = [0.0, *levels] if family in ["scene", "splats"] else levels
    jobs = [(base, kind["name"], level) for kind in mine for base in shown(kind) for level in at]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        images = list(pool.map(draw, jobs))
    columns = len(images) // len(mine)
    page = Image.new("RGB", (label + columns * tile * 2, len(mine) * tile * 2), "white")
    text = ImageDraw.Draw(page)
    for row, kind in enumerate(mine):
        text.text((6, row * tile * 2 + tile), kind["name"], fill="black", font_size=15)
        for column in range(columns):
            page.paste(images[row * columns + column], (label + column * tile * 2, row * tile * 2))
    page.quantize(256 if family in ["scene", "splats"] else 128, dither=0).save(f"docs/pictures/damage-{family}.png", optimize=True)

print("| kind | what one sees | must lower | must leave alone | measured |")
print("| --- | --- | --- | --- | --- |")
for kind in kinds:
    lists = [", ".join(f"`{key}`" for key in kind[which]) or "–" for which in ["lowers", "spares"]]
    print(f"| `{kind['name']}` | {kind['says']} | {lists[0]} | {lists[1]} | {kind['measure']} |")
