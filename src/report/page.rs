//! A run → one self-contained HTML file: style, script, data and pictures are in it.
//!
//! The policy in its head allows exactly our style and our script, by hash, and pictures as data.
//! Text enters through one formatter that makes control characters visible and escapes the rest;
//! JSON enters with `<`, `>` and `&` written as `\u00..`.

use super::about::RunReport;
use super::boards::written as in_text;
use super::current::parts_folder;
use super::error_maps::error_figures;
use super::extent::PictureCount;
use super::gallery::{Gallery, WORDS_PER_PART, script_data};
use super::latex::{boards_bibtex, table_latex};
use super::methods::methods_paragraph;
use super::paper_table::paper_tables;
use super::pictures::{Embedded, Scaled, embedded};
use super::sections::chapters_after;
use super::show::{capital, cut, in_words, outcome_count, plural, visible};
use super::table::Table;
use super::table_view::{FAILURES_LISTED_MAX, asset_failures, judge_columns, making_table};
use super::thumbs::{Strip, drawn_strips, script_strips, strips};
use super::unrated::unrated_sentences;
use super::words::{headline, is_one_pair, primary};
use crate::error::Error;
use crate::save::{NewFolder, write_file};
use base64::Engine;
use minijinja::{AutoEscape, Environment, Value, context};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// Where the viewer's modules are; the same text is used by the report and by the voting page.
pub(super) const IMPORT_MAP: &str = r#"{"imports":{"three":"./viewer/build/three.module.min.js"}}"#;

const TEMPLATE: &str = include_str!("../../assets/report/report.html");
/// Sentences, tables and sections, for all templates.
const MACROS: &str = include_str!("../../assets/report/tables.html");
// Not constants, of which each unit of compilation would have a copy.
pub(super) static STYLE: &str = include_str!("../../assets/report/report.css");
pub(super) static SCRIPT: &str = include_str!("../../assets/report/report.js");

/// Longer names and reasons are cut in the page.
const TEXT_CHARS_MAX: usize = 2_000;

/// How a page is delivered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Page {
    /// In a file of its own, with that many pairs' pictures.
    File(PictureCount),
    /// As a static site with 3D views, with that many pairs' pictures; [`super::write_bundle`]
    /// writes the rest of it.
    Site(PictureCount),
    /// On our own local server, which hands out pictures and assets by their hashes.
    Served {
        /// Whether people can vote at `/vote`.
        has_votes: bool,
    },
}

/// The page as HTML, with everything in it but the gallery of large runs, whose parts
/// [`write_report`] writes. The same run gives the same bytes.
///
/// # Errors
/// A broken template of ours, which a test would have found.
pub fn write_page(report: &RunReport, page: Page) -> Result<String, Error> {
    let strips = strips(&report.gallery);
    let all = held(report, &strips, page, true).into_iter();
    let pictures: BTreeMap<String, Embedded> =
        all.map(|(name, picture)| (name, picture.shown(picture.data_uri()))).collect();
    let mut inline = BTreeMap::new();
    let pictured = |hash: &str| is_pictured(page, &pictures, hash);
    let mut data = script_data(&report.gallery, pictured, |number, part| {
        inline.insert(format!("items-{number}"), part);
        Ok::<(), Error>(())
    })?;
    for (part, words) in words_parts(report.words.iter().flatten()) {
        inline.insert(format!("words-{part}"), words);
    }
    data["strips"] = script_strips(&strips, &data);
    render(report, page, &pictures, data, &inline)
}

/// The part of a large run's gallery that every such run has.
const FIRST_PART: &str = "items-0.js";

/// Writes the report of runs: one file, or for large runs a page and a folder of parts next to it,
/// which load on demand. Returns the bytes of the page.
///
/// # Errors
/// [`Error`].
pub fn write_report(report: &RunReport, path: &Path, count: PictureCount) -> Result<usize, Error> {
    if report.words.is_some() {
        let page = write_page(report, Page::File(count))?;
        return written(path, write_file(path, page.as_bytes())).map(|()| page.len());
    }
    let folder = parts_folder(path);
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    let parts = written(&folder, NewFolder::create(&folder))?;
    let write = |file: &str, bytes: &[u8]| written(&folder.join(file), parts.write(file, bytes));
    let page = write_parts(report, &write, &name, Page::File(count))?;
    written(&folder, parts.merge(&[], FIRST_PART))?;
    written(path, write_file(path, page.as_bytes())).map(|()| page.len())
}

