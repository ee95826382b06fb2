"""The real assets that the offline judge is fitted and tried on: where they are, and which half each belongs to.

Families that share a maker are on one side. Which side is decided by a hash of the family's name, not by looking.
"""

import hashlib
import pathlib

# What made_assets.py makes begins so.
MADE = ("part-", "body-", "vessel-")
FAMILIES = [
    "own-",
    "kaykit-", "kenney-", "scan-ycb-", "scan-mars-", "pbr-controller-", "gen-detailgen-", "gen-trellis-", "open-",
]
# Repositories that the README of the folder names for several assets without a prefix of their own.
REPOSITORIES = {
    "trimesh": ["cad-featuretype", "cad-fixed-top", "cad-idler-riser", "cad-simple-pole"],
    "robotlocomotion-cad": [
        "cad-bowl", "cad-camera-d415", "cad-drone-skydio", "cad-franka-link5", "cad-homecart", "cad-iiwa-link3",
        "cad-jaco-hand", "cad-pr2-gripper",
    ],
    "furniture-sim": ["cad-dish-rack", "cad-dome-lamp", "cad-wall-clock"],
    "ravens": ["cad-pallet", "open-bag", "open-cloth"],
    "gdquest": ["game-box", "game-coin", "game-jumping-pad", "game-mushroom", "game-orange-flower", "game-tree-trunk", "game-tree"],
    "poly-haven": ["pbr-sofa", "pbr-table", "pbr-tea-set"],
    "immersive-web": [
        "pbr-controller-pico4", "pbr-controller-touch-v3", "pbr-controller-vive", "pbr-stylus-mx-ink", "game-vr-hand",
        "lowpoly-camp", "lowpoly-headset", "lowpoly-sunflower",
    ],
    "wayfair": ["pbr-damask-chair", "pbr-flower-vase"],
    "sceneview": ["handmade-choco-bunny", "handmade-game-boy", "handmade-phoenix", "handmade-red-car", "handmade-shiba"],
    "kaolin": ["amsterdam", "armchair"],
    "iiif": ["handmade-astronaut", "handmade-lamp-post", "scan-saxophone", "scan-venus-statue", "scan-whale-cranium"],
    "odedstein": ["handmade-mountain", "scan-hammer"],
    "godot": ["handmade-hand-humanoid", "lowpoly-street-lamp", "lowpoly-tree"],
    "playcanvas": ["game-vr-controller", "handmade-logo-cube", "handmade-terrain"],
    "babylon": ["handmade-desk-fan", "handmade-shader-ball"],
    "assimp": ["cad-sphere-hole", "handmade-spider"],
}


def family(name):
    for repository, members in REPOSITORIES.items():
        if name in members:
            return repository
    return next((prefix for prefix in FAMILIES if name.startswith(prefix)), name)


def half(name):
    """`fit` or `test`; what made_assets.py makes is for fitting, each of it a family of its own."""
    if name.startswith(MADE):
        return "fit"
    return "fit" if hashlib.sha256(family(name).encode()).digest()[0] % 2 == 0 else "test"


def assets(folder):
    """Name to file, in the order of names."""
    endings = {".glb", ".obj", ".ply", ".stl"}
    files = [path for path in pathlib.Path(folder).rglob("*") if path.suffix in endings]
    return {path.stem: path for path in sorted(files, key=lambda path: path.stem)}


if __name__ == "__main__":
    import sys

    for side in ["fit", "test"]:
        names = [name for name in assets(sys.argv[1]) if half(name) == side]
        print(side, len(names), *names)
