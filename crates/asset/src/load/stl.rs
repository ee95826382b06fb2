//! `.stl`, binary or ascii → one mesh. Corners at one place become one vertex.
//!
//! The normals of the file are not used: they are those of the faces, which the corners give better. Colours in the attribute words of a binary file are read
//! as Materialise Magics (where the header says `COLOR=`) or VisCAM and SolidView write them.

use super::error::LoadError;
use super::faces::{Faces, Missing};
use super::limits::TRIANGLES_MAX;
use super::normals::weld;
use super::normals_policy::{NormalsPolicy, NormalsSource};
use super::parts::Parts;
use super::vertex_color::linear_colors;
use super::warning::Warnings;
use crate::scene::Material;
use glam::{DMat3, Vec3, Vec4};
use std::path::Path;

/// 80 bytes of text and the number of faces.
const HEADER_BYTES: usize = 84;
/// A normal and three corners of three floats each, and a word of attributes.
const FACE_BYTES: usize = 50;

/// Corners of faces, and a colour for each or for none.
#[derive(Default)]
struct Soup {
    corners: Vec<[Vec3; 3]>,
    colors: Option<Vec<Vec4>>,
}

/// Reads the whole file.
pub(super) fn load(
    bytes: &[u8],
    path: &Path,
    world_from_file: DMat3,
    policy: NormalsPolicy,
    warnings: &mut Warnings,
) -> Result<(Parts, NormalsSource), LoadError> {
    let mut soup = if is_ascii(bytes) {
        ascii(bytes, path)?
    } else {
        binary(bytes, path)?
    };
    if world_from_file != DMat3::IDENTITY {
        for corner in soup.corners.as_flattened_mut() {
            *corner = (world_from_file * corner.as_dvec3()).as_vec3();
        }
    }
    let (mesh, source) = join(soup).into_mesh(policy, Missing::Flat, warnings);
    // Nothing in the format forbids open surfaces of either winding.
    let material = Material {
        double_sided: true,
        ..Material::default()
    };
    Ok(((vec![mesh], vec![material], Vec::new()), source))
}

/// Binary files may begin with `solid` too: what tells is whether their length is what their number of faces asks for.
fn is_ascii(bytes: &[u8]) -> bool {
    let text = bytes.trim_ascii_start();
    let begins = text
        .get(..5)
        .is_some_and(|word| word.eq_ignore_ascii_case(b"solid"));
    begins && stated_bytes(bytes) != Some(bytes.len() as u64)
}

/// How long a binary file should be.
fn stated_bytes(bytes: &[u8]) -> Option<u64> {
    let count = bytes.get(80..HEADER_BYTES)?.try_into().ok()?;
    Some(HEADER_BYTES as u64 + FACE_BYTES as u64 * u64::from(u32::from_le_bytes(count)))
}

fn check_count(count: u64, path: &Path) -> Result<(), LoadError> {
    if count <= TRIANGLES_MAX {
        return Ok(());
    }
    Err(LoadError::TooLarge {
        what: "triangles".to_owned(),
        found: count,
        max: TRIANGLES_MAX,
        path: path.to_path_buf(),
    })
}

fn binary(bytes: &[u8], path: &Path) -> Result<Soup, LoadError> {
    let malformed = |reason: String| LoadError::Malformed {
        format: "STL",
        reason,
        path: path.to_path_buf(),
    };
    let stated = stated_bytes(bytes)
        .ok_or_else(|| malformed("it is shorter than the header of a binary file".to_owned()))?;
    if stated > bytes.len() as u64 {
        return Err(malformed(format!(
            "its face count needs {stated} bytes, but it has {}",
            bytes.len()
        )));
    }
    let body = &bytes[HEADER_BYTES..stated as usize];
    check_count((body.len() / FACE_BYTES) as u64, path)?;
    let float = |face: &[u8; FACE_BYTES], at: usize| {
        f32::from_le_bytes([face[at], face[at + 1], face[at + 2], face[at + 3]])
    };
    let faces = body.as_chunks::<FACE_BYTES>().0;
    let corner = |face: &[u8; FACE_BYTES], k: usize| {
        let at = 12 + 12 * k; // after the normal
        Vec3::new(float(face, at), float(face, at + 4), float(face, at + 8))
    };
    let corners = (faces.iter())
        .map(|face| [0, 1, 2].map(|k| corner(face, k)))
        .collect();
    Ok(Soup {
        corners,
        colors: colors(&bytes[..80], faces),
    })
}

