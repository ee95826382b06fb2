//! Scans an OBJ file once before `tobj`: checks and resolves every index, notes what `tobj` drops.
//!
//! `tobj` 4.0.5 loses smoothing groups, merges `l` with `f`, lets a missing texture coordinate take
//! the one before, overflows on some negative indices and ends on any number it cannot read. It is
//! therefore given a text of plain `v`, `vt`, `vn` and `f` lines with positive indices that are
//! known to exist, and the materials and groups of the faces are kept here, as runs.

use super::super::error::LoadError;
use super::super::files::shorten;
use super::super::ignored::{Place, is_known, note};
use super::super::limits::{TRIANGLES_MAX, VERTICES_MAX};
use super::super::warning::{Warning, Warnings};
use glam::DVec3;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;
use std::path::Path;

/// Faces from `first_face` on have this material and smoothing group, until the next run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Run {
    pub first_face: usize,
    /// Index into [`Scan::materials`].
    pub material: Option<usize>,
    /// 0 is off.
    pub group: u32,
}

/// The second texture coordinate of corners that have none, in a file where others have some.
pub(super) const NO_V: f32 = f32::INFINITY;

/// What `tobj` must be given in full because some lines have it and others do not.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Fill {
    colors: bool,
    texcoords: bool,
    normals: bool,
}

#[derive(Debug, Default)]
pub(super) struct Scan {
    /// For `tobj`. Missing texture coordinates and normals point at an entry of NaN.
    pub text: Vec<u8>,
    pub runs: Vec<Run>,
    /// Names after `usemtl`, each once.
    pub materials: Vec<String>,
    /// The text after `mtllib`.
    pub libraries: Vec<String>,
    /// The file has `s` statements.
    pub has_groups: bool,
    /// Some corner has a texture coordinate.
    pub has_texcoords: bool,
    /// Some corner has a normal.
    pub has_normals: bool,
    pub num_faces: usize,
    pub num_vertices: u64,
    /// Elements of points, and faces of one corner.
    pub num_points: u64,
    /// Elements of lines, and faces of two corners.
    pub num_lines: u64,
    /// Statements that are known and not read.
    ignored: BTreeSet<String>,
}

/// `line` is counted from 1.
///
/// `origin` is subtracted from every position.
pub(super) fn scan(
    bytes: &[u8],
    origin: DVec3,
    path: &Path,
    warnings: &mut Warnings,
) -> Result<Scan, LoadError> {
    let new = |fill| Pass::new(path, origin, fill, bytes.len());
    let mut pass = new(Fill::default());
    pass.run(bytes)?;
    if pass.has_dangling() {
        // Once more with what there is known.
        let known = pass.counters.map(|counter| counter.count);
        pass = new(Fill::default());
        pass.known = Some(known);
        pass.run(bytes)?;
    }
    let fill = pass.needed();
    if fill != Fill::default() {
        let (known, paint) = (pass.known, std::mem::take(&mut pass.paint));
        pass = new(fill);
        (pass.known, pass.paint_known) = (known, Some(paint));
        pass.run(bytes)?;
    }
    pass.scan.has_texcoords = pass.corners_with[1] > 0;
    pass.scan.has_normals = pass.corners_with[2] > 0;
    pass.scan.num_vertices = pass.counters[0].count;
    pass.report(warnings);
    Ok(pass.scan)
}

/// The text of a line: UTF-8, or Latin-1 when it is not, in which every byte is a letter.
pub(super) fn to_text<'a>(line: &'a [u8], not_utf8: &mut u64) -> Cow<'a, str> {
    std::str::from_utf8(line).map_or_else(
        |_| {
            *not_utf8 += 1;
            Cow::Owned(line.iter().map(|&byte| char::from(byte)).collect())
        },
        Cow::Borrowed,
    )
}

/// Positions, texture coordinates and normals: count, and largest index asked for with its line.
#[derive(Debug, Default, Clone, Copy)]
struct Counter {
    count: u64,
    largest: u64,
    line: usize,
}

