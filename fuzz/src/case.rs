//! An input of a fuzz target → the files of an asset → what the loader says of it. Shared by the
//! targets and by `tests/load_corpus.rs`.
//!
//! Streams inside a glTF file (Draco, meshopt, KTX2, pictures) are wrapped in the smallest
//! container that leads to their decoder, so that no byte of an input is spent on the container.

use meshjudge_load::{Choices, LoadError, Loaded, Options, load_asset};
use meshjudge_scene::{Asset, ViewScale};
use meshjudge_splat::{read, write};
use std::path::{Path, PathBuf};

/// What an input is taken for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// A `.glb` or the text of a `.gltf`, beside a buffer `a.bin` and a picture `a.png`.
    Gltf,
    /// A Draco stream.
    Draco,
    /// [`MESHOPT_HEAD_BYTES`] that say how, then a meshopt stream.
    Meshopt,
    /// A `.ktx2` picture.
    Ktx2,
    /// A PNG, JPEG or WebP picture.
    Picture,
    /// An OBJ file, and after a zero byte its `a.mtl`, beside a picture `a.png`.
    Obj,
    /// A PLY file, beside a picture `a.png`.
    Ply,
    /// An STL file.
    Stl,
    /// An SPZ file, gzipped or plain. Splats in PLY and glTF are those targets' business.
    Spz,
    /// The `meta.json` of a SOG folder, and after a zero byte its picture `a.webp`.
    Sog,
    /// A `.splat` file.
    Splat,
}

/// Mode + 3 × filter, stride, count (two bytes) and the power of two that multiplies it.
pub const MESHOPT_HEAD_BYTES: usize = 5;

impl Target {
    /// All of them.
    pub const ALL: [Self; 11] = [
        Self::Gltf,
        Self::Draco,
        Self::Meshopt,
        Self::Ktx2,
        Self::Picture,
        Self::Obj,
        Self::Ply,
        Self::Stl,
        Self::Spz,
        Self::Sog,
        Self::Splat,
    ];

    /// As its program and its folders are called.
    pub fn name(self) -> &'static str {
        match self {
            Self::Gltf => "gltf",
            Self::Draco => "draco",
            Self::Meshopt => "meshopt",
            Self::Ktx2 => "ktx2",
            Self::Picture => "picture",
            Self::Obj => "obj",
            Self::Ply => "ply",
            Self::Stl => "stl",
            Self::Spz => "spz",
            Self::Sog => "sog",
            Self::Splat => "splat",
        }
    }
}

/// 2×2 texels, RGBA.
pub const PNG: &[u8] = include_bytes!("a.png");

/// Loads `input` from files in `folder`, which is the caller's own.
///
/// # Errors
/// The loader's.
///
/// # Panics
/// When the files cannot be written.
pub fn load_in(folder: &Path, target: Target, input: &[u8]) -> Result<Loaded<Asset>, LoadError> {
    let write = |name: &str, bytes: &[u8]| -> PathBuf {
        let path = folder.join(name);
        std::fs::write(&path, bytes).expect("the folder for fuzzing can be written");
        path
    };
    let path = match target {
        Target::Gltf => {
            beside(folder, "a.bin", &[0x3F; 256]);
            beside(folder, "a.png", PNG);
            write("a.gltf", input)
        }
        Target::Draco => write("a.glb", &draco(input)),
        Target::Meshopt => write("a.glb", &meshopt(input)),
        Target::Ktx2 | Target::Picture => write("a.glb", &picture(input)),
        Target::Obj => {
            beside(folder, "a.png", PNG);
            let (obj, mtl) = halves(input);
            write("a.mtl", mtl);
            write("a.obj", obj)
        }
        Target::Ply => {
            beside(folder, "a.png", PNG);
            write("a.ply", input)
        }
        Target::Stl => write("a.stl", input),
        Target::Spz => write("a.spz", input),
        Target::Sog => {
            let (meta, picture) = halves(input);
            write("a.webp", picture);
            write("meta.json", meta)
        }
        Target::Splat => write("a.splat", input),
    };
    // Small pictures from afar: what large textures are kept of is found as well.
    let view_scale = ViewScale { pixels_per_radius: 64.0, distance: 3.0 };
    let loaded = load_asset(&path, &Options::default(), Choices::at(Some(&view_scale)))?;
    if let Asset::Splats(splats) = &loaded.scene {
        write_again(splats.read());
    }
    Ok(loaded)
}

