//! Singular values of a matrix: Householder's reflections to two diagonals (Golub & Kahan 1965),
//! then the eigenvalues of the symmetric tridiagonal matrix that has them as ± pairs, by implicit
//! QL (Martin & Wilkinson 1968). Nothing is squared, so that small values keep their digits; the
//! error of each is some units in the last place of the largest.

use super::set::dot;

/// Steps of QL for one eigenvalue. Two are usual.
const STEPS_MAX: usize = 60;

/// Row-major.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Matrix {
    pub(super) values: Vec<f64>,
    pub(super) num_columns: usize,
}

impl Matrix {
    pub(super) fn num_rows(&self) -> usize {
        self.values.len() / self.num_columns
    }

    pub(super) fn row(&self, row: usize) -> &[f64] {
        &self.values[row * self.num_columns..][..self.num_columns]
    }

    /// A Bᵀ.
    pub(super) fn times_transposed(&self, other: &Self) -> Self {
        let num_columns = other.num_rows();
        let mut values = Vec::with_capacity(self.num_rows() * num_columns);
        for row in self.values.chunks_exact(self.num_columns) {
            values.extend((0..num_columns).map(|column| dot(row, other.row(column))));
        }
        Self { values, num_columns }
    }

    fn transposed(&self) -> Self {
        let num_rows = self.num_rows();
        let each = (0..self.num_columns * num_rows)
            .map(|at| self.values[at % num_rows * self.num_columns + at / num_rows]);
        Self { values: each.collect(), num_columns: num_rows }
    }

    /// Turns the part of column `k` from row `k` on into one number, which is returned, by a
    /// reflection of all later columns. The part below the diagonal keeps old values.
    fn reflect_column(&mut self, k: usize) -> f64 {
        let width = self.num_columns;
        let mut axis: Vec<f64> =
            (k..self.num_rows()).map(|row| self.values[row * width + k]).collect();
        let Some((left, scale)) = reflection(&mut axis) else { return 0.0 };
        let mut sums = vec![0.0; width - k - 1];
        let rows = self.values[k * width..].chunks_exact(width);
        for (row, a) in rows.zip(&axis) {
            add(&mut sums, &row[k + 1..], *a);
        }
        for (row, a) in self.values[k * width..].chunks_exact_mut(width).zip(&axis) {
            add(&mut row[k + 1..], &sums, -scale * a);
        }
        left
    }

    /// The triangle R of Q R with as many rows as columns; a matrix with fewer rows is returned
    /// unchanged. RᵀR is AᵀA.
    pub(super) fn triangle(mut self) -> Self {
        let width = self.num_columns;
        if self.num_rows() <= width {
            return self;
        }
        for k in 0..width {
            let left = self.reflect_column(k);
            self.values[k * width + k] = left;
        }
        self.values.truncate(width * width);
        for (row, values) in self.values.chunks_exact_mut(width).enumerate() {
            values[..row].fill(0.0);
        }
        self
    }

    /// All of them, in descending order.
    pub(super) fn singular_values(self) -> Vec<f64> {
        let mut m = if self.num_rows() < self.num_columns { self.transposed() } else { self };
        let width = m.num_columns;
        let mut diagonals = Vec::with_capacity(2 * width);
        for k in 0..width {
            diagonals.push(m.reflect_column(k));
            if k + 1 == width {
                break;
            }
            let mut axis = m.row(k)[k + 1..].to_vec();
            let Some((left, scale)) = reflection(&mut axis) else {
                diagonals.push(0.0);
                continue;
            };
            diagonals.push(left);
            for row in m.values[(k + 1) * width..].chunks_exact_mut(width) {
                let part = &mut row[k + 1..];
                let sum = dot(part, &axis);
                add(part, &axis, -scale * sum);
            }
        }
        let mut found = tridiagonal_eigenvalues(vec![0.0; 2 * width], diagonals);
        found.sort_by(|a, b| b.total_cmp(a));
        found.truncate(width);
        found.iter_mut().for_each(|value| *value = value.max(0.0));
        found
    }
}

fn add(to: &mut [f64], values: &[f64], times: f64) {
    to.iter_mut().zip(values).for_each(|(to, value)| *to += times * value);
}

/// Householder's reflection I − scale·a·aᵀ that turns the vector into (left, 0, …, 0): the vector
/// becomes a, and (left, scale) is returned. None for a vector of zeros.
fn reflection(vector: &mut [f64]) -> Option<(f64, f64)> {
    let largest = vector.iter().fold(0.0_f64, |most, value| most.max(value.abs()));
    if largest == 0.0 {
        return None;
    }
    vector.iter_mut().for_each(|value| *value /= largest);
    let length = dot(vector, vector).sqrt();
    let left = if vector[0] > 0.0 { -length } else { length };
    vector[0] -= left;
    Some((left * largest, 2.0 / dot(vector, vector)))
}

