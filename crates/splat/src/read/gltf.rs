//! glTF and GLB with KHR_gaussian_splatting, used or required → planes of all splat primitives of
//! the scene, in world space (y up).
//!
//! Compressed primitives are read under the three names that drafts have used; the SPZ data inside
//! has glTF's own axes. Primitives with surfaces are counted and left to others, and COLOR_0, a
//! fallback for other readers, is ignored. Sparse and meshopt-compressed accessors are refused.

use super::bytes::{check_count, plane, planes, slice, u32_at};
use super::found::Found;
use super::{Format, NamedFiles, Order, ReadError, spz};
use crate::harmonics::coefficients;
use crate::ply_header::Scalar;
use crate::splats::{ColorSpace, Repairs, SplatParts, Splats};
use base64::Engine as _;
use glam::{DAffine3, DMat3, DMat4, DQuat, DVec3};
use serde_json::Value;
use std::collections::BTreeSet;

const NAME: &str = "glTF";
pub(crate) const EXTENSION: &str = "KHR_gaussian_splatting";

/// Names of draft extensions for SPZ in a primitive, in the extension's object or next to it.
const COMPRESSED: [&str; 3] = [
    "KHR_gaussian_splatting_compression_spz_2",
    "KHR_gaussian_splatting_compression_spz",
    "KHR_spz_gaussian_splats_compression",
];

/// Most nodes of a scene.
const NODES_MAX: usize = 1 << 16;

/// Whether a glTF text or GLB file mentions splats.
pub(super) fn has_splats(bytes: &[u8]) -> bool {
    let is_gltf = bytes.starts_with(b"glTF") || bytes.trim_ascii_start().starts_with(b"{");
    let Some(text) = is_gltf.then(|| split(bytes).ok()).flatten().map(|(json, _)| json) else {
        return false;
    };
    let mentions = |name: &str| text.windows(name.len()).any(|window| window == name.as_bytes());
    mentions(EXTENSION) || mentions(COMPRESSED[2])
}

fn broken(reason: impl Into<String>) -> ReadError {
    ReadError::malformed(NAME, reason)
}

/// The JSON and the binary chunk.
fn split(bytes: &[u8]) -> Result<(&[u8], Option<&[u8]>), ReadError> {
    if !bytes.starts_with(b"glTF") {
        return Ok((bytes, None));
    }
    let head = slice(bytes, "GLB", "the header's fields", 0, 20)?;
    if u32_at(head, 4) != 2 {
        return Err(ReadError::unsupported("glTF 1.0", "export it as glTF 2.0"));
    }
    let json_len = u64::from(u32_at(head, 12));
    let json = slice(bytes, "GLB", "the JSON's letters", 20, json_len)?;
    let rest = 20 + json_len;
    let Ok(next) = slice(bytes, "GLB", "a chunk's fields", rest, 8) else {
        return Ok((json, None));
    };
    let binary = slice(bytes, "GLB", "the binary chunk's bytes", rest + 8, u32_at(next, 0).into())?;
    Ok((json, Some(binary)))
}

pub(super) fn read(bytes: &[u8], files: &NamedFiles<'_>) -> Result<Found, ReadError> {
    let (json, binary) = split(bytes)?;
    let json: Value =
        serde_json::from_slice(json).map_err(|reason| broken(format!("its JSON: {reason}")))?;
    let mut document = Document::open(&json, binary, files)?;
    document.file_bytes =
        bytes.len() + document.buffers.iter().map(|buffer| buffer.len()).sum::<usize>();
    let mut scene = Scene::default();
    for (node, world) in placed_nodes(&json)? {
        let Some(mesh) = node.get("mesh").and_then(index) else {
            continue;
        };
        let places = document.instances(node)?.into_iter().map(|instance| world * instance);
        let places: Vec<DAffine3> = places.collect();
        for primitive in list(at(&json, "meshes", mesh)?, "primitives") {
            scene.add(&document, primitive, &places)?;
        }
    }
    let splats = scene.splats.ok_or(ReadError::NotSplats {
        found: "a glTF scene without a primitive of KHR_gaussian_splatting",
    })?;
    let mut found = Found::new(Format::Gltf, splats.into_parts());
    found.antialiased = scene.antialiased;
    found.order = Order::Distance;
    found.other_primitives = scene.other_primitives;
    found.has_degree_4 = scene.has_degree_4;
    found.repairs = scene.repairs;
    Ok(found)
}

