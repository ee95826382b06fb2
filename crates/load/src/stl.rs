//! `.stl`, binary or ascii → one mesh. Corners at one place become one vertex.
//!
//! The normals of the file are not used: they are those of the faces, which the corners give
//! better. Colours in the attribute words of a binary file are read as Materialise Magics (where
//! the header says `COLOR=`) or VisCAM and SolidView write them.

use super::error::LoadError;
use super::faces::{Faces, Missing};
use super::files::shorten;
use super::frame::FileFrame;
use super::ignored::{Place, note};
use super::limits::TRIANGLES_MAX;
use super::normals::weld;
use super::numbers::number;
use super::parts::Parts;
use super::reading::Reading;
use super::vertex_color::linear_colors;
use super::warning::{Warning, Warnings};
use crate::scene::Material;
use glam::{DVec3, Vec3, Vec4};
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
pub(super) fn load(bytes: &[u8], reading: &mut Reading<'_>) -> Result<Parts, LoadError> {
    let Reading { path, options, frame, warnings, normals, .. } = reading;
    let soup = if is_ascii(bytes) && !is_whole(bytes) {
        ascii(bytes, path, frame, warnings)?
    } else {
        binary(bytes, path, frame, warnings)?
    };
    let (mesh, source) = join(soup).into_mesh(options.normals, Missing::Flat, warnings);
    *normals = source;
    let meshes = vec![mesh];
    frame.settles(&meshes);
    // Nothing in the format forbids open surfaces of either winding.
    let material = Material { double_sided: true, ..Material::default() };
    Ok((meshes, vec![material], Vec::new()))
}

/// Bytes at the start in which a text has a facet, whatever its name.
const LOOKED_AT: usize = 4096;

/// Binary files can begin with `solid`: a text soon has a facet, and zeros only at its end.
fn is_ascii(bytes: &[u8]) -> bool {
    let padding = bytes.iter().rev().take_while(|&&byte| byte == 0).count();
    let bytes = &bytes[..bytes.len() - padding];
    let start = String::from_utf8_lossy(&bytes[..bytes.len().min(LOOKED_AT)]).to_ascii_lowercase();
    let text = start.trim_start_matches(['\u{feff}', ' ', '\t', '\r', '\n']);
    let begins = text.starts_with("solid") || text.starts_with("facet");
    let goes_on = ["facet", "endsolid", "end solid"].iter().any(|word| text.contains(word));
    begins && goes_on && !start.contains('\0')
}

/// How long a binary file should be.
fn stated_bytes(bytes: &[u8]) -> Option<u64> {
    let count = bytes.get(80..HEADER_BYTES)?.try_into().ok()?;
    Some(HEADER_BYTES as u64 + FACE_BYTES as u64 * u64::from(u32::from_le_bytes(count)))
}

/// A binary file whose length is what its number of faces asks for.
pub(super) fn is_whole(bytes: &[u8]) -> bool {
    stated_bytes(bytes) == Some(bytes.len() as u64)
}

/// The file size decides the number of faces: streaming writers leave the header's number at 0.
fn binary(
    bytes: &[u8],
    path: &Path,
    frame: &FileFrame,
    warnings: &mut Warnings,
) -> Result<Soup, LoadError> {
    let incomplete = |reason: String| LoadError::incomplete("STL", reason, path);
    let stated = stated_bytes(bytes)
        .ok_or_else(|| incomplete("it is shorter than the header of a binary file".to_owned()))?;
    let found = bytes.len() as u64;
    if stated != found && bytes.iter().all(|byte| matches!(byte, b'\t'..=b'\r' | b' '..=b'~')) {
        return Err(LoadError::malformed("STL", "it is text without facets", path));
    }
    let is_exact = (bytes.len() - HEADER_BYTES).is_multiple_of(FACE_BYTES);
    if stated > found && !is_exact {
        return Err(incomplete(format!("its face count needs {stated} bytes, but it has {found}")));
    }
    // Bytes after the faces that are no faces are nobody's.
    let has_tail = !is_exact && stated > HEADER_BYTES as u64;
    let end = if has_tail { stated as usize } else { bytes.len() };
    let body = &bytes[HEADER_BYTES..end];
    if !has_tail && stated != found {
        let count = |bytes: u64| (bytes - HEADER_BYTES as u64) / FACE_BYTES as u64;
        warnings.add(Warning::Container {
            problem: format!(
                "the header counts {} faces, but the file has {}",
                count(stated),
                count(found)
            ),
            taken: "all that are there are drawn",
        });
    }
    LoadError::limit("triangles", (body.len() / FACE_BYTES) as u64, TRIANGLES_MAX, path)?;
    let float = |face: &[u8; FACE_BYTES], at: usize| {
        f32::from_le_bytes([face[at], face[at + 1], face[at + 2], face[at + 3]])
    };
    let faces = body.as_chunks::<FACE_BYTES>().0;
    let corner = |face: &[u8; FACE_BYTES], k: usize| {
        let at = 12 + 12 * k; // after the normal
        let position = [0, 4, 8].map(|place| f64::from(float(face, at + place)));
        frame.point(DVec3::from_array(position))
    };
    let corners = faces.iter().map(|face| [0, 1, 2].map(|k| corner(face, k))).collect();
    let colors = colors(&bytes[..80], faces);
    if colors.is_none() && faces.iter().any(|face| word(face) != 0) {
        note(Place::StlWord, "attribute byte count", warnings);
    }
    Ok(Soup { corners, colors })
}

