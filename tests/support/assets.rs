//! Files of the repository, and small assets built in a temporary folder.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use meshjudge::unstable::load::{LoadError, Loaded, Options, load};
use meshjudge::unstable::scene::{Mesh, Scene};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A file of the demo.
pub fn demo(name: &str) -> PathBuf {
    repository("assets/demo").join(name)
}

/// A loaded asset of the demo.
pub fn demo_scene(name: &str) -> Arc<Scene> {
    load(&demo(name), &Options::default()).unwrap().scene
}

/// A file or folder of the repository.
pub fn repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// A small tetrahedron as OBJ; of height 1 its three edges at the origin are the axes.
pub fn tetrahedron(height: f32) -> String {
    format!("v 0 0 0\nv 1 0 0\nv 0 {height} 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n")
}

/// The unit cube as OBJ.
pub const CUBE: &str = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\nf 4 3 2 1\nf 5 6 7 8\nf 1 2 6 5\nf 3 4 8 7\nf 2 3 7 6\nf 1 5 8 4\n";

/// A folder with two assets, `a.obj` and the taller `b.obj`.
pub fn two_assets() -> Folder {
    tetrahedra(&[("a.obj", 1.0), ("b.obj", 3.0)])
}

/// A folder with tetrahedra of these names and heights.
pub fn tetrahedra(files: &[(&str, f32)]) -> Folder {
    let folder = Folder::new();
    for (name, height) in files {
        folder.write(name, tetrahedron(*height));
    }
    folder
}

/// A folder that goes when this goes.
pub struct Folder {
    pub dir: tempfile::TempDir,
}

impl Folder {
    pub fn new() -> Self {
        Self { dir: tempfile::tempdir().unwrap() }
    }

    pub fn write(&self, name: impl AsRef<Path>, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, bytes).unwrap();
        path
    }

    pub fn load(&self, name: &str, bytes: impl AsRef<[u8]>) -> Result<Loaded, LoadError> {
        load(&self.write(name, bytes), &Options::default())
    }

    pub fn path(&self) -> &Path {
        self.dir.path()
    }

    #[track_caller]
    pub fn bytes(&self, name: impl AsRef<Path>) -> Vec<u8> {
        let path = self.join(name);
        std::fs::read(&path).unwrap_or_else(|e| panic!("{e}: {path:?}"))
    }

    #[track_caller]
    pub fn read(&self, name: impl AsRef<Path>) -> String {
        String::from_utf8(self.bytes(name)).unwrap()
    }

    #[track_caller]
    pub fn json(&self, name: impl AsRef<Path>) -> Value {
        serde_json::from_str(&self.read(name)).unwrap()
    }

    /// Replaces a text in a file, which must have it.
    #[track_caller]
    pub fn edit(&self, name: &str, from: &str, to: &str) {
        let text = self.read(name);
        assert!(text.contains(from), "no {from:?} in:\n{text}");
        self.write(name, text.replace(from, to));
    }

    /// The names of the files and folders in a folder, sorted.
    #[track_caller]
    pub fn names(&self, folder: &str) -> Vec<String> {
        let entries = std::fs::read_dir(self.join(folder)).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<String> = names.collect();
        names.sort();
        names
    }

    /// All files in a folder and the folders below it, sorted.
    pub fn files(&self, folder: impl AsRef<Path>) -> Vec<PathBuf> {
        files(&self.join(folder))
    }

    pub fn remove(&self, name: impl AsRef<Path>) {
        std::fs::remove_file(self.join(name)).unwrap();
    }

    pub fn rename(&self, from: &str, to: &str) {
        self.write(to, self.bytes(from));
        self.remove(from);
    }

    /// Copies a file of any folder here.
    pub fn copy(&self, from: impl AsRef<Path>, name: impl AsRef<Path>) -> PathBuf {
        self.write(name, std::fs::read(from).unwrap())
    }
}

impl std::ops::Deref for Folder {
    type Target = Path;

