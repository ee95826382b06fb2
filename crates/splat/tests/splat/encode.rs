//! A scene in every encoding, from the formats' descriptions: small test fixtures without files.

use std::io::Write as _;

/// A scene of splats, as 3DGS PLY has them.
#[derive(Clone)]
pub(crate) struct Source {
    pub(crate) position: [f32; 3],
    pub(crate) log_scale: [f32; 3],
    /// w, x, y, z.
    pub(crate) rotation: [f32; 4],
    pub(crate) opacity: f32,
    /// Red, green, blue of each coefficient.
    pub(crate) harmonics: Vec<[f32; 3]>,
}

/// Numbers from −1 to 1 that look random.
pub(crate) fn noise(k: usize) -> f32 {
    let bits = (k as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let bits = (bits ^ bits >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    ((bits >> 40) as f64 / f64::from(1 << 23) - 1.0) as f32
}

/// Splats in a ball, with quaternions of length 1.
pub(crate) fn scene(count: usize, coefficients: usize) -> Vec<Source> {
    let one = |i: usize| {
        let n = |k: usize| noise(100 * i + k);
        let rotation = [n(0), n(1), n(2), n(3) + 0.1];
        let length = rotation.iter().map(|value| value * value).sum::<f32>().sqrt();
        Source {
            position: [0.5 * n(4), 0.4 * n(5), 0.6 * n(6)],
            log_scale: [n(7) - 3.0, n(8) - 3.0, n(9) - 4.0],
            rotation: rotation.map(|value| value / length),
            opacity: 0.5 + 0.45 * n(10),
            harmonics: (0..coefficients)
                .map(|k| [0, 1, 2].map(|c| n(20 + 3 * k + c) * if k == 0 { 1.0 } else { 0.2 }))
                .collect(),
        }
    };
    (0..count).map(one).collect()
}

#[derive(Clone, Copy)]
pub(crate) enum Bytes {
    Ascii,
    Little,
    Big,
}

pub(crate) fn ply(scene: &[Source], bytes: Bytes) -> Vec<u8> {
    let rest = 3 * (scene[0].harmonics.len() - 1);
    let mut names: Vec<String> =
        ["x", "y", "z", "nx", "ny", "nz", "f_dc_0", "f_dc_1", "f_dc_2"].map(String::from).into();
    names.extend((0..rest).map(|k| format!("f_rest_{k}")));
    names.extend(
        ["opacity", "scale_0", "scale_1", "scale_2", "rot_0", "rot_1", "rot_2", "rot_3"]
            .map(String::from),
    );
    let format = match bytes {
        Bytes::Ascii => "ascii",
        Bytes::Little => "binary_little_endian",
        Bytes::Big => "binary_big_endian",
    };
    let mut out =
        format!("ply\nformat {format} 1.0\ncomment a test\nelement vertex {}\n", scene.len())
            .into_bytes();
    for name in names {
        writeln!(out, "property float {name}").expect("memory takes it");
    }
    out.extend(b"end_header\n");
    for splat in scene {
        let mut row = splat.position.to_vec();
        row.extend([0.0; 3]);
        row.extend(splat.harmonics[0]);
        row.extend((0..3).flat_map(|c| splat.harmonics[1..].iter().map(move |rgb| rgb[c])));
        row.push(libm::logf(splat.opacity / (1.0 - splat.opacity)));
        row.extend(splat.log_scale);
        row.extend(splat.rotation);
        for value in &row {
            match bytes {
                Bytes::Ascii => write!(out, "{value} ").expect("memory takes it"),
                Bytes::Little => out.extend(value.to_le_bytes()),
                Bytes::Big => out.extend(value.to_be_bytes()),
            }
        }
        if matches!(bytes, Bytes::Ascii) {
            out.push(b'\n');
        }
    }
    out
}

fn unit(value: f32, low: f32, high: f32, steps: f32) -> u32 {
    ((value - low) / (high - low).max(1e-9) * steps).round().clamp(0.0, steps) as u32
}

/// The index of the largest component in an order, and the others, all with its sign made positive.
fn without_largest(q: [f32; 4]) -> (usize, [f32; 3]) {
    let largest = (0..4).max_by(|&a, &b| q[a].abs().total_cmp(&q[b].abs())).expect("four");
    let sign = q[largest].signum();
    let others: Vec<f32> = (0..4).filter(|&k| k != largest).map(|k| q[k] * sign).collect();
    (largest, [others[0], others[1], others[2]])
}

const C0: f32 = 0.282_094_8;

pub(crate) fn packed_ply(scene: &[Source]) -> Vec<u8> {
    let chunks: Vec<&[Source]> = scene.chunks(256).collect();
    let mut out = format!("ply\nformat binary_little_endian 1.0\nelement chunk {}\n", chunks.len())
        .into_bytes();
    for name in ["", "scale_"] {
        for edge in ["min", "max"] {
            for axis in ["x", "y", "z"] {
                writeln!(out, "property float {edge}_{name}{axis}").expect("memory takes it");
            }
        }
    }
    writeln!(out, "element vertex {}", scene.len()).expect("memory takes it");
    for name in ["position", "rotation", "scale", "color"] {
        writeln!(out, "property uint packed_{name}").expect("memory takes it");
    }
    let rest = 3 * (scene[0].harmonics.len() - 1);
    writeln!(out, "element sh {}", scene.len()).expect("memory takes it");
    for k in 0..rest {
        writeln!(out, "property uchar f_rest_{k}").expect("memory takes it");
    }
    out.extend(b"end_header\n");
    let ends = |chunk: &[Source], get: &dyn Fn(&Source) -> [f32; 3]| {
        let edge = |f: fn(f32, f32) -> f32| {
            [0, 1, 2].map(|k| chunk.iter().map(|s| get(s)[k]).reduce(f).expect("not empty"))
        };
        [edge(f32::min), edge(f32::max)]
    };
    let mut body = Vec::new();
    for chunk in chunks {
        let positions = ends(chunk, &|s| s.position);
        let scales = ends(chunk, &|s| s.log_scale);
        out.extend(
            [positions, scales].as_flattened().as_flattened().iter().flat_map(|v| v.to_le_bytes()),
        );
        for splat in chunk {
            let three = |v: [f32; 3], [low, high]: [[f32; 3]; 2]| {
                unit(v[0], low[0], high[0], 2047.0) << 21
                    | unit(v[1], low[1], high[1], 1023.0) << 11
                    | unit(v[2], low[2], high[2], 2047.0)
            };
            let (largest, others) = without_largest(splat.rotation);
            let half = std::f32::consts::FRAC_1_SQRT_2;
            let [a, b, c] = others.map(|v| unit(v, -half, half, 1023.0));
            let color = splat.harmonics[0].map(|dc| unit(0.5 + C0 * dc, 0.0, 1.0, 255.0) as u8);
            let color = u32::from_be_bytes([
                color[0],
                color[1],
                color[2],
                (splat.opacity * 255.0).round() as u8,
            ]);
            let words = [
                three(splat.position, positions),
                (largest as u32) << 30 | a << 20 | b << 10 | c,
                three(splat.log_scale, scales),
                color,
            ];
            body.extend(words.iter().flat_map(|word| word.to_le_bytes()));
        }
    }
    out.extend(body);
    for splat in scene {
        out.extend((0..3).flat_map(|c| {
            splat.harmonics[1..].iter().map(move |rgb| {
                ((rgb[c] / 8.0 + 0.5) * 256.0 - 0.5).round().clamp(0.0, 255.0) as u8
            })
        }));
    }
    out
}

pub(crate) fn splat(scene: &[Source]) -> Vec<u8> {
    let mut out = Vec::new();
    for splat in scene {
        let scale = splat.log_scale.map(libm::expf);
        out.extend([splat.position, scale].as_flattened().iter().flat_map(|v| v.to_le_bytes()));
        out.extend(splat.harmonics[0].map(|dc| unit(0.5 + C0 * dc, 0.0, 1.0, 255.0) as u8));
        out.push((splat.opacity * 255.0).round() as u8);
        out.extend(splat.rotation.map(|v| (v * 128.0 + 128.0).round().clamp(0.0, 255.0) as u8));
    }
    out
}

/// IEEE half, for normal numbers.
fn half(value: f32) -> u16 {
    let bits = value.to_bits();
    let exponent = (bits >> 23 & 255) as i32 - 112;
    if exponent <= 0 {
        return (bits >> 16 & 0x8000) as u16;
    }
    (bits >> 16 & 0x8000) as u16 | (exponent as u16) << 10 | (bits >> 13 & 1023) as u16
}

/// The arrays of a version, in order.
fn spz_arrays(scene: &[Source], version: u32) -> [Vec<u8>; 6] {
    let mut out = [const { Vec::new() }; 6];
    for splat in scene {
        for value in splat.position {
            match version {
                1 => out[0].extend(half(value).to_le_bytes()),
                _ => out[0].extend(&((value * 4096.0).round() as i32).to_le_bytes()[..3]),
            }
        }
        out[1].push((splat.opacity * 255.0).round() as u8);
        out[2].extend(
            splat.harmonics[0]
                .map(|dc| ((dc * 0.15 + 0.5) * 255.0).round().clamp(0.0, 255.0) as u8),
        );
        out[3].extend(splat.log_scale.map(|l| ((l + 10.0) * 16.0).round() as u8));
        let [w, x, y, z] = splat.rotation;
        if version < 3 {
            out[4].extend([x, y, z].map(|v| ((v * w.signum() + 1.0) * 127.5).round() as u8));
        } else {
            let (largest, others) = without_largest([x, y, z, w]);
            let bits = others.map(|v| {
                (v.abs() / std::f32::consts::FRAC_1_SQRT_2 * 511.0).round() as u32
                    | u32::from(v < 0.0) << 9
            });
            out[4].extend(
                ((largest as u32) << 30 | bits[0] << 20 | bits[1] << 10 | bits[2]).to_le_bytes(),
            );
        }
        out[5].extend(
            splat.harmonics[1..]
                .as_flattened()
                .iter()
                .map(|v| (v * 128.0 + 128.0).round().clamp(0.0, 255.0) as u8),
        );
    }
    out
}

pub(crate) fn spz_header(count: u32, version: u32, degree: u8, flags: u8, streams: u8) -> Vec<u8> {
    let mut out = b"NGSP".to_vec();
    out.extend(version.to_le_bytes());
    out.extend(count.to_le_bytes());
    out.extend([degree, 12, flags, streams]);
    out
}

pub(crate) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).expect("memory takes it");
    encoder.finish().expect("memory takes it")
}

