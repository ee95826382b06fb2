//! The reliability of judges → one HTML file without scripts, several judges side by side.

use super::page::{STYLE, filled};
use super::pictures::{embed, find};
use super::show::{capital, dollars, outcome_count, percent, plural, title};
use crate::audit::{JudgeFigures, PLAIN_LEVEL, WrongAnswer};
use crate::damage::kind;
use crate::error::Error;
use crate::rate::Estimate;
use crate::store::Store;
use minijinja::{Value, context};

const TEMPLATE: &str = include_str!("../../assets/report/audit.html");

/// More wrong answers are counted, not shown.
const WRONG_SHOWN_MAX: usize = 48;

/// The page as HTML; the same figures give the same bytes. `run` is the run's name; `wrong` are
/// shown with their pictures, as far as the runs have them.
///
/// # Errors
/// A broken template of ours, which a test would have found.
pub fn write_audit_page(
    judges: &[JudgeFigures],
    run: &str,
    wrong: &[WrongAnswer],
) -> Result<String, Error> {
    let mut levels: Vec<f32> = judges
        .iter()
        .flat_map(|judge| &judge.findings)
        .flat_map(|found| found.accuracy.iter().map(|(level, _)| *level))
        .collect();
    levels.sort_by(f32::total_cmp);
    levels.dedup();
    let context = context! {
        style => Value::from_safe_string(STYLE.to_owned()),
        run => run,
        judges => judges.iter().map(head).collect::<Vec<_>>(),
        levels => levels.iter().map(f32::to_string).collect::<Vec<_>>(),
        about => about(judges),
        found => found(judges, &levels),
        spared => spared(judges),
        habits => habits(judges),
        num_wrong => wrong.len(),
        wrong => wrong.iter().take(WRONG_SHOWN_MAX).map(wrong_figure).collect::<Vec<_>>(),
    };
    filled("audit.html", TEMPLATE, context)
}

fn wrong_figure(answer: &WrongAnswer) -> Value {
    let picture = answer
        .picture
        .as_ref()
        .and_then(|(folder, hash)| embed(&find(&[Store::read(folder).ok()?], hash)?.path));
    let criteria: Vec<String> = answer.criteria.iter().map(|key| title(key)).collect();
    let base = std::path::Path::new(&answer.base).file_name().unwrap_or_default();
    context! {
        judge => answer.judge.as_str(),
        base => base.to_string_lossy(),
        damage => answer.damage.clone(),
        criteria => criteria.join(", "),
        // Only letters of base64, and longer than text may be.
        src => picture.map(|picture| Value::from_safe_string(picture.data_uri())),
    }
}

/// The questions, and the definition of a right answer.
fn about(judges: &[JudgeFigures]) -> Vec<String> {
    let count = judges.iter().map(|judge| judge.num_bases).max().unwrap_or(0);
    let has_scores = |judge: &JudgeFigures| judge.findings.iter().any(|f| !f.drops.is_empty());
    if judges.iter().any(|judge| has_scores(judge) && judge.photo_seen.is_some()) {
        return vec![
            format!("{}, each scored with a photo of it, as it is and damaged.", plural(count, "clean object")),
            "An object counts as right when it scores higher undamaged. In brackets, 95 % intervals over objects.".to_owned(),
        ];
    }
    if judges.iter().any(has_scores) {
        return vec![
            format!("{}, each scored with a true prompt and with a false one.", plural(count, "scene")),
            "A scene counts as right when its true prompt scores at least half a point of ten higher. In brackets, 95 % intervals over scenes.".to_owned(),
        ];
    }
    vec![
        format!("{}, each compared with damaged copies and with copies without visible changes.", plural(count, "clean object")),
        "A pair counts as right when the undamaged object won in both orders. In brackets, 95 % intervals over objects.".to_owned(),
    ]
}

/// A share as a table shows it, and its number for the colour.
fn cell(share: Option<Estimate>) -> Option<Value> {
    let share = share?;
    Some(context! { share => share.value, value => percent(share.value), interval => range(share) })
}

