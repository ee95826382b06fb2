//! Cholesky factor of a symmetric positive definite matrix, row-major, and solving with it (Golub &
//! Van Loan, 4.2), and products of matrices.

/// Lower factor `L` with `L Lᵀ = M`; the upper half is not read again.
#[derive(Debug, Clone, Default)]
pub(super) struct Factor {
    n: usize,
    rows: Vec<f64>,
}

impl Factor {
    /// Factors the `n × n` matrix in `matrix`; `None` where it is not positive definite.
    pub(super) fn new(n: usize, mut matrix: Vec<f64>) -> Option<Self> {
        for i in 0..n {
            let (above, rest) = matrix.split_at_mut(i * n);
            let row = &mut rest[..n];
            for j in 0..i {
                let other = &above[j * n..j * n + n];
                row[j] = (row[j] - dot(&row[..j], &other[..j])) / other[j];
            }
            let square = row[i] - dot(&row[..i], &row[..i]);
            if square.is_nan() || square <= 0.0 {
                return None;
            }
            row[i] = square.sqrt();
        }
        Some(Self { n, rows: matrix })
    }

    pub(super) fn len(&self) -> usize {
        self.n
    }

    /// Natural logarithm of the determinant of `M`.
    pub(super) fn log_det(&self) -> f64 {
        let diagonal = (0..self.n).map(|i| self.rows[i * self.n + i]);
        2.0 * diagonal.map(libm::log).sum::<f64>()
    }

    /// `L x`: where `x` is standard normal, this has the covariance `M`.
    pub(super) fn lower_times(&self, x: &[f64]) -> Vec<f64> {
        (0..self.n).map(|i| dot(&self.rows[i * self.n..=i * self.n + i], &x[..=i])).collect()
    }

    /// `M⁻¹`, row-major.
    pub(super) fn inverse(&self) -> Vec<f64> {
        let n = self.n;
        // L⁻¹; above the diagonal 0.
        let mut lower = vec![0.0; n * n];
        for i in 0..n {
            let (above, rest) = lower.split_at_mut(i * n);
            let row = &mut rest[..n];
            for (factor, earlier) in self.rows[i * n..i * n + i].iter().zip(above.chunks_exact(n)) {
                for (value, e) in row[..i].iter_mut().zip(earlier) {
                    *value -= factor * e;
                }
            }
            row[i] = 1.0;
            let own = self.rows[i * n + i];
            row[..=i].iter_mut().for_each(|value| *value /= own);
        }
        let mut out = vec![0.0; n * n];
        for (k, row) in lower.chunks_exact(n.max(1)).enumerate() {
            for i in 0..=k {
                let factor = row[i];
                for (value, x) in out[i * n..=i * n + i].iter_mut().zip(row) {
                    *value += factor * x;
                }
            }
        }
        for i in 0..n {
            for j in i + 1..n {
                out[i * n + j] = out[j * n + i];
            }
        }
        out
    }

    /// Solves `M x = b` in place.
    pub(super) fn solve(&self, b: &mut [f64]) {
        let n = self.n;
        for i in 0..n {
            let row = &self.rows[i * n..i * n + n];
            b[i] = (b[i] - dot(&row[..i], &b[..i])) / row[i];
        }
        for i in (0..n).rev() {
            let row = &self.rows[i * n..i * n + n];
            let x = b[i] / row[i];
            b[i] = x;
            for (value, factor) in b[..i].iter_mut().zip(&row[..i]) {
                *value -= factor * x;
            }
        }
    }
}

/// Where `is_below` turns from true to false, by halving the range 64 times: to 1e-19 of it.
pub(super) fn halved((mut low, mut high): (f64, f64), is_below: impl Fn(f64) -> bool) -> f64 {
    for _ in 0..64 {
        let middle = 0.5 * (low + high);
        *if is_below(middle) { &mut low } else { &mut high } = middle;
    }
    0.5 * (low + high)
}