fn degree(scene: &[Source]) -> u8 {
    (scene[0].harmonics.len() as f32).sqrt() as u8 - 1
}

pub(crate) fn spz(scene: &[Source], version: u32) -> Vec<u8> {
    spz_with(scene, version, &[])
}

/// With extension records, if there are any.
pub(crate) fn spz_with(scene: &[Source], version: u32, records: &[u8]) -> Vec<u8> {
    let arrays = spz_arrays(scene, version);
    let flags = 1 | u8::from(!records.is_empty()) << 1;
    let (count, degree) = (scene.len() as u32, degree(scene));
    if version < 4 {
        let mut plain = spz_header(count, version, degree, flags, 0);
        plain.extend(arrays.concat());
        plain.extend(records);
        return gzip(&plain);
    }
    let used = arrays.iter().filter(|array| !array.is_empty());
    let streams: Vec<_> = used.map(|array| (zstd_raw(array), array.len())).collect();
    let mut out = spz_header(count, 4, degree, flags, streams.len() as u8);
    out.extend((32 + records.len() as u32).to_le_bytes());
    out.extend([0; 12]);
    out.extend(records);
    for (packed, plain) in &streams {
        out.extend((packed.len() as u64).to_le_bytes());
        out.extend((*plain as u64).to_le_bytes());
    }
    out.extend(streams.iter().flat_map(|(packed, _)| packed));
    out
}

