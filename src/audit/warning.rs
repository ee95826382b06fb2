//! The reservation that a reader of a judge's figures must see first.

use super::finding::FamilyFigures;
use crate::rate::Estimate;

/// For a judge that cannot say anything, such as the built-in one about Gaussian splats.
pub(super) const NEVER_DECIDES: &str =
    "it answers that it cannot judge these objects, so its figures say nothing about it";

/// A judge that names one side in more than this share of its decisions does not judge the objects.
const ONE_SIDED: f64 = 0.9;
/// From this share on, the side has too much influence.
const LEANING: f64 = 0.75;
/// A judge that names a winner in a smaller share of pairs with plain damage decides nothing.
const DECIDED_MIN: f64 = 0.1;
/// Right and wrong that are closer than this, within each other's intervals, are chance.
const APART_MIN: f64 = 0.15;

/// A judge that follows the photo in a smaller share of pairs is not looking at it.
const PHOTO_SEEN_MIN: f64 = 0.5;

/// A judge whose orders agree on a smaller share of its answers contradicts itself.
const CONSISTENT_MIN: f64 = 0.5;

/// A warning that a judge does not look at the photo, goes by the side, contradicts itself, decides
/// nothing, or is right by chance, on the damage that it claims to detect. `left` is the share of
/// answers naming a side that name the left one, over `num_pairs` pairs in both orders;
/// `consistent` the share of answers that are the same in both orders.
pub(super) fn warning(
    left: Option<Estimate>,
    consistent: Option<Estimate>,
    families: &[FamilyFigures],
    num_pairs: usize,
    photo_seen: Option<Estimate>,
) -> Option<String> {
    if let Some(seen) = photo_seen.filter(|seen| seen.value < PHOTO_SEEN_MIN) {
        return Some(format!(
            "it is not looking at the photo: with the photo of another object, its verdict on the match with the photo followed in only {:.0} % of the cases",
            100.0 * seen.value
        ));
    }
    let of_side = left.and_then(|left| of_side(left, num_pairs));
    of_side.or_else(|| consistent.and_then(of_orders)).or_else(|| {
        let claimed = families.iter().filter(|f| f.is_claimed != Some(false));
        let known: Vec<[Estimate; 2]> = claimed.filter_map(|f| Some([f.right?, f.wrong?])).collect();
        if known.is_empty() {
            None
        } else if (known.iter()).all(|[right, wrong]| right.value + wrong.value < DECIDED_MIN) {
            Some("on nearly all pairs with obvious damage, it does not name the same winner in both orders, so its ties are uninformative".to_owned())
        } else if known.iter().all(|[right, wrong]| !is_chance(*wrong, *right)) {
            Some("it is more often wrong than right on pairs with obvious damage: it prefers the damaged object".to_owned())
        } else if known.iter().all(|[right, wrong]| is_chance(*right, *wrong)) {
            Some("it is barely more often right than wrong on pairs with obvious damage, so its verdicts are close to chance".to_owned())
        } else {
            None
        }
    })
}

fn of_side(left: Estimate, num_pairs: usize) -> Option<String> {
    let share = left.value.max(1.0 - left.value);
    let side = if left.value > 0.5 { "left" } else { "right" };
    // Among few answers, any share can be chance.
    let is_certain = left.interval.is_none_or(|interval| interval.low > 0.5 || interval.high < 0.5);
    let so = if share > ONE_SIDED {
        "its verdicts reflect the side, not the quality"
    } else if share > LEANING && is_certain {
        "only pairs on which both orders agree reflect quality"
    } else {
        return None;
    };
    Some(format!(
        "it names the {side} object in {:.0} % of the answers that name one, over {num_pairs} pairs in both orders: {so}",
        100.0 * share
    ))
}

fn of_orders(consistent: Estimate) -> Option<String> {
    (consistent.value < CONSISTENT_MIN).then(|| {
        format!(
            "its answer changes with the order in {:.0} % of the pairs and criteria that it decides, so most of its verdicts reflect neither object",
            100.0 * (1.0 - consistent.value)
        )
    })
}

fn is_chance(right: Estimate, wrong: Estimate) -> bool {
    let overlap = match (right.interval, wrong.interval) {
        (Some(right), Some(wrong)) => right.low <= wrong.high,
        _ => true,
    };
    overlap && right.value - wrong.value < APART_MIN
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::damage::Family;
    use crate::rate::Interval;

    fn about(value: f64) -> Estimate {
        let (low, high) = ((value - 0.08).max(0.0), (value + 0.08).min(1.0));
        Estimate { value, interval: Some(Interval { low, high }) }
    }

    fn geometry(right: f64, wrong: f64) -> FamilyFigures {
        FamilyFigures {
            family: Family::Geometry,
            is_claimed: None,
            kinds: vec!["holes"],
            right: Some(about(right)),
            wrong: Some(about(wrong)),
            undecided: None,
        }
    }

    #[test]
    fn each_useless_judge_has_its_own_headline() {
        let said = |left: f64, right: f64, wrong: f64| {
            let families = [geometry(right, wrong)];
            warning(Some(about(left)), Some(about(0.9)), &families, 40, None).unwrap_or_default()
        };
        assert!(said(0.97, 0.1, 0.0).contains("left object in 97 %"));
        assert!(said(0.97, 0.1, 0.0).contains("not the quality"));
        assert!(said(0.81, 0.5, 0.1).contains("left object in 81 %"));
        assert!(said(0.19, 0.5, 0.1).contains("right object in 81 %"));
        assert!(said(0.5, 0.02, 0.01).contains("does not name the same winner"));
        assert!(said(0.5, 0.27, 0.24).contains("chance"));
        assert!(said(0.5, 0.05, 0.9).contains("prefers the damaged object"));
        let contradicts = |consistent: f64| {
            let found = [geometry(0.02, 0.01)];
            warning(Some(about(0.5)), Some(about(consistent)), &found, 40, None).unwrap_or_default()
        };
        assert!(contradicts(0.1).contains("changes with the order in 90 %"));
        assert!(contradicts(0.9).contains("does not name the same winner"));
        assert_eq!(said(0.6, 0.7, 0.1), "");
        assert_eq!(said(0.5, 0.95, 0.0), "");
    }

    #[test]
    fn what_it_does_not_claim_to_see_and_a_handful_of_answers_count_against_nobody() {
        let mut other = geometry(0.0, 0.0);
        other.is_claimed = Some(false);
        let mut claimed = geometry(0.9, 0.0);
        claimed.is_claimed = Some(true);
        assert_eq!(warning(Some(about(0.5)), None, &[claimed, other], 40, None), None);
        let wide = Estimate { value: 0.75, interval: Some(Interval { low: 0.4, high: 1.0 }) };
        assert_eq!(warning(Some(wide), None, &[geometry(0.9, 0.0)], 2, None), None);
        assert_eq!(warning(None, None, &[], 0, None), None);
        assert_eq!(warning(None, None, &[], 0, Some(about(0.9))), None);
        let blind = warning(None, None, &[], 0, Some(about(0.1)));
        assert!(blind.unwrap().contains("not looking at the photo"));
    }
}