/// Hands pictures and parts of the gallery to `write`, which puts them into a folder `name` next to
/// the page, and returns the page.
pub(super) fn write_parts(
    report: &RunReport,
    write: &(impl Fn(&str, &[u8]) -> Result<(), Error> + Sync),
    name: &str,
    page: Page,
) -> Result<String, Error> {
    let strips = strips(&report.gallery);
    let mut pictures = BTreeMap::new();
    for (hash, picture) in held(report, &strips, page, false) {
        let file = format!("{hash}.{}", picture.extension());
        write(&file, &picture.bytes)?;
        pictures.insert(hash, picture.shown(format!("{name}/{file}")));
    }
    let write = |part: &str, value: &serde_json::Value| {
        write(&format!("{part}.js"), part_script(part, value).as_bytes())
    };
    let pictured = |hash: &str| is_pictured(page, &pictures, hash);
    let (data, written) = rayon::join(
        || {
            script_data(&report.gallery, pictured, |number, part| {
                write(&format!("items-{number}"), &part)
            })
        },
        || write_words(report, write),
    );
    let mut data = data?;
    written?;
    data["parts"] = format!("{name}/").into();
    data["strips"] = script_strips(&strips, &data);
    render(report, page, &pictures, data, &BTreeMap::new())
}

/// Pictures are embedded in a page that no server of ours hands out.
fn count_of(page: Page) -> PictureCount {
    match page {
        Page::File(count) | Page::Site(count) => count,
        Page::Served { .. } => PictureCount::None,
    }
}

/// The pictures that a page holds, and its strips of thumbnails.
fn held(
    report: &RunReport,
    strips: &[(Arc<str>, Strip)],
    page: Page,
    is_one_file: bool,
) -> Vec<(String, Scaled)> {
    let count = count_of(page);
    let mut all: Vec<_> = embedded(report, count).into_iter().collect();
    if count != PictureCount::None {
        all.extend(drawn_strips(strips, &report.folders, is_one_file));
    }
    all
}

/// Hands the judges' words to `write`, part by part with its name.
fn write_words(
    report: &RunReport,
    write: impl Fn(&str, &serde_json::Value) -> Result<(), Error>,
) -> Result<(), Error> {
    let mut part: Vec<(u64, String)> = Vec::new();
    let flush = |part: &mut Vec<(u64, String)>| -> Result<(), Error> {
        for (number, words) in words_parts(part.iter().map(|(place, words)| (place, words))) {
            write(&format!("words-{number}"), &words)?;
        }
        part.clear();
        Ok(())
    };
    report.each_words(|place, words| {
        if part.last().is_some_and(|(last, _)| last / WORDS_PER_PART != place / WORDS_PER_PART) {
            flush(&mut part)?;
        }
        part.push((place, words.to_owned()));
        Ok::<(), Error>(())
    })?;
    flush(&mut part)
}

/// A part as a script file: a page that was opened from a disk may load scripts, and nothing else.
pub(super) fn part_script(name: &str, value: &serde_json::Value) -> String {
    format!("meshjudgePart(\"{name}\", {});\n", script_json(value))
}

/// Words by the number of their part, and in it by their place.
pub(super) fn words_parts<'a>(
    words: impl Iterator<Item = (&'a u64, &'a String)>,
) -> BTreeMap<u64, serde_json::Value> {
    let mut parts: BTreeMap<u64, serde_json::Value> = BTreeMap::new();
    for (place, words) in words {
        let part = parts.entry(place / WORDS_PER_PART).or_insert_with(|| serde_json::json!({}));
        part[(place % WORDS_PER_PART).to_string()] = words.as_str().into();
    }
    parts
}