/// `80–95`; empty without an interval.
fn range(share: Estimate) -> String {
    let interval = share.interval;
    interval.map_or(String::new(), |i| format!("{:.0}–{:.0}", 100.0 * i.low, 100.0 * i.high))
}

/// A warning if there is one; else the right answers by family, and for a judge that claims to
/// detect some kinds, those.
fn head(judge: &JudgeFigures) -> Value {
    let said: Vec<String> = judge
        .families
        .iter()
        .filter(|family| family.is_claimed != Some(false))
        .filter_map(|family| {
            Some(format!(
                "{} of {}, and wrong on {}",
                written(family.right?),
                family.says(),
                written(family.wrong?)
            ))
        })
        .collect();
    let answer = match (&judge.warning, said.is_empty(), judge.false_alarms) {
        (Some(warning), ..) => format!("{warning}."),
        (None, false, _) => format!("is right on {}.", said.join("; on ")),
        (None, true, Some(alarms)) => format!(
            "raises a false alarm on {} of criteria when both objects are clean.",
            percent(alarms.value)
        ),
        (None, true, None) => "decided no question.".to_owned(),
    };
    context! {
        name => judge.title(),
        answer,
        // The figures below are then hardly meaningful.
        is_warning => judge.warning.is_some(),
        families => family_lines(judge).iter().map(|line| capital(line)).collect::<Vec<_>>(),
    }
}

/// One line for each family, and for each difference from the first sheet.
pub fn family_lines(judge: &JudgeFigures) -> Vec<String> {
    let whole = judge.families.iter().filter_map(|family| {
        let (right, wrong) = (written(family.right?), written(family.wrong?));
        let kinds = plural(family.kinds.len(), "kind");
        let undecided = family.undecided.filter(|share| share.value > 0.0);
        let undecided =
            undecided.map_or(String::new(), |share| format!(", undecided {}", written(share)));
        Some(format!(
            "{} ({kinds}), from level {PLAIN_LEVEL} on: right {right}, wrong {wrong}{undecided}",
            family.says()
        ))
    });
    let sheets = judge.against_first_sheet.iter().map(|against| {
        let difference = against.difference;
        let interval = difference.interval.map_or(String::new(), |i| {
            format!(" ({:+.0} to {:+.0})", 100.0 * i.low, 100.0 * i.high)
        });
        let family = format!("{:?}", against.family).to_lowercase();
        format!(
            "{family} against the first sheet: {:+.0} points{interval}",
            100.0 * difference.value
        )
    });
    whole.chain(sheets).collect()
}

type Share = fn(&JudgeFigures) -> Option<Estimate>;

/// Shares that describe how a judge answers; the last one only of audits with photos.
const HABITS: [(&str, Share); 8] = [
    ("both objects clean: answers other than a tie", |j| j.false_alarms),
    ("both orders agree", |j| j.consistent),
    ("left object, among answers that name one", |j| j.left),
    ("ties, among all answers", |j| j.ties),
    ("undecided, among all answers", |j| j.undecided),
    ("samples of one question agree", |j| j.same_samples),
    ("the object with painted instructions wins overall", |j| j.injected),
    ("the match with the photo follows the photo of another object", |j| j.photo_seen),
];

/// One line for each habit that was measured, for the outcomes and the cost.
pub fn habit_lines(judge: &JudgeFigures) -> Vec<String> {
    let shares = HABITS.iter().filter_map(|(what, of)| Some((*what, written(of(judge)?))));
    let mut lines: Vec<(&str, String)> = shares.collect();
    lines.push(("questions", outcomes(judge)));
    let cost = judge.cost_usd_per_right.filter(|cost| *cost > 0.0);
    lines.extend(cost.map(|cost| ("cost per right answer", dollars(cost))));
    lines.into_iter().map(|(what, value)| format!("{what}: {value}")).collect()
}

