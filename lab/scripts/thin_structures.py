"""How much of a wire and of a cut-out leaf our pictures show, by width and by where they lie between pixels.

    v/bin/python lab/scripts/thin_structures.py target/release/meshjudge        (needs numpy, pillow)

64 upright wires at 64 places between two pixels, at 512 px; each wire's mean coverage against its true width. Then the same, leaning by 10 px over
the picture. Both also black before a white wall, a sixteenth of the sphere behind them, by what light is missing. Then cards with blades of grass cut out by alpha: the area that is shown against that of the blades.
"""
import io, json, pathlib, struct, subprocess, sys, tempfile

import numpy as np
from PIL import Image

SIZE_PX = 512
WIRES = 64
PITCH = SIZE_PX / WIRES
HALF = SIZE_PX / 2
RIG = "name = 'front'\n[camera]\nprojection = 'orthographic'\nfit = 1.0\n[[view]]\nazimuth_degrees = 0.0\nelevation_degrees = 0.0\n"


def quads(list, wall=False):
    """OBJ text of quads given by x left, x right, at the bottom and at the top; in pixels from the middle. A small far-off triangle at each end keeps the scale.
    With a wall behind them they are black and it is white."""
    lines, count = ["mtllib wall.mtl"], 0
    if wall:
        lines += ["usemtl white"] + [f"v {x} {y} {-SIZE_PX / 16}" for x, y in ((-194, -152), (194, -152), (194, 152), (-194, 152))] + ["f 1 2 3 4", "usemtl black"]
        count = 4
    # The bounding sphere's radius is half the picture: two points at its ends.
    for x in (-HALF, HALF):
        lines += [f"v {x} 0 0", f"v {x * 0.999} 0.2 0", f"v {x * 0.999} -0.2 0", f"f {count + 1} {count + 2} {count + 3}"]
        count += 3
    for (x0, x1, lean, height) in list:
        for x, y in ((x0 - lean, -height), (x1 - lean, -height), (x1 + lean, height), (x0 + lean, height)):
            lines.append(f"v {x:.6f} {y} 0")
        lines.append("f " + " ".join(str(count + k) for k in (1, 2, 3, 4)))
        count += 4
    return "\n".join(lines) + "\n"


def leaves(card_px, blades):
    """A .glb of cards of `card_px`, each at another place between pixels, with a texture of upright blades (half as wide as the gaps) cut out by alpha."""
    texels = 256
    u = (np.arange(texels) + 0.5) / texels
    alpha = np.broadcast_to(np.where((u * blades) % 1 < 1 / 3, 255, 0).astype(np.uint8), (texels, texels))
    share = float((alpha >= 128).mean())
    picture = io.BytesIO()
    Image.fromarray(np.dstack([np.full((texels, texels, 3), 90, np.uint8), alpha])).save(picture, "PNG")
    across = int(300 // (card_px + 2))
    positions, uvs, triangles = [], [], []
    for x in (-HALF, HALF):
        triangles.append([len(positions) + k for k in range(3)])
        positions += [(x, 0, 0), (x * 0.999, -0.2, 0), (x * 0.999, 0.2, 0)]
        uvs += [(0.01, 0.01)] * 3
    for k in range(across * across):
        # Places between pixels by the golden ratio's multiples and their like in two dimensions (Roberts 2018).
        left = (k % across - across / 2) * (card_px + 2) + (k * 0.7548777) % 1
        low = (k // across - across / 2) * (card_px + 2) + (k * 0.5698403) % 1
        first = len(positions)
        positions += [(left, low, 0), (left + card_px, low, 0), (left + card_px, low + card_px, 0), (left, low + card_px, 0)]
        uvs += [(0, 1), (1, 1), (1, 0), (0, 0)]
        triangles += [(first, first + 1, first + 2), (first, first + 2, first + 3)]
    parts = [np.array(positions, "<f4"), np.array(uvs, "<f4"), np.array(triangles, "<u4")]
    body, views = b"", []
    for part in [p.tobytes() for p in parts] + [picture.getvalue()]:
        views.append({"buffer": 0, "byteOffset": len(body), "byteLength": len(part)})
        body += part + b"\0" * (-len(part) % 4)
    accessors = [
        {"bufferView": 0, "componentType": 5126, "type": "VEC3", "count": len(positions)},
        {"bufferView": 1, "componentType": 5126, "type": "VEC2", "count": len(positions)},
        {"bufferView": 2, "componentType": 5125, "type": "SCALAR", "count": 3 * len(triangles)},
    ]
    accessors[0] |= {"min": parts[0].min(0).tolist(), "max": parts[0].max(0).tolist()}
    material = {"alphaMode": "MASK", "doubleSided": True, "pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}}
    gltf = {
        "asset": {"version": "2.0"}, "buffers": [{"byteLength": len(body)}], "bufferViews": views, "accessors": accessors,
        "images": [{"bufferView": 3, "mimeType": "image/png"}], "textures": [{"source": 0}], "materials": [material],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0, "TEXCOORD_0": 1}, "indices": 2, "material": 0}]}],
        "nodes": [{"mesh": 0}], "scenes": [{"nodes": [0]}], "scene": 0,
    }
    text = json.dumps(gltf).encode()
    text += b" " * (-len(text) % 4)
    chunks = struct.pack("<I4s", len(text), b"JSON") + text + struct.pack("<I4s", len(body), b"BIN\0") + body
    return struct.pack("<4sII", b"glTF", 2, 12 + len(chunks)) + chunks, share * card_px**2 * across**2