struct Pass<'p> {
    path: &'p Path,
    origin: DVec3,
    fill: Fill,
    scan: Scan,
    line: usize,
    counters: [Counter; 3],
    colored: u64,
    corners_with: [u64; 3],
    corners: u64,
    triangles: u64,
    degenerate: u64,
    not_utf8: u64,
    unread: u64,
    first_unread: String,
    /// Number of texture coordinates and normals, once known; higher indices do not exist.
    known: Option<[u64; 3]>,
    dangling: u64,
    first_dangling: usize,
    material: Option<usize>,
    known_materials: BTreeMap<String, usize>,
    group: u32,
    /// Colours in comments, one for each vertex (`#MRGB`, ZBrush's polypaint).
    paint: Vec<[u8; 3]>,
    /// The same from an earlier pass: they come after the vertices.
    paint_known: Option<Vec<[u8; 3]>>,
    /// v, vt, vn of the face at hand; 0 is none.
    face: Vec<[u64; 3]>,
}

/// Further `mtllib` statements are not followed.
pub(super) const LIBRARIES_MAX: usize = 64;

const KINDS: [&str; 3] = ["vertex", "texture coordinate", "normal"];

impl<'p> Pass<'p> {
    fn new(path: &'p Path, origin: DVec3, fill: Fill, capacity: usize) -> Self {
        let mut pass = Self {
            path,
            origin,
            fill,
            scan: Scan::default(),
            line: 0,
            counters: [Counter::default(); 3],
            colored: 0,
            corners_with: [0; 3],
            corners: 0,
            triangles: 0,
            degenerate: 0,
            not_utf8: 0,
            unread: 0,
            first_unread: String::new(),
            known: None,
            dangling: 0,
            first_dangling: 0,
            material: None,
            known_materials: BTreeMap::new(),
            group: 0,
            paint: Vec::new(),
            paint_known: None,
            face: Vec::new(),
        };
        pass.scan.text.reserve(capacity + capacity / 8);
        // The entries that missing indices point at, as number 1.
        if fill.texcoords {
            pass.scan.text.extend_from_slice(format!("vt nan {NO_V}\n").as_bytes());
        }
        if fill.normals {
            pass.scan.text.extend_from_slice(b"vn nan nan nan\n");
        }
        pass
    }

    fn has_dangling(&self) -> bool {
        self.dangling > 0
            || self.counters[1..].iter().any(|counter| counter.largest > counter.count)
    }

    fn needed(&self) -> Fill {
        let is_mixed = |with: u64, all: u64| with > 0 && with < all;
        Fill {
            colors: is_mixed(self.colored, self.counters[0].count)
                || self.colored == 0 && !self.paint.is_empty(),
            texcoords: is_mixed(self.corners_with[1], self.corners),
            normals: is_mixed(self.corners_with[2], self.corners),
        }
    }

    fn run(&mut self, bytes: &[u8]) -> Result<(), LoadError> {
        each_statement(bytes, |line, statement| {
            self.line = line;
            self.statement(statement)
        })?;
        self.check_indices()
    }