/// Five bits a channel. Magics: red lowest, and bit 15 set means the colour of the whole object, which stands in the header.
/// VisCAM and SolidView: blue lowest, and bit 15 set means that there is a colour.
fn colors(header: &[u8], faces: &[[u8; FACE_BYTES]]) -> Option<Vec<Vec4>> {
    let object = (header
        .windows(10)
        .find(|window| window.starts_with(b"COLOR=")))
    .map(|window| [window[6], window[7], window[8]].map(|c| f32::from(c) / 255.0));
    let word = |face: &[u8; FACE_BYTES]| u16::from_le_bytes([face[48], face[49]]);
    if object.is_none() && faces.iter().all(|face| word(face) >> 15 == 0) {
        return None;
    }
    let srgb: Vec<[f32; 3]> = (faces.iter())
        .map(|face| {
            let word = word(face);
            let [low, middle, high] = [0, 5, 10].map(|shift| f32::from(word >> shift & 31) / 31.0);
            match (object, word >> 15) {
                (Some(object), 1) => object,
                (Some(_), _) => [low, middle, high],
                (None, 1) => [high, middle, low],
                (None, _) => [1.0; 3],
            }
        })
        .collect();
    Some(linear_colors(&srgb))
}

/// Line by line: what begins with `vertex` is a corner, `endloop` ends a face, `endsolid` a body; all else is passed over.
fn ascii(bytes: &[u8], path: &Path) -> Result<Soup, LoadError> {
    let mut soup = Soup::default();
    let mut corners = Vec::with_capacity(3);
    let mut is_ended = false;
    for (index, line) in bytes.split(|&b| b == b'\n' || b == b'\r').enumerate() {
        let problem = |problem: String| LoadError::Line {
            line: index + 1,
            problem,
            path: path.to_path_buf(),
        };
        let line = String::from_utf8_lossy(line);
        let mut words = line.split_ascii_whitespace();
        let Some(keyword) = words.next() else {
            continue;
        };
        match keyword.to_ascii_lowercase().as_str() {
            "vertex" => {
                let mut number = || words.next()?.parse::<f32>().ok();
                let (Some(x), Some(y), Some(z)) = (number(), number(), number()) else {
                    return Err(problem("a vertex needs three numbers".to_owned()));
                };
                corners.push(Vec3::new(x, y, z));
                if corners.len() > 3 {
                    return Err(problem("a face has more than three corners".to_owned()));
                }
            }
            "endloop" => {
                let &[a, b, c] = &corners[..] else {
                    return Err(problem(format!(
                        "a face has {} corners, not three",
                        corners.len()
                    )));
                };
                soup.corners.push([a, b, c]);
                check_count(soup.corners.len() as u64, path)?;
                corners.clear();
            }
            "solid" => is_ended = false,
            "endsolid" => is_ended = true,
            _ => {}
        }
    }
    if !is_ended || !corners.is_empty() {
        return Err(LoadError::Malformed {
            format: "STL",
            reason: "it ends without endsolid".to_owned(),
            path: path.to_path_buf(),
        });
    }
    Ok(soup)
}

/// One vertex for each place.
fn join(soup: Soup) -> Faces {
    let first = weld(soup.corners.as_flattened());
    let mut place = vec![0_u32; first.len()];
    let mut positions = Vec::new();
    for (corner, (&first, &position)) in first.iter().zip(soup.corners.as_flattened()).enumerate() {
        place[corner] = if first as usize == corner {
            positions.push(position);
            positions.len() as u32 - 1
        } else {
            place[first as usize]
        };
    }
    Faces {
        positions,
        triangles: place.as_chunks::<3>().0.to_vec(),
        face_colors: soup.colors,
        ..Faces::default()
    }
}
