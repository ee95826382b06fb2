"""Takes real assets out of packages that other people publish, for measuring the offline judge on what nothing was fitted on.

    apt-get download sweethome3d-furniture
    pip download --no-deps pybullet gymnasium-robotics genesis-world robosuite metaworld
    python lab/probe/fresh_assets.py FOLDER-OF-PACKAGES OUT
    python lab/probe/fresh_assets.py FOLDER-OF-PACKAGES OUT chair,sofa,table,bed,cabinet,lamp,plant,door

From each collection as many as stated are drawn by a hash of their names, first of those with a texture, then of those without, where
there are enough; nothing is looked at. Left out: fewer than 100 triangles or more than 120,000, a file beyond 12 MiB, less than 1 % as deep
as wide, names of collision shapes. Prints a table of what was drawn.
"""

import hashlib
import io
import pathlib
import subprocess
import sys
import tempfile
import warnings
import zipfile

import damage_assets
import numpy as np

warnings.filterwarnings("ignore")
SH3D = "usr/share/sweethome3d/furniture/"
# Collection: package, folder inside, licence as the package states it, how many with and without a texture.
COLLECTIONS = {
    "blendswap-cc0": ("sweethome3d-furniture", SH3D + "BlendSwap-CC-0.sh3f", "CC0", 5, 3),
    "blendswap-ccby": ("sweethome3d-furniture", SH3D + "BlendSwap-CC-BY.sh3f", "CC BY 3.0", 5, 3),
    "katorlegaz": ("sweethome3d-furniture", SH3D + "KatorLegaz.sh3f", "CC BY 3.0", 2, 3),
    "reallusion": ("sweethome3d-furniture", SH3D + "Reallusion.sh3f", "CC BY 3.0", 2, 0),
    "scopia": ("sweethome3d-furniture", SH3D + "Scopia.sh3f", "CC BY 3.0", 5, 3),
    "genesis": ("genesis_world", "genesis/assets/meshes/", "Apache-2.0", 3, 2),
    "pybullet": ("pybullet", "pybullet_data/", "zlib", 4, 2),
    "robosuite": ("robosuite", "robosuite/models/assets/", "MIT", 2, 3),
    "metaworld": ("metaworld", "metaworld/assets/objects/meshes/", "MIT", 0, 3),
    "adroit-and-fetch": ("gymnasium_robotics", "gymnasium_robotics/envs/assets/", "MIT", 0, 3),
}
# So many of each word from each collection, with and without a texture.
OF_WORD = 2
TYPES = (".obj", ".glb", ".stl", ".ply")
COLLISION = ("coll", "vhacd", "convex", "random_urdfs", "plane", "axis")
# One is also in the folders that the judge was tried on before, one is a sky.
KNOWN = ("duck", "env_sphere")


def opened(packages, package, folder):
    """The package's archive, or the archive inside it, and what its names begin with."""
    file = next(p for p in sorted(packages.iterdir()) if p.name.startswith((package + "-", package + "_")))
    if file.suffix != ".deb":
        return file.name, zipfile.ZipFile(file), folder
    with tempfile.TemporaryDirectory() as unpacked:
        subprocess.run(["dpkg-deb", "-x", file, unpacked], check=True)
        inner = (pathlib.Path(unpacked) / folder).read_bytes()
    return file.name, zipfile.ZipFile(io.BytesIO(inner)), ""


def textured_share(geometries):
    areas = [(g.area, damage_assets.texture_of(g) is not None) for g in geometries]
    return sum(area for area, textured in areas if textured) / max(sum(area for area, _ in areas), 1e-12)


def unpack(archive, name, target):
    """The file and what lies beside and below it, its pictures among it."""
    folder = name.rsplit("/", 1)[0] + "/" if "/" in name else ""
    for info in archive.infolist():
        inside = info.filename[len(folder):]
        is_beside = info.filename.startswith(folder) and inside.lower().endswith((".mtl", ".png", ".jpg", ".jpeg", ".bin", ".tga", ".bmp"))
        if info.filename == name or is_beside and info.file_size < 30e6 and inside.count("/") < 2:
            path = target / inside
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(archive.read(info))
    return target / name.rsplit("/", 1)[-1]


def draw(archive, prefix, textured, bare, word=""):
    names = [i.filename for i in archive.infolist() if i.filename.startswith(prefix) and i.filename.lower().endswith(TYPES) and word in i.filename.lower() and i.file_size < 12 << 20]
    names = [n for n in names if not any(word in n.lower() for word in COLLISION + KNOWN)]
    left, stems = [textured, bare], set()
    for name in sorted(names, key=lambda n: hashlib.sha256(n.encode()).digest()):
        stem = pathlib.PurePath(name).stem.lower()
        if stem in stems or not any(left):
            continue
        stems.add(stem)
        with tempfile.TemporaryDirectory() as folder:
            try:
                geometries = damage_assets.load(unpack(archive, name, pathlib.Path(folder)))
            except Exception:  # what trimesh cannot read cannot be damaged by it
                continue
            triangles = sum(len(g.faces) for g in geometries)
            if not 100 <= triangles <= 120_000:
                continue
            low, high = damage_assets.bounds(geometries)
            share = textured_share(geometries)
            if min(high - low) < 0.01 * max(high - low) or not np.isfinite(share) or 0.05 > share > 0:
                continue
        which = 0 if share > 0 else 1
        if left[which]:
            left[which] -= 1
            yield name, triangles, share


def keep(out, title, version, licence, archive, drawn):
    for name, triangles, share in drawn:
        path = pathlib.PurePath(name)
        asset = f"{title}-{path.stem.lower().replace('_', '-').replace(' ', '-')}"
        file = unpack(archive, name, out / asset)
        file.rename(file.with_name(asset + path.suffix.lower()))
        digest = hashlib.sha256(archive.read(name)).hexdigest()[:16]
        print(f"| {asset} | {version} | `{name}` | {licence} | {triangles:,} | {100 * share:.0f} % | {digest} |", flush=True)


def main(packages, out, words):
    print("| asset | package | file | licence | triangles | textured | SHA-256 |\n| --- | --- | --- | --- | --- | --- | --- |")
    for title, (package, folder, licence, textured, bare) in COLLECTIONS.items():
        if words and package != "sweethome3d-furniture":
            continue
        version, archive, prefix = opened(packages, package, folder)
        if not words:
            keep(out, title, version, licence, archive, draw(archive, prefix, textured, bare))
            continue
        for word in words:
            keep(out, f"{word}-{title}", version, licence, archive, draw(archive, prefix, OF_WORD, OF_WORD, word))


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3].split(",") if len(sys.argv) > 3 else [])