def mask(binary, folder, content, name, channel="mask"):
    """Coverage, or with the channel rgb the share of light that is missing."""
    (folder / "front.toml").write_text(RIG)
    (folder / "wall.mtl").write_text("newmtl white\nKd 1 1 1\nnewmtl black\nKd 0 0 0\n")
    asset = folder / name
    asset.write_bytes(content)
    out = folder / f"{name}-out"
    subprocess.run([binary, "render", asset, "--rig", folder / "front.toml", "--size", str(SIZE_PX), "--channels", channel, "--light", "unlit", "--out", out], check=True, capture_output=True)
    shown = np.asarray(Image.open(next(out.rglob(f"{channel}_0.png"))), dtype=float) / 255
    return shown if channel == "mask" else 1 - np.where(shown <= 0.04045, shown / 12.92, ((shown + 0.055) / 1.055) ** 2.4)[..., 1]


def main():
    binary = sys.argv[1]
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        print("| before | width, px | lean, px | mean of coverage / width | least | most | pixels along the wire without any, worst |")
        print("| --- | --- | --- | --- | --- | --- | --- |")
        for wall, lean in ((False, 0), (False, 5), (True, 0), (True, 5)):
            for width in (0.1, 0.2, 0.35, 0.5, 0.75, 1.0):
                # Wires stay inside the sphere; the middle ones suffice.
                rows = 150
                places = [(k + 0.5) * PITCH - HALF + k / WIRES for k in range(8, WIRES - 8)]
                shown = mask(binary, folder, quads([(x - width / 2, x + width / 2, lean * (rows + 20) / HALF, rows + 20) for x in places], wall).encode(), f"w{width}-{lean}-{wall}.obj", "rgb" if wall else "mask")
                inside = shown[int(HALF) - rows : int(HALF) + rows]
                ratios, empty = [], []
                for x in places:
                    left = int(round(x + HALF - PITCH / 2)) + 0
                    band = inside[:, max(left, 0) : left + int(PITCH)]
                    ratios.append(band.sum(axis=1).mean() / width)
                    empty.append((band.sum(axis=1) == 0).mean())
                print(f"| {'a wall' if wall else 'nothing'} | {width} | {2 * lean} | {np.mean(ratios):.3f} | {min(ratios):.2f} | {max(ratios):.2f} | {100 * max(empty):.0f} % |")
        print("\n| card, px | blades a card | blade, px | mean of coverage / area |")
        print("| --- | --- | --- | --- |")
        for card_px, blades in ((64, 4), (32, 4), (16, 4), (8, 4), (16, 16), (8, 16), (4, 16)):
            content, area = leaves(card_px, blades)
            shown = mask(binary, folder, content, f"leaves-{card_px}-{blades}.glb")
            print(f"| {card_px} | {blades} | {card_px / blades / 3:.2f} | {shown.sum() / area:.3f} |")


main()