/// Adds a weight on the difference of two parameters to a `k × k` matrix.
pub(super) fn add_pair(matrix: &mut [f64], k: usize, (a, b): (usize, usize), weight: f64) {
    matrix[a * k + a] += weight;
    matrix[b * k + b] += weight;
    matrix[a * k + b] -= weight;
    matrix[b * k + a] -= weight;
}

/// Variance of the difference of two figures with this `k × k` covariance.
pub(super) fn of_difference(covariance: &[f64], k: usize, (i, j): (usize, usize)) -> f64 {
    let c = |i: usize, j: usize| covariance[i * k + j];
    c(i, i) + c(j, j) - 2.0 * c(i, j)
}

/// The product of a `rows × inner` and an `inner × cols` matrix; zeros of the first cost nothing.
pub(super) fn times(a: &[f64], b: &[f64], (rows, inner, cols): (usize, usize, usize)) -> Vec<f64> {
    let mut out = vec![0.0; rows * cols];
    for i in 0..rows {
        let to = &mut out[i * cols..(i + 1) * cols];
        for j in 0..inner {
            let x = a[i * inner + j];
            if x != 0.0 {
                to.iter_mut().zip(&b[j * cols..]).for_each(|(to, y)| *to += x * y);
            }
        }
    }
    out
}

/// Columns of a matrix with so many rows as rows.
pub(super) fn transposed(matrix: &[f64], rows: usize) -> Vec<f64> {
    let cols = matrix.len() / rows.max(1);
    (0..matrix.len()).map(|at| matrix[at % rows * cols + at / rows]).collect()
}

/// Shares of 1 in proportion to weights, which are given as logarithms.
pub(super) fn shares_of(logs: impl Iterator<Item = f64> + Clone) -> Vec<f64> {
    let most = logs.clone().fold(f64::NEG_INFINITY, f64::max);
    let mut shares: Vec<f64> = logs.map(|log| libm::exp(log - most)).collect();
    let all: f64 = shares.iter().sum();
    shares.iter_mut().for_each(|share| *share /= all);
    shares
}

/// Four sums in fixed order: the same on every machine, and a processor can run them in parallel.
pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut sums = [0.0; 4];
    let (a4, b4) = (a.chunks_exact(4), b.chunks_exact(4));
    let rest: f64 = a4.remainder().iter().zip(b4.remainder()).map(|(x, y)| x * y).sum();
    for (x, y) in a4.zip(b4) {
        for k in 0..4 {
            sums[k] += x[k] * y[k];
        }
    }
    (sums[0] + sums[1]) + (sums[2] + sums[3]) + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_known_system_is_solved_and_an_indefinite_one_refused() {
        let factor = Factor::new(3, vec![4.0, 2.0, 0.6, 2.0, 5.0, 1.0, 0.6, 1.0, 3.0]).unwrap();
        // M · (1, −2, 3)
        let mut b = [1.8, -5.0, 7.6];
        factor.solve(&mut b);
        for (x, want) in b.iter().zip([1.0, -2.0, 3.0]) {
            assert!((x - want).abs() < 1e-12, "{b:?}");
        }
        // The inverse by Cramer's rule: 44.6 is the determinant.
        assert!((libm::exp(factor.log_det()) - 44.6).abs() < 1e-9);
        let inverse = factor.inverse();
        let want = [14.0, -5.4, -1.0, -5.4, 11.64, -2.8, -1.0, -2.8, 16.0];
        for (x, want) in inverse.iter().zip(want) {
            assert!((x - want / 44.6).abs() < 1e-12, "{inverse:?}");
        }
        let column = factor.lower_times(&[1.0, 0.0, 0.0]);
        for (x, want) in column.iter().zip([2.0, 1.0, 0.3]) {
            assert!((x - want).abs() < 1e-12);
        }
        assert!(Factor::new(2, vec![1.0, 2.0, 2.0, 1.0]).is_none());
    }
}
