//! The reliability of a judge, as tables for people and rows for programs.

use super::Printer;
use crate::audit::{Finding, JudgeFigures, percent};
use crate::report::{ascii, family_lines, habit_lines, plural, text_table};

pub(super) fn print_figures(figures: &[JudgeFigures], printer: &Printer) {
    for judge in figures {
        let mut row = serde_json::json!(judge);
        row["kind"] = "audit".into();
        printer.show(text(judge), [row]);
    }
}

fn text(judge: &JudgeFigures) -> String {
    let has_scores = judge.findings.iter().any(|f| !f.drops.is_empty());
    let mut text = match &judge.warning {
        Some(warning) => format!("{}: {warning}\n", judge.title()),
        None => {
            let (base, what) = match (has_scores, judge.photo_seen.is_some()) {
                (true, true) => ("object", "the undamaged object scores higher with its photo"),
                (true, false) => ("scene", "the true prompt scores higher"),
                (false, _) => ("object", "the undamaged object wins in both orders"),
            };
            let bases = plural(judge.num_bases, base);
            format!("{}, over {bases}: how often {what}\n", judge.title())
        }
    };
    text.extend(family_lines(judge).iter().map(|line| indented(line)));
    let mut levels: Vec<f32> =
        judge.findings.iter().flat_map(|f| f.accuracy.iter().map(|(level, _)| *level)).collect();
    levels.sort_by(f32::total_cmp);
    levels.dedup();
    let mut head = vec!["damage".to_owned(), "criterion".to_owned()];
    head.extend(levels.iter().map(|level| format!("at {level}")));
    if has_scores {
        head.push("score lower by".to_owned());
    }
    head.extend(["wrong", "undecided", "detected from"].map(str::to_owned));
    let mut table = vec![head];
    table.extend(judge.findings.iter().map(|finding| line(finding, &levels, has_scores)));
    text += &text_table(&table);
    if judge.findings.iter().any(|f| f.undecided.is_some_and(|u| u.value > 0.0)) {
        text += "  at a level: right, of the pairs that were decided; wrong and undecided: of all pairs\n";
    }
    let alarms: Vec<String> = judge
        .sparings
        .iter()
        .filter_map(|s| Some((s, s.left_alone?)))
        .filter(|(_, share)| share.value < 1.0)
        .map(|(s, share)| format!("{} on {} {}", s.criterion, s.kind, ascii(&percent(share))))
        .collect();
    text += &match alarms.join(", ") {
        none if none.is_empty() => {
            "  criteria that should be unaffected: none changed\n".to_owned()
        }
        shares => format!("  criteria that should be unaffected, unchanged in: {shares}\n"),
    };
    text.extend(habit_lines(judge).iter().map(|line| indented(line)));
    text + "\n"
}

fn indented(line: &str) -> String {
    format!("  {}\n", ascii(line))
}

fn line(finding: &Finding, levels: &[f32], has_scores: bool) -> Vec<String> {
    let mut line = vec![finding.kind.to_owned(), finding.criterion.clone()];
    for level in levels {
        let found = finding.accuracy.iter().find(|(l, _)| l == level);
        let share = found.and_then(|(_, share)| *share);
        line.push(share.map_or("-".to_owned(), |share| ascii(&percent(share))));
    }
    if has_scores {
        let drops: Vec<String> =
            finding.drops.iter().map(|(_, drop)| format!("{drop:.1}")).collect();
        line.push(drops.join(", "));
    }
    for share in [finding.wrong, finding.undecided] {
        line.push(share.map_or("-".to_owned(), |s| format!("{:.0} %", 100.0 * s.value)));
    }
    line.push(finding.found_from());
    line
}