/// Eigenvalues of the symmetric matrix with this diagonal and, next to it, `off` (one shorter; a
/// missing last value is 0). In no order.
pub(super) fn tridiagonal_eigenvalues(mut diagonal: Vec<f64>, mut off: Vec<f64>) -> Vec<f64> {
    let n = diagonal.len();
    off.resize(n, 0.0);
    let size = diagonal.iter().zip(&off).fold(0.0_f64, |most, (d, e)| most.max(d.abs() + e.abs()));
    for first in 0..n {
        for _ in 0..STEPS_MAX {
            let split = (first..n - 1).find(|&at| off[at].abs() <= f64::EPSILON * size);
            let last = split.unwrap_or(n - 1);
            if last == first {
                break;
            }
            ql_step(&mut diagonal, &mut off, first, last);
        }
    }
    diagonal
}

/// One step with Wilkinson's shift on rows `first` to `last`.
fn ql_step(diagonal: &mut [f64], off: &mut [f64], first: usize, last: usize) {
    let half = (diagonal[first + 1] - diagonal[first]) / (2.0 * off[first]);
    let root = (half * half + 1.0).sqrt();
    let shifted = half + if half < 0.0 { -root } else { root };
    let mut g = diagonal[last] - diagonal[first] + off[first] / shifted;
    let (mut sine, mut cosine, mut moved) = (1.0, 1.0, 0.0);
    for i in (first..last).rev() {
        let f = sine * off[i];
        let b = cosine * off[i];
        let length = (f * f + g * g).sqrt();
        off[i + 1] = length;
        if length == 0.0 {
            diagonal[i + 1] -= moved;
            off[last] = 0.0;
            return;
        }
        (sine, cosine) = (f / length, g / length);
        let d = diagonal[i + 1] - moved;
        let turned = (diagonal[i] - d) * sine + 2.0 * cosine * b;
        moved = sine * turned;
        diagonal[i + 1] = d + moved;
        g = cosine * turned - b;
    }
    diagonal[first] -= moved;
    off[first] = g;
    off[last] = 0.0;
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The second difference of n points has the eigenvalues 2 − 2 cos(kπ/(n + 1)).
    #[test]
    fn the_second_difference_has_its_known_eigenvalues() {
        let n = 50;
        let mut found = tridiagonal_eigenvalues(vec![2.0; n], vec![-1.0; n - 1]);
        found.sort_by(f64::total_cmp);
        for (k, value) in found.iter().enumerate() {
            let angle = (k + 1) as f64 * std::f64::consts::PI / (n + 1) as f64;
            assert!((value - (2.0 - 2.0 * libm::cos(angle))).abs() < 1e-14, "{k}: {value}");
        }
    }

    /// Of the matrix min(i, j) + 1, which has the inverse of a second difference: 1 / (2 − 2
    /// cos((2k + 1)π/(2n + 1))).
    #[test]
    fn a_symmetric_matrix_has_its_known_singular_values() {
        let n = 20;
        let values = (0..n * n).map(|at| (at / n).min(at % n) as f64 + 1.0).collect();
        let found = Matrix { values, num_columns: n }.singular_values();
        for (k, value) in found.iter().enumerate() {
            let angle = (2 * k + 1) as f64 * std::f64::consts::PI / (2 * n + 1) as f64;
            let wanted = 1.0 / (2.0 - 2.0 * libm::cos(angle));
            assert!((value - wanted).abs() < 1e-13 * found[0], "{k}: {value} {wanted}");
        }
    }

    #[test]
    fn a_matrix_of_rank_one_and_its_transpose_have_one_singular_value() {
        let values: Vec<f64> = (0..12).map(|at| ((at / 4 + 1) * (at % 4 + 1)) as f64).collect();
        let m = Matrix { values, num_columns: 4 };
        for found in
            [m.clone(), m.transposed(), m.transposed().triangle()].map(Matrix::singular_values)
        {
            assert!((found[0] - (14.0_f64 * 30.0).sqrt()).abs() < 1e-13, "{found:?}");
            assert!(found[1..].iter().all(|value| *value < 1e-14), "{found:?}");
        }
        assert_eq!(Matrix { values: vec![0.0; 6], num_columns: 2 }.singular_values(), [0.0, 0.0]);
    }
}
