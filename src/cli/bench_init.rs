//! `bench init`: writes a commented benchmark file, or one for a folder of results.

use super::render::write_file;
use super::words::some_of;
use super::{Exit, Printer};
use crate::bench::{
    BenchFile, Inferred, InferredPrompt, LeftOut, Plan, SCHEMA, SCHEMA_FILE, SERVICE_HELPER,
    SERVICES, TEMPLATE, check_photos,
};
use crate::error::Error;
use crate::report::{plural, plural_with};
use clap::Args;
use clap::builder::PossibleValuesParser;
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The default name of the file that `init` writes.
pub(super) const INIT_FILE: &str = "bench.toml";

#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:
  meshjudge bench init                          an example with every key explained
  meshjudge bench init out --photos photos      generators, prompts and seeds from the names in out/GENERATOR/PROMPT.glb
  meshjudge bench init --service meshy          the program that asks Meshy for assets")]
pub(super) struct InitArgs {
    /// A folder of results, or the name of the example [default: bench.toml]
    #[arg(value_name = "FOLDER")]
    pub place: Option<PathBuf>,

    /// Folder of the photos from which the assets were made [default: searched next to and inside
    /// the results]
    #[arg(long, value_name = "DIR")]
    pub photos: Option<PathBuf>,

    /// Overwrite existing files
    #[arg(long)]
    pub force: bool,

    /// Instead write the program that asks this service for assets, to be edited and run by `serve`
    /// of a generator
    #[arg(long, value_name = "NAME", value_parser = PossibleValuesParser::new(SERVICES.map(|(name, _)| name)))]
    pub service: Vec<String>,
}

/// Writes the benchmark file for a folder of results, or a commented example.
pub(super) fn init(args: &InitArgs, printer: &Printer) -> Result<Exit, Error> {
    let path = args.place.as_deref().unwrap_or(Path::new(INIT_FILE));
    if !args.service.is_empty() {
        return init_services(path, args, printer);
    }
    if path.is_dir() {
        return init_from(path, args, printer);
    }
    if path.extension().is_none_or(|extension| extension != "toml") {
        return Err(Error::usage(format!(
            "no folder has this name, and the name of a benchmark file must end in .toml: {path:?}"
        )));
    }
    write(path, TEMPLATE, args.force, printer)?;
    let text = format!(
        "next    enter your prompts and generators, then run: meshjudge bench {} --dry-run",
        path.display()
    );
    printer.show(text, []);
    Ok(Exit::Done)
}

/// Writes the benchmark file for a folder of results into the working directory.
fn init_from(folder: &Path, args: &InitArgs, printer: &Printer) -> Result<Exit, Error> {
    let path = Path::new(INIT_FILE);
    if !args.force && path.exists() {
        return Err(Error::usage(taken(path)));
    }
    let found = Inferred::of(folder, args.photos.as_deref())?;
    print_found(&found, printer);
    write(path, &found.to_toml(), args.force, printer)?;
    if found.photos.is_some() {
        name_photos(path, printer);
    }
    printer.show("next    meshjudge bench", []);
    Ok(Exit::Done)
}

/// What `bench` will say about the photos, before any money is spent.
fn name_photos(path: &Path, printer: &Printer) {
    let plan = BenchFile::open(path).and_then(|file| Plan::new(&file, path));
    let checked = plan.and_then(|plan| {
        let watched = printer.with_progress(plan.prompts.len() as u64, "photos");
        let checked = check_photos(&plan, Path::new(""), &|| watched.step());
        watched.finish();
        checked
    });
    let notes = checked.unwrap_or_else(|error| vec![error.to_string()]);
    notes.iter().for_each(|note| printer.note(note));
}

/// Writes programs that ask services next to a benchmark file.
fn init_services(path: &Path, args: &InitArgs, printer: &Printer) -> Result<Exit, Error> {
    let wanted = |(name, _): &&(&str, &str)| args.service.iter().any(|wanted| wanted == name);
    let wanted = SERVICES.iter().filter(wanted);
    for (name, text) in wanted.clone() {
        write_one(&path.with_file_name(format!("{name}.py")), text, args.force, printer)?;
    }
    let (helper, text) = SERVICE_HELPER;
    let helper = path.with_file_name(format!("{helper}.py"));
    if args.force || !helper.exists() {
        write_one(&helper, text, args.force, printer)?;
    }
    for (name, _) in wanted {
        let text = format!(
            "next    read {name}.py, then add [[generators]] with name = \"{name}\" and serve = \"python3 {name}.py\""
        );
        printer.show(text, []);
    }
    Ok(Exit::Done)
}

fn taken(path: &Path) -> String {
    format!("the file exists; use --force to overwrite it: {path:?}")
}