fn is_pictured(page: Page, pictures: &BTreeMap<String, Embedded>, hash: &str) -> bool {
    matches!(page, Page::Served { .. }) || pictures.contains_key(hash)
}

/// A large run's page as our own server sends it, and the parts of its gallery.
pub(super) fn served_in_parts(
    report: &RunReport,
    page: Page,
) -> Result<(String, Vec<String>), Error> {
    let mut parts = Vec::new();
    let mut data = script_data(
        &report.gallery,
        |_| true,
        |number, part| {
            parts.push(part_script(&format!("items-{number}"), &part));
            Ok::<(), Error>(())
        },
    )?;
    data["parts"] = "part/".into();
    data["strips"] = script_strips(&strips(&report.gallery), &data);
    Ok((render(report, page, &BTreeMap::new(), data, &BTreeMap::new())?, parts))
}

/// Each table of a paper in the formats that a reader copies.
fn paper(report: &RunReport) -> Vec<Value> {
    let tables = paper_tables(report).into_iter();
    let forms = tables.map(|table| {
        context! {
            title => table.title.clone(),
            forms => [
                ("LaTeX", table_latex(&table)),
                ("Markdown", table.markdown()),
                ("CSV", table.csv()),
            ],
        }
    });
    forms.collect()
}

fn render(
    report: &RunReport,
    page: Page,
    pictures: &BTreeMap<String, Embedded>,
    data: serde_json::Value,
    inline: &BTreeMap<String, serde_json::Value>,
) -> Result<String, Error> {
    let gallery = &report.gallery;
    let results = &report.results;
    let first = primary(report);
    let judges: Vec<_> = results.spending.iter().collect();
    // An asset that was made and could be judged is no failure.
    let making: Vec<_> = results.making.iter().filter(|making| making.failed > 0).collect();
    let is_one_pair = first.is_some_and(|i| is_one_pair(&results.boards[i]));
    let headline = headline(report);
    let said: Vec<String> = headline.notes.iter().map(in_text).collect();
    let chapters = chapters_after(&said, results);
    let embed = |value: &serde_json::Value| Value::from_safe_string(script_json(value));
    let num_asset_failures = results.failures.len();
    let context = context! {
        style => Value::from_safe_string(STYLE.to_owned()),
        script => Value::from_safe_string(SCRIPT.to_owned()),
        style_hash => Value::from_safe_string(csp_hash(STYLE)),
        script_hash => Value::from_safe_string(csp_hash(SCRIPT)),
        import_map => Value::from_safe_string(IMPORT_MAP.to_owned()),
        is_served => matches!(page, Page::Served { .. }),
        is_site => matches!(page, Page::Site(_)),
        import_map_hash => Value::from_safe_string(csp_hash(IMPORT_MAP)),
        has_votes => page == Page::Served { has_votes: true },
        mark => mark(report, page),
        is_one_pair,
        headline => value(headline),
        chapters => value(chapters),
        primary => first,
        provenance => value(report.provenance()),
        unrated => value(unrated_sentences(results, in_words)),
        errors => match page {
            Page::File(PictureCount::None) | Page::Site(PictureCount::None) => Vec::new(),
            _ => error_figures(report),
        },
        paper => paper(report),
        methods => methods_paragraph(report),
        bibtex => boards_bibtex(report),
        judges => value(Table::new(&judge_columns(), &judges, None)),
        making => value(making_table(&making)),
        outcomes => value(results.outcomes.iter().map(|(o, n)| outcome_count(*n, o)).collect::<Vec<_>>()),
        asset_failures => value(asset_failures(&results.failures)),
        num_asset_failures,
        question_failures => value(report.failed.table()),
        num_question_failures => report.failed.count,
        failures_listed_max => FAILURES_LISTED_MAX,
        same_method => results.same_method,
        outdated => results.notes().join(". "),
        without_reply => report.without_reply,
        repeated => report.repeated,
        num_items => gallery.items.len(),
        items_said => items_said(gallery),
        has_parts => data.get("parts").is_some(),
        data => embed(&data),
        pictures => embed(&serde_json::to_value(pictures).unwrap_or_default()),
        inline => inline.iter().map(|(name, part)| (name.clone(), embed(part))).collect::<Vec<_>>(),
    };
    filled("report.html", TEMPLATE, context)
}