#[derive(Default)]
struct Scene {
    splats: Option<Splats>,
    antialiased: Option<bool>,
    other_primitives: usize,
    has_degree_4: bool,
    repairs: Repairs,
}

impl Scene {
    fn add(
        &mut self,
        document: &Document<'_>,
        primitive: &Value,
        places: &[DAffine3],
    ) -> Result<(), ReadError> {
        let extensions = primitive.get("extensions").unwrap_or(&Value::Null);
        let own = extensions.get(EXTENSION);
        let compressed = COMPRESSED.iter().find_map(|&name| {
            let nested =
                own.and_then(|own| own.get("extensions")).and_then(|inner| inner.get(name));
            nested.or_else(|| own.and_then(|own| own.get(name))).or_else(|| extensions.get(name))
        });
        if own.is_none() && compressed.is_none() {
            self.other_primitives += 1;
            return Ok(());
        }
        let own = own.unwrap_or(&Value::Null);
        if let Some(kernel) =
            own.get("kernel").and_then(Value::as_str).filter(|&kernel| kernel != "ellipse")
        {
            return Err(ReadError::unsupported(
                format!("the splat kernel {kernel:?}"),
                "export it with the kernel \"ellipse\"",
            ));
        }
        let mut parts = match compressed {
            Some(extension) => {
                let view = extension
                    .get("bufferView")
                    .and_then(index)
                    .ok_or_else(|| broken("compressed splats without a bufferView"))?;
                let found = spz::read(document.view(view)?)?;
                if found.turn != DMat3::IDENTITY {
                    return Err(ReadError::unsupported(
                        "glTF whose SPZ data have axes of their own",
                        "export it without them",
                    ));
                }
                self.has_degree_4 |= found.has_degree_4;
                self.antialiased = self.antialiased.or(found.antialiased);
                found.splats
            }
            None => {
                let degree_4 = format!("{EXTENSION}:SH_DEGREE_4_COEF_0");
                self.has_degree_4 |=
                    primitive.get("attributes").is_some_and(|all| all.get(degree_4).is_some());
                document.planes(primitive)?
            }
        };
        parts.color_space = match own.get("colorSpace").and_then(Value::as_str) {
            Some("lin_rec709_display") => ColorSpace::Linear,
            None | Some("srgb_rec709_display") => ColorSpace::Display,
            Some(other) => {
                return Err(ReadError::unsupported(
                    format!("the colour space {other:?}"),
                    "export it in \"srgb_rec709_display\"",
                ));
            }
        };
        let (splats, repairs) = Splats::new(parts)?;
        self.repairs.dropped += repairs.dropped;
        self.repairs.rotations_normalized += repairs.rotations_normalized;
        self.repairs.opacities_clamped += repairs.opacities_clamped;
        let before = self.splats.as_ref().map_or(0, Splats::len);
        let total = splats.len().saturating_mul(places.len()).saturating_add(before);
        check_count(total as u64, document.file_bytes)?;
        for place in places {
            let placed = splats.clone().mapped(place).ok_or_else(|| {
                broken("a node flattens its splats or moves them beyond all limits")
            })?;
            self.splats = Some(match self.splats.take() {
                None => placed,
                Some(before) if before.color_space() != placed.color_space() => {
                    return Err(ReadError::unsupported(
                        "a scene whose splats have two colour spaces",
                        "export it with one",
                    ));
                }
                Some(before) => before.joined(placed),
            });
        }
        Ok(())
    }
}

