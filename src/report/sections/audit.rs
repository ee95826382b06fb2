//! How reliable judges are, side by side: detection of damage, criteria that should be unaffected,
//! habits. Not from [`crate::results::Results`], so no kind of board.

use super::section::Section;
use crate::audit::{Finding, JudgeFigures, PLAIN_LEVEL, family_name};
use crate::damage::kind;
use crate::rate::Estimate;
use crate::report::ends::Ends;
use crate::report::show::{capital, dollars, outcome_count, percent, plural, title};
use crate::report::table::{Head, Marked, Shown, Style, TINTS, Table, Unit};
use crate::report::words::{Sentence, Span};
use serde::Serialize;

/// The first words about a judge.
#[derive(Debug, Serialize)]
pub(in super::super) struct Verdict {
    pub answer: Sentence,
    /// The figures below it are then hardly meaningful.
    pub is_warning: bool,
    /// One for each family of damage, and for each difference from the first sheet.
    pub notes: Vec<String>,
}

/// A warning if there is one; else the right answers by family, and for a judge that claims to
/// detect some kinds, those.
pub(in super::super) fn verdict(judge: &JudgeFigures) -> Verdict {
    let claimed = judge.families.iter().filter(|family| family.is_claimed != Some(false));
    let right: Vec<String> = claimed
        .filter_map(|family| {
            let [right, wrong] = [family.right?, family.wrong?].map(share);
            Some(format!("{right} of {}, and wrong on {wrong}", family.says()))
        })
        .collect();
    let answer = match (&judge.warning, &*right, judge.false_alarms) {
        (Some(warning), ..) => format!(": {warning}."),
        (None, [], Some(alarms)) => format!(
            " raises a false alarm on {} of criteria when both objects are clean.",
            percent(alarms.value)
        ),
        (None, [], None) => " decided no question.".to_owned(),
        (None, right, _) => format!(" is right on {}.", right.join("; on ")),
    };
    Verdict {
        answer: vec![Span::Name(judge.title()), Span::Text(answer)],
        is_warning: judge.warning.is_some(),
        notes: family_notes(judge),
    }
}

fn family_notes(judge: &JudgeFigures) -> Vec<String> {
    let whole = judge.families.iter().filter_map(|family| {
        let [right, wrong] = [family.right?, family.wrong?].map(share);
        let undecided = family.undecided.filter(|undecided| undecided.value > 0.0);
        let undecided = undecided.map_or(String::new(), |u| format!(", undecided {}", share(u)));
        let kinds = plural(family.kinds.len(), "kind");
        Some(format!(
            "{} ({kinds}), from level {PLAIN_LEVEL} on: right {right}, wrong {wrong}{undecided}",
            capital(&family.says())
        ))
    });
    let sheets = judge.against_first_sheet.iter().map(|against| {
        let difference = against.difference;
        let interval = difference.interval.map_or(String::new(), |i| {
            format!(" ({:+.0} to {:+.0})", 100.0 * i.low, 100.0 * i.high)
        });
        let family = family_name(against.family);
        let points = 100.0 * difference.value;
        format!("{family} against the first sheet: {points:+.0} points{interval}")
    });
    whole.chain(sheets).collect()
}

/// Without criteria that should be unaffected where the audit has none.
pub(in super::super) fn audit_sections(judges: &[JudgeFigures]) -> Vec<Section> {
    [Some(detection(judges)), unaffected(judges), Some(habits(judges))]
        .into_iter()
        .flatten()
        .collect()
}

fn detection(judges: &[JudgeFigures]) -> Section {
    let count = judges.iter().map(|judge| judge.num_bases).max().unwrap_or(0);
    let has_photos = judges.iter().any(|judge| judge.photo_seen.is_some());
    let (base, asked, right) = match (judges.iter().any(has_scores), has_photos) {
        (false, _) => (
            "clean object",
            "compared with damaged copies and with copies without visible changes",
            "right: the undamaged object wins in both orders",
        ),
        (true, true) => (
            "clean object",
            "scored with a photo of it, as it is and damaged",
            "right: the undamaged object scores higher with its photo",
        ),
        (true, false) => (
            "scene",
            "scored with a true prompt and with a false one",
            "right: the true prompt scores at least half a point of ten higher",
        ),
    };
    let notes = [
        format!("{}, each {asked}", plural(count, base)),
        right.to_owned(),
        "at a level: the share of right answers, among the pairs that a judge decided".to_owned(),
        "wrong (the damaged object won in both orders) and undecided: shares of all pairs, at all levels; the remaining pairs were ties or differed between the orders".to_owned(),
        "detected from: the level from which three of four pairs are right, with undecided pairs counted as not right; ≤ means that the lowest tested level is already detected".to_owned(),
    ];
    let each = judges
        .iter()
        .map(|judge| (judge.title(), detection_table(std::slice::from_ref(judge), str::to_owned)));
    Section {
        basis: format!("shares with 95 % intervals over {base}s"),
        tables: each.collect(),
        wide: Some(detection_table(judges, title)),
        ..Section::of(("", "", None), "detection").noted(notes)
    }
}

