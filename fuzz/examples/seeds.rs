//! Fills `fuzz/corpus` with small inputs to begin with:
//! `cargo run --manifest-path fuzz/Cargo.toml --example seeds -- [FOLDER OF MODELS]`.
//!
//! From the folder come whole files under [`SEED_BYTES_MAX`], and larger ones cut down: a glTF to a
//! few elements of each accessor and a picture of 2×2 texels, text to its first lines. Without a
//! folder only what is made here, and what stands in `tests/data` and `tests/corpus`.

use meshjudge_fuzz::case::{PNG, Target, glb};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::Cursor;
use std::path::{Path, PathBuf};

/// Larger seeds make every execution slow.
const SEED_BYTES_MAX: usize = 24 << 10;

/// Elements of each accessor that are kept; a multiple of 3.
const ELEMENTS: u64 = 24;

fn main() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut seeds = Seeds {
        corpus: root.join("corpus"),
        count: 0,
    };
    seeds.made_here();
    seeds.of_tests(&root.join("../tests"));
    if let Some(models) = std::env::args_os().nth(1) {
        seeds.of_models(Path::new(&models));
    }
    println!("{} seeds", seeds.count);
}

struct Seeds {
    corpus: PathBuf,
    count: usize,
}

/// All files under a folder, in order; none where there is no folder.
fn walk(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return Vec::new();
    };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    paths.into_iter()
        .flat_map(|path| {
            if path.is_dir() {
                walk(&path)
            } else {
                vec![path]
            }
        })
        .collect()
}

fn extension(path: &Path) -> &str {
    path.extension().and_then(|e| e.to_str()).unwrap_or("")
}

impl Seeds {
    fn put(&mut self, target: Target, name: &str, bytes: &[u8]) {
        if bytes.is_empty() || bytes.len() > SEED_BYTES_MAX {
            return;
        }
        let folder = self.corpus.join(target.name());
        std::fs::create_dir_all(&folder).expect("the corpus can be written");
        std::fs::write(folder.join(format!("seed-{name}")), bytes)
            .expect("the corpus can be written");
        self.count += 1;
    }