fn index(value: &Value) -> Option<usize> {
    value.as_u64().and_then(|value| usize::try_from(value).ok())
}

fn list<'a>(value: &'a Value, name: &str) -> &'a [Value] {
    value.get(name).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

fn at<'a>(json: &'a Value, name: &str, k: usize) -> Result<&'a Value, ReadError> {
    list(json, name)
        .get(k)
        .ok_or_else(|| broken(format!("it names number {k} of its {name}, which is missing")))
}

/// The nodes of the scene that are shown, each once, with the matrix to the world. One that
/// `KHR_node_visibility` hides takes its children along.
fn placed_nodes(json: &Value) -> Result<Vec<(&Value, DAffine3)>, ReadError> {
    let nodes = list(json, "nodes");
    let scene = json.get("scene").and_then(index).unwrap_or(0);
    let roots: Vec<Value> = match list(json, "scenes").get(scene) {
        Some(scene) => list(scene, "nodes").to_vec(),
        None => {
            let children = nodes.iter().flat_map(|node| list(node, "children")).filter_map(index);
            let children: BTreeSet<usize> = children.collect();
            let roots = (0..nodes.len()).filter(|k| !children.contains(k));
            roots.map(Value::from).collect()
        }
    };
    let mut open: Vec<(usize, DAffine3)> =
        roots.iter().filter_map(index).map(|k| (k, DAffine3::IDENTITY)).collect();
    open.reverse();
    let mut out = Vec::new();
    let mut is_used = vec![false; nodes.len()];
    while let Some((k, parent)) = open.pop() {
        let node = at(json, "nodes", k)?;
        if std::mem::replace(&mut is_used[k], true) || out.len() >= NODES_MAX {
            return Err(broken("its nodes are no tree, or too many"));
        }
        let is_hidden = node.pointer("/extensions/KHR_node_visibility/visible");
        if is_hidden == Some(&Value::Bool(false)) {
            continue;
        }
        let world = parent * local(node);
        open.extend(
            list(node, "children").iter().rev().filter_map(index).map(|child| (child, world)),
        );
        out.push((node, world));
    }
    Ok(out)
}

fn numbers<const N: usize>(node: &Value, name: &str, default: [f64; N]) -> [f64; N] {
    let found: Vec<f64> = list(node, name).iter().filter_map(Value::as_f64).collect();
    found[..].try_into().unwrap_or(default)
}

/// A quaternion as written; zero turns nothing.
fn unit(quaternion: [f64; 4]) -> DQuat {
    let rotation = DQuat::from_array(quaternion);
    if rotation.length_squared() > 0.0 { rotation.normalize() } else { DQuat::IDENTITY }
}

fn local(node: &Value) -> DAffine3 {
    if node.get("matrix").is_some() {
        return DAffine3::from_mat4(DMat4::from_cols_array(&numbers(
            node,
            "matrix",
            DMat4::IDENTITY.to_cols_array(),
        )));
    }
    DAffine3::from_scale_rotation_translation(
        DVec3::from(numbers(node, "scale", [1.0; 3])),
        unit(numbers(node, "rotation", [0.0, 0.0, 0.0, 1.0])),
        DVec3::from(numbers(node, "translation", [0.0; 3])),
    )
}

struct Document<'a> {
    json: &'a Value,
    buffers: Vec<std::borrow::Cow<'a, [u8]>>,
    file_bytes: usize,
}

/// Components of an accessor as numbers.
struct Accessor<'a> {
    bytes: &'a [u8],
    count: usize,
    stride: usize,
    scalar: Scalar,
    /// The integer that means 1, where integers are normalised; else 1.
    full: f64,
}

impl Accessor<'_> {
    #[inline]
    fn get(&self, i: usize, component: usize) -> f32 {
        let at = i * self.stride + component * self.scalar.size();
        let value = self.scalar.number(&self.bytes[at..], false) / self.full;
        (if self.full > 1.0 { value.max(-1.0) } else { value }) as f32
    }
}

