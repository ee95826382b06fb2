//! `.obj` with its `.mtl` → meshes, materials and textures.
//!
//! `tobj` reads the numbers of a text that [`scan`] has checked and completed, and the material
//! libraries after [`mtl`] has tidied them. Polygons, joining of vertices and normals are ours
//! ([`super::polygon`], [`build`]). OBJ files make no promise about winding: every material is
//! double-sided. Free-form curves and surfaces are not drawn.

mod build;
mod mtl;
mod scan;
mod sketch;

use super::dots;
use super::error::LoadError;
use super::files::Folder;
use super::parts::Parts;
use super::reading::Reading;
use super::texture::{Asset, Bank};
use super::warning::{Warning, Warnings};
use crate::scene::Material;
use crate::scene::reading::Points;
use std::borrow::Cow;
use std::path::Path;

/// Reads the file and the libraries and pictures that it names.
pub(super) fn load(
    bytes: &[u8],
    reading: &mut Reading<'_>,
    folder: &mut Folder,
) -> Result<Parts, LoadError> {
    let Reading { path, options, view_scale, frame, warnings, normals, file, .. } = reading;
    let text = plain_text(bytes);
    let origin_in_file = frame.turn().transpose() * frame.origin;
    let mut scan = scan::scan(&text, origin_in_file, path, warnings)?;
    let has_elements = scan.num_points + scan.num_lines > 0;
    // A file of vertices without any element may be half of one, so it is drawn on request alone.
    let is_drawn = match options.points {
        Points::Alone => has_elements && scan.num_faces == 0,
        Points::Always => has_elements || scan.num_faces == 0,
    };
    if !is_drawn && !has_elements && scan.num_faces == 0 && scan.num_vertices > 0 {
        return Err(LoadError::OnlyPoints { points: scan.num_vertices, path: path.to_path_buf() });
    }
    let sketch = is_drawn.then(|| sketch::read(&text, frame));
    drop(text);
    let mesh = parse(&scan.text, path)?;
    scan.text = Vec::new();
    let (mut meshes, mut used) = match &mesh {
        None => (Vec::new(), Vec::new()),
        Some(mesh) => {
            let (meshes, used, source) =
                build::build(mesh, &scan, options.normals, frame, warnings);
            *normals = source;
            (meshes, used)
        }
    };
    drop(mesh);
    if let Some(mut sketch) = sketch {
        sketch.material = used.len();
        used.push(None);
        meshes.extend(dots::draw(vec![sketch], &meshes, warnings));
    } else {
        let (points, lines) = (scan.num_points, scan.num_lines);
        warnings.count(points + lines, |_| Warning::NoSurface { points, lines });
    }
    if !frame.settles(&meshes) {
        return Ok(Parts::default());
    }
    let mut library = mtl::Library::default();
    if scan.libraries.is_empty() && !scan.materials.is_empty() {
        // Blender and F3D look for a library of the file's own name.
        let name = path.with_extension("mtl").file_name().map(|n| n.to_string_lossy().into_owned());
        let name = name.unwrap_or_default();
        let problem = format!("the file names materials and no mtllib; {name:?} has its name");
        warnings.add(Warning::Container { problem, taken: "it is used if it is there" });
        scan.libraries.push(name);
    }
    for name in &scan.libraries {
        library.read(name, path, folder, warnings)?;
    }
    let otherwise = unnamed_material(&scan, &library, warnings);
    let mut bank = Bank::default();
    let mut materials = Vec::with_capacity(used.len());
    for name in used {
        let name = name.and_then(|index| scan.materials.get(index)).or(otherwise.as_ref());
        let known = match name {
            None => None,
            Some(name) => {
                library.material(name, options.mtl_tint, &mut bank, path, folder, warnings)?
            }
        };
        if let (None, Some(name), false) = (&known, name, library.is_empty()) {
            warnings
                .add(Warning::UndefinedMaterials { count: 1, first: super::files::shorten(name) });
        }
        materials.push(known.unwrap_or_else(|| Material {
            name: name.cloned().unwrap_or_default(),
            double_sided: true,
            ..Material::default()
        }));
    }
    let asset = Asset::new(folder, &meshes, *view_scale);
    let (textures, images) = bank.finish(&mut materials, &asset, warnings);
    file.images = images;
    Ok((meshes, materials, textures))
}

/// The material of faces in a file without any `usemtl`: the only one of its libraries.
fn unnamed_material(
    scan: &scan::Scan,
    library: &mtl::Library,
    warnings: &mut Warnings,
) -> Option<String> {
    if !scan.materials.is_empty() {
        return None;
    }
    match library.names() {
        (1, Some(name)) => {
            let shown = super::files::shorten(name);
            warnings.add(Warning::OnlyMaterial { name: shown });
            Some(name.clone())
        }
        (materials, Some(_)) => {
            warnings.add(Warning::NoUsemtl { materials });
            None
        }
        _ => None,
    }
}

/// The text as the rest reads it: lines that end with a carriage return alone (old Macintosh
/// programs) end with a line feed.
fn plain_text(bytes: &[u8]) -> Cow<'_, [u8]> {
    if bytes.contains(&b'\r') && !bytes.contains(&b'\n') {
        let mut text = bytes.to_vec();
        text.iter_mut().filter(|byte| **byte == b'\r').for_each(|byte| *byte = b'\n');
        return Cow::Owned(text);
    }
    Cow::Borrowed(bytes)
}

/// One mesh with all faces, or none. The text holds no objects, groups or materials, so `tobj` has
/// nothing to split it by.
///
/// For 1.07 million triangles (51 MB) without normals on two busy cores: our scan 0.3 s, `tobj`
/// 0.65 s, joining and normals 0.7 s.
///
fn parse(text: &[u8], path: &Path) -> Result<Option<tobj::Mesh>, LoadError> {
    let options = tobj::LoadOptions {
        triangulate: false,
        single_index: false,
        ..tobj::LoadOptions::default()
    };
    let no_library = |_: &Path| Err(tobj::LoadError::OpenFileFailed);
    let (models, _) = tobj::load_obj_buf(&mut &*text, &options, no_library)
        .map_err(|e| LoadError::malformed("OBJ", e.to_string(), path))?;
    Ok(models.into_iter().next().map(|model| model.mesh))
}