/// A Zstandard frame of raw blocks (RFC 8878): single segment, eight bytes of content size.
fn zstd_raw(bytes: &[u8]) -> Vec<u8> {
    let mut out = vec![0x28, 0xb5, 0x2f, 0xfd, 0xe0];
    out.extend((bytes.len() as u64).to_le_bytes());
    let blocks = bytes.chunks(100_000);
    let last = blocks.len() - 1;
    for (k, block) in blocks.enumerate() {
        let header = (block.len() as u32) << 3 | u32::from(k == last);
        out.extend(&header.to_le_bytes()[..3]);
        out.extend(block);
    }
    out
}

fn webp(width: usize, mut rgba: Vec<[u8; 4]>) -> Vec<u8> {
    rgba.resize(rgba.len().next_multiple_of(width), [0, 0, 0, 255]);
    let mut out = Vec::new();
    let height = (rgba.len() / width) as u32;
    let encoder = image_webp::WebPEncoder::new(&mut out);
    encoder
        .encode(rgba.as_flattened(), width as u32, height, image_webp::ColorType::Rgba8)
        .expect("memory takes it");
    out
}

/// The files of a SOG folder. Every splat's harmonics are an entry of the palette of their own.
pub(crate) fn sog(scene: &[Source]) -> Vec<(String, Vec<u8>)> {
    const WIDTH: usize = 20;
    let folded = |v: f32| v.signum() * v.abs().ln_1p();
    let steps = |low: f32, high: f32| (0..256).map(move |k| low + (high - low) * k as f32 / 255.0);
    let list = |values: &mut dyn Iterator<Item = f32>| {
        values.map(|v| v.to_string()).collect::<Vec<_>>().join(",")
    };
    let mut pictures = vec![Vec::new(); 6];
    for (i, splat) in scene.iter().enumerate() {
        let position = splat.position.map(|v| unit(folded(v), -1.0, 1.0, 65535.0).to_le_bytes());
        for k in 0..2 {
            pictures[k].push([position[0][k], position[1][k], position[2][k], 255]);
        }
        let scale = splat.log_scale.map(|v| unit(v, -6.0, -1.0, 255.0) as u8);
        pictures[2].push([scale[0], scale[1], scale[2], 255]);
        let (largest, others) = without_largest(splat.rotation);
        let half = std::f32::consts::FRAC_1_SQRT_2;
        let [a, b, c] = others.map(|v| unit(v, -half, half, 255.0) as u8);
        pictures[3].push([a, b, c, 252 + largest as u8]);
        let [r, g, b] = splat.harmonics[0].map(|v| unit(v, -1.0, 1.0, 255.0) as u8);
        pictures[4].push([r, g, b, (splat.opacity * 255.0).round() as u8]);
        pictures[5].push([(i % 256) as u8, (i / 256) as u8, 0, 255]);
    }
    let per_entry = scene[0].harmonics.len() - 1;
    let mut files: Vec<(String, Vec<u8>)> =
        (["means_l", "means_u", "scales", "quats", "sh0", "labels"].iter().zip(pictures))
            .map(|(name, picture)| (format!("{name}.webp"), webp(WIDTH, picture)))
            .collect();
    let mut extra = String::new();
    if per_entry > 0 {
        let palette: Vec<[u8; 4]> = scene
            .iter()
            .flat_map(|splat| &splat.harmonics[1..])
            .map(|rgb| rgb.map(|v| unit(v, -1.0, 1.0, 255.0) as u8))
            .map(|[r, g, b]| [r, g, b, 255])
            .collect();
        files.push(("centroids.webp".to_owned(), webp(64 * per_entry, palette)));
        extra = format!(
            r#","shN":{{"count":{},"bands":{},"codebook":[{}],"files":["centroids.webp","labels.webp"]}}"#,
            scene.len(),
            degree(scene),
            list(&mut steps(-1.0, 1.0))
        );
    }
    let meta = format!(
        r#"{{"version":2,"count":{},"means":{{"mins":[-1,-1,-1],"maxs":[1,1,1],"files":["means_l.webp","means_u.webp"]}},"scales":{{"codebook":[{}],"files":["scales.webp"]}},"quats":{{"files":["quats.webp"]}},"sh0":{{"codebook":[{}],"files":["sh0.webp"]}}{extra}}}"#,
        scene.len(),
        list(&mut steps(-6.0, -1.0)),
        list(&mut steps(-1.0, 1.0)),
    );
    files.insert(0, ("meta.json".to_owned(), meta.into_bytes()));
    files
}