    fn made_here(&mut self) {
        let texels: Vec<u8> = (0..16 * 8 * 4).map(|i| (i * 37 % 251) as u8).collect();
        use image::ExtendedColorType as Kind;
        for (name, kind, bytes) in [
            ("l8", Kind::L8, 1),
            ("la8", Kind::La8, 2),
            ("rgb8", Kind::Rgb8, 3),
            ("rgba8", Kind::Rgba8, 4),
            ("l16", Kind::L16, 2),
            ("rgb16", Kind::Rgb16, 6),
        ] {
            for format in [
                image::ImageFormat::Png,
                image::ImageFormat::Jpeg,
                image::ImageFormat::WebP,
            ] {
                let mut out = Cursor::new(Vec::new());
                let size = (16, 128 / 16 * 4 / bytes.max(4));
                let raw = &texels[..(size.0 * size.1 * bytes) as usize];
                // Not every format has every type of pixel.
                if image::write_buffer_with_format(&mut out, raw, size.0, size.1, kind, format)
                    .is_ok()
                {
                    self.put(
                        Target::Picture,
                        &format!("{name}-{format:?}"),
                        out.get_ref(),
                    );
                }
            }
        }
        self.put(Target::Picture, "2x2", PNG);
        self.put(Target::Obj, "all", b"mtllib a.mtl\nusemtl m\nv 0 0 0 1 0 0\nv 1 0 0\nv 1 1 0\nv 0.5 0.2 0\nv 0 1 0\nvt 0 0\nvn 0 0 1\ns 1\n\
            f 1/1/1 2/1/1 3/1/1\nf -5 -4 -3 -2 -1\ns off\nf 1//1 3//1 5//1\nl 1 2\np 1\n\0newmtl m\nKd 1 0.5 0\nKs 1 1 1\nNs 10\nd 0.5\nTr 0.5\nillum 2\n\
            map_Kd -s 1 1 1 a.png\nmap_d a.png\nPr 0.5\nmap_Pr a.png\nmap_Pm a.png\nnorm -bm 1 a.png\nmap_Ke a.png\n");
        let ply = |format: &str| {
            format!(
                "ply\nformat {format} 1.0\ncomment TextureFile a.png\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\n\
                property uchar red\nproperty uchar green\nproperty uchar blue\nelement face 1\nproperty list uchar int vertex_indices\nproperty list uchar float texcoord\nend_header\n"
            )
        };
        let corners = [[0.0_f32, 0.0], [1.0, 0.0], [1.0, 1.0], [0.3, 0.6]];
        let mut ascii = ply("ascii");
        for [x, y] in corners {
            ascii += &format!("{x} {y} 0 9 99 200\n");
        }
        ascii += "4 0 1 2 3 8 0 0 1 0 1 1 0 1\n";
        self.put(Target::Ply, "ascii", ascii.as_bytes());
        for (format, is_big) in [("binary_little_endian", false), ("binary_big_endian", true)] {
            let mut out = ply(format).into_bytes();
            let word = |bytes: [u8; 4]| {
                if is_big {
                    bytes
                } else {
                    u32::from_be_bytes(bytes).to_le_bytes()
                }
            };
            for [x, y] in corners {
                out.extend(
                    [x, y, 0.0]
                        .into_iter()
                        .flat_map(|v: f32| word(v.to_be_bytes())),
                );
                out.extend([9, 99, 200]);
            }
            out.push(4);
            out.extend((0..4_u32).flat_map(|i| word(i.to_be_bytes())));
            out.push(8);
            out.extend((0..8_u8).flat_map(|i| word(f32::from(i).to_be_bytes())));
            self.put(Target::Ply, format, &out);
        }
        self.put(Target::Stl, "ascii", b"solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid a\n");
        // Features that the models at hand lack: skins, morph targets, instances, sparse accessors,
        // strips.
        let view = json!({"buffer": 0, "byteLength": 96});
        let accessor = |component: u32, kind: &str, count: u32| json!({"bufferView": 0, "componentType": component, "type": kind, "count": count});
        let json = json!({
            "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0, 1]}],
            "nodes": [{"mesh": 0, "skin": 0, "children": [2]},
                {"mesh": 0, "extensions": {"EXT_mesh_gpu_instancing": {"attributes": {"TRANSLATION": 0, "ROTATION": 2, "SCALE": 0}}}},
                {"matrix": [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, -1, 0, 0, 0, 0, 1]}],
            "skins": [{"joints": [2], "inverseBindMatrices": 3}],
            "meshes": [{"weights": [0.5], "primitives": [{"mode": 5, "material": 0, "targets": [{"POSITION": 4, "NORMAL": 0}],
                "attributes": {"POSITION": 0, "NORMAL": 0, "TANGENT": 2, "TEXCOORD_0": 1, "COLOR_0": 2, "JOINTS_0": 5, "WEIGHTS_0": 2}}]}],
            "materials": [{"alphaMode": "MASK", "alphaCutoff": 0.3, "doubleSided": true, "emissiveFactor": [1, 1, 1],
                "pbrMetallicRoughness": {"baseColorTexture": {"index": 0, "extensions": {"KHR_texture_transform": {"rotation": 1, "scale": [2, 3], "offset": [1, 1]}}}},
                "normalTexture": {"index": 0, "scale": 2}, "occlusionTexture": {"index": 1, "strength": 0.5},
                "extensions": {"KHR_materials_emissive_strength": {"emissiveStrength": 2}, "KHR_materials_transmission": {"transmissionFactor": 0.5, "transmissionTexture": {"index": 0}}}}],
            "textures": [{"source": 0, "sampler": 0}, {"extensions": {"EXT_texture_webp": {"source": 1}}}],
            "samplers": [{"wrapS": 33071, "wrapT": 33648}],
            "images": [{"uri": "a.png"}, {"uri": "data:image/png;base64,iVBORw0KGgo="}],
            "buffers": [{"byteLength": 96, "uri": "a.bin"}, {"byteLength": 16, "uri": "data:;base64,AAAAAAAAAAAAAAAAAAAAAA=="}],
            "bufferViews": [view, {"buffer": 1, "byteLength": 16}],
            "accessors": [accessor(5126, "VEC3", 4), accessor(5126, "VEC2", 4), accessor(5126, "VEC4", 4), accessor(5126, "MAT4", 1),
                {"componentType": 5126, "type": "VEC3", "count": 4, "sparse": {"count": 1, "indices": {"bufferView": 1, "componentType": 5121}, "values": {"bufferView": 0}}},
                {"bufferView": 1, "componentType": 5121, "type": "VEC4", "count": 4}],
        });
        self.put(Target::Gltf, "features", json.to_string().as_bytes());
    }

