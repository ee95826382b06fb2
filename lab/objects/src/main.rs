//! Writes `crates/asset/assets/objects` and `assets/demo`, or lists outdated files in them:
//! `cargo run -p meshjudge-lab-objects [-- --check]`.
//!
//! The photo of the demo is drawn by our renderer and changes with it; it is written and not
//! checked.

use meshjudge_asset::load::{Options, load, load_bytes};
use meshjudge_lab_objects::{all, demo, difference, files, table};
use std::error::Error;
use std::path::Path;
use std::process::ExitCode;

/// Both folders, from the root of the repository.
const OBJECTS: &str = "crates/asset/assets/objects";
const DEMO: &str = "assets/demo";

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => write(&root).map(|()| ExitCode::SUCCESS),
        ["--check"] => {
            let stale = stale(&root);
            for message in &stale {
                eprintln!("{message}");
            }
            Ok(if stale.is_empty() {
                ExitCode::SUCCESS
            } else {
                eprintln!("run `cargo run -p meshjudge-lab-objects`");
                ExitCode::FAILURE
            })
        }
        _ => Err("usage: meshjudge-lab-objects [--check]".into()),
    }
}

fn write(root: &Path) -> Result<(), Box<dyn Error>> {
    let objects = root.join(OBJECTS);
    std::fs::create_dir_all(&objects)?;
    let made = files();
    for (name, bytes) in &made {
        println!("{name}: {} bytes", bytes.len());
        std::fs::write(objects.join(name), bytes)?;
    }
    println!("{} bytes in all", made.iter().map(|(_, b)| b.len()).sum::<usize>());
    std::fs::write(objects.join("objects.toml"), table())?;
    let folder = root.join(DEMO);
    for (name, bytes) in demo::all() {
        let path = folder.join(name);
        std::fs::create_dir_all(path.parent().unwrap_or(&folder))?;
        std::fs::write(path, bytes)?;
    }
    let chair = load(&folder.join("chair_clean.glb"), &Options::default())?;
    let (photo, mask) = demo::photo(&chair.scene);
    std::fs::write(folder.join("photo.png"), photo.to_png()?)?;
    std::fs::write(folder.join("mask.png"), mask.to_png()?)?;
    Ok(())
}

/// A line for each file that is not what the code makes.
fn stale(root: &Path) -> Vec<String> {
    let mut out = Vec::new();
    for model in all() {
        let name = format!("{}.glb", model.name);
        let path = root.join(OBJECTS).join(&name);
        let problem = match std::fs::read(&path) {
            Err(e) => Some(e.to_string()),
            Ok(bytes) => match load_bytes(&bytes, Path::new(&name), &Options::default()) {
                Err(e) => Some(e.to_string()),
                Ok(loaded) => {
                    difference(&model.scene(), &loaded.scene).map(|what| format!("{what} differ"))
                }
            },
        };
        out.extend(problem.map(|problem| format!("{OBJECTS}/{name} is out of date: {problem}")));
    }
    let mut exact = demo::all();
    exact.iter_mut().for_each(|(name, _)| *name = format!("{DEMO}/{name}"));
    exact.push((format!("{OBJECTS}/objects.toml"), table().into_bytes()));
    for (name, bytes) in exact {
        if std::fs::read(root.join(&name)).ok() != Some(bytes) {
            out.push(format!("{name} is out of date"));
        }
    }
    out
}