impl<'a> Document<'a> {
    fn open(
        json: &'a Value,
        binary: Option<&'a [u8]>,
        files: &NamedFiles<'_>,
    ) -> Result<Self, ReadError> {
        let mut buffers = Vec::new();
        for (k, buffer) in list(json, "buffers").iter().enumerate() {
            buffers.push(match (buffer.get("uri").and_then(Value::as_str), binary) {
                (None, Some(binary)) if k == 0 => binary.into(),
                (None, _) => return Err(broken("a buffer without a file")),
                (Some(uri), _) => {
                    match uri.strip_prefix("data:").and_then(|data| data.split_once(";base64,")) {
                        Some((_, text)) => {
                            let bytes = base64::engine::general_purpose::STANDARD.decode(text);
                            bytes.map_err(|_| broken("a buffer's base64 text is broken"))?.into()
                        }
                        None => files(uri)?.into(),
                    }
                }
            });
        }
        Ok(Self { json, buffers, file_bytes: 0 })
    }

    fn view(&self, k: usize) -> Result<&[u8], ReadError> {
        let view = at(self.json, "bufferViews", k)?;
        let extensions = view.get("extensions").and_then(Value::as_object);
        if extensions.is_some_and(|all| all.keys().any(|name| name.contains("meshopt"))) {
            return Err(ReadError::unsupported(
                "meshopt compression of splats",
                "export it without compression",
            ));
        }
        let number = |name: &str| view.get(name).and_then(Value::as_u64);
        let buffer = number("buffer")
            .and_then(|k| self.buffers.get(k as usize))
            .ok_or_else(|| broken("a view of a missing buffer"))?;
        slice(
            buffer,
            NAME,
            "a view's bytes",
            number("byteOffset").unwrap_or(0),
            number("byteLength").unwrap_or(0),
        )
    }