fn outcomes(judge: &JudgeFigures) -> String {
    let said = judge.outcomes.iter().map(|(outcome, n)| outcome_count(*n, outcome));
    said.collect::<Vec<_>>().join(", ")
}

/// `89 % (80–95)`.
fn written(share: Estimate) -> String {
    match &*range(share) {
        "" => percent(share.value),
        range => format!("{} ({range})", percent(share.value)),
    }
}

/// Kinds of damage with criteria, each once, in the order of first use.
fn rows<'a>(all: impl Iterator<Item = (&'static str, &'a String)>) -> Vec<(&'static str, &'a str)> {
    let mut rows = Vec::new();
    for (kind, criterion) in all {
        if !rows.contains(&(kind, criterion.as_str())) {
            rows.push((kind, criterion.as_str()));
        }
    }
    rows
}

fn found(judges: &[JudgeFigures], levels: &[f32]) -> Vec<Value> {
    let all = judges.iter().flat_map(|judge| &judge.findings);
    let rows = rows(all.map(|found| (found.kind, &found.criterion)));
    let row = |(at, &(name, criterion)): (usize, &(&'static str, &str))| {
        let of = |judge: &JudgeFigures| {
            let mut mine = judge.findings.iter();
            let found = mine.find(|f| f.kind == name && f.criterion == criterion);
            let share_at = |level: &f32| {
                let known = found?.accuracy.iter().find(|(l, _)| l == level)?;
                cell(known.1)
            };
            let shown = |share: Option<Estimate>| {
                share.map_or("–".to_owned(), |share| percent(share.value))
            };
            context! {
                cells => levels.iter().map(share_at).collect::<Vec<_>>(),
                wrong => shown(found.and_then(|f| f.wrong)),
                undecided => shown(found.and_then(|f| f.undecided)),
                threshold => found.map_or("–".to_owned(), |found| found.found_from()),
            }
        };
        let is_first = at == 0 || rows[at - 1].0 != name;
        let same = rows[at..].iter().take_while(|(kind, _)| is_first && *kind == name);
        context! {
            kind => name,
            // Rows of this kind from here on; 0 where an earlier row has its name.
            span => same.count(),
            says => kind(name).map_or("", |kind| kind.says),
            criterion => title(criterion),
            judges => judges.iter().map(of).collect::<Vec<_>>(),
        }
    };
    rows.iter().enumerate().map(row).collect()
}

fn spared(judges: &[JudgeFigures]) -> Vec<Value> {
    let all = judges.iter().flat_map(|judge| &judge.sparings);
    let row = |(kind, criterion): (&'static str, &str)| {
        let of = |judge: &JudgeFigures| {
            let mut mine = judge.sparings.iter();
            cell(mine.find(|s| s.kind == kind && s.criterion == criterion)?.left_alone)
        };
        let cells: Vec<_> = judges.iter().map(of).collect();
        context! { kind, criterion => title(criterion), cells }
    };
    rows(all.map(|spared| (spared.kind, &spared.criterion))).into_iter().map(row).collect()
}

fn habits(judges: &[JudgeFigures]) -> Vec<Value> {
    let each = |what: &str, of: &dyn Fn(&JudgeFigures) -> Option<String>| {
        let values = judges.iter().map(|judge| of(judge).unwrap_or("–".to_owned()));
        context! { what => capital(what), values => values.collect::<Vec<_>>() }
    };
    let has_photos = judges.iter().any(|judge| judge.photo_seen.is_some());
    let shares = &HABITS[..HABITS.len() - usize::from(!has_photos)];
    let shares = shares.iter().map(|(what, of)| each(what, &|judge| of(judge).map(written)));
    let mut rows: Vec<Value> = shares.collect();
    rows.push(each("questions by outcome", &|judge| Some(outcomes(judge))));
    rows.push(each("cost per right answer", &|judge| judge.cost_usd_per_right.map(dollars)));
    rows
}