fn has_scores(judge: &JudgeFigures) -> bool {
    judge.findings.iter().any(|found| !found.drops.is_empty())
}

/// A line for each damage and criterion; for each judge its cells.
fn detection_table(judges: &[JudgeFigures], named: fn(&str) -> String) -> Table {
    let findings = || judges.iter().flat_map(|judge| &judge.findings);
    let mut levels: Vec<f32> =
        findings().flat_map(|found| found.accuracy.iter().map(|(level, _)| *level)).collect();
    levels.sort_by(f32::total_cmp);
    levels.dedup();
    let has_scores = judges.iter().any(has_scores);
    let mut heads = vec![
        Head::new("damage", Style::Name),
        Head::new("", Style::Below),
        Head::new("criterion", Style::Text),
    ];
    for judge in judges {
        let below = if judges.len() > 1 { judge.title() } else { String::new() };
        let mut texts: Vec<String> = levels.iter().map(|level| format!("at {level}")).collect();
        texts.extend(has_scores.then(|| "score lower by".to_owned()));
        texts.extend(["wrong", "undecided", "detected from"].map(str::to_owned));
        let heading =
            |text: String| Head { below: below.clone(), ..Head::new(&named(&text), Style::Group) };
        heads.extend(texts.into_iter().map(heading));
    }
    let cells = |found: Option<&Finding>| {
        let at = |level: &f32| {
            let mut known = found?.accuracy.iter();
            known.find(|(other, _)| other == level)?.1
        };
        let mut cells: Vec<Shown> = levels.iter().map(|level| tinted(at(level))).collect();
        let drops = found.into_iter().flat_map(|found| &found.drops);
        let drops: Vec<String> = drops.map(|(_, drop)| format!("{drop:.1}")).collect();
        cells.extend(has_scores.then(|| Shown::Text(drops.join(", "))));
        let written = |share: Option<Estimate>| share.map_or(String::new(), |s| percent(s.value));
        cells.extend(
            [
                written(found.and_then(|found| found.wrong)),
                written(found.and_then(|found| found.undecided)),
                found.map_or(String::new(), Finding::found_from),
            ]
            .map(Shown::Text),
        );
        cells
    };
    let mut rows: Vec<Vec<Shown>> = Vec::new();
    for (name, criterion) in each_once(findings().map(|found| (found.kind, &*found.criterion))) {
        let name_cell = Shown::Text(name.to_owned());
        // Said once for each kind.
        let is_new = rows.iter().all(|row| row[0] != name_cell);
        let says = kind(name).filter(|_| is_new).map_or("", |kind| kind.says);
        let mut row = vec![name_cell, Shown::Text(says.to_owned()), Shown::Text(named(criterion))];
        row.extend(judges.iter().flat_map(|judge| {
            let is_it = |found: &&Finding| found.kind == name && found.criterion == criterion;
            cells(judge.findings.iter().find(is_it))
        }));
        rows.push(row);
    }
    Table { heads, rows }
}