    fn accessor(&self, k: usize, components: usize) -> Result<Accessor<'_>, ReadError> {
        let accessor = at(self.json, "accessors", k)?;
        if accessor.get("sparse").is_some() {
            return Err(ReadError::unsupported(
                "a sparse accessor of splats",
                "export it without sparse accessors",
            ));
        }
        let number = |name: &str| accessor.get(name).and_then(Value::as_u64);
        let kind = accessor.get("type").and_then(Value::as_str).unwrap_or_default();
        if kind != ["SCALAR", "", "VEC3", "VEC4"][components - 1] {
            return Err(broken(format!("an accessor of splats has the type {kind:?}")));
        }
        let (scalar, max) = match number("componentType") {
            Some(5120) => (Scalar::I8, 127.0),
            Some(5121) => (Scalar::U8, 255.0),
            Some(5122) => (Scalar::I16, 32767.0),
            Some(5123) => (Scalar::U16, 65535.0),
            Some(5126) => (Scalar::F32, 1.0),
            _ => {
                return Err(broken("an accessor of splats with an unexpected type of component"));
            }
        };
        let is_normalized = accessor.get("normalized").and_then(Value::as_bool).unwrap_or(false);
        let view_index = accessor
            .get("bufferView")
            .and_then(index)
            .ok_or_else(|| broken("an accessor of splats without data"))?;
        let size = (components * scalar.size()) as u64;
        let stride = at(self.json, "bufferViews", view_index)?
            .get("byteStride")
            .and_then(Value::as_u64)
            .unwrap_or(size)
            .max(size);
        let count = check_count(number("count").unwrap_or(0), self.file_bytes)?;
        let needed = (count as u64)
            .saturating_sub(1)
            .saturating_mul(stride)
            .saturating_add(if count == 0 { 0 } else { size });
        let bytes = slice(
            self.view(view_index)?,
            NAME,
            "an accessor's numbers",
            number("byteOffset").unwrap_or(0),
            needed,
        )?;
        Ok(Accessor {
            bytes,
            count,
            stride: stride as usize,
            scalar,
            full: if is_normalized { max } else { 1.0 },
        })
    }

    /// The places of a node's copies by `EXT_mesh_gpu_instancing`; a single identity without it.
    fn instances(&self, node: &Value) -> Result<Vec<DAffine3>, ReadError> {
        let Some(attributes) = node.pointer("/extensions/EXT_mesh_gpu_instancing/attributes")
        else {
            return Ok(vec![DAffine3::IDENTITY]);
        };
        let read = |name: &str, components: usize| {
            let named = attributes.get(name).and_then(index);
            named.map(|k| self.accessor(k, components)).transpose()
        };
        let [translation, rotation, scale] =
            [read("TRANSLATION", 3)?, read("ROTATION", 4)?, read("SCALE", 3)?];
        let mut counts = [&translation, &rotation, &scale].into_iter().flatten().map(|a| a.count);
        let count = counts.next().ok_or_else(|| broken("instances without a place"))?;
        if counts.any(|other| other != count) {
            return Err(broken("attributes of instances with different counts"));
        }
        let vector = |accessor: &Option<Accessor<'_>>, i, otherwise| {
            let number = |a: &Accessor<'_>, axis| f64::from(a.get(i, axis));
            accessor.as_ref().map_or(otherwise, |a| DVec3::from([0, 1, 2].map(|k| number(a, k))))
        };
        let place = |i| {
            let quaternion = |a: &Accessor<'_>| [0, 1, 2, 3].map(|k| f64::from(a.get(i, k)));
            let turn = rotation.as_ref().map_or([0.0, 0.0, 0.0, 1.0], quaternion);
            DAffine3::from_scale_rotation_translation(
                vector(&scale, i, DVec3::ONE),
                unit(turn),
                vector(&translation, i, DVec3::ZERO),
            )
        };
        Ok((0..count).map(place).collect())
    }

    fn planes(&self, primitive: &Value) -> Result<SplatParts, ReadError> {
        let attributes = primitive.get("attributes").unwrap_or(&Value::Null);
        let has = |name: &str| attributes.get(format!("{EXTENSION}:{name}")).is_some();
        let mut count = None;
        let mut need = |name: &str, components: usize| -> Result<Accessor<'_>, ReadError> {
            let found = attributes
                .get(name)
                .and_then(index)
                .ok_or_else(|| broken(format!("splats without the attribute {name}")))?;
            let accessor = self.accessor(found, components)?;
            if *count.get_or_insert(accessor.count) != accessor.count {
                return Err(broken("attributes of splats with different counts"));
            }
            Ok(accessor)
        };
        let own = |name: &str| format!("{EXTENSION}:{name}");
        let position = need("POSITION", 3)?;
        let rotation = need(&own("ROTATION"), 4)?;
        let scale = need(&own("SCALE"), 3)?;
        let opacity = need(&own("OPACITY"), 1)?;
        let mut harmonics = vec![need(&own("SH_DEGREE_0_COEF_0"), 3)?];
        for degree in (1..=3).take_while(|degree| has(&format!("SH_DEGREE_{degree}_COEF_0"))) {
            for k in 0..coefficients(degree) - coefficients(degree - 1) {
                harmonics.push(need(&own(&format!("SH_DEGREE_{degree}_COEF_{k}")), 3)?);
            }
        }
        let count = position.count;
        Ok(SplatParts {
            position: planes(count, |i, axis| position.get(i, axis)),
            scale: planes(count, |i, axis| scale.get(i, axis)),
            rotation: planes(count, |i, axis| rotation.get(i, (axis + 3) % 4)), // x y z w → w x y z
            opacity: plane(count, |i| opacity.get(i, 0)),
            harmonics: harmonics
                .iter()
                .flat_map(|accessor| planes::<3>(count, |i, c| accessor.get(i, c)))
                .collect(),
            ..SplatParts::default()
        })
    }
}