/// What we write of splats, we read.
fn write_again(splats: &read::Loaded) {
    for (name, encoding) in [
        ("a.ply", write::Target::Ply),
        ("a.spz", write::Target::Spz),
        ("a.glb", write::Target::Glb),
    ] {
        let Ok(written) = write::write(splats, encoding) else { continue };
        let no_files = |name: &str| Err(read::ReadError::Missing { name: name.to_owned() });
        let again = read::read(&written.bytes, Path::new(name), read::Axes::Usual, &no_files)
            .unwrap_or_else(|e| panic!("{name}: {e}"));
        assert_eq!(again.splats.len(), splats.splats.len(), "{name}");
    }
}

/// Up to the first zero byte, and after it.
fn halves(input: &[u8]) -> (&[u8], &[u8]) {
    let mut parts = input.splitn(2, |&byte| byte == 0);
    (parts.next().unwrap_or_default(), parts.next().unwrap_or_default())
}

/// A file that is the same for every input, written once.
fn beside(folder: &Path, name: &str, bytes: &[u8]) {
    let path = folder.join(name);
    if !path.exists() {
        std::fs::write(path, bytes).expect("the folder for fuzzing can be written");
    }
}

/// A GLB of a JSON text and one buffer.
pub fn glb(json: &str, bin: &[u8]) -> Vec<u8> {
    let (json_bytes, bin_bytes) = (json.len().next_multiple_of(4), bin.len().next_multiple_of(4));
    let total = 28 + json_bytes + bin_bytes;
    let mut out = Vec::with_capacity(total);
    out.extend_from_slice(b"glTF\x02\0\0\0");
    out.extend_from_slice(&(total as u32).to_le_bytes());
    out.extend_from_slice(&(json_bytes as u32).to_le_bytes());
    out.extend_from_slice(b"JSON");
    out.extend_from_slice(json.as_bytes());
    out.resize(20 + json_bytes, b' ');
    out.extend_from_slice(&(bin_bytes as u32).to_le_bytes());
    out.extend_from_slice(b"BIN\0");
    out.extend_from_slice(bin);
    out.resize(total, 0);
    out
}

/// A primitive whose accessors have no data but what the stream gives.
fn draco(stream: &[u8]) -> Vec<u8> {
    let json = format!(
        r#"{{"asset":{{"version":"2.0"}},"nodes":[{{"mesh":0}}],"buffers":[{{"byteLength":{length}}}],"bufferViews":[{{"buffer":0,"byteLength":{length}}}],
"accessors":[{{"componentType":5126,"type":"VEC3","count":1}},{{"componentType":5126,"type":"VEC3","count":1}},{{"componentType":5126,"type":"VEC2","count":1}},
{{"componentType":5121,"type":"VEC4","count":1,"normalized":true}},{{"componentType":5123,"type":"SCALAR","count":3}}],
"meshes":[{{"primitives":[{{"attributes":{{"POSITION":0}},"indices":4,"extensions":{{"KHR_draco_mesh_compression":{{"bufferView":0,"attributes":{{"POSITION":0}}}}}}}},
{{"attributes":{{"POSITION":0,"NORMAL":1,"TEXCOORD_0":2,"COLOR_0":3}},"indices":4,
"extensions":{{"KHR_draco_mesh_compression":{{"bufferView":0,"attributes":{{"POSITION":0,"NORMAL":1,"TEXCOORD_0":2,"COLOR_0":3}}}}}}}}]}}]}}"#,
        length = stream.len(),
    );
    glb(&json, stream)
}