/// A ZIP archive, every second file deflated.
pub(crate) fn zip(files: &[(String, Vec<u8>)]) -> Vec<u8> {
    let (mut out, mut list) = (Vec::new(), Vec::new());
    for (k, (name, plain)) in files.iter().enumerate() {
        let mut encoder =
            flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(plain).expect("memory takes it");
        let (method, data) = if k % 2 == 0 {
            (0u16, plain.clone())
        } else {
            (8, encoder.finish().expect("memory takes it"))
        };
        let mut common = vec![20, 0, 0, 0];
        common.extend(method.to_le_bytes());
        common.extend([0; 8]); // time, date and checksum
        common.extend((data.len() as u32).to_le_bytes());
        common.extend((plain.len() as u32).to_le_bytes());
        common.extend((name.len() as u32).to_le_bytes()); // and no extra field
        list.extend(b"PK\x01\x02\x14\0");
        list.extend(&common);
        list.extend([0; 10]);
        list.extend((out.len() as u32).to_le_bytes());
        list.extend(name.as_bytes());
        out.extend(b"PK\x03\x04");
        out.extend(&common);
        out.extend(name.as_bytes());
        out.extend(data);
    }
    let (start, count) = (out.len() as u32, files.len() as u16);
    let len = list.len() as u32;
    out.extend(list);
    out.extend(b"PK\x05\x06\0\0\0\0");
    out.extend([count, count].iter().flat_map(|v| v.to_le_bytes()));
    out.extend([len, start].iter().flat_map(|v| v.to_le_bytes()));
    out.extend([0; 2]);
    out
}

