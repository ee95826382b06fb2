"""Writes small .glb files for compare_filament.py: rows of spheres, one file for each extension, and one with instances.

    python3 lab/scripts/layer_spheres.py OUT

Each file has two rows of five spheres; what varies stands in FILES. No dependencies.
"""
import json, math, pathlib, struct, sys

RINGS, SEGMENTS = 32, 64



def coat(factor, roughness, **base):
    return {"KHR_materials_clearcoat": {"clearcoatFactor": factor, "clearcoatRoughnessFactor": roughness}}, base


def glossy(diffuse, specular, glossiness):
    values = {"diffuseFactor": [*diffuse, 1], "specularFactor": specular, "glossinessFactor": glossiness}
    return {"KHR_materials_pbrSpecularGlossiness": values}, {}


def sheen(color, roughness, **base):
    return {"KHR_materials_sheen": {"sheenColorFactor": color, "sheenRoughnessFactor": roughness}}, base


RED = {"baseColorFactor": [0.5, 0.04, 0.03, 1], "metallicFactor": 0, "roughnessFactor": 0.6}
METAL = {"baseColorFactor": [0.6, 0.5, 0.2, 1], "metallicFactor": 1, "roughnessFactor": 0.5}
CLOTH = {"baseColorFactor": [0.1, 0.1, 0.3, 1], "metallicFactor": 0, "roughnessFactor": 1}
SMOOTH = {"baseColorFactor": [0.2, 0.2, 0.2, 1], "metallicFactor": 0, "roughnessFactor": 0.25}

# Each: two rows of five (extensions, metallic-roughness).
FILES = {
    # The index from 1.1 to 3, then the strength from 0 to 1.
    "spheres_specular": [({"KHR_materials_ior": {"ior": n}}, SMOOTH) for n in (1.1, 1.33, 1.5, 2, 3)]
    + [({"KHR_materials_specular": {"specularFactor": f}}, SMOOTH) for f in (0, 0.25, 0.5, 0.75, 1)],
    # Colours of the reflection by roughness.
    "spheres_specular_color": [
        ({"KHR_materials_specular": {"specularColorFactor": c}}, {**SMOOTH, "roughnessFactor": r})
        for c in ([4, 1, 0.2], [0.2, 2, 8])
        for r in (0.1, 0.3, 0.5, 0.7, 1)
    ],
    # A coat over paint and over metal: by strength, then by roughness.
    "spheres_clearcoat": [coat(f, 0, **RED) for f in (0, 0.25, 0.5, 0.75, 1)] + [coat(1, r, **METAL) for r in (0, 0.25, 0.5, 0.75, 1)],
    # White and orange sheen by roughness.
    "spheres_sheen": [sheen([1, 1, 1], r, **CLOTH) for r in (0.1, 0.3, 0.5, 0.7, 1)] + [sheen([0.8, 0.3, 0.05], r, **CLOTH) for r in (0.1, 0.3, 0.5, 0.7, 1)],
    # Plastic, then gold, by glossiness.
    "spheres_spec_gloss": [glossy([0.3, 0.1, 0.4], [0.04] * 3, g) for g in (0, 0.25, 0.5, 0.75, 0.95)]
    + [glossy([0, 0, 0], [0.9, 0.65, 0.3], g) for g in (0, 0.25, 0.5, 0.75, 0.95)],
}


def sphere():
    positions, uvs, triangles = [], [], []
    for i in range(RINGS + 1):
        for j in range(SEGMENTS + 1):
            polar, around = math.pi * i / RINGS, 2 * math.pi * j / SEGMENTS
            positions.append((math.sin(polar) * math.sin(around), math.cos(polar), math.sin(polar) * math.cos(around)))
            uvs.append((j / SEGMENTS, i / RINGS))
    row = SEGMENTS + 1
    for i in range(RINGS):
        for j in range(SEGMENTS):
            a = i * row + j
            triangles += [(a, a + row, a + row + 1), (a, a + row + 1, a + 1)]
    return positions, uvs, triangles


def write(path, gltf, places):
    """`places` are the nodes' translations; with one mesh and several places, they are instances."""
    positions, uvs, triangles = sphere()
    flat = lambda list: [v for item in list for v in item]
    parts = [struct.pack(f"<{3 * len(positions)}f", *flat(positions)), struct.pack(f"<{2 * len(uvs)}f", *flat(uvs)), struct.pack(f"<{3 * len(triangles)}H", *flat(triangles))]
    instances = gltf.pop("instances", None)
    if instances:
        parts.append(struct.pack(f"<{3 * len(instances)}f", *flat(instances)))
    views, offset = [], 0
    for part in parts:
        views.append({"buffer": 0, "byteOffset": offset, "byteLength": len(part)})
        offset += len(part)
    accessor = lambda view, component, kind, count, **more: {"bufferView": view, "componentType": component, "type": kind, "count": count, **more}
    gltf["accessors"] = [
        accessor(0, 5126, "VEC3", len(positions), min=[-1, -1, -1], max=[1, 1, 1]),
        accessor(1, 5126, "VEC2", len(uvs)),
        accessor(2, 5123, "SCALAR", 3 * len(triangles)),
    ]
    if instances:
        gltf["accessors"].append(accessor(3, 5126, "VEC3", len(instances)))
    primitive = lambda m: {"attributes": {"POSITION": 0, "NORMAL": 0, "TEXCOORD_0": 1}, "indices": 2, "material": m}
    gltf |= {
        "asset": {"version": "2.0"},
        "buffers": [{"byteLength": offset}],
        "bufferViews": views,
        "meshes": [{"primitives": [primitive(m)]} for m in range(len(gltf["materials"]))],
        "nodes": [{"mesh": m, "translation": place, **gltf.pop("node", {})} for m, place in enumerate(places)],
        "scenes": [{"nodes": list(range(len(places)))}],
        "scene": 0,
    }
    text = json.dumps(gltf).encode()
    text += b" " * (-len(text) % 4)
    body = b"".join(parts)
    body += b"\0" * (-len(body) % 4)
    chunks = struct.pack("<I4s", len(text), b"JSON") + text + struct.pack("<I4s", len(body), b"BIN\0") + body
    path.write_bytes(struct.pack("<4sII", b"glTF", 2, 12 + len(chunks)) + chunks)


def main():
    out = pathlib.Path(sys.argv[1])
    out.mkdir(parents=True, exist_ok=True)
    grid = [(2.3 * (k % 5 - 2), 1.15 - 2.3 * (k // 5), 0) for k in range(10)]
    for name, materials in FILES.items():
        used = sorted({extension for extensions, _ in materials for extension in extensions})
        made = [{"extensions": e, "pbrMetallicRoughness": base} if base else {"extensions": e} for e, base in materials]
        write(out / f"{name}.glb", {"materials": made, "extensionsUsed": used}, grid)
    instancing = "EXT_mesh_gpu_instancing"
    node = {"extensions": {instancing: {"attributes": {"TRANSLATION": 3}}}}
    write(out / "instances.glb", {"materials": [{"pbrMetallicRoughness": RED}], "extensionsUsed": [instancing], "instances": grid, "node": node}, [(0, 0, 0)])


main()