/// The attributes of a face.
fn word(face: &[u8; FACE_BYTES]) -> u16 {
    u16::from_le_bytes([face[48], face[49]])
}

/// Five bits a channel. Magics: red lowest, and bit 15 set means the whole object's colour, which
/// is in the header. VisCAM and SolidView: blue lowest, and bit 15 set means a colour.
fn colors(header: &[u8], faces: &[[u8; FACE_BYTES]]) -> Option<Vec<Vec4>> {
    let object = header
        .windows(10)
        .find(|window| window.starts_with(b"COLOR="))
        .map(|window| [window[6], window[7], window[8]].map(|c| f32::from(c) / 255.0));
    if object.is_none() && faces.iter().all(|face| word(face) >> 15 == 0) {
        return None;
    }
    let srgb: Vec<[f32; 3]> = faces
        .iter()
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

/// What `end` may be written apart from.
const ENDED: [&[u8]; 3] = [b"loop", b"facet", b"solid"];

/// Words, however parted: `vertex` and three numbers are a corner, `endloop`, `end loop` or the
/// next `facet` ends a face. Names after `solid` and `endsolid` are any words but `facet`.
fn ascii(
    bytes: &[u8],
    path: &Path,
    frame: &FileFrame,
    warnings: &mut Warnings,
) -> Result<Soup, LoadError> {
    let mut soup = Soup::default();
    let mut corners: Vec<Vec3> = Vec::with_capacity(3);
    let (mut is_name, mut is_ended, mut is_open) = (true, false, false);
    let problem = |word: &[u8], problem: String| {
        let at = word.as_ptr() as usize - bytes.as_ptr() as usize;
        LoadError::Line {
            line: 1 + bytes[..at].iter().filter(|&&b| b == b'\n').count(),
            problem,
            path: path.to_path_buf(),
        }
    };
    let incomplete = |reason: &str| LoadError::incomplete("STL", reason, path);
    let words = bytes.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    let mut words = words.peekable();
    while let Some(word) = words.next() {
        let mut key = word.to_ascii_lowercase();
        // `end loop` is `endloop`.
        if key == b"end"
            && let Some(next) =
                words.next_if(|next| ENDED.iter().any(|e| next.eq_ignore_ascii_case(e)))
        {
            key.extend(next.to_ascii_lowercase());
        }
        match key.as_slice() {
            b"facet" => is_name = false, // and closes the one before, if nothing else did
            b"solid" => (is_name, is_ended) = (true, false),
            b"endsolid" => (is_name, is_ended, is_open) = (true, true, false),
            _ if is_name => continue,
            b"vertex" => {
                let mut position = [0.0; 3];
                for value in &mut position {
                    let word = words.next().ok_or_else(|| incomplete("it ends within a face"))?;
                    let text = String::from_utf8_lossy(word);
                    *value = number(&text).ok_or_else(|| {
                        let shown = shorten(&text);
                        problem(word, format!("a vertex needs three numbers, not {shown:?}"))
                    })?;
                }
                corners.push(frame.point(DVec3::from_array(position)));
                continue;
            }
            b"endfacet" => is_open = false,
            b"endloop" => {}
            b"outer" | b"loop" => continue,
            b"normal" => {
                // Three numbers, or what a program writes for none.
                for _ in 0..3 {
                    words.next_if(|next| !next.eq_ignore_ascii_case(b"outer"));
                }
                continue;
            }
            _ => {
                let name = String::from_utf8_lossy(word);
                // The last word may be half of one.
                if number(&name).is_none() && words.peek().is_some() {
                    note(Place::StlWord, &name, warnings);
                }
                continue;
            }
        }
        let is_facet = key == b"facet";
        is_open |= is_facet;
        match corners.as_slice() {
            [] => {}
            [_, _, _, ..] => {
                is_open = is_facet;
                // A face of more corners than the format allows is a fan.
                soup.corners
                    .extend((2..corners.len()).map(|k| [corners[0], corners[k - 1], corners[k]]));
                LoadError::limit("triangles", soup.corners.len() as u64, TRIANGLES_MAX, path)?;
            }
            few => {
                return Err(problem(word, format!("a face has {} corners, not three", few.len())));
            }
        }
        corners.clear();
    }
    if !corners.is_empty() || is_open {
        return Err(incomplete("it ends within a face"));
    }
    if !is_ended {
        if soup.corners.is_empty() {
            return Err(incomplete("it ends without endsolid"));
        }
        warnings.add(Warning::Container {
            problem: "the file ends without endsolid".to_owned(),
            taken: "all faces that are there are drawn; more may be missing",
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