/// The file, and its schema next to it.
fn write(path: &Path, text: &str, is_forced: bool, printer: &Printer) -> Result<(), Error> {
    write_one(path, text, is_forced, printer)?;
    // Ours, whatever its version.
    write_one(&path.with_file_name(SCHEMA_FILE), SCHEMA, true, printer)
}

fn write_one(path: &Path, text: &str, is_forced: bool, printer: &Printer) -> Result<(), Error> {
    if !is_forced && path.symlink_metadata().is_ok() {
        return Err(Error::usage(taken(path)));
    }
    write_file(path, text.as_bytes())?;
    printer.show(format!("wrote   {}", path.display()), [json!({"kind": "wrote", "path": path})]);
    Ok(())
}

fn print_found(found: &Inferred, printer: &Printer) {
    let missing = found.missing();
    let widths = found.generators.iter().map(|generator| generator.name.chars().count());
    let widest = widths.max().unwrap_or(0).max("generator".len());
    let mut text = format!("{:widest$}  assets  missing  path\n", "generator");
    let mut rows = Vec::new();
    for (generator, (_, missing)) in found.generators.iter().zip(&missing) {
        let (name, path, assets) = (&generator.name, &generator.path, generator.assets.len());
        text += &format!("{name:widest$}  {assets:6}  {:7}  {path}\n", missing.len());
        rows.push(json!({
            "kind": "generator", "name": name, "path": path, "assets": assets, "missing": missing,
        }));
    }
    let count =
        |has: fn(&InferredPrompt) -> bool| found.prompts.iter().filter(|it| has(it)).count();
    let with_text = count(|prompt| prompt.text().is_some());
    let texts = match &found.texts_file {
        None if with_text == 0 => "photos without texts".to_owned(),
        Some(file) => format!("texts from {}", file.display()),
        None => {
            "texts from their names; a prompts.txt, .json or .jsonl in the folder would be used"
                .to_owned()
        }
    };
    let ids: BTreeSet<&str> = found.prompts.iter().map(|p| p.id.as_str()).collect();
    let seeds: Vec<String> = found.seeds.iter().map(u32::to_string).collect();
    text += &format!("{} ({texts})\n", plural(ids.len(), "prompt"));
    if let Some(folder) = &found.photos {
        let photos = found.prompts.iter().flat_map(|prompt| &prompt.photos);
        let masks = photos.clone().filter(|(_, _, mask)| mask.is_some()).count();
        let several = count(|prompt| prompt.photos.len() > 1);
        let sides = match plural_with(several, "prompt", ["has photos", "have photos"]) {
            prompts if several > 0 => format!("; {prompts} of several sides"),
            _ => String::new(),
        };
        let [photos, masks] = [plural(photos.count(), "photo"), plural(masks, "mask")];
        text += &format!("{photos} and {masks} from {}{sides}\n", folder.display());
    }
    if !seeds.is_empty() {
        text += &format!("seeds {}\n", seeds.join(", "));
    }
    for prompt in &found.prompts {
        let (image, mask) = match prompt.photos.as_slice() {
            [(_, image, mask)] => (Some(image), mask.as_ref()),
            _ => (None, None),
        };
        let named = prompt.photos.iter().filter(|(side, ..)| !side.is_empty());
        let images: BTreeMap<_, _> = named.clone().map(|(side, image, _)| (side, image)).collect();
        let masks: BTreeMap<_, _> =
            named.filter_map(|(side, _, mask)| Some((side, mask.as_ref()?))).collect();
        rows.push(json!({
            "kind": "prompt", "id": prompt.id, "text": prompt.text(), "image": image, "mask": mask, "images": images, "masks": masks,
        }));
    }
    let left_out = found.left_out.iter();
    let left_out =
        left_out.map(|LeftOut { path, why }| json!({"kind": "left_out", "path": path, "why": why}));
    printer.show(text, rows.into_iter().chain(left_out));
    for (generator, missing) in missing.iter().filter(|(_, missing)| !missing.is_empty()) {
        printer.note(&format!(
            "{generator} has no asset for {}",
            some_of(missing.iter().map(|id| format!("{id:?}")))
        ));
    }
    let mut whys: Vec<&str> = found.left_out.iter().map(|left| left.why.as_str()).collect();
    whys.sort_unstable();
    whys.dedup();
    for why in whys {
        let same = found.left_out.iter().filter(|left| left.why == why);
        printer.warn(&format!(
            "left out, because {why}: {}",
            some_of(same.map(|left| format!("{:?}", left.path)))
        ));
    }
    found.notes.iter().for_each(|note| printer.warn(note));
}