    fn statement(&mut self, line: &[u8]) -> Result<(), LoadError> {
        let end = line.iter().position(u8::is_ascii_whitespace);
        let (keyword, rest) = line.split_at(end.unwrap_or(line.len()));
        match keyword {
            b"v" => self.position(rest)?,
            b"vt" => self.attribute(1, rest)?,
            b"vn" => self.attribute(2, rest)?,
            b"f" | b"fo" => self.face(rest)?,
            b"l" => self.scan.num_lines += 1,
            b"p" => self.scan.num_points += 1,
            b"s" => {
                self.scan.has_groups = true;
                let text = std::str::from_utf8(rest.trim_ascii()).unwrap_or("");
                // `off` and whatever is no number is 0.
                self.group = text.parse().unwrap_or(u32::from(text == "on"));
            }
            b"usemtl" => {
                let name = to_text(rest.trim_ascii(), &mut self.not_utf8);
                self.material = match self.known_materials.get(&*name) {
                    _ if name.is_empty() => None,
                    Some(&known) => Some(known),
                    None => {
                        let index = self.scan.materials.len();
                        self.scan.materials.push(name.to_string());
                        self.known_materials.insert(name.into_owned(), index);
                        Some(index)
                    }
                };
            }
            b"mtllib" => {
                let name = to_text(rest.trim_ascii(), &mut self.not_utf8).into_owned();
                let libraries = &self.scan.libraries;
                if !name.is_empty() && libraries.len() < LIBRARIES_MAX && !libraries.contains(&name)
                {
                    self.scan.libraries.push(name);
                }
            }
            b"" | b"o" | b"g" => {}
            b"#MRGB" if self.paint_known.is_none() => {
                let (bytes, _) = rest.trim_ascii().as_chunks::<8>();
                let hex =
                    |bytes: &[u8]| u8::from_str_radix(std::str::from_utf8(bytes).ok()?, 16).ok();
                // A mask comes before the colour.
                let color = |c: &[u8; 8]| Some([hex(&c[2..4])?, hex(&c[4..6])?, hex(&c[6..])?]);
                self.paint.extend(bytes.iter().map(|c| color(c).unwrap_or([255; 3])));
            }
            _ if keyword.starts_with(b"#") => {}
            _ if std::str::from_utf8(keyword).is_ok_and(|k| is_known(Place::Statement, k)) => {
                self.scan.ignored.insert(String::from_utf8_lossy(keyword).into_owned());
            }
            _ => {
                if self.unread == 0 {
                    self.first_unread = shorten(&String::from_utf8_lossy(line));
                }
                self.unread += 1;
            }
        }
        Ok(())
    }

    fn count(&mut self, kind: usize) -> Result<(), LoadError> {
        self.counters[kind].count += 1;
        self.limit(KINDS[kind], self.counters[kind].count, VERTICES_MAX)
    }

    fn limit(&self, what: &str, found: u64, max: u64) -> Result<(), LoadError> {
        LoadError::limit(format_args!("number of {what} statements"), found, max, self.path)
    }

    /// `x y z`, with `w`, or with `r g b` (and what may follow). What cannot be read becomes NaN:
    /// the index of later vertices must not move.
    fn position(&mut self, rest: &[u8]) -> Result<(), LoadError> {
        self.count(0)?;
        let (values, count) = floats::<6>(rest);
        let [x, y, z, a, b, c] = values;
        let has_color = count >= 6;
        self.colored += u64::from(has_color);
        let out = &mut self.scan.text;
        let is_plain = (count == 3 || count == 6) && self.origin == DVec3::ZERO;
        if is_plain && values[..3].iter().all(|value| value.is_finite()) && rest.len() < 200 {
            out.extend_from_slice(b"v ");
            out.extend_from_slice(first_tokens(rest, count));
        } else {
            let w = if count == 4 && a.is_finite() && a != 0.0 { a } else { 1.0 };
            let [x, y, z] = (DVec3::new(x, y, z) / w - self.origin).as_vec3().to_array();
            let _ = write!(out, "v {x} {y} {z}"); // a `Vec` takes all
            if has_color {
                let _ = write!(out, " {a} {b} {c}");
            }
        }
        if self.fill.colors && !has_color {
            let vertex = self.counters[0].count as usize - 1;
            let paint = self.paint_known.as_ref().and_then(|paint| paint.get(vertex));
            let paint = paint.unwrap_or(&[255; 3]);
            let [r, g, b] = paint.map(|byte| f32::from(byte) / 255.0);
            let _ = write!(out, " {r} {g} {b}");
        }
        out.push(b'\n');
        Ok(())
    }