/// Distinguishes a page from that of another run, or of this run at another time.
fn mark(report: &RunReport, page: Page) -> Option<String> {
    match (page, &report.source) {
        (Page::File(count), Some(source)) => Some(source.mark(count)),
        _ => None,
    }
}

/// Plain data as the template sees it.
pub(super) fn value(data: impl serde::Serialize) -> Value {
    Value::from(minijinja::value::Serde(data))
}

fn items_said(gallery: &Gallery) -> String {
    let pairs = gallery.items.iter().filter(|item| item.b.is_some()).count();
    let singles = gallery.items.len() - pairs;
    match (pairs, singles) {
        (pairs, 0) => plural(pairs, "pair"),
        (0, singles) => plural(singles, "object"),
        (pairs, singles) => format!("{} and {}", plural(pairs, "pair"), plural(singles, "object")),
    }
}

/// A template of ours with the context in it. Everything that is not marked safe is escaped, after
/// control characters were made visible.
pub(super) fn filled(name: &str, template: &str, context: Value) -> Result<String, Error> {
    let mut environment = Environment::new();
    environment.set_auto_escape_callback(|_| AutoEscape::Html);
    // A capital κ would read as a K.
    environment.add_filter("titled", |heading: String| {
        if heading.starts_with('κ') { heading } else { capital(&heading) }
    });
    environment.set_formatter(|out, state, value| match value.as_str() {
        Some(text) if !value.is_safe() => {
            let shown = visible(&cut(text, TEXT_CHARS_MAX), true);
            minijinja::escape_formatter(out, state, &Value::from(shown))
        }
        _ => minijinja::escape_formatter(out, state, value),
    });
    let page = environment.render_named_str(name, &[MACROS, template].concat(), context);
    page.map_err(|e| Error::bug(format!("the page could not be built ({e:#}); please report this")))
}

/// `sha256-…` as a content security policy names an inline script or style.
pub(super) fn csp_hash(text: &str) -> String {
    let digest = Sha256::digest(text.as_bytes());
    format!("sha256-{}", base64::engine::general_purpose::STANDARD.encode(digest))
}

/// JSON inside a `<script>`: no character in it can end the element or begin a comment.
pub(super) fn script_json(value: &serde_json::Value) -> String {
    // These occur only in strings, where JSON reads the escape as the character itself.
    let marks = ['<', '>', '&', '\u{2028}', '\u{2029}'];
    let escaped = |text: String, mark| text.replace(mark, &format!("\\u{:04x}", u32::from(mark)));
    marks.into_iter().fold(value.to_string(), escaped)
}

/// With the system's error about a file, as an error of this stage.
pub(super) fn written<T>(path: &Path, result: std::io::Result<T>) -> Result<T, Error> {
    result.map_err(|e| {
        Error::run(format!("cannot write the report ({e}); check the folder and the disk")).at(path)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_cannot_leave_its_script() {
        let hostile = "</script><img src=x onerror=alert(1)><!-- & \u{2028}";
        let embedded = script_json(&serde_json::json!([hostile]));
        assert!(!embedded.contains(['<', '>', '&', '\u{2028}']), "{embedded}");
        let back: Vec<String> = serde_json::from_str(&embedded).unwrap();
        assert_eq!(back, [hostile]);
    }

    #[test]
    fn the_hash_is_the_one_of_the_specification() {
        // CSP Level 3, section 2.3.1 gives no vector; this is
        // `printf "alert('Hello, world.');" | openssl dgst -sha256 -binary | base64`.
        assert_eq!(
            csp_hash("alert('Hello, world.');"),
            "sha256-qznLcsROx4GACP2dm0UCKCzCG+HiZ1guq6ZZDob/Tng="
        );
    }
}
