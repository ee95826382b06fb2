//! A judge's reliability in a few sentences, for reports that quote an audit.

use super::finding::{FamilyFigures, Finding, PLAIN_LEVEL};
use super::threshold::FOUND;
use crate::damage::kind;
use crate::rate::Estimate;

/// Warning, families, then the least damage of each kind that is found three times of four.
pub(super) fn summary(
    num_objects: usize,
    warning: Option<&str>,
    families: &[FamilyFigures],
    findings: &[Finding],
) -> Vec<String> {
    let mut lines: Vec<String> = warning.map(str::to_owned).into_iter().collect();
    for family in families {
        if let (Some(right), Some(wrong)) = (family.right, family.wrong) {
            lines.push(format!(
                "{} from level {PLAIN_LEVEL}: right {}, wrong {} (over {num_objects} objects)",
                family.says(),
                percent(right),
                percent(wrong)
            ));
        }
    }
    let mut seen: Vec<&str> = Vec::new();
    let found: Vec<String> = findings
        .iter()
        .filter_map(|finding| {
            let said = least(finding)?;
            let is_new = !seen.contains(&finding.kind);
            seen.push(finding.kind);
            is_new.then_some(said)
        })
        .collect();
    if !found.is_empty() {
        lines.push(format!("it detects {}", found.join(", ")));
    }
    lines
}

/// `holes of 0.021 (share of the surface gone) in 100 % (81–100)`: the lowest level that is found,
/// where it was measured.
fn least(finding: &Finding) -> Option<String> {
    let is_decided = finding.undecided.is_none_or(|u| u.value == 0.0);
    let (level, share) = finding
        .accuracy
        .iter()
        .filter(|_| is_decided)
        .find_map(|(level, share)| share.filter(|s| s.value >= FOUND).map(|s| (*level, s)))?;
    let (_, amount) = finding.amounts.iter().find(|(l, _)| *l == level)?;
    let measure = kind(finding.kind)?.measure;
    let name = finding.kind;
    Some(format!("{name} of {amount:.3} ({measure}) in {}", percent(share)))
}

/// `89 % (80–95)`.
fn percent(share: Estimate) -> String {
    let interval = share
        .interval
        .map_or(String::new(), |i| format!(" ({:.0}–{:.0})", 100.0 * i.low, 100.0 * i.high));
    format!("{:.0} %{interval}", 100.0 * share.value)
}
