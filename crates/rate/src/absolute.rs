//! Scores of one-object rubrics → means with standard errors that know about clusters.

use super::bootstrap::{CLUSTERS_MIN, Interval};
use super::spread::{by_cluster, mean_of, scatter};

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Score {
    /// Index of the prompt, the cluster: scores on one prompt are correlated.
    pub prompt: usize,
    pub value: f64,
}

/// A mean and how sure it is.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct Mean {
    pub mean: f64,
    /// Clustered standard error; none with one cluster.
    pub standard_error: Option<f64>,
    /// 95 % by Student's t, as of ratings. None with fewer than [`CLUSTERS_MIN`] clusters, and
    /// where all agree: the spread is then unknown.
    pub interval: Option<Interval>,
    pub num_scores: usize,
    pub num_clusters: usize,
}

/// The error and its degrees of freedom are those of `spread.rs`. None without a score.
pub fn mean(scores: &[Score]) -> Option<Mean> {
    let (mean, parts) = mean_of(&by_cluster(scores.iter().map(|s| (s.prompt, s.value))))?;
    let num_clusters = parts.len();
    let spread = scatter(parts.into_iter());
    Some(Mean {
        mean,
        standard_error: (num_clusters > 1).then_some(spread.error),
        interval: spread.interval(mean).filter(|_| num_clusters >= CLUSTERS_MIN),
        num_scores: scores.len(),
        num_clusters,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clusters_of_one_are_the_textbook_error_and_copies_add_no_certainty() {
        let values = [1.0, 2.0, 3.0, 6.0];
        let each = |copies: usize| -> Vec<Score> {
            let all = values.iter().enumerate();
            all.flat_map(|(prompt, &value)| vec![Score { prompt, value }; copies]).collect()
        };
        // Sample variance 14/3 over 4.
        let want = (14.0_f64 / 3.0 / 4.0).sqrt();
        for copies in [1, 5] {
            let found = mean(&each(copies)).unwrap();
            assert!((found.mean - 3.0).abs() < 1e-12);
            assert!((found.standard_error.unwrap() - want).abs() < 1e-12);
        }
        // Six prompts: 2.571 standard errors; four are too few, and equal scores have no spread.
        let six: Vec<Score> = (0..6).map(|prompt| Score { prompt, value: prompt as f64 }).collect();
        let found = mean(&six).unwrap();
        let half = 2.5706 * (3.5_f64 / 6.0).sqrt();
        assert!((found.interval.unwrap().high - 2.5 - half).abs() < 1e-3, "{found:?}");
        assert_eq!(mean(&each(1)).unwrap().interval, None);
        let equal: Vec<Score> = (0..6).map(|prompt| Score { prompt, value: 2.0 }).collect();
        assert_eq!(mean(&equal).unwrap().interval, None);
        assert_eq!(mean(&[]), None);
        assert_eq!(mean(&each(1)[..1]).unwrap().standard_error, None);
    }
}