    fn of_tests(&mut self, tests: &Path) {
        for path in walk(&tests.join("data/compressed")) {
            let Ok(bytes) = std::fs::read(&path) else {
                continue;
            };
            let name = path
                .file_stem()
                .map_or_else(String::new, |n| n.to_string_lossy().into_owned());
            match extension(&path) {
                "drc" => self.put(Target::Draco, &name, &bytes),
                "ktx2" => self.put(Target::Ktx2, &name, &bytes),
                "meshopt" => {
                    let (how, stride, count) = match name.as_str() {
                        "grid_triangles" => (1, 0, 96),
                        "grid_indices" => (2, 0, 96),
                        "grid_normals_octahedral" => (3, 1, 25),
                        _ => (0, 2, 25),
                    };
                    self.put(
                        Target::Meshopt,
                        &name,
                        &[&[how, stride, count, 0, 0], &bytes[..]].concat(),
                    );
                }
                _ => {}
            }
        }
        for target in Target::ALL {
            for path in walk(&tests.join("corpus").join(target.name())) {
                let name = path
                    .file_name()
                    .map_or_else(String::new, |n| n.to_string_lossy().into_owned());
                // Those made by hand are slow on purpose, and would make every change of them slow.
                if name.starts_with("seen-") {
                    self.put(target, &name, &std::fs::read(&path).unwrap_or_default());
                }
            }
        }
    }

    fn of_models(&mut self, models: &Path) {
        for path in walk(models) {
            let Ok(bytes) = std::fs::read(&path) else {
                continue;
            };
            let name = path
                .file_name()
                .map_or_else(String::new, |n| n.to_string_lossy().into_owned());
            match extension(&path) {
                "glb" => self.glb(&name, &bytes),
                "gltf" => self.put(Target::Gltf, &name, &bytes),
                "obj" => {
                    let library = std::fs::read(path.with_extension("mtl")).unwrap_or_default();
                    let cut = obj(&String::from_utf8_lossy(&bytes));
                    self.put(
                        Target::Obj,
                        &name,
                        &[cut.as_bytes(), b"\0", &library].concat(),
                    );
                }
                "ply" => self.put(Target::Ply, &name, &bytes),
                "stl" => {
                    let mut cut = bytes[..bytes.len().min(84 + 50 * 12)].to_vec();
                    if let Some(count) = cut.get_mut(80..84) {
                        count.copy_from_slice(&12_u32.to_le_bytes());
                    }
                    self.put(Target::Stl, &name, &cut);
                }
                "png" | "jpg" | "webp" => self.put(Target::Picture, &name, &bytes),
                _ => {}
            }
        }
    }

    /// The file, or what is left of it; and what lies compressed in it.
    fn glb(&mut self, name: &str, bytes: &[u8]) {
        let Some((json, bin)) = split(bytes) else {
            return;
        };
        for (index, view) in list(&json, "bufferViews").iter().enumerate() {
            let (start, length) = (number(view, "byteOffset"), number(view, "byteLength"));
            let Some(part) = bin.get(start as usize..(start + length) as usize) else {
                continue;
            };
            let target = match part {
                [b'D', b'R', b'A', b'C', b'O', ..] => Target::Draco,
                [0xAB, b'K', b'T', b'X', ..] => Target::Ktx2,
                [0x89, b'P', b'N', b'G', ..] | [0xFF, 0xD8, ..] | [b'R', b'I', b'F', b'F', ..] => {
                    Target::Picture
                }
                _ => continue,
            };
            self.put(target, &format!("{name}-{index}"), part);
        }
        if bytes.len() <= SEED_BYTES_MAX {
            self.put(Target::Gltf, name, bytes);
        } else {
            self.put(Target::Gltf, &format!("{name}-cut"), &cut(json, bin));
        }
    }
}