/// A compressed buffer view that is the positions (as bytes) or the indices of a primitive.
fn meshopt(input: &[u8]) -> Vec<u8> {
    let (&[how, stride, low, high, exponent], stream) =
        input.split_first_chunk::<MESHOPT_HEAD_BYTES>().unwrap_or((&[0; MESHOPT_HEAD_BYTES], &[]));
    let mode = ["ATTRIBUTES", "TRIANGLES", "INDICES"][usize::from(how) % 3];
    let filter =
        ["NONE", "OCTAHEDRAL", "QUATERNION", "EXPONENTIAL", "COLOR"][usize::from(how) / 3 % 5];
    let mut count = u64::from(u16::from_le_bytes([low, high])) << (exponent % 16);
    let (stride, accessor) = if mode == "ATTRIBUTES" {
        let accessor =
            r#"{"bufferView":0,"componentType":5120,"type":"VEC3","normalized":true,"count":"#;
        (u64::from(stride) % 65 * 4, accessor)
    } else {
        let accessor = match stride % 2 {
            0 => r#"{"bufferView":0,"componentType":5123,"type":"SCALAR","count":"#,
            _ => r#"{"bufferView":0,"componentType":5125,"type":"SCALAR","count":"#,
        };
        count = count / 3 * 3;
        (u64::from(stride) % 2 * 2 + 2, accessor)
    };
    let primitive = match mode {
        "ATTRIBUTES" => r#"{"attributes":{"POSITION":0}}"#,
        _ => r#"{"attributes":{"POSITION":1},"indices":0}"#,
    };
    let step = match mode {
        "ATTRIBUTES" => format!(r#","byteStride":{stride}"#),
        _ => String::new(),
    };
    let json = format!(
        r#"{{"asset":{{"version":"2.0"}},"nodes":[{{"mesh":0}}],"buffers":[{{"byteLength":{length}}},{{"byteLength":{decoded}}}],
"bufferViews":[{{"buffer":1,"byteLength":{decoded}{step},"extensions":{{"KHR_meshopt_compression":
{{"buffer":0,"byteLength":{length},"byteStride":{stride},"count":{count},"mode":"{mode}","filter":"{filter}"}}}}}}],
"accessors":[{accessor}{count}}},{{"componentType":5126,"type":"VEC3","count":65536}}],"meshes":[{{"primitives":[{primitive}]}}]}}"#,
        length = stream.len(),
        decoded = count * stride,
    );
    glb(&json, stream)
}

/// A triangle with a picture on it, as base colour and as roughness.
fn picture(bytes: &[u8]) -> Vec<u8> {
    let corners: [f32; 15] = [
        0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, // positions
        0.0, 0.0, 1.0, 0.0, 0.0, 1.0, // texture coordinates
    ];
    let mut bin: Vec<u8> = corners.iter().flat_map(|v| v.to_le_bytes()).collect();
    bin.extend_from_slice(bytes);
    let json = format!(
        r#"{{"asset":{{"version":"2.0"}},"nodes":[{{"mesh":0}}],"buffers":[{{"byteLength":{all}}}],
"bufferViews":[{{"buffer":0,"byteLength":36}},{{"buffer":0,"byteOffset":36,"byteLength":24}},{{"buffer":0,"byteOffset":60,"byteLength":{length}}}],
"accessors":[{{"bufferView":0,"componentType":5126,"type":"VEC3","count":3}},{{"bufferView":1,"componentType":5126,"type":"VEC2","count":3}}],
"images":[{{"bufferView":2}}],"textures":[{{"source":0}}],
"materials":[{{"pbrMetallicRoughness":{{"baseColorTexture":{{"index":0}},"metallicRoughnessTexture":{{"index":0}}}}}}],
"meshes":[{{"primitives":[{{"attributes":{{"POSITION":0,"TEXCOORD_0":1}},"material":0}}]}}]}}"#,
        all = bin.len(),
        length = bytes.len(),
    );
    glb(&json, &bin)
}