    fn attribute(&mut self, kind: usize, rest: &[u8]) -> Result<(), LoadError> {
        self.count(kind)?;
        let (mut values, count) = floats::<3>(rest);
        let out = &mut self.scan.text;
        if kind == 1 {
            if count == 1 {
                values[1] = 0.0; // a texture of one dimension
            }
            let _ = writeln!(out, "vt {} {}", values[0] as f32, values[1] as f32);
        } else {
            let [x, y, z] = values.map(|value| value as f32);
            let _ = writeln!(out, "vn {x} {y} {z}");
        }
        Ok(())
    }

    fn face(&mut self, rest: &[u8]) -> Result<(), LoadError> {
        let mut face = std::mem::take(&mut self.face);
        face.clear();
        for token in rest.split(u8::is_ascii_whitespace) {
            if token.starts_with(b"#") {
                break;
            }
            if !token.is_empty() {
                face.push(self.corner(token)?);
            }
        }
        self.emit(&mut face)?;
        self.face = face;
        Ok(())
    }

    /// `v`, `v/vt`, `v//vn` or `v/vt/vn` as absolute indices from 1.
    fn corner(&mut self, token: &[u8]) -> Result<[u64; 3], LoadError> {
        let mut corner = [0; 3];
        for (kind, part) in token.split(|&byte| byte == b'/').enumerate() {
            if kind > 2 || (part.is_empty() && kind == 0) {
                return Err(self.bad_corner(token));
            }
            if part.is_empty() {
                continue;
            }
            let index = integer(part).ok_or_else(|| self.bad_corner(token))?;
            let counter = &mut self.counters[kind];
            let absolute = if index < 0 {
                index.checked_add(counter.count as i64).map_or(0, |i| i + 1)
            } else {
                index
            };
            let known = self.known.map_or(i64::MAX, |known| known[kind] as i64);
            if kind > 0 && (absolute < 1 || absolute > known) {
                if self.dangling == 0 {
                    self.first_dangling = self.line;
                }
                self.dangling += 1;
                continue;
            }
            if absolute < 1 {
                let problem = format!(
                    "{} {index} does not exist; {} come before it",
                    KINDS[kind], counter.count
                );
                return Err(self.error(problem));
            }
            let absolute = absolute as u64;
            if absolute > counter.largest {
                counter.largest = absolute;
                counter.line = self.line;
            }
            corner[kind] = absolute;
        }
        Ok(corner)
    }

    fn emit(&mut self, face: &mut Vec<[u64; 3]>) -> Result<(), LoadError> {
        match face.len() {
            0 | 1 => {
                self.scan.num_points += 1;
                return Ok(());
            }
            2 => {
                self.scan.num_lines += 1;
                return Ok(());
            }
            _ => {}
        }
        face.dedup_by_key(|corner| corner[0]);
        while face.len() > 1 && face.first().map(|c| c[0]) == face.last().map(|c| c[0]) {
            face.pop();
        }
        if face.len() < 3 {
            self.degenerate += 1;
            return Ok(());
        }
        self.triangles += face.len() as u64 - 2;
        self.limit("face", self.triangles, TRIANGLES_MAX)?;
        let run =
            Run { first_face: self.scan.num_faces, material: self.material, group: self.group };
        let last = self.scan.runs.last();
        if last.is_none_or(|last| (last.material, last.group) != (run.material, run.group)) {
            self.scan.runs.push(run);
        }
        self.scan.num_faces += 1;
        self.corners += face.len() as u64;
        let out = &mut self.scan.text;
        out.push(b'f');
        for &[v, vt, vn] in face.iter() {
            self.corners_with[1] += u64::from(vt > 0);
            self.corners_with[2] += u64::from(vn > 0);
            // With a filler, entry 1 is the missing one and all others move up.
            let vt = vt + u64::from(self.fill.texcoords);
            let vn = vn + u64::from(self.fill.normals);
            out.push(b' ');
            decimal(v, out);
            if vt > 0 || vn > 0 {
                out.push(b'/');
                if vt > 0 {
                    decimal(vt, out);
                }
                if vn > 0 {
                    out.push(b'/');
                    decimal(vn, out);
                }
            }
        }
        out.push(b'\n');
        Ok(())
    }