    fn deref(&self) -> &Path {
        self.dir.path()
    }
}

/// This file, or all in this folder and the folders below it, sorted.
pub fn files(path: &Path) -> Vec<PathBuf> {
    if path.is_file() {
        return vec![path.to_owned()];
    }
    let entries = std::fs::read_dir(path).unwrap_or_else(|e| panic!("{e}: {path:?}"));
    let mut entries: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    entries.iter().flat_map(|path| files(path)).collect()
}

/// A glTF file in the making: JSON and one buffer.
pub struct Builder {
    pub json: Value,
    pub bin: Vec<u8>,
}

pub const F32: u32 = 5126;
pub const U32: u32 = 5125;
pub const U16: u32 = 5123;
pub const I16: u32 = 5122;
pub const U8: u32 = 5121;
pub const I8: u32 = 5120;

impl Builder {
    /// No accessors yet; one node with mesh 0, which has no primitive.
    pub fn new() -> Self {
        Self {
            json: json!({
                "asset": {"version": "2.0"},
                "scene": 0,
                "scenes": [{"nodes": [0]}],
                "nodes": [{"mesh": 0}],
                "meshes": [{"primitives": []}],
                "accessors": [],
                "bufferViews": [],
            }),
            bin: Vec::new(),
        }
    }

    /// One right triangle in the z = 0 plane as primitive 0: (0,0) (1,0) (0,1), indices u16.
    pub fn triangle() -> Self {
        let mut builder = Self::new();
        let positions = builder.floats("VEC3", &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0]);
        let indices = builder.accessor(U16, "SCALAR", 3, &bytes_u16(&[0, 1, 2]));
        builder.primitive(json!({"attributes": {"POSITION": positions}, "indices": indices}));
        builder
    }

    pub fn primitive(&mut self, primitive: Value) {
        let list = &mut self.json["meshes"][0]["primitives"];
        list.as_array_mut().unwrap().push(primitive);
    }

    /// Appends bytes as a buffer view.
    pub fn view(&mut self, bytes: &[u8]) -> usize {
        while !self.bin.len().is_multiple_of(4) {
            self.bin.push(0);
        }
        let offset = self.bin.len();
        self.bin.extend_from_slice(bytes);
        self.push(
            "bufferViews",
            json!({"buffer": 0, "byteOffset": offset, "byteLength": bytes.len()}),
        )
    }

    pub fn push(&mut self, list: &str, value: Value) -> usize {
        if self.json.get(list).is_none() {
            self.json[list] = json!([]);
        }
        let list = self.json[list].as_array_mut().unwrap();
        list.push(value);
        list.len() - 1
    }

    pub fn accessor(&mut self, component: u32, kind: &str, count: usize, bytes: &[u8]) -> usize {
        let view = self.view(bytes);
        self.push(
            "accessors",
            json!({"bufferView": view, "componentType": component, "type": kind, "count": count}),
        )
    }

    pub fn floats(&mut self, kind: &str, values: &[f32]) -> usize {
        let components = match kind {
            "SCALAR" => 1,
            "VEC2" => 2,
            "VEC3" => 3,
            "VEC4" => 4,
            _ => 16,
        };
        let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        self.accessor(F32, kind, values.len() / components, &bytes)
    }

    pub fn glb(&self) -> Vec<u8> {
        let mut json = self.json.clone();
        json["buffers"] = json!([{"byteLength": self.bin.len()}]);
        glb(&serde_json::to_vec(&json).unwrap(), &self.bin)
    }

    pub fn load(&self) -> Result<Loaded, LoadError> {
        Folder::new().load("a.glb", self.glb())
    }

    pub fn load_with(&self, options: &Options) -> Result<Loaded, LoadError> {
        let folder = Folder::new();
        load(&folder.write("a.glb", self.glb()), options)
    }
}

pub fn bytes_u16(values: &[u16]) -> Vec<u8> {
    values.iter().flat_map(|v| v.to_le_bytes()).collect()
}