/// A GLB with the splats in one primitive, whose node has `node` as further members.
pub(crate) fn glb(scene: &[Source], node: &str) -> Vec<u8> {
    let columns: Vec<(String, &str, Vec<Vec<f32>>)> = [
        ("POSITION", "VEC3", scene.iter().map(|s| s.position.to_vec()).collect::<Vec<_>>()),
        (
            "KHR_gaussian_splatting:ROTATION",
            "VEC4",
            scene.iter().map(|s| [1, 2, 3, 0].map(|k| s.rotation[k]).to_vec()).collect(),
        ),
        (
            "KHR_gaussian_splatting:SCALE",
            "VEC3",
            scene.iter().map(|s| s.log_scale.map(libm::expf).to_vec()).collect(),
        ),
        (
            "KHR_gaussian_splatting:OPACITY",
            "SCALAR",
            scene.iter().map(|s| vec![s.opacity]).collect(),
        ),
    ]
    .map(|(name, kind, rows)| (name.to_owned(), kind, rows))
    .into_iter()
    .chain((0..scene[0].harmonics.len()).map(|k| {
        let degree = (k as f32).sqrt() as usize;
        let name =
            format!("KHR_gaussian_splatting:SH_DEGREE_{degree}_COEF_{}", k - degree * degree);
        (name, "VEC3", scene.iter().map(|s| s.harmonics[k].to_vec()).collect())
    }))
    .collect();
    let (mut binary, mut views, mut accessors, mut attributes) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for (k, (name, kind, rows)) in columns.iter().enumerate() {
        let start = binary.len();
        binary.extend(rows.concat().iter().flat_map(|v| v.to_le_bytes()));
        views.push(format!(
            r#"{{"buffer":0,"byteOffset":{start},"byteLength":{}}}"#,
            binary.len() - start
        ));
        accessors.push(format!(
            r#"{{"bufferView":{k},"componentType":5126,"count":{},"type":"{kind}"}}"#,
            scene.len()
        ));
        attributes.push(format!(r#""{name}":{k}"#));
    }
    glb_of(
        &format!(
            r#"{{"asset":{{"version":"2.0"}},"extensionsUsed":["KHR_gaussian_splatting"],"scene":0,"scenes":[{{"nodes":[0]}}],"nodes":[{{"mesh":0{node}}}],"buffers":[{{"byteLength":{}}}],"bufferViews":[{}],"accessors":[{}],"meshes":[{{"primitives":[{{"attributes":{{{}}},"mode":0,"extensions":{{"KHR_gaussian_splatting":{{"kernel":"ellipse","colorSpace":"srgb_rec709_display"}}}}}}]}}]}}"#,
            binary.len(),
            views.join(","),
            accessors.join(","),
            attributes.join(",")
        ),
        &binary,
    )
}

/// A GLB whose only splats are an SPZ stream, under the name of a draft.
pub(crate) fn glb_compressed(spz: &[u8], name: &str) -> Vec<u8> {
    let inner = format!(r#""{name}":{{"bufferView":0}}"#);
    let extensions = if name.starts_with("KHR_gaussian_splatting_") {
        format!(
            r#""KHR_gaussian_splatting":{{"kernel":"ellipse","colorSpace":"srgb_rec709_display","extensions":{{{inner}}}}}"#
        )
    } else {
        inner
    };
    let json = format!(
        r#"{{"asset":{{"version":"2.0"}},"scenes":[{{"nodes":[0]}}],"nodes":[{{"mesh":0}}],"buffers":[{{"byteLength":{0}}}],"bufferViews":[{{"buffer":0,"byteLength":{0}}}],"meshes":[{{"primitives":[{{"attributes":{{}},"mode":0,"extensions":{{{extensions}}}}}]}}]}}"#,
        spz.len()
    );
    glb_of(&json, spz)
}

pub(crate) fn glb_of(json: &str, binary: &[u8]) -> Vec<u8> {
    let mut json = json.as_bytes().to_vec();
    json.resize(json.len().next_multiple_of(4), b' ');
    let mut binary = binary.to_vec();
    binary.resize(binary.len().next_multiple_of(4), 0);
    let mut out = b"glTF\x02\0\0\0".to_vec();
    out.extend((28 + json.len() as u32 + binary.len() as u32).to_le_bytes());
    out.extend((json.len() as u32).to_le_bytes());
    out.extend(b"JSON");
    out.extend(json);
    out.extend((binary.len() as u32).to_le_bytes());
    out.extend(b"BIN\0");
    out.extend(binary);
    out
}
