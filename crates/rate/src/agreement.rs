//! How well two sources agree: verdicts with votes, judges with judges, rankings with rankings.

use crate::winner::Winner;

/// Share of pairs on which two sources say the same.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct Accuracy {
    /// Pairs that both sources decided.
    pub decided: usize,
    /// Of these, the same winner.
    pub decided_same: usize,
    /// All pairs, ties included.
    pub all: usize,
    /// Of these, the same outcome; a tie is right only against a tie.
    pub all_same: usize,
}

impl Accuracy {
    /// Share on decided pairs; none without any.
    pub fn on_decided(&self) -> Option<f64> {
        (self.decided > 0).then(|| self.decided_same as f64 / self.decided as f64)
    }

    /// Share with ties; none without any pair.
    pub fn with_ties(&self) -> Option<f64> {
        (self.all > 0).then(|| self.all_same as f64 / self.all as f64)
    }
}

/// Pairwise accuracy of verdicts against reference votes. Both figures belong together: ties are
/// where judges and people differ most.
pub fn accuracy(pairs: &[(Winner, Winner)]) -> Accuracy {
    let is_decided = |(x, y): &&(Winner, Winner)| *x != Winner::Tie && *y != Winner::Tie;
    let is_same = |(x, y): &&(Winner, Winner)| x == y;
    Accuracy {
        decided: pairs.iter().filter(is_decided).count(),
        decided_same: pairs.iter().filter(is_decided).filter(is_same).count(),
        all: pairs.len(),
        all_same: pairs.iter().filter(is_same).count(),
    }
}

/// Kendall 1945, τ-b: `(C − D) / √((N − Tₓ)(N − T_y))`. None where one side is all ties, or the
/// lengths differ.
pub(super) fn kendall_tau_b(x: &[f64], y: &[f64]) -> Option<f64> {
    if x.len() != y.len() {
        return None;
    }
    let (mut balance, mut x_pairs, mut y_pairs) = (0_i64, 0_i64, 0_i64);
    for i in 0..x.len() {
        for j in 0..i {
            let dx = sign(x[i], x[j]);
            let dy = sign(y[i], y[j]);
            balance += dx * dy;
            x_pairs += dx.abs();
            y_pairs += dy.abs();
        }
    }
    let scale = (x_pairs as f64 * y_pairs as f64).sqrt();
    (scale > 0.0).then(|| balance as f64 / scale)
}

fn sign(x: f64, y: f64) -> i64 {
    i64::from(x > y) - i64::from(x < y)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::correlation::spearman;
    use Winner::{A, B, Tie};

    #[test]
    fn both_figures_of_accuracy() {
        let found = accuracy(&[(A, A), (A, B), (Tie, Tie), (Tie, A)]);
        assert_eq!((found.on_decided(), found.with_ties()), (Some(0.5), Some(0.5)));
        assert_eq!((found.decided, found.all), (2, 4));
        assert_eq!(accuracy(&[]).on_decided(), None);
    }

    #[test]
    fn rank_correlations_by_hand() {
        let x = [1.0, 2.0, 3.0, 4.0];
        // One of six pairs turned; Σd² = 2, so ρ = 1 − 6·2/(4·15).
        let y = [1.0, 3.0, 2.0, 4.0];
        assert!((kendall_tau_b(&x, &y).unwrap() - 4.0 / 6.0).abs() < 1e-12);
        assert!((spearman(&x, &y).unwrap() - 0.8).abs() < 1e-12);
        // One tie in y: C = 5, D = 0, τ-b = 5 / √(6·5).
        let tied = [1.0, 2.0, 2.0, 4.0];
        assert!((kendall_tau_b(&x, &tied).unwrap() - 5.0 / 30.0_f64.sqrt()).abs() < 1e-12);
        assert_eq!(kendall_tau_b(&x, &[1.0; 4]), None);
        assert_eq!(spearman(&x, &[1.0; 4]), None);
        assert_eq!(kendall_tau_b(&x, &y[..2]), None);
    }
}