    fn check_indices(&mut self) -> Result<(), LoadError> {
        let Counter { count, largest, line } = self.counters[0];
        if largest <= count {
            return Ok(());
        }
        self.line = line;
        Err(self.error(format!("{} {largest} does not exist, the file has {count}", KINDS[0])))
    }

    fn bad_corner(&self, token: &[u8]) -> LoadError {
        let token = shorten(&String::from_utf8_lossy(token));
        self.error(format!("{token:?} is not a face corner"))
    }

    fn error(&self, problem: String) -> LoadError {
        LoadError::Line { line: self.line, problem, path: self.path.to_path_buf() }
    }

    fn report(&mut self, warnings: &mut Warnings) {
        let line = self.first_dangling;
        warnings.count(self.dangling, |corners| Warning::Dangling { corners, line });
        warnings.count(self.degenerate, |faces| Warning::Degenerate { faces });
        warnings.count(self.not_utf8, |count| Warning::NotUtf8 { count });
        self.scan.ignored.iter().for_each(|name| note(Place::Statement, name, warnings));
        let first = std::mem::take(&mut self.first_unread);
        warnings.count(self.unread, |count| Warning::Lines { count, first });
    }
}

/// Calls `each` with every statement and the line, counted from 1, on which it ends.
pub(super) fn each_statement<E>(
    bytes: &[u8],
    mut each: impl FnMut(usize, &[u8]) -> Result<(), E>,
) -> Result<(), E> {
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    let mut joined = Vec::new();
    let mut last = 0;
    for line in bytes.split(|&byte| byte == b'\n') {
        last += 1;
        let line = line.trim_ascii();
        // A comment ends with its line: `# C:\models\`.
        let is_comment = joined.is_empty() && line.starts_with(b"#");
        if let Some(start) = line.strip_suffix(b"\\").filter(|_| !is_comment) {
            joined.extend_from_slice(start); // goes on in the next line
            joined.push(b' ');
        } else if joined.is_empty() {
            each(last, line)?;
        } else {
            joined.extend_from_slice(line);
            let whole = std::mem::take(&mut joined);
            each(last, whole.trim_ascii())?;
        }
    }
    each(last, joined.trim_ascii())
}

/// The first `N` numbers (NaN if none) and how many readable tokens, without a comment.
pub(super) fn floats<const N: usize>(text: &[u8]) -> ([f64; N], usize) {
    let mut values = [f64::NAN; N];
    let mut count = 0;
    for token in tokens(text) {
        if let Some(value) = values.get_mut(count) {
            *value = std::str::from_utf8(token)
                .ok()
                .and_then(|token| token.parse().ok())
                .unwrap_or(f64::NAN);
        }
        count += 1;
    }
    (values, count)
}

pub(super) fn tokens(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split(u8::is_ascii_whitespace)
        .filter(|token| !token.is_empty())
        .take_while(|token| !token.starts_with(b"#"))
}

/// The part of `text` that holds the first `count` tokens; a comment after them is cut off.
fn first_tokens(text: &[u8], count: usize) -> &[u8] {
    let start = text.as_ptr() as usize;
    let end = tokens(text)
        .take(count)
        .last()
        .map_or(0, |token| token.as_ptr() as usize - start + token.len());
    &text[..end]
}

pub(super) fn integer(text: &[u8]) -> Option<i64> {
    std::str::from_utf8(text).ok()?.parse().ok()
}

fn decimal(mut value: u64, out: &mut Vec<u8>) {
    let mut digits = [0; 20];
    let mut at = digits.len();
    loop {
        at -= 1;
        digits[at] = b'0' + (value % 10) as u8;
        value /= 10;
        if value == 0 {
            break;
        }
    }
    out.extend_from_slice(&digits[at..]);
}