pub fn glb(json: &[u8], bin: &[u8]) -> Vec<u8> {
    let pad = |bytes: &[u8], with: u8| {
        let mut bytes = bytes.to_vec();
        bytes.resize(bytes.len().next_multiple_of(4), with);
        bytes
    };
    let (json, bin) = (pad(json, b' '), pad(bin, 0));
    let mut out = b"glTF".to_vec();
    out.extend(2_u32.to_le_bytes());
    out.extend((28 + json.len() as u32 + bin.len() as u32).to_le_bytes());
    out.extend((json.len() as u32).to_le_bytes());
    out.extend(b"JSON");
    out.extend(json);
    out.extend((bin.len() as u32).to_le_bytes());
    out.extend(b"BIN\0");
    out.extend(bin);
    out
}

/// An RGBA PNG.
pub fn png(width_px: u32, height_px: u32, texels: &[[u8; 4]]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut encoder = png::Encoder::new(&mut out, width_px, height_px);
    encoder.set_color(png::ColorType::Rgba);
    let mut writer = encoder.write_header().unwrap();
    writer.write_image_data(&texels.concat()).unwrap();
    writer.finish().unwrap();
    out
}

/// How pictures are prepared for a small network, as its configuration file says it.
pub fn preprocessing() -> String {
    let config = json!({
        "do_resize": true, "size": { "height": 32, "width": 32 }, "resample": 3, "do_rescale": true,
        "do_normalize": true, "image_mean": [0.5, 0.5, 0.5], "image_std": [0.25, 0.25, 0.25]
    });
    config.to_string()
}

/// The check sum of a PNG's chunk.
pub fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0, |crc, &byte| {
        (0..8).fold(crc ^ u32::from(byte), |c, _| {
            (c >> 1) ^ (0xEDB8_8320 & (0_u32.wrapping_sub(c & 1)))
        })
    })
}

/// The corners of every triangle.
pub fn corners(mesh: &Mesh) -> Vec<[glam::Vec3; 3]> {
    let at = |&t: &[u32; 3]| t.map(|v| mesh.positions()[v as usize]);
    mesh.triangles().iter().map(at).collect()
}

/// A wedge, tall along `y` and pointed towards `z`; `turned` writes it with z up and −y to the
/// front.
pub fn write_wedge(path: &Path, turned: bool) {
    let corners = [(0.0, 2.0, 0.0), (0.5, 0.0, 0.0), (-0.5, 0.0, 0.0), (0.1, 0.3, 0.8)];
    let mut text = String::new();
    for (x, y, z) in corners {
        let (x, y, z) = if turned { (x, -z, y) } else { (x, y, z) };
        text += &format!("v {x} {y} {z}\n");
    }
    text += "f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
    std::fs::write(path, text).unwrap();
}

/// Splats on a sphere of this radius in the axes of such files (y down): red below, blue above in
/// the picture. One floater is far away.
pub fn splat_sphere(radius: f64) -> String {
    const COUNT: usize = 1500;
    let names = [
        "x", "y", "z", "f_dc_0", "f_dc_1", "f_dc_2", "opacity", "scale_0", "scale_1", "scale_2",
        "rot_0", "rot_1", "rot_2", "rot_3",
    ];
    let mut text = format!("ply\nformat ascii 1.0\nelement vertex {}\n", COUNT + 1);
    for name in names {
        writeln!(text, "property float {name}").unwrap();
    }
    text += "end_header\n";
    for k in 0..COUNT {
        let y = 1.0 - 2.0 * (k as f64 + 0.5) / COUNT as f64;
        let (ring, turn) = ((1.0 - y * y).sqrt(), k as f64 * 2.399_963);
        let at = [ring * libm::cos(turn), y, ring * libm::sin(turn)].map(|v| v * radius);
        let color = if y > 0.0 { "1.7 -1.7 -1.7" } else { "-1.7 -1.7 1.7" };
        let size = libm::log(0.03 * radius);
        writeln!(text, "{} {} {} {color} 4 {size} {size} {size} 2 0 0 0", at[0], at[1], at[2])
            .unwrap();
    }
    text + "900 0 0 0 0 0 4 -3 -3 -3 1 0 0 0\n"
}