fn split(bytes: &[u8]) -> Option<(Value, &[u8])> {
    let word =
        |at: usize| Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?) as usize);
    let json_end = 20 + word(12)?;
    let json = serde_json::from_slice(bytes.get(20..json_end)?).ok()?;
    Some((json, bytes.get(json_end + 8..)?))
}

fn list<'v>(json: &'v Value, key: &str) -> &'v [Value] {
    json[key].as_array().map_or(&[], Vec::as_slice)
}

fn number(value: &Value, key: &str) -> u64 {
    value[key].as_u64().unwrap_or(0)
}

/// The same asset with [`ELEMENTS`] elements of each accessor, indices below 3, small pictures and
/// no animations.
fn cut(mut json: Value, bin: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut views = Vec::new();
    let mut add = |bytes: &[u8]| {
        out.resize(out.len().next_multiple_of(4), 0);
        views.push(json!({"buffer": 0, "byteOffset": out.len(), "byteLength": bytes.len()}));
        out.extend_from_slice(bytes);
        views.len() - 1
    };
    let old_views = list(&json, "bufferViews").to_vec();
    let mut indices = BTreeMap::new();
    for mesh in list(&json, "meshes") {
        for primitive in list(mesh, "primitives") {
            indices.insert(number(primitive, "indices"), ());
        }
    }
    for (at, accessor) in json
        .get_mut("accessors")
        .and_then(Value::as_array_mut)
        .into_iter()
        .flatten()
        .enumerate()
    {
        let count = number(accessor, "count").min(ELEMENTS);
        let size = match accessor["componentType"].as_u64() {
            Some(5120 | 5121) => 1,
            Some(5122 | 5123) => 2,
            _ => 4,
        } * match accessor["type"].as_str() {
            Some("VEC2") => 2,
            Some("VEC3") => 3,
            Some("VEC4") => 4,
            Some("MAT4") => 16,
            _ => 1,
        };
        let Some(view) = accessor["bufferView"]
            .as_u64()
            .and_then(|v| old_views.get(v as usize))
        else {
            continue;
        };
        let stride = number(view, "byteStride").max(size);
        let start = number(view, "byteOffset") + number(accessor, "byteOffset");
        let mut bytes = Vec::new();
        for i in 0..count {
            let from = (start + i * stride) as usize;
            bytes.extend_from_slice(
                bin.get(from..from + size as usize)
                    .unwrap_or(&[0; 64][..size as usize]),
            );
        }
        if indices.contains_key(&(at as u64)) && accessor["type"] == "SCALAR" {
            bytes = (0..count)
                .flat_map(|i| (i % 3).to_le_bytes()[..size as usize].to_vec())
                .collect();
        }
        accessor["count"] = json!(count);
        accessor["byteOffset"] = json!(0);
        accessor["bufferView"] = json!(add(&bytes));
    }
    let picture = add(PNG);
    let images = json.get_mut("images").and_then(Value::as_array_mut);
    for image in images.into_iter().flatten() {
        *image = json!({"bufferView": picture, "mimeType": "image/png"});
    }
    json["bufferViews"] = json!(views);
    json["buffers"] = json!([{"byteLength": out.len()}]);
    if let Some(object) = json.as_object_mut() {
        object.remove("animations");
    }
    glb(&json.to_string(), &out)
}

/// The first elements of each kind, and the faces that use no others.
fn obj(text: &str) -> String {
    const KEPT: usize = 60;
    let mut counts = BTreeMap::new();
    let fits = |line: &str| {
        let mut numbers = line
            .split([' ', '/'])
            .filter_map(|word| word.parse::<usize>().ok());
        numbers.all(|index| index <= KEPT)
    };
    text.lines()
        .filter(|line| {
            let keyword = line.split(' ').next().unwrap_or("");
            let count = counts.entry(keyword.to_owned()).or_insert(0);
            let is_kept = *count < KEPT && (keyword != "f" || fits(line));
            *count += usize::from(is_kept);
            is_kept
        })
        .flat_map(|line| [line, "\n"])
        .collect()
}
