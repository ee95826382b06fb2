//! Splat bytes → [`Loaded`], by `meshjudge-splat`. Files they name are read via [`Folder`].

use super::error::LoadError;
use super::files::{FileProblem, Folder};
use super::ignored::{Place, note};
use super::limits::FILE_BYTES_MAX;
use super::reading::Reading;
use super::warning::{Warning, Warnings};
use glam::{DAffine3, DMat3};
pub(super) use meshjudge_splat::read::Loaded;
use meshjudge_splat::read::{self, Axes, ReadError};
use std::cell::RefCell;

/// Splats with y up and the front towards +z. The turn of the options follows the format's own.
pub(super) fn load(
    bytes: &[u8],
    reading: &mut Reading<'_>,
    folder: &mut Folder,
) -> Result<Loaded, LoadError> {
    let path = reading.path;
    let files = RefCell::new((folder, None));
    let open = |name: &str| {
        let (folder, problem): &mut (&mut Folder, Option<(FileProblem, String)>) =
            &mut files.borrow_mut();
        folder.read(name, FILE_BYTES_MAX).map_err(|why| {
            *problem = Some((why, name.to_owned()));
            ReadError::Missing { name: name.to_owned() }
        })
    };
    let found = read::read(bytes, path, Axes::Usual, &open);
    if let (Err(_), (_, Some((problem, name)))) = (&found, files.into_inner()) {
        return Err(problem.into_error("the splats' file", &name, path));
    }
    let mut found =
        found.map_err(|reason| LoadError::Splats { reason, path: path.to_path_buf() })?;
    if found.format == read::Format::Gltf {
        super::gltf::note_names(bytes, reading);
    }
    found.ignored.iter().for_each(|name| note(Place::Splats, name, &mut reading.warnings));
    let turn = reading.frame.turn();
    if turn != DMat3::IDENTITY {
        let turned = found.splats.mapped(&DAffine3::from_mat3(turn));
        found.splats = turned.expect("a turn keeps every splat");
    }
    Ok(found)
}

/// Notes what was repaired or left out.
pub(super) fn warn(found: &Loaded, warnings: &mut Warnings) {
    let (dropped, clamped) = (found.repairs.dropped, found.repairs.opacities_clamped);
    if dropped + clamped > 0 {
        warnings.add(Warning::Splats { dropped, clamped });
    }
    if found.has_degree_4 {
        warnings.add(Warning::HarmonicsOfDegreeFour);
    }
}
