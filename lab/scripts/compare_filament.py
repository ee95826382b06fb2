"""Puts our pictures beside Filament's, from the same cameras and under the same light.

    python3 -m venv v && v/bin/pip install filly==0.2.1 pillow numpy trimesh
    v/bin/python lab/scripts/compare_filament.py MODELS target/release/meshjudge OUT [NAME...]

Writes OUT/NAME.png for each model that `meshjudge` draws (upper row ours, lower row Filament's), OUT/contact.png with one
pair each, and prints how far the base colours are apart: the mean difference over pixels that both cover wholly, in /255,
of `--light unlit` against Filament with every material turned into KHR_materials_unlit. `trimesh` turns OBJ, PLY and STL into
GLB for Filament; without it these are drawn by ours alone. NAME picks some models.

Filament gets our studio: the mirror gradient as its environment, one directional light (the key; it takes no second), two far
point lights (fill and rim), and the Khronos neutral tone map. The constants below are those of crates/asset/src/render/shade.rs.
"""
import io, json, math, pathlib, shutil, struct, subprocess, sys, tempfile

import filly
import numpy as np
from PIL import Image, ImageDraw

VIEWS = 12
SHOWN = (0, 2, 5, 10)  # azimuths 0, 60, 150 and 300 degrees
SIZE_PX = 512
TILE_PX = 128
PAIRS_PER_ROW = 5

# The studio (shade.rs): direction to the light from the camera (right, up, back), irradiance over pi.
LIGHTS = [((-0.55, 0.75, 0.75), 0.70), ((0.85, 0.20, 0.55), 0.14), ((0.35, 0.55, -0.85), 0.35)]
MIRROR_CEILING, MIRROR_WALL, MIRROR_FLOOR = 1.15, 0.55, 0.16


def studio_environment():
    """Equirectangular, row 0 straight up: what a mirror sees in our studio."""
    rows = 256
    height = np.sin((0.5 - (np.arange(rows) + 0.5) / rows) * np.pi)
    smooth = lambda t: t * t * (3 - 2 * t)
    above = smooth(np.clip(height * 1.6, 0, 1))
    below = smooth(np.clip(-height * 2.5, 0, 1))
    light = MIRROR_WALL + (MIRROR_CEILING - MIRROR_WALL) * above
    light = light + (MIRROR_FLOOR - light) * below
    return np.ascontiguousarray(np.broadcast_to(light[:, None, None], (rows, 2 * rows, 3)), dtype=np.float32)


class Filament:
    def __init__(self):
        self.renderer = filly.Renderer()
        self.target = self.renderer.create_render_target(width=SIZE_PX, height=SIZE_PX)
        self.environment = self.renderer.create_environment(studio_environment())

    def draw(self, path, frames, lit):
        """One picture for each shown view; linear light goes in, 1 comes out as 1."""
        scene = self.renderer.create_scene()
        model = scene.load(path)
        camera = scene.camera = self.renderer.create_camera()
        # Exposure is an EV100; luminance 1.2 * 2^EV100 shows as 1 (Lagarde and de Rousiers 2014, section 5.1.2).
        white = 1.2 * 2**camera.exposure
        scene.background = [0, 0, 0, 0]
        scene.transparent = True  # a background would be tone-mapped with the rest
        scene.msaa = 4
        scene.tone_mapping = "pbr_neutral" if lit else "linear"
        if lit:
            scene.environment = self.environment
            scene.environment_intensity = white
        move, scale = np.array(frames["world_from_file"]["translate_first"]), frames["world_from_file"]["then_scale"]
        pictures = []
        for k in SHOWN:
            view = np.array(frames["views"][k]["view_from_world"])
            right, up, back = view[0, :3], view[1, :3], view[2, :3]
            distance = -view[2, 3]
            fov = math.degrees(2 * math.atan(1 / frames["views"][k]["clip_from_view"][1][1]))
            camera.set_perspective(fov_y_deg=fov, aspect=1, near=(distance - 1.05) / scale, far=(distance + 1.05) / scale)
            center = -move
            camera.position = list(center + back * distance / scale)
            camera.look_at(list(center))
            lights = self.light(scene, right, back, center, scale, white) if lit else []
            self.renderer.render(scene, self.target)
            pictures.append(on_white(self.target.read()))
            for light in lights:
                light.close()
        model.close()
        scene.close()
        return pictures

    def light(self, scene, right, back, center, scale, white):
        level = np.array([back[0], 0, back[2]]) / math.hypot(back[0], back[2])
        lights = []
        for k, ((x, y, z), strength) in enumerate(LIGHTS):
            to = right * x + np.array([0, y, 0]) + level * z
            to /= np.linalg.norm(to)
            lux = strength * math.pi * white
            if k == 0:
                lights.append(scene.add_directional_light(direction=list(-to), intensity=lux))
            else:
                away = 30 / scale
                candela = lux * away**2
                lights.append(scene.add_point_light(position=list(center + to * away), intensity=candela, range=away * 100))
        return lights


