//! The differences of two runs → one HTML file without scripts: what became better, what became
//! worse, and links to the pairs in the runs' own reports.

use super::page::{STYLE, filled, value};
use super::show::{cut, plural};
use super::table_view::difference_table;
use crate::error::Error;
use crate::results::{Change, Difference};
use minijinja::{Value, context};
use std::path::{Path, PathBuf};

const TEMPLATE: &str = include_str!("../../assets/report/diff.html");

/// Prompts listed in a line.
const PROMPTS_MAX: usize = 5;
const PROMPT_CHARS_MAX: usize = 80;

/// The page as HTML, to be written to `page`. Links lead to the `report.html` of the runs, where
/// there is one.
///
/// # Errors
/// A broken template of ours, which a test would have found.
pub fn write_diff_page(
    found: &[Difference],
    [before, after]: [&Path; 2],
    page: &Path,
) -> Result<String, Error> {
    let [before_link, after_link] = [before, after].map(|run| link(run, page));
    let run = |run: &Path, link: &Option<String>| {
        let name = std::path::absolute(run).unwrap_or_else(|_| run.to_owned());
        let name = name.file_name().unwrap_or_default().to_string_lossy().into_owned();
        context! { name, link }
    };
    let parts = [
        ("worse", "Worse", Change::Worse),
        ("better", "Better", Change::Better),
        ("open", "Not settled", Change::NotTold),
    ];
    let count = |change| found.iter().filter(|one| one.change() == change).count();
    let parts = parts.into_iter().filter(|(.., change)| count(*change) > 0);
    let parts = parts.map(|(id, title, change)| {
        let lines: Vec<_> = found.iter().filter(|one| one.change() == change).collect();
        let links = [before_link.as_deref(), after_link.as_deref()];
        let changes: Vec<_> = lines.iter().map(|one| changes(one, links)).collect();
        context! { id, title, table => value(difference_table(&lines)), changes }
    });
    let answer = format!(
        "{} worse, {} better, {} not settled.",
        count(Change::Worse),
        count(Change::Better),
        plural(count(Change::NotTold), "line"),
    );
    let context = context! {
        style => Value::from_safe_string(STYLE.to_owned()),
        before => run(before, &before_link),
        after => run(after, &after_link),
        answer,
        parts => parts.collect::<Vec<_>>(),
    };
    filled("diff.html", TEMPLATE, context)
}

/// The largest ones by prompt, with links to the pairs in the reports.
fn changes(one: &Difference, [before, after]: [Option<&str>; 2]) -> Vec<Value> {
    let mut changes: Vec<&(String, f64)> =
        one.prompts.iter().filter(|(_, difference)| *difference != 0.0).collect();
    changes.sort_by(|x, y| y.1.abs().total_cmp(&x.1.abs()));
    changes.truncate(PROMPTS_MAX);
    let linked = |(prompt, difference): &(String, f64)| {
        let pairs = format!(
            "#?at=gallery&text={}&method={}&key={}",
            encoded(prompt),
            encoded(&one.method),
            encoded(one.key.criterion())
        );
        let to = |report: Option<&str>| report.map(|report| format!("{report}{pairs}"));
        context! {
            prompt => cut(prompt, PROMPT_CHARS_MAX),
            difference => one.signed(*difference),
            before => to(before),
            after => to(after),
        }
    };
    changes.into_iter().map(linked).collect()
}

/// From the page to a run's report; none if there is none.
fn link(run: &Path, page: &Path) -> Option<String> {
    let report = run.join("report.html").canonicalize().ok()?;
    let parent = page.parent().filter(|parent| !parent.as_os_str().is_empty());
    let folder = parent.unwrap_or(Path::new(".")).canonicalize().ok()?;
    let common = folder.components().zip(report.components()).take_while(|(x, y)| x == y).count();
    let up = folder.components().skip(common).map(|_| PathBuf::from(".."));
    let whole: PathBuf =
        up.chain(report.components().skip(common).map(|part| part.as_os_str().into())).collect();
    let parts = whole.components().map(|part| encoded(&part.as_os_str().to_string_lossy()));
    Some(parts.collect::<Vec<_>>().join("/"))
}

/// For an address: everything but letters, digits and a few marks as `%XX`.
fn encoded(text: &str) -> String {
    let one = |byte: u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' => {
            char::from(byte).to_string()
        }
        byte => format!("%{byte:02X}"),
    };
    text.bytes().map(one).collect()
}