/// The same splats of radius 1, without the floater, as glTF with a green board of edge 3 at z =
/// 0.5, seen from both sides.
pub fn splats_with_a_board() -> String {
    let text = splat_sphere(1.0);
    let rows = text.lines().skip_while(|line| *line != "end_header").skip(1).take(1500);
    let rows = rows.map(|row| row.split(' ').map(|v| v.parse::<f32>().unwrap()).collect());
    let rows: Vec<Vec<f32>> = rows.collect();
    let of = |number: fn(&[f32]) -> Vec<f32>| rows.iter().flat_map(|row| number(row)).collect();
    let columns: [(&str, &str, Vec<f32>); 6] = [
        ("POSITION", "VEC3", of(|row| row[..3].to_vec())),
        ("KHR_gaussian_splatting:ROTATION", "VEC4", of(|_| vec![0.0, 0.0, 0.0, 1.0])),
        (
            "KHR_gaussian_splatting:SCALE",
            "VEC3",
            of(|row| row[7..10].iter().map(|v| libm::expf(*v)).collect()),
        ),
        (
            "KHR_gaussian_splatting:OPACITY",
            "SCALAR",
            of(|row| vec![1.0 / (1.0 + libm::expf(-row[6]))]),
        ),
        ("KHR_gaussian_splatting:SH_DEGREE_0_COEF_0", "VEC3", of(|row| row[3..6].to_vec())),
        (
            "board",
            "VEC3",
            [[-1.5, -1.5], [1.5, -1.5], [1.5, 1.5], [-1.5, -1.5], [1.5, 1.5], [-1.5, 1.5]]
                .iter()
                .flat_map(|[x, y]| [*x, *y, 0.5])
                .collect(),
        ),
    ];
    let (mut bytes, mut views, mut accessors) = (Vec::new(), Vec::new(), Vec::new());
    for (name, kind, values) in &columns {
        let start = bytes.len();
        bytes.extend(values.iter().flat_map(|v| v.to_le_bytes()));
        views.push(json!({"buffer": 0, "byteOffset": start, "byteLength": bytes.len() - start}));
        let count = if *name == "board" { 6 } else { rows.len() };
        accessors.push(json!({"bufferView": accessors.len(), "componentType": 5126, "count": count, "type": kind,
            "min": [-1.5, -1.5, -1.5], "max": [1.5, 1.5, 1.5]}));
    }
    let attributes: serde_json::Map<String, Value> = columns[..5]
        .iter()
        .zip(0..)
        .map(|((name, ..), k): (_, usize)| ((*name).to_owned(), k.into()))
        .collect();
    let uri = format!("data:application/octet-stream;base64,{}", STANDARD.encode(&bytes));
    json!({
        "asset": {"version": "2.0"},
        "extensionsUsed": ["KHR_gaussian_splatting", "KHR_materials_unlit"],
        "scene": 0, "scenes": [{"nodes": [0]}], "nodes": [{"mesh": 0}],
        "materials": [{"doubleSided": true, "pbrMetallicRoughness": {"baseColorFactor": [0, 1, 0, 1]}, "extensions": {"KHR_materials_unlit": {}}}],
        "meshes": [{"primitives": [
            {"mode": 0, "attributes": attributes, "extensions": {"KHR_gaussian_splatting": {"kernel": "ellipse", "colorSpace": "srgb_rec709_display"}}},
            {"attributes": {"POSITION": 5}, "material": 0},
        ]}],
        "buffers": [{"uri": uri, "byteLength": bytes.len()}], "bufferViews": views, "accessors": accessors,
    })
    .to_string()
}