def on_white(rgba):
    """Filament gives premultiplied, encoded colours; what lies between is averaged in linear light, as in ours."""
    alpha = rgba[..., 3:] / 255
    straight = rgba[..., :3] / 255 / np.maximum(alpha, 1 / 255)
    linear = np.clip(straight, 0, 1) ** 2.2 * alpha + (1 - alpha)
    return Image.fromarray((linear ** (1 / 2.2) * 255 + 0.5).astype(np.uint8))


def for_filament(path, folder, lit):
    """A copy that Filament loads; OBJ, PLY and STL become GLB, and unlit copies have every material marked so. None without trimesh."""
    is_converted = path.suffix in (".obj", ".ply", ".stl")
    if is_converted:
        try:
            import trimesh
        except ImportError:
            return None
        out = folder / (path.stem + ".glb")
        loaded = trimesh.load(path)
        if path.suffix != ".obj":
            plain(loaded)
        loaded.export(out)
        path = out
    raw = path.read_bytes()
    if path.suffix == ".gltf":
        copy = folder / "copy"
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(path.parent, copy, ignore=shutil.ignore_patterns("*.glb", "*.obj", "*.ply", "*.stl"))
        out = copy / path.name
        out.chmod(0o644)
        out.write_text(json.dumps(prepared(json.loads(raw), lit)))
        return out
    length = struct.unpack_from("<I", raw, 12)[0]
    text = json.dumps(prepared(json.loads(raw[20 : 20 + length]), lit, is_converted)).encode()
    text += b" " * (-len(text) % 4)
    body = struct.pack("<I4s", len(text), b"JSON") + text + raw[20 + length :]
    out = folder / "copy.glb"
    out.write_bytes(struct.pack("<4sII", b"glTF", 2, 12 + len(body)) + body)
    return out


def plain(mesh):
    """Takes the grey off that trimesh gives to PLY and STL files without colours."""
    import trimesh

    if mesh.visual.kind != "vertex":
        mesh.visual = trimesh.visual.ColorVisuals(mesh, vertex_colors=[255, 255, 255, 255])


def prepared(gltf, lit, is_converted=False):
    gltf.pop("animations", None)  # both show the rest pose, and filly stumbles over some
    if is_converted:
        name_materials(gltf)
    for material in gltf.get("materials", []) if is_converted else []:
        # trimesh leaves out what these formats do not say, which in glTF means a metal.
        material["doubleSided"] = True
        material.setdefault("pbrMetallicRoughness", {}).update(metallicFactor=0, roughnessFactor=1)
    return gltf if lit else mark_unlit(gltf)


def name_materials(gltf):
    """Gives primitives without a material one that says nothing."""
    materials = gltf.setdefault("materials", [])
    for mesh in gltf.get("meshes", []):
        for primitive in mesh["primitives"]:
            if "material" not in primitive:
                materials.append({})
                primitive["material"] = len(materials) - 1
    return materials


def mark_unlit(gltf):
    for material in name_materials(gltf):
        gloss = material.get("extensions", {}).get("KHR_materials_pbrSpecularGlossiness")
        if gloss:
            material["pbrMetallicRoughness"] = {"base" + k[7:].replace("Factor", "ColorFactor").replace("Texture", "ColorTexture"): v for k, v in gloss.items() if k.startswith("diffuse")}
        material["extensions"] = {"KHR_materials_unlit": {}}
    gltf["extensionsUsed"] = sorted({*gltf.get("extensionsUsed", []), "KHR_materials_unlit"})
    return gltf