/// In text only the criteria that changed.
fn unaffected(judges: &[JudgeFigures]) -> Option<Section> {
    let sparings = judges.iter().flat_map(|judge| &judge.sparings);
    let all = each_once(sparings.map(|spared| (spared.kind, &*spared.criterion)));
    let shares = |name: &str, criterion: &str| -> Vec<Option<Estimate>> {
        let of = |judge: &JudgeFigures| {
            let mut mine = judge.sparings.iter();
            mine.find(|s| s.kind == name && s.criterion == criterion)?.left_alone
        };
        judges.iter().map(of).collect()
    };
    let table = |rows: &[(&str, &str)], named: fn(&str) -> String| {
        let mut heads = vec![Head::new("damage", Style::Name), Head::new("criterion", Style::Text)];
        heads.extend(judges.iter().map(|judge| Head::new(&judge.title(), Style::Group)));
        let row = |(name, criterion): &(&str, &str)| {
            let first = [(*name).to_owned(), named(criterion)].map(Shown::Text);
            first.into_iter().chain(shares(name, criterion).into_iter().map(tinted)).collect()
        };
        Table { heads, rows: rows.iter().map(row).collect() }
    };
    let is_changed = |(name, criterion): &&(&str, &str)| {
        shares(name, criterion).iter().flatten().any(|share| share.value < 1.0)
    };
    let changed: Vec<_> = all.iter().filter(is_changed).copied().collect();
    let text = (!changed.is_empty()).then(|| (String::new(), table(&changed, str::to_owned)));
    let none = changed.is_empty().then(|| "none changed".to_owned());
    let meaning = "a judge that decides nothing, or always prefers one side, also scores well here: read this only for judges that detect damage";
    (!all.is_empty()).then(|| Section {
        basis: "shares of pairs in which neither object won in both orders".to_owned(),
        tables: text.into_iter().collect(),
        wide: Some(table(&all, title)),
        ..Section::of(("", "", None), "criteria that should be unaffected")
            .noted(none.into_iter().chain([meaning.to_owned()]))
    })
}

type ShareOf = fn(&JudgeFigures) -> Option<Estimate>;

/// Shares that describe how a judge answers.
const HABITS: [(&str, ShareOf); 8] = [
    ("both objects clean: answers other than a tie", |j| j.false_alarms),
    ("both orders agree", |j| j.consistent),
    ("left object, among answers that name one", |j| j.left),
    ("ties, among all answers", |j| j.ties),
    ("undecided, among all answers", |j| j.undecided),
    ("samples of one question agree", |j| j.same_samples),
    ("the object with painted instructions wins overall", |j| j.injected),
    ("the match with the photo follows the photo of another object", |j| j.photo_seen),
];

/// A line for each habit that was measured, for the outcomes and the cost.
fn habits(judges: &[JudgeFigures]) -> Section {
    let line = |what: &str, of: &dyn Fn(&JudgeFigures) -> String| -> Vec<Shown> {
        let values = judges.iter().map(of);
        std::iter::once(what.to_owned()).chain(values).map(Shown::Text).collect()
    };
    let outcomes = |judge: &JudgeFigures| {
        let said = judge.outcomes.iter().map(|(outcome, n)| outcome_count(*n, outcome));
        said.collect::<Vec<_>>().join(", ")
    };
    let cost = |judge: &JudgeFigures| {
        judge.cost_usd_per_right.filter(|cost| *cost > 0.0).map_or(String::new(), dollars)
    };
    let shares = HABITS.iter().map(|(what, of)| line(what, &|j| Unit::Share.estimate(of(j))));
    let last = [line("questions", &outcomes), line("cost per right answer", &cost)];
    let is_known = |line: &Vec<Shown>| line[1..].iter().any(|value| *value != Shown::NONE);
    let mut heads = vec![Head::new("figure", Style::Name)];
    heads.extend(judges.iter().map(|judge| Head::new(&judge.title(), Style::Group)));
    let rows = shares.chain(last).filter(is_known).collect();
    let basis = "shares with 95 % intervals".to_owned();
    Section::new(("", "", None), "habits and cost", basis, Table { heads, rows })
}

/// Each once, in the order of first use.
fn each_once<'a>(all: impl Iterator<Item = (&'a str, &'a str)>) -> Vec<(&'a str, &'a str)> {
    let mut found = Vec::new();
    all.for_each(|one| {
        if !found.contains(&one) {
            found.push(one);
        }
    });
    found
}

fn share(share: Estimate) -> String {
    Unit::Share.estimate(Some(share))
}

/// A share with its interval, coloured by its size.
fn tinted(share: Option<Estimate>) -> Shown {
    let end = |end: f64| format!("{:.0}", 100.0 * end);
    share.map_or(Shown::NONE, |share| {
        Shown::Marked(Marked {
            value: percent(share.value),
            interval: Ends::interval(share.interval, end).joined("–"),
            tint: Some((share.value * TINTS).round() as i32),
            ..Marked::default()
        })
    })
}
