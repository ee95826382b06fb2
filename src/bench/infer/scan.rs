//! A folder of results → its assets by generator, and the files that are not assets.

use super::found::LeftOut;
use crate::load::{EXTENSIONS, refused_format};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// GENERATOR/PROMPT/SEED/FILE.
const DEPTH_MAX: usize = 4;

/// Larger folders are refused, so that a slip (`/`) does not walk a whole disk.
const ENTRIES_MAX: usize = 1_000_000;

/// Assets of each generator: the parts of their paths below its folder, in order.
#[derive(Debug, Default)]
pub(super) struct Scan {
    pub assets: BTreeMap<String, Vec<Vec<String>>>,
    pub left_out: Vec<LeftOut>,
    entries: usize,
}

impl Scan {
    /// # Errors
    /// In words, for a folder that cannot be read, or that is too large.
    pub(super) fn of(folder: &Path) -> Result<Self, String> {
        let mut scan = Self::default();
        let top = folder.canonicalize().map_err(|e| e.to_string())?;
        scan.walk(folder, &mut Vec::new(), &top)?;
        Ok(scan)
    }

    fn walk(&mut self, at: &Path, parts: &mut Vec<String>, top: &Path) -> Result<(), String> {
        let mut entries: Vec<_> = match std::fs::read_dir(at) {
            Ok(entries) => entries.flatten().collect(),
            Err(e) if parts.is_empty() => return Err(e.to_string()),
            Err(e) => {
                self.leave_out(parts, format!("it cannot be read ({e})"));
                return Ok(());
            }
        };
        entries.sort_by_key(std::fs::DirEntry::file_name);
        for entry in entries {
            self.entries += 1;
            if self.entries > ENTRIES_MAX {
                return Err(format!(
                    "it has more than {ENTRIES_MAX} files; give only the folder of the results"
                ));
            }
            let name = match entry.file_name().into_string() {
                Ok(name) => name,
                Err(name) => {
                    parts.push(name.to_string_lossy().into_owned());
                    self.leave_out(parts, "its name is not UTF-8".to_owned());
                    parts.pop();
                    continue;
                }
            };
            if name.starts_with('.') {
                continue;
            }
            parts.push(name);
            self.enter(&entry.path(), parts, top)?;
            parts.pop();
        }
        Ok(())
    }

    /// Links are followed, as when assets are loaded.
    fn enter(&mut self, path: &Path, parts: &mut Vec<String>, top: &Path) -> Result<(), String> {
        let is_link = path.is_symlink();
        match std::fs::metadata(path) {
            Err(e) => {
                let link = if is_link { "it is a link, and " } else { "" };
                self.leave_out(parts, format!("{link}it cannot be read ({e})"));
            }
            Ok(found) if found.is_dir() => {
                let leads_up = is_link && path.canonicalize().is_ok_and(|to| top.starts_with(to));
                if leads_up {
                    self.leave_out(parts, "it links to a parent folder".to_owned());
                } else if parts.len() < DEPTH_MAX {
                    self.walk(path, parts, top)?;
                } else {
                    self.leave_out(parts, "it is nested too deep; expected GENERATOR/PROMPT/FILE or GENERATOR/PROMPT/SEED/FILE".to_owned());
                }
            }
            Ok(found) if found.is_file() => self.file(parts),
            Ok(_) => {}
        }
        Ok(())
    }

    /// Textures, logs and other companions are no news.
    fn file(&mut self, parts: &[String]) {
        let file = parts.last().map(PathBuf::from).unwrap_or_default();
        let extension = file.extension().unwrap_or_default().to_string_lossy();
        let extension = extension.to_ascii_lowercase();
        match parts {
            _ if !EXTENSIONS.contains(&extension.as_str()) => {
                if let Some(format) = refused_format(&extension) {
                    self.leave_out(parts, format!("its format, {format}, is not supported"));
                }
            }
            [_] => self.leave_out(
                parts,
                "it is in no generator's folder; expected GENERATOR/PROMPT.glb".to_owned(),
            ),
            [generator, below @ ..] => {
                let assets = self.assets.entry(generator.clone()).or_default();
                assets.push(below.to_vec());
            }
            [] => {}
        }
    }

    fn leave_out(&mut self, parts: &[String], why: String) {
        self.left_out.push(LeftOut { path: parts.join("/"), why });
    }
}