def draw_ours(binary, path, out, *more):
    command = [binary, "render", path, "--rig", "ring", "--views", str(VIEWS), "--size", str(SIZE_PX), "--out", out, *more]
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True)
    if done.returncode != 0:
        return None, done.stderr.strip()
    return next(out.glob("*/frames.json")).parent, done.stderr.strip()


def open_views(folder, channel="rgb"):
    return [Image.open(folder / f"{channel}_{k}.png") for k in SHOWN]


def color_difference(ours, theirs, masks):
    """Mean over channels and pixels, those that both cover wholly: one pixel inside our mask, so that edges do not count."""
    total, count = 0.0, 0
    for a, b, m in zip(ours, theirs, masks):
        inside = np.asarray(m) == 255
        inside[1:-1, 1:-1] &= inside[:-2, 1:-1] & inside[2:, 1:-1] & inside[1:-1, :-2] & inside[1:-1, 2:]
        difference = np.abs(np.asarray(a, dtype=float) - np.asarray(b, dtype=float)).mean(axis=2)
        total, count = total + difference[inside].sum(), count + inside.sum()
    return total / max(count, 1)


def side_by_side(rows, out):
    sheet = Image.new("RGB", (SIZE_PX * len(SHOWN), SIZE_PX * len(rows)), "white")
    for y, row in enumerate(rows):
        for x, picture in enumerate(row):
            sheet.paste(picture.convert("RGB"), (x * SIZE_PX, y * SIZE_PX))
    sheet.save(out)


def contact_sheet(pairs, out):
    caption_px = 12
    rows = -(-len(pairs) // PAIRS_PER_ROW)
    sheet = Image.new("RGB", (PAIRS_PER_ROW * (2 * TILE_PX + 8), rows * (TILE_PX + caption_px)), "white")
    pen = ImageDraw.Draw(sheet)
    for i, (name, ours, theirs) in enumerate(pairs):
        x, y = i % PAIRS_PER_ROW * (2 * TILE_PX + 8), i // PAIRS_PER_ROW * (TILE_PX + caption_px)
        for k, picture in enumerate((ours, theirs)):
            if picture:
                sheet.paste(picture.convert("RGB").resize((TILE_PX, TILE_PX), Image.LANCZOS), (x + k * TILE_PX, y + caption_px))
        pen.text((x + 2, y), name[:40], fill="black")
    sheet.save(out, optimize=True)


def main():
    models, binary, out = (pathlib.Path(a) for a in sys.argv[1:4])
    out.mkdir(parents=True, exist_ok=True)
    found = sorted((p for p in models.rglob("*") if p.suffix in (".glb", ".gltf", ".obj", ".ply", ".stl")), key=lambda p: p.stem.lower())
    found = [p for p in found if not sys.argv[4:] or p.stem in sys.argv[4:]]
    filament, pairs = Filament(), []
    for path in found:
        with tempfile.TemporaryDirectory() as temporary:
            temporary = pathlib.Path(temporary)
            lit_folder, words = draw_ours(binary, path, temporary / "lit", "--channels", "rgb,mask")
            if lit_folder is None:
                print(f"{path.stem}: refused: {words}")
                continue
            unlit_folder, _ = draw_ours(binary, path, temporary / "unlit", "--channels", "rgb,mask", "--light", "unlit")
            frames = json.loads((lit_folder / "frames.json").read_text())
            rows = [open_views(lit_folder)]
            theirs, difference = None, "not compared"
            lit_file = for_filament(path, temporary, True)
            try:
                if lit_file:
                    theirs = filament.draw(lit_file, frames, True)
                    unlit = filament.draw(for_filament(path, temporary, False), frames, False)
                    ours_unlit = open_views(unlit_folder)
                    masks = open_views(unlit_folder, "mask")
                    difference = f"base colour {color_difference(ours_unlit, unlit, masks):.2f}, lit {color_difference(rows[0], theirs, masks):.2f}"
                    rows.append(theirs)
                    side_by_side([ours_unlit, unlit], out / f"{path.stem}-unlit.png")
            except filly.AssetError as error:
                difference = f"Filament refuses it: {error}"
            print(f"{path.stem}: {difference}", flush=True)
            side_by_side(rows, out / f"{path.stem}.png")
            pairs.append((path.stem, rows[0][0], theirs and theirs[0]))
    contact_sheet(pairs, out / "contact.png")


main()
